"""While `fuse` records a function, Suanzi predicts types and shapes of results correctly, and computes no elements."""

from __future__ import annotations

from typing import Any

import pytest

import suanzi
from calls import CALLS, Call
from suanzi.fusion.first_run import FirstRun
from suanzi.operators.registry import lookup, records

FORESEEN = sorted(record.name for record in records() if record.shape is not None)
FORESEEABLE = [call for call in CALLS if call.function in FORESEEN]


@pytest.fixture
def carried_out(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list that receives the name of each call that is computed while a function is recorded."""
    names: list[str] = []
    result = FirstRun.result

    def noted(run: FirstRun, step: Any) -> Any:
        names.append(step.name)
        return result(run, step)

    monkeypatch.setattr(FirstRun, "result", noted)
    return names


def _check(function: Any, operands: list[Any]) -> str:
    fused = suanzi.fuse(function)
    expected = function(*operands)
    for _ in range(2):
        given = fused(*operands)
        assert given.numpy().tobytes() == expected.numpy().tobytes()
        assert (given.dtype, given.shape, given.strides) == (expected.dtype, expected.shape, expected.strides)
    return str(fused.explain(*operands))


@pytest.mark.parametrize("call", FORESEEABLE, ids=lambda call: call.name)
@pytest.mark.parametrize("size", [4, 9, 60])
def test_results_are_what_was_foreseen(call: Call, size: int, carried_out: list[str]) -> None:
    def function(*operands: Any) -> Any:
        return suanzi.negative(call.run(*operands))

    assert not _check(function, call.operands(size)).startswith("not traced")
    assert lookup(call.function).called not in carried_out


def test_all_that_is_declared_is_called() -> None:
    assert {call.function for call in FORESEEABLE} == set(FORESEEN)


@pytest.mark.parametrize("name", ["matmul", "concat", "stack", "sort", "argsort", "cumulative_sum", "tril", "roll"])
def test_operands_in_another_order(name: str) -> None:
    x = suanzi.matrix_transpose(suanzi.random.Generator(1).normal((5, 5)))
    called: dict[str, Any] = {
        "matmul": lambda x: x @ x,
        "concat": lambda x: suanzi.concat([x, x], axis=1),
        "stack": lambda x: suanzi.stack([x, x], axis=-1),
        "cumulative_sum": lambda x: suanzi.cumulative_sum(x, axis=0),
        "roll": lambda x: suanzi.roll(x, 1, axis=0),
    }
    function = called.get(name, getattr(suanzi, name))
    assert not _check(lambda x: function(x * 2) + 1, [x]).startswith("not traced")
    assert not _check(lambda x: function(x) + 1, [x[::2, ::2]]).startswith("not traced")


# Calls whose operands have no elements or no dimensions. To predict the type of a result, Suanzi calls the operator
# with examples of one element. The predictions must be right for these calls as well.
SMALL: dict[str, tuple[Any, tuple[tuple[int, ...], ...]]] = {
    "argmax of 0 rows": (lambda x: suanzi.argmax(x, axis=1), ((0, 3),)),
    "argsort of nothing": (suanzi.argsort, ((0,),)),
    "clone of a number": (suanzi.clone, ((),)),
    "concat with nothing": (lambda x, y: suanzi.concat([x, y], axis=1), ((2, 0), (2, 3))),
    "count_nonzero of a number": (suanzi.count_nonzero, ((),)),
    "cumulative_sum of nothing": (lambda x: suanzi.cumulative_sum(x, axis=0), ((0, 4),)),
    "inv of nothing": (suanzi.inv, ((0, 0),)),
    "linear without inputs": (suanzi.linear, ((2, 0), (3, 0))),
    "matmul over nothing": (suanzi.matmul, ((2, 0), (0, 3))),
    "matmul of a stack of nothing": (suanzi.matmul, ((0, 2, 3), (3, 4))),
    "matmul of vectors": (suanzi.matmul, ((3,), (3,))),
    "outer of nothing": (suanzi.outer, ((0,), (3,))),
    "roll of a number": (lambda x: suanzi.roll(x, 1), ((),)),
    "sort of nothing": (suanzi.sort, ((3, 0),)),
    "stack of numbers": (lambda x, y: suanzi.stack([x, y]), ((), ())),
    "take of nothing": (lambda x: suanzi.take(x, suanzi.zeros(0, dtype="int64"), axis=1), ((2, 3),)),
    "take of one": (lambda x: suanzi.take(x, 2, axis=1), ((2, 3),)),
    "tril of nothing": (suanzi.tril, ((0, 3),)),
    "vecdot over nothing": (suanzi.vecdot, ((2, 0), (2, 0))),
}


@pytest.mark.parametrize("dtype", ["float32", "float16", "int8", "complex64"])
@pytest.mark.parametrize("name", SMALL)
def test_operands_without_elements_or_dimensions(name: str, dtype: str, carried_out: list[str]) -> None:
    function, shapes = SMALL[name]
    if name.startswith(("argmax", "argsort", "sort")) and dtype == "complex64":
        dtype = "uint64"
    operands = [suanzi.ones(shape, dtype=dtype) for shape in shapes]
    assert not _check(lambda *x: suanzi.negative(function(*[part + part for part in x])), operands).startswith("not tr")
    assert carried_out == []


def test_a_recording_ends_only_where_values_matter(carried_out: list[str]) -> None:
    def function(x: Any) -> Any:
        y = suanzi.sort(suanzi.exp(x), axis=-1) @ suanzi.matrix_transpose(x)
        return suanzi.unique(suanzi.round(y)), suanzi.concat([y, y]) + 1

    x = suanzi.random.Generator(1).normal((6, 4))
    suanzi.fuse(function)(x)
    assert carried_out == ["unique"]


def test_errors_are_those_of_the_operator() -> None:
    x, y = suanzi.zeros((3, 4)), suanzi.zeros((5, 6))
    with pytest.raises(suanzi.DimensionsMismatchError, match=r"^matmul: "):
        suanzi.fuse(lambda x, y: (x + 1) @ (y + 1))(x, y)
    with pytest.raises(suanzi.OutOfRangeError, match=r"^take: "):
        suanzi.fuse(lambda x, i: suanzi.take(x + 1, i, axis=0))(x, suanzi.tensor([7], dtype="int64"))
