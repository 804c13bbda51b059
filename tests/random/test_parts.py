"""Parts of random tensors have the same bits as in the whole tensor. The oracle checks positions that no tensor has."""

from __future__ import annotations

import numpy as np
import pytest

import suanzi
from oracle.philox import blocks
from samples import NAMES
from suanzi import Tensor, _core
from suanzi.random import parts

SEED = 0x243F6A8885A308D3
N = 40_003
PARTS = [(0, N), (0, 1), (1, 33), (17_003, 20_011), (N - 1, 1), (5, 0)]
FLOATING = ["float16", "bfloat16", "float32", "float64"]
COMPLEX = ["complex64", "complex128"]


def assert_same_bits(part: Tensor, whole: Tensor, first: int, n: int) -> None:
    assert (part.dtype, part.shape) == (whole.dtype, (n,))
    assert part.numpy().tobytes() == whole[first : first + n].numpy().tobytes()


@pytest.mark.parametrize("first", [-32, 1, 31, 2**61, 2**63 - 32])
def test_the_core_begins_at_blocks(first: int) -> None:
    half = suanzi.full(3, 0.5)
    for draw in (
        lambda: _core.uniform_from(first, 3, 0, 1, SEED, suanzi.float32),
        lambda: _core.normal_from(first, 3, 0, 1, SEED, suanzi.complex64),
        lambda: _core.bernoulli_from(first, half, SEED),
    ):
        with pytest.raises(suanzi.OutOfRangeError, match=f"first = {first} is not a multiple of 32"):
            draw()


@pytest.mark.parametrize("name", [name for name in NAMES if name != "string"])
def test_uniform(name: str) -> None:
    bounds = [(None, None), (0, 1), (1, 1)]
    if name != "bool":
        bounds += [(3, 100), (None, 77)]
    if name in (*FLOATING, *COMPLEX):
        bounds += [(-3, 5), (0, 6e-8), (-1e-3, 0)]
    if name in COMPLEX:
        bounds += [(1 + 2j, 3 + 5j)]
    for low, high in bounds:
        whole = suanzi.uniform(N, low, high, SEED, dtype=name)
        for first, n in PARTS:
            assert_same_bits(parts.uniform(first, n, low, high, SEED, suanzi.as_dtype(name)), whole, first, n)


@pytest.mark.parametrize(
    ("name", "high"), [("uint64", 2**63 + 5), ("int64", 3 * 2**61), ("uint16", 40_000), ("int32", 7)]
)
def test_integers_that_are_drawn_again(name: str, high: int) -> None:
    whole = suanzi.uniform(N, 0, high, SEED, dtype=name)
    for first, n in PARTS:
        assert_same_bits(parts.uniform(first, n, 0, high, SEED, suanzi.as_dtype(name)), whole, first, n)


@pytest.mark.parametrize("name", [*FLOATING, *COMPLEX])
def test_normal(name: str) -> None:
    for mean, std in [(0, 1), (2.5, 3), (1000, 0), *[(1 + 2j, 2)] * (name in COMPLEX)]:
        whole = suanzi.normal(N, mean, std, SEED, dtype=name)
        for first, n in PARTS:
            assert_same_bits(parts.normal(first, n, mean, std, SEED, suanzi.as_dtype(name)), whole, first, n)


@pytest.mark.parametrize("name", FLOATING)
def test_bernoulli(name: str) -> None:
    p = suanzi.uniform(N, 0, 1, 5, dtype=name)
    p[7], p[8] = 0, 1
    whole = suanzi.bernoulli(p, SEED)
    for first, n in PARTS:
        assert_same_bits(parts.bernoulli(first, p[first : first + n], SEED), whole, first, n)


def test_far_elements() -> None:
    """A part that begins beyond 2^32 blocks uses the upper half of the counter."""
    block = 2**33 + 1
    words = blocks(np.array([[block % 2**32, block >> 32, 0, 0]], np.uint64), SEED)[0]
    found = parts.uniform(4 * block, 4, None, None, SEED, suanzi.uint8)
    assert found.tolist() == (words >> np.uint64(24)).tolist()
