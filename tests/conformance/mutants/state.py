"""Faults of memory and state: operands that change, results that are kept, views in place of copies."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import suanzi
from suanzi.conformance.standard import standard

from . import faults as f
from .faults import Fault, Function, altered, array_of, bound, tensor_of
from .functions import Described


def unchanged(function: Described) -> Iterator[Fault]:
    """Make faults that write into an operand after a successful call."""
    changes = {"wrong at its end": f.last, "reversed": f.reversed_, "0": f.zeroed, "the opposite": f.opposite}
    for place in range(3):
        for told, change in changes.items():
            yield Fault("unchanged", function.name, f"operand {place + 1} becomes {told}", _writing(place, change))
            name = f"operand {place + 1}, where it has 3 dimensions or more, becomes {told}"
            yield Fault("unchanged", function.name, name, _writing(place, change, rank=3))


def _writing(place: int, change: f.Change, rank: int = 0) -> f.Maker:
    def fault(function: Function) -> Function:
        def call(*operands: Any, **options: Any) -> Any:
            result = function(*operands, **options)
            seen = bound(function, operands, options)
            tensors = seen.operands if seen else []
            if len(tensors) > place and tensors[place].ndim >= rank and tensors[place] is not options.get("out"):
                x = tensors[place]
                kept = suanzi.clone(result) if isinstance(result, suanzi.Tensor) and result is not x else result
                try:
                    x[...] = tensor_of(change(array_of(x)), x)
                except (suanzi.SuanziError, ValueError):  # the operand is expanded or read-only
                    return result
                return kept
            return result

        return call

    return fault


def state(function: Described) -> Iterator[Fault]:
    """Make faults by which the result of a call depends on earlier calls."""
    for count in (2, 3, 5):
        yield Fault("state", function.name, f"each call number {count} is wrong", _each(count), repeated=True)
    yield Fault("state", function.name, "a second call with the same tensor is wrong", _same_tensor, repeated=True)
    yield Fault("state", function.name, "the result of the same shapes is given again", _cached, repeated=True)
    yield Fault("state", function.name, "results share one memory", _one_memory, repeated=True)
    yield Fault("state", function.name, "the former result becomes wrong", _former, repeated=True)


def _each(count: int) -> f.Maker:
    def fault(function: Function) -> Function:
        calls = 0

        def call(*operands: Any, **options: Any) -> Any:
            nonlocal calls
            result = function(*operands, **options)
            calls += 1
            return altered(result, f.last) if calls % count == 0 else result

        return call

    return fault


def _same_tensor(function: Function) -> Function:
    kept: list[Any] = []

    def call(*operands: Any, **options: Any) -> Any:
        result = function(*operands, **options)
        again = bool(operands) and any(operands[0] is x for x in kept) and isinstance(operands[0], suanzi.Tensor)
        kept[:] = operands[:1]
        return altered(result, f.last) if again else result

    return call


def _cached(function: Function) -> Function:
    """Return a function that returns the result of an earlier call with operands of the same shapes and types."""
    found: dict[Any, Any] = {}

    def call(*operands: Any, **options: Any) -> Any:
        result = function(*operands, **options)
        seen = bound(function, operands, options)
        if seen is None or not seen.operands or options.get("out") is not None:
            return result
        rest = [repr(v) for v in (*operands, *options.values()) if not isinstance(v, suanzi.Tensor | list)]
        key = (*((x.shape, x.dtype.name) for x in seen.operands), *rest)
        return found.setdefault(key, result)

    return call


def _one_memory(function: Function) -> Function:
    """Return a function that writes all results of one shape and type into the memory of the first such result."""
    kept: dict[Any, Any] = {}

    def call(*operands: Any, **options: Any) -> Any:
        result = function(*operands, **options)
        if not isinstance(result, suanzi.Tensor) or options.get("out") is not None or result.dtype is suanzi.string:
            return result
        key = result.shape, result.dtype.name
        if key not in kept:
            kept[key] = suanzi.clone(result)
        else:
            kept[key][...] = result
        return kept[key]

    return call


def _former(function: Function) -> Function:
    kept: list[Any] = []

    def call(*operands: Any, **options: Any) -> Any:
        result = function(*operands, **options)
        if isinstance(result, suanzi.Tensor) and options.get("out") is None and result.dtype is not suanzi.string:
            own = suanzi.clone(result)
            for former in kept:
                former[...] = tensor_of(f.last(array_of(former)), former)
            kept[:] = [own]
            return own
        return result

    return call


# --- shared memory ---


def aliasing(function: Described) -> Iterator[Fault]:
    stated = standard().operators.get(function.name)
    if stated and "ownership" in stated.aspects and function.name != "from_reference":
        yield Fault("aliasing", function.name, "the operand is returned where it is the result", _operand_returned)
        yield Fault("aliasing", function.name, "the result lies in the operand's memory", _in_place)
    if function.name == "contiguous":
        yield Fault(
            "aliasing", function.name, "nothing is done", lambda function: lambda x: x if x.ndim else function(x)
        )
    if function.name == "from_reference":
        yield Fault("aliasing", function.name, "a copy is made", _copied)
    if function.name == "is_contiguous":
        for answer in (True, False):
            yield Fault("aliasing", function.name, f"the answer is always {answer}", _always(answer))
        yield Fault("aliasing", function.name, "tensors of rank 3 are contiguous", _always(True, rank=3))


def _always(answer: bool, rank: int = 0) -> Callable[[Function], Function]:
    return lambda function: lambda x: answer if x.ndim >= rank and function(x) in (True, False) else function(x)


def _copied(function: Function) -> Function:
    def call(*operands: Any, **options: Any) -> Any:
        return suanzi.clone(function(*operands, **options))

    return call


def _same(x: Any, result: Any) -> bool:
    alike = isinstance(result, suanzi.Tensor) and isinstance(x, suanzi.Tensor)
    return alike and x.shape == result.shape and x.dtype is result.dtype


def _first(operands: tuple[Any, ...]) -> Any:
    x = operands[0] if operands else None
    if isinstance(x, list) and x:
        x = x[0]
    return suanzi.from_reference(x) if hasattr(x, "__array_interface__") and x.dtype.kind != "U" else x


def _operand_returned(function: Function) -> Function:
    def call(*operands: Any, **options: Any) -> Any:
        result = function(*operands, **options)
        x = _first(operands)
        same = _same(x, result) and options.get("out") is None
        return x if same and array_of(x).tobytes() == array_of(result).tobytes() else result

    return call


def _in_place(function: Function) -> Function:
    def call(*operands: Any, **options: Any) -> Any:
        result = function(*operands, **options)
        x = _first(operands)
        if _same(x, result) and options.get("out") is None and result.dtype is not suanzi.string:
            try:
                x[...] = result
            except (suanzi.SuanziError, ValueError):
                return result
            return x
        return result

    return call


# --- refusals ---


def statuses(function: Described) -> Iterator[Fault]:
    """Make faults that raise InternalError, or succeed, in place of the errors for one type, rank, number or status."""
    for told, chosen in _calls(function):
        yield Fault("statuses", function.name, f"an internal error {told}", _refusing(chosen), "refused")
        yield Fault("statuses", function.name, f"success {told}", _accepting(chosen), "refused")


Chosen = Callable[[list[suanzi.Tensor], tuple[Any, ...], int], bool]


def _calls(function: Described) -> Iterator[tuple[str, Chosen]]:
    yield "in place of any refusal", lambda tensors, _, status: True
    for t in function.types[:6]:
        yield f"where the first tensor is {t}", lambda tensors, _, status, t=t: bool(tensors) and _name(tensors[0]) == t
    for rank in (1, 3):
        yield f"where a tensor has rank {rank}", lambda tensors, _, status, r=rank: any(_rank(x) == r for x in tensors)
    yield "where a number is negative", lambda _, values, status: any(type(v) is int and v < 0 for v in values)
    for status in (1, 2, 3, 4, 6):
        name = suanzi.Status(status).name
        yield f"in place of {name}", lambda tensors, _, found, status=status: found == status


def _name(x: suanzi.Tensor) -> str:
    try:
        return x.dtype.name
    except suanzi.SuanziError:
        return ""


def _rank(x: suanzi.Tensor) -> int:
    try:
        return x.ndim
    except suanzi.SuanziError:
        return -1


def _refused(function: Function, chosen: Chosen, then: Callable[[Exception], Any]) -> Function:
    def call(*operands: Any, **options: Any) -> Any:
        try:
            return function(*operands, **options)
        except suanzi.SuanziError as error:
            flat = [x for o in (*operands, *options.values()) for x in (o if isinstance(o, list | tuple) else (o,))]
            tensors = [x for x in flat if isinstance(x, suanzi.Tensor)]
            if chosen(tensors, tuple(flat), error.status):
                return then(error)
            raise

    return call


def _refusing(chosen: Chosen) -> f.Maker:
    def fail(error: Exception) -> Any:
        raise suanzi.InternalError(str(error)) from None

    return lambda function: _refused(function, chosen, fail)


def _accepting(chosen: Chosen) -> f.Maker:
    return lambda function: _refused(function, chosen, lambda _: suanzi.zeros(2))


KINDS = (unchanged, state, aliasing, statuses)
