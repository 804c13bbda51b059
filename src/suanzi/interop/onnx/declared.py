"""Comparison of the declared types and shapes of a model's values with the types and shapes of the operators' results.

Types follow from the operators' schemas. ONNX's own inference determines the shapes that are known before the model
runs.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress

from google.protobuf.message import DecodeError
from onnx import GraphProto, ModelProto, NodeProto, TensorProto, TypeProto, ValueInfoProto, helper, shape_inference

from suanzi import TypeMismatchError, tuning
from suanzi.interop.onnx.domains import is_constant
from suanzi.interop.onnx.source import is_plain_constant
from suanzi.interop.onnx.types import AnyType, fits, listed, type_of
from suanzi.tensor.messages import shown

Sizes = tuple[int | None, ...]


def check_types(graph: GraphProto, dtypes: Mapping[str, AnyType | None]) -> None:
    """Raise TYPE_MISMATCH if a value's declared type differs from the type that the value's operator returns."""
    same: set[tuple[AnyType, int]] = set()  # pairs of a type and the number of the element type that declares the type
    for value in (*graph.output, *graph.value_info):
        found = dtypes.get(value.name)
        if found is None or not says_type(value.type):
            continue
        key = found, value.type.tensor_type.elem_type  # 0 for other values than tensors
        if key in same:
            continue
        declared = type_of(value.type, f"onnx: value {shown(value.name)}")
        if declared is found and key[1]:
            same.add(key)
        elif declared is not None and not fits(found, declared) and not fits(declared, found):
            raise TypeMismatchError(
                f"onnx: value {shown(value.name)} is declared as {listed([declared])}, but is {listed([found])}"
            )


def says_type(proto: TypeProto) -> bool:
    """Return whether a declaration contains a type, and not only the shape of a tensor."""
    return proto.WhichOneof("value") != "tensor_type" or bool(proto.tensor_type.elem_type)


def other_shapes(
    graph: GraphProto, nodes: Sequence[NodeProto], opsets: Mapping[str, int], ir_version: int
) -> list[str]:
    """Return the texts of warnings for all values between nodes whose declared shape differs from the inferred shape.

    The runs check the outputs of the model. The inference takes a sixth of the time of loading, so the function infers
    nothing if no value between nodes has a declared shape.
    """
    declared = {value.name: value.type for value in graph.value_info}
    for value in graph.output:
        declared.pop(value.name, None)
    if not any(is_binding(sizes_of(kind)) for kind in declared.values()):
        return []
    found: Iterable[ValueInfoProto] = ()
    with suppress(shape_inference.InferenceError, DecodeError, ValueError):  # the run reports the error
        inferred = shape_inference.infer_shapes(_skeleton(graph, nodes, opsets, ir_version), data_prop=True)
        found = inferred.graph.value_info
    lines = []
    for value in found:
        kind = declared.get(value.name)
        if kind is None or kind == value.type:
            continue
        wanted, sizes = sizes_of(kind), sizes_of(value.type)
        if sizes is not None and wanted is not None and is_binding(wanted) and not agree(sizes, wanted):
            lines.append(
                f"onnx: value {shown(value.name)} is declared with shape {_text(wanted)}, but has {_text(sizes)}"
            )
    return lines


def sizes_of(kind: TypeProto) -> Sizes | None:
    """Return the sizes in a type, with None for sizes that the type leaves open. Return None if the type leaves the
    rank open.
    """
    if kind.WhichOneof("value") != "tensor_type" or not kind.tensor_type.HasField("shape"):
        return None
    sizes = kind.tensor_type.shape.dim  # exporters use -1 for an open size
    return tuple(size.dim_value if size.HasField("dim_value") and size.dim_value >= 0 else None for size in sizes)


def is_binding(sizes: Sizes | None) -> bool:
    """Return whether a declared shape determines a size, or is the shape of a scalar. A shape of open sizes determines
    nothing.
    """
    return sizes is not None and (not sizes or any(size is not None for size in sizes))


def agree(sizes: Sizes, others: Sizes) -> bool:
    """Return whether one tensor can have both shapes."""
    if len(sizes) != len(others):
        return False
    for a, b in zip(sizes, others, strict=True):  # noqa: SIM110 - a generator takes longer in each run
        if a != b and a is not None and b is not None:
            return False
    return True


def _skeleton(graph: GraphProto, nodes: Sequence[NodeProto], opsets: Mapping[str, int], ir_version: int) -> ModelProto:
    """Return a model for shape inference. The returned model has the graph's nodes, but no declared shapes of computed
    values and no large tensors.
    """
    given = list(graph.input)
    names = {value.name for value in given}
    small: list[TensorProto] = []
    for tensor in graph.initializer:
        is_small = not _has_many(tensor)
        if is_small and tensor.name not in names:  # a run may replace the default of an input
            small.append(tensor)
        elif tensor.name not in names:
            given.append(helper.make_tensor_value_info(tensor.name, tensor.data_type, tensor.dims))
    kept = []
    for node in nodes:
        if is_constant(node) and _is_large(node):
            for attribute in node.attribute[:1]:
                if attribute.HasField("t"):
                    kind, dims = attribute.t.data_type, attribute.t.dims
                    given.append(helper.make_tensor_value_info(node.output[0], kind, dims))
        else:
            kept.append(node)
    results = [ValueInfoProto(name=value.name) for value in graph.output]
    bare = helper.make_graph(kept, "g", given, results, small)
    return helper.make_model(
        bare, opset_imports=[*map(helper.make_opsetid, opsets, opsets.values())], ir_version=ir_version
    )


def _is_large(constant: NodeProto) -> bool:
    """Return whether a constant is too large for shape inference. The node may lack the constant's bytes."""
    if is_plain_constant(constant):
        return _has_many(constant.attribute[0].t)
    size: int = constant.ByteSize()
    return size > tuning.INFERRED_CONSTANT


def _has_many(tensor: TensorProto) -> bool:
    """Return whether a tensor has too many elements for shape inference. The function does not count bytes, because
    protobuf would copy the tensor for the count.
    """
    elements: int = math.prod(tensor.dims)
    return elements > tuning.INFERRED_ELEMENTS


def _text(sizes: Sizes) -> str:
    return shown(tuple("?" if size is None else size for size in sizes))
