"""PyPTO's index_select, with PyPTO's element types, views, tile shapes and constraints, on Suanzi's tensors.

`suanzi.gather_tiled` computes the result of index_select. Suanzi's tensors also have PyPTO's attribute ``dim``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextvars import ContextVar

from suanzi import _core
from suanzi._core import Tensor
from suanzi.interop.called import called
from suanzi.operators.creation.filled import zeros
from suanzi.operators.reduction.folds import max, min
from suanzi.operators.transform.gathering import gather_tiled
from suanzi.tensor.dtypes import DType, bfloat16, float16, float32, int8, int16, int32, int64
from suanzi.tensor.messages import shown
from suanzi.tensor.status import DimensionsMismatchError, InvalidArgumentError, OutOfRangeError, TypeMismatchError

DT_FP32 = float32
DT_FP16 = float16
DT_BF16 = bfloat16
DT_INT8 = int8
DT_INT16 = int16
DT_INT32 = int32
DT_INT64 = int64

_NAMES = {
    DT_FP32: "DT_FP32",
    DT_FP16: "DT_FP16",
    DT_BF16: "DT_BF16",
    DT_INT8: "DT_INT8",
    DT_INT16: "DT_INT16",
    DT_INT32: "DT_INT32",
    DT_INT64: "DT_INT64",
}
_INPUT_TYPES = (DT_FP32, DT_FP16, DT_BF16, DT_INT16, DT_INT8, DT_INT32)
_INDEX_TYPES = (DT_INT32, DT_INT64)
_GREATEST_SIZE = 2**31 - 1
_WHOLE = "pypto.view"  # the key of the whole tensor's shape in a view's metadata

# The size in bytes of the unified buffer of an AI core: 192 KiB on Atlas A2 and A3. The buffer holds a tile.
_ub_size = ContextVar("ub_size", default=192 * 1024)
_vec_tile: ContextVar[tuple[int, ...] | None] = ContextVar("vec_tile", default=None)


def tensor(shape: Sequence[int], dtype: DType) -> Tensor:
    """Return a tensor of zeros with a given shape and element type.

    Parameters
    ----------
    shape : sequence of int
        The sizes of the tensor's dimensions.
    dtype : DType
        One of the ``DT_`` types.

    Returns
    -------
    Tensor

    Examples
    --------
    >>> from suanzi.interop import pypto
    >>> pypto.tensor([2, 3], pypto.DT_INT32)
    tensor([[0, 0, 0],
            [0, 0, 0]], dtype=int32)
    """
    if not isinstance(dtype, DType) or dtype not in _NAMES:
        raise TypeMismatchError(f"tensor: {shown(dtype)} is not one of {', '.join(_NAMES.values())}")
    with called("tensor"):
        return zeros(_core.read_shape("tensor", shape, 0), dtype=dtype)


def view(
    input: Tensor, shape: Sequence[int], offsets: Sequence[int], *, valid_shape: Sequence[int] | None = None
) -> Tensor:
    """Return a block of `input`, like PyPTO's function `view`.

    Parameters
    ----------
    input : Tensor
        A tensor of one of the ``DT_`` types, not empty, with at most 2147483647 elements.
    shape : sequence of int
        The shape of the block (viewshape), with as many dimensions as `input`.
    offsets : sequence of int
        The beginning of the block along each dimension, which is less than the size of `input` along that dimension.
    valid_shape : sequence of int, optional
        The size of the part of the block that has elements of `input`, by default the whole block. The other elements
        of the block are 0.

    Returns
    -------
    Tensor
        A view of `input`, or a copy if `valid_shape` is less than `shape`. The entry ``"pypto.view"`` of the
        result's metadata passes the shape of the whole tensor to `index_select`.

    Raises
    ------
    TypeMismatchError
        PyPTO lacks the element type, or a size is not an integer.
    DimensionsMismatchError
        `shape`, `offsets` or `valid_shape` does not have one number for each dimension of `input`.
    InvalidArgumentError
        `input` is empty or too large, a number of `shape`, `offsets` or `valid_shape` is negative, or `valid_shape` is
        greater than `shape`.
    OutOfRangeError
        The block begins or ends outside `input`.

    Examples
    --------
    >>> import suanzi
    >>> from suanzi.interop import pypto
    >>> x = suanzi.reshape(suanzi.arange(8), (2, 4))
    >>> print(pypto.view(x, [2, 2], [0, 2]))
    [[2. 3.]
     [6. 7.]]
    >>> print(pypto.view(x, [2, 2], [1, 0], valid_shape=[1, 2]))
    [[4. 5.]
     [0. 0.]]
    """
    if _core.read_tensor("view", input).dtype not in _NAMES:
        raise TypeMismatchError(f"view: {input.dtype} is not one of {', '.join(_NAMES.values())}")
    _check_size("view", "input", input)
    sizes = _core.read_shape("view", shape, 0)
    begin, valid = _core.read_shape("view", offsets, 0), sizes
    if valid_shape is not None:
        valid = _core.read_shape("view", valid_shape, 0)
    for what, numbers in (("shape", sizes), ("offsets", begin), ("valid_shape", valid)):
        if len(numbers) != input.ndim:
            raise DimensionsMismatchError(f"view: {what} {list(numbers)} is for an input of shape {input.shape}")
    if math.prod(sizes) > _GREATEST_SIZE:
        raise InvalidArgumentError(f"view: shape {list(sizes)} has more than {_GREATEST_SIZE} elements")
    if any(part > whole for part, whole in zip(valid, sizes, strict=True)):
        raise InvalidArgumentError(f"view: valid_shape {list(valid)} is greater than shape {list(sizes)}")
    for place, length, size in zip(begin, valid, input.shape, strict=True):
        if place >= size or place + length > size:
            raise OutOfRangeError(
                f"view: a block of shape {list(valid)} at {list(begin)} is not within the input of shape {input.shape}"
            )
    block = input[tuple(slice(place, place + length) for place, length in zip(begin, valid, strict=True))]
    if valid != sizes:
        with called("view"):
            padded = zeros(sizes, dtype=input.dtype)
            padded[tuple(map(slice, valid))] = block
        block = padded
    block.metadata[_WHOLE] = input.metadata.get(_WHOLE, input.shape)
    return block


def set_vec_tile_shapes(*sizes: int) -> None:
    """Set the shape of the tiles in which `index_select` computes a result. A call passes one size for each dimension
    of the result.

    The setting applies to the current thread or task. Without a setting, a result is one tile.

    Examples
    --------
    >>> from suanzi.interop import pypto
    >>> pypto.set_vec_tile_shapes(16, 64)
    >>> pypto.get_vec_tile_shapes()
    [16, 64]
    """
    if not sizes:
        raise InvalidArgumentError("set_vec_tile_shapes: at least one size is needed")
    checked = tuple(_core.read_integer("set_vec_tile_shapes", "size", size) for size in sizes)
    for size in checked:
        if size < 1:
            raise InvalidArgumentError(f"set_vec_tile_shapes: {list(checked)} has a size below 1")
    _vec_tile.set(checked)


def get_vec_tile_shapes() -> list[int]:
    """Return the tile shape that `set_vec_tile_shapes` has set, or an empty list if the program has set none."""
    return list(_vec_tile.get() or ())


def set_ub_size(size: int) -> None:
    """Set the number of bytes of the unified buffer, 192 KiB by default. A tile must be smaller than the buffer."""
    checked = _core.read_integer("set_ub_size", "size", size)
    if checked < 1:
        raise InvalidArgumentError(f"set_ub_size: a buffer of {checked} bytes is too small")
    _ub_size.set(checked)


def get_ub_size() -> int:
    """Return the number of bytes of the unified buffer."""
    return _ub_size.get()


def index_select(input: Tensor, dim: int, index: Tensor) -> Tensor:
    """Return the slices of `input` along `dim` that `index` lists, computed tile by tile.

    Parameters
    ----------
    input : Tensor
        DT_FP32, DT_FP16, DT_BF16, DT_INT16, DT_INT8 or DT_INT32; two to four dimensions, not empty, at most 2147483647
        elements. Each tile reads the whole dimension `dim`, so a `view` must not have cut `dim` (viewshape[dim] >=
        input.shape[dim]). A `view` may cut the other dimensions.
    dim : int
        The dimension, in ``[-input.dim, input.dim)``.
    index : Tensor
        DT_INT32 or DT_INT64; one or two dimensions, not empty, at most 2147483647 elements, each in
        ``[0, input.shape[dim])``.

    Returns
    -------
    Tensor
        A tensor of the type of `input`, in the shape of `input`, in which the shape of `index` replaces the dimension
        `dim`. The tile shape must have the rank of the result, and a tile must have fewer bytes than the unified
        buffer.

    Raises
    ------
    TypeMismatchError
        The element type of an operand is not one of the types above.
    DimensionsMismatchError
        An operand has more or fewer dimensions than stated above, or the tile shape and the result differ in rank.
    InvalidArgumentError
        An operand is empty or too large, `input` is a view that cuts `dim`, or a tile is too large.
    OutOfRangeError
        `dim` or an index is outside its range.

    Examples
    --------
    >>> import suanzi
    >>> from suanzi.interop import pypto
    >>> x = pypto.tensor([3, 4], pypto.DT_FP32)
    >>> x[:] = [[0.5, 1.5, -2.5, 3.5], [10.5, 11.5, -12.5, 13.5], [20.5, 21.5, -22.5, 23.5]]
    >>> indices = pypto.tensor([2], pypto.DT_INT32)
    >>> indices[:] = [0, 2]
    >>> pypto.set_vec_tile_shapes(2, 2)
    >>> print(pypto.index_select(x, 0, indices))
    [[  0.5   1.5  -2.5   3.5]
     [ 20.5  21.5 -22.5  23.5]]
    >>> print(pypto.index_select(x, 1, indices))
    [[  0.5  -2.5]
     [ 10.5 -12.5]
     [ 20.5 -22.5]]
    """
    _check("input", input, _INPUT_TYPES, 2, 4)
    _check("index", index, _INDEX_TYPES, 1, 2)
    axis = _core.read_integer("index_select", "dim", dim)
    if not -input.ndim <= axis < input.ndim:
        raise OutOfRangeError(f"index_select: dim {axis} is outside [{-input.ndim}, {input.ndim})")
    axis %= input.ndim
    whole = input.metadata.get(_WHOLE, input.shape)
    if len(whole) == input.ndim and whole[axis] > input.shape[axis]:
        raise InvalidArgumentError(
            f"index_select: the view of shape {list(input.shape)} cuts dimension {axis} of a tensor of shape "
            f"{list(whole)}; a view must have all of the dimension that is indexed"
        )
    shape = (*input.shape[:axis], *index.shape, *input.shape[axis + 1 :])
    tile = _tile_for(shape, input.dtype)
    for extreme in (int(min(index)), int(max(index))):
        if not 0 <= extreme < input.shape[axis]:
            raise OutOfRangeError(f"index_select: index {extreme} is outside [0, {input.shape[axis]})")
    with called("index_select"):
        return gather_tiled(input, index, tile, axis)


def _check(name: str, x: Tensor, types: tuple[DType, ...], least: int, greatest: int) -> None:
    """Check the constraints on type, rank and size of an operand."""
    dtype = _core.read_tensor("index_select", x).dtype
    if dtype not in types:
        allowed = ", ".join(_NAMES[t] for t in types)
        raise TypeMismatchError(f"index_select: {name} has element type {dtype}, not one of {allowed}")
    if not least <= x.ndim <= greatest:
        raise DimensionsMismatchError(
            f"index_select: {name} of shape {x.shape} does not have {least} to {greatest} dimensions"
        )
    _check_size("index_select", name, x)


def _check_size(operator: str, name: str, x: Tensor) -> None:
    if x.size == 0:
        raise InvalidArgumentError(f"{operator}: {name} of shape {x.shape} is empty")
    if x.size > _GREATEST_SIZE:
        raise InvalidArgumentError(f"{operator}: {name} has {x.size} elements, more than {_GREATEST_SIZE}")


def _tile_for(shape: tuple[int, ...], dtype: DType) -> tuple[int, ...]:
    """Return the tile shape for a result: the shape that the user has set, or by default `shape`. Raise an error if the
    tile has another rank than the result, or is too large for the unified buffer.
    """
    tile = _vec_tile.get() or shape
    if len(tile) != len(shape):
        raise DimensionsMismatchError(
            f"index_select: the tile shape {list(tile)} has {len(tile)} dimensions, the result {shape} has {len(shape)}"
        )
    size = math.prod(tile) * dtype.itemsize
    if size >= _ub_size.get():
        raise InvalidArgumentError(
            f"index_select: a tile of shape {list(tile)} has {size} bytes, "
            f"not less than the {_ub_size.get()} of the unified buffer; set_vec_tile_shapes sets a smaller tile"
        )
    return tile
