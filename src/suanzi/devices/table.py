"""The table of operators for tensors on devices, and the conversion of results to tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

import torch

from suanzi.devices import errors, front
from suanzi.devices.state import state_of, synchronous
from suanzi.devices.tensor import DeviceTensor, in_order, made
from suanzi.devices.types import HALVES, OURS, TORCH, converted, stored
from suanzi.kinds.call import Call
from suanzi.kinds.table import Table
from suanzi.tensor.device import CPU, Device
from suanzi.tensor.dtypes import DType, float32, float64
from suanzi.tensor.status import DimensionsMismatchError, InvalidArgumentError, TypeMismatchError

Implementation = Callable[[Call, Device], Any]


def _refuse_out(name: str) -> NoReturn:
    raise InvalidArgumentError(f"{name}: the operator has no parameter out")


TABLE = Table(lambda name, several: None, _refuse_out)


def rows(*names: str, family: str | tuple[str, ...] = (), out: bool = False) -> Callable[[Implementation], Any]:
    """Return a decorator that registers a function as the implementation of the named operators. The function also
    receives the device.

    Before a call, the table checks that the operands exist and are on one device. Errors of PyTorch become
    suanzi's errors.
    """

    def add(implementation: Implementation) -> Implementation:
        def carried_out(call: Call) -> Any:
            call = front.with_numbers(call)
            device = front.device_of_call(call)
            if device == CPU:
                return call.builtin(*call)
            state = state_of(device)
            state.last.append(call.name)
            result = errors.guarded(call, lambda call: implementation(call, device))
            if synchronous.on:
                state.wait()
            return result

        TABLE.rows(*names, family=family, several=True, out=out)(carried_out)
        return implementation

    return add


def finished(call: Call, t: torch.Tensor, device: Device, dtype: DType) -> DeviceTensor:
    """Return a computed result as a tensor of the given type, or write the result into `out`."""
    data = t if wider(call, dtype) else stored(t, TORCH[dtype])
    return laid(call, made(data, device, dtype)) if call.out is None else into(call, data)


def wider(call: Call, dtype: DType) -> DType | None:
    """Return the type in which a result for `out` is computed, if this type is wider than the type of the result.

    A float16 or bfloat16 result becomes another floating or complex type without a first rounding, unless the call
    names the result's type.
    """
    out = call.out
    if type(out) is not DeviceTensor or TORCH[dtype] not in HALVES or getattr(call, "dtype", None) is not None:
        return None
    if out.dtype is dtype or out.dtype.kind not in "fc":
        return None
    return float32 if out.dtype is float32 else float64


def laid(call: Call, x: DeviceTensor) -> DeviceTensor:
    """Return the elements of a new tensor in the memory order of the CPU's result. PyTorch's functions do not keep the
    CPU's memory order.
    """
    if all(operand.data.is_contiguous() for operand in front.dense_operands(call)):
        return x if x.data.is_contiguous() else in_order(x, None)
    order = front.order(call)
    return in_order(x, order if len(order) == x.ndim else None)


def check_place(name: str, out: Any, shape: tuple[int, ...]) -> None:
    """Raise an error if a result of a given shape cannot be written into `out`."""
    if type(out) is not DeviceTensor:
        raise TypeMismatchError(f"{name}: out is a {type(out).__name__}, not a tensor on the device")
    if out.shape != shape:
        raise DimensionsMismatchError(f"{name}: out has shape {out.shape}, but the result has shape {shape}")
    if any(stride == 0 and extent > 1 for stride, extent in zip(out.stride(), out.shape, strict=True)):
        raise InvalidArgumentError(f"{name}: elements of out share memory (out is an expanded view)")


def into(call: Call, data: torch.Tensor) -> Any:
    """Write a result into the call's `out` and return `out`. Raise an error if `out` has another shape or is not on a
    device.
    """
    out = call.out
    check_place(call.name, out, tuple(data.shape))
    if out.dtype is not OURS[data.dtype]:
        front.check_out(out.dtype, OURS[data.dtype])
    if out.data.data_ptr() == data.data_ptr():
        data = data.clone()
    out.data.copy_(converted(data, out.data.dtype))
    return out
