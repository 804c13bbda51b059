"""Libraries that misbehave in ways which a kit must survive. Each library is Suanzi with one change."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Any

import suanzi
from suanzi.conformance import Suanzi

Function = Callable[..., Any]


class Stranger(Suanzi):
    """A library whose `sin` calls `misbehave` for float32 vectors of 101 to 999 elements."""

    def find(self, operator: str) -> Function | None:
        found = super().find(operator)
        return self.strange(found) if found is not None and operator == "sin" else found

    def strange(self, sin: Function) -> Function:
        def call(x: Any, **options: Any) -> Any:
            known = isinstance(x, suanzi.Tensor) and not suanzi._core.is_destroyed(x)
            if known and x.dtype.name == "float32" and x.ndim == 1 and 100 < x.size < 1000:
                self.misbehave()
            return sin(x, **options)

        return call

    def misbehave(self) -> None:
        raise NotImplementedError


class Crashing(Stranger):
    def misbehave(self) -> None:
        os.abort()


class Leaving(Stranger):
    def misbehave(self) -> None:
        os._exit(3)


class Hanging(Stranger):
    def misbehave(self) -> None:
        time.sleep(1000)


class Hungry(Stranger):
    def misbehave(self) -> None:
        bytearray(64 * 2**30)


class Talking(Stranger):
    def misbehave(self) -> None:
        os.write(1, b'{"done": "sin", "provided": true}\n')


class Lacking(Suanzi):
    """A provider without `add`, which the check of `destroy` needs."""

    def find(self, operator: str) -> Function | None:
        return None if operator == "add" else super().find(operator)


class Unloadable(Suanzi):
    def __init__(self) -> None:
        raise OSError("no such chip")
