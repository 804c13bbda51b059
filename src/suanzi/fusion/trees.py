"""Arguments and results as trees: nested tuples, lists, dicts and dataclasses, whose leaves are tensors and numbers."""

from __future__ import annotations

import copy
import dataclasses
import weakref
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

from suanzi import _core
from suanzi._core import Tensor
from suanzi.fusion.trace import KINDS
from suanzi.quantized import QuantizedTensor
from suanzi.sparse import SparseTensor


class Place(NamedTuple):
    """Where a tensor stood in a tree, by its number among them."""

    number: int


class Number(NamedTuple):
    """The same of a number."""

    number: int


def flatten(tree: Any, leaves: list[Any], numbers: list[Any] | None, kinds: tuple[type, ...] = KINDS) -> Any:
    """What is left of nested tuples, lists, dicts and dataclasses when their tensors, and numbers, are taken out."""
    if isinstance(tree, kinds):
        leaves.append(tree)
        return Place(len(leaves) - 1)
    if numbers is not None and type(tree) is float:
        numbers.append(tree)
        return Number(len(numbers) - 1)
    if isinstance(tree, (list, tuple)):
        parts = [flatten(x, leaves, numbers, kinds) for x in tree]
        return type(tree)(*parts) if hasattr(tree, "_fields") else type(tree)(parts)
    if type(tree) is dict:
        return {key: flatten(value, leaves, numbers, kinds) for key, value in tree.items()}
    if dataclasses.is_dataclass(tree) and not isinstance(tree, type):
        return _with_fields(tree, lambda x: flatten(x, leaves, numbers, kinds))
    return tree


def unflatten(tree: Any, leaves: list[Any]) -> Any:
    """The inverse of `flatten`, where no numbers were taken out."""
    return leaves[tree.number] if isinstance(tree, Place) else replaced(tree, lambda x: leaves[x.number])


def replaced(tree: Any, function: Callable[[Any], Any]) -> Any:
    """The tree with the function's answer for each place in it."""
    if isinstance(tree, (Place, Number)):
        return function(tree)
    if isinstance(tree, (list, tuple)):
        parts = [replaced(x, function) for x in tree]
        return type(tree)(*parts) if hasattr(tree, "_fields") else type(tree)(parts)
    if type(tree) is dict:
        return {key: replaced(value, function) for key, value in tree.items()}
    if dataclasses.is_dataclass(tree) and not isinstance(tree, type):
        return _with_fields(tree, lambda x: replaced(x, function))
    return tree


def _with_fields(tree: Any, function: Callable[[Any], Any]) -> Any:
    """A copy of a dataclass with other fields; not made by its `__init__`, which may ask what a place has not."""
    made = copy.copy(tree)
    for field in dataclasses.fields(tree):
        object.__setattr__(made, field.name, function(getattr(tree, field.name)))  # also where it is frozen
    return made


def kind_of(x: Any, objects: list[weakref.ref[Any]]) -> Any:
    """The same of a tensor, whatever the number of elements is that a sparse one has."""
    if not isinstance(x, SparseTensor):
        return key_of(x, objects)
    pattern, values = x.pattern, x.values
    return SparseTensor, pattern.format, pattern.shape, pattern.canonical, x._order, values.dtype, values.shape[1:]


def counts_as_itself(x: Any) -> bool:
    """Whether an object equals itself alone and is no tree: a dataclass is one, whatever it is equal to."""
    equal: Any = type(x).__eq__
    return equal is object.__eq__ and (isinstance(x, type) or not dataclasses.is_dataclass(x))


def key_of(x: Any, objects: list[weakref.ref[Any]]) -> Any:
    """What of an argument a program depends on; objects that are in it as themselves are noted, and not kept alive."""
    if isinstance(x, Tensor):
        return x.dtype, x.shape, x.strides, _core.order_if_other(x)
    if isinstance(x, SparseTensor):
        pattern = x.pattern
        return SparseTensor, pattern.format, pattern.shape, pattern.canonical, x._order, key_of(x.values, objects)
    if isinstance(x, QuantizedTensor):
        return QuantizedTensor, x.dtype, x.axis, key_of(x.codes, objects), key_of(x.scale, objects)
    if isinstance(x, (list, tuple)):
        return type(x), tuple([key_of(part, objects) for part in x])
    if type(x) is dict:
        return dict, tuple([(key, key_of(value, objects)) for key, value in x.items()])
    if dataclasses.is_dataclass(x) and not isinstance(x, type):
        return type(x), tuple([key_of(getattr(x, f.name), objects) for f in dataclasses.fields(x)])
    if isinstance(x, (float, complex)):
        return type(x), repr(x)  # 0.0 and -0.0 are equal
    if counts_as_itself(x):  # to itself alone: where it is no more, its programs are of no use
        with suppress(TypeError):  # which no weak reference may be to
            objects.append(weakref.ref(x))
            return type(x), objects[-1]
    return type(x), x
