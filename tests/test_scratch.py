"""A call needs no more memory than the result and the scratch that the function declares, and frees the scratch."""

from __future__ import annotations

import gc
import inspect
import sys
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from typing import Any

import pytest

import suanzi
from calls import CALLS, Call, Maker, missing
from samples import THING
from suanzi import QuantizedTensor, SuanziError, Tensor, memory
from suanzi.operators import scratch
from suanzi.operators.registry import Record, lookup
from suanzi.operators.scratch import bound

ROUNDING = 9 / 8  # the allocator rounds sizes up by at most this factor


def _strided(x: Tensor) -> Tensor:
    return suanzi.stack([x, x], -1)[..., 0]


def _typed(name: str) -> Callable[[Tensor], Tensor]:
    return lambda x: x.astype(name) if x.dtype is suanzi.float32 else x


def _texts(x: Tensor) -> Tensor:
    return suanzi.tensor(x.numpy().astype(str)) if x.dtype is suanzi.float32 else x


FORMS: dict[str, Callable[[Tensor], Tensor]] = {
    "C order": lambda x: x,
    "strided": _strided,
    "float16": _typed("float16"),
    "complex128": _typed("complex128"),
    "int8": _typed("int8"),
}


@lru_cache(maxsize=64)
def operand(make: Maker, size: int, form: str) -> Tensor:
    return (_texts if form == "string" else FORMS[form])(make(size))


def tensors(result: Any) -> Iterator[Tensor]:
    if isinstance(result, Tensor):
        yield result
    elif isinstance(result, QuantizedTensor):
        yield result.codes
    elif isinstance(result, tuple | list):
        for x in result:
            yield from tensors(x)


def parameters(record: Record, call: Call, operands: list[Tensor], result: Any) -> dict[str, Any]:
    """Return the values that a scratch declaration may name: the parameters of a call, and the call's result."""
    found = dict(call.given)
    left = list(operands)
    for p in inspect.signature(record.function).parameters.values():
        if p.kind is p.VAR_POSITIONAL:
            found[p.name], left = left, []
        elif p.name not in found:
            found[p.name] = left.pop(0) if left and p.annotation != "str" else p.default
    return {**found, "result": next(tensors(result), None)}


def declared(call: Call, operands: list[Tensor], result: Any) -> int:
    """Return the scratch that the function's declaration allows for given operands."""
    if call.function.startswith("Tensor."):
        index = operands[1] if len(operands) > 1 else None
        return bound(METHODS.get(call.name), {"index": index}, suanzi.get_num_threads())
    record = lookup(call.function)
    return bound(record.scratch, parameters(record, call, operands, result), suanzi.get_num_threads())


# The scratch of methods, because methods have no declarations. An assignment converts a mask to positions.
METHODS = {"Tensor.__setitem__ mask": 8 * scratch.size("index")}


def taken(run: Callable[[], Any]) -> tuple[int, Any]:
    """Run a call twice. Return the peak memory of the second run beyond the memory of the result, and the result."""
    result = run()  # the first run also fills caches
    del result
    before = memory.statistics()["in_use"]
    memory.reset_peak()
    result = run()
    statistics = memory.statistics()
    return statistics["peak"] - max(before, statistics["in_use"]), result


def test_terms_are_shown_as_they_are_computed() -> None:
    x, n = suanzi.ones((4, 3)), scratch.number("n")
    terms = {
        2 * scratch.wide("x") + 2**21: "2 * wide(x) + 2**21",
        (8 * scratch.ndim("x") + 1) * scratch.size("x"): "(8 * x.ndim + 1) * x.size",
        scratch.copy("x") + (n + scratch.last("x")): "copy(x) + n + x.shape[-1]",
        n * (scratch.itemsize("x") // 2): "n * (x.dtype.itemsize // 2)",
        8 * scratch.greatest(scratch.nbytes("x"), n): "8 * max(x.nbytes, n)",
        scratch.THREADS * (n + n): "threads * (n + n)",
    }
    values = [2 * 48 + 2**21, 17 * 12, 5 + 3, 5 * 2, 8 * 48, 3 * 10]
    for (term, text), value in zip(terms.items(), values, strict=True):
        assert str(term) == text
        assert bound(term, {"x": x, "n": 5}, 3) == value + 3 * scratch.EACH_THREAD


def test_every_function_has_a_call() -> None:
    assert missing() == set()


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.name)
@pytest.mark.usefixtures("keep_threads")
def test_scratch(call: Call, form: str) -> None:
    for size, threads in ((2**16, 1), (2**19, 2)):
        # Operands in C order are tested in both sizes. Other layouts are tested only in the largest size of the call.
        if size > call.largest or (form != "C order" and size == 2**16 and call.largest > size):
            continue
        suanzi.set_num_threads(threads)
        operands = [operand(make, size, form) for make in call.makers]
        try:
            found, result = taken(call.bound(operands, size))
        except suanzi.TypeMismatchError:
            assert form != "C order"
            return
        allowed = declared(call, operands, result) * ROUNDING
        assert found <= allowed, f"{found} bytes, {allowed} allowed; {size} elements, {threads} threads"


@pytest.mark.parametrize("dtype", ["int8", "float32", "complex128"])
def test_scratch_of_grouped_updates(dtype: str) -> None:
    """`scatter` groups many updates of a large tensor, and needs no more scratch for the groups than declared."""
    updates = suanzi.ones(1_100_000, dtype=dtype)
    x, index = (
        suanzi.zeros(2**24 // updates.itemsize + 100_000, dtype=dtype),
        suanzi.arange(updates.size, dtype="int64"),
    )
    found, result = taken(lambda: suanzi.scatter(x, index, updates))
    named = {"x": x, "index": index, "updates": updates, "result": result}
    assert updates.size * 4 < found <= bound(lookup("scatter").scratch, named, suanzi.get_num_threads()) * ROUNDING


@pytest.mark.parametrize("dtype", ["float32", "int8", "complex128"])
def test_scratch_of_large_products(dtype: str) -> None:
    """`matmul` of large matrices packs panels and slices for the threads, and needs no more scratch than declared."""
    x = suanzi.ones((600, 1500), dtype=dtype)
    y = suanzi.ones((1500, 1200), dtype=dtype)
    found, result = taken(lambda: suanzi.matmul(x, y))
    named = {"x1": x, "x2": y, "result": result}
    assert found <= bound(lookup("matmul").scratch, named, suanzi.get_num_threads()) * ROUNDING


REPETITIONS = 300


def assert_leaves_nothing(run: Callable[[], Any], *objects: Any) -> None:
    """Check that repeated calls leave memory, Python's objects and references as they were."""

    def state() -> tuple[int, list[int]]:
        gc.collect()
        return memory.statistics()["in_use"], [sys.getrefcount(x) for x in objects]

    gc.freeze()  # collecting garbage takes long among the objects of a whole test run
    repeat(run)  # fills caches and lists that grow once
    grown = []
    for _ in range(3):  # Python's own caches grow in some rounds, but a leak grows in every round
        before, blocks = state(), sys.getallocatedblocks()
        repeat(run)
        assert state() == before
        grown.append(sys.getallocatedblocks() - blocks)
        if grown[-1] < REPETITIONS / 4:
            return
    pytest.fail(f"{grown} blocks more after {REPETITIONS} calls each")


def repeat(run: Callable[[], Any]) -> None:
    for _ in range(REPETITIONS):
        run()


@pytest.mark.one_level
@pytest.mark.parametrize("form", ["C order", "strided", "string"])
@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.name)
def test_calls_leave_nothing_behind(call: Call, form: str) -> None:
    if form == "string" and (call.function.startswith("Tensor.") or "S" not in lookup(call.function).accepts):
        return
    operands = [operand(make, 16, form) for make in call.makers]
    run = call.bound(operands, 16)
    try:
        run()
    except suanzi.TypeMismatchError:
        assert form == "string"  # the call combines the string with a number
        return
    assert_leaves_nothing(run, *operands)


def refused(run: Callable[..., Any], *arguments: Any) -> None:
    try:
        run(*arguments)
    except (SuanziError, TypeError, AttributeError):
        return
    pytest.fail("nothing was refused")


@pytest.mark.one_level
@pytest.mark.parametrize("call", [call for call in CALLS if call.makers], ids=lambda call: call.name)
def test_failures_leave_nothing_behind(call: Call) -> None:
    for position in range(len(call.makers)):
        operands: list[Any] = [operand(make, 16, "C order") for make in call.makers]
        operands[position] = THING
        assert_leaves_nothing(partial(refused, call.run, *operands), *operands)
