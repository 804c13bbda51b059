"""Python's comparisons of tensors with other objects are elementwise, are refused, or follow Python's default."""

from __future__ import annotations

import array
import operator
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import suanzi
import suanzi.interop.mindspore as ms
from suanzi import Status, TypeMismatchError, attempt

KINDS: dict[str, Callable[[], Any]] = {
    "dense": lambda: suanzi.tensor([1, 2, 3]),
    "of no dimensions": lambda: suanzi.tensor(1, dtype="int32"),
    "strings": lambda: suanzi.tensor(["a", "b", "c"]),
    "sparse": lambda: suanzi.to_sparse(suanzi.tensor([1.0, 0.0, 3.0])),
    "quantized": lambda: suanzi.quantized_tensor(None, [1.0, 2.0, 3.0]),
    "mindspore": lambda: ms.Tensor([1, 2, 3]),
}
COMPARISONS = {
    "equal": operator.eq,
    "not_equal": operator.ne,
    "less": operator.lt,
    "less_equal": operator.le,
    "greater": operator.gt,
    "greater_equal": operator.ge,
}
ORDER = ("less", "less_equal", "greater", "greater_equal")


class Pair(tuple[int, ...]):
    __slots__ = ()


class Thing:
    pass


class Anything:
    """An object that equals every other object, like mock.ANY."""

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = None  # type: ignore[assignment]


HOLD_ELEMENTS = (
    *([1, 2, 3], (1, 2, 3), Pair((1, 2, 3)), [], (), [[1], [2, 3]], [1, "a"], range(3), b"abc", bytearray(b"abc")),
    *(memoryview(b"abc"), array.array("d", [1.0, 2.0, 3.0])),
)
OTHER_NUMBERS = (Fraction(1, 2), Decimal(1))
OTHERS = (None, Thing(), {1, 2}, {}, {"a": 1}, ..., NotImplemented, slice(1), date(2020, 1, 1), iter([1]), print, int)


@pytest.mark.parametrize("name", COMPARISONS)
@pytest.mark.parametrize("kind", KINDS)
def test_what_holds_elements_is_refused_from_both_sides(kind: str, name: str) -> None:
    x = KINDS[kind]()
    # Comparisons and arithmetic of quantized tensors accept real numbers of any class.
    numbers = () if kind == "quantized" else OTHER_NUMBERS
    for other in (*HOLD_ELEMENTS, *numbers):
        for sides in ((x, other), (other, x)):
            if isinstance(other, bytearray | memoryview) and sides[0] is other:
                continue  # these classes compare themselves with any buffer, and never call the tensor's operator
            with pytest.raises(TypeMismatchError, match=r"neither .* nor a (real )?number"):
                COMPARISONS[name](*sides)
            assert attempt(COMPARISONS[name], *sides)[0] is Status.TYPE_MISMATCH


@pytest.mark.parametrize("kind", KINDS)
def test_other_objects_are_unequal(kind: str) -> None:
    x = KINDS[kind]()
    for other in OTHERS:
        assert (x == other) is (other == x) is False
        assert (x != other) is (other != x) is True
        for name in ORDER:
            for sides in ((x, other), (other, x)):
                with pytest.raises(TypeError):
                    COMPARISONS[name](*sides)
                assert attempt(COMPARISONS[name], *sides)[0] is Status.TYPE_MISMATCH
    assert [x, None].index(None) == 1
    assert None in [x, None]


@pytest.mark.parametrize("kind", KINDS)
def test_a_class_that_knows_more_has_its_say(kind: str) -> None:
    x = KINDS[kind]()
    assert (x == Anything()) is True
    assert (Anything() == x) is True


def test_what_is_an_operand_is_compared() -> None:
    x = suanzi.tensor([1, 2, 3])
    for other in (2, 2.0, True + 1, np.float32(2), 2 + 0j, suanzi.tensor(2), np.array(2), np.int8(2)):
        assert (x == other).tolist() == (other == x).tolist() == [False, True, False]
        assert (x != other).tolist() == (other != x).tolist() == [True, False, True]
    assert (x == np.array([1, 0, 3])).tolist() == (np.array([1, 0, 3]) == x).tolist() == [True, False, True]
    assert (suanzi.tensor(["a", "b"]) == "a").tolist() == [True, False]
    for kind in ("dense", "quantized", "mindspore"):
        for sides in ((KINDS[kind](), "a"), ("a", KINDS[kind]())):
            assert attempt(operator.eq, *sides)[0] is attempt(operator.ne, *sides)[0] is Status.TYPE_MISMATCH


def test_functions_refuse_all_that_is_no_operand() -> None:
    x = suanzi.tensor([1, 2, 3])
    for name in COMPARISONS:
        for other in (*HOLD_ELEMENTS, *OTHER_NUMBERS, *OTHERS):
            for operands in ((x, other), (other, x)):
                assert attempt(getattr(suanzi, name), *operands)[0] is Status.TYPE_MISMATCH


def test_traced_functions_compare_alike() -> None:
    for other in ([1, 2], (1, 2)):

        def compared(x: Any, other: Any = other) -> Any:
            return x == other

        with pytest.raises(TypeMismatchError, match="neither a tensor nor a number"):
            suanzi.fuse(compared)(suanzi.ones(2))
    assert suanzi.fuse(lambda x: x + (1 if x == None else 2))(suanzi.ones(2)).tolist() == [3, 3]  # noqa: E711


def test_membership() -> None:
    x = suanzi.tensor([1, 2, 3])
    assert 2 in x
    assert None not in x
    with pytest.raises(TypeMismatchError, match="list is neither a tensor nor a number"):
        _ = [1] in x


def test_lists_beside_arithmetic() -> None:
    """`[0, 1] * n` repeats a list and `items += x` extends a list. Other arithmetic with lists raises an error."""
    n, x = suanzi.tensor(2, dtype="int32"), suanzi.tensor([1, 2, 3])
    assert [0, 1] * n == [0, 1, 0, 1]
    items: list[Any] = [5]
    items += x
    assert len(items) == 4
    for other in ([1, 2, 3], (1, 2, 3), None, Thing()):
        for operation in (operator.add, operator.sub, operator.truediv):
            for sides in ((x, other), (other, x)):
                with pytest.raises(TypeError):
                    operation(*sides)
                assert attempt(operation, *sides)[0] is Status.TYPE_MISMATCH
                if isinstance(other, list | tuple) and not (operation is operator.add and isinstance(sides[0], list)):
                    with pytest.raises(TypeMismatchError, match=r"use suanzi\.tensor\("):
                        operation(*sides)


def test_tensors_of_mindspore_beside_those_of_suanzi() -> None:
    """Every operator refuses a tensor of MindSpore beside a tensor of Suanzi, and the error states the reason."""
    own, other = suanzi.ones(3), ms.Tensor([1.0, 2.0, 3.0])
    operations = (*COMPARISONS.values(), operator.add, operator.sub, operator.mul, operator.truediv, operator.pow)
    for operation in operations:
        for sides in ((own, other), (other, own)):
            status, error = attempt(operation, *sides)
            assert status is Status.TYPE_MISMATCH
            assert "suanzi.Tensor is neither a Tensor of mindspore" in str(error)
    for array_like in (np.array([1.0, 2.0, 3.0]), [1.0]):
        with pytest.raises(TypeMismatchError):
            _ = other == array_like
    assert attempt(lambda: suanzi.ones(6) + ms.Tensor([1.0]))[0] is Status.TYPE_MISMATCH
