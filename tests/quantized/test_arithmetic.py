"""Quantized arithmetic returns results within one step of exact fractions. Comparisons are exact."""

from __future__ import annotations

import operator as py
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from quantization import PER_TENSOR, TYPES, exact, made, operands, within_one_step

import suanzi
from samples import fails
from suanzi import (
    QuantizedTensor,
    TypeMismatchError,
)

ELEMENTWISE: dict[str, Callable[[Any, Any], Any]] = {
    "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b,
    "multiply": lambda a, b: a * b,
    "maximum": np.maximum,
    "minimum": np.minimum,
}


@pytest.mark.parametrize("operator", ELEMENTWISE)
@given(pair=operands())
def test_elementwise_within_one_step(operator: str, pair: tuple[QuantizedTensor, QuantizedTensor]) -> None:
    result = getattr(suanzi, operator)(*pair)
    assert isinstance(result, QuantizedTensor)
    within_one_step(result, ELEMENTWISE[operator](*map(exact, pair)))


@pytest.mark.parametrize("operator", ["add", "subtract", "multiply"])
@given(pair=operands(PER_TENSOR), scale=st.floats(2.0**-12, 2.0**12, width=32), name=st.sampled_from(PER_TENSOR))
def test_elementwise_into_given_parameters(
    operator: str, pair: tuple[QuantizedTensor, QuantizedTensor], scale: float, name: str
) -> None:
    expected = ELEMENTWISE[operator](*map(exact, pair))
    out = suanzi.quantized_tensor(np.shape(expected), scale=scale, dtype=name)
    assert getattr(suanzi, operator)(*pair, out=out) is out
    within_one_step(out, expected, saturating=True)


def test_sums_that_cancel_are_exact() -> None:
    x = suanzi.quantized_tensor(None, np.array([32767, -32767], np.int16), scale=1e30)
    assert (x - x).tolist() == [0, 0]
    y = suanzi.quantized_tensor(None, np.array([32767], np.int16), scale=3.0)
    z = suanzi.quantized_tensor(None, np.array([32766], np.int16), scale=3.0)
    out = suanzi.quantized_tensor(1, scale=2.0**-3)
    assert suanzi.subtract(y, z, out=out).tolist() == [3.0]


MATRICES = [
    ((3, 4), (4, 5)),
    ((1, 700), (700, 1)),
    ((60, 1), (1, 60)),
    ((0, 4), (4, 5)),
    ((3, 0), (0, 5)),
    ((4,), (4, 5)),
    ((3, 4), (4,)),
    ((4,), (4,)),
    ((2, 3, 4), (4, 5)),
    ((2, 1, 3, 4), (5, 4, 2)),
]


@pytest.mark.parametrize("shapes", MATRICES)
@pytest.mark.parametrize("first", PER_TENSOR)
@pytest.mark.parametrize("second", ["qint8", "quint16"])
def test_matmul_within_one_step(first: str, second: str, shapes: tuple[Any, Any]) -> None:
    rng = np.random.default_rng(3)
    x, y = (made(rng, shape, name) for shape, name in zip(shapes, (first, second), strict=True))
    expected = np.asarray(np.dot(exact(x), exact(y)) if max(map(len, shapes)) < 3 else exact(x) @ exact(y))
    within_one_step(suanzi.matmul(x, y), expected)
    out = suanzi.quantized_tensor(expected.shape, scale=1.0, dtype=first)
    within_one_step(suanzi.matmul(x, y, out=out), expected, saturating=True)


@pytest.mark.parametrize(
    ("shapes", "axes"),
    [
        (((3, 4), (4, 5)), (None, 1)),
        (((3, 4), (4, 5)), (0, None)),
        (((3, 4), (4, 5)), (0, 1)),
        (((4,), (4, 5)), (None, 1)),
        (((3, 4), (4,)), (0, None)),
        (((2, 3, 4), (4, 5)), (0, 1)),
        (((2, 3, 4), (2, 4, 5)), (1, 0)),
        (((2, 3, 4), (4,)), (0, None)),
        (((4,), (2, 4, 5)), (None, 0)),
    ],
)
def test_matmul_with_channels(shapes: tuple[Any, Any], axes: tuple[int | None, int | None]) -> None:
    rng = np.random.default_rng(4)
    x, y = (
        made(rng, shape, "qint8" if axis is None else "qint8_per_channel", axis=axis or 0)
        for shape, axis in zip(shapes, axes, strict=True)
    )
    within_one_step(suanzi.matmul(x, y), exact(x) @ exact(y))


def test_integers_do_not_wrap() -> None:
    n = 140_000  # the sum n * code^2 exceeds 2^31 for both types
    for name, code in (("qint8", 127), ("qint16", 32767)):
        x = suanzi.quantized_tensor(None, np.full((1, n), code, np.int16), scale=1.0, dtype=name)
        result = suanzi.matmul(x, x.T).item()
        assert abs(result - n * code**2) <= n * code**2 / code


@pytest.mark.parametrize("name", TYPES)
@pytest.mark.parametrize("operator", ["negative", "abs", "positive"])
def test_of_one_operand(operator: str, name: str) -> None:
    x = made(np.random.default_rng(5), (3, 4), name)
    expected = {"negative": -exact(x), "abs": np.abs(exact(x)), "positive": exact(x)}[operator]
    result = getattr(suanzi, operator)(x)
    within_one_step(result, expected)
    if TYPES[name][1]:
        np.testing.assert_array_equal(exact(result), expected)


def test_numbers_beside_a_quantized_tensor() -> None:
    x = suanzi.quantized_tensor(None, [1.0, -2.0], scale=2.0**-8)
    for result, expected in (
        (x + 1, [2, -1]),
        (1 - x, [0, 3]),
        (3.0 * x, [3, -6]),
        (x * np.float32(2), [2, -4]),
    ):
        within_one_step(result, [Fraction(v) for v in expected])
    assert (x < 0).tolist() == [False, True]


COMPARISONS = ["equal", "not_equal", "less", "less_equal", "greater", "greater_equal"]
EXACTLY = dict(zip(COMPARISONS, (py.eq, py.ne, py.lt, py.le, py.gt, py.ge), strict=True))


@given(pair=operands(), name=st.sampled_from(COMPARISONS))
def test_comparisons_are_exact(pair: tuple[QuantizedTensor, QuantizedTensor], name: str) -> None:
    expected = getattr(np, name)(*map(exact, pair)).astype(bool)
    np.testing.assert_array_equal(getattr(suanzi, name)(*pair).numpy(), expected)


@pytest.mark.parametrize("name", COMPARISONS)
@pytest.mark.parametrize("scale", [2.0**50, 2.0**-126, 0.1, 2.0**120])
def test_comparisons_with_numbers_that_float64_rounds(name: str, scale: float) -> None:
    """Integers and fractions beside a real number of the tensor, and numbers beyond float64, compare as they are."""
    x = suanzi.quantized_tensor((3,), suanzi.tensor([-8, 0, 8], dtype="int8"), scale=scale, dtype="qint8")
    reals = [Fraction(v) for v in exact(x)]
    near = [v + sign * Fraction(1, 2**1100) for v in reals for sign in (-1, 0, 1)]
    numbers: list[Any] = [*near, *(int(v) + i for v in reals for i in (-1, 0, 1)), 10**400, -(10**400)]
    if scale == 2.0**50:
        numbers.append(np.int64(2**53 + 1))
    compare, exactly = getattr(suanzi, name), EXACTLY[name]
    for number in numbers:
        assert compare(x, number).tolist() == [exactly(v, number) for v in reals]
        assert compare(number, x).tolist() == [exactly(number, v) for v in reals]
        fused = suanzi.fuse(lambda x, number=number: compare(x, number))
        assert [fused(x).tolist() for _ in range(2)] == [compare(x, number).tolist()] * 2
    single = suanzi.quantized_tensor((), suanzi.tensor(8, dtype="int8"), scale=2.0**50, dtype="qint8")
    assert [suanzi.array_equal(single, 2**53 + i) for i in (-1, 0, 1)] == [False, True, False]


@given(pair=operands())
def test_equal_tensors_have_equal_shapes_and_numbers(pair: tuple[QuantizedTensor, QuantizedTensor]) -> None:
    for first, second in (pair, pair[::-1], (pair[0], pair[0])):
        assert suanzi.array_equal(first, second) is np.array_equal(exact(first), exact(second))
    assert not suanzi.array_equal(pair[0], 10**400)


@pytest.mark.parametrize("name", ["qint8", "quint16", "qint8_per_channel"])
def test_equality_with_other_kinds_is_refused(name: str) -> None:
    """An operand that is neither a quantized tensor nor a real number is refused, whatever its shape is."""
    x = made(np.random.default_rng(6), (2, 2), name)
    others: list[Any] = [x.numpy(), np.ones(3), x.dequantize(), suanzi.ones(3), x.dequantize().to_sparse()]
    others += [suanzi.ones((3, 3)).to_sparse("csr"), [0.5, 1.0], x.tolist(), (), None, "a", 1j, object()]
    for other in others:
        for given_pair in ((x, other), (other, x)):
            with fails(TypeMismatchError, "array_equal"):
                suanzi.array_equal(*given_pair)


@pytest.mark.parametrize("name", TYPES)
def test_membership(name: str) -> None:
    x = made(np.random.default_rng(7), (3, 4), name)
    reals = [float(v) for v in exact(x).flat]  # exact: the values have at most 41 bits
    for number in (*reals, *(np.nextafter(v, np.inf) for v in reals), 0, 10**400, float("nan")):
        assert (number in x) is any(v == number for v in reals)
    assert x[1:2] in x
    assert None not in x
    assert object() not in x
    assert 0 not in suanzi.quantized_tensor((0, 3), dtype=name, axis=0 if TYPES[name][2] else None)


def test_durations_are_not_numbers() -> None:
    x, duration = suanzi.quantized_tensor(None, [1.0, 2.0]), np.timedelta64(5, "ns")
    with fails(TypeMismatchError, "add"):
        suanzi.add(x, duration)  # type: ignore[call-overload]
    with pytest.raises(TypeError):  # NumPy's method of the duration raises the error
        x + duration  # type: ignore[operator]
