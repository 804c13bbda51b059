"""The operators Resize and Upsample, the predecessor of Resize.

If options of `suanzi.interpolate` lead to the same result, `interpolate` computes the result. Otherwise this module
resizes one axis at a time. Each place of the result corresponds to a position on the axis, and the value at the place
is a sum of nearby elements. The weight of an element depends on the distance of the element from the position.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple, TypeVar

import suanzi
from suanzi import DimensionsMismatchError, DType, InvalidArgumentError, Tensor, tuning
from suanzi.interop.onnx.compositions.reading import Integers, positive_axes
from suanzi.tensor.messages import shown

Reals = tuple[float, ...]
Number = TypeVar("Number", int, float)

_NOTHING = Fraction(0)
_MOST_EXACT_PLACES = 2**62


class Axis(NamedTuple):
    """The parameters of the resizing of one axis."""

    number: int
    length: int
    size: int  # the size of the result
    scale: Fraction
    start: Fraction  # the bounds of the part to resize, as fractions of the length
    end: Fraction


class Kind(NamedTuple):
    """The attributes of a node that determine the weights of elements."""

    mode: str
    coordinates: str
    nearest: str = "round_prefer_floor"
    a: float = -0.75
    antialias: bool = False
    exclude_outside: bool = False
    extrapolation_value: float = 0.0


def resize(
    x: Tensor,
    roi: Reals | None = None,
    scales: Reals | None = None,
    sizes: Integers | None = None,
    *,
    mode: str,
    coordinate_transformation_mode: str,
    nearest_mode: str,
    cubic_coeff_a: float,
    exclude_outside: int,
    extrapolation_value: float,
    antialias: int = 0,
    axes: Integers | None = None,
    keep_aspect_ratio_policy: str = "stretch",
) -> Tensor:
    """Return `x` resized to given sizes, or by given scales."""
    kind = Kind(
        mode,
        coordinate_transformation_mode,
        nearest_mode,
        cubic_coeff_a,
        bool(antialias),
        bool(exclude_outside),
        extrapolation_value,
    )
    return _resized(x, _resized_axes(x.shape, roi, scales, sizes, kind, axes, keep_aspect_ratio_policy), kind)


@lru_cache(maxsize=256)
def _resized_axes(
    shape: tuple[int, ...], roi: Reals | None, scales: Reals | None, sizes: Integers | None, kind: Kind,
    axes: Integers | None, policy: str,
) -> tuple[Axis, ...]:  # fmt: skip
    along = positive_axes(axes, len(shape), "Resize")
    crops = kind.coordinates == "tf_crop_and_resize"
    parts = _parts(roi, len(along)) if crops else [(Fraction(0), Fraction(1))] * len(along)
    if bool(scales) == bool(sizes):
        raise InvalidArgumentError("Resize: the node must have either scales or sizes")
    if scales:
        ratios: Sequence[Fraction] = list(map(rational, _one_each(scales, along, "scales")))
        lengths: Sequence[int] = [
            math.floor(shape[i] * r * max(b - a, _NOTHING)) for i, r, (a, b) in zip(along, ratios, parts, strict=True)
        ]
    else:
        lengths, ratios = _fitted(shape, along, _one_each(sizes or (), along, "sizes"), policy)
    resized = zip(along, lengths, ratios, parts, strict=True)
    return tuple(Axis(i, shape[i], length, ratio, *part) for i, length, ratio, part in resized)


def upsample(x: Tensor, scales: Reals, *, mode: str) -> Tensor:
    if not all(scale >= 1 for scale in scales):
        raise InvalidArgumentError(f"Upsample: scales {shown(scales)} are not all at least 1")
    return resize_10(x, scales, mode=mode)


def resize_10(x: Tensor, scales: Reals, *, mode: str) -> Tensor:
    """Return `x` resized as before opset 11: the position on an axis is the place of the result divided by the
    scale.
    """
    ratios = map(rational, _one_each(scales, tuple(range(x.ndim)), "scales"))
    pairs = enumerate(zip(x.shape, ratios, strict=True))
    axes = tuple(Axis(i, n, math.floor(n * ratio), ratio, Fraction(0), Fraction(1)) for i, (n, ratio) in pairs)
    return _resized(x, axes, Kind("linear" if mode == "bilinear" else mode, "asymmetric", "floor"))


def _one_each(values: Sequence[Number], axes: Integers, what: str) -> Sequence[Number]:
    if len(values) != len(axes):
        raise DimensionsMismatchError(f"Resize: {len(values)} {what} do not fit {len(axes)} axes")
    if not all(value > 0 and math.isfinite(value) for value in values):
        raise InvalidArgumentError(f"Resize: {what} {tuple(values)} are not all positive and finite")
    return values


def _parts(roi: Reals | None, count: int) -> list[tuple[Fraction, Fraction]]:
    if roi is None or len(roi) != 2 * count:
        raise DimensionsMismatchError(f"Resize: roi {shown(roi)} is not a start and an end for each of {count} axes")
    if not all(map(math.isfinite, roi)):
        raise InvalidArgumentError(f"Resize: roi {shown(roi)} is not finite")
    places = list(map(rational, roi))
    return list(zip(places[:count], places[count:], strict=True))


def rational(x: float) -> Fraction:
    """Return the simplest fraction that float32 rounds to `x`, probably the intended number, such as 7/10 or 1/3.

    Sizes and places that are computed from fractions are exact. For example, 10 elements times 0.7 are 7, and no
    rounding moves a place.
    """
    exact = Fraction(x)
    if exact.denominator <= tuning.MOST_EXACT or not math.ulp(1.0) < abs(x) < 2.0**24:
        return exact
    half = Fraction(math.ldexp(1.0, math.frexp(x)[1] - 25))  # half of the distance between neighbours in float32
    return _simplest(exact - half, exact + half)


def _simplest(low: Fraction, high: Fraction) -> Fraction:
    """Return the fraction with the least denominator between two fractions of the same sign, by continued fractions."""
    if low < 0:
        return -_simplest(-high, -low)
    whole = math.ceil(low)
    if whole <= high:
        return Fraction(whole)
    below = math.floor(low)
    return below + 1 / _simplest(1 / (high - below), 1 / (low - below))


def _fitted(
    shape: tuple[int, ...], along: Integers, sizes: Sequence[int], policy: str
) -> tuple[Sequence[int], Sequence[Fraction]]:
    """Return the sizes and scales that follow from the given sizes and the policy."""
    if 0 in (shape[i] for i in along):
        raise InvalidArgumentError(f"Resize: {shape} has no elements to resize")
    ratios = [Fraction(size, shape[i]) for i, size in zip(along, sizes, strict=True)]
    if policy == "stretch":
        return sizes, ratios
    if policy not in ("not_larger", "not_smaller"):
        raise InvalidArgumentError(f"Resize: {policy!r} is not a policy of aspect ratios")
    ratio = min(ratios) if policy == "not_larger" else max(ratios)
    return [math.floor(ratio * shape[i] + Fraction(1, 2)) for i in along], [ratio] * len(along)


def _resized(x: Tensor, axes: tuple[Axis, ...], kind: Kind) -> Tensor:
    if kind.mode not in ("nearest", *_KERNELS):
        raise InvalidArgumentError(f"Resize: mode {kind.mode!r} is not nearest, linear or cubic")
    if kind.coordinates != "tf_crop_and_resize":
        axes = tuple(axis for axis in axes if axis.scale != 1)
    if x.size and (kind.mode == "nearest" or x.dtype.kind_name == "real floating"):
        options = _interpolation(x.shape, axes, kind)
        if options is not None:
            return suanzi.interpolate(x, **options)
    if kind.mode == "nearest":
        for axis in axes:
            x = _nearest(x, axis, kind)
        return x
    floats = x.dtype.kind_name.endswith("floating")
    result = x if floats else suanzi.astype(x, suanzi.float64)
    for axis in axes:
        result = _weighted(result, axis, kind)
    return result if floats or not axes else _cut(result, x.dtype)


def _cut(x: Tensor, dtype: DType) -> Tensor:
    """Return real numbers truncated to integers. A number that is an integer up to rounding becomes that integer."""
    whole = suanzi.rint(x)
    is_whole = suanzi.less_equal(suanzi.abs(x - whole), (suanzi.abs(whole) + 1) * 2.0**-40)
    return suanzi.astype(suanzi.where(is_whole, whole, suanzi.trunc(x)), dtype)


@lru_cache(maxsize=256)
def _interpolation(shape: tuple[int, ...], axes: tuple[Axis, ...], kind: Kind) -> dict[str, Any] | None:
    """Return the options with which `suanzi.interpolate` computes Resize, or None if no options lead to the same
    result.
    """
    if not 3 <= len(shape) <= 5 or any(axis.number < 2 or axis.size == 0 for axis in axes) or kind.exclude_outside:
        return None
    options = _mode(len(shape), axes, kind)
    if options is None:
        return None
    spatial = {axis.number: axis for axis in axes}
    if all(axis.scale * axis.length == axis.size for axis in axes):
        return {"size": [spatial[i].size if i in spatial else shape[i] for i in range(2, len(shape))], **options}
    if all(math.floor(float(axis.scale) * axis.length) == axis.size for axis in axes):
        scales = [float(spatial[i].scale) if i in spatial else 1.0 for i in range(2, len(shape))]
        return {"scale_factor": scales, **options}
    return None


def _mode(rank: int, axes: tuple[Axis, ...], kind: Kind) -> dict[str, Any] | None:
    """Return the options `mode` and `align_corners` of `suanzi.interpolate`, or None if no mode computes the result."""
    if kind.mode == "nearest":
        return {"mode": "nearest-exact"} if all(_repeats(axis, kind) for axis in axes) else None
    name = _NAMES.get((kind.mode, rank))
    corners = kind.coordinates == "align_corners" and all(a.scale * a.length == a.size for a in axes)
    if name is None or kind.antialias or kind.a != -0.75 or not (corners or kind.coordinates == "half_pixel"):
        return None
    return {"mode": name, "align_corners": corners}


def _repeats(axis: Axis, kind: Kind) -> bool:
    """Return whether the scale of an axis is an integer n, and Resize only repeats each element n times."""
    is_whole = axis.scale.denominator == 1 and axis.size == axis.scale * axis.length
    return is_whole and axis.size <= tuning.MOST_PLACES and kind.coordinates in _REPEATING.get(kind.nearest, ())


# `_CENTRED` has the coordinate modes in which every position is less than 0.5 away from an element. `_REPEATING` has,
# for each rounding, the coordinate modes in which Resize repeats every element equally often.
_CENTRED = ("half_pixel", "half_pixel_symmetric", "pytorch_half_pixel")
_REPEATING = {"floor": ("asymmetric",), "round_prefer_floor": _CENTRED, "round_prefer_ceil": _CENTRED}


class Places(NamedTuple):
    """The positions on an axis, one for each place of the result. The positions are fractions with a common
    denominator, so no position is rounded.
    """

    numerators: Tensor  # a tensor of int64
    denominator: int

    def floor(self, shift: Fraction = _NOTHING) -> Tensor:
        """Return the greatest integer not above each position plus `shift`."""
        return suanzi.floor_divide(self.numerators + int(shift * self.denominator), self.denominator)

    def ceil(self, shift: Fraction = _NOTHING) -> Tensor:
        """Return the least integer not below each position plus `shift`."""
        return suanzi.negative(Places(suanzi.negative(self.numerators), self.denominator).floor(-shift))

    def outside(self, length: int) -> Tensor:
        """Return whether each place is before the first element of an axis or past the last element."""
        return (self.numerators < 0) | (self.numerators > (length - 1) * self.denominator)


def _coordinates(axis: Axis, kind: Kind) -> Places:
    """Return the position for each place of the result. A position is a linear function of the place's index."""
    step, first = _line(axis, kind)
    denominator = 2 * math.lcm(step.denominator, first.denominator)  # even, so that halves can be added
    slope, start = int(step * denominator), int(first * denominator)
    if abs(start) + abs(slope) * axis.size + (axis.length + 2) * denominator >= _MOST_EXACT_PLACES:
        # For scales near the limits of floats, or bounds with many digits, all positions far outside the axis read
        # the end of the axis.
        denominator, far = 2 * tuning.MOST_EXACT, Fraction(4 * (axis.length + 4))
        exact = (min(max(i * step + first, -far), far) for i in range(axis.size))
        rounded = [round(place * denominator) for place in exact]
        return Places(suanzi.tensor(rounded, dtype=suanzi.int64), denominator)
    return Places(suanzi.arange(axis.size, dtype=suanzi.int64) * slope + start, denominator)


def _line(axis: Axis, kind: Kind) -> tuple[Fraction, Fraction]:
    """Return the distance between neighbouring positions, and the first position."""
    width, last, half = axis.scale * axis.length, axis.length - 1, Fraction(1, 2)
    centred = half / axis.scale - half
    match kind.coordinates:
        case "asymmetric":
            return 1 / axis.scale, _NOTHING
        case "align_corners":
            return _NOTHING if width == 1 else last / (width - 1), _NOTHING
        case "tf_crop_and_resize":
            first, part = axis.start * last, (axis.end - axis.start) * last
            return (_NOTHING, first + part / 2) if axis.size == 1 else (part / (axis.size - 1), first)
        case "pytorch_half_pixel" if axis.size == 1:
            return _NOTHING, _NOTHING
        case "half_pixel" | "pytorch_half_pixel":
            return 1 / axis.scale, centred
        case "half_pixel_symmetric":
            return 1 / axis.scale, centred + (Fraction(axis.length, 2) * (1 - axis.size / width) if width else 0)
    raise InvalidArgumentError(f"Resize: ONNX does not define coordinate_transformation_mode {kind.coordinates!r}")


_NEAREST: dict[str, Callable[[Places], Tensor]] = {
    "round_prefer_floor": lambda places: places.ceil(Fraction(-1, 2)),
    "round_prefer_ceil": lambda places: places.floor(Fraction(1, 2)),
    "floor": Places.floor,
    "ceil": Places.ceil,
}


def _nearest(x: Tensor, axis: Axis, kind: Kind) -> Tensor:
    if kind.nearest not in _NEAREST:
        raise InvalidArgumentError(f"Resize: nearest_mode {kind.nearest!r} is not one of {', '.join(_NEAREST)}")
    places = _coordinates(axis, kind)
    return _extrapolated(_element(x, axis, _NEAREST[kind.nearest](places)), axis, kind, places)


def _weighted(x: Tensor, axis: Axis, kind: Kind) -> Tensor:
    """Return weighted sums of the elements near each position. The elements at the ends repeat beyond the ends."""
    places = _coordinates(axis, kind)
    base = places.floor()
    rest = suanzi.astype(places.numerators - base * places.denominator, suanzi.float64) / places.denominator
    kernel, reach = _KERNELS[kind.mode]
    stretch = min(float(axis.scale), 1.0) if kind.antialias else 1.0
    if axis.size and 1 / stretch > 2 * max(axis.length, 1):
        raise InvalidArgumentError(f"Resize: scale {float(axis.scale)} is too small for {axis.length} elements")
    if not axis.size:
        stretch = 1.0  # an empty result needs no weights
    first = math.floor(-reach / stretch) + 1
    weights = []
    for offset in range(first, 2 - first):
        weight = kernel((offset - rest) * stretch, kind.a)
        if kind.exclude_outside:
            weight = weight * ((base + offset >= 0) & (base + offset < axis.length))
        weights.append(weight)
    if kind.antialias or kind.exclude_outside:
        total = suanzi.sum(suanzi.stack(weights), 0)
        weights = [weight / total for weight in weights]
    result: Any = None
    for offset, weight in zip(range(first, 2 - first), weights, strict=True):
        term = _element(x, axis, base + offset) * _spread(suanzi.astype(weight, x.dtype), x, axis)
        result = term if result is None else suanzi.add(result, term, out=result)
    return _extrapolated(result, axis, kind, places)


def _element(x: Tensor, axis: Axis, places: Tensor) -> Tensor:
    """Return the elements at integer positions. For a position beyond an end, return the element at that end."""
    index = suanzi.clip(places, 0, axis.length - 1)
    return suanzi.index_select(x, index, axis.number)


def _spread(along: Tensor, x: Tensor, axis: Axis) -> Tensor:
    """Return a vector along the axis in a shape that broadcasts with `x`."""
    return suanzi.reshape(along, (-1,) + (1,) * (x.ndim - 1 - axis.number))


def _extrapolated(result: Tensor, axis: Axis, kind: Kind, places: Places) -> Tensor:
    if kind.coordinates != "tf_crop_and_resize":
        return result
    outside = _spread(places.outside(axis.length), result, axis)
    return suanzi.masked_fill(result, outside, kind.extrapolation_value)


def _triangle(distance: Tensor, a: float) -> Tensor:
    return suanzi.maximum(1.0 - suanzi.abs(distance), 0.0)


def _cubic(distance: Tensor, a: float) -> Tensor:
    """Return weights of cubic convolution (Keys, "Cubic convolution interpolation for digital image processing",
    1981).
    """
    d = suanzi.abs(distance)
    near = ((a + 2) * d - (a + 3)) * d * d + 1
    far = ((a * d - 5 * a) * d + 8 * a) * d - 4 * a
    return suanzi.where(d <= 1, near, suanzi.where(d < 2, far, suanzi.zeros_like(d)))


_KERNELS: dict[str, tuple[Callable[[Tensor, float], Tensor], int]] = {"linear": (_triangle, 1), "cubic": (_cubic, 2)}
_NAMES = {("linear", 3): "linear", ("linear", 4): "bilinear", ("linear", 5): "trilinear", ("cubic", 4): "bicubic"}
