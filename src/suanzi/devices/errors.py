"""Conversion of PyTorch's errors to suanzi's statuses."""

from __future__ import annotations

import gc
import traceback
from collections.abc import Callable
from typing import Any

import torch

from suanzi.devices import front
from suanzi.devices.state import last
from suanzi.kinds.call import Call
from suanzi.tensor.status import (
    AllocFailedError,
    InternalError,
    OutOfRangeError,
    SuanziError,
    TypeMismatchError,
)

# Parts of messages about a lack of memory, for which PyTorch and device libraries have no common class of errors.
_NO_MEMORY = (
    "allocate memory",
    "not enough memory",
    "out of memory",
    "Storage size calculation overflowed",
    "can't allocate",
)
_NO_KERNEL = ("not implemented for", "is not supported", "not supported", "Could not run")
_FORKED = "forked subprocess"
_LOST = ("CUDA error", "HIP error", "device-side assert", "NPU function error")


def is_short_of_memory(error: BaseException) -> bool:
    """Return whether an error says that memory ran out."""
    if isinstance(error, (torch.OutOfMemoryError, MemoryError)):
        return True
    return isinstance(error, RuntimeError) and any(words in str(error) for words in _NO_MEMORY)


def is_late(error: BaseException) -> bool:
    """Return whether an error is a device's report of a failure of an earlier call."""
    if isinstance(error, getattr(torch, "AcceleratorError", ())):
        return True
    return isinstance(error, RuntimeError) and any(words in str(error) for words in _LOST)


def again(error: Exception, slow: Callable[..., Any], *arguments: Any) -> Any:
    """Repeat a failed call of a fast function by the general function `slow`, and return the result. Raise an error at
    once if the device reported the failure of another call.
    """
    if is_late(error):
        raise explained(slow.__name__, error) from None
    return slow(*arguments)


def explained(name: str, error: Exception, call: Call | None = None) -> SuanziError:
    """Convert an error of PyTorch to the error that the CPU raises for the call, or else to an error with a fitting
    status.
    """
    if isinstance(error, SuanziError):
        return error
    text = str(error).partition("\n")[0]
    if is_short_of_memory(error):
        return AllocFailedError(f"{name}: {text}")
    if _FORKED in text:
        return InternalError(f"{name}: {text}: start processes that use a device by spawn")
    if is_late(error):
        names = ", ".join(reversed(dict.fromkeys(reversed(last))))
        after = f" after {names}" if names else ""
        return InternalError(f"{name}: {text}{after}; the device's context is lost: start a new process")
    if call is not None and (ours := front.complaint(call)) is not None:
        return ours
    if isinstance(error, IndexError):
        return OutOfRangeError(f"{name}: {text}")
    if isinstance(error, NotImplementedError) or any(words in text for words in _NO_KERNEL):
        return TypeMismatchError(f"{name}: PyTorch: {text}")
    return InternalError(f"{name}: {type(error).__name__}: {text}")


def guarded(call: Call, compute: Callable[[Call], Any]) -> Any:
    """Return the result of `compute` for a call. If memory is short, free unused memory and repeat the computation
    once.
    """
    return _attempted(call.name, call, lambda: compute(call))


def guarded_part(name: str, compute: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    """Return the result of `compute`, the device version of a function of the core. The operator that calls the
    function has checked the arguments. Memory errors are handled as in `guarded`.
    """
    return _attempted(name, None, lambda: compute(*arguments))


def _attempted(name: str, call: Call | None, compute: Callable[[], Any]) -> Any:
    try:
        return compute()
    except SuanziError:
        raise
    except Exception as error:
        if not is_short_of_memory(error):
            raise explained(name, error, call) from None
        traceback.clear_frames(error.__traceback__)  # the frames hold the tensors of the failed call
    freed()
    try:
        return compute()
    except SuanziError:
        raise
    except Exception as error:
        traceback.clear_frames(error.__traceback__)
        raise explained(name, error, call) from None


def freed() -> None:
    """Return unused memory to the devices."""
    gc.collect()
    if torch.accelerator.is_available():
        torch.accelerator.empty_cache()
