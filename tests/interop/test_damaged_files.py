"""For damaged files, `suanzi run` prints one line that names the file, and exits with status 1."""

from __future__ import annotations

import io
import json
import os
import random
import struct
import subprocess
import sys
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import suanzi
from interop.models import one_node, parsed
from suanzi.cli.main import main

pytestmark = pytest.mark.one_level

A = np.float32([[1, 2, 3], [4, 5, 6]])
HEADER = {"descr": "<f4", "fortran_order": False, "shape": (2, 3)}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Change to a new folder with a model whose input is a matrix, and return the folder."""
    monkeypatch.chdir(tmp_path)
    model = parsed(14, "g (float[2,n] a) => (float[2,n] y) { y = Neg(a) }")
    (tmp_path / "m.onnx").write_bytes(model.SerializeToString())
    return tmp_path


def array(values: Any = A, **options: Any) -> bytes:
    """Return the bytes of a .npy file of the given values."""
    stream = io.BytesIO()
    np.lib.format.write_array(stream, np.asanyarray(values), **options)
    return stream.getvalue()


def headed(text: str | bytes, data: bytes = A.tobytes(), version: bytes = b"\1\0") -> bytes:
    """Return the bytes of a .npy file with a given header, data and version."""
    header = (text if isinstance(text, bytes) else text.encode("latin1")) + b"\n"
    return b"\x93NUMPY" + version + struct.pack("<H" if version == b"\1\0" else "<I", len(header)) + header + data


def changed(**fields: Any) -> bytes:
    return headed(repr({**HEADER, **fields}))


def archive(method: int = zipfile.ZIP_STORED, **arrays: bytes) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as file:
        for name, data in (arrays or {"a": array()}).items():
            file.writestr(f"{name}.npy", data)
    return stream.getvalue()


def edited(data: bytes, *edits: tuple[bytes, int, bytes]) -> bytes:
    """Return the bytes with replacements.

    An edit (mark, offset, new) replaces bytes after each occurrence of the mark.
    """
    out = bytearray(data)
    for mark, offset, new in edits:
        at = out.find(mark)
        assert at >= 0
        while at >= 0:
            out[at + offset : at + offset + len(new)] = new
            at = out.find(mark, at + 1)
    return bytes(out)


LOCAL, CENTRAL = b"PK\3\4", b"PK\1\2"  # zip's marks of a file and of its directory entry


def as_if(method: int) -> bytes:
    """Return a zip archive whose entry claims a given compression method."""
    code = struct.pack("<H", method)
    return edited(archive(), (LOCAL, 8, code), (CENTRAL, 10, code))


def spoilt(method: int) -> bytes:
    data = bytearray(archive(method))
    at = data.find(b"a.npy") + 20
    data[at : at + 30] = b"\xa5" * 30
    return bytes(data)


def bomb(stated: int | None = None) -> bytes:
    """Return a zip archive of a .npy file that claims a terabyte.

    `stated` is the file's size in the archive's headers.
    """
    small = headed(repr({**HEADER, "shape": (2, 2**37)}), bytes(4096))
    data = archive(zipfile.ZIP_DEFLATED, a=small)
    if stated is None:
        return data
    size = struct.pack("<I", stated)
    return edited(data, (LOCAL, 22, size), (CENTRAL, 24, size))


FILES: dict[str, tuple[str, bytes | Callable[[], bytes]]] = {
    "empty.npy": ("a.npy", b""),
    "no magic": ("a.npy", b"nonsense"),
    "only magic": ("a.npy", b"\x93NUMPY"),
    "version 9": ("a.npy", headed(repr(HEADER), version=b"\x09\0")),
    "a header cut short": ("a.npy", array()[:40]),
    "a header that is not closed": ("a.npy", headed("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3")),
    "a header of no tokens": ("a.npy", headed("{'descr': '''<f4, 'shape': (2L, 3)}")),
    "a header that is not Latin": ("a.npy", headed(b"\xff\0\xfe" * 9)),
    "a header that calls": ("a.npy", headed("__import__('os').getcwd()")),
    "a header of brackets": ("a.npy", headed("(" * 5000)),
    "a header of signs": ("a.npy", headed("{'descr': '<f4', 'fortran_order': False, 'shape': " + "-" * 5000 + "1}")),
    "a header too long": ("a.npy", headed(" " * 60_000)),
    "a header without a shape": ("a.npy", headed("{'descr': '<f4', 'fortran_order': False}")),
    "a shape of texts": ("a.npy", changed(shape=("2", 3))),
    "a negative size": ("a.npy", changed(shape=(-2, -3))),
    "an open size": ("a.npy", changed(shape=(-1,))),
    "a shape past the file": ("a.npy", changed(shape=(2, 4))),
    "a shape past memory": ("a.npy", changed(shape=(2**50,))),
    "a shape past 64 bits": ("a.npy", changed(shape=(2**62, 2**62, 7))),
    "a shape of 70 axes": ("a.npy", changed(shape=(1,) * 70)),
    "a shape of a size of 5000 digits": ("a.npy", headed(repr(HEADER).replace("3", "3" * 5000))),
    "data cut short": ("a.npy", array()[:-1]),
    "objects": ("a.npy", changed(descr="|O")),
    "structures": ("a.npy", changed(descr=[("x", "<f4"), ("y", "<f4")])),
    "vectors as elements": ("a.npy", changed(descr=("<f4", (3,)))),
    "strings of no width": ("a.npy", changed(descr="<U0", shape=(2**60, 3))),
    "no type": ("a.npy", changed(descr="<f3")),
    "dates": ("a.npy", changed(descr="<M8[s]", shape=(1, 3))),
    "bytes": ("a.npy", changed(descr="|S4")),
    "raw bytes": ("a.npy", changed(descr="|V4")),
    "characters past Unicode": ("a.npy", headed(repr({**HEADER, "descr": "<U1"}), b"\xff" * 24)),
    "texts": ("a.npy", array(np.array([["x", "y"]]))),
    "another rank": ("a.npy", array(A[0])),
    "another size": ("a.npy", array(A.T)),
    "empty.npz": ("a.npz", b""),
    "no archive": ("a.npz", b"PK\3\4 nonsense"),
    "an archive of nothing": ("a.npz", b"PK\5\6" + bytes(18)),
    "an archive cut short": ("a.npz", archive()[:-30]),
    "a name twice": ("a.npz", edited(archive(a=array(), b=array()), (b"b.npy", 0, b"a.npy"))),
    "a damaged file": ("a.npz", edited(archive(), (A.tobytes(), 0, b"damaged"))),
    "a damaged deflated file": ("a.npz", spoilt(zipfile.ZIP_DEFLATED)),
    "a damaged bzip2 file": ("a.npz", spoilt(zipfile.ZIP_BZIP2)),
    "a damaged LZMA file": ("a.npz", spoilt(zipfile.ZIP_LZMA)),
    "an encrypted file": ("a.npz", edited(archive(), (LOCAL, 6, b"\1\0"), (CENTRAL, 8, b"\1\0"))),
    "a file of a newer zip": ("a.npz", edited(archive(), (CENTRAL, 6, b"\xff\0"))),
    "patches": ("a.npz", edited(archive(), (LOCAL, 6, b"\x20\0"), (CENTRAL, 8, b"\x20\0"))),
    **{f"compression {method}": ("a.npz", as_if(method)) for method in (1, 6, 8, 9, 12, 14, 19, 93, 97, 999)},
    "offsets past the archive": ("a.npz", edited(archive(), (CENTRAL, 42, b"\xf0\xff\xff\x7f"))),
    "a file in an archive cut short": ("a.npz", archive(a=array()[:50])),
    "a file in an archive that is none": ("a.npz", archive(a=b"nonsense")),
    "a bomb": ("a.npz", bomb()),
    "a bomb that says so": ("a.npz", lambda: bomb(2**32 - 2)),
    "empty.csv": ("a.csv", b""),
    "a table of comments": ("a.csv", b"# 1,2,3\n\n"),
    "a table of words": ("a.csv", b"x,y,z\n1,2,3\n"),
    "a table of uneven rows": ("a.csv", b"1,2,3\n4,5\n"),
    "a table that is not UTF-8": ("a.csv", b"\xff\xfe1\0,\0"),
    "a table with NUL": ("a.csv", b"1,2\0,3\n4,5,6\n"),
    "an archive as a table": ("a.csv", archive()),
    "an array as a model": ("b.onnx", array()),
    "a model cut short": (
        "b.onnx",
        parsed(14, "g (float[2] a) => (float[2] y) { y = Neg(a) }").SerializeToString()[:-5],
    ),
}


def one_line(capfd: pytest.CaptureFixture[str], arguments: list[str]) -> str:
    """Run `suanzi run`, check that the command fails with a single line on stderr, and return the line."""
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        assert main(["run", *arguments]) == 1
    assert not warned
    printed = capfd.readouterr()
    assert printed.out == ""
    assert printed.err.count("\n") == 1
    assert printed.err.endswith("\n")
    assert 10 < len(printed.err) < 1100
    assert "Traceback" not in printed.err
    return printed.err


@pytest.mark.parametrize("what", FILES)
def test_one_line(folder: Path, capfd: pytest.CaptureFixture[str], what: str) -> None:
    name, data = FILES[what]
    (folder / name).write_bytes(data() if callable(data) else data)
    said = one_line(capfd, [name] if name.endswith("onnx") else ["m.onnx", "--input", name])
    assert name in said or "for input 'a'" in said or "input 'a' has shape" in said
    if not name.endswith("onnx"):
        assert one_line(capfd, ["m.onnx", "--input", f"a={name}"])


SOUND = {
    "rows": array(),
    "columns": array(np.asfortranarray(A)),
    "another byte order": array(A.astype(">f4")),
    "doubles": array(A.astype(np.float64)),
    "halves by columns in another byte order": array(np.asfortranarray(A).astype(">f2", order="F")),
    "integers": array(A.astype(np.uint8)),
    "version 2": array(version=(2, 0)),
    "version 2 of Python 2": headed("{'descr': '<f4', 'fortran_order': False, 'shape': (2L, 3L)}"),
    "more than the shape says": array() + b"more",
}


@pytest.mark.parametrize("what", SOUND)
@pytest.mark.parametrize(
    "method", [None, zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]
)
def test_sound_files(folder: Path, capfd: pytest.CaptureFixture[str], what: str, method: int | None) -> None:
    name = "a.npy" if method is None else "A.NPZ"
    data = SOUND[what] if method is None else archive(method, a=SOUND[what], beside=b"nonsense")
    (folder / name).write_bytes(data)
    assert main(["run", "m.onnx", "--input", name, "--json"]) == 0
    printed = capfd.readouterr()
    assert json.loads(printed.out)[0]["values"] == (-A).tolist()
    assert printed.err == ""


@pytest.mark.parametrize("values", [np.array(1.5), np.zeros((0, 3)), np.zeros((2, 0)), np.array([True, False])])
def test_odd_shapes(folder: Path, capfd: pytest.CaptureFixture[str], values: Any) -> None:
    np.save("x.npy", values)
    (folder / "id.onnx").write_bytes(one_node("Identity", 16, [values]).SerializeToString())
    assert main(["run", "id.onnx", "--input", "x.npy", "--json"]) == 0
    (row,) = json.loads(capfd.readouterr().out)
    assert (row["dtype"], row["shape"], row["values"]) == (str(values.dtype), list(values.shape), values.tolist())


def test_texts(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    texts = np.array([["a", "算子"], ["", "😀"]])
    (folder / "id.onnx").write_bytes(one_node("Identity", 16, [texts.astype(object)]).SerializeToString())
    for saved in (texts, texts.astype(">U2"), np.asfortranarray(texts)):
        np.save("x.npy", saved)
        assert main(["run", "id.onnx", "--input", "x.npy", "--json"]) == 0
        assert json.loads(capfd.readouterr().out)[0]["values"] == texts.tolist()


@pytest.mark.parametrize("name", ["missing.npy", "d.npy", "p.npy", "l.npy", "n" * 252 + ".npy", "a\0.npy", "", "x.txt"])
def test_what_is_no_file(folder: Path, capfd: pytest.CaptureFixture[str], name: str) -> None:
    (folder / "d.npy").mkdir()
    os.mkfifo("p.npy")
    os.symlink("l.npy", "l.npy")
    (folder / "x.txt").write_text("1")
    assert one_line(capfd, ["m.onnx", "--input", f"a={name}"]).startswith("run: ")
    assert one_line(capfd, [name]).startswith("onnx: ")


def test_only_what_is_wanted_is_read(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (folder / "a.npz").write_bytes(archive(zipfile.ZIP_DEFLATED, a=array(), bomb=headed("(" * 99), other=b"nonsense"))
    assert main(["run", "m.onnx", "--input", "a.npz"]) == 0
    assert main(["run", "m.onnx", "--input", "a=a.npz"]) == 0
    capfd.readouterr()
    assert one_line(capfd, ["m.onnx", "--input", "x=a.npz"]).startswith("run: x=a.npz: which of 3")


def test_an_archive_of_something_else(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (folder / "a.npz").write_bytes(archive(b=array()))
    said = one_line(capfd, ["m.onnx", "--input", "a.npz"])
    assert said == "run: a.npz has arrays ['b'], but the inputs are ['a']\n"
    assert main(["run", "m.onnx", "--input", "a=a.npz"]) == 0


def test_a_bomb_takes_no_memory(folder: Path) -> None:
    """An archive that would expand from 40 KB to 40 MB is refused if Suanzi's memory limit is 8 MiB."""
    (folder / "a.npz").write_bytes(archive(zipfile.ZIP_DEFLATED, a=array(np.zeros((2, 5 << 20), np.float32))))
    assert (folder / "a.npz").stat().st_size < 50_000
    program = """if True:
        import resource, sys, suanzi
        from suanzi.cli.main import main
        from suanzi.interop import onnx
        suanzi.memory.set_limit(8 << 20)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        status = main(["run", "m.onnx", "--input", "a.npz"])
        print(status, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)"""
    environment = {**os.environ, "PYTHONPATH": str(Path(suanzi.__file__).parents[1])}
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, timeout=60, check=True
    )
    status, grown = map(int, done.stdout.split())
    assert (status, done.stderr.count("\n")) == (1, 1)
    assert "cannot be read" in done.stderr
    assert grown < 20 << 10


SEEDS = [
    ("f.npy", array()),
    ("f.npy", array(np.array([["1", "2"]]))),
    *(("f.npz", archive(method, a=array(), other=array())) for method in (0, 8, 12, 14)),
    ("f.csv", b"1,2,3\n4,5,6\n"),
]


@pytest.mark.parametrize("seed", range(4))
def test_changed_bytes(folder: Path, capfd: pytest.CaptureFixture[str], seed: int) -> None:
    """For a file with changed bytes, `suanzi run` succeeds, or fails with one line on stderr."""
    draw = random.Random(seed)
    statuses = set()
    for i in range(70):
        name, data = SEEDS[i % len(SEEDS)]
        bad = bytearray(data)
        for _ in range(draw.choice((1, 1, 2, 4))):
            at = draw.randrange(len(bad))
            if draw.random() < 0.2:
                del bad[at : at + draw.choice((1, 3, 30))]
            bad[at : at + 1] = draw.choice((b"\0", b"\xff", b"(", b"-", b"'", b"9" * 12, bytes([draw.randrange(256)])))
        (folder / name).write_bytes(bad)
        status = main(["run", "m.onnx", "--input", f"a={name}"])
        statuses.add(status)
        assert capfd.readouterr().err.count("\n") == status
    assert statuses == {0, 1}
