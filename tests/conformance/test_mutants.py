"""The kit finds the faults of faulty libraries, and none where there is none."""

from __future__ import annotations

from typing import Any

import pytest
from mutants import Function, Mutant, mutants

from suanzi.conformance import State, asked, check

pytestmark = pytest.mark.one_level

MUTANTS = {name: (operator, mutant) for name, operator, mutant in mutants()}


def first_fault(operator: str, provider: Mutant) -> str | None:
    return next((found.fault for _, p in asked(operator, provider) if (found := p.judge(provider)).fault), None)


def test_there_are_enough() -> None:
    assert len(MUTANTS) >= 120


@pytest.mark.parametrize("name", MUTANTS)
def test_a_fault_is_found(name: str) -> None:
    assert first_fault(*MUTANTS[name]) is not None


def unchanged(function: Function) -> Function:
    def call(*operands: Any, **options: Any) -> Any:
        return function(*operands, **options)

    return call


@pytest.mark.parametrize("operator", ["tensor", "full", "multinomial", "reduce"])
def test_a_mutant_without_a_fault_passes(operator: str) -> None:
    assert check(operator, Mutant(operator, unchanged)).state is State.PASS
