"""Recurrent layers, attention and similar operators of ONNX and com.microsoft agree with NumPy's float64."""

from __future__ import annotations

import math
import pickle
from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, defs, helper, numpy_helper

import suanzi
from interop.models import run_node
from nn.test_recurrent import FUNCTIONS, GATES, exact
from suanzi import DimensionsMismatchError, InvalidArgumentError, OutOfRangeError, SuanziError
from suanzi.interop import onnx

MICROSOFT = "com.microsoft"
Array = np.ndarray[Any, Any]
RNG = np.random.default_rng(1)


@pytest.fixture(autouse=True)
def same_numbers() -> None:
    """Give each test the same random numbers, whichever tests ran earlier in the process."""
    RNG.bit_generator.state = np.random.default_rng(1).bit_generator.state


def drawn(*shape: int) -> Array:
    return np.asarray(RNG.normal(0, 0.5, shape).astype(np.float32))


def codes(*shape: int, signed: bool = False) -> Array:
    low, high, kind = (-128, 128, np.int8) if signed else (0, 256, np.uint8)
    return np.asarray(RNG.integers(low, high, shape).astype(kind))


def model_of(
    op_type: str, arrays: list[Array | None], outputs: int = 1, stored: tuple[int, ...] = (), **attributes: Any
) -> Any:
    """Return a model of one node of com.microsoft. The operands with the indices in `stored` are initializers."""
    names = ["" if a is None else f"x{i}" for i, a in enumerate(arrays)]
    given = [(i, name, a) for i, (name, a) in enumerate(zip(names, arrays, strict=True)) if a is not None]
    inputs = [
        helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(a.dtype), None)
        for i, name, a in given
        if i not in stored
    ]
    initializers = [numpy_helper.from_array(a, name) for i, name, a in given if i in stored]
    results = [f"y{i}" for i in range(outputs)]
    node = helper.make_node(op_type, names, results, domain=MICROSOFT, **attributes)
    values = [helper.make_tensor_value_info(name, TensorProto.UNDEFINED, None) for name in results]
    graph = helper.make_graph([node], "g", inputs, values, initializers)
    imports = [helper.make_opsetid("", 17), helper.make_opsetid(MICROSOFT, 1)]
    return helper.make_model(graph, opset_imports=imports, ir_version=8)


def run(op_type: str, *arrays: Array | None, outputs: int = 1, stored: tuple[int, ...] = (), **attributes: Any) -> Any:
    model = onnx.load(model_of(op_type, list(arrays), outputs, stored, **attributes))
    feed = [a for i, a in enumerate(arrays) if a is not None and i not in stored]
    found = [y.numpy() for y in model.run(feed)]
    return found[0] if outputs == 1 else found


# --- recurrent layers ---

ORDERS = {"LSTM": "iofg", "GRU": "zrn", "RNN": "n"}


@pytest.mark.parametrize("layout", [0, 1])
@pytest.mark.parametrize("direction", ["forward", "reverse", "bidirectional"])
@pytest.mark.parametrize("op_type", sorted(ORDERS))
def test_all_operands_and_attributes(op_type: str, direction: str, layout: int) -> None:
    cell, directions = op_type.lower(), 2 if direction == "bidirectional" else 1
    steps, batch, features, size, gates = 4, 3, 2, 5, len(GATES[op_type.lower()])
    data: dict[str, Any] = {
        "x": drawn(steps, batch, features), "w": drawn(directions, gates * size, features),
        "r": drawn(directions, gates * size, size), "h": drawn(directions, batch, size),
        "c": drawn(directions, batch, size), "p": drawn(directions, 3 * size),
    }  # fmt: skip
    b = drawn(directions, 2 * gates * size)
    data["bi"], data["bh"] = b[:, : gates * size], b[:, gates * size :]
    lengths = np.int32([4, 2, 3])
    words = {"LSTM": ["LeakyRelu", "Tanh", "ScaledTanh"], "GRU": ["HardSigmoid", "Softsign"], "RNN": ["Affine"]}[
        op_type
    ]
    alphas = [FUNCTIONS[w][1] for w in words if FUNCTIONS[w][1] is not None] * directions
    betas = [FUNCTIONS[w][2] for w in words if FUNCTIONS[w][2] is not None] * directions
    options = {
        "direction": direction, "functions": [(w, *FUNCTIONS[w][1:]) for w in words], "order": ORDERS[op_type],
        "clip": 0.9, "flag": op_type == "GRU",
    }  # fmt: skip
    y, *states = exact(cell, data, lengths.tolist(), options)
    flags = {"GRU": {"linear_before_reset": 1}}.get(op_type, {})
    x, h, c = ((np.swapaxes(data[k], 0, 1) if layout else data[k]) for k in "xhc")
    operands = [x, data["w"], data["r"], b, lengths, h] + ([c, data["p"]] if op_type == "LSTM" else [])
    found = run_node(
        op_type, 14, operands, len(states) + 1, hidden_size=size, direction=direction, layout=layout, clip=0.9,
        activations=words * directions, activation_alpha=alphas, **({"activation_beta": betas} if betas else {}),
        **flags,
    )  # fmt: skip
    wanted = y.reshape(steps, batch, directions, size)
    wanted = np.swapaxes(wanted, 0, 1) if layout else wanted.transpose(0, 2, 1, 3)
    states = [np.swapaxes(s, 0, 1) if layout else s for s in states]
    for a, e in zip(found, (wanted, *states), strict=True):
        np.testing.assert_allclose(a, e, rtol=0, atol=1e-6)


def test_recurrent_attributes_that_do_not_fit() -> None:
    x, w, r = drawn(2, 1, 3), drawn(1, 8, 3), drawn(1, 8, 2)
    for error, attributes in (
        (DimensionsMismatchError, {"hidden_size": 3}),
        (InvalidArgumentError, {"activations": ["Tanh"] * 2}),
        (InvalidArgumentError, {"activations": ["Sine"] * 3}),
        (InvalidArgumentError, {"activation_alpha": [0.5]}),
        (InvalidArgumentError, {"direction": "up"}),
    ):
        with pytest.raises(error):
            run_node("LSTM", 14, [x, w, r], 3, **attributes)
    with pytest.raises(DimensionsMismatchError, match="B of shape"):
        run_node("LSTM", 14, [x, w, r, drawn(1, 8)], 3)


@pytest.mark.parametrize("stored", [(), (1, 2, 8, 9, 10, 11)])
@pytest.mark.parametrize(("batch", "per_column"), [(1, False), (3, True), (9, True)])
def test_dynamic_quantize_lstm(batch: int, per_column: bool, stored: tuple[int, ...]) -> None:
    steps, features, size = 3, 6, 8
    x, b = drawn(steps, batch, features), drawn(1, 8 * size)
    w, r = codes(1, features, 4 * size), codes(1, size, 4 * size, signed=True)
    shape = (1, 4 * size) if per_column else (1,)
    scales = [np.abs(RNG.normal(0, 0.01, shape)).astype(np.float32) for _ in range(2)]
    zeros = [RNG.integers(100, 150, shape).astype(np.uint8), RNG.integers(-5, 5, shape).astype(np.int8)]
    h0, c0 = drawn(1, batch, size), drawn(1, batch, size)
    operands = [x, w, r, b, None, h0, c0, None, scales[0], zeros[0], scales[1], zeros[1]]
    found = run("DynamicQuantizeLSTM", *operands, outputs=3, stored=stored, hidden_size=size)
    wi, wh = (
        (a[0].astype("d") - z.astype("d").reshape(-1)) * s.astype("d").reshape(-1)
        for a, z, s in ((w, zeros[0], scales[0]), (r, zeros[1], scales[1]))
    )
    bias = b[0].astype("d").reshape(2, -1).sum(0)
    h, c, rounded = h0[0].astype("d"), c0[0].astype("d"), dynamic(x)
    for t in range(steps):
        i, o, f, g = np.split(rounded[t] @ wi + dynamic(h) @ wh + bias, 4, axis=1)
        c = c / (1 + np.exp(-f)) + np.tanh(g) / (1 + np.exp(-i))
        h = np.tanh(c) / (1 + np.exp(-o))
        np.testing.assert_allclose(found[0][t, 0], h, rtol=0, atol=1e-5)
    np.testing.assert_allclose(found[2][0], c, rtol=0, atol=1e-5)


def dynamic(x: Array) -> Array:
    """Return the numbers of an array after dynamic quantization to 8-bit codes."""
    low, high = min(float(x.min()), 0.0), max(float(x.max()), 0.0)
    step = (high - low) / 255 or 1.0
    zero = np.rint(min(max(-low / step, 0), 255))
    return np.asarray((np.clip(np.rint(x.astype("d") / step) + zero, 0, 255) - zero) * step)


# --- products ---


@pytest.mark.parametrize("stored", [(), (1, 2, 3)])
@pytest.mark.parametrize("dtype", ["float16", "float32"])
@pytest.mark.parametrize(("bits", "has_zeros"), [(4, False), (4, True), (8, True), (2, True)])
def test_matmul_of_few_bits(bits: int, has_zeros: bool, dtype: str, stored: tuple[int, ...]) -> None:
    columns, terms, block = 5, 40, 16
    blocks, levels = 3, 2**bits
    numbers = RNG.integers(0, levels, (columns, blocks, block))
    zeros = RNG.integers(0, levels, (columns, blocks)) if has_zeros else np.full((columns, blocks), levels // 2)
    scales = np.abs(drawn(columns, blocks)).astype(dtype)
    packed_zeros = packed(zeros, bits).reshape(-1) if has_zeros else None
    a = drawn(2, 3, terms).astype(dtype)
    y = run(
        "MatMulNBits", a, packed(numbers, bits), scales.reshape(-1), packed_zeros,
        stored=stored if has_zeros else stored[:2], K=terms, N=columns, bits=bits, block_size=block,
    )  # fmt: skip
    matrix = ((numbers - zeros[..., None]) * scales.astype("d")[..., None]).reshape(columns, -1)[:, :terms]
    assert y.dtype == a.dtype
    np.testing.assert_allclose(y, a.astype("d") @ matrix.T, rtol=2e-3 if dtype == "float16" else 1e-5, atol=1e-4)


@pytest.mark.parametrize("stored", [(), (1, 2, 3, 4)])
@pytest.mark.parametrize("has_zeros", [False, True])
def test_matmul_of_few_bits_with_an_order_of_blocks(has_zeros: bool, stored: tuple[int, ...]) -> None:
    columns, terms, block = 5, 40, 16
    numbers, zeros = RNG.integers(0, 16, (columns, 3, block)), RNG.integers(0, 16, (columns, 3))
    scales, a = np.abs(drawn(columns, 3)), drawn(4, terms)
    order = RNG.integers(0, 3, terms).astype("i")
    y = run(
        "MatMulNBits", a, packed(numbers, 4), scales, packed(zeros, 4) if has_zeros else None, order,
        stored=tuple(i for i in stored if i != 3 or has_zeros), K=terms, N=columns, bits=4, block_size=block,
    )  # fmt: skip
    points = zeros[:, order] if has_zeros else 8
    matrix = (numbers.reshape(columns, -1)[:, :terms] - points) * scales.astype("d")[:, order]
    np.testing.assert_allclose(y, a.astype("d") @ matrix.T, rtol=1e-5, atol=1e-4)


def test_constant_weights_of_few_bits_stay_packed() -> None:
    numbers, scales = RNG.integers(0, 16, (1024, 32, 32)), np.abs(drawn(1024, 32))
    a = drawn(1, 1024)
    model = onnx.load(
        model_of("MatMulNBits", [a, packed(numbers, 4), scales], 1, (1, 2), K=1024, N=1024, block_size=32)
    )
    before = suanzi.memory.statistics()["in_use"]
    y = model.run([a])[0].numpy()
    assert suanzi.memory.statistics()["in_use"] - before < 2**20  # the weights have 4 MiB in float32
    matrix = ((numbers - 8) * scales.astype("d")[..., None]).reshape(1024, -1)
    np.testing.assert_allclose(y, a.astype("d") @ matrix.T, rtol=1e-4, atol=1e-3)


def packed(numbers: Array, bits: int) -> Array:
    """Pack the numbers along the last axis into bytes, lowest bits first."""
    each = 8 // bits
    missing = -numbers.shape[-1] % each
    whole = np.concatenate([numbers, np.zeros((*numbers.shape[:-1], missing), numbers.dtype)], -1)
    parts = whole.reshape(*whole.shape[:-1], -1, each)
    return np.asarray(sum(parts[..., i] << bits * i for i in range(each))).astype(np.uint8)


def test_prepared_functions_can_be_pickled() -> None:
    numbers, scales, a = RNG.integers(0, 16, (5, 1, 16)), np.abs(drawn(5)), drawn(3, 16)
    model = onnx.load(model_of("MatMulNBits", [a, packed(numbers, 4), scales], 1, (1, 2), K=16, N=5, block_size=16))
    first = model.run([a])[0].numpy()
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).run([a])[0].numpy(), first)


def test_products_of_codes() -> None:
    a, b = codes(3, 16), codes(16, 5, signed=True)
    scale, bias = np.abs(drawn(5)), drawn(5)
    exact_product = (a.astype("d") - 100) @ (b.astype("d") - 3) * scale * 0.02 + bias
    y = run("MatMulIntegerToFloat", a, b, np.float32([0.02]), scale, np.uint8([100]), np.int8([3]), bias)
    np.testing.assert_allclose(y, exact_product, rtol=1e-5, atol=1e-4)
    x = drawn(3, 16)
    y = run("DynamicQuantizeMatMul", x, b, scale, np.int8([3]), bias)
    np.testing.assert_allclose(y, dynamic(x) @ ((b.astype("d") - 3) * scale) + bias, rtol=1e-4, atol=1e-4)
    assert run("DynamicQuantizeMatMul", np.zeros((2, 16), np.float32), b, scale).tolist() == [[0] * 5] * 2


def quantized(values: Array, scale: float, zero: int) -> Array:
    return np.clip(np.rint(values / scale) + zero, 0, 255)


def test_operators_of_codes() -> None:
    a, b, s, t = codes(3, 16), codes(3, 16), np.float32(0.02), np.float32(0.03)
    out, za, zb, zc = np.float32(0.05), np.uint8(120), np.uint8(100), np.uint8(90)
    left, right = (a.astype("d") - 120) * float(s), (b.astype("d") - 100) * float(t)
    scalars = [np.array(v) for v in (s, za, t, zb, out, zc)]
    one = [a, scalars[0], scalars[1], scalars[4], scalars[5]]
    half = left.reshape(3, 4, 2, 2)
    cases: list[tuple[str, list[Any], dict[str, Any], Array]] = [
        ("QLinearAdd", [a, *scalars[:2], b, *scalars[2:]], {}, left + right),
        ("QLinearMul", [a, *scalars[:2], b, *scalars[2:]], {}, left * right),
        ("QLinearSigmoid", one, {}, 1 / (1 + np.exp(-left))),
        ("QLinearLeakyRelu", one, {"alpha": 0.1}, np.where(left < 0, left * 0.1, left)),
        ("QLinearSoftmax", one, {"opset": 13}, np.exp(left) / np.exp(left).sum(-1, keepdims=True)),
        ("QLinearReduceMean", one, {"axes": [1], "keepdims": 0}, left.mean(1)),
        ("QLinearConcat", [*scalars[4:], a, *scalars[:2], b, *scalars[2:4]], {"axis": 1}, np.hstack([left, right])),
        ("QLinearWhere", [a > 99, a, *scalars[:2], b, *scalars[2:]], {}, np.where(a > 99, left, right)),
        ("QLinearGlobalAveragePool", [half_codes(a), *one[1:]], {}, half.mean((2, 3), keepdims=True)),
    ]
    for name, operands, attributes, values in cases:
        found = run(name, *operands, **attributes)
        assert found.dtype == np.uint8, name
        wanted = quantized(values, float(out), 90)
        assert found.shape == wanted.shape, name
        assert np.abs(found - wanted).max() <= (0 if name == "QLinearAdd" else 1), name
        assert (found == wanted).mean() > 0.9, name


def half_codes(a: Array) -> Array:
    return a.reshape(3, 4, 2, 2)


# --- normalisations and activations ---


def normal(x: Array, eps: float) -> Array:
    centred = x - x.mean(-1, keepdims=True)
    return np.asarray(centred / np.sqrt((centred**2).mean(-1, keepdims=True) + eps))


def test_normalisations() -> None:
    x, skip, gamma, beta, bias = drawn(2, 5, 8), drawn(5, 8), drawn(8), drawn(8), drawn(8)
    total = x.astype("d") + skip + bias
    y, mean, scale, summed = run("SkipLayerNormalization", x, skip, gamma, beta, bias, outputs=4, epsilon=1e-5)
    np.testing.assert_allclose(y, normal(total, 1e-5) * gamma + beta, rtol=0, atol=1e-5)
    np.testing.assert_allclose(mean[..., 0], total.mean(-1), rtol=0, atol=1e-6)
    np.testing.assert_allclose(scale[..., 0], 1 / np.sqrt(total.var(-1) + 1e-5), rtol=1e-5)
    np.testing.assert_allclose(summed, total, rtol=0, atol=1e-6)
    rms = total / np.sqrt((total**2).mean(-1, keepdims=True) + 1e-5) * gamma
    y = run("SkipSimplifiedLayerNormalization", x, skip, gamma, bias, epsilon=1e-5)
    np.testing.assert_allclose(y, rms, rtol=0, atol=1e-5)
    y, reciprocal = run("SimplifiedLayerNormalization", x, gamma, outputs=2)
    np.testing.assert_allclose(reciprocal[..., 0], 1 / np.sqrt((x.astype("d") ** 2).mean(-1) + 1e-5), rtol=1e-5)
    np.testing.assert_allclose(y, x * reciprocal * gamma, rtol=0, atol=1e-5)
    words, tables = RNG.integers(0, 9, (2, 5)).astype(np.int32), (drawn(9, 8), drawn(7, 8), drawn(2, 8))
    mask = np.int32([[1, 1, 1, 0, 0], [1] * 5])
    y, count = run("EmbedLayerNormalization", words, words % 2, *tables, gamma, beta, mask, outputs=2, epsilon=1e-5)
    total = tables[0][words].astype("d") + tables[1][:5] + tables[2][words % 2]
    np.testing.assert_allclose(y, normal(total, 1e-5) * gamma + beta, rtol=0, atol=1e-5)
    assert count.tolist() == [3, 5]
    images = drawn(2, 3, 4, 6)
    by_groups = images.reshape(2, 12, 3, 2).transpose(0, 2, 1, 3).reshape(2, 3, 24).astype("d")
    wanted = normal(by_groups, 1e-5).reshape(2, 3, 12, 2).transpose(0, 2, 1, 3).reshape(2, 3, 4, 6)
    y = run("GroupNorm", images, np.ones(6, np.float32), np.zeros(6, np.float32), groups=3, activation=0)
    np.testing.assert_allclose(y, wanted, rtol=0, atol=1e-5)
    for kind in (0, 1):  # the attribute only names a form of the second result
        operands = (words, words % 2, *tables, gamma, beta, mask)
        assert run("EmbedLayerNormalization", *operands, outputs=2, mask_index_type=kind)[1].tolist() == count.tolist()


def test_activations() -> None:
    x, bias, erf = drawn(3, 8) * 4, drawn(8), np.vectorize(math.erf)
    total = x.astype("d") + bias
    gelu = total * (1 + erf(total / math.sqrt(2))) / 2
    by_tanh = total * (1 + np.tanh(math.sqrt(2 / math.pi) * (total + 0.044715 * total**3))) / 2
    np.testing.assert_allclose(run("BiasGelu", x, bias), gelu, rtol=0, atol=1e-6)
    np.testing.assert_allclose(run("FastGelu", x, bias), by_tanh, rtol=0, atol=1e-6)
    np.testing.assert_allclose(
        run("QuickGelu", x, alpha=1.5), x / (1 + np.exp(-1.5 * x.astype("d"))), rtol=0, atol=1e-6
    )
    np.testing.assert_allclose(run("BiasSplitGelu", x, bias), total[:, :4] * gelu[:, 4:], rtol=0, atol=1e-5)
    np.testing.assert_allclose(run("BiasAdd", x, bias, x), total + x, rtol=0, atol=1e-5)


# --- attention ---


def attended(q: Array, k: Array, v: Array, bias: Array | float = 0.0) -> Array:
    """Return the attention of all heads, for operands of shape (batch, heads, rows, elements)."""
    scores = np.einsum("bhie,bhje->bhij", q, k) / math.sqrt(q.shape[3]) + bias
    with np.errstate(invalid="ignore"):
        weights = np.exp(scores - scores.max(-1, keepdims=True))
    y = weights / weights.sum(-1, keepdims=True) @ v
    return np.asarray(y.transpose(0, 2, 1, 3).reshape(q.shape[0], q.shape[2], -1))


def heads(x: Array, count: int) -> Array:
    return x.astype("d").reshape(*x.shape[:2], count, -1).transpose(0, 2, 1, 3)


FILTERED = -10000.0
MASKS = {
    "none": (None, 0.0),
    "ends": (np.int32([3, 5]), np.where(np.arange(5) < np.array([[3], [5]]), 0, FILTERED)[:, None, None]),
    "keys": (np.int32([[1, 0, 1, 0, 1], [1] * 5]), np.array([[0, FILTERED, 0, FILTERED, 0], [0] * 5])[:, None, None]),
}


@pytest.mark.parametrize("causal", [0, 1])
@pytest.mark.parametrize("mask", sorted(MASKS))
def test_attention_with_projections(mask: str, causal: int) -> None:
    x, w, b = drawn(2, 5, 8), drawn(8, 24), drawn(24)
    given, bias = MASKS[mask]
    future = np.where(np.tri(5, dtype=bool), 0, -np.inf) if causal else 0.0
    q, k, v = (heads(part, 2) for part in np.split(x.astype("d") @ w + b, 3, axis=2))
    y = run("Attention", x, w, b, given, num_heads=2, unidirectional=causal)
    np.testing.assert_allclose(y, attended(q, k, v, bias + future), rtol=0, atol=1e-5)
    xq, wq = codes(2, 5, 8), codes(8, 24, signed=True)
    projected = (xq.astype("d") - 120) * 0.01 @ (wq * 0.01) + b
    q, k, v = (heads(part, 2) for part in np.split(projected, 3, axis=2))
    scales = np.float32(0.01), np.float32(0.01)
    y = run(
        "QAttention", xq, wq, b, *map(np.array, scales), given, np.array(120, np.uint8), num_heads=2,
        unidirectional=causal,
    )  # fmt: skip
    np.testing.assert_allclose(y, attended(q, k, v, bias + future), rtol=0, atol=1e-5)


def test_attention_with_a_past() -> None:
    x, w, past = drawn(2, 3, 8), drawn(8, 24), drawn(2, 2, 2, 4, 4)
    q, k, v = (heads(part, 2) for part in np.split(x.astype("d") @ w, 3, axis=2))
    k, v = np.concatenate([past[0], k], 2), np.concatenate([past[1], v], 2)
    future = np.where(np.tri(3, 7, 4, dtype=bool), 0, -np.inf)
    y, present = run("Attention", x, w, None, None, past, outputs=2, num_heads=2, unidirectional=1)
    np.testing.assert_allclose(y, attended(q, k, v, future), rtol=0, atol=1e-5)
    np.testing.assert_allclose(present, np.stack([k, v]), rtol=0, atol=1e-5)
    with pytest.raises(DimensionsMismatchError, match="Attention: present"):
        run("Attention", x, drawn(8, 22), outputs=2, num_heads=2, qkv_hidden_sizes=[8, 8, 6])
    query = drawn(2, 3, 8)
    added = drawn(1, 2, 3, 7)
    y, keys, values = run(
        "MultiHeadAttention", query, x, x, None, None, added, past[0], past[1], outputs=3, num_heads=2
    )
    k, v = (np.concatenate([each, heads(x, 2)], 2) for each in past)
    np.testing.assert_allclose(y, attended(heads(query, 2), k, v, added), rtol=0, atol=1e-5)
    np.testing.assert_allclose(values, v, rtol=0, atol=1e-6)
    assert keys.shape == k.shape


def test_a_bias_belongs_to_operands_without_heads() -> None:
    """The bias of MultiHeadAttention is added to a key and a value only before the heads are apart."""
    query, rows, bias = drawn(2, 3, 8), drawn(2, 4, 8), drawn(24)
    parts = np.split(bias.astype("d"), 3)
    apart = [heads(each, 2).astype(np.float32) for each in (rows, rows[:, ::-1])]
    y, keys, values = run("MultiHeadAttention", query, *apart, bias, outputs=3, num_heads=2)
    np.testing.assert_allclose(y, attended(heads(query + parts[0], 2), *apart), rtol=0, atol=1e-5)
    np.testing.assert_array_equal(keys, apart[0])
    np.testing.assert_array_equal(values, apart[1])
    y, keys, values = run("MultiHeadAttention", query, rows, rows[:, ::-1], bias, outputs=3, num_heads=2)
    k, v = (heads(each + part, 2) for each, part in zip((rows, rows[:, ::-1]), parts[1:], strict=True))
    np.testing.assert_allclose(y, attended(heads(query + parts[0], 2), k, v), rtol=0, atol=1e-5)
    with pytest.raises(DimensionsMismatchError, match=r"key of shape \(2, 2, 4, 4\) and value .* differ in rank"):
        run("MultiHeadAttention", query, apart[0], rows, num_heads=2)


@pytest.mark.parametrize("window", [-1, 2])
def test_attention_of_groups(window: int) -> None:
    batch, rows, count, groups, size = 2, 4, 4, 2, 8
    q, k, v = drawn(batch, rows, count * size), *(drawn(batch, rows, groups * size) for _ in range(2))
    last, total = np.int32([3, 1]), np.int32([4])
    repeated = [np.repeat(heads(each, groups), 2, 1) for each in (k, v)]
    i, j = np.indices((rows, rows))
    seen = (j <= i) & ((window < 0) | (i - j < window))
    shown = seen[None] & (j < (last[:, None, None] + 1))
    bias = np.where(shown, 0, -np.inf)[:, None]
    bias[1, :, 2:] = 0  # padding, whose results are not used
    y, *_ = run(
        "GroupQueryAttention", q, k, v, None, None, last, total, outputs=3, num_heads=count, kv_num_heads=groups,
        local_window_size=window,
    )  # fmt: skip
    wanted = attended(heads(q, count), *repeated, bias)
    np.testing.assert_allclose(y[0], wanted[0], rtol=0, atol=1e-5)
    np.testing.assert_allclose(y[1, :2], wanted[1, :2], rtol=0, atol=1e-5)
    packed_heads = np.concatenate([q, k, v], 2)
    same, *_ = run(
        "GroupQueryAttention", packed_heads, None, None, None, None, last, total, outputs=3, num_heads=count,
        kv_num_heads=groups, local_window_size=window,
    )  # fmt: skip
    np.testing.assert_array_equal(same, y)


def test_errors_of_attention_with_a_past() -> None:
    rows, past = drawn(1, 1, 16), drawn(1, 2, 5, 8)
    counts = {"num_heads": 4, "kv_num_heads": 2}

    def groups(*pasts: Any, last: int = 5, total: int = 6, **more: int) -> Any:
        given = (drawn(1, 1, 32), rows, rows, *pasts, np.int32([last]), np.int32(total))
        return run("GroupQueryAttention", *given, outputs=3, **counts, **more)

    assert groups(past, past)[1].shape == (1, 2, 6, 8)
    for last, total in ((-1, 6), (6, 6), (100, 101), (5, 7), (0, 0), (0, -1)):
        with pytest.raises(OutOfRangeError, match=r"seqlens_k|total_sequence_length"):
            groups(past, past, last=last, total=total)
    for pasts in ((past, None), (None, past)):
        with pytest.raises(InvalidArgumentError, match="past_key and past_value must both be given"):
            groups(*pasts)
    with pytest.raises(InvalidArgumentError, match="do_rotary is set, and cos_cache or sin_cache is missing"):
        groups(past, past, do_rotary=1)
    with pytest.raises(InvalidArgumentError, match="past_key and past_value must both be given"):
        run("MultiHeadAttention", rows, rows, rows, None, None, None, drawn(1, 4, 2, 4), num_heads=4)


def test_cosines_of_rotary_embedding_have_as_many_dimensions_as_asked() -> None:
    if defs.onnx_opset_version() < 23:
        pytest.skip("RotaryEmbedding is of opset 23")
    x, cos = drawn(1, 2, 3, 8), drawn(3, 4)
    with pytest.raises(DimensionsMismatchError, match=r"cosines of shape \(3, 4\) have not 3 dimensions"):
        run_node("RotaryEmbedding", 23, [x, cos, cos])


def test_rotated_positions() -> None:
    x, angles = drawn(2, 3, 5, 8), RNG.normal(size=(20, 4))
    cos, sin = np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)
    positions = RNG.integers(0, 20, (2, 5))
    turned = (x[..., :4] + 1j * x[..., 4:]) * np.exp(1j * angles)[positions][:, None]
    y = run("RotaryEmbedding", x, positions, cos, sin)
    np.testing.assert_allclose(y, np.concatenate([turned.real, turned.imag], -1), rtol=0, atol=1e-5)
    turned = (x[..., ::2] + 1j * x[..., 1::2]) * np.exp(1j * angles)[3:8]
    y = run("RotaryEmbedding", x, np.int64([3]), cos, sin, interleaved=1)
    np.testing.assert_allclose(y, np.stack([turned.real, turned.imag], -1).reshape(x.shape), rtol=0, atol=1e-5)


def test_caches_are_written_within_bounds() -> None:
    if defs.onnx_opset_version() < 24:
        pytest.skip("TensorScatter is of opset 24")
    cache, update = drawn(2, 3, 6, 2), drawn(2, 3, 4, 2)
    for mode, places in (("linear", [0, 2]), ("circular", [5, 3])):
        wanted = cache.copy()
        for n, start in enumerate(places):
            for t in range(4):
                wanted[n, :, (start + t) % 6] = update[n, :, t]
        (found,) = run_node("TensorScatter", 24, [cache, update, np.int64(places)], mode=mode)
        np.testing.assert_array_equal(found, wanted)
    for error, operands in (
        (OutOfRangeError, [cache, update, np.int64([0, 3])]), (OutOfRangeError, [cache, update, np.int64([0, -1])]),
        (DimensionsMismatchError, [cache, update[:1]]), (DimensionsMismatchError, [update, cache]),
    ):  # fmt: skip
        with pytest.raises(error):
            run_node("TensorScatter", 24, operands)


def test_operands_that_do_not_fit() -> None:
    """Operators of com.microsoft raise only Suanzi's errors for operands whose shapes do not fit."""
    shapes: list[tuple[int, ...]] = [(), (0,), (3,), (2, 3), (2, 3, 4), (1, 1, 1, 1)]
    names = {
        "Attention": {"num_heads": 2}, "MultiHeadAttention": {"num_heads": 2}, "SkipLayerNormalization": {},
        "BiasSplitGelu": {}, "FusedGemm": {}, "RotaryEmbedding": {}, "GroupNorm": {"groups": 2, "activation": 0},
    }  # fmt: skip
    for name, attributes in names.items():
        for first in shapes:
            for second in shapes:
                operands: list[Any] = [drawn(*first), drawn(*second), drawn(*second)]
                if name == "RotaryEmbedding":
                    operands = [operands[0], np.zeros(second, np.int64), drawn(4, 2), drawn(4, 2)]
                with suppress(SuanziError):
                    run(name, *(operands if name != "BiasSplitGelu" else operands[:2]), **attributes)
