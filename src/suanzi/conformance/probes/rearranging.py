"""Probes of joining and rearranging. Index arithmetic on flat arrays determines the expected place of each element."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..inputs import Maker, sample, types
from ..oracle.compare import exactly
from ..oracle.element_types import Array
from ..probe import Probe, Refusal, Scenario, Value
from ..provider import Provider, needed, only_tensor
from ..status import Status, status_in

SHAPE = (3, 4)


def _layouts(flat: Array) -> Iterator[tuple[str, Array]]:
    yield "contiguous", flat.reshape(SHAPE)
    yield "transposed", flat.reshape(SHAPE[::-1]).T
    yield "negative stride", flat.reshape(SHAPE)[::-1, ::-1]


def _at(*rows: list[int]) -> Callable[[Array], Array]:
    """Return a function that computes the result of a call on a tensor of SHAPE. `rows` has the rows of the result, and
    each number is the place of an element in the flat tensor.
    """
    places = np.array(rows)
    return lambda x: x.ravel()[places]


# Calls on a tensor of SHAPE, and the elements that the result must have row by row, as numbers in this table.
#  0  1  2  3
#  4  5  6  7
#  8  9 10 11
_CALLS: dict[str, tuple[tuple[tuple[Any, ...], dict[str, Any], Callable[[Array], Array]], ...]] = {
    "slice": (
        ((1, 3), {}, _at([4, 5, 6, 7], [8, 9, 10, 11])),
        (([0, 0], [3, 4], [2, 3]), {}, _at([0, 3], [8, 11])),
        (([2, -1], [0, -3], [-1, -1]), {}, _at([11, 10], [7, 6])),
    ),
    "crop": ((((1, 1), (2, 2)), {}, _at([5, 6], [9, 10])),),
    "flip": (
        ((), {}, _at([11, 10, 9, 8], [7, 6, 5, 4], [3, 2, 1, 0])),
        ((), {"axis": 1}, _at([3, 2, 1, 0], [7, 6, 5, 4], [11, 10, 9, 8])),
    ),
    "reverse": (
        ((0,), {}, _at([8, 9, 10, 11], [4, 5, 6, 7], [0, 1, 2, 3])),
        ((1,), {"lengths": [0, 2, 4]}, _at([0, 1, 2, 3], [5, 4, 6, 7], [11, 10, 9, 8])),
    ),
    "roll": (
        ((1,), {}, _at([11, 0, 1, 2], [3, 4, 5, 6], [7, 8, 9, 10])),
        ((-1,), {"axis": 1}, _at([1, 2, 3, 0], [5, 6, 7, 4], [9, 10, 11, 8])),
        (((1, 2),), {"axis": (0, 1)}, _at([10, 11, 8, 9], [2, 3, 0, 1], [6, 7, 4, 5])),
    ),
    "pad": (
        (((0, 1), "edge"), {}, _at([0, 1, 2, 3, 3], [4, 5, 6, 7, 7], [8, 9, 10, 11, 11], [8, 9, 10, 11, 11])),
        ((((0, 0), (2, 0)), "reflect"), {}, _at([2, 1, 0, 1, 2, 3], [6, 5, 4, 5, 6, 7], [10, 9, 8, 9, 10, 11])),
        ((((0, 0), (1, 1)), "symmetric"), {}, _at([0, 0, 1, 2, 3, 3], [4, 4, 5, 6, 7, 7], [8, 8, 9, 10, 11, 11])),
        ((((1, 0), (0, 1)), "wrap"), {}, _at([8, 9, 10, 11, 8], [0, 1, 2, 3, 0], [4, 5, 6, 7, 4], [8, 9, 10, 11, 8])),
    ),
    "tile": (
        ((2,), {}, _at([0, 1, 2, 3, 0, 1, 2, 3], [4, 5, 6, 7, 4, 5, 6, 7], [8, 9, 10, 11, 8, 9, 10, 11])),
        (((2, 1),), {}, _at(*(2 * [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]))),
    ),
    "repeat": (
        ((2, 0), {}, _at(*(2 * [[0, 1, 2, 3]]), *(2 * [[4, 5, 6, 7]]), *(2 * [[8, 9, 10, 11]]))),
        (([0, 1, 2, 1], 1), {}, _at([1, 2, 2, 3], [5, 6, 6, 7], [9, 10, 10, 11])),
    ),
    "rot90": (((), {}, _at([3, 7, 11], [2, 6, 10], [1, 5, 9], [0, 4, 8])),),
    "moveaxis": (((0, 1), {}, _at([0, 4, 8], [1, 5, 9], [2, 6, 10], [3, 7, 11])),),
    "swapaxes": (((0, 1), {}, _at([0, 4, 8], [1, 5, 9], [2, 6, 10], [3, 7, 11])),),
}  # fmt: skip

_REFUSED: dict[str, tuple[tuple[Any, ...], dict[str, Any], Status]] = {
    "slice": ((0, 1, 0), {}, Status.INVALID_ARGUMENT),
    "crop": (((2, 2), (2, 2)), {}, Status.OUT_OF_RANGE),
    "flip": ((2,), {}, Status.OUT_OF_RANGE),
    "reverse": ((1,), {"lengths": [0, 5, 4]}, Status.OUT_OF_RANGE),
    "roll": ((1, 2), {}, Status.OUT_OF_RANGE),
    "pad": ((-1,), {}, Status.INVALID_ARGUMENT),
    "tile": ((-1,), {}, Status.INVALID_ARGUMENT),
    "repeat": (([1, 2], 0), {}, Status.DIMENSIONS_MISMATCH),
    "rot90": ((1, (0, 0)), {}, Status.INVALID_ARGUMENT),
    "moveaxis": ((0, 2), {}, Status.OUT_OF_RANGE),
    "swapaxes": ((0, 2), {}, Status.OUT_OF_RANGE),
}


def _rearranged(operator: str, available: frozenset[str]) -> Iterator[Probe]:
    for t in types(available):
        for label, x in _layouts(sample(t, (12,))):
            for further, options, expected in _CALLS[operator]:
                yield Value(operator, f"{t.name} {label} {further}", (x, *further), exactly(expected(x)), options)
    further, options, status = _REFUSED[operator]
    yield Refusal(operator, f"{further}", (np.ones(SHAPE, np.float32), *further), status, options)
    if operator == "pad":
        ringed = np.full((5, 6), 7, np.float32)
        ringed[1:-1, 1:-1] = 2
        yield Value(operator, "a constant", (np.full(SHAPE, 2, np.float32), 1), exactly(ringed), {"value": 7})


# Functions of several tensors, or with several results.
def _several(operator: str, available: frozenset[str]) -> Iterator[Probe]:
    for t in types(available):
        for label, x in _layouts(sample(t, (12,))):
            for wanted, call, expected in _SEVERAL[operator](x):
                yield Scenario(operator, f"{t.name} {label} {wanted}", _giving(operator, call, expected))
    tensors, rest, status = _SEVERAL_REFUSED[operator]
    yield Scenario(operator, "arguments that do not fit", _refusing(operator, tensors, rest, status))


# The arguments of a Call are the operator, and a function that makes tensors from arrays.
Call = Callable[[Callable[..., Any], Callable[[Array], Any]], Any]
Cases = Iterator[tuple[str, Call, list[Array]]]


def _giving(operator: str, call: Call, expected: list[Array]) -> Callable[[Provider], str | None]:
    def play(provider: Provider) -> str | None:
        function = needed(provider, operator)
        result = call(function, provider.from_numpy)
        results = list(result) if isinstance(result, tuple | list) else [only_tensor(result)]
        if len(results) != len(expected):
            return f"returned {len(results)} tensors, not {len(expected)}"
        faults = (exactly(e).fault(provider.to_numpy(r), ()) for r, e in zip(results, expected, strict=True))
        return next((fault for fault in faults if fault), None)

    return play


def _refusing(operator: str, arrays: list[Array], rest: Any, status: Status) -> Callable[[Provider], str | None]:
    def play(provider: Provider) -> str | None:
        function = needed(provider, operator)
        tensors = [provider.from_numpy(a) for a in arrays]
        try:
            function(*tensors) if rest is None else function(tensors if len(arrays) > 1 else tensors[0], rest)
        except Exception as error:
            given = status_in(error)
            return None if given == status else f"not {status.name} but status {given}: {error}"
        return f"not refused with {status.name}"

    return play


def _concat(x: Array) -> Cases:
    rows = [*x, *x[::-1]]
    yield "by rows", lambda f, tensor: f([tensor(x), tensor(x[::-1])], 0), [np.array(rows)]
    yield "by columns", lambda f, tensor: f([tensor(x), tensor(x[:, :1])], axis=1), [np.array([[*r, r[0]] for r in x])]
    yield "with nothing", lambda f, tensor: f([tensor(x[:0]), tensor(x)], 0), [x]


def _stack(x: Array) -> Cases:
    yield "in front", lambda f, tensor: f([tensor(x), tensor(x)], 0), [np.array([x, x])]
    yield (
        "behind",
        lambda f, tensor: f([tensor(x), tensor(x)], axis=-1),
        [np.array([[[e, e] for e in row] for row in x])],
    )


def _split(x: Array) -> Cases:
    yield "equally", lambda f, tensor: f(tensor(x), 2, 1), [x[:, :2], x[:, 2:]]
    yield "by sizes", lambda f, tensor: f(tensor(x), [1, 0, 2], 0), [x[:1], x[1:1], x[1:]]


def _unstack(x: Array) -> Cases:
    yield "rows", lambda f, tensor: f(tensor(x)), list(x)
    yield "columns", lambda f, tensor: f(tensor(x), 1), list(x.T)


def _meshgrid(x: Array) -> Cases:
    row, column = x[0], x[:, 0]
    across, down = np.array([row] * 3), np.array([[e] * 4 for e in column])
    yield "xy", lambda f, tensor: f(tensor(row), tensor(column)), [across, down]
    yield "ij", lambda f, tensor: f(tensor(column), tensor(row), indexing="ij"), [down, across]


def _broadcast_arrays(x: Array) -> Cases:
    yield "a row", lambda f, tensor: f(tensor(x), tensor(x[0])), [x, np.array([x[0]] * 3)]


_SEVERAL: dict[str, Callable[[Array], Cases]] = {
    "concat": _concat,
    "stack": _stack,
    "split": _split,
    "unstack": _unstack,
    "meshgrid": _meshgrid,
    "broadcast_arrays": _broadcast_arrays,
}
_ONES = np.ones((2, 3), np.float32)
_SEVERAL_REFUSED: dict[str, tuple[list[Array], Any, Status]] = {
    "concat": ([_ONES, _ONES.T], 0, Status.DIMENSIONS_MISMATCH),
    "stack": ([_ONES, _ONES], 3, Status.OUT_OF_RANGE),
    "split": ([_ONES], [1, 2], Status.DIMENSIONS_MISMATCH),
    "unstack": ([_ONES], 2, Status.OUT_OF_RANGE),
    "meshgrid": ([_ONES, _ONES], None, Status.DIMENSIONS_MISMATCH),
    "broadcast_arrays": ([_ONES, _ONES.T], None, Status.DIMENSIONS_MISMATCH),
}

PROBES: dict[str, Maker] = {**dict.fromkeys(_CALLS, _rearranged), **dict.fromkeys(_SEVERAL, _several)}
