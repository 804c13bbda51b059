"""At load, constants are computed, equal nodes are merged and unused nodes are removed. No result changes."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from onnx import ModelProto, defs, numpy_helper, parser
from onnx.reference import ReferenceEvaluator

import suanzi
from interop.models import parsed
from suanzi import InvalidArgumentError, SuanziError, tuning
from suanzi.interop import onnx

X = np.float32([1, -2])


def with_stored(opset: int, graph: str, **stored: Any) -> ModelProto:
    model = parsed(opset, graph)
    model.graph.initializer.extend(numpy_helper.from_array(np.asarray(a), name) for name, a in stored.items())
    return model


def steps(model: onnx.Model) -> dict[str, int]:
    """Return the number of calls of each operator in a model's plan."""
    return dict(Counter(step.label.partition("-")[0] for step in model._plan.steps))


def agrees(model: ModelProto, feeds: dict[str, Any]) -> onnx.Model:
    """Load a model, check that two runs return the same results as ONNX's evaluator, and return the loaded model."""
    loaded = onnx.load(model)
    expected = ReferenceEvaluator(model).run(None, feeds)
    for _ in range(2):
        for y, e in zip(loaded.run(feeds), expected, strict=True):
            assert y.numpy().dtype == e.dtype
            np.testing.assert_array_equal(y.numpy(), e)
    return loaded


WEIGHTS = """g (float[n,2] x) => (float[n,3] y) {
    f = Cast<to=1>(w)  m = Mul(f, s)  t = Transpose(m)  y = MatMul(x, t)
}"""
STORED = {"w": np.int8([[1, 2], [3, -4], [5, 6]]), "s": np.float32([[0.5], [2], [4]])}


def test_constants_are_computed_at_load() -> None:
    model = agrees(with_stored(17, WEIGHTS, **STORED), {"x": np.float32([[1, 2], [3, 4]])})
    assert steps(model) == {"MatMul": 1}
    assert sum(isinstance(x, suanzi.Tensor) for x in model._plan.slots) == 1  # the parts of the constant are freed


def test_shapes_of_constants_and_numbers_made_of_them() -> None:
    graph = """g (float[n,2] x) => (float[m,6] y) {
        s = Shape(w)  n = ReduceProd<keepdims=0>(s)  a = Constant<value_ints=[0]>()  u = Unsqueeze(n, a)
        o = Constant<value_ints=[-1]>()  t = Concat<axis=0>(o, u)  y = Reshape(x, t)
    }"""
    model = agrees(with_stored(17, graph, w=STORED["w"]), {"x": np.ones((3, 2), np.float32)})
    assert steps(model) == {"Reshape": 1}


def test_a_default_of_an_input_is_no_constant() -> None:
    graph = "g (float[n] x, float[n] w) => (float[n] y) { v = Neg(w)  y = Mul(x, v) }"
    model = onnx.load(with_stored(17, graph, w=np.float32([2, 3])))
    assert model.run([X])[0].tolist() == [-2, 6]
    assert model.run([X, X])[0].tolist() == [-1, -4]
    assert model.run([X])[0].tolist() == [-2, 6]


def test_equal_nodes_run_once() -> None:
    graph = """g (float[n] x) => (float[n] y) {
        one = Constant<value_float=1.0>()  uno = Constant<value_float=1.0>()
        a = Add(x, one)  b = Add(x, uno)  c = Identity(b)
        p = Abs(a)  q = Abs(c)  y = Add(p, q)
    }"""
    assert steps(agrees(parsed(17, graph), {"x": np.float32([0, -1])})) == {"Add": 2, "Abs": 1}


def test_nodes_that_are_not_equal() -> None:
    """Nodes that differ in attributes, operands, the order of operands or the number of results are not merged."""
    graph = """g (float[a,b] x) => (float[m] y, float[m] z, float[a,b] d, float[a,b] e, float[k] u, int64[k] i) {
        y = ReduceSum<keepdims=0>(x, r)  z = ReduceSum<keepdims=1>(x, r)  d = Sub(x, w)  e = Sub(w, x)
        u = Unique(x)  v, i = Unique(x)
    }"""
    agrees(with_stored(17, graph, r=[0], w=np.float32([3, -0.0])), {"x": np.float32([[1, -2], [1, 5]])})


def test_zeros_of_both_signs_are_two_constants() -> None:
    graph = "g (float[n] x) => (float[n] y, float[n] z) { y = Div(x, p)  z = Div(x, m) }"
    y, z = onnx.run(with_stored(17, graph, p=np.float32(0), m=np.float32(-0.0)), [X])
    assert (y.tolist(), z.tolist()) == ([np.inf, -np.inf], [-np.inf, np.inf])


def test_draws_are_neither_constants_nor_equal() -> None:
    graph = """g () => (float[9] y, float[9] z, float[9] d, float[9] e) {
        n = RandomNormal<shape=[9]>()  m = RandomNormal<shape=[9]>()  y = Neg(n)  z = Neg(m)
        h = Constant<value_floats=[0.5,0.5,0.5,0.5,0.5,0.5,0.5,0.5,0.5]>()
        u = RandomUniformLike(h)  v = RandomUniformLike(h)  d = Neg(u)  e = Neg(v)
    }"""
    model = onnx.load(parsed(17, graph))
    drawn = [tuple(t.tolist()) for t in (*model.run([]), *model.run([]))]
    assert len(set(drawn)) == 8


def test_nodes_for_nobody_do_not_run() -> None:
    graph = "g (float[n] x) => (float[n] y) { y = Neg(x)  a = Exp(x)  b = Log(a)  c, i = TopK(x, k) }"
    model = onnx.load(with_stored(17, graph, k=[2**40]))
    assert steps(model) == {"Neg": 1}
    assert model.run([X])[0].tolist() == [-1, 2]


def test_nodes_for_nobody_are_checked_all_the_same() -> None:
    with pytest.raises(InvalidArgumentError, match="not supported"):
        onnx.load(parsed(17, "g (float[n] x) => (float[n] y) { y = Neg(x)  a = Nonsense(x) }"))
    with pytest.raises(SuanziError):
        onnx.load(parsed(17, "g (int64[n] x) => (int64[n] y) { y = Neg(x)  a = Exp(x) }"))


FAILING = {
    "shapes that do not broadcast": ("y = Add(a, b)", {"a": np.ones(2, "f"), "b": np.ones(3, "f")}),
    "an index out of range": ("g = Gather(a, i) y = Neg(g)", {"a": np.ones(2, "f"), "i": [7]}),
    "a size that does not fit": ("y = Reshape(a, s)", {"a": np.ones(2, "f"), "s": [3]}),
    "too many numbers": ("y = Reshape(a, s)", {"a": np.ones(1, "f"), "s": np.ones(70000, "i8")}),
    "a step of zero": ("r = Range(n, n, z) y = Cast<to=1>(r)", {"n": np.int64(1), "z": np.int64(0)}),
}


@pytest.mark.parametrize("what", FAILING)
def test_errors_of_constants_stay_errors_of_runs(what: str) -> None:
    body, stored = FAILING[what]
    body = f"k = Identity(s)  {body}".replace("(a, s)", "(a, k)") if "s" in stored else body
    model = with_stored(17, f"g (float[n] x) => (float[m] y) {{ {body} }}", **stored)
    loaded = onnx.load(model)
    for _ in range(2):
        with pytest.raises(SuanziError) as caught:
            loaded.run([X])
        assert any(note.startswith("in ") for note in caught.value.__notes__)


ENDLESS = {
    "ConstantOfShape": "c = ConstantOfShape(t)",
    "Expand": "e = Expand(f, t) c = Neg(e)",
    "Tile": "c = Tile(f, t)",
    "Range": "r = Range(z, s, o) c = Cast<to=1>(r)",
    "Gather": "i = Expand(z, t) c = Gather(f, i)",
    "a sum over nothing": "v = Concat<axis=0>(z1, t) e = ConstantOfShape(v) c = ReduceSum<keepdims=0>(e, z1)",
    "a broadcast": "u = Concat<axis=0>(t, o1) a = Expand(f, t) b = Expand(f, u) c = Add(a, b)",
    "products": "m = ConstantOfShape(q) c = MatMul(m, m)",
}


@pytest.mark.parametrize("what", ENDLESS)
@pytest.mark.parametrize("size", [2**26, 2**33, 2**62])
def test_constants_that_would_be_endless_are_not_made_at_load(what: str, size: int) -> None:
    graph = f"g (float[n] x) => (float[m] y) {{ {ENDLESS[what]} y = Add(c, x) }}"
    stored = {"t": [size], "s": size, "f": np.float32([1]), "z": 0, "z1": [0], "o": 1, "o1": [1], "q": [8000, 8000]}
    model = with_stored(17, graph, **{k: np.asarray(v, getattr(v, "dtype", np.int64)) for k, v in stored.items()})
    suanzi.memory.reset_peak()
    before = suanzi.memory.statistics()["in_use"]
    loaded = onnx.load(model)
    assert suanzi.memory.statistics()["peak"] - before < 2**22
    assert {"Add", what} & steps(loaded).keys()


def test_many_small_steps_of_growth_end() -> None:
    """If each constant node doubles the size of the previous result, only the first nodes are computed at load."""
    doubled = " ".join(f"v{i + 1} = Concat<axis=0>(v{i}, v{i})" for i in range(40))
    model = with_stored(17, f"g (float[n] x) => (float[m] y) {{ {doubled} y = Add(v40, x) }}", v0=np.ones(1, "f"))
    suanzi.memory.reset_peak()
    before = suanzi.memory.statistics()["in_use"]
    assert 10 < steps(onnx.load(model))["Concat"] < 20
    assert suanzi.memory.statistics()["peak"] - before < 2**28


DEFAULTS = """<ir_version: {}, opset_import: ["": 9]> g (float[2] x, float[2] w = {{3, 4}}) => (float[2] y) {{
    v = Neg(w)  y = Mul(x, v)
}}"""


@pytest.mark.parametrize("version", [3, 4])
def test_initializers_of_old_models_are_constants(version: int) -> None:
    """Before IR version 4, an initializer with an input's name is a constant, not a default, as in ONNX Runtime."""
    x, w = np.float32([1, 2]), np.float32([5, 6])
    model = onnx.load(parser.parse_model(DEFAULTS.format(version)))
    assert model.inputs == ("x",)
    assert model.run({"x": x})[0].tolist() == [-3, -8]
    if version == 3:
        assert steps(model) == {"Mul": 1}
        with pytest.raises(InvalidArgumentError, match=r"'w'.* not inputs"):
            model.run({"x": x, "w": w})
    else:
        assert model.run({"x": x, "w": w})[0].tolist() == [-5, -12]


def test_work_at_load_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """A chain of nodes on constants is computed at load up to a limit, and each run computes the remaining nodes."""
    chain = " ".join(f"v{i + 1} = Neg(v{i})" for i in range(20))
    model = with_stored(17, f"g (float[n] x) => (float[n] y) {{ {chain} y = Mul(v20, x) }}", v0=np.ones(2, "f"))
    assert steps(onnx.load(model)) == {"Mul": 1}
    monkeypatch.setattr(tuning, "MOST_WORK", (5, 0))
    assert steps(agrees(model, {"x": X})) == {"Neg": 15, "Mul": 1}


HANDED_OUT = """
g (float[n] x, string[1] o) => (float[2] c, float[2] f, float[2] v, string[2] s, string[2] r, string[1] o) {
    c = Constant<value_floats=[1.0, 2.0]>()  f = Neg(c)  m = Exp(l)  v = Reshape(m, k)
    s = Constant<value_strings=["a", "b"]>()  q = Constant<value_strings=["c", "d"]>()  r = Reshape(q, k)
}"""


def test_what_a_user_writes_into_a_result_is_gone_in_the_next_run() -> None:
    model = with_stored(17, HANDED_OUT, l=np.float32([[0, 0]]), k=[2], o=np.array(["e"], object))
    loaded = onnx.load(model)
    expected = [[1, 2], [-1, -2], [1, 1], ["a", "b"], ["c", "d"], ["e"]]
    for _ in range(3):
        results = loaded.run([X])
        assert [y.tolist() for y in results] == expected
        for y in results:
            try:
                y[0] = "z" if y.dtype is suanzi.string else 7
            except InvalidArgumentError as error:
                assert "read-only" in str(error)  # noqa: PT017  (a result may be a copy or read-only)


def test_two_results_are_two_tensors() -> None:
    graph = """g (float[n] x) => (float[n] a, float[n] b, float[n] c, float[n] d) {
        a = Neg(x)  b = Neg(x)  e = Abs(x)  c = Identity(e)  f = Abs(x)  d = Reshape(f, k)
    }"""
    for y in (results := onnx.run(with_stored(17, graph, k=[-1]), [X])):
        others = [other.tolist() for other in results if other is not y]
        y[0] = 77
        assert [other.tolist() for other in results if other is not y] == others


TABLE = {
    "w": np.arange(-60, 60, dtype=np.int8).reshape(40, 3),
    "s": np.linspace(0.1, 3, 40, dtype=np.float32)[:, None],
    "b": np.float32([[0.1, 0.2, 0.3]]),
    "c": np.float32([3, 2, 1]),
    "q": np.float32(0.25),
    "z": np.int8(3),
}
TABLES = {
    "rows": "f = Cast<to=1>(w)  t = Mul(f, s)",
    "one row for all": "f = Cast<to=1>(w)  g = Mul(s, f)  h = Add(g, b)  t = Sub(h, c)",
    "decoded": "t = DequantizeLinear(w, q, z)",
}


@pytest.mark.parametrize("body", TABLES.values(), ids=TABLES)
@pytest.mark.parametrize("indices", [np.int64(2), np.int64([-1, 0, 39]), np.int64([[1], [-40]]), np.int64([])])
def test_rows_are_looked_up_before_they_are_computed(
    monkeypatch: pytest.MonkeyPatch, body: str, indices: np.ndarray[Any, Any]
) -> None:
    if not indices.size and defs.onnx_opset_version() < 28:
        pytest.skip("the evaluator of onnx before 1.23 gathers nothing in a wrong shape")
    sizes = ",".join(f"d{i}" for i in range(indices.ndim))
    graph = f"g (int64[{sizes}] i) => (float[m] y) {{ {body}  y = Gather(t, i) }}".replace("int64[]", "int64")
    model = with_stored(21, graph, **TABLE)
    assert steps(agrees(model, {"i": indices})) == {"Gather": 1}  # the small table t is computed at load
    monkeypatch.setattr(tuning, "LARGE_TABLE", 64)
    assert steps(agrees(model, {"i": indices})).keys() >= {"Gather", "DequantizeLinear" if "De" in body else "Cast"}


@pytest.mark.parametrize("index", [40, -41])
def test_a_row_that_is_not_there(monkeypatch: pytest.MonkeyPatch, index: int) -> None:
    monkeypatch.setattr(tuning, "LARGE_TABLE", 64)
    model = with_stored(17, f"g (int64[n] i) => (float[m] y) {{ {TABLES['rows']}  y = Gather(t, i) }}", **TABLE)
    with pytest.raises(suanzi.OutOfRangeError, match="40"):
        onnx.run(model, [np.int64([index])])


def test_a_table_that_others_read_is_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tuning, "LARGE_TABLE", 64)
    graph = (
        f"g (int64[n] i) => (float[m] y, float[1,3] u) {{ {TABLES['rows']}  y = Gather(t, i)  u = ReduceSum(t, k) }}"
    )
    model = with_stored(17, graph, k=[0], **TABLE)
    loaded = onnx.load(model)
    assert steps(loaded) == {"Gather": 1}
    y, _ = loaded.run([np.int64([5])])
    np.testing.assert_array_equal(y.numpy(), TABLE["w"][[5]].astype("f") * TABLE["s"][5])
