"""Reads and writes of elements by index have the same results on a device as on the CPU."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from placing import GPU, assert_same, here, outcome, sz, there

from samples import NAMES, sample
from suanzi import DimensionsMismatchError, InvalidArgumentError, OutOfRangeError, TypeMismatchError

pytestmark = pytest.mark.one_level

CUBE = sz.tensor(np.arange(24.0, dtype=np.float32).reshape(2, 3, 4))
FIRST, SECOND = sz.tensor([1, 0, -1], dtype="int64"), sz.tensor([[2], [0]], dtype="int8")
MASK = CUBE > 11.5
BACKWARDS = (slice(None, None, -1), FIRST)
KEYS: list[Any] = [
    0,
    -1,
    (1, 2),
    (1, 2, 3),
    slice(None, None, -1),
    (slice(0, 2), slice(2, None, -2)),
    (..., 1),
    (None, 1, ...),
    (0, slice(1, 3), None),
    (slice(None), slice(1, 1)),
    FIRST,
    (slice(None), SECOND),
    (FIRST, FIRST),
    (0, slice(None), SECOND),
    (slice(None), SECOND, 0),
    (SECOND - 1, slice(None), FIRST),
    MASK,
    MASK[:, :, 0],
    (0, MASK[0]),
    [1, 0],
    ([0, 1], [2, 1]),
    range(2),
    (range(1, -1, -1), range(2)),
    (FIRST, ..., FIRST),
    BACKWARDS,
    sz.tensor(1, dtype="int64"),
    (),
]
WRONG: list[Any] = [
    2,
    (0, 3),
    (0, 0, 0, 0),
    "a",
    1.5,
    sz.tensor([0.5]),
    MASK[0],
    (slice(None), sz.tensor([True, False])),
]


@pytest.mark.parametrize("name", ["float32", "uint16", "bfloat16", "complex64"])
@pytest.mark.parametrize("key", KEYS, ids=lambda k: repr(k)[:60])
def test_reading(key: Any, name: str) -> None:
    x = sz.astype(CUBE, name)
    assert_same(here(there(x)[there(key)]), x[key])


@pytest.mark.parametrize("key", KEYS, ids=lambda k: repr(k)[:60])
@pytest.mark.parametrize("value", ["number", "tensor", "row"])
def test_writing(key: Any, value: str) -> None:
    expected, found = sz.clone(CUBE), there(CUBE)
    part = expected[key]
    given = (
        7
        if value == "number"
        else sz.clone(part) * 2 + 1
        if value == "tensor"
        else part[..., :1]
        if part.ndim
        else part
    )
    expected[key] = given
    if key is BACKWARDS:
        with pytest.raises(TypeMismatchError, match="negative step"):
            found[there(key)] = there(given)
        return
    found[there(key)] = there(given)
    assert_same(here(found), expected)


@pytest.mark.parametrize("key", WRONG, ids=lambda k: repr(k)[:60])
def test_wrong_keys(key: Any) -> None:
    expected = outcome(lambda: CUBE[key])
    assert isinstance(expected, tuple)
    assert outcome(lambda: there(CUBE)[there(key)]) == expected


FLOATS = np.arange(9, dtype=np.float32).reshape(3, 3)
SEVERAL: list[Any] = [
    [[0, 1], [2, 0]],
    np.ix_([0, 1], [1, 2]),
    FLOATS > 3,
    (True, [0, 1]),
    ([0, 1], slice(None, None, 2), True),
    ([True, False, True], [0, 2]),
    (slice(None), None, np.array([True, False, True])),
    False,
    (0, np.zeros((0,), np.int64)),
    (slice(None, 1, -2), slice(None, None, -1)),
    (slice(5, 0, -1), slice(None, 9, -1)),
]


@pytest.mark.parametrize("key", SEVERAL, ids=lambda k: repr(k)[:60])
@pytest.mark.parametrize("on_device", [False, True])
def test_keys_as_in_numpy(key: Any, on_device: bool) -> None:
    def moved(part: Any) -> Any:
        return sz.tensor(np.asarray(part)).to_device(GPU) if isinstance(part, (list, np.ndarray, bool)) else part

    given = (tuple(map(moved, key)) if isinstance(key, tuple) else moved(key)) if on_device else key
    part = FLOATS[key]
    x = there(sz.tensor(FLOATS))
    assert x[given].shape == part.shape
    assert x[given].tolist() == part.tolist()
    for value in (np.float32(-1), -part, -part[None][:, :1].sum(0)):
        expected, found = FLOATS.copy(), there(sz.tensor(FLOATS))
        expected[key] = value
        found[given] = value
        assert found.tolist() == expected.tolist()
        found = there(sz.tensor(FLOATS))
        found[given] = there(sz.tensor(value))
        assert found.tolist() == expected.tolist()


def test_values_of_several_dimensions() -> None:
    x = there(sz.tensor(FLOATS))
    x[...] = [[1.0], [2.0], [3.0]]
    assert x.tolist() == [[1.0] * 3, [2.0] * 3, [3.0] * 3]
    x[...] = FLOATS.T
    assert x.tolist() == FLOATS.T.tolist()


@pytest.mark.parametrize("key", [..., 0, [0, 1], [True, True, False]], ids=str)
def test_real_types_refuse_complex_values(key: Any) -> None:
    for value in (1j, [1j], np.array([1j]), there(sz.tensor([1j]))):
        x = there(sz.zeros(3))
        with pytest.raises(TypeMismatchError, match="cannot become float32"):
            x[key] = value
        assert x.tolist() == [0.0] * 3


@pytest.mark.parametrize("value", [1e30, 2**70, [1e30], np.array(1e30)], ids=str)
def test_floating_types_round_to_infinity(value: Any) -> None:
    x = there(sz.zeros(1, dtype="float16"))
    x[:1] = value
    assert x.tolist() == [float("inf")]


def test_checks_of_large_tensors() -> None:
    n = 2**21 + 8
    x, first = there(sz.zeros((2, n), dtype="float64")), there(sz.tensor([0, 1], dtype="int64"))
    halves, mask = there(sz.tensor([0.0, 1.0])), there(sz.tensor([[True, False]]))
    for key, error in (
        ((first, 10**9), OutOfRangeError),
        ((first, 0, 0), OutOfRangeError),
        ((first, ..., ...), InvalidArgumentError),
        (halves, TypeMismatchError),
        (mask, DimensionsMismatchError),
        (there(sz.tensor([True, False, True])), DimensionsMismatchError),
        ((first, there(sz.tensor([0, 1, 2], dtype="int64"))), DimensionsMismatchError),
    ):
        with pytest.raises(error):
            x[key]
        with pytest.raises(error):
            x[key] = 1.0
    for key in (0, first, there(sz.tensor([True, False]))):
        with pytest.raises(DimensionsMismatchError, match="does not broadcast"):
            x[key] = there(sz.ones(3))
    assert not sz.any(x).item()


def test_the_first_of_several_errors() -> None:
    """A call with several errors raises the same error as on the CPU."""
    for call in (
        lambda at: sz.index_select(at(sz.ones(())), at(FIRST[0])),
        lambda at: sz.scatter(at(CUBE), at(CUBE), at(CUBE), axis=5),
        lambda at: sz.take(2.5, at(FIRST), axis=1),
        lambda at: sz.repeat(at(CUBE), at(FIRST), axis=1),
    ):
        found, expected = (outcome(lambda at=at, call=call: call(at)) for at in (there, lambda x: x))
        assert isinstance(expected, tuple)
        assert found == expected


def test_checks_of_operators_on_large_tensors() -> None:
    n = 2**21 + 8
    x, whole = there(sz.zeros((2, n), dtype="float64")), there(sz.zeros((2, n), dtype="int64"))
    halves, deep = there(sz.tensor([[0.0, 1.0]])), there(sz.tensor([[[0]]], dtype="int64"))
    first = there(sz.tensor([1, -1], dtype="int64"))
    for wrong, error in (
        (lambda: sz.gather(x, halves), TypeMismatchError),
        (lambda: sz.take(x, halves), TypeMismatchError),
        (lambda: sz.index_select(x, halves, 0), TypeMismatchError),
        (lambda: sz.index_select(x, deep, 0), DimensionsMismatchError),
        (lambda: sz.take_along_axis(x, halves, axis=1), TypeMismatchError),
        (lambda: sz.take_along_axis(x, deep, axis=1), DimensionsMismatchError),
        (lambda: sz.gather_nd(x, halves), TypeMismatchError),
        (lambda: sz.scatter(x, halves, 1.0, axis=0), TypeMismatchError),
        (lambda: sz.scatter(x, whole, there(sz.ones(3))), DimensionsMismatchError),
        (lambda: sz.scatter(x, whole, 1j), TypeMismatchError),
        (lambda: sz.scatter_nd(x, halves, 1.0), TypeMismatchError),
        (lambda: sz.pad(whole, 1, value=2.5), TypeMismatchError),
        (lambda: sz.pad(whole, 1, value=1e30), OutOfRangeError),
        (lambda: sz.add(x, halves), DimensionsMismatchError),
        (lambda: sz.gather_tiled(x, first, tile=2, axis=1), DimensionsMismatchError),
        (lambda: sz.pad(x, 1, mode="mirror"), InvalidArgumentError),
        (lambda: sz.pad(x, [(1, 1)] * 3, mode="edge"), DimensionsMismatchError),
        (lambda: sz.searchsorted(x, first), DimensionsMismatchError),
        (lambda: sz.searchsorted(x[0], first, sorter=first), DimensionsMismatchError),
        (lambda: sz.masked_fill(x, x > 0, there(sz.ones(1))), DimensionsMismatchError),
        (lambda: sz.tril(x[0]), DimensionsMismatchError),
        (lambda: sz.take(2.5, whole), TypeMismatchError),
        (lambda: sz.take(2.5, whole, axis=0), TypeMismatchError),
        (lambda: sz.masked_select(x, halves > 0.5), DimensionsMismatchError),
        (lambda: sz.masked_fill(x, halves > 0.5, 1), DimensionsMismatchError),
        (lambda: sz.repeat(x, first), DimensionsMismatchError),
        (lambda: sz.repeat(x, [1, 2, 3], axis=0), DimensionsMismatchError),
        (lambda: sz.repeat(x, halves[0], axis=0), TypeMismatchError),
        (lambda: sz.roll(x, 1.5), TypeMismatchError),
        (lambda: sz.concat([x, x.T], axis=1), DimensionsMismatchError),
        (lambda: sz.stack([x, x.T]), DimensionsMismatchError),
    ):
        with pytest.raises(error):
            wrong()
    assert sz.repeat(x, there(sz.tensor([2, 1], dtype="int64")), axis=0).shape == (3, n)
    assert sz.concat([x, x[:1]]).shape == (3, n)
    assert sz.concat([x, first], axis=None).shape == (2 * n + 2,)
    assert sz.index_select(x, first, 1).shape == (2, 2)
    assert sz.take(x, first).shape == (2,)
    assert sz.gather_tiled(x, first, tile=(2, 2), axis=1).shape == (2, 2)
    assert sz.pad(x, [(0, 0), (1, 2)], mode="reflect").shape == (2, n + 3)
    assert sz.gather_nd(x, there(sz.tensor([[1, 2]], dtype="int64"))).shape == (1,)
    assert sz.scatter(x, first[:, None], 1.0)[1, 0].item() == 1
    assert sz.scatter_nd(x, first[:, None], there(sz.ones(n)))[1, 5].item() == 1


@pytest.mark.parametrize("options", [{}, {"reverse": True}, {"exclusive": True}], ids=str)
def test_scans_of_bools(options: Any) -> None:
    found = np.array([0, 256, 0, 3])
    turn = (lambda x: x[::-1]) if "reverse" in options else (lambda x: x)
    for call, scan, start in (
        (sz.cumulative_sum, np.logical_or.accumulate, False),
        (sz.cumulative_prod, np.logical_and.accumulate, True),
    ):
        expected = turn(scan(turn(found != 0)))
        if "exclusive" in options:
            expected = np.array([start, *expected[:-1]])
        assert call(there(sz.tensor(found)), dtype="bool", **options).tolist() == expected.tolist()


def test_the_last_of_several_values_stays() -> None:
    x = there(sz.zeros(3))
    x[there(sz.tensor([1, 1, 1], dtype="int64"))] = there(sz.tensor([5.0, 6.0, 7.0]))
    assert x.tolist() == [0.0, 7.0, 0.0]


def test_views_share_memory() -> None:
    x = there(CUBE)
    for view in (x[0], x[:, 1], x.T, sz.reshape(x, (6, 4)), sz.expand_dims(x, 0), sz.squeeze(x[:1]), sz.diagonal(x)):
        before = x.tolist()
        view += 1
        assert x.tolist() != before


@pytest.mark.parametrize("key", [..., slice(2), [0, 1], [True, True, False]], ids=str)
@pytest.mark.parametrize("value", [5.0, 0.5, float("nan"), 300, 2.0**40, 1j], ids=str)
def test_integers_hold_what_is_assigned(key: Any, value: complex) -> None:
    array, tensor = np.array(value), sz.tensor(np.array(value))
    for given, on_device in ((value, value), (array, array), (tensor, there(tensor))):
        x, y = sz.tensor([1, 2, 3], dtype="int8"), there(sz.tensor([1, 2, 3], dtype="int8"))
        expected = outcome(lambda x=x, given=given: x.__setitem__(key, given))
        assert outcome(lambda y=y, given=on_device: y.__setitem__(key, given)) == expected
        assert y.tolist() == x.tolist()
        assert (expected is None) == (value == 5)


@pytest.mark.parametrize("mode", ["wrap", "clip"])
def test_take_of_numbers_outside_the_range(mode: Any) -> None:
    for place in (-30, 5, 40):
        assert_same(there(CUBE).take(place, mode=mode), CUBE.take(place, mode=mode))
        assert_same(there(CUBE).take(place, 1, mode), CUBE.take(place, 1, mode))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("mode", ["update", "add", "mul", "min", "max"])
def test_scatter(name: str, mode: str) -> None:
    x = sz.tensor(sample((3, 4), name))
    index = sz.tensor([[0, 2, -1, 0], [0, 1, 1, 1]], dtype="int16")
    updates = sz.tensor(sample((2, 4), name)[::-1].copy())
    expected = outcome(lambda: sz.scatter(x, index, updates, axis=0, mode=mode))
    try:
        found = outcome(lambda: sz.scatter(there(x), there(index), there(updates), axis=0, mode=mode))
    except TypeMismatchError:
        return
    if isinstance(expected, tuple) or isinstance(found, tuple):
        assert found[0] == expected[0] if isinstance(expected, tuple) else name.startswith("complex")
        return
    assert_same(here(found), expected)


@pytest.mark.parametrize("name", NAMES)
def test_order(name: str) -> None:
    draw = np.random.default_rng(0)
    array = draw.integers(0, 6, (4, 9)).astype(sz.as_dtype(name).numpy)
    if sz.as_dtype(name).kind in "fc":
        array[0, 2] = array[2, 5] = np.nan
        array[1, 1] = -0.0
    x = sz.tensor(array)
    for call in (
        lambda x: sz.sort(x),
        lambda x: sz.sort(x, axis=0, descending=True),
        lambda x: sz.argsort(x, axis=-1),
        lambda x: sz.argsort(x, descending=True),
        lambda x: sz.topk(x, 3),
        lambda x: sz.topk(x, 3, largest=False, sorted=False),
        lambda x: sz.unique(x, return_index=True, return_inverse=True, return_counts=True),
        lambda x: sz.unique(x, axis=1, return_index=True, return_inverse=True, return_counts=True),
        lambda x: sz.nonzero(x),
        lambda x: sz.argmax(x, axis=1) if not name.startswith("complex") else x,
        lambda x: sz.argmin(x) if not name.startswith("complex") else x,
        lambda x: sz.searchsorted(sz.sort(x[0]), x),
        lambda x: sz.searchsorted(sz.sort(x[0]), x, side="right"),
        lambda x: sz.flip(x, axis=1),
        lambda x: sz.roll(x, 2, axis=0),
        lambda x: sz.pad(x, ((1, 2), (0, 3)), mode="reflect"),
        lambda x: sz.tile(x, (2, 1)),
        lambda x: sz.repeat(x, 2, axis=0),
    ):
        assert_same(here(call(there(x))), _plain(call(x)))


def _plain(x: Any) -> Any:
    return [_plain(item) for item in x] if isinstance(x, (list, tuple)) else x


def test_axes_of_reads() -> None:
    """A read by an index has exactly one axis, on a device as on the CPU."""
    x, index = sz.tensor([0.5, 1.5]), sz.tensor([0], dtype="int64")
    for function in (sz.gather, sz.index_select, sz.take, sz.take_along_axis):
        for axis in (None, (-1,), 1, -1):
            expected = outcome(lambda function=function, axis=axis: function(x, index, axis=axis))
            found = outcome(lambda function=function, axis=axis: function(there(x), there(index), axis=axis))
            if isinstance(expected, tuple):
                assert found[0] == expected[0]
            else:
                assert_same(here(found), expected)


def test_complex_numbers_are_found_in_every_shape() -> None:
    line = sz.tensor([0, 2j, 1], dtype="complex64")
    for wanted in (sz.tensor(1, dtype="complex64"), line[:0], line[None]):
        assert_same(here(sz.searchsorted(there(line), there(wanted))), sz.searchsorted(line, wanted))


@pytest.mark.parametrize("dtype", ["float16", "float32", "complex64"])
def test_scans_convert_the_elements_first(dtype: Any) -> None:
    x = sz.tensor([1e39, -1e39, 1.0, 0.0], dtype="float64")
    for scan in (sz.cumulative_sum, sz.cumulative_prod):
        assert_same(here(scan(there(x), dtype=dtype)), scan(x, dtype=dtype))


def test_bounds_on_the_device_are_checked() -> None:
    x = there(sz.tensor([[1.0, 2.0], [3.0, 4.0]]))
    for bound in (float("nan"), -1.0):
        for call in (sz.pinv, sz.matrix_rank, lambda x, rtol: sz.lstsq(x, x, rtol=rtol)):
            with pytest.raises(OutOfRangeError, match="is not a number of at least 0"):
                call(x, rtol=there(sz.tensor(bound)))
    assert sz.array_api.full_like(x, 1, shape=3).device == x.device
    assert sz.array_api.isin(x, there(sz.zeros(0))).device == x.device
    assert sz.fft.irfftn(x[0], s=1).shape == (1,)
