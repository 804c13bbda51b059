"""Probes of string tensors, for providers that name "string" among their element types.

Other modules have the probes of the same operators on numbers. A provider receives strings as NumPy arrays of kind "U"
and returns any object whose `tolist` returns nested lists of Python strings.
"""

from __future__ import annotations

import operator as python
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..oracle.compare import exactly
from ..oracle.element_types import Array
from ..oracle.rules import rules
from ..probe import Probe, Refusal, Scenario, Value
from ..provider import Provider, needed
from ..standard import standard
from ..status import Status

# Short strings, strings that are longer than common buffers, and strings with characters of several bytes, a NUL or a
# combining accent. Two of the strings are in another order by the units of UTF-16 than by code points.
WORDS = np.array(
    [
        ["", "a", "ab", "b", "a\0b"],
        ["aa", "é", "算子", "算", "e\u0301"],
        ["\ufffd", "\U00010000", "B", "b" * 40, "b" * 70],
    ]
)

_COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "equal": python.eq,
    "not_equal": python.ne,
    "less": python.lt,
    "less_equal": python.le,
    "greater": python.gt,
    "greater_equal": python.ge,
}

# The further arguments of calls on WORDS, and NumPy's results.
_MOVES: dict[str, tuple[tuple[Any, ...], Callable[[Array], Array]]] = {
    "clone": ((), lambda x: x),
    "contiguous": ((), lambda x: x),
    "reshape": (((5, 3),), lambda x: x.reshape(5, 3)),
    "flatten": ((), np.ravel),
    "transpose": ((), np.transpose),
    "expand_dims": ((0,), lambda x: x[None]),
    "zeros_like": ((), np.zeros_like),
    "full_like": (("算",), lambda x: np.full_like(x, "算")),
    "flip": ((), np.flip),
    "roll": ((1,), lambda x: np.roll(x, 1)),
    "tile": (((2, 1),), lambda x: np.tile(x, (2, 1))),
    "gather": ((np.array([2, 0]),), lambda x: x[[2, 0]]),
    "index_select": ((np.array([2, 0]),), lambda x: x[[2, 0]]),
    "argsort": ((), lambda x: np.argsort(x, -1, kind="stable")),
    "max": ((), lambda x: np.array(max(x.ravel().tolist()))),
    "min": ((), lambda x: np.array(min(x.ravel().tolist()))),
    "maximum": (("é",), lambda x: np.array([max(v, "é") for v in x.ravel().tolist()]).reshape(x.shape)),
    "minimum": (("é",), lambda x: np.array([min(v, "é") for v in x.ravel().tolist()]).reshape(x.shape)),
    "argmax": ((), lambda x: np.array(x.ravel().tolist().index(max(x.ravel().tolist())))),
    "argmin": ((), lambda x: np.array(x.ravel().tolist().index(min(x.ravel().tolist())))),
}


def probes(operator: str, available: frozenset[str]) -> Iterator[Probe]:
    """Yield the probes of a function on strings: results of operators that accept strings, and refusals of other
    operators.
    """
    if "string" not in available:
        return
    if operator in _COMPARISONS:
        x, y = WORDS.ravel()[:, None], WORDS.ravel()
        holds = np.array([[_COMPARISONS[operator](a, b) for b in y.tolist()] for a in y.tolist()])
        yield Value(operator, "string by code points", (x, y), exactly(holds))
        yield Refusal(operator, "string with float32", (y, np.ones(y.shape, np.float32)), Status.TYPE_MISMATCH)
    elif operator in _MOVES:
        further, expected = _MOVES[operator]
        for label, x in (("", WORDS), (", transposed", WORDS.T), (", negative stride", WORDS[::-1, ::-1])):
            yield _gives(operator, f"string{label}", (x, *further), expected(x))
    elif operator == "tensor":
        yield _gives(operator, "string from a list", (WORDS.tolist(),), WORDS)
        yield Refusal(operator, "a number among strings", (["a", 1],), Status.TYPE_MISMATCH)
    elif operator == "where":
        condition = np.arange(WORDS.size).reshape(WORDS.shape) % 3 == 0
        yield _gives(operator, "string", (condition, WORDS, WORDS[::-1]), np.where(condition, WORDS, WORDS[::-1]))
    elif rules(operator) and "S" not in _accepted(operator):
        rule = rules(operator)[0]
        yield Refusal(operator, "string refused", (WORDS,) * rule.arity, Status.TYPE_MISMATCH, dict(rule.options[0]))


def _accepted(function: str) -> str:
    """Return the kinds that an elementwise function accepts, and the kinds that the clauses leave open."""
    stated = standard().operators.get(function)
    return rules(function)[0].accepts if stated is None else stated.types + stated.open


def _gives(operator: str, label: str, operands: tuple[Any, ...], expected: Array) -> Scenario:
    def play(provider: Provider) -> str | None:
        function = needed(provider, operator)
        result = function(*(provider.from_numpy(x) if isinstance(x, np.ndarray) else x for x in operands))
        found = provider.to_numpy(result).tolist()
        return None if found == expected.tolist() else f"returned {found}, not {expected.tolist()}"

    return Scenario(operator, label, play)
