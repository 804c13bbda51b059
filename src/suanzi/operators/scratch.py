"""How much memory an operator takes beside its result: the words in which declarations say it, and what they amount to.

Every operator may take `EACH_THREAD` bytes of tiles for each thread. Whoever needs more declares it to `operator` as
an expression of its parameters, which its docstring repeats and tests/test_scratch.py measures.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from typing import Any

from suanzi._core import Tensor

EACH_THREAD = 512 * 1024

WORDS = {
    "wide": "``wide(x)``: the bytes of x in the type computed in, which has 4 an element or more.",
    "copy": "``copy(x)``: as much where x is not contiguous or of another type, else 0.",
    "floats": "``floats(x)``: the bytes of x as what it is computed in: 8 an element of integers, else 4 or more.",
    "recast": "``recast(x)``: as much where x is not contiguous or of another type, else 0.",
    "together": "``together(x, y)``: the elements of the common shape.",
}


def describe(expression: str) -> list[str]:
    """The lines of a docstring's Memory section."""
    words = [text for word, text in WORDS.items() if re.search(rf"\b{word}\b", expression)]
    return [f"Beside the result at most ``{expression}`` bytes, and 512 KiB for each thread.", *words]


def bound(expression: str, parameters: Mapping[str, Any], threads: int) -> int:
    """The bytes that a declaration amounts to for a call, tiles included.

    `parameters` are those that the expression names: tensors, lists of them, numbers, None for what was left out, and
    `result`.
    """
    widest = max((x.dtype.itemsize for value in parameters.values() for x in _tensors(value)), default=4)

    def wide(value: Any) -> int:
        return sum(x.size * max(4, widest) for x in _tensors(value))

    def copy(value: Any) -> int:
        return sum(wide(x) for x in _tensors(value) if not x.is_contiguous() or x.dtype.itemsize < max(4, widest))

    floating = max(
        (8 if x.dtype.kind in "bui" else 4 for value in parameters.values() for x in _tensors(value)), default=4
    )

    def floats(value: Any) -> int:
        return sum(x.size * max(floating, widest) for x in _tensors(value))

    def recast(value: Any) -> int:
        return sum(
            floats(x)
            for x in _tensors(value)
            if not x.is_contiguous() or x.dtype.itemsize < max(floating, widest) or x.dtype.kind in "bui"
        )

    def together(x: Tensor, y: Tensor) -> int:
        return math.prod(max(pair) for pair in zip(_aligned(x, y), _aligned(y, x), strict=True))

    words = {
        "wide": wide,
        "copy": copy,
        "floats": floats,
        "recast": recast,
        "together": together,
        "max": max,
        "threads": threads,
    }
    extra: int = eval(expression or "0", {"__builtins__": {}}, {**words, **parameters})
    return extra + EACH_THREAD * threads


def _tensors(value: Any) -> Iterable[Tensor]:
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, tuple | list):
        for x in value:
            yield from _tensors(x)


def _aligned(x: Tensor, y: Tensor) -> tuple[int, ...]:
    return (1,) * (y.ndim - x.ndim) + x.shape
