"""The mapping between suanzi's types of devices and PyTorch's back ends, and the reasons why a device is missing."""

from __future__ import annotations

import os
from functools import cache
from importlib.util import find_spec
from typing import Any

from suanzi.kinds import devices as registry
from suanzi.kinds.devices import Platform
from suanzi.tensor import exchange
from suanzi.tensor.device import Device
from suanzi.tensor.status import InvalidArgumentError

# PyTorch's back ends for each type of device. Suanzi uses the first back end that has devices. PyTorch also uses the
# name cuda for ROCm.
BACK_ENDS = {"gpu": ("cuda", "xpu", "mps"), "npu": ("npu", "musa", "mlu", "hpu")}
# The entry points of this group are named after a type of device, and load functions that return names of back ends.
GROUP = "suanzi.devices"
_NEEDED = "PyTorch is not installed; pip install 'suanzi[gpu]' installs PyTorch"


def _chosen(type: str) -> str | None:
    """Return the back end that an environment variable, as in ``SUANZI_GPU=cpu``, sets in place of a type's own back
    end.
    """
    return os.environ.get(f"SUANZI_{type.upper()}") or None


@cache
def _others() -> dict[str, tuple[str, ...]]:
    """Return the types and back ends that other distributions add."""
    from importlib.metadata import entry_points  # this import is slow

    return {point.name: tuple(point.load()()) for point in entry_points(group=GROUP)}


def back_ends(type: str) -> tuple[str, ...]:
    """Return the names of PyTorch's back ends that may serve a type of device."""
    chosen = _chosen(type)
    return (chosen,) if chosen else (*_others().get(type, ()), *BACK_ENDS.get(type, ()))


def _count(back_end: str) -> int:
    """Return the number of devices of a back end."""
    import torch

    if back_end == "cpu":
        return 1
    module: Any = getattr(torch, back_end, None)
    if back_end == "mps":
        module = torch.backends.mps
    if module is None or not module.is_available():
        return 0
    return int(module.device_count()) if hasattr(module, "device_count") else 1


@cache
def _found(type: str, candidates: tuple[str, ...]) -> tuple[str, int]:
    """Return the back end that serves a type of device and its number of devices, which is 0 if no back end has
    devices.
    """
    if find_spec("torch") is None:
        return "", 0
    for back_end in candidates:
        if (count := _count(back_end)) > 0:
            return back_end, count
    return "", 0


@cache
def _devices(type: str, count: int) -> tuple[Device, ...]:
    return tuple(Device(type, i) for i in range(count))


def available(type: str) -> tuple[Device, ...]:
    """Return the existing devices of a type."""
    return _devices(type, _found(type, back_ends(type))[1])


def same(device: Device, operator: str) -> Device:
    """Return the unique object that represents a device. The function raises INVALID_ARGUMENT if the device does not
    exist.
    """
    there = available(device.type)
    if device.index < len(there):
        return there[device.index]
    raise InvalidArgumentError(f"{operator}: device {device} is not available: {missing(device)}")


def missing(device: Device) -> str:
    """Return the reason why a device does not exist."""
    if find_spec("torch") is None:
        return _NEEDED
    there = available(device.type)
    if there:
        return f"there are {len(there)}, with the indices 0 to {len(there) - 1}"
    import torch

    names = " or ".join(back_ends(device.type)) or "no back end of this type"
    return f"PyTorch {torch.__version__} finds no device of {names}"


def there(device: Device) -> Any:
    """Return the `torch.device` of an existing device."""
    import torch

    back_end, _ = _found(device.type, back_ends(device.type))
    return torch.device("cpu") if back_end == "cpu" else torch.device(back_end, device.index)


def here(place: Any) -> Device | None:
    """Return suanzi's name of one of PyTorch's devices, or None if no type includes the device."""
    for type in {*BACK_ENDS, *_others()}:
        back_end, count = _found(type, back_ends(type))
        index = place.index or 0
        if count and place.type == back_end and index < count:
            return available(type)[index]
    return None


def _kind(device: Device, operator: str) -> type[Any]:
    same(device, operator)
    from suanzi.devices.serving import DeviceTensor

    return DeviceTensor


def platform_of(type: str) -> Platform | None:
    """Return the platform of a type of device that PyTorch may serve."""
    if not back_ends(type):
        return None
    return Platform(lambda: available(type), _kind)


def types() -> tuple[str, ...]:
    """Return the types of devices that PyTorch may serve."""
    return tuple(dict.fromkeys((*BACK_ENDS, *_others())))


def _imported(data: Any, operator: str) -> Any:
    """Return a tensor that shares the memory of another library's object on a device."""
    if find_spec("torch") is None:
        raise InvalidArgumentError(f"{operator}: the memory of a {type(data).__name__} is on a device: {_NEEDED}")
    from suanzi.devices.creation import exported

    return exported(data, operator)


registry.rest = registry.Rest(types, platform_of)
exchange.from_device = _imported
