"""The types that checkers infer for public functions. mypy reads this file (see .ci/run), and pytest checks the values.

`assert_type` does nothing at run time, so other assertions check the values.
"""

from __future__ import annotations

from typing import assert_type

import pytest

import suanzi
from suanzi import Tensor, TopK
from suanzi.operators.linalg.factorisations import LUResult, PackedLUResult, QRResult, SVDResult
from suanzi.operators.linalg.solvers import SlogdetResult

pytestmark = pytest.mark.one_level

X = suanzi.tensor([[2.0, 1.0], [1.0, 3.0]])


def flag() -> bool:
    """Return a bool whose value a type checker cannot infer."""
    return bool(X.ndim)


def test_unique() -> None:
    values = suanzi.unique(X)
    assert_type(values, Tensor)
    assert values.shape == (3,)
    assert_type(suanzi.unique(X, axis=0), Tensor)
    assert_type(suanzi.unique(X, return_index=False), Tensor)
    more = suanzi.unique(X, return_inverse=True)
    assert_type(more, tuple[Tensor, ...])
    assert len(more) == 2
    assert_type(suanzi.unique(X, return_index=True, return_counts=flag()), tuple[Tensor, ...])
    assert_type(suanzi.unique(X, return_counts=True, axis=0), tuple[Tensor, ...])
    assert_type(suanzi.unique(X, return_index=flag()), Tensor | tuple[Tensor, ...])


def test_nonzero() -> None:
    assert_type(suanzi.nonzero(X), tuple[Tensor, ...])
    assert_type(suanzi.nonzero(X, as_tuple=True), tuple[Tensor, ...])
    assert_type(suanzi.nonzero(X, as_tuple=flag()), tuple[Tensor, ...] | Tensor)
    table = suanzi.nonzero(X, as_tuple=False)
    assert_type(table, Tensor)
    assert table.shape == (4, 2)
    assert_type(X.nonzero(as_tuple=False), Tensor)
    assert_type(X.nonzero(), tuple[Tensor, ...])


def test_item() -> None:
    number = suanzi.sum(X).item()
    assert isinstance(number, float)
    plain: float = suanzi.sum(X).item()  # programs may declare the result as a float
    assert plain == number
    assert isinstance(suanzi.tensor(["a"]).item(), str)
    assert isinstance(suanzi.tensor(1j).item(), complex)
    assert_type(float(X[0, 0]), float)
    assert_type(int(X[0, 0]), int)


def test_strides() -> None:
    assert_type(X.strides, tuple[int, ...])
    assert_type(X.stride(), tuple[int, ...])
    assert_type(X.stride(0), int)
    assert (X.strides, X.stride(), X.stride(0)) == ((8, 4), (2, 1), 2)


def test_results_of_several_parts() -> None:
    assert_type(suanzi.topk(X, k=1), TopK)
    assert_type(X.topk(1).indices, Tensor)
    assert_type(suanzi.lu(X), LUResult)
    assert_type(suanzi.lu(X, packed=True), PackedLUResult)
    assert_type(suanzi.lu(X, packed=flag()), LUResult | PackedLUResult)
    assert_type(suanzi.qr(X, mode="complete"), QRResult)
    assert_type(suanzi.svd(X, full_matrices=False), SVDResult)
    assert_type(suanzi.slogdet(X), SlogdetResult)
    assert_type(suanzi.split(X, 2), tuple[Tensor, ...])
    assert_type(suanzi.allclose(X, X), bool)


def test_options_by_keyword() -> None:
    assert_type(X.reshape(shape=(4,)), Tensor)
    assert_type(X.reshape(2, 2), Tensor)
    assert_type(X.transpose(axes=(1, 0)), Tensor)
    assert_type(X.transpose(), Tensor)
    assert_type(X.expand(shape=(2, -1, 2)), Tensor)
    assert_type(suanzi.astype(X, dtype="float64"), Tensor)
    assert_type(suanzi.linear(X, X, bias=0.5), Tensor)
    assert_type(suanzi.searchsorted(X[0], 2.5), Tensor)
    assert_type(suanzi.matrix_rank(X, rtol=suanzi.tensor(0.5)), Tensor)
    assert X.reshape(shape=(4,)).shape == (4,)
