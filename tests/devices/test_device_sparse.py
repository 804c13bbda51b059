"""Functions of sparse tensors return the same results on devices as on the CPU.

Products and reductions also return the same results as SciPy."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from other_kinds import assert_alike, moved, sparse_operand
from placing import GPU, outcome, sz

from suanzi import InvalidArgumentError, OutOfRangeError, TypeMismatchError

pytestmark = pytest.mark.one_level

NAMES = (
    "bool",
    "int8",
    "uint16",
    "uint32",
    "uint64",
    "int64",
    "float16",
    "bfloat16",
    "float32",
    "float64",
    "complex64",
)
KINDS = ("coo", "csr", "sorted", "rows", "empty", "block")

UNARY: dict[str, Any] = {
    "coalesce": lambda x: x.coalesce(),
    "to_coo": lambda x: x.to_coo(),
    "to_csr": lambda x: x.to_csr(),
    "to_dense": lambda x: x.to_dense(),
    "back": lambda x: sz.to_sparse(x.to_dense(), "csr"),
    "transposed": lambda x: x.T,
    "negative": lambda x: -x,
    "abs": sz.abs,
    "square": sz.square,
    "twice": lambda x: x * 2,
    "dense by a number": lambda x: x + 1,
    "half": lambda x: x / 2,
    "real": lambda x: x.real,
    "reshape": lambda x: sz.reshape(x, (7, 5)),
    "reshape to one": lambda x: sz.reshape(x, (-1,)),
    "flatten": sz.flatten,
    "expand_dims": lambda x: sz.expand_dims(x, 1),
    "squeeze": lambda x: sz.squeeze(sz.expand_dims(x, 0)),
    "slice": lambda x: x[1:4, ::2],
    "slice backwards": lambda x: x[::-1, 5:1:-2],
    "row": lambda x: x[2],
    "element": lambda x: x[2, 3],
    "astype": lambda x: sz.astype(x, "float64"),
    "clone": sz.clone,
    "copies": lambda x: [copy.copy(x), copy.deepcopy(x)],
    "pickled": lambda x: pickle.loads(pickle.dumps(x)),
    "concat": lambda x: [sz.concat([x, x[1:]], axis=0), sz.concat([x, x[:, 2:]], axis=1), sz.concat([x, x], axis=None)],
    "stack": lambda x: sz.stack([x, x], axis=1),
    "select rows": lambda x: [sz.index_select(x, _index(x, [4, 0, 0, -2]), 0)],
    "select columns": lambda x: sz.index_select(x, _index(x, [6, 1, 1, 0, -1]), 1),
    "select in order": lambda x: sz.index_select(x, _index(x, [0, 2, 5]), 1),
    "clip": lambda x: sz.clip(x, 0, None),
    "array_equal": lambda x: sz.array_equal(x, x.to_dense()),
    "sum": lambda x: [sz.sum(x), sz.sum(x, axis=0), sz.sum(x, axis=1, keepdims=True), sz.sum(x, axis=(0, 1))],
    "prod": lambda x: [sz.prod(x), sz.prod(x, axis=0), sz.prod(x, axis=-1)],
    "max": lambda x: [sz.max(x), sz.max(x, axis=0), sz.max(x, axis=-1), sz.max(x, axis=1, keepdims=True)],
    "min": lambda x: [sz.min(x), sz.min(x, axis=0), sz.min(x, axis=-1)],
    "mean": lambda x: [sz.mean(x), sz.mean(x, axis=0)],
}
BINARY: dict[str, Any] = {
    "add": sz.add,
    "subtract": sz.subtract,
    "multiply": sz.multiply,
    "maximum": sz.maximum,
    "less": sz.less,
    "divide": sz.divide,
    "array_equal": sz.array_equal,
    "matmul": lambda x, y: x @ y.T,
    "times dense": lambda x, y: [x @ y.T.to_dense(), x.to_dense() @ y.T, x * y.to_dense(), y.to_dense() * x],
    "by dense": lambda x, y: x / (y.to_dense() + 7),
    "and dense": lambda x, y: x + y.to_dense(),
    "times vectors": lambda x, y: [x @ y.to_dense()[0], y.to_dense()[:, 0] @ x, x @ y[0], y[:, 0] @ x],
}


def _index(x: Any, places: list[int]) -> Any:
    return sz.tensor(places, dtype="int64", device=x.device)


# The tests use float32 and uint64 in all kinds of sparse tensors, and other types in one of the first two kinds.
CASES = [(n, k) for n in NAMES for k in KINDS if k == KINDS[NAMES.index(n) % 2] or n in ("float32", "uint64")]


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_operators_of_one(name: str, kind: str) -> None:
    x = sparse_operand(np.random.default_rng(NAMES.index(name)), name, kind)
    for function in UNARY.values():
        assert_alike(function, x, ulp=2)


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_operators_of_two(name: str, kind: str) -> None:
    rng = np.random.default_rng(NAMES.index(name))
    x, y = sparse_operand(rng, name, kind), sparse_operand(rng, "float32" if kind == "rows" else name, kind, nnz=9)
    for function in BINARY.values():
        assert_alike(function, x, y, ulp=4)


@pytest.mark.parametrize("shape", [(4,), (3, 4, 5), ()])
def test_other_ranks(shape: tuple[int, ...]) -> None:
    x = sparse_operand(np.random.default_rng(3), "float32", shape=shape)
    calls: list[Any] = [
        lambda x: [x.coalesce(), x.to_dense(), sz.sum(x), sz.max(x)],
        lambda x: x.to_csr(),
        lambda x: sz.permute_dims(x, tuple(range(x.ndim))[::-1]),
        lambda x: sz.permute_dims(x, (0, 0, 1)),
        lambda x: sz.sum(x, axis=-1),
        lambda x: sz.max(x, axis=(0, 2)),
        lambda x: sz.reshape(x, (2, -1)),
        lambda x: x[..., -1],
        lambda x: x + x.coalesce(),
    ]
    for function in calls:
        assert_alike(function, x, ulp=2)


def test_large_coordinates() -> None:
    """Operations on a sparse tensor work if the dense tensor has more elements than 63 bits can number."""
    shape = (2**40, 2**40, 3)
    places = np.random.default_rng(1).integers(0, 3, (9, 3)) * np.array([2**38, 2**38, 1])
    x = sz.sparse_tensor(shape, places, np.arange(9.0))
    for function in (lambda x: x.coalesce(), lambda x: x + x, lambda x: x[1:], lambda x: sz.reshape(x, (3, -1))):
        assert_alike(function, x)
    assert_alike(lambda x: x.to_dense().shape, sz.sparse_tensor((2, 3), [[0, 1]], [1.0]))


def test_shown_types_hold_their_numbers() -> None:
    """A sparse result has indices wider than int16 if int16 cannot number the result's elements or columns."""
    places = np.stack(np.meshgrid(np.arange(200), np.arange(200), indexing="ij"), -1).reshape(-1, 2).astype(np.int16)
    x = sz.sparse_tensor((200, 200), places, np.ones(40000, np.float32))
    row = sz.sparse_tensor((1, 3), np.arange(3, dtype=np.int16), np.ones(3), indptr=np.array([0, 3], np.int16))
    for function in (
        lambda x: x.to_csr(),
        lambda x: x.to_csr().T,
        lambda x: sz.concat([x.to_csr()] * 2, axis=0),
    ):
        assert_alike(function, x)
    assert x.to_csr().indptr.tolist()[-1] == 40000

    def select(x: Any) -> Any:
        return sz.index_select(x, _index(x, [0] * 40000), 1)

    assert_alike(select, row)
    assert (select(row).indices.tolist()[-1], select(row).indptr.tolist()) == (39999, [0, 40000])


@pytest.mark.parametrize("place", ["cpu", GPU])
def test_beside_scipy(place: str) -> None:
    scipy_sparse = pytest.importorskip("scipy.sparse")
    rng = np.random.default_rng(5)
    a, b = (scipy_sparse.random_array((60, 50), density=0.1, rng=rng, format="csr") for _ in range(2))
    x, y = (sz.to_sparse(m).to_device(place) for m in (a, b))
    dense = rng.normal(size=(50, 3))
    there = sz.tensor(dense, device=place)
    found = [x + y, x * y, x @ y.T, x[5:50:3]]
    expected = [a + b, a * b, a @ b.T, a[5:50:3]]
    for mine, theirs in zip(found, expected, strict=True):
        np.testing.assert_allclose(mine.to_dense().numpy(), theirs.toarray(), rtol=1e-14, atol=1e-15)
        np.testing.assert_allclose(mine.to_scipy().toarray(), theirs.toarray(), rtol=1e-14, atol=1e-15)
    np.testing.assert_allclose((x @ there).numpy(), a @ dense, rtol=1e-13)
    np.testing.assert_allclose((x @ there[:, 0]).numpy(), a @ dense[:, 0], rtol=1e-13)
    np.testing.assert_allclose(sz.sum(x, axis=0).numpy(), a.sum(axis=0), rtol=1e-14)
    np.testing.assert_allclose(sz.max(x, axis=1).numpy(), a.toarray().max(axis=1))


def test_created_there() -> None:
    places, numbers = [[0, 1], [2, 0], [0, 1]], [1.0, 2.0, 3.0]
    expected = sz.sparse_tensor((3, 2), places, numbers)
    there = [
        sz.sparse_tensor((3, 2), places, numbers, device=GPU),
        sz.sparse_tensor((3, 2), sz.tensor(places, dtype="int64", device=GPU), sz.tensor(numbers, device=GPU)),
        sz.sparse_tensor((3, 2), places, sz.tensor(numbers, device=GPU)),
        sz.sparse_tensor((3, 2), sz.tensor(places, dtype="int64", device=GPU), numbers, device=GPU),
        expected.to_device(GPU),
    ]
    for x in there:
        assert x.device == x.indices.device == x.values.device == GPU
        assert_alike(lambda x: x, expected)
        assert x.to_dense().tolist() == expected.to_dense().tolist()
        assert x.to_device(GPU) is x
        assert x.to_device("cpu").device == "cpu"
    data = [moved(sz.tensor(places, dtype="int16")), moved(sz.tensor(numbers))]
    halves = sz.sparse_tensor((3, 2), *data, dtype="float16")
    assert (halves.dtype, halves.indices.dtype, halves.device) == (sz.float16, sz.int16, GPU)
    back = sz.sparse_tensor((3, 2), *data, device="cpu")
    assert back.device == "cpu"
    with sz.set_default_device(GPU):
        assert sz.sparse_tensor((3, 2), places, numbers).device == GPU
        assert sz.to_sparse(sz.ones((2, 2))).device == GPU
    layout = sz.Layout("sparse", (0, 1))
    ordered = sz.sparse_tensor((3, 2), places, numbers, layout=layout, device=GPU)
    assert ordered.to_dense().layout.order == ordered.layout.order == (0, 1)
    assert "device=gpu:0" in repr(ordered)


_WRONG: list[tuple[Any, ...]] = [
    ((3, 2), [[0, 2]], [1.0]),
    ((3, 2), [[0, 1], [-1, 0]], [1.0, 2.0]),
    ((3, 2), [[0, 1, 2]], [1.0]),
    ((3, 2), [0, 1], [1.0, 2.0]),
    ((3, 2), [[0, 1]], [1.0, 2.0]),
    ((3, 2), [[0.5, 1.0]], [1.0]),
    ((3, 2), [0, 1], [1.0, 2.0], [0, 1, 1, 2, 2]),
    ((3, 2), [0, 1], [1.0, 2.0], [0, 2, 1, 2]),
    ((3, 2), [0, 1], [1.0, 2.0], [1, 1, 1, 2]),
    ((3, 2), [0, 1], [1.0, 2.0], [0, 1, 1, 1]),
    ((3, 2), [0, 2], [1.0, 2.0], [0, 1, 1, 2]),
    ((3, 2), [[0, 1]], [1.0], [0, 1, 1, 1]),
    ((3,), [0], [1.0], [0, 1]),
]


@pytest.mark.parametrize("arguments", _WRONG)
def test_wrong_coordinates(arguments: tuple[Any, ...]) -> None:
    """`sparse_tensor` refuses wrong coordinates at once, with the CPU's message, and the device keeps working."""
    shape, *data = arguments

    def make(*data: Any) -> Any:
        return sz.sparse_tensor(shape, data[0], data[1], indptr=data[2] if len(data) > 2 else None)

    tensors = [
        sz.tensor(numbers, dtype=None if i == 1 or isinstance(np.ravel(numbers)[0], float) else "int32")
        for i, numbers in enumerate(data)
    ]
    assert_alike(make, *tensors)
    assert isinstance(outcome(lambda: make(*tensors)), tuple)
    x = moved(sz.ones(3))
    assert (x + 1).tolist() == [2.0, 2.0, 2.0]


def test_refused() -> None:
    x, y = (sparse_operand(np.random.default_rng(0), "float32") for _ in range(2))
    there = moved(x)
    mixed: list[Any] = [
        lambda: there + y,
        lambda: there @ y.T,
        lambda: there @ sz.ones(7),
        lambda: there.to_csr() @ sz.ones(7),
        lambda: there * sz.ones((5, 7)),
        lambda: x.to_csr() @ moved(sz.ones(7)),
        lambda: sz.concat([there, y], axis=0),
        lambda: sz.index_select(there, sz.tensor([0], dtype="int64"), 0),
    ]
    for call in mixed:
        with pytest.raises(InvalidArgumentError, match=r"operands on \w+:0 and \w+:0"):
            call()
    with pytest.raises(OutOfRangeError, match=r"^index_select: index 9 is outside \[-7, 7\) along axis 1"):
        sz.index_select(there, moved(sz.tensor([0, 9, 1], dtype="int64")), 1)
    with pytest.raises(TypeMismatchError, match=r"^sort: SparseTensor is not a tensor"):
        sz.sort(there)
    with pytest.raises(TypeMismatchError, match="string"):
        sz.to_sparse(sz.tensor([["a"]])).to_device(GPU)
    wrong: list[Any] = [
        lambda x: x @ x,
        lambda x: x + x.T,
        lambda x: sz.reshape(x, (3, 3)),
        lambda x: x[9],
        lambda x: sz.sum(x, axis=3),
        lambda x: sz.transpose(x, (0, 0)),
        lambda x: sz.concat([x, x.T], axis=0),
        lambda x: np.asarray(x),
        lambda x: x.to_coo().indptr,
        lambda x: sz.max(sz.astype(x, "complex64")),
        lambda x: x.to_csr() @ sz.ones((2, 2, 2), device=x.device),
    ]
    for function in wrong:
        assert_alike(function, x)
        assert isinstance(outcome(lambda function=function: function(x)), tuple)
    sz.destroy(there)
    assert repr(there) == "SparseTensor(<destroyed>)"
    assert_alike(lambda x: sz.destroy(x) or (x + x), y)
