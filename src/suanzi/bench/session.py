"""The processes of timed libraries. Each library has a process of its own. Only one process works at a time."""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime

from suanzi import _core
from suanzi.bench.cases import Asked
from suanzi.bench.results import Cell, Results
from suanzi.conformance.process import EndedError, Process
from suanzi.conformance.remote import ProviderError
from suanzi.conformance.report import environment

_ANSWER = 300.0  # the longest time of a turn, in seconds
_ENOUGH = 3.0  # after this many seconds, a cell has no further turns
# The number of repeated measurements of a cell for which `Cell.is_open` is true. Other programs also use the machine,
# so times of a few microseconds on two threads differ from run to run.
_AGAIN = 4


class Timed:
    """A timed library, which runs in a process of its own."""

    def __init__(self, name: str, threads: int) -> None:
        self._given, self._threads = name, threads
        self._start()

    def _start(self) -> None:
        count = str(self._threads)
        variables = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), count)
        command = ["suanzi.bench.worker", self._given, count]
        self._process = Process(command, {**variables, "SUANZI_NUM_THREADS": count})
        try:
            told, _ = self._process.heard(_ANSWER)
        except EndedError as error:
            raise ProviderError(f"{self._given}: {error}") from None
        if "error" in told:
            self._process.stop()
            raise ProviderError(f"{self._given}: {told['error']}")
        self.name, self.version = told["name"], told["version"]

    def seconds(self, asked: Asked) -> float | None:
        """Return the seconds of a call in one turn. The result is None if the library has no call for the cell, if the
        call raises an error, or if the library's process ends.
        """
        try:
            self._process.say({"cell": [asked.operator, asked.variant, asked.size, asked.element_type]})
            found: float | None = self._process.heard(_ANSWER)[0]["seconds"]
        except EndedError:
            self._start()
            return None
        return found

    def stop(self) -> None:
        self._process.stop()


class Run:
    """A context manager for the processes of libraries and their measurements. The end of the context stops the
    processes.

    Parameters
    ----------
    libraries : sequence of str
        Names of providers or "scipy". The first library is compared with the other libraries.
    threads : int, optional
        The number of threads of each library, by default the number of processors.
    rounds : int, optional
        The number of turns of each library. A time is the median of the turns. Slow cells have fewer turns.
    """

    def __init__(self, libraries: Sequence[str], *, threads: int = 0, rounds: int = 7) -> None:
        threads = threads or len(os.sched_getaffinity(0))
        self._rounds = rounds
        self._timed: list[Timed] = []
        try:
            self._timed.extend(Timed(name, threads) for name in libraries)
        except BaseException:
            self.__exit__()
            raise
        self.results = Results(
            environment={**environment(), "threads": str(threads), "simd": _core.simd_level()},
            libraries={library.name: library.version for library in self._timed},
            started=datetime.now(UTC).isoformat(timespec="seconds"),
            cells=[],
        )

    def __enter__(self) -> Run:
        return self

    def __exit__(self, *_: object) -> None:
        for library in self._timed:
            library.stop()

    def measure(self, cells: Iterable[Asked]) -> Iterator[Cell]:
        """Yield each cell immediately after its measurement."""
        for asked in cells:
            self.results.cells.append(self._measured(asked))
            yield self.results.cells[-1]

    def measure_again(self) -> Iterator[Cell]:
        """Measure again each cell whose ratio is above or just below the bound. For each cell that is measured again,
        yield the measurement whose ratio is the median.
        """
        cells, subject = self.results.cells, self.results.subject
        undecided = {i: [cell] for i, cell in enumerate(cells) if cell.is_open(subject)}
        for _ in range(_AGAIN):
            for seen in undecided.values():
                seen.append(self._measured(Asked(*seen[0].key, seen[0].goal)))
        for i, seen in undecided.items():
            ordered = sorted(seen, key=lambda cell: cell.ratio(subject) or 0.0)
            cells[i] = ordered[len(ordered) // 2]
            yield cells[i]

    def _measured(self, asked: Asked) -> Cell:
        turns: dict[str, list[float]] = {library.name: [] for library in self._timed}
        out: set[str] = set()
        until = time.monotonic() + _ENOUGH
        for _ in range(self._rounds):
            for library in self._timed:
                found = None if library.name in out else library.seconds(asked)
                if found is None:
                    out.add(library.name)
                else:
                    turns[library.name].append(found)
            if time.monotonic() > until:
                break
        seconds = {name: statistics.median(found) for name, found in turns.items() if name not in out}
        return Cell(asked.operator, asked.variant, asked.size, asked.element_type, seconds, asked.goal)
