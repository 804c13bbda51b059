"""The errors of a traced function, with the line that caused them."""

from __future__ import annotations

import linecache
from pathlib import Path
from typing import NoReturn

from suanzi.tensor.messages import outer_frame
from suanzi.tensor.status import InvalidArgumentError


class TraceError(InvalidArgumentError):
    """A traced function depended on values, or wrote into its arguments (INVALID_ARGUMENT)."""

    speaks_for_its_caller = True  # the caller called `fuse`
    __module__ = "suanzi"


class NeedsValueError(Exception):
    """A number among the arguments is needed itself: the function is traced again for this value."""

    def __init__(self, argument: int) -> None:
        super().__init__(argument)
        self.argument = argument


class UntracedError(Exception):
    """The error of a question that a traced operand cannot answer: the function runs as it is."""


class ChangedError(Exception):
    """An operator gave a tensor of another shape than when it was traced, as `unique` may."""


def refuse(what: str, rule: str) -> NoReturn:
    """Raise TraceError, with the line of the traced function."""
    raise TraceError(f"fuse: {_line()}{what}, {rule}")


def _line() -> str:
    frame, _ = outer_frame()
    if frame is None:
        return ""
    file, number = frame.f_code.co_filename, frame.f_lineno
    source = linecache.getline(file, number).strip()
    return f"{Path(file).name}:{number}: {source!r:.100}: "
