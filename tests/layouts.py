"""Functions that make tensors with the same elements in different memory layouts, and functions that check results.

Suanzi's own slicing and permuting make the views, and the oracle checks the elements of the views.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import suanzi
from suanzi import Tensor, _core
from suanzi.conformance.oracle.compare import Expected
from suanzi.conformance.oracle.element_types import Array


def _contiguous(a: Array) -> Tensor:
    return suanzi.tensor(a)


def _strided(a: Array) -> Tensor:
    """Return a view with the elements of an array.

    The view is part of a larger tensor, with gaps between the elements.
    """
    if a.ndim == 1:
        return suanzi.tensor(np.stack([a, a[::-1]], axis=1))[:, 0]
    wide = np.repeat(np.repeat(a, 2, axis=-1), 3, axis=0)
    wide[..., 1::2] = wide[::-1, ..., ::2]
    return suanzi.tensor(wide)[::3, ..., ::2]


def _transposed(a: Array) -> Tensor:
    axes = tuple(reversed(range(a.ndim)))
    return _core.transpose(suanzi.tensor(np.ascontiguousarray(a.transpose())), axes)


def _negative(a: Array) -> Tensor:
    backwards = (slice(None, None, -1),) * a.ndim
    return suanzi.tensor(np.ascontiguousarray(a[backwards]))[backwards]


def _broadcast(a: Array) -> Tensor:
    """Return the first row of an array, expanded to the array's shape. All rows of the array must be equal."""
    return _core.expand(suanzi.tensor(a[:1]), a.shape)


LAYOUTS: dict[str, Callable[[Array], Tensor]] = {
    "contiguous": _contiguous,
    "strided": _strided,
    "transposed": _transposed,
    "negative": _negative,
    "broadcast": _broadcast,
}


def check(result: object, expected: Expected, operands: list[Array], what: str) -> None:
    """Fail unless a result is a tensor that equals the oracle's expected result for the operands."""
    assert isinstance(result, Tensor), f"{what}: {type(result).__name__} is not a Tensor"
    fault = expected.fault(result.numpy(), operands)
    assert fault is None, f"{what}: {fault}"


def bits(x: Tensor) -> bytes:
    """Return the bytes of all elements in order, for comparisons of every bit."""
    return x.numpy().tobytes()
