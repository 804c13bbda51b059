"""Variations of a refused call, by the kind of the cause. Each variation must be refused for the same cause."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from ..arguments import arguments
from ..oracle.element_types import ELEMENT_TYPES
from ..standard import Call, Operator, standard
from .spelled import Leaf, flat, in_a_batch, in_type, is_whole, leaves, put, shape_of, shown, tensor

_LARGE = 2**63  # the least integer beyond int64


class Variation(NamedTuple):
    """A call that differs from a refused call of the clauses, and must be refused for the same cause."""

    label: str
    call: Call
    also: tuple[str, ...] = ()  # statuses that are right in addition to the statuses of the refused call


def _at(call: Call, leaf: Leaf, values: Iterable[Any], also: tuple[str, ...] = ()) -> Iterator[Variation]:
    for value in values:
        changed = put(call, leaf.path, value)
        yield Variation(shown(changed), changed, also)


def _axes(operator: Operator, call: Call) -> Iterator[Variation]:
    far = (5, 2**31, _LARGE - 1)
    bad = [leaf for leaf in leaves(operator, call) if leaf.parameter.kind in ("axis", "axes") and is_whole(leaf.value)]
    if not bad:
        return
    leaf = max(bad, key=lambda found: max(found.value, -found.value - 1))
    size = leaf.value if leaf.value >= 0 else -leaf.value - 1
    yield from _at(call, leaf, (size, -size - 1))
    for more in (1, 2, 3) if len(leaf.path) == 1 else ():
        if lifted := in_a_batch(operator, call, more):
            yield from _at(lifted, leaf, (size + more, -size - more - 1))
    yield from _at(call, leaf, (x for n in far for x in (size + n, -size - 1 - n) if -_LARGE <= x < _LARGE))
    yield from _at(call, leaf, (_LARGE, -_LARGE - 1), ("INVALID_ARGUMENT", "TYPE_MISMATCH"))


def _twice(operator: Operator, call: Call) -> Iterator[Variation]:
    lists = {leaf.path[0]: leaf for leaf in leaves(operator, call) if leaf.parameter.kind == "axes" and leaf.path[1:]}
    for where, leaf in lists.items():
        count = sum(other.path[0] == where for other in leaves(operator, call))
        rank = next((len(found[1]) for value in call.args if (found := shape_of(value))), 0)
        pairs: list[list[int]] = [[1, 1], [0, -rank], [-1, rank - 1], [-rank, 0], [-1, -1]] if rank > 1 else []
        for axes in pairs if count == 2 else []:
            changed = put(call, (leaf.path[0],), axes)
            yield Variation(shown(changed), changed)


def _fractions(operator: Operator, call: Call) -> Iterator[Variation]:
    for leaf in leaves(operator, call):
        if isinstance(leaf.value, float):
            yield from _at(call, leaf, (0.5, 1.5, 2.75))
            yield from _at(call, leaf, (float("nan"), float("inf")), ("INVALID_ARGUMENT", "OUT_OF_RANGE"))
            yield from _at(call, leaf, ("text", {"complex": [1.0, 1.0]}), ("INVALID_ARGUMENT",))


def _negatives(operator: Operator, call: Call) -> Iterator[Variation]:
    for leaf in leaves(operator, call):
        if is_whole(leaf.value) and leaf.value < 0:
            yield from _at(call, leaf, (leaf.value - 1, -100))
            yield from _at(call, leaf, (-(2**31), -_LARGE), ("OUT_OF_RANGE",))


_SCRIPTS = ("算盘", "é", "a\0b")


def _words(operator: Operator, call: Call) -> Iterator[Variation]:
    for leaf in leaves(operator, call):
        if not isinstance(leaf.value, str) or leaf.parameter.is_tensor or shape_of(leaf.value):
            continue
        named = {"device": ("cpu",), "element type": ("float32",)}
        good, *others = named.get(leaf.parameter.kind) or leaf.parameter.choices
        yield from _at(call, leaf, ("", good[:-1], f"{good} ", f" {good}", f"{good}{good}", *_SCRIPTS))
        every = [word for word in others if len(word) > 3]
        yield from _at(call, leaf, (odd for word in every for odd in (word[:-1], f"{word}s")))


def _outside(operator: Operator, call: Call) -> Iterator[Variation]:
    found = [leaf for leaf in leaves(operator, call) if not leaf.parameter.is_tensor or is_whole(leaf.value)]
    numbers = [leaf for leaf in found if is_whole(leaf.value) and _out_of_uint8(leaf.value)]
    also = ("INVALID_ARGUMENT",) if operator.name == "uniform" else ()
    integers = [t for t in ELEMENT_TYPES.values() if t.letter == "I"]
    for leaf in numbers[:1]:
        for past in (lambda low, high: high + 1, lambda low, high: low - 1, lambda low, high: 2**70):
            for t in integers:
                yield from _at(in_type(operator, call, t.name), leaf, (past(*t.range),), also)


def _out_of_uint8(value: int) -> bool:
    return not 0 <= value <= 255


def _indices(operator: Operator, call: Call) -> Iterator[Variation]:
    places = [place for place, p in enumerate(operator.parameters) if p.types == "I" and p.is_tensor]
    for place in places:
        index = call.args[place]
        old = list(flat(index["values"]))
        size = _size_of_axis(operator, call)
        for name in (t.name for t in ELEMENT_TYPES.values() if t.letter == "I"):
            low, high = ELEMENT_TYPES[name].range
            for bad in (size, -size - 1, size + 1, 100, low, high):
                if not low <= bad <= high or -size <= bad < size:
                    continue
                for at in {len(old) - 1, 0}:
                    values = iter([bad if i == at else 0 for i in range(len(old))])
                    shaped = _shaped(index["values"], values)
                    yield from _at(
                        call,
                        Leaf((place,), index, operator.parameters[place]),
                        [{**index, "values": shaped, "type": name}],
                    )


def _shaped(like: Any, values: Iterator[Any]) -> Any:
    return [_shaped(item, values) for item in like] if isinstance(like, list) else next(values)


def _size_of_axis(operator: Operator, call: Call) -> int:
    """Return the size of the axis to which the index of a call belongs."""
    found = shape_of(call.args[0])
    assert found is not None, f"{operator.name}: the first argument is spelled with a shape"
    place = next(i for i, p in enumerate(operator.parameters) if p.kind == "axis")
    return found[1][call.args[place] if place < len(call.args) else 0]


def _types(operator: Operator, call: Call) -> Iterator[Variation]:
    """Yield calls with other refused types: strings and complex types always, and other types only if no operand has an
    accepted type.
    """
    kinds = {name: kind for kind, names in standard().kinds.items() for name in names}
    alone = not any(kinds.get(name, "S") in operator.types for name in arguments(operator, call).types)
    for leaf in leaves(operator, call):
        table = leaf.value if isinstance(leaf.value, dict) and "values" in leaf.value else None
        found = shape_of(leaf.value)
        name = table["type"] if table else found[0] if found else ""
        taken = leaf.parameter.types + leaf.parameter.open
        if not leaf.parameter.is_tensor or name not in kinds or kinds[name] in taken:
            continue
        for other, kind in kinds.items():
            if kind in taken or other == name or (table and kind == "S") or not (alone or kind in "CS"):
                continue
            yield from _at(
                call, leaf, [{**table, "type": other} if table else tensor(other, found[1] if found else ())]
            )


def _batches(operator: Operator, call: Call) -> Iterator[Variation]:
    for more in (1, 2):
        if lifted := in_a_batch(operator, call, more):
            yield Variation(shown(lifted), lifted)


def _lists(operator: Operator, call: Call) -> Iterator[Variation]:
    for place, value in enumerate(call.args):
        if operator.at(place).kind == "tensors" and isinstance(value, list) and len(value) == 2:
            good, bad = value
            for tensors in ([good, good, bad], [good, bad, good], [bad, good, good], [good, good, good, bad, good]):
                changed = put(call, (place,), tensors)
                yield Variation(shown(changed), changed)


def _permutations(operator: Operator, call: Call) -> Iterator[Variation]:
    for orders in ([0, 0], [2, 0], [-1, 0], [0], [], [0, 1, 2], [1, 0, 0]):
        changed = put(call, ("layout",), orders)
        yield Variation(shown(changed), changed, ("DIMENSIONS_MISMATCH", "OUT_OF_RANGE"))


KINDS: dict[str, Callable[[Operator, Call], Iterator[Variation]]] = {
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
