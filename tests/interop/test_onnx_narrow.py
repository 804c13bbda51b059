"""Tests of 8-bit floats and of types of fewer than 8 bits: storage, reading and conversion."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from onnx import ModelProto, TensorProto, helper, numpy_helper

import suanzi
from interop.models import parsed
from suanzi import InvalidArgumentError, SuanziError, TypeMismatchError
from suanzi.interop import onnx

pytestmark = pytest.mark.one_level

FLOATS = {
    "FLOAT8E4M3FN": (ml_dtypes.float8_e4m3fn, 448.0, np.nan),
    "FLOAT8E4M3FNUZ": (ml_dtypes.float8_e4m3fnuz, 240.0, np.nan),
    "FLOAT8E5M2": (ml_dtypes.float8_e5m2, 57344.0, np.inf),
    "FLOAT8E5M2FNUZ": (ml_dtypes.float8_e5m2fnuz, 57344.0, np.nan),
}
INTEGERS = {"INT4": (-8, 7), "UINT4": (0, 15)}


def cast(to: str, given: int = TensorProto.FLOAT, **attributes: int) -> ModelProto:
    code = TensorProto.DataType.Value(to)
    node = helper.make_node("Cast", ["x"], ["y"], to=code, **attributes)
    value = helper.make_tensor_value_info
    graph = helper.make_graph([node], "g", [value("x", given, None)], [value("y", code, None)])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)


@pytest.mark.parametrize("name", FLOATS)
def test_all_values_of_floats(name: str) -> None:
    codes = np.arange(256, dtype=np.uint8).view(FLOATS[name][0])
    (y,) = onnx.run(cast("FLOAT", TensorProto.DataType.Value(name)), [codes])
    np.testing.assert_array_equal(y.numpy(), codes.astype(np.float32))
    (back,) = onnx.run(cast(name, saturate=0), [y])
    assert back.dtype == codes.dtype
    np.testing.assert_array_equal(back.astype("f"), codes.astype("f"))


@pytest.mark.parametrize("name", FLOATS)
@pytest.mark.parametrize("given", ["float32", "float64", "float16", "bfloat16"])
def test_the_nearest_float(name: str, given: str) -> None:
    """A conversion to an 8-bit float rounds once to the nearest value, ties to even, also beyond the type's range."""
    numpy, most, past = FLOATS[name]
    values = np.unique(np.arange(256, dtype=np.uint8).view(numpy).astype("d"))
    values = values[np.isfinite(values)]
    middles = (values[1:] + values[:-1]) / 2
    x = np.concatenate([middles, np.nextafter(middles, np.inf), np.nextafter(middles, -np.inf), values])
    x = x.astype(ml_dtypes.bfloat16 if given == "bfloat16" else given)
    exact = x.astype("d")
    x, exact = x[np.isfinite(exact)], exact[np.isfinite(exact)]
    right = np.clip(np.searchsorted(values, exact), 1, len(values) - 1)
    low, high = values[right - 1], values[right]
    is_high = exact - low > high - exact
    ties = exact - low == high - exact
    code = TensorProto.DataType.Value({"float32": "FLOAT", "float64": "DOUBLE"}.get(given, given.upper()))
    (y,) = onnx.run(cast(name, code), [suanzi.tensor(x)])
    found = y.astype("d")
    np.testing.assert_array_equal(found[~ties], np.where(is_high, high, low)[~ties])
    assert not (y[ties].view(np.uint8) & 1).any()
    x = np.float32([np.inf, -np.inf, 1e30, -1e30, np.nan])
    (y,) = onnx.run(cast(name), [x])
    np.testing.assert_array_equal(y.astype("f"), [most, -most, most, -most, np.nan])
    (y,) = onnx.run(cast(name, saturate=0), [x])
    np.testing.assert_array_equal(y.astype("f"), [past, -past, past, -past, np.nan])


@pytest.mark.parametrize("name", INTEGERS)
def test_integers(name: str) -> None:
    low, high = INTEGERS[name]
    numpy = helper.tensor_dtype_to_np_dtype(TensorProto.DataType.Value(name))
    codes = np.arange(low, high + 1).astype(numpy)
    (y,) = onnx.run(cast("INT32", TensorProto.DataType.Value(name)), [codes])
    assert y.tolist() == list(range(low, high + 1))
    (y,) = onnx.run(cast(name), [np.float32([1.9, 3.0, 7.5, high])])
    assert y.astype("i").tolist() == [1, 3, 7, high]


@pytest.mark.parametrize("given", [np.float32(3), np.float64(3), np.ones((2, 0, 3), np.float64), np.float16([[3]])])
@pytest.mark.parametrize("name", ["FLOAT8E4M3FN", "INT4"])
def test_shapes(name: str, given: Any) -> None:
    code = helper.np_dtype_to_tensor_dtype(given.dtype)
    (y,) = onnx.run(cast(name, code), [np.asarray(given)])
    assert y.shape == given.shape
    (z,) = onnx.run(cast("FLOAT", TensorProto.DataType.Value(name)), [y])
    assert z.shape == given.shape
    assert z.tolist() == given.tolist()


def stored(name: str, how: str, folder: Path) -> ModelProto:
    """Return a model that multiplies by a stored matrix of 3 by 5 codes.

    `how` is the form in which the codes are stored.
    """
    low, high = INTEGERS[name]
    numpy = helper.tensor_dtype_to_np_dtype(TensorProto.DataType.Value(name))
    codes = (np.arange(15) % (high - low + 1) + low).reshape(3, 5).astype(numpy)
    tensor = numpy_helper.from_array(codes, "w")
    if how == "numbers":
        tensor = TensorProto(name="w", data_type=tensor.data_type, dims=(3, 5), int32_data=tensor.raw_data)
    elif how == "external":
        (folder / "w.bin").write_bytes(tensor.raw_data)
        tensor = TensorProto(name="w", data_type=tensor.data_type, dims=(3, 5), data_location=TensorProto.EXTERNAL)
        tensor.external_data.add(key="location", value="w.bin")
    text = "g (float[m,3] x) => (float[m,5] y) { a = DequantizeLinear<axis = 1>(w, s, z)  y = MatMul(x, a) }"
    model = parsed(21, text)
    model.graph.initializer.append(tensor)
    model.graph.initializer.append(numpy_helper.from_array(np.float32([1, 2, 3, 4, 5]), "s"))
    model.graph.initializer.append(numpy_helper.from_array(np.array([1, 0, 2, 3, 1]).astype(numpy), "z"))
    return model


@pytest.mark.parametrize("how", ["bytes", "numbers", "external"])
@pytest.mark.parametrize("name", INTEGERS)
def test_stored_matrices(name: str, how: str, tmp_path: Path) -> None:
    model = stored(name, how, tmp_path)
    (tmp_path / "model.onnx").write_bytes(model.SerializeToString())
    low, high = INTEGERS[name]
    codes = (np.arange(15) % (high - low + 1) + low).reshape(3, 5)
    weights = (codes - [1, 0, 2, 3, 1]) * [1.0, 2, 3, 4, 5]
    x = np.float32([[1, 2, 3], [-1, 0, 1]])
    np.testing.assert_allclose(onnx.run(tmp_path / "model.onnx", [x])[0].numpy(), x @ weights)


@pytest.mark.parametrize(
    ("dims", "size", "field"), [((3, 5), 7, "raw"), ((3, 5), 9, "raw"), ((3, 5), 15, "int"), ((2**40, 2), 8, "raw")]
)
def test_damaged_matrices(dims: Any, size: int, field: str, tmp_path: Path) -> None:
    model = stored("INT4", "bytes", tmp_path)
    tensor = TensorProto(name="w", data_type=TensorProto.INT4, dims=dims)
    if field == "raw":
        tensor.raw_data = b"\1" * size
    else:
        tensor.int32_data.extend([1] * size)
    model.graph.initializer[0].CopyFrom(tensor)
    with pytest.raises(InvalidArgumentError, match="do not fill"):
        onnx.load(model)


@pytest.mark.parametrize("name", FLOATS)
def test_quantized_floats(name: str) -> None:
    """QuantizeLinear rounds quotients to an 8-bit float, and DequantizeLinear multiplies the floats by the scale."""
    text = f"""g (float[n] x) => (float[n] y) {{
        q = QuantizeLinear<output_dtype = {TensorProto.DataType.Value(name)}>(x, s)  y = DequantizeLinear(q, s) }}"""
    model = parsed(21, text)
    model.graph.initializer.append(numpy_helper.from_array(np.float32(0.5), "s"))
    x = np.float32([0.3, -1.7, 20, 1e6, -1e6])
    numpy, most, _ = FLOATS[name]
    expected = np.clip(x / np.float32(0.5), -most, most).astype(numpy).astype("f") / 2
    np.testing.assert_array_equal(onnx.run(model, [x])[0].numpy(), expected)


def test_what_is_not_computed() -> None:
    x = np.float32([1]).astype(ml_dtypes.float8_e5m2)
    model = parsed(21, "g (float8e5m2[n] x, int64[1] s) => (float8e5m2[m] y) { y = Reshape(x, s) }")
    with pytest.raises(onnx.UnsupportedError, match=r"Reshape-21: operands of tensor\(float8e5m2\) are not supported"):
        onnx.load(model)
    with pytest.raises(TypeMismatchError, match="Neg-13: X is"):
        onnx.load(parsed(21, "g (float8e5m2[n] x) => (float8e5m2[n] y) { y = Neg(x) }"))
    for wrong in (np.float32([1]), x.view(np.uint8), [1.0], None):
        with pytest.raises(SuanziError):
            onnx.run(cast("FLOAT", TensorProto.FLOAT8E5M2), [wrong])
