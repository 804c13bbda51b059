"""Command-line output that allows for closed pipes, full disks, Ctrl-C, and encodings without Chinese characters.

The module also has the progress line of long runs, examples in help texts, and early checks of output files.
"""

from __future__ import annotations

import io
import os
import sys
from argparse import ArgumentParser, ArgumentTypeError, RawDescriptionHelpFormatter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from .text import table

Item = TypeVar("Item")
Number = TypeVar("Number", int, float)

INTERRUPTED = 130  # the status that shells expect: 128 plus the number of SIGINT


def guarded(program: str, run: Callable[[], int]) -> int:
    """Run a command and return the exit status. A failure of the output is reported in one line."""
    if isinstance(sys.stdout, io.TextIOWrapper):  # escapes replace Chinese if the encoding lacks Chinese
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        try:
            status = run()
        finally:
            if sys.stdout is not None:  # None if the output was closed before Python started
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
    """Redirect output that could not be written, because Python would try to write the output again at exit."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, OSError, ValueError):  # the stream is closed, or is not a file in a test
            try:
                stream.flush()
            except OSError:
                null = os.open(os.devnull, os.O_WRONLY)
                os.dup2(null, stream.fileno())
                os.close(null)


class Progress:
    """A line on a terminal that names the current item of many items. Outputs other than terminals do not show the
    line.

    The class writes the line to stderr. The caller clears the line before other output.
    """

    def __init__(self, total: int) -> None:
        self.total = total
        self.on = total > 1 and sys.stderr is not None and sys.stderr.isatty()

    def over(self, items: Iterable[Item], name: Callable[[Item], str] = str) -> Iterator[Item]:
        """Yield the items, and show the item that is processed."""
        for number, item in enumerate(items, 1):
            self._write(f"{number} of {self.total}: {name(item)}")
            yield item
        self.clear()

    def clear(self) -> None:
        """Clear the progress line."""
        self._write("")

    def _write(self, text: str) -> None:
        if self.on:
            sys.stderr.write(f"\r\x1b[K{text}")
            sys.stderr.flush()


def show_examples(parser: ArgumentParser, *examples: tuple[str, str]) -> None:
    """Add examples and their explanations to the end of a command's help."""
    parser.epilog = "\n".join(["examples:", *(f"  {line}" for line in table(examples))])
    parser.formatter_class = RawDescriptionHelpFormatter


def above_zero(kind: type[Number]) -> Callable[[str], Number]:
    """Return a function that reads numbers above 0 for `argparse`."""

    def read(text: str) -> Number:
        try:
            number = kind(text)
        except ValueError:
            number = kind(0)
        if not 0 < number < float("inf"):
            what = "whole number" if kind is int else "number"
            raise ArgumentTypeError(f"{text[:50]!r} is not a {what} above 0")
        return number

    return read


def check_distinct(files: Iterable[str | Path | None]) -> None:
    """Raise ValueError if two paths name one file, because one output would replace the other output. Devices such as
    /dev/null can receive several outputs.
    """
    seen = set()
    for file in filter(None, files):
        try:
            place = os.path.realpath(str(file))
        except ValueError:  # a null character, which the function that opens the file refuses
            continue
        if place in seen:
            raise ValueError(f"{file}: two options write this file")
        if os.path.isfile(place) or not os.path.exists(place):
            seen.add(place)


def check_outputs(files: Sequence[str | Path | None]) -> None:
    """Raise ValueError before a run if a file could not be written at the end of the run."""
    check_distinct(files)
    for file in (Path(file) for file in files if file):
        folder = file.parent
        if file.is_dir():
            raise ValueError(f"{file}: this is a folder, not a file")
        if not folder.is_dir():
            raise ValueError(f"{file}: there is no folder {str(folder)!r}")
        if not os.access(file if file.exists() else folder, os.W_OK):
            raise ValueError(f"{file}: you may not write there")
