"""Models of interpolation. The weights of each result follow from the definition of the mode in PyTorch's
`interpolate`.

Result i of m along an axis corresponds to a position among the n elements of the axis. The mode defines the elements
that contribute to the result, and the weights of these elements.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from math import floor
from typing import Any

import numpy as np

from ..compare import Expected
from ..element_types import Array, exact, type_of
from .model import Elements, Model, Shape

_MANY = 10_000  # the sums of longer operands are computed in double precision, which is exact enough

# The weights of the elements that contribute to one result, by the place of each element along an axis.
Weights = dict[int, float]
Rule = Callable[[int, int, int, float], Weights]  # arguments: n elements, m results, the result's number, the scale


def nearest(n: int, m: int, i: int, scale: float) -> Weights:
    return {min(floor(i * scale), n - 1): 1.0}


def nearest_exact(n: int, m: int, i: int, scale: float) -> Weights:
    return {min(floor((i + 0.5) * scale), n - 1): 1.0}


def area(n: int, m: int, i: int, scale: float) -> Weights:
    places = range(i * n // m, -(-(i + 1) * n // m))
    return dict.fromkeys(places, 1 / len(places))


def _hats(position: float, n: int) -> Weights:
    first = floor(position)
    return {k: 1 - abs(position - k) for k in range(first, min(first + 2, n)) if abs(position - k) < 1}


def linear(n: int, m: int, i: int, scale: float) -> Weights:
    return _hats(min(max((i + 0.5) * scale - 0.5, 0.0), n - 1.0), n)


def linear_aligned(n: int, m: int, i: int, scale: float) -> Weights:
    return _hats(_aligned(n, m, i), n)


def _aligned(n: int, m: int, i: int) -> float:
    """Return the position of result i if `align_corners` is True. The first result is at the first element, and the
    last result is at the last element. A single result is at the first element.
    """
    return i * (n - 1) / (m - 1) if m > 1 else 0.0


def _convolved(position: float, n: int) -> Weights:
    weights: Weights = {}
    for k in range(floor(position) - 1, floor(position) + 3):
        place = min(max(k, 0), n - 1)
        weights[place] = weights.get(place, 0.0) + _cubic_weight(abs(position - k), -0.75)
    return weights


def _cubic_weight(x: float, a: float) -> float:
    if x < 1:
        return (a + 2) * x**3 - (a + 3) * x**2 + 1
    return a * (x**3 - 5 * x**2 + 8 * x - 4) if x < 2 else 0.0


def cubic(n: int, m: int, i: int, scale: float) -> Weights:
    return _convolved((i + 0.5) * scale - 0.5, n)


def cubic_aligned(n: int, m: int, i: int, scale: float) -> Weights:
    return _convolved(_aligned(n, m, i), n)


def _stretched(n: int, m: int, i: int, scale: float, support: float, weight: Callable[[float], float]) -> Weights:
    """Return the weights of all elements that contribute to a result if `antialias` is True. The function `weight` is
    stretched, and the weights have the sum 1.
    """
    centre, width = (i + 0.5) * scale, max(scale, 1.0)
    reach = support * width
    places = range(max(int(centre - reach + 0.5), 0), min(int(centre + reach + 0.5), n))
    weights = {k: weight(abs(k + 0.5 - centre) / width) for k in places}
    total = sum(weights.values())
    return {k: w / total for k, w in weights.items()}


def linear_stretched(n: int, m: int, i: int, scale: float) -> Weights:
    return _stretched(n, m, i, scale, 1.0, lambda x: max(1 - x, 0.0))


def cubic_stretched(n: int, m: int, i: int, scale: float) -> Weights:
    return _stretched(n, m, i, scale, 2.0, lambda x: _cubic_weight(x, -0.5))


# For each mode: the rules without options, with align_corners and with antialias, and the possible numbers of spatial
# dimensions.
MODES: dict[str, tuple[Rule, Rule | None, Rule | None, tuple[int, ...]]] = {
    "nearest": (nearest, None, None, (1, 2, 3)),
    "nearest-exact": (nearest_exact, None, None, (1, 2, 3)),
    "linear": (linear, linear_aligned, None, (1,)),
    "bilinear": (linear, linear_aligned, linear_stretched, (2,)),
    "bicubic": (cubic, cubic_aligned, cubic_stretched, (2,)),
    "trilinear": (linear, linear_aligned, None, (3,)),
    "area": (area, None, None, (1, 2, 3)),
}


def resized(
    x: Array,
    size: Any = None,
    scale_factor: float | None = None,
    mode: str = "nearest",
    align_corners: bool = False,
    antialias: bool = False,
) -> Expected:
    """Return the expected result of `interpolate`. The bound allows some roundings, but modes that only select elements
    must be exact.
    """
    t, spatial = type_of(x), x.ndim - 2
    plain, aligned, stretched, _ = MODES[mode]
    rule = (aligned if align_corners else stretched if antialias else plain) or plain
    sizes = (size,) * spatial if isinstance(size, int) else size
    if scale_factor is not None:
        sizes = tuple(floor(n * scale_factor) for n in x.shape[2:])
    values = exact(x)
    for axis, m in enumerate(sizes, 2):
        n = values.shape[axis]
        scale = n / m if scale_factor is None or mode == "area" else 1 / scale_factor
        rows = np.moveaxis(values, axis, 0)
        if mode.startswith("nearest"):
            combined = rows[[next(iter(rule(n, m, i, scale))) for i in range(m)]]
        else:
            weights = _matrix(rule, n, m, scale)
            if values.size > _MANY:
                weights, rows = weights.astype(np.float64), rows.astype(np.float64)
            combined = np.tensordot(weights, rows, 1)
        values = np.moveaxis(combined, 0, axis)
    if mode.startswith("nearest"):
        return Expected(t, values)
    # The absolute values of a result's weights have a sum of at most 2. The positions are rounded as well as the sums.
    size_of = 2 * max(1.0, float(np.abs(exact(x)).max(initial=0)))
    bound = 8.0 if t.bits == 16 else 8.0 + 2 * max(x.shape[2:], default=1)
    return Expected(t, values, bound, np.full(values.shape, size_of), signed_zero=False)


@cache
def _matrix(rule: Rule, n: int, m: int, scale: float) -> Array:
    """Return the weights of n elements in each of m results."""
    found = np.zeros((m, n), np.longdouble)
    for i in range(m):
        for k, weight in rule(n, m, i, scale).items():
            found[i, k] = weight
    return found


def _batch(elements: Elements, shape: Shape) -> tuple[Any, ...]:
    return (elements.any(shape),)


def _numbers(elements: Elements, shape: Shape) -> tuple[Any, ...]:
    return (elements.moderate(shape),)


_SHAPES: dict[int, Shape] = {1: (2, 3, 7), 2: (2, 3, 5, 7), 3: (1, 2, 3, 4, 5)}
_LONG: dict[int, Shape] = {1: (1, 97, 1009), 2: (1, 4, 140, 150), 3: (1, 2, 20, 30, 40)}  # 2^17 results or more
_LONG_VARIANT: dict[int, Shape] = {1: (1, 3, 1009), 2: (1, 1, 67, 131), 3: (1, 1, 9, 17, 33)}


def _sizes(shape: Shape) -> tuple[Any, ...]:
    """Return values of the option `size`: larger and smaller sizes, different sizes along each axis, 1, and the
    operand's own sizes.
    """
    spatial = len(shape) - 2
    several = [
        tuple((n * up + extra) // down or 1 for n in shape[2:]) for up, down, extra in ((7, 5, 1), (5, 7, 0), (3, 1, 0))
    ]
    mixed = tuple(n + 2 if axis % 2 else max(n - 2, 1) for axis, n in enumerate(shape[2:]))
    return (*several, mixed, (1,) * spatial, (2,) * spatial, 4, shape[2:])


def _models(mode: str) -> tuple[Model, ...]:
    _, aligned, stretched, dimensions = MODES[mode]
    chosen = mode.startswith("nearest")
    variants: list[dict[str, Any]] = [{}]
    variants += [{"align_corners": True}] if aligned else []
    variants += [{"antialias": True}, {"antialias": True, "align_corners": False}] if stretched else []
    return tuple(
        Model(
            "interpolate",
            resized,
            "BIFC" if chosen else "F",
            _batch if chosen else _numbers,
            choices={"size": _sizes},
            constant={"mode": mode, **variant},
            by_place=("size",),
            shape=_SHAPES[spatial],
            ranks=(),
            empty=(),
            long=((_LONG_VARIANT if variant else _LONG)[spatial],),
            special="",
            arranged=not variant,
        )
        for spatial in dimensions
        for variant in variants
    )


MODELS = tuple(model for mode in MODES for model in _models(mode))
