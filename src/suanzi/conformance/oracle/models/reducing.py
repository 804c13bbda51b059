"""Models of reductions and scans, with exact sums or the bound of their rounding errors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import prod
from typing import Any

import numpy as np

from ..compare import CORRECT, Expected, exactly
from ..element_types import (
    ELEMENT_TYPES,
    EXTENDED,
    Array,
    ElementType,
    exact,
    floating,
    real_part,
    type_of,
)
from .model import Elements, Model, Shape

_RANKS: tuple[Shape, ...] = ((), (1,), (7,), (2, 3, 4, 5), (2, 3, 1, 2, 4), (2, 1, 3, 1, 2, 2))


def accumulated(t: ElementType) -> ElementType:
    """Return the type of a sum of elements: 64 bits for integers and bool."""
    return t if t.kind in "FC" else ELEMENT_TYPES["uint64" if t.kind == "U" else "int64"]


def _words(x: Array, t: ElementType) -> Array:
    """Return the elements as 64-bit integers, so that sums and products wrap around modulo 2**64."""
    return x.astype(np.int64 if t.kind != "U" else np.uint64)


def summed(t: ElementType, total: Array, sizes: Array) -> Expected:
    """Return an expected sum. `total` is the sum, and `sizes` is the sum of the elements' magnitudes.

    The bound of the error is relative to the sum of the magnitudes, unless the sum is exact in every order of
    summation.
    """
    with np.errstate(all="ignore"):
        small = np.all(sizes < 2.0**t.precision) and np.all(np.abs(total) == np.rint(np.abs(total)))
    if small or not np.all(np.isfinite(sizes)):
        return Expected(t, total, CORRECT if t.kind == "F" else 1.0)
    return Expected(t, total, 1.0, np.maximum(np.abs(total), sizes))


def _along(x: Array, axis: Any) -> int:
    """Return the number of elements that a reduction over the axes combines into one element."""
    axes = range(x.ndim) if axis is None else (axis,) if isinstance(axis, int) else axis
    return prod(x.shape[axis] for axis in axes)


def _sum(x: Array, axis: Any = None, keepdims: bool = False) -> Expected | Array:
    t = type_of(x)
    if t.kind in "BUS":
        with np.errstate(all="ignore"):
            return np.asarray(np.sum(_words(x, t), axis=axis, keepdims=keepdims))
    wide = exact(x)
    with np.errstate(all="ignore"):
        total = np.asarray(np.sum(wide, axis=axis, keepdims=keepdims))
        return summed(t, total, np.asarray(np.sum(np.abs(wide), axis=axis, keepdims=keepdims)))


def _prod(x: Array, axis: Any = None, keepdims: bool = False) -> Expected | Array:
    t = type_of(x)
    if t.kind in "BUS":
        with np.errstate(all="ignore"):
            return np.asarray(np.prod(_words(x, t), axis=axis, keepdims=keepdims))
    with np.errstate(all="ignore"):
        found = np.asarray(np.prod(exact(x), axis=axis, keepdims=keepdims))
    return Expected(t, found, CORRECT if t.kind == "F" else 1.0, signed_zero=False)


def _mean(x: Array, axis: Any = None, keepdims: bool = False) -> Expected:
    t, count = floating(type_of(x)), _along(x, axis)
    wide = _wide(x)
    with np.errstate(all="ignore"):
        total = np.asarray(np.sum(wide, axis=axis, keepdims=keepdims) / EXTENDED(count))
        sizes = np.asarray(np.sum(np.abs(wide), axis=axis, keepdims=keepdims))
        whole = np.all(sizes < 2.0**t.precision) and np.all(wide == np.rint(wide.real))
        if whole or not np.all(np.isfinite(sizes)):
            return Expected(t, total, CORRECT if t.kind == "F" and whole else 1.0)
        return Expected(t, total, 1.0, np.maximum(np.abs(total), sizes / EXTENDED(count)))


def _extreme(fold: Callable[..., Any]) -> Callable[..., Expected]:
    def compute(x: Array, axis: Any = None, keepdims: bool = False) -> Expected:
        ordered = x.astype(np.float32) if type_of(x).name == "bfloat16" else x
        found = np.asarray(fold(ordered, axis=axis, keepdims=keepdims)).astype(x.dtype)
        return replace(exactly(found), signed_zero=False, array=None)

    return compute


def _truth(fold: Callable[..., Any]) -> Callable[..., Array]:
    return lambda x, axis=None, keepdims=False: np.asarray(fold(x != 0, axis=axis, keepdims=keepdims))


def _moved(x: Array, axis: Any) -> tuple[Array, Any]:
    """Return the elements as long doubles, and the axes as a tuple."""
    axes = tuple(range(x.ndim)) if axis is None else (axis,) if isinstance(axis, int) else axis
    return _wide(x), axes


def _wide(x: Array) -> Array:
    """Return the elements as long doubles, which represent 64-bit integers exactly."""
    return x.astype(EXTENDED) if type_of(x).kind in "BUS" else exact(x)


def _variance(root: bool) -> Callable[..., Expected]:
    def compute(x: Array, axis: Any = None, keepdims: bool = False, correction: float = 0.0) -> Expected:
        wide, axes = _moved(x, axis)
        t, count = real_part(floating(type_of(x))), _along(x, axis)
        with np.errstate(all="ignore"):
            mean = np.sum(wide, axis=axes, keepdims=True) / EXTENDED(count)
            total = np.sum(np.abs(wide - mean) ** 2, axis=axes, keepdims=keepdims)
            found = total / EXTENDED(max(count - correction, 0))
            # If the mean is large, the error of a sum of squared differences from the mean grows with this ratio.
            spread = np.sqrt(np.max(np.abs(wide) ** 2, initial=0) / np.maximum(found, np.ldexp(EXTENDED(1), t.least)))
            condition = np.fmax(1.0, np.where(np.isfinite(spread), spread, 1.0))
        return Expected(
            t, np.sqrt(found) if root else found, np.asarray(16.0 + 8.0 * condition + np.sqrt(count) / 8, np.float64)
        )

    return compute


def _norm(order: int) -> Callable[..., Expected]:
    def compute(x: Array, axis: Any = None, keepdims: bool = False) -> Expected:
        wide, axes = _moved(x, axis)
        t = real_part(floating(type_of(x)))
        with np.errstate(all="ignore"):
            sizes = np.abs(wide)
            total = np.sum(sizes**order, axis=axes, keepdims=keepdims)
        return Expected(t, np.sqrt(total) if order == 2 else np.asarray(total), 2.0)

    return compute


def _logsumexp(x: Array, axis: Any = None, keepdims: bool = False) -> Expected:
    wide, axes = _moved(x, axis)
    with np.errstate(all="ignore"):
        largest = np.max(wide, axis=axes, keepdims=True, initial=-np.inf)
        base = np.where(np.isfinite(largest), largest, 0)
        found = np.log(np.sum(np.exp(wide - base), axis=axes, keepdims=True)) + base
        found = np.where(np.isnan(largest), largest, found)
    found = found if keepdims else np.squeeze(found, axis=axes)
    # If the result is near 0, the largest element and the logarithm of the sum cancel.
    bound = 2.0 + _along(x, axis) / 64
    return Expected(floating(type_of(x)), np.asarray(found), bound, np.fmax(np.abs(found), 1.0))


# For each reduction: kinds of element type, the formula, a function that makes the operand, and the kinds with special
# values.
_REDUCTIONS: dict[str, tuple[str, Callable[..., Any], Callable[..., Any], str]] = {
    "sum": ("IFCB", _sum, lambda e, s: (e.small(s),), "IF"),
    "prod": ("IFCB", _prod, lambda e, s: (e.factors(s),), "I"),
    "mean": ("IFCB", _mean, lambda e, s: (e.small(s),), "IF"),
    "max": ("IFB", _extreme(np.max), lambda e, s: (e.any(s),), "IFB"),
    "min": ("IFB", _extreme(np.min), lambda e, s: (e.any(s),), "IFB"),
    "all": ("IFCB", _truth(np.all), lambda e, s: (_opposite(e.few(s)),), "IF"),
    "any": ("IFCB", _truth(np.any), lambda e, s: (e.few(s),), "IF"),
    "var": ("IFCB", _variance(False), lambda e, s: (e.moderate(s),), ""),
    "std": ("IFCB", _variance(True), lambda e, s: (e.moderate(s),), ""),
    "norm1": ("IFCB", _norm(1), lambda e, s: (e.moderate(s),), "F"),
    "norm2": ("IFCB", _norm(2), lambda e, s: (e.moderate(s),), "F"),
    "logsumexp": ("IFB", _logsumexp, lambda e, s: (e.moderate(s),), "F"),
}


def _opposite(x: Array) -> Array:
    return np.asarray(x == 0, x.dtype)


# Operands for single reductions.


def _far(elements: Elements, shape: Shape) -> tuple[Any, ...]:
    """Return elements that are far from 0 and close to each other. For these elements, the mean of the squares minus
    the square of the mean is inaccurate.
    """
    t = elements.type
    return ((elements.moderate(shape) + 2.0 ** (t.precision // 3 + 2)).astype(t.numpy),)


def _scaled(share: float) -> Callable[[Elements, Shape], tuple[Any, ...]]:
    """Return a function that makes elements so large or so small that their squares are outside the type's range."""

    def operands(elements: Elements, shape: Shape) -> tuple[Any, ...]:
        x = elements.moderate(shape)
        scale = EXTENDED(2) ** int(share * elements.type.greatest)
        return ((x * (scale if x.dtype.kind != "c" else complex(scale))).astype(x.dtype),)

    return operands


def _thousands(elements: Elements, shape: Shape) -> tuple[Any, ...]:
    """Return numbers whose exponentials overflow or vanish, including minus infinity."""
    x = elements.small(shape).astype(np.float32) * 250
    return (np.asarray(np.where(x == 0, -np.inf, x), elements.type.numpy),)


def _one_strange(elements: Elements, shape: Shape) -> tuple[Any, ...]:
    """Return a matrix with one special element in each row."""
    x = np.ones(shape, elements.type.numpy)
    x[:, shape[1] // 2] = np.resize(elements.extremes, shape[0])
    x[1::2, -1] = 2
    return (x,)


def _one_on_the_diagonal(elements: Elements, shape: Shape) -> tuple[Any, ...]:
    """Return matrices of zeros whose diagonals contain a special element (or any complex number) and 1."""
    x = np.zeros(shape, elements.type.numpy)
    x[:, 0, 0] = elements.any(shape[:1]) if elements.type.kind == "C" else np.resize(elements.extremes, shape[0])
    x[:, 1, 1] = 1
    return (x,)


def _ones(elements: Elements, shape: Shape) -> tuple[Any, ...]:
    """Return so many ones that a sum in a 16-bit type stops growing, although the type can represent the result."""
    return (np.ones(shape, elements.type.numpy),)


def _one_among_zeros(elements: Elements, shape: Shape) -> tuple[Any, ...]:
    """Return a matrix of zeros with one special element in each row."""
    x = np.zeros(shape, elements.type.numpy)
    x[:, shape[1] // 2] = np.resize(elements.extremes, shape[0])
    return (x,)


_FURTHER: tuple[tuple[str, str, Callable[..., Any]], ...] = (
    *((op, "F", _far) for op in ("var", "std")),
    *((op, "FC", _scaled(share)) for op in ("norm2", "norm1") for share in (0.7, -0.8)),
    ("logsumexp", "F", _thousands),
)
_ALONE: dict[str, Any] = {"special": "", "ranks": (), "empty": (), "long": (), "arranged": False}


def _further() -> Sequence[Model]:
    """Return models of reductions for the operands in `_FURTHER`, and for matrices with one special element in each
    row.
    """
    found = []
    for op, types, operands in _FURTHER:
        some: dict[str, Any] = {"types": types, "operands": operands, "axis": "axis", "axes": "some or none", **_ALONE}
        compute = _REDUCTIONS[op][1]
        found.append(Model("reduce", _by_op(op, compute), constant={"op": op}, by_place=("op",), **some))
        found.append(Model(op, compute, **some))
    for op, (types, compute, _, _) in _REDUCTIONS.items():
        truth = op in ("all", "any")
        kinds = "".join(kind for kind in types if kind in ("F" if op in ("var", "std") else "IFC" if truth else "IF"))
        operands = _one_among_zeros if op == "any" else _one_strange
        shape = (170 if truth else 40, 3)  # complex numbers have 169 pairs of special parts
        rows: dict[str, Any] = {"types": kinds, "operands": operands, "shape": shape, **_ALONE}
        constant = {"op": op, "axis": 1}
        found.append(Model("reduce", _by_op(op, compute), constant=constant, by_place=("op",), **rows))
        found.append(Model(op, compute, constant={"axis": 1}, **rows))
    for op in ("sum", "mean", "norm1", "norm2"):
        many: dict[str, Any] = {"types": "F", "operands": _ones, "shape": (4096,), **_ALONE}
        compute = _REDUCTIONS[op][1]
        found.append(Model("reduce", _by_op(op, compute), constant={"op": op}, by_place=("op",), **many))
        found.append(Model(op, compute, **many))
    return found


def _by_op(op: str, compute: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x, op, **options: compute(x, **options)


def _wild(make: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that makes operands. The function returns special values if the test requests special values,
    and otherwise the operands that `make` returns.
    """
    return lambda elements, shape: (elements.any(shape),) if elements.special else make(elements, shape)


def _models() -> Sequence[Model]:
    found = []
    for op, (types, compute, operands, special) in _REDUCTIONS.items():
        nothing = ((2, 0, 3),) if op in ("max", "min") else ((0,), (2, 0, 3))
        common: dict[str, Any] = {
            "types": types,
            "operands": _wild(operands),
            "axis": "axis",
            "axes": "some or none",
            "special": special,
            "ranks": _RANKS,
            "choices": {"keepdims": (False, True)},
            "empty": nothing,
            "sensible": _has_extreme if op in ("max", "min") else _chosen,
        }
        found.append(Model("reduce", _by_op(op, compute), constant={"op": op}, by_place=("op",), **common))
        if op in ("var", "std"):
            common["choices"] = {"keepdims": (False, True), "correction": (0, 1, 0.5)}
        found.append(Model(op, compute, out=True, **common))
    return found


def _chosen(shape: Shape, options: Any) -> bool:
    """Return whether the options contain no empty tuple of axes. For an empty tuple of axes, libraries return different
    results.
    """
    return bool(options.get("axis") != ())


def _has_extreme(shape: Shape, options: Any) -> bool:
    axis = options.get("axis")
    axes = range(len(shape)) if axis is None else (axis,) if isinstance(axis, int) else axis
    return options.get("axis") != () and all(shape[a] for a in axes)


# Scans.


def _scan(multiplied: bool) -> Callable[..., Expected | Array]:
    accumulate: Any = np.cumprod if multiplied else np.cumsum

    def compute(
        x: Array, axis: int | None = None, exclusive: bool = False, reverse: bool = False, include_initial: bool = False
    ) -> Expected | Array:
        t = type_of(x)
        values = _words(x, t) if t.kind in "BUS" else exact(x)
        lines = np.moveaxis(np.ravel(values) if axis is None else values, axis or 0, -1)
        step = slice(None, None, -1 if reverse else 1)
        ahead = (*lines.shape[:-1], 1 if exclusive or include_initial else 0)

        def scanned(numbers: Array) -> Array:
            with np.errstate(all="ignore"):
                unit = np.full(ahead, multiplied, numbers.dtype)
                whole = accumulate(np.concatenate([unit, numbers[..., step]], -1), axis=-1)
            kept = whole[..., : -1 if exclusive else None]
            return np.moveaxis(kept[..., step], -1, axis or 0)

        found = scanned(lines)
        if t.kind in "BUS":
            return found
        if multiplied:
            return Expected(t, found, CORRECT if t.kind == "F" else 1.0, signed_zero=t.kind == "F")
        return summed(t, found, scanned(np.abs(lines)))

    return compute


def _not_both(shape: Shape, options: Any) -> bool:
    return not (options.get("exclusive") and options.get("include_initial"))


_OPTIONS = {"exclusive": (False, True), "reverse": (False, True), "include_initial": (False, True)}

# Searches.


def _search(fold: Callable[..., Any]) -> Callable[..., Array]:
    def compute(x: Array, axis: int | None = None, keepdims: bool = False) -> Array:
        ordered = x.astype(np.float32) if type_of(x).name == "bfloat16" else x
        return np.asarray(fold(ordered, axis=axis, keepdims=keepdims), np.int64)

    return compute


def _last(elements: Elements, shape: Shape) -> tuple[Any, ...]:
    """Return elements with ties. In one dimension the last element is unique."""
    if elements.special:
        return (elements.any(shape),)
    return (elements.few(shape) if len(shape) == 1 else elements.any(shape),)


def _first_of_few(elements: Elements, shape: Shape) -> tuple[Any, ...]:
    found = _last(elements, shape)[0]
    return (_opposite(found) if len(shape) == 1 and not elements.special else found,)


def _trace(x: Array, offset: int = 0) -> Expected | Array:
    return _sum(np.asarray(np.diagonal(x, offset, -2, -1)), axis=-1)


MODELS = (
    *_models(),
    *_further(),
    *(Model(name, _scan(name == "cumulative_prod"), types="IFCB", operands=_wild(operands), special=special,
            axis="axis", axes="one or none", ranks=_RANKS[1:], choices=_OPTIONS, sensible=_not_both,
            long=((131_075,), (1225, 107)), in_place=(0,), out=True)
      for name, operands, special in (("cumulative_sum", lambda e, s: (e.small(s),), "IF"),
                                      ("cumulative_prod", lambda e, s: (e.factors(s),), "I"))),
    *(Model(name, _scan(name == "cumulative_prod"), types="IF", operands=_one_strange, constant={"axis": 1},
            shape=(40, 3), **_ALONE) for name in ("cumulative_sum", "cumulative_prod")),
    *(Model(name, _search(fold), types="IFB", operands=operands, axis="axis", axes="one or none", ranks=_RANKS[1:],
            choices={"keepdims": (False, True)}, empty=((2, 0, 3),), sensible=_has_extreme)
      for name, fold, operands in (("argmax", np.argmax, _last), ("argmin", np.argmin, _first_of_few))),
    Model("count_nonzero", lambda x, axis=None, keepdims=False: np.asarray(
              np.sum(x != 0, axis=axis, keepdims=keepdims, dtype=np.int64)),
          types="IFCB", operands=lambda e, s: (e.any(s) * e.truth(s, 1) if not e.special else e.any(s),),
          axis="axis", axes="some or none", choices={"keepdims": (False, True)}, ranks=_RANKS, sensible=_chosen),
    Model("trace", _trace, types="IFCB", operands=_wild(lambda e, s: (e.small(s),)), special="I", shape=(4, 5),
          ranks=((1, 1), (7, 2), (2, 3, 4, 5), (2, 3, 1, 2, 4), (2, 1, 3, 1, 2, 2)), empty=((0, 3), (2, 0)),
          long=((1225, 107), (130, 70)),
          choices={"offset": (0, 1, -1, 2, -3, 9, -9)}),
    Model("trace", _trace, types="IFCB", operands=_one_on_the_diagonal, shape=(40, 2, 2), **_ALONE),
)  # fmt: skip
