"""Providers of wrong results that try to deceive the kit from within their own process."""

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
    """A provider whose operators return None.

    The provider changes the kit's classes, so that probes in the provider's process would find no fault.
    """

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
    """A provider of a wrong sine that writes forged answers into every open pipe."""

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
    """A provider of a wrong sine that writes invalid answers into every open pipe."""

    def cheated(self, result: Any) -> Any:
        for number in range(3, 20):
            try:
                if stat.S_ISFIFO(os.fstat(number).st_mode):
                    os.write(number, b'{"found": null}\n' * 10)
            except OSError:
                continue
        return result


class Patcher(Wrong):
    """A provider of a wrong sine that replaces NumPy's comparisons by functions that find no difference."""

    def __init__(self) -> None:
        np.array_equal = lambda *arrays, **options: True
        np.argwhere = lambda array: np.empty((0, 1), int)
        np.allclose = np.array_equal


class Excused(Wrong):
    """A provider that raises BlockedError in place of each wrong sine."""

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
    """A provider of a wrong sine whose errors have a status that equals every other status."""

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
    """A provider that names no functions of an operator, and whose tensors become NumPy arrays of dates."""

    def functions(self, operator: str) -> Any:
        return ()

    def to_numpy(self, tensor: Any) -> Any:
        return np.zeros(3, "datetime64[s]")
