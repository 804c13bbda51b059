"""Devices (6.5), on which tensors are stored and computed. The module `kinds.devices` lists the existing devices."""

from __future__ import annotations

import re
from operator import index as as_integer

from suanzi._core import Tensor
from suanzi.tensor.messages import hint, shown
from suanzi.tensor.status import InvalidArgumentError

TYPES = ("cpu", "gpu", "npu", "fpga", "asic")  # the types in 6.5, which allows further types
_NAME = re.compile(r"[a-z][a-z0-9_]{0,30}")
_MOST = 10**9  # more than the number of devices of any type


def _number(text: str) -> int:
    """Return the index that digits denote, or -1 for other texts and for more digits than int() may accept."""
    return int(text) if text.isdecimal() and len(text) < len(str(_MOST)) else -1


def _ordinal(value: object) -> int:
    """Return the index that an integer denotes, or -1 for other objects."""
    try:
        return -1 if isinstance(value, bool) else as_integer(value)  # type: ignore[arg-type]
    except TypeError:
        return -1


def _parsed(type: object, index: object, operator: str) -> tuple[str, int]:
    """Return the type and the index of a device. `type` is a text that may contain the index."""
    name, colon, text = type.lower().partition(":") if isinstance(type, str) else ("", "", "")
    number = _number(text) if colon and index is None else _ordinal(0 if index is None else index)
    if not _NAME.fullmatch(name) or (colon and index is not None) or not 0 <= number < _MOST:
        text = shown(type) if index is None else f"{shown(type)}, {shown(index)}"
        known = ", ".join(TYPES)
        raise InvalidArgumentError(
            f"{operator}: {text} is not a type such as {known} with an index from 0{hint('device', '')}"
        )
    return name, number


class Device:
    """A device type and index (设备).

    Parameters
    ----------
    type : str
        ``"cpu"``, ``"gpu"``, ``"npu"``, ``"fpga"``, ``"asic"`` or another name of letters, digits and ``_``, in upper
        or lower case. The text may contain the index, as in ``"gpu:1"``. A `Device` may denote a device that the
        machine does not have. `suanzi.devices` lists the devices of the machine.
    index : int, optional
        The index of the device among the devices of the same type, from 0.

    Raises
    ------
    InvalidArgumentError
        The type is not a name, or the index is not a natural number.

    Examples
    --------
    >>> import suanzi
    >>> suanzi.Device("gpu:1") == suanzi.Device("gpu", 1)
    True
    """

    __slots__ = ("index", "type")

    type: str
    index: int

    def __init__(self, type: str, index: int | None = None) -> None:
        name, number = _parsed(type, index, "Device")
        object.__setattr__(self, "type", name)
        object.__setattr__(self, "index", number)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a Device does not change")

    def __eq__(self, other: object) -> bool:
        """Compare with a device or with the text of a device, as in ``x.device == "cpu"``."""
        if isinstance(other, Device):
            return (self.type, self.index) == (other.type, other.index)
        try:
            return isinstance(other, str) and (self.type, self.index) == _parsed(other, None, "Device")
        except InvalidArgumentError:
            return False

    def __hash__(self) -> int:
        return hash((self.type, self.index))

    def __repr__(self) -> str:
        return f"Device('{self}')"

    def __str__(self) -> str:
        return f"{self.type}:{self.index}"

    def __reduce__(self) -> tuple[object, tuple[str, int]]:
        return Device, (self.type, self.index)


CPU = Device("cpu")


def is_elsewhere(x: object) -> bool:
    """Return whether an object is a dense tensor on a device other than the CPU. The function reads the class, because
    `isinstance` counts tensors on all devices as `Tensor`.
    """
    return getattr(type(x), "lies_elsewhere", False)


def beside(x: Tensor) -> Device | None:
    """Return the argument `device` for a new tensor on the device of another tensor. None means the CPU."""
    return None if type(x) is Tensor else x.device


def device_of(named: Device | str, operator: str) -> Device:
    """Return the device that a caller names."""
    return named if isinstance(named, Device) else Device(*_parsed(named, None, operator))
