"""Coefficients of native/math/log.h and log_table.h. `python log.py` writes log.h again.

The series of log.h are series in z = t^2, where log(m) = log((1 + t / 2) / (1 - t / 2)) = t + t^3 P(z), for m from
sqrt(1/2) to sqrt(2). The series of log_table.h are series in h = (m / c - 1) / 2, where c is a middle of the cell of m.
The cells are equal parts of the bit patterns of the mantissas.
"""

from dataclasses import dataclass
from itertools import pairwise

from minimax import Header, hi_lo, keep_bits, minimax, to_double, to_single
from mpmath import mp, mpf

LN2, LN10 = mp.log(2), mp.log(10)
SCALES = [mpf(1), 1 / LN2, 1 / LN10]  # logarithms to base e, 2, 10


@dataclass
class Precision:
    name: str
    digits: int
    single: bool
    fraction: list  # bits after the point of the short number in each base, down to the bit of the least denormal

    def rounded(self, x):
        return to_single(x) if self.single else to_double(x)

    def parts(self, x, base) -> list:
        """Returns a logarithm as a short number and the rest."""
        short = mp.nint(x * 2 ** self.fraction[base]) / 2 ** self.fraction[base]
        return [short, x - short]


SINGLE = Precision("single", 24, True, [17, 16, 18])
DOUBLE = Precision("double", 53, False, [42, 42, 42])


def series(count):
    """Returns the `count` coefficients of P for the smallest relative error of the logarithm, and a comment."""
    low, high = largest**2 / 1000, largest**2 * (1 + mpf(2) ** -20)

    def quotient(z):
        t = mp.sqrt(z)
        return 2 * mp.atanh(t / 2) / t

    fit = minimax(quotient, range(count + 1), low, high, lambda z: 1 / quotient(z), {0: 1})
    return fit.coefficients[1:], f"(log(m) - t) / t^3, in t^2: {fit.comment()}"


largest = 2 * mp.tanh(mp.log(2) / 4)


def from_bits(position):
    """Returns the number whose bit pattern is `position` octaves after the bit pattern of 1."""
    octave = mp.floor(position)
    return mpf(2) ** octave * (1 + position - octave)


def reach(low, high, inverse):
    return max(abs(low * inverse - 1), abs(high * inverse - 1))


def short_reciprocal(low, high, digits):
    """Returns 1 / c for a middle c of the cell, so short that m / c - 1 is exact for m of `digits` digits in the cell.

    For cells around 1 the result is 1, and for cells just below 2 the result is 1/2. In these cells, the logarithm, or
    its difference from the logarithm of a power of two, is small.
    """
    if low <= 1 < high:
        return mpf(1)
    if low >= 2 - mpf(1) / 16:
        return mpf(1) / 2
    ulp = mpf(2) ** (mp.floor(mp.log(low, 2)) + 1 - digits)
    found = []
    for bits in range(3, 10):
        inverse = mp.nint(2 / (low + high) * 2**bits) / 2**bits
        if reach(low, high, inverse) <= ulp / 2**bits * 2**digits:
            found.append(inverse)
    return min(found, key=lambda inverse: reach(low, high, inverse))


def constants(header, precision):
    name, bases = precision.name, range(len(SCALES))
    units = [precision.parts(LN2 * SCALES[base], base) for base in bases]
    header.table(f"log_{name}_unit", units, "log(2) to base e, 2, 10, in two parts", precision.single)
    scales = [[2 * scale, 2 * scale - precision.rounded(2 * scale)] for scale in SCALES]
    header.table(f"log_{name}_scale", scales, "2 log(e), in two parts", precision.single)


def cells(header, count, start, terms, precision):
    """Writes the table of `count` cells that begins at `start`, and the polynomials with `terms` terms."""
    bounds = list(pairwise(from_bits(start + mpf(i) / count) for i in range(count + 1)))
    inverses = [short_reciprocal(*bound, precision.digits) for bound in bounds]
    ends = [end * inverse - 1 for bound, inverse in zip(bounds, inverses, strict=True) for end in bound]

    def cubic(r):
        return (mp.log1p(r) - r + r * r / 2) / r**3 if r else mpf(1) / 3

    fit = minimax(cubic, range(terms), min(ends), max(ends), lambda r: r * r, None, precision.rounded)
    parts = [[precision.parts(-mp.log(v) * SCALES[base], base) for v in inverses] for base in range(len(SCALES))]
    # For base e, the coefficients are half as large, because log_table.h doubles the polynomial together with other
    # terms.
    powers = [[(8 if base else 4) * 2**i * SCALES[base] for i in range(terms)] for base in range(len(SCALES))]
    polynomials = [[x * c for x, c in zip(row, fit.coefficients, strict=True)] for row in powers]

    name, single = f"log_{count}", precision.single
    header.table(f"{name}_start", [[bounds[0][0]]], "the least mantissa", single)
    header.table(f"{name}_half_inverse", [[v / 2 for v in inverses]], "1 / 2c for a middle c of each cell", single)
    header.table(f"{name}_high", [[p[0] for p in row] for row in parts], "log(c), log2(c), log10(c), shortened", single)
    header.table(f"{name}_low", [[p[1] for p in row] for row in parts], f"the low parts of {name}_high", single)
    header.table(f"{name}_cubic", polynomials, f"(log(1 + 2h) - 2h + 2h^2) / h^3: {fit.comment()}", single)


def main():
    ln10 = mp.log(10)
    with Header("log") as header:
        header.array("log_short", *series(4))
        header.array("log_tail", *series(7))

        header.constant("log2_e_lo", hi_lo(1 / mp.log(2))[1], "the low part of log2(e)")
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
        constants(header, SINGLE)
        cells(header, 32, mpf(0), 4, SINGLE)
        # One of 8 cells extends from 0.96 to 1.045. After this cell, the difference of log2(m) and log2(c) is a float.
        cells(header, 8, mpf(-594) / 1024, 6, SINGLE)
        constants(header, DOUBLE)
        cells(header, 16, mpf(0), 9, DOUBLE)


main()
