"""The functions that describe the namespace `suanzi.array_api`."""

from __future__ import annotations

from suanzi import _core
from suanzi.array_api.data_types import KINDS, kinds_of, types_of
from suanzi.array_api.defaults import COMPLEX, FLOATING, INTEGER
from suanzi.kinds import devices
from suanzi.operators.arguments import DeviceLike
from suanzi.tensor.device import CPU, Device
from suanzi.tensor.dtypes import DType


class Info:
    """The result of `__array_namespace_info__`: the capabilities, devices and types of Suanzi."""

    def capabilities(self) -> dict[str, bool | int | None]:
        """Return the supported data-dependent operations, and the greatest number of dimensions of a tensor."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": _core.max_rank}

    def default_device(self) -> Device:
        """Return the default device: the CPU, unless the program has set another device."""
        return devices.default or CPU

    def devices(self) -> tuple[Device, ...]:
        """Return the devices on which tensors can be created."""
        return devices.available()

    def default_dtypes(self, *, device: DeviceLike | None = None) -> dict[str, DType]:
        """Return, for each kind of numbers, the type of tensors that are created without a type."""
        devices.check(device, "default_dtypes")
        return {"real floating": FLOATING, "complex floating": COMPLEX, "integral": INTEGER, "indexing": INTEGER}

    def dtypes(
        self, *, device: DeviceLike | None = None, kind: str | tuple[str, ...] | None = None
    ) -> dict[str, DType]:
        """Return the array API's types by name: all types, or the types of one or several kinds (see `isdtype`)."""
        devices.check(device, "dtypes")
        asked = KINDS if kind is None else (kind,) if isinstance(kind, str) else kind
        return types_of(tuple(one for name in asked for one in kinds_of(name, "dtypes")))


def namespace_info() -> Info:
    """Return the inspection functions of the array API.

    Examples
    --------
    >>> from suanzi import array_api as xp
    >>> xp.__array_namespace_info__().default_dtypes()["real floating"]
    suanzi.float64
    """
    return Info()
