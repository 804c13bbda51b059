"""Operators on sequences, which are tuples of tensors, and on optional values, which are None if absent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import suanzi
from suanzi import InvalidArgumentError, OutOfRangeError, Tensor, TypeMismatchError, tuning
from suanzi.interop.onnx.compositions.reading import Integers, positive_axis, single
from suanzi.interop.onnx.types import AnyType, dtype_of, element_of, optional_of, sequence_of, text_of

Tensors = tuple[Tensor, ...]
Types = Sequence[AnyType | None]


def construct(*tensors: Tensor) -> Tensors:
    return tensors


def empty(*, dtype: int = 1) -> Tensors:
    return ()


def at(sequence: Tensors, position: int | Integers) -> Tensor:
    return sequence[_place(sequence, position, len(sequence) - 1, "SequenceAt")]


def insert(sequence: Tensors, tensor: Tensor, position: int | Integers | None = None) -> Tensors:
    if len(sequence) >= tuning.MOST_NUMBERS:  # each insertion copies the sequence
        raise InvalidArgumentError(f"SequenceInsert: a sequence has at most {tuning.MOST_NUMBERS} elements")
    if sequence and sequence[0].dtype is not tensor.dtype:
        raise TypeMismatchError(
            f"SequenceInsert: a tensor of {tensor.dtype} does not fit a sequence of {sequence[0].dtype}"
        )
    n = len(sequence)
    place = n if position is None else _place(sequence, position, n, "SequenceInsert")
    return (*sequence[:place], tensor, *sequence[place:])


def erase(sequence: Tensors, position: int | Integers = -1) -> Tensors:
    place = _place(sequence, position, len(sequence) - 1, "SequenceErase")
    return sequence[:place] + sequence[place + 1 :]


def length(sequence: Tensors) -> Tensor:
    return suanzi.full((), len(sequence), dtype=suanzi.int64)


def _place(sequence: Tensors, position: int | Integers, last: int, operator: str) -> int:
    place = single(position, operator)
    if not -len(sequence) <= place <= last:
        raise OutOfRangeError(f"{operator}: position {place} is outside [{-len(sequence)}, {last}]")
    return place + len(sequence) if place < 0 else place


def split(x: Tensor, split: int | Integers | None = None, *, axis: int = 0, keepdims: int = 1) -> Tensors:
    """Split a tensor into parts of the same size (the last part may be smaller) or of the sizes in a vector. The
    default size is 1.
    """
    along = positive_axis(axis, x.ndim, "SplitToSequence")
    size = x.shape[along]
    if split is None and not keepdims:
        _require_few(size)
        return tuple(suanzi.unstack(x, along))
    if isinstance(split, tuple):
        return tuple(suanzi.split(x, split, axis=along))
    step = 1 if split is None else split
    if step < 1:
        raise OutOfRangeError(f"SplitToSequence: size {step} is not positive")
    _require_few(-(-size // step))
    sizes = [min(step, size - first) for first in range(0, size, step)]
    return tuple(suanzi.split(x, sizes, axis=along)) if sizes else ()


def _require_few(count: int) -> None:
    if count > tuning.MOST_NUMBERS:
        raise InvalidArgumentError(f"SplitToSequence: {count} parts are more than {tuning.MOST_NUMBERS}")


def concat(sequence: Tensors, *, axis: int, new_axis: int = 0) -> Tensor:
    if not sequence:
        raise InvalidArgumentError("ConcatFromSequence: the sequence is empty")
    return suanzi.stack(sequence, axis) if new_axis else suanzi.concat(sequence, axis=axis)


def optional(value: Any = None, *, kind: AnyType | None = None) -> Any:
    if value is None and kind is None:
        raise InvalidArgumentError("Optional: the node has neither a value nor a type")
    return value


def get_element(value: Any) -> Any:
    if value is None:
        raise InvalidArgumentError("OptionalGetElement: the optional value has no element")
    return value


def has_element(value: Any = None) -> Tensor:
    return suanzi.full((), value is not None, dtype=suanzi.bool)


# Functions from the operands' types to the type of the result.


def sequence_type(types: Types, attributes: Mapping[str, Any]) -> AnyType | None:
    return sequence_of(next(iter(types), None))


def empty_type(types: Types, attributes: Mapping[str, Any]) -> AnyType | None:
    return sequence_of(dtype_of(attributes.get("dtype", 1), "SequenceEmpty"))


def same_sequence(types: Types, attributes: Mapping[str, Any]) -> AnyType | None:
    """Return the type of a sequence. If the type is unknown, return the type of a sequence of the second operand."""
    return types[0] or (sequence_of(types[1]) if len(types) > 1 else None)


def element_type(types: Types, attributes: Mapping[str, Any]) -> AnyType | None:
    return element_of(types[0])


def optional_type(types: Types, attributes: Mapping[str, Any]) -> AnyType | None:
    return optional_of(attributes.get("type") or next(iter(types), None))


def inner_type(types: Types, attributes: Mapping[str, Any]) -> AnyType | None:
    is_optional = types[0] is not None and text_of(types[0]).startswith("optional(")
    return element_of(types[0]) if is_optional else types[0]
