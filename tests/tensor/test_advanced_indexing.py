"""Indexing and assignment with integer tensors, masks, lists and arrays select the same elements as in NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import suanzi
from layouts import LAYOUTS
from samples import NAMES, THING, assert_same, destroyed, fails, sample, shares_memory
from suanzi import (
    DimensionsMismatchError,
    InvalidArgumentError,
    OutOfRangeError,
    Tensor,
    TypeMismatchError,
    UninitializedObjectError,
)

INTEGERS = tuple(name for name in NAMES if "int" in name)


@st.composite
def keys(draw: st.DrawFn) -> tuple[tuple[int, ...], tuple[Any, ...]]:
    """Draw a shape and a key that is valid for the shape. The arrays and masks of the key broadcast together."""
    shape = draw(hnp.array_shapes(min_dims=0, max_dims=5, min_side=1, max_side=4))
    common = draw(hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=3))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    # The number of a mask's true elements broadcasts with the shapes of the arrays.
    true = draw(st.sampled_from([1, common[-1] if common else 1]))
    key: list[Any] = []
    axis = 0
    while axis < len(shape):
        n = shape[axis]
        kind = draw(st.sampled_from(["index", "index", "slice", "integer", "mask", "none", "whole", "stop"]))
        if kind == "stop":
            break
        if kind == "none":
            if sum(item is None for item in key) < 2:
                key.append(None)
            continue
        if kind == "mask":
            depth = draw(st.integers(1, len(shape) - axis))
            size = int(np.prod(shape[axis : axis + depth]))
            if true > size:
                continue
            mask = np.zeros(size, bool)
            mask[rng.permutation(size)[:true]] = True
            key.append(mask.reshape(shape[axis : axis + depth]))
            axis += depth
            continue
        if kind == "index":
            kept = draw(st.integers(0, len(common)))
            sizes = tuple(draw(st.sampled_from((1, m))) for m in common[kept:])
            key.append(rng.integers(-n, n, sizes))
        elif kind == "slice":
            key.append(draw(st.slices(n)))
        elif kind == "integer":
            key.append(draw(st.integers(-n, n - 1)))
        else:
            key.append(slice(None))
        axis += 1
    if draw(st.booleans()):
        # The ellipsis is anywhere in a key that has items for all dimensions, and at the end of every other key.
        key.insert(draw(st.integers(0, len(key))) if axis == len(shape) else len(key), Ellipsis)
    if draw(st.integers(0, 7)) == 0:
        key.insert(draw(st.integers(0, len(key))), draw(st.sampled_from([True, False] if 0 in common else [True])))
    return shape, tuple(key)


def as_tensors(key: tuple[Any, ...], how: str) -> tuple[Any, ...]:
    """Return a key whose arrays are unchanged ("arrays"), lists ("lists"), or tensors of the integer type `how`."""

    def given_as(item: Any) -> Any:
        if not isinstance(item, np.ndarray) or how == "arrays":
            return item
        if how == "lists":
            return item.tolist() if item.size else item
        return suanzi.tensor(item if item.dtype == bool else item.astype(how))

    return tuple(map(given_as, key))


HOW = ("int64", "int32", "int8", "arrays", "lists")


@settings(max_examples=400)
@given(keys(), st.sampled_from(NAMES), st.sampled_from(HOW), st.sampled_from([n for n in LAYOUTS if n != "broadcast"]))
def test_selection(case: Any, name: str, how: str, layout: str) -> None:
    shape, key = case
    a = sample(shape, name)
    x = LAYOUTS[layout](a) if a.ndim > 1 else suanzi.tensor(a)
    expected = np.asarray(a[key])
    assert_same(x[as_tensors(key, how)], expected)
    if len(key) == 1:
        assert_same(x[as_tensors(key, how)[0]], expected)


@settings(max_examples=400)
@given(keys(), st.sampled_from(NAMES), st.sampled_from(HOW), st.data())
def test_assignment(case: Any, name: str, how: str, data: st.DataObject) -> None:
    shape, key = case
    a = sample(shape, name)
    x = suanzi.tensor(a)
    selected = np.asarray(a[key]).shape
    kept = data.draw(st.integers(0, len(selected)))
    value = np.array(np.flip(sample(tuple(data.draw(st.sampled_from((1, n))) for n in selected[kept:]), name)))
    a[key] = value
    as_list = value.tolist() if value.size else value  # an empty list would lose its shape
    x[as_tensors(key, how)] = data.draw(st.sampled_from([suanzi.tensor(value), value, as_list]))
    assert_same(x, a)
    a[key] = 1
    x[as_tensors(key, how)] = 1
    assert_same(x, a)


@settings(max_examples=100)
@given(keys(), st.data())
def test_assignment_to_views(case: Any, data: st.DataObject) -> None:
    """Assignment to a strided view changes no memory between the elements of the view."""
    shape, key = case
    wide = sample(tuple(2 * n for n in shape), "int32")
    x = suanzi.tensor(wide)
    part = tuple(data.draw(st.sampled_from([slice(None, None, 2), slice(None, None, -2)])) for _ in shape)
    wide[(*part, ...)][key] = -5
    x[part][as_tensors(key, "int64")] = -5
    assert_same(x, wide)


PLACES: list[Any] = [
    ([0, 1],),
    (slice(None), [0, 1]),
    ([0, 1], [0, 1]),
    ([0, 1], slice(None), [0, 1]),
    (0, slice(None), [0, 1]),
    (slice(None), 0, [0, 1]),
    (slice(None), [0, 1], 0),
    ([0], ..., [0], 0),
    ([0], None, [0]),
    (None, [0, 1], None),
    (0, None, [0]),
    (0, [0], None, 0),
    (..., [0, 1], 0, slice(None)),
    ([[0, 1], [1, 0]], slice(0, 2), [[1], [0]]),
    (True,),
    (False,),
    (True, [1, 0]),
    (np.True_, ..., [1]),
    (slice(None), True, [0]),
    (slice(None), True, slice(None), [0]),
    ([],),
    ([[]],),
    ((0, 1), (1, 0)),
    ((),),
    (slice(None), [[True, False, True, True], [False] * 4, [True, True, False, False]]),
    ([True, False], slice(None), [0]),
    (range(1, -1, -1), slice(None), range(3, 1, -1)),
    (range(0),),
    (np.array(1), [0, 1]),
    (suanzi.tensor(1, dtype="int8"), [0, 1]),
]


@pytest.mark.parametrize("key", PLACES, ids=str)
def test_where_the_dimensions_of_indices_stand(key: Any) -> None:
    a = sample((2, 3, 4, 5))
    plain = tuple(k.item() if isinstance(k, Tensor) else k for k in key)
    assert_same(suanzi.tensor(a)[key], a[plain])


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", INTEGERS)
def test_indices_of_every_type_and_layout(name: str, layout: str) -> None:
    at = np.random.default_rng(1).integers(0, 6, (4, 5)).astype(name)
    at = np.broadcast_to(at[:1], at.shape) if layout == "broadcast" else at
    a = sample((6, 7))
    x, index = suanzi.tensor(a), LAYOUTS[layout](at)
    assert_same(x[index], a[at])
    assert_same(x[:, index], a[:, at])
    assert_same(x[index, index], a[at, at])


@pytest.mark.parametrize("place", [4, -5, slice(1, 4), None])
def test_a_mask_of_two_dimensions_behind_an_ellipsis(place: Any) -> None:
    a = np.arange(2 * 5 * 4 * 3).reshape(2, 5, 4, 3)
    mask = np.random.default_rng(3).random((4, 3)) < 0.5
    x, m = suanzi.tensor(a), suanzi.tensor(mask)
    assert_same(x[..., place, m], a[..., place, mask])
    assert_same(x[..., m, None], a[..., mask, None])
    x[..., place, m] = 0
    a[..., place, mask] = 0
    assert_same(x, a)


@pytest.mark.parametrize("name", NAMES)
def test_masks(name: str) -> None:
    a = sample((5, 6), name)
    mask = np.random.default_rng(2).random((5, 6)) < 0.5
    x, m = suanzi.tensor(a), suanzi.tensor(mask)
    assert_same(x[m], a[mask])
    assert_same(x.T[m.T], a.T[mask.T])
    assert_same(x[m[:, 0]], a[mask[:, 0]])
    assert_same(x[1, m[1]], a[1, mask[1]])
    assert_same(x[m & ~m], a[mask & ~mask])
    x[m] = 0
    a[mask] = 0
    assert_same(x, a)
    x[~m] = a[~mask] = sample((int((~mask).sum()),), name)
    assert_same(x, a)
    x[m[:, 1]] = a[mask[:, 1]] = sample((6,), name)
    assert_same(x, a)


def test_comparison_selects() -> None:
    a = sample((4, 5))
    x = suanzi.tensor(a)
    assert_same(x[x > 7], a[a > 7])
    x[x > 7] *= -1
    a[a > 7] *= -1
    assert_same(x, a)


def test_repeated_indices() -> None:
    x = suanzi.zeros(3)
    x[[0, 2, 0]] = [1.0, 2.0, 3.0]
    assert_same(x, np.float32([3, 0, 2]))
    x[[0, 2, 0]] += 1  # the operator reads x[0] once and writes x[0] twice, as in NumPy
    assert_same(x, np.float32([4, 0, 3]))


def test_what_is_selected_is_a_copy() -> None:
    x = suanzi.zeros((3, 4))
    assert not shares_memory(x, x[[0, 1]])
    assert not shares_memory(x, x[True])
    assert shares_memory(x, x[suanzi.tensor(1, dtype="int64")])


def test_shared_memory() -> None:
    a = np.array([3, 1, 0, 2, 3], np.int64)
    x = suanzi.tensor(a)
    x[x] = x[::-1]
    a[a.copy()] = a[::-1].copy()
    assert_same(x, a)
    x = suanzi.tensor(np.array([2, 0, 1, 4, 3]))
    x[1:][x[1:] - 1] = x[:-1]
    b = np.array([2, 0, 1, 4, 3])
    b[1:][b[1:] - 1] = b[:-1].copy()
    assert_same(x, b)
    truth = suanzi.tensor([True, False, True])
    truth[truth] = False
    assert_same(truth, np.zeros(3, bool))


@pytest.mark.parametrize("threads", [1, 3])
def test_large(threads: int) -> None:
    rng = np.random.default_rng(1)
    a = rng.random((500, 400), np.float32)
    rows, columns = rng.integers(-500, 500, 150_000), rng.integers(-400, 400, 150_000)
    v = rng.random(150_000, np.float32)
    before = suanzi.get_num_threads()
    suanzi.set_num_threads(threads)
    try:
        x = suanzi.tensor(a)
        assert_same(x[suanzi.tensor(rows), suanzi.tensor(columns)], a[rows, columns])
        assert_same(x[:, suanzi.tensor(columns[:2000])], a[:, columns[:2000]])
        assert_same(x[suanzi.tensor(rows[:900])], a[rows[:900]])
        x[rows, columns] = v
        a[rows, columns] = v
        assert_same(x, a)
        x[:, columns[:300]] = v[:500, None]
        a[:, columns[:300]] = v[:500, None]
        assert_same(x, a)
    finally:
        suanzi.set_num_threads(before)


I64 = suanzi.zeros(2, dtype="int64")
BAD: list[tuple[Any, Any]] = [
    ([2], OutOfRangeError),
    ([0, -3], OutOfRangeError),
    ((0, [0, 3]), OutOfRangeError),
    ((slice(None), [0, 0, 3]), OutOfRangeError),
    (([0], [0], [0]), OutOfRangeError),
    ((0, 0, [0]), OutOfRangeError),
    ((2, [0]), OutOfRangeError),
    ([2**63], OutOfRangeError),
    (np.array([2**64 - 1], np.uint64), OutOfRangeError),
    (np.ones((2, 3, 1), bool), OutOfRangeError),
    ((..., 0, 0, [0]), OutOfRangeError),
    ([2**70], TypeMismatchError),
    ([0.0], TypeMismatchError),
    ([1j], TypeMismatchError),
    (["a"], TypeMismatchError),
    ([None], TypeMismatchError),
    ([THING], TypeMismatchError),
    ((THING, [0]), TypeMismatchError),
    (np.array([0.0]), TypeMismatchError),
    (np.zeros(0), TypeMismatchError),
    (np.float64(1), TypeMismatchError),
    (suanzi.zeros(2), TypeMismatchError),
    (suanzi.zeros((), dtype="complex64"), TypeMismatchError),
    (([0], "a"), TypeMismatchError),
    (([0], slice("a", None)), TypeMismatchError),
    ({0: 1}, TypeMismatchError),
    (([0, 1], [0, 1, 2]), DimensionsMismatchError),
    ([[0, 1], [0]], DimensionsMismatchError),
    ([True, False, True], DimensionsMismatchError),
    (np.ones((2, 2), bool), DimensionsMismatchError),
    ((0, np.ones(2, bool)), DimensionsMismatchError),
    (([True, True], [0, 1, 2]), DimensionsMismatchError),
    ((..., [0], ...), InvalidArgumentError),
    (([0], *(None,) * 63), InvalidArgumentError),
    ((True, *(None,) * 62), InvalidArgumentError),
    (suanzi.zeros((1,) * 64, dtype="int8"), InvalidArgumentError),
    (([0], slice(0, 2, 0)), InvalidArgumentError),
    (destroyed(), UninitializedObjectError),
    (([0], destroyed()), UninitializedObjectError),
]


@pytest.mark.parametrize(("key", "error"), BAD, ids=[str(i) for i in range(len(BAD))])
def test_bad_keys(key: Any, error: Any) -> None:
    x = suanzi.arange(6).reshape(2, 3)
    with fails(error, "index"):
        x[key]
    for value in (1, suanzi.ones(1), [1.0]):
        with fails(error, "index"):
            x[key] = value
    assert_same(x, np.arange(6, dtype=np.float32).reshape(2, 3))


@pytest.mark.parametrize(
    "key", [[0, 1], np.array([True, True]), np.ones((2, 3), bool), (slice(None), [0, 1, 2])], ids=str
)
@pytest.mark.parametrize(
    ("value", "dtype", "error"),
    [
        (suanzi.zeros(4), "float32", DimensionsMismatchError),
        (suanzi.zeros((2, 1, 1, 1)), "float32", DimensionsMismatchError),
        ([[1, 2], [3]], "float32", DimensionsMismatchError),
        (300, "uint8", OutOfRangeError),
        ([300], "uint8", OutOfRangeError),
        (1.5, "int32", TypeMismatchError),
        (suanzi.tensor([1j]), "float64", TypeMismatchError),
        (1j, "float64", TypeMismatchError),
        ("a", "float32", TypeMismatchError),
        (None, "float32", TypeMismatchError),
        (destroyed(), "float32", UninitializedObjectError),
    ],
    ids=str,
)
def test_bad_values(key: Any, value: Any, dtype: str, error: Any) -> None:
    x = suanzi.tensor(sample((2, 3), dtype))
    with fails(error, "index"):
        x[key] = value
    assert_same(x, sample((2, 3), dtype))


@pytest.mark.parametrize("position", [0, 150_000, 299_999])
def test_an_index_out_of_range_writes_nothing(position: int) -> None:
    at = np.zeros(300_000, np.int64)
    at[position] = 6
    x = suanzi.tensor(sample((6,)))
    for value in (1, suanzi.ones(300_000), suanzi.ones(1)):
        with pytest.raises(OutOfRangeError, match=r"^index: index 6 is outside \[-6, 6\) along axis 0$"):
            x[suanzi.tensor(at)] = value
    assert_same(x, sample((6,)))


def test_targets_that_cannot_be_written() -> None:
    fixed = suanzi.from_reference(bytes(24), dtype="float32")
    repeated = suanzi.expand(suanzi.zeros((1, 3)), (2, 3))
    for x in (fixed, repeated):
        for key in ([0, 1], suanzi.ones(x.shape, dtype="bool"), [True] * x.shape[0]):
            with fails(InvalidArgumentError, "index"):
                x[key] = 1
    assert_same(repeated, np.zeros((2, 3), np.float32))


def test_empty_tensors() -> None:
    a = np.zeros((0, 3), np.float32)
    x = suanzi.tensor(a)
    for key in ([], ([], [0]), (slice(None), [1, 2]), np.zeros((0, 3), bool), (..., [], None)):
        assert_same(x[key], np.asarray(a[key]))
        x[key] = 1
    for key in ([0], (slice(None), [3])):
        with fails(OutOfRangeError, "index"):
            x[key]


class Destroyer:
    """An array as an index. The conversion of the array destroys the indexed tensor during the indexing."""

    def __init__(self, x: Tensor) -> None:
        self.x = x

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        if not suanzi._core.is_destroyed(self.x):
            self.x.destroy()
        return np.array([0, 1])


def test_a_key_that_destroys_the_tensor() -> None:
    for wrap in (lambda d: d, lambda d: (d, d), lambda d: (slice(None), d), lambda d: ([0], d)):
        x = suanzi.ones((2, 2))
        assert bool(suanzi.all(x[wrap(Destroyer(x))] == 1))  # x existed when the indexing began
        x = suanzi.ones((2, 2))
        x[wrap(Destroyer(x))] = 2


@pytest.mark.parametrize("key", [slice(None), ..., [2, 0, 1], (0, None), (slice(0, 2), None)], ids=str)
def test_assignment_ignores_leading_dimensions_of_size_1(key: Any) -> None:
    a = np.zeros(3)
    shape = (1, 1, *np.shape(a[key]))
    for values in (np.arange(1, 1 + np.prod(shape)).reshape(shape), np.full((1, 1, 1), 7)):
        expected = a.copy()
        expected[key] = values
        for value in (values, suanzi.tensor(values, dtype="float64"), values.tolist()):
            x = suanzi.tensor(a)
            x[key] = value
            np.testing.assert_array_equal(x.numpy(), expected)
    with pytest.raises(DimensionsMismatchError):
        suanzi.zeros(3)[:] = suanzi.ones((2, 3))


@pytest.mark.parametrize("assign", [False, True])
def test_keys_whose_shapes_do_not_fit(assign: bool) -> None:
    """A key whose shapes do not fit raises a DimensionsMismatchError that is also an IndexError, as in NumPy."""
    a = np.zeros((3, 4))
    x = suanzi.tensor(a)
    q = suanzi.quantize(x, scale=0.5, dtype="qint8")
    whole = np.ones((4, 3), bool)
    keys: list[Any] = [
        np.ones(2, bool),
        whole,
        (slice(None), np.ones(3, bool)),
        (np.ones(4, bool), 0),
        ([0, 1], [0, 1, 2]),
        (np.ones(3, bool), [0, 1]),
    ]
    for key in keys:
        for target in (a, x, q):
            with pytest.raises(IndexError) as caught:
                target.__setitem__(key, 0) if assign else target.__getitem__(key)
            assert target is a or isinstance(caught.value, DimensionsMismatchError)
        assert suanzi.attempt(x.__getitem__, key)[0] is suanzi.Status.DIMENSIONS_MISMATCH
    with fails(DimensionsMismatchError, "index") as caught:  # the shape of the values is wrong, not the key
        x[[0, 1]] = suanzi.zeros(3)
    assert not isinstance(caught.value, IndexError)


@pytest.mark.parametrize("key", [suanzi.tensor([0, 1]), suanzi.tensor(0), np.zeros(2), [0.5]], ids=repr)
def test_indices_of_another_type_say_what_to_do(key: Any) -> None:
    with pytest.raises(TypeMismatchError, match=r'^index: .*dtype="int64"'):
        suanzi.zeros(3)[key]


@pytest.mark.parametrize("shape", [(0,), (5, 0), (0, 6), (0, 0)])
def test_masks_without_elements_select_nothing(shape: tuple[int, ...]) -> None:
    a = sample((5, 6), "int32")
    x, mask = suanzi.tensor(a), np.zeros(shape, bool)
    assert_same(x[suanzi.tensor(mask)], a[mask])
    x[suanzi.tensor(mask)] = 7
    assert_same(x, a)
