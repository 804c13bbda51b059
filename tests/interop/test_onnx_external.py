"""A model is refused if its external data are not a file, cannot be read, or are outside the model's folder."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from onnx import ModelProto, TensorProto

import suanzi
from interop.models import parsed
from suanzi import AllocFailedError, InvalidArgumentError
from suanzi.interop import onnx

pytestmark = pytest.mark.one_level

WEIGHTS = np.float32([2, 3])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a new folder with the file w.bin, which has the weights of a model."""
    place = tmp_path / "model"
    place.mkdir()
    (place / "w.bin").write_bytes(WEIGHTS.tobytes())
    return place


def write(folder: Path, shape: tuple[int, ...] = (2,), copies: int = 1, **entries: str) -> Path:
    """Write a model of external weights, with the given entries in place of valid entries, and return the path."""
    sum_of = " ".join(f"y{i + 1} = Add(y{i}, w{i})" for i in range(copies))
    model: ModelProto = parsed(14, f"g (float[2] y0) => (float[2] y{copies}) {{ {sum_of} }}")
    for i in range(copies):
        tensor = TensorProto(name=f"w{i}", data_type=1, dims=shape, data_location=TensorProto.EXTERNAL)
        for key, value in {"location": "w.bin", **entries}.items():
            tensor.external_data.add(key=key, value=value)
        model.graph.initializer.append(tensor)
    path = folder / "m.onnx"
    path.write_bytes(model.SerializeToString())
    return path


def refused(path: Path, message: str = "cannot be read") -> str:
    with pytest.raises(InvalidArgumentError, match=message) as caught:
        onnx.load(path)
    assert len(str(caught.value)) < 800
    return str(caught.value)


def test_sound_ones(folder: Path) -> None:
    (y,) = onnx.run(write(folder, copies=3, offset="0", length="8"), [np.float32([0, 0])])
    np.testing.assert_array_equal(y.numpy(), 3 * WEIGHTS)


@pytest.mark.parametrize(
    "name", ["n" * 256, "算" * 100, "d/" * 3000 + "n", "w.bin/n", "a\0b", "\0", "missing", "", "."]
)
def test_names_that_no_file_has(folder: Path, name: str) -> None:
    refused(write(folder, location=name))


@pytest.mark.parametrize("name", ["/etc/passwd", "..", "../w.bin", "sub/../../w.bin", "/dev/zero", "/" + "n" * 300])
def test_names_that_lead_outside(folder: Path, name: str) -> None:
    (folder.parent / "w.bin").write_bytes(WEIGHTS.tobytes())
    refused(write(folder, location=name), "are outside the model's folder|cannot be read")


def loop(path: Path) -> None:
    path.symlink_to(path.with_name("other"))
    path.with_name("other").symlink_to(path)


def socket(path: Path) -> None:
    os.mknod(path, 0o600 | 0o140000)


KINDS: dict[str, Callable[[Path], None]] = {
    "a folder": Path.mkdir,
    "a pipe": os.mkfifo,
    "a loop of links": loop,
    "a link to nothing": lambda path: path.symlink_to(path.with_name("nothing")),
    "a socket": socket,
}


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_no_file(folder: Path, kind: str) -> None:
    """`load` raises an error for external data that are not a file, and does not wait for a writer of a pipe."""
    (folder / "w.bin").unlink()
    KINDS[kind](folder / "w.bin")
    path = write(folder)
    worker = threading.Thread(target=refused, args=(path,), daemon=True)
    worker.start()
    worker.join(20)
    assert not worker.is_alive()
    refused(path)


def test_a_file_that_may_not_be_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`load` raises an error if the system refuses to open a file of external data.

    The test imitates the system, because root may read every file.
    """
    path, opened = write(folder), os.open

    def answer(name: object, flags: int, mode: int = 0o777, **more: int) -> int:
        if str(name).endswith("w.bin"):
            raise PermissionError(13, "Permission denied", name)
        return opened(name, flags, mode, **more)  # type: ignore[call-overload]

    monkeypatch.setattr(os, "open", answer)
    assert refused(path).endswith("cannot be read: Permission denied")


@pytest.mark.parametrize("key", ["offset", "length"])
@pytest.mark.parametrize(
    "text", ["", "x", "1.0", "-", "0x8", "8 ", "1_0", "٨", "9" * 21, "9" * 5000, "-1", "1", str(2**63), str(2**64)]
)
def test_numbers_that_are_none_or_do_not_fit(folder: Path, key: str, text: str) -> None:
    refused(write(folder, **{key: text}), "is not a number of bytes|do not fill shape")


def test_a_shape_past_the_file(folder: Path) -> None:
    for shape in ((3,), (2**40,), (2**61,), (2**31, 2**31)):
        refused(write(folder, shape), "do not fill|does not fit")


def test_more_than_memory(folder: Path) -> None:
    """External data beyond the memory raise ALLOC_FAILED: a huge sparse file, or a file that many weights read."""
    with (folder / "w.bin").open("wb") as file:
        file.truncate(2**42)
    with pytest.raises(AllocFailedError, match=r"external data 'w\.bin' cannot be read"):
        onnx.load(write(folder, (2**40,)))
    limit = suanzi.memory.statistics()["limit"]
    suanzi.memory.set_limit(suanzi.memory.statistics()["in_use"] + 2**23)
    try:
        onnx.load(write(folder, (2**18,)))
        with pytest.raises(AllocFailedError):
            onnx.load(write(folder, (2**18,), copies=20))
    finally:
        suanzi.memory.set_limit(limit)


def test_models_that_are_no_files(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    loop(tmp_path / "loop")
    with (tmp_path / "large").open("wb") as file:
        file.truncate(2**31)
    for name in ("pipe", "loop", "large", "missing", "n" * 256, "a\0b", "/dev/zero", "/dev/null", ""):
        with pytest.raises(InvalidArgumentError):
            onnx.load(tmp_path / name)
