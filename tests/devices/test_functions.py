"""Functions that are made of operators, with operands on a device: results lie there, and nothing comes to the host."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from placing import GPU, assert_same, here, not_simulated, sz, there

from suanzi import array_api, extras

pytestmark = pytest.mark.one_level

X = sz.tensor(np.random.default_rng(0).normal(size=(4, 5)).astype(np.float32))
WHOLE = sz.tensor([3, 1, 1, 0], dtype="int64")
ARGUMENTS: dict[str, list[Any]] = {
    "bincount": [WHOLE],
    "quantile": [X, 0.25],
    "nanquantile": [X, [0.25, 0.5]],
    "append": [X, X],
    "digitize": [X, sz.tensor([-1.0, 0.0, 1.0])],
    "interp": [X, sz.tensor([-1.0, 0.0, 1.0]), sz.tensor([1.0, 2.0, 4.0])],
    "isin": [WHOLE, sz.tensor([1, 3], dtype="int64")],
    "nan_to_num": [X],
}
# What chooses a way by numbers: it asks for a few of them.
ASKS = {"bincount", "histogram", "quantile", "nanquantile", "interp", "digitize"}


def arguments(name: str, function: Any) -> list[Any] | None:
    """Arguments that the function takes."""
    for given in (ARGUMENTS.get(name), [X], [X, X], [X, 0.5], [X, X, X], [[X, X]]):
        if given is None:
            continue
        try:
            function(*given)
        except Exception:
            continue
        return given
    return None


@pytest.mark.parametrize("name", extras.__all__)
def test_extras(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    function = getattr(extras, name)
    given = arguments(name, function)
    if given is None:
        pytest.skip("takes no such arguments")
    from suanzi.devices import tensor

    moved: list[int] = []
    before = tensor.on_host

    def counted(x: Any, operator: str) -> Any:
        moved.append(x.size)
        return before(x, operator)

    operands = there(given)
    monkeypatch.setattr(tensor, "on_host", counted)
    status, found = sz.attempt(lambda: function(*operands))
    monkeypatch.setattr(tensor, "on_host", before)
    if status:
        assert status == sz.Status.TYPE_MISMATCH
        return
    assert sum(moved) <= (8 if name in ASKS else 2), moved
    expected = function(*given)
    if isinstance(expected, (tuple, sz.Tensor)):
        assert_same(here(found), list(expected) if isinstance(expected, tuple) else expected, 100.0)


def test_the_array_api_under_the_default_device() -> None:
    with sz.set_default_device(GPU):
        assert array_api.__array_namespace_info__().default_device() == GPU
        x: Any = array_api.asarray([[3.0, 1.0], [2.0, 4.0]])
        for made in (
            *(x, array_api.zeros(2), array_api.ones(2), array_api.empty(2), array_api.full(2, 7), array_api.arange(3)),
            *(
                array_api.eye(2),
                array_api.linspace(0, 1, 3),
                array_api.fft.fftfreq(4),
                array_api.astype(x, array_api.int32),
            ),
            *(array_api.unique_values(x), *array_api.unique_all(x), array_api.linalg.inv(x), array_api.sort(x)),
            *(
                x.__array_namespace__().sum(x),
                array_api.from_dlpack(x),
                array_api.tril(x),
                array_api.where(x > 1, x, 0),
            ),
        ):
            assert made.device == GPU
        assert sz.random.Generator(1).uniform(3).device == GPU


def test_files(tmp_path: Path) -> None:
    x = there(X)
    for name in ("x.npy", "x.safetensors", "x.npz"):
        given = x if name.endswith("npy") else {"x": x}
        sz.save(tmp_path / name, given)
        found = sz.load(tmp_path / name)
        assert_same(found if name.endswith("npy") else found["x"], X)


def test_numpys_functions() -> None:
    numpy: Any = np
    for call in (lambda x: numpy.exp(x), lambda x: numpy.sum(x, axis=0), lambda x: numpy.concatenate([x, x])):
        assert_same(here(call(there(X))), call(X), 10.0)


@not_simulated
def test_info_lists_devices() -> None:
    done = subprocess.run([sys.executable, "-m", "suanzi", "info"], capture_output=True, text=True, check=True)
    assert "cpu:0, gpu:0" in done.stdout


@not_simulated
def test_objects_of_others_on_a_device(monkeypatch: pytest.MonkeyPatch) -> None:
    """An object that says that its memory is on a device is not read as the host's, but given to PyTorch."""
    import torch

    monkeypatch.setattr(torch, "from_dlpack", lambda data: torch.arange(3))

    class Exporter:
        def __dlpack_device__(self) -> tuple[int, int]:
            return 2, 0

        def __dlpack__(self, **options: Any) -> Any:
            raise AssertionError("the host asks for the memory of a device")

    for function in (sz.tensor, sz.from_reference, sz.from_dlpack):
        found = function(Exporter())
        assert found.device == GPU
        assert found.tolist() == [0, 1, 2]


def test_printing_to_a_stream() -> None:
    stream = io.StringIO()
    print(there(X), file=stream)
    assert stream.getvalue() == f"{X}\n"
