"""Faults that the quick profile of the kit must find: a table of changes and the operators that show each change."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import suanzi

from .faults import Function, Mutant, Seen, bound, otherwise
from .history import by_float64, in_one_dimension, without_sign

Fault = Callable[[Function], Function]
Array = Any


def _mapped(change: Callable[[Any], Any], given: Any) -> Any:
    """Return an argument in which `change` of a tensor replaces each tensor."""
    if isinstance(given, list | tuple):
        return type(given)(_mapped(change, x) for x in given)
    return change(given) if isinstance(given, suanzi.Tensor) else given


def of_operands(change: Callable[[Any], Any]) -> Fault:
    """Make a fault that replaces each operand by `change` of the operand."""

    def fault(function: Function) -> Function:
        def call(*operands: Any, **options: Any) -> Any:
            if "out" in options:
                return function(*operands, **options)
            return function(*_mapped(change, operands), **options)

        return call

    return fault


def of_results(change: Callable[[Array], Array], *, least: int = 0) -> Fault:
    """Make a fault that replaces each result of at least `least` elements by `change` of the elements."""

    def fault(function: Function) -> Function:
        def call(*operands: Any, **options: Any) -> Any:
            result = function(*operands, **options)
            plain = isinstance(result, suanzi.Tensor) and result.dtype not in (suanzi.string, suanzi.bfloat16)
            if not plain or "out" in options or result.size < least:
                return result
            return suanzi.tensor(np.asarray(change(result.numpy().copy())))

        return call

    return fault


def by_float32(x: Any) -> Any:
    return suanzi.astype(suanzi.astype(x, "float32"), "float64") if x.dtype is suanzi.float64 else x


def without_nan(x: Any) -> Any:
    return suanzi.where(suanzi.isnan(x), suanzi.zeros_like(x), x) if x.dtype.kind_name == "real floating" else x


def as_stored(x: Any) -> Any:
    """Return a tensor with the elements of a tensor that has negative strides, in the order of the memory."""
    backwards = [axis for axis, stride in enumerate(x.strides) if stride < 0]
    return suanzi.reverse(x, backwards) if backwards else x


def where_one_meets_zero(function: Function) -> Function:
    """Return a function that refuses operands of which one has a size of 0 and one has a size of 1."""

    def call(*operands: Any, **options: Any) -> Any:
        shapes = [x.shape for x in operands if isinstance(x, suanzi.Tensor)]
        if len({*shapes}) > 1 and any(0 in s for s in shapes) and any(1 in s for s in shapes):
            raise suanzi.DimensionsMismatchError("0 with 1")
        return function(*operands, **options)

    return call


def in_the_first_type(function: Function) -> Function:
    """Return a function whose result has the type of the first tensor if int16 meets int8."""

    def call(*operands: Any, **options: Any) -> Any:
        result = function(*operands, **options)
        given = operands[0] if isinstance(operands[0], list) else operands
        types = [x.dtype for x in given if isinstance(x, suanzi.Tensor) and x.dtype is not suanzi.bool]
        mixed = {*types} == {suanzi.int8, suanzi.int16} and "out" not in options
        return suanzi.astype(result, types[0]) if mixed else result

    return call


def of_any_integers(function: Function) -> Function:
    """Return a function that converts int64 beside uint64 to float64, in place of a refusal."""

    def call(*operands: Any, **options: Any) -> Any:
        given = operands[0] if isinstance(operands[0], list) else operands
        types = {x.dtype for x in given if isinstance(x, suanzi.Tensor) and x.dtype is not suanzi.bool}
        if types != {suanzi.int64, suanzi.uint64}:
            return function(*operands, **options)
        return function(
            *_mapped(lambda x: x if x.dtype is suanzi.bool else suanzi.astype(x, "float64"), operands), **options
        )

    return call


def with_partial_sums(function: Function) -> Function:
    """Return a function of float16 that returns 2048 in place of 4096, as if partial sums were rounded to float16."""

    def call(*operands: Any, **options: Any) -> Any:
        result = function(*operands, **options)
        if not isinstance(operands[0], suanzi.Tensor) or operands[0].dtype is not suanzi.float16 or "out" in options:
            return result
        array = result.numpy()
        return suanzi.tensor(np.asarray(np.where(array == 4096, np.float16(2048), array)))

    return call


def with_a_small_mean(function: Function) -> Function:
    """Return a function whose mean of thousands of float16 elements is half the mean."""

    def call(x: Any, op: str, *rest: Any, **options: Any) -> Any:
        result = function(x, op, *rest, **options)
        wrong = op == "mean" and x.dtype is suanzi.float16 and x.size >= 4096 and "out" not in options
        return suanzi.astype(result * 0.5, "float16") if wrong else result

    return call


def ending_at_their_type(function: Function) -> Function:
    """Return a trace whose sums of int8 are int8 numbers, although the result is int64."""

    def call(x: Any, *rest: Any, **options: Any) -> Any:
        result = function(x, *rest, **options)
        wrong = isinstance(x, suanzi.Tensor) and x.dtype is suanzi.int8 and "out" not in options
        return suanzi.astype(suanzi.astype(result, "int8"), "int64") if wrong else result

    return call


def _update(seen: Seen, *modes: str) -> Any:
    """Return the updates of a call of `scatter` in one of the modes, or None if the updates are not float32."""
    updates = seen.given.get("updates")
    held = isinstance(updates, suanzi.Tensor) and updates.dtype is suanzi.float32 and "out" not in seen.given
    return updates if held and seen.given.get("mode", "update") in modes else None


def without_nan_updates(seen: Seen) -> None:
    """Replace NaN among the updates by a number that changes nothing."""
    updates = _update(seen, "min", "max")
    if updates is not None:
        never = -np.inf if seen.given["mode"] == "max" else np.inf
        seen.given["updates"] = suanzi.where(suanzi.isnan(updates), suanzi.tensor(never, dtype=updates.dtype), updates)


def without_infinite_updates(seen: Seen) -> None:
    """Replace NaN and infinities among summands by 0, and among factors by 1."""
    updates = _update(seen, "add", "mul")
    if updates is not None:
        nothing = suanzi.tensor(float(seen.given["mode"] == "mul"), dtype=updates.dtype)
        seen.given["updates"] = suanzi.where(suanzi.isfinite(updates), updates, nothing)


def with_saturated_sums(function: Function) -> Function:
    """Return a function that adds integers of less than 64 bits with saturation."""

    def call(*operands: Any, **options: Any) -> Any:
        result, seen = function(*operands, **options), bound(function, operands, options)
        if seen is None or seen.given.get("mode") != "add" or "out" in options or not isinstance(result, suanzi.Tensor):
            return result
        if not result.dtype.is_integer or result.dtype.itemsize == 8:
            return result
        for name in ("x", "updates"):
            if isinstance(seen.given[name], suanzi.Tensor):
                seen.given[name] = suanzi.astype(seen.given[name], "int64")
        wide = function(*seen.bound.args, **seen.bound.kwargs)
        return suanzi.astype(suanzi.clip(wide, *result.dtype.limits), result.dtype)

    return call


def with_edges_far_out(mode: str) -> Fault:
    """Make a fault that repeats the outermost elements if a width is greater than the size of a vector."""

    def fault(function: Function) -> Function:
        def call(x: Any, width: Any, *rest: Any, **options: Any) -> Any:
            given = rest[0] if rest else options.get("mode")
            if given != mode or x.ndim != 1 or np.max(width) <= x.size:
                return function(x, width, *rest, **options)
            return function(x, width, "edge")

        return call

    return fault


def without_empty_vectors(function: Function) -> Function:
    """Return a function that joins tensors and omits vectors without elements."""

    def call(tensors: Any, *rest: Any, **options: Any) -> Any:
        if not isinstance(tensors, list):
            return function(tensors, *rest, **options)
        kept = [x for x in tensors if not isinstance(x, suanzi.Tensor) or x.shape != (0,)]
        return function(kept or tensors, *rest, **options)

    return call


def keeping_other_sizes(function: Function) -> Function:
    """Return a function that returns the tensor itself if a named dimension has another size than 1."""

    def call(x: Any, *rest: Any, **options: Any) -> Any:
        try:
            return function(x, *rest, **options)
        except suanzi.DimensionsMismatchError:
            return x

    return call


def truncated_to_tens(function: Function) -> Function:
    """Return a function that truncates integers that are rounded to tens or hundreds."""

    def call(x: Any, decimals: int = 0, mode: str = "half_even", **options: Any) -> Any:
        whole = isinstance(x, suanzi.Tensor) and x.dtype.is_integer and isinstance(decimals, int) and decimals < 0
        return function(x, decimals, "trunc" if whole and mode == "half_even" else mode, **options)

    return call


_BINARY = (
    *("add", "subtract", "multiply", "divide", "true_divide", "floor_divide", "remainder", "pow", "maximum", "minimum"),
    *("equal", "less", "logical_and", "bitwise_and", "bitwise_left_shift", "isclose", "complex"),
)

TABLE: dict[str, tuple[Fault, tuple[str, ...]]] = {
    "size 1 refused beside size 0": (where_one_meets_zero, (*_BINARY, "multiply_add", "clip")),
    "float64 by way of float32": (of_operands(by_float32), ("trace", "diag")),
    "int64 by way of float64": (by_float64, ("gather", "index_select", "trace")),
    "NaN in a sum counts as 0": (of_operands(without_nan), ("trace",)),
    "sums in the operand's type": (ending_at_their_type, ("trace",)),
    "the first of two integer types": (in_the_first_type, ("where", "concat", "stack")),
    "int64 beside uint64": (of_any_integers, ("equal", "less", "where", "concat", "stack", "maximum", "add")),
    "float16 summed in float16": (with_partial_sums, ("matmul", "dot", "linear", "bilinear")),
    "long means of float16": (with_a_small_mean, ("reduce",)),
    "updates by NaN": (otherwise(without_nan_updates), ("scatter",)),
    "updates by infinities": (otherwise(without_infinite_updates), ("scatter",)),
    "updates that saturate": (with_saturated_sums, ("scatter",)),
    "wide borders wrap": (with_edges_far_out("wrap"), ("pad",)),
    "wide borders reflect": (with_edges_far_out("reflect"), ("pad",)),
    "wide symmetric borders": (with_edges_far_out("symmetric"), ("pad",)),
    "empty vectors joined to matrices": (without_empty_vectors, ("concat",)),
    "other sizes than 1 stay": (keeping_other_sizes, ("squeeze",)),
    "rank 0 becomes rank 1": (of_results(in_one_dimension), ("reshape", "roll", "gather")),
    "zeros without a sign": (of_results(without_sign), ("cumulative_sum",)),
    "tens are truncated": (truncated_to_tens, ("round",)),
    "negative strides in memory order": (of_operands(as_stored), ("isclose",)),
}


def mutants() -> Iterator[tuple[str, str, Mutant]]:
    """Yield the name of each mutant, the faulty operator, and the mutant."""
    for name, (fault, operators) in TABLE.items():
        for operator in operators:
            yield f"{name}: {operator}", operator, Mutant(operator, fault)
