"""Quantized operators refuse malformed arguments. The exception of each call has the most specific status."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

import suanzi
from suanzi import (
    DimensionsMismatchError,
    InvalidArgumentError,
    OutOfRangeError,
    QuantizedTensor,
    TypeMismatchError,
    UninitializedObjectError,
)

pytestmark = pytest.mark.one_level


def gone() -> QuantizedTensor:
    x = suanzi.quantized_tensor(3)
    suanzi.destroy(x)
    return x


Q = suanzi.quantized_tensor(None, [[1.0, 2.0], [3.0, 4.0]], scale=0.5)
C = suanzi.quantized_tensor(None, [[1.0, 2.0], [3.0, 4.0]], dtype="qint8_per_channel")
D = suanzi.ones((2, 2))
N: Any = None
# Axes of the wrong type. For `argmax` and `argmin` the axis None stands for all axes.
AXES = [
    *((name, axis) for name in ("sort", "argsort", "argmax", "argmin") for axis in ("a", False, 1.0, (1,))),
    *((name, None) for name in ("sort", "argsort")),
]
BAD: list[tuple[str, Callable[[], Any], type[Exception]]] = [
    ("quantized_tensor", lambda: suanzi.quantized_tensor(2, dtype="int8"), TypeMismatchError),
    ("quantized_tensor", lambda: suanzi.quantized_tensor(2, dtype=N), TypeMismatchError),
    ("quantized_tensor", lambda: suanzi.quantized_tensor("a"), TypeMismatchError),  # type: ignore[arg-type]
    ("quantized_tensor", lambda: suanzi.quantized_tensor(-1), InvalidArgumentError),
    ("quantized_tensor", lambda: suanzi.quantized_tensor(None), InvalidArgumentError),
    ("quantized_tensor", lambda: suanzi.quantized_tensor(2, device="gpu"), InvalidArgumentError),
    ("quantized_tensor", lambda: suanzi.quantized_tensor(None, [1j]), TypeMismatchError),
    ("quantized_tensor", lambda: suanzi.quantized_tensor(None, [True]), TypeMismatchError),
    ("quantized_tensor", lambda: suanzi.quantized_tensor(None, ["a"]), TypeMismatchError),
    ("quantized_tensor", lambda: suanzi.quantized_tensor(None, [[1.0], [1.0, 2.0]]), DimensionsMismatchError),
    ("quantized_tensor", lambda: suanzi.quantized_tensor(None, np.array([300]), dtype="qint8"), OutOfRangeError),
    ("quantized_tensor", lambda: suanzi.quantized_tensor(None, np.array([-128]), dtype="qint8"), OutOfRangeError),
    ("quantized_tensor", lambda: suanzi.quantized_tensor(None, np.array([-1]), dtype="quint8"), OutOfRangeError),
    ("quantized_tensor", lambda: suanzi.quantized_tensor(2, scale=0.0), OutOfRangeError),
    ("quantized_tensor", lambda: suanzi.quantized_tensor(2, scale=-1.0), OutOfRangeError),
    ("quantized_tensor", lambda: suanzi.quantized_tensor(2, scale=float("nan")), OutOfRangeError),
    ("quantized_tensor", lambda: suanzi.quantized_tensor(2, scale=1e39), OutOfRangeError),
    ("quantized_tensor", lambda: suanzi.quantized_tensor(2, scale=1e-50), OutOfRangeError),
    ("quantized_tensor", lambda: suanzi.quantized_tensor(2, scale=10**400), OutOfRangeError),
    ("quantized_tensor", lambda: suanzi.quantized_tensor(2, scale="a"), TypeMismatchError),
    ("quantized_tensor", lambda: suanzi.quantized_tensor(2, scale=1j), TypeMismatchError),
    ("quantized_tensor", lambda: suanzi.quantized_tensor(2, scale=[1.0, 1.0]), DimensionsMismatchError),
    (
        "quantized_tensor",
        lambda: suanzi.quantized_tensor(2, scale=1.0, dtype="qint8_per_channel"),
        DimensionsMismatchError,
    ),
    ("quantized_tensor", lambda: suanzi.quantized_tensor(2, scale=1.0, zero_point=1), InvalidArgumentError),
    ("quantized_tensor", lambda: suanzi.quantized_tensor(2, zero_point=1, dtype="quint8"), InvalidArgumentError),
    (
        "quantized_tensor",
        lambda: suanzi.quantized_tensor(2, scale=1.0, zero_point=256, dtype="quint8"),
        OutOfRangeError,
    ),
    (
        "quantized_tensor",
        lambda: suanzi.quantized_tensor(2, scale=1.0, zero_point=1.5, dtype="quint8"),
        TypeMismatchError,
    ),  # type: ignore[arg-type]
    ("quantized_tensor", lambda: suanzi.quantized_tensor(2, axis=0), InvalidArgumentError),
    ("quantized_tensor", lambda: suanzi.quantized_tensor(2, axis=1, dtype="qint8_per_channel"), OutOfRangeError),
    ("quantized_tensor", lambda: suanzi.quantized_tensor((), dtype="qint8_per_channel"), OutOfRangeError),
    ("quantized_tensor", lambda: suanzi.quantized_tensor(2, axis="a", dtype="qint8_per_channel"), TypeMismatchError),  # type: ignore[arg-type]
    ("quantize", lambda: suanzi.quantize(suanzi.tensor([1.0, float("nan")]), 1.0), InvalidArgumentError),
    ("quantize", lambda: suanzi.quantize(suanzi.tensor([1.0, float("nan")])), InvalidArgumentError),
    ("quantize", lambda: suanzi.quantize(suanzi.tensor([1.0, float("inf")])), InvalidArgumentError),
    ("quantize", lambda: suanzi.quantize(suanzi.tensor([1e300], dtype="float64")), OutOfRangeError),
    ("quantize", lambda: suanzi.quantize([1.0]), TypeMismatchError),  # type: ignore[arg-type]
    ("quantize", lambda: suanzi.quantize(suanzi.tensor([1j])), TypeMismatchError),
    ("quantize", lambda: suanzi.quantize(Q), TypeMismatchError),  # type: ignore[arg-type]
    ("quantize", lambda: suanzi.quantize(D, dtype="qint4"), TypeMismatchError),
    ("dequantize", lambda: suanzi.dequantize(D), TypeMismatchError),  # type: ignore[arg-type]
    ("requantize", lambda: suanzi.requantize(D), TypeMismatchError),  # type: ignore[arg-type]
    ("requantize", lambda: suanzi.requantize(Q, axis=0), InvalidArgumentError),
    ("add", lambda: suanzi.add(Q, D), TypeMismatchError),
    ("add", lambda: suanzi.add(D, Q), TypeMismatchError),
    ("add", lambda: suanzi.add(D, D, out=Q), TypeMismatchError),
    ("add", lambda: suanzi.add(Q, Q, out=D), TypeMismatchError),
    ("add", lambda: suanzi.add(Q, Q, out=suanzi.quantized_tensor(3)), DimensionsMismatchError),
    ("add", lambda: suanzi.add(Q, suanzi.quantized_tensor(3)), DimensionsMismatchError),
    ("add", lambda: Q + 1j, TypeMismatchError),
    ("add", lambda: Q + float("inf"), InvalidArgumentError),
    ("add", lambda: Q + 10**400, OutOfRangeError),
    ("multiply", lambda: Q * "a", TypeMismatchError),
    (
        "multiply",
        lambda: suanzi.multiply(suanzi.quantized_tensor(1, [1e38]), suanzi.quantized_tensor(1, [1e38])),
        OutOfRangeError,
    ),
    ("matmul", lambda: Q @ D, TypeMismatchError),
    ("matmul", lambda: D @ Q, TypeMismatchError),
    ("matmul", lambda: Q @ suanzi.quantized_tensor((3, 2)), DimensionsMismatchError),
    ("matmul", lambda: Q @ suanzi.quantized_tensor(()), DimensionsMismatchError),
    ("matmul", lambda: Q @ C, InvalidArgumentError),
    ("matmul", lambda: C.T @ Q, InvalidArgumentError),
    ("sin", lambda: suanzi.sin(Q), TypeMismatchError),
    ("sum", lambda: suanzi.sum(Q), TypeMismatchError),
    ("reshape", lambda: suanzi.reshape(Q, (3, 2)), DimensionsMismatchError),
    ("gather", lambda: suanzi.gather(Q, Q), TypeMismatchError),
    ("gather", lambda: suanzi.gather(D, Q), TypeMismatchError),
    ("gather", lambda: suanzi.gather(Q, suanzi.tensor([5])), TypeMismatchError),
    ("gather", lambda: suanzi.gather(Q, suanzi.tensor([5], dtype="int8")), OutOfRangeError),
    ("concat", lambda: suanzi.concat([Q, D]), TypeMismatchError),
    ("concat", lambda: suanzi.concat(Q), TypeMismatchError),  # type: ignore[arg-type]
    ("concat", lambda: suanzi.concat([Q, suanzi.requantize(Q, 0.25)]), InvalidArgumentError),
    ("concat", lambda: suanzi.concat([Q, Q], out=Q), InvalidArgumentError),
    ("concat", lambda: suanzi.concat([C, suanzi.requantize(C, [1, 2])], 1), InvalidArgumentError),
    ("where", lambda: suanzi.where(Q, Q, Q), TypeMismatchError),
    ("where", lambda: suanzi.where(suanzi.tensor(True), Q, D), TypeMismatchError),
    ("where", lambda: suanzi.where(suanzi.tensor(True), Q, suanzi.requantize(Q, 0.25)), InvalidArgumentError),
    ("masked_fill", lambda: suanzi.masked_fill(Q, suanzi.tensor(True), "a"), TypeMismatchError),
    ("masked_fill", lambda: suanzi.masked_fill(C, suanzi.tensor(True), 1.0), InvalidArgumentError),
    ("masked_fill", lambda: suanzi.masked_fill(Q, suanzi.tensor(True), float("nan")), InvalidArgumentError),
    ("pad", lambda: suanzi.pad(C, 1, value=1.0), InvalidArgumentError),
    ("pad", lambda: suanzi.pad(Q, 1, np.array([1, 2])), TypeMismatchError),  # type: ignore[arg-type]
    ("pad", lambda: suanzi.pad(C, 1, suanzi.ones(2)), TypeMismatchError),  # type: ignore[arg-type]
    ("pad", lambda: suanzi.pad(Q, 1, "mirror"), InvalidArgumentError),  # type: ignore[arg-type]
    ("scatter", lambda: suanzi.scatter(Q, suanzi.tensor([[0]], dtype="int64"), 1.0, mode="add"), InvalidArgumentError),
    ("scatter", lambda: suanzi.scatter(Q, suanzi.tensor([[0]], dtype="int64"), D), TypeMismatchError),
    ("sort", lambda: suanzi.sort(C, 0), InvalidArgumentError),
    ("sort", lambda: suanzi.sort(C, np.int64(-2)), InvalidArgumentError),
    ("sort", lambda: suanzi.sort(C, 2), OutOfRangeError),
    ("sort", lambda: suanzi.sort(C, -3), OutOfRangeError),
    *((name, partial(getattr(suanzi, name), C, axis=axis), TypeMismatchError) for name, axis in AXES),
    ("contains", lambda: [1.0] in Q, TypeMismatchError),
    ("contains", lambda: D in Q, TypeMismatchError),
    ("contains", lambda: 1.0 in gone(), UninitializedObjectError),
    ("index", lambda: Q[5], OutOfRangeError),
    ("shape|destroyed", lambda: suanzi.shape(gone()), UninitializedObjectError),
    ("add", lambda: gone() + 1, UninitializedObjectError),
    ("QuantizedTensor", lambda: QuantizedTensor(D, D), TypeMismatchError),  # type: ignore[arg-type]
]


@pytest.mark.parametrize("case", BAD, ids=lambda case: case[0])
def test_bad_input(case: tuple[str, Callable[[], Any], type[Exception]]) -> None:
    name, call, error = case
    with pytest.raises(error, match=f"({name})") as caught:
        call()
    assert type(caught.value) in (error, getattr(error, "_of_attribute", error))


def test_refused_assignments_change_nothing() -> None:
    x = suanzi.quantized_tensor(None, [1.0, 2.0], scale=0.5)
    for value in (float("nan"), [1.0, 2.0, 3.0], 1j, "a"):
        with pytest.raises((InvalidArgumentError, DimensionsMismatchError, TypeMismatchError)):
            x[:] = value
    assert x.tolist() == [1, 2]
