"""Messages show any value on one line, and cut long values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import suanzi
from suanzi import SuanziError
from suanzi.tensor.messages import LONGEST, cut, shown

pytestmark = pytest.mark.one_level

SHORT: list[Any] = [None, True, 0, -7, 2**64, 1.5, 1j, "a", "it's", "算子", b"a", [], (), (1,), [1, "a"], ((), [2])]
SHORT += [{"a": 1}, {1}, int, slice(1, None, 2), suanzi.float32, suanzi.Device("cpu"), suanzi.Layout(), len, ..., "\n"]


@pytest.mark.parametrize("value", SHORT, ids=repr)
def test_short_values_are_shown_whole(value: object) -> None:
    assert shown(value) == repr(value)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("ab" * 1000, f"'{'ab' * 31}a...{'ab' * 16}'"),
        ([0] * 1000, "[0, 0, 0, 0, 0, 0, ...]"),
        (tuple(range(7)), "(0, 1, 2, 3, 4, 5, ...)"),
        ([[[[[[1]]]]]], "[[[[[...]]]]]"),
        (10**40, "an integer of 133 bits"),
        ([-(10**40)], "[an integer of 133 bits]"),
        (np.zeros((2, 2)), "array([[0., 0.], [0., 0.]])"),
    ],
)
def test_long_values(value: object, text: str) -> None:
    assert shown(value) == text


def test_cut() -> None:
    assert cut("a" * 480) == "a" * 480
    text = "".join(chr(ord("a") + i % 26) for i in range(10_000))
    short = cut(text)
    assert len(short) == LONGEST
    beginning, end = short.split("...")
    assert text.startswith(beginning)
    assert text.endswith(end)


def test_every_error_is_cut() -> None:
    text = f"f: {'a' * 10_000} is not b"
    for error in (SuanziError, *SuanziError.__subclasses__()):
        raised = error(text, 1)
        assert len(str(raised.args[0])) == LONGEST
        assert raised.args[0].startswith("f: aaa")
        assert raised.args[0].endswith("aaa is not b")
        assert raised.args[1] == 1
        assert error().args == ()
    with pytest.raises(SuanziError) as caught:  # an error of the native core
        suanzi.einsum("?" * 100_000, suanzi.zeros(2))
    assert len(str(caught.value)) == LONGEST
