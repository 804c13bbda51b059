"""Reductions by NumPy's binary ufuncs: `numpy.add.reduce` and the same method of other ufuncs, and `numpy.sum`, which
equals `numpy.add.reduce`.

A value `initial` is folded as one more element, and is the result if no other element exists. The result is rounded
once.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import prod
from typing import Any, NamedTuple

import numpy as np

import suanzi
from suanzi import Tensor, TypeMismatchError, _core
from suanzi.interop.numpy import elements
from suanzi.interop.numpy.arguments import AS_ARRAY, converted, element_type, mask, number, written
from suanzi.tensor.dtypes import DType, bool_
from suanzi.tensor.exchange import as_tensor
from suanzi.tensor.status import DimensionsMismatchError, InvalidArgumentError

Function = Callable[..., Any]


class Fold(NamedTuple):
    """The functions that reduce or accumulate along an axis by a binary ufunc."""

    reduce: Function
    accumulate: Function | None
    neutral: Any  # None if the ufunc has no neutral element
    takes_dtype: bool = False  # False for a fold that keeps the type, or returns bools
    takes_out: bool = True

    @property
    def truth(self) -> bool:
        return isinstance(self.neutral, bool)


def _scanned(function: Function) -> Function:
    """Make a function that accumulates along an axis. Each step combines each element with an earlier element, at a
    distance that doubles in each step.

    The binary `function` must not round, so that elements may be combined in any groups.
    """

    def accumulate(x: Tensor, axis: int = 0, dtype: DType | None = None) -> Tensor:
        along = _core.read_axis("accumulate", axis, x.ndim)
        if dtype is not None and dtype is not x.dtype:
            x = converted("accumulate", x, dtype, "unsafe")
        rows, step = suanzi.moveaxis(x, along, 0), 1
        while step < rows.shape[0]:
            rows = suanzi.concat([rows[:step], function(rows[:-step], rows[step:])], 0)
            step *= 2
        found = suanzi.moveaxis(rows, 0, along)
        return suanzi.clone(found) if found is x else found

    return accumulate


def _paired(function: Function, neutral: Any) -> Function:
    """Make a function that reduces along axes by a binary `function`, which must not round. Each step combines the
    first half of the elements with the second half, until one element is left.
    """

    def reduce(x: Tensor, axis: Any = None, keepdims: bool = False) -> Tensor:
        rows, shape = _rows("reduce", x, axis, keepdims)
        rows = rows != 0 if isinstance(neutral, bool) else rows
        if not rows.shape[-1]:
            if neutral is None:
                raise InvalidArgumentError(f"reduce: shape {x.shape} has no elements along axis {axis}")
            found = suanzi.full(shape, max(neutral, 0), dtype=rows.dtype)
            return suanzi.bitwise_invert(found) if neutral == _ALL_BITS else found
        if rows.shape[-1] == 1 and neutral == 0 and not isinstance(neutral, bool):
            rows = function(rows, suanzi.zeros_like(rows))
        while (count := rows.shape[-1]) > 1:
            half = count // 2
            folded = function(rows[..., :half], rows[..., half : 2 * half])
            rows = suanzi.concat([folded, rows[..., 2 * half :]], -1) if count % 2 else folded
        return suanzi.reshape(rows, shape)

    return reduce


def _exact(name: str, function: Function, neutral: Any = None, kinds: str = "bui") -> Fold:
    """Return the `Fold` of a binary function that does not round. The fold refuses element types of other `kinds`."""

    def checked(fold: Function) -> Function:
        def call(x: Tensor, *arguments: Any, **options: Any) -> Tensor:
            (operand,) = elements.as_operands(name, x, kinds=kinds)
            found: Tensor = fold(operand, *arguments, **options)
            return found

        return call

    return Fold(checked(_paired(function, neutral)), checked(_scanned(function)), neutral, takes_out=False)


_ALL_BITS = -1  # the neutral element of `bitwise_and`: an integer whose bits are all 1, or True for bools

FOLDS = {
    "add": Fold(suanzi.sum, suanzi.cumulative_sum, 0, True),
    "multiply": Fold(suanzi.prod, suanzi.cumulative_prod, 1, True),
    "maximum": Fold(suanzi.max, _scanned(suanzi.maximum), None),
    "minimum": Fold(suanzi.min, _scanned(suanzi.minimum), None),
    "logical_and": Fold(suanzi.all, None, True),
    "logical_or": Fold(suanzi.any, None, False),
    "logical_xor": _exact("numpy.logical_xor", suanzi.logical_xor, False, "buifc"),
    "bitwise_and": _exact("numpy.bitwise_and", suanzi.bitwise_and, _ALL_BITS),
    "bitwise_or": _exact("numpy.bitwise_or", suanzi.bitwise_or, 0),
    "bitwise_xor": _exact("numpy.bitwise_xor", suanzi.bitwise_xor, 0),
    "gcd": _exact("numpy.gcd", elements.gcd, 0, "ui"),
    **{name: _exact(f"numpy.{name}", elements.UFUNCS[name], None, "buif") for name in ("fmax", "fmin")},
}


def of_ufunc(what: str, ufunc: np.ufunc) -> Fold:
    if ufunc.__name__ not in FOLDS:
        raise TypeMismatchError(f"{what}: suanzi has no counterpart; {AS_ARRAY}")
    return FOLDS[ufunc.__name__]


def folding(name: str, ufunc: str) -> Function:
    """Make the NumPy function `name`, which reduces by a ufunc, by default along all axes."""
    fold = FOLDS[ufunc]

    def call(
        x: Tensor,
        axis: Any = None,
        dtype: Any = None,
        out: Any = None,
        keepdims: bool = False,
        initial: Any = None,
        where: Any = True,
    ) -> Any:
        return folded(name, fold, as_tensor(x, None, name), axis, keepdims, dtype, initial, where, out)

    return call


def folded(
    name: str, fold: Fold, x: Tensor, axis: Any, keepdims: Any, dtype: Any, initial: Any, where: Any, target: Any
) -> Any:
    """Reduce `initial` and the elements that the mask `where` selects, along axes, and write the result into `target`
    if given.
    """
    wanted = None if dtype is None else element_type(name, dtype)
    if fold.truth and wanted not in (None, bool_):
        raise TypeMismatchError(f"{name}: dtype = {wanted} is not the type of a truth value")
    if x.ndim == 0 and isinstance(axis, int) and axis in (0, -1):  # NumPy accepts the axes 0 and -1 for a number
        axis = None
    options = {"dtype": wanted} if fold.takes_dtype and wanted is not None else {}
    if wanted is not None and not options:
        x = x != 0 if fold.truth else converted(name, x, wanted, "unsafe")
    if where is not None and where is not True:
        x = _chosen(name, fold, x, mask(name, where), initial)
    keepdims = bool(keepdims)
    if initial is None:
        return written(name, partial(fold.reduce, x, axis, keepdims, **options), target, fold.takes_out)
    rows, shape = _rows(name, x, axis, keepdims)
    with_initial = suanzi.concat(_of_one_type(name, fold, rows, wanted, initial), -1)
    return written(name, lambda: suanzi.reshape(fold.reduce(with_initial, -1, **options), shape), target, fits=False)


def _chosen(name: str, fold: Fold, x: Tensor, chosen: Tensor, initial: Any) -> Tensor:
    """Return `x` with the neutral element in place of elements that the mask `chosen` excludes. For a fold without a
    neutral element, `initial` replaces the excluded elements.
    """
    if chosen.ndim > x.ndim:
        raise DimensionsMismatchError(f"{name}: where= of shape {chosen.shape} does not broadcast to {x.shape}")
    other = fold.neutral
    if other == _ALL_BITS and not fold.takes_dtype:
        other = suanzi.bitwise_invert(suanzi.zeros((), dtype=x.dtype))
    elif not fold.takes_dtype and not fold.truth and other is not None:
        other = number(name, other, x.dtype)
    if other is None:
        if initial is None:
            raise InvalidArgumentError(f"{name}: where= needs initial=")
        other = number(name, _plain(initial), x.dtype)
    return suanzi.where(chosen, x != 0 if fold.truth else x, other)


def _rows(name: str, x: Tensor, axis: Any, keepdims: bool) -> tuple[Tensor, tuple[int, ...]]:
    """Return `x` with the reduced axes merged into one last axis, and the shape of the reduction's result."""
    axes = tuple(range(x.ndim)) if axis is None else _core.read_axes(name, axis, x.ndim)
    kept = tuple(i for i in range(x.ndim) if i not in axes)
    sizes = tuple(x.shape[i] for i in kept)
    rows = suanzi.reshape(suanzi.permute_dims(x, (*kept, *axes)), (*sizes, prod(x.shape[i] for i in axes)))
    return rows, tuple(1 if i in axes else n for i, n in enumerate(x.shape)) if keepdims else sizes


def _of_one_type(name: str, fold: Fold, rows: Tensor, wanted: DType | None, initial: Any) -> tuple[Tensor, Tensor]:
    """Return `initial` in the result's type, as a column to join to `rows`, and `rows` in a matching type."""
    dtype = wanted or fold.reduce(suanzi.zeros(1, dtype=rows.dtype)).dtype
    if fold.truth:
        rows = rows != 0
    elif dtype.is_integer or dtype is bool_:
        rows = converted(name, rows, dtype, "unsafe")
    elif rows.dtype.is_integer or rows.dtype is bool_:
        rows = suanzi.astype(rows, suanzi.float64)
    first = number(name, _plain(initial), dtype)  # fractions are cut off, as in NumPy
    return suanzi.broadcast_to(first, (*rows.shape[:-1], 1)), rows


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, Tensor | np.ndarray) else value
