"""Results of eig, eigh, eigvals and eigvalsh keep LAPACK's bounds on residuals, and agree with SciPy's values."""

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
    H,
    batches,
    close,
    deficient,
    definite,
    norm,
    orthonormal,
    random,
    rounded_type,
    tensor,
    wide,
    zero,
)
from suanzi.conformance.oracle.element_types import Array

SIZES = [0, 1, 2, 3, 8, 16, 17, 60]
COMPLEX = {"float32": "complex64", "float64": "complex128", "complex64": "complex64", "complex128": "complex128"}


def hermitian(make: object, shape: tuple[int, ...], dtype: str) -> Array:
    a = make(shape, dtype)  # type: ignore[operator]
    return ((a + H(a)) / 2).astype(dtype)


@pytest.mark.parametrize("dtype", FLOATING)
@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("make", [random, deficient, definite, zero], ids=lambda f: f.__name__)
def test_eigh(make: object, n: int, dtype: str) -> None:
    for batch in batches(n):
        a = hermitian(make, (*batch, n, n), dtype)
        values, vectors = suanzi.eigh(tensor(a))
        assert values.dtype.name == a.real.dtype.name
        assert vectors.dtype.name == dtype
        w, V = wide(values), wide(vectors)
        assert (np.diff(w.real, axis=-1) >= 0).all()
        close(wide(a) @ V, V * w[..., None, :], n, dtype, norm(a), f"{a.shape}")
        orthonormal(V, n, dtype, f"{a.shape}")
        expected = np.linalg.eigvalsh(a)
        close(w.real, expected, n, dtype, norm(a))
        close(wide(suanzi.eigvalsh(tensor(a))).real, expected, n, dtype, norm(a))


@pytest.mark.parametrize("dtype", FLOATING)
@pytest.mark.parametrize("power", [-1, 1])
def test_eigh_of_any_scale(power: int, dtype: str) -> None:
    scale = 10.0 ** (power * (37 if dtype in ("float32", "complex64") else 307))
    a = (hermitian(random, (3, 6, 6), dtype) * np.asarray(scale, dtype)).astype(dtype)
    w, V = (wide(result) for result in suanzi.eigh(tensor(a)))
    close(wide(a) @ V, V * w[..., None, :], 6, dtype, norm(wide(a)))
    orthonormal(V, 6, dtype)


def spectrum(values: Array, dtype: str) -> Array:
    """Make a symmetric matrix whose eigenvalues are `values`."""
    n = len(values)
    Q = np.linalg.qr(np.random.default_rng(n).standard_normal((n, n)))[0]
    a = (Q * values) @ Q.T
    return ((a + a.T) / 2).astype(dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("n", range(1, 10))
def test_one_small_matrix(n: int, dtype: str) -> None:
    i = np.arange(n)
    most = 37 if dtype == "float32" else 306
    matrices = [
        *(random((1, n, n), dtype)[0] * np.asarray(10.0**power, dtype) for power in (-most, 0, most - 1)),
        *(spectrum(values, dtype) for values in (i // 2 + 1.0, (-1.0) ** i, 1 + 1e-5 * i, 10.0 ** (-3 * i), 0.0 * i)),
        np.diag((3.0 - i).astype(dtype)),
        np.ones((n, n), dtype),
        np.eye(n, dtype=dtype)[::-1].copy(),
    ]
    for a in matrices:
        lower = np.tril(a)
        whole = lower + np.tril(a, -1).T
        values, vectors = suanzi.eigh(tensor(a))
        w, V = wide(values), wide(vectors)
        assert (np.diff(w.real) >= 0).all()
        close(wide(whole) @ V, V * w, n, dtype, norm(wide(whole)))
        orthonormal(V, n, dtype)
        close(wide(suanzi.eigvalsh(tensor(a))), w, n, dtype, norm(wide(whole)))


@pytest.mark.parametrize("count", [65, 129, 1025])
def test_a_batch_is_no_multiple_of_what_a_thread_takes(count: int) -> None:
    a = hermitian(random, (count, 12, 12), "float64")
    values = suanzi.eigvalsh(tensor(a)).numpy()
    for first in (0, count - 2):
        assert np.array_equal(values[first : first + 2], suanzi.eigvalsh(tensor(a[first : first + 2])).numpy())


@pytest.mark.parametrize("dtype", ["float32", "complex128"])
def test_a_large_matrix(dtype: str) -> None:
    a = hermitian(random, (300, 300), dtype)
    w, V = (wide(result) for result in suanzi.eigh(tensor(a)))
    close(wide(a) @ V, V * w, 300, dtype, norm(a))
    orthonormal(V, 300, dtype)
    w, V = (wide(result) for result in suanzi.eig(tensor(a)))
    close(wide(a) @ V, V * w, 300, dtype, norm(a))


@pytest.mark.parametrize("dtype", FLOATING)
@pytest.mark.parametrize("n", [3, 30])
def test_eigh_reads_the_lower_triangle(n: int, dtype: str) -> None:
    a = hermitian(random, (2, n, n), dtype)
    spoilt = np.tril(a) + np.triu(random((n, n), dtype), 1).astype(dtype)
    for found, expected in zip(suanzi.eigh(tensor(spoilt)), suanzi.eigh(tensor(a)), strict=True):
        assert np.array_equal(found.numpy(), expected.numpy())


@pytest.mark.parametrize("dtype", FLOATING)
@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("make", [random, deficient, zero], ids=lambda f: f.__name__)
def test_eig(make: object, n: int, dtype: str) -> None:
    for batch in batches(n):
        a = make((*batch, n, n), dtype)  # type: ignore[operator]
        values, vectors = suanzi.eig(tensor(a))
        assert values.dtype.name == vectors.dtype.name == COMPLEX[dtype]
        w, V = wide(values), wide(vectors)
        close(wide(a) @ V, V * w[..., None, :], n, dtype, norm(a), f"{a.shape}")
        np.testing.assert_allclose((np.abs(V) ** 2).sum(-2).astype(float), 1.0, rtol=1e-5)
        close(w.sum(-1)[..., None], np.trace(wide(a), axis1=-2, axis2=-1)[..., None], n, dtype, n * norm(a))
        alone = wide(suanzi.eigvals(tensor(a)))
        if make is random and 0 < n <= 20:
            spread = np.abs(alone[..., :, None] - w[..., None, :]).min(-1)
            assert spread.max(initial=0) <= 1000 * n * np.finfo(dtype).eps * norm(a)


def test_values_of_scipy() -> None:
    a = random((9, 9), "float64")
    found, expected = suanzi.eigvals(tensor(a)).numpy(), scipy.linalg.eigvals(a)
    np.testing.assert_allclose(np.sort_complex(found), np.sort_complex(expected), rtol=1e-10)
    rotation = suanzi.tensor([[0.0, -1.0], [1.0, 0.0]])
    assert sorted(suanzi.eigvals(rotation).numpy().imag.tolist()) == [-1.0, 1.0]


FUNCTIONS = {
    "eig": lambda x: suanzi.eig(x),
    "eigh": lambda x: suanzi.eigh(x),
    "eigvals": lambda x: (suanzi.eigvals(x),),
    "eigvalsh": lambda x: (suanzi.eigvalsh(x),),
}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", ["float32", "complex128"])
def test_layouts_give_the_same_bits(name: str, layout: str, dtype: str) -> None:
    for shape in ((3, 8, 8), (1, 20, 20)):
        a = hermitian(random, shape, dtype)
        if layout == "broadcast":
            a = np.ascontiguousarray(np.broadcast_to(a[:1], (4, *shape[1:])))
        for found, expected in zip(FUNCTIONS[name](LAYOUTS[layout](a)), FUNCTIONS[name](tensor(a)), strict=True):
            assert np.array_equal(found.numpy(), expected.numpy())
            assert found.is_contiguous()


@pytest.mark.parametrize("name", FUNCTIONS)
def test_halves_are_computed_in_float32_and_integers_in_float64(name: str) -> None:
    a = np.rint(hermitian(random, (5, 5), "float32") * 2 + 3).clip(0, 9)
    for dtype in (*HALF, *INTEGERS):
        x = suanzi.astype(tensor(a), dtype)
        wide = suanzi.astype(x, "float32" if dtype in HALF else "float64")
        for found, expected in zip(FUNCTIONS[name](x), FUNCTIONS[name](wide), strict=True):
            assert found.dtype is rounded_type(expected.dtype, dtype)
            assert np.array_equal(found.numpy(), suanzi.astype(expected, found.dtype).numpy()), dtype


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_number_of_threads_does_not_matter(name: str) -> None:
    inputs = [tensor(hermitian(random, (60, 12, 12), "float32")), tensor(hermitian(random, (20, 24, 24), "float64"))]
    before = suanzi.get_num_threads()
    results = []
    for threads in (1, 2, 5):
        suanzi.set_num_threads(threads)
        results.append([t.numpy().tobytes() for x in inputs for t in FUNCTIONS[name](x)])
    suanzi.set_num_threads(before)
    assert results[0] == results[1] == results[2]


@given(n=st.integers(0, 20), count=st.integers(0, 4), dtype=st.sampled_from(FLOATING))
@settings(max_examples=30, deadline=None)
def test_any_shape(n: int, count: int, dtype: str) -> None:
    a = hermitian(random, (count, n, n), dtype)
    w, V = (wide(result) for result in suanzi.eigh(tensor(a)))
    close(wide(a) @ V, V * w[..., None, :], n, dtype, norm(a))
    orthonormal(V, n, dtype)
