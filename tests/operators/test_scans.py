"""The tests compare cumulative_sum and cumulative_prod with the oracle, and check the error of long scans."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes

import suanzi
from cases import few
from layouts import LAYOUTS, bits, check
from oracle.scans import SCANS, STATED, reference
from oracle.values import generator
from suanzi import InvalidArgumentError, OutOfRangeError, TypeMismatchError
from suanzi.conformance.inputs import random, specials
from suanzi.conformance.oracle.element_types import ELEMENT_TYPES, Array, ElementType

VARIANTS: list[dict[str, bool]] = [
    {},
    {"reverse": True},
    {"exclusive": True},
    {"exclusive": True, "reverse": True},
    {"include_initial": True},
    {"include_initial": True, "reverse": True},
]


def scan(op: str, x: suanzi.Tensor, **options: Any) -> suanzi.Tensor:
    result: suanzi.Tensor = getattr(suanzi, op)(x, **options)
    return result


def elements(op: str, f: ElementType, shape: tuple[int, ...]) -> Array:
    """Make elements for a scan. Integers may wrap. Products of floating-point numbers stay within the range."""
    count = math.prod(shape)
    if f.kind in "US":
        return random(f, count, generator(op, f.name)).reshape(shape)
    x = few(f, count, op)
    if op == "cumulative_prod" and f.kind in "FC":
        wide = x.astype(np.complex128 if f.kind == "C" else np.float64)
        x = (wide / np.abs(wide) * np.exp2(np.resize([0.125, -0.125, 0], count))).astype(f.numpy)
    return x.reshape(shape)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("f", ELEMENT_TYPES.values(), ids=lambda f: f.name)
@pytest.mark.parametrize("op", SCANS)
def test_axes(op: str, f: ElementType, layout: str) -> None:
    a = elements(op, f, (3, 4, 11))
    if layout == "broadcast":
        a = np.broadcast_to(a[:1], a.shape)
    x = LAYOUTS[layout](a)
    for axis in (None, 0, 1, 2, -1, -3):
        for options in VARIANTS:
            what = f"{op} of {layout} {f.name}, axis={axis}, {options}"
            check(scan(op, x, axis=axis, **options), reference(op, a, axis, **options), [], what)


@pytest.mark.parametrize("f", ELEMENT_TYPES.values(), ids=lambda f: f.name)
@pytest.mark.parametrize("op", SCANS)
@pytest.mark.parametrize("count", [0, 1, 2, 7, 8, 9, 513, 4095, 4097, 9000])
def test_lengths(op: str, f: ElementType, count: int) -> None:
    """Scans of one line, several lines and columns are right for lengths around the sizes of blocks and chunks."""
    a = elements(op, f, (count,))
    check(scan(op, suanzi.tensor(a)), reference(op, a), [], f"{op} of {count}")
    check(scan(op, suanzi.tensor(a)[::-1], exclusive=True), reference(op, a[::-1], exclusive=True), [], f"of {count}")
    if count < 600:
        wide = np.stack([a, a[::-1], a])
        check(scan(op, suanzi.tensor(wide), axis=1), reference(op, wide, 1), [], f"{op} of rows of {count}")
        check(scan(op, suanzi.tensor(wide.T), axis=0), reference(op, wide.T, 0), [], f"{op} of columns of {count}")
        column = np.ascontiguousarray(a[:, None])
        check(scan(op, suanzi.tensor(column), axis=1), reference(op, column, 1), [], f"{op} of {count} lines of 1")


@pytest.mark.parametrize("op", SCANS)
@pytest.mark.parametrize("target", ["bool", "int8", "uint16", "uint64", "float16", "float32", "float64", "complex64"])
@pytest.mark.parametrize("source", ["bool", "uint8", "int32", "int64", "bfloat16", "float32", "complex128"])
def test_dtype(op: str, source: str, target: str) -> None:
    f, t = ELEMENT_TYPES[source], ELEMENT_TYPES[target]
    a = elements(op, f, (4, 9)) if f.kind in "FC" else few(f, 36, op).reshape(4, 9)
    if f.kind == "F" and t.kind in "US":
        a = np.abs(a)
    if f.kind == "C" and t.kind not in "BC":
        with pytest.raises(TypeMismatchError, match=op):
            scan(op, suanzi.tensor(a), dtype=target)
        return
    for axis in (0, 1, None):
        wide = np.trunc(a.astype(np.float64)).astype(a.dtype) if f.kind == "F" and t.kind in "US" else a
        result = scan(op, suanzi.tensor(a), axis=axis, dtype=target)
        check(result, reference(op, wide, axis, target), [], f"{op} of {source} as {target}, axis={axis}")


@pytest.mark.parametrize("f", [f for f in ELEMENT_TYPES.values() if f.kind == "F"], ids=lambda f: f.name)
@pytest.mark.parametrize("op", SCANS)
def test_specials(op: str, f: ElementType) -> None:
    """A NaN or an infinity changes all later results of a scan and no earlier result."""
    nan, infinity, zero, least_infinity = specials(f)[:4]
    for special in ([nan], [infinity], [infinity, least_infinity], [zero], [infinity, nan]):
        for place in (0, 5, 600, 5000):
            a = np.ones(9000, f.numpy)
            a[place : place + 2 * len(special) : 2] = special
            for options in ({}, {"reverse": True}):
                x = suanzi.tensor(a)
                check(scan(op, x, **options), reference(op, a, **options), [], f"{op} of {special} at {place}")
            rows = suanzi.tensor(np.repeat(a[:700, None], 2, axis=1))
            column = scan(op, rows, axis=0)[:, 1]
            check(column, reference(op, a[:700]), [], f"{op} of {special} in columns at {place}")


@pytest.mark.parametrize("length", [4, 9, 200, 1300, 9000, 200_000])
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
def test_products_of_groups_may_leave_the_range(dtype: str, length: int) -> None:
    """The result is right if the product up to each element stays in the range of float64."""
    draw = generator(f"products {dtype} {length}")
    largest = 30 if dtype in ("float32", "complex64") else 150
    exponents = np.cumsum(draw.integers(-largest, largest + 1, length))
    inside = np.abs((exponents + 250) % 1000 - 500) - 250  # the exponents are reflected at -250 and at 250
    a = (2.0 ** np.diff(inside, prepend=0) * draw.choice([-1, 1], length)).astype(dtype)
    if dtype.startswith("complex"):
        a = (a * 1j ** draw.integers(0, 4, length)).astype(dtype)
    for zero in (False, True):
        if zero:
            a[length // 2] = 0
        expected, product = [], 1
        for factor in a.astype("complex128" if dtype.startswith("complex") else "float64"):
            product = product * factor
            expected.append(product)
        with np.errstate(over="ignore", under="ignore"):
            rounded = np.array(expected).astype(dtype)
        x = suanzi.tensor(a)
        np.testing.assert_array_equal(suanzi.cumulative_prod(x).numpy(), rounded)
        np.testing.assert_array_equal(suanzi.cumulative_prod(x[::-1], reverse=True).numpy()[::-1], rounded)
        columns = suanzi.tensor(np.stack([a, a], 1))
        np.testing.assert_array_equal(suanzi.cumulative_prod(columns, axis=0).numpy()[:, 1], rounded)


@pytest.mark.parametrize("length", [4, 9, 200, 1300, 9000, 200_000])
@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_sums_of_groups_may_leave_the_range(dtype: str, length: int) -> None:
    """The result is right if the sum up to each element stays in the range of float64."""
    draw = generator(f"sums {dtype} {length}")
    # Whole multiples of 2^1000 below 2^1024 are exact, so the sums are known. Sums of a few elements leave the range.
    walk = np.cumsum(draw.integers(-(2**23), 2**23, length))
    sums = np.abs(walk % 2**26 - 2**25) - 2**24  # the walk is reflected at -2^24 and at 2^24
    sums = np.clip(sums, 1 - 2**24, 2**24 - 1)
    sums[: length // 4] //= 2**20
    for small in (False, True):
        a = np.ldexp(np.diff(sums, prepend=0).astype(float), 1000).astype(dtype)
        expected = np.ldexp(sums.astype(float), 1000).astype(dtype)
        if small:
            a = np.insert(a, [length // 2] * 600, -0.0)
            expected = np.insert(expected, [length // 2] * 600, expected[length // 2 - 1])
        if dtype == "complex128":
            a, expected = a * (1 - 1j), expected * (1 - 1j)
        x = suanzi.tensor(a)
        np.testing.assert_array_equal(suanzi.cumulative_sum(x).numpy(), expected)
        np.testing.assert_array_equal(suanzi.cumulative_sum(x[::-1], reverse=True).numpy()[::-1], expected)
        columns = suanzi.tensor(np.stack([a, a], 1))
        np.testing.assert_array_equal(suanzi.cumulative_sum(columns, axis=0).numpy()[:, 1], expected)
        a[length // 2] = np.nan
        end = suanzi.cumulative_sum(suanzi.tensor(a)).numpy()
        np.testing.assert_array_equal(end[: length // 2], expected[: length // 2])
        assert np.isnan(end[length // 2 :]).all()


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("axis", [0, 1])
def test_signed_zeros_stay(dtype: str, axis: int) -> None:
    negative = suanzi.full((3, 3), -0.0, dtype=dtype)
    assert str(suanzi.cumulative_sum(negative, axis=axis).tolist()) == str([[-0.0] * 3] * 3)
    large = suanzi.tensor([-0.0, -0.0, 2.0**1020], dtype="float64")
    assert str(suanzi.cumulative_sum(large)[:2].tolist()) == "[-0.0, -0.0]"


@pytest.mark.parametrize("op", SCANS)
@given(data=st.data(), shape=array_shapes(min_dims=1, max_dims=5, min_side=0, max_side=5))
def test_any_shape(op: str, data: st.DataObject, shape: tuple[int, ...]) -> None:
    f = data.draw(st.sampled_from(list(ELEMENT_TYPES.values())))
    a = elements(op, f, shape)
    layout = data.draw(st.sampled_from(["contiguous", "transposed", "negative"]))
    axis = data.draw(st.none() | st.integers(-len(shape), len(shape) - 1))
    options = data.draw(st.sampled_from(VARIANTS))
    what = f"{op} of {layout} {f.name} {shape}, axis={axis}, {options}"
    check(scan(op, LAYOUTS[layout](a), axis=axis, **options), reference(op, a, axis, **options), [], what)


def test_zero_dimensional() -> None:
    x = suanzi.tensor(3.0)
    for op in SCANS:
        assert scan(op, x).tolist() == [3.0]
        assert scan(op, x, include_initial=True, reverse=True).tolist()[0] == 3.0
        with pytest.raises(OutOfRangeError, match=op):
            scan(op, x, axis=0)


@pytest.mark.parametrize("op", SCANS)
def test_out(op: str) -> None:
    x = suanzi.tensor(few(ELEMENT_TYPES["float32"], 12, op).reshape(3, 4))
    out = suanzi.zeros((4, 3), dtype="float64").T
    assert scan(op, x, axis=1, out=out) is out
    assert suanzi.array_equal(out.astype("float32"), scan(op, x, axis=1))
    scan(op, x, axis=0, out=x)
    with pytest.raises(InvalidArgumentError, match=op):
        scan(op, x, exclusive=True, include_initial=True)


# --- long scans ---

LONG = 300_007


@pytest.mark.parametrize("kind", ["tenths", "uniform", "cancelling", "growing"])
@pytest.mark.parametrize("lying", ["line", "strided", "columns"])
def test_the_stated_bound(kind: str, lying: str) -> None:
    """Cumulative sums stay within the documented bound of a float64 sum. Results of float32 are rounded once."""
    rng = generator("long scan", kind)
    a = {
        "tenths": lambda: np.full(LONG, 0.1),
        "uniform": lambda: rng.uniform(0, 1, LONG),
        "cancelling": lambda: rng.standard_normal(LONG) * 1e8,
        "growing": lambda: np.ldexp(rng.uniform(1, 2, LONG), np.linspace(-40, 40, LONG).astype(int)),
    }[kind]()
    lay = {
        "line": suanzi.tensor,
        "strided": lambda v: suanzi.tensor(np.repeat(v, 2))[::2],
        "columns": lambda v: suanzi.tensor(np.stack([v, v], axis=1)),
    }[lying]
    take = (lambda r: r.numpy()) if lying != "columns" else (lambda r: r.numpy()[:, 1])
    narrow = a.astype(np.float32)
    found, found_narrow = take(suanzi.cumulative_sum(lay(a), axis=0)), take(suanzi.cumulative_sum(lay(narrow), axis=0))
    for place in (0, 1, 511, 512, 4096, 100_000, 250_001, LONG - 1):
        part = a[: place + 1]
        exact = Fraction(math.fsum(part))
        assert abs(Fraction(float(found[place])) - exact) <= (STATED + 1) * Fraction(math.fsum(abs(part))) / 2**53
        exact = math.fsum(narrow[: place + 1])
        slack = STATED * math.fsum(abs(narrow[: place + 1])) / 2**53
        assert abs(float(found_narrow[place]) - exact) <= 0.5 * float(np.spacing(np.float32(abs(exact)))) * 1.01 + slack


@pytest.mark.usefixtures("keep_threads")
@pytest.mark.parametrize(
    "f", [ELEMENT_TYPES[n] for n in ("float16", "float32", "float64", "complex64", "int32")], ids=lambda f: f.name
)
@pytest.mark.parametrize("shape", [(500_003,), (2, 200_001), (100_001, 3), (400, 401), (50, 60, 70)], ids=str)
def test_the_number_of_threads_does_not_show(shape: tuple[int, ...], f: ElementType) -> None:
    for op in SCANS:
        x = suanzi.tensor(elements(op, f, shape))
        for tensor in (x, x[::-1], suanzi.permute_dims(x, tuple(reversed(range(len(shape)))))):
            for axis in range(len(shape)):
                found = set()
                for threads in (1, 2, 3, 7):
                    suanzi.set_num_threads(threads)
                    found.add(bits(scan(op, tensor, axis=axis)))
                assert len(found) == 1
