"""Tests of valid and invalid names of devices (6.5)."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import suanzi
from samples import THING, fails
from suanzi import Device, InvalidArgumentError
from suanzi.tensor.messages import shown

pytestmark = pytest.mark.one_level

TYPES = ("cpu", "gpu", "npu", "fpga", "asic")


@pytest.mark.parametrize("name", TYPES)
def test_either_case(name: str) -> None:
    for text in (name, name.upper(), name.title()):
        assert Device(text) == Device(name) == Device(name, 0) == Device(f"{text}:0")
        assert Device(f"{text}:12") == Device(text, 12) == Device(text, np.int64(12))
        assert str(Device(text, 3)) == f"{name}:3"
        assert pickle.loads(pickle.dumps(Device(text, 3))) == Device(name, 3)


def test_the_cpu_in_either_case() -> None:
    for text in ("cpu", "CPU", "Cpu:0"):
        assert suanzi.zeros(2, device=text).device == Device("cpu")
    with fails(InvalidArgumentError, "zeros"):
        suanzi.zeros(2, device="GPU")


TEXTS = ("1gpu", "g pu", "gpu-a", "", "µ", "cpu:", "cpu:-1", "cpu:a", " cpu", f"cpu:{10**9}", None, 1, b"cpu", THING)
INDICES = (-1, "1", 1.0, True, 10**9, 10**100_000, [])


def test_any_type_can_be_named() -> None:
    assert str(Device("tpu:3")) == "tpu:3"
    assert Device("My_Chip") == "my_chip:0"
    with fails(InvalidArgumentError, "zeros"):
        suanzi.zeros(2, device="tpu")


@pytest.mark.parametrize("arguments", [*((x,) for x in TEXTS), *(("cpu", x) for x in INDICES), ("cpu:1", 1)], ids=shown)
def test_what_names_none(arguments: tuple[Any, ...]) -> None:
    with fails(InvalidArgumentError, "Device"):
        Device(*arguments)


def test_a_device_equals_its_text() -> None:
    assert suanzi.zeros(2).device == "cpu"
    assert suanzi.zeros(2).device == "CPU:0"
    assert Device("gpu", 1) == "gpu:1"
    for text in ("cpu:1", "gpu", "", "cuda", "cpu:-1", None, 0, b"cpu"):
        assert (Device("cpu") == text) is False
