"""Coefficients of native/math/hyperbolic.h: run `python hyperbolic.py` to write hyperbolic.h again."""

from minimax import Header, minimax
from mpmath import mp, mpf


def main():
    with Header("hyperbolic") as header:
        fit = minimax(mp.sinh, range(1, 20, 2), mpf(2) ** -30, mpf("1.001"), lambda x: 1 / mp.sinh(x), {1: 1})
        header.array(
            "sinh_tail",
            fit.coefficients[1:],
            f"(sinh x - x) / x^3 in x^2, |x| <= 1: {fit.comment()}",
        )


main()
