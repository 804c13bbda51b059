"""Matrices for the tests of linear algebra, and the error bounds for the results.

The bounds are as in LAPACK's own tests: a residual or a loss of orthogonality, divided by size, epsilon and norm, stays
below BOUND. NumPy computes the products in a wider type.
"""

from __future__ import annotations

from collections.abc import Callable
from zlib import crc32

import numpy as np

import suanzi
from suanzi import Tensor
from suanzi.conformance.oracle.element_types import Array

FLOATING = ("float32", "float64", "complex64", "complex128")
HALF = ("float16", "bfloat16")
INTEGERS = ("bool", "int8", "uint16", "int32", "uint64")
BOUND = 30.0


def rounded_type(computed: suanzi.DType, operand: str) -> suanzi.DType:
    """Return the type of results for half or integer operands of type `operand`, computed in the type `computed`."""
    if computed.kind == "c":
        return suanzi.complex64
    if computed.kind != "f":
        return computed
    return suanzi.as_dtype(operand) if operand in HALF else suanzi.float32


def rng_of(*parts: object) -> np.random.Generator:
    return np.random.default_rng(crc32(repr(parts).encode()))


def epsilon(dtype: str) -> float:
    return float(np.finfo(dtype).eps)


def wide(x: Tensor | Array) -> Array:
    """Return the exact elements as complex numbers, in extended precision for small arrays."""
    a = x.numpy() if isinstance(x, Tensor) else x
    if a.dtype.name == "bfloat16":
        a = a.astype(np.float32)
    return a.astype(np.clongdouble if a.size <= 4000 else np.complex128)


def H(a: Array) -> Array:
    return a.swapaxes(-1, -2).conj()


def random(shape: tuple[int, ...], dtype: str, *salt: object) -> Array:
    rng = rng_of(shape, dtype, *salt)
    a = rng.standard_normal(shape)
    if dtype.startswith("complex"):
        a = a + 1j * rng.standard_normal(shape)
    return a.astype(dtype)


def graded(shape: tuple[int, ...], dtype: str) -> Array:
    """Make ill-conditioned matrices, whose rows are scaled from 1 down to the square root of epsilon."""
    scale = np.logspace(0, np.log10(epsilon(dtype)) / 2, shape[-2])
    return (random(shape, dtype, "graded") * scale[:, None]).astype(dtype)


def deficient(shape: tuple[int, ...], dtype: str) -> Array:
    """Make matrices whose rank is half of the smaller dimension."""
    rank = max(min(shape[-2:]) // 2, 1)
    left = random((*shape[:-1], rank), dtype, "left")
    return (left @ random((*shape[:-2], rank, shape[-1]), dtype, "right")).astype(dtype)


def zero(shape: tuple[int, ...], dtype: str) -> Array:
    return np.zeros(shape, dtype)


KINDS: dict[str, Callable[..., Array]] = {"random": random, "graded": graded, "deficient": deficient, "zero": zero}


def definite(shape: tuple[int, ...], dtype: str) -> Array:
    """Make Hermitian positive definite matrices."""
    a = random(shape, dtype, "definite")
    return (a @ H(a) + np.eye(shape[-1]) * shape[-1]).astype(dtype)


def norm(a: Array) -> float:
    """Return the greatest Frobenius norm of the matrices in a batch."""
    return float(np.sqrt((np.abs(a) ** 2).sum((-2, -1))).max(initial=0.0))


def close(found: Array, expected: Array, size: int, dtype: str, scale: float | None = None, what: str = "") -> None:
    """Check that the difference is at most BOUND × size × epsilon × scale. By default scale is the expected norm."""
    assert found.shape == expected.shape, what
    if not expected.size:
        return
    scale = norm(np.atleast_2d(expected)) if scale is None else scale
    difference = norm(np.atleast_2d(found - expected))
    bound = BOUND * max(size, 1) * epsilon(dtype) * scale
    assert difference <= bound, f"{what}: {difference} > {bound}"


def orthonormal(q: Array, size: int, dtype: str, what: str = "") -> None:
    """Check that the columns of `q` are orthonormal within the error that `close` allows."""
    unit = np.broadcast_to(np.eye(q.shape[-1], dtype=q.dtype), (*q.shape[:-2], q.shape[-1], q.shape[-1]))
    close(H(q) @ q, unit, size, dtype, max(norm(unit), 1.0), what)


def batches(n: int) -> tuple[tuple[int, ...], ...]:
    """Return the batch shapes for matrices of a given size. Large matrices have few batch shapes."""
    return ((), (3,), (2, 5)) if n <= 20 else ((), (2,)) if n <= 100 else ((),)


def tensor(a: Array) -> Tensor:
    return suanzi.tensor(a)
