"""Probes of chapter 5.1 of the standard. Elements, dimensions and coordinates are counted from 0, and negative numbers
count from the end.

The table `_CALLS` contains calls of every operator whose clause states the rule of chapter 5.1. The elements of the
first operand are the numbers 0, 1, 2 and so on in the default order, so that each element shows its own place. Any
other operand that is an array is a tensor of indices.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from ..inputs import types
from ..oracle.compare import Expected, exactly
from ..oracle.element_types import Array, ElementType, exact, type_of
from ..probe import Probe, Value
from ..standard import standard


class _Call(NamedTuple):
    """The arguments of a call, and a function that computes the expected result or results from the first operand with
    NumPy.
    """

    args: tuple[Any, ...]
    options: dict[str, Any]
    result: Callable[..., Any]
    shape: tuple[int, ...] = (2, 3, 4)
    list_of: int = 0  # the number of tensors in a list operand


def _i(*values: Any) -> Array:
    return np.array(values, np.int64)


def _axis(result: Callable[..., Any], *before: Any, **more: Any) -> tuple[_Call, ...]:
    """Return calls with every axis of a tensor of rank 3. The axes are counted from both ends and passed by name."""
    return tuple(
        _Call(before, {"axis": axis, **more}, lambda x, axis=axis: result(x, axis % 3)) for axis in range(-3, 3)
    )


def _at(result: Callable[..., Any], *args: Any, shape: tuple[int, ...] = (2, 3, 4), **options: Any) -> _Call:
    return _Call(args, options, result, shape)


def _coordinates(x: Array) -> Array:
    """Return a matrix of zeros with the first three elements of `x` at the first place, the last place and the place
    (1, 0).
    """
    dense = np.zeros((3, 4), x.dtype)
    dense[0, 0], dense[2, 3], dense[1, 0] = x[:3]
    return dense


def _written(x: Array, index: tuple[Any, ...], value: Any) -> Array:
    result = x.copy()
    result[index] = value
    return result


def _first(x: Array, axis: int) -> Array:
    return np.asarray(np.zeros(x.shape[:axis] + x.shape[axis + 1 :], np.int64))


_CALLS: dict[str, tuple[_Call, ...]] = {
    "sparse_tensor": (),  # `_sparse` makes the probes, because the tensor is not an operand
    "diag": (
        _at(lambda x: x.diagonal(), shape=(3, 4)),
        _at(lambda x: x.diagonal(1), 1, shape=(3, 4)),
        _at(lambda x: x.diagonal(-2), -2, shape=(3, 4)),
        _at(lambda x: np.diag(x, 1), 1, shape=(3,)),
        _at(lambda x: np.diag(x, -2), -2, shape=(2,)),
    ),
    "expand_dims": tuple(_at(lambda x, axis=axis: np.expand_dims(x, axis), axis) for axis in range(-4, 4)),
    "squeeze": tuple(
        _at(lambda x, axis=axis: np.squeeze(x, axis), axis, shape=(1, 3, 1, 4)) for axis in (0, 2, -2, -4, (0, 2))
    ),
    "transpose": tuple(
        _at(lambda x, axes=axes: x.transpose(axes), axes) for axes in ((1, 2, 0), (-1, 0, 1), (2, -2, 0), (0, -1, -2))
    ),
    "split": tuple(
        _at(lambda x, axis=axis: np.split(x, [1], axis), [1, (2, 3, 4)[axis] - 1], axis) for axis in range(-3, 3)
    ),
    "concat": tuple(
        _Call((), {"axis": axis}, lambda x, axis=axis: np.concatenate([x, x], axis), list_of=2) for axis in range(-3, 3)
    ),
    "stack": tuple(
        _Call((), {"axis": axis}, lambda x, axis=axis: np.stack([x, x], axis), list_of=2) for axis in range(-4, 4)
    ),
    "unstack": _axis(lambda x, axis: [*np.moveaxis(x, axis, 0)]),
    "slice": (
        _at(lambda x: x[0:1, 1:3], [0, 1], [1, 3]),
        _at(lambda x: x[:, :, 3:0:-1], [3], [0], [-1], axis=[2]),
        _at(lambda x: x[:, 0:-1], [0], [-1], axis=[1]),
        _at(lambda x: x[:, :, -3:-1], [-3], [-1], axis=[-1]),
        _at(lambda x: x[1:2, :, 0:4:3], [1, 0], [2, 4], [1, 3], axis=[0, 2]),
    ),
    "reverse": _axis(np.flip),
    "flip": _axis(np.flip),
    "roll": tuple(_at(lambda x, axis=axis: np.roll(x, 1, axis), 1, axis) for axis in range(-3, 3)),
    "crop": (
        _at(lambda x: x[0:1, 0:2, 0:3], [0, 0, 0], [1, 2, 3]),
        _at(lambda x: x[1:2, 1:3, 3:4], [1, 1, 3], [1, 2, 1]),
    ),
    "gather": tuple(
        _at(lambda x, axis=axis: np.take(x, [1, 0, -1], axis), _i(1, 0, -1), axis) for axis in range(-3, 3)
    ),
    "index_select": tuple(
        _at(lambda x, axis=axis: np.take(x, [1, 0, -1], axis), _i(1, 0, -1), axis) for axis in range(-3, 3)
    ),
    "scatter": (
        _at(lambda x: _written(x, (1, 0), x.dtype.type(0)), _i([1]), 0, 0, shape=(3, 2)),
        _at(lambda x: _written(x, (0, 1), x.dtype.type(0)), _i([1]), 0, 1, shape=(3, 2)),
        _at(lambda x: _written(x, (0, 1), x.dtype.type(0)), _i([-1]), 0, -1, shape=(3, 2)),
        _at(lambda x: _written(x, (2, 0), x.dtype.type(0)), _i([-1]), 0, -2, shape=(3, 2)),
    ),
    "flatten": (
        _at(lambda x: x.reshape(6, 4), 0, 1),
        _at(lambda x: x.reshape(2, 12), 1, 2),
        _at(lambda x: x.reshape(2, 12), -2, -1),
        _at(lambda x: x.reshape(6, 4), -3, -2),
        _at(lambda x: x, 1, 1),
    ),
    "trace": (
        _at(lambda x: np.asarray(np.trace(x, 1)), 1, shape=(3, 4)),
        _at(lambda x: np.asarray(np.trace(x, -1)), -1, shape=(3, 4)),
        _at(lambda x: np.asarray(np.trace(x, 3)), 3, shape=(3, 4)),
    ),
    "reduce": tuple(
        _at(lambda x, axis=axis: np.asarray(x.max(axis)), "max", axis) for axis in (*range(-3, 3), (0, -1), (-2, 0))
    ),
    "cumulative_sum": _axis(np.cumsum),
    "argmax": (*_axis(lambda x, axis: x.argmax(axis)), _at(lambda x: np.asarray(x.argmax()))),
    "argmin": (*_axis(_first), _at(lambda x: np.asarray(np.int64(0)))),
    "argsort": _axis(lambda x, axis: np.argsort(x, axis, kind="stable")),
    "topk": tuple(
        _at(lambda x, axis=axis: [np.take(x, [-1, -2], axis), _last_two(x.shape, axis)], 2, axis)
        for axis in range(-3, 3)
    ),
    "nonzero": (_at(lambda x: [*np.nonzero(x)]),),
    "fft.fft": _axis(lambda x, axis: np.fft.fft(x, 2, axis), 2),
    "fft.ifft": _axis(lambda x, axis: np.fft.ifft(x, 2, axis), 2),
}


def _last_two(shape: tuple[int, ...], axis: int) -> Array:
    """Return the indices of the two greatest elements along an axis. The elements ascend, so the last two are the
    greatest.
    """
    places = np.arange(shape[axis])[-2:][::-1].reshape([2 if i == axis % 3 else 1 for i in range(3)])
    return np.asarray(np.broadcast_to(places, [2 if i == axis % 3 else n for i, n in enumerate(shape)]))


def probes(function: str, available: frozenset[str]) -> Iterator[Probe]:
    """Yield the probes of an operator that accepts or returns indices or axes, for a few element types."""
    operator = standard().operators.get(function)
    if operator is None or "indices" not in operator.aspects:
        return
    taken = [t for t in types(available, operator.types) if t.name in ("float32", "int32", "int64", "complex64")]
    for t in taken or types(available, "F")[:1]:
        if function == "sparse_tensor":
            yield from _sparse(function, t)
        for call in _CALLS[function]:
            if not (t.kind == "C" and function == "reduce"):
                yield _asked(function, call, t)


def _asked(function: str, call: _Call, t: ElementType) -> Probe:
    x = np.arange(int(np.prod(call.shape))).reshape(call.shape).astype(t.numpy)
    shown = [a.tolist() if isinstance(a, np.ndarray) else a for a in call.args]
    named = [f"{name}={value}" for name, value in call.options.items()]
    first: Any = [x] * call.list_of if call.list_of else x
    found = call.result(x)
    several = isinstance(found, list)
    return Value(
        function,
        f"{t.name} of shape {call.shape}: {', '.join([*map(str, shown), *named]) or 'all'}",
        (first, *call.args),
        tuple(map(_as_is, found)) if several else _as_is(np.asarray(found)),
        dict(call.options),
        "indices",
    )


def _as_is(array: Array) -> Expected:
    """Return the elements as an expected result. In sums of two complex numbers the signs of zeros are unspecified."""
    t = type_of(array)
    return Expected(t, exact(array), 1.0) if t.kind == "C" else exactly(array)


def _sparse(function: str, t: ElementType) -> Iterator[Probe]:
    """Yield a probe of a sparse tensor whose coordinates include 0 and one less than each size."""
    values = np.array([1, 2, 3]).astype(t.numpy)
    expected = exactly(_coordinates(values))
    places = _i([0, 0], [2, 3], [1, 0])
    yield Value(
        function, f"{t.name} at the first and the last place", ((3, 4), places, values), expected, {}, "indices"
    )
