"""The core's functions pass a call to the class of an operand, if this class has the protocol for calls."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import pytest

import suanzi
from good_arguments import required
from suanzi import SuanziError, TypeMismatchError
from suanzi.operators.registry import records

pytestmark = pytest.mark.one_level


class Recorder:
    """An operand whose `__suanzi_call__` returns the name and the arguments of the call."""

    @staticmethod
    def __suanzi_call__(name: str, arguments: tuple[Any, ...]) -> object:
        return (name, *arguments)


class Silent:
    """An operand whose `__suanzi_call__` returns NotImplemented."""

    @staticmethod
    def __suanzi_call__(name: str, arguments: tuple[Any, ...]) -> object:
        return NotImplemented


class Failing:
    """An operand whose `__suanzi_call__` raises an error."""

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
    with pytest.raises(TypeMismatchError, match=rf"^{name}: .*Silent is"):
        call(Silent())


@pytest.mark.parametrize(("name", "call"), CALLS)
def test_failures_pass(name: str, call: Callable[[Any], object]) -> None:
    with pytest.raises(suanzi.OutOfRangeError, match=f"^{name}: too far"):
        call(Failing())


@pytest.mark.parametrize("operand", [Recorder(), Failing()])
def test_only_operands_are_asked(operand: Any) -> None:
    """A call does not query the protocol of `out`, or of an item in a list where a tensor is expected."""
    calls: list[tuple[str, Callable[[], object]]] = [
        ("equal", lambda: suanzi.equal(1, 2, out=operand)),
        ("add", lambda: suanzi.add(1, DENSE, out=operand)),
        ("sin", lambda: suanzi.sin(DENSE, out=operand)),
        ("where", lambda: suanzi.where(DENSE, 1, 2, out=operand)),
        ("sum", lambda: suanzi.sum(DENSE, out=operand)),
        ("less", lambda: suanzi.less((operand,), DENSE)),  # type: ignore[arg-type]
        ("less", lambda: suanzi.less(DENSE, [operand])),  # type: ignore[arg-type]
        ("sum", lambda: suanzi.sum([operand])),  # type: ignore[arg-type]
    ]
    for name, call in calls:
        with pytest.raises(TypeMismatchError, match=f"^{name}: "):
            call()


def test_a_class_is_asked_once() -> None:
    asked = []

    class Counting:
        @staticmethod
        def __suanzi_call__(name: str, arguments: tuple[Any, ...]) -> object:
            asked.append(name)
            return NotImplemented

    with pytest.raises(TypeMismatchError, match=r"^concat: "):
        suanzi.concat([Counting() for _ in range(100)])
    assert asked == ["concat"]


OUTS: list[Any] = [
    suanzi.to_sparse(suanzi.tensor([1.0, 0.0])),
    suanzi.quantize(suanzi.tensor([1.0, 0.0]), scale=0.5, dtype="qint8"),
]


@pytest.mark.parametrize("other", OUTS, ids=["sparse", "quantized"])
def test_out_of_another_kind(other: Any) -> None:
    """Every operator refuses an `out` of another kind, whether the operands are numbers or dense tensors."""
    for record in records():
        if "out" not in inspect.signature(record.function).parameters or record.name == "einsum":
            continue
        for operand in (1, DENSE, True):
            given = [operand] * len(required(record))
            with pytest.raises(SuanziError, match=f"^{record.name}: "):
                record.function(*given, out=other)


def test_sequences_beside_tensors_of_other_kinds() -> None:
    for other in OUTS:
        for call in (suanzi.less, suanzi.add, suanzi.equal, suanzi.matmul):
            for pair in (((other,), DENSE), (DENSE, [other]), ((other,), other), (other, [[other]])):
                with pytest.raises(TypeMismatchError, match=f"^{call.__name__}: "):
                    call(*pair)


def test_the_first_answer_counts() -> None:
    assert suanzi.add(Silent(), Recorder())[0] == "add"


def test_other_classes_are_refused() -> None:
    with pytest.raises(TypeMismatchError, match="object"):
        suanzi.add(DENSE, object())  # type: ignore[arg-type]
