"""Functions that read common arguments: axes, and numbers that may be vectors of one element."""

from __future__ import annotations

from suanzi import DimensionsMismatchError, InvalidArgumentError, OutOfRangeError, Tensor

Integers = tuple[int, ...]


def positive_axis(axis: int, rank: int, operator: str) -> int:
    """Return an axis as a number in [0, rank), or raise an error if the axis does not exist."""
    if not -rank <= axis < rank:
        raise OutOfRangeError(f"{operator}: axis {axis} is outside [{-rank}, {rank})")
    return axis % rank


def positive_axes(axes: Integers | None, rank: int, operator: str) -> Integers:
    """Return distinct axes as numbers in [0, rank), or raise an error. None means all axes."""
    if axes is None:
        return tuple(range(rank))
    along = tuple(positive_axis(axis, rank, operator) for axis in axes)
    if len(set(along)) != len(along):
        raise InvalidArgumentError(f"{operator}: axes {axes} of rank {rank} name an axis twice")
    return along


def of_same_shape(operator: str, result: Tensor, x: Tensor) -> Tensor:
    """Return `result`. Raise an error if `result` and `x` differ in shape, because only `x` may determine the shape."""
    if result.shape != x.shape:
        raise DimensionsMismatchError(f"{operator}: an operand extends shape {x.shape} to {result.shape}")
    return result


def single(value: int | Integers, operator: str) -> int:
    """Return an argument that is a number, or the single element of a vector."""
    if not isinstance(value, tuple):
        return value
    if len(value) != 1:
        raise DimensionsMismatchError(f"{operator}: {value} is not one number")
    return value[0]
