"""Creation of sparse and quantized tensors on devices. The modules `sparse` and `quantized` contain the operators."""

from __future__ import annotations

from typing import Any

from suanzi import _core
from suanzi.devices.table import rows
from suanzi.devices.tensor import DeviceTensor
from suanzi.kinds import devices as registry
from suanzi.kinds.call import Call
from suanzi.operators.creation.data import tensor
from suanzi.operators.creation.quantized import check_real
from suanzi.operators.creation.sparse import elements_of, integers_of
from suanzi.quantized.tensor import QuantizedTensor
from suanzi.tensor.device import Device, device_of
from suanzi.tensor.dtypes import float64
from suanzi.tensor.exchange import source
from suanzi.tensor.status import InvalidArgumentError


def _destination(call: Call, data: tuple[Any, ...]) -> Device:
    """Return the device that a caller names, or else the device of the data."""
    by_default = call.device is registry.default
    lying = [x for x in data if type(x) is DeviceTensor]
    if call.device is not None and not (by_default and lying):
        return device_of(call.device, call.name)
    for x in lying:
        if x.device != lying[0].device:
            text = f"{call.name}: operands on {lying[0].device} and {x.device}; to_device moves them"
            raise InvalidArgumentError(text)
    return lying[0].device


@rows("sparse_tensor")
def sparse_tensor(call: Call, device: Device) -> Any:
    """Make a sparse tensor. Host data is read by the CPU's rules, and the result is copied to the device."""
    data = (call.indices, call.values, call.indptr)
    there = _destination(call, data)
    if not any(type(x) is DeviceTensor for x in data):
        return call.builtin(*call.replaced(device=None)).to_device(there)
    rank = len(_core.read_shape(call.name, call.shape, 0))
    name, pointers = call.name, call.indptr
    indices = integers_of(call.indices, (0, rank) if pointers is None else (0,), name)
    if pointers is not None:
        pointers = integers_of(pointers, (0,), name).to_device(there)
    if type(call.values) is DeviceTensor:
        values = tensor(call.values, dtype=call.dtype, device=there)
    else:
        values = elements_of(call.values, call.dtype, name).to_device(there)
    named = {"indices": indices.to_device(there), "values": values, "indptr": pointers}
    return call.builtin(*call.replaced(**named, dtype=None, device=None))


@rows("quantized_tensor")
def quantized_tensor(call: Call, device: Device) -> QuantizedTensor:
    """Make a quantized tensor from real numbers or codes that are on a device or are copied to the device."""
    name, data, scale = call.name, call.data, call.scale
    there = _destination(call, (data, scale))
    if not any(type(x) is DeviceTensor for x in (data, scale)):
        return call.builtin(*call.replaced(device=None)).to_device(there)  # type: ignore[no-any-return]
    if type(scale) is DeviceTensor:
        scale = scale.to_device(there)
    if type(data) is DeviceTensor:
        data = data.to_device(there)
    elif data is not None:
        values, typed = source(data, name)
        check_real(name, values)
        data = (values if typed else _core.astype(values, float64, False)).to_device(there)
    return call.builtin(*call.replaced(data=data, scale=scale, device=None))  # type: ignore[no-any-return]


@rows("to_sparse", "quantize")
def by_its_body(call: Call, device: Device) -> Any:
    """Return NotImplemented, so that the CPU's Python implementation runs. The implementation's steps compute on the
    device.
    """
    return NotImplemented
