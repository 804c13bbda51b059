"""Creation and destruction of dense tensors (7.2.1, 张量创建与销毁)."""

from __future__ import annotations

import math
from typing import Any

from suanzi import _core
from suanzi._core import Tensor
from suanzi.operators.arguments import (
    DeviceLike,
    LayoutLike,
    Shape,
    code_of,
    described,
    integer_of,
    number_of,
    shape_of,
    tensor_of,
)
from suanzi.operators.initialisers import initialised, type_for, unset, view_of
from suanzi.operators.operands import Scalar
from suanzi.operators.registry import operator
from suanzi.tensor.device import require_cpu
from suanzi.tensor.dtypes import DTypeLike, as_dtype
from suanzi.tensor.exchange import source
from suanzi.tensor.layout import dense_order
from suanzi.tensor.status import DimensionsMismatchError, InvalidArgumentError
from suanzi.tensor.tensor import laid_out

_ALLOCATES = ("TYPE_MISMATCH", "INVALID_ARGUMENT", "INTERNAL_ERROR")
_HOLDS_VALUE = (*_ALLOCATES, "OUT_OF_RANGE")


@operator("", (*_HOLDS_VALUE, "DIMENSIONS_MISMATCH"))
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
        A number, nested sequences of numbers, or what holds elements in memory: a Tensor, an array
        of NumPy or of a library that speaks DLPack, a buffer. None: the tensor is allocated and
        not initialised.
    shape : int or sequence of int, optional
        By default that of `data`. Given, `data` is a flat initialiser: its elements, converted,
        fill the tensor's memory from the start; the smaller of the two sizes in bytes is copied,
        what the initialiser does not cover is 0, what is too long is cut off.
    dtype : DType, optional
        By default the type that `data` carries. Python's numbers carry none: they become float32,
        bools bool, complex numbers complex64.
    device : Device, optional
        The CPU.
    layout : Layout or sequence of int, optional
        The logical order of the dimensions in memory.

    Returns
    -------
    Tensor
        Owns its memory. Converted as by `astype`; but a Python number that does not fit an integer
        `dtype` is OUT_OF_RANGE.

    Examples
    --------
    >>> import suanzi
    >>> suanzi.tensor([[1, 2], [3, 4]])
    tensor([[1., 2.],
            [3., 4.]])
    >>> suanzi.tensor([1, 2, 3], shape=(2, 2), dtype=suanzi.int8)
    tensor([[1, 2],
            [3, 0]], dtype=int8)
    """
    if data is None:
        return unset("tensor", shape, dtype, device, layout)
    require_cpu(device, "tensor")
    values, typed = source(data, "tensor")
    wanted = type_for(values, typed, dtype)
    sizes = values.shape if shape is None else shape_of(shape, "tensor")
    order = dense_order(layout, len(sizes), "tensor")
    if shape is not None:
        return initialised(values, sizes, wanted, order)
    result = _core.empty(sizes, wanted.code, order)
    _core.copy_into(result, values)
    return result


@operator("", (*_ALLOCATES, "DIMENSIONS_MISMATCH"))
def from_reference(
    data: Any,
    /,
    *,
    shape: Shape | None = None,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
    layout: LayoutLike | None = None,
) -> Tensor:
    """A dense tensor on existing memory, never a copy (引用已有数据创建稠密张量).

    Parameters
    ----------
    data : object or None
        What offers its memory: a Tensor, an array of NumPy or of a library that speaks DLPack, a
        buffer. It is kept alive, and writes show on both sides; what is read-only stays so. None:
        the tensor is allocated and not initialised.
    shape : int or sequence of int, optional
        By default that of `data`, whose elements must else lie one after the other and be as many.
    dtype : DType, optional
        The type that `data` has; bytes without a type, such as a bytearray, are read as this one.
    device : Device, optional
        The CPU.
    layout : Layout or sequence of int, optional
        The logical order in which the memory is read as `shape`; without `shape`, the one that
        `data` must have.

    Returns
    -------
    Tensor
        INVALID_ARGUMENT where there is no view without a copy.

    Examples
    --------
    >>> import numpy, suanzi
    >>> a = numpy.zeros(3)
    >>> x = suanzi.from_reference(a)
    >>> x[0] = 7
    >>> a
    array([7., 0., 0.])
    """
    require_cpu(device, "from_reference")
    if data is None:
        return unset("from_reference", shape, dtype, device, layout)
    view = view_of(data, None if dtype is None else as_dtype(dtype, "from_reference"))
    sizes = view.shape if shape is None else shape_of(shape, "from_reference")
    order = dense_order(layout, len(sizes), "from_reference")
    if shape is not None:
        if not _core.is_contiguous(view):
            raise InvalidArgumentError(
                f"from_reference: data with strides {view.strides} has gaps or another order, "
                f"so shape {sizes} would need a copy"
            )
        if math.prod(sizes) != view.size:
            raise DimensionsMismatchError(f"from_reference: shape {sizes} does not hold {view.size} elements")
        return laid_out(_core.reshape(view, (view.size,)), sizes, order)
    if order is not None and _core.order(view) != order:
        raise InvalidArgumentError(
            f"from_reference: data lies in order {_core.order(view)}, so {order} would need a copy"
        )
    return view


@operator("", _ALLOCATES)
def zeros(
    shape: Shape,
    /,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
    layout: LayoutLike | None = None,
) -> Tensor:
    """A dense tensor of zeros (创建全零稠密张量).

    Parameters
    ----------
    shape : int or sequence of int
        Its sizes.
    dtype : DType, optional
        float32 by default.
    device : Device, optional
        The CPU.
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
    return _core.zeros(*described("zeros", shape, dtype, device, layout))


@operator("", _ALLOCATES, of="full")
def ones(
    shape: Shape,
    /,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
    layout: LayoutLike | None = None,
) -> Tensor:
    """A dense tensor of ones (按指定值创建稠密张量).

    Parameters
    ----------
    shape : int or sequence of int
        Its sizes.
    dtype : DType, optional
        float32 by default.
    device : Device, optional
        The CPU.
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
    sizes, code, order = described("ones", shape, dtype, device, layout)
    return _core.full(sizes, 1, code, order)


@operator("", _HOLDS_VALUE)
def full(
    shape: Shape = (),
    fill_value: Scalar | Tensor = 0,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
    layout: LayoutLike | None = None,
) -> Tensor:
    """A dense tensor of one value (按指定值创建稠密张量).

    Parameters
    ----------
    shape : int or sequence of int, optional
        Its sizes; a scalar by default.
    fill_value : scalar or Tensor of one element, optional
        The value, 0 by default. `dtype` must hold it: 300 is OUT_OF_RANGE for uint8; 1.5 for an
        integer and a complex number for a real type are TYPE_MISMATCH.
    dtype : DType, optional
        float32 by default.
    device : Device, optional
        The CPU.
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
    sizes, code, order = described("full", shape, dtype, device, layout)
    return _core.full(sizes, number_of(fill_value, "fill_value", "full"), code, order)


@operator("", _ALLOCATES)
def empty(
    shape: Shape,
    /,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
    layout: LayoutLike | None = None,
) -> Tensor:
    """A dense tensor whose elements are not set (创建未初始化张量).

    Parameters
    ----------
    shape : int or sequence of int
        Its sizes.
    dtype : DType, optional
        float32 by default.
    device : Device, optional
        The CPU.
    layout : Layout or sequence of int, optional
        The logical order of the dimensions in memory.

    Returns
    -------
    Tensor
        Its elements are what the memory held.

    Examples
    --------
    >>> import suanzi
    >>> suanzi.empty((2, 3)).shape
    (2, 3)
    """
    return _core.empty(*described("empty", shape, dtype, device, layout))


def _like(
    operator: str,
    x: Tensor,
    dtype: DTypeLike | None,
    device: DeviceLike | None,
    layout: LayoutLike | None,
) -> tuple[tuple[int, ...], int, tuple[int, ...] | None]:
    """Shape, type code and logical order of another tensor, where they are not given."""
    order = _core.order(tensor_of(x, operator)) if layout is None else layout
    return described(operator, x.shape, x.dtype if dtype is None else dtype, device, order)


@operator("BIFC", _ALLOCATES, of="zeros")
def zeros_like(
    x: Tensor,
    /,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
    layout: LayoutLike | None = None,
) -> Tensor:
    """Zeros of the shape, type and layout of another tensor (创建全零稠密张量).

    Parameters
    ----------
    x : Tensor
        The other tensor.
    dtype, device, layout : optional
        In place of those of `x`.

    Returns
    -------
    Tensor

    Examples
    --------
    >>> import suanzi
    >>> suanzi.zeros_like(suanzi.tensor([1.0, 2.0]))
    tensor([0., 0.])
    """
    return _core.zeros(*_like("zeros_like", x, dtype, device, layout))


@operator("BIFC", _ALLOCATES, of="full")
def ones_like(
    x: Tensor,
    /,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
    layout: LayoutLike | None = None,
) -> Tensor:
    """Ones of the shape, type and layout of another tensor (按指定值创建稠密张量).

    Parameters
    ----------
    x : Tensor
        The other tensor.
    dtype, device, layout : optional
        In place of those of `x`.

    Returns
    -------
    Tensor

    Examples
    --------
    >>> import suanzi
    >>> suanzi.ones_like(suanzi.tensor([3.0, 2.0]))
    tensor([1., 1.])
    """
    sizes, code, order = _like("ones_like", x, dtype, device, layout)
    return _core.full(sizes, 1, code, order)


@operator("BIFC", _HOLDS_VALUE, of="full")
def full_like(
    x: Tensor,
    /,
    fill_value: Scalar | Tensor = 0,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
    layout: LayoutLike | None = None,
) -> Tensor:
    """One value in the shape, type and layout of another tensor (按指定值创建稠密张量).

    Parameters
    ----------
    x : Tensor
        The other tensor.
    fill_value : scalar or Tensor of one element, optional
        The value, as in `full`.
    dtype, device, layout : optional
        In place of those of `x`.

    Returns
    -------
    Tensor

    Examples
    --------
    >>> import suanzi
    >>> suanzi.full_like(suanzi.tensor([1.0, 2.0]), 5)
    tensor([5., 5.])
    """
    sizes, code, order = _like("full_like", x, dtype, device, layout)
    return _core.full(sizes, number_of(fill_value, "fill_value", "full_like"), code, order)


@operator("BIFC", _ALLOCATES, of="empty")
def empty_like(
    x: Tensor,
    /,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
    layout: LayoutLike | None = None,
) -> Tensor:
    """Elements that are not set, in the shape, type and layout of another tensor (创建未初始化张量).

    Parameters
    ----------
    x : Tensor
        The other tensor.
    dtype, device, layout : optional
        In place of those of `x`.

    Returns
    -------
    Tensor

    Examples
    --------
    >>> import suanzi
    >>> suanzi.empty_like(suanzi.zeros((2, 3))).shape
    (2, 3)
    """
    return _core.empty(*_like("empty_like", x, dtype, device, layout))


@operator("BIFC", ("TYPE_MISMATCH", "INTERNAL_ERROR"))
def contiguous(x: Tensor, /) -> Tensor:
    """The tensor with its elements one after the other, the last dimension fastest (创建连续内存张量).

    Parameters
    ----------
    x : Tensor
        Any shape and type.

    Returns
    -------
    Tensor
        `x` itself where it is contiguous, else a copy.

    Examples
    --------
    >>> import suanzi
    >>> x = suanzi.zeros((2, 3))
    >>> suanzi.contiguous(x) is x, suanzi.contiguous(x.T).strides
    (True, (2, 1))
    """
    return _core.contiguous(x)


@operator("", _HOLDS_VALUE)
def arange(
    start: int | float,
    /,
    stop: int | float | None = None,
    step: int | float = 1,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
) -> Tensor:
    """Numbers from a first one on, by a step, up to a limit (以数字序列创建稠密张量).

    Parameters
    ----------
    start : int or float
        The first number; the limit, and 0 the first number, where `stop` is left out.
    stop : int or float, optional
        The limit, itself not in the sequence.
    step : int or float, optional
        From each number to the next; not 0.
    dtype : DType, optional
        Any but bool; float32 by default. Integers take only integers.
    device : Device, optional
        The CPU.

    Returns
    -------
    Tensor
        A vector of ``ceil((stop - start) / step)`` elements, or of none.

    Examples
    --------
    >>> import suanzi
    >>> suanzi.arange(1, 10, 3)
    tensor([1., 4., 7.])
    """
    require_cpu(device, "arange")
    first, limit = (0, start) if stop is None else (start, stop)
    code = code_of(dtype, "arange")
    return _core.arange(
        number_of(first, "start", "arange"),
        number_of(limit, "stop", "arange"),
        number_of(step, "step", "arange"),
        code,
    )


@operator("", _ALLOCATES)
def linspace(
    start: Scalar,
    stop: Scalar,
    /,
    num: int,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
) -> Tensor:
    """Evenly spaced numbers from one end to the other, both included (创建线性空间均匀分布稠密张量).

    Parameters
    ----------
    start, stop : scalar
        The ends, finite. One number alone is `start`.
    num : int
        How many numbers.
    dtype : DType, optional
        Floating or complex; float32 by default.
    device : Device, optional
        The CPU.

    Returns
    -------
    Tensor
        A vector of `num` elements.

    Examples
    --------
    >>> import suanzi
    >>> suanzi.linspace(0, 1, 5)
    tensor([0.  , 0.25, 0.5 , 0.75, 1.  ])
    """
    require_cpu(device, "linspace")
    count = integer_of(num, "num", "linspace")
    return _core.linspace(
        number_of(start, "start", "linspace"),
        number_of(stop, "stop", "linspace"),
        count,
        code_of(dtype, "linspace"),
    )


@operator("BIFC", ("TYPE_MISMATCH",))
def clone(x: Tensor, /) -> Tensor:
    """A copy of a tensor (复制张量).

    Parameters
    ----------
    x : Tensor
        Any shape and type.

    Returns
    -------
    Tensor
        Owns its memory; of the layout of `x`.

    Examples
    --------
    >>> import suanzi
    >>> x = suanzi.zeros(2)
    >>> y = suanzi.clone(x)
    >>> y[0] = 1
    >>> print(x, y)
    [0. 0.] [1. 0.]
    """
    return _core.clone(x)


@operator("BIFC", ("TYPE_MISMATCH",))
def destroy(x: Tensor, /) -> None:
    """Give a tensor's memory back now (销毁张量).

    Parameters
    ----------
    x : Tensor
        Any later use of it is UNINITIALIZED_OBJECT. Views of it and arrays that share its memory
        stay valid; the memory is freed with the last of them.

    Examples
    --------
    >>> import suanzi
    >>> x = suanzi.zeros(2)
    >>> suanzi.destroy(x)
    >>> suanzi.attempt(suanzi.size, x)[0].standard
    'STATUS_UNINITIALIZED_OBJECT'
    """
    _core.destroy(x)
