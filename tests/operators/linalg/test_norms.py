"""matrix_norm, vector_norm and cond return the same numbers as NumPy in extended precision, within rounding errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes

import suanzi
from layouts import LAYOUTS
from operators.linalg.matrices import FLOATING, HALF, INTEGERS, deficient, definite, epsilon, random, tensor, wide
from samples import fails
from suanzi import InvalidArgumentError, OutOfRangeError, TypeMismatchError
from suanzi.conformance.oracle.element_types import Array

VECTOR_ORDERS: list[Any] = [0, 1, 2, 3, 0.5, -1, -2, np.inf, -np.inf]
MATRIX_ORDERS: list[Any] = ["fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf]
BY_SINGULAR_VALUES = ("nuc", 2, -2)


def result_of(dtype: str) -> str:
    if dtype.startswith("complex"):
        return "float64" if dtype == "complex128" else "float32"
    return dtype if "float" in dtype else "float32"


def tolerance(dtype: str) -> float:
    return {"float16": 2e-3, "bfloat16": 1.6e-2}.get(dtype, 200 * epsilon(result_of(dtype)) if dtype not in HALF else 0)


def vector_norm(a: Array, axis: Any, order: float) -> Array:
    """Compute the vector norm of an order along an axis by the definition of the norm."""
    size = np.abs(wide(a))
    if order == np.inf:
        return np.asarray(size.max(axis))
    if order == -np.inf:
        return np.asarray(size.min(axis))
    if order == 0:
        return np.asarray((size != 0).sum(axis).astype(np.longdouble))
    with np.errstate(divide="ignore"):
        return np.asarray((size ** np.longdouble(order)).sum(axis) ** (1 / np.longdouble(order)))


@pytest.mark.parametrize("order", VECTOR_ORDERS)
@pytest.mark.parametrize("dtype", [*FLOATING, *HALF, *INTEGERS])
def test_vector_norm(dtype: str, order: float) -> None:
    base = random((3, 4, 5), "complex128" if dtype.startswith("complex") else "float64") * 9 + 40
    x = suanzi.astype(tensor(base if dtype.startswith("complex") else np.abs(base)), dtype)
    for layout, make in LAYOUTS.items():
        a = x.numpy()
        if layout == "broadcast":
            a = np.ascontiguousarray(np.broadcast_to(a[:1], a.shape))
        for axis in (None, 0, -1, (0, 2), (0, 1, 2)):
            found = suanzi.vector_norm(make(a), axis=axis, ord=order)
            expected = vector_norm(a, axis, order)
            expected = np.where(expected > 65504, np.inf, expected) if dtype == "float16" else expected
            assert found.dtype.name == result_of(dtype)
            assert found.shape == expected.shape
            np.testing.assert_allclose(wide(found).real, expected, rtol=tolerance(dtype), err_msg=f"{layout} {axis}")
            kept = suanzi.vector_norm(make(a), axis=axis, ord=order, keepdims=True)
            assert kept.shape == a.sum(axis, keepdims=True).shape
            assert kept.numpy().tobytes() == found.numpy().tobytes()


@pytest.mark.parametrize("order", [2, 3, 1.5])
@pytest.mark.parametrize(
    ("dtype", "scale"), [("float32", 1e38), ("float32", 1e-40), ("float64", 1e307), ("float64", 1e-300)]
)
def test_powers_do_not_overflow(dtype: str, scale: float, order: float) -> None:
    a = np.array([[3.0, 4.0], [0.0, 0.0], [0.1, 0.2]]) * scale / 2
    expected = vector_norm(a.astype(dtype), 1, order)
    found = suanzi.vector_norm(tensor(a.astype(dtype)), axis=1, ord=order)
    least = float(np.finfo(dtype).smallest_subnormal)
    np.testing.assert_allclose(wide(found).real, expected, rtol=1e-5, atol=2 * least)


@pytest.mark.parametrize("order", [1, 2, 3, np.inf])
def test_special_values(order: float) -> None:
    x = suanzi.tensor([[1.0, np.inf], [np.nan, 1.0], [-np.inf, np.nan], [0.0, -0.0]])
    found = suanzi.vector_norm(x, axis=1, ord=order).numpy()
    assert found[0] == np.inf
    assert np.isnan(found[1:3]).all()
    assert found[3] == 0


def test_norms_of_nothing() -> None:
    for order in (0, 1, 2, 3, np.inf):
        assert suanzi.vector_norm(suanzi.zeros((0,)), ord=order).item() == 0
        assert suanzi.vector_norm(suanzi.zeros((0, 2)), axis=0, ord=order).numpy().tolist() == [0, 0]
        assert suanzi.vector_norm(suanzi.zeros((0, 2)), axis=1, ord=order).shape == (0,)
    for order in (-1, -np.inf):
        with fails(InvalidArgumentError, "vector_norm"):
            suanzi.vector_norm(suanzi.zeros((0,)), ord=order)
    for order in ("fro", "nuc", 1, 2, np.inf):
        assert suanzi.matrix_norm(suanzi.zeros((2, 0, 3)), ord=order).numpy().tolist() == [0, 0]
        assert suanzi.matrix_norm(suanzi.zeros((3, 0)), ord=order).item() == 0
    assert suanzi.vector_norm(suanzi.tensor(-3.0)).item() == 3


@pytest.mark.parametrize("order", MATRIX_ORDERS)
@pytest.mark.parametrize("dtype", [*FLOATING, *HALF, "int32", "bool"])
def test_matrix_norm(dtype: str, order: Any) -> None:
    base = random((2, 3, 5, 4), "complex128" if dtype.startswith("complex") else "float64") * 9
    x = suanzi.astype(tensor(base), dtype)
    for layout, make in LAYOUTS.items():
        a = x.numpy()
        if layout == "broadcast":
            a = np.ascontiguousarray(np.broadcast_to(a[:1], a.shape))
        expected = np.linalg.norm(wide(a).astype(np.complex128), order, (-2, -1))
        found = suanzi.matrix_norm(make(a), ord=order)
        assert found.dtype.name == result_of(dtype)
        np.testing.assert_allclose(wide(found).real, expected, rtol=tolerance(dtype), atol=1e-5, err_msg=layout)
        kept = suanzi.matrix_norm(make(a), ord=order, keepdims=True)
        assert kept.shape == (2, 3, 1, 1)
        assert kept.numpy().tobytes() == found.numpy().tobytes()


@pytest.mark.parametrize("order", [o for o in MATRIX_ORDERS if o != "nuc"])
@pytest.mark.parametrize("dtype", FLOATING)
@pytest.mark.parametrize("n", [1, 3, 16, 20])
def test_cond(n: int, dtype: str, order: Any) -> None:
    a = definite((3, n, n), dtype)
    expected = np.linalg.cond(a.astype(np.complex128), order)
    np.testing.assert_allclose(suanzi.cond(tensor(a), ord=order).numpy(), expected, rtol=1e3 * n * epsilon(dtype))
    a[1] = 0
    a[2, :, 0] = 0
    found = suanzi.cond(tensor(a), ord=order).numpy()
    assert np.isfinite(found[0])
    if order != -2:
        assert found[1] == np.inf
        assert found[2] > 1 / epsilon(dtype) / 10


def test_cond_of_other_shapes() -> None:
    a = random((2, 5, 3), "float64")
    np.testing.assert_allclose(suanzi.cond(tensor(a)).numpy(), np.linalg.cond(a), rtol=1e-12)
    assert suanzi.cond(tensor(deficient((4, 6), "float64"))).item() > 1e14
    with fails(InvalidArgumentError, "cond"):
        suanzi.cond(suanzi.zeros((2, 0, 0)))


@pytest.mark.parametrize("name", ["matrix_norm", "cond"])
@pytest.mark.parametrize(
    ("order", "error"),
    [
        ("max", InvalidArgumentError),
        ("\ud800", InvalidArgumentError),
        (3, InvalidArgumentError),
        (np.nan, InvalidArgumentError),
        (None, TypeMismatchError),
    ],
)
def test_orders_that_are_none(name: str, order: Any, error: Any) -> None:
    with fails(error, name):
        getattr(suanzi, name)(suanzi.ones((2, 2)), ord=order)


def test_vector_norm_refuses() -> None:
    x = suanzi.ones((2, 2))
    with fails(TypeMismatchError, "vector_norm"):
        suanzi.vector_norm(x, ord="fro")  # type: ignore[arg-type]
    with fails(InvalidArgumentError, "vector_norm"):
        suanzi.vector_norm(x, ord=np.nan)
    with fails(OutOfRangeError, "vector_norm"):
        suanzi.vector_norm(x, axis=2)
    with fails(InvalidArgumentError, "matrix_norm"):
        suanzi.matrix_norm(suanzi.tensor([[np.nan, 1.0], [1.0, 1.0]]), ord=2)


@given(
    shape=array_shapes(min_dims=1, max_dims=4, min_side=0, max_side=6),
    order=st.sampled_from([1, 2, 3, np.inf]),
    data=st.data(),
)
@settings(max_examples=60, deadline=None)
def test_any_vector(shape: tuple[int, ...], order: float, data: Any) -> None:
    a = random(shape, "float64")
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    expected = vector_norm(a, axis, order) if shape[axis] else np.zeros(a.sum(axis).shape)
    np.testing.assert_allclose(wide(suanzi.vector_norm(tensor(a), axis=axis, ord=order)).real, expected, rtol=1e-13)


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex128"])
def test_the_nuclear_condition_number_of_a_singular_matrix_is_infinite(dtype: str) -> None:
    matrices = suanzi.tensor(np.stack([np.ones((3, 3)), np.eye(3)]), dtype=dtype)
    assert suanzi.cond(matrices, ord="nuc").tolist() == [np.inf, 9.0]
