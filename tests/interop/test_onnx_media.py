"""Pictures and recordings as inputs of `suanzi run`."""

from __future__ import annotations

import warnings
import wave
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from interop.models import parsed, printed, write
from suanzi.cli.main import main

pytestmark = pytest.mark.one_level


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


PIXELS = np.uint8([[[255, 0, 0], [0, 255, 0]], [[0, 0, 255], [255, 255, 255]]])


@pytest.mark.parametrize(
    ("declared", "found"),
    [
        ("float[1,3,h,w]", np.moveaxis(PIXELS, 2, 0)[None] / 255),
        ("float[n,h,w,3]", PIXELS[None] / 255),
        ("uint8[h,w,3]", PIXELS),
        ("float[3,2,2]", np.moveaxis(PIXELS, 2, 0) / 255),
    ],
)
def test_pictures(folder: Path, capsys: pytest.CaptureFixture[str], declared: str, found: Any) -> None:
    image = pytest.importorskip("PIL.Image")
    image.fromarray(PIXELS).save("p.png")
    write(folder / "same.onnx", parsed(17, f"g ({declared} x) => ({declared} y) {{ y = Identity(x) }}"))
    np.testing.assert_allclose(printed(capsys, "same.onnx", "--input", "p.png")["y"], found, rtol=1e-6)


def test_grey_pictures_of_16_bits(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    image = pytest.importorskip("PIL.Image")
    image.fromarray(np.uint16([[0, 257, 32768, 65535]])).save("p.png")
    write(folder / "grey.onnx", parsed(17, "g (float[1,h,w] x) => (float[1,h,w] y) { y = Identity(x) }"))
    write(folder / "colour.onnx", parsed(17, "g (uint8[3,h,w] x) => (uint8[3,h,w] y) { y = Identity(x) }"))
    np.testing.assert_allclose(
        printed(capsys, "grey.onnx", "--input", "p.png")["y"], np.float32([[[0, 1, 128, 255]]]) / 255, rtol=1e-6
    )
    assert printed(capsys, "colour.onnx", "--input", "p.png")["y"] == [[[0, 1, 128, 255]]] * 3
    with pytest.raises(SystemExit):
        main(["run", "grey.onnx", "--input", "p.png", "--range", "0,1e39"])
    assert "two finite numbers of float32" in capsys.readouterr().err


def test_pictures_are_fitted(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    image = pytest.importorskip("PIL.Image")
    image.fromarray(PIXELS).save("p.png")
    image.fromarray(PIXELS).save("p.jpg")
    write(folder / "grey.onnx", parsed(17, "g (float[1,1,h,w] x) => (float[1,1,h,w] y) { y = Identity(x) }"))
    for option in (["--range=-1,1"], ["--range", "-1,1"]):
        found = printed(capsys, "grey.onnx", "--input", "p.png", "--shape", "1,1,4,6", *option)["y"]
        assert np.shape(found) == (1, 1, 4, 6)
        assert -1 <= np.min(found) < 0 < np.max(found) <= 1
    assert np.shape(printed(capsys, "grey.onnx", "--input", "p.jpg")["y"]) == (1, 1, 2, 2)
    write(folder / "two.onnx", parsed(17, "g (float[2,3,h,w] x) => (float[2,3,h,w] y) { y = Identity(x) }"))
    assert main(["run", "two.onnx", "--input", "p.png"]) == 1
    assert "p.png is one picture, which does not fit shape (2, 3, '?', '?')" in capsys.readouterr().err
    (folder / "q.png").write_bytes(b"nonsense")
    assert main(["run", "grey.onnx", "--input", "q.png"]) == 1
    assert "q.png cannot be read" in capsys.readouterr().err


def test_large_pictures_cause_no_warning(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    image = pytest.importorskip("PIL.Image")
    image.fromarray(PIXELS).save("p.png")
    write(folder / "same.onnx", parsed(17, "g (uint8[h,w,3] x) => (uint8[h,w,3] y) { y = Identity(x) }"))
    monkeypatch.setattr(image, "MAX_IMAGE_PIXELS", PIXELS.size // 3 - 1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert main(["run", "same.onnx", "--input", "p.png"]) == 0


def record(path: Path, samples: Any, width: int) -> None:
    """Write a WAVE file of samples of shape (channels, count) in [-1, 1), with `width` bytes for each number."""
    whole = np.rint(np.asarray(samples).T * 2.0 ** (8 * width - 1)).astype(np.int64) + (128 if width == 1 else 0)
    with wave.open(str(path), "wb") as file:
        file.setnchannels(whole.shape[1])
        file.setsampwidth(width)
        file.setframerate(16000)
        file.writeframes(b"".join(int(x).to_bytes(width, "little", signed=width > 1) for x in whole.ravel()))


@pytest.mark.parametrize("width", [1, 2, 3, 4])
def test_recordings(folder: Path, capsys: pytest.CaptureFixture[str], width: int) -> None:
    wave_of = [0.5, -0.25, 0.0, -1.0]
    record(folder / "mono.wav", [wave_of], width)
    record(folder / "stereo.wav", [wave_of, [0.0] * 4], width)
    for declared, source, found in (
        ("float[n]", "mono.wav", wave_of),
        ("float[1,n]", "mono.wav", [wave_of]),
        ("float[b,1,n]", "mono.wav", [[wave_of]]),
        ("float[b,n,1]", "mono.wav", [[[x] for x in wave_of]]),
        ("float[1,6]", "mono.wav", [[*wave_of, 0, 0]]),
        ("float[1,2]", "mono.wav", [wave_of[:2]]),
        ("float[n]", "stereo.wav", [x / 2 for x in wave_of]),
        ("float[1,2,n]", "stereo.wav", [[wave_of, [0] * 4]]),
        ("float[2,n]", "stereo.wav", [wave_of, [0] * 4]),
        ("float[n,2]", "stereo.wav", [[x, 0] for x in wave_of]),
        ("float[n,1]", "mono.wav", [[x] for x in wave_of]),
        ("float[b,n]", "mono.wav", [wave_of]),
        ("float[1,n,2]", "stereo.wav", [[[x, 0] for x in wave_of]]),
        ("int16[n]", "mono.wav", [round(x * 2**15) for x in wave_of]),
    ):
        write(folder / "same.onnx", parsed(17, f"g ({declared} x) => ({declared} y) {{ y = Identity(x) }}"))
        assert printed(capsys, "same.onnx", "--input", source)["y"] == found
    write(folder / "same.onnx", parsed(17, "g (float[4,4,4] x) => (float[4,4,4] y) { y = Identity(x) }"))
    assert main(["run", "same.onnx", "--input", "mono.wav"]) == 1
    assert "does not fit shape (4, 4, 4)" in capsys.readouterr().err


@pytest.mark.parametrize("width", [3, 4])
def test_recordings_keep_their_sign(folder: Path, capsys: pytest.CaptureFixture[str], width: int) -> None:
    record(folder / "full.wav", [[1 - 2.0 ** (1 - 8 * width), -1.0]], width)
    write(folder / "same.onnx", parsed(17, "g (int16[n] x) => (int16[n] y) { y = Identity(x) }"))
    assert printed(capsys, "same.onnx", "--input", "full.wav")["y"] == [2**15 - 1, -(2**15)]


def test_samples_of_five_bytes(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    record(folder / "five.wav", [[0.5, -0.5]], 1)
    monkeypatch.setattr(wave.Wave_read, "getsampwidth", lambda _: 5)
    write(folder / "same.onnx", parsed(17, "g (float[n] x) => (float[n] y) { y = Identity(x) }"))
    assert main(["run", "same.onnx", "--input", "five.wav"]) == 1
    message = "run: five.wav has samples of 5 bytes; the samples must have 1 to 4 bytes"
    assert message in capsys.readouterr().err
