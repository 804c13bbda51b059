"""The programs in examples/ run as a user runs them."""

from __future__ import annotations

import importlib
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import suanzi

EXAMPLES = Path(__file__).parents[1] / "examples"


def start(name: str, directory: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """The program, in a directory whose modules come before all others.

    One thread: tests run beside each other, and threads that wait by spinning take the processors from those that work.
    """
    path = os.pathsep.join([str(directory), str(Path(suanzi.__file__).parents[1])])
    environment = {**os.environ, "PYTHONPATH": path, "MPLCONFIGDIR": str(directory), "SUANZI_NUM_THREADS": "1"}
    command = [sys.executable, str(EXAMPLES / name), *options]
    return subprocess.run(command, env=environment, cwd=directory, capture_output=True, text=True, check=False)


def run(name: str, directory: Path, *options: str) -> str:
    done = start(name, directory, *options)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_iris(tmp_path: Path) -> None:
    """150 flowers, 50 of each species; most of them are where they belong."""
    text = run("iris.py", tmp_path)
    table = [[int(n) for n in line.split()[1:]] for line in text.splitlines() if re.search(r"^\w+( +\d+){3}$", line)]
    assert [sum(row) for row in table] == [50, 50, 50]
    correct = sum(table[i][i] for i in range(3))
    assert correct >= 120
    assert f"{correct / 150:.1%}" in text


def test_iris_distances(tmp_path: Path) -> None:
    text = run("iris_distances.py", tmp_path, "--repeat", "1")
    assert "the same bits: True" in text
    assert "sqrt" in text
    assert float(text.splitlines()[-1].partition("%")[0]) > 90  # 150 flowers


def test_black_scholes(tmp_path: Path) -> None:
    """The numbers are those that the book gives, which stand beside them."""
    text = run("black_scholes.py", tmp_path, "--spots", "3")
    pairs = re.findall(r"(-?[\d.]+) \((-?[\d.]+)\)", text)
    assert len(pairs) == 7
    assert all(computed == given for computed, given in pairs)
    assert "the same bits: True" in text
    assert float(text.split()[-1]) < 1e-10


def test_reaction_diffusion(tmp_path: Path) -> None:
    text = run("reaction_diffusion.py", tmp_path, "--size", "40", "--steps", "20", "--output", "v.png")
    assert "the same bits: True" in text
    assert text.count("pass over") == 1
    low, high = map(float, re.findall(r"V is from ([\d.]+) to ([\d.]+): v\.png", text)[0])
    assert 0 <= low < high < 1
    assert Image.open(tmp_path / "v.png").size == (40, 40)


def test_reaction_diffusion_knows_no_edges() -> None:
    """The margin stands for neighbours across the edges: a rolled start gives the rolled result."""
    sys.path.insert(0, str(EXAMPLES))
    try:
        example = importlib.import_module("reaction_diffusion")
    finally:
        sys.path.remove(str(EXAMPLES))
    u, v = example.start(24)
    expected = example.advance(u, v, 8, example.step, 0.037, 0.06)
    for x in (u, v):
        assert x.shape == (24, 24)
    rolled = example.advance(*(suanzi.roll(x, (5, -7), (0, 1)) for x in (u, v)), 8, example.step, 0.037, 0.06)
    for a, b in zip(expected, rolled, strict=True):
        assert suanzi.array_equal(suanzi.roll(a, (5, -7), (0, 1)), b)


def test_image_compress(tmp_path: Path) -> None:
    """The pictures written are as near to the photograph as the last rows of the table say."""
    text = run("image_compress.py", tmp_path, "--output", "pictures")
    rows = re.findall(r"^(SVD|FFT), \w+ ([\d.]+) +(\d+) +([\d.]+)% +([\d.]+) dB$", text, re.MULTILINE)
    assert [(method, float(option)) for method, option, *_ in rows] == [
        *(("SVD", rank) for rank in (10, 20, 40)),
        *(("FFT", keep) for keep in (0.0125, 0.025, 0.05)),
    ]
    pictures = {
        name: np.asarray(Image.open(tmp_path / "pictures" / f"{name}.png"), dtype=float)
        for name in ("original", "svd", "fft")
    }
    original = pictures.pop("original")
    assert original.shape == (600, 512, 3)
    for (name, picture), table in zip(pictures.items(), (rows[:3], rows[3:]), strict=True):
        ratios = [float(row[-1]) for row in table]
        assert ratios == sorted(ratios)
        assert ratios[-1] > 25
        assert ratios[-1] == pytest.approx(10 * np.log10(255**2 / np.mean((picture - original) ** 2)), abs=0.06), name
        for _, _, numbers, share, _ in table:
            assert float(share) == pytest.approx(100 * int(numbers) / original.size, abs=0.06)
    assert [int(row[2]) for row in rows[:3]] == [3 * rank * (600 + 512) for rank in (10, 20, 40)]
    # Where the least coefficient kept has a conjugate twin, that one is kept too.
    assert [int(row[2]) for row in rows[3:]] == pytest.approx(
        [original.size * keep for keep in (0.0125, 0.025, 0.05)], abs=6
    )


@pytest.mark.one_level
@pytest.mark.parametrize(("option", "value"), [("--rank", "0"), ("--rank", "513"), ("--keep", "0"), ("--keep", "nan")])
def test_image_compress_refuses(tmp_path: Path, option: str, value: str) -> None:
    done = start("image_compress.py", tmp_path, option, value)
    assert done.returncode == 2
    assert f"error: {option} {float(value) if option == '--keep' else value} is not" in done.stderr


@pytest.mark.one_level
def test_image_compress_names_the_extra_it_lacks(tmp_path: Path) -> None:
    missing = "No module named 'matplotlib'"
    (tmp_path / "matplotlib.py").write_text(f'raise ModuleNotFoundError("{missing}")', encoding="utf-8")
    done = start("image_compress.py", tmp_path)
    assert done.returncode == 1
    assert done.stderr == f"image_compress.py: {missing}: pip install '.[examples]' brings the photograph\n"


def test_digits(tmp_path: Path) -> None:
    """The network reads as many of the held-out digits right as scikit-learn did with it."""
    ours, theirs = re.findall(r"(\d+\.\d+)%", run("digits.py", tmp_path))
    assert ours == theirs
    assert float(ours) > 95


def test_printed_text(tmp_path: Path) -> None:
    """Its models come with a package that the tests do not install: the program says so."""
    done = start("printed_text.py", tmp_path)
    if "missing" in done.stderr:
        assert (done.returncode, done.stderr) == (
            1, "the models are missing: pip install rapidocr-onnxruntime brings them\n",
        )  # fmt: skip
    else:
        assert "134 names, 18 categories" in done.stdout


@pytest.mark.one_level
def test_out_of_core(tmp_path: Path) -> None:
    """Two processes and one give the same bits, and the numbers are near those of theory."""
    done = start("out_of_core.py", tmp_path, "--size", "3", "--workers", "2")
    # Dask kills a worker that a busy machine lets end too slowly, and says so; the results are there by then.
    told = re.sub(r"^.*Worker process still alive after .* seconds, killing\n", "", done.stderr, flags=re.MULTILINE)
    assert (done.returncode, told) == (0, "")
    text = done.stdout
    assert text.startswith("49,152 walks of 16 steps: 3 MiB\n2 processes of at most 256 MiB")
    assert text.endswith("the same bits\n")
    digests = re.search(r"SHA-256 of the moments: (\w{16}) by workers, (\w{16}) by one process", text)
    assert digests
    assert digests[1] == digests[2]
    found = [(float(number), float(theory)) for number, theory in re.findall(r"([\d.]+) \(([\d.]+)\)", text)]
    assert len(found) == 6
    for number, theory in found:
        assert number == pytest.approx(theory, rel=0.03)
    peaks = re.search(r"most memory that each needed: (\d+) MiB, (\d+) MiB", text)
    assert peaks
    assert all(0 < int(peak) < 256 for peak in peaks.groups())


@pytest.mark.one_level
def test_out_of_core_says_when_its_workers_could_not_begin(tmp_path: Path) -> None:
    done = start("out_of_core.py", tmp_path, "--limit", "20")
    assert (done.returncode, done.stdout) == (2, "")
    assert "--limit 20: Python and Dask alone take more" in done.stderr


@pytest.mark.one_level
def test_out_of_core_names_the_extra_it_lacks(tmp_path: Path) -> None:
    (tmp_path / "dask.py").write_text("raise ImportError('No Dask')", encoding="utf-8")
    done = start("out_of_core.py", tmp_path)
    assert (done.returncode, done.stderr) == (1, "out_of_core.py: No Dask: pip install '.[examples]' brings Dask\n")


@pytest.mark.one_level
def test_pictures(tmp_path: Path) -> None:
    """Matplotlib may say on a busy machine that it looks for fonts, so that what is written to stderr is not asked."""
    options = {"iris": [], "iris_distances": ["--repeat", "1"], "black_scholes": ["--spots", "5"], "digits": []}
    for name, given in options.items():
        done = start(f"{name}.py", tmp_path, *given, "--picture", f"{name}.png")
        assert done.returncode == 0, done.stderr
        assert Image.open(tmp_path / f"{name}.png").size == (720, 480)


def test_examples_use_the_public_interface_alone() -> None:
    for program in EXAMPLES.glob("*.py"):
        text = program.read_text(encoding="utf-8")
        text = re.sub(r"from suanzi\.interop import (onnx|dask as chunked)\n", "", text)
        assert not re.search(r"suanzi\._core|from suanzi\.|import suanzi\.", text)
