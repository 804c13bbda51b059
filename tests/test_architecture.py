"""docs/architecture.md lists every room, and the file and function of each step. No path has more than ten steps."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from house import unlisted_rooms

pytestmark = pytest.mark.one_level

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
STEP = re.compile(r"^(\d+)\. `([^`]+)`: `([^`]+)`(.*)$", re.MULTILINE)
WAYS = dict(re.findall(r"^### (.+?)\n(.*?)(?=^#|\Z)", PAGE, re.MULTILINE | re.DOTALL))
STEPS = [(way, *step.groups()) for way, text in WAYS.items() for step in STEP.finditer(text)]


@pytest.mark.parametrize(("way", "number", "file", "function", "said"), STEPS, ids=[f"{s[0]} {s[1]}" for s in STEPS])
def test_steps_exist(way: str, number: str, file: str, function: str, said: str) -> None:
    path = ROOT / file
    assert path.is_file(), f"{way}, step {number}: there is no {file}"
    text = path.read_text(encoding="utf-8")
    assert is_defined(function, text, python=path.suffix == ".py"), f"{way}, step {number}: {file} has no {function}"
    for name in re.findall(r"`(\w+)`", said):
        assert re.search(rf"\b{name}\b", text), f"{way}, step {number}: {file} has no {name}"


def is_defined(name: str, text: str, *, python: bool) -> bool:
    """Return whether a source text defines a function, a class or, in a binding, a builtin of a given name."""
    if python:
        return bool(re.search(rf"^ *(?:def|class) {name}\b", text, re.MULTILINE))
    head = rf"^(?! *(?:return|//|if|for|while)\b)[^\n=;]*?(?:[\w>&*] [*&]?|::){name}[(<][^\n;]*$"
    line = rf"^[^\n=;]*[\w>] {name}\([^\n;]*\) \{{.*\}}$"
    builtin = rf"\bdefine\w*\(m, \"{name}\""
    kind = rf"^ *(?:struct|class|enum class) {name}\b"
    return any(re.search(pattern, text, re.MULTILINE) for pattern in (head, line, builtin, kind))


@pytest.mark.parametrize("way", WAYS)
def test_ways_are_short(way: str) -> None:
    numbers = [int(number) for other, number, *_ in STEPS if other == way]
    assert numbers == list(range(1, len(numbers) + 1))
    assert 0 < len(numbers) <= 10


def test_the_list_names_every_room() -> None:
    assert list(unlisted_rooms()) == []


def test_paths_of_the_text_exist() -> None:
    for path in re.findall(r"`((?:native|src|tests)/[\w/.]+)`", PAGE):
        assert (ROOT / path).exists(), path
