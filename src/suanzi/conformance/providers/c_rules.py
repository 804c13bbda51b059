"""The functions that test the rules of suanzi.h, in the process of a library with the C interface.

The module `probes.c_rules` calls each function by name with plain values and tensors. The function returns plain
values, which `probes.c_rules` checks. To test an operator, a function calls the operator with Python's signature,
records the C call, and repeats the C call with one argument changed.
"""

from __future__ import annotations

import ctypes as ct
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..oracle.element_types import Array
from ..provider import BlockedError, needed
from . import c_header as c
from .c_calls import NOT_NULL, Calls, CTensor, Recorded, result_places

if TYPE_CHECKING:
    from .c_library import CLibrary

Answer = tuple[int, bool, str]
"""An answer: the status, whether every result is NULL, and the last message."""

Given = tuple[tuple[Any, ...], dict[str, Any]]

_COUNTS = ("rank", "count", "length_count")
_LISTS = ("int64_t*", "double*", "SuanziTensor*")
_OPTIONAL = {  # parameters for which NULL means "not given" in suanzi.h
    *(("squeeze", "axes"), ("transpose", "axes"), ("flip", "axes"), ("reverse", "axes"), ("reverse", "lengths")),
    *(("slice", "stride"), ("slice", "axes"), ("roll", "axes"), ("split", "sizes"), ("reduce", "axes")),
    *(("interpolate", "sizes"), ("interpolate", "factors"), ("linear", "bias"), ("bilinear", "bias")),
    *(("clip", "min"), ("clip", "max"), ("sparse_tensor", "indptr")),
    *(("quantized_tensor", "data"), ("quantized_tensor", "scale")),
}
_UNSAID = ("expand_dims", "axes")  # suanzi.h has no rule about these axes


def _function(operator: str) -> str:
    return operator.removeprefix("fft.")


def functions(library: CLibrary) -> list[str]:
    """Return the names of the functions that the library has, without the prefix `suanzi_`."""
    return [name.removeprefix("suanzi_") for name in library.calls.functions]


def places(library: CLibrary, operator: str) -> list[tuple[int, str, str]]:
    """Return the place, the name and the kind of each pointer that an operator's C function needs.

    The kind is "operand", "list" or "result" (a pointer to which the function writes a result). Pointers that may be
    NULL are left out.
    """
    function = _function(operator)
    if function in ("shape", "size", "rank", "is_contiguous", "destroy"):
        return []  # `queried` and `destroyed` make these calls
    declared = c.parameters(f"suanzi_{function}")
    found = []
    for place, (kind, name) in enumerate(declared):
        counted = any(p.name in _COUNTS and p.type == "int64_t" for p in declared[place + 1 :])
        listed = kind in _LISTS and (counted or name == "tensors") and name not in ("parts", "results")
        if (function, name) in _OPTIONAL or (function, name) == _UNSAID:
            continue
        if listed:
            found.append((place, name, "list"))
        elif kind == "SuanziTensor":
            found.append((place, name, "operand"))
        elif kind == "SuanziTensor*":
            found.append((place, name, "result"))
    return found


def counts(library: CLibrary, operator: str) -> list[tuple[int, str]]:
    """Return the place and the name of each parameter that is the count of a list, for an operator's C function."""
    if operator == "shape":
        return []  # the count of `shape` is the number of places, which `queried` varies
    declared = c.parameters(f"suanzi_{_function(operator)}")
    return [(place, p.name) for place, p in enumerate(declared) if p.type == "int64_t" and p.name in _COUNTS]


# --- one argument changed ---


def _recorded(library: CLibrary, operator: str, given: Given) -> Recorded:
    """Call an operator with Python's arguments, and return the record of the C call."""
    function = needed(library, operator)
    recorded = Recorded(_function(operator))
    library.calls.recorded = recorded
    try:
        function(*given[0], **given[1])
    finally:
        library.calls.recorded = None
    if not recorded.arguments:
        raise BlockedError(f"{operator}: its example is not a call of suanzi_{recorded.function}")
    return recorded


def _again(calls: Calls, recorded: Recorded, changes: dict[int, Any]) -> Answer:
    """Repeat a recorded call with some arguments changed, and return the answer."""
    handles, pointers = result_places(recorded.count, recorded.is_listed)
    arguments = [*recorded.arguments, *pointers]
    for place, value in changes.items():
        arguments[place] = value
    status = calls.functions[f"suanzi_{recorded.function}"](*arguments)
    first = len(recorded.arguments)
    told = [handle for i, handle in enumerate(handles) if first + (0 if recorded.is_listed else i) not in changes]
    answer = status, not any(told), calls.last_message()
    _end_results(calls, status, handles)
    return answer


def _end_results(calls: Calls, status: int, handles: Any) -> None:
    """Destroy the results of a successful call. A failed call has no results."""
    for handle in handles if status == 0 else ():
        if handle not in (None, NOT_NULL):
            calls.functions["suanzi_destroy"](ct.byref(ct.c_void_p(handle)))


def with_null(library: CLibrary, operator: str, place: int, args: Any, options: Any) -> Answer:
    """Repeat an operator's C call with NULL for the argument at a place."""
    return _again(library.calls, _recorded(library, operator, (args, options)), {place: None})


def with_count(library: CLibrary, operator: str, place: int, count: int, args: Any, options: Any) -> Answer:
    """Repeat an operator's C call with another count. If the count is positive, each list before the count has `count`
    elements.
    """
    recorded = _recorded(library, operator, (args, options))
    changes: dict[int, Any] = {place: count}
    declared = c.parameters(f"suanzi_{recorded.function}")
    for i in range(place - 1, -1, -1):
        if declared[i].type not in _LISTS[:2]:
            break
        if recorded.arguments[i] is None or count > 0:
            changes[i] = (_NUMBERS[declared[i].type] * max(count, 1))(*[1] * max(count, 1))
    status, is_null, message = _again(library.calls, recorded, changes)
    return status, is_null or recorded.is_listed, message  # a function cannot set -1 results to NULL


_NUMBERS: dict[str, Any] = {"int64_t*": ct.c_int64, "double*": ct.c_double}


def queried(library: CLibrary, function: str, tensor: Any, how: str) -> Answer:
    """Call a function that reads properties of a handle.

    The values of `how` are "of NULL", "to NULL", and "too few", "too many" or "a negative number of" places or bytes.
    """
    calls = library.calls
    if not calls.has(function):
        raise BlockedError(f"needs suanzi_{function}, which the library does not have")
    handle = None if how == "of NULL" else tensor.handle
    rank = len(calls.shape(tensor))
    memory = (ct.c_char * (_BYTES + 16 * 70))()
    address = ct.addressof(memory)
    arguments: list[Any] = []
    for kind, name in c.parameters(f"suanzi_{function}")[1:]:
        if name == "count":
            arguments.append(rank + {"too few": -1, "too many": 1, "a negative number of": -1 - rank}.get(how, 0))
        elif name == "bytes":
            exact = int(np.prod(calls.shape(tensor))) * 4
            arguments.append(exact + {"too few": -4, "too many": 4, "a negative number of": -exact - 4}.get(how, 0))
        elif kind.endswith("*"):
            arguments.append(ct.cast(address, c.type_of(kind)) if how != "to NULL" else None)
    status = calls.functions[f"suanzi_{function}"](handle, *arguments)
    return status, True, calls.last_message()


_BYTES = 4096  # more bytes than the elements of any tested tensor take


def destroyed(library: CLibrary, how: str) -> Answer:
    """Call `suanzi_destroy` on NULL if `how` is "no place", or on a pointer to NULL if `how` is "NULL"."""
    calls, nothing = library.calls, ct.c_void_p()
    status = calls.functions["suanzi_destroy"](None if how == "no place" else ct.byref(nothing))
    return status, not nothing, calls.last_message()


def described(library: CLibrary, function: str, changes: dict[str, int]) -> Answer:
    """Call `tensor` or `from_reference` for 6 float32 elements with some numbers changed.

    The numbers are bytes, rank, dtype, the first size, and the offset of the address.
    """
    calls = library.calls
    if not calls.has(function):
        raise BlockedError(f"needs suanzi_{function}, which the library does not have")
    memory = (ct.c_float * 64)(*range(64))
    sizes = (ct.c_int64 * 65)(*[changes.get("size", 2), 3, *[1] * 63])
    data = ct.c_void_p(ct.addressof(memory) + changes.get("offset", 0))
    release = (c.RELEASE(), None) if function == "from_reference" else ()
    handles, pointers = result_places(1, False)
    type_number = changes.get("dtype", c.DTYPES.index("float32"))
    given = (data, changes.get("bytes", 24), sizes, changes.get("rank", 2), type_number, None, None, *release)
    status = calls.functions[f"suanzi_{function}"](*given, *pointers)
    answer = status, handles[0] is None, calls.last_message()
    _end_results(calls, status, handles)
    return answer


# --- messages and names ---


def names(library: CLibrary, codes: list[int]) -> list[str]:
    """Return the names that `suanzi_status_name` returns for codes."""
    if not library.calls.has("status_name"):
        raise BlockedError("needs suanzi_status_name, which the library does not have")
    found = library.calls.functions["suanzi_status_name"]
    return [(found(code) or b"NULL").decode(errors="replace") for code in codes]


def messages(library: CLibrary) -> dict[str, str]:
    """Return the last message at five times. The first thread has a message after a failure, after a success, and at
    the end. The second thread has a message before and after a failure of its own. The failure in the first thread is a
    call of `suanzi_rank` on NULL. The failure in the second thread is a call of `suanzi_shape` for 99 sizes.
    """
    calls = library.calls
    if not calls.has("last_message"):
        raise BlockedError("needs suanzi_last_message, which the library does not have")
    ask = calls.functions["suanzi_last_message"]
    rank, found = ct.c_int64(), ct.c_int64()

    def told() -> str:
        text = ask()
        return "NULL" if text is None else text.decode(errors="replace")

    def fail() -> None:
        calls.functions["suanzi_rank"](None, ct.byref(rank))

    times: dict[str, str] = {}
    fail()
    times["after a failure"] = told()
    tensor = calls.tensor(np.zeros(3, np.float32), "float32", (3,))
    calls.functions["suanzi_rank"](tensor.handle, ct.byref(found))
    times["after a success"] = told()

    def elsewhere() -> None:
        times["in a thread without a failure"] = told()
        calls.functions["suanzi_shape"](tensor.handle, ct.byref(rank), 99)
        times["after a failure there"] = told()

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    times["here, after a failure elsewhere"] = told()
    return times


# --- memory ---


def releases(library: CLibrary, how: str) -> list[int]:
    """Count the calls of the release function of `from_reference`, and return the counts at several times. The last
    number of the result is 1 if each call passed the right context, otherwise 0.

    If `how` is "alone", the times are after the tensor is made, after the tensor is destroyed, and after another call.
    If `how` is "shared", two more numbers follow the count after the tensor is destroyed. The first number is 1 if a
    view or copy of the tensor still has the right elements, otherwise 0. The second number is the count after this view
    or copy is destroyed. If `how` is "failed", the call of `from_reference` fails, and the result has only the first
    count. If `how` is "NULL", the call of `from_reference` passes no release function. If the call of `from_reference`
    fails although `how` is not "failed", the result is [-1].
    """
    calls = library.calls
    if not calls.has("from_reference"):
        raise BlockedError("needs suanzi_from_reference, which the library does not have")
    contexts: list[int] = []
    release = c.RELEASE(contexts.append) if how != "NULL" else c.RELEASE()
    memory = np.arange(6, dtype=np.float32)
    sizes = c.ints((2, 3))
    handles, pointers = result_places(1, False)
    length = 4 if how == "failed" else memory.nbytes
    given = (memory.ctypes.data, length, *sizes, c.DTYPES.index("float32"), None, None, release, 77)
    status = calls.functions["suanzi_from_reference"](*given, *pointers)
    times = [len(contexts)]
    if status != 0:
        return times if how == "failed" else [-1]
    tensor = CTensor(calls, ct.c_void_p(handles[0]))
    further = None
    if how == "shared":
        if not calls.has("reshape"):
            raise BlockedError("needs suanzi_reshape, which the library does not have")
        further = calls.results("reshape", tensor.handle, *c.ints((3, 2)), count=1)[0]
    _end(calls, tensor)
    times.append(len(contexts))
    if further is not None:
        if contexts:  # the owner may use the memory again
            memory[...] = -1
        times.append(int(np.array_equal(calls.array(further).ravel(), np.arange(6, dtype=np.float32))))
        _end(calls, further)
        times.append(len(contexts))
    _end(calls, calls.tensor(np.zeros(2, np.float32), "float32", (2,)))
    times.append(len(contexts))
    times.append(int(all(context == 77 for context in contexts)))
    return times


def _end(calls: Calls, tensor: CTensor) -> None:
    calls.functions["suanzi_destroy"](ct.byref(tensor.handle))
    tensor.handle = ct.c_void_p()


def user_data(library: CLibrary) -> list[int]:
    """Return five numbers about the user data of a handle. The first number is the user data of a new handle, or 0 for
    NULL. The second number is the user data after a call of `set_user_data`. The third number is the number of releases
    of this user data after a second call with other user data. The last two numbers are the numbers of releases of the
    first and of the second user data after the handle is destroyed.
    """
    calls = library.calls
    for function in ("set_user_data", "user_data"):
        if not calls.has(function):
            raise BlockedError(f"needs suanzi_{function}, which the library does not have")
    released: list[int] = []
    release = c.RELEASE(lambda data: released.append(data))
    tensor = calls.tensor(np.zeros(2, np.float32), "float32", (2,))
    found = ct.c_void_p()
    calls.call("user_data", tensor.handle, ct.byref(found))
    times = [found.value or 0]
    calls.call("set_user_data", tensor.handle, 55, release)
    calls.call("user_data", tensor.handle, ct.byref(found))
    times.append(found.value or 0)
    calls.call("set_user_data", tensor.handle, 66, release)
    times.append(released.count(55))
    _end(calls, tensor)
    return [*times, released.count(55), released.count(66)]


def _resident() -> int:
    """Return the bytes of the process's memory, without the allocator's reserve, which would hide a leak."""
    status = Path("/proc/self/statm")
    if not status.exists():
        raise BlockedError("needs a system that reports the memory of a process")
    trim = getattr(ct.CDLL(None), "malloc_trim", None)  # only glibc has malloc_trim
    if trim is not None:
        trim(ct.c_size_t(0))
    return int(status.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def growth(library: CLibrary, operator: str, count: int, args: Any, options: Any) -> int:
    """Return the bytes by which the process grows when a call is repeated and the results are destroyed."""
    calls = library.calls
    recorded = _recorded(library, operator, (args, options))
    for _ in range(count // 10 + 1):
        _again(calls, recorded, {})
    before = _resident()
    for _ in range(count):
        _again(calls, recorded, {})
    return _resident() - before


def made_and_destroyed(library: CLibrary, function: str, count: int) -> int:
    """Return the bytes by which the process grows when tensors of 4 KiB are made and destroyed."""
    calls = library.calls
    if not calls.has(function):
        raise BlockedError(f"needs suanzi_{function}, which the library does not have")
    memory = np.zeros(1024, np.float32)

    def once() -> None:
        if function == "from_reference":
            calls.reference(memory, "float32", (1024,), None, None)
        else:
            calls.tensor(memory, "float32", (1024,))

    for _ in range(count // 10 + 1):
        once()
    before = _resident()
    for _ in range(count):
        once()
    return _resident() - before


def written(library: CLibrary, operator: str, args: Any, options: Any) -> bool:
    """Return whether a write into the first operand's memory changes the result."""
    calls = library.calls
    recorded = _recorded(library, operator, (args, options))
    found = _elements(calls, recorded)
    handles, pointers = result_places(recorded.count, False)
    if found is None or calls.functions[f"suanzi_{recorded.function}"](*recorded.arguments, *pointers) != 0:
        raise BlockedError(f"{operator}: its example does not succeed")
    tensors = [CTensor(calls, ct.c_void_p(handle)) for handle in handles]
    place = ct.c_void_p()
    calls.call("data", args[0].handle, ct.byref(place))
    assert place.value
    ct.memset(place.value, 7, 1)
    return not _alike([calls.array(tensor) for tensor in tensors], found)


def threads(library: CLibrary, operator: str, count: int, args: Any, options: Any) -> tuple[int, int]:
    """Make the same call on the same operands in several threads. Return how many calls fail, and how many calls return
    other results than one thread.
    """
    calls = library.calls
    recorded = _recorded(library, operator, (args, options))
    if not recorded.count or recorded.is_listed:
        raise BlockedError(f"{operator}: returns no tensors by pointers")
    usual = _elements(calls, recorded)
    found: list[list[Array] | None] = []

    def run() -> None:
        for _ in range(8):
            found.append(_elements(calls, recorded))

    several = [threading.Thread(target=run) for _ in range(count)]
    for thread in several:
        thread.start()
    for thread in several:
        thread.join()
    failed = sum(arrays is None for arrays in found)
    same = (arrays is not None and usual is not None and _alike(arrays, usual) for arrays in found)
    return failed, len(found) - failed - sum(same)


def _elements(calls: Calls, recorded: Recorded) -> list[Array] | None:
    handles, pointers = result_places(recorded.count, False)
    status = calls.functions[f"suanzi_{recorded.function}"](*recorded.arguments, *pointers)
    if status != 0:
        return None
    tensors = [CTensor(calls, ct.c_void_p(handle)) for handle in handles]
    return [calls.array(tensor) for tensor in tensors]


def _alike(found: list[Array], usual: list[Array]) -> bool:
    return all(a.shape == b.shape and a.tobytes() == b.tobytes() for a, b in zip(found, usual, strict=True))


RULES: dict[str, Callable[..., Any]] = {
    "functions": functions,
    "places": places,
    "counts": counts,
    "with null": with_null,
    "with count": with_count,
    "queried": queried,
    "destroyed": destroyed,
    "described": described,
    "names": names,
    "messages": messages,
    "releases": releases,
    "user data": user_data,
    "growth": growth,
    "made and destroyed": made_and_destroyed,
    "threads": threads,
    "written": written,
}
