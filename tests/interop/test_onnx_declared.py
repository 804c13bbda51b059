"""Tests of declarations in models: types and shapes of values, domains, IR versions, opsets of functions, elements."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from onnx import ModelProto, TensorProto, checker, helper, numpy_helper, parser, shape_inference

from interop.models import parsed
from suanzi import InvalidArgumentError, SuanziError, TypeMismatchError
from suanzi.interop import onnx

X = np.float32([1, 2])

REFUSED: dict[str, tuple[str, type[SuanziError]]] = {
    "type": ("g (float[n] a) => (double[n] c) { c = Mul(a, a) }", TypeMismatchError),
    "type of a value between": (
        "g (float[n] a) => (float[n] c) <double[n] b> { b = Mul(a, a)  c = Neg(b) }",
        TypeMismatchError,
    ),
    "type of a second result": ("g (float[n] a) => (float[n] c, float[n] m) { c, m = Dropout(a) }", TypeMismatchError),
}

SQUARE = "{ b = Mul(a, a)  s = Constant<value_ints=[2]>()  c = Reshape(b, s) }"  # the shapes of b and c are (2,)
OTHER_SHAPES = {"size": "float[3]", "rank": "float[2,1]", "no dimension": "float", "two sizes": "float[2,2]"}


@pytest.mark.parametrize("what", REFUSED)
def test_declarations_that_contradict_an_operator(what: str) -> None:
    """A model whose declarations contradict an operator is refused, as by ONNX's checker."""
    text, error = REFUSED[what]
    model = parsed(17, text)
    with pytest.raises((checker.ValidationError, shape_inference.InferenceError)):
        checker.check_model(model, full_check=True)
    with pytest.raises(error, match=r"^onnx: value '\w+' is declared"):
        onnx.load(model)


@pytest.mark.parametrize("what", OTHER_SHAPES)
def test_another_shape_between_nodes_is_a_warning_at_load(what: str) -> None:
    """A wrong declared shape leads to a warning at load and to the computed result in a run, as in ONNX Runtime."""
    with pytest.warns(RuntimeWarning, match=r"^onnx: value 'c' is declared with shape .* but has \(2,\)$") as told:
        model = onnx.load(
            parsed(17, f"g (float[2] a) => (float[2] d) <{OTHER_SHAPES[what]} c> {SQUARE[:-1]} d = Abs(c) }}")
        )
    assert [each.filename for each in told] == [__file__]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert model.run([X])[0].tolist() == [1, 4]


def test_several_other_shapes_are_one_warning() -> None:
    text = "g (float[2] a) => (float[2] d) <float[3] b, float[4] c> { b = Mul(a, a)  c = Abs(b)  d = Neg(c) }"
    with pytest.warns(RuntimeWarning, match="; 1 more$") as told:
        onnx.load(parsed(17, text))
    assert len(told) == 1


@pytest.mark.parametrize("what", OTHER_SHAPES)
def test_another_shape_of_an_output_is_a_warning_of_the_first_run(what: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = onnx.load(parsed(17, f"g (float[2] a) => ({OTHER_SHAPES[what]} c) {SQUARE}"))
    with pytest.warns(RuntimeWarning, match=r"^run: output 'c' has shape \(2,\), but the model declares \(") as told:
        assert model.run([X])[0].tolist() == [1, 4]
    assert [each.filename for each in told] == [__file__]


def test_another_size_in_some_runs_is_a_warning_once() -> None:
    model = onnx.load(parsed(17, "g (float[n] a) => (float[3] c, float[3] d) { c = Mul(a, a)  d = Abs(a) }"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert model.run([np.float32([1, 2, 3])])[0].shape == (3,)
    with pytest.warns(
        RuntimeWarning, match=r"^run: output '[cd]' has shape \(2,\), but the model declares \(3,\)"
    ) as told:
        assert model.run([X])[0].tolist() == [1, 4]
    assert [each.filename for each in told] == [__file__] * 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert model.run([X])[1].tolist() == [1, 2]


def test_a_sequence_that_is_a_tensor() -> None:
    model = parsed(17, "g (float[n] a) => (float[n] c) { c = Mul(a, a) }")
    model.graph.output[0].type.CopyFrom(helper.make_sequence_type_proto(helper.make_tensor_type_proto(1, None)))
    with pytest.raises(TypeMismatchError, match=r"declared as seq\(tensor\(float\)\), but is tensor\(float\)"):
        onnx.load(model)


def test_declarations_that_say_less_or_nothing() -> None:
    for text in ("(float[n] c)", "(float[2] c)", "(float[m] c)"):
        onnx.run(parsed(17, f"g (float[2] a) => {text} {{ c = Mul(a, a) }}"), [X])
    model = parsed(17, "g (float[2] a) => (float[2] c) { c = Mul(a, a) }")
    model.graph.output[0].ClearField("type")
    onnx.run(model, [X])


def texts() -> dict[str, ModelProto]:
    """Return models by description that use the long name of the default domain, ai.onnx."""
    plain = "g (float[1,4,2] a, float[4] b) => (float[1,4,2] c) { c = GroupNormalization<num_groups=2>(a, b, b) }"
    found = {"a definition": parser.parse_model(f'<ir_version: 8, opset_import: ["ai.onnx": 21]> {plain}')}
    found["a definition, and its node"] = parser.parse_model(f'<ir_version: 8, opset_import: ["ai.onnx": 21]> {plain}')
    found["a definition, and its node"].graph.node[0].domain = "ai.onnx"
    found["nodes"] = parser.parse_model(f'<ir_version: 8, opset_import: ["": 21]> {plain}')
    found["nodes"].graph.node[0].domain = "ai.onnx"
    return found


@pytest.mark.parametrize("what", texts())
def test_the_long_name_of_the_default_domain(what: str) -> None:
    feeds = {"a": np.arange(8, dtype=np.float32).reshape(1, 4, 2), "b": np.ones(4, np.float32)}
    model = texts()[what]
    before = model.SerializeToString()
    (found,) = onnx.run(model, feeds)
    groups = feeds["a"].reshape(2, 4)
    groups = (groups - groups.mean(1, keepdims=True)) / np.sqrt(groups.var(1, keepdims=True) + 1e-5)
    np.testing.assert_allclose(found.numpy(), groups.reshape(1, 4, 2) + 1, rtol=1e-5)
    assert model.SerializeToString() == before


@pytest.mark.parametrize("version", [1, 2])
def test_models_that_are_too_old_to_import(version: int) -> None:
    """Models of IR versions 1 and 2 that import no opset have opset 1."""
    model = parsed(1, "g (float[n] a, float[n] b) => (float[n] c) { c = Add<broadcast=1>(a, b) }")
    del model.opset_import[:]
    model.ir_version = version
    (found,) = onnx.run(model, {"a": X, "b": X})
    np.testing.assert_array_equal(found.numpy(), X + X)
    model.ir_version = 3
    with pytest.raises(InvalidArgumentError, match="imports 0 opsets"):
        onnx.load(model)


FUNCTION = """<ir_version: 8, opset_import: ["": 21, "own": 1]> g (float[n] a) => (float[n] c) {{ c = own.f(a) }}
    <domain: "own", opset_import: ["{}": {}]> f (x) => (y) {{ y = Add(x, x) }}"""


@pytest.mark.parametrize(("domain", "opset"), [("", 14), ("", 20), ("", 22), ("ai.onnx", 20), ("ai.onnx", 21)])
def test_functions_of_another_opset_with_the_same_operators(domain: str, opset: int) -> None:
    (found,) = onnx.run(parser.parse_model(FUNCTION.format(domain, opset)), {"a": X})
    np.testing.assert_array_equal(found.numpy(), X + X)


def test_functions_of_another_opset_with_other_operators() -> None:
    with pytest.raises(onnx.UnsupportedError, match="f is not supported"):
        onnx.load(parser.parse_model(FUNCTION.format("", 12)))


@pytest.mark.parametrize(
    ("kind", "field", "number"),
    [
        (TensorProto.INT8, "int32_data", 300),
        (TensorProto.INT8, "int32_data", -129),
        (TensorProto.UINT8, "int32_data", -1),
        (TensorProto.INT16, "int32_data", 2**15),
        (TensorProto.UINT16, "int32_data", 2**16),
        (TensorProto.BOOL, "int32_data", 2),
        (TensorProto.FLOAT16, "int32_data", 2**16),
        (TensorProto.BFLOAT16, "int32_data", -1),
        (TensorProto.UINT32, "uint64_data", 2**32),
    ],
)
def test_stored_numbers_past_the_range_of_their_type(kind: int, field: str, number: int) -> None:
    for least in (0, number):
        tensor = TensorProto(name="t", data_type=kind, dims=[1])
        getattr(tensor, field).append(least)
        model = parsed(14, "g () => (float[1] c) { c = Constant<value=float[1] {0}>() }")
        model.graph.node[0].attribute[0].t.CopyFrom(tensor)
        model.graph.output[0].type.tensor_type.elem_type = kind
        if not least:
            onnx.load(model)
            continue
        with pytest.raises(InvalidArgumentError, match="are outside the range of"):
            onnx.load(model)


def test_halves_are_stored_as_their_bits() -> None:
    tensor = TensorProto(name="t", data_type=TensorProto.FLOAT16, dims=[2], int32_data=[0x3C00, 0xBC00])
    assert numpy_helper.to_array(tensor).tolist() == [1, -1]
    model = parsed(14, "g () => (float16[2] c) { c = Constant<value=float16[2] {0, 0}>() }")
    model.graph.node[0].attribute[0].t.CopyFrom(tensor)
    assert onnx.run(model, {})[0].tolist() == [1, -1]
