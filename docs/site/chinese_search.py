"""The search of the Chinese pages, which indexes every two neighbouring characters and needs no dictionary."""

from __future__ import annotations

import re

from sphinx.search.en import SearchEnglish

_RUNS = re.compile(r"[\u4e00-\u9fff]+|[^\W\u4e00-\u9fff]+")


def pairs(text: str) -> list[str]:
    """Return a text's words of other scripts, its Chinese characters, and the pairs of neighbouring characters."""
    words: list[str] = []
    for run in _RUNS.findall(text):
        if run[0] < "\u4e00" or run[0] > "\u9fff":
            words.append(run)
        else:
            words += [*run, *(run[i : i + 2] for i in range(len(run) - 1))]
    return words


class ChineseSearch(SearchEnglish):
    """A search language for Chinese and English, because code, names and some guides are in English."""

    lang = "zh_CN"
    language_name = "English"  # Sphinx derives the browser's stemmer class from this name
    # A result must have all pairs of a query. The search looks for a single character only if the character has no
    # neighbour.
    js_splitter_code = r"""
var splitQuery = (query) =>
  (query.match(/[\u4e00-\u9fff]+|(?:(?![\u4e00-\u9fff])[\p{Letter}\p{Number}_])+/gu) || []).flatMap((run) =>
    /[\u4e00-\u9fff]/.test(run) && run.length > 2
      ? Array.from({ length: run.length - 1 }, (_, i) => run.slice(i, i + 2))
      : [run]);
"""

    def split(self, input: str) -> list[str]:
        return pairs(input)
