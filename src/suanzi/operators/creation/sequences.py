"""Tensors of evenly spaced numbers (7.2.1, 张量创建与销毁)."""

from __future__ import annotations

from suanzi import _core
from suanzi._core import Tensor
from suanzi.operators.arguments import DeviceLike
from suanzi.operators.operands import Scalar
from suanzi.operators.registry import operator
from suanzi.tensor.dtypes import DTypeLike

_ALLOCATES = ("TYPE_MISMATCH", "INVALID_ARGUMENT", "INTERNAL_ERROR")
_HOLDS_VALUE = (*_ALLOCATES, "OUT_OF_RANGE")


@operator("", _HOLDS_VALUE, family="creation", core=_core.arange)
def arange(
    start: Scalar,
    stop: Scalar | None = None,
    step: Scalar = 1,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
) -> Tensor:
    """Evenly spaced numbers from a first number up to a limit (以数字序列创建稠密张量).

    Parameters
    ----------
    start : scalar
        The first number. Without `stop`, `start` is the limit, and the first number is 0.
    stop : scalar, optional
        The limit, which is not in the sequence. A complex limit must be on the line from `start` along `step`.
    step : scalar, optional
        The difference between neighbouring numbers, which is not 0.
    dtype : DType, optional
        Any numeric type. The default is float32 unless `set_default_dtype` sets another type. float32 holds all
        integers up to 2^24 = 16777216. If `start`, `stop` and `step` are integers, the default type must hold each
        number exactly. Otherwise the status is OUT_OF_RANGE. ``dtype="int64"`` holds the numbers, and
        ``dtype="float32"`` rounds the numbers. Integer types accept only numbers without a fraction. The status is also
        OUT_OF_RANGE if a floating or complex type does not hold the bounds or the step, or if a type does not hold an
        element.
    device : Device, optional
        The device of the tensor, by default the CPU unless `set_default_device` sets another device.

    Returns
    -------
    Tensor
        A vector of ``ceil((stop - start) / step)`` elements, or of no elements if the quotient is negative. For complex
        arguments, the quotient must be real, except for rounding errors.

    Examples
    --------
    >>> import suanzi
    >>> suanzi.arange(1, 10, 3)
    tensor([1., 4., 7.])
    >>> suanzi.arange(16777216, 16777219, dtype="int64")
    tensor([16777216, 16777217, 16777218], dtype=int64)
    """


@operator("", _HOLDS_VALUE, family="creation", core=_core.linspace)
def linspace(
    start: Scalar,
    stop: Scalar,
    num: int,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
) -> Tensor:
    """Evenly spaced numbers from `start` to `stop`, including both ends (创建线性空间均匀分布稠密张量).

    Parameters
    ----------
    start, stop : scalar
        The first and the last number. The status is INVALID_ARGUMENT if the type does not hold both numbers as finite
        numbers. The status is OUT_OF_RANGE if the default type does not hold an integer `start` or `stop` exactly. If
        `num` is 1, the only element is `start`.
    num : int
        The number of elements.
    dtype : DType, optional
        A floating or complex type, by default float32 unless `set_default_dtype` sets another type.
    device : Device, optional
        The device of the tensor, by default the CPU unless `set_default_device` sets another device.

    Returns
    -------
    Tensor
        A vector of `num` elements.

    Examples
    --------
    >>> import suanzi
    >>> suanzi.linspace(0, 1, 5)
    tensor([0.  , 0.25, 0.5 , 0.75, 1.  ])
    """
