"""The conditions of a command line's output: a reader who leaves, a full disk, Ctrl-C, an encoding without Chinese."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable
from contextlib import suppress

INTERRUPTED = 130  # as shells count: 128 and the number of SIGINT


def guarded(program: str, run: Callable[[], int]) -> int:
    """Run a command whose exit status is returned; a failure of the output is told in one line."""
    if isinstance(sys.stdout, io.TextIOWrapper):  # one that does not know Chinese gets escapes
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        try:
            status = run()
        finally:
            if sys.stdout is not None:  # None: it was closed before Python started
                sys.stdout.flush()
    except BrokenPipeError:  # `suanzi ops | head`: the reader has seen enough
        _forget_output()
        return 0
    except OSError as error:
        why = " ".join((error.strerror or str(error)).split())
        print(f"{program}: the output cannot be written: {why[:1000]}", file=sys.stderr)
        _forget_output()
        return 1
    except KeyboardInterrupt:
        return INTERRUPTED
    return status


def _forget_output() -> None:
    """Let what could not be written go nowhere: Python would try again when it ends."""
    with suppress(OSError, ValueError):  # not a file, in a test
        output, null = sys.stdout.fileno(), os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, output)
        os.close(null)
