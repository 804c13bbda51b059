"""`suanzi run`: an ONNX model from the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import ModelProto

from interop.models import one_node, parsed
from suanzi.cli.main import main

SUM = "g (float[2,n] a, float[2,n] b) => (float[2,n] c) { c = Add(a, b) }"
A, B = np.float32([[1, 2], [3, 4]]), np.float32([[10, 20], [30, 40]])
DIGITS = Path(__file__).parents[2] / "examples" / "digits.onnx"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "sum.onnx", parsed(14, SUM))
    write(tmp_path / "abs.onnx", parsed(14, "g (int32[n,2] x) => (int32[n,2] y) { y = Abs(x) }"))
    np.save(tmp_path / "a.npy", A)
    np.savez(tmp_path / "ab.npz", a=A, b=B, other=A)
    np.savez(tmp_path / "one.npz", only=B)
    (tmp_path / "x.csv").write_text("1,-2\n-3,4\n")
    (tmp_path / "x.txt").write_text("1")
    for name in ("bad.npy", "bad.npz", "bad.csv"):
        (tmp_path / name).write_bytes(b"PK\x03\x04 nonsense")
    return tmp_path


def write(path: Path, model: ModelProto) -> None:
    path.write_bytes(model.SerializeToString())


def values(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    assert main(["run", *arguments, "--json"]) == 0
    return {row["name"]: row["values"] for row in json.loads(capsys.readouterr().out)}


@pytest.mark.parametrize(
    "inputs",
    [["ab.npz"], ["a=a.npy", "b=one.npz"], ["a=ab.npz", "b=ab.npz"], ["one.npz", "b=one.npz", "a=a.npy"][1:]],
)
def test_inputs_from_files(folder: Path, capsys: pytest.CaptureFixture[str], inputs: list[str]) -> None:
    options = [word for name in inputs for word in ("--input", name)]
    assert values(capsys, "sum.onnx", *options) == {"c": (A + B).tolist()}


def test_numbers_are_converted(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert values(capsys, "abs.onnx", "--input", "x.csv") == {"y": [[1, 2], [3, 4]]}
    assert values(capsys, "abs.onnx", "--input", "x=a.npy") == {"y": [[1, 2], [3, 4]]}


def test_printed_and_saved(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "sum.onnx", "--input", "ab.npz"]) == 0
    assert capsys.readouterr().out == "c =\ntensor([[11., 22.],\n        [33., 44.]])\n"
    assert main(["run", "sum.onnx", "--input", "ab.npz", "--save", "out.npz"]) == 0
    assert capsys.readouterr().out == "c  float32  (2, 2)\nsaved to out.npz\n"
    with np.load("out.npz") as saved:
        np.testing.assert_array_equal(saved["c"], A + B)


def test_what_numpy_cannot_save(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Strings are saved with a fixed length, bfloat16 as float32."""
    graph = """g () => (string[2] s, bfloat16[2] b) {
        s = Constant<value_strings=["a", "算子"]>()  f = Constant<value_floats=[1.5, -2.0]>()  b = Cast<to=16>(f)
    }"""
    write(folder / "both.onnx", parsed(14, graph))
    assert main(["run", "both.onnx", "--save", "out.npz"]) == 0
    with np.load("out.npz") as saved:
        assert saved["s"].tolist() == ["a", "算子"]
        assert (saved["b"].dtype, saved["b"].tolist()) == (np.float32, [1.5, -2])


def test_random_inputs(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = values(capsys, "sum.onnx", "--seed", "5", "--size", "3")
    assert np.shape(first["c"]) == (2, 3)
    assert values(capsys, "sum.onnx", "--seed", "5", "--size", "3") == first
    assert values(capsys, "sum.onnx", "--seed", "6", "--size", "3") != first
    assert np.shape(values(capsys, "abs.onnx")["y"]) == (1, 2)
    for dtype in ("bool", "float16", "int8", "uint64"):
        write(folder / "same.onnx", one_node("Identity", 16, [np.zeros(2, dtype)]))
        assert main(["run", "same.onnx"]) == 1  # of no declared shape
        assert "no shape" in capsys.readouterr().err
    write(folder / "not.onnx", parsed(14, "g (bool[50] x) => (bool[50] y) { y = Not(x) }"))
    assert len(set(values(capsys, "not.onnx", "--seed", "1")["y"])) == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["missing.onnx"], "missing.onnx cannot be read"),
        (["x.csv"], "are not a model"),
        (["sum.onnx", "--input", "c=a.npy"], "['c'] are not inputs"),
        (["sum.onnx", "--input", "a.npy"], "which of 2 is meant"),
        (["sum.onnx", "--input", "a=ab.npz", "--input", "b=a.npy", "--input", "z=ab.npz"], "which of 3 is meant"),
        (["abs.onnx", "--input", "ab.npz"], "has arrays ['a', 'b', 'other']"),
        (["abs.onnx", "--input", "x=x.txt"], "not a file of type"),
        (["abs.onnx", "--input", "x=missing.npy"], "cannot be read"),
        (["abs.onnx", "--input", "x=bad.npy"], "cannot be read"),
        (["abs.onnx", "--input", "x=bad.npz"], "cannot be read"),
        (["abs.onnx", "--input", "x=bad.csv"], "cannot be read"),
        (["sum.onnx", "--input", "a=x.csv", "--size", "3"], "in Add-14"),
        (["sum.onnx", "--size", "-1"], "size"),
    ],
)
def test_what_goes_wrong(folder: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str) -> None:
    assert main(["run", *arguments]) == 1
    printed = capsys.readouterr()
    assert message in printed.err
    assert printed.out == ""


def test_the_digits(capsys: pytest.CaptureFixture[str]) -> None:
    held_out = DIGITS.with_suffix(".npz")
    found = values(capsys, str(DIGITS), "--input", str(held_out))["labels"]
    with np.load(held_out) as data:
        assert np.mean(data["labels"] == found) > 0.95
