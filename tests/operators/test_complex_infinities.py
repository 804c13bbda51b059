"""Complex functions of zeros, infinities and NaN follow Annex G of C99 (ISO/IEC 9899:1999, G.5 and G.6).

The tables list arguments whose imaginary part is not negative. The results for other arguments follow from f(conj z) =
conj f(z), and the results for a negative real part from the symmetry of odd and even functions. The tables have "±"
where the sign is unspecified. G.6 has no table for four functions, and defines them by other functions. The table of
reciprocal follows from division.
"""

from __future__ import annotations

import cmath
import math

import numpy as np
import pytest

import suanzi

INF, NAN, PI = math.inf, math.nan, math.pi
X = 0.75  # an example of a finite number that is not 0

Entry = tuple[complex, tuple[float, float], str]


def entry(x: float, y: float, re: float, im: float, unspecified: str = "") -> Entry:
    """Return a table's entry f(x + iy) = re + i im. `unspecified` names the parts ("r", "i") of unspecified sign."""
    return complex(x, y), (re, im), unspecified


EXP = [  # G.6.3.1
    entry(0.0, 0.0, 1, 0.0),
    entry(-0.0, 0.0, 1, 0.0),
    entry(X, INF, NAN, NAN),
    entry(X, NAN, NAN, NAN),
    entry(INF, 0.0, INF, 0.0),
    entry(-INF, X, 0 * math.cos(X), 0 * math.sin(X)),
    entry(INF, X, INF, INF),
    entry(-INF, INF, 0.0, 0.0, "ri"),
    entry(INF, INF, INF, NAN, "r"),
    entry(-INF, NAN, 0.0, 0.0, "ri"),
    entry(INF, NAN, INF, NAN, "r"),
    entry(NAN, 0.0, NAN, 0.0),
    entry(NAN, X, NAN, NAN),
    entry(NAN, NAN, NAN, NAN),
]
TABLES: dict[str, list[Entry]] = {
    "exp": EXP,
    # The table of exp(z) - 1 follows from the table of exp(z).
    "expm1": [(z, (re - 1, im), signs if math.isinf(re) else signs.replace("r", "")) for z, (re, im), signs in EXP],
    "log": [  # G.6.3.2
        entry(-0.0, 0.0, -INF, PI),
        entry(0.0, 0.0, -INF, 0.0),
        entry(X, INF, INF, PI / 2),
        entry(X, NAN, NAN, NAN),
        entry(-INF, X, INF, PI),
        entry(INF, X, INF, 0.0),
        entry(-INF, INF, INF, 3 * PI / 4),
        entry(INF, INF, INF, PI / 4),
        entry(-INF, NAN, INF, NAN),
        entry(INF, NAN, INF, NAN),
        entry(NAN, X, NAN, NAN),
        entry(NAN, INF, INF, NAN),
        entry(NAN, NAN, NAN, NAN),
    ],
    "sqrt": [  # G.6.4.2
        entry(0.0, 0.0, 0.0, 0.0),
        entry(-0.0, 0.0, 0.0, 0.0),
        entry(X, INF, INF, INF),
        entry(NAN, INF, INF, INF),
        entry(INF, INF, INF, INF),
        entry(X, NAN, NAN, NAN),
        entry(-INF, X, 0.0, INF),
        entry(INF, X, INF, 0.0),
        entry(-INF, NAN, NAN, INF, "i"),
        entry(INF, NAN, INF, NAN),
        entry(NAN, X, NAN, NAN),
        entry(NAN, NAN, NAN, NAN),
    ],
    # The table of 1 / sqrt(z). The result for zeros is infinity, and the result for infinities is 0.
    "rsqrt": [
        entry(0.0, 0.0, INF, NAN),
        entry(-0.0, 0.0, INF, NAN),
        entry(X, INF, 0.0, 0.0, "ri"),
        entry(-INF, X, 0.0, 0.0, "ri"),
        entry(INF, X, 0.0, 0.0, "ri"),
        entry(INF, INF, 0.0, 0.0, "ri"),
        entry(INF, NAN, 0.0, 0.0, "ri"),
        entry(NAN, X, NAN, NAN),
    ],
    # The table of 1 / z, by G.5.1. A number / 0 is an infinity, and a finite number / an infinity is 0.
    "reciprocal": [
        entry(0.0, 0.0, INF, NAN),
        entry(-0.0, 0.0, -INF, NAN),
        entry(INF, 0.0, 0.0, 0.0, "ri"),
        entry(-INF, X, 0.0, 0.0, "ri"),
        entry(X, INF, 0.0, 0.0, "ri"),
        entry(INF, INF, 0.0, 0.0, "ri"),
        entry(INF, NAN, 0.0, 0.0, "ri"),
        entry(NAN, INF, 0.0, 0.0, "ri"),
        entry(NAN, X, NAN, NAN),
        entry(X, NAN, NAN, NAN),
    ],
    "acos": [  # G.6.1.1
        entry(0.0, 0.0, PI / 2, -0.0),
        entry(-0.0, 0.0, PI / 2, -0.0),
        entry(0.0, NAN, PI / 2, NAN),
        entry(X, INF, PI / 2, -INF),
        entry(X, NAN, NAN, NAN),
        entry(-INF, X, PI, -INF),
        entry(INF, X, 0.0, -INF),
        entry(-INF, INF, 3 * PI / 4, -INF),
        entry(INF, INF, PI / 4, -INF),
        entry(INF, NAN, NAN, INF, "i"),
        entry(-INF, NAN, NAN, INF, "i"),
        entry(NAN, X, NAN, NAN),
        entry(NAN, INF, NAN, -INF),
        entry(NAN, NAN, NAN, NAN),
    ],
    "acosh": [  # G.6.2.1
        entry(0.0, 0.0, 0.0, PI / 2),
        entry(-0.0, 0.0, 0.0, PI / 2),
        entry(X, INF, INF, PI / 2),
        entry(X, NAN, NAN, NAN),
        entry(-INF, X, INF, PI),
        entry(INF, X, INF, 0.0),
        entry(-INF, INF, INF, 3 * PI / 4),
        entry(INF, INF, INF, PI / 4),
        entry(INF, NAN, INF, NAN),
        entry(-INF, NAN, INF, NAN),
        entry(NAN, X, NAN, NAN),
        entry(NAN, INF, INF, NAN),
        entry(NAN, NAN, NAN, NAN),
    ],
    "asinh": [  # G.6.2.2
        entry(0.0, 0.0, 0.0, 0.0),
        entry(X, INF, INF, PI / 2),
        entry(X, NAN, NAN, NAN),
        entry(INF, X, INF, 0.0),
        entry(INF, INF, INF, PI / 4),
        entry(INF, NAN, INF, NAN),
        entry(NAN, 0.0, NAN, 0.0),
        entry(NAN, X, NAN, NAN),
        entry(NAN, INF, INF, NAN, "r"),
        entry(NAN, NAN, NAN, NAN),
    ],
    "atanh": [  # G.6.2.3
        entry(0.0, 0.0, 0.0, 0.0),
        entry(0.0, NAN, 0.0, NAN),
        entry(1.0, 0.0, INF, 0.0),
        entry(X, INF, 0.0, PI / 2),
        entry(X, NAN, NAN, NAN),
        entry(INF, X, 0.0, PI / 2),
        entry(INF, INF, 0.0, PI / 2),
        entry(INF, NAN, 0.0, NAN),
        entry(NAN, X, NAN, NAN),
        entry(NAN, INF, 0.0, PI / 2, "r"),
        entry(NAN, NAN, NAN, NAN),
    ],
    "cosh": [  # G.6.2.4
        entry(0.0, 0.0, 1, 0.0),
        entry(0.0, INF, NAN, 0.0, "i"),
        entry(0.0, NAN, NAN, 0.0, "i"),
        entry(X, INF, NAN, NAN),
        entry(X, NAN, NAN, NAN),
        entry(INF, 0.0, INF, 0.0),
        entry(INF, X, INF, INF),
        entry(INF, INF, INF, NAN, "r"),
        entry(INF, NAN, INF, NAN),
        entry(NAN, 0.0, NAN, 0.0, "i"),
        entry(NAN, X, NAN, NAN),
        entry(NAN, NAN, NAN, NAN),
    ],
    "sinh": [  # G.6.2.5
        entry(0.0, 0.0, 0.0, 0.0),
        entry(0.0, INF, 0.0, NAN, "r"),
        entry(0.0, NAN, 0.0, NAN, "r"),
        entry(X, INF, NAN, NAN),
        entry(X, NAN, NAN, NAN),
        entry(INF, 0.0, INF, 0.0),
        entry(INF, X, INF, INF),
        entry(INF, INF, INF, NAN, "r"),
        entry(INF, NAN, INF, NAN, "r"),
        entry(NAN, 0.0, NAN, 0.0),
        entry(NAN, X, NAN, NAN),
        entry(NAN, NAN, NAN, NAN),
    ],
    # G.6.2.6. For an infinite real part the array API requires an imaginary zero with the sign of z's imaginary part.
    "tanh": [
        entry(0.0, 0.0, 0.0, 0.0),
        entry(X, INF, NAN, NAN),
        entry(X, NAN, NAN, NAN),
        entry(INF, X, 1, 0.0),
        entry(INF, INF, 1, 0.0, "i"),
        entry(INF, NAN, 1, 0.0, "i"),
        entry(NAN, 0.0, NAN, 0.0),
        entry(NAN, X, NAN, NAN),
        entry(NAN, NAN, NAN, NAN),
    ],
}
ODD = ("asinh", "atanh", "sinh", "tanh")
EVEN = ("cosh",)
# Functions that equal -i g(iz) for a function g of the tables, except that cos(z) equals cosh(iz).
TURNED = {"asin": "asinh", "atan": "atanh", "sin": "sinh", "tan": "tanh", "cos": "cosh"}


def negated(z: complex) -> complex:
    return complex(-z.real, -z.imag)


def with_mirrors(name: str) -> list[Entry]:
    table = list(TABLES[name])
    if name in (*ODD, *EVEN):
        sign = -1 if name in ODD else 1
        table += [(negated(z), (sign * re, sign * im), s) for z, (re, im), s in table]
    return table + [(z.conjugate(), (re, -im), s) for z, (re, im), s in table]


def turned(name: str) -> list[Entry]:
    table = []
    for iz, (re, im), signs in with_mirrors(TURNED[name]):
        z = complex(iz.imag, -iz.real)
        swapped = signs.translate(str.maketrans("ri", "ir"))
        table.append((z, (re, im), signs) if name == "cos" else (z, (im, -re), swapped))
    return table


CASES = {**{name: with_mirrors(name) for name in TABLES}, **{name: turned(name) for name in TURNED}}


def agrees(found: float, expected: float, sign_matters: bool) -> bool:
    if math.isnan(expected):
        return math.isnan(found)
    if not sign_matters:
        found, expected = abs(found), abs(expected)
    same_sign = math.copysign(1, found) == math.copysign(1, expected)
    return same_sign and (found == expected or math.isclose(found, expected, rel_tol=1e-6))


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize("name", CASES)
def test_annex_g(name: str, dtype: str) -> None:
    function = getattr(suanzi, name)
    for z, (re, im), unspecified in CASES[name]:
        if name == "expm1" and z.real == 0:
            re = 0.0  # the array API requires +0, even if the part is -0
        found = function(suanzi.tensor(np.array([z], dtype))).item()
        assert agrees(found.real, re, "r" not in unspecified), f"{name}({z}) = {found}, expected {re} {im}"
        assert agrees(found.imag, im, "i" not in unspecified), f"{name}({z}) = {found}, expected {re} {im}"


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_signs_of_infinities(dtype: str) -> None:
    root = math.sqrt(0.5)
    table = {
        complex(INF, 0.0): complex(1, 0.0),
        complex(-INF, 3.0): complex(-1, 0.0),
        complex(0.0, INF): complex(0.0, 1),
        complex(-2.0, -INF): complex(-0.0, -1),
        complex(INF, -INF): complex(root, -root),
        complex(-INF, INF): complex(-root, root),
    }
    for z, expected in table.items():
        found = suanzi.sign(suanzi.tensor(np.array([z, 3 + 4j], dtype))).tolist()
        assert agrees(found[0].real, expected.real, True)
        assert agrees(found[0].imag, expected.imag, True)
        assert cmath.isclose(found[1], 0.6 + 0.8j, rel_tol=1e-6)
    for z in (complex(INF, NAN), complex(NAN, -INF), complex(NAN, 1)):
        found = suanzi.sign(suanzi.tensor(np.array([z], dtype))).item()
        assert math.isnan(found.real)
        assert math.isnan(found.imag)
