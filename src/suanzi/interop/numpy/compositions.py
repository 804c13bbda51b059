"""NumPy's functions of tensors that several functions of ours make up; `functions` has the table of all."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import suanzi
from suanzi import Tensor, _core, array_api, extras
from suanzi.extras.operands import floating_type, widest
from suanzi.interop.numpy.arguments import element_type, operand
from suanzi.kinds.devices import placed
from suanzi.operators.arguments import DeviceLike
from suanzi.tensor.dtypes import DType, as_dtype
from suanzi.tensor.exchange import as_tensor
from suanzi.tensor.messages import shown
from suanzi.tensor.status import InvalidArgumentError, TypeMismatchError


def diff(x: Tensor, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> Tensor:
    """NumPy returns the tensor itself for ``n=0``, without `prepend` and `append`."""
    return x if n == 0 else extras.diff(x, n, axis, prepend=prepend, append=append)


def is_real(x: Tensor) -> Tensor:
    """Return whether no element has an imaginary part."""
    return suanzi.imag(x) == 0 if x.dtype.kind == "c" else suanzi.ones_like(x, dtype=suanzi.bool)


def is_complex(x: Tensor) -> Tensor:
    return suanzi.logical_not(is_real(x))


def nan_to_num(x: Tensor, copy: bool = True, nan: Any = 0.0, posinf: Any = None, neginf: Any = None) -> Tensor:
    """NaN, and the infinities, as numbers; by default 0 and the type's greatest and least."""
    nan, posinf, neginf = (None if v is None else operand("numpy.nan_to_num", v) for v in (nan, posinf, neginf))
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
    """sin(pi x) / (pi x), 1 at 0; computed in double precision, of the distance to the nearest integer."""
    wide = widest(x)
    nearest = suanzi.rint(suanzi.real(wide) if wide.dtype.kind == "c" else wide)
    sine = suanzi.sin((wide - nearest) * math.pi)
    odd = suanzi.remainder(nearest, 2) != 0
    angle = suanzi.where(wide == 0, 1, wide * math.pi)
    found = suanzi.where(wide == 0, 1, suanzi.where(odd, -sine, sine) / angle + 0)
    return suanzi.astype(found, floating_type(x), copy=False)


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


def linspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: Any = None,
    axis: int = 0,
    device: DeviceLike | None = None,
) -> Any:
    """Evenly spaced from each element of `start` to that of `stop`, along a new axis; integers are rounded down.

    As NumPy has it: multiples of a step, and the last one exactly.
    """
    name = "numpy.linspace"
    num = _core.read_integer(name, "num", num)
    if num < 0:
        raise InvalidArgumentError(f"{name}: num = {num} is negative")
    ends = [as_tensor(x, None, name) for x in (start, stop)]
    wanted = _spaced_type(start, stop) if dtype is None else element_type(name, dtype)
    if any(x.dtype.kind == "c" for x in ends) and wanted.kind != "c":
        raise TypeMismatchError(f"{name}: complex ends cannot become {wanted}")
    first, last = suanzi.broadcast_arrays(*map(widest, ends))
    parts = max(num - 1 if endpoint else num, 1)
    values = _spaced(first, last, num, parts)
    if endpoint and num > 1:
        values[-1] = last
    if wanted.is_integer:
        values = suanzi.floor(values)
    found = placed(suanzi.moveaxis(suanzi.astype(values, wanted, copy=False), 0, axis), device, name)
    if not retstep:
        return found
    has_step = num > 1 if endpoint else num > 0
    step = (last - first) / parts if has_step else suanzi.full_like(first, math.nan)
    return found, suanzi.astype(step, _spaced_type(start, stop), copy=False)


def _spaced(first: Tensor, last: Tensor, num: int, parts: int) -> Tensor:
    places = suanzi.reshape(suanzi.arange(num, dtype=suanzi.float64), (num, *(1,) * first.ndim))
    distance = last - first
    step = distance / parts
    # A step of 0 is one past the type's least number; a distance may be past its greatest.
    steps = suanzi.where(step == 0, places / parts * distance, places * step)
    share = places / parts
    return suanzi.where(suanzi.isfinite(distance), steps + first, first * (1 - share) + last * share)


def _spaced_type(*ends: Any) -> DType:
    """Return the type of floating ends, if a tensor has one; float64 for integers and for numbers, as in NumPy."""
    plain = [type(x)(0) for x in ends if isinstance(x, int | float | complex)]
    tensors = [as_tensor(x, None, "numpy.linspace") for x in ends if not isinstance(x, int | float | complex)]
    if any(x.dtype is suanzi.bfloat16 for x in tensors):  # NumPy knows no type between this and others
        return suanzi.array_api.result_type(*(x.dtype for x in tensors if x.dtype.kind in "fc"), *plain)
    return as_dtype(np.result_type(*(x.dtype.numpy for x in tensors), *plain, 1.0), "numpy.linspace")


def lstsq(a: Tensor, b: Tensor, rcond: float | None = None) -> tuple[Tensor, ...]:
    """NumPy's -1 stands for the type's epsilon, and it tells no residuals where they are not unique or all 0."""
    computed_in = a.dtype if a.dtype.kind in "fc" else suanzi.float32
    fit = suanzi.lstsq(a, b, rtol=array_api.finfo(computed_in).eps if rcond == -1 else rcond)
    unique = int(fit.rank) == a.shape[1] < a.shape[0]
    residuals = suanzi.reshape(fit.residuals, -1) if unique else suanzi.empty(0, dtype=fit.residuals.dtype)
    return fit.solution, residuals, fit.rank, fit.singular_values


def interp(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: float | None = None) -> Tensor:
    """On the straight lines between the points (xp, fp), in float64; beyond them the value at the end."""
    x, xp, fp = (v if isinstance(v, Tensor) else as_tensor(v, None, "numpy.interp") for v in (x, xp, fp))
    if period is not None:
        x, xp, fp = _periodic(x, xp, fp, period)
        left = right = None
    left, right = (end.item() if isinstance(end, Tensor | np.ndarray) else end for end in (left, right))
    if fp.dtype.kind != "c":
        return _core.on_lines("numpy.interp", x, xp, fp, left, right)
    parts = ("real", "imag")
    ends = [[None if end is None else getattr(complex(end), part) for end in (left, right)] for part in parts]
    values = [getattr(suanzi, part)(fp) for part in parts]
    real, imag = (_core.on_lines("numpy.interp", x, xp, v, *e) for v, e in zip(values, ends, strict=True))
    return suanzi.complex(real, suanzi.where(suanzi.isnan(x), 0, imag))


def _periodic(x: Tensor, xp: Tensor, fp: Tensor, period: float) -> tuple[Tensor, ...]:
    """Positions within one period, and the points in order, with a neighbour on each side."""
    period = abs(float(period))
    if period == 0 or xp.ndim != 1 or xp.shape != fp.shape:
        raise InvalidArgumentError(
            f"numpy.interp: period = {shown(period)} is not 0, {xp.shape} and {fp.shape} those of vectors of one length"
        )
    x, xp = (suanzi.remainder(suanzi.astype(v, suanzi.float64), period) for v in (x, xp))
    order = suanzi.argsort(xp)
    xp, fp = suanzi.take(xp, order, 0), suanzi.take(fp, order, 0)
    return x, suanzi.concat([xp[-1:] - period, xp, xp[:1] + period]), suanzi.concat([fp[-1:], fp, fp[:1]])
