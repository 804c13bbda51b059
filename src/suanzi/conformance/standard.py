"""The demands of the standard as data: the files in `clauses`, read and checked.

    from .standard import standard
    for operator in standard().operators.values():
        print(operator.number, operator.name, operator.clause, operator.meaning)

The files state the demands of T/AI 137.1-2025 and their bases: the available part of the text, or a reading by chapter
5.2.4 (`Standard.basis`). The files and this module do not depend on Suanzi. `clauses/schema.json` describes the form of
the files for other programs, and this module enforces this form: a wrong value or field causes a `ValueError` that
names the file, the operator and the rule.
"""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Any

from .oracle.element_types import ELEMENT_TYPES

VERSION = "2.0"
# The types that replace "any" in arguments. The first of these types that an operator accepts is used.
REPRESENTATIVES = {"F": "float32", "I": "int32", "B": "bool", "C": "complex64", "S": "string"}


class Basis(StrEnum):
    """The basis of a demand."""

    TEXT = "text"  # the available text of the standard states the demand
    READING = "reading"  # the text is missing or silent, and 5.2.4 lets other frameworks decide


@dataclass(frozen=True, slots=True)
class Call:
    """Arguments in the files' notation, which the module `arguments` reads."""

    args: tuple[Any, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of an operator, in the kit's calling convention."""

    name: str
    kind: str  # one of `Standard.parameter_kinds`
    required: bool = False
    default: Any = None  # None for no default, or for a default that is not a constant
    types: str = ""  # the kinds of element type, if the parameter is a tensor
    open: str = ""  # the kinds that the text does not mention
    choices: tuple[str, ...] = ()
    chinese: str = ""  # the name in the standard's table
    reading: str = ""

    @property
    def is_tensor(self) -> bool:
        return self.kind in ("tensor", "tensor or scalar", "tensors", "each a tensor")


@dataclass(frozen=True, slots=True)
class Refused:
    """A call that must not succeed, and the required status."""

    why: str
    why_zh: str
    call: Call
    status: str  # the most specific status (5.5)
    also: tuple[str, ...] = ()  # other permitted statuses
    reading: str = ""
    more: tuple[Call, ...] = ()  # other calls that are refused for the same cause
    varied: tuple[str, ...] = ()  # the kinds of the cause, which select variations


@dataclass(frozen=True, slots=True)
class Same:
    """Two calls with the same meaning (5.2.4)."""

    short: Call
    long: Call


@dataclass(frozen=True, slots=True)
class Category:
    """A category of operators, which is a row of Table 2."""

    key: str
    number: int
    chinese: str
    english: str
    reading: str = ""
    reading_zh: str = ""


@dataclass(frozen=True, slots=True)
class Operator:
    """The demands of the standard on one operator."""

    name: str
    category: Category
    number: int  # the place in Table 2; for randperm the place of the clause
    chinese: str
    clause: str  # the clause and table that define the operator, or "" if the text is not available
    reading: str  # the basis of a clause without available text
    reading_zh: str
    readings: Mapping[str, tuple[str, str]]  # the reasons for aspects that the clause does not mention
    meaning: str
    meaning_zh: str
    parameters: tuple[Parameter, ...]
    types: str  # the kinds of element type of the operator's tensors, or "" without tensors
    open: str  # kinds that the text does not mention, which an operator may accept or refuse
    open_types: tuple[str, ...]  # single element types that the text does not mention
    example: Call  # a call that must succeed
    defaults: tuple[Same, ...]
    results: tuple[str, ...]  # forms of `Standard.results`, one for each result
    shape: str
    precision: Mapping[str, str]  # the precision for each kind of element type
    aspects: tuple[str, ...]
    returns: Mapping[str, str]  # the clause's list of statuses with the clause's words, if available
    refused: tuple[Refused, ...]

    @property
    def where(self) -> str:
        """Return the clause that defines the operator, or the row of Table 2 that names the operator."""
        return self.clause or f"Table 2, {self.category.chinese}"

    def permitted(self, status: str) -> tuple[str, ...]:
        """Return the statuses that a refusal may have. The result is the status of the cause, and INVALID_ARGUMENT if
        the operator's clause has a list of statuses without this status (chapter 5.5).
        """
        general = "INVALID_ARGUMENT"
        return (status, general) if self.returns and status not in self.returns else (status,)

    @property
    def called(self) -> str:
        """Return the parameters as text. Optional parameters have their defaults."""
        texts = []
        for p in self.parameters:
            stars = "*" * (p.kind == "each a tensor")
            texts.append(f"{stars}{p.name}" if p.required or stars else f"{p.name}={_spelled(p.default)}")
        return ", ".join(texts)

    @property
    def representative(self) -> str:
        """Return the element type that replaces "any" in the calls of the operator."""
        return next((name for kind, name in REPRESENTATIVES.items() if kind in self.types), "float32")

    def at(self, place: int) -> Parameter:
        """Return the parameter of an argument passed by place."""
        first = self.parameters[0]
        return first if first.kind == "each a tensor" else self.parameters[place]


def _spelled(default: Any) -> str:
    """Return the text of a default value in a call."""
    if isinstance(default, dict):
        return str(default.get("type", "…"))
    return repr(tuple(default) if isinstance(default, list) else default)


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause of chapters 5 to 7 of the standard."""

    number: str
    chinese: str
    english: str
    demands: str
    demands_zh: str
    aspects: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Aspect:
    """A property of an operator that is judged separately."""

    name: str
    clause: str
    chinese: str
    english: str
    demands: str
    demands_zh: str
    rests_on: str  # "text", "clause" (of the operator) or "reading"
    reading: str = ""  # the reason for the test, if the demand is a reading
    reading_zh: str = ""
    optional: bool = False  # providers without this property conform as well
    of_state: bool = False  # faults concern the state that calls leave behind


@dataclass(frozen=True, slots=True)
class Standard:
    """The demands of the whole standard."""

    version: str
    name: str
    extent: str  # the part of the text that is available
    extent_zh: str
    digest: str  # SHA-256 of the files, which reports contain
    clauses: tuple[Clause, ...]
    aspects: Mapping[str, Aspect]
    statuses: Mapping[str, int]  # the codes of Table 1
    kinds: Mapping[str, tuple[str, ...]]  # the element types of each letter
    beyond: frozenset[str]  # types outside the list of 6.2
    parameter_kinds: Mapping[str, str]
    results: Mapping[str, str]
    shapes: Mapping[str, str]
    precisions: Mapping[str, str]
    categories: Mapping[str, Category]
    operators: Mapping[str, Operator]
    variations: Mapping[str, str]  # the variations of refused calls, by kind of cause
    operands: Mapping[str, tuple[str, ...]]  # the operators on sparse and on quantized tensors, by kind

    @property
    def free_aspects(self) -> frozenset[str]:
        """Return the aspects that are judged only for a provider that claims the aspect."""
        return frozenset(aspect.name for aspect in self.aspects.values() if aspect.optional)

    @property
    def element_types(self) -> tuple[str, ...]:
        """Return the element types that chapter 6.2 lists."""
        return tuple(name for names in self.kinds.values() for name in names if name not in self.beyond)

    def required_types(self, operator: str) -> tuple[str, ...]:
        """Return the element types of chapter 6.2 that an operator must accept as types of tensors or as `dtype`."""
        stated = self.operators[operator]
        dtypes = (p.types for p in stated.parameters if p.is_tensor or p.kind == "element type")
        letters = {*stated.types, *(letter for types in dtypes for letter in types)}
        needed = {name for letter in letters for name in self.kinds[letter]} - {*stated.open_types}
        return tuple(name for name in self.element_types if name in needed)

    def basis(self, operator: str, aspect: str) -> Basis:
        """Return the basis of the demands on an operator under an aspect."""
        stated, rests_on = self.operators[operator], self.aspects[aspect].rests_on
        if rests_on == "reading" or aspect in stated.readings or (rests_on == "clause" and not stated.clause):
            return Basis.READING
        return Basis.TEXT

    def reading(self, operator: str, aspect: str, *, chinese: bool = False) -> str:
        """Return the reason for the demands on an operator under an aspect, or an empty text if the demands rest on the
        text.
        """
        stated, general = self.operators[operator], self.aspects[aspect]
        if self.basis(operator, aspect) is Basis.TEXT:
            return ""
        if aspect in stated.readings:
            return stated.readings[aspect][chinese]
        if general.rests_on == "reading":
            return general.reading_zh if chinese else general.reading
        return stated.reading_zh if chinese else stated.reading


@cache
def standard() -> Standard:
    """Return the standard from the files in `clauses`, which are read once. Raise ValueError for forbidden contents.

    An element type that NumPy lacks, such as bfloat16 without ml_dtypes, is not tested.
    """
    found = read({name: _text(name) for name in _names()})
    known = {*ELEMENT_TYPES, "string"}
    kinds = {kind: tuple(name for name in names if name in known) for kind, names in found.kinds.items()}
    return replace(found, kinds=kinds)


def _names() -> list[str]:
    return sorted(f.name.removesuffix(".toml") for f in files(__package__).joinpath("clauses").iterdir() if _is_toml(f))


def _is_toml(file: Any) -> bool:
    return bool(file.name.endswith(".toml"))


def _text(name: str) -> str:
    return files(__package__).joinpath("clauses", f"{name}.toml").read_text(encoding="utf-8")


def read(texts: Mapping[str, str]) -> Standard:
    """Return the standard from the texts of the files in `clauses`. The keys are the file names without the suffix."""
    tables = {name: tomllib.loads(text) for name, text in texts.items()}
    causes = tables.pop("causes")
    variations = _fields("variations", tables.pop("variations"), _VARIATIONS)
    operands = _fields("operands", tables.pop("operands"), _OPERANDS)
    general = _fields("general", tables.pop("general"), _GENERAL)
    _one_of("general", "version", general["version"], [VERSION])
    words = _Words(general, causes, variations)
    categories, operators = {}, {}
    for key, table in tables.items():
        head = _fields(f"{key}: category", table.pop("category", {}), _CATEGORY)
        categories[key] = category = Category(key, **head)
        for name, entry in table.items():
            operators[name] = words.operator(f"{key}: {name}", name, category, entry)
    in_order = sorted(operators.values(), key=lambda operator: operator.number)
    rows = sorted(categories.values(), key=lambda category: category.number)
    return Standard(
        version=general["version"],
        name=general["standard"],
        extent=general["extent"],
        extent_zh=general["extent_zh"],
        digest=sha256("".join(texts[name] for name in sorted(texts)).encode()).hexdigest(),
        clauses=tuple(words.clause(entry) for entry in general["clause"]),
        aspects={name: words.aspect(name, entry) for name, entry in general["aspect"].items()},
        statuses={name: entry["code"] for name, entry in general["status"].items()},
        kinds=words.kinds,
        beyond=frozenset(name for entry in general["kind"].values() for name in entry.get("beyond", [])),
        parameter_kinds=general["parameter_kind"],
        results=general["result"],
        shapes=general["shape"],
        precisions=general["precision"],
        categories={category.key: category for category in rows},
        operators={operator.name: operator for operator in in_order},
        variations={name: entry["varied"] for name, entry in variations["kind"].items()},
        operands={kind: tuple(_fields(kind, entry, _TAKEN)["operators"]) for kind, entry in operands.items()},
    )


# The fields of each kind of table and their types. The character * marks required fields. `schema.json` states the same
# forms.
_Fields = Mapping[str, type]
_GENERAL: _Fields = {
    **dict.fromkeys(("*version", "*standard", "*extent", "*extent_zh"), str),
    "*clause": list,
    **dict.fromkeys(("*aspect", "*status", "*kind", "*parameter_kind", "*result", "*shape", "*precision"), dict),
    "*family": dict,
}
_CATEGORY: _Fields = {"*number": int, **dict.fromkeys(("*chinese", "*english", "reading", "reading_zh"), str)}
_CLAUSE: _Fields = {
    **dict.fromkeys(("*number", "*chinese", "*english", "*demands", "*demands_zh"), str),
    "*aspects": list,
}
_ASPECT: _Fields = {
    **dict.fromkeys(("*clause", "*chinese", "*english", "*demands", "*demands_zh", "*rests_on"), str),
    **dict.fromkeys(("reading", "reading_zh"), str),
    **dict.fromkeys(("optional", "of_state"), bool),
}
_RESTS_ON = ("text", "clause", "reading")
_FAMILY: _Fields = {
    **dict.fromkeys(("types", "open", "shape"), str),
    **dict.fromkeys(("parameters", "example", "defaults", "aspects", "refused", "open_types"), list),
    **dict.fromkeys(("example_options", "returns"), dict),
    "result": object,
    "precision": object,
}
_OPERATOR: _Fields = {
    **_FAMILY,
    "*number": int,
    **dict.fromkeys(("*chinese", "*meaning", "*meaning_zh", "clause", "reading", "reading_zh", "family"), str),
    **dict.fromkeys(("readings", "readings_zh"), dict),
}
_PARAMETER: _Fields = {
    **dict.fromkeys(("*name", "*is", "types", "open", "chinese", "reading"), str),
    "required": bool,
    "default": object,
    "choices": list,
}
_REFUSED: _Fields = {
    **dict.fromkeys(("*why", "*status", "reading"), str),
    "*args": list,
    "options": dict,
    "also": list,
}
_VARIATIONS: _Fields = dict.fromkeys(("*kind", "*more"), dict)
_VARIATION: _Fields = {"*varied": str, "*causes": list}
_MORE: _Fields = {"*args": list, "options": dict}
_OPERANDS: _Fields = dict.fromkeys(("*sparse", "*quantized"), dict)
_TAKEN: _Fields = {"*demands": str, "*demands_zh": str, "*operators": list}
_SAME: _Fields = {"*args": list, "options": dict, "same_args": list, "same_as": dict}


def _fields(where: str, table: Any, allowed: _Fields) -> dict[str, Any]:
    """Return `table` unchanged. Raise ValueError if a required field is missing, or if a field is not allowed or has a
    wrong type.
    """
    if not isinstance(table, dict):
        raise ValueError(f"standard: {where}: {table!r} is not a table")
    types = {name.removeprefix("*"): kind for name, kind in allowed.items()}
    for name, value in table.items():
        if name not in types:
            raise ValueError(f"standard: {where}: {name!r} is not one of the fields {', '.join(types)}")
        if not isinstance(value, types[name]):
            raise ValueError(f"standard: {where}: {name} is {value!r}, not of type {types[name].__name__}")
    for name in allowed:
        if name.startswith("*") and name[1:] not in table:
            raise ValueError(f"standard: {where}: {name[1:]} is missing")
    return table


def _one_of(where: str, what: str, word: Any, words: Collection[str]) -> str:
    if word not in words:
        allowed = f"not one of {', '.join(words)}" if len(words) < 40 else "not known"
        raise ValueError(f"standard: {where}: {what} {word!r} is {allowed}")
    return str(word)


class _Words:
    """A reader of the tables in the files. The file `general` lists the words that the tables may contain."""

    def __init__(self, general: Mapping[str, Any], causes: Mapping[str, str], variations: Mapping[str, Any]) -> None:
        self.general, self.causes, self.more = general, causes, variations["more"]
        self.varied: dict[str, list[str]] = {}
        for kind, entry in variations["kind"].items():
            for cause in _fields(f"variations: {kind}", entry, _VARIATION)["causes"]:
                self.varied.setdefault(_one_of(f"variations: {kind}", "cause", cause, causes), []).append(kind)
        self.kinds = {letter: tuple(entry["types"]) for letter, entry in general["kind"].items()}
        self.names = [name for names in self.kinds.values() for name in names]

    def clause(self, entry: Any) -> Clause:
        table = _fields("a clause", entry, _CLAUSE)
        return Clause(**{**table, "aspects": self._aspects(table["number"], table["aspects"])})

    def aspect(self, name: str, entry: Any) -> Aspect:
        table = _fields(name, entry, _ASPECT)
        _one_of(name, "rests_on", table["rests_on"], _RESTS_ON)
        if (table["rests_on"] == "reading") != ("reading" in table):
            raise ValueError(f"standard: {name}: an aspect needs the key reading exactly if it rests on a reading")
        return Aspect(name, **table)

    def operator(self, where: str, name: str, category: Category, entry: Any) -> Operator:
        own = _fields(where, entry, _OPERATOR)
        family: dict[str, Any] = {}
        if "family" in own:
            word = _one_of(where, "family", own["family"], self.general["family"])
            family = _fields(f"general: {word}", self.general["family"][word], _FAMILY)
        table = {**family, **own}
        for needed in ("parameters", "example", "result", "shape", "precision", "aspects"):
            if needed not in table:
                raise ValueError(f"standard: {where}: {needed} is missing")
        types = self._types(where, table.get("types", ""))
        return Operator(
            name=name,
            category=category,
            number=table["number"],
            chinese=table["chinese"],
            clause=table.get("clause", ""),
            reading=table.get("reading", category.reading),
            reading_zh=table.get("reading_zh", category.reading_zh),
            readings=self._readings(where, table),
            meaning=table["meaning"],
            meaning_zh=table["meaning_zh"],
            parameters=tuple(self._parameter(where, p, table) for p in table["parameters"]),
            types=types,
            open=self._types(where, table.get("open", "")),
            open_types=tuple(_one_of(where, "element type", name, self.names) for name in table.get("open_types", [])),
            example=Call(tuple(table["example"]), table.get("example_options", {})),
            defaults=tuple(self._same(where, s) for s in table.get("defaults", [])),
            results=self._results(where, table["result"]),
            shape=_one_of(where, "shape", table["shape"], self.general["shape"]),
            precision=self._precision(where, table["precision"], types),
            aspects=self._aspects(where, _both(family, own, "aspects")),
            returns=self._returns(where, table.get("returns", {})),
            refused=tuple(
                self._refused(where, r, (own.get("family", ""), name)) for r in _both(family, own, "refused")
            ),
        )

    def _readings(self, where: str, table: Mapping[str, Any]) -> dict[str, tuple[str, str]]:
        english, chinese = table.get("readings", {}), table.get("readings_zh", {})
        if english.keys() != chinese.keys():
            raise ValueError(f"standard: {where}: readings and readings_zh name different aspects")
        return {self._aspects(where, [name])[0]: (english[name], chinese[name]) for name in english}

    def _types(self, where: str, letters: str) -> str:
        for letter in letters:
            _one_of(where, "kind of element type", letter, self.kinds)
        return letters

    def _parameter(self, where: str, entry: Any, operator: Mapping[str, Any]) -> Parameter:
        table = dict(_fields(f"{where}: a parameter", entry, _PARAMETER))
        kind = _one_of(where, "kind of parameter", table.pop("is"), self.general["parameter_kind"])
        table["choices"] = tuple(table.get("choices", ()))
        if Parameter("", kind).is_tensor and "types" not in table:
            table |= {"types": operator.get("types", ""), "open": operator.get("open", "")}
        self._types(where, table.get("types", "") + table.get("open", ""))
        return Parameter(kind=kind, **table)

    def _results(self, where: str, words: Any) -> tuple[str, ...]:
        several = words if isinstance(words, list) else [words]
        return tuple(_one_of(where, "result", word, self.general["result"]) for word in several)

    def _precision(self, where: str, words: Any, types: str) -> dict[str, str]:
        by_kind = words if isinstance(words, dict) else dict.fromkeys(types or self.kinds, words)
        for kind, word in by_kind.items():
            _one_of(where, "kind of element type", kind, self.kinds)
            _one_of(where, "precision", word, self.general["precision"])
        return dict(by_kind)

    def _aspects(self, where: str, words: list[Any]) -> tuple[str, ...]:
        return tuple(_one_of(where, "aspect", word, self.general["aspect"]) for word in words)

    def _returns(self, where: str, causes: dict[str, str]) -> dict[str, str]:
        return {_one_of(where, "status", status, self.general["status"]): words for status, words in causes.items()}

    def _refused(self, where: str, entry: Any, names: tuple[str, str]) -> Refused:
        table = _fields(f"{where}: refused", entry, _REFUSED)
        statuses = [_one_of(where, "status", s, self.general["status"]) for s in (table["status"], *_also(table))]
        call = Call(tuple(table["args"]), table.get("options", {}))
        why = _one_of(where, "cause", table["why"], self.causes)
        listed = [further for name in names for further in self.more.get(name, {}).get(why, [])]
        more = tuple(self._further(where, further, call) for further in listed)
        kinds = tuple(self.varied.get(why, ()))
        reading = table.get("reading", "")
        return Refused(why, self.causes[why], call, statuses[0], tuple(statuses[1:]), reading, more, kinds)

    def _further(self, where: str, entry: Any, call: Call) -> Call:
        """Return another call that is refused for the cause of `call`. An entry that is a list has the arguments, and
        the options are the options of `call`. An entry that is a table has the arguments and the options.
        """
        if isinstance(entry, list):
            return Call(tuple(entry), call.options)
        table = _fields(f"{where}: more", entry, _MORE)
        return Call(tuple(table["args"]), table.get("options", {}))

    def _same(self, where: str, entry: Any) -> Same:
        table = _fields(f"{where}: defaults", entry, _SAME)
        options = table.get("options", {})
        args = tuple(table["args"])
        longer = Call(tuple(table.get("same_args", args)), {**options, **table.get("same_as", {})})
        return Same(Call(args, options), longer)


def _both(family: Mapping[str, Any], own: Mapping[str, Any], field: str) -> list[Any]:
    """Return the entries that an operator's family has in a field, followed by the operator's own entries."""
    return [*family.get(field, []), *own.get(field, [])]


def _also(table: Mapping[str, Any]) -> Iterator[Any]:
    yield from table.get("also", [])
