"""Cases of creation from data, constants, sequences, diagonals and random numbers, of copies, and of queries.

The other libraries draw from a generator that is set up once. Suanzi sets up a generator in each call, from the call's
seed or, in cases with the variant "system seed", from a seed of the system.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import suanzi
from suanzi.bench.cases.case import LARGE_SIZES, NOT_SLOWER, AsIs, Call, Case, Make, Operands, each
from suanzi.bench.cases.operands import (
    line,
    numbers,
    of_shape,
    own_type,
    shaped,
    square,
    stack_of,
    transposed,
    vectors,
)

_SEED = 20251121
_ONE_SIZE = (1_000,)  # the only size of calls whose time does not depend on the size, or is proportional to it
_HALF = {**NOT_SLOWER, 10_000_000: 0.5}
_ALIGNED = ("int8", "int16", "float32", "float64", "complex128")


def _data(n: int, t: np.dtype[Any], rng: np.random.Generator) -> Operands:
    return Operands((AsIs(numbers("real", n, t, rng)),))


def _list(n: int, t: np.dtype[Any], rng: np.random.Generator) -> Operands:
    return Operands((numbers("real", n, t, rng).tolist(),), {"dtype": own_type(t)})


def _sequence(n: int, t: np.dtype[Any], rng: np.random.Generator) -> Operands:
    return Operands((0, n, 1), {"dtype": own_type(t)})


def _permutation(n: int, t: np.dtype[Any], rng: np.random.Generator) -> Operands:
    return Operands((n, own_type(t), _SEED))


def _uniform(*seed: int) -> Make:
    """Return a function that makes the operands of `uniform`. The bounds are 0 and 1, or 0 and 99 for integers."""

    def make(n: int, t: np.dtype[Any], rng: np.random.Generator) -> Operands:
        bounds = (0, 99) if t.kind in "iu" else (0.0, 1.0)
        return Operands((n, *bounds, *seed), {"dtype": own_type(t)})

    return make


def _drawn(draws: int, **options: Any) -> Make:
    """Return a function that makes two operands: probabilities with the sum 1, and a number of draws."""

    def make(n: int, t: np.dtype[Any], rng: np.random.Generator) -> Operands:
        p = numbers("share", n, t, rng) + t.type(1e-9)
        count = draws if options.get("replacement", True) else min(draws, n)
        return Operands((p / p.sum(), count), {**options, "seed": _SEED})

    return make


def _indices(draws: int, variant: str, replacement: bool = True) -> Case:
    make = _drawn(draws, replacement=replacement, output="indices")
    return Case("multinomial", make, variant, LARGE_SIZES, ("float64",), NOT_SLOWER)


def _scalars(n: int, t: np.dtype[Any], rng: np.random.Generator) -> Operands:
    return Operands((AsIs(list(numbers("real", n, t, rng))),))


def _made_of(tensor: Callable[[Any], Any], scalar: Callable[[Any], Any]) -> Callable[..., Call]:
    """Return a function that prepares the call of `tensor` on a list of the library's own scalars."""

    def prepared(numbers: list[Any]) -> Call:
        scalars = [scalar(x) for x in numbers]
        return lambda: tensor(scalars)

    return prepared


def _torchs(numbers: list[Any]) -> Call:
    import torch

    return _made_of(torch.tensor, lambda x: torch.tensor(float(x)))(numbers)


def _iterated(tensor: Callable[[Any], Any]) -> Callable[..., Call]:
    def prepared(array: Any) -> Call:
        x = tensor(array)
        return lambda: list(x)

    return prepared


def _iterated_torch(array: Any) -> Call:
    import torch

    return _iterated(torch.tensor)(array)


_OF_SCALARS = {
    "suanzi": _made_of(suanzi.tensor, suanzi.tensor),
    "numpy": _made_of(np.array, np.array),
    "torch": _torchs,
}
_ITERATED = {"suanzi": _iterated(suanzi.tensor), "numpy": _iterated(np.array), "torch": _iterated_torch}

_RANDOM: list[Case] = [
    Case("uniform", _uniform(_SEED), sizes=LARGE_SIZES, goals=_HALF),
    Case("uniform", _uniform(), "system seed", LARGE_SIZES, goals=_HALF),
    Case("uniform", _uniform(_SEED), sizes=LARGE_SIZES, types=("float64", "uint8", "int32", "int64"), goals=NOT_SLOWER),
    Case("normal", of_shape(0, 1, _SEED), sizes=LARGE_SIZES, goals=_HALF),
    Case("normal", of_shape(0, 1, _SEED), sizes=LARGE_SIZES, types=("float64",), goals=NOT_SLOWER),
    Case("bernoulli", vectors("share", further=(_SEED,)), sizes=LARGE_SIZES, goals=NOT_SLOWER),
    Case("multinomial", _drawn(1), "counts of 1", LARGE_SIZES, ("float64",), NOT_SLOWER),
    Case("multinomial", _drawn(1_000_000), "counts of 10^6", LARGE_SIZES, ("float64",), NOT_SLOWER),
    _indices(1_000, "1000 indices"),
    _indices(100_000, "10^5 indices"),
    _indices(100, "distinct", replacement=False),
    Case("randperm", _permutation, sizes=LARGE_SIZES, types=("float32", "int64"), goals=NOT_SLOWER),
]

CASES: list[Case] = [
    Case("tensor", _data, sizes=LARGE_SIZES),
    Case("tensor", _list, "of a list", (1_000, 100_000)),
    Case("tensor", _scalars, "of scalars", _ONE_SIZE, own=_OF_SCALARS),
    Case("tensor", _data, "iterated over", _ONE_SIZE, own=_ITERATED),
    Case("from_reference", _data, sizes=_ONE_SIZE),
    *each("zeros empty", of_shape(), sizes=LARGE_SIZES),
    Case("full", of_shape(1), sizes=LARGE_SIZES),
    Case("arange", _sequence, sizes=LARGE_SIZES),
    Case("linspace", lambda n, t, rng: Operands((0, 1, n), {"dtype": own_type(t)}), sizes=LARGE_SIZES),
    Case("clone", shaped(line), sizes=LARGE_SIZES),
    Case("contiguous", transposed(), "transposed", LARGE_SIZES, _ALIGNED),
    Case("contiguous", shaped(line), "as it is", _ONE_SIZE),
    *_RANDOM,
    Case("eye", of_shape(shape=lambda n: square(n)[0]), sizes=LARGE_SIZES, goals=NOT_SLOWER),
    Case("diag", shaped(square), "of a matrix", LARGE_SIZES, goals=NOT_SLOWER),
    Case("diag", shaped(lambda n: square(n)[:1]), "of a vector", LARGE_SIZES, goals=NOT_SLOWER),
    *(
        case
        for name in ("tril", "triu")
        for case in (
            Case(name, shaped(square), sizes=LARGE_SIZES, goals=NOT_SLOWER),
            Case(name, transposed(), "transposed", LARGE_SIZES, goals=NOT_SLOWER),
            Case(name, shaped(stack_of(10, 10)), "10 x 10", LARGE_SIZES, goals=NOT_SLOWER),
        )
    ),
    *each("shape size rank is_contiguous", shaped(square), sizes=_ONE_SIZE),
    Case("shape", shaped(square), "x.shape", _ONE_SIZE, way=lambda x: x.shape),
]
