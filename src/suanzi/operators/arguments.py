"""Reading what several operators take: shapes, element types, devices and layouts, numbers, axes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from operator import index
from typing import Any, TypeAlias

from suanzi import _core
from suanzi._core import Tensor
from suanzi.tensor.device import Device
from suanzi.tensor.exchange import alive
from suanzi.tensor.layout import Layout
from suanzi.tensor.messages import shown
from suanzi.tensor.status import InvalidArgumentError, SuanziError, TypeMismatchError, renamed

Shape: TypeAlias = int | Sequence[int]
Axes: TypeAlias = int | tuple[int, ...] | None
DeviceLike: TypeAlias = Device | str
LayoutLike: TypeAlias = Layout | Sequence[int]

_GREATEST_SIZE = 2**63 - 1


def _first(sizes: Any) -> Iterable[Any]:
    """No more of them than show whether they are too many: they may have no end."""
    return islice(sizes, _core.max_rank + 1)


def shape_of(shape: Shape, operator: str, least: int = 0) -> tuple[int, ...]:
    """The sizes that an integer or a sequence of integers gives; `least` is -1 where one may be left open."""
    try:
        sizes = (shape,) if type(shape) is int else tuple(map(index, _first(shape)))
    except SuanziError as error:  # of a tensor that cannot be gone through
        raise renamed(error, operator) from None
    except TypeError:
        try:
            sizes = (index(shape),)  # type: ignore[arg-type]
        except TypeError:
            raise TypeMismatchError(
                f"{operator}: shape {shown(shape)} is not an integer or a sequence of integers"
            ) from None
    if len(sizes) > _core.max_rank:
        raise InvalidArgumentError(f"{operator}: shape has more than the {_core.max_rank} dimensions supported")
    if sizes and (min(sizes) < least or max(sizes) > _GREATEST_SIZE):
        raise InvalidArgumentError(f"{operator}: shape {shown(sizes)} has a size outside [{least}, 2**63)")
    return sizes


def tensor_of(x: Any, operator: str) -> Tensor:
    """An argument that must be a dense tensor, and not a destroyed one."""
    if not isinstance(x, Tensor):
        raise TypeMismatchError(f"{operator}: {type(x).__name__} is not a tensor")
    return alive(x, operator)


def operand_of(x: Any, operator: str) -> Tensor:
    """A tensor of any kind: also what is no dense tensor, where its class takes calls itself (`__suanzi_call__`).

    Such a tensor has the attributes that tell of its shape, and takes the keys that change it.
    """
    if not isinstance(x, Tensor) and hasattr(type(x), "__suanzi_call__"):
        return x  # type: ignore[no-any-return]
    return tensor_of(x, operator)


def integer_of(value: Any, what: str, operator: str) -> int:
    """An argument that must be an integer of 64 bits."""
    try:
        number = index(value)
    except TypeError:
        raise TypeMismatchError(f"{operator}: {what} {shown(value)} is not an integer") from None
    if not -_GREATEST_SIZE - 1 <= number <= _GREATEST_SIZE:
        raise InvalidArgumentError(f"{operator}: {what} {shown(number)} is past 64 bits")
    return number
