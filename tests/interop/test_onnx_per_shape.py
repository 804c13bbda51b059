"""A model keeps small values that depend only on the shapes of inputs, and computes other values anew in each run."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from onnx import helper

import suanzi
from interop.models import parsed
from suanzi.interop import onnx

FLATTENED = """g (float[a,b] x) => (float[m] y, int64[2] s) {
    n = Neg(x)  s = Shape(n)  k = Constant<value_ints=[0]>()  p = ReduceProd<keepdims=1>(s)  y = Reshape(n, p)
}"""


def test_shapes_that_come_and_go() -> None:
    model = onnx.load(parsed(17, FLATTENED))
    assert len(model._plan.brief) < len(model._plan.steps)
    for shape in [(2, 3), (2, 3), (3, 2), (2, 3), (0, 4), (1, 1), (1, 1)]:
        x = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
        y, s = model.run([x])
        np.testing.assert_array_equal(y.numpy(), -x.ravel())
        assert s.tolist() == list(shape)
        s[0] = 77  # a user may write into a result


VALUES = {  # inputs of one shape with different values
    "places that are not zero": "z = NonZero(x)  s = Shape(z)  k = Constant<value_ints=[1]>()  t = Gather(s, k)",
    "different elements": "u = Unique(x)  t = Shape(u)",
    "chosen elements": "c = Cast<to=9>(x)  u = Compress(x, c)  t = Shape(u)",
    "a range": """l = ReduceSum<keepdims=0>(x)  z = Constant<value_float=0.0>()  o = Constant<value_float=1.0>()
        r = Range(z, l, o)  t = Shape(r)""",
    "a shape given": "t = Cast<to=7>(x)",
    "the shape of what a shape given makes": "i = Cast<to=7>(x)  e = ConstantOfShape(i)  t = Shape(e)",
}


@pytest.mark.parametrize("what", VALUES)
def test_what_values_decide_is_computed_in_each_run(what: str) -> None:
    expanded = "f = ReduceMax<keepdims=0>(x)  y = Expand(f, t)"
    proto = parsed(17, f"g (float[n] x) => (float[m] y) {{ {VALUES[what]}  {expanded} }}")
    model = onnx.load(proto)
    shapes = [model.run([np.float32(x)])[0].shape for x in ([1, 2, 3], [1, 0, 1], [1, 2, 3])]
    fresh = [onnx.run(proto, [np.float32(x)])[0].shape for x in ([1, 2, 3], [1, 0, 1])]
    assert shapes == [*fresh, fresh[0]]
    assert fresh[0] != fresh[1]


def test_the_length_of_a_cache_follows_from_values() -> None:
    """Keys of GroupQueryAttention have as many rows as `seqlens_k` states. The values of `seqlens_k` differ by run."""
    domain = "com.microsoft"
    nodes = [
        helper.make_node(
            "GroupQueryAttention", ["x", "x", "x", "past", "past", "last", "total"], ["y", "keys", "values"],
            domain=domain, num_heads=1, kv_num_heads=1,
        ),
        helper.make_node("Shape", ["keys"], ["s"]),
        helper.make_node("Expand", ["one", "s"], ["e"]),
    ]  # fmt: skip
    x, past = np.zeros((1, 1, 8), np.float32), np.zeros((1, 1, 8, 8), np.float32)
    feed = {"x": x, "past": past, "one": np.float32([1])}
    given = [helper.make_tensor_value_info(name, 1, a.shape) for name, a in feed.items()]
    given += [helper.make_tensor_value_info("last", 6, [1]), helper.make_tensor_value_info("total", 6, [])]
    results = [helper.make_tensor_value_info(name, 1, None) for name in ("keys", "e")]
    imports = [helper.make_opsetid("", 17), helper.make_opsetid(domain, 1)]
    graph = helper.make_graph(nodes, "g", given, results)
    proto = helper.make_model(graph, opset_imports=imports, ir_version=8)
    shapes = {name: a.shape for name, a in feed.items()} | {"last": (1,), "total": ()}
    for model in (onnx.load(proto), onnx.load(proto, optimize=shapes)):
        for last in (4, 8, 4, 8):
            counts = {"last": np.int32([last]), "total": np.int32(last + 1)}
            # The new row follows the last of the past rows, which are 8 rows. Only a ninth row extends the cache.
            assert [each.shape for each in model.run(feed | counts)] == [(1, 1, max(8, last + 1), 8)] * 2


def test_an_index_out_of_range_is_found_though_only_the_shape_counts() -> None:
    graph = """g (float[n] x, int64[m] i) => (float[k] y) {
        r = Gather(x, i)  s = Shape(r)  t = Concat<axis=0>(s, s)  f = ReduceMax<keepdims=0>(x)
        y = Expand(f, t)
    }"""
    model = onnx.load(parsed(17, graph))
    x = np.float32([1, 2])
    for _ in range(2):
        assert model.run([x, np.int64([0, 1, 0])])[0].shape == (3, 3)
    with pytest.raises(suanzi.OutOfRangeError):
        model.run([x, np.int64([0, 1, 2])])


SMALL = """g (float[a,b] x) => (float[a,b] y, float z) {
    s = Shape(x)  k = Constant<value_ints=[1]>()  t = Gather(s, k)  f = Cast<to=1>(t)
    i = Constant<value_int=0>()  u = Gather(s, i)  two = Constant<value_int=2>()  c = Equal(u, two)
    y = Div(x, f)
    z = If(c) <
        then_branch = n () => (float v) { v = Squeeze(f) },
        else_branch = m () => (float w) { w = ReduceMax<keepdims=0>(x) }
    >
}"""


def test_small_tensors_are_known_too() -> None:
    """A condition and a divisor that follow from shapes are kept. A write into a result changes no later result."""
    model = onnx.load(parsed(17, SMALL))
    assert len(model._plan.brief) == 2 < len(model._plan.steps)
    for shape in [(2, 3), (2, 3), (3, 4), (2, 3), (3, 4), (2, 3)]:
        x = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
        y, z = model.run([x])
        np.testing.assert_array_equal(y.numpy(), x / np.float32(shape[1]))
        assert z.item() == (shape[1] if shape[0] == 2 else x.max())
        for result in (y, z):
            if result.numpy().flags.writeable:
                result[...] = 77


def test_large_tensors_that_follow_from_shapes_are_not_kept() -> None:
    graph = """g (float[n] x) => (float[n] y) {
        s = Shape(x)  o = ConstantOfShape(s)  p = Neg(o)  y = Add(x, p)
    }"""
    model = onnx.load(parsed(17, graph))
    for _ in range(3):
        assert model.run([np.ones(5000, np.float32)])[0].tolist() == [1.0] * 5000
    assert all(getattr(each, "size", 1) < 100 for known in model._known.values() for each in known.numbers)


def test_threads_on_inputs_of_different_shapes() -> None:
    model = onnx.load(parsed(17, FLATTENED))

    def runs(size: int) -> bool:
        x = np.full((size, 3), size, np.float32)
        return all(model.run([x])[0].shape == (3 * size,) for _ in range(300))

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(runs, [1, 2, 3, 4]))
