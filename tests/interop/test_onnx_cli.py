"""`suanzi run` runs an ONNX model from the command line."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
import threading
import warnings
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from onnx import parser
from onnx.reference import ReferenceEvaluator

import suanzi
from interop.models import one_node, parsed, printed, write
from suanzi.cli import check
from suanzi.cli.main import main
from suanzi.cli.profiles import added, draw, lines
from suanzi.interop.onnx import load
from suanzi.interop.onnx.model import Model
from suanzi.interop.onnx.profile import Timing, profiled

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


@pytest.mark.parametrize(
    "inputs",
    [["ab.npz"], ["a=a.npy", "b=one.npz"], ["a=ab.npz", "b=ab.npz"], ["one.npz", "b=one.npz", "a=a.npy"][1:]],
)
def test_inputs_from_files(folder: Path, capsys: pytest.CaptureFixture[str], inputs: list[str]) -> None:
    options = [word for name in inputs for word in ("--input", name)]
    assert printed(capsys, "sum.onnx", *options) == {"c": (A + B).tolist()}


def test_numbers_are_converted(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(capsys, "abs.onnx", "--input", "x.csv") == {"y": [[1, 2], [3, 4]]}
    assert printed(capsys, "abs.onnx", "--input", "x=a.npy") == {"y": [[1, 2], [3, 4]]}


def test_printed_and_saved(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "sum.onnx", "--input", "ab.npz"]) == 0
    assert capsys.readouterr().out == "c =\ntensor([[11., 22.],\n        [33., 44.]])\n"
    assert main(["run", "sum.onnx", "--input", "ab.npz", "--save", "out.npz"]) == 0
    assert capsys.readouterr().out == "c  float32  (2, 2)\nsaved to out.npz\n"
    with np.load("out.npz") as saved:
        np.testing.assert_array_equal(saved["c"], A + B)


def test_what_numpy_cannot_save(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`suanzi run` saves strings as NumPy strings of a fixed length, and bfloat16 as float32."""
    graph = """g () => (string[2] s, bfloat16[2] b) {
        s = Constant<value_strings=["a", "算子"]>()  f = Constant<value_floats=[1.5, -2.0]>()  b = Cast<to=16>(f)
    }"""
    write(folder / "both.onnx", parsed(14, graph))
    assert main(["run", "both.onnx", "--save", "out.npz"]) == 0
    with np.load("out.npz") as saved:
        assert saved["s"].tolist() == ["a", "算子"]
        assert (saved["b"].dtype, saved["b"].tolist()) == (np.float32, [1.5, -2])


def test_random_inputs(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = printed(capsys, "sum.onnx", "--seed", "5", "--size", "3")
    assert np.shape(first["c"]) == (2, 3)
    assert printed(capsys, "sum.onnx", "--seed", "5", "--size", "3") == first
    assert printed(capsys, "sum.onnx", "--seed", "6", "--size", "3") != first
    assert np.shape(printed(capsys, "abs.onnx")["y"]) == (1, 2)
    for dtype in ("bool", "float16", "int8", "uint64"):
        write(folder / "same.onnx", one_node("Identity", 16, [np.zeros(2, dtype)]))
        assert main(["run", "same.onnx"]) == 1  # the model declares no shape
        assert "no shape" in capsys.readouterr().err
    write(folder / "text.onnx", parsed(14, "g (string[2] x) => (string[2] y) { y = Identity(x) }"))
    assert main(["run", "text.onnx"]) == 1
    assert capsys.readouterr().err == "run: input 'x' has strings, which are not random: use --input\n"
    write(folder / "not.onnx", parsed(14, "g (bool[50] x) => (bool[50] y) { y = Not(x) }"))
    assert len(set(printed(capsys, "not.onnx", "--seed", "1")["y"])) == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["missing.onnx"], "missing.onnx cannot be read"),
        (["x.txt"], "are not a complete model"),
        (
            ["x.csv"],
            "(such a file is an input: suanzi run MODEL.onnx --input x.csv)",
        ),
        (["sum.onnx", "--plot", "p.png"], "run: --plot draws the times of --profile: pass both options"),
        (["sum.onnx", "--check", "--profile"], "pass one option"),
        (
            ["sum.onnx", "--profile", "--save", "p.png", "--plot", "sub/../p.png"],
            "run: sub/../p.png: two options write this file",
        ),
        (["sum.onnx", "--shape", "c=1,2"], "run: --shape: 'c' is not an input of the model, which has ['a', 'b']"),
        (["sum.onnx", "--shape", "1,2"], "run: --shape 1,2: which of 2 is meant? Write NAME=SIZES"),
        (["sum.onnx", "--shape", "a=3,3"], "input 'a' has shape (3, 3)"),
        (
            ["sum.onnx", "--shape", "a=2,2", "--shape", "a=2,3"],
            "run: --shape: the shape of input 'a' is given twice: 2,2 and 2,3",
        ),
        (
            ["abs.onnx", "--shape", "2,2", "--input", "x.csv"],
            "run: --shape: input 'x' has the shape of the array in x.csv: leave out --shape",
        ),
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
        (["sum.onnx", "--save", "a\0b"], "cannot be written: the name contains a null character"),
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
    """Output names may be parameters of numpy.savez, invalid in archives, or control sequences of terminals."""
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
    assert printed(capsys, "same.onnx", "--input", "z.npy") == {"y0": [[[1, 2], [-3, 0]]]}


def test_without_the_package_onnx(folder: Path) -> None:
    program = "import sys; sys.modules['onnx'] = None; from suanzi.cli import main; sys.exit(main(['run', 'sum.onnx']))"
    environment = {**os.environ, "PYTHONPATH": str(Path(suanzi.__file__).parents[1])}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "suanzi.interop.onnx: the package onnx is missing; pip install 'suanzi[onnx]'\n"


def test_the_digits(capsys: pytest.CaptureFixture[str]) -> None:
    held_out = DIGITS.with_suffix(".npz")
    found = printed(capsys, str(DIGITS), "--input", str(held_out))["labels"]
    with np.load(held_out) as data:
        assert np.mean(data["labels"] == found) > 0.95


def test_commands_of_the_wrong_kind(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sum.onnx"]) == 2
    expected = "suanzi: sum.onnx is not a command; use suanzi run sum.onnx, or suanzi info sum.onnx\n"
    assert capsys.readouterr().err == expected
    assert main(["info", "a.npy"]) == 1
    assert "suanzi run MODEL.onnx --input a.npy" in capsys.readouterr().err
    for option, word in (("--shape", "a=1,x"), ("--shape", "a=-1"), ("--shape", f"a={2**63}"), ("--range", "1")):
        with pytest.raises(SystemExit) as caught:
            main(["run", "sum.onnx", option, word])
        assert caught.value.code == 2
        assert "is not of the form" in capsys.readouterr().err


def test_shapes_of_random_inputs(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert np.shape(printed(capsys, "sum.onnx", "--shape", "a=2,5", "--shape", "b=2,5")["c"]) == (2, 5)
    assert np.shape(printed(capsys, "abs.onnx", "--shape", "4,2")["y"]) == (4, 2)
    write(folder / "same.onnx", one_node("Identity", 16, [np.zeros(2, np.float32)]))
    assert np.shape(printed(capsys, "same.onnx", "--shape", "x0=2,0,3")["y0"]) == (2, 0)


TABLE = """g (int64[n] ids, float[n] places, int64[n] free) => (float[n] y) {
    table = Constant<value_floats=[0.0, 1.0, 2.0]>()
    wide = Cast<to=7>(places)
    flat = Reshape(ids, minus)
    a = Gather(table, flat)  b = Gather(table, wide)  c = Cast<to=1>(free)  ab = Add(a, b)  y = Add(ab, c)
}"""


def test_random_indices_stay_in_their_tables(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    graph = TABLE.replace("table =", "minus = Constant<value_ints=[-1]>()  table =")
    write(folder / "table.onnx", parsed(17, graph))
    for seed in range(1, 20):
        found = printed(capsys, "table.onnx", "--size", "50", "--seed", str(seed))["y"]
        assert max(found) > 3
    rest = """g (int64[n] ids, int64[m] more) => (float[n] y) {
        n = Shape(more)  t = ConstantOfShape(n)  y = Gather(t, ids) }"""
    write(folder / "open.onnx", parsed(17, rest))
    assert main(["run", "open.onnx", "--seed", "3"]) == 1
    message = capsys.readouterr().err
    assert "no range is known for the integers ['ids', 'more']: use --input" in message


class Runtime:
    """A stand-in for onnxruntime that runs ONNX's evaluator, and adds a number to floating results."""

    __version__ = "0.0"

    class SessionOptions:
        log_severity_level = 0

    def __init__(self, more: float = 0.0) -> None:
        self.more = more

    def InferenceSession(self, path: str, options: Any, providers: Any) -> Any:
        evaluator, more = ReferenceEvaluator(path), self.more

        class Session:
            def run(self, names: list[str], feed: dict[str, Any]) -> list[Any]:
                return [x if x.dtype.kind != "f" else x + x.dtype.type(more) for x in evaluator.run(names, feed)]

        return Session()


def test_beside_onnxruntime(folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", Runtime())
    assert main(["run", "sum.onnx", "--size", "3", "--check"]) == 0
    assert capsys.readouterr().out.endswith("agrees with ONNX Runtime 0.0\n")
    assert main(["run", "abs.onnx", "--check", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["outputs"] == [
        {"name": "y", "error": 0.0, "verdict": "equal", "agrees": True}
    ]
    monkeypatch.setitem(sys.modules, "onnxruntime", Runtime(more=0.5))
    assert main(["run", "sum.onnx", "--input", "ab.npz", "--check"]) == 1
    printed = capsys.readouterr().out
    assert printed.splitlines()[-1] == "DIFFERS with ONNX Runtime 0.0"
    assert printed.splitlines()[1].split() == ["c", "0.011", "differs"]
    assert main(["run", "sum.onnx", "--input", "ab.npz", "--check", "--tolerance", "0.1"]) == 0
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    assert main(["run", "sum.onnx", "--check"]) == 1
    assert "--check needs the package onnxruntime" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("ours", "theirs", "agrees"),
    [
        (np.float32([1, np.nan]), np.float32([1, np.nan]), True),
        (np.float32([1, np.inf]), np.float32([1, np.inf]), True),
        (np.float32([1, np.inf]), np.float32([1, 2]), False),
        (np.float32([1, np.nan]), np.float32([1, 2]), False),
        (np.float32([1]), np.float32([[1]]), False),
        (np.float32([1]), np.float64([1]), False),
        (np.int64([2**62]), np.int64([2**62 + 1]), False),
        (np.float32([]), np.float32([]), True),
    ],
)
def test_outputs_that_agree(ours: Any, theirs: Any, agrees: bool) -> None:
    assert check.compared("y", suanzi.tensor(ours), theirs, 1e-4).agrees is agrees
    assert check.compared("y", [suanzi.tensor(ours)], [theirs], 1e-4).agrees is agrees


def test_other_values_that_agree() -> None:
    assert check.compared("y", [{"a": 1.0}], [{"a": 1.00001}], 1e-4).agrees
    assert not check.compared("y", [{"a": 1.0}], [{"b": 1.0}], 1e-4).agrees
    assert not check.compared("y", [{"a": 1.0}], [], 1e-4).agrees
    assert check.compared("y", None, None, 1e-4).agrees


def test_bits_of_one_byte_floats() -> None:
    """ONNX Runtime returns float8 elements as their bits."""
    ours, theirs = np.array([1, -2.5, np.nan], ml_dtypes.float8_e4m3fn), np.uint8([56, 194, 127])
    assert check.compared("y", ours, theirs, 1e-4).agrees
    assert check.compared("y", ours, theirs + np.uint8([0, 1, 0]), 1e-4).verdict == "1 of 3 elements differ"


def test_times(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(folder / "two.onnx", parsed(14, "g (float[n] x) => (float[n] y) { a = Exp(x)  b = Exp(a)  y = Neg(b) }"))
    assert main(["run", "two.onnx", "--size", "100", "--profile"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("a run: ")
    assert {line.split()[0]: line.split()[1] for line in lines[3:5]} == {"Exp": "2", "Neg": "1"}
    assert main(["run", "two.onnx", "--profile", "--json"]) == 0
    nodes = json.loads(capsys.readouterr().out)["nodes"]
    assert [node["operator"] for node in nodes] == ["Exp", "Exp", "Neg"]
    assert all(node["seconds"] > 0 for node in nodes)


LOOP = """g (float[2] x, int64 n, bool c) => (float[2] y) {
    y = Loop (n, c, x) <body = b (int64 i, bool go, float[2] s) => (bool on, float[2] t) {
        on = Identity(go)
        t = If (go) <
            then_branch = one () => (float[2] u) { u = Exp(s) },
            else_branch = two () => (float[2] v) { v = Neg(s) }
        >
    }>
}"""


def test_the_time_of_calls_in_graphs_within_nodes() -> None:
    model = load(parsed(16, LOOP))
    timings, whole = profiled(model, [np.float32([1, 2]), np.int64(3), np.bool_(True)])
    calls = added(timings, "label")
    assert {name: count for name, count, _ in calls} == {
        "Loop-16": 1, "If-16 in Loop-16": 3, "Exp-13 in If-16 in Loop-16": 3,
    }  # fmt: skip
    assert {name: count for name, count, _ in added(timings, "operator")} == {"Exp": 3, "If": 3, "Loop": 1}
    assert all(each.seconds > 0 for each in timings)
    assert sum(each.seconds for each in timings) < whole


def test_the_profile_tells_the_node_within_a_node() -> None:
    timings = [
        Timing("Exp-13 in If-16", "Exp", 3e-3),
        Timing("If-16", "If", 1e-3),
        Timing("Exp-13 in If-16", "Exp", 1e-3),
    ]
    assert lines(timings, 0.006)[-2:] == [
        "Exp-13 in If-16  2      4.000 ms  80.0%",
        "If-16            1      1.000 ms  20.0%",
    ]


def test_short_times_are_microseconds() -> None:
    timings = [Timing("Add-14", "Add", 2.5e-7), Timing("Gemm-13", "Gemm", 0.0125)]
    assert [line.split()[2:4] for line in lines(timings, 0.0126)[3:5]] == [["12.500", "ms"], ["0.250", "µs"]]


def test_times_as_a_picture(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("matplotlib")
    assert main(["run", "sum.onnx", "--profile", "--plot", "p.png", "--save", "c.npz"]) == 0
    assert (folder / "p.png").read_bytes().startswith(b"\x89PNG")
    assert capsys.readouterr().out.endswith("\n\nsaved to c.npz, p.png\n")


@pytest.mark.parametrize("name", ["$x_{$.onnx", "a$b$^^$.onnx", "模型.onnx", "back\\$slash$.onnx", "odd\udcff.onnx"])
def test_a_picture_of_a_model_of_any_name(folder: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    pytest.importorskip("matplotlib")
    (folder / "sum.onnx").rename(folder / name)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert main(["run", name, "--profile", "--plot", "p.png"]) == 0
    assert (folder / "p.png").read_bytes().startswith(b"\x89PNG")
    shown = draw([Timing("Add-14", "$x_{$", 1.0)], name).axes[0]
    for text in (shown.title, *shown.get_yticklabels()):
        assert not text._preprocess_math(text.get_text())[1]


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("p.foo", "cannot be drawn: the name of a picture must end in one of"),
        ("noext", "cannot be drawn: the name of a picture must end in one of"),
        ("missing/p.png", "cannot be written: No such file or directory"),
        (".", "cannot be written: Is a directory"),
    ],
)
def test_the_name_of_a_picture_is_checked_before_the_run(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, name: str, why: str
) -> None:
    pytest.importorskip("matplotlib")
    monkeypatch.setattr(Model, "run", lambda *_: pytest.fail("the model ran"))
    files = sorted(folder.iterdir())
    assert main(["run", "sum.onnx", "--profile", "--plot", name]) == 1
    assert capsys.readouterr().err.startswith(f"run: {name} {why}")
    assert sorted(folder.iterdir()) == files


def test_the_examples_of_the_help_run(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for package in ("matplotlib", "onnxruntime"):
        pytest.importorskip(package)
    write(folder / "model.onnx", parsed(14, "g (float[2,n] x) => (float[2,n] y) { y = Neg(x) }"))
    np.save(folder / "x.npy", A)
    with pytest.raises(SystemExit):
        main(["run", "--help"])
    commands = re.findall(r"^  suanzi (run model\.onnx.*?)(?:  |$)", capsys.readouterr().out, re.MULTILINE)
    assert len(commands) == 4
    for command in commands:
        assert main(command.split()) == 0, command


def test_open_sizes_of_one_are_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    graph = "(float[n,3,h,w] x, float[8,3,5,5] k) => (float[n,8,a,b] y)"
    write(folder / "conv.onnx", parsed(14, f"g {graph} {{ y = Conv(x, k) }}"))
    assert main(["run", "conv.onnx"]) == 1
    note = "(open sizes were 1: pass --size 64 or, for example, --shape x=1,3,64,64)"
    assert note in capsys.readouterr().err
    assert main(["run", "conv.onnx", "--shape", "x=1,3,64,64"]) == 0
    for given in (["--size", "2"], ["--shape", "x=1,3,2,2"]):
        capsys.readouterr()
        assert main(["run", "conv.onnx", *given]) == 1
        assert "open sizes" not in capsys.readouterr().err


def test_random_inputs_differ(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(folder / "two.onnx", parsed(17, "g (float[9] a, float[9] b) => (float[9] y) { y = Sub(a, b) }"))
    for seed in (1, 2**64 - 1):
        first = printed(capsys, "two.onnx", "--seed", str(seed))["y"]
        assert first == printed(capsys, "two.onnx", "--seed", str(seed))["y"]
        assert 0 not in first


def test_numbers_that_json_lacks(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    np.save(folder / "x.npy", np.float32([np.nan, np.inf, -np.inf, 1.5]))
    write(folder / "same.onnx", parsed(17, "g (float[4] x) => (float[4] y) { y = Identity(x) }"))
    assert printed(capsys, "same.onnx", "--input", "x.npy")["y"] == ["NaN", "Infinity", "-Infinity", 1.5]


def test_outputs_of_one_name_are_not_saved(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    body = "s = SplitToSequence(x)  t = Neg(x)"
    proto = parsed(17, f"g (float[2,2] x) => (seq(float[1,2]) s, float[2,2] t) {{ {body} }}")
    proto.graph.node[1].output[0] = proto.graph.output[1].name = "s[0]"
    write(folder / "clash.onnx", proto)
    assert main(["run", "clash.onnx", "--save", "o.npz"]) == 1
    assert "two outputs of one name" in capsys.readouterr().err
    assert not (folder / "o.npz").exists()


@pytest.mark.parametrize(
    ("declared", "numbers", "text", "words"),
    [
        ("int64", [1, 2.5], "'2.5' to int64", "2.5 is not whole"),
        ("int8", [1, 300], "'300' to int8", "300 does not fit int8"),
    ],
)
def test_files_of_numbers_that_the_input_cannot_hold(
    folder: Path, capsys: pytest.CaptureFixture[str], declared: str, numbers: list[float], text: str, words: str
) -> None:
    (folder / "x.csv").write_text(",".join(map(str, numbers)) + "\n")
    np.save(folder / "x.npy", np.array([numbers]))
    write(folder / "same.onnx", parsed(17, f"g ({declared}[1,2] x) => ({declared}[1,2] y) {{ y = Identity(x) }}"))
    for file, told in (("x.csv", text), ("x.npy", words)):
        assert main(["run", "same.onnx", "--input", file]) == 1
        error = capsys.readouterr().err
        assert told in error
        assert "for input 'x'" in error
    (folder / "x.csv").write_text("1.0,1e1\n")
    assert printed(capsys, "same.onnx", "--input", "x.csv")["y"] == [[1, 10]]


def test_a_model_at_a_glance(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info", "sum.onnx", "--shape", "a=2,100", "--shape", "b=2,100"]) == 0
    out = capsys.readouterr().out
    for line in ("input   a  float  (2, n)", "output  c  float  (2, n)", "opsets", "ai.onnx 14", "runs here"):
        assert line in out
    assert "about 2.3 KiB of values" in out
    assert out.splitlines()[-1].split() == ["Add", "1"]
    graph = """<ir_version: 8, opset_import: ["": 17, "ai.onnx.ml": 3, "com.microsoft": 1]>
        g (float[n,2] x) => (float[n,2] y) <float[2,2] w = {1,2,3,4}> {
            a = MatMul(x, w)  b = ai.onnx.ml.Binarizer(a)  c = com.microsoft.Nonsense(b)  y = Celu(c) }"""
    write(folder / "strange.onnx", parser.parse_model(graph))
    assert main(["info", "strange.onnx", "--json"]) == 1
    facts = json.loads(capsys.readouterr().out)
    assert facts["opsets"] == {"": 17, "ai.onnx.ml": 3, "com.microsoft": 1}
    assert facts["missing"] == ["com.microsoft.Nonsense"]
    assert facts["operators"] == {"Celu": 1, "MatMul": 1, "ai.onnx.ml.Binarizer": 1, "com.microsoft.Nonsense": 1}
    assert facts["parameters"] == 4
    assert facts["memory"]["parameters"] == 16
    assert "com.microsoft.Nonsense is not supported" in facts["fault"]
    assert main(["info", "missing.onnx"]) == 1
    assert "missing.onnx cannot be read" in capsys.readouterr().err


def test_progress_is_for_terminals(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["run", "sum.onnx", "--input", "ab.npz"]) == 0
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    assert main(["run", "sum.onnx", "--input", "ab.npz"]) == 0
    assert capsys.readouterr().err == "loading sum.onnx …\r\x1b[Krunning sum.onnx …\r\x1b[K"
