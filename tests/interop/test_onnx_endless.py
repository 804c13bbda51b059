"""Control flow that is endless, needs too much memory or is nested too deeply is refused within seconds."""

from __future__ import annotations

import time

import numpy as np
import pytest
from onnx import ModelProto, helper
from onnx.helper import make_node

import suanzi
from interop.models import parsed
from suanzi import InvalidArgumentError, tuning
from suanzi.interop import onnx

pytestmark = pytest.mark.one_level

I64 = np.int64


def endless(body: str, most: str = "n", states: str = "") -> ModelProto:
    return parsed(21, f"g (int64 n, bool on, float x) => (float y) {{ y = Loop({most}, on, x)<body = {body}> }}")


ENDLESS = {
    "a body that does nothing": "b (int64 i, bool c, float v) => (bool c, float v) { }",
    "a constant condition": "b (int64 i, bool c, float v) => (bool d, float v) { d = Constant<value = bool {1}>() }",
    "a condition that is computed": "b (int64 i, bool c, float v) => (bool d, float v) { e = Not(c) d = Not(e) }",
    "a state that changes": "b (int64 i, bool c, float v) => (bool c, float w) { w = Neg(v) }",
    "a loop in it": "b (int64 i, bool c, float v) => (bool c, float w) { "
    "w = Loop(n, c, v)<body = bb (int64 j, bool cc, float vv) => (bool cc, float vv) { }> }",
}


@pytest.mark.parametrize("what", ENDLESS)
@pytest.mark.parametrize("most", ["n", ""])
def test_endless_loops(what: str, most: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A loop of 2^62 or unlimited trips ends with an error, before the first trip if the number of trips is known."""
    if "computed" in what:
        monkeypatch.setattr(tuning, "MOST_REPEATED", 2**12)
    model = onnx.load(endless(ENDLESS[what], most))
    start = time.perf_counter()
    with pytest.raises(InvalidArgumentError, match="loops of a run make more than"):
        model.run([I64(2**62), np.array(True), np.float32(1)])
    assert time.perf_counter() - start < 20


def test_the_limit_is_that_of_a_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tuning, "MOST_REPEATED", 200)
    model = onnx.load(endless(ENDLESS["a state that changes"]))
    for _ in range(3):
        assert model.run([I64(100), np.array(True), np.float32(1)])[0].item() == 1
    with pytest.raises(InvalidArgumentError):
        model.run([I64(101), np.array(True), np.float32(1)])
    assert model.run([I64(-(2**62)), np.array(True), np.float32(1)])[0].item() == 1


def test_a_loop_that_takes_all_memory() -> None:
    body = "b (int64 i, bool c, float[k] v) => (bool c, float[l] w) { w = Concat<axis = 0>(v, v) }"
    model = onnx.load(parsed(21, f"g (int64 n, float[k] x) => (float[m] y) {{ y = Loop(n, , x)<body = {body}> }}"))
    limit = suanzi.memory.statistics()["limit"]
    suanzi.memory.set_limit(suanzi.memory.statistics()["in_use"] + 2**26)
    try:
        with pytest.raises(suanzi.AllocFailedError):
            model.run([I64(60), np.zeros(1024, np.float32)])
    finally:
        suanzi.memory.set_limit(limit)


def nested(levels: int) -> ModelProto:
    """Return a model of nested branches as an object, because protobuf's parser would refuse the model's bytes."""
    model = parsed(21, "g (bool c, float x) => (float y) { y = Neg(x) }")
    graph = model.graph
    for level in range(levels):
        del graph.node[:]
        node = graph.node.add(op_type="If", input=["c"], output=[graph.output[0].name])
        inner = None
        for name in ("else_branch", "then_branch"):
            inner = node.attribute.add(name=name, type=5).g
            inner.name = name
            inner.output.append(helper.make_tensor_value_info(f"y{level}", 1, None))
            inner.node.append(make_node("Neg", ["x"], [f"y{level}"]))
        assert inner is not None
        graph = inner
    return model


@pytest.mark.parametrize("levels", [1, 5, 20, 30])
def test_deep_nesting(levels: int) -> None:
    assert onnx.run(nested(levels), [np.array(True), np.float32(2)])[0].item() == -2


@pytest.mark.parametrize("levels", [31, 100, 10_000])
def test_nesting_that_is_too_deep(levels: int) -> None:
    with pytest.raises(InvalidArgumentError, match="levels"):
        onnx.load(nested(levels))
