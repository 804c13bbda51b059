"""Arguments of odd kinds: dates of NumPy, scalars without dimensions, and sequences that misbehave."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import suanzi
from suanzi import DimensionsMismatchError, InvalidArgumentError, TypeMismatchError, nn

X = suanzi.ones(2)
IMAGE, KERNEL = suanzi.ones((1, 1, 4, 4)), suanzi.ones((1, 1, 2, 2))
UNITS = ["as", "ps", "ns", "us", "s", "D", "Y", "generic"]


def _assign(value: Any) -> None:
    suanzi.zeros(2, dtype="int64")[0] = value


TIMES: dict[str, Callable[[Any], Any]] = {
    "add": lambda t: X + t,
    "from the right": lambda t: t * X,
    "full": lambda t: suanzi.full(2, t, dtype="int64"),
    "assignment": _assign,
    "linspace": lambda t: suanzi.linspace(t, t, 3),
    "tensor": lambda t: suanzi.tensor([t], dtype="float32"),
    "comparison": lambda t: t < X,
    "where": lambda t: suanzi.where(X > 0, X, t),
    "axis": lambda t: suanzi.sum(X, t),
    "shape": lambda t: suanzi.zeros(t),
}


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("call", TIMES.values(), ids=TIMES)
def test_dates_and_durations_are_no_numbers(call: Callable[[Any], Any], unit: str) -> None:
    for time in (np.timedelta64(5, unit), *([] if unit == "generic" else [np.datetime64(5, unit)])):
        with pytest.raises(TypeMismatchError):
            call(time)


@pytest.mark.parametrize("number", [np.int8(2), np.float16(2), np.complex64(2), np.bool_(True), ml_dtypes.bfloat16(2)])
def test_other_scalars_of_numpy_are_numbers(number: Any) -> None:
    assert (X + number).tolist() == [1 + number.item()] * 2


def test_structured_scalars_are_no_sizes() -> None:
    for call in (suanzi.zeros, lambda n: suanzi.sum(X, n)):
        with pytest.raises(TypeMismatchError):
            call(np.void(b"abc"))


def test_arrays_without_dimensions() -> None:
    for padding in (np.array(1), [np.array(1), np.array(0)]):
        plain = 1 if isinstance(padding, np.ndarray) else [1, 0]
        for function in (nn.conv, nn.conv_transpose):
            found = function(IMAGE, KERNEL, padding=padding)
            assert suanzi.array_equal(found, function(IMAGE, KERNEL, padding=plain))


class Items:
    """A sequence whose first item raises an error, or whose length is negative."""

    def __init__(self, length: int) -> None:
        self.length = length

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, index: int) -> Any:
        if index == 0:
            raise KeyError("the first item")
        return [0]


class Clearing:
    """A number whose conversion removes all items of a list."""

    def __init__(self, items: list[Any]) -> None:
        self.items = items

    def __index__(self) -> int:
        self.items.clear()
        return 2


def test_sequences_that_misbehave() -> None:
    with pytest.raises(KeyError, match="the first item"):
        suanzi.tensordot(KERNEL, KERNEL, axes=Items(2))
    with pytest.raises(TypeMismatchError):
        suanzi.zeros(Items(-1))
    items: list[Any] = []
    items.extend([Clearing(items), 3])
    with pytest.raises(InvalidArgumentError, match="shape changed while it was read"):
        suanzi.zeros(items)


def test_long_sequences_are_not_read() -> None:
    with pytest.raises(DimensionsMismatchError, match="scale_factor"):
        suanzi.interpolate(IMAGE, scale_factor=range(1, 2**62))  # type: ignore[arg-type]
    weights = suanzi.ones((1, 4, 1))
    for count in (2**62, 2**70):
        with pytest.raises(DimensionsMismatchError, match="sequence_lens"):
            nn.lstm(suanzi.ones((3, 1, 1)), weights, weights, sequence_lens=range(count))
