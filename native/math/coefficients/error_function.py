"""Coefficients of native/math/error_function.h. `python error_function.py` writes error_function.h again.

All series are fitted to mpmath's erf and erfc, which are correct to any precision. The script takes some minutes.
"""

from minimax import Header, hi_lo, minimax, to_single
from mpmath import mp, mpf

# For x >= NEAR, float64 uses the tail above x (native/math/error_function.h). For x >= FAR, erf needs fewer digits than
# the tail has, and uses 2 to the power of a polynomial.
NEAR = mpf(13) / 16
FAR = mpf(15) / 16
MARGIN = mpf(2) ** -20


def relative(f, powers, low, high, fixed=None):
    """Returns the polynomial with the powers `powers` that approximates f with the smallest relative error."""
    return minimax(f, powers, low, high, lambda x: 1 / f(x), fixed)


def write_exponents(header):
    """Writes the polynomials p of 1 - 2^-p(x) for float64 and x >= 15/16, and of 1 - 2^(-x p(x)) for float32."""

    def f(x):
        return -mp.log(mp.erfc(x), 2)

    def weight(x):  # converts an error of f to a relative error of erf
        return mp.erfc(x) * mp.log(2) / mp.erf(x)

    fit = minimax(
        lambda x: f(x) / x if x else 2 / mp.sqrt(mp.pi) / mp.log(2),
        range(18),
        0,
        mpf("3.95"),
        lambda x: weight(x) * x if x else mp.log(2) * mp.sqrt(mp.pi) / 2,
    )
    header.array(
        "erf_short", fit.coefficients, f"-log2(erfc(x)) / x, 0 <= x <= 3.95, relative to erf(x): {fit.comment()}"
    )
    fit = minimax(lambda u: f(FAR + u), range(22), 0, 6 - FAR, lambda u: weight(FAR + u))
    about = "-log2(erfc(x)), 15/16 <= x <= 6, in x - 15/16, from the linear term on, relative to erf(x)"
    header.array("erf_far_linear", fit.coefficients[1:], f"{about}: {fit.comment()}")
    header.constant("erf_far_constant", fit.coefficients[0], "the constant term of erf_far_linear")
    half = mpf("0.5") * (1 + mpf(2) ** -20)  # the reduced argument may pass 1/2 by a rounding error
    fit = relative(lambda r: mpf(2) ** r, range(12), -half, half)
    header.array("erf_exp2", fit.coefficients, f"2^r, |r| <= 1/2: {fit.comment()}")


def write_near(header, name, middle, factor, terms, end):
    """Writes the polynomial p of middle(x) = factor x + x p(x^2 - 1/2)."""

    def f(w):
        x = mp.sqrt(w + mpf(1) / 2)
        return middle(x) / x if x else mp.diff(middle, 0)

    reach = (end * (1 + MARGIN)) ** 2 - mpf(1) / 2
    fit = minimax(lambda w: f(w) - factor, range(terms), mpf(-1) / 2, reach, lambda w: 1 / f(w))
    about = f"p of {float(factor)} x + x p(x^2 - 1/2), |x| <= {float(end)}"
    header.array(f"{name}_near", fit.coefficients, f"{about}: {fit.comment()}")


def write_tail(header, name, scaled, slope, centre, ends):
    """Writes the polynomials p of scaled(x) = p(q) / (1 + slope x), where q = (x - centre) / (x + centre).

    q is -1 at x = 0, and approaches 1 as x approaches infinity.
    """

    def f(q):
        x = centre * (1 + q) / (1 - q)
        return scaled(x) * (1 + slope * x)

    def q(x):
        return (x - centre) / (x + centre)

    short_end, end = map(mpf, ends)
    about = f"p(q), q = (x - {float(centre)}) / (x + {float(centre)})"
    fit = relative(f, range(17), mpf(-1), q(short_end))
    header.array(f"{name}_short", fit.coefficients, f"{about}, 0 <= x <= {ends[0]}, for float32: {fit.comment()}")
    first, rest = hi_lo(f(mpf(0)))
    fit = relative(f, range(21), q(NEAR * (1 - MARGIN)), q(end), {0: first + rest})
    about += f", 13/16 <= x <= {ends[1]}, from q on"
    header.array(f"{name}_linear", fit.coefficients[1:], f"{about}: {fit.comment()}")
    header.array(f"{name}_constant", [first, rest], f"the constant term of {name}_linear in two parts")


def write_table(header, size, step, terms):
    """Writes tables of erf for pairs of float32, at `size` multiples c of `step`.

    The formula is erf(c + h) = erf(c) + erf'(c) (h + h^2 (-c + h p(h))).
    """
    columns, worst = [], mpf(0)
    for j in range(size):
        c, half = j * step, step / 2 * (1 + mpf(2) ** -18)
        value, derivative = mp.erf(c), 2 / mp.sqrt(mp.pi) * mp.exp(-c * c)

        def p(h, c=c, value=value, derivative=derivative):
            if abs(h) < mpf(10) ** -12:  # the formula below cancels here
                return (2 * c * c - 1) / 3 + h * (3 * c - 2 * c**3) / 6
            return ((mp.erf(c + h) - value) / derivative - h + c * h * h) / h**3

        def weight(h, c=c, derivative=derivative):
            return derivative * abs(h) ** 3 / mp.erf(c + h)

        low = -half if j else mpf(2) ** -20
        first = minimax(p, range(terms + 1), low, half, weight, rounded=lambda x: x).coefficients[0]
        fixed = sum(in_two_parts(first))
        fit = minimax(p, range(terms + 1), low, half, weight, {0: fixed}, to_single)
        worst = max(worst, fit.error)
        columns.append([*in_two_parts(value), *in_two_parts(derivative), *in_two_parts(first), *fit.coefficients[1:]])
    rows = [list(row) for row in zip(*columns, strict=True)]
    about = "for j = 0, 1, ...: erf(c), erf'(c), p(0), each in two parts, and the terms of p from h on"
    header.table(f"erf_{size}", rows, f"{about}: weighted error 2^{mp.nstr(mp.log(worst, 2), 4)}")
    header.single(f"erf_{size}_step", step)


def in_two_parts(x):
    first = to_single(x)
    return [first, to_single(x - first) if x != first else mpf(0)]


def main():
    root = mp.sqrt(2)
    with Header("error_function") as header:
        write_exponents(header)
        write_near(header, "erf", mp.erf, mpf(1), 12, FAR)
        write_near(header, "normal", lambda x: mp.erf(x / root) / 2, mpf(1) / 2, 12, NEAR)
        write_tail(header, "erfc", lambda x: mp.erfc(x) * mp.exp(x * x), 2, mpf(4), ("10.25", "27.5"))
        write_tail(header, "normal", lambda x: mp.erfc(x / root) / 2 * mp.exp(x * x / 2), 1, mpf(5), ("14.75", "39"))
        write_table(header, 32, mpf(1) / 8, 4)
        write_table(header, 8, mpf(17) / 32, 7)


main()
