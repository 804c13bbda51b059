"""The words of the Chinese pages: sentences and phrases in chinese/*.toml, and the numbers of the records.

`words.toml` has headings, types and statuses; `parameters.toml` has the descriptions of parameters for functions
without their own; every other file has a category: the parameters that several functions share, and for each function a
summary, its result and its own parameters. Parameters that docstrings describe together have one phrase.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import suanzi
from facts import Facts, Parameter
from suanzi.operators.catalogue import Category
from suanzi.operators.scratch import WORDS

FOLDER = Path(__file__).parent / "chinese"


def _read(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text(encoding="utf-8"))


class Chinese:
    """The words of the pages under zh/."""

    code, joint, colon = "zh", "、", "："

    def __init__(self) -> None:
        read = {path.stem: _read(path) for path in sorted(FOLDER.glob("*.toml"))}
        self.words: dict[str, str] = read["words"].pop("headings")
        self.tables: dict[str, dict[str, str]] = read.pop("words")
        self.shared: dict[str, str] = read.pop("parameters")
        self.of_category = {key: rows.pop("shared", {}) for key, rows in read.items()}
        self.functions: dict[str, dict[str, Any]] = {n: said for rows in read.values() for n, said in rows.items()}
        self.parts = re.compile("|".join(map(re.escape, sorted(self.tables["types"], key=len, reverse=True))))

    def category(self, category: Category) -> str:
        return category.chinese

    def title(self, facts: Facts) -> str:
        return f"{facts.name} {facts.chinese}".strip()

    def summary(self, facts: Facts) -> str:
        return self.functions[facts.name]["summary"]

    def description(self, facts: Facts) -> str:
        return ""  # the summary says what matters of it

    def notes(self, facts: Facts) -> str:
        return ""

    def type(self, text: str) -> str:
        """A type as docstrings name it, by its parts."""
        return self.parts.sub(lambda found: self.tables["types"][found[0]], text)

    def parameter(self, facts: Facts, parameter: Parameter) -> str:
        return next(said for _, said in self.phrases(facts, parameter))

    def phrases(self, facts: Facts, parameter: Parameter) -> Iterator[tuple[str, str]]:
        """The phrases for a parameter and their places: the function's, its category's, the shared one; the first
        counts.
        """
        entry = ", ".join(parameter.names)
        category = facts.category.key if facts.category else "extras"
        places = {
            facts.name: self.functions[facts.name].get("parameters", {}),
            category: self.of_category[category],
            "parameters": self.shared,
        }
        return ((place, said[entry]) for place, said in places.items() if entry in said)

    def returns(self, facts: Facts) -> list[tuple[str, str]]:
        types = [self.type(entry.type) for entry in facts.entries("Returns")]
        return [(" 或 ".join(types), self.functions[facts.name]["returns"])] if types else []

    def kinds(self, accepts: str) -> str:
        return "、".join(self.tables["kinds"][kind] for kind in accepts)

    def source(self, facts: Facts) -> str:
        if not facts.record:
            return ""
        entry = facts.record.entry
        clause = entry.clause.replace(", Table ", "，表 ") if entry.clause else f"表 2，{entry.category.chinese}"
        return f"T/AI 137.1-2025，{clause}：{entry.chinese}。"

    def accuracy(self, facts: Facts) -> str:
        bound = facts.record.accuracy if facts.record else None
        if bound:
            return self.tables["sentences"]["accuracy"].format(**bound._asdict())
        return self.functions[facts.name].get("accuracy", "")

    def memory(self, facts: Facts) -> str:
        if not (facts.record and facts.record.scratch):
            return ""
        scratch, sentences = facts.record.scratch, self.tables["memory"]
        words = [sentences[word] for word in WORDS if word in scratch.words]
        return "".join([sentences["bound"].format(expression=scratch), *words])

    def status(self, status: suanzi.Status) -> str:
        return f"{status.name} {status.chinese}"

    def when(self, status: suanzi.Status, text: str) -> str:
        return self.tables["statuses"][status.name]

    def meaning(self, status: suanzi.Status, error: type[suanzi.SuanziError] | None) -> str:
        return self.tables["statuses"][status.name]
