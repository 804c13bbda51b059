"""Layouts (6.4): the storage format and the logical order of the dimensions in memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np

from suanzi import _core
from suanzi.tensor.messages import shown
from suanzi.tensor.options import choice_of
from suanzi.tensor.status import InvalidArgumentError, OutOfRangeError, TypeMismatchError

STORAGES = ("dense", "sparse")


class Flags:
    """The flags of NumPy for the memory of a tensor, such as ``flags.c_contiguous`` and ``flags["C_CONTIGUOUS"]``. A
    program cannot change the flags.
    """

    __slots__ = ("_numpys",)
    _numpys: Any

    def __init__(self, array: np.ndarray[Any, Any]) -> None:
        object.__setattr__(self, "_numpys", array.flags)

    def __getitem__(self, name: str) -> bool:
        return bool(self._numpys[name])

    def __getattr__(self, name: str) -> bool:
        if name.startswith("_"):
            raise AttributeError(f"Flags has no {name!r}")
        return bool(getattr(self._numpys, name))

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise InvalidArgumentError(f"flags: {name} = {shown(value)} has no effect on a tensor; the flags are fixed")

    def __repr__(self) -> str:
        return repr(self._numpys)


class Layout:
    """The layout of a tensor's elements in memory (布局).

    Parameters
    ----------
    storage : {"dense", "sparse"}, optional
        The storage format.
    order : sequence of int, optional
        A permutation of the dimensions. The first listed dimension varies fastest in memory. The default is
        ``(n-1, …, 1, 0)``, where the last dimension varies fastest.

    Raises
    ------
    InvalidArgumentError
        The storage is neither "dense" nor "sparse", or the order is not a permutation.

    Examples
    --------
    >>> import suanzi
    >>> suanzi.zeros((2, 3), layout=suanzi.Layout(order=(0, 1))).stride()
    (1, 2)
    """

    __slots__ = ("order", "storage")

    storage: str
    order: tuple[int, ...] | None

    def __init__(self, storage: str = "dense", order: Sequence[int] | None = None) -> None:
        object.__setattr__(self, "storage", choice_of(storage, STORAGES, "storage", "Layout"))
        object.__setattr__(self, "order", None if order is None else _permutation(order, "Layout"))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a Layout does not change")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Layout) and (self.storage, self.order) == (
            other.storage,
            other.order,
        )

    def __hash__(self) -> int:
        return hash((self.storage, self.order))

    def __repr__(self) -> str:
        return f"Layout({self.storage!r}, order={self.order})"

    def __reduce__(self) -> tuple[type[Layout], tuple[str, tuple[int, ...] | None]]:
        return Layout, (self.storage, self.order)


def _permutation(order: Sequence[int], operator: str) -> tuple[int, ...]:
    try:
        axes = _core.read_shape(operator, order, 0)
    except (InvalidArgumentError, OutOfRangeError, TypeMismatchError):
        axes = (-1,)
    is_number = not hasattr(order, "__len__") or getattr(order, "ndim", 1) == 0  # `read_shape` reads 0 as (0,)
    if is_number or sorted(axes) != list(range(len(axes))):
        raise InvalidArgumentError(f"{operator}: order {shown(order)} is not a permutation of dimensions")
    return axes


def dense_order(layout: Layout | Sequence[int] | None, rank: int, operator: str) -> tuple[int, ...] | None:
    """Return the logical order that a `layout=` argument requests for a dense tensor. None means the default order."""
    if layout is None:
        return None
    if not isinstance(layout, Layout):
        order: tuple[int, ...] | None = _permutation(layout, operator)
    elif layout.storage != "dense":
        raise InvalidArgumentError(f"{operator}: layout {layout.storage} is not dense")
    else:
        order = layout.order
    if order is not None and len(order) != rank:
        raise InvalidArgumentError(f"{operator}: order {shown(order)} does not name {rank} dimensions")
    return order
