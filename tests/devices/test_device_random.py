"""Random numbers have the same bits on a device as on the CPU, unless a distribution needs a mathematical function."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from placing import GPU, assert_same, here, sz, there

from samples import NAMES

pytestmark = pytest.mark.one_level

SEEDS = (1, 2**40 + 12345, 2**64 - 1)
FLOATING = [name for name in NAMES if sz.as_dtype(name).kind == "f"]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", NAMES)
def test_uniform(name: str, seed: int) -> None:
    bounds: list[tuple[Any, ...]] = [(), (0, 1), (1, 1)] + ([(0, 100), (3, 7)] if name != "bool" else [])
    for low_high in bounds:
        expected = sz.uniform((7, 143), *low_high, seed=seed, dtype=name)
        assert_same(here(sz.uniform((7, 143), *low_high, seed=seed, dtype=name, device=GPU)), expected)
    ordered = sz.uniform((3, 5), seed=seed, dtype=name, device=GPU, layout=(1, 0))
    assert ordered.layout.order == (1, 0)
    assert_same(here(ordered), sz.uniform((3, 5), seed=seed, dtype=name))


def test_integers_that_are_drawn_again() -> None:
    expected = sz.uniform(100_000, 0, 40_000, seed=11, dtype="uint16")
    assert_same(here(sz.uniform(100_000, 0, 40_000, seed=11, dtype="uint16", device=GPU)), expected)
    expected = sz.uniform(1000, 0, 2**63 + 1, seed=11, dtype="uint64")
    assert_same(here(sz.uniform(1000, 0, 2**63 + 1, seed=11, dtype="uint64", device=GPU)), expected)


@pytest.mark.parametrize("name", FLOATING)
def test_draws_by_probability(name: str) -> None:
    p = sz.uniform((3, 333), 0, 1, seed=3, dtype=name)
    assert_same(here(sz.bernoulli(there(p), seed=9)), sz.bernoulli(p, seed=9))
    for options in ({"output": "indices"}, {"output": "indices", "replacement": False}, {"replacement": False}, {}):
        found = sz.multinomial(there(p), 50, seed=7, **options)
        assert_same(here(found), sz.multinomial(p, 50, seed=7, **options))
    with pytest.raises(sz.InvalidArgumentError, match="probability"):
        sz.bernoulli(there(p) + 1, seed=1)


@pytest.mark.parametrize("name", [*FLOATING, "complex64", "complex128"])
def test_normal(name: str) -> None:
    found, expected = (sz.normal(1001, 2, 3, seed=5, dtype=name, **to) for to in ({"device": GPU}, {}))
    a, b = (x.numpy().astype(np.complex128) for x in (here(found), expected))
    np.testing.assert_allclose(a, b, rtol=1e-2 if "16" in name else 1e-5, atol=1e-5)


def test_permutations() -> None:
    assert_same(here(sz.randperm(100, seed=4, device=GPU)), sz.randperm(100, seed=4))


def test_generators() -> None:
    for call in (
        lambda g, **to: g.uniform((3, 4), **to),
        lambda g, **to: g.integers((5,), 0, 10, **to),
        lambda g, **to: g.randperm(7, **to),
    ):
        expected = call(sz.random.Generator(7))
        assert_same(here(call(sz.random.Generator(7), device=GPU)), expected)
