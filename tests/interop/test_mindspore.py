"""CSRTensor follows all rules of the document mindspore.CSRTensor, and returns the same results as SciPy."""

from __future__ import annotations

import doctest
import io
import pickle
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

import suanzi
import suanzi.interop.mindspore as ms
from suanzi import (
    AllocFailedError,
    DimensionsMismatchError,
    InvalidArgumentError,
    OutOfRangeError,
    TypeMismatchError,
    UninitializedObjectError,
)
from suanzi.interop.mindspore import COOTensor, CSRTensor, Tensor

# --- examples of the members in the document's order, with changed import lines

MEMBERS = Path(__file__).with_name("mindspore_members.txt").read_text(encoding="utf-8")
EXAMPLES = dict(re.findall(r"^== (\w+)\n\n(.*?)(?=\n\n== |\Z)", MEMBERS, re.DOTALL | re.MULTILINE))
SET_OTHERWISE = ("to_tuple",)  # the document breaks the output into lines, so the test merges blanks


def test_every_member_with_an_example_is_there() -> None:
    assert len(EXAMPLES) == 17
    assert set(EXAMPLES) - {"CSRTensor"} < {name for name in dir(CSRTensor) if not name.startswith("_")}


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_member(name: str) -> None:
    text = re.sub(r"^(>>> (?:import|from) )mindspore", r"\1suanzi.interop.mindspore", EXAMPLES[name], flags=re.M)
    example = doctest.DocTestParser().get_doctest(text + "\n", {}, name, None, None)
    flags = doctest.NORMALIZE_WHITESPACE if name in SET_OTHERWISE else 0
    report = io.StringIO()
    result = doctest.DocTestRunner(optionflags=flags).run(example, out=report.write)
    assert result.attempted > 1
    assert any(example.want for example in example.examples)
    assert result.failed == 0, report.getvalue()


def test_rows_of_several_lengths() -> None:
    a = CSRTensor(Tensor([0, 3, 3, 5, 6]), Tensor([0, 1, 4, 2, 3, 0]), Tensor([9.0, 8, 7, 6, 5, 4]), (4, 5))
    assert a.to_dense().asnumpy().tolist() == [[9, 8, 0, 0, 7], [0] * 5, [0, 0, 6, 5, 0], [4, 0, 0, 0, 0]]
    assert str(a.indptr) == "[0 3 3 5 6]"


# --- types


INDEX_TYPES = ("int16", "int32", "int64")


def csr(a: Any, index: str = "int32") -> CSRTensor:
    """Return a CSRTensor of a SciPy matrix, with indices of the type `index`."""
    return CSRTensor(Tensor(a.indptr, index), Tensor(a.indices, index), Tensor(a.data), a.shape)


@pytest.mark.parametrize("index", INDEX_TYPES)
def test_each_index_type_is_kept(index: str) -> None:
    a = csr(scipy.sparse.csr_array(np.float32([[0, 1, 0], [2, 0, 3]])), index)
    shown = index.capitalize()
    assert {str(part.dtype) for part in (a.indptr, a.indices, a.to_coo().indices, a.abs().indptr)} == {shown}
    assert (a + a).indices.dtype == a.indices.dtype
    assert a.to_coo().to_csr().to_dense().asnumpy().tolist() == [[0, 1, 0], [2, 0, 3]]
    assert a.to_coo().to_tuple()[2] == (2, 3)


@pytest.mark.parametrize("wrong", ["int8", "uint8", "uint16", "uint32", "uint64", "float32", "bool"])
@pytest.mark.parametrize("which", ["indptr", "indices"])
def test_no_other_index_type(wrong: str, which: str) -> None:
    parts = {"indptr": Tensor([0, 1]), "indices": Tensor([0]), "values": Tensor([1.0]), "shape": (1, 1)}
    parts[which] = parts[which].astype(wrong)  # type: ignore[attr-defined]
    with pytest.raises(TypeMismatchError, match=f"CSRTensor: {which} of element type {wrong}"):
        CSRTensor(**parts)  # type: ignore[arg-type]


def test_the_types_by_name() -> None:
    names = [name for name in ms.__all__ if isinstance(getattr(ms, name), ms.dtype.DType)]
    assert len(names) == 16
    for name in names:
        dtype = getattr(ms, name)
        assert repr(dtype) == f"mindspore.{name}"
        assert str(dtype).lower() == name.strip("_")
        assert dtype is getattr(ms.dtype, name)
        assert pickle.loads(pickle.dumps(dtype)) == dtype
    assert [str(ms.bool_), str(ms.uint16), str(ms.bfloat16), str(ms.complex64)] == [
        "Bool",
        "UInt16",
        "BFloat16",
        "Complex64",
    ]


@pytest.mark.parametrize(
    ("data", "dtype"),
    [
        (1, "Int64"),
        ([1.5], "Float32"),
        ([True], "Bool"),
        ([1j], "Complex64"),
        (np.float64(1), "Float64"),
        ([], "Float32"),
    ],
)
def test_the_type_of_what_has_none(data: Any, dtype: str) -> None:
    assert str(Tensor(data).dtype) == dtype


def test_values_of_every_type() -> None:
    for dtype in ("bool", "uint8", "int16", "int64", "float16", "bfloat16", "float64", "complex128"):
        a = CSRTensor(Tensor([0, 2, 3]), Tensor([2, 0, 1]), Tensor([1, 0, 1], dtype), (2, 3))
        assert (str(a.dtype).lower(), a.itemsize, a.size) == (dtype, suanzi.as_dtype(dtype).itemsize, 3)
        assert a.to_dense().asnumpy().tolist() == [[0, 0, 1], [0, 1, 0]]
        assert a.sum(0).dtype == a.dtype
    assert a.abs().dtype == ms.float64


# --- against NumPy and SciPy


@st.composite
def matrices(draw: st.DrawFn, shape: tuple[int, int] | None = None) -> Any:
    rows, columns = shape or (draw(st.integers(0, 6)), draw(st.integers(0, 6)))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    dense = rng.integers(-9, 10, (rows, columns)) * (rng.random((rows, columns)) < draw(st.floats(0, 1)))
    return scipy.sparse.csr_array(dense.astype(draw(st.sampled_from([np.float32, np.float64, np.int32]))))


@given(st.data(), st.sampled_from(INDEX_TYPES))
def test_arithmetic_against_scipy(data: st.DataObject, index: str) -> None:
    x = data.draw(matrices())
    y = data.draw(matrices(x.shape))
    a, b, dx, dy = csr(x, index), csr(y, index), x.toarray(), y.toarray()
    alpha, beta = data.draw(st.integers(-3, 3)), data.draw(st.integers(-3, 3))
    row = np.float64(data.draw(st.lists(st.integers(1, 9), min_size=x.shape[1], max_size=x.shape[1])))
    for result, expected in (
        (a + b, dx + dy),
        (a - b, dx - dy),
        (a * b, dx * dy),
        (a * 3, dx * 3),
        (2 * a, dx * 2),
        (-a, -dx),
        (abs(a), np.abs(dx)),
        (a / 2, dx / 2),
        (a * Tensor(row), dx * row),
        (Tensor(row) * a, dx * row),
        (a / Tensor(row), dx / row),
        (a.add(b, Tensor(alpha), Tensor(beta)), alpha * dx + beta * dy),
        (a.to_coo() + b.to_coo(), dx + dy),
    ):
        np.testing.assert_allclose(result.to_dense().asnumpy(), expected, rtol=1e-6)
    assert isinstance(a + b, CSRTensor)
    assert isinstance(a.to_coo() * 2, COOTensor)


@given(st.data(), st.sampled_from(INDEX_TYPES))
def test_coordinates_against_numpy(data: st.DataObject, index: str) -> None:
    x = data.draw(matrices())
    y = data.draw(matrices(x.shape))
    a, b, dx, dy = csr(x, index).to_coo(), csr(y, index).to_coo(), x.toarray(), y.toarray()
    dense = np.arange(1.0, 1 + dx.size).reshape(dx.shape)
    for result, expected in (
        (a + b, dx + dy),
        (a - b, dx - dy),
        (a * b, dx * dy),
        (3 * a, dx * 3),
        (a / 2, dx / 2),
        (a * Tensor(dense), dx * dense),
        (a / Tensor(dense), dx / dense),
        (-a, -dx),
        (abs(a), np.abs(dx)),
        (a.abs().astype(ms.float64), np.abs(dx)),
        (a.to_csr(), dx),
    ):
        np.testing.assert_allclose(result.to_dense().asnumpy(), expected, rtol=1e-6)
    for mixed, expected in (
        (a + Tensor(dense), dx + dense),
        (Tensor(dense) + a, dense + dx),
        (a - Tensor(dense), dx - dense),
        (Tensor(dense) - a, dense - dx),
    ):
        assert isinstance(mixed, Tensor)
        np.testing.assert_allclose(mixed.asnumpy(), expected, rtol=1e-6)
    bound = data.draw(st.integers(0, 6))
    total = a.add(b, Tensor(np.array(bound, x.dtype)))
    both = dx + dy
    np.testing.assert_array_equal(total.to_dense().asnumpy(), np.where(np.abs(both) >= bound, both, 0))
    assert bound == 0 or (np.abs(total.values.asnumpy()) >= bound).all()
    indices, values, shape = total.to_tuple()
    np.testing.assert_array_equal(COOTensor(indices, values, shape).to_dense().asnumpy(), total.to_dense().asnumpy())
    assert (total.dtype, total.ndim, total.size, total.shape) == ((a + b).dtype, 2, values.size, dx.shape)


def test_duplicate_coordinates() -> None:
    a = COOTensor(Tensor([[1, 2], [0, 1], [1, 2]]), Tensor([1.0, 2.0, -1.0]), (2, 4))
    merged = a.coalesce()
    assert merged.indices.asnumpy().tolist() == [[0, 1], [1, 2]]
    assert merged.values.asnumpy().tolist() == [2.0, 0.0]
    assert a.add(a, 1).indices.asnumpy().tolist() == [[0, 1]]
    assert a.to_csr().indptr.asnumpy().tolist() == [0, 1, 2]


@pytest.mark.parametrize("factor", [0.5, 2, float("inf")])
@pytest.mark.parametrize("values", [[100, 100], [100, -100], [1, 2]])
def test_equal_coordinates_add_up_before_a_product(values: list[int], factor: float) -> None:
    a = COOTensor(Tensor([[0], [0]]), Tensor(values, ms.int8), (2,))
    total = np.int64(sum(values)).astype(np.int8)
    with np.errstate(invalid="ignore", divide="ignore"):
        product, quotient = np.multiply(total, factor), np.divide(total, factor)
    if isinstance(factor, int):
        product = product.astype(np.int8)
    for other in (factor, Tensor([factor], ms.int8 if isinstance(factor, int) else ms.float32)):
        for result, expected in ((a * other, product), (other * a, product), (a / other, quotient)):
            assert isinstance(result, COOTensor)
            np.testing.assert_array_equal(result.to_dense().asnumpy(), [expected, 0])


@given(st.data())
def test_products_and_sums_against_numpy(data: st.DataObject) -> None:
    x = data.draw(matrices())
    k = data.draw(st.integers(0, 4))
    y = data.draw(matrices((x.shape[1], k)))
    a, dx, dy = csr(x), x.toarray(), y.toarray()
    np.testing.assert_array_equal(a.mm(Tensor(dy)).asnumpy(), dx @ dy)
    product = a.mm(csr(y))
    assert isinstance(product, CSRTensor)
    np.testing.assert_array_equal(product.to_dense().asnumpy(), dx @ dy)
    vector = np.ones((x.shape[1], 1), x.dtype)
    np.testing.assert_array_equal(a.mv(Tensor(vector)).asnumpy(), dx @ vector)
    for axis in (0, 1, -1, -2):
        total = a.sum(axis)
        np.testing.assert_array_equal(total.asnumpy(), dx.sum(axis, keepdims=True, dtype=x.dtype))
        assert total.dtype == a.dtype
    indptr, indices, values, shape = a.to_tuple()
    again = CSRTensor(indptr, indices, values, shape)
    np.testing.assert_array_equal(again.to_dense().asnumpy(), dx)
    np.testing.assert_array_equal(a.astype(np.float64).to_coo().to_csr().to_dense().asnumpy(), dx)


@given(st.data())
def test_feature_dimensions(data: st.DataObject) -> None:
    x = data.draw(matrices())
    features = tuple(data.draw(st.lists(st.integers(0, 3), min_size=1, max_size=2)))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    values = rng.integers(-9, 10, (x.nnz, *features)).astype(np.float32)
    dense = np.zeros((*x.shape, *features), np.float32)
    at = x.tocoo()
    dense[at.row, at.col] = values
    indptr, indices = Tensor(x.indptr), Tensor(x.indices)
    a = CSRTensor(indptr, indices, Tensor(values), dense.shape)
    assert (a.shape, a.ndim, a.size) == (dense.shape, dense.ndim, values.size)
    scale = rng.integers(1, 9, features).astype(np.float32)
    for result, expected in (
        (a, dense),
        (CSRTensor(csr_tensor=a), dense),
        (CSRTensor(values=Tensor(-values), csr_tensor=a), -dense),
        (a.to_coo(), dense),
        (a.abs(), np.abs(dense)),
        (a + a, dense * 2),
        (a * Tensor(scale), dense * scale),
        (a / Tensor(scale), dense / scale),
        (a * 2, dense * 2),
    ):
        np.testing.assert_allclose(result.to_dense().asnumpy(), expected, rtol=1e-6)
    for axis in range(dense.ndim):
        np.testing.assert_array_equal(a.sum(axis).asnumpy(), dense.sum(axis, keepdims=True))


def test_columns_in_any_order() -> None:
    a = CSRTensor(Tensor([0, 3]), Tensor([2, 0, 1]), Tensor([3.0, -1.0, 2.0]), (1, 4))
    assert str(a.abs().values) == "[3. 1. 2.]"  # in the given order of columns
    assert str((a * Tensor([1.0, 2.0, 3.0, 4.0])).to_dense()) == "[[-1.  4.  9.  0.]]"


def test_what_is_not_stored_stays_zero() -> None:
    a = CSRTensor(Tensor([0, 1]), Tensor([1]), Tensor([4.0]), (1, 3))
    for result, expected in (
        (a / Tensor([0.0, 2.0, 0.0]), [[0, 2, 0]]),
        (a / 0, [[0, np.inf, 0]]),
        (a * np.float32(np.inf), [[0, np.inf, 0]]),
        (np.float32(np.inf) * a, [[0, np.inf, 0]]),
    ):
        assert isinstance(result, CSRTensor)
        assert result.to_dense().asnumpy().tolist() == expected


def test_a_tensor_of_another_is_a_copy() -> None:
    a = CSRTensor(Tensor([0, 1]), Tensor([1]), Tensor([4.0]), (1, 3))
    b, c = CSRTensor(csr_tensor=a), CSRTensor(values=Tensor([5]), csr_tensor=a)
    a.values.asnumpy()[0] = 7
    assert (a.values.item(), b.values.item(), c.values.item()) == (7, 4, 5)
    coordinates = COOTensor(coo_tensor=a.to_coo())
    assert coordinates.to_dense().asnumpy().tolist() == [[0, 7, 0]]


# --- refused calls

P, I, V = Tensor([0, 1, 2]), Tensor([0, 1]), Tensor([1.0, 2.0])  # noqa: E741
A = CSRTensor(P, I, V, (2, 4))
CUBE = CSRTensor(P, I, Tensor(np.ones((2, 3))), (2, 4, 3))


def made(indptr: list[int], indices: list[int], shape: tuple[int, ...] = (2, 4)) -> CSRTensor:
    return CSRTensor(Tensor(indptr), Tensor(indices, "int32"), Tensor([1.0] * len(indices)), shape)


def gone() -> Tensor:
    x = Tensor([0, 1, 2])
    x.to_suanzi().destroy()
    return x


BAD: list[tuple[Callable[[], Any], type[Exception], str]] = [
    # Cases that the document calls undefined.
    (lambda: made([0, 2, 1], [0]), InvalidArgumentError, "CSRTensor: indptr falls from 2 to 1 at row 1"),
    (lambda: made([0, -1, 2], [0, 1]), InvalidArgumentError, "falls from 0 to -1 at row 0"),
    (lambda: made([1, 1, 2], [0, 1]), InvalidArgumentError, "indptr starts row 0 at 1"),
    (lambda: made([0, 1, 1], [0, 1]), InvalidArgumentError, "ends at 1 after row 1, the last, but there are 2 indices"),
    (lambda: made([0, 1, 3], [0, 1]), InvalidArgumentError, "ends at 3 after row 1"),
    (lambda: made([0], [1], (0, 4)), InvalidArgumentError, "ends at 0 after no rows, but there are 1"),
    (lambda: made([0, 0, 2], [1, 1]), InvalidArgumentError, "indices name a column of row 1 twice"),
    (lambda: made([0, 3, 3], [2, 0, 2]), InvalidArgumentError, "column of row 0 twice"),
    # Other rules of the document mindspore.CSRTensor.
    (lambda: made([0, 1, 2], [0, 4]), OutOfRangeError, r"CSRTensor: index 4 is outside \[0, 4\)"),
    (lambda: made([0, 1, 2], [-1, 0]), OutOfRangeError, "index -1"),
    (lambda: made([0, 2], [0, 1]), DimensionsMismatchError, r"CSRTensor: indptr of shape \(2,\) does not fit 2 rows"),
    (lambda: made([0, 1, 2], [0, 1], (2,)), DimensionsMismatchError, "less than 2 dimensions"),
    (lambda: made([0, 1, 2], [0, 1], (2, -4)), InvalidArgumentError, "CSRTensor: "),
    (lambda: made([0, 1, 2], [0, 1], (2, 4, 3)), DimensionsMismatchError, "feature dimensions"),
    (lambda: CSRTensor(P, I, Tensor([1.0]), (2, 4)), DimensionsMismatchError, "CSRTensor: "),
    (lambda: CSRTensor(P, I, Tensor(1.0), (2, 4)), DimensionsMismatchError, "CSRTensor: values"),
    (lambda: CSRTensor(P, Tensor(0), V, (2, 4)), DimensionsMismatchError, "CSRTensor: indices"),
    (lambda: CSRTensor(P, Tensor([[0, 1]]), V, (2, 4)), DimensionsMismatchError, "CSRTensor: indices"),
    (lambda: CSRTensor(Tensor(0), I, V, (2, 4)), DimensionsMismatchError, "CSRTensor: indptr"),
    (lambda: CSRTensor([0, 1, 2], I, V, (2, 4)), TypeMismatchError, "indptr is a Tensor, not list"),  # type: ignore[arg-type]
    (lambda: CSRTensor(P, I, np.ones(2), (2, 4)), TypeMismatchError, "values is a Tensor"),  # type: ignore[arg-type]
    (lambda: CSRTensor(P, I, Tensor(["a", "b"]), (2, 4)), TypeMismatchError, "CSRTensor: "),
    (lambda: CSRTensor(P, I, V, "ab"), TypeMismatchError, "CSRTensor: "),  # type: ignore[arg-type]
    (lambda: CSRTensor(gone(), I, V, (2, 4)), UninitializedObjectError, "CSRTensor: "),
    (lambda: CSRTensor(), InvalidArgumentError, "needs indptr and indices and values and shape"),
    (lambda: CSRTensor(P, I, V), InvalidArgumentError, "needs shape"),
    (lambda: CSRTensor(csr_tensor=A.to_coo()), TypeMismatchError, "COOTensor is not a CSRTensor"),  # type: ignore[arg-type]
    (lambda: CSRTensor(P, shape=(2, 4), csr_tensor=A), InvalidArgumentError, "has its own indptr and shape"),
    (lambda: CSRTensor(values=V, csr_tensor=CUBE), DimensionsMismatchError, "do not fit the shape"),
    # Members.
    (lambda: -A.astype("bool"), TypeMismatchError, "CSRTensor.__neg__: "),
    (lambda: CSRTensor(P, I, V, (2, 2**60)).to_dense(), AllocFailedError, "CSRTensor.to_dense: "),
    (lambda: A.astype("float3"), TypeMismatchError, "CSRTensor.astype: 'float3' is not an element type"),
    (lambda: A.add(I, V, V), TypeMismatchError, "CSRTensor.add: Tensor is not a CSRTensor"),  # type: ignore[arg-type]
    (lambda: A.add(A, "1", 1), TypeMismatchError, "CSRTensor.add: alpha is a Tensor or a number"),  # type: ignore[arg-type]
    (lambda: A.add(A, V, 1), DimensionsMismatchError, "CSRTensor.add: .* does not broadcast"),
    (lambda: A.add(CUBE, 1, 1), DimensionsMismatchError, "CSRTensor.add: shapes"),
    (lambda: A.mm(3), TypeMismatchError, "CSRTensor.mm: matrix is a Tensor or a CSRTensor, not int"),  # type: ignore[arg-type]
    (lambda: A.mm(V), DimensionsMismatchError, r"CSRTensor.mm: a tensor of shape \(2,\) is not a matrix"),
    (lambda: A.mm(A), DimensionsMismatchError, "CSRTensor.mm: shapes"),
    (lambda: A.mm(Tensor(np.ones((3, 2)))), DimensionsMismatchError, "CSRTensor.mm: "),
    (lambda: CUBE.mm(Tensor(np.ones((4, 2)))), DimensionsMismatchError, "is not a matrix"),
    (lambda: A.mv(Tensor(np.ones(4))), DimensionsMismatchError, r"CSRTensor.mv: .* not \(N, 1\)"),
    (lambda: A.mv(Tensor(np.ones((3, 1)))), DimensionsMismatchError, "CSRTensor.mv: "),
    (lambda: A.mv([[1]]), TypeMismatchError, "CSRTensor.mv: dense_vector is a Tensor"),  # type: ignore[arg-type]
    (lambda: A.sum(2), OutOfRangeError, r"CSRTensor.sum: axis 2 is outside \[-2, 2\)"),
    (lambda: A.sum(0.5), TypeMismatchError, "CSRTensor.sum: axis must be an integer"),  # type: ignore[arg-type]
    (lambda: A + 1, TypeMismatchError, "CSRTensor.__add__: int is not a CSRTensor"),
    (lambda: 1 + A, TypeMismatchError, "CSRTensor.__radd__: int is not a CSRTensor"),
    (lambda: V - A, TypeMismatchError, "CSRTensor.__rsub__: Tensor is not"),
    (lambda: V / A, TypeMismatchError, "CSRTensor.__rtruediv__"),
    (lambda: A - A.to_coo(), TypeMismatchError, "COOTensor is not a CSRTensor"),
    (lambda: A / A, TypeMismatchError, "CSRTensor.__truediv__"),
    (lambda: A * Tensor(np.ones((3, 3))), DimensionsMismatchError, "CSRTensor.__mul__: .* does not broadcast"),
    (lambda: A * [1], TypeMismatchError, "CSRTensor.__mul__: list is not a CSRTensor, a Tensor or a number"),
    (lambda: A + CUBE, DimensionsMismatchError, "CSRTensor.__add__: shapes"),
    (lambda: CSRTensor.of(V), TypeMismatchError, "Tensor is not a suanzi.SparseTensor"),  # type: ignore[arg-type]
    # Other classes.
    (lambda: COOTensor(I, V, (2, 4)), DimensionsMismatchError, "COOTensor: indices"),
    (lambda: COOTensor(Tensor([[0, 4]]), Tensor([1]), (2, 4)), OutOfRangeError, "COOTensor: index 4"),
    (lambda: COOTensor(Tensor([[0, 1]]), Tensor([[1]]), (2, 4)), DimensionsMismatchError, "not a vector"),
    (lambda: A.to_coo() + 1, TypeMismatchError, "COOTensor.__add__: int is not a COOTensor or a Tensor"),
    (lambda: A.to_coo() - A, TypeMismatchError, "COOTensor.__sub__: CSRTensor is not a COOTensor or a Tensor"),
    (lambda: A.to_coo() + Tensor(np.ones((3, 3))), DimensionsMismatchError, "COOTensor.__add__: "),
    (lambda: V / A.to_coo(), TypeMismatchError, "COOTensor.__rtruediv__"),
    (lambda: A.to_coo().add(A, 1), TypeMismatchError, "COOTensor.add: CSRTensor is not a COOTensor"),  # type: ignore[arg-type]
    (lambda: A.to_coo().add(A.to_coo(), "1"), TypeMismatchError, "thresh is a Tensor or a number, not str"),  # type: ignore[arg-type]
    (lambda: A.to_coo().add(A.to_coo(), V), DimensionsMismatchError, r"thresh of shape \(2,\) is not one number"),
    (lambda: A.to_coo().add(CUBE.to_coo(), 1), DimensionsMismatchError, "COOTensor.add: shapes"),
    (lambda: COOTensor(), InvalidArgumentError, "needs indices and values and shape"),
    (lambda: COOTensor(I, coo_tensor=A.to_coo()), InvalidArgumentError, "coo_tensor has its own indices"),
    (lambda: COOTensor(Tensor([[0]]), Tensor([1]), (4,)).to_csr(), DimensionsMismatchError, "COOTensor.to_csr: "),
    (lambda: Tensor("a", ms.float32), TypeMismatchError, "Tensor: "),
    (lambda: Tensor([1], "real"), TypeMismatchError, "Tensor: 'real' is not an element type"),
    (lambda: Tensor(object()), TypeMismatchError, "Tensor: "),
    (lambda: Tensor(A), TypeMismatchError, "Tensor: "),
    (lambda: Tensor([300], ms.int8), OutOfRangeError, "Tensor: "),
    (lambda: Tensor([1j]).astype(ms.int8), TypeMismatchError, "Tensor.astype: "),
]


@pytest.mark.parametrize("case", BAD, ids=lambda case: case[2])
def test_what_is_refused(case: tuple[Callable[[], Any], type[Exception], str]) -> None:
    call, error, text = case
    with pytest.raises(error, match=text) as caught:
        call()
    assert type(caught.value) in (error, getattr(error, "_of_attribute", error))


@given(st.lists(st.integers(-1, 4), max_size=4), st.lists(st.integers(-1, 4), max_size=4), st.integers(0, 3))
def test_random_structures_are_tensors_or_refused(indptr: list[int], indices: list[int], rows: int) -> None:
    def row(i: int) -> list[int]:
        return indices[indptr[i] : indptr[i + 1]]

    well_formed = (
        len(indptr) == rows + 1
        and indptr[0] == 0
        and indptr == sorted(indptr)
        and indptr[-1] == len(indices)
        and all(0 <= column < 3 for column in indices)
        and all(len(set(row(i))) == len(row(i)) for i in range(rows))
    )
    arguments = (Tensor(indptr, "int32"), Tensor(indices, "int16"), Tensor([1.0] * len(indices)), (rows, 3))
    status, made = suanzi.attempt(CSRTensor, *arguments)
    assert (status is suanzi.Status.STATUS_SUCCESS) == well_formed
    assert not isinstance(made, CSRTensor) or made.to_dense().asnumpy().sum() == len(indices)


# --- text


def test_text_of_tensors() -> None:
    assert repr(Tensor(np.int32([[1, -20], [3, 4]]))) == (
        "Tensor(shape=[2, 2], dtype=Int32, value=\n[[  1, -20],\n [  3,   4]])"
    )
    assert repr(Tensor(2.5)) == "Tensor(shape=[], dtype=Float32, value= 2.5)"
    assert repr(Tensor([True, False])) == "Tensor(shape=[2], dtype=Bool, value= [ True, False])"
    assert repr(Tensor([1.0], ms.float16)) == "Tensor(shape=[1], dtype=Float16, value= [ 1.0000e+00])"
    assert repr(Tensor([1.5], ms.bfloat16)) == "Tensor(shape=[1], dtype=BFloat16, value= [ 1.50000000e+00])"
    assert repr(Tensor([], ms.int32)) == "Tensor(shape=[0], dtype=Int32, value= )"
    assert "\n\n" not in repr(Tensor(np.ones((2, 2, 2))))
    assert repr(Tensor(np.arange(25))).endswith("23, \n 24])")
    assert "...," in repr(Tensor(np.ones((9, 9), np.int8)))


def test_text_of_strings() -> None:
    """The text of a tensor has quotes around each string, also around empty strings, as in MindSpore's tutorials."""
    assert repr(Tensor(["a", ""])) == "Tensor(shape=[2], dtype=String, value= ['a', ''])"
    assert repr(Tensor("")) == "Tensor(shape=[], dtype=String, value= '')"
    assert repr(Tensor([["a", ""], ["", "算"]])) == (
        "Tensor(shape=[2, 2], dtype=String, value=\n[['a', ''],\n ['', '算']])"
    )
    assert repr(Tensor([[""]] * 9)).count("''") == 6
    assert repr(Tensor([""] * 1001)).endswith("value= ['', '', '', ..., '', '', ''])")
    assert str(Tensor([["", "a"]])) == "[['' 'a']]"


def test_long_parts_are_left_out() -> None:
    a = csr(scipy.sparse.csr_array(np.eye(40, dtype=np.float32)))
    assert "values=Tensor(shape=[40], dtype=Float32, value=[...]))" in repr(a)


def test_a_tensor_is_exchanged() -> None:
    x = Tensor(suanzi.tensor([[1, 2], [3, 4]], dtype="int16"))
    assert (x.dtype, x.shape, x.ndim, x.size, x.itemsize) == (ms.int16, (2, 2), 2, 4, 2)
    np.testing.assert_array_equal(np.asarray(x), [[1, 2], [3, 4]])
    np.testing.assert_array_equal(Tensor(x[1]).asnumpy(), [3, 4])
    np.testing.assert_array_equal((x @ x - 1 + np.int16(2) * x).asnumpy(), [[8, 13], [20, 29]])
    assert (len(x), float(x[0, 1]), int(x[1, 0]), bool(x[0, 0]), x[x > 3].item()) == (2, 2.0, 3, True, 4)
    np.testing.assert_array_equal((-x).abs().asnumpy(), x.asnumpy())
