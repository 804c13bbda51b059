"""Tests of factorisations by panels of 64 columns, for matrices with at least 192 rows and columns.

Suanzi uses panels if Suanzi's own products are faster than the BLAS library's products.
"""

# ruff: noqa: N806 - matrices have the names that they have in formulas.

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import scipy.linalg

import suanzi
from operators.linalg.matrices import FLOATING, KINDS, H, close, definite, norm, random, tensor, wide
from suanzi import InvalidArgumentError

SIZES = [192, 200, 255, 257, 321]
# By costs.h, Suanzi factorises with its own code on processors of these makers that have AVX-512. On other processors
# Suanzi calls LAPACK. test_factorisations.py has all kinds of matrices.
MAKERS = ("AuthenticAMD", "GenuineIntel")
OWN = suanzi._core.simd_level() in ("avx512", "emulated") and any(
    maker in Path("/proc/cpuinfo").read_text() for maker in MAKERS
)
SHAPES = [(192, 192), (200, 500), (257, 257), (500, 200), (193, 321), (321, 193), (1000, 192)]


@pytest.mark.parametrize("dtype", FLOATING)
@pytest.mark.parametrize("n", [100, 127, 128, 150, 160, 175, 190, 191, *SIZES])
def test_any_number_of_threads(n: int, dtype: str) -> None:
    """Suanzi's own factorisations have the same bits for any number of threads, also for matrices without panels."""
    a, b, positive = tensor(random((n, n), dtype)), tensor(random((n, 3), dtype)), tensor(definite((n, n), dtype))
    before = suanzi.get_num_threads()
    results = []
    for threads in (1, 2, 7):
        suanzi.set_num_threads(threads)
        found = [*suanzi.lu(a), suanzi.inv(a), suanzi.det(a), suanzi.solve(a, b), suanzi.cholesky(positive)]
        results.append(b"".join(x.numpy().tobytes() for x in found))
    suanzi.set_num_threads(before)
    assert not OWN or len(set(results)) == 1


@pytest.mark.parametrize("dtype", FLOATING)
@pytest.mark.parametrize("kind", KINDS if OWN else ["random"])
@pytest.mark.parametrize("shape", SHAPES)
def test_lu(shape: tuple[int, int], kind: str, dtype: str) -> None:
    a = KINDS[kind](shape, dtype)
    P, L, U = (wide(factor) for factor in suanzi.lu(tensor(a)))
    close(P @ L @ U, wide(a), max(shape), dtype, norm(a))
    assert (np.diagonal(L) == 1).all()
    assert not np.triu(L, 1).any()
    assert not np.tril(U, -1).any()
    assert np.abs(L).max() <= np.sqrt(2) * (1 + 1e-6)
    if kind == "random" and not dtype.startswith("complex"):  # LAPACK may choose other pivots for complex matrices
        assert np.array_equal(P, scipy.linalg.lu(a)[0])
    packed, pivots = suanzi.lu(tensor(a), packed=True)
    assert np.array_equal(
        wide(packed),
        np.tril(np.pad(L, [(0, 0), (0, shape[1] - L.shape[1])]), -1) + np.pad(U, [(0, shape[0] - U.shape[0]), (0, 0)]),
    )
    order = np.arange(shape[0])
    for i, row in enumerate(pivots.numpy()):
        order[[i, row]] = order[[row, i]]
    assert np.array_equal(P[order], np.eye(shape[0]))


@pytest.mark.parametrize("dtype", FLOATING)
@pytest.mark.parametrize("n", SIZES)
def test_cholesky(n: int, dtype: str) -> None:
    a = definite((n, n), dtype)
    for upper in (False, True):
        # `cholesky` reads only one triangle. The other triangle contains NaN.
        other = np.tril(np.ones((n, n), bool), -1) if upper else np.triu(np.ones((n, n), bool), 1)
        factor = wide(suanzi.cholesky(tensor(np.where(other, np.array(np.nan, dtype), a)), upper=upper))
        assert not factor[other].any()
        close(H(factor) @ factor if upper else factor @ H(factor), wide(a), n, dtype)


@pytest.mark.parametrize("dtype", FLOATING)
def test_cholesky_of_an_ill_conditioned_matrix(dtype: str) -> None:
    n, eps = 300, float(np.finfo(dtype).eps)
    Q = np.linalg.qr(random((n, n), "complex128" if dtype.startswith("complex") else "float64"))[0]
    a = (Q * np.logspace(0, np.log10(eps * 3000), n)) @ H(Q)
    a = ((a + H(a)) / 2).astype(dtype)
    factor = wide(suanzi.cholesky(tensor(a)))
    close(factor @ H(factor), wide(a), n, dtype)


@pytest.mark.parametrize("dtype", FLOATING)
def test_batches_and_solutions(dtype: str) -> None:
    n = 213
    a = random((2, n, n), dtype)
    for sides in (1, 7, 8, 33, 70, 300):
        b = random((2, n, sides), dtype)
        x = suanzi.solve(tensor(a), tensor(b)).numpy()
        close(wide(a) @ wide(x), wide(b), n, dtype, norm(a) * norm(x))
        spread = suanzi.solve(tensor(a[0].T.copy()).T, tensor(np.repeat(b, 2, axis=-1))[..., ::2]).numpy()
        close(wide(a[0]) @ wide(spread), wide(b), n, dtype, norm(a[:1]) * norm(spread))
    inverse = suanzi.inv(tensor(a)).numpy()
    close(
        wide(a) @ wide(inverse), np.broadcast_to(np.eye(n, dtype=complex), a.shape), n, dtype, norm(a) * norm(inverse)
    )
    sign, logarithm = np.linalg.slogdet(wide(a))
    found = suanzi.slogdet(tensor(a))
    np.testing.assert_allclose(found.sign.numpy(), sign, atol=1e-2)
    np.testing.assert_allclose(found.logabsdet.numpy(), logarithm, rtol=1e-4)
    c = definite((2, n, n), dtype)
    factor = wide(suanzi.cholesky(tensor(c)))
    close(factor @ H(factor), wide(c), n, dtype)


@pytest.mark.parametrize("dtype", FLOATING)
@pytest.mark.parametrize("pivot", [0, 63, 64, 130, 199])
def test_which_pivot_fails(pivot: int, dtype: str) -> None:
    a = np.stack([definite((200, 200), dtype)] * 2)
    a[1, pivot, pivot] = -1
    match = rf"^cholesky: matrix 1 of the batch is not positive definite: pivot {pivot} is not positive(;|$)"
    for upper in (False, True):
        with pytest.raises(InvalidArgumentError, match=match):
            suanzi.cholesky(tensor(a), upper=upper)
    diagonal = np.diag(np.linspace(1, 2, 200)).astype(dtype)
    diagonal[pivot, pivot] = 0
    for call in (suanzi.inv, lambda x: suanzi.solve(x, x)):
        with pytest.raises(InvalidArgumentError, match=rf": matrix is singular: pivot {pivot} is 0(;|$)"):
            call(tensor(diagonal))
    assert suanzi.det(tensor(diagonal)).item() == 0


@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize("dtype", FLOATING)
def test_not_finite_elements_end(value: float, dtype: str) -> None:
    a = definite((200, 200), dtype)
    a[150, 100] = value
    for call in (suanzi.lu, suanzi.det, suanzi.inv, suanzi.cholesky):
        try:
            result = call(tensor(a))
        except InvalidArgumentError:
            continue
        assert not np.isfinite(result[-1].numpy() if isinstance(result, tuple) else result.numpy()).all()


@pytest.mark.parametrize("dtype", FLOATING)
def test_the_number_of_threads_does_not_matter(dtype: str) -> None:
    a = tensor(definite((400, 400), dtype))
    before = suanzi.get_num_threads()
    results = []
    for threads in (1, 2, 3, 7) if OWN else (1, 2):  # LAPACK's threads spin while they wait for each other
        suanzi.set_num_threads(threads)
        found = (suanzi.cholesky(a), suanzi.inv(a), suanzi.solve(a, a), *suanzi.lu(a))
        results.append([x.numpy() for x in found])
    suanzi.set_num_threads(before)
    for others in results[1:]:
        for found, expected in zip(others, results[0], strict=True):
            np.testing.assert_allclose(found, expected, rtol=0 if OWN else 1e-3, atol=0 if OWN else 1e-4)
