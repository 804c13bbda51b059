"""A fused function raises an operator's errors about types, shapes and numbers even if the result is unused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import suanzi
from suanzi import OutOfRangeError, SuanziError

Unused = Callable[[Any], Any]

BYTES = suanzi.tensor([1, 2], dtype="uint8")
SIGNED = suanzi.tensor([1, 2], dtype="int8")
FLOATS = suanzi.tensor([1.0, 2.0])
CODES = suanzi.quantized_tensor((2,), np.array([1.0, 2.0]))
SPARSE = suanzi.to_sparse(suanzi.tensor([0.0, 2.0]))

REFUSED: list[tuple[Any, Unused]] = [
    # Numbers outside the range of the type.
    (BYTES, lambda u: suanzi.add(u, 300)),
    (BYTES, lambda u: suanzi.add(300, u)),
    (BYTES, lambda u: u - 300),
    (BYTES, lambda u: suanzi.pow(u, -1)),
    (BYTES, lambda u: suanzi.bitwise_left_shift(u, -1)),
    (BYTES, lambda u: suanzi.isclose(u, 300)),
    (BYTES, lambda u: suanzi.multiply_add(u, 300, u)),
    (BYTES, lambda u: suanzi.where(u, u, 300)),
    (BYTES, lambda u: suanzi.clip(u, -1, 3)),
    (BYTES, lambda u: suanzi.add(suanzi.exp(suanzi.add(u, 300)), 1.0)),
    (SIGNED, lambda i: suanzi.maximum(i, 2**40)),
    (SIGNED, lambda i: suanzi.multiply(i, np.int64(200))),
    # Types, shapes and options.
    (FLOATS, lambda x: suanzi.bitwise_and(x, x)),
    (FLOATS, lambda x: suanzi.add(x, "a")),
    (FLOATS, lambda x: suanzi.add(x, suanzi.zeros(3))),
    (FLOATS, lambda x: suanzi.matmul(x, suanzi.zeros(3))),
    (FLOATS, lambda x: (x + 1)[5]),
    (FLOATS, lambda x: (x + 1).reshape(3)),
    (FLOATS, lambda x: suanzi.sum(x, axis=2)),
    (FLOATS, lambda x: suanzi.sum(x, dtype="string")),
    (FLOATS, lambda x: suanzi.sum(x, keepdims=2)),
    (FLOATS, lambda x: suanzi.round(x, mode="up and down")),
    (FLOATS, lambda x: suanzi.isclose(x, x, rtol=-1.0)),
    (FLOATS, lambda x: suanzi.expand(x, (2.0,))),
    (FLOATS, lambda x: suanzi.astype(x, "float32", copy="no")),
    (FLOATS, lambda x: suanzi.astype(x, "float31")),
    (FLOATS, lambda x: suanzi.extras.nanvar(x, correction=x)),
    # Sparse and quantized tensors.
    (CODES, lambda q: suanzi.add(q, "a")),
    (CODES, lambda q: suanzi.add(q, 10**400)),
    (CODES, lambda q: suanzi.imag(q)),
    (CODES, lambda q: suanzi.astype(q, "float32", copy="no")),
    (CODES, lambda q: suanzi.dequantize(q, "float64")),
    (SPARSE, lambda s: suanzi.multiply(s, "a")),
    (SPARSE, lambda s: suanzi.astype(s, "float32", copy="no")),
]


def _error(call: Callable[[], Any]) -> tuple[type, str] | None:
    try:
        call()
    except (SuanziError, TypeError, IndexError) as error:
        return type(error), str(error)
    return None


@pytest.mark.parametrize("index", range(len(REFUSED)))
def test_the_error_of_an_unused_result(index: int) -> None:
    operand, unused = REFUSED[index]

    def function(x: Any, operand: Any) -> Any:
        unused(operand)
        return x + 1

    wanted = _error(lambda: function(FLOATS, operand))
    assert wanted is not None
    fused, nested = suanzi.fuse(function), suanzi.fuse(lambda x, operand: suanzi.fuse(function)(x, operand) * 2)
    out = suanzi.zeros(2)
    for _ in range(2):
        assert _error(lambda: fused(FLOATS, operand)) == wanted
        assert _error(lambda: nested(FLOATS, operand)) == wanted
        assert _error(lambda: fused(FLOATS, operand, out=out)) == wanted  # type: ignore[call-arg]
    assert out.tolist() == [0, 0]
    assert not suanzi._core.is_tracing()


def test_another_number_at_a_known_call() -> None:
    fused = suanzi.fuse(lambda x, u, n: (suanzi.add(u, n), x + 1)[1])
    for number in (200, 3, 200):
        assert fused(FLOATS, BYTES, number).tolist() == [2, 3]
        with pytest.raises(OutOfRangeError, match="add: 300 does not fit uint8"):
            fused(FLOATS, BYTES, 300)
        with pytest.raises(OutOfRangeError, match="add: -1 does not fit uint8"):
            fused(FLOATS, BYTES, np.int64(-1))
    assert fused(FLOATS, BYTES, 300.0).tolist() == [2, 3]  # with a float, `add` returns float32, which holds 300
    out = suanzi.zeros(2)
    with pytest.raises(OutOfRangeError, match="add: 300 does not fit uint8"):
        fused(FLOATS, BYTES, 300, out=out)  # type: ignore[call-arg]
    assert out.tolist() == [0, 0]


def test_the_number_of_a_used_result_names_its_operator() -> None:
    with pytest.raises(OutOfRangeError, match="multiply: 300 does not fit uint8"):
        suanzi.fuse(lambda u: u * 300)(BYTES)


def test_calls_that_give_no_tensor_at_all() -> None:
    fused = suanzi.fuse(lambda x, y: (suanzi.unstack(y), x + 1)[1])
    for _ in range(3):
        assert fused(FLOATS, suanzi.zeros((0, 2))).tolist() == [2, 3]
