"""README.md and docs/ are true: examples print the shown results, commands run, and links and names exist."""

from __future__ import annotations

import csv
import doctest
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import suanzi
from suanzi import cli, tuning
from suanzi.cli.main import _parser
from suanzi.interop.onnx import table

pytestmark = pytest.mark.one_level

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
BUILT = DOCS / "_build"  # docs/build.py writes this folder
PAGES = sorted(page for page in (*ROOT.glob("*.md"), *DOCS.rglob("*.md")) if BUILT not in page.parents)
# Pages for readers, with examples. Scripts write the measurements in docs/results/. tests/site/test_translations.py
# checks that the examples in docs/zh/ equal the English pages' examples.
WRITTEN = [page for page in PAGES if DOCS / "results" not in page.parents]
WITH_EXAMPLES = [page for page in WRITTEN if DOCS / "zh" not in page.parents]


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


def blocks(text: str, language: str) -> Iterator[str]:
    """Yield the code blocks of a page that are in the given language."""
    for found in re.finditer(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        yield found[1]


def slug(heading: str) -> str:
    """Return the anchor that GitHub makes for a heading."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


@pytest.fixture
def beside_the_examples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Change to a folder with the repository's examples. After the test, restore threads and memory limits."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    threads, before = suanzi.get_num_threads(), suanzi.memory.statistics()
    yield
    suanzi.set_num_threads(threads)
    suanzi.memory.set_limit(before["limit"])
    suanzi.memory.set_cache_limit(before["cache_limit"])


@pytest.mark.usefixtures("beside_the_examples")
@pytest.mark.parametrize("page", WITH_EXAMPLES, ids=name_of)
def test_examples(page: Path) -> None:
    """All examples of a page run one after the other, as in one session of Python."""
    text = page.read_text(encoding="utf-8")
    run, shown = blocks(text, "python"), blocks(text, "diff")
    assert text.count(">>> ") == sum(block.count(">>> ") for block in (*run, *shown))
    session = "\n".join(blocks(text, "python"))
    test = doctest.DocTestParser().get_doctest(session, {}, name_of(page), str(page), 0)
    runner = doctest.DocTestRunner(optionflags=doctest.REPORT_NDIFF | doctest.ELLIPSIS)
    result = runner.run(test)
    assert result.failed == 0


def test_the_guide_has_examples() -> None:
    for page in (ROOT / "README.md", DOCS / "guide.md", DOCS / "coming-from.md"):
        assert ">>> " in page.read_text(encoding="utf-8")


@pytest.mark.usefixtures("beside_the_examples")
@pytest.mark.parametrize("page", WITH_EXAMPLES, ids=name_of)
def test_commands(page: Path) -> None:
    """The shell commands of a page that begin with `suanzi` succeed."""
    for block in blocks(page.read_text(encoding="utf-8"), "sh"):
        for line in block.splitlines():
            if line.startswith("suanzi ") and not ("--check" in line and find_spec("onnxruntime") is None):
                assert cli.main(shlex.split(line, comments=True)[1:]) == 0, line


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links(page: Path) -> None:
    """Links lead to existing files of the repository, and to existing headings."""
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
        if re.match(r"\w+:", target):
            continue
        file, _, anchor = target.partition("#")
        linked = (page.parent / file).resolve() if file else page
        assert linked.exists(), target
        if anchor:
            headings = re.findall(r"^#+ (.*)$", linked.read_text(encoding="utf-8"), re.MULTILINE)
            assert anchor in map(slug, headings), target


def test_every_page_is_in_the_index() -> None:
    index = (DOCS / "README.md").read_text(encoding="utf-8")
    written = [page for page in PAGES if DOCS in page.parents and DOCS / "site" not in page.parents]
    pages = {str(page.relative_to(DOCS)) for page in written} - {"README.md"}
    assert pages == set(re.findall(r"\]\(([\w/-]+\.md)\)", index))


@pytest.mark.parametrize("page", WRITTEN, ids=name_of)
def test_names_exist(page: Path) -> None:
    """Every `sz.name` in a page exists in `suanzi`."""
    for name in re.findall(r"\bsz\.([A-Za-z_][\w.]*\w|[A-Za-z])", page.read_text(encoding="utf-8")):
        found: Any = suanzi
        for part in name.split("."):
            assert hasattr(found, part), f"sz.{name}"
            found = getattr(found, part)


def test_the_numbers_of_onnx_models() -> None:
    text = (DOCS / "onnx.md").read_text(encoding="utf-8").replace("\n  ", " ")
    assert f"{tuning.MOST_NODES} nodes" in text
    assert f"{tuning.MOST_BYTES >> 20} MiB" in text
    assert f"counts as {tuning.OF_ONNX[0]} nodes" in text
    assert f"over at most {tuning.MOST_LEVELS} levels" in text
    assert f"at most {tuning.MOST_NUMBERS} elements" in text
    assert f"{len(table.TABLE)} operators" in text
    assert f"over at most {tuning.MOST_NESTED} levels" in text
    assert f"at most {tuning.MOST_REPEATED} calls" in text
    assert f"at most {tuning.MOST_PARTS} parts" in text


def bare(code: str) -> str:
    return re.sub(r" +#.*", "", code)


def test_the_chinese_readme() -> None:
    """The Chinese README has the English README's commands, code, numbers, links and headings, in the same order."""
    english, chinese = ((ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "README.zh.md"))
    for language in ("sh", "python"):
        assert [*map(bare, blocks(english, language))] == [*map(bare, blocks(chinese, language))]
    links, heading, cells = r"\]\(([^)]+)\)", r"^(#+) ", r"(?<=\| )[\d.⁰-⁹× ]+(?: [num]?s)?(?= \|)"
    in_english = re.findall(links, chinese.replace("](docs/zh/", "](docs/"))
    assert re.findall(links, english)[1:] == in_english[1:]
    assert re.findall(heading, english, re.MULTILINE) == re.findall(heading, chinese, re.MULTILINE)
    assert re.findall(cells, english) == re.findall(cells, chinese) != []
    assert re.findall(r"<!-- .* -->", english) == re.findall(r"<!-- .* -->", chinese)
    assert (re.findall(links, english)[0], re.findall(links, chinese)[0]) == ("README.zh.md", "README.md")


def rows(text: str, first: str) -> list[list[str]]:
    """Return the rows of the table whose header begins with the word `first`, with the header as the first row."""
    table = re.search(rf"^\| {first} \|.*\n(?:\|.*\n)+", text, re.MULTILINE)
    assert table
    lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in table[0].splitlines()]
    return [lines[0], *lines[2:]]


def test_the_numbers_of_the_readme() -> None:
    """The rows of times in the README are rows of docs/results/speed.md, to which the README refers."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    header, *shown = rows(readme, "operator")
    measured, *cells = rows((DOCS / "results" / "speed.md").read_text(encoding="utf-8"), "operator")
    at = {"Suanzi": "suanzi", "NumPy": "numpy", "PyTorch": "torch", "SciPy": "scipy"}
    columns = [measured.index(at.get(name, name)) for name in header]
    known = [[cell[column] for column in columns] for cell in cells]
    assert len(shown) > 10
    assert [row for row in shown if row not in known] == []
    assert "](docs/results/speed.md)" in readme


def test_pages_of_results_are_short() -> None:
    """Pages of results have no long tables. Long tables are .csv files, to which a page has a link."""
    script = [sys.executable, ROOT / "tools" / "results.py", "--check"]
    done = subprocess.run(script, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")
    for file in (DOCS / "results").glob("*.csv"):
        pages = (page.read_text(encoding="utf-8") for page in (DOCS / "results").glob("*.md"))
        assert any(f"]({file.name})" in text for text in pages), file.name
        with file.open(encoding="utf-8", newline="") as rows_of_file:
            header, *cells = csv.reader(rows_of_file)
        assert cells
        assert {len(row) for row in cells} == {len(header)}, file.name


RESULTS = sorted((DOCS / "results").glob("*.md"))


@pytest.mark.parametrize("page", RESULTS, ids=lambda page: page.name)
def test_a_table_can_be_measured_again(page: Path) -> None:
    """Each page of results names an existing command that wrote the page, and the index of docs/ lists the page."""
    text = " ".join(page.read_text(encoding="utf-8").split())
    scripts = r"(?:python )?(?:benchmarks|tools)/[\w/]+\.py[^`]*|python tests/[\w/]+(?:\.py)? [^`]*"
    command = re.search(rf"`({scripts}|suanzi bench[^`]*)`", text)
    assert command, "no script"
    words = command[1].removeprefix("python ").split()
    options = [word for word in words if word.startswith("--")]
    if words[0] == "suanzi":
        parser = _parser()
        parser.parse_args(shlex.split(command[1])[1:])
    else:
        script = ROOT / words[0]
        source = (script / "__main__.py" if script.is_dir() else script).read_text(encoding="utf-8")
        assert [option for option in options if f'"{option}"' not in source] == []
    assert f"(results/{page.name})" in (DOCS / "README.md").read_text(encoding="utf-8")
