"""Probes of Python numbers (chapter 5.7 of the standard): numbers in place of tensors, at every place, and numbers that
fill tensors.

An operator converts a number in place of a tensor to the type of the other tensor, if the kind of this type is at least
the kind of the number. The result equals the result for a tensor filled with the number.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from ..arguments import Arguments, Dense, Plain, arguments, as_type
from ..inputs import types
from ..oracle.compare import exactly
from ..oracle.element_types import ElementType, typed
from ..probe import Probe, Refusal, Scenario, Value
from ..provider import Provider, needed
from ..standard import Operator, standard
from ..status import Status
from .stated_calls import AreSame

_TELLING = ("float32", "int32", "int64", "uint8", "complex64")  # types that the quick profile always tests
# Numbers by kind of element type. The numbers are of the type's own kind and of lower kinds.
_NUMBERS: dict[str, tuple[Any, ...]] = {
    "B": (True, False),
    "U": (1, 3, True),
    "S": (2, 5, True),
    "F": (0.5, -3, 2.5, True),
    "C": (0.5 + 1j, 2.5, -2),
}


def probes(function: str, available: frozenset[str]) -> Iterator[Probe]:
    """Yield the probes of a function with numbers in place of tensors, and with numbers that fill tensors."""
    operator = standard().operators.get(function)
    if operator is None or "scalars" not in operator.aspects:
        return
    ordered = types(available)
    for t in ordered:
        if t.letter in operator.types:
            yield from _as_operands(operator, t)
    if function in _VALUES:
        for probe in _VALUES[function](function, ordered):
            if isinstance(probe, Value):
                told = probe.options["dtype"].name if "dtype" in probe.options else probe.operands[0].dtype.name
                probe = replace(probe, telling=told in _TELLING)
            yield probe


def _as_operands(operator: Operator, t: ElementType) -> Iterator[Probe]:
    """Yield probes that compare the result for a number with the result for a tensor filled with the number."""
    given = arguments(operator, operator.example, t.name)
    tensors = {
        place: argument.array.shape
        for place, argument in enumerate(given.args)
        if isinstance(argument, Dense) and operator.at(place).types == operator.types
    }
    exact_result = operator.precision.get(t.letter, "none") in ("exact", "correctly rounded")
    for place, shape in tensors.items():
        if operator.at(place).kind != "tensor or scalar" or len(tensors) < 2:
            continue
        for number in _NUMBERS[t.kind]:
            one = Dense(t.name, as_type(np.full(shape, number), t.name))
            short, long = (_with(given, place, argument) for argument in (Plain(number), one))
            label = f"{number!r} as {operator.at(place).name} with {t.name} equals a tensor of this number"
            nearly = not exact_result
            yield AreSame(operator.name, label, "scalars", short, long, operator.results[0], nearly)


def _with(given: Arguments, place: int, argument: Any) -> Arguments:
    return replace(given, args=(*given.args[:place], argument, *given.args[place + 1 :]))


def _numbers(t: ElementType) -> Iterator[Any]:
    """Yield numbers for a type: small numbers, the extreme numbers, and numbers that a narrower type would round."""
    yield from _NUMBERS[t.kind]
    if t.kind in "US":
        yield from t.range
        yield t.range[1] // 2 + 1
        if t.bits == 64:
            yield from (2**53 + 1, 2**24 + 1)
    elif t.kind != "B":
        yield from (1.0 + 2.0 ** (1 - t.precision), 2.0**t.least, float("inf"), float("-inf"), float("nan"), -0.0)
    if t.kind == "C":
        yield from (1j, complex(0.0, -0.0), complex(1.5, float("inf")))


def _element(number: Any, t: ElementType) -> Any:
    """Return the number as an element of the type."""
    if t.kind in "US":
        return np.array(int(number), t.numpy)
    return typed(np.array(number), t)


def _full(function: str, ordered: list[ElementType]) -> Iterator[Probe]:
    for t in ordered:
        for number in _numbers(t):
            expected = exactly(np.full((2, 3), _element(number, t)))
            yield Value(function, f"{number!r} as {t.name}", ((2, 3), number), expected, {"dtype": t}, "scalars")
        if t.kind in "US":
            for beyond in (t.range[0] - 1, t.range[1] + 1):
                given = ((2,), beyond)
                yield Refusal(function, f"{beyond} as {t.name}", given, Status.OUT_OF_RANGE, {"dtype": t}, "scalars")


def _pad(function: str, ordered: list[ElementType]) -> Iterator[Probe]:
    for t in ordered:
        x = np.zeros((1, 2), t.numpy)
        for number in _numbers(t):
            values = np.full((3, 4), _element(number, t))
            values[1:2, 1:3] = x
            options = {"mode": "constant", "value": number}
            yield Value(function, f"{number!r} around {t.name}", (x, 1), exactly(values), options, "scalars")


def _arange(function: str, ordered: list[ElementType]) -> Iterator[Probe]:
    """Test `arange` with integers, floating numbers and a bool as bounds and steps."""
    for t in ordered:
        if t.kind == "B":
            continue
        steps: list[tuple[Any, ...]] = [(1, 5, 1), (1.0, 5.0, 1.0), (0, 5, 2.0), (True, 4, 1)]
        steps += [] if t.kind in "US" else [(0.5, 3, 0.5), (0, 2, 0.25)]
        steps += [(5, -1, -2), (-3, 4, 3)] if t.kind != "U" else []
        if t.kind in "US":
            low, high = t.range
            steps += [(high - 3, high, 1), (low, low + 3, 2)]
        for start, stop, step in steps:
            count = max(0, -((start - stop) // step)) if isinstance(start, int) else int(np.ceil((stop - start) / step))
            values = [start + i * step for i in range(int(count))]
            elements = np.array([_element(v, t) for v in values]).astype(t.numpy)
            label = f"{start!r} to {stop!r} by {step!r} as {t.name}"
            yield Value(function, label, (start, stop, step), exactly(elements), {"dtype": t}, "scalars")


def _linspace(function: str, ordered: list[ElementType]) -> Iterator[Probe]:
    for t in ordered:
        if t.kind not in "FC":
            continue
        for start, stop in (
            (0, 4),
            (0.0, 4.0),
            (4, 0),
            (-1.5, 0.5),
            (True, 3),
            *(((0, 4 + 8j), (1j, 1 + 5j)) if t.kind == "C" else ()),
        ):
            values = [start + (stop - start) * i / 4 for i in range(5)]
            elements = typed(np.array(values), t)
            yield Value(
                function,
                f"{start!r} to {stop!r} as {t.name}",
                (start, stop, 5),
                exactly(elements),
                {"dtype": t},
                "scalars",
            )


def _constant(function: str, ordered: list[ElementType]) -> Iterator[Probe]:
    """Test `uniform` and `normal` with arguments of each kind that allow only one value for all elements."""
    for t in ordered:
        if function == "normal" and t.kind not in "FC":
            continue
        for number in _NUMBERS[t.kind]:
            given: tuple[Any, ...] = ((3,), number, number if function == "uniform" else 0, 7)
            if function == "uniform" and t.kind in "FC":
                continue  # a library may include or exclude the upper bound
            yield Value(
                function,
                f"{number!r} as {t.name}",
                given,
                exactly(np.full((3,), _element(number, t))),
                {"dtype": t},
                "scalars",
            )
    yield Scenario(function, "whole and floating bounds are the same", _alike(function), "scalars")


def _alike(function: str) -> Any:
    def play(provider: Provider) -> str | None:
        draw = needed(provider, function)
        whole, floating = (provider.to_numpy(draw((50,), low, high, 7)) for low, high in ((1, 4), (1.0, 4.0)))
        return None if np.array_equal(whole, floating) else "other numbers for 1.0 and 4.0 than for 1 and 4"

    return play


_VALUES: dict[str, Any] = {
    "full": _full,
    "pad": _pad,
    "arange": _arange,
    "linspace": _linspace,
    "uniform": _constant,
    "normal": _constant,
}
