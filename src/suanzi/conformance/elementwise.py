"""The probes of the elementwise operators: the oracle's table times the registry's declarations."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

from suanzi.conformance.compare import to_reference
from suanzi.conformance.element_types import ELEMENT_TYPES, Array, ElementType
from suanzi.conformance.inputs import accepted, arrangements, random_values, value_operands
from suanzi.conformance.oracle import Options, Rule, reference, result_type, rules
from suanzi.conformance.probe import Expected, Probe, Refusal, Value
from suanzi.operators.accuracy import ACCURACY
from suanzi.operators.registry import lookup
from suanzi.tensor.status import Status

# Complex arithmetic rounds its products and sums one by one: ulp of the modulus.
COMPLEX_BOUND = 4.0


def probes(operator: str, available: frozenset[str]) -> Iterator[Probe]:
    """Every probe of an elementwise operator on the element types that a provider has."""
    for rule in rules(operator):
        kinds = "".join(k for k in lookup(operator).accepts if k in rule.accepts)
        types = accepted(kinds, available)
        for t in types:
            yield from _values(operator, rule, t)
        yield from _refusals(operator, rule, types, available)
        if rule.arity > 1 and not rule.conditional:
            yield from _promotions(operator, rule, types)
            yield from _scalars(operator, rule, types)


def _names(rule: Rule, name: str) -> tuple[str, ...]:
    return ("bool", *(name,) * (rule.arity - 1)) if rule.conditional else (name,) * rule.arity


def _values(operator: str, rule: Rule, t: ElementType) -> Iterator[Probe]:
    names = _names(rule, t.name)
    for options in rule.options:
        suffix = "".join(f", {key}={value!r}" for key, value in options.items())
        yield _value(
            operator,
            rule,
            t,
            f"{t.name}{suffix}",
            _in_domain(operator, value_operands(names)),
            options,
        )
    for label, operands in arrangements(names):
        operands = _in_domain(operator, operands)
        yield _value(operator, rule, t, f"{t.name} {label}", operands, rule.options[0])


def _in_domain(operator: str, operands: tuple[Array, ...]) -> tuple[Array, ...]:
    """Shifts by a negative number of bits are not defined, so none is asked for."""
    if not operator.endswith("_shift"):
        return operands
    return operands[0], np.asarray(operands[1] % 70, operands[1].dtype)


def _value(
    operator: str,
    rule: Rule,
    t: ElementType,
    label: str,
    operands: tuple[Array, ...],
    options: Options,
) -> Value:
    name = result_type(rule, _names(rule, t.name))
    assert name is not None
    result = reference(rule, operands, options)
    magnitude = None
    if rule.magnitude is not None and t.kind in "FC":
        with np.errstate(all="ignore"):
            magnitude = np.fmax(rule.magnitude(*map(to_reference, operands)), np.abs(result))
    bound = _bound(operator, rule, t, name)
    expected = Expected(name, result, result.shape, bound, magnitude, rule.signed_zero)
    return Value(operator, label, operands, expected, options)


def _bound(operator: str, rule: Rule, operand: ElementType, result: str) -> float:
    if operator in ACCURACY and ELEMENT_TYPES[result].precision >= 24:  # float32 and up
        return ACCURACY[operator].of(result)
    return COMPLEX_BOUND if operand.kind == "C" else rule.bound


def _refusals(operator: str, rule: Rule, types: list[ElementType], available: frozenset[str]) -> Iterator[Probe]:
    some = types[0].name
    options = rule.options[0]
    for t in ELEMENT_TYPES.values():
        if t not in types and t.name in available:
            operands = tuple(random_values(n, 0)[:2] for n in _names(rule, t.name))
            yield Refusal(operator, f"{t.name} refused", operands, Status.TYPE_MISMATCH, options)
    if rule.arity > 1:
        shapes = [(2, 3), (4,), (2, 3)]
        operands = tuple(np.resize(random_values(n, 0), s) for n, s in zip(_names(rule, some), shapes, strict=False))
        yield Refusal(operator, "shapes (2, 3) and (4,)", operands, Status.DIMENSIONS_MISMATCH, options)


def _scalars(operator: str, rule: Rule, types: list[ElementType]) -> Iterator[Probe]:
    """A Python number for a tensor (5.7) leaves the tensor's type as it is within its kind."""
    for t in types:
        number: Any = {"B": True, "F": 2.5, "C": 1 + 2j}.get(t.kind, 3)
        x = random_values(t.name, 0)
        full = np.full_like(x, number)
        whole = _value(operator, rule, t, "", (x, *(full,) * (rule.arity - 1)), rule.options[0])
        operands = (x, *(number,) * (rule.arity - 1))
        label = f"{t.name} with {number}"
        yield Value(operator, label, operands, whole.expected, rule.options[0])


def _promotions(operator: str, rule: Rule, types: list[ElementType]) -> Iterator[Probe]:
    for a, b in product(types, types):
        names = (a.name, *(b.name,) * (rule.arity - 1))
        operands = tuple(np.ones((), ELEMENT_TYPES[n].numpy) for n in names)
        label = " with ".join(names[:2])
        name = result_type(rule, names)
        if name is None:
            yield Refusal(operator, label, operands, Status.TYPE_MISMATCH, rule.options[0])
        elif a is not b:
            yield Value(operator, label, operands, Expected(name, None, ()), rule.options[0])
