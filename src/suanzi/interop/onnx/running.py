"""Functions that make the calls of a run one after the other, and that limit the calls in the bodies of ONNX loops.
An error of a call names the node."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from suanzi import AllocFailedError, InternalError, InvalidArgumentError, SuanziError, _core, tuning
from suanzi.interop.files import reason
from suanzi.interop.onnx.types import UnsupportedError

if TYPE_CHECKING:
    from suanzi.interop.onnx.schedule import Step

# The errors that Python code raises for unsuitable arguments.
_UNSUITABLE = (ArithmeticError, LookupError, TypeError, ValueError)


def call_all(steps: tuple[Step, ...], slots: list[Any]) -> None:
    """Run the calls one after the other on the slots, and free each value after the value's last use."""
    failed: list[str] = []  # the label of the call that fails
    try:
        count = _core.call_steps(steps, slots, failed)
        if failed:
            raise UnsupportedError(f"{failed[0]}: only {count} of its results are supported")
    except SuanziError as error:
        error.add_note(f"in {failed[0]}")
        raise
    except Exception as error:
        raise ours(error, failed[0]) from error


def ours(error: Exception, what: str) -> SuanziError:
    """Return a suanzi error for an exception of Python or a library that occurred while a model was loaded or run."""
    if isinstance(error, MemoryError):
        return AllocFailedError(f"{what}: {str(error) or 'the memory is exhausted'}")
    # _UNSUITABLE errors have two causes: an operand of the wrong rank or kind, or names that are not UTF-8, although
    # the parser accepts such names.
    return (InvalidArgumentError if isinstance(error, _UNSUITABLE) else InternalError)(f"{what}: {reason(error)}")


class _Allowance(threading.local):
    """The number of calls in loop bodies that the current thread's run may still make."""

    left = tuning.MOST_REPEATED


_ALLOWANCE = _Allowance()


def begin() -> None:
    """Begin a run in the current thread. The loops of the run may make as many calls as the limit allows."""
    _ALLOWANCE.left = tuning.MOST_REPEATED


def charge(calls: int, label: str) -> None:
    """Count calls in the loops of the current run. Raise INVALID_ARGUMENT if the loops make more calls than the
    limit.
    """
    _ALLOWANCE.left -= calls
    if _ALLOWANCE.left < 0:
        raise InvalidArgumentError(
            f"{label}: the loops of a run make more than {tuning.MOST_REPEATED} calls of operators, which is the limit"
        )
