"""The probes of random tensors (7.2.1.7 to 7.2.1.11), and of matrices by their diagonals (diag).

Which numbers a seed gives is the provider's choice. Asked is that they are distributed as they should be and independent
of each other, by the tests of `oracle.randomness`, and that a seed gives the same tensor again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import sqrt
from typing import Any

import numpy as np

from ..inputs import Maker, sample, types
from ..oracle import randomness as tests
from ..oracle.compare import anything, exactly
from ..oracle.element_types import EXTENDED, Array, ElementType, exact
from ..oracle.randomness import Test
from ..probe import Finding, Probe, Refusal, Scenario, Value
from ..provider import BlockedError, Provider, needed
from ..standard import standard
from ..status import Status

_COUNT = 100_003  # elements of a sequence; of a type of 16 bits, which rounds them, fewer
_FEW = 4_000
_SIDE = 200  # of a matrix
_FAR = 2**19  # of which some dozens lie beyond four deviations
_SEED = 20251121

Judge = Callable[[Array], Iterator[Test]]
"""Tests elements of the right type and shape."""


def _drawn(
    provider: Provider, operator: str, arguments: tuple[Any, ...], options: dict[str, Any], seed: int = _SEED
) -> Array:
    """What the operator draws; without a seed where the clause names none and the provider has none."""
    function = needed(provider, operator)

    def given(x: Any) -> Any:
        if isinstance(x, ElementType):
            return provider.element_type(x.name)
        return provider.from_numpy(x) if isinstance(x, np.ndarray) else x

    def call(**more: Any) -> Array:
        own = {key: given(value) for key, value in options.items()}
        return np.asarray(provider.to_numpy(function(*map(given, arguments), **own, **more)))

    if _has_seeds(operator):
        return call(seed=seed)
    try:
        return call(seed=seed)
    except BlockedError:
        raise
    except Exception:
        return call()


def _has_seeds(operator: str) -> bool:
    stated = standard().operators.get(operator.removesuffix("_like"))
    return stated is not None and any(p.name == "seed" for p in stated.parameters)


def _draws(
    operator: str,
    label: str,
    t: ElementType,
    arguments: tuple[Any, ...],
    options: dict[str, Any],
    shape: tuple[int, ...],
    judge: Judge,
    telling: bool | None = None,
) -> Probe:
    """The elements are as the tests want them."""

    def play(provider: Provider) -> str | None:
        x = _drawn(provider, operator, arguments, options)
        if (x.dtype.name, x.shape) != (t.name, shape):
            return f"gave {x.dtype.name} {x.shape}, not {t.name} {shape}"
        with np.errstate(all="ignore"):
            return tests.improbable(judge(x))

    return Scenario(operator, label, play, element_type=t.name, telling=telling)


def _repeats(operator: str, label: str, arguments: tuple[Any, ...], options: dict[str, Any]) -> Probe:
    """The same elements for the same seed and others for another."""

    def play(provider: Provider) -> str | None:
        first = _drawn(provider, operator, arguments, options).tobytes()
        _drawn(provider, operator, arguments, options, _SEED + 1)
        if _drawn(provider, operator, arguments, options).tobytes() != first:
            return "the same seed gave other elements"
        for other in (_SEED + 1, 1):
            if _drawn(provider, operator, arguments, options, other).tobytes() == first:
                return "another seed gave the same elements"
        return None

    return Scenario(operator, f"{label}, by seed", play, "seeds")


Even = Callable[[Array], Array]
"""Elements as numbers that are even between 0 and 1, of complex ones both parts, one after the other."""


def _seeds(
    operator: str, label: str, t: ElementType, options: dict[str, Any], bounds: Any, even: Even
) -> Iterator[Probe]:
    """Sequences of different seeds have nothing in common, neighbours and those far apart."""

    def draw(provider: Provider, seed: int, count: int = 20_000) -> Array:
        return even(_drawn(provider, operator, (count, *bounds), options, seed))

    def of_two(provider: Provider, seed: int, other: int) -> str | None:
        try:
            u, v = draw(provider, seed), draw(provider, other)
        except Exception as error:
            if other >= 2**31 and hasattr(error, "status"):  # how large a seed may be is not stated
                return None
            raise
        if u.tobytes() == v.tobytes():
            return f"the seeds {seed} and {other} gave the same elements"
        return tests.improbable(tests.correlations(u, v, f"elements of the seeds {seed} and {other},"))

    def play(provider: Provider) -> Finding:
        pairs = (
            (5, 6),
            (1, 2),
            (_SEED, _SEED + 1),
            (7, 7 + 2**32),
            (9, 9 + 2**31),
            (3, 2**63 + 3),
            (64, 128),
            (255, 256),
        )
        return Finding(next(filter(None, (of_two(provider, *pair) for pair in pairs)), None))

    def beginnings(provider: Provider) -> str | None:
        """The first elements of many seeds."""
        u = np.array([draw(provider, seed, 60)[:60] for seed in range(1, 301)])
        return tests.improbable(test for x in (u.T, u) for test in (*tests.lines(x), *tests.battery(x.ravel())))

    yield Scenario(operator, f"{label}, seeds apart", play, "seeds", t.name, telling=t.name in _QUICK)
    yield Scenario(operator, f"{label}, beginnings of 300 seeds", beginnings, "seeds", t.name, telling=t.name in _QUICK)


_QUICK = ("float32", "float64", "complex64", "int32", "int64")


def _size(t: ElementType) -> int:
    return _FEW if t.bits == 16 and t.kind == "F" else _COUNT


def _parts(x: Array) -> Array:
    """The real numbers that make up the elements, exactly."""
    return np.asarray(exact(np.ascontiguousarray(x).view(x.real.dtype) if x.dtype.kind == "c" else x)).ravel()


def _spread(t: ElementType, low: int | float, high: int | float) -> Even:
    """Numbers that are even between bounds; of integers, all of which are as probable, some way to the next one."""
    dither = np.random.default_rng(3)

    def even(x: Array) -> Array:
        if t.kind in "FC":
            return np.asarray((_parts(x) - EXTENDED(low)) / (EXTENDED(high) - EXTENDED(low)), np.float64)
        whole = x.ravel().astype(EXTENDED) - EXTENDED(low)
        return np.asarray((whole + dither.random(x.size)) / (EXTENDED(high) - EXTENDED(low) + 1), np.float64)

    return even


def _kept(x: Array, low: Any, high: Any) -> Iterator[Test]:
    """Whether the elements are within bounds."""
    parts = _parts(x)
    inside = parts.min() >= low and parts.max() <= high
    yield Test(f"elements from {parts.min()} to {parts.max()}, outside [{low}, {high}],", float(inside))


def _resolved(x: Array, t: ElementType) -> Iterator[Test]:
    """Elements have as many digits as their type makes one expect: 20 bits at least, 27 in double precision."""
    parts = _parts(x)
    if t.name in ("float32", "complex64"):
        yield from tests.distinct(parts.astype(np.float32)[:_COUNT], 0.9)
    if t.name in ("float64", "complex128"):
        double = parts.astype(np.float64)
        yield from tests.distinct(double, 0.999)
        short = int((double == double.astype(np.float32)).sum())
        yield Test(f"{short} of {x.size} elements that float32 holds", float(short < 0.3 * x.size))


def _of_parts(u: Array, t: ElementType) -> Iterator[Test]:
    """The tests of a sequence, of complex numbers of each part and of both together."""
    bins = 8 if t.bits == 16 and t.kind == "F" else 16
    if t.kind != "C":
        return tests.battery(u, bins)
    real, imaginary = u[::2], u[1::2]
    found = [*tests.battery(real, bins), *tests.battery(imaginary, bins), *tests.battery(u, bins)]
    found += tests.together("real and imaginary parts", real, imaginary)
    found += tests.correlations(real, imaginary, "real and imaginary parts")
    return iter(found)


def _of_lines(u: Array, shape: tuple[int, int]) -> Iterator[Test]:
    return tests.lines(u[: shape[0] * shape[1]].reshape(shape))


def _uniform(operator: str, available: frozenset[str]) -> Iterator[Probe]:
    for t in types(available):
        yield from _uniform_of(operator, t)
    yield Refusal(operator, "low above high", (3, 1, 0), Status.INVALID_ARGUMENT)
    yield Refusal(operator, "a bound that is NaN", (3, float("nan"), 0), Status.INVALID_ARGUMENT)


def _bounds(t: ElementType) -> list[tuple[Any, Any]]:
    """Bounds to be tried; of integers ranges of 9 numbers, of 3 · 2^n and of all."""
    if t.kind == "B":
        return [(0, 1)]
    if t.kind in "FC":
        return [(0, 1), (-3.0, 5.0), (1.0, 2.0), (-0.5, -0.25)]
    low, high = t.range
    return [(0, 127), (low // 2 + 1 if t.kind == "S" else 3, high // 2), (0, 8), (low, high)]


def _uniform_of(operator: str, t: ElementType) -> Iterator[Probe]:
    quick, size = t.name in _QUICK, _size(t)
    for number, (low, high) in enumerate(_bounds(t)):
        even, label = _spread(t, low, high), f"{t.name} from {low} to {high}"

        def judge(x: Array, low: Any = low, high: Any = high, even: Even = even) -> Iterator[Test]:
            yield from _kept(x, low, high)
            u = even(x)
            yield from _of_parts(u, t)
            if t.kind not in "FC" and high - low < 300:
                yield from tests.even(u, high - low + 1)
            elif t.kind in "US" and number == 3:
                yield from tests.bits(x.view(f"u{x.itemsize}"), t.bits)
            if low == 0:
                yield from _resolved(x, t)

        yield _draws(operator, label, t, (size, low, high), {"dtype": t}, (size,), judge, quick and number < 2)
        if number:
            continue
        yield _repeats(operator, label, (60, low, high), {"dtype": t})
        yield from _seeds(operator, label, t, {"dtype": t}, (low, high), even)
        for shape in ((_SIDE, _SIDE), (20, 50, 40), (2, 100, 5, 40)):

            def of_shape(x: Array, first: int = shape[0], even: Even = even) -> Iterator[Test]:
                u = even(x)
                yield from _of_parts(u, t)
                yield from _of_lines(u, (_SIDE, _SIDE * (1 + (t.kind == "C"))))
                yield from _of_lines(u, (first, u.size // first))

            if size == _COUNT:
                told = f"{label} of shape {shape}"
                yield _draws(
                    operator, told, t, (shape, low, high), {"dtype": t}, shape, of_shape, quick and len(shape) == 2
                )
        if t.name in ("float32", "int32", "float64"):
            many = 2**20 + 3

            def of_many(x: Array, even: Even = even) -> Iterator[Test]:
                u = even(x)
                for test in (tests.blocks, tests.correlations, tests.moments):
                    yield from test(u)

            yield _draws(
                operator, f"{label}, {many} of them", t, (many, low, high), {"dtype": t}, (many,), of_many, False
            )
    if t.kind in "FC":
        largest = np.ldexp(2 - np.ldexp(EXTENDED(1), 1 - t.precision), t.greatest)
        whole = _spread(t, -largest, largest)
        judged = lambda x: _of_parts(whole(x), t)  # noqa: E731
        yield _draws(
            operator, f"{t.name} from the least to the greatest", t, (size,), {"dtype": t}, (size,), judged, False
        )
    one = np.full(5, 1, t.numpy) if t.kind != "C" else np.full(5, 1 + 1j, t.numpy)
    certain = lambda x: iter([Test("elements other than the only one that there is", float(np.array_equal(x, one)))])  # noqa: E731
    yield _draws(operator, f"{t.name} from 1 to 1", t, (5, 1, 1), {"dtype": t}, (5,), certain, False)


def _standard_normal(t: ElementType, mean: complex, std: float) -> Even:
    """The parts of elements over their deviation; a complex number has its variance in two parts."""
    deviation = EXTENDED(std) / np.sqrt(EXTENDED(2)) if t.kind == "C" else EXTENDED(std)

    def standardised(x: Array) -> Array:
        parts = _parts(x)
        means = np.resize([EXTENDED(np.real(mean)), EXTENDED(np.imag(mean))], parts.size) if t.kind == "C" else mean
        return np.asarray((parts - means) / deviation, np.float64)

    return standardised


def _normal(operator: str, available: frozenset[str]) -> Iterator[Probe]:
    for t in types(available, "FC"):
        quick, size = t.name in _QUICK, _size(t)
        given: list[tuple[complex, float]] = [(0, 1), (3, 2), (-5, 0.25), (0.0, 1e-3), (100, 30)]
        given += [(1 - 2j, 2)] if t.kind == "C" else []
        for number, (mean, std) in enumerate(given):
            z, label = _standard_normal(t, mean, std), f"{t.name} about {mean}, deviation {std}"

            def judge(x: Array, z: Even = z, number: int = number) -> Iterator[Test]:
                yield from _of_parts(tests.normal_below(z(x)), t)
                if not number:
                    yield from _resolved(x, t)

            yield _draws(operator, label, t, (size, mean, std), {"dtype": t}, (size,), judge, quick and number < 2)
        z = _standard_normal(t, 0, 1)
        even = lambda x, z=z: tests.normal_below(z(x))  # noqa: E731
        yield _repeats(operator, t.name, (60, 3, 2), {"dtype": t})
        yield from _seeds(operator, t.name, t, {"dtype": t}, (0, 1), even)
        if size == _COUNT:

            def of_shape(x: Array, even: Even = even) -> Iterator[Test]:
                u = even(x)
                yield from _of_parts(u, t)
                yield from _of_lines(u, (_SIDE, _SIDE * (1 + (t.kind == "C"))))

            shape = (_SIDE, _SIDE)
            yield _draws(operator, f"{t.name} of shape {shape}", t, (shape,), {"dtype": t}, shape, of_shape, quick)
            far = lambda x, z=z: (test for part in _each_part(z(x), t) for test in tests.tails(part))  # noqa: E731
            yield _draws(operator, f"{t.name}, far out", t, (_FAR,), {"dtype": t}, (_FAR,), far, quick)
        same = lambda x: iter([Test("elements other than the mean", float((x == 3).all()))])  # noqa: E731
        yield _draws(operator, f"{t.name} without deviation", t, (5, 3, 0), {"dtype": t}, (5,), same, False)
    yield Refusal(operator, "a negative standard deviation", (3, 0, -1), Status.INVALID_ARGUMENT)


def _each_part(z: Array, t: ElementType) -> tuple[Array, ...]:
    return (z[::2], z[1::2]) if t.kind == "C" else (z,)


def _random_like(operator: str, available: frozenset[str]) -> Iterator[Probe]:
    normal = operator == "normal_like"
    for t in types(available, "FC"):
        x = np.zeros((3, 2), t.numpy)
        yield Value(operator, t.name, (x.T, 0, 1), anything(t, (2, 3)))
        for given in ((0, 1), (-3, 5)) if not normal else ((0, 1), (3, 2)):

            def judge(x: Array, t: ElementType = t, given: Any = given) -> Iterator[Test]:
                u = tests.normal_below(_standard_normal(t, *given)(x)) if normal else _spread(t, *given)(x)
                yield from _of_parts(u, t)
                yield from _of_lines(u, (40, u.size // 40))

            shape = (40, 25) if t.bits == 16 else (100, 120)
            like = np.ones(shape[::-1], t.numpy).T
            label = f"{t.name}, {given}"
            yield _draws(operator, label, t, (like, *given), {}, shape, judge, t.name in _QUICK)
        yield _repeats(operator, t.name, (np.ones(60, t.numpy), 0, 1), {})


def _binomial(name: str, ones: float, total: int, chance: float) -> Test:
    if total * min(chance, 1 - chance) < 1000:
        rare = ones if chance < 0.5 else total - ones
        return Test(f"{ones:g} {name}", tests.of_count(int(rare), total * min(chance, 1 - chance)))
    return Test(f"{ones:g} {name}", tests.of_normal((ones - total * chance) / sqrt(total * chance * (1 - chance))))


_CHANCES = (0.0, 0.25, 0.5, 1.0, 0.0009765625, 0.875, 0.0625)


def _bernoulli(operator: str, available: frozenset[str]) -> Iterator[Probe]:
    for t in types(available, "F"):
        length = 14_000
        p = np.repeat(np.array(_CHANCES), length).reshape(len(_CHANCES), length).astype(t.numpy)
        mixed = np.resize(np.array([0.25, 0.75, 0.5, 0.125]), (200, 200)).astype(t.numpy)

        def judge(x: Array, t: ElementType = t) -> Iterator[Test]:
            parts = _parts(x).astype(np.float64).reshape(len(_CHANCES), -1)
            yield Test("elements other than 0 and 1", float(np.isin(parts, (0, 1)).all()))
            for row, chance in zip(parts, _CHANCES, strict=True):
                if chance in (0, 1):
                    yield Test(f"elements other than {chance:g}, which is certain,", float((row == chance).all()))
                    continue
                yield _binomial(f"ones among {row.size} of probability {chance}", row.sum(), row.size, chance)
                if 0.1 < chance < 0.9:
                    yield from tests.correlations(_as_even(row, chance))
            half = np.floor(parts[2].reshape(-1, 7) @ 2.0 ** np.arange(7)).astype(int)
            counts = np.bincount(half, minlength=128)
            yield from tests.frequencies("seven in a row", counts, np.full(128, half.size / 128))

        def judge_mixed(x: Array, t: ElementType = t, mixed: Array = mixed) -> Iterator[Test]:
            ones, chances = _parts(x).astype(np.float64), _parts(mixed).astype(np.float64)
            for chance in np.unique(chances):
                chosen = ones[chances == chance]
                yield _binomial(f"ones among {chosen.size} of probability {chance}", chosen.sum(), chosen.size, chance)
            u = _as_even(ones, chances)
            yield from tests.correlations(u)
            yield from tests.lines(u.reshape(mixed.shape))

        quick = t.name in _QUICK
        yield _draws(operator, f"{t.name}, by rows", t, (p,), {}, p.shape, judge, quick)
        yield _draws(operator, f"{t.name}, mixed", t, (mixed,), {}, mixed.shape, judge_mixed, quick)
        yield _repeats(operator, t.name, (mixed[:60],), {})
    for label, chance in (("below 0", -0.5), ("above 1", 1.5), ("NaN", np.nan)):
        yield Refusal(operator, f"a probability {label}", (np.array([chance], np.float32),), Status.INVALID_ARGUMENT)


def _as_even(ones: Array, chance: Any) -> Array:
    """Zeros and ones with the mean and the variance of numbers that are even between 0 and 1."""
    return np.asarray((ones - chance) / np.sqrt(12 * chance * (1 - chance)) + 0.5)


_WEIGHTS = np.array([1, 0, 2, 5])
_ROWS = 2_000


def _multinomial(operator: str, available: frozenset[str]) -> Iterator[Probe]:
    for t in types(available, "F"):
        for replacement, samples in ((True, 3), (True, 200), (False, 2), (False, 3), (True, 1), (False, 1)):

            def judge(x: Array, replacement: bool = replacement, samples: int = samples) -> Iterator[Test]:
                yield from _drawn_counts(_parts(x).astype(np.float64).reshape(x.shape), replacement, samples)

            label = f"{samples} draws of {t.name}, replacement={replacement}"
            p = np.tile(_WEIGHTS, (_ROWS, 1)).astype(t.numpy)
            quick = t.name in _QUICK
            yield _draws(operator, label, t, (p, samples, replacement), {}, p.shape, judge, quick)
        yield _repeats(operator, t.name, (p[:60], 3, True), {})
        yield from _multinomial_shapes(operator, t)
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


def _multinomial_shapes(operator: str, t: ElementType) -> Iterator[Probe]:
    """Weights that differ by row, of rank 1 and 3; half of them small numbers, which need not add up to 1."""

    def judge(x: Array) -> Iterator[Test]:
        counts = _parts(x).astype(np.float64).reshape(-1, 3, 3)
        yield Test("rows whose counts are not the number of draws", float((counts.sum(-1) == 7).all()))
        for row, weights in enumerate(([1, 0, 3], [0, 2, 2], [1, 4, 3])):
            for place, weight in enumerate(weights):
                chance, found = weight / sum(weights), counts[:, row, place].sum()
                if chance:
                    yield _binomial(f"draws of probability {chance}", found, 7 * len(counts), chance)
                else:
                    yield Test("draws of a class without weight", float(found == 0))

    p = np.tile(np.array([[0.25, 0, 0.75], [0, 0.125, 0.125], [2, 8, 6]]), (500, 1, 1)).astype(t.numpy)
    yield _draws(operator, f"{t.name} of rank 3", t, (p, 7), {}, p.shape, judge, t.name in _QUICK)
    alone = np.array([0, 3, 0], t.numpy)
    certain = lambda x: iter([Test("draws of a class without weight", float((x == [0, 9, 0]).all()))])  # noqa: E731
    yield _draws(operator, f"{t.name} of rank 1", t, (alone, 9), {}, (3,), certain, False)
    many = 1000 if t.bits > 16 else 200
    even = np.ones(256, t.numpy)

    def spread(x: Array) -> Iterator[Test]:
        counts = _parts(x).astype(np.float64)
        yield Test("counts that are not the number of draws", float(counts.sum() == many))
        yield Test(
            f"a class drawn {counts.max():g} times", min(1.0, 256 * tests.of_count(int(counts.max()), many / 256))
        )
        yield from tests.frequencies("counts of classes", counts.reshape(8, 32).sum(1), np.full(8, many / 8))

    yield _draws(operator, f"{t.name} of 256 classes", t, (even, many), {}, (256,), spread, False)


def _drawn_counts(counts: Array, replacement: bool, samples: int) -> Iterator[Test]:
    rows, chances = len(counts), _WEIGHTS[[0, 2, 3]] / 8
    right = (counts.sum(1) == samples).all() and not counts[:, 1].any() and (replacement or counts.max() <= 1)
    yield Test("counts that are none of these draws", float(right))
    drawn = counts[:, [0, 2, 3]]
    if not replacement and samples == 3:
        return
    if not replacement and samples == 2:
        # The class that is left out of three: by the weights of the two that come first, in either order.
        a, b, c = chances
        chances = np.array([b * c / (1 - b) + c * b / (1 - c), a * c / (1 - a) + c * a / (1 - c), 0.0])
        chances[2] = 1 - chances.sum()
        drawn, samples = 1 - drawn, 1
    yield from tests.frequencies("the classes", drawn.sum(0), chances * rows * samples)
    # The rows are independent of each other, and vary as chance makes them.
    u = _as_even(drawn[:, 2] / samples, chances[2]) if samples == 1 else _scaled(drawn[:, 2], samples, chances[2])
    yield from tests.correlations(u, name="rows")
    squares = float(((u - 0.5) ** 2 * 12).sum())
    kurtosis = (1 - 6 * chances[2] * (1 - chances[2])) / (samples * chances[2] * (1 - chances[2]))
    z = (squares - rows) / sqrt(rows * (2 + kurtosis))
    yield Test(
        f"counts that vary by {squares / rows:.3g} of what they should", 1.0 if samples == 1 else tests.of_normal(z)
    )


def _scaled(counts: Array, samples: int, chance: float) -> Array:
    """Counts with the mean and the variance of numbers that are even between 0 and 1."""
    return np.asarray((counts - samples * chance) / sqrt(12 * samples * chance * (1 - chance)) + 0.5)


def _randperm(operator: str, available: frozenset[str]) -> Iterator[Probe]:
    for t in types(available, "IFC"):
        judge = lambda x: _permuted(x, 120)  # noqa: E731
        yield _draws(operator, t.name, t, (120,), {"dtype": t}, (120,), judge)
        yield _repeats(operator, t.name, (120,), {"dtype": t})
        if t.name in ("float32", "int64", "int32"):
            yield Scenario(
                operator, f"{t.name}, 400 seeds", _of_seeds(operator, t), "seeds", t.name, t.name == "float32"
            )
            many = 2**17 + 3
            long = lambda x, n=many: _permuted(x, n)  # noqa: E731
            yield _draws(
                operator, f"{t.name}, {many} of them", t, (many,), {"dtype": t}, (many,), long, t.name == "int64"
            )
    for n in (1, 2, 3):
        judge = lambda x, n=n: _permuted(x, n)  # noqa: E731
        t = next(iter(types(available, "F")))
        yield _draws(operator, f"of {n}", t, (n,), {"dtype": t}, (n,), judge)
    yield Refusal(operator, "a length of 0", (0,), Status.INVALID_ARGUMENT)


def _permuted(x: Array, n: int) -> Iterator[Test]:
    numbers = x.real.astype(np.float64)
    yield Test("no permutation", float(np.array_equal(np.sort(numbers), np.arange(n)) and not (x.imag != 0).any()))
    if n >= 10_000:
        u = (numbers + 0.5) / n
        yield from tests.correlations(u)
        for lag in (1, 2, 16):
            yield from tests.pairs(u, lag)
        yield from tests.blocks(u)
        steps = np.diff(numbers)
        for step in (1, -1, 2, -2):
            yield Test(f"neighbours that differ by {step}", tests.of_count(int((steps == step).sum()), 1.0))


def _of_seeds(operator: str, t: ElementType) -> Callable[[Provider], str | None]:
    def play(provider: Provider) -> str | None:
        drawn = [_drawn(provider, operator, (40,), {"dtype": t}, seed) for seed in range(1, 401)]
        return tests.improbable(tests.permutations(np.array(drawn).astype(int)))

    return play


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
