"""docs/architecture.md: every step of the way of a call is a file and a function, and no way has more than ten."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

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
    for name in [function, *re.findall(r"`(\w+)`", said)]:
        assert re.search(rf"\b{name}\b", text), f"{way}, step {number}: {file} has no {name}"


@pytest.mark.parametrize("way", WAYS)
def test_ways_are_short(way: str) -> None:
    numbers = [int(number) for other, number, *_ in STEPS if other == way]
    assert numbers == list(range(1, len(numbers) + 1))
    assert 0 < len(numbers) <= 10


def test_what_is_described() -> None:
    assert len(WAYS) == 10


def test_paths_of_the_text_exist() -> None:
    for path in re.findall(r"`((?:native|src|tests)/[\w/.]+)`", PAGE):
        assert (ROOT / path).exists(), path
