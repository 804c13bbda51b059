"""NumPy's index arithmetic, counting by bounds and linear interpolation are exact for operands of all types."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import suanzi
from samples import fails
from suanzi import DimensionsMismatchError, InvalidArgumentError, OutOfRangeError, Tensor, TypeMismatchError

INF, NAN = math.inf, math.nan
INTEGERS = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")


def tensor(data: Any, dtype: str = "float64") -> Tensor:
    return suanzi.tensor(np.array(data, dtype))


@pytest.mark.parametrize("dtype", INTEGERS)
def test_indices_are_computed_in_int64(dtype: str) -> None:
    dims = (300, 1000, 70000)
    parts = [np.array(v, dtype) for v in ([0, 1, 127], [3, 100, 99], [127, 5, 0])]
    found = np.ravel_multi_index(tuple(map(suanzi.tensor, parts)), dims)
    assert found.dtype is suanzi.int64
    assert found.tolist() == np.ravel_multi_index(tuple(parts), dims).tolist()
    places = np.array([0, 5, 127], dtype)
    for shape in (dims, (2, 100), 128, (1, 128, 1), (2**31, 2**31)):
        for order in ("C", "F"):
            for mine, wanted in zip(
                np.unravel_index(suanzi.tensor(places), shape, order=order),
                np.unravel_index(places, shape, order=order),
                strict=True,
            ):
                assert mine.dtype is suanzi.int64
                assert mine.tolist() == wanted.tolist()


def test_modes_orders_and_shapes_of_indices() -> None:
    column, row = np.array([[5], [-1]], np.int8), np.array([1, 7], np.int32)
    for options in ({"mode": "wrap"}, {"mode": "clip"}, {"mode": ("wrap", "clip")}, {"mode": "wrap", "order": "F"}):
        found = np.ravel_multi_index((suanzi.tensor(column), suanzi.tensor(row)), (2, 3), **options)
        assert found.tolist() == np.ravel_multi_index((column, row), (2, 3), **options).tolist()
    assert np.ravel_multi_index((suanzi.tensor(row), 1), np.array([9, 3])).tolist() == [4, 22]
    both = np.array([[0, 1], [2, 1]], np.int16)
    assert np.ravel_multi_index(suanzi.tensor(both), (2, 3)).tolist() == np.ravel_multi_index(both, (2, 3)).tolist()
    assert [part.tolist() for part in np.unravel_index(tensor([], "int8"), (0, 3))] == [[], []]
    assert np.unravel_index(tensor(0, "int8"), ()) == ()


def test_indices_that_are_refused() -> None:
    i = tensor([1], "int32")
    for call in (
        lambda: np.unravel_index(i, (2**32, 2**31)),
        lambda: np.ravel_multi_index((i, i), (2**40, 2**40)),
        lambda: np.ravel_multi_index((i, i, i), (2**62, 2, 1)),
    ):
        with pytest.raises(OutOfRangeError, match=r"more places than int64 can count"):
            call()
    for call in (
        lambda: np.unravel_index(tensor([1.0]), (2, 3)),
        lambda: np.ravel_multi_index((tensor([1.0]), i), (2, 3)),
    ):
        with pytest.raises(TypeMismatchError, match="are not integers"):
            call()
    for call in (
        lambda: np.unravel_index(tensor([2**64 - 1], "uint64"), (2, 3)),
        lambda: np.ravel_multi_index((tensor([2**63], "uint64"), i), (2, 3)),
        lambda: np.ravel_multi_index((tensor([-1], "int8"), i), (2, 3)),
    ):
        with pytest.raises(InvalidArgumentError, match=r"is outside \[0, "):
            call()
    with fails(DimensionsMismatchError, "numpy.ravel_multi_index"):
        np.ravel_multi_index((i,), (2, 3))


def test_bins_with_descending_bounds() -> None:
    x, bounds = tensor([0.0, 1.0, 2.0, 0.5, -1.0, 9.0, NAN]), [2.0, 1.0, 1.0, 0.0]
    for right in (False, True):
        for edges in (bounds, bounds[::-1], [1.0], [1.0, 1.0], []):
            expected = np.digitize(x.numpy(), edges, right=right)
            assert np.digitize(x, tensor(edges), right=right).tolist() == expected.tolist()
    assert np.digitize(tensor([0.0, 1.0, 2.0]), tensor([2.0, 1.0, 0.0])).tolist() == [2, 1, 0]
    assert np.digitize(tensor([0.0, 1.0, 2.0]), tensor([2.0, 1.0, 0.0]), right=True).tolist() == [3, 2, 1]
    for wrong in (tensor([[1.0]]), tensor([1j], "complex128")):
        with pytest.raises((DimensionsMismatchError, TypeMismatchError), match=r"^numpy\.digitize"):
            np.digitize(x, wrong)


NEAR = (0, 1, 2**24, 2**24 + 1, 2**53, 2**53 + 1, 2**62 + 1, 2**63 - 1, 2**63, 2**64 - 1)


@pytest.mark.parametrize(
    "types",
    [
        (a, b)
        for a in (*INTEGERS, "float16", "float32", "float64")
        for b in ("int64", "uint64", "float32", "float64", "int8")
    ],
)
def test_elements_and_bounds_are_compared_exactly(types: tuple[str, str]) -> None:
    """`digitize` and `searchsorted` compare elements and bounds of any two types exactly, like Python."""
    arrays = []
    for dtype in types:
        if dtype.startswith("float"):
            with np.errstate(over="ignore"):
                values = np.array([*NEAR, *(-v for v in NEAR), 0.5, -0.5, 1e30, -1e30, INF, -INF]).astype(dtype)
        else:
            limits = np.iinfo(dtype)
            values = np.array(
                [v for v in (*NEAR, *(-v for v in NEAR), -(2**63)) if limits.min <= v <= limits.max], dtype
            )
        arrays.append(values)
    x, bounds = arrays[0], np.unique(arrays[1])
    elements, edges = x.tolist(), bounds.tolist()
    for right in (False, True):
        wanted = [sum(edge < v if right else edge <= v for edge in edges) for v in elements]
        assert np.digitize(suanzi.tensor(x), suanzi.tensor(bounds), right=right).tolist() == wanted
        backwards = [sum(edge >= v if right else edge > v for edge in edges) for v in elements]
        found = np.digitize(suanzi.tensor(x), suanzi.tensor(bounds[::-1].copy()), right=right)
        assert found.tolist() == backwards
        side = "left" if right else "right"
        assert np.searchsorted(suanzi.tensor(bounds), suanzi.tensor(x), side=side).tolist() == wanted
    if types[0].startswith("float"):
        assert np.digitize(tensor([NAN], types[0]), suanzi.tensor(bounds)).tolist() == [len(edges)]


def test_searching_by_a_sorter() -> None:
    bounds, order = tensor([2**53 + 1, 1, 2**53], "int64"), tensor([1, 2, 0], "int64")
    assert np.searchsorted(bounds, tensor([2.0**53, 2.0**53 + 2]), sorter=order).tolist() == [1, 3]


@pytest.mark.parametrize(
    ("x", "xp", "fp", "expected"),
    [
        ([0.5, 1, 1.5], [0, 1, 2], [0, INF, 1], [INF] * 3),
        ([0.5, 1, 1.5], [0, 1, 2], [0, -INF, 1], [-INF] * 3),
        ([0.5], [0, 1], [INF, -INF], [NAN]),
        ([0.5], [0, 1], [INF, INF], [INF]),
        ([0.0], [-1, 1], [-1.7e308, 1.7e308], [0]),
        ([0.0], [-1.7e308, 1.7e308], [0, 1], [0.5]),
        ([0.0], [-1.7e308, 1.7e308], [-1.7e308, 1.7e308], [0]),
        ([5, INF, -INF, NAN], [0, INF], [2, 3], [2, 3, 2, NAN]),
        ([-5, INF, -INF], [-INF, 0], [2, 3], [3, 3, 2]),
        ([5, -5], [-INF, INF], [2, 2], [2, 2]),
        ([5], [-INF, INF], [2, 3], [NAN]),
        ([1e-310], [0, 2e-310], [1, 3], [2]),
        ([0.5], [0, 1], [5e-324, 1.5e-323], [1e-323]),
        ([1, 1.5], [0, 1, 1, 2], [0, 5, 7, 9], [7, 8]),
        ([0, 0.5], [0, 0, 1], [5, 7, 9], [5, 8]),
        ([0, 1], [0, 1], [-0.0, 1], [-0.0, 1]),
        ([0, 1, 2, NAN], [1], [7], [7, 7, 7, NAN]),
    ],
)
def test_values_on_lines(x: list[Any], xp: list[Any], fp: list[Any], expected: list[Any]) -> None:
    found = np.interp(tensor(x), tensor(xp), tensor(fp))
    np.testing.assert_array_equal(found.numpy(), np.array(expected, np.float64))
    assert [math.copysign(1, v) for v in found.tolist() if v == 0] == [math.copysign(1, v) for v in expected if v == 0]
    several = np.interp(tensor(np.tile(x, 40)), tensor(xp), tensor(fp))  # more elements than points
    np.testing.assert_array_equal(several.numpy(), np.tile(np.array(expected, np.float64), 40))


@pytest.mark.parametrize("points", [1, 2, 3, 100, 3000])
@pytest.mark.parametrize("order", ["sorted", "random", "backwards"])
def test_many_values_on_lines(points: int, order: str) -> None:
    """`interp` returns the same bits as NumPy for few and many points, and for values in any order."""
    rng = np.random.default_rng(points)
    x = rng.uniform(-1, 11, 2000)
    x[::97] = rng.choice([INF, -INF, 5.0], x[::97].shape)
    x = {"sorted": np.sort(x), "random": x, "backwards": -np.sort(-x)}[order]
    xp, fp = np.sort(rng.uniform(0, 10, points)), rng.normal(size=points)
    x[::89] = rng.choice(xp, x[::89].shape)
    found = np.interp(suanzi.tensor(x)[::-1], suanzi.tensor(xp), suanzi.tensor(fp))
    assert found.tolist() == np.interp(x[::-1], xp, fp).tolist()
    left = np.interp(suanzi.tensor(x), suanzi.tensor(xp), suanzi.tensor(fp), left=-3, right=NAN).numpy()
    np.testing.assert_array_equal(left, np.interp(x, xp, fp, left=-3, right=NAN))


def test_lines_of_other_types_and_periods() -> None:
    x, xp = np.array([[0, 5], [-7, 9]]), np.array([0, 2, 5])
    fp = np.array([1 + 2j, -3j, 4])
    found = np.interp(suanzi.tensor(x), tensor(xp, "int8"), suanzi.tensor(fp), left=1j)
    assert found.dtype is suanzi.complex128
    np.testing.assert_allclose(found.numpy(), np.interp(x, xp, fp, left=1j))
    for period in (6, -4.0):
        at, of = np.array([5.0, 1.0, 2.5]), np.array([3.0, 1.0, -1.0])
        np.testing.assert_allclose(
            np.interp(tensor(x), tensor(at), tensor(of), period=period).numpy(), np.interp(x, at, of, period=period)
        )
    assert np.interp(tensor([-1.0]), tensor([0.0]), tensor([1.0]), left=tensor(3)).tolist() == [3]
    for xp_, fp_ in (([0.0, 1.0], [1.0]), ([], []), ([[0.0]], [[1.0]])):
        with fails(DimensionsMismatchError, "numpy.interp"):
            np.interp(tensor(x), tensor(xp_), tensor(fp_))
    with fails(InvalidArgumentError, "numpy.interp"):
        np.interp(tensor(x), tensor([0.0, 1.0]), tensor([0.0, 1.0]), period=0)
    with fails(TypeMismatchError, "numpy.interp"):
        np.interp(tensor([1j], "complex128"), tensor([0.0, 1.0]), tensor([0.0, 1.0]))


def test_integers_are_rounded_down() -> None:
    assert np.linspace(tensor([-1.0]), 1.0, 4, dtype=int).tolist() == [[-1], [-1], [0], [1]]
    for start, stop, num in ((-7.5, 3.25, 9), (0.0, 10.0, 7), (5.0, -5.0, 4), (1.0, 2.0, 1)):
        for endpoint in (True, False):
            for dtype in ("int64", "int16", "float64"):
                options: dict[str, Any] = {"endpoint": endpoint, "dtype": dtype}
                found = np.linspace(tensor([start]), stop, num, **options)
                assert found.tolist() == np.linspace([start], stop, num, **options).tolist()
    z = np.linspace(tensor([1 + 2j], "complex64"), -3j, 5)
    assert z.dtype is suanzi.complex64
    np.testing.assert_allclose(z.numpy(), np.linspace(np.array([1 + 2j]), -3j, 5), rtol=1e-6)
    for dtype in ("float16", "float32", "float64", "int32", "bool"):
        ends = np.array([0, 1]).astype(dtype)
        assert np.linspace(suanzi.tensor(ends), 1, 3).dtype == np.linspace(ends, 1, 3).dtype
    values, step = np.linspace(tensor([0.0, 2.0]), 3, 4, retstep=True)
    assert (values.tolist(), step.tolist()) == ([[0, 2], [1, 7 / 3], [2, 2 + 2 / 3], [3, 3]], [1, 1 / 3])
    assert np.linspace(tensor([-1.7e308]), 1.7e308, 3).tolist() == [[-1.7e308], [0], [1.7e308]]
    assert np.linspace(tensor(0.0), 1e-323, 3).tolist() == np.linspace(0, 1e-323, 3).tolist()
    with fails(TypeMismatchError, "numpy.linspace"):
        np.linspace(tensor([1j], "complex128"), 1, 3, dtype="float64")
    with fails(InvalidArgumentError, "numpy.linspace"):
        np.linspace(tensor([1.0]), 1, -1)
