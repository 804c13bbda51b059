"""The types of common arguments of operators, and operands of any kind.

The core reads all arguments (native/python/arguments.h). Python code uses the core's functions ``read_…``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from suanzi import _core
from suanzi._core import Tensor
from suanzi.tensor.device import Device
from suanzi.tensor.layout import Layout
from suanzi.tensor.status import UninitializedObjectError

Shape: TypeAlias = int | Sequence[int]
Axes: TypeAlias = int | Sequence[int] | None
DeviceLike: TypeAlias = Device | str
LayoutLike: TypeAlias = Layout | Sequence[int]


def operand_of(x: Any, operator: str) -> Tensor:
    """Return a tensor of any kind, including classes with their own implementation of calls (`__suanzi_call__`).

    The returned tensor has the attributes of a shape, and accepts keys that change the shape.
    """
    if type(x) is not Tensor and hasattr(type(x), "__suanzi_call__"):
        try:
            _ = x.shape
        except UninitializedObjectError:
            raise UninitializedObjectError(f"{operator}: the tensor has been destroyed") from None
        return x  # type: ignore[no-any-return]
    return _core.read_tensor(operator, x)
