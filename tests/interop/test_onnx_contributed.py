"""Operators of com.microsoft, which optimizers and quantizers write, return the same results as formulas in NumPy."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from onnx import helper, parser

from interop.models import Array, run_node
from interop.test_onnx_layers import codes, drawn, model_of, run
from suanzi import DimensionsMismatchError, InvalidArgumentError
from suanzi.interop import onnx

pytestmark = pytest.mark.one_level

STEP, OTHER = np.float32(0.1), np.float32(0.3)
POINT = np.uint8(3)


def numbers(x: Array, step: Any = STEP, point: Any = POINT) -> Array:
    return np.asarray((x.astype(np.float64) - float(point)) * np.float64(step))


def coded(x: Array, step: Any = OTHER, point: Any = POINT) -> Array:
    kind = np.asarray(point).dtype
    limits = np.iinfo(kind)
    return np.asarray(np.clip(np.rint(x / np.float64(step)) + float(point), limits.min, limits.max).astype(kind))


def one_apart(found: Array, expected: Array) -> None:
    """Check that less than a tenth of the codes differ, by 1, because a quotient may be nearly midway between codes."""
    assert found.dtype == expected.dtype
    apart = np.abs(found.astype(int) - expected.astype(int))
    assert apart.max(initial=0) <= 1
    assert (apart > 0).mean() < 0.1


# --- convolutions and pools ---

ACTIVATIONS: dict[str, tuple[list[float], Any]] = {
    "": ([], lambda y: y),
    "Relu": ([], lambda y: np.maximum(y, 0)),
    "Tanh": ([], np.tanh),
    "Sigmoid": ([], lambda y: 1 / (1 + np.exp(-y))),
    "LeakyRelu": ([0.1], lambda y: np.where(y < 0, np.float32(0.1) * y, y)),
    "Clip": ([-0.5, 0.25], lambda y: np.clip(y, -0.5, 0.25)),
    "HardSigmoid": ([0.3, 0.4], lambda y: np.clip(0.3 * y + 0.4, 0, 1)),
    "HardSwish": ([], lambda y: y * np.clip(y / 6 + 0.5, 0, 1)),
    "Elu": ([0.7], lambda y: np.where(y < 0, np.float32(0.7) * np.expm1(y), y)),
    "ThresholdedRelu": ([0.2], lambda y: np.where(y > 0.2, y, 0)),
}


@pytest.mark.parametrize("has_sum", [False, True])
@pytest.mark.parametrize("name", ACTIVATIONS)
def test_fused_conv(name: str, has_sum: bool) -> None:
    x, w, b = drawn(2, 4, 5, 6), drawn(6, 2, 3, 3), drawn(6)
    options = {"group": 2, "pads": [1, 0, 1, 0], "strides": [1, 2], "kernel_shape": [3, 3]}
    (y,) = run_node("Conv", 11, [x, w, b], **options)
    z = drawn(*y.shape)
    parameters, function = ACTIVATIONS[name]
    attributes = {"activation": name, **({"activation_params": parameters} if parameters else {})}
    for bias in (b, None):
        (y,) = run_node("Conv", 11, [x, w, bias], **options)
        found = run("FusedConv", x, w, bias, z if has_sum else None, **options, **attributes)
        wanted = function(y.astype(np.float64) + (z if has_sum else 0))
        np.testing.assert_allclose(found, wanted, rtol=2e-6, atol=2e-6)


def test_faults_of_a_fused_conv() -> None:
    x, w = drawn(1, 1, 4, 4), drawn(1, 1, 3, 3)
    with pytest.raises(DimensionsMismatchError, match="FusedConv: Z has shape"):
        run("FusedConv", x, w, None, drawn(1, 1, 4, 4), kernel_shape=[3, 3])
    with pytest.raises(
        onnx.UnsupportedError, match=r"FusedConv: activation 'Sine' is not one of .*, ThresholdedRelu\n"
    ):
        run("FusedConv", x, w, activation="Sine", kernel_shape=[3, 3])
    with pytest.raises(InvalidArgumentError, match="FusedConv: 1 parameters do not fit Clip"):
        run("FusedConv", x, w, activation="Clip", activation_params=[0.0], kernel_shape=[3, 3])


def selu(y: Array, alpha: float = 1.6732632, gamma: float = 1.050701) -> Array:
    return gamma * np.where(y < 0, alpha * np.expm1(y), y)


GEMMS: list[tuple[str, dict[str, float], Any]] = [
    ("", {}, lambda y: y),
    ("Relu", {}, lambda y: np.maximum(y, 0)),
    ("Sigmoid", {}, lambda y: 1 / (1 + np.exp(-y))),
    ("Tanh", {}, np.tanh),
    ("LeakyRelu", {}, lambda y: np.where(y < 0, y * 0.01, y)),
    ("LeakyRelu", {"alpha": 0.3}, lambda y: np.where(y < 0, y * 0.3, y)),
    ("HardSigmoid", {}, lambda y: np.clip(0.2 * y + 0.5, 0, 1)),
    ("HardSigmoid", {"beta": 0.25}, lambda y: np.clip(0.2 * y + 0.25, 0, 1)),
    ("Elu", {}, lambda y: np.where(y < 0, np.expm1(y), y)),
    ("Elu", {"alpha": 0.3}, lambda y: np.where(y < 0, 0.3 * np.expm1(y), y)),
    ("Selu", {}, selu),
    ("Selu", {"alpha": 1.5, "gamma": 0.75}, lambda y: selu(y, 1.5, 0.75)),
    ("Selu", {"gamma": 0.75}, lambda y: selu(y, gamma=0.75)),
    ("Softplus", {}, lambda y: np.logaddexp(y, 0)),
    ("Softsign", {}, lambda y: y / (1 + np.abs(y))),
    ("ThresholdedRelu", {}, lambda y: np.where(y > 1, y, 0)),
    ("ThresholdedRelu", {"alpha": 0.25}, lambda y: np.where(y > 0.25, y, 0)),
]


@pytest.mark.parametrize(("activation", "parameters", "function"), GEMMS)
def test_fused_gemm(activation: str, parameters: dict[str, float], function: Any) -> None:
    a, b, c = drawn(5, 4) * 3, drawn(4, 6), drawn(6)
    attributes = {f"activation_{name}": value for name, value in parameters.items()}
    found = run("FusedGemm", a, b, c, activation=activation, alpha=0.5, **attributes)
    np.testing.assert_allclose(found, function(0.5 * (a.astype(float) @ b) + c), rtol=0, atol=2e-6)


def test_an_activation_of_a_gemm_that_is_not_supported() -> None:
    with pytest.raises(
        onnx.UnsupportedError, match=r"FusedGemm: activation 'Sine' is not one of .*, ThresholdedRelu\n"
    ):
        run("FusedGemm", drawn(3, 4), drawn(4, 5), activation="Sine")


@pytest.mark.parametrize("point", [np.uint8(3), np.int8(-5)])
def test_pools_of_codes_with_channels_last(point: Any) -> None:
    x = codes(2, 6, 5, 3, signed=point.dtype == np.int8)
    options = {"kernel_shape": [3, 2], "strides": [2, 1], "pads": [1, 0, 1, 1]}
    by_channels = np.ascontiguousarray(np.moveaxis(x, -1, 1))
    (wanted,) = run_node("MaxPool", 12, [by_channels], **options)
    np.testing.assert_array_equal(run("NhwcMaxPool", x, **options), np.moveaxis(wanted, 1, -1))
    for counted in (0, 1):
        values = numbers(by_channels, STEP, point)
        (mean,) = run_node("AveragePool", 11, [values], count_include_pad=counted, **options)
        found = run("QLinearAveragePool", by_channels, STEP, point, OTHER, point, count_include_pad=counted, **options)
        one_apart(found, coded(mean, OTHER, point))
        last = run(
            "QLinearAveragePool", x, STEP, point, OTHER, point, count_include_pad=counted, channels_last=1, **options
        )
        np.testing.assert_array_equal(last, np.moveaxis(found, 1, -1))
    with pytest.raises(DimensionsMismatchError, match="channels_last"):
        run("NhwcMaxPool", x[0, 0], kernel_shape=[2])


@pytest.mark.parametrize("steps", [np.float32(0.05), np.float32([0.05, 0.04, 0.03, 0.1])])
def test_convolutions_of_codes_with_channels_last(steps: Array) -> None:
    x, w, b = codes(2, 6, 5, 3), codes(4, 3, 3, 3, signed=True), np.int32([5, -500, 100, 0])
    operands = [STEP, POINT, w, steps, np.zeros(steps.shape, np.int8), OTHER, POINT, b]
    (wanted,) = run_node("QLinearConv", 10, [np.ascontiguousarray(np.moveaxis(x, -1, 1)), *operands], pads=[1] * 4)
    found = run("QLinearConv", x, *operands, pads=[1] * 4, channels_last=1)
    np.testing.assert_array_equal(found, np.moveaxis(wanted, 1, -1))


# --- codes ---


@pytest.mark.parametrize("transposed", [(0, 0), (0, 1), (1, 0), (1, 1)])
def test_gemm_of_codes(transposed: tuple[int, int]) -> None:
    a, b, c = codes(4, 6), codes(6, 5, signed=True), np.int32([500, -500, 3, 0, 1])
    left, right = (np.ascontiguousarray(x.T) if t else x for x, t in zip((a, b), transposed, strict=True))
    flags = dict(zip(("transA", "transB"), transposed, strict=True))
    steps, points = np.float32([0.1, 0.2, 0.3, 0.4, 0.5]), np.int8([0, 1, -2, 3, 4])
    sums = (a.astype(int) - 3) @ (b.astype(int) - points)
    for bias in (None, c):
        values = 1.5 * np.float64(STEP) * np.float64(steps) * (sums + (0 if bias is None else c))
        operands = [left, STEP, POINT, right, steps, points, bias]
        found = run("QGemm", *operands, alpha=1.5, **flags)
        assert found.dtype == np.float32
        np.testing.assert_allclose(found, values, rtol=1e-6)
        one_apart(run("QGemm", *operands, np.float32(2), np.int8(7), alpha=1.5, **flags), coded(values, 2, np.int8(7)))
    with pytest.raises(DimensionsMismatchError, match="QGemm: shape"):
        run("QGemm", left, STEP, POINT, right, steps, points, np.zeros((2, 4, 5), np.int32), **flags)


@pytest.mark.parametrize("name", ["uint8", "int8", "uint16", "int16"])
def test_quantization_of_more_types(name: str) -> None:
    """QuantizeLinear of com.microsoft accepts 16-bit codes, which ONNX itself has only since opset 21."""
    x, kind = drawn(4, 5) * np.float32(50), np.dtype(name)
    steps, points = np.abs(drawn(5)) + np.float32(0.01), np.arange(5).astype(kind)
    found = run("QuantizeLinear", x, steps, points, axis=1)
    limits = np.iinfo(kind)
    np.testing.assert_array_equal(found, np.clip(np.rint(x / steps) + points, limits.min, limits.max).astype(kind))
    back = run("DequantizeLinear", found, steps, points, axis=1)
    np.testing.assert_array_equal(back, (found.astype(np.float32) - points.astype(np.float32)) * steps)
    assert run("QuantizeLinear", x, STEP).dtype == np.uint8


@pytest.mark.parametrize("has_zeros", [False, True])
@pytest.mark.parametrize("bits", [2, 4, 8])
def test_rows_of_a_table_of_few_bits(bits: int, has_zeros: bool) -> None:
    rows, columns, block = 9, 32, 16
    values = np.random.default_rng(bits).integers(0, 2**bits, (rows, columns)).astype(np.uint8)
    points = np.random.default_rng(0).integers(0, 2**bits, (rows, columns // block)).astype(np.uint8)
    scales, indices = np.abs(drawn(rows, columns // block)), np.int64([[1, 8], [0, 1]])
    zeros = points if has_zeros else np.full_like(points, 2 ** (bits - 1))
    table = (values.astype(np.float64) - np.repeat(zeros, block, 1)) * np.repeat(scales, block, 1)

    def packed(x: Array) -> Array:
        per = 8 // bits
        x = np.pad(x, [(0, 0), (0, -x.shape[1] % per)]).reshape(len(x), -1, per)
        return np.asarray((x << (np.arange(per) * bits)).sum(-1).astype(np.uint8))

    operands = [packed(values), indices, scales, packed(points) if has_zeros else None]
    found = run("GatherBlockQuantized", *operands, stored=(0, 2, 3), bits=bits, block_size=block)
    np.testing.assert_allclose(found, table[indices], rtol=1e-6)


def test_rows_of_a_table_of_four_bit_integers() -> None:
    values = np.random.default_rng(0).integers(-8, 8, (9, 32)).astype(ml_dtypes.int4)
    scales = np.abs(drawn(9, 2))
    found = run("GatherBlockQuantized", values, np.int64([3, 3]), scales, stored=(0, 2), block_size=16)
    np.testing.assert_allclose(found, (values.astype(np.float32) * np.repeat(scales, 16, 1))[[3, 3]], rtol=1e-6)
    with pytest.raises(InvalidArgumentError, match="GatherBlockQuantized: rows along axis 1"):
        run("GatherBlockQuantized", values, np.int64([3]), scales, gather_axis=1, stored=(0, 2), block_size=16)


def test_embeddings_of_codes() -> None:
    ids, kinds, mask = (
        np.int32([[1, 0, 8], [2, 2, 5]]),
        np.int32([[0, 0, 1], [1, 0, 0]]),
        np.int32([[1, 1, 0], [1] * 3]),
    )
    tables = [codes(9, 8), codes(6, 8), codes(2, 8), codes(8), codes(8)]
    steps = [np.float32(s) for s in (0.1, 0.2, 0.3, 0.01, 0.02)]
    points = [np.uint8(p) for p in (3, 2, 1, 0, 9)]
    words, places, segments, gamma, beta = map(numbers, tables, steps, points)
    total = words[ids] + places[:3] + segments[kinds]
    centred = total - total.mean(-1, keepdims=True)
    wanted = centred / np.sqrt(np.square(centred).mean(-1, keepdims=True) + 1e-12) * gamma + beta
    operands = [ids, kinds, *tables, mask, *steps, *points]
    y, counted = run("QEmbedLayerNormalization", *operands, outputs=2)
    np.testing.assert_allclose(y, wanted, rtol=1e-4, atol=1e-5)
    assert counted.tolist() == [2, 3]


# --- texts ---

TOKENS: list[tuple[dict[str, Any], list[list[str]]]] = [
    ({"separators": [" "]}, [["Hello,", "World"], ["a", "abc", "x"], []]),
    ({"separators": [" ", ","]}, [["Hello", "World"], ["a", "abc", "x"], []]),
    ({"separators": ["a|ab"]}, [["Hello, World"], [" ", "c x"], []]),
    ({"separators": [" "], "mincharnum": 2}, [["Hello,", "World"], ["abc"], []]),
    ({"tokenexp": "[a-zA-Z0-9_]+"}, [["Hello", "World"], ["a", "abc", "x"], []]),
    ({"tokenexp": "a|ab|abc"}, [[], ["a", "abc"], []]),
    ({"tokenexp": r"\b\w\w+\b"}, [["Hello", "World"], ["abc"], []]),
    ({"tokenexp": "x*"}, [[], ["x"], []]),
    ({"separators": [""]}, [list("Hello, World"), list("a abc x"), []]),
    ({"tokenexp": "."}, [list("Hello, World"), list("a abc x"), []]),
]


@pytest.mark.parametrize("mark", [0, 1])
@pytest.mark.parametrize(("attributes", "rows"), TOKENS, ids=str)
def test_tokens(attributes: dict[str, Any], rows: list[list[str]], mark: int) -> None:
    x = np.array(["Hello, World", "a abc x", ""], object)
    rows = [["\x02", *row, "\x03"] for row in rows] if mark else rows
    most = max(map(len, rows))
    wanted = [[*row, *["#"] * (most - len(row))] for row in rows]
    attributes = {"mincharnum": 1, **attributes}
    assert run("Tokenizer", x, mark=mark, pad_value="#", **attributes).tolist() == wanted
    found = run("Tokenizer", x.reshape(3, 1), mark=mark, pad_value="#", **attributes)
    assert found.tolist() == [[row] for row in wanted]


def test_no_tokens_at_all() -> None:
    for x in (np.array(["", " "], object), np.array([[""], [" "]], object)):
        for mark in (0, 1):
            found = run("Tokenizer", x, mark=mark, pad_value="#", mincharnum=1, separators=[" "])
            assert found.shape == (*x.shape, 0)
    nothing = np.zeros((2, 0), object)
    assert run("Tokenizer", nothing, mark=0, pad_value="#", mincharnum=1, separators=[" "]).shape == (2, 0)


@pytest.mark.parametrize(
    "attributes",
    [
        {"mincharnum": 0, "separators": [" "]},
        {"mincharnum": 1},
        {"mincharnum": 1, "separators": [" "], "tokenexp": "a"},
        {"mincharnum": 2, "tokenexp": "."},
        {"mincharnum": 1, "tokenexp": "(a"},
        {"mincharnum": 1, "separators": ["(?=a)"]},
    ],
)
def test_tokenizers_that_cannot_be(attributes: dict[str, Any]) -> None:
    with pytest.raises(InvalidArgumentError):
        onnx.load(model_of("Tokenizer", [np.array([""], object)], mark=0, pad_value="", **attributes))


# --- others ---


def test_hashes() -> None:
    """MurmurHash3 returns the same hashes as scikit-learn's murmurhash3_32, and as onnxruntime."""
    texts = np.array(["", "a", "abcd", "算子 hashed"], object)
    found = run("MurmurHash3", texts)
    assert found.dtype == np.uint32
    assert found.tolist() == [0, 1009084850, 1139631978, 3548392725]
    signed = run("MurmurHash3", texts.reshape(2, 2), positive=0, seed=42)
    assert signed.dtype == np.int32
    assert signed.ravel().tolist() == [142593372, -1293573533, -396302900, 731445698]
    assert run("MurmurHash3", np.int32([3, -1]), positive=0).tolist() == [847579505, 1982413648]


def test_distances() -> None:
    for kind in (np.float32, np.float64):
        a, b = (drawn(n, 3).astype(kind) + kind(1000) for n in (4, 5))
        apart = np.square(a[:, None].astype(np.float64) - b).sum(-1)
        np.testing.assert_allclose(run("CDist", a, b), apart, rtol=1e-6)
        np.testing.assert_allclose(run("CDist", a, b, metric="euclidean"), np.sqrt(apart), rtol=1e-6)
    with pytest.raises(InvalidArgumentError, match="metric 'cosine'"):
        run("CDist", a, b, metric="cosine")
    with pytest.raises(DimensionsMismatchError, match="CDist: operands of shapes"):
        run("CDist", a, drawn(4, 2).astype(np.float64))


def test_operators_that_onnx_has_as_well() -> None:
    x, bias = drawn(2, 3, 4), drawn(2, 1, 4)
    total = np.exp(x + bias)
    np.testing.assert_allclose(
        run("BiasSoftmax", x, bias, axis=2, is_inner_broadcast=1), total / total.sum(-1, keepdims=True), rtol=1e-5
    )
    assert run("ExpandDims", x, np.int32(-1)).shape == (2, 3, 4, 1)
    assert run("Range", np.float32(1), np.float32(4)).tolist() == [1, 2, 3]
    assert run("Range", np.int64(1), np.int64(6), np.int64(2)).tolist() == [1, 3, 5]
    np.testing.assert_array_equal(run("Trilu", x), np.triu(x))
    np.testing.assert_array_equal(run("Trilu", x, np.int64(1), upper=0), np.tril(x, 1))
    padded = np.pad(x[0], [(1, 2), (0, 1)], constant_values=7)
    np.testing.assert_array_equal(run("Pad", x[0], np.int64([1, 0, 2, 1]), np.float32(7)), padded)
    np.testing.assert_array_equal(run("Pad", x[0], np.int64([[1, 0, 2, 1]]), np.float32(7)), padded)
    with pytest.raises(DimensionsMismatchError, match=r"Pad: pads of shape \(1, 4\) are not a vector"):
        run_node("Pad", 18, [x[0], np.int64([[1, 0, 2, 1]]), np.float32(7)])
    with pytest.raises(DimensionsMismatchError, match=r"Pad: pads of shape \(2, 2\) are not a vector"):
        run("Pad", x[0], np.int64([[1, 0], [2, 1]]), np.float32(7))
    np.testing.assert_array_equal(run("GatherND", x, np.int32([[0, 1], [1, 2]])), x[[0, 1], [1, 2]])
    values, places, counts = run("Unique", np.float32([3, 1, 3, 2, 1]), outputs=3)
    assert (values.tolist(), places.tolist(), counts.tolist()) == ([3, 1, 2], [0, 1, 0, 2, 1], [2, 2, 1])
    image, grid = drawn(1, 2, 4, 4), drawn(1, 3, 3, 2)
    (wanted,) = run_node("GridSample", 16, [image, grid])
    np.testing.assert_array_equal(run("GridSample", image, grid), wanted)


NORMALISED = """<ir_version: 8, opset_import: ["{}": {}, "own": 1]> g (float[n,4] x, float[4] s) => (float[n,4] y) {{
    {} }} <domain: "own", opset_import: ["{}": {}]> f (x, s) => (y) {{ {} }}"""


@pytest.mark.parametrize("called", ["y = {}<epsilon = 0.001>({})", "y = own.f(x, s)"])
@pytest.mark.parametrize(("domain", "opset"), [("", 11), ("", 16), ("ai.onnx", 13)])
@pytest.mark.parametrize("name", ["LayerNormalization", "SimplifiedLayerNormalization"])
def test_operators_that_onnxruntime_has_in_the_default_domain(name: str, domain: str, opset: int, called: str) -> None:
    simplified = name.startswith("S")
    text = called.format(name, "x, s" if simplified else "x, s, s")
    body = f"y = {name}<epsilon = 0.001>({'x, s' if simplified else 'x, s, s'})"
    model = parser.parse_model(NORMALISED.format(domain, opset, text, domain, opset, body))
    before = model.SerializeToString()
    x, s = drawn(3, 4), drawn(4)
    centred = x - (0 if simplified else x.mean(-1, keepdims=True))
    wanted = centred / np.sqrt(np.square(centred).mean(-1, keepdims=True) + 1e-3) * s + (0 if simplified else s)
    np.testing.assert_allclose(onnx.run(model, [x, s])[0].numpy(), wanted, rtol=1e-5, atol=1e-6)
    assert model.SerializeToString() == before


def test_a_function_of_the_model_counts_before_an_operator_of_its_name() -> None:
    text = """<ir_version: 8, opset_import: ["": 17, "com.microsoft": 1]>
        g (float[n] x) => (float[n] y) { a = com.microsoft.Gelu(x)  y = com.microsoft.QuickGelu(a) }
        <domain: "com.microsoft", opset_import: ["": 17]> Gelu (x) => (y) { y = Neg(x) }"""
    x = drawn(5)
    found = onnx.run(parser.parse_model(text), [x])[0].numpy()
    np.testing.assert_allclose(found, -x / (1 + np.exp(1.702 * x)), rtol=1e-5)


def test_a_function_in_the_default_domain_does_not_replace_onnxs_operator() -> None:
    node = helper.make_node("Relu", ["x"], ["y"])
    own = helper.make_function("", "Relu", ["x"], ["y"], [helper.make_node("Neg", ["x"], ["y"])], [])
    own.opset_import.extend([helper.make_opsetid("", 17)])
    values = [helper.make_tensor_value_info(name, 1, [2]) for name in "xy"]
    graph = helper.make_graph([node], "g", values[:1], values[1:])
    model = helper.make_model(graph, functions=[own], opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    assert onnx.run(model, [np.float32([-1, 2])])[0].tolist() == [0, 2]
