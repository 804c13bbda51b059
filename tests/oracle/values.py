"""Operands of elementwise operations: combinations of special values, then random values of all magnitudes."""

from __future__ import annotations

import zlib
from itertools import product

import numpy as np

from suanzi.conformance.inputs import random, specials
from suanzi.conformance.oracle.element_types import Array, ElementType
from suanzi.conformance.oracle.rules import Rule

SHAPE = (4, 6, 10)
COUNT = 240


def generator(*names: str) -> np.random.Generator:
    """Return a random generator whose seed depends only on the names, so that each run draws the same numbers."""
    return np.random.default_rng(zlib.crc32(" ".join(names).encode()))


def operands(rule: Rule, f: ElementType) -> list[Array]:
    """Return the operands of a rule for the common type `f`. Each operand has COUNT elements."""
    rng = generator(rule.name, f.name)
    types = rule.operand_types(f)
    columns = [random(t, COUNT, rng) for t in types]
    if f.kind != "C":
        kept = {1: None, 2: 12, 3: 5}[rule.arity]
        rows = list(product(*(specials(t)[:kept] for t in types)))
        for column, values in zip(columns, zip(*rows, strict=True), strict=True):
            column[: len(rows)] = values
    if "shift" in rule.name:
        columns[1] = _shift_counts(f, rng)
    return columns


def _shift_counts(f: ElementType, rng: np.random.Generator) -> Array:
    counts = rng.integers(-2 if f.kind == "S" else 0, f.bits + 3, COUNT).astype(f.numpy)
    counts[:4] = np.array([*f.range, f.bits - 1, f.bits], dtype=object).astype(f.numpy)
    return counts
