"""ONNX Runtime as a provider. Each call is a model of one node, run on the CPU."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
import onnxruntime
from onnx import TensorProto, ValueInfoProto, defs, helper

from ..oracle.element_types import ELEMENT_TYPES, Array
from ..standard import standard
from .library import Function, Library

_OPSET = 21
# Operators whose names are names of ONNX nodes with another signature.
_OTHERS = ("pad", "split", "slice", "scatter", "multinomial")
# Operators, and the ONNX nodes with another name whose inputs are the operands.
_NODES = dict(
    pair.split(":")
    for row in (
        "isinf:IsInf isnan:IsNaN subtract:Sub multiply:Mul divide:Div maximum:Max minimum:Min",
        "greater_equal:GreaterOrEqual less_equal:LessOrEqual logical_and:And logical_or:Or logical_not:Not",
        "logical_xor:Xor bitwise_and:BitwiseAnd bitwise_or:BitwiseOr bitwise_xor:BitwiseXor bitwise_invert:BitwiseNot",
        "rint:Round matmul:MatMul",
    )
    for pair in row.split()
)
_REDUCTIONS = {"sum": "ReduceSum", "mean": "ReduceMean", "max": "ReduceMax", "min": "ReduceMin", "prod": "ReduceProd"}
_NORMS = {"norm1": "ReduceL1", "norm2": "ReduceL2", "logsumexp": "ReduceLogSumExp"}


def _proto(name: str) -> int:
    return int(getattr(TensorProto, {"float32": "FLOAT", "float64": "DOUBLE"}.get(name, name.upper())))


@cache
def _session(node: str, types: tuple[str, ...], outputs: int, options: tuple[tuple[str, Any], ...]) -> Any:
    """Return a session with a model of one node, for operands of given types and of any shapes."""
    inputs = [f"x{i}" for i in range(len(types))]
    results = [f"y{i}" for i in range(outputs)]
    graph = helper.make_graph(
        [helper.make_node(node, inputs, results, **dict(options))],
        node,
        [helper.make_tensor_value_info(x, _proto(t), None) for x, t in zip(inputs, types, strict=True)],
        [ValueInfoProto(name=y) for y in results],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", _OPSET)], ir_version=10)
    quiet = onnxruntime.SessionOptions()
    quiet.log_severity_level = 4
    return onnxruntime.InferenceSession(model.SerializeToString(), quiet, providers=["CPUExecutionProvider"])


def _value(x: Any, like: Array | None) -> Any:
    """Convert an operand for ONNX Runtime. A number receives the type of the first tensor among the operands."""
    array = np.asarray(x) if like is None or isinstance(x, np.ndarray) else np.asarray(x, like.dtype)
    if array.dtype.name == "bfloat16":
        bits = np.array(array, order="C").view(np.uint16)
        return onnxruntime.OrtValue.ortvalue_from_numpy_with_onnx_type(bits, TensorProto.BFLOAT16)
    return onnxruntime.OrtValue.ortvalue_from_numpy(np.array(array, order="C"))


def _array(value: Any) -> Array:
    if value.element_type() == TensorProto.BFLOAT16:
        wide = onnxruntime.OrtValue.numpy(value)
        return np.asarray(wide).view(ELEMENT_TYPES["bfloat16"].numpy)
    found: Array = value.numpy()
    return found


def call(node: str, operands: Sequence[Any], outputs: int = 1, **options: Any) -> Any:
    """Return the outputs of a node for given operands."""
    like = next((x for x in operands if isinstance(x, np.ndarray)), None)
    arrays = [x if isinstance(x, np.ndarray) else np.asarray(x, None if like is None else like.dtype) for x in operands]
    session = _session(node, tuple(x.dtype.name for x in arrays), outputs, tuple(options.items()))
    values = {f"x{i}": _value(x, like) for i, x in enumerate(arrays)}
    found = [_array(value) for value in session.run_with_ort_values(None, values)]
    return found[0] if outputs == 1 else tuple(found)


class OnnxRuntime(Library):
    """The provider of ONNX Runtime, which runs the ONNX operators that correspond to the standard's operators."""

    name = "onnxruntime"
    # ONNX Runtime has no complex numbers, and few operators for bfloat16.
    element_types = frozenset(t for t in ELEMENT_TYPES if t != "bfloat16" and not t.startswith("complex"))

    def __init__(self) -> None:
        same = {
            name: name.capitalize()
            for name in standard().operators
            if name not in _OTHERS and defs.has(name.capitalize())
        }
        nodes = {name: _of_node(node) for name, node in {**same, **_NODES}.items()}
        self.operators = {**nodes, **_called_otherwise()}

    def version(self) -> str:
        return str(onnxruntime.__version__)

    def element_type(self, name: str) -> Any:
        return ELEMENT_TYPES[name].numpy

    def from_numpy(self, array: Array) -> Any:
        return array

    def to_numpy(self, tensor: Any) -> Array:
        return np.asarray(tensor)

    def order(self, tensor: Any) -> tuple[int, ...]:
        return tuple(range(tensor.ndim))[::-1]


def _of_node(node: str) -> Function:
    return lambda *operands: call(node, operands)


def _ints(*numbers: Any) -> Array:
    return np.array(numbers, np.int64)


def _called_otherwise() -> dict[str, Function]:
    return {
        "shape": lambda x: tuple(call("Shape", [x]).tolist()),
        "size": lambda x: int(call("Size", [x])),
        "astype": lambda x, dtype, copy=True: call("Cast", [x], to=_proto(np.dtype(dtype).name)),
        "reshape": lambda x, shape: call("Reshape", [x, _ints(*shape)]),
        "expand_dims": lambda x, axis=0: call("Unsqueeze", [x, _ints(axis)]),
        "squeeze": lambda x, axis=None: call("Squeeze", [x] if axis is None else [x, _ints(axis)]),
        "transpose": lambda x, axes=None: call("Transpose", [x], **_permutation(axes)),
        "concat": lambda tensors, axis=0: call("Concat", tensors, axis=axis),
        "tile": lambda x, repetitions: call("Tile", [x, _ints(*np.atleast_1d(repetitions))]),
        "gather": lambda x, index, axis=0: call("Gather", [x, index], axis=axis),
        "index_select": lambda x, index, axis=0: call("Gather", [x, index], axis=axis),
        "expand": lambda x, shape: call("Expand", [x, _ints(*shape)]),
        "flatten": lambda x: call("Reshape", [x, _ints(-1)]),
        "square": lambda x: call("Mul", [x, x]),
        "remainder": lambda x, y: call("Mod", [x, y]),
        "reduce": _reduced,
        "argmax": lambda x, axis=None, keepdims=False: _found("ArgMax", x, axis, keepdims),
        "argmin": lambda x, axis=None, keepdims=False: _found("ArgMin", x, axis, keepdims),
        "topk": lambda x, k, axis=-1, largest=True: call("TopK", [x, _ints(k)], 2, axis=axis, largest=int(largest)),
        "nonzero": lambda x: tuple(call("NonZero", [x])),
    }


def _permutation(axes: Any) -> dict[str, Any]:
    return {} if axes is None else {"perm": tuple(axes)}


def _reduced(x: Any, op: str, axis: Any = None, keepdims: bool = False) -> Any:
    axes = range(np.ndim(x)) if axis is None else np.atleast_1d(axis)
    return call({**_REDUCTIONS, **_NORMS}[op], [x, _ints(*axes)], keepdims=int(keepdims))


def _found(node: str, x: Any, axis: Any, keepdims: bool) -> Any:
    if axis is None:
        return call(node, [np.ravel(x)], axis=0, keepdims=int(keepdims)).reshape((1,) * np.ndim(x) if keepdims else ())
    return call(node, [x], axis=axis, keepdims=int(keepdims))
