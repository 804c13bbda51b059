"""Coefficients of native/math/hyperbolic.h: run `python hyperbolic.py` to write hyperbolic.h again."""

from minimax import Header, minimax, to_single
from mpmath import mp, mpf


def write_pairs(header, size):
    """For float32 in pairs, with a table of `size` powers: see native/math/float_exp.h."""
    half = mp.log(2) / size / 2 * (1 + mpf(2) ** -12)

    def tail(name, f, powers, fixed, reach, weight):
        fit = minimax(f, powers, mpf(2) ** -30, reach, weight, fixed, to_single)
        about = f"{name}, |r| <= ln(2) / {round(mp.log(2) / reach)}, in r^2: {fit.comment()}"
        header.singles(f"float_{name}_{size}", fit.coefficients[len(fixed) :], about)

    cosh_powers = (0, 2, 4) if size == 32 else (0, 2, 4, 6)
    tail("sinh_cubic", mp.sinh, (1, 3, 5), {1: 1}, half, lambda r: 1 / mp.sinh(r))
    tail("cosh_quartic", mp.cosh, cosh_powers, {0: 1, 2: mpf("0.5")}, half, lambda r: mpf(1))
    tail("tanh_cubic", mp.tanh, (1, 3, 5), {1: 1}, half / 2, lambda r: 1 / mp.tanh(r))


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

        write_pairs(header, 32)
        write_pairs(header, 8)


main()
