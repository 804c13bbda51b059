"""The objects that the site describes, with the facts of their records, docstrings and `synonyms.toml`."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter
from types import ModuleType
from typing import Any

from numpydoc.docscrape import NumpyDocString

import suanzi
import suanzi.nn
from suanzi.hints.answers import synonyms
from suanzi.hints.functions import USE
from suanzi.operators.catalogue import CATEGORIES, NETWORKS
from suanzi.operators.registry import Record, neural_records, records
from suanzi.tensor.status import ERRORS

CHINESE = re.compile(r"[\u4e00-\u9fff]")


def _called(call: str) -> str:
    """Return the name of the Suanzi function that a call in the hints names, or an empty text for an expression."""
    nodes = list(ast.walk(ast.parse(call, mode="eval")))
    if any(isinstance(node, ast.BinOp | ast.Compare | ast.Lambda | ast.Slice) for node in nodes) or "suanzi." in call:
        return ""
    return call.partition("(")[0]


SYNONYMS = synonyms()
# Names of other libraries' functions, with the Suanzi function for each name.
CALLED = [(name, ours) for name, call in USE.items() if (ours := _called(call))]


# Sections of docstrings: numpydoc's sections, and three further sections of Suanzi.
NumpyDocString.sections |= {"Accuracy": [], "Memory": [], "Source": []}
# The Chinese name at the end of a summary. An addition to an operator has the operator's name after "part of".
CHINESE_NAME = re.compile(r"\s*\((part of )?([^()]*[\u4e00-\u9fff][^()]*)\)(?=\.|:|$)")


@dataclass(frozen=True)
class Facts:
    """The facts of one public function, class or value."""

    name: str  # within `suanzi`
    thing: Any
    record: Record | None = None  # the record of an operator of the standard, or of an addition to an operator
    given: str | None = None  # the documentation of an attribute, which has no docstring

    @property
    def text(self) -> str:
        return (inspect.getdoc(self.thing) or "") if self.given is None else self.given

    @cached_property
    def doc(self) -> NumpyDocString:
        return NumpyDocString(self.text)

    @property
    def chinese(self) -> str:
        """Return the Chinese name from the standard, the docstring or the common names, or an empty text without a
        name.
        """
        if self.record and not self.record.is_extra:
            return self.record.entry.chinese
        found = CHINESE_NAME.search(" ".join(self.doc["Summary"]))
        return found[2] if found and not found[1] else next(filter(CHINESE.search, self.synonyms), "")

    @property
    def synonyms(self) -> list[str]:
        """Return other names of the object: names in other libraries, then words by which readers search."""
        foreign = [name for name, ours in CALLED if ours == self.name]
        return list(dict.fromkeys([*foreign, *SYNONYMS.get(self.name, "").split()]))

    @property
    def summary(self) -> str:
        """Return the docstring's summary without the Chinese name."""
        return CHINESE_NAME.sub("", " ".join(self.doc["Summary"]))


# Modules whose members have their entries on the module's page.
MODULES = (
    *("random", "memory", "devices", "linalg", "fft", "nn", "extras", "fusion"),
    *("array_api", "array_api.linalg", "array_api.fft", "conformance"),
    *("interop.onnx", "interop.dask", "interop.mindspore", "interop.ascend", "interop.pypto"),
)


def module(name: str) -> ModuleType:
    """Return the module that `suanzi.` + name means: a submodule, or an attribute of `suanzi` that is a module."""
    return importlib.import_module(f"suanzi.{name}") if "." in name else attrgetter(name)(suanzi)


def members(name: str) -> dict[str, Any]:
    """Return a module's public objects by name: the names in `__all__`, or else the names that the module defines."""
    room = module(name)
    own = [n for n, x in vars(room).items() if n[0] != "_" and getattr(x, "__module__", None) == room.__name__]
    return {n: getattr(room, n) for n in getattr(room, "__all__", own) if not n.startswith("__")}


def by_category() -> dict[str, list[Facts]]:
    """Return the functions with a page by category: each operator of Table 2, followed by its additions.

    The last categories are the functions of `suanzi.nn`, the extras, and the other functions of `suanzi`.
    """
    rows: dict[str, list[Facts]] = {category.key: [] for category in (*CATEGORIES, NETWORKS)}
    for record in sorted((*records(), *neural_records()), key=lambda record: (record.entry.number, record.is_extra)):
        rows[record.entry.category.key].append(Facts(record.name, record.function, record))
    known = {facts.thing for all_of_one in rows.values() for facts in all_of_one}

    def functions(named: dict[str, Any], prefix: str = "") -> list[Facts]:
        found = {name: thing for name, thing in named.items() if callable(thing) and thing not in known}
        return [Facts(prefix + n, f) for n, f in found.items() if not isinstance(f, type | suanzi.DType)]

    rows["nn"] += functions(members("nn"), "nn.")
    known |= {facts.thing for facts in rows["nn"]}
    return {**rows, "extras": functions(members("extras"), "extras."), "others": functions(_NAMES)}


_NAMES = {name: getattr(suanzi, name) for name in suanzi.__all__}
ERROR_CLASSES = ("SuanziError", *(error.__name__ for error in ERRORS if error))
CLASSES = {
    name: Facts(name, thing)
    for name, thing in _NAMES.items()
    if isinstance(thing, type) and name not in (*ERROR_CLASSES, "Status")
}
ROWS = by_category()
FUNCTIONS = {facts.name: facts for rows in ROWS.values() for facts in rows}
_PAGE_OF_TEXT = {facts.text: facts for facts in FUNCTIONS.values() if facts.text}


def described_as(thing: Any) -> Facts | None:
    """Return the function or class whose page describes an object. Methods and aliases share the docstring of the
    object.
    """
    if isinstance(thing, type):
        return CLASSES.get(thing.__name__) if getattr(suanzi, thing.__name__, None) is thing else None
    return _PAGE_OF_TEXT.get(inspect.getdoc(thing) or "") if callable(thing) else None
