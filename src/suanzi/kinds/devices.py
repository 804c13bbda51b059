"""The table of devices, and the kinds of tensors on devices.

Outside this module, no code checks the types of devices. A function with a parameter ``device`` is called as if the
device were one more operand (native/python/dispatch.h). Therefore no operator contains code that chooses the device of
its result. The code for a type of devices registers a `Platform`, and a class of tensors with a `Table` of rank `RANK`.
`suanzi.devices` implements the devices that PyTorch supports, and registers itself as `rest`, the source of platforms
for all other types.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from suanzi import _core
from suanzi._core import Tensor
from suanzi.operators.arguments import DeviceLike
from suanzi.tensor.device import CPU, Device, device_of
from suanzi.tensor.messages import hint, shown
from suanzi.tensor.status import InvalidArgumentError

# The rank of tables for tensors on devices. The tables of sparse and quantized tensors, whose values and codes may be
# on a device, have higher ranks.
RANK = 1


class Platform(NamedTuple):
    """The code for devices of one type. No function of the platform is called before a program uses the devices."""

    devices: Callable[[], tuple[Device, ...]]  # the existing devices
    # A function that returns the registered class of the tensors on a device. For a missing device the function may
    # raise INVALID_ARGUMENT with the reason, in a message that begins with the operator.
    kind: Callable[[Device, str], type[Any]]


class Rest(NamedTuple):
    """The source of platforms for all types of devices that are not registered."""

    types: Callable[[], tuple[str, ...]]
    platform: Callable[[str], Platform | None]


_platforms: dict[str, Platform] = {}
rest: Rest | None = None  # the source of platforms for types that are not registered
default: Device | None = None  # the device of new tensors without a named device; None is the CPU


_classes: list[type[Any]] = []  # loaded classes of dense tensors on devices
_told: list[Callable[[type[Any]], None]] = []


def add_class(kind: type[Any]) -> None:
    """Add a class of dense tensors on devices, and call the functions of `tell_classes` with this class."""
    _classes.append(kind)
    for tell in _told:
        tell(kind)


def tell_classes(tell: Callable[[type[Any]], None]) -> None:
    """Call a function with each class of dense tensors on devices, now and whenever a further class is loaded."""
    _told.append(tell)
    for kind in _classes:
        tell(kind)


def register(type: str, platform: Platform) -> None:
    """Let the platform serve the devices of a given type."""
    if type == CPU.type or type in _platforms:
        raise InvalidArgumentError(f"register: devices of type {type} have a platform already")
    _platforms[type] = platform


def unregister(type: str) -> None:
    """Remove the platform of a given type, so that functions refuse devices of the type. Existing tensors keep their
    kind.
    """
    del _platforms[type]


def available() -> tuple[Device, ...]:
    """Return the devices on which tensors can be made, the CPU first."""
    types = (*_platforms, *(rest.types() if rest else ()))
    platforms = (_platform(type) for type in dict.fromkeys(types))
    return (CPU, *(device for platform in platforms if platform for device in platform.devices()))


def _platform(type: str) -> Platform | None:
    return _platforms.get(type) or (rest.platform(type) if rest else None)


def kind_of_device(device: DeviceLike, operator: str) -> Any:
    """Return the kind of the tensors on a device, or None for the CPU. Raise INVALID_ARGUMENT for a missing device."""
    if device is CPU:
        return None
    named = device if isinstance(device, Device) else device_of(device, operator)
    if named == CPU:
        return None
    platform = _platform(named.type)
    if platform is not None:
        kind = platform.kind(named, operator)
        if named in platform.devices():
            return kind.__suanzi_call__
    why = "" if platform else ": nothing that is installed has devices of this type"
    raise InvalidArgumentError(f"{operator}: device {named} is not available{why}{hint('device', named.type)}")


def check(device: DeviceLike | None, operator: str) -> None:
    """Raise INVALID_ARGUMENT if the device is not None and does not exist. Functions that do not make a tensor use this
    check.
    """
    if device is not None:
        kind_of_device(device, operator)


def chosen(device: DeviceLike | None) -> DeviceLike | None:
    """Return `device`, or the default device if `device` is None. A function that makes a tensor by a call of another
    function passes the result of `chosen` to the called function.
    """
    return default if device is None else device


def placed(x: Tensor, device: DeviceLike | None, operator: str, may_copy: bool = True) -> Tensor:
    """Return the tensor on the device that a caller names.

    The function returns the tensor itself if no device is named, or if the named device already stores the tensor.
    """
    if device is None or x.device == device:
        return x
    check(device, operator)
    if not may_copy:
        raise InvalidArgumentError(f"{operator}: on {x.device}, not on {shown(device)} without a copy")
    return x.to_device(device)


_core.register_devices(kind_of_device)
