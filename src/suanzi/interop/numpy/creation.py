"""NumPy's functions that create arrays. A call with a tensor creates a tensor.

``numpy.zeros_like(x, shape=(2, 3))`` returns a tensor of the element type of `x`, and ``numpy.arange(5, like=x)``
returns a tensor. Dask makes the chunks of arrays by calls with a tensor as `x` or `like`. The element types and the
defaults are NumPy's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import suanzi
from suanzi import Tensor, _core
from suanzi.interop.numpy.arguments import element_type
from suanzi.operators.arguments import DeviceLike, Shape
from suanzi.tensor.device import is_elsewhere
from suanzi.tensor.dtypes import DTypeLike
from suanzi.tensor.exchange import as_tensor
from suanzi.tensor.messages import shown
from suanzi.tensor.status import InvalidArgumentError

Function = Callable[..., Any]

# --- functions of a tensor, perhaps with another shape ---


def _layout(name: str, x: Tensor, order: str, rank: int) -> list[int] | None:
    """Return the logical order of `rank` dimensions for NumPy's letter `order`. For "K", return None if `x` has `rank`
    dimensions. The new tensor then has the order of `x`.
    """
    if order not in ("C", "F", "A", "K"):
        raise InvalidArgumentError(f"numpy.{name}: order = {shown(order)} is not one of C, F, A, K")
    if order == "K" and rank == x.ndim:
        return None
    return list(range(rank)) if order == "F" else list(range(rank))[::-1]


def _like(name: str) -> Function:
    function = getattr(suanzi, f"{name}_like")
    of_shape = getattr(suanzi, name)

    def call(
        x: Tensor,
        *value: Any,
        dtype: DTypeLike | None = None,
        order: str = "K",
        shape: Shape | None = None,
        device: DeviceLike | None = None,
    ) -> Tensor:
        sizes = x.shape if shape is None else _core.read_shape(f"numpy.{name}_like", shape, 0)
        layout = _layout(f"{name}_like", x, order, len(sizes))
        result: Tensor
        if sizes == x.shape:
            result = function(x, *value, dtype=dtype, device=device, layout=layout)
        else:
            of_type = x.dtype if dtype is None else dtype
            device = x.device if device is None else device
            result = of_shape(sizes, *value, dtype=of_type, device=device, layout=layout)
        return result

    return call


zeros_like, ones_like, empty_like, full_like = map(_like, ("zeros", "ones", "empty", "full"))

# --- functions without a tensor, except in ``like=`` ---

_TAKE = {"array", "asarray", "asanyarray", "ascontiguousarray", "asfortranarray", "require"}
_MAKE = {"arange", "empty", "eye", "frombuffer", "fromfunction", "fromiter", "full", "identity", "ones", "tri", "zeros"}
OF_NO_TENSOR = {getattr(np, name) for name in _TAKE | _MAKE}


def created(function: Function, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Tensor:
    """Return the result of one of NumPy's creation functions as a tensor. Functions such as `numpy.asarray` copy a
    tensor only if necessary.
    """
    name = function.__name__
    if name not in _TAKE or not args or not isinstance(args[0], Tensor):
        return as_tensor(function(*args, **kwargs), None, f"numpy.{name}")
    if name == "require":
        return _required(*args, **kwargs)
    if name in _ORDERS:
        kwargs = {**kwargs, "order": _ORDERS[name], "ndmin": 1}
    return _taken(name, *args, **{"copy": True if name == "array" else None, **kwargs})


_ORDERS = {"ascontiguousarray": "C", "asfortranarray": "F"}
# NumPy's names of requirements, by the letters that NumPy's flags have.
_REQUIREMENTS = {
    "C": ("C", "C_CONTIGUOUS", "CONTIGUOUS"),
    "F": ("F", "F_CONTIGUOUS", "FORTRAN"),
    "A": ("A", "ALIGNED"),
    "W": ("W", "WRITEABLE"),
    "O": ("O", "OWNDATA"),
    "E": ("E", "ENSUREARRAY"),
}
_LETTERS = {word: letter for letter, words in _REQUIREMENTS.items() for word in words}


def _taken(
    name: str,
    x: Tensor,
    dtype: DTypeLike | None = None,
    order: str | None = None,
    *,
    copy: bool | None = None,
    ndmin: int = 0,
    ndmax: int | None = None,
    subok: bool = False,
    device: DeviceLike | None = None,
) -> Tensor:
    """Return `x` in the requested type and memory order, on the requested device. If nothing changes, return `x`
    itself, or a copy if `copy` is True. If `copy` is False, raise an error if the result would be a copy. A tensor has
    no subclasses, so `subok` has no effect.
    """
    order = order and order.upper()  # NumPy has checked the letter
    if ndmax is not None and x.ndim > ndmax:
        raise InvalidArgumentError(f"numpy.{name}: ndmax = {ndmax}, but the tensor has {x.ndim} dimensions")
    moved = x if device is None else x.to_device(device)
    typed = moved if dtype is None else suanzi.astype(moved, element_type(f"numpy.{name}", dtype), copy=False)
    if order == "A" and copy and typed is x:
        order = "F" if _in_order(x, "F") is x and _in_order(x, "C") is not x else "C"
    kept = _in_order(typed, order)
    if kept is not x and copy is not None and not copy:
        raise InvalidArgumentError(f"numpy.{name}: copy = False, but the requested type, order or device needs a copy")
    if kept is x and copy:
        kept = suanzi.clone(x)
    return kept[(None,) * (ndmin - x.ndim)] if ndmin > x.ndim else kept


def _in_order(x: Tensor, order: str | None) -> Tensor:
    """Return `x` itself if the elements are contiguous in the order C or F, or a copy in this order. Return `x` itself
    for another order.
    """
    if order == "C":
        return suanzi.contiguous(x)
    if order != "F":
        return x
    backwards = tuple(range(x.ndim))[::-1]
    turned = suanzi.permute_dims(x, backwards)
    contiguous = suanzi.contiguous(turned)
    return x if contiguous is turned else suanzi.permute_dims(contiguous, backwards)


def _required(x: Tensor, dtype: DTypeLike | None = None, requirements: Any = None) -> Tensor:
    """Return `x` itself if the tensor meets NumPy's requirements, or a copy. A tensor's memory is always aligned."""
    wanted = set()
    for word in requirements or ():
        if not isinstance(word, str) or word.upper() not in _LETTERS:
            raise InvalidArgumentError(f"numpy.require: {shown(word)} is not one of {', '.join(_LETTERS)}")
        wanted.add(_LETTERS[word.upper()])
    if wanted >= {"C", "F"}:
        raise InvalidArgumentError('numpy.require: the requirements "C" and "F" exclude each other')
    order = next((letter for letter in "CF" if letter in wanted), "A")
    kept = _taken("require", x, dtype, order)
    if kept is x and ("O" in wanted or ("W" in wanted and not _is_writeable(x))):
        kept = _taken("require", x, None, order, copy=True)
    return kept


def _is_writeable(x: Tensor) -> bool:
    return is_elsewhere(x) or bool(x.numpy().flags.writeable)
