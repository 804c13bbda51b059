"""docs/architecture.md: it lists every room; every step of a way is a file and a function, no way has more than ten."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from house import Room, rooms

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
    assert len(WAYS) == 9


ROOMS = rooms()
CODE = (".py", ".cpp", ".h")


def test_the_list_names_every_room() -> None:
    files = [path for top in ("src/suanzi", "native") for path in (ROOT / top).rglob("*") if path.suffix in CODE]
    folders = {path.parent.relative_to(ROOT).as_posix() for path in files} - {"src/suanzi", "native"}
    modules = {path.relative_to(ROOT).with_suffix("").as_posix() for path in (ROOT / "src" / "suanzi").glob("*.py")}
    assert folders | modules <= {room.path for room in ROOMS}


@pytest.mark.parametrize("room", ROOMS, ids=[room.path for room in ROOMS])
def test_rooms_exist(room: Room) -> None:
    path = ROOT / room.path
    assert path.is_dir() or path.with_suffix(".py").is_file()


def test_paths_of_the_text_exist() -> None:
    for path in re.findall(r"`((?:native|src|tests)/[\w/.]+)`", PAGE):
        assert (ROOT / path).exists(), path
