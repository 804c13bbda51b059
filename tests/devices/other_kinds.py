"""Helpers of the device tests for sparse and quantized tensors: operands, and comparisons of results."""

from __future__ import annotations

from typing import Any

import numpy as np
from placing import GPU, assert_same, outcome, sz

from suanzi import Tensor
from suanzi.quantized import QuantizedTensor
from suanzi.sparse import SparseTensor


def moved(x: Any) -> Any:
    """Return arguments with all dense, sparse and quantized tensors moved to the device."""
    if isinstance(x, (Tensor, SparseTensor, QuantizedTensor)):
        return x.to_device(GPU)
    if isinstance(x, (list, tuple)) and not hasattr(x, "_fields"):
        return type(x)(map(moved, x))
    return x


def parts_of(x: Any) -> Any:
    """Return a result in a form that can be compared: the attributes, and the dense tensors on the CPU."""
    if isinstance(x, SparseTensor):
        assert x.values.device == x.indices.device == x.device
        facts = (x.shape, x.dtype, x.format, x.nnz, x.is_coalesced, x.layout)
        indptr = parts_of(x.indptr) if x.format == "csr" else None
        return ("sparse", *facts, indptr, parts_of(x.indices), parts_of(x.values))
    if isinstance(x, QuantizedTensor):
        assert x.codes.device == x.scale.device == x.device
        return ("quantized", x.dtype, x.zero_point, x.axis, parts_of(x.scale), parts_of(x.codes), x.layout)
    if isinstance(x, Tensor):
        return x.to_device("cpu")
    if isinstance(x, (list, tuple)):
        return [parts_of(item) for item in x]
    return x


def places_of(x: Any) -> set[Any]:
    """Return the names of the devices of all tensors in a result."""
    if isinstance(x, (Tensor, SparseTensor, QuantizedTensor)):
        return {str(x.device)}
    return set().union(*map(places_of, x)) if isinstance(x, (list, tuple)) else set()


def assert_alike(function: Any, *operands: Any, ulp: float | None = None) -> None:
    """Check that a call has the same results, or the same error, on the device as on the CPU."""
    there = moved(list(operands))
    found = outcome(lambda: function(*there))
    expected = outcome(lambda: function(*operands))
    assert places_of(found) <= {GPU}
    assert bool(places_of(found)) == bool(places_of(expected)), (found, expected)
    assert_same(parts_of(found), parts_of(expected), ulp)


def sparse_operand(
    rng: np.random.Generator, name: str, kind: str = "coo", shape: tuple[int, ...] = (5, 7), nnz: int = 12
) -> Any:
    """Make a sparse tensor of a kind.

    The kind "coo" stores random coordinates, which may repeat, in any order. "sorted" is the coalesced form of "coo",
    and "csr" is the form with compressed rows (for two dimensions). "rows" has compressed rows with random columns,
    which may repeat, in any order. "empty" stores no elements, and the elements of "block" are blocks of two numbers.
    """
    dtype = sz.as_dtype(name)
    nnz = 0 if kind == "empty" else nnz
    block = (2,) if kind == "block" else ()
    numbers = rng.integers(-4, 5, (nnz, *block))
    if name == "bool":
        numbers = numbers > 0
    elif dtype.name.startswith("uint"):
        numbers = abs(numbers)
    values = numbers.astype(dtype.numpy if name != "bfloat16" else "float32")
    if name.startswith("complex"):
        values = values + 1j * rng.integers(-3, 4, values.shape)
    values = sz.tensor(values, dtype=name)
    places = (rng.random((nnz, len(shape))) * shape).astype(np.int32)
    if kind == "rows":
        starts = np.sort(rng.integers(0, nnz + 1, shape[0] + 1)).astype(np.int32)
        starts[0], starts[-1] = 0, nnz
        return sz.sparse_tensor(shape, places[:, 1], values, indptr=starts)
    x = sz.sparse_tensor(shape, places, values)
    return {"sorted": x.coalesce, "csr": lambda: x.to_csr() if len(shape) == 2 else x}.get(kind, lambda: x)()
