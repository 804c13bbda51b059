"""The errors of a traced function. A message names the line that caused the error."""

from __future__ import annotations

import linecache
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import local
from typing import NoReturn

from suanzi.tensor.messages import outer_frame
from suanzi.tensor.status import InvalidArgumentError


class TraceError(InvalidArgumentError):
    """The error of a traced function that depends on values or writes into its arguments (INVALID_ARGUMENT)."""

    speaks_for_its_caller = True  # the message already begins with `fuse`
    __module__ = "suanzi"


class NeedsValueError(Exception):
    """Raised if tracing needs the value of a number among the arguments. The function is then traced again for the
    value of the number.
    """

    def __init__(self, argument: int) -> None:
        super().__init__(argument)
        self.argument = argument


class UntracedError(Exception):
    """Raised if a function cannot be traced, for example because the function reads an attribute that is not traced.
    The function then runs without fusion.
    """


class ChangedError(Exception):
    """Raised if an operator's result has another shape or pattern than during tracing, as with `unique`."""


class RefutedError(Exception):
    """Raised if a condition that is False by the assumption of a trace is true in a later call. The function then runs
    without fusion.
    """


class _Trace(local):
    """The first error that a trace has raised in each thread, called the refusal of the trace."""

    refusal: Exception | None = None


_trace = _Trace()


def _noted(error: Exception) -> Exception:
    _trace.refusal = _trace.refusal or error
    return error


@contextmanager
def insisted() -> Iterator[None]:
    """At the end of a `with` block, raise the first refusal in the block again. A traced function that catches a
    refusal takes another branch than without the trace.
    """
    _trace.refusal = None
    try:
        yield
    except Exception as error:
        if _trace.refusal is None or _trace.refusal is error:
            raise
    finally:
        refusal, _trace.refusal = _trace.refusal, None
    if refusal is not None:
        raise refusal


def refuse(what: str, rule: str) -> NoReturn:
    """Raise TraceError. The message names the current line of the traced function, the refused action `what`, and the
    `rule`.
    """
    raise _noted(TraceError(f"fuse: {_line()}{what}, {rule}"))


def refuse_out() -> NoReturn:
    """Raise TraceError for a call in a traced function that passes a tensor as `out`."""
    rule = "but a fused function must not write into tensors"
    refuse("out is given", f"{rule}; fuse a function without out, as in fuse(lambda x: f(x))(x, out=y)")


def need_value(argument: int) -> NoReturn:
    """Raise NeedsValueError for the number `argument` among the arguments."""
    raise _noted(NeedsValueError(argument))


def give_up(reason: str) -> NoReturn:
    """Raise UntracedError with a reason, which `explain` shows."""
    raise _noted(UntracedError(reason))


def _line() -> str:
    frame, _ = outer_frame()
    if frame is None:
        return ""
    file, number = frame.f_code.co_filename, frame.f_lineno
    source = linecache.getline(file, number).strip()
    return f"{Path(file).name}:{number}: {source!r:.100}: "
