"""The statuses of Table 1 of the standard, and an exception that carries a status."""

from __future__ import annotations

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


def raised(error: BaseException) -> str:
    """Describe an exception for reports by its class and its status."""
    kind, status = type(error).__name__, getattr(error, "status", None)
    if status is None:
        return f"{kind} without a status (an exception's attribute `status` must be a code of Table 1)"
    known = {int(code): code.name for code in Status}
    return f"{kind} (status {known.get(status, status) if isinstance(status, int) else status})"


class StatusError(Exception):
    """The error of a call that is refused with a status."""

    def __init__(self, status: Status, message: str) -> None:
        super().__init__(message)
        self.status = status
