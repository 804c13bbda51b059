"""Measurements, their summary, and the changes between two measurements."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from math import exp, inf, log
from pathlib import Path
from types import UnionType
from typing import Any

from suanzi.bench.cases import named
from suanzi.operators.catalogue import Category
from suanzi.operators.registry import lookup

FORMAT = "2.0"  # before format 2.0, cases had other operands

# Cells whose ratio is below the bound by a factor of less than `NEAR` are measured again. On a shared machine, two
# measurements of a few microseconds differ by a factor of about `NEAR`.
NEAR = 1.25


@dataclass(slots=True)
class Cell:
    """A case at one size and type, and the seconds of a call in each library that has the call."""

    operator: str
    variant: str
    size: int
    element_type: str
    seconds: dict[str, float]
    goal: float | None = None  # the upper bound of `ratio`

    @property
    def key(self) -> tuple[str, str, int, str]:
        """Return the key of the cell within a run."""
        return self.operator, self.variant, self.size, self.element_type

    @property
    def name(self) -> str:
        return named(self.operator, self.variant)

    @property
    def category(self) -> Category:
        return lookup(self.operator).entry.category

    def fastest_peer(self, library: str) -> str | None:
        """Return the fastest library other than `library`, or None if no other library has a time."""
        others = {name: seconds for name, seconds in self.seconds.items() if name != library}
        return min(others, key=others.__getitem__, default=None)

    def ratio(self, library: str) -> float | None:
        """Return the time of a library divided by the time of the fastest other library, or None if either time is
        missing.
        """
        peer = self.fastest_peer(library)
        return self.seconds[library] / self.seconds[peer] if peer and library in self.seconds else None

    def misses(self, library: str) -> bool:
        """Return whether `ratio(library)` is above the cell's goal, or above 1 if the cell has no goal."""
        return self._over_bound(library) > 1.0

    def is_open(self, library: str) -> bool:
        """Return whether `ratio(library)` is above its bound or just below its bound.

        `Run.measure_again` measures a cell near the bound again, because chance decides on which side of the bound one
        measurement is.
        """
        return self._over_bound(library) > 1.0 / NEAR

    def _over_bound(self, library: str) -> float:
        """Return `ratio(library)` divided by its bound (the goal or 1), or 0 if the cell has no ratio."""
        return (self.ratio(library) or 0.0) / (self.goal or 1.0)


@dataclass(slots=True)
class Results:
    """The measurements of one run on one machine."""

    environment: dict[str, str]
    libraries: dict[str, str]  # names and versions of libraries; the compared library comes first
    started: str
    cells: list[Cell]

    @property
    def subject(self) -> str:
        """Return the library that the run compares with the other libraries."""
        return next(iter(self.libraries))

    @property
    def slowed(self) -> list[str]:
        """Return the libraries that run slow code on the measured machine, such as PyTorch with MKL on AMD's
        processors.
        """
        return [name for name in self.libraries if name == "torch" and "AMD" in self.environment["processor"]]

    def means(self) -> Iterator[tuple[str, str, int, float]]:
        """Yield the key and the Chinese name of each category, the number of ratios, and the geometric mean of the
        ratios.
        """
        for category in sorted({cell.category for cell in self.cells}, key=lambda category: category.number):
            ratios = [
                ratio
                for cell in self.cells
                if cell.category is category and (ratio := cell.ratio(self.subject)) is not None
            ]
            if ratios:
                yield category.key, category.chinese, len(ratios), geometric_mean(ratios)

    def slower(self) -> list[tuple[float, Cell]]:
        """Return the cells in which another library is faster, with their ratios, the worst first."""
        found = ((ratio, cell) for cell in self.cells if (ratio := cell.ratio(self.subject)) is not None and ratio > 1)
        return sorted(found, key=lambda pair: -pair[0])

    def _check(self) -> None:
        """Raise TypeError or ValueError if a value cannot be the value of a run."""
        _check_table("environment", self.environment, str)
        _check_table("libraries", self.libraries, str)
        if not self.libraries:
            raise ValueError("no library")
        if not isinstance(self.started, str):
            raise TypeError("started is not a text")
        for cell in self.cells:
            if not all(isinstance(part, str) for part in (cell.operator, cell.variant, cell.element_type)):
                raise TypeError("a name of a cell is not a text")
            if not (isinstance(cell.size, int) and isinstance(cell.goal, float | int | None)):
                raise TypeError("the size or the goal of a cell is not a number")
            _check_table("seconds", cell.seconds, float | int)
            if not all(0 <= seconds < inf for seconds in cell.seconds.values()):
                raise ValueError("a time is negative or not finite")

    def save(self, file: Path) -> None:
        file.write_text(json.dumps({"format": FORMAT, **asdict(self)}, indent=1, ensure_ascii=False), encoding="utf-8")

    @classmethod
    def load(cls, file: Path) -> Results:
        """Load a file that `save` wrote. Raise ValueError for another file."""
        try:
            data: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
            if data.pop("format") != FORMAT:
                raise ValueError("another format")
            results = cls(**{**data, "cells": [Cell(**cell) for cell in data["cells"]]})
            results._check()
            return results
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise ValueError(f"{file}: not a file that `suanzi bench --save` wrote ({error})") from None


def _check_table(name: str, table: object, kind: type | UnionType) -> None:
    if not (isinstance(table, dict) and all(isinstance(value, kind) for value in table.values())):
        raise TypeError(f"{name} is not a table of {'texts' if kind is str else 'numbers'}")


def geometric_mean(ratios: list[float]) -> float:
    return exp(sum(map(log, ratios)) / len(ratios))


def compare(before: Results, after: Results) -> list[tuple[Cell, float]]:
    """Return the cells that both runs measured, with the new time divided by the old time, the greatest quotient
    first.
    """
    known = {cell.key: cell.seconds.get(before.subject) for cell in before.cells}
    found = []
    for cell in after.cells:
        old, new = known.get(cell.key), cell.seconds.get(after.subject)
        if old and new:
            found.append((cell, new / old))
    return sorted(found, key=lambda pair: -pair[1])
