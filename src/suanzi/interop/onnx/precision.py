"""The types that compositions compute in, wider than those of their operands, and the one rounding at their end.

A composition is several operators, each of which rounds its result. In a narrow type the results between may overflow,
vanish or lose most of their digits, though the last one would not. A row of the table says which of its operands are
widened; functions of compositions need not know.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import suanzi
from suanzi import DType, Tensor
from suanzi.interop.onnx.types import AnyType

Widths = Mapping[DType, DType]
"""The types of operands that are too narrow to compute in, and the types that they are widened to."""

AS_GIVEN: Widths = MappingProxyType({})
"""A single operator of ours, which rounds once, or a function that moves, makes or compares elements."""

HALVES: Widths = MappingProxyType(dict.fromkeys((suanzi.float16, suanzi.bfloat16), suanzi.float32))
"""A composition, in which integers wrap as they do in one operator, or do not occur."""

SUMS: Widths = MappingProxyType({suanzi.float16: suanzi.float32, suanzi.bfloat16: suanzi.float64})
"""Sums of operands, which may leave and come back to the range that bfloat16 shares with float32."""

_INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
REALS: Widths = MappingProxyType({**HALVES, **{getattr(suanzi, name): suanzi.float64 for name in _INTEGERS}})
"""A function whose values are no integers even where its operands are: they are cut off at the end."""


@dataclass(frozen=True, slots=True)
class Widened:
    """A function that is given its operands in a wider type; its results have the types that the schema says."""

    function: Callable[..., Any]
    widths: Widths
    results: tuple[AnyType | None, ...]  # None for the type that the function returns
    gives_several: bool

    def __call__(self, *operands: Any) -> Any:
        found = self.function(*[self._wide(x) for x in operands])
        if not self.gives_several:
            return _as(found, self.results[0])
        # More results than the function has are the caller's to refuse, less are what the node asks for.
        return tuple([_as(y, dtype) for y, dtype in zip(found, self.results, strict=False)])

    def _wide(self, x: Any) -> Any:
        return _as(x, self.widths.get(x.dtype)) if isinstance(x, Tensor) else x


def widened(
    function: Callable[..., Any],
    widths: Widths,
    operands: Sequence[AnyType | None],
    results: Sequence[AnyType | None],
    gives_several: bool,
) -> Callable[..., Any]:
    """The function for operands of these types: itself where none of them is too narrow or narrower than others."""
    given = {dtype for dtype in operands if dtype is not None}
    real = [dtype for dtype in given if isinstance(dtype, DType) and dtype.kind_name == "real floating"]
    floats = {widths.get(dtype, dtype) for dtype in real}
    if len(floats) > 1 and widths:  # all in the widest: what is made of narrower ones alone would be rounded to them
        widest = max(floats, key=lambda dtype: dtype.itemsize)
        widths = {**widths, **dict.fromkeys(floats, widest), **dict.fromkeys(HALVES, widest)}
    elif widths.keys().isdisjoint(given):
        return function
    return Widened(function, dict(widths), tuple(results), gives_several)  # a dictionary, which can be pickled


def _as(x: Any, dtype: AnyType | None) -> Any:
    return x if not isinstance(dtype, DType) or x is None else suanzi.astype(x, dtype, copy=False)
