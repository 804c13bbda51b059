"""Replacement of operators by their definitions, for operators without a row in the table. The module first computes
the size of the expanded model.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from typing import NamedTuple

from onnx import AttributeProto, FunctionProto, GraphProto, ModelProto, NodeProto, defs, helper, inliner

from suanzi import InvalidArgumentError, tuning
from suanzi.interop.files import reason
from suanzi.interop.onnx.domains import CONSTANTS, DOMAINS, ML, schema_of
from suanzi.interop.onnx.signatures import long_name
from suanzi.interop.onnx.source import Operators, all_nodes, graphs_of, levels
from suanzi.interop.onnx.table import TABLES
from suanzi.interop.onnx.types import UnsupportedError
from suanzi.tensor.messages import shown

Key = tuple[str, str, str]  # the domain, name and overload of a function
Use = tuple[str, str]  # "value" or "attribute", and the name of the value or attribute


class Cost(NamedTuple):
    """The size of a graph or a function after the replacement of all calls."""

    nodes: int
    bytes: int
    uses: Counter[Use]  # occurrences of the function's operands, results and attributes
    levels: int  # the depth of nested calls of functions
    depth: int  # the depth of graphs within nodes


def with_rows_only(model: ModelProto, opsets: Mapping[str, int], operators: Operators) -> ModelProto:
    """Replace the operators that the table lacks by the definitions of ONNX or of the model. `operators` are the
    operators of the model's nodes.
    """
    own = {_key(function): function for function in model.functions}
    if not own and all(_has_row(*operator) for operator in operators):
        return model
    if all(_is_known(node, own) for node in all_nodes(model.graph)):
        return model
    _check_size(model, opsets)
    complete = ModelProto()
    complete.CopyFrom(model)
    for body in (complete.graph, *complete.functions):
        for node in all_nodes(body):
            if not _is_known(node, own):
                _add_defaults(node, own, opsets)
        for _, part in levels(body):
            if isinstance(part, GraphProto):
                _declare_stored(part)
                if isinstance(body, FunctionProto):
                    _compute_outputs(part)
        if isinstance(body, FunctionProto):
            _compute_results(body)
    rows = [("", name) for name in CONSTANTS]
    replaced = {(domain, name) for domain, name, _ in own if domain not in _ONNX}
    rows += [(domain, name) for domain, table in TABLES.items() for name in table if (domain, name) not in replaced]
    try:
        inlined = inliner.inline_selected_functions(complete, rows, exclude=True, inline_schema_functions=True)
    except Exception as error:  # the inliner raises errors of many classes
        names = ", ".join(sorted({node.op_type for node in all_nodes(complete.graph) if not _is_known(node, own)}))
        raise UnsupportedError(
            f"onnx: operator {names[:200]} is not supported, and its definition does not fit: {reason(error)}"
        ) from error
    for node in all_nodes(inlined.graph):
        if not _is_known(node, ()):
            raise _unsupported(node)
    return inlined


def _declare_stored(graph: GraphProto) -> None:
    """Declare the types of a graph's initializers. The inliner does not read initializers, but a definition may depend
    on the types of its operands.
    """
    said = {value.name for value in (*graph.input, *graph.value_info)}
    left = (tensor for tensor in graph.initializer if tensor.name not in said)
    graph.value_info.extend(helper.make_tensor_value_info(t.name, t.data_type, t.dims) for t in left)


def _compute_outputs(graph: GraphProto) -> None:
    """Add an Identity for each output that is an input or an initializer of a graph in a function. The inliner renames
    such an output without the input.
    """
    stored = {value.name for value in (*graph.input, *graph.initializer)}
    for place, value in enumerate(graph.output):
        if value.name in stored:
            value.name = _copy_of(graph, value.name, place)


def _compute_results(function: FunctionProto) -> None:
    """Add an Identity for each output of a function that is an input. The inliner would rename only the output."""
    for place, name in enumerate(function.output):
        if name in function.input:
            function.output[place] = _copy_of(function, name, place)


def _copy_of(body: GraphProto | FunctionProto, value: str, place: int) -> str:
    """Add an Identity of a value to a graph or a function, and return the name of the result."""
    name = f"{value}__output_{place}"
    body.node.append(helper.make_node("Identity", [value], [name]))
    return name


def _check_size(model: ModelProto, opsets: Mapping[str, int]) -> None:
    """Raise INVALID_ARGUMENT if functions call each other in a cycle, or if the expanded model would be too large."""
    functions: dict[Key, FunctionProto] = {}
    for function in model.functions:
        if (key := _key(function)) in functions:
            raise InvalidArgumentError(f"onnx: function {_name(key)} is defined twice")
        functions[key] = function
    calls = _calls(model.graph, functions, opsets)
    try:
        order = list(TopologicalSorter(calls).static_order())
    except CycleError as error:
        ring = " -> ".join(map(_name, error.args[1][:4]))
        raise InvalidArgumentError(f"onnx: functions call each other in a cycle: {ring}") from error
    costs: dict[Key, Cost] = {}
    for key in order:
        costs[key] = _cost(functions[key], functions, costs)
    total = _cost(model.graph, functions, costs)
    if total.levels > tuning.MOST_LEVELS:
        raise InvalidArgumentError(f"onnx: calls of functions are nested more than {tuning.MOST_LEVELS} levels deep")
    if total.depth > tuning.MOST_NESTED:
        raise InvalidArgumentError(f"onnx: graphs are nested more than {tuning.MOST_NESTED} levels deep")
    written = [node for body in (model.graph, *map(functions.__getitem__, order)) for node in all_nodes(body)]
    growth = total.bytes - sum(node.ByteSize() for node in written)
    if total.nodes - len(written) > tuning.MOST_NODES or growth > tuning.MOST_BYTES:
        raise InvalidArgumentError(
            f"onnx: replacing calls by definitions adds more than "
            f"{tuning.MOST_NODES} nodes or {tuning.MOST_BYTES} bytes to the model"
        )


def _calls(graph: GraphProto, functions: Mapping[Key, FunctionProto], opsets: Mapping[str, int]) -> dict[Key, set[Key]]:
    """Return the set of called functions for each function that a graph needs. Raise UnsupportedError if an operator is
    not defined.
    """
    calls: dict[Key, set[Key]] = {}
    left = list(_called(all_nodes(graph), functions, opsets))
    while left:
        key = left.pop()
        if key not in calls:
            calls[key] = set(_called(all_nodes(functions[key]), functions, opsets))
            left.extend(calls[key])
    return calls


def _called(
    nodes: Iterable[NodeProto], functions: Mapping[Key, FunctionProto], opsets: Mapping[str, int]
) -> Iterator[Key]:
    for node in nodes:
        if _is_known(node, functions):
            continue
        key = _key(node)
        if key not in functions and not _is_defined(node, opsets):
            raise _unsupported(node)
        # Only ONNX's own definitions may receive graphs. The graphs must need no definitions and contain no graphs.
        for graph in graphs_of(node):
            if key in functions or not all(
                _is_known(inner, functions) and not any(graphs_of(inner)) for inner in graph.node
            ):
                raise _unsupported(node)
        if key in functions:
            yield key


def _cost(body: GraphProto | FunctionProto, functions: Mapping[Key, FunctionProto], costs: Mapping[Key, Cost]) -> Cost:
    """Return the size of a body after its calls are replaced. `costs` contains the sizes of the called functions."""
    count, over, deepest, size = 0, 0, 0, sum(value.ByteSize() for value in body.value_info)
    uses: Counter[Use] = Counter()
    formals = {*body.input, *body.output} if isinstance(body, FunctionProto) else frozenset()
    for depth, node in ((depth, node) for depth, part in levels(body) for node in part.node):
        called = None if _is_known(node, functions) else costs.get(key := _key(node))
        if called is None:
            own = (1, 0) if _is_known(node, functions) else tuning.OF_ONNX
            count, size = count + own[0], size + node.ByteSize() + own[1]
            deepest = max(deepest, depth)
            uses.update(("value", name) for name in (*node.input, *node.output) if name in formals)
            uses.update(("attribute", a.ref_attr_name) for a in node.attribute if a.ref_attr_name)
            continue
        function = functions[key]
        count, size = count + called.nodes, size + called.bytes
        over, deepest = max(over, called.levels + 1), max(deepest, depth + called.depth)
        for formal, actual in (*zip(function.input, node.input), *zip(function.output, node.output)):  # noqa: B905
            times = called.uses["value", formal]
            if actual in formals:
                uses["value", actual] += times
            else:
                size += times * len(actual)
        for name, attribute in {a.name: a for a in (*function.attribute_proto, *node.attribute)}.items():
            times = called.uses["attribute", name]
            if attribute.ref_attr_name:
                uses["attribute", attribute.ref_attr_name] += times
            else:
                size += times * attribute.ByteSize()
    return Cost(count, size, uses, over, deepest)


def _key(part: NodeProto | FunctionProto) -> Key:
    name = part.op_type if isinstance(part, NodeProto) else part.name
    return "" if part.domain in DOMAINS else part.domain, name, part.overload


def _name(key: Key) -> str:
    return shown(".".join(filter(None, key)))


def _unsupported(node: NodeProto) -> UnsupportedError:
    return UnsupportedError(f"onnx: operator {long_name(node.domain, node.op_type)} is not supported")


def _schema(node: NodeProto, opsets: Mapping[str, int]) -> defs.OpSchema | None:
    """Return the schema of a node's operator, or None if ONNX lacks the operator or the model does not import the
    domain.
    """
    domain = "" if node.domain in DOMAINS else node.domain
    return schema_of(domain, node.op_type, opsets.get(domain))


def _is_defined(node: NodeProto, opsets: Mapping[str, int]) -> bool:
    """Return whether ONNX defines the operator by other operators."""
    schema = _schema(node, opsets)
    return schema is not None and bool(schema.has_function or schema.has_context_dependent_function)


def _add_defaults(node: NodeProto, functions: Mapping[Key, FunctionProto], opsets: Mapping[str, int]) -> None:
    """Add the defaults of absent attributes to a node, because the inliner omits defaults."""
    defaults: list[AttributeProto] = []
    if function := functions.get(_key(node)):
        defaults.extend(function.attribute_proto)
    elif (schema := _schema(node, opsets)) is not None:
        defaults.extend(attribute.default_value for attribute in schema.attributes.values())
    given = {attribute.name for attribute in node.attribute}
    node.attribute.extend(default for default in defaults if default.name and default.name not in given)


_ONNX = ("", ML)
"""Domains whose operators mean the same in every model. In other domains a function of the model has precedence over a
row of the table.
"""


def _is_known(node: NodeProto, functions: Collection[Key]) -> bool:
    """Return whether the table has a row for a node, or the node is a constant. In domains other than ONNX's, the
    result is False for a node that calls one of the model's functions.
    """
    domain = "" if node.domain in DOMAINS else node.domain
    return (domain in _ONNX or _key(node) not in functions) and _has_row(domain, node.op_type)


def _has_row(domain: str, name: str) -> bool:
    domain = "" if domain in DOMAINS else domain
    return name in TABLES.get(domain, ()) or (not domain and name in CONSTANTS)
