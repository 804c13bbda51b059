"""PyPTO's index_select follows the documentation: the example, the constraints, and the tiles that a call computes."""

from __future__ import annotations

import itertools
import math
import threading
from collections.abc import Callable, Iterator
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import suanzi
from suanzi import (
    DimensionsMismatchError,
    InvalidArgumentError,
    OutOfRangeError,
    TypeMismatchError,
    UninitializedObjectError,
    _core,
)
from suanzi.interop import pypto

TYPES = {
    "DT_FP32": np.float32,
    "DT_FP16": np.float16,
    "DT_BF16": ml_dtypes.bfloat16,
    "DT_INT16": np.int16,
    "DT_INT8": np.int8,
    "DT_INT32": np.int32,
}


@pytest.fixture(autouse=True)
def _restored() -> Iterator[None]:
    tile, ub = pypto._vec_tile.set(None), pypto._ub_size.set(192 * 1024)
    yield
    pypto._vec_tile.reset(tile)
    pypto._ub_size.reset(ub)


X = [[0.5, 1.5, -2.5, 3.5], [10.5, 11.5, -12.5, 13.5], [20.5, 21.5, -22.5, 23.5]]


@pytest.mark.parametrize("tile", [None, (1, 1), (2, 3), (100, 100)])
def test_the_example_with_its_numbers(tile: tuple[int, int] | None) -> None:
    x = pypto.tensor([3, 4], pypto.DT_FP32)
    indices = pypto.tensor([2], pypto.DT_INT32)
    x[:], indices[:] = X, [0, 2]
    if tile:
        pypto.set_vec_tile_shapes(*tile)
    out1, out2 = pypto.index_select(x, 0, indices), pypto.index_select(x, 1, indices)
    assert (out1.dtype, out2.dtype) == (suanzi.float32, suanzi.float32)
    np.testing.assert_array_equal(out1.numpy(), np.float32([X[0], X[2]]))
    np.testing.assert_array_equal(out2.numpy(), np.float32([[row[0], row[2]] for row in X]))


def taken(x: Any, index: Any, axis: int) -> Any:
    """Select elements one by one, by the formula in the documentation of index_select."""
    shape = x.shape[:axis] + index.shape + x.shape[axis + 1 :]
    result = np.empty(shape, x.dtype)
    for at in np.ndindex(shape):
        end = axis + index.ndim
        result[at] = x[(*at[:axis], int(index[at[axis:end]]), *at[end:])]
    return result


@given(st.data(), st.sampled_from(sorted(TYPES)), st.sampled_from(["DT_INT32", "DT_INT64"]))
def test_index_select_by_its_formula(data: st.DataObject, x_type: str, index_type: str) -> None:
    x_shape = data.draw(arrays.array_shapes(min_dims=2, max_dims=4, max_side=5))
    index_shape = data.draw(arrays.array_shapes(min_dims=1, max_dims=2, max_side=5))
    dim = data.draw(st.integers(-len(x_shape), len(x_shape) - 1))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    x = rng.integers(-100, 100, x_shape).astype(TYPES[x_type])
    index = rng.integers(0, x_shape[dim], index_shape).astype(np.int32 if index_type == "DT_INT32" else np.int64)
    rank = len(x_shape) - 1 + len(index_shape)
    pypto.set_vec_tile_shapes(*(data.draw(st.integers(1, 6)) for _ in range(rank)))
    given_x, given_index = (
        pypto.tensor(x_shape, getattr(pypto, x_type)),
        pypto.tensor(index_shape, getattr(pypto, index_type)),
    )
    given_x[:], given_index[:] = x, index
    result = pypto.index_select(given_x, dim, given_index)
    assert result.dtype is getattr(pypto, x_type)
    np.testing.assert_array_equal(result.numpy(), taken(x, index, dim % len(x_shape)))


# --- the walk over tiles


@given(st.data())
def test_the_tile_shape_governs_the_walk(data: st.DataObject) -> None:
    x_shape = data.draw(arrays.array_shapes(min_dims=1, max_dims=4, max_side=5))
    index_shape = data.draw(arrays.array_shapes(min_dims=0, max_dims=2, min_side=0, max_side=5))
    axis = data.draw(st.integers(0, len(x_shape) - 1))
    x = (
        np.arange(math.prod(x_shape)).reshape(x_shape).T
        if data.draw(st.booleans())
        else np.arange(math.prod(x_shape)).reshape(x_shape)
    )
    index = np.random.default_rng(0).integers(-x.shape[axis], x.shape[axis], index_shape)
    expected = np.take(x, index, axis)
    tile = tuple(data.draw(st.integers(1, 6)) for _ in range(expected.ndim))
    result, origins = _core.gather_tiled_traced(suanzi.from_reference(x), suanzi.tensor(index), tile, axis)
    np.testing.assert_array_equal(result.numpy(), expected)
    steps = [range(0, n, t) for n, t in zip(expected.shape, tile, strict=True)]
    assert origins.tolist() == [list(origin) for origin in itertools.product(*steps)]
    plain = suanzi.gather_tiled(suanzi.from_reference(x), suanzi.tensor(index), tile, axis)
    np.testing.assert_array_equal(plain.numpy(), expected)


@pytest.mark.parametrize("dtype", ["int8", "float16", "float32", "float64", "complex128", "bool", "string"])
def test_tiles_of_every_element_size(dtype: str) -> None:
    text = np.array(["a", "算子", "longer than sixteen bytes"])
    values = np.arange(24).reshape(2, 3, 4) % 3
    x = suanzi.tensor(text[values].tolist()) if dtype == "string" else suanzi.tensor(values, dtype=dtype)
    index = suanzi.tensor(np.array([2, 0, -1, 1]))
    tiled = suanzi.gather_tiled(x, index, (1, 3, 3), 1)
    assert tiled.dtype is x.dtype
    assert tiled.tolist() == suanzi.gather(x, index, 1).tolist()


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.usefixtures("keep_threads")
def test_threads_change_nothing(threads: int) -> None:
    suanzi.set_num_threads(threads)
    x = np.arange(2_000_000, dtype=np.int32).reshape(1000, 2000)
    index = np.random.default_rng(1).integers(0, 1000, 900)
    result, origins = _core.gather_tiled_traced(suanzi.from_reference(x), suanzi.tensor(index), (64, 512), 0)
    np.testing.assert_array_equal(result.numpy(), x[index])
    assert origins.tolist() == [[i, j] for i in range(0, 900, 64) for j in range(0, 2000, 512)]


# --- types, tile shapes and the bound


def test_the_types() -> None:
    names = {name: getattr(pypto, name).name for name in dir(pypto) if name.startswith("DT_")}
    assert names == {
        "DT_FP32": "float32",
        "DT_FP16": "float16",
        "DT_BF16": "bfloat16",
        "DT_INT8": "int8",
        "DT_INT16": "int16",
        "DT_INT32": "int32",
        "DT_INT64": "int64",
    }


def test_tile_shapes_are_set_and_read() -> None:
    assert pypto.get_vec_tile_shapes() == []
    pypto.set_vec_tile_shapes(4, 8, 16)
    assert pypto.get_vec_tile_shapes() == [4, 8, 16]
    seen: list[list[int]] = []
    other = threading.Thread(target=lambda: seen.append(pypto.get_vec_tile_shapes()))
    other.start()
    other.join()
    assert seen in ([[]], [[4, 8, 16]])  # a thread has its own context, or inherits the caller's context


def test_a_tile_must_be_smaller_than_the_buffer() -> None:
    x, index = suanzi.zeros((64, 1024)), suanzi.zeros(48, dtype="int32")
    assert pypto.get_ub_size() == 192 * 1024
    pypto.set_vec_tile_shapes(48, 1024)  # 4 * 48 * 1024 bytes, exactly the size of the buffer
    with pytest.raises(InvalidArgumentError, match=r"196608 bytes, not less than the 196608 of the unified buffer"):
        pypto.index_select(x, 0, index)
    pypto.set_vec_tile_shapes(48, 1023)
    assert pypto.index_select(x, 0, index).shape == (48, 1024)
    pypto.set_vec_tile_shapes(48, 1024)
    pypto.set_ub_size(192 * 1024 + 1)
    assert pypto.index_select(x, 0, index).shape == (48, 1024)
    half = pypto.index_select(suanzi.zeros((64, 1024), dtype="float16"), 0, index)
    assert half.dtype is suanzi.float16


def gone() -> suanzi.Tensor:
    x = suanzi.zeros((2, 2))
    x.destroy()
    return x


X2 = suanzi.zeros((3, 4))
I1 = suanzi.zeros(2, dtype="int32")
WIDE = suanzi.expand(suanzi.zeros((1, 1), dtype="int8"), (2**16, 2**15))
REAL64, INT64, INT16 = (suanzi.zeros((2, 2), dtype=name) for name in ("float64", "int64", "int16"))
NO_INDEX = suanzi.zeros(0, dtype="int32")
CUBE = suanzi.zeros((1, 1, 1), dtype="int32")
BAD: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (lambda: pypto.index_select([[1.0]], 0, I1), TypeMismatchError, "list is not a tensor"),  # type: ignore[arg-type]
    (lambda: pypto.index_select(X2, 0, [0]), TypeMismatchError, "list is not a tensor"),  # type: ignore[arg-type]
    (lambda: pypto.index_select(gone(), 0, I1), UninitializedObjectError, "destroyed"),
    (
        lambda: pypto.index_select(REAL64, 0, I1),
        TypeMismatchError,
        "input has element type",
    ),
    (
        lambda: pypto.index_select(INT64, 0, I1),
        TypeMismatchError,
        "not one of DT_FP32, DT_FP16",
    ),
    (lambda: pypto.index_select(X2, 0, suanzi.zeros(2)), TypeMismatchError, "index has element type float32"),
    (
        lambda: pypto.index_select(X2, 0, INT16),
        TypeMismatchError,
        "not one of DT_INT32, DT_INT64",
    ),
    (lambda: pypto.index_select(suanzi.zeros(3), 0, I1), DimensionsMismatchError, "input of shape"),
    (lambda: pypto.index_select(suanzi.zeros((1,) * 5), 0, I1), DimensionsMismatchError, "not have 2 to 4 dimensions"),
    (lambda: pypto.index_select(X2, 0, suanzi.zeros((), dtype="int32")), DimensionsMismatchError, "index of shape"),
    (
        lambda: pypto.index_select(X2, 0, CUBE),
        DimensionsMismatchError,
        "not have 1 to 2",
    ),
    (lambda: pypto.index_select(suanzi.zeros((2, 0)), 0, I1), InvalidArgumentError, "is empty"),
    (lambda: pypto.index_select(X2, 0, NO_INDEX), InvalidArgumentError, "is empty"),
    (lambda: pypto.index_select(WIDE, 0, I1), InvalidArgumentError, "more than 2147483647"),
    (lambda: pypto.index_select(X2, 2, I1), OutOfRangeError, r"dim 2 is outside \[-2, 2\)"),
    (lambda: pypto.index_select(X2, -3, I1), OutOfRangeError, "dim -3 is outside"),
    (lambda: pypto.index_select(X2, 0.0, I1), TypeMismatchError, "dim must be an integer"),  # type: ignore[arg-type]
    (lambda: pypto.index_select(X2, 0, I1 + 3), OutOfRangeError, "index 3 is outside"),
    (lambda: pypto.index_select(X2, 0, I1 - 1), OutOfRangeError, r"index -1 is outside \[0, 3\)"),
    (lambda: pypto.tensor([2], suanzi.float64), TypeMismatchError, "not one of DT_FP32"),
    (lambda: pypto.tensor([2], "x" * 10**6), TypeMismatchError, r"'x+\.\.\.x+' is not one of"),  # type: ignore[arg-type]
    (lambda: pypto.tensor([2], "float32"), TypeMismatchError, "not one of DT_FP32"),  # type: ignore[arg-type]
    (lambda: pypto.tensor([-1], pypto.DT_FP32), InvalidArgumentError, "size outside"),
    (lambda: pypto.set_vec_tile_shapes(), InvalidArgumentError, "at least one size"),
    (lambda: pypto.set_vec_tile_shapes(2, 0), InvalidArgumentError, "size below 1"),
    (lambda: pypto.set_vec_tile_shapes([2, 2]), TypeMismatchError, "must be an integer"),  # type: ignore[arg-type]
    (lambda: pypto.set_ub_size(0), InvalidArgumentError, "too small"),
    (lambda: pypto.set_ub_size("1"), TypeMismatchError, "must be an integer"),  # type: ignore[arg-type]
    (lambda: suanzi.gather_tiled(X2, I1, (1,)), DimensionsMismatchError, "does not have the 2 dimensions"),
    (lambda: suanzi.gather_tiled(X2, I1, (0, 1)), InvalidArgumentError, "size below 1"),
    (lambda: suanzi.gather_tiled(X2, I1, (1, 1), 2), OutOfRangeError, "axis 2"),
    (lambda: suanzi.gather_tiled(X2, I1 + 3, (1, 1)), OutOfRangeError, "index 3 is outside"),
    (lambda: suanzi.gather_tiled(X2[:, :0], I1 - 4, (1, 1)), OutOfRangeError, "index -4 is outside"),
    (lambda: suanzi.gather_tiled(X2, I1, "a"), TypeMismatchError, "gather_tiled"),  # type: ignore[arg-type]
    (lambda: suanzi.gather_tiled(X2, X2, (1, 1, 1)), TypeMismatchError, "integer"),
]


@pytest.mark.parametrize("case", BAD, ids=lambda case: case[2])
def test_what_is_refused(case: tuple[Callable[[], Any], type[Exception], str]) -> None:
    call, error, text = case
    with pytest.raises(error, match=text) as caught:
        call()
    assert type(caught.value) is error


def test_the_rank_of_the_tile_shape() -> None:
    pypto.set_vec_tile_shapes(2, 2)
    with pytest.raises(DimensionsMismatchError, match=r"tile shape \[2, 2\] has 2 dimensions, the result"):
        pypto.index_select(X2, 0, suanzi.zeros((1, 1), dtype="int32"))
    pypto.set_vec_tile_shapes(1, 2, 2)
    assert pypto.index_select(X2, 0, suanzi.zeros((1, 1), dtype="int32")).shape == (1, 1, 4)


# --- views, dim, and errors that name the called function


def test_views_by_the_documentation() -> None:
    """`pypto.view` follows the examples in the documentation (pypto-view.md of hicann/pypto on GitHub)."""
    x = suanzi.tensor([[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]], dtype="int32")
    y = pypto.view(x, [3, 2], [0, 2])
    assert y.tolist() == [[3, 4], [7, 8], [11, 12]]
    y[0, 0] = 0
    assert x.tolist()[0] == [1, 2, 0, 4]
    z = pypto.view(x, [2, 2], [2, 2], valid_shape=[1, 2])
    assert z.tolist() == [[11, 12], [0, 0]]
    assert "pypto.view" not in x.metadata


def test_a_view_may_not_cut_the_dimension_that_is_indexed() -> None:
    x = suanzi.tensor([[float(10 * i + j) for j in range(4)] for i in range(3)])
    index = suanzi.tensor([1, 0], dtype="int32")
    rows, columns = pypto.view(x, [2, 4], [1, 0]), pypto.view(x, [3, 2], [0, 2])
    assert pypto.index_select(rows, 1, index).tolist() == [[11, 10], [21, 20]]
    assert pypto.index_select(columns, 0, index).tolist() == [[12, 13], [2, 3]]
    assert pypto.index_select(pypto.view(x, [3, 4], [0, 0]), -2, index).tolist() == x[[1, 0]].tolist()
    within = pypto.view(rows, [1, 2], [0, 0])
    for cut, dim in ((rows, 0), (rows, -2), (columns, 1), (columns, -1), (within, 0), (within, 1)):
        with pytest.raises(InvalidArgumentError, match=r"^index_select: the view .* cuts dimension [01] of .*\[3, 4\]"):
            pypto.index_select(cut, dim, index)


VIEWS: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (lambda: pypto.view([1], [1], [0]), TypeMismatchError, "list is not a tensor"),  # type: ignore[arg-type]
    (lambda: pypto.view(gone(), [1, 1], [0, 0]), UninitializedObjectError, "destroyed"),
    (lambda: pypto.view(REAL64, [1, 1], [0, 0]), TypeMismatchError, "float64 is not one of DT_FP32"),
    (lambda: pypto.view(NO_INDEX, [1], [0]), InvalidArgumentError, "is empty"),
    (lambda: pypto.view(X2, [3], [0, 0]), DimensionsMismatchError, r"shape \[3\]"),
    (lambda: pypto.view(X2, [3, 4], [0]), DimensionsMismatchError, r"offsets \[0\]"),
    (lambda: pypto.view(X2, [3, 4], [0, 0], valid_shape=[3]), DimensionsMismatchError, r"valid_shape \[3\]"),
    (lambda: pypto.view(X2, [3, 4], [0, 1]), OutOfRangeError, "not within the input"),
    (lambda: pypto.view(X2, [1, 0], [0, 4]), OutOfRangeError, "not within the input"),
    (lambda: pypto.view(X2, [1, 1], [-1, 0]), InvalidArgumentError, "size outside"),
    (lambda: pypto.view(X2, [2, 2], [0, 0], valid_shape=[3, 2]), InvalidArgumentError, "is greater than shape"),
    (lambda: pypto.view(X2, [2.0, 2], [0, 0]), TypeMismatchError, "integer"),  # type: ignore[list-item]
    (lambda: pypto.view(X2, [2**20, 2**20], [0, 0], valid_shape=[1, 1]), InvalidArgumentError, "more than 2147483647"),
]


@pytest.mark.parametrize("case", VIEWS, ids=lambda case: case[2])
def test_views_that_are_refused(case: tuple[Callable[[], Any], type[Exception], str]) -> None:
    call, error, text = case
    with pytest.raises(error, match=f"^view: .*{text}"):
        call()


def test_tensors_have_their_dim() -> None:
    assert [pypto.tensor(shape, pypto.DT_FP32).dim for shape in ([], [2], [3, 4], [1, 1, 1, 1])] == [0, 1, 2, 4]
    x = pypto.tensor([3, 4], pypto.DT_INT8)
    assert pypto.index_select(x, -x.dim, I1).shape == (2, 4)
    with pytest.raises(UninitializedObjectError, match=r"^dim: "):
        _ = gone().dim


def test_every_message_names_the_function_that_was_called() -> None:
    calls: list[tuple[str, Callable[[], Any]]] = [
        ("index_select", lambda: pypto.index_select(X2, 0, I1 + 3)),
        ("index_select", lambda: pypto.index_select(X2, 0, I1 - 9)),
        ("index_select", lambda: pypto.index_select(X2, 1, I1 + 2**30)),
        ("tensor", lambda: pypto.tensor([2**20, 2**20, 2**9], pypto.DT_FP32)),
        ("tensor", lambda: pypto.tensor(3.0, pypto.DT_FP32)),  # type: ignore[arg-type]
    ]
    for name, call in calls:
        with pytest.raises(suanzi.SuanziError, match=f"^{name}: ") as caught:
            call()
        assert "gather_tiled" not in str(caught.value)
    before = suanzi.memory.statistics()
    large = suanzi.zeros((2, 2**20))
    suanzi.memory.set_limit(suanzi.memory.statistics()["in_use"] + 1000)
    pypto.set_ub_size(2**40)
    try:
        with pytest.raises(suanzi.AllocFailedError, match=r"^index_select: "):
            pypto.index_select(large, 0, I1)
    finally:
        suanzi.memory.set_limit(before["limit"])
