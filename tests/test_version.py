"""Three files state the version, because none of the files can read another. No other file states the version."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

import suanzi
from suanzi.conformance.version import __version__ as kit

pytestmark = pytest.mark.one_level

ROOT = Path(__file__).parents[1]


def test_the_files_agree() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["version"] == suanzi.__version__ == kit


def test_the_changelog_begins_with_it() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    headings = re.findall(r"^## (\S+)", text, re.MULTILINE)
    assert headings[0] == suanzi.__version__
    newest = text.split("\n## ")[1]
    assert len(newest.split()) < 800
