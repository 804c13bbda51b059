"""Calls of NumPy's functions with arrays in place of tensors.

NumPy itself computes such a call. A call beside an object of another library, such as pandas' Series or an array with
units, goes to the object's class, which chooses the result. Results of ufuncs that have no counterpart in Suanzi become
tensors.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import numpy as np

import suanzi
from suanzi import Tensor, TypeMismatchError
from suanzi.interop.numpy.arguments import AS_ARRAY
from suanzi.interop.numpy.in_numpy import check_memory
from suanzi.interop.numpy.picking import numpys_errors, of_positions
from suanzi.tensor.device import is_elsewhere
from suanzi.tensor.dtypes import bfloat16, float32, is_known, string
from suanzi.tensor.exchange import as_tensor, decides

Function = Callable[..., Any]


def ufunc_beside(ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """Call a ufunc with arrays in place of tensors if an operand is an object of pandas, which leaves most ufuncs to
    other classes, or an array of a class with its own protocols. Return NotImplemented for other objects.
    """
    targets = options.get("out", ())
    if not any(decides(type(x)) for x in (*inputs, *targets)) and not _is_of_pandas(inputs):
        return NotImplemented
    if any(isinstance(x, Tensor) and _is_copied(x) for x in targets):
        return NotImplemented
    return _called(getattr(ufunc, method), inputs, options)


def function_beside(function: Function, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a function with arrays in place of tensors, because an argument's class has its own protocols."""
    if isinstance(out := kwargs.get("out"), Tensor) and _is_copied(out):
        return NotImplemented
    return _called(function, args, kwargs)


def _is_of_pandas(operands: tuple[Any, ...]) -> bool:
    pandas = sys.modules.get("pandas")
    if pandas is None:
        return False
    kinds = (pandas.Series, pandas.DataFrame, pandas.Index, pandas.api.extensions.ExtensionArray)
    return any(isinstance(x, kinds) for x in operands)


def _is_copied(x: Tensor) -> bool:
    """Return whether the array of a tensor is a copy of the tensor's memory."""
    return is_elsewhere(x) or x.dtype is string


def _called(function: Function, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a function with arrays in place of tensors. Return the given tensor for a result that is the array of
    `out`.
    """
    out = kwargs.get("out", ())
    targets = out if isinstance(out, tuple) else (out,)
    arrays = tuple(map(_as_arrays, targets))
    named = {name: _as_arrays(x) for name, x in kwargs.items()}
    if "out" in kwargs:
        named["out"] = arrays if isinstance(out, tuple) else arrays[0]
    found = function(*map(_as_arrays, args), **named)
    written = {id(array): target for array, target in zip(arrays, targets, strict=True) if target is not None}
    if isinstance(found, tuple):
        return tuple(written.get(id(x), x) for x in found)
    return written.get(id(found), found)


def _as_arrays(x: Any) -> Any:
    if isinstance(x, Tensor):
        return x.numpy()
    return type(x)(map(_as_arrays, x)) if type(x) in (list, tuple) else x


# --- ufuncs without a counterpart ---


def in_numpy(ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """Return the result of a ufunc that has no counterpart, or of a method such as `at`, which NumPy itself computes.

    Numbers become tensors. Objects and strings stay NumPy's. If all floating operands are bfloat16, which most ufuncs
    do not know, NumPy computes in float32, and the results are rounded to bfloat16.
    """
    name = f"numpy.{ufunc.__name__}" + ("" if method == "__call__" else f".{method}")
    targets = options.get("out", ())
    if method == "at":
        check_memory(name, inputs[0])
    if method in ("at", "reduceat"):
        inputs = (inputs[0], *map(of_positions, inputs[1:2]), *inputs[2:])
    for target in targets:
        check_memory(name, target)
    if any(isinstance(x, Tensor) and is_elsewhere(x) for x in inputs):
        raise TypeMismatchError(f"{name}: suanzi has no counterpart; {AS_ARRAY}")
    floating = {x.dtype for x in inputs if isinstance(x, Tensor | np.ndarray) and x.dtype.kind in "fcV"}
    widened = bfloat16 in floating and method != "at" and ufunc is not np.spacing
    if widened:
        inputs = tuple(_in_float32(x) for x in inputs)
    is_users = all(loop.endswith("->O") for loop in ufunc.types)  # a Python function, which raises its own errors
    with nullcontext() if is_users else numpys_errors(name):
        found = _called(getattr(ufunc, method), inputs, options)
    rounded = widened and len(floating) == 1 and options.get("dtype") is None
    results = tuple(
        x if any(x is target for target in targets) else _as_ours(x, rounded)
        for x in (found if isinstance(found, tuple) else (found,))
    )
    return results if isinstance(found, tuple) else results[0]


def as_ours(found: Any) -> Any:
    """Convert arrays and scalars of numbers to tensors. Return other objects, such as arrays of strings, unchanged."""
    return _as_ours(found, rounded=False)


def _as_ours(found: Any, rounded: bool) -> Any:
    if not isinstance(found, np.ndarray | np.generic) or not is_known(found.dtype) or found.dtype.kind in "UT":
        return found
    x = as_tensor(np.asarray(found), None, "numpy")
    return suanzi.astype(x, bfloat16) if rounded and x.dtype.kind == "f" else x


def _in_float32(x: Any) -> Any:
    return suanzi.astype(x, float32) if isinstance(x, Tensor) and x.dtype is bfloat16 else x
