"""Creation functions whose default types are float64 for floating-point numbers and int64 for integers.

Functions that copy another tensor's type, such as `zeros_like`, are the functions of `suanzi`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from suanzi import _core
from suanzi._core import Tensor
from suanzi.array_api.defaults import DEFAULTS, floating, named, naming_types, read
from suanzi.kinds.devices import chosen, placed
from suanzi.operators.arguments import DeviceLike, Shape
from suanzi.operators.creation import filled
from suanzi.operators.operands import Scalar
from suanzi.tensor import dlpack, protocols
from suanzi.tensor.dtypes import DType, DTypeLike, as_dtype
from suanzi.tensor.exchange import PLAIN, elements, reference, shared_array, source
from suanzi.tensor.status import InvalidArgumentError, NotExportedError, SuanziError

_BY_WIDTH = tuple(DEFAULTS.values())
_WIDTHS = {bool: 0, int: 1, float: 2, complex: 3}
_WIDTHS_OF_KINDS = {"b": 0, "u": 1, "i": 1, "f": 2, "c": 3}


def _width(value: Any) -> int:
    """Return the index in `_BY_WIDTH` of the default type for a number or another object that NumPy converts.

    For an object that NumPy does not convert, return the index of float64. The caller's operator refuses the object.
    """
    if (found := _WIDTHS.get(type(value))) is not None:
        return found
    try:
        return _WIDTHS_OF_KINDS.get(np.asarray(dlpack.resolved(value)).dtype.kind, 2)
    except SuanziError:
        raise
    except (BufferError, MemoryError, OverflowError, RuntimeError, TypeError, ValueError):
        return 2


def _converted(data: Any, dtype: DType, operator: str) -> Tensor:
    """Convert Python's numbers to a tensor. Numbers beyond the range of a floating type become infinite."""
    values, _, ours = elements(data, dtype, operator, True)
    return values if ours else _core.astype(values, dtype, True)


def asarray(
    obj: Any,
    /,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
    copy: bool | None = None,
) -> Tensor:
    """Make a tensor from any data. The tensor shares the memory of the data unless a copy is requested or necessary.

    Parameters
    ----------
    obj : array_like
        A Tensor, a number, nested sequences of numbers, or an object that holds elements in memory: a NumPy array, an
        array of a library that supports DLPack, a buffer.
    dtype : DType, optional
        The element type, by default the type of `obj`. Python's numbers become bool, int64, float64 or complex128. A
        number beyond the range of a floating type becomes infinite.
    device : Device, optional
        The device of the tensor. By default a Tensor stays on its device, and the tensor of other data is on the CPU
        unless `set_default_device` sets another device.
    copy : bool, optional
        If True, always copy. If False, never copy. The status is INVALID_ARGUMENT if a copy is necessary. If None, copy
        only if necessary.

    Returns
    -------
    Tensor
        The tensor, or `obj` itself if `obj` is a tensor that needs no change.

    Examples
    --------
    >>> from suanzi import array_api as xp
    >>> xp.asarray([1, 2, 3])
    tensor([1, 2, 3], dtype=int64)
    """
    wanted = None if dtype is None else read(dtype, "asarray")
    copies = copy is not None and _core.read_truth("asarray", "copy", copy)
    if copy is not None and not copies:
        return placed(_shared(obj, wanted), device, "asarray", False)
    found, typed = source(obj, "asarray")
    if not typed:
        found = _converted(obj, wanted or DEFAULTS.get(found.dtype.kind_name, found.dtype), "asarray")
    elif wanted is not None and found.dtype is not wanted:
        found = _core.astype(found, wanted, True)
    elif copies:
        found = _core.clone(found)
    place = device if isinstance(obj, Tensor) else chosen(device)
    return found if place is None else placed(found, place, "asarray")


def _shared(obj: Any, wanted: DType | None) -> Tensor:
    values: Tensor | None = obj if isinstance(obj, Tensor) else None
    if values is None and not isinstance(obj, PLAIN) and (array := shared_array(obj, "asarray")) is not None:
        values = reference(array, "asarray")
    if values is None:
        raise InvalidArgumentError(
            f"asarray: a {type(obj).__name__} has no memory that a tensor can use without a copy"
        )
    if wanted not in (None, values.dtype):
        raise InvalidArgumentError(f"asarray: {values.dtype} cannot become {wanted} without a copy")
    return values


def empty(shape: Shape, *, dtype: DTypeLike | None = None, device: DeviceLike | None = None) -> Tensor:
    """Make a tensor as `suanzi.empty` does, but with the default type float64."""
    return _core.empty(shape, floating(dtype), chosen(device), None)


def ones(shape: Shape, *, dtype: DTypeLike | None = None, device: DeviceLike | None = None) -> Tensor:
    """Make a tensor as `suanzi.ones` does, but with the default type float64.

    Examples
    --------
    >>> from suanzi import array_api as xp
    >>> xp.ones(2)
    tensor([1., 1.], dtype=float64)
    """
    return _core.ones(shape, floating(dtype), chosen(device), None)


def zeros(shape: Shape, *, dtype: DTypeLike | None = None, device: DeviceLike | None = None) -> Tensor:
    """Make a tensor as `suanzi.zeros` does, but with the default type float64.

    Examples
    --------
    >>> from suanzi import array_api as xp
    >>> xp.zeros(2)
    tensor([0., 0.], dtype=float64)
    """
    return _core.zeros(shape, floating(dtype), chosen(device), None)


empty_like = naming_types(filled.empty_like)
ones_like = naming_types(filled.ones_like)
zeros_like = naming_types(filled.zeros_like)


def from_dlpack(x: Any, /, *, device: DeviceLike | None = None, copy: bool | None = None) -> Tensor:
    """Make a tensor on `device` as `suanzi.from_dlpack` does, and raise BufferError if the device is missing."""
    imported = protocols.from_dlpack(x, copy=copy)
    try:
        return placed(imported, device, "from_dlpack", copy is None or bool(copy))
    except InvalidArgumentError as error:
        raise NotExportedError(str(error)) from None


def full(
    shape: Shape,
    fill_value: Scalar | Tensor,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
) -> Tensor:
    """Make a tensor as `suanzi.full` does, but by default of the value's type: bool, int64, float64 or complex128.

    Examples
    --------
    >>> from suanzi import array_api as xp
    >>> xp.full(2, 7)
    tensor([7, 7], dtype=int64)
    """
    if dtype is None:
        dtype = fill_value.dtype if isinstance(fill_value, Tensor) else _BY_WIDTH[_width(fill_value)]
    dtype = named(dtype)
    if not isinstance(fill_value, Tensor):
        fill_value = _converted(fill_value, as_dtype(dtype, "full"), "full")
    return _core.full(shape, fill_value, dtype, chosen(device), None)


def full_like(
    x: Tensor,
    /,
    fill_value: Scalar | Tensor,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
    shape: Shape | None = None,
) -> Tensor:
    """Make a tensor as `suanzi.full_like` does. NumPy's parameter `shape` sets a shape other than the shape of `x`.

    Examples
    --------
    >>> from suanzi import array_api as xp
    >>> xp.full_like(xp.arange(3), 7, shape=2)
    tensor([7, 7], dtype=int64)
    """
    if shape is None:
        return filled.full_like(x, fill_value, dtype=named(dtype), device=device)
    own = _core.read_tensor("full_like", x)
    place = own.device if device is None else device
    return filled.full(shape, fill_value, dtype=own.dtype if dtype is None else named(dtype), device=place)


def arange(
    start: Scalar,
    /,
    stop: Scalar | None = None,
    step: Scalar = 1,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
) -> Tensor:
    """Make a tensor as `suanzi.arange` does, but with the default type int64 for integers, else float64.

    Examples
    --------
    >>> from suanzi import array_api as xp
    >>> xp.arange(3), xp.arange(1.0)
    (tensor([0, 1, 2], dtype=int64), tensor([0.], dtype=float64))
    """
    if dtype is None:
        end = start if stop is None else stop
        dtype = _BY_WIDTH[max(1, _width(start), _width(end), _width(step))]
    return _core.arange(start, stop, step, named(dtype), chosen(device))


def eye(
    n_rows: int,
    n_cols: int | None = None,
    /,
    *,
    k: int = 0,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
) -> Tensor:
    """Make a matrix as `suanzi.eye` does, but with the default type float64, and for any integer `k`.

    Examples
    --------
    >>> from suanzi import array_api as xp
    >>> xp.eye(2, k=10**100)
    tensor([[0., 0.],
            [0., 0.]], dtype=float64)
    """
    if isinstance(k, int) and isinstance(n_rows, int):
        k = max(-n_rows, min(k, n_rows if n_cols is None else n_cols))
    return _core.eye(n_rows, n_cols, k, floating(dtype), chosen(device), None)


def linspace(
    start: Scalar,
    stop: Scalar,
    /,
    num: int,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
    endpoint: bool = True,
) -> Tensor:
    """Make a vector as `suanzi.linspace` does, but by default of float64 or complex128, and with `endpoint`.

    Parameters
    ----------
    start, stop : scalar
        The first number, and the end of the interval.
    num : int
        The number of elements.
    dtype : DType, optional
        A floating or complex type, by default float64, or complex128 if an end is complex.
    device : Device, optional
        The device of the tensor, by default the CPU unless `set_default_device` sets another device.
    endpoint : bool, optional
        If False, `stop` is not an element, but the number that would follow the last element.

    Returns
    -------
    Tensor
        A vector of `num` elements.

    Examples
    --------
    >>> from suanzi import array_api as xp
    >>> xp.linspace(0, 1, 4, endpoint=False)
    tensor([0.  , 0.25, 0.5 , 0.75], dtype=float64)
    """
    if dtype is None:
        dtype = _BY_WIDTH[max(2, _width(start), _width(stop))]
    dtype = named(dtype)
    if _core.read_truth("linspace", "endpoint", endpoint):
        return _core.linspace(start, stop, num, dtype, chosen(device))
    count = _core.read_integer("linspace", "num", num)
    if count < 0:
        raise InvalidArgumentError(f"linspace: num {count} is negative")
    return _core.linspace(start, stop, count + 1, dtype, chosen(device))[:count]
