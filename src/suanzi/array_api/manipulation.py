"""Manipulation and utility functions that `suanzi` lacks, or that lack a keyword in `suanzi`."""

from __future__ import annotations

from typing import Any

from suanzi import _core
from suanzi._core import Tensor
from suanzi.operators.arguments import Shape
from suanzi.tensor.messages import shown
from suanzi.tensor.status import DimensionsMismatchError, InvalidArgumentError


def broadcast_shapes(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    """Return the shape to which several shapes broadcast, or ``()`` for no shapes.

    Parameters
    ----------
    *shapes : tuple of int
        The shapes.

    Returns
    -------
    tuple of int

    Raises
    ------
    DimensionsMismatchError
        The shapes do not broadcast.

    Examples
    --------
    >>> from suanzi import array_api as xp
    >>> xp.broadcast_shapes((2, 1), (3,))
    (2, 3)
    """
    read = [_core.read_shape("broadcast_shapes", shape, 0) for shape in shapes]
    rank = max(map(len, read), default=0)
    aligned = [(1,) * (rank - len(shape)) + shape for shape in read]
    result = tuple(next((size for size in sizes if size != 1), 1) for sizes in zip(*aligned, strict=True))
    for shape in aligned:
        if any(size not in (1, wanted) for size, wanted in zip(shape, result, strict=True)):
            raise DimensionsMismatchError(f"broadcast_shapes: shapes {shown(shapes)} do not broadcast")
    return result


def reshape(x: Tensor, /, shape: Shape, *, copy: bool | None = None) -> Tensor:
    """Reshape as `suanzi.reshape` does, with a parameter that forces or forbids a copy.

    Parameters
    ----------
    x : Tensor
        A tensor of any shape and type.
    shape : int or sequence of int
        The new sizes. One size may be -1.
    copy : bool, optional
        If True, always copy. If False, never copy, and raise INVALID_ARGUMENT if a copy is necessary. If None, copy
        only if necessary.

    Returns
    -------
    Tensor

    Examples
    --------
    >>> from suanzi import array_api as xp
    >>> xp.reshape(xp.arange(4), (2, 2), copy=True)
    tensor([[0, 1],
            [2, 3]], dtype=int64)
    """
    result = _core.reshape(x, shape)
    if copy is None:
        return result
    if _core.read_truth("reshape", "copy", copy):
        return _core.clone(result)
    if x.size and _core.address(result) != _core.address(x):
        raise InvalidArgumentError(
            f"reshape: strides of {x.stride()} elements do not allow shape {result.shape} without a copy"
        )
    return result


def pad(x: Tensor, pad_width: Any, mode: str = "constant", *, constant_values: Any = 0) -> Tensor:
    """Pad as `suanzi.pad` does. NumPy's keyword `constant_values` is the value of added elements. The array API lacks
    `pad`, but libraries call `pad` in the namespace.

    Examples
    --------
    >>> from suanzi import array_api as xp
    >>> xp.pad(xp.arange(1, 4), (1, 0), constant_values=7)
    tensor([7, 1, 2, 3], dtype=int64)
    """
    return _core.pad(x, pad_width, mode, constant_values)
