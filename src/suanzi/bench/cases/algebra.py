"""Cases of matrix products, of operators based on products, and of factorisations, solvers and eigenvalues."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any

import numpy as np

from suanzi.bench.cases.case import LARGE_SIZES, Case, Make, Operands, each
from suanzi.bench.cases.operands import Shape, definite, numbers, shaped, square, stack_of, vectors

_SINGLE, _STACKED = (64, 4_096, 262_144), (64_000,)  # matrices of 8, 64 and 512 rows, and a thousand matrices of 8 rows
_SINGLE_GOALS, _STACKED_GOALS = {64: 0.5, 262_144: 1.0}, {64_000: 0.5}
_PRODUCT_SIZES = (64**2, 512**2, 2048**2)
_OF_DEFINITE = "inv det lu cholesky qr svd svdvals eigh eig"
_NORMAL = "normal"


def _operands(*shapes: Shape, before: tuple[Any, ...] = ()) -> Make:
    return lambda n, t, rng: Operands((*before, *(numbers(_NORMAL, shape(n), t, rng) for shape in shapes)))


_PRODUCT = _operands(square, square)


def _matrix_vector(n: int) -> tuple[int]:
    return square(n)[:1]


def _batch_of_64(n: int) -> tuple[int, int]:
    return (64, square(n)[0])


def _cube(n: int) -> tuple[int, int, int]:
    side = max(1, round(n ** (1 / 3)))
    return (side, side, side)


def _half_batch(n: int) -> tuple[int, int]:
    return (64, _cube(n)[0])


def _definite(shape: Shape) -> Make:
    return lambda n, t, rng: Operands((definite(shape(n), t, rng),))


def _system(shape: Shape) -> Make:
    """Return a function that makes linear systems with four right-hand sides."""

    def make(n: int, t: np.dtype[Any], rng: np.random.Generator) -> Operands:
        a = definite(shape(n), t, rng)
        return Operands((a, np.ones((*a.shape[:-1], 4), t)))

    return make


def _tall(n: int, t: np.dtype[Any], rng: np.random.Generator) -> Operands:
    """Make a linear system with four times as many equations as unknowns."""
    side = max(1, square(n)[0] // 2)
    return Operands((numbers(_NORMAL, (4 * side, side), t, rng), numbers(_NORMAL, (4 * side, 4), t, rng)))


def _systems(n: int, t: np.dtype[Any], rng: np.random.Generator) -> Operands:
    """Make many small linear systems with twice as many equations as unknowns."""
    count = max(1, n // 64)
    return Operands((numbers(_NORMAL, (count, 12, 6), t, rng), numbers(_NORMAL, (count, 12, 1), t, rng)))


def _of_matrices(name: str) -> Iterator[Case]:
    make = _system if name == "solve" else _definite
    types = ("float32", "float64")
    yield Case(name, make(square), sizes=_SINGLE, types=types, goals=_SINGLE_GOALS)
    yield Case(name, make(stack_of(8, 8)), "1000 matrices", _STACKED, types, _STACKED_GOALS)


def _matmul(types: tuple[str, ...], goals: dict[int, float], **most: int) -> Case:
    return Case("matmul", _PRODUCT, "", _PRODUCT_SIZES, types, goals, way=operator.matmul, most=most)


def _sums(subscripts: str, *shapes: Shape) -> Case:
    return Case("einsum", _operands(*shapes, before=(subscripts,)), subscripts, _STACKED)


_SQUARES = _operands(stack_of(16, 16), stack_of(16, 16)), _operands(stack_of(4, 4), stack_of(4, 4))
_LINEAR = _operands(_batch_of_64, square, _matrix_vector)

CASES: list[Case] = [
    _matmul(("float32", "float64"), {64**2: 0.5}),
    # NumPy has no bfloat16 of its own, and takes minutes for products of integers.
    _matmul(("bfloat16",), {64**2: 0.5, 512**2: 1.0, 2048**2: 1.0}, numpy=0),
    _matmul(("int32",), {64**2: 0.5, 512**2: 1.0, 2048**2: 1.0}, numpy=512**2),
    Case("matmul", _SQUARES[0], "stack of 16 x 16", (256_000,), goals={256_000: 0.5}, way=operator.matmul),
    Case("matmul", _SQUARES[1], "stack of 4 x 4", (16_000,), ("float64",), {16_000: 0.5}, way=operator.matmul),
    Case("matmul", _operands(square, _matrix_vector), "vector", (64**2, 2048**2), way=operator.matmul),
    Case("matmul", _PRODUCT, "transposed", (64**2, 512**2), way=lambda x, y: x.T @ y.T),
    Case("dot", vectors(_NORMAL, _NORMAL), sizes=LARGE_SIZES),
    Case("linear", _LINEAR, sizes=(64**2, 1024**2)),
    Case("linear", _LINEAR, sizes=(64**2, 1024**2), types=("bfloat16",), most={"numpy": 0}),
    Case("bilinear", _operands(_half_batch, _half_batch, _cube, lambda n: _cube(n)[:1]), sizes=(16**3, 64**3)),
    _sums("bij,bjk->bik", stack_of(8, 8), stack_of(8, 8)),
    _sums("bi,bi->b", stack_of(64), stack_of(64)),
    *(case for name in ("solve", *_OF_DEFINITE.split()) for case in _of_matrices(name)),
    Case("lstsq", _tall, sizes=_SINGLE, types=("float32", "float64")),
    Case("lstsq", _systems, "1000 systems", _STACKED, ("float32", "float64"), most={"numpy": 0}),
    *each("trace matrix_norm", shaped(square, _NORMAL), sizes=LARGE_SIZES),
]
