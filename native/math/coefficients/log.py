"""Coefficients of native/math/log.h: run `python log.py` to write log.h again.

The series are in z = t^2 where log(m) = log((1 + t / 2) / (1 - t / 2)) = t + t^3 P(z), for m from sqrt(1/2) to sqrt(2).
"""

from minimax import Header, hi_lo, keep_bits, minimax
from mpmath import mp, mpf


def series(count, fixed):
    """P with so many coefficients, for the smallest relative error of the logarithm."""
    low, high = largest**2 / 1000, largest**2 * (1 + mpf(2) ** -20)

    def quotient(z):
        t = mp.sqrt(z)
        return 2 * mp.atanh(t / 2) / t

    fit = minimax(quotient, range(count + 1), low, high, lambda z: 1 / quotient(z), {0: 1, **fixed})
    return fit.coefficients[1:], fit.comment()


largest = 2 * mp.tanh(mp.log(2) / 4)


def main():
    ln10 = mp.log(10)
    with Header("log") as header:
        for count in (5, 6):
            header.array(f"log_short_{count}", *series(count, {}))
        header.array("log_tail", *series(7, {}))

        first, second = mpf(1) / 12, mpf(1) / 80
        coefficients, comment = series(9, {1: first, 2: second})
        header.constant("log_first_hi", hi_lo(first)[0], "1/12 and 1/80, the first coefficients of P in pow")
        header.constant("log_first_lo", hi_lo(first)[1])
        header.constant("log_second_hi", hi_lo(second)[0])
        header.constant("log_second_lo", hi_lo(second)[1])
        header.array("log_rest", coefficients[2:], f"the others: {comment}")

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
