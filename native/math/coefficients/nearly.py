"""Coefficients of native/math/nearly.h. `python nearly.py` writes nearly.h again."""

from minimax import Header, keep_bits, minimax, to_single
from mpmath import mp, mpf

NEAR, FAR = mpf(1), mpf(6)


def tail(u):
    """Returns the probability that a normal number is greater than u."""
    return mp.erfc(u / mp.sqrt(2)) / 2


def main():
    ln2 = mp.log(2)
    reach = ln2 / 2 * (1 + mpf(2) ** -10)
    low = mpf(2) ** -30

    with Header("nearly") as header:
        short = keep_bits(ln2, 15)
        header.single("log2_e_single", 1 / ln2)
        header.single("ln2_single", ln2)
        header.single("ln2_single_short", short)
        header.single("ln2_single_rest", ln2 - short)

        fit = minimax(mp.exp, range(7), -reach, reach, lambda r: mp.exp(-r), {0: 1, 1: 1}, to_single)
        header.singles("exp_single", fit.coefficients, f"e^r, |r| <= ln(2) / 2: {fit.comment()}")

        def part(x):
            return mpf("0.5") - tail(x)

        fit = minimax(part, range(1, 12, 2), low, NEAR, lambda x: 1 / part(x), rounded=to_single)
        header.singles("normal_single_near", fit.coefficients, f"(P(x) - 1/2) / x, |x| <= 1, in x^2: {fit.comment()}")

        fit = minimax(lambda u: -mp.log(tail(u), 2), range(8), NEAR, FAR, tail, rounded=to_single)
        header.singles("normal_single_far", fit.coefficients, f"-log2(1 - P(u)), 1 <= u <= 6: {fit.comment()}")


main()
