"""What a report holds."""

from __future__ import annotations

import hashlib
import json
import platform
from dataclasses import dataclass
from functools import cached_property
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from ..standard import Category, standard
from ..verdicts import Outcome, State, Verdict, counts, outcome
from ..version import __version__

FORMAT = "1.0"  # of the data, for those who read it


@dataclass(frozen=True)
class Report:
    """On one library."""

    provider: str
    version: str
    device: str
    profile: str
    started: str  # ISO 8601
    seconds: float
    asked: tuple[str, ...]  # the operators that were to be judged
    verdicts: tuple[Verdict, ...]

    @property
    def counts(self) -> dict[State, int]:
        """How many operators there are of each state."""
        return counts(self.verdicts)

    @property
    def outcome(self) -> Outcome:
        """What is said of the library; of a part of the operators no more than that it is incomplete."""
        found = outcome(self.verdicts, len(self.asked))
        if found is Outcome.CONFORMS and len(self.asked) < len(standard().operators):
            return Outcome.INCOMPLETE
        return found

    def by_category(self) -> dict[Category, dict[State, int]]:
        """The counts of each row of Table 2."""
        rows: dict[str, list[Verdict]] = {key: [] for key in standard().categories}
        for verdict in self.verdicts:
            rows[standard().operators[verdict.operator].category.key].append(verdict)
        return {
            category: counts(rows[category.key]) for category in standard().categories.values() if rows[category.key]
        }

    @cached_property
    def results_hash(self) -> str:
        """SHA-256 of the verdicts."""
        return hashlib.sha256(json.dumps([v.as_data() for v in self.verdicts]).encode()).hexdigest()

    def as_data(self) -> dict[str, Any]:
        """All of it, as JSON holds it."""
        return {
            "format": FORMAT,
            "standard": "T/AI 137.1-2025",
            "provider": {"name": self.provider, "version": self.version, "device": self.device},
            "profile": self.profile,
            "outcome": self.outcome,
            "summary": {state.value: number for state, number in self.counts.items()},
            "started": self.started,
            "seconds": self.seconds,
            "environment": environment(),
            "kit": {"version": __version__, "sha256": kit_hash()},
            "results_sha256": self.results_hash,
            "operators": [_named(verdict) for verdict in self.verdicts],
        }


def _named(verdict: Verdict) -> dict[str, Any]:
    entry = standard().operators[verdict.operator]
    names = {"number": entry.number, "chinese": entry.chinese, "category": entry.category.key, "clause": entry.clause}
    return {**names, **verdict.as_data()}


def environment() -> dict[str, str]:
    """Where the checks ran."""
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
    """The name in Linux's description, and where that has them family and model: makers use a name for generations."""
    pairs = (line.partition(":") for line in text.split("\n\n")[0].splitlines())
    known = {name.strip(): value.strip() for name, _, value in pairs}
    numbers = [f"{what} {known[key]}" for what, key in (("family", "cpu family"), ("model", "model")) if key in known]
    name = known.get("model name") or platform.processor() or "unknown processor"
    return f"{name} ({', '.join(numbers)})" if numbers else name


def kit_hash() -> str:
    """SHA-256 of the checks and their data: reports with the same one were asked the same."""
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
