"""The base class of providers for libraries that do not implement the standard. A provider has a table of functions."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any

from ..provider import Provider
from ..status import Status

Function = Callable[..., Any]

# Regular expressions for the messages of ambiguous errors, each with a status. The first expression that fits counts.
# The expressions are generous, because the libraries have no status codes.
_SPOKEN_OF = (
    (r"out of memory|alloc|too (large|big)|RESOURCE_EXHAUSTED", Status.ALLOC_FAILED),
    (r"out of (range|bounds)|index .* is out|expected to be in range", Status.OUT_OF_RANGE),
    (r"d?type|not (implemented|supported) for|datatype", Status.TYPE_MISMATCH),
    (
        r"shape|broadcast|dimension|\b\dD\b|must match|square|\bsizes?\b|ragged|inhomogeneous",
        Status.DIMENSIONS_MISMATCH,
    ),
)


def status_of(error: Exception) -> Status:
    """Return the status of Table 1 that fits an exception without a status."""
    if isinstance(error, MemoryError):
        return Status.ALLOC_FAILED
    if isinstance(error, IndexError | OverflowError):
        return Status.OUT_OF_RANGE
    if isinstance(error, TypeError):
        return Status.TYPE_MISMATCH
    found = (status for words, status in _SPOKEN_OF if re.search(words, str(error), re.IGNORECASE))
    return next(found, Status.INVALID_ARGUMENT)


def with_status(function: Function) -> Function:
    """Return a function that calls `function`, and whose exceptions have a status."""

    @wraps(function)
    def call(*operands: Any, **options: Any) -> Any:
        try:
            return function(*operands, **options)
        except Exception as error:
            if not hasattr(error, "status"):
                error.status = status_of(error)  # type: ignore[attr-defined]
            raise

    return call


class Library(Provider):
    """A provider that calls the functions of a library in place of the standard's operators."""

    operators: Mapping[str, Function]

    def find(self, operator: str) -> Function | None:
        function = self.operators.get(operator)
        return function and with_status(function)

    def find_bare(self, operator: str) -> Function | None:
        return self.operators.get(operator)


def without_defaults(**options: Any) -> dict[str, Any]:
    """Return the options that are not None."""
    return {key: value for key, value in options.items() if value is not None}
