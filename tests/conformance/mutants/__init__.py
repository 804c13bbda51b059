"""Faulty libraries, made from Suanzi by systematic changes. A conformance kit must detect these libraries.

A fault has a kind, a function and a name. A mutant is Suanzi with one fault. The fault's witness is a call whose
result differs from Suanzi's result. A change without a witness is not a fault. `faults` returns all faults, and
`drawn` returns some faults by a seed. `history` has faults that Suanzi once had, and `cheats` has providers that
are dishonest or incomplete.

    python tests/conformance/mutants --operator roll --kind axes --profile quick
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from . import arguments, drawing, functions, results, special, state
from .calls import Call, Shares, seen
from .faults import Fault, Function, Maker, Mutant
from .functions import described

KINDS = (*arguments.KINDS, *results.KINDS, *state.KINDS, *drawing.KINDS, *special.KINDS)


@cache
def faults(function: str) -> tuple[Fault, ...]:
    """Return all changes of a function that may be faults. A change without a witness is not a fault."""
    own = {"interpolate": "interpolation", "fft": "Fourier"}.get(function.split(".")[0])
    kinds = _OF_RANDOM if function in results.RANDOM else KINDS
    several = (fault for kind in kinds for fault in kind(described()[function]))
    return tuple(replace(f, kind=own) if own and f.kind in _OF_CALLS else f for f in several)


# Random numbers in another order are not wrong, so random functions have separate kinds of faults.
_OF_RANDOM = (*arguments.KINDS, state.unchanged, state.statuses, *drawing.KINDS, *special.KINDS)
_OF_CALLS = ("options", "options together", "defaults", "axes")


@cache
def of_operator(operator: str) -> tuple[Fault, ...]:
    """Return the faults of an operator and of the operator's additions."""
    return tuple(fault for d in described().values() if d.operator == operator for fault in faults(d.name))


def witness(fault: Fault) -> Call | None:
    """Return a call that shows the fault, or None if no tried call shows the fault."""
    calls = {"pool": functions.pool, "large": functions.large, "refused": functions.refused}[fault.calls]
    for number, call in enumerate(calls(fault.function)):
        usual = functions.usual(fault.function, number, fault.calls, fault.repeated)
        found = seen(mutant(fault), fault.function, call, repeated=fault.repeated)
        if differ(usual, found, exact=described()[fault.function].exact, reference=fault.function == "from_reference"):
            return call
    return None


def differ(usual: Any, found: Any, *, exact: bool = True, reference: bool = False) -> bool:
    """Return whether two observations differ. If `exact` is False, rounding errors do not count.

    A copy in place of a view counts as a difference only if `reference` is True.
    """
    if isinstance(usual, Shares) and isinstance(found, Shares):
        return usual.value != found.value if reference else bool(found.value and not usual.value)
    if isinstance(usual, tuple) and isinstance(found, tuple):
        if not exact and _are_floating(usual, found):
            return not _near(usual, found)
        pairs = zip(usual, found, strict=False)
        return len(usual) != len(found) or any(differ(a, b, exact=exact, reference=reference) for a, b in pairs)
    return bool(type(usual) is not type(found) or usual != found)


def _are_floating(*several: tuple[Any, ...]) -> bool:
    names = {told[0] for told in several if len(told) == 3 and isinstance(told[2], bytes)}
    return len(names) == 1 and next(iter(names)) in _ROUNDED and several[0][1] == several[1][1]


_ROUNDED = {"float16": 1e-2, "float32": 1e-4, "complex64": 1e-4, "float64": 1e-11, "complex128": 1e-11}


def _near(usual: tuple[Any, ...], found: tuple[Any, ...]) -> bool:
    """Return whether tensors of one type and shape differ only by rounding."""
    x, y = (np.frombuffer(told[2], told[0]).astype(np.complex128) for told in (usual, found))
    finite = np.isfinite(x)
    if not np.array_equal(finite, np.isfinite(y)) or not np.array_equal(x[~finite], y[~finite], equal_nan=True):
        return False
    least = np.abs(x[finite]).max(initial=0)
    return bool(np.all(np.abs(x[finite] - y[finite]) <= _ROUNDED[usual[0]] * least))


def mutant(fault: Fault) -> Mutant:
    """Return a new copy of Suanzi with a given fault."""
    return Mutant(fault.function, fault.make)


def operator_of(fault: Fault) -> str:
    """Return the operator that has the fault, or to which the faulty function is an addition."""
    return described()[fault.function].operator


def drawn(seed: int, count: int, operators: list[str] | None = None) -> Iterator[Fault]:
    """Yield up to `count` faults with a witness.

    The kinds of faults take turns. For each kind, the seed determines the drawn function and the drawn fault.
    """
    by_kind: dict[str, dict[str, list[Fault]]] = defaultdict(lambda: defaultdict(list))
    for d in described().values():
        if operators is None or d.operator in operators:
            for fault in faults(d.name):
                by_kind[fault.kind][fault.function].append(fault)
    choose = random.Random(seed)
    while count > 0 and by_kind:
        for kind in sorted(by_kind):
            chosen = _with_witness(by_kind[kind], choose)
            if chosen is None:
                del by_kind[kind]
            elif count > 0:
                count -= 1
                yield chosen


def _with_witness(of_functions: dict[str, list[Fault]], choose: random.Random) -> Fault | None:
    """Draw, remove and return a fault with a witness. Return None if no remaining fault has a witness."""
    while of_functions:
        function = choose.choice(sorted(of_functions))
        several = of_functions[function]
        fault = several.pop(choose.randrange(len(several)))
        if not several:
            del of_functions[function]
        if witness(fault) is not None:
            return fault
    return None


__all__ = [
    "Fault",
    "Function",
    "Maker",
    "Mutant",
    "described",
    "drawn",
    "faults",
    "mutant",
    "of_operator",
    "operator_of",
    "witness",
]
