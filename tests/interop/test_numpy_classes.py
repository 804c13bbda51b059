"""NumPy's functions accept tensors beside array-like objects. Classes with NumPy's protocols receive the calls."""

from __future__ import annotations

import operator
import subprocess
import sys
from itertools import product
from typing import Any

import numpy as np
import pytest
from like_numpy import assert_like_numpy

import suanzi
from samples import fails
from suanzi import InvalidArgumentError, Tensor, TypeMismatchError

pytestmark = pytest.mark.one_level

A = np.array([[0.25, 0.5, 0.75], [0.125, 0.625, 0.875]])
X = suanzi.tensor(A)


class Foreign:
    """An object that looks like a tensor of another library."""

    def __dlpack__(self, **options: Any) -> Any:
        return A.__dlpack__()

    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0


class Own:
    """A class that implements NumPy's protocols by returning "own"."""

    def __array_ufunc__(self, *args: Any, **kwargs: Any) -> str:
        return "own"

    def __array_function__(self, *args: Any, **kwargs: Any) -> str:
        return "own"


@pytest.mark.parametrize("name", ["array", "asarray", "asanyarray", "ascontiguousarray", "asfortranarray", "require"])
def test_arrays_like_a_tensor(name: str) -> None:
    function = getattr(np, name)
    for data in ([[1, 2], [3, 4]], [1.5], np.arange(6).reshape(2, 3), X, X.T):
        plain = np.asarray(data)
        made = function(data, like=X)
        assert type(made) is Tensor
        assert_like_numpy(made, function(plain))
        assert made.numpy().flags["F_CONTIGUOUS"] or name != "asfortranarray"
        if name[:2] == "as" and "array" in name[-5:] and name != "asfortranarray" and data is X:
            assert made is X
    typed = function(X, dtype="float32", like=X)
    assert typed.dtype is suanzi.float32
    assert not np.shares_memory(np.array(X, like=X).numpy(), X.numpy())


LAYOUTS = {
    "rows": np.arange(6.0).reshape(2, 3),
    "columns": np.arange(6.0).reshape(2, 3).T,
    "steps": np.arange(24.0).reshape(4, 6)[::2, ::2],
    "vector": np.arange(3.0),
    "number": np.array(3.0),
    "other order": np.arange(24.0).reshape(2, 3, 4).transpose(1, 0, 2),
    "read-only": np.frombuffer(np.arange(6.0).tobytes()).reshape(2, 3),
}
REQUIREMENTS = ("C", "F", "A", "W", "E", "CW", ["fortran", "writeable"], None, ["bad"], "CF")
CALLS: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = [
    *(
        ("array", (dtype,), {"copy": copy, "order": order, "ndmin": ndmin})
        for dtype, copy, order, ndmin in product((None, "float32"), (True, False, None), "CFAKf", (0, 3))
    ),
    *(
        (name, (dtype, order), {"copy": copy})
        for name in ("asarray", "asanyarray")
        for dtype, order, copy in product((None, "float32"), ("C", "F", "A", "K", None), (True, False, None))
    ),
    *((name, (dtype,), {}) for name in ("ascontiguousarray", "asfortranarray") for dtype in (None, "float32")),
    *(("require", (dtype, wanted), {}) for dtype in (None, "float32") for wanted in REQUIREMENTS),
    ("require", (), {"requirements": ["F"]}),
    ("array", (), {"ndmax": 3}),
]


@pytest.mark.parametrize("name", LAYOUTS)
def test_options_of_arrays_like_a_tensor(name: str) -> None:
    """NumPy's options decide about the copy, the memory order and the number of dimensions."""
    array = LAYOUTS[name]
    x = suanzi.from_reference(array)
    for function, args, options in CALLS:
        call = getattr(np, function)
        try:
            expected = call(array, *args, **options)
        except (KeyError, ValueError):
            with fails(InvalidArgumentError, f"numpy.{function}"):
                call(x, *args, **options, like=x)
            continue
        tensor = call(x, *args, **options, like=x)
        assert type(tensor) is Tensor
        found = tensor.numpy()
        assert (found.dtype, found.shape, found.tolist()) == (expected.dtype, expected.shape, expected.tolist())
        assert np.shares_memory(found, array) == np.shares_memory(expected, array), (function, args, options)
        for flag in ("C_CONTIGUOUS", "F_CONTIGUOUS", "WRITEABLE"):
            assert found.flags[flag] == expected.flags[flag], (function, args, options)
    assert not np.shares_memory(np.require(x, None, "O", like=x).numpy(), array)


def test_made_like_a_tensor() -> None:
    for make in (
        lambda like: np.arange(2, 9, 3, **like),
        lambda like: np.eye(3, k=1, dtype="int8", **like),
        lambda like: np.full((2, 2), 7.5, **like),
        lambda like: np.identity(2, **like),
        lambda like: np.ones((2, 0), **like),
        lambda like: np.tri(3, 4, -1, dtype=suanzi.float32, **like),
        lambda like: np.zeros(3, bool, **like),
    ):
        made = make({"like": X})
        assert type(made) is Tensor
        assert_like_numpy(made, make({}))
    assert np.empty((2, 3), dtype="f2", like=X).shape == (2, 3)
    assert np.zeros_like(X.T, order="F").layout.order == (0, 1)
    assert np.zeros_like(X.T).layout.order == X.T.layout.order
    assert np.empty_like(X, shape=(5, 1, 2)).shape == (5, 1, 2)
    with fails(InvalidArgumentError, "numpy.ones_like"):
        np.ones_like(X, order="Z")


def test_what_numpy_does_itself(tmp_path: Any) -> None:
    """NumPy's functions of files, text and types convert tensors to arrays."""
    np.save(tmp_path / "x.npy", X)
    assert np.load(tmp_path / "x.npy").tolist() == A.tolist()
    assert np.array2string(X) == np.array2string(A)
    assert np.result_type(X, np.float32) == np.float64
    assert np.shares_memory(X, X.numpy())
    target = np.zeros((2, 3))
    np.copyto(target, X)
    assert target.tolist() == A.tolist()
    assert type(np.asarray(X)) is np.ndarray
    assert not np.iscomplexobj(X)


def test_tensors_of_other_libraries() -> None:
    for call, name in (
        (lambda: X + Foreign(), "add"),
        (lambda: Foreign() * X, "multiply"),
        (lambda: Foreign() == X, "equal"),
        (lambda: X @ Foreign(), "matmul"),
        (lambda: np.add(X, Foreign()), "numpy.add"),
        (lambda: np.concatenate([X, Foreign()]), "numpy.concatenate"),
    ):
        with pytest.raises(TypeMismatchError, match=rf"^{name}: .*Foreign is neither a tensor.*suanzi\.from_dlpack"):
            call()
    with fails(TypeMismatchError, "numpy.add"):
        np.add(X, object())
    with pytest.raises(TypeError, match="unsupported operand"):
        _ = X + object()


def test_classes_with_an_answer_of_their_own() -> None:
    own: Any = Own()
    assert np.add(X, own) == np.add(own, X) == "own"
    assert np.concatenate([X, own]) == "own"


class Lengths(np.ndarray[Any, Any]):
    """A subclass of NumPy's arrays with units. The unit is a power of a metre, and sums need equal units."""

    unit: int | None = None

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, out: Any = (), **options: Any) -> Any:
        plain = [np.asarray(x) for x in inputs]
        units = [x.unit or 0 if isinstance(x, Lengths) else 0 for x in inputs]
        if ufunc is not np.multiply and len(set(units)) > 1:
            raise UnitError(f"{ufunc.__name__}: units {units}")
        unit = sum(units) if ufunc is np.multiply else units[0]
        if out:
            if unit and not all(isinstance(x, Lengths) for x in out):
                raise UnitError(f"out of unit {unit}")
            return getattr(ufunc, method)(*plain, out=out, **options)
        found = getattr(ufunc, method)(*plain, **options)
        return found if found.dtype == bool else lengths(found, unit)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        assert not any(issubclass(kind, Tensor) for kind in types)
        raise UnitError(function.__name__)


class UnitError(TypeError):
    pass


def lengths(values: Any, unit: int | None = 1) -> Any:
    made = np.array(values, float).view(Lengths)
    made.unit = unit
    return made


def test_functions_beside_arrays_with_units() -> None:
    """NumPy's functions of a tensor and an array with a unit ask the array's class, and lose no unit."""
    x, area = suanzi.tensor([1.0, 2.0], dtype="float64"), lengths([3.0, 4.0], 2)
    for found in (area * x, np.multiply(x, area), np.multiply(area, x)):
        assert (type(found), found.unit, found.tolist()) == (Lengths, 2, [3.0, 8.0])
    for call in (
        lambda: np.add(x, area),
        lambda: area - x,
        lambda: np.hypot(area, x),
        lambda: np.where(x > 1, x, area),
        lambda: np.concatenate([x, area]),
        lambda: np.dot(x, area),
        lambda: np.multiply(x, area, out=x),
    ):
        with pytest.raises(UnitError):
            call()
    assert x.tolist() == [1.0, 2.0]
    assert np.add(x, lengths([1.0, 1.0], None), out=x) is x
    assert x.tolist() == [2.0, 3.0]


def test_operators_beside_arrays_with_units() -> None:
    x, area = suanzi.tensor([1.0, 2.0], dtype="float64"), lengths([3.0, 4.0], 2)
    product = x * area
    assert (type(product), product.unit, product.tolist()) == (Lengths, 2, [3.0, 8.0])
    apart = lengths(5.0, 1)
    for call in (
        lambda: x + area,
        lambda: x < apart,
        lambda: x == area,
        lambda: x**apart,
        lambda: x @ area,
        lambda: operator.imul(x, area),
        lambda: operator.ipow(x, area),
        lambda: operator.imatmul(suanzi.ones((2, 2)), lengths(np.ones((2, 2)))),
    ):
        with pytest.raises(UnitError):
            call()
    assert x.tolist() == [1.0, 2.0]
    kept = x
    x *= lengths([2.0, 2.0], None)
    assert x is kept
    assert x.tolist() == [2.0, 4.0]


def test_tensors_of_arrays_with_units() -> None:
    """A tensor has no unit, so an array with a unit does not become a tensor."""
    area = lengths([3.0, 4.0], 2)
    for call, name in (
        (lambda: suanzi.tensor(area), "tensor"),
        (lambda: suanzi.tensor([area, area]), "tensor"),
        (lambda: suanzi.array_api.asarray(area), "asarray"),
        (lambda: suanzi.from_reference(area), "from_reference"),
        (lambda: suanzi.from_dlpack(area), "from_dlpack"),
    ):
        with pytest.raises(TypeMismatchError, match=rf"^{name}: a Lengths has a unit \(2\); use its value"):
            call()
    for unit in (None, ""):
        area.unit = unit
        assert suanzi.tensor(area).tolist() == [3.0, 4.0]


def test_nothing_is_imported_before_it_is_asked_for() -> None:
    code = """
import sys, numpy, suanzi
x = suanzi.ones(2)
x + x, x + numpy.ones(2), suanzi.sin(x)
print(sorted(name for name in sys.modules if name.startswith('suanzi.interop.numpy')))
numpy.sin(x)
print(sorted(name for name in sys.modules if name.startswith('suanzi.interop.numpy')))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    names = [f"suanzi.interop.numpy{part}" for part in ("", ".arguments", ".elements", ".folds", ".ufuncs")]
    assert done.stdout.splitlines() == ["[]", str(names)]
