"""scatter and scatter_nd return the same results in each of their five modes as NumPy's ufunc.at and plain loops."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import suanzi
from layouts import LAYOUTS
from samples import NAMES, assert_same, destroyed, fails, sample
from suanzi import (
    DimensionsMismatchError,
    InvalidArgumentError,
    OutOfRangeError,
    TypeMismatchError,
    UninitializedObjectError,
)

Array = Any
COMBINE: dict[str, Any] = {
    "update": lambda old, new: new,
    "add": np.add,
    "mul": np.multiply,
    "min": np.minimum,
    "max": np.maximum,
}
MODES = tuple(COMBINE)
SHAPES = hnp.array_shapes(min_dims=1, max_dims=4, min_side=1, max_side=5)


def taken(name: str, mode: str) -> bool:
    return not (name.startswith("complex") and mode in ("min", "max"))


TAKEN = [pytest.param(name, mode, id=f"{name}-{mode}") for name in NAMES for mode in MODES if taken(name, mode)]


def combined(mode: str, old: Any, new: Any) -> Any:
    """Combine an element with one update by the operation of a mode. Complex products follow the plain formula."""
    if mode == "mul" and old.dtype.kind == "c":
        a, b = old, new
        return (a.real * b.real - a.imag * b.imag) + 1j * (a.real * b.imag + a.imag * b.real)
    return COMBINE[mode](old, new)


WIDE = {"float16": "f8", "bfloat16": "f8", "float32": "f8", "complex64": "c16"}


def as_combined(x: Array, mode: str) -> Array:
    """Return a copy of `x` in the type in which the mode accumulates, so that the result is rounded only once."""
    return x.astype(WIDE.get(x.dtype.name, x.dtype) if mode in ("add", "mul") else x.dtype)


def scattered(x: Array, index: Array, updates: Array, axis: int, mode: str) -> Array:
    result, updates = as_combined(x, mode), np.broadcast_to(as_combined(updates, mode), index.shape)
    with np.errstate(all="ignore"):
        for position in np.ndindex(index.shape):
            at = list(position)
            at[axis] = index[position]
            result[tuple(at)] = combined(mode, result[tuple(at)], updates[position])
        return result.astype(x.dtype)


def scattered_nd(x: Array, indices: Array, updates: Array, mode: str) -> Array:
    result = as_combined(x, mode)
    updates = np.broadcast_to(as_combined(updates, mode), indices.shape[:-1] + x.shape[indices.shape[-1] :])
    with np.errstate(all="ignore"):
        for position in np.ndindex(indices.shape[:-1]):
            at = tuple(indices[position])
            result[at] = combined(mode, result[at], updates[position])
        return result.astype(x.dtype)


def values(seed: int, shape: tuple[int, ...], name: str) -> Array:
    """Make numbers of a type. Some floating-point numbers are special, and integers are of the type's whole range."""
    rng = np.random.default_rng(seed)
    dtype = suanzi.as_dtype(name).numpy
    if name == "bool":
        return rng.random(shape) < 0.5
    if "int" in name:
        info = np.iinfo(dtype)
        return rng.integers(info.min, info.max, shape, dtype, endpoint=True)
    x = rng.uniform(-2, 2, shape)
    if name.startswith("complex"):
        return (x + 1j * rng.uniform(-2, 2, shape)).astype(dtype)
    special = rng.choice([np.nan, np.inf, -np.inf, 0.0, -0.0, 60000.0], shape)
    return np.where(rng.random(shape) < 0.05, special, x).astype(dtype)


def assert_numbers(x: suanzi.Tensor, expected: Array) -> None:
    """Compare types, shapes and numbers. Two NaNs are equal, and zeros of both signs are equal."""
    found = x.numpy()
    assert found.dtype == expected.dtype
    assert found.shape == expected.shape
    if expected.dtype == ml_dtypes.bfloat16:
        found, expected = found.astype(np.float32), expected.astype(np.float32)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("layout", [name for name in LAYOUTS if name != "broadcast"])
@pytest.mark.parametrize(("name", "mode"), TAKEN)
def test_modes_types_and_layouts(name: str, mode: str, layout: str) -> None:
    a, u = values(1, (4, 3, 5), name), values(2, (4, 3, 5), name)
    x, updates = LAYOUTS[layout](a), LAYOUTS[layout](u)
    for axis in (0, 1, -1):
        at = np.random.default_rng(3).integers(-a.shape[axis], a.shape[axis], a.shape)
        index = LAYOUTS[layout](at)
        assert_numbers(suanzi.scatter(x, index, updates, axis, mode), scattered(a, at, u, axis, mode))
    assert_numbers(x, a)
    at = np.random.default_rng(4).integers(-3, 3, (6, 2))
    rows = values(5, (6, 5), name)
    result = suanzi.scatter_nd(x, LAYOUTS[layout](at), LAYOUTS[layout](rows), mode)
    assert_numbers(result, scattered_nd(a, at, rows, mode))


@pytest.mark.parametrize("name", [name for name in NAMES if "int" in name])
def test_indices_of_every_type(name: str) -> None:
    a, u = values(1, (6, 4), "float32"), values(2, (5, 4), "float32")
    at = np.random.default_rng(3).integers(0 if name.startswith("u") else -6, 6, (5, 4)).astype(name)
    expected = scattered(a, at.astype(np.int64), u, 0, "add")
    assert_numbers(suanzi.scatter(suanzi.tensor(a), suanzi.tensor(at), suanzi.tensor(u), mode="add"), expected)


@pytest.mark.parametrize("name", [name for name in NAMES if "int" in name])
@pytest.mark.parametrize("element", ["int8", "bfloat16", "float32", "complex64", "complex128"])
def test_elements_put_one_by_one(element: str, name: str) -> None:
    """Updates of single elements are right for more indices than the kernel reads at once, and for a strided target."""
    rng, size = np.random.default_rng(3), 90
    at = rng.integers(0 if name.startswith("u") else -size, size, 2003).astype(name)
    a, u = values(1, (3 * size,), element), values(2, (2003,), element)
    bad = at.copy()
    bad[-1] = size
    for step in (1, 3, -2):
        expected = a.copy()
        view = expected[::step][:size]
        view[at] = u
        assert_same(suanzi.scatter(suanzi.tensor(a)[::step][:size], suanzi.tensor(at), suanzi.tensor(u)), view)
        x = suanzi.tensor(a)
        x[::step][:size][suanzi.tensor(at)] = suanzi.tensor(u)
        assert_same(x, expected)
        with pytest.raises(OutOfRangeError, match=rf"index {size} is outside \[-{size}, {size}\) along axis 0"):
            x[::step][:size][suanzi.tensor(bad)] = suanzi.tensor(u[::-1])
        assert_same(x, expected)


@given(SHAPES, st.sampled_from(MODES), st.data())
def test_shapes(shape: tuple[int, ...], mode: str, data: st.DataObject) -> None:
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    smaller = [data.draw(st.integers(0, n)) for n in shape]
    smaller[axis] = data.draw(st.integers(0, 7))
    at = np.random.default_rng(5).integers(-shape[axis], shape[axis], smaller)
    kept = data.draw(st.integers(0, len(smaller)))
    u = values(6, tuple(data.draw(st.sampled_from((1, n))) for n in smaller[kept:]), "float32")
    a = values(7, shape, "float32")
    result = suanzi.scatter(suanzi.tensor(a), suanzi.tensor(at), suanzi.tensor(u), axis, mode)
    assert_numbers(result, scattered(a, at, u, axis, mode))


@given(SHAPES, hnp.array_shapes(min_dims=0, max_dims=2, min_side=0, max_side=6), st.sampled_from(MODES), st.data())
def test_shapes_of_tuples(shape: Any, tuples: Any, mode: str, data: st.DataObject) -> None:
    depth = data.draw(st.integers(1, len(shape)))
    at = np.stack([np.random.default_rng(k).integers(-n, n, tuples) for k, n in enumerate(shape[:depth])], -1)
    full = tuples + shape[depth:]
    kept = data.draw(st.integers(0, len(full)))
    u = values(6, tuple(data.draw(st.sampled_from((1, n))) for n in full[kept:]), "int16")
    a = values(7, shape, "int16")
    result = suanzi.scatter_nd(suanzi.tensor(a), suanzi.tensor(at), suanzi.tensor(u), mode)
    assert_numbers(result, scattered_nd(a, at, u, mode))


def test_the_last_of_several_updates_stays() -> None:
    at, u = np.zeros((1000,), np.int64), np.arange(1000, dtype=np.float32)
    x = suanzi.zeros(3)
    assert_same(suanzi.scatter(x, suanzi.tensor(at), suanzi.tensor(u)), np.float32([999, 0, 0]))


@pytest.mark.parametrize("name", ["float16", "bfloat16", "float32"])
def test_sums_are_rounded_once(name: str) -> None:
    dtype = suanzi.as_dtype(name).numpy
    u = np.full(5000, 0.1).astype(dtype)
    expected = np.zeros(1)
    np.add.at(expected, np.zeros(5000, int), u.astype("f8"))
    index, updates = suanzi.zeros(5000, dtype="int32"), suanzi.tensor(u)
    # The target has fewer elements than updates, or so many elements that the kernel computes only changed elements.
    for size in (1, 100_000):
        x = suanzi.zeros(size, dtype=name)
        target = suanzi.zeros(size, dtype=name)
        for result in (
            suanzi.scatter(x, index, updates, mode="add"),
            suanzi.scatter(x, index, updates, mode="add", out=target[::-1]),
            suanzi.scatter_nd(x, index.reshape(-1, 1), updates, "add"),
        ):
            assert_numbers(result[:1], expected.astype(dtype))
            assert suanzi.count_nonzero(result).item() == 1


def test_ones_are_counted() -> None:
    for name, size in (("bfloat16", 1000), ("float16", 4000), ("float32", 2**24 + 2)):
        index = suanzi.zeros(size, dtype="int8")
        counted = suanzi.scatter(suanzi.zeros(3, dtype=name), index, 1, mode="add")
        assert counted[0].item() == suanzi.tensor(float(size), dtype=name).item()


def test_few_updates_of_equal_and_different_elements() -> None:
    """A few updates of a large tensor are right, whether the updates change different elements or the same elements."""
    rng = np.random.default_rng(3)
    for count in (1, 2, 3, 50, 3000):
        for at in (rng.permutation(50_000)[:count], rng.integers(0, 40, count)):
            for mode in ("add", "mul"):
                a, u = rng.normal(size=50_000).astype("f4"), rng.normal(size=count).astype("f4")
                expected = a.astype("f8")
                COMBINE[mode].at(expected, at, u.astype("f8"))
                x = suanzi.tensor(a)
                assert_same(suanzi.scatter(x, suanzi.tensor(at), suanzi.tensor(u), mode=mode), expected.astype("f4"))
                suanzi.scatter(x, suanzi.tensor(at), suanzi.tensor(u), mode=mode, out=x)
                assert_same(x, expected.astype("f4"))


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("mode", MODES)
def test_large(mode: str, threads: int) -> None:
    rng = np.random.default_rng(1)
    a, u = rng.random((700, 300), np.float32), rng.random((700, 400), np.float32)
    at = rng.integers(0, 300, (700, 400))
    expected, flat = a.copy(), a.ravel().copy()
    rows = np.arange(700)[:, None]
    wide = rng.integers(0, flat.size, u.size)
    if mode == "update":
        expected[rows, at] = u
        flat[wide] = u.ravel()
    else:
        expected, flat = as_combined(a, mode), as_combined(a.ravel(), mode)
        COMBINE[mode].at(expected, (rows, at), as_combined(u, mode))
        COMBINE[mode].at(flat, wide, as_combined(u.ravel(), mode))
        expected, flat = expected.astype(a.dtype), flat.astype(a.dtype)
    before = suanzi.get_num_threads()
    suanzi.set_num_threads(threads)
    try:
        for turn in (lambda x: x, lambda x: np.ascontiguousarray(x.T)):
            x, index, updates = (suanzi.tensor(turn(y)) for y in (a, at, u))
            axis = 1 if x.shape == a.shape else 0
            assert_same(suanzi.scatter(x, index, updates, axis, mode), turn(expected))
        result = suanzi.scatter(suanzi.tensor(a.ravel()), suanzi.tensor(wide), suanzi.tensor(u.ravel()), 0, mode)
        assert_same(result, flat)
    finally:
        suanzi.set_num_threads(before)


@pytest.mark.parametrize(
    ("mode", "name", "size"),
    [
        ("update", "int8", 35_000_000),
        ("update", "float32", 9_000_000),
        ("add", "float32", 9_000_000),
        ("max", "int16", 17_000_000),
        ("update", "complex128", 2_200_000),
    ],
)
def test_targets_beyond_the_cache(mode: str, name: str, size: int) -> None:
    """Updates of a large target are grouped by blocks of the target. The updates of an element keep their order."""
    rng = np.random.default_rng(1)
    a = np.zeros(size, name)
    at = rng.integers(0, a.size // 2, 1_100_000)
    at[:2000] = at[-1]  # the first 2000 updates change the same element as the last update
    u = (rng.random(at.size) * 100).astype(name)
    expected = as_combined(a, mode)
    view = expected[::-2]
    if mode == "update":
        view[at] = u
    else:
        COMBINE[mode].at(view, at, as_combined(u, mode))
    expected = expected.astype(name)
    before = suanzi.get_num_threads()
    try:
        for threads in (1, 2, 3):
            suanzi.set_num_threads(threads)
            x = suanzi.tensor(a)
            suanzi.scatter(x[::-2], suanzi.tensor(at), suanzi.tensor(u), mode=mode, out=x[::-2])
            assert_same(x, expected)
    finally:
        suanzi.set_num_threads(before)


@pytest.mark.parametrize("result", ["its own", "out", "overlapping out", "another layout"])
@pytest.mark.parametrize("mode", ["update", "add"])
def test_copies_beyond_the_cache(mode: str, result: str) -> None:
    """If the result of `scatter` is not x itself, the result first receives the elements of x, in any layout."""
    rng = np.random.default_rng(2)
    size = 4_300_001  # the last block is incomplete
    memory = suanzi.tensor(rng.random(size + 1000, np.float32))
    x = memory[:size]
    if result == "another layout":
        x = memory[:size][::-1]
    expected = x.numpy().copy()
    out = {"out": suanzi.zeros(size), "overlapping out": memory[1000:]}.get(result)
    at, u = rng.integers(0, size, 1_100_000), rng.random(1_100_000, np.float32)
    if mode == "update":
        expected[at] = u
    else:
        wide = as_combined(expected, mode)
        np.add.at(wide, at, as_combined(u, mode))
        expected = wide.astype("f4")
    assert_same(suanzi.scatter(x, suanzi.tensor(at), suanzi.tensor(u), mode=mode, out=out), expected)


def test_bad_index_among_many() -> None:
    """An index that is out of range leaves `out` unchanged. `out` does not even receive the elements of x."""
    x, out = suanzi.full(5_000_000, 1.0), suanzi.zeros(5_000_000)
    index = suanzi.zeros(1_100_000, dtype="int32")
    index[-1] = 5_000_000
    with pytest.raises(OutOfRangeError, match=r"index 5000000 is outside \[-5000000, 5000000\) along axis 0"):
        suanzi.scatter(x, index, 2.0, out=out)
    assert not suanzi.any(out)


def test_numbers_and_promotion() -> None:
    x, index = suanzi.tensor(sample((3,), "int16")), suanzi.tensor([1], dtype="int8")
    assert_same(suanzi.scatter(x, index, 7), np.int16([0, 7, 2]))
    assert_same(suanzi.scatter(x, index, suanzi.tensor([3], dtype="int8"), mode="mul"), np.int16([0, 3, 2]))
    assert_same(suanzi.scatter_nd(x, index, True, "add"), np.int16([0, 2, 2]))
    y = suanzi.tensor(sample((3,)))
    assert_same(suanzi.scatter(y, index, suanzi.tensor([3], dtype="int64")), np.float32([0, 3, 2]))


def test_out() -> None:
    a = sample((3, 4))
    index, updates = suanzi.tensor([[2, 0, 1, 1]], dtype="int64"), suanzi.tensor([[9.0, 8.0, 7.0, 6.0]])
    expected = scattered(a, index.numpy(), updates.numpy(), 0, "add")
    x = suanzi.tensor(a)
    assert suanzi.scatter(x, index, updates, mode="add", out=x) is x
    assert_same(x, expected)
    x = suanzi.tensor(a)
    for out in (suanzi.zeros((3, 4)), suanzi.zeros((4, 3)).T, suanzi.zeros((3, 8))[:, ::-2]):
        assert suanzi.scatter(x, index, updates, mode="add", out=out) is out
        assert_same(out, expected)
    wide = suanzi.zeros((3, 4), dtype="float64")
    suanzi.scatter(x, index, updates, mode="add", out=wide)
    assert_same(wide, expected.astype(np.float64))


def test_shared_memory() -> None:
    """The operand, the index, the updates and `out` of `scatter` may share memory."""
    a = np.array([3, 1, 0, 2, 3], np.int64)
    x = suanzi.tensor(a)
    suanzi.scatter(x, x, x[::-1], mode="add", out=x)
    assert_same(x, scattered(a, a, a[::-1], 0, "add"))
    memory = suanzi.tensor(np.arange(12.0))
    b = memory.numpy().copy()
    at = np.array([2, 0, 2, 1, 3, 5, 4, 1])
    suanzi.scatter(memory[:8], suanzi.tensor(at), memory[2:10], out=memory[4:])
    assert_same(memory[4:], scattered(b[:8], at, b[2:10], 0, "update"))


X, INDEX, UPDATES = suanzi.zeros((2, 3)), suanzi.zeros((2, 3), dtype="int64"), suanzi.ones((2, 3))
PAIRS = suanzi.zeros((2, 1), dtype="int64")
BAD: list[tuple[str, tuple[Any, ...], dict[str, Any], Any]] = [
    ("scatter", (X, suanzi.zeros((2, 3)), UPDATES), {}, TypeMismatchError),
    ("scatter", (X, suanzi.zeros((2, 3), dtype="bool"), UPDATES), {}, TypeMismatchError),
    ("scatter", (X, INDEX, suanzi.ones((2, 3), dtype="float64")), {}, TypeMismatchError),
    ("scatter", (suanzi.zeros((2, 3), dtype="uint8"), INDEX, UPDATES), {}, TypeMismatchError),
    ("scatter", (suanzi.zeros((2, 3), dtype="uint8"), INDEX, 1.5), {}, TypeMismatchError),
    ("scatter", (suanzi.zeros((2, 3), dtype="uint8"), INDEX, 256), {}, OutOfRangeError),
    ("scatter", (X, INDEX, "a"), {}, TypeMismatchError),
    ("scatter", (X, [[0]], UPDATES), {}, TypeMismatchError),
    ("scatter", (X, INDEX, UPDATES), {"axis": 2}, OutOfRangeError),
    ("scatter", (X, INDEX, UPDATES), {"axis": 0.5}, TypeMismatchError),
    ("scatter", (X, INDEX, UPDATES), {"mode": "sum"}, InvalidArgumentError),
    ("scatter", (X, INDEX, UPDATES), {"mode": "\ud800"}, InvalidArgumentError),
    ("scatter", (X, INDEX, UPDATES), {"mode": None}, InvalidArgumentError),
    ("scatter", (X, INDEX[0], UPDATES), {}, DimensionsMismatchError),
    ("scatter", (X, suanzi.zeros((2, 4), dtype="int64"), 1), {}, DimensionsMismatchError),
    ("scatter", (X, INDEX, suanzi.ones((3, 3))), {}, DimensionsMismatchError),
    ("scatter", (X, INDEX[:1], UPDATES), {}, DimensionsMismatchError),
    ("scatter", (suanzi.zeros(()), INDEX, 1), {}, OutOfRangeError),
    ("scatter", (destroyed(), INDEX, UPDATES), {}, UninitializedObjectError),
    ("scatter", (X, destroyed(), UPDATES), {}, UninitializedObjectError),
    ("scatter", (X, INDEX, destroyed()), {}, UninitializedObjectError),
    ("scatter", (suanzi.zeros((2, 3), dtype="complex64"), INDEX, 1), {"mode": "min"}, TypeMismatchError),
    ("scatter_nd", (suanzi.zeros((2, 3), dtype="complex128"), PAIRS, 1), {"mode": "max"}, TypeMismatchError),
    ("scatter_nd", (X, suanzi.zeros((), dtype="int64"), 1), {}, DimensionsMismatchError),
    ("scatter_nd", (X, suanzi.zeros((2, 3), dtype="int64"), 1), {}, DimensionsMismatchError),
    ("scatter_nd", (X, suanzi.zeros((2, 0), dtype="int64"), 1), {}, DimensionsMismatchError),
    ("scatter_nd", (X, PAIRS, suanzi.ones((3, 3))), {}, DimensionsMismatchError),
    ("scatter_nd", (X, PAIRS, UPDATES), {"mode": 0}, InvalidArgumentError),
    ("scatter_nd", (X, suanzi.zeros((2, 1)), UPDATES), {}, TypeMismatchError),
]


@pytest.mark.parametrize(("name", "given_", "options", "error"), BAD, ids=[f"{c[0]}-{i}" for i, c in enumerate(BAD)])
def test_refused(name: str, given_: Any, options: Any, error: Any) -> None:
    with fails(error, name):
        getattr(suanzi, name)(*given_, **options)


@pytest.mark.parametrize("bad", [6, -7, 2**62, -(2**63)])
@pytest.mark.parametrize("position", [0, 1500, 299_999])
def test_an_index_out_of_range_writes_nothing(bad: int, position: int) -> None:
    at = np.zeros(300_000, np.int64)
    at[position] = bad
    for mode in MODES:
        x = suanzi.tensor(sample((6,)))
        out = suanzi.full(6, 5.0)
        with pytest.raises(OutOfRangeError, match=rf"^scatter: index {bad} is outside \[-6, 6\) along axis 0$"):
            suanzi.scatter(x, suanzi.tensor(at), 1, mode=mode, out=x)
        with fails(OutOfRangeError, "scatter"):
            suanzi.scatter(x, suanzi.tensor(at), 1, mode=mode, out=out)
        with fails(OutOfRangeError, "scatter_nd"):
            suanzi.scatter_nd(x, suanzi.tensor(at[:, None]), 1, mode, out=x)
        assert_same(x, sample((6,)))
        assert_same(out, np.full(6, 5, np.float32))
