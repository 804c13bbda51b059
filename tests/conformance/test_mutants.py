"""The kit finds the faults of faulty libraries, and reports no fault in Suanzi itself."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
from mutants import Function, Mutant, described, faults, operator_of, quick, witness
from mutants.cheats import CHEATS
from mutants.history import mutants
from mutants.search import found

from suanzi.conformance import Profile, Session, State, asked, check
from suanzi.conformance.standard import standard

pytestmark = pytest.mark.one_level

HERE = Path(__file__).parent
MUTANTS = {name: (operator, mutant) for name, operator, mutant in mutants()}
QUICK = {name: (operator, mutant) for name, operator, mutant in quick.mutants()}
# Faults that were drawn once by a seed, as "kind: function: name" in the order of the operators.
DRAWN = (HERE / "mutants" / "drawn.txt").read_text(encoding="utf-8").splitlines()
# Faults that the kit does not find yet. Remove a line when the kit finds its fault (`mutants --drawn` reports these
# lines).
SURVIVORS = (HERE / "mutants" / "survivors.txt").read_text(encoding="utf-8").splitlines()


def first_fault(operator: str, provider: Mutant, profile: Profile = Profile.FULL) -> str | None:
    return next((told.fault for _, p in asked(operator, provider, profile) if (told := p.judge(provider)).fault), None)


def test_there_are_enough() -> None:
    assert len(MUTANTS) >= 120
    assert len(DRAWN) >= 300
    kinds = Counter(line.partition(":")[0] for line in DRAWN)
    assert len(kinds) >= 25
    assert min(kinds.values()) >= 8
    assert len({line.split(": ")[1] for line in DRAWN}) >= 120
    assert {*SURVIVORS} < {*DRAWN}
    assert len(SURVIVORS) <= 0.05 * len(DRAWN)


@pytest.mark.parametrize("name", MUTANTS)
def test_a_fault_that_once_was_is_found(name: str) -> None:
    assert first_fault(*MUTANTS[name]) is not None


@pytest.mark.parametrize("name", QUICK)
def test_the_quick_profile_finds_a_fault(name: str) -> None:
    operator, mutant = QUICK[name]
    assert first_fault(operator, mutant, Profile.QUICK) is not None


@lru_cache(1)
def named(function: str) -> dict[str, Any]:
    return {str(fault): fault for fault in faults(function)}


@pytest.mark.parametrize("line", [line for line in DRAWN[::2] if line not in SURVIVORS])
def test_a_drawn_fault_is_found(line: str) -> None:
    """A drawn fault changes the result of a call. The quick or the full profile of the kit finds the fault.

    The test checks every other fault to save time. `python tests/conformance/mutants --drawn` checks all faults.
    """
    fault = named(line.split(": ")[1])[line]
    assert witness(fault) is not None
    assert found(fault, Profile.QUICK) or found(fault, Profile.FULL)


def test_functions_are_those_of_the_catalogue() -> None:
    assert {d.operator for d in described().values()} == {*standard().operators}
    assert operator_of(faults("hypot")[0]) == "sqrt"


@pytest.mark.parametrize(
    ("cheat", "operator"),
    [
        *(("FewTypes", "add"), ("OneTypeLess", "add"), ("NoStrings", "reshape"), ("FewOperators", "lu")),
        *(("Forger", "add"), ("Comparer", "add"), ("Blocker", "add"), ("Talker", "sin")),
    ],
)
def test_a_cheat_does_not_pass(cheat: str, operator: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(HERE))
    with Session(f"mutants.cheats:{cheat}", Profile.QUICK) as session:
        assert session.check(operator).state is not State.PASS


def test_every_cheat_is_tried() -> None:
    assert {cheat.__name__ for cheat in CHEATS} == {
        *("FewTypes", "OneTypeLess", "NoStrings", "FewOperators", "Forger", "Comparer", "Blocker", "Talker"),
    }


def unchanged(function: Function) -> Function:
    def call(*operands: Any, **options: Any) -> Any:
        return function(*operands, **options)

    return call


@pytest.mark.parametrize("operator", ["tensor", "full", "multinomial", "reduce"])
def test_a_mutant_without_a_fault_passes(operator: str) -> None:
    assert check(operator, Mutant(operator, unchanged)).state is State.PASS
