"""The probes of reductions and of the trace."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..inputs import Maker, accumulated, random_values, types
from ..oracle.compare import CORRECT, Expected, exactly
from ..oracle.element_types import Array, ElementType, as_extended, convert, exact, floating
from ..probe import Probe, Refusal, Value
from ..status import Status

_REDUCTIONS: dict[str, tuple[str, Callable[..., Any]]] = {
    "sum": ("BIFC", np.sum),
    "prod": ("BIFC", np.prod),
    "mean": ("BIFC", np.mean),
    "max": ("BIF", np.max),
    "min": ("BIF", np.min),
    "all": ("BIFC", np.all),
    "any": ("BIFC", np.any),
}


def _folds(operator: str, op: str, available: frozenset[str]) -> Iterator[Probe]:
    """Make probes of the reduction `op` over every axis. The probes call the function `op`, or `reduce` with the name
    of `op`.
    """
    kinds, fold = _REDUCTIONS[op]
    further = (op,) if operator == "reduce" else ()
    for t in types(available, kinds):
        x = _reducible(op, t)
        for label, array in (("", x), (", negative stride", x[::-1, ::-1]), (", transposed", x.T)):
            for axis in (None, 0, 1, (0, 1), -1):
                expected = _reduced(op, fold, t, array, axis)
                described = f"{op} of {t.name}, axis={axis}{label}"
                yield Value(operator, described, (array, *further), expected, {"axis": axis})


def _reduction(operator: str, available: frozenset[str]) -> Iterator[Probe]:
    yield from _folds(operator, operator, available)


# Rows of elements, each with the sum, product, mean, maximum and minimum of the row.
_STRANGE: tuple[tuple[list[float], list[float]], ...] = (
    ([1.0, np.nan, 2.0], [np.nan] * 5),
    ([1.0, np.inf, 2.0], [np.inf, np.inf, np.inf, np.inf, 1.0]),
    ([1.0, -np.inf, np.inf], [np.nan, -np.inf, np.nan, np.inf, -np.inf]),
    ([-np.inf, 2.0, 0.5], [-np.inf, -np.inf, -np.inf, 2.0, -np.inf]),
)


def _strange(operator: str, available: frozenset[str]) -> Iterator[Probe]:
    """Make probes of NaN and infinities in reductions."""
    for t in types(available, "F"):
        x = np.array([row for row, _ in _STRANGE], np.float64).astype(t.numpy)
        for number, op in enumerate(("sum", "prod", "mean", "max", "min")):
            expected = exactly(np.array([results[number] for _, results in _STRANGE]).astype(t.numpy))
            yield Value(operator, f"{op} of {t.name}, NaN and infinities", (x, op), expected, {"axis": 1})


def _reduce(operator: str, available: frozenset[str]) -> Iterator[Probe]:
    for op in _REDUCTIONS:
        yield from _folds(operator, op, available)
    yield from _strange(operator, available)
    x = np.ones((2, 3), np.float32)
    kept = exactly(np.full((1, 3), 2, np.float32))
    yield Value(operator, "keepdims", (x, "sum"), kept, {"axis": 0, "keepdims": True})
    yield Refusal(operator, "no such axis", (x, "sum"), Status.OUT_OF_RANGE, {"axis": 2})
    yield Refusal(operator, "no such reduction", (x, "none"), Status.INVALID_ARGUMENT)
    yield Refusal(operator, "max of nothing", (x[:0], "max"), Status.INVALID_ARGUMENT, {"axis": 0})


def _reducible(op: str, t: ElementType) -> Array:
    """Return elements of shape (7, 13) whose product and sum stay finite."""
    x = np.resize(random_values(t, 0), (7, 13))
    if t.kind not in "FC":
        return x
    rng = np.random.default_rng(len(t.name))
    moderate = rng.uniform(0.75, 1.25, x.shape) if op == "prod" else rng.uniform(-1.0, 1.0, x.shape)
    return (moderate + (1j * rng.uniform(-0.1, 0.1, x.shape) if t.kind == "C" else 0)).astype(t.numpy)


def _reduced(op: str, fold: Callable[..., Any], t: ElementType, x: Array, axis: Any) -> Expected:
    if op in ("all", "any"):
        return exactly(np.asarray(fold(x != 0, axis=axis)))
    if op in ("max", "min"):
        return exactly(np.asarray(fold(exact(x), axis=axis)).astype(t.numpy))
    if t.kind in "BUS" and op != "mean":
        result = accumulated(t)
        return Expected(result, convert(np.asarray(fold(x.astype(object) * 1, axis=axis), object), result))
    result = floating(t)
    wide = as_extended(exact(x))
    reference = np.asarray(fold(wide, axis=axis))
    # Accumulation in float64 has an error in the last place of float64 at every step.
    steps = x.size * 2.0 ** (result.precision - 53)
    size = np.abs(reference) if op == "prod" else np.asarray(fold(np.abs(wide), axis=axis))
    bound = 1.0 if t.kind == "C" else CORRECT
    return Expected(result, reference, bound, np.maximum(np.abs(reference), 2 * steps * size))


def _trace(operator: str, available: frozenset[str]) -> Iterator[Probe]:
    for t in types(available):
        for shape, offset in (((3, 3), 0), ((2, 3), 1), ((2, 3, 4), -1), ((3, 0), 0)):
            x = np.resize(np.array([0, 1, 1, 1]), shape).astype(t.numpy)
            traced = np.asarray(np.trace(x.astype(np.complex128), offset, -2, -1))
            expected = exactly((traced if t.kind == "C" else traced.real).astype(accumulated(t).numpy))
            yield Value(operator, f"{t.name} {shape}, offset={offset}", (x,), expected, {"offset": offset})
    yield Refusal(operator, "a vector", (np.ones(3, np.float32),), Status.DIMENSIONS_MISMATCH)


PROBES: dict[str, Maker] = {
    **dict.fromkeys(_REDUCTIONS, _reduction),
    "reduce": _reduce,
    "trace": _trace,
}
