"""Coefficients of native/math/pow.h: run `python pow.py` to write pow.h again.

The table cuts the mantissas into CELLS equal parts of their bit patterns. 1 lies inside cell number CELL_OF_ONE, which
reaches as far below 1 as above it: two thirds of it below, where bit patterns are twice as dense.
"""

from minimax import Header, hi_lo, keep_bits, minimax
from mpmath import mp, mpf

MARGIN = 1 + mpf(2) ** -18  # a reduced argument may pass the end of its interval by a rounding error
CELLS = 32
CELL_OF_ONE = 19


def log2_ratio(z):
    """log2((1 + s) / (1 - s)) / s as a function of z = s^2."""
    s = mp.sqrt(z)
    return (2 * mp.atanh(s) / s if s else mpf(2)) / mp.log(2)


def log1p_series(r):
    """(log(1 + r) - r + r^2 / 2) / r^3."""
    with mp.workprec(2 * mp.prec):
        return (mp.log1p(r) - r + r * r / 2) / r**3 if abs(r) > mpf(2) ** -80 else mpf(1) / 3


def from_bits(position):
    """The number whose bit pattern is so many cells after that of 1."""
    octave = mp.floor(position / CELLS)
    return mpf(2) ** octave * (1 + position / CELLS - octave)


def cell(i):
    """The reciprocal of a middle c of the cell, and log(c) as a multiple of 2^-41 and a rest."""
    start = i - CELL_OF_ONE - mpf(2) / 3
    inverse = hi_lo(2 / (from_bits(start) + from_bits(start + 1)))[0] if i != CELL_OF_ONE else mpf(1)
    hi = mp.nint(-mp.log(inverse) * mpf(2) ** 41) / mpf(2) ** 41
    return inverse, hi, -mp.log(inverse) - hi


def main():
    with Header("pow") as header:
        high = (3 - 2 * mp.sqrt(2)) ** 2 * MARGIN
        fit = minimax(log2_ratio, range(8), 0, high, lambda z: 1 / log2_ratio(z))
        comment = f"log2(m) / s, s = (m - 1) / (m + 1), sqrt(1/2) <= m <= sqrt(2), for float32: {fit.comment()}"
        header.array("pow_log2", fit.coefficients, comment)

        reach = MARGIN / 64
        fit = minimax(log1p_series, range(8), -reach, reach, lambda r: 1 / log1p_series(r))
        comment = f"(log(1 + r) - r + r^2 / 2) / r^3, |r| <= 1/64: {fit.comment()}"
        header.array("pow_log1p_tail", fit.coefficients, comment)

        least = keep_bits(from_bits(-CELL_OF_ONE - mpf(2) / 3), 20)
        header.constant("pow_table_start", least, "the least mantissa of the table")
        inverse, log_hi, log_lo = zip(*(cell(i) for i in range(CELLS)), strict=True)
        header.array("pow_table_inverse", inverse, "1 / c for a middle c of each cell")
        header.array("pow_table_log_hi", log_hi, "log(c) as a multiple of 2^-41: added to k ln2_short exactly")
        header.array("pow_table_log_lo", log_lo, "the rest of log(c)")


main()
