"""Matrices of several sorts with small integers. A fault that one sort hides is visible with another sort.

A matrix that is Hermitian and positive definite hides some faults: a transposed operand, a lost sign, and the absolute
value of an eigenvalue in place of the eigenvalue. Therefore the kit tests each property of a decomposition with all
sorts that the operator accepts. This module computes the rank of a matrix, and whether a matrix is regular or positive
definite. The computation uses float64, which represents integers of this size exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache

import numpy as np

from .element_types import Array, ElementType, typed

_SEED = 41


def _whole(shape: tuple[int, ...], seed: int, kind: str, most: int = 4) -> Array:
    """Return a random matrix of integers from -most to most. The parts of complex elements are integers, too."""
    rng = np.random.default_rng((_SEED, seed, *shape))
    x = rng.integers(-most, most + 1, shape).astype(np.float64)
    return x + 1j * rng.integers(-most, most + 1, shape) if kind == "C" else x


def _general(n: int, kind: str) -> Array:
    """Return a nonsymmetric matrix that is far from singular."""
    for seed in range(1000):
        x = _whole((n, n), seed, kind)
        if np.linalg.cond(x) < 12 * n and abs(np.linalg.eigvals(x).imag).max(initial=0) > (0.5 if n > 2 else -1):
            return x
    raise ValueError(f"families: no general matrix of {n} rows")


def _hermitian(n: int, kind: str) -> Array:
    x = _whole((n, n), 3, kind)
    return x + x.conj().T


def _positive(n: int, kind: str) -> Array:
    x = _general(n, kind)
    return x @ x.conj().T + np.eye(n)


def _dominant(n: int, kind: str) -> Array:
    return _whole((n, n), 5, kind, 1) + 2 * n * np.eye(n)


def _of_rank(rank: int, shape: tuple[int, int], kind: str) -> Array:
    return _general_of((shape[0], rank), kind, 2) @ _general_of((rank, shape[1]), kind, 2)


def _general_of(shape: tuple[int, int], kind: str, most: int = 4) -> Array:
    """Return a matrix of full rank and of a given shape."""
    for seed in range(1000):
        x = _whole(shape, seed, kind, most)
        if np.linalg.cond(x) < 20:
            return x
    raise ValueError(f"families: no general matrix of shape {shape}")


def _rotations(kind: str) -> Array:
    """Return a matrix with two scaled rotations on the diagonal. The eigenvalues are ±2i and 1 ± 3i. A complex matrix
    is also multiplied by 2 + i.
    """
    x = np.zeros((4, 4))
    x[:2, :2], x[2:, 2:] = [[0, -2], [2, 0]], [[1, -3], [3, 1]]
    return x * (2 + 1j) if kind == "C" else x


def _permutation(kind: str) -> Array:
    """Return the matrix of a permutation that has a cycle of three and a cycle of two. The matrix is not symmetric. A
    complex matrix is also multiplied by i.
    """
    return np.eye(5)[[1, 2, 0, 4, 3]] * (1j if kind == "C" else 1)


def _jordan(kind: str) -> Array:
    """Return a matrix with a single eigenvector."""
    return (np.eye(3) * 2 + np.eye(3, k=1)) * (1 + 1j if kind == "C" else 1)


def _triangular(kind: str) -> Array:
    return np.triu(_whole((4, 4), 7, kind), 1) + np.diag([3, -1, 2, -4])


_REGULAR: dict[str, Callable[[str], Array]] = {
    "general": lambda kind: _general(4, kind),
    "rotations": _rotations,
    "a permutation": _permutation,
    "defective": _jordan,
    "upper triangular": _triangular,
    "lower triangular": lambda kind: _triangular(kind).T,
    "indefinite": lambda kind: _hermitian(5, kind),
    "positive definite": lambda kind: _positive(3, kind),
    "diagonally dominant": lambda kind: _dominant(6, kind),
    "the identity": lambda kind: np.eye(3),
    "negative": lambda kind: -np.eye(3) - _positive(3, kind),
    "two rows": lambda kind: _general(2, kind),
    "a pivot of 0": lambda kind: np.array([[0.0, 2.0, 1.0], [1.0, 0.0, 0.0], [3.0, 0.0, 1.0]]),
    "one element": lambda kind: np.array([[-3.0 + (4j if kind == "C" else 0)]]),
}
_SINGULAR: dict[str, Callable[[str], Array]] = {
    "of rank 2": lambda kind: _of_rank(2, (4, 4), kind),
    "of ones": lambda kind: np.ones((3, 3)),
    "of zeros": lambda kind: np.zeros((3, 3)),
    "with a row of zeros": lambda kind: _general(4, kind) * np.array([[1], [1], [0], [1]]),
    "nilpotent": lambda kind: np.eye(4, k=1) * 2,
}
_OBLONG: dict[str, Callable[[str], Array]] = {
    "tall": lambda kind: _general_of((6, 3), kind),
    "wide": lambda kind: _general_of((3, 6), kind),
    "tall, of rank 2": lambda kind: _of_rank(2, (6, 4), kind),
    "wide, of rank 2": lambda kind: _of_rank(2, (3, 5), kind),
    "a column": lambda kind: _general_of((4, 1), kind),
    "a row": lambda kind: _general_of((1, 4), kind),
    "tall, of zeros": lambda kind: np.zeros((3, 2)),
}
_POSITIVE: dict[str, Callable[[str], Array]] = {
    "positive definite": lambda kind: _positive(4, kind),
    "positive definite, of 3": lambda kind: _positive(3, kind),
    "diagonal": lambda kind: np.diag([4.0, 1.0, 9.0, 2.0]),
    "diagonally dominant": lambda kind: _hermitian(5, kind) + 60 * np.eye(5),
    "one element": lambda kind: np.array([[5.0]]),
}
_HERMITIAN: dict[str, Callable[[str], Array]] = {
    **_POSITIVE,
    "indefinite": lambda kind: _hermitian(5, kind),
    "indefinite, of 4": lambda kind: _hermitian(4, kind),
    "negative definite": lambda kind: -_positive(4, kind),
    "of ones": lambda kind: np.ones((4, 4)),
    "of zeros": lambda kind: np.zeros((3, 3)),
    "the identity": lambda kind: np.eye(3),
    "mirrored": lambda kind: np.eye(4)[::-1].copy(),
}
SORTS = {
    "square": {**_REGULAR, **_SINGULAR},
    "any": {**_REGULAR, **_SINGULAR, **_OBLONG},
    "regular": _REGULAR,
    "positive": _POSITIVE,
    "Hermitian": _HERMITIAN,
}


def _length(kind: str) -> int:
    """Return the number of rows of a large square matrix. Tests of complex matrices take longer, so complex matrices
    are smaller.
    """
    return 70 if kind == "C" else 131


_LARGE: dict[str, Callable[[str], tuple[Array, ...]]] = {
    "square": lambda kind: (_whole((_length(kind),) * 2, 1, kind),),
    "any": lambda kind: (_whole((40, 70), 1, kind),) if kind == "C" else (_whole((130, 70), 1, kind),),
    "regular": lambda kind: (_whole((_length(kind),) * 2, 1, kind),),
    "positive": lambda kind: (_hermitian(_length(kind), kind) + 300 * np.eye(_length(kind)),),
    "Hermitian": lambda kind: (_hermitian(_length(kind), kind),),
}
# The powers of two by which rows and columns of a badly scaled matrix are multiplied.
_SCALES = (0, -9, 7, 3)


def as_element(x: Array, t: ElementType) -> Array:
    """Convert a matrix of integers to a type. Unsigned types drop the signs, and bool is True for odd numbers."""
    if t.kind == "B":
        return np.asarray(x.real % 2 == 1)
    return np.asarray(np.abs(x) if t.kind == "U" else x).astype(np.float32 if t.bits == 16 else x.dtype).astype(t.numpy)


@cache
def families(sorts: str, t: ElementType) -> tuple[tuple[str, Array], ...]:
    """Return the names and the matrices of the sorts that an operator accepts."""
    kind = "C" if t.kind == "C" else "F"
    made = ((name, as_element(make(kind), t)) for name, make in SORTS[sorts].items())
    if sorts == "regular":
        return tuple((name, x) for name, x in made if is_regular(x))
    if sorts == "positive":
        return tuple((name, x) for name, x in made if is_positive(x))
    if sorts == "Hermitian":
        return tuple((name, x) for name, x in made if np.array_equal(wide(x), wide(x).conj().T))
    return tuple(made)


@cache
def batches(sorts: str, t: ElementType) -> tuple[tuple[str, Array], ...]:
    """Return batches of matrices, as arrays of rank 3, 4 and 5. The matrices of a batch differ from each other."""
    shapes = ((4, 4),) if sorts != "any" else ((4, 4), (5, 3), (2, 4))
    stacks = [np.stack(list(_several(sorts, t, shape))) for shape in shapes]
    names = ((3,), (2, 3), (2, 1, 3))
    return tuple(
        (f"a batch of shape {batch}", np.resize(stack, (*batch, *stack.shape[1:])).copy())
        for stack in stacks
        for batch in names
    )


def _several(sorts: str, t: ElementType, shape: tuple[int, int]) -> Iterator[Array]:
    """Yield six matrices of one shape that belong to the sorts."""
    kind, found = ("C" if t.kind == "C" else "F"), 0
    for seed in range(1000):
        x = _whole(shape, seed + 100, kind)
        if sorts == "Hermitian":
            x = x + x.conj().T
        elif sorts == "positive":
            x = x @ x.conj().T + 20 * np.eye(len(x))
        x = as_element(x, t)
        if t.kind == "B" and sorts in ("positive", "regular"):
            x = np.eye(4)[np.random.default_rng(seed).permutation(4) if sorts == "regular" else slice(None)] == 1
        if sorts == "Hermitian" and not np.array_equal(wide(x), wide(x).conj().T):
            continue
        if sorts in ("regular", "positive") and not (is_regular if sorts == "regular" else is_positive)(x):
            continue
        yield x
        found += 1
        if found == 6:
            return


@cache
def large(sorts: str, t: ElementType) -> tuple[tuple[str, Array], ...]:
    """Return matrices that are larger than the sizes at which implementations may change their method."""
    made = _LARGE[sorts]("C" if t.kind == "C" else "F")
    return tuple((f"of {len(x)} by {x.shape[1]}", as_element(x, t)) for x in made)


@cache
def scaled(sorts: str, t: ElementType) -> tuple[tuple[str, Array], ...]:
    """Return floating matrices with very large, very small and very different numbers."""
    kind = "C" if t.kind == "C" else "F"
    most = {16: 3, 32: 70, 64: 600}[t.bits // 2 if t.kind == "C" else t.bits]
    x = (
        _hermitian(4, kind)
        if sorts == "Hermitian"
        else _positive(4, kind)
        if sorts == "positive"
        else _general(4, kind)
    )
    scales = np.array(_SCALES) if t.bits > 16 else np.array(_SCALES) // 4
    rows = np.ldexp(1.0, scales)[:, None]
    columns = rows.T if sorts in ("positive", "Hermitian") else np.ldexp(1.0, scales[::-1])[None, :]
    made = {
        "of large numbers": x * np.ldexp(1.0, most),
        "of small numbers": x * np.ldexp(1.0, -most),
        "of numbers of many sizes": x * rows * columns,
    }
    if sorts in ("regular", "any", "square"):
        made["a small pivot"] = np.array([[np.ldexp(1.0, -2 * t.precision + 6), 1.0], [1.0, 1.0]])
    return tuple((name, typed(m, t)) for name, m in made.items())


def empty(sorts: str, t: ElementType) -> tuple[tuple[str, Array], ...]:
    """Return matrices without elements, and batches without matrices."""
    shapes: tuple[tuple[int, ...], ...] = ((0, 0), (0, 3, 3), (2, 0, 0))
    shapes += ((0, 3), (3, 0), (2, 3, 0)) if sorts == "any" else ()
    return tuple((f"of shape {shape}", np.zeros(shape, t.numpy)) for shape in shapes)


def wide(x: Array) -> Array:
    """Return the elements in float64 or complex128."""
    return x.astype(np.complex128) if x.dtype.kind == "c" else x.astype(np.float64)


def is_regular(x: Array) -> bool:
    """Return whether a matrix of integers has an inverse."""
    return x.shape[-1] == x.shape[-2] and bool(abs(np.linalg.det(wide(x))) > 0.5)


def is_positive(x: Array) -> bool:
    """Return whether a matrix of integers is Hermitian and positive definite."""
    w = wide(x)
    return np.array_equal(w, w.conj().T) and bool(np.linalg.eigvalsh(w).min(initial=1) > 0.1)


def ranks(x: Array) -> Array:
    """Return the rank of each matrix. The elements must be integers or multiples of one number."""
    most = np.abs(x).max(initial=0)
    return np.asarray(np.linalg.matrix_rank(wide(x / most), tol=1e-6)) if most else np.zeros(x.shape[:-2], int)
