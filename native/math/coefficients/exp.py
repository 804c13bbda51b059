"""Coefficients of native/math/exp.h. `python exp.py` writes exp.h again."""

from minimax import Header, hi_lo, keep_bits, minimax, to_double, to_single
from mpmath import mp, mpf

MARGINS = {32: (mpf("2.4e-11"), mpf("5.1e-11")), 8: (mpf("3.6e-12"), mpf("1.1e-11"))}
"""The margins of exp for float32, by the size of its table: the greatest relative error above the exact result, and the
width of the interval around the exact result. A test of all inputs proves both numbers."""


def write_powers(write, rounded, name):
    """Writes a table of powers and the logarithms of the powers' rounding errors. Returns the logarithms."""
    size = int(name.split("_")[1])
    exact = [mpf(2) ** (mpf(j) / size) for j in range(size)]
    powers = [rounded(p) for p in exact]
    write(
        f"exp2_{name}",
        powers,
        f"2^(j / {size}) rounded, the logarithms of the rounding errors, and half of these logarithms",
    )
    rest = [mp.log(e / p) for e, p in zip(exact, powers, strict=True)]
    write(f"exp2_{name}_rest", rest)
    write(f"exp2_{name}_half_rest", [r / 2 for r in rest])
    return rest


def write_double_table(header):
    write_powers(header.array, to_double, "double_16")
    reach = mp.log(2) / 32 * (1 + mpf(2) ** -20)
    fit = minimax(mp.expm1, range(1, 7), -reach, reach, lambda r: mp.exp(-r), {1: 1})
    about = f"(e^r - 1 - r) / r^2, |r| <= ln(2) / 32, relative to e^r: {fit.comment()}"
    header.array("exp_square_double_16", fit.coefficients[1:], about)


def write_float_table(header, size):
    name = f"float_{size}"
    rest = write_powers(header.singles, to_single, name)
    above, width = MARGINS[size]
    header.singles(f"exp2_{name}_rest_low", [r - above for r in rest], f"exp2_{name}_rest minus the margin of exp")
    header.single(f"exp_width_{name}", width)
    # With a table of 32 powers, exp omits the term r_lo r^2 / 2, where r_lo contains ln2_rest times an exponent. The
    # code therefore multiplies ln2_rest by a factor that adds half of the largest omitted term.
    single = to_single(mp.log(2))
    factor = 1 + (mp.log(2) / 64) ** 2 / 4 if size == 32 else 1
    header.single(f"exp_ln2_rest_{name}", (mp.log(2) - single) * factor)

    reach = mp.log(2) / size / 2 * (1 + mpf(2) ** -12)
    degree = 5 if size == 32 else 6
    fixed = {1: 1, 2: mpf("0.5")}
    fit = minimax(mp.expm1, range(1, degree + 1), -reach, reach, lambda r: 1 / abs(mp.expm1(r)), fixed, to_single)
    about = f"(e^r - 1 - r - r^2 / 2) / r^3, |r| <= ln(2) / {2 * size}, relative to e^r - 1: {fit.comment()}"
    header.singles(f"exp_cubic_{name}", fit.coefficients[2:], about)


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

        # If the constant term is exactly 1, the result 2^-150 is exact. The number 2^-150 is a tie between 0 and the
        # least positive float32.
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

        single = to_single(ln2)
        header.single("ln2_float", single)
        header.single("ln2_float_rest", ln2 - single)
        write_float_table(header, 32)
        write_float_table(header, 8)
        reach = ln2 / 64 * (1 + mpf(2) ** -12)
        fit = minimax(lambda r: mp.exp(r) / (1 + r) - 1, range(2, 5), -reach, reach, rounded=to_single)
        about = f"(e^r / (1 + r) - 1) / r^2, |r| <= ln(2) / 64: {fit.comment()}"
        header.singles("exp_square_float_32", fit.coefficients, about)
        write_double_table(header)


main()
