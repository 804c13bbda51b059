"""Fixtures of the device tests. The device is PyTorch's CPU, which uses the host's memory, unlike other devices.

With ``SUANZI_GPU=sim`` in the environment the device is the simulated accelerator, whose memory the host cannot touch.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import suanzi

sys.path.append(str(Path(__file__).parent / "simulated"))
_BACK_END = os.environ.get("SUANZI_GPU", "cpu")


@pytest.fixture(scope="session")
def accelerator() -> Any:
    """Return the simulated accelerator. The first test that needs the accelerator builds the accelerator's library."""
    pytest.importorskip("torch", reason="the simulated accelerator is a back end of PyTorch")
    import accelerator

    if reason := accelerator.missing():
        pytest.skip(reason)
    return accelerator.loaded()


@pytest.fixture(autouse=True)
def gpu(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Iterator[str]:
    """Yield the name of the device, or skip the test if PyTorch is not installed."""
    pytest.importorskip("torch", reason="tensors on devices need PyTorch, which the test extra does not install")
    if _BACK_END == "sim":
        request.getfixturevalue("accelerator")
    monkeypatch.setenv("SUANZI_GPU", _BACK_END)
    yield "gpu:0"
    suanzi.set_default_device(None)
    suanzi.synchronize()
