"""Fusion changes no bit of the results of random functions. The script graphs.py checks any number of functions."""

from __future__ import annotations

from collections.abc import Iterator

import graphs
import pytest

import suanzi

EACH = 25


@pytest.fixture(params=[1, 2, 7])
def threads(request: pytest.FixtureRequest) -> Iterator[int]:
    before = suanzi.get_num_threads()
    suanzi.set_num_threads(request.param)
    yield request.param
    suanzi.set_num_threads(before)


@pytest.mark.parametrize("first", range(0, 4 * EACH, EACH))
def test_random_functions(first: int, threads: int) -> None:
    traced = sum(graphs.check(1000 * threads + seed) for seed in range(first, first + EACH))
    assert traced > 0.9 * EACH
