"""Probes of random tensors (chapters 7.2.1.7 to 7.2.1.11), and of operators on diagonals, such as `diag`.

The standard lets a provider choose the numbers for a seed. The tests of `oracle.randomness` check that the numbers have
the right distribution and are independent of each other. A repeated seed must lead to the same tensor.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from ..inputs import Maker, sample, types
from ..oracle import randomness as tests
from ..oracle.compare import anything, exactly
from ..oracle.element_types import EXTENDED, Array, ElementType, exact
from ..oracle.randomness import Trial
from ..probe import Finding, Probe, Refusal, Scenario, Value
from ..provider import BlockedError, Provider, needed
from ..standard import standard
from ..status import Status

_COUNT = 100_003  # the elements of a sequence; sequences of 16-bit types, which round elements, are shorter
_FEW = 4_000
_SIDE = 200  # the number of rows of a matrix
_MANY = 2**20 + 3
_FAR = 2**19  # the number of draws of which some dozens exceed four deviations
SEED = 20251121

Judge = Callable[[Array], Iterator[Trial]]
"""A function that makes the statistical tests of elements. The elements have the right type and shape."""


def drawn(
    provider: Provider, operator: str, arguments: tuple[Any, ...], options: dict[str, Any], seed: int | None = SEED
) -> Array:
    """Return the numbers that the operator draws. The call passes no seed if `seed` is None, or if neither the clause
    nor the provider has the parameter.
    """
    function = needed(provider, operator)

    def given(x: Any) -> Any:
        if isinstance(x, ElementType):
            return provider.element_type(x.name)
        return provider.from_numpy(x) if isinstance(x, np.ndarray) else x

    def call(**more: Any) -> Array:
        own = {key: given(value) for key, value in options.items()}
        return np.asarray(provider.to_numpy(function(*map(given, arguments), **own, **more)))

    if seed is None:
        return call()
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


def draws(
    operator: str,
    label: str,
    t: ElementType,
    arguments: tuple[Any, ...],
    options: dict[str, Any],
    shape: tuple[int, ...],
    judge: Judge,
    telling: bool | None = None,
) -> Probe:
    """Return the probe that draws elements and applies the statistical tests of `judge` to the elements."""

    def play(provider: Provider) -> str | None:
        x = drawn(provider, operator, arguments, options)
        if (x.dtype.name, x.shape) != (t.name, shape):
            return f"returned {x.dtype.name} {x.shape}, not {t.name} {shape}"
        with np.errstate(all="ignore"):
            return tests.improbable(judge(x))

    return Scenario(operator, label, play, element_type=t.name, telling=telling)


def drawn_if_accepted(
    provider: Provider, operator: str, arguments: tuple[Any, ...], options: dict[str, Any], seed: int
) -> Array | None:
    """Return the numbers that the operator draws, or None if the provider refuses a large seed. The text does not state
    the greatest seed.
    """
    try:
        return drawn(provider, operator, arguments, options, seed)
    except BlockedError:
        raise
    except Exception:
        if seed < 2**31:
            raise
        return None


def repeats(operator: str, label: str, arguments: tuple[Any, ...], options: dict[str, Any]) -> Probe:
    """Return the probe that compares the elements for equal seeds and for different seeds. Calls with seed 0, and calls
    without a seed, must return other elements each time.
    """

    def play(provider: Provider) -> str | None:
        def elements(seed: int) -> bytes | None:
            found = drawn_if_accepted(provider, operator, arguments, options, seed)
            return None if found is None else found.tobytes()

        first = elements(SEED)
        elements(SEED + 1)
        if elements(SEED) != first:
            return "the same seed returned other elements"
        if any(elements(other) == first for other in _OTHER_SEEDS):
            return "another seed returned the same elements"
        for seed, other in _LARGE_SEEDS:
            if (found := elements(seed)) is not None and elements(other) == found:
                return f"the seeds {seed} and {other} returned the same elements"
        for without, told in ((0, "with seed 0"), (None, "without a seed")):
            once, again = (drawn(provider, operator, arguments, options, without).tobytes() for _ in range(2))
            if once == again:
                return f"two calls {told} returned the same elements"
        return None

    return Scenario(operator, f"{label}, by seed", play, "seeds")


# Other seeds: the neighbours, the least seed, and seeds equal to SEED for a library that uses only some digits.
_OTHER_SEEDS = (
    *(SEED + 1, SEED - 1, 1, SEED % 1000, SEED + 10**6),
    *(SEED % 2**16, SEED % 2**24, SEED + 2**31, SEED + 2**32),
)
# Pairs of seeds that are equal for a library that converts seeds to float64, or to integers of 63 bits.
_LARGE_SEEDS = ((2**53, 2**53 + 1), (2**63 - 1, 2**63), (3, 2**63 + 3))

Even = Callable[[Array], Array]
"""A function that maps elements to uniform numbers from 0 to 1. Each part of a complex element becomes a number."""


def _seeds(
    operator: str, label: str, t: ElementType, options: dict[str, Any], bounds: Any, even: Even
) -> Iterator[Probe]:
    """Yield probes that test whether the sequences of neighbouring and of distant seeds are independent."""

    def of_two(provider: Provider, seed: int, other: int) -> str | None:
        found = [drawn_if_accepted(provider, operator, (20_000, *bounds), options, s) for s in (seed, other)]
        if any(x is None for x in found):
            return None
        u, v = (even(x) for x in found if x is not None)
        if u.tobytes() == v.tobytes():
            return f"the seeds {seed} and {other} returned the same elements"
        return tests.improbable(tests.correlations(u, v, f"elements of the seeds {seed} and {other},"))

    def play(provider: Provider) -> Finding:
        pairs = (
            (5, 6),
            (1, 2),
            (SEED, SEED + 1),
            (7, 7 + 2**32),
            (9, 9 + 2**31),
            (3, 2**63 + 3),
            (64, 128),
            (255, 256),
        )
        return Finding(next(filter(None, (of_two(provider, *pair) for pair in pairs)), None))

    def beginnings(provider: Provider) -> str | None:
        """Test the first elements of many seeds."""
        found = [drawn(provider, operator, (60, *bounds), options, seed) for seed in range(1, 301)]
        u = np.array([even(x)[:60] for x in found])
        return tests.improbable(test for x in (u.T, u) for test in (*tests.lines(x), *tests.battery(x.ravel())))

    yield Scenario(operator, f"{label}, seeds apart", play, "seeds", t.name, t.name in ("float32", "int32"))
    told = f"{label}, beginnings of 300 seeds"
    yield Scenario(operator, told, beginnings, "seeds", t.name, t.name in ("float32", "int64"))


QUICK = ("float32", "float64", "complex64", "int32", "int64")


def _size(t: ElementType) -> int:
    return _FEW if t.bits == 16 and t.kind == "F" else _COUNT // 2 if t.kind == "C" else _COUNT


def _told(t: ElementType, number: int) -> bool:
    """Return whether the quick profile tests a type with the parameters whose index in a list is `number`."""
    return number in {"float32": (0, 1, 2), "int32": (0, 1, 2), "int64": (0, 3), "complex64": (0, 1)}.get(
        t.name, (0,) * (t.name in QUICK)
    )


def parts_of(x: Array) -> Array:
    """Return the elements as exact real numbers in one dimension. A complex element becomes its real part and its
    imaginary part.
    """
    return np.asarray(exact(np.ascontiguousarray(x).view(x.real.dtype) if x.dtype.kind == "c" else x)).ravel()


def _spread(t: ElementType, low: int | float, high: int | float) -> Even:
    """Return a function that maps numbers that are uniform between two bounds to [0, 1]. The function adds a random
    fraction to each integer.
    """
    dither = np.random.default_rng(3)

    def even(x: Array) -> Array:
        if t.kind in "FC":
            return np.asarray((parts_of(x) - EXTENDED(low)) / (EXTENDED(high) - EXTENDED(low)), np.float64)
        whole = x.ravel().astype(EXTENDED) - EXTENDED(low)
        return np.asarray((whole + dither.random(x.size)) / (EXTENDED(high) - EXTENDED(low) + 1), np.float64)

    return even


def _resolved(x: Array, t: ElementType) -> Iterator[Trial]:
    """Test that elements have enough random bits: at least 20 bits, or 27 bits in double precision."""
    parts = parts_of(x)
    if t.name in ("float32", "complex64"):
        yield from tests.distinct(parts.astype(np.float32)[:_COUNT], 0.9)
    if t.name in ("float64", "complex128"):
        double = parts.astype(np.float64)
        yield from tests.distinct(double, 0.999)
        short = int((double == double.astype(np.float32)).sum())
        yield tests.certain(f"{short} of {x.size} elements that float32 holds", short < 0.3 * x.size)


def _of_parts(u: Array, t: ElementType) -> Iterator[Trial]:
    """Run the tests of a sequence, and for complex numbers the tests of each part and of both parts together."""
    bins = 8 if t.bits == 16 and t.kind == "F" else 16
    if t.kind != "C":
        return tests.battery(u, bins)
    real, imaginary = u[::2], u[1::2]
    found = [*tests.battery(real, bins), *tests.battery(imaginary, bins), *tests.battery(u, bins)]
    found += tests.together("real and imaginary parts", real, imaginary)
    found += tests.correlations(real, imaginary, "real and imaginary parts")
    return iter(found)


def _of_lines(u: Array, shape: tuple[int, int]) -> Iterator[Trial]:
    return tests.lines(u[: shape[0] * shape[1]].reshape(shape))


def _uniform(operator: str, available: frozenset[str]) -> Iterator[Probe]:
    for t in types(available):
        yield from _uniform_of(operator, t)
    yield Refusal(operator, "low above high", (3, 1, 0), Status.INVALID_ARGUMENT)
    yield Refusal(operator, "a bound that is NaN", (3, float("nan"), 0), Status.INVALID_ARGUMENT)


def _bounds(t: ElementType) -> list[tuple[Any, Any]]:
    """Return pairs of bounds for the tests of a type. For integers, the ranges have 9, 128 or 3 · 2^n numbers, or all
    numbers of the type.
    """
    if t.kind == "B":
        return [(0, 1)]
    if t.kind in "FC":
        return [(0, 1), (-3.0, 5.0), (1.0, 2.0), (-0.5, -0.25)]
    low, high = t.range
    few = (-5, 3) if t.kind == "S" else (2, 10)
    return [(0, 127), (0, 3 * 2 ** (t.bits - 3) - 1), few, (low, high)]


def _uniform_of(operator: str, t: ElementType) -> Iterator[Probe]:
    size, typed = _size(t), {"dtype": t}
    for number, (low, high) in enumerate(_bounds(t)):
        label = f"{t.name} from {low} to {high}"
        judge = partial(_even_between, t, low, high)
        yield draws(operator, label, t, (size, low, high), typed, (size,), judge, _told(t, number))
    low, high = _bounds(t)[0]
    even, label = _spread(t, low, high), f"{t.name} from {low} to {high}"
    yield repeats(operator, label, (60, low, high), typed)
    yield from _seeds(operator, label, t, typed, (low, high), even)
    if size > _FEW:
        for shape in ((_SIDE, _SIDE), (20, 50, 40), (2, 100, 5, 40))[: 3 if t.name in QUICK else 1]:
            told = t.name in ("float32", "int32", "complex64") and len(shape) == 2
            judge = partial(_of_shape, t, even, shape[0])
            yield draws(operator, f"{label} of shape {shape}", t, (shape, low, high), typed, shape, judge, told)
    if t.name in ("float32", "int32", "float64"):
        judge, many = partial(_of_many, even), (_MANY,)
        yield draws(operator, f"{label}, {_MANY} in all", t, (_MANY, low, high), typed, many, judge, False)
    if t.kind in "FC":
        largest = np.ldexp(2 - np.ldexp(EXTENDED(1), 1 - t.precision), t.greatest)
        judge = partial(_of_parts_as, t, _spread(t, -largest, largest))
        yield draws(operator, f"{t.name} from the least to the greatest", t, (size,), typed, (size,), judge, False)
    one = 1 + 1j if t.kind == "C" else 1
    yield draws(operator, f"{t.name} from 1 to 1", t, (5, 1, 1), typed, (5,), partial(_only, one), False)


def _even_between(t: ElementType, low: Any, high: Any, x: Array) -> Iterator[Trial]:
    parts = parts_of(x)
    inside = parts.min() >= low and parts.max() <= high
    yield tests.certain(f"elements from {parts.min()} to {parts.max()}, outside [{low}, {high}],", inside)
    u = _spread(t, low, high)(x)
    yield from _of_parts(u, t)
    if t.kind not in "FC" and high - low < 300:
        yield from tests.even(u, high - low + 1)
    elif t.kind in "US" and (low, high) == t.range:
        yield from tests.bits(x.view(f"u{x.itemsize}"), t.bits)
    if low == 0:
        yield from _resolved(x, t)


def _of_parts_as(t: ElementType, even: Even, x: Array) -> Iterator[Trial]:
    return _of_parts(even(x), t)


def _of_shape(t: ElementType, even: Even, first: int, x: Array) -> Iterator[Trial]:
    """Test a tensor of several dimensions as a sequence, and by its rows and columns."""
    u = even(x)
    yield from _of_parts(u, t)
    yield from _of_lines(u, (_SIDE, _SIDE * (1 + (t.kind == "C"))))
    yield from _of_lines(u, (first, u.size // first))


def _of_many(even: Even, x: Array) -> Iterator[Trial]:
    u = even(x)
    for test in (tests.blocks, tests.correlations, tests.moments):
        yield from test(u)


def _only(value: complex, x: Array) -> Iterator[Trial]:
    yield tests.certain(f"elements other than {value}, the only possible element,", (x == value).all())


def _standard_normal(t: ElementType, mean: complex, std: float) -> Even:
    """Return a function that maps normal elements to standard normal numbers. Each part of a complex number has half of
    the variance.
    """
    deviation = EXTENDED(std) / np.sqrt(EXTENDED(2)) if t.kind == "C" else EXTENDED(std)

    def standardised(x: Array) -> Array:
        parts = parts_of(x)
        means = np.resize([EXTENDED(np.real(mean)), EXTENDED(np.imag(mean))], parts.size) if t.kind == "C" else mean
        return np.asarray((parts - means) / deviation, np.float64)

    return standardised


def _normal(operator: str, available: frozenset[str]) -> Iterator[Probe]:
    for t in types(available, "FC"):
        size, typed = _size(t), {"dtype": t}
        given: list[tuple[complex, float]] = [(0, 1), (3, 2), (-2, 3), (-5, 0.25), (0.0, 1e-3), (100, 30)]
        given += [(1 - 2j, 2)] if t.kind == "C" else []
        for number, (mean, std) in enumerate(given):
            judge, label = partial(_normal_about, t, mean, std), f"{t.name} about {mean}, deviation {std}"
            yield draws(operator, label, t, (size, mean, std), typed, (size,), judge, _told(t, number))
        even = partial(_as_even, t, 0, 1)
        yield repeats(operator, t.name, (60, 3, 2), typed)
        yield from _seeds(operator, t.name, t, typed, (0, 1), even)
        if size > _FEW:
            shape, told = (_SIDE, _SIDE), t.name in ("float32", "complex64")
            judge = partial(_of_shape, t, even, _SIDE // 2)
            yield draws(operator, f"{t.name} of shape {shape}", t, (shape,), typed, shape, judge, told)
            told = t.name in ("float32", "float64")
            yield draws(operator, f"{t.name}, far out", t, (_FAR,), typed, (_FAR,), partial(_far_out, t), told)
        judge = partial(_only, 3)
        yield draws(operator, f"{t.name} without deviation", t, (5, 3, 0), typed, (5,), judge, False)
    yield Refusal(operator, "a negative standard deviation", (3, 0, -1), Status.INVALID_ARGUMENT)


def _as_even(t: ElementType, mean: complex, std: float, x: Array) -> Array:
    return tests.normal_below(_standard_normal(t, mean, std)(x))


def _normal_about(t: ElementType, mean: complex, std: float, x: Array) -> Iterator[Trial]:
    yield from _of_parts(_as_even(t, mean, std, x), t)
    if (mean, std) == (0, 1):
        yield from _resolved(x, t)


def _far_out(t: ElementType, x: Array) -> Iterator[Trial]:
    z = _standard_normal(t, 0, 1)(x)
    for part in _each_part(z, t):
        yield from tests.tails(part)


def _each_part(z: Array, t: ElementType) -> tuple[Array, ...]:
    return (z[::2], z[1::2]) if t.kind == "C" else (z,)


def _random_like(operator: str, available: frozenset[str]) -> Iterator[Probe]:
    for t in types(available, "FC"):
        x = np.zeros((3, 2), t.numpy)
        yield Value(operator, t.name, (x.T, 0, 1), anything(t, (2, 3)))
        shape = (40, 25) if t.bits == 16 else (100, 120)
        like = np.ones(shape[::-1], t.numpy).T
        for given in ((0, 1), (-3, 5)) if operator == "uniform_like" else ((0, 1), (3, 2)):
            judge = partial(_like, t, operator, given)
            yield draws(operator, f"{t.name}, {given}", t, (like, *given), {}, shape, judge, t.name in QUICK)
        yield repeats(operator, t.name, (np.ones(60, t.numpy), 0, 1), {})


def _like(t: ElementType, operator: str, given: tuple[int, int], x: Array) -> Iterator[Trial]:
    u = _spread(t, *given)(x) if operator == "uniform_like" else _as_even(t, *given, x)
    yield from _of_parts(u, t)
    yield from _of_lines(u, (40, u.size // 40))
    if given == (0, 1):
        yield from _resolved(x, t)


# NumPy's functions for operators on diagonals.
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
    **dict.fromkeys(_DIAGONALS, _diagonals),
    "eye": _eye,
}
