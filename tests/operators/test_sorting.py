"""sort, argsort, topk, unique and searchsorted return the results of an oracle in NumPy.

The oracle replaces each element by the rank of its class of equal elements (`ranks`), so that NaNs, signed zeros,
bfloat16 and complex numbers compare as documented. NumPy then sorts the ranks stably.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import suanzi
from layouts import LAYOUTS, bits
from samples import NAMES, fails, sample
from suanzi.tensor.status import (
    DimensionsMismatchError,
    InvalidArgumentError,
    OutOfRangeError,
    TypeMismatchError,
)

Array = Any
# Lengths around the sizes of vectors, networks and tiles, and around the least length of a row that threads share.
LENGTHS = [*range(70), 127, 128, 129, 255, 256, 257, 511, 513, 1000, 4095, 4097, 32767, 32768, 65535, 65537, 100_003]
FLOATS = ("float16", "bfloat16", "float32", "float64")


def numpy_type(name: str) -> Any:
    return suanzi.as_dtype(name).numpy


def values(name: str, shape: Any, seed: int = 0) -> Array:
    """Make numbers, some of which are equal. Floats include NaNs of both signs, infinities, zeros and denormals."""
    rng = np.random.default_rng([seed, len(name), *name.encode()])
    t = np.dtype(numpy_type(name))
    if name == "bool":
        return rng.integers(0, 2, shape).astype(bool)
    if t.kind in "iu":
        limits = np.iinfo(t)
        wide = rng.integers(limits.min, limits.max, shape, dtype=t, endpoint=True)
        narrow = rng.integers(0, 20, shape).astype(t)
        return np.where(rng.random(shape) < 0.3, narrow, wide)
    if t.kind == "c":
        part = "float32" if t.itemsize == 8 else "float64"
        result = np.empty(shape, t)
        result.real, result.imag = values(part, shape, seed + 1), values(part, shape, seed + 2)
        return result
    limits = ml_dtypes.finfo(t)
    special = np.array(
        [np.nan, -np.nan, np.inf, -np.inf, 0.0, -0.0, limits.smallest_subnormal, -limits.smallest_subnormal, 1.0]
    ).astype(t)
    special[7] = np.copysign(special[6], -1)
    plain = (rng.standard_normal(shape) * 10.0 ** rng.integers(-3, 4, shape)).astype(t)
    picked = special[rng.integers(0, special.size, shape)]
    return np.where(rng.random(shape) < 0.2, picked, plain).astype(t)


def ranks(a: Array) -> Array:
    """Return the rank of each element in the documented order. Equal elements have the same rank."""
    t = a.dtype
    if t.kind == "c":
        re, im = a.real.ravel(), a.imag.ravel()
        nan_re, nan_im = np.isnan(re), np.isnan(im)
        columns = (np.where(nan_im, 0, im), np.where(nan_re, 0, re), 2 * nan_re + nan_im)
        order = np.lexsort(columns)
        different = np.zeros(a.size, bool)
        for column in columns:
            different[1:] |= column[order][1:] != column[order][:-1]
        result = np.empty(a.size, np.int64)
        result[order] = np.cumsum(different)
        return result.reshape(a.shape)
    if t.kind in "iub":
        return np.unique(a, return_inverse=True)[1].reshape(a.shape)
    return np.unique(a.astype(np.float64) + 0.0, return_inverse=True)[1].reshape(a.shape)


def reference_order(a: Array, axis: int = -1, descending: bool = False) -> Array:
    rank = ranks(a).astype(np.int64)
    return np.argsort(-rank if descending else rank, axis=axis, kind="stable")


def same(x: suanzi.Tensor, expected: Array) -> bool:
    found = x.numpy()
    return found.dtype == expected.dtype and found.shape == expected.shape and found.tobytes() == expected.tobytes()


def check_sorting(x: suanzi.Tensor, a: Array, axis: int = -1) -> None:
    for descending in (False, True):
        order = reference_order(a, axis, descending)
        what = f"{a.dtype} {a.shape} axis={axis} descending={descending}"
        assert same(suanzi.argsort(x, axis, descending), order), f"argsort of {what}"
        assert same(suanzi.sort(x, axis, descending), np.take_along_axis(a, order, axis)), f"sort of {what}"


@pytest.mark.parametrize("name", NAMES)
def test_lengths(name: str) -> None:
    for n in LENGTHS:
        a = values(name, n, n)
        check_sorting(suanzi.tensor(a, dtype=name), a)


@pytest.mark.parametrize("name", ["int16", "uint16", "float16", "bfloat16"])
def test_many_of_few_patterns(name: str) -> None:
    """`sort` counts the elements with each of the 65,536 bit patterns if rows of 16-bit elements are long."""
    a = values(name, 300_001)
    check_sorting(suanzi.tensor(a, dtype=name), a)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", NAMES)
def test_layouts_and_axes(name: str, layout: str) -> None:
    for shape in ((5, 6, 13), (40, 3, 1)):
        a = values(name, shape)
        if layout == "broadcast":
            a = np.ascontiguousarray(np.broadcast_to(a[:1], a.shape))
        x = LAYOUTS[layout](a)
        for axis in (0, 1, 2, -1):
            check_sorting(x, a, axis)


@pytest.mark.parametrize("name", ["uint8", "float16", "float32", "int64", "complex128"])
@pytest.mark.parametrize("shape", [(3, 70_000), (70_000, 3), (300, 301), (17, 2, 5001)], ids=str)
def test_many_rows(name: str, shape: tuple[int, ...], keep_threads: None) -> None:
    """Sorting threads share rows and parts of rows. The number of threads does not change the result."""
    a = values(name, shape)
    x = suanzi.tensor(a)
    for threads in (1, 3):
        suanzi.set_num_threads(threads)
        for axis in range(a.ndim):
            check_sorting(x, a, axis)


PATTERNS = {
    "sorted": lambda n: np.arange(n),
    "reversed": lambda n: np.arange(n)[::-1],
    "constant": lambda n: np.full(n, 7),
    "organ pipe": lambda n: np.minimum(np.arange(n), np.arange(n)[::-1]),
    "two values": lambda n: np.arange(n) % 2,
    "few values": lambda n: np.arange(n) * 7919 % 11,
    "one outlier": lambda n: np.where(np.arange(n) == n // 3, 2**62, np.arange(n) * 7919 % n),
    "outliers at both ends": lambda n: np.where(np.arange(n) % 1000 == 0, (-1) ** (np.arange(n) // 1000) * 2**62, 5),
    "clusters": lambda n: (np.arange(n) * 7919 % 64 << 56) // 2 + np.arange(n) * 104729 % n,
    "ties in the leading bits": lambda n: (np.arange(n) % 4 << 60) - 2**61 + np.arange(n) * 104729 % n,
    "saw": lambda n: np.arange(n) % 257,
}


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("n", [300, 5000, 140_001])
def test_patterns(pattern: str, n: int, keep_threads: None) -> None:
    wide = np.asarray(PATTERNS[pattern](n)).astype(np.int64)
    for threads in (1, 2):
        suanzi.set_num_threads(threads)
        for name in ("int64", "float64", "int32", "float32", "uint16", "int8"):
            a = wide.astype(numpy_type(name)) if name[0] in "iu" else wide.astype(name)
            check_sorting(suanzi.tensor(a), a)


@pytest.mark.parametrize("name", FLOATS)
@pytest.mark.parametrize("n", [5, 500, 70_000])
def test_zeros_and_nans_keep_their_order(name: str, n: int) -> None:
    """Equal elements with different bits, such as zeros and NaNs of both signs, keep their order."""
    t = np.dtype(numpy_type(name))
    size = 8 * t.itemsize
    nan = int(np.array(np.nan, t).view(f"u{t.itemsize}")) & ~(1 << size - 1)
    rng = np.random.default_rng(n)
    pool = np.array([0, 1 << size - 1, nan, nan | 1 << size - 1, nan + 1, nan + 3], dtype=f"u{t.itemsize}")
    for chosen in (pool[:2], pool[2:], pool):
        a = chosen[rng.integers(0, chosen.size, n)].view(t)
        check_sorting(suanzi.tensor(a, dtype=name), a)


@pytest.mark.parametrize("name", NAMES)
def test_scalars_and_nothing(name: str) -> None:
    x = suanzi.ones((), dtype=name)
    assert same(suanzi.sort(x), x.numpy())
    assert same(suanzi.argsort(x), np.array(0))
    assert suanzi.topk(x, 1).indices.item() == 0
    assert suanzi.topk(x, 0).values.shape == (0,)
    for shape in ((0,), (0, 3), (3, 0), (2, 0, 4)):
        nothing = suanzi.zeros(shape, dtype=name)
        for axis in range(len(shape)):
            assert suanzi.sort(nothing, axis=axis).shape == shape
            assert suanzi.argsort(nothing, axis=axis).shape == shape
            assert suanzi.topk(nothing, 0, axis=axis).values.shape == (*shape[:axis], 0, *shape[axis + 1 :])
        assert suanzi.unique(nothing).shape == (0,)


def test_out_and_methods() -> None:
    a = values("float32", (4, 5))
    x = suanzi.tensor(a)
    order = reference_order(a, 0)
    target = suanzi.zeros((4, 5))
    assert x.sort(0, out=target) is target
    assert same(target, np.take_along_axis(a, order, 0))
    indices = suanzi.zeros((4, 5), dtype="int64")
    assert same(x.argsort(0, out=indices), order)
    assert same(x.topk(2, 0).indices, reference_order(a, 0, True)[:2])
    assert same(suanzi.sort(x, out=x), np.take_along_axis(a, reference_order(a), -1))
    transposed = suanzi.tensor(a).T
    assert suanzi.sort(transposed, axis=0).layout == transposed.layout


@given(st.lists(st.integers(0, 6), min_size=1, max_size=4), st.data())
def test_any_shape(shape: list[int], data: st.DataObject) -> None:
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    name = data.draw(st.sampled_from(NAMES))
    a = values(name, tuple(shape), data.draw(st.integers(0, 1000)))
    x = suanzi.tensor(a, dtype=name)
    if a.size:
        check_sorting(x, a, axis)
    k = data.draw(st.integers(0, a.shape[axis]))
    check_topk(x, a, [k], axis)


# --- topk ---


def check_topk(x: suanzi.Tensor, a: Array, ks: Iterable[int], axis: int = -1) -> None:
    for largest in (True, False):
        order = reference_order(a, axis, largest) if a.size else np.zeros(a.shape, np.int64)
        for k, in_order in itertools.product(ks, (True, False)):
            best = np.take(order, range(k), axis=axis)
            expected = best if in_order else np.sort(best, axis=axis)
            result = suanzi.topk(x, k, axis=axis, largest=largest, sorted=in_order)
            what = f"topk of {a.dtype} {a.shape}, k={k} axis={axis} largest={largest} sorted={in_order}"
            assert same(result.indices, expected), what
            assert same(result.values, np.take_along_axis(a, expected, axis)), what


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("n", [1, 10, 1000, 9000, 140_000])
def test_topk(name: str, n: int) -> None:
    a = values(name, n)
    x = suanzi.tensor(a, dtype=name)
    check_topk(x, a, sorted({0, 1, n // 100, min(n, 50), n // 9, n // 2, n}))


@pytest.mark.parametrize("pattern", PATTERNS)
def test_topk_of_patterns(pattern: str, keep_threads: None) -> None:
    wide = np.asarray(PATTERNS[pattern](150_000)).astype(np.int64)
    for threads in (1, 2):
        suanzi.set_num_threads(threads)
        for name in ("int64", "float32", "uint8"):
            a = wide.astype(name)
            check_topk(suanzi.tensor(a), a, (1, 50, 2000))


@pytest.mark.parametrize("layout", [m for m in LAYOUTS if m != "broadcast"])
@pytest.mark.parametrize("name", NAMES)
def test_topk_layouts(name: str, layout: str) -> None:
    a = values(name, (6, 40, 5))
    x = LAYOUTS[layout](a)
    for axis, ks in ((0, [3]), (1, [4, 40]), (-1, [5])):
        check_topk(x, a, ks, axis)


# --- unique ---


def reference_unique(a: Array) -> tuple[Array, ...]:
    rank = ranks(a)
    if a.dtype.kind == "c":
        rank = np.where(np.isnan(a), rank.max(initial=0) + 1, rank)
    _, first, inverse, counts = np.unique(rank, return_index=True, return_inverse=True, return_counts=True)
    return a.ravel()[first], first, inverse.reshape(a.shape), counts


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("shape", [(), (1,), (7,), (1000,), (40, 50), (90_000,)], ids=str)
def test_unique(name: str, shape: tuple[int, ...]) -> None:
    a = values(name, shape)
    a = np.asarray(a)
    x = suanzi.tensor(a, dtype=name)
    distinct, first, inverse, counts = reference_unique(a)
    if a.dtype.kind == "c":  # one NaN represents all NaNs
        nan = np.isnan(distinct)
        first[nan] = np.asarray(reference_order(a.ravel()))[-np.isnan(a).sum()] if nan.any() else 0
        distinct = a.ravel()[first]
    assert same(suanzi.unique(x), distinct)
    found = suanzi.unique(x, return_index=True, return_inverse=True, return_counts=True)
    assert isinstance(found, tuple)
    for result, expected in zip(found, (distinct, first, inverse, counts), strict=True):
        assert same(result, expected)
    only = suanzi.unique(x, return_counts=True)
    assert len(only) == 2
    assert same(only[1], counts)


@pytest.mark.parametrize("name", ["int32", "float32", "float64", "uint64"])
@pytest.mark.parametrize("n", [0, 1, 400_000])
def test_counts_of_runs_longer_than_the_part_of_a_thread(name: str, n: int) -> None:
    a = np.repeat(np.array([5, 1, 7, 2, 5], name), [n // 8, 3 * n // 4, min(n, 1), n // 16, n // 16])
    threads = suanzi.get_num_threads()
    try:
        for count in (1, 2, 5, 8):
            suanzi.set_num_threads(count)
            values_found, counts = suanzi.unique(suanzi.tensor(a), return_counts=True)
            expected = np.unique(a, return_counts=True)
            np.testing.assert_array_equal(values_found.numpy(), expected[0])
            np.testing.assert_array_equal(counts.numpy(), expected[1])
    finally:
        suanzi.set_num_threads(threads)


@pytest.mark.parametrize("name", ["bool", "int8", "uint8", "int16", "uint16", "float16", "bfloat16"])
@pytest.mark.parametrize("n", [255, 256, 257, 4095, 4096, 4097, 300_003])
def test_unique_by_counting(name: str, n: int) -> None:
    """`unique` is right around the least length for counting, for each choice of results and number of threads."""
    a = values(name, n, n)
    x = suanzi.tensor(a, dtype=name)
    distinct, first, inverse, counts = reference_unique(a)
    wanted = {"return_index": first, "return_inverse": inverse, "return_counts": counts}
    before = suanzi.get_num_threads()
    for threads in (1, 2):
        suanzi.set_num_threads(threads)
        try:
            for given in itertools.product((False, True), repeat=3):
                options: Any = dict(zip(wanted, given, strict=True))
                found = suanzi.unique(x, **options)
                parts = found if isinstance(found, tuple) else (found,)
                expected = [distinct, *(wanted[name] for name, asked in options.items() if asked)]
                assert all(same(part, e) for part, e in zip(parts, expected, strict=True)), options
        finally:
            suanzi.set_num_threads(before)


@pytest.mark.parametrize("name", ["float16", "bfloat16"])
def test_unique_by_counting_takes_the_first_of_equals(name: str) -> None:
    for zeros in ((0.0, -0.0), (-0.0, 0.0)):
        a = np.array([3.0, *zeros, np.nan, -np.nan] + [1.0] * 5000 + [zeros[1], 7.0]).astype(numpy_type(name))
        found = suanzi.unique(suanzi.tensor(a, dtype=name), return_counts=True, return_index=True)
        assert same(found[0], a[[1, 5, 0, 5006, 3]])
        assert found[1].tolist() == [1, 5, 0, 5006, 3]
        assert found[2].tolist() == [3, 5000, 1, 1, 2]


def test_unique_by_counting_needs_no_order() -> None:
    """`unique` by counting needs less than two bytes of scratch per element, because the method stores no order."""
    for name in ("uint8", "int16"):
        x = suanzi.tensor(values(name, 2_000_000), dtype=name)
        suanzi.memory.reset_peak()
        before = suanzi.memory.statistics()["in_use"]
        suanzi.unique(x, return_counts=True)
        assert suanzi.memory.statistics()["peak"] - before < 2 * x.size


@pytest.mark.parametrize("layout", LAYOUTS)
def test_unique_layouts(layout: str) -> None:
    a = np.ascontiguousarray(np.broadcast_to(values("int16", (1, 6, 7)) % 5, (4, 6, 7)))
    x = LAYOUTS[layout](a)
    for result, expected in zip(
        suanzi.unique(x, return_index=True, return_inverse=True, return_counts=True), reference_unique(a), strict=True
    ):
        assert same(result, expected)


@pytest.mark.parametrize("name", ["bool", "uint8", "int64", "float32", "complex64", "complex128"])
@pytest.mark.parametrize("shape", [(30, 2), (2, 30), (12, 2, 2), (5, 0), (0, 5), (4,)], ids=str)
def test_unique_slices(name: str, shape: tuple[int, ...]) -> None:
    a = (np.random.default_rng(3).integers(0, 3, shape)).astype(numpy_type(name))
    x = suanzi.tensor(a, dtype=name)
    for axis in range(-len(shape), len(shape)):
        if a.size == 0 and shape[axis] == 0:
            assert suanzi.unique(x, axis=axis).shape == shape
            continue
        options: Any = {"return_index": True, "return_inverse": True, "return_counts": True, "axis": axis}
        for result, expected in zip(suanzi.unique(x, **options), np.unique(a, **options), strict=True):
            assert same(result, expected.ravel() if expected.ndim > 1 and result.ndim == 1 else expected), axis


# --- searchsorted ---


@pytest.mark.parametrize("name", [n for n in NAMES if n != "bfloat16"])
@pytest.mark.parametrize(("n", "m"), [(0, 5), (1, 5), (2, 9), (17, 100), (1000, 1000), (70_000, 40), (100, 70_000)])
def test_searchsorted(name: str, n: int, m: int) -> None:
    a, wanted = values(name, n, 1), values(name, m, 2)
    if name.startswith("complex"):  # NumPy orders complex numbers differently if parts are NaN
        a, wanted = np.nan_to_num(a, nan=1.0), np.nan_to_num(wanted, nan=1.0)
    a = np.sort(a)
    if n:
        wanted[: m // 2] = a[np.arange(m // 2) * 31 % n]
    for side in ("left", "right"):
        expected = np.searchsorted(a, wanted, side)  # type: ignore[call-overload]
        assert same(suanzi.searchsorted(suanzi.tensor(a), suanzi.tensor(wanted), side), expected)


def test_searchsorted_bfloat16_and_promotion() -> None:
    a = np.array([-1.5, 0.0, 0.0, 2.0, 300.0])
    for left, right in (("bfloat16", "bfloat16"), ("float32", "int8"), ("int32", "float64"), ("float16", "float64")):
        x = suanzi.astype(suanzi.tensor(a), left)
        y = suanzi.astype(suanzi.tensor([-2.0, 0.0, 2.0, 3.0]), right)
        expected = np.searchsorted(x.numpy().astype(np.float64), y.numpy().astype(np.float64))
        assert same(suanzi.searchsorted(x, y), expected)


def test_searchsorted_sorter_and_batches() -> None:
    rng = np.random.default_rng(5)
    a, wanted = rng.integers(0, 50, (3, 4, 60)), rng.integers(-5, 55, (3, 4, 7))
    order = np.argsort(a, axis=-1, kind="stable")
    ordered = np.sort(a, axis=-1)
    expected = np.array(
        [np.searchsorted(r, v, "right") for r, v in zip(ordered.reshape(-1, 60), wanted.reshape(-1, 7), strict=True)]
    ).reshape(wanted.shape)
    assert same(suanzi.searchsorted(suanzi.tensor(ordered), suanzi.tensor(wanted), "right"), expected)
    for t in ("int64", "uint8"):
        sorter = suanzi.tensor(order, dtype=t)
        assert same(suanzi.searchsorted(suanzi.tensor(a), suanzi.tensor(wanted), "right", sorter), expected)
    row, values_ = suanzi.tensor(np.repeat(ordered[0, 0], 2))[::2], suanzi.tensor(wanted).T
    assert same(suanzi.searchsorted(row, values_), np.searchsorted(ordered[0, 0], wanted.T))


# --- refused calls ---

X = suanzi.tensor(np.arange(6, dtype=np.float32).reshape(2, 3))
ROW = suanzi.tensor([1.0, 2.0, 3.0])
REFUSED: list[tuple[Any, Any]] = [
    (lambda: suanzi.sort(X, 2), OutOfRangeError),
    (lambda: suanzi.sort(X, -3), OutOfRangeError),
    (lambda: suanzi.sort(X, 2**70), OutOfRangeError),
    (lambda: suanzi.sort(X, None), TypeMismatchError),  # type: ignore[arg-type]
    (lambda: suanzi.sort(X, 1.0), TypeMismatchError),  # type: ignore[arg-type]
    (lambda: suanzi.sort(suanzi.ones(()), 1), OutOfRangeError),
    (lambda: suanzi.argsort(X, 2), OutOfRangeError),
    (lambda: suanzi.argsort(X, out=suanzi.zeros((2, 3), dtype="bool")), TypeMismatchError),
    (lambda: suanzi.argsort(X, out=suanzi.zeros((3, 2), dtype="int64")), DimensionsMismatchError),
    (lambda: suanzi.topk(X, 4), OutOfRangeError),
    (lambda: suanzi.topk(X, -1), OutOfRangeError),
    (lambda: suanzi.topk(X, 3, axis=0), OutOfRangeError),
    (lambda: suanzi.topk(X, 1, axis=2), OutOfRangeError),
    (lambda: suanzi.topk(X, 1.0), TypeMismatchError),  # type: ignore[arg-type]
    (lambda: suanzi.topk(suanzi.ones(()), 2), OutOfRangeError),
    (lambda: suanzi.unique(X, axis=2), OutOfRangeError),
    (lambda: suanzi.unique(suanzi.ones(()), axis=0), OutOfRangeError),
    (lambda: suanzi.unique(X, axis="a"), TypeMismatchError),  # type: ignore[arg-type]
    (lambda: suanzi.searchsorted(ROW, X, "middle"), InvalidArgumentError),
    (lambda: suanzi.searchsorted(ROW, X, None), InvalidArgumentError),  # type: ignore[arg-type]
    (lambda: suanzi.searchsorted(suanzi.ones(()), X), DimensionsMismatchError),
    (lambda: suanzi.searchsorted(X, ROW), DimensionsMismatchError),
    (lambda: suanzi.searchsorted(X, suanzi.ones((3, 3))), DimensionsMismatchError),
    (lambda: suanzi.searchsorted(ROW, [1.0]), TypeMismatchError),  # type: ignore[arg-type]
    (lambda: suanzi.searchsorted(ROW, X, sorter=suanzi.ones(3)), TypeMismatchError),
    (lambda: suanzi.searchsorted(ROW, X, sorter=suanzi.ones(2, dtype="int64")), DimensionsMismatchError),
    (lambda: suanzi.searchsorted(ROW, X, sorter=suanzi.tensor([0, 1, 3], dtype="int64")), OutOfRangeError),
    (lambda: suanzi.searchsorted(ROW, X, sorter=suanzi.tensor([0, -1, 1], dtype="int64")), OutOfRangeError),
    (lambda: suanzi.searchsorted(ROW, X, sorter=3), TypeMismatchError),  # type: ignore[arg-type]
    (
        lambda: suanzi.searchsorted(suanzi.ones(2, dtype="uint64"), suanzi.ones(2, dtype="int8")),
        TypeMismatchError,
    ),
]


@pytest.mark.parametrize("case", range(len(REFUSED)))
def test_refused(case: int) -> None:
    call, error = REFUSED[case]
    before = bits(X)
    with fails(error, "sort", "argsort", "topk", "unique", "searchsorted"):
        call()
    assert bits(X) == before


def test_no_memory() -> None:
    """A sort whose scratch exceeds the memory limit raises an error, and leaves no memory allocated."""
    x = suanzi.tensor(values("float32", 1_000_000))
    in_use = suanzi.memory.statistics()["in_use"]
    for call in (
        lambda: suanzi.sort(x),
        lambda: suanzi.argsort(x),
        lambda: suanzi.topk(x, 500_000),
        lambda: suanzi.unique(x),
        lambda: suanzi.searchsorted(x, x),
    ):
        suanzi.memory.set_limit(in_use + 2_000_000)
        try:
            with pytest.raises(suanzi.AllocFailedError):
                call()
        finally:
            suanzi.memory.set_limit(0)
        assert suanzi.memory.statistics()["in_use"] == in_use


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("name", NAMES)
def test_searchsorted_numbers(name: str, side: str) -> None:
    a = np.sort(sample((9,), name))
    x = suanzi.tensor(a)
    for value in (a[3].item(), np.int8(1), True):
        if isinstance(value, complex) and not name.startswith("complex"):
            continue
        result = suanzi.searchsorted(x, value, side)
        assert (result.shape, result.dtype) == ((), suanzi.int64)
        assert result.item() == np.searchsorted(a, np.asarray(value, a.dtype), side)  # type: ignore[call-overload]
    if a.dtype.kind in "iuf":
        assert suanzi.searchsorted(x, 2.5, side).item() == np.searchsorted(a, 2.5, side)  # type: ignore[call-overload]


def test_searchsorted_strings_and_what_does_not_fit() -> None:
    words = suanzi.tensor(["a", "b", "d"])
    assert suanzi.searchsorted(words, "c").item() == 2
    assert suanzi.searchsorted(words, "b", "right").item() == 2
    with fails(TypeMismatchError, "searchsorted"):
        suanzi.searchsorted(words, 1)
    with fails(TypeMismatchError, "searchsorted"):
        suanzi.searchsorted(ROW, "a")
    with fails(OutOfRangeError, "searchsorted"):
        suanzi.searchsorted(suanzi.ones(2, dtype="uint8"), -1)
    with fails(DimensionsMismatchError, "searchsorted"):
        suanzi.searchsorted(X, 1.0)
