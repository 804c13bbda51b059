"""Rules for elementwise functions of `suanzi.extras` and similar functions: activations, differences, products."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from typing import Any

import mpmath
import numpy as np
from exact import (
    INTEGERS,
    NUMBERS,
    PARTS,
    REAL,
    Exact,
    added,
    agrees,
    elements,
    exact,
    exponent_of,
    indices,
    is_finite,
    is_nan,
    magnitude,
    number,
    operand,
    shape_of,
    slices,
    wrapped,
)
from extras_case import NAN, TINY, Case, floating, kind_problem, parts_of, rounding, values_problem
from runner import Outcome

import suanzi

# --- activations ---


def _logistic(t: Any) -> Any:
    return 1 / (1 + mpmath.exp(-t))


def _by_tanh(x: Any) -> Any:
    return x * _logistic(2 * mpmath.sqrt(2 / mpmath.pi) * (x + mpmath.mpf(0.044715) * x**3))


# Each function's definition, its limits at minus and plus infinity (None for x itself), and its number of operations.
ACTIVATIONS: dict[str, tuple[Callable[[Any], Any], float | None, float | None, float]] = {
    "relu": (lambda x: max(x, mpmath.mpf(0)), 0.0, None, 0),
    "sigmoid": (_logistic, 0.0, 1.0, 4),
    "silu": (lambda x: x * _logistic(x), 0.0, None, 6),
    "softplus": (lambda x: mpmath.log1p(mpmath.exp(x)), 0.0, None, 4),
    "mish": (lambda x: x * mpmath.tanh(mpmath.log1p(mpmath.exp(x))), 0.0, None, 10),
    "hardswish": (lambda x: x * min(max(x + 3, mpmath.mpf(0)), mpmath.mpf(6)) / 6, 0.0, None, 4),
    "erf": (mpmath.erf, -1.0, 1.0, 1),
    "erfc": (mpmath.erfc, 2.0, 0.0, 1),
    "gelu": (lambda x: x * mpmath.ncdf(x), 0.0, None, 2),
    "gelu by tanh": (_by_tanh, 0.0, None, 2),
}
FAR = 10_000  # for operands of a greater absolute value, results are the limits in every type


def activation(rng: random.Random, name: str) -> Outcome:
    case = Case(rng, name)
    dtype = rng.choice(REAL)
    x = operand(rng, dtype, shape_of(rng))
    options = {}
    which = name
    if name == "gelu" and rng.random() < 0.5:
        options = {"approximate": "tanh"}
        which = "gelu by tanh"
    found = case.call(x, **options)
    result = dtype if name == "relu" else floating(dtype)
    function, low, high, many = ACTIVATIONS[which]
    wanted: list[Exact] = []
    for value in elements(x):
        limit = low if value < 0 else high
        if is_nan(value):
            wanted.append(value)
        elif not is_finite(value) or abs(value) > FAR:
            wanted.append(value if limit is None else exact(limit))
        else:
            wanted.append(exact(function(mpmath.mpf(value.numerator) / value.denominator)))
    units, relative = rounding(dtype, many)
    if name in ("erf", "erfc", "gelu") and result != "float64":
        units, relative = 0.5, TINY[8] * 8  # correctly rounded, or nearly so
    elif which == "gelu by tanh":
        units, relative = 4, Fraction(1, 10**12)
    if name == "relu":
        units = 0
    problem = kind_problem(found, result, x.shape) or values_problem(
        found, wanted, result, lambda i: (units, relative * abs(wanted[i]) if is_finite(wanted[i]) else Fraction(0))
    )
    return case.outcome(problem)


def softmax(rng: random.Random, name: str) -> Outcome:
    case = Case(rng, name)
    dtype = rng.choice(REAL)
    x = operand(rng, dtype, shape_of(rng, 1))
    axis = rng.randrange(x.ndim)
    found = case.call(x, axis=axis - rng.choice([0, x.ndim]))
    result = floating(dtype)
    left, rows = slices(x, (axis,))
    tiny = TINY[8] if result == "float64" or result != dtype else TINY[4]
    problem = kind_problem(found, result, x.shape)
    _, given = slices(found, (axis,)) if x.size else (left, [])
    for row, values in zip(rows, given, strict=False) if problem is None else ():
        problem = problem or _softmax_problem(name, row, values, result, tiny)
    return case.outcome(problem)


def _softmax_problem(name: str, row: list[Exact], found: list[Exact], result: str, tiny: Fraction) -> str | None:
    top = max(row, key=lambda v: (not is_nan(v), v)) if row else NAN
    if any(is_nan(v) for v in row) or not is_finite(top):
        return None if all(is_nan(v) for v in found) else f"{found} are not all NaN"
    apart = [v - top if is_finite(v) else -math.inf for v in row]
    powers = [
        mpmath.exp(mpmath.mpf(d.numerator) / d.denominator) if is_finite(d) and d > -FAR else mpmath.mpf(0)
        for d in apart
    ]
    others = mpmath.fsum(p for i, p in enumerate(powers) if i != row.index(top))
    total, lower = 1 + others, exact(mpmath.log1p(others))
    for d, power, value in zip(apart, powers, found, strict=True):
        wanted = exact(power / total) if name == "softmax" else d - lower if is_finite(d) else d
        size = abs(d) if is_finite(d) else Fraction(0)
        if name == "softmax":  # `exp` of a difference d has about d times the relative error of d
            more = tiny * (size + 8) * wanted
        else:
            more = tiny * (size + lower * (8 + (abs(exponent_of(lower)) if lower else 0)))
        number = float(value) if is_finite(value) else value
        if not agrees(number, wanted, result, 1 if tiny == TINY[4] else 0.5 + (result == "float64"), more):
            return f"{number!r} is not {float(wanted)!r}" if abs(float(size)) < FAR else f"{number!r} of {d}"
    return None


# --- joining and taking apart ---


def diff(rng: random.Random, name: str) -> Outcome:
    case = Case(rng, name)
    dtype = rng.choice(NUMBERS)
    x = operand(rng, dtype, shape_of(rng, 1))
    axis, times = rng.randrange(x.ndim), rng.choice([0, 1, 1, 2, 3])
    options: dict[str, Any] = {"n": times, "axis": axis}
    rows = slices(x, (axis,))[1]
    for key in ("prepend", "append"):
        if rng.random() < 0.3:
            value = number(rng, PARTS.get(dtype, dtype), plain=True)
            made = suanzi.tensor(value, dtype=dtype if isinstance(value, int) else None)
            options[key] = suanzi.astype(made, dtype)
            given = exact(options[key].item())
            rows = [[given, *row] if key == "prepend" else [*row, given] for row in rows]
    found = case.call(x, **options)
    length = x.shape[axis] + ("prepend" in options) + ("append" in options)
    left = max(length - times, 0)
    shape = (*x.shape[:axis], left, *x.shape[axis + 1 :])
    tiny = {"float16": TINY[4], "bfloat16": TINY[4]}.get(dtype, TINY[8])
    wanted: list[Exact] = []
    bounds: list[tuple[float, Fraction]] = []
    for row in rows:
        more = tiny * 2 ** (times + 1) * max((magnitude(part) for part in parts_of(row)), default=Fraction(0))
        for _ in range(times):
            row = [_difference(b, a, dtype) for a, b in pairwise(row)]
        wanted += row
        bounds += [(0.5, more if times > 1 else Fraction(0))] * len(row)
    if any(isinstance(v, tuple) and not all(is_finite(p) for p in v) for v in wanted):
        return case.skipped()
    problem = kind_problem(found, dtype, shape)
    if problem is None:
        problem = values_problem(suanzi.moveaxis(found, axis, -1), wanted, dtype, lambda i: bounds[i])
    return case.outcome(problem)


def _difference(b: Exact, a: Exact, dtype: str) -> Exact:
    if isinstance(a, tuple):
        return tuple(added([y, -x]) for x, y in zip(a, b, strict=True))
    if dtype == "bool":
        return Fraction(a != b)
    value = added([b, -a])
    return Fraction(wrapped(int(value), dtype)) if dtype in INTEGERS else value


def kron(rng: random.Random, name: str) -> Outcome:
    case = Case(rng, name)
    dtype = rng.choice([d for d in NUMBERS if d != "bool"])
    x, y = (operand(rng, dtype, shape_of(rng, 0, 2)) for _ in range(2))
    found = case.call(x, y)
    rank = max(x.ndim, y.ndim)
    first, second = ((1,) * (rank - t.ndim) + t.shape for t in (x, y))
    shape = tuple(m * n for m, n in zip(first, second, strict=True))
    wide, filling = suanzi.reshape(x, first), suanzi.reshape(y, second)
    wanted, bounds = [], []
    for place in indices(shape):
        a = exact(wide[tuple(p // n for p, n in zip(place, second, strict=True))].item())
        b = exact(filling[tuple(p % n for p, n in zip(place, second, strict=True))].item())
        value = _product(a, b)
        if value is None:
            return case.skipped()
        wanted.append(Fraction(wrapped(int(value), dtype)) if dtype in INTEGERS else value)
        size = Fraction(0)
        if isinstance(a, tuple):
            size = magnitude(a) * magnitude(b)
        bounds.append((0.5, 2 * size * (TINY[4] if dtype == "complex64" else TINY[8])))
    if any(magnitude(v) >= Fraction(2) ** 126 for v in wanted if isinstance(v, tuple)):
        return case.skipped()
    return case.outcome(kind_problem(found, dtype, shape) or values_problem(found, wanted, dtype, lambda i: bounds[i]))


def _product(a: Exact, b: Exact) -> Any:
    if isinstance(a, tuple):
        if not all(is_finite(v) for v in (*a, *b)):
            return None
        return a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]
    return a * b if is_finite(a) and is_finite(b) else math.prod(_plain(v) for v in (a, b))


def _plain(value: Exact) -> float:
    """Return the sign of an exact number as -1, 0 or 1. Return an infinity or NaN unchanged."""
    return value if isinstance(value, float) else float((value > 0) - (value < 0))


def stacked(rng: random.Random, name: str) -> Outcome:
    case = Case(rng, name)
    dtype = rng.choice(NUMBERS)
    rank = rng.randint(0, 3)
    base = list(shape_of(rng, rank, rank))
    axis = 0 if name == "vstack" or rank < 2 else 1
    parts = []
    for _ in range(rng.randint(1, 4)):
        shape = list(base)
        if rank > (name == "vstack"):  # `vstack` of vectors needs equal lengths
            shape[axis] = rng.randint(0, 3)
        parts.append(operand(rng, dtype, shape))
    found = case.call(parts)
    rows = [p.numpy() if dtype != "bfloat16" else suanzi.astype(p, "float32").numpy() for p in parts]
    by_numpy = np.hstack(rows) if name == "hstack" else np.vstack(rows)
    given = found.numpy() if dtype != "bfloat16" else suanzi.astype(found, "float32").numpy()
    problem = kind_problem(found, dtype, by_numpy.shape)
    if problem is None and given.tobytes() != by_numpy.tobytes():
        problem = f"gives {given!r} in place of {by_numpy!r}"
    return case.outcome(problem)
