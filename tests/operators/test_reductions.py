"""The tests compare every reduction over any axes with the oracle, and check trace and the error of long sums.

test_statistics.py has the tests of norms, variances and logsumexp. test_threads.py checks that results do not depend on
the number of threads.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import suanzi
from cases import few
from elements import elements
from layouts import LAYOUTS, bits, check
from oracle.reductions import OPERATIONS, Axes, accepts, reference
from oracle.statistics import STATISTICS
from oracle.values import generator
from suanzi.conformance.inputs import random, specials
from suanzi.conformance.oracle.element_types import ELEMENT_TYPES, Array, ElementType
from suanzi.tensor.status import (
    DimensionsMismatchError,
    InvalidArgumentError,
    OutOfRangeError,
    TypeMismatchError,
)

AXES: list[Axes] = [None, 0, 1, 2, -1, (0, 1), (1, 2), (0, 2), (0, 1, 2), (-1, 0), ()]
TAKEN = [(op, f) for op in OPERATIONS for f in ELEMENT_TYPES.values() if accepts(op, f)]
TAKEN_PARAMETERS = [pytest.param(op, f, id=f"{op}-{f.name}") for op, f in TAKEN]


def reduce(op: str, x: Any, **options: Any) -> suanzi.Tensor:
    result: suanzi.Tensor = getattr(suanzi, op)(x, **options)
    return result


def _elements(op: str, f: ElementType, count: int) -> Array:
    """Make elements for a reduction. Products of floating-point numbers stay within the range. Integers may wrap."""
    if f.kind in "US" and op in ("sum", "max", "min", "prod"):
        return random(f, count, generator(op, f.name))
    x = few(f, count, op)
    if op in ("all", "any"):
        x[generator(op).random(count) < (0.1 if op == "all" else 0.9)] = 0
    if op == "prod" and f.kind in "FC":
        wide = x.astype(np.complex128 if f.kind == "C" else np.float64)
        x = (wide / np.abs(wide) + wide / 64).astype(f.numpy)
    return x


@pytest.mark.parametrize(
    ("op", "f", "layout"), [pytest.param(op, f, m, id=f"{op}-{f.name}-{m}") for op, f in TAKEN for m in LAYOUTS]
)
def test_axes(op: str, f: ElementType, layout: str) -> None:
    a = _elements(op, f, 5 * 6 * 13).reshape(5, 6, 13)
    if layout == "broadcast":
        a = np.broadcast_to(a[:1], a.shape)
    x = LAYOUTS[layout](a)
    for axis in AXES:
        for keepdims in (False, True):
            expected = reference(op, a, axis, keepdims)
            what = f"{op} of {layout} {f.name}, axis={axis}, keepdims={keepdims}"
            check(reduce(op, x, axis=axis, keepdims=keepdims), expected, [], what)


@pytest.mark.parametrize(("op", "f"), TAKEN_PARAMETERS)
@pytest.mark.parametrize("count", [1, 2, 17, 64, 70, 255, 4097, 33000])
def test_lengths(op: str, f: ElementType, count: int) -> None:
    """A reduction is right for one long row, for one long column, and for many columns of one element."""
    a = _elements(op, f, count)
    a = np.ones_like(a) if op == "prod" and count > 300 else a
    wide = min(count, 4097)  # the oracle computes row by row, which takes long
    for shape, axis in (((count,), 0), ((1, count), 1), ((count, 1), 0), ((1, wide), 0)):
        x = a[: np.prod(shape)].reshape(shape)
        check(reduce(op, suanzi.tensor(x), axis=axis), reference(op, x, axis), [], f"{op} {shape} axis={axis}")


@pytest.mark.parametrize("op", OPERATIONS)
@pytest.mark.parametrize("name", ["float32", "float64", "float16", "uint8", "int32", "uint64"])
def test_short_rows_are_folded_as_each_alone(op: str, name: str) -> None:
    """Kernels fold short rows in groups, one row in each lane of a vector. A row alone has the same result."""
    f = ELEMENT_TYPES[name]
    for count in (*range(1, 18), 31, 33):
        rows = suanzi.tensor(random(f, 37 * count, generator(op, name, str(count))).reshape(37, count), dtype=name)
        if f.kind == "F" and count > 2:
            rows[5, 1], rows[6, 2], rows[17, 0], rows[18] = np.nan, np.inf, -np.inf, -0.0
        for x in (rows, rows[:, : count - 1], rows[::2]):
            if x.size == 0:
                continue
            alone = [reduce(op, x[i], axis=-1) for i in range(x.shape[0])]
            assert elements(reduce(op, x, axis=-1)) == elements(suanzi.stack(alone))


@pytest.mark.parametrize("f", [f for f in ELEMENT_TYPES.values() if f.kind == "F"], ids=lambda f: f.name)
@pytest.mark.parametrize("op", OPERATIONS)
def test_specials(op: str, f: ElementType) -> None:
    numbers = specials(f)
    for picked in ([0], [1], [3], [1, 3], [2], [2, 4], [8, 0, 9], [8, 1, 9], [8, 3, 9], [7, 7]):
        for length in (1, 70):
            a = np.concatenate([np.repeat(few(f, 1, op), length), numbers[picked]])
            for order in (a, a[::-1]):
                expected = reference(op, order)
                check(reduce(op, suanzi.tensor(order)), expected, [], f"{op} of {f.name} {numbers[picked]}")


@pytest.mark.parametrize("f", [f for f in ELEMENT_TYPES.values() if f.kind in "US"], ids=lambda f: f.name)
def test_integer_extremes(f: ElementType) -> None:
    a = specials(f)
    for op in OPERATIONS:
        check(reduce(op, suanzi.tensor(a)), reference(op, a), [], f"{op} of {f.name} extremes")
    for value in (a.max(), a.min()):
        full = np.full((3, 5), value)
        for op in ("sum", "mean", "max", "min"):
            check(reduce(op, suanzi.tensor(full), axis=0), reference(op, full, 0), [], f"{op} of {f.name} {value}")


CASTS = [
    ("sum", "int8", "int32"),
    ("sum", "uint8", "uint8"),
    ("sum", "int32", "int16"),
    ("sum", "int16", "float32"),
    ("sum", "bool", "float64"),
    ("sum", "bool", "uint8"),
    ("sum", "float16", "float32"),
    ("sum", "float32", "float64"),
    ("sum", "float32", "complex64"),
    ("prod", "int8", "int8"),
    ("prod", "int32", "float64"),
    ("prod", "float32", "float64"),
    ("mean", "int32", "float64"),
    ("mean", "uint8", "float16"),
    ("mean", "float16", "float64"),
    ("mean", "bfloat16", "float32"),
    ("var", "float32", "float64"),
    ("std", "int16", "float64"),
    ("norm1", "complex128", "float32"),
    ("norm2", "float32", "bfloat16"),
    ("logsumexp", "float16", "float64"),
    ("logsumexp", "uint8", "float16"),
]


@pytest.mark.parametrize(("op", "source", "target"), CASTS, ids=["-".join(c) for c in CASTS])
def test_dtype(op: str, source: str, target: str) -> None:
    a = _elements(op, ELEMENT_TYPES[source], 6 * 9).reshape(6, 9)
    for axis in (None, 0, 1):
        result = reduce(op, suanzi.tensor(a), axis=axis, dtype=getattr(suanzi, target))
        check(result, reference(op, a, axis, dtype=target), [], f"{op} of {source} as {target}, axis={axis}")


@pytest.mark.parametrize("op", ["sum", "mean", "prod"])
@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("float32", "float16"),
        ("float32", "bfloat16"),
        ("float64", "float32"),
        ("bfloat16", "float16"),
        ("float64", "complex64"),
        ("complex128", "complex64"),
    ],
)
def test_a_narrower_type_rounds_only_the_result(op: str, source: str, target: str) -> None:
    large = {"float16": 1e5, "bfloat16": 1.0, "float32": 1e39, "complex64": 1e39}[target]
    factors = [large, 3.0, 1 / large] if op == "prod" else [large, large / 32, -large, large / 63]
    a = np.array(factors * 2).astype(suanzi.as_dtype(source).numpy)
    wide = a.astype(np.complex128 if source.startswith("complex") else np.float64)
    exact = wide.prod() if op == "prod" else sum(sorted(wide, key=lambda x: -abs(x))) / (len(a) if op == "mean" else 1)
    expected = np.asarray(exact).astype(suanzi.as_dtype(target).numpy)
    for x, axis in ((suanzi.tensor(a), None), (suanzi.tensor(np.stack([a, a], 1)), 0)):
        found = reduce(op, x, axis=axis, dtype=target)
        assert found.dtype is suanzi.as_dtype(target)
        np.testing.assert_allclose(found.numpy().astype(complex), expected.astype(complex), rtol=1e-7)


@pytest.mark.parametrize("target", ["float64", "complex128"])
def test_means_whose_sums_overflow(target: str) -> None:
    a = np.full((3, 2), 1.5e308)
    for x, axis in ((suanzi.tensor(a), None), (suanzi.tensor(a), 0), (suanzi.tensor(a.T), 1)):
        assert np.unique(suanzi.mean(x, axis=axis, dtype=target).numpy()).tolist() == [1.5e308]


@pytest.mark.parametrize("dtype", ["int16", "uint16", "float16", "bfloat16", "float32", "complex64"])
def test_norms_of_short_types_in_float64(dtype: str) -> None:
    a = np.resize([30001.0, 1.5, -7.25, 255.0], 4000).astype(suanzi.as_dtype(dtype).numpy)
    a = a * (1 + 2j) if dtype == "complex64" else a
    moduli = np.abs(a.astype(np.complex128))
    x = suanzi.tensor(a.astype(suanzi.as_dtype(dtype).numpy))
    for expected, norm in ((moduli.sum(), suanzi.norm1), (np.sqrt((moduli**2).sum()), suanzi.norm2)):
        assert norm(x, dtype="float64").item() == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize("f", ELEMENT_TYPES.values(), ids=lambda f: f.name)
def test_nothing_to_reduce(f: ElementType) -> None:
    """Reductions of no elements return documented values, such as 0 for `sum`, but `max` and `min` raise an error."""
    for op in OPERATIONS:
        if not accepts(op, f):
            continue
        for shape, axis in (((0,), None), ((0, 3), 0), ((3, 0), 1), ((2, 0, 3), (1, 2))):
            x = suanzi.zeros(shape, dtype=getattr(suanzi, f.name))
            if op in ("max", "min"):
                with pytest.raises(InvalidArgumentError, match=op):
                    reduce(op, x, axis=axis)
            else:
                expected = reference(op, x.numpy(), axis)
                check(reduce(op, x, axis=axis), expected, [], f"{op} of {f.name} {shape}, axis={axis}")
        assert reduce(op, suanzi.zeros((0, 3), dtype=getattr(suanzi, f.name)), axis=1).shape == (0,)


@pytest.mark.parametrize("op", OPERATIONS)
def test_zero_dimensional(op: str) -> None:
    a = np.array(3.0, np.float32)
    for axis in (None, ()):
        check(reduce(op, suanzi.tensor(a), axis=axis), reference(op, a, axis), [], op)


@pytest.mark.parametrize("op", OPERATIONS)
def test_refused(op: str) -> None:
    x = suanzi.tensor(np.ones((2, 3), np.float32))
    for axis in (2, -3, (0, 5)):
        with pytest.raises(OutOfRangeError, match=op):
            reduce(op, x, axis=axis)
    with pytest.raises(InvalidArgumentError, match=op):
        reduce(op, x, axis=(0, 0))
    with pytest.raises(InvalidArgumentError, match=op):
        reduce(op, x, axis=(1, -1))
    for stranger in ("text", None, [1.0], {}):
        with pytest.raises(TypeMismatchError, match=op):
            reduce(op, stranger)
    if not accepts(op, ELEMENT_TYPES["complex64"]):
        with pytest.raises(TypeMismatchError, match=op):
            reduce(op, suanzi.tensor(np.ones(3, np.complex64)))
    if op == "mean" or op in STATISTICS:
        with pytest.raises(TypeMismatchError, match=op):
            reduce(op, x, dtype=suanzi.int32)


def test_reduce_by_name() -> None:
    x = suanzi.tensor(np.arange(12, dtype=np.float32).reshape(3, 4))
    for op in OPERATIONS:
        named = suanzi.reduce(x, op, axis=1, keepdims=True)
        assert bits(named) == bits(reduce(op, x, axis=1, keepdims=True))
    with pytest.raises(InvalidArgumentError, match="reduce"):
        suanzi.reduce(x, "median")


# --- long sums ---

LONG = 500_009


def _long(kind: str, f: ElementType) -> Array:
    rng = generator("long sum", kind)
    if kind == "tenths":
        a = np.full(LONG, 0.1)
    elif kind == "uniform":
        a = rng.uniform(0, 1, LONG)
    elif kind == "cancelling":
        a = rng.standard_normal(LONG) * 1e4
        a[LONG // 2 : LONG // 2 * 2] = -a[: LONG // 2]
    else:
        a = np.ldexp(rng.uniform(1, 2, LONG), rng.integers(-14, 4, LONG))
    return a.astype(f.numpy)


@pytest.mark.parametrize("f", [f for f in ELEMENT_TYPES.values() if f.kind == "F"], ids=lambda f: f.name)
@pytest.mark.parametrize("kind", ["tenths", "uniform", "cancelling", "wide"])
def test_long_sum(kind: str, f: ElementType) -> None:
    """The error of a long sum stays within the bound of a pairwise sum in float64, for every layout."""
    a = _long(kind, f)
    x = suanzi.tensor(a)
    for op in ("sum", "mean"):
        expected = reference(op, a)
        check(reduce(op, x), expected, [], f"{op} of {kind} {f.name}")
        check(reduce(op, x[::-1]), expected, [], f"{op} of reversed {kind} {f.name}")
        check(reduce(op, x[::7]), reference(op, a[::7]), [], f"{op} of strided {kind} {f.name}")
    for shape in ((3, 166_000), (124_000, 4), (700, 714)):
        box = a[: shape[0] * shape[1]].reshape(shape)
        for axis in (0, 1) if shape[0] < 2000 else (0,):
            result = reduce("sum", suanzi.tensor(box), axis=axis)
            check(result, reference("sum", box, axis), [], f"sum of {kind} {f.name} {shape}, axis={axis}")


HALVES = ("float16", "bfloat16")
# For each type, a number near the type's greatest number, and a smaller number. A float64 sum of a few numbers near the
# greatest number and of the smaller number keeps the digits of the smaller number.
EXTREMES = {"float16": (65504.0, 2.0), "bfloat16": (3.3e38, 2.0**100)}


@pytest.mark.parametrize("name", HALVES)
@pytest.mark.parametrize("count", [255, 256, 257, 511, 512, 4096, 16384, 16640, 40_000])
def test_halves_beyond_the_range_on_the_way(name: str, count: int) -> None:
    """Sums of halves are right even if partial sums leave the range of float32, in which kernels add eight halves."""
    f = ELEMENT_TYPES[name]
    a = np.zeros(count, np.float32)
    greatest, last = EXTREMES[name]
    a[:8], a[count // 2 : count // 2 + 8], a[-1] = greatest, -greatest, last
    a = a.astype(f.numpy)
    x = suanzi.tensor(a)
    assert float(suanzi.sum(x)) == last
    columns = suanzi.stack([x, x], axis=1)
    check(suanzi.sum(columns, axis=0), reference("sum", np.stack([a, a], 1), 0), [], f"columns of {name}")
    for special, expected in ((np.inf, np.inf), (-np.inf, -np.inf), (np.nan, np.nan)):
        a[count // 3] = special
        assert np.array_equal(float(suanzi.sum(suanzi.tensor(a))), expected, equal_nan=True)


@pytest.mark.parametrize("shape", [(316, 317), (70, 1001), (1500, 65), (2, 300, 131)], ids=str)
@pytest.mark.parametrize("name", ["float32", "complex64", "int32", "int8"])
def test_rows_of_matrices_that_threads_share(name: str, shape: tuple[int, ...]) -> None:
    """Threads share a reduction by slabs of the dimension that is kept. The last slab is narrower than the others."""
    f = ELEMENT_TYPES[name]
    a = few(f, int(np.prod(shape)), "slabs").reshape(shape)
    for op in ("sum", "max") if f.kind != "C" else ("sum",):
        for axis in (0, len(shape) - 2):
            check(reduce(op, suanzi.tensor(a), axis=axis), reference(op, a, axis), [], f"{op} of {name} {shape} {axis}")


@pytest.mark.parametrize("name", HALVES)
def test_half_sums_of_any_threads(name: str) -> None:
    x = suanzi.tensor(_long("cancelling" if name == "float16" else "wide", ELEMENT_TYPES[name]))
    before = suanzi.get_num_threads()
    found = set()
    for threads in (1, 2, 5):
        suanzi.set_num_threads(threads)
        found.add((bits(suanzi.sum(x)), bits(suanzi.sum(suanzi.reshape(x[:500_000], (500, 1000)), axis=0))))
    suanzi.set_num_threads(before)
    assert len(found) == 1


# --- trace ---


@pytest.mark.parametrize("f", ELEMENT_TYPES.values(), ids=lambda f: f.name)
def test_trace(f: ElementType) -> None:
    a = few(f, 2 * 5 * 7, "trace").reshape(2, 5, 7)
    x = suanzi.tensor(a)
    for offset in (0, 1, -1, 6, -4, 7, 100, -100):
        diagonal = np.ascontiguousarray(np.diagonal(a, offset, -2, -1))
        check(suanzi.trace(x, offset), reference("sum", diagonal, -1), [], f"trace of {f.name}, offset={offset}")


def test_trace_of_a_vector_refused() -> None:
    with pytest.raises(DimensionsMismatchError, match="trace"):
        suanzi.trace(suanzi.zeros((3,)))


@pytest.mark.parametrize("name", ["max", "min", "any", "all"])
def test_long_rows_of_bool_settle_each_for_itself(name: str) -> None:
    """`all` and `any` of long rows are right, whether a row's first, middle or last element decides, or none."""
    a = np.zeros((5, 100_003), bool)
    a[1, 0] = a[2, 50_000] = a[3, -1] = True
    a[4] = True
    before = suanzi.get_num_threads()
    for threads in (1, 2):
        suanzi.set_num_threads(threads)
        try:
            for given in (a, ~a):
                x = suanzi.tensor(given)
                wanted = getattr(np, name)(given, axis=1)
                for operand, axis in ((x, 1), (suanzi.tensor(np.ascontiguousarray(given.T)), 0)):
                    assert np.array_equal(getattr(suanzi, name)(operand, axis=axis).numpy(), wanted)
        finally:
            suanzi.set_num_threads(before)
