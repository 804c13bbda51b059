"""The probes of the elementwise operators: the oracle's table of rules, on values in every arrangement."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

from ..inputs import ASPECT_OF, accepted, arrangements, random_values, value_operands
from ..oracle.compare import anything
from ..oracle.element_types import ELEMENT_TYPES, Array, ElementType
from ..oracle.rules import Options, Rule, common_type, reference, result_type, rules
from ..probe import Probe, Refusal, Value
from ..status import Status


def probes(operator: str, available: frozenset[str]) -> Iterator[Probe]:
    """Every probe of an elementwise operator on the element types that a provider has."""
    for rule in rules(operator):
        types = accepted(rule.accepts, available)
        for t in types:
            yield from _values(rule, t)
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
    operands = _defined(rule, operands, {**rule.constant, **(options or {})})
    expected = reference(rule, operands, options)
    return Value(rule.operator, label, tuple(operands), expected, {**rule.constant, **(options or {})}, aspect)


def _clearly_close_or_not(a: Array, b: Array, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Array:
    """The second operand, the same as the first one where their distance is near the tolerance."""
    with np.errstate(all="ignore"):
        x, y = (v.astype(np.complex128 if v.dtype.kind == "c" else np.float64) for v in np.broadcast_arrays(a, b))
        distance, tolerance = np.abs(x - y), atol + rtol * np.abs(y)
        near = np.abs(distance - tolerance) <= 0.01 * (distance + tolerance)
    return b if a.shape != b.shape else np.where(near, a, b).astype(b.dtype)


_QUOTIENTS = ("divide", "floor_divide", "remainder", "fmod")


def _defined(rule: Rule, operands: list[Array], options: Options) -> list[Array]:
    """The operands without what nothing is said of.

    That is shifts by a negative number of bits, complex powers of 0, integer quotients by 0, and distances so near to
    the tolerance that rounding on the way decides.
    """
    if rule.operator == "isclose":
        return [operands[0], _clearly_close_or_not(operands[0], operands[1], **options)]
    if rule.operator in _QUOTIENTS and operands[1].dtype.kind in "iu":
        return [operands[0], np.asarray(np.where(operands[1] == 0, 1, operands[1]), operands[1].dtype)]
    if rule.operator.endswith("_shift"):
        return [operands[0], np.asarray(operands[1] % 70, operands[1].dtype)]
    if rule.operator == "pow" and operands[0].dtype.kind == "c":
        return [np.where(operands[0] == 0, np.ones_like(operands[0]), operands[0]), operands[1]]
    return operands


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
    """A Python number for a tensor (5.7) leaves the tensor's type as it is within its kind."""
    for t in types:
        number: Any = {"B": True, "F": 2.5, "C": 1 + 2j}.get(t.kind, 3)
        x = random_values(t, 0)
        numbers = [number] * (rule.arity - 1)
        expected = reference(rule, [x, *(np.full_like(x, n) for n in numbers)])
        yield Value(rule.operator, f"{t.name} with {number}", (x, *numbers), expected, dict(rule.constant), "scalars")


def _promotions(rule: Rule, types: list[ElementType]) -> Iterator[Probe]:
    for a, b in product(types, types):
        pair = [a, *[b] * (rule.arity - 1)]
        operands = tuple(np.ones((), t.numpy) for t in pair)
        label, options = f"{a.name} with {b.name}", dict(rule.constant)
        common = common_type(rule, [t.name for t in pair])
        if common is None:
            yield Refusal(rule.operator, label, operands, Status.TYPE_MISMATCH, options, "promotion")
        elif a is not b:
            yield Value(rule.operator, label, operands, anything(result_type(rule, common), ()), options, "promotion")
