"""PyTorch's CPU stands for a device: its memory is the host's, and all else is as on one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import suanzi


@pytest.fixture(autouse=True)
def gpu(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The name of the device; the tests of this folder are skipped where PyTorch is not installed."""
    pytest.importorskip("torch", reason="tensors on devices need PyTorch, which the test extra does not install")
    monkeypatch.setenv("SUANZI_GPU", "cpu")
    yield "gpu:0"
    suanzi.set_default_device(None)
    suanzi.synchronize()
