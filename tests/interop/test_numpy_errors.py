"""NumPy's functions of tensors raise errors that programs for NumPy catch, and that are Suanzi's errors as well."""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import suanzi
from suanzi import DimensionsMismatchError, InvalidArgumentError, OutOfRangeError, SuanziError, TypeMismatchError

pytestmark = pytest.mark.one_level

SINGULAR = np.array([[1.0, 2.0], [2.0, 4.0]])
WITH_NAN = np.array([[1.0, np.nan], [2.0, 4.0]])
OF_MATRICES: dict[str, tuple[Callable[[Any], Any], Any]] = {
    "inv": (np.linalg.inv, SINGULAR),
    "solve": (lambda x: np.linalg.solve(x, x), SINGULAR),
    "matrix_power": (lambda x: np.linalg.matrix_power(x, -1), SINGULAR),
    "cholesky": (np.linalg.cholesky, -SINGULAR),
    **{name: (getattr(np.linalg, name), WITH_NAN) for name in ("svd", "eig", "pinv")},
    "cond": (np.linalg.cond, np.ones((0, 0))),
}


def function_of_suanzi(name: str) -> Callable[[Any], Any]:
    more: dict[str, Callable[[Any], Any]] = {
        "solve": lambda x: suanzi.solve(x, x),
        "matrix_power": lambda x: suanzi.matrix_power(x, -1),
    }
    return more.get(name) or getattr(suanzi, name)


@pytest.mark.parametrize("name", OF_MATRICES)
def test_errors_of_matrices(name: str) -> None:
    function, array = OF_MATRICES[name]
    stack = np.array([np.eye(2), array]) if array.size else np.ones((3, 0, 0))
    for refused in (stack, suanzi.tensor(stack)):
        with pytest.raises(np.linalg.LinAlgError):
            function(refused)
    with pytest.raises(np.linalg.LinAlgError):
        function(array)
    with pytest.raises(np.linalg.LinAlgError) as caught:
        function(suanzi.tensor(array))
    with pytest.raises(InvalidArgumentError) as ours:
        function_of_suanzi(name)(suanzi.tensor(array))
    assert isinstance(caught.value, InvalidArgumentError)
    assert (str(caught.value), caught.value.status) == (str(ours.value), ours.value.status)


@pytest.mark.parametrize("name", ["eigh", "eigvalsh", "cond"])
def test_nan_that_numpy_may_accept(name: str) -> None:
    with pytest.raises(np.linalg.LinAlgError):
        getattr(np.linalg, name)(suanzi.tensor(WITH_NAN))


@pytest.mark.parametrize("name", ["inv", "det", "eig", "cholesky", "matrix_power"])
def test_matrices_that_are_not_square(name: str) -> None:
    more = [2] if name == "matrix_power" else []
    for array in (np.ones((2, 3)), suanzi.ones((2, 3))):
        with pytest.raises(np.linalg.LinAlgError) as caught:
            getattr(np.linalg, name)(array, *more)
    assert isinstance(caught.value, DimensionsMismatchError)


OF_AXES: dict[str, Callable[[Any], Any]] = {
    "sum": lambda x: np.sum(x, axis=5),
    "add.reduce": lambda x: np.add.reduce(x, axis=5),
    "maximum.accumulate": lambda x: np.maximum.accumulate(x, axis=4),
    "concatenate": lambda x: np.concatenate([x, x], axis=2),
    "sort": lambda x: np.sort(x, axis=-3),
    "median": lambda x: np.median(x, axis=5),
    "delete": lambda x: np.delete(x, 0, axis=5),
    "moveaxis": lambda x: np.moveaxis(x, 0, 5),
    "linalg.norm": lambda x: np.linalg.norm(x, axis=5),
}


@pytest.mark.parametrize("name", OF_AXES)
def test_errors_of_axes(name: str) -> None:
    for x in (SINGULAR, suanzi.tensor(SINGULAR)):
        with pytest.raises(np.exceptions.AxisError) as caught:
            OF_AXES[name](x)
        assert isinstance(caught.value, ValueError)
        assert isinstance(caught.value, IndexError)
    assert isinstance(caught.value, OutOfRangeError)
    again = pickle.loads(pickle.dumps(caught.value))
    assert (type(again), str(again)) == (type(caught.value), str(caught.value))


OTHERS: dict[str, Callable[[Any], Any]] = {
    "the position": lambda x: np.take(x, [10], axis=0),
    "the order": lambda x: np.linalg.norm(x, ord=5),
    "the product": lambda x: np.linalg.matmul(x, x[:1]) if hasattr(np.linalg, "matmul") else x @ x[:1],
}


@pytest.mark.parametrize("name", OTHERS)
def test_other_errors(name: str) -> None:
    """The errors of other arguments are neither errors of a matrix nor errors of an axis."""
    for x in (SINGULAR, suanzi.tensor(SINGULAR)):
        with pytest.raises((ValueError, IndexError)) as caught:
            OTHERS[name](x)
        assert not isinstance(caught.value, np.linalg.LinAlgError | np.exceptions.AxisError)
    assert isinstance(caught.value, SuanziError)


RAGGED: Any = [[1], [2, 3]]
X = suanzi.tensor([1.0, 2.0, 3.0], dtype="float64")
Z = suanzi.astype(X, "complex128")
MALFORMED: dict[str, tuple[Callable[[], Any], type[SuanziError], str]] = {
    "no choices in a list": (lambda: np.choose(Z.real == 1, []), InvalidArgumentError, "there are no choices"),
    "no choices in a tensor": (
        lambda: np.choose(Z.real == 1, suanzi.zeros((0, 3))),
        InvalidArgumentError,
        "there are no choices",
    ),
    "no conditions": (
        lambda: np.piecewise(X, suanzi.zeros((0, 3), dtype="bool"), [1.0]),
        InvalidArgumentError,
        "there are no conditions",
    ),
    "a number without conditions": (
        lambda: np.piecewise(X[0], [], [1.0]),
        InvalidArgumentError,
        "there are no conditions",
    ),
    "conditions of a matrix": (
        lambda: np.piecewise(X, np.matrix([[1, 2]]), [1.0]),
        DimensionsMismatchError,
        "does not broadcast",
    ),
    "a date as a condition": (
        lambda: np.piecewise(X, np.datetime64(1, "s"), [1.0]),  # type: ignore[arg-type]
        TypeMismatchError,
        "not an element type",
    ),
    "a word of parts": (lambda: np.split(X, "C"), TypeMismatchError, "parts must be an integer, not str"),
    "parts of a fraction": (lambda: np.split(X, 1.5), TypeMismatchError, "parts must be an integer, not float"),
    "fractions of indices": (lambda: np.split(X, [1.5]), TypeMismatchError, "an index must be an integer"),
    "ragged positions": (lambda: np.insert(X, RAGGED, X), InvalidArgumentError, "inhomogeneous"),
    "a ragged first value": (lambda: np.min(X, initial=RAGGED), TypeMismatchError, "is not a number"),
    "a ragged target": (lambda: np.around(X, out=RAGGED), TypeMismatchError, "neither a tensor nor an array"),
    "a list as a target": (lambda: np.add(X, 1, out=([1.0],)), TypeMismatchError, "neither a tensor nor an array"),
    "a ragged shape": (lambda: np.zeros_like(X, shape=RAGGED), TypeMismatchError, "must be an integer, not list"),
    "a word of percents": (lambda: np.nanpercentile(X, "xx"), TypeMismatchError, "q 'xx' is not made of"),
    "complex percents": (lambda: np.percentile(X, 1j), TypeMismatchError, "q 1j is not made of"),
    "ragged percents": (lambda: np.percentile(X, RAGGED), DimensionsMismatchError, "differ in length"),
    "huge percents": (lambda: np.percentile(X, 2**2000), OutOfRangeError, "beyond the range"),
    "a word beyond the points": (lambda: np.interp(X, X, Z, right="C"), TypeMismatchError, "right = 'C' is not a"),
    "a list beyond the points": (lambda: np.interp(X, X, Z, left=[1]), TypeMismatchError, "left = [1] is not a"),
    "a huge number beyond the points": (lambda: np.interp(X, X, Z, left=2**2000), OutOfRangeError, "too large"),
    "a word as a period": (lambda: np.interp(X, X, X, period="a"), InvalidArgumentError, "could not convert"),
    "too much work": (lambda: np.shares_memory(X, X, 2**70), OutOfRangeError, "too large"),
    "a word of work": (
        lambda: np.may_share_memory(X, X, max_work="S3"),  # type: ignore[arg-type]
        InvalidArgumentError,
        "must be an integer",
    ),
    "numbers as a separator": (
        lambda: np.array2string(X, separator=np.array([1, 2])),  # type: ignore[call-overload]
        TypeMismatchError,
        "no attribute",
    ),
    "an unknown type": (lambda: np.result_type(X, "zz"), TypeMismatchError, "zz"),
    "an unknown number of a mode": (
        lambda: np.put(X, [0], 1.0, mode=-9),  # type: ignore[call-overload]
        InvalidArgumentError,
        "RAISE, WRAP, or CLIP",
    ),
}


@pytest.mark.parametrize("name", MALFORMED)
def test_malformed_arguments(name: str) -> None:
    """An argument that NumPy cannot read raises an error of Suanzi that names the function."""
    call, kind, text = MALFORMED[name]
    with pytest.raises(kind, match=rf"^numpy\.\w+: .*{re.escape(text)}"):
        call()
    assert X.tolist() == [1, 2, 3]


def constant(vector: Any, *others: Any) -> None:
    vector[:] = 0


@pytest.mark.parametrize("mode", ["mean", "linear_ramp", "empty", constant])
def test_modes_of_pad_without_counterpart(mode: Any) -> None:
    x: Any = suanzi.ones(3)
    with pytest.raises(InvalidArgumentError, match=r"^numpy\.pad: mode = .* numpy\.asarray\(x\) makes an array"):
        np.pad(x, 1, mode=mode)


@pytest.mark.parametrize("function", [np.partition, np.argpartition])
def test_places_of_a_partition(function: Callable[..., Any]) -> None:
    x = suanzi.tensor([[3.0, 1.0, 2.0]])
    for kth in (3, -4, [0, 7], suanzi.tensor([5], dtype="int64")):
        with pytest.raises(OutOfRangeError, match=rf"numpy\.{function.__name__}: kth = "):
            function(x, kth)
    for kth in ("a", 1.5, None):
        with pytest.raises(TypeMismatchError, match=rf"numpy\.{function.__name__}: kth must be an integer"):
            function(x, kth)
    assert function(x, [0, -1], axis=None).shape == (3,)


def test_integers_beside_floats_are_not_rounded() -> None:
    x = suanzi.tensor([[16777217, 3]], dtype="int32")
    assert np.isin(x, suanzi.tensor([16777216.0])).tolist() == [[False, False]]
    assert np.isin(suanzi.tensor(2, dtype="uint64"), suanzi.tensor([2], dtype="int8")).item()
    with pytest.raises(TypeMismatchError, match="full_like: int is not a tensor"):
        suanzi.array_api.full_like(2, 1, shape=2)  # type: ignore[arg-type]


def test_a_remainder_close_to_zero() -> None:
    dividend, divisor = np.array([4.0, 254.0, 4.0, 4.0]), np.array([-0.96569307])
    assert np.polydiv(suanzi.tensor(dividend), suanzi.tensor(divisor))[1].tolist() == [0.0]
