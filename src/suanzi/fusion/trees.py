"""Arguments and results as trees: nested tuples, lists, dicts and dataclasses with tensors and numbers as leaves."""

from __future__ import annotations

import copy
import dataclasses
import types
import weakref
from collections.abc import Callable, Iterator
from contextlib import suppress
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple, cast

import numpy as np

from suanzi import _core
from suanzi._core import Tensor
from suanzi.graph.errors import UntracedError
from suanzi.graph.node import KINDS
from suanzi.quantized import QuantizedTensor
from suanzi.sparse import SparseTensor
from suanzi.tensor.device import Device
from suanzi.tensor.dtypes import DType
from suanzi.tensor.layout import Layout

# The types of results, other than tensors, of which all calls may return the same object. Objects of these types are
# immutable. Objects of subclasses of the first types may have attributes, which may hold tensors.
_PLAIN = frozenset({type(None), bool, int, float, complex, str, bytes, range, Fraction, Decimal})
_PLAIN_BASES = (Enum, np.generic, np.dtype, DType, Device, Layout, type)
_HEAP_TYPE, _IMMUTABLE_TYPE = 1 << 9, 1 << 8  # flags of types, from CPython's Include/object.h


class Place(NamedTuple):
    """The position of a tensor in a tree, with the index of the tensor among all tensors of the tree."""

    number: int

    def __repr__(self) -> str:
        return "a tensor"


class Number(NamedTuple):
    """The position of a number in a tree, with the index of the number among all numbers of the tree."""

    number: int


def flatten(tree: Any, leaves: list[Any], numbers: list[Any] | None, kinds: tuple[type, ...] = KINDS) -> Any:
    """Replace tensors and numbers in nested tuples, lists, dicts and dataclasses by `Place` and `Number`, and collect
    the replaced leaves.
    """

    def taken(x: Any) -> Any:
        if isinstance(x, kinds):
            leaves.append(x)
            return Place(len(leaves) - 1)
        if numbers is not None and type(x) is float:
            numbers.append(x)
            return Number(len(numbers) - 1)
        return x

    return mapped(tree, taken)


def unflatten(tree: Any, leaves: list[Any]) -> Any:
    """Return a tree in which leaves replace each `Place`, the inverse of `flatten` for a tree without numbers."""
    return replaced(tree, lambda x: leaves[x.number])


def replaced(tree: Any, function: Callable[[Any], Any]) -> Any:
    """Return a tree in which the values of `function` replace each `Place` and each `Number`."""
    return mapped(tree, lambda x: function(x) if isinstance(x, (Place, Number)) else x)


def mapped(tree: Any, function: Callable[[Any], Any]) -> Any:
    """Return a tree in which the values of `function` replace the leaves. A leaf is anything but a tuple, list, dict or
    dataclass. A member of an enumeration is a leaf.
    """
    if isinstance(tree, (list, tuple)) and not isinstance(tree, (Place, Number, Enum)):
        made = _of_parts(tree, [mapped(x, function) for x in tree])
        if type(tree) in (list, tuple):  # the types without attributes
            return made
    elif type(tree) is dict:
        return {key: mapped(value, function) for key, value in tree.items()}
    elif is_record(tree):
        made = copy.copy(tree)  # `__init__` may need attributes that a `Place` lacks
    else:
        return function(tree)
    for name in attributes_of(tree):
        object.__setattr__(made, name, mapped(getattr(tree, name), function))  # also changes frozen objects
    return made


def _of_parts(x: list[Any] | tuple[Any, ...], parts: list[Any]) -> Any:
    """Return a list or tuple of the type of `x` with other elements. A subclass of Python code may have a constructor
    with any arguments, so the function does not call such a constructor.
    """
    kind: Any = type(x)
    base: Any = list if isinstance(x, list) else tuple
    try:
        made = base.__new__(kind, parts)
    except TypeError:  # a subclass of C code, such as time.struct_time, whose constructor takes the elements
        return kind(parts)
    if base is list:
        list.__init__(made, parts)
    return made


def fields_of(x: Any) -> list[str]:
    """Return the names of all fields of `x` if `x` is a dataclass, and otherwise an empty list."""
    return [field.name for field in dataclasses.fields(x)] if dataclasses.is_dataclass(x) else []


@lru_cache(maxsize=256)
def slots_of(kind: type) -> tuple[str, ...]:
    """Return the names of the attributes for which a class and its bases have slots."""
    found: dict[str, None] = {}
    for base in kind.__mro__:
        slots = vars(base).get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else tuple(slots):
            is_private = name.startswith("__") and not name.endswith("__")
            found[f"_{base.__name__.lstrip('_')}{name}" if is_private else name] = None
    return tuple([name for name in found if name not in ("__dict__", "__weakref__")])


def attributes_of(x: Any) -> list[str]:
    """Return the names of the fields that have values, and of the other attributes of `x`."""
    fields, kind = fields_of(x), cast(Any, type(x))
    names = dict.fromkeys((*slots_of(kind), *getattr(x, "__dict__", ())))
    return [name for name in (*fields, *[name for name in names if name not in fields]) if hasattr(x, name)]


@lru_cache(maxsize=256)
def _holds_more(kind: type) -> bool:
    """Return whether objects of a class hold data of a base class of C code, such as dict or float, beside their
    attributes.
    """
    bases = (base for base in kind.__mro__ if base not in (object, list, tuple))
    return any(not base.__flags__ & _HEAP_TYPE or base.__flags__ & _IMMUTABLE_TYPE for base in bases)


def is_record(x: Any) -> bool:
    """Return whether `x` is a dataclass. Raise UntracedError for a dataclass that also is, for example, a dict."""
    if not dataclasses.is_dataclass(x) or isinstance(x, type):
        return False
    kind: Any = type(x)
    if _holds_more(kind):
        raise UntracedError(f"a {type(x).__name__} has fields and is a container or a number")
    return True


def contents(tree: Any) -> Iterator[Any]:
    """Yield the leaves of a tree, and between them the types, lengths, keys and names that determine its structure."""
    if isinstance(tree, (list, tuple)) and not isinstance(tree, (Place, Number, Enum)):
        yield from (type(tree), len(tree))
        for x in tree:
            yield from contents(x)
        if type(tree) in (list, tuple):  # the types without attributes
            return
    elif type(tree) is dict:
        yield len(tree)
        for key, value in tree.items():
            yield key
            yield from contents(value)
        return
    elif is_record(tree):
        yield type(tree)
    else:
        yield tree
        return
    for name in attributes_of(tree):
        yield name
        yield from contents(getattr(tree, name))


def check_results(tree: Any) -> None:
    """Refuse results that are not a tree of tensors and plain values, because the contents of other results are
    unknown.
    """

    def check(x: Any) -> Any:
        is_function = isinstance(x, types.BuiltinFunctionType) and isinstance(
            x.__self__, (types.ModuleType, types.NoneType)
        )
        if type(x) not in _PLAIN and not isinstance(x, (Place, Number, *_PLAIN_BASES)) and not is_function:
            raise UntracedError(f"a result has a {type(x).__name__}")
        return x

    mapped(tree, check)


def kind_of(x: Any, objects: list[weakref.ref[Any]]) -> Any:
    """Return the key of a tensor as `key_of` does. However, the key of a sparse tensor does not depend on the number of
    stored elements.
    """
    key = key_of(x, objects)
    return (*key[:-1], x.values.dtype, x.values.shape[1:]) if isinstance(x, SparseTensor) else key


def counts_as_itself(x: Any) -> bool:
    """Return whether an object equals only itself and is not a tree. Every list, tuple and dataclass is a tree."""
    equal: Any = type(x).__eq__
    is_tree = isinstance(x, (list, tuple)) or is_record(x)
    return equal is object.__eq__ and not is_tree


def states_of(tree: Any) -> list[tuple[Any, Any]]:
    """Return the attributes of each object in a tree that counts as itself, and the lists and dicts among the
    attributes, each with a copy.
    """
    objects = (x for x in contents(tree) if not isinstance(x, (type, types.ModuleType)) and counts_as_itself(x))
    attributes = [vars(x) for x in objects if type(getattr(x, "__dict__", None)) is dict]
    containers = [x for each in attributes for x in each.values() if type(x) in (list, dict)]
    return [(x, x.copy()) for x in (*attributes, *containers)]


class _Itself:
    """A wrapper for an object in a key. Wrappers are equal if their objects are identical. The wrapper keeps the object
    alive, so that the id of the object stays unique.
    """

    def __init__(self, kept: Any) -> None:
        self.kept = kept

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Itself) and self.kept is other.kept

    def __hash__(self) -> int:
        return id(self.kept)


def _key_of_more(x: Any, objects: list[weakref.ref[Any]]) -> Any:
    """Return the key of an attribute that is not a field of its dataclass. An unhashable attribute, such as a cached
    array, is compared by identity.
    """
    key = key_of(x, objects)
    try:
        hash(key)
    except TypeError:
        try:
            objects.append(weakref.ref(x))
        except TypeError:
            return _Itself(x)
        return type(x), id(x)
    return key


def _key_of_attributes(x: Any, objects: list[weakref.ref[Any]]) -> Any:
    fields = fields_of(x)
    parts = [(name, key_of if name in fields else _key_of_more) for name in attributes_of(x)]
    return tuple([(name, key(getattr(x, name), objects)) for name, key in parts])


def _key_of_key(x: Any, objects: list[weakref.ref[Any]]) -> Any:
    """Return the key of a key of a dict or of an element of a set. A tensor there is not an argument of its own."""
    if type(x) not in (str, int) and any(isinstance(part, KINDS) for part in contents(x)):
        raise UntracedError("a tensor is a key of a dict or an element of a set")
    return key_of(x, objects)


def key_of(x: Any, objects: list[weakref.ref[Any]]) -> Any:
    """Return the key of an argument, under which programs are stored. The function appends weak references to `objects`
    for objects that are compared by identity.
    """
    if isinstance(x, Tensor):
        key = x.dtype, x.shape, x.stride(), _core.order_if_other(x)
        return key if type(x) is Tensor else (*key, x.device)
    if type(x) in (int, str, bool, types.NoneType):  # most options: 0.2 us instead of 1.8 us
        return type(x), x
    if isinstance(x, SparseTensor):
        pattern = x.pattern
        return SparseTensor, pattern.format, pattern.shape, pattern.canonical, x._order, key_of(x.values, objects)
    if isinstance(x, QuantizedTensor):
        return QuantizedTensor, x.dtype, x.axis, key_of(x.codes, objects), key_of(x.scale, objects)
    if type(x) in (list, tuple):
        return type(x), tuple([key_of(part, objects) for part in x])
    if isinstance(x, (list, tuple)):
        return type(x), tuple([key_of(part, objects) for part in x]), _key_of_attributes(x, objects)
    if type(x) is dict:
        return dict, tuple([(_key_of_key(key, objects), key_of(value, objects)) for key, value in x.items()])
    if isinstance(x, frozenset):
        return frozenset, frozenset([_key_of_key(part, objects) for part in x])
    if is_record(x):
        return type(x), _key_of_attributes(x, objects)
    if isinstance(x, np.generic):
        return (type(x), x.tobytes()) if x.dtype.kind not in "mMV" else (type(x), repr(x.dtype), x.tobytes())
    if type(x) in (float, complex):
        return type(x), repr(x)  # 0.0 equals -0.0, but the texts differ
    if isinstance(x, (float, complex)):  # a subclass may have any text
        return type(x), (float if isinstance(x, float) else complex).__repr__(x), _key_of_attributes(x, objects)
    if isinstance(x, Decimal):
        return type(x), x.as_tuple(), _key_of_attributes(x, objects)
    if isinstance(x, Iterator):
        raise UntracedError("an argument is an iterator")
    if isinstance(x, (dict, set)) and type(x).__hash__ is not None:
        return type(x), dict.fromkeys(x)  # without a hash, because the hash of such a class ignores the elements
    if counts_as_itself(x):  # compared by identity, because a program for an object is useless without the object
        with suppress(TypeError):  # some objects allow no weak reference
            objects.append(weakref.ref(x))
            return type(x), objects[-1]
    return type(x), x
