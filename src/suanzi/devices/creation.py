"""Creation functions for tensors on devices."""

from __future__ import annotations

import math
from typing import Any

import torch

from suanzi import _core
from suanzi._core import Tensor
from suanzi.devices import front
from suanzi.devices.state import place_of
from suanzi.devices.table import rows
from suanzi.devices.tensor import DeviceTensor, from_cpu, made, order_of, shared_array, sharing, to_cpu
from suanzi.devices.types import TORCH, as_bits, carried, converted
from suanzi.kinds.call import Call
from suanzi.operators.creation.filled import zeros
from suanzi.operators.creation.initialisers import of_another_shape
from suanzi.tensor.device import CPU, Device, device_of
from suanzi.tensor.dtypes import DType, as_dtype, string
from suanzi.tensor.exchange import lies_on_a_device, not_shared
from suanzi.tensor.layout import dense_order
from suanzi.tensor.status import DimensionsMismatchError, InvalidArgumentError, TypeMismatchError


def empty(shape: tuple[int, ...], dtype: DType, order: tuple[int, ...] | None, device: Device) -> DeviceTensor:
    """Return an uninitialised tensor whose dimensions have the order `order` in memory. None means row-major order."""
    place = place_of(device)
    if order is None:
        return made(torch.empty(shape, dtype=TORCH[dtype], device=place), device, dtype)
    slowest = order[::-1]
    t = torch.empty([shape[axis] for axis in slowest], dtype=TORCH[dtype], device=place)
    result = made(t.permute([slowest.index(axis) for axis in range(len(shape))]), device, dtype)
    result._order = order
    return result


def _stays(call: Call, dtype: DType) -> bool:
    """Return whether the CPU makes a tensor although another device is the default. The CPU makes a tensor of strings
    if the call names no device.
    """
    return dtype is string and front.by_default(call)


def _on_device(call: Call, dtype: DType, device: Device) -> None:
    if dtype is string:
        raise TypeMismatchError(f"{call.name}: strings exist on the CPU only, not on {device}")


def is_elsewhere(call: Call) -> bool:
    """Return whether a call with an operand on a device names the CPU."""
    return call.device is not None and device_of(call.device, call.name) == CPU


@rows("zeros", "ones", "full", "empty")
def filled(call: Call, device: Device) -> Any:
    shape = _core.read_shape(call.name, call.shape, 0)
    order = dense_order(call.layout, len(shape), call.name)
    image = call.replaced(shape=front.image_shape(shape), device=None, layout=None)
    if call.record.called == "full" and type(call.fill_value) is DeviceTensor:
        image = image.replaced(fill_value=to_cpu(call.fill_value, call.name))
    example = call.builtin(*image)
    if _stays(call, example.dtype):
        return call.builtin(*call.replaced(device=None))
    _on_device(call, example.dtype, device)
    return _filled(call.record.called, example, shape, order, device)


def _filled(name: str, example: Tensor, shape: tuple[int, ...], order: Any, device: Device) -> DeviceTensor:
    """Return a tensor of a given shape and order with the type of `example`. All elements have the value of `example`,
    which the CPU has made, or are uninitialised if `name` is empty or empty_like.
    """
    result = empty(shape, example.dtype, order, device)
    if name.startswith("zeros"):
        as_bits(result.data).zero_()
    elif not name.startswith("empty") and example.size:
        one = from_cpu(_core.reshape(example, ()), device)
        as_bits(result.data).copy_(as_bits(one.data))
    return result


def order_like(call: Call, x: Any) -> tuple[int, ...] | None:
    """Return the order of a new tensor like another tensor: the order that the call requests, or the other tensor's
    order.
    """
    order = dense_order(call.layout, x.ndim, call.name)
    if order is None and type(x) is DeviceTensor and not x.data.is_contiguous():
        return order_of(x)
    if order is None and type(x) is Tensor:
        return _core.order(x)
    return order


def like_on_the_host(call: Call) -> Any:
    """Return the CPU's result of a call for a new tensor like another tensor, which is on a device."""
    x = call.x
    return call.builtin(*call.replaced(x=_core.empty(x.shape, x.dtype, None, order_of(x)), device=None))


@rows("zeros_like", "ones_like", "full_like", "empty_like")
def filled_like(call: Call, device: Device) -> Any:
    """Return a filled tensor with the shape and the order of another tensor."""
    x = call.x
    if is_elsewhere(call):
        return like_on_the_host(call)
    there = destination(call, device)
    shape = x.shape
    order = order_like(call, x)
    image = call.replaced(x=_image(x), device=None, layout=None)
    if call.record.called == "full_like" and type(call.fill_value) is DeviceTensor:
        image = image.replaced(fill_value=to_cpu(call.fill_value, call.name))
    example = call.builtin(*image)
    _on_device(call, example.dtype, there)
    if x.size and not example.size:
        raise DimensionsMismatchError(f"{call.name}: shape {shape}")
    return _filled(call.record.called, example, shape, order, there)


def _image(x: Any) -> Tensor:
    return front.image(x) if type(x) is DeviceTensor else zeros(front.image_shape(x.shape), dtype=x.dtype, device=CPU)


def destination(call: Call, device: Device) -> Device:
    """Return the device that a call names, or else the device of the call's operand."""
    from suanzi.devices.platforms import same

    return device if call.device is None else same(device_of(call.device, call.name), call.name)


@rows("eye", "arange", "linspace", "fftfreq", "rfftfreq", "randperm")
def made_on_the_host(call: Call, device: Device) -> Any:
    """Compute a tensor of few elements on the CPU, so that the bits are the CPU's, and copy the tensor to the
    device.
    """
    found = call.builtin(*call.replaced(device=None))
    if _stays(call, found.dtype):
        return found
    _on_device(call, found.dtype, device)
    return from_cpu(found, device)


@rows("tensor")
def tensor(call: Call, device: Device) -> Any:
    """Return a tensor with a copy of the call's data, which may already be on a device."""
    data = call.data
    if type(data) is not DeviceTensor:
        found = call.builtin(*call.replaced(device=None, data=_data_of(data)))
        if _stays(call, found.dtype):
            return found
        _on_device(call, found.dtype, device)
        return from_cpu(found, device)
    if is_elsewhere(call):
        return call.builtin(*call.replaced(device=None, data=to_cpu(data, call.name)))
    there = destination(call, device)
    dtype = data.dtype if call.dtype is None else as_dtype(call.dtype, call.name)
    _on_device(call, dtype, there)
    check_fits(call.name, data, dtype)
    t = converted(data.data, TORCH[dtype])
    shape = data.shape if call.shape is None else _core.read_shape(call.name, call.shape, 0)
    result = empty(shape, dtype, dense_order(call.layout, len(shape), call.name), there)
    target, values = as_bits(result.data), as_bits(t)
    if call.shape is None or data.ndim > 1:
        if data.shape != shape:
            raise of_another_shape(call.name, data.shape, shape)
        target.copy_(values)
        return result
    order = order_of(result)[::-1]
    flat = target.permute(order).view(-1) if result.ndim else target.view(1)
    covered = min(flat.numel(), values.numel())
    flat[covered:] = 0
    flat[:covered].copy_(values.reshape(-1)[:covered])
    return result


def _data_of(data: Any) -> Any:
    """Replace device tensors in nested lists by CPU tensors, because numbers are collected on the host."""
    return front.mapped(data, lambda x: to_cpu(x, "tensor"))


# For each kind of element type, the kinds whose types, if wide enough, represent all numbers of the kind.
_HOLDS = {"b": "buifc", "u": "uifc", "i": "ifc", "f": "fc", "c": "c"}


def check_fits(operator: str, x: DeviceTensor, dtype: DType) -> None:
    """Raise the CPU's error if `dtype` cannot represent every element of `x`. The device checks the elements."""
    if dtype is x.dtype or dtype.name == "bool":
        return
    if (x.dtype.kind == "c" and dtype.kind != "c") or _has_misfits(x, dtype):
        _core.check_fits(operator, to_cpu(x, operator), dtype)


def _has_misfits(x: DeviceTensor, dtype: DType) -> bool:
    fits = dtype.kind in _HOLDS.get(x.dtype.kind, "")
    wider = dtype.itemsize > x.dtype.itemsize or (dtype.kind != x.dtype.kind and dtype.kind != "i")
    if fits and wider and dtype.name != "float16":  # float16 ends at 65504
        return False
    there = converted(x.data, TORCH[dtype])
    back = converted(there, x.data.dtype) if not there.is_complex() or x.data.is_complex() else x.data
    if dtype.kind in "fc":
        exact = x.data.is_floating_point() or x.data.is_complex()
        wrong = torch.isinf(there) & torch.isfinite(x.data) if exact else torch.isinf(there)
    elif x.data.is_floating_point():
        # Numbers outside the range of the type become the type's least or greatest number, which the cast back may
        # round.
        wide = x.data if x.dtype.itemsize == 8 else x.data.float()
        end = 2.0 ** (8 * dtype.itemsize - (dtype.kind == "i"))
        wrong = (back != x.data) | (wide >= end) | (wide < -end)
    else:
        # Casts between types of the same width keep the bits, so only the sign shows the difference.
        wrong = (carried(back) != carried(x.data)) | (_negative(x.data) != _negative(there))
    return bool(wrong.any())


def _negative(t: torch.Tensor) -> Any:
    return t < 0 if t.dtype.is_signed else False


@rows("from_reference")
def from_reference(call: Call, device: Device) -> Any:
    """Return a tensor on existing memory, or on uninitialised memory if the call has no data."""
    data = call.data
    by_default = front.by_default(call)
    if data is None and call.device is not None:
        if call.shape is None:
            raise InvalidArgumentError(f"{call.name}: shape is required where data is None")
        dtype = as_dtype("float32" if call.dtype is None else call.dtype, call.name)
        if _stays(call, dtype):
            return call.builtin(*call.replaced(device=None))
        _on_device(call, dtype, device)
        shape = _core.read_shape(call.name, call.shape, 0)
        return empty(shape, dtype, dense_order(call.layout, len(shape), call.name), device)
    if type(data) is not DeviceTensor:
        found = exported(data, call.name)
        if found is None and by_default:
            return call.builtin(*call.replaced(device=None))
        if found is None:
            on_host = call.builtin(*call.replaced(device=None))
            if place_of(device).type != "cpu":
                raise InvalidArgumentError(f"{call.name}: on {CPU}, not on {device} without a copy")
            _on_device(call, on_host.dtype, device)
            return sharing(on_host, device)
        data = found
    if is_elsewhere(call) and data.data.is_cpu:
        return call.builtin(*call.replaced(device=None, data=shared_array(data)))
    if call.device is not None and not by_default and device_of(call.device, call.name) != data.device:
        raise InvalidArgumentError(f"{call.name}: on {data.device}, not on {call.device} without a copy")
    if call.dtype is not None and as_dtype(call.dtype, call.name) is not data.dtype:
        raise TypeMismatchError(f"{call.name}: data holds {data.dtype}, not {as_dtype(call.dtype, call.name)}")
    return _referring(call, data)


def _referring(call: Call, data: DeviceTensor) -> DeviceTensor:
    shape = data.shape if call.shape is None else _core.read_shape(call.name, call.shape, 0)
    order = dense_order(call.layout, len(shape), call.name)
    if math.prod(shape) != data.size:
        raise DimensionsMismatchError(f"{call.name}: shape {shape} does not hold {data.size} elements")
    if call.shape is None:
        if order is not None and order != order_of(data):
            raise InvalidArgumentError(
                f"{call.name}: data has the order {order_of(data)}, so the order {order} would need a copy"
            )
        return made(data.data.view(data.shape), data.device, data.dtype)
    slowest = tuple(range(len(shape))) if order is None else order[::-1]
    try:
        t = data.data.view([shape[axis] for axis in slowest])
    except RuntimeError:
        lies = f"data of shape {data.shape} with strides of {data.stride()} elements"
        raise InvalidArgumentError(f"{call.name}: {lies} would need a copy to have the shape {shape}") from None
    result = made(t.permute([slowest.index(axis) for axis in range(len(shape))]), data.device, data.dtype)
    if order is not None:
        result._order = order
    return result


def exported(data: Any, operator: str) -> DeviceTensor | None:
    """Return a tensor that shares the memory of an object that supports DLPack, or None if the memory is not on a
    device.
    """
    from suanzi.devices.platforms import here

    if not lies_on_a_device(data, operator):
        return None
    try:
        t = data.detach() if isinstance(data, torch.Tensor) else torch.from_dlpack(data)
    except (AssertionError, BufferError, RuntimeError, TypeError, ValueError) as error:
        raise not_shared(data, operator, error) from error  # PyTorch without CUDA raises AssertionError
    found = here(t.device)
    if found is None:
        raise InvalidArgumentError(f"{operator}: no device of ours is {t.device}")
    return made(t, found)
