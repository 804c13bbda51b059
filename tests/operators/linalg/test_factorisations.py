"""Results of lu, cholesky, qr and svd keep LAPACK's bounds on residuals and orthogonality, and agree with SciPy."""

# ruff: noqa: N806 - matrices have the names that they have in formulas.

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg
from hypothesis import given, settings
from hypothesis import strategies as st

import suanzi
from layouts import LAYOUTS
from operators.linalg.matrices import (
    FLOATING,
    HALF,
    INTEGERS,
    KINDS,
    H,
    batches,
    close,
    definite,
    norm,
    orthonormal,
    random,
    rounded_type,
    tensor,
    wide,
)
from suanzi.conformance.oracle.element_types import Array

SHAPES = [(0, 0), (1, 1), (2, 2), (3, 3), (8, 8), (16, 16), (17, 17), (5, 3), (3, 5), (16, 2), (20, 30), (0, 3), (3, 0)]
LARGE = [(64, 64), (100, 40)]


def cases() -> list[tuple[tuple[int, ...], str]]:
    small = [(shape, kind) for shape in SHAPES for kind in KINDS]
    return [*small, *((shape, kind) for shape in LARGE for kind in ("random",))]


def named(case: object) -> str:
    return str(case)


def check_lu(a: Array, x: suanzi.Tensor, dtype: str, what: str) -> None:
    P, L, U = (wide(factor) for factor in suanzi.lu(x))
    m, n = a.shape[-2:]
    k = min(m, n)
    assert (P.shape[-2:], L.shape[-2:], U.shape[-2:]) == ((m, m), (m, k), (k, n)), what
    assert np.array_equal(np.sort(P.real, -1)[..., -1:], np.ones((*a.shape[:-2], m, min(m, 1)))), what
    assert np.array_equal(P.sum(-2), np.ones((*a.shape[:-2], m))), what
    assert np.array_equal(L, np.tril(L)), what
    assert np.array_equal(U, np.triu(U)), what
    assert np.array_equal(np.diagonal(L, axis1=-2, axis2=-1), np.ones((*a.shape[:-2], k))), what
    # Partial pivoting bounds the elements of L. The bound of complex numbers is sqrt(2), because pivoting compares sums
    # of the absolute real and imaginary parts.
    assert (np.abs(L) <= (1.0 if np.isrealobj(a) else 1.4143)).all(), what
    close(P @ L @ U, wide(a), max(m, n), dtype, norm(a), what)


def check_packed(a: Array, x: suanzi.Tensor, what: str) -> None:
    P, L, U = (factor.numpy() for factor in suanzi.lu(x))
    packed, pivots = suanzi.lu(x, packed=True)
    k = min(a.shape[-2:])
    assert pivots.dtype is suanzi.int64
    assert packed.shape == a.shape
    assert np.array_equal(np.triu(packed.numpy())[..., :k, :], U), what
    assert np.array_equal(np.tril(packed.numpy(), -1)[..., :, :k], np.tril(L, -1)), what
    for index in np.ndindex(a.shape[:-2]):
        order = np.arange(a.shape[-2])
        for i, row in enumerate(pivots.numpy()[index]):
            assert i <= row < a.shape[-2], what
            order[[i, row]] = order[[row, i]]
        assert np.array_equal(np.eye(a.shape[-2])[:, order], P[index]), what


@pytest.mark.parametrize("dtype", FLOATING)
@pytest.mark.parametrize(("shape", "kind"), cases(), ids=named)
def test_lu(shape: tuple[int, ...], kind: str, dtype: str) -> None:
    for batch in batches(max(shape)):
        a = KINDS[kind]((*batch, *shape), dtype)
        check_lu(a, tensor(a), dtype, f"{a.shape}")
        check_packed(a, tensor(a), f"{a.shape}")


@pytest.mark.parametrize("dtype", FLOATING)
@pytest.mark.parametrize("n", [1, 3, 8, 16, 17, 40])
def test_lu_has_the_factors_of_scipy(n: int, dtype: str) -> None:
    a = random((n, n), dtype)
    for found, expected in zip(suanzi.lu(tensor(a)), scipy.linalg.lu(a), strict=True):
        close(found.numpy(), expected, n, dtype, float(np.linalg.cond(a)), f"{n}")


@pytest.mark.parametrize("dtype", FLOATING)
@pytest.mark.parametrize("n", [0, 1, 2, 3, 7, 8, 15, 16, 17, 40])
def test_cholesky(n: int, dtype: str) -> None:
    for batch in batches(n):
        a = definite((*batch, n, n), dtype)
        L, U = suanzi.cholesky(tensor(a)).numpy(), suanzi.cholesky(tensor(a), upper=True).numpy()
        assert np.array_equal(L, np.tril(L))
        assert np.array_equal(U, np.triu(U))
        assert (np.diagonal(L, axis1=-2, axis2=-1).real > 0).all()
        close(wide(L) @ H(wide(L)), wide(a), n, dtype)
        close(H(wide(U)) @ wide(U), wide(a), n, dtype)


@pytest.mark.parametrize("dtype", FLOATING)
@pytest.mark.parametrize("n", [3, 30])
def test_cholesky_reads_one_triangle(n: int, dtype: str) -> None:
    a = definite((2, n, n), dtype)
    for upper, triangle, other in ((False, np.tril, np.triu), (True, np.triu, np.tril)):
        spoilt = triangle(a) + other(np.full_like(a, np.nan), 1 if upper is False else -1)
        found = suanzi.cholesky(tensor(spoilt), upper=upper).numpy()
        assert np.array_equal(found, suanzi.cholesky(tensor(a), upper=upper).numpy())


@pytest.mark.parametrize("dtype", FLOATING)
@pytest.mark.parametrize(("shape", "kind"), cases(), ids=named)
def test_qr(shape: tuple[int, ...], kind: str, dtype: str) -> None:
    m, n = shape
    for batch in batches(max(shape)):
        a = KINDS[kind]((*batch, *shape), dtype)
        for mode, width in (("reduced", min(shape)), ("complete", m)):
            Q, R = (wide(factor) for factor in suanzi.qr(tensor(a), mode=mode))
            assert Q.shape == (*batch, m, width)
            assert R.shape == (*batch, width, n)
            assert np.array_equal(R, np.triu(R))
            close(Q @ R, wide(a), max(shape), dtype, norm(a), f"{a.shape} {mode}")
            orthonormal(Q, max(shape), dtype, f"{a.shape} {mode}")


@pytest.mark.parametrize("dtype", FLOATING)
@pytest.mark.parametrize(("shape", "kind"), cases(), ids=named)
def test_svd(shape: tuple[int, ...], kind: str, dtype: str) -> None:
    m, n = shape
    k = min(shape)
    for batch in batches(max(shape)):
        a = KINDS[kind]((*batch, *shape), dtype)
        reference = np.linalg.svd(a, compute_uv=False) if a.size else np.zeros((*batch, k))
        for full in (True, False):
            U, S, Vh = (wide(factor) for factor in suanzi.svd(tensor(a), full_matrices=full))
            assert U.shape == (*batch, m, m if full else k)
            assert Vh.shape == (*batch, n if full else k, n)
            close((U[..., :k] * S[..., None, :]) @ Vh[..., :k, :], wide(a), max(shape), dtype, norm(a), f"{a.shape}")
            orthonormal(U, max(shape), dtype, f"U of {a.shape}")
            orthonormal(H(Vh), max(shape), dtype, f"V of {a.shape}")
            check_values(S.real, reference, shape, dtype)
        values = suanzi.svdvals(tensor(a))
        assert values.dtype.name == np.empty(0, dtype).real.dtype.name
        check_values(wide(values).real, reference, shape, dtype)


def check_all(a: Array, dtype: str) -> None:
    """Check the factors of `qr` and `svd` of each matrix of a batch, relative to the norm of the matrix."""
    size = max(a.shape[-2:])
    for i in range(len(a)):
        A = wide(a[i])
        Q, R = (wide(factor.numpy()[i]) for factor in suanzi.qr(tensor(a)))
        close(Q @ R, A, size, dtype, norm(A), f"{i}")
        orthonormal(Q, size, dtype, f"{i}")
        U, S, Vh = (wide(factor.numpy()[i]) for factor in suanzi.svd(tensor(a), full_matrices=False))
        close((U * S) @ Vh, A, size, dtype, norm(A), f"{i}")
        orthonormal(U, size, dtype, f"{i}")
        orthonormal(H(Vh), size, dtype, f"{i}")
        close(wide(suanzi.svdvals(tensor(a)).numpy()[i]), S, size, dtype, norm(A))


@pytest.mark.parametrize("dtype", FLOATING)
@pytest.mark.parametrize("shape", [(8, 8), (16, 5), (3, 7), (1, 1)])
@pytest.mark.parametrize("power", [-1, 0, 1])
def test_scales_in_one_batch(power: int, shape: tuple[int, int], dtype: str) -> None:
    most = 36.0 if dtype in ("float32", "complex64") else 306.0
    a = random((7, *shape), dtype) * np.asarray(10.0 ** (most * power), dtype)
    # The matrices of the batch are in the lanes of a vector, and each matrix differs from the others.
    a[1] = 0
    a[2] /= a[2, 0, 0]
    a[3, :, -1] = a[3, :, 0]
    a[4] *= np.logspace(0, -30, shape[1]).astype(dtype)
    a[5] = np.eye(*shape)
    check_all(a, dtype)


@pytest.mark.parametrize("dtype", FLOATING)
def test_a_batch_of_one_has_the_factors_of_a_batch(dtype: str) -> None:
    a = random((5, 8, 6), dtype)
    for function in (suanzi.qr, lambda x: suanzi.svd(x, full_matrices=False)):
        for found, expected in zip(function(tensor(a)), function(tensor(a[2])), strict=True):
            close(np.abs(wide(found.numpy()[2])), np.abs(wide(expected)), 8, dtype, 100.0)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shape", [(m, n) for m in (1, 2, 3, 5, 8, 9, 16) for n in (1, 4, 7, 8, 9, 16)])
def test_svd_of_one_small_matrix(shape: tuple[int, int], dtype: str) -> None:
    k, size = min(shape), max(shape)
    a = random((1, *shape), dtype)[0]
    most = 36 if dtype == "float32" else 306
    alike = a.copy()
    alike[:, -1] = a[:, 0] * (1 + np.asarray(1e-5, dtype))
    matrices = [
        a,
        a * np.asarray(10.0**most, dtype),
        a * np.asarray(10.0**-most, dtype),
        alike,
        a * np.logspace(0, -20, shape[1]).astype(dtype),
        np.eye(*shape, dtype=dtype)[:, ::-1].copy(),
        np.ones(shape, dtype),
        np.zeros(shape, dtype),
    ]
    for matrix in matrices:
        A = wide(matrix)
        reference = np.linalg.svd(matrix, compute_uv=False)
        U, S, Vh = (wide(factor) for factor in suanzi.svd(tensor(matrix), full_matrices=False))
        assert U.shape == (shape[0], k)
        assert Vh.shape == (k, shape[1])
        close((U * S) @ Vh, A, size, dtype, norm(A))
        orthonormal(U, size, dtype)
        orthonormal(H(Vh), size, dtype)
        check_values(S.real, reference, shape, dtype)
        check_values(wide(suanzi.svdvals(tensor(matrix))).real, reference, shape, dtype)


def check_values(s: Array, reference: Array, shape: tuple[int, ...], dtype: str) -> None:
    assert (np.diff(s, axis=-1) <= 0).all()
    assert (s >= 0).all()
    close(s, reference, max(shape), dtype, float(reference.max(initial=0.0)))


@pytest.mark.parametrize("dtype", ["float32", "complex128"])
def test_large_matrices(dtype: str) -> None:
    a = random((300, 300), dtype)
    P, L, U = (wide(factor) for factor in suanzi.lu(tensor(a)))
    close(P @ L @ U, wide(a), 300, dtype, norm(a))
    Q, R = (wide(factor) for factor in suanzi.qr(tensor(a)))
    close(Q @ R, wide(a), 300, dtype, norm(a))
    orthonormal(Q, 300, dtype)
    V, S, Wh = (wide(factor) for factor in suanzi.svd(tensor(a)))
    close((V * S) @ Wh, wide(a), 300, dtype, norm(a))
    orthonormal(V, 300, dtype)
    b = definite((300, 300), dtype)
    C = wide(suanzi.cholesky(tensor(b)))
    close(C @ H(C), wide(b), 300, dtype)


def test_matrices_that_the_library_shares_out_among_its_own_threads() -> None:
    a = random((400, 380), "float64")
    P, L, U = (wide(factor) for factor in suanzi.lu(tensor(a)))
    close(P @ L @ U, wide(a), 400, "float64", norm(a))
    Q, R = (wide(factor) for factor in suanzi.qr(tensor(a)))
    close(Q @ R, wide(a), 400, "float64", norm(a))
    b = definite((2, 370, 370), "float64")
    C = wide(suanzi.cholesky(tensor(b)))
    close(C @ H(C), wide(b), 370, "float64")


@pytest.mark.parametrize("dtype", FLOATING)
@pytest.mark.parametrize("shape", [(17, 60000), (50, 20000)])
def test_lu_of_wide_matrices_on_several_threads(shape: tuple[int, int], dtype: str) -> None:
    """`lu` is right for a shape for which threads of OpenBLAS's getrf would access memory outside their work space."""
    a = random(shape, dtype)
    before = suanzi.get_num_threads()
    for threads in (1, 2, 4):
        suanzi.set_num_threads(threads)
        P, L, U = (wide(factor) for factor in suanzi.lu(tensor(a)))
        # In long double, NumPy takes seconds for so many columns.
        close((P @ L).astype(complex) @ U, wide(a), shape[0], dtype, norm(a))
        assert np.abs(L).max() <= np.sqrt(2) * (1 + 1e-6)
    suanzi.set_num_threads(before)


FACTORISATIONS = {
    "lu": lambda x: suanzi.lu(x),
    "lu packed": lambda x: suanzi.lu(x, packed=True),
    "cholesky": lambda x: (suanzi.cholesky(x),),
    "qr": lambda x: suanzi.qr(x),
    "svd": lambda x: suanzi.svd(x),
    "svdvals": lambda x: (suanzi.svdvals(x),),
}


@pytest.mark.parametrize("name", FACTORISATIONS)
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", ["float32", "complex128"])
def test_layouts_give_the_same_bits(name: str, layout: str, dtype: str) -> None:
    factorise = FACTORISATIONS[name]
    for shape in ((3, 8, 8), (1, 20, 20)):
        a = definite(shape, dtype)
        if layout == "broadcast":
            a = np.ascontiguousarray(np.broadcast_to(a[:1], (4, *shape[1:])))
        for found, expected in zip(factorise(LAYOUTS[layout](a)), factorise(tensor(a)), strict=True):
            assert np.array_equal(found.numpy(), expected.numpy())
            assert found.is_contiguous()


@pytest.mark.parametrize("name", FACTORISATIONS)
def test_halves_are_computed_in_float32_and_integers_in_float64(name: str) -> None:
    factorise = FACTORISATIONS[name]
    for shape in ((3, 3), (20, 20)):
        whole = np.rint(definite(shape, "float32") % 3 + 30 * np.eye(shape[0])).astype(np.float32)
        whole = np.tril(whole) + np.tril(whole, -1).T
        for dtype in (*HALF, *INTEGERS):
            x = suanzi.astype(tensor(np.minimum(whole, 1) if dtype == "bool" else whole), dtype)
            if dtype == "bool":
                x = suanzi.tensor(np.eye(shape[0], dtype=bool))
            wide = suanzi.astype(x, "float32" if dtype in HALF else "float64")
            for found, expected in zip(factorise(x), factorise(wide), strict=True):
                assert found.dtype is rounded_type(expected.dtype, dtype)
                assert np.array_equal(found.numpy(), suanzi.astype(expected, found.dtype).numpy()), dtype


@pytest.mark.parametrize("name", FACTORISATIONS)
def test_the_number_of_threads_does_not_matter(name: str) -> None:
    a = tensor(definite((300, 12, 12), "float32"))
    b = tensor(definite((40, 24, 24), "float64"))
    before = suanzi.get_num_threads()
    results = []
    for threads in (1, 2, 5):
        suanzi.set_num_threads(threads)
        results.append([t.numpy().tobytes() for x in (a, b) for t in FACTORISATIONS[name](x)])
    suanzi.set_num_threads(before)
    assert results[0] == results[1] == results[2]


@given(m=st.integers(0, 20), n=st.integers(0, 20), count=st.integers(0, 4), dtype=st.sampled_from(FLOATING))
@settings(max_examples=40, deadline=None)
def test_any_shape(m: int, n: int, count: int, dtype: str) -> None:
    a = random((count, m, n), dtype)
    check_lu(a, tensor(a), dtype, f"{a.shape}")
    Q, R = (wide(factor) for factor in suanzi.qr(tensor(a)))
    close(Q @ R, wide(a), max(m, n), dtype, norm(a))
    U, S, Vh = (wide(factor) for factor in suanzi.svd(tensor(a), full_matrices=False))
    close((U * S[..., None, :]) @ Vh, wide(a), max(m, n), dtype, norm(a))
