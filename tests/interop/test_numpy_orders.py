"""`reshape` and `ravel` with the keyword `order` return the same results as in NumPy, for many memory layouts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import suanzi
from samples import fails
from suanzi import DimensionsMismatchError, InvalidArgumentError

A = np.arange(6.0).reshape(2, 3)
X = suanzi.tensor(A)
LAYOUTS = {
    "rows": lambda a: a,
    "columns": lambda a: a.T,
    "every other": lambda a: a[:, ::2],
    "another order": lambda a: a.transpose(1, 0, 2),
    "backwards": lambda a: a[::-1],
    "a row": lambda a: a[0, 0],
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("order", ["C", "F", "A"])
def test_orders_of_reshape(layout: str, order: Any) -> None:
    a = LAYOUTS[layout](np.arange(48).reshape(2, 6, 4))
    x = suanzi.from_reference(a)
    expected = a.reshape((-1, 2), order=order).tolist()
    for found in (
        x.reshape((-1, 2), order=order),
        x.reshape(-1, 2, order=order),
        x.reshape(order=order, shape=(-1, 2)),
        np.reshape(x, (-1, 2), order=order),
    ):
        assert found.tolist() == expected
    assert x.reshape(-1, order=order).shape == (x.size,)


def test_orders_of_reshape_that_there_are_not() -> None:
    for wrong in ("K", 1, None):
        with fails(InvalidArgumentError, "reshape"):
            X.reshape((3, 2), order=wrong)  # type: ignore[call-overload]
    with pytest.raises(DimensionsMismatchError, match=r"^reshape: shape \(4, 2\) does not hold"):
        X.reshape(4, 2, order="F")
    with pytest.raises(TypeError, match="unexpected keyword argument 'ordre'"):
        X.reshape((3, 2), ordre="F")  # type: ignore[call-overload]


def test_orders_of_reshape_of_other_kinds() -> None:
    sparse = suanzi.to_sparse(suanzi.tensor([[0.0, 1.0], [2.0, 0.0], [0.0, 3.0]]))
    expected = sparse.to_dense().reshape(2, 3, order="F").tolist()
    assert sparse.reshape(2, 3, order="F").to_dense().tolist() == expected
    assert sparse.reshape((2, 3), order="F").to_dense().tolist() == expected
    assert (
        suanzi.fuse(lambda x: (x + 1).reshape(3, -1, order="F"))(X).tolist()
        == (A + 1).reshape(3, -1, order="F").tolist()
    )
    with fails(InvalidArgumentError, "reshape"):
        sparse.reshape((2, 3), order="A")


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("order", ["C", "F", "A", "K"])
def test_orders_of_ravel(layout: str, order: Any) -> None:
    a = LAYOUTS[layout](np.arange(48).reshape(2, 6, 4))
    x = suanzi.from_reference(a)
    assert np.ravel(x, order=order).tolist() == x.ravel(order=order).tolist() == a.ravel(order=order).tolist()
    with fails(InvalidArgumentError, "ravel"):
        X.ravel("B")
