"""`suanzi bench` times every case that it has, in processes of their own, and compares what it saved."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import suanzi
from suanzi.bench import CASES, Cell, Results, compare, measure, sizes_of
from suanzi.bench.cases import call_of
from suanzi.bench.worker import prepared, seconds_of
from suanzi.cli.main import main
from suanzi.conformance import Suanzi
from suanzi.operators.catalogue import CATALOGUE


@pytest.mark.parametrize("operator", CASES)
def test_each_case_runs(operator: str) -> None:
    assert operator in CATALOGUE
    call = prepared(Suanzi(), operator, 36, "float32")
    assert call is not None
    call()


def test_a_call_is_the_same_in_every_process() -> None:
    first, second = (call_of("where", 1000, "float64") for _ in range(2))
    assert all(np.array_equal(a, b) for a, b in zip(first.operands, second.operands, strict=True))


@pytest.mark.parametrize("element_type", ["float64", "int32", "complex64"])
def test_other_element_types(element_type: str) -> None:
    for operator in ("add", "multiply", "reduce", "concat", "matmul"):
        call = prepared(Suanzi(), operator, 100, element_type)
        assert call is not None
        assert call().dtype.name in (element_type, "int64")


def test_an_operator_or_a_type_that_a_library_lacks() -> None:
    assert prepared(Suanzi(), "add", 10, "float128") is None


def test_a_call_that_waits_takes_as_long() -> None:
    import time

    assert 0.01 <= seconds_of(lambda: time.sleep(0.01), 0.0) < 1


def test_libraries_are_timed_beside_each_other() -> None:
    *_, results = measure(["suanzi", "numpy"], [("add", 100, "float32"), ("bilinear", 1, "float32")][:1], rounds=1)
    (cell,) = results.cells
    assert set(cell.seconds) == {"suanzi", "numpy"}
    assert all(0 < seconds < 1 for seconds in cell.seconds.values())
    assert list(results.libraries.items()) == [("suanzi", suanzi.__version__), ("numpy", np.__version__)]


def results(*seconds: tuple[str, float, float]) -> Results:
    cells = [Cell(name, 1000, "float32", {"suanzi": ours, "numpy": theirs}) for name, ours, theirs in seconds]
    return Results({"processor": "one"}, {"suanzi": "1", "numpy": "2"}, "now", cells)


def test_means_by_category() -> None:
    found = results(("add", 1.0, 2.0), ("multiply", 2.0, 1.0), ("sin", 1.0, 4.0))
    assert list(found.means()) == [
        ("arithmetic", "算术操作", 2, pytest.approx(1.0)),
        ("trigonometric", "三角函数", 1, pytest.approx(0.25)),
    ]


def test_what_is_slowed_by_a_maker() -> None:
    found = results(("add", 1.0, 2.0))
    found.libraries["torch"] = "3"
    assert found.slowed == []
    found.environment["processor"] = "AMD EPYC"
    assert found.slowed == ["torch"]


def test_what_changed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = tmp_path / "before", tmp_path / "after"
    results(("add", 1.0, 2.0), ("sin", 1.0, 1.0), ("cos", 1.0, 1.0)).save(files[0])
    results(("add", 1.5, 2.0), ("sin", 0.5, 1.0), ("tan", 9.0, 1.0)).save(files[1])
    before, after = map(Results.load, files)
    assert [(cell.operator, ratio) for cell, ratio in compare(before, after)] == [("add", 1.5), ("sin", 0.5)]
    assert main(["bench", "--compare", *map(str, files)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["add", "1000", "float32", "1.50", "of", "before"]
    assert lines[-1] == "1 of 2 cells take more than 1.10 of before; geometric mean 0.866"
    assert main(["bench", "--compare", str(files[0]), str(files[0])]) == 0


def test_sizes() -> None:
    assert sizes_of("add") == [1, 1_000, 100_000, 10_000_000]
    assert max(sizes_of("svd")) < 10**6
    assert sizes_of("add", (5,)) == [5]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nosuch"], "nosuch: not an operator"),
        (["add", "--types", "float8"], "float8: not an operator, a category or an element type"),
        (["add", "--sizes", "0"], "a number of elements is at least 1"),
        (["add", "--against", "nobody"], "'nobody' is no provider"),
        (["destroy"], "destroy: not timed"),
        (["--compare", "nosuch", "nosuch"], "nosuch"),
    ],
)
def test_what_cannot_be_timed(arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", *arguments]) == 2
    assert words in capsys.readouterr().err


def test_files_of_another_sort(tmp_path: Path) -> None:
    for text in ("", "[]", "{}", json.dumps({"format": "0.1"}), json.dumps({"format": "1.0", "cells": 3})):
        file = tmp_path / "file"
        file.write_text(text)
        with pytest.raises(ValueError, match="not a file that `suanzi bench --save` wrote"):
            Results.load(file)


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    saved, picture = tmp_path / "saved", tmp_path / "picture.png"
    asked = ["add", "sin", "--sizes", "10,100", "--rounds", "1", "--against", "numpy"]
    assert main(["bench", *asked, "--save", str(saved), "--plot", str(picture)]) == 0
    out = capsys.readouterr().out
    assert [line.split()[0] for line in out.splitlines()[-8:-4]] == ["add", "add", "sin", "sin"]
    assert "算术操作" in out
    assert len(Results.load(saved).cells) == 4
    assert picture.read_bytes().startswith(b"\x89PNG")
