"""Probes with values that every parameter of a kind must refuse. An operator's example is a call in the clauses that
must succeed. A probe makes this call with one of the values.

The causes of refusal in the clauses have their own variations (`varied`). This module tests every parameter, also
parameters that no clause mentions.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from ..arguments import Dense, Plain, Type, arguments
from ..standard import Call, Operator, Parameter
from .stated_calls import Probe, Refuses

_TYPE, _ANY = ("TYPE_MISMATCH",), ("TYPE_MISMATCH", "INVALID_ARGUMENT")
_DEVICE = ("INVALID_ARGUMENT", "TYPE_MISMATCH", "OUT_OF_RANGE")
_ORDER = ("INVALID_ARGUMENT", "DIMENSIONS_MISMATCH", "OUT_OF_RANGE")

# Values that a parameter must refuse, with the right statuses, by kind of parameter.
_VALUES: dict[str, tuple[tuple[Any, tuple[str, ...]], ...]] = {
    "choice": (("算盘", ("INVALID_ARGUMENT",)), ("", ("INVALID_ARGUMENT",)), (2.5, _ANY)),
    "element type": (("float31", _TYPE), ("浮点", _TYPE), (2.5, _ANY)),
    "quantized type": (("qint4", _TYPE), ("", _TYPE)),
    "device": (("abacus", _DEVICE), ("", _DEVICE), ("cpu:x", _DEVICE)),
    "layout": (([0, 0], _ORDER), ([2, 0], _ORDER), ([0], _ORDER), ([0, 1, 2], _ORDER)),
    "axis": (("text", _TYPE), (0.5, _TYPE), (100, ("OUT_OF_RANGE",)), (-100, ("OUT_OF_RANGE",))),
    "axes": (("text", _TYPE), (0.5, _TYPE), (100, ("OUT_OF_RANGE",)), (-100, ("OUT_OF_RANGE",))),
    "integer": (("text", _TYPE), (1.5, _TYPE)),
    "number": (("text", _TYPE),),
}
_COUPLED = ("DIMENSIONS_MISMATCH",)  # also right for a list that must be as long as another list


def probes(operator: Operator) -> Iterator[Probe]:
    """Yield probes of an operator's example with each value that a parameter's kind must refuse, and with other objects
    in place of tensors.
    """
    for parameter in operator.parameters:
        for value, statuses in _VALUES.get(parameter.kind, ()):
            call = _with(operator, parameter, value)
            if call is None:
                continue
            aspect = "devices" if parameter.kind == "device" else "statuses"
            if aspect not in operator.aspects:
                continue
            given = arguments(operator, call)
            as_right = tuple(s for status in statuses for s in operator.permitted(status))
            if parameter.kind == "axes" and isinstance(value, int):
                as_right += _COUPLED
            yield Refuses(operator.name, f"{parameter.name} = {value!r}", aspect, given, tuple(dict.fromkeys(as_right)))
    yield from _no_tensors(operator)


def _with(operator: Operator, parameter: Parameter, value: Any) -> Call | None:
    """Return the example, or a stated call that has the parameter, with another value of the parameter."""
    calls = [operator.example, *(call for same in operator.defaults for call in (same.short, same.long))]
    names = [p.name for p in operator.parameters]
    place = names.index(parameter.name)
    for call in calls:
        if parameter.name in call.options:
            return replace(call, options={**call.options, parameter.name: value})
        if place < len(call.args) and operator.parameters[0].kind != "each a tensor":
            return replace(call, args=(*call.args[:place], value, *call.args[place + 1 :]))
    return replace(operator.example, options={**operator.example.options, parameter.name: value})


def _no_tensors(operator: Operator) -> Iterator[Probe]:
    """Yield probes of an operator's example with another object in place of one tensor, for each required tensor."""
    given = arguments(operator, operator.example)
    for place, argument in enumerate(given.args):
        parameter = operator.at(place)
        if not isinstance(argument, Dense) or not parameter.is_tensor or not parameter.required:
            continue
        for label, value in (("an element type", Type("float32")), ("nothing", Plain(None))):
            changed = replace(given, args=(*given.args[:place], value, *given.args[place + 1 :]))
            statuses = ("TYPE_MISMATCH", "INVALID_ARGUMENT", "UNINITIALIZED_OBJECT")
            yield Refuses(operator.name, f"{label} as {parameter.name}", "statuses", changed, statuses)
