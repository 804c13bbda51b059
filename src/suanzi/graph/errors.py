"""The errors of a traced function. A message names the line that caused the error."""

from __future__ import annotations

import linecache
from pathlib import Path
from typing import NoReturn

from suanzi.tensor.messages import outer_frame
from suanzi.tensor.status import InvalidArgumentError


class TraceError(InvalidArgumentError):
    """The error of a traced function that depends on values or writes into its arguments (INVALID_ARGUMENT)."""

    speaks_for_its_caller = True  # the caller called `fuse`
    __module__ = "suanzi"


class NeedsValueError(Exception):
    """Raised if the value of a number among the arguments is needed: the function is traced again for this value."""

    def __init__(self, argument: int) -> None:
        super().__init__(argument)
        self.argument = argument


class UntracedError(Exception):
    """Raised if a traced operand cannot answer a query: the function runs without fusion."""


class ChangedError(Exception):
    """Raised if an operator's result has another shape than during tracing, as with `unique`."""


def refuse(what: str, rule: str) -> NoReturn:
    """Raise TraceError with the line of the traced function."""
    raise TraceError(f"fuse: {_line()}{what}, {rule}")


def refuse_out() -> NoReturn:
    """Raise TraceError for a step of a traced function that would write into a tensor."""
    rule = "but a fused function must not write into tensors"
    refuse("out is given", f"{rule}; fuse a function without out, as in fuse(lambda x: f(x))(x, out=y)")


def _line() -> str:
    frame, _ = outer_frame()
    if frame is None:
        return ""
    file, number = frame.f_code.co_filename, frame.f_lineno
    source = linecache.getline(file, number).strip()
    return f"{Path(file).name}:{number}: {source!r:.100}: "
