"""The table of devices, and the kinds of tensors on them.

This is the one place that knows: a function with a parameter ``device`` is called as if the device were one more
operand (native/python/dispatch.h), so no operator asks where its result is to lie. Who has devices of a type registers
a `Platform` for it, and a class of tensors with a `Table` of the rank `RANK`. The devices that PyTorch reaches are
those of `suanzi.devices`, which says so by `rest`.
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
# on a device, have a higher one.
RANK = 1


class Platform(NamedTuple):
    """The code that serves the devices of one type. Neither function is called before somebody asks for the devices."""

    devices: Callable[[], tuple[Device, ...]]  # the existing devices
    # The registered class of the tensors on a device. For one that is not there it may raise INVALID_ARGUMENT and say
    # why, in a message that begins with the operator.
    kind: Callable[[Device, str], type[Any]]


class Rest(NamedTuple):
    """Return the platform of a type that nobody has registered."""

    types: Callable[[], tuple[str, ...]]
    platform: Callable[[str], Platform | None]


_platforms: dict[str, Platform] = {}
rest: Rest | None = None  # one for all, which is asked last
default: Device | None = None  # the device for new tensors that name none; None: the CPU


_classes: list[type[Any]] = []  # loaded classes of dense tensors on devices
_told: list[Callable[[type[Any]], None]] = []


def add_class(kind: type[Any]) -> None:
    """Dense tensors on devices may be of this class from now on: who asked for classes hears of it."""
    _classes.append(kind)
    for tell in _told:
        tell(kind)


def tell_classes(tell: Callable[[type[Any]], None]) -> None:
    """Has a function called with each class of dense tensors on devices, now and whenever one is loaded."""
    _told.append(tell)
    for kind in _classes:
        tell(kind)


def register(type: str, platform: Platform) -> None:
    """Give the devices of this type to the platform."""
    if type == CPU.type or type in _platforms:
        raise InvalidArgumentError(f"register: devices of type {type} have a platform already")
    _platforms[type] = platform


def unregister(type: str) -> None:
    """Devices of this type are refused again. Tensors that lie there keep their kind."""
    del _platforms[type]


def available() -> tuple[Device, ...]:
    """The devices on which tensors can be made, the default one first."""
    types = (*_platforms, *(rest.types() if rest else ()))
    platforms = (_platform(type) for type in dict.fromkeys(types))
    return (CPU, *(device for platform in platforms if platform for device in platform.devices()))


def _platform(type: str) -> Platform | None:
    return _platforms.get(type) or (rest.platform(type) if rest else None)


def kind_of_device(device: DeviceLike, operator: str) -> Any:
    """The kind of the tensors on a device, None for the CPU's; INVALID_ARGUMENT where there is no such device."""
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
    """INVALID_ARGUMENT unless the device is there: for functions that make no tensor."""
    if device is not None:
        kind_of_device(device, operator)


def chosen(device: DeviceLike | None) -> DeviceLike | None:
    """The device that a caller names, or the default one: for functions that call others to make a tensor."""
    return default if device is None else device


def placed(x: Tensor, device: DeviceLike | None, operator: str, may_copy: bool = True) -> Tensor:
    """A tensor on the device that a caller names: itself where none is named, or where it lies there."""
    if device is None or x.device == device:
        return x
    check(device, operator)
    if not may_copy:
        raise InvalidArgumentError(f"{operator}: on {x.device}, not on {shown(device)} without a copy")
    return x.to_device(device)


_core.register_devices(kind_of_device)
