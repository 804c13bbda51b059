"""Files from outside: ordinary ones, opened to be read; whatever is wrong with one is an error that names it."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO

from suanzi.operators.creation.filled import empty
from suanzi.tensor.dtypes import uint8
from suanzi.tensor.exchange import Array
from suanzi.tensor.messages import cut
from suanzi.tensor.status import AllocFailedError, InvalidArgumentError, SuanziError

_LONGEST = 200  # characters of a reason in a message


def reason(error: BaseException) -> str:
    """What an exception says, in one line."""
    text = error.strerror if isinstance(error, OSError) and error.strerror else str(error) or type(error).__name__
    return cut(" ".join(text.split()), _LONGEST)


@contextmanager
def checked(what: str) -> Iterator[None]:
    """Whatever goes wrong with a file, as one error: `what` cannot be read.

    This is the one place that takes every exception for the file's fault: what readers of foreign formats raise is not
    written down anywhere (zlib.error, LZMAError, TokenError, RuntimeError, NotImplementedError, SyntaxError, …).
    """
    try:
        yield
    except SuanziError:
        raise
    except MemoryError as error:
        raise AllocFailedError(f"{what} cannot be read: {str(error) or 'there is no memory for it'}") from error
    except Exception as error:
        raise InvalidArgumentError(f"{what} cannot be read: {reason(error)}") from error


@contextmanager
def opened(path: str | os.PathLike[str], what: str) -> Iterator[BinaryIO]:
    """A file, open to be read, within `checked`; a pipe or a device, which might never end, is refused."""
    with checked(what), open(path, "rb", opener=_without_waiting) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise InvalidArgumentError(f"{what} cannot be read: it is not an ordinary file")
        yield file


def read_bytes(stream: Any, size: int, what: str) -> Array:
    """The next bytes of a file, in memory of the library, whose limits hold for it.

    What a file or an archive says of its size is cheap: a well compressed one, a sparse one, or one that is read again
    and again may have more bytes than the machine.
    """
    try:
        array = empty(size, dtype=uint8).numpy()
    except AllocFailedError as error:
        raise AllocFailedError(f"{what} cannot be read: {str(error).partition(': ')[2]}") from error
    memory = array.data
    while memory and (count := stream.readinto(memory)):
        memory = memory[count:]
    if memory:
        raise InvalidArgumentError(f"{what} cannot be read: it ends too early")
    return array


def _without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NONBLOCK)  # a pipe that nobody writes to would be waited for
