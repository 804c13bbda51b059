"""The contents of a report."""

from __future__ import annotations

import hashlib
import json
import platform
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from ..not_asked import Reason, not_asked
from ..oracle.element_types import too_wide
from ..standard import Basis, Category, standard
from ..verdicts import SAID, Clause, Outcome, State, Verdict, clause_counts, counts, outcome
from ..version import __version__
from .notes import grouped

FORMAT = "2.0"  # the version of the data's format
STATEMENT = (
    "This is not a certification: nobody has certified the kit, and the kit knows only a part of the standard's text."
)


@dataclass(frozen=True)
class Report:
    """A report on one library."""

    provider: str
    version: str
    device: str
    profile: str
    started: str  # the time in the form of ISO 8601
    seconds: float
    asked: tuple[str, ...]  # the operators that the user requested
    verdicts: tuple[Verdict, ...]
    element_types: frozenset[str]  # the provider's types
    claims: frozenset[str]  # the library's claims beyond the standard, which are tested
    # Element types whose tensors are on another device than the requested device, with the device on which the calls
    # were judged.
    elsewhere: Mapping[str, str] = field(default_factory=dict)

    @property
    def counts(self) -> dict[State, int]:
        """Return the number of operators of each state."""
        return counts(self.verdicts)

    def clause_counts(self, basis: Basis) -> dict[State, int]:
        """Return the number of clauses of each state, among the clauses that rest on a basis (the text or a
        reading).
        """
        return clause_counts(self.verdicts, basis)

    def outcome(self, basis: Basis) -> Outcome:
        """Return the outcome of the run for the clauses that rest on a basis (the text or a reading).

        The outcome is at best incomplete unless all operators and types were tested.
        """
        complete = len(self.verdicts) == len(standard().operators) and not self.unjudged_types
        return outcome(self.verdicts, basis, complete=complete)

    @property
    def passes(self) -> bool:
        """Return whether every operator that the user requested passes."""
        return self.counts[State.PASS] == len(self.asked)

    @property
    def missing_types(self) -> tuple[str, ...]:
        """Return the element types of chapter 6.2 of the standard that the provider lacks."""
        return tuple(name for name in standard().element_types if name not in self.element_types)

    @property
    def unjudged_types(self) -> tuple[str, ...]:
        """Return the provider's element types that were not tested, because this machine's long doubles are narrow."""
        return tuple(sorted(self.element_types & too_wide()))

    def not_asked(self, verdict: Verdict) -> dict[str, Reason]:
        """Return the stated aspects of an operator that no probe tested, with the reasons."""
        return dict(not_asked(verdict, self.element_types, self.claims, self.profile))

    def aspects_not_asked(self) -> dict[str, int]:
        """Return, for each aspect, the number of operators for which the aspect was not tested. An aspect that needs
        a claim is left out unless the library claims the aspect.
        """
        free = standard().free_aspects - self.claims
        return dict(Counter(a for v in self.verdicts for a in self.not_asked(v) if a not in free))

    def by_category(self) -> dict[Category, dict[State, int]]:
        """Return the number of operators of each state, for each category of operators (a row of Table 2 of the
        standard).
        """
        rows: dict[str, list[Verdict]] = {key: [] for key in standard().categories}
        for verdict in self.verdicts:
            rows[standard().operators[verdict.operator].category.key].append(verdict)
        return {
            category: counts(rows[category.key]) for category in standard().categories.values() if rows[category.key]
        }

    @cached_property
    def results_hash(self) -> str:
        """Return SHA-256 of the verdicts."""
        return hashlib.sha256(json.dumps([self._operator(v) for v in self.verdicts]).encode()).hexdigest()

    def as_data(self) -> dict[str, Any]:
        """Return the whole report in JSON's types."""
        return {
            "format": FORMAT,
            "standard": "T/AI 137.1-2025",
            "extent": standard().extent,
            "statement": STATEMENT,
            "provider": {
                "name": self.provider,
                "version": self.version,
                "device": self.device,
                "element_types": sorted(self.element_types),
                "element_types_missing": list(self.missing_types),
                "element_types_not_judged": list(self.unjudged_types),
                "element_types_elsewhere": dict(self.elsewhere),
                "claims": sorted(self.claims),
            },
            "profile": self.profile,
            "asked": len(self.asked),
            "of": len(standard().operators),
            "outcome": {basis.value: SAID[basis][self.outcome(basis)] for basis in Basis},
            "clauses": {basis.value: _by_state(self.clause_counts(basis)) for basis in Basis},
            "summary": _by_state(self.counts),
            "not_asked": self.aspects_not_asked(),
            "started": self.started,
            "seconds": self.seconds,
            "environment": environment(),
            "kit": {"version": __version__, "sha256": kit_hash(), "clauses_sha256": standard().digest},
            "results_sha256": self.results_hash,
            "operators": [self._operator(verdict) for verdict in self.verdicts],
        }

    def _operator(self, verdict: Verdict) -> dict[str, Any]:
        entry = standard().operators[verdict.operator]
        return {
            "number": entry.number,
            "operator": verdict.operator,
            "chinese": entry.chinese,
            "category": entry.category.key,
            "clause": entry.clause or None,
            "reading": None if entry.clause else entry.reading,
            "state": verdict.state,
            "checks": verdict.checks,
            "clauses": [_clause(verdict, clause) for clause in verdict.clauses.values()],
            "not_asked": {aspect: reason.english for aspect, reason in self.not_asked(verdict).items()},
        }


def _by_state(found: dict[State, int]) -> dict[str, int]:
    return {state.value: number for state, number in found.items()}


def _clause(verdict: Verdict, clause: Clause) -> dict[str, Any]:
    return {
        "aspect": clause.aspect,
        "clause": standard().aspects[clause.aspect].clause,
        "rests_on": verdict.basis(clause),
        "reading": standard().reading(verdict.operator, clause.aspect) or None,
        "state": clause.state,
        "checks": clause.checks,
        "error": clause.error,
        "notes": [group.english for group in grouped(clause)],
        "faults": [note._asdict() for note in clause.found],
        "missing": [str(note) for note in clause.missing],
        "blocked": clause.blocked,
    }


def environment() -> dict[str, str]:
    """Describe the machine on which the checks ran."""
    return {
        "machine": platform.machine(),
        "processor": _processor(),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "numpy": np.__version__,
    }


def _processor() -> str:
    try:
        return processor_of(Path("/proc/cpuinfo").read_text(encoding="utf-8"))
    except OSError:
        return processor_of("")


def processor_of(text: str) -> str:
    """Return the processor's name in Linux's description, with family and model, because models may share a name."""
    pairs = (line.partition(":") for line in text.split("\n\n")[0].splitlines())
    known = {name.strip(): value.strip() for name, _, value in pairs}
    numbers = [f"{what} {known[key]}" for what, key in (("family", "cpu family"), ("model", "model")) if key in known]
    name = known.get("model name") or platform.processor() or "unknown processor"
    return f"{name} ({', '.join(numbers)})" if numbers else name


def kit_hash() -> str:
    """Return SHA-256 of the checks and their data. Reports with the same hash come from the same checks."""
    digest = hashlib.sha256()
    folders = [resources.files(__package__.rpartition(".")[0])]
    while folders:
        for item in sorted(folders.pop().iterdir(), key=lambda item: item.name):
            if item.is_dir() and item.name not in ("__pycache__", "report", "providers"):
                folders.append(item)
            elif item.name.endswith((".py", ".npz", ".toml", ".json")):
                digest.update(item.name.encode())
                digest.update(item.read_bytes())
    return digest.hexdigest()
