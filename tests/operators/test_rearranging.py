"""Slices, crops, padding, rolls, flips and turns return NumPy's results for any type, layout, shape and parameter."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import suanzi
from layouts import LAYOUTS
from samples import NAMES, THING, assert_same, destroyed, fails, sample, shares_memory
from suanzi import (
    AllocFailedError,
    DimensionsMismatchError,
    InvalidArgumentError,
    OutOfRangeError,
    TypeMismatchError,
    UninitializedObjectError,
)
from suanzi.conformance.oracle.element_types import Array

SHAPE = (3, 4, 5)


class Case(NamedTuple):
    """A function, its arguments after a tensor of shape SHAPE, and a NumPy function that computes the same result."""

    name: str
    arguments: tuple[Any, ...]
    options: dict[str, Any]
    expected: Callable[[Array], Array]


def reversed_prefixes(a: Array, axis: int, lengths: list[int], batch_axis: int) -> Array:
    result = a.copy()
    for i, length in enumerate(lengths):
        row = np.moveaxis(result, (batch_axis, axis), (0, 1))[i]
        row[:length] = row[:length][::-1].copy()
    return result


VIEWS = [
    Case("slice", (1, 3), {}, lambda a: a[1:3]),
    Case("slice", (None, None, -1), {}, lambda a: a[::-1]),
    Case("slice", ([0, -1], [9, None], [2, -2]), {}, lambda a: a[0:9:2, -1::-2]),
    Case("slice", ([0, -1], None, -1), {}, lambda a: a[0::-1, -1::-1]),
    Case("slice", (1, -1), {"axis": (2, 1)}, lambda a: a[:, 1:-1, 1:-1]),
    Case("slice", ([2], [2**70], [2**62]), {"axis": -1}, lambda a: a[..., 2 : 2**70 : 2**62]),
    Case("slice", (3, 1), {}, lambda a: a[3:1]),
    Case("slice", ((), ()), {}, lambda a: a),
    Case("crop", ((0, 1, 2), (2, 3, 1)), {}, lambda a: a[:2, 1:, 2:3]),
    Case("crop", ((1, 4, 0), (-1, 0, -1)), {}, lambda a: a[1:, 4:]),
    Case("flip", (), {}, lambda a: np.flip(a)),
    Case("flip", (1,), {}, lambda a: np.flip(a, 1)),
    Case("flip", ((0, -1),), {}, lambda a: np.flip(a, (0, -1))),
    Case("flip", ((),), {}, lambda a: a),
    Case("reverse", (), {}, lambda a: np.flip(a)),
    Case("reverse", ((0, 1),), {}, lambda a: np.flip(a, (0, 1))),
    *(Case("rot90", (k,), {}, lambda a, k=k: np.rot90(a, k)) for k in (-(2**63), -3, -1, 0, 1, 2, 3, 6)),
    Case("rot90", (), {"axes": (2, -3)}, lambda a: np.rot90(a, 1, (2, 0))),
    Case("moveaxis", (0, -1), {}, lambda a: np.moveaxis(a, 0, -1)),
    Case("moveaxis", ((0, 2), (-1, 0)), {}, lambda a: np.moveaxis(a, (0, 2), (-1, 0))),
    Case("moveaxis", ((), ()), {}, lambda a: a),
    Case("swapaxes", (0, -1), {}, lambda a: np.swapaxes(a, 0, -1)),
    Case("swapaxes", (1, 1), {}, lambda a: a),
]
MODES = ("constant", "edge", "reflect", "symmetric", "wrap")
COPIES = [
    *(
        Case("pad", (width, mode), {}, lambda a, width=width, mode=mode: np.pad(a, width, mode))
        for mode in MODES
        for width in (0, 1, (2, 1), ((1, 0), (0, 3), (2, 2)), ((1,), (2,), (0,)), ((11, 17),), 9)
    ),
    Case("pad", (1,), {"value": 1}, lambda a: np.pad(a, 1, constant_values=1)),
    Case("roll", (1,), {}, lambda a: np.roll(a, 1)),
    Case("roll", (-(2**63),), {"axis": 2}, lambda a: np.roll(a, -(2**63) % 5, 2)),
    Case("roll", (2,), {"axis": (0, 1)}, lambda a: np.roll(a, 2, (0, 1))),
    Case("roll", ((1, -2, 3),), {"axis": (0, 1, -1)}, lambda a: np.roll(a, (1, -2, 3), (0, 1, -1))),
    Case("roll", ((1, 2**63 - 1),), {"axis": (1, 1)}, lambda a: np.roll(a, 2**63 % 4, 1)),
    Case("roll", (0,), {"axis": 1}, lambda a: a),
    Case("reverse", (1,), {"lengths": [0, 2, 4]}, lambda a: reversed_prefixes(a, 1, [0, 2, 4], 0)),
    Case(
        "reverse", (0,), {"lengths": (3, 1, 2, 0, 2), "batch_axis": -1},
        lambda a: reversed_prefixes(a, 0, [3, 1, 2, 0, 2], 2),
    ),
]  # fmt: skip


def arranged(layout: str, name: str) -> tuple[Array, suanzi.Tensor]:
    a = sample(SHAPE, name)
    if layout == "broadcast":
        a = np.broadcast_to(a[:1], SHAPE)
    return a, LAYOUTS[layout](a)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_type_and_layout(layout: str, name: str) -> None:
    a, x = arranged(layout, name)
    for case in (*VIEWS, *COPIES):
        result = getattr(suanzi, case.name)(x, *case.arguments, **case.options)
        assert_same(result, case.expected(a))
        if result.size:
            assert shares_memory(result, x) == (case in VIEWS), case
    assert_same(x, np.ascontiguousarray(a))


EDGES = [(), (0,), (1,), (2, 0, 3), (1, 1)]


@pytest.mark.parametrize("shape", EDGES, ids=str)
def test_empty_and_single(shape: tuple[int, ...]) -> None:
    a = sample(shape)
    x = suanzi.tensor(a)
    assert_same(suanzi.flip(x), np.flip(a))
    assert_same(suanzi.roll(x, 3), a)
    assert_same(suanzi.pad(x, 0, "reflect"), a)
    assert_same(suanzi.pad(x, 2, value=7), np.pad(a, 2, constant_values=7) if shape else a)
    assert_same(suanzi.crop(x, (0,) * a.ndim, (-1,) * a.ndim), a)
    assert_same(suanzi.slice(x, (), ()), a)
    for axis, n in enumerate(shape):
        assert_same(suanzi.slice(x, 0, n, -1, axis=axis), np.take(a, range(0, n, -1), axis))
        assert_same(suanzi.roll(x, 5, axis), a if n < 2 else np.roll(a, 5, axis))
        if n:
            assert_same(suanzi.pad(x, [(2, 3) if i == axis else (0, 0) for i in range(a.ndim)], "reflect"),
                        np.pad(a, [(2, 3) if i == axis else (0, 0) for i in range(a.ndim)], "reflect"))  # fmt: skip


SHAPES = hnp.array_shapes(min_dims=1, max_dims=4, min_side=1, max_side=7)
ARRAYS = hnp.arrays("int16", SHAPES, elements=st.integers(0, 99))


@given(ARRAYS, st.sampled_from(MODES), st.data())
def test_pad(a: Array, mode: str, data: st.DataObject) -> None:
    width = data.draw(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), min_size=a.ndim, max_size=a.ndim))
    if a.ndim == 4:
        width = [(before % 5, after % 5) for before, after in width]
    assert_same(suanzi.pad(suanzi.tensor(a), width, mode), periodic(a, width, mode))


def periodic(a: Array, width: list[tuple[int, int]], mode: str) -> Array:
    """Compute the padding of an array in a mode of `pad` by arithmetic on indices."""
    for axis, (before, after) in enumerate(width):
        n = a.shape[axis]
        at = np.arange(-before, n + after)
        if mode == "constant":
            others = [i for i in range(a.ndim) if i != axis]
            inside = np.expand_dims((at >= 0) & (at < n), others)
            a = np.where(inside, a.take(at.clip(0, n - 1), axis), np.int16(0))
            continue
        if mode == "edge" or (mode == "reflect" and n == 1):
            at = at.clip(0, n - 1)
        elif mode == "wrap":
            at = at % n
        elif mode == "symmetric":
            at = np.minimum(at % (2 * n), 2 * n - 1 - at % (2 * n))
        else:
            at = np.minimum(at % (2 * n - 2), 2 * n - 2 - at % (2 * n - 2))
        a = a.take(at, axis)
    return a


@given(ARRAYS, st.data())
def test_roll(a: Array, data: st.DataObject) -> None:
    axes = data.draw(st.lists(st.integers(-a.ndim, a.ndim - 1), max_size=5).map(tuple))
    shifts = tuple(data.draw(st.integers(-20, 20)) for _ in axes)
    assert_same(suanzi.roll(suanzi.tensor(a).T, shifts, axes), np.ascontiguousarray(np.roll(a.T, shifts, axes)))
    assert_same(suanzi.roll(suanzi.tensor(a).T, 11), np.roll(a.T, 11))


@given(ARRAYS, st.data())
def test_slice_flip_and_moveaxis(a: Array, data: st.DataObject) -> None:
    bound = st.none() | st.integers(-9, 9)
    cuts = data.draw(st.lists(st.tuples(bound, bound, st.none() | st.sampled_from([-3, -1, 1, 2])), max_size=a.ndim))
    begin, end, stride = ([cut[i] for cut in cuts] for i in range(3))
    cut = a[tuple(slice(*cut) for cut in cuts)]
    assert_same(suanzi.slice(suanzi.tensor(a), begin, end, stride), cut)
    axes = tuple(data.draw(st.sets(st.integers(0, a.ndim - 1))))
    assert_same(suanzi.flip(suanzi.tensor(a), axes), np.flip(a, axes))
    places = tuple(data.draw(st.permutations(range(a.ndim))))[: len(axes)]
    assert_same(suanzi.moveaxis(suanzi.tensor(a), axes, places), np.moveaxis(a, axes, places))


def test_values_and_signs_are_moved_to_the_bit() -> None:
    a = np.array([0.0, -0.0, np.nan, -np.nan, np.inf, -np.inf, 5e-324], np.float64)
    x = suanzi.tensor(a)
    for result, expected in (
        (suanzi.pad(x, 3, "reflect"), np.pad(a, 3, "reflect")),
        (suanzi.pad(x, 1, value=float("nan")), np.pad(a, 1, constant_values=np.nan)),
        (suanzi.roll(x, 2), np.roll(a, 2)),
        (suanzi.contiguous(suanzi.flip(x)), a[::-1]),
    ):
        assert_same(result, expected)


@pytest.mark.parametrize("name", ["int8", "int16", "float32", "int64", "complex128"])
def test_rows_of_a_few_elements(name: str) -> None:
    """`flip` and `pad` by reflection are right for rows of one to five elements."""
    for rows in (1, 127, 128, 129, 300):
        for columns in range(1, 6):
            a = sample((rows, columns), name)
            x = suanzi.tensor(a)
            assert_same(suanzi.contiguous(suanzi.flip(x, 1)), np.ascontiguousarray(a[:, ::-1]))
            width = ((0, 0), (columns - 1, columns - 1))
            assert_same(suanzi.pad(x, width, "reflect"), np.pad(a, width, "reflect"))


def test_any_number_of_threads(keep_threads: None) -> None:
    a = sample((701, 1503), "int32")
    x = suanzi.tensor(a)
    expected = [np.roll(a, (3, -5), (0, 1)), np.pad(a, ((400, 3), (5, 900)), "reflect"), np.pad(a, 7)]
    for threads in (1, 2, 3, 7):
        suanzi.set_num_threads(threads)
        assert_same(suanzi.roll(x, (3, -5), (0, 1)), expected[0])
        assert_same(suanzi.pad(x, ((400, 3), (5, 900)), "reflect"), expected[1])
        assert_same(suanzi.pad(x, 7), expected[2])


@pytest.mark.parametrize(
    ("shape", "width"),
    [
        ((400, 300), 3),  # whole rows of padding before the first and after the last row
        ((2, 3, 150, 170), ((0, 0), (0, 0), (2, 3), (1, 4))),  # planes whose rows do not merge into longer rows
        ((5, 2, 20_000), ((4, 1), (1, 1), (3, 3))),  # more padding at the ends than one thread writes
        ((1, 120_000), ((0, 0), (5, 1))),
        ((120_000,), 1000),
    ],
)
@pytest.mark.parametrize("mode", MODES)
def test_rows_padded_by_several_threads(mode: str, shape: Any, width: Any, keep_threads: None) -> None:
    a = sample(shape, "float32")
    x = suanzi.tensor(a)
    expected = np.pad(a, width, mode)
    for threads in (1, 2, 3, 7):
        suanzi.set_num_threads(threads)
        assert_same(suanzi.pad(x, width, mode), expected)
        assert_same(suanzi.pad(suanzi.flip(x), width, mode), np.pad(np.flip(a), width, mode))


def test_rolling_many_axes() -> None:
    """`roll` along twelve axes moves single elements, which are more pieces than Suanzi collects at once."""
    a = sample((2,) * 12, "int64")
    assert_same(suanzi.roll(suanzi.tensor(a), 1, range(12)), np.ascontiguousarray(a[(slice(None, None, -1),) * 12]))


def test_methods() -> None:
    a = sample((3, 4))
    x = suanzi.tensor(a)
    assert_same(x.flip(0), a[::-1])
    assert_same(x.roll(1, 1), np.roll(a, 1, 1))
    assert_same(x.swapaxes(0, 1), a.T)


X = suanzi.zeros((2, 3))
BAD: list[tuple[str, tuple[Any, ...], dict[str, Any], Any]] = [
    ("slice", (X, "a", 1), {}, TypeMismatchError),
    ("slice", (X, 0, 1.5), {}, TypeMismatchError),
    ("slice", (X, [THING], 1), {}, TypeMismatchError),
    ("slice", (X, 0, 1, 0), {}, InvalidArgumentError),
    ("slice", (X, [0, 0], [1]), {}, DimensionsMismatchError),
    ("slice", (X, [0, 0, 0], None), {}, DimensionsMismatchError),
    ("slice", (X, [0] * 100, None), {}, DimensionsMismatchError),
    ("slice", (X, [0, 0], None), {"axis": 0}, DimensionsMismatchError),
    ("slice", (X, 0, 1), {"axis": 2}, OutOfRangeError),
    ("slice", (X, 0, 1), {"axis": (0, -2)}, InvalidArgumentError),
    ("slice", (suanzi.zeros(()), 0, 1), {}, DimensionsMismatchError),
    ("crop", (X, 0, 1), {}, DimensionsMismatchError),
    ("crop", (X, (0, 0), (1, 1, 1)), {}, DimensionsMismatchError),
    ("crop", (X, (-1, 0), (1, 1)), {}, OutOfRangeError),
    ("crop", (X, (3, 0), (0, 0)), {}, OutOfRangeError),
    ("crop", (X, (1, 0), (2, 1)), {}, OutOfRangeError),
    ("crop", (X, (0, 0), (2**63 - 1, 1)), {}, OutOfRangeError),
    ("crop", (X, (0, 0), (-2, 1)), {}, InvalidArgumentError),
    ("crop", (X, (0, 0.5), (1, 1)), {}, TypeMismatchError),
    ("pad", (X, -1), {}, InvalidArgumentError),
    ("pad", (X, (0, -1)), {}, InvalidArgumentError),
    ("pad", (X, (1, 2, 3)), {}, DimensionsMismatchError),
    ("pad", (X, ((1, 2), (1, 2), (1, 2))), {}, DimensionsMismatchError),
    ("pad", (X, ((1, 2, 3), (1, 2))), {}, DimensionsMismatchError),
    ("pad", (X, ()), {}, DimensionsMismatchError),
    ("pad", (X, 1.5), {}, TypeMismatchError),
    ("pad", (X, ((1, 2), 1j)), {}, TypeMismatchError),
    ("pad", (X, 1, "mirror"), {}, InvalidArgumentError),
    ("pad", (X, 1, "\ud800"), {}, InvalidArgumentError),
    ("pad", (X, 1, None), {}, TypeMismatchError),
    ("pad", (X, 1), {"value": "a"}, TypeMismatchError),
    ("pad", (X, 1), {"value": 1j}, TypeMismatchError),
    ("pad", (suanzi.zeros(2, dtype="int8"), 1), {"value": 300}, OutOfRangeError),
    ("pad", (X, 2**62), {}, AllocFailedError),
    ("pad", (X, 2**63 - 1), {}, AllocFailedError),
    ("pad", (suanzi.zeros((2, 0)), 1, "edge"), {}, InvalidArgumentError),
    ("roll", (X, 1, 2), {}, OutOfRangeError),
    ("roll", (X, (1, 2)), {}, DimensionsMismatchError),
    ("roll", (X, (1, 2, 3), (0, 1)), {}, DimensionsMismatchError),
    ("roll", (X, 0.5), {}, TypeMismatchError),
    ("roll", (X, 2**70), {}, OutOfRangeError),
    ("flip", (X, 2), {}, OutOfRangeError),
    ("flip", (X, (0, -2)), {}, InvalidArgumentError),
    ("flip", (X, "a"), {}, TypeMismatchError),
    ("reverse", (X, -3), {}, OutOfRangeError),
    ("reverse", (X, None), {"lengths": [1, 1]}, TypeMismatchError),
    ("reverse", (X, 0), {"lengths": [1, 1]}, InvalidArgumentError),
    ("reverse", (X, 1), {"lengths": [1]}, DimensionsMismatchError),
    ("reverse", (X, 1), {"lengths": [1, 4]}, OutOfRangeError),
    ("reverse", (X, 1), {"lengths": [1, -1]}, OutOfRangeError),
    ("reverse", (X, 1), {"lengths": suanzi.zeros(2)}, TypeMismatchError),
    ("reverse", (X, 1), {"lengths": suanzi.zeros((2, 1), dtype="int8")}, DimensionsMismatchError),
    ("reverse", (X, 1), {"lengths": destroyed()}, UninitializedObjectError),
    ("reverse", (X, 1), {"lengths": [1, 1], "batch_axis": 2}, OutOfRangeError),
    ("rot90", (X, 1, (0,)), {}, DimensionsMismatchError),
    ("rot90", (X, 1, (0, -2)), {}, InvalidArgumentError),
    ("rot90", (suanzi.zeros(3),), {}, OutOfRangeError),
    ("rot90", (X, "a"), {}, TypeMismatchError),
    ("moveaxis", (X, 0, 2), {}, OutOfRangeError),
    ("moveaxis", (X, (0, 1), 0), {}, DimensionsMismatchError),
    ("moveaxis", (X, (0, 0), (0, 1)), {}, InvalidArgumentError),
    ("moveaxis", (X, (0, 1), (1, -1)), {}, InvalidArgumentError),
    ("moveaxis", (X, (0, 1, 0), (1, 0, 0)), {}, InvalidArgumentError),
    ("swapaxes", (X, 0, 2), {}, OutOfRangeError),
    ("swapaxes", (X, 0, None), {}, TypeMismatchError),
]  # fmt: skip


@pytest.mark.parametrize("case", BAD, ids=lambda case: f"{case[0]}{str(case[1][1:])[:40]}")
def test_refused(case: Any) -> None:
    name, arguments, options, error = case
    with fails(error, name):
        getattr(suanzi, name)(*arguments, **options)


@pytest.mark.parametrize("name", [*NAMES, "string"])
def test_a_constant_that_is_a_tensor(name: str) -> None:
    value: Any = "b" if name == "string" else 1
    x = suanzi.full((2,), "a" if name == "string" else 0, dtype=name)
    expected = suanzi.pad(x, 1, value=value).tolist()
    assert suanzi.pad(x, pad_width=1, value=suanzi.full((), value, dtype=name)).tolist() == expected
    assert suanzi.pad(x, 1, value=x[:1].reshape(())).tolist() == [x[0].item()] * 4
    for wrong, error in ((x, DimensionsMismatchError), (destroyed(), UninitializedObjectError)):
        with fails(error, "pad"):
            suanzi.pad(x, 1, value=wrong)
