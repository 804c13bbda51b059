"""Reading of a model's bytes in which the bytes of large tensors go from the file into the library's memory at once.

The package protobuf copies the bytes of a tensor twice: into the message, and out of the message. This module follows
protobuf's wire format only down to the initializers of the graph, and leaves the rest of the message to protobuf. The
module judges nothing: protobuf reads the whole message if the message is not in the form that programs write. For a
model of 50 MB, loading takes half the time and half the memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

from onnx import GraphProto, ModelProto, TensorProto

from suanzi import tuning
from suanzi.interop.files import read_bytes
from suanzi.tensor.exchange import Array

_GRAPH, _INITIALIZER, _RAW = (
    message.DESCRIPTOR.fields_by_name[name].number
    for message, name in ((ModelProto, "graph"), (GraphProto, "initializer"), (TensorProto, "raw_data"))
)
_BYTES = 2  # the wire type of messages, bytes and texts, which begin with their length
_SIZES = {1: 8, 5: 4}  # the bytes of values of the wire types of fixed size
_LONGEST = 10  # bytes of the longest number
_WINDOW = 2**16  # bytes that are read from the file at once


class Apart(NamedTuple):
    """A message without the bytes of large tensors, and these bytes by the places of the tensors in the graph."""

    message: bytes
    tensors: dict[int, Array]


class _UnusualError(Exception):
    """The bytes are no message, or repeat a field that programs write once."""


def apart(file: BinaryIO, size: int, what: str) -> Apart | None:
    """Return the parts of a file of a given size, or None if only protobuf can read the file."""
    tensors: dict[int, Array] = {}
    try:
        return Apart(_Reader(file, what).model(size, tensors), tensors)
    except _UnusualError:
        return None


class _Field(NamedTuple):
    number: int
    wire_type: int
    head: bytes  # the bytes before the value
    size: int  # the bytes of the value


class _Reader:
    def __init__(self, file: BinaryIO, what: str) -> None:
        self.file, self.what = file, what
        self.window, self.at = b"", 0  # bytes that are read from the file, and the place of the next byte in them
        self.place = 0  # the place of the next byte in the file

    def model(self, size: int, tensors: dict[int, Array]) -> bytes:
        parts, graphs = [], 0
        for field in self._fields(size):
            if field.number != _GRAPH or field.wire_type != _BYTES:
                parts += [field.head, self._bytes(field.size)]
                continue
            graphs += 1
            if graphs > 1:  # protobuf would merge the two graphs
                raise _UnusualError
            parts.append(_message(_GRAPH, self._graph(self.place + field.size, tensors)))
        return b"".join(parts)

    def _graph(self, end: int, tensors: dict[int, Array]) -> bytes:
        parts, count = [], 0
        for field in self._fields(end):
            is_tensor = field.number == _INITIALIZER and field.wire_type == _BYTES
            if is_tensor and field.size >= tuning.LARGE_TENSOR:
                parts.append(_message(_INITIALIZER, self._tensor(self.place + field.size, count, tensors)))
            else:
                parts += [field.head, self._bytes(field.size)]
            count += is_tensor
        return b"".join(parts)

    def _tensor(self, end: int, count: int, tensors: dict[int, Array]) -> bytes:
        parts = []
        for field in self._fields(end):
            if field.number != _RAW or field.wire_type != _BYTES:
                parts += [field.head, self._bytes(field.size)]
            elif count in tensors:  # the last of several values counts
                raise _UnusualError
            else:
                tensors[count] = read_bytes(self, field.size, self.what)
        return b"".join(parts)

    def _fields(self, end: int) -> Iterator[_Field]:
        """Yield the fields of a message that ends at a given place. The caller reads the value of each field."""
        while self.place < end:
            if len(self.window) - self.at < 2 * _LONGEST:
                self.window, self.at = self.window[self.at :] + self.file.read(_WINDOW), 0
            window, start = self.window, self.at
            key, i = _number(window, start)
            wire_type = key & 7
            size = 0
            if wire_type == _BYTES:
                size, i = _number(window, i)
            elif wire_type == 0:
                i = _number(window, i)[1]
            elif wire_type in _SIZES:
                size = _SIZES[wire_type]
            else:
                raise _UnusualError
            self.at = i
            self.place += i - start
            if self.place + size > end:
                raise _UnusualError
            yield _Field(key >> 3, wire_type, window[start:i], size)
        if self.place != end:
            raise _UnusualError

    def _bytes(self, size: int) -> bytes:
        found = self.window[self.at : self.at + size]
        self.at += len(found)
        if len(found) < size:
            found += self.file.read(size - len(found))
        if len(found) < size:
            raise _UnusualError
        self.place += size
        return found

    def readinto(self, memory: memoryview) -> int:
        """Fill the beginning of the memory, and return the number of bytes, as files do."""
        part = self.window[self.at : self.at + len(memory)]
        if part:
            memory[: len(part)] = part
            self.at += len(part)
        count = len(part) or self.file.readinto(memory)  # type: ignore[attr-defined]
        self.place += count
        return int(count)


def _number(data: bytes, i: int) -> tuple[int, int]:
    """Return the number at a place, seven bits in each byte, and the place after the number."""
    number = 0
    for shift, byte in zip(range(0, 7 * _LONGEST, 7), data[i : i + _LONGEST], strict=False):
        number |= (byte & 127) << shift
        if byte < 128:
            return number, i + shift // 7 + 1
    raise _UnusualError


def _message(number: int, value: bytes) -> bytes:
    return _coded(number << 3 | _BYTES) + _coded(len(value)) + value


def _coded(number: int) -> bytes:
    found = bytearray()
    while number > 127:
        found.append(number & 127 | 128)
        number >>= 7
    return bytes([*found, number])
