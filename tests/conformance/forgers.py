"""Providers that cheat in the process that they have, each with a sine that is wrong."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from typing import Any

import numpy as np

from suanzi.conformance import Suanzi
from suanzi.conformance.process import Process
from suanzi.conformance.wire import write

Function = Callable[..., Any]


class Forger(Suanzi):
    """A provider without a right result that changes the classes that judge it: a probe then finds nothing."""

    def __init__(self) -> None:
        from suanzi.conformance import probe, verdicts
        from suanzi.conformance.probes import stated_calls

        found = probe.Finding(None)
        for judging in (probe.Value, probe.Refusal, probe.Scenario, stated_calls.Stated):
            judging.judge = lambda self, provider: found  # type: ignore[method-assign]
        verdicts.Clause.state = verdicts.State.PASS  # type: ignore[assignment, method-assign]
        Process.heard = lambda self, *rest: ({"n": 1}, memoryview(b""))  # type: ignore[assignment, method-assign]

    def find(self, operator: str) -> Function | None:
        return lambda *operands, **options: None


class Wrong(Suanzi):
    """A provider whose sine is 0."""

    def find(self, operator: str) -> Function | None:
        found = super().find(operator)
        if found is None or operator != "sin":
            return found
        zeros = super().find("zeros_like")
        return lambda x, **options: self.cheated(zeros(found(x, **options)))  # type: ignore[misc]

    def cheated(self, result: Any) -> Any:
        return result


class Writer(Wrong):
    """Writes answers of its own into every pipe that it has."""

    def cheated(self, result: Any) -> Any:
        for number in range(3, 20):
            try:
                if stat.S_ISFIFO(os.fstat(number).st_mode):
                    with os.fdopen(os.dup(number), "wb") as pipe:
                        for n in range(1, 100):
                            write(pipe, {"n": n, "r": {"t": []}})
            except OSError:
                continue
        return result


class Shouter(Wrong):
    """Writes what is no answer into every pipe that it has."""

    def cheated(self, result: Any) -> Any:
        for number in range(3, 20):
            try:
                if stat.S_ISFIFO(os.fstat(number).st_mode):
                    os.write(number, b'{"found": null}\n' * 10)
            except OSError:
                continue
        return result


class Patcher(Wrong):
    """NumPy finds all arrays equal, and nothing wrong anywhere."""

    def __init__(self) -> None:
        np.array_equal = lambda *arrays, **options: True
        np.argwhere = lambda array: np.empty((0, 1), int)
        np.allclose = np.array_equal


class Excused(Wrong):
    """Says that it cannot be asked where it would be wrong."""

    def cheated(self, result: Any) -> Any:
        from suanzi.conformance import BlockedError

        raise BlockedError("needs something else")


class Agreeable:
    """A status that equals every other."""

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 0


class Refuser(Wrong):
    """Refuses with a status that is whatever is asked for."""

    def find(self, operator: str) -> Function | None:
        found = super().find(operator)
        if found is None:
            return None

        def call(*operands: Any, **options: Any) -> Any:
            try:
                return found(*operands, **options)
            except Exception as error:
                error.status = Agreeable()  # type: ignore[attr-defined]
                raise

        return call


class Nameless(Suanzi):
    """A provider whose own operator belongs to another one, and whose types are none of NumPy's."""

    def functions(self, operator: str) -> Any:
        return ()

    def to_numpy(self, tensor: Any) -> Any:
        return np.zeros(3, "datetime64[s]")
