"""Tensors of one value and uninitialised tensors, of a given shape or like another tensor (7.2.1, 张量创建与销毁)."""

from __future__ import annotations

from suanzi import _core
from suanzi._core import Tensor
from suanzi.operators.arguments import DeviceLike, LayoutLike, Shape
from suanzi.operators.operands import Scalar
from suanzi.operators.registry import operator
from suanzi.tensor.dtypes import DTypeLike

_ALLOCATES = ("TYPE_MISMATCH", "INVALID_ARGUMENT", "INTERNAL_ERROR")
_HOLDS_VALUE = (*_ALLOCATES, "OUT_OF_RANGE")


@operator("", _ALLOCATES, family="creation", core=_core.zeros)
def zeros(
    shape: Shape,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
    layout: LayoutLike | None = None,
) -> Tensor:
    """A dense tensor of zeros, or of empty strings for the type string (创建全零稠密张量).

    Parameters
    ----------
    shape : int or sequence of int
        The sizes of the dimensions.
    dtype : DType, optional
        The element type, by default float32 unless `set_default_dtype` sets another type.
    device : Device, optional
        The device of the tensor, by default the CPU unless `set_default_device` sets another device.
    layout : Layout or sequence of int, optional
        The logical order of the dimensions in memory.

    Returns
    -------
    Tensor

    Examples
    --------
    >>> import suanzi
    >>> suanzi.zeros(3)
    tensor([0., 0., 0.])
    """


@operator("", _ALLOCATES, of="full", family="creation", core=_core.ones)
def ones(
    shape: Shape,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
    layout: LayoutLike | None = None,
) -> Tensor:
    """A dense tensor of ones (按指定值创建稠密张量).

    Parameters
    ----------
    shape : int or sequence of int
        The sizes of the dimensions.
    dtype : DType, optional
        The element type, by default float32 unless `set_default_dtype` sets another type.
    device : Device, optional
        The device of the tensor, by default the CPU unless `set_default_device` sets another device.
    layout : Layout or sequence of int, optional
        The logical order of the dimensions in memory.

    Returns
    -------
    Tensor

    Examples
    --------
    >>> import suanzi
    >>> suanzi.ones(3)
    tensor([1., 1., 1.])
    """


@operator("", _HOLDS_VALUE, family="creation", core=_core.full)
def full(
    shape: Shape = (),
    fill_value: Scalar | str | Tensor = 0,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
    layout: LayoutLike | None = None,
) -> Tensor:
    """A dense tensor whose elements all have one value (按指定值创建稠密张量).

    Parameters
    ----------
    shape : int or sequence of int, optional
        The sizes of the dimensions. The default, ``()``, is the shape of a scalar.
    fill_value : scalar, str or Tensor of one element, optional
        The value, 0 by default. The type of the tensor must hold the value, as for `tensor`. The status is OUT_OF_RANGE
        for 300 in uint8 and for 1e300 in float32. The status is TYPE_MISMATCH for 1.5 in an integer type and for a
        complex number in a real type. A floating type rounds the value.
    dtype : DType, optional
        The element type, by default string if `fill_value` is a str, and otherwise float32 unless `set_default_dtype`
        sets another type. If `fill_value` is an integer, the default type must hold the integer exactly. Otherwise the
        status is OUT_OF_RANGE. ``dtype="int64"`` holds such an integer.
    device : Device, optional
        The device of the tensor, by default the CPU unless `set_default_device` sets another device.
    layout : Layout or sequence of int, optional
        The logical order of the dimensions in memory.

    Returns
    -------
    Tensor

    Examples
    --------
    >>> import suanzi
    >>> suanzi.full((2, 2), 7, dtype=suanzi.int32)
    tensor([[7, 7],
            [7, 7]], dtype=int32)
    """


@operator("", _ALLOCATES, family="creation", core=_core.empty)
def empty(
    shape: Shape,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
    layout: LayoutLike | None = None,
) -> Tensor:
    """A dense tensor whose elements are not set (创建未初始化张量).

    Parameters
    ----------
    shape : int or sequence of int
        The sizes of the dimensions.
    dtype : DType, optional
        The element type, by default float32 unless `set_default_dtype` sets another type.
    device : Device, optional
        The device of the tensor, by default the CPU unless `set_default_device` sets another device.
    layout : Layout or sequence of int, optional
        The logical order of the dimensions in memory.

    Returns
    -------
    Tensor
        A tensor with the previous contents of the allocated memory. Strings are empty.

    Examples
    --------
    >>> import suanzi
    >>> suanzi.empty((2, 3)).shape
    (2, 3)
    """


@operator("BIFCS", _ALLOCATES, of="zeros", family="creation", core=_core.zeros_like)
def zeros_like(
    x: Tensor,
    /,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
    layout: LayoutLike | None = None,
) -> Tensor:
    """A tensor of zeros with the shape, type and layout of another tensor (创建全零稠密张量).

    Parameters
    ----------
    x : Tensor
        The tensor whose shape, type and layout the result has.
    dtype, device, layout : optional
        Replacements for the type, device and layout of `x`.

    Returns
    -------
    Tensor

    Examples
    --------
    >>> import suanzi
    >>> suanzi.zeros_like(suanzi.tensor([1.0, 2.0]))
    tensor([0., 0.])
    """


@operator("BIFC", _ALLOCATES, of="full", family="creation", core=_core.ones_like)
def ones_like(
    x: Tensor,
    /,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
    layout: LayoutLike | None = None,
) -> Tensor:
    """A tensor of ones with the shape, type and layout of another tensor (按指定值创建稠密张量).

    Parameters
    ----------
    x : Tensor
        The tensor whose shape, type and layout the result has.
    dtype, device, layout : optional
        Replacements for the type, device and layout of `x`.

    Returns
    -------
    Tensor

    Examples
    --------
    >>> import suanzi
    >>> suanzi.ones_like(suanzi.tensor([3.0, 2.0]))
    tensor([1., 1.])
    """


@operator("BIFCS", _HOLDS_VALUE, of="full", family="creation", core=_core.full_like)
def full_like(
    x: Tensor,
    /,
    fill_value: Scalar | str | Tensor = 0,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
    layout: LayoutLike | None = None,
) -> Tensor:
    """A tensor filled with one value, with the shape, type and layout of another tensor (按指定值创建稠密张量).

    Parameters
    ----------
    x : Tensor
        The tensor whose shape, type and layout the result has.
    fill_value : scalar, str or Tensor of one element, optional
        The value, as in `full`.
    dtype, device, layout : optional
        Replacements for the type, device and layout of `x`.

    Returns
    -------
    Tensor

    Examples
    --------
    >>> import suanzi
    >>> suanzi.full_like(suanzi.tensor([1.0, 2.0]), 5)
    tensor([5., 5.])
    """


@operator("BIFCS", _ALLOCATES, of="empty", family="creation", core=_core.empty_like)
def empty_like(
    x: Tensor,
    /,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
    layout: LayoutLike | None = None,
) -> Tensor:
    """A tensor whose elements are not set, with the shape, type and layout of another tensor (创建未初始化张量).

    Parameters
    ----------
    x : Tensor
        The tensor whose shape, type and layout the result has.
    dtype, device, layout : optional
        Replacements for the type, device and layout of `x`.

    Returns
    -------
    Tensor

    Examples
    --------
    >>> import suanzi
    >>> suanzi.empty_like(suanzi.zeros((2, 3))).shape
    (2, 3)
    """
