"""The probes of random tensors (7.2.1.7 to 7.2.1.11), and of matrices by their diagonals (diag).

Which numbers a seed gives is the provider's choice; what is asked is the distribution, judged by chi-square tests that
a right one fails once in a million times, and that a seed gives the same tensor again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import erf, sqrt
from typing import Any

import numpy as np

from ..inputs import Maker, sample, types
from ..oracle.compare import anything, exactly
from ..oracle.element_types import Array, ElementType
from ..probe import Probe, Refusal, Scenario, Value
from ..provider import Provider, needed
from ..status import Status

_COUNT = 40_000  # elements that are judged
_BINS = 16
_SEED = 20251121


def _improbable(counts: Array, expected: Array) -> str | None:
    """Whether counts are too far from what is expected of them."""
    freedom = len(counts) - 1
    distance = float(np.sum((counts - expected) ** 2 / expected))
    # Wilson and Hilferty's approximation to the quantile of chi-square at 4.75 deviations.
    bound = freedom * (1 - 2 / (9 * freedom) + 4.75 * sqrt(2 / (9 * freedom))) ** 3
    return f"chi-square {distance:.1f} of {freedom} degrees of freedom" if distance > bound else None


def _draws(
    operator: str, label: str, arguments: tuple[Any, ...], options: dict[str, Any], judge: Callable[[Array], str | None]
) -> Iterator[Probe]:
    """The elements are as `judge` wants them, the same for the same seed and others for another."""

    def draw(provider: Provider, seed: int) -> Array:
        function = needed(provider, operator)

        def given(x: Any) -> Any:
            if isinstance(x, ElementType):
                return provider.element_type(x.name)
            return provider.from_numpy(x) if isinstance(x, np.ndarray) else x

        own = {key: given(value) for key, value in options.items()}
        return provider.to_numpy(function(*map(given, arguments), seed=seed, **own))

    def repeats(provider: Provider) -> str | None:
        first = draw(provider, _SEED).tobytes()
        if draw(provider, _SEED).tobytes() != first:
            return "the same seed gave other elements"
        return "another seed gave the same elements" if draw(provider, _SEED + 1).tobytes() == first else None

    yield Scenario(operator, label, lambda provider: judge(draw(provider, _SEED)))
    yield Scenario(operator, f"{label}, by seed", repeats, "seeds")


def _parts(x: Array) -> Array:
    """The real numbers that make up the elements, in float64."""
    return (x.view(x.real.dtype) if x.dtype.kind == "c" else x).astype(np.float64).ravel()


def _has(x: Array, t: ElementType, shape: tuple[int, ...]) -> str | None:
    if (x.dtype.name, x.shape) != (t.name, shape):
        return f"gave {x.dtype.name} {x.shape}, not {t.name} {shape}"
    return None


def _evenly(x: Array, low: float, high: float) -> str | None:
    if x.min() < low or x.max() > high:
        return f"gave {x.min()} to {x.max()}, outside [{low}, {high}]"
    return _improbable(np.histogram(x, _BINS, (low, high))[0], np.full(_BINS, x.size / _BINS))


def _normally(x: Array, mean: float, deviation: float) -> str | None:
    edges = np.linspace(-2.5, 2.5, _BINS - 1)
    below = np.array([0, *((1 + erf(e / sqrt(2))) / 2 for e in edges), 1])
    bins = np.searchsorted(edges, (x - mean) / deviation)
    return _improbable(np.bincount(bins, minlength=_BINS), np.diff(below) * x.size)


def _uniform(operator: str, available: frozenset[str]) -> Iterator[Probe]:
    for t in types(available):
        low, high = (0, 1) if t.kind in "FCB" else (0, 127)

        def judge(x: Array, t: ElementType = t, low: int = low, high: int = high) -> str | None:
            if t.kind == "B":
                return _has(x, t, (_COUNT,)) or _improbable(np.bincount(x), np.full(2, _COUNT / 2))
            return _has(x, t, (_COUNT,)) or _evenly(_parts(x), low, high)

        yield from _draws(operator, f"{t.name} from {low} to {high}", (_COUNT, low, high), {"dtype": t}, judge)
    yield Refusal(operator, "low above high", (3, 1, 0), Status.INVALID_ARGUMENT)
    yield Refusal(operator, "a bound that is NaN", (3, float("nan"), 0), Status.INVALID_ARGUMENT)


def _normal(operator: str, available: frozenset[str]) -> Iterator[Probe]:
    for t in types(available, "FC"):

        def judge(x: Array, t: ElementType = t) -> str | None:
            # A complex number has its variance in two parts.
            deviation = 2 / sqrt(2) if t.kind == "C" else 2.0
            means = (3.0, 0.0) if t.kind == "C" else (3.0,)
            faults = (_normally(_parts(x)[k :: len(means)], m, deviation) for k, m in enumerate(means))
            return _has(x, t, (_COUNT,)) or next(filter(None, faults), None)

        yield from _draws(operator, t.name, (_COUNT, 3, 2), {"dtype": t}, judge)
    yield Refusal(operator, "a negative standard deviation", (3, 0, -1), Status.INVALID_ARGUMENT)


def _random_like(operator: str, available: frozenset[str]) -> Iterator[Probe]:
    for t in types(available, "FC"):
        x = np.zeros((3, 2), t.numpy)
        yield Value(operator, t.name, (x.T, 0, 1), anything(t, (2, 3)))


def _bernoulli(operator: str, available: frozenset[str]) -> Iterator[Probe]:
    for t in types(available, "F"):
        p = np.repeat(np.array([0, 0.25, 0.5, 1]), _COUNT // 4).astype(t.numpy)

        def judge(x: Array, t: ElementType = t) -> str | None:
            ones = _parts(x).reshape(4, -1).sum(1)
            total = _COUNT // 4
            if ones[0] or ones[3] < total:
                return "what is certain did not happen"
            faults = (
                _improbable(np.array([n, total - n]), np.array([p, 1 - p]) * total)
                for n, p in zip(ones[1:3], (0.25, 0.5), strict=True)
            )
            return _has(x, t, (_COUNT,)) or next(filter(None, faults), None)

        yield from _draws(operator, t.name, (p,), {}, judge)
    for label, chance in (("below 0", -0.5), ("above 1", 1.5), ("NaN", np.nan)):
        yield Refusal(operator, f"a probability {label}", (np.array([chance], np.float32),), Status.INVALID_ARGUMENT)


def _multinomial(operator: str, available: frozenset[str]) -> Iterator[Probe]:
    weights = np.array([1, 0, 2, 5])
    rows = 100
    for t in types(available, "F"):
        for replacement, samples in ((True, 3), (True, 200), (False, 2)):

            def judge(
                x: Array, t: ElementType = t, replacement: bool = replacement, samples: int = samples
            ) -> str | None:
                counts = _parts(x).reshape(x.shape)
                if np.any(counts.sum(1) != samples) or counts[:, 1].any() or (not replacement and counts.max() > 1):
                    return "the counts are none of these draws"
                if replacement:
                    drawn, chances = counts.sum(0)[[0, 2, 3]], weights[[0, 2, 3]] / 8
                else:
                    # The class that is left out of three: by the weights of the two that come first, in either order.
                    a, b, c = weights[[0, 2, 3]] / 8
                    drawn = rows - counts.sum(0)[[0, 2, 3]]
                    chances = np.array([b * c / (1 - b) + c * b / (1 - c), a * c / (1 - a) + c * a / (1 - c), 0.0])
                    chances[2] = 1 - chances.sum()
                return _has(x, t, (rows, 4)) or _improbable(drawn, chances * drawn.sum())

            label = f"{samples} draws of {t.name}, replacement={replacement}"
            p = np.tile(weights, (rows, 1)).astype(t.numpy)
            yield from _draws(operator, label, (p, samples, replacement), {}, judge)
    one = np.ones(3, np.float32)
    yield Refusal(operator, "negative weights", (-one,), Status.INVALID_ARGUMENT)
    yield Refusal(operator, "no positive weight", (0 * one,), Status.INVALID_ARGUMENT)
    yield Refusal(operator, "more draws than classes", (one, 4, False), Status.INVALID_ARGUMENT)
    for t in types(available, "F"):
        if t.bits == 16:  # a count that the type would round is none
            draws = 2**t.precision + 1
            ones = np.ones(1, t.numpy)
            options = {"num_samples": draws}
            yield Refusal(operator, f"{draws} draws of one class in {t.name}", (ones,), Status.OUT_OF_RANGE, options)


def _randperm(operator: str, available: frozenset[str]) -> Iterator[Probe]:
    for t in types(available, "IFC"):

        def judge(x: Array, t: ElementType = t) -> str | None:
            numbers = x.real.astype(np.float64)
            if not np.array_equal(np.sort(numbers), np.arange(120)):
                return "gave no permutation"
            return _has(x, t, (120,))

        yield from _draws(operator, t.name, (120,), {"dtype": t}, judge)
    yield Refusal(operator, "a length of 0", (0,), Status.INVALID_ARGUMENT)


# Of a matrix and a diagonal, what NumPy makes.
_DIAGONALS: dict[str, Callable[..., Array]] = {
    "diag": np.diag,
    "diagonal": lambda x, k: np.diagonal(x, k, -2, -1),
    "tril": np.tril,
    "triu": np.triu,
}


def _diagonals(operator: str, available: frozenset[str]) -> Iterator[Probe]:
    shapes = [(3, 4), (4, 3)] + ([(3,)] if operator == "diag" else [(2, 3, 3)])
    for t in types(available):
        for shape in shapes:
            for k in (0, 1, -2):
                for label, x in (("", sample(t, shape)), (", transposed", sample(t, shape[::-1]).T)):
                    expected = exactly(np.ascontiguousarray(_DIAGONALS[operator](x, k)))
                    yield Value(operator, f"{t.name} {shape}, diagonal {k}{label}", (x, k), expected)
    yield Refusal(operator, "a scalar", (np.array(1, np.float32),), Status.DIMENSIONS_MISMATCH)


def _eye(operator: str, available: frozenset[str]) -> Iterator[Probe]:
    for t in types(available):
        for n, m, k in ((3, 3, 0), (2, 4, 1), (4, 2, -1), (0, 2, 0)):
            yield Value(operator, f"{t.name} {n} by {m}", (n, m, k), exactly(np.eye(n, m, k, t.numpy)), {"dtype": t})
    yield Refusal(operator, "a negative size", (-1,), Status.INVALID_ARGUMENT)


PROBES: dict[str, Maker] = {
    "uniform": _uniform,
    "normal": _normal,
    **dict.fromkeys(("uniform_like", "normal_like"), _random_like),
    "bernoulli": _bernoulli,
    "multinomial": _multinomial,
    "randperm": _randperm,
    **dict.fromkeys(_DIAGONALS, _diagonals),
    "eye": _eye,
}
