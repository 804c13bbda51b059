"""Times libraries side by side: a process each, one at work while the others wait."""

from __future__ import annotations

import os
import statistics
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime

from suanzi.bench.results import Cell, Results
from suanzi.conformance.process import EndedError, Process
from suanzi.conformance.report import environment
from suanzi.conformance.session import ProviderError

_ANSWER = 300.0  # seconds that a case may take


class Timed:
    """A library in its process."""

    def __init__(self, name: str, threads: int) -> None:
        count = str(threads)
        variables = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), count)
        self._process = Process(["suanzi.bench.worker", name, count], {**variables, "SUANZI_NUM_THREADS": count})
        told = self._process.heard(_ANSWER)
        if "error" in told:
            self._process.stop()
            raise ProviderError(f"{name}: {told['error']}")
        self.name, self.version = told["name"], told["version"]

    def seconds(self, operator: str, size: int, element_type: str, budget: float) -> float | None:
        """Of a call; None where the library does not take it."""
        try:
            self._process.say(operator=operator, size=size, type=element_type, budget=budget)
            found: float | None = self._process.heard(_ANSWER)["seconds"]
        except EndedError:
            return None
        return found

    def stop(self) -> None:
        self._process.stop()


def measure(
    libraries: Sequence[str],
    cases: Iterable[tuple[str, int, str]],
    *,
    threads: int = 0,
    rounds: int = 3,
    budget: float = 0.05,
) -> Iterator[Results]:
    """The results so far, after each case (operator, size, element type).

    Parameters
    ----------
    libraries : sequence of str
        Names of providers, the first the one that is compared with the others.
    cases : iterable of tuple
        What is timed.
    threads : int, optional
        Of each library; by default as many as there are processors.
    rounds : int, optional
        How often the libraries take turns; the median of their medians counts.
    budget : float, optional
        Seconds that a turn takes, or a few calls.
    """
    threads = threads or len(os.sched_getaffinity(0))
    with ExitStack() as stack:
        timed = []
        for name in libraries:
            library = Timed(name, threads)
            stack.callback(library.stop)
            timed.append(library)
        results = Results(
            environment={**environment(), "threads": str(threads)},
            libraries={library.name: library.version for library in timed},
            started=datetime.now(UTC).isoformat(timespec="seconds"),
            cells=[],
        )
        for operator, size, element_type in cases:
            turns = [
                [library.seconds(operator, size, element_type, budget) for library in timed] for _ in range(rounds)
            ]
            cell = Cell(operator, size, element_type, {})
            for library, found in zip(timed, zip(*turns, strict=True), strict=True):
                known = [seconds for seconds in found if seconds is not None]
                if known:
                    cell.seconds[library.name] = statistics.median(known)
            results.cells.append(cell)
            yield results
