"""`suanzi.random.default_rng`: NumPy's names and parameters, and the distributions that they promise."""

from __future__ import annotations

import inspect
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import stats

import suanzi
from samples import fails
from suanzi import DimensionsMismatchError, InvalidArgumentError, OutOfRangeError, Tensor, TypeMismatchError
from suanzi.random import Generator, NumPyGenerator, default_rng

# What each is called with, and what its numbers are then distributed as.
CONTINUOUS: dict[str, tuple[tuple[Any, ...], Any]] = {
    "random": ((), stats.uniform()),
    "uniform": ((2, 5), stats.uniform(2, 3)),
    "standard_normal": ((), stats.norm()),
    "normal": ((3, 2), stats.norm(3, 2)),
    "lognormal": ((1, 0.5), stats.lognorm(0.5, scale=np.e)),
    "standard_exponential": ((), stats.expon()),
    "exponential": ((3,), stats.expon(scale=3)),
    "laplace": ((1, 2), stats.laplace(1, 2)),
    "logistic": ((1, 2), stats.logistic(1, 2)),
    "gumbel": ((1, 2), stats.gumbel_r(1, 2)),
    "rayleigh": ((2,), stats.rayleigh(scale=2)),
    "weibull": ((1.5,), stats.weibull_min(1.5)),
    "pareto": ((3,), stats.lomax(3)),
    "power": ((3,), stats.powerlaw(3)),
    "standard_cauchy": ((), stats.cauchy()),
    "triangular": ((1, 2, 5), stats.triang(0.25, 1, 4)),
}
DISCRETE: dict[str, tuple[tuple[Any, ...], Any]] = {
    "integers": ((-2, 5), stats.randint(-2, 5)),
    "geometric": ((0.3,), stats.geom(0.3)),
    "binomial": ((10, 0.3), stats.binom(10, 0.3)),
}
DRAWN = CONTINUOUS | DISCRETE
OTHERS = {"choice", "multinomial", "permutation", "shuffle", "spawn"}
METHODS = [name for name in vars(NumPyGenerator) if not name.startswith("_") and name != "generator"]
SIZE = 20_000


def draw(name: str, seed: int, size: Any = None) -> Tensor:
    drawn: Tensor = getattr(default_rng(seed), name)(*DRAWN[name][0], size=size)
    return drawn


@pytest.mark.parametrize("name", METHODS)
def test_parameters_are_numpys(name: str) -> None:
    """In NumPy's order, with its defaults; NumPy tells them of few methods, and the documentation of all."""
    ours = list(inspect.signature(getattr(NumPyGenerator, name)).parameters.values())[1:]
    documented = str(getattr(np.random.Generator, name).__doc__).strip().partition("\n")[0]
    words = documented.partition("(")[2].rpartition(")")[0].replace("*, ", "").split(", ")
    if words == [""]:
        pytest.skip("this NumPy does not say")
    theirs = [word.partition("=") for word in words]
    assert [p.name for p in ours] == [parameter for parameter, _, _ in theirs][: len(ours)]
    for p, (_, given, default) in zip(ours, theirs, strict=False):
        assert (p.default is p.empty) == (not given)
        assert not given or p.name == "dtype" or p.default == eval(default)


def test_all_methods_are_tested() -> None:
    assert {*METHODS} == DRAWN.keys() | OTHERS


@pytest.mark.parametrize("name", CONTINUOUS)
def test_continuous_distributions(name: str) -> None:
    drawn = draw(name, 3, SIZE)
    assert drawn.dtype is suanzi.float64
    assert stats.kstest(drawn.numpy(), CONTINUOUS[name][1].cdf).pvalue > 0.001


@pytest.mark.parametrize("name", DISCRETE)
def test_discrete_distributions(name: str) -> None:
    drawn = draw(name, 4, SIZE)
    assert drawn.dtype is suanzi.int64
    values, counts = np.unique(drawn.numpy(), return_counts=True)
    chances = DISCRETE[name][1].pmf(values)
    often = chances * SIZE > 5
    expected = chances[often] / chances[often].sum() * counts[often].sum()
    assert stats.chisquare(counts[often], expected).pvalue > 0.001


@pytest.mark.parametrize("name", DRAWN)
def test_the_same_again(name: str, keep_threads: None) -> None:
    found = []
    for threads in (1, 2, 5):
        suanzi.set_num_threads(threads)
        found.append(draw(name, 11, SIZE).numpy().tobytes())
    assert found[0] == found[1] == found[2]
    assert draw(name, 12, SIZE).numpy().tobytes() != found[0]
    assert draw(name, 11).shape == ()
    assert draw(name, 11, (2, 3)).shape == draw(name, 11, [2, 3]).shape == (2, 3)
    assert draw(name, 11, 0).shape == (0,)


def test_seeds() -> None:
    """0 is a seed like any other."""
    assert default_rng(0).random(3).tolist() == default_rng(np.int64(0)).random(3).tolist()
    assert len({default_rng(seed).generator.seed for seed in range(100)} | {Generator(1).seed}) == 101
    assert default_rng().generator.seed != default_rng(None).generator.seed
    rng = Generator(5)
    rng.uniform(1)
    mine = default_rng(rng)
    assert default_rng(mine) is mine
    mine.random()
    assert rng.state["draws"] == 2
    again = pickle.loads(pickle.dumps(mine))
    assert again.random().item() == mine.random().item()
    assert [child.generator.seed for child in mine.spawn(2)] == [child.seed for child in Generator(5).spawn(2)]


def test_parameters_broadcast() -> None:
    means = suanzi.tensor([0.0, 1000.0])
    for given in (means, means.numpy(), [0.0, 1000.0]):
        drawn = default_rng(2).normal(given, scale=[[1], [2], [3]])
        assert drawn.shape == (3, 2)
        assert drawn.tolist() == default_rng(2).normal(means, [[1], [2], [3]], size=(3, 2)).tolist()
        assert (suanzi.abs(drawn[:, 1] - 1000) < 30).tolist() == [True] * 3
    assert default_rng(2).normal(means, size=(4, 2)).shape == (4, 2)
    assert default_rng(2).binomial(9, [0.0, 1.0], size=(3, 2)).tolist() == [[0, 9]] * 3
    assert default_rng(2).geometric([1.0, 1.0]).tolist() == [1, 1]


def test_types() -> None:
    rng = default_rng(2)
    for name in ("random", "standard_normal", "standard_exponential"):
        for dtype in ("float32", "bfloat16", np.float16):
            assert getattr(rng, name)(3, dtype).dtype == suanzi.as_dtype(dtype)
    assert rng.integers(0, 200, 5, dtype="uint8").dtype is suanzi.uint8
    assert set(rng.integers(1, 2, 50, endpoint=True).tolist()) == {1, 2}
    assert set(rng.integers(2, size=50).tolist()) == {0, 1}


def test_orders_and_choices() -> None:
    rng = default_rng(2)
    assert sorted(rng.permutation(9).tolist()) == list(range(9))
    assert sorted(rng.permutation([5, 6, 7]).tolist()) == [5, 6, 7]
    assert rng.permutation(np.eye(3), axis=1).shape == (3, 3)
    assert rng.permutation(0).shape == (0,)
    x = suanzi.arange(9)
    rng.shuffle(x)
    assert sorted(x.tolist()) == list(range(9))
    assert rng.choice(5, (2, 2)).shape == (2, 2)
    assert rng.choice(5).shape == ()
    assert set(rng.choice(["a", "b"], 20, p=[1, 0]).tolist()) == {"a"}
    assert sorted(rng.choice(5, 5, replace=False, shuffle=False).tolist()) == list(range(5))
    assert rng.choice(np.eye(3), 7, axis=1).shape == (3, 7)


def test_multinomial() -> None:
    drawn = default_rng(2).multinomial(10, [[0.2, 0.8], [1, 0]], size=(3, 2))
    assert drawn.shape == (3, 2, 2)
    assert (suanzi.sum(drawn, axis=-1) == 10).tolist() == [[True, True]] * 3
    assert drawn[:, 1, 1].tolist() == [0, 0, 0]
    assert default_rng(2).multinomial(0, [0.5, 0.5]).tolist() == [0, 0]


def test_what_there_is_not() -> None:
    rng = default_rng(2)
    with pytest.raises(AttributeError, match=r"^default_rng has no 'gamma'; numpy\.random\.default_rng\(\)\.gamma"):
        rng.gamma(3)
    with pytest.raises(AttributeError, match=r"^default_rng has no 'nonsense'$"):
        _ = rng.nonsense
    assert not hasattr(rng, "_bit_generator")


@pytest.mark.parametrize(
    ("call", "error", "operator"),
    [
        (lambda rng: default_rng(-1), OutOfRangeError, "default_rng"),
        (lambda rng: default_rng(2**64), OutOfRangeError, "default_rng"),
        (lambda rng: default_rng("seed"), TypeMismatchError, "default_rng"),
        (lambda rng: rng.normal(0, -1), InvalidArgumentError, "normal"),
        (lambda rng: rng.exponential([1, float("nan")]), InvalidArgumentError, "exponential"),
        (lambda rng: rng.pareto(0), InvalidArgumentError, "pareto"),
        (lambda rng: rng.binomial(3, 1.5), InvalidArgumentError, "binomial"),
        (lambda rng: rng.binomial(-3, 0.5), InvalidArgumentError, "binomial"),
        (lambda rng: rng.binomial([3, 4], 0.5), TypeMismatchError, "binomial"),
        (lambda rng: rng.geometric(0.0), InvalidArgumentError, "geometric"),
        (lambda rng: rng.triangular(1, 0, 3), InvalidArgumentError, "triangular"),
        (lambda rng: rng.normal([1, 2, 3], size=2), DimensionsMismatchError, "normal"),
        (lambda rng: rng.normal([1, 2, 3], [1, 2]), DimensionsMismatchError, "normal"),
        (lambda rng: rng.normal([[1], [2]], size=2), DimensionsMismatchError, "normal"),
        (lambda rng: rng.multinomial(3, 0.5), DimensionsMismatchError, "multinomial"),
        (lambda rng: rng.normal(1j), TypeMismatchError, "normal"),
        (lambda rng: rng.normal(None), TypeMismatchError, "normal"),
        (lambda rng: rng.normal(size=-1), InvalidArgumentError, "normal"),
        (lambda rng: rng.random(2, "int8"), TypeMismatchError, "random"),
        (lambda rng: rng.integers(0), InvalidArgumentError, "integers"),
        (lambda rng: rng.integers([1, 2]), TypeMismatchError, "integers"),
        (lambda rng: rng.integers(1, 3, endpoint=1), TypeMismatchError, "integers"),
        (lambda rng: rng.choice(3, 5, replace=False), InvalidArgumentError, "choice"),
        (lambda rng: rng.choice(3, shuffle=1), TypeMismatchError, "choice"),
        (lambda rng: rng.permutation(-1), InvalidArgumentError, "permutation"),
    ],
)
def test_bad_input(call: Callable[[Any], Any], error: Any, operator: str) -> None:
    with fails(error, operator):
        call(default_rng(1))
