"""DLPack through NumPy. Elements of bfloat16 are exchanged as uint16, because NumPy lacks bfloat16.

The module changes only the type code of the capsule.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

# Codes of element types: DLDataTypeCode in dlpack.h.
UNSIGNED, BFLOAT = 1, 4
# The distance in bytes from the start of the managed tensor to the type code. DLTensor is the first member of
# DLManagedTensor, and follows version, context, deleter and flags in DLManagedTensorVersioned.
_CODE_AT = {"dltensor": 20, "dltensor_versioned": 52}
_BITS_AFTER_CODE = 1


def relabel(capsule: Any, old: int, new: int) -> bool:
    """Replace the type code of 16-bit elements in an unconsumed capsule. Return whether the code was replaced."""
    import ctypes

    api = ctypes.pythonapi
    api.PyCapsule_GetName.restype = ctypes.c_char_p
    api.PyCapsule_GetName.argtypes = [ctypes.py_object]
    api.PyCapsule_GetPointer.restype = ctypes.c_void_p
    api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    name = api.PyCapsule_GetName(capsule)
    at = api.PyCapsule_GetPointer(capsule, name) + _CODE_AT[name.decode()]
    code = ctypes.c_uint8.from_address(at)
    if (code.value, ctypes.c_uint8.from_address(at + _BITS_AFTER_CODE).value) != (old, 16):
        return False
    code.value = new
    return True


class _Relabelled:
    """A DLPack exporter whose bfloat16 tensors arrive as uint16."""

    def __init__(self, exporter: Any) -> None:
        self.exporter = exporter
        self.is_bfloat16 = False

    def __dlpack__(self, **options: Any) -> Any:
        capsule = self.exporter.__dlpack__(**options)
        self.is_bfloat16 = relabel(capsule, BFLOAT, UNSIGNED)
        return capsule

    def __dlpack_device__(self) -> Any:
        return self.exporter.__dlpack_device__()


def _is_of_torch(data: Any) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(data, torch.Tensor)


def resolved(data: Any) -> Any:
    """Return a copy of a PyTorch tensor whose elements are the conjugates or the negatives of the numbers in memory.
    Return other objects unchanged.
    """
    return data.resolve_conj().resolve_neg() if _is_of_torch(data) else data


def import_array(exporter: Any) -> np.ndarray[Any, Any]:
    """Return the memory of an object with ``__dlpack__`` as a NumPy array, without a copy."""
    if _is_of_torch(exporter) and exporter.is_neg():  # PyTorch itself refuses only the conjugate bit
        raise BufferError("the negative bit is set; resolve_neg() returns a tensor without the bit")
    try:
        return np.from_dlpack(exporter)
    except (BufferError, RuntimeError):  # NumPy lacks the type, or the code below raises the same error
        pass
    wrapped = _Relabelled(exporter)
    array = np.from_dlpack(wrapped)
    if not wrapped.is_bfloat16:
        return array
    import ml_dtypes

    return array.view(ml_dtypes.bfloat16)
