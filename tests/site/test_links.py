"""The check of links finds broken links, and the search cuts Chinese as its script in the browser does."""

from __future__ import annotations

from pathlib import Path

import pytest

from chinese_search import pairs
from links import broken

pytestmark = pytest.mark.one_level


def test_broken_links(tmp_path: Path) -> None:
    (tmp_path / "en").mkdir()
    (tmp_path / "a file.txt").write_text("", encoding="utf-8")
    (tmp_path / "index.html").write_text(
        '<a href="en/page.html#place"></a> <a class="x" href="a%20file.txt"></a> <a href="https://example.org/x"></a>'
        '<a href="#here"></a> <p id="here"></p> <a href="#not-here"></a> <img src="gone.png">'
        '<a href="en/gone.html"></a>',
        encoding="utf-8",
    )
    page = '<h1 id="place"></h1> <a href="../index.html#here">x</a> <a href="../index.html#gone">x</a>'
    (tmp_path / "en" / "page.html").write_text(page, encoding="utf-8")
    assert sorted(broken(tmp_path)) == [
        "en/page.html: ../index.html#gone",
        "index.html: #not-here",
        "index.html: en/gone.html",
        "index.html: gone.png",
    ]


def test_pairs_of_characters() -> None:
    assert pairs("求 float32 平方根，x1") == ["求", "float32", "平", "方", "根", "平方", "方根", "x1"]
