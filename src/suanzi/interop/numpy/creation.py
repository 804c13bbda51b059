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
from suanzi import Tensor
from suanzi.interop.numpy.arguments import element_type
from suanzi.operators.arguments import DeviceLike, Shape
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
        sizes = x.shape if shape is None else tuple(np.atleast_1d(shape).tolist())
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
    return _taken(name, *args, **kwargs)


def _taken(name: str, x: Tensor, dtype: DTypeLike | None = None, order: str | None = None, **options: Any) -> Tensor:
    """Return `x` in the requested type and memory order. Return `x` itself if nothing changes and no copy is
    requested.
    """
    copied = bool(options.get("copy", name == "array"))
    kept = x if dtype is None else suanzi.astype(x, element_type(f"numpy.{name}", dtype), copy=copied)
    if name == "asfortranarray" or order == "F":
        backwards = tuple(range(x.ndim))[::-1]
        kept = suanzi.permute_dims(suanzi.contiguous(suanzi.permute_dims(kept, backwards)), backwards)
    elif name == "ascontiguousarray" or order == "C":
        kept = suanzi.contiguous(kept)
    return suanzi.clone(kept) if copied and kept is x else kept
