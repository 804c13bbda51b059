"""Tests of the default element type, and of Python's integers that the default type cannot represent exactly."""

from __future__ import annotations

import asyncio
import itertools
import threading
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import suanzi as sz
from suanzi import OutOfRangeError, TypeMismatchError

pytestmark = pytest.mark.one_level

FLOATING = {"float16": 11, "bfloat16": 8, "float32": 24, "float64": 53}  # bits of each type's significand


@pytest.fixture(autouse=True)
def _float32_again() -> Iterator[None]:
    yield
    sz.set_default_dtype(None)


# --- integers ---

WIDE = [16777217, -16777217, 123456789, 2**31 - 1, 2**53 + 1, 2**63 - 1, 2**64 - 1, -(2**63) + 1, 2**70 + 1, 10**18 + 1]
EXACT = [0, 1, -1, 2**24, -(2**24), 16777218, 10**9, 2**62, 2**63, 2**64, -(2**63), 2**100, 3 * 2**80]


def makers(value: int) -> dict[str, Any]:
    """Return calls that make a tensor with the integer `value` and name no element type."""
    return {
        "number": lambda: sz.tensor(value),
        "list": lambda: sz.tensor([1, value]),
        "nested": lambda: sz.tensor([[1, 2], [3, value]]),
        "tuple": lambda: sz.tensor((value,)),
        "beside a float": lambda: sz.tensor([0.5, value]),
        "beside a complex number": lambda: sz.tensor([1j, value]),
        "beside a bool": lambda: sz.tensor([True, value]),
        "beside a fraction": lambda: sz.tensor([Fraction(1, 2), value]),
        "of a class": lambda: sz.tensor([type("Own", (int,), {})(value)]),
        "with a shape": lambda: sz.tensor([value], shape=(2,)),
        "with a layout": lambda: sz.tensor([[value, 1]], layout=(0, 1)),
        "full": lambda: sz.full((2,), value),
        "linspace": lambda: sz.linspace(0, value, 3),
        "linspace begins": lambda: sz.linspace(value, 0, 3),
        "sparse": lambda: sz.sparse_tensor((2,), [[0]], [value]),
        "where": lambda: sz.where(sz.tensor([True]), value, 0),
    }


@pytest.mark.parametrize("how", makers(0))
@pytest.mark.parametrize("value", WIDE)
def test_integers_that_would_be_rounded(how: str, value: int) -> None:
    with pytest.raises(OutOfRangeError) as caught:
        makers(value)[how]()
    message = str(caught.value)
    if how != "where":
        assert 'dtype="' in message
        if "complex" not in how:
            assert 'dtype="float32" rounds it' in message


@pytest.mark.parametrize("how", makers(0))
@pytest.mark.parametrize("value", EXACT)
def test_integers_that_are_held(how: str, value: int) -> None:
    made = makers(value)[how]()
    dense = made.to_dense() if isinstance(made, sz.SparseTensor) else made
    assert value in [int(v.real) for v in np.ravel(np.array(dense.tolist(), dtype=complex)).tolist()]


def test_the_message_names_what_holds_it() -> None:
    for value, dtype in ((16777217, "int64"), (-(2**63) + 1, "int64"), (2**63 + 1, "uint64"), (2**64 - 1, "uint64")):
        with pytest.raises(OutOfRangeError, match=f'dtype="{dtype}" keeps it') as caught:
            sz.tensor([value])
        assert str(caught.value).startswith(f"tensor: {value} is not exact in float32; ")
        assert sz.tensor([value], dtype=dtype).tolist() == [value]
        assert sz.tensor([value], dtype="float32").tolist() == [float(np.float32(value))]
    with pytest.raises(OutOfRangeError, match='dtype="complex128" keeps it, dtype="complex64" rounds it'):
        sz.tensor([16777217, 1j])


@pytest.mark.parametrize("dtype", ["float32", "int64", "float64", "uint64", "complex64"])
def test_with_a_type_nothing_changes(dtype: str) -> None:
    assert sz.tensor([16777217], dtype=dtype).shape == (1,)
    assert sz.full((1,), 16777217, dtype=dtype).shape == (1,)
    assert sz.arange(16777216, 16777219, dtype=dtype).shape == (3,)


def test_what_has_a_type_keeps_it() -> None:
    for data in (np.array([16777217]), np.int64(16777217), [np.int64(16777217)], sz.tensor([16777217], dtype="int64")):
        made = sz.tensor(data)
        assert made.dtype is sz.int64
        assert int(sz.max(made)) == 16777217


def test_floats_are_rounded_as_before() -> None:
    assert sz.tensor([16777217.0]).tolist() == [16777216.0]
    assert sz.full((1,), 16777217.0).tolist() == [16777216.0]
    assert sz.arange(0.0, 16777220.0, 4194305.0).dtype is sz.float32


@pytest.mark.parametrize("data", [range(16777216, 16777219), [range(2)], range(-16777217, 0, 5)])
def test_ranges(data: Any) -> None:
    flat = [v for part in data for v in (part if isinstance(part, range) else [part])]
    if all(float(np.float32(v)) == v for v in flat):
        assert sz.tensor(data).dtype is sz.float32
        return
    with pytest.raises(OutOfRangeError, match='dtype="int64" keeps it'):
        sz.tensor(data)
    assert sz.tensor(data, dtype="int64").tolist() == list(data)


RANGES = [
    (16777217,), (16777218,), (0, 2**25, 2), (0, 2**25 + 2, 2), (1, 2**25, 2), (-16777218, 0), (16777216, 16777217),
    (16777216, 16777218), (16777215, 16777220, 3), (0, -(2**25), -2), (0, -(2**25) - 4, -2), (5, 16777230, 16777217),
    (2**40, 2**40 + 2**18, 2**16), (2**40, 2**40 + 2**18, 2**17), (2**62, 2**62 + 10, 3), (0, 10**9, 10**8),
    (1, 10**9, 10**8), (3, 0), (0, 100, 7), (-16777217, 16777218, 16777217),
    (0, 2**26, 3 * 2**20), (2**24 - 1, 2**24 + 3, 2), (2**24 - 2, 2**24 + 6, 3), (True, 16777218),
]  # fmt: skip


@pytest.mark.parametrize("bounds", RANGES)
def test_sequences(bounds: tuple[int, ...]) -> None:
    """`arange` without a type raises an error if float32 cannot represent one of the elements."""
    elements = range(*map(int, bounds))
    ends = [*elements[:2000], *elements[-2000:]] if len(elements) > 4000 else elements
    if all(int(np.float32(v)) == v for v in ends):
        assert sz.arange(*bounds).shape == (len(elements),)
        if len(elements) < 4000:
            assert sz.arange(*bounds).tolist() == list(elements)
    else:
        with pytest.raises(OutOfRangeError, match=r'^arange: .* is not exact in float32; dtype="int64" keeps it'):
            sz.arange(*bounds)
        assert sz.arange(*bounds, dtype="int64").shape == (len(elements),)


def test_sequences_that_are_drawn() -> None:
    rng = np.random.default_rng(7)
    loud = 0
    for _ in range(3000):
        step = int(rng.integers(1, 2 ** int(rng.integers(1, 28)))) * int(rng.choice([-1, 1]))
        start = int(rng.integers(-(2 ** int(rng.integers(2, 40))), 2 ** int(rng.integers(2, 40))))
        elements = range(start, start + step * int(rng.integers(0, 9)), step)
        exact = all(int(np.float32(v)) == v for v in elements)
        loud += not exact
        if exact:
            assert sz.arange(elements.start, elements.stop, step).tolist() == list(elements)
        else:
            with pytest.raises(OutOfRangeError):
                sz.arange(elements.start, elements.stop, step)
    assert 200 < loud < 2800


# --- the default ---


@pytest.mark.parametrize("dtype", FLOATING)
def test_every_creation_follows(dtype: str) -> None:
    wanted, values = sz.as_dtype(dtype), sz.random.Generator(7)
    with sz.set_default_dtype(dtype):
        made = [
            sz.zeros(2), sz.ones(2), sz.empty(2), sz.full((2,), 7), sz.full((2,), 0.5), sz.arange(3), sz.arange(0.5, 3),
            sz.linspace(0, 1, 3), sz.eye(2), sz.tensor(1), sz.tensor([1, 2.5]), sz.tensor([[1], [2]]), sz.tensor([]),
            sz.tensor([True, 2]), sz.tensor([Fraction(1, 2)]), sz.tensor(range(3)), sz.tensor(None, shape=2),
            sz.tensor([1], shape=(3,)), sz.from_reference(None, shape=2), sz.uniform(2, 0, 1, seed=7),
            sz.normal(2, seed=7), sz.randperm(5, seed=7), sz.random.uniform(2), sz.random.normal(2),
            sz.random.randperm(3), values.uniform(2), values.normal(2), sz.fft.fftfreq(4), sz.fft.rfftfreq(4),
            sz.sparse_tensor((2,), [[0]], [1.5]),
        ]  # fmt: skip
        assert [x.dtype for x in made] == [wanted] * len(made)
        complexes = sz.complex128 if dtype == "float64" else sz.complex64
        assert sz.tensor([1, 2j]).dtype is complexes
        assert sz.tensor(1j).dtype is complexes
        assert sz.tensor([True]).dtype is sz.bool
        assert sz.tensor(["a"]).dtype is sz.string
        assert sz.full((1,), "a").dtype is sz.string
        assert repr(sz.tensor([1.0])) == "tensor([1.])"
    assert sz.zeros(2).dtype is sz.float32
    assert sz.tensor(1).dtype is sz.float32


def test_what_names_a_type_or_has_one_does_not_follow() -> None:
    with sz.set_default_dtype("float64"):
        assert sz.zeros(2, dtype="int8").dtype is sz.int8
        assert sz.zeros_like(sz.ones(2, dtype="float16")).dtype is sz.float16
        assert sz.tensor(np.ones(2, "float32")).dtype is sz.float32
        x = sz.ones(2, dtype="float32")
        assert (x + 1).dtype is (x * 0.5).dtype is sz.exp(x).dtype is sz.float32
        assert sz.exp(sz.ones(2, dtype="int64")).dtype is sz.float32  # operators do not use the default
        assert sz.array_api.asarray([1]).dtype is sz.int64
        assert repr(x) == "tensor([1., 1.], dtype=float32)"
        assert sz.extras.softmax(x).dtype is sz.float32


@pytest.mark.parametrize("dtype", FLOATING)
def test_integers_by_the_default(dtype: str) -> None:
    digits = FLOATING[dtype]
    with sz.set_default_dtype(dtype):
        held, rounded = 2 ** min(digits, 15), 2**digits + 1
        assert sz.tensor([held]).tolist() == [held]
        for make in (sz.tensor, lambda v: sz.full((1,), v), lambda v: sz.tensor(range(v, v + 1))):
            with pytest.raises(OutOfRangeError, match=rf'is not exact in {dtype}; .*dtype="{dtype}" rounds it'):
                make(rounded)
        if dtype == "float64":
            assert sz.tensor([16777217, 123456789]).tolist() == [16777217.0, 123456789.0]
            assert sz.arange(2**24, 2**24 + 3).tolist() == [2**24, 2**24 + 1, 2**24 + 2]


def test_blocks_within_blocks_and_after_errors() -> None:
    with sz.set_default_dtype("float64"):
        with sz.set_default_dtype(sz.float16):
            assert sz.zeros(1).dtype is sz.float16
        assert sz.zeros(1).dtype is sz.float64
        with pytest.raises(ZeroDivisionError), sz.set_default_dtype(np.float16):
            raise ZeroDivisionError
        assert sz.zeros(1).dtype is sz.float64
    assert sz.zeros(1).dtype is sz.float32


def test_as_a_statement_for_all_threads() -> None:
    sz.set_default_dtype(float)  # Python's `float`, which is float32 here
    assert sz.zeros(1).dtype is sz.float32
    sz.set_default_dtype("float64")
    found: list[Any] = []
    thread = threading.Thread(target=lambda: found.append(sz.zeros(1).dtype))
    thread.start()
    thread.join()
    assert found == [sz.float64]
    sz.set_default_dtype(None)
    assert sz.zeros(1).dtype is sz.float32


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_blocks_that_overlap(order: tuple[int, ...]) -> None:
    """The block that began last and still runs sets the type, whichever block ends first."""
    sz.set_default_dtype("bfloat16")
    blocks = {number: sz.set_default_dtype(dtype) for number, dtype in enumerate(("float64", "float16", "float32"))}
    for number in (1, 0, 2):  # a thread may enter a block after another thread has set and entered its block
        blocks[number].__enter__()
    wanted = {0: sz.float64, 1: sz.float16, 2: sz.float32}
    for number in order:
        assert sz.zeros(1).dtype is wanted[max(wanted)]
        blocks[number].__exit__(None, None, None)
        del wanted[number]
    assert sz.zeros(1).dtype is sz.bfloat16


def test_blocks_of_tasks() -> None:
    async def task(dtype: str, seconds: float) -> None:
        with sz.set_default_dtype(dtype):
            await asyncio.sleep(seconds)

    async def both() -> None:
        await asyncio.gather(task("float64", 0.01), task("float16", 0.1))

    asyncio.run(both())
    assert sz.zeros(1).dtype is sz.float32


def test_a_statement_within_a_block() -> None:
    with sz.set_default_dtype("float64"):
        sz.set_default_dtype("float16")
        assert sz.zeros(1).dtype is sz.float16
    assert sz.zeros(1).dtype is sz.float32


@pytest.mark.parametrize("dtype", ["int64", "bool", "complex64", "string", "flaot64", 3, object])
def test_types_that_cannot_be_the_default(dtype: Any) -> None:
    with pytest.raises(TypeMismatchError, match=r"^set_default_dtype: "):
        sz.set_default_dtype(dtype)
    assert sz.zeros(1).dtype is sz.float32


def test_fused_functions_are_traced_for_each_default() -> None:
    function = sz.fuse(lambda x: x + sz.full(x.shape, 0.1))
    x = sz.zeros(3, dtype="float32")
    for _ in range(3):
        assert function(x).dtype is sz.float32
        with sz.set_default_dtype("float64"):
            assert function(x).tolist() == [0.1] * 3
            assert function(x).dtype is sz.float64


# --- NumPy's functions of integers ---

TALL = np.array([[2**30 + 1, 3, 2**31 - 5], [7, 2**29 + 3, 11]])


@pytest.mark.parametrize("dtype", ["int64", "int32", "uint32", "bool", "int8"])
@pytest.mark.parametrize(
    "name",
    ["mean", "average", "std", "var", "median", "nanmean", "nanstd", "nanvar", "nanmedian", "cov", "corrcoef"],
)
def test_summaries_of_integers(name: str, dtype: str) -> None:
    array = TALL.astype(dtype)
    function = getattr(np, name)
    found, expected = function(sz.tensor(array)), function(array)
    assert found.dtype == np.asarray(expected).dtype == np.float64
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-12)


@pytest.mark.parametrize("name", ["quantile", "nanquantile", "percentile", "nanpercentile"])
def test_quantiles_of_integers(name: str) -> None:
    function = getattr(np, name)
    for q in (0.25, [0.5, 0.75]):
        found = function(sz.tensor(TALL), q, axis=1)
        np.testing.assert_allclose(found.numpy(), function(TALL, q, axis=1), rtol=1e-12)
        assert found.dtype is sz.float64


def test_summaries_of_other_types_keep_them() -> None:
    x = sz.ones((2, 3), dtype="float32")
    assert np.mean(x).dtype is np.std(x).dtype is np.median(x).dtype is sz.float32
    assert np.mean(sz.ones(3, dtype="int64"), dtype="float32").dtype is sz.float32
    assert sz.mean(sz.ones(3, dtype="int64")).dtype is sz.float32
    assert np.average(sz.tensor(TALL), axis=1, weights=np.array([1, 2, 3])).dtype is sz.float64
