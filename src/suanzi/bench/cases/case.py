"""A case of the benchmark: an operator, its operands for a size and an element type, and the form of the call."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

SIZES = (1, 1_000, 100_000, 10_000_000)
LARGE_SIZES = SIZES[1:]
NOT_SLOWER = dict.fromkeys(LARGE_SIZES, 1.0)


class Operands(NamedTuple):
    """The operands of a call. Each library converts arrays and element types, also within lists, to its own tensors and
    types.
    """

    operands: tuple[Any, ...]
    options: Mapping[str, Any] = MappingProxyType({})


class AsIs(NamedTuple):
    """An object that every library receives unchanged, such as an array of which the operator makes a tensor."""

    value: Any


Make = Callable[[int, np.dtype[Any], np.random.Generator], Operands]
Call = Callable[[], Any]


@dataclass(frozen=True, slots=True)
class Case:
    """A case of the benchmark: one operator on operands of one kind.

    Several cases have the same operator and variant if their element types have different sizes and goals.
    """

    operator: str  # an operator of the catalogue, or an addition to an operator
    make: Make  # a function that receives the number of elements of the largest operand or of the result
    variant: str = ""  # the difference from the operator's plain case
    sizes: tuple[int, ...] = SIZES
    types: tuple[str, ...] = ("float32",)
    goals: Mapping[int, float] = field(default_factory=dict)  # bounds of the ratio to the fastest library, by size
    way: Callable[..., Any] | None = None  # a function to call in place of the operator
    # For each library, a function that returns the call on given operands. None means that all libraries call the
    # operator or `way`.
    own: Mapping[str, Callable[..., Call]] | None = None
    into: bool = False  # True to write results into an existing tensor, if the library accepts `out=`
    most: Mapping[str, int] = field(default_factory=dict)  # for each slow library, the largest size to time

    @property
    def name(self) -> str:
        return named(self.operator, self.variant)


def named(operator: str, variant: str) -> str:
    """Return the name of an operator's case in tables, such as `matmul (vector)`."""
    return f"{operator} ({variant})" if variant else operator


def each(operators: str, make: Make, **fields: Any) -> Iterator[Case]:
    """Return a case for each name in `operators`, a text of names separated by spaces."""
    return (Case(operator, make, **fields) for operator in operators.split())
