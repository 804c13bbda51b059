"""NumPy's elementwise functions that combine several functions of Suanzi, such as `cbrt`, `gcd` and `frexp`.

Each function computes in float64, complex128 or int64 and rounds once. A floating-point result has the type of the
floating tensors among the operands, or NumPy's type if all operands are integers. The modules `ufuncs` and `functions`
call the functions of this module.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import suanzi
from suanzi import Tensor
from suanzi.kinds.devices import placed
from suanzi.operators.composition import widest
from suanzi.tensor.device import is_elsewhere
from suanzi.tensor.dtypes import DType, as_dtype
from suanzi.tensor.exchange import as_tensor
from suanzi.tensor.messages import shown
from suanzi.tensor.status import InvalidArgumentError, TypeMismatchError

Function = Callable[..., Any]


# --- operands and types ---


def as_operands(name: str, *operands: Any, kinds: str = "buif") -> list[Tensor]:
    """Return the operands as tensors of given kinds. The tensors determine the type of a Python number among the
    operands.
    """
    common = [x.item() if isinstance(x, np.generic) else x for x in operands]
    tensors = [x for x in common if isinstance(x, Tensor)]
    found = []
    for x in common:
        if not isinstance(x, Tensor):
            x = beside(tensors, as_tensor(x, suanzi.array_api.result_type(*tensors, x) if tensors else None, name))
        if x.dtype.kind not in kinds:
            raise TypeMismatchError(f"{name}: element type {x.dtype} is not one of {_words(kinds)}")
        found.append(x)
    return found


def beside(tensors: Sequence[Any], x: Tensor) -> Tensor:
    """Return the host tensor `x` on the device of the first tensor in `tensors`."""
    device = next((other.device for other in tensors if isinstance(other, Tensor)), x.device)
    return placed(x, device, "numpy")


def _words(kinds: str) -> str:
    names = {"b": "bool", "i": "integer", "f": "floating", "c": "complex"}
    return ", ".join(word for letter, word in names.items() if letter in kinds)


def floating_type(*operands: Any) -> DType:
    """Return the type of a floating-point result: the floating tensors' type, or NumPy's type if no tensor is
    floating.
    """
    tensors = [x for x in operands if isinstance(x, Tensor)]
    floating = [x.dtype for x in tensors if x.dtype.kind in "fc"]
    if floating:
        return suanzi.array_api.result_type(*floating)
    return as_dtype(np.result_type(np.float16, *(x.dtype.numpy for x in tensors)), "numpy")


def rounded(x: Tensor, dtype: DType) -> Tensor:
    return suanzi.astype(x, dtype, copy=False)


# --- ufuncs ---


def cbrt(x: Any) -> Tensor:
    """Return the real cube root: a power in float64, corrected by one Newton step to about 1 ulp."""
    (x,) = as_operands("numpy.cbrt", x)
    wide = suanzi.abs(widest(x))
    tiny = wide < 2.0**-900  # the cube of the root would lose digits
    scaled = suanzi.where(tiny, wide * 2.0**300, wide)
    root = suanzi.pow(scaled, 1 / 3)
    usable = suanzi.logical_and(scaled > 0, suanzi.isfinite(scaled))
    safe = suanzi.where(usable, root, 1)
    root = suanzi.where(usable, root - (safe * safe * safe - scaled) / (3 * safe * safe), scaled)
    root = suanzi.where(tiny, root * 2.0**-100, root)
    return rounded(suanzi.copysign(root, widest(x)), floating_type(x))


def exp2(x: Any) -> Tensor:
    (x,) = as_operands("numpy.exp2", x, kinds="buifc")
    wide = widest(x)
    found = suanzi.exp(wide * math.log(2)) if wide.dtype.kind == "c" else suanzi.pow(2.0, wide)
    return rounded(found, floating_type(x))


def _scaled(name: str, factor: float) -> Function:
    def call(x: Any) -> Tensor:
        (operand,) = as_operands(f"numpy.{name}", x)
        return rounded(widest(operand) * factor, floating_type(operand))

    return call


_TO_RADIANS, _TO_DEGREES = math.pi / 180, 180 / math.pi


def _number_of(name: str, function: Function) -> Function:
    """Make a function of two tensors that ignores NaN. If one of two elements is NaN, the function returns the other
    element.
    """

    def call(x1: Any, x2: Any) -> Tensor:
        first, second = as_operands(f"numpy.{name}", x1, x2)
        found: Tensor = function(first, second)
        if found.dtype.kind != "f":
            return found
        chosen = suanzi.where(suanzi.isnan(first), second, suanzi.where(suanzi.isnan(second), first, found))
        return rounded(chosen, found.dtype)

    return call


def _integers(name: str, *operands: Any) -> tuple[list[Tensor], DType]:
    """Return two integer operands, with a common shape and a common 64-bit type, and the type to which the operands
    promote.
    """
    given = as_operands(name, *operands, kinds="ui")
    dtype = suanzi.array_api.result_type(*given)
    wide = suanzi.uint64 if dtype.kind == "u" else suanzi.int64
    return list(suanzi.broadcast_arrays(*(suanzi.astype(x, wide, copy=False) for x in given))), dtype


def _divisor(first: Tensor, second: Tensor) -> Tensor:
    """Return the greatest common divisor of each pair of elements, by Euclid's algorithm for all pairs at once. The
    algorithm needs at most about 90 steps.
    """
    while bool(suanzi.any(second != 0)):
        rest = suanzi.remainder(first, second)  # the remainder by 0 is 0
        first, second = suanzi.where(second == 0, first, second), rest
    return suanzi.abs(first)


def gcd(x1: Any, x2: Any) -> Tensor:
    pair, dtype = _integers("numpy.gcd", x1, x2)
    return suanzi.astype(_divisor(*pair), dtype)


def lcm(x1: Any, x2: Any) -> Tensor:
    """Return the least common multiple. If the multiple is beyond the type's range, only the last bits are returned, as
    in NumPy.
    """
    (first, second), dtype = _integers("numpy.lcm", x1, x2)
    divisor = _divisor(first, second)
    divisor = suanzi.where(divisor == 0, 1, divisor)
    return suanzi.astype(suanzi.floor_divide(suanzi.abs(first), divisor) * suanzi.abs(second), dtype)


def heaviside(x1: Any, x2: Any) -> Tensor:
    x, middle = as_operands("numpy.heaviside", x1, x2)
    dtype = floating_type(x, middle)
    step = suanzi.where(x < 0, 0.0, suanzi.where(x > 0, 1.0, widest(middle)))
    return rounded(suanzi.where(suanzi.isnan(x), widest(x), step) if x.dtype.kind == "f" else step, dtype)


def modf(x: Any) -> tuple[Tensor, Tensor]:
    """Return the exact fractional part and the integer part of each element. The parts have the sign of the element."""
    (x,) = as_operands("numpy.modf", x)
    x = rounded(x, floating_type(x))
    whole = suanzi.trunc(x)
    fraction = suanzi.where(suanzi.isinf(x), 0, x - whole)
    return suanzi.copysign(rounded(fraction, x.dtype), x), whole


# Fields of float64's bits (IEEE 754): the sign, 11 bits of the exponent, and 52 bits of the significand.
_DIGITS, _EXPONENT_BITS, _HALF = 52, 0x7FF, 1022
_ALL_BUT_EXPONENT = ~(_EXPONENT_BITS << _DIGITS)


def frexp(x: Any) -> tuple[Tensor, Tensor]:
    """Return exact significands in [0.5, 1), and exponents in int32. Zeros, infinities and NaN have exponent 0."""
    (x,) = as_operands("numpy.frexp", x)
    digits, exponent = _parted(widest(x))
    return rounded(digits, floating_type(x)), suanzi.astype(exponent, suanzi.int32)


def _parted(wide: Tensor) -> tuple[Tensor, Tensor]:
    if is_elsewhere(wide):
        raise TypeMismatchError(f"frexp: the tensor is on {wide.device}, and only the CPU can read bits")
    small = suanzi.abs(wide) < 2.0**-1000  # the numbers that may be subnormal
    scaled = suanzi.contiguous(suanzi.where(small, wide * 2.0**200, wide))
    bits = scaled.view(suanzi.int64)
    field = suanzi.bitwise_and(suanzi.bitwise_right_shift(bits, _DIGITS), _EXPONENT_BITS)
    digits = suanzi.bitwise_or(suanzi.bitwise_and(bits, _ALL_BUT_EXPONENT), _HALF << _DIGITS).view(suanzi.float64)
    plain = suanzi.logical_and(scaled != 0, suanzi.isfinite(scaled))
    exponent = suanzi.where(plain, field - _HALF - suanzi.where(small, 200, 0), 0)
    return suanzi.where(plain, digits, wide), exponent


def ldexp(x1: Any, x2: Any) -> Tensor:
    """Return x1 times 2 to the power of x2, rounded once."""
    name = "numpy.ldexp"
    (x,) = as_operands(name, x1)
    power = x2 if isinstance(x2, Tensor) else beside([x], as_tensor(x2, suanzi.int64, name))
    if power.dtype.kind not in "bui":
        raise TypeMismatchError(f"{name}: exponents of type {power.dtype} are not integers")
    shift = power
    if power.dtype.is_integer:  # exponents beyond ±5000 have the result of ±5000
        least, greatest = power.dtype.limits
        shift = suanzi.clip(power, max(-5000, least), min(5000, greatest))
    shift = suanzi.astype(shift, suanzi.int64, copy=False)
    digits, exponent = _parted(widest(x))
    total = suanzi.clip(exponent + shift, -1100, 1100)
    first = suanzi.clip(total, -1021, 1023)  # the product of `digits` and 2^first is exact
    found = digits * _power_of_two(first) * _power_of_two(total - first)
    return rounded(found, floating_type(x))


def _power_of_two(exponent: Tensor) -> Tensor:
    return suanzi.pow(2.0, suanzi.astype(exponent, suanzi.float64))


def logaddexp2(x1: Any, x2: Any) -> Tensor:
    first, second = as_operands("numpy.logaddexp2", x1, x2)
    wide = widest(first), widest(second)
    greater = suanzi.maximum(*wide)
    distance = suanzi.where(wide[0] == wide[1], 0, -suanzi.abs(wide[0] - wide[1]))
    found = greater + suanzi.log1p(suanzi.pow(2.0, distance)) / math.log(2)
    return rounded(found, floating_type(first, second))


def bitwise_count(x: Any) -> Tensor:
    """Return the number of ones among the bits of the absolute value, in uint8."""
    (x,) = as_operands("numpy.bitwise_count", x, kinds="bui")
    if x.dtype.kind == "i":
        x = suanzi.abs(suanzi.astype(x, suanzi.int64))
        bits: Tensor = suanzi.contiguous(x).view(suanzi.uint64)
    else:
        bits = suanzi.astype(x, suanzi.uint64)
    for width, mask in ((1, 0x5555555555555555), (2, 0x3333333333333333), (4, 0x0F0F0F0F0F0F0F0F)):
        bits = suanzi.bitwise_and(bits, mask) + suanzi.bitwise_and(suanzi.bitwise_right_shift(bits, width), mask)
    for width in (8, 16, 32):
        bits = bits + suanzi.bitwise_right_shift(bits, width)
    return suanzi.astype(suanzi.bitwise_and(bits, 0x7F), suanzi.uint8)


UFUNCS: dict[str, Function] = {
    "cbrt": cbrt,
    "exp2": exp2,
    **{name: _scaled(name, _TO_RADIANS) for name in ("deg2rad", "radians")},
    **{name: _scaled(name, _TO_DEGREES) for name in ("rad2deg", "degrees")},
    "fmax": _number_of("fmax", suanzi.maximum),
    "fmin": _number_of("fmin", suanzi.minimum),
    "gcd": gcd,
    "lcm": lcm,
    "heaviside": heaviside,
    "modf": modf,
    "frexp": frexp,
    "ldexp": ldexp,
    "logaddexp2": logaddexp2,
    "bitwise_count": bitwise_count,
}


# --- elementwise functions that are not ufuncs ---


def angle(z: Tensor, deg: bool = False) -> Tensor:
    """Return the argument of each complex number. The argument of a real number is 0 or pi."""
    (z,) = as_operands("numpy.angle", z, kinds="buifc")
    parts = (
        (suanzi.imag(z), suanzi.real(z))
        if z.dtype.kind == "c"
        else (suanzi.zeros((), dtype="float64", device=z.device), z)
    )
    wide = suanzi.atan2(*map(widest, parts))
    dtype = floating_type(z)
    real = {suanzi.complex64: suanzi.float32, suanzi.complex128: suanzi.float64}.get(dtype, dtype)
    return rounded(wide * _TO_DEGREES if deg else wide, real)


def infinite(name: str, bound: float) -> Function:
    """Return a function that tests whether each element equals `bound`, an infinity."""

    def call(x: Tensor) -> Tensor:
        (operand,) = as_operands(name, x)
        found: Tensor = operand == bound
        return found

    return call


def real_if_close(x: Tensor, tol: float = 100) -> Tensor:
    """Return the real parts if all imaginary parts are below `tol` epsilons, or below `tol` if `tol` is at most 1.
    Otherwise return `x`.
    """
    if x.dtype.kind != "c":
        return x
    limit = tol * suanzi.array_api.finfo(x.dtype).eps if tol > 1 else tol
    return suanzi.real(x) if bool(suanzi.all(suanzi.abs(suanzi.imag(x)) < limit)) else x


def unwrap(p: Any, discont: float | None = None, axis: int = -1, period: float = math.tau) -> Tensor:
    """Add multiples of `period` to the elements after each jump of at least half a period (or `discont`) along an
    axis.
    """
    name = "numpy.unwrap"
    (x,) = as_operands(name, p)
    along = suanzi._core.read_axis(name, axis, x.ndim)
    whole = x.dtype.is_integer and isinstance(period, int | np.integer)
    dtype = _unwrapped_type(x, period, whole)
    half = period / 2
    limit = half if discont is None else max(discont, half)
    wide = suanzi.astype(x, suanzi.int64) if whole else widest(x)
    if wide.shape[along] < 2:
        return rounded(wide, dtype)
    steps = suanzi.extras.diff(wide, axis=along)
    low = -(period // 2) if whole else -half
    reduced = suanzi.remainder(steps - low, period) + low
    if not whole or period % 2 == 0:  # a step of half a period keeps its sign
        reduced = suanzi.where(suanzi.logical_and(reduced == low, steps > 0), -low, reduced)
    correction = suanzi.where(suanzi.abs(steps) < limit, 0, reduced - steps)
    added = suanzi.cumulative_sum(correction, axis=along)
    before: tuple[Any, ...] = (slice(None),) * along
    found = suanzi.concat([wide[(*before, slice(0, 1))], wide[(*before, slice(1, None))] + added], along)
    return rounded(found, dtype)


def _unwrapped_type(x: Tensor, period: Any, whole: bool) -> DType:
    if not isinstance(period, int | float | np.number) or not period > 0:
        raise InvalidArgumentError(f"numpy.unwrap: period = {shown(period)} is not a number greater than 0")
    if whole:
        return x.dtype
    return floating_type(x) if x.dtype.kind == "f" else suanzi.float64


ROWS: dict[str, tuple[Function, str]] = {
    "angle": (angle, "z/ deg"),
    "isneginf": (infinite("numpy.isneginf", -math.inf), "x/ out!"),
    "isposinf": (infinite("numpy.isposinf", math.inf), "x/ out!"),
    "real_if_close": (real_if_close, "a/ tol"),
    "unwrap": (unwrap, "p/ discont axis period"),
}
