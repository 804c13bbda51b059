"""Shape and index operators on quantized tensors move the same real values as NumPy moves fractions."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from quantization import PER_TENSOR, SCALED, TYPES, exact, limits, made

import suanzi
from samples import fails
from suanzi import (
    InvalidArgumentError,
    OutOfRangeError,
    QuantizedTensor,
)

INDEX = np.array([2, 0, -1, 0])
PAIRS = np.array([[0, 1], [2, 3], [1, -1]])
MOVES: dict[str, tuple[Callable[[Any], Any], Callable[[np.ndarray], Any]]] = {
    "reshape": (lambda x: suanzi.reshape(x, (1, 3, 4)), lambda a: a.reshape(1, 3, 4)),
    "transpose": (lambda x: suanzi.transpose(x), lambda a: a.T),
    "T": (lambda x: x.T, lambda a: a.T),
    "permute_dims": (lambda x: suanzi.permute_dims(x, (1, 0)), lambda a: a.T),
    "matrix_transpose": (lambda x: suanzi.matrix_transpose(x), lambda a: a.T),
    "expand_dims": (lambda x: suanzi.expand_dims(x, (0, 2)), lambda a: a[None, :, None]),
    "squeeze": (lambda x: suanzi.squeeze(suanzi.expand_dims(x, 1)), lambda a: a),
    "expand": (lambda x: suanzi.expand(x, (2, 3, 4)), lambda a: np.broadcast_to(a, (2, 3, 4))),
    "slice": (lambda x: suanzi.slice(x, (0, 1), (3, 4), (2, 1)), lambda a: a[0:3:2, 1:4]),
    "crop": (lambda x: suanzi.crop(x, (1, 1), (2, 2)), lambda a: a[1:, 1:3]),
    "getitem": (lambda x: x[::-1, 1:3], lambda a: a[::-1, 1:3]),
    "getitem row": (lambda x: x[1], lambda a: a[1]),
    "getitem column": (lambda x: x[:, 1], lambda a: a[:, 1]),
    "getitem element": (lambda x: x[1, 2], lambda a: np.asarray(a[1, 2], object)),
    "getitem nothing": (lambda x: x[:0], lambda a: a[:0]),
    "getitem index": (lambda x: x[suanzi.tensor(INDEX)], lambda a: a[INDEX]),
    "roll": (lambda x: suanzi.roll(x, 1, 0), lambda a: np.roll(a, 1, 0)),
    "flip": (lambda x: suanzi.flip(x), lambda a: a[::-1, ::-1]),
    "reverse": (lambda x: suanzi.reverse(x, 1), lambda a: a[:, ::-1]),
    "rot90": (lambda x: suanzi.rot90(x), np.rot90),
    "moveaxis": (lambda x: suanzi.moveaxis(x, 0, 1), lambda a: a.T),
    "tile": (lambda x: suanzi.tile(x, (2, 1, 2)), lambda a: np.tile(a, (2, 1, 2))),
    "repeat": (lambda x: suanzi.repeat(x, 2, 0), lambda a: np.repeat(a, 2, 0)),
    "split": (lambda x: suanzi.split(x, [1, 3], 1), lambda a: np.split(a, [1], 1)),
    "unstack": (lambda x: suanzi.unstack(x, 1), lambda a: list(a.T)),
    "iterate": (tuple, list),
    "concat": (lambda x: suanzi.concat([x, x], 1), lambda a: np.concatenate([a, a], 1)),
    "stack": (lambda x: suanzi.stack((x, x), 1), lambda a: np.stack([a, a], 1)),
    "pad": (
        lambda x: suanzi.pad(x, ((1, 0), (0, 2))),
        lambda a: np.pad(a, ((1, 0), (0, 2)), constant_values=Fraction(0)),
    ),
    "pad edge": (lambda x: suanzi.pad(x, 1, "edge"), lambda a: np.pad(a, 1, "edge")),
    "gather": (lambda x: suanzi.gather(x, suanzi.tensor(INDEX), 1), lambda a: a[:, INDEX]),
    "take": (lambda x: suanzi.take(x, suanzi.tensor(INDEX), 0), lambda a: a[INDEX]),
    "index_select": (lambda x: suanzi.index_select(x, suanzi.tensor(INDEX), 0), lambda a: a[INDEX]),
    "gather_nd": (lambda x: suanzi.gather_nd(x, suanzi.tensor(INDEX[:, None])), lambda a: a[INDEX]),
    "diagonal": (lambda x: suanzi.diagonal(x), np.diagonal),
    "tril": (lambda x: suanzi.tril(x), lambda a: np.where(np.tri(3, 4, dtype=bool), a, Fraction(0))),
    "triu": (lambda x: suanzi.triu(x, 1), lambda a: np.where(~np.tri(3, 4, dtype=bool), a, Fraction(0))),
    "masked_fill": (
        lambda x: suanzi.masked_fill(x, suanzi.tensor([True, False, True, False]), 0),
        lambda a: np.where([True, False, True, False], Fraction(0), a),
    ),
    "where": (
        lambda x: suanzi.where(suanzi.tensor([True, False, True, False]), x, 0),
        lambda a: np.where([True, False, True, False], a, Fraction(0)),
    ),
    "clone": (lambda x: suanzi.clone(x), lambda a: a),
    "contiguous": (lambda x: suanzi.contiguous(x.T), lambda a: a.T),
    "broadcast_arrays": (
        lambda x: suanzi.broadcast_arrays(x, suanzi.zeros((2, 1, 1)))[0],
        lambda a: np.broadcast_to(a, (2, 3, 4)),
    ),
    "flatten": (lambda x: suanzi.flatten(x), np.ravel),
    "gather_nd pairs": (lambda x: suanzi.gather_nd(x, suanzi.tensor(PAIRS)), lambda a: a[tuple(PAIRS.T)]),
    "masked_select": (lambda x: suanzi.masked_select(x, x > 0), lambda a: a[a > 0]),
    "take of all": (lambda x: suanzi.take(x, suanzi.tensor(np.array([11, 0, -1]))), lambda a: a.ravel()[[11, 0, -1]]),
    "copy": (copy.copy, lambda a: a),
    "pickle": (lambda x: pickle.loads(pickle.dumps(x)), lambda a: a),
}


@pytest.mark.parametrize("move", MOVES)
@pytest.mark.parametrize(("name", "axis"), SCALED)
def test_movement(move: str, name: str, axis: int) -> None:
    x = made(np.random.default_rng(6), (3, 4), name, axis=axis)
    ours, theirs = MOVES[move]
    result, expected = ours(x), theirs(exact(x))
    pairs = zip(result, expected, strict=True) if isinstance(result, tuple) else [(result, expected)]
    for part, answer in pairs:
        assert isinstance(part, QuantizedTensor)
        np.testing.assert_array_equal(exact(part), answer)


# Operators that mix channels along an axis, or drop the channels' axis. These operators need types with one scale.
MIXING: dict[str, tuple[Callable[[Any], Any], Callable[[np.ndarray], Any]]] = {
    "reshape": (lambda x: suanzi.reshape(x, (4, 3)), lambda a: a.reshape(4, 3)),
    "take_along_axis": (
        lambda x: suanzi.take_along_axis(x, suanzi.tensor(np.array([[0, 1], [1, 2], [0, 0]])), 1),
        lambda a: np.take_along_axis(a, np.array([[0, 1], [1, 2], [0, 0]]), 1),
    ),
    "concat": (lambda x: suanzi.concat([x, x[:1]], None), lambda a: np.concatenate([a, a[:1]], None)),
    "scatter": (
        lambda x: suanzi.scatter(x, suanzi.tensor(np.array([[0], [1], [2]])), x[:, 3:], 1),
        lambda a: np.where(np.eye(3, 4, dtype=bool), a[:, 3:], a),
    ),
    "sort": (lambda x: suanzi.sort(x, 0), lambda a: np.sort(a, 0)),
    "topk": (lambda x: suanzi.topk(x, 2).values, lambda a: np.sort(a)[:, :-3:-1]),
    "diag": (lambda x: suanzi.diag(x[0]), lambda a: np.where(np.eye(4, dtype=bool), a[0], Fraction(0))),
    "meshgrid": (lambda x: suanzi.meshgrid(x[0], x[1]), lambda a: np.meshgrid(a[0], a[1])),
}


@pytest.mark.parametrize("move", MIXING)
@pytest.mark.parametrize("name", PER_TENSOR)
def test_movement_with_one_scale(move: str, name: str) -> None:
    x = made(np.random.default_rng(7), (3, 4), name)
    ours, theirs = MIXING[move]
    result, expected = ours(x), theirs(exact(x))
    pairs = zip(result, expected, strict=True) if isinstance(result, tuple) else [(result, expected)]
    for part, answer in pairs:
        np.testing.assert_array_equal(exact(part), answer)


SEPARATE: dict[str, Callable[[Any], Any]] = {
    "reshape": lambda x: suanzi.reshape(x, (4, 3)),
    "concat": lambda x: suanzi.concat([x, suanzi.requantize(x, [1, 2, 3])], 1),
    "take_along_axis": lambda x: suanzi.take_along_axis(x, suanzi.tensor(np.array([[0, 1, 2, 0], [1, 0, 0, 2]])), 0),
}


@pytest.mark.parametrize("move", SEPARATE)
def test_channels_that_would_mix_are_refused(move: str) -> None:
    x = made(np.random.default_rng(8), (3, 4), "qint8_per_channel")
    with pytest.raises(InvalidArgumentError, match=f"^{move}: the channels would not lie along one axis"):
        SEPARATE[move](x)


def test_joined_channels() -> None:
    rng = np.random.default_rng(12)
    x, y = (made(rng, (n, 4), "qint8_per_channel") for n in (3, 1))
    joined = suanzi.concat([x, y])
    assert joined.axis == 0
    np.testing.assert_array_equal(exact(joined), np.concatenate([exact(x), exact(y)]))
    np.testing.assert_array_equal(exact(suanzi.concat([x[:1], x[1:]])), exact(x))


def test_what_the_channels_become() -> None:
    x = made(np.random.default_rng(13), (3, 4), "qint8_per_channel")
    assert (x.T.axis, x[None].axis, x[:1].axis, x[:0].axis, x[::2].axis) == (1, 1, 0, 0, 0)
    assert x[1].dtype is suanzi.qint8  # a single channel
    assert x[::2].scale.tolist() == x.scale.tolist()[::2]
    assert suanzi.expand(x, (2, 3, 4)).scale.shape == (3,)


# Moves that keep all elements, for any sizes. Each move is a function of a library and a tensor of that library.
KEEPING: dict[str, Callable[[Any, Any], Any]] = {
    "permute_dims": lambda xp, x: xp.permute_dims(x, (*range(1, x.ndim), 0)),
    "moveaxis": lambda xp, x: xp.moveaxis(x, -1, 0),
    "matrix_transpose": lambda xp, x: xp.matrix_transpose(x) if x.ndim > 1 else x,
    "mT": lambda xp, x: x.mT if x.ndim > 1 else x,
    "T": lambda xp, x: x.T if x.ndim == 2 else x,
    "flip": lambda xp, x: xp.flip(x),
    "flip of one axis": lambda xp, x: xp.flip(x, axis=-1),
    "rot90": lambda xp, x: xp.rot90(x) if x.ndim > 1 else x,
    "expand_dims": lambda xp, x: xp.expand_dims(x, (0, 1)),
    "expand_dims inside": lambda xp, x: xp.expand_dims(x, 1),
    "expand_dims behind": lambda xp, x: xp.expand_dims(x, -1),
    "newaxis": lambda xp, x: x[None, :, None],
    "newaxis behind": lambda xp, x: x[..., None],
    "reversed": lambda xp, x: x[::-1],
    "squeeze": lambda xp, x: xp.squeeze(x[None], 0),
    "broadcast_to": lambda xp, x: xp.broadcast_to(x, (2, *x.shape)),
    "stack": lambda xp, x: xp.stack([x, x]),
    "stack behind": lambda xp, x: xp.stack([x, x], -1),
}


@given(st.data(), st.sampled_from(sorted(KEEPING)))
def test_the_axis_of_the_channels_in_any_sizes(data: st.DataObject, name: str) -> None:
    """NumPy moves a tensor of the same number of dimensions, with longer axes, whose elements are channel numbers. The
    numbers show where the axis goes, and whether its order is reversed.
    """
    shape = data.draw(arrays.array_shapes(min_dims=1, max_dims=3, min_side=0, max_side=3))
    axis = data.draw(st.integers(0, len(shape) - 1))
    x = made(np.random.default_rng(data.draw(st.integers(0, 999))), shape, "qint8_per_channel", axis=axis)
    numbers = KEEPING[name](np, np.indices(tuple(n + 2 for n in shape))[axis])
    (along,) = (d for d in range(numbers.ndim) if np.diff(numbers, axis=d).any())
    direction = int(np.diff(numbers, axis=along).flat[0])
    result = KEEPING[name](suanzi, x)
    np.testing.assert_array_equal(exact(result), KEEPING[name](np, exact(x)))
    if shape[axis] == 1 or 0 in shape or len({*x.scale.tolist()}) > 1:
        assert (result.axis, result.scale.tolist()) == (along, x.scale.tolist()[::direction])


@given(st.data())
def test_keys_of_tensors_in_any_sizes(data: st.DataObject) -> None:
    """The model has a scale for each element, and NumPy applies the key to the scales."""
    shape = data.draw(arrays.array_shapes(min_dims=1, max_dims=3, min_side=0, max_side=3))
    key = data.draw(arrays.basic_indices(shape, max_dims=5, allow_newaxis=True))
    axis = data.draw(st.integers(0, len(shape) - 1))
    x = made(np.random.default_rng(data.draw(st.integers(0, 999))), shape, "qint8_per_channel", axis=axis)
    scales = np.broadcast_to(x.scale.numpy().reshape(-1, *(1,) * (len(shape) - axis - 1)), shape)[key]
    result = x[key]
    np.testing.assert_array_equal(exact(result), np.asarray(exact(x)[key], object))
    assert result.scale.shape == (() if result.axis is None else (result.shape[result.axis],))
    ours = result.scale.numpy()
    if result.axis is not None:
        ours = ours.reshape(-1, *(1,) * (result.ndim - result.axis - 1))
    np.testing.assert_array_equal(np.broadcast_to(ours, result.shape), scales)


@pytest.mark.parametrize(("shape", "axis", "wanted", "kept"), [
    ((2, 1), 1, (2, 1), 1), ((2, 1), 1, (1, 2, 1), 2), ((2, 1, 6), 1, (2, 1, 3, 2), 1), ((2, 1, 1), 2, (2, 1, 1), 2),
    ((1, 4), 0, (1, 2, 2), 0), ((2, 1), 1, (1, 2), None), ((2, 1), 1, (2,), None), ((2, 1, 3), 1, (3, 1, 2), None),
])  # fmt: skip
def test_a_single_channel_keeps_its_place_in_reshape(
    shape: tuple[int, ...], axis: int, wanted: tuple[int, ...], kept: int | None
) -> None:
    x = made(np.random.default_rng(4), shape, "qint8_per_channel", axis=axis)
    result = suanzi.reshape(x, wanted)
    np.testing.assert_array_equal(exact(result), exact(x).reshape(wanted))
    assert (result.axis, result.scale.ndim) == (kept, 0 if kept is None else 1)


@pytest.mark.parametrize("move", [lambda x: suanzi.flip(x, 1), lambda x: suanzi.reverse(x, 1), lambda x: x[:, ::-1]])
def test_an_empty_tensor_reverses_its_scales(move: Callable[[Any], Any]) -> None:
    x = suanzi.quantized_tensor((0, 3), scale=[1.0, 2.0, 3.0], axis=1, dtype="qint8_per_channel")
    assert move(x).scale.tolist() == [3.0, 2.0, 1.0]


def test_products_with_a_single_channel_or_without_features() -> None:
    one = suanzi.quantized_tensor(None, np.array([[2]], np.int8), scale=1.0, dtype="qint8")
    weight = suanzi.quantized_tensor(None, np.array([[3]], np.int8), scale=[1.0], axis=0, dtype="qint8_per_channel")
    assert suanzi.linear(one, weight).tolist() == suanzi.matmul(one, weight.T).tolist() == [[6.0]]
    empty = made(np.random.default_rng(1), (3, 0), "qint8_per_channel")
    assert suanzi.linear(one[:, :0], empty).tolist() == [[0.0] * 3]


@pytest.mark.parametrize(("shape", "axis"), [((1,) * 63, 5), ((0, 2**40, 2**20), 0), ((0, 2**62), 0)])
def test_moves_of_many_or_long_axes(shape: tuple[int, ...], axis: int) -> None:
    x = suanzi.quantized_tensor(shape, scale=[2.0] * shape[axis], axis=axis, dtype="qint8_per_channel")
    assert (x[None].axis, suanzi.moveaxis(x, axis, -1).axis) == (axis + 1, len(shape) - 1)


def test_an_empty_part_joins_the_rest() -> None:
    x = made(np.random.default_rng(2), (3, 4), "qint8_per_channel")
    np.testing.assert_array_equal(exact(suanzi.concat([x[:, :0], x], 1)), exact(x))


@given(st.data())
def test_new_elements_of_empty_tensors_are_zeros(data: st.DataObject) -> None:
    """Padding adds channels that have the scale of the nearest channel, or the scale 1 if the tensor has no channel."""
    shape = data.draw(arrays.array_shapes(min_dims=1, max_dims=3, min_side=0, max_side=3))
    widths = data.draw(st.tuples(*(st.tuples(st.integers(0, 2), st.integers(0, 2)) for _ in shape)))
    axis = data.draw(st.integers(0, len(shape) - 1))
    x = made(np.random.default_rng(data.draw(st.integers(0, 999))), shape, "qint8_per_channel", axis=axis)
    padded = suanzi.pad(x, widths)
    np.testing.assert_array_equal(exact(padded), np.pad(exact(x), widths, constant_values=Fraction(0)))
    scales = np.pad(x.scale.numpy(), widths[axis], **({"mode": "edge"} if shape[axis] else {"constant_values": 1}))
    if padded.axis is None:
        assert {*scales.tolist()} <= {padded.scale.item()}
    elif padded.size > 0:
        assert (padded.axis, padded.scale.tolist()) == (axis, scales.tolist())


@pytest.mark.parametrize("offset", [-2, 0, 1])
def test_the_matrix_of_an_empty_diagonal(offset: int) -> None:
    x = made(np.random.default_rng(3), (0,), "qint8_per_channel")
    matrix = suanzi.diag(x, offset)
    assert matrix.shape == (abs(offset),) * 2
    np.testing.assert_array_equal(exact(matrix), np.zeros(matrix.shape))


@pytest.mark.parametrize("name", PER_TENSOR)
@pytest.mark.parametrize("axis", [-1, 0])
@pytest.mark.parametrize("k", [0, 1])
def test_topk_of_a_scalar(name: str, axis: int, k: int) -> None:
    x = made(np.random.default_rng(4), (), name)
    values, indices = suanzi.topk(x, k, axis)
    assert isinstance(values, QuantizedTensor)
    assert (values.shape, indices.shape) == (((), ()) if k else ((0,), (0,)))
    np.testing.assert_array_equal(exact(values), exact(x) if k else np.zeros(0))
    assert not indices.numpy().any()
    with fails(OutOfRangeError, "topk"):
        suanzi.topk(x, k, 1)


@given(st.data(), st.sampled_from(["argmax", "argmin", "argsort"]), st.sampled_from(sorted(TYPES)))
def test_index_operators(data: st.DataObject, operator: str, name: str) -> None:
    shape = data.draw(arrays.array_shapes(min_dims=1, max_dims=3, max_side=5))
    x = made(
        np.random.default_rng(data.draw(st.integers(0, 999))),
        shape,
        name,
        axis=data.draw(st.integers(0, len(shape) - 1)),
    )
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    reals = exact(x).astype(np.float64)  # exact: the values have at most 32 bits
    expected = np.argsort(reals, axis, kind="stable") if operator == "argsort" else getattr(np, operator)(reals, axis)
    np.testing.assert_array_equal(getattr(suanzi, operator)(x, axis=axis).numpy(), expected)


@pytest.mark.parametrize("name", [name for name, (_, _, channels) in TYPES.items() if channels])
@pytest.mark.parametrize("of", [int, np.int64, np.uint8, lambda n: suanzi.tensor(n, dtype="int64")])
def test_the_axis_of_sort_is_any_integer(name: str, of: Callable[[int], Any]) -> None:
    """An integer of NumPy, or a tensor of one integer, names an axis as an integer of Python does."""
    x = made(np.random.default_rng(12), (3, 4, 2), name, axis=1)
    reals = exact(x).astype(np.float64)  # exact: the values have at most 32 bits
    for axis in (0, 2):
        np.testing.assert_array_equal(exact(suanzi.sort(x, of(axis))), np.sort(exact(x), axis))
        np.testing.assert_array_equal(suanzi.argsort(x, of(axis)).numpy(), np.argsort(reals, axis, kind="stable"))
    for axis in range(3):
        np.testing.assert_array_equal(suanzi.argmax(x, axis=of(axis)).numpy(), np.argmax(reals, axis))
    assert suanzi.argmax(x).item() == np.argmax(reals)
    with fails(InvalidArgumentError, "sort"):
        suanzi.sort(x, of(1))


@pytest.mark.parametrize("name", TYPES)
def test_queries(name: str) -> None:
    x = made(np.random.default_rng(9), (3, 4), name)
    assert (suanzi.shape(x), suanzi.size(x), suanzi.rank(x)) == ((3, 4), 12, 2)
    assert suanzi.is_contiguous(x)
    assert not suanzi.is_contiguous(x.T)
    assert suanzi.isfinite(x).numpy().all()
    for ours, theirs in zip(suanzi.nonzero(x), np.nonzero(exact(x)), strict=True):
        np.testing.assert_array_equal(ours.numpy(), theirs)
    assert suanzi.count_nonzero(x).item() == np.count_nonzero(exact(x))


@pytest.mark.parametrize(("name", "axis"), SCALED)
def test_assignment(name: str, axis: int) -> None:
    x = made(np.random.default_rng(10), (3, 4), name, axis=axis)
    before = exact(x)
    x[1, ::2] = x[2, 1:3]
    expected = before.copy()
    least, greatest = limits(name)
    for column, source in ((0, 1), (2, 2)):
        scale = Fraction(float(x.scale.item() if x.axis is None else x.scale[(1, column)[axis]].item()))
        code = round(before[2, source] / scale) + x.zero_point
        expected[1, column] = (min(max(code, least), greatest) - x.zero_point) * scale
    np.testing.assert_array_equal(exact(x), expected)
    x[0] = 0.0
    assert x[0].tolist() == [0] * 4


def test_a_quantized_option_of_dense_tensors_is_refused() -> None:
    with fails(InvalidArgumentError, "meshgrid"):
        suanzi.meshgrid(suanzi.ones(2), indexing=suanzi.quantize(suanzi.ones(2)))  # type: ignore[arg-type]
