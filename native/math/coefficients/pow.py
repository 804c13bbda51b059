"""Coefficients of native/math/pow.h. `python pow.py` writes pow.h again.

The table cuts the mantissas into CELLS equal parts of their bit patterns. The number 1 is inside cell
number CELL_OF_ONE, which extends as far below 1 as above. Two thirds of the cell's bit patterns are below 1, because
bit patterns below 1 are twice as dense.
"""

import struct

from minimax import Header, hi_lo, keep_bits, minimax
from mpmath import mp, mpf

MARGIN = 1 + mpf(2) ** -18  # a reduced argument may pass the end of its interval by a rounding error
CELLS = 32
CELL_OF_ONE = 19


def log2_ratio(z):
    """Returns log2((1 + s) / (1 - s)) / s as a function of z = s^2."""
    s = mp.sqrt(z)
    return (2 * mp.atanh(s) / s if s else mpf(2)) / mp.log(2)


def log2_1p_ratio(r):
    return mp.log1p(r) / r / mp.log(2) if r else 1 / mp.log(2)


def log1p_series(r):
    """Returns -2 (log(1 + r) - r + r^2 / 2) / r^3."""
    with mp.workprec(2 * mp.prec):
        return -2 * (mp.log1p(r) - r + r * r / 2) / r**3 if abs(r) > mpf(2) ** -80 else -mpf(2) / 3


def exp_series(r):
    """Returns (e^r - 1 - r) / r^2."""
    with mp.workprec(2 * mp.prec):
        return (mp.expm1(r) - r) / r**2 if abs(r) > mpf(2) ** -80 else mpf(1) / 2


def from_bits(position):
    """Returns the number whose bit pattern is `position` cells after the bit pattern of 1."""
    octave = mp.floor(position / CELLS)
    return mpf(2) ** octave * (1 + position / CELLS - octave)


def cell(i):
    """Returns the reciprocal of a middle c of the cell, and log(c) as a multiple of 2^-41 and a rest."""
    start = i - CELL_OF_ONE - mpf(2) / 3
    inverse = hi_lo(2 / (from_bits(start) + from_bits(start + 1)))[0] if i != CELL_OF_ONE else mpf(1)
    hi = mp.nint(-mp.log(inverse) * mpf(2) ** 41) / mpf(2) ** 41
    return inverse, hi, -mp.log(inverse) - hi


def lowered(x, less):
    """Returns the number whose bits, as an integer, are the bits of x minus `less`."""
    (bits,) = struct.unpack("<Q", struct.pack("<d", float(x)))
    return mpf(struct.unpack("<d", struct.pack("<Q", bits - less))[0])


def short_tables(header):
    """Writes tables for float32 at levels where 16 numbers fit in registers.

    Mantissas are cut into 16 cells. The first and the last cell have the middles 1 and 2, so the terms of a logarithm
    near 1 do not cancel.
    """
    inverses = [mpf(1)] + [hi_lo(32 / mpf(33 + 2 * i))[0] for i in range(1, 15)] + [mpf(1) / 2]
    header.array("pow_short_inverse", inverses, "1 / c for a middle c of each sixteenth of the mantissas")
    header.array("pow_short_log2_c", [-mp.log(v, 2) for v in inverses], "log2(c)")
    ends = [(1 + mpf(i + j) / 16) * inverses[i] - 1 for i in range(16) for j in (0, 1)]
    fit = minimax(log2_1p_ratio, range(8), min(ends) * MARGIN, max(ends) * MARGIN, lambda r: 1 / log2_1p_ratio(r))
    header.array("pow_short_log2", fit.coefficients, f"log2(1 + r) / r: {fit.comment()}")

    powers = [lowered(2 ** (mpf(i) / 16), i << 48) for i in range(16)]
    header.array("pow_short_power", powers, "2^(i / 16) with i 2^48 subtracted from its bits")
    half = MARGIN / 32
    fit = minimax(lambda r: mp.expm1(r * mp.log(2)), range(1, 5), -half, half)
    header.array("pow_short_exp2m1", fit.coefficients, f"(2^r - 1) / r, |r| <= 1/32, times r: {fit.comment()}")


def exponential_tables(header):
    """Writes tables for float64.

    The reduction subtracts k ln 2 from an argument. The product and the difference are exact if k is a multiple of 1/16
    below 2^11. The powers 2^(i / 16) are in the table of exp.
    """
    ln2 = mp.log(2)
    short = keep_bits(ln2, 37)
    header.constant("pow_ln2_short", short, "ln 2 to 37 bits, so that its product with a multiple of 1/16 is exact")
    header.constant("pow_ln2_rest", ln2 - short, "ln 2 - pow_ln2_short")
    reach = MARGIN * ln2 / 32
    fit = minimax(exp_series, range(6), -reach, reach, lambda r: r * r)
    comment = f"(e^r - 1 - r) / r^2, |r| <= ln(2) / 32, times r^2: {fit.comment()}"
    header.array("pow_exp_tail", fit.coefficients, comment)


def main():
    with Header("pow") as header:
        short_tables(header)
        high = (3 - 2 * mp.sqrt(2)) ** 2 * MARGIN
        fit = minimax(log2_ratio, range(7), 0, high, lambda z: 1 / log2_ratio(z))
        comment = f"log2(m) / s, s = (m - 1) / (m + 1), sqrt(1/2) <= m <= sqrt(2), for float32: {fit.comment()}"
        header.array("pow_log2", fit.coefficients, comment)

        fit = minimax(lambda r: 2**r, range(9), -MARGIN / 2, MARGIN / 2, lambda r: 2**-r)
        header.array("pow_exp2", fit.coefficients, f"2^r, |r| <= 1/2, for float32: {fit.comment()}")

        # The first omitted term of the series of (e^r - 1) / r is r^23 / 24!, below 2^-112 for |r| <= ln(2) / 2.
        hi, lo = zip(*(hi_lo(1 / mp.factorial(i)) for i in range(1, 24)), strict=True)
        header.array("pow_factorial_hi", hi, "1 / 1!, 1 / 2!, ...")
        header.array("pow_factorial_lo", lo, "the low parts of pow_factorial_hi")

        reach = MARGIN / 64
        fit = minimax(log1p_series, range(8), -reach, reach, lambda r: 1 / log1p_series(r))
        comment = f"-2 (log(1 + r) - r + r^2 / 2) / r^3, |r| <= 1/64: {fit.comment()}"
        header.array("pow_log1p_tail", fit.coefficients, comment)

        least = keep_bits(from_bits(-CELL_OF_ONE - mpf(2) / 3), 20)
        header.constant("pow_table_start", least, "the least mantissa of the table")
        inverse, log_hi, log_lo = zip(*(cell(i) for i in range(CELLS)), strict=True)
        header.array("pow_table_inverse", inverse, "1 / c for a middle c of each cell")
        header.array(
            "pow_table_log_hi", log_hi, "log(c) as a multiple of 2^-41, so that the sum with k ln2_short is exact"
        )
        header.array("pow_table_log_lo", log_lo, "the rest of log(c)")

        exponential_tables(header)


main()
