"""The shapes of inputs for which `load` optimises a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from suanzi import DimensionsMismatchError, InvalidArgumentError, TypeMismatchError, _core
from suanzi.interop.onnx.plan import Input
from suanzi.interop.onnx.types import Kind
from suanzi.tensor.messages import shown

# The argument of `load`: shapes by the names of inputs, once or several times, or True for the declared shapes.
Optimize: TypeAlias = bool | Mapping[str, Sequence[int]] | Sequence[Mapping[str, Sequence[int]]]
# A shape for each input, or None for an input that keeps its default.
InputShapes: TypeAlias = tuple[tuple[int, ...] | None, ...]


def mismatch(function: str, kind: str, name: str, shape: tuple[int, ...], declared: tuple[int | None, ...]) -> str:
    """Return the message for a shape that differs from the model's declaration."""
    sizes = tuple("?" if size is None else size for size in declared)
    return f"{function}: {kind} {shown(name)} has shape {shape}, but the model declares {sizes}"


def check_shape(function: str, declared: Input, shape: tuple[int, ...]) -> None:
    """Raise DIMENSIONS_MISMATCH if a shape does not fit the declaration of an input."""
    if declared.shape is None:
        return
    if len(shape) != len(declared.shape):
        raise DimensionsMismatchError(mismatch(function, "input", declared.name, shape, declared.shape))
    for axis, size in declared.fixed:
        if shape[axis] != size:
            raise DimensionsMismatchError(mismatch(function, "input", declared.name, shape, declared.shape))


def shapes_of(optimize: Optimize, inputs: Sequence[Input]) -> tuple[InputShapes, ...]:
    """Check the argument of `load` against the model's declarations, and return each set of shapes in the order of the
    inputs.
    """
    if optimize is False:
        return ()
    sets: Any = [{}] if optimize is True else [optimize] if isinstance(optimize, Mapping) else optimize
    if not isinstance(sets, list | tuple) or not all(isinstance(each, Mapping) for each in sets):
        raise TypeMismatchError(
            f"load: optimize {shown(optimize)} is not a bool, a mapping from inputs to shapes or a list of mappings"
        )
    return tuple(_one_set(each, inputs) for each in sets)


def _one_set(given: Mapping[str, Any], inputs: Sequence[Input]) -> InputShapes:
    names = [each.name for each in inputs]
    if strange := [name for name in given if name not in names]:
        raise InvalidArgumentError(
            f"load: optimize has {shown(strange)}, which are not inputs of the model, which has {shown(names)}"
        )
    return tuple(_shape_of(given, each) for each in inputs)


def _shape_of(given: Mapping[str, Any], declared: Input) -> tuple[int, ...] | None:
    if isinstance(declared.dtype, Kind):
        raise InvalidArgumentError(f"load: input {shown(declared.name)} is {declared.dtype}, which has no shape")
    if declared.name in given:
        shape = _core.read_shape("load", given[declared.name], 0)
        check_shape("load", declared, shape)
        return shape
    if declared.is_optional:
        return None
    sizes = declared.shape
    if sizes is None or None in sizes:
        has = "no shape" if sizes is None else f"shape {tuple('?' if size is None else size for size in sizes)}"
        raise InvalidArgumentError(
            f"load: input {shown(declared.name)} is declared with {has}: optimize must contain all sizes of the input"
        )
    return tuple(size for size in sizes if size is not None)
