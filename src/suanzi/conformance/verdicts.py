"""What is said of a clause, of an operator, of a library, and how that follows from what the probes found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any

from .probe import Finding


class State(StrEnum):
    """The verdict on a clause, and on an operator by those on its clauses."""

    PASS = "pass"
    FAIL = "fail"
    NOT_PROVIDED = "not provided"  # the library has no such operator
    BLOCKED = "blocked"  # it cannot be told: something that the probes need is missing


class Outcome(StrEnum):
    """What is said of the library as a whole."""

    CONFORMS = "conforms"
    FAILS = "does not conform"
    INCOMPLETE = "incomplete"  # nothing failed, but not all was judged


@dataclass(slots=True)
class Clause:
    """An aspect of an operator: what was asked, and what came of it."""

    aspect: str
    checks: int = 0
    faults: list[str] = field(default_factory=list)
    blocked: list[str] = field(default_factory=list)  # why checks could not be judged
    snippet: str | None = None  # that reproduces the first fault
    error: float | None = None  # the largest error in ulp

    def add(self, function: str, found: Finding) -> None:
        """Take account of one more probe."""
        self.checks += 1
        if found.error is not None:
            self.error = max(self.error or 0.0, found.error)
        if found.blocked is not None:
            self.blocked.append(f"{function}: {found.blocked}")
        elif found.fault is not None:
            self.faults.append(f"{function}: {found.fault}")
            self.snippet = self.snippet or found.snippet

    @property
    def state(self) -> State:
        """Blocked where nothing could be judged; what others lack, such as a tensor to refuse, is a note."""
        if self.faults:
            return State.FAIL
        return State.BLOCKED if self.checks == len(self.blocked) else State.PASS


@dataclass(slots=True)
class Verdict:
    """On one operator of the catalogue, and the functions that belong to it."""

    operator: str
    provided: bool = True
    clauses: dict[str, Clause] = field(default_factory=dict)

    def add(self, aspect: str, function: str, found: Finding) -> None:
        """Take account of a probe of an aspect; its fault may be about another one."""
        if found.aspect is not None and found.aspect != aspect:
            self._clause(aspect).add(function, Finding(None, error=found.error))
        self._clause(found.aspect or aspect).add(function, found)

    def _clause(self, aspect: str) -> Clause:
        return self.clauses.setdefault(aspect, Clause(aspect))

    @property
    def state(self) -> State:
        """The worst of its clauses'; an operator of which nothing is asked is blocked."""
        if not self.provided:
            return State.NOT_PROVIDED
        states = {clause.state for clause in self.clauses.values()} or {State.BLOCKED}
        return next(state for state in (State.FAIL, State.BLOCKED, State.PASS) if state in states)

    @property
    def checks(self) -> int:
        return sum(clause.checks for clause in self.clauses.values())

    @property
    def faults(self) -> list[str]:
        return [fault for clause in self.clauses.values() for fault in clause.faults]

    def as_data(self) -> dict[str, Any]:
        """For reports."""
        clauses = [{**asdict(clause), "state": clause.state} for clause in self.clauses.values()]
        return {"operator": self.operator, "state": self.state, "checks": self.checks, "clauses": clauses}


def counts(verdicts: Iterable[Verdict]) -> dict[State, int]:
    """How many operators there are of each state."""
    found = Counter(verdict.state for verdict in verdicts)
    return {state: found[state] for state in State}


def outcome(verdicts: Iterable[Verdict], asked: int) -> Outcome:
    """Of a run that was to judge this many operators."""
    found = counts(verdicts)
    if found[State.FAIL] or found[State.NOT_PROVIDED]:
        return Outcome.FAILS
    return Outcome.CONFORMS if found[State.PASS] == asked else Outcome.INCOMPLETE
