"""The types of arguments that many operators accept, and a function that checks operands of any kind.

The core reads all arguments (native/python/arguments.h). Python code that reads arguments calls the core's functions
``read_…``.
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
    """Return `x` if `x` is a tensor of any kind and not destroyed, or raise an error.

    Objects of a class with `__suanzi_call__` also count as tensors. The returned tensor has the attributes that
    describe the shape, and accepts index keys that change only the shape.
    """
    if type(x) is not Tensor and hasattr(type(x), "__suanzi_call__"):
        try:
            _ = x.shape
        except UninitializedObjectError:
            raise UninitializedObjectError(f"{operator}: the tensor has been destroyed") from None
        return x  # type: ignore[no-any-return]
    return _core.read_tensor(operator, x)
