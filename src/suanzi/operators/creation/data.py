"""Creation of tensors from existing data, copies of tensors, and destruction (7.2.1, 张量创建与销毁)."""

from __future__ import annotations

from typing import Any

import numpy as np

from suanzi import _core
from suanzi._core import Tensor
from suanzi.operators import shapes
from suanzi.operators.arguments import (
    DeviceLike,
    LayoutLike,
    Shape,
)
from suanzi.operators.creation.initialisers import copied, filled_from, reshaped_view, unset, view_of
from suanzi.operators.registry import operator
from suanzi.tensor.dtypes import DTypeLike, as_dtype
from suanzi.tensor.exchange import PLAIN, elements, lies_on_a_device, of_device
from suanzi.tensor.layout import dense_order
from suanzi.tensor.status import InvalidArgumentError

_ALLOCATES = ("TYPE_MISMATCH", "INVALID_ARGUMENT", "INTERNAL_ERROR")
_HOLDS_VALUE = (*_ALLOCATES, "OUT_OF_RANGE")


@operator("", (*_HOLDS_VALUE, "DIMENSIONS_MISMATCH"), family="creation")
def tensor(
    data: Any,
    /,
    *,
    shape: Shape | None = None,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
    layout: LayoutLike | None = None,
) -> Tensor:
    """A dense tensor with a copy of existing data (拷贝已有数据创建稠密张量).

    Parameters
    ----------
    data : array_like or None
        A number or a str, nested sequences of numbers or strings, or an object that stores elements: a Tensor, a NumPy
        array, an array of a library that supports DLPack, a buffer. If `data` is None, the tensor is allocated and not
        initialised.
    shape : int or sequence of int, optional
        The shape, by default the shape of `data`. If `shape` is given, flat `data`, of at most one dimension, fill the
        tensor's memory from the start. The function converts each element to the tensor's type. Elements of the tensor
        that `data` does not cover are 0, and further elements of `data` are left out. Table 3 of the standard counts
        bytes instead of elements. Bytes and elements cover the same part of the tensor if `data` have the type of the
        tensor. Data of more than one dimension must have the shape `shape`. Otherwise the status is
        DIMENSIONS_MISMATCH. No tensor has more than 64 dimensions.
    dtype : DType, optional
        The element type, by default the type of `data`. Python numbers have no element type. Real numbers become
        float32 (or the type set by `set_default_dtype`), bools become bool, and complex numbers become complex64. If
        the default type would round an integer, the status is OUT_OF_RANGE. ``dtype="int64"`` keeps the integer, and
        ``dtype="float32"`` rounds the integer. A str and elements of NumPy's string types become string.
    device : Device, optional
        The device of the tensor, by default the CPU unless `set_default_device` sets another device.
    layout : Layout or sequence of int, optional
        The logical order of the dimensions in memory.

    Returns
    -------
    Tensor
        A tensor that owns its memory. The type of the tensor must hold every element of `data`. Numbers may be rounded
        to a floating type, and floating numbers without a fraction may become integers. The status is TYPE_MISMATCH for
        a fraction in an integer type and for a complex number in a real type. The status is OUT_OF_RANGE for a number
        beyond the limits of the type, and for NaN and infinities in an integer type. The status is also OUT_OF_RANGE
        for finite numbers that a floating type would round to infinity. Any number may become bool. Nonzero numbers are
        True. `astype` converts without these checks.

    Examples
    --------
    >>> import suanzi
    >>> suanzi.tensor([[1, 2], [3, 4]])
    tensor([[1., 2.],
            [3., 4.]])
    >>> suanzi.tensor([1, 2, 3], shape=(2, 2), dtype=suanzi.int8)
    tensor([[1, 2],
            [3, 0]], dtype=int8)
    >>> suanzi.tensor(["算子", "operator"])
    tensor(['算子', 'operator'], dtype=string)
    """
    if shape is None and dtype is None and layout is None:
        made = None
        if type(data) is np.ndarray:
            made = _core.copy_array(data)
        elif isinstance(data, PLAIN):
            made = _core.numbers_as("tensor", data, None, False)
        if made is not None:
            return made
    if data is None:
        return unset("tensor", shape, dtype, layout)
    if lies_on_a_device(data, "tensor"):
        return tensor(of_device(data, "tensor"), shape=shape, dtype=dtype, layout=layout)
    values, wanted, ours = elements(data, None if dtype is None else as_dtype(dtype, "tensor"), "tensor")
    if ours and shape is None and layout is None:
        return values
    sizes = values.shape if shape is None else _core.read_shape("tensor", shape, 0)
    order = dense_order(layout, len(sizes), "tensor")
    if shape is None:
        return copied("tensor", values, wanted, order)
    return filled_from(values, sizes, wanted, order, "tensor")


@operator("", (*_ALLOCATES, "DIMENSIONS_MISMATCH"), family="creation")
def from_reference(
    data: Any = None,
    /,
    *,
    shape: Shape | None = None,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
    layout: LayoutLike | None = None,
) -> Tensor:
    """A dense tensor that shares the memory of existing data, never a copy (引用已有数据创建稠密张量).

    Parameters
    ----------
    data : object or None, optional
        An object that offers its memory: a Tensor, a NumPy array, an array of a library that supports DLPack, a buffer.
        The tensor keeps the object alive. The object and the tensor share all writes. Read-only memory stays read-only.
        If `data` is None, the tensor is allocated and not initialised.
    shape : int or sequence of int, optional
        The shape, by default the shape of `data`. Another shape must have as many elements as `data`, and strides over
        the memory of `data` must be able to describe the tensor. Data may have gaps, as in ``numpy.arange(12.)[::2]``.
    dtype : DType, optional
        The type of `data`. Bytes without a type, such as a bytearray, are read as elements of this type. Every
        operator treats any byte of a bool element except 0 as True.
    device : Device, optional
        The device of the tensor, by default the CPU unless `set_default_device` sets another device.
    layout : Layout or sequence of int, optional
        The logical order in which the elements of `data` fill `shape`. If `shape` is not given, `data` must have this
        order.

    Returns
    -------
    Tensor
        A tensor that shares the memory of `data`. The status is INVALID_ARGUMENT if the tensor would need a copy.

    Examples
    --------
    >>> import numpy, suanzi
    >>> a = numpy.zeros(3)
    >>> x = suanzi.from_reference(a)
    >>> x[0] = 7
    >>> a
    array([7., 0., 0.])
    """
    if type(data) is np.ndarray and shape is None and dtype is None and layout is None:
        shared = _core.share_buffer(data, None)
        if shared is not None:
            return shared
    if data is None:
        return unset("from_reference", shape, dtype, layout)
    if lies_on_a_device(data, "from_reference"):
        there = of_device(data, "from_reference")
        return from_reference(there, shape=shape, dtype=dtype, layout=layout)
    view = view_of(data, None if dtype is None else as_dtype(dtype, "from_reference"))
    if shape is None and layout is None:
        return view
    sizes = view.shape if shape is None else _core.read_shape("from_reference", shape, 0)
    order = dense_order(layout, len(sizes), "from_reference")
    if shape is not None:
        return reshaped_view("from_reference", view, sizes, order)
    if order is None:
        return view
    ordered = _core.in_order(view, order)
    if ordered is None:
        raise InvalidArgumentError(
            f"from_reference: data has the order {_core.order(view)}, so the order {order} would need a copy"
        )
    return ordered


@operator("BIFCS", ("TYPE_MISMATCH", "INTERNAL_ERROR"), family="view", core=_core.contiguous)
def contiguous(x: Tensor, /) -> Tensor:
    """A tensor with the elements of `x` in contiguous memory, in row-major order (创建连续内存张量).

    Parameters
    ----------
    x : Tensor
        A tensor of any shape and type.

    Returns
    -------
    Tensor
        `x` itself if `x` is contiguous, and otherwise a copy.

    Examples
    --------
    >>> import suanzi
    >>> x = suanzi.zeros((2, 3))
    >>> suanzi.contiguous(x) is x, suanzi.contiguous(x.T).stride()
    (True, (2, 1))
    """


@operator("BIFCS", ("TYPE_MISMATCH",), family="movement", core=_core.clone, shape=shapes.same)
def clone(x: Tensor, /) -> Tensor:
    """A copy of a tensor (复制张量).

    Parameters
    ----------
    x : Tensor
        A tensor of any shape and type.

    Returns
    -------
    Tensor
        A tensor that owns its memory, with the layout of `x`.

    Examples
    --------
    >>> import suanzi
    >>> x = suanzi.zeros(2)
    >>> y = suanzi.clone(x)
    >>> y[0] = 1
    >>> print(x, y)
    [0. 0.] [1. 0.]
    """


@operator("BIFCS", ("TYPE_MISMATCH",), family="effect", core=_core.destroy)
def destroy(x: Tensor, /) -> None:
    """Free a tensor's memory at once (销毁张量).

    Parameters
    ----------
    x : Tensor
        The tensor to destroy. The status of any later use of the tensor is UNINITIALIZED_OBJECT. Views of the tensor,
        and arrays that share the tensor's memory, stay valid. The memory is freed when the last of these views and
        arrays is freed.

    Examples
    --------
    >>> import suanzi
    >>> x = suanzi.zeros(2)
    >>> suanzi.destroy(x)
    >>> suanzi.attempt(suanzi.size, x)[0].standard
    'STATUS_UNINITIALIZED_OBJECT'
    """
