"""Malformed models raise errors with a specific status. No malformed model ends in a crash or another exception."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx import AttributeProto, ModelProto, TensorProto, helper, numpy_helper
from onnx.helper import make_node

from interop.models import parsed
from suanzi import InvalidArgumentError, SuanziError, TypeMismatchError
from suanzi.interop import onnx

pytestmark = pytest.mark.one_level

GRAPH = "g (float[2,n] x) => (float[n,2] y) { a = Mul(x, w) b = Reshape(a, s) y = Transpose<perm=[1,0]>(b) }"


def sound() -> ModelProto:
    model = parsed(14, GRAPH)
    model.graph.initializer.append(numpy_helper.from_array(np.float32([[2], [3]]), "w"))
    model.graph.initializer.append(numpy_helper.from_array(np.int64([0, -1]), "s"))
    return model


def test_the_sound_model_runs() -> None:
    (y,) = onnx.run(sound(), [np.ones((2, 3), np.float32)])
    assert y.tolist() == [[2, 3]] * 3


def edit(change: Callable[[Any, Any], Any]) -> ModelProto:
    model = sound()
    change(model, model.graph)
    return model


def set_fields(proto: Any, **fields: Any) -> None:
    for name, value in fields.items():
        if isinstance(value, list):
            proto.ClearField(name)
            getattr(proto, name).extend(value)
        else:
            setattr(proto, name, value)


WRONG: dict[str, tuple[Callable[[Any, Any], Any], type[SuanziError], str]] = {
    "no graph": (lambda m, g: m.ClearField("graph"), InvalidArgumentError, "no graph"),
    "no opset": (lambda m, g: m.ClearField("opset_import"), InvalidArgumentError, "imports 0 opsets"),
    "two opsets": (lambda m, g: m.opset_import.append(helper.make_opsetid("", 13)), InvalidArgumentError, "opsets"),
    "opset 0": (lambda m, g: set_fields(m.opset_import[0], version=0), onnx.UnsupportedError, "opset 0"),
    "opset of the future": (
        lambda m, g: set_fields(m.opset_import[0], version=2**40),
        onnx.UnsupportedError,
        "opset 1099511627776",
    ),
    "another domain": (
        lambda m, g: set_fields(m.opset_import[0], domain="other"),
        onnx.UnsupportedError,
        "'other' is not supported",
    ),
    "a cycle": (
        lambda m, g: set_fields(g.node[0], input=["y", "w"]),
        InvalidArgumentError,
        "form a cycle",
    ),
    "a node that takes its own result": (
        lambda m, g: set_fields(g.node[0], input=["a", "w"]),
        InvalidArgumentError,
        "form a cycle",
    ),
    "a dangling input": (
        lambda m, g: set_fields(g.node[0], input=["x", "q"]),
        InvalidArgumentError,
        "'q', which has no source",
    ),
    "a dangling output": (lambda m, g: set_fields(g.output[0], name="q"), InvalidArgumentError, "'q' has no source"),
    "an output without a name": (
        lambda m, g: set_fields(g.output[0], name=""),
        InvalidArgumentError,
        "'' has no source",
    ),
    "two sources": (lambda m, g: set_fields(g.node[1], output=["a"]), InvalidArgumentError, "'a' has two sources"),
    "a result of the name of an input": (
        lambda m, g: set_fields(g.node[0], output=["x"]),
        InvalidArgumentError,
        "'x' has two sources",
    ),
    "a result of the name of a constant": (
        lambda m, g: set_fields(g.node[0], output=["w"]),
        InvalidArgumentError,
        "'w' has two sources",
    ),
    "two inputs of one name": (lambda m, g: g.input.append(g.input[0]), InvalidArgumentError, "two sources"),
    "two constants of one name": (
        lambda m, g: g.initializer.append(g.initializer[0]),
        InvalidArgumentError,
        "two sources",
    ),
    "an unknown operator": (lambda m, g: set_fields(g.node[0], op_type="Nonsense"), onnx.UnsupportedError, "Nonsense"),
    "an operator of another domain": (
        lambda m, g: set_fields(g.node[0], domain="ai.onnx.ml"),
        onnx.UnsupportedError,
        "Mul",
    ),
    "too few operands": (lambda m, g: set_fields(g.node[0], input=["x"]), InvalidArgumentError, "Mul"),
    "too many operands": (lambda m, g: set_fields(g.node[0], input=["x"] * 3), InvalidArgumentError, "Mul"),
    "a missing operand": (lambda m, g: set_fields(g.node[0], input=["x", ""]), InvalidArgumentError, "Mul"),
    "too many results": (lambda m, g: set_fields(g.node[0], output=["a", "d"]), InvalidArgumentError, "Mul"),
    "no result": (lambda m, g: set_fields(g.node[2], output=[]), InvalidArgumentError, "y"),
    "an unknown attribute": (
        lambda m, g: g.node[0].attribute.append(helper.make_attribute("axis", 1)),
        InvalidArgumentError,
        "axis",
    ),
    "an attribute of the wrong type": (
        lambda m, g: set_fields(g.node[2], attribute=[helper.make_attribute("perm", 1.5)]),
        InvalidArgumentError,
        "perm",
    ),
    "an attribute without a type": (
        lambda m, g: set_fields(g.node[2].attribute[0], type=AttributeProto.UNDEFINED),
        InvalidArgumentError,
        "perm",
    ),
    "an input without a type": (
        lambda m, g: g.input[0].ClearField("type"),
        InvalidArgumentError,
        "'x' has no type",
    ),
    "an input of an unknown type": (
        lambda m, g: set_fields(g.input[0].type.tensor_type, elem_type=77),
        InvalidArgumentError,
        "77 is not an element type",
    ),
    "an input of a type that we do not have": (
        lambda m, g: set_fields(g.input[0].type.tensor_type, elem_type=TensorProto.FLOAT8E5M2),
        TypeMismatchError,
        "float8e5m2",
    ),
    "operands of two types": (
        lambda m, g: set_fields(g.input[0].type.tensor_type, elem_type=TensorProto.INT32),
        TypeMismatchError,
        "Mul-14: B is",
    ),
    "a type outside the version's list": (
        lambda m, g: set_fields(g.node[0], op_type="BitwiseAnd"),
        onnx.UnsupportedError,
        "BitwiseAnd of opset 14",
    ),
    "a shape of the wrong type": (
        lambda m, g: g.initializer[1].CopyFrom(numpy_helper.from_array(np.int32([0, -1]), "s")),
        TypeMismatchError,
        r"Reshape-14: shape is tensor\(int32\)",
    ),
    "too little data": (
        lambda m, g: set_fields(g.initializer[0], raw_data=b"\0" * 7),
        InvalidArgumentError,
        "do not fill",
    ),
    "too much data": (
        lambda m, g: set_fields(g.initializer[0], raw_data=b"\0" * 9),
        InvalidArgumentError,
        "do not fill",
    ),
    "a negative size": (
        lambda m, g: set_fields(g.initializer[0], dims=[-2, -1]),
        InvalidArgumentError,
        "negative size",
    ),
    "an open size": (lambda m, g: set_fields(g.initializer[0], dims=[-1, 1]), InvalidArgumentError, "negative size"),
    "a shape past 64 bits": (
        lambda m, g: set_fields(g.initializer[0], dims=[2**40, 2**40]),
        InvalidArgumentError,
        "does not fit 64 bits",
    ),
    "a shape past memory": (
        lambda m, g: set_fields(g.initializer[0], dims=[2**50]),
        InvalidArgumentError,
        "do not fill",
    ),
    "a shape past 64 bits with a size of 0": (
        lambda m, g: set_fields(g.initializer[0], dims=[2**62, 2**62, 0]),
        InvalidArgumentError,
        "do not fill",
    ),
    "a constant of an unknown type": (
        lambda m, g: set_fields(g.initializer[0], data_type=77),
        InvalidArgumentError,
        "77",
    ),
    "a constant without a type": (
        lambda m, g: set_fields(g.initializer[0], data_type=0),
        InvalidArgumentError,
        "0 is not",
    ),
    "strings as raw data": (
        lambda m, g: set_fields(g.initializer[0], data_type=TensorProto.STRING),
        InvalidArgumentError,
        "raw data",
    ),
    "strings that are not UTF-8": (
        lambda m, g: g.initializer[0].CopyFrom(TensorProto(name="w", data_type=8, dims=[1], string_data=[b"\xff"])),
        InvalidArgumentError,
        "utf-8",
    ),
    "an integer past its type": (
        lambda m, g: g.initializer[0].CopyFrom(TensorProto(name="w", data_type=3, dims=[1], int32_data=[300])),
        SuanziError,
        "",
    ),
    "an empty sparse constant": (
        lambda m, g: g.sparse_initializer.add(),
        InvalidArgumentError,
        "0 is not an element type",
    ),
    "a segment": (lambda m, g: set_fields(g.initializer[0].segment, begin=1), onnx.UnsupportedError, "segments"),
    "a constant of two values": (
        lambda m, g: set_fields(
            g,
            node=[make_node("Constant", [], ["y"], value_int=1, value_float=1.0)],
        ),
        InvalidArgumentError,
        "Constant",
    ),
    "a constant without a value": (
        lambda m, g: set_fields(g, node=[make_node("Constant", [], ["y"])]),
        InvalidArgumentError,
        "Constant",
    ),
    "an attribute that refers to a function's": (
        lambda m, g: set_fields(g.node[2].attribute[0], ref_attr_name="perm"),
        InvalidArgumentError,
        "perm",
    ),
    "an attribute that is not UTF-8": (
        lambda m, g: set_fields(
            g,
            node=[make_node("Einsum", ["x"], ["y"], equation=b"\xff\xfe")],
        ),
        InvalidArgumentError,
        "UTF-8",
    ),
}


@pytest.mark.parametrize("what", WRONG)
def test_malformed(what: str) -> None:
    change, error, message = WRONG[what]
    with pytest.raises(error, match=message or None):
        onnx.load(edit(change))


def test_truncated() -> None:
    """Every truncated model is refused, or is a smaller valid model."""
    data = sound().SerializeToString()
    refused = 0
    for length in range(len(data)):
        try:
            onnx.load(data[:length])
        except InvalidArgumentError:
            refused += 1
    assert refused >= len(data) - 40  # the last fields are the opset, and parts of the graph after its nodes


@pytest.mark.parametrize("data", [b"", b"\0", b"nonsense", b"\xff" * 100, b"\x0a" * 1000])
def test_what_is_no_model(data: bytes) -> None:
    with pytest.raises(InvalidArgumentError):
        onnx.load(data)


def test_deep_nesting() -> None:
    """A model with graphs nested more deeply than protobuf's parser allows raises an error."""
    data = b""
    for _ in range(2000):
        inner = b"\x32" + _varint(len(data)) + data  # the field AttributeProto.g
        node = b"\x2a" + _varint(len(inner)) + inner  # the field NodeProto.attribute
        data = b"\x0a" + _varint(len(node)) + node  # the field GraphProto.node
    with pytest.raises(InvalidArgumentError):
        onnx.load(b"\x3a" + _varint(len(data)) + data)


def _varint(value: int) -> bytes:
    out = b""
    while value > 127:
        out, value = out + bytes([value & 127 | 128]), value >> 7
    return out + bytes([value])


def test_a_long_chain() -> None:
    model = parsed(14, "g (float[n] v0) => (float[n] v5000) { v0b = Neg(v0) }")
    del model.graph.node[:]
    model.graph.node.extend(make_node("Neg", [f"v{i}"], [f"v{i + 1}"]) for i in reversed(range(5000)))
    assert onnx.run(model, [np.float32([1, 2])])[0].tolist() == [1, 2]


def test_shapes_that_are_too_large_only_when_it_runs() -> None:
    graph = "g (int64[n] s) => (float[m] y) { y = ConstantOfShape(s) }"
    model = onnx.load(parsed(14, graph))
    for shape in ([2**62, 2**62], [2**40, 2**30], [-1]):
        with pytest.raises(SuanziError):
            model.run([np.int64(shape)])


DATA = sound().SerializeToString()


@given(st.integers(0, 2**32))
def test_changed_bytes(seed: int) -> None:
    """After a few bytes are replaced, loading and running end with a result or with one of Suanzi's errors."""
    rng = random.Random(seed)
    data = bytearray(DATA)
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(data))
        if rng.random() < 0.3:
            del data[at : at + rng.randint(1, 3)]
        else:
            data[at] = rng.choice((0, 1, 127, 128, 255, rng.randrange(256)))
    try:
        model = onnx.load(bytes(data))
        results = model.run([np.ones((2, 3), np.float32)] * len(model.inputs))
    except SuanziError:
        return
    assert len(results) == len(model.outputs)


def test_values_without_inputs() -> None:
    model = parsed(14, "g () => (float[2] y) { y = Constant<value_floats=[1.,2.]>() }")
    assert onnx.run(model, {})[0].tolist() == [1, 2]
