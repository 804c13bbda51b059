"""Helpers of the elementwise tests: operands, expected results that are computed once, and calls of functions."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

import numpy as np
import pytest

import suanzi
from oracle import values
from oracle.precise import RULES
from suanzi import Tensor
from suanzi.conformance.inputs import moderate, random
from suanzi.conformance.oracle.compare import Expected
from suanzi.conformance.oracle.element_types import ELEMENT_TYPES, Array, ElementType
from suanzi.conformance.oracle.rules import Rule, reference


def call(rule: Rule, *operands: Any, **options: Any) -> Tensor:
    """Call the public function that a rule of the oracle describes."""
    result: Tensor = getattr(suanzi, rule.operator)(*operands, **rule.constant, **options)
    return result


@lru_cache(maxsize=16)
def flat_case(rule: str, name: str) -> tuple[list[Array], Expected]:
    """Return vectors of the type `name` as operands of a rule, and the expected result."""
    operands = values.operands(RULES[rule], ELEMENT_TYPES[name])
    return operands, reference(RULES[rule], operands)


def taken(rule: Rule, f: ElementType, index: Array) -> tuple[list[Array], Expected]:
    """Return the operands and the expected result of `flat_case`, indexed with an array of any shape."""
    operands, expected = flat_case(rule.name, f.name)
    return [x[index] for x in operands], expected.at(index)


def arity_at_least(arity: int) -> list[Rule]:
    return [r for r in RULES.values() if r.arity >= arity]


def typed_cases(rules: Iterable[Rule]) -> list[Any]:
    """Return one test parameter for each rule and each element type that the rule accepts."""
    return [pytest.param(rule, f, id=f"{rule.name}-{f.name}") for rule in rules for f in rule.accepted()]


def few(f: ElementType, count: int, salt: str) -> Array:
    """Return random numbers of a type. Floating-point numbers are moderate, and integers are from 1 to 9."""
    rng = values.generator(f.name, salt)
    if f.kind in "US":
        return rng.integers(1, 10, count).astype(f.numpy)
    if f.kind == "F":
        return moderate(f, count, rng)
    return random(f, count, rng)


def accepted_operands(rule: Rule, f: ElementType, count: int) -> list[Array]:
    """Return operands of `count` moderate numbers each, in types that suit the rule and the element type."""
    operands = [few(t, count, f"{rule.name} {i}") for i, t in enumerate(rule.operand_types(f))]
    if rule.name == "pow" and f.kind == "B":  # some powers of 0 are undefined
        operands[0][:] = True
    return operands


def unchanged(before: list[bytes], tensors: list[Tensor]) -> bool:
    """Return True if the bytes of each tensor equal its bytes in `before`."""
    return before == [np.asarray(x.numpy()).tobytes() for x in tensors]
