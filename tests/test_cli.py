"""Tests of the command `suanzi`, which run the command in new processes."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import suanzi
from suanzi import _core
from suanzi.cli import commands
from suanzi.cli.main import main
from suanzi.conformance.terminal import check_distinct
from suanzi.operators.catalogue import CATALOGUE
from suanzi.operators.registry import implementation

pytestmark = pytest.mark.one_level

IMPLEMENTED = [name for name in CATALOGUE if implementation(name)]


SOURCE = str(Path(suanzi.__file__).parents[1])


def run(*arguments: str, module: str = "suanzi.cli", encoding: str = "utf-8") -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": SOURCE, "PYTHONIOENCODING": encoding}
    command = [sys.executable, "-m", module, *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)


def shell(command: str) -> subprocess.CompletedProcess[str]:
    """Run a line of bash in which SUANZI means the command `suanzi`."""
    environment = {**os.environ, "PYTHONPATH": SOURCE, "PYTHONIOENCODING": "utf-8"}
    line = command.replace("SUANZI", f"{sys.executable} -m suanzi")
    return subprocess.run(
        ["bash", "-c", line], env=environment, capture_output=True, text=True, timeout=120, check=False
    )


def run_json(*arguments: str) -> Any:
    return json.loads(run(*arguments, "--json").stdout)


def test_ops() -> None:
    done = run("ops")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[-1] == f"{len(IMPLEMENTED)} of 134 implemented"
    rows = {line.split()[1]: line for line in lines[1:135]}
    assert list(rows) == list(CATALOGUE)
    for name, entry in CATALOGUE.items():
        assert entry.chinese in rows[name]
        assert entry.category.key in rows[name]
        assert ("not yet" not in rows[name]) == (name in IMPLEMENTED)


def test_ops_as_json() -> None:
    rows = run_json("ops")
    assert [row["name"] for row in rows] == list(CATALOGUE)
    assert [row["name"] for row in rows if row["implemented"]] == IMPLEMENTED
    assert all(row["chinese"] and row["category"]["chinese"] for row in rows)


def test_info() -> None:
    done = run("info")
    assert (done.returncode, done.stderr) == (0, "")
    for fact in (suanzi.__version__, _core.simd_level(), "threads", "BLAS", "cpu:0"):
        assert fact in done.stdout
    facts = run_json("info")
    assert (facts["version"], facts["devices"]) == (suanzi.__version__, ["cpu:0"])
    assert facts["simd"] in facts["simd_available"]
    assert facts["simd_missing"] not in facts["simd_available"]
    assert ("was not compiled" in done.stdout) == (facts["simd_missing"] is not None)
    assert set(facts["product_instructions"]) == {"bfloat16", "int8"}
    assert set(facts["product_instructions"].values()) <= {"", *facts["product_instructions_available"]}
    assert facts["threads"] >= 1


def test_info_names_a_level_that_was_not_compiled() -> None:
    facts = {"simd": "avx2", "simd_available": ["baseline", "avx2"], "simd_missing": "avx512"}
    text = "avx2 (available: baseline, avx2); avx512 was not compiled: install Suanzi again on this machine"
    assert commands.simd_level(facts) == text
    assert commands.simd_level(facts | {"simd_missing": None}) == "avx2 (available: baseline, avx2)"


def test_conformance() -> None:
    names = ("--operator", "add", "--operator", "quantized_tensor", "--operator", "exp")
    done = run("conformance", *names, "--profile", "quick")
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    operators = [line for line in lines[: lines.index("")] if not line.startswith(" ")]
    assert [line.split()[0] for line in operators] == ["add", "quantized_tensor", "exp"]
    assert ["pass" in line for line in operators] == [True, True, True]
    assert "(3 pass, 0 fail, 0 not provided, 0 blocked;" in lines[-1]
    report = json.loads(run("conformance", "--operator", "clip", "--profile", "quick", "--json", "-").stdout)
    assert report["summary"]["pass"] == 1
    assert report["operators"][0]["operator"] == "clip"


def test_names_as_arguments() -> None:
    done = run("conformance", "sin", "add", "--operator", "exp", "--operator", "sin", "--profile", "quick")
    lines = done.stdout.splitlines()
    assert [line.split()[0] for line in lines[: lines.index("")] if line[0] != " "] == ["sin", "add", "exp"]
    assert "(3 pass, 0 fail, 0 not provided, 0 blocked;" in done.stdout.splitlines()[-1]
    report = json.loads(run("conformance", "clip", "--profile", "quick", "--json", "-").stdout)
    assert [row["operator"] for row in report["operators"]] == ["clip"]
    done = run("conformance", "sin", "nonsense", "Sin")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "conformance: nonsense, Sin: not an operator or a category of the standard\n"


@pytest.mark.parametrize("module", ["suanzi", "suanzi.cli"])
def test_bare(module: str) -> None:
    """`suanzi` without arguments prints the help to stdout and succeeds."""
    done = run(module=module)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("usage: suanzi ")
    for command in ("ops", "info", "conformance", "bench", "run"):
        assert f"\n    {command}" in done.stdout


@pytest.mark.parametrize("command", ["ops", "info", "conformance", "bench", "run"])
def test_help_has_defaults_and_examples(command: str) -> None:
    done = run(command, "--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert "default: " in done.stdout
    options, _, examples = done.stdout.partition("\nexamples:\n")
    lines = examples.splitlines()
    assert len(lines) >= 2
    for line in lines:
        assert f"suanzi {command}" in line or f"suanzi-{command}" in line or "$(suanzi info" in line
        for option in re.findall(r"--[a-z]+", line):
            assert option in options, line


def test_ops_by_name() -> None:
    done = run("ops", "sin")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[0].startswith("sin  正弦函数")
    for part in ("suanzi.sin(x, /, *, out=None)", "floating", "TYPE_MISMATCH", "Sine, element by element"):
        assert part in done.stdout
    done = run("ops", "atan2")
    assert done.stdout.startswith("atan2  belongs to atan 反正切函数")
    assert "suanzi.atan2(x1, x2, /, *, out=None)" in done.stdout


CHINESE = {"正弦函数": "sin", "正弦": "sin", "张量加法操作": "add", "加": "add", "指数": "exp", "创建全零": "zeros"}


def test_chinese_names() -> None:
    names = list(dict.fromkeys(CHINESE.values()))
    assert {row["name"] for row in run_json("ops", *CHINESE)} == {*names}
    assert run("conformance", "--list", *CHINESE).stdout == run("conformance", "--list", *names).stdout
    assert run("bench", "--list", *CHINESE).stdout == run("bench", "--list", *names).stdout


def test_every_chinese_name_is_taken() -> None:
    assert [row["name"] for row in run_json("ops", *(entry.chinese for entry in CATALOGUE.values()))] == [*CATALOGUE]


def test_ops_of_a_category() -> None:
    expected = [entry.name for entry in CATALOGUE.values() if entry.category.key == "reduction"]
    for name in ("reduction", "规约操作", "规约"):
        assert [row["name"] for row in run_json("ops", "--category", name)] == expected
    lines = run("ops", "--category", "reduction").stdout.splitlines()
    assert lines[-1] == f"{len(expected)} of {len(expected)} implemented"
    both = run_json("ops", "sin", "--category", "reduction")
    assert [row["name"] for row in both] == ["sin", *expected]


_OF_THE_STANDARD = "not an operator or a category of the standard"
TOLD = [
    ("ops sine", f"ops: sine: {_OF_THE_STANDARD}; is sin meant?"),
    ("ops 拼接", f"ops: 拼接: {_OF_THE_STANDARD}; is concat meant?"),
    ("ops 卷积", f"ops: 卷积: {_OF_THE_STANDARD}; is nn.conv meant?"),
    ("ops 池化", f"ops: 池化: {_OF_THE_STANDARD}; is nn.avg_pool or nn.max_pool meant?"),
    ("ops softmax", f"ops: softmax: {_OF_THE_STANDARD}; is nn.softmax meant?"),
    ("ops 乘法操", f"ops: 乘法操: {_OF_THE_STANDARD}; is 张量乘法操作 meant?"),
    ("ops --category trigonometry", f"ops: trigonometry: {_OF_THE_STANDARD}; is trigonometric meant?"),
    (
        "conformance sum sort",
        f"conformance: sum, sort: {_OF_THE_STANDARD}; sum belongs to reduce, sort belongs to argsort: "
        "suanzi conformance reduce argsort",
    ),
    ("conformance sine", f"conformance: sine: {_OF_THE_STANDARD}; is sin meant?"),
    ("bench sine", "bench: sine: not an operator that is timed, a category or an element type; is sin meant?"),
]


@pytest.mark.parametrize(("command", "told"), TOLD)
def test_unknown_names_are_told(command: str, told: str) -> None:
    done = run(*command.split())
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"{told}\n")


@pytest.mark.parametrize("command", [
    ("conformance", "sin", "--json"), ("conformance", "sin", "--junit"), ("conformance", "sin", "--html"),
    ("bench", "sin", "--save"), ("bench", "sin", "--markdown"), ("bench", "sin", "--plot"),
])  # fmt: skip
def test_files_are_checked_before_the_run(command: tuple[str, ...], tmp_path: Path) -> None:
    for file, why in ((tmp_path / "none" / "x", f"there is no folder '{tmp_path / 'none'}'"),
                      (tmp_path, "this is a folder, not a file")):  # fmt: skip
        started = time.monotonic()
        done = run(*command, str(file))
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr == f"{command[0]}: {file}: {why}\n"
        assert time.monotonic() - started < 60
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("command", [
    ("conformance", "sin", "--json", "FILE", "--html", "FILE"),
    ("conformance", "sin", "--junit", "LINK", "--html", "FILE"),
    ("bench", "sin", "--save", "FILE", "--markdown", "FILE"), ("bench", "sin", "--markdown", "FILE", "--plot", "LINK"),
])  # fmt: skip
def test_one_file_for_two_outputs_is_refused(command: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("file")
    names = {"FILE": str(tmp_path / "file"), "LINK": str(tmp_path / "link")}
    done = run(*(names.get(word, word) for word in command))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"{command[0]}: {names[command[-1]]}: two options write this file\n"
    assert not (tmp_path / "file").exists()


def test_a_device_may_receive_two_outputs() -> None:
    check_distinct(["/dev/null", "/dev/null", None, None, "", ""])


def on_a_terminal(*arguments: str) -> tuple[int, str, str]:
    """Run a command whose stderr is a terminal. Return the status, the output, and the text on the terminal."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "PYTHONPATH": SOURCE, "PYTHONIOENCODING": "utf-8"}
    command = [sys.executable, "-m", "suanzi", *arguments]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=theirs, text=True) as process:
        os.close(theirs)
        seen = b""
        with suppress(OSError):  # reading past the end of a terminal's output fails
            while chunk := os.read(ours, 4096):
                seen += chunk
        output = process.stdout.read() if process.stdout else ""
    os.close(ours)
    return process.returncode, output, seen.decode()


def test_progress_on_a_terminal() -> None:
    status, output, seen = on_a_terminal("conformance", "sin", "shape", "--profile", "quick")
    assert status == 0
    assert "1 of 2: sin" in seen
    assert "2 of 2: shape" in seen
    assert seen.endswith("\x1b[K")  # the progress line has been erased
    assert output == run("conformance", "sin", "shape", "--profile", "quick").stdout or "sin" in output
    assert "1 of 2" not in output


def test_version() -> None:
    for done in (run("--version"), run("--version", module="suanzi"), shell("SUANZI --version")):
        assert (done.returncode, done.stdout, done.stderr) == (0, f"suanzi {suanzi.__version__}\n", "")


def test_the_package_as_a_command() -> None:
    assert run("info", module="suanzi").stdout == run("info").stdout


def test_unknown_operators() -> None:
    done = run("conformance", "--operator", "nonsense")
    assert done.returncode == 2
    assert done.stderr == "conformance: nonsense: not an operator or a category of the standard\n"


@pytest.mark.parametrize("arguments", [["nonsense"], ["ops", "--nonsense"]])
def test_wrong_commands(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    assert "usage: suanzi" in capsys.readouterr().err


@pytest.mark.parametrize(
    "command", ["", "ops", "ops --json", "ops sin cos tan", "ops --help", "info",
                "conformance add sin exp --profile quick", "conformance --list", "bench --list"]
)  # fmt: skip
def test_a_reader_who_has_seen_enough(command: str) -> None:
    done = shell(f"SUANZI {command} | head -n 1; exit ${{PIPESTATUS[0]}}")
    assert (done.returncode, done.stderr, done.stdout.count("\n")) == (0, "", 1)


@pytest.mark.parametrize("command", ["", "ops", "nonsense", "ops nonsense", "conformance nonsense", "run nonsense"])
def test_nobody_reads_what_is_said(command: str) -> None:
    """A command shows no traceback if the reader of the command's output has closed the pipe."""
    done = shell(f"(sleep 0.2; SUANZI {command}) 2>&1 | true; exit ${{PIPESTATUS[0]}}")
    assert done.returncode in (0, 1, 2)
    assert done.stderr == ""


@pytest.mark.parametrize("command", ["ops", "conformance add --profile quick"])
def test_output_that_cannot_be_written(command: str) -> None:
    done = shell(f"SUANZI {command} > /dev/full")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "suanzi: the output cannot be written: No space left on device\n"
    done = shell(f"SUANZI {command} >&-")
    assert (done.returncode, done.stderr) == (0, "")


def test_an_output_without_chinese() -> None:
    done = run("ops", encoding="ascii")
    assert (done.returncode, done.stderr) == (0, "")
    assert "\\u52a0" in done.stdout  # 加
    done = run("ops", "--json", encoding="ascii")
    assert [row["chinese"] for row in json.loads(done.stdout)] == [entry.chinese for entry in CATALOGUE.values()]


def test_interrupted() -> None:
    """An interrupted command shows no traceback and ends with the status that shells expect."""
    program = """if True:
        import signal, sys
        from suanzi.cli import commands, main
        signal.signal(signal.SIGINT, signal.default_int_handler)  # a parent process may ignore the signal
        commands.ops = lambda options: signal.raise_signal(signal.SIGINT)
        sys.exit(main(["ops"]))"""
    environment = {**os.environ, "PYTHONPATH": SOURCE}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")
