"""The measurements of `suanzi bench`: the time of each operator in Suanzi and in other libraries.

Each library runs in a process of its own, and a provider of the conformance kit calls the library. The processes take
turns.
"""

from __future__ import annotations

from suanzi.bench.cases import CASES, UNTIMED, Asked, operators, select
from suanzi.bench.results import Cell, Results, compare
from suanzi.bench.session import Run

__all__ = ["CASES", "UNTIMED", "Asked", "Cell", "Results", "Run", "compare", "operators", "select"]
