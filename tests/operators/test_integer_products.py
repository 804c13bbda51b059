"""Products of 8-bit integers and of quantized codes equal NumPy's integers, in the operands' or in wider types."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import suanzi
from suanzi import DimensionsMismatchError, TypeMismatchError

BYTES = ("int8", "uint8")
NAMED = {"int8": "qint8_asymmetric", "uint8": "quint8"}
# Sizes around the numbers of rows and columns per call of the kernel, and above the number of terms per sum.
SIZES = (1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 13, 15, 16, 17, 24, 31, 32, 33, 65)


def drawn(rng: np.random.Generator, dtype: str, shape: tuple[int, ...]) -> np.ndarray:
    limits = np.iinfo(dtype)
    return rng.integers(limits.min, limits.max, shape, dtype=dtype, endpoint=True)


def exact(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.matmul(a.astype(np.int64), b.astype(np.int64))


@given(st.sampled_from(SIZES), st.sampled_from(SIZES), st.sampled_from((*SIZES, 511, 512, 513, 1030)), st.data())
def test_sums_are_exact(m: int, n: int, k: int, data: st.DataObject) -> None:
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    first, second = data.draw(st.sampled_from(BYTES)), data.draw(st.sampled_from(BYTES))
    a, b = drawn(rng, first, (m, k)), drawn(rng, second, (k, n))
    if data.draw(st.booleans()):
        a = np.asfortranarray(a)
    if data.draw(st.booleans()):
        b = np.asfortranarray(b)
    x, y = suanzi.from_dlpack(a), suanzi.from_dlpack(b)
    expected = exact(a, b)
    for dtype in ("int32", "int64"):
        found = suanzi.matmul(x, y, dtype=dtype)
        assert found.dtype == dtype
        np.testing.assert_array_equal(found.numpy(), expected)
    wrapped = suanzi.matmul(x, y)
    np.testing.assert_array_equal(wrapped.numpy(), expected.astype(str(wrapped.dtype)))


@pytest.mark.parametrize("shape", [(520, 530), (2050, 140), (130, 4100), (33000, 9)])
def test_some_rows_times_a_large_matrix(shape: tuple[int, int]) -> None:
    rng = np.random.default_rng(0)
    for m, first, second in ((5, "int8", "uint8"), (8, "uint8", "uint8"), (11, "int8", "int8"), (16, "uint8", "int8")):
        a, b = drawn(rng, first, (m, shape[0])), drawn(rng, second, shape)
        a[0], a[m - 1] = np.iinfo(first).min, np.iinfo(first).max
        b[:, 1], b[:, 2] = np.iinfo(second).max, np.iinfo(second).min
        expected = exact(a, b)
        for y in (suanzi.tensor(b), suanzi.tensor(np.ascontiguousarray(b.T)).T):
            for dtype in ("int32", "int64"):
                np.testing.assert_array_equal(suanzi.matmul(suanzi.tensor(a), y, dtype=dtype).numpy(), expected)
        u = suanzi.quantized_tensor(None, a, scale=1.0, zero_point=3, dtype=NAMED[first])
        v = suanzi.quantized_tensor(None, b, scale=1.0, zero_point=7, dtype=NAMED[second])
        found, centred = suanzi.matmul(u, v), exact(a.astype(np.int64) - 3, b.astype(np.int64) - 7)
        assert np.abs(found.dequantize().numpy() - centred).max() <= 0.51 * np.abs(centred).max() / 127


@pytest.mark.parametrize(
    "shapes",
    [
        ((3, 4, 20, 30), (30, 24)),
        ((20, 30), (5, 30, 24)),
        ((2, 1, 9, 40), (3, 40, 17)),
        ((30,), (30, 24)),
        ((20, 30), (30,)),
        ((30,), (30,)),
        ((0, 30), (30, 8)),
        ((8, 0), (0, 9)),
    ],
)
@pytest.mark.parametrize("dtype", ["int32", "int64", None])
def test_stacks_and_vectors(shapes: tuple[tuple[int, ...], tuple[int, ...]], dtype: str | None) -> None:
    rng = np.random.default_rng(5)
    a, b = drawn(rng, "int8", shapes[0]), drawn(rng, "uint8", shapes[1])
    found = suanzi.matmul(suanzi.tensor(a), suanzi.tensor(b), dtype=dtype)
    np.testing.assert_array_equal(found.numpy(), exact(a, b).astype(str(found.dtype)))


@pytest.mark.parametrize("steps", [(2, 3), (-1, 1), (1, -2), (-2, -3)])
def test_strides(steps: tuple[int, int]) -> None:
    rng = np.random.default_rng(6)
    a, b = drawn(rng, "int8", (40, 90)), drawn(rng, "int8", (90, 70))
    x, y = (suanzi.tensor(t)[:: steps[0], :: steps[1]] for t in (a, b))
    left, right = a[:: steps[0], :: steps[1]], b[:: steps[0], :: steps[1]]
    k = min(left.shape[1], right.shape[0])
    found = suanzi.matmul(x[:, :k], y[:k], dtype="int32")
    np.testing.assert_array_equal(found.numpy(), exact(left[:, :k], right[:k]))
    spread = suanzi.expand(suanzi.tensor(b[:1]), (90, 70))
    np.testing.assert_array_equal(
        suanzi.matmul(suanzi.tensor(a), spread, dtype="int64").numpy(), exact(a, np.broadcast_to(b[:1], (90, 70)))
    )


@pytest.mark.parametrize(("first", "second"), [(-128, -128), (255, 255), (-128, 255), (127, -128)])
def test_long_sums_of_extremes(first: int, second: int) -> None:
    k = 2**20
    a, b = (suanzi.full((2, k), v, dtype="int8" if v < 128 else "uint8") for v in (first, second))
    found = suanzi.matmul(a, suanzi.transpose(b, (1, 0)), dtype="int64")
    assert set(found.numpy().ravel().tolist()) == {first * second * k}
    wrapped = suanzi.matmul(a, suanzi.transpose(b, (1, 0)), dtype="int32")
    assert wrapped.tolist()[0][0] == (first * second * k + 2**31) % 2**32 - 2**31


@given(st.sampled_from(SIZES), st.sampled_from(SIZES), st.sampled_from(SIZES), st.integers(0, 2**32), st.data())
def test_codes_less_their_zero_points(m: int, n: int, k: int, seed: int, data: st.DataObject) -> None:
    rng = np.random.default_rng(seed)
    a, b = drawn(rng, "int8", (m, k)), drawn(rng, "uint8", (k, n))
    za, zb = data.draw(st.sampled_from((-128, -3, 0, 127))), data.draw(st.sampled_from((0, 7, 255)))
    x = suanzi.quantized_tensor(None, a, scale=1.0, zero_point=za, dtype="qint8_asymmetric")
    y = suanzi.quantized_tensor(None, b, scale=1.0, zero_point=zb, dtype="quint8")
    expected = exact(a.astype(np.int64) - za, b.astype(np.int64) - zb)
    found = suanzi.matmul(x, y)
    step = float(np.max(np.asarray(found.scale.numpy() if hasattr(found.scale, "numpy") else found.scale)))
    assert (
        np.abs(suanzi.dequantize(found).numpy().astype(np.float64) - expected).max()
        <= step * 0.5001 + abs(expected).max() * 2.0**-23
    )


def test_the_same_for_any_number_of_threads() -> None:
    rng = np.random.default_rng(8)
    a, b = drawn(rng, "int8", (300, 700)), drawn(rng, "int8", (700, 500))
    before = suanzi.get_num_threads()
    try:
        for threads in (1, 2, 7):
            suanzi.set_num_threads(threads)
            np.testing.assert_array_equal(
                suanzi.matmul(suanzi.tensor(a), suanzi.tensor(b), dtype="int32").numpy(), exact(a, b)
            )
    finally:
        suanzi.set_num_threads(before)


@pytest.mark.parametrize(
    "shapes", [((64, 64), (64, 64)), ((65, 70), (70, 67)), ((4, 2048), (2048, 1030)), ((8, 600), (600, 64))]
)
@pytest.mark.parametrize("dtype", BYTES)
def test_large_products_wrap(shapes: tuple[tuple[int, int], tuple[int, int]], dtype: str) -> None:
    """Matrix products of 8-bit integers are summed in 32 bits. The result keeps the lowest 8 bits of each sum."""
    rng = np.random.default_rng(9)
    a, b = (drawn(rng, dtype, shape) for shape in shapes)
    out = suanzi.zeros((shapes[0][0], shapes[1][1]), dtype=dtype)
    found = suanzi.matmul(suanzi.tensor(a), suanzi.tensor(b), out=out)
    assert found is out
    np.testing.assert_array_equal(out.numpy(), exact(a, b).astype(dtype))
    np.testing.assert_array_equal((suanzi.tensor(a) @ suanzi.tensor(b)).numpy(), out.numpy())


def test_fused_functions_sum_in_the_type() -> None:
    x = suanzi.tensor([[100, 100], [1, 2]], dtype="int8")
    summed = suanzi.fuse(lambda a: suanzi.matmul(a, a, dtype="int32") + 1)
    for _ in range(3):
        assert summed(x).dtype == "int32"
        np.testing.assert_array_equal(summed(x).numpy(), exact(x.numpy(), x.numpy()) + 1)


def test_out_and_other_types() -> None:
    x = suanzi.tensor([[100, 100], [1, 2]], dtype="int8")
    out = suanzi.zeros((2, 2), dtype="int32")
    assert suanzi.matmul(x, x, dtype="int32", out=out) is out
    np.testing.assert_array_equal(out.numpy(), exact(x.numpy(), x.numpy()))
    half = suanzi.tensor([[1.0, 2.0**-11]], dtype="float16")
    one = suanzi.tensor([[1.0], [1.0]], dtype="float16")
    assert suanzi.matmul(half, one, dtype="float32").tolist() == [[1 + 2.0**-11]]
    assert suanzi.matmul(half, one).tolist() == [[1.0]]
    assert suanzi.matmul(x, x, dtype="float64").dtype == "float64"
    large = suanzi.tensor([[2**24 + 1, 2**24 + 1]], dtype="int32")
    signs = suanzi.tensor([[1], [-1]], dtype="int32")
    ahead = suanzi.tensor([[2**24 + 1, 2**24]], dtype="int32")
    assert suanzi.matmul(large, signs, dtype="float32").tolist() == [[0.0]]
    assert suanzi.matmul(ahead, signs, dtype="float32").tolist() == [[1.0]]
    assert suanzi.matmul(ahead, signs, dtype="complex64").tolist() == [[1.0]]
    for operands in ((suanzi.tensor(1, dtype="int8"), x), (x, suanzi.ones((3, 2), dtype="int8"))):
        with pytest.raises(DimensionsMismatchError, match="matmul"):
            suanzi.matmul(*operands, dtype="int32")
    with pytest.raises(TypeMismatchError, match=r"matmul: dtype int8 cannot hold"):
        suanzi.matmul(suanzi.astype(x, "int32"), x, dtype="int8")
    with pytest.raises(DimensionsMismatchError, match="matmul"):
        suanzi.matmul(x, x, dtype="int32", out=suanzi.zeros((3, 2), dtype="int32"))
