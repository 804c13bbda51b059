"""DeviceTensor: a dense tensor on a device. A PyTorch tensor owns the memory.

The other modules of this package define the operators on the class.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from copy import deepcopy
from typing import Any, NoReturn

import torch

from suanzi import _core
from suanzi._core import Tensor
from suanzi.devices.state import state_of, telling
from suanzi.devices.types import OURS, TORCH, as_bits
from suanzi.operators.creation.filled import zeros
from suanzi.operators.registry import record_of
from suanzi.tensor.absent import missing
from suanzi.tensor.composed import composed
from suanzi.tensor.device import CPU, Device, device_of
from suanzi.tensor.dtypes import DType, bfloat16
from suanzi.tensor.exchange import Array
from suanzi.tensor.extension import with_metadata
from suanzi.tensor.layout import Layout
from suanzi.tensor.messages import shown
from suanzi.tensor.status import (
    DimensionsMismatchAttributeError,
    InvalidArgumentError,
    NotExportedError,
    TypeMismatchError,
    UninitializedObjectAttributeError,
)
from suanzi.tensor.tensor import view

_PARTS = ("data", "device", "dtype")  # the attributes that a destroyed tensor lacks


class DeviceTensor(_core.Operators):
    """A dense tensor on a device.

    Creation functions with a ``device``, ``to_device``, and operators on tensors on devices return objects of this
    class. A tensor on a device has the attributes and methods of a `Tensor`, and ``isinstance(x, Tensor)`` is true.
    Conversions to host data (``numpy()``, ``tobytes()``, ``tolist()``, ``item()``, ``bool(x)``, ``float(x)`` and the
    like) copy the elements to the host. Printing, formatting, pickling and ``to_device("cpu")`` also copy the elements
    to the host. NumPy's ``asarray`` raises an error instead.
    """

    __slots__ = ("__weakref__", "_is_irregular", "_metadata", "_order", "data", "device", "dtype")
    __hash__ = None  # type: ignore[assignment]
    __array_priority__ = 1000
    lies_elsewhere = True  # `tensor.device.is_elsewhere` reads this mark

    data: torch.Tensor
    dtype: DType
    device: Device  # one object for each device (platforms.same)
    _is_irregular: bool  # present only if true (`is_irregular`)
    _order: tuple[int, ...]  # the order of dimensions, if strides do not show the order
    _metadata: dict[Any, Any]
    to_device: Any  # `operators.methods` adds the method

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        """Return `Tensor`, so that `isinstance` accepts a tensor on a device as a tensor."""
        return Tensor

    # --- facts ---

    @property
    def metadata(self) -> dict[Any, Any]:
        """A dictionary for the user (clause 6.6), made on first use. `copy.copy` and pickling keep the dictionary."""
        try:
            return self._metadata
        except AttributeError:
            _ = self.data
            self._metadata = {}
            return self._metadata

    @property
    def shape(self) -> tuple[int, ...]:
        """Return the sizes of the dimensions."""
        shape: tuple[int, ...] = tuple(self.data.shape)
        return shape

    @property
    def strides(self) -> tuple[int, ...]:
        """Return the distance in bytes between neighbours along each dimension."""
        return tuple([stride * self.dtype.itemsize for stride in self.data.stride()])

    def stride(self, axis: int | None = None, /) -> Any:
        """Return the distance in elements between neighbours along each dimension, or along one axis."""
        strides = self.data.stride()
        return strides if axis is None else strides[_core.read_axis("stride", axis, len(strides))]

    @property
    def ndim(self) -> int:
        """Return the number of dimensions."""
        ndim: int = self.data.ndim
        return ndim

    dim = ndim

    @property
    def size(self) -> int:
        """Return the number of elements."""
        size: int = self.data.numel()
        return size

    @property
    def itemsize(self) -> int:
        """Return the number of bytes of an element."""
        _ = self.data
        return self.dtype.itemsize

    @property
    def nbytes(self) -> int:
        """Return the number of bytes of all elements."""
        return int(self.data.numel()) * self.dtype.itemsize

    @property
    def allocator(self) -> str:
        """Return the owner of the memory (clause 6.6)."""
        _ = self.data
        return "torch"

    @property
    def layout(self) -> Layout:
        """Return the layout of the elements in memory (clause 6.4)."""
        return Layout("dense", order_of(self))

    @property
    def T(self) -> Any:
        """Return the tensor with its dimensions in reverse order."""
        return _core.transpose(self, None)  # type: ignore[arg-type]

    @property
    def mT(self) -> Any:
        """Return the tensor with its last two dimensions swapped."""
        if self.data.ndim < 2:
            raise DimensionsMismatchAttributeError(f"mT: shape {self.shape} has fewer than 2 dimensions")
        return _core.matrix_transpose(self)  # type: ignore[arg-type]

    @property
    def real(self) -> Any:
        """Return a view of the real parts, or the tensor itself if the tensor is real."""
        return made(torch.real(self.data), self.device) if self.data.is_complex() else self

    @property
    def imag(self) -> Any:
        """Return a view of the imaginary parts, or zeros if the tensor is real."""
        if self.data.is_complex():
            return made(torch.imag(self.data), self.device)
        with telling("imag"):
            zeros = made(torch.zeros_like(self.data), self.device)
            return in_order(zeros, None) if has_gaps(self.data) else zeros

    # --- to the host ---

    def numpy(self) -> Array:
        """Return a copy of the elements as a NumPy array on the host."""
        return on_host(self, "numpy")

    to_numpy = numpy

    def tobytes(self, order: str = "C") -> bytes:
        """Return the elements as bytes, in row-major order or in another of NumPy's orders."""
        return to_cpu(self, "tobytes").tobytes(order)

    def tolist(self) -> Any:
        """Return the elements as nested lists of Python numbers."""
        return _core.tolist(to_cpu(self, "tolist"))

    def item(self) -> Any:
        """Return the only element as a Python number."""
        return to_cpu(self, "item").item()

    def __bool__(self) -> bool:
        return bool(to_cpu(self, "bool"))

    def __int__(self) -> int:
        return int(to_cpu(self, "int"))

    def __float__(self) -> float:
        return float(to_cpu(self, "float"))

    def __complex__(self) -> complex:
        return complex(to_cpu(self, "complex"))

    def __index__(self) -> int:
        return int(to_cpu(self, "index").__index__())

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NoReturn:
        """Raise an error, because libraries would otherwise copy elements to the host unasked."""
        raise TypeMismatchError(f"__array__: the tensor is on {self.device}; numpy() copies the tensor to the host")

    def __repr__(self) -> str:
        return self._text(repr)

    def __str__(self) -> str:
        return self._text(str)

    def __format__(self, spec: str) -> str:
        return self._text(lambda x: format(x, spec))

    def _repr_html_(self) -> str:
        try:
            _ = self.data
        except UninitializedObjectAttributeError:
            return "<pre>tensor(&lt;destroyed&gt;)</pre>"
        return to_cpu(self, "repr")._repr_html_()

    def _text(self, form: Any) -> str:
        try:
            _ = self.data
        except UninitializedObjectAttributeError:
            return "tensor(<destroyed>)"
        text: str = form(to_cpu(self, "repr"))
        return f"{text[:-1]}, device={self.device})" if form is repr else text

    # --- as a sequence ---

    view = composed(view, "view")

    def __len__(self) -> int:
        if self.data.ndim == 0:
            raise TypeError("len() of a tensor of shape ()")
        return int(self.data.shape[0])

    def __iter__(self) -> Iterator[Any]:
        return iter(_core.unstack(self, 0))  # type: ignore[arg-type]

    # --- copies ---

    def __copy__(self) -> DeviceTensor:
        return with_metadata(self.metadata, _core.clone(self))  # type: ignore[arg-type, return-value]

    def __deepcopy__(self, memo: dict[int, Any]) -> DeviceTensor:
        metadata = deepcopy(self.metadata, memo)
        return with_metadata(metadata, _core.clone(self))  # type: ignore[arg-type, return-value]

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        return _restored, (to_cpu(self, "pickle"), str(self.device), self.metadata)

    # --- other libraries ---

    def __array_namespace__(self, *, api_version: str | None = None) -> Any:
        _ = self.data
        return Tensor.__array_namespace__(_STANDING, api_version=api_version)

    def __array_ufunc__(  # type: ignore[override]
        self, ufunc: Any, method: str, *inputs: Any, **options: Any
    ) -> Any:
        return Tensor.__array_ufunc__(_STANDING, ufunc, method, *inputs, **options)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        known = tuple([Tensor if kind is DeviceTensor else kind for kind in types])
        found = Tensor.__array_function__(_STANDING, function, known, args, kwargs)
        if type(found) is Tensor and not any(type(x) is DeviceTensor for x in (*args, *kwargs.values())):
            return found.to_device(self.device)  # the CPU has made the result, because the result depends on no tensor
        return found

    def __dask_tokenize__(self) -> Any:
        return Tensor.__dask_tokenize__(self)  # type: ignore[arg-type]

    def __dlpack_device__(self) -> tuple[int, int]:
        """Return DLPack's name of the device."""
        try:
            kind, index = self.data.__dlpack_device__()
        except ValueError as error:  # DLPack has no name for the back end
            raise NotExportedError(f"__dlpack_device__: {error}") from None
        return int(kind), index

    def __dlpack__(
        self,
        *,
        stream: Any = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        """Return a DLPack capsule on the memory of the tensor."""
        state_of(self.device).check()
        options = {"max_version": max_version, "dl_device": dl_device, "copy": copy}
        try:
            return self.data.resolve_conj().resolve_neg().__dlpack__(stream=stream, **options)
        except (BufferError, RuntimeError, TypeError, ValueError) as error:
            raise NotExportedError(f"__dlpack__: {error}") from None

    # --- changed elements ---

    def _end(self) -> None:
        """Give up the memory, for the operator `destroy`. The memory is freed unless views of the tensor exist."""
        for name in (*_PARTS, "_metadata", "_order"):
            with suppress(AttributeError):  # the part may be missing
                delattr(self, name)
        _set_class(self, DestroyedTensor)


class DestroyedTensor(DeviceTensor):
    """A tensor on a device after `destroy`.

    A separate class keeps the attributes of other tensors fast, because the interpreter has no shortcuts for a class
    that handles missing attributes itself.
    """

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        if name in _PARTS:
            raise UninitializedObjectAttributeError(f"{name}: the tensor has been destroyed")
        attribute = getattr(type(self), name, None)
        if isinstance(attribute, property) and attribute.fget:
            return attribute.fget(self)  # the access raises the error again
        raise missing("Tensor", name, self)


_set_class = vars(object)["__class__"].__set__  # this setter bypasses DeviceTensor's property


def _in_place(name: str) -> Any:
    def method(x: DeviceTensor, other: Any) -> Any:
        return record_of(name).function(x, other, out=x)  # type: ignore[union-attr]

    return method


for _python, _name in _core.python_operators:
    if f"__i{_python}__" in vars(Tensor):
        setattr(DeviceTensor, f"__i{_python}__", _in_place(_name))


_STANDING = zeros((), dtype=None, device=CPU)  # a Tensor for calls of the protocols that Tensor implements


def made(data: torch.Tensor, device: Device, dtype: DType | None = None) -> DeviceTensor:
    """Return a device tensor on the memory of a PyTorch tensor."""
    x: DeviceTensor = DeviceTensor.__new__(DeviceTensor)
    x.data = data
    x.dtype = OURS[data.dtype] if dtype is None else dtype
    x.device = device
    if is_irregular(data):
        x._is_irregular = True
    return x


def strides_of(shape: tuple[int, ...], order: Iterable[int] | None) -> tuple[int, ...]:
    """Return the strides of a tensor without gaps for an order of dimensions, the fastest dimension first."""
    strides, step = [0] * len(shape), 1
    for axis in reversed(range(len(shape))) if order is None else order:
        strides[axis] = step
        step *= max(shape[axis], 1)
    return tuple(strides)


def order_of(x: DeviceTensor) -> tuple[int, ...]:
    """Return the logical order of the dimensions in memory, the fastest first."""
    strides = x.data.stride()
    if x.data.numel() < 2 or 1 in x.data.shape:
        try:
            return x._order
        except AttributeError:
            pass
    if x.data.numel() == 0 or x.data.is_contiguous():
        return tuple(reversed(range(x.data.ndim)))
    return tuple(sorted(range(x.data.ndim), key=lambda axis: (strides[axis], -axis)))


def has_gaps(t: torch.Tensor) -> bool:
    """Return whether other elements lie between a tensor's elements, or several elements of the tensor share memory."""
    if t.is_contiguous():
        return False
    strides = t.stride()
    slowest = sorted(range(t.ndim), key=lambda axis: strides[axis], reverse=True)
    return not t.permute(slowest).is_contiguous()


def is_irregular(t: torch.Tensor) -> bool:
    """Return whether PyTorch's results for a tensor have another memory order than the CPU's results. The orders differ
    if the tensor has gaps and the strides are not in row-major order.
    """
    if t.ndim < 2 or t.is_contiguous():
        return False
    strides = [stride for stride, extent in zip(t.stride(), t.shape, strict=True) if extent > 1]
    has_rows = 0 not in strides and strides == sorted(strides, reverse=True)
    return not has_rows and has_gaps(t)


def in_order(x: DeviceTensor, order: tuple[int, ...] | None) -> DeviceTensor:
    """Return a tensor that has the elements of `x` and no gaps. The dimensions have the given memory order, the fastest
    first. The result is `x` itself if `x` has no gaps and the given order.
    """
    fastest = tuple(reversed(range(x.ndim))) if order is None else order
    slowest = fastest[::-1]
    t = as_bits(x.data).permute(slowest)
    if not t.is_contiguous():
        back = [slowest.index(axis) for axis in range(x.ndim)]
        x = made(t.contiguous().permute(back).view(x.data.dtype), x.device, x.dtype)
    if order_of(x) != fastest:  # strides do not show the order
        x = made(x.data, x.device, x.dtype)
        x._order = fastest
    return x


def on_host(x: DeviceTensor, operator: str) -> Array:
    """Return the elements as a NumPy array on the host."""
    data = x.data
    state_of(x.device).check()
    there = data.detach().resolve_conj().resolve_neg()
    with telling(operator):
        there = there.clone() if there.device.type == "cpu" else there.to("cpu")
    if x.dtype is bfloat16:
        array: Array = there.view(torch.uint16).numpy().view(bfloat16.numpy)
        return array
    return there.numpy()  # type: ignore[no-any-return]


def to_cpu(x: DeviceTensor, operator: str) -> Tensor:
    """Return a dense tensor of the same elements on the host."""
    from suanzi.operators.creation.data import from_reference

    order = order_of(x)
    found = from_reference(on_host(x, operator), device=CPU)
    ordered = _core.in_order(found, order) if found.ndim else found
    return found if ordered is None else ordered


def from_cpu(x: Tensor, device: Device) -> DeviceTensor:
    """Return a copy of a dense host tensor on an existing device."""
    if x.dtype not in TORCH:
        raise TypeMismatchError(f"to_device: element type {x.dtype} exists on the CPU only")
    array = x.numpy()
    if any(stride < 0 for stride in array.strides) or not array.flags.writeable:
        array = array.copy(order="C")
    there = torch.from_numpy(array.view("uint16") if x.dtype is bfloat16 else array)
    there = there.view(torch.bfloat16) if x.dtype is bfloat16 else there
    place = state_of(device).place
    order = _core.order(x)
    data = torch.empty_strided(x.shape, strides_of(x.shape, order), dtype=there.dtype, device=place)
    data.copy_(there)
    result = made(data, device, x.dtype)
    if x.size < 2 or 1 in x.shape:
        result._order = order
    return result


def sharing(x: Tensor, device: Device) -> DeviceTensor:
    """Return a tensor that shares the memory of a host tensor, for devices that use host memory."""
    array = x.numpy()
    t = torch.from_numpy(array.view("uint16") if x.dtype is bfloat16 else array)
    result = made(t.view(torch.bfloat16) if x.dtype is bfloat16 else t, device, x.dtype)
    if x.size < 2 or 1 in x.shape:
        result._order = _core.order(x)
    return result


def shared_array(x: DeviceTensor) -> Array:
    """Return an array that shares the memory of a tensor, for devices that use host memory."""
    if x.dtype is bfloat16:
        array: Array = x.data.view(torch.uint16).numpy().view(bfloat16.numpy)
        return array
    return x.data.numpy()  # type: ignore[no-any-return]


def _restored(x: Tensor, device: str, metadata: dict[Any, Any]) -> Any:
    return with_metadata(metadata, x.to_device(device))


def moved_to(x: DeviceTensor, device: Any, stream: Any) -> Any:
    """Return the elements as a tensor on `device`: a copy, or `x` itself if `x` is on this device."""
    if stream is not None:
        raise InvalidArgumentError(f"to_device: stream {shown(stream)} is not None; PyTorch's current stream is used")
    _ = x.data
    named = device_of(device, "to_device")
    if named == x.device:
        return x
    if named == CPU:
        return to_cpu(x, "to_device")
    from suanzi.devices.platforms import same

    there = same(named, "to_device")
    return made(x.data.to(state_of(there).place), there, x.dtype)
