"""NumPy's ufuncs and functions accept tensors, and Python's operators accept tensors beside arrays.

Results are tensors, which the tests compare with NumPy's results in float64. Functions without a counterpart are
refused.
"""

from __future__ import annotations

import inspect
import math
import operator
import re
from collections.abc import Callable
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.special
from like_numpy import assert_like_numpy

import suanzi
from samples import fails
from suanzi import DimensionsMismatchError, InvalidArgumentError, OutOfRangeError, Tensor, TypeMismatchError
from suanzi.interop.numpy import folds, functions, ufuncs

pytestmark = pytest.mark.one_level

A = np.array([[0.25, 0.5, 0.75], [0.125, 0.625, 0.875]])
B = np.array([[0.5, 0.25, 2.0], [1.5, 0.75, 0.5]])
X, Y = suanzi.tensor(A), suanzi.tensor(B)
SQUARE = np.array([[4.0, 1.0], [1.0, 3.0]])
OPERATORS = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "lt", "le", "gt", "ge", "eq", "ne")
UFUNCS = {name: f for name, f in vars(np).items() if isinstance(f, np.ufunc) and f.__name__ == name}


@pytest.mark.parametrize("name", UFUNCS)
def test_ufuncs(name: str) -> None:
    """Each ufunc returns the same results for tensors as for arrays. Only NumPy's own ufuncs of dates are refused."""
    ufunc = UFUNCS[name]
    arrays = [A, B][: ufunc.nin]
    if name in ("matmul", "vecdot", "matvec", "vecmat"):
        arrays = {"matmul": [SQUARE, SQUARE], "matvec": [A, B[0]], "vecmat": [SQUARE[0], A]}.get(name, arrays)
    elif not any(t.startswith("d" * ufunc.nin) for t in ufunc.types):
        kind = np.bool_ if name.startswith("logical") else np.int64
        arrays = [np.array([1, 0, 6]).astype(kind), np.array([3, 1, 2]).astype(kind)][: ufunc.nin]
    tensors = [suanzi.tensor(a) for a in arrays]
    if name == "isnat":
        with fails(TypeMismatchError, f"numpy.{name}"):
            ufunc(*tensors)
        return
    if name == "arccosh":
        arrays, tensors = [A + 1], [X + 1]
    assert_like_numpy(ufunc(*tensors), ufunc(*arrays))
    assert_like_numpy(ufunc(*arrays[:-1], tensors[-1]), ufunc(*arrays))
    assert_like_numpy(ufunc(tensors[0], *arrays[1:]), ufunc(*arrays))
    expected = ufunc(*arrays)
    for make in (suanzi.tensor, np.array):
        targets = tuple(make(np.zeros_like(part)) for part in (expected if ufunc.nout > 1 else [expected]))
        found = ufunc(*tensors, out=targets)
        for part, target in zip(found if ufunc.nout > 1 else [found], targets, strict=True):
            assert part is target
        assert_like_numpy(list(map(suanzi.tensor, targets)), expected if ufunc.nout > 1 else [expected])


def test_which_ufuncs_there_are() -> None:
    known = {name for name, ufunc in UFUNCS.items() if ufuncs.counterpart(ufunc)}
    assert {"sin", "add", "arctan2", "power", "absolute", "isnan", "matmul", "divmod", "invert", "conjugate"} <= known
    assert len(known) > 55
    assert_like_numpy(scipy.special.erf(X), scipy.special.erf(A))
    assert_like_numpy(scipy.special.expit(X), scipy.special.expit(A))


def test_text_in_ufuncs_that_numpy_computes() -> None:
    text = suanzi.tensor(["a", "bcd"])
    assert_like_numpy(np.strings.str_len(text), np.array([1, 3]))
    assert_like_numpy(np.strings.find(text, "c"), np.array([-1, 1]))
    upper = np.strings.upper(text)
    assert type(upper) is np.ndarray
    assert upper.tolist() == ["A", "BCD"]


SCIPYS = {name: f for name, f in vars(scipy.special).items() if isinstance(f, np.ufunc) and ufuncs.counterpart(f)}


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int16", "int32", "int64", "uint64"])
@pytest.mark.parametrize("name", SCIPYS)
def test_integers_in_scipys_ufuncs(name: str, dtype: str) -> None:
    assert {"erf", "erfc", "expit", "exp2", "cbrt", "log1p", "expm1", "round"} <= set(SCIPYS)
    array = np.array([0, 1, 5, 120]).astype(dtype)
    found, expected = SCIPYS[name](suanzi.tensor(array)), SCIPYS[name](array)
    assert_like_numpy(found, expected)
    assert found.dtype == expected.dtype


@pytest.mark.parametrize("name", OPERATORS)
def test_operators_beside_arrays(name: str) -> None:
    apply = getattr(operator, name)
    for pair in ((X, B), (A, Y)):
        found = apply(*pair)
        assert isinstance(found, Tensor)
        np.testing.assert_allclose(found.numpy(), apply(A, B))
    scalar = np.array(2.0)
    assert_like_numpy(apply(X, scalar), apply(A, scalar))
    assert_like_numpy(apply(scalar, X), apply(scalar, A))


def test_matrix_products_beside_arrays() -> None:
    x = suanzi.tensor(SQUARE)
    for found in (x @ SQUARE, SQUARE @ x, np.matmul(SQUARE, x)):
        assert_like_numpy(found, SQUARE @ SQUARE)


@pytest.mark.parametrize("shape", [(3, 3), (3,), (2, 3, 3)])
def test_matrix_products_in_place(shape: tuple[int, ...]) -> None:
    """In ``array @= x``, NumPy names the default axes of `matmul`."""
    start, matrix = np.arange(1.0, np.prod(shape) + 1).reshape(shape), np.arange(9.0).reshape(3, 3)
    array = before = start.copy()
    array @= suanzi.tensor(matrix)
    assert array is before
    np.testing.assert_array_equal(array, np.matmul(start, matrix))
    array[...] = start
    if len(shape) == 2:
        array @= suanzi.from_reference(array)  # both operands and the result share memory
        np.testing.assert_array_equal(array, np.matmul(start, start))
    for refused in (np.ones(3), np.ones((4, 3, 3))):
        with pytest.raises(ValueError, match=r"matri|operand"):
            array @= refused
        with pytest.raises(ValueError, match=r"matmul: "):
            array @= suanzi.tensor(refused)


AXES: list[tuple[str, Any, Any, list[Any], list[Any]]] = [
    ("matmul", A, A.T, [(-2, -1), (-2, -1), (-2, -1)], [(-1, -2), (-2, -1), (-2, -1)]),
    ("matmul", A, A[0], [(-2, -1), -1, -1], [(-2, -1), -1, 0]),
    ("matvec", A, A[0], [(-2, -1), (-1,), -1], [(-2, -1), 0, -1]),
    ("vecmat", A[0], A.T, [-1, (-2, -1), -1], [-1, (-1, -2), -1]),
    ("vecdot", A, A, [-1, -1], [0, 0]),
    ("vecdot", A, A, [-1, (-1,), ()], [0, 0, ()]),
]


@pytest.mark.parametrize(("name", "x", "y", "default", "other"), AXES)
def test_axes_of_products(name: str, x: Any, y: Any, default: list[Any], other: list[Any]) -> None:
    product = getattr(np, name, None)
    if product is None:
        pytest.skip(f"needs a NumPy with {name}")
    assert_like_numpy(product(suanzi.tensor(x), y, axes=default), product(x, y, axes=default))
    with pytest.raises(InvalidArgumentError, match=rf"^numpy.{name}: axes = "):
        product(suanzi.tensor(x), y, axes=other)


def test_types_promote_as_ours() -> None:
    x = suanzi.ones(2)
    assert (np.ones(2, np.int64) + x).dtype is (x + np.ones(2, np.int64)).dtype is suanzi.float32
    assert (np.float64(2) + x).dtype is (x * np.float64(2)).dtype is np.add(x, 1).dtype is suanzi.float32
    assert (np.ones(2) + x).dtype is suanzi.float64
    for mixed in (lambda: suanzi.ones(2, dtype="int64") + np.ones(2, np.uint64), lambda: x + np.array(["a", "b"])):
        with pytest.raises(TypeMismatchError, match=r"^add: .* have no common type"):
            mixed()
    with fails(TypeMismatchError, "add"):
        _ = x + np.array([object()] * 2)


def test_in_place() -> None:
    x, a = suanzi.zeros(3), np.zeros(3, np.float32)
    same, array = x, a
    x += np.arange(3, dtype=np.float32)
    a += suanzi.arange(3)
    assert x is same
    assert a is array
    assert x.tolist() == a.tolist() == [0, 1, 2]
    with pytest.raises(TypeMismatchError, match="out"):
        np.add(a.astype(np.int32), suanzi.ones(3), out=np.zeros(3, np.int32))


def test_arrays_of_other_layouts_and_bytes() -> None:
    for a in (A[::-1, ::2], A.T, A.astype(">f8"), np.asfortranarray(A)):
        assert_like_numpy(suanzi.tensor(np.ascontiguousarray(a)) + a, a + a)


def test_masked_arrays() -> None:
    """Masked arrays with elements missing are refused, because their masks would be lost."""
    masked = np.ma.masked_array(A, A > 0.5)
    for mixed in (lambda: X + masked, lambda: np.add(masked, X), lambda: np.add(X, masked)):
        with pytest.raises(TypeMismatchError, match=r"add: a MaskedArray has elements missing"):
            mixed()
    for make in (suanzi.tensor, suanzi.from_reference, suanzi.from_dlpack):
        with pytest.raises(TypeMismatchError, match=rf"^{make.__name__}: a MaskedArray has elements missing"):
            make(masked)
    for data in ([masked, A], [[1.0, np.ma.masked]]):
        with pytest.raises(TypeMismatchError, match=r"^tensor: a Masked\w+ has elements missing"):
            suanzi.tensor(data)
    assert_like_numpy(X + masked.filled(0), A + masked.filled(0))
    for whole in (np.ma.masked_array(A), np.ma.masked_array(A, np.zeros(A.shape, bool))):
        for make in (suanzi.tensor, suanzi.from_reference, suanzi.from_dlpack):
            assert_like_numpy(make(whole), A)
        assert_like_numpy(X + whole, A + A)


def test_out_and_where() -> None:
    out, array = suanzi.zeros((2, 3), dtype="float64"), np.zeros((2, 3))
    assert np.add(X, B, out=out) is out
    assert np.add(X, B, out=array) is array
    assert out.tolist() == array.tolist() == (A + B).tolist()
    mask = np.array([True, False, True])
    expected = np.multiply(A, B, out=A.copy(), where=mask)
    for given in (mask, suanzi.tensor(mask)):
        assert_like_numpy(np.multiply(X, Y, out=suanzi.clone(X), where=given), expected)
    with fails(InvalidArgumentError, "numpy.add"):
        np.add(X, Y, where=mask)
    assert np.sqrt(suanzi.ones(2), dtype=np.float64).dtype is suanzi.float64
    with fails(InvalidArgumentError, "numpy.add"):
        np.add(X, Y, order="F")
    assert_like_numpy(np.add(X, Y, order="K", casting="same_kind", subok=True), A + B)


@pytest.mark.parametrize("name", folds.FOLDS)
def test_reductions_of_ufuncs(name: str) -> None:
    ufunc = getattr(np, name)
    integers = not any(loop.startswith("dd") for loop in ufunc.types)
    a = A > 0.5 if name.startswith("logical") else (40 * A).astype(np.int64) if integers else A
    x = suanzi.tensor(a)
    for options in ({}, {"axis": 1}, {"axis": None}, {"axis": (0, 1), "keepdims": True}):
        assert_like_numpy(ufunc.reduce(x, **options), ufunc.reduce(a, **options))
    if integers:
        assert_like_numpy(ufunc.reduce(x, initial=6), ufunc.reduce(a, initial=6))
    elif not name.startswith("logical"):
        assert_like_numpy(ufunc.reduce(x, initial=0.3), ufunc.reduce(a, initial=0.3))
        where = np.array([[True, False, True], [True, True, False]])
        assert_like_numpy(ufunc.reduce(x, where=where, initial=0.5), ufunc.reduce(a, where=where, initial=0.5))
    if folds.FOLDS[name].accumulate:
        assert_like_numpy(ufunc.accumulate(x), ufunc.accumulate(a))
        assert_like_numpy(ufunc.accumulate(x, axis=1), ufunc.accumulate(a, axis=1))
    out = np.empty(3, a.dtype)
    assert ufunc.reduce(x, out=out) is out
    assert out.tolist() == ufunc.reduce(a).tolist()


def test_other_methods_of_ufuncs() -> None:
    assert_like_numpy(np.multiply.outer(X, B[0]), np.multiply.outer(A, B[0]))
    assert_like_numpy(np.subtract.outer(B[0], X), np.subtract.outer(B[0], A))
    for call, name in (
        (lambda: np.add.at(suanzi.tensor(["a"]), [0], "b"), "numpy.add.at"),
        (lambda: np.heaviside.reduce(X), "numpy.heaviside.reduce"),
        (lambda: np.subtract.reduce(X), "numpy.subtract.reduce"),
        (lambda: np.subtract.accumulate(X), "numpy.subtract.accumulate"),
        (lambda: np.logical_and.accumulate(X), "numpy.logical_and.accumulate"),
    ):
        with fails(TypeMismatchError, name):
            call()
    with fails(InvalidArgumentError, "numpy.maximum.reduce"):
        np.maximum.reduce(X, where=A > 0.5)
    with fails(OutOfRangeError, "numpy.add.at"):
        np.add.at(suanzi.zeros(3), [5], 1)


def test_sums_at_positions() -> None:
    """`at` writes into the memory of a tensor or an array, and `reduceat` returns a tensor."""
    positions = suanzi.tensor([0, 0, 2], dtype="int64")
    for target in (suanzi.zeros(3, dtype="float64"), np.zeros(3), suanzi.zeros(3, dtype="bfloat16")):
        np.add.at(target, positions, suanzi.ones(3, dtype="float32" if target.dtype == "float64" else target.dtype))
        assert target.tolist() == [2.0, 0.0, 1.0]
    assert_like_numpy(np.add.reduceat(X, [0, 1], axis=1), np.add.reduceat(A, [0, 1], axis=1))
    assert_like_numpy(np.maximum.reduceat(A[0], positions), np.maximum.reduceat(A[0], [0, 0, 2]))


# The arguments of each NumPy function: `x` and `y` are matrices, `s` is a square matrix, and `i` has integers.
CALLS: dict[str, list[Callable[..., Any]]] = {
    **{
        name: [lambda f, x, y, s, i: f(x), lambda f, x, y, s, i: f(x, axis=1, keepdims=True)]
        for name in ("sum", "prod", "max", "min", "amax", "amin", "mean", "std", "var", "argmax", "argmin", "median")
    },
    **{name: [lambda f, x, y, s, i: f(x), lambda f, x, y, s, i: f(x, 0)] for name in ("cumsum", "cumprod", "diff")},
    **{name: [lambda f, x, y, s, i: f(x > 0.5), lambda f, x, y, s, i: f(x > 0.5, axis=0)] for name in ("all", "any")},
    **{
        f"nan{name}": [lambda f, x, y, s, i: f(x), lambda f, x, y, s, i: f(x, 0)]
        for name in ("sum", "prod", "max", "min", "mean", "var", "std", "median", "argmax", "argmin")
    },
    **{name: [lambda f, x, y, s, i: f([x, y]), lambda f, x, y, s, i: f((y, x))] for name in ("hstack", "vstack")},
    **{
        name: [lambda f, x, y, s, i: f([x, y], 1), lambda f, x, y, s, i: f([x, y], axis=0)]
        for name in ("concatenate", "stack")
    },
    **{
        name: [lambda f, x, y, s, i: f(s)]
        for name in (
            *("linalg.inv", "linalg.det", "linalg.cholesky", "linalg.eigvalsh", "linalg.matrix_rank", "linalg.cond"),
            *("linalg.norm", "linalg.svdvals", "linalg.slogdet", "linalg.pinv", "linalg.vector_norm", "diag"),
            *(
                "linalg.matrix_norm",
                "diagonal",
                "tril",
                "triu",
                "ravel",
                "transpose",
                "squeeze",
                "flip",
                "rot90",
            ),
            *("sort", "argsort", "nonzero", "real", "imag", "copy", "shape", "size", "ndim"),
            *("zeros_like", "ones_like", "matrix_transpose", "count_nonzero", "fft.fft", "fft.ifft"),
            *("fft.rfft", "fft.fftn", "fft.fftshift", "fft.ifftshift", "fft.rfftn", "fft.hfft", "fft.ihfft"),
            *("fft.fft2", "fft.ifft2", "fft.rfft2", "fft.irfft2", "sinc", "fix", "isreal", "iscomplex"),
            *("fft.irfft", "fft.ifftn", "fft.irfftn", "round", "around", "histogram", "broadcast_arrays"),
        )
    },
    **{name: [lambda f, x, y, s, i: f(x, y)] for name in ("array_equal", "kron", "outer", "cross")},
    **{
        name: [lambda f, x, y, s, i: f(x, y), lambda f, x, y, s, i: f(x, y, 0, y[0, 1])]
        for name in ("isclose", "allclose")
    },
    **{
        name: [lambda f, x, y, s, i: f(x), lambda f, x, y, s, i: f(x, y), lambda f, x, y, s, i: f(x[0], y[0])]
        for name in ("cov", "corrcoef")
    },
    **{name: [lambda f, x, y, s, i: f(s, s)] for name in ("dot", "linalg.solve", "tensordot")},
    **{
        name: [lambda f, x, y, s, i: f(x, 0.4), lambda f, x, y, s, i: f(x, [0.1, 0.9], axis=1)]
        for name in ("quantile",)
    },
    "meshgrid": [lambda f, x, y, s, i: f(x[0], y[1], indexing="ij")],
    "nanquantile": [lambda f, x, y, s, i: f(x, 0.4, method="hazen")],
    "percentile": [lambda f, x, y, s, i: f(x, [25, 50], axis=0)],
    "nanpercentile": [lambda f, x, y, s, i: f(x, 75)],
    **{
        name: [
            lambda f, x, y, s, i: f(np.where(x > 0.6, np.nan, x)),
            lambda f, x, y, s, i: f(x, axis=0),
            lambda f, x, y, s, i: f(i),
        ]
        for name in ("nancumsum", "nancumprod")
    },
    **{
        f"atleast_{rank}d": [
            lambda f, x, y, s, i: f(x),
            lambda f, x, y, s, i: f(x[0]),
            lambda f, x, y, s, i: f(np.sum(x), x, [1.0, 2.0]),
        ]
        for rank in (1, 2, 3)
    },
    "average": [
        lambda f, x, y, s, i: f(x, 1),
        lambda f, x, y, s, i: f(x, weights=y),
        lambda f, x, y, s, i: f(x, 0, weights=[0.25, 0.5], keepdims=True),
        lambda f, x, y, s, i: f(np.stack([x, y]), (2, 0), weights=np.stack([x[0], x[1]], axis=1)),
    ],
    "trace": [lambda f, x, y, s, i: f(s), lambda f, x, y, s, i: f(s, 1, dtype=np.int64)],
    "unique": [
        lambda f, x, y, s, i: f(s),
        lambda f, x, y, s, i: f(np.where(x > 0.6, np.nan, x), equal_nan=False, return_counts=True, return_index=True),
        lambda f, x, y, s, i: f(np.where(x > 0.6, np.nan, x), equal_nan=False),
        lambda f, x, y, s, i: f(s, axis=0, return_inverse=True),
    ],
    **{
        f"unique_{part}": [lambda f, x, y, s, i: f(s), lambda f, x, y, s, i: f(np.where(s > 2, np.nan, s))]
        for part in ("all", "counts", "inverse", "values")
    },
    "column_stack": [lambda f, x, y, s, i: f((x[0], y[1])), lambda f, x, y, s, i: f([x, y, x[:, 0]])],
    "isin": [lambda f, x, y, s, i: f(x, y), lambda f, x, y, s, i: f(x, [0.25, 3.0], invert=True)],
    "pad": [
        lambda f, x, y, s, i: f(x, ((1, 0), (0, 2)), constant_values=7),
        lambda f, x, y, s, i: f(x, 1, mode="edge"),
        lambda f, x, y, s, i: f(x, (2, 1), constant_values=(3, 3)),
    ],
    "cumulative_sum": [lambda f, x, y, s, i: f(x, axis=1, include_initial=True)],
    "cumulative_prod": [lambda f, x, y, s, i: f(x, axis=0)],
    "bincount": [lambda f, x, y, s, i: f(i, minlength=5)],
    "split": [
        lambda f, x, y, s, i: f(x, 3, axis=1),
        lambda f, x, y, s, i: f(x, [1, -1], 1),
        lambda f, x, y, s, i: f(x, [9]),
    ],
    "array_split": [lambda f, x, y, s, i: f(x, 2, axis=-1)],
    "unstack": [lambda f, x, y, s, i: f(x, axis=1)],
    "tile": [lambda f, x, y, s, i: f(x, (2, 1))],
    "repeat": [lambda f, x, y, s, i: f(x, 2), lambda f, x, y, s, i: f(x, 2, axis=1)],
    "reshape": [lambda f, x, y, s, i: f(x, (3, 2)), lambda f, x, y, s, i: f(x, -1)],
    "permute_dims": [lambda f, x, y, s, i: f(x, (1, 0))],
    "swapaxes": [lambda f, x, y, s, i: f(x, 0, 1)],
    "moveaxis": [lambda f, x, y, s, i: f(x, 0, -1)],
    "expand_dims": [lambda f, x, y, s, i: f(x, axis=0)],
    "broadcast_to": [lambda f, x, y, s, i: f(x, (4, 2, 3))],
    "roll": [lambda f, x, y, s, i: f(x, 1, axis=1)],
    "where": [lambda f, x, y, s, i: f(x > 0.5, x, 0), lambda f, x, y, s, i: f(x > 0.5)],
    "clip": [lambda f, x, y, s, i: f(x, 0.3, 0.6), lambda f, x, y, s, i: f(x, None, 0.6)],
    "take": [lambda f, x, y, s, i: f(x, i), lambda f, x, y, s, i: f(x, [0, 2], axis=1)],
    "take_along_axis": [lambda f, x, y, s, i: f(x, np.array([[0, 1, 0]]), 0)],
    "searchsorted": [lambda f, x, y, s, i: f(x[0], y[1], side="right")],
    "full_like": [
        lambda f, x, y, s, i: f(x, 7),
        lambda f, x, y, s, i: f(x, 7, shape=4, dtype="int32", order="C"),
        lambda f, x, y, s, i: f(i, 7, shape=(2, 0)),
    ],
    "einsum": [
        lambda f, x, y, s, i: f("ij,kj->ik", x, y),
        lambda f, x, y, s, i: f("ij,kj->ik", x, y, optimize="greedy", dtype="float64", order="C"),
        lambda f, x, y, s, i: f(x, [0, 1], y, (2, 1)),
        lambda f, x, y, s, i: f(x, [30, 1], y, [2, 1], [2, 30], optimize=True),
        lambda f, x, y, s, i: f(x, [..., 1], [...]),
        lambda f, x, y, s, i: f(x, [1, 0]),
        lambda f, x, y, s, i: f(x, np.array([0, 51]), []),
    ],
    "partition": [  # the order of the elements on each side may differ
        lambda f, x, y, s, i: np.sort(f(x, 1, axis=1)[:, :1]),
        lambda f, x, y, s, i: f(x, 2, axis=None)[2],
    ],
    "argpartition": [lambda f, x, y, s, i: f(x, 1)[:, 1], lambda f, x, y, s, i: f(x, -1)[:, -1]],
    "digitize": [
        lambda f, x, y, s, i: f(x, [0.1, 0.5, 0.5]),
        lambda f, x, y, s, i: f(s, [0.1, 0.5, 2.0], right=True),
        lambda f, x, y, s, i: f(s, [2.0, 0.5, 0.1], True),
        lambda f, x, y, s, i: f(s, [2.0, 0.5, 0.1]),
        lambda f, x, y, s, i: f(x, [0.5]),
    ],
    "interp": [
        lambda f, x, y, s, i: f(x, [0.2, 0.4, 0.7], [1.0, 3.0, -1.0]),
        lambda f, x, y, s, i: f(s, [0.2, 0.4], [1.0, 3.0], left=-7, right=9),
        lambda f, x, y, s, i: f(x, [0.5], [3.0]),
    ],
    "linspace": [
        lambda f, x, y, s, i: f(x, 3, 5),
        lambda f, x, y, s, i: f(x, x + 1, num=4, endpoint=False, axis=-1),
        lambda f, x, y, s, i: f(x, 2, 1),
        lambda f, x, y, s, i: f(0.0, x, 3, dtype="float32"),
    ],
    "unravel_index": [lambda f, x, y, s, i: f(i, (2, 3)), lambda f, x, y, s, i: f(i, 5)],
    "ravel_multi_index": [lambda f, x, y, s, i: f((i, i + 1), (2, 3))],
    "i0": [lambda f, x, y, s, i: f(x), lambda f, x, y, s, i: f(-30 * s)],
    "nan_to_num": [
        lambda f, x, y, s, i: f(x * np.inf),
        lambda f, x, y, s, i: f(np.where(x > 0.5, np.nan, x * -np.inf), nan=7, neginf=9),
        lambda f, x, y, s, i: f(i),
    ],
    "linalg.lstsq": [
        lambda f, x, y, s, i: f(s, s[0])[0],
        lambda f, x, y, s, i: f(x.T, x.T, rcond=-1)[:2],
        lambda f, x, y, s, i: f(x, x[:, 0])[1:],
    ],
    "linalg.qr": [lambda f, x, y, s, i: [abs(part) for part in f(s)]],
    "linalg.svd": [lambda f, x, y, s, i: f(s)[1], lambda f, x, y, s, i: f(x, full_matrices=False)[1]],
    "linalg.eigh": [lambda f, x, y, s, i: f(s)[0]],
    "linalg.eigvals": [lambda f, x, y, s, i: np.sort(np.real(f(s)))],
    "linalg.eig": [lambda f, x, y, s, i: np.sort(np.real(f(s)[0]))],
    "linalg.matrix_power": [lambda f, x, y, s, i: f(s, 3)],
}
# Functions whose numbers are not compared.
WITHOUT = {
    "lib.stride_tricks.sliding_window_view",
    "empty_like",
    "concat",
    "trapz",
    "in1d",
}  # functions without a counterpart, or renamed functions
I = np.array([1, 0, 1], np.int64)  # noqa: E741


@pytest.mark.parametrize("name", CALLS)
def test_functions(name: str) -> None:
    try:
        function = attrgetter(name)(np)
    except AttributeError:
        pytest.skip(f"this NumPy has no {name}")
    for call in CALLS[name]:
        tensors = X, Y, suanzi.tensor(SQUARE), suanzi.tensor(I)
        assert_like_numpy(call(function, *tensors), call(function, A, B, SQUARE, I))
        if "y" in inspect.getsource(call).partition(": f(")[2].partition(")")[0]:  # `f` accepts arrays beside tensors
            assert_like_numpy(call(function, X, B, SQUARE, I), call(function, A, B, SQUARE, I))


def test_all_rows_are_tested() -> None:
    assert functions._ROWS.keys() - CALLS.keys() - called_elsewhere() <= WITHOUT


def called_elsewhere() -> set[str]:
    """Return the names of the functions that the lines of numpy_calls.txt call."""
    text = (Path(__file__).parent / "numpy_calls.txt").read_text(encoding="utf-8")
    return set(re.findall(r"np\.([\w.]+)\(", text))


@pytest.mark.parametrize("name", functions._ROWS)
def test_parameters_are_those_of_numpy(name: str) -> None:
    """The implementations of NumPy's functions for tensors have the same parameters in the same order as in NumPy."""
    try:
        function = attrgetter(name)(np)
        parameters = inspect.signature(function).parameters.values()
    except (AttributeError, ValueError):
        return
    row = functions._row(function, *functions._ROWS[name])
    by_position = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    if not row.many and "args" not in {p.name for p in parameters}:
        assert [p for p in row.parameters if p in by_position] == by_position[: len(row.parameters)] or set(
            by_position
        ) >= set(row.parameters)


def test_keywords_without_counterpart() -> None:
    for call, word in (
        (lambda: np.mean(X, where=A > 0), "where"),
        (lambda: np.std(X, mean=3), "mean"),
        (lambda: np.unique(X, axis=0, equal_nan=False), "equal_nan"),
    ):
        with pytest.raises(InvalidArgumentError, match=rf"^numpy\.\w+: {word} = .* has no counterpart in suanzi"):
            call()
    with fails(InvalidArgumentError, "numpy.pad"):
        np.pad(X, 1, constant_values=(1, 2))


def test_weights_that_do_not_fit() -> None:
    for axis, weights in ((None, [1.0, 2.0]), (1, [1.0, 2.0]), ((0, 1), [1.0, 2.0, 3.0])):
        with pytest.raises(DimensionsMismatchError, match=r"^numpy\.average: weights of shape"):
            np.average(X, axis, weights=weights)
    with pytest.raises(InvalidArgumentError, match=r"^numpy\.average: the weights sum to 0"):
        np.average(X, 0, weights=[1.0, -1.0])


def test_broadcasting_beside_none() -> None:
    """`broadcast_arrays` accepts None beside tensors, because Matplotlib's bars pass None as a width."""
    tensor, number, nothing = np.broadcast_arrays(X, 2.0, None)
    assert isinstance(tensor, Tensor)
    assert isinstance(number, Tensor)
    assert number.tolist() == [[2.0] * 3] * 2
    assert isinstance(nothing, np.ndarray)
    assert nothing.tolist() == [[None] * 3] * 2


def test_out_of_functions() -> None:
    out, array = suanzi.zeros(3, dtype="float64"), np.zeros(3)
    assert np.sum(X, axis=0, out=out) is out
    assert np.sum(X, axis=0, out=array) is array
    assert out.tolist() == array.tolist() == A.sum(axis=0).tolist()
    place = suanzi.zeros((), dtype="int64")
    assert np.argmax(X[0], out=place) is place
    assert place.item() == 2
    with pytest.raises(TypeMismatchError, match=r"^numpy\.sum: out= cannot hold"):
        np.sum(X, axis=0, out=np.zeros(3, np.int8))


def test_functions_without_counterpart() -> None:
    with pytest.raises(TypeMismatchError, match=r"^numpy\.is_busday: suanzi has no counterpart; numpy\.asarray"):
        np.is_busday(X)


def test_what_is_not_taken_may_have_the_value_that_numpy_has_there() -> None:
    """A parameter that Suanzi does not support accepts NumPy's default, because some libraries pass defaults."""
    i = np.array([[0, 1], [1, 2]])
    t = suanzi.from_reference(i)
    assert np.ravel_multi_index((t, t), (3, 3), mode="raise", order="C").tolist() == (4 * i).tolist()
    assert np.average(X, returned=False).item() == pytest.approx(A.mean())
    for call, parameter in (
        (lambda: np.cross(A[0], X[0], axisa=1), "axisa"),
        (lambda: np.median(X, overwrite_input=True), "overwrite_input"),
        (lambda: np.median(X, overwrite_input=0), "overwrite_input"),
    ):
        with pytest.raises(InvalidArgumentError, match=parameter):
            call()


def test_values_that_are_refused() -> None:
    with fails(InvalidArgumentError, "numpy.digitize"):
        np.digitize(X, [1, 3, 2])
    with fails(InvalidArgumentError, "numpy.unravel_index"):
        np.unravel_index(suanzi.tensor([6], dtype="int64"), (2, 3))
    with fails(InvalidArgumentError, "numpy.ravel_multi_index"):
        np.ravel_multi_index((suanzi.from_reference(I), suanzi.tensor([-1] * 3, dtype="int8")), (2, 3))


def test_numbers_for_nan_in_place() -> None:
    x = suanzi.tensor([1.0, float("nan"), float("inf")])
    assert np.nan_to_num(x, copy=False, posinf=5) is x
    assert x.tolist() == [1, 0, 5]
    values = np.nan_to_num(suanzi.tensor([math.nan, math.nan, math.inf]), nan=[7, 8, 9], posinf=np.array([1, 2, 3]))
    assert values.tolist() == [7, 8, 3]
    z = suanzi.tensor([complex("nan+1j")], dtype="complex64")
    assert np.nan_to_num(z).tolist() == [1j]
