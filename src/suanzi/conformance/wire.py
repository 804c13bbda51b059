"""Messages between the judging process and the library's process: frames of plain data, never code.

A frame is a head in JSON and a body of raw bytes. The head states the places of values in the body. Neither process
unpickles data. A reader checks lengths, types and shapes before use, and raises `GarbledError` for anything invalid.

`pack` writes, and `unpack` reads, each value that JSON lacks as a table of one entry:

=========================  =========================================================
``{"t": […]}``, ``"l"``    a tuple, a list
``{"d": [[key, value]]}``  a dictionary
``{"i": "0x…"}``           an integer of more than 63 bits
``{"f": "…"}``             a float that is not finite, or a complex number, by its bytes
``{"e": null}``            an ellipsis
``{"s": […]}``             a slice
``{"n": […]}``             a NumPy scalar
anything else              objects on which both processes agree: handles, arrays
=========================  ========================================================="""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Callable, Iterable, Sequence
from functools import cache, lru_cache
from math import isfinite, prod
from typing import Any, BinaryIO

import numpy as np

from .oracle.element_types import ELEMENT_TYPES, Array

MOST_HEAD = 2**26  # bytes
MOST_BODY = 2**31
_MOST_RANK = 64
_MOST_DEPTH = 40  # the most levels of nested values
_ALIGNMENT = 16  # bytes
_MAGIC = b"SZC1"
_LENGTHS = struct.Struct("<4sIQ")
_DTYPE = re.compile(r"[<>|][biufcU][1-9]\d{0,8}")


_encoded = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode
_decoded = json.JSONDecoder().decode


class GarbledError(Exception):
    """Raised for a message that is not a frame, or whose contents are invalid."""


# --- frames ---


def write(file: BinaryIO, head: Any, blocks: Sequence[Any] = ()) -> None:
    """Send a frame. A small frame takes a single write."""
    text = _encoded(head).encode()
    total = sum(len(block) for block in blocks)
    start = _LENGTHS.pack(_MAGIC, len(text), total) + text
    if total < 2**16:
        file.write(b"".join([start, *blocks]))
    else:
        file.write(start)
        for block in blocks:
            file.write(block)
    file.flush()


def read(file: BinaryIO) -> tuple[Any, memoryview] | None:
    """Return the next frame's head and body, or None if the other process has closed the pipe."""
    start = file.read(_LENGTHS.size)
    if not start:
        return None
    if len(start) < _LENGTHS.size:
        raise GarbledError("a frame that is cut off")
    magic, head_length, body_length = _LENGTHS.unpack(start)
    if magic != _MAGIC:
        raise GarbledError(f"bytes that are not a frame: {start!r}")
    if head_length > MOST_HEAD or body_length > MOST_BODY:
        raise GarbledError(f"a frame of {head_length} and {body_length} bytes")
    text = file.read(head_length)
    body = memoryview(bytearray(body_length))
    if len(text) < head_length or (body_length and file.readinto(body) < body_length):  # type: ignore[attr-defined]
        raise GarbledError("a frame that is cut off")
    try:
        return _decoded(text.decode()), body
    except (ValueError, RecursionError):
        raise GarbledError("a head that is not JSON") from None


# --- values ---


Way = Callable[[Any], Any]


class Packer:
    """A packer that makes the heads and the blocks of frames. `other` packs objects that are neither plain nor
    sequences.
    """

    def __init__(self, other: Way) -> None:
        self.blocks: list[Any] = []
        self._size = 0
        self._other = other
        self._ways: dict[type, Way] = {
            **dict.fromkeys((bool, str, type(None)), _itself),
            int: lambda x: x if -(2**63) <= x < 2**63 else {"i": hex(x)},
            float: lambda x: x if isfinite(x) else {"f": struct.pack("<d", x).hex()},
            complex: lambda x: {"f": struct.pack("<dd", x.real, x.imag).hex()},
            tuple: lambda x: {"t": [self.pack(item) for item in x]},
            list: lambda x: {"l": [self.pack(item) for item in x]},
            dict: lambda x: {"d": [[self.pack(key), self.pack(value)] for key, value in x.items()]},
            type(Ellipsis): lambda x: {"e": None},
            slice: lambda x: {"s": [self.pack(x.start), self.pack(x.stop), self.pack(x.step)]},
        }

    def clear(self) -> None:
        """Begin another frame."""
        self.blocks, self._size = [], 0

    def pack(self, x: Any) -> Any:
        """Return a value in JSON's types."""
        kind = type(x)
        way = self._ways.get(kind)
        if way is None:
            way = self._ways[kind] = self._way(kind)
        return way(x)

    def _way(self, kind: type) -> Way:
        """Return the function that packs values of a class. An enumeration or a named tuple is packed as its base
        class.
        """
        if not issubclass(kind, np.generic):
            for plain in (tuple, list, dict, int, float, complex, str):
                if issubclass(kind, plain):
                    return lambda x, way=self._ways[plain], plain=plain: way(plain(x))  # type: ignore[misc]
        return self._other

    def block(self, data: Any) -> list[int]:
        """Add bytes to the body. Return the aligned start and the length of the bytes."""
        place = [self._size, len(data)]
        self.blocks.append(data)
        self._size += len(data)
        if gap := -self._size % _ALIGNMENT:
            self.blocks.append(bytes(gap))
            self._size += gap
        return place

    def array(self, array: Array) -> list[Any]:
        """Return the description of an array: the type, the shape, and the place of the bytes or a list of strings. The
        elements are in the default order.
        """
        name = dtype_name(array.dtype)
        if name is not None:
            return [name, array.shape, self.block(array.tobytes())]
        if array.dtype.kind in "OTU" and all(isinstance(word, str) for word in array.flat):
            return ["words", array.shape, [str(word) for word in array.flat]]
        return ["strange", array.shape, str(array.dtype)[:100]]


def scalar(x: np.generic) -> dict[str, Any]:
    """Return the form of a NumPy scalar in JSON's types."""
    array = np.asarray(x)
    return {"n": [dtype_name(array.dtype), array.tobytes().hex()]}


def _itself(x: Any) -> Any:
    return x


class Unpacker:
    """A reader of values. `others` has the readers for further objects, such as handles and arrays."""

    def __init__(self, others: dict[str, Way]) -> None:
        self.body = memoryview(b"")
        self.others = others

    def unpack(self, x: Any, depth: int = 0) -> Any:
        """Return the value that a piece of JSON represents."""
        if type(x) is not dict:
            if type(x) is list:
                raise GarbledError(f"an invalid value: {x!r:.100}")
            return x
        if len(x) != 1 or depth > _MOST_DEPTH:
            raise GarbledError(f"an invalid value: {x!r:.100}")
        for kind, of in x.items():
            if kind in self.others:
                return self.others[kind](of)
        try:
            return self._plain(kind, of, depth + 1)
        except (ValueError, TypeError, KeyError, struct.error):
            raise GarbledError(f"an invalid value: {x!r:.100}") from None

    def _plain(self, kind: str, of: Any, depth: int) -> Any:
        if kind in ("t", "l"):
            items = [self.unpack(item, depth) for item in of]
            return tuple(items) if kind == "t" else items
        if kind == "d":
            return {self.unpack(key, depth): self.unpack(value, depth) for key, value in of}
        if kind == "i":
            return int(of, 16)
        if kind == "f":
            parts = struct.unpack("<d" if len(of) == 16 else "<dd", bytes.fromhex(of))
            return parts[0] if len(parts) == 1 else complex(*parts)
        if kind == "e":
            return Ellipsis
        if kind == "s":
            start, stop, step = (self.unpack(item, depth) for item in of)
            return slice(start, stop, step)
        if kind == "n":
            name, data = of
            return np.frombuffer(bytes.fromhex(data), dtype_of(name))[0]
        raise KeyError(kind)

    def block(self, at: Any) -> memoryview:
        """Return the bytes of the body at a place, which is a start and a length."""
        if isinstance(at, list) and len(at) == 2 and type(at[0]) is type(at[1]) is int:
            begin, length = at
            if 0 <= begin <= begin + length <= len(self.body):
                return self.body[begin : begin + length]
        raise GarbledError(f"an invalid place: {at!r:.100}")

    def array(self, described: Any) -> Array:
        """Return a new array. Raise `GarbledError` if shape, type and bytes do not fit each other."""
        if not isinstance(described, list) or len(described) != 3:
            raise GarbledError(f"an invalid array: {described!r:.100}")
        name, shape, of = described[0], shape_of(described[1]), described[2]
        if name == "words":
            if not (isinstance(of, list) and all(isinstance(word, str) for word in of)) or len(of) != prod(shape):
                raise GarbledError("invalid strings, or another number of strings than the shape needs")
            return _strings(of).reshape(shape)
        dtype, data = dtype_of(name), self.block(of)
        if prod(shape) * dtype.itemsize != len(data):
            raise GarbledError(f"{len(data)} bytes for {dtype} {shape}")
        return np.frombuffer(data, dtype).reshape(shape) if len(data) else np.empty(shape, dtype)


def _strings(words: list[str]) -> Array:
    """Return an array of strings of any length. The type is NumPy 2's StringDType if possible, and otherwise object."""
    try:
        return np.array(words, np.dtypes.StringDType())
    except (AttributeError, UnicodeError):  # NumPy 1, or strings that are not valid Unicode
        found = np.empty(len(words), object)
        found[:] = words
        return found


def shape_of(sizes: Any) -> tuple[int, ...]:
    """Return a list of sizes as a shape. Raise GarbledError for other values."""
    if isinstance(sizes, list) and len(sizes) <= _MOST_RANK:
        for size in sizes:
            if type(size) is not int or not 0 <= size < 2**63:
                break
        else:
            return tuple(sizes)
    raise GarbledError(f"an invalid shape: {sizes!r:.100}")


@cache
def dtype_name(dtype: np.dtype[Any]) -> str | None:
    """Return the name of a NumPy type that `dtype_of` knows, or None."""
    if dtype.name == "bfloat16":
        return "bfloat16"
    return dtype.str if dtype.kind in "biufcU" and dtype.itemsize else None


def dtype_of(name: Any) -> np.dtype[Any]:
    """Return the NumPy type of a name. Only numbers, bools and strings of fixed length are allowed."""
    if not isinstance(name, str):
        raise GarbledError(f"an invalid element type: {name!r:.100}")
    return _dtype_of(name)


@lru_cache(1000)
def _dtype_of(name: str) -> np.dtype[Any]:
    if name == "bfloat16" and name in ELEMENT_TYPES:
        return ELEMENT_TYPES[name].numpy
    try:
        if _DTYPE.fullmatch(name):
            return np.dtype(name)
    except TypeError:
        pass
    raise GarbledError(f"an invalid element type: {name!r:.100}")


def names_of(values: Any, longest: int = 100) -> tuple[str, ...]:
    """Return a list of names as a tuple. Raise GarbledError for other values."""
    if not isinstance(values, Iterable) or isinstance(values, str | bytes):
        raise GarbledError(f"invalid names: {values!r:.100}")
    found = [*values]
    if not all(isinstance(name, str) and len(name) <= longest for name in found) or len(found) > 1000:
        raise GarbledError(f"invalid names: {found!r:.100}")
    return tuple(found)
