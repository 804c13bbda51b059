"""Probes of special cases of a few operators: grids of one to five axes, empty top-k, NaN and infinities in layers,
wide borders.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from math import prod
from typing import Any

import numpy as np

from ..inputs import Maker, sample, types
from ..oracle.compare import Expected, exactly
from ..oracle.element_types import Array, ElementType, exact
from ..probe import Probe, Scenario, Value
from ..provider import Provider, needed, only_tensor
from ..status import Status, status_in


def _meshgrid(function: str, available: frozenset[str]) -> Iterator[Probe]:
    """Test that the number of results, and the number of dimensions of each result, equal the number of tensors."""
    for t in types(available):
        for sizes in ((3,), (2, 3), (2, 1, 3), (2, 3, 1, 2), (1, 2, 3, 2, 2), (0,), (2, 0), (0, 3, 2), (1, 1)):
            vectors = tuple(sample(t, (size,)) for size in sizes)
            for indexing in ("ij", "xy"):
                grids = tuple(exactly(np.asarray(x)) for x in np.meshgrid(*vectors, indexing=indexing))
                label = f"{t.name} of sizes {sizes}, {indexing}"
                aspect = "empty" if 0 in sizes else "ranks"
                yield Value(function, label, vectors, grids, {"indexing": indexing}, aspect)


def _topk(function: str, available: frozenset[str]) -> Iterator[Probe]:
    """Test `topk` with k = 0 on tensors with and without elements, and `topk` of tensors in which an axis other than
    the given axis is empty.
    """
    for t in types(available, "IF"):
        for shape, k, axis, result in (
            ((3, 4), 0, -1, (3, 0)),
            ((0,), 0, 0, (0,)),
            ((0, 4), 2, 1, (0, 2)),
            ((2, 0, 3), 1, 2, (2, 0, 1)),
            ((3, 0), 1, 0, (1, 0)),
        ):
            found = exactly(np.zeros(result, t.numpy)), exactly(np.zeros(result, np.int64))
            label = f"{k} of {t.name} of shape {shape}, axis={axis}"
            yield Value(function, label, (np.zeros(shape, t.numpy), k, axis), found, {}, "empty")


def _small(t: ElementType, shape: tuple[int, ...], place: int = 0) -> Array:
    return np.asarray(((5 * np.arange(int(np.prod(shape))) + place) % 7 - 3).reshape(shape).astype(t.numpy))


def _linear(function: str, available: frozenset[str]) -> Iterator[Probe]:
    """Test that NaN and infinities in a row of x appear in that row only. The product of 0 and infinity is NaN."""
    for t in types(available, "F"):
        x, weight, bias = _small(t, (5, 4)), _small(t, (3, 4), 1), _small(t, (3,), 2)
        x[1, 2], x[2, 0], x[3, 3] = np.nan, np.inf, -np.inf
        weight[0, 0], weight[1, 3] = 0, 0
        yield _product(function, f"{t.name} with NaN and infinities", t, "ni,oi->no", (x, weight), bias)
        infinite = bias.copy()
        infinite[1] = np.inf
        finite = _small(t, (5, 4))
        yield _product(function, f"{t.name} with an infinite bias", t, "ni,oi->no", (finite, weight), infinite)


def _bilinear(function: str, available: frozenset[str]) -> Iterator[Probe]:
    for t in types(available, "F"):
        x, y, weight, bias = _small(t, (4, 2)), _small(t, (4, 3), 1), _small(t, (2, 2, 3), 2), _small(t, (2,), 3)
        x[1, 0], y[2, 1] = np.nan, np.nan
        yield _product(function, f"{t.name} with NaN", t, "ni,nj,oij->no", (x, y, weight), bias)


def _product(function: str, label: str, t: ElementType, terms: str, factors: tuple[Array, ...], bias: Array) -> Value:
    with np.errstate(all="ignore"):
        total = np.einsum(terms, *(exact(x) for x in factors)) + exact(bias)
    expected = Expected(t, np.asarray(total), 4.0, signed_zero=False)
    return Value(function, label, (*factors, bias), expected, {}, "boundary values")


# Shapes of tensors whose sizes `interpolate` doubles, with one, two and three spatial dimensions.
_GRIDS: tuple[tuple[int, ...], ...] = ((1, 2, 3), (2, 1, 2, 3), (1, 2, 2, 1, 3))


def _interpolate(function: str, available: frozenset[str]) -> Iterator[Probe]:
    for t in types(available, "F"):
        for shape in _GRIDS:
            sizes = tuple(2 * n for n in shape[2:])
            for aspect, x in (("ranks", _small(t, shape)), ("boundary values", sample(t, shape))):
                longer = x
                for axis in range(2, x.ndim):
                    longer = np.repeat(longer, 2, axis)
                label = f"{t.name} of shape {shape} to {sizes}"
                yield Value(function, label, (x, sizes), exactly(longer), {}, aspect)


# Widths beyond the size of an axis. The padding contains the mirrored or repeated tensor several times.
_WIDE: tuple[tuple[str, tuple[int, ...], tuple[tuple[int, int], ...]], ...] = tuple(
    (mode, shape, widths)
    for mode in ("wrap", "reflect", "symmetric")
    for shape, widths in (((2,), ((3, 0),)), ((3,), ((0, 5),)), ((3,), ((8, 7),)), ((2, 3), ((5, 1), (0, 7))))
)


def _pad(function: str, available: frozenset[str]) -> Iterator[Probe]:
    """Test widths beyond the size of an axis. Some frameworks refuse these widths, and others repeat the tensor."""
    for t in types(available, "BIFC"):
        for mode, shape, widths in _WIDE:
            x = np.arange(1, prod(shape) + 1).reshape(shape).astype(t.numpy)
            expected = exactly(np.pad(x, widths, mode))  # type: ignore[call-overload]
            play = partial(_padded_or_refused, x, widths, mode, expected)
            label = f"{t.name} of shape {shape}, {mode} by {widths}"
            yield Scenario(function, label, play, "boundary values", t.name, t.name in ("float32", "int32") or None)


def _padded_or_refused(x: Array, widths: Any, mode: str, expected: Expected, provider: Provider) -> str | None:
    pad = needed(provider, "pad")
    try:
        result = pad(provider.from_numpy(x), widths, mode)
    except Exception as error:
        if status_in(error) in _TOO_WIDE:
            return None
        raise
    return expected.fault(np.asarray(provider.to_numpy(only_tensor(result))))


_TOO_WIDE = {Status.INVALID_ARGUMENT, Status.OUT_OF_RANGE, Status.DIMENSIONS_MISMATCH}

MAKERS: dict[str, Maker] = {
    "meshgrid": _meshgrid,
    "topk": _topk,
    "linear": _linear,
    "bilinear": _bilinear,
    "interpolate": _interpolate,
    "pad": _pad,
}
