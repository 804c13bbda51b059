"""`suanzi bench` times libraries in separate processes, repeats cases that miss a goal, and compares saved results."""

from __future__ import annotations

import json
import platform
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import suanzi
from suanzi.bench import Asked, Cell, Results, Run, compare
from suanzi.bench.markdown import write
from suanzi.bench.timing import Timer, human
from suanzi.cli.main import main
from suanzi.conformance.report.data import processor_of

pytestmark = pytest.mark.one_level

ADD = Asked("add", "", 100, "float32")


def test_a_call_that_waits_takes_as_long() -> None:
    assert 0.01 <= Timer(lambda: time.sleep(0.01)).turn() < 1


def test_a_batch_that_does_not_count_goes_before_each() -> None:
    calls = 0

    def call() -> None:
        nonlocal calls
        calls += 1
        time.sleep(0.003)

    timer = Timer(call)
    assert calls == 2
    timer.turn()
    assert calls == 4


def test_a_long_call_is_not_repeated_without_need() -> None:
    calls = 0

    def call() -> None:
        nonlocal calls
        calls += 1
        time.sleep(0.26)

    timer = Timer(call)
    assert timer.turn() >= 0.26
    assert calls == 2
    assert timer.turn() >= 0.26
    assert calls == 3


def test_durations_as_a_person_reads_them() -> None:
    assert [human(x) for x in (2.0, 0.0123, 4.5e-6, 6e-8)] == ["2 s", "12.3 ms", "4.5 us", "60 ns"]


def test_libraries_are_timed_beside_each_other() -> None:
    with Run(["suanzi", "numpy"], rounds=1) as run:
        cells = list(run.measure([ADD, Asked("topk", "k = 50", 100, "float32")]))
    assert run.results.cells == cells
    assert [set(cell.seconds) for cell in cells] == [{"suanzi", "numpy"}, {"suanzi"}]
    assert all(0 < seconds < 1 for cell in cells for seconds in cell.seconds.values())
    assert list(run.results.libraries.items()) == [("suanzi", suanzi.__version__), ("numpy", np.__version__)]
    assert {"processor", "simd", "threads"} <= set(run.results.environment)


def test_a_process_that_ends_is_started_again() -> None:
    with Run(["suanzi"], rounds=1) as run:
        run._timed[0]._process._process.kill()
        lost, found = run.measure([ADD, ADD])
    assert lost.seconds == {}
    assert set(found.seconds) == {"suanzi"}


def test_what_misses_is_measured_again(monkeypatch: pytest.MonkeyPatch) -> None:
    times = iter([3.0, 2.0, 1.1, 0.5, 0.4])

    def measured(self: Run, asked: Asked) -> Cell:
        ours = 0.5 if asked.size == 1 else next(times)
        seconds = {"suanzi": ours, "numpy": 1.0}
        return Cell(asked.operator, asked.variant, asked.size, asked.element_type, seconds, asked.goal)

    monkeypatch.setattr(Run, "_measured", measured)
    with Run(["suanzi"]) as run:
        run.results.libraries["numpy"] = "2"
        list(run.measure([ADD._replace(size=1), ADD._replace(goal=1.0)]))
        (again,) = run.measure_again()
    assert again.seconds["suanzi"] == 1.1
    assert again.misses("suanzi")
    assert [cell.seconds["suanzi"] for cell in run.results.cells] == [0.5, 1.1]


@pytest.mark.parametrize("goal", [None, 0.4])
def test_what_is_near_its_bound_on_either_side_is_measured_again(
    goal: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Cases above or near their bound are measured again, because noise may have decided the first result."""
    bound = goal or 1.0
    first = {1: 0.5, 2: 0.79, 3: 0.81, 4: 0.99, 5: 1.01, 6: 4.0}
    seen: list[int] = []

    def measured(self: Run, asked: Asked) -> Cell:
        seen.append(asked.size)
        ours = first[asked.size] if seen.count(asked.size) == 1 else 1.1
        return Cell("add", "", asked.size, "float32", {"suanzi": ours * bound, "numpy": 1.0}, asked.goal)

    monkeypatch.setattr(Run, "_measured", measured)
    with Run(["suanzi"]) as run:
        list(run.measure(ADD._replace(size=size, goal=goal) for size in first))
        again = [cell.size for cell in run.measure_again()]
    assert again == [3, 4, 5, 6]
    assert [seen.count(size) for size in first] == [1, 1, 5, 5, 5, 5]
    assert [cell.misses("suanzi") for cell in run.results.cells] == [False, False, True, True, True, True]


def results(*seconds: tuple[str, float, float], goal: float | None = None) -> Results:
    cells = [Cell(name, "", 1000, "float32", {"suanzi": ours, "numpy": theirs}, goal) for name, ours, theirs in seconds]
    facts = {"processor": "one", "simd": "avx2", "threads": "2", "python": "3"}
    return Results(facts, {"suanzi": "1", "numpy": "2"}, "now", cells)


def test_means_by_category() -> None:
    found = results(("add", 1.0, 2.0), ("multiply", 2.0, 1.0), ("sin", 1.0, 4.0), ("sort", 1.0, 2.0))
    assert list(found.means()) == [
        ("arithmetic", "算术操作", 2, pytest.approx(1.0)),
        ("trigonometric", "三角函数", 1, pytest.approx(0.25)),
        ("index", "索引操作", 1, pytest.approx(0.5)),
    ]


def test_goals() -> None:
    (cell,) = results(("add", 1.0, 2.0), goal=0.4).cells
    assert cell.misses("suanzi")
    assert not replace(cell, goal=0.5).misses("suanzi")
    assert not replace(cell, goal=None).misses("suanzi")
    assert not replace(cell, seconds={"suanzi": 1.0}).misses("suanzi")


@pytest.mark.parametrize(
    ("description", "name"),
    [
        (
            "processor\t: 0\ncpu family\t: 25\nmodel\t\t: 1\nmodel name\t: AMD EPYC\n\nprocessor\t: 1\n",
            "AMD EPYC (family 25, model 1)",
        ),
        ("processor\t: 0\nmodel name\t: ARMv7 Processor rev 4\n\n", "ARMv7 Processor rev 4"),
        ("processor\t: 0\nBogoMIPS\t: 50\n\n", platform.processor() or "unknown processor"),
        ("", platform.processor() or "unknown processor"),
    ],
)
def test_processors_of_every_maker(description: str, name: str) -> None:
    assert processor_of(description) == name


def test_what_is_slowed_by_a_maker() -> None:
    found = results(("add", 1.0, 2.0))
    found.libraries["torch"] = "3"
    assert found.slowed == []
    found.environment["processor"] = "AMD EPYC"
    assert found.slowed == ["torch"]


def test_a_document(tmp_path: Path) -> None:
    found = results(("add", 3.0, 2.0), ("sin", 1.0, 4.0), goal=1.0)
    found.cells.append(Cell("topk", "k = 50", 1000, "float32", {"suanzi": 2e-6}))
    write(found, tmp_path / "speed.md")
    lines = (tmp_path / "speed.md").read_text(encoding="utf-8").splitlines()
    assert (
        "The processor is one at SIMD level avx2, and each library used 2 threads. The versions are suanzi 1, numpy 2, "
        "Python 3."
    ) in lines
    assert "Of 2 cells, 1 are slower than the fastest other library:" in lines
    assert "- add of 1,000 elements in float32 takes 1.50 times the time of numpy" in lines
    assert "| trigonometric (三角函数) | 1 | 0.25 |" in lines
    assert "| all | 2 | 0.61 |" in lines
    assert "| add | float32 | 1,000 | 3 s | 2 s | 1.50 | 1.0 | missed |" in lines
    assert "| topk (k = 50) | float32 | 1,000 | 2 us | - |  |  |  |" in lines


def test_what_changed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = tmp_path / "before", tmp_path / "after"
    olds, news = results(("add", 1.0, 2.0), ("sin", 1.0, 1.0)), results(("add", 1.5, 2.0), ("sin", 0.5, 1.0))
    olds.cells += [replace(olds.cells[0], variant="sparse"), replace(olds.cells[1], operator="cos")]
    news.cells += [replace(news.cells[0], variant="quantized")]
    olds.save(files[0])
    news.save(files[1])
    before, after = map(Results.load, files)
    assert [(cell.name, ratio) for cell, ratio in compare(before, after)] == [("add", 1.5), ("sin", 0.5)]
    assert main(["bench", "--compare", *map(str, files)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["add", "1000", "float32", "1.50", "times", "as", "long"]
    assert lines[-1] == "1 of 2 cells take more than 1.10 times as long; geometric mean 0.866"
    assert main(["bench", "--compare", str(files[0]), str(files[0])]) == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nosuch"], "nosuch: not an operator"),
        (
            ["float32", "--list"],
            "float32: not an operator that is timed, a category or an element type; is --types float32 meant?",
        ),
        (["reduction", "--list"], "; is --category reduction meant?"),
        (["--category", "reduktion"], "; is reduction meant?"),
        (["add", "--types", "float8"], "float8: not an operator that is timed, a category or an element type"),
        (["add", "--plot", "x.foo"], "bench: x.foo cannot be drawn: the name of a picture must end in one of"),
        (["add", "--against", "nobody"], "'nobody' is not a provider"),
        (["destroy"], "destroy: not timed: a tensor is destroyed once"),
        (["floor", "--types", "complex64"], "nothing to time"),
        (["floor", "--goals"], "nothing to time"),
        (["--compare", "nosuch", "nosuch"], "nosuch"),
    ],
)
def test_what_cannot_be_timed(arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", *arguments]) == 2
    assert words in capsys.readouterr().err


def test_a_process_that_never_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The process of a library may end before the first answer, for example because the system refuses threads."""
    (tmp_path / "ending.py").write_text("import os\nos._exit(3)\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert main(["bench", "add", "--sizes", "10", "--rounds", "1", "--against", "ending:Library"]) == 2
    assert capsys.readouterr().err == "bench: ending:Library: the process ended with status 3\n"


@pytest.mark.parametrize(
    ("option", "value"),
    [
        *[(option, value) for option in ("--rounds", "--threads") for value in ("0", "-1", "1.5", "many")],
        *[("--sizes", value) for value in ("0", "1.5", "abc", "10,,-1", "inf")],
    ],
)
def test_numbers_that_are_none(option: str, value: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as raised:
        main(["bench", "add", f"{option}={value}"])
    assert raised.value.code == 2
    kind = "list of whole numbers" if option == "--sizes" else "whole number"
    assert f"argument {option}: '{value}' is not a {kind} above 0" in capsys.readouterr().err


def test_files_of_another_sort(tmp_path: Path) -> None:
    cell = {"operator": "add", "size": 1, "element_type": "float32", "seconds": {}}
    old = {"format": "1.0", "environment": {}, "libraries": {}, "started": "", "cells": [cell]}
    for text in ("", "[]", "{}", json.dumps(old), json.dumps({"format": "2.0", "cells": 3})):
        file = tmp_path / "file"
        file.write_text(text)
        with pytest.raises(ValueError, match="not a file that `suanzi bench --save` wrote"):
            Results.load(file)


CELL = {"operator": "add", "variant": "", "size": 1, "element_type": "float32", "seconds": {"suanzi": 1e-6}}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *[(name, value) for name in ("libraries", "environment") for value in (None, 3, "x", [{}], {"a": 1})],
        ("libraries", {}),
        *[("started", value) for value in (None, 3, [])],
        *[("cells", value) for value in (None, {"a": 1}, [None], [{}])],
        *[("cells", [{**CELL, "seconds": value}]) for value in (None, [1.0], {"suanzi": "1"}, {"suanzi": -1.0})],
        *[("cells", [{**CELL, key: []}]) for key in CELL],
        ("cells", [{**CELL, "goal": "1"}]),
    ],
)
def test_saved_files_with_values_of_another_sort(
    name: str, value: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good, bad = tmp_path / "good", tmp_path / "bad"
    data = {"format": "2.0", "environment": {}, "libraries": {"suanzi": "1"}, "started": "", "cells": [CELL]}
    good.write_text(json.dumps(data))
    bad.write_text(json.dumps({**data, name: value}))
    assert main(["bench", "--compare", str(good), str(good)]) == 0
    for pair in ((good, bad), (bad, good)):
        assert main(["bench", "--compare", *map(str, pair)]) == 2
        assert f"{bad}: not a file that `suanzi bench --save` wrote (" in capsys.readouterr().err


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    saved, picture, document = (tmp_path / name for name in ("saved", "picture.png", "document.md"))
    asked = ["sqrt", "sin", "--sizes", "10,100", "--types", "float32", "--rounds", "1", "--against", "numpy"]
    files = ["--save", str(saved), "--plot", str(picture), "--markdown", str(document)]
    assert main(["bench", *asked, *files]) == 0
    out = capsys.readouterr().out
    cells = [line.split()[0] for line in out.partition("measured again")[0].splitlines() if "float32" in line]
    assert cells == ["sqrt", "sqrt", "sqrt", "sqrt", "sin", "sin"]  # sqrt also has cases with `out=`
    assert "三角函数" in out
    assert out.endswith(f"\nsaved to {saved}, {document}, {picture}\n")
    assert len(Results.load(saved).cells) == 6
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert document.read_text(encoding="utf-8").count("| sin | float32 |") == 2


def test_goals_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "add", "--sizes", "4", "--goals", "--rounds", "1", "--against", "numpy"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[-1] for line in lines if line.startswith("operator")] == ["goal"]
    assert all(line.split()[-2:-1] == ["0.6"] for line in lines if line.startswith("add"))


def test_a_list(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "topk", "fft.ifft", "--list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["topk", "(k", "=", "50)", "float32", "1,000"]
    assert lines[2].endswith("10,000,000  goal 0.5")
    assert lines[-1].split() == ["fft.ifft", "complex64", "100,000"]
