"""masked_select and masked_fill return the same bits as NumPy's boolean indexing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import mutually_broadcastable_shapes

import suanzi
from layouts import LAYOUTS, bits
from oracle.values import generator
from samples import THING, assert_same, destroyed, fails
from suanzi import (
    DimensionsMismatchError,
    InvalidArgumentError,
    OutOfRangeError,
    Tensor,
    TypeMismatchError,
    UninitializedObjectError,
)
from suanzi.conformance.inputs import random, specials
from suanzi.conformance.oracle.element_types import ELEMENT_TYPES, Array, ElementType, exact

DENSITIES = (0.0, 0.001, 0.01, 0.5, 0.99, 1.0)
THREADS = (1, 2, 3, 7)


def ids(f: ElementType) -> str:
    return f.name


def elements(f: ElementType, shape: tuple[int, ...]) -> Array:
    return random(f, int(np.prod(shape)), generator("masking", f.name, *map(str, shape))).reshape(shape)


def mask_of(shape: tuple[int, ...], density: float) -> Array:
    return np.asarray(generator("mask", *map(str, shape), str(density)).random(shape) < density)


def filled(a: Array, mask: Array, value: Any) -> Array:
    expected = np.array(np.broadcast_to(a, np.broadcast_shapes(a.shape, mask.shape)), order="C")
    expected[np.broadcast_to(mask, expected.shape)] = value
    return expected


def selected(a: Array, mask: Array) -> Array:
    a, mask = np.broadcast_arrays(a, mask)
    return np.asarray(a[mask])


def check(x: Tensor, a: Array, m: Tensor, mask: Array, what: str) -> None:
    found = suanzi.masked_select(x, m)
    assert found.numpy().tobytes() == selected(a, mask).tobytes(), f"masked_select, {what}"
    assert_same(suanzi.masked_fill(x, m, 1), filled(a, mask, 1))
    assert bits(x) == a.tobytes(), f"masked_fill has changed its operand, {what}"


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("f", ELEMENT_TYPES.values(), ids=ids)
def test_layouts(f: ElementType, layout: str) -> None:
    for shape in ((5, 6, 13), (67,), (40, 41)):
        a = elements(f, shape)
        if layout == "broadcast":
            a = np.broadcast_to(a[:1], a.shape)
        x = LAYOUTS[layout](a)
        for density in (0.1, 0.9):
            mask = mask_of(shape, density)
            for other in ("contiguous", "strided", "transposed", "negative"):
                check(x, a, LAYOUTS[other](mask), mask, f"{layout} {f.name} {shape} by a {other} mask")


@pytest.mark.parametrize("f", ELEMENT_TYPES.values(), ids=ids)
@pytest.mark.parametrize("count", [1, 63, 64, 65, 127, 512, 4096, 32_768, 32_769, 70_001])
def test_lengths_and_densities(f: ElementType, count: int) -> None:
    a = elements(f, (count,))
    x = suanzi.tensor(a)
    for density in DENSITIES:
        mask = mask_of((count,), density)
        check(x, a, suanzi.tensor(mask), mask, f"{count} {f.name}, {density}")


@pytest.mark.parametrize("f", ELEMENT_TYPES.values(), ids=ids)
def test_masks_of_any_type(f: ElementType) -> None:
    """In a mask of any type, every nonzero element is true, including NaN."""
    condition = np.resize(specials(f) if f.kind != "C" else np.array([0, 1, 1j, 0], f.numpy), 210)
    mask = np.asarray(exact(condition) != 0, bool)
    a = np.arange(210, dtype=np.int16)
    check(suanzi.tensor(a), a, suanzi.tensor(condition), mask, f"a {f.name} mask")
    assert_same(suanzi.masked_select(suanzi.tensor(condition), suanzi.tensor(mask)), condition[mask])


@pytest.mark.parametrize(
    ("shape", "mask_shape"),
    [
        ((4, 5), (5,)),
        ((4, 5), (4, 1)),
        ((5,), (4, 5)),
        ((4, 1, 3), (5, 1)),
        ((), (3, 2)),
        ((3, 2), ()),
        ((), ()),
        ((1,), (300,)),
        ((300, 1), (1, 300)),
    ],
    ids=str,
)
def test_broadcasting(shape: tuple[int, ...], mask_shape: tuple[int, ...]) -> None:
    a, mask = elements(ELEMENT_TYPES["float32"], shape), mask_of(mask_shape, 0.5)
    check(suanzi.tensor(a), a, suanzi.tensor(mask), mask, f"{shape} by {mask_shape}")


@pytest.mark.parametrize("shape", [(0,), (3, 0), (0, 2)])
def test_nothing(shape: tuple[int, ...]) -> None:
    a, mask = np.zeros(shape, np.float32), np.zeros(shape, bool)
    check(suanzi.tensor(a), a, suanzi.tensor(mask), mask, f"{shape}")


@pytest.mark.usefixtures("keep_threads")
@pytest.mark.parametrize("name", ["int8", "bfloat16", "float32", "complex128"])
def test_threads_do_not_show(name: str) -> None:
    a = elements(ELEMENT_TYPES[name], (701, 1013))
    x = suanzi.tensor(a)
    for density in (0.001, 0.6):
        mask = mask_of(a.shape, density)
        m = suanzi.tensor(mask)
        for n in THREADS:
            suanzi.set_num_threads(n)
            check(x, a, m, mask, f"{name}, {n} threads")
            check(x.T, a.T, m.T, mask.T, f"transposed {name}, {n} threads")


VALUES: list[tuple[str, Any]] = [
    ("bool", True),
    ("bool", 0),
    ("bool", 2.5),
    ("int8", -128),
    ("int8", True),
    ("uint64", 2**64 - 1),
    ("int64", -(2**63)),
    ("float16", 1e6),
    ("bfloat16", -0.0),
    ("float32", float("nan")),
    ("float32", 2**100),
    ("float64", 0.1),
    ("complex64", 1.5),
    ("complex128", 1 - 2j),
]


@pytest.mark.parametrize(("name", "value"), VALUES, ids=str)
def test_values(name: str, value: Any) -> None:
    f = ELEMENT_TYPES[name]
    a, mask = elements(f, (6, 7)), mask_of((6, 7), 0.5)
    with np.errstate(over="ignore"):
        number = np.array(value).astype(f.numpy)
    expected = filled(a, mask, number)
    x, m = suanzi.tensor(a), suanzi.tensor(mask)
    assert_same(suanzi.masked_fill(x, m, value), expected)
    assert_same(suanzi.masked_fill(x, m, suanzi.tensor(number)), expected)
    assert_same(x.masked_fill(m, value), expected)


def test_in_place_and_into_another() -> None:
    a, mask = elements(ELEMENT_TYPES["float32"], (50, 60)), mask_of((50, 60), 0.5)
    expected = filled(a, mask, -1)
    x, m = suanzi.tensor(a), suanzi.tensor(mask)
    other = suanzi.empty((50, 60), dtype=suanzi.float64)
    assert suanzi.masked_fill(x, m, -1, out=other) is other
    assert_same(other, expected.astype(np.float64))
    assert suanzi.masked_fill(x, m, -1, out=x) is x
    assert_same(x, expected)
    view = suanzi.tensor(a).T
    suanzi.masked_fill(view, m.T, -1, out=view)
    assert_same(view.T, expected)


def test_a_mask_that_overlaps_the_result() -> None:
    a = mask_of((8, 8), 0.5)
    x = suanzi.tensor(a)
    suanzi.masked_fill(x[1:, 1:], x[:-1, :-1], True, out=x[1:, 1:])
    assert_same(x[1:, 1:].contiguous(), filled(a[1:, 1:], a[:-1, :-1], True))
    y = suanzi.tensor(a)
    suanzi.masked_fill(y, y, False, out=y)
    assert not bool(suanzi.any(y))


@given(mutually_broadcastable_shapes(num_shapes=2, max_dims=5, max_side=7), st.sampled_from(DENSITIES), st.data())
def test_any_shapes(shapes: Any, density: float, data: st.DataObject) -> None:
    shape, mask_shape = shapes.input_shapes
    f = ELEMENT_TYPES[data.draw(st.sampled_from(("bool", "int16", "float32", "complex64", "complex128")))]
    steps = tuple(slice(None, None, data.draw(st.sampled_from((1, -1)))) for _ in shape)
    a, mask = elements(f, shape), mask_of(mask_shape, density)
    check(suanzi.tensor(a)[steps], a[steps], suanzi.tensor(mask), mask, f"{f.name} {shape} by {mask_shape}")


REFUSED: list[tuple[str, Callable[[], object], Any]] = [
    ("masked_select", lambda: suanzi.masked_select(suanzi.zeros(3), suanzi.zeros(4)), DimensionsMismatchError),
    ("masked_select", lambda: suanzi.masked_select(suanzi.zeros(3), destroyed()), UninitializedObjectError),
    ("masked_select", lambda: suanzi.masked_select(suanzi.zeros(3), [True] * 3), TypeMismatchError),  # type: ignore[arg-type]
    ("masked_select", lambda: suanzi.masked_select(suanzi.zeros(3), "a"), TypeMismatchError),  # type: ignore[arg-type]
    ("masked_fill", lambda: suanzi.masked_fill(suanzi.zeros(3), suanzi.zeros(4), 0), DimensionsMismatchError),
    ("masked_fill", lambda: suanzi.masked_fill(suanzi.zeros(3, dtype="int8"), _m(3), 128), OutOfRangeError),
    ("masked_fill", lambda: suanzi.masked_fill(suanzi.zeros(3, dtype="int8"), _m(3), 1.5), TypeMismatchError),
    ("masked_fill", lambda: suanzi.masked_fill(suanzi.zeros(3), _m(3), 1j), TypeMismatchError),
    ("masked_fill", lambda: suanzi.masked_fill(suanzi.zeros(3), _m(3), THING), TypeMismatchError),
    ("masked_fill", lambda: suanzi.masked_fill(suanzi.zeros(3), _m(3), suanzi.zeros(1)), DimensionsMismatchError),
    ("masked_fill", lambda: suanzi.masked_fill(suanzi.zeros(3), _m(3), destroyed()), UninitializedObjectError),
    ("masked_fill", lambda: suanzi.masked_fill(suanzi.zeros(3), [True] * 3, 1), TypeMismatchError),  # type: ignore[arg-type]
]


def _m(count: int) -> Tensor:
    return suanzi.ones(count, dtype="bool")


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case[0])
def test_refused(case: Any) -> None:
    name, call, error = case
    with fails(error, name):
        call()


def test_nothing_is_changed_before_an_error() -> None:
    x = suanzi.zeros(3, dtype="int8")
    for out, error in ((suanzi.zeros(4, dtype="int8"), DimensionsMismatchError), (_m(3), TypeMismatchError)):
        before = bits(out)
        with fails(error, "masked_fill"):
            suanzi.masked_fill(x, _m(3), 1, out=out)
        assert bits(out) == before
    with fails(OutOfRangeError, "masked_fill"):
        suanzi.masked_fill(x, _m(3), 300, out=x)
    assert bits(x) == bytes(3)
    repeated = suanzi.expand(suanzi.zeros(1, dtype="int8"), (3,))
    with fails(InvalidArgumentError, "masked_fill"):
        suanzi.masked_fill(repeated, _m(3), 1, out=repeated)


def test_a_mask_that_is_a_number() -> None:
    x = suanzi.tensor([[1.0, 2.0], [3.0, 4.0]])
    for mask in (True, 1, 0.5, np.True_):
        assert suanzi.masked_select(x, mask).tolist() == [1, 2, 3, 4]
        assert suanzi.masked_fill(x, mask, 0).tolist() == [[0, 0], [0, 0]]
    for mask in (False, 0, 0.0):
        assert suanzi.masked_select(x, mask).shape == (0,)
        assert suanzi.masked_fill(x, mask, value=0).tolist() == x.tolist()
