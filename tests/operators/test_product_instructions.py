"""Runs the tests of products with each instruction set that the machine has for products.

A build with `-DSUANZI_LEVELS="avx2;emulated_products"` emulates the instructions of other processors in C++.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from suanzi import _core

pytestmark = pytest.mark.one_level

ROOT = Path(__file__).parents[2]
TESTS = (
    "tests/operators/test_integer_products.py",
    "tests/operators/test_out_of_halves.py",
    "tests/operators/test_thin_products.py",
    "tests/operators/linalg/test_matmul.py",
    "tests/interop/test_onnx_convolutions.py",
)
UNUSED = [name for name in _core.available_product_instructions() if name not in _core.product_instructions().values()]


def with_instruction(name: str, *command: str) -> str:
    done = subprocess.run(
        [sys.executable, *command],
        env={**os.environ, "SUANZI_SIMD": name},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("name", UNUSED)
def test_products(name: str) -> None:
    with_instruction(name, "-m", "pytest", "-q", "-p", "no:cacheprovider", *TESTS)


@pytest.mark.parametrize("name", _core.available_product_instructions())
def test_a_named_instruction_is_the_one_in_use(name: str) -> None:
    printed = with_instruction(name, "-c", "from suanzi import _core; print(*_core.product_instructions().values())")
    assert set(printed.split()) == {name}
