"""The tests compare matmul with NumPy in higher precision: types, shapes, layouts, special values, and errors."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from products import NAMES, check, numbers

import suanzi
from layouts import LAYOUTS
from samples import destroyed, fails
from suanzi import Tensor

SHAPES = [
    ((3, 4), (4, 5)),
    ((1, 1), (1, 1)),
    ((16, 16), (16, 16)),
    ((17, 40), (40, 70)),
    ((70, 33), (33, 70)),  # larger than the panels that are used without packing
    ((11, 50), (50, 300)),  # tiles of four vectors, and a remainder of columns
    ((7, 100), (100, 140)),  # a matrix that is too small for the thin kernels
    ((5,), (5,)),
    ((7,), (7, 3)),
    ((6, 7), (7,)),
    ((90, 400), (400,)),  # each element is the inner product of a row and the vector
    ((400,), (400, 90)),
    ((3, 5, 4), (4, 6)),
    ((2, 1, 3, 4), (5, 4, 6)),
    ((4,), (3, 4, 2)),
    ((2, 40, 40), (1, 40, 40)),
    ((0, 3), (3, 2)),
    ((3, 0), (0, 2)),
    ((0,), (0,)),
    ((2, 0, 3), (3, 4)),
    ((0, 3, 4), (4, 5)),
]


@pytest.mark.parametrize("shapes", SHAPES, ids=str)
@pytest.mark.parametrize("name", NAMES)
def test_types_and_shapes(name: str, shapes: tuple[tuple[int, ...], tuple[int, ...]]) -> None:
    a, b = numbers(shapes[0], name, 1), numbers(shapes[1], name, 2)
    result = suanzi.matmul(suanzi.tensor(a), suanzi.tensor(b))
    check(result, np.matmul, a, b, k=a.shape[-1])
    assert result.is_contiguous()


@pytest.mark.parametrize("other", LAYOUTS)
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("size", [6, 40])
@pytest.mark.parametrize("name", ["float32", "complex128", "int16", "bfloat16"])
def test_layouts(name: str, size: int, layout: str, other: str) -> None:
    operands = [numbers((2, size, size), name, seed) for seed in (1, 2)]
    for operand, how in zip(operands, (layout, other), strict=True):
        if how == "broadcast":
            operand[:] = operand[:1]
    x, y = LAYOUTS[layout](operands[0]), LAYOUTS[other](operands[1])
    check(suanzi.matmul(x, y), np.matmul, *operands, k=size)
    matrices = [operand[0] for operand in operands]
    check(x[0].T @ y[0], lambda a, b: a.T @ b, *matrices, k=size)
    check(x[0] @ y[0].T, lambda a, b: a @ b.T, *matrices, k=size)


@pytest.mark.parametrize("name", ["float32", "int32"])
@pytest.mark.parametrize("size", [5, 70])
def test_rows_that_share_memory(name: str, size: int) -> None:
    line = numbers((2 * size,), name)
    windows = np.lib.stride_tricks.as_strided(line, (size, size), line.strides * 2)
    columns = np.broadcast_to(line[:size, None], (size, size))
    dense = numbers((size, size), name)
    for operand in (windows, columns):
        check(suanzi.from_reference(operand) @ suanzi.tensor(dense), np.matmul, operand, dense, k=size)
        check(suanzi.tensor(dense) @ suanzi.from_reference(operand), np.matmul, dense, operand, k=size)


@settings(max_examples=120, deadline=None)
@given(
    m=st.integers(0, 40),
    n=st.integers(0, 70),
    k=st.integers(0, 40),
    batch=st.lists(st.integers(0, 3), max_size=3),
    dropped=st.integers(0, 3),
    name=st.sampled_from(NAMES),
    flipped=st.tuples(st.booleans(), st.booleans()),
)
def test_any_shape(
    m: int, n: int, k: int, batch: list[int], dropped: int, name: str, flipped: tuple[bool, bool]
) -> None:
    a, b = numbers((*batch, m, k), name, 1), numbers((*batch[dropped:], k, n), name, 2)
    x = suanzi.tensor(a.swapaxes(-1, -2)).mT if flipped[0] else suanzi.tensor(a)
    y = suanzi.tensor(b.swapaxes(-1, -2)).mT if flipped[1] else suanzi.tensor(b)
    check(suanzi.matmul(x, y), np.matmul, a, b, k=k)


def with_threads(count: int, compute: Callable[[], Tensor]) -> bytes:
    before = suanzi.get_num_threads()
    suanzi.set_num_threads(count)
    try:
        return compute().numpy().tobytes()
    finally:
        suanzi.set_num_threads(before)


@pytest.mark.parametrize("name", ["float32", "complex64", "int8", "float16", "bfloat16"])
@pytest.mark.parametrize(
    "shapes",
    [
        ((64, 64), (64, 64)),  # the threads share a single product
        ((70, 65), (65, 90)),
        ((48, 300), (300, 48)),
        ((3, 100, 90), (3, 90, 80)),  # the threads share each product of the batch
        ((300, 310), (310, 290)),
        ((1000, 11, 12), (12, 13)),
        ((900, 900), (900,)),
        ((300000,), (300000,)),
    ],
)
def test_the_number_of_threads_changes_no_bit(name: str, shapes: tuple[tuple[int, ...], tuple[int, ...]]) -> None:
    x, y = suanzi.tensor(numbers(shapes[0], name, 1)), suanzi.tensor(numbers(shapes[1], name, 2))
    assert with_threads(1, lambda: x @ y) == with_threads(3, lambda: x @ y)
    check(x @ y, np.matmul, x.numpy(), y.numpy(), k=shapes[0][-1])


MOST_THIN_ROWS = 64  # with at most this number of rows, the memory order of the matrix may change the order of the sums


@pytest.mark.parametrize("name", ["float32", "complex128", "int16", "bool"])
@pytest.mark.parametrize(
    "shapes",
    [
        ((41, 1100), (1100, 1700)),  # few rows for several threads, and more terms than one packed block holds
        ((700, 230), (230, 501)),
        ((1100, 60), (60, 1100)),  # few terms
        ((3000, 1030), (1030, 24)),  # fewer columns than a panel has
    ],
)
def test_products_shared_by_threads(name: str, shapes: tuple[tuple[int, int], tuple[int, int]]) -> None:
    a, b = numbers(shapes[0], name, 1), numbers(shapes[1], name, 2)
    x, y = suanzi.tensor(a), suanzi.tensor(b)
    check(x @ y, np.matmul, a, b, k=a.shape[1])
    turned, other = suanzi.contiguous(x.mT).mT, suanzi.contiguous(y.mT).mT
    by_rows, by_columns = with_threads(3, lambda: x @ y), with_threads(3, lambda: turned @ other)
    check(turned @ other, np.matmul, a, b, k=a.shape[1])
    for threads in (1, 2, 7):
        assert with_threads(threads, lambda: x @ y) == by_rows
        assert with_threads(threads, lambda: turned @ other) == by_columns
    if min(a.shape[0], b.shape[1]) > MOST_THIN_ROWS:
        assert by_rows == by_columns
    if name == "float32":
        row = numbers((b.shape[1],), name, 3)
        result = suanzi.linear(x, suanzi.tensor(b.T), suanzi.tensor(row))
        check(result, lambda a, b, row: np.matmul(a, b) + row, a, b, row, k=a.shape[1])


@pytest.mark.parametrize(
    "name", ["float16", "bfloat16", "float32", "float64", "complex64", "complex128", "int8", "bool"]
)
@pytest.mark.parametrize("step", [1, 3, -2])
@pytest.mark.parametrize(
    "shape",
    [
        (5, 3),
        (11, 17),  # rows are left after the full blocks of both kernels
        (130, 37),
        (301, 600),  # two threads each compute rows or stripes of the matrix
        (9, 70_000),
        (70_000, 9),  # short rows, summed in parts
    ],
)
def test_a_matrix_times_a_vector(shape: tuple[int, int], step: int, name: str) -> None:
    a = numbers(shape, name, 1)
    by_rows, by_columns = suanzi.tensor(a), suanzi.contiguous(suanzi.tensor(a).mT).mT
    vector = suanzi.tensor(numbers((3 * shape[1],), name, 2))[::step][: shape[1]]
    v = vector.numpy()
    for matrix in (by_rows, by_columns):
        check(matrix @ vector, np.matmul, a, v, k=shape[1])
        check(vector @ matrix.mT, np.matmul, v, a.T, k=shape[1])
        for threads in (2, 3, 7):
            assert with_threads(threads, lambda m=matrix: m @ vector) == with_threads(1, lambda m=matrix: m @ vector)
    if name == "float32":
        row, bias = suanzi.expand_dims(vector, 0), numbers((shape[0],), name, 3)
        for weight in (by_rows, by_columns):
            result = suanzi.linear(row, weight, suanzi.tensor(bias))
            check(result, lambda v, a, bias: np.matmul(v, a.T) + bias, v[None], a, bias, k=shape[1])


@pytest.mark.parametrize("name", ["float16", "bfloat16"])
@pytest.mark.parametrize(
    "shapes",
    [
        ((5, 0), (0,)),
        ((0, 5), (5,)),
        ((0,), (0, 4)),
        ((3, 4, 5), (5,)),
        ((3, 4, 5), (3, 5, 1)),
        ((5,), (3, 5, 4)),
        ((3, 1, 5), (3, 5, 4)),
        ((2, 3, 1, 5), (5, 4)),
        ((3, 1, 5), (3, 5, 1)),
        ((1, 1), (1,)),
        ((7, 1), (1,)),
    ],
    ids=str,
)
def test_matrices_of_halves_times_vectors(shapes: tuple[tuple[int, ...], tuple[int, ...]], name: str) -> None:
    a, b = numbers(shapes[0], name, 1), numbers(shapes[1], name, 2)
    x, y = suanzi.tensor(a), suanzi.tensor(b)
    check(x @ y, np.matmul, a, b, k=a.shape[-1])
    out = suanzi.empty((x @ y).shape, dtype=name)
    check(suanzi.matmul(x, y, out=out), np.matmul, a, b, k=a.shape[-1])
    spread = suanzi.repeat(x, 3, axis=-1)[..., ::3]
    check(spread @ y, np.matmul, a, b, k=a.shape[-1])


def test_not_finite_numbers_reach_their_rows_alone() -> None:
    a = numbers((40, 70), "complex64", 1)
    a[3, 5], a[20, 69], a[39, 0] = np.inf, complex(0, np.nan), complex(np.nan, np.inf)
    v = numbers((70,), "complex64", 2)
    for matrix in (suanzi.tensor(a), suanzi.contiguous(suanzi.tensor(a).mT).mT):
        assert np.isfinite((matrix @ suanzi.tensor(v)).numpy()).sum() == 37


@pytest.mark.parametrize("integers", ["int16", "uint16", "int32", "int64", "uint64", "int8", "bool"])
@pytest.mark.parametrize("name", ["float16", "bfloat16"])
@pytest.mark.parametrize("n", [2, 16, 33, 64, 130])
def test_integers_beside_halves_are_not_rounded_to_them(n: int, name: str, integers: str) -> None:
    """A product does not round integers to the other operand's type. In bfloat16, 257 - 256 would be 0, not 1."""
    left, right = np.zeros((n, n)), np.zeros((n, n))
    left[:, 0], left[:, 1] = 1, -1
    right[0], right[1] = (257, 256) if integers not in ("int8", "bool") else (1, 0)
    a, b = suanzi.tensor(left, dtype=name), suanzi.tensor(right, dtype=integers)
    for product in (a @ b, suanzi.einsum("ij,jk->ik", a, b), suanzi.linear(a, b.T), (b.T @ a.T).T):
        assert product.dtype == a.dtype
        np.testing.assert_array_equal(suanzi.astype(product, "float32"), np.ones((n, n)))


@pytest.mark.parametrize(("name", "tolerance"), [("float32", 1e-4), ("bfloat16", 4e-2)])
@pytest.mark.parametrize("size", [4, 64])
def test_special_values(size: int, name: str, tolerance: float) -> None:
    a, b = numbers((size, size), name, 1), numbers((size, size), name, 2)
    a[0, 0], a[1, 1], b[2, 2], b[3, 0] = np.inf, np.nan, -np.inf, np.nan
    with np.errstate(invalid="ignore"):
        expected = (a[:, :, None].astype(np.float64) * b[None].astype(np.float64)).sum(1)
    result = (suanzi.tensor(a) @ suanzi.tensor(b)).numpy().astype(np.float64)
    np.testing.assert_allclose(result, expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("where", [(0, 0), (37, 64), (63, 64), (20, 31)])
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("left", [False, True])
@pytest.mark.parametrize("k", [65, 66, 96])
def test_subnormal_numbers_of_bfloat16_count(where: tuple[int, int], turned: bool, left: bool, k: int) -> None:
    """Products of bfloat16 do not treat subnormal numbers as 0, unlike an instruction of some processors."""
    tiny, huge = float(2.0**-130), float(2.0**126)
    small, large = np.zeros((64, k)), np.full((k, 40), huge)
    small[where] = tiny
    x, y = suanzi.tensor(small, dtype="bfloat16"), suanzi.tensor(large, dtype="bfloat16")
    if not left:
        x, y = y.T, x.T
    if turned:
        x, y = (suanzi.clone(t.T).T for t in (x, y))
    expected = np.zeros((64, 40))
    expected[where[0]] = 2.0**-4
    result = (x @ y).numpy().astype(np.float64)
    np.testing.assert_array_equal(result if left else result.T, expected)
    layer = suanzi.linear(x, y.T).numpy().astype(np.float64)
    np.testing.assert_array_equal(layer if left else layer.T, expected)


@settings(max_examples=60, deadline=None)
@given(
    m=st.integers(1, 150),
    n=st.integers(1, 300),
    k=st.integers(1, 300),
    count=st.sampled_from([(), (2,), (17,)]),
    shared=st.booleans(),
    turned=st.tuples(st.booleans(), st.booleans()),
)
def test_bfloat16_of_any_size(
    m: int, n: int, k: int, count: tuple[int, ...], shared: bool, turned: tuple[bool, bool]
) -> None:
    if count == (17,):
        m, n, k = m // 3 + 1, n // 5 + 1, k // 5 + 1
    a, b = numbers((*count, m, k), "bfloat16", 1), numbers((*(() if shared else count), k, n), "bfloat16", 2)
    x = suanzi.tensor(np.ascontiguousarray(a.swapaxes(-1, -2))).mT if turned[0] else suanzi.tensor(a)
    y = suanzi.tensor(np.ascontiguousarray(b.swapaxes(-1, -2))).mT if turned[1] else suanzi.tensor(b)
    check(x @ y, np.matmul, a, b, k=k)
    if shared:
        check(suanzi.linear(x, y.T), np.matmul, a, b, k=k)


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("k", [1, 2, 3, 255, 256, 257, 258, 1100])
def test_bfloat16_of_any_depth(k: int, turned: bool) -> None:
    """The sum of more than 256 terms continues from the partial sum of the previous block of terms."""
    a, b = numbers((200, k), "bfloat16", 1), numbers((k, 100), "bfloat16", 2)
    wide = suanzi.zeros((200, 2 * k), dtype="bfloat16")
    x, y = wide[:, ::2], suanzi.tensor(b)
    x[...] = suanzi.tensor(a)
    if turned:
        x, y = suanzi.clone(x).T, suanzi.clone(y).T
        check(y @ x, lambda b, a: np.matmul(b.T, a.T), b, a, k=k)
    else:
        check(x @ y, np.matmul, a, b, k=k)


def test_bfloat16_into_out() -> None:
    a, b = numbers((70, 80), "bfloat16", 1), numbers((80, 90), "bfloat16", 2)
    x, y = suanzi.tensor(a), suanzi.tensor(b)
    expected = (x @ y).numpy()
    for out in (suanzi.full((70, 90), float("nan"), dtype="bfloat16"), suanzi.zeros((90, 70), dtype="bfloat16").T):
        assert suanzi.matmul(x, y, out=out) is out
        assert out.numpy().tobytes() == expected.tobytes()
    square = suanzi.tensor(numbers((64, 64), "bfloat16", 3))
    product = (square.T @ square).numpy()
    suanzi.matmul(square.T, square, out=square)
    assert square.numpy().tobytes() == product.tobytes()


@pytest.mark.parametrize("shapes", [((0, 4), (4, 0)), ((40, 40), (40, 40)), ((90, 400), (400,)), ((3, 0), (0, 5))])
def test_what_lay_in_the_memory_of_the_result_does_not_show(shapes: Any) -> None:
    a, b = numbers(shapes[0], "float32", 1), numbers(shapes[1], "float32", 2)
    out = suanzi.full(np.matmul(a, b).shape, float("nan"))
    assert suanzi.matmul(suanzi.tensor(a), suanzi.tensor(b), out=out) is out
    check(out, np.matmul, a, b, k=a.shape[-1])


def test_out_of_another_type_and_layout_and_over_an_operand() -> None:
    a = numbers((40, 40), "float32")
    x = suanzi.tensor(a)
    wide = suanzi.zeros((40, 80), dtype="float64")[:, ::2]
    suanzi.matmul(x, x, out=wide)
    np.testing.assert_array_equal(wide.numpy(), (x @ x).numpy().astype(np.float64))
    expected = (x.T @ x).numpy()
    suanzi.matmul(x.T, x, out=x)
    np.testing.assert_array_equal(x.numpy(), expected)


def test_mixed_types_promote() -> None:
    a, b = numbers((3, 4), "int8"), numbers((4, 5), "float64")
    np.testing.assert_allclose((suanzi.tensor(a) @ suanzi.tensor(b)).numpy(), a.astype(np.float64) @ b)
    assert (suanzi.ones((2, 2), dtype="float16") @ suanzi.ones((2, 2), dtype="bfloat16")).dtype.name == "float32"


def refusals() -> dict[str, tuple[type[suanzi.SuanziError], Callable[[], object]]]:
    x, y = suanzi.ones((2, 3)), suanzi.ones((3, 4))
    frozen = suanzi.from_reference(bytes(32), dtype="float32", shape=(2, 4))
    return {
        "inner sizes": (suanzi.DimensionsMismatchError, lambda: suanzi.matmul(x, x)),
        "a vector's size": (suanzi.DimensionsMismatchError, lambda: suanzi.matmul(x, suanzi.ones(2))),
        "no axis": (suanzi.DimensionsMismatchError, lambda: suanzi.matmul(x, suanzi.ones(()))),
        "batches": (
            suanzi.DimensionsMismatchError,
            lambda: suanzi.matmul(suanzi.ones((2, 1, 1)), suanzi.ones((3, 1, 1))),
        ),
        "a number": (suanzi.TypeMismatchError, lambda: suanzi.matmul(x, 2)),  # type: ignore[arg-type]
        "an array": (suanzi.TypeMismatchError, lambda: suanzi.matmul(x, np.ones((3, 4)))),  # type: ignore[arg-type]
        "no common type": (
            suanzi.TypeMismatchError,
            lambda: suanzi.matmul(x.astype("uint64"), y.astype("int64")),
        ),
        "the shape of out": (suanzi.DimensionsMismatchError, lambda: suanzi.matmul(x, y, out=suanzi.ones((2, 3)))),
        "the type of out": (
            suanzi.TypeMismatchError,
            lambda: suanzi.matmul(x, y, out=suanzi.ones((2, 4), dtype="int32")),
        ),
        "out is no tensor": (suanzi.TypeMismatchError, lambda: suanzi.matmul(x, y, out=[])),  # type: ignore[arg-type]
        "out is read-only": (suanzi.InvalidArgumentError, lambda: suanzi.matmul(x, y, out=frozen)),
        "destroyed": (suanzi.UninitializedObjectError, lambda: suanzi.matmul(x, destroyed())),
        "too large": (
            suanzi.AllocFailedError,
            lambda: suanzi.matmul(suanzi.zeros((2**40, 0)), suanzi.zeros((0, 2**40))),
        ),
    }


@pytest.mark.parametrize("case", refusals())
def test_refusals(case: str) -> None:
    error, call = refusals()[case]
    with fails(error, "matmul", "matmul"):
        call()


def test_other_classes_may_have_the_answer() -> None:
    class Right:
        def __rmatmul__(self, other: object) -> str:
            return "mine"

    assert suanzi.ones((2, 2)) @ Right() == "mine"  # type: ignore[operator]
    with pytest.raises(TypeError):
        suanzi.ones((2, 2)) @ 2  # type: ignore[operator]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_child_multiplies() -> None:
    a = numbers((200, 200), "float32")
    x = suanzi.tensor(a)
    expected = (x @ x).numpy()
    child = os.fork()
    if child == 0:
        signal.alarm(20)
        os._exit(0 if np.array_equal((x @ x).numpy(), expected) else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_many_threads_multiply_at_once() -> None:
    x = suanzi.tensor(numbers((90, 90), "float64"))
    expected = (x @ x).numpy()
    found: list[Any] = []
    threads = [threading.Thread(target=lambda: found.extend((x @ x).numpy() for _ in range(20))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 80
    assert all(np.array_equal(result, expected) for result in found)
