"""Probes of the elementwise operators by the oracle's rules, on values in every memory arrangement."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from ..inputs import ASPECT_OF, accepted, arrangements, edge_operands, mixed_operands, random_values, value_operands
from ..oracle.element_types import ELEMENT_TYPES, EXTENDED, Array, ElementType, convert, exact, typed
from ..oracle.models.elementwise import defined
from ..oracle.rules import Options, Rule, common_type, reference, rules
from ..probe import Probe, Refusal, Value
from ..status import Status


def probes(operator: str, available: frozenset[str]) -> Iterator[Probe]:
    """Return every probe of an elementwise operator for a provider's element types."""
    for rule in rules(operator):
        types = accepted(rule.accepts, available)
        for t in types:
            yield from _values(rule, t)
            if t.kind == "C" and not rule.conditional and rule.operator != "pow":
                yield _edges(rule, t)
        yield from _refusals(rule, types, available)
        if rule.arity > 1 and not rule.conditional:
            yield from _promotions(rule, types)
            yield from _scalars(rule, types)


def _values(rule: Rule, t: ElementType) -> Iterator[Probe]:
    types = rule.operand_types(t)
    for options in rule.options:
        suffix = "".join(f", {key}={value!r}" for key, value in {**rule.constant, **options}.items())
        yield _value(rule, f"{t.name}{suffix}", value_operands(types), options=options)
    for label, operands in arrangements(types):
        yield _value(rule, f"{t.name} {label}", operands, ASPECT_OF[label])


def _value(
    rule: Rule, label: str, operands: list[Array], aspect: str = "values", options: Options | None = None
) -> Value:
    operands = defined(rule, operands, {**rule.constant, **(options or {})})
    expected = reference(rule, operands, options)
    return Value(rule.operator, label, tuple(operands), expected, {**rule.constant, **(options or {})}, aspect)


def _edges(rule: Rule, t: ElementType) -> Value:
    """Test complex numbers on both sides of branch cuts, and numbers whose squares are outside the type's range.

    The results are in the type's range. The test omits powers, because the error of a power grows with the numbers.
    """
    operands = defined(rule, edge_operands(t, rule.arity), rule.constant)
    with np.errstate(all="ignore"):
        result = reference(rule, operands)
        sizes = np.abs(result.values)
        inside = (sizes >= np.ldexp(EXTENDED(1), t.least)) & (sizes < np.ldexp(EXTENDED(1), t.greatest))
    kept = inside | (sizes == 0) | (result.element_type.kind == "B")
    operands = [x[kept] for x in operands]
    label = f"{t.name}, zeros of either sign, large and small parts"
    return Value(rule.operator, label, tuple(operands), result.at(kept), dict(rule.constant), "boundary values")


def _refusals(rule: Rule, types: list[ElementType], available: frozenset[str]) -> Iterator[Probe]:
    def refusal(label: str, t: ElementType, shapes: tuple[tuple[int, ...], ...], status: Status) -> Refusal:
        operands = (random_values(u, 0) for u in rule.operand_types(t))
        shaped = tuple(np.resize(x, shape) for x, shape in zip(operands, shapes, strict=False))
        return Refusal(rule.operator, label, shaped, status, dict(rule.constant))

    for t in ELEMENT_TYPES.values():
        if t not in types and t.name in available:
            yield refusal(f"{t.name} refused", t, ((2,),) * 3, Status.TYPE_MISMATCH)
    if rule.arity > 1:
        usual = next((t for t in types if t.name == "float32"), types[0])
        yield refusal("shapes (2, 3) and (4,)", usual, ((2, 3), (4,), (2, 3)), Status.DIMENSIONS_MISMATCH)


def _scalars(rule: Rule, types: list[ElementType]) -> Iterator[Probe]:
    """Test calls with a Python number in place of a tensor (chapter 5.7 of the standard). The result has the tensor's
    type.
    """
    for t in types:
        number: Any = {"B": True, "F": 2.5, "C": 1 + 2j}.get(t.kind, 3)
        x = random_values(t, 0)
        numbers = [number] * (rule.arity - 1)
        expected = reference(rule, [x, *(np.full_like(x, n) for n in numbers)])
        yield Value(rule.operator, f"{t.name} with {number}", (x, *numbers), expected, dict(rule.constant), "scalars")


def _promotions(rule: Rule, types: list[ElementType]) -> Iterator[Probe]:
    for a, b in product(types, types):
        pair = [a, *[b] * (rule.arity - 1)]
        label, options = f"{a.name} with {b.name}", dict(rule.constant)
        common = common_type(rule, [t.name for t in pair])
        if common is None:
            operands = tuple(np.ones((), t.numpy) for t in pair)
            yield Refusal(rule.operator, label, operands, Status.TYPE_MISMATCH, options, "promotion", telling=True)
        elif a is not b:
            mixed = _judged_in(common, rule, mixed_operands(pair, common))
            yield Value(rule.operator, label, tuple(mixed), partial(reference, rule, mixed), options, "promotion")


def _judged_in(common: ElementType, rule: Rule, operands: list[Array]) -> list[Array]:
    """Return the elements of the operands for which the rule defines a result in the common type."""
    converted = [typed(convert(exact(x), common), common) for x in operands]
    kept = [x == y for x, y in zip(converted, defined(rule, converted, rule.constant), strict=True)]
    return [x[np.logical_and.reduce(kept)] for x in operands]
