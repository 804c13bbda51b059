"""Functions that open files for reading or for writing. A new file appears under its name when writing has succeeded.

All errors about a file contain the file's name.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

import numpy as np

from suanzi.operators.creation.filled import empty
from suanzi.tensor.dtypes import uint8
from suanzi.tensor.exchange import Array
from suanzi.tensor.messages import cut
from suanzi.tensor.status import AllocFailedError, InvalidArgumentError, SuanziError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_LONGEST = 200  # characters of the longest reason in a message


def reason(error: BaseException) -> str:
    """Return the text of an exception, in one line."""
    text = error.strerror if isinstance(error, OSError) and error.strerror else str(error) or type(error).__name__
    return cut(" ".join(text.split()), _LONGEST)


def _shortage(error: MemoryError) -> str:
    return str(error) or "the memory is too small"


@contextmanager
def checked(what: str) -> Iterator[None]:
    """Within a `with` block, convert any exception to an error that says that `what` cannot be read.

    Only `checked` treats every exception as an error in the file. The exceptions of readers of foreign formats are not
    documented (zlib.error, LZMAError, TokenError, RuntimeError, NotImplementedError, SyntaxError, …).
    """
    try:
        yield
    except SuanziError:
        raise
    except MemoryError as error:
        raise AllocFailedError(f"{what} cannot be read: {_shortage(error)}") from error
    except Exception as error:
        raise InvalidArgumentError(f"{what} cannot be read: {reason(error)}") from error


@contextmanager
def opened(path: str | os.PathLike[str], what: str) -> Iterator[BinaryIO]:
    """Open a file for reading within `checked`. Refuse a pipe or a device, whose contents might never end."""
    with checked(what), open(path, "rb", opener=_without_waiting) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise InvalidArgumentError(f"{what} cannot be read: the file is not an ordinary file")
        yield file


def read_bytes(stream: Any, size: int, what: str) -> Array:
    """Read the next `size` bytes of a stream into memory that Suanzi allocates. The limits of Suanzi's memory apply.

    The size of a file or an archive does not bound the memory. The contents of a compressed or sparse file, or of a
    file that is read repeatedly, may exceed the machine's memory.
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


def mapped(file: BinaryIO) -> Array:
    """Return the bytes of a file as an array. The system reads bytes when a program uses the bytes. Writes to the array
    do not change the file.
    """
    import mmap

    if not os.fstat(file.fileno()).st_size:
        return np.empty(0, np.uint8)
    return np.frombuffer(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY), np.uint8)


@contextmanager
def written(path: str | os.PathLike[str], what: str) -> Iterator[BinaryIO]:
    """Open a file for writing with exactly the name `path`. The file appears when all writes have succeeded."""
    with writing(what):
        path = os.fspath(path)
        if not path:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
        if "\0" in os.fsdecode(path):  # Python's own message differs between versions
            raise ValueError("the name contains a null character")
        if os.path.isdir(path):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        target, exists = os.path.realpath(path), os.path.exists(path)
        is_device = exists and not os.path.isfile(path)
        if exists and not os.access(path, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        place = path if is_device else os.path.join(os.path.dirname(target), f".suanzi-{os.urandom(8).hex()}")
    file: BinaryIO | None = None
    try:  # an interrupt may arrive as soon as `open` has made the file
        with writing(what):
            file = open(place, "wb" if is_device else "xb")  # noqa: SIM115
        yield file
        with writing(what):
            file.close()
            if not is_device:
                if exists:
                    os.chmod(place, stat.S_IMODE(os.stat(target).st_mode))
                os.replace(place, target)
    finally:
        if file is not None:
            with suppress(OSError):
                file.close()
        if not is_device:
            with suppress(OSError):  # the file already has its final name, or was not made
                os.unlink(place)


@contextmanager
def writing(what: str) -> Iterator[None]:
    """Within a `with` block, convert OSError, ValueError and MemoryError to an error that says that `what` cannot be
    written.
    """
    try:
        yield
    except SuanziError:
        raise
    except MemoryError as error:
        raise AllocFailedError(f"{what} cannot be written: {_shortage(error)}") from error
    except (OSError, ValueError) as error:  # `open` raises ValueError for an impossible name
        raise InvalidArgumentError(f"{what} cannot be written: {reason(error)}") from error


@contextmanager
def drawing(path: str | os.PathLike[str], what: str) -> Iterator[Callable[[Figure], None]]:
    """Open a file for a picture before the picture is made, and return a function that writes a figure into the file.

    The suffix of the name must be a format of matplotlib. The file appears when the figure is written.
    """
    try:
        from matplotlib.backend_bases import FigureCanvasBase
    except ImportError as error:
        raise ImportError(f"{what} cannot be drawn: matplotlib is missing; pip install 'suanzi[plot]'") from error
    formats = FigureCanvasBase.get_supported_filetypes()
    form = os.path.splitext(os.fsdecode(path))[1].removeprefix(".").lower()
    with written(path, what) as file:
        if form not in formats:
            known = ", ".join(f".{name}" for name in sorted(formats))
            raise InvalidArgumentError(f"{what} cannot be drawn: the name of a picture must end in one of {known}")

        def save(figure: Figure) -> None:
            with writing(what):
                figure.savefig(file, format=form)

        yield save


def in_one_go(file: BinaryIO) -> Any:
    """Return an ordinary file unchanged, and a pipe or a device in a wrapper that can write but not seek."""
    return file if stat.S_ISREG(os.fstat(file.fileno()).st_mode) else _Stream(file)


class _Stream(NamedTuple):
    file: BinaryIO

    def write(self, data: bytes) -> int:
        return self.file.write(data)

    def flush(self) -> None:
        self.file.flush()


def _without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NONBLOCK)  # opening a pipe without a writer must not block
