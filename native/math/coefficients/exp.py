"""Coefficients of native/math/exp.h: run `python exp.py` to write exp.h again."""

from minimax import Header, hi_lo, keep_bits, minimax
from mpmath import mp, mpf


def main():
    ln2 = mp.log(2)
    half = mpf("0.5") * (1 + mpf(2) ** -20)  # the reduced argument may pass 1/2 by a rounding error

    with Header("exp") as header:
        header.constant("log2_e", 1 / ln2)
        ln2_hi, ln2_lo = hi_lo(ln2)
        header.constant("ln2_hi", ln2_hi)
        header.constant("ln2_lo", ln2_lo)
        short = keep_bits(ln2, 41)
        header.constant("ln2_short", short, "ln 2 to 41 bits, so that its product with an exponent is exact")
        header.constant("ln2_rest", ln2 - short, "ln 2 - ln2_short")

        # A constant term of exactly 1 keeps 2^-150, halfway between float32's 0 and its least number, a tie.
        fit = minimax(lambda r: mpf(2) ** r, range(10), -half, half, lambda r: mpf(2) ** -r, {0: 1})
        header.array("exp2_short", fit.coefficients, f"2^r, |r| <= 1/2, for float32: {fit.comment()}")

        fit = minimax(lambda r: mp.expm1(r * ln2), range(1, 11), -half, half, lambda r: 1 / mp.expm1(r * ln2))
        header.array(
            "exp2m1_short",
            fit.coefficients,
            f"(2^r - 1) / r, |r| <= 1/2, for float32: {fit.comment()}",
        )

        fixed = {1: 1, 2: mpf("0.5")}
        fit = minimax(mp.expm1, range(1, 13), -half * ln2, half * ln2, lambda r: 1 / mp.expm1(r), fixed)
        header.array(
            "exp_cubic",
            fit.coefficients[2:],
            f"(e^r - 1 - r - r^2 / 2) / r^3, |r| <= ln(2) / 2, relative to e^r - 1: {fit.comment()}",
        )

        fit = minimax(mp.expm1, range(1, 13), -half * ln2, half * ln2, lambda r: mp.exp(-r), {1: 1})
        header.array(
            "exp_tail",
            fit.coefficients[1:],
            f"(e^r - 1 - r) / r^2, |r| <= ln(2) / 2, relative to e^r: {fit.comment()}",
        )


main()
