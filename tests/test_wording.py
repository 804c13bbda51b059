"""The checks of wording find comments of all forms, first words that are not a subject, and joined lines of Chinese."""

from __future__ import annotations

import ast

import pytest

import wording

pytestmark = pytest.mark.one_level

PYTHON = '''"""What this is."""
# Of two lines,
# one comment.
x = "# none"  # those
# noqa: F401


def f() -> None:
    """Return nothing."""
'''
NATIVE = """// Whether it is.
// Still the same.
int x = 0;  // of y
const char* s = "http://none";
/* The same,
 * in two lines. */
"""


def test_docstrings_are_found() -> None:
    found = list(wording.docstrings("f.py", ast.parse(PYTHON)))
    assert [(text.line, text.words) for text in found] == [(1, "What this is."), (9, "Return nothing.")]


def test_comments_are_found() -> None:
    python = list(wording.python_comments("f.py", PYTHON))
    assert [(text.line, text.words) for text in python] == [(2, "Of two lines, one comment."), (4, "those")]
    native = list(wording.native_comments("f.cpp", NATIVE))
    assert [(text.line, text.words) for text in native] == [
        (1, "Whether it is. Still the same."),
        (3, "of y"),
        (5, "The same, in two lines."),
    ]


@pytest.mark.parametrize("word", ["What", "Whether", "Of", "Those", "That", "The same"])
def test_words_without_a_subject(word: str) -> None:
    assert wording.WITHOUT_SUBJECT.match(f"{word} is told")
    assert not wording.WITHOUT_SUBJECT.match(f"A test {word.lower()} tells")
    assert not wording.WITHOUT_SUBJECT.match("Offsets of elements")


@pytest.mark.parametrize(("text", "bad"), [
    ("这是一行\n又一行", True),
    ("这是一行，\nNumPy 的", True),
    ("见 NumPy\n，又一行", True),
    ("这是 NumPy\n的数组", False),
    ("这是一行\n\n又一段", False),
    ("这是一行：\n\n- 列表\n- 列表", False),
    ("这是一行：\n```sh\nls\n```", False),
])  # fmt: skip
def test_joined_chinese(text: str, bad: bool) -> None:
    assert bool(wording.JOINED.search(text)) == bad
