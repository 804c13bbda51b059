"""Rules for the counts and covariances of `suanzi.extras`."""

from __future__ import annotations

import bisect
import random
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

from exact import (
    FLOATING,
    INTEGERS,
    NUMBERS,
    REAL,
    Exact,
    added,
    elements,
    indices,
    is_finite,
    is_nan,
    magnitude,
    operand,
    root,
    shape_of,
    unit,
)
from extras_case import NAN, TINY, Case, dtype_of, floating, kind_problem, parts_of, refused, values_problem
from runner import REFUSED, Outcome

import suanzi
from suanzi import Tensor

# --- counts ---


def bincount(rng: random.Random, name: str) -> Outcome:
    case = Case(rng, name)
    dtype = rng.choice(INTEGERS)
    n = rng.choice([0, 1, 5, 30])
    numbers = [rng.randrange(rng.choice([1, 8, 100])) for _ in range(n)]
    x = suanzi.astype(suanzi.tensor(numbers or suanzi.zeros(0), dtype=dtype), dtype)[:: rng.choice([1, -1])]
    bins = [int(v) for v in x.tolist()]
    options: dict[str, Any] = {"minlength": rng.choice([0, 0, 3, 120])}
    if rng.random() < 0.1 and n and dtype.startswith("int"):
        return refused(case, suanzi.OutOfRangeError, suanzi.where(x == x[0], -1, x), **options)
    weights = operand(rng, rng.choice(REAL), (n,)) if rng.random() < 0.6 else None
    found = case.call(x, weights, **options)
    length = max([options["minlength"], *(b + 1 for b in bins)])
    return case.outcome(_counts_problem(found, bins, weights, length))


def _counts_problem(found: Tensor, bins: Sequence[int | None], weights: Tensor | None, length: int) -> str | None:
    groups: list[list[Exact]] = [[] for _ in range(length)]
    each = elements(weights) if weights is not None else [Fraction(1)] * len(bins)
    for b, value in zip(bins, each, strict=True):
        if b is not None:
            groups[b].append(value)
    if weights is None:
        wanted = [len(group) for group in groups]
        return kind_problem(found, "int64", (length,)) or values_problem(
            found, wanted, "int64", lambda i: (0, Fraction(0))
        )
    result = floating(dtype_of(weights))
    sizes = [sum((abs(v) for v in group if is_finite(v)), Fraction(0)) for group in groups]
    if max(sizes, default=0) >= Fraction(2) ** 1023:
        return None
    return kind_problem(found, result, (length,)) or values_problem(
        found, [added(group) for group in groups], result, lambda i: (0.5, TINY[8] * len(groups[i]) * sizes[i])
    )


def histogram(rng: random.Random, name: str) -> Outcome:
    case = Case(rng, name)
    dtype = rng.choice(REAL)
    x = operand(rng, dtype, shape_of(rng))
    options: dict[str, Any] = {"density": rng.random() < 0.3}
    weights = options["weights"] = operand(rng, rng.choice(REAL), x.shape, plain=True) if rng.random() < 0.4 else None
    bins: Any = rng.randint(1, 12)
    if rng.random() < 0.7:
        bins = operand(rng, rng.choice(REAL), (rng.randint(1, 6),))
        if rng.random() < 0.3:  # some edges equal elements of x, or elements rounded to another type
            bins = suanzi.astype(suanzi.flatten(x)[:5], dtype)
        if rng.random() < 0.9:
            bins = suanzi.sort(suanzi.unique(bins))
        edges = elements(bins)
        if len(edges) < 2 or not all(low < high for low, high in pairwise(edges)):
            return refused(case, suanzi.InvalidArgumentError, x, bins, **options)
    elif rng.random() < 0.5:
        options["range"] = (rng.uniform(-9, 0), rng.uniform(0, 9))
    values = elements(x)
    if isinstance(bins, int) and "range" not in options and not all(is_finite(v) for v in values):
        return refused(case, suanzi.InvalidArgumentError, x, bins, **options)
    try:
        found = case.call(x, bins, **options)
    except suanzi.InvalidArgumentError:
        low, high = (min(values), max(values)) if values else (Fraction(0), Fraction(1))
        width = 2 * unit(
            max(abs(low), abs(high)), floating(dtype) if dtype in ("float16", "bfloat16", "float32") else "float64"
        )
        narrow = (
            isinstance(bins, int)
            and "range" not in options
            and (high - low or 1) / bins < 2 * width * (2**13 if dtype == "float16" else 1)
        )
        return Outcome(name, REFUSED) if narrow else case.outcome("is refused")
    edges = elements(found.edges)
    if isinstance(bins, Tensor) and (found.edges.dtype != bins.dtype or edges != elements(bins)):
        return case.outcome(f"gives edges {found.edges!r}")
    if (
        isinstance(bins, int)
        and "range" not in options
        and values
        and not (edges[0] <= min(values) and max(values) <= edges[-1])
    ):
        return case.outcome(f"has elements outside of {found.edges!r}")
    places = [_bin(v, edges) for v in values]
    if not options["density"]:
        return case.outcome(_counts_problem(found.counts, places, weights, len(edges) - 1))
    return case.outcome(_density_problem(found.counts, places, weights, edges))


def _bin(value: Exact, edges: Sequence[Exact]) -> int | None:
    if is_nan(value) or value < edges[0] or value > edges[-1]:
        return None
    return min(bisect.bisect_right(edges, value), len(edges) - 1) - 1


def _density_problem(
    found: Tensor, places: Sequence[int | None], weights: Tensor | None, edges: Sequence[Exact]
) -> str | None:
    each = elements(weights) if weights is not None else [Fraction(1)] * len(places)
    sums, size = [Fraction(0)] * (len(edges) - 1), Fraction(0)
    for b, value in zip(places, each, strict=True):
        if b is not None:
            sums[b] += value
            size += abs(value)
    total = sum(sums, Fraction(0))
    if total == 0 or size > abs(total) * 1000 or not all(is_finite(v) for v in edges):
        return None
    result = dtype_of(found)
    wanted = [s / total / (high - low) for s, (low, high) in zip(sums, pairwise(edges), strict=True)]
    more = [TINY[8] * (len(places) + 8) * 1000 * size / abs(total) / (high - low) for low, high in pairwise(edges)]
    return values_problem(found, wanted, result, lambda i: (1, more[i]))


# --- covariances ---


def covariance(rng: random.Random, name: str) -> Outcome:
    case = Case(rng, name)
    dtype = rng.choice(NUMBERS)
    shape = rng.choice([(rng.randint(0, 8),), (rng.randint(1, 4), rng.randint(1, 8))])
    x = operand(rng, dtype, shape)
    options: dict[str, Any] = {}
    times, shares = [Fraction(1)] * shape[-1], [Fraction(1)] * shape[-1]
    correction = Fraction(1)
    if name == "cov":
        if rng.random() < 0.4:
            options["correction"] = rng.choice([0, 1, 0.5, 2])
            correction = Fraction(options["correction"])
        for key in ("fweights", "aweights"):
            if rng.random() < 0.3:
                kind = rng.choice(INTEGERS if key == "fweights" else FLOATING)
                values = [rng.choice([0, 1, 2, 3] if key == "fweights" else [0.0, 0.5, 1.0, 0.75, 2.0]) for _ in times]
                options[key] = suanzi.astype(suanzi.tensor(values or suanzi.zeros(0)), kind)
                if rng.random() < 0.1 and times and not kind.startswith("uint"):
                    options[key] = suanzi.where(suanzi.arange(shape[-1]) == 0, -1, options[key])
                    return refused(case, suanzi.InvalidArgumentError, x, **options)
                if key == "fweights":
                    times = [Fraction(v) for v in values]
                else:
                    shares = [Fraction(v) for v in values]
    found = case.call(x, **options)
    result = floating(dtype)
    m = 1 if len(shape) == 1 else shape[0]
    problem = kind_problem(found, result, () if len(shape) == 1 else (m, m))
    rows = [elements(x)] if len(shape) == 1 else [elements(row) for row in x]
    weights = [a * b for a, b in zip(times, shares, strict=True)]
    total = sum(weights, Fraction(0))
    divisor = total
    if total:
        divisor -= correction * sum((w * a for w, a in zip(weights, shares, strict=True)), Fraction(0)) / total
    wanted, bounds = [], []
    for i, j in indices((m, m)):
        value, more = _covariance(name, rows[i], rows[j], weights, total, divisor)
        if value is None:
            return case.skipped()
        wanted.append(value)
        bounds.append(more)
    return case.outcome(problem or values_problem(found, wanted, result, lambda i: (1, bounds[i])))


def _centred(row: list[Exact], weights: list[Fraction], total: Fraction) -> tuple[list[Any], Fraction]:
    parts = parts_of(row)
    means = [sum((v * w for v, w in zip(part, weights, strict=True)), Fraction(0)) / total for part in parts]
    centred = [[v - m for v in part] for part, m in zip(parts, means, strict=True)]
    return centred, max(magnitude(part) for part in parts)


def _covariance(
    name: str, a: list[Exact], b: list[Exact], weights: list[Fraction], total: Fraction, divisor: Fraction
) -> tuple[Any, Fraction]:
    nothing = (NAN, NAN) if a and isinstance(a[0], tuple) else NAN
    if total == 0 or divisor <= 0 or any(not is_finite(v) for row in (a, b) for part in parts_of(row) for v in part):
        return nothing, Fraction(0)
    (first, size_a), (second, size_b) = _centred(a, weights, total), _centred(b, weights, total)

    def product(p: list[Fraction], q: list[Fraction]) -> Fraction:
        return sum((x * y * w for x, y, w in zip(p, q, weights, strict=True)), Fraction(0)) / divisor

    real = sum((product(p, q) for p, q in zip(first, second, strict=True)), Fraction(0))
    imaginary = Fraction(0) if len(first) == 1 else product(first[1], second[0]) - product(first[0], second[1])
    spread_a, spread_b = (root(abs(sum((product(p, p) for p in parts), Fraction(0)))) for parts in (first, second))
    error = TINY[8] * (len(a) + 8) * 4
    scale = 1 + total / divisor
    more = error * scale * (spread_a * spread_b + size_a * spread_b + size_b * spread_a + error * size_a * size_b)
    if name == "corrcoef":
        if len({*map(str, a)}) == 1 or len({*map(str, b)}) == 1:
            return nothing, Fraction(0)
        if spread_a == 0 or spread_b == 0 or size_a > 10**4 * spread_a or size_b > 10**4 * spread_b:
            return None, Fraction(0)
        bound = 2 * more / (spread_a * spread_b) * max(size_a / spread_a, size_b / spread_b, 1)
        real, imaginary, more = real / spread_a / spread_b, imaginary / spread_a / spread_b, bound
    return (real if len(first) == 1 else (real, imaginary)), more
