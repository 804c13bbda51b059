"""`dot`, `linear` and `einsum` with `dtype=` sum in the named type, as NumPy does for operands of this type."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import suanzi
from suanzi import Tensor, TypeMismatchError

INTEGERS = ("int8", "uint8", "int16", "uint16", "int32")
CODES = suanzi.tensor([[100, -100], [127, 2]], dtype="int8")


def drawn(rng: np.random.Generator, dtype: str, shape: tuple[int, ...]) -> np.ndarray:
    limits = np.iinfo(dtype)
    return rng.integers(limits.min, limits.max, shape, dtype=dtype, endpoint=True)


def exact_sums(subscripts: str, *operands: np.ndarray) -> np.ndarray:
    """Return the sums of Python's integers as float64, which rounds each sum once."""
    found = np.einsum(subscripts, *(x.astype(object) for x in operands), optimize=False)
    return np.asarray(found).astype(np.float64)


@given(
    st.sampled_from(INTEGERS),
    st.sampled_from(INTEGERS),
    st.lists(st.sampled_from((0, 1, 2, 3, 17, 65)), min_size=3, max_size=3),
    st.sampled_from(("int64", "float64")),
    st.integers(0, 2**32),
)
def test_sums_of_integers(first: str, second: str, sizes: list[int], dtype: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    m, k, n = sizes
    a, b = drawn(rng, first, (m, k)), drawn(rng, second, (k, n))
    bias = drawn(rng, "int16", (n,))
    expected = np.matmul(a.astype(np.int64), b.astype(np.int64))
    x, y = suanzi.tensor(a), suanzi.tensor(b)
    layered = suanzi.linear(x, suanzi.transpose(y, (1, 0)), suanzi.tensor(bias), dtype=dtype)
    for found, wanted in (
        (suanzi.dot(x, y, dtype=dtype), expected),
        (suanzi.einsum("ij,jk", x, y, dtype=dtype), expected),
        (suanzi.einsum("ij,jk->ki", x, y, dtype=dtype), expected.T),
        (suanzi.einsum("ij,jk->", x, y, dtype=dtype), expected.sum()),
        (layered, expected + bias),
    ):
        assert found.dtype == dtype
        np.testing.assert_array_equal(found.numpy(), wanted)


@pytest.mark.parametrize(
    "subscripts", ["ij,jk->ik", "ij,kj", "bij,bjk->bik", "i,i->i", "ij->i", "ii", "ij,jk,kl", "ij,j,jk->ki", "...i,i"]
)
@pytest.mark.parametrize("dtype", ["int16", "int32", "int64", "float32", "float64", "complex64"])
@pytest.mark.parametrize("types", [("int8", "int8", "int8"), ("uint8", "uint8", "uint8"), ("int8", "uint8", "bool")])
def test_einsum_of_bytes(subscripts: str, dtype: str, types: tuple[str, ...]) -> None:
    rng = np.random.default_rng(3)
    terms = subscripts.replace("...", "xy").split("->")[0].split(",")
    operands = [
        (rng.integers(0, 2, (9,) * len(term)) > 0 if kind == "bool" else drawn(rng, kind, (9,) * len(term)))
        for term, kind in zip(terms, types, strict=False)
    ]
    wide = np.int64 if dtype.startswith("int") else np.float64
    expected = exact_sums(subscripts, *operands).astype(wide)
    found = suanzi.einsum(subscripts, *map(suanzi.tensor, operands), dtype=dtype)
    assert found.dtype == dtype
    # Integers wrap around in the named type, and exact sums are rounded once.
    if dtype.startswith("int") or (dtype in ("float32", "complex64") and len(operands) < 3):
        np.testing.assert_array_equal(found.numpy(), expected.astype(dtype))
    else:
        np.testing.assert_allclose(found.numpy(), expected, rtol=1e-6)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_halves_are_not_rounded_to_their_type(dtype: str) -> None:
    x = suanzi.tensor([1.0, 2.0**-12], dtype=dtype)
    ones = suanzi.ones((2,), dtype=dtype)
    matrix = suanzi.reshape(ones, (1, 2))
    exact = 1 + 2.0**-12
    assert suanzi.dot(x, ones, dtype="float32").item() == exact
    assert suanzi.dot(x, ones).item() == 1.0
    assert suanzi.linear(x, matrix, dtype="float32").item() == exact
    assert suanzi.linear(x, matrix, 1.0, dtype="float64").item() == exact + 1
    assert suanzi.einsum("i,i", x, ones, dtype="float32").item() == exact
    assert suanzi.einsum("i,ji->j", x, matrix, dtype="float64").item() == exact
    assert suanzi.einsum("i->", x, dtype="float32").item() == exact
    assert suanzi.einsum("i->", x).dtype == dtype
    assert suanzi.dot(x, ones, dtype=dtype).dtype == dtype


def test_integers_are_rounded_at_the_end() -> None:
    """The difference of 2²⁴ + 1 and 2²⁴ is 1, although float32 does not hold 2²⁴ + 1."""
    ahead = suanzi.tensor([2**24 + 1, 2**24], dtype="int32")
    signs = suanzi.tensor([1, -1], dtype="int32")
    for dtype in ("float32", "complex64"):
        assert suanzi.dot(ahead, signs, dtype=dtype).item() == 1
        assert suanzi.einsum("i,i", ahead, signs, dtype=dtype).item() == 1
        assert suanzi.linear(ahead, suanzi.reshape(signs, (1, 2)), dtype=dtype).tolist() == [1]
    with_bias = suanzi.linear(ahead, suanzi.reshape(signs, (1, 2)), suanzi.tensor([0.5]))
    assert with_bias.dtype == "float32"
    assert with_bias.tolist() == [1.5]


def test_scalars_and_a_bias_of_a_wider_type() -> None:
    ten = suanzi.tensor(100, dtype="int8")
    assert suanzi.dot(ten, ten, dtype="int32").item() == 10000
    assert suanzi.dot(ten, CODES, dtype="int16").tolist() == [[10000, -10000], [12700, 200]]
    bias = suanzi.tensor([1, -1], dtype="int32")
    expected = (CODES.numpy().astype(int) @ CODES.numpy().T.astype(int) + [1, -1]).tolist()
    assert suanzi.linear(CODES, CODES, bias).tolist() == expected
    assert suanzi.linear(CODES, CODES, bias, dtype="int64").tolist() == expected
    assert suanzi.linear(CODES, CODES, suanzi.tensor([0.5, 0.25]), dtype="float64").tolist() == [
        [row[0] - 0.5, row[1] + 1.25] for row in expected
    ]


def test_operands_whose_pairs_have_no_common_type() -> None:
    """`einsum` accepts uint64 and int8 beside float32, although uint64 and int8 alone have no common type."""
    operands = [suanzi.ones((2, 2), dtype=dtype) for dtype in ("float32", "uint64", "int8")]
    assert suanzi.einsum("ij,jk,kl", *operands).tolist() == [[4, 4], [4, 4]]


@pytest.mark.parametrize(
    "call",
    [
        lambda **named: suanzi.dot(CODES, CODES, **named),
        lambda **named: suanzi.linear(CODES, CODES, **named),
        lambda **named: suanzi.einsum("ij,jk", CODES, CODES, **named),
    ],
    ids=["dot", "linear", "einsum"],
)
def test_refused_types(call: object) -> None:
    for dtype, message in (("uint8", "dtype uint8 cannot hold"), ("string", "cannot hold"), ("intt8", "intt8")):
        with pytest.raises(suanzi.SuanziError, match=message):
            call(dtype=dtype)  # type: ignore[operator]


def test_a_bias_that_the_type_cannot_hold() -> None:
    with pytest.raises(TypeMismatchError, match="linear: dtype int32 cannot hold products of type float32"):
        suanzi.linear(CODES, CODES, suanzi.tensor([0.5, 0.5]), dtype="int32")


def test_other_kinds_of_tensors() -> None:
    sparse = suanzi.tensor([[1.0, 0.0], [0.0, 2.0]]).to_sparse()
    codes = suanzi.quantize(suanzi.tensor([[1.0, 0.0], [0.0, 2.0]]), dtype="qint8")
    for x in (sparse, codes):
        with pytest.raises(TypeMismatchError, match=r"linear: dtype .?float64"):
            suanzi.linear(x, x, dtype="float64")
    with pytest.raises(TypeMismatchError, match=r"dot: dtype .?float64"):
        suanzi.dot(sparse, sparse, dtype="float64")


def test_methods_and_fused_functions() -> None:
    assert CODES.dot(CODES, dtype="int32").dtype == "int32"
    assert CODES.linear(CODES, dtype="int32").dtype == "int32"

    def scores(x: Tensor, y: Tensor) -> Tensor:
        return suanzi.einsum("ij,kj", x, y, dtype="int32") + suanzi.linear(x, y, dtype="int32") + 1

    summed = suanzi.fuse(scores)
    for _ in range(3):
        np.testing.assert_array_equal(summed(CODES, CODES).numpy(), scores(CODES, CODES).numpy())


@pytest.mark.parametrize("half", ["float16", "bfloat16"])
@pytest.mark.parametrize("rows", [1, 3, 20])
def test_a_matrix_of_16_bits_beside_float32(half: str, rows: int) -> None:
    """The kernels may widen the elements of a 16-bit matrix in registers."""
    rng = np.random.default_rng(5)
    weight = suanzi.astype(suanzi.tensor(rng.standard_normal((300, 500)), dtype="float32"), half)
    wide = suanzi.astype(weight, "float32")
    x = suanzi.tensor(rng.standard_normal((rows, 500)), dtype="float32")
    y = suanzi.tensor(rng.standard_normal((rows, 300)), dtype="float32")
    bias = suanzi.tensor(rng.standard_normal(300), dtype="float32")
    for found, expected in (
        (suanzi.linear(x, weight, bias), suanzi.linear(x, wide, bias)),
        (suanzi.matmul(y, weight), suanzi.matmul(y, wide)),
        (suanzi.matmul(weight, x[0]), suanzi.matmul(wide, x[0])),
    ):
        assert found.dtype == expected.dtype
        np.testing.assert_allclose(found.numpy(), expected.numpy(), rtol=1e-5, atol=1e-5)
