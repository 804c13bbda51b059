"""Weighted minimax polynomials by the Remez exchange, and the header files that hold the polynomials.

The families' scripts (exp.py, ...) use this module:

    fit = minimax(f, powers, low, high, weight)     coefficients of f ~ sum c[k] x^powers[k], already doubles
    with Header("exp") as header:                   writes exp.h beside the scripts
        header.array("exp_polynomial", fit.coefficients, fit.comment())

The module needs only mpmath. Every function accepts and returns mpmath numbers.
"""

from dataclasses import dataclass
from pathlib import Path

from mpmath import mp, mpf

mp.prec = 240


@dataclass
class Fit:
    coefficients: list  # ascending, each exactly representable as a double
    error: mpf  # max |weight * (f - polynomial)| with these coefficients

    def comment(self) -> str:
        return f"weighted error 2^{mp.nstr(mp.log(self.error, 2), 4)}"


def to_double(x) -> mpf:
    """Returns x rounded to the nearest double."""
    return mpf(float(x))


def hi_lo(x) -> tuple:
    """Returns x as the sum of two doubles."""
    hi = to_double(x)
    return hi, to_double(x - hi)


def to_single(x) -> mpf:
    """Returns x rounded to the nearest float, if the nearest float is a normal number."""
    return keep_bits(x, 24)


def keep_bits(x, bits) -> mpf:
    """Returns x rounded to `bits` significant bits, for constants whose products with small integers must be exact."""
    with mp.workprec(bits):
        return +mpf(x)


def minimax(f, powers, low, high, weight=lambda x: mpf(1), fixed=None, rounded=to_double) -> Fit:
    """Returns the polynomial p with the powers `powers` that minimizes max |weight(x) (f(x) - p(x))| over [low, high].

    Pass weight = lambda x: 1 / f(x) for the smallest relative error. `f` and `weight` must return their limits where
    their formulas fail. Both functions are evaluated at the ends and in the middle of the interval. `fixed` maps powers
    to coefficients that the caller chooses. The function rounds the other coefficients to doubles one after the other,
    lowest power first. After each rounding, the function fits the remaining coefficients again, so that the error stays
    close to the true minimax. With odd or even powers only, use an interval on one side of 0.
    """
    low, high = mpf(low), mpf(high)
    fixed = dict(fixed or {})
    free = [k for k in powers if k not in fixed]
    remaining = _tabulated(f, weight, low, high)
    for k, c in fixed.items():
        remaining = _without(remaining, k, c)
    while free:
        coefficients = _remez(remaining, free)
        fixed[free[0]] = rounded(coefficients[0])
        remaining = _without(remaining, free[0], fixed[free[0]])
        free = free[1:]
    ordered = sorted(fixed)
    error = max(abs(w * r) for _, r, w in remaining)
    return Fit([mpf(fixed[k]) for k in ordered], error)


def _tabulated(f, weight, low, high, points=1500) -> list:
    """Returns [(x, f(x), weight(x))] on a grid that is denser at the ends, where extrema are denser."""
    xs = [(low + high) / 2 - (high - low) / 2 * mp.cos(mp.pi * i / points) for i in range(points + 1)]
    xs[0], xs[-1] = low, high
    return [(x, mpf(f(x)), mpf(weight(x))) for x in xs]


def _without(table, power, coefficient) -> list:
    return [(x, y - coefficient * x**power, w) for x, y, w in table]


def _remez(table, powers, rounds=40) -> list:
    """Returns the coefficients of the best approximation over the tabulated points."""
    count = len(powers) + 1
    # If the lowest power is not 0, all powers vanish at 0, and the error divided by x^lowest alternates.
    weights = [-w if x < 0 and powers[0] % 2 else w for x, _, w in table]
    rows = [[w * x**k for k in powers] for w, (x, _, _) in zip(weights, table, strict=True)]
    values = [w * y for w, (_, y, _) in zip(weights, table, strict=True)]
    last = len(table) - 1
    chosen = [round(last * i / (count - 1)) for i in range(count)]
    for _ in range(rounds):
        matrix = mp.matrix(count, count)
        right = mp.matrix(count, 1)
        for i, j in enumerate(chosen):
            for k in range(count - 1):
                matrix[i, k] = rows[j][k]
            matrix[i, count - 1] = (-1) ** i
            right[i] = values[j]
        solution = mp.lu_solve(matrix, right)
        coefficients = [solution[k] for k in range(count - 1)]
        level = abs(solution[count - 1])
        fitted = [sum(c * r for c, r in zip(coefficients, row, strict=True)) for row in rows]
        errors = [v - f for v, f in zip(values, fitted, strict=True)]
        found = _alternating_extrema(errors, count)
        worst = max(abs(e) for e in errors)
        if found is None or worst <= level * (1 + mpf(10) ** -6):
            break
        chosen = found
    return coefficients


def _alternating_extrema(errors, count) -> list | None:
    """Returns the positions of `count` extrema of alternating sign, including the largest, or None if too few exist."""
    peaks = []
    for i, e in enumerate(errors):
        if e == 0:
            continue
        if peaks and (errors[peaks[-1]] > 0) == (e > 0):
            if abs(e) > abs(errors[peaks[-1]]):
                peaks[-1] = i
        else:
            peaks.append(i)
    while len(peaks) > count:
        if len(peaks) == count + 1:
            peaks.pop(0 if abs(errors[peaks[0]]) < abs(errors[peaks[-1]]) else -1)
        else:  # drop the least peak with its smaller neighbour, so that signs still alternate
            i = min(range(len(peaks)), key=lambda k: abs(errors[peaks[k]]))
            if i in (0, len(peaks) - 1):
                peaks.pop(i)
            else:
                j = min((i - 1, i + 1), key=lambda k: abs(errors[peaks[k]]))
                for k in sorted((i, j), reverse=True):
                    peaks.pop(k)
    return peaks if len(peaks) == count else None


class Header:
    """Writes <family>.h, which defines constants as hexadecimal literals in namespace suanzi::coefficients."""

    def __init__(self, family):
        self.path = Path(__file__).with_name(f"{family}.h")
        self.lines = [
            f"// Coefficients of native/math/{family}.h, generated by {family}.py; do not edit.",
            "#pragma once",
            "",
            "namespace suanzi::coefficients {",
        ]

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if kind is None:
            self.lines += ["", "}  // namespace suanzi::coefficients", ""]
            self.path.write_text("\n".join(self.lines))

    def constant(self, name, value, comment=""):
        self._comment(comment)
        self.lines.append(f"inline constexpr double {name} = {float(value).hex()};")

    def array(self, name, values, comment=""):
        self._comment(comment)
        self.lines.append(f"inline constexpr double {name}[] = {{")
        self.lines += [f"    {float(v).hex()}," for v in values]
        self.lines.append("};")

    def single(self, name, value):
        self._comment("")
        self.lines.append(f"inline constexpr float {name} = {float(to_single(value)).hex()}f;")

    def singles(self, name, values, comment=""):
        self._comment(comment)
        self.lines.append(f"inline constexpr float {name}[] = {{")
        self.lines += [f"    {float(to_single(v)).hex()}f," for v in values]
        self.lines.append("};")

    def table(self, name, columns, comment="", single=True):
        """Writes columns of floats or doubles, where name[i] is the i-th column."""
        self._comment(comment)
        self.lines.append(f"inline constexpr {'float' if single else 'double'} {name}[][{len(columns[0])}] = {{")
        for column in columns:
            numbers = [f"{float(to_single(v)).hex()}f" if single else float(v).hex() for v in column]
            self.lines.append(f"    {{{', '.join(numbers)}}},")
        self.lines.append("};")

    def _comment(self, comment):
        self.lines.append("")
        if comment:
            self.lines.append(f"// {comment}")
