"""Runs the quick profile of the conformance kit on a device for some of the operators.

``SUANZI_DEVICE_KIT`` is the number of a part, from 0 to 7. Without the variable the kit checks one
operator of each category.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from suanzi.conformance.runner import Profile
from suanzi.conformance.session import Session
from suanzi.conformance.standard import standard

pytestmark = pytest.mark.one_level

PARTS = 8


def _chosen() -> list[str]:
    operators = standard().operators
    if part := os.environ.get("SUANZI_DEVICE_KIT", ""):
        return list(operators)[int(part) % PARTS :: PARTS]
    first = {operator.category.key: name for name, operator in reversed(operators.items())}
    return [*first.values()]


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    pytest.importorskip("torch", reason="tensors on devices need PyTorch, which the test extra does not install")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SUANZI_GPU", "cpu")
        with Session("suanzi", Profile.QUICK, device="gpu:0") as session:
            yield session


@pytest.mark.parametrize("operator", _chosen())
def test_an_operator_conforms_on_the_device(operator: str, session: Session) -> None:
    verdict = session.check(operator)
    assert verdict.provided
    missing = [str(note) for clause in verdict.clauses.values() for note in clause.missing]
    assert not [*missing, *verdict.faults], "\n".join([*missing, *verdict.faults][:10])


def test_only_strings_are_elsewhere(session: Session) -> None:
    assert session.elsewhere == {"string": "cpu:0"}
