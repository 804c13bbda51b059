"""Settings of all tests: Hypothesis profiles, the choice of tests, the header of the report, the number of threads."""

from __future__ import annotations

import gc
import os
import re
import zlib
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

# NumPy and SciPy, the references, read OPENBLAS_NUM_THREADS when they are loaded. Without the variable, the threads of
# both libraries would spin while they wait, and take processor time from the other test process. Suanzi later loads
# another BLAS library, with the usual number of threads.
with pytest.MonkeyPatch.context() as environment:
    environment.setenv("OPENBLAS_NUM_THREADS", "1")
    import scipy.linalg  # noqa: F401

import suanzi

# The profile `default` draws the same examples in every run. `thorough` draws new examples.
settings.register_profile("default", max_examples=25, derandomize=True, deadline=None, database=None)
settings.register_profile("thorough", max_examples=1000, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


# A module whose results do not depend on the SIMD level is marked `one_level` below its imports. Most marked modules
# test features without kernels: text, signatures, refused calls, errors in files, builds, memory, references. Other
# marked modules test the conformance kit, or compositions of operators whose own tests run at each level. A single test
# can be marked `one_level`, or `each_level` in a module that is `one_level`.
ONE_LEVEL = re.compile(r"^pytestmark = pytest\.mark\.one_level$", re.MULTILINE)
TESTS = Path(__file__).parent
# The quick tier runs one in QUICK of the tests, and all tests marked `quick`, which call each operator once.
QUICK = 40


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--only-by-level", action="store_true", help="leave out what does not depend on the SIMD level")
    parser.addoption("--one-in", metavar="N", type=int, default=1, help="one in N of the tests, drawn for each level")
    parser.addoption("--quick", action="store_true", help=f"one in {QUICK} of the tests, and those marked quick")
    parser.addoption("--part", metavar="K/N", default="1/1", help="the K-th of N parts of the tests, for processes")


def drawn(name: str) -> int:
    """Return a hash of a test's name. The hashes choose the tests of a run, and so distribute long tests evenly."""
    return zlib.crc32(name.encode())


def part_of(config: pytest.Config) -> tuple[int, int]:
    part, parts = map(int, config.getoption("--part").split("/"))
    return part - 1, parts


def is_of_part(module: Path, config: pytest.Config) -> bool:
    """Return whether this process runs a module. In the quick tier, the processes divide the modules."""
    part, parts = part_of(config)
    return drawn(module.relative_to(TESTS).as_posix()) % parts == part


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Return True for a module whose tests the options exclude.

    `--quick` excludes the modules that other processes run. `--only-by-level` excludes modules whose tests all run at
    one level.
    """
    is_module = collection_path.name.startswith("test_")
    if config.getoption("--quick") and is_module and not is_of_part(collection_path, config):
        return True
    if not config.getoption("--only-by-level") or collection_path.suffix != ".py":
        return None
    text = collection_path.read_text(encoding="utf-8")
    return True if ONE_LEVEL.search(text) and "pytest.mark.each_level" not in text else None


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect the tests with Python's garbage collector switched off, because the collector would double the time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    part, parts = part_of(config)
    quick = config.getoption("--quick")
    by_level = config.getoption("--only-by-level")
    one_in = config.getoption("--one-in")
    number = suanzi._core.simd_levels().index(suanzi._core.simd_level())

    def runs(item: pytest.Item) -> bool:
        name = f"{item.path.relative_to(TESTS).as_posix()}::{item.name}"
        if by_level and item.get_closest_marker("one_level") and not item.get_closest_marker("each_level"):
            return False
        draw = drawn(name)
        if quick:
            return is_of_part(item.path, config) and (bool(item.get_closest_marker("quick")) or draw % QUICK == 0)
        return draw % parts == part and draw // parts % one_in == number % one_in

    chosen = [item for item in items if runs(item)]
    config.hook.pytest_deselected(items=[*{*items} - {*chosen}])
    items[:] = chosen


def pytest_report_header() -> str:
    from suanzi import _core

    return f"suanzi: SIMD level {_core.simd_level()} of {', '.join(_core.simd_levels())}"


@pytest.fixture
def keep_threads() -> Iterator[None]:
    """Restore the number of threads after the test."""
    before = suanzi.get_num_threads()
    yield
    suanzi.set_num_threads(before)
