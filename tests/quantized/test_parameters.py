"""Tests of element types, creation, rounding, computed scales and printing of quantized tensors, by exact fractions."""

from __future__ import annotations

import ast
import pickle
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from quantization import PER_TENSOR, SCALED, SHAPES, TYPES, exact, limits, made, operands, within_one_step

import suanzi
from samples import fails
from suanzi import (
    OutOfRangeError,
    QuantizedTensor,
)
from suanzi.quantized import QUANTIZED_TYPES


def test_the_eight_types() -> None:
    assert {t.name: (t.storage.numpy.type, t.symmetric, t.per_channel) for t in QUANTIZED_TYPES} == TYPES
    assert {t.name: t.codes for t in QUANTIZED_TYPES} == {name: limits(name) for name in TYPES}
    assert suanzi.quantized_tensor(2).dtype is suanzi.qint16
    for t in QUANTIZED_TYPES:
        assert getattr(suanzi, t.name) is t
        assert t == t.name
        assert not t != t.name  # noqa: SIM202
        assert {t.name: 1}[t] == 1
        assert [other.name for other in QUANTIZED_TYPES if other == t] == [t.name]
        assert (t == 3, t != "float32", t == t[:]) == (False, True, False)
        assert pickle.loads(pickle.dumps(t)) == t


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", TYPES)
def test_codes_are_kept(name: str, shape: tuple[int, ...]) -> None:
    storage, _, channels = TYPES[name]
    if channels and not shape:
        return
    x = made(np.random.default_rng(1), shape, name)
    assert (x.shape, x.ndim, x.size) == (shape, len(shape), int(np.prod(shape)))
    assert x.codes.numpy().dtype == storage
    expected = np.array([float(v) for v in exact(x).flat], np.float32).reshape(shape)
    np.testing.assert_array_equal(x.numpy(), expected)
    np.testing.assert_array_equal(suanzi.dequantize(x).numpy(), expected)
    doubles = np.array([float(v) for v in exact(x).flat]).reshape(shape)
    np.testing.assert_array_equal(suanzi.astype(x, "float64").numpy(), doubles)
    # A real number that equals the value of a code is quantized to that code.
    again = suanzi.quantize(suanzi.astype(x, "float64"), x.scale, x.zero_point, axis=x.axis, dtype=name)
    np.testing.assert_array_equal(again.codes.numpy(), x.codes.numpy())


def half_even(q: Fraction) -> int:
    return round(q)  # rounds a Fraction exactly, ties to even


@given(st.data(), st.sampled_from(PER_TENSOR), st.floats(2.0**-20, 2.0**20, width=32))
def test_rounding_is_half_to_even_and_saturates(data: st.DataObject, name: str, scale: float) -> None:
    least, greatest = limits(name)
    zero = 0 if TYPES[name][1] else data.draw(st.integers(least, greatest))
    ties = st.integers(2 * least - 9, 2 * greatest + 9).map(lambda k: np.float32(scale) * np.float32(k) / 2)
    nudged = ties.flatmap(lambda v: st.sampled_from([v, np.nextafter(v, np.float32(np.inf)), np.nextafter(v, -v)]))
    anything = st.floats(-(2.0**100), 2.0**100, width=32).map(np.float32)
    values = data.draw(st.lists(nudged | anything, min_size=1, max_size=20))
    x = suanzi.quantize(suanzi.tensor(np.array(values, np.float32)), scale, zero, dtype=name)
    quotients = [half_even(Fraction(float(v)) / Fraction(float(np.float32(scale)))) for v in values]
    assert x.codes.tolist() == [min(max(q + zero, least), greatest) for q in quotients]


@pytest.mark.parametrize("name", TYPES)
def test_infinities_saturate(name: str) -> None:
    scale: Any = [1.0] * 2 if TYPES[name][2] else 1.0
    x = suanzi.quantize(suanzi.tensor([float("inf"), -float("inf")]), scale, dtype=name)
    assert x.codes.tolist() == list(limits(name))[::-1]


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int64", "uint64", "float16", "bfloat16", "float32", "float64"])
def test_real_types(dtype: str) -> None:
    x = suanzi.tensor([0, 1, 5, 100], dtype=dtype)
    assert suanzi.quantize(x, 2.0, dtype="qint8").codes.tolist() == [0, 0, 2, 50]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", TYPES)
@pytest.mark.parametrize("values", ["normal", "positive", "negative", "zero", "tiny", "huge"])
def test_scales_that_are_found(values: str, name: str, shape: tuple[int, ...]) -> None:
    if TYPES[name][2] and not shape:
        return
    rng = np.random.default_rng(2)
    data = {
        "normal": rng.normal(size=shape),
        "positive": rng.uniform(1, 2, shape),
        "negative": -rng.uniform(1, 2, shape),
        "zero": np.zeros(shape),
        "tiny": rng.normal(size=shape) * 1e-42,
        "huge": rng.uniform(-1, 1, shape) * 3e38,
    }[values].astype(np.float32)
    x = suanzi.quantize(suanzi.tensor(data), dtype=name)
    fractions = np.array([Fraction(float(v)) for v in data.flat], object).reshape(shape)
    within_one_step(x, fractions)
    if values == "zero":
        assert not x.numpy().any()
    if values == "normal" and x.size > 1 and name == "qint8":  # the scale is as fine as possible
        assert np.abs(x.codes.numpy()).max() == 127


@pytest.mark.parametrize("values", [(1.0,), (-1.0,), (1.0, -1.0), (-1.0, 0.7), (1.0, -1e-8), (0.997, -1.0)])
@pytest.mark.parametrize("name", TYPES)
def test_scales_that_are_found_decode_to_what_float32_holds(name: str, values: tuple[float, ...]) -> None:
    x = np.array([values, values], np.float32) * np.finfo(np.float32).max
    q = suanzi.quantize(suanzi.tensor(x), dtype=name, **({"axis": 0} if TYPES[name][2] else {}))
    decoded = q.numpy().astype(np.float64)
    assert np.isfinite(decoded).all()
    # The number for an end of the range may be one step off, if the nearest code represents a number beyond float32.
    assert (np.abs(decoded - x) <= 1.01 * q.scale.numpy().max().astype(np.float64)).all()


@pytest.mark.parametrize("name", PER_TENSOR)
def test_no_numbers_have_scale_1_and_zero_point_0(name: str) -> None:
    x = suanzi.quantize(suanzi.zeros((0, 3)), dtype=name)
    for y in (x, x + x, x * 2.5, suanzi.maximum(x, x), suanzi.requantize(x, dtype=name)):
        assert (float(y.scale), y.zero_point) == (1.0, 0)


def test_data_fills_the_shape_from_the_start() -> None:
    short = suanzi.quantized_tensor((2, 2), [1.0, 2.0], scale=0.5, zero_point=3, dtype="quint8")
    assert short.tolist() == [[1, 2], [0, 0]]
    codes = suanzi.quantized_tensor((2, 2), np.array([9, 8, 7], np.int64), scale=0.5, zero_point=3, dtype="quint8")
    assert codes.codes.tolist() == [[9, 8], [7, 3]]
    assert suanzi.quantized_tensor(2, [1.0, 2.0, 3.0], scale=1).tolist() == [1, 2]
    assert suanzi.quantized_tensor((2, 1), scale=0.5, zero_point=7, dtype="quint8").codes.tolist() == [[7], [7]]
    assert suanzi.quantized_tensor((2, 3), np.ones((2, 3)), scale=1, layout=(0, 1)).layout.order == (0, 1)


def test_numbers_of_python_are_real_and_typed_integers_are_codes() -> None:
    assert suanzi.quantized_tensor(None, [2, 4], scale=2.0).codes.tolist() == [1, 2]
    assert suanzi.quantized_tensor(None, np.array([2, 4]), scale=2.0).codes.tolist() == [2, 4]


@given(operands())
def test_requantize(pair: tuple[QuantizedTensor, QuantizedTensor]) -> None:
    x, like = pair
    if like.axis is None:
        y = suanzi.requantize(x, like.scale, like.zero_point, dtype=like.dtype)
        within_one_step(y, exact(x), saturating=True)
    within_one_step(suanzi.requantize(x), exact(x))
    within_one_step(suanzi.requantize(x, dtype="quint16"), exact(x))


def test_codes_cover_numbers_beyond_float32() -> None:
    x = suanzi.quantized_tensor(None, np.array([100, 50], np.int8), scale=3e36, dtype="qint8")
    twice = x + x
    within_one_step(twice, 2 * exact(x))
    within_one_step(x - twice, exact(x) - exact(twice))
    within_one_step(suanzi.maximum(twice, x), exact(twice))
    within_one_step(suanzi.requantize(twice, dtype="qint16"), exact(twice))
    within_one_step(suanzi.requantize(twice, dtype="quint8"), exact(twice))


@pytest.mark.parametrize(("name", "axis"), SCALED)
def test_printing(name: str, axis: int) -> None:
    x = made(np.random.default_rng(11), (3, 4), name, axis=axis)
    text = repr(x)
    assert text.startswith("quantized_tensor([[")
    assert text.endswith(f"dtype={name})")
    values = text[len("quantized_tensor(") : text.index("]]") + 2]
    np.testing.assert_allclose(ast.literal_eval(values), x.numpy(), rtol=1e-5)
    assert "scale=" in text
    assert ("zero_point=" in text) == (not TYPES[name][1])
    assert (f"axis={axis}" in text) == TYPES[name][2]
    assert str(x) == text


def test_printing_of_shapes() -> None:
    assert "shape=(0, 3)" in repr(suanzi.quantized_tensor((0, 3)))
    assert "shape=(2000,)" in repr(suanzi.quantized_tensor(2000))
    x = suanzi.quantized_tensor(2)
    suanzi.destroy(x)
    assert repr(x) == "quantized_tensor(<destroyed>)"


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("name", TYPES)
@pytest.mark.usefixtures("keep_threads")
def test_large_tensors(name: str, threads: int) -> None:
    suanzi.set_num_threads(threads)
    _, symmetric, channels = TYPES[name]
    values = (np.random.default_rng(14).normal(size=(300, 1000)) * 1e4).astype(np.float32)
    scale = np.linspace(0.1, 3.0, 300, dtype=np.float32) if channels else np.float32(0.3)
    zero = 0 if symmetric else 11
    steps = scale.reshape(-1, 1).astype(np.float64) if channels else np.float64(scale)
    expected = np.clip(np.rint(values / steps) + zero, *limits(name))
    for ours, theirs, axis in (
        (suanzi.tensor(values), expected, 0),
        (suanzi.tensor(values).T, expected.T, 1),
        (suanzi.tensor(values)[:, ::-3], expected[:, ::-3], 0),
        (suanzi.expand(suanzi.tensor(values)[:, :1], (300, 7)), np.broadcast_to(expected[:, :1], (300, 7)), 0),
    ):
        x = suanzi.quantize(ours, scale, zero, axis=axis if channels else None, dtype=name)
        np.testing.assert_array_equal(x.codes.numpy(), theirs)
        across = steps if axis == 0 else np.transpose(steps)
        np.testing.assert_array_equal(x.numpy(), ((theirs - zero) * across).astype(np.float32))


@pytest.mark.parametrize("kind", [str(kind) for kind in suanzi.quantized.QUANTIZED_TYPES if not kind.per_channel])
@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint16", "int64", "uint64"])
def test_codes_of_every_type_are_checked(kind: str, dtype: str) -> None:
    """Codes at both ends of the range are accepted in any integer type. Codes beyond the range are refused."""
    least, greatest = next(t for t in suanzi.quantized.QUANTIZED_TYPES if str(t) == kind).codes
    info = np.iinfo(dtype)
    for shape in ((), (1,), (2, 3), (0,)):
        for code in (least, greatest, 0, least - 1, greatest + 1, int(info.min), int(info.max)):
            if not info.min <= code <= info.max:
                continue
            codes = np.full(shape, code, dtype)
            if codes.size and not least <= code <= greatest:
                with fails(OutOfRangeError, "quantized_tensor"):
                    suanzi.quantized_tensor(None, codes, scale=1.0, dtype=kind)
                continue
            for form in (codes, suanzi.tensor(codes), codes.T):
                x = suanzi.quantized_tensor(None, form, scale=1.0, dtype=kind)
                assert np.array_equal(x.codes.numpy(), form.numpy() if isinstance(form, suanzi.Tensor) else form)
                assert x.codes.is_contiguous()


def test_the_scale_is_a_copy() -> None:
    """Tensors share scales, so a caller must not be able to change them."""
    x = suanzi.quantized_tensor((2,), suanzi.tensor([1.0, 2.0]), scale=0.5, dtype="qint8")
    for other in (x, suanzi.clone(x), x[:1]):
        other.scale[...] = 100.0
    assert x.tolist() == [1.0, 2.0]
