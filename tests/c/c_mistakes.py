"""Calls that C functions must refuse.

Each entry of `BAD` has the expected status, words of the message, the C function, and a function that makes arguments.
"""

from __future__ import annotations

import ctypes as ct
from collections.abc import Callable
from typing import Any

from interface import FLOAT32, INT64, Handles

import suanzi
from suanzi import Status
from suanzi.conformance.providers.c_header import (
    DTYPES,
    NONE,
    RELEASE,
    STRING,
    Device,
    Scalar,
    String,
    int_at,
    ints,
    layout,
    number,
)

LAST = 2**63 - 1


def bad_scalar() -> Any:
    return Scalar(type=9)


def sparse(c: Handles) -> ct.c_void_p:
    places = c.of(suanzi.tensor([[0, 1]], dtype="int64"))
    return c.call("sparse_tensor", *ints((2, 2)), places, c.of([1.0]), -1, None, NONE, None, None)


def quantized(c: Handles) -> ct.c_void_p:
    return c.call("quantized_tensor", *ints((2,)), None, None, None, None, 1, None, None)


Bad = tuple[Status, str, str, Callable[[Handles], tuple[Any, ...]]]
PLACE_1, PLACE_5 = (suanzi.tensor([[place]], dtype="int64") for place in (1, 5))
FEW: tuple[Any, ...] = (NONE, None, None)
BAD: list[Bad] = [
    (Status.DIMENSIONS_MISMATCH, "do not broadcast", "add", lambda c: (c.of([1.0, 2.0]), c.of([1.0, 2.0, 3.0]))),
    (Status.TYPE_MISMATCH, "add: element type string", "add", lambda c: (c.of(["a"]), c.of(["b"]))),
    (Status.TYPE_MISMATCH, "add: ", "add", lambda c: (c.scalar(1), c.scalar(2))),
    (Status.OUT_OF_RANGE, "300 does not fit", "add", lambda c: (c.of(suanzi.ones(2, dtype="int8")), c.scalar(300))),
    (Status.TYPE_MISMATCH, "a scalar", "reshape", lambda c: (c.scalar(1.0), None, 0)),
    (Status.INVALID_ARGUMENT, "negative", "zeros", lambda c: (*ints((2, -1)), *FEW)),
    (Status.INVALID_ARGUMENT, "-1 numbers", "zeros", lambda c: (None, -1, *FEW)),
    (Status.INVALID_ARGUMENT, "65 numbers", "zeros", lambda c: (*ints((1,) * 65), *FEW)),
    (Status.INVALID_ARGUMENT, "numbers of the shape", "zeros", lambda c: (None, LAST, *FEW)),
    (Status.INVALID_ARGUMENT, "the shape is NULL", "zeros", lambda c: (None, 2, *FEW)),
    (Status.ALLOC_FAILED, "more bytes", "zeros", lambda c: (*ints((LAST, LAST)), *FEW)),
    (Status.INVALID_ARGUMENT, "element type 16", "zeros", lambda c: (*ints((2,)), 16, None, None)),
    (Status.INVALID_ARGUMENT, "element type -2", "zeros", lambda c: (*ints((2,)), -2, None, None)),
    (Status.INVALID_ARGUMENT, "not the CPU", "zeros", lambda c: (*ints((2,)), NONE, ct.byref(Device(1, 0)), None)),
    (Status.INVALID_ARGUMENT, "storage", "zeros", lambda c: (*ints((2,)), NONE, None, layout((0,), 1))),
    (Status.INVALID_ARGUMENT, "permutation", "zeros", lambda c: (*ints((2, 3)), NONE, None, layout((1, 1)))),
    (
        Status.INVALID_ARGUMENT,
        "the layout has 1 dimensions, but the tensor has 2",
        "zeros",
        lambda c: (*ints((2, 3)), NONE, None, layout((0,))),
    ),
    (Status.OUT_OF_RANGE, "does not fit", "full", lambda c: (*ints((2,)), number(300), 1, None, None)),
    (Status.TYPE_MISMATCH, "not whole", "full", lambda c: (*ints((2,)), number(0.5), INT64, None, None)),
    (Status.INVALID_ARGUMENT, "a scalar is NULL", "linspace", lambda c: (None, number(1), 3, NONE, None)),
    (Status.TYPE_MISMATCH, "a string", "arange", lambda c: (None, number("a"), None, NONE, None)),
    (Status.INVALID_ARGUMENT, "-8 bytes", "tensor", lambda c: (b"12345678", -8, *ints((2,)), *FEW)),
    (
        Status.INVALID_ARGUMENT,
        "whole number of strings",
        "tensor",
        lambda c: (b"x" * 16, 15, *ints((1,)), STRING, None, None),
    ),
    (
        Status.INVALID_ARGUMENT,
        "not UTF-8",
        "tensor",
        lambda c: ((String * 1)(String(b"\xff", 1)), 16, *ints((1,)), STRING, None, None),
    ),
    (
        Status.INVALID_ARGUMENT,
        "not UTF-8",
        "tensor",
        lambda c: ((String * 1)(String(b"\xed\xa0\x80", 3)), 16, *ints((1,)), STRING, None, None),
    ),
    (
        Status.INVALID_ARGUMENT,
        "-1 bytes",
        "tensor",
        lambda c: ((String * 1)(String(b"", -1)), 16, *ints((1,)), STRING, None, None),
    ),
    (
        Status.DIMENSIONS_MISMATCH,
        "takes 8 bytes",
        "from_reference",
        lambda c: (1024, 7, *ints((2,)), *FEW, RELEASE(), None),
    ),
    (Status.INVALID_ARGUMENT, "aligned", "from_reference", lambda c: (1025, 8, *ints((2,)), *FEW, RELEASE(), None)),
    (
        Status.INVALID_ARGUMENT,
        "strings",
        "from_reference",
        lambda c: (1024, 99, *ints((2,)), STRING, None, None, RELEASE(), None),
    ),
    (Status.DIMENSIONS_MISMATCH, "does not hold", "reshape", lambda c: (c.of([1.0, 2.0]), *ints((3,)))),
    (Status.INVALID_ARGUMENT, "negative size", "reshape", lambda c: (c.of([1.0, 2.0]), *ints((-2,)))),
    (Status.OUT_OF_RANGE, "axis", "expand_dims", lambda c: (c.of([1.0]), *ints((3,)))),
    (Status.INVALID_ARGUMENT, "more than the 64", "expand_dims", lambda c: (c.of([1.0]), *ints(range(64)))),
    (Status.INVALID_ARGUMENT, "twice", "flip", lambda c: (c.of([1.0]), *ints((0, -1)))),
    (Status.INVALID_ARGUMENT, "shape", "expand", lambda c: (c.of([1.0]), *ints((-2,)))),
    (
        Status.INVALID_ARGUMENT,
        "stride must not be 0",
        "slice",
        lambda c: (c.of([1.0]), ints((0,))[0], ints((1,))[0], ints((0,))[0], None, 1),
    ),
    (
        Status.DIMENSIONS_MISMATCH,
        "but only 1 axes",
        "slice",
        lambda c: (c.of([1.0]), ints((0, 0))[0], ints((1, 1))[0], None, None, 2),
    ),
    (
        Status.DIMENSIONS_MISMATCH,
        "widths of 2",
        "pad",
        lambda c: (c.of([1.0]), ints((1, 1))[0], *ints((1, 1)), 0, None),
    ),
    (Status.INVALID_ARGUMENT, "mode 5", "pad", lambda c: (c.of([1.0]), ints((1,))[0], *ints((1,)), 5, None)),
    (Status.INVALID_ARGUMENT, "-3, is negative", "reverse", lambda c: (c.of([1.0]), *ints((0,)), ints((1,))[0], -3, 0)),
    (Status.INVALID_ARGUMENT, "the count of tensors, -1", "concat", lambda c: (None, -1, None)),
    (Status.INVALID_ARGUMENT, "list of tensors is NULL", "stack", lambda c: (None, 3, 0)),
    (Status.OUT_OF_RANGE, "outside", "gather", lambda c: (c.of([1.0]), c.of(suanzi.tensor([1], dtype="int64")), 0)),
    (Status.TYPE_MISMATCH, "", "gather", lambda c: (c.of([1.0]), c.of([0.5]), 0)),
    (Status.INVALID_ARGUMENT, "op 12", "reduce", lambda c: (c.of([1.0]), 12, None, 0, False, NONE)),
    (Status.OUT_OF_RANGE, "axis", "argmax", lambda c: (c.of([1.0]), int_at(LAST), False)),
    (Status.INVALID_ARGUMENT, "norm 3", "fft", lambda c: (c.of([1.0]), None, 0, 3)),
    (Status.INVALID_ARGUMENT, "mode -1", "round", lambda c: (c.of([1.0]), 0, -1)),
    (Status.INVALID_ARGUMENT, "tolerances", "isclose", lambda c: (c.of([1.0]), c.of([1.0]), float("nan"), 0.0, False)),
    (
        Status.INVALID_ARGUMENT,
        "both",
        "interpolate",
        lambda c: (c.of([[[1.0]]]), ints((1,))[0], (ct.c_double * 1)(1), 1, 0, False, False, False),
    ),
    (
        Status.INVALID_ARGUMENT,
        "-1, is not between 0",
        "interpolate",
        lambda c: (c.of([[[1.0]]]), None, (ct.c_double * 1)(1), -1, 0, False, False, False),
    ),
    (
        Status.DIMENSIONS_MISMATCH,
        "2 numbers",
        "interpolate",
        lambda c: (c.of([[[1.0]]]), None, (ct.c_double * 2)(1, 1), 2, 0, False, False, False),
    ),
    (Status.INVALID_ARGUMENT, "solve: ", "solve", lambda c: (c.of([[1.0, 1.0], [1.0, 1.0]]), c.of([1.0, 2.0]))),
    (
        Status.INVALID_ARGUMENT,
        "the type of the scalar, 9, is not one of",
        "scalar",
        lambda c: (ct.byref(bad_scalar()),),
    ),
    (
        Status.OUT_OF_RANGE,
        "",
        "sparse_tensor",
        lambda c: (*ints((2,)), c.of(PLACE_5), c.of([1.0]), -1, None, NONE, None, None),
    ),
    (
        Status.DIMENSIONS_MISMATCH,
        "nnz 2",
        "sparse_tensor",
        lambda c: (*ints((2,)), c.of(PLACE_1), c.of([1.0]), 2, None, NONE, None, None),
    ),
    (
        Status.DIMENSIONS_MISMATCH,
        "values of shape",
        "sparse_tensor",
        lambda c: (*ints((2,)), c.of(PLACE_1), c.of([1.0, 2.0]), -1, None, NONE, None, None),
    ),
    *(
        (
            status,
            said,
            "sparse_tensor",
            lambda c, v=v, d=d: (*ints((2,)), c.of(PLACE_1), c.of(v), -1, None, d, None, None),
        )
        for status, said, v, d in (
            (Status.TYPE_MISMATCH, "1.5 is not whole and cannot become int64", [1.5], INT64),
            (Status.OUT_OF_RANGE, "300 does not fit int8", [300.0], DTYPES.index("int8")),
            (Status.TYPE_MISMATCH, "complex64 data cannot become float32", [1j], FLOAT32),
            (Status.TYPE_MISMATCH, "string", [1.0], STRING),
            (Status.INVALID_ARGUMENT, "the element type 99", [1.0], 99),
        )
    ),
    (
        Status.TYPE_MISMATCH,
        "an operand is a sparse tensor, not a dense tensor",
        "add",
        lambda c: (sparse(c), c.of([1.0])),
    ),
    (Status.TYPE_MISMATCH, "indptr", "sparse_indptr", lambda c: (sparse(c),)),
    (Status.TYPE_MISMATCH, "an operand is a dense tensor, not a sparse tensor", "to_dense", lambda c: (c.of([1.0]),)),
    (Status.TYPE_MISMATCH, "compressed rows", "matmul", lambda c: (sparse(c), c.of([1.0, 2.0]))),
    (Status.TYPE_MISMATCH, "an operand is a quantized tensor, not", "add", lambda c: (quantized(c), quantized(c))),
    (
        Status.TYPE_MISMATCH,
        "an operand is a dense tensor, not a quantized tensor",
        "dequantize",
        lambda c: (c.of([1.0]),),
    ),
    (
        Status.INVALID_ARGUMENT,
        "quantized type",
        "quantized_tensor",
        lambda c: (*ints((2,)), None, None, None, None, 8, None, None),
    ),
    (
        Status.INVALID_ARGUMENT,
        "without a scale",
        "quantized_tensor",
        lambda c: (*ints((2,)), None, None, int_at(3), None, 2, None, None),
    ),
    (
        Status.INVALID_ARGUMENT,
        "symmetric",
        "quantized_tensor",
        lambda c: (*ints((2,)), None, c.of(suanzi.tensor(0.5)), int_at(3), None, 1, None, None),
    ),
    (
        Status.OUT_OF_RANGE,
        "positive and finite",
        "quantized_tensor",
        lambda c: (*ints((2,)), None, c.of(suanzi.tensor(-0.5)), None, None, 1, None, None),
    ),
    (
        Status.OUT_OF_RANGE,
        "code 300",
        "quantized_tensor",
        lambda c: (*ints((1,)), c.of(suanzi.tensor([300], dtype="int64")), None, None, None, 0, None, None),
    ),
    (
        Status.INVALID_ARGUMENT,
        "",
        "quantized_tensor",
        lambda c: (*ints((1,)), c.of([float("nan")]), None, None, None, 0, None, None),
    ),
]
