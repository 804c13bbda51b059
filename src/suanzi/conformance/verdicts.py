"""Verdicts on clauses, operators and libraries, derived from the findings of probes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from .probe import Finding
from .standard import Basis, standard


class State(StrEnum):
    """The state of a verdict on a clause, or of the verdict on an operator that follows from the operator's clauses."""

    PASS = "pass"
    FAIL = "fail"
    NOT_PROVIDED = "not provided"  # the library lacks the operator, or required element types
    BLOCKED = "blocked"  # no verdict: the probes need something that is missing


class Outcome(StrEnum):
    """The outcome for a library as a whole, for the clauses that rest on one basis (the text or a reading)."""

    HOLDS = "holds"
    FAILS = "fails"
    INCOMPLETE = "incomplete"  # nothing failed, but not everything was judged


# A library can conform to the standard's text, but only agree with a reading.
SAID: Mapping[Basis, Mapping[Outcome, str]] = {
    Basis.TEXT: {
        Outcome.HOLDS: "conforms to the text at hand",
        Outcome.FAILS: "does not conform to the text at hand",
        Outcome.INCOMPLETE: "incomplete on the text at hand",
    },
    Basis.READING: {
        Outcome.HOLDS: "agrees with our reading",
        Outcome.FAILS: "differs from our reading",
        Outcome.INCOMPLETE: "incomplete on our reading",
    },
}


class Note(NamedTuple):
    """A finding of a probe about a function that belongs to the operator."""

    function: str
    text: str
    snippet: str | None = None  # calls that reproduce a fault
    of_state: bool = False  # a fault that depends on earlier calls

    def __str__(self) -> str:
        return f"{self.function}: {self.text}"


@dataclass(slots=True)
class Clause:
    """The checks of an aspect of an operator: the number of checks, and the findings."""

    aspect: str
    checks: int = 0
    found: list[Note] = field(default_factory=list)  # the faults
    obstacles: list[Note] = field(default_factory=list)  # reasons why checks could not be judged
    missing: list[Note] = field(default_factory=list)  # element types that the library lacks
    error: float | None = None  # the largest error in ulp

    def add(self, function: str, found: Finding) -> None:
        """Add the finding of one more probe."""
        self.checks += 1
        if found.error is not None:
            self.error = max(self.error or 0.0, found.error)
        if found.blocked is not None:
            self.obstacles.append(Note(function, found.blocked))
        elif found.missing is not None:
            self.missing.append(Note(function, found.missing))
        elif found.fault is not None:
            self.found.append(Note(function, found.fault, found.snippet, found.of_state))

    @property
    def faults(self) -> list[str]:
        return [str(note) for note in self.found]

    @property
    def blocked(self) -> list[str]:
        return [str(note) for note in self.obstacles]

    @property
    def snippet(self) -> str | None:
        """Return the calls that reproduce a fault, from the first fault that has calls."""
        return next((note.snippet for note in self.found if note.snippet), None)

    @property
    def state(self) -> State:
        """Return the verdict on the clause. The verdict is blocked only if no check could be judged."""
        if self.found:
            return State.FAIL
        if self.missing:
            return State.NOT_PROVIDED
        return State.BLOCKED if self.checks == len(self.obstacles) else State.PASS


@dataclass(slots=True)
class Verdict:
    """The verdict on one operator of the standard. The verdict covers the functions that belong to the operator."""

    operator: str
    provided: bool = True
    clauses: dict[str, Clause] = field(default_factory=dict)

    def add(self, aspect: str, function: str, found: Finding) -> None:
        """Add the finding of a probe of an aspect. The fault of the probe may concern another aspect.

        The verdict ignores a blocked probe of an aspect that no clause states, such as sparse operands.
        """
        if found.blocked is not None and aspect not in standard().operators[self.operator].aspects:
            return
        if found.aspect is not None and found.aspect != aspect:
            self._clause(aspect).add(function, Finding(None, error=found.error))
        self._clause(found.aspect or aspect).add(function, found)

    def _clause(self, aspect: str) -> Clause:
        return self.clauses.setdefault(aspect, Clause(aspect))

    @property
    def state(self) -> State:
        """Return the worst state of the clauses. An operator without tests is blocked."""
        return self._worst(self.clauses.values())

    def on(self, basis: Basis) -> State | None:
        """Return the worst state of the clauses that rest on a basis, or None if no clause rests on the basis.

        A missing operator has no clauses. The operator then counts for the text if the text of the operator's clause is
        available, and otherwise for the reading.
        """
        stated = standard().operators[self.operator]
        if not self.provided:
            return State.NOT_PROVIDED if (basis is Basis.TEXT) == bool(stated.clause) else None
        clauses = [clause for clause in self.clauses.values() if self.basis(clause) is basis]
        return self._worst(clauses) if clauses else None

    def basis(self, clause: Clause) -> Basis:
        """Return the basis of a clause's verdict."""
        return standard().basis(self.operator, clause.aspect)

    def _worst(self, clauses: Iterable[Clause]) -> State:
        if not self.provided:
            return State.NOT_PROVIDED
        states = {clause.state for clause in clauses} or {State.BLOCKED}
        return next(s for s in (State.FAIL, State.NOT_PROVIDED, State.BLOCKED, State.PASS) if s in states)

    @property
    def not_asked(self) -> tuple[str, ...]:
        """Return the aspects that the clauses state for the operator and that no probe tested."""
        stated = standard().operators[self.operator].aspects if self.provided else ()
        return tuple(aspect for aspect in stated if aspect not in self.clauses)

    @property
    def checks(self) -> int:
        return sum(clause.checks for clause in self.clauses.values())

    @property
    def faults(self) -> list[str]:
        return [fault for clause in self.clauses.values() for fault in clause.faults]


def counts(verdicts: Iterable[Verdict]) -> dict[State, int]:
    """Return the number of operators of each state."""
    found = Counter(verdict.state for verdict in verdicts)
    return {state: found[state] for state in State}


def clause_counts(verdicts: Iterable[Verdict], basis: Basis | None = None) -> dict[State, int]:
    """Return the number of clauses of each state, among the clauses that rest on a basis, or among all clauses."""
    found = Counter(c.state for v in verdicts for c in v.clauses.values() if basis in (None, v.basis(c)))
    return {state: found[state] for state in State}


def outcome(verdicts: Iterable[Verdict], basis: Basis, *, complete: bool) -> Outcome:
    """Return the outcome for the clauses that rest on a basis (the text or a reading). `complete` is True if all
    operators of the standard and all element types of the provider were tested.
    """
    states = {state for verdict in verdicts if (state := verdict.on(basis)) is not None}
    if states & {State.FAIL, State.NOT_PROVIDED}:
        return Outcome.FAILS
    return Outcome.HOLDS if complete and states == {State.PASS} else Outcome.INCOMPLETE
