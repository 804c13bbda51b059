"""Calls and tensors of a library with the C interface, from which `c_library` builds operators."""

from __future__ import annotations

import ctypes as ct
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..oracle.element_types import ELEMENT_TYPES, Array
from ..provider import BlockedError
from ..remote import ProviderError
from ..status import Status, StatusError
from . import c_header as c

NUMPY_TYPES = {name: ELEMENT_TYPES[name].numpy for name in c.DTYPES if name in ELEMENT_TYPES}
NOT_NULL = 1  # a result's value before a call, which the function must set to NULL on failure


def result_places(count: int, is_listed: bool) -> tuple[Any, list[Any]]:
    """Return places for results, and pointers to the places: one pointer for each result, or one pointer for all
    results.
    """
    handles = (ct.c_void_p * count)(*[NOT_NULL] * count)
    size = ct.sizeof(ct.c_void_p)
    places = [ct.byref(handles, size * i) for i in range(1 if is_listed else count)]
    return handles, [ct.cast(place, ct.POINTER(ct.c_void_p)) for place in places]


class CallError(Exception):
    """The error of a call that returned another status than success."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status if status not in list(Status) else Status(status)


class CTensor:
    """The handle of a tensor. The end of the Python object destroys the tensor."""

    def __init__(self, calls: Calls, handle: ct.c_void_p) -> None:
        self.calls, self.handle = calls, handle

    @property
    def shape(self) -> tuple[int, ...]:
        """Return the sizes of the tensor's dimensions."""
        return self.calls.shape(self)

    def __del__(self) -> None:
        if self.handle:
            self.calls.functions["suanzi_destroy"](ct.byref(self.handle))


class Recorded:
    """The last call of one function, with all memory to which its arguments point."""

    def __init__(self, function: str) -> None:
        self.function = function
        self.arguments: tuple[Any, ...] = ()  # the arguments without the results
        self.count = 0  # the number of results, or 0 without results
        self.is_listed = False  # True if the results fill one array
        self.kept: list[CTensor] = []

    def add(self, name: str, arguments: tuple[Any, ...], count: int = 0, is_listed: bool = False) -> None:
        """Record a call of the function, and ignore calls of other functions."""
        if name == self.function:
            self.arguments, self.count, self.is_listed = arguments, count, is_listed


class Calls:
    """A shared library with some of the functions of suanzi.h."""

    recorded: Recorded | None = None  # the record to which calls are added

    def __init__(self, path: str | Path) -> None:
        try:
            library = c.open_library(Path(path).resolve())  # a bare name would mean a system library
        except OSError as error:
            raise ProviderError(f"{path}: {error}") from None
        found = {name: getattr(library, name, None) for name in c.prototypes()}
        self.functions: dict[str, Any] = {name: function for name, function in found.items() if function}
        self._kept: dict[int, Array] = {}  # shared memory, by the context that the library passes back
        self._release = c.RELEASE(self._let_go)
        self._check(path)

    def _check(self, path: str | Path) -> None:
        needed = ("c_version", "tensor", "destroy", "dtype", "rank", "shape", "read")
        missing = [f"suanzi_{name}" for name in needed if f"suanzi_{name}" not in self.functions]
        if missing:
            raise ProviderError(f"{path}: has no {', '.join(missing)}, which every check needs")
        version = self.functions["suanzi_c_version"]()
        if version // 100 != c.major_version():
            wanted = c.major_version()
            raise ProviderError(f"{path}: is of version {version} of suanzi.h; the kit checks version {wanted}xx")

    def _let_go(self, context: int) -> None:
        self._kept.pop(context, None)

    def has(self, name: str) -> bool:
        """Return whether the library has the function of a given name."""
        return f"suanzi_{name}" in self.functions

    def call(self, name: str, *arguments: Any) -> None:
        """Call a function. Raise CallError if the call does not succeed."""
        if not self.has(name):
            raise BlockedError(f"needs suanzi_{name}, which the library does not have")
        if self.recorded is not None and not self.recorded.count:
            self.recorded.add(name, arguments)
        status = self.functions[f"suanzi_{name}"](*arguments)
        if status != 0:
            raise CallError(status, f"{name}: {self.last_message()}")

    def last_message(self) -> str:
        """Return the text of `suanzi_last_message`, or an empty text if the library lacks this function."""
        found = self.functions["suanzi_last_message"]() if self.has("last_message") else b""
        return (found or b"").decode(errors="replace")

    def results(self, name: str, *arguments: Any, count: int, listed: bool = False) -> list[CTensor]:
        """Return the results of a function: from its last `count` parameters, or from one array of `count` results."""
        handles, given = result_places(count, listed)
        if self.recorded is not None:
            self.recorded.add(name, arguments, count, listed)
        try:
            self.call(name, *arguments, *given)
        except CallError as error:
            if any(handles):
                raise StatusError(
                    Status.INTERNAL_ERROR, f"{error}; and a result is not NULL (suanzi.h, Results)"
                ) from None
            raise
        wrong = [handle for handle in handles if handle in (None, NOT_NULL)]
        if wrong:
            raise StatusError(Status.INTERNAL_ERROR, f"{name}: succeeded, and returned no result")
        made = [CTensor(self, ct.c_void_p(handle)) for handle in handles]
        if self.recorded is not None:
            self.recorded.kept += made
        return made

    def value(self, name: str, tensor: CTensor, kind: Any) -> Any:
        """Return the value that a query writes through its pointer."""
        found = kind()
        self.call(name, tensor.handle, ct.byref(found))
        return found.value

    # --- tensors from arrays, and arrays from tensors ---

    def shape(self, tensor: CTensor) -> tuple[int, ...]:
        """Return the sizes of the tensor's dimensions."""
        rank = self.value("rank", tensor, ct.c_int64)
        if not 0 <= rank <= c.constants().get("SUANZI_MAX_RANK", 64):
            raise StatusError(Status.INTERNAL_ERROR, f"rank: returned {rank}")
        sizes = (ct.c_int64 * rank)()
        self.call("shape", tensor.handle, sizes, rank)
        return tuple(sizes)

    def order(self, tensor: CTensor) -> tuple[int, ...]:
        """Return the logical order of the tensor's memory."""
        rank = len(self.shape(tensor))
        order, storage = (ct.c_int64 * rank)(), ct.c_int32()
        self.call("layout", tensor.handle, ct.byref(storage), order, rank)
        return tuple(order)

    def array(self, tensor: CTensor) -> Array:
        """Return the elements of a dense tensor. Strings are returned as an array of str."""
        dtype, shape = self.value("dtype", tensor, ct.c_int32), self.shape(tensor)
        if not 0 <= dtype < len(c.DTYPES) or c.DTYPES[dtype] not in (*NUMPY_TYPES, "string"):
            raise StatusError(Status.INTERNAL_ERROR, f"dtype: returned {dtype}")
        size = int(np.prod(shape, dtype=object))
        if dtype == c.STRING:
            texts = (c.String * size)()
            self.call("read", tensor.handle, texts, ct.sizeof(texts))
            words = [text.bytes().decode() for text in texts]
            return np.array(words, "U").reshape(shape)
        elements = np.empty(shape, NUMPY_TYPES[c.DTYPES[dtype]])
        self.call("read", tensor.handle, elements.ctypes.data, elements.nbytes)
        return elements

    def tensor(
        self, memory: Array, dtype: str, shape: Sequence[int], device: Any = None, layout: Any = None
    ) -> CTensor:
        """Copy elements in memory order to a new tensor (chapter 7.2.1.1)."""
        data: Any = memory.ctypes.data
        length = memory.nbytes
        if dtype == "string":
            data = c.strings([text.encode() for text in memory.ravel().tolist()])
            length = ct.sizeof(data)
        described = (*c.ints(shape), c.DTYPES.index(dtype), device, layout)
        return self.results("tensor", data, length, *described, count=1)[0]

    def reference(self, memory: Array, dtype: str, shape: Sequence[int], device: Any, layout: Any) -> CTensor:
        """Make a tensor on the elements' memory (chapter 7.2.1.2), and keep the memory alive until the library releases
        the memory.
        """
        context = id(memory)
        self._kept[context] = memory
        described = (*c.ints(shape), c.DTYPES.index(dtype), device, layout)
        try:
            data = memory.ctypes.data, memory.nbytes
            return self.results("from_reference", *data, *described, self._release, context, count=1)[0]
        except CallError:
            self._kept.pop(context, None)
            raise

    def from_array(self, array: Array) -> CTensor:
        """Make a tensor with the elements and the memory order of an array. If the library has the function `slice`,
        the tensor also has the array's gaps between elements and negative strides.
        """
        dtype = "string" if array.dtype.kind == "U" else array.dtype.name
        order = tuple(sorted(range(array.ndim), key=lambda axis: (abs(array.strides[axis]), -axis)))
        backwards = [stride < 0 for stride in array.strides]
        memory = array.transpose(order[::-1])
        gaps = not memory.flags.c_contiguous and array.size > 0
        if dtype != "string" and gaps and all(array.strides) and self.has("slice"):
            return self._with_gaps(memory, dtype, array, order, backwards)
        in_order = order != tuple(range(array.ndim))[::-1]
        try:
            given = np.ascontiguousarray(memory).reshape(memory.shape)
            return self.tensor(given, dtype, array.shape, None, c.layout(order) if in_order else None)
        except CallError:  # a library without layouts is tested on elements only
            if not in_order:
                raise
            return self.tensor(np.ascontiguousarray(array), dtype, array.shape)

    def _with_gaps(
        self, memory: Array, dtype: str, array: Array, order: tuple[int, ...], backwards: list[bool]
    ) -> CTensor:
        """Return a view of every other element of a larger tensor. Along axes with negative strides, the view begins at
        the end of the larger tensor.
        """
        steps = [-2 if reverse else 2 for reverse in backwards]
        wide = np.zeros([2 * size for size in memory.shape], array.dtype)
        wide[tuple(slice(None, None, steps[axis]) for axis in order[::-1])] = memory
        whole = self.tensor(wide, dtype, [2 * size for size in array.shape], None, c.layout(order))
        begin = [2**63 - 1 if reverse else 0 for reverse in backwards]
        end = [-(2**63) if reverse else 2**63 - 1 for reverse in backwards]
        bounds = (c.ints(begin)[0], c.ints(end)[0], c.ints(steps)[0], None, array.ndim)
        return self.results("slice", whole.handle, *bounds, count=1)[0]
