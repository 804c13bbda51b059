"""Products of a few rows with a large matrix, which the kernel reads once, agree with products in float64."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import suanzi

Array = np.ndarray[Any, Any]
EPSILON = {"float16": 2.0**-10, "bfloat16": 2.0**-7, "float32": 2.0**-22, "float64": 2.0**-51}
# Sizes below, equal to and above the sizes of vectors, tiles, strips and pieces of the summed axis.
SIZES = [(512, 384), (1030, 257), (2051, 131), (130, 2099)]


def drawn(seed: int, name: str, *shape: int) -> Array:
    return np.random.default_rng(seed).normal(0, 1, shape).astype(suanzi.as_dtype(name).numpy)


def exact(a: Array, b: Array) -> tuple[Array, Array]:
    """Return the product `a @ b` in float64, and for each element the sum of the absolute values of its terms."""
    a, b = a.astype("d"), b.astype("d")
    return a @ b, np.abs(a) @ np.abs(b)


def near(found: Any, expected: tuple[Array, Array], name: str, summand: Array | float = 0.0) -> None:
    product, sums = expected[0] + summand, expected[1] + np.abs(summand)
    assert found.dtype is suanzi.as_dtype(name)
    error = np.abs(found.numpy().astype("d") - product)
    narrow = EPSILON[name] * np.abs(product) if name in ("float16", "bfloat16") else 0.0
    assert (error <= 16 * EPSILON["float64" if name == "float64" else "float32"] * sums + narrow).all()


def close(found: Any, a: Array, b: Array, name: str) -> None:
    near(found, exact(a, b), name)


@pytest.mark.parametrize(("terms", "columns"), SIZES)
@pytest.mark.parametrize("name", ["float32", "float64", "float16", "bfloat16"])
def test_few_rows_and_few_columns(name: str, terms: int, columns: int) -> None:
    for rows in (2, 3, 7, 16, 17, 33, 64, 65):
        a, b = drawn(rows, name, rows, terms), drawn(1, name, terms, columns)
        bias = drawn(2, name, columns)
        x, w, v = map(suanzi.tensor, (a, b, bias))
        by_columns = suanzi.contiguous(w.T).T  # the columns are contiguous
        expected = exact(a, b)
        transposed = expected[0].T, expected[1].T
        for matrix in (w, by_columns):
            near(suanzi.matmul(x, matrix), expected, name)
            near(suanzi.linear(x, matrix.T, v), expected, name, bias.astype("d"))
            near(suanzi.matmul(suanzi.contiguous(x.T).T, matrix), expected, name)
            near(suanzi.matmul(matrix.T, x.T), transposed, name)  # a product with a few columns
        few = drawn(3, name, rows)
        near(suanzi.linear(by_columns.T, x, suanzi.tensor(few)), transposed, name, few.astype("d"))


@pytest.mark.parametrize("name", ["float32", "bfloat16"])
def test_views_stacks_and_given_results(name: str) -> None:
    a, b = drawn(1, name, 3, 4, 600), drawn(2, name, 3, 600, 300)
    x, w = suanzi.tensor(a), suanzi.tensor(b)
    for i, found in enumerate(suanzi.matmul(x, w)):
        close(found, a[i], b[i], name)
    close(suanzi.matmul(x, w[0]).reshape((12, 300)), a.reshape(12, 600), b[0], name)
    for i, found in enumerate(suanzi.matmul(x[0], w)):
        close(found, a[0], b[i], name)
    close(suanzi.matmul(x[0, :, ::-1], w[0, ::-1]), a[0], b[0], name)
    close(suanzi.matmul(x[0, :, ::2], w[0, ::2]), a[0, :, ::2], b[0, ::2], name)
    close(suanzi.matmul(x[0, :, 1:], w[0, 1:, 3:-2]), a[0, :, 1:], b[0, 1:, 3:-2], name)
    whole = suanzi.zeros((4, 300), dtype=name)
    assert suanzi.matmul(x[0], w[0], out=whole) is whole
    close(whole, a[0], b[0], name)
    close(suanzi.matmul(x[0], suanzi.broadcast_to(w[0, :, :1], (600, 300))), a[0], b[0][:, [0] * 300], name)


@pytest.mark.parametrize("name", ["float32", "float16", "bfloat16"])
def test_infinities_and_nan_stay_in_their_places(name: str) -> None:
    a, b = drawn(1, name, 5, 700), drawn(2, name, 700, 400)
    a[1, 3] = np.inf
    b[650, 7] = np.nan
    b[3, 9] = 0
    with np.errstate(invalid="ignore"):
        exact = a.astype("d") @ b.astype("d")
    w = suanzi.tensor(b)
    for matrix in (w, suanzi.contiguous(w.T).T):
        found = suanzi.matmul(suanzi.tensor(a), matrix).numpy().astype("d")
        np.testing.assert_array_equal(np.isnan(found), np.isnan(exact))
        np.testing.assert_array_equal(np.isinf(found), np.isinf(exact))


@pytest.mark.parametrize("name", ["float32", "bfloat16", "float64"])
def test_threads_keep_the_bits(name: str) -> None:
    w = suanzi.tensor(drawn(2, name, 1100, 1500))
    before = suanzi.get_num_threads()
    try:
        for rows, matrix in itertools.product((7, 61), (w, suanzi.contiguous(w.T).T)):
            x = suanzi.tensor(drawn(1, name, rows, 1100))
            results = []
            for threads in (1, 2, 3, 8):
                suanzi.set_num_threads(threads)
                results.append(suanzi.matmul(x, matrix).numpy().tobytes())
            assert len(set(results)) == 1
    finally:
        suanzi.set_num_threads(before)


@pytest.mark.parametrize("rows", [2, 8, 16])
@pytest.mark.parametrize("name", ["float16", "bfloat16"])
def test_halves_are_widened_as_they_are_read(name: str, rows: int) -> None:
    x, w = suanzi.zeros((rows, 2048), dtype=name), suanzi.zeros((2048, 2048), dtype=name)
    for matrix in (w, w.T):
        suanzi.matmul(x, matrix)
        before = suanzi.memory.statistics()["in_use"]
        suanzi.memory.reset_peak()
        suanzi.matmul(x, matrix)
        # The matrix would take 16 MiB in float32. Kernels with tile instructions pack 512 KiB on each thread.
        assert suanzi.memory.statistics()["peak"] - before < 2**20 + 2**19 * suanzi.get_num_threads()


@pytest.mark.parametrize("name", ["float16", "bfloat16"])
def test_a_matrix_that_the_caches_do_not_hold(name: str) -> None:
    """The product of a large matrix has the same bits as the products of its parts, which the caches hold."""
    lines, terms = 10_001, 2_003  # 40 MB, more than three quarters of the caches of most processors
    numbers = np.random.default_rng(7).standard_normal((lines, terms), dtype=np.float32)
    weight = suanzi.astype(suanzi.tensor(numbers), name)
    for x, matrix in ((numbers[:1], weight.T), (numbers[:, :1].T, weight)):
        row = suanzi.astype(suanzi.tensor(x), name)
        whole = suanzi.matmul(row, matrix).numpy()
        size = matrix.shape[1] // 5 // 64 * 64
        parts = [suanzi.matmul(row, matrix[:, i : i + size]).numpy() for i in range(0, matrix.shape[1], size)]
        np.testing.assert_array_equal(whole.view(np.uint16), np.concatenate(parts, 1).view(np.uint16))


@pytest.mark.parametrize("name", ["float32", "float64", "float16", "bfloat16"])
@pytest.mark.parametrize("rows", [3, 17, 24, 40])
def test_more_rows_and_a_matrix_that_the_caches_do_not_hold(name: str, rows: int) -> None:
    a, b = drawn(rows, name, rows, 2003), drawn(1, name, 2003, 64)
    w = suanzi.tile(suanzi.tensor(b), (1, 200 if name in ("float16", "bfloat16") else 100))  # 51 MB to 103 MB
    x, expected = suanzi.tensor(a), exact(a, b)
    for matrix in (w, suanzi.contiguous(w.T).T):
        found = suanzi.matmul(x, matrix)
        for i in range(0, matrix.shape[1], 64):
            near(found[:, i : i + 64], expected, name)


@pytest.mark.parametrize("rows", [6, 33])
@pytest.mark.parametrize("transposed", [False, True])
def test_a_subnormal_number_in_the_last_part(rows: int, transposed: bool) -> None:
    """Instructions for bfloat16 would read the number as 0, and the last row of the product needs it."""
    terms, columns = 1027, 643
    rng = np.random.default_rng(rows)
    x, w = (rng.standard_normal(shape).astype("float32") for shape in ((rows, terms), (terms, columns)))
    x[-1] = 0
    x[-1, -1], w[-1, -1] = 2.0**100, 2.0**-130
    left, right = (suanzi.astype(suanzi.tensor(a), "bfloat16") for a in (x, w.T if transposed else w))
    found = suanzi.matmul(left, right.T if transposed else right).numpy().astype("float64")
    exact = [suanzi.astype(t, "float64").numpy() for t in (left, right)]
    expected = exact[0] @ (exact[1].T if transposed else exact[1])
    bound = np.abs(exact[0]) @ np.abs(exact[1].T if transposed else exact[1])
    assert found[-1, -1] == 2.0**-30
    np.testing.assert_array_less(np.abs(found - expected), 2.0**-18 * bound + 2.0**-8 * np.abs(expected) + 1e-300)
