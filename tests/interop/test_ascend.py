"""FillOperation has the examples, types and constraints of Ascend's documentation."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import suanzi
from suanzi import (
    DimensionsMismatchError,
    InvalidArgumentError,
    OutOfRangeError,
    TypeMismatchError,
    UninitializedObjectError,
)
from suanzi.interop.ascend import FillOperation, FillParam, Operation, Param

X = [[1, 2, 3], [4, 5, 6], [7, 8, 9]]
X_TYPES = {"float16": np.float16, "int32": np.int32, "bfloat16": ml_dtypes.bfloat16}
MASK_TYPES = {"int8": np.int8, "bool": np.bool_}


def masked(value: Any = -1.0) -> FillOperation:
    return FillOperation(FillParam(value=[value]))


@pytest.mark.parametrize("x_type", X_TYPES)
@pytest.mark.parametrize("mask_type", MASK_TYPES)
def test_example_1_masked_fill(x_type: str, mask_type: str) -> None:
    x = suanzi.tensor(X, dtype=x_type)
    mask = suanzi.tensor([[1, 0, 1], [0, 1, 1], [1, 1, 0]], dtype=mask_type)
    output = masked()(x, mask)
    assert output.dtype is x.dtype
    assert output.tolist() == [[-1, 2, -1], [4, -1, -1], [-1, -1, 9]]
    assert x.tolist() == X


def test_example_2_broadcast_mask() -> None:
    output = masked()(suanzi.tensor(X, dtype="int32"), suanzi.tensor([True, False, True]))
    assert output.tolist() == [[-1, 2, -1], [-1, 5, -1], [-1, 8, -1]]


def test_example_3_fill() -> None:
    param = FillParam()
    param.withMask, param.value, param.outDim = False, [1], [2, 3]
    output = FillOperation(param)()
    assert output.dtype is suanzi.float16
    assert output.tolist() == [[1, 1, 1], [1, 1, 1]]


def test_the_defaults_of_the_structure() -> None:
    assert FillParam() == FillParam(withMask=True, value=(), outDim=(), rsv=bytes(8))


@given(st.data(), st.sampled_from(sorted(X_TYPES)), st.sampled_from(sorted(MASK_TYPES)))
def test_masked_fill_against_numpy(data: st.DataObject, x_type: str, mask_type: str) -> None:
    shape = data.draw(arrays.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4))
    kept = data.draw(st.integers(0, len(shape)))
    mask_shape = tuple(data.draw(st.sampled_from((1, n))) for n in shape[kept:])
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    x = rng.integers(-100, 100, shape).astype(X_TYPES[x_type])
    mask = rng.integers(0, 2, mask_shape).astype(MASK_TYPES[mask_type])
    output = masked(7)(suanzi.tensor(x), suanzi.tensor(mask))
    np.testing.assert_array_equal(output.numpy(), np.where(mask == 1, np.asarray(7, x.dtype), x))


@given(st.lists(st.integers(0, 4), min_size=1, max_size=5), st.floats(width=16))
def test_fill_against_numpy(shape: list[int], value: float) -> None:
    output = FillOperation(FillParam(False, [value], shape))()
    np.testing.assert_array_equal(output.numpy(), np.full(shape, value, np.float16))


@pytest.mark.parametrize("name", ["float16", "bfloat16"])
@pytest.mark.parametrize("value", [65519.0, -65520.0, 1e6, 3.38e38, -3.4e38, np.inf, np.nan])
def test_a_value_fits_with_and_without_a_mask(name: str, value: float) -> None:
    with np.errstate(over="ignore"):
        expected = np.float32(value).astype(X_TYPES[name])
    x = suanzi.ones(1, dtype=name)
    calls: list[Callable[[], Any]] = [partial(masked(value), x, suanzi.tensor([held])) for held in (True, False)]
    if name == "float16":
        calls.append(FillOperation(FillParam(False, [value], [1])))
    for i, call in enumerate(calls):
        if np.isinf(expected) and not np.isinf(value):
            with pytest.raises(OutOfRangeError, match=rf"^FillOperation: .* does not fit {name}"):
                call()
        else:
            np.testing.assert_array_equal(call().numpy().astype(np.float32), 1 if i == 1 else np.float32(expected))


def test_the_value_is_float32() -> None:
    output = masked(2**24 + 1)(suanzi.tensor([0], dtype="int32"), suanzi.tensor([True]))
    assert output.tolist() == [2**24]


def test_later_changes_of_the_parameters_change_nothing() -> None:
    param = FillParam(value=[1])
    operation = FillOperation(param)
    param.value = [2]
    assert operation(suanzi.tensor([0], dtype="int32"), suanzi.tensor([True])).tolist() == [1]


DEEP: list[Any] = []
for _ in range(3000):
    DEEP = [DEEP]

PARAMETERS: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({}, InvalidArgumentError, "size 0, not 1"),
    ({"value": [1, 2]}, InvalidArgumentError, "size 2, not 1"),
    ({"value": 1}, TypeMismatchError, "not a sequence of real numbers"),
    ({"value": ["1"]}, TypeMismatchError, "not a sequence of real numbers"),
    ({"value": [1j]}, TypeMismatchError, "not a sequence of real numbers"),
    ({"value": [np.complex64(1)]}, TypeMismatchError, "not a sequence of real numbers"),
    ({"value": [1e39]}, OutOfRangeError, "does not fit float32"),
    ({"value": [10**400]}, OutOfRangeError, "does not fit float32"),
    ({"value": [10**5000]}, OutOfRangeError, "value an integer of 16610 bits does not fit float32"),
    ({"value": np.array(1.0)}, TypeMismatchError, "not a sequence of real numbers"),
    ({"value": DEEP}, TypeMismatchError, r"value [^ ]+ is not a sequence of real numbers"),
    ({"value": "x" * 10**6}, TypeMismatchError, r"value 'x+\.\.\.x+' is not a sequence of real numbers"),
    ({"value": [1], "outDim": np.array(1)}, TypeMismatchError, "not a sequence of integers"),
    ({"value": [1], "withMask": DEEP}, TypeMismatchError, r"withMask [^ ]+ is not a bool"),
    ({"value": [1], "rsv": DEEP}, TypeMismatchError, r"rsv [^ ]+ is not bytes"),
    ({"value": [1], "withMask": 1}, TypeMismatchError, "withMask 1 is not a bool"),
    ({"value": [1], "withMask": False}, InvalidArgumentError, "outDim is needed"),
    ({"value": [1], "withMask": False, "outDim": [2, -1]}, InvalidArgumentError, "size outside"),
    ({"value": [1], "withMask": False, "outDim": [2.0]}, TypeMismatchError, "must be an integer"),
    ({"value": [1], "withMask": False, "outDim": 2}, TypeMismatchError, "not a sequence of integers"),
    ({"value": [1], "outDim": [2**70]}, OutOfRangeError, "does not fit 64 bits"),
    ({"value": [1], "rsv": bytes(7)}, InvalidArgumentError, "7 bytes, not 8"),
    ({"value": [1], "rsv": 0}, TypeMismatchError, "not bytes"),
]


@pytest.mark.parametrize(("members", "error", "text"), PARAMETERS)
def test_parameters_that_are_refused(members: dict[str, Any], error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=f"^FillOperation: .*{text}"):
        FillOperation(FillParam(**members))


def destroyed() -> suanzi.Tensor:
    x = suanzi.zeros(3, dtype="int32")
    x.destroy()
    return x


INT = suanzi.zeros((2, 3), dtype="int32")
BOOL = suanzi.zeros((2, 3), dtype="bool")
INPUTS: list[tuple[FillOperation, tuple[Any, ...], type[Exception], str]] = [
    (masked(), (), InvalidArgumentError, "0 input tensors given, these parameters require 2"),
    (masked(), (INT,), InvalidArgumentError, "1 input tensors"),
    (FillOperation(FillParam(False, [1], [2])), (INT, BOOL), InvalidArgumentError, "require 0"),
    (masked(), (suanzi.zeros((2, 3)), BOOL), TypeMismatchError, "x has element type float32"),
    (masked(), (suanzi.zeros((2, 3), dtype="int64"), BOOL), TypeMismatchError, "x has element type int64"),
    (masked(), (INT, INT), TypeMismatchError, "mask has element type int32, not one of int8, bool"),
    (masked(), (INT, [True]), TypeMismatchError, "list is not a tensor"),
    (masked(), (INT.numpy(), BOOL), TypeMismatchError, "ndarray is not a tensor"),
    (masked(), (destroyed(), BOOL), UninitializedObjectError, "destroyed"),
    (masked(), (INT, suanzi.zeros((2, 2), dtype="bool")), DimensionsMismatchError, "does not broadcast"),
    (masked(), (INT, suanzi.zeros((1, 2, 3), dtype="bool")), DimensionsMismatchError, "does not broadcast"),
    (masked(), (INT[:1], BOOL), DimensionsMismatchError, "does not broadcast"),  # x is never broadcast
    (masked(), (INT, suanzi.tensor([0, 1, 2], dtype="int8")), InvalidArgumentError, "holds 2"),
    (masked(), (INT, suanzi.tensor([0, -1, 1], dtype="int8")), InvalidArgumentError, "holds -1"),
    (masked(1.5), (INT, BOOL), InvalidArgumentError, "not an integer"),
    (masked(2.0**31), (INT, BOOL), OutOfRangeError, "does not fit int32"),
    (masked(float("nan")), (INT, BOOL), OutOfRangeError, "does not fit int32"),
]


@pytest.mark.parametrize(("operation", "tensors", "error", "text"), INPUTS)
def test_inputs_that_are_refused(
    operation: FillOperation, tensors: tuple[Any, ...], error: type[Exception], text: str
) -> None:
    with pytest.raises(error, match=f"^FillOperation: .*{text}"):
        operation(*tensors)


def test_an_operation_wants_its_own_parameters() -> None:
    class OtherParam(Param):
        def checked(self, operation: str) -> OtherParam:
            return self

    for wrong in (OtherParam(), None, FillParam):
        with pytest.raises(TypeMismatchError, match="is not a FillParam"):
            FillOperation(wrong)  # type: ignore[arg-type]
    assert issubclass(FillOperation, Operation)
    assert repr(masked(2)).startswith("FillOperation(FillParam(withMask=True, value=[2.0], outDim=[]")


def test_other_members_are_refused() -> None:
    """FillParam refuses misspelt members, such as withmask instead of withMask, which were once stored and ignored."""
    param = FillParam()
    for name in ("withmask", "outdim", "values", "mask"):
        with pytest.raises(AttributeError):
            setattr(param, name, False)
    assert not hasattr(param, "__dict__")


def test_members_are_written_to_in_place() -> None:
    param = FillParam()
    param.withMask = False
    param.value.append(7)
    param.outDim += [2, 3]
    param.rsv[7] = 255
    assert FillOperation(param)().tolist() == [[7, 7, 7]] * 2
    assert FillParam() == FillParam(True, [], [], [0] * 8) != param
    values = [1.0]
    copied = FillParam(value=values)
    values.append(2)
    assert copied.value == [1]


@pytest.mark.parametrize(
    "rsv", [[0] * 8, (1, 2, 3, 4, 5, 6, 7, 255), bytes(8), bytearray(range(8)), range(8), np.zeros(8, np.uint8)]
)
def test_reserved_bytes(rsv: Any) -> None:
    operation = FillOperation(FillParam(value=[1], rsv=rsv))
    assert operation.param.rsv == list(rsv)
    assert masked()(INT, BOOL).tolist() == INT.tolist()


@pytest.mark.parametrize(
    ("rsv", "error"),
    [
        ([0] * 7, InvalidArgumentError),
        ([], InvalidArgumentError),
        ([256] * 8, OutOfRangeError),
        ([-1] + [0] * 7, OutOfRangeError),
        ([0.0] * 8, TypeMismatchError),
        (["0"] * 8, TypeMismatchError),
        ("00000000", TypeMismatchError),
        (iter(int, 1), InvalidArgumentError),
        (None, TypeMismatchError),
    ],
)
def test_reserved_bytes_that_are_none(rsv: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match=r"^FillOperation: rsv "):
        FillOperation(FillParam(value=[1], rsv=rsv))


def test_the_parameters_of_an_operation_are_its_own() -> None:
    operation = masked(2)
    operation.param.value.append(3)
    operation.param.withMask = False
    assert operation.param == FillParam(value=[2])
    assert operation(INT, ~BOOL).tolist() == [[2, 2, 2]] * 2


def test_errors_of_what_computes_name_the_operation() -> None:
    with pytest.raises(suanzi.AllocFailedError, match=r"^FillOperation: "):
        FillOperation(FillParam(False, [1], [2**20, 2**20, 2**6]))()
