"""Tests of string tensors (6.2): round trips, comparison and selection, views and assignment, and refused calls.

The oracle is Python's str, and NumPy's indexing of arrays of objects. test_string_memory.py tests the memory of the
bytes, and test_bad_input.py tests that all other operators refuse strings.
"""

from __future__ import annotations

import copy
import operator
import pickle
from collections.abc import Callable
from itertools import product
from math import prod
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import suanzi
from layouts import LAYOUTS
from samples import THING, destroyed, fails
from suanzi import (
    DimensionsMismatchError,
    InvalidArgumentError,
    Tensor,
    TypeMismatchError,
    UninitializedObjectError,
    _core,
)
from suanzi.operators.registry import records

# Strings of lengths around the 8 bytes of a word, NULs inside and at the end, one and several bytes per character,
# combining marks, and two strings that UTF-16 would order differently (U+FFFD, U+10000).
WORDS = (
    *("", "a", "b", "ab", "aa", "abc", "abcdefg", "abcdefgh", "abcdefghi", "B", "\0", "a\0", "a\0b", "\x7f", "\x80"),
    *(
        "é",
        "e\u0301",
        "ß",
        "算",
        "算子",
        "算筹",
        "\ufffd",
        "\U00010000",
        "😀",
        "😀é",
        "👩‍👩‍👧",
        "z" * 1000,
        "z" * 999 + "y",
    ),
)
TEXTS = st.one_of(st.sampled_from(WORDS), st.text(st.characters(exclude_categories=["Cs"]), max_size=12))
SHAPES = hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4)


def objects(shape: tuple[int, ...], start: int = 0) -> Any:
    """Make an array of Python strings whose neighbours differ."""
    array = np.empty(prod(shape), object)
    array[:] = [WORDS[(start + 7 * i) % len(WORDS)] for i in range(array.size)]
    return array.reshape(shape)


def filled(shape: tuple[int, ...], text: str) -> Any:
    array = np.empty(shape, object)
    array[...] = text
    return array


def strings(array: Any) -> Tensor:
    """Make a string tensor with the shape of an array, also if the array is empty."""
    return suanzi.reshape(suanzi.tensor(array.ravel().tolist(), dtype="string"), array.shape)


def assert_holds(x: Tensor, expected: Any) -> None:
    assert x.dtype is suanzi.string
    assert x.shape == expected.shape
    assert x.tolist() == expected.tolist()


@st.composite
def arrays(draw: st.DrawFn, shapes: st.SearchStrategy[tuple[int, ...]] = SHAPES) -> Any:
    shape = draw(shapes)
    array = np.empty(prod(shape), object)
    array[:] = draw(st.lists(TEXTS, min_size=array.size, max_size=array.size))
    return array.reshape(shape)


# --- creation, and conversion back ---


@given(arrays(hnp.array_shapes(min_dims=0, max_dims=4, min_side=1, max_side=4)))
def test_of_nested_lists(array: Any) -> None:
    for data in (array.tolist(), array, tuple(array) if array.ndim else array.item()):
        assert_holds(suanzi.tensor(data), array)
    assert_holds(suanzi.tensor(array.tolist(), dtype=str), array)


@given(arrays())
def test_the_ways_back(array: Any) -> None:
    x = strings(array)
    assert_holds(x, array)
    for found in (x.numpy(), np.asarray(x), np.array(x, dtype=object)):
        assert found.shape == array.shape
        assert found.tolist() == array.tolist()
    assert x.numpy().dtype == suanzi.string.numpy
    if array.size == 1:
        assert x.item() == array.item()
        assert bool(x) == bool(array.item())
    if array.ndim:
        assert [row.tolist() for row in x] == array.tolist()


@pytest.mark.parametrize("kind", ["U", "T"])
@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (2, 0, 3)])
def test_of_numpy(kind: str, shape: tuple[int, ...]) -> None:
    words = objects(shape)
    words = np.where(np.char.endswith(words.astype("U"), "\0") | (words == "\0"), "算", words)  # U drops NULs
    array = np.asarray(words).astype(kind)
    for given_array in (array, array.T, array[::-1] if shape else array):
        assert_holds(suanzi.tensor(given_array), given_array)
        assert_holds(suanzi.tensor(given_array, dtype="string"), given_array)
    if array.size:
        assert_holds(suanzi.tensor(list(array) if shape else [array]), array if shape else array.reshape(1))
    assert suanzi.tensor(np.array(">b", ">U2")).item() == ">b"
    assert suanzi.tensor(np.str_("c")).item() == "c"


def test_of_tensors() -> None:
    x = suanzi.tensor(["a", "b\0", "算子"])
    assert suanzi.tensor(x).tolist() == x.tolist()
    assert suanzi.tensor([x[1], x[2]]).tolist() == ["b\0", "算子"]
    assert suanzi.from_reference(x)[1:].tolist() == ["b\0", "算子"]
    assert suanzi.tensor(["a", "b", "c"], shape=(2, 2)).tolist() == [["a", "b"], ["c", ""]]
    assert suanzi.tensor(["a", "b", "c"], shape=2).tolist() == ["a", "b"]
    assert suanzi.tensor([["a", "b"], ["c", "d"]], layout=(0, 1)).stride() == (1, 2)


@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 0), (2, 3)])
def test_filled(shape: tuple[int, ...]) -> None:
    nothing = filled(shape, "")
    like = suanzi.full(shape, "abc")
    assert_holds(like, filled(shape, "abc"))
    assert_holds(suanzi.full(shape, suanzi.tensor(["算"]), dtype="string"), filled(shape, "算"))
    assert_holds(suanzi.full_like(like, "算\0"), filled(shape, "算\0"))
    assert_holds(suanzi.full_like(suanzi.zeros(shape), "z", dtype="string"), filled(shape, "z"))
    for x in (suanzi.zeros(shape, dtype="string"), suanzi.empty(shape, dtype="string"), suanzi.zeros_like(like)):
        assert_holds(x, nothing)
    assert_holds(suanzi.empty_like(like), nothing)
    assert_holds(suanzi.tensor(None, shape=shape, dtype="string"), nothing)


def test_an_empty_list_of_strings() -> None:
    assert_holds(suanzi.tensor([], dtype="string"), np.empty(0, object))
    assert_holds(suanzi.tensor([[], []], dtype="string"), np.empty((2, 0), object))


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("shape", [(), (0, 3), (28,), (2, 3, 4)])
def test_copies_and_pickles(shape: tuple[int, ...], protocol: int) -> None:
    array = objects(shape)
    x = strings(array).T
    x.metadata["unit"] = "词"
    for y in (pickle.loads(pickle.dumps(x, protocol)), copy.copy(x), copy.deepcopy(x), x.clone()):
        assert_holds(y, array.T)
        assert _core.order(y) == _core.order(x)
    assert pickle.loads(pickle.dumps(x, protocol)).metadata == {"unit": "词"}


def test_text() -> None:
    x = suanzi.tensor([["a", "算子"], ["", "it's"]])
    assert repr(x) == "tensor([['a', '算子'],\n        ['', \"it's\"]], dtype=string)"
    assert str(x) == "[['a' '算子']\n ['' \"it's\"]]"
    assert repr(suanzi.tensor("a")) == "tensor('a', dtype=string)"
    assert (str(x[0, 1]), f"{x[0, 1]}", f"{x[0, 0]:>3}") == ("算子", "算子", "  a")
    assert repr(x[:0]) == "tensor([], shape=(0, 2), dtype=string)"
    assert (suanzi.string.name, suanzi.string.kind_name, suanzi.string.itemsize) == ("string", "string", 16)


# --- comparison and selection ---

COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "equal": operator.eq,
    "not_equal": operator.ne,
    "less": operator.lt,
    "less_equal": operator.le,
    "greater": operator.gt,
    "greater_equal": operator.ge,
}


@pytest.mark.parametrize("name", COMPARISONS)
def test_comparison_of_all_pairs(name: str) -> None:
    x = suanzi.tensor(list(WORDS))
    compare, function = COMPARISONS[name], getattr(suanzi, name)
    expected = [[compare(a, b) for b in WORDS] for a in WORDS]
    assert suanzi.all(function(x, x) == suanzi.tensor([compare(a, a) for a in WORDS]))
    assert function(x[:, None], x).tolist() == expected  # broadcast operands use the engine
    for word, row in zip(WORDS, expected, strict=True):
        assert function(word, x).tolist() == row
        assert function(suanzi.full(x.shape, word), x).tolist() == row
        assert compare(word, x).tolist() == row


@pytest.mark.parametrize("name", COMPARISONS)
@pytest.mark.parametrize("layouts", list(product(LAYOUTS, LAYOUTS)), ids=lambda pair: "-".join(pair))
def test_comparison_in_every_layout(name: str, layouts: tuple[str, str]) -> None:
    a, b = objects((4, 6)), objects((4, 6), 3)
    a, b = (np.repeat(c[:1], 4, 0) if layout == "broadcast" else c for c, layout in zip((a, b), layouts, strict=True))
    x, y = (LAYOUTS[layout](c) for c, layout in zip((a, b), layouts, strict=True))
    expected = COMPARISONS[name](a, b).tolist()
    assert getattr(suanzi, name)(x, y).tolist() == expected
    for dtype in ("bool", "float32"):
        out = suanzi.zeros((6, 4), dtype=dtype).T
        assert getattr(suanzi, name)(x, y, out=out) is out
        assert out.tolist() == expected


@given(arrays(), TEXTS)
def test_comparison_with_a_string(array: Any, text: str) -> None:
    for compare in COMPARISONS.values():
        expected = np.asarray(compare(array, text)).tolist() if array.size else array.tolist()
        assert compare(strings(array), text).tolist() == expected


def test_whole_tensors() -> None:
    x = strings(objects((2, 3)))
    assert suanzi.array_equal(x, x.clone())
    assert not suanzi.array_equal(x, x[::-1])
    assert not suanzi.array_equal(x, x[:1])
    assert "ab" in suanzi.tensor(["c", "ab"])
    assert "abc" not in suanzi.tensor(["c", "ab"])


@pytest.mark.parametrize("layouts", list(product(LAYOUTS, LAYOUTS)), ids=lambda pair: "-".join(pair))
def test_where(layouts: tuple[str, str]) -> None:
    a, b = objects((4, 6)), objects((4, 6), 3)
    a, b = (np.repeat(c[:1], 4, 0) if layout == "broadcast" else c for c, layout in zip((a, b), layouts, strict=True))
    x, y = (LAYOUTS[layout](c) for c, layout in zip((a, b), layouts, strict=True))
    condition = np.arange(24).reshape(4, 6) % 3 == 0
    for holds in (suanzi.tensor(condition), suanzi.tensor(condition, dtype="int16").T.clone().T):
        assert_holds(suanzi.where(holds, x, y), np.where(condition, a, b))
        assert_holds(suanzi.where(holds, x, "无"), np.where(condition, a, "无"))
        assert_holds(suanzi.where(holds, "无", y), np.where(condition, "无", b))
        assert_holds(suanzi.where(holds, "yes", "no"), np.where(condition, "yes", "no"))
    out = suanzi.zeros((4, 6), dtype="string")
    assert suanzi.where(holds, x, y, out=out) is out
    assert_holds(out, np.where(condition, a, b))


def test_where_into_its_operands() -> None:
    array = objects((6,))
    x = strings(array)
    odd = suanzi.tensor(np.arange(6) % 2 == 1)
    suanzi.where(odd, x[::-1], "新", out=x)
    array = np.where(np.arange(6) % 2 == 1, array[::-1], "新")
    assert_holds(x, array)
    suanzi.where(odd[:5], x[1:], x[:5], out=x[1:])
    array[1:] = np.where(np.arange(5) % 2 == 1, array[1:], array[:5])
    assert_holds(x, array)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_selection_by_truth(layout: str) -> None:
    """Functions of truth values, such as `nonzero` and `masked_select`, treat every string except "" as true."""
    array = objects((7, 20))
    array = np.repeat(array[:1], 7, 0) if layout == "broadcast" else array
    x = LAYOUTS[layout](array)
    truth = array != ""
    assert suanzi.nonzero(x, as_tuple=False).tolist() == np.argwhere(truth).tolist()
    assert suanzi.count_nonzero(x).item() == truth.sum()
    assert suanzi.count_nonzero(x, axis=0).tolist() == truth.sum(0).tolist()
    assert_holds(suanzi.masked_select(x, suanzi.tensor(truth)), array[truth])
    for value in ("无", suanzi.tensor("无"), x[0, 1]):
        text = value if isinstance(value, str) else value.item()
        assert_holds(suanzi.masked_fill(x, suanzi.tensor(~truth), value), np.where(truth, array, filled((), text)))
        out = x.clone()
        suanzi.masked_fill(out, suanzi.tensor(truth), value, out=out)
        assert_holds(out, np.where(truth, filled((), text), array))


@pytest.mark.usefixtures("keep_threads")
def test_many_elements() -> None:
    """Operators of strings are right for more elements than one tile or one thread's share has."""
    a, b = objects((300, 400)), objects((300, 400), 5)
    x, y = strings(a), strings(b)
    for threads in (1, 3):
        suanzi.set_num_threads(threads)
        assert (x < y).tolist() == (a < b).tolist()
        assert (x.T == y.T).tolist() == (a == b).T.tolist()
        assert_holds(suanzi.where(x < y, x, y), np.where(a < b, a, b))
        assert_holds(x[::-1, ::3].clone(), a[::-1, ::3])


# --- views, copies, assignment ---

SHAPINGS: dict[str, tuple[Callable[[Tensor], Tensor], Callable[[Any], Any]]] = {
    "reshape": (lambda x: suanzi.reshape(x, (4, 6)), lambda a: a.reshape(4, 6)),
    "reshape a transposed one": (lambda x: suanzi.reshape(x.T, (6, 4)), lambda a: a.T.reshape(6, 4)),
    "expand_dims": (lambda x: suanzi.expand_dims(x, 1), lambda a: a[:, None]),
    "squeeze": (lambda x: suanzi.squeeze(x[:1]), lambda a: a[0]),
    "transpose": (lambda x: suanzi.transpose(x, (2, 0, 1)), lambda a: a.transpose(2, 0, 1)),
    "permute_dims": (lambda x: suanzi.permute_dims(x, (1, 0, 2)), lambda a: a.transpose(1, 0, 2)),
    "matrix_transpose": (suanzi.matrix_transpose, lambda a: a.swapaxes(1, 2)),
    "expand": (lambda x: suanzi.expand(x, (2, -1, 3, 4)), lambda a: np.broadcast_to(a, (2, 2, 3, 4))),
    "broadcast_to": (lambda x: suanzi.broadcast_to(x, (2, 2, 3, 4)), lambda a: np.broadcast_to(a, (2, 2, 3, 4))),
    "flatten": (suanzi.flatten, lambda a: a.ravel()),
    "contiguous": (lambda x: suanzi.contiguous(x.T), lambda a: a.T),
    "clone": (lambda x: suanzi.clone(x[::-1, ::2]), lambda a: a[::-1, ::2]),
    "astype": (lambda x: suanzi.astype(x[..., ::-2], "string"), lambda a: a[..., ::-2]),
    "concat": (lambda x: suanzi.concat((x, x[::-1]), axis=1), lambda a: np.concatenate((a, a[::-1]), 1)),
    "stack": (lambda x: suanzi.stack((x, x[::-1]), axis=1), lambda a: np.stack((a, a[::-1]), 1)),
    "split": (lambda x: suanzi.split(x, 2, axis=2)[1], lambda a: np.split(a, 2, 2)[1]),
    "unstack": (lambda x: suanzi.unstack(x, axis=1)[2], lambda a: a[:, 2]),
    "tile": (lambda x: suanzi.tile(x, (2, 1, 3)), lambda a: np.tile(a, (2, 1, 3))),
    "repeat": (lambda x: suanzi.repeat(x, 3, axis=1), lambda a: np.repeat(a, 3, 1)),
    "meshgrid": (lambda x: suanzi.meshgrid(x[0, 0], x[1, :, 0])[1], lambda a: np.meshgrid(a[0, 0], a[1, :, 0])[1]),
    "broadcast_arrays": (lambda x: suanzi.broadcast_arrays(x[:1], x)[0], lambda a: np.broadcast_to(a[:1], a.shape)),
    "broadcast_tensors": (lambda x: suanzi.broadcast_tensors(x[:1], x)[0], lambda a: np.broadcast_to(a[:1], a.shape)),
    "slice": (lambda x: suanzi.slice(x, (0, 1), (2, 3)), lambda a: a[0:2, 1:3]),
    "crop": (lambda x: suanzi.crop(x, (0, 1, 1), (2, 2, 2)), lambda a: a[0:2, 1:3, 1:3]),
    "pad": (lambda x: suanzi.pad(x, 2, value="边"), lambda a: np.pad(a, 2, constant_values="边")),
    "pad by edge": (lambda x: suanzi.pad(x, 1, mode="edge"), lambda a: np.pad(a, 1, mode="edge")),
    "roll": (lambda x: suanzi.roll(x, 2, axis=2), lambda a: np.roll(a, 2, 2)),
    "flip": (lambda x: suanzi.clone(suanzi.flip(x, axis=1)), lambda a: np.flip(a, 1)),
    "reverse": (lambda x: suanzi.reverse(x, 2), lambda a: np.flip(a, 2)),
    "rot90": (suanzi.rot90, np.rot90),
    "moveaxis": (lambda x: suanzi.moveaxis(x, 0, 2), lambda a: np.moveaxis(a, 0, 2)),
    "swapaxes": (lambda x: suanzi.swapaxes(x, 0, 2), lambda a: np.swapaxes(a, 0, 2)),
    "gather": (lambda x: suanzi.gather(x, AT, axis=1), lambda a: a[:, [2, 0, 2, 1]]),
    "take": (lambda x: suanzi.take(x, AT), lambda a: np.take(a, [2, 0, 2, 1])),
    "take_along_axis": (
        lambda x: suanzi.take_along_axis(x, suanzi.reshape(AT, (1, 1, 4)), axis=1),
        lambda a: np.take_along_axis(a, np.array([2, 0, 2, 1]).reshape(1, 1, 4), 1),
    ),
    "gather_nd": (lambda x: suanzi.gather_nd(x, suanzi.reshape(AT, (2, 2)) // 2), lambda a: a[[1, 1], [0, 0]]),
    "index_select": (lambda x: suanzi.index_select(x, AT, axis=1), lambda a: a[:, [2, 0, 2, 1]]),
    "an index of integers": (lambda x: x[:, AT], lambda a: a[:, [2, 0, 2, 1]]),
    "an index of truths": (lambda x: x[x != "a"], lambda a: a[a != "a"]),
    "scatter": (
        lambda x: suanzi.scatter(x, suanzi.expand(AT[:2, None], (2, 2, 4)), x[:, :2], axis=1),
        lambda a: _scattered(a),
    ),
    "scatter_nd": (lambda x: suanzi.scatter_nd(x, suanzi.tensor([[1, 2]], dtype="int64"), "新"), lambda a: _set(a)),
    "diag": (lambda x: suanzi.diag(x[0], 1), lambda a: np.diag(a[0], 1)),
    "diagonal": (suanzi.diagonal, lambda a: np.diagonal(a, 0, -2, -1)),
    "tril": (suanzi.tril, lambda a: np.where(np.tri(3, 4, dtype=bool), a, "")),
    "triu": (suanzi.triu, lambda a: np.where(np.tri(3, 4, -1, dtype=bool), "", a)),
}
AT = suanzi.tensor([2, 0, 2, 1], dtype="int64")


def _scattered(a: Any) -> Any:
    a = a.copy()
    a[:, [2, 0]] = a[:, :2].copy()
    return a


def _set(a: Any) -> Any:
    a = a.copy()
    a[1, 2] = "新"
    return a


@pytest.mark.parametrize("name", SHAPINGS)
def test_shapes(name: str) -> None:
    ours, theirs = SHAPINGS[name]
    array = objects((2, 3, 4))
    assert_holds(ours(strings(array)), theirs(array))
    assert_holds(suanzi.clone(ours(strings(array))), theirs(array))


@given(st.data())
def test_indexing_and_assignment(data: st.DataObject) -> None:
    shape = data.draw(SHAPES)
    array = objects(shape)
    x = strings(array)
    key = data.draw(hnp.basic_indices(shape, allow_newaxis=True))
    chosen = np.asarray(array[key], object)
    assert_holds(x[key], chosen)
    for value in (data.draw(TEXTS), objects(chosen.shape, 5), objects(chosen.shape[1:], 2)):
        array[key] = value
        x[key] = value if isinstance(value, str) else strings(value)
        assert_holds(x, array)
    if array[key] is not None and np.size(array[key]) and np.ndim(array[key]):
        array[key] = chosen
        x[key] = chosen.tolist()
        assert_holds(x, array)


def test_queries() -> None:
    x = strings(objects((2, 3))).T
    assert (suanzi.shape(x), suanzi.size(x), suanzi.rank(x)) == ((3, 2), 6, 2)
    assert not suanzi.is_contiguous(x)
    assert (x.itemsize, x.nbytes, len(x)) == (16, 96, 3)


UNARY = "shape size rank is_contiguous contiguous clone destroy expand_dims squeeze transpose matrix_transpose flatten"
# A call of every function whose record accepts strings.
TAKES_STRINGS: dict[str, Callable[[Tensor], Any]] = {
    **{name: lambda x, name=name: getattr(suanzi, name)(x, x) for name in COMPARISONS},
    **{name: lambda x, name=name: getattr(suanzi, name)(x) for name in (*UNARY.split(), "zeros_like", "empty_like")},
    "maximum": lambda x: suanzi.maximum(x, x),
    "minimum": lambda x: suanzi.minimum(x, x),
    "max": suanzi.max,
    "min": suanzi.min,
    "reduce": lambda x: suanzi.reduce(x, "max"),
    "nonzero": suanzi.nonzero,
    "sort": suanzi.sort,
    "argsort": suanzi.argsort,
    "argmax": suanzi.argmax,
    "argmin": suanzi.argmin,
    "topk": lambda x: suanzi.topk(x, 2),
    "unique": suanzi.unique,
    "searchsorted": lambda x: suanzi.searchsorted(suanzi.sort(suanzi.flatten(x)), x),
    "count_nonzero": suanzi.count_nonzero,
    "masked_select": lambda x: suanzi.masked_select(x, x == x),
    "masked_fill": lambda x: suanzi.masked_fill(x, x == x, "a"),
    "array_equal": lambda x: suanzi.array_equal(x, x),
    "where": lambda x: suanzi.where(True, x, x),
    "fft.fftshift": suanzi.fft.fftshift,
    "fft.ifftshift": suanzi.fft.ifftshift,
    "interpolate": lambda x: suanzi.interpolate(x, size=8),
    "gather_tiled": lambda x: suanzi.gather_tiled(x, suanzi.tensor([1, 0], dtype="int64"), (1, 2, 2)),
    "full_like": lambda x: suanzi.full_like(x, "a"),
    **{name: lambda x, name=name: SHAPINGS[name][0](x) for name in SHAPINGS if hasattr(suanzi, name)},
}


def test_who_takes_strings() -> None:
    assert {record.name for record in records() if "S" in record.accepts} == set(TAKES_STRINGS)
    for call in TAKES_STRINGS.values():
        call(strings(objects((2, 3, 4))))


# --- order ---


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_sorted(layout: str, descending: bool) -> None:
    """`sort` and `argsort` order strings along each axis by code points. Equal strings keep their order."""
    a = objects((4, 5, 6))
    a = np.broadcast_to(a[:1], a.shape) if layout == "broadcast" else a
    x = LAYOUTS[layout](a)
    for axis in (0, 1, -1):
        lines = np.moveaxis(a, axis, -1).reshape(-1, a.shape[axis])
        order = [sorted(range(len(line)), key=line.__getitem__, reverse=descending) for line in lines]
        values = np.array([[line[i] for i in indices] for line, indices in zip(lines, order, strict=True)], object)
        moved = (*(n for i, n in enumerate(a.shape) if i != axis % 3), a.shape[axis])
        assert_holds(suanzi.sort(x, axis, descending), np.moveaxis(values.reshape(moved), -1, axis))
        indices = np.moveaxis(np.array(order).reshape(moved), -1, axis)
        assert suanzi.argsort(x, axis, descending).tolist() == indices.tolist()


def test_sorted_outlives_its_source() -> None:
    x = strings(objects((50,)))
    result = suanzi.sort(x)
    x.destroy()
    assert result.tolist() == sorted(objects((50,)).tolist())


# --- refused calls ---

X = suanzi.tensor(["a", "b"])
N = suanzi.tensor([1.0, 2.0])
HOLDS_ITSELF: list[Any] = []
HOLDS_ITSELF.append(HOLDS_ITSELF)
DEEP: Any = "a"
for _ in range(65):
    DEEP = [DEEP]

REFUSED: dict[str, tuple[str, Callable[[], Any], type[Exception]]] = {
    "x + x": ("add", lambda: X + X, TypeMismatchError),
    "x + str": ("add", lambda: X + "a", TypeMismatchError),
    "str + x": ("add", lambda: "a" + X, TypeMismatchError),
    "x * 2": ("multiply", lambda: X * 2, TypeMismatchError),
    "x += str": ("add", lambda: operator.iadd(X, "a"), TypeMismatchError),
    "-x": ("negative", lambda: -X, TypeMismatchError),
    "number + str": ("add", lambda: N + "a", TypeMismatchError),
    "strings and numbers": ("equal", lambda: X == N, TypeMismatchError),
    "strings and a number": ("equal", lambda: X == 1, TypeMismatchError),
    "numbers and a string": ("equal", lambda: N == "a", TypeMismatchError),
    "strings alone": ("equal", lambda: suanzi.equal("a", "b"), TypeMismatchError),
    "a surrogate": ("equal", lambda: X == "a\ud800", InvalidArgumentError),
    "out that is no bool": ("less", lambda: suanzi.less(X, X, out=X), TypeMismatchError),
    "where of both": ("where", lambda: suanzi.where(N, X, N), TypeMismatchError),
    "where of both scalars": ("where", lambda: suanzi.where(N, "a", 1), TypeMismatchError),
    "strings for a condition": ("where", lambda: suanzi.where(X, N, N), TypeMismatchError),
    "strings for a mask": ("masked_select", lambda: suanzi.masked_select(N, X), TypeMismatchError),
    "strings for a mask to fill": ("masked_fill", lambda: suanzi.masked_fill(X, X, "a"), TypeMismatchError),
    "a number for strings": ("masked_fill", lambda: suanzi.masked_fill(X, X == X, 1), TypeMismatchError),
    "a string for a condition": ("where", lambda: suanzi.where("a", N, N), TypeMismatchError),
    "out that is no string": ("where", lambda: suanzi.where(N, X, X, out=N), TypeMismatchError),
    "shapes": ("equal", lambda: suanzi.equal(X, suanzi.tensor(["a"] * 3)), DimensionsMismatchError),
    "destroyed": ("equal", lambda: destroyed() == "a", UninitializedObjectError),
    "to numbers": ("astype", lambda: X.astype("float32"), TypeMismatchError),
    "to bool": ("astype", lambda: X.astype("bool"), TypeMismatchError),
    "of numbers": ("astype", lambda: N.astype("string"), TypeMismatchError),
    "of complex numbers": ("astype", lambda: suanzi.tensor(1j).astype("string"), TypeMismatchError),
    "data to numbers": ("tensor", lambda: suanzi.tensor(["1"], dtype="int8"), TypeMismatchError),
    "numbers to strings": ("tensor", lambda: suanzi.tensor([1], dtype="string"), TypeMismatchError),
    "a number among strings": ("tensor", lambda: suanzi.tensor(["a", 1]), TypeMismatchError),
    "a string among numbers": ("tensor", lambda: suanzi.tensor([1, "a"]), TypeMismatchError),
    "bytes": ("tensor", lambda: suanzi.tensor([b"a"]), TypeMismatchError),
    "bytes among strings": ("tensor", lambda: suanzi.tensor(["a", b"a"]), TypeMismatchError),
    "None among strings": ("tensor", lambda: suanzi.tensor(["a", None]), TypeMismatchError),
    "an array of both": ("tensor", lambda: suanzi.tensor(np.array(["a", 1], object)), TypeMismatchError),
    "a thing": ("tensor", lambda: suanzi.tensor(["a", THING]), TypeMismatchError),
    "other depths": ("tensor", lambda: suanzi.tensor([["a"], "b"]), DimensionsMismatchError),
    "other depths, deeper later": ("tensor", lambda: suanzi.tensor(["a", ["b"]]), DimensionsMismatchError),
    "other lengths": ("tensor", lambda: suanzi.tensor([["a"], ["b", "c"]]), DimensionsMismatchError),
    "too deep": ("tensor", lambda: suanzi.tensor(DEEP), InvalidArgumentError),
    "no end": ("text", lambda: _core.text("text", HOLDS_ITSELF), InvalidArgumentError),
    "a character past Unicode": (
        "tensor",
        lambda: suanzi.tensor(np.array([0x110000, 0x41], np.uint32).view("U2")),
        InvalidArgumentError,
    ),
    "a lone surrogate": ("tensor", lambda: suanzi.tensor(["a", "\udfff"]), InvalidArgumentError),
    "full of a surrogate": ("full", lambda: suanzi.full(2, "\udfff"), InvalidArgumentError),
    "full of strings as numbers": ("full", lambda: suanzi.full(2, "1", dtype="int8"), TypeMismatchError),
    "full of numbers as strings": ("full", lambda: suanzi.full(2, 1, dtype="string"), TypeMismatchError),
    "full of 0 by default": ("full", lambda: suanzi.full(2, dtype="string"), TypeMismatchError),
    "ones": ("full|ones", lambda: suanzi.ones(2, dtype="string"), TypeMismatchError),
    "arange": ("arange", lambda: suanzi.arange(2, dtype="string"), TypeMismatchError),
    "arange to a string": ("arange", lambda: suanzi.arange("a"), TypeMismatchError),  # type: ignore[arg-type]
    "linspace": ("linspace", lambda: suanzi.linspace(0, 1, 2, dtype="string"), TypeMismatchError),
    "a scan as strings": ("cumulative_sum", lambda: suanzi.cumulative_sum(N, dtype="string"), TypeMismatchError),
    "eye": ("eye", lambda: suanzi.eye(2, dtype="string"), TypeMismatchError),
    "uniform": ("uniform", lambda: suanzi.uniform(2, dtype="string"), TypeMismatchError),
    "normal": ("normal", lambda: suanzi.normal(2, dtype="string"), TypeMismatchError),
    "randperm": ("randperm", lambda: suanzi.randperm(2, dtype="string"), TypeMismatchError),
    "concat with numbers": ("concat", lambda: suanzi.concat((X, N)), TypeMismatchError),
    "pad with a number": ("pad", lambda: suanzi.pad(X, 1, value=0), TypeMismatchError),
    "scatter by adding": ("scatter", lambda: suanzi.scatter(X, AT[1:2], X[:1], mode="add"), TypeMismatchError),
    "scatter of a number": ("scatter", lambda: suanzi.scatter(X, AT[1:2], 1), TypeMismatchError),
    "gather by strings": ("gather", lambda: suanzi.gather(X, X), TypeMismatchError),
    "sum as strings": ("sum", lambda: suanzi.sum(N, dtype="string"), TypeMismatchError),
    "mean as strings": ("mean|sum", lambda: suanzi.mean(N, dtype="string"), TypeMismatchError),
    "real part": ("real", lambda: X.real, TypeMismatchError),
    "imaginary part": ("imag", lambda: X.imag, TypeMismatchError),
    "float": ("float", lambda: float(suanzi.tensor("1")), TypeMismatchError),
    "int": ("int", lambda: int(suanzi.tensor("1")), TypeMismatchError),
    "complex": ("complex", lambda: complex(suanzi.tensor("1")), TypeMismatchError),
    "an index": ("index", lambda: [1, 2][suanzi.tensor("1")], TypeMismatchError),
    "an element as a number": ("index", lambda: operator.setitem(X, 0, 1), TypeMismatchError),
    "elements as numbers": ("index", lambda: operator.setitem(X, slice(None), N), TypeMismatchError),
    "a number as a string": ("index", lambda: operator.setitem(N, 0, "1"), TypeMismatchError),
    "elements that do not fit": ("index", lambda: operator.setitem(X, slice(None), ["a"] * 3), DimensionsMismatchError),
    "a surrogate for an element": ("index", lambda: operator.setitem(X, 0, "\ud800"), InvalidArgumentError),
    "numpy's memory": ("from_reference", lambda: suanzi.from_reference(np.array(["a"])), InvalidArgumentError),
    "bytes as strings": (
        "from_reference",
        lambda: suanzi.from_reference(bytearray(16), dtype="string"),
        InvalidArgumentError,
    ),
    "DLPack": ("__dlpack__", lambda: X.__dlpack__(), TypeMismatchError),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case: str) -> None:
    names, call, error = REFUSED[case]
    with fails(error, *names.split("|")):  # type: ignore[arg-type]
        call()
    assert (X.tolist(), N.tolist()) == (["a", "b"], [1.0, 2.0])


def test_addresses_do_not_leave() -> None:
    """No protocol exports the memory of a string tensor, because the memory holds addresses."""
    with pytest.raises(BufferError, match=r"^buffer: "):
        memoryview(X)
    with pytest.raises(BufferError):
        bytearray(X)
    with pytest.raises(ValueError, match=r"^__array__: "):
        np.asarray(X, copy=False)
    with fails(InvalidArgumentError, "from_reference"):
        _core.share_buffer(np.zeros(1, complex), suanzi.string)
