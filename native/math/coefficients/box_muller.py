"""Coefficients of native/math/box_muller.h for float32. `python box_muller.py` writes box_muller.h again.

For float64, box_muller.h uses the series of log.h and trig.h.
"""

from minimax import Header, keep_bits, minimax
from mpmath import mp, mpf

LARGEST = 2 * mp.tanh(mp.log(2) / 4)  # t for m = sqrt(2), where log(m) = log((1 + t / 2) / (1 - t / 2))
MARGIN = 1 + mpf(2) ** -20


def logarithm(z):
    """Returns log(m) / t as a function of z = t^2."""
    t = mp.sqrt(z)
    return 2 * mp.atanh(t / 2) / t


def sine(z):
    """Returns sin(r) / r as a function of z = r^2."""
    r = mp.sqrt(z)
    return mp.sin(r) / r


def cosine(z):
    return mp.cos(mp.sqrt(z))


def main():
    with Header("box_muller") as header:
        for name, f, reach, fixed, count, about in (
            ("normal_log", logarithm, LARGEST**2, {0: 1}, 3, "(log(m) - t) / t^3, in t^2"),
            ("normal_sin", sine, (mp.pi / 4) ** 2, {0: 1}, 3, "(sin(r) - r) / r^3, in r^2"),
            ("normal_cos", cosine, (mp.pi / 4) ** 2, {0: 1, 1: -0.5}, 3, "(cos(r) - 1 + r^2 / 2) / r^4, in r^2"),
        ):
            powers = range(len(fixed) + count)
            fit = minimax(f, powers, reach / 1000, reach * MARGIN, lambda z, f=f: 1 / f(z), fixed)
            header.array(name, fit.coefficients[len(fixed) :], f"{about}: {fit.comment()}")
        ln2 = mp.log(2)
        short = keep_bits(ln2, 18)
        header.constant("normal_ln2_short", short, "log(2) to 18 bits, so that its product with an exponent is exact")
        header.constant("normal_ln2_rest", ln2 - short)


main()
