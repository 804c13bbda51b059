"""Devices (6.5): where a tensor lies and is computed with. The CPU is the only one so far."""

from __future__ import annotations

from suanzi.tensor.status import InvalidArgumentError

TYPES = ("cpu", "gpu", "npu", "fpga", "asic")
_LONGEST_INDEX = 10  # digits; int() refuses a text of some thousand


class Device:
    """A device type and index.

    Parameters
    ----------
    type : str
        ``"cpu"``, ``"gpu"``, ``"npu"``, ``"fpga"`` or ``"asic"``, with an index in the text if
        wanted: ``"gpu:1"``.
    index : int, optional
        Which of several devices of the type, from 0.

    Raises
    ------
    InvalidArgumentError
        The type is none of these, or the index is no natural number.

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
        name, colon, number = type.partition(":") if isinstance(type, str) else ("", "", "")
        if colon and index is None and number.isdecimal() and len(number) < _LONGEST_INDEX:
            colon, index = "", int(number)
        if name not in TYPES or colon or not isinstance(index or 0, int) or (index or 0) < 0:
            text = repr(type) if index is None else f"{type!r}, {index!r}"
            raise InvalidArgumentError(f"Device: {text} is not one of {', '.join(TYPES)} with an index from 0")
        object.__setattr__(self, "type", name)
        object.__setattr__(self, "index", index or 0)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a Device does not change")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Device) and (self.type, self.index) == (other.type, other.index)

    def __hash__(self) -> int:
        return hash((self.type, self.index))

    def __repr__(self) -> str:
        return f"Device('{self}')"

    def __str__(self) -> str:
        return f"{self.type}:{self.index}"

    def __reduce__(self) -> tuple[object, tuple[str, int]]:
        return Device, (self.type, self.index)


CPU = Device("cpu")


def require_cpu(device: Device | str | None, operator: str) -> None:
    """INVALID_ARGUMENT unless the device is the CPU, the default."""
    if device is None or device is CPU:
        return
    wanted = device if isinstance(device, Device) else Device(device)
    if wanted != CPU:
        raise InvalidArgumentError(f"{operator}: device {wanted} is not available")
