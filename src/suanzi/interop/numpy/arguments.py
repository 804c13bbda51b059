"""Conversion of the arguments of NumPy's protocols, and of results for `out`.

This module implements NumPy's casting rules. `ufuncs` and `functions` choose the function to call.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

import suanzi
from suanzi import Tensor, TypeMismatchError, _core
from suanzi.tensor.dtypes import DType, as_dtype, bool_
from suanzi.tensor.exchange import as_tensor
from suanzi.tensor.messages import shown
from suanzi.tensor.status import (
    AxisError,
    DimensionsMismatchError,
    InvalidArgumentError,
    MatrixError,
    MatrixShapeError,
    OutOfRangeError,
    SuanziError,
)

AS_ARRAY = "numpy.asarray(x) makes an array of a tensor"  # the hint for functions without a counterpart in Suanzi


def operand(operator: str, x: Any) -> Any:
    """Convert arrays, lists and table columns to tensors for Suanzi's functions. Return numbers unchanged."""
    if isinstance(x, Tensor | np.generic | bool | int | float | complex | str):
        return x
    if isinstance(x, np.ndarray | np.flatiter | list | tuple) or hasattr(type(x), "to_numpy"):
        return as_tensor(x, None, operator)
    kind = f"{type(x).__module__}.{type(x).__qualname__}"
    hint = "suanzi.from_dlpack" if hasattr(x, "__dlpack__") else "suanzi.tensor"
    raise TypeMismatchError(f"{operator}: {kind} is neither a tensor nor a number; {hint} makes it one")


# --- errors ---

# The class of NumPy's functions for an error of Suanzi, with the pattern that messages of this class have.
_NUMPYS_ERRORS: dict[type[SuanziError], tuple[type[SuanziError], re.Pattern[str]]] = {
    InvalidArgumentError: (
        MatrixError,
        re.compile(r"^[^:]*: matrix (\d+ of the batch )?(is|has) |: matrices .* have no elements"),
    ),
    DimensionsMismatchError: (MatrixShapeError, re.compile(r" square\b| is not a matrix")),
    OutOfRangeError: (AxisError, re.compile(r"^[^:]*: axis \S+ is outside ")),
}


def as_numpys(error: SuanziError) -> SuanziError:
    """Return an error of the class that NumPy's functions raise, if NumPy has a class of its own for the error. The
    error is still of Suanzi's class. Return other errors unchanged.
    """
    kind, pattern = _NUMPYS_ERRORS.get(type(error), (None, None))
    if kind is None or pattern is None or not pattern.search(str(error)):
        return error
    return kind(*error.args).with_traceback(error.__traceback__)


# --- element types ---

_WORDS = (float, complex, "float", "int", "complex")  # types that NumPy and Suanzi interpret differently


def element_type(name: str, dtype: Any) -> DType:
    """Return an element type. The names float, int and complex have NumPy's meaning, for example float64."""
    is_word = isinstance(dtype, type | str) and any(dtype is word or dtype == word for word in _WORDS)
    return as_dtype(np.dtype(dtype) if is_word else dtype, name)


def converted(name: str, x: Any, dtype: DType, casting: str = "same_kind") -> Any:
    """Convert a tensor to another element type as NumPy does, if NumPy's casting rule allows the conversion. Return a
    number unchanged.

    A conversion to a narrower integer type keeps the last bits, as sums and products of integers do.
    """
    if not isinstance(x, Tensor) or x.dtype is dtype:
        return x
    if not can_cast(x.dtype, dtype, casting):
        raise TypeMismatchError(f"{name}: {x.dtype} cannot become {dtype} with casting = {shown(casting)}")
    if x.dtype.is_integer and dtype.is_integer:
        return as_tensor(x.numpy().astype(dtype.numpy), None, name)
    if x.dtype.kind == "c" and dtype.kind != "c" and dtype is not bool_:
        x = suanzi.real(x)
    return suanzi.astype(x, dtype)


_KINDS = {"b": 0, "i": 1, "u": 1, "f": 2, "c": 3}  # NumPy's kinds: a kind holds the numbers of all lesser kinds


def number(name: str, value: Any, dtype: DType, casting: str = "unsafe") -> Tensor:
    """Convert a number to a tensor of an element type. Unless `casting` is "unsafe", the element type must have the
    number's kind or a greater kind.
    """
    try:
        kind = "i" if type(value) is int else np.asarray(value).dtype.kind  # NumPy has no type for 2**64
    except ValueError as error:
        raise TypeMismatchError(f"{name}: {shown(value)} is not a number: {error}") from None
    if kind not in _KINDS or (casting != "unsafe" and _KINDS[kind] > _KINDS.get(dtype.kind, -1)):
        raise TypeMismatchError(f"{name}: {shown(value)} cannot become {dtype} with casting = {shown(casting)}")
    try:
        return as_tensor(np.array(dtype.numpy.type(value)), None, name)
    except OverflowError as error:
        raise OutOfRangeError(f"{name}: {shown(value)} does not fit {dtype}: {error}") from None
    except (TypeError, ValueError) as error:
        raise TypeMismatchError(f"{name}: {shown(value)} cannot become {dtype}: {error}") from None


def can_cast(source: DType, target: DType, casting: str) -> bool:
    try:
        return bool(np.can_cast(source.numpy, target.numpy, casting))  # type: ignore[arg-type]
    except ValueError:
        raise InvalidArgumentError(f"casting = {shown(casting)} is not one of {_CASTINGS}") from None


_CASTINGS = "no, equiv, safe, same_kind, unsafe"


def mask(name: str, where: Any) -> Tensor:
    """Return a mask as a tensor of bools. As in NumPy, the function refuses a tensor or an array of another type."""
    chosen = operand(name, where)
    chosen = chosen if isinstance(chosen, Tensor) else as_tensor(chosen, None, name)
    if chosen.dtype is not bool_ and isinstance(where, Tensor | np.ndarray):
        raise TypeMismatchError(f"{name}: where= has type {chosen.dtype}, not bool")
    return suanzi.astype(chosen, bool_, copy=False)


# --- writing results ---


def in_target(
    name: str, result: Tensor, target: Any, casting: Any = "same_kind", where: Any = True, repeats: bool = False
) -> Any:
    """Write the elements of `result` that the mask `where` selects into `target` (NumPy's `out`), and return `target`.
    NumPy's rule `casting` must allow the conversion of the elements.

    If `repeats` is True, `target` may be larger, and the result is broadcast to `target`.
    """
    check_target(name, result, target, casting, repeats)
    try:
        np.copyto(_array(target), result.numpy(), casting=casting, where=where)
    except (AttributeError, TypeError, ValueError) as error:
        raise TypeMismatchError(f"{name}: out= cannot hold the result: {error}") from None
    return target


def check_target(name: str, result: Tensor, target: Any, casting: Any = "same_kind", repeats: bool = False) -> None:
    """Raise an error for an `out` that is neither a tensor nor an array, or whose shape or type does not fit the
    result.
    """
    if not isinstance(target, Tensor | np.ndarray):
        raise TypeMismatchError(f"{name}: out = {shown(target)} is neither a tensor nor an array")
    array = _array(target)
    shape = array.shape
    if shape != result.shape and not (repeats and _broadcasts(result.shape, shape)):
        raise DimensionsMismatchError(f"{name}: out= of shape {shape} cannot hold a result of shape {result.shape}")
    if not np.can_cast(result.dtype.numpy, array.dtype, casting):
        raise TypeMismatchError(f"{name}: out= cannot hold the result: {result.dtype} cannot become {array.dtype}")


def _array(target: Any) -> Any:
    return target.numpy() if isinstance(target, Tensor) else target


def _broadcasts(shape: tuple[int, ...], to: tuple[int, ...]) -> bool:
    try:
        return np.broadcast_shapes(shape, to) == to
    except ValueError:
        return False


def written(
    name: str,
    compute: Callable[..., Any],
    target: Any,
    fits: bool = True,
    repeats: bool = False,
    casting: str = "same_kind",
) -> Any:
    """Return the result of `compute`, written into `target` (NumPy's `out`) if `target` is not None. If `fits` is True,
    `compute` accepts the argument `out`.
    """
    if target is None:
        return compute()
    if isinstance(target, Tensor) and fits:
        try:
            return compute(out=target)
        except (TypeMismatchError, DimensionsMismatchError):
            pass  # NumPy's `out` may have another type of the same kind, or a larger shape
    return in_target(name, compute(), target, casting, repeats=repeats)


def check_kth(name: str, x: Tensor, kth: Any, axis: int | None) -> None:
    """Check the positions `kth` of a partition of `x` along an axis."""
    length = x.size if axis is None else x.shape[_core.read_axis(name, axis, x.ndim)]
    for each in kth if isinstance(kth, (list, tuple)) else suanzi.flatten(kth) if isinstance(kth, Tensor) else [kth]:
        if not -length <= (k := _core.read_integer(name, "kth", each)) < length:
            raise OutOfRangeError(f"{name}: kth = {k} is not in [{-length}, {length})")
