"""If the operands are float16 or bfloat16 and `out` has another type, the operator rounds the result only once, to the
type of `out`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

import suanzi
from samples import fails, wide
from suanzi import Tensor, TypeMismatchError

Array = Any

DRAWN = np.random.default_rng(46)
SIGNED = DRAWN.normal(0, 2, (12, 40))
NEAR_ONE = DRAWN.uniform(0.9, 1.1, (12, 40))
INDEX = DRAWN.integers(0, 12, (30, 40))
TUPLES = DRAWN.integers(0, 12, (30, 1))
# The largest relative error of one rounding to each type. `Call.error` includes the error of rounding to float64.
ROUNDINGS = {"float16": 2.0**-11, "bfloat16": 2.0**-8, "float32": 2.0**-24, "complex64": 2.0**-24, "float64": 0.0}


class Call(NamedTuple):
    """A function of one tensor of halves, the function's definition in float64, and the elements of the tensor."""

    function: Callable[..., Tensor]
    definition: Callable[[Array], Array]
    elements: Array = NEAR_ONE
    error: float = 1e-14  # the error before the rounding, relative to the greatest result


IN_FLOAT32 = 2.0**-21


def product(rows: tuple[int, ...], columns: tuple[int, ...]) -> Call:
    other = np.round(DRAWN.uniform(0.5, 2, columns) * 64) / 64  # exact in both types
    return Call(
        lambda x, **given: suanzi.matmul(x, suanzi.tensor(other, dtype=x.dtype), **given),
        lambda a: a @ other,
        DRAWN.uniform(0.5, 2, rows),
        IN_FLOAT32,
    )


def combined(a: Array, index: Any, ufunc: Any, updates: Array) -> Array:
    found = a.copy()
    ufunc.at(found, index, updates)
    return found


def updating(function: Callable[..., Tensor], at: Array, mode: str) -> Callable[..., Tensor]:
    """Return a function that updates each row of a 30 x 40 tensor, or elements of the rows, with the first row."""
    return lambda x, **given: function(
        x, suanzi.tensor(at), suanzi.expand(x[:1], (30, 40)), **{"axis": 0} if at is INDEX else {}, mode=mode, **given
    )


COLUMNS = np.broadcast_to(np.arange(40), (30, 40))

CALLS: dict[str, Call] = {
    "sum": Call(suanzi.sum, np.sum),
    "sum of rows": Call(lambda x, **given: suanzi.sum(x, 1, **given), lambda a: a.sum(1)),
    "sum of columns": Call(lambda x, **given: suanzi.sum(x, 0, True, **given), lambda a: a.sum(0, keepdims=True)),
    "reduce": Call(lambda x, **given: suanzi.reduce(x, "sum", 1, **given), lambda a: a.sum(1)),
    "method": Call(lambda x, **given: x.sum(axis=1, **given), lambda a: a.sum(1)),
    "prod": Call(lambda x, **given: suanzi.prod(x, 1, **given), lambda a: a.prod(1)),
    "mean": Call(lambda x, **given: suanzi.mean(x, 0, **given), lambda a: a.mean(0)),
    "var": Call(lambda x, **given: suanzi.var(x, 1, **given), lambda a: a.var(1), SIGNED),
    "std": Call(lambda x, **given: suanzi.std(x, 0, correction=1, **given), lambda a: a.std(0, ddof=1), SIGNED),
    "norm1": Call(lambda x, **given: suanzi.norm1(x, 1, **given), lambda a: abs(a).sum(1), SIGNED),
    "norm2": Call(lambda x, **given: suanzi.norm2(x, 1, **given), lambda a: np.sqrt((a * a).sum(1)), SIGNED),
    "logsumexp": Call(lambda x, **given: suanzi.logsumexp(x, 1, **given), lambda a: np.log(np.exp(a).sum(1)), SIGNED),
    "max": Call(lambda x, **given: suanzi.max(x, 1, **given), lambda a: a.max(1), SIGNED),
    "trace": Call(
        lambda x, **given: suanzi.trace(suanzi.reshape(x, (4, 10, 12)), **given),
        lambda a: np.trace(a.reshape(4, 10, 12), axis1=1, axis2=2),
    ),
    "cumulative_sum": Call(lambda x, **given: suanzi.cumulative_sum(x, axis=1, **given), lambda a: a.cumsum(1)),
    "cumulative_sum of columns": Call(
        lambda x, **given: suanzi.cumulative_sum(x, axis=0, reverse=True, **given), lambda a: a[::-1].cumsum(0)[::-1]
    ),
    "cumulative_prod": Call(lambda x, **given: suanzi.cumulative_prod(x, axis=1, **given), lambda a: a.cumprod(1)),
    "scatter adds": Call(
        updating(suanzi.scatter, INDEX, "add"),
        lambda a: combined(a, (INDEX, COLUMNS), np.add, np.broadcast_to(a[:1], (30, 40))),
    ),
    "scatter multiplies": Call(
        updating(suanzi.scatter, INDEX, "mul"),
        lambda a: combined(a, (INDEX, COLUMNS), np.multiply, np.broadcast_to(a[:1], (30, 40))),
    ),
    "scatter_nd": Call(
        updating(suanzi.scatter_nd, TUPLES, "add"),
        lambda a: combined(a, TUPLES[:, 0], np.add, np.broadcast_to(a[:1], (30, 40))),
    ),
    "vectors": product((200,), (200,)),
    "a row": product((70,), (70, 9)),
    "a column": product((9, 70), (70,)),
    "a few rows": product((3, 100), (100, 90)),
    "matrices": product((40, 50), (50, 60)),
    "large matrices": product((150, 120), (120, 130)),
    "a stack": product((3, 5, 20), (20, 4)),
    "add": Call(lambda x, **given: suanzi.add(x, 0.01171875, **given), lambda a: a + 0.01171875, error=IN_FLOAT32),
    "exp": Call(suanzi.exp, np.exp, SIGNED),
}
EXACT = {"max"}
HALVES = pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
NAMES = pytest.mark.parametrize("name", CALLS)


def close(found: Array, exact: Array, dtype: str, error: float) -> None:
    """Check that the elements differ from the exact results by one rounding to the type, plus `error`."""
    relative = ROUNDINGS[dtype] * (1 + 2.0**-10)
    np.testing.assert_allclose(found, exact, rtol=relative, atol=error * np.abs(exact).max())


def strided(shape: tuple[int, ...], dtype: str) -> Tensor:
    """Return a view of a larger tensor, with gaps, axes in reverse order, and a negative stride along axis 0."""
    memory = suanzi.full([2 * n + 1 for n in reversed(shape)], 7, dtype=dtype)
    part = suanzi.permute_dims(memory[(slice(1, None, 2),) * len(shape)], [*reversed(range(len(shape)))])
    return part[::-1] if shape else part


@HALVES
@NAMES
def test_results_are_rounded_once(name: str, dtype: str) -> None:
    function, definition, elements, error = CALLS[name]
    x = suanzi.tensor(elements, dtype=dtype)
    exact = np.asarray(definition(wide(x)))
    for wanted in ROUNDINGS.keys() - {dtype}:
        for out in (suanzi.full(exact.shape, 7, dtype=wanted), strided(exact.shape, wanted)):
            assert function(x, out=out) is out
            close(wide(out), exact, wanted, error)
    if name not in EXACT:
        with pytest.raises(AssertionError):  # a result in the type of x lacks digits that `out` receives
            close(wide(function(x)), exact, "float32", error)


@HALVES
@NAMES
def test_out_of_the_own_type(name: str, dtype: str) -> None:
    function, _, elements, _ = CALLS[name]
    x = suanzi.tensor(elements, dtype=dtype)
    expected = function(x)
    for out in (suanzi.empty_like(expected), strided(expected.shape, dtype)):
        assert function(x, out=out).tolist() == expected.tolist()


@HALVES
@NAMES
def test_out_may_share_memory(name: str, dtype: str) -> None:
    """`out` may share memory with an operand whose elements are narrower, at any distance."""
    function, definition, elements, error = CALLS[name]
    exact = np.asarray(definition(wide(suanzi.tensor(elements, dtype=dtype))))
    for start in (0, 3):
        memory = suanzi.zeros((elements.size // 2 + exact.size + 8,), dtype="float32")
        x = suanzi.reshape(memory.view(dtype)[4 : 4 + elements.size], elements.shape)
        x[...] = suanzi.tensor(elements, dtype=dtype)
        out = suanzi.reshape(memory[start : start + exact.size], exact.shape)
        assert function(x, out=out) is out
        close(wide(out), exact, "float32", error)


@HALVES
def test_a_named_type_rounds_first(dtype: str) -> None:
    """The call rounds its result to the type `dtype` before the call writes to `out`."""
    x = suanzi.tensor(NEAR_ONE, dtype=dtype)
    for function in (
        lambda **given: suanzi.sum(x, 1, **given),
        lambda **given: suanzi.mean(x, 1, **given),
        lambda **given: suanzi.logsumexp(x, 1, **given),
        lambda **given: suanzi.cumulative_sum(x, axis=1, **given),
        lambda **given: suanzi.matmul(x, x.T, **given),
        lambda **given: suanzi.matmul(x, suanzi.ones((40, 3), dtype="int8"), **given),
    ):
        rounded = function()
        out = suanzi.zeros(rounded.shape)
        assert function(dtype=dtype, out=out) is out
        assert out.tolist() == rounded.tolist()


@HALVES
def test_mixed_operands(dtype: str) -> None:
    x = suanzi.tensor(NEAR_ONE, dtype=dtype)
    other = DRAWN.integers(-9, 9, (40, 30)).astype(np.int8)
    out = suanzi.zeros((12, 30))
    suanzi.matmul(x, suanzi.tensor(other), out=out)
    close(wide(out), wide(x) @ other, "float32", 2.0**-21)


@HALVES
def test_refusals(dtype: str) -> None:
    """The error for an `out` that cannot hold the result names the type of the result."""
    x = suanzi.tensor(NEAR_ONE[:, :12], dtype=dtype)
    for name, function, shape in (
        ("sum", suanzi.sum, ()),
        ("trace", suanzi.trace, ()),
        ("cumulative_sum", lambda x, out: suanzi.cumulative_sum(x, axis=0, out=out), (12, 12)),
        ("matmul", lambda x, out: suanzi.matmul(x, x, out=out), (12, 12)),
        ("scatter", lambda x, out: suanzi.scatter(x, suanzi.tensor(INDEX[:2, :12]), 1, out=out), (12, 12)),
    ):
        with pytest.raises(TypeMismatchError, match=f"^{name}: out has element type int32, which cannot hold {dtype};"):
            function(x, out=suanzi.zeros(shape, dtype="int32"))
        with fails(suanzi.DimensionsMismatchError, name):
            function(x, out=suanzi.zeros((3, *shape)))


@HALVES
def test_steps_between_halves_stay_steps_of_halves(dtype: str) -> None:
    """`nextafter` returns the neighbour of a half in the type of the half, whatever the type of `out`."""
    x, out = suanzi.tensor(NEAR_ONE, dtype=dtype), suanzi.zeros(NEAR_ONE.shape)
    suanzi.nextafter(x, 2, out=out)
    assert out.tolist() == suanzi.nextafter(x, 2).tolist()
