"""Memory that a probe shares with a library in another process. Arrays keep their strides, and each process sees
the writes of the other process.

The judging process sends an array as the block of memory that contains the array. The library's process rebuilds the
array on a copy of the block. A probe may write to the memory of a shared array later, or read the memory (after
`from_reference`, for example). Both processes keep their copies of this memory equal. The judging process sends its
writes before each call, and the library's process sends its writes after each call.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from .oracle.element_types import Array
from .wire import GarbledError, Packer, Unpacker, dtype_name, dtype_of

_AMPLE = 4  # the largest size of surrounding memory in a message, as a multiple of the array's own size
_LEAST = 2**12  # the bytes of surrounding memory that every message may contain


def extent(array: Array) -> tuple[int, int]:
    """Return the address of an array's first byte, and the address after the array's last byte."""
    start = array.__array_interface__["data"][0]
    if not array.size:
        return start, start
    spans = [stride * (size - 1) for stride, size in zip(array.strides, array.shape, strict=True)]
    low = start + sum(span for span in spans if span < 0)
    return low, start + sum(span for span in spans if span > 0) + array.itemsize


class _Bytes:
    """A range of memory in the form of NumPy's array interface."""

    def __init__(self, low: int, high: int) -> None:
        self.__array_interface__ = {"data": (low, False), "shape": (high - low,), "typestr": "|u1", "version": 3}


def bytes_at(low: int, high: int) -> Array:
    """Return the memory between two addresses as an array of bytes. The caller must keep the memory's owner alive."""
    return np.asarray(_Bytes(low, high)) if low < high else np.empty(0, np.uint8)


class Region:
    """A region of memory that both processes have, and the bytes that the other process last received."""

    def __init__(self, number: int, memory: Array, low: int, owner: Any) -> None:
        self.number, self.memory, self.low = number, memory, low
        self.owner = owner  # the object that keeps the memory alive
        self.known = memory.tobytes()

    def has(self, low: int, high: int) -> bool:
        """Return whether a range of addresses lies in the region."""
        return self.low <= low and high <= self.low + self.memory.size

    def news(self) -> bytes | None:
        """Return the region's bytes if the other process has different bytes, or else None."""
        now = self.memory.tobytes()
        if now == self.known:
            return None
        self.known = now
        return now

    def is_written(self) -> bool:
        """Return whether the memory changed since the other process last received the bytes."""
        return self.memory.tobytes() != self.known

    def take(self, data: memoryview) -> None:
        """Replace the region's bytes by the bytes that the other process has sent."""
        if len(data) != self.memory.size:
            raise GarbledError(f"{len(data)} bytes for memory of {self.memory.size}")
        if self.memory.flags.writeable:
            self.memory[...] = np.frombuffer(data, np.uint8)
            self.known = bytes(data)


class Regions:
    """The regions of memory that a probe shares with the library's process."""

    def __init__(self) -> None:
        self.all: dict[int, Region] = {}
        self._next = 0

    def clear(self) -> None:
        """Remove all regions at the end of a probe."""
        self.all.clear()

    def are_written(self) -> bool:
        """Return whether the other process lacks a change of a region."""
        return any(region.is_written() for region in self.all.values())

    def news(self, packer: Packer) -> list[list[Any]]:
        """Return the changes of memory that the other process has not yet received."""
        changed = ((region.number, region.news()) for region in self.all.values())
        return [[number, packer.block(data)] for number, data in changed if data is not None]

    def take(self, news: Any, unpacker: Unpacker) -> None:
        """Write the changed bytes that the other process has sent."""
        if not isinstance(news, list):
            raise GarbledError("invalid changes of memory")
        for entry in news:
            if not (isinstance(entry, list) and len(entry) == 2 and entry[0] in self.all):
                raise GarbledError(f"changes of unknown memory: {entry!r:.100}")
            self.all[entry[0]].take(unpacker.block(entry[1]))

    # --- the judging process ---

    def pack(self, array: Array, packer: Packer, *, shared: bool) -> list[Any]:
        """Return the description of an array for a message. The description of a shared array includes the surrounding
        memory.

        The entries of the description are the type, the shape, the place of the bytes, and True for a writeable array.
        The description of an array that is shared or not contiguous has three further entries: the strides, the offset
        of the first element, and the number of the shared region.
        """
        name, start = dtype_name(array.dtype), array.__array_interface__["data"][0]
        if not shared and array.flags.c_contiguous:
            return [name, array.shape, packer.block(array.tobytes()), array.flags.writeable]
        low, high = extent(array)
        described = [name, array.shape, None, array.flags.writeable, array.strides]
        if not shared:
            described[2] = packer.block(bytes_at(low, high).tobytes())
            return [*described, start - low, None]
        region = next((region for region in self.all.values() if region.has(low, high)), None)
        if region is None:
            region = self._added(array, low, high)
            described[2] = packer.block(region.known)
        return [*described, start - region.low, region.number]

    def _added(self, array: Array, low: int, high: int) -> Region:
        """Add a region with the memory of the array's owner, or with only the array's own memory if the owner's memory
        is much larger. Return the region.
        """
        root: Any = array
        while isinstance(root.base, np.ndarray):
            root = root.base
        around = extent(root)
        if around[1] - around[0] <= _AMPLE * (high - low) + _LEAST and around[0] <= low and high <= around[1]:
            low, high = around
        memory = bytes_at(low, high)
        if not array.flags.writeable:
            memory.flags.writeable = False
        self._next += 1
        self.all[self._next] = Region(self._next, memory, low, array)
        return self.all[self._next]

    # --- the library's process ---

    def unpack(self, described: Any, unpacker: Unpacker) -> Array:
        """Return the array that a message describes, on a copy of the array's memory."""
        name, sizes, at, writeable, *apart = described
        dtype, shape = dtype_of(name), tuple(sizes)
        strides, start, number = apart or (None, 0, None)
        if number in self.all:
            memory = self.all[number].memory
        else:
            memory = np.frombuffer(unpacker.block(at), np.uint8)
            if number is not None:
                self.all[number] = Region(number, memory, 0, None)
        if not prod(shape):
            return np.ndarray(shape, dtype)
        array: Array = np.ndarray(shape, dtype, memory, start, strides)
        if not writeable:
            array.flags.writeable = False
        return array
