"""Settings shared by all tests: the Hypothesis profiles, the header, the number of threads."""

from __future__ import annotations

import gc
import os
import zlib
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

# NumPy and SciPy, the references, read it as they are loaded: their threads would wait by turning, and take the
# processors of the other process of tests. Suanzi's own library, loaded later, has as many threads as ever.
with pytest.MonkeyPatch.context() as environment:
    environment.setenv("OPENBLAS_NUM_THREADS", "1")
    import scipy.linalg  # noqa: F401

import suanzi

# `default` draws the same examples in every run; `thorough` looks for new ones.
settings.register_profile("default", max_examples=25, derandomize=True, deadline=None, database=None)
settings.register_profile("thorough", max_examples=1000, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


# What no SIMD level can change: text, signatures, refusals, errors in files, builds, memory and references (kernels
# hold neither), the conformance kit itself. `run.py` leaves these out at all levels but the first. Folders, modules or
# tests by the beginning of their name; where in doubt one is not here.
AT_ONE_LEVEL = (
    *(
        "annotations/",
        "c/",
        "test_architecture.py",
        "test_bad_input.py",
        "test_build.py",
        "test_cli.py",
        "test_composed.py",
        "test_declared.py",
    ),
    *("test_docstrings.py", "test_documents.py", "test_import.py", "test_long_values.py", "test_registry.py"),
    "test_run.py",
    *("test_signatures.py", "test_same_bits.py", "test_examples.py::test_image_compress_", "test_records.py"),
    *("test_contributing.py", "site/", "bench/", "clients/"),
    *("fusion/test_fuse.py", "fusion/test_fused_methods.py", "fusion/test_plot.py"),
    *("test_unknown.py", "test_examples.py::test_out_of_core"),
    *("array_api/test_standard_signatures.py", "array_api/test_array_api_types.py", "extras/test_summaries.py"),
    *("test_scratch.py::test_calls_leave", "test_scratch.py::test_failures"),
    *("conformance/test_mutants.py", "conformance/test_planted_faults.py", "conformance/test_session.py"),
    "conformance/test_c_library.py",
    *("interop/test_damaged_files.py", "interop/test_onnx_malformed.py", "interop/test_onnx_limits.py"),
    *("interop/formats/", "interop/test_numpy_protocols.py", "interop/test_dask.py", "interop/test_cubed.py"),
    *("interop/test_onnx_external.py", "interop/test_onnx_cli.py"),
    *("operators/linalg/test_library.py", "operators/test_random.py::test_the_instruction_set"),
    # Made of operators whose own tests run at each level; races, under the sanitizer too, by sanitize.py.
    *("interop/test_onnx_nodes.py", "test_races.py", "conformance/test_verdicts.py"),
    *("operators/test_elementwise.py::test_empty", "operators/test_elementwise.py::test_not_a_tensor_refused"),
    *("operators/test_elementwise.py::test_type_refused", "operators/test_fft.py::test_refusals"),
    *("quantized/test_malformed.py", "sparse_tensors/test_table.py"),
    *("tensor/test_attributes.py", "tensor/test_buffer.py", "tensor/test_device.py", "tensor/test_dispatch.py"),
    *("tensor/test_extension.py", "tensor/test_kinds.py", "tensor/test_memory.py", "tensor/test_messages.py"),
    *("tensor/test_printing.py", "tensor/test_status.py", "tensor/test_string_memory.py"),
    *("tensor/test_layout_model.py::test_creation", "tensor/test_layout_model.py::test_memory"),
    "tensor/test_dtypes.py::test_promotion",
)
# What is of another sort in these modules.
AT_EACH_LEVEL = (
    *("test_bad_input.py::test_nothing_crashes", "test_bad_input.py::test_out_that_overlaps"),
    *("tensor/test_string_memory.py::test_a_life", "tensor/test_string_memory.py::test_no_thread_sees"),
    "tensor/test_string_memory.py::test_results_outlive",
)
TESTS = Path(__file__).parent


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--only-by-level", action="store_true", help="leave out what does not depend on the SIMD level")
    parser.addoption("--one-in", metavar="N", type=int, default=1, help="one in N of the tests, drawn for each level")
    parser.addoption("--part", metavar="K/N", default="1/1", help="the K-th of N parts of the tests, for processes")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Does not import modules of which no test would run."""
    if not config.getoption("--only-by-level") or not collection_path.is_relative_to(TESTS):
        return None
    name = collection_path.relative_to(TESTS).as_posix() + "/" * collection_path.is_dir()
    kept = any(exception.startswith(name) for exception in AT_EACH_LEVEL)
    return True if name.startswith(AT_ONE_LEVEL) and not kept else None


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collects the tests while garbage is not: among so many lasting objects that takes as long again."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    part, parts = map(int, config.getoption("--part").split("/"))
    by_level = config.getoption("--only-by-level")
    one_in = config.getoption("--one-in")
    number = suanzi._core.simd_levels().index(suanzi._core.simd_level())

    def runs(item: pytest.Item) -> bool:
        name = f"{item.path.relative_to(TESTS).as_posix()}::{item.name}"
        if by_level and name.startswith(AT_ONE_LEVEL) and not name.startswith(AT_EACH_LEVEL):
            return False
        # Drawn: the long ones come in no order, nor do the types of a parametrised test.
        draw = zlib.crc32(name.encode())
        return draw % parts == part - 1 and draw // parts % one_in == number % one_in

    chosen = [item for item in items if runs(item)]
    config.hook.pytest_deselected(items=[*{*items} - {*chosen}])
    items[:] = chosen


def pytest_report_header() -> str:
    from suanzi import _core

    return f"suanzi: SIMD level {_core.simd_level()} of {', '.join(_core.simd_levels())}"


@pytest.fixture
def keep_threads() -> Iterator[None]:
    """Restores the number of threads that a test changes."""
    before = suanzi.get_num_threads()
    yield
    suanzi.set_num_threads(before)
