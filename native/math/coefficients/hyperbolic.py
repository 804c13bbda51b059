"""Coefficients of native/math/hyperbolic.h. `python hyperbolic.py` writes hyperbolic.h again."""

from minimax import Header, minimax, to_double, to_single
from mpmath import mp, mpf


def write_series(header, kind, size, terms):
    """Writes the terms of tanh, sinh and cosh for a table of `size` powers (native/math/exp_table.h)."""
    rounded, write = (to_single, header.singles) if kind == "float" else (to_double, header.array)
    reach = mp.log(2) / size / 2 * (1 + mpf(2) ** -12)

    def tail(name, f, powers, fixed, high, weight):
        fit = minimax(f, powers, mpf(2) ** -30, high, weight, fixed, rounded)
        what = f"{name.replace('_', ', from the ')} term on"
        about = f"{what}, |r| <= ln(2) / {round(mp.log(2) / high)}, in r^2: {fit.comment()}"
        write(f"{name}_{kind}_{size}", fit.coefficients[len(fixed) :], about)

    odd, even = range(1, 2 * terms[0] + 2, 2), range(0, 2 * terms[1] + 4, 2)
    tail("tanh_cubic", mp.tanh, odd, {1: 1}, reach / 2, lambda r: 1 / mp.tanh(r))
    if kind == "float":
        tail("sinh_cubic", mp.sinh, odd, {1: 1}, reach, lambda r: 1 / mp.sinh(r))
        tail("cosh_quartic", mp.cosh, even, {0: 1, 2: mpf("0.5")}, reach, lambda r: mpf(1))


def main():
    ln2 = mp.log(2)
    half = mpf("0.5") * (1 + mpf(2) ** -20)  # the reduced argument may pass 1/2 by a rounding error
    low = mpf(2) ** -30

    with Header("hyperbolic") as header:

        def short(name, f, powers):
            fit = minimax(lambda r: f(r * ln2), powers, low, half, lambda r: 1 / f(r * ln2))
            header.array(
                name, fit.coefficients, f"{name[:4]}(r ln 2), |r| <= 1/2, for float32, in r^2: {fit.comment()}"
            )

        def tail(name, f, powers, fixed):
            fit = minimax(f, powers, low, half * ln2, lambda r: 1 / f(r), fixed)
            kept = fit.coefficients[len(fixed) :]
            what = f"{name.replace('_', ', from the ')} term on"
            header.array(name, kept, f"{what}, |r| <= ln(2) / 2, in r^2: {fit.comment()}")

        short("cosh_short", mp.cosh, range(0, 9, 2))
        short("sinh_short", mp.sinh, range(1, 10, 2))
        tail("cosh_quartic", mp.cosh, range(0, 13, 2), {0: 1, 2: mpf("0.5")})
        tail("sinh_cubic", mp.sinh, range(1, 12, 2), {1: 1})

        write_series(header, "float", 32, (2, 1))
        write_series(header, "float", 8, (2, 2))
        write_series(header, "double", 16, (3, 0))


main()
