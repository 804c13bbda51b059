"""Every operator treats any byte but 0 as true in bools that another program wrote into memory.

The oracle is the same call on a tensor of proper bools with the same truth values.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import suanzi
from suanzi import SuanziError, Tensor
from suanzi.operators.registry import Record, records

BYTES = np.array([0, 1, 2, 7, 128, 255], np.uint8)
SIZES = (3, 40, 5000)

# Operators that draw random elements, and the operator that destroys its operand, are not tested here.
LEFT_OUT = {"bernoulli", "destroy", "multinomial", "normal_like", "uniform_like"}
OPERATORS = [r for r in records() if "B" in r.accepts and r.name not in LEFT_OUT]


def drawn(size: int, seed: int) -> Any:
    return np.random.default_rng(seed).choice(BYTES, size=size)


def foreign(written: Any) -> Tensor:
    return suanzi.from_reference(written.copy().view(bool))


def clean(written: Any) -> Tensor:
    return suanzi.tensor(written != 0)


def told(result: Any) -> Any:
    """Return the shape, the element type and the bits of a result. Bools are replaced by their truth values."""
    if isinstance(result, Tensor):
        elements = result.numpy()
        if result.dtype is suanzi.bool:
            elements = elements.view(np.uint8) != 0
        return result.shape, result.dtype, elements.tobytes()
    if isinstance(result, tuple | list):
        return [told(part) for part in result]
    return repr(result)


def outcome(call: Callable[..., Any], operands: list[Tensor]) -> Any:
    try:
        return told(call(*operands))
    except (SuanziError, TypeError) as error:
        return repr(error)


def same_of_both(call: Callable[..., Any], size: int, operands: int, rank: int = 1) -> None:
    shape = (size,) if rank == 1 else (-1, size // 3)
    drawings = [drawn(size // 3 * 3, seed).reshape((-1,) if rank == 1 else shape) for seed in range(operands)]
    expected = outcome(call, [clean(a) for a in drawings])
    assert outcome(call, [foreign(a) for a in drawings]) == expected


@pytest.mark.parametrize("record", OPERATORS, ids=lambda r: r.name)
def test_every_operator_takes_any_byte_but_zero_for_true(record: Record) -> None:
    for operands in (1, 2, 3):
        for size in SIZES[:2] if record.name in ("outer", "meshgrid") else SIZES:
            same_of_both(record.function, size, operands)
            if size < SIZES[-1]:
                same_of_both(record.function, size, operands, rank=2)


AXES: dict[str, Callable[..., Any]] = {
    name: getattr(suanzi, name)
    for name in (
        *("all", "any", "argmax", "argmin", "argsort", "cumulative_prod", "cumulative_sum", "logsumexp"),
        *("max", "mean", "min", "norm1", "norm2", "prod", "sort", "std", "sum", "var"),
    )
}


@pytest.mark.parametrize("name", AXES)
def test_along_and_across_rows(name: str) -> None:
    for shape in ((2000, 3), (3, 2000), (60, 70)):
        written = drawn(shape[0] * shape[1], 1).reshape(shape)
        for axis in (0, 1):
            for turn in (lambda x: x, lambda x: x.T, lambda x: x[::2, ::-1]):
                found, expected = (AXES[name](turn(make(written)), axis=axis) for make in (foreign, clean))
                assert told(found) == told(expected)


def _masked(x: Tensor, value: Any) -> Tensor:
    target = suanzi.arange(x.size, dtype="int32").reshape(x.shape)
    target[x] = value(x) if callable(value) else value
    return target


def _written(x: Tensor, dtype: str) -> Tensor:
    target = suanzi.zeros(x.shape, dtype=dtype)
    target[...] = x
    return target


def _scattered(x: Tensor, mode: str) -> Tensor:
    return suanzi.scatter(x[:3], suanzi.tensor([0, 1, 1, 2], dtype="int64"), x[-4:], 0, mode=mode)


CALLS: dict[str, Callable[[Tensor], Any]] = {
    "a mask": lambda x: suanzi.arange(x.size)[x],
    "a number put at a mask": lambda x: _masked(x, 5),
    "values put at a mask": lambda x: _masked(x, lambda x: suanzi.arange(int(suanzi.sum(x).item()), dtype="int32")),
    "where": lambda x: suanzi.where(x, suanzi.arange(x.size), 0.5),
    **{
        f"astype {t}": lambda x, t=t: suanzi.astype(x, t) for t in ("int8", "uint64", "float16", "float64", "complex64")
    },
    **{f"assigned to {t}": lambda x, t=t: _written(x, t) for t in ("bool", "uint8", "bfloat16")},
    **{f"scatter {m}": lambda x, m=m: _scattered(x, m) for m in ("update", "add", "mul", "min", "max")},
    "a float beside it": lambda x: x + suanzi.ones(x.size),
    "numbers beside it": lambda x: [x + 1, x * 2.5, x == True, x & True, True | x],  # noqa: E712
    "every second one": lambda x: [suanzi.sum(x[::2]), suanzi.argmax(x[::-1]), ~x[::3]],
    "lists": lambda x: [x.tolist(), [bool(e) for e in x[:5]], [int(e) for e in x[:5]], [e.item() for e in x[:5]]],
    "text": str,
    "matrices": lambda x: [x.reshape((5, -1)) @ x.reshape((-1, 5)), suanzi.astype(x, "float32") @ x],
    "topk": lambda x: suanzi.topk(x, 4),
    "unique": lambda x: suanzi.unique(x, return_counts=True, return_index=True, return_inverse=True),
    "searchsorted": lambda x: suanzi.searchsorted(suanzi.sort(x), x),
    "out": lambda x: suanzi.logical_not(x, out=suanzi.empty(x.shape, dtype="bool")),
    "quantized": lambda x: suanzi.quantized_tensor(None, x, scale=1.0).tolist(),
    "nonzero": suanzi.nonzero,
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("size", [40, 5000])
def test_what_else_reads_bools(name: str, size: int) -> None:
    same_of_both(CALLS[name], size // 15 * 15, 1)


def test_the_place_of_the_first_true_byte() -> None:
    for n in (1, 7, 63, 64, 65, 1000, 5000):
        for at in {0, n // 2, n - 1}:
            written = np.zeros(n, np.uint8)
            written[at:] = np.resize(np.array([3, 200, 1], np.uint8), n - at)
            assert suanzi.argmax(foreign(written)).item() == at
            assert suanzi.argmin(foreign(written)).item() == 0
            assert suanzi.sum(foreign(written)).item() == n - at


def test_an_owner_that_writes_later() -> None:
    owner = np.zeros(100_000, bool)
    x = suanzi.from_reference(owner)
    owner.view(np.uint8)[:] = 7
    assert suanzi.sum(x).item() == 100_000


def test_empty_holds_bools() -> None:
    for _ in range(20):
        suanzi.full(100_000, 7, dtype="uint8").destroy()
        for x in (suanzi.empty(100_000, dtype="bool"), suanzi.tensor(None, shape=100_000, dtype="bool")):
            assert x.numpy().view(np.uint8).max() <= 1
        y = suanzi.empty_like(x)
        assert y.numpy().view(np.uint8).max() <= 1
