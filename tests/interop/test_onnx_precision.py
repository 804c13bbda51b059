"""Compositions compute intermediate values in wider types: halves in float32, integers exactly, with one rounding."""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest
import scipy.special

from interop.models import Array, one_node, parsed, run_node
from suanzi import tuning
from suanzi.interop import onnx
from suanzi.interop.onnx.precision import AS_GIVEN, HALVES, Widened
from suanzi.interop.onnx.table import TABLE

BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
HALF = [np.dtype(np.float16), BFLOAT16]


def every(dtype: Any) -> Array:
    """Return all finite elements of a 16-bit type."""
    x = np.arange(2**16, dtype=np.uint16).view(dtype)
    return x[np.isfinite(x.astype(np.float64))]


def units(found: Array, exact: Array) -> float:
    """Return the greatest distance from the exact results, in units in the last place."""
    info = ml_dtypes.finfo(found.dtype)
    unit = np.maximum(2.0 ** np.floor(np.log2(np.maximum(np.abs(exact), 1e-300))), float(info.smallest_normal))
    inside = np.abs(exact) < float(info.max)
    distance = np.abs(found.astype(np.float64) - exact)[inside] / (unit[inside] * float(info.eps))
    assert np.all(np.abs(found[~inside].astype(np.float64)) >= float(info.max))
    return float(distance.max())


def names(value: Any) -> str:
    """Return the name of an operator as a test's name, and an empty text for other values."""
    return value if isinstance(value, str) else ""


def sigmoid(x: Array) -> Array:
    power = np.exp(-np.abs(x))
    return np.where(x < 0, power, 1) / (1 + power)


ALPHA = float(np.float32(0.3))
SELU = float(np.float32(1.67326319217681884765625)), float(np.float32(1.05070102214813232421875))
ACTIVATIONS: list[tuple[str, int, dict[str, Any], Callable[[Array], Array]]] = [
    ("Sigmoid", 13, {}, sigmoid),
    ("Swish", 24, {"alpha": 0.3}, lambda x: x * sigmoid(ALPHA * x)),
    ("HardSwish", 22, {}, lambda x: x * np.clip((x + 3) / 6, 0, 1)),
    ("HardSigmoid", 22, {"alpha": 0.3, "beta": 0.5}, lambda x: np.clip(ALPHA * x + 0.5, 0, 1)),
    ("Gelu", 20, {"approximate": "tanh"}, lambda x: x * sigmoid(math.sqrt(8 / math.pi) * (x + 0.044715 * x**3))),
    ("Gelu", 20, {"approximate": "none"}, lambda x: 0.5 * x * scipy.special.erfc(-x / math.sqrt(2))),
    ("Softplus", 22, {}, lambda x: np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))),
    ("Softsign", 22, {}, lambda x: x / (1 + np.abs(x))),
    ("Mish", 22, {}, lambda x: x * np.tanh(np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x))))),
    ("LeakyRelu", 16, {"alpha": 0.3}, lambda x: np.where(x < 0, ALPHA * x, x)),
    ("Elu", 22, {"alpha": 0.3}, lambda x: np.where(x < 0, ALPHA * np.expm1(x), x)),
    ("Selu", 22, {}, lambda x: SELU[1] * np.where(x > 0, x, SELU[0] * np.expm1(x))),
    ("Celu", 28, {"alpha": 0.3}, lambda x: np.where(x < 0, ALPHA * np.expm1(x / ALPHA), x)),
    ("ThresholdedRelu", 22, {"alpha": 0.3}, lambda x: np.where(x > ALPHA, x, 0)),
    ("Shrink", 9, {"lambd": 0.3, "bias": 0.3}, lambda x: np.where(np.abs(x) > ALPHA, x - np.sign(x) * ALPHA, 0)),
    ("Erf", 13, {}, scipy.special.erf),
]


@pytest.mark.parametrize("dtype", HALF, ids=str)
@pytest.mark.parametrize(("name", "opset", "attributes", "exact"), ACTIVATIONS, ids=names)
def test_activations_of_every_half(
    name: str, opset: int, attributes: dict[str, Any], exact: Callable[[Array], Array], dtype: Any
) -> None:
    versions = {"Selu": 6, "Elu": 6, "Softplus": 1, "Softsign": 1, "Mish": 18, "HardSwish": 14, "HardSigmoid": 6}
    if dtype == BFLOAT16 and name in ("Shrink", "ThresholdedRelu", "Celu"):
        opset = {"ThresholdedRelu": 22, "Celu": 28}.get(name, 0)
        if not opset:
            pytest.skip("the schema has no bfloat16")
    assert versions.get(name, opset) <= opset
    x = every(dtype)
    (found,) = run_node(name, opset, [x], **attributes)
    assert found.dtype == dtype
    with np.errstate(all="ignore"):
        assert units(found, exact(x.astype(np.float64))) <= 0.51


def standard(x: Array, axes: Any) -> Array:
    return (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + 1e-5)


THOUSANDS = np.float16([[[1000, -1000, 1000, -1000]]])
ONE, NONE = np.ones(1, np.float16), np.zeros(1, np.float16)
LISTED: list[tuple[str, int, list[Array], dict[str, Any], Any]] = [
    ("Softmax", 13, [np.zeros(70_000, np.float16)], {}, np.full(70_000, np.float16(1 / 70_000))),
    ("LogSoftmax", 13, [np.zeros(70_000, np.float16)], {}, np.full(70_000, -math.log(70_000))),
    ("InstanceNormalization", 22, [THOUSANDS, ONE, NONE], {}, standard(THOUSANDS.astype(float), -1)),
    ("MeanVarianceNormalization", 13, [THOUSANDS], {"axes": [2]}, [[[1, -1, 1, -1]]]),
    ("LayerNormalization", 17, [THOUSANDS, np.float16([2] * 4)], {}, 2 * standard(THOUSANDS.astype(float), -1)),
    ("LayerNormalization", 17, [THOUSANDS, np.float16([2] * 4)], {"stash_type": 10}, [[[2, -2, 2, -2]]]),
    ("RMSNormalization", 23, [THOUSANDS, np.float16([2] * 4)], {"stash_type": 10}, [[[2, -2, 2, -2]]]),
    ("LpNormalization", 22, [THOUSANDS], {}, [[[0.5, -0.5, 0.5, -0.5]]]),
    ("LRN", 13, [np.full((1, 1, 1), 300, np.float16)], {"size": 1}, 300 / (1 + 1e-4 * 9e4) ** 0.75),
    ("ReduceSumSquare", 18, [np.float16([300, -0.1])], {}, [math.inf]),
    ("ReduceLogSum", 18, [np.full(100, 60000, np.float16)], {}, [math.log(6e6 * 0.999936)]),
    ("Mean", 13, [np.float16([60000])] * 4, {}, [59990]),
    ("Sum", 13, [np.float16([60000]), np.float16([60000]), np.float16([-60000])], {}, [59990]),
    ("Gemm", 13, [np.float16([[200]]), np.float16([[500]])], {"alpha": 0.25}, [[25000]]),
    ("Einsum", 12, [np.float16([300]), np.float16([300]), np.float16([0.01])], {"equation": "i,i,i->i"}, [900.5]),
    ("Resize", 13, [np.float16([65504, 65504]), np.float32([]), np.float32([2])], {"mode": "cubic"}, [65504] * 4),
    ("ScatterElements", 18, [np.float16([1]), np.int64([0]), np.float16([2])], {"reduction": "add"}, [3]),
]


@pytest.mark.parametrize(("name", "opset", "inputs", "attributes", "exact"), LISTED, ids=names)
def test_what_halves_cannot_hold_in_between(
    name: str, opset: int, inputs: list[Array], attributes: dict[str, Any], exact: Any
) -> None:
    (found,) = run_node(name, opset, inputs, **attributes)
    assert found.dtype == np.float16
    np.testing.assert_allclose(found.astype(np.float64), np.asarray(exact, np.float64), rtol=1e-3)


def test_training_in_halves() -> None:
    y, mean, variance = run_node(
        "BatchNormalization", 15, [THOUSANDS, ONE, NONE, NONE, ONE], 3, training_mode=1, momentum=0.5
    )
    np.testing.assert_array_equal(y, [[[1, -1, 1, -1]]])
    assert (mean.tolist(), variance.tolist()) == ([0], [math.inf])  # the variance is half of 1e6


def test_statistics_in_other_types_than_the_elements() -> None:
    """Normalizations of operands of different types return the schema's types, and compute in the widest type."""
    x = np.float64([[1.0, 2.0, 4.0]])
    scale = np.float16([0.1, 0.2, 0.3])
    (y,) = run_node("RMSNormalization", 23, [x, scale])
    assert y.dtype == np.float16
    y, mean, variance = run_node(
        "BatchNormalization", 15, [x, scale, scale, np.float32([1, 2, 3]), np.float32([1, 2, 3])], 3, training_mode=1
    )
    assert (y.dtype, mean.dtype, variance.dtype) == (np.float64, np.float32, np.float32)
    (y,) = run_node("BatchNormalization", 15, [x, scale, scale, np.float32([1, 2, 3]), np.float32([1, 2, 3])])
    exact = (x - [1, 2, 3]) / np.sqrt(np.float64([1, 2, 3]) + float(np.float32(1e-5))) * scale + scale
    np.testing.assert_allclose(y, exact, rtol=1e-14)


def test_stash_types_are_those_of_the_second_results() -> None:
    for stash, dtype in ((1, np.float32), (10, np.float16), (16, BFLOAT16)):
        y, mean, deviation = run_node("LayerNormalization", 17, [THOUSANDS, THOUSANDS[0, 0]], 3, stash_type=stash)
        assert (y.dtype, mean.dtype, deviation.dtype) == (np.float16, dtype, dtype)


CHAINS = {
    "activations": 'a = Sigmoid(x)  b = HardSwish(a)  c = Gelu<approximate="tanh">(b)  y = LeakyRelu<alpha=0.3>(c)',
    "a normalisation": "a = LayerNormalization<axis=-1>(x, w)  b = Softmax(a)  y = Mish(b)",
    "reductions": "a = ReduceSumSquare(x, k)  b = Div(x, a)  c = ReduceLogSumExp(b, k)  y = Sub(b, c)",
    "of several": "a = Sum(x, x, w)  b = Mean(a, x, w)  y = Swish<alpha=0.3>(b)",
}


@pytest.mark.parametrize("dtype", HALF, ids=str)
@pytest.mark.parametrize("what", CHAINS)
def test_fused_programs_have_the_same_bits(what: str, dtype: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tuning, "FUSED_CHAIN", 0)
    kind = str(dtype)
    text = f"({kind}[a,b] x, {kind}[b] w) => ({kind}[a,b] y) {{ k = Constant<value_ints=[1]>()  {CHAINS[what]} }}"
    proto = parsed(24, f"g {text}")
    rng = np.random.default_rng(4)
    feeds = {"x": (rng.standard_normal((30, 40)) * 50).astype(dtype), "w": rng.standard_normal(40).astype(dtype)}
    plain, optimized = onnx.load(proto), onnx.load(proto, optimize={name: x.shape for name, x in feeds.items()})
    results = [model.run(feeds)[0].numpy().tobytes() for model in (plain, plain, optimized, optimized)]
    assert results == [results[0]] * 4
    assert len(next(iter(optimized._optimized.values())).steps) < CHAINS[what].count("=") - CHAINS[what].count("<")


def test_rows_without_narrow_operands_are_called_as_they_are() -> None:
    """A model in float32 or float64 calls the functions of ONNX's table directly, without conversions."""
    for dtype, wrapped in ((np.float32, False), (np.float64, False), (np.float16, True)):
        (step,) = onnx.load(one_node("Sigmoid", 13, [np.ones(1, dtype)]))._plan.steps
        assert isinstance(step.function, Widened) is wrapped
    assert all(row.widths is AS_GIVEN for row in TABLE["Add"])
    assert all(row.widths is HALVES for row in TABLE["Softmax"])


def test_a_model_in_halves_can_be_pickled() -> None:
    model = onnx.load(one_node("Gemm", 13, [np.ones((2, 2), np.float16)] * 2, alpha=0.5))
    x = np.ones((2, 2), np.float16)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).run([x, x])[0].numpy(), x)


def test_types_that_are_known_only_when_the_model_runs() -> None:
    text = "g (float16[a,b] x) => (float16[a,b] y) { e = EyeLike(x)  z = Mul(e, x)  y = Sigmoid(z) }"
    (y,) = onnx.run(parsed(13, text), [np.float16([[-11.5]])])
    assert y.numpy().tolist() == [[float(np.float16(1 / (1 + math.exp(11.5))))]]


INTEGERS: list[tuple[str, int, list[Array], dict[str, Any], Any]] = [
    ("ReduceMean", 18, [np.int32([2**31 - 1] * 3 + [2**31 - 4])], {}, [2**31 - 2]),
    ("ReduceMean", 18, [np.int64([2**63 - 1, 2**63 - 1])], {}, [2**63 - 1]),
    ("ReduceMean", 18, [np.int64([-(2**63), -(2**63) + 3])], {}, [-(2**63) + 2]),
    ("ReduceMean", 18, [np.uint64([2**64 - 1, 2**64 - 3])], {}, [2**64 - 2]),
    ("ReduceL1", 18, [np.int32([16777217, -16777217])], {}, [33554434]),
    ("ReduceL2", 18, [np.int32([16777217, 0])], {}, [16777217]),
    ("ReduceLogSumExp", 18, [np.int32([16777217])], {}, [16777217]),
    ("Shrink", 9, [np.int32([16777217, -16777217])], {"bias": 1.0, "lambd": 0.5}, [16777216, -16777216]),
    ("Erf", 9, [np.int32([0, 1, 4, -4, 9])], {}, [0, 0, 0, 0, 1]),
    ("Gemm", 13, [np.int32([[4097]]), np.int32([[4097]]), np.int32([[1]])], {"alpha": 1.0, "beta": 3.0}, [[16785412]]),
    ("Gemm", 13, [np.int64([[1]]), np.int64([[1]]), np.int64([[1]])], {"alpha": 0.5, "beta": 0.5}, [[1]]),
    ("Pow", 15, [np.int32([16777217]), np.float32([1.0])], {}, [16777217]),
    ("Pow", 15, [np.int64([2**53 + 1, 3, 2]), np.float32([1.0, 39.0, 0.5])], {}, [2**53 + 1, 3**39, 1]),
    ("Pow", 15, [np.int32([3, 2]), np.uint64([5, 2**63])], {}, [243, 0]),
    ("DequantizeLinear", 13, [np.int32([16777217]), np.float32(1)], {}, [16777217.0]),
    ("QuantizeLinear", 24, [np.float32([-64.6]), np.int32(1), np.int8(8)], {}, [-57]),
]


@pytest.mark.parametrize(("name", "opset", "inputs", "attributes", "exact"), INTEGERS, ids=names)
def test_integers(name: str, opset: int, inputs: list[Array], attributes: dict[str, Any], exact: Any) -> None:
    (found,) = run_node(name, opset, inputs, **attributes)
    np.testing.assert_array_equal(found, np.asarray(exact, found.dtype))


def test_sums_of_products_of_codes() -> None:
    """QLinearMatMul sums products of codes exactly, also beyond the digits of float32."""
    a, b = np.full((1, 1000), 255, np.uint8), np.full((1000, 1), 255, np.uint8)
    one, zero = np.float32(1), np.uint8(0)
    scale = np.float32(65025000 / 100.5)
    (y,) = run_node("QLinearMatMul", 21, [a, one, zero, b, one, zero, scale, zero])
    assert y.tolist() == [[round(65025000 / float(scale))]]
