"""The probes of interpolation: the weights of every result from the definition of its mode.

Sizes and scales are chosen so that positions are exact in every type: how a provider rounds them is its own affair.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from math import floor
from typing import Any

import numpy as np

from ..inputs import SEED, sample, types
from ..oracle.compare import Expected, exactly
from ..oracle.element_types import Array, ElementType, exact
from ..probe import Probe, Refusal, Value
from ..status import Status

# The weights of the elements that make up one result, by their place along an axis.
Weights = dict[int, float]
Rule = Callable[[int, int, int], Weights]  # of n elements, m results and the number of the result

_SHAPES = {1: (2, 3, 8), 2: (1, 2, 4, 8), 3: (1, 2, 2, 4, 8)}
_FACTORS = (2.0, 0.5, 4.0)


def _nearest(n: int, m: int, i: int) -> Weights:
    return {i * n // m: 1.0}


def _nearest_exact(n: int, m: int, i: int) -> Weights:
    return {(2 * i + 1) * n // (2 * m): 1.0}


def _area(n: int, m: int, i: int) -> Weights:
    places = range(i * n // m, -(-(i + 1) * n // m))
    return dict.fromkeys(places, 1 / len(places))


def _linear(n: int, m: int, i: int) -> Weights:
    position = min(max((i + 0.5) * n / m - 0.5, 0.0), n - 1.0)
    return {k: 1 - abs(position - k) for k in range(n) if abs(position - k) < 1}


def _aligned(n: int, m: int, i: int) -> Weights:
    position = i * (n - 1) / (m - 1)
    return {k: 1 - abs(position - k) for k in range(n) if abs(position - k) < 1}


def _cubic(n: int, m: int, i: int) -> Weights:
    position = (i + 0.5) * n / m - 0.5
    weights: Weights = {}
    for k in range(floor(position) - 1, floor(position) + 3):
        x, place = abs(position - k), min(max(k, 0), n - 1)
        near, far = 1.25 * x**3 - 2.25 * x**2 + 1, -0.75 * (x**3 - 5 * x**2 + 8 * x - 4)
        weights[place] = weights.get(place, 0.0) + (near if x < 1 else far)
    return weights


def _wide(n: int, m: int, i: int) -> Weights:
    centre, width = (i + 0.5) * n / m, max(n / m, 1.0)
    weights = {k: 1 - abs(k + 0.5 - centre) / width for k in range(n) if abs(k + 0.5 - centre) < width}
    return {k: w / sum(weights.values()) for k, w in weights.items()}


# The rule of a mode with its options, and the numbers of spatial dimensions that it takes.
_CHOOSING: dict[str, Rule] = {"nearest": _nearest, "nearest-exact": _nearest_exact}
_WEIGHING: tuple[tuple[dict[str, Any], Rule, tuple[int, ...]], ...] = (
    ({"mode": "linear"}, _linear, (1,)),
    ({"mode": "bilinear"}, _linear, (2,)),
    ({"mode": "trilinear"}, _linear, (3,)),
    ({"mode": "bilinear", "align_corners": True}, _aligned, (2,)),
    ({"mode": "bilinear", "antialias": True}, _wide, (2,)),
    ({"mode": "bicubic"}, _cubic, (2,)),
    ({"mode": "area"}, _area, (1, 2, 3)),
)


def _combine(x: Array, spatial: tuple[int, ...], rule: Rule) -> Array:
    """The sums of weighted elements in extended precision, one axis after the other."""
    for axis, m in enumerate(spatial, 2):
        rows = np.moveaxis(x, axis, 0)
        sums = [sum(w * rows[k] for k, w in rule(len(rows), m, i).items()) for i in range(m)]
        x = np.moveaxis(np.array(sums, np.longdouble), 0, axis)
    return x


def _choose(x: Array, spatial: tuple[int, ...], rule: Rule) -> Array:
    for axis, m in enumerate(spatial, 2):
        x = np.take(x, [next(iter(rule(x.shape[axis], m, i))) for i in range(m)], axis)
    return x


def _numbers(t: ElementType, shape: tuple[int, ...]) -> Array:
    return np.random.default_rng((SEED, *shape)).uniform(-1, 1, shape).astype(t.numpy)


def _sized(shape: tuple[int, ...], factor: float) -> tuple[int, ...]:
    return tuple(int(n * factor) for n in shape[2:])


def _interpolate(operator: str, available: frozenset[str]) -> Iterator[Probe]:
    for t in types(available):
        for mode, rule in _CHOOSING.items():
            for shape, factor in product(_SHAPES.values(), _FACTORS):
                x, options = sample(t, shape), {"mode": mode, "scale_factor": factor}
                expected = exactly(_choose(x, _sized(shape, factor), rule))
                yield Value(operator, f"{t.name} {shape} {options}", (x,), expected, options)
    for t in types(available, "F"):
        for (chosen, rule, ranks), factor in product(_WEIGHING, _FACTORS):
            for shape in (_SHAPES[rank] for rank in ranks):
                for label, x in (("", _numbers(t, shape)), (", reversed", _numbers(t, shape)[..., ::-1])):
                    spatial = _sized(shape, factor)
                    reference = _combine(exact(x), spatial, rule)
                    # A few roundings of sums of numbers up to 1, which weigh up to 2 together.
                    one = np.ones(reference.shape, np.longdouble)
                    expected = Expected(t, reference, 8.0, 2 * one, signed_zero=False)
                    options = {**chosen, "size": spatial}
                    yield Value(operator, f"{t.name} {shape}{label} {options}", (x,), expected, options)
    yield from _refusals(operator)


def _refusals(operator: str) -> Iterator[Probe]:
    image, signal = np.ones((1, 1, 2, 2), np.float32), np.ones((1, 1, 2), np.float32)
    for label, x, options, status in (
        ("neither size nor scale", image, {}, Status.INVALID_ARGUMENT),
        ("both size and scale", image, {"size": 2, "scale_factor": 2.0}, Status.INVALID_ARGUMENT),
        ("a size of zero", image, {"size": 0}, Status.INVALID_ARGUMENT),
        ("a scale that is not finite", image, {"scale_factor": np.inf}, Status.INVALID_ARGUMENT),
        ("no such mode", image, {"size": 2, "mode": "none"}, Status.INVALID_ARGUMENT),
        ("two dimensions for one", image, {"size": 2, "mode": "linear"}, Status.DIMENSIONS_MISMATCH),
        ("one dimension for two", signal, {"size": 2, "mode": "bilinear"}, Status.DIMENSIONS_MISMATCH),
        ("a matrix", image[0, 0], {"size": 2}, Status.DIMENSIONS_MISMATCH),
    ):
        yield Refusal(operator, label, (x,), status, options)


PROBES = {"interpolate": _interpolate}
