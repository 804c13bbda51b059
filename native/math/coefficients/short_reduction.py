"""Coefficients of native/math/short_reduction.h: run `python short_reduction.py` to write short_reduction.h again.

The logarithm's table cuts the mantissas into CELLS equal parts of their bit patterns. 1 lies inside cell number
CELL_OF_ONE, which reaches as far below 1 as above it: two thirds of it below, where bit patterns are twice as dense.
"""

from minimax import Header, keep_bits, minimax
from mpmath import mp, mpf

MARGIN = 1 + mpf(2) ** -18  # a reduced argument may pass the end of its interval by a rounding error
CELLS = 16
CELL_OF_ONE = 9


def from_bits(position):
    """The number whose bit pattern is so many cells after that of 1."""
    octave = mp.floor(position / CELLS)
    return mpf(2) ** octave * (1 + position / CELLS - octave)


def cell(i):
    """The bounds of a cell and the reciprocal of a middle of it, short enough for exact products with float32."""
    start = i - CELL_OF_ONE - mpf(2) / 3
    low, high = from_bits(start), from_bits(start + 1)
    return low, high, keep_bits(2 / (low + high), 24) if i != CELL_OF_ONE else mpf(1)


def ratio(f, limit):
    """f(r) / r, which tends to `limit`."""
    return lambda r: f(r) / r if r else limit


def main():
    lows, highs, inverses = zip(*(cell(i) for i in range(CELLS)), strict=True)
    ends = zip(lows + highs, inverses + inverses, strict=True)
    reach = MARGIN * max(abs(end * inverse - 1) for end, inverse in ends)

    with Header("short_reduction") as header:
        header.constant("short_log_start", keep_bits(lows[0], 20), "the least mantissa of the table")
        header.array("short_log_inverse", inverses, "1 / c for a middle c of each cell")
        header.array("short_log_log2", [-mp.log(v, 2) for v in inverses], "log2(c)")

        natural = ratio(mp.log1p, mpf(1))
        fit = minimax(natural, range(6), -reach, reach, lambda r: 1 / natural(r), {0: 1})
        header.array("short_log1p", fit.coefficients[1:], f"(log(1 + r) - r) / r^2: {fit.comment()}")


main()
