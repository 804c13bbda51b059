"""Normal numbers from words, with the bits of native/math/box_muller.h, whose operations these are, one by one.

Words are tensors of uint64, in float32 with 32 bits of them used.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from suanzi._core import Tensor
from suanzi.operators.power import sqrt
from suanzi.operators.transform.elements import astype, where
from suanzi.tensor.dtypes import DType, float32, float64, int64, uint64
from suanzi.tensor.exchange import array_of, as_tensor


class Format(NamedTuple):
    """A floating type, and the coefficients for it, from native/math/coefficients (box_muller, log, exp, trig)."""

    dtype: DType
    bits: int
    mantissa_bits: int
    bias: int
    sqrt_half_bits: int
    sqrt_half_word: int
    angle_bits: int  # of an angle's lowest bits, those that are left out
    log: Sequence[str]
    sin: Sequence[str]
    cos: Sequence[str]
    ln2_short: str
    ln2_rest: str


FORMATS = {
    float32: Format(
        *(float32, 32, 23, 127, 0x3F3504F3, 0xB504F333, 0),
        log=("0x1.55557a0c5a0bdp-4", "0x1.995ecfc123afcp-7", "0x1.31e0df69d9f63p-9"),
        sin=("-0x1.5555452687630p-3", "0x1.11073afbd28c7p-7", "-0x1.9943e0863a322p-13"),
        cos=("0x1.55554a1159785p-5", "-0x1.6c0c33a6db24dp-10", "0x1.99eb9be8c58afp-16"),
        ln2_short="0x1.62e4p-1",
        ln2_rest="0x1.7f7d1cf79abcap-20",
    ),
    float64: Format(
        *(float64, 64, 52, 1023, 0x3FE6A09E667F3BCD, 0xB504F333F9DE6484, 10),
        log=(
            *("0x1.5555555555592p-4", "0x1.999999997ff63p-7", "0x1.24924941db499p-9", "0x1.c71c521a17e2cp-12"),
            *("0x1.74663ba3d02b4p-14", "0x1.39a20b927901dp-16", "0x1.2f025266d5b9fp-18"),
        ),
        sin=(
            *("-0x1.555555555554dp-3", "0x1.111111110fd03p-7", "-0x1.a01a019c823b6p-13"),
            *("0x1.71de35c7f2e48p-19", "-0x1.ae5e9bc77e695p-26", "0x1.5da095fcdcd26p-33"),
        ),
        cos=(
            *("0x1.5555555555553p-5", "-0x1.6c16c16c15eb2p-10", "0x1.a01a019dcd396p-16"),
            *("-0x1.27e4f8be3d8abp-22", "0x1.1eea59c8688a1p-29", "-0x1.8fe25365587bbp-37"),
        ),
        ln2_short="0x1.62e42fefa4p-1",
        ln2_rest="-0x1.8432a1b0e2634p-43",
    ),
}
HALF_PI = "0x1.921fb54442d18p+0"


def box_muller(radius: Tensor, angle: Tensor, dtype: DType) -> tuple[Tensor, Tensor]:
    """Two normal numbers from each pair of words."""
    f = FORMATS[dtype]
    r = sqrt(-2 * _log_of_uniform(radius, f))
    cosine, sine = _direction(angle, f)
    return r * cosine, r * sine


def to_real(word: Tensor, dtype: DType) -> Tensor:
    """word + 1/2, rounded once."""
    if dtype is float32:
        return astype(astype(word, float64) + 0.5, float32)
    return astype(word >> 32, float64) * 2.0**32 + (astype(word & 0xFFFFFFFF, float64) + 0.5)


def _series(x: Tensor, coefficients: Sequence[str]) -> Tensor:
    first, *rest = (float.fromhex(c) for c in reversed(coefficients))
    result = x * 0 + first
    for coefficient in rest:
        result = result * x + coefficient
    return result


def _bits(x: Tensor, f: Format) -> Tensor:
    return astype(as_tensor(array_of(x).view(f"u{f.bits // 8}")), uint64)


def _floats(bits: Tensor, f: Format) -> Tensor:
    return as_tensor(array_of(bits).astype(f"u{f.bits // 8}").view(f.dtype.numpy))


def _log_of_uniform(word: Tensor, f: Format) -> Tensor:
    near_one = word >= f.sqrt_half_word
    x = to_real(where(near_one, word ^ (2**f.bits - 1), word), f.dtype) * 2.0**-f.bits
    shifted = _bits(x, f) + ((f.bias << f.mantissa_bits) - f.sqrt_half_bits)
    exponent = astype(shifted >> f.mantissa_bits, f.dtype) - f.bias
    mantissa = _floats((shifted & (2**f.mantissa_bits - 1)) + f.sqrt_half_bits, f)
    fraction = where(near_one, -x, mantissa - 1)
    whole = where(near_one, 0, exponent)
    t = fraction / (1 + 0.5 * fraction)
    z = t * t
    tail = t * z * _series(z, f.log) + whole * float.fromhex(f.ln2_rest)
    return whole * float.fromhex(f.ln2_short) + (t + tail)


def _direction(word: Tensor, f: Format) -> tuple[Tensor, Tensor]:
    """Cosine and sine of an angle of so many turns, divided by 2 to the number of bits."""
    every, quarter, half = 2**f.bits - 1, 2 ** (f.bits - 2), 2 ** (f.bits - 1)
    shifted = (word + quarter // 2) & every
    within = astype((shifted & (quarter - 1)) >> f.angle_bits, int64) - (quarter // 2 >> f.angle_bits)
    unit = 2.0 ** -(f.bits - 2 - f.angle_bits)
    r = (astype(within, f.dtype) + 0.5) * (float.fromhex(HALF_PI) * unit)
    z = r * r
    sine = r + r * z * _series(z, f.sin)
    cosine = 1 - (0.5 * z - z * z * _series(z, f.cos))
    odd = (shifted & quarter) != 0
    return (
        _signed(where(odd, sine, cosine), (shifted + quarter) & half),
        _signed(where(odd, cosine, sine), shifted & half),
    )


def _signed(x: Tensor, sign: Tensor) -> Tensor:
    return where(sign != 0, -x, x)
