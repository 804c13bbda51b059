"""Models of operators that create tensors from numbers, and of queries."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import ceil
from typing import Any

import numpy as np

from ..compare import Expected, anything, exactly
from ..element_types import ELEMENT_TYPES, EXTENDED, Array, ElementType, convert, round_to, type_of, typed
from .model import Elements, Model, Options, Shape

_SHAPES: tuple[Shape, ...] = ((), (1,), (7,), (2, 3, 4, 5), (2, 3, 1, 2, 4), (2, 1, 3, 1, 2, 2))


def _of_shape(*further: Any) -> Any:
    return lambda elements, shape: (shape, *further)


def _full(shape: Shape, value: Any, dtype: ElementType) -> Array:
    return np.full(shape, value, dtype.numpy)


def _orders(shape: Shape) -> tuple[Any, ...]:
    n = len(shape)
    return (tuple(range(n))[::-1], tuple(range(n)), (*range(1, n), 0))


def number(value: Any, t: ElementType) -> Array:
    """Convert a number to a type, rounded once."""
    if t.kind == "B":
        return np.asarray(value != 0)
    if t.kind in "US":
        return typed(np.asarray(int(value), object), t)
    if t.kind != "C":
        return typed(round_to(_extended(value), t), t)
    found = np.empty((), t.numpy)
    found.real, found.imag = (round_to(_extended(part), t) for part in (value.real, value.imag))
    return found


def _extended(value: float) -> Array:
    """Return a number as a long double, which represents 64-bit integers exactly."""
    if isinstance(value, int) and abs(value) < 2**64:
        high, low = divmod(abs(value), 2**32)
        found = EXTENDED(high) * EXTENDED(2**32) + EXTENDED(low)
        return np.asarray(found if value >= 0 else -found)
    return np.asarray(EXTENDED(value))


def _arange(start: Any, stop: Any = None, step: Any = 1, dtype: ElementType | None = None) -> Expected:
    """Return the expected range. The error bound allows both start + i * step and the previous number plus step."""
    assert dtype is not None
    first, last = (0, start) if stop is None else (start, stop)
    count = max(ceil((Fraction(last) - Fraction(first)) / Fraction(step)), 0)
    exact = [Fraction(first) + i * Fraction(step) for i in range(count)]
    if dtype.kind in "US":
        return exactly(typed(np.array([int(x) for x in exact], object), dtype))
    values = np.array([_extended(int(x)) if x.denominator == 1 else EXTENDED(float(x)) for x in exact], EXTENDED)
    whole = all(isinstance(x, int) or float(x).is_integer() for x in (first, step))
    bound = 0.5 if whole else 4.0
    size = np.maximum(np.abs(values), max(abs(float(first)), abs(float(step)), abs(float(last))) if not whole else 0)
    if dtype.kind == "C":
        return Expected(dtype, values + 0j, 1.0 + bound, size)
    return Expected(dtype, values, 0.5 + 2.0**-10 if whole else bound, None if whole else size)


def _ranges(shape: Shape) -> Sequence[Options]:
    """Return bounds and steps of ascending, descending and empty ranges. The shape (2,) selects fractions, and long
    shapes select long ranges.
    """
    bounds: list[tuple[Any, ...]] = [(1, 10, 3), (5,), (3, 3, 1), (5, 3), (0, 12, 4), (1, 2, 5), (120, 0, -7)]
    bounds += [
        *((1, stop, 2) for stop in range(2, 18)),
        *((start, 20, 3) for start in range(9)),
        (0,),
        (1,),
        (4,),
        (9,),
    ]
    bounds += [(0, 30, step) for step in range(1, 9)]
    if shape == (2,):  # the shape of the model with only floating types
        bounds = [
            (0.0, 1.0, 0.125),
            (0.0, 1.0, 0.1),
            (-1.5, 2.0, 0.25),
            (2.0, -1.0, -0.31),
            (1, 2, 0.75),
            (10, -10, -3),
        ]
    if shape[0] > 1000:
        bounds = [(0, shape[0], 1), (shape[0], 0, -1)]
    return [dict(zip(("start", "stop", "step"), each, strict=False)) for each in bounds]


def _linspace(start: Any, stop: Any, num: int, dtype: ElementType | None = None) -> Expected:
    assert dtype is not None
    first, last = (np.asarray(_extended(x) if not isinstance(x, complex) else np.clongdouble(x)) for x in (start, stop))
    steps = np.arange(num, dtype=EXTENDED) / EXTENDED(max(num - 1, 1))
    values = first * (1 - steps) + last * steps
    if num > 1:
        values[-1] = last
    size = np.full(num, max(abs(first), abs(last)), EXTENDED)
    whole = start == 0 and stop in (1, num - 1) and num - 1 in (1, 2**17, stop) and dtype.bits in (32, 64)
    return Expected(dtype, convert(values, dtype), 0.0) if whole else Expected(dtype, values, 1.0, size)


_SPANS: tuple[tuple[Any, Any, int], ...] = (
    (0, 10, 11), (-1, 2, 7), (2, -1, 4), (5, 5, 3), (0, 1, 1), (0, 1, 0), (0, 1, 2), (0.5, 100.25, 50),
    (-3.0, -1.0, 33),
)  # fmt: skip


def _spans(shape: Shape) -> Sequence[Options]:
    if shape and shape[0] > 1000:
        return [{"start": 0, "stop": 1, "num": shape[0]}]
    return [dict(zip(("start", "stop", "num"), span, strict=True)) for span in _SPANS]


def _eye(n: int, m: int | None = None, k: int = 0, dtype: ElementType | None = None) -> Array:
    assert dtype is not None
    return np.eye(n, m, k).astype(dtype.numpy)


def _eyes(shape: Shape) -> Sequence[Options]:
    found: list[Options] = [
        {"n": n, "m": m, "k": k} for n, m in ((3, 5), (5, 3), (4, 4), (0, 2)) for k in (0, 1, -2, 9)
    ]
    return [*found, {"n": 3}, {"n": 130, "m": 70, "k": -3}]


def _like(x: Array, value: Any, dtype: ElementType | None) -> Array:
    return np.full(x.shape, value, x.dtype if dtype is None else dtype.numpy)


def _nested(elements: Elements, shape: Shape) -> tuple[Any, ...]:
    """Return the elements as nested lists."""
    return (_listed(elements.any(shape)),)


def _listed(x: Array) -> Any:
    return (x.astype(np.float32) if x.dtype.name == "bfloat16" else x).tolist()


def _tensor(data: Any, dtype: ElementType) -> Array:
    return np.array(data, dtype.numpy)


_TYPES = {"dtype": tuple(ELEMENT_TYPES[name] for name in ("float64", "int32", "complex64"))}
_MADE: dict[str, Any] = {"ranks": _SHAPES, "arranged": False, "special": "", "typed": "dtype", "types": "FICB"}
_LISTED: dict[str, Any] = {"arranged": False, "special": "", "typed": "dtype", "empty": ()}
_FORM: dict[str, Any] = {"special": "", "types": "FICBS", "long": ((131_075,), (25, 107, 49))}

MODELS = (
    *(Model(name, lambda shape, dtype, layout=None, value=value: _full(shape, value, dtype), operands=_of_shape(),
            choices={"layout": _orders}, **_MADE) for name, value in (("zeros", 0), ("ones", 1))),
    Model("empty", lambda shape, dtype, layout=None: anything(dtype, shape), operands=_of_shape(),
          choices={"layout": _orders}, **_MADE),
    *(Model("full", lambda shape, value, dtype, layout=None: _full(shape, value, dtype), operands=_of_shape(value),
            choices={"layout": _orders}, **{**_MADE, "types": types})
      for value, types in ((7, "FICB"), (0.375, "FC"), (True, "BFIC"), (-0.0, "F"), (1.5 - 2j, "C"))),
    Model("full", lambda shape, value, dtype: _full(shape, value, dtype), operands=_of_shape(1), numbers=(1,),
          **{**_MADE, "ranks": (), "empty": (), "long": ()}),
    *(Model(f"{name}_like", lambda x, dtype=None, value=value: _like(x, value, dtype), types="FICB", choices=_TYPES)
      for name, value in (("zeros", 0), ("ones", 1))),
    Model("zeros_like", lambda x, layout: np.zeros_like(x), types="F", choices={"layout": _orders}, ranks=(), long=(),
          sensible=lambda shape, options: "layout" in options, empty=(), arranged=False),
    *(Model("full", lambda shape, value, dtype: np.full(shape, value), operands=_of_shape(value),
            **{**_MADE, "types": "S", "long": ((1000,),)}) for value in (" 算é", "b" * 70)),
    Model("zeros", lambda shape, dtype: np.full(shape, ""), operands=_of_shape(),
          **{**_MADE, "types": "S", "long": ()}),
    Model("from_reference", lambda x: x, types="FICB"),
    Model("empty_like", lambda x: anything(type_of(x), x.shape), types="FIC", special=""),
    Model("full_like", lambda x, value, dtype=None: _like(x, value, dtype), types="FICB", special="",
          choices=_TYPES,
          operands=lambda e, s: (e.any(s), 5), numbers=(1,)),
    Model("arange", _arange, types="FI", operands=lambda e, s: (), calls=_ranges, by_place=("start",), shape=(1,),
          ranks=(), sensible=lambda shape, options: shape[0] < 1000, **_LISTED),
    Model("arange", _arange, types="F", operands=lambda e, s: (), calls=_ranges, by_place=("start",), shape=(2,),
          ranks=(), long=(), **_LISTED),
    Model("tensor", _tensor, types="FICB", operands=_nested, ranks=_SHAPES, long=((20_011,),), **_LISTED),
    Model("linspace", _linspace, types="FC", operands=lambda e, s: (), calls=_spans, by_place=("start", "stop", "num"),
          shape=(1,), ranks=(), long=((131_073,),), **_LISTED),
    Model("eye", _eye, types="FICB", operands=lambda e, s: (), calls=_eyes, by_place=("n",), shape=(1,), ranks=(),
          long=(), **_LISTED),
    Model("shape", lambda x: np.asarray(x.shape, np.int64) if x.ndim else np.asarray(()), **_FORM),
    Model("size", lambda x: np.asarray(x.size, np.int64), **_FORM),
    Model("rank", lambda x: np.asarray(x.ndim, np.int64), **_FORM),
)  # fmt: skip
