"""The probes that follow from the clauses of the standard, for any operator and any provider.

The probes test that refused calls have the right status and change nothing. Further probes test accepted and refused
element types, destroyed operands, required parameters, defaults, ranks, broadcasting, scalars and layouts. The modules
with an oracle test the elements of results.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from ..arguments import (
    Argument,
    Arguments,
    Arrangement,
    DefaultDevice,
    Dense,
    Destroyed,
    Expanded,
    Plain,
    Type,
    arguments,
    as_type,
    filling,
    result_type,
)
from ..standard import Call, Operator, standard
from . import bad_values, varied
from .stated_calls import AreSame, ChangesNothing, Gives, NeedsAll, Probe, Refuses


def probes(name: str, available: frozenset[str]) -> Iterator[Probe]:
    """Return the probes of an operator for a provider's element types, or no probes for any other function."""
    operator = standard().operators.get(name)
    if operator is None:
        return
    for probe in (probe for make in _MAKERS for probe in make(operator)):
        used = probe.given.types | (probe.other.types if isinstance(probe, AreSame) else frozenset())
        if used <= available:
            yield probe


def _refusals(operator: Operator) -> Iterator[Probe]:
    for case in operator.refused:
        given = arguments(operator, case.call)
        aspect = "output" if "out" in case.call.options else "statuses"
        statuses = (*operator.permitted(case.status), *case.also)
        yield Refuses(operator.name, case.why, aspect, given, statuses)


def _unchanged(operator: Operator) -> Iterator[Probe]:
    """Repeat each refused call, also with an output tensor that fits the example if the operator has output tensors."""
    out = _good_output(operator)
    for case in operator.refused:
        given, label = arguments(operator, case.call), f"{case.why}, and nothing changed"
        if "out" not in given.options and any(isinstance(a, Dense) for a in given.all()):
            yield ChangesNothing(operator.name, label, "unchanged", given)
        if "out" not in given.options and out is not None and not _makes_nothing(given):
            given = replace(given, options={**given.options, "out": out})
        if "out" in given.options:
            yield ChangesNothing(operator.name, f"{label}, with an output tensor", "output", given)


def _makes_nothing(given: Arguments) -> bool:
    """Return whether the call fails for lack of memory. The kit does not repeat this call with an output tensor."""
    return any(isinstance(a, Expanded) for a in given.all())


def _good_output(operator: Operator) -> Dense | None:
    """Return an output tensor for the example, or None if the clauses do not state the type or the shape of the
    result.
    """
    name = result_type(operator, operator.representative)
    shape = _shape(operator, arguments(operator, operator.example))
    if not any(p.kind == "output" for p in operator.parameters) or name is None or shape is None:
        return None
    return Dense(name, filling(name, shape), as_given=True)


def _types(operator: Operator) -> Iterator[Probe]:
    """Test that the operator accepts each stated element type and returns a result of the stated type. Also test that
    the operator refuses all types that are neither stated nor left open.
    """
    kinds = {name: kind for kind, names in standard().kinds.items() for name in names}
    varies = any(isinstance(a, Dense) and not a.as_given for a in arguments(operator, operator.example).all())
    for name, kind in kinds.items():
        if not operator.types or not varies:
            break
        given = arguments(operator, operator.example, name)
        if kind in operator.open or name in operator.open_types:
            continue
        if kind not in operator.types:
            yield Refuses(operator.name, f"{name} refused", "element types", given, operator.permitted("TYPE_MISMATCH"))
            continue
        types = tuple(result_type(operator, name, i) for i in range(len(operator.results)))
        yield Gives(operator.name, f"{name} taken", "element types", given, types, _shape(operator, given))
    yield from _types_of_one_operand(operator, kinds)


def _types_of_one_operand(operator: Operator, kinds: dict[str, str]) -> Iterator[Probe]:
    """Test types that a parameter with its own types, such as an index, must refuse."""
    given = arguments(operator, operator.example)
    for place, argument in enumerate(given.args):
        parameter = operator.at(place)
        if not isinstance(argument, Dense) or parameter.types == operator.types:
            continue
        for name, kind in kinds.items():
            if kind not in parameter.types + parameter.open:
                changed = _with(given, place, Dense(name, as_type(argument.array, name), as_given=True))
                label = f"{name} as {parameter.name} refused"
                yield Refuses(operator.name, label, "element types", changed, operator.permitted("TYPE_MISMATCH"))


def _shape(operator: Operator, given: Arguments) -> tuple[int, ...] | None:
    """Return the shape of the result, or None if the arguments do not determine the shape."""
    if operator.shape == "the parameter shape":
        return _asked(operator, given)
    if operator.shape not in ("as x", "broadcast"):
        return None
    shapes = [a.array.shape for a in given.args if isinstance(a, Dense)]
    return np.broadcast_shapes(*shapes) if operator.shape == "broadcast" else shapes[0] if shapes else None


def _asked(operator: Operator, given: Arguments) -> tuple[int, ...] | None:
    """Return the argument `shape` of a call, or None if the call does not have the argument."""
    named = {operator.at(place).name: argument for place, argument in enumerate(given.args)} | {**given.options}
    asked = named.get("shape", Plain(None))
    return tuple(size.value for size in asked.value) if isinstance(asked, Plain) and asked.value is not None else None


def _created(operator: Operator) -> Iterator[Probe]:
    """Test the example of an operator that has the parameter `dtype`, with each element type. If the first parameter is
    a shape, also test several shapes.
    """
    dtype = next((p for p in operator.parameters if p.name == "dtype" and p.types), None)
    if dtype is None:
        return
    given = arguments(operator, operator.example)
    shape = _shape(operator, given)
    for name, kind in ((name, kind) for kind, names in standard().kinds.items() for name in names):
        changed = replace(given, options={**given.options, "dtype": Type(name)})
        if kind in dtype.types:
            yield Gives(operator.name, f"{name} taken", "element types", changed, (name,), shape)
        elif kind not in dtype.open:
            statuses = operator.permitted("TYPE_MISMATCH")
            yield Refuses(operator.name, f"{name} refused", "element types", changed, statuses)
    if operator.parameters[0].name == "shape" and operator.results == ("dtype",):
        for other in _SHAPES:
            changed = replace(given, args=(Plain(tuple(map(Plain, other))), *given.args[1:]))
            aspect = "empty" if 0 in other else "ranks"
            yield Gives(operator.name, f"shape {other}", aspect, changed, ("float32",), other)


def _destroyed(operator: Operator) -> Iterator[Probe]:
    """Test the example with a destroyed tensor in place of one tensor, for each argument in turn."""
    given = arguments(operator, operator.example)
    for place, argument in enumerate(given.args):
        if isinstance(argument, Dense):
            changed = _with(given, place, Destroyed(argument))
        elif isinstance(argument, Plain) and isinstance(argument.value, list) and _is_dense(argument.value):
            first, *others = argument.value
            changed = _with(given, place, Plain([*others, Destroyed(first)]))
        else:
            continue
        statuses = operator.permitted("UNINITIALIZED_OBJECT")
        yield Refuses(operator.name, f"operand {place} was destroyed", "statuses", changed, statuses)


def _is_dense(values: list[Any]) -> bool:
    return bool(values) and all(isinstance(value, Dense) for value in values)


def _with(given: Arguments, place: int, argument: Argument) -> Arguments:
    return replace(given, args=(*given.args[:place], argument, *given.args[place + 1 :]))


def _required(operator: Operator) -> Iterator[Probe]:
    """Test calls without a required parameter: the example, cut off before each required parameter."""
    for place, parameter in enumerate(operator.parameters):
        if parameter.required and parameter.kind != "each a tensor" and place < len(operator.example.args):
            call = Call(operator.example.args[:place])
            yield NeedsAll(operator.name, f"without {parameter.name}", "parameters", arguments(operator, call))


def _given_by_name(operator: Operator) -> Iterator[Probe]:
    """Test the stated calls that pass optional parameters by name."""
    for call in (operator.example, *(same.long for same in operator.defaults)):
        if call.options:
            label = f"{', '.join(call.options)} by name"
            types = tuple(None for _ in operator.results)
            yield Gives(operator.name, label, "parameters", arguments(operator, call), types, None)


def _defaults(operator: Operator) -> Iterator[Probe]:
    """Test that the example has the same result without an optional parameter and with the parameter's default. Also
    test the stated pairs of calls with equal results.
    """
    example = operator.example
    given_by_place = {operator.at(place).name for place in range(len(example.args))}
    for parameter in operator.parameters:
        if parameter.default is None or parameter.name in (*given_by_place, *example.options):
            continue
        longer = Call(example.args, {**example.options, parameter.name: parameter.default})
        probe = _same(operator, f"{parameter.name} by default", example, longer)
        if parameter.kind == "device":
            options = {**probe.other.options, parameter.name: DefaultDevice()}
            probe = replace(probe, other=replace(probe.other, options=options))
        yield probe
    for same in operator.defaults:
        names = ", ".join(name for name in same.long.options if name not in same.short.options)
        yield _same(operator, f"{names or 'the short form'} by default", same.short, same.long)


def _same(operator: Operator, label: str, short: Call, long: Call) -> AreSame:
    given, other = (arguments(operator, call) for call in (short, long))
    return AreSame(operator.name, label, "defaults", given, other, operator.results[0])


# Shapes of any rank, with sizes of 0 and 1, and shapes that broadcast.
_SHAPES: tuple[tuple[int, ...], ...] = ((), (1,), (0,), (2, 0, 3), (1, 2, 1, 2), (2, 1, 2, 1, 2), (1, 2, 1, 2, 1, 2))
_BROADCAST: tuple[tuple[int, ...], ...] = ((4, 1, 3), (5, 1), ())


def _shapes(operator: Operator) -> Iterator[Probe]:
    """Test the example with operands of other shapes, if the operands' shapes determine the result's shape."""
    given = arguments(operator, operator.example)
    if not given.args or not all(isinstance(a, Dense) and not a.as_given for a in given.args):
        return
    types = tuple(result_type(operator, operator.representative, i) for i in range(len(operator.results)))
    choices: list[tuple[str, tuple[tuple[int, ...], ...]]] = []
    if operator.shape in ("as x", "broadcast") and "ranks" in operator.aspects:
        choices += [("empty" if 0 in shape else "ranks", (shape,) * 3) for shape in _SHAPES]
    if operator.shape == "broadcast":
        choices += [("broadcasting", _BROADCAST), ("broadcasting", _BROADCAST[::-1])]
    for aspect, shapes in choices:
        pairs = zip(given.args, shapes, strict=False)
        shaped = tuple(_shaped(a, shape, place) for place, (a, shape) in enumerate(pairs) if isinstance(a, Dense))
        changed = replace(given, args=shaped)
        label = f"shapes {', '.join(str(a.array.shape) for a in shaped)}"
        yield Gives(operator.name, label, aspect, changed, types, _shape(operator, changed))


def _shaped(argument: Dense, shape: tuple[int, ...], place: int) -> Dense:
    return replace(argument, array=filling(argument.type, shape, place))


_SCALARS = {"B": True, "I": 1, "F": 0.5, "C": 0.5 + 1j}


def _scalars(operator: Operator) -> Iterator[Probe]:
    """Test the example with a number in place of one tensor, for each operand after the first that may be a number."""
    kinds = {name: kind for kind, names in standard().kinds.items() for name in names if kind in operator.types}
    for name, kind in kinds.items():
        given = arguments(operator, operator.example, name)
        types = tuple(result_type(operator, name, i) for i in range(len(operator.results)))
        for place, argument in enumerate(given.args):
            scalar_too = operator.at(place).kind == "tensor or scalar"
            if place and scalar_too and isinstance(argument, Dense) and kind in _SCALARS:
                changed = _with(given, place, Plain(_SCALARS[kind]))
                label = f"{_SCALARS[kind]} as {operator.at(place).name} with {name}"
                yield Gives(operator.name, label, "scalars", changed, types, _shape(operator, changed))


_ARRANGEMENTS = {
    "the first dimension fastest": Arrangement(reversed=True),
    "negative strides": Arrangement(step=-1),
    "every other element": Arrangement(step=2),
    "the first dimension fastest, negative strides": Arrangement(reversed=True, step=-2),
}


def _layouts(operator: Operator) -> Iterator[Probe]:
    """Test the example with operands in other memory layouts. The results must be the same up to intermediate rounding.

    Random numbers, and decompositions with several right results, are not tested.
    """
    if "layouts" not in operator.aspects or operator.results[0] == "truth":
        return
    for kind in operator.types:
        precision = operator.precision.get(kind, "none")
        exact = precision in ("exact", "correctly rounded")
        if precision == "none" or not (exact or len(operator.results) == 1):
            continue
        given = arguments(operator, operator.example, standard().kinds[kind][0])
        for label, arrangement in _ARRANGEMENTS.items():
            other = replace(given, args=tuple(_arranged(a, arrangement) for a in given.args))
            if other != given:
                result, label = operator.results[0], f"{kind}: {label}"
                yield AreSame(operator.name, label, "layouts", other, given, result, nearly=not exact)


def _arranged(argument: Argument, arrangement: Arrangement) -> Argument:
    if isinstance(argument, Dense) and argument.array.ndim:
        return replace(argument, arrangement=arrangement)
    if isinstance(argument, Plain) and isinstance(argument.value, list):
        return Plain([_arranged(item, arrangement) for item in argument.value])
    return argument


_MAKERS: tuple[Callable[[Operator], Iterator[Probe]], ...] = (
    *(_refusals, _unchanged, _types, _destroyed, _required, _given_by_name, _defaults),
    *(_created, _shapes, _scalars, _layouts),
    bad_values.probes,
    varied.probes,
)
