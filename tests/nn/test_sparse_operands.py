"""Operators of `suanzi.nn` return the same results for sparse tensors as NumPy for the equal dense arrays."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

import suanzi
from samples import fails
from suanzi import DimensionsMismatchError, SparseTensor, Tensor, TypeMismatchError, nn

pytestmark = pytest.mark.one_level

RNG = np.random.default_rng(5)


def drawn(rows: int, columns: int) -> Any:
    """Draw small whole numbers, of which most are 0. Sums of the numbers are exact."""
    return (RNG.integers(-4, 5, (rows, columns)) * (RNG.random((rows, columns)) < 0.4)).astype(np.float32)


@pytest.mark.parametrize("form", ["coo", "csr"])
def test_relu(form: Any) -> None:
    array = drawn(6, 5)
    found = nn.relu(suanzi.to_sparse(suanzi.tensor(array), form))
    assert isinstance(found, SparseTensor)
    assert found.format == form
    np.testing.assert_array_equal(found.to_dense().numpy(), np.maximum(array, 0))


@pytest.mark.parametrize("form", ["coo", "csr"])
def test_linear(form: Any) -> None:
    x, weight, bias = drawn(6, 5), drawn(4, 5), suanzi.tensor([1.0, 2.0, 3.0, 4.0])
    dense = suanzi.tensor(x), suanzi.tensor(weight)
    sparse = suanzi.to_sparse(dense[0], form), suanzi.to_sparse(dense[1], form)
    for first, second in ((sparse[0], dense[1]), (dense[0], sparse[1])):
        found = suanzi.linear(first, second)
        assert type(found) is Tensor
        np.testing.assert_array_equal(found.numpy(), x @ weight.T)
        np.testing.assert_array_equal(suanzi.linear(first, second, bias).numpy(), x @ weight.T + bias.numpy())
    both = suanzi.linear(*sparse)
    assert isinstance(both, SparseTensor)
    np.testing.assert_array_equal(both.to_dense().numpy(), x @ weight.T)
    with fails(TypeMismatchError, "linear"):
        suanzi.linear(*sparse, bias)


def test_refused() -> None:
    x, weight = suanzi.to_sparse(suanzi.ones((2, 3))), suanzi.ones((4, 3))
    wrong: Any
    for wrong in (3, None, "a", suanzi.quantize(weight, 0.5, dtype="qint8")):
        with fails(TypeMismatchError, "linear"):
            suanzi.linear(x, wrong)
    with fails(TypeMismatchError, "linear"):
        suanzi.linear(x, weight, x)
    for shape in ((3,), (2, 4), (2, 2, 3)):
        with fails(DimensionsMismatchError, "linear"):
            suanzi.linear(x, suanzi.ones(shape))
    with fails(DimensionsMismatchError, "linear"):
        suanzi.linear(suanzi.ones((2, 2, 3)), x)


@pytest.mark.parametrize("name", [name for name in nn.__all__ if name != "relu"])
def test_what_takes_no_sparse_operand_says_what_to_do(name: str) -> None:
    """The error recommends `to_dense()`, whichever operand is sparse."""
    function, x = getattr(nn, name), suanzi.to_sparse(suanzi.ones((2, 3)))
    options: dict[str, Any] = {"norm_type": 2, "kernel_size": 2, "output_size": 2, "normalized_shape": 3}
    options |= {"num_groups": 1, "size": 3, "upscale_factor": 1, "downscale_factor": 1}
    needed = [p for p in inspect.signature(function).parameters.values() if p.default is p.empty]
    with pytest.raises(TypeMismatchError, match=r"SparseTensor is not a tensor; use x\.to_dense\(\)"):
        function(*(options.get(p.name, x) for p in needed))
