"""Products with a matrix that is packed once agree with NumPy's products in float64."""

from __future__ import annotations

import numpy as np
import pytest
from products import check, numbers

import suanzi
from suanzi import DimensionsMismatchError, InvalidArgumentError, Tensor, TypeMismatchError, _core

FLOATS = ["float32", "float64"]


def product(x: Tensor, matrix: Tensor, bias: Tensor | None = None) -> Tensor:
    return _core.multiply_panels(x, _core.to_panels(matrix), matrix.shape[1], bias, None, None)


def sum_of(a: np.ndarray, b: np.ndarray, bias: np.ndarray) -> np.ndarray:
    return np.matmul(a, b) + bias


@pytest.mark.parametrize("name", FLOATS)
@pytest.mark.parametrize("columns", [1, 7, 16, 31, 32, 33, 100, 250])  # sizes around one panel and around four panels
@pytest.mark.parametrize("rows", [1, 2, 3, 5, 6, 7, 8, 9, 17])
def test_shapes(rows: int, columns: int, name: str) -> None:
    for depth in (1, 5, 64, 700):  # 700 terms are more than a kernel sums at a time
        a, b, bias = numbers((rows, depth), name, 1), numbers((depth, columns), name, 2), numbers((columns,), name, 3)
        x, matrix = suanzi.tensor(a), suanzi.tensor(b)
        check(product(x, matrix), np.matmul, a, b, k=depth)
        check(product(x, matrix, suanzi.tensor(bias)), sum_of, a, b, bias, k=depth + 1)


@pytest.mark.parametrize("name", FLOATS)
def test_layouts(name: str) -> None:
    a, b, bias = numbers((3, 4, 50), name, 1), numbers((50, 70), name, 2), numbers((140,), name, 3)
    turned = suanzi.contiguous(suanzi.tensor(b).mT).mT
    wide = suanzi.tensor(np.repeat(b, 2, axis=1))[:, ::2]
    backwards = suanzi.flip(suanzi.tensor(b[::-1]), 0)
    for matrix in (suanzi.tensor(b), turned, wide, backwards):
        check(product(suanzi.tensor(a), matrix, suanzi.tensor(bias)[::2]), sum_of, a, b, bias[::2], k=51)
    x = suanzi.tensor(a.transpose(2, 0, 1).copy()).transpose((1, 2, 0))
    check(product(x, turned), np.matmul, a, b, k=50)
    for index in (0, (0, 0), slice(0, 0)):
        check(product(x[index], turned), np.matmul, a[index], b, k=50)


@pytest.mark.parametrize("name", FLOATS)
@pytest.mark.usefixtures("keep_threads")
def test_bits_depend_on_neither_rows_nor_threads(name: str) -> None:
    a, b = numbers((500, 1100), name, 1), numbers((1100, 300), name, 2)
    x, matrix = suanzi.tensor(a), suanzi.tensor(b)
    whole = product(x, matrix)
    check(whole, np.matmul, a, b, k=1100)
    for threads in (1, 2, 7):
        suanzi.set_num_threads(threads)
        assert product(x, matrix).tolist() == whole.tolist()
    for i in (0, 7, 256, 499):
        assert product(x[i], matrix).tolist() == whole[i].tolist()


def test_special_numbers_stay_in_their_columns() -> None:
    b = numbers((20, 50), "float32", 2)
    b[3, 4], b[5, 49] = np.nan, np.inf
    found = product(suanzi.ones((9, 20)), suanzi.tensor(b)).numpy()
    expected = np.ones((9, 20), "float32") @ b
    np.testing.assert_array_equal(np.isfinite(found), np.isfinite(expected))
    assert np.isnan(found[:, 4]).all()
    assert np.isposinf(found[:, 49]).all()


def test_refusals() -> None:
    x, matrix = suanzi.ones((3, 20)), suanzi.ones((20, 50))
    panels = _core.to_panels(matrix)
    for wrong in (suanzi.ones(20), suanzi.ones((2, 20, 50)), suanzi.ones((0, 50)), suanzi.ones((20, 0))):
        with pytest.raises(DimensionsMismatchError, match="to_panels: an operand of shape"):
            _core.to_panels(wrong)
    for dtype in ("int32", "float16", "complex64", "bool"):
        with pytest.raises(TypeMismatchError, match=f"to_panels: elements are {dtype}"):
            _core.to_panels(matrix.astype(dtype))
        with pytest.raises(TypeMismatchError, match=f"matmul: elements are {dtype}"):
            _core.multiply_panels(x.astype(dtype), panels, 50, None, None, None)
    for operand in (suanzi.ones((3, 21)), suanzi.ones(())):
        with pytest.raises(DimensionsMismatchError, match=r"and \(20, 50\) do not fit"):
            _core.multiply_panels(operand, panels, 50, None, None, None)
    for columns in (0, -1, panels.shape[0] * panels.shape[2] + 1, 2**63 - 1):
        with pytest.raises(InvalidArgumentError, match="in panels"):
            _core.multiply_panels(x, panels, columns, None, None, None)
    for not_panels in (matrix, panels[..., :-1], panels.mT, panels.astype("float64"), panels[:0]):
        with pytest.raises(InvalidArgumentError, match="in panels"):
            _core.multiply_panels(x, not_panels, 50, None, None, None)
    for bias in (suanzi.ones(49), suanzi.ones((1, 50)), suanzi.ones(50, dtype="float64")):
        with pytest.raises(DimensionsMismatchError, match="is not one of 50 elements of float32"):
            _core.multiply_panels(x, panels, 50, bias, None, None)


CODES = ["int8", "uint8"]


def drawn_codes(shape: tuple[int, ...], name: str) -> np.ndarray:
    limits = np.iinfo(name)
    codes = np.random.default_rng(4).integers(limits.min, limits.max, shape, dtype=name, endpoint=True)
    codes.flat[:2] = limits.min, limits.max
    return codes


def numbers_of(codes: np.ndarray, scales: np.ndarray, zeros: np.ndarray | None) -> np.ndarray:
    """Compute the numbers that codes represent exactly in float64, and round the numbers once to float32."""
    shifted = codes.astype("float64") - (0 if zeros is None else zeros.astype("float64"))
    return (shifted * scales).astype("float32")


@pytest.mark.parametrize("name", CODES)
@pytest.mark.parametrize("columns", [1, 7, 16, 33, 100])
@pytest.mark.parametrize("rows", [1, 5, 6, 17])
def test_codes_are_the_numbers_they_stand_for(rows: int, columns: int, name: str) -> None:
    """A product with a matrix of codes has the same bits as the product with the numbers that the codes represent."""
    for depth in (1, 5, 700):
        codes, scales = drawn_codes((depth, columns), name), numbers((columns,), "float32", 5)
        zeros = drawn_codes((columns,), name)
        x, bias = suanzi.tensor(numbers((rows, depth), "float32", 1)), suanzi.tensor(numbers((columns,), "float32", 2))
        panels = _core.to_panels(suanzi.tensor(codes))
        assert panels.dtype is getattr(suanzi, name)
        for shifts in (None, zeros):
            matrix = numbers_of(codes, scales, shifts)
            given = suanzi.tensor(scales), None if shifts is None else suanzi.tensor(shifts)
            found = _core.multiply_panels(x, panels, columns, bias, *given)
            np.testing.assert_array_equal(found.numpy(), product(x, suanzi.tensor(matrix), bias).numpy())
            check(found, sum_of, x.numpy(), matrix, bias.numpy(), k=depth + 1)


@pytest.mark.usefixtures("keep_threads")
def test_codes_on_any_number_of_threads() -> None:
    codes, scales = drawn_codes((1100, 900), "int8"), suanzi.tensor(numbers((900,), "float32", 5))
    turned = suanzi.tensor(codes.T.copy()).T
    x = suanzi.tensor(numbers((70, 1100), "float32", 1))
    expected = product(x, suanzi.tensor(numbers_of(codes, scales.numpy(), None))).numpy()
    for threads in (1, 2, 7):
        suanzi.set_num_threads(threads)
        found = _core.multiply_panels(x, _core.to_panels(turned), 900, None, scales, None)
        np.testing.assert_array_equal(found.numpy(), expected)


def test_codes_that_are_refused() -> None:
    x, codes, scales = suanzi.ones((3, 20)), suanzi.ones((20, 50), dtype="int8"), suanzi.ones(50)
    panels = _core.to_panels(codes)
    for wrong in (suanzi.ones(49), suanzi.ones((1, 50)), suanzi.ones(50, dtype="float64")):
        with pytest.raises(DimensionsMismatchError, match="is not one of 50 elements of float32"):
            _core.multiply_panels(x, panels, 50, None, wrong, None)
    for wrong in (suanzi.ones(49, dtype="int8"), suanzi.ones(50, dtype="uint8"), suanzi.ones(50)):
        with pytest.raises(DimensionsMismatchError, match="is not one of 50 elements of int8"):
            _core.multiply_panels(x, panels, 50, None, scales, wrong)
    with pytest.raises(InvalidArgumentError, match="in panels"):
        _core.multiply_panels(x, panels, 50, None, None, None)
    with pytest.raises(InvalidArgumentError, match="in panels of codes"):
        _core.multiply_panels(x, _core.to_panels(suanzi.ones((20, 50))), 50, None, scales, None)
    with pytest.raises(InvalidArgumentError, match="in panels of codes"):
        _core.multiply_panels(x.astype("float64"), panels, 50, None, scales, None)
