"""Checks of the first words of docstrings and comments, and of joined lines of Chinese, for `tests/house.py`.

A sentence names its subject with a noun. Docstrings and comments that begin with one of the words below have no noun as
their subject. Most of these texts are fragments of a sentence that only the neighbouring code completes.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
FOLDERS = ("src", "native", "tests", "tools", "benchmarks", "examples", "docs", "kit")
WITHOUT_SUBJECT = re.compile(
    r"(?:what|whether|of|those|that|the same|how|why|which|who|whose)\b",
    re.IGNORECASE,  # a comment behind code may begin with a small letter
)
# Comments that tools read, and the lines that generators write.
DIRECTIVE = re.compile(r"!|noqa|type: ignore|fmt:|ruff|mypy|pragma|NOLINT|clang-format|-\*-")
GENERATED = re.compile(r"_core\.pyi$|^native/math/coefficients/\w+\.h$")


class Text(NamedTuple):
    """The place and the words of a docstring or a comment."""

    file: str
    line: int
    words: str


def docstrings(file: str, tree: ast.Module) -> Iterator[Text]:
    """Yield the docstrings of a module, its classes and its functions."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            words = ast.get_docstring(node)
            if words:
                yield Text(file, node.body[0].lineno, words)


def joined(file: str, lines: list[tuple[int, str, bool]]) -> Iterator[Text]:
    """Join comments on adjacent lines.

    Each item of `lines` has a comment's line and text, and True if no code precedes the comment on the line.
    """
    text: Text | None = None
    last = 0
    for number, words, alone in lines:
        if text is not None and alone and number == last + 1:
            text = text._replace(words=f"{text.words} {words}".strip())
        else:
            if text is not None:
                yield text
            text = Text(file, number, words)
        # A comment behind code ends on its line. A comment on the next line is another comment.
        last = number if alone else 0
    if text is not None:
        yield text


def python_comments(file: str, source: str) -> Iterator[Text]:
    """Return the comments of a Python module."""
    lines = []
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        words = token.string.lstrip("#").strip()
        if token.type == tokenize.COMMENT and not DIRECTIVE.match(words):
            lines.append((token.start[0], words, token.line.lstrip().startswith("#")))
    return joined(file, lines)


def native_comments(file: str, source: str) -> Iterator[Text]:
    """Return the comments of a C or C++ file, of both forms."""
    lines = []
    within = False
    for number, line in enumerate(source.splitlines(), start=1):
        # Blanks precede a comment behind code, unlike the slashes of an address in a string.
        found = re.search(r"(?:^|\s)(?://+|/\*+)[!<]?(.*)$", line) if not within else re.match(r"\s*\*?(.*)$", line)
        if found and not DIRECTIVE.match(found[1].strip()):
            alone = within or re.match(r"\s*(?://|/\*)", line) is not None
            lines.append((number, found[1].replace("*/", "").strip(), alone))
        within = (within or re.search(r"(?:^|\s)/\*", line) is not None) and "*/" not in line
    return joined(file, lines)


def texts(kind: str) -> Iterator[Text]:
    """Yield all texts of a kind: "docstrings", "Python comments" or "native comments"."""
    suffixes = {".cpp", ".h", ".c"} if kind == "native comments" else {".py"}
    for path in sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.suffix in suffixes):
        file = path.relative_to(ROOT).as_posix()
        if GENERATED.search(file) or "/_build/" in file:
            continue
        source = path.read_text(encoding="utf-8")
        if kind == "docstrings":
            yield from docstrings(file, ast.parse(source))
        elif kind == "Python comments":
            yield from python_comments(file, source)
        else:
            yield from native_comments(file, source)


def without_subject() -> Iterator[str]:
    """Yield docstrings and comments whose first word is not a subject."""
    for kind in ("docstrings", "Python comments", "native comments"):
        for text in texts(kind):
            if WITHOUT_SUBJECT.match(text.words):
                yield f"{text.file}:{text.line}: {text.words[:90]}"


CHINESE, MARKS = r"[\u3000-\u303f\u4e00-\u9fff\uff00-\uffef]", r"[\u3000-\u303f\uff00-\uffef]"
# A line break between Chinese characters, or between a Chinese punctuation mark and text that begins no Markdown block.
JOINED = re.compile(rf"{CHINESE}\n[ >]*(?={CHINESE})|{MARKS}\n[ >]*(?=[A-Za-z\[]|`[^`])|[\w)`]\n[ >]*(?={MARKS})")


def joined_chinese() -> Iterator[str]:
    """Yield Chinese lines that continue on the next line. Markdown and HTML show a blank between the two lines."""
    pages = [*ROOT.glob("*.md"), *(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.md"))]
    for path in sorted(page for page in pages if "_build" not in page.parts):
        text = path.read_text(encoding="utf-8")
        for found in JOINED.finditer(text):
            line = text.count("\n", 0, found.start()) + 1
            yield f"{path.relative_to(ROOT).as_posix()}:{line}: {text.splitlines()[line - 1][-40:]}"
