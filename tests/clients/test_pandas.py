"""pandas accepts tensors in place of arrays, and returns the same values and types. Some functions refuse tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import suanzi
from suanzi import InvalidArgumentError, Tensor

pytestmark = pytest.mark.one_level

V = np.array([1.0, 2.0, 3.0])
M = np.arange(6.0).reshape(3, 2)
I = np.array([0, 2])  # noqa: E741
S = pd.Series([4.0, 5.0, 6.0], index=list("abc"))


def frame() -> pd.DataFrame:
    return pd.DataFrame({"a": [1.0, 2.0, 3.0], "b": [4.0, 5.0, 6.0]})


def with_column(values: Any) -> pd.DataFrame:
    changed = frame()
    changed["c"] = values
    changed.insert(0, "d", values)
    return changed


def assigned(values: Any) -> pd.DataFrame:
    changed = frame()
    changed.loc[:, "a"] = values
    return changed


def added_in_place(values: Any) -> pd.Series[float]:
    changed = S.copy()
    changed += values
    return changed


# Calls of pandas. `c` makes an array or a tensor from an array.
CALLS: dict[str, Callable[[Callable[[Any], Any]], Any]] = {
    "Series": lambda c: pd.Series(c(V), index=list("xyz")),
    "Series of a type": lambda c: pd.Series(c(V), dtype="float32"),
    "Series of bool": lambda c: pd.Series(c(V > 1)),
    "DataFrame": lambda c: pd.DataFrame(c(M), columns=["a", "b"]),
    "DataFrame of columns": lambda c: pd.DataFrame({"a": c(V), "b": c(V > 1), "c": c(V.astype(np.int32))}),
    "DataFrame of rows": lambda c: pd.DataFrame([c(V), c(V)]),
    "Index": lambda c: pd.Index(c(V)),
    "columns": lambda c: with_column(c(V)),
    "iloc": lambda c: frame().iloc[c(I)],
    "reindex": lambda c: frame().reindex(c(I)),
    "where": lambda c: S.where(c(V > 1), c(V)),
    "fillna": lambda c: pd.Series([1.0, np.nan, 3.0]).fillna(pd.Series(c(V))),
    "cut": lambda c: pd.cut(c(V), 2),
    "concat": lambda c: pd.concat([pd.Series(c(V)), pd.Series(c(V))]),
    "merge": lambda c: pd.DataFrame({"k": c(V)}).merge(pd.DataFrame({"k": c(V), "w": [1, 2, 3]})),
    "isna": lambda c: pd.isna(c(V)),
    "+": lambda c: S + c(V),
    "+ on the right": lambda c: c(V) + S,
    "+=": lambda c: added_in_place(c(V)),
    "* of rows": lambda c: frame() * c(V[:2]),
    "<": lambda c: c(V) < S,
    "@": lambda c: pd.DataFrame(M) @ c(M.T),
    "@ on the right": lambda c: c(M.T) @ pd.DataFrame(M),
    "numpy.add": lambda c: np.add(c(V), S),
    "numpy.maximum": lambda c: np.maximum(S, c(V)),
    "numpy.hypot": lambda c: np.hypot(c(V), S),
    "numpy.logical_and": lambda c: np.logical_and(S, c(V > 1)),
    "numpy.maximum of a frame": lambda c: np.maximum(frame(), c(M)),
    "numpy.maximum of an index": lambda c: np.maximum(pd.Index(V), c(V)),
    "numpy.arctan2 of an array": lambda c: np.arctan2(pd.array(V, dtype="Float64"), c(V)),
}


@pytest.mark.parametrize("name", CALLS)
def test_like_arrays(name: str) -> None:
    found, expected = CALLS[name](lambda a: suanzi.from_reference(a.copy())), CALLS[name](lambda a: a)
    assert type(found) is type(expected)
    if isinstance(expected, pd.DataFrame):
        pd.testing.assert_frame_equal(found, expected)
    elif isinstance(expected, pd.Series):
        pd.testing.assert_series_equal(found, expected)
    else:
        np.testing.assert_array_equal(found, expected)


def test_results_in_tensors() -> None:
    x, out, rest = suanzi.tensor([1.5, 2.0], dtype="float64"), suanzi.zeros(2, dtype="float64"), np.zeros(2)
    for given in (pd.array([1.0, 2.0]), pd.Series([1.0, 2.0])):
        found: Any = np.add(given, x, out=out)
        assert found is out or type(found) is pd.Series  # as with arrays
        assert out.tolist() == [2.5, 4.0]
        out[...] = 0
    assert np.sqrt(pd.array([4.0, 9.0]), out=out) is out
    assert out.tolist() == [2.0, 3.0]
    for found, expected in zip(np.modf(pd.array([1.5, 2.25]), out=(out, rest)), ([0.5, 0.25], [1, 2]), strict=True):
        assert np.asarray(found).tolist() == expected


def test_back_to_tensors() -> None:
    series = pd.Series(suanzi.tensor([1.0, 2.0]))
    assert series.dtype == np.float32
    assert isinstance(suanzi.tensor(series), Tensor)
    assert suanzi.tensor(series).tolist() == [1.0, 2.0]
    assert suanzi.tensor(frame().to_numpy()).tolist() == frame().to_numpy().tolist()


def test_what_pandas_refuses() -> None:
    """pandas functions that require numpy.ndarray refuse tensors. docs/clients.md recommends a conversion."""
    values = suanzi.from_reference(V.copy())
    for call in (
        lambda: frame() + suanzi.from_reference(M),
        lambda: frame()[values > 1],
        lambda: frame().loc[values > 1],
        lambda: S[values > 1],
        lambda: frame().groupby(values),
        lambda: assigned(values),
        lambda: pd.unique(values),
    ):
        with pytest.raises((AttributeError, KeyError, TypeError, ValueError)):
            call()
    assert frame().iloc[values > 1]["a"].tolist() == [1.0, 2.0, 2.0]  # pandas reads bools as positions


@pytest.fixture(params=["without pyarrow", "as installed"])
def without_pyarrow(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*_: Any) -> None:
        raise ImportError("Import pyarrow failed")

    if request.param == "without pyarrow":
        for kind in (pd.Series, pd.DataFrame):
            monkeypatch.setattr(kind, "__arrow_c_stream__", failing)


COLUMNS = {
    "text": (["a", "bc"], "str"),
    "Int64": ([1, 2], "Int64"),
    "Float64": ([1.5, 2.5], "Float64"),
    "boolean": ([True, False], "boolean"),
    "category of texts": (["a", "bc"], "category"),
    "category of integers": ([1, 2], "category"),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_types_of_pandas(name: str, without_pyarrow: None) -> None:
    """pandas needs pyarrow to export Arrow arrays, and Arrow's categories are dictionaries."""
    values, dtype = COLUMNS[name]
    for kind in (pd.Series, pd.Index, pd.array):
        assert suanzi.tensor(kind(values, dtype=dtype)).tolist() == values
    gaps = [values[0], None]
    for data in (
        *(kind(gaps, dtype=dtype) for kind in (pd.Series, pd.Index, pd.array)),
        pd.DataFrame({"a": gaps}, dtype=dtype),
    ):
        for given in (data, [data], (data, data), [[data], [np.ones(2)]]):
            with pytest.raises(InvalidArgumentError, match=r"^tensor: 1 of 2 elements of a .* are null, .* fillna"):
                suanzi.tensor(given)


def test_frames_of_several_columns(without_pyarrow: None) -> None:
    """The element type is NumPy's type for columns of NumPy's types."""
    numbers = {"a": [2**53 + 1, 7], "b": [3, 4]}
    for types, expected in (
        ({"a": "Int64", "b": "Int64"}, "int64"),
        ({"a": "Int64", "b": "UInt8"}, "int64"),
        ({"a": "int64", "b": "Int8"}, "int64"),
        ({"a": "Int64", "b": "Float64"}, "float64"),
        ({"a": "UInt64", "b": "uint64"}, "uint64"),
    ):
        plain = pd.DataFrame(numbers).astype({name: kind.lower() for name, kind in types.items()}).to_numpy()
        x = suanzi.tensor(pd.DataFrame(numbers).astype(types))
        assert (x.dtype, x.tolist()) == (expected, plain.tolist())
        assert plain.dtype == expected
    with pytest.raises(InvalidArgumentError, match=r"^tensor: 1 of 4 elements of a DataFrame are null"):
        suanzi.tensor(pd.DataFrame({"a": [2**53 + 1, None], "b": [3, 4]}, dtype="Int64"))
    bools = pd.DataFrame({"a": [True, False], "b": [True, True]}, dtype="boolean")
    assert (suanzi.tensor(bools).dtype, suanzi.tensor(bools).tolist()) == (suanzi.bool, [[True, True], [False, True]])
    for kind in ("int64", "Int64"):
        twice = pd.DataFrame(np.array([[1, 2], [3, 4]]), columns=["a", "a"]).astype(kind)
        assert (suanzi.tensor(twice).dtype, suanzi.tensor(twice).tolist()) == (suanzi.int64, [[1, 2], [3, 4]])


def test_arrays_of_pandas(without_pyarrow: None) -> None:
    """Tensors of pandas' arrays and indices have the same values and types as tensors of Series."""
    for kind in (pd.Series, pd.Index, pd.array):
        x = suanzi.tensor(kind([2**53 + 1, 5], dtype="Int64"))
        assert (x.dtype, x.tolist()) == (suanzi.int64, [2**53 + 1, 5])
        assert suanzi.from_reference(kind([1.5], dtype="Float64")).tolist() == [1.5]
        with pytest.raises(InvalidArgumentError, match=r"^from_reference: 1 of 2 elements of a Series are null"):
            suanzi.from_reference(kind([2**53 + 1, None], dtype="Int64"))
    for kind in (pd.Series, pd.Index, pd.arrays.SparseArray):
        assert suanzi.tensor(kind([0.0, 1.5], dtype=pd.SparseDtype(float))).tolist() == [0, 1.5]
    without_types = pd.array(np.array([1.0, np.nan]), dtype=np.dtype(float))
    assert np.isnan(suanzi.tensor(without_types).numpy()).tolist() == [False, True]


def test_types_of_pyarrow() -> None:
    pytest.importorskip("pyarrow")
    for kind in (pd.Series, pd.Index, pd.array):
        x = suanzi.tensor(kind([2**53 + 1, 5], dtype="int64[pyarrow]"))
        assert (x.dtype, x.tolist()) == (suanzi.int64, [2**53 + 1, 5])
        with pytest.raises(InvalidArgumentError, match=r"^tensor: 1 of 2 elements of a Series are null"):
            suanzi.tensor(kind([2**53 + 1, None], dtype="int64[pyarrow]"))
    frame = pd.DataFrame({"a": [2**53 + 1, 5], "b": [1, 2]}, dtype="int64[pyarrow]")
    assert (suanzi.tensor(frame).dtype, suanzi.tensor(frame).tolist()) == (suanzi.int64, [[2**53 + 1, 1], [5, 2]])


def test_frames(without_pyarrow: None) -> None:
    assert suanzi.tensor(frame()).tolist() == frame().to_numpy().tolist()
    assert suanzi.tensor(frame()).dtype is suanzi.float64
    gaps = pd.DataFrame({"a": [1.0, np.nan]})
    assert np.isnan(suanzi.tensor(gaps).numpy()).tolist() == [[False], [True]]
    column = pd.Series([1, 2], dtype="Int64")
    assert suanzi.from_reference(column).tolist() == [1, 2]
    assert suanzi.from_reference(frame()[["a"]]).tolist() == [[1.0], [2.0], [3.0]]


def test_frames_in_lists() -> None:
    """A frame of several columns of Int64 gives NumPy an array of Python's integers."""
    frame = pd.DataFrame({"a": [1, 2**53 + 1], "b": [3, -4]}, dtype="Int64")
    for data in ([frame], (frame, frame)):
        made = suanzi.tensor(data)
        assert made.dtype is suanzi.int64
        assert made.tolist() == [[[1, 3], [2**53 + 1, -4]]] * len(data)
