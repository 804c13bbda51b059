"""NumPy's and DLPack's protocols on Tensor, and import by DLPack.

Memory itself is exchanged in tensor.exchange; the buffer protocol is native.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from suanzi._core import Tensor
from suanzi.operators.creation.data import from_reference, tensor
from suanzi.tensor import dlpack
from suanzi.tensor.dtypes import bfloat16, string
from suanzi.tensor.exchange import Array, array_of
from suanzi.tensor.status import TypeMismatchError

_DLPACK_CPU = (1, 0)  # kDLCPU in dlpack.h, and the index


def numpy(x: Tensor) -> Array:
    """The tensor as a NumPy array on the same memory; bfloat16 as ml_dtypes' type.

    Strings are copied into NumPy's ``StringDType``, before NumPy 2 into an array of objects.

    Examples
    --------
    >>> import suanzi
    >>> x = suanzi.zeros(2)
    >>> x.numpy()[0] = 5
    >>> print(x)
    [5. 0.]
    """
    return array_of(x)


def array(x: Tensor, dtype: Any = None, copy: bool | None = None) -> Array:
    """``numpy.asarray(x)`` and ``numpy.array(x)``: shared unless `dtype` or `copy` ask for a copy, or are strings."""
    shared = array_of(x)
    if x.dtype is string and copy is False:
        raise ValueError("__array__: strings cannot become an array without a copy")
    if dtype is None or shared.dtype == dtype:
        return shared.copy() if copy else shared
    if copy is False:
        raise ValueError(f"__array__: {x.dtype} cannot become {np.dtype(dtype)} without a copy")
    return shared.astype(dtype)


def to_dlpack(
    x: Tensor,
    *,
    stream: Any = None,
    max_version: tuple[int, int] | None = None,
    dl_device: tuple[int, int] | None = None,
    copy: bool | None = None,
) -> Any:
    """A DLPack capsule on the tensor's memory."""
    if x.dtype is string:
        raise TypeMismatchError("__dlpack__: DLPack has no strings")
    shared = array_of(x)
    carrier = shared.view(np.uint16) if x.dtype is bfloat16 else shared
    capsule = carrier.__dlpack__(stream=stream, max_version=max_version, dl_device=dl_device, copy=copy)
    if x.dtype is bfloat16:
        dlpack.relabel(capsule, dlpack.UNSIGNED, dlpack.BFLOAT)
    return capsule


def dlpack_device(x: Tensor) -> tuple[int, int]:
    """DLPack's name of the CPU."""
    return _DLPACK_CPU


def from_dlpack(x: Any, /, *, copy: bool | None = None) -> Tensor:
    """A tensor from any object with ``__dlpack__``, on the same memory unless a copy is asked for.

    Parameters
    ----------
    x : object
        Of any library that speaks DLPack; on the CPU.
    copy : bool, optional
        True: always copy. Otherwise never.

    Returns
    -------
    Tensor

    Raises
    ------
    InvalidArgumentError
        The memory cannot be shared, or lies on another device.

    Examples
    --------
    >>> import numpy, suanzi
    >>> suanzi.from_dlpack(numpy.arange(3))
    tensor([0, 1, 2], dtype=int64)
    """
    return tensor(x) if copy else from_reference(x)


for _name, _attribute in {
    "numpy": numpy,
    "__array__": array,
    "__array_priority__": 1000,  # an ndarray leaves its operators with a tensor to the tensor
    "__dlpack__": to_dlpack,
    "__dlpack_device__": dlpack_device,
}.items():
    setattr(Tensor, _name, _attribute)
