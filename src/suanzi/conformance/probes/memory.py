"""Probes of a result's memory. A copy has its own memory, and a view has its operand's memory.

The provider's `from_reference` makes the operand from an array. The probe writes into the array and reads the result.
If the provider claims output tensors (`out`), the probe also writes into the result and reads the operand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from ..arguments import filling
from ..inputs import types
from ..oracle.element_types import Array, ElementType
from ..probe import Probe, Scenario
from ..provider import BlockedError, Provider, needed
from ..standard import standard
from ..status import Status, status_in

_SHAPES: tuple[tuple[int, ...], ...] = ((2, 3), (), (7,), (2, 1, 2, 3), (300, 500))
_Call = Callable[[Provider, Any, ElementType], Any]  # a function of the operand that returns the result


def _plain(operator: str, provider: Provider, x: Any, t: ElementType) -> Any:
    return needed(provider, operator)(x)


def _same_type(options: dict[str, Any], provider: Provider, x: Any, t: ElementType) -> Any:
    return needed(provider, "astype")(x, provider.element_type(t.name), **options)


# `_COPIES` has the calls that must copy: the label, the call, and the rank that the operand must have, or None for any
# rank. `_SHARES` has the calls that must not copy.
_COPIES: dict[str, tuple[tuple[str, _Call, int | None], ...]] = {
    "clone": (("", partial(_plain, "clone"), None),),
    "tensor": (("", partial(_plain, "tensor"), None),),
    "diag": (("", partial(_plain, "diag"), 2), ("", partial(_plain, "diag"), 1)),
    "astype": (
        ("the same type", partial(_same_type, {}), None),
        ("the same type, copy=True", partial(_same_type, {"copy": True}), None),
    ),
}
_SHARES: dict[str, _Call] = {
    "from_reference": lambda provider, x, t: x,  # `from_reference` itself made the operand
    "contiguous": partial(_plain, "contiguous"),
}
_LAYOUTS: dict[str, Callable[[Array], Array]] = {
    "": lambda memory: memory,
    ", transposed": lambda memory: memory.T,
    ", negative strides": lambda memory: memory[(slice(None, None, -1),) * memory.ndim],
}


def probes(function: str, available: frozenset[str]) -> Iterator[Probe]:
    """Return the probes of results' memory, and of tensors that `destroy` must not change."""
    operator = standard().operators.get(function)
    if operator is not None and "ownership" in operator.aspects:
        yield from _owned(function, available)
    if function == "destroy":
        yield from _destroyed(available)


def _owned(function: str, available: frozenset[str]) -> Iterator[Probe]:
    for number, t in enumerate(types(available)):
        telling = number < 3
        for shape in _SHAPES if t.name == "float32" else _SHAPES[:2]:
            for layout, view in list(_LAYOUTS.items())[: 3 if shape else 1]:
                for label, call, rank in _COPIES.get(function, ()):
                    if rank in (None, len(shape)):
                        play = partial(_has_its_own, call, t, shape, view)
                        named = f"{t.name} {shape}{layout}{label and f', {label}'} has memory of its own"
                        yield Scenario(function, named, play, "ownership", t.name, telling)
            if function in _SHARES:
                play = partial(_shares, _SHARES[function], t, shape)
                yield Scenario(
                    function, f"{t.name} {shape} has the operand's memory", play, "ownership", t.name, telling
                )
        if function == "contiguous":
            for layout, view in list(_LAYOUTS.items())[1:]:
                play = partial(_lies_in_order, t, view)
                yield Scenario(function, f"{t.name}{layout} lies in order", play, "ownership", t.name, telling)


def _owner(t: ElementType, shape: tuple[int, ...]) -> tuple[Array, Array]:
    """Return an array, and an array of the same shape with other elements."""
    first, other = (np.array(filling(t.name, shape, place)) for place in (0, 1))
    return first, np.asarray(~first if t.kind == "B" else np.where(first == other, first + first, other), t.numpy)


def _referring(provider: Provider, memory: Array, other: Array) -> Any:
    """Return a tensor on the memory of an array. Raise BlockedError if the tensor does not show writes to the array."""
    x = needed(provider, "from_reference")(memory)
    kept = memory.copy()
    memory[...] = other
    seen = np.array_equal(np.asarray(provider.to_numpy(x)), memory)
    memory[...] = kept
    if not seen:
        raise BlockedError("needs a tensor on memory that is written to")
    return x


def _has_its_own(
    call: _Call, t: ElementType, shape: tuple[int, ...], view: Callable[[Array], Array], provider: Provider
) -> str | None:
    owner, other = _owner(t, shape)
    memory = view(owner)
    x = _referring(provider, memory, view(other))
    result = call(provider, x, t)
    before = np.array(provider.to_numpy(result))
    memory[...] = view(other)
    after = np.array(provider.to_numpy(result))
    if not np.array_equal(before, after):
        return "a write to the operand shows in the result"
    return _written(provider, result, x, memory) if "output" in provider.claims else None


def _written(provider: Provider, result: Any, x: Any, memory: Array) -> str | None:
    """Write other elements into the result. Return a fault if the write shows in the operand, or else None."""
    kept = memory.copy()
    needed(provider, "logical_not")(result, out=result) if kept.dtype == bool else needed(provider, "add")(
        result, result, out=result
    )
    same = np.array_equal(np.asarray(provider.to_numpy(x)), kept) and np.array_equal(memory, kept)
    return None if same else "a write to the result shows in the operand"


def _shares(call: _Call, t: ElementType, shape: tuple[int, ...], provider: Provider) -> str | None:
    owner, other = _owner(t, shape)
    of_an_array = needed(provider, "from_reference")(owner)
    result = call(provider, of_an_array, t)
    owner[...] = other
    shows = np.array_equal(np.asarray(provider.to_numpy(result)), other)
    return None if shows else "a write to the operand does not show in the result"


def _lies_in_order(t: ElementType, view: Callable[[Array], Array], provider: Provider) -> str | None:
    array = view(np.array(filling(t.name, (4, 3))))
    contiguous, asked = needed(provider, "contiguous"), needed(provider, "is_contiguous")
    x = provider.from_numpy(array)
    if asked(x):
        raise BlockedError("needs a tensor whose elements are not contiguous")
    result = contiguous(x)
    if not asked(result):
        return "the elements of the result are not contiguous"
    return None if np.array_equal(np.asarray(provider.to_numpy(result)), array) else "other elements"


def _destroyed(available: frozenset[str]) -> Iterator[Probe]:
    for t in types(available):
        play = partial(_leaves_others_alone, t, (2, 3))
        yield Scenario("destroy", f"{t.name}: a copy outlives the tensor", play, "values", t.name, telling=True)
    for shape in _SHAPES:
        yield Scenario("destroy", f"shape {shape}", partial(_is_gone, shape), "ranks")
    for shape in ((0,), (2, 0, 3)):
        yield Scenario("destroy", f"shape {shape}", partial(_is_gone, shape), "empty")


def _leaves_others_alone(t: ElementType, shape: tuple[int, ...], provider: Provider) -> str | None:
    destroy, clone = needed(provider, "destroy"), needed(provider, "clone")
    array = np.array(filling(t.name, shape))
    x = provider.from_numpy(array.copy())
    copy, beside = clone(x), provider.from_numpy(array.copy())
    destroy(x)
    for name, tensor in (("a copy", copy), ("a tensor beside it", beside)):
        if not np.array_equal(np.asarray(provider.to_numpy(tensor)), array):
            return f"{name} lost its elements"
    return None


def _is_gone(shape: tuple[int, ...], provider: Provider) -> str | None:
    destroy, size = needed(provider, "destroy"), needed(provider, "size")
    x = provider.from_numpy(np.array(filling("float32", shape)))
    if destroy(x) is not None:
        return "returned a result"
    try:
        size(x)
    except Exception as error:
        status = status_in(error)
        return None if status == Status.UNINITIALIZED_OBJECT else f"later use returned status {status}"
    return "a destroyed tensor can be used"
