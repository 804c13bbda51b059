"""The words of reports in a language, from `words.toml` and from the clauses."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources
from typing import Any

from ..not_asked import Reason
from ..standard import Basis, Operator, standard
from ..verdicts import SAID, Outcome, State
from .chinese import in_chinese
from .notes import Group

LANGUAGES = ("en", "zh")
_NAMED = 12  # the most element types or labels that a note of similar faults names


@cache
def _tables() -> dict[str, dict[str, list[str]]]:
    text = (resources.files(__package__) / "words.toml").read_text(encoding="utf-8")
    tables: dict[str, dict[str, list[str]]] = tomllib.loads(text)
    return tables


class Words:
    """The words of one language."""

    def __init__(self, language: str = "en") -> None:
        self.language = language
        self.chinese = language == "zh"

    def __call__(self, word: str, *filled: Any) -> str:
        """Return a word or a phrase with its placeholders filled."""
        return self._of("words", word).format(*filled)

    def _of(self, table: str, word: str) -> str:
        return _tables()[table][word][self.chinese]

    def compare(self, word: str, *filled: Any) -> str:
        """Return a word or a phrase for the comparison of two reports, with the placeholders filled."""
        return self._of("compare", word).format(*filled)

    def state(self, state: State | str) -> str:
        return self._of("states", str(state))

    def outcome(self, basis: Basis, outcome: Outcome) -> str:
        return self.said(SAID[basis][outcome])

    def said(self, outcome: str) -> str:
        """Return the text of an outcome in the language of the words."""
        return self._of("outcomes", outcome)

    def basis(self, basis: Basis) -> str:
        return self._of("bases", basis.value)

    def aspect(self, name: str) -> str:
        return standard().aspects[name].chinese if self.chinese else name

    def reason(self, reason: Reason) -> str:
        return reason.chinese if self.chinese else reason.english

    def reading(self, operator: str, aspect: str) -> str:
        return standard().reading(operator, aspect, chinese=self.chinese)

    def category(self, key: str) -> str:
        return standard().categories[key].chinese if self.chinese else key.replace("_", " ")

    def where(self, operator: Operator) -> str:
        """Return the place of an operator in the standard."""
        if self.chinese:
            place = operator.clause.replace(", Table ", "，表") or f"表2，{operator.category.chinese}"
            return f"{place}：{operator.chinese}"
        return f"{operator.where}: {operator.chinese}"

    def note(self, group: Group) -> str:
        """Return the text of a group of similar notes."""
        if not self.chinese:
            return group.english
        text = in_chinese(group.first)
        head = f"{self('state')}：{text}" if group.of_state else text
        if not group.others:
            return head
        known = [label for label in map(in_chinese, group.likewise) if label]
        named = "、".join(known[:_NAMED]) + ("…" if len(known) > _NAMED else "")
        return (
            f"{head}［{self('alike', len(group.others) + 1, named)}］"
            if named
            else f"{head}［同类 {len(group.others) + 1} 项］"
        )

    def listed(self, names: Any) -> str:
        return ("、" if self.chinese else ", ").join(names)
