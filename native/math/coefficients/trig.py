"""Coefficients of native/math/trig.h and inverse_trig.h. `python trig.py` writes trig.h again.

Even and odd functions are fitted in z = r^2. An array whose name ends in `tail` begins after the terms that the
function adds by itself.
"""

from minimax import Header, hi_lo, keep_bits, minimax, to_double, to_single
from mpmath import mp, mpf

# A reduced argument may pass the end of its interval by the rounding error of the quotient.
MARGIN = 1 + mpf(2) ** -18


def over_argument(f):
    """Returns f(r) / r as a function of z = r^2."""
    return lambda z: f(mp.sqrt(z)) / mp.sqrt(z) if z else mpf(1)


def relative(f, terms, high, fixed=None):
    """Returns the polynomial of `terms` terms that approximates f(z) on [0, high] with the smallest relative error."""
    return minimax(f, range(terms), 0, high, lambda z: 1 / f(z), fixed)


def rational(f, numerator, denominator, high):
    """Returns P and Q such that P(z) / Q(z) equals f(z) at the Chebyshev points of [0, high], and the relative error.

    The quotient is close to the minimax approximation of f. P and Q are scaled so that the last coefficient of P is 1.
    """
    count = numerator + denominator - 1
    points = [high / 2 * (1 - mp.cos(mp.pi * (i + mpf(0.5)) / count)) for i in range(count)]
    matrix, right = mp.matrix(count, count), mp.matrix(count, 1)
    for i, z in enumerate(points):
        for k in range(numerator):
            matrix[i, k] = z**k
        for k in range(1, denominator):
            matrix[i, numerator + k - 1] = -f(z) * z**k
        right[i] = f(z)
    solution = list(mp.lu_solve(matrix, right))
    p, q = solution[:numerator], [mpf(1), *solution[numerator:]]
    p, q = [to_double(c / p[-1]) for c in p], [to_double(c / p[-1]) for c in q]
    grid = [high * i / 500 for i in range(501)]
    return p, q, max(abs(mp.polyval(p[::-1], z) / mp.polyval(q[::-1], z) / f(z) - 1) for z in grid)


def pieces(x, sizes):
    """Returns x as a sum of numbers with `sizes` significant bits."""
    found = []
    for bits in sizes:
        found.append(keep_bits(x, bits))
        x -= found[-1]
    return found


def digits(fraction, places):
    """Returns the parts of a fraction that end at the binary places `places`, and the rest of the fraction."""
    parts = []
    for p in places:
        parts.append(mp.floor(fraction * mpf(2) ** p) / mpf(2) ** p)
        fraction -= parts[-1]
    return [*parts, fraction]


def half_turns():
    """Returns 2^e / pi modulo 2^24 in two parts, for e = 0 to 128.

    A float32 is m 2^e with m a multiple of 2^-23, so the omitted part is a multiple of 2, or whole turns.
    """
    with mp.workprec(400):
        rows = [digits(mp.fmod(mpf(2) ** e / mp.pi, mpf(2) ** 24), [29]) for e in range(129)]
    return [first for first, _ in rows], [rest for _, rest in rows]


def quarter_turns():
    """Returns 2^(16 k) 2 / pi modulo 2^54 in four parts, for k = 0 to 63.

    A double is m 2^(16 k) with m < 2^16 a multiple of 2^-52, so the omitted part is a multiple of 4, or whole turns.
    """
    with mp.workprec(1400):
        rows = [digits(mp.fmod(mpf(2) ** (16 * k) * 2 / mp.pi, mpf(2) ** 54), [-1, 52, 105]) for k in range(64)]
    return [part for row in rows for part in row]


def write_trig(header):
    quarter, half = (mp.pi / 4) ** 2 * MARGIN, (mp.pi / 2) ** 2 * MARGIN
    sin, tan = over_argument(mp.sin), over_argument(mp.tan)

    header.constant("inverse_pi", 1 / mp.pi)
    header.constant("inverse_half_pi", 2 / mp.pi)
    header.array("half_pi", pieces(mp.pi / 2, [53, 53, 53]), "parts whose sum is pi / 2, for fused multiply-adds")
    header.array(
        "half_pi_short",
        pieces(mp.pi / 2, [33, 33, 33, 53]),
        "parts whose sum is pi / 2; the products of the first three parts with integers below 2^20 are exact",
    )
    first, rest = half_turns()
    header.array("half_turns", first, "2^e / pi modulo 2^24, to 29 binary places, for e = 0 to 128")
    header.array("half_turns_rest", rest, "the low parts of half_turns")
    parts = "in parts to 2, 2^-52, 2^-105 and on"
    header.array("quarter_turns", quarter_turns(), f"2^(16 k) 2 / pi modulo 2^54 {parts}, for k = 0 to 63")

    fit = relative(sin, 7, half)
    header.array("sin_short", fit.coefficients, f"sin(r) / r, |r| <= pi / 2, for float32: {fit.comment()}")
    p, q, error = rational(tan, 3, 4, quarter)
    size = f"error 2^{mp.nstr(mp.log(error, 2), 4)}"
    header.array(
        "tan_numerator",
        p,
        f"tan(r) / r = numerator / denominator, |r| <= pi / 4, for float32: {size}",
    )
    header.array("tan_denominator", q)

    fit = relative(sin, 7, quarter, {0: mpf(1)})
    header.array("sin_tail", fit.coefficients[1:], f"(sin(r) - r) / r^3, |r| <= pi / 4: {fit.comment()}")
    fit = relative(lambda z: mp.cos(mp.sqrt(z)), 8, quarter, {0: mpf(1), 1: mpf(-0.5)})
    header.array(
        "cos_tail",
        fit.coefficients[2:],
        f"(cos(r) - 1 + r^2 / 2) / r^4, |r| <= pi / 4: {fit.comment()}",
    )


def write_inverse_trig(header):
    asin, atan = over_argument(mp.asin), over_argument(mp.atan)
    quarter_pi = keep_bits(mp.pi / 4, 50)
    header.constant("quarter_pi_hi", quarter_pi, "pi / 4 to 50 bits, so that its products with 2, 3 and 4 are exact")
    header.constant("quarter_pi_lo", mp.pi / 4 - quarter_pi)

    fit = relative(asin, 10, mpf(0.25))
    header.array("asin_short", fit.coefficients, f"asin(r) / r, |r| <= 1/2, for float32: {fit.comment()}")
    fit = relative(atan, 9, mp.tan(mp.pi / 8) ** 2 * MARGIN)
    header.array(
        "atan_short",
        fit.coefficients,
        f"atan(r) / r, |r| <= tan(pi / 8), for float32: {fit.comment()}",
    )

    fit = relative(asin, 14, mpf(0.25), {0: mpf(1)})
    header.array("asin_tail", fit.coefficients[1:], f"(asin(r) - r) / r^3, |r| <= 1/2: {fit.comment()}")
    fit = relative(atan, 13, mpf(0.25), {0: mpf(1)})
    header.array("atan_tail", fit.coefficients[1:], f"(atan(r) - r) / r^3, |r| <= 1/2: {fit.comment()}")

    # The margins are half ulps of t^3 / 3, of its factors and of two sums, if t is nearly the whole angle. With 16
    # points, the margin is 5.8 * 2^-36 of the angle. With 32 points, the margin is a quarter of this number.
    write_short_atan(header, 32, 2, to_single(mpf(2) ** -35.4))
    write_short_atan(header, 16, 3, to_single(mpf(2) ** -33.4))

    series = [hi_lo(mpf(-1) ** k / (2 * k + 1)) for k in range(11)]
    header.array("atan_series", [hi for hi, _ in series], "atan(t) / t, |t| <= 1/32, in powers of t^2 to 2^-104")
    header.array("atan_series_lo", [lo for _, lo in series], "the low parts of atan_series")
    points = [hi_lo(mp.atan(mpf(j) / 16)) for j in range(17)]
    header.array("atan_points", [hi for hi, _ in points], "atan(j / 16)")
    header.array("atan_points_lo", [lo for _, lo in points], "the low parts of atan_points")


def write_short_atan(header, count, terms, margin):
    """Writes tables for pairs of float32.

    The tables hold the arctangents of j / count minus a margin, and a polynomial for the angles between these
    arctangents. The first part of each arctangent is a multiple of 2^-22. The difference from another arctangent or
    from pi is therefore exact.
    """
    values = [mp.atan(mpf(j) / count) for j in range(count)]
    first = [mp.nint(v * 2**22) / 2**22 for v in values]
    rest = [v * (1 - margin) - f for v, f in zip(values, first, strict=True)]
    header.table(f"atan_{count}", [first, rest], f"atan(j / {count}), minus its margin, in two parts")
    half_pi = mp.nint(mp.pi / 2 * 2**22) / 2**22
    header.singles(f"half_pi_{count}", [half_pi, mp.pi / 2 * (1 - margin) - half_pi], "pi / 2, minus the margin")
    header.constant(f"margin_{count}", margin)

    # An estimate of the quotient may pass the middle between two points.
    end = mpf(1) / (2 * count - 5)
    fit = minimax(atan_tail, range(terms), 0, end**2, lambda z: z, rounded=to_single)
    comment = f"(atan(t) - t) / t^3, |t| <= 1 / {2 * count - 5}, the error of atan(t): {fit.comment()}"
    header.singles(f"atan_rest_{count}", fit.coefficients, comment)


def atan_tail(z):
    """Returns (atan(t) - t) / t^3 as a function of z = t^2."""
    return (mp.atan(mp.sqrt(z)) / mp.sqrt(z) - 1) / z if z else mpf(-1) / 3


with Header("trig") as header:
    write_trig(header)
    write_inverse_trig(header)
