"""Suanzi reads large tensors of a model's file without protobuf, and leaves unusual files to protobuf."""

from __future__ import annotations

import io
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from google.protobuf.message import DecodeError
from hypothesis import given
from hypothesis import strategies as st
from models import parsed
from onnx import ModelProto, TensorProto, helper, numpy_helper

import suanzi
from suanzi import tuning
from suanzi.interop import onnx
from suanzi.interop.onnx import source, wire

WEIGHTS = np.arange(6000, dtype=np.float32).reshape(2, 3000)


def message(number: int, value: bytes) -> bytes:
    return wire._head(number, len(value)) + value


def model() -> ModelProto:
    text = "g (float[2,3000] x) => (float[2,3000] y) { c = Constant()  s = Mul(x, w)  t = Add(s, b)  y = Add(t, c) }"
    proto = parsed(13, text)
    proto.graph.node[0].attribute.append(helper.make_attribute("value", numpy_helper.from_array(-WEIGHTS)))
    proto.graph.initializer.append(numpy_helper.from_array(np.float32(1), "b"))
    proto.graph.initializer.append(numpy_helper.from_array(WEIGHTS, "w"))
    proto.graph.doc_string = "算子" * 200
    return proto


DATA = model().SerializeToString()


def as_numbers() -> ModelProto:
    """Return the model with the weights in the field of float32 numbers, as older exporters write weights."""
    proto = model()
    proto.graph.initializer[1].CopyFrom(helper.make_tensor("w", TensorProto.FLOAT, WEIGHTS.shape, WEIGHTS.ravel()))
    return proto


NUMBERS = as_numbers().SerializeToString()


def whole(parts: wire.Apart) -> ModelProto:
    """Return the model of a file that was read in parts, with the bytes of the tensors put back."""
    proto = ModelProto.FromString(parts.message)
    for place, elements in parts.tensors.items():
        elements.put_into(wire.tensor_at(proto, place))
    return proto


def parts_of(data: bytes) -> wire.Apart | None:
    return wire.apart(io.BytesIO(data), len(data), "a test")


@pytest.fixture
def every_file_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tuning, "LARGE_FILE", 0)
    monkeypatch.setattr(tuning, "LARGE_TENSOR", 0)


@pytest.mark.parametrize("proto", [model(), as_numbers()], ids=["bytes", "numbers"])
def test_the_parts_are_the_model(proto: ModelProto) -> None:
    parts = parts_of(proto.SerializeToString())
    assert parts is not None
    assert list(parts.tensors) == [
        (("graph", 0), ("node", 0), ("attribute", 0), ("t", 0)),
        (("graph", 0), ("initializer", 1)),
    ]
    assert len(parts.message) < len(DATA) - 2 * WEIGHTS.nbytes
    assert whole(parts) == proto


@pytest.mark.parametrize("window", [20, 64, 2**16])
def test_a_window_of_any_size(monkeypatch: pytest.MonkeyPatch, window: int) -> None:
    monkeypatch.setattr(wire, "_WINDOW", window)
    parts = parts_of(DATA)
    assert parts is not None
    assert whole(parts) == model()


@pytest.mark.parametrize("whole_file", [DATA, NUMBERS], ids=["bytes", "numbers"])
@given(data=st.data())
def test_changed_bytes_are_read_as_protobuf_reads_them(whole_file: bytes, data: st.DataObject) -> None:
    """A changed file read in parts is refused if protobuf refuses the file, and is otherwise protobuf's model."""
    changed = bytearray(whole_file)
    places = st.one_of(st.integers(0, 400), st.integers(len(DATA) - WEIGHTS.nbytes - 700, len(DATA) - 1))
    for _ in range(data.draw(st.integers(1, 3))):
        changed[data.draw(places) % len(changed)] = data.draw(st.integers(0, 255))
    del changed[data.draw(st.sampled_from([len(changed), len(changed) - 1, 3000])) :]
    expected: ModelProto | None = None
    with suppress(DecodeError):
        expected = ModelProto.FromString(bytes(changed))
    parts = parts_of(bytes(changed))
    if parts is None:  # the file is left to protobuf
        return
    if expected is None:
        with pytest.raises(DecodeError):
            whole(parts)
    else:
        assert whole(parts).SerializeToString(deterministic=True) == expected.SerializeToString(deterministic=True)


def test_repeated_fields_are_left_to_protobuf() -> None:
    """Files with repeated fields are left to protobuf, which merges two graphs and reads the last bytes of a tensor."""
    assert parts_of(DATA + DATA) is None
    tensor = numpy_helper.from_array(WEIGHTS, "w").SerializeToString()
    twice = tensor + TensorProto(raw_data=bytes(WEIGHTS.nbytes)).SerializeToString()
    assert TensorProto.FromString(twice).raw_data == bytes(WEIGHTS.nbytes)
    both = tensor + TensorProto(float_data=[1, 2]).SerializeToString()
    single = tensor + bytes([4 << 3 | 5, 0, 0, 128, 63])  # a number of float_data in a separate field
    odd = TensorProto(name="n" * 5000).SerializeToString() + message(4, bytes(5))  # 4 is the number of float_data
    with pytest.raises(DecodeError):
        TensorProto.FromString(odd)
    for data, is_left in ((tensor, False), (twice, True), (both, True), (single, True), (odd, True)):
        assert (parts_of(message(7, message(5, data))) is None) is is_left
    many = TensorProto(name="n" * 5000).SerializeToString() + b"".join([message(12, b"doc")] * 100)
    assert parts_of(message(7, message(5, tensor + many))) is None
    longer = message(7, message(5, many + tensor))
    assert parts_of(longer) == wire.Apart(longer, {})
    assert parts_of(b"") == wire.Apart(b"", {})


@pytest.mark.usefixtures("every_file_is_large")
def test_a_model_runs_with_tensors_of_all_kinds(tmp_path: Path) -> None:
    """Only tensors whose stored bytes are the elements are read without protobuf.

    Models with other tensors also run.
    """
    text = "g (int64[3] i) => (float[3] a, int8[3] b, float[3] c, string[3] d, bool[3] e, "
    text += "float[3] f, double[3] g, complex64[3] h) { a = Gather(fa, i)"
    text += " b = Gather(fb, i)  n = Cast<to=1>(fc)  c = Gather(n, i)  d = Gather(fd, i)  e = Gather(fe, i)"
    text += " f = Gather(ff, i)  g = Gather(fg, i)  h = Gather(fh, i) }"
    proto = parsed(21, text)
    values: dict[str, Any] = {"fa": np.float32([1, 2, 3, 4]), "fb": np.int8([-1, 2, 3, 4]), "fe": np.arange(4) > 1}
    for name, value in values.items():
        proto.graph.initializer.append(numpy_helper.from_array(value, name))
    proto.graph.initializer.append(helper.make_tensor("fc", TensorProto.INT4, [4], [1, -2, 3, -4]))
    proto.graph.initializer.append(helper.make_tensor("fd", TensorProto.STRING, [4], [b"a", b"b", b"c", b"d"]))
    for name, kind in (("ff", TensorProto.FLOAT), ("fg", TensorProto.DOUBLE), ("fh", TensorProto.COMPLEX64)):
        proto.graph.initializer.append(helper.make_tensor(name, kind, [4], [1, 2, 3, 4]))
    path = tmp_path / "model.onnx"
    path.write_bytes(proto.SerializeToString())
    assert set(source.read(path, in_parts=True).apart) == {"fa", "fb", "fe", "ff", "fg", "fh"}
    found = onnx.load(path).run([suanzi.tensor([3, 1, 0], dtype=suanzi.int64)])
    expected = onnx.load(proto).run([suanzi.tensor([3, 1, 0], dtype=suanzi.int64)])
    assert [x.tolist() for x in found] == [x.tolist() for x in expected]
    assert found[2].tolist() == [-4, -2, 1]


@pytest.mark.usefixtures("every_file_is_large")
def test_tensors_in_attributes(tmp_path: Path) -> None:
    """Tensors in attributes are read without protobuf only if the tensors are values of the outer graph's constants."""
    text = """g (bool c, int64[n] s) => (float[m] y, float[k] z) {
        w = Constant()  v = Neg(w)  z = ConstantOfShape(s)
        y = If(c)<then_branch = t () => (float[m] p) { w2 = Constant()  p = Add(w2, v) },
                  else_branch = e () => (float[m] p) { p = Identity(v) }> }"""
    proto = parsed(21, text)
    inner = next(a.g for a in proto.graph.node[3].attribute if a.name == "then_branch")
    for node, value in ((proto.graph.node[0], [1, 2]), (proto.graph.node[2], [7]), (inner.node[0], [10, 20])):
        node.attribute.append(helper.make_attribute("value", numpy_helper.from_array(np.float32(value))))
    path = tmp_path / "model.onnx"
    path.write_bytes(proto.SerializeToString())
    assert set(source.read(path, in_parts=True).apart) == {"w"}
    y, z = onnx.load(path).run([suanzi.tensor(True), suanzi.tensor([2], dtype=suanzi.int64)])
    assert (y.tolist(), z.tolist()) == ([9, 18], [7, 7])


@pytest.mark.usefixtures("every_file_is_large")
@pytest.mark.parametrize("size", [0, 1, 100, len(DATA) - 1])
def test_errors_name_the_file(tmp_path: Path, size: int) -> None:
    path = tmp_path / "model.onnx"
    path.write_bytes(DATA[:size])
    with pytest.raises(suanzi.InvalidArgumentError, match="model"):
        onnx.load(path)


@pytest.mark.usefixtures("every_file_is_large")
def test_the_weights_are_read_only(tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    proto = model()
    proto.graph.output.append(helper.make_tensor_value_info("w", TensorProto.FLOAT, WEIGHTS.shape))
    path.write_bytes(proto.SerializeToString())
    y, w = onnx.load(path).run([suanzi.ones((2, 3000))])
    np.testing.assert_array_equal(y.numpy(), np.ones((2, 3000)))
    np.testing.assert_array_equal(w.numpy(), WEIGHTS)
    assert not w.numpy().flags.writeable


@pytest.mark.usefixtures("every_file_is_large")
def test_a_tensor_of_another_size_than_its_shape(tmp_path: Path) -> None:
    proto = model()
    proto.graph.initializer[1].raw_data = bytes(100)
    path = tmp_path / "model.onnx"
    path.write_bytes(proto.SerializeToString())
    with pytest.raises(suanzi.InvalidArgumentError, match=r"100 bytes or elements do not fill shape \(2, 3000\)"):
        onnx.load(path)


@pytest.mark.usefixtures("every_file_is_large")
def test_declared_shapes_are_checked_without_the_bytes(tmp_path: Path) -> None:
    """A wrong declared shape is found without the bytes of a large constant of integers."""
    proto = parsed(13, "g (int64[600] x) => (int64[600] y) { c = Constant()  z = Add(x, c)  y = Neg(z) }")
    value = numpy_helper.from_array(np.arange(600, dtype=np.int64))
    proto.graph.node[0].attribute.append(helper.make_attribute("value", value))
    proto.graph.value_info.append(helper.make_tensor_value_info("z", TensorProto.INT64, [7]))
    path = tmp_path / "model.onnx"
    path.write_bytes(proto.SerializeToString())
    assert set(source.read(path, in_parts=True).apart) == {"c"}
    with pytest.warns(RuntimeWarning, match="value 'z' is declared with shape"):
        onnx.load(path)


@pytest.mark.usefixtures("every_file_is_large")
def test_numbers_of_another_type_than_the_tensor(tmp_path: Path) -> None:
    """A tensor of float64 whose numbers lie in the field of float32 has no elements, as without the reader in parts."""
    proto = as_numbers()
    proto.graph.initializer[1].data_type = TensorProto.DOUBLE
    proto.graph.initializer[1].dims[:] = [1, 3000]
    path = tmp_path / "model.onnx"
    path.write_bytes(proto.SerializeToString())
    for stored in (path, proto):
        with pytest.raises(suanzi.InvalidArgumentError, match=r"0 bytes or elements do not fill shape \(1, 3000\)"):
            onnx.load(stored)
