"""The generator of random tensors returns the published numbers, and every element equals its definition.

Statistical tests with fixed seeds check the distributions. Results depend on nothing but the arguments.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import random_digest
import suanzi
from oracle.philox import blocks, double_words, words
from samples import NAMES, THING, destroyed, fails, wide
from suanzi import (
    AllocFailedError,
    DimensionsMismatchError,
    InvalidArgumentError,
    OutOfRangeError,
    Tensor,
    TypeMismatchError,
)

SEED = 0x243F6A8885A308D3
UNIFORM, NORMAL, BERNOULLI = 0, 1, 2  # the streams of philox.h
LEVEL = 1e-4  # the significance level (seeds are fixed, so the tests always have the same outcome)
INTEGERS = [name for name in NAMES if "int" in name]
FLOATING = ["float16", "bfloat16", "float32", "float64"]
COMPLEX = ["complex64", "complex128"]
GREATEST_VALUE = {
    "float16": 65504.0,
    "bfloat16": 255.0 * 2**120,
    "float32": (2.0**24 - 1) * 2**104,
    "float64": sys.float_info.max,
}
PRECISION = {"float16": 11, "bfloat16": 8, "float32": 24, "float64": 53}


# Random123 1.09, tests/kat_vectors, philox4x32 10: counter, key, result.
PUBLISHED = [
    ((0, 0, 0, 0), (0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
    ((0xFFFFFFFF,) * 4, (0xFFFFFFFF,) * 2, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
    (
        (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
        (0xA4093822, 0x299F31D0),
        (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
    ),
]


@pytest.mark.parametrize(("counter", "key", "result"), PUBLISHED)
def test_the_oracle_has_the_published_values(counter: Any, key: Any, result: Any) -> None:
    assert blocks(np.array([counter], np.uint64), key[0] | key[1] << 32).tolist() == [list(result)]


@pytest.mark.parametrize("n", [0, 1, 2, 3, 4, 5, 31, 32, 33, 63, 127, 1000, 70001])
def test_integers_of_full_range_are_the_words(n: int) -> None:
    assert np.array_equal(suanzi.uniform(n, seed=SEED, dtype="uint64").numpy(), double_words(SEED, n, UNIFORM))
    upper = words(SEED, n, UNIFORM) >> np.uint64(24)
    assert np.array_equal(suanzi.uniform(n, seed=SEED, dtype="uint8").numpy(), upper)


@pytest.mark.parametrize("seed", [1, 2**32 - 1, 2**32, 2**63, 2**64 - 1])
def test_all_bits_of_the_seed_count(seed: int) -> None:
    assert np.array_equal(suanzi.uniform(10, seed=seed, dtype="uint64").numpy(), double_words(seed, 10, UNIFORM))


@pytest.mark.parametrize("name", FLOATING)
@pytest.mark.parametrize("bounds", [(0, 1), (-3, 5), (1, 1.0625), (-1e-3, 0), (0, 6e-8), (2, 2)])
def test_uniform_elements_are_as_defined(name: str, bounds: tuple[float, float]) -> None:
    n = 10_007
    low, high = (wide(suanzi.tensor(bound, dtype=name)) for bound in bounds)
    x = suanzi.uniform(n, *bounds, seed=SEED, dtype=name)
    if name == "float64":
        u, bits = (double_words(SEED, n, UNIFORM) >> np.uint64(11)) * 2.0**-53, 53
    else:
        u, bits = (words(SEED, n, UNIFORM) >> np.uint64(8)) * 2.0**-24, 24
    exact = low + u * (high - low)
    # The bound is one unit in the type's last place plus the intermediate roundings. Half a unit is not enough, because
    # the function never returns `high`.
    place = max(abs(low), abs(high)) * (2.0 ** (1 - PRECISION[name]) + 3 * 2.0**-bits)
    assert np.all(np.abs(wide(x) - exact) <= place + (2.0**-24 if name == "float16" else 2.0**-133))
    assert np.all(wide(x) >= low)
    assert np.all(wide(x) < high) or low == high
    if name in ("float32", "float64") and bounds == (0, 1):
        assert np.array_equal(wide(x), u)


@pytest.mark.parametrize("name", FLOATING)
def test_uniform_never_gives_high(name: str) -> None:
    # The bounds are neighbours in the type, so rounding would return `high` half of the time.
    low, high = 1.0, 1.0 + 2.0 ** (1 - PRECISION[name])
    assert np.all(wide(suanzi.uniform(1000, low, high, seed=SEED, dtype=name)) == low)


@pytest.mark.parametrize("name", [*FLOATING, *COMPLEX])
def test_uniform_over_the_whole_type(name: str) -> None:
    x = suanzi.uniform(100_000, seed=SEED, dtype=name)
    greatest = GREATEST_VALUE[{"complex64": "float32", "complex128": "float64"}.get(name, name)]
    parts = wide(x).view(np.float64)
    assert np.isfinite(parts).all()
    scaled = parts / greatest
    assert stats.kstest(scaled, stats.uniform(-1, 2).cdf).pvalue > LEVEL
    assert np.abs(scaled).max() <= 1


def _extremes(name: str) -> tuple[int, int]:
    information = np.iinfo(name)
    return int(information.min), int(information.max)


@pytest.mark.parametrize("name", INTEGERS)
def test_uniform_integers_are_as_defined(name: str) -> None:
    """A random integer is the upper half of word × count. If the lower half is small, another word may be drawn."""
    n, (least, greatest) = 20_000, _extremes(name)
    bits = 64 if np.dtype(name).itemsize >= 4 else 32
    drawn = double_words(SEED, n, UNIFORM) if bits == 64 else words(SEED, n, UNIFORM)
    ranges = ((least, greatest), (0, 9), (greatest - 2, greatest), (least, least), (3, 100), (least, least + 6))
    for low, high in ranges:
        count = high - low + 1
        x = suanzi.uniform(n, low, high, seed=SEED, dtype=name).numpy()
        products = [int(word) * count for word in drawn]
        expected = np.array([low + (p >> bits) for p in products])
        kept = np.array([p % 2**bits >= 2**bits % count for p in products])
        assert kept.mean() > 0.999
        assert np.array_equal(x[kept], expected[kept])
        assert x.min() >= low
        assert x.max() <= high


@pytest.mark.parametrize(("name", "count"), [("int64", 3 * 2**62), ("uint64", 2**63 + 1), ("uint32", 3 * 2**30)])
def test_uniform_integers_of_awkward_counts_have_no_bias(name: str, count: int) -> None:
    """The thirds of a range are equally likely, also if `uniform` rejects a quarter or half of the 64-bit words."""
    low = _extremes(name)[0]
    x = suanzi.uniform(300_000, low, low + count - 1, seed=SEED, dtype=name).numpy()
    third = [(int(v) - low) * 3 // count for v in x]
    assert stats.chisquare(np.bincount(third)).pvalue > LEVEL
    bottom = np.array([(int(v) - low) % 3 for v in x])
    assert stats.chisquare(np.bincount(bottom)).pvalue > LEVEL


@pytest.mark.parametrize(
    ("name", "low", "high"),
    [
        ("uint8", 0, 255),
        ("int8", -100, 99),
        ("bool", False, True),
        ("uint16", 0, 9),
        ("int32", -3, 3),
        ("int64", 0, 1000),
    ],
)
def test_uniform_integers_are_uniform(name: str, low: int, high: int) -> None:
    x = suanzi.uniform(1_000_000, low, high, seed=7, dtype=name).numpy().astype(np.int64)
    counts = np.bincount(x - int(low), minlength=int(high) - int(low) + 1)
    assert len(counts) == int(high) - int(low) + 1
    assert stats.chisquare(counts).pvalue > LEVEL


@pytest.mark.parametrize("name", ["float32", "float64"])
def test_uniform_is_uniform(name: str) -> None:
    x = wide(suanzi.uniform(1_000_000, 0, 1, seed=3, dtype=name))
    assert stats.kstest(x, "uniform").pvalue > LEVEL
    lowest_bits = (x * 2.0 ** PRECISION[name]).astype(np.int64) % 256
    assert stats.chisquare(np.bincount(lowest_bits, minlength=256)).pvalue > LEVEL


def _reference_normal(name: str, n: int) -> Any:
    """Compute normal numbers by their definition in extended precision. A radius and an angle define two elements."""
    pairs = (n + 1) // 2
    real = np.longdouble
    if name == "float64":
        drawn, bits, angle_bits = double_words(SEED, 2 * pairs, NORMAL), 64, 54
    else:
        drawn, bits, angle_bits = words(SEED, 2 * pairs, NORMAL), 32, 32
    radius, angle = drawn[0::2], drawn[1::2] >> np.uint64(bits - angle_bits)
    near = radius >> np.uint64(bits - 1) == 1
    mirrored = ~radius & np.uint64(2**bits - 1)
    u = (np.where(near, mirrored, radius).astype(real) + real(0.5)) * real(2) ** -bits
    r = np.sqrt(-2 * np.where(near, np.log1p(-u), np.log(u)))
    quarters = (angle + np.uint64(2 ** (angle_bits - 3))) & np.uint64(2**angle_bits - 1)
    quarter = quarters >> np.uint64(angle_bits - 2)
    within = (quarters & np.uint64(2 ** (angle_bits - 2) - 1)).astype(real) - real(2) ** (angle_bits - 3) + real(0.5)
    pi = real("3.141592653589793238462643383279502884")
    theta = within * (pi / 2) * real(2) ** (2 - angle_bits)
    c, s = np.cos(theta), np.sin(theta)
    cosine = np.choose(quarter.astype(int), [c, -s, -c, s])
    sine = np.choose(quarter.astype(int), [s, c, -s, -c])
    return np.stack([r * cosine, r * sine], -1).reshape(-1)[:n]


@pytest.mark.parametrize("name", ["float32", "float64"])
@pytest.mark.parametrize("n", [1, 2, 33, 300_001])
def test_normal_elements_are_as_defined(name: str, n: int) -> None:
    reference = _reference_normal(name, n)
    x = suanzi.normal(n, seed=SEED, dtype=name).numpy()
    error = np.abs(x - reference) / np.spacing(np.abs(reference).astype(name)).astype(np.longdouble)
    assert float(error.max()) < 6


@pytest.mark.parametrize("name", ["float16", "bfloat16"])
def test_normal_of_16_bits_is_that_of_float32_rounded(name: str) -> None:
    x = suanzi.normal(5000, 1, 2, seed=SEED, dtype=name)
    assert np.array_equal(wide(x), wide(suanzi.astype(suanzi.normal(5000, 1, 2, seed=SEED), name)))


@pytest.mark.parametrize("name", ["float32", "float64"])
def test_normal_is_normal(name: str) -> None:
    z = wide(suanzi.normal(2_000_000, seed=11, dtype=name))
    assert stats.kstest(z, "norm").pvalue > LEVEL
    n = z.size
    assert abs(z.mean()) < 4 / n**0.5
    assert abs(z.std() - 1) < 4 / (2 * n) ** 0.5
    assert abs(stats.skew(z)) < 4 * (6 / n) ** 0.5
    assert abs(stats.kurtosis(z)) < 4 * (24 / n) ** 0.5
    # The numbers of elements between 3, 3.5, 4 and 4.5 standard deviations and beyond.
    edges = np.array([3, 3.5, 4, 4.5, np.inf])
    expected = -np.diff(2 * stats.norm.sf(edges)) * n
    found = np.histogram(np.abs(z), edges)[0]
    assert stats.chisquare(np.append(found, n - found.sum()), np.append(expected, n - expected.sum())).pvalue > LEVEL


def test_normal_reaches_far() -> None:
    z = suanzi.normal((2**23, 2), seed=SEED).numpy()
    assert np.hypot(z[:, 0], z[:, 1]).max() > 5.5  # the radius that two elements share
    assert np.abs(z).max() > 5


@pytest.mark.parametrize("name", [*FLOATING, *COMPLEX])
def test_mean_and_standard_deviation(name: str) -> None:
    mean = 3 - 4j if name in COMPLEX else 3
    x = wide(suanzi.normal(200_000, mean, 0.5, seed=5, dtype=name))
    assert abs(x.mean() - mean) < 0.01
    assert abs(x.std() - 0.5) < 0.01
    if name in COMPLEX:
        assert abs(x.real.std() - x.imag.std()) < 0.005
        assert abs(np.corrcoef(x.real, x.imag)[0, 1]) < 0.01
    assert np.all(wide(suanzi.normal(10, mean, 0, seed=5, dtype=name)) == mean)


@pytest.mark.parametrize("name", COMPLEX)
def test_complex_parts_have_bounds_of_their_own(name: str) -> None:
    x = wide(suanzi.uniform(100_000, 1 - 2j, 3 + 10j, seed=5, dtype=name))
    assert stats.kstest(x.real, stats.uniform(1, 2).cdf).pvalue > LEVEL
    assert stats.kstest(x.imag, stats.uniform(-2, 12).cdf).pvalue > LEVEL
    assert abs(np.corrcoef(x.real, x.imag)[0, 1]) < 0.02
    both = wide(suanzi.uniform(1000, 2, 5, seed=5, dtype=name))
    assert both.real.min() >= 2
    assert both.imag.min() >= 2


@pytest.mark.parametrize("function", [suanzi.uniform, suanzi.normal])
def test_independence(function: Callable[..., Tensor]) -> None:
    def draw(seed: int) -> Tensor:
        return function(200_000, 0, 1, seed)

    x, bound = wide(draw(21)), 4.5 / 200_000**0.5
    for lag in (1, 2, 3, 4, 8, 32, 64, 2**15):
        assert abs(np.corrcoef(x[lag:], x[:-lag])[0, 1]) < bound
        assert abs(np.corrcoef(np.abs(x[lag:]), np.abs(x[:-lag]))[0, 1]) < bound
    for seed in (20, 22, 21 + 2**32, 21 + 2**63):
        assert abs(np.corrcoef(x, wide(draw(seed)))[0, 1]) < bound


def test_distributions_of_one_seed_are_independent() -> None:
    u, z = wide(suanzi.uniform(100_000, 0, 1, 9)), wide(suanzi.normal(100_000, 0, 1, 9))
    b = wide(suanzi.bernoulli(suanzi.full(100_000, 0.5), 9))
    for x, y in ((u, z), (u, b), (z, b), (u[:-1:2], np.abs(z[1::2])[: u[:-1:2].size])):
        assert abs(np.corrcoef(x, y[: x.size])[0, 1]) < 0.015


@pytest.mark.parametrize("name", FLOATING)
def test_bernoulli_elements_are_as_defined(name: str) -> None:
    n = 10_007
    rng = np.random.default_rng(1)
    p = suanzi.astype(suanzi.tensor(rng.uniform(0, 1, n) ** 8), name)
    if name == "float64":
        u, slack = (double_words(SEED, n, BERNOULLI).astype(np.longdouble) + 0.5) * np.longdouble(2) ** -64, 2.0**-52
    else:
        u, slack = (words(SEED, n, BERNOULLI).astype(np.longdouble) + 0.5) * np.longdouble(2) ** -32, 2.0**-23
    x = suanzi.bernoulli(p, SEED)
    assert x.dtype is p.dtype
    sure = np.abs(u - wide(p)) > slack * wide(p)
    assert np.array_equal(wide(x)[sure], (u < wide(p))[sure])
    assert sure.mean() > 0.99
    assert set(np.unique(wide(x))) <= {0.0, 1.0}


def test_bernoulli_is_as_probable_as_it_says() -> None:
    for p in (1e-5, 0.01, 0.3, 0.5, 0.999):
        hits = wide(suanzi.bernoulli(suanzi.full(1_000_000, p), 13)).sum()
        assert stats.binomtest(int(hits), 1_000_000, p).pvalue > LEVEL
    for name in FLOATING:
        assert not wide(suanzi.bernoulli(suanzi.zeros(100_000, dtype=name), 13)).any()
        assert wide(suanzi.bernoulli(suanzi.ones(100_000, dtype=name), 13)).all()


def test_bernoulli_of_other_layouts() -> None:
    p = suanzi.uniform((6, 70), 0, 1, 3)
    expected = suanzi.bernoulli(p, 4).numpy()
    transposed = suanzi.bernoulli(suanzi.contiguous(p.T).T, 4)
    assert np.array_equal(transposed.numpy(), expected)
    assert transposed.stride() == (1, 6)
    reversed_ = suanzi.tensor(np.ascontiguousarray(p.numpy()[::-1, ::-1]))[::-1, ::-1]
    assert np.array_equal(suanzi.bernoulli(reversed_, 4).numpy(), expected)
    assert suanzi.bernoulli(suanzi.expand(suanzi.full((1, 3), 0.5), (5, 3)), 4).shape == (5, 3)
    assert suanzi.bernoulli(suanzi.zeros((2, 0)), 4).shape == (2, 0)
    assert suanzi.bernoulli(suanzi.tensor(1.0), 4).item() == 1


def test_the_number_of_threads_does_not_show() -> None:
    before = suanzi.get_num_threads()
    try:
        digests = set()
        for threads in (1, 2, 5):
            suanzi.set_num_threads(threads)
            digests.add(random_digest.digest())
    finally:
        suanzi.set_num_threads(before)
    assert len(digests) == 1


@pytest.mark.one_level
def test_the_instruction_set_does_not_show() -> None:
    digests = set()
    for level in suanzi._core.simd_levels():
        environment = {**os.environ, "SUANZI_SIMD": level, "PYTHONPATH": str(Path(suanzi.__file__).parents[1])}
        command = [sys.executable, random_digest.__file__]
        digests.add(subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout)
    assert digests == {f"{random_digest.digest()}\n"}


@settings(max_examples=60, deadline=None)
@given(
    shape=st.lists(st.integers(0, 9), max_size=4),
    name=st.sampled_from(NAMES),
    seed=st.integers(1, 2**64 - 1),
    data=st.data(),
)
def test_shape_and_layout_do_not_change_the_sequence(shape: list[int], name: str, seed: int, data: Any) -> None:
    layout = data.draw(st.permutations(range(len(shape))))
    size = int(np.prod(shape, dtype=int))
    draws: list[Callable[..., Tensor]] = [suanzi.uniform]
    if name in (*FLOATING, *COMPLEX):
        draws.append(suanzi.normal)
    for draw in draws:
        flat = draw(size, seed=seed, dtype=name).numpy()
        assert flat.tobytes() == draw(size + 13, seed=seed, dtype=name).numpy()[:size].tobytes()
        x = draw(shape, seed=seed, dtype=name, layout=layout)
        assert x.layout.order == tuple(layout) or size <= 1 or 1 in shape
        assert x.numpy().reshape(-1).tobytes() == flat.tobytes()


def test_like() -> None:
    x = suanzi.zeros((3, 4), dtype="float64", layout=(0, 1))
    u, z = suanzi.uniform_like(x, 2, 3, 5), suanzi.normal_like(x, 2, 3, 5)
    for made in (u, z):
        assert (made.shape, made.dtype, made.strides) == (x.shape, x.dtype, x.strides)
    assert np.array_equal(u.numpy(), suanzi.uniform((3, 4), 2, 3, 5, dtype="float64").numpy())
    assert np.array_equal(z.numpy(), suanzi.normal((3, 4), 2, 3, 5, dtype="float64").numpy())
    assert suanzi.normal_like(suanzi.zeros(2, dtype="int8"), dtype="float32").dtype is suanzi.float32


def test_seed_zero_is_the_systems() -> None:
    for draw in (
        lambda: suanzi.uniform(4),
        lambda: suanzi.normal(4, seed=0),
        lambda: suanzi.randperm(50),
        lambda: suanzi.bernoulli(suanzi.full(100, 0.5)),
        lambda: suanzi.multinomial(suanzi.ones(10**6)),
    ):
        assert draw().numpy().tobytes() != draw().numpy().tobytes()


def test_numbers_of_other_kinds() -> None:
    expected = suanzi.uniform(5, 1, 2, 7).numpy()
    seed: Any = np.uint64(7)
    assert np.array_equal(suanzi.uniform(5, np.float64(1), suanzi.tensor(2.0), seed).numpy(), expected)
    whole = suanzi.uniform(5, 0, 2**64 - 1, 7, dtype="uint64")
    assert whole.tolist() == suanzi.uniform(5, seed=7, dtype="uint64").tolist()


HALF = suanzi.full(3, 0.5)
NAN, INF = float("nan"), float("inf")
BAD: list[tuple[str, Callable[[], Any], Any]] = [
    ("uniform", lambda: suanzi.uniform(3, 2, 1), InvalidArgumentError),
    ("uniform", lambda: suanzi.uniform(3, 2, 1, dtype="int8"), InvalidArgumentError),
    ("uniform", lambda: suanzi.uniform(3, 0, -1, dtype="int64"), InvalidArgumentError),
    ("uniform", lambda: suanzi.uniform(3, 1 + 2j, 2 + 1j, dtype="complex64"), InvalidArgumentError),
    ("uniform", lambda: suanzi.uniform(3, NAN, 1), InvalidArgumentError),
    ("uniform", lambda: suanzi.uniform(3, 0, INF), InvalidArgumentError),
    ("uniform", lambda: suanzi.uniform(3, complex(0, -INF), 1, dtype="complex64"), InvalidArgumentError),
    ("uniform", lambda: suanzi.uniform(3, 0, 1e39), OutOfRangeError),
    ("uniform", lambda: suanzi.uniform(3, -65536, 0, dtype="float16"), OutOfRangeError),
    ("uniform", lambda: suanzi.uniform(3, 0, 10**400, dtype="float64"), OutOfRangeError),
    ("uniform", lambda: suanzi.uniform(3, 0, 256, dtype="uint8"), OutOfRangeError),
    ("uniform", lambda: suanzi.uniform(3, -1, 2, dtype="uint64"), OutOfRangeError),
    ("uniform", lambda: suanzi.uniform(3, 0.5, 2, dtype="int8"), TypeMismatchError),
    ("uniform", lambda: suanzi.uniform(3, 0, 1j), TypeMismatchError),
    ("uniform", lambda: suanzi.uniform(3, "a"), TypeMismatchError),  # type: ignore[arg-type]
    ("uniform", lambda: suanzi.uniform(3, suanzi.zeros(2)), InvalidArgumentError),
    ("uniform", lambda: suanzi.uniform(3, seed=-1), OutOfRangeError),
    ("uniform", lambda: suanzi.uniform(3, seed=2**64), OutOfRangeError),
    ("uniform", lambda: suanzi.uniform(3, seed=1.0), TypeMismatchError),  # type: ignore[arg-type]
    ("uniform", lambda: suanzi.uniform(3, seed=True), TypeMismatchError),
    ("uniform", lambda: suanzi.uniform(3, seed=None), TypeMismatchError),  # type: ignore[arg-type]
    ("uniform", lambda: suanzi.uniform((3, -1)), InvalidArgumentError),
    ("uniform", lambda: suanzi.uniform((2**40, 2**40)), AllocFailedError),
    ("uniform", lambda: suanzi.uniform("a"), TypeMismatchError),  # type: ignore[arg-type]
    ("uniform", lambda: suanzi.uniform(3, device="gpu"), InvalidArgumentError),
    ("uniform_like", lambda: suanzi.uniform_like(3), TypeMismatchError),  # type: ignore[arg-type]
    ("uniform_like", lambda: suanzi.uniform_like(HALF, 1, 0), InvalidArgumentError),
    ("normal", lambda: suanzi.normal(3, 0, -1), InvalidArgumentError),
    ("normal", lambda: suanzi.normal(3, 0, NAN), InvalidArgumentError),
    ("normal", lambda: suanzi.normal(3, 0, INF), InvalidArgumentError),
    ("normal", lambda: suanzi.normal(3, NAN), InvalidArgumentError),
    ("normal", lambda: suanzi.normal(3, 1e39), OutOfRangeError),
    ("normal", lambda: suanzi.normal(3, 0, 1e39), OutOfRangeError),
    ("normal", lambda: suanzi.normal(3, 1j), TypeMismatchError),
    ("normal", lambda: suanzi.normal(3, 0, 1j, dtype="complex64"), TypeMismatchError),
    ("normal", lambda: suanzi.normal(3, dtype="int32"), TypeMismatchError),
    ("normal", lambda: suanzi.normal(3, dtype="bool"), TypeMismatchError),
    ("normal_like", lambda: suanzi.normal_like(suanzi.zeros(3, dtype="int8")), TypeMismatchError),
    ("bernoulli", lambda: suanzi.bernoulli(suanzi.tensor([0.5, -0.1])), InvalidArgumentError),
    ("bernoulli", lambda: suanzi.bernoulli(suanzi.tensor([0.5, 1.5], dtype="float16")), InvalidArgumentError),
    ("bernoulli", lambda: suanzi.bernoulli(suanzi.tensor([NAN], dtype="float64")), InvalidArgumentError),
    ("bernoulli", lambda: suanzi.bernoulli(suanzi.tensor([INF])), InvalidArgumentError),
    ("bernoulli", lambda: suanzi.bernoulli(suanzi.full(300_000, 1.5)), InvalidArgumentError),
    ("bernoulli", lambda: suanzi.bernoulli(suanzi.ones(3, dtype="int8")), TypeMismatchError),
    ("bernoulli", lambda: suanzi.bernoulli(0.5), TypeMismatchError),  # type: ignore[arg-type]
    ("bernoulli", lambda: suanzi.bernoulli(destroyed()), suanzi.UninitializedObjectError),
    ("bernoulli", lambda: suanzi.bernoulli(HALF, -5), OutOfRangeError),
    ("multinomial", lambda: suanzi.multinomial(suanzi.tensor([1.0, -1.0])), InvalidArgumentError),
    ("multinomial", lambda: suanzi.multinomial(suanzi.tensor([1.0, NAN])), InvalidArgumentError),
    ("multinomial", lambda: suanzi.multinomial(suanzi.tensor([1.0, INF], dtype="float64")), InvalidArgumentError),
    ("multinomial", lambda: suanzi.multinomial(suanzi.tensor([[1.0, 1.0], [0.0, 0.0]])), InvalidArgumentError),
    ("multinomial", lambda: suanzi.multinomial(suanzi.zeros((2, 0))), InvalidArgumentError),
    ("multinomial", lambda: suanzi.multinomial(suanzi.tensor([1.0, 0.0, 2.0]), 3, False), InvalidArgumentError),
    ("multinomial", lambda: suanzi.multinomial(HALF, 2**62, False), InvalidArgumentError),
    ("multinomial", lambda: suanzi.multinomial(HALF, -1), InvalidArgumentError),
    ("multinomial", lambda: suanzi.multinomial(HALF, 2**70), OutOfRangeError),
    ("multinomial", lambda: suanzi.multinomial(HALF, 2**62, output="indices"), AllocFailedError),
    ("multinomial", lambda: suanzi.multinomial(suanzi.ones(3, dtype="float16"), 10**6), OutOfRangeError),
    ("multinomial", lambda: suanzi.multinomial(HALF, 1.5), TypeMismatchError),  # type: ignore[arg-type]
    ("multinomial", lambda: suanzi.multinomial(HALF, output="none"), InvalidArgumentError),  # type: ignore[arg-type]
    ("multinomial", lambda: suanzi.multinomial(HALF, output=THING), InvalidArgumentError),  # type: ignore[arg-type]
    ("multinomial", lambda: suanzi.multinomial(suanzi.tensor(1.0)), DimensionsMismatchError),
    ("multinomial", lambda: suanzi.multinomial(suanzi.ones(3, dtype="int64")), TypeMismatchError),
    ("multinomial", lambda: suanzi.multinomial([0.5]), TypeMismatchError),  # type: ignore[arg-type]
    ("randperm", lambda: suanzi.randperm(0), InvalidArgumentError),
    ("randperm", lambda: suanzi.randperm(-1), InvalidArgumentError),
    ("randperm", lambda: suanzi.randperm(300, "uint8"), OutOfRangeError),
    ("randperm", lambda: suanzi.randperm(2**24 + 2), OutOfRangeError),
    ("randperm", lambda: suanzi.randperm(2**62, "int64"), AllocFailedError),
    ("randperm", lambda: suanzi.randperm(2**70), OutOfRangeError),
    ("randperm", lambda: suanzi.randperm(5, "bool"), TypeMismatchError),
    ("randperm", lambda: suanzi.randperm(5.0), TypeMismatchError),  # type: ignore[arg-type]
    ("randperm", lambda: suanzi.randperm(5, device="npu:1"), InvalidArgumentError),
]


@pytest.mark.parametrize("case", BAD, ids=lambda case: case[0])
def test_bad_input(case: Any) -> None:
    name, call, error = case
    with fails(error, name):
        call()


@pytest.mark.parametrize("draw", ["uniform", "uniform_like"])
def test_bounds_of_bool_are_false_and_true(draw: str) -> None:
    def drawn(low: Any, high: Any) -> suanzi.Tensor:
        first = 1000 if draw == "uniform" else suanzi.zeros(1000)
        x: suanzi.Tensor = getattr(suanzi, draw)(first, low, high, 5, dtype="bool")
        return x

    for low, high in ((0, 1), (False, True), (0.0, 1.0), (None, None), (suanzi.tensor(0), np.float32(1))):
        assert 400 < int(suanzi.sum(drawn(low, high), dtype="int64")) < 600
    assert not suanzi.any(drawn(False, False))
    assert suanzi.all(drawn(1, 1))
    for low, high in ((-5, 7), (0, 7), (-1, 1), (0.5, 0.7), (0, 0.5), (float("nan"), 1), (0, float("inf"))):
        with pytest.raises(suanzi.OutOfRangeError, match=rf"^{draw}: (low|high) = .* is neither False"):
            drawn(low, high)
    with pytest.raises(suanzi.OutOfRangeError, match=f"^{draw}: high = 2.5 is neither"):
        drawn(0, suanzi.tensor(2.5))
    for low, high in ((0, 1j), (1 + 0j, 1)):
        with pytest.raises(suanzi.TypeMismatchError, match=f"^{draw}: "):
            drawn(low, high)
    with pytest.raises(suanzi.InvalidArgumentError, match="low = 1 is greater than high = 0"):
        drawn(True, False)
