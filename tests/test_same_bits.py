"""same_bits.py names every public function and method, repeats its lines exactly, and reports each difference."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import same_bits
import suanzi
from same_bits_cases import EVERY, QUANTIZED
from suanzi import _core
from suanzi.tensor.dtypes import NUMBERS

pytestmark = pytest.mark.one_level

EXPRESSIONS = {e for group in same_bits.all_groups() for e in group.expressions}


def named() -> Iterator[str]:
    """Yield the names and attributes in the expressions. Attributes of a name also occur in full, as in `fft.fft`."""
    for expression in EXPRESSIONS:
        for node in ast.walk(ast.parse(expression, mode="eval")):
            if isinstance(node, ast.Name):
                yield node.id
            elif isinstance(node, ast.Attribute):
                yield node.attr
                if isinstance(node.value, ast.Name):
                    yield f"{node.value.id}.{node.attr}"


NAMED = set(named())


# Public names without results to hash. fusion/test_graphs.py compares the bits of fused functions. The other names are
# an error's class, and functions that return devices, choose a device or a type, or wait.
WITHOUT_BITS = {"TraceError", "fuse", "devices", "set_default_device", "set_default_dtype", "synchronize"}


def test_every_public_name_is_in_an_expression() -> None:
    names = [
        prefix + name for prefix, module in same_bits.NAMESPACES.items() for name in same_bits.public_names(module)
    ]
    assert len(names) > len(suanzi.__all__)
    assert {*names} - NAMED == WITHOUT_BITS


@pytest.mark.parametrize("kind", [suanzi.Tensor, suanzi.SparseTensor, suanzi.QuantizedTensor])
def test_every_method_and_attribute_is_in_an_expression(kind: type) -> None:
    names = {name for name in dir(kind) if not name.startswith("_")}
    assert names - NAMED == set()


def test_every_element_type_is_an_operand() -> None:
    assert {name for group in same_bits.all_groups() for name in group.types} == {*EVERY, *QUANTIZED}
    assert {d.name for d in NUMBERS} | {"string"} == {*EVERY}
    assert {name for name in suanzi.__all__ if isinstance(getattr(suanzi, name), suanzi.QuantizedType)} == {*QUANTIZED}


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, same_bits.__file__, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_lines_repeat() -> None:
    first, second = (
        run("--level", _core.simd_level(), "--only", r"^(masked_select|x\.pattern|norm2\(x\))") for _ in "ab"
    )
    assert first.returncode == 0
    assert len(first.stdout.splitlines()) > 100
    assert first.stdout == second.stdout


CASE = "avx2\t1\tint8\t(3,)\tdefault tame\t"
BEFORE = ["sin(x)\tb1", "into(add, x, y)\tb2", "norm2(x)\tb3\tn3", "norm2(x, 1)\tb4\tn4", "x + y\tb5"]
AFTER = ["sin(x)\tb1", "into(add, x, y)\ta2", "norm2(x)\ta3\tn3", "norm2(x, 1)\ta4", "x @ y\tb6"]
TOLD = [
    "add: differ: 1",
    "norm2: differ: 1",
    "norm2: only in NaNs: 1",
    "x + y: only before: 1",
    "x @ y: only after: 1",
    "5 cases before, 5 after, 5 differ",
]


def test_differences_are_told_by_function(tmp_path: Path) -> None:
    files = tmp_path / "before", tmp_path / "after"
    for file, lines in zip(files, (BEFORE, AFTER), strict=True):
        file.write_text("".join(f"{CASE}{line}\n" for line in lines))
    different = run("--compare", *map(str, files))
    assert [line for line in different.stdout.splitlines() if not line.startswith(" ")] == TOLD
    assert f"    {CASE}into(add, x, y)\n" in different.stdout
    assert different.returncode == 1
    same = run("--compare", str(files[0]), str(files[0]))
    assert (same.returncode, same.stdout) == (0, "5 cases before, 5 after, 0 differ\n")
