"""The statuses of Table 1 of the standard, and an exception that carries a status."""

from __future__ import annotations

import operator
from enum import IntEnum


class Status(IntEnum):
    """A code of Table 1 of the standard. A test compares these codes with the codes in `clauses/general.toml`."""

    STATUS_SUCCESS = 0
    TYPE_MISMATCH = 1
    DIMENSIONS_MISMATCH = 2
    UNINITIALIZED_OBJECT = 3
    INVALID_ARGUMENT = 4
    ALLOC_FAILED = 5
    OUT_OF_RANGE = 6
    INTERNAL_ERROR = 7


def status_in(error: BaseException) -> int | None:
    """Return the status that an exception carries, or None. A status is any integer of 64 bits, also one of NumPy's
    integers, but not a bool or a floating number.
    """
    try:
        status = error.status  # type: ignore[attr-defined]
        code = None if isinstance(status, bool) else operator.index(status)
    except Exception:  # the exception has no status, or a foreign object fails
        return None
    return code if code is not None and -(2**63) <= code < 2**63 else None


def raised(error: BaseException) -> str:
    """Describe an exception for reports by its class and its status."""
    kind, status = type(error).__name__, status_in(error)
    if status is None:
        return f"{kind} without a status (an exception's attribute `status` must be a code of Table 1)"
    known = {int(code): code.name for code in Status}
    return f"{kind} (status {known.get(status, status)})"


class StatusError(Exception):
    """The error of a call that is refused with a status."""

    def __init__(self, status: Status, message: str) -> None:
        super().__init__(message)
        self.status = status
