"""Models of operators that read or write elements by index or mask."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..compare import Expected, exactly
from ..element_types import Array, type_of
from .model import Elements, Model, Shape

_RANKS: tuple[Shape, ...] = ((7,), (2, 3, 4, 5), (2, 3, 1, 2, 4), (2, 1, 3, 1, 2, 2))
_LONG: tuple[Shape, ...] = ((131_075,), (1225, 107), (25, 107, 49))
_INDEX_TYPES = ("int64", "int32", "uint64", "int16", "uint8", "uint32", "int8", "uint16")


def _index(*sizes: int, name: str = "int64") -> Callable[[Elements, Shape], tuple[Any, ...]]:
    """Return a function that makes a tensor, and indices valid for every axis. Long tensors have many indices."""

    def operands(elements: Elements, shape: Shape) -> tuple[Any, ...]:
        least = min(shape, default=1)
        index = elements.index(
            least, sizes if max(shape, default=0) < 1000 else (*sizes[:-1], 9000 // max(shape[1:], default=9))
        )
        return elements.any(shape), (index % max(least, 1) if name.startswith("u") else index).astype(name)

    return operands


def _one_place(elements: Elements, shape: Shape) -> tuple[Any, ...]:
    """Return a vector and an index without dimensions, so that the result has no dimensions."""
    return elements.any(shape), np.asarray(elements.index(shape[0], ()), np.int64)


def _take(x: Array, index: Array, axis: int | None = 0) -> Array:
    return np.take(np.ascontiguousarray(x) if axis is None else x, index.astype(np.int64), axis)


def _take_flat(x: Array, index: Array, axis: int | None = None) -> Array:
    return _take(x, index, axis)


def _along(elements: Elements, shape: Shape) -> tuple[Any, ...]:
    return elements.any(shape), elements.index(min(shape, default=1), shape)


def _take_along_axis(x: Array, index: Array, axis: int = -1) -> Array:
    return np.take_along_axis(x, index, axis)


def _tuples(depth: int, batch: int = 0) -> Callable[[Elements, Shape], tuple[Any, ...]]:
    def operands(elements: Elements, shape: Shape) -> tuple[Any, ...]:
        count = 6 if max(shape) < 1000 else 1000
        outer = (*shape[:batch], count)
        parts = [elements.index(n, outer, place) for place, n in enumerate(shape[batch : batch + depth])]
        return elements.any(shape), np.stack(parts, -1)

    return operands


def _gather_nd(x: Array, index: Array, batch_dims: int = 0) -> Array:
    batches = np.indices(index.shape[:-1])[:batch_dims]
    found: Array = x[(*batches, *np.moveaxis(index, -1, 0))]
    return found


def _mask(elements: Elements, shape: Shape) -> tuple[Any, ...]:
    return elements.any(shape), elements.truth(shape, 1)


def _mask_and(value: Any) -> Callable[[Elements, Shape], tuple[Any, ...]]:
    return lambda elements, shape: (*_mask(elements, shape), value)


def _masked_fill(x: Array, mask: Array, value: Any) -> Array:
    found = x.copy()
    found[np.broadcast_to(mask, x.shape)] = value
    return found


# Scattering.


def _updated(elements: Elements, mode: str) -> Callable[..., Array]:
    """Return a function that makes elements for a mode of `scatter`. Several updates with these elements need no
    rounding, but integers may overflow. If the test requests special values, sums and products contain NaN and
    infinity.
    """
    if mode == "mul":
        return _with_strange(elements, elements.factors)
    return _with_strange(elements, elements.small) if mode == "add" and elements.type.kind in "FC" else elements.any


def _with_strange(elements: Elements, make: Callable[..., Array]) -> Callable[..., Array]:
    """Return `make`, or a function that replaces some elements by NaN and infinity if the test requests special values
    of a floating type. No order of the updates changes the sums and products of these elements.
    """
    if not elements.special or elements.type.kind != "F":
        return make

    def strange(shape: Shape, place: int = 0) -> Array:
        found = np.array(make(shape, place))
        found.reshape(-1)[3::7], found.reshape(-1)[5::7] = np.nan, np.inf
        return found

    return strange


def _scattered(mode: str) -> Callable[[Elements, Shape], tuple[Any, ...]]:
    """Return a function that makes a tensor, an index and updates. Without a mode, the index contains each place once.
    With a mode, the index contains some places several times.
    """

    def operands(elements: Elements, shape: Shape) -> tuple[Any, ...]:
        if mode:
            make = _updated(elements, mode)
            # The index is valid for every axis. Special values are along the last axis.
            places = shape[-1] if elements.special else min(shape, default=1)
            return make(shape), elements.index(places, shape, 3), make(shape, 2)
        least = min(shape, default=1)
        order = np.random.default_rng(least).permutation(least) - least * (np.arange(least) % 2)
        inner = tuple(least for _ in shape)
        return elements.any(shape), np.broadcast_to(_along_all(order, len(shape)), inner).copy(), elements.any(inner, 1)

    return operands


def _along_all(order: Array, rank: int) -> Array:
    """Return an array of indices in which each line along any axis is a permutation of `order`."""
    total = sum(np.indices((len(order),) * rank)) if rank else np.zeros((), int)
    return np.asarray(order[total % len(order)] if len(order) else np.zeros((0,) * rank, np.int64))


def _places(index: Array, axis: int) -> tuple[Array, ...]:
    grid: list[Array] = [*np.indices(index.shape)]
    grid[axis] = index
    return tuple(grid)


def _put(x: Array, places: tuple[Array, ...], updates: Any, mode: str) -> Expected:
    """Return the expected tensor after all updates, one after the other. The updates need no rounding, and integers
    wrap around.
    """
    t = type_of(x)
    updates = np.broadcast_to(np.asarray(updates, x.dtype), places[0].shape)
    if mode == "update":
        found = x.copy()
        found[places] = updates
        return exactly(found)
    if t.kind == "B":
        combine: Any = np.logical_or if mode in ("add", "max") else np.logical_and
        found = x.copy()
    else:
        combine = {"add": np.add, "mul": np.multiply, "min": np.minimum, "max": np.maximum}[mode]
        found = x.astype(np.float64) if t.kind == "F" else x.copy()
    with np.errstate(all="ignore"):
        combine.at(found, places, updates if t.kind != "F" else updates.astype(np.float64))
        expected = exactly(found.astype(x.dtype))
    # IEEE 754 does not order -0 and +0.
    return replace(expected, signed_zero=False, array=None) if mode in ("min", "max") else expected


def _scatter(x: Array, index: Array, updates: Any, axis: int = 0, mode: str = "update") -> Expected:
    return _put(x, _places(index, axis), updates, mode)


def _scattered_tuples(mode: str) -> Callable[[Elements, Shape], tuple[Any, ...]]:
    def operands(elements: Elements, shape: Shape) -> tuple[Any, ...]:
        rows = shape[0]
        rng = np.random.default_rng(rows)
        chosen = rng.integers(-rows, rows, rows + 3) if mode and rows else rng.permutation(rows)
        make = _updated(elements, mode)
        return make(shape), chosen[:, None], make((len(chosen), *shape[1:]), 1)

    return operands


def _scatter_nd(x: Array, index: Array, updates: Any, mode: str = "update") -> Expected:
    inner = np.indices((*index.shape[:-1], *x.shape[index.shape[-1] :]))
    depth, outer = index.shape[-1], index.ndim - 1
    spread = (..., *[None] * (x.ndim - depth))
    parts = tuple(np.broadcast_to(part[spread], inner.shape[1:]) for part in np.moveaxis(index, -1, 0))
    return _put(x, (*parts, *inner[outer:]), updates, mode)


_MODES = ("add", "mul", "min", "max")


def _scatter_models() -> Sequence[Model]:
    found = []
    for name, compute, operands, axis in (
        ("scatter", _scatter, _scattered, "axis"),
        ("scatter_nd", _scatter_nd, _scattered_tuples, ""),
    ):
        common: dict[str, Any] = {"ranks": _RANKS, "empty": ((0,),), "axis": axis, "long": ((131_075,), (1225, 107))}
        found.append(
            Model(name, compute, types="BIFC", operands=operands(""), in_place=(0, 2), numbers=(2,), out=True, **common)
        )
        found += [
            Model(name, compute, types="IFC" if mode == "add" else "IF", operands=operands(mode), special="IF",
                  constant={"mode": mode}, **common)
            for mode in _MODES
        ]  # fmt: skip
    return found


MODELS = (
    *(Model(name, compute, operands=_index(2, 3), ranks=_RANKS, empty=((3, 0),), axis="axis", long=_LONG)
      for name, compute in (("gather", _take), ("take", _take_flat))),
    Model("take", _take_flat, operands=_index(7), ranks=((2, 3, 4, 5),), axis="axis", axes="one or none", empty=()),
    Model("index_select", _take, operands=_index(7), ranks=_RANKS, empty=((3, 0),), axis="axis", long=_LONG),
    *(Model(function, _take, types="F", operands=_index(5, name=name), ranks=(), empty=(), special="", axis="axis")
      for function in ("gather", "index_select") for name in _INDEX_TYPES),
    *(Model(name, _take, operands=_one_place, shape=(7,), ranks=(), empty=(), long=(), axis="axis", arranged=False)
      for name in ("gather", "take")),
    Model("take_along_axis", _take_along_axis, operands=_along, ranks=_RANKS, empty=((0,),), axis="axis", long=_LONG),
    *(Model("gather_nd", _gather_nd, operands=_tuples(depth), ranks=_RANKS[1:], empty=(), long=((25, 107, 49),))
      for depth in (1, 2, 3)),
    Model("gather_nd", _gather_nd, operands=_tuples(1, 1), constant={"batch_dims": 1}, ranks=((2, 3, 4, 5),), empty=(),
          long=((25, 107, 49),)),
    Model("gather_nd", _gather_nd, operands=_tuples(2, 1), constant={"batch_dims": 1}, ranks=((2, 3, 4, 5),), empty=(),
          long=((25, 107, 49),)),
    Model("gather_tiled", lambda x, index, tile, axis=0: _take(x, index, axis), operands=_index(6), axis="axis",
          calls=lambda shape: [{"tile": (size,) * len(shape)} for size in (2, 1, 3, 100)], by_place=("tile",),
          ranks=_RANKS, empty=(), long=_LONG),
    Model("masked_select", lambda x, mask: x[mask], operands=_mask),
    *(Model("masked_fill", _masked_fill, types=types, operands=_mask_and(value), numbers=(2,), in_place=(0,))
      for types, value in (("IFC", 3), ("F", -0.0), ("FC", np.inf), ("B", True), ("S", "算"))),
    *_scatter_models(),
)  # fmt: skip
