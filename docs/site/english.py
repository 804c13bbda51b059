"""The texts of the English pages: the docstrings themselves, and the words of english.toml."""

from __future__ import annotations

import tomllib
from pathlib import Path

from facts import CHINESE_NAME, Facts

TABLES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


class English:
    """The words of the pages under en/; `Chinese` has others."""

    code, joint = "en", ", "
    words: dict[str, str] = TABLES["headings"]
    kinds: dict[str, str] = TABLES["kinds"]

    def category(self, facts: Facts) -> str:
        """Return the category of Table 2 to which a function belongs."""
        assert facts.category is not None
        category = facts.category
        return " ".join(filter(None, (facts.row, TABLES["categories"][category.key], category.chinese)))

    def summary(self, facts: Facts) -> str:
        return facts.summary

    def text(self, facts: Facts) -> str:
        """Return the docstring without the Chinese name, which the title has."""
        return CHINESE_NAME.sub("", facts.text, count=1)
