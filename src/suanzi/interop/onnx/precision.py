"""Wider types for compositions. A composition computes in a wider type and rounds only the final result.

A composition consists of several operators that each round their result. In a narrow type, intermediate results may
overflow, underflow or lose most of their digits although the final result fits the type. A row of the table names the
types of operands to widen. The functions of compositions need not know about the wider types.
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
"""The types of operands that are too narrow to compute in, and for each of these types the wider type of the
computation.
"""

AS_GIVEN: Widths = MappingProxyType({})
"""No wider types: for a single operator of Suanzi, which rounds once, or a function that moves, makes or compares
elements.
"""

HALVES: Widths = MappingProxyType(dict.fromkeys((suanzi.float16, suanzi.bfloat16), suanzi.float32))
"""The wider types of a composition in which integers wrap as in a single operator, or in which no integers occur."""

SUMS: Widths = MappingProxyType({suanzi.float16: suanzi.float32, suanzi.bfloat16: suanzi.float64})
"""The wider types of sums. A partial sum may leave the range that bfloat16 shares with float32 although the sum is
within the range.
"""

_INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
REALS: Widths = MappingProxyType({**HALVES, **{getattr(suanzi, name): suanzi.float64 for name in _INTEGERS}})
"""The wider types of a function that has fractional values for integer operands. The final results are truncated to
integers.
"""


@dataclass(frozen=True, slots=True)
class Widened:
    """A function that receives its operands in a wider type and returns results in the types of the schema."""

    function: Callable[..., Any]
    widths: Widths
    results: tuple[AnyType | None, ...]  # None for the type that the function returns
    gives_several: bool

    def __call__(self, *operands: Any) -> Any:
        found = self.function(*[self._wide(x) for x in operands])
        if not self.gives_several:
            return _as(found, self.results[0])
        # The caller refuses requests for more results than the function has. Results that are not requested are
        # dropped.
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
    """Return a function that widens operands of given types, and then calls `function`. Return `function` itself if no
    operand needs a wider type.
    """
    given = {dtype for dtype in operands if dtype is not None}
    real = [dtype for dtype in given if isinstance(dtype, DType) and dtype.kind_name == "real floating"]
    floats = {widths.get(dtype, dtype) for dtype in real}
    # All floating operands are converted to the widest type, so that the function does not round results to the type of
    # the narrower operands.
    if len(floats) > 1 and widths:
        widest = max(floats, key=lambda dtype: dtype.itemsize)
        widths = {**widths, **dict.fromkeys(floats, widest), **dict.fromkeys(HALVES, widest)}
    elif widths.keys().isdisjoint(given):
        return function
    return Widened(function, dict(widths), tuple(results), gives_several)  # a dictionary can be pickled


def _as(x: Any, dtype: AnyType | None) -> Any:
    return x if not isinstance(dtype, DType) or x is None else suanzi.astype(x, dtype, copy=False)
