"""Tests of the modules that an import of the package loads."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

import suanzi

pytestmark = pytest.mark.one_level

EXTRAS = {"torch", "scipy", "onnx", "ml_dtypes", "mpmath", "hypothesis", "pytest", "dask", "ctypes", "pathlib"}


def modules_after(code: str) -> set[str]:
    """Run code in a fresh interpreter, and return the names of the modules that the interpreter has loaded."""
    source = str(Path(suanzi.__file__).parents[1])
    command = [sys.executable, "-c", f"{code}\nimport sys; print(*sys.modules)"]
    environment = {**os.environ, "PYTHONPATH": source}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_only_numpy_comes_along() -> None:
    before, after = modules_after("import numpy"), modules_after("import suanzi")
    added = {name.partition(".")[0] for name in after - before}
    foreign = {name for name in added - {"suanzi"} if name not in sys.stdlib_module_names}
    assert foreign == set()
    assert not {name.partition(".")[0] for name in after - before} & EXTRAS


def test_the_parts_that_are_loaded_on_demand() -> None:
    after = modules_after("import suanzi")
    assert "suanzi.cli" not in after
    assert "suanzi.conformance" not in after
    assert "suanzi.fusion" not in after


def test_timings_and_plots_stay_out() -> None:
    parts = "suanzi.array_api, suanzi.extras, suanzi.fuse, suanzi.interop.onnx, suanzi.conformance, suanzi.random"
    after = modules_after(f"import suanzi, suanzi.interop.onnx; {parts}")
    assert {name for name in after if name.startswith(("suanzi.bench", "suanzi.fusion.plot", "matplotlib"))} == set()


def test_bfloat16_brings_ml_dtypes_when_it_meets_numpy() -> None:
    assert "ml_dtypes" not in modules_after("import suanzi; suanzi.zeros(2, dtype='bfloat16') + 1")
    assert "ml_dtypes" in modules_after("import suanzi; suanzi.zeros(2, dtype='bfloat16').numpy()")


def imported_with(**variables: str) -> subprocess.CompletedProcess[str]:
    source = str(Path(suanzi.__file__).parents[1])
    environment = {**os.environ, "PYTHONPATH": source, **variables}
    command = [sys.executable, "-c", "import suanzi; print(suanzi.get_num_threads())"]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("value", ["nonsense", "any", "AVX2", "avx2 "])
def test_an_unusable_simd_level_is_reported_at_import(value: str) -> None:
    done = imported_with(SUANZI_SIMD=value)
    assert done.returncode == 1
    assert f"SUANZI_SIMD: '{value}' is not a level" in done.stderr


@pytest.mark.parametrize("value", ["0", "-1", "1025", "99999999999", "two", "2 ", " 2", "1.0", "0x2"])
def test_an_unusable_number_of_threads_is_reported_at_import(value: str) -> None:
    done = imported_with(SUANZI_NUM_THREADS=value)
    assert done.returncode == 1
    rule = "is not a number of threads, which is a whole number from 1 to 1024"
    assert f"SUANZI_NUM_THREADS: '{value}' {rule}" in done.stderr


@pytest.mark.parametrize(("value", "threads"), [("1", "1"), ("3", "3"), ("1024", "1024"), ("", None)])
def test_a_number_of_threads_from_the_environment(value: str, threads: str | None) -> None:
    done = imported_with(SUANZI_NUM_THREADS=value)
    assert done.returncode == 0, done.stderr
    assert threads is None or done.stdout == f"{threads}\n"


@pytest.mark.parametrize(("statement", "advice"), [
    ("from suanzi import cat", "use suanzi.concat([a, b], axis=0)"),
    ("from suanzi import optim", "suanzi has no gradients"),
    ("import suanzi.utils.data", "suanzi has no layers or data loaders"),
    ("import suanzi.nn.functional as F", "the functions are in suanzi.nn itself"),
    ("from suanzi.linalg import norm", "use suanzi.vector_norm(x)"),
    ("from suanzi.random import randint", "use suanzi.random.integers"),
    ("from suanzi.onnx import load", "from suanzi.interop import onnx"),
])  # fmt: skip
def test_errors_of_imports_say_what_to_write(statement: str, advice: str) -> None:
    with pytest.raises(ModuleNotFoundError, match=r"suanzi.* has no ") as caught:
        exec(statement, {})
    assert advice in str(caught.value)


def test_names_without_a_hint_are_missing_as_usual() -> None:
    assert importlib.util.find_spec("suanzi.unknown") is None
    assert importlib.util.find_spec("suanzi.nn.unknown") is None
    assert not hasattr(suanzi, "cat")
    with pytest.raises(ImportError, match="cannot import name 'unknown' from 'suanzi'"):
        exec("from suanzi import unknown", {})
    suanzi.lazy.add_import_hints()  # type: ignore[attr-defined]
    assert sum(getattr(finder, "__name__", "") == "ImportHints" for finder in sys.meta_path) == 1
