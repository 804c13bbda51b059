"""Tests of `suanzi.random`: draws and keys by Philox's published definition, states, child generators, and more."""

from __future__ import annotations

import copy
import pickle
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import suanzi
from oracle import philox
from samples import fails
from suanzi import DimensionsMismatchError, InvalidArgumentError, OutOfRangeError, TypeMismatchError
from suanzi.random import Generator
from suanzi.random.keys import CHILDREN, DRAWS, key

SEEDS = st.integers(1, 2**64 - 1)
DRAWINGS: dict[str, Callable[[Generator], Any]] = {
    "uniform": lambda rng: rng.uniform((20, 3)),
    "normal": lambda rng: rng.normal(50, 1, 2, dtype="float64"),
    "integers": lambda rng: rng.integers(40, -5, 5, dtype="int16"),
    "bernoulli": lambda rng: rng.bernoulli(suanzi.full(40, 0.5)),
    "multinomial": lambda rng: rng.multinomial(suanzi.ones((3, 40)), 20),
    "randperm": lambda rng: rng.randperm(30, "int32"),
    "permutation": lambda rng: rng.permutation(suanzi.arange(30)),
    "choice": lambda rng: rng.choice(1000, 30),
}


def expected_key(seed: int, n: int, stream: int) -> int:
    counter = np.array([[n & (2**32 - 1), n >> 32, stream, 0]], np.uint64)
    low, high, _, _ = philox.blocks(counter, seed)[0].tolist()
    return int(low) | int(high) << 32


@given(SEEDS, st.integers(0, 2**64 - 1), st.sampled_from([DRAWS, CHILDREN]))
def test_keys_are_as_defined(seed: int, n: int, stream: int) -> None:
    assert key(seed, n, stream) == expected_key(seed, n, stream) != 0


@given(SEEDS, st.lists(st.integers(0, 5), max_size=4))
def test_draw_n_is_that_of_key_n(seed: int, sizes: list[int]) -> None:
    """The n-th draw of a generator uses the n-th key, regardless of the functions and shapes of earlier draws."""
    rng = Generator(seed)
    for size in sizes:
        rng.normal((size,))
    drawn = rng.uniform(5).tolist()
    assert drawn == suanzi.uniform(5, 0, 1, seed=expected_key(seed, len(sizes), DRAWS)).tolist()


@pytest.mark.parametrize("name", ["uniform", "normal", "integers"])
def test_the_order_of_numpy(name: str) -> None:
    """A call in NumPy's order, such as `normal(0, 1, 10)`, makes 0 the shape. A warning names the caller's file."""
    for home in (suanzi.random, Generator(7)):
        with pytest.warns(RuntimeWarning, match=f"^{name}: shape 0 has no elements; the shape comes first") as caught:
            assert getattr(home, name)(0, 1, 10).shape == (0,)
        assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert getattr(Generator(7), name)((0,), 1, 10).shape == (0,)
        assert getattr(Generator(7), name)(2, 1, 10).shape == (2,)


@pytest.mark.parametrize("name", DRAWINGS)
def test_the_same_again(name: str, keep_threads: None) -> None:
    draw, found = DRAWINGS[name], []
    for threads in (1, 2, 5):
        suanzi.set_num_threads(threads)
        rng = Generator(11)
        found.append([draw(rng).tolist() for _ in range(3)])
    assert found[0] == found[1] == found[2]
    assert len({repr(drawn) for drawn in found[0]}) == 3
    assert draw(Generator(12)).tolist() != found[0][0]


@pytest.mark.parametrize("name", DRAWINGS)
def test_functions_draw_from_the_default_generator(name: str) -> None:
    before = suanzi.random.default_generator()
    try:
        suanzi.random.seed(11)
        assert suanzi.random.default_generator().state == {"seed": 11, "draws": 0, "children": 0}
        drawn = DRAWINGS[name](suanzi.random)  # type: ignore[arg-type]
        assert drawn.tolist() == DRAWINGS[name](Generator(11)).tolist()
        mine = Generator(5)
        suanzi.random.set_default_generator(mine)
        DRAWINGS[name](suanzi.random)  # type: ignore[arg-type]
        assert mine.state["draws"] == 1
    finally:
        suanzi.random.set_default_generator(before)


def test_the_functions_of_the_standard_do_not_draw_from_it() -> None:
    suanzi.random.seed(11)
    first = suanzi.uniform(4, 0, 1).tolist()
    suanzi.random.seed(11)
    assert suanzi.uniform(4, 0, 1).tolist() != first
    assert suanzi.random.default_generator().state["draws"] == 0
    suanzi.random.seed()


def test_seed_zero_is_the_systems() -> None:
    seeds = {Generator().seed for _ in range(5)} | {Generator(0).seed for _ in range(5)}
    assert len(seeds) == 10
    assert 0 not in seeds


@given(SEEDS, st.integers(0, 4))
def test_state(seed: int, drawn: int) -> None:
    rng = Generator(seed)
    rng.spawn(2)
    for _ in range(drawn):
        rng.uniform(1)
    copies = [pickle.loads(pickle.dumps(rng)), copy.copy(rng), copy.deepcopy(rng), Generator(1)]
    copies[-1].state = rng.state
    assert [other.state for other in copies] == [rng.state] * 4 == [{"seed": seed, "draws": drawn, "children": 2}] * 4
    following, child = rng.uniform(3).tolist(), rng.spawn(1)[0].seed
    assert all((other.uniform(3).tolist(), other.spawn(1)[0].seed) == (following, child) for other in copies)
    assert repr(rng) == f"Generator(seed={seed}, draws={drawn + 1})"


def test_children() -> None:
    rng, other = Generator(3), Generator(3)
    rng.uniform(5)
    first = rng.spawn(3)
    rng.uniform(5)
    assert [child.seed for child in (*first, *rng.spawn(2))] == [child.seed for child in other.spawn(5)]
    assert [child.seed for child in first] == [expected_key(3, i, CHILDREN) for i in range(3)]
    assert rng.spawn(0) == ()
    grandchildren = {g.seed for child in Generator(3).spawn(20) for g in child.spawn(20)}
    assert len(grandchildren) == 400


def test_threads_share_a_generator() -> None:
    rng = Generator(9)
    with ThreadPoolExecutor(4) as pool:
        drawn = list(pool.map(lambda _: rng.integers((), 0, 2**62).item(), range(400)))
    again = Generator(9)
    assert sorted(drawn) == sorted(again.integers((), 0, 2**62).item() for _ in range(400))


def test_draws_are_independent() -> None:
    """Draws are independent of neighbouring draws and seeds, of child generators, and of `suanzi.normal`."""

    def normals(rng: Generator) -> Any:
        return rng.normal(20_000, dtype="float64").numpy()

    rng = Generator(1)
    rows = [normals(rng), normals(rng), normals(Generator(2)), *map(normals, rng.spawn(2))]
    rows.append(suanzi.normal(20_000, seed=1, dtype="float64").numpy())
    correlations = np.corrcoef(rows) - np.eye(len(rows))
    assert np.abs(correlations).max() < 4 / np.sqrt(20_000)


def test_first_elements_of_many_draws_are_uniform() -> None:
    rng = Generator(17)
    drawn = [rng.uniform((), dtype="float64").item() for _ in range(2000)]
    assert stats.kstest(drawn, "uniform").pvalue > 0.001


@pytest.mark.parametrize(("low", "high", "dtype"), [(0, 7, None), (-3, 4, "int8"), (2**63, 2**63 + 7, "uint64")])
def test_integers(low: int, high: int, dtype: Any) -> None:
    drawn = Generator(5).integers(7000, low, high, dtype=dtype)
    assert drawn.dtype is suanzi.as_dtype(dtype or "int64")
    values, counts = np.unique(drawn.numpy(), return_counts=True)
    assert values.tolist() == list(range(low, high))
    assert stats.chisquare(counts).pvalue > 0.001


@given(st.integers(0, 20), st.integers(1, 4), st.integers(0, 1), SEEDS)
def test_orders(length: int, width: int, axis: int, seed: int) -> None:
    shape = (length, width) if axis == 0 else (width, length)
    x = suanzi.reshape(suanzi.arange(length * width, dtype="int64"), shape)
    permuted = Generator(seed).permutation(x, axis=axis)
    assert permuted.shape == shape
    assert sorted(map(tuple, np.moveaxis(permuted.numpy(), axis, 0).tolist())) == sorted(
        map(tuple, np.moveaxis(x.numpy(), axis, 0).tolist())
    )
    Generator(seed).shuffle(x, axis - 2)
    assert x.tolist() == permuted.tolist()


def test_choice() -> None:
    rng = Generator(3)
    without = rng.choice(50, 50, replacement=False)
    assert sorted(without.tolist()) == list(range(50)) != without.tolist()
    x = suanzi.reshape(suanzi.arange(12), (3, 4))
    assert rng.choice(x, (2, 5), axis=1).shape == (3, 2, 5)
    assert set(rng.choice(x, 100, axis=1)[0].tolist()) == {0, 1, 2, 3}
    assert rng.choice(x).shape == (4,)
    weights = suanzi.tensor([0.0, 1.0, 0.0, 3.0])
    drawn = rng.choice(4, 4000, p=weights).numpy()
    assert stats.binomtest(int((drawn == 3).sum()), 4000, 0.75).pvalue > 0.001
    assert set(drawn.tolist()) == {1, 3}
    assert sorted(rng.choice(4, 2, replacement=False, p=weights).tolist()) == [1, 3]
    assert rng.choice(suanzi.zeros((0, 3)), 0).shape == (0, 3)


class Changing:
    """An axis that is 0 when it is read first, and 1 from then on."""

    def __init__(self) -> None:
        self.value = -1

    def __index__(self) -> int:
        self.value = min(self.value + 1, 1)
        return self.value


def test_an_axis_is_read_once() -> None:
    x = suanzi.reshape(suanzi.arange(6), (3, 2))
    for operation in (
        lambda axis: Generator(7).permutation(x, axis),
        lambda axis: Generator(7).choice(x, 5, axis=axis),
        lambda axis: suanzi.random.default_rng(7).permutation(x, axis),
        lambda axis: suanzi.random.default_rng(7).choice(5, axis=axis),
    ):
        assert operation(Changing()).tolist() == operation(0).tolist()
    shuffled = suanzi.clone(x)
    Generator(7).shuffle(shuffled, Changing())  # type: ignore[arg-type]
    assert shuffled.tolist() == Generator(7).permutation(x).tolist()


@pytest.mark.parametrize(
    ("call", "error", "operator"),
    [
        (lambda: Generator(-1), OutOfRangeError, "Generator"),
        (lambda: Generator(2**64), OutOfRangeError, "Generator"),
        (lambda: Generator(1.5), TypeMismatchError, "Generator"),  # type: ignore[arg-type]
        (lambda: suanzi.random.set_default_generator(3), TypeMismatchError, "set_default_generator"),  # type: ignore[arg-type]
        (lambda: Generator(1).spawn(-1), OutOfRangeError, "spawn"),
        (lambda: setattr(Generator(1), "state", {}), InvalidArgumentError, "state"),
        (lambda: setattr(Generator(1), "state", 3), InvalidArgumentError, "state"),
        (
            lambda: setattr(Generator(1), "state", {"seed": 0, "draws": 0, "children": 0}),
            InvalidArgumentError,
            "state",
        ),
        (lambda: Generator(1).integers(3, 5, 5), InvalidArgumentError, "integers"),
        (lambda: Generator(1).integers(3, 0, 300, dtype="int8"), OutOfRangeError, "integers"),
        (lambda: Generator(1).integers(3, 0.5, 3), TypeMismatchError, "integers"),  # type: ignore[arg-type]
        (lambda: Generator(1).integers(3, 0, 3, dtype="float32"), TypeMismatchError, "integers"),
        (lambda: Generator(1).choice(3, 5, replacement=False), InvalidArgumentError, "choice"),
        (lambda: Generator(1).choice(0, 5), InvalidArgumentError, "choice"),
        (lambda: Generator(1).choice(3, 2, p=suanzi.ones(4)), DimensionsMismatchError, "choice"),
        (lambda: Generator(1).choice(5, axis=99), OutOfRangeError, "choice"),
        (lambda: Generator(1).choice(5, axis="x"), TypeMismatchError, "choice"),  # type: ignore[arg-type]
        (lambda: Generator(1).permutation(suanzi.zeros(3), 4), OutOfRangeError, "permutation"),
        (lambda: Generator(1).shuffle(suanzi.tensor(2.0)), OutOfRangeError, "shuffle"),
        (lambda: Generator(1).normal(3, std=-1), InvalidArgumentError, "normal"),
    ],
)
def test_bad_input(call: Callable[[], Any], error: Any, operator: str) -> None:
    with fails(error, operator):
        call()
