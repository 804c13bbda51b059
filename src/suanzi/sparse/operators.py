"""What the operators do with sparse operands: a table from the core's function to an implementation.

Each works on `values`, by the same functions of the core as dense tensors, and on patterns, by those that begin with
``sparse_``. What is not in the table is TYPE_MISMATCH; only what it says gives a dense result. An implementation is
told the operator's name before the arguments of the core's function, and NotImplemented says that it cannot use these.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sized
from functools import partial
from operator import index
from typing import Any, TypeAlias

import numpy as np

from suanzi import _core
from suanzi._core import Tensor
from suanzi.sparse.tensor import SparseTensor
from suanzi.tensor.dtypes import DType, DTypeLike, as_dtype, bfloat16, bool_, float16, float32
from suanzi.tensor.messages import shown
from suanzi.tensor.options import choice_of
from suanzi.tensor.status import (
    DimensionsMismatchError,
    InvalidArgumentError,
    OutOfRangeError,
    TypeMismatchError,
)

Result: TypeAlias = SparseTensor | Tensor
NUMBERS = bool | int | float | complex | np.generic
_of = SparseTensor._of

# f(0) = 0. Of these, the linear ones need not add up elements of one place first.
LINEAR = ("negative", "positive", "conj")
KEEPS_ZERO = (
    *("abs", "sign", "square", "sqrt", "expm1", "log1p", "floor", "ceil", "trunc", "rint", "round", "isnan", "isinf"),
    *("sin", "tan", "asin", "atan", "sinh", "tanh", "asinh", "atanh"),
)
# f(0, 0) = 0: two sparse operands give elements wherever one of them has some.
UNION = (
    *("add", "subtract", "maximum", "minimum", "not_equal", "greater", "less"),
    *("logical_or", "logical_xor", "bitwise_or", "bitwise_xor"),
)
# f(0, y) = f(x, 0) = 0: where both have some.
INTERSECTION = ("multiply", "logical_and", "bitwise_and")
# f(0, 0) is not 0: the operands are made dense.
DENSE = ("equal", "greater_equal", "less_equal")
# f(0, y) = 0 but for some y: a sparse operand with a scalar for which that holds, or, as said there, with a tensor.
QUOTIENT = ("true_divide", "floor_divide", "trunc_divide", "remainder", "fmod", "pow")
DIVISIONS = {None: "true_divide", "trunc": "trunc_divide", "floor": "floor_divide"}
REDUCTIONS = ("sum", "mean", "prod", "max", "min", "all", "any")


def _refuse_out(name: str, out: Any) -> None:
    if out is not None:
        raise TypeMismatchError(f"{name}: with a sparse operand there is no out")


def _require_sparse(name: str, x: Any) -> SparseTensor:
    if not isinstance(x, SparseTensor):
        raise TypeMismatchError(f"{name}: {type(x).__name__} is not a sparse tensor")
    return x


# --- elementwise ---


def _linear(name: str, x: SparseTensor, out: Any = None) -> SparseTensor:
    _refuse_out(name, out)
    return _of(x.pattern, getattr(_core, name)(x.values, None))


def _unary(name: str, x: SparseTensor, *options: Any) -> SparseTensor:
    *parameters, out = options or (None,)
    _refuse_out(name, out)
    merged = x.coalesce()
    return _of(merged.pattern, getattr(_core, name)(merged.values, *parameters, None))


def _binary(name: str, x1: Any, x2: Any, out: Any = None) -> Any:
    return _combined(name, name, getattr(_core, name), x1, x2, out)


def _divide(name: str, x1: Any, x2: Any, rounding: Any, out: Any) -> Any:
    choice_of(rounding, DIVISIONS, "rounding", name)
    return _combined(name, DIVISIONS[rounding], lambda a, b, to: _core.divide(a, b, rounding, to), x1, x2, out)


def _clip(name: str, x: Any, least: Any, greatest: Any, out: Any) -> Any:
    """By one bound, or by none, as the lesser of each element and itself."""
    if least is not None and greatest is not None:
        return NotImplemented
    if least is not None:
        return _combined(name, "maximum", lambda a, b, to: _core.clip(a, b, None, to), x, least, out)
    bound = x if greatest is None else greatest
    return _combined(name, "minimum", lambda a, b, to: _core.clip(a, None, b, to), x, bound, out)


def _array_equal(name: str, x1: Any, x2: Any) -> Any:
    if not all(isinstance(x, SparseTensor | Tensor | NUMBERS) for x in (x1, x2)):
        return NotImplemented
    first, second = (() if isinstance(x, NUMBERS) else x.shape for x in (x1, x2))
    if first != second:
        return False
    return _core.array_equal(*(x.to_dense() if isinstance(x, SparseTensor) else x for x in (x1, x2)))


def _combined(name: str, operation: str, function: Callable[..., Tensor], x1: Any, x2: Any, out: Any) -> Any:
    """`name` by an operation, which is of dense tensors what `function` computes."""
    _refuse_out(name, out)
    if not isinstance(x1, SparseTensor | Tensor) or not isinstance(x2, SparseTensor | Tensor):
        return _with_scalar(name, function, x1, x2)
    if operation in INTERSECTION or (operation == "true_divide" and isinstance(x2, Tensor)):
        return _where_both(name, function, x1, x2)
    if operation in QUOTIENT:
        raise TypeMismatchError(f"{name}: {type(x1).__name__} by {type(x2).__name__} would not be sparse")
    if isinstance(x1, SparseTensor) and isinstance(x2, SparseTensor):
        if operation in DENSE:
            _check_shapes(name, x1, x2)
        else:
            return _merged(name, function, x1, x2, both=False)
    return function(*(x.to_dense() if isinstance(x, SparseTensor) else x for x in (x1, x2)), None)


def _with_scalar(name: str, function: Callable[..., Tensor], x1: Any, x2: Any) -> Any:
    """Sparse where the scalar leaves zeros zero, else dense."""
    if not all(isinstance(x, SparseTensor | Tensor | NUMBERS) for x in (x1, x2)):
        return NotImplemented
    x = (x1 if isinstance(x1, SparseTensor) else x2).coalesce()

    def apply(operand: Tensor) -> Tensor:
        return function(*(operand if isinstance(y, SparseTensor) else y for y in (x1, x2)), None)

    zero = apply(_core.zeros((1,), x.dtype, None, None))
    return apply(x.to_dense()) if zero.item() else _of(x.pattern, apply(x.values))


def _check_shapes(name: str, x1: SparseTensor, x2: SparseTensor) -> None:
    if x1.shape != x2.shape or x1.pattern.shape != x2.pattern.shape:
        raise DimensionsMismatchError(f"{name}: shapes {x1.shape} and {x2.shape} of sparse tensors must be equal")


def _merged(name: str, function: Callable[..., Tensor], x1: SparseTensor, x2: SparseTensor, both: bool) -> SparseTensor:
    _check_shapes(name, x1, x2)
    a, b = x1.coalesce(), x2.to_format(x1.format).coalesce()
    if a.pattern is b.pattern:
        return _of(a.pattern, function(a.values, b.values, None))
    pattern, left, right = _core.sparse_merge(a.pattern, a.values, b.pattern, b.values, both)
    return _of(pattern, function(left, right, None))


def _where_both(name: str, function: Callable[..., Tensor], x1: Result, x2: Result) -> SparseTensor:
    """Elements that both have; a dense operand broadcasts to the sparse one's shape."""
    if isinstance(x1, SparseTensor) and isinstance(x2, SparseTensor):
        return _merged(name, function, x1, x2, both=True)
    x = (x1 if isinstance(x1, SparseTensor) else _require_sparse(name, x2)).coalesce()
    dense = x2 if isinstance(x2, Tensor) else x1
    assert isinstance(dense, Tensor)
    try:
        spread = _core.expand(dense, x.shape)
    except DimensionsMismatchError:
        text = f"{name}: a dense operand of shape {dense.shape} does not broadcast to the sparse one's {x.shape}"
        raise DimensionsMismatchError(text) from None
    gathered = _core.sparse_gather(x.pattern, spread)
    operands = (x.values, gathered) if isinstance(x1, SparseTensor) else (gathered, x.values)
    return _of(x.pattern, function(*operands, None))


def _astype(name: str, x: SparseTensor, dtype: DTypeLike, copy: bool) -> SparseTensor:
    wanted = as_dtype(dtype, name)
    if not _core.read_truth(name, "copy", copy) and x.dtype is wanted:
        return x
    merged = x.coalesce()
    return _of(merged.pattern, _core.astype(merged.values, wanted, True), x._order)


def _clone(name: str, x: SparseTensor) -> SparseTensor:
    return x._cloned()


def _destroy(name: str, x: SparseTensor) -> None:
    _ = x.pattern
    x._pattern = None
    del x._values


# --- shapes and selection ---


def _transpose(name: str, x: SparseTensor, axes: Any) -> SparseTensor:
    _check_plain(name, x)
    order = tuple(reversed(range(x.ndim))) if axes is None and name != "permute_dims" else axes
    return _of(*_core.sparse_permute(name, x.pattern, x.values, order))


def _matrix_transpose(name: str, x: SparseTensor) -> SparseTensor:
    if x.ndim < 2:
        raise DimensionsMismatchError(f"{name}: shape {x.shape} has fewer than 2 dimensions")
    return _transpose(name, x, (*range(x.ndim - 2), x.ndim - 1, x.ndim - 2))


def _check_plain(name: str, x: SparseTensor) -> None:
    if x.values.ndim != 1:
        raise TypeMismatchError(f"{name}: elements are blocks of shape {x.values.shape[1:]}, not numbers")


def _reshape(name: str, x: SparseTensor, shape: Any) -> SparseTensor:
    _check_plain(name, x)
    return _of(_core.sparse_reshape(x.pattern, shape), x.values)


def _expand_dims(name: str, x: SparseTensor, axis: Any) -> SparseTensor:
    rank = x.ndim + (len(axis) if isinstance(axis, Sized) and getattr(axis, "shape", None) != () else 1)
    new, sizes = _core.read_axes(name, axis, rank), iter(x.shape)
    if rank - len(new) != x.ndim:  # one whose length is another than that of what it holds
        raise TypeMismatchError(f"{name}: axis {shown(axis)} is neither an integer nor a sequence of integers")
    return _reshape(name, x.to_coo(), tuple(1 if i in new else next(sizes) for i in range(rank)))


def _squeeze(name: str, x: SparseTensor, axis: Any) -> SparseTensor:
    gone = _core.read_axes(name, [i for i, n in enumerate(x.shape) if n == 1] if axis is None else axis, x.ndim)
    for i in gone:
        if x.shape[i] != 1:
            raise DimensionsMismatchError(f"{name}: axis {i} of shape {x.shape} has size {x.shape[i]}, not 1")
    return _reshape(name, x.to_coo(), tuple(n for i, n in enumerate(x.shape) if i not in gone))


def _flatten(name: str, x: SparseTensor, start: Any, stop: Any) -> SparseTensor:
    shape = x.shape or (1,)
    first, last = (_core.read_axis(name, i, len(shape)) for i in (start, stop))
    if first > last:
        raise DimensionsMismatchError(f"{name}: start_axis {start} lies behind stop_axis {stop}")
    return _reshape(name, x.to_coo(), (*shape[:first], math.prod(shape[first : last + 1]), *shape[last + 1 :]))


def _operands(name: str, tensors: Any) -> list[SparseTensor]:
    if not isinstance(tensors, list | tuple):
        raise TypeMismatchError(f"{name}: a sparse tensor is not a sequence of them")
    return [_require_sparse(name, x) for x in tensors]


def _concat(name: str, tensors: Any, axis: Any, out: Any) -> Any:
    if isinstance(tensors, list | tuple) and not tensors:  # it is an option that is sparse
        return NotImplemented
    _refuse_out(name, out)
    parts = _operands(name, tensors)
    if axis is None:
        return _joined(name, [_flatten(name, x, 0, -1) for x in parts], 0)
    return _joined(name, parts, _core.read_axis(name, axis, parts[0].ndim))


def _stack(name: str, tensors: Any, axis: Any, out: Any) -> Any:
    if isinstance(tensors, list | tuple) and not tensors:  # it is an option that is sparse
        return NotImplemented
    _refuse_out(name, out)
    parts = _operands(name, tensors)
    for x in parts:
        _check_shapes(name, parts[0], x)
    return _joined(name, [_expand_dims(name, x, axis) for x in parts], _core.read_axis(name, axis, parts[0].ndim + 1))


def _joined(name: str, parts: list[SparseTensor], axis: int) -> SparseTensor:
    first = parts[0]
    for x in parts:
        rank = len(x.pattern.shape)
        if axis >= rank:
            raise TypeMismatchError(f"{name}: axis {axis} is one of blocks, which are not joined")
        if x.shape[:axis] + x.shape[axis + 1 :] != first.shape[:axis] + first.shape[axis + 1 :] or rank != len(
            first.pattern.shape
        ):
            raise DimensionsMismatchError(
                f"{name}: shapes {first.shape} and {x.shape} differ elsewhere than along axis {axis}"
            )
    parts = [x.to_format(first.format) for x in parts]
    if any(x.dtype != first.dtype for x in parts):  # what adds up in one type may wrap in it, or be `or`
        parts = [x.coalesce() for x in parts]
    values = _core.concat([x.values for x in parts], 0, None)
    return _of(*_core.sparse_join(tuple(x.pattern for x in parts), values, axis))


def _sliced(x: SparseTensor, slices: list[slice]) -> SparseTensor:
    bounds = [part.indices(size) for part, size in zip(slices, x.shape, strict=True)]
    counts = [len(range(*bound)) for bound in bounds]
    steps = [bound[2] if count > 1 else 1 for bound, count in zip(bounds, counts, strict=True)]
    return _of(*_core.sparse_slice(x.pattern, x.values, [bound[0] for bound in bounds], steps, counts))


def _as_list(name: str, what: str, value: Any, count: int) -> list[Any]:
    if not isinstance(value, list | tuple):
        return [value] * count
    if len(value) != count:
        raise DimensionsMismatchError(f"{name}: {len(value)} numbers of {what} for {count} axes")
    return list(value)


def _slice(name: str, x: SparseTensor, begin: Any, end: Any, stride: Any, axis: Any) -> SparseTensor:
    _check_plain(name, x)
    if axis is None:
        lengths = [len(v) for v in (begin, end, stride) if isinstance(v, list | tuple)]
        axis = range(max(lengths, default=x.ndim))
    axes = _core.read_axes(name, axis, x.ndim)
    slices = [slice(None)] * x.ndim
    bounds = (_as_list(name, what, v, len(axes)) for what, v in (("begin", begin), ("end", end), ("stride", stride)))
    for i, *bound in zip(axes, *bounds, strict=True):
        slices[i] = _checked_slice(name, slice(*bound))
    return _sliced(x, slices)


def _checked_slice(name: str, part: slice) -> slice:
    try:
        numbers = [None if v is None else index(v) for v in (part.start, part.stop, part.step)]
    except (TypeError, TypeMismatchError):
        raise TypeMismatchError(f"{name}: {shown(part)} is not made of integers") from None
    if numbers[2] == 0:
        raise InvalidArgumentError(f"{name}: a step of 0 goes nowhere")
    return slice(*numbers)


def _index_select(name: str, x: SparseTensor, wanted: Any, axis: Any) -> SparseTensor:
    _check_plain(name, x)
    return _of(*_core.sparse_select(x.pattern, x.values, wanted, axis))


def _key(part: Any) -> Any:
    """A part of a key: None, ..., a slice of integers or an integer."""
    if part is None or part is Ellipsis:
        return part
    if isinstance(part, slice):
        return _checked_slice("index", part)
    if isinstance(part, bool) or not hasattr(part, "__index__"):
        raise TypeMismatchError(f"index: {type(part).__name__} is not an integer, a slice, ... or None")
    return _core.read_integer("index", "an index", part)


def _getitem(name: str, x: SparseTensor, key: Any) -> SparseTensor:
    """``x[key]`` for integers, slices, ``...`` and None: a sparse tensor, a copy."""
    keys = [_key(part) for part in key] if isinstance(key, tuple) else [_key(key)]
    if sum(part is Ellipsis for part in keys) > 1:
        raise InvalidArgumentError("index: more than one ...")
    used = sum(part is not None and part is not Ellipsis for part in keys)
    if used > x.ndim:
        raise OutOfRangeError(f"index: {used} indices for a tensor of shape {x.shape}")
    if Ellipsis not in keys:
        keys.append(Ellipsis)
    at = keys.index(Ellipsis)
    keys[at : at + 1] = [slice(None)] * (x.ndim - used)
    slices: list[slice] = []
    shape: list[int | None] = []  # None is the next size of the slice
    for part in keys:
        if part is None:
            shape.append(1)
        elif isinstance(part, slice):
            slices.append(part)
            shape.append(None)
        else:
            i, size = part, x.shape[len(slices)]
            if not -size <= i < size:
                raise OutOfRangeError(f"index: {shown(i)} is outside [{-size}, {size}) along axis {len(slices)}")
            slices.append(slice(i % size, i % size + 1))
            shape.append(-1)
    _check_plain("index", x)
    result = _sliced(x, slices)
    if all(size is None for size in shape):
        return result
    sizes = iter(result.shape)
    kept = [(1 if size == 1 else next(sizes), size) for size in shape]
    return _reshape("index", result.to_coo(), tuple(n for n, size in kept if size != -1))


# --- reductions ---


# What a reduction is of elements of which some are zero; mean is a sum.
_FOLDS = {"sum": "sum", "mean": "sum", "prod": "prod", "max": "max", "min": "min", "all": "min", "any": "max"}


def _reduce(name: str, x: SparseTensor, axis: Any, keepdims: Any, *options: Any) -> Tensor:
    return _reduced(name, name, x, axis, keepdims, *options)


def _reduce_by(name: str, x: SparseTensor, op: Any, axis: Any, keepdims: Any, *options: Any) -> Any:
    if not isinstance(op, str) or op not in REDUCTIONS:
        return NotImplemented
    return _reduced(name, op, x, axis, keepdims, *options)


def _reduced(name: str, fold: str, x: SparseTensor, axis: Any, keepdims: Any, *options: Any) -> Tensor:
    """A dense tensor: sums of what is stored, the others of that and of the zeros that are not."""
    *dtype, out = options  # the extremes and truths take no type
    _refuse_out(name, out)
    kept = _core.read_truth(name, "keepdims", keepdims)
    gone = _core.read_axes(name, range(x.ndim) if axis is None else axis, x.ndim)
    shape = tuple(n for i, n in enumerate(x.shape) if i not in gone)
    group = math.prod(x.shape[i] for i in gone)
    if group == 0:
        return _dense(name, fold, _core.zeros(x.shape, x.dtype, None, None), gone, kept, dtype)
    kind = _dense(name, fold, _core.zeros((1,), x.dtype, None, None), None, False, dtype).dtype
    result = _core.astype(_grouped(fold, x, gone, group, kind), kind, False)
    return _core.reshape(result, tuple(1 if i in gone else n for i, n in enumerate(x.shape)) if kept else shape)


def _grouped(fold: str, x: SparseTensor, gone: tuple[int, ...], group: int, kind: DType) -> Tensor:
    """The reduction of each group of so many elements that agree in the coordinates of the other axes."""
    merged = x.coalesce()  # sums of integers may wrap, those of bool do not add up
    rank, op = len(x.pattern.shape), _FOLDS[fold]
    # Halves are rounded once, in the end.
    working = bool_ if fold in ("all", "any") else float32 if kind in (float16, bfloat16) else kind
    values = _core.astype(merged.values, working, False)
    # The numbers of a block are folded first: all of them are stored, or none.
    if within := tuple(i - rank + 1 for i in gone if i >= rank):
        values = _core.astype(_core.reduce(values, op, within, False, None, None), working, False)
    kept = tuple(i for i in range(rank) if i not in gone)
    if kept or values.shape[0] == 0:
        result = _core.sparse_fold(op, merged.pattern, values, kept)
    else:
        result = _core.astype(_core.reduce(values, op, (0,), False, None, None), working, False)
        if op != "sum" and merged.nnz < math.prod(x.pattern.shape):
            zero = _core.zeros((1,), working, None, None)
            result = {"prod": _core.multiply, "max": _core.maximum, "min": _core.minimum}[op](result, zero[0], None)
    return _core.true_divide(result, float(group), None) if fold == "mean" else result


def _dense(name: str, fold: str, x: Tensor, axis: Any, keepdims: bool, dtype: list[Any]) -> Tensor:
    """The same reduction of a dense tensor."""
    by_name = () if name == fold else (fold,)
    return getattr(_core, name)(x, *by_name, axis, keepdims, *dtype, None)  # type: ignore[no-any-return]


# --- products ---


def _matmul(x1: Any, x2: Any, out: Any = None) -> Any:
    """Compressed rows times a dense tensor: the core does that alone, and all other products come down to it."""
    if type(x1) is SparseTensor and type(x2) is Tensor and out is None:
        pattern = x1._pattern
        if pattern is not None and pattern.format == "csr":
            return _core.sparse_times_dense(pattern, x1._values, x2)
    return _product("matmul", x1, x2, out)


def _product(name: str, x1: Any, x2: Any, out: Any = None) -> Any:
    _refuse_out(name, out)
    for x in (x1, x2):
        if not isinstance(x, SparseTensor | Tensor):
            if hasattr(type(x), "__rmatmul__") and not isinstance(x, NUMBERS | np.ndarray):
                return NotImplemented  # its class may know
            raise TypeMismatchError(f"{name}: {type(x).__name__} is not a tensor")
        if x.ndim not in (1, 2):
            raise DimensionsMismatchError(
                f"{name}: products with sparse operands take one or two dimensions, not {x.shape}"
            )
    if x1.shape[-1] != x2.shape[0]:
        raise DimensionsMismatchError(f"{name}: shapes {x1.shape} and {x2.shape} do not fit")
    row, column = x1.ndim == 1, x2.ndim == 1
    shape = (*x1.shape[:-1], *x2.shape[1:])
    if isinstance(x1, SparseTensor) and isinstance(x2, SparseTensor):
        a, b = _rows(x1, (1, x1.size) if row else x1.shape), _rows(x2, (x2.size, 1) if column else x2.shape)
        product = _of(*_core.sparse_times_sparse(a.pattern, a.values, b.pattern, b.values))
        if row or column:
            return _reshape(name, product, shape)
        return product.to_format(x1.format)
    if isinstance(x1, SparseTensor):
        a = _rows(x1, (1, x1.size) if row else x1.shape)
        return _core.reshape(_core.sparse_times_dense(a.pattern, a.values, x2), shape)
    # (A B)ᵀ = Bᵀ Aᵀ
    b = _rows(x2, (x2.size, 1) if column else x2.shape)
    b = _of(*_core.sparse_permute(name, b.pattern, b.values, (1, 0)))
    product_t = _core.sparse_times_dense(b.pattern, b.values, x1 if row else _core.transpose(x1, (1, 0)))
    return _core.reshape(product_t if row else _core.transpose(product_t, (1, 0)), shape)


def _rows(x: SparseTensor, shape: tuple[int, ...]) -> SparseTensor:
    """Compressed rows of a shape of two dimensions."""
    _check_plain("matmul", x)
    return (x if x.shape == shape else _reshape("matmul", x, shape)).to_csr()


# --- the table ---

Implementation: TypeAlias = Callable[..., Any]


def _first_sparse(implementation: Implementation) -> Implementation:
    """The implementation of a function whose first operand alone may be sparse."""

    def checked(name: str, x: Any, *arguments: Any) -> Any:
        return implementation(name, x, *arguments) if isinstance(x, SparseTensor) else NotImplemented

    return checked


_OF_ONE: dict[str, Implementation] = {
    **dict.fromkeys(LINEAR, _linear),
    **dict.fromkeys(KEEPS_ZERO, _unary),
    **dict.fromkeys(REDUCTIONS, _reduce),
    "reduce": _reduce_by,
    "astype": _astype,
    "clone": _clone,
    "destroy": _destroy,
    **dict.fromkeys(("transpose", "permute_dims"), _transpose),
    "matrix_transpose": _matrix_transpose,
    "reshape": _reshape,
    "expand_dims": _expand_dims,
    "squeeze": _squeeze,
    "flatten": _flatten,
    "slice": _slice,
    "index_select": _index_select,
    "__getitem__": _getitem,
}
_OF_MANY: dict[str, Implementation] = {
    **dict.fromkeys((*UNION, *INTERSECTION, *DENSE, *QUOTIENT), _binary),
    "dot": _product,
    "divide": _divide,
    "clip": _clip,
    "array_equal": _array_equal,
    "concat": _concat,
    "stack": _stack,
}
TABLE: dict[str, Implementation] = {
    **{name: partial(_first_sparse(function), name) for name, function in _OF_ONE.items()},
    **{name: partial(function, name) for name, function in _OF_MANY.items()},
    "matmul": _matmul,
}
