"""The signature of a version of an ONNX operator: element types by the schema, and attributes with their defaults."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from onnx import AttributeProto, NodeProto, checker, defs

from suanzi import InvalidArgumentError, Tensor, TypeMismatchError
from suanzi.interop.files import reason
from suanzi.interop.onnx import microsoft
from suanzi.interop.onnx.domains import LONG, is_known, schema_of
from suanzi.interop.onnx.types import (
    AnyType,
    Stored,
    UnsupportedError,
    element_type,
    listed,
    sparse_tensor,
    stored_tensor,
    type_from_text,
    type_of,
)
from suanzi.tensor.messages import shown

_TYPE_ATTRIBUTES = ("to", "dtype", "output_datatype", "stash_type")  # attributes whose value is an element type
_IGNORED = ("consumed_inputs",)  # a hint to executors of opset 5 and before

# The values of attributes that ONNX's texts allow. The schemas do not contain the values.
_CHOICES: Mapping[tuple[str, str], Sequence[Any]] = {
    ("BitShift", "direction"): ("LEFT", "RIGHT"),
    ("DepthToSpace", "mode"): ("DCR", "CRD"),
    ("LpNormalization", "p"): (1, 2),
    ("Mod", "fmod"): (0, 1),
    ("TensorScatter", "mode"): ("linear", "circular"),
}


class Formal(NamedTuple):
    """A formal input or output of an ONNX operator: the name, the type variable and the allowed types."""

    name: str
    variable: str | None  # inputs and outputs of the same variable have the same type
    allowed: frozenset[AnyType]

    def check(self, dtype: AnyType, label: str) -> None:
        """Raise TYPE_MISMATCH if the formal input or output must not have the type `dtype`."""
        if dtype not in self.allowed:
            raise TypeMismatchError(f"{label}: {self.name} is {listed([dtype])}, not one of {listed(self.allowed)}")


class Signature:
    """The signature of one version of one ONNX operator."""

    def __init__(self, schema: defs.OpSchema) -> None:
        self.schema, self.domain, self.name = schema, schema.domain, schema.name
        self.version = schema.since_version
        self.label = f"{long_name(self.domain, self.name)}-{self.version}"
        constraints = {c.type_param_str: c.allowed_type_strs for c in schema.type_constraints}
        self.inputs = [_formal(each, constraints) for each in schema.inputs]
        self.outputs = [_formal(each, constraints) for each in schema.outputs]
        variadic = defs.OpSchema.FormalParameterOption.Variadic
        self.gives_several = len(self.outputs) > 1 or any(each.option == variadic for each in schema.outputs)
        self.graphs = [name for name, a in schema.attributes.items() if a.type == defs.OpSchema.AttrType.GRAPH]
        self.defaults = [a.default_value for a in schema.attributes.values() if a.default_value.name]

    def bind(self, dtypes: Sequence[AnyType | None]) -> dict[str, AnyType]:
        """Return the types of the schema's type variables for operands of given types. In `dtypes`, None means an
        absent operand or an unknown type.
        """
        variables: dict[str, tuple[AnyType, str]] = {}
        for i, dtype in enumerate(dtypes):
            if dtype is None:
                continue
            formal = self.inputs[min(i, len(self.inputs) - 1)]
            formal.check(dtype, self.label)
            if formal.variable is None:
                continue
            first, name = variables.setdefault(formal.variable, (dtype, formal.name))
            if first is not dtype:
                raise TypeMismatchError(
                    f"{self.label}: {formal.name} is {listed([dtype])} but {name} is {listed([first])}"
                )
        return {variable: dtype for variable, (dtype, _) in variables.items()}

    def results(
        self, count: int, variables: Mapping[str, AnyType], attributes: Mapping[str, Any]
    ) -> list[AnyType | None]:
        """Return the types of the outputs. A type that is not known before the model runs is None."""
        default = attributes.get("output_dtype") or None  # 0 means an operand's type
        named = next((attributes[name] for name in _TYPE_ATTRIBUTES if name in attributes), default)
        value = attributes.get("value")
        found: list[AnyType | None] = []
        for i in range(count):
            formal = self.outputs[min(i, len(self.outputs) - 1)]
            if formal.variable is not None and formal.variable in variables:
                found.append(variables[formal.variable])
            elif len(formal.allowed) == 1:
                found.append(next(iter(formal.allowed)))
            elif isinstance(named, int):
                found.append(element_type(named, self.label))
            else:
                found.append(value.dtype if isinstance(value, Tensor | Stored) else None)
        return found

    def attributes(self, node: NodeProto, folder: Path | None, *, as_arrays: bool = False) -> dict[str, Any]:
        """Return the node's attributes as Python values, with defaults for absent attributes. If `as_arrays` is True,
        the method returns lists of numbers as arrays, which takes a hundredth of the time that tuples take.

        Raise INVALID_ARGUMENT if ONNX does not allow the value of an attribute.
        """
        readers = _ARRAY_READERS if as_arrays else _READERS
        given = {attribute.name: attribute for attribute in (*self.defaults, *node.attribute)}
        ignored = (*_IGNORED, *self.graphs) if self.graphs else _IGNORED
        found = {name: _value(a, self.label, folder, readers) for name, a in given.items() if name not in ignored}
        for name, value in found.items():
            allowed = None if self.domain else _CHOICES.get((self.name, name))
            if allowed is not None and value not in allowed:
                raise InvalidArgumentError(
                    f"{self.label}: {name} {shown(value)} is not one of {', '.join(map(str, allowed))}"
                )
        return found


def long_name(domain: str, name: str) -> str:
    """Return the operator's name for messages, with the domain unless the domain is the default domain."""
    return f"{domain}.{name}"[:200] if domain else name[:200]


@lru_cache(maxsize=1024)
def signature(domain: str, name: str, opset: int | None) -> Signature:
    """Return the signature of an operator in an opset of the operator's domain, or raise an error."""
    if opset is None:
        raise InvalidArgumentError(
            f"onnx: operator {long_name(domain, name)} is used, but the model imports 0 opsets of "
            f"{f'domain {shown(domain)}' if domain else 'the default domain'}"
        )
    schema = schema_of(domain, name, opset)
    if schema is None:
        raise UnsupportedError(f"onnx: operator {long_name(domain, name)} of opset {opset} is not known")
    return Signature(schema)


def checked_opsets(opsets: Mapping[str, int]) -> dict[str, int]:
    """Return the opsets that the checker of nodes accepts. The domains are known, and the versions fit 32 bits."""
    versions = {domain: version for domain, version in opsets.items() if is_known(domain)}
    return {**versions, LONG: opsets.get("", 1)}


def check_node(
    node: NodeProto, known: Signature, opsets: Mapping[str, int], ir_version: int, *, runs_deprecated: bool = False
) -> None:
    """Raise INVALID_ARGUMENT if operands or attributes do not fit the operator. If `runs_deprecated` is True, the
    function accepts a version of an operator that ONNX deprecates.
    """
    context: Any = checker.C.CheckerContext()
    context.ir_version, context.opset_imports = ir_version, opsets
    try:
        if runs_deprecated and known.schema.deprecated:  # onnx's checker refuses any deprecated operator
            for attribute in node.attribute:
                checker.check_attribute(attribute, context)
            _check_by_schema(node, known.schema)
            return
        checker.check_node(_hollow(node, known), context)
        if known.domain == microsoft.DOMAIN:  # the checker accepts any node of this domain
            _check_by_schema(node, known.schema)
    except checker.ValidationError as error:
        raise InvalidArgumentError(f"onnx: node {shown(node.name)} ({node.op_type}): {reason(error)}") from error


def _hollow(node: NodeProto, known: Signature) -> NodeProto:
    """Return the node with empty graphs, because the checker would search for the outer values that the graphs read."""
    if not known.graphs:
        return node
    found = NodeProto(op_type=node.op_type, domain=node.domain, name=node.name, input=node.input, output=node.output)
    for attribute in node.attribute:
        if attribute.type == AttributeProto.GRAPH:
            found.attribute.add(name=attribute.name, type=attribute.type).g.name = "g"
        else:
            found.attribute.append(attribute)
    return found


def _check_by_schema(node: NodeProto, schema: defs.OpSchema) -> None:
    """Check a node by its schema, as onnx's checker checks the nodes of ONNX's operators."""
    options = defs.OpSchema.FormalParameterOption
    for what, names, formals, least, most in (
        ("operands", node.input, schema.inputs, schema.min_input, schema.max_input),
        ("results", node.output, schema.outputs, schema.min_output, schema.max_output),
    ):
        if not least <= len(names) <= most:
            raise checker.ValidationError(f"{len(names)} {what} are not {least} to {most}")
        for name, formal in zip(names, formals, strict=False):
            if not name and formal.option == options.Single:
                raise checker.ValidationError(f"{formal.name} is missing")
    given = {attribute.name: attribute for attribute in node.attribute}
    for name, attribute in given.items():
        if name not in schema.attributes:
            raise checker.ValidationError(f"there is no attribute {shown(name)}")
        if attribute.type != schema.attributes[name].type.value:
            raise checker.ValidationError(f"attribute {name} is of another type")
    for name, declared in schema.attributes.items():
        if declared.required and name not in given:
            raise checker.ValidationError(f"attribute {name} is missing")


def _formal(parameter: Any, constraints: Mapping[str, Sequence[str]]) -> Formal:
    texts = constraints.get(parameter.type_str)
    allowed = _types(*([parameter.type_str] if texts is None else texts))
    shared = texts is not None and parameter.is_homogeneous
    return Formal(parameter.name, parameter.type_str if shared else None, allowed)


@lru_cache(maxsize=1024)
def _types(*texts: str) -> frozenset[AnyType]:
    return frozenset(map(type_from_text, texts))


def _value(attribute: AttributeProto, label: str, folder: Path | None, readers: _Readers) -> Any:
    if attribute.type == AttributeProto.TENSOR:
        return stored_tensor(attribute.t, folder)
    if attribute.type == AttributeProto.SPARSE_TENSOR:
        return sparse_tensor(attribute.sparse_tensor, folder)
    read = readers.get(attribute.type)
    if read is None or attribute.ref_attr_name:
        raise UnsupportedError(f"{label}: attribute {shown(attribute.name)} is a graph or a reference")
    try:
        return read(attribute)
    except UnicodeDecodeError as error:
        raise InvalidArgumentError(f"{label}: attribute {shown(attribute.name)} is not UTF-8") from error


_Readers: TypeAlias = Mapping[int, Callable[[Any], Any]]
_READERS: _Readers = {
    AttributeProto.FLOAT: lambda a: a.f,
    AttributeProto.INT: lambda a: a.i,
    AttributeProto.STRING: lambda a: a.s.decode(),
    AttributeProto.FLOATS: lambda a: tuple(a.floats),
    AttributeProto.INTS: lambda a: tuple(a.ints),
    AttributeProto.TYPE_PROTO: lambda a: type_of(a.tp, "onnx: a type in an attribute"),
    AttributeProto.STRINGS: lambda a: tuple(s.decode() for s in a.strings),
}
_ARRAY_READERS: _Readers = {
    **_READERS,
    AttributeProto.FLOATS: lambda a: np.array(a.floats, np.float32),
    AttributeProto.INTS: lambda a: np.array(a.ints, np.int64),
}
