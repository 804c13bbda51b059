"""arange of integer types accepts whole numbers written with a decimal point, as full and tensor do."""

from __future__ import annotations

import pytest

import suanzi
from suanzi import InvalidArgumentError, OutOfRangeError, TypeMismatchError


def test_whole_floats_are_integers() -> None:
    assert suanzi.arange(0, 5.0, 1, dtype="int32").tolist() == [0, 1, 2, 3, 4]
    assert suanzi.arange(5.0, -1.0, -2.0, dtype="int8").tolist() == [5, 3, 1]
    assert suanzi.arange(3.0, dtype="uint64").tolist() == [0, 1, 2]
    assert suanzi.arange(2.0**62, 2.0**64, 2.0**62, dtype="uint64").tolist() == [2**62, 2**63, 3 * 2**62]
    assert suanzi.arange(-0.0, 2.0, dtype="int16").tolist() == [0, 1]


def test_other_floats_are_refused() -> None:
    for bounds in ((0, 5.5, 1), (0.5, 3, 1), (0, 3, 0.5)):
        with pytest.raises(TypeMismatchError, match="is not an integer, as element type int32 needs"):
            suanzi.arange(*bounds, dtype="int32")
    with pytest.raises(OutOfRangeError):
        suanzi.arange(0, 300.0, 1, dtype="uint8")
    with pytest.raises(OutOfRangeError):
        suanzi.arange(1e300, 2e300, 1, dtype="int64")
    for bounds in ((0, float("nan"), 1), (0, float("inf"), 1), (0, 5.0, 0.0)):
        with pytest.raises(InvalidArgumentError):
            suanzi.arange(*bounds, dtype="int32")
