"""Settings shared by all tests: the Hypothesis profiles, the header, the number of threads."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

import suanzi

# `default` draws the same examples in every run; `thorough` looks for new ones.
settings.register_profile("default", max_examples=25, derandomize=True, deadline=None, database=None)
settings.register_profile("thorough", max_examples=1000, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


# What no SIMD level can change: text, signatures, errors in files, builds. `run.py` leaves these out at all levels but
# the first. Where in doubt a module is not here.
AT_ONE_LEVEL = (
    *("annotations/", "test_build.py", "test_cli.py", "test_declared.py", "test_docstrings.py", "test_import.py"),
    *("test_registry.py", "test_signatures.py", "test_same_bits.py"),
    *("interop/test_damaged_files.py", "interop/test_onnx_malformed.py", "interop/test_onnx_limits.py"),
    *("interop/test_onnx_external.py", "interop/test_onnx_cli.py"),
    *("tensor/test_attributes.py", "tensor/test_buffer.py", "tensor/test_device.py", "tensor/test_extension.py"),
    *("tensor/test_messages.py", "tensor/test_printing.py", "tensor/test_status.py"),
)
TESTS = Path(__file__).parent


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--only-by-level", action="store_true", help="leave out what does not depend on the SIMD level")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not config.getoption("--only-by-level"):
        return
    once = [item for item in items if item.path.relative_to(TESTS).as_posix().startswith(AT_ONE_LEVEL)]
    config.hook.pytest_deselected(items=once)
    left_out = {*once}
    items[:] = [item for item in items if item not in left_out]


def pytest_report_header() -> str:
    from suanzi import _core

    return f"suanzi: SIMD level {_core.simd_level()} of {', '.join(_core.simd_levels())}"


@pytest.fixture
def keep_threads() -> Iterator[None]:
    """Restores the number of threads that a test changes."""
    before = suanzi.get_num_threads()
    yield
    suanzi.set_num_threads(before)
