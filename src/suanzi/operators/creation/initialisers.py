"""Functions by which the operators `tensor` and `from_reference` convert, copy and share data.

The module tensor.exchange finds and shares the memory of other libraries' arrays.
"""

from __future__ import annotations

import math
from typing import Any

from suanzi import _core
from suanzi._core import Tensor
from suanzi.operators.arguments import LayoutLike, Shape
from suanzi.tensor import arrow
from suanzi.tensor.dtypes import DType, DTypeLike, string, uint8
from suanzi.tensor.exchange import reference, shared_array
from suanzi.tensor.status import DimensionsMismatchError, InvalidArgumentError, TypeMismatchError


def unset(operator: str, shape: Shape | None, dtype: DTypeLike | None, layout: LayoutLike | None) -> Tensor:
    """Return an uninitialised tensor for a call without data, or raise an error if `shape` is None."""
    if shape is None:
        raise InvalidArgumentError(f"{operator}: shape is required where data is None")
    return _core.allocate(operator, shape, dtype, layout, False)


def of_another_shape(operator: str, given: tuple[int, ...], shape: tuple[int, ...]) -> DimensionsMismatchError:
    """Return the error for data of two or more dimensions whose shape `given` is not the tensor's shape `shape`."""
    return DimensionsMismatchError(
        f"{operator}: data of shape {given} do not fit shape {shape}; only flat data fills another shape"
    )


def filled_from(
    values: Tensor, shape: tuple[int, ...], dtype: DType, order: tuple[int, ...] | None, operator: str
) -> Tensor:
    """Make a tensor of `shape` from flat `values` (Table 3 of the standard), or copy `values` that have this shape."""
    if type(values) is not Tensor:
        return _of_kind(values, dtype, order, shape)
    if values.ndim < 2:
        return _initialised(operator, values, shape, dtype, order)
    if values.shape != shape:
        raise of_another_shape(operator, values.shape, shape)
    return copied(operator, values, dtype, order)


def copied(operator: str, values: Tensor, dtype: DType, order: tuple[int, ...] | None) -> Tensor:
    """Return a new tensor of the type `dtype` and the logical order `order` with the elements of `values`."""
    if type(values) is not Tensor:
        return _of_kind(values, dtype, order, values.shape)
    result = _core.allocate(operator, values.shape, dtype, order, False)
    if values.size > 0:  # an empty list has no type that could be converted
        _core.copy_into(operator, result, values)
    return result


def _of_kind(values: Tensor, dtype: DType, order: tuple[int, ...] | None, shape: tuple[int, ...]) -> Tensor:
    """Make a tensor from `values`, a tensor on a device, by the implementation of `tensor` for devices."""
    from suanzi.operators.creation.data import tensor

    return tensor(values, shape=shape, dtype=dtype, layout=order)


def _initialised(
    operator: str, values: Tensor, shape: tuple[int, ...], dtype: DType, order: tuple[int, ...] | None
) -> Tensor:
    """Return a new tensor whose memory is filled from the start with flat `values` (Table 3 of the standard).

    Elements that `values` do not cover are 0, and further values are left out.
    """
    result = _core.allocate(operator, shape, dtype, order, values.size < math.prod(shape))
    covered = min(result.size, values.size)
    if covered:
        _core.copy_into(operator, _core.in_memory(result)[:covered], _core.reshape(values, (values.size,))[:covered])
    return result


def view_of(data: Any, dtype: DType | None) -> Tensor:
    """Return a tensor that shares the memory of `data`.

    Raise an error if `data` offer no memory that a tensor can use, or if the elements are not of the type `dtype`.
    """
    if isinstance(data, Tensor):
        view = _core.transpose(_core.read_tensor("from_reference", data), tuple(range(data.ndim)))
    elif (found := arrow.imported(data, "from_reference", shared=True)) is not None:
        view = found
    else:
        array = shared_array(data, "from_reference")
        if array is not None and dtype is not None and array.dtype == uint8.numpy and not hasattr(data, "dtype"):
            array = _bytes_as(array, dtype)
        shared = None if array is None else reference(array, "from_reference")
        if shared is None:
            raise InvalidArgumentError(
                f"from_reference: {type(data).__name__} offers no memory that a tensor can use: "
                f"aligned, in the machine's byte order"
            )
        view = shared
    if dtype is not None and view.dtype is not dtype:
        raise TypeMismatchError(f"from_reference: data holds {view.dtype}, not {dtype}")
    return view


def reshaped_view(operator: str, x: Tensor, shape: tuple[int, ...], order: tuple[int, ...] | None) -> Tensor:
    """Return a view of `x` with another shape, or raise an error if the view would need a copy.

    The elements of `x`, in row-major order, fill `shape` in the logical order `order`.
    """
    if math.prod(shape) != x.size:
        raise DimensionsMismatchError(f"{operator}: shape {shape} does not hold {x.size} elements")
    slowest_first = tuple(range(len(shape))) if order is None else order[::-1]
    view = _core.reshape_view(x, tuple(shape[axis] for axis in slowest_first))
    if view is None:
        raise InvalidArgumentError(
            f"{operator}: data of shape {x.shape} with strides of {x.stride()} elements would need a copy to have the "
            f"shape {shape}" + ("" if order is None else f" in the order {order}")
        )
    if order is None:
        return view
    placed = _core.transpose(view, tuple(map(slowest_first.index, range(len(shape)))))
    ordered = _core.in_order(placed, order)  # `order`, unlike strides, also orders dimensions of size 1
    return placed if ordered is None else ordered


def _bytes_as(array: Any, dtype: DType) -> Any:
    if dtype is string:
        raise InvalidArgumentError("from_reference: bytes cannot become strings, which refer to memory elsewhere")
    try:
        return array.view(dtype.numpy)
    except ValueError as error:
        raise InvalidArgumentError(f"from_reference: {array.size} bytes do not fit {dtype}: {error}") from error
