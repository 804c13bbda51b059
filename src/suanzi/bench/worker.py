"""The process in which a library is timed: each line of its input names a case, each of its output the seconds."""

from __future__ import annotations

import gc
import json
import statistics
import sys
import time
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from suanzi.bench.cases import call_of
from suanzi.conformance.oracle.element_types import ElementType
from suanzi.conformance.provider import Provider
from suanzi.conformance.providers import load
from suanzi.conformance.worker import private_output, said

_BATCH = 2e-3  # seconds that a batch of calls takes at least: much more than reading the clock


def prepared(provider: Provider, operator: str, size: int, element_type: str) -> Callable[[], Any] | None:
    """The call, with operands that are the provider's own; None where it has no such operator."""
    function = provider.find_bare(operator)
    if function is None or element_type not in provider.element_types:
        return None
    operands, options = call_of(operator, size, element_type)

    def given(x: Any) -> Any:
        if isinstance(x, list):
            return [given(item) for item in x]
        if isinstance(x, np.ndarray):
            return provider.from_numpy(x)
        return provider.element_type(x.name) if isinstance(x, ElementType) else x

    own, chosen = [given(x) for x in operands], {key: given(value) for key, value in options.items()}
    if chosen:
        return lambda: provider.finished(function(*own, **chosen))
    if len(own) == 1:
        (x,) = own
        return lambda: provider.finished(function(x))
    if len(own) == 2:
        x, y = own
        return lambda: provider.finished(function(x, y))
    return lambda: provider.finished(function(*own))


def seconds_of(call: Callable[[], Any], budget: float) -> float:
    """The median over batches, of a call."""
    call()
    start = time.perf_counter()
    call()
    count = max(1, int(_BATCH / max(time.perf_counter() - start, 1e-9)))
    batches: list[float] = []
    until = time.perf_counter() + budget
    gc.disable()
    try:
        while len(batches) < 3 or time.perf_counter() < until:
            start = time.perf_counter()
            for _ in range(count):
                call()
            batches.append((time.perf_counter() - start) / count)
    finally:
        gc.enable()
    return statistics.median(batches)


def main() -> None:
    """Answers until the input ends."""
    out = private_output()
    try:
        provider = load(sys.argv[1])
        provider.set_threads(int(sys.argv[2]))
        said(out, name=provider.name, version=provider.version())
    except BaseException as error:
        return said(out, error=f"{type(error).__name__}: {error}")
    ready = cache(lambda *case: prepared(provider, *case))
    last: tuple[Any, ...] = ()
    for line in sys.stdin:
        asked = json.loads(line)
        case = (asked["operator"], asked["size"], asked["type"])
        if case != last:  # operands of one case at a time
            ready.cache_clear()
            last = case
        try:
            call = ready(*case)
            said(out, seconds=call and seconds_of(call, asked["budget"]))
        except Exception as error:  # a library that does not take the case
            said(out, seconds=None, why=f"{type(error).__name__}: {str(error)[:200]}")
    return None


if __name__ == "__main__":
    main()
