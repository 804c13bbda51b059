"""Sparse tensors from coordinates, compressed rows, dense tensors and SciPy's arrays (7.2.1.14)."""

from __future__ import annotations

from typing import Any

import numpy as np

from suanzi import _core
from suanzi._core import Tensor
from suanzi.operators.arguments import DeviceLike, Shape
from suanzi.operators.creation.data import tensor
from suanzi.operators.creation.initialisers import copied
from suanzi.operators.registry import operator
from suanzi.operators.scratch import ndim, size, wide
from suanzi.sparse.tensor import FORMATS, SparseTensor, make
from suanzi.tensor.device import beside
from suanzi.tensor.dtypes import DTypeLike, as_dtype, int64
from suanzi.tensor.exchange import elements, source
from suanzi.tensor.layout import Layout
from suanzi.tensor.messages import shown
from suanzi.tensor.options import choice_of
from suanzi.tensor.status import DimensionsMismatchError, InvalidArgumentError, TypeMismatchError


@operator(
    "",
    ("TYPE_MISMATCH", "DIMENSIONS_MISMATCH", "INVALID_ARGUMENT", "OUT_OF_RANGE"),
    scratch=16 * size("indices") + 2 * wide("values"),
    family="creation",
)
def sparse_tensor(
    shape: Shape,
    indices: Any,
    values: Any,
    nnz: int | None = None,
    *,
    indptr: Any = None,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
    layout: Layout | None = None,
) -> SparseTensor:
    """A sparse tensor of coordinates and values (创建稀疏张量).

    The function copies all data. Elements may be in any order. Elements with the same coordinates are summed.

    Parameters
    ----------
    shape : int or sequence of int
        The sizes of the dimensions that have coordinates.
    indices : array_like
        The coordinates of the elements, counted from 0: integers of shape (nnz, number of dimensions). If `indptr` is
        given, `indices` of shape (nnz,) contains the column of each element. The attribute `indices` of the result
        keeps the type int16 or int32 if this type can hold all indices. Otherwise the attribute has the type int64.
    values : array_like
        The values of the elements, of shape (nnz,). If the shape is (nnz, …), each element is a block, and the tensor
        has the further dimensions of the block.
    nnz : int, optional
        The number of elements, by default the size of the first axis of `indices`.
    indptr : array_like, optional
        The row pointers of compressed rows, for a tensor of two dimensions: the position of the first element of each
        row in `indices`, then the count of all elements. `indptr` has one entry more than the tensor has rows.
    dtype : DType, optional
        The element type, by default the type of the result of ``tensor(values)``.
    device : Device, optional
        The device of the tensor, by default the CPU unless `set_default_device` sets another device.
    layout : Layout, optional
        A sparse layout, whose order names all dimensions. The tensor keeps the order, and `to_dense` returns a tensor
        of the same order.

    Returns
    -------
    SparseTensor
        A sparse tensor of the format ``"csr"`` if `indptr` is given, else ``"coo"``.

    Examples
    --------
    >>> import suanzi
    >>> x = suanzi.sparse_tensor((2, 3), [[0, 0], [1, 2]], [1.0, 2.0])
    >>> print(x.to_dense())
    [[1. 0. 0.]
     [0. 0. 2.]]
    >>> print(x @ suanzi.ones(3))
    [1. 2.]
    >>> suanzi.sparse_tensor((2, 3), [0, 2], [1.0, 2.0], indptr=[0, 1, 2]).format
    'csr'
    """
    name = "sparse_tensor"
    if layout is not None and (not isinstance(layout, Layout) or layout.storage != "sparse"):
        raise InvalidArgumentError(f"{name}: layout {shown(layout)} is not sparse")
    order = None if layout is None else layout.order
    sizes = _core.read_shape(name, shape, 0)
    places = integers_of(indices, (0, len(sizes)) if indptr is None else (0,), name)
    pointers = None if indptr is None else integers_of(indptr, (0,), name)
    if nnz is not None and (places.ndim == 0 or _core.read_integer(name, "nnz", nnz) != places.shape[0]):
        raise DimensionsMismatchError(f"{name}: nnz {shown(nnz)} does not fit indices of shape {places.shape}")
    numbers = elements_of(values, dtype, name)
    rank = len(sizes) + numbers.ndim - 1
    if rank > _core.max_rank:
        raise InvalidArgumentError(f"{name}: {rank} dimensions are more than the {_core.max_rank} supported")
    if order is not None and numbers.ndim > 0 and len(order) != rank:
        raise InvalidArgumentError(f"{name}: order {order} does not name {rank} dimensions")
    places, pointers, numbers = _together((places, indices), (pointers, indptr), (numbers, values))
    made = make(sizes, pointers, places, numbers, order)
    return made if device is None else made.to_device(device)


def _together(*parts: tuple[Tensor | None, Any]) -> Any:
    """Return the tensors of `parts`.

    Each part is a pair: a tensor or None, and the object from which the tensor was made. If a tensor is on a device
    other than the CPU, every tensor that was made from another object moves to the device. A tensor that the caller
    passed does not move.
    """
    there = next((x.device for x, _ in parts if x is not None and beside(x) is not None), None)
    if there is None:
        return [x for x, _ in parts]
    return [x if x is None or x is data else x.to_device(there) for x, data in parts]


def elements_of(data: Any, dtype: DTypeLike | None, name: str) -> Tensor:
    """Return `data` as a tensor of the type `dtype`, by default of the type of `data`, without a copy if possible."""
    if isinstance(data, Tensor):
        return data if dtype is None else tensor(data, dtype=dtype)
    values, wanted, ours = elements(data, None if dtype is None else as_dtype(dtype, name), name)
    return values if ours or values.dtype is wanted else copied(name, values, wanted, None)


def integers_of(data: Any, empty: tuple[int, ...], name: str) -> Tensor:
    """Return indices as a tensor. An empty list has no element type, and becomes int64 with the shape `empty`."""
    if isinstance(data, SparseTensor):
        raise TypeMismatchError(f"{name}: indices are a dense tensor, not a SparseTensor")
    values, typed = source(data, name)
    return values if typed or values.size else _core.allocate(name, empty, int64, None, False)


@operator(
    "BIFC",
    ("TYPE_MISMATCH", "DIMENSIONS_MISMATCH", "INVALID_ARGUMENT"),
    of="sparse_tensor",
    scratch=(8 * ndim("x") + 1) * size("x") + 2 * wide("x"),
    family="conversion",
)
def to_sparse(x: Any, /, format: str | None = None) -> SparseTensor:
    """A sparse tensor of the nonzero elements of a tensor (part of 创建稀疏张量).

    Parameters
    ----------
    x : Tensor, SparseTensor or sparse array of SciPy
        The tensor. A dense tensor must have at least one dimension.
    format : {"coo", "csr"}, optional
        The storage format of the result. By default sparse tensors, and SciPy's arrays in one of the two formats, keep
        their format. Other arrays and dense tensors become ``"coo"``.

    Returns
    -------
    SparseTensor
        A new tensor, or `x` itself if `x` is a sparse tensor of the requested format.

    Examples
    --------
    >>> import suanzi
    >>> suanzi.to_sparse(suanzi.tensor([[0.0, 5.0], [0.0, 0.0]]), "csr")
    SparseTensor(shape=(2, 2), dtype=float32, nnz=1, format='csr',
      indptr=[0, 1, 1],
      indices=[1],
      values=[5.])
    """
    if format is not None:
        choice_of(format, FORMATS, "format", "to_sparse")
    if isinstance(x, Tensor):
        result = SparseTensor._of(*_core.sparse_from_dense(_core.read_tensor("to_sparse", x)))
    elif isinstance(x, SparseTensor):
        _ = x.pattern  # the access raises an error if x is destroyed
        result = x
    elif hasattr(x, "tocoo") and hasattr(x, "nnz"):
        result = _from_scipy(x)
    else:
        raise TypeMismatchError(f"to_sparse: {type(x).__name__} is not a tensor")
    return result if format is None else result.to_format(format)


def _from_scipy(x: Any) -> SparseTensor:
    if x.format == "csr" and x.ndim == 2:
        return make(x.shape, tensor(x.indptr), tensor(x.indices), tensor(x.data))
    coordinates = x.tocoo()
    axes = getattr(coordinates, "coords", None) or (coordinates.row, coordinates.col)
    return make(x.shape, None, tensor(np.stack(axes, axis=1)), tensor(coordinates.data))
