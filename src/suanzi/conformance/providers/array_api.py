"""Any namespace of the Python array API as a provider, with functions under the names of T/AI 137.1."""

from __future__ import annotations

import math
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from ..oracle.element_types import ELEMENT_TYPES, Array
from ..provider import BlockedError
from ..standard import standard
from .library import Function, Library, without_defaults

_LINALG = ("cholesky", "inv", "matrix_norm", "qr", "solve", "svd")
_REDUCTIONS = {name: name for name in ("sum", "prod", "max", "min", "mean", "var", "std", "all", "any")}


class ArrayApi(Library):
    """The provider of a namespace of the array API. Derived classes for single libraries add missing operators."""

    def __init__(self, namespace: ModuleType, device: str = "") -> None:
        self.namespace, self.device = namespace, device
        self.name = namespace.__name__
        self.element_types = frozenset(name for name in ELEMENT_TYPES if hasattr(namespace, name))
        self.operators = {name: function for name, function in self.table().items() if function is not None}

    def version(self) -> str:
        return str(getattr(self.namespace, "__version__", ""))

    def element_type(self, name: str) -> Any:
        found = getattr(self.namespace, name, None)
        if found is None:
            raise BlockedError(f"needs the element type {name}")
        return found

    def from_numpy(self, array: Array) -> Any:
        return self.namespace.asarray(np.array(array, order="C"), **without_defaults(device=self.device or None))

    def to_numpy(self, tensor: Any) -> Array:
        return np.asarray(tensor)

    def order(self, tensor: Any) -> tuple[int, ...]:
        raise BlockedError("the tensors do not show the order of their memory")

    def device_of(self, tensor: Any) -> str:
        if not hasattr(tensor, "device"):
            raise BlockedError("the tensors do not show their device")
        return str(tensor.device)

    def table(self) -> dict[str, Function | None]:
        """Return every operator's function, or None if the namespace lacks the function. Most of these functions have
        the operator's signature."""
        xp = self.namespace
        alike = {name: getattr(xp, name, None) for name in standard().operators}
        linalg = {name: getattr(getattr(xp, "linalg", None), name, None) for name in _LINALG}
        fft = {f"fft.{name}": getattr(getattr(xp, "fft", None), name, None) for name in ("fft", "ifft")}
        return {**alike, **linalg, **fft, **self._called_otherwise()}

    def _called_otherwise(self) -> dict[str, Function | None]:
        xp = self.namespace
        of_shape: dict[str, Function | None] = {name: self._creation(name) for name in ("zeros", "empty", "full")}
        return {
            **of_shape,
            "tensor": self._tensor,
            "clone": lambda x: xp.asarray(x, copy=True),
            "arange": lambda start, stop=None, step=1, dtype=None, device=None: xp.arange(
                start, stop, step, **self._typed(dtype)
            ),
            "linspace": lambda start, stop, num, dtype=None, device=None: xp.linspace(
                start, stop, num, **self._typed(dtype)
            ),
            "shape": lambda x: tuple(x.shape),
            "size": lambda x: math.prod(x.shape),
            "rank": lambda x: x.ndim,
            "astype": lambda x, dtype, copy=True: xp.astype(x, dtype, copy=copy),
            "expand_dims": lambda x, axis=0: xp.expand_dims(x, axis=axis),
            "squeeze": lambda x, axis=None: xp.squeeze(x, axis=_units(x) if axis is None else axis),
            "transpose": lambda x, axes=None: xp.permute_dims(x, tuple(range(x.ndim))[::-1] if axes is None else axes),
            "unstack": lambda x, axis=0: xp.unstack(x, axis=axis),
            "expand": lambda x, shape: xp.broadcast_to(x, _kept(x, shape)),
            "flatten": lambda x, start_axis=0, stop_axis=-1: xp.reshape(x, _merged(x.shape, start_axis, stop_axis)),
            "reverse": lambda x, axis=None, **lengths: _reversed(xp, x, axis, lengths),
            "clip": lambda x, min=None, max=None: xp.clip(x, min, max),
            "gather": lambda x, index, axis=0: xp.take(x, index, axis=axis),
            "index_select": lambda x, index, axis=0: xp.take(x, index, axis=axis),
            "divide": _divide(xp),
            "true_divide": xp.divide,
            "rint": xp.round,
            "trace": lambda x, offset=0: xp.linalg.trace(x, offset=offset),
            "reduce": self._reduce,
            "cumulative_sum": _cumulative_sum(xp) if hasattr(xp, "cumulative_sum") else None,
            "argmax": lambda x, axis=None, keepdims=False: xp.argmax(x, axis=axis, keepdims=keepdims),
            "argmin": lambda x, axis=None, keepdims=False: xp.argmin(x, axis=axis, keepdims=keepdims),
            "nonzero": lambda x: xp.nonzero(x),
            "dot": lambda x, y: xp.vecdot(x, y),
        }

    def _typed(self, dtype: Any) -> dict[str, Any]:
        return {"dtype": self.namespace.float32 if dtype is None else dtype}

    def _creation(self, name: str) -> Callable[..., Any]:
        make = getattr(self.namespace, name)

        def create(shape: Any, *value: Any, dtype: Any = None, device: Any = None, layout: Any = None) -> Any:
            self._refuse(layout)
            return make(shape, *value, **self._typed(dtype), **without_defaults(device=device))

        return create

    def _tensor(
        self, data: Any, *, shape: Any = None, dtype: Any = None, device: Any = None, layout: Any = None
    ) -> Any:
        self._refuse(layout)
        if shape is not None:
            raise BlockedError("creates no tensors from flat initialisers")
        bare = isinstance(data, list | int | float)
        return self.namespace.asarray(
            data,
            **(self._typed(dtype) if bare else without_defaults(dtype=dtype)),
            **without_defaults(device=device),
            copy=True,
        )

    def _refuse(self, layout: Any) -> None:
        if layout is not None:
            raise BlockedError("has no logical orders")

    def _reduce(self, x: Any, op: str, axis: Any = None, keepdims: bool = False, **options: Any) -> Any:
        if op not in _REDUCTIONS:
            raise BlockedError(f"has no reduction {op}")
        return getattr(self.namespace, _REDUCTIONS[op])(x, axis=axis, keepdims=keepdims, **options)


def _units(x: Any) -> tuple[int, ...]:
    return tuple(axis for axis, size in enumerate(x.shape) if size == 1)


def _kept(x: Any, shape: Any) -> tuple[int, ...]:
    """Return the shape with the tensor's own sizes in place of -1."""
    own = (*(0,) * (len(shape) - x.ndim), *x.shape)
    return tuple(n if size == -1 else size for size, n in zip(shape, own, strict=True))


def _merged(shape: Any, start: int, stop: int) -> tuple[int, ...]:
    """Return the shape with a range of dimensions merged into one dimension."""
    if not shape:
        return (1,)
    first, last = (range(len(shape))[axis] for axis in (start, stop))
    if last < first:
        raise ValueError(f"flatten: dimension {last} is before {first}")
    return (*shape[:first], math.prod(shape[first : last + 1]), *shape[last + 1 :])


def _reversed(xp: ModuleType, x: Any, axis: Any, lengths: dict[str, Any]) -> Any:
    if lengths:
        raise BlockedError("reverses only whole rows")
    return xp.flip(x, axis=axis)


def _cumulative_sum(xp: ModuleType) -> Function:
    def add_up(x: Any, axis: int | None = None) -> Any:
        return xp.cumulative_sum(xp.reshape(x, (-1,)) if axis is None else x, axis=0 if axis is None else axis)

    return add_up


def _divide(xp: ModuleType) -> Function:
    def divide(x1: Any, x2: Any, rounding: str | None = None) -> Any:
        if rounding is None:
            return xp.divide(x1, x2)
        return xp.floor_divide(x1, x2) if rounding == "floor" else xp.trunc(xp.divide(x1, x2))

    return divide
