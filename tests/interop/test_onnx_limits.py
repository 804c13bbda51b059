"""Small models that require endless work or memory are refused before the work begins."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from onnx import (
    AttributeProto,
    FunctionProto,
    ModelProto,
    NodeProto,
    TypeProto,
    ValueInfoProto,
    helper,
    numpy_helper,
    parser,
)
from onnx.helper import make_node

import suanzi
from interop.models import one_node, parsed, run_text
from suanzi import AllocFailedError, InvalidArgumentError, SuanziError, tuning
from suanzi.interop import onnx
from suanzi.interop.onnx import backend

pytestmark = pytest.mark.one_level

VERSIONS = [helper.make_opsetid("", 17), helper.make_opsetid("own", 1)]
X = np.float32([1, -2])


def call(name: str, inputs: list[str], outputs: list[str], **attributes: Any) -> NodeProto:
    return make_node(name, inputs, outputs, domain="own", **attributes)


def function(name: str, nodes: list[NodeProto], attributes: list[str] | None = None) -> FunctionProto:
    return helper.make_function("own", name, ["x"], ["y"], nodes, VERSIONS, attributes or [])


def calling(functions: list[FunctionProto], **attributes: Any) -> ModelProto:
    """Return a model of several functions whose only node calls the last function."""
    value = helper.make_tensor_value_info
    node = call(functions[-1].name, ["x"], ["y"], **attributes)
    graph = helper.make_graph([node], "g", [value("x", 1, ["n"])], [value("y", 1, ["n"])])
    return helper.make_model(graph, functions=functions, opset_imports=VERSIONS, ir_version=8)


def tower(levels: int, times: int, leaf: NodeProto | None = None) -> list[FunctionProto]:
    """Return functions f1, f2 and so on.

    Each function calls the previous function `times` times, one call after another.
    """
    made = [function("f1", [leaf or make_node("Neg", ["x"], ["y"])])]
    for level in range(2, levels + 1):
        values = ["x", *(f"v{i}" for i in range(1, times)), "y"]
        made.append(function(f"f{level}", [call(f"f{level - 1}", [values[i]], [values[i + 1]]) for i in range(times)]))
    return made


@pytest.mark.parametrize(("levels", "times"), [(1, 1), (5, 2), (3, 10), (100, 1)])
def test_functions_that_call_functions(levels: int, times: int) -> None:
    (y,) = onnx.run(calling(tower(levels, times)), [X])
    np.testing.assert_array_equal(y.numpy(), -X if times == 1 else X)


@pytest.mark.parametrize(
    ("levels", "times", "message"),
    [
        (40, 2, "adds more than"),
        (20, 2, "adds more than"),
        (6, 50, "adds more than"),
        (99, 200, "adds more than"),
        (101, 1, "more than 100 levels"),
        (5000, 1, "more than 100 levels"),
    ],
)
def test_functions_that_multiply(levels: int, times: int, message: str) -> None:
    with pytest.raises(InvalidArgumentError, match=message):
        onnx.load(calling(tower(levels, times)))


def test_the_bound_is_on_what_is_added(monkeypatch: pytest.MonkeyPatch) -> None:
    model = calling(tower(4, 3))  # the 11 nodes of the graph and the functions become 27
    monkeypatch.setattr(tuning, "MOST_NODES", 16)
    onnx.load(model)
    monkeypatch.setattr(tuning, "MOST_NODES", 15)
    with pytest.raises(InvalidArgumentError, match="more than 15 nodes"):
        onnx.load(model)


BIG = 2**20  # bytes


def _constants() -> ModelProto:
    value = numpy_helper.from_array(np.zeros(BIG // 4, np.float32))
    nodes = [make_node("Constant", [], ["c"], value=value), make_node("Identity", ["x"], ["y"])]
    return calling([function("f1", nodes), *tower(10, 2)[1:]])


def _attributes() -> ModelProto:
    """Return a model whose functions pass a large tensor as an attribute to many nodes."""
    nodes = [make_node("Constant", [], [f"c{i}"]) for i in range(20)]
    for node in nodes:
        node.attribute.append(AttributeProto(name="value", type=AttributeProto.TENSOR, ref_attr_name="t"))
    passed = [call("f1", ["x"], [f"v{i}"]) for i in range(20)]
    for node in passed:
        node.attribute.append(AttributeProto(name="t", type=AttributeProto.TENSOR, ref_attr_name="u"))
    value = numpy_helper.from_array(np.zeros(BIG // 4, np.float32))
    identity = make_node("Identity", ["x"], ["y"])
    return calling([function("f1", [*nodes, identity], ["t"]), function("f2", [*passed, identity], ["u"])], u=value)


def _defaults() -> ModelProto:
    """Return the model of `_attributes` with the large tensor as a default of the outer function's attribute."""
    model = _attributes()
    outer = model.functions[1]
    del outer.attribute[:]
    outer.attribute_proto.append(model.graph.node[0].attribute[0])
    del model.graph.node[0].attribute[:]
    return model


def _names() -> ModelProto:
    """Return a model in which all nodes read a value with a long name."""
    adding = [make_node("Add", ["x", "x"], [f"v{i}"]) for i in range(99)]
    wide = [call("f1", ["x"], [f"v{i}"]) for i in range(9)]
    identity = make_node("Identity", ["x"], ["y"])
    model = calling([function("f1", [*adding, identity]), function("f2", [*wide, identity])])
    name = "n" * BIG
    model.graph.node[0].input[0] = model.graph.input[0].name = name
    return model


def _descriptions() -> ModelProto:
    leaf = function("f1", [make_node("Neg", ["x"], ["y"])])
    leaf.value_info.append(ValueInfoProto(name="y", doc_string="d" * BIG))
    return calling([leaf, *tower(10, 2)[1:]])


@pytest.mark.parametrize("make", [_constants, _attributes, _defaults, _names, _descriptions])
def test_bytes_that_multiply(make: Any) -> None:
    """A model is refused if calls of functions would repeat a megabyte several hundred times."""
    with pytest.raises(InvalidArgumentError, match="adds more than"):
        onnx.load(make())


def test_definitions_of_onnxs_own_that_multiply() -> None:
    leaf = make_node("HannWindow", ["x"], ["y"])
    with pytest.raises(InvalidArgumentError, match="adds more than"):
        onnx.load(calling(tower(13, 2, leaf)))


def test_definitions_of_onnxs_own_within_functions() -> None:
    """An operator of ONNX within a function uses the defaults of attributes that the node omits."""
    model = calling([function("f1", [make_node("HannWindow", ["x"], ["y"])])])
    model.graph.input[0].type.tensor_type.CopyFrom(TypeProto.Tensor(elem_type=7))
    (y,) = onnx.run(model, [np.int64(4)])
    np.testing.assert_allclose(y.numpy(), np.hanning(5)[:4], atol=1e-6)


@pytest.mark.parametrize("ring", [["f1"], ["f1", "f2"], ["f1", "f2", "f3"]])
def test_functions_in_a_circle(ring: list[str]) -> None:
    functions = [function(name, [call(ring[i - 1], ["x"], ["y"])]) for i, name in enumerate(ring)]
    with pytest.raises(InvalidArgumentError, match=r"in a cycle: '.*own\.f1"):
        onnx.load(calling(functions))


def test_a_function_that_nobody_calls_does_no_harm() -> None:
    functions = [*tower(60, 2)[1:], *tower(1, 1)]  # the first function calls a missing function
    np.testing.assert_array_equal(onnx.run(calling(functions), [X])[0].numpy(), -X)


def test_two_functions_of_one_name() -> None:
    with pytest.raises(InvalidArgumentError, match=r"'own\.f1' is defined twice"):
        onnx.load(calling(tower(1, 1) * 2))


def branching(called: str) -> NodeProto:
    """Return an If node whose branches call a function."""
    inner = helper.make_graph([call(called, ["x"], ["z"])], "b", [], [helper.make_tensor_value_info("z", 1, None)])
    return make_node("If", ["c"], ["y"], then_branch=inner, else_branch=inner)


def test_functions_called_in_graphs() -> None:
    """Nodes of functions that inner graphs call are counted as well, before any call is replaced."""
    condition = numpy_helper.from_array(np.array(True))
    given = make_node("Constant", [], ["c"], value=condition)
    with pytest.raises(InvalidArgumentError, match="adds more than"):
        onnx.load(calling([*tower(19, 2), function("f20", [given, branching("f19")])]))
    with pytest.raises(onnx.UnsupportedError, match=r"operator own\.f39 is not supported"):
        onnx.load(calling(tower(3, 2, branching("f39"))))
    for levels in (20, 40):
        chain = [function("f1", [make_node("Neg", ["x"], ["y"])])]
        chain += [function(f"f{i}", [given, branching(f"f{i - 1}")]) for i in range(2, levels)]
        with pytest.raises(InvalidArgumentError, match="adds more than" if levels < 31 else "levels|grows by more"):
            onnx.load(calling(chain))
    chain = [*tower(1, 1), function("f2", [given, branching("f1")]), function("f3", [given, branching("f2")])]
    assert onnx.run(calling(chain), [X])[0].tolist() == (-X).tolist()


def test_unknown_operators_within_functions() -> None:
    for leaf in (make_node("Nonsense", ["x"], ["y"]), make_node("f1", ["x"], ["y"], domain="other")):
        with pytest.raises(onnx.UnsupportedError, match=r"operator (Nonsense|other\.f1) is not supported"):
            onnx.load(calling(tower(3, 2, leaf)))


def test_a_function_with_attributes() -> None:
    text = """<ir_version: 8, opset_import: ["": 17, "own": 1]>
    g (float[n] x) => (float[n] y) { y = own.Twice(x) }
    <domain: "own", opset_import: ["": 17, "own": 1]> Twice (x) => (y) {
        z = own.Plus<k=1.0>(x)  y = own.Plus<k=2.0>(z)
    }
    <domain: "own", opset_import: ["": 17]> Plus <k> (x) => (y) {
        c = Constant<value_float: float = @k>()  y = Add(x, c)
    }"""
    np.testing.assert_array_equal(onnx.run(parser.parse_model(text), [X])[0].numpy(), X + 3)


SIZES = [2**33, 2**62, 2**63 - 1]
ENDLESS = {  # graphs that read a size s, which t holds as a vector
    "ConstantOfShape": "y = ConstantOfShape(t)",
    "Expand": "e = Expand(f, t) y = Neg(e)",
    "Tile": "y = Tile(f, t)",
    "Range": "z = Constant<value_int=0>() o = Constant<value_int=1>() y = Range(z, s, o)",
    "OneHot": "v = Constant<value_floats=[0.0, 1.0]>() y = OneHot(a, s, v)",
    "Pad": "p = Concat<axis=0>(t, t) y = Pad(f, p)",
    "a shape read from a view": "e = Expand(a, t) y = ConstantOfShape(e)",
}


def endless(what: str) -> ModelProto:
    vectors = "a = Constant<value_ints=[1]>() f = Constant<value_floats=[1.0]>() t = Reshape(s, a)"
    return parsed(14, f"g (int64 s) => (float[m] y) {{ {vectors} {ENDLESS[what]} }}")


@pytest.mark.parametrize("what", ENDLESS)
@pytest.mark.parametrize("size", SIZES)
def test_huge_shapes(what: str, size: int) -> None:
    with pytest.raises(SuanziError):
        onnx.run(endless(what), [np.int64(size)])


def test_a_limit_holds_for_what_a_model_makes() -> None:
    model = onnx.load(endless("ConstantOfShape"))
    before = suanzi.memory.statistics()["limit"]
    suanzi.memory.set_limit(2**20)
    try:
        with pytest.raises(AllocFailedError):
            model.run([np.int64(2**20)])
    finally:
        suanzi.memory.set_limit(before)


@pytest.mark.parametrize("size", [1, 2, 3, 5, 9, 2**40, 2**62 + 1])
def test_windows_wider_than_the_channels(size: int) -> None:
    """LRN with a window wider than the channels returns the results that the operator's definition states."""
    x = np.arange(1, 13, dtype=np.float32).reshape(1, 3, 2, 2)
    (y,) = run_text(13, f"g (float[a,b,c,d] x) => (float[m] y) {{ y = LRN<size={size}, alpha=2.0>(x) }}", {"x": x})
    sums = np.zeros(x.shape)
    for i in range(3):
        for j in range(3):
            if -((size - 1) // 2) <= j - i <= size // 2:
                sums[:, i] += x[:, j].astype(float) ** 2
    np.testing.assert_allclose(y, x / (1 + 2 / size * sums) ** 0.75, rtol=1e-5)


def test_parts_that_nobody_takes() -> None:
    for count in (1, 3, 2**40, -1):
        model = one_node("Split", 18, [X], outputs=2, num_outputs=count)
        with pytest.raises(InvalidArgumentError):
            onnx.run(model, [X])


def test_blocks_longer_than_the_axis() -> None:
    x, scale = np.int8([[1, 2, 3]]), np.float32([[2]])
    for block in (3, 4, 2**40, 2**62):
        (y,) = onnx.run(one_node("DequantizeLinear", 21, [x, scale], axis=1, block_size=block), [x, scale])
        assert y.tolist() == [[2, 4, 6]]


@pytest.mark.parametrize("scale", [1e-30, 1e-3])
def test_scales_that_leave_nothing(scale: float) -> None:
    """Resize by a tiny scale returns an empty result, or is refused if a region would need a huge number of weights."""
    x, scales = np.ones((1, 1, 2, 2), np.float32), np.float32([1, 1, scale, scale])
    graph = """g (float[a,b,c,d] x, float[8] r, float[4] s) => (float[m] y) {
        y = Resize<antialias=1, mode="linear", coordinate_transformation_mode=MODE>(x, r, s)
    }"""
    roi = np.float32([0, 0, 0, 0, 1, 1, 2 / scale, 2 / scale])
    feeds = {"x": x, "r": roi, "s": scales}
    assert run_text(18, graph.replace("MODE", '"half_pixel"'), feeds)[0].shape == (1, 1, 0, 0)
    with pytest.raises(InvalidArgumentError, match="is too small for 2 elements"):
        run_text(18, graph.replace("MODE", '"tf_crop_and_resize"'), feeds)


DEEP: list[Any] = []
for _ in range(3000):
    DEEP = [DEEP]


@pytest.mark.parametrize("feed", [None, 7, object(), "x", b"x", {"x"}, iter([X]), X, suanzi.zeros(2), DEEP, [DEEP]])
def test_what_is_no_feed(feed: Any) -> None:
    model = onnx.load(parsed(14, "g (float[n] x, float[n] z) => (float[n] y) { y = Add(x, z) }"))
    with pytest.raises(SuanziError):
        model.run(feed)


def test_names_that_are_no_texts() -> None:
    model = onnx.load(parsed(14, "g (float[n] x) => (float[n] y) { y = Neg(x) }"))
    with pytest.raises(InvalidArgumentError, match="are not inputs"):
        model.run({"x": X, 1: X, None: X, "z": X})
    with pytest.raises(InvalidArgumentError, match="are not inputs") as caught:
        model.run({"x": X, "n" * 10**6: X})
    assert len(str(caught.value)) < 500


def test_what_is_no_node() -> None:
    node = make_node("Add", ["a", "b"], ["c"])
    for wrong in ((None, [X, X]), (node, None), (node, [X]), (node, [X] * 3), (node, X)):
        with pytest.raises(SuanziError):
            backend.run_node(*wrong)
    for version in (None, 2**70, "a", 1.5):
        with pytest.raises(SuanziError):
            backend.run_node(node, [X, X], opset_version=version)
    texts = np.array(["a", ""], object)
    (same,) = backend.run_node(make_node("Identity", ["a"], ["c"]), [texts])
    assert same.tolist() == ["a", ""]
    assert not backend.supports_device(None)
    with pytest.raises(InvalidArgumentError):
        backend.prepare(parsed(14, "g (float[n] x) => (float[n] y) { y = Neg(x) }"), 7)
