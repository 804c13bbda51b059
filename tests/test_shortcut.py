"""A `_core.Shortcut` calls a function of another library directly, or passes the call on to a slower function.

The operands of direct calls have one type and one device. The second operand may be a small number.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from typing import Any

import pytest

from suanzi import InvalidArgumentError, TypeMismatchError, _core

pytestmark = pytest.mark.one_level

FLOATS, INTEGERS, TRUTH = "floats", "integers", "truth"  # the core compares types and devices by identity


class Thing:
    """A stand-in for a tensor of another library: a number as the data, with a type and a device."""

    __slots__ = ("_is_irregular", "data", "device", "dtype")
    data: Any
    dtype: str
    device: str
    _is_irregular: bool

    def __init__(self, data: Any = 0.0, dtype: str = FLOATS, device: str = "here") -> None:
        self.data, self.dtype, self.device = data, dtype, device


class Changed(Thing):
    """A subclass of Thing, whose instances a shortcut passes to the slower function."""


class Recorder:
    """An object that makes shortcuts, and records notes, failures and calls of the slower function."""

    def __init__(self) -> None:
        self.slow: list[tuple[Any, ...]] = []
        self.notes: list[str] = []
        self.failures: list[tuple[Any, ...]] = []

    def otherwise(self, *given: Any, **keywords: Any) -> str:
        self.slow.append((*given, *keywords.items()))
        return "slow"

    def failed(self, *given: Any) -> str:
        self.failures.append(given)
        return "failed"

    def shortcut(
        self,
        function: Callable[..., Any],
        operands: int = 2,
        result: str | None = None,
        defaults: tuple[Any, ...] = (),
    ) -> Any:
        types, numbers = (FLOATS, INTEGERS), (FLOATS,)
        return _core.Shortcut(
            Thing, function, operands, types, numbers, result, self.notes.append, self.failed, self.otherwise, defaults
        )


def test_operands_of_one_type_and_device_go_to_the_function() -> None:
    recorder = Recorder()
    add = recorder.shortcut(lambda a, b: a + b)
    found = add(Thing(1.0), Thing(2.5), None)
    assert (type(found), found.data, found.dtype, found.device) == (Thing, 3.5, FLOATS, "here")
    assert not hasattr(found, "_is_irregular")
    assert add(Thing(1, INTEGERS), Thing(2, INTEGERS)).data == 3
    assert recorder.shortcut(lambda a, b: a < b, result=TRUTH)(Thing(1.0), Thing(2.0)).dtype is TRUTH
    assert recorder.shortcut(lambda a: -a, 1)(Thing(4.0), None, None).data == -4.0
    assert recorder.notes == ["otherwise"] * 4
    assert recorder.slow == []


@pytest.mark.parametrize("number", [2, -3.5, 59999, 0])
def test_a_small_number_is_an_operand(number: float) -> None:
    assert Recorder().shortcut(lambda a, b: a * b)(Thing(2.0), number).data == 2 * number


def without(name: str) -> Thing:
    thing = Thing(1.0)
    delattr(thing, name)
    return thing


def irregular() -> Thing:
    thing = Thing(1.0)
    thing._is_irregular = True
    return thing


OTHER_CALLS: dict[str, Callable[[], tuple[Any, ...]]] = {
    "nothing": lambda: (),
    "too few": lambda: (Thing(),),
    "out": lambda: (Thing(), Thing(), Thing()),
    "a number first": lambda: (1.0, Thing()),
    "a subclass": lambda: (Changed(), Thing()),
    "another class": lambda: (Thing(), "x"),
    "bool": lambda: (Thing(), True),
    "complex": lambda: (Thing(), 1j),
    "nan": lambda: (Thing(), float("nan")),
    "inf": lambda: (Thing(), float("inf")),
    "a large float": lambda: (Thing(), 6e4),
    "a large integer": lambda: (Thing(), -60000),
    "a huge integer": lambda: (Thing(), 10**400),
    "a number with integers": lambda: (Thing(1, INTEGERS), 2),
    "two types": lambda: (Thing(), Thing(1, INTEGERS)),
    "a type that is not served": lambda: (Thing(True, TRUTH), Thing(True, TRUTH)),
    "two devices": lambda: (Thing(), Thing(1.0, FLOATS, "there")),
    "no memory": lambda: (Thing(), without("data")),
    "no type": lambda: (without("dtype"), Thing()),
    "no device": lambda: (Thing(), without("device")),
    "irregular": lambda: (Thing(), irregular()),
    "irregular first": lambda: (irregular(), Thing()),
}


@pytest.mark.parametrize("call", OTHER_CALLS)
def test_other_calls_take_the_slow_way(call: str) -> None:
    recorder = Recorder()
    given = OTHER_CALLS[call]()
    assert recorder.shortcut(lambda a, b: a + b)(*given) == "slow"
    assert recorder.slow == [given]
    assert recorder.notes == []


def test_further_arguments_are_the_defaults() -> None:
    """Arguments after the operands must be the defaults, and None where no default exists.

    The shortcut passes a call with another argument to the slower function.
    """
    recorder, x = Recorder(), Thing(4.0)
    negative = recorder.shortcut(lambda a: -a, 1, defaults=(None, False))
    for served in ((), (None,), (None, False), (None, False, None, None)):
        assert negative(x, *served).data == -4.0
    for other in ((0,), (None, None), (None, 0), (None, True), (None, False, False), (False,)):
        assert negative(x, *other) == "slow"
    assert len(recorder.slow) == 6


def test_keywords_take_the_slow_way() -> None:
    recorder, x = Recorder(), Thing()
    assert recorder.shortcut(lambda a, b: a + b)(x, x, out=None) == "slow"
    assert recorder.slow == [(x, x, ("out", None))]


def test_an_error_of_the_function_is_answered() -> None:
    recorder, x = Recorder(), Thing(1.0)
    divide = recorder.shortcut(lambda a, b: a / b)
    assert divide(x, 0) == "failed"
    ((error, otherwise, *given),) = recorder.failures
    assert isinstance(error, ZeroDivisionError)
    assert error.__traceback__ is not None
    assert otherwise == recorder.otherwise
    assert given == [x, 0]
    assert recorder.notes == []


def test_an_interrupt_passes() -> None:
    recorder = Recorder()

    def interrupted(x: float) -> float:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        recorder.shortcut(interrupted, 1)(Thing())
    assert recorder.failures == []


def test_memory_may_be_replaced_while_the_function_runs() -> None:
    x = Thing([1.0])

    def replace(memory: list[float]) -> list[float]:
        x.data, x.dtype, x.device = None, "gone", "gone"
        return memory

    found = Recorder().shortcut(replace, 1)(x)
    assert (found.data, found.dtype, found.device) == ([1.0], FLOATS, "here")


def test_nothing_is_left() -> None:
    recorder, x, memory = Recorder(), Thing(), object()
    x.data = memory
    same, fails = recorder.shortcut(lambda a: a, 1), recorder.shortcut(lambda a: a / 0, 1)
    recorder.failed = lambda *given: None  # type: ignore[method-assign]
    before = sys.getrefcount(memory), sys.getrefcount(x)
    for _ in range(1000):
        same(x)
        fails(x)
        same(x, x)
        recorder.slow.clear()
        recorder.notes.clear()
    recorder.failures.clear()
    gc.collect()
    assert (sys.getrefcount(memory), sys.getrefcount(x)) == before


def test_what_makes_no_shortcut() -> None:
    recorder = Recorder()
    with pytest.raises(InvalidArgumentError, match="3 operands are not 1 or 2"):
        recorder.shortcut(lambda a: a, 3)
    with pytest.raises(AttributeError, match="data"):
        _core.Shortcut(int, abs, 1, (), (), None, print, print, print, ())

    class Loose:
        data = dtype = device = _is_irregular = None

    with pytest.raises(TypeMismatchError, match="data is not a slot of the class"):
        _core.Shortcut(Loose, abs, 1, (), (), None, print, print, print, ())
