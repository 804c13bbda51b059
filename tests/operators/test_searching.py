"""argmax, argmin, nonzero and count_nonzero return the same results as NumPy on exact values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes

import suanzi
from layouts import LAYOUTS
from oracle.values import generator
from samples import destroyed, fails
from suanzi import (
    AllocFailedError,
    DimensionsMismatchError,
    InvalidArgumentError,
    OutOfRangeError,
    Tensor,
    TypeMismatchError,
    UninitializedObjectError,
    _core,
)
from suanzi.conformance.inputs import random, specials
from suanzi.conformance.oracle.element_types import ELEMENT_TYPES, Array, ElementType, exact

SEARCHES: dict[str, Callable[..., Any]] = {"argmax": np.argmax, "argmin": np.argmin}
REAL = [f for f in ELEMENT_TYPES.values() if f.kind != "C"]
FLOATING = [f for f in ELEMENT_TYPES.values() if f.kind == "F"]
THREADS = (1, 2, 3, 7)


def ids(f: ElementType) -> str:
    return f.name


def values(a: Array) -> Array:
    """Return bfloat16 elements as float32, because NumPy finds the first NaN only in its own types."""
    return a.astype(np.float32) if a.dtype.name == "bfloat16" else a


def same(found: Tensor, expected: Any, what: str) -> None:
    expected = np.asarray(expected, np.int64)
    assert found.dtype is suanzi.int64, what
    assert found.shape == expected.shape, what
    np.testing.assert_array_equal(found.numpy(), expected, what)


def check_searches(x: Tensor, a: Array, what: str, axes: tuple[int | None, ...] | None = None) -> None:
    for op, search in SEARCHES.items():
        for axis in (None, *range(-a.ndim, a.ndim)) if axes is None else axes:
            same(getattr(suanzi, op)(x, axis), search(values(a), axis), f"{op} of {what}, axis={axis}")


def elements(f: ElementType, shape: tuple[int, ...], salt: str = "") -> Array:
    """Make elements of a type. Many elements are equal, and some floating-point elements are NaN."""
    rng = generator("search", f.name, salt, *map(str, shape))
    count = int(np.prod(shape))
    a = random(f, count, rng)
    a[rng.random(count) < 0.3] = a[0]
    if f.kind == "F":
        a[rng.random(count) < 0.02] = np.nan
    return a.reshape(shape)


# --- argmax and argmin ---


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("f", REAL, ids=ids)
def test_axes(f: ElementType, layout: str) -> None:
    for shape in ((5, 6, 13), (70, 3), (3, 70), (67,)):
        a = elements(f, shape)
        if layout == "broadcast":
            a = np.broadcast_to(a[:1], a.shape)
        x = LAYOUTS[layout](a)
        check_searches(x, a, f"{layout} {f.name} {shape}")
        for op, search in SEARCHES.items():
            for axis in (None, -1):
                kept = getattr(suanzi, op)(x, axis, keepdims=True)
                same(kept, search(values(a), axis, keepdims=True), f"{op} of {layout} {f.name}, keepdims")


@pytest.mark.parametrize("f", REAL, ids=ids)
@pytest.mark.parametrize("count", [1, 2, 7, 8, 9, 16, 31, 63, 64, 65, 511, 2049, 140_000])
def test_place_of_the_best(f: ElementType, count: int) -> None:
    """`argmax` and `argmin` find the extreme element at any place, also if the elements ascend or descend."""
    for at in {0, 1, count // 3, count // 2, count - 2, count - 1} & set(range(count)):
        for op, value in (("argmax", 1), ("argmin", 0)):
            a = np.full(count, 1 - value).astype(f.numpy)
            a[at:] = value
            same(getattr(suanzi, op)(suanzi.tensor(a)), at, f"{op} at {at} of {count} {f.name}")
            if count <= 2049:
                columns = suanzi.tensor(np.stack([a, a[::-1]], axis=1))
                expected = SEARCHES[op](values(np.stack([a, a[::-1]], axis=1)), 0)
                same(getattr(suanzi, op)(columns, 0), expected, f"{op} of columns, {count} {f.name}")
    a = np.sort(values(random(f, count, generator(f.name)))).astype(f.numpy)
    for order in (a, a[::-1]):
        check_searches(suanzi.tensor(order), order, f"{count} sorted {f.name}")


@pytest.mark.parametrize("shape", [(3000, 3), (2500, 64), (1030, 65), (40, 900, 5), (300, 16), (9, 1300), (2, 40_000)])
@pytest.mark.parametrize("name", ["bool", "int8", "uint16", "float16", "float32", "int64", "float64"])
def test_narrow_and_wide(name: str, shape: tuple[int, ...]) -> None:
    a = elements(ELEMENT_TYPES[name], shape)
    x = suanzi.tensor(a)
    check_searches(x, a, f"{name} {shape}")
    check_searches(x.T, a.T, f"transposed {name} {shape}")


@pytest.mark.parametrize("f", FLOATING, ids=ids)
def test_nan_infinities_and_signed_zeros(f: ElementType) -> None:
    nan, inf = np.nan, np.inf
    rows = [
        [nan] * 3,
        [1, nan, nan],
        [nan, inf, -inf],
        [inf, nan, -inf],
        [-inf] * 3,
        [inf] * 3,
        [0.0, -0.0, 0.0],
        [-0.0, 0.0, -0.0],
        [-inf, inf, inf],
    ]
    for length in (3, 20, 700, 40_000):
        for row in rows:
            a = np.resize(np.array(row), length).astype(f.numpy)
            check_searches(suanzi.tensor(a), a, f"{length} times {row} of {f.name}")
            check_searches(suanzi.tensor(a)[::-1], a[::-1], f"{length} times {row} of {f.name}, reversed")
    for place in (0, 5, 4095, 32_767, 32_768, 65_535, 69_999):
        a = (np.arange(70_000) % 50_000).astype(f.numpy)
        a[place] = nan
        check_searches(suanzi.tensor(a), a, f"{f.name} with NaN at {place}")
        columns = np.stack([a, a[::-1]], axis=1)
        check_searches(suanzi.tensor(columns), columns, f"columns of {f.name} with NaN at {place}", (0,))


@pytest.mark.parametrize("f", REAL, ids=ids)
def test_extremes(f: ElementType) -> None:
    a = specials(f)
    for order in (a, a[::-1], np.repeat(a, 100)):
        check_searches(suanzi.tensor(order), order, f"extremes of {f.name}")


def test_zero_dimensional_and_empty() -> None:
    same(suanzi.argmax(suanzi.tensor(3.0)), 0, "a scalar")
    same(suanzi.argmin(suanzi.tensor(3.0), keepdims=True), 0, "a scalar")
    same(suanzi.argmax(suanzi.zeros((0, 3)), 1), np.zeros(0), "no rows")
    same(suanzi.argmax(suanzi.zeros((3, 0)), 0, keepdims=True), np.zeros((1, 0)), "no columns")


@pytest.mark.usefixtures("keep_threads")
@pytest.mark.parametrize("name", ["bool", "int8", "float16", "float32", "int64"])
def test_threads_do_not_show(name: str) -> None:
    """For any number of threads, `argmax` and `argmin` find the first of equal elements, also in long rows of bools."""
    f = ELEMENT_TYPES[name]
    count = 1_200_011
    for op in SEARCHES:
        for firsts in ((0,), (500_000, 400_000), (131_072, 131_071), (count - 1,), ()):
            a = np.full(count, op == "argmin").astype(f.numpy)
            for first in firsts:
                a[first::200_003] = op == "argmax"
            x = suanzi.tensor(a)
            for n in THREADS:
                suanzi.set_num_threads(n)
                same(getattr(suanzi, op)(x), SEARCHES[op](values(a)), f"{op} of {name}, {firsts}, {n} threads")
    for shape in ((1201, 999), (300_003, 4), (4, 300_003)):
        a = elements(f, shape)
        x = suanzi.tensor(a)
        for n in THREADS:
            suanzi.set_num_threads(n)
            check_searches(x, a, f"{name} {shape}, {n} threads", (0, 1))


@pytest.mark.usefixtures("keep_threads")
@pytest.mark.parametrize("op", ["all", "any"])
def test_all_and_any_that_stop_early(op: str) -> None:
    count = 3_000_017
    for place in (0, 40_000, count // 2, count - 1, None):
        a = np.full(count, op == "all")
        if place is not None:
            a[place] = op != "all"
        x = suanzi.tensor(a)
        for n in THREADS:
            suanzi.set_num_threads(n)
            assert bool(getattr(suanzi, op)(x)) == bool(getattr(np, op)(a)), (place, n)


@pytest.mark.parametrize("op", ["all", "any"])
@pytest.mark.parametrize("dtype", ["bool", "int8", "int64", "float32", "float64", "complex64"])
def test_the_type_of_all_and_any(op: str, dtype: str) -> None:
    """`dtype` is the type of the result. A fraction or 256 would become 0 in a narrow type, but counts as true."""
    for values in ([0.5, 0.25], [0.5, 0.0], [0.0, 0.0], [256, 256], [0.5j, 1e-300], [float("nan"), -0.0]):
        x = suanzi.tensor(values, dtype=None if isinstance(values[0], complex) else "float64")
        found = suanzi.reduce(x, op, dtype=dtype)
        assert found.dtype == dtype
        assert found.item() == getattr(np, op)(x.numpy())
        rows = suanzi.fuse(lambda t: suanzi.reduce(t + 0, op, 0, dtype=dtype))
        assert rows(x).dtype == dtype
        assert rows(x).item() == found.item()


# --- nonzero and count_nonzero ---

DENSITIES = (0.0, 0.001, 0.03, 0.5, 1.0)
SHAPES = ((1,), (63,), (64,), (65,), (5000,), (70_000,), (7, 9), (300, 41), (5000, 3), (3, 5000), (2, 3, 1, 5), (1, 1))


def sparse(f: ElementType, shape: tuple[int, ...], density: float) -> Array:
    rng = generator("nonzero", f.name, *map(str, shape))
    count = int(np.prod(shape))
    a = random(f, count, rng)
    a[a == 0] = 1
    a[rng.random(count) >= density] = 0
    return a.reshape(shape)


def truth(a: Array) -> Array:
    return np.asarray(exact(a) != 0, bool)


def check_nonzero(x: Tensor, a: Array, what: str) -> None:
    true = truth(a)
    found = suanzi.nonzero(x)
    assert isinstance(found, tuple)
    assert len(found) == a.ndim
    for axis, expected in enumerate(np.nonzero(true)):
        same(found[axis], expected, f"nonzero of {what}, axis {axis}")
    matrix = suanzi.nonzero(x, as_tuple=False)
    assert isinstance(matrix, Tensor)
    same(matrix, np.argwhere(true), f"nonzero of {what}, as a matrix")
    same(suanzi.count_nonzero(x), true.sum(), f"count_nonzero of {what}")


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("f", ELEMENT_TYPES.values(), ids=ids)
def test_nonzero(f: ElementType, layout: str) -> None:
    for shape in SHAPES if f.name in ("bool", "float32") else SHAPES[:5] + SHAPES[7:8]:
        for density in DENSITIES:
            a = sparse(f, shape, density)
            if layout == "broadcast":
                a = np.broadcast_to(a[:1], a.shape)
            check_nonzero(LAYOUTS[layout](a), a, f"{layout} {f.name} {shape}, {density}")


@pytest.mark.parametrize("f", ELEMENT_TYPES.values(), ids=ids)
def test_what_is_zero(f: ElementType) -> None:
    """Zeros of both signs, and complex numbers of such parts, are zero. NaN and the smallest numbers are not zero."""
    if f.kind == "C":
        parts = specials(ELEMENT_TYPES["float32" if f.name == "complex64" else "float64"])
        a = np.array([complex(re, im) for re in parts for im in parts], f.numpy)
    else:
        a = specials(f)
    for order in (a, np.resize(a, 777)):
        check_nonzero(suanzi.tensor(order), order, f"specials of {f.name}")


def test_many_dimensions_and_long_rows() -> None:
    for shape in ((2,) * 12, (1, 3, 1, 4097, 1), (5000, 2, 2), (3, 4095, 3), (2, 70_000)):
        a = sparse(ELEMENT_TYPES["float32"], shape, 0.4)
        check_nonzero(suanzi.tensor(a), a, f"{shape}")
        check_nonzero(suanzi.tensor(a).T, a.T, f"transposed {shape}")


@pytest.mark.parametrize("shape", [(0,), (3, 0), (0, 2, 5)])
def test_nonzero_of_nothing(shape: tuple[int, ...]) -> None:
    check_nonzero(suanzi.zeros(shape), np.zeros(shape, np.float32), f"{shape}")


@pytest.mark.parametrize("f", ELEMENT_TYPES.values(), ids=ids)
def test_count_nonzero_along_axes(f: ElementType) -> None:
    a = sparse(f, (4, 5, 6), 0.5)
    x = suanzi.tensor(a)
    for axis in (0, -1, (0, 2), (0, 1, 2), (), None):
        for keepdims in (False, True):
            expected = np.sum(truth(a), axis=axis, keepdims=keepdims)
            same(suanzi.count_nonzero(x, axis, keepdims), expected, f"{f.name}, axis={axis}")
    same(suanzi.count_nonzero(suanzi.tensor(0.5)), 1, "a scalar")
    same(suanzi.count_nonzero(suanzi.zeros((0, 3)), 0), np.zeros(3), "no rows")


@pytest.mark.usefixtures("keep_threads")
def test_nonzero_on_threads() -> None:
    a = sparse(ELEMENT_TYPES["float32"], (1100, 1013), 0.3)
    x = suanzi.tensor(a)
    for n in THREADS:
        suanzi.set_num_threads(n)
        check_nonzero(x, a, f"{n} threads")
        check_nonzero(x.T, a.T, f"transposed, {n} threads")


# --- cases that Hypothesis draws ---


@given(st.data())
def test_any_view(data: st.DataObject) -> None:
    f = ELEMENT_TYPES[data.draw(st.sampled_from(("bool", "int8", "float16", "float32", "float64")))]
    shape = data.draw(array_shapes(min_dims=1, max_dims=5, max_side=9))
    steps = tuple(slice(None, None, data.draw(st.sampled_from((1, 2, -1, -2)))) for _ in shape)
    order = data.draw(st.permutations(range(len(shape))))
    base = elements(f, shape)
    base[np.abs(values(base)) < 1] = 0
    a, x = base[steps].transpose(order), _core.transpose(suanzi.tensor(base)[steps], order)
    check_searches(x, a, f"{f.name} {shape} {steps} {order}")
    check_nonzero(x, a, f"{f.name} {shape} {steps} {order}")


# --- refused calls ---

REFUSED: list[tuple[str, Callable[[], object], Any]] = [
    ("argmax", lambda: suanzi.argmax(suanzi.zeros((0,))), InvalidArgumentError),
    ("argmin", lambda: suanzi.argmin(suanzi.zeros((3, 0)), 1), InvalidArgumentError),
    ("argmax", lambda: suanzi.argmax(suanzi.zeros((3, 0))), InvalidArgumentError),
    ("argmax", lambda: suanzi.argmax(suanzi.zeros((2, 3)), 2), OutOfRangeError),
    ("argmax", lambda: suanzi.argmax(suanzi.zeros((2, 3)), -3), OutOfRangeError),
    ("argmax", lambda: suanzi.argmax(suanzi.zeros((2, 3)), 2**70), OutOfRangeError),
    ("argmax", lambda: suanzi.argmax(suanzi.zeros(()), 0), OutOfRangeError),
    ("argmin", lambda: suanzi.argmin(suanzi.zeros((2, 3)), (0, 1)), TypeMismatchError),  # type: ignore[arg-type]
    ("argmin", lambda: suanzi.argmin(suanzi.zeros((2, 3)), 1.0), TypeMismatchError),  # type: ignore[arg-type]
    ("argmin", lambda: suanzi.argmin(suanzi.zeros((2, 3)), True), TypeMismatchError),
    ("argmax", lambda: suanzi.argmax(suanzi.zeros(3, dtype="complex64")), TypeMismatchError),
    ("argmax", lambda: suanzi.argmax([1.0]), TypeMismatchError),  # type: ignore[arg-type]
    ("argmin", lambda: suanzi.argmin(destroyed()), UninitializedObjectError),
    ("nonzero", lambda: suanzi.nonzero(suanzi.tensor(1.0)), DimensionsMismatchError),
    ("nonzero", lambda: suanzi.nonzero(1.0), TypeMismatchError),  # type: ignore[arg-type]
    ("nonzero", lambda: suanzi.nonzero(destroyed()), UninitializedObjectError),
    ("nonzero", lambda: suanzi.nonzero(suanzi.expand(suanzi.ones(1), 2**58)), AllocFailedError),
    ("count_nonzero", lambda: suanzi.count_nonzero(suanzi.zeros((2, 3)), 2), OutOfRangeError),
    ("count_nonzero", lambda: suanzi.count_nonzero(suanzi.zeros((2, 3)), (0, -2)), InvalidArgumentError),
    ("count_nonzero", lambda: suanzi.count_nonzero(suanzi.zeros((2, 3)), "a"), TypeMismatchError),  # type: ignore[arg-type]
]


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case[0])
def test_refused(case: Any) -> None:
    name, call, error = case
    # The allocator reports a lack of memory without the operator's name.
    with pytest.raises(error) if error is AllocFailedError else fails(error, name):
        call()
