"""Providers whose sine is wrong, and which cheat within the process where they run."""

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
    """A provider of wrong results, which changes the judging classes so that a probe in its process finds nothing."""

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
    """A provider that writes its own answers into every open pipe."""

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
    """A provider that writes invalid answers into every open pipe."""

    def cheated(self, result: Any) -> Any:
        for number in range(3, 20):
            try:
                if stat.S_ISFIFO(os.fstat(number).st_mode):
                    os.write(number, b'{"found": null}\n' * 10)
            except OSError:
                continue
        return result


class Patcher(Wrong):
    """A provider that changes NumPy, so that all arrays are equal and no comparison fails."""

    def __init__(self) -> None:
        np.array_equal = lambda *arrays, **options: True
        np.argwhere = lambda array: np.empty((0, 1), int)
        np.allclose = np.array_equal


class Excused(Wrong):
    """A provider that raises an error in place of each wrong result."""

    def cheated(self, result: Any) -> Any:
        from suanzi.conformance import BlockedError

        raise BlockedError("needs something else")


class Agreeable:
    """A status that equals every other status."""

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 0


class Refuser(Wrong):
    """A provider that refuses with a status that equals any expected status."""

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
    """A provider whose operator has another operator's name, and whose types are unknown to NumPy."""

    def functions(self, operator: str) -> Any:
        return ()

    def to_numpy(self, tensor: Any) -> Any:
        return np.zeros(3, "datetime64[s]")
