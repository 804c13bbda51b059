"""Products of quantized codes, and dynamic quantization, equal results that NumPy computes in 64-bit integers."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from onnx import numpy_helper

import suanzi
from interop.models import Array, parsed
from suanzi import DimensionsMismatchError, InvalidArgumentError, OutOfRangeError, TypeMismatchError, _core
from suanzi.interop import onnx
from suanzi.interop.onnx.compositions.numbers import CodedMatrix

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


@pytest.mark.parametrize("first", TYPES)
@pytest.mark.parametrize("second", TYPES)
def test_products_with_packed_codes(first: str, second: str) -> None:
    for terms, columns in ((1, 1), (3, 5), (37, 32), (64, 70), (512, 33), (1030, 65)):
        b = codes(second, terms, columns)
        for lies, b_zero in ((b, 0 if second == "int8" else 128), (np.asfortranarray(b), int(b.max()))):
            panels = _core.to_byte_panels(suanzi.from_reference(lies), b_zero)
            assert panels.dtype == second
            for rows in (0, 1, 2, 5, 12, 17, 26):
                a = codes(first, rows, terms)
                for lines, a_zero in ((a, 0), (np.asfortranarray(a), int(a.min(initial=0)))):
                    x = suanzi.from_reference(lines)
                    found = _core.multiply_byte_panels(x, a_zero, panels, terms, columns, b_zero)
                    np.testing.assert_array_equal(found.numpy(), product(a, a_zero, b, b_zero))
        stack = codes(first, 2, 3, terms)
        found = _core.multiply_byte_panels(suanzi.tensor(stack), 1, panels, terms, columns, b_zero)
        np.testing.assert_array_equal(found.numpy(), product(stack, 1, b, b_zero))


def test_panels_of_another_matrix_are_refused() -> None:
    x, panels = suanzi.tensor(codes("int8", 2, 40)), _core.to_byte_panels(suanzi.tensor(codes("int8", 40, 8)), 0)
    for terms, columns in ((40, 400), (0, 8), (-40, 8), (2**62, 2**62), (400, 8)):
        with pytest.raises(InvalidArgumentError, match="bytes are not the panels of a matrix of shape"):
            _core.multiply_byte_panels(x, 0, panels, terms, columns, 0)
    with pytest.raises(DimensionsMismatchError, match=r"shapes \(2, 39\) and \(40, 8\) do not fit"):
        _core.multiply_byte_panels(x[:, :39], 0, panels, 40, 8, 0)
    with pytest.raises(TypeMismatchError, match="elements are float32, not of 8 bits"):
        _core.multiply_byte_panels(suanzi.ones((2, 40)), 0, panels, 40, 8, 0)
    for matrix in (x[0], x[:0]):
        with pytest.raises(DimensionsMismatchError, match="a matrix with elements"):
            _core.to_byte_panels(matrix, 0)


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


@pytest.mark.parametrize("zero", [3, "one for each column"])
def test_stored_matrices_are_packed_for_later_runs(zero: int | str) -> None:
    b = codes("uint8", 150, 130)
    b_zero = codes("uint8", 130) if isinstance(zero, str) else np.uint8(zero)
    model = parsed(17, "g (uint8[n,150] a, uint8 az) => (int32[n,130] y) { y = MatMulInteger(a, b, az, bz) }")
    for name, value in (("b", b), ("bz", b_zero)):
        model.graph.initializer.append(numpy_helper.from_array(np.asarray(value), name))
    loaded = onnx.load(model)
    for rows in (1, 3, 4, 5, 40, 2):
        a, a_zero = codes("uint8", rows, 150), codes("uint8", 1)[0]
        np.testing.assert_array_equal(loaded(a, a_zero).numpy(), product(a, a_zero, b, b_zero))
    again = pickle.loads(pickle.dumps(loaded))
    np.testing.assert_array_equal(again(a, a_zero).numpy(), product(a, a_zero, b, b_zero))


def test_panels_are_at_most_a_few_times_as_large() -> None:
    for shape, most in (((2**15, 1), 0), ((2**11, 15), 0), ((2**11, 16), 4.2), ((2**8, 2**8), 2.1)):
        matrix = CodedMatrix(suanzi.tensor(codes("int8", *shape)))
        for _ in range(3):
            matrix(suanzi.tensor(codes("int8", 1, shape[0])))
        assert (matrix.panels is not None) == (most > 0)
        assert matrix.panels is None or matrix.panels.nbytes <= most * matrix.codes.nbytes


def test_scaled_products_with_stored_matrices() -> None:
    a, b, scale = codes("uint8", 20, 150), codes("int8", 150, 130), np.float32(RNG.random(130))
    exact = (a.astype("d") - 100) @ (b.astype("d") - 3) * 0.02 * scale.astype("d")
    model = parsed(17, "g (uint8[20,150] a) => (uint8[20,130] y) { y = QLinearMatMul(a, s, az, b, bs, bz, ys, yz) }")
    stored = {"s": np.float32(0.02), "az": np.uint8(100), "b": b, "bs": scale, "bz": np.int8(3)}
    for name, value in (stored | {"ys": np.float32(50), "yz": np.uint8(90)}).items():
        model.graph.initializer.append(numpy_helper.from_array(np.asarray(value), name))
    loaded = onnx.load(model)
    expected = np.clip(np.rint(exact / 50) + 90, 0, 255)
    for _ in range(3):
        assert np.abs(loaded(a).numpy().astype("d") - expected).max() <= 1
    assert (loaded(a).numpy() == expected).mean() > 0.99
