"""The probes of operators that are not elementwise: copies, query, shapes, casts, reductions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from suanzi.conformance.inputs import accepted, arrangements, random_values, specials
from suanzi.conformance.oracle.compare import CORRECT, Expected, exactly
from suanzi.conformance.oracle.element_types import (
    ELEMENT_TYPES,
    Array,
    ElementType,
    as_extended,
    convert,
    exact,
    floating,
    type_of,
)
from suanzi.conformance.probe import Probe, Refusal, Scenario, Value
from suanzi.conformance.provider import Provider, needed
from suanzi.operators.registry import lookup
from suanzi.tensor.status import Status

Maker = Callable[[str, frozenset[str]], Iterator[Probe]]


def types(available: frozenset[str], kinds: str = "BIFC") -> list[ElementType]:
    """The element types of these kinds that a provider has."""
    return accepted(kinds, available)


def accumulated(t: ElementType) -> ElementType:
    """The type of a sum of elements: 64 bits for integers and bool."""
    return t if t.kind in "FC" else ELEMENT_TYPES["uint64" if t.kind == "U" else "int64"]


def sample(t: ElementType, shape: tuple[int, ...]) -> Array:
    """The special values of a type, over and over."""
    return np.resize(specials(t), shape)


def _same_elements(operator: str, available: frozenset[str]) -> Iterator[Probe]:
    for t in types(available):
        for label, (x,) in arrangements([t]):
            yield Value(operator, f"{t.name} {label}", (x,), exactly(x))


def _destroy(operator: str, available: frozenset[str]) -> Iterator[Probe]:
    def use_after(provider: Provider) -> str | None:
        destroy, add = needed(provider, "destroy"), needed(provider, "add")
        tensor = provider.from_numpy(np.ones(3, np.float32))
        destroy(tensor)
        try:
            add(tensor, tensor)
        except Exception as error:
            status = getattr(error, "status", None)
            return None if status == Status.UNINITIALIZED_OBJECT else f"later use gave status {status}"
        return "a destroyed tensor can be used"

    yield Scenario(operator, "later use is refused", use_after, "statuses")


_QUERIES: dict[str, Callable[[Array], Any]] = {
    "shape": lambda x: x.shape,
    "size": lambda x: x.size,
    "rank": lambda x: x.ndim,
    "is_contiguous": lambda x: x.flags.c_contiguous,
}


def _query(operator: str, available: frozenset[str]) -> Iterator[Probe]:
    for label, (x,) in arrangements([ELEMENT_TYPES["float32"]]):
        answer = np.asarray(_QUERIES[operator](x))
        reference = answer.astype(np.int64) if answer.dtype != bool and answer.size else answer
        yield Value(operator, label, (x,), Expected(type_of(answer), reference))


def _astype(operator: str, available: frozenset[str]) -> Iterator[Probe]:
    small = {
        "B": [0, 1],
        "U": [0, 1, 2, 100],
        "S": [0, 1, -1, 100],
        "F": [0.0, 1.5, 100.25],
        "C": [0j, 1 + 2j],
    }
    for source in types(available):
        x = np.array(small[source.kind]).astype(source.numpy)
        for target in types(available):
            label = f"{source.name} to {target.name}"
            if source.kind == "C" and target.kind not in "BC":
                yield Refusal(operator, label, (x, target), Status.TYPE_MISMATCH)
            elif not (source.kind == "S" and target.kind == "U"):
                wide = x.astype(np.float64) if source.name == "bfloat16" else x
                yield Value(operator, label, (x, target), exactly(wide.astype(target.numpy)))
    for source in types(available, "F"):
        values = random_values(source, 0)
        for target in types(available, "F"):
            expected = Expected(target, exact(values), CORRECT)
            yield Value(operator, f"{source.name} to {target.name}, rounded", (values, target), expected)


# Further arguments and what they make of an array of shape (3, 1, 4).
_SHAPINGS: dict[str, tuple[tuple[tuple[Any, ...], Callable[[Array], Array]], ...]] = {
    "reshape": (
        (((6, 2),), lambda x: x.reshape(6, 2)),
        (((2, -1),), lambda x: x.reshape(2, 6)),
    ),
    "expand_dims": (((0,), lambda x: x[None]), ((-1,), lambda x: x[..., None])),
    "squeeze": (((), np.squeeze), ((1,), np.squeeze)),
    "transpose": (((), np.transpose), (((1, 2, 0),), lambda x: x.transpose(1, 2, 0))),
    "permute_dims": ((((1, 2, 0),), lambda x: x.transpose(1, 2, 0)),),
    "matrix_transpose": (((), lambda x: x.swapaxes(-1, -2)),),
    "expand": (((((2, 3, 5, 4)),), lambda x: np.broadcast_to(x, (2, 3, 5, 4))),),
    "flatten": (((), np.ravel), ((1,), lambda x: x.reshape(3, 4))),
}
_MISSHAPES: dict[str, tuple[tuple[Any, ...], Status]] = {
    "reshape": (((5, 5),), Status.DIMENSIONS_MISMATCH),
    "expand_dims": ((7,), Status.OUT_OF_RANGE),
    "squeeze": ((0,), Status.DIMENSIONS_MISMATCH),
    "transpose": (((0, 1, 7),), Status.OUT_OF_RANGE),
    "expand": (((2, 4),), Status.DIMENSIONS_MISMATCH),
}


def _shaped(operator: str, available: frozenset[str]) -> Iterator[Probe]:
    for t in types(available):
        flat = sample(t, (12,))
        for label, x in (
            ("contiguous", flat.reshape(3, 1, 4)),
            ("transposed", flat.reshape(4, 1, 3).T),
            ("negative stride", flat.reshape(3, 1, 4)[::-1, :, ::-1]),
        ):
            for further, shape in _SHAPINGS[operator]:
                expected = exactly(shape(x))
                yield Value(operator, f"{t.name} {label} {further}", (x, *further), expected)
    if operator in ("transpose", "permute_dims", "matrix_transpose"):
        empty = np.zeros((3, 0, 4), np.float32)
        for further, shape in _SHAPINGS[operator]:
            yield Value(operator, f"empty {further}", (empty, *further), exactly(shape(empty)), aspect="empty")
    if operator in _MISSHAPES:
        further, status = _MISSHAPES[operator]
        yield Refusal(operator, f"{further}", (np.ones((3, 1, 4), np.float32), *further), status)


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
    """One reduction over every axis, called by its own name or through `reduce`."""
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


# Rows, and what their sum, product, mean, max and min are.
_STRANGE: tuple[tuple[list[float], list[float]], ...] = (
    ([1.0, np.nan, 2.0], [np.nan] * 5),
    ([1.0, np.inf, 2.0], [np.inf, np.inf, np.inf, np.inf, 1.0]),
    ([1.0, -np.inf, np.inf], [np.nan, -np.inf, np.nan, np.inf, -np.inf]),
    ([-np.inf, 2.0, 0.5], [-np.inf, -np.inf, -np.inf, 2.0, -np.inf]),
)


def _strange(operator: str, available: frozenset[str]) -> Iterator[Probe]:
    """Reductions of NaN and infinities."""
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
    """Elements whose product and sum stay finite, of shape (7, 13)."""
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
    # Accumulated in float64: for every step an error in its last place.
    steps = x.size * 2.0 ** (result.precision - 53)
    size = np.abs(reference) if op == "prod" else np.asarray(fold(np.abs(wide), axis=axis))
    bound = 1.0 if t.kind == "C" else CORRECT
    return Expected(result, reference, bound, np.maximum(np.abs(reference), 2 * steps * size))


def _trace(operator: str, available: frozenset[str]) -> Iterator[Probe]:
    for t in types(available, lookup(operator).accepts):
        for shape, offset in (((3, 3), 0), ((2, 3), 1), ((2, 3, 4), -1), ((3, 0), 0)):
            x = np.resize(np.array([0, 1, 1, 1]), shape).astype(t.numpy)
            traced = np.asarray(np.trace(x.astype(np.complex128), offset, -2, -1))
            expected = exactly((traced if t.kind == "C" else traced.real).astype(accumulated(t).numpy))
            yield Value(operator, f"{t.name} {shape}, offset={offset}", (x,), expected, {"offset": offset})
    yield Refusal(operator, "a vector", (np.ones(3, np.float32),), Status.DIMENSIONS_MISMATCH)


def _whole(operator: str, available: frozenset[str]) -> Iterator[Probe]:
    """`array_equal` and `allclose`: one answer for two tensors."""
    for t in types(available):
        x = np.array([0, 1, 1], t.numpy)
        y = np.array([0, 1, 0], t.numpy)
        for label, other, answer in (("itself", x, True), ("another", y, False)):
            yield Value(operator, f"{t.name} with {label}", (x, other), exactly(np.asarray(answer)))


PROBES: dict[str, Maker] = {
    **dict.fromkeys(("contiguous", "clone"), _same_elements),
    "destroy": _destroy,
    **dict.fromkeys(_QUERIES, _query),
    "astype": _astype,
    **dict.fromkeys(_SHAPINGS, _shaped),
    **dict.fromkeys(_REDUCTIONS, _reduction),
    "reduce": _reduce,
    "trace": _trace,
    **dict.fromkeys(("array_equal", "allclose"), _whole),
}
