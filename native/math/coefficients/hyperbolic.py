"""Coefficients of native/math/hyperbolic.h: run `python hyperbolic.py` to write hyperbolic.h again."""

import cells
from minimax import Header, minimax
from mpmath import mp, mpf

FIRST = mpf(1) / 16

LARGEST = mpf("9.02")
"""From here on tanh rounds to 1 in float32."""


def tanh_cell(i):
    if i == 0:
        return cells.around_zero(mp.tanh, FIRST, (3, 5))
    start, end = cells.bounds(i, FIRST)
    if start < 8:
        return cells.around_point(mp.tanh, start, end)
    # From 8 on there are but four values.
    return cells.around_point(mp.tanh, start, max(min(end, LARGEST), start + mpf("0.5")), reach=0.5)


def main():
    ln2 = mp.log(2)
    half = mpf("0.5") * (1 + mpf(2) ** -20)  # the reduced argument may pass 1/2 by a rounding error
    low = mpf(2) ** -30

    with Header("hyperbolic") as header:

        def short(name, f, powers):
            fit = minimax(lambda r: f(r * ln2), powers, low, half, lambda r: 1 / f(r * ln2))
            header.array(name, fit.coefficients, f"|r| <= 1/2, for float32, in r^2: {fit.comment()}")

        def tail(name, f, powers, fixed):
            fit = minimax(f, powers, low, half * ln2, lambda r: 1 / f(r), fixed)
            kept = fit.coefficients[len(fixed) :]
            header.array(name, kept, f"|r| <= ln(2) / 2, in r^2: {fit.comment()}")

        short("cosh_short", mp.cosh, range(0, 9, 2))
        short("sinh_short", mp.sinh, range(1, 10, 2))
        tail("cosh_quartic", mp.cosh, range(0, 13, 2), {0: 1, 2: mpf("0.5")})
        tail("sinh_cubic", mp.sinh, range(1, 12, 2), {1: 1})

        cells.write(header, "tanh_cells", [tanh_cell(i) for i in range(cells.ROWS)])


main()
