"""The tests compare activations and the error function with mpmath, in units in the last place of the result."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import suanzi
from samples import fails
from suanzi import DimensionsMismatchError, OutOfRangeError, Tensor, TypeMismatchError, extras, nn

mpmath.mp.prec = 120
TYPES = ("float16", "bfloat16", "float32", "float64")


def _gelu_tanh(x: Any) -> Any:
    # This form of (1 + tanh(t)) / 2 avoids cancellation.
    return x / (1 + mpmath.exp(-2 * mpmath.sqrt(2 / mpmath.pi) * (x + mpmath.mpf(0.044715) * x**3)))


# Each function, its definition, and its largest errors in units in the last place: first for float32, then for
# float64. For narrower types, the largest error is 0.51 units, or 0 if the error for float32 is 0.
FUNCTIONS: dict[str, tuple[Callable[[Tensor], Tensor], Callable[[Any], Any], float, float]] = {
    "erf": (extras.erf, mpmath.erf, 0.5, 1),
    "erfc": (extras.erfc, mpmath.erfc, 0.5, 1),
    "sigmoid": (extras.sigmoid, lambda x: 1 / (1 + mpmath.exp(-x)), 3, 3),
    "silu": (extras.silu, lambda x: x / (1 + mpmath.exp(-x)), 4, 4),
    "softplus": (extras.softplus, lambda x: mpmath.log1p(mpmath.exp(x)), 2, 2),
    "mish": (extras.mish, lambda x: x * mpmath.tanh(mpmath.log1p(mpmath.exp(x))), 6, 6),
    "hardswish": (extras.hardswish, lambda x: x * min(max(x + 3, mpmath.mpf(0)), mpmath.mpf(6)) / 6, 2, 2),
    "gelu": (extras.gelu, lambda x: x * mpmath.erfc(-x / mpmath.sqrt(2)) / 2, 0.5, 2),
    "gelu by tanh": (lambda x: extras.gelu(x, approximate="tanh"), _gelu_tanh, 0.51, 500),
    "relu": (extras.relu, lambda x: max(x, mpmath.mpf(0)), 0, 0),
    "leaky_relu": (lambda x: nn.leaky_relu(x, 0.25), lambda x: x if x >= 0 else x / 4, 0.5, 0),
    "elu": (lambda x: nn.elu(x, 1.5), lambda x: x if x >= 0 else 1.5 * mpmath.expm1(x), 2, 2),
    "celu": (lambda x: nn.celu(x, 0.5), lambda x: x if x >= 0 else mpmath.expm1(2 * x) / 2, 2, 2),
    "selu": (lambda x: nn.selu(x, 1.5, 2.0), lambda x: 2 * x if x >= 0 else 3 * mpmath.expm1(x), 2, 2),
    "hardsigmoid": (
        lambda x: nn.hardsigmoid(x, 0.25, 0.5),
        lambda x: min(max(x / 4 + mpmath.mpf("0.5"), mpmath.mpf(0)), mpmath.mpf(1)),
        1,
        1,
    ),
    "hardsigmoid of PyTorch": (nn.hardsigmoid, lambda x: min(max(x + 3, mpmath.mpf(0)), mpmath.mpf(6)) / 6, 1, 1),
    "softsign": (nn.softsign, lambda x: x / (1 + abs(x)), 1.5, 1.5),
}
SPECIAL = {
    "erf": {math.inf: 1, -math.inf: -1},
    "erfc": {math.inf: 0, -math.inf: 2, 1000.0: 0, -1000.0: 2},
    "sigmoid": {math.inf: 1, -math.inf: 0, 1000.0: 1, -1000.0: 0},
    "silu": {math.inf: math.inf, -math.inf: 0, -1000.0: 0},
    "softplus": {math.inf: math.inf, -math.inf: 0, 1000.0: 1000.0, -1000.0: 0},
    "mish": {math.inf: math.inf, -math.inf: 0, 1000.0: 1000.0, -1000.0: 0},
    "hardswish": {math.inf: math.inf, -math.inf: 0, 3.0: 3.0, 1000.0: 1000.0, -3.0: 0, -1000.0: 0},
    "gelu": {math.inf: math.inf, -math.inf: 0, 1000.0: 1000.0, -1000.0: 0},
    "gelu by tanh": {math.inf: math.inf, -math.inf: 0, 1000.0: 1000.0, -1000.0: 0},
    "relu": {math.inf: math.inf, -math.inf: 0},
    "leaky_relu": {math.inf: math.inf, -math.inf: -math.inf},
    "elu": {math.inf: math.inf, -math.inf: -1.5, 1000.0: 1000.0},
    "celu": {math.inf: math.inf, -math.inf: -0.5, 1000.0: 1000.0},
    "selu": {math.inf: math.inf, -math.inf: -3, 1000.0: 2000.0},
    "hardsigmoid": {math.inf: 1, -math.inf: 0},
    "hardsigmoid of PyTorch": {math.inf: 1, -math.inf: 0, 3.0: 1, -3.0: 0},
    "softsign": {1.0: 0.5, -3.0: -0.75},
}
POINTS = [0.0, 1e-30, 1e-7, 0.1, 0.46874, 0.46876, 0.5, 1.0, 2.0, 3.999, 4.001, 5.5, 8.0, 9.0, 12.5, 26.0, 40.0, 87.5]


def points(name: str) -> Any:
    drawn = np.random.default_rng(3).uniform(-10, 10, 200)
    both = np.concatenate([POINTS, np.negative(POINTS), drawn])
    return both.astype(suanzi.as_dtype(name).numpy)


def precision(name: str) -> tuple[int, int]:
    """Return the number of significant bits, and the exponent of the smallest normal number, of a type."""
    return {"float16": (11, -14), "bfloat16": (8, -126), "float32": (24, -126), "float64": (53, -1022)}[name]


def error(found: float, exact: Any, name: str) -> float:
    """Return the error in units in the last place of `exact`, or of the least normal number if `exact` is smaller."""
    bits, least = precision(name)
    exponent = max(int(mpmath.frexp(exact)[1]) - 1, least) if exact else least
    return float(abs(mpmath.mpf(found) - exact) / mpmath.ldexp(1, exponent - bits + 1))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_accuracy(name: str, dtype: str) -> None:
    function, exact, bound, bound64 = FUNCTIONS[name]
    a = points(dtype)
    found = function(suanzi.tensor(a))
    assert found.dtype is suanzi.as_dtype(dtype)
    limit = bound64 if dtype == "float64" else bound
    if dtype in ("float16", "bfloat16") and limit:  # the function computes at least in float32
        limit = 0.51
    worst = max((error(y, exact(mpmath.mpf(float(x))), dtype), x) for x, y in zip(a, found.tolist(), strict=True))
    assert worst[0] <= limit, worst


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_special_values(name: str, dtype: str) -> None:
    function = FUNCTIONS[name][0]
    for x, expected in SPECIAL[name].items():
        assert function(suanzi.tensor([x], dtype=dtype)).tolist() == [expected]
    assert math.isnan(function(suanzi.tensor([math.nan], dtype=dtype)).item())  # type: ignore[arg-type]
    assert function(suanzi.zeros((0, 3), dtype=dtype)).shape == (0, 3)
    assert function(suanzi.tensor(1.0, dtype=dtype)).shape == ()


@pytest.mark.parametrize("name", ["erf", "silu", "mish", "hardswish", "gelu", "gelu by tanh"])
def test_signed_zeros(name: str) -> None:
    found = FUNCTIONS[name][0](suanzi.tensor([0.0, -0.0])).tolist()
    assert [math.copysign(1, x) for x in found] == [1, -1]


@pytest.mark.parametrize("layout", [(1, 0), (0, 1)])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_large_tensors(name: str, layout: tuple[int, int]) -> None:
    """Functions compute large tensors tile by tile. Results have x's layout, and the same bits as for parts of x."""
    a = np.random.default_rng(5).normal(0, 3, (300, 257)).astype(np.float32)
    function = FUNCTIONS[name][0]
    found = function(suanzi.tensor(a, layout=layout))
    assert found.layout.order == layout
    assert found[17].tolist() == function(suanzi.tensor(a[17])).tolist()
    assert found[-1, -9:].tolist() == function(suanzi.tensor(a[-1, -9:])).tolist()


@pytest.mark.parametrize("name", FUNCTIONS)
def test_types(name: str) -> None:
    function = FUNCTIONS[name][0]
    integers = function(suanzi.tensor([0, 1, 2], dtype="int16"))
    assert integers.dtype is (suanzi.int16 if name == "relu" else suanzi.float32)
    for wrong in (suanzi.tensor([1j]), suanzi.tensor(["a"]), np.ones(2), 1.0):
        with fails(TypeMismatchError, name.split()[0], f"nn.{name.split()[0]}"):
            function(wrong)  # type: ignore[arg-type]


def exact_softmax(row: Any) -> list[Any]:
    powers = [mpmath.exp(mpmath.mpf(float(x))) for x in row]
    total = mpmath.fsum(powers)
    return [power / total for power in powers]


@given(
    st.sampled_from(["float32", "float64"]).flatmap(
        lambda name: hnp.arrays(
            name,
            hnp.array_shapes(min_dims=1, max_dims=3, min_side=1, max_side=5),
            elements=st.floats(-1000, 1000, width=32),
        )
    ),
    st.data(),
)
def test_softmax(a: Any, data: Any) -> None:
    axis = data.draw(st.integers(-a.ndim, a.ndim - 1))
    x, unit = suanzi.tensor(a), np.finfo(a.dtype).eps
    found, logs = (np.moveaxis(f(x, axis).numpy(), axis, -1) for f in (extras.softmax, extras.log_softmax))
    rows = np.moveaxis(a, axis, -1).reshape(-1, a.shape[axis])
    for row, shares, logarithms in zip(rows, found.reshape(rows.shape), logs.reshape(rows.shape), strict=True):
        for x1, share, logarithm, exact in zip(row, shares, logarithms, exact_softmax(row), strict=True):
            spread = float(row.max()) - float(x1)
            assert abs(float(share) - exact) <= (4 + spread) * unit * exact + np.finfo(a.dtype).tiny
            assert abs(float(logarithm) - mpmath.log(exact)) <= 2 * unit * (1 + spread)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize(("rows", "length"), [(1, 1), (300, 3), (70, 15), (131, 16), (9, 300), (40, 5000), (2, 40_000)])
def test_softmax_of_many_rows(dtype: str, rows: int, length: int) -> None:
    a = (np.random.default_rng(rows).normal(size=(rows, length)) * 5).astype(dtype)
    powers = np.exp(a.astype("d") - a.max(1, keepdims=True))
    exact = powers / powers.sum(1, keepdims=True)
    before, results = suanzi.get_num_threads(), []
    try:
        for threads in (1, 2):
            suanzi.set_num_threads(threads)
            results.append(extras.softmax(suanzi.tensor(a)).numpy())
    finally:
        suanzi.set_num_threads(before)
    assert np.array_equal(*results)
    unit = np.finfo(dtype).eps
    np.testing.assert_allclose(results[0], exact, rtol=30 * unit, atol=float(np.finfo(dtype).tiny))


def test_softmax_at_the_edges() -> None:
    inf = math.inf
    rows = suanzi.tensor([[0.0, -inf], [-inf, -inf], [inf, 0.0], [math.nan, 0.0]])
    assert str(extras.softmax(rows).tolist()) == "[[1.0, 0.0], [nan, nan], [nan, nan], [nan, nan]]"
    assert extras.log_softmax(rows)[0].tolist() == [0.0, -inf]
    assert extras.softmax(suanzi.zeros((3, 0))).shape == (3, 0)
    assert extras.softmax(suanzi.tensor([1, 2], dtype="int8")).dtype is suanzi.float32
    halves = extras.softmax(suanzi.full(4000, 1, dtype="float16"))
    assert halves.dtype is suanzi.float16
    assert halves[0].item() == np.float16(1 / 4000)
    for function in (extras.softmax, extras.log_softmax):
        with fails(OutOfRangeError, f"nn.{function.__name__}"):
            function(suanzi.tensor(1.0))
        with fails(OutOfRangeError, f"nn.{function.__name__}"):
            function(suanzi.zeros((2, 3)), 2)


def test_log_softmax_of_large_elements() -> None:
    """`log_softmax` keeps the digits that the difference x - logsumexp(x) would lose."""
    found = extras.log_softmax(suanzi.tensor([1e6, 1e6 - 1]))
    np.testing.assert_allclose(found.numpy(), [-0.31326169, -1.31326169], rtol=1e-6)


def test_prelu() -> None:
    x = suanzi.tensor([[[-1.0, 2.0], [-4.0, math.nan]]])
    assert str(nn.prelu(x, suanzi.tensor([0.5, 0.25])).tolist()) == "[[[-0.5, 2.0], [-1.0, nan]]]"
    assert nn.prelu(x[..., 0], suanzi.tensor([0.5])).tolist() == [[-0.5, -2]]
    assert nn.prelu(suanzi.tensor(-2.0), suanzi.tensor(0.5)).item() == -1
    assert nn.prelu(suanzi.tensor([-2], dtype="int8"), suanzi.tensor([0.5])).tolist() == [-1]
    half = nn.prelu(suanzi.tensor([[-60000.0]], dtype="float16"), suanzi.tensor([2.0], dtype="float16"))
    assert half.tolist() == [[-math.inf]]
    for wrong in (suanzi.ones(3), suanzi.ones((1, 2))):
        with fails(DimensionsMismatchError, "nn.prelu"):
            nn.prelu(x, wrong)
    with fails(TypeMismatchError, "nn.prelu"):
        nn.prelu(x, suanzi.tensor([1j]))


def test_glu() -> None:
    a = np.random.default_rng(1).normal(size=(4, 3, 6))
    for axis in (-1, 0):
        first, second = np.split(a, 2, axis=axis)
        found = nn.glu(suanzi.tensor(a), axis)
        np.testing.assert_allclose(found.numpy(), first / (1 + np.exp(-second)), rtol=1e-14)
    with fails(DimensionsMismatchError, "nn.glu"):
        nn.glu(suanzi.tensor(a), 1)
    with fails(OutOfRangeError, "nn.glu"):
        nn.glu(suanzi.tensor(1.0))
    assert nn.glu(suanzi.zeros((0, 4))).shape == (0, 2)


@pytest.mark.parametrize("name", ["elu", "celu", "leaky_relu", "selu", "hardsigmoid", "lrn"])
def test_numbers_of_other_classes(name: str) -> None:
    def call(number: Any) -> list[Any]:
        if name == "lrn":
            return nn.lrn(suanzi.ones((1, 3, 2, 2)), 3, number).tolist()
        return getattr(nn, name)(x, number).tolist()  # type: ignore[no-any-return]

    x = suanzi.tensor([-2.0, -0.5, 0.0, 3.0])
    for number in (Fraction(1, 2), np.float32(0.5), np.float64(0.5), np.longdouble(0.5)):
        assert call(number) == call(0.5)
    for number in (np.int8(1), np.uint64(1), Fraction(1), True):
        assert call(number) == call(1.0)
    for duration in (np.timedelta64(5, "ns"), np.timedelta64("NaT")):
        with pytest.raises(TypeMismatchError, match=rf"^nn\.{name}: \w+ .*timedelta64.* is not a real number"):
            call(duration)
