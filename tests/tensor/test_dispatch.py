"""Operands of other classes: the core's functions hand calls on to those that ask for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import suanzi
from suanzi import TypeMismatchError


class Recorder:
    """An operand that answers with what it is asked."""

    @staticmethod
    def __suanzi_call__(name: str, arguments: tuple[Any, ...]) -> object:
        return (name, *arguments)


class Silent:
    """An operand that has no answer."""

    @staticmethod
    def __suanzi_call__(name: str, arguments: tuple[Any, ...]) -> object:
        return NotImplemented


class Failing:
    """An operand that takes the call and fails."""

    @staticmethod
    def __suanzi_call__(name: str, arguments: tuple[Any, ...]) -> object:
        raise suanzi.OutOfRangeError(f"{name}: too far")


DENSE = suanzi.tensor([1.0, 2.0])
CALLS: list[tuple[str, Callable[[Any], object]]] = [
    ("add", lambda x: suanzi.add(x, DENSE)),
    ("add", lambda x: suanzi.add(DENSE, x)),
    ("where", lambda x: suanzi.where(suanzi.tensor(True), DENSE, x)),
    ("sum", lambda x: suanzi.sum(x, axis=0)),
    ("matmul", lambda x: suanzi.matmul(DENSE, x)),
    ("astype", lambda x: suanzi.astype(x, "int32")),
    ("gather", lambda x: suanzi.gather(x, suanzi.tensor([0], dtype="int64"))),
    ("sort", lambda x: suanzi.sort(x)),
    ("concat", lambda x: suanzi.concat([DENSE, x])),
    ("stack", lambda x: suanzi.stack((x, DENSE))),
    ("meshgrid", lambda x: suanzi.meshgrid(DENSE, x)),
]


@pytest.mark.parametrize(("name", "call"), CALLS)
def test_calls_are_handed_on(name: str, call: Callable[[Any], Any]) -> None:
    operand = Recorder()
    asked, *arguments = call(operand)
    assert asked == name
    operands = [*arguments, *(x for argument in arguments if isinstance(argument, list | tuple) for x in argument)]
    assert any(argument is operand for argument in operands)


@pytest.mark.parametrize(("name", "call"), CALLS)
def test_without_an_answer(name: str, call: Callable[[Any], object]) -> None:
    with pytest.raises(TypeMismatchError, match=f"^{name}: Silent is"):
        call(Silent())


@pytest.mark.parametrize(("name", "call"), CALLS)
def test_failures_pass(name: str, call: Callable[[Any], object]) -> None:
    with pytest.raises(suanzi.OutOfRangeError, match=f"^{name}: too far"):
        call(Failing())


def test_the_first_answer_counts() -> None:
    assert suanzi.add(Silent(), Recorder())[0] == "add"


def test_other_classes_are_refused() -> None:
    with pytest.raises(TypeMismatchError, match="object"):
        suanzi.add(DENSE, object())  # type: ignore[arg-type]
