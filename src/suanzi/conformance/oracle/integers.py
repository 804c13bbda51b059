"""The operations on integers, as functions of Python ints. Results are exact. Other modules wrap results to a type."""

from __future__ import annotations

WORD = 2**64
ROUNDINGS = ("half_even", "half_up", "half_down", "half_away", "floor", "ceil", "trunc")


def floor_divide(a: int, b: int) -> int:
    return a // b if b else 0


def remainder(a: int, b: int) -> int:
    return a % b if b else 0


def trunc_divide(a: int, b: int) -> int:
    if b == 0:
        return 0
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def fmod(a: int, b: int) -> int:
    return a - trunc_divide(a, b) * b if b else 0


def power(base: int, exponent: int) -> int:
    """Return the power modulo 2**64. For a negative exponent, return the truncated exact power, or 0 for base 0."""
    if exponent >= 0:
        return pow(base, exponent, WORD)
    if base not in (1, -1):
        return 0
    return -1 if base == -1 and exponent % 2 else 1


def left_shift(a: int, count: int) -> int:
    return a << count if 0 <= count < 64 else 0


def right_shift(a: int, count: int) -> int:
    return a >> (count if 0 <= count < 64 else 64)


def sign(a: int) -> int:
    return (a > 0) - (a < 0)


def clip(x: int, low: int, high: int) -> int:
    return min(max(x, low), high)


def is_close(a: int, b: int, *, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> bool:
    return abs(a - b) <= atol + rtol * abs(b)


def round_to_decimals(a: int, decimals: int = 0, mode: str = "half_even") -> int:
    """Return an integer rounded to a multiple of 10**-decimals."""
    if decimals >= 0:
        return a
    unit: int = 10**-decimals
    return choose(a // unit, a % unit * 2 - unit, a % unit != 0, a < 0, mode) * unit


def choose(floor: int, beyond_half: int, inexact: bool, negative: bool, mode: str) -> int:
    """Return the rounded integer for a number whose floor is `floor`. `beyond_half` has the sign of the number's
    fraction minus 1/2.
    """
    if not inexact or mode == "floor":
        return floor
    if mode == "ceil":
        return floor + 1
    if mode == "trunc":
        return floor + negative
    if beyond_half != 0:
        return floor + (beyond_half > 0)
    up = {
        "half_even": floor % 2 == 1,
        "half_up": True,
        "half_away": not negative,
        "half_down": False,
    }
    return floor + up[mode]
