"""Cases of elementwise operators, on numbers from the domain of each operator."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from suanzi.bench.cases.case import Case, Make, Operands, each
from suanzi.bench.cases.operands import numbers, vectors
from suanzi.conformance.oracle.element_types import ELEMENT_TYPES
from suanzi.operators.catalogue import CATALOGUE

_REAL, _TWO, _POSITIVE = vectors("real"), vectors("real", "real"), vectors("positive")
_CATEGORIES = ("trigonometric", "hyperbolic", "exponential")
_FUNCTIONS = [name for name, entry in CATALOGUE.items() if entry.category.key in _CATEGORIES]
# The kinds of operands for functions that do not accept all real numbers.
_DOMAINS = {
    **dict.fromkeys(("asin", "acos", "atanh"), "unit"),
    **dict.fromkeys(("log", "log1p", "log10", "log2"), "positive"),
    "acosh": "above one",
}
_WITH_GOAL = ("exp", "log", "sin", "tanh", "pow")
_MILLION = 1_000_000


def _where(n: int, t: np.dtype[Any], rng: np.random.Generator) -> Operands:
    return Operands((numbers("coin", n, t, rng), numbers("real", n, t, rng), numbers("real", n, t, rng)))


def _large_quotients(n: int, t: np.dtype[Any], rng: np.random.Generator) -> Operands:
    return Operands((numbers("positive", n, t, rng) * t.type(2.0**100), numbers("positive", n, t, rng)))


def _function(operator: str) -> Iterator[Case]:
    """Yield the cases of a mathematical function. Functions in which models spend much time have a goal for a million
    elements of float32 and of float64.
    """
    make = vectors("positive", "exponent") if operator == "pow" else vectors(_DOMAINS.get(operator, "real"))
    if operator not in _WITH_GOAL:
        yield Case(operator, make)
        return
    yield Case(operator, make, sizes=(1, 1_000, 100_000, _MILLION, 10_000_000), goals={_MILLION: 1.0})
    yield Case(operator, make, sizes=(_MILLION,), types=("float64",), goals={_MILLION: 1.0})


def _astype(source: str, target: str) -> Case:
    return Case("astype", vectors("real", further=(ELEMENT_TYPES[target],)), f"to {target}", types=(source,))


def _into(operators: str, make: Make) -> Iterator[Case]:
    """Return cases with an output tensor, for operators that take hardly longer than the allocation of the result."""
    return each(operators, make, variant="out=", sizes=(100_000, 10_000_000), into=True)


CASES: list[Case] = [
    Case("add", _TWO, sizes=(1, 4, 1_000, 100_000, 10_000_000), goals={4: 0.6, 10_000_000: 0.4}),
    *each("subtract multiply divide true_divide floor_divide remainder fmod maximum minimum", _TWO),
    *each("remainder fmod", _large_quotients, variant="of 2^100", types=("float32", "float64")),
    *_into("add subtract multiply true_divide maximum minimum less equal", _TWO),
    *_into("abs negative square floor", _REAL),
    *_into("sqrt", _POSITIVE),
    *each("equal not_equal greater greater_equal less less_equal isclose", _TWO),
    *each("atan2 complex", _TWO),
    Case("multiply_add", vectors("real", "real", "real")),
    Case("floor_divide", vectors("wide"), "x // 7", types=("int64", "int32"), way=lambda x: x // 7),
    Case("remainder", vectors("wide"), "x % 7", types=("int64",), way=lambda x: x % 7),
    *each("abs negative reciprocal sign square isfinite isinf isnan floor ceil trunc rint", _REAL),
    *each("sqrt rsqrt", _POSITIVE),
    *(case for operator in (*_FUNCTIONS, "pow") for case in _function(operator)),
    Case("pow", _REAL, "x ** 2", way=lambda x: x**2),
    Case("pow", _REAL, "x ** 3", way=lambda x: x**3),
    Case("round", vectors("real", decimals=2), "2 decimals"),
    Case("clip", vectors("real", further=(-1, 1))),
    Case("where", _where),
    *each("logical_and logical_or logical_xor", vectors("coin", "coin"), types=("bool",)),
    Case("logical_not", vectors("coin"), types=("bool",)),
    *each("bitwise_and bitwise_or bitwise_xor", _TWO, types=("int32",)),
    Case("bitwise_invert", _REAL, types=("int32",)),
    *each("bitwise_left_shift bitwise_right_shift", vectors("real", "shift"), types=("int32",)),
    _astype("float64", "int32"),
    _astype("float32", "float64"),
    _astype("float32", "uint8"),
    Case("conj", _REAL, types=("complex64",)),
    *each("real imag", _REAL, types=("complex64",), sizes=(1_000,)),
]
