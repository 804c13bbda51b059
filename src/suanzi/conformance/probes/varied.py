"""Refused calls varied: what is wrong with a call stays wrong in other places, sizes, types and numbers.

A refused call of the clauses has a cause, and the causes that are alike are varied alike: `clauses/variations.toml` says
which, and has further calls. Here is how a call is varied, by the kind of its cause; `bad_values` has what is wrong as
the value of any parameter of a kind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import chain, zip_longest
from typing import Any, NamedTuple

from ..arguments import arguments
from ..oracle.element_types import ELEMENT_TYPES
from ..standard import Call, Operator, Parameter, Refused, standard
from .stated_calls import ChangesNothing, Probe, Refuses

_LARGE = 2**63  # does not fit 64 bits


class Leaf(NamedTuple):
    """A value of a call, within lists too: what leads to it, and whose argument it is."""

    path: tuple[Any, ...]
    value: Any
    parameter: Parameter


class Variation(NamedTuple):
    """A call that is refused as another is."""

    label: str
    call: Call
    also: tuple[str, ...] = ()  # statuses that are as right


def probes(operator: Operator) -> Iterator[Probe]:
    """Each refused call in other forms: the first forms of all calls, then the second ones, and so on."""
    each = [_of_case(operator, case) for case in operator.refused if not _makes_much(case)]
    for probe in chain.from_iterable(zip_longest(*each)):
        if probe is not None:
            yield probe


def _makes_much(case: Refused) -> bool:
    return case.status == "ALLOC_FAILED"


def _of_case(operator: Operator, case: Refused) -> Iterator[Probe]:
    """The further calls, then those varied by the kinds of the cause, then in other element types."""
    calls = [case.call, *case.more]
    variations = [Variation(_shown(call), call) for call in case.more]
    for kind in case.varied:
        variations += [v for call in calls for v in _KINDS[kind](operator, call)]
    variations += [v for call in calls for v in _in_other_types(operator, case, call)]
    seen = {repr(case.call)}
    for variation in variations:
        if repr(variation.call) in seen:
            continue
        seen.add(repr(variation.call))
        aspect = "output" if "out" in variation.call.options else "statuses"
        statuses = tuple(dict.fromkeys((*operator.permitted(case.status), *case.also, *variation.also)))
        given, label = arguments(operator, variation.call), f"{case.why}: {variation.label}"
        yield Refuses(operator.name, label, aspect, given, statuses)
        if aspect == "statuses" and "unchanged" in operator.aspects:
            yield ChangesNothing(operator.name, f"{label}, and nothing changed", "unchanged", given)


# Values of calls.


def leaves(operator: Operator, call: Call) -> Iterator[Leaf]:
    """Every value of a call; tables and tensors are values, lists have some."""
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
    """The call with another value at the end of a path."""
    first, *rest = path
    if isinstance(first, str):
        return replace(call, options={**call.options, first: _put(call.options[first], rest, value)})
    return replace(call, args=tuple(_put(x, rest, value) if i == first else x for i, x in enumerate(call.args)))


def _put(old: Any, path: list[Any], value: Any) -> Any:
    if not path:
        return value
    return [_put(x, path[1:], value) if i == path[0] else x for i, x in enumerate(old)]


def _shown(call: Call) -> str:
    text = ", ".join([*map(_word, call.args), *(f"{name}={_word(value)}" for name, value in call.options.items())])
    return text if len(text) <= 100 else f"{text[:97]}…"


def _word(value: Any) -> str:
    """A value as the clauses spell it, without quotes around tensors."""
    if isinstance(value, str) and value.endswith("]"):
        return value
    if isinstance(value, list):
        return f"[{', '.join(map(_word, value))}]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key} = {_word(item)}" for key, item in value.items()) + "}"
    return repr(value)


def _at(call: Call, leaf: Leaf, values: Iterable[Any], also: tuple[str, ...] = ()) -> Iterator[Variation]:
    for value in values:
        changed = put(call, leaf.path, value)
        yield Variation(_shown(changed), changed, also)


# Tensors, as they are spelled.


def _tensor(value: Any) -> tuple[str, list[int]] | None:
    """The type and the shape of a tensor of which these are spelled."""
    if not isinstance(value, str) or not value.endswith("]"):
        return None
    name, _, sizes = value.removesuffix("]").partition("[")
    return name, [int(size) for size in sizes.split(",") if size]


def _spelled(name: str, shape: Iterable[int]) -> str:
    return f"{name}[{','.join(map(str, shape))}]"


def _in_a_batch(operator: Operator, call: Call, more: int) -> Call | None:
    """The call with dimensions of size 1 in front of each tensor that has as many as the first."""
    first: int | None = None
    for leaf in leaves(operator, call):
        if not leaf.parameter.is_tensor and leaf.parameter.kind != "output":
            continue
        found = _tensor(leaf.value)
        values = leaf.value.get("values") if isinstance(leaf.value, dict) else None
        rank = len(found[1]) if found else _depth(values) if values is not None else None
        first = rank if first is None else first
        if rank is None or rank != first or rank == 0:
            continue
        if found:
            call = put(call, leaf.path, _spelled(found[0], [*[1] * more, *found[1]]))
        else:
            for _ in range(more):
                values = [values]
            call = put(call, leaf.path, {**leaf.value, "values": values})
    return call if first else None


def _depth(values: Any) -> int:
    return 1 + _depth(values[0]) if isinstance(values, list) and values else int(isinstance(values, list))


# The kinds of causes.


def _axes(operator: Operator, call: Call) -> Iterator[Variation]:
    far = (5, 2**31, _LARGE - 1)
    bad = [leaf for leaf in leaves(operator, call) if leaf.parameter.kind in ("axis", "axes") and _whole(leaf.value)]
    if not bad:
        return
    leaf = max(bad, key=lambda found: max(found.value, -found.value - 1))
    size = leaf.value if leaf.value >= 0 else -leaf.value - 1
    yield from _at(call, leaf, (size, -size - 1))
    for more in (1, 2, 3) if len(leaf.path) == 1 else ():
        if lifted := _in_a_batch(operator, call, more):
            yield from _at(lifted, leaf, (size + more, -size - more - 1))
    yield from _at(call, leaf, (x for n in far for x in (size + n, -size - 1 - n) if -_LARGE <= x < _LARGE))
    yield from _at(call, leaf, (_LARGE, -_LARGE - 1), ("INVALID_ARGUMENT", "TYPE_MISMATCH"))


def _twice(operator: Operator, call: Call) -> Iterator[Variation]:
    lists = {leaf.path[0]: leaf for leaf in leaves(operator, call) if leaf.parameter.kind == "axes" and leaf.path[1:]}
    for where, leaf in lists.items():
        count = sum(other.path[0] == where for other in leaves(operator, call))
        rank = next((len(found[1]) for value in call.args if (found := _tensor(value))), 0)
        pairs: list[list[int]] = [[1, 1], [0, -rank], [-1, rank - 1], [-rank, 0], [-1, -1]] if rank > 1 else []
        for axes in pairs if count == 2 else []:
            changed = put(call, (leaf.path[0],), axes)
            yield Variation(_shown(changed), changed)


def _fractions(operator: Operator, call: Call) -> Iterator[Variation]:
    for leaf in leaves(operator, call):
        if isinstance(leaf.value, float):
            yield from _at(call, leaf, (0.5, -0.5, 1.5, 1e30), ("OUT_OF_RANGE",) if leaf.value > 1e9 else ())
            yield from _at(call, leaf, (float("nan"), float("inf")), ("INVALID_ARGUMENT", "OUT_OF_RANGE"))
            yield from _at(call, leaf, ("text", {"complex": [1.0, 1.0]}), ("INVALID_ARGUMENT",))


def _negatives(operator: Operator, call: Call) -> Iterator[Variation]:
    for leaf in leaves(operator, call):
        if _whole(leaf.value) and leaf.value < 0:
            yield from _at(call, leaf, (leaf.value - 1, -100))
            yield from _at(call, leaf, (-(2**31), -_LARGE), ("OUT_OF_RANGE",))


_SCRIPTS = ("算盘", "é", "a\0b")


def _words(operator: Operator, call: Call) -> Iterator[Variation]:
    for leaf in leaves(operator, call):
        if not isinstance(leaf.value, str) or leaf.parameter.is_tensor or _tensor(leaf.value):
            continue
        good = {"device": "cpu", "element type": "float32"}.get(leaf.parameter.kind) or leaf.parameter.choices[0]
        yield from _at(call, leaf, ("", good[:-1], f"{good} ", f" {good}", f"{good}{good}", *_SCRIPTS))


def _outside(operator: Operator, call: Call) -> Iterator[Variation]:
    found = [leaf for leaf in leaves(operator, call) if not leaf.parameter.is_tensor or _whole(leaf.value)]
    numbers = [leaf for leaf in found if _whole(leaf.value) and _out_of_uint8(leaf.value)]
    for leaf in numbers[:1]:
        for t in ELEMENT_TYPES.values():
            if t.letter == "I":
                low, high = t.range
                also = ("INVALID_ARGUMENT",) if "bound" in operator.name or operator.name == "uniform" else ()
                yield from _at(_typed(operator, call, t.name), leaf, (high + 1, low - 1, 2**70), also)


def _out_of_uint8(value: int) -> bool:
    return not 0 <= value <= 255


def _indices(operator: Operator, call: Call) -> Iterator[Variation]:
    places = [place for place, p in enumerate(operator.parameters) if p.types == "I" and p.is_tensor]
    for place in places:
        index = call.args[place]
        flat = list(_flat(index["values"]))
        size = _size_of_axis(operator, call)
        for name in (t.name for t in ELEMENT_TYPES.values() if t.letter == "I"):
            low, high = ELEMENT_TYPES[name].range
            for bad in (size, -size - 1, size + 1, 100, low, high):
                if not low <= bad <= high or -size <= bad < size:
                    continue
                for at in {len(flat) - 1, 0}:
                    values = iter([bad if i == at else 0 for i in range(len(flat))])
                    shaped = _shaped(index["values"], values)
                    yield from _at(call, Leaf((place,), index, operator.parameters[place]), [{**index, "values": shaped, "type": name}])


def _flat(values: Any) -> Iterator[Any]:
    if isinstance(values, list):
        for item in values:
            yield from _flat(item)
    else:
        yield values


def _shaped(like: Any, values: Iterator[Any]) -> Any:
    return [_shaped(item, values) for item in like] if isinstance(like, list) else next(values)


def _size_of_axis(operator: Operator, call: Call) -> int:
    """How long the axis is that the index counts along."""
    found = _tensor(call.args[0])
    assert found is not None, f"{operator.name}: the first argument is spelled with a shape"
    place = next(i for i, p in enumerate(operator.parameters) if p.kind == "axis")
    return found[1][call.args[place] if place < len(call.args) else 0]


def _types(operator: Operator, call: Call) -> Iterator[Variation]:
    """Text or complex numbers with whatever else; types that a better one would raise only where there is none."""
    kinds = {name: kind for kind, names in standard().kinds.items() for name in names}
    alone = not any(kinds.get(name, "S") in operator.types for name in arguments(operator, call).types)
    for leaf in leaves(operator, call):
        table = leaf.value if isinstance(leaf.value, dict) and "values" in leaf.value else None
        found = _tensor(leaf.value)
        name = table["type"] if table else found[0] if found else ""
        taken = leaf.parameter.types + leaf.parameter.open
        if not leaf.parameter.is_tensor or name not in kinds or kinds[name] in taken:
            continue
        for other, kind in kinds.items():
            if kind in taken or other == name or (table and kind == "S") or not (alone or kind in "CS"):
                continue
            yield from _at(call, leaf, [{**table, "type": other} if table else _spelled(other, found[1] if found else ())])


def _batches(operator: Operator, call: Call) -> Iterator[Variation]:
    for more in (1, 2):
        if lifted := _in_a_batch(operator, call, more):
            yield Variation(_shown(lifted), lifted)


def _lists(operator: Operator, call: Call) -> Iterator[Variation]:
    for place, value in enumerate(call.args):
        if operator.at(place).kind == "tensors" and isinstance(value, list) and len(value) == 2:
            good, bad = value
            for tensors in ([good, good, bad], [good, bad, good], [bad, good, good], [good, good, good, bad, good]):
                changed = put(call, (place,), tensors)
                yield Variation(_shown(changed), changed)


def _permutations(operator: Operator, call: Call) -> Iterator[Variation]:
    for orders in ([0, 0], [2, 0], [-1, 0], [0], [], [0, 1, 2], [1, 0, 0]):
        changed = put(call, ("layout",), orders)
        yield Variation(_shown(changed), changed, ("DIMENSIONS_MISMATCH", "OUT_OF_RANGE"))


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


_KINDS: dict[str, Callable[[Operator, Call], Iterator[Variation]]] = {
    "axis": _axes,
    "twice": _twice,
    "fraction": _fractions,
    "negative": _negatives,
    "word": _words,
    "outside": _outside,
    "index": _indices,
    "type": _types,
    "batch": _batches,
    "list": _lists,
    "permutation": _permutations,
    "ordered": lambda operator, call: iter(()),
}


# Other element types.


def _in_other_types(operator: Operator, case: Refused, call: Call) -> Iterator[Variation]:
    """The tensors of the first type as each other that is taken; where a type is the cause, real ones alone."""
    if "outside" in case.varied:
        return
    kinds = {name: kind for kind, names in standard().kinds.items() for name in names}
    wrong_type = case.status == "TYPE_MISMATCH"
    for name, kind in kinds.items():
        open_too = kind not in operator.types or name in operator.open_types
        if open_too or (kind == "C" and "ordered" in case.varied):
            continue
        if (wrong_type and kind not in "IF") or kind == "S":
            continue
        changed = _typed(operator, call, name)
        if changed != call:
            yield Variation(_shown(changed), changed)


def _typed(operator: Operator, call: Call, name: str) -> Call:
    """The call with the tensors, and the parameter `dtype`, of another type where they have the first one."""
    first = {"any", operator.representative, "uint8", "int8"} if name != "any" else set()
    for leaf in leaves(operator, call):
        table = leaf.value if isinstance(leaf.value, dict) else {}
        if leaf.parameter.kind == "element type" and table.get("type") in ("uint8", "int8"):
            call = put(call, leaf.path, {"type": name})
        if not leaf.parameter.is_tensor or leaf.parameter.types != operator.types:
            continue
        found = _tensor(leaf.value)
        if found and found[0] in first:
            call = put(call, leaf.path, _spelled(name, found[1]))
        elif "values" in table and table["type"] in first and _holds(name, table["values"]):
            call = put(call, leaf.path, {**table, "type": name})
    return call


def _holds(name: str, values: Any) -> bool:
    """Whether a type has the numbers."""
    kind = ELEMENT_TYPES[name].kind
    if kind in "FC":
        return True
    whole = all(isinstance(v, bool | int) or v % 1 == 0 for v in _flat(values))
    return whole and (kind == "S" or all(v >= 0 for v in _flat(values)))
