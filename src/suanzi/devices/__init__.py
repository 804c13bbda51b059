"""The devices that PyTorch supports, and the tensors on these devices.

``suanzi.devices()`` lists the devices. PyTorch is loaded when a program first uses a device, not before.
"""

from __future__ import annotations

import os
import sys
from types import ModuleType

from suanzi import _core
from suanzi.devices import platforms
from suanzi.kinds import devices as registry
from suanzi.tensor.absent import attributes_of
from suanzi.tensor.defaults import Before, Setting
from suanzi.tensor.device import CPU, Device, device_of
from suanzi.tensor.messages import shown
from suanzi.tensor.status import InvalidArgumentError

_ON = ("1", "true", "yes", "on")


def devices() -> tuple[Device, ...]:
    """Return the devices on which tensors can be made, the CPU first.

    Returns
    -------
    tuple of Device

    Examples
    --------
    >>> import suanzi
    >>> suanzi.devices()[0]
    Device('cpu:0')
    """
    return registry.available()


def synchronize(device: Device | str | None = None) -> None:
    """Wait until the devices have finished their work, and raise the errors of earlier calls.

    Parameters
    ----------
    device : Device or str, optional
        The device to wait for, by default all devices that have been used.

    Raises
    ------
    InvalidArgumentError
        `device` is not available.
    OutOfRangeError
        An index of an earlier call was outside its range. The message names the operator of that call.
    InternalError
        A device reports another failure of an earlier call.

    Examples
    --------
    >>> import suanzi
    >>> suanzi.synchronize()
    """
    if device is not None:
        registry.check(device, "synchronize")
    if "suanzi.devices.state" not in sys.modules:
        return  # no device has been used
    from suanzi.devices.state import states

    wanted = None if device is None else device_of(device, "synchronize")
    for state in states():
        if wanted is None or state.device == wanted:
            state.wait()


def _set(device: Device | None) -> None:
    registry.default = device
    _core.set_default_device(device)


_default = Setting[Device | None](lambda: registry.default, _set)


def set_default_device(device: Device | str | None) -> Before[Device | None]:
    """Choose the device of new tensors, for calls that name no device and make no tensor like another tensor.

    The default device applies to all threads and tasks of the process, also during a ``with`` block. If blocks of
    several threads or tasks overlap, the block that began last sets the device.

    Parameters
    ----------
    device : Device, str or None
        The new default device. None means the CPU.

    Returns
    -------
    context manager
        The end of its ``with`` block restores the previous default. Without ``with``, the new default stays.

    Raises
    ------
    InvalidArgumentError
        `device` is not available.

    Examples
    --------
    >>> import suanzi
    >>> with suanzi.set_default_device("cpu"):
    ...     suanzi.zeros(2).device
    Device('cpu:0')
    """
    if device is None or device == CPU:
        return _default.change(None)
    registry.check(device, "set_default_device")
    named = device_of(device, "set_default_device")
    return _default.change(Device(named.type, named.index))  # a new object, unlike the device that a call names


def default_device() -> Device:
    """Return the device on which tensors are made if a call names no device."""
    return registry.default or CPU


def set_synchronous(on: bool) -> None:
    """Set whether each call waits for its device, so that the failing call raises its own error.
    The environment variable ``SUANZI_DEVICE_SYNC=1`` has the same effect from the start.
    """
    _core.read_truth("set_synchronous", "on", on)
    from suanzi.devices.serving import set_synchronous as switch

    switch(on)


def set_functions(mode: str) -> None:
    """Choose how devices compute the mathematical functions of float32 (``exp``, ``sin``, …).

    Parameters
    ----------
    mode : {"vendor", "correct"}
        "vendor", the default, uses the functions of the device's maker. The results may be off in the last places.
        "correct" computes in float64 and rounds. The results next to the middle of two float32 numbers come from a
        table. Consider the functions of one operand whose float32 results the CPU rounds correctly. With "correct",
        these functions return the CPU's results if the device's float64 functions are off by at most 3 units in the
        last place. Functions of two operands (`pow`, `atan2`) and Triton kernels of fused functions do not use the
        table. About one of their results in 10⁸ differs from the CPU's result. The mode "correct" is cheap only on a
        device with fast float64, and fails on a device without float64.

    Raises
    ------
    InvalidArgumentError
        `mode` is neither "vendor" nor "correct".
    """
    if mode not in ("vendor", "correct"):
        raise InvalidArgumentError(f"set_functions: {shown(mode)} is not one of 'vendor', 'correct'")
    from suanzi.devices.serving import set_functions as switch

    switch(mode)


class _Devices(ModuleType):
    """The class of the package `suanzi.devices`. A call of the package lists the devices."""

    def __call__(self) -> tuple[Device, ...]:
        return devices()


sys.modules[__name__].__class__ = _Devices


def starts_synchronous() -> bool:
    """Return whether the environment requires each call to wait for its device."""
    return os.environ.get("SUANZI_DEVICE_SYNC", "").lower() in _ON


__all__ = [
    "Device", "default_device", "devices", "platforms", "set_default_device", "set_functions", "set_synchronous",
    "synchronize",
]  # fmt: skip
__getattr__ = attributes_of(__name__)
