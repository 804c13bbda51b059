"""Probes of copies, queries, casts, shapes and comparisons of whole tensors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from ..inputs import Maker, arrangements, random_values, sample, types
from ..oracle.compare import CORRECT, Expected, exactly
from ..oracle.element_types import ELEMENT_TYPES, Array, exact, type_of
from ..oracle.models.casting import cast, telling
from ..probe import Probe, Refusal, Scenario, Value
from ..provider import Provider, needed
from ..status import Status, status_in


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
            status = status_in(error)
            return None if status == Status.UNINITIALIZED_OBJECT else f"later use returned status {status}"
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
        # A provider without negative strides stores the elements in another order.
        claim = "negative strides" if label == "negative stride" and operator == "is_contiguous" else ""
        yield Value(operator, label, (x,), Expected(type_of(answer), reference), claim=claim)


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
    for source, target in product(types(available), types(available)):
        if source.kind != "C" or target.kind in "BC":
            values = telling(source, target)
            label = f"{source.name} to {target.name}, ends and ties"
            found = partial(cast, values, target)
            yield Value(operator, label, (values, target), found, aspect="boundary values", telling=True)
    for source in types(available, "F"):
        values = random_values(source, 0)
        for target in types(available, "F"):
            expected = Expected(target, exact(values), CORRECT)
            yield Value(operator, f"{source.name} to {target.name}, rounded", (values, target), expected)


# Further arguments, and NumPy's result for an array of shape (3, 1, 4).
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


def _whole(operator: str, available: frozenset[str]) -> Iterator[Probe]:
    """Make probes of `array_equal` and `allclose`, which return one answer for two tensors."""
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
    **dict.fromkeys(("array_equal", "allclose"), _whole),
}
