"""NumPy's ufuncs of tensors (`__array_ufunc__`): which function of ours each is, and its methods, such as `reduce`.

`numpy.sin(x)` of a tensor is `suanzi.sin(x)`, and ``array + x`` is a tensor. Types promote as ours do. What has no
counterpart is refused: whoever wants an array says so by `numpy.asarray`. Imported at the first use.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np

import suanzi
from suanzi import Tensor, TypeMismatchError
from suanzi.interop.foreign_names import CALLED
from suanzi.operators.registry import records
from suanzi.tensor.exchange import as_tensor
from suanzi.tensor.messages import shown
from suanzi.tensor.status import InvalidArgumentError

Function = Callable[..., Any]

# By NumPy's and SciPy's names, those that are functions of ours under names that `foreign_names` does not have.
_OTHER_NAMES = {"expit": "extras.sigmoid", "erf": "extras.erf", "erfc": "extras.erfc"}
_OURS = {record.name for record in records()}


class Fold(NamedTuple):
    """What a ufunc of two operands makes of many: of an axis, and of all beginnings of it."""

    reduce: Function
    accumulate: Function | None
    neutral: Any  # None: there is none


FOLDS = {
    "add": Fold(suanzi.sum, suanzi.cumulative_sum, 0),
    "multiply": Fold(suanzi.prod, suanzi.cumulative_prod, 1),
    "maximum": Fold(suanzi.max, None, None),
    "minimum": Fold(suanzi.min, None, None),
    "logical_and": Fold(suanzi.all, None, True),
    "logical_or": Fold(suanzi.any, None, False),
}


def _divmod(x1: Any, x2: Any) -> tuple[Tensor, Tensor]:
    return suanzi.floor_divide(x1, x2), suanzi.remainder(x1, x2)


def _float_power(x1: Any, x2: Any, *, out: Tensor | None = None) -> Tensor:
    """The power in double precision at least, for which this name is there beside `numpy.power`."""
    return suanzi.pow(_in_double_precision(x1), _in_double_precision(x2), out=out)


def _in_double_precision(x: Any) -> Any:
    if not isinstance(x, Tensor):
        return x
    return suanzi.astype(x, suanzi.complex128 if x.dtype.kind == "c" else suanzi.float64, copy=False)


_COMPOSED: dict[str, Function] = {"divmod": _divmod, "float_power": _float_power}


def counterpart(ufunc: np.ufunc) -> Function | None:
    """Our function that is a ufunc of NumPy or of `scipy.special`; None where there is none."""
    name = ufunc.__name__
    homes = (np, sys.modules.get("scipy.special"))
    if not any(getattr(home, name, None) is ufunc for home in homes):
        return None
    if name in _COMPOSED:
        return _COMPOSED[name]
    ours = name if name in _OURS else CALLED.get(name) or _OTHER_NAMES.get(name)
    return attrgetter(ours)(suanzi) if ours else None


def call(ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """What `__array_ufunc__` gives."""
    name = f"numpy.{ufunc.__name__}"
    out = options.pop("out", None)
    if not all(_is_ours(x) for x in (*inputs, *(out or ()))):
        return NotImplemented
    function = counterpart(ufunc)
    if function is None or method not in _METHODS:
        what = name if method == "__call__" else f"{name}.{method}"
        raise TypeMismatchError(f"{what}: suanzi has no counterpart; numpy.asarray(x) makes an array of a tensor")
    operands = [operand(name, x) for x in inputs]
    target = out[0] if out and len(out) == 1 else None
    if out and target is None:
        raise InvalidArgumentError(f"{name}: out= takes one tensor")
    into = target if isinstance(target, Tensor) else None
    result = _METHODS[method](name, ufunc, function, operands, options, into)
    return in_target(name, result, target) if isinstance(target, np.ndarray) else result


def _is_ours(x: Any) -> bool:
    """Whether it is for us to say what is made of it: not of a class that has an answer of its own."""
    return isinstance(x, Tensor | np.ndarray | np.generic) or not hasattr(type(x), "__array_ufunc__")


def operand(operator: str, x: Any) -> Any:
    """An argument as our functions take it: arrays and lists as tensors, numbers as they are."""
    if isinstance(x, Tensor | np.generic | bool | int | float | complex | str):
        return x
    if isinstance(x, np.ndarray | list | tuple):
        return as_tensor(x, None, operator)
    kind = f"{type(x).__module__}.{type(x).__qualname__}"
    hint = "suanzi.from_dlpack" if hasattr(x, "__dlpack__") else "suanzi.tensor"
    raise TypeMismatchError(f"{operator}: {kind} is neither a tensor nor a number; {hint} makes it one")


def in_target(name: str, result: Tensor, target: Any) -> Any:
    """What was given as `out`, with the elements of the result, converted as NumPy converts them: within their kind."""
    try:
        np.copyto(target.numpy() if isinstance(target, Tensor) else target, result.numpy(), casting="same_kind")
    except (AttributeError, TypeError, ValueError) as error:
        raise TypeMismatchError(f"{name}: out= cannot take the result: {error}") from None
    return target


def _taken(name: str, options: dict[str, Any], *known: str) -> list[Any]:
    """The values of these options; any other must have the value that says nothing."""
    values = [options.pop(option, None) for option in known]
    nothing: Mapping[str, Any] = {"casting": "same_kind", "order": "K", "subok": True, "where": True}
    for option, value in options.items():
        if value is not None and value is not nothing.get(option) and value != nothing.get(option):
            raise InvalidArgumentError(f"{name}: {option} = {shown(value)} has no counterpart in suanzi")
    return values


# --- the methods of a ufunc ---


def _call(
    name: str, ufunc: np.ufunc, function: Function, operands: list[Any], options: dict[str, Any], into: Tensor | None
) -> Any:
    dtype, where, axis = _taken(name, options, "dtype", "where", "axis")
    if dtype is not None:
        operands = [suanzi.astype(x, dtype) if isinstance(x, Tensor) else x for x in operands]
    if not any(isinstance(x, Tensor) for x in operands):  # a number is written to a tensor
        operands[0] = as_tensor(operands[0], into.dtype if into is not None else None, name)
    axes = {} if axis is None else {"axis": axis}
    if where is None or where is True:
        return function(*operands, **axes) if into is None else function(*operands, **axes, out=into)
    if into is None:
        raise InvalidArgumentError(f"{name}: where= needs out=, which has the elements elsewhere")
    chosen = suanzi.where(operand(name, where), function(*operands, **axes), into)
    into[...] = suanzi.astype(chosen, into.dtype, copy=False)
    return into


def _reduce(
    name: str, ufunc: np.ufunc, function: Function, operands: list[Any], options: dict[str, Any], into: Tensor | None
) -> Tensor:
    fold = _fold(f"{name}.reduce", ufunc)
    axis = options.pop("axis", 0)
    dtype, keepdims, initial, where = _taken(name, options, "dtype", "keepdims", "initial", "where")
    x = operands[0]
    if where is not None and where is not True:
        other = initial if fold.neutral is None else fold.neutral
        if other is None:
            raise InvalidArgumentError(f"{name}.reduce: where= needs initial=")
        x = suanzi.where(operand(name, where), x, other)
    named = {} if dtype is None else {"dtype": dtype}
    result: Tensor = fold.reduce(x, axis, bool(keepdims), out=None if initial is not None else into, **named)
    return result if initial is None else function(result, initial, out=into)


def _accumulate(
    name: str, ufunc: np.ufunc, function: Function, operands: list[Any], options: dict[str, Any], into: Tensor | None
) -> Tensor:
    accumulate = _fold(f"{name}.accumulate", ufunc).accumulate
    if accumulate is None:
        raise TypeMismatchError(f"{name}.accumulate: suanzi has no counterpart; numpy.asarray(x) makes an array")
    axis = options.pop("axis", 0)
    (dtype,) = _taken(name, options, "dtype")
    result: Tensor = accumulate(operands[0], axis=axis, dtype=dtype, out=into)
    return result


def _outer(
    name: str, ufunc: np.ufunc, function: Function, operands: list[Any], options: dict[str, Any], into: Tensor | None
) -> Any:
    x1, x2 = (as_tensor(x, None, name) for x in operands)
    spread = suanzi.reshape(x1, (*x1.shape, *(1,) * x2.ndim))
    return _call(name, ufunc, function, [spread, x2], options, into)


def _fold(what: str, ufunc: np.ufunc) -> Fold:
    if ufunc.__name__ not in FOLDS:
        raise TypeMismatchError(f"{what}: suanzi has no counterpart; numpy.asarray(x) makes an array of a tensor")
    return FOLDS[ufunc.__name__]


_METHODS: dict[str, Function] = {
    "__call__": _call,
    "reduce": _reduce,
    "accumulate": _accumulate,
    "outer": _outer,
}
