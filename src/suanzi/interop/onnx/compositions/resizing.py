"""Resize and its forerunner Upsample.

What `interpolate` has too is its call. The rest is done an axis at a time: each place of the result lies somewhere on
the axis, and is the sum of the elements around with weights that depend on the distance.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar

import suanzi
from suanzi import DimensionsMismatchError, InvalidArgumentError, Tensor
from suanzi.interop.onnx.compositions.reading import Integers, positive_axes

Reals = tuple[float, ...]
Number = TypeVar("Number", int, float)


class Axis(NamedTuple):
    """How an axis is resized."""

    number: int
    length: int
    size: int  # of the result
    scale: float
    start: float  # the part of the axis that is read, in fractions of it; for tf_crop_and_resize
    end: float


class Kind(NamedTuple):
    """How elements are weighed; attributes of the node."""

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
    """`x` with other sizes, which are given, or multiples of its own."""
    along = positive_axes(axes, x.ndim, "Resize")
    kind = Kind(
        mode,
        coordinate_transformation_mode,
        nearest_mode,
        cubic_coeff_a,
        bool(antialias),
        bool(exclude_outside),
        extrapolation_value,
    )
    crops = kind.coordinates == "tf_crop_and_resize"
    parts = _parts(roi, len(along)) if crops else [(0.0, 1.0)] * len(along)
    if bool(scales) == bool(sizes):
        raise InvalidArgumentError("Resize: either scales or sizes are given")
    if scales:
        ratios = _one_each(scales, along, "scales")
        lengths: Sequence[int] = [
            math.floor(x.shape[i] * r * (b - a)) for i, r, (a, b) in zip(along, ratios, parts, strict=True)
        ]
    else:
        lengths, ratios = _fitted(x, along, _one_each(sizes or (), along, "sizes"), keep_aspect_ratio_policy)
    resized = [
        Axis(i, x.shape[i], length, ratio, *part)
        for i, length, ratio, part in zip(along, lengths, ratios, parts, strict=True)
    ]
    return _resized(x, resized, kind)


def upsample(x: Tensor, scales: Reals, *, mode: str) -> Tensor:
    """As `Resize` before opset 11: a place of the result, divided by the scale, is one of the axis."""
    ratios = _one_each(scales, tuple(range(x.ndim)), "scales")
    pairs = enumerate(zip(x.shape, ratios, strict=True))
    axes = [Axis(i, n, math.floor(n * ratio), ratio, 0.0, 1.0) for i, (n, ratio) in pairs]
    return _resized(x, axes, Kind("linear" if mode == "bilinear" else mode, "asymmetric", "floor"))


def _one_each(values: Sequence[Number], axes: Integers, what: str) -> Sequence[Number]:
    if len(values) != len(axes):
        raise DimensionsMismatchError(f"Resize: {len(values)} {what} are not one for each of {len(axes)} axes")
    if not all(value > 0 and math.isfinite(value) for value in values):
        raise InvalidArgumentError(f"Resize: {what} {tuple(values)} are not all positive and finite")
    return values


def _parts(roi: Reals | None, count: int) -> list[tuple[float, float]]:
    if roi is None or len(roi) != 2 * count:
        raise DimensionsMismatchError(f"Resize: roi {roi} is not a start and an end for each of {count} axes")
    return list(zip(roi[:count], roi[count:], strict=True))


def _fitted(x: Tensor, along: Integers, sizes: Sequence[int], policy: str) -> tuple[Sequence[int], Sequence[float]]:
    """The sizes and scales that come of the sizes given and the policy."""
    if 0 in (x.shape[i] for i in along):
        raise InvalidArgumentError(f"Resize: {x.shape} has no elements to make some of")
    ratios = [size / x.shape[i] for i, size in zip(along, sizes, strict=True)]
    if policy == "stretch":
        return sizes, ratios
    if policy not in ("not_larger", "not_smaller"):
        raise InvalidArgumentError(f"Resize: {policy!r} is not a policy of aspect ratios")
    ratio = min(ratios) if policy == "not_larger" else max(ratios)
    return [math.floor(ratio * x.shape[i] + 0.5) for i in along], [ratio] * len(along)


def _resized(x: Tensor, axes: list[Axis], kind: Kind) -> Tensor:
    if kind.mode not in ("nearest", *_KERNELS):
        raise InvalidArgumentError(f"Resize: mode {kind.mode!r} is not nearest, linear or cubic")
    axes = [axis for axis in axes if kind.coordinates == "tf_crop_and_resize" or axis.scale != 1]
    options = _interpolation(x, axes, kind)
    if options is not None:
        spatial = {axis.number: axis for axis in axes}
        if all(axis.scale == axis.size / axis.length for axis in axes):
            sizes = [spatial[i].size if i in spatial else x.shape[i] for i in range(2, x.ndim)]
            return suanzi.interpolate(x, sizes, **options)
        return suanzi.interpolate(
            x, None, [spatial[i].scale if i in spatial else 1.0 for i in range(2, x.ndim)], **options
        )
    for axis in axes:
        x = _nearest(x, axis, kind) if kind.mode == "nearest" else _weighted(x, axis, kind)
    return x


def _interpolation(x: Tensor, axes: list[Axis], kind: Kind) -> dict[str, Any] | None:
    """The options with which `interpolate` does the same; None where it does not."""
    if not 3 <= x.ndim <= 5 or x.size == 0 or any(axis.number < 2 for axis in axes) or kind.exclude_outside:
        return None
    name = _NAMES.get((kind.mode, x.ndim))
    corners = kind.coordinates == "align_corners" and all(a.scale * a.length == a.size for a in axes)
    if name is None or kind.antialias or kind.a != -0.75 or x.dtype.kind_name != "real floating":
        return None
    if not corners and kind.coordinates != "half_pixel":
        return None
    return {"mode": name, "align_corners": corners}


def _coordinates(axis: Axis, kind: Kind) -> Tensor:
    """Where each place of the result lies on the axis, in float64."""
    places = suanzi.arange(axis.size, dtype=suanzi.float64)
    width, last = axis.scale * axis.length, axis.length - 1
    match kind.coordinates:
        case "asymmetric":
            return places / axis.scale
        case "align_corners":
            return places * (0.0 if width == 1 else last / (width - 1))
        case "tf_crop_and_resize":
            first, part = axis.start * last, (axis.end - axis.start) * last
            return places + (first + part / 2) if axis.size == 1 else places * (part / (axis.size - 1)) + first
        case "pytorch_half_pixel" if axis.size == 1:
            return places - 0.5
        case "half_pixel" | "pytorch_half_pixel":
            return (places + 0.5) / axis.scale - 0.5
        case "half_pixel_symmetric":
            return (places + 0.5) / axis.scale - 0.5 + axis.length / 2 * (1 - axis.size / width)
    raise InvalidArgumentError(f"Resize: coordinate_transformation_mode {kind.coordinates!r} is not one of ONNX")


_NEAREST: dict[str, Callable[[Tensor], Tensor]] = {
    "round_prefer_floor": lambda x: suanzi.ceil(x - 0.5),
    "round_prefer_ceil": lambda x: suanzi.floor(x + 0.5),
    "floor": suanzi.floor,
    "ceil": suanzi.ceil,
}


def _nearest(x: Tensor, axis: Axis, kind: Kind) -> Tensor:
    if kind.nearest not in _NEAREST:
        raise InvalidArgumentError(f"Resize: nearest_mode {kind.nearest!r} is not one of {', '.join(_NEAREST)}")
    places = _coordinates(axis, kind)
    return _extrapolated(_element(x, axis, _NEAREST[kind.nearest](places)), axis, kind, places)


def _weighted(x: Tensor, axis: Axis, kind: Kind) -> Tensor:
    """Sums over the elements within reach of each place; past the ends stands the last element again."""
    dtype = x.dtype
    if dtype in (suanzi.float16, suanzi.bfloat16):
        x = suanzi.astype(x, suanzi.float32)
    elif not dtype.kind_name.endswith("floating"):
        x = suanzi.astype(x, suanzi.float64)
    places = _coordinates(axis, kind)
    base = suanzi.floor(places)
    kernel, reach = _KERNELS[kind.mode]
    stretch = min(axis.scale, 1.0) if kind.antialias else 1.0
    if axis.size and 1 / stretch > 2 * max(axis.length, 1):
        raise InvalidArgumentError(f"Resize: scale {axis.scale} leaves nothing of {axis.length} elements")
    if not axis.size:
        stretch = 1.0  # there are no weights
    first = math.floor(-reach / stretch) + 1
    weights = []
    for offset in range(first, 2 - first):
        weight = kernel((base + offset - places) * stretch, kind.a)
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
    return suanzi.astype(_extrapolated(result, axis, kind, places), dtype, copy=False)


def _element(x: Tensor, axis: Axis, places: Tensor) -> Tensor:
    """The elements at places, those past the ends at the ends."""
    index = suanzi.astype(suanzi.clip(places, 0.0, float(axis.length - 1)), suanzi.int64)
    return suanzi.index_select(x, index, axis.number)


def _spread(along: Tensor, x: Tensor, axis: Axis) -> Tensor:
    """A vector along the axis, in a shape that broadcasts with `x`."""
    return suanzi.reshape(along, (-1,) + (1,) * (x.ndim - 1 - axis.number))


def _extrapolated(result: Tensor, axis: Axis, kind: Kind, places: Tensor) -> Tensor:
    if kind.coordinates != "tf_crop_and_resize":
        return result
    outside = _spread((places < 0) | (places > axis.length - 1), result, axis)
    return suanzi.masked_fill(result, outside, kind.extrapolation_value)


def _triangle(distance: Tensor, a: float) -> Tensor:
    return suanzi.maximum(1.0 - suanzi.abs(distance), 0.0)


def _cubic(distance: Tensor, a: float) -> Tensor:
    """Convolution of Keys, "Cubic convolution interpolation for digital image processing", 1981."""
    d = suanzi.abs(distance)
    near = ((a + 2) * d - (a + 3)) * d * d + 1
    far = ((a * d - 5 * a) * d + 8 * a) * d - 4 * a
    return suanzi.where(d <= 1, near, suanzi.where(d < 2, far, suanzi.zeros_like(d)))


_KERNELS: dict[str, tuple[Callable[[Tensor, float], Tensor], int]] = {"linear": (_triangle, 1), "cubic": (_cubic, 2)}
_NAMES = {("linear", 3): "linear", ("linear", 4): "bilinear", ("linear", 5): "trilinear", ("cubic", 4): "bicubic"}
