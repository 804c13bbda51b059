"""Mul follows ONNX's document: the five versions, the types of each version, and every example of broadcasting."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx import helper

from interop.models import Array, one_node, run_node
from suanzi import DimensionsMismatchError, InvalidArgumentError, OutOfRangeError, TypeMismatchError
from suanzi.interop import onnx

# The types in the document, by version.
_FLOATS = ("double", "float", "float16")
_WIDE = (*_FLOATS, "int32", "int64", "uint32", "uint64")
TYPES = {
    1: _FLOATS,
    6: _WIDE,
    7: _WIDE,
    13: ("bfloat16", *_WIDE),
    14: ("bfloat16", *_WIDE, "int16", "int8", "uint16", "uint8"),
}
ALL = ("bfloat16", *_WIDE, "int16", "int8", "uint16", "uint8", "bool", "complex64", "complex128", "string")
NUMPY = {"double": np.float64, "float": np.float32, "bfloat16": ml_dtypes.bfloat16, "string": object}

# The shape of A is always (2, 3, 4, 5). Each row has B's shape, the axis, and B's shape for NumPy's broadcasting.
A = (2, 3, 4, 5)
EXAMPLES: dict[str, tuple[tuple[int, ...], int | None, tuple[int, ...]]] = {
    "B is a scalar": ((), None, ()),
    "B is a tensor of one element": ((1, 1), None, ()),
    "(5,)": ((5,), None, (5,)),
    "(4, 5)": ((4, 5), None, (4, 5)),
    "(3, 4) with axis=1": ((3, 4), 1, (3, 4, 1)),
    "(2,) with axis=0": ((2,), 0, (2, 1, 1, 1)),
}
LEGACY = (1, 6)


def elements(shape: tuple[int, ...], name: str, start: int = 0) -> Array:
    """Return an array of small integers, whose products every type can represent."""
    numbers = (np.arange(int(np.prod(shape)), dtype=np.int64) + start) % 11
    return numbers.reshape(shape).astype(NUMPY.get(name, name))


def attributes(axis: int | None, broadcast: int = 1) -> dict[str, Any]:
    return {"broadcast": broadcast} | ({} if axis is None else {"axis": axis})


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("version", TYPES)
def test_the_types_of_each_version(version: int, name: str) -> None:
    a, b = elements((3, 4), name), elements((3, 4), name, 3)
    if name in TYPES[version]:
        (c,) = run_node("Mul", version, [a, b])
        assert c.dtype == a.dtype
        np.testing.assert_array_equal(c, a * b)
        return
    model = one_node("Mul", version, [a, b])
    with pytest.raises(TypeMismatchError, match=rf"Mul-{version}: A is tensor\({name}\)"):
        onnx.load(model)


@pytest.mark.parametrize("opset", range(1, 29))
def test_the_opset_chooses_the_version(opset: int) -> None:
    """The opset selects Mul's version. All versions before 14 refuse int8, with an error that names the version."""
    version = max(v for v in TYPES if v <= opset)
    model = one_node("Mul", opset, [elements((2,), "int8")] * 2)
    if version == 14:
        onnx.load(model)
        return
    with pytest.raises(TypeMismatchError, match=f"Mul-{version}:"):
        onnx.load(model)


@pytest.mark.parametrize("version", TYPES)
def test_two_types_at_once(version: int) -> None:
    with pytest.raises(TypeMismatchError, match=rf"Mul-{version}: B is tensor\(double\) but A is tensor\(float\)"):
        onnx.load(one_node("Mul", version, [elements((2,), "float"), elements((2,), "double")]))


@pytest.mark.parametrize("example", EXAMPLES)
@pytest.mark.parametrize("version", LEGACY)
def test_the_examples_of_the_document(version: int, example: str) -> None:
    shape, axis, aligned = EXAMPLES[example]
    for name in TYPES[version]:
        a, b = elements(A, name), elements(shape, name, 2)
        (c,) = run_node("Mul", version, [a, b], **attributes(axis))
        assert (c.shape, c.dtype) == (A, a.dtype)
        np.testing.assert_array_equal(c, a * b.reshape(aligned))


@pytest.mark.parametrize("example", EXAMPLES)
@pytest.mark.parametrize("version", LEGACY)
def test_broadcast_must_be_asked_for(version: int, example: str) -> None:
    shape, axis, _ = EXAMPLES[example]
    a, b = elements(A, "float"), elements(shape, "float")
    for given_attributes in (attributes(axis, 0), {} if axis is None else {"axis": axis}):
        with pytest.raises(DimensionsMismatchError, match="broadcast is not set"):
            run_node("Mul", version, [a, b], **given_attributes)
    (c,) = run_node("Mul", version, [a, a], **attributes(axis, 0))
    np.testing.assert_array_equal(c, a * a)


@pytest.mark.parametrize(
    ("shape", "axis"),
    [
        ((1, 3), None),
        ((3, 1), None),
        ((3, 4), None),  # the shape is not a suffix
        ((3, 4), 2),
        ((5, 4), 1),
        ((4, 5), 3),  # the shape ends past the last axis of A
        ((1, 1, 1, 1, 1), None),  # B has a higher rank than A
        ((2, 3, 4, 5, 1), None),
        ((0,), None),
    ],
)
@pytest.mark.parametrize("version", LEGACY)
def test_shapes_that_do_not_fit(version: int, shape: tuple[int, ...], axis: int | None) -> None:
    with pytest.raises(DimensionsMismatchError, match="Mul: "):
        run_node("Mul", version, [elements(A, "float"), elements(shape, "float")], **attributes(axis))


@pytest.mark.parametrize(
    ("shape", "axis", "aligned"),
    [((1, 5), None, (1, 1, 1, 5)), ((4, 1), None, (1, 1, 4, 1)), ((1, 3), 0, (1, 3, 1, 1)), ((2, 1), 0, (2, 1, 1, 1))],
)
@pytest.mark.parametrize("version", LEGACY)
def test_sizes_of_1_stand_for_others(
    version: int, shape: tuple[int, ...], axis: int | None, aligned: tuple[int, ...]
) -> None:
    """Old versions of Mul expand sizes of 1, which ONNX's text excludes, but PyTorch's models in ONNX's tests need."""
    a, b = elements(A, "float"), elements(shape, "float", 2)
    (c,) = run_node("Mul", version, [a, b], **attributes(axis))
    np.testing.assert_array_equal(c, a * b.reshape(aligned))


@pytest.mark.parametrize("axis", [4, -1, 100])
def test_axes_out_of_range(axis: int) -> None:
    with pytest.raises(OutOfRangeError, match=rf"Mul: axis {axis} is outside \[0, 4\)"):
        run_node("Mul", 6, [elements(A, "float"), elements((5,), "float")], **attributes(axis))


def test_consumed_inputs_change_nothing() -> None:
    a, b = elements(A, "float"), elements((5,), "float")
    (c,) = run_node("Mul", 1, [a, b], broadcast=1, consumed_inputs=[0, 0])
    np.testing.assert_array_equal(c, a * b)
    with pytest.raises(InvalidArgumentError, match="consumed_inputs"):  # Mul-6 no longer has this attribute
        run_node("Mul", 6, [a, b], broadcast=1, consumed_inputs=[0, 0])


@pytest.mark.parametrize("version", [7, 13, 14])
def test_numpys_broadcast_since_opset_7(version: int) -> None:
    a, b = elements((2, 1, 4, 5), "float"), elements((3, 1, 1), "float", 4)
    (c,) = run_node("Mul", version, [a, b])
    np.testing.assert_array_equal(c, a * b)
    with pytest.raises(DimensionsMismatchError):
        run_node("Mul", version, [a, elements((3,), "float")])


OTHERS: dict[str, Any] = {
    "Add": np.add,
    "Sub": np.subtract,
    "Div": np.divide,
    "Pow": np.power,
    "And": np.logical_and,
    "Or": np.logical_or,
    "Xor": np.logical_xor,
    "Greater": np.greater,
    "Less": np.less,
    "Equal": np.equal,
}


@pytest.mark.parametrize("op_type", OTHERS)
@pytest.mark.parametrize("opset", LEGACY)
def test_the_other_operators_with_the_legacy_broadcast(opset: int, op_type: str) -> None:
    name = "bool" if op_type in ("And", "Or", "Xor") else "int32" if op_type == "Equal" else "float"
    for shape, axis, aligned in EXAMPLES.values():
        a, b = elements(A, name, 1), elements(shape, name, 2)
        if op_type == "Div":
            b = b + np.float32(1)
        (c,) = run_node(op_type, opset, [a, b], **attributes(axis))
        np.testing.assert_allclose(c, OTHERS[op_type](a, b.reshape(aligned)), rtol=1e-6)
        with pytest.raises(DimensionsMismatchError, match=f"{op_type}: "):
            run_node(op_type, opset, [a, b], **attributes(axis, 0))


@given(
    st.lists(st.integers(0, 3), max_size=5).map(tuple), st.integers(0, 5), st.integers(0, 5), st.sampled_from(LEGACY)
)
def test_any_run_of_sizes(shape: tuple[int, ...], start: int, length: int, version: int) -> None:
    start = min(start, len(shape))
    run = shape[start : start + length]
    a, b = elements(shape, "double", 1), elements(run, "double", 2)
    axis = min(start, max(len(shape) - 1, 0)) if run else None
    (c,) = run_node("Mul", version, [a, b], **attributes(axis))
    rest = len(shape) - start - len(run)
    np.testing.assert_array_equal(c, a * (b.reshape(run + (1,) * rest) if run else b))


def test_the_helper_writes_what_the_document_says() -> None:
    """The nodes of these tests store `axis` and `broadcast` as integers, as ONNX's document describes."""
    node = one_node("Mul", 6, [elements(A, "float"), elements((2,), "float")], **attributes(0)).graph.node[0]
    assert {a.name: helper.get_attribute_value(a) for a in node.attribute} == {"axis": 0, "broadcast": 1}
