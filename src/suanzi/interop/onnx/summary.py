"""The summary of a model: the operators, the unsupported operators, the parameters, and the memory of a run."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

from onnx import ModelProto, NodeProto, TensorProto, ValueInfoProto, helper, shape_inference

from suanzi import DimensionsMismatchError, tuning
from suanzi.interop.onnx.declared import agree, sizes_of
from suanzi.interop.onnx.domains import imports_of, is_constant, schema_of
from suanzi.interop.onnx.shapes import mismatch
from suanzi.interop.onnx.table import row_for


class Value(NamedTuple):
    """An input or an output, as the model declares the value."""

    name: str
    kind: str
    shape: tuple[int | str | None, ...] | None  # a string is the name of an open size


class Memory(NamedTuple):
    """The bytes of a run's values, as far as shapes are known."""

    parameters: int
    values: int  # the largest total size of values that are alive at one time
    unknown: int  # the number of values whose size is not known beforehand


class Summary(NamedTuple):
    """The facts about a model that `suanzi info` prints, without the reason why the model cannot run."""

    producer: str
    inputs: tuple[Value, ...]
    outputs: tuple[Value, ...]
    opsets: dict[str, int]
    operators: dict[str, int]  # the number of nodes with each operator, including subgraphs and functions
    missing: tuple[str, ...]
    parameters: int
    memory: Memory


def summary(model: ModelProto, sizes: Mapping[str, tuple[int, ...]], open_size: int = 1) -> Summary:
    """Return the summary of a model. The model may need features that Suanzi does not support.

    Parameters
    ----------
    model : ModelProto
        A model, perhaps without its external data.
    sizes : mapping of str to tuple of int
        The shapes of inputs for the estimate of memory.
    open_size : int, optional
        The size that replaces the open sizes of inputs that `sizes` lacks.

    Returns
    -------
    Summary
    """
    opsets = {("" if domain == "ai.onnx" else domain): version for domain, version in imports_of(model).items()}
    own = {(function.domain, function.name) for function in model.functions}
    nodes = [*_nodes(model.graph.node), *(node for f in model.functions for node in _nodes(f.node))]
    used = Counter((_domain(node), node.op_type) for node in nodes)
    stored = {tensor.name for tensor in model.graph.initializer}
    missing = [key for key in used if key not in own and not _is_there(*key, opsets)]
    return Summary(
        producer=" ".join(filter(None, (model.producer_name, model.producer_version))),
        inputs=tuple(_value(value) for value in model.graph.input if value.name not in stored),
        outputs=tuple(map(_value, model.graph.output)),
        opsets=opsets,
        operators={_name(*key): count for key, count in sorted(used.items(), key=lambda each: (-each[1], each[0]))},
        missing=tuple(sorted(_name(*key) for key in missing)),
        parameters=sum(math.prod(tensor.dims) for tensor in _tensors(model)),
        memory=_memory(model, sizes, open_size),
    )


def _nodes(nodes: Iterable[NodeProto]) -> Iterator[NodeProto]:
    """Yield the given nodes, and the nodes of all subgraphs within these nodes."""
    for node in nodes:
        yield node
        for attribute in node.attribute:
            for graph in (*([attribute.g] if attribute.HasField("g") else ()), *attribute.graphs):
                yield from _nodes(graph.node)


def _domain(node: NodeProto) -> str:
    return "" if node.domain == "ai.onnx" else node.domain


def _name(domain: str, name: str) -> str:
    return f"{domain}.{name}" if domain else name


def _is_there(domain: str, name: str, opsets: Mapping[str, int]) -> bool:
    """Return whether an operator has a row in the table, or a definition by other operators."""
    schema = schema_of(domain, name, opsets.get(domain))
    if schema is None:
        return False
    if is_constant(NodeProto(domain=domain, op_type=name)) or row_for(domain, name, schema.since_version):
        return True
    return bool(schema.has_function or schema.has_context_dependent_function)


def _tensors(model: ModelProto) -> Iterator[TensorProto]:
    """Yield the tensors that a model stores, including the tensors of nodes `Constant`."""
    graphs = [model.graph]
    while graphs:
        graph = graphs.pop()
        yield from graph.initializer
        for node in graph.node:
            for attribute in node.attribute:
                if attribute.HasField("t") and node.op_type == "Constant":
                    yield attribute.t
                graphs += [*([attribute.g] if attribute.HasField("g") else ()), *attribute.graphs]


def _bytes(tensor: TensorProto) -> int:
    return int(math.prod(tensor.dims)) * _width(tensor.data_type)


def _width(code: int) -> int:
    if code in (TensorProto.UNDEFINED, TensorProto.STRING):
        return 16
    return int(helper.tensor_dtype_to_np_dtype(code).itemsize)


def _value(value: ValueInfoProto) -> Value:
    kind = value.type.WhichOneof("value")
    if kind != "tensor_type":
        return Value(value.name, (kind or "unknown").removesuffix("_type"), None)
    tensor = value.type.tensor_type
    shape: tuple[Any, ...] | None = None
    if tensor.HasField("shape"):
        shape = tuple(
            size.dim_value if size.HasField("dim_value") else size.dim_param or None for size in tensor.shape.dim
        )
    return Value(value.name, TensorProto.DataType.Name(tensor.elem_type).lower(), shape)


def _memory(model: ModelProto, sizes: Mapping[str, tuple[int, ...]], open_size: int) -> Memory:
    """Return the bytes of the parameters, and of the values that are alive at one time while the nodes run in order."""
    graph = model.graph
    known = _known(model, sizes, open_size)
    last = {name: i for i, node in enumerate(graph.node) for name in node.input}
    last.update(dict.fromkeys((value.name for value in graph.output), len(graph.node)))
    alive = {value.name: known[value.name] for value in graph.input if value.name in known}
    most, unknown = sum(alive.values()), 0
    for i, node in enumerate(graph.node):
        if node.op_type != "Constant":
            alive.update({name: known.get(name, 0) for name in node.output if name})
            unknown += sum(name not in known for name in node.output if name)
        most = max(most, sum(alive.values()))
        for name in [name for name in (*node.input, *node.output) if last.get(name, i) <= i]:
            alive.pop(name, None)
    return Memory(sum(map(_bytes, _tensors(model))), most, unknown)


def _known(model: ModelProto, sizes: Mapping[str, tuple[int, ...]], open_size: int) -> dict[str, int]:
    """Return the bytes of each value whose shape ONNX's inference finds for given shapes of the inputs."""
    bare = ModelProto()
    bare.CopyFrom(model)
    stored = {tensor.name for tensor in bare.graph.initializer}
    for value in bare.graph.input:
        declared = sizes_of(value.type)
        if value.name in stored or declared is None:
            continue
        shape = sizes.get(value.name, tuple(open_size if size is None else size for size in declared))
        if not agree(shape, declared):
            raise DimensionsMismatchError(mismatch("info", "input", value.name, shape, declared))
        value.CopyFrom(helper.make_tensor_value_info(value.name, value.type.tensor_type.elem_type, shape))
    large = [tensor for tensor in bare.graph.initializer if _bytes(tensor) > tuning.INFERRED_CONSTANT]
    names = {value.name for value in bare.graph.input}
    for tensor in large:  # inference reads the values of shapes only, and shapes are small
        if tensor.name not in names:
            bare.graph.input.append(helper.make_tensor_value_info(tensor.name, tensor.data_type, tensor.dims))
    kept = [tensor for tensor in bare.graph.initializer if _bytes(tensor) <= tuning.INFERRED_CONSTANT]
    del bare.graph.initializer[:], bare.graph.value_info[:]
    bare.graph.initializer.extend(kept)
    with suppress(shape_inference.InferenceError, ValueError):
        bare = shape_inference.infer_shapes(bare, data_prop=True)
    found: dict[str, int] = {}
    left_out = {tensor.name for tensor in large}
    for value in (*bare.graph.input, *bare.graph.value_info, *bare.graph.output):
        shape_of = sizes_of(value.type)
        if shape_of is not None and None not in shape_of and value.name not in left_out:
            width = _width(value.type.tensor_type.elem_type)
            found[value.name] = math.prod(size for size in shape_of if size is not None) * width
    return found
