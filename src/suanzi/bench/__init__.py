"""How long each operator takes, here and in other libraries: what `suanzi bench` measures.

Each library runs in a process of its own, by the providers of the conformance kit; they are called in turn.
"""

from __future__ import annotations

from suanzi.bench.cases import CASES, sizes_of
from suanzi.bench.results import Cell, Results, compare
from suanzi.bench.session import measure

__all__ = ["CASES", "Cell", "Results", "compare", "measure", "sizes_of"]
