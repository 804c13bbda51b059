"""Tests of If, Loop, Scan and SequenceMap: values of outer graphs, nesting, optimization passes, and limits."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from onnx import ModelProto, TensorProto, checker, helper, numpy_helper, parser

import suanzi
from interop.models import parsed
from suanzi import (
    DimensionsMismatchError,
    InvalidArgumentError,
    OutOfRangeError,
    SuanziError,
    TypeMismatchError,
)
from suanzi.interop import onnx

pytestmark = pytest.mark.one_level

X = np.float32([[1, 2], [3, 4], [5, 6]])
I64 = np.int64


def run(model: ModelProto | str, *inputs: Any, opset: int = 21) -> list[Any]:
    if isinstance(model, str):
        model = parsed(opset, model)
        checker.check_model(model)
    found = onnx.run(model, inputs)
    return [[y.numpy() for y in x] if isinstance(x, list) else None if x is None else x.numpy() for x in found]


CHOICE = """g (bool c, float[n,m] x) => (float[k,l] y, float z) {
    two = Constant<value_float = 2.0>()
    a = Mul(x, two)
    y, z = If(c)<
        then_branch = t () => (float[k,l] p, float q) { p = Add(a, two)  q = ReduceSum<keepdims=0>(x) },
        else_branch = e () => (float[k,l] p, float q) { p = Transpose(a)  q = Identity(two) }>
}"""


def test_branches_see_values_from_around() -> None:
    y, z = run(CHOICE, np.array(True), X)
    np.testing.assert_array_equal(y, 2 * X + 2)
    assert z == X.sum()
    y, z = run(CHOICE, np.array(False), X)
    np.testing.assert_array_equal(y, 2 * X.T)
    assert z == 2


NESTED = """g (bool a, bool b, float[n] x) => (float[n] y) {
    w = Neg(x)
    y = If(a)<
        then_branch = t () => (float[n] p) {
            u = Add(w, x)
            p = If(b)<
                then_branch = tt () => (float[n] q) { v = Mul(w, w)  q = Add(u, v) },
                else_branch = te () => (float[n] q) { q = Identity(w) }>
        },
        else_branch = e () => (float[n] p) { p = Identity(x) }>
}"""


@pytest.mark.parametrize(("a", "b", "expected"), [(1, 1, [1, 4]), (1, 0, [-1, -2]), (0, 1, [1, 2])])
def test_nested_branches(a: int, b: int, expected: list[float]) -> None:
    x = np.float32([1, 2])
    (y,) = run(NESTED, np.array(bool(a)), np.array(bool(b)), x)
    assert y.tolist() == expected


COUNTED = """g (int64 n, float[m] x) => (float[m] y, float[t,m] s, int64[t] k) {
    on = Constant<value = bool {1}>()
    y, s, k = Loop(n, on, x)<body = b (int64 i, bool c, float[m] v) => (bool d, float[m] w, float[m] o, int64 j) {
        w = Add(v, x)  o = Mul(w, v)  d = Identity(c)  j = Add(i, i) }>
}"""


@pytest.mark.parametrize("trips", [0, 1, 2, 7, -3])
def test_loops_that_count(trips: int) -> None:
    x = np.float32([1, -2])
    y, s, k = run(COUNTED, I64(trips), x)
    v, scanned = x, []
    for _ in range(trips):
        w = v + x
        scanned.append(w * v)
        v = w
    np.testing.assert_array_equal(y, v)
    np.testing.assert_array_equal(s, np.array(scanned, "f").reshape(max(trips, 0), 2 if trips > 0 else 0))
    assert k.tolist() == [2 * i for i in range(trips)]
    assert k.dtype == np.int64


WHILE = """g (float x, float limit) => (float y, int64[t] k) {
    on = Constant<value = bool {1}>()
    y, k = Loop(, on, x)<body = b (int64 i, bool c, float v) => (bool d, float w, int64 j) {
        w = Add(v, v)  d = Less(w, limit)  j = Identity(i) }>
}"""


def test_loops_until_a_condition() -> None:
    y, k = run(WHILE, np.float32(1), np.float32(100))
    assert y == 128
    assert k.tolist() == [0, 1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize(("most", "goes_on", "trips"), [(3, None, 3), (None, True, 5), (3, False, 0), (None, None, 5)])
def test_a_count_and_a_condition_are_optional(most: int | None, goes_on: bool | None, trips: int) -> None:
    body = """b (int64 i, bool c, int64 v) => (bool d, int64 w) {
        one = Constant<value_int = 1>()  five = Constant<value_int = 5>()  w = Add(v, one)  d = Less(w, five) }"""
    given = ("int64 n, " if most is not None else "") + ("bool on, " if goes_on is not None else "")
    names = f"{'n' if most is not None else ''}, {'on' if goes_on is not None else ''}"
    model = f"g ({given}int64 x) => (int64 y) {{ y = Loop({names}, x)<body = {body}> }}"
    values: list[Any] = [
        *([I64(most)] if most is not None else []),
        *([np.array(goes_on)] if goes_on is not None else []),
    ]
    assert run(model, *values, I64(0))[0] == trips


def test_loops_in_loops_see_all_that_is_around() -> None:
    model = """g (int64 n, int64 m, float x) => (float y) {
        on = Constant<value = bool {1}>()
        y = Loop(n, on, x)<body = b (int64 i, bool c, float v) => (bool d, float w) {
            d = Identity(c)  f = Cast<to=1>(i)
            w = Loop(m, on, v)<body = bb (int64 j, bool cc, float vv) => (bool dd, float ww) {
                dd = Identity(cc)  g = Cast<to=1>(j)  h = Mul(f, g)  k = Add(h, x)  ww = Add(vv, k) }> }>
    }"""
    expected = 2 + sum(i * j + 2 for i in range(3) for j in range(4))
    assert run(model, I64(3), I64(4), np.float32(2))[0] == expected


def test_shapes_may_change_from_trip_to_trip() -> None:
    model = """g (int64 n, float[k] x) => (float[m] y) {
        y = Loop(n, , x)<body = b (int64 i, bool c, float[k] v) => (bool d, float[l] w) {
            d = Identity(c)  w = Concat<axis=0>(v, x) }>
    }"""
    assert run(model, I64(3), np.float32([1, 2]))[0].tolist() == [1, 2] * 4


SCAN = """g (float[b] s, float[t,b] x) => (float[b] y, float[t,b] z) {
    y, z = Scan<num_scan_inputs = 1{more}, body = f (float[b] a, float[b] v) => (float[b] o, float[b] p) {
        o = Add(a, v)  p = Mul(o, v) }>(s, x)
}"""


def scanned(s: Any, x: Any) -> tuple[Any, Any]:
    parts = []
    for row in x:
        s = s + row
        parts.append(s * row)
    return s, np.array(parts)


@pytest.mark.parametrize("opset", [9, 11, 16, 21])
def test_scans(opset: int) -> None:
    s = np.float32([1, -1])
    expected = scanned(s, X)
    for found, wanted in zip(run(SCAN.replace("{more}", ""), s, X, opset=opset), expected, strict=True):
        np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("direction", [0, 1])
@pytest.mark.parametrize("out_axis", [0, 1, -2])
@pytest.mark.parametrize("out_direction", [0, 1])
def test_axes_and_directions_of_scans(axis: int, direction: int, out_axis: int, out_direction: int) -> None:
    more = f""", scan_input_axes = [{axis}], scan_input_directions = [{direction}],
        scan_output_axes = [{out_axis}], scan_output_directions = [{out_direction}]"""
    rows = np.moveaxis(X, axis, 0)[:: -1 if direction else 1]
    s = np.zeros(rows.shape[1], np.float32)
    y, z = run(SCAN.replace("{more}", more).replace("float[t,b] z", "float[p,q] z"), s, X)
    state, parts = scanned(s, rows)
    np.testing.assert_array_equal(y, state)
    np.testing.assert_array_equal(z, np.stack(list(parts[:: -1 if out_direction else 1]), out_axis))


def test_a_scan_of_nothing() -> None:
    y, z = run(SCAN.replace("{more}", ""), np.float32([1, 2]), np.zeros((0, 2), np.float32))
    assert y.tolist() == [1, 2]
    assert (z.shape, z.dtype) == ((0, 0), np.float32)  # the declared type: the size b is unknown


def test_scans_of_batches() -> None:
    """Scan-8 reads each sequence of a batch up to the sequence's length, and sets results beyond the length to 0."""
    model = """g (int64[b] l, float[b,k] s, float[b,t,k] x) => (float[b,k] y, float[b,t,k] z) {
        y, z = Scan<num_scan_inputs = 1, directions = [1],
            body = f (float[k] a, float[k] v) => (float[k] o, float[k] p) { o = Add(a, v)  p = Mul(o, v) }>(l, s, x)
    }"""
    x, s = np.arange(12, dtype="f").reshape(2, 3, 2), np.float32([[1, 2], [3, 4]])
    y, z = run(model, I64([3, 2]), s, x, opset=8)
    for i, n in enumerate((3, 2)):
        state, parts = scanned(s[i], x[i, :n][::-1])
        np.testing.assert_array_equal(y[i], state)
        np.testing.assert_array_equal(z[i], np.concatenate([parts, np.zeros((3 - n, 2), "f")]))


def test_a_scan_sees_values_from_around() -> None:
    model = """g (float[t,n] x, float[n,n] w) => (float[t,n] y) {
        y = Scan<num_scan_inputs = 1, body = f (float[n] v) => (float[n] o) { o = MatMul(v, w) }>(x)
    }"""
    w = np.float32([[1, 2], [3, 4]])
    np.testing.assert_array_equal(run(model, X, w)[0], X @ w)


def test_stored_values_of_bodies_and_from_around() -> None:
    """The bodies of If read constants of the model, and constants that the bodies store."""
    model = parsed(
        21,
        """g (bool c, float[n] x) => (float[k,l] y) {
            y = If(c)<then_branch = t () => (float[k,l] p) { q = Add(x, own)  p = Reshape(q, s) },
                else_branch = e () => (float[k,l] p) { p = Reshape(x, s) }>
        }""",
    )
    model.graph.initializer.append(numpy_helper.from_array(I64([2, -1]), "s"))
    body = model.graph.node[0].attribute[0].g
    body.initializer.append(numpy_helper.from_array(np.float32([10]), "own"))
    x = np.arange(6, dtype="f")
    np.testing.assert_array_equal(run(model, np.array(True), x)[0], (x + 10).reshape(2, 3))
    np.testing.assert_array_equal(run(model, np.array(False), x)[0], x.reshape(2, 3))


def test_large_products_in_loops() -> None:
    """A loop whose body multiplies by a large matrix of the outer graph returns the same results as NumPy."""
    rng = np.random.default_rng(1)
    w = rng.standard_normal((160, 160)).astype("f") / 8
    model = parsed(
        21,
        """g (int64 n, float[k,160] x) => (float[k,160] y) {
            y = Loop(n, , x)<body = b (int64 i, bool c, float[k,160] v) => (bool d, float[k,160] o) {
                d = Identity(c)  p = MatMul(v, w)  o = Add(p, u) }>
        }""",
    )
    u = rng.standard_normal(160).astype("f")
    model.graph.initializer.extend([numpy_helper.from_array(w, "w"), numpy_helper.from_array(u, "u")])
    x = rng.standard_normal((5, 160)).astype("f")
    expected = x.astype("d")
    for _ in range(4):
        expected = expected @ w.astype("d") + u
    np.testing.assert_allclose(run(model, I64(4), x)[0], expected, rtol=1e-4, atol=1e-4)


def test_a_model_with_graphs_is_pickled_and_runs_on_several_shapes() -> None:
    model = onnx.load(parsed(21, COUNTED))
    copy = pickle.loads(pickle.dumps(model))
    for n in (2, 5, 2):
        x = np.arange(n, dtype="f")
        for a, b in zip(model.run([I64(3), x]), copy.run([I64(3), x]), strict=True):
            np.testing.assert_array_equal(a.numpy(), b.numpy())


def test_values_from_around_are_kept_until_their_last_use() -> None:
    """A value that only an inner graph reads is neither freed too early nor removed as unused."""
    model = """g (int64 n, float[k] x) => (float[k] y) {
        a = Exp(x)  b = Log(a)  c = Abs(b)
        d = Neg(c)
        y = Loop(n, , d)<body = f (int64 i, bool e, float[k] v) => (bool g, float[k] o) {
            g = Identity(e)  o = Add(v, c) }>
    }"""
    x = np.float32([-1, 2])
    np.testing.assert_allclose(run(model, I64(4), x)[0], 3 * np.abs(x), rtol=1e-6)


def test_random_numbers_in_loops_are_drawn_anew() -> None:
    model = """g (int64 n, bool on, float[k] x) => (float[t,k] y) {
        y = Loop(n, on)<body = f (int64 i, bool c) => (bool d, float[k] o) { d = Identity(c)  o = RandomNormalLike(x) }>
    }"""
    (y,) = run(model, I64(3), np.array(True), np.zeros(4, np.float32))
    assert len({tuple(row) for row in y.tolist()}) == 3


def test_functions_are_called_in_graphs() -> None:
    text = """<ir_version: 8, opset_import: ["": 17, "own": 1]>
    g (bool c, float[n] x) => (float[n] y) {
        y = If(c)<then_branch = t () => (float[n] p) { p = own.Twice(x) },
            else_branch = e () => (float[n] p) { p = own.Chosen(c, x) }>
    }
    <domain: "own", opset_import: ["": 17]> Twice (x) => (y) { y = Add(x, x) }
    <domain: "own", opset_import: ["": 17, "own": 1]> Chosen (c, x) => (y) {
        z = Neg(x)
        y = If(c)<then_branch = t () => (p) { p = own.Twice(z) }, else_branch = e () => (p) { p = own.Twice(x) }>
    }"""
    model, x = parser.parse_model(text), np.float32([1, 2])
    assert run(model, np.array(True), x)[0].tolist() == [2, 4]
    assert run(model, np.array(False), x)[0].tolist() == [2, 4]


SEQUENCES = """g (seq(float[n]) s, float[n] x) => (seq(float[n]) t, float[m] y, int64 k) {
    zero = Constant<value_int = 0>()
    a = SequenceInsert(s, x, zero)  b = SequenceInsert(a, x)  t = SequenceErase(b, zero)
    y = ConcatFromSequence<axis = 0>(t)  k = SequenceLength(t)
}"""


def test_sequences_as_inputs_and_outputs() -> None:
    parts = [np.float32([1]), np.float32([2, 3])]
    t, y, k = run(SEQUENCES, parts, np.float32([9]))
    assert [each.tolist() for each in t] == [[1], [2, 3], [9]]
    assert y.tolist() == [1, 2, 3, 9]
    assert k == 3
    t, y, k = run(SEQUENCES, [], np.float32([9]))
    assert (len(t), k) == (1, 1)


def test_sequences_are_lists_of_tensors() -> None:
    (t, *_) = onnx.run(parsed(21, SEQUENCES), {"s": (suanzi.tensor([1.0]),), "x": suanzi.tensor([2.0])})
    assert isinstance(t, list)
    assert [each.tolist() for each in t] == [[1], [2]]


def test_sequences_that_grow_in_loops() -> None:
    model = """g (int64 n, float x) => (float[t] y, int64 k) {
        none = SequenceEmpty<dtype = 1>()
        s = Loop(n, , none)<body = f (int64 i, bool c, seq(float) v) => (bool d, seq(float) w) {
            d = Identity(c)  a = Cast<to = 1>(i)  b = Add(a, x)  w = SequenceInsert(v, b) }>
        y = ConcatFromSequence<axis = 0, new_axis = 1>(s)  k = SequenceLength(s)
    }"""
    y, k = run(model, I64(4), np.float32(0.5))
    assert y.tolist() == [0.5, 1.5, 2.5, 3.5]
    assert k == 4


@pytest.mark.parametrize(
    ("split", "keepdims", "expected"),
    [
        (None, 1, [[[0, 1]], [[2, 3]], [[4, 5]]]),
        (None, 0, [[0, 1], [2, 3], [4, 5]]),
        (I64(2), 1, [[[0, 1], [2, 3]], [[4, 5]]]),
        (I64([1, 2]), 0, [[[0, 1]], [[2, 3], [4, 5]]]),
    ],
)
def test_sequences_of_parts(split: Any, keepdims: int, expected: list[Any]) -> None:
    shape = "" if split is None or split.ndim == 0 else "[k]"
    given, name = ("", "") if split is None else (f", int64{shape} p", ", p")
    model = f"g (float[n,m] x{given}) => (seq(float) s) {{ s = SplitToSequence<keepdims = {keepdims}>(x{name}) }}"
    x = np.arange(6, dtype="f").reshape(3, 2)
    (s,) = run(parsed(17, model), x, *([] if split is None else [split]))
    assert [each.tolist() for each in s] == expected


def test_maps_of_sequences() -> None:
    model = """g (seq(float[n]) s, seq(float[n]) u, float k) => (seq(float[n]) t, seq(float) r) {
        t, r = SequenceMap<body = f (float[n] a, float[n] b, float c) => (float[n] o, float p) {
            d = Add(a, b)  o = Mul(d, c)  p = ReduceMax<keepdims = 0>(o) }>(s, u, k)
    }"""
    s, u = [np.float32([1, 2]), np.float32([3])], [np.float32([10, 20]), np.float32([30])]
    t, r = run(parsed(17, model), s, u, np.float32(2))
    assert [each.tolist() for each in t] == [[22, 44], [66]]
    assert [float(each) for each in r] == [44, 66]


def test_optional_values() -> None:
    model = """g (optional(float[n]) o) => (float[n] y, bool h) {
        h = OptionalHasElement(o)
        y = If(h)<then_branch = t () => (float[n] p) { p = OptionalGetElement(o) },
            else_branch = e () => (float[n] p) { p = Constant<value_floats = [7.0]>() }>
    }"""
    assert run(parsed(21, model), np.float32([1, 2]))[0].tolist() == [1, 2]
    y, h = run(parsed(21, model), None)
    assert (y.tolist(), h.tolist()) == ([7], False)
    model = parsed(21, "g (float[n] x) => (optional(float[n]) y) { y = Optional(x) }")
    assert run(model, np.float32([3]))[0].tolist() == [3]
    model = parsed(21, "g (float[n] x) => (optional(float[n]) y, bool h) { y = Optional() h = OptionalHasElement(y) }")
    kind = helper.make_tensor_type_proto(TensorProto.FLOAT, None)
    model.graph.node[0].attribute.append(helper.make_attribute("type", kind))
    assert run(model, np.float32([3])) == [None, np.array(False)]


WRONG_AT_LOAD: dict[str, tuple[str, type[SuanziError], str]] = {
    "an unknown value": (
        "g (bool c, float x) => (float y) { y = If(c)<then_branch = t () => (float p) { p = Neg(q) }, "
        "else_branch = e () => (float p) { p = Neg(x) }> }",
        InvalidArgumentError,
        "'q', which has no source",
    ),
    "a value of a sibling": (
        "g (bool c, float x) => (float y) { y = If(c)<then_branch = t () => (float p) { q = Neg(x) p = Neg(q) }, "
        "else_branch = e () => (float p) { p = Neg(q) }> }",
        InvalidArgumentError,
        "'q', which has no source",
    ),
    "an own result": (
        "g (bool c, float x) => (float y) { y = If(c)<then_branch = t () => (float p) { p = Neg(y) }, "
        "else_branch = e () => (float p) { p = Neg(x) }> }",
        InvalidArgumentError,
        "form a cycle",
    ),
    "a result without a name": (
        'g (bool c, float x) => (float y) { y = If(c)<then_branch = t () => (float "") { p = Neg(x) }, '
        "else_branch = e () => (float p) { p = Neg(x) }> }",
        InvalidArgumentError,
        "'' has no source",
    ),
    "branches of two types": (
        "g (bool c, float x) => (float y) { y = If(c)<then_branch = t () => (float p) { p = Neg(x) }, "
        "else_branch = e () => (int64 p) { p = Cast<to = 7>(x) }> }",
        TypeMismatchError,
        r"If-21: result 0 of the branches is tensor\(float\) in one place and tensor\(int64\)",
    ),
    "too few results": (
        "g (bool c, float x) => (float y) { y, z = If(c)<then_branch = t () => (float p) { p = Neg(x) }, "
        "else_branch = e () => (float p) { p = Neg(x) }> }",
        InvalidArgumentError,
        "then_branch has 1 results, not 2",
    ),
    "a branch with inputs": (
        "g (bool c, float x) => (float y) { y = If(c)<then_branch = t (float q) => (float p) { p = Neg(q) }, "
        "else_branch = e () => (float p) { p = Neg(x) }> }",
        InvalidArgumentError,
        "1 inputs, not 0",
    ),
    "a condition that is a number": (
        "g (float x) => (float y) { y = If(x)<then_branch = t () => (float p) { p = Neg(x) }, "
        "else_branch = e () => (float p) { p = Neg(x) }> }",
        TypeMismatchError,
        "If-21: cond is",
    ),
    "a state of another type": (
        "g (int64 n, float x) => (float y) { y = Loop(n, , x)<body = b (int64 i, bool c, float v) => "
        "(bool d, int64 w) { d = Identity(c) w = Cast<to = 7>(v) }> }",
        TypeMismatchError,
        "Loop-21: state 0 is",
    ),
    "an input of another type": (
        "g (int64 n, float x) => (float y) { y = Loop(n, , x)<body = b (int64 i, bool c, double v) => "
        "(bool d, double w) { d = Identity(c) w = Neg(v) }> }",
        TypeMismatchError,
        "Loop-21: input 'v' of a graph is",
    ),
    "a count of another type": (
        "g (int64 n, float x) => (float y) { y = Loop(n, , x)<body = b (int32 i, bool c, float v) => "
        "(bool d, float w) { d = Identity(c) w = Neg(v) }> }",
        TypeMismatchError,
        "Loop-21: input 'i' of a graph is",
    ),
    "too many scan inputs": (
        "g (float[n] x) => (float[n] y) { y = Scan<num_scan_inputs = 2, body = b (float v) => (float w) "
        "{ w = Neg(v) }>(x) }",
        InvalidArgumentError,
        r"num_scan_inputs 2 is outside \[1, 1\]",
    ),
    "too many axes": (
        "g (float[n] x) => (float[n] y) { y = Scan<num_scan_inputs = 1, scan_input_axes = [0, 0], "
        "body = b (float v) => (float w) { w = Neg(v) }>(x) }",
        InvalidArgumentError,
        "scan_input_axes has 2 numbers, not 1",
    ),
    "a direction that is none": (
        "g (float[n] x) => (float[n] y) { y = Scan<num_scan_inputs = 1, scan_output_directions = [2], "
        "body = b (float v) => (float w) { w = Neg(v) }>(x) }",
        InvalidArgumentError,
        "not 0 or 1",
    ),
    "two types in a sequence": (
        "g (float x, int64 k) => (seq(float) y) { s = SequenceConstruct(x) y = SequenceInsert(s, k) }",
        TypeMismatchError,
        "Sequence",
    ),
    "a sequence as a tensor": (
        "g (seq(float) x) => (float y) { y = Neg(x) }",
        TypeMismatchError,
        r"Neg-13: X is seq\(tensor\(float\)\), not one of",
    ),
    "a tensor as a sequence": (
        "g (float x) => (int64 y) { y = SequenceLength(x) }",
        TypeMismatchError,
        "SequenceLength-11: input_sequence is tensor",
    ),
}


@pytest.mark.parametrize("what", [w for w in WRONG_AT_LOAD if w != "two types in a sequence"])
def test_errors_at_load(what: str) -> None:
    text, error, message = WRONG_AT_LOAD[what]
    with pytest.raises(error, match=message):
        onnx.load(parsed(21, text))


def test_errors_of_runs_say_where() -> None:
    model = parsed(21, "g (seq(float) s, int64 i) => (float y) { y = SequenceAt(s, i) }")
    for place, count in ((2, 2), (-3, 2), (0, 0)):
        with pytest.raises(OutOfRangeError, match="SequenceAt: position"):
            onnx.run(model, [[np.float32(1)] * count, I64(place)])
    model = parsed(21, COUNTED)
    with pytest.raises(DimensionsMismatchError, match="M has shape"):
        onnx.run(parsed(21, COUNTED.replace("int64 n", "int64[q] n")), [I64([1, 2]), np.float32([1])])
    text = """g (int64 n, bool on, int64[1] z, float[k] x) => (float[t,k] y) {
        y = Loop(n, on)<body = f (int64 i, bool c) => (bool d, float[k] o) { d = Identity(c)  o = Reshape(x, z) }>
    }"""
    with pytest.raises(SuanziError) as info:
        onnx.run(parsed(21, text), [I64(2), np.array(True), I64([3]), np.float32([1, 2])])
    assert [note.partition("-")[0] for note in info.value.__notes__] == ["in Reshape", "in Loop"]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (np.float32([1]), "not a list or a tuple"),
        (None, "not a list or a tuple"),
        ("ab", "not a list or a tuple"),
        ([np.float64([1])], "element 0, is tensor"),
        ([np.float32([1]), None], ""),
        ([[np.float32([1])], "x"], ""),
    ],
)
def test_what_is_no_sequence(value: Any, message: str) -> None:
    with pytest.raises(SuanziError, match=message or None):
        onnx.run(parsed(21, SEQUENCES), {"s": value, "x": np.float32([1])})


@pytest.mark.parametrize("wrong", [np.float32(1), [np.float32(1)]])
def test_types_that_are_known_only_when_it_runs(wrong: Any) -> None:
    """An element of a sequence, whose shape is known only in a run, is an operand of Add."""
    model = parsed(21, "g (seq(float) s, float x) => (float y) { a = SequenceAt(s, i) y = Add(a, x) }")
    model.graph.initializer.append(numpy_helper.from_array(I64(0), "i"))
    assert run(model, [np.float32(1)], np.float32(2))[0] == 3


def test_loops_beside_fused_chains() -> None:
    """A model optimized for shapes, with fused nodes around a loop, returns the same results as the plain model."""
    text = """g (int64 n, float[200,300] x) => (float[200,300] y) {
        a = Exp(x)  b = Neg(a)  c = Abs(b)
        d = Loop(n, , c)<body = f (int64 i, bool e, float[200,300] v) => (bool g, float[200,300] o) {
            g = Identity(e)  h = Add(v, a)  o = Mul(h, c) }>
        k = Sqrt(d)  y = Add(k, b)
    }"""
    x = np.random.default_rng(1).uniform(-1, 0, (200, 300)).astype("f")
    plain = onnx.load(parsed(21, text))
    fused = onnx.load(parsed(21, text), optimize=True)
    for n in (0, 1, 3):
        (a,), (b,) = plain.run([I64(n), x]), fused.run([I64(n), x])
        np.testing.assert_array_equal(a.numpy(), b.numpy())
    with pytest.raises(InvalidArgumentError, match="has no shape"):
        onnx.load(parsed(21, SEQUENCES), optimize={"x": (3,)})


def test_branches_that_hand_out_values_from_around() -> None:
    text = """g (bool c, float[n] x) => (float[n] y) {
        a = Neg(x)
        y = If(c)<then_branch = t () => (float[n] a) { }, else_branch = e () => (float[n] x) { }>
    }"""
    model = onnx.load(parsed(21, text))
    x = np.float32([1, 2])
    assert model.run([np.array(True), x])[0].tolist() == [-1, -2]
    assert model.run([np.array(False), x])[0].tolist() == [1, 2]
