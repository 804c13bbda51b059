"""Options and files of `suanzi run` and `suanzi info` that name, shape and fill a model's inputs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from interop.models import parsed, printed, write
from suanzi.cli.main import main

pytestmark = pytest.mark.one_level


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        (
            "int64",
            "9007199254740993,-9223372036854775808,9223372036854775807.0, +2.0\n",
            [2**53 + 1, -(2**63), 2**63 - 1, 2],
        ),
        ("uint64", "18446744073709551615,1e3,2.0,0\n", [2**64 - 1, 1000, 2, 0]),
        ("complex64", "1+2j,(3-4j),5,6j\n", [[1, 2], [3, -4], [5, 0], [0, 6]]),
    ],
)
def test_tables_are_read_in_the_declared_type(
    name: str, text: str, expected: list[Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, model = tmp_path / "t.csv", tmp_path / "same.onnx"
    path.write_text(text)
    write(model, parsed(16, f"g ({name}[1,4] x) => ({name}[1,4] y) {{ y = Identity(x) }}"))
    assert printed(capsys, str(model), "--input", str(path)) == {"y": [expected]}
    for wrong in ("1_000,2,3,4\n", "3e38,1,2,nan j\n"):
        path.write_text(wrong)
        assert main(["run", str(model), "--input", str(path)]) == 1
        assert "t.csv cannot be read: could not convert string" in capsys.readouterr().err


NAMES = ("a", "a=b", "a=b/c,d", "=")


def test_names_with_the_sign_of_the_options(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The longest name of an input that fits is the name, for files as for shapes."""
    model = parsed(16, "g (float[n] p, float[n] q, float[n] r, float[n] s) => (float[n] y) { y = Sum(p, q, r, s) }")
    for value, name in zip(model.graph.input, NAMES, strict=True):
        value.name = name
    model.graph.node[0].input[:] = NAMES
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "sum.onnx", model)
    for number in range(4):
        np.save(f"{number}=.npy", np.float32([10**number, 0]))
    files = [word for number, name in enumerate(NAMES) for word in ("--input", f"{name}={number}=.npy")]
    assert printed(capsys, "sum.onnx", *files) == {"y": [1111, 0]}
    shapes = [word for name in NAMES[1:] for word in ("--shape", f"{name}=2")]
    assert main(["run", "sum.onnx", *files[:2], *shapes]) == 0
    assert main(["info", "sum.onnx", *shapes]) == 0
    capsys.readouterr()
    assert main(["run", "sum.onnx", "--input", "b=0=.npy"]) == 1
    assert "['b'] are not inputs" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("option", "word", "rule"),
    [
        *[("--tolerance", word, "number of at least 0") for word in ("nan", "-1", "inf", "x")],
        *[("--range", word, "LOW,HIGH") for word in ("nan,1", "0,nan", "0,inf", "0", "0,1,2", "a,b")],
    ],
)
def test_numbers_that_no_option_takes(option: str, word: str, rule: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["run", "model.onnx", f"{option}={word}"])
    assert caught.value.code == 2
    message = capsys.readouterr().err.splitlines()[-1]
    assert f"argument {option}: {word!r} is not" in message
    assert rule in message


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        ("a=2", "info: input 'a' has shape (2,), but the model declares (2, '?')"),
        ("b=3,3", "info: input 'b' has shape (3, 3), but the model declares (2, '?')"),
        ("w=2", "info: --shape: 'w' is not an input of the model, which has ['a', 'b']"),
        ("2,2", "info: --shape 2,2: which of 2 is meant? Write NAME=SIZES"),
    ],
)
def test_shapes_that_contradict_the_model(
    shape: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "sum.onnx"
    write(path, parsed(14, "g (float[2,n] a, float[2,n] b) => (float[2,n] c) { c = Add(a, b) }"))
    assert main(["info", str(path), "--shape", shape]) == 1
    printed = capsys.readouterr()
    assert (printed.out, printed.err) == ("", f"{message}\n")
    assert main(["info", str(path), "--shape", "a=2,5", "--shape", "b=2,5"]) == 0
