"""The texts of the English pages: the docstrings themselves, and the words of english.toml."""

from __future__ import annotations

import tomllib
from pathlib import Path

from facts import CHINESE_NAME, Facts
from suanzi.operators.catalogue import NETWORKS, Category

TABLES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


class English:
    """The words of the pages under en/. The class `Chinese` has the words of the pages under zh/."""

    code, sphinx_name, own_name, joint = "en", "en", "English", ", "
    words: dict[str, str] = TABLES["headings"]
    kinds: dict[str, str] = TABLES["kinds"]
    categories: dict[str, str] = TABLES["categories"]

    def category(self, category: Category) -> str:
        """Return the number of a category's row in Table 2, followed by the category's names."""
        number = "" if category is NETWORKS else str(category.number)
        return " ".join(filter(None, (number, self.categories.get(category.key), category.chinese)))

    def summary(self, facts: Facts) -> str:
        return facts.summary

    def text(self, facts: Facts) -> str:
        """Return the docstring without the Chinese name, which the title has."""
        return CHINESE_NAME.sub("", facts.text, count=1)
