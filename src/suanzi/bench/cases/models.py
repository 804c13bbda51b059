"""Cases of ONNX models, beside ONNX Runtime: one elementwise product of two vectors, and a classifier of images with 64
pixels.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

import suanzi
from suanzi.bench.cases.case import AsIs, Call, Case, Operands
from suanzi.bench.cases.operands import numbers

_PIXELS, _CLASSES = 64, 10


def _vectors(n: int, t: np.dtype[Any], rng: np.random.Generator) -> Operands:
    arrays = {name: numbers("normal", n, t, rng) for name in "AB"}
    return Operands((AsIs(arrays), {}))


def _images(n: int, t: np.dtype[Any], rng: np.random.Generator) -> Operands:
    """Make the pixels of images, and the weights of two layers."""
    shapes = {"W1": (_PIXELS, _PIXELS), "b1": (_PIXELS,), "W2": (_PIXELS, _CLASSES), "b2": (_CLASSES,)}
    weights = {name: numbers("unit", shape, t, rng) for name, shape in shapes.items()}
    images = numbers("pixel", (max(1, n // _PIXELS), _PIXELS), t, rng)
    return Operands((AsIs({"images": images}), AsIs(weights)))


_NODES: dict[str, list[tuple[str, list[str], str]]] = {
    "product": [("Mul", ["A", "B"], "out")],
    "classifier": [
        ("Gemm", ["images", "W1", "b1"], "hidden"),
        ("Relu", ["hidden"], "positive"),
        ("Gemm", ["positive", "W2", "b2"], "scores"),
        ("ArgMax", ["scores"], "out"),
    ],
}


def _model(name: str, inputs: Mapping[str, Any], weights: Mapping[str, Any]) -> bytes:
    from onnx import TensorProto, helper, numpy_helper

    options: dict[str, dict[str, int]] = {"ArgMax": {"axis": 1, "keepdims": 0}}
    result = TensorProto.INT64 if name == "classifier" else TensorProto.FLOAT
    graph = helper.make_graph(
        [helper.make_node(node, given, [out], **options.get(node, {})) for node, given, out in _NODES[name]],
        name,
        [helper.make_tensor_value_info(x, TensorProto.FLOAT, ["n", *array.shape[1:]]) for x, array in inputs.items()],
        [helper.make_tensor_value_info("out", result, ["n"])],
        [numpy_helper.from_array(array, x) for x, array in weights.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)], ir_version=8)
    return bytes(model.SerializeToString())


def _ours(name: str, inputs: dict[str, Any], weights: dict[str, Any], tensors: bool = False) -> Call:
    """Return the call of a model. If `tensors` is True, the call maps tensors to tensors, or else arrays to arrays."""
    from suanzi.interop.onnx import load

    run = load(_model(name, inputs, weights)).run
    if tensors:
        return partial(run, {x: suanzi.tensor(array) for x, array in inputs.items()})
    return lambda: [np.asarray(y) for y in run(inputs)]


def _onnxruntimes(name: str, inputs: dict[str, Any], weights: dict[str, Any]) -> Call:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = int(os.environ.get("OMP_NUM_THREADS", 0))  # the number of threads of all libraries
    model = _model(name, inputs, weights)
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    return partial(session.run, None, inputs)


def _own(name: str, tensors: bool = False) -> dict[str, Callable[..., Call]]:
    return {"suanzi": partial(_ours, name, tensors=tensors), "onnxruntime": partial(_onnxruntimes, name)}


def _case(operator: str, make: Any, variant: str, sizes: tuple[int, ...], own: dict[str, Callable[..., Call]]) -> Case:
    return Case(operator, make, f"ONNX model, {variant}", sizes, goals=dict.fromkeys(sizes, 1.0), own=own)


CASES: list[Case] = [
    _case("multiply", _vectors, "arrays", (4, 1_000_000), _own("product")),
    _case("multiply", _vectors, "tensors", (4, 1_000_000), _own("product", tensors=True)),
    _case("linear", _images, "classifier of digits", (_PIXELS, 1000 * _PIXELS), _own("classifier")),
]
