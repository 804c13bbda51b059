"""Settings shared by all tests: the Hypothesis profiles, the header, the number of threads."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from hypothesis import settings

import suanzi

# `default` draws the same examples in every run; `thorough` looks for new ones.
settings.register_profile("default", max_examples=25, derandomize=True, deadline=None, database=None)
settings.register_profile("thorough", max_examples=1000, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


def pytest_report_header() -> str:
    from suanzi import _core

    return f"suanzi: SIMD level {_core.simd_level()} of {', '.join(_core.simd_levels())}"


@pytest.fixture
def keep_threads() -> Iterator[None]:
    """Restores the number of threads that a test changes."""
    before = suanzi.get_num_threads()
    yield
    suanzi.set_num_threads(before)
