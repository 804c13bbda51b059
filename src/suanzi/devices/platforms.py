"""PyTorch's devices as ours: types of devices, names of back ends, and the missing part if there is none."""

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

# The back ends of PyTorch, by our types of devices: the first one that is there has them. ROCm is called cuda, too.
BACK_ENDS = {"gpu": ("cuda", "xpu", "mps"), "npu": ("npu", "musa", "mlu", "hpu")}
GROUP = "suanzi.devices"  # group of entry points: a type of device, and a function that returns names of back ends
_NEEDED = "PyTorch is not installed; pip install 'suanzi[gpu]' brings it"


def _chosen(type: str) -> str | None:
    """The back end that the environment puts in the place of a type's own: ``SUANZI_GPU=cpu``."""
    return os.environ.get(f"SUANZI_{type.upper()}") or None


@cache
def _others() -> dict[str, tuple[str, ...]]:
    """Types and back ends that other distributions add."""
    from importlib.metadata import entry_points  # this import is slow

    return {point.name: tuple(point.load()()) for point in entry_points(group=GROUP)}


def back_ends(type: str) -> tuple[str, ...]:
    """The names of the back ends that devices of a type may have."""
    chosen = _chosen(type)
    return (chosen,) if chosen else (*_others().get(type, ()), *BACK_ENDS.get(type, ()))


def _count(back_end: str) -> int:
    """The number of devices of a back end."""
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
    """The back end that has devices of a type, and how many; none of them where there is no such device."""
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
    """The devices of a type that are there."""
    return _devices(type, _found(type, back_ends(type))[1])


def same(device: Device, operator: str) -> Device:
    """The one object that stands for a device: tensors on it are told by it. INVALID_ARGUMENT where there is none."""
    there = available(device.type)
    if device.index < len(there):
        return there[device.index]
    raise InvalidArgumentError(f"{operator}: device {device} is not available: {missing(device)}")


def missing(device: Device) -> str:
    """The reason why a device is not there."""
    if find_spec("torch") is None:
        return _NEEDED
    there = available(device.type)
    if there:
        return f"there are {len(there)}, with the indices 0 to {len(there) - 1}"
    import torch

    names = " or ".join(back_ends(device.type)) or "no back end of this type"
    return f"PyTorch {torch.__version__} finds no device of {names}"


def there(device: Device) -> Any:
    """PyTorch's name of a device that is there."""
    import torch

    back_end, _ = _found(device.type, back_ends(device.type))
    return torch.device("cpu") if back_end == "cpu" else torch.device(back_end, device.index)


def here(place: Any) -> Device | None:
    """Our name of one of PyTorch's devices; None if no type has it."""
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
    """The platform of a type of which PyTorch may have devices."""
    if not back_ends(type):
        return None
    return Platform(lambda: available(type), _kind)


def types() -> tuple[str, ...]:
    """The types of which PyTorch may have devices."""
    return tuple(dict.fromkeys((*BACK_ENDS, *_others())))


def _imported(data: Any, operator: str) -> Any:
    """The tensor on the memory of an object of another library that lies on a device."""
    if find_spec("torch") is None:
        raise InvalidArgumentError(f"{operator}: the memory of a {type(data).__name__} lies on a device: {_NEEDED}")
    from suanzi.devices.creation import exported

    return exported(data, operator)


registry.rest = registry.Rest(types, platform_of)
exchange.from_device = _imported
