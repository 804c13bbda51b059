"""Fusion changes no bit of functions of sparse and quantized tensors, and needs few passes and few traces."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import kinds
import pytest

import suanzi

EACH = 50


@pytest.mark.parametrize("first", range(0, 6 * EACH, EACH))
def test_random_functions(first: int) -> None:
    traced = sum(kinds.check(seed) for seed in range(first, first + EACH))
    assert traced > 0.9 * EACH


def sparse(values: list[float], columns: list[int] | None = None, format: str = "coo") -> suanzi.SparseTensor:
    places = list(range(len(values))) if columns is None else columns
    return suanzi.sparse_tensor((2, 8), [[i % 2, i] for i in places], values).coalesce().to_format(format)


def quantized(values: list[float], **how: Any) -> suanzi.QuantizedTensor:
    return suanzi.quantize(suanzi.tensor(values), **how)


class Counted:
    def __init__(self, function: Callable[..., Any]) -> None:
        self.function, self.runs = function, 0

    def __call__(self, *args: Any) -> Any:
        self.runs += 1
        return self.function(*args)


def check(function: Callable[..., Any], *calls: tuple[Any, ...]) -> tuple[suanzi.fusion.FusedFunction[..., Any], int]:
    """Check that fusion changes no bit of any call. Return the fused function, and the number of its traces."""
    counted = Counted(function)
    fused = suanzi.fuse(counted)
    for inputs in calls:
        for _ in range(2):
            found = kinds.difference(function(*inputs), fused(*inputs))
            assert found is None, found
    return fused, counted.runs


# --- sparse ---


@pytest.mark.parametrize("format", ["coo", "csr"])
def test_a_chain_that_keeps_the_pattern_is_one_pass(format: str) -> None:
    a = sparse([1.0, -2.0, 3.0], format=format)
    fused, _ = check(lambda a: suanzi.sin(a) * 2 + abs(a), (a,))
    assert fused(a).pattern is a.pattern
    assert fused.explain(a).splitlines() == [
        "1 fused part, 24 bytes to and from memory (108 bytes one operator at a time)",
        "pass over (3,) (3 elements, 2 loops): sin, multiply, abs, add",
    ]


def test_another_pattern_of_as_many_elements_needs_no_new_trace() -> None:
    a, b, more = sparse([1.0, 2.0]), sparse([3.0, 4.0], [5, 6]), sparse([1.0, 2.0, 3.0])
    fused, runs = check(lambda a: suanzi.sin(a) * 2, (a,), (b,))
    assert runs == 1
    fused(more)
    fused(a)
    assert fused.__wrapped__.runs == 2  # type: ignore[attr-defined]


def test_operands_that_have_one_pattern_at_one_call_and_two_at_the_next() -> None:
    a, b = sparse([1.0, 2.0]), sparse([3.0, 4.0], [1, 6])
    fused, _ = check(lambda a, b: abs(a) + b * 2, (a, a * 3), (a, b), (a, a * 5), (b, a))
    fused(a, b)
    assert "merge: an operator of its own, which divides the program" in fused.explain(a, b)
    fused, _ = check(lambda a, b: abs(a) * (b * 2), (a, b), (a, a))


def test_places_that_are_named_twice() -> None:
    a = suanzi.sparse_tensor((3,), [[1], [1], [2]], [1.0, -1.0, 2.0])
    fused, _ = check(lambda a: -(suanzi.sin(a) * 2 + abs(a)), (a,))
    assert fused.explain(a).count("coalesce") == 1
    assert fused.explain(a).count("pass over") == 1
    check(lambda a: abs(-a), (a,))
    fused, _ = check(lambda a: -a, (a,))
    assert not fused(a).is_coalesced


def test_dense_operands() -> None:
    a, x = sparse([1.0, -2.0, 3.0]), suanzi.arange(8, dtype="float32")
    fused, _ = check(lambda a, x: suanzi.sin(a) * x / 2 * x, (a, x), (a, x + 1))
    assert fused.explain(a, x).count("gather") == 1
    fused, _ = check(lambda a, x: (a * 2) * (x + 1) + 1, (a, x))  # the function returns 1 where `a` stores no element
    assert "add: an operator of its own, which divides the program" in fused.explain(a, x)
    check(lambda a: a * x, (a,), (sparse([5.0, 6.0, 7.0], [4, 5, 6]),))


def test_sparse_tensors_from_elsewhere() -> None:
    held = sparse([1.0, 2.0])
    fused, _ = check(lambda a: suanzi.sin(a) * held + held, (held,), (sparse([3.0, 4.0], [1, 2]),))
    assert kinds.difference(fused(held), suanzi.sin(held) * held + held) is None


def test_numbers_decide_whether_zeros_stay_zero() -> None:
    a = sparse([1.0, -2.0])
    _, runs = check(lambda a, s: suanzi.sin(a) * s + s, (a, 0.0), (a, 2.0), (a, float("inf")), (a, 0.0))
    assert runs == 4  # the first trace finds that the result depends on the value of s


def test_what_is_no_chain_runs_as_it_is() -> None:
    a, x = sparse([1.0, -2.0, 3.0]), suanzi.ones((8, 2))
    fused, _ = check(lambda a, x: (suanzi.sin(a) * 2) @ x * 3 + 1, (a, x))
    plan = fused.explain(a, x).splitlines()[1:]
    assert [line.split(":")[-1].split(",")[0] for line in plan] == [" sin", " an operator of its own", " multiply"]
    check(lambda a: suanzi.sum(a * 2, axis=0).values if a.format == "none" else suanzi.sum(a * 2), (a,))
    check(lambda a: suanzi.to_sparse(a.to_dense() + 1).values * a.dtype.itemsize, (a,))
    check(lambda a: suanzi.sin(a).T.to_csr() * 2, (a,))
    check(lambda a: suanzi.to_sparse(suanzi.maximum(a.to_dense(), 0)) * 2, (a,), (sparse([1.0, 1.0, -1.0]),))


def test_operators_in_place_give_another_tensor() -> None:
    def function(a: Any) -> Any:
        b = a
        b *= 2
        return b + a

    check(function, (sparse([1.0, -2.0]),))


def test_errors_are_those_of_the_operator() -> None:
    a = sparse([1.0, -2.0])
    for function in (suanzi.cos, lambda a: a + suanzi.sparse_tensor((3,), [[0]], [1.0]), lambda a: (a * 2) ** a):
        with pytest.raises(suanzi.SuanziError) as expected:
            function(a)
        with pytest.raises(type(expected.value), match=str(expected.value)[:12]):
            suanzi.fuse(function)(a)
    with pytest.raises(suanzi.TraceError, match=r"test_fused_kinds\.py:\d+: .*needs the values"):
        suanzi.fuse(lambda a: a if suanzi.sum(a * 2) > 0 else -a)(a)
    suanzi.destroy(a)
    with pytest.raises(suanzi.UninitializedObjectError):
        suanzi.fuse(lambda a: a * 2)(a)


def test_an_argument_that_is_not_used() -> None:
    check(lambda x, a: x * 2, (suanzi.ones(3), sparse([1.0])), (suanzi.ones(3), quantized([1.0])))
    fused, a = suanzi.fuse(lambda a, x: (a, x * 2)), sparse([1.0])
    for _ in range(2):
        assert fused(a, suanzi.ones(3))[0] is a


# --- quantized ---


@pytest.mark.parametrize("dtype", kinds.QUANTIZED)
def test_what_codes_stand_for_is_a_part_of_the_pass(dtype: str) -> None:
    rows = [quantized([[0.1, -2.0], [1.5, 3.0]], dtype=dtype), quantized([[0.7, -20.0], [1.5, -3.0]], dtype=dtype)]

    def function(q: Any) -> Any:
        return suanzi.exp(suanzi.dequantize(q) * 2) + suanzi.astype(q, "float16") + (q.dequantize() > 1)

    fused, runs = check(function, *[(q,) for q in rows])
    assert runs == 1  # scales and zero points are operands, so new values need no new trace
    assert "of its own" not in fused.explain(rows[0])
    for wanted in ("float64", "int32"):
        check(lambda q, wanted=wanted: suanzi.astype(q, wanted) * 2, *[(q,) for q in rows])


def test_comparisons_are_of_exact_numbers() -> None:
    q, r = quantized([0.1, -2.0, 3.0], dtype="quint8"), quantized([0.1, -2.5, 4.0], dtype="qint16")
    fused, _ = check(lambda q, r: suanzi.where(q < r, suanzi.dequantize(q), 0.5) * (q == q), (q, r))
    assert "of its own" not in fused.explain(q, r)
    check(lambda q: (q >= r) * 2, (q,))


def test_arithmetic_of_codes_divides() -> None:
    q = quantized([0.1, -2.0, 3.0], dtype="quint8")
    fused, _ = check(lambda q: suanzi.maximum(suanzi.dequantize(q + q) * 2 + 1, 0), (q,))
    assert fused.explain(q).splitlines()[1] == "add: an operator of its own, which divides the program"
    assert fused.explain(q).count("pass over (3,)") == 1


def test_there_and_back() -> None:
    q, x = quantized([0.1, -2.0, 3.0], dtype="qint8"), suanzi.tensor([1.0, 2.0, 3.0])
    fused, _ = check(
        lambda q, x: suanzi.quantize(suanzi.tanh(suanzi.dequantize(q)) * x, dtype="quint8"), (q, x), (q, -x)
    )
    assert "quantize: an operator of its own, which divides the program" in fused.explain(q, x)
    check(lambda x, s: suanzi.quantize(x * 2, s, dtype="qint8"), (x, 0.5), (x, 0.25))
    check(lambda q: suanzi.requantize(q, 0.5) * 2, (q,))


def test_one_function_of_all_kinds() -> None:
    x = suanzi.tensor([[0.5, -1.0], [0.0, 2.0]])
    calls: list[tuple[Any, ...]] = [(x,), (suanzi.to_sparse(x),), (suanzi.quantize(x),)]
    calls += [(suanzi.astype(x, "float64"),), (suanzi.to_sparse(x, "csr"),), (suanzi.quantize(x, dtype="qint8"),)]
    _, runs = check(lambda x: abs(x) * 2, *calls)
    assert runs == len(calls)


def test_numbers_of_elements_that_keep_changing() -> None:
    """A function that would need a new trace for nearly every call is traced a few times, and then runs unfused."""
    counted = Counted(lambda a: suanzi.sin(a) * 2 + 1)
    fused = suanzi.fuse(counted)
    for count in (*range(8), *range(8)) * 8:
        a = sparse([1.0 + i for i in range(count)])
        assert kinds.difference(fused(a), suanzi.sin(a) * 2 + 1) is None
    assert counted.runs == 8
    wide = suanzi.fuse(Counted(lambda x: suanzi.to_sparse(suanzi.maximum(x, 0)) * 2))
    for seed in range(60):
        x = suanzi.random.Generator(seed).normal((10, 10))
        assert kinds.difference(wide(x), suanzi.to_sparse(suanzi.maximum(x, 0)) * 2) is None
    assert wide.__wrapped__.runs < 25  # type: ignore[attr-defined]
    assert "multiply: an operator of its own" in wide.explain(x)
    many = suanzi.fuse(Counted(lambda a: suanzi.sin(a) * 2))
    for count in range(1, 101):
        a = suanzi.sparse_tensor((200,), [[i] for i in range(count)], [1.0] * count)
        assert kinds.difference(many(a), suanzi.sin(a) * 2) is None
        assert many.explain(a)
    assert many.__wrapped__.runs < 25  # type: ignore[attr-defined]
