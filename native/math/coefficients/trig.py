"""Coefficients of native/math/trig.h and inverse_trig.h: run `python trig.py` to write trig.h again.

Even and odd functions are fitted in z = r^2. An array whose name ends in `tail` begins after the terms that its
function adds by itself.
"""

import cells
from minimax import Header, keep_bits, minimax, to_double
from mpmath import mp, mpf

# A reduced argument may pass the end of its interval by the rounding error of the quotient.
MARGIN = 1 + mpf(2) ** -18


def over_argument(f):
    """f(r) / r as a function of z = r^2."""
    return lambda z: f(mp.sqrt(z)) / mp.sqrt(z) if z else mpf(1)


def relative(f, terms, high, fixed=None):
    """f(z) with so many terms on [0, high], for the smallest relative error."""
    return minimax(f, range(terms), 0, high, lambda z: 1 / f(z), fixed)


def rational(f, numerator, denominator, high):
    """f(z) = P(z) / Q(z), interpolated at the Chebyshev points of [0, high], which comes close to the minimax.

    Returns P and Q, scaled so that the last coefficient of P is 1, and the relative error.
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
    """x as a sum of numbers with so many significant bits."""
    found = []
    for bits in sizes:
        found.append(keep_bits(x, bits))
        x -= found[-1]
    return found


def digits(fraction, places):
    """A number cut into parts that end at so many binary places, the last one rounded to a double."""
    parts = []
    for p in places:
        parts.append(mp.floor(fraction * mpf(2) ** p) / mpf(2) ** p)
        fraction -= parts[-1]
    return [*parts, fraction]


def half_turns():
    """2^e / pi modulo 2^24 in two parts, for e = 0 to 128.

    A float32 is m 2^e with m a multiple of 2^-23, so what is left out are multiples of 2: whole turns.
    """
    with mp.workprec(400):
        rows = [digits(mp.fmod(mpf(2) ** e / mp.pi, mpf(2) ** 24), [29]) for e in range(129)]
    return [first for first, _ in rows], [rest for _, rest in rows]


def quarter_turns():
    """2^(16 k) 2 / pi modulo 2^54 in four parts, for k = 0 to 63.

    A double is m 2^(16 k) with m < 2^16 a multiple of 2^-52, so what is left out are multiples of 4: whole turns.
    """
    with mp.workprec(1400):
        rows = [digits(mp.fmod(mpf(2) ** (16 * k) * 2 / mp.pi, mpf(2) ** 54), [-1, 52, 105]) for k in range(64)]
    return [part for row in rows for part in row]


def write_trig(header):
    quarter, half = (mp.pi / 4) ** 2 * MARGIN, (mp.pi / 2) ** 2 * MARGIN
    sin, tan = over_argument(mp.sin), over_argument(mp.tan)

    header.constant("inverse_pi", 1 / mp.pi)
    header.constant("inverse_half_pi", 2 / mp.pi)
    header.array("half_pi", pieces(mp.pi / 2, [53, 53, 53]), "pi / 2 = the sum, for fused multiply-adds")
    header.array(
        "half_pi_short",
        pieces(mp.pi / 2, [33, 33, 33, 53]),
        "pi / 2 = the sum; the products of the first three with integers below 2^20 are exact",
    )
    first, rest = half_turns()
    header.array("half_turns", first, "2^e / pi modulo 2^24, to 29 binary places, for e = 0 to 128")
    header.array("half_turns_rest", rest, "what is left of it")
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
    header.constant("quarter_pi_hi", quarter_pi, "to 50 bits, so that 2, 3 and 4 times it are exact")
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

    # atan(q) and pi / 2 - atan(q), for float32. The point of the first cell of the latter is behind its middle: the
    # distance from it is then exact where it is largest.
    first = mpf(1) / 8
    rest = [cells.bounds(i, first) for i in range(1, cells.ROWS // 2)]
    rows = [cells.around_zero(mp.atan, first, (3, 4, 5, 6)), *(cells.around_point(mp.atan, *ends) for ends in rest)]
    rows.append(cells.around_point(mp.acot, mpf(0), first, reach=-0.125))
    rows += [cells.around_point(mp.acot, *ends) for ends in rest]
    cells.write(header, "atan_cells", rows)


with Header("trig") as header:
    write_trig(header)
    write_inverse_trig(header)
