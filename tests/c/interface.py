"""Calls of the C interface through ctypes: functions with the headers' types, and handles that a test destroys."""

from __future__ import annotations

import ctypes as ct
import functools
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

import suanzi
from suanzi import _core
from suanzi.conformance.providers.c_header import (
    DTYPES,
    STRING,
    String,
    ints,
    layout,
    number,
    open_library,
    strings,
)
from suanzi.conformance.providers.libsuanzi import LIBRARY

ROOT = Path(__file__).parents[2]
FLOAT32, INT64 = (DTYPES.index(name) for name in ("float32", "int64"))


@functools.cache
def library() -> ct.CDLL:
    """Load libsuanzi, and set the parameter types of every function from the headers."""
    loaded = open_library(LIBRARY)
    # Results are compared with Python's results, so C and Python use the same BLAS library.
    check(loaded.suanzi_set_blas(_core.blas()["path"].encode()))
    return loaded


def message() -> str:
    """Return the message of the last failing call of this thread."""
    return library().suanzi_last_message().decode()


class Failed(Exception):  # noqa: N818
    """The exception for a call that returned another status than success."""

    def __init__(self, status: int) -> None:
        super().__init__(message())
        self.status = suanzi.Status(status)


def check(status: int) -> None:
    if status != 0:
        raise Failed(status)


class Handles:
    """A caller of C functions that stores all returned handles, and destroys the handles on request."""

    def __init__(self) -> None:
        self.made: list[ct.c_void_p] = []

    def call(self, name: str, *arguments: Any, results: int = 1) -> Any:
        """Call a C function whose last `results` parameters receive handles. Return the handle or a list of handles."""
        handles = [ct.c_void_p(1) for _ in range(results)]  # the function, not the caller, sets a result to NULL
        check(getattr(library(), f"suanzi_{name}")(*arguments, *(ct.byref(handle) for handle in handles)))
        self.made += handles
        return handles[0] if results == 1 else handles

    def call_list(self, name: str, *arguments: Any, results: int) -> list[ct.c_void_p]:
        """Call a C function whose last parameter is an array for handles, and return the handles."""
        array = (ct.c_void_p * results)(*[1] * results)
        check(getattr(library(), f"suanzi_{name}")(*arguments, array))
        handles = [ct.c_void_p(value) for value in array]
        self.made += handles
        return handles

    def of(self, data: Any) -> ct.c_void_p:
        """Return a handle on a copy of `data`, a tensor or a value that `suanzi.tensor` accepts."""
        x = data if isinstance(data, suanzi.Tensor) else suanzi.tensor(data)
        dtype, order = DTYPES.index(x.dtype.name), x.layout.order
        shape = ints(x.shape)
        if dtype == STRING:
            flat = [text.encode() for text in np.ravel(np.array(x.tolist(), dtype=object))]
            return self.call("tensor", strings(flat), 16 * len(flat), *shape, dtype, None, None)
        memory = np.transpose(numpy_of(x), order[::-1]).tobytes()
        return self.call("tensor", memory, len(memory), *shape, dtype, None, layout(order))

    def scalar(self, value: Any) -> ct.c_void_p:
        """Return a handle on a scalar operand."""
        return self.call("scalar", number(value))

    def destroy(self) -> None:
        for handle in self.made:
            if handle:
                check(library().suanzi_destroy(ct.byref(handle)))


@contextmanager
def handles(keeps: bool = False) -> Iterator[Handles]:
    """Yield a caller of C functions, and destroy the handles at the end.

    After the destruction, Suanzi must use as much memory as before. If `keeps` is True, the functions may keep memory.
    """
    before = in_use()
    made = Handles()
    try:
        yield made
    finally:
        made.destroy()
    assert keeps or in_use() == before


def in_use() -> int:
    bytes_in_use = ct.c_int64()
    check(library().suanzi_memory(ct.byref(bytes_in_use), None))
    return bytes_in_use.value


# --- the contents of a handle ---


def numpy_of(x: suanzi.Tensor) -> Any:
    """Return the elements as a NumPy array. Elements of bfloat16 become 16-bit integers with the same bits."""
    return np.asarray(x).view(np.uint16) if x.dtype == suanzi.bfloat16 else np.asarray(x)


def integers_of(handle: Any, name: str) -> tuple[int, ...]:
    """Return the integers, one for each dimension, that suanzi_shape or suanzi_strides writes for a handle."""
    rank = ct.c_int64()
    check(library().suanzi_rank(handle, ct.byref(rank)))
    numbers = (ct.c_int64 * rank.value)()
    check(getattr(library(), f"suanzi_{name}")(handle, numbers, rank.value))
    return tuple(numbers)


def order_of(handle: Any) -> tuple[int, ...]:
    rank, storage = len(integers_of(handle, "shape")), ct.c_int32()
    numbers = (ct.c_int64 * rank)()
    check(library().suanzi_layout(handle, ct.byref(storage), numbers, rank))
    return tuple(numbers)


def facts_of(handle: Any) -> tuple[str, tuple[int, ...], tuple[int, ...], bytes | list[bytes]]:
    """Return the element type, shape and logical order of a handle, and the bits of its elements in row-major order."""
    dtype, size, width = ct.c_int32(), ct.c_int64(), ct.c_int64()
    check(library().suanzi_dtype(handle, ct.byref(dtype)))
    check(library().suanzi_size(handle, ct.byref(size)))
    check(library().suanzi_dtype_size(dtype, ct.byref(width)))
    buffer = (String * size.value)() if dtype.value == STRING else (ct.c_char * (size.value * width.value))()
    check(library().suanzi_read(handle, buffer, size.value * width.value))
    bits = [s.bytes() for s in buffer] if dtype.value == STRING else buffer.raw
    return DTYPES[dtype.value], integers_of(handle, "shape"), order_of(handle), bits


def facts_of_tensor(x: suanzi.Tensor) -> tuple[str, tuple[int, ...], tuple[int, ...], bytes | list[bytes]]:
    """Return the element type, shape, logical order and bits of a Python tensor in the form of `facts_of`."""
    if x.dtype == suanzi.string:
        bits: bytes | list[bytes] = [text.encode() for text in np.ravel(np.array(x.tolist(), dtype=object))]
    else:
        bits = numpy_of(x).tobytes()
    return x.dtype.name, x.shape, x.layout.order, bits
