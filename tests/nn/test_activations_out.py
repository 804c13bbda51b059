"""The parameter `out` of activations: values against NumPy, types, layouts, shared memory, refusals and fusion."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import suanzi
from samples import fails
from suanzi import DimensionsMismatchError, SuanziError, Tensor, TraceError, TypeMismatchError, nn

Array = Any


def logistic(a: Array) -> Array:
    return 1 / (1 + np.exp(-a))


def normal(a: Array) -> Array:
    """Return the probability that a normal number is less than each element."""
    return np.vectorize(math.erfc, [float])(-a / math.sqrt(2)) / 2


def shares(a: Array, axis: int = -1) -> Array:
    powers = np.exp(a - a.max(axis, keepdims=True))
    return powers / powers.sum(axis, keepdims=True)


def bent(a: Array, below: Array) -> Array:
    """Return the elements, with each element below 0 replaced by the second array's."""
    return np.where(a < 0, below, a)


# A call of each activation, and its definition in float64.
CALLS: dict[str, tuple[Callable[..., Tensor], Callable[[Array], Array]]] = {
    "relu": (nn.relu, lambda a: np.maximum(a, 0)),
    "sigmoid": (nn.sigmoid, logistic),
    "silu": (nn.silu, lambda a: a * logistic(a)),
    "gelu": (nn.gelu, lambda a: a * normal(a)),
    "gelu by tanh": (
        lambda x, **given: nn.gelu(x, approximate="tanh", **given),
        lambda a: a * logistic(math.sqrt(8 / math.pi) * (a + 0.044715 * a**3)),
    ),
    "softplus": (nn.softplus, lambda a: np.log1p(np.exp(a))),
    "mish": (nn.mish, lambda a: a * np.tanh(np.log1p(np.exp(a)))),
    "hardswish": (nn.hardswish, lambda a: a * np.clip(a + 3, 0, 6) / 6),
    "softmax": (nn.softmax, shares),
    "softmax of columns": (lambda x, **given: nn.softmax(x, 0, **given), lambda a: shares(a, 0)),
    "log_softmax": (nn.log_softmax, lambda a: np.log(shares(a))),
    "leaky_relu": (lambda x, **given: nn.leaky_relu(x, 0.25, **given), lambda a: bent(a, a / 4)),
    "prelu": (lambda x, **given: nn.prelu(x, suanzi.tensor([0.5]), **given), lambda a: bent(a, a / 2)),
    "elu": (nn.elu, lambda a: bent(a, np.expm1(a))),
    "celu": (lambda x, **given: nn.celu(x, 0.5, **given), lambda a: bent(a, np.expm1(2 * a) / 2)),
    "selu": (lambda x, **given: nn.selu(x, 1.5, 2.0, **given), lambda a: 2 * bent(a, 1.5 * np.expm1(a))),
    "hardsigmoid": (nn.hardsigmoid, lambda a: np.clip(a / 6 + 0.5, 0, 1)),
    "softsign": (nn.softsign, lambda a: a / (1 + np.abs(a))),
    "glu": (nn.glu, lambda a: np.split(a, 2, -1)[0] * logistic(np.split(a, 2, -1)[1])),
}
NAMES = pytest.mark.parametrize("name", CALLS)
ELEMENTS = np.random.default_rng(11).normal(0, 2, (6, 8))


def close(found: Tensor, exact: Array, dtype: str) -> None:
    """Fail unless the elements are exact up to some roundings of their type.

    Terms of about half may cancel each other (as in `hardsigmoid` at -3), and each term may be rounded first.
    """
    unit = {"float16": 2.0**-10, "bfloat16": 2.0**-7, "float32": 2.0**-23, "float64": 2.0**-44}[dtype]
    np.testing.assert_allclose(found.numpy().astype(float), exact, rtol=8 * unit, atol=unit / 2)


@NAMES
@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_values(name: str, dtype: str) -> None:
    """The result lies in `out`, a part of a larger tensor of another order, whose other elements stay unchanged."""
    function, definition = CALLS[name]
    x = suanzi.tensor(ELEMENTS, dtype=dtype)
    exact = definition(x.numpy().astype(float))
    memory = suanzi.full((exact.shape[1] + 2, 2 * exact.shape[0]), 7, dtype=dtype)
    out = memory[1:-1, ::2].T
    assert function(x, out=out) is out
    close(out, exact, dtype)
    assert out.tolist() == function(x).tolist()
    out[...] = 7
    assert set(memory.numpy().astype(float).ravel()) == {7.0}


@NAMES
def test_other_types(name: str) -> None:
    """`out` may have another floating type; integers as operands give float32, which integers cannot receive."""
    function, definition = CALLS[name]
    x = suanzi.tensor(ELEMENTS, dtype="float32")
    shape = function(x).shape
    for dtype in ("float64", "float16"):
        out = suanzi.zeros(shape, dtype=dtype)
        function(x, out=out)
        close(out, definition(x.numpy().astype(float)), "float16" if dtype == "float16" else "float32")
    whole = suanzi.tensor(np.rint(ELEMENTS * 2).astype(np.int8))
    out = suanzi.zeros(shape, dtype="float32")
    function(whole, out=out)
    close(out, definition(whole.numpy().astype(float)), "float32")
    if name != "relu":
        with fails(TypeMismatchError, f"nn.{name.split()[0]}"):
            function(whole, out=suanzi.zeros(shape, dtype="int8"))


@NAMES
def test_shared_memory(name: str) -> None:
    """`out` may be the operand, the operand backwards, or lie one row further in the same memory."""
    function, definition = CALLS[name]
    for place in (
        lambda memory: memory[: len(ELEMENTS)],
        lambda memory: suanzi.flip(memory[: len(ELEMENTS)], 0),
        lambda memory: memory[1:],
    ):
        memory = suanzi.zeros((len(ELEMENTS) + 1, ELEMENTS.shape[1]), dtype="float64")
        x = memory[: len(ELEMENTS)]
        x[...] = suanzi.tensor(ELEMENTS)
        exact = definition(ELEMENTS)
        out = place(memory)[:, : exact.shape[1]]
        assert function(x, out=out) is out
        close(out, exact, "float64")


@NAMES
def test_refusals(name: str) -> None:
    """Errors are the same as for other operators, and leave `out` unchanged."""
    function, called = CALLS[name][0], f"nn.{name.split()[0]}"
    x = suanzi.tensor(ELEMENTS)
    shape = function(x).shape
    wrong: list[tuple[type[SuanziError], Any]] = [
        (DimensionsMismatchError, suanzi.full((*shape[:-1], shape[-1] + 1), 7.0)),
        (DimensionsMismatchError, suanzi.full((1, *shape), 7.0)),
        (TypeMismatchError, suanzi.full(shape, 7, dtype="int64")),
        (TypeMismatchError, suanzi.ones(shape, dtype="bool")),
    ]
    for error, out in wrong:
        before = out.numpy().copy()
        with pytest.raises(error, match=rf"^{called}: out has "):
            function(x, out=out)
        assert np.array_equal(out.numpy(), before)
    for thing in (1.0, np.zeros(shape), suanzi.to_sparse(x), suanzi.quantize(x, 0.1, dtype="qint8")):
        with fails(TypeMismatchError, called):
            function(x, out=thing)


@NAMES
def test_fusion(name: str) -> None:
    """A fused function as a whole may have `out`; a step inside it must not write."""
    function, definition = CALLS[name]
    x = suanzi.tensor(ELEMENTS)
    out = suanzi.zeros(definition(ELEMENTS).shape, dtype="float64")
    fused: Any = suanzi.fuse(lambda x: function(x) + 1)
    for _ in range(2):
        out[...] = 7.0
        assert fused(x, out=out) is out
        close(out, definition(ELEMENTS) + 1, "float64")
    with pytest.raises(TraceError, match="out is given"):
        suanzi.fuse(lambda x: function(x, out=out))(x)


def test_quantized() -> None:
    x = suanzi.quantize(suanzi.tensor(ELEMENTS), 0.1, dtype="qint8")
    out = suanzi.quantize(suanzi.zeros(ELEMENTS.shape), 0.05, dtype="qint8")
    assert nn.relu(x, out=out) is out
    expected = np.clip(np.maximum(x.dequantize().numpy(), 0), None, 0.05 * 127)
    assert np.abs(out.dequantize().numpy() - expected).max() <= 0.026
    with fails(TypeMismatchError, "nn.relu"):
        nn.relu(suanzi.to_sparse(suanzi.tensor(ELEMENTS)), out=suanzi.tensor(ELEMENTS))
