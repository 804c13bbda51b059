"""The arguments of calls in the notation of the files in `clauses`, and their conversion for a provider.

========================================================  ==========================================================
``"float32[2,3]"``                                        a tensor of this type and shape with a fixed filling
``"any[2,3]"``, ``"result[2,3]"``                         a tensor of the operator's first type, or result type
``{ values = [[1, 2]], type = "int64" }``                 a tensor of these elements
``{ expanded = [1000, 1000], type = "float32" }``         one element, expanded to this shape without a copy
``{ sparse = [2, 3], indices = […], values = […] }``      a sparse tensor
``{ quantized = [2], data = […], scale = 0.5 }``          a quantized tensor
``{ destroyed = … }``                                     a destroyed tensor, described in another notation
``{ type = "float32" }``                                  an element type
``{ complex = [1.0, 2.0] }``                              a complex number
``{ nothing = true }``                                    no object: Python's None, in C a null pointer
anything else                                             the value itself; lists may contain tensors
========================================================  =========================================================="""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np

from .oracle.element_types import ELEMENT_TYPES, Array, ElementType, typed
from .provider import Provider, needed
from .standard import Call, Operator

_TENSOR = re.compile(r"(\w+)\[((?:\d+(?:,\d+)*)?)\]")


@dataclass(frozen=True, slots=True)
class Arrangement:
    """The memory order of a tensor's elements: the dimension that varies fastest, and the distances between
    elements.
    """

    reversed: bool = False
    step: int = 1

    def of(self, array: Array) -> Array:
        """Return a copy of an array in the memory order of the arrangement. If the absolute value of `step` is above 1,
        the memory has further elements between the copied elements.
        """
        logical = array.T if self.reversed else array
        memory = np.full([size * abs(self.step) for size in logical.shape], np.ones((), array.dtype), array.dtype)
        view = memory[(slice(None, None, self.step),) * array.ndim]
        view[...] = logical
        return view.T if self.reversed else view


@dataclass(frozen=True, slots=True, eq=False)
class Dense:
    """A tensor with given elements. The elements of a string tensor are an array of str."""

    type: str
    array: Array
    as_given: bool = False  # True if the call names the type, False for "any"
    arrangement: Arrangement | None = None  # the order in memory; None means the default order

    def made(self, provider: Provider) -> Any:
        return provider.from_numpy(self.arrangement.of(self.array) if self.arrangement else self.array.copy())


@dataclass(frozen=True, slots=True)
class Expanded:
    """A tensor of a shape too large for any memory: one element, expanded to the shape."""

    type: str
    shape: tuple[int, ...]

    def made(self, provider: Provider) -> Any:
        return needed(provider, "expand")(Dense(self.type, filling(self.type, ())).made(provider), self.shape)


@dataclass(frozen=True, slots=True)
class Made:
    """A tensor that an operator of the provider makes from plain arguments."""

    operator: str
    args: tuple[Any, ...]
    options: Mapping[str, Any] = field(default_factory=dict)

    def made(self, provider: Provider) -> Any:
        return needed(provider, self.operator)(*self.args, **self.options)


@dataclass(frozen=True, slots=True)
class Destroyed:
    """A destroyed tensor."""

    of: Any

    def made(self, provider: Provider) -> Any:
        tensor = self.of.made(provider)
        needed(provider, "destroy")(tensor)
        return tensor


@dataclass(frozen=True, slots=True)
class Type:
    """An element type as an argument."""

    name: str

    def made(self, provider: Provider) -> Any:
        return provider.element_type(self.name)


@dataclass(frozen=True, slots=True)
class Plain:
    """A plain value, or a sequence of arguments."""

    value: Any

    def made(self, provider: Provider) -> Any:
        if isinstance(self.value, list | tuple):
            return type(self.value)(item.made(provider) for item in self.value)
        return self.value


@dataclass(frozen=True, slots=True)
class DefaultDevice:
    """The device of new tensors for which no device is named."""

    def made(self, provider: Provider) -> Any:
        return provider.device or "cpu"


Argument = Dense | Expanded | Made | Destroyed | Type | Plain | DefaultDevice


@dataclass(frozen=True, slots=True)
class Arguments:
    """The arguments of one call."""

    args: tuple[Argument, ...]
    options: Mapping[str, Argument]

    def all(self) -> Iterator[Argument]:
        """Yield every argument, including the arguments within sequences."""
        for argument in (*self.args, *self.options.values()):
            yield from _within(argument)

    def without(self, name: str) -> Arguments:
        """Return the arguments without the option `name`."""
        return Arguments(self.args, {key: value for key, value in self.options.items() if key != name})

    @property
    def types(self) -> frozenset[str]:
        """Return the element types that a provider must have to make the arguments."""
        return frozenset(name for a in self.all() for name in _types(a))

    @property
    def needs(self) -> frozenset[str]:
        """Return the operators that a provider needs to make the arguments."""
        return frozenset(name for a in self.all() for name in _needs(a))


def result_type(operator: Operator, name: str, which: int = 0) -> str | None:
    """Return the type of an operator's result for operands of type `name`, or None if the clauses do not state the
    type.
    """
    rule = operator.results[which]
    same = rule in ("as x", "the common type", "the common type of x1 and x2")
    if same or rule in ("bool", "int64"):
        return name if same else rule
    if name not in ELEMENT_TYPES:  # the name of a string type
        return None
    t = ELEMENT_TYPES[name]
    found = {"real part": _part(t), "accumulated": {"F": name, "C": name, "U": None}.get(t.kind, "int64")}
    if t.kind in "FC":
        wide = name in ("float64", "complex128")
        found |= {"floating": name, "floating real part": _part(t)}
        found["complex of parts"] = "complex128" if wide else "complex64"
    return found.get(rule)


def _part(t: ElementType) -> str:
    return {"complex64": "float32", "complex128": "float64"}.get(t.name, t.name)


def arguments(operator: Operator, call: Call, any_type: str = "") -> Arguments:
    """Return the arguments of a call. The type "any" becomes `any_type`, or by default the operator's first type."""
    read = _Reader(operator, any_type or operator.representative)
    args = tuple(read(value, operator.at(place).kind, place) for place, value in enumerate(call.args))
    by_name = {p.name: p.kind for p in operator.parameters}
    return Arguments(args, {name: read(value, by_name.get(name, "")) for name, value in call.options.items()})


class _Reader:
    """A reader that converts the arguments of a call one after the other."""

    def __init__(self, operator: Operator, any_type: str) -> None:
        self.operator, self.any_type = operator, any_type

    def __call__(self, value: Any, kind: str = "", place: int = 0) -> Argument:
        if isinstance(value, str) and (match := _TENSOR.fullmatch(value)):
            shape = tuple(int(size) for size in match[2].split(",") if size)
            name = self._type(match[1])
            return Dense(name, filling(name, shape, place), match[1] != "any")
        if isinstance(value, dict):
            return self._table(value)
        if isinstance(value, list):
            # A list of sizes or axes becomes a tuple. A list of tensors or of data stays a list.
            sequence = tuple if kind in ("axes", "sizes", "shape", "layout") else list
            return Plain(sequence(self(item, kind, place + i) for i, item in enumerate(value)))
        return Plain(value)

    def _type(self, word: str) -> str:
        if word == "result":
            found = result_type(self.operator, self.any_type)
            if found is None:
                raise ValueError(f"arguments: {self.operator.name}: the type of the result does not follow from x")
            return found
        return self.any_type if word == "any" else word

    def _table(self, table: Mapping[str, Any]) -> Argument:
        if "destroyed" in table:
            return Destroyed(self(table["destroyed"]))
        if "nothing" in table:
            return Plain(None)
        if "complex" in table:
            return Plain(complex(*table["complex"]))
        if "expanded" in table:
            return Expanded(self._type(table["type"]), tuple(table["expanded"]))
        if "sparse" in table:
            return Made("sparse_tensor", (tuple(table["sparse"]), table["indices"], table["values"]))
        if "quantized" in table:
            return Made("quantized_tensor", (tuple(table["quantized"]), table["data"]), {"scale": table["scale"]})
        name = self._type(table["type"])
        if "values" not in table:
            return Type(name)
        # NumPy would convert a list of large and small 64-bit integers to floats.
        exact = object if name in ELEMENT_TYPES and ELEMENT_TYPES[name].kind in "US" else None
        return Dense(name, as_type(np.array(table["values"], exact), name), table["type"] != "any")


def filling(name: str, shape: tuple[int, ...], place: int = 0) -> Array:
    """Return fixed elements that look arbitrary: from 1/16 to 13/16 for floating types, or integers from 1 to 13.
    Different values of `place` mean different elements.
    """
    numbers = (7 * np.arange(prod(shape)) + 5 * place + 3) % 13 + 1
    if name in ELEMENT_TYPES and ELEMENT_TYPES[name].kind in "FC":
        return as_type((numbers / 16 + (1j * numbers[::-1] / 16 if name.startswith("complex") else 0)), name, shape)
    return as_type(numbers % 2 == 1 if name == "bool" else numbers, name, shape)


def as_type(values: Array, name: str, shape: tuple[int, ...] | None = None) -> Array:
    """Convert numbers to elements of a type. For the type string, an element is the decimal form of a number."""
    shaped = values.reshape(values.shape if shape is None else shape)
    if name == "string":
        return np.array([str(x) for x in shaped.flat], "U8").reshape(shaped.shape)
    return typed(shaped, ELEMENT_TYPES[name])


def _within(argument: Argument) -> Iterator[Argument]:
    yield argument
    if isinstance(argument, Destroyed):
        yield from _within(argument.of)
    elif isinstance(argument, Plain) and isinstance(argument.value, list | tuple):
        for item in argument.value:
            yield from _within(item)


def _types(argument: Argument) -> Iterator[str]:
    if isinstance(argument, Plain | Made | Destroyed | DefaultDevice):
        return
    yield argument.name if isinstance(argument, Type) else argument.type


def _needs(argument: Argument) -> Iterator[str]:
    if isinstance(argument, Expanded):
        yield "expand"
    elif isinstance(argument, Made):
        yield argument.operator
    elif isinstance(argument, Destroyed):
        yield "destroy"
