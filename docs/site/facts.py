"""The facts about each public function for its page: from its record and its docstring, in no language yet."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from numpydoc.docscrape import NumpyDocString

import suanzi
from suanzi.operators.catalogue import CATEGORIES, Category
from suanzi.operators.registry import Record, records


class Docstring(NumpyDocString):
    """A docstring by its sections, those of our records among them."""

    sections = {**NumpyDocString.sections, "Accuracy": [], "Memory": [], "Source": []}  # noqa: RUF012 - as numpydoc's


class Parameter(NamedTuple):
    """One entry of a section of parameters or results; several names may share it."""

    names: tuple[str, ...]
    type: str
    text: str


# The Chinese name at the end of a summary; an addition of ours may only say to what it belongs.
_CHINESE_NAME = re.compile(r"\s*\((part of )?([^()]*[\u4e00-\u9fff][^()]*)\)\.?$")


@dataclass(frozen=True)
class Facts:
    """One public function."""

    name: str  # under `suanzi`
    function: Callable[..., Any]
    record: Record | None = None  # the record of a function of the standard or of an addition to one

    @cached_property
    def doc(self) -> Docstring:
        return Docstring(inspect.getdoc(self.function) or "")

    @property
    def category(self) -> Category | None:
        """Its row of Table 2."""
        return self.record.entry.category if self.record else None

    @property
    def chinese(self) -> str:
        """Its Chinese name; empty where it has none."""
        if self.record and not self.record.is_extra:
            return self.record.entry.chinese
        found = _CHINESE_NAME.search(" ".join(self.doc["Summary"]))
        return found[2] if found and not found[1] else ""

    @property
    def summary(self) -> str:
        """One sentence, without the Chinese name."""
        return _CHINESE_NAME.sub(".", " ".join(self.doc["Summary"]))

    @property
    def signature(self) -> str:
        """How it is called: names and defaults, whose types stand with the parameters."""
        signature = inspect.signature(self.function)
        bare = [p.replace(annotation=p.empty) for p in signature.parameters.values() if p.name != "self"]
        return str(signature.replace(parameters=bare, return_annotation=signature.empty))

    def entries(self, section: str) -> list[Parameter]:
        """The entries of "Parameters" or "Returns"."""
        return [Parameter(tuple(re.split(", ", p.name)), p.type, "\n".join(p.desc)) for p in self.doc[section]]

    @property
    def statuses(self) -> list[tuple[suanzi.Status, str]]:
        """The unsuccessful statuses that it may give and when, in the order of Table 1."""
        errors = [(getattr(suanzi, error.type).status, "\n".join(error.desc)) for error in self.doc["Raises"]]
        return sorted(errors)

    @property
    def example(self) -> str:
        """A Python session with its output."""
        return "\n".join(self.doc["Examples"])


def operators() -> list[Facts]:
    """The operators of the standard and our additions to them, by Table 2: each operator, then its additions."""
    by_table = sorted(records(), key=lambda record: (record.entry.number, record.is_extra))
    return [Facts(record.name, record.function, record) for record in by_table]


def extras() -> list[Facts]:
    """The functions of `suanzi.extras`; its classes are results of theirs."""
    functions = {name: getattr(suanzi.extras, name) for name in suanzi.extras.__all__}
    return [Facts(f"extras.{name}", f) for name, f in functions.items() if not isinstance(f, type)]


def by_category() -> dict[str, list[Facts]]:
    """All functions that have a page, by the key of their category; the extras under a key of their own."""
    rows: dict[str, list[Facts]] = {category.key: [] for category in CATEGORIES}
    for facts in operators():
        assert facts.category is not None
        rows[facts.category.key].append(facts)
    return {**rows, "extras": extras()}
