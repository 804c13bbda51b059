"""The worked example of CONTRIBUTING.md fits the sources, is as small as stated, and works in the whole library."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import suanzi

pytestmark = pytest.mark.one_level

ROOT = Path(__file__).parents[1]


def patched() -> dict[str, str]:
    """Apply the example's patch, and return the texts of the changed files by path."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    example = text.split("```diff\n")[1].split("```\n")[0]
    files = {}
    for part in re.split(r"^--- a/", example, flags=re.MULTILINE)[1:]:
        path, *hunks = re.split(r"^@@.*\n", part, flags=re.MULTILINE)
        path = path.splitlines()[0]
        source = (ROOT / path).read_text(encoding="utf-8")
        for hunk in hunks:
            lines = hunk.splitlines(keepends=True)
            before = "".join(line[1:] for line in lines if line[0] in " -")
            assert source.count(before) == 1, f"{path} has not, or not once:\n{before}"
            source = source.replace(before, "".join(line[1:] for line in lines if line[0] in " +"))
        files[path] = source
    return files


def test_the_worked_example_fits_the_sources() -> None:
    files = patched()
    assert 0 < len(files) <= 4
    for path, source in files.items():
        if path.endswith(".py"):
            ast.parse(source)


def test_the_worked_example_names_one_operator() -> None:
    (name,) = re.findall(r"^\+ +OP\((\w+),", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"), re.MULTILINE)
    for path, source in patched().items():
        assert re.search(rf"\b{name}\b", source), path
        assert not re.search(rf"\b{name}\b", (ROOT / path).read_text(encoding="utf-8")) or path.startswith("native")


# Operations of the core without a public function, one with two operands and one with a single operand. The example
# adds a public function for one of these operations, without changes to native files, which would have to be compiled.
BINARY, UNARY = "trunc_divide", "erf"
AS_UNARY = '''
@operator("F", UNARY, of="exp", zero="kept", core=_core.erf)
def erf(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """Error function."""
'''
CHECKS = Path(__file__).with_name("scratch_operators.py")


def scratch_copy(folder: Path) -> Path:
    """Copy Suanzi to a folder, and add two operators to the copy.

    The operator with two operands is the example, renamed to an existing operation of the core. The unary operator is
    `AS_UNARY`.
    """
    package = Path(suanzi.__file__).parent
    copy = folder / "suanzi"
    shutil.copytree(package, copy, ignore=shutil.ignore_patterns("__pycache__", "lib", "_core*.so"))
    for built in [*package.glob("_core*.so"), package / "lib"]:
        (copy / built.name).symlink_to(built)
    (name,) = re.findall(r"^\+ +OP\((\w+),", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"), re.MULTILINE)
    for path, text in patched().items():
        if path.endswith(".py"):
            renamed = re.sub(rf"\b{name}\b", BINARY, text).replace(
                f'of="maximum", zero="union", core=_core.{BINARY}',
                f'of="maximum", zero="quotient", core=_core.{BINARY}',
            )
            (folder / path.removeprefix("src/")).write_text(renamed, encoding="utf-8")
    with (copy / "operators" / "exponential.py").open("a", encoding="utf-8") as file:
        file.write(AS_UNARY)
    init = copy / "__init__.py"
    public = init.read_text(encoding="utf-8").replace("exponential import ", f"exponential import {UNARY}, ", 1)
    init.write_text(public, encoding="utf-8")
    # If one function of Suanzi computes an ONNX operator, the operator's row in the table has only the function's name.
    table = copy / "interop" / "onnx" / "table.py"
    text, count = re.subn(
        r'"Erf": \(Row\(erf, [^)]*\),\)', f'"Erf": (Row(suanzi.{UNARY}),)', table.read_text(encoding="utf-8")
    )
    assert count == 1
    table.write_text(text, encoding="utf-8")
    return folder


def test_a_new_operator_is_known_everywhere(tmp_path: Path) -> None:
    """After one declaration every part of Suanzi knows a new operator, as scratch_operators.py checks."""
    paths = [scratch_copy(tmp_path), ROOT / "docs" / "site"]
    done = subprocess.run(
        [sys.executable, CHECKS, BINARY, UNARY],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, paths))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
