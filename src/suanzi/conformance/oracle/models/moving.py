"""Models of operators that move elements within one tensor."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

from ..element_types import Array
from .model import LONG_MATRIX, Model, Options, Shape

_RANKS: tuple[Shape, ...] = ((7,), (2, 3, 4, 5), (2, 3, 1, 2, 4), (2, 1, 3, 1, 2, 2))
_MATRICES: dict[str, Any] = {
    "shape": (4, 5),
    "ranks": ((1, 1), (7, 2), (2, 3, 4, 5), (2, 3, 1, 2, 4), (2, 1, 3, 1, 2, 2)),
    "empty": ((0, 3), (2, 0)),
    "long": (*LONG_MATRIX, (1225, 107)),
}


def _of_rank(least: int) -> Callable[[Shape, Options], bool]:
    return lambda shape, options: len(shape) >= least


# Shapes.


def _groupings(shape: Shape) -> Sequence[Options]:
    """Return options of `reshape`: other shapes with the same number of elements."""
    size = prod(shape)
    found: list[Any] = [(size,), (*shape[::-1], 1), (1, size), (1, *shape, 1, 1), (-1,)]
    if len(shape) > 1:
        found += [(shape[0] * shape[1], *shape[2:]), (-1, shape[-1]), (shape[0], -1, 1)]
    return [{"shape": shape} for shape in found if size or -1 not in shape]


def _reshape(x: Array, shape: Any) -> Array:
    return np.ascontiguousarray(x).reshape(shape)


def _flattenings(shape: Shape) -> Sequence[Options]:
    last = len(shape) - 1
    return [{}] + [
        {"start_axis": first, "stop_axis": stop}
        for first, stop in ((0, 0), (0, last), (1, last), (1, -1), (-2, -1), (0, 1), (-last - 1, -2), (last, last))
        if last > 0
    ]


def _flatten(x: Array, start_axis: int = 0, stop_axis: int = -1) -> Array:
    if x.ndim == 0:
        return x.reshape(1)
    first, last = start_axis % x.ndim, stop_axis % x.ndim
    return np.ascontiguousarray(x).reshape(*x.shape[:first], prod(x.shape[first : last + 1]), *x.shape[last + 1 :])


def _squeezable(shape: Shape, options: Options) -> bool:
    axes = options.get("axis")
    chosen = () if axes is None else (axes,) if isinstance(axes, int) else axes
    return all(-len(shape) <= axis < len(shape) and shape[axis] == 1 for axis in chosen) and len(
        {axis % max(len(shape), 1) for axis in chosen}
    ) == len(chosen)


def _squeezes(shape: Shape) -> Sequence[Options]:
    """Return options of `squeeze`: no axis, each axis of size 1, all axes of size 1, and the same axes counted from the
    end.
    """
    units = [axis for axis, size in enumerate(shape) if size == 1]
    found: list[Any] = [tuple(units), tuple(axis - len(shape) for axis in units[::-1])] if len(units) > 1 else []
    return [{}, *({"axis": axes} for axes in (*found, *units, *(axis - len(shape) for axis in units)))]


def _expansions(shape: Shape) -> Sequence[Options]:
    """Return options of `expand`: shapes with 3 in place of sizes of 1, shapes with further dimensions in front, and
    the shape itself.
    """
    wide = tuple(3 if n == 1 else n for n in shape)
    return [{"shape": target} for target in (wide, (2, *wide), (2, 1, 3, *wide), shape)]


def _kept(shape: Shape) -> Sequence[Options]:
    """Return options of `expand`: the options of `_expansions`, and shapes in which -1 keeps a size."""
    return [*_expansions(shape), {"shape": (-1,) * len(shape)}, {"shape": (2, *(-1,) * len(shape))}]


def _expand(x: Array, shape: Any) -> Array:
    own = (0,) * (len(shape) - x.ndim) + x.shape
    return np.broadcast_to(x, [n if size == -1 else size for size, n in zip(shape, own, strict=True)])


# Orders.


def _orders(shape: Shape) -> Sequence[Options]:
    n = len(shape)
    found = [tuple(range(n))[::-1], (*range(1, n), 0), (n - 1, *range(n - 1)), tuple(range(n))]
    found += [tuple(axis - n for axis in found[1])]
    if n > 3:
        found += [(0, 2, 1, *range(3, n)), (2, 0, 3, 1, *range(4, n)), (0, *range(2, n), 1)]
    return [{"axes": order} for order in found]


def _moves(shape: Shape) -> Sequence[Options]:
    n = len(shape)
    found: list[tuple[Any, Any]] = [(a, b) for a in range(-n, n) for b in (0, n - 1, -n, n // 2)]
    if n > 2:
        found += [((0, 1), (n - 1, 0)), ((2, 0), (0, 1)), ((-1, 0), (0, -1)), ((0, 1, 2), (2, 0, 1))]
    return [{"source": a, "destination": b} for a, b in found]


def _swaps(shape: Shape) -> Sequence[Options]:
    n = len(shape)
    return [{"axis1": a, "axis2": b} for a in range(-n, n) for b in (0, n - 1, -n, n // 2)]


def _turns(shape: Shape) -> Sequence[Options]:
    n = len(shape)
    planes = [(0, 1), (1, 0), (0, n - 1), (-1, 0), (-2, -1), (n - 1, n - 2)]
    return [{"k": k, "axes": axes} for axes in planes for k in (1, 2, 3, 4, -1, 0, 7)] + [{}]


def _shifts(shape: Shape) -> Sequence[Options]:
    n = len(shape)
    found: list[Options] = [{"shift": shift} for shift in (1, -1, 3, 0, prod(shape) + 2, -prod(shape) - 5)]
    found += [{"shift": shift, "axis": axis} for axis in range(-n, n) for shift in (1, -2, 2 * max(shape) + 1)]
    if n > 1:
        found += [
            {"shift": (1, 2), "axis": (0, 1)},
            {"shift": (-1, 3), "axis": (n - 1, 0)},
            {"shift": (1, -1), "axis": (-1, -2)},
        ]
    return found


def _roll(x: Array, shift: Any, axis: Any = None) -> Array:
    return np.roll(x, shift, axis)


# Repetitions and borders.


def _tilings(shape: Shape) -> Sequence[Options]:
    n = len(shape)
    each = tuple(2 - axis % 2 for axis in range(n))
    found: list[Any] = [each, 2, (3,), (2, *[1] * n), (1,) * n, (2, 1, *each), (*[1] * max(n - 1, 0), 0)]
    return [{"repetitions": repetitions} for repetitions in found]


def _repeats(shape: Shape) -> Sequence[Options]:
    found: list[Options] = [{"repeats": 2, "axis": axis} for axis in range(-len(shape), len(shape))]
    found += [{"repeats": 3}, {"repeats": 0, "axis": 0}, {"repeats": 1, "axis": -1}]
    found += [{"repeats": [k % 3 for k in range(n)], "axis": axis} for axis, n in enumerate(shape) if n < 200]
    return found


def _repeat(x: Array, repeats: Any, axis: Any = None) -> Array:
    return np.repeat(x, repeats, axis)


def _paddings(shape: Shape) -> Sequence[Options]:
    n = len(shape)
    each = tuple((axis % 3, (axis + 1) % 2) for axis in range(n))
    widths: list[Any] = [1, each, ((2, 1),) * n, ((0, 0),) * (n - 1) + ((1, 2),), ((1, 0),) + ((0, 0),) * (n - 1)]
    modes = ("constant", "edge", "reflect", "symmetric", "wrap")
    least = min(shape, default=0)
    return [
        {"pad_width": width, "mode": mode}
        for mode in modes
        for width in widths
        if mode == "constant" or least > 2
    ]  # fmt: skip


def _pad(x: Array, pad_width: Any, mode: str = "constant", value: Any = 0) -> Array:
    further = {"constant_values": value} if mode == "constant" else {}
    pad: Any = np.pad
    return np.asarray(pad(x, pad_width, mode, **further))


def _slices(shape: Shape) -> Sequence[Options]:
    n = len(shape)
    first, last = (0,) * n, tuple(size - 1 for size in shape)
    found: list[Options] = [
        {"begin": (1,) * n, "end": shape},
        {"begin": first, "end": tuple(size + 7 for size in shape), "stride": (2,) * n},
        {"begin": first, "end": shape, "stride": tuple(3 + axis for axis in range(n))},
        {"begin": last, "end": tuple(-size - 1 for size in shape), "stride": (-1,) * n},
        {"begin": last, "end": first, "stride": (-2,) * n},
        {"begin": (-2,) * n, "end": shape},
        {"begin": (-100,) * n, "end": (100,) * n},
        {"begin": (2,) * n, "end": (1,) * n},
    ]
    found += [{"begin": (0,), "end": (2,), "stride": (1,), "axis": (axis,)} for axis in range(-n, n)]
    if n > 1:
        found += [{"begin": (1,), "end": (3,)}, {"begin": (1, 0), "end": (3, 9), "stride": (1, 3), "axis": (n - 1, 0)}]
        found += [{"begin": (0, 1), "end": (2, 100), "axis": (-1, 0)}]
    return found


def _slice(x: Array, begin: Any, end: Any, stride: Any = None, axis: Any = None) -> Array:
    axes = range(len(begin)) if axis is None else axis
    steps = (1,) * len(begin) if stride is None else stride
    index = [slice(None)] * x.ndim
    for place, first, last, step in zip(axes, begin, end, steps, strict=True):
        size = x.shape[place]
        # Indices beyond the end are cut off. Indices of -size - 1 and below are before the first element.
        stop = None if step < 0 and last < -size else last
        index[place] = slice(first, stop, step)
    return x[tuple(index)]


def _crops(shape: Shape) -> Sequence[Options]:
    inner = tuple(max(size - 1 - axis % 2, 0) for axis, size in enumerate(shape))
    offsets = tuple(size - left for size, left in zip(shape, inner, strict=True))
    return [
        {"offsets": offsets, "shape": inner},
        {"offsets": (0,) * len(shape), "shape": inner},
        {"offsets": offsets, "shape": (-1,) * len(shape)},
        {"offsets": (0,) * len(shape), "shape": shape},
        {"offsets": offsets, "shape": (0,) * len(shape)},
    ]


def _crop(x: Array, offsets: Any, shape: Any) -> Array:
    return x[tuple(slice(o, None if n == -1 else o + n) for o, n in zip(offsets, shape, strict=True))]


def _reverse(x: Array, axis: Any = None, lengths: Any = None, batch_axis: int = 0) -> Array:
    if lengths is None:
        return np.flip(x, axis)
    rows = np.moveaxis(x.copy(), (batch_axis, axis), (0, 1))
    for row, length in zip(rows, lengths, strict=True):
        row[:length] = row[:length][::-1].copy()
    return np.moveaxis(rows, (0, 1), (batch_axis, axis))


def _reversals(shape: Shape) -> Sequence[Options]:
    if len(shape) < 2:
        return [{}]
    n = len(shape)
    found: list[Options] = [{}]
    for axis, batch in ((1, 0), (0, 1), (n - 1, 0), (-1, -2), (0, n - 1)):
        lengths = [(2 * k + 1) % (shape[axis] + 1) for k in range(shape[batch])]
        found.append({"axis": axis, "lengths": lengths, "batch_axis": batch})
    return found


# Diagonals.


def _offsets(name: str) -> dict[str, tuple[int, ...]]:
    return {name: (0, 1, -1, 2, -3, 9, -9)}


def _diagonals(shape: Shape) -> Sequence[Options]:
    n = len(shape)
    pairs = [(0, 1), (1, 0), (-2, -1), (0, -1), (n - 1, 0), (-1, 0)]
    return [{"offset": k, "axis1": a, "axis2": b} for a, b in pairs for k in (0, 1, -2)]


MODELS = (
    Model("clone", lambda x: x),
    Model("contiguous", lambda x: x),
    Model("reshape", _reshape, calls=_groupings, by_place=("shape",)),
    Model("reshape", _reshape, calls=lambda shape: [{"shape": ()}, {"shape": (1,)}], by_place=("shape",), shape=(1, 1),
          ranks=((), (1,), (1, 1, 1)), empty=(), long=(), arranged=False, special=""),
    Model("flatten", _flatten, calls=_flattenings),
    Model("expand_dims", np.expand_dims, axis="axis", axes="places", by_place=("axis",)),
    Model("squeeze", lambda x, axis=None: np.squeeze(x, axis), axis="axis", axes="some or none", shape=(3, 1, 4, 1),
          ranks=((), (1,), (7,), (2, 1, 1, 5), (1, 3, 1, 2, 1), (1, 2, 1, 3, 1, 2)), long=((131_075, 1),),
          sensible=_squeezable, calls=_squeezes),
    *(Model(name, _expand, calls=calls, by_place=("shape",), shape=(3, 1, 4),
            ranks=((), (1,), (7,), (2, 1, 4, 5), (1, 3, 1, 2, 1), (1, 2, 1, 3, 1, 2)), long=((1225, 1, 107),))
      for name, calls in (("expand", _kept), ("broadcast_to", _expansions))),
    Model("transpose", lambda x, axes=None: np.transpose(x, axes), calls=lambda shape: [{}, *_orders(shape)],
          long=((1225, 107), (130, 70), (25, 107, 49))),
    Model("permute_dims", np.transpose, calls=_orders, by_place=("axes",), long=((1225, 107), (25, 107, 49))),
    Model("matrix_transpose", lambda x: np.swapaxes(x, -1, -2), **_MATRICES),
    Model("moveaxis", np.moveaxis, calls=_moves, by_place=("source", "destination"), ranks=_RANKS,
          long=((1225, 107), (25, 107, 49))),
    Model("swapaxes", np.swapaxes, calls=_swaps, by_place=("axis1", "axis2"), ranks=_RANKS,
          long=((1225, 107), (25, 107, 49))),
    Model("flip", lambda x, axis=None: np.flip(x, axis), axis="axis", axes="some or none"),
    Model("reverse", _reverse, axis="axis", axes="some or none", calls=_reversals),
    Model("roll", _roll, calls=_shifts, by_place=("shift",), axis="axis", axes="some or none", ranks=((), *_RANKS),
          sensible=lambda shape, options: options.get("axis") != () and _fit(options)),
    Model("rot90", lambda x, k=1, axes=(0, 1): np.rot90(x, k, axes), calls=_turns, ranks=_MATRICES["ranks"],
          empty=((0, 3), (2, 0, 3)), long=((1225, 107), (25, 107, 49))),
    Model("tile", np.tile, calls=_tilings, by_place=("repetitions",)),
    Model("repeat", _repeat, calls=_repeats, by_place=("repeats",), ranks=_RANKS, long=((131_075,), (1225, 107))),
    Model("pad", _pad, types="BIFC", calls=_paddings, by_place=("pad_width",), ranks=_RANKS, empty=((0,),),
          numbers=("value",)),
    Model("slice", _slice, calls=_slices, by_place=("begin", "end"), ranks=_RANKS, long=((131_075,), (25, 107, 49))),
    Model("crop", _crop, calls=_crops, by_place=("offsets", "shape"), long=((131_075,), (25, 107, 49))),
    Model("diag", lambda x, offset=0: np.diag(x, offset), types="BIFC", choices=_offsets("offset"), shape=(4, 5),
          ranks=((1,), (7,), (3, 9)), empty=((0,), (0, 3)), long=((300,), (1225, 107))),
    Model("diagonal", lambda x, offset=0, axis1=-2, axis2=-1: np.diagonal(x, offset, axis1, axis2),
          types="BIFC", calls=lambda shape: [{}, *_diagonals(shape)], choices=_offsets("offset"),
          **{**_MATRICES, "shape": (3, 4, 5)}),
    *(Model(name, getattr(np, name), types="BIFC", choices=_offsets("k"), **_MATRICES) for name in ("tril", "triu")),
)  # fmt: skip


def _fit(options: Options) -> bool:
    """Return whether each axis has its own shift. Not every library accepts one shift for several axes."""
    shift, axis = options.get("shift"), options.get("axis")
    counts = [len(x) if isinstance(x, tuple) else None for x in (shift, axis)]
    return counts[0] == counts[1]
