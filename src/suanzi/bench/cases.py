"""What each operator is timed on: a call for a number of elements and an element type."""

from __future__ import annotations

from collections.abc import Callable
from math import isqrt
from typing import Any, NamedTuple

import numpy as np

from suanzi.conformance.oracle.element_types import ELEMENT_TYPES, Array
from suanzi.conformance.oracle.rules import rules
from suanzi.operators.catalogue import CATALOGUE

SIZES = (1, 1_000, 100_000, 10_000_000)
_MATRIX_SIZES = (16, 4_096, 262_144)  # elements of a matrix that is factorised
_LARGEST = {"matmul": 4_194_304}


class Call(NamedTuple):
    """Operands, arrays that become a library's own, and options."""

    operands: tuple[Any, ...]
    options: dict[str, Any] = {}  # noqa: RUF012 - never written to


Make = Callable[[int, np.dtype[Any], np.random.Generator], Call]


def numbers(n: int, t: np.dtype[Any], rng: np.random.Generator, low: float = 0.1, high: float = 0.9) -> Array:
    """Random numbers within the domain of every function; small integers."""
    if t.kind == "b":
        return rng.random(n) < 0.5
    if t.kind in "iu":
        return rng.integers(1, 7, n).astype(t)
    parts = rng.uniform(low, high, n)
    return (parts + 1j * rng.uniform(low, high, n)).astype(t) if t.kind == "c" else parts.astype(t)


def _operands(count: int, **options: Any) -> Make:
    return lambda n, t, rng: Call(tuple(numbers(n, t, rng) for _ in range(count)), options)


def _rows(*further: Any, **options: Any) -> Make:
    """A matrix with about as many rows as columns."""
    return lambda n, t, rng: Call((_matrix(n, t, rng), *further), options)


def _matrix(n: int, t: np.dtype[Any], rng: np.random.Generator) -> Array:
    side = max(1, isqrt(n))
    return numbers(side * side, t, rng).reshape(side, side)


def _definite(n: int, t: np.dtype[Any], rng: np.random.Generator) -> Array:
    """Well conditioned, symmetric and positive definite."""
    x = _matrix(n, t, rng)
    return np.asarray((x + np.conj(x.T)) / 2 + np.eye(len(x)) * len(x)).astype(t)


def _of_shape(*further: Any) -> Make:
    return lambda n, t, rng: Call(((n,), *further), {"dtype": ELEMENT_TYPES[t.name]})


def _indices(n: int, t: np.dtype[Any], rng: np.random.Generator) -> Call:
    return Call((numbers(n, t, rng), rng.integers(0, n, n)))


def _mask(n: int, t: np.dtype[Any], rng: np.random.Generator) -> Call:
    return Call((rng.random(n) < 0.5, numbers(n, t, rng), numbers(n, t, rng)))


def _pieces(n: int, t: np.dtype[Any], rng: np.random.Generator) -> Call:
    return Call(([numbers(max(1, n // 4), t, rng) for _ in range(4)],))


def _product(n: int, t: np.dtype[Any], rng: np.random.Generator) -> Call:
    return Call((_matrix(n, t, rng), _matrix(n, t, rng)))


def _system(n: int, t: np.dtype[Any], rng: np.random.Generator) -> Call:
    return Call((_definite(n, t, rng), _matrix(n, t, rng)[:, :1]))


def _image(n: int, t: np.dtype[Any], rng: np.random.Generator) -> Call:
    return Call((_matrix(n, t, rng)[None, None],), {"scale_factor": 2.0, "mode": "bilinear"})


def _whole(count: int) -> Make:
    return lambda n, t, rng: _operands(count)(n, t if t.kind in "iub" else np.dtype(np.int64), rng)


def _elementwise() -> dict[str, Make]:
    """Of every elementwise operator, by its number of operands."""
    own = {name: rules(name)[0] for name in CATALOGUE if rules(name)}
    return {name: (_operands if "F" in rule.accepts else _whole)(rule.arity) for name, rule in own.items()}


# Others that take one tensor.
_OF_ONE = "clone contiguous flatten flip nonzero argmax argmin argsort fft.fft fft.ifft cumulative_sum".split()  # noqa: SIM905

CASES: dict[str, Make] = {
    **_elementwise(),
    **dict.fromkeys(_OF_ONE, _operands(1)),
    "dot": _operands(2),
    "acosh": lambda n, t, rng: Call((numbers(n, t, rng, 1.1, 9.0),)),
    "where": _mask,
    "clip": lambda n, t, rng: Call((numbers(n, t, rng), 0.25, 0.75) if t.kind == "f" else (numbers(n, t, rng), 2, 5)),
    **dict.fromkeys(("zeros", "empty"), _of_shape()),
    "full": _of_shape(1),
    "uniform": _of_shape(0, 1, 7),
    "normal": _of_shape(0, 1, 7),
    "arange": lambda n, t, rng: Call((0, n, 1), {"dtype": ELEMENT_TYPES[t.name]}),
    "linspace": lambda n, t, rng: Call((0, 1, n), {"dtype": ELEMENT_TYPES[t.name]}),
    "randperm": lambda n, t, rng: Call((n,), {"dtype": ELEMENT_TYPES["int64"], "seed": 7}),
    "bernoulli": lambda n, t, rng: Call((numbers(n, t, rng),)),
    "astype": lambda n, t, rng: Call((numbers(n, t, rng), ELEMENT_TYPES["float64" if t.itemsize < 8 else "float32"])),
    "reduce": lambda n, t, rng: Call((numbers(n, t, rng), "sum")),
    "transpose": _rows(),
    "trace": _rows(),
    "diag": lambda n, t, rng: Call((_matrix(n, t, rng),)),
    "concat": _pieces,
    "stack": _pieces,
    "tile": lambda n, t, rng: Call((numbers(max(1, n // 2), t, rng), (2,))),
    "roll": lambda n, t, rng: Call((numbers(n, t, rng), n // 3)),
    "gather": _indices,
    "index_select": _indices,
    "topk": lambda n, t, rng: Call((numbers(n, t, rng), min(n, 10))),
    "matmul": _product,
    "linear": _product,
    **dict.fromkeys(("lu", "qr", "svd", "eig", "matrix_norm"), _rows()),
    **dict.fromkeys(("cholesky", "inv"), lambda n, t, rng: Call((_definite(n, t, rng),))),
    "solve": _system,
    "lstsq": _system,
    "interpolate": _image,
}
_FACTORISED = {"lu", "qr", "svd", "eig", "cholesky", "inv", "solve", "lstsq"}


def sizes_of(operator: str, sizes: tuple[int, ...] = ()) -> list[int]:
    """The numbers of elements that an operator is timed with: those, or its own where none are given."""
    if sizes:
        return list(sizes)
    own = _MATRIX_SIZES if operator in _FACTORISED else SIZES
    return [n for n in own if n <= _LARGEST.get(operator, n)]


def call_of(operator: str, size: int, element_type: str) -> Call:
    """The call that is timed, the same in every process."""
    rng = np.random.default_rng([CATALOGUE[operator].number, size])
    return CASES[operator](size, ELEMENT_TYPES[element_type].numpy, rng)
