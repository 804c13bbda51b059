"""The signature of a version of an ONNX operator: element types by its schema, attributes with their defaults."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from onnx import AttributeProto, NodeProto, checker, defs

from suanzi import DType, InvalidArgumentError, Tensor, TypeMismatchError
from suanzi.interop.files import reason
from suanzi.interop.onnx.types import UnsupportedError, dtype_from_text, dtype_of, listed, stored_tensor
from suanzi.tensor.messages import shown

LONG = "ai.onnx"
DOMAINS = ("", LONG)  # two names of the default one
_TYPE_ATTRIBUTES = ("to", "dtype", "output_datatype", "stash_type")  # they name the type of a result
_IGNORED = ("consumed_inputs",)  # a hint to executors of opset 5 and before


class Formal(NamedTuple):
    """An operand in a schema."""

    name: str
    variable: str | None  # operands of one variable have one type
    allowed: frozenset[DType]

    def check(self, dtype: DType, label: str) -> None:
        """TYPE_MISMATCH where the version does not take the type."""
        if dtype not in self.allowed:
            raise TypeMismatchError(f"{label}: {self.name} is {listed([dtype])}, not one of {listed(self.allowed)}")


class Signature:
    """One version of one operator."""

    def __init__(self, schema: defs.OpSchema) -> None:
        self.name = schema.name
        self.version = schema.since_version
        self.label = f"{self.name}-{self.version}"
        constraints = {c.type_param_str: c.allowed_type_strs for c in schema.type_constraints}
        self.inputs = [_formal(each, constraints) for each in schema.inputs]
        self.outputs = [_formal(each, constraints) for each in schema.outputs]
        variadic = defs.OpSchema.FormalParameterOption.Variadic
        self.gives_several = len(self.outputs) > 1 or any(each.option == variadic for each in schema.outputs)
        self.defaults = [a.default_value for a in schema.attributes.values() if a.default_value.name]

    def bind(self, dtypes: Sequence[DType | None]) -> dict[str, DType]:
        """The variables' types that operands give; None stands for an operand that is absent or of unknown type."""
        variables: dict[str, tuple[DType, str]] = {}
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

    def results(self, count: int, variables: Mapping[str, DType], attributes: Mapping[str, Any]) -> list[DType | None]:
        """The types of the outputs, as far as they are known before the model runs."""
        default = attributes.get("output_dtype") or None  # which may be 0, for that of an operand
        named = next((attributes[name] for name in _TYPE_ATTRIBUTES if name in attributes), default)
        value = attributes.get("value")
        found: list[DType | None] = []
        for i in range(count):
            formal = self.outputs[min(i, len(self.outputs) - 1)]
            if formal.variable is not None and formal.variable in variables:
                found.append(variables[formal.variable])
            elif len(formal.allowed) == 1:
                found.append(next(iter(formal.allowed)))
            elif isinstance(named, int):
                found.append(dtype_of(named, self.label))
            else:
                found.append(value.dtype if isinstance(value, Tensor) else None)
        return found

    def attributes(self, node: NodeProto, folder: Path | None) -> dict[str, Any]:
        """The node's attributes as Python values; absent ones have their default where there is one."""
        given = {attribute.name: attribute for attribute in (*self.defaults, *node.attribute)}
        return {name: _value(a, self.label, folder) for name, a in given.items() if name not in _IGNORED}


@lru_cache(maxsize=1024)
def signature(name: str, opset: int) -> Signature:
    """The version of an operator of the default domain that an opset has."""
    try:
        return Signature(defs.get_schema(name, opset))
    except defs.SchemaError as error:
        raise UnsupportedError(f"onnx: operator {name} of opset {opset} is not known") from error


def check_node(node: NodeProto, opset: int, ir_version: int) -> None:
    """INVALID_ARGUMENT where operands or attributes are not those of the operator."""
    context: Any = checker.C.CheckerContext()
    context.ir_version, context.opset_imports = ir_version, dict.fromkeys(DOMAINS, opset)
    try:
        checker.check_node(node, context)
    except checker.ValidationError as error:
        raise InvalidArgumentError(f"onnx: node {shown(node.name)} ({node.op_type}): {reason(error)}") from error


def _formal(parameter: Any, constraints: Mapping[str, Sequence[str]]) -> Formal:
    texts = constraints.get(parameter.type_str)
    found = (dtype_from_text(text) for text in ([parameter.type_str] if texts is None else texts))
    shared = texts is not None and parameter.is_homogeneous
    return Formal(parameter.name, parameter.type_str if shared else None, frozenset(t for t in found if t is not None))


def _value(attribute: AttributeProto, label: str, folder: Path | None) -> Any:
    if attribute.type == AttributeProto.TENSOR:
        return stored_tensor(attribute.t, folder)
    read = _READERS.get(attribute.type)
    if read is None or attribute.ref_attr_name:
        raise UnsupportedError(f"{label}: attribute {shown(attribute.name)} is a graph, a type or a reference")
    try:
        return read(attribute)
    except UnicodeDecodeError as error:
        raise InvalidArgumentError(f"{label}: attribute {shown(attribute.name)} is not UTF-8") from error


_READERS: dict[int, Callable[[Any], Any]] = {
    AttributeProto.FLOAT: lambda a: a.f,
    AttributeProto.INT: lambda a: a.i,
    AttributeProto.STRING: lambda a: a.s.decode(),
    AttributeProto.FLOATS: lambda a: tuple(a.floats),
    AttributeProto.INTS: lambda a: tuple(a.ints),
    AttributeProto.STRINGS: lambda a: tuple(s.decode() for s in a.strings),
}
