"""NumPy's functions of evenly spaced numbers between tensors: `linspace`, and even spacing on a logarithmic scale.

Each function computes in float64 or complex128 and rounds once. The module `functions` contains the table of NumPy's
functions.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

import suanzi
from suanzi import Tensor, _core
from suanzi.interop.numpy.arguments import element_type
from suanzi.interop.numpy.elements import beside, rounded
from suanzi.kinds.devices import placed
from suanzi.operators.arguments import DeviceLike
from suanzi.operators.composition import widest
from suanzi.tensor.dtypes import DType, as_dtype
from suanzi.tensor.exchange import as_tensor
from suanzi.tensor.status import InvalidArgumentError, TypeMismatchError


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
    """Return evenly spaced numbers from `start` to `stop`, elementwise, along a new axis. If the type of the result is
    an integer type, the numbers are rounded down.

    As in NumPy, the numbers are multiples of a step, and the last number is exact.
    """
    name = "numpy.linspace"
    num = _count(name, num)
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
    counted = suanzi.arange(num, dtype=suanzi.float64, device=first.device)
    places = suanzi.reshape(counted, (num, *(1,) * first.ndim))
    distance = last - first
    step = distance / parts
    # A step may underflow to 0, and a distance may exceed the type's greatest number.
    steps = suanzi.where(step == 0, places / parts * distance, places * step)
    share = places / parts
    return suanzi.where(suanzi.isfinite(distance), steps + first, first * (1 - share) + last * share)


def _spaced_type(*ends: Any) -> DType:
    """Return the type of the numbers between `ends`: NumPy's common type of the ends and a float. If an end is
    bfloat16, return Suanzi's common type of the floating ends.
    """
    plain = [type(x)(0) for x in ends if isinstance(x, int | float | complex)]
    tensors = [as_tensor(x, None, "numpy.linspace") for x in ends if not isinstance(x, int | float | complex)]
    if any(x.dtype is suanzi.bfloat16 for x in tensors):  # NumPy has no type between bfloat16 and other types
        return suanzi.array_api.result_type(*(x.dtype for x in tensors if x.dtype.kind in "fc"), *plain)
    return as_dtype(np.result_type(*(x.dtype.numpy for x in tensors), *plain, 1.0), "numpy.linspace")


def _count(name: str, num: Any) -> int:
    count = _core.read_integer(name, "num", num)
    if count < 0:
        raise InvalidArgumentError(f"{name}: num = {count} is negative")
    return count


def logspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, base: Any = 10.0, dtype: Any = None, axis: int = 0
) -> Tensor:
    """Return powers of `base` with evenly spaced exponents from `start` to `stop`."""
    name = "numpy.logspace"
    ends = [x if isinstance(x, int | float | complex) else as_tensor(x, None, name) for x in (start, stop, base)]
    wanted = _spaced_type(*ends) if dtype is None else element_type(name, dtype)
    first, last, of = suanzi.broadcast_arrays(*(widest(beside(ends, as_tensor(x, None, name))) for x in ends))
    exponents = linspace(first, last, num, endpoint)
    found = suanzi.moveaxis(suanzi.pow(of, exponents), 0, axis)
    return rounded(found, wanted)


def geomspace(start: Any, stop: Any, num: int = 50, endpoint: bool = True, dtype: Any = None, axis: int = 0) -> Tensor:
    """Return a geometric progression from each element of `start` to the same element of `stop`, with exact ends."""
    name = "numpy.geomspace"
    num = _count(name, num)
    ends = [x if isinstance(x, int | float | complex) else as_tensor(x, None, name) for x in (start, stop)]
    wide = [widest(beside(ends, as_tensor(x, None, name))) for x in ends]
    kind = suanzi.complex128 if any(x.dtype.kind == "c" for x in wide) else suanzi.float64
    wanted = kind if dtype is None else element_type(name, dtype)
    first, last = suanzi.broadcast_arrays(*(rounded(x, kind) for x in wide))
    if bool(suanzi.any(first == 0)) or bool(suanzi.any(last == 0)):
        raise InvalidArgumentError(f"{name}: an end is 0, which no geometric progression reaches")
    parts = max(num - 1 if endpoint else num, 1)
    share = suanzi.reshape(
        suanzi.arange(num, dtype=suanzi.float64, device=first.device) / parts, (num, *(1,) * first.ndim)
    )
    if kind is suanzi.complex128:
        found = first * suanzi.exp(suanzi.log(last / first) * share)
    else:  # the quotient may leave the range, but the root of the quotient does not
        root = suanzi.sqrt(suanzi.abs(last)) / suanzi.sqrt(suanzi.abs(first))
        root = suanzi.where((first < 0) == (last < 0), root, math.nan)
        found = first * suanzi.pow(root, 2 * share)
    if num:
        found[0] = first
    if endpoint and num > 1:
        found[-1] = last
    return rounded(suanzi.moveaxis(found, 0, axis), wanted)


ROWS: dict[str, tuple[Callable[..., Any], str]] = {
    "linspace": (linspace, "start/ stop/ num endpoint retstep dtype axis device"),
    "logspace": (logspace, "start/ stop/ num endpoint base dtype axis"),
    "geomspace": (geomspace, "start/ stop/ num endpoint dtype axis"),
}
