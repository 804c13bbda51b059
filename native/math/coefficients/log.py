"""Coefficients of native/math/log.h: run `python log.py` to write log.h again.

The series are in z = t^2 where log(m) = log((1 + t / 2) / (1 - t / 2)) = t + t^3 P(z), for m from sqrt(1/2) to sqrt(2).
"""

from minimax import Header, hi_lo, keep_bits, minimax
from mpmath import mp, mpf


def series(count):
    """P with so many coefficients, for the smallest relative error of the logarithm."""
    low, high = largest**2 / 1000, largest**2 * (1 + mpf(2) ** -20)

    def quotient(z):
        t = mp.sqrt(z)
        return 2 * mp.atanh(t / 2) / t

    fit = minimax(quotient, range(count + 1), low, high, lambda z: 1 / quotient(z), {0: 1})
    return fit.coefficients[1:], fit.comment()


largest = 2 * mp.tanh(mp.log(2) / 4)


def main():
    ln10 = mp.log(10)
    with Header("log") as header:
        header.array("log_short", *series(5))
        header.array("log_tail", *series(7))

        header.constant("log2_e_lo", hi_lo(1 / mp.log(2))[1], "log2(e) beyond a double")
        header.constant("log10_e_hi", hi_lo(1 / ln10)[0])
        header.constant("log10_e_lo", hi_lo(1 / ln10)[1])
        log10_2 = mp.log(2) / ln10
        short = keep_bits(log10_2, 41)
        header.constant(
            "log10_2_short",
            short,
            "log10(2) to 41 bits, so that its product with an exponent is exact",
        )
        header.constant("log10_2_rest", log10_2 - short)


main()
