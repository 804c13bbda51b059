"""`suanzi run`: an ONNX model from the command line."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import ModelProto

import suanzi
from interop.models import one_node, parsed
from suanzi.cli.main import main

pytestmark = pytest.mark.one_level

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
        assert main(["run", "same.onnx"]) == 1  # the model declares no shape
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
        (["sum.onnx", "--size", str(2**62)], "random input 'a' of shape (2, 4611686018427387904)"),
        (["sum.onnx", "--input", "a=a.npy", "--input", "a=a.npy"], "input 'a' is given twice: a=a.npy and a=a.npy"),
        (["sum.onnx", "--input", "ab.npz", "--input", "a=a.npy"], "input 'a' is given twice: ab.npz and a=a.npy"),
        (["sum.onnx", "--input", "=a.npy"], "[''] are not inputs"),
        (["sum.onnx", "--save", "missing/out.npz"], "run: missing/out.npz cannot be written: No such file"),
        (["sum.onnx", "--save", ""], "run: '' cannot be written: No such file"),
        (["sum.onnx", "--save", "."], "run: . cannot be written: Is a directory"),
        (["sum.onnx", "--save", "a.npy/out.npz"], "run: a.npy/out.npz cannot be written: Not a directory"),
        (["sum.onnx", "--save", "n" * 300], "cannot be written: File name too long"),
        (["sum.onnx", "--save", "a\0b"], "cannot be written: embedded null in the name"),
        (["sum.onnx", "--save", "/dev/full"], "run: /dev/full cannot be written: No space left"),
    ],
)
def test_what_goes_wrong(folder: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str) -> None:
    assert main(["run", *arguments]) == 1
    printed = capsys.readouterr()
    assert message in printed.err
    assert printed.err.count("\n") == 1
    assert printed.out == ""


@pytest.mark.parametrize("number", ["-1", "1.5", "x", "", str(2**64), "9" * 5000])
@pytest.mark.parametrize("option", ["--size", "--seed"])
def test_numbers_that_are_none(capsys: pytest.CaptureFixture[str], option: str, number: str) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["run", "sum.onnx", option, number])
    assert caught.value.code == 2
    message = capsys.readouterr().err
    assert f"{option}: {number[:50]!r} is not a whole number from 0 to 2**" in message
    assert len(message) < 400


@pytest.mark.parametrize("name", ["out.txt", "out", "out.npz", "out.npz.txt", ".out", "sub/../sub/o.npz", "n" * 255])
def test_the_name_that_was_given(folder: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    (folder / "sub").mkdir()
    before = set(folder.iterdir()) | set((folder / "sub").iterdir())
    assert main(["run", "sum.onnx", "--input", "ab.npz", "--save", name]) == 0
    assert capsys.readouterr().out.endswith(f"saved to {name}\n")
    after = set(folder.iterdir()) | set((folder / "sub").iterdir())
    assert {path.resolve() for path in after - before} == {Path(name).resolve()}
    with np.load(name) as saved:
        np.testing.assert_array_equal(saved["c"], A + B)


def test_what_stood_there_stays_until_all_has_gone_well(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "out").write_text("precious")
    (folder / "out").chmod(0o640)
    (folder / "link").symlink_to("out")
    before = set(folder.iterdir())
    assert main(["run", "sum.onnx", "--input", "a=x.csv", "--size", "3", "--save", "link"]) == 1
    assert (folder / "out").read_text() == "precious"
    assert set(folder.iterdir()) == before
    assert main(["run", "sum.onnx", "--input", "ab.npz", "--save", "link"]) == 0
    assert set(folder.iterdir()) == before
    assert (folder / "link").is_symlink()
    assert (folder / "out").stat().st_mode & 0o777 == 0o640
    with np.load("out") as saved:
        np.testing.assert_array_equal(saved["c"], A + B)


def test_where_to_save_is_looked_at_first(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "missing.onnx", "--save", "missing/out.npz"]) == 1
    assert "missing/out.npz cannot be written" in capsys.readouterr().err


def test_saved_where_nothing_can_be_gone_back_in(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "sum.onnx", "--save", "/dev/null"]) == 0
    os.mkfifo("pipe")
    found = []
    reader = threading.Thread(target=lambda: found.append((folder / "pipe").read_bytes()), daemon=True)
    reader.start()
    assert main(["run", "sum.onnx", "--input", "ab.npz", "--save", "pipe"]) == 0
    reader.join(20)
    with np.load(io.BytesIO(found[0])) as saved:
        np.testing.assert_array_equal(saved["c"], A + B)


def test_outputs_of_any_name(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Names that numpy.savez has for its own; those that no archive has; those that a terminal would obey."""
    model = parsed(14, "g () => (float y) { y = Constant<value_float=1.0>() }")
    for name in ("file", "allow_pickle", "a/b", "算子", "y.npy", "\x1b[2J", "a\nb"):
        model.graph.output[0].name = model.graph.node[0].output[0] = name
        write(folder / "named.onnx", model)
        assert main(["run", "named.onnx", "--save", "out.npz"]) == 0
        with np.load("out.npz") as saved:
            assert saved.files == [name]
        assert main(["run", "named.onnx"]) == 0
        assert "\x1b" not in capsys.readouterr().out
    for name in ("a\0b", "n" * 70_000):
        model.graph.output[0].name = model.graph.node[0].output[0] = name
        write(folder / "named.onnx", model)
        assert main(["run", "named.onnx", "--save", "out.npz"]) == 1
        assert "no file of an archive has this name" in capsys.readouterr().err


def test_texts_that_numpy_would_cut(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = parsed(14, 'g () => (string[1] s) { s = Constant<value_strings=["a"]>() }')
    model.graph.node[0].attribute[0].strings[0] = b"a\0"
    write(folder / "text.onnx", model)
    assert main(["run", "text.onnx", "--save", "out.npz"]) == 1
    assert "do not end in NUL" in capsys.readouterr().err


def test_complex_numbers_as_json(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    x = np.complex64([[1 + 2j, -3]])
    np.save("z.npy", x)
    write(folder / "same.onnx", one_node("Identity", 16, [x]))
    assert values(capsys, "same.onnx", "--input", "z.npy") == {"y0": [[[1, 2], [-3, 0]]]}


def test_without_the_package_onnx(folder: Path) -> None:
    program = "import sys; sys.modules['onnx'] = None; from suanzi.cli import main; sys.exit(main(['run', 'sum.onnx']))"
    environment = {**os.environ, "PYTHONPATH": str(Path(suanzi.__file__).parents[1])}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "suanzi.interop.onnx: the package onnx is missing; pip install 'suanzi[onnx]'\n"


def test_the_digits(capsys: pytest.CaptureFixture[str]) -> None:
    held_out = DIGITS.with_suffix(".npz")
    found = values(capsys, str(DIGITS), "--input", str(held_out))["labels"]
    with np.load(held_out) as data:
        assert np.mean(data["labels"] == found) > 0.95
