"""NumPy's differences, integrals and products of neighbouring elements on tensors: `gradient`, `trapezoid`, `convolve`.

Each function computes in float64 or complex128, or in int64 or uint64 for integers, and rounds once. The module
`functions` contains the table of NumPy's functions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import suanzi
from suanzi import Tensor, _core, array_api, extras
from suanzi.interop.numpy.arguments import written
from suanzi.interop.numpy.elements import as_operands, beside, floating_type, rounded
from suanzi.operators.composition import widest
from suanzi.tensor.dtypes import DType, bool_
from suanzi.tensor.exchange import as_tensor
from suanzi.tensor.messages import shown
from suanzi.tensor.status import DimensionsMismatchError, InvalidArgumentError, TypeMismatchError


def _within(rank: int, axis: int, *part: int | None) -> tuple[slice, ...]:
    """Return an index that selects a slice of one axis, and everything along the other axes."""
    return (*(slice(None),) * axis, slice(*part), *(slice(None),) * (rank - axis - 1))


def _along(x: Tensor, axis: int, rank: int) -> Tensor:
    """Reshape a vector to a tensor of a given rank that has the vector's elements along `axis` and size 1 along other
    axes.
    """
    return suanzi.reshape(x, (*(1,) * axis, x.size, *(1,) * (rank - axis - 1)))


# --- differences ---


def ptp(x: Tensor, axis: Any = None, out: Any = None, keepdims: bool = False) -> Any:
    """Return the greatest element minus the least element. Integers keep their type, as in NumPy, and may wrap."""

    def compute() -> Tensor:
        return suanzi.subtract(suanzi.max(x, axis, keepdims), suanzi.min(x, axis, keepdims))

    return written("numpy.ptp", lambda **_: compute(), out, fits=False)


def ediff1d(x: Any, to_end: Any = None, to_begin: Any = None) -> Tensor:
    """Return differences of neighbouring elements of the flattened tensor, between the elements `to_begin` and
    `to_end`.
    """
    name = "numpy.ediff1d"
    flat = suanzi.flatten(as_tensor(x, None, name))
    ends = [None if end is None else suanzi.flatten(as_tensor(end, None, name)) for end in (to_begin, to_end)]
    for end in ends:
        if end is not None and not np.can_cast(end.dtype.numpy, flat.dtype.numpy, "same_kind"):
            raise TypeMismatchError(f"{name}: {end.dtype} cannot become {flat.dtype}, the type of the differences")
    if flat.dtype is bool_:
        raise TypeMismatchError(f"{name}: element type bool has no differences; NumPy refuses it, too")
    before, after = (None if end is None else rounded(end, flat.dtype) for end in ends)
    parts = [part for part in (before, extras.diff(flat), after) if part is not None]
    return suanzi.concat(parts, 0)


def gradient(f: Any, *spacing: Any, axis: Any = None, edge_order: int = 1) -> Any:
    """Return the slopes of `f` along each axis: central differences of second order, and differences of order
    `edge_order` at the edges.
    """
    name = "numpy.gradient"
    (x,) = as_operands(name, f, kinds="uifc")
    axes = tuple(range(x.ndim)) if axis is None else _core.read_axes(name, axis, x.ndim)
    if edge_order not in (1, 2):
        raise InvalidArgumentError(f"{name}: edge_order = {shown(edge_order)} is neither 1 nor 2")
    steps = list(spacing) if len(spacing) > 1 else list(spacing or (1.0,)) * len(axes)
    if len(steps) != len(axes):
        raise TypeMismatchError(f"{name}: {len(steps)} distances do not fit {len(axes)} axes")
    dtype = floating_type(x) if x.dtype.kind in "fc" else suanzi.float64
    found = []
    for along, step in zip(axes, steps, strict=True):
        if x.shape[along] < edge_order + 1:
            raise InvalidArgumentError(
                f"{name}: shape {x.shape} has fewer than {edge_order + 1} elements along axis {along}"
            )
        found.append(rounded(_slope(widest(x), _distances(name, step, x, along), along, edge_order), dtype))
    if not axes:
        return ()
    return found[0] if len(found) == 1 else tuple(found)


def _distances(name: str, step: Any, x: Tensor, axis: int) -> Tensor:
    """Return the distances between neighbouring elements of `x` along an axis, or one distance for all elements. `step`
    is one distance, or contains the elements' coordinates.
    """
    given = widest(beside([x], as_tensor(step, suanzi.float64 if isinstance(step, int | float) else None, name)))
    count = x.shape[axis]
    if given.ndim == 0:
        return _along(suanzi.reshape(given, 1), axis, x.ndim)
    if given.shape != (count,):
        raise DimensionsMismatchError(
            f"{name}: coordinates of shape {given.shape} do not fit {count} elements of axis {axis}"
        )
    return _along(extras.diff(given), axis, x.ndim)


def _slope(x: Tensor, steps: Tensor, axis: int, edge_order: int) -> Tensor:
    def at(values: Tensor, *part: int | None) -> Tensor:
        return values[_within(x.ndim, axis, *part)]

    def slopes(*part: int | None) -> Tensor:  # between neighbours
        return (at(at(x, 1, None), *part) - at(at(x, None, -1), *part)) / distances(*part)

    def distances(*part: int | None) -> Tensor:
        return steps if steps.size == 1 else at(steps, *part)

    before, after = distances(None, -1), distances(1, None)
    if bool(suanzi.all(before == after)):  # one division, as in NumPy
        inner = (at(x, 2, None) - at(x, None, -2)) / (2 * before)
    else:
        # The slope at an element is the weighted mean of the slopes before and after the element. The distance after
        # the element is the weight of the slope before the element, and vice versa.
        inner = (slopes(None, -1) * after + slopes(1, None) * before) / (before + after)
    first, last = slopes(0, 1), slopes(-1, None)
    if edge_order == 2:  # the parabola through the three elements at an edge
        head, tail = distances(0, 1), distances(-1, None)
        first = first - (slopes(1, 2) - first) * head / (head + distances(1, 2))
        last = last + (last - slopes(-2, -1)) * tail / (distances(-2, -1) + tail)
    return suanzi.concat([first, inner, last], axis)


# --- integrals ---


def trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1) -> Tensor:
    """Integrate `y` along an axis by the trapezoidal rule. The elements have the coordinates `x`. If `x` is None,
    neighbouring elements have the distance `dx`.
    """
    name = "numpy.trapezoid"
    (y,) = as_operands(name, y, kinds="buifc")
    along = _core.read_axis(name, axis, y.ndim)
    wide = widest(y)
    given = []
    if x is None:
        steps = beside([y], as_tensor(dx, suanzi.float64 if isinstance(dx, int | float) else None, name))
        given = [steps] if isinstance(dx, Tensor | np.ndarray) else []
        steps = widest(steps)
    else:
        (points,) = as_operands(name, x if isinstance(x, Tensor) else as_tensor(x, None, name), kinds="buifc")
        given = [points]
        steps = extras.diff(widest(points), axis=0 if points.ndim == 1 else along)
        steps = _along(steps, along, y.ndim) if points.ndim == 1 else steps
    after, before = wide[_within(y.ndim, along, 1, None)], wide[_within(y.ndim, along, None, -1)]
    sums = after + before
    pairs = sums / 2
    if bool(suanzi.any(suanzi.isinf(sums))):  # the sum of the halves may be finite
        pairs = suanzi.where(suanzi.isinf(sums), after / 2 + before / 2, pairs)
    floats = [v.dtype for v in (y, *given) if v.dtype.kind in "fc"]
    dtype = suanzi.float64 if y.dtype.is_integer or not floats else array_api.result_type(*floats)
    return rounded(suanzi.sum(steps * pairs, along), dtype)


# --- products of neighbours ---

_MODES = ("full", "same", "valid")
_TOGETHER = 1 << 20  # the greatest number of products in memory at once


def convolve(a: Any, v: Any, mode: str = "full") -> Tensor:
    """Return sums of products of a vector with another vector that is reversed and moved along the first vector."""
    name = "numpy.convolve"
    long, short, dtype = _vectors(name, a, v)
    if short.size > long.size:
        long, short = short, long
    return _slid(name, long, suanzi.flip(short), dtype, mode)


def correlate(a: Any, v: Any, mode: str = "valid") -> Tensor:
    """Return sums of products of a vector with the conjugate of another vector that is moved along the first vector."""
    name = "numpy.correlate"
    long, short, dtype = _vectors(name, a, v)
    if short.size <= long.size:
        return _slid(name, long, suanzi.conj(short) if short.dtype.kind == "c" else short, dtype, mode)
    found = _slid(name, suanzi.conj(short) if short.dtype.kind == "c" else short, long, dtype, mode)
    return suanzi.flip(found)


def _vectors(name: str, *operands: Any) -> tuple[Tensor, Tensor, DType]:
    """Return two vectors in the type in which products are summed, and the type of the result."""
    first, second = as_operands(name, *operands, kinds="buifc")
    for x in (first, second):
        if x.ndim > 1:
            raise DimensionsMismatchError(f"{name}: shape {x.shape} has more than one dimension")
        if x.size == 0:
            raise InvalidArgumentError(f"{name}: shape {x.shape} has no elements")
    dtype = array_api.result_type(first.dtype, second.dtype)
    wide = {"c": suanzi.complex128, "f": suanzi.float64, "u": suanzi.uint64}.get(dtype.kind, suanzi.int64)
    a, b = (suanzi.astype(suanzi.reshape(x, -1), wide, copy=False) for x in (first, second))
    return a, b, dtype


def _slid(name: str, long: Tensor, short: Tensor, dtype: DType, mode: Any) -> Tensor:
    """Return the sum of products of `short` and each equally long part of `long`. Products with elements beyond the
    ends of `long` are 0.
    """
    chosen = _MODES[_core.read_choice(name, "mode", mode, _MODES)]
    width = short.size
    before, after = {"full": (width - 1, width - 1), "same": (width // 2, width - 1 - width // 2)}.get(chosen, (0, 0))
    padded = suanzi.pad(long, (before, after)) if before or after else long
    count = padded.size - width + 1
    # The products of infinity or NaN with the zeros of the padding are NaN.
    masked = padded is not long and short.dtype.kind in "fc" and not bool(suanzi.all(suanzi.isfinite(short)))
    if short.dtype.kind == "f" and not masked:  # up to 30 times as fast as the sums below
        found = suanzi.nn.conv(suanzi.reshape(padded, (1, 1, -1)), suanzi.reshape(short, (1, 1, -1)))
        return suanzi.astype(suanzi.reshape(found, -1), dtype, copy=False)
    block = max(_TOGETHER // width, 1)
    columns = suanzi.arange(width, dtype=suanzi.int64, device=long.device)
    parts = []
    for begin in range(0, count, block):
        rows = suanzi.arange(begin, min(begin + block, count), dtype=suanzi.int64, device=long.device)
        places = suanzi.expand_dims(rows, 1) + suanzi.expand_dims(columns, 0)
        products = suanzi.take(padded, places, 0) * short
        if masked:
            inside = suanzi.logical_and(places >= before, places < before + long.size)
            products = suanzi.where(inside, products, 0)
        parts.append(suanzi.sum(products, -1))
    found = parts[0] if len(parts) == 1 else suanzi.concat(parts, 0)
    return found != 0 if dtype is bool_ else suanzi.astype(found, dtype, copy=False)


# --- inner products ---


def inner(a: Any, b: Any) -> Tensor:
    """Return sums of products along the last axes of both operands."""
    name = "numpy.inner"
    x, y = as_operands(name, a, b, kinds="buifc")
    if not x.ndim or not y.ndim:
        return suanzi.multiply(x, y)
    if x.shape[-1] != y.shape[-1]:
        raise DimensionsMismatchError(f"{name}: shapes {x.shape} and {y.shape} differ along the last axis")
    return _products(x, y, lambda p, q: suanzi.tensordot(p, q, axes=([-1], [-1])))


def vdot(a: Any, b: Any) -> Tensor:
    """Return the sum of the products of the conjugated elements of `a` and the elements of `b`."""
    name = "numpy.vdot"
    x, y = (suanzi.reshape(v, -1) for v in as_operands(name, a, b, kinds="buifc"))
    if x.size != y.size:
        raise DimensionsMismatchError(f"{name}: the tensors have {x.size} and {y.size} elements, not equally many")
    return _products(suanzi.conj(x) if x.dtype.kind == "c" else x, y, suanzi.dot)


def _products(x: Tensor, y: Tensor, product: Callable[[Tensor, Tensor], Tensor]) -> Tensor:
    """Return the result of `product`, a function that sums products. For bools, the result is True if at least one
    product is True.
    """
    dtype = array_api.result_type(x.dtype, y.dtype)
    if dtype is bool_:
        return product(suanzi.astype(x, suanzi.float64), suanzi.astype(y, suanzi.float64)) != 0
    return product(x, y)


ROWS: dict[str, tuple[Callable[..., Any], str]] = {
    "ptp": (ptp, "a/ axis out keepdims"),
    "ediff1d": (ediff1d, "ary/ to_end to_begin"),
    "gradient": (gradient, "* axis edge_order"),
    "trapezoid": (trapezoid, "y/ x dx axis"),
    "trapz": (trapezoid, "y/ x dx axis"),  # the function's name before NumPy 2
    "convolve": (convolve, "a/ v/ mode"),
    "correlate": (correlate, "a/ v/ mode"),
    "inner": (inner, "a/ b/"),
    "vdot": (vdot, "a/ b/"),
}
