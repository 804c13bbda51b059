"""Tests of running ONNX models: inputs, the order of nodes, constants, external data and memory."""

from __future__ import annotations

import gc
import threading
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from onnx import ModelProto, TensorProto, external_data_helper, helper, numpy_helper, parser
from onnx.helper import make_tensor_value_info

import suanzi
from interop.models import one_node, parsed, run_text
from suanzi import DimensionsMismatchError, InvalidArgumentError, TypeMismatchError
from suanzi.interop import onnx
from suanzi.tensor.dtypes import DTYPES

ADD = "g (float[2,n] a, float[2,n] b) => (float[2,n] c) { c = Add(a, b) }"
A, B = np.arange(6, dtype=np.float32).reshape(2, 3), np.ones((2, 3), np.float32)


def test_sources(tmp_path: Path) -> None:
    model = parsed(14, ADD)
    path = tmp_path / "add.onnx"
    path.write_bytes(model.SerializeToString())
    for source in (model, model.SerializeToString(), bytearray(path.read_bytes()), path, str(path)):
        (c,) = onnx.run(source, {"a": A, "b": B})
        np.testing.assert_array_equal(c.numpy(), A + B)
    with pytest.raises(TypeMismatchError):
        onnx.load(7)  # type: ignore[arg-type]
    with pytest.raises(InvalidArgumentError, match="cannot be read"):
        onnx.load(tmp_path / "missing.onnx")
    with pytest.raises(InvalidArgumentError, match="cannot be read"):
        onnx.load(tmp_path)


@pytest.mark.parametrize("size", [3, 5000])
def test_feeds(size: int) -> None:
    """A model accepts arrays in any layout, tensors and lists as inputs, by name or in order."""
    model = onnx.load(parsed(14, ADD))
    a = np.arange(2 * size, dtype=np.float32).reshape(2, size)
    wide = np.repeat(a, 2, axis=1)
    swapped = a.astype(a.dtype.newbyteorder())
    misaligned = np.zeros(a.nbytes + 1, np.uint8)[1:].view(np.float32).reshape(a.shape)
    misaligned[:] = a
    others = (wide[:, ::2], np.asfortranarray(a), a[::-1][::-1], misaligned, swapped)
    for same in (a, *others, suanzi.tensor(a), a.tolist()):
        for feed in ({"a": same, "b": a}, [same, a], (same, suanzi.tensor(a))):
            (c,) = model.run(feed)
            np.testing.assert_array_equal(c.numpy(), 2 * a)
    read_only = a.copy()
    read_only.flags.writeable = False
    np.testing.assert_array_equal(model.run([read_only, a])[0].numpy(), 2 * a)


@pytest.mark.parametrize(
    ("feed", "error", "message"),
    [
        ({"a": A}, InvalidArgumentError, "input 'b' is missing"),
        ([A], InvalidArgumentError, "1 inputs are given, but the model has 2"),
        ([A] * 3, InvalidArgumentError, "3 inputs are given, but the model has 2"),
        ({"a": A, "d": B}, InvalidArgumentError, r"\['d'\] are not inputs of the model, which has \('a', 'b'\)"),
        ({"a": A, "b": B, "d": B}, InvalidArgumentError, r"\['d'\] are not inputs"),
        ({"a": A, "b": B.astype("f8")}, TypeMismatchError, r"'b' is tensor\(double\), not tensor\(float\)"),
        ({"a": A, "b": suanzi.ones((2, 3), dtype="int8")}, TypeMismatchError, r"tensor\(int8\)"),
        ({"a": A, "b": B[0]}, DimensionsMismatchError, r"'b' has shape \(3,\), but the model declares \(2, '\?'\)"),
        ({"a": A, "b": B[:1]}, DimensionsMismatchError, r"shape \(1, 3\)"),
        ({"a": A, "b": object()}, TypeMismatchError, "data"),
        ({"a": A, "b": B[:, :2]}, DimensionsMismatchError, "add: shapes"),
    ],
)
def test_wrong_feeds(feed: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        onnx.load(parsed(14, ADD)).run(feed)


def test_what_a_model_is_shown_as() -> None:
    assert repr(onnx.load(parsed(14, ADD))) == "<Model with the inputs ('a', 'b') and the outputs ('c',)>"


def test_an_error_names_the_node() -> None:
    with pytest.raises(DimensionsMismatchError) as caught:
        onnx.run(parsed(14, ADD), {"a": A, "b": B[:, :2]})
    assert caught.value.__notes__ == ["in Add-14"]


def test_every_type_of_ours_has_onnxs_name() -> None:
    for dtype in DTYPES:
        shape = (2, 2)
        x = suanzi.tensor(["a", "算", "", "d"]) if dtype is suanzi.string else suanzi.astype(suanzi.arange(4), dtype)
        x = suanzi.reshape(x, shape)
        array = x.numpy().astype(object) if dtype is suanzi.string else x.numpy()
        model = one_node("Identity", 16, [array])
        model.graph.initializer.append(numpy_helper.from_array(array, "stored"))
        model.graph.node.append(helper.make_node("Transpose", ["stored"], ["turned"]))
        model.graph.output.append(make_tensor_value_info("turned", 0, None))
        same, turned = onnx.run(model, [x])
        assert (same.dtype, turned.dtype) == (dtype, dtype)
        assert same.tolist() == x.tolist()
        assert turned.tolist() == x.T.tolist()


def test_nodes_in_any_order() -> None:
    graph = "g (float[n] x) => (float[n] y) { a = Abs(x) b = Neg(a) y = Exp(b) }"
    model = parsed(14, graph)
    nodes = list(model.graph.node)
    for order in ([0, 1, 2], [2, 1, 0], [1, 2, 0]):
        del model.graph.node[:]
        model.graph.node.extend(nodes[i] for i in order)
        (y,) = onnx.run(model, [np.float32([-1, 2])])
        np.testing.assert_allclose(y.numpy(), np.exp([-1, -2]), rtol=1e-6)


def test_calls_by_position_and_by_name() -> None:
    model = onnx.load(parsed(14, ADD))
    for found in (model(A, B), model(A, b=B), model(b=B, a=A)):
        np.testing.assert_array_equal(found, A + B)
    both = onnx.load(parsed(14, "g (float[n] x) => (float[n] y, float[n] z) { y = Neg(x)  z = Exp(x) }"))
    y, z = both(B[0])
    assert y.tolist() == [-1.0] * 3
    np.testing.assert_allclose(z, np.exp(B[0]), rtol=1e-6)
    with pytest.raises(InvalidArgumentError, match=r"run: \['a'\] are given by position and by name"):
        model(A, B, a=A)
    with pytest.raises(InvalidArgumentError, match="run: 3 inputs are given by position, but the model has 2"):
        model(A, B, A, c=A)
    with pytest.raises(InvalidArgumentError, match="run: 1 inputs are given, but the model has 2"):
        model(A)
    with pytest.raises(InvalidArgumentError, match="'c'"):
        model(A, b=B, c=B)


def test_initializers_and_the_inputs_that_they_stand_in_for() -> None:
    model = parsed(14, "g (float[n] x, float[n] w) => (float[n] y) { y = Mul(x, w) }")
    model.graph.initializer.append(numpy_helper.from_array(np.float32([2, 3]), "w"))
    loaded = onnx.load(model)
    assert loaded.inputs == ("x",)
    x, w = np.float32([5, 7]), np.float32([1, 0])
    for _ in range(2):  # a run does not keep its inputs
        np.testing.assert_array_equal(loaded.run([x])[0].numpy(), [10, 21])
        np.testing.assert_array_equal(loaded.run([x, w])[0].numpy(), [5, 0])
        np.testing.assert_array_equal(loaded.run({"w": w, "x": x})[0].numpy(), [5, 0])


def test_initializers_of_what_onnx_defines_by_other_operators() -> None:
    """An operator that ONNX defines by other operators accepts initializers as operands."""
    graph = "g (float[n,4,2] x) => (float[n,4,2] y) { y = GroupNormalization<num_groups=2>(x, scale, bias) }"
    model = parsed(21, graph)
    stored = {"scale": np.float32([1, 2, 3, 4]), "bias": np.float32([0, 1, 0, -1])}
    model.graph.initializer.extend(numpy_helper.from_array(a, name) for name, a in stored.items())
    x = np.float32([[[1, 3], [5, 7], [0, 1], [2, 9]]])
    groups = x.reshape(1, 2, 4)
    normal = (groups - groups.mean(-1, keepdims=True)) / np.sqrt(groups.var(-1, keepdims=True) + 1e-5)
    expected = normal.reshape(x.shape) * stored["scale"][:, None] + stored["bias"][:, None]
    np.testing.assert_allclose(onnx.run(model, [x])[0].numpy(), expected, rtol=1e-5)


def test_outputs_that_are_inputs_constants_or_named_twice() -> None:
    graph = """g (float[n] x) => (float[n] x, float[2] c, float[n] y, float[n] y) {
        c = Constant<value_floats=[1.,2.]>()  y = Neg(x)
    }"""
    x, c, y, again = onnx.run(parsed(14, graph), [A[1]])
    np.testing.assert_array_equal(x.numpy(), A[1])
    np.testing.assert_array_equal(c.numpy(), [1, 2])
    np.testing.assert_array_equal(y.numpy(), -A[1])
    np.testing.assert_array_equal(again.numpy(), -A[1])


CONSTANTS: dict[str, tuple[Any, Any]] = {
    "value_float": (1.5, np.float32(1.5)),
    "value_floats": ([1.5, 2.5], np.float32([1.5, 2.5])),
    "value_int": (-3, np.int64(-3)),
    "value_ints": ([2**62, -1], np.int64([2**62, -1])),
    "value_string": ("算", "算"),
    "value_strings": (["a", "b"], ["a", "b"]),
    "value": (numpy_helper.from_array(np.int8([[1], [2]])), np.int8([[1], [2]])),
}


@pytest.mark.parametrize("attribute", CONSTANTS)
def test_constants(attribute: str) -> None:
    value, expected = CONSTANTS[attribute]
    (y,) = onnx.run(one_node("Constant", 13, [], **{attribute: value}), [])
    assert y.tolist() == np.asarray(expected).tolist()
    assert y.shape == np.shape(expected)


def test_absent_operands_and_results() -> None:
    x = np.float32([-2, 0.5, 3])
    graph = 'g (float[n] x, float top) => (float[n] y) { y = Clip(x, "", top) }'
    np.testing.assert_array_equal(run_text(13, graph, {"x": x, "top": np.float32(1)})[0], np.minimum(x, 1))
    np.testing.assert_array_equal(run_text(13, "g (float[n] x) => (float[n] y) { y = Clip(x) }", {"x": x})[0], x)
    graph = 'g (float[n] x) => (float[m] y, int64[n] i) { y, "", i = Unique(x) }'
    assert [r.tolist() for r in run_text(11, graph, {"x": x[[2, 0, 2]]})] == [[-2, 3], [1, 0, 1]]


def test_shapes_computed_by_the_model() -> None:
    """A shape that a model computes can be an output of the model and a parameter of Reshape."""
    graph = """g (float[a,b] x) => (float[n] y, int64[2] s) {
        s = Shape(x)  one = Constant<value_ints=[-1]>()  y = Reshape(x, one)
    }"""
    y, s = run_text(14, graph, {"x": A})
    np.testing.assert_array_equal(y, A.ravel())
    assert s.tolist() == [2, 3]
    graph = """g (float[a,b] x) => (float[b,a] y) {
        s = Shape(x)  zero = Constant<value_ints=[0]>()  one = Constant<value_ints=[1]>()
        rows = Gather(s, zero)  columns = Gather(s, one)  t = Concat<axis=0>(columns, rows)  y = Reshape(x, t)
    }"""
    np.testing.assert_array_equal(run_text(14, graph, {"x": A})[0], A.reshape(3, 2))


def test_results_are_freed_after_their_last_use() -> None:
    """A chain of a hundred results of 1 MB never holds more than a few results."""
    steps = " ".join(f"v{i + 1} = Neg(v{i})" for i in range(100))
    model = onnx.load(parsed(14, f"g (float[n] v0) => (float[n] v100) {{ {steps} }}"))
    x = suanzi.ones(1 << 18)
    model.run([x])
    gc.collect()
    before = suanzi.memory.statistics()["in_use"]
    suanzi.memory.reset_peak()
    (y,) = model.run([x])
    assert suanzi.memory.statistics()["peak"] - before <= 3 * x.nbytes
    np.testing.assert_array_equal(y.numpy(), x.numpy())


def test_a_models_constants_cannot_be_written() -> None:
    graph = "g (float[n] x) => (float[2] c, float[1,2] v) { c = Constant<value_floats=[1.,2.]>() v = Reshape(w, s) }"
    model = parsed(14, graph)
    model.graph.initializer.append(numpy_helper.from_array(np.float32([3, 4]), "w"))
    model.graph.initializer.append(numpy_helper.from_array(np.int64([1, 2]), "s"))
    loaded = onnx.load(model)
    _, v = loaded.run([A[0]])
    with pytest.raises(InvalidArgumentError):
        v[0] = 7
    assert loaded.run([A[0]])[1].tolist() == [[3, 4]]


def test_several_threads() -> None:
    model = onnx.load(parsed(14, "g (float[n] x) => (float[n] y) { a = Abs(x) b = Neg(a) y = Add(a, b) }"))
    wrong: list[int] = []

    def work(seed: int) -> None:
        for i in range(200):
            (y,) = model.run([np.full(100, seed + i, np.float32)])
            if y.tolist() != [0] * 100:
                wrong.append(i)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_definitions_of_onnx_and_of_the_model() -> None:
    """An operator without an implementation is replaced by a definition: a function of the model, or of ONNX."""
    text = """<ir_version: 8, opset_import: ["": 17, "own": 1]>
    g (float[n] x) => (float[n] y) { y = own.Affine(x) }
    <domain: "own", opset_import: ["": 17]> Affine (x) => (y) {
        two = Constant<value_float=2.0>()  d = Mul(x, two)  y = Add(d, two)
    }"""
    (y,) = onnx.run(parser.parse_model(text), [A[1]])
    np.testing.assert_array_equal(y.numpy(), A[1] * 2 + 2)
    scores, labels = np.float32([[0, 1], [2, -1]]), np.int64([1, 0])
    model = one_node("NegativeLogLikelihoodLoss", 13, [scores, labels], reduction="sum")
    np.testing.assert_allclose(onnx.run(model, [scores, labels])[0].numpy(), -3)


def external(folder: Path, location: str, **more: int) -> ModelProto:
    """Return a model whose weight is stored in another file. Write the model to a folder as well."""
    model = parsed(14, "g (float[2] x) => (float[2] y) { y = Mul(x, w) }")
    weight = numpy_helper.from_array(np.float32([2, 3]), "w")
    external_data_helper.set_external_data(weight, location, **{"offset": 8, "length": 8, **more})
    weight.ClearField("raw_data")
    weight.data_location = TensorProto.EXTERNAL
    model.graph.initializer.append(weight)
    (folder / "m.onnx").write_bytes(model.SerializeToString())
    return model


def write_weights(path: Path) -> None:
    path.write_bytes(b"\0" * 8 + np.float32([2, 3]).tobytes() + b"\0" * 8)


def test_external_data(tmp_path: Path) -> None:
    model = external(tmp_path, "weights.bin")
    write_weights(tmp_path / "weights.bin")
    (y,) = onnx.run(tmp_path / "m.onnx", [np.float32([5, 7])])
    assert y.tolist() == [10, 21]
    with pytest.raises(InvalidArgumentError, match="must be loaded from a path"):
        onnx.load(model)
    external(tmp_path, "weights.bin", offset=7)  # an offset that is not a multiple of an element's size
    onnx.load(tmp_path / "m.onnx")


def test_external_data_in_a_folder_within(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    write_weights(tmp_path / "sub" / "weights.bin")
    (tmp_path / "link.bin").symlink_to(tmp_path / "sub" / "weights.bin")
    for location in ("sub/weights.bin", "sub/../sub/weights.bin", "link.bin"):
        external(tmp_path, location)
        assert onnx.run(tmp_path / "m.onnx", [np.float32([5, 7])])[0].tolist() == [10, 21]


@pytest.mark.parametrize("location", ["../w.bin", "sub/../../w.bin", "ABSOLUTE", "link.bin", "up/w.bin", ".."])
def test_external_data_outside_the_folder(tmp_path: Path, location: str) -> None:
    folder, secret = tmp_path / "model", tmp_path / "w.bin"
    folder.mkdir()
    write_weights(secret)
    (folder / "link.bin").symlink_to(secret)
    (folder / "up").symlink_to(tmp_path)
    external(folder, str(secret) if location == "ABSOLUTE" else location)
    with pytest.raises(InvalidArgumentError, match="outside the model's folder"):
        onnx.load(folder / "m.onnx")


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"offset": 17}, "do not fill"),
        ({"offset": -1}, "do not fill"),
        ({"offset": 2**62}, "do not fill"),
        ({"length": 4}, "do not fill"),
        ({"length": 2**63}, "do not fill"),
    ],
)
def test_external_data_that_do_not_fit(tmp_path: Path, more: dict[str, int], message: str) -> None:
    external(tmp_path, "weights.bin", **more)
    write_weights(tmp_path / "weights.bin")
    with pytest.raises(InvalidArgumentError, match=message):
        onnx.load(tmp_path / "m.onnx")


def test_external_data_that_are_no_file(tmp_path: Path) -> None:
    external(tmp_path, "weights.bin")
    with pytest.raises(InvalidArgumentError, match="cannot be read"):
        onnx.load(tmp_path / "m.onnx")
    (tmp_path / "weights.bin").mkdir()
    with pytest.raises(InvalidArgumentError, match="cannot be read"):
        onnx.load(tmp_path / "m.onnx")


def test_bfloat16_arrays() -> None:
    a = np.arange(4).astype(ml_dtypes.bfloat16)
    (y,) = onnx.run(one_node("Neg", 13, [a]), [a])
    assert y.dtype is suanzi.bfloat16
    np.testing.assert_array_equal(y.numpy(), -a)


def sparse(values: Any, indices: Any, dims: list[int], name: str = "w") -> Any:
    """Return ONNX's sparse tensor of given values at given indices."""
    places = numpy_helper.from_array(np.asarray(indices, np.int64), "places")
    return helper.make_sparse_tensor(numpy_helper.from_array(values, name), places, dims)


@pytest.mark.parametrize("indices", [[1, 5], [[0, 1], [1, 2]]])
@pytest.mark.parametrize("is_constant", [False, True])
def test_sparse_values(indices: Any, is_constant: bool) -> None:
    model = parsed(17, "g (float[2,3] x) => (float[2,3] y) { y = Add(x, w) }")
    tensor = sparse(np.float32([2, -3]), indices, [2, 3])
    if is_constant:
        model.graph.node.insert(0, helper.make_node("Constant", [], ["w"], sparse_value=tensor))
    else:
        model.graph.sparse_initializer.append(tensor)
    x = np.ones((2, 3), np.float32)
    assert onnx.run(model, [x])[0].tolist() == [[1, 3, 1], [1, 1, -2]]


@pytest.mark.parametrize(
    ("indices", "dims"),
    [
        ([5, 1], [2, 3]),
        ([1, 1], [2, 3]),
        ([1, 6], [2, 3]),
        ([-1, 2], [2, 3]),
        ([2**63 - 1, -(2**63)], [2, 3]),
        ([1], [2, 3]),
        ([[0, 1]], [2, 3]),
        ([[0, 1], [2, 0]], [2, 3]),
        ([[0, 1], [0, -1]], [2, 3]),
        ([1, 5], [-2, 3]),
        ([1, 5], [2**40, 2**40]),
        ([1, 5], [2**30]),
    ],
)
def test_sparse_values_that_are_damaged(indices: Any, dims: list[int]) -> None:
    model = parsed(17, "g (float[2,3] x) => (float[2,3] y) { y = Add(x, w) }")
    model.graph.sparse_initializer.append(sparse(np.float32([2, -3]), indices, dims))
    with pytest.raises(InvalidArgumentError, match="sparse tensor 'w'"):
        onnx.load(model)
