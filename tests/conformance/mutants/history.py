"""Faults that Suanzi once had, and simple faults: a table of changes and the operators that show each change."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import prod
from typing import Any

import numpy as np

import suanzi

from .faults import Function, Mutant

Fault = Callable[[Function], Function]
Array = Any


# Changes of results.


def changed(change: Callable[[Array], Array]) -> Fault:
    """Make a fault that replaces each result that is a tensor of numbers by `change` of its elements."""

    def fault(function: Function) -> Function:
        def one(result: Any) -> Any:
            if not isinstance(result, suanzi.Tensor) or result.dtype is suanzi.string:
                return result
            with np.errstate(all="ignore"):
                return suanzi.tensor(np.asarray(change(result.numpy().copy())))

        def call(*operands: Any, **options: Any) -> Any:
            result = function(*operands, **options)
            return (
                type(result)(*map(one, result))
                if type(result) is not tuple and isinstance(result, tuple)
                else (tuple(map(one, result)) if isinstance(result, tuple) else one(result))
            )

        return call

    return fault


def floating(change: Callable[[Array], Array]) -> Fault:
    """Make a fault that changes only the elements of float32 results."""
    return changed(lambda x: change(x) if x.dtype == np.float32 else x)


def an_ulp_off(x: Array) -> Array:
    return np.nextafter(x, np.float32(np.inf))


def flushed(x: Array) -> Array:
    """Replace denormals by zero."""
    return np.where(np.abs(x) < np.finfo(x.dtype).tiny, np.zeros_like(x), x)


def without_sign(x: Array) -> Array:
    """Remove the sign of zeros."""
    return np.where(x == 0, np.zeros_like(x), x)


def without_nan(x: Array) -> Array:
    return np.where(np.isnan(x), np.zeros_like(x), x)


def without_infinities(x: Array) -> Array:
    return np.where(np.isinf(x), np.copysign(np.finfo(x.dtype).max, x), x)


def saturated(x: Array) -> Array:
    """Replace the least integer of a signed type by the next integer."""
    return np.maximum(x, np.iinfo(x.dtype).min + 1) if x.dtype.kind == "i" else x


def in_one_dimension(x: Array) -> Array:
    """Return an array without dimensions as a vector of one element."""
    return x.reshape((1,)) if x.ndim == 0 else x


def flat_if_empty(x: Array) -> Array:
    return x.reshape((0,)) if x.size == 0 else x


def of_few_dimensions(x: Array) -> Array:
    """Replace elements of arrays with more than five dimensions by zeros."""
    return np.zeros_like(x) if x.ndim > 5 else x


def real_alone(x: Array) -> Array:
    return x.real.astype(x.dtype) if x.dtype.kind == "c" else x


def last_lost(x: Array) -> Array:
    """Replace the last element of each row by the element before."""
    if x.ndim and x.size and x.shape[-1] > 1:
        x[..., -1] = x[..., -2]
    return x


def doubled_type(x: Array) -> Array:
    """Convert float32 elements to float64."""
    return x.astype(np.float64) if x.dtype == np.float32 else x


def in_32_bits(x: Array) -> Array:
    return x.astype(np.int32) if x.dtype == np.int64 else x


# Changes of calls.


def swapped(function: Function) -> Function:
    """Return a function that swaps the first two operands."""
    return lambda a, b, *rest, **options: function(b, a, *rest, **options)


def without(*names: str) -> Fault:
    """Make a fault that ignores the named options."""

    def fault(function: Function) -> Function:
        def call(*operands: Any, **options: Any) -> Any:
            return function(*operands, **{key: value for key, value in options.items() if key not in names})

        return call

    return fault


def first_alone(count: int) -> Fault:
    """Make a fault that ignores positional arguments after the first `count`."""
    return lambda function: lambda *operands, **options: function(*operands[:count], **options)


def by_default(**defaults: Any) -> Fault:
    """Make a fault that uses the given values for options that the call omits."""
    return lambda function: lambda *operands, **options: function(*operands, **{**defaults, **options})


def without_broadcasting(function: Function) -> Function:
    def call(*operands: Any, **options: Any) -> Any:
        shapes = {x.shape for x in operands if isinstance(x, suanzi.Tensor)}
        if len(shapes) > 1:
            raise suanzi.DimensionsMismatchError("shapes differ")
        return function(*operands, **options)

    return call


def without_scalars(function: Function) -> Function:
    def call(*operands: Any, **options: Any) -> Any:
        if not all(isinstance(x, suanzi.Tensor) for x in operands):
            raise suanzi.TypeMismatchError("numbers are not taken")
        return function(*operands, **options)

    return call


def by_float64(function: Function) -> Function:
    """Return a function that converts int64 operands to float64 and back before the call."""

    def call(*operands: Any, **options: Any) -> Any:
        def given(x: Any) -> Any:
            if not isinstance(x, suanzi.Tensor) or x.dtype is not suanzi.int64:
                return x
            rounded = x.numpy().astype(np.float64)
            return suanzi.tensor(np.clip(rounded, -(2.0**63), 2.0**63 - 1024).astype(np.int64))

        return function(*map(given, operands), **options)

    return call


def blind_to_strides(function: Function) -> Function:
    """Return a function that reads operands in memory order, or in ascending order if a stride is negative."""

    def call(*operands: Any, **options: Any) -> Any:
        def given(x: Any) -> Any:
            if not isinstance(x, suanzi.Tensor) or x.dtype is suanzi.string or x.is_contiguous():
                return x
            array = x.numpy()
            base = array
            while isinstance(base.base, np.ndarray):
                base = base.base
            flat = np.lib.stride_tricks.as_strided(array, (array.size,), (array.itemsize,))
            memory = np.sort(array.ravel()) if any(s < 0 for s in array.strides) else flat
            return suanzi.tensor(np.resize(memory, array.shape)) if base.size >= array.size else x

        return function(*map(given, operands), **options)

    return call


def zero_for_two_types(function: Function) -> Function:
    """Return a function that returns zeros for operands of different element types."""

    def call(*operands: Any, **options: Any) -> Any:
        result = function(*operands, **options)
        types = {x.dtype for x in operands if isinstance(x, suanzi.Tensor)}
        return result if len(types) < 2 else suanzi.zeros(result.shape, dtype=result.dtype)

    return call


def by_squares(function: Function) -> Function:
    """Return a function of complex numbers whose result is NaN if the square of the last operand's absolute value is
    outside the range of the operand's type.
    """

    def call(*operands: Any, **options: Any) -> Any:
        result, z = function(*operands, **options), operands[-1]
        if options or not isinstance(z, suanzi.Tensor) or not z.dtype.name.startswith("complex"):
            return result
        array = z.numpy()
        with np.errstate(all="ignore"):
            square = array.real**2 + array.imag**2
        lost = ~np.isfinite(square) | ((square == 0) & (array != 0))
        return suanzi.where(suanzi.tensor(lost), suanzi.tensor(np.nan, dtype=result.dtype), result)

    return call


def on_one_side_of_the_cut(function: Function) -> Function:
    """Return a function that treats an imaginary part -0 as +0."""

    def call(z: Any, **options: Any) -> Any:
        if not isinstance(z, suanzi.Tensor) or not z.dtype.name.startswith("complex"):
            return function(z, **options)
        array = z.numpy().copy()
        array.imag += 0.0
        return function(suanzi.tensor(array), **options)

    return call


def with_zeros_in_order(function: Function) -> Function:
    """Return a function for which -0 is less than +0."""

    def call(x: Any, *rest: Any, **options: Any) -> Any:
        if not isinstance(x, suanzi.Tensor) or x.dtype not in (suanzi.float32, suanzi.float64):
            return function(x, *rest, **options)
        array = x.numpy()
        least = np.finfo(array.dtype).smallest_subnormal
        return function(suanzi.tensor(np.where((array == 0) & np.signbit(array), -least, array)), *rest, **options)

    return call


def with_nan_for_false(function: Function) -> Function:
    """Return a function that treats NaN as false in `any`."""

    def call(x: Any, op: str, *rest: Any, **options: Any) -> Any:
        if op == "any" and isinstance(x, suanzi.Tensor) and x.dtype is suanzi.float32:
            x = suanzi.where(suanzi.isnan(x), suanzi.zeros((), dtype=x.dtype), x)
        return function(x, op, *rest, **options)

    return call


def with_real_truth(function: Function) -> Function:
    """Return a function for which only the real part of a complex element can be true."""

    def call(x: Any, op: str, *rest: Any, **options: Any) -> Any:
        if op in ("all", "any") and isinstance(x, suanzi.Tensor) and x.dtype is suanzi.complex64:
            x = suanzi.real(x)
        return function(x, op, *rest, **options)

    return call


# Faults about errors.


def failing_inside(function: Function) -> Function:
    """Return a function that raises InternalError in place of every error of Suanzi."""

    def call(*operands: Any, **options: Any) -> Any:
        try:
            return function(*operands, **options)
        except suanzi.SuanziError as error:
            raise suanzi.InternalError(str(error)) from None

    return call


def never_refusing(function: Function) -> Function:
    """Return a function that returns two zeros in place of every error of Suanzi."""

    def call(*operands: Any, **options: Any) -> Any:
        try:
            return function(*operands, **options)
        except suanzi.SuanziError:
            return suanzi.zeros(2)

    return call


# Faults of random numbers.


def with_one_seed(function: Function) -> Function:
    return lambda *operands, **options: function(*operands, **{**options, "seed": 5})


def without_seed(function: Function) -> Function:
    return lambda *operands, **options: function(*operands, **{**options, "seed": 0})


# Faults that Suanzi once had.


def with_a_lost_order(function: Function) -> Function:
    """Return a function that ignores the parameter `layout` if the result has a dimension of size 0 or 1."""

    def call(*operands: Any, layout: Any = None, **options: Any) -> Any:
        result = function(*operands, layout=layout, **options)
        if layout is None or not {0, 1} & {*result.shape}:
            return result
        return function(*operands, **options)

    return call


def with_memory_left_over(function: Function) -> Function:
    """Return a function that fills results with a wrong number if a layout is given and a dimension has size 1."""

    def call(data: Any, *rest: Any, layout: Any = None, **options: Any) -> Any:
        result = function(data, *rest, layout=layout, **options)
        if layout is not None and 1 in result.shape and result.size > 1 and result.dtype is not suanzi.string:
            result[...] = 12345
        return result

    return call


def with_empty_strings(function: Function) -> Function:
    def call(data: Any, *rest: Any, layout: Any = None, **options: Any) -> Any:
        result = function(data, *rest, layout=layout, **options)
        if layout is not None and 1 in result.shape and result.dtype is suanzi.string:
            result[...] = "0"
        return result

    return call


def with_other_codes(function: Function) -> Function:
    def call(shape: Any, data: Any = None, *, layout: Any = None, **options: Any) -> Any:
        if layout is None or 1 not in shape or data is None:
            return function(shape, data, layout=layout, **options)
        return function(shape, [0.0] * prod(shape), layout=layout, **options)

    return call


def with_lists_by_float64(function: Function) -> Function:
    def call(data: Any, *rest: Any, **options: Any) -> Any:
        given = np.array(data, np.float64) if isinstance(data, list) and data and isinstance(data[0], int) else data
        wanted = options.pop("dtype", None)
        result = function(given, *rest, **options)
        return result if wanted is None else suanzi.astype(result, wanted)

    return call


def unchecked(function: Function) -> Function:
    """Return a function that converts data other than lists to the requested type, also with a loss."""

    def call(data: Any, *rest: Any, dtype: Any = None, **options: Any) -> Any:
        if dtype is None or isinstance(data, list):
            return function(data, *rest, dtype=dtype, **options)
        return suanzi.astype(function(data, *rest, **options), dtype)

    return call


def with_infinities(function: Function) -> Function:
    """Return a function that replaces numbers beyond the range of a floating type by infinities, without an error."""

    def call(*operands: Any, dtype: Any = None, **options: Any) -> Any:
        if dtype is None or suanzi.as_dtype(dtype).kind_name != "real floating":
            return function(*operands, dtype=dtype, **options)
        return suanzi.astype(function(*operands, dtype="float64", **options), dtype)

    return call


def with_rounded_counts(function: Function) -> Function:
    def call(p: Any, *rest: Any, **options: Any) -> Any:
        return suanzi.astype(function(suanzi.astype(p, "float64"), *rest, **options), p.dtype)

    return call


def with_bytes_left_over(function: Function) -> Function:
    def call(*operands: Any, **options: Any) -> Any:
        result = function(*operands, **options)
        if result.dtype is suanzi.bool and result.size > 0:
            result.numpy().view(np.uint8)[...] = 7
        return result

    return call


def with_bytes_summed(function: Function) -> Function:
    def call(x: Any, op: str, *rest: Any, **options: Any) -> Any:
        if x.dtype is suanzi.bool and x.ndim == 1 and op == "sum" and not rest and not options:
            return suanzi.tensor(int(x.numpy().view(np.uint8).sum()), dtype="int64")
        return function(x, op, *rest, **options)

    return call


_UNARY = ("exp", "log", "sin", "tanh", "sqrt", "asin", "log1p")
_BINARY = ("add", "subtract", "multiply", "divide", "maximum", "less", "logical_xor", "pow")
_MOVING = ("reshape", "transpose", "flip", "roll", "tile", "concat", "gather", "where")

# Each fault, with the operators that have the fault in turn. A pair names the operator that shows the fault, and then
# the operator that has the fault.
TABLE: dict[str, tuple[Fault, tuple[str | tuple[str, str], ...]]] = {
    "an ulp off": (floating(an_ulp_off), (*_UNARY, "add", "multiply", "divide", "reciprocal", "interpolate")),
    "denormals flushed": (floating(flushed), ("multiply", "add", "abs", "where", "maximum", "expm1", "asinh")),
    "zeros without a sign": (floating(without_sign), ("multiply", "floor", "trunc", "rint", "asinh", "sin", "where")),
    "NaN becomes 0": (floating(without_nan), ("add", "maximum", "sqrt", "clip", "reduce")),
    "infinities held to the range": (floating(without_infinities), ("add", "exp", "divide", "pow")),
    "saturated": (changed(saturated), ("add", "multiply", "abs", "bitwise_left_shift")),
    "rank 0 becomes rank 1": (changed(in_one_dimension), ("add", "sin", "where", "reduce", "argmax")),
    "empty results are flat": (changed(flat_if_empty), ("add", "exp", "clone", "transpose")),
    "five dimensions at most": (
        changed(of_few_dimensions),
        ("exp", "add", "where", "transpose", "reshape", "concat", "roll", "cumulative_sum", "matmul", "full"),
    ),
    "imaginary parts lost": (changed(real_alone), ("add", "multiply", "exp", "fft.fft", "conj", "clone")),
    "the last element lost": (changed(last_lost), (*_MOVING, "cumulative_sum", "argsort", "nonzero", "linspace")),
    "float32 comes as float64": (changed(doubled_type), ("zeros", "arange", "add", "exp", "matmul", "normal")),
    "int64 comes as int32": (changed(in_32_bits), ("argmax", "argsort", "add", "reduce", "cumulative_sum")),
    "operands swapped": (swapped, ("subtract", "divide", "remainder", "pow", "less", "matmul", "floor_divide")),
    "axis ignored": (
        without("axis"),
        (*("concat", "stack", "argmax", "argmin", "argsort", "gather", "topk", "reduce", "index_select", "flip"),),
    ),
    "second argument ignored": (first_alone(1), ("diag", "flip", "squeeze", "transpose", "trace", "expand_dims")),
    "keepdims ignored": (without("keepdims"), ("reduce", "argmax", "matrix_norm")),
    "dtype ignored": (without("dtype"), ("zeros", "full", "tensor", "arange", "uniform", "randperm")),
    "layout ignored": (without("layout"), ("zeros", "full", "empty", "tensor", "from_reference")),
    "other defaults": (by_default(descending=True), ("argsort",)),
    "the least by default": (by_default(largest=False), ("topk",)),
    "wide tolerance by default": (by_default(rtol=1e-2), ("isclose",)),
    "ties away by default": (by_default(mode="half_away"), ("round",)),
    "no broadcasting": (without_broadcasting, (*_BINARY, "where", "multiply_add")),
    "no numbers": (without_scalars, ("add", "multiply", "pow", "greater", "bitwise_and")),
    "int64 by way of float64": (by_float64, ("add", "multiply", "maximum", "equal", "reduce", "clone", "argsort")),
    "blind to strides": (blind_to_strides, ("add", "exp", "clone", "reduce", "argmax", "matmul", "flatten", "sign")),
    "zeros for two types": (
        zero_for_two_types,
        (*_BINARY, "true_divide", "floor_divide", "remainder", "equal", "bitwise_and", "isclose", "complex", "clip"),
    ),
    "complex numbers squared": (by_squares, ("abs", "true_divide", "reciprocal", "sqrt", "log", "sign")),
    "one side of the cut": (on_one_side_of_the_cut, ("sqrt", "log", "log1p", "acos", "atanh")),
    "zeros in order": (with_zeros_in_order, ("argmax", "argmin", "argsort")),
    "NaN is false": (with_nan_for_false, ("reduce",)),
    "imaginary numbers are false": (with_real_truth, ("reduce",)),
    "internal errors": (failing_inside, ("add", "reshape", "concat", "gather", "full", "solve", "matmul", "arange")),
    "never refused": (never_refusing, ("add", "squeeze", "split", "scatter", "cholesky", "linspace", "topk", "slice")),
    "one seed": (with_one_seed, ("uniform", "normal", "bernoulli", "multinomial", "randperm")),
    "no seed": (without_seed, ("uniform", "normal", "bernoulli", "multinomial", "randperm")),
    "the order lost": (
        with_a_lost_order,
        ("tensor", "from_reference", "zeros", "empty", "full", "quantized_tensor"),
    ),
    "memory left over": (with_memory_left_over, ("tensor",)),
    "strings come out empty": (with_empty_strings, ("tensor",)),
    "codes come out wrong": (with_other_codes, ("quantized_tensor",)),
    "lists by way of float64": (with_lists_by_float64, ("tensor",)),
    "typed data are cast": (unchecked, ("tensor",)),
    "infinite without a word": (with_infinities, ("full", "tensor", "linspace")),
    "counts are rounded": (with_rounded_counts, ("multinomial",)),
    "other bytes in bools": (with_bytes_left_over, ("empty",)),
    "bytes are summed": (with_bytes_summed, (("from_reference", "reduce"),)),
}


def mutants() -> Iterator[tuple[str, str, Mutant]]:
    """Yield the name of each mutant, the operator that shows the fault, and the mutant."""
    for name, (fault, operators) in TABLE.items():
        for operator in operators:
            shows, replaced = (operator, operator) if isinstance(operator, str) else operator
            yield f"{name}: {shows}", shows, Mutant(replaced, fault)
