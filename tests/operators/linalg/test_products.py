"""Tests of operators made of matrix products: dot, vecdot, tensordot, outer, matrix_power, linear, bilinear, einsum."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from products import NAMES, Array, check, numbers

import suanzi
from samples import destroyed, fails
from suanzi import DimensionsMismatchError, OutOfRangeError, Tensor, TypeMismatchError

Reference = Callable[..., Array]


def bilinear(x1: Array, x2: Array, weight: Array, bias: Array) -> Array:
    return np.einsum("...i,oij,...j->...o", x1, weight, x2) + bias


# Each case: the function, its NumPy counterpart, the shapes of the operands, and the number of products in a sum.
CASES: list[tuple[str, Callable[..., Tensor], Reference, list[tuple[int, ...]], int]] = [
    ("dot 1", suanzi.dot, np.dot, [(9,), (9,)], 9),
    ("dot 2", suanzi.dot, np.dot, [(4, 9), (9, 3)], 9),
    ("dot 3", suanzi.dot, np.dot, [(2, 3, 9), (4, 9, 5)], 9),
    ("dot 2 and 1", suanzi.dot, np.dot, [(4, 9), (9,)], 9),
    ("dot 0", suanzi.dot, np.dot, [(), (2, 3)], 1),
    ("dot long", suanzi.dot, np.dot, [(70001,), (70001,)], 70001),
    ("vecdot", suanzi.vecdot, np.vecdot, [(3, 1, 9), (2, 9)], 9),
    ("vecdot of rows", suanzi.vecdot, np.vecdot, [(5, 1, 300), (2, 300)], 300),
    ("vecdot 1", suanzi.vecdot, np.vecdot, [(9,), (9,)], 9),
    ("vecdot long", suanzi.vecdot, np.vecdot, [(70001,), (70001,)], 70001),
    ("vecdot none", suanzi.vecdot, np.vecdot, [(0,), (0,)], 0),
    ("vecdot 0", suanzi.vecdot, np.vecdot, [(3, 0), (3, 0)], 0),
    (
        "vecdot axis",
        lambda x, y: suanzi.vecdot(x, y, axis=0),
        lambda a, b: np.vecdot(a, b, axis=0),
        [(9, 3), (9, 3)],
        9,
    ),
    ("tensordot", suanzi.tensordot, np.tensordot, [(2, 3, 4), (3, 4, 5)], 12),
    (
        "tensordot 0",
        lambda x, y: suanzi.tensordot(x, y, axes=0),
        lambda a, b: np.tensordot(a, b, 0),
        [(2, 3), (4,)],
        1,
    ),
    (
        "tensordot pairs",
        lambda x, y: suanzi.tensordot(x, y, axes=([2, 0], [-1, 0])),
        lambda a, b: np.tensordot(a, b, ([2, 0], [-1, 0])),
        [(2, 3, 4), (2, 5, 4)],
        8,
    ),
    ("outer", suanzi.outer, np.multiply.outer, [(3,), (70,)], 1),
    ("linear", suanzi.linear, lambda x, w, b: x @ w.T + b, [(2, 3, 9), (5, 9), (5,)], 10),
    ("linear in panels", suanzi.linear, lambda x, w, b: x @ w.T + b, [(150, 300), (130, 300), (130,)], 301),
    ("linear in tiles", suanzi.linear, lambda x, w, b: x @ w.T + b, [(400, 40), (70, 40), (70,)], 41),
    ("linear, a tile of one column", suanzi.linear, lambda x, w, b: x @ w.T + b, [(64, 64), (449, 64), (449,)], 65),
    ("linear to one", suanzi.linear, lambda x, w, b: x @ w.T + b, [(40, 90), (1, 90), (1,)], 91),
    ("linear of one", suanzi.linear, lambda x, w, b: x @ w.T + b, [(1, 90), (70, 90), (70,)], 91),
    ("linear one by one", suanzi.linear, lambda x, w, b: x @ w.T + b, [(1, 90), (1, 90), (1,)], 91),
    ("linear vector", suanzi.linear, lambda x, w: x @ w.T, [(9,), (5, 9)], 9),
    ("linear empty", suanzi.linear, lambda x, w, b: x @ w.T + b, [(2, 0), (5, 0), (5,)], 1),
    ("bilinear", suanzi.bilinear, bilinear, [(2, 3, 4), (2, 3, 5), (6, 4, 5), (6,)], 21),
    ("bilinear vector", suanzi.bilinear, lambda a, b, w: bilinear(a, b, w, False), [(4,), (5,), (6, 4, 5)], 20),
    ("bilinear empty", suanzi.bilinear, bilinear, [(3, 0), (3, 5), (6, 0, 5), (6,)], 1),
    ("bilinear in parts", suanzi.bilinear, bilinear, [(30, 3), (30, 200), (300, 3, 200), (300,)], 601),
]


@pytest.mark.parametrize("strided", [False, True])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0])
@pytest.mark.parametrize("name", NAMES)
def test_against_numpy(
    name: str,
    case: tuple[str, Callable[..., Tensor], Reference, list[tuple[int, ...]], int],
    strided: bool,
) -> None:
    _, function, reference, shapes, k = case
    arrays = [numbers(shape, name, seed) for seed, shape in enumerate(shapes)]
    if strided and all(shapes):
        tensors = [suanzi.tensor(np.repeat(a[..., ::-1], 2, axis=-1))[..., ::-2] for a in arrays]
    else:
        tensors = [suanzi.tensor(a) for a in arrays]
    check(function(*tensors), reference, *arrays, k=k)


@pytest.mark.parametrize("power", [0, 1, 2, 3, 6, 7])
@pytest.mark.parametrize("name", ["int64", "bool", "float32", "complex128", "bfloat16"])
def test_matrix_power(name: str, power: int) -> None:
    a = numbers((2, 3, 3), name)
    result = suanzi.matrix_power(suanzi.tensor(a), power)

    def by_hand(x: Array) -> Array:
        product = np.broadcast_to(np.eye(3, dtype=x.dtype), x.shape)
        for _ in range(power):
            product = product @ x
        return product

    check(result, by_hand, a, k=6 * power)


@pytest.mark.parametrize("n", [3, 20])
@pytest.mark.parametrize("name", ["int32", "bool", "float32", "complex128", "bfloat16", "float16"])
def test_negative_powers(name: str, n: int) -> None:
    rows = np.eye(n) + 0.25 * np.eye(n, k=1) if "float" in name or "complex" in name else np.eye(n) + np.eye(n, k=1)
    x = suanzi.astype(suanzi.tensor(np.stack([rows, rows.T])), name)
    exact = np.linalg.inv(x.numpy().astype(np.complex128 if name == "complex128" else np.float64))
    for power in (1, 2, 5):
        found = suanzi.matrix_power(x, -power)
        assert found.dtype.name == ("float32" if name in ("int32", "bool") else name)
        tolerance = {"bfloat16": 1e-2, "float16": 1e-3, "complex128": 1e-13}.get(name, 1e-5)
        expected = np.linalg.matrix_power(exact, power)
        np.testing.assert_allclose(found.numpy().astype(exact.dtype), expected, rtol=tolerance, atol=tolerance)


def test_the_least_power() -> None:
    x = suanzi.tensor(np.array([[0.0, 1.0], [1.0, 0.0]]))
    assert suanzi.matrix_power(x, -(2**63)).tolist() == [[1, 0], [0, 1]]
    assert suanzi.matrix_power(x, -(2**63) + 1).tolist() == [[0, 1], [1, 0]]
    assert suanzi.matrix_power(suanzi.ones((0, 3, 3)), -2).shape == (0, 3, 3)


def test_negative_powers_of_singular_matrices() -> None:
    x = np.stack([np.eye(3), np.ones((3, 3))])
    match = r"^matrix_power: matrix 1 of the batch is singular: pivot 1 is 0(;|$)"
    with pytest.raises(suanzi.InvalidArgumentError, match=match):
        suanzi.matrix_power(suanzi.tensor(x), -2)


def test_matrix_power_copies() -> None:
    x = suanzi.ones((2, 2))
    suanzi.matrix_power(x, 1)[0, 0] = 5.0
    assert x.tolist() == [[1, 1], [1, 1]]


EINSUMS: list[tuple[str, list[tuple[int, ...]]]] = [
    ("ij,jk->ik", [(3, 4), (4, 5)]),
    ("ij,jk", [(3, 4), (4, 5)]),
    ("ij,kj->ki", [(3, 4), (5, 4)]),
    ("bij,bjk->bik", [(2, 3, 4), (2, 4, 5)]),
    ("...ij,...jk->...ik", [(6, 2, 3, 4), (2, 4, 5)]),
    ("...ij,...jk", [(1, 3, 4), (2, 4, 5)]),
    ("ii", [(4, 4)]),
    ("ii->i", [(4, 4)]),
    ("ij->ji", [(3, 4)]),
    ("ba", [(3, 4)]),
    ("ij->", [(3, 4)]),
    ("...->...", [(3, 4)]),
    ("i,j->ij", [(3,), (4,)]),
    ("i,i->", [(5,), (5,)]),
    ("i,i->i", [(5,), (5,)]),
    ("ij,ij->j", [(3, 4), (3, 4)]),
    ("ij,jk,kl->il", [(3, 4), (4, 5), (5, 2)]),
    ("ea,fb,abcd,gc,hd->efgh", [(2, 3), (2, 3), (3, 3, 3, 3), (2, 3), (2, 3)]),
    ("iij,jk->k", [(3, 3, 4), (4, 5)]),
    ("ijk,k->ij", [(2, 3, 4), (4,)]),
    ("ij,k->k", [(3, 4), (5,)]),
    ("aB,Bc", [(3, 4), (4, 2)]),
    ("ij , jk -> i k", [(3, 0), (0, 5)]),
    ("i...,i...->...", [(4, 3), (4, 1)]),
    ("ij,ij->", [(3, 1), (3, 4)]),
    (",ij->ij", [(), (2, 3)]),
]


@pytest.mark.parametrize(("subscripts", "shapes"), EINSUMS, ids=lambda value: value if isinstance(value, str) else "")
@pytest.mark.parametrize("name", ["float32", "complex128", "int8", "bool", "float16"])
def test_einsum(name: str, subscripts: str, shapes: list[tuple[int, ...]]) -> None:
    arrays = [numbers(shape, name, seed) for seed, shape in enumerate(shapes)]
    result = suanzi.einsum(subscripts, *map(suanzi.tensor, arrays))
    # NumPy computes sums of bools as `any`. The error bound grows with every pair of operands that is contracted.
    check(result, lambda *a: np.einsum(subscripts, *a), *arrays, k=100)


@st.composite
def summations(draw: st.DrawFn) -> tuple[str, list[tuple[int, ...]]]:
    sizes = {letter: draw(st.integers(0, 4)) for letter in "abcdE"}
    terms = draw(st.lists(st.text("abcdE", max_size=4), min_size=1, max_size=4))
    used = sorted({letter for term in terms for letter in term})
    output = "".join(draw(st.permutations(used)))[: draw(st.integers(0, len(used)))]
    return ",".join(terms) + "->" + output, [tuple(sizes[letter] for letter in term) for term in terms]


@settings(max_examples=150, deadline=None)
@given(summations())
def test_einsum_of_anything(drawn: tuple[str, list[tuple[int, ...]]]) -> None:
    subscripts, shapes = drawn
    arrays = [numbers(shape, "int32", seed) for seed, shape in enumerate(shapes)]
    result = suanzi.einsum(subscripts, *map(suanzi.tensor, arrays))
    np.testing.assert_array_equal(result.numpy(), np.einsum(subscripts, *arrays))


def test_einsum_gives_a_copy() -> None:
    x = suanzi.ones((2, 2))
    for subscripts in ("ij->ij", "ij->ji", "ii->i"):
        suanzi.einsum(subscripts, x)[0] = 5.0
    assert x.tolist() == [[1, 1], [1, 1]]


X = suanzi.ones((2, 3))
DIMENSIONS, TYPE = suanzi.DimensionsMismatchError, suanzi.TypeMismatchError
RANGE, INVALID = suanzi.OutOfRangeError, suanzi.InvalidArgumentError
REFUSALS: list[tuple[type[suanzi.SuanziError], str, tuple[object, ...], dict[str, object]]] = [
    (DIMENSIONS, "dot", (X, X), {}),
    (TYPE, "dot", (X, 2.0), {}),
    (DIMENSIONS, "vecdot", (X, suanzi.ones((2, 4))), {}),
    (RANGE, "vecdot", (X, X), {"axis": 2}),
    (RANGE, "vecdot", (suanzi.ones(()), X), {}),
    (TYPE, "vecdot", (X, X), {"axis": "last"}),
    (TYPE, "vecdot", (X.astype("uint64"), X.astype("int64")), {}),
    (DIMENSIONS, "vecdot", (suanzi.ones((1,) * 64), suanzi.ones(1)), {}),
    (RANGE, "tensordot", (X, X), {"axes": 3}),
    (RANGE, "tensordot", (X, X), {"axes": -1}),
    (RANGE, "tensordot", (X, X), {"axes": ([2], [0])}),
    (DIMENSIONS, "tensordot", (X, X), {"axes": 1}),
    (DIMENSIONS, "tensordot", (X, X), {"axes": ([0, 1], [0])}),
    (INVALID, "tensordot", (X, X), {"axes": ([0, 0], [0, 0])}),
    (INVALID, "tensordot", (X, X), {"axes": ([0],)}),
    (TYPE, "tensordot", (X, X), {"axes": 1.5}),
    (TYPE, "tensordot", (X, X), {"axes": None}),
    (DIMENSIONS, "tensordot", (suanzi.ones((1,) * 40), suanzi.ones((1,) * 40)), {"axes": 0}),
    (DIMENSIONS, "outer", (X, suanzi.ones(2)), {}),
    (TYPE, "outer", ([1.0], suanzi.ones(2)), {}),
    (DIMENSIONS, "matrix_power", (X, 2), {}),
    (DIMENSIONS, "matrix_power", (suanzi.ones(2), 2), {}),
    (DIMENSIONS, "matrix_power", (X, -2), {}),
    (RANGE, "matrix_power", (suanzi.ones((2, 2)), 2**63), {}),
    (INVALID, "matrix_power", (suanzi.ones((2, 2)), -1), {}),
    (TYPE, "matrix_power", (suanzi.ones((2, 2)), 0.5), {}),
    (DIMENSIONS, "linear", (X, suanzi.ones((4, 2))), {}),
    (DIMENSIONS, "linear", (X, suanzi.ones(3)), {}),
    (DIMENSIONS, "linear", (X, suanzi.ones((4, 3)), suanzi.ones(3)), {}),
    (TYPE, "linear", (X, suanzi.ones((4, 3)), [1.0]), {}),
    (TYPE, "linear", (X.astype("uint8"), X.astype("uint64"), suanzi.ones(2, dtype="int8")), {}),
    (DIMENSIONS, "bilinear", (X, X, X), {}),
    (DIMENSIONS, "bilinear", (X, suanzi.ones((4, 3)), suanzi.ones((1, 3, 3))), {}),
    (TYPE, "bilinear", (X, X, None), {}),
    (INVALID, "einsum", ("ij,jk", X), {}),
    (INVALID, "einsum", ("ij", X, X), {}),
    (INVALID, "einsum", ("i1", X), {}),
    (INVALID, "einsum", ("i->", X.T, X), {}),
    (INVALID, "einsum", ("ij->k", X), {}),
    (INVALID, "einsum", ("ij->ii", X), {}),
    (INVALID, "einsum", ("ij->i->j", X), {}),
    (INVALID, "einsum", ("......", X), {}),
    (INVALID, "einsum", ("",), {}),
    (DIMENSIONS, "einsum", ("ijk", X), {}),
    (DIMENSIONS, "einsum", ("i", X), {}),
    (DIMENSIONS, "einsum", ("ij,jk", X, X), {}),
    (DIMENSIONS, "einsum", ("ii->i", suanzi.ones((1, 3))), {}),
    (DIMENSIONS, "einsum", ("ii", suanzi.ones((2, 1))), {}),
    (DIMENSIONS, "einsum", ("ij,jj", X, suanzi.ones((3, 1))), {}),
    (DIMENSIONS, "einsum", ("...a,...b", suanzi.ones((2, 1)), suanzi.ones((3, 1))), {}),
    (TYPE, "einsum", (X, X), {}),
    (TYPE, "einsum", ("ij", 1.0), {}),
    (TYPE, "einsum", ("\ud800", X), {}),
    *((suanzi.UninitializedObjectError, name, (destroyed(), X), {}) for name in ("dot", "vecdot", "outer", "linear")),
    (suanzi.UninitializedObjectError, "einsum", ("ij", destroyed()), {}),
    (suanzi.UninitializedObjectError, "tensordot", (X, destroyed()), {}),
]


@pytest.mark.parametrize(("error", "name", "arguments", "options"), REFUSALS)
def test_refusals(
    error: type[suanzi.SuanziError], name: str, arguments: tuple[object, ...], options: dict[str, object]
) -> None:
    with fails(error, name):
        getattr(suanzi, name)(*arguments, **options)


# --- cross ---

VECTORS: list[tuple[tuple[int, ...], tuple[int, ...], int]] = [
    ((3,), (3,), -1),
    ((4, 3), (4, 3), -1),
    ((5, 1, 3), (4, 3), 2),
    ((3,), (2, 2, 3), -1),
    ((3, 4), (3, 1), 0),
    ((2, 3, 4), (3, 4), 1),
    ((2, 3, 4), (3, 1), -2),
    ((0, 3), (3,), 1),
]


def exact_cross(x: Array, y: Array, axis: int) -> Array:
    """Compute the cross product by its formula in Python's integers or complex numbers."""
    x, y = np.broadcast_arrays(x, y)
    a, b = (np.moveaxis(z, axis, -1).astype(object) for z in (x, y))
    result = np.empty(a.shape, object)
    for at in np.ndindex(*a.shape[:-1]):
        (u, v, w), (p, q, r) = a[at], b[at]
        result[at] = [v * r - w * q, w * p - u * r, u * q - v * p]
    return np.moveaxis(result, -1, axis)


@pytest.mark.parametrize("name", [name for name in NAMES if name != "bool"])
@pytest.mark.parametrize(("left", "right", "axis"), VECTORS)
def test_cross(name: str, left: tuple[int, ...], right: tuple[int, ...], axis: int) -> None:
    """`cross` has the exact result, which wraps in unsigned types. Every type holds the products of the elements."""
    rng = np.random.default_rng(3)
    dtype = suanzi.as_dtype(name)
    a, b = (rng.integers(0, 5, shape) for shape in (left, right))
    if name.startswith("complex"):
        a, b = a + 1j * rng.integers(-3, 4, left), b - 2j * rng.integers(0, 3, right)
    if name.startswith("int") or "float" in name:
        a = -a
    result = suanzi.cross(suanzi.tensor(a, dtype=dtype), suanzi.tensor(b, dtype=dtype), axis=axis)
    expected = exact_cross(a, b, axis)
    assert result.dtype is dtype
    assert result.shape == expected.shape
    wrap = 2 ** (8 * dtype.itemsize) if name.startswith("uint") else 0
    found = result.astype("float32").numpy() if name == "bfloat16" else result.numpy()
    for value, exact in zip(found.ravel().tolist(), expected.ravel().tolist(), strict=True):
        assert value == (exact % wrap if wrap else exact)


def test_cross_promotes_and_refuses() -> None:
    x, y = suanzi.tensor([1, 2, 3], dtype="int32"), suanzi.tensor([0.5, 0.0, -1.0], dtype="float64")
    assert suanzi.cross(x, y).dtype is suanzi.float64
    assert suanzi.cross(x, y).tolist() == np.cross(x.numpy(), y.numpy()).tolist()
    assert suanzi.linalg.cross is suanzi.cross
    # The result is rounded to float16 once. The products themselves would overflow in float16.
    wide_ones = suanzi.tensor([300.0, 300.0, 300.0], dtype="float16")
    assert suanzi.cross(wide_ones, wide_ones).tolist() == [0, 0, 0]
    for call, error in (
        (lambda: suanzi.cross(suanzi.ones(2), suanzi.ones(2)), DimensionsMismatchError),
        (lambda: suanzi.cross(suanzi.ones(3), suanzi.ones(1)), DimensionsMismatchError),
        (lambda: suanzi.cross(suanzi.ones((2, 3)), suanzi.ones((4, 3))), DimensionsMismatchError),
        (lambda: suanzi.cross(suanzi.ones((2, 3)), suanzi.ones(3), axis=2), OutOfRangeError),
        (lambda: suanzi.cross(suanzi.ones(()), suanzi.ones(())), OutOfRangeError),
        (lambda: suanzi.cross(suanzi.ones(3), suanzi.ones(3), axis=0.0), TypeMismatchError),  # type: ignore[arg-type]
        (lambda: suanzi.cross(suanzi.ones(3), suanzi.ones(3, dtype="bool")), TypeMismatchError),
        (lambda: suanzi.cross(suanzi.ones(3), suanzi.tensor(["a"] * 3)), TypeMismatchError),
        (lambda: suanzi.cross(suanzi.ones(3, dtype="uint64"), suanzi.ones(3, dtype="int8")), TypeMismatchError),
    ):
        with fails(error, "cross"):
            call()


def test_the_names_of_the_namespace() -> None:
    """The namespace `linalg` also has the functions of the array API's `linalg` that are not products."""
    x = suanzi.reshape(suanzi.arange(6), (2, 3))
    assert suanzi.linalg.diagonal(x).tolist() == [0, 4]
    assert suanzi.linalg.trace(x).item() == 4
    assert suanzi.linalg.matrix_transpose(x).shape == (3, 2)
    assert {"cross", "diagonal", "matrix_transpose", "trace"} <= set(suanzi.linalg.__all__)


@pytest.mark.parametrize("name", ["float16", "bfloat16", "float32", "float64"])
def test_a_bias_that_is_a_number(name: str) -> None:
    x, w = (suanzi.tensor(np.arange(6.0).reshape(2, 3), dtype=name) for _ in range(2))
    for bias in (0.5, 2, True, np.float64(0.25)):
        vector = suanzi.full((2,), float(bias), dtype=name)
        expected = suanzi.linear(x, w, vector)
        result = suanzi.linear(x, w, bias=bias)
        assert result.dtype is expected.dtype
        assert result.tolist() == expected.tolist()
    cube = suanzi.ones((2, 3, 3), dtype=name)
    expected = suanzi.bilinear(x, x, cube, suanzi.full((2,), 0.5, dtype=name))
    assert suanzi.bilinear(x, x, cube, bias=0.5).tolist() == expected.tolist()
    with fails(TypeMismatchError, "linear"):
        suanzi.linear(x, w, bias="a")  # type: ignore[arg-type]
