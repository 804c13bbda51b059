"""The words of the Chinese pages: sentences and phrases in chinese/*.toml, and the numbers of the records.

`words.toml` has headings, types and statuses. `parameters.toml` describes parameters, unless a function has its own
description. `objects.toml` describes classes, modules and their members. Every other file is a category: first the
parameters that several functions share, then each function's summary, result and own parameters. Parameters that a
docstring describes together have one phrase.
"""

from __future__ import annotations

import inspect
import re
import tomllib
from collections.abc import Iterator
from itertools import dropwhile
from pathlib import Path
from typing import Any

import suanzi
from english import English
from facts import Facts
from suanzi.operators.catalogue import NETWORKS
from suanzi.operators.scratch import WORDS


class Chinese(English):
    """The words of the pages under zh/."""

    code, joint = "zh", "、"

    def __init__(self) -> None:
        files = sorted((Path(__file__).parent / "chinese").glob("*.toml"))
        read: dict[str, Any] = {path.stem: tomllib.loads(path.read_text(encoding="utf-8")) for path in files}
        self.words: dict[str, str] = read["words"].pop("headings")
        self.tables: dict[str, dict[str, str]] = read.pop("words")
        self.kinds = self.tables["kinds"]
        self.shared: dict[str, str] = read.pop("parameters")
        self.objects: dict[str, str] = read.pop("objects")["summaries"]
        self.of_category = {key: rows.pop("shared", {}) for key, rows in read.items()}
        self.functions: dict[str, dict[str, Any]] = {n: said for rows in read.values() for n, said in rows.items()}
        self.parts = re.compile("|".join(map(re.escape, sorted(self.tables["types"], key=len, reverse=True))))

    def category(self, facts: Facts) -> str:
        assert facts.category is not None
        return " ".join(filter(None, (facts.row, facts.category.chinese)))

    def summary(self, facts: Facts) -> str:
        found = self.functions.get(facts.name)
        return found["summary"] if found else self._object(facts.name) or facts.summary

    def _object(self, name: str) -> str | None:
        """Return an object's Chinese text by its full name, or the text shared by all members of that name."""
        return self.objects.get(name) or self.objects.get(f".{name.rpartition('.')[2]}")

    def text(self, facts: Facts) -> str:
        """Return a docstring in Chinese; sections of classes and code of modules are copied from the docstring.

        A Chinese text of several paragraphs replaces everything before the sections.
        """
        if facts.name not in self.functions:
            _, *rest = facts.text.split("\n\n")
            said = self._object(facts.name)
            if said and "\n\n" in said:
                rest = list(dropwhile(lambda part: not re.match(r"\w+\n-+\n", part), rest))
            kept = [part for part in rest if part[:4].isspace() or not inspect.ismodule(facts.thing)]
            return "\n\n".join([said, *kept]) if said else facts.text
        entries = {
            "Parameters": [(e.name, e.type, self.parameter(facts, e.name)) for e in facts.doc["Parameters"]],
            "Returns": [("", *self.returns(facts))] if facts.doc["Returns"] else [],
            "Raises": [("", error.type, self.when(error.type)) for error in facts.doc["Raises"]],
        }
        sections = {title: "\n".join(map(self._entry, rows)) for title, rows in entries.items()}
        sections |= {"精度": self.accuracy(facts), "内存": self.memory(facts), "出处": self.source(facts)}
        sections["Examples"] = "\n".join(facts.doc["Examples"])
        told = [f"{title}\n{'-' * 8}\n{said}" for title, said in sections.items() if said]
        return "\n\n".join([self.summary(facts), *told])

    def _entry(self, row: tuple[str, str, str]) -> str:
        return " : ".join(filter(None, (row[0], self.type(row[1])))) + f"\n    {row[2]}"

    def type(self, text: str) -> str:
        """Translate a type in a docstring part by part."""
        return self.parts.sub(lambda found: self.tables["types"][found[0]], text)

    def parameter(self, facts: Facts, entry: str) -> str:
        return next(said for _, said in self.phrases(facts, entry))

    def phrases(self, facts: Facts, entry: str) -> Iterator[tuple[str, str]]:
        """Yield the texts of a parameter with their places (function, category, everywhere); the first one counts."""
        category = facts.category.key if facts.category else "extras"
        places = {
            facts.name: self.functions[facts.name].get("parameters", {}),
            category: self.of_category[category],
            "parameters": self.shared,
        }
        return ((place, said[entry]) for place, said in places.items() if entry in said)

    def returns(self, facts: Facts) -> tuple[str, str]:
        types = [self.type(entry.type) for entry in facts.doc["Returns"]]
        return " 或 ".join(types), self.functions[facts.name]["returns"]

    def source(self, facts: Facts) -> str:
        if not facts.record:
            return ""
        entry = facts.record.entry
        if entry.category is NETWORKS:
            return f"{entry.chinese}：T/AI 137.1-2025 未作规定，见 GB/T 46069.2-2025（本库未见其文本）。"
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

    def when(self, error: str) -> str:
        status = getattr(suanzi, error).status
        return f"{status.name} {status.chinese}：{self.tables['statuses'][status.name]}"
