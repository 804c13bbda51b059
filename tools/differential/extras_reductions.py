"""Rules for the reductions of `suanzi.extras` that ignore NaN, and for quantiles."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from exact import (
    COMPLEX,
    INTEGERS,
    NUMBERS,
    PARTS,
    REAL,
    Exact,
    added,
    agrees,
    axes_of,
    is_finite,
    is_nan,
    magnitude,
    operand,
    root,
    shape_of,
    slices,
    wrapped,
)
from extras_case import NAN, TINY, Case, dtype_of, floating, kind_problem, parts_of, refused, values_problem
from runner import Outcome

import suanzi

# --- reductions without NaN ---


def _combined(parts: list[Exact]) -> Exact:
    return parts[0] if len(parts) == 1 else tuple(parts)


def reduction(rng: random.Random, name: str) -> Outcome:
    case = Case(rng, name)
    dtype = rng.choice(REAL if name in ("nanmax", "nanmin") else NUMBERS)
    x = operand(rng, dtype, shape_of(rng))
    axis, axes = axes_of(rng, x.ndim)
    options: dict[str, Any] = {"axis": axis, "keepdims": rng.random() < 0.5}
    correction: Any = 0
    if name in ("nanvar", "nanstd"):
        correction = options["correction"] = rng.choice([0, 0, 1, 0.5, 2])
    left, rows = slices(x, axes)
    shape = tuple(1 if i in axes else n for i, n in enumerate(x.shape)) if options["keepdims"] else left
    if name in ("nanmax", "nanmin") and x.size == 0 and 0 in (x.shape[i] for i in axes):
        return refused(case, suanzi.InvalidArgumentError, x, **options)
    found = case.call(x, **options)
    rows = [[v for v in row if not is_nan(v)] for row in rows]
    if name in ("nanvar", "nanstd"):
        result = PARTS.get(floating(dtype), floating(dtype))
    elif name == "nanmean":
        result = floating(dtype)
    elif name in ("nansum", "nanprod"):
        result = dtype_of(found)
    else:
        result = dtype
    wanted: list[Exact] = []
    bounds: list[tuple[float, Fraction]] = []
    for row in rows:
        value, units, more = REDUCTIONS[name](row, result, Fraction(correction))
        if value is None:
            return case.skipped()
        wanted.append(value)
        bounds.append((units, more))
    problem = kind_problem(found, result, shape) or values_problem(found, wanted, result, lambda i: bounds[i])
    return case.outcome(problem)


Reduced = tuple[Any, float, Fraction]


def _nansum(row: list[Exact], result: str, _: Fraction) -> Reduced:
    if result in INTEGERS:
        return wrapped(int(added(row)), result), 0, Fraction(0)
    tiny = TINY[4] if result in ("float16", "bfloat16") else TINY[8]
    parts = parts_of(row)
    if any(not is_finite(v) for part in parts for v in part) and result in COMPLEX:
        return None, 0, Fraction(0)
    sizes = [sum((abs(v) for v in part if is_finite(v)), Fraction(0)) for part in parts]
    if max(sizes) * (1 + tiny * len(row)) >= Fraction(2) ** 1024:  # the sum may overflow in some order of summation
        return None, 0, Fraction(0)
    return _combined([added(part) for part in parts]), 1, tiny * len(row) * max(sizes)


def _nanprod(row: list[Exact], result: str, _: Fraction) -> Reduced:
    if result in COMPLEX or any(not is_finite(v) for v in row):
        return None, 0, Fraction(0)
    if result in INTEGERS:
        return wrapped(math.prod(int(v) for v in row), result), 0, Fraction(0)
    product = math.prod(row, start=Fraction(1))
    tiny = TINY[8] if result == "float64" else TINY[4]
    return product, 1, tiny * len(row) * abs(product)


def _nanmean(row: list[Exact], result: str, _: Fraction) -> Reduced:
    parts = parts_of(row)
    if result in COMPLEX and any(not is_finite(v) for part in parts for v in part):
        return None, 0, Fraction(0)
    if not row:
        return (NAN if result not in COMPLEX else (NAN, NAN)), 0, Fraction(0)
    sums = [added(part) for part in parts]
    means = [s / len(row) if is_finite(s) else s for s in sums]
    size = max(sum((abs(v) for v in part if is_finite(v)), Fraction(0)) for part in parts) / len(row)
    return _combined(means), 1, TINY[8] * (len(row) + 2) * size


def _variance(row: list[Exact], correction: Fraction) -> tuple[Exact, Fraction, Fraction]:
    """Return the exact variance of a row, the greatest absolute value, and the number of elements."""
    parts = parts_of(row)
    n = Fraction(len(row))
    if n <= correction:
        return NAN, Fraction(0), n
    if any(not is_finite(v) for part in parts for v in part):
        return NAN, Fraction(0), n
    means = [sum(part, Fraction(0)) / n for part in parts]
    squares = sum(((v - m) ** 2 for part, m in zip(parts, means, strict=True) for v in part), Fraction(0))
    return squares / (n - correction), max(magnitude(part) for part in parts), n


def _spread(row: list[Exact], correction: Fraction, bound: Callable[..., Fraction], result: Any = None) -> Reduced:
    """Return the variance of a row, or `result(variance)`, with 1 unit and the error that `bound` computes."""
    value, size, n = _variance(row, correction)
    if not is_finite(value):
        return value, 0, Fraction(0)
    found = result(value) if result else value
    error = TINY[8] * (n + 8)
    return found, 1, bound(found, n / (n - correction), error, error * size)


def _nanvar(row: list[Exact], result: str, correction: Fraction) -> Reduced:
    return _spread(row, correction, lambda v, scale, e, size: e * v + 4 * scale * size * (root(v) + size))


def _nanstd(row: list[Exact], result: str, correction: Fraction) -> Reduced:
    return _spread(row, correction, lambda v, scale, e, size: e * v + 4 * (scale + 1) * size, root)


def _extreme(row: list[Exact], best: Callable[..., Any]) -> Reduced:
    return best(row, default=NAN), 0, Fraction(0)


REDUCTIONS: dict[str, Callable[[list[Exact], str, Fraction], Reduced]] = {
    "nansum": _nansum,
    "nanprod": _nanprod,
    "nanmean": _nanmean,
    "nanvar": _nanvar,
    "nanstd": _nanstd,
    "nanmax": lambda row, result, _: _extreme(row, max),
    "nanmin": lambda row, result, _: _extreme(row, min),
}


def place(rng: random.Random, name: str) -> Outcome:
    case = Case(rng, name)
    dtype = rng.choice(REAL)
    x = operand(rng, dtype, shape_of(rng))
    axis = rng.choice([None, *range(-x.ndim, x.ndim)])
    axes = tuple(range(x.ndim)) if axis is None else (axis % x.ndim,)
    keepdims = rng.random() < 0.5
    left, rows = slices(x, axes)
    if any(all(is_nan(v) for v in row) for row in rows):
        return refused(case, suanzi.InvalidArgumentError, x, axis=axis, keepdims=keepdims)
    if 0 in x.shape:
        return case.skipped()
    found = case.call(x, axis=axis, keepdims=keepdims)
    best = max if name == "nanargmax" else min
    wanted = [row.index(best(v for v in row if not is_nan(v))) for row in rows]
    shape = tuple(1 if i in axes else n for i, n in enumerate(x.shape)) if keepdims else left
    problem = kind_problem(found, "int64", shape) or values_problem(found, wanted, "int64", lambda i: (0, Fraction(0)))
    return case.outcome(problem)


# --- quantiles ---

ALPHA_BETA: dict[str, tuple[Fraction, Fraction]] = {
    "interpolated_inverted_cdf": (Fraction(0), Fraction(1)),
    "hazen": (Fraction(1, 2), Fraction(1, 2)),
    "weibull": (Fraction(0), Fraction(0)),
    "median_unbiased": (Fraction(1, 3), Fraction(1, 3)),
    "normal_unbiased": (Fraction(3, 8), Fraction(3, 8)),
}
LINEAR = Fraction(1), Fraction(1)
ROUNDED: dict[str, Callable[[Fraction], Fraction]] = {
    "lower": lambda h: Fraction(math.floor(h)),
    "higher": lambda h: Fraction(math.ceil(h)),
    "nearest": lambda h: Fraction(round(h)),
    "midpoint": lambda h: Fraction(math.floor(h) + math.ceil(h), 2),
}
METHODS = ["linear", *ROUNDED, *ALPHA_BETA]


def quantile(rng: random.Random, name: str) -> Outcome:
    case = Case(rng, name)
    dtype = rng.choice(REAL)
    x = operand(rng, dtype, shape_of(rng))
    axis, axes = axes_of(rng, x.ndim)
    options: dict[str, Any] = {"axis": axis, "keepdims": rng.random() < 0.5}
    left, rows = slices(x, axes)
    shape = tuple(1 if i in axes else n for i, n in enumerate(x.shape)) if options["keepdims"] else left
    shares: list[float] = [0.5]
    method = "linear"
    if name.endswith("median"):
        found = case.call(x, **options)
    else:
        shares = [rng.choice([0.0, 1.0, 0.5, 0.25, rng.random(), 1 / 3]) for _ in range(rng.choice([1, 1, 3]))]
        method = options["method"] = rng.choice(METHODS)
        scalar = len(shares) == 1 and rng.random() < 0.5
        found = case.call(x, shares[0] if scalar else shares, **options)
        shape = shape if scalar else (len(shares), *shape)
    result = floating(dtype)
    problem = kind_problem(found, result, shape)
    values = suanzi.flatten(found).tolist()
    for k, share in enumerate(shares) if problem is None else ():
        for i, row in enumerate(rows):
            value = values[k * len(rows) + i]
            problem = problem or _quantile_problem(value, row, Fraction(share), method, name.startswith("nan"), result)
    return case.outcome(problem)


def _quantile_problem(
    found: float, row: list[Exact], share: Fraction, method: str, without_nan: bool, result: str
) -> str | None:
    if without_nan:
        row = [v for v in row if not is_nan(v)]
    if not row or any(is_nan(v) for v in row):
        return None if math.isnan(found) else f"{found!r} is not NaN"
    row = sorted(row)
    alpha, beta = ALPHA_BETA.get(method, LINEAR)
    h = alpha - 1 + share * (len(row) + 1 - alpha - beta)
    # The library computes the place in float64. If the place is close to an integer or a half, results for the places
    # on both sides are right.
    near = TINY[8] * 4 * (len(row) + 1)
    close = [Fraction(p, 2) for p in (math.floor(2 * h), math.ceil(2 * h)) if abs(Fraction(p, 2) - h) <= near]
    for moved in (h, h - near, h + near, *close):
        at = min(max(ROUNDED.get(method, lambda p: p)(moved), Fraction(0)), Fraction(len(row) - 1))
        low, high = row[math.floor(at)], row[math.ceil(at)]
        part = at - math.floor(at)
        if part == 0 or low == high:
            wanted: Exact = low
        elif is_finite(low) and is_finite(high):
            wanted = low + (high - low) * part
        else:
            wanted = added([v for v in (low, high) if not is_finite(v)])
        more = near * 4 * magnitude([low, high])
        if agrees(found, wanted, result, 1 if result == "float64" else 0.5, more):
            return None
    return f"{found!r} is not {wanted if not is_finite(wanted) else float(wanted)!r} of {[float(v) for v in row]}"
