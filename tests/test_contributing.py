"""The worked example of CONTRIBUTING.md fits the sources: its patch applies, and is as small as the text says."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

pytestmark = pytest.mark.one_level

ROOT = Path(__file__).parents[1]


def patched() -> dict[str, str]:
    """The files of the example as they are after it, by their paths."""
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
