"""The models of the elementwise operators: one for each rule of the oracle's table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..compare import Expected
from ..element_types import Array
from ..rules import RULES, Options, Rule, reference
from .model import Elements, Model, Shape


def _clearly_close_or_not(a: Array, b: Array, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Array:
    """The second operand, the same as the first one where their distance is near the tolerance."""
    with np.errstate(all="ignore"):
        x, y = (v.astype(np.complex128 if v.dtype.kind == "c" else np.float64) for v in np.broadcast_arrays(a, b))
        distance, tolerance = np.abs(x - y), atol + rtol * np.abs(y)
        near = np.abs(distance - tolerance) <= 0.01 * (distance + tolerance)
    return b if a.shape != b.shape else np.where(near, a, b).astype(b.dtype)


_QUOTIENTS = ("divide", "floor_divide", "remainder", "fmod")


def defined(rule: Rule, operands: list[Array], options: Options) -> list[Array]:
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


def _operands(rule: Rule) -> Callable[[Elements, Shape], tuple[Any, ...]]:
    def operands(elements: Elements, shape: Shape) -> tuple[Any, ...]:
        tensors = [elements.any(shape, place) for place in range(rule.arity - rule.conditional)]
        if rule.conditional:
            tensors.insert(0, elements.truth(shape))
        return tuple(defined(rule, tensors, rule.constant))

    return operands


def _result(rule: Rule) -> Callable[..., Expected]:
    def result(*operands: Any, **options: Any) -> Expected:
        further = {key: value for key, value in options.items() if key not in rule.constant}
        return reference(rule, [np.asarray(x) for x in operands], further)

    return result


# What complex numbers with infinite and undefined parts give follows from their parts alone in these.
_BY_PARTS = {
    "add",
    "subtract",
    "negative",
    "positive",
    "conj",
    "real",
    "imag",
    "complex",
    "where",
    "equal",
    "not_equal",
}
_BY_PARTS |= {"isfinite", "isinf", "isnan", "logical_and", "logical_or", "logical_xor", "logical_not"}


def _model(rule: Rule) -> Model:
    return Model(
        rule.operator,
        _result(rule),
        types=rule.accepts,
        operands=_operands(rule),
        constant=rule.constant,
        special="BIFC" if rule.name in _BY_PARTS else "BIF",
        elementwise=True,
        in_place=tuple(range(rule.arity)),
        scalars=rule.arity > 1,
    )


MODELS = tuple(_model(rule) for rule in RULES.values())
