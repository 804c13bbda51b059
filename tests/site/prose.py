"""A search for English sentences in the sources of Chinese pages."""

from __future__ import annotations

import re

HAN = re.compile(r"[\u4e00-\u9fff]")


def left_in_english(text: str) -> list[str]:
    """Return the paragraphs of a text that have English words in a row outside code, links, names and directives."""
    text = re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)
    text = re.sub(r"^(?:::|\.\. .*)\n(?:   .*\n|\n(?=   ))*|^:.*$|^<!-- .* -->$", "", text, flags=re.M)
    text = re.sub(r":[\w:]+:`[^`]*`|`+[^`]+`+|\]\([^)]*\)", " ", text)
    return [
        part
        for part in re.split(r"\n{2,}|\n(?=\S)", text)
        if re.search(r"(?:\b[A-Za-z]?[a-z]+[ \n]+){3}" if HAN.search(part) else r"[a-z]{2,}[ \n]+[a-z]{2,}", part)
    ]
