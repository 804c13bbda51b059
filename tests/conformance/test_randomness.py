"""The kit's tests of random numbers pass right generators, fail faulty generators, and seldom raise a false alarm."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from suanzi.conformance import Profile, State, Suanzi, asked, check
from suanzi.conformance.oracle import randomness
from suanzi.conformance.oracle.randomness import Trial, battery, improbable, lines, permutations, tails

pytestmark = pytest.mark.one_level

Array = Any
COUNT = 100_003


def generator(seed: int = 7) -> np.random.Generator:
    return np.random.default_rng(seed)


@pytest.mark.parametrize(
    ("found", "wanted"),
    [  # SciPy's values of chi2 and poisson
        (randomness.of_chi_square(4.8, 16), 0.006677233898456844),
        (randomness.of_chi_square(32.0, 16), 0.01999956190620956),
        (randomness.of_chi_square(36.0, 120), 1.072945499392944e-14),
        (randomness.of_chi_square(240.0, 120), 1.006401262408251e-09),
        (randomness.of_chi_square(1.0, 1), 0.6346210157258223),
        (randomness.of_count(0, 33.0), 9.31777229020679e-15),
        (randomness.of_count(70, 33.0), 2.8451539625453024e-08),
        (randomness.of_count(10, 33.0), 5.548479404096954e-06),
        (randomness.of_normal(3.0), 0.0026997960632601866),
    ],
)
def test_distributions(found: float, wanted: float) -> None:
    assert found == pytest.approx(wanted, rel=2e-3, abs=1e-15)


def of_everything(seed: int) -> Iterator[Trial]:
    rng = generator(seed)
    yield from battery(rng.random(COUNT))
    yield from lines(rng.random((200, 200)))
    yield from tails(rng.standard_normal(2**19))
    yield from permutations(np.array([rng.permutation(40) for _ in range(400)]))


def test_a_right_generator_is_as_probable_as_it_should_be() -> None:
    probabilities = np.array([test.probability for seed in range(12) for test in of_everything(seed)])
    assert probabilities.min() > 1e-5
    assert 0.02 < np.mean(probabilities < 0.05) < 0.09


def antithetic(x: Array) -> Array:
    x[1::2] = 1 - x[: x.size - x.size % 2 : 2]
    return x


FAULTY: dict[str, Callable[[], Iterator[Trial]]] = {
    "sorted": lambda: battery(np.sort(generator().random(COUNT))),
    "a period": lambda: battery(np.resize(generator().random(39_000), COUNT)),
    "antithetic pairs": lambda: battery(antithetic(generator().random(COUNT))),
    "too even": lambda: battery((generator().permutation(COUNT) + 0.5) / COUNT),
    "a slow drift": lambda: battery(np.clip(generator().random(COUNT) + np.linspace(-0.02, 0.02, COUNT), 0, 1)),
    "steps of 8 bits": lambda: battery(np.floor(generator().random(COUNT) * 256) / 256),
    "outside": lambda: battery(generator().random(COUNT) * 1.0001),
    "a bent distribution": lambda: battery(generator().random(COUNT) ** 1.05),
    "few digits": lambda: randomness.distinct(np.floor(generator().random(COUNT) * 4096) / 4096, 0.9),
    "two rows alike": lambda: lines(np.stack([*generator().random((199, 200)), generator().random((199, 200))[7]])),
    "columns alike": lambda: lines(np.repeat(generator().random((200, 100)), 2, axis=1)),
    "two sequences shifted": lambda: randomness.correlations(
        generator().random(20_000), np.roll(generator().random(20_000), 3)
    ),
    "parts alike": lambda: randomness.together("", generator().random(COUNT), generator().random(COUNT)),
    "no tails": lambda: tails(np.clip(generator().standard_normal(2**19), -3.9, 3.9)),
    "heavy tails": lambda: tails(generator().standard_t(30, 2**19)),
    "one tail": lambda: tails(np.abs(generator().standard_normal(2**19))),
    "bits that are never set": lambda: randomness.bits(
        generator().integers(0, 2**64, 9999, np.uint64) & ~np.uint64(1), 64
    ),
    "rotations": lambda: permutations(np.array([np.roll(np.arange(40), k) for k in generator().integers(0, 40, 400)])),
    "the last in its place": lambda: permutations(np.array([[*generator(k).permutation(39), 39] for k in range(400)])),
    "one permutation": lambda: permutations(np.tile(generator().permutation(40), (400, 1))),
}


@pytest.mark.parametrize("name", FAULTY)
def test_a_faulty_generator_is_improbable(name: str) -> None:
    assert improbable(FAULTY[name]()) is not None


class Seeded(Suanzi):
    """Suanzi that changes the seeds of random numbers."""

    def __init__(self, change: Callable[[int], int]) -> None:
        self.change = change

    def find(self, operator: str) -> Callable[..., Any] | None:
        found = super().find(operator)
        if operator not in DRAWING or found is None:
            return found
        parameters = inspect.signature(found)

        def call(*operands: Any, **options: Any) -> Any:
            try:
                given = parameters.bind(*operands, **options)
            except TypeError:
                return found(*operands, **options)
            given.apply_defaults()
            if isinstance(given.arguments["seed"], int):
                given.arguments["seed"] = self.change(given.arguments["seed"])
            return found(*given.args, **given.kwargs)

        return call


DRAWING = ("uniform", "normal", "bernoulli", "multinomial", "randperm")
SEEDS: dict[str, Callable[[int], int]] = {
    "a constant for 0": lambda seed: seed or 12345,
    "of floating numbers": lambda seed: int(float(seed)) if seed < 2**63 else seed,
    "at most 2^63 - 1": lambda seed: min(seed, 2**63 - 1),
    "of 63 bits": lambda seed: seed % 2**63,
    "halved": lambda seed: (seed >> 1) + 1 if seed else 0,
}


@pytest.mark.parametrize("operator", DRAWING)
@pytest.mark.parametrize("change", SEEDS)
def test_a_changed_seed_is_found(change: str, operator: str) -> None:
    verdict = check(operator, Seeded(SEEDS[change]), Profile.QUICK)
    assert verdict.state is State.FAIL
    assert all("seed" in fault for fault in verdict.faults), verdict.faults


class SmallSeeds(Seeded):
    """Suanzi that refuses large seeds with an exception without a status."""

    def __init__(self) -> None:
        super().__init__(lambda seed: seed if seed < 2**31 else int("large"))


@pytest.mark.parametrize("operator", ["uniform", "normal"])
def test_large_seeds_may_be_refused(operator: str) -> None:
    verdict = check(operator, SmallSeeds(), Profile.QUICK)
    assert not [fault for fault in verdict.faults if "by seed" in fault or "seeds apart" in fault]


def test_the_rate_of_false_alarms(monkeypatch: pytest.MonkeyPatch) -> None:
    """The kit makes at most `randomness.MOST` tests, so a false alarm is as rare as stated. Suanzi passes the tests."""
    made = 0

    def counting(tests: Iterator[Trial]) -> str | None:
        nonlocal made
        several = list(tests)
        made += len(several)
        return improbable(iter(several))

    monkeypatch.setattr(randomness, "improbable", counting)
    provider = Suanzi()
    for operator in ("uniform", "normal", "bernoulli", "multinomial", "randperm"):
        probes = [probe for _, probe in asked(operator, provider) if type(probe).__name__ == "Scenario"]
        assert [found.fault for probe in probes if (found := probe.judge(provider)).fault] == []
    assert 1000 < made <= randomness.MOST
    assert randomness.MOST * randomness.ALARM < 1e-6
