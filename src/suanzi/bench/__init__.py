"""The measurements of `suanzi bench`: the time of each operator, here and in other libraries.

Each library runs in a process of its own, by the providers of the conformance kit; they are called in turn.
"""

from __future__ import annotations

from suanzi.bench.cases import CASES, UNTIMED, Asked, operators, select
from suanzi.bench.results import Cell, Results, compare
from suanzi.bench.session import Run

__all__ = ["CASES", "UNTIMED", "Asked", "Cell", "Results", "Run", "compare", "operators", "select"]
