"""Tests of status handling (5.5, Table 1): eight codes, an exception for each code, and calls without exceptions."""

from __future__ import annotations

import copy
import json
import operator
import pickle
import weakref
from typing import Any

import pytest

import suanzi
from samples import destroyed
from suanzi import Status, SuanziError, attempt
from suanzi.tensor.status import ERRORS

pytestmark = pytest.mark.one_level

TABLE_1 = [
    ("操作成功", "STATUS_SUCCESS"),
    ("类型不匹配", "STATUS_TYPE_MISMATCH"),
    ("维度不匹配", "STATUS_DIMENSIONS_MISMATCH"),
    ("对象未初始化", "STATUS_UNINITIALIZED_OBJECT"),
    ("非法参数", "STATUS_INVALID_ARGUMENT"),
    ("内存不足", "STATUS_ALLOC_FAILED"),
    ("超出范围", "STATUS_OUT_OF_RANGE"),
    ("其它内部错误", "STATUS_INTERNAL_ERROR"),
]
BUILT_IN = {
    suanzi.TypeMismatchError: TypeError,
    suanzi.DimensionsMismatchError: ValueError,
    suanzi.UninitializedObjectError: RuntimeError,
    suanzi.InvalidArgumentError: ValueError,
    suanzi.AllocFailedError: MemoryError,
    suanzi.OutOfRangeError: IndexError,
    suanzi.InternalError: RuntimeError,
}
FAILURES: list[tuple[Status, Any, tuple[Any, ...]]] = [
    (Status.TYPE_MISMATCH, suanzi.sin, ("a",)),
    (Status.DIMENSIONS_MISMATCH, suanzi.add, (suanzi.zeros(2), suanzi.zeros(3))),
    (Status.UNINITIALIZED_OBJECT, suanzi.size, (destroyed(),)),
    (Status.INVALID_ARGUMENT, suanzi.zeros, (-1,)),
    (Status.ALLOC_FAILED, suanzi.zeros, (2**50,)),
    (Status.OUT_OF_RANGE, suanzi.sum, (suanzi.zeros(2), 1)),
]


def test_table_1() -> None:
    assert [(s.chinese, s.standard) for s in Status] == TABLE_1
    assert [int(s) for s in Status] == list(range(8))
    assert not Status.STATUS_SUCCESS


@pytest.mark.parametrize("error", BUILT_IN)
def test_every_exception_is_a_built_in_too(error: Any) -> None:
    assert issubclass(error, SuanziError)
    assert issubclass(error, BUILT_IN[error])
    assert ERRORS[error.status] is error
    assert TABLE_1[error.status][0] in error.__doc__


def test_every_unsuccessful_status_has_an_exception() -> None:
    assert ERRORS[0] is None
    assert [e.status for e in ERRORS if e is not None] == list(Status)[1:]
    assert set(BUILT_IN) == set(ERRORS) - {None}


@pytest.mark.parametrize(("status", "operator", "arguments"), FAILURES, ids=[s.name for s, _, _ in FAILURES])
def test_both_calling_forms(status: Status, operator: Any, arguments: tuple[Any, ...]) -> None:
    error = ERRORS[status]
    assert error is not None
    with pytest.raises(error) as caught:
        operator(*arguments)
    returned, result = attempt(operator, *arguments)
    assert returned is status
    assert type(result) is error
    assert str(result) == str(caught.value) != ""
    assert type(caught.value) is error
    assert caught.value.status is status
    with pytest.raises(BUILT_IN[error]):
        operator(*arguments)


def test_table_1_as_the_standard_spells_it() -> None:
    for status, (_, name) in zip(Status, TABLE_1, strict=True):
        assert getattr(Status, name) is Status[name] is status
    assert len(Status) == 8


def test_a_failed_attempt_keeps_no_operand_alive() -> None:
    class Operand:
        pass

    def fails_over(operand: Operand) -> None:
        try:
            raise ValueError("cause")
        except ValueError as error:
            raise suanzi.InvalidArgumentError("fails_over: no") from error

    operand = Operand()
    known = weakref.ref(operand)
    _, result = attempt(fails_over, operand)
    del operand
    assert str(result) == "fails_over: no"
    assert known() is None


def test_success() -> None:
    status, x = attempt(suanzi.full, (2,), 3, dtype=suanzi.int8)
    assert status is Status.STATUS_SUCCESS
    assert isinstance(x, suanzi.Tensor)
    assert x.tolist() == [3, 3]
    assert attempt(suanzi.destroy, x) == (Status.STATUS_SUCCESS, None)


def raising(error: BaseException) -> Any:
    def operator() -> None:
        raise error

    return operator


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (TypeError(), Status.INVALID_ARGUMENT),
        (ValueError(), Status.INVALID_ARGUMENT),
        (MemoryError(), Status.ALLOC_FAILED),
        (BufferError(), Status.INVALID_ARGUMENT),
        (IndexError(), Status.OUT_OF_RANGE),
        (KeyError(), Status.OUT_OF_RANGE),
        (ZeroDivisionError(), Status.INTERNAL_ERROR),
        (suanzi.InternalError("x: y"), Status.INTERNAL_ERROR),
    ],
    ids=repr,
)
def test_exceptions_that_no_operator_raised_itself(error: BaseException, status: Status) -> None:
    returned, result = attempt(raising(error))
    assert returned is status
    assert isinstance(result, SuanziError)
    assert result.status is status
    assert str(result) in (str(error), f"operator: {error!r}")


def test_a_wrong_signature() -> None:
    assert attempt(suanzi.sin)[0] is Status.INVALID_ARGUMENT
    assert attempt(suanzi.sin, suanzi.zeros(2), nonsense=1)[0] is Status.INVALID_ARGUMENT


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, GeneratorExit])
def test_what_cannot_be_repaired_passes_through(error: type[BaseException]) -> None:
    with pytest.raises(error):
        attempt(raising(error()))


@pytest.mark.parametrize("status", Status)
def test_a_status_as_text_is_its_name(status: Status, capsys: pytest.CaptureFixture[str]) -> None:
    print(status)
    assert capsys.readouterr().out == f"{status.name}\n"
    assert str(status) == f"{status}" == f"{status!s}" == "%s" % status == status.name  # noqa: UP031
    assert f"{status:>30}|" == f"{status.name:>30}|"
    assert f"{status:.4}" == status.name[:4]
    assert repr(status) == f"<Status.{status.name}: {int(status)}>"


@pytest.mark.parametrize("status", Status)
def test_a_status_is_a_number_still(status: Status) -> None:
    number = list(Status).index(status)
    assert int(status) == status == number
    assert f"{status:d} {status:3d} {status:#x} {status:.1f} {status:,}" == (
        f"{number} {number:3d} {number:#x} {number:.1f} {number:,}"
    )
    assert "%d" % status == str(number)  # noqa: UP031
    assert json.dumps(status) == str(number)
    assert Status(number) is Status[status.name] is status
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(status, protocol)) is status
    assert copy.deepcopy(status) is status


def test_operands_that_no_class_takes_are_a_type_mismatch() -> None:
    x = suanzi.ones(3)
    for other in (None, object(), [1], (1,), {}, {1}):
        for operation in (operator.add, operator.mul, operator.pow, operator.matmul, operator.lt, operator.ge):
            assert attempt(operation, x, other)[0] is Status.TYPE_MISMATCH
            assert attempt(operation, other, x)[0] is Status.TYPE_MISMATCH
    assert attempt(lambda: -object())[0] is Status.TYPE_MISMATCH  # type: ignore[operator]


def test_a_call_that_fits_no_signature_is_an_invalid_argument() -> None:
    for call in (
        lambda: suanzi.add(suanzi.ones(2)),  # type: ignore[call-arg]
        lambda: suanzi.sum(suanzi.ones(2), axes=0),  # type: ignore[call-arg]
        lambda: suanzi.ones(2).reshape(2, sizes=1),  # type: ignore[call-overload]
    ):
        assert attempt(call)[0] is Status.INVALID_ARGUMENT
