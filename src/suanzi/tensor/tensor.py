"""The members of Tensor that are written in Python: text, device and layout, lists, copies, pickles.

The module operators.methods adds operators as methods, and the module `protocols` adds other libraries' protocols.
"""

from __future__ import annotations

from copy import deepcopy
from pickle import PickleBuffer
from typing import Any, NoReturn

import numpy as np

from suanzi import _core
from suanzi._core import Tensor
from suanzi.tensor import html, printing
from suanzi.tensor.composed import dispatched
from suanzi.tensor.device import CPU, Device
from suanzi.tensor.dtypes import DTypeLike, as_dtype, bfloat16, complex128, float64, string
from suanzi.tensor.exchange import Array, array_of
from suanzi.tensor.extension import with_metadata
from suanzi.tensor.layout import Flags, Layout
from suanzi.tensor.messages import hint, shown
from suanzi.tensor.status import (
    InvalidArgumentError,
    TypeMismatchError,
    UninitializedObjectAttributeError,
    attributes_that_may_fail,
)


def dim(x: Tensor) -> int:
    """The number of dimensions, under PyPTO's name."""
    if _core.is_destroyed(x):
        raise UninitializedObjectAttributeError("dim: the tensor has been destroyed")
    return x.ndim


def device(x: Tensor) -> Device:
    """The device of the tensor (设备信息, 6.5)."""
    _core.read_tensor("device", x)
    return CPU


@dispatched
def to_device(x: Tensor, device: Device | str, /, *, stream: Any = None) -> Tensor:
    """Return a copy of a tensor on a device, or the tensor itself if the device already stores the tensor.

    The CPU has no streams.
    """
    if stream is not None:
        raise InvalidArgumentError(f"to_device: stream {shown(stream)} is not None, and the CPU has no streams")
    return _core.read_tensor("to_device", x)


def layout(x: Tensor) -> Layout:
    """The layout of the elements in memory (布局信息, 6.4)."""
    return Layout("dense", _core.order(x))


def flags(x: Tensor) -> Flags:
    """NumPy's flags of the memory, such as ``x.flags.c_contiguous``."""
    array = array_of(x)
    if x.dtype is string:  # the array is a copy, whose elements may lie in another order
        array = np.lib.stride_tricks.as_strided(np.empty(1, "int8"), x.shape, x.stride())
    return Flags(array)


def data(x: Tensor) -> memoryview:
    """A memoryview of the elements on the tensor's memory, as for an array. PyTorch's `data` is the tensor itself."""
    if _core.read_tensor("data", x).dtype in (string, bfloat16):
        raise TypeMismatchError(f"data: Python's buffers have no elements of type {x.dtype}")
    exporter: Any = x  # tools/stubs.py says why
    return memoryview(exporter)


def flat(x: Tensor) -> np.flatiter[Array]:
    """NumPy's iterator over the elements by rows, on the tensor's memory.

    ``x.flat[1]`` is the second element. ``x.flat = values`` writes values into the elements, and repeats the values if
    the tensor has more elements.

    Examples
    --------
    >>> import suanzi
    >>> x = suanzi.tensor([[1, 2], [3, 4]], dtype="int64")
    >>> [int(element) for element in x.flat]
    [1, 2, 3, 4]
    >>> x.flat = [5, 6]
    >>> x
    tensor([[5, 6],
            [5, 6]], dtype=int64)
    """
    array = array_of(x)
    if x.dtype is string:
        array.flags.writeable = False  # the array is a copy
    return array.flat


def set_flat(x: Tensor, values: Any) -> None:
    given = np.asarray(values)
    if x.size and not given.size:
        raise InvalidArgumentError(f"flat: shape {given.shape} has no elements for a tensor of shape {x.shape}")
    x[...] = np.resize(given, x.shape)


def allocator(x: Tensor) -> str:
    """The owner of the memory (其它扩展, 6.6): ``"suanzi"``, or ``"external"`` for other programs' memory."""
    return "external" if _core.is_foreign(x) else "suanzi"


def tolist(x: Tensor) -> Any:
    """Return the elements as nested lists of Python numbers or strings. The result for a scalar is the element."""
    return _core.tolist(x)


def as_complex(x: Tensor) -> complex:
    """Return ``complex(x)`` of a tensor of one element."""
    if _core.read_tensor("complex", x).size != 1:
        raise InvalidArgumentError(f"complex: a tensor of shape {x.shape} is not one element{hint('complex')}")
    if x.dtype is string:
        raise TypeMismatchError("complex: a string is not a number")
    return complex(x.item())


def tobytes(x: Tensor, order: str = "C") -> bytes:
    """Return the elements as bytes, row by row or in another of NumPy's orders."""
    if _core.read_tensor("tobytes", x).dtype is string:
        raise TypeMismatchError("tobytes: strings have no bytes of one size; tolist() returns the strings")
    chosen = _ORDERS[_core.read_choice("tobytes", "order", order, _ORDERS)]
    found: bytes = array_of(x).tobytes(chosen)  # type: ignore[arg-type]
    return found


_ORDERS = ("C", "F", "A", "K")


# `view` reads Python's types `float` and `complex` as the element types of the same size. In other functions these
# types name the standard's default types.
_PYTHONS = {float: float64, complex: complex128}


def view(x: Tensor, /, dtype: DTypeLike | None = None, *sizes: int) -> Any:
    """View the memory as elements of another type, like NumPy's method of the same name.

    Parameters
    ----------
    dtype : DType, optional
        Any type except string. If the elements of the type have another size, the last dimension becomes shorter or
        longer. By default the result has the type of the tensor. For a NumPy void type such as ``"V4"``, the result is
        a NumPy array.

    Returns
    -------
    Tensor
        A view, on the memory of the tensor. For a NumPy void type, the result is a NumPy array on the same memory.

    Raises
    ------
    TypeMismatchError
        `dtype` is not an element type, one of the types is string, or the argument is a shape, which PyTorch's method
        accepts.
    InvalidArgumentError
        The size of elements differs, and the last dimension is not contiguous or not a whole number of new elements.
        The error is also raised if the new elements would not be aligned in memory.

    Examples
    --------
    >>> import suanzi
    >>> x = suanzi.tensor([1.0, -2.0])
    >>> x.view("uint32").tolist() == [0x3F800000, 0xC0000000]
    True
    >>> x.view("complex64")
    tensor([1.-2.j])
    """
    if sizes or isinstance(dtype, int | tuple | list):
        given = (dtype, *sizes) if sizes else dtype
        raise TypeMismatchError(f"view: {shown(given)} is a shape; reshape returns a view of the shape where possible")
    if isinstance(dtype, str) and dtype.lstrip("|<>=")[:1] == "V" and dtype.lstrip("|<>=")[1:].isdigit():
        return array_of(x).view(dtype)
    python = _PYTHONS.get(dtype) if isinstance(dtype, type) else None
    return _core.reinterpret(x, python or (x.dtype if dtype is None else dtype))


def shallow_copy(x: Tensor) -> Tensor:
    """Return ``copy.copy(x)``. The copy has separate memory, as for NumPy arrays."""
    return with_metadata(x.metadata, _core.clone(x))


def deep_copy(x: Tensor, memo: dict[int, Any]) -> Tensor:
    """Return ``copy.deepcopy(x)``. The metadata is also copied deeply."""
    return with_metadata(deepcopy(x.metadata, memo), _core.clone(x))


def reduce_ex(x: Tensor, protocol: Any) -> tuple[Any, ...]:
    """Return the parts of a pickle: the type, the shape, the logical order, the elements and the metadata. If the
    protocol is 5 or higher, numbers are in an out-of-band buffer. Strings are in a list.
    """
    dense = x if _core.is_contiguous(_core.read_tensor("pickle", x)) else _core.clone(x)
    if x.dtype is string:
        return _restore, (x.dtype.name, x.shape, _core.order(dense), _core.tolist(_core.in_memory(dense)), x.metadata)
    data = np.ascontiguousarray(array_of(_core.in_memory(dense))).view(np.uint8)
    packed = PickleBuffer(data.data) if protocol >= 5 else data.tobytes()
    return _restore, (x.dtype.name, x.shape, _core.order(dense), packed, x.metadata)


def _restore(name: str, shape: tuple[int, ...], order: tuple[int, ...], data: Any, metadata: dict[Any, Any]) -> Tensor:
    if name == string.name:
        return with_metadata(metadata, _core.laid_out(_core.text("pickle", data), shape, order))
    dtype = as_dtype(name)
    flat = _core.allocate("pickle", (len(memoryview(data)) // dtype.itemsize,), dtype, None, False)
    array_of(flat).view(np.uint8)[:] = np.frombuffer(data, np.uint8)
    return with_metadata(metadata, _core.laid_out(flat, shape, order))


def refuse_new(kind: type[Tensor], *data: Any, **options: Any) -> NoReturn:
    """Raise TYPE_MISMATCH for ``Tensor(...)``, a call that makes a tensor in PyTorch."""
    raise TypeMismatchError(f"Tensor: a tensor is not made by its class{hint('class', data)}")


ATTRIBUTES = {
    "__new__": staticmethod(refuse_new),
    "__repr__": printing.represent,
    "__str__": printing.as_text,
    "__format__": printing.formatted,
    "__complex__": as_complex,
    "__copy__": shallow_copy,
    "__deepcopy__": deep_copy,
    "__reduce_ex__": reduce_ex,
    "_repr_html_": html.as_html,
    "allocator": property(allocator),
    "data": property(data),
    "device": property(device),
    "dim": property(dim),
    "flags": property(flags),
    "flat": property(flat, set_flat),
    "layout": property(layout),
    "to_device": to_device,
    "tobytes": tobytes,
    "tolist": tolist,
    "view": view,
}
for _name, _attribute in ATTRIBUTES.items():
    setattr(Tensor, _name, _attribute)
attributes_that_may_fail(Tensor, "allocator", "data", "device", "flags", "flat", "layout")
