"""A model is a graph of the nodes that fused functions use. Each pass accepts a graph and returns a graph."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from onnx import numpy_helper

import suanzi
from interop.models import parsed
from suanzi import tuning
from suanzi.graph.node import Graph, Node
from suanzi.graph.passes import needed, readers, rewritten
from suanzi.interop import onnx
from suanzi.interop.onnx import plan
from suanzi.interop.onnx.nodes import Constant, Item, Operation

pytestmark = pytest.mark.one_level

STORED = {
    "w": np.linspace(-1, 2, 12, dtype=np.float32).reshape(4, 3),
    "b": np.float32([10, -20, 30]),
    "t": np.arange(-60, 60, dtype=np.int8).reshape(40, 3),
    "s": np.linspace(0.1, 3, 40, dtype=np.float32)[:, None],
    "one": np.float32(1),
    "uno": np.float32(1),
    "k": np.int64([-1, 4]),
}
GRAPH = """g (float[a,c] x, int64[n] i) => (float[m,o] y, float[n,3] r, float[a,p] first, float[a,p] e) {
    z = Reshape(x, k)  p = MatMul(z, w)  q = Add(p, b)  u = Add(q, one)  v = Add(q, uno)  d = Identity(v)
    y = Mul(u, d)
    f = Cast<to=1>(t)  h = Mul(f, s)  r = Gather(h, i)
    first, second = Split<axis=1>(x)  n = Neg(second)  e = Neg(n)
}"""
FEEDS = [np.linspace(-3, 3, 24, dtype=np.float32).reshape(6, 4), np.int64([0, -1, 39])]


def model() -> Any:
    proto = parsed(13, GRAPH)
    proto.graph.initializer.extend(numpy_helper.from_array(a, name) for name, a in STORED.items())
    return proto


def bits() -> list[bytes]:
    return [y.numpy().tobytes() for y in onnx.run(model(), FEEDS)]


EXACT = [each for each in plan._PASSES if each.__name__ != "with_vectors"]  # with_vectors may change the last bit


@pytest.mark.parametrize("count", range(len(EXACT) + 1))
def test_any_passes_give_the_same_bits(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tuning, "LARGE_TABLE", 64)
    monkeypatch.setattr(plan, "_PASSES", ())
    expected = bits()
    for passes in combinations(EXACT, count):
        for order in (passes, passes[::-1], passes * 2):
            monkeypatch.setattr(plan, "_PASSES", order)
            assert bits() == expected


def test_a_model_becomes_nodes_of_the_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before the first pass and after each pass, a model is a graph in which each node comes after its operands."""
    seen: list[Graph] = []

    def looked_at(graph: Graph) -> Graph:
        nodes = needed(graph.results, ())
        for node in nodes:
            assert isinstance(node, (Constant, Item, Operation)) or type(node) is Node
            assert all(x < node for x in node.operands)
        seen.append(graph)
        return graph

    passes = [part for each in plan._PASSES for part in (looked_at, each)]
    monkeypatch.setattr(plan, "_PASSES", [*passes, looked_at])
    monkeypatch.setattr(plan, "_NEEDED", {})
    loaded = onnx.load(model())
    assert len({id(graph) for graph in seen}) == len(seen) == len(EXACT) + 2
    operations = [x for x in needed(seen[-1].results, ()) if isinstance(x, Operation)]
    assert len(operations) == len(loaded._plan.steps)


PLAIN = (
    "g (float[a,4] x) => (float[a,3] y) { p = MatMul(x, w)  q = Add(p, b)  u = Mul(q, q)  y = Relu(u) }",
    "g (float[a,3] x) => (float[a,3] y) { p = Add(x, b)  i = Identity(b)  r = Add(i, b)  y = Mul(p, r) }",
)


def test_a_pass_is_skipped_only_if_it_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The passes that are skipped for a model without certain operators would not change the model's plan."""
    skipped: set[Any] = set()
    for text in PLAIN:
        proto = parsed(13, text)
        proto.graph.initializer.extend(
            numpy_helper.from_array(STORED[name], name) for name in "wb" if f"{name})" in text
        )
        operators = {node.op_type for node in proto.graph.node}
        skipped |= {each for each, names in plan._NEEDED.items() if names.isdisjoint(operators)}
        loaded = [onnx.load(proto)]
        with monkeypatch.context() as patch:
            patch.setattr(plan, "_NEEDED", {})
            loaded.append(onnx.load(proto))
        steps, all_steps = ([(step.label, step.inputs, step.output) for step in each._plan.steps] for each in loaded)
        assert steps == all_steps
    assert skipped == set(plan._NEEDED)


def test_a_rule_says_what_stands_for_a_node() -> None:
    graph = Graph()
    x = graph.add(Node("x", suanzi.float32, (3,), None))
    a = graph.add(Node("a", suanzi.float32, (3,), None, (x,)))
    b = graph.add(Node("b", suanzi.float32, (3,), None, (a, x)))
    graph.add(Node("unread", suanzi.float32, (3,), None, (b,)))
    graph.results = (b, b)
    assert readers(graph) == {x: 2, a: 1, b: 2}

    def rule(node: Node, made: Graph) -> Node:
        if node.name != "a":
            return node
        return made.add(Node("c", node.dtype, node.shape, None, (made.add(Node("before c", node.dtype, (3,), None)),)))

    made = rewritten(graph, rule)
    assert made.results == (b, b)
    assert [node.name for node in needed(made.results, ())] == ["x", "before c", "c", "b"]
    assert [node.number for node in made.nodes] == [0, 1, 2, 3]


@pytest.mark.parametrize("unnamed", ["input", "initializer"])
def test_a_value_without_a_name_is_no_operand(unnamed: str) -> None:
    """An empty name marks an omitted operand, even if an input or an initializer has an empty name."""
    proto = parsed(13, "g (float[n] x) => (float[n] y) { y = Clip(x, , one) }")
    proto.graph.initializer.append(numpy_helper.from_array(np.float32(1), "one"))
    x = np.float32([-3, 3])
    feeds = {"x": x}
    if unnamed == "input":
        proto.graph.input.add().CopyFrom(proto.graph.input[0])
        proto.graph.input[1].name = ""
        feeds[""] = np.float32(7)
        proto.graph.input[1].type.tensor_type.ClearField("shape")
    else:
        proto.graph.initializer.append(numpy_helper.from_array(np.float32(7), ""))
    (y,) = onnx.run(proto, feeds)
    assert y.tolist() == [-3, 1]


CODES = np.arange(-50, 50, dtype=np.int8).reshape(10, 10)
FACTORS = np.float32([1, -2, 3, 0.5, 5, 6, 7, -8, 9, 0.25])
CHANNELS_LAST = np.linspace(-1, 1, 18, dtype=np.float32).reshape(1, 2, 3, 3)
ROWS = np.float32([10, 20, 40])
BEFORE_OPSET_7: dict[str, tuple[str, dict[str, Any], Any]] = {
    "codes_kept": (
        "c = Cast<to=1>(t)  d = Mul<broadcast=1, axis=0>(c, s)  y = MatMul(x, d)",
        {"t": CODES, "s": FACTORS, "x": np.eye(10, dtype=np.float32)},
        CODES * FACTORS[:, None],
    ),
    "rows_first, Mul": (
        "c = Cast<to=1>(t)  d = Mul<broadcast=1, axis=0>(c, s)  y = Gather<axis=0>(d, i)",
        {"t": CODES, "s": FACTORS, "i": np.int64([2, 0, 9])},
        (CODES * FACTORS[:, None])[[2, 0, 9]],
    ),
    "rows_first, Add": (
        "c = Cast<to=1>(t)  d = Add<broadcast=1, axis=0>(c, s)  y = Gather<axis=0>(d, i)",
        {"t": CODES, "s": FACTORS, "i": np.arange(9, -1, -1)},
        (CODES + FACTORS[:, None])[::-1],
    ),
    **{
        f"transposed_later, {name} along axis {axis}": (
            f"c = Conv(x, w)  t = Transpose<perm=[0,2,3,1]>(c)  y = {name}<broadcast=1, axis={axis}>(t, b)",
            {"x": CHANNELS_LAST, "w": np.eye(2, dtype=np.float32).reshape(2, 2, 1, 1), "b": b},
            function(CHANNELS_LAST.transpose(0, 2, 3, 1), b.reshape(-1, *[1] * (3 - axis))),
        )
        for name, function in (("Add", np.add), ("Sub", np.subtract), ("Mul", np.multiply), ("Div", np.divide))
        for axis, b in ((1, ROWS), (2, ROWS), (3, ROWS[:2]))
    },
}


@pytest.mark.parametrize("what", BEFORE_OPSET_7)
def test_axes_of_operators_before_opset_7(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """No pass takes an operator that broadcasts along an axis for the operator of later opsets."""
    monkeypatch.setattr(tuning, "PACKED_MATRIX", 1)
    monkeypatch.setattr(tuning, "LARGE_TABLE", 1)
    body, values, expected = BEFORE_OPSET_7[what]
    feed = {name: values[name] for name in ("x", "i") if name in values}
    kinds = {"x": "float", "i": "int64"}
    given = ", ".join(f"{kinds[name]}[{','.join(map(str, a.shape))}] {name}" for name, a in feed.items())
    proto = parsed(6, f"g ({given}) => (float[{','.join('abcd'[: expected.ndim])}] y) {{ {body} }}")
    stored = [(name, a) for name, a in values.items() if name not in feed]
    proto.graph.initializer.extend(numpy_helper.from_array(a, name) for name, a in stored)
    np.testing.assert_allclose(onnx.run(proto, feed)[0].numpy(), expected, rtol=1e-6)
