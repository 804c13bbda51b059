"""A C function that is called wrongly returns an error status, stores a message, and returns no handle."""

from __future__ import annotations

import ctypes as ct
import re
import threading
from typing import Any

import numpy as np
import pytest
from c_mistakes import BAD, Bad
from interface import FLOAT32, Failed, Handles, check, facts_of, handles, in_use, integers_of, library, message

from suanzi import Status
from suanzi.conformance.providers.c_header import RELEASE, ints, layout, prototypes

pytestmark = pytest.mark.one_level

NULL = ct.c_void_p()
LAST = 2**63 - 1


def fails(status: Status, said: str, name: str, *arguments: Any, results: int = 1) -> None:
    """Check that a call returns a given status, stores a message with given words, and sets every result to NULL."""
    out = [ct.c_void_p(1) for _ in range(results)]
    given = getattr(library(), f"suanzi_{name}")(*arguments, *(ct.byref(handle) for handle in out))
    assert (Status(given), message()) == (status, message())
    assert said in message()
    assert [handle.value for handle in out] == [None] * results


def operand_positions(name: str) -> list[int]:
    return [i for i, p in enumerate(prototypes()[name][1]) if p.startswith("const SuanziTensor ")]


OPTIONAL = {"suanzi_sparse_tensor": (5,), "suanzi_quantized_tensor": (2, 3), "suanzi_clip": (1, 2)} | {
    "suanzi_linear": (2,),
    "suanzi_bilinear": (3,),
}


def plausible(kind: Any, x: ct.c_void_p) -> Any:
    """Return an argument of a given C type that a function can accept: the handle `x`, 0, False, or NULL."""
    if kind is ct.c_void_p:
        return x
    if kind in (ct.c_int32, ct.c_int64, ct.c_uint64):
        return 0
    return {ct.c_bool: False, ct.c_double: 0.0, RELEASE: RELEASE()}.get(kind)


@pytest.mark.parametrize("name", [name for name in prototypes() if operand_positions(name)])
def test_null_operand(name: str) -> None:
    """Every function refuses NULL for each required operand if the other operands are valid."""
    function = getattr(library(), name)
    with handles() as c:
        x = c.of([[1.0, 2.0], [3.0, 5.0]])
        for position in operand_positions(name):
            if position in OPTIONAL.get(name, ()):
                continue
            arguments = [plausible(kind, x) for kind in function.argtypes]
            for i, declared in enumerate(prototypes()[name][1]):
                if declared.startswith("SuanziTensor*"):
                    arguments[i] = ct.byref(ct.c_void_p(1))
                elif (
                    re.match(r"(?!const )\w+\*|const \w+\*\*|void\*\*", declared)
                    and function.argtypes[i] is not ct.c_void_p
                ):
                    arguments[i] = (function.argtypes[i]._type_ * 64)()  # room for values that the function writes
            arguments[position] = NULL
            assert Status(function(*arguments)) == Status.UNINITIALIZED_OBJECT, (position, message())
            assert "NULL" in message()


@pytest.mark.parametrize(
    "name", [n for n, (_, p) in prototypes().items() if any(text.startswith("SuanziTensor*") for text in p)]
)
def test_null_result(name: str) -> None:
    """Every function refuses NULL as the address at which the function stores a result."""
    if name == "suanzi_destroy":
        assert Status(library().suanzi_destroy(None)) == Status.INVALID_ARGUMENT
        return
    function = getattr(library(), name)
    with handles() as c:
        x = c.of([[1.0, 2.0], [3.0, 5.0]])
        arguments = [plausible(kind, x) for kind in function.argtypes]
        for i, declared in enumerate(prototypes()[name][1]):
            if declared.startswith("SuanziTensor*"):
                arguments[i] = None
            if declared == "int64_t count":
                arguments[i] = 2
        assert Status(function(*arguments)) == Status.INVALID_ARGUMENT, message()
        assert "NULL" in message()


@pytest.mark.parametrize("bad", BAD, ids=lambda bad: f"{bad[2]}-{bad[1][:20]}")
def test_refused(bad: Bad) -> None:
    status, said, name, arguments = bad
    with handles() as c:
        fails(status, said, name, *arguments(c))


def test_several_results() -> None:
    """A failing function sets all its results to NULL.

    A function fails if the pointer to one of its results is NULL.
    """
    with handles() as c:
        x = c.of([1.0, 2.0])
        fails(Status.DIMENSIONS_MISMATCH, "svd: ", "svd", x, True, results=3)
        u = ct.c_void_p(1)
        matrix = c.of([[1.0, 2.0], [3.0, 5.0]])
        before = in_use()
        status = library().suanzi_svd(matrix, True, ct.byref(u), None, None)
        assert (Status(status), u.value, in_use()) == (Status.INVALID_ARGUMENT, None, before)
        parts = (ct.c_void_p * 3)(1, 1, 1)
        assert Status(library().suanzi_unstack(x, 0, 3, parts)) == Status.DIMENSIONS_MISMATCH
        assert list(parts) == [None] * 3
        assert Status(library().suanzi_split(x, None, -1, 0, False, parts)) == Status.INVALID_ARGUMENT


def test_queries_of_other_sizes() -> None:
    with handles() as c:
        x = c.of([[1.0, 2.0]])
        numbers, room = (ct.c_int64 * 4)(*[7] * 4), ct.create_string_buffer(8)
        for count in (-1, 1, 3, LAST):
            assert Status(library().suanzi_shape(x, numbers, count)) == Status.DIMENSIONS_MISMATCH
        for size in (-8, 0, 7, 9, LAST):
            assert Status(library().suanzi_read(x, room, size)) == Status.DIMENSIONS_MISMATCH
        assert Status(library().suanzi_read(x, None, 8)) == Status.INVALID_ARGUMENT
        assert list(numbers) == [7] * 4


def test_reference() -> None:
    """The caller's memory is released once, when the last view is destroyed. A failed call releases no memory."""
    data, released = np.arange(6.0, dtype=np.float32), []
    release = RELEASE(lambda context: released.append(context))
    fails(
        Status.INVALID_ARGUMENT, "permutation", "from_reference", data.ctypes.data, 24, *ints((2, 3)), FLOAT32, None,
        layout((0, 0)), release, 5,
    )  # fmt: skip
    made = Handles()
    x = made.call("from_reference", data.ctypes.data, 24, *ints((2, 3)), FLOAT32, None, None, release, 5)
    view = made.call("transpose", x, None, 0)
    data[1] = 9
    assert np.frombuffer(facts_of(view)[3], np.float32).tolist() == [0, 3, 9, 4, 2, 5]
    name = ct.c_char_p()
    check(library().suanzi_allocator(x, ct.byref(name)))
    assert name.value == b"external"
    check(library().suanzi_destroy(ct.byref(x)))
    assert released == []
    check(library().suanzi_destroy(ct.byref(view)))
    assert released == [5]


def test_user_data() -> None:
    released = []
    release = RELEASE(lambda data: released.append(data))
    with handles() as c:
        x, data = c.of([1.0]), ct.c_void_p()
        check(library().suanzi_set_user_data(x, 5, release))
        check(library().suanzi_user_data(x, ct.byref(data)))
        assert data.value == 5
        check(library().suanzi_set_user_data(x, 6, release))
        assert released == [5]
        check(library().suanzi_user_data(c.call("clone", x), ct.byref(data)))
        assert data.value is None
    assert released == [5, 6]


def test_views_outlive() -> None:
    """A view and the address of its elements stay valid after the viewed tensor is destroyed."""
    with handles() as c:
        x, address = c.of(["算子", "b"]), ct.c_void_p()
        view = c.call("flip", x, None, 0)
        check(library().suanzi_destroy(ct.byref(x)))
        assert facts_of(view)[3] == [b"b", "算子".encode()]
        check(library().suanzi_data(view, ct.byref(address)))
        assert address.value


def test_result_over_its_operand() -> None:
    """A function may write its result over an operand's handle. The caller must still destroy the operand."""
    with handles() as c:
        x = c.of([1.0, 2.0])
        held = ct.c_void_p(x.value)
        check(library().suanzi_add(held, held, ct.byref(held)))
        c.made.append(held)
        assert held.value != x.value
        assert np.frombuffer(facts_of(held)[3], np.float32).tolist() == [2, 4]


def test_threads() -> None:
    """Each thread reads the message of its own last failure, while other threads use the same tensor."""
    wrong: list[str] = []

    def work(count: int, x: ct.c_void_p) -> None:
        for _ in range(200):
            y = ct.c_void_p()
            if library().suanzi_reshape(x, *ints((count, count)), ct.byref(y)) != Status.DIMENSIONS_MISMATCH.value:
                wrong.append("status")
            if f"({count}, {count})" not in message():
                wrong.append(message())
            check(library().suanzi_add(x, x, ct.byref(y)))
            check(library().suanzi_destroy(ct.byref(y)))

    with handles() as c:
        x = c.of([1.0] * 7)
        threads = [threading.Thread(target=work, args=(count, x)) for count in range(2, 6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert wrong == []


def test_message_lasts() -> None:
    """A message lasts until the next failure in the same thread, also beyond successful calls."""
    with handles() as c:
        x = c.of([1.0, 2.0])
        fails(Status.DIMENSIONS_MISMATCH, "reshape", "reshape", x, *ints((3,)))
        assert integers_of(x, "shape") == (2,)
        assert "reshape" in message()


def test_failed_shows_the_message() -> None:
    with handles() as c, pytest.raises(Failed, match="cholesky: "):
        c.call("cholesky", c.of([[1.0, 2.0], [2.0, 1.0]]), False)


def test_runtime() -> None:
    count, bytes_in_use, cached = ct.c_int32(), ct.c_int64(), ct.c_int64()
    check(library().suanzi_num_threads(ct.byref(count)))
    assert count.value >= 1
    for wrong in (0, -1, 1025):
        assert Status(library().suanzi_set_num_threads(wrong)) == Status.INVALID_ARGUMENT
    check(library().suanzi_set_num_threads(count.value))
    check(library().suanzi_release_memory())
    check(library().suanzi_memory(ct.byref(bytes_in_use), ct.byref(cached)))
    assert bytes_in_use.value >= 0
    assert Status(library().suanzi_set_blas(None)) == Status.INVALID_ARGUMENT
