"""Calls in the notation of the clauses: the values of a call one by one, and calls with some values replaced."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple

from ..oracle.element_types import ELEMENT_TYPES
from ..standard import Call, Operator, Parameter


class Leaf(NamedTuple):
    """A value in a call or in a list of the call: the path to the value, the value, and the value's parameter."""

    path: tuple[Any, ...]
    value: Any
    parameter: Parameter


def leaves(operator: Operator, call: Call) -> Iterator[Leaf]:
    """Return every value of a call. Tables and tensors are values, and lists contain values."""
    named = {p.name: p for p in operator.parameters}
    for place, value in enumerate(call.args):
        yield from _within((place,), value, operator.at(place))
    for name, value in call.options.items():
        yield from _within((name,), value, named[name])


def _within(path: tuple[Any, ...], value: Any, parameter: Parameter) -> Iterator[Leaf]:
    if isinstance(value, list):
        for i, item in enumerate(value):
            yield from _within((*path, i), item, parameter)
    else:
        yield Leaf(path, value, parameter)


def put(call: Call, path: tuple[Any, ...], value: Any) -> Call:
    """Return the call with `value` in place of the value to which the path leads."""
    first, *rest = path
    if isinstance(first, str):
        return replace(call, options={**call.options, first: _put(call.options[first], rest, value)})
    return replace(call, args=tuple(_put(x, rest, value) if i == first else x for i, x in enumerate(call.args)))


def _put(old: Any, path: list[Any], value: Any) -> Any:
    if not path:
        return value
    return [_put(x, path[1:], value) if i == path[0] else x for i, x in enumerate(old)]


def shown(call: Call) -> str:
    text = ", ".join([*map(_word, call.args), *(f"{name}={_word(value)}" for name, value in call.options.items())])
    return text if len(text) <= 100 else f"{text[:97]}…"


def _word(value: Any) -> str:
    """Return a value in the clauses' notation, without quotes around tensors."""
    if isinstance(value, str) and value.endswith("]"):
        return value
    if isinstance(value, list):
        return f"[{', '.join(map(_word, value))}]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key} = {_word(item)}" for key, item in value.items()) + "}"
    return repr(value)


# Tensors.


def shape_of(value: Any) -> tuple[str, list[int]] | None:
    """Return the type and the shape of a tensor in the clauses' notation, or None for other values."""
    if not isinstance(value, str) or not value.endswith("]"):
        return None
    name, _, sizes = value.removesuffix("]").partition("[")
    return name, [int(size) for size in sizes.split(",") if size]


def tensor(name: str, shape: Iterable[int]) -> str:
    return f"{name}[{','.join(map(str, shape))}]"


def in_a_batch(operator: Operator, call: Call, more: int) -> Call | None:
    """Return the call with `more` further dimensions of size 1 in front of each tensor that has the rank of the first
    tensor. Return None if the call has no tensor or the first tensor has no dimensions.
    """
    first: int | None = None
    for leaf in leaves(operator, call):
        if not leaf.parameter.is_tensor and leaf.parameter.kind != "output":
            continue
        found = shape_of(leaf.value)
        values = leaf.value.get("values") if isinstance(leaf.value, dict) else None
        rank = len(found[1]) if found else _depth(values) if values is not None else None
        first = rank if first is None else first
        if rank is None or rank != first or rank == 0:
            continue
        if found:
            call = put(call, leaf.path, tensor(found[0], [*[1] * more, *found[1]]))
        else:
            for _ in range(more):
                values = [values]
            call = put(call, leaf.path, {**leaf.value, "values": values})
    return call if first else None


def _depth(values: Any) -> int:
    return 1 + _depth(values[0]) if isinstance(values, list) and values else int(isinstance(values, list))


def in_type(operator: Operator, call: Call, name: str) -> Call:
    """Return the call in which tensors of the operator's first type, and the parameter `dtype`, have another type."""
    first = {"any", operator.representative, "uint8", "int8"} if name != "any" else set()
    for leaf in leaves(operator, call):
        table = leaf.value if isinstance(leaf.value, dict) else {}
        if leaf.parameter.kind == "element type" and table.get("type") in ("uint8", "int8"):
            call = put(call, leaf.path, {"type": name})
        if not leaf.parameter.is_tensor or leaf.parameter.types != operator.types:
            continue
        found = shape_of(leaf.value)
        if found and found[0] in first:
            call = put(call, leaf.path, tensor(name, found[1]))
        elif "values" in table and table["type"] in first and _holds(name, table["values"]):
            call = put(call, leaf.path, {**table, "type": name})
    return call


def _holds(name: str, values: Any) -> bool:
    """Return whether a type can represent the numbers."""
    kind = ELEMENT_TYPES[name].kind
    if kind in "FC":
        return True
    whole = all(isinstance(v, bool | int) or v % 1 == 0 for v in flat(values))
    return whole and (kind == "S" or all(v >= 0 for v in flat(values)))


def flat(values: Any) -> Iterator[Any]:
    if isinstance(values, list):
        for item in values:
            yield from flat(item)
    else:
        yield values


def is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
