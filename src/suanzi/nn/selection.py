"""Selection of rows and elements by integers, and movement of elements between channels and space."""

from __future__ import annotations

from typing import Any

from suanzi import _core
from suanzi._core import Tensor
from suanzi.operators.composition import into, named, tensor_operand
from suanzi.operators.creation.filled import zeros
from suanzi.operators.creation.sequences import arange
from suanzi.operators.reduction.folds import max, min
from suanzi.operators.registry import operator
from suanzi.operators.scratch import size
from suanzi.operators.transform.elements import astype
from suanzi.operators.transform.gathering import gather
from suanzi.operators.transform.joining import concat
from suanzi.operators.transform.shape import reshape, transpose
from suanzi.tensor.dtypes import DTypeLike, int64
from suanzi.tensor.messages import shown
from suanzi.tensor.status import DimensionsMismatchError, InvalidArgumentError, OutOfRangeError, TypeMismatchError

_FIT = ("TYPE_MISMATCH", "DIMENSIONS_MISMATCH")
_INDEXED = (*_FIT, "OUT_OF_RANGE")
_MOVED = (*_INDEXED, "INVALID_ARGUMENT")


def _index(name: str, x: Any) -> Tensor:
    """Return `x`, or raise TYPE_MISMATCH if `x` is not a tensor of integers."""
    if tensor_operand(name, x).dtype.kind_name not in ("signed integer", "unsigned integer"):
        raise TypeMismatchError(f"{name}: element type {x.dtype} is not an integer type")
    return x  # type: ignore[no-any-return]


@operator("BIFCS", _INDEXED, name="nn.embedding", family="gather")
def embedding(x: Tensor, weight: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """Return the rows of a table that integers select (词嵌入).

    Parameters
    ----------
    x : Tensor
        Integers of any shape, from 0 to the number of rows minus 1.
    weight : Tensor
        The table, of shape (rows, features) and any type.

    Returns
    -------
    Tensor
        A tensor of the type of `weight`, whose shape is the shape of `x`, followed by the number of features.

    Source
    ------
    ``torch.nn.functional.embedding``.

    Examples
    --------
    >>> import suanzi
    >>> table = suanzi.tensor([[0.0, 0.5], [1.0, 1.5], [2.0, 2.5]])
    >>> print(suanzi.nn.embedding(suanzi.tensor([2, 0], dtype="int64"), table))
    [[2.  2.5]
     [0.  0.5]]
    """
    index = _index("embedding", x)
    if tensor_operand("embedding", weight).ndim != 2:
        raise DimensionsMismatchError(f"embedding: a table of shape {weight.shape} is not (rows, features)")
    if index.size:
        for row in (int(min(index)), int(max(index))):
            if not 0 <= row < weight.shape[0]:  # gather would accept a negative index
                raise OutOfRangeError(f"embedding: index {row} is outside [0, {weight.shape[0]})")
    with named("embedding"):
        rows = gather(weight, index, 0)
    return into(out, rows)


@operator("I", _MOVED, name="nn.one_hot", family="values", scratch=16 * size("x"))
def one_hot(x: Tensor, /, num_classes: int = -1, *, dtype: DTypeLike = "int64", out: Tensor | None = None) -> Tensor:
    """Return a row for each integer, with 1 at the index that the integer names, and 0 elsewhere (独热编码).

    Parameters
    ----------
    x : Tensor
        Integers of any shape, from 0 to `num_classes` minus 1.
    num_classes : int, optional
        The length of a row, by default the greatest integer plus 1.
    dtype : DType, optional
        The element type of the result.

    Returns
    -------
    Tensor
        A tensor whose shape is the shape of `x`, followed by `num_classes`.

    Source
    ------
    ``torch.nn.functional.one_hot``.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.nn.one_hot(suanzi.tensor([1, 0, 2], dtype="int64")))
    [[0 1 0]
     [1 0 0]
     [0 0 1]]
    """
    index = _index("one_hot", x)
    classes = _core.read_integer("one_hot", "num_classes", num_classes)
    if classes < -1:
        raise InvalidArgumentError(f"one_hot: num_classes {classes} is negative")
    if index.size:
        low, high = int(min(index)), int(max(index))
        if low < 0 or (classes >= 0 and high >= classes):
            rule = f"in [0, {classes})" if classes >= 0 else "at least 0"
            raise OutOfRangeError(f"one_hot: index {low if low < 0 else high} is not {rule}")
        classes = classes if classes >= 0 else high + 1
    elif classes < 0:
        raise OutOfRangeError(f"one_hot: shape {index.shape} has no integers to determine num_classes")
    result = zeros((index.size * classes,), dtype=dtype, device=index.device)
    if result.size:
        rows = arange(index.size, dtype=int64, device=index.device) * classes
        result[reshape(astype(index, int64, copy=False), (index.size,)) + rows] = 1
    return into(out, reshape(result, (*index.shape, classes)))


def _blocks(
    name: str, x: Tensor, title: str, factor: Any, shuffles: bool
) -> tuple[tuple[int, ...], int, int, int, int]:
    """Return the leading sizes of `x`, the channels, height and width of an image, and the block size `factor`."""
    blocks: int = _core.read_integer(name, title, factor)
    if tensor_operand(name, x).ndim < 3:
        raise DimensionsMismatchError(f"{name}: shape {x.shape} is not (…, C, height, width)")
    *leading, channels, height, width = x.shape
    if blocks < 1:
        raise InvalidArgumentError(f"{name}: {title} {shown(factor)} is not positive")
    fits = channels % blocks**2 == 0 if shuffles else height % blocks == 0 and width % blocks == 0
    if not fits:
        whole = f"C is not a multiple of {blocks**2}" if shuffles else f"height or width is not a multiple of {blocks}"
        raise DimensionsMismatchError(f"{name}: shape {x.shape} with {title} {shown(factor)}: {whole}")
    return tuple(leading), channels, height, width, blocks


def _copied(x: Tensor, shape: tuple[int, ...], out: Tensor | None) -> Tensor:
    """Return a copy of the elements of `x` in another shape. If `out` is given, the copy is `out`."""
    return reshape(concat([x]), shape) if out is None else into(out, reshape(x, shape))


@operator("BIFCS", _MOVED, name="nn.pixel_shuffle", family="movement")
def pixel_shuffle(x: Tensor, /, upscale_factor: int, *, out: Tensor | None = None) -> Tensor:
    """Return larger images with fewer channels. Each group of channels becomes a block of pixels (像素重排).

    Parameters
    ----------
    x : Tensor
        A tensor of shape (…, C * r * r, height, width), of any type.
    upscale_factor : int
        The number r by which height and width grow.

    Returns
    -------
    Tensor
        A copy of shape (…, C, height * r, width * r).

    Source
    ------
    ``torch.nn.functional.pixel_shuffle``.

    Examples
    --------
    >>> import suanzi
    >>> x = suanzi.reshape(suanzi.arange(4, dtype="int64"), (4, 1, 1))
    >>> print(suanzi.nn.pixel_shuffle(x, 2))
    [[[0 1]
      [2 3]]]
    """
    leading, channels, height, width, r = _blocks("pixel_shuffle", x, "upscale_factor", upscale_factor, True)
    n = len(leading)
    blocks = reshape(x, (*leading, channels // r**2, r, r, height, width))
    moved = transpose(blocks, (*range(n), n, n + 3, n + 1, n + 4, n + 2))
    return _copied(moved, (*leading, channels // r**2, height * r, width * r), out)


@operator("BIFCS", _MOVED, name="nn.pixel_unshuffle", family="movement")
def pixel_unshuffle(x: Tensor, /, downscale_factor: int, *, out: Tensor | None = None) -> Tensor:
    """Return smaller images with more channels: the inverse of `pixel_shuffle` (像素逆重排).

    Parameters
    ----------
    x : Tensor
        A tensor of shape (…, C, height * r, width * r), of any type.
    downscale_factor : int
        The number r by which height and width are divided.

    Returns
    -------
    Tensor
        A copy of shape (…, C * r * r, height, width).

    Source
    ------
    ``torch.nn.functional.pixel_unshuffle``.

    Examples
    --------
    >>> import suanzi
    >>> x = suanzi.reshape(suanzi.arange(4, dtype="int64"), (1, 2, 2))
    >>> suanzi.nn.pixel_unshuffle(x, 2).shape
    (4, 1, 1)
    """
    leading, channels, height, width, r = _blocks("pixel_unshuffle", x, "downscale_factor", downscale_factor, False)
    n = len(leading)
    blocks = reshape(x, (*leading, channels, height // r, r, width // r, r))
    moved = transpose(blocks, (*range(n), n, n + 2, n + 4, n + 1, n + 3))
    return _copied(moved, (*leading, channels * r**2, height // r, width // r), out)
