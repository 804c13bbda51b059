"""Chinese documents have the parts of the English documents. The tutorial's cells compute the results shown in it."""

from __future__ import annotations

import ast
import contextlib
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from prose import left_in_english

pytestmark = pytest.mark.one_level

DOCS = Path(__file__).parents[2] / "docs"
TRANSLATED = sorted((DOCS / "zh").glob("*.md"))
LINK = r"\]\(([^)\s]+)\)"


def without_comments(code: str) -> str:
    return re.sub(r" +#.*", "", code)


def outline(text: str) -> dict[str, list[Any]]:
    """Return the parts of a document that a translation keeps: code, heading levels, linked files, sizes of tables."""
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)
    return {
        "code": [without_comments(block) for block in re.findall(r"^```.*?^```$", text, re.M | re.S)],
        "headings": re.findall(r"^(#+) ", prose, re.M),
        "links": [re.sub(r"^(\.\./|zh/)+|#.*", "", link) for link in re.findall(LINK, prose)],
        "rows": [line.count("|") for line in prose.splitlines() if line.startswith("|")],
    }


@pytest.mark.parametrize("page", TRANSLATED, ids=lambda page: page.name)
def test_a_translation_follows_its_document(page: Path) -> None:
    english = outline((DOCS / page.name).read_text(encoding="utf-8"))
    chinese = outline(page.read_text(encoding="utf-8"))
    for part, kept in english.items():
        assert sorted(chinese[part]) == sorted(kept) if part == "links" else chinese[part] == kept, part


@pytest.mark.parametrize("page", TRANSLATED, ids=lambda page: page.name)
def test_lines_of_chinese_are_not_broken(page: Path) -> None:
    """No line of Chinese text ends within a sentence, because browsers would show the line end as a space."""
    prose = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    wide = r"[\u3000-\u303f\u4e00-\u9fff\uff00-\uffef]"
    assert re.findall(rf"^.*{wide}\n *{wide}.*$", prose, re.M) == []
    assert re.findall(rf"{wide} {wide}", prose) == []


@pytest.mark.parametrize("page", [*TRANSLATED, DOCS.parent / "README.zh.md"], ids=lambda page: page.name)
def test_a_translation_has_no_english_sentence(page: Path) -> None:
    assert left_in_english(page.read_text(encoding="utf-8")) == []


def notebook(path: Path) -> list[dict[str, Any]]:
    cells: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return cells


def told(cell: dict[str, Any]) -> list[str]:
    """Return the texts that the notebook shows below a cell as results, without pictures."""
    outputs = [output.get("text") or output["data"]["text/plain"] for output in cell["outputs"]]
    return [text for output in outputs if not (text := "".join(output)).startswith("<Figure")]


def computed(code: str, names: dict[str, Any]) -> list[str]:
    """Run a cell's code. Return the printed text and the last expression's value, as a notebook would show them."""
    tree, printed = ast.parse(code), io.StringIO()
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, "cell", "exec"), names)
        value = eval(compile(ast.Expression(last.value), "cell", "eval"), names) if last else None
    shown = [] if value is None or hasattr(value, "savefig") else [repr(value)]
    return [text for text in (printed.getvalue(), *shown) if text]


def test_the_tutorial_runs() -> None:
    names: dict[str, Any] = {}
    for cell in notebook(DOCS / "tutorial.ipynb"):
        if cell["cell_type"] == "code":
            code = "".join(cell["source"])
            assert computed(code, names) == told(cell), code


def test_the_chinese_tutorial_has_the_same_cells() -> None:
    english, chinese = notebook(DOCS / "tutorial.ipynb"), notebook(DOCS / "zh" / "tutorial.ipynb")
    assert [cell["cell_type"] for cell in english] == [cell["cell_type"] for cell in chinese]
    for ours, theirs in zip(english, chinese, strict=True):
        if ours["cell_type"] == "code":
            assert (ours["source"], told(ours)) == (theirs["source"], told(theirs))
        else:
            assert left_in_english("".join(theirs["source"])) == []
