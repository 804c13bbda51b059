"""`suanzi.random.default_rng` has NumPy's names, parameters and distributions."""

from __future__ import annotations

import copy
import inspect
import pickle
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import stats

import suanzi
from samples import fails
from suanzi import DimensionsMismatchError, InvalidArgumentError, OutOfRangeError, Tensor, TypeMismatchError
from suanzi.random import Generator, NumPyGenerator, default_rng

# The arguments of each function of a generator, and SciPy's distribution of the drawn numbers.
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
    """The first parameters of each method have the names, the order and the defaults that NumPy documents."""
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
    """A seed of 0 is as valid as any other seed."""
    assert default_rng(0).random(3).tolist() == default_rng(np.int64(0)).random(3).tolist()
    assert len({default_rng(seed).generator.seed for seed in range(100)} | {Generator(1).seed}) == 101
    assert default_rng().generator.seed != default_rng(None).generator.seed
    rng = Generator(5)
    rng.uniform(1)
    mine = default_rng(rng)
    assert default_rng(mine) is mine
    mine.random()
    assert rng.state["draws"] == 2
    copies = [pickle.loads(pickle.dumps(mine, protocol)) for protocol in range(pickle.HIGHEST_PROTOCOL + 1)]
    copies.append(copy.deepcopy(mine))
    following = mine.random().item()
    assert [again.random().item() for again in copies] == [following] * len(copies)
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
        (lambda rng: rng.binomial(2**53 + 1, 0.5), OutOfRangeError, "binomial"),
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
        (lambda rng: rng.choice(5, axis="x"), TypeMismatchError, "choice"),
        (lambda rng: rng.permutation(5, axis="x"), TypeMismatchError, "permutation"),
        (lambda rng: rng.permutation(5, axis=1), OutOfRangeError, "permutation"),
        (lambda rng: rng.permutation(-1), InvalidArgumentError, "permutation"),
    ],
)
def test_bad_input(call: Callable[[Any], Any], error: Any, operator: str) -> None:
    with fails(error, operator):
        call(default_rng(1))


# --- the limits of the range ---

LARGEST = 1.7e308


@pytest.mark.parametrize(
    ("low", "high", "size"),
    [
        (-LARGEST, LARGEST, 1000),
        (-LARGEST, [LARGEST, 0.0], (1000, 2)),
        ([0.0, -LARGEST], [1.0, LARGEST], (1000, 2)),
        (-np.finfo("f8").max, np.finfo("f8").max, 1000),
        (1.0, np.nextafter(1.0, 2.0), 1000),
        (-1.0, 2.0**-55, 1000),
    ],
)
def test_uniform_stays_within_its_bounds(low: Any, high: Any, size: Any) -> None:
    drawn = default_rng(1).uniform(low, high, size).numpy()
    assert ((drawn >= low) & (drawn <= high)).all()
    with np.errstate(over="ignore"):
        spans = np.max(drawn, axis=0) / 2 - np.min(drawn, axis=0) / 2
    assert (spans > 0.45 * (np.array(high) / 2 - np.array(low) / 2) * 2).all() or np.min(spans) < 1e-15


@pytest.mark.parametrize(
    ("left", "mode", "right"), [(-LARGEST, 0, LARGEST), (0, 1e-200, 2e-200), (-1e300, 1e300, 1e300)]
)
def test_triangular_of_any_size(left: float, mode: float, right: float) -> None:
    drawn = default_rng(1).triangular(left, mode, right, SIZE).numpy()
    unit = right / 2 - left / 2
    found = (drawn / 2 - left / 2) / unit
    assert stats.kstest(found, stats.triang((mode / 2 - left / 2) / unit).cdf).pvalue > 0.001


def test_triangular_of_the_least_width() -> None:
    """The least bounds are not halved, even beside bounds whose difference overflows."""
    rng = default_rng(1)
    assert set(rng.triangular(0, 0, 5e-324, 100).tolist()) <= {0.0, 5e-324}
    drawn = rng.triangular([0, -LARGEST], 0, [5e-324, LARGEST], (100, 2)).numpy()
    assert np.isin(drawn[:, 0], [0.0, 5e-324]).all()
    assert (np.abs(drawn[:, 1]) <= LARGEST).all()


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda rng: rng.uniform(2, 1), "uniform: low 2 is above high 1"),
        (lambda rng: rng.uniform(0, np.inf), "uniform: high inf is not finite"),
        (lambda rng: rng.triangular(2, [3, 1], 4), "triangular: left 2 is above mode [3, 1]"),
    ],
)
def test_messages_show_the_given_bounds(call: Callable[[Any], Any], text: str) -> None:
    with pytest.raises(InvalidArgumentError, match=re.escape(text)):
        call(default_rng(1))


@pytest.mark.parametrize(
    ("low", "high", "dtype", "endpoint"),
    [
        (-(2**63), 2**63, "int64", False),
        (-(2**63), 2**63 - 1, "int64", True),
        (0, 2**64, "uint64", False),
        (np.uint64(0), np.uint64(2**64 - 1), "uint64", True),
        (2**63, 2**64, "uint64", False),
        (0, 2**63, "int64", False),
        (-128, 128, "int8", False),
        (0, 2, "bool", False),
        (0, 1, np.bool_, True),
    ],
)
def test_integers_of_a_whole_type(low: Any, high: Any, dtype: Any, endpoint: bool) -> None:
    drawn = default_rng(1).integers(low, high, 2000, dtype=dtype, endpoint=endpoint)
    assert drawn.dtype is suanzi.as_dtype(dtype)
    numbers = [int(x) for x in drawn.tolist()]
    last = int(high) - (not endpoint)
    assert all(int(low) <= x <= last for x in numbers)
    width = last - int(low)
    assert max(numbers) - int(low) >= width * 0.99
    assert min(numbers) - int(low) <= width * 0.01


@pytest.mark.parametrize("arguments", [(0,), (5,), (5, 5), (5, 2), (0, 300), (-(2**63), 2**64)])
def test_no_integers_have_no_bounds(arguments: tuple[int, ...]) -> None:
    for size in (0, (2, 0)):
        drawn = default_rng(1).integers(*arguments, size=size, dtype="uint8")
        assert drawn.size == 0
        assert drawn.dtype is suanzi.uint8


@pytest.mark.parametrize("n", [10**10, 2**40, 2**62])
def test_a_few_of_many(n: int) -> None:
    """`choice` of a few among many numbers needs little memory, repeats no number, and returns a random order."""
    for count in (1, 5, 1000):
        drawn = default_rng(3).choice(n, count, replace=False)
        assert drawn.shape == (count,)
        numbers = drawn.tolist()
        assert len({*numbers}) == count
        assert all(0 <= x < n for x in numbers)
    many = default_rng(4).choice(n, 5000, replace=False).numpy() / n
    assert stats.kstest(many, stats.uniform().cdf).pvalue > 0.001
    assert suanzi.random.Generator(3).choice(n, (2, 3), False).shape == (2, 3)
    suanzi.random.seed(3)
    assert suanzi.random.choice(n, 3, False).tolist() == suanzi.random.Generator(3).choice(n, 3, False).tolist()


def test_a_few_are_chosen_evenly() -> None:
    """`choice` chooses evenly, by each of its two methods. The number of elements decides between the methods."""
    for n in (1030, 2000):
        rng, counts = default_rng(5), np.zeros((3, 10))
        for _ in range(4000):
            drawn = rng.choice(n, 3, replace=False).numpy()
            assert len({*drawn.tolist()}) == 3
            counts[range(3), drawn * 10 // n] += 1
        assert stats.chisquare(counts[0] + counts[1] + counts[2]).pvalue > 0.001
        assert stats.chi2_contingency(counts).pvalue > 0.001
    # If `choice` draws 1180 of 20,000 numbers, some draws are equal. `choice` replaces repeated draws by further draws.
    for seed in range(20):
        assert len({*default_rng(seed).choice(20_000, 1180, replace=False).tolist()}) == 1180


NAN, INF = float("nan"), float("inf")
REFUSED = [
    "uniform(0, INF)", "uniform(-INF, 0)", "uniform(NAN, 1)", "uniform(0, NAN)", "uniform(5, 2)",
    "uniform([0, 1], [1, INF])", "uniform([3, 0], [1, 1])", "normal(0, -1)", "normal(0, [1, -1])", "lognormal(0, -1)",
    "exponential(-1)", "exponential(-5e-324)", "laplace(0, -1)", "logistic(0, -1)", "gumbel(0, -1)", "rayleigh(-1)",
    "weibull(-1)", "pareto(0)", "pareto(-1)", "power(0)", "triangular(0, 0, 0)", "triangular(1, 0, 2)",
    "triangular(0, 3, 2)", "geometric(0)", "geometric(NAN)", "geometric(1.5)", "binomial(5, NAN)", "binomial(5, -0.1)",
    "binomial(0, NAN)", "binomial(-1, 0.5)", "multinomial(5, [-0.1, 1.1])", "multinomial(0, [-0.1, 1.1])",
    "multinomial(0, [NAN, 1.1])", "multinomial(5, [[-1.0, 2]], size=0)", "multinomial(5, [])", "multinomial(0, [])",
    "multinomial(-1, [1])", "choice(2, 0, p=[-1, 2])", "choice(2, 0, p=[NAN, 2])", "choice(2, 0, p=[0, 0])",
    "choice(2, 3, p=[-1, 2])", "choice(3, 2, False, p=[1, 0, 0])", "choice(3, 0, False, p=[0, 0, 0])", "choice(0)",
    "choice(-1)", "choice(3, 5, False)", "choice(10**10, 10**10 + 1, False)", "integers(5, 5)",
    "integers(5, 4, endpoint=True)", "integers(0, 257, dtype='uint8')", "integers(-1, 5, dtype='uint64')",
    "integers(0, 256, dtype='uint8', endpoint=True)", "integers(0, 2**63 + 1)", "integers(0, 3, dtype=bool)",
    "integers(-2**64, 2**64)",
]  # fmt: skip


@pytest.mark.parametrize("call", REFUSED)
def test_what_numpy_refuses(call: str) -> None:
    names = {"NAN": NAN, "INF": INF}
    with pytest.raises((ValueError, OverflowError, MemoryError)):
        eval(f"rng.{call}", {"rng": np.random.default_rng(1), **names})
    with pytest.raises(suanzi.SuanziError, match=f"^{call.partition('(')[0]}: ") as caught:
        eval(f"rng.{call}", {"rng": default_rng(1), **names})
    assert caught.type in (InvalidArgumentError, OutOfRangeError)


def test_each_uniform_names_the_others() -> None:
    names = ("suanzi.uniform", "suanzi.random.uniform", "default_rng().uniform")
    for own, function in zip(
        names, (suanzi.uniform, suanzi.random.uniform, suanzi.random.NumPyGenerator.uniform), strict=True
    ):
        text = str(function.__doc__)
        assert all(name in text for name in names if name != own)
