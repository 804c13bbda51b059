"""Suanzi conforms to the standard. The kit tests each of the 134 operators and finds no fault."""

from __future__ import annotations

import pytest

from suanzi.conformance import Profile, State, check
from suanzi.operators.catalogue import CATALOGUE

pytestmark = pytest.mark.one_level


def test_there_are_134() -> None:
    assert len(CATALOGUE) == 134


@pytest.mark.parametrize("operator", CATALOGUE)
def test_the_library_conforms(operator: str) -> None:
    verdict = check(operator, profile=Profile.QUICK)
    assert (verdict.state, verdict.faults) == (State.PASS, [])
    assert verdict.checks > 0
