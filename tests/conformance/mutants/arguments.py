"""Faults in reading arguments: options, defaults, axes, numbers as operands, output tensors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Any

import numpy as np

import suanzi

from . import faults as f
from .faults import Fault, Function, Maker, Seen, array_of, bound, otherwise, result_changed
from .functions import Described, Parameter, pool

NUMBERS = (bool, int, float, complex)


def _set(name: str, value: Callable[[Any], Any], *, given: bool) -> Maker:
    """Make a fault that replaces the value of the parameter `name` by the result of the function `value`.

    If `given` is True, the fault affects only calls that pass the parameter, and otherwise only calls that omit the
    parameter.
    """

    def changed(seen: Seen) -> None:
        if (name in seen.given) == given:
            seen.given[name] = value(seen.given.get(name))

    return otherwise(changed)


def options(function: Described) -> Iterator[Fault]:
    """Make faults of options. A faulty function ignores an option, replaces one value by another value, or clips
    numbers.
    """
    for p in function.options():
        if p.name == "seed":
            continue
        yield Fault("options", function.name, f"{p.name} is ignored", _dropped(p.name))
        values = _values(function, p)
        for a in values:
            for b in values:
                if type(a) is type(b) and a != b and not isinstance(a, list | tuple) and len(values) < 9:
                    name = f"{p.name} = {a!r} is taken for {b!r}"
                    yield Fault("options", function.name, name, _set(p.name, _swap(a, b), given=True))
        if any(isinstance(v, int) and not isinstance(v, bool) for v in values) and not p.is_axis:
            limits = {"held to 1": lambda v: min(v, 1), "held to -1": lambda v: max(v, -1), "without a sign": abs}
            for told, limit in limits.items():
                name = f"{p.name} is {told}"
                yield Fault("options", function.name, name, _set(p.name, _whole(limit), given=True))
        if any(isinstance(v, list | tuple) for v in values) and not p.is_axis:
            yield Fault("options", function.name, f"of {p.name} the first is taken", _set(p.name, _firsts, given=True))
    for place, name in enumerate(function.places):
        yield from _required(function, name, place)


def _required(function: Described, name: str, place: int) -> Iterator[Fault]:
    """Make faults of required parameters that are not tensors: shifts, sizes, widths."""
    values = [c.args[place] for c in pool(function.name) if len(c.args) > place]
    if any(isinstance(v, np.ndarray) for v in values):
        return  # the parameter is an operand, for which `scalars` makes faults
    if any(isinstance(v, list | tuple) and v and all(isinstance(i, int) for i in v) for v in values):
        for told, change in (
            ("in reverse", _backward),
            ("of which the last is taken for 1", _last_one),
            ("in order", _ordered),
        ):
            yield Fault("options", function.name, f"{name} is read {told}", _set(name, change, given=True))
    if any(isinstance(v, int) and not isinstance(v, bool) for v in values):
        for told, limit in (("without a sign", abs), ("held to 2", lambda v: min(v, 2))):
            yield Fault("options", function.name, f"{name} is {told}", _set(name, _whole(limit), given=True))
    words = sorted({v for v in values if isinstance(v, str)})
    for a, b in ((a, b) for a in words for b in words if a != b and place):
        yield Fault("options", function.name, f"{name} = {a!r} is taken for {b!r}", _set(name, _swap(a, b), given=True))


def _backward(v: Any) -> Any:
    return type(v)(reversed(v)) if isinstance(v, list | tuple) else v


def _ordered(v: Any) -> Any:
    whole = isinstance(v, list | tuple) and all(isinstance(i, int) for i in v)
    return type(v)(sorted(v)) if whole else v


def _last_one(v: Any) -> Any:
    return type(v)((*v[:-1], 1)) if isinstance(v, list | tuple) and v and isinstance(v[-1], int) else v


def _firsts(v: Any) -> Any:
    return type(v)([v[0]] * len(v)) if isinstance(v, list | tuple) and v else v


def _swap(a: Any, b: Any) -> Callable[[Any], Any]:
    return lambda v: b if type(v) is type(a) and v == a else v


def _whole(limit: Callable[[int], int]) -> Callable[[Any], Any]:
    return lambda v: limit(v) if isinstance(v, int) and not isinstance(v, bool) else v


def _values(function: Described, p: Parameter) -> list[Any]:
    """Return up to 24 values of an option: the default, the values in the clauses, and the values in `pool`."""
    seen: list[Any] = [p.default, *(c for c in p.choices)]
    for c in pool(function.name):
        place = list(function.signature.parameters).index(p.name)
        value = c.options.get(p.name, c.args[place] if place < len(c.args) else None)
        if isinstance(value, bool | int | float | str | list | tuple):
            seen.append(value)
    found: list[Any] = []
    for value in seen:
        if value is not None and not any(type(v) is type(value) and v == value for v in found):
            found.append(value)
    return found[:24]


def _dropped(name: str) -> Maker:
    return otherwise(lambda seen: seen.given.pop(name, None))


def defaults(function: Described) -> Iterator[Fault]:
    """Make faults of defaults. A faulty function uses a wrong default for a parameter that the call omits."""
    for p in function.options():
        for value in _others(function, p):
            told = getattr(value, "name", repr(value))
            yield Fault(
                "defaults",
                function.name,
                f"{p.name} is {told} by default",
                _set(p.name, lambda _, v=value: v, given=False),
            )


def _others(function: Described, p: Parameter) -> list[Any]:
    if p.name == "dtype" and function.name not in ("quantized_tensor", "quantize", "requantize"):
        return [suanzi.float64, suanzi.int64]
    if p.name in ("layout", "seed", "shape", "nnz", "n", "s", "sorter"):
        return []
    if isinstance(p.default, bool):
        return [not p.default]
    if isinstance(p.default, float):
        return [p.default * 1000 + 0.01]
    if p.is_axis:
        return [axis for axis in (0, -1, 1) if axis != p.default]
    if isinstance(p.default, int):
        return [p.default + 1, -p.default - 1]
    return [v for v in _values(function, p) if v != p.default and not isinstance(v, float)][:4]


def together(function: Described) -> Iterator[Fault]:
    """Make faults of pairs of parameters. A faulty function ignores a parameter if the call has another parameter."""
    names = [p.name for p in function.options() if p.name not in ("seed", "layout")]
    for a, b in combinations(names, 2):
        for lost, other in ((a, b), (b, a)):

            def changed(seen: Seen, lost: str = lost, other: str = other) -> None:
                if other in seen.given and seen.given[other] not in (None, False):
                    seen.given.pop(lost, None)

            yield Fault(
                "options together", function.name, f"{lost} is ignored where {other} is given", otherwise(changed)
            )
    if {"keepdims", "axis"} <= {*names}:
        for told, chosen in (
            ("several axes", lambda axis: isinstance(axis, tuple)),
            ("all axes", lambda axis: axis is None),
        ):

            def flat(seen: Seen, chosen: Callable[[Any], bool] = chosen) -> None:
                if chosen(seen.given.get("axis")):
                    seen.given.pop("keepdims", None)

            yield Fault("options together", function.name, f"keepdims is ignored with {told}", otherwise(flat))


# --- axes ---


def _of(name: str, change: Callable[[Any, int], Any]) -> Maker:
    def changed(seen: Seen) -> None:
        operands = seen.operands
        if name in seen.given and operands:
            value = seen.given[name]
            if isinstance(value, int) and not isinstance(value, bool):
                seen.given[name] = change(value, operands[0].ndim)
            elif isinstance(value, tuple) and all(isinstance(v, int) for v in value):
                seen.given[name] = tuple(change(v, operands[0].ndim) for v in value)

    return otherwise(changed)


def _several(name: str, change: Callable[[tuple[int, ...]], Any]) -> Maker:
    def changed(seen: Seen) -> None:
        value = seen.given.get(name)
        if isinstance(value, tuple) and len(value) > 1 and all(isinstance(v, int) for v in value):
            seen.given[name] = change(value)

    return otherwise(changed)


def axes(function: Described) -> Iterator[Fault]:
    names = [name for name in function.signature.parameters if "ax" in name or name in ("source", "destination")]
    single: dict[str, Callable[[int, int], int]] = {
        "has no sign": lambda v, _: abs(v),
        "before -1 is -1": lambda v, _: max(v, -1),
        "before -1 is one too far": lambda v, n: v + 1 if v < -1 else v,
        "past 1 is 1": lambda v, _: min(v, 1),
        "in the middle is the last": lambda v, n: n - 1 if 0 < v % max(n, 1) < n - 1 else v,
        "that is negative counts from rank 2": lambda v, n: v + 2 if v < 0 else v,
        "counts from the end": lambda v, n: -1 - v if 0 <= v < n else v,
    }
    several: dict[str, Callable[[tuple[int, ...]], Any]] = {
        "several are the first": lambda v: v[0],
        "several are the last": lambda v: v[-1],
        "several are the first two next to each other": lambda v: (v[0], v[0] + 1) if v[0] >= 0 else v,
    }
    for name in names:
        for told, change in single.items():
            yield Fault("axes", function.name, f"{name} that {told}" if " " in told else told, _of(name, change))
        for told, choose in several.items():
            yield Fault("axes", function.name, f"of {name} {told}", _several(name, choose))


# --- numbers as operands (5.7) ---


def scalars(function: Described) -> Iterator[Fault]:
    """Make faults of numbers as operands. A faulty function rounds numbers, drops a part, or changes numbers by one."""
    changes: dict[str, Callable[[Any], Any]] = {
        "go by way of float32": lambda v: float(np.float32(v)) if isinstance(v, float) else v,
        "that are whole go by way of float32": lambda v: int(np.float32(v)) if type(v) is int else v,
        "that are whole go by way of float64": lambda v: int(float(v)) if type(v) is int else v,
        "are cut off to whole ones": lambda v: int(v) if isinstance(v, float) and np.isfinite(v) else v,
        "lose their sign": lambda v: abs(v) if type(v) in (int, float) else v,
        "are wrong by one": lambda v: v + 1 if type(v) in (int, float, complex) else v,
        "lose their imaginary part": lambda v: v.real if isinstance(v, complex) else v,
    }
    names = [
        n
        for n in (
            *function.places,
            "value",
            "min",
            "max",
            "bias",
            "updates",
            "fill_value",
            "low",
            "high",
            "mean",
            "std",
            "start",
            "stop",
            "step",
        )
        if n in function.signature.parameters
    ]
    plain = function.name in ("full", "arange", "linspace", "uniform", "normal")
    for told, change in changes.items():
        for first in (False, True):

            def changed(seen: Seen, change: Callable[[Any], Any] = change, first: bool = first) -> None:
                for place, name in enumerate(names):
                    value = seen.given.get(name)
                    left = place == 0 or not first
                    if isinstance(value, NUMBERS) and not isinstance(value, bool) and left and (seen.operands or plain):
                        seen.given[name] = change(value)

            where = "on the left " if first else ""
            yield Fault("scalars", function.name, f"numbers {where}{told}", otherwise(changed))

    def left(seen: Seen) -> bool:
        return bool(seen.bound.args) and isinstance(seen.bound.args[0], NUMBERS) and bool(seen.operands)

    yield Fault(
        "scalars", function.name, "results are wrong for a number on the left", result_changed(f.last, when=left)
    )
    if function.name in ("add", "subtract", "multiply", "divide", "pow", "maximum", "less", "bitwise_and", "remainder"):
        yield Fault("scalars", function.name, "a number on the left goes to the right", _to_the_right)


def _to_the_right(function: Function) -> Function:
    def call(x: Any, y: Any, *rest: Any, **options: Any) -> Any:
        return function(y, x, *rest, **options) if isinstance(x, NUMBERS) else function(x, y, *rest, **options)

    return call


# --- the output tensor ---


def output(function: Described) -> Iterator[Fault]:
    if not function.has_out:
        return
    makers: dict[str, Maker] = {
        "is not written": _not_written,
        "is written, a copy is returned": _copy_returned,
        "is written but for its end": _half_written,
        "is written in the order of its memory": _in_memory_order,
        "is cleared before operands are read": _cleared,
        "is written twice as much": _added,
        "with gaps is not written": _written_if_contiguous,
    }
    for told, maker in makers.items():
        yield Fault("output", function.name, f"out {told}", maker)


def _with_out(write: Callable[[Any, Any], Any]) -> Maker:
    def fault(function: Function) -> Function:
        def call(*operands: Any, **options: Any) -> Any:
            out = options.get("out")
            if out is None:
                return function(*operands, **options)
            before = suanzi.clone(out) if isinstance(out, suanzi.Tensor) else None
            result = function(*operands, **options)  # raises an error for invalid arguments
            kept = suanzi.clone(result)
            out[...] = before
            return write(kept, out)

        return call

    return fault


def _keep(result: Any, out: Any) -> Any:
    return result


def _copied(result: Any, out: Any) -> Any:
    out[...] = result
    return result


def _half(result: Any, out: Any) -> Any:
    whole = array_of(result).reshape(-1)
    now = array_of(out).reshape(-1)
    now[: max(whole.size - 1, 0)] = whole[: max(whole.size - 1, 0)]
    out[...] = suanzi.tensor(now.reshape(out.shape))
    return out


def _memory(result: Any, out: Any) -> Any:
    out[...] = result if out.is_contiguous() else suanzi.tensor(array_of(result)[..., ::-1].copy())
    return out


def _twice(result: Any, out: Any) -> Any:
    out[...] = suanzi.tensor(f.off(array_of(result)))
    return out


def _contiguous(result: Any, out: Any) -> Any:
    if out.is_contiguous():
        out[...] = result
    return out


_not_written, _copy_returned, _half_written = _with_out(_keep), _with_out(_copied), _with_out(_half)
_in_memory_order, _added, _written_if_contiguous = _with_out(_memory), _with_out(_twice), _with_out(_contiguous)


def _cleared(function: Function) -> Function:
    def call(*operands: Any, **options: Any) -> Any:
        out = options.get("out")
        seen = bound(function, operands, options)
        if out is not None and seen is not None and any(x is out for x in seen.operands):
            function(*operands, **{**options, "out": suanzi.clone(out)})
            out[...] = suanzi.zeros(out.shape, dtype=out.dtype)
        return function(*operands, **options)

    return call


KINDS = (options, defaults, together, axes, scalars, output)
