"""Products of quantized codes, and dynamic quantization, compared with NumPy's 64-bit integers."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from onnx import numpy_helper

import suanzi
from interop.models import Array, parsed
from suanzi import OutOfRangeError, TypeMismatchError, _core
from suanzi.interop import onnx

RNG = np.random.default_rng(46)
TYPES = ("int8", "uint8")


def codes(dtype: str, *shape: int) -> Array:
    limits = np.iinfo(dtype)
    return RNG.integers(limits.min, limits.max, shape, dtype, endpoint=True)


def product(a: Array, a_zero: Any, b: Array, b_zero: Any) -> Array:
    wide = [np.asarray(x, np.int64) for x in (a, a_zero, b, b_zero)]
    return ((wide[0] - wide[1]) @ (wide[2] - wide[3])).astype(np.int32)


@pytest.mark.parametrize("first", TYPES)
@pytest.mark.parametrize("second", TYPES)
@pytest.mark.parametrize("rows", [1, 3, 7])
def test_products_of_codes_less_their_zero_points(first: str, second: str, rows: int) -> None:
    a, b = codes(first, rows, 37), codes(second, 37, 21)
    for lies in (b, np.asfortranarray(b)):
        for a_zero, b_zero in ((0, 0), (5, 0), (int(a.min()), int(b.max()))):
            found = _core.matmul_integers(suanzi.from_reference(a), a_zero, suanzi.from_reference(lies), b_zero)
            np.testing.assert_array_equal(found.numpy(), product(a, a_zero, b, b_zero))


def test_zero_points_are_values_of_the_codes() -> None:
    a, b = suanzi.tensor(codes("int8", 2, 3)), suanzi.tensor(codes("uint8", 3, 2))
    with pytest.raises(OutOfRangeError, match="matmul_integers: the zero point of x1 128 is not a value of int8"):
        _core.matmul_integers(a, 128, b, 0)
    with pytest.raises(OutOfRangeError, match="matmul_integers: the zero point of x2 -1 is not a value of uint8"):
        _core.matmul_integers(a, 0, b, -1)
    with pytest.raises(TypeMismatchError, match="matmul_integers: elements are float32"):
        _core.matmul_integers(suanzi.ones((2, 3)), 0, b, 0)


ZEROS: dict[str, Array] = {
    "one": np.uint8(7).reshape(()),
    "one for all columns": np.full(5, 9, np.uint8),
    "one for each column": np.arange(5, dtype=np.uint8),
}


@pytest.mark.parametrize("of_b", ZEROS)
@pytest.mark.parametrize("stored", [True, False])
@pytest.mark.parametrize("of_rows", [True, False])
def test_matmul_integer(of_b: str, stored: bool, of_rows: bool) -> None:
    a, b, b_zero = codes("uint8", 4, 11), codes("uint8", 11, 5), ZEROS[of_b]
    a_zero = codes("uint8", 4) if of_rows else codes("uint8", 1)[0]
    given = "" if stored else f", uint8[11,5] b, uint8{list(b_zero.shape) or ''} bz"
    rank = "[4]" if of_rows else ""
    model = parsed(
        17, f"g (uint8[4,11] a, uint8{rank} az{given}) => (int32[4,5] y) {{ y = MatMulInteger(a, b, az, bz) }}"
    )
    if stored:
        model.graph.initializer.extend([numpy_helper.from_array(b, "b"), numpy_helper.from_array(b_zero, "bz")])
    loaded = onnx.load(model)
    feed = {"a": a, "az": a_zero} | ({} if stored else {"b": b, "bz": b_zero})
    for _ in range(2):
        (y,) = loaded.run(feed)
        np.testing.assert_array_equal(y.numpy(), product(a, a_zero[:, None] if of_rows else a_zero, b, b_zero))


@pytest.mark.parametrize("size", [0, 1, 33, 5000])
@pytest.mark.parametrize("shift", [-3.0, 0.0, 3.0])
def test_dynamic_codes(size: int, shift: float) -> None:
    x = (RNG.normal(size=size) + shift).astype("float32")
    y, step, zero = (each.numpy() for each in _core.dynamic_codes(suanzi.tensor(x)))
    least, most = np.float32(min(x.min(initial=0), 0)), np.float32(max(x.max(initial=0), 0))
    assert step == ((most - least) / np.float32(255) if most > least else 1)
    assert zero == np.rint(np.clip(-least / step, 0, 255))
    np.testing.assert_array_equal(y, np.clip(np.rint(x / step) + zero, 0, 255).astype(np.uint8))


def test_dynamic_codes_of_zeros_and_of_wrong_types() -> None:
    y, step, zero = _core.dynamic_codes(suanzi.zeros((2, 3)))
    assert (y.numpy() == 0).all()
    assert (step.item(), zero.item()) == (1, 0)
    with pytest.raises(TypeMismatchError, match="dynamic_codes: elements are float64, not float32"):
        _core.dynamic_codes(suanzi.zeros((2,), dtype=suanzi.float64))


def test_nan_and_infinity_have_some_codes() -> None:
    for strange in (np.nan, np.inf, -np.inf):
        x = np.ones(100, np.float32)
        x[50] = strange
        y, step, _ = _core.dynamic_codes(suanzi.tensor(x))
        assert y.shape == (100,)
        assert not np.isfinite(step.item())


def test_dynamic_quantize_linear() -> None:
    model = onnx.load(
        parsed(17, "g (float[2,n] x) => (uint8[2,n] y, float s, uint8 z) { y, s, z = DynamicQuantizeLinear(x) }")
    )
    x = RNG.normal(size=(2, 9)).astype("float32")
    y, s, z = (each.numpy() for each in model.run([x]))
    np.testing.assert_allclose((y.astype("float32") - z) * s, x, atol=s * 0.501)
    assert (y.min(), y.max()) == (0, 255)


def test_models_of_codes_are_pickled() -> None:
    model = parsed(
        17, "g (float[2,11] x) => (int32[2,5] y) { c, s, z = DynamicQuantizeLinear(x) y = MatMulInteger(c, b, z) }"
    )
    model.graph.initializer.append(numpy_helper.from_array(codes("int8", 11, 5), "b"))
    loaded = onnx.load(model)
    x = RNG.normal(size=(2, 11)).astype("float32")
    (expected,) = loaded.run([x])
    (found,) = pickle.loads(pickle.dumps(loaded)).run([x])
    np.testing.assert_array_equal(found.numpy(), expected.numpy())
