"""NumPy's functions of tensors that several functions of ours make up; `numpy_functions` has the table of all."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import suanzi
from suanzi import Tensor, array_api, extras
from suanzi.tensor.exchange import as_tensor
from suanzi.tensor.status import InvalidArgumentError, TypeMismatchError


def diff(x: Tensor, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> Tensor:
    """NumPy gives the tensor itself for ``n=0``, without what is to stand before and after it."""
    return x if n == 0 else extras.diff(x, n, axis, prepend=prepend, append=append)


def is_real(x: Tensor) -> Tensor:
    """Whether each element has no imaginary part."""
    return suanzi.imag(x) == 0 if x.dtype.kind == "c" else suanzi.ones_like(x, dtype=suanzi.bool)


def is_complex(x: Tensor) -> Tensor:
    return suanzi.logical_not(is_real(x))


def nan_to_num(x: Tensor, copy: bool = True, nan: Any = 0.0, posinf: Any = None, neginf: Any = None) -> Tensor:
    """NaN, and the infinities, as numbers; by default 0 and the type's greatest and least."""
    if x.dtype.kind == "c":
        parts = (nan_to_num(part(x), True, nan, posinf, neginf) for part in (suanzi.real, suanzi.imag))
        finite = suanzi.complex(*parts)
    elif x.dtype.kind == "f":
        limits = array_api.finfo(x.dtype)
        finite = suanzi.where(suanzi.isnan(x), nan, x)
        finite = suanzi.where(x == math.inf, limits.max if posinf is None else posinf, finite)
        finite = suanzi.where(x == -math.inf, limits.min if neginf is None else neginf, finite)
    else:
        finite = suanzi.clone(x)
    if copy:
        return finite
    x[...] = finite
    return x


def sinc(x: Tensor) -> Tensor:
    """sin(pi x) / (pi x), 1 at 0."""
    angle = suanzi.where(x == 0, 1, x) * math.pi
    return suanzi.where(x == 0, 1, suanzi.sin(angle) / angle)


_FAR = 20  # from here on the asymptotic series of `i0` is as exact as float64


def i0(x: Tensor) -> Tensor:
    """The modified Bessel function of the first kind and order 0, computed in float64, within 10 ulp.

    Its power series, and from `_FAR` on its asymptotic series (DLMF, https://dlmf.nist.gov, 10.25.2 and 10.40.1): all
    terms are positive, so that nothing cancels.
    """
    if x.dtype.kind not in "buif":
        raise TypeMismatchError(f"numpy.i0: element type {x.dtype} is not real")
    size = suanzi.abs(suanzi.astype(x, suanzi.float64))
    near, quarter = suanzi.ones_like(size), suanzi.square(suanzi.minimum(size, _FAR)) / 4
    for k in range(50, 0, -1):
        near = near * quarter / k**2 + 1
    far, root = suanzi.ones_like(size), suanzi.maximum(size, _FAR)
    for k in range(30, 0, -1):
        far = far * ((2 * k - 1) ** 2 / (8 * k)) / root + 1
    half = suanzi.exp(root / 2)  # twice, as exp(x) overflows before the result does
    far = suanzi.where(size == math.inf, size, far / suanzi.sqrt(root * math.tau) * half * half)
    result = suanzi.where(size <= _FAR, near, far)
    return suanzi.astype(result, x.dtype if x.dtype.kind == "f" else suanzi.float32, copy=False)


def linspace(start: Any, stop: Any, num: int = 50, endpoint: bool = True, dtype: Any = None, axis: int = 0) -> Tensor:
    """Evenly spaced from each element of `start` to that of `stop`, along a new axis."""
    steps = suanzi.arange(num, dtype=suanzi.float64) / max(num - 1 if endpoint else num, 1)
    first, last = (suanzi.astype(as_tensor(x), suanzi.float64, copy=False) for x in (start, stop))
    spread = suanzi.reshape(steps, (num, *(1,) * max(first.ndim, last.ndim)))
    values = first * (1 - spread) + last * spread  # both ends exactly
    return suanzi.moveaxis(values if dtype is None else suanzi.astype(values, dtype), 0, axis)


def unravel_index(indices: Tensor, shape: int | Sequence[int]) -> tuple[Tensor, ...]:
    """Places in a flat tensor as indices along the axes of a shape."""
    sizes = (shape,) if isinstance(shape, int) else tuple(shape)
    _check_indices("unravel_index", indices, math.prod(sizes))
    places = []
    for size in reversed(sizes):
        places.append(suanzi.remainder(indices, size))
        indices = suanzi.floor_divide(indices, size)
    return tuple(reversed(places))


def ravel_multi_index(indices: Sequence[Any], dims: Sequence[int]) -> Tensor:
    """Indices along the axes of a shape as places in a flat tensor."""
    place: Any = 0
    for index, size in zip(indices, dims, strict=True):
        _check_indices("ravel_multi_index", as_tensor(index), size)
        place = place * size + index
    return as_tensor(place)


def _check_indices(name: str, indices: Tensor, bound: int) -> None:
    if indices.size and (int(suanzi.min(indices)) < 0 or int(suanzi.max(indices)) >= bound):
        raise InvalidArgumentError(f"numpy.{name}: an index is outside [0, {bound})")


def lstsq(a: Tensor, b: Tensor, rcond: float | None = None) -> tuple[Tensor, ...]:
    """NumPy's -1 stands for the type's epsilon, and it tells no residuals where they are not unique or all 0."""
    computed_in = a.dtype if a.dtype.kind in "fc" else suanzi.float32
    fit = suanzi.lstsq(a, b, rtol=array_api.finfo(computed_in).eps if rcond == -1 else rcond)
    unique = int(fit.rank) == a.shape[1] < a.shape[0]
    residuals = suanzi.reshape(fit.residuals, -1) if unique else suanzi.empty(0, dtype=fit.residuals.dtype)
    return fit.solution, residuals, fit.rank, fit.singular_values


def digitize(x: Tensor, bins: Tensor, right: bool = False) -> Tensor:
    """The bin of each element; the bounds of bins ascend or descend."""
    ascends, descends = (bool(suanzi.all(step)) for step in (bins[1:] >= bins[:-1], bins[1:] <= bins[:-1]))
    if ascends:
        return suanzi.searchsorted(bins, x, side="left" if right else "right")
    if descends:
        return bins.size - suanzi.searchsorted(suanzi.flip(bins), x, side="right" if right else "left")
    raise InvalidArgumentError("numpy.digitize: the bounds of bins neither ascend nor descend")


def interp(x: Tensor, xp: Tensor, fp: Tensor, left: Any = None, right: Any = None) -> Tensor:
    """On the straight lines between the points (xp, fp), in float64; beyond them the value at the end."""
    x, xp, fp = (suanzi.astype(as_tensor(v), suanzi.float64, copy=False) for v in (x, xp, fp))
    if xp.size == 1:
        inner = suanzi.full_like(x, fp[0])
    else:
        upper = suanzi.clip(suanzi.searchsorted(xp, x, side="right"), 1, xp.size - 1)
        x0, x1, y0, y1 = (suanzi.take(v, at) for v, at in ((xp, upper - 1), (xp, upper), (fp, upper - 1), (fp, upper)))
        inner = y0 + (y1 - y0) / (x1 - x0) * (x - x0)
    above = suanzi.where(x >= xp[-1], fp[-1], inner)
    result = suanzi.where(x <= xp[0], suanzi.where(x == xp[0], fp[0], fp[0] if left is None else left), above)
    return result if right is None else suanzi.where(x > xp[-1], right, result)
