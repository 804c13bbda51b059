"""MindSpore's CSRTensor and COOTensor: a suanzi.SparseTensor of compressed rows, or of coordinates."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from suanzi import _core
from suanzi.interop.called import called
from suanzi.interop.mindspore.common.printing import abbreviated
from suanzi.interop.mindspore.common.sparse_base import Sparse
from suanzi.interop.mindspore.common.structure import (
    check_columns,
    copy_of,
    index_tensor,
    refuse_beside,
    require_all,
    sizes_of,
)
from suanzi.interop.mindspore.common.tensor import NUMBERS, Number, Tensor, tensor_of
from suanzi.operators import arithmetic
from suanzi.operators.comparison import greater_equal
from suanzi.operators.creation.sparse import sparse_tensor
from suanzi.operators.index.search import nonzero
from suanzi.operators.linalg.products import matmul
from suanzi.operators.reduction.folds import sum
from suanzi.operators.transform.gathering import index_select
from suanzi.tensor.status import DimensionsMismatchError, OutOfRangeError, TypeMismatchError


class CSRTensor(Sparse):
    """A sparse tensor of compressed rows (行压缩稀疏张量).

    The stored elements of row i have the positions from ``indptr[i]`` to ``indptr[i + 1] - 1`` among all stored
    elements. `indices` contains the columns of the elements, and `values` contains the values of the elements. A call
    passes either `indptr`, `indices`, `values` and `shape`, or a `csr_tensor` to copy. The CSRTensor copies all data.

    ``+`` and ``-`` accept a CSRTensor of the same shape. ``*`` and ``/`` accept a number or a Tensor that broadcasts to
    the shape. ``*`` also accepts a CSRTensor. Unstored elements stay zero, even in a division by zero.

    Parameters
    ----------
    indptr : Tensor
        int16, int32 or int64, of shape (rows + 1,). The first number is 0, the last number is the number of stored
        elements, and no number is less than the number before.
    indices : Tensor
        int16, int32 or int64, of shape (stored elements,): the columns of the elements. A row has each column at most
        once.
    values : Tensor
        A tensor of shape (stored elements, …). Dimensions after the first make each element a block, and are the
        feature dimensions of the tensor. With a `csr_tensor`, `values` replaces the values of `csr_tensor`.
    shape : tuple of int
        (rows, columns, feature dimensions …).
    csr_tensor : CSRTensor
        A tensor to copy.

    Raises
    ------
    TypeMismatchError
        An argument is not a Tensor, or not of the stated integer types. `csr_tensor` is not a CSRTensor.
    DimensionsMismatchError
        `indptr` does not have rows + 1 elements, or `values` and `indices` have different numbers of elements. The
        error is also raised if the feature dimensions of `values` differ from the feature dimensions of `shape` or of
        `csr_tensor`.
    InvalidArgumentError
        `indptr` does not start at 0, falls, or does not end at the number of `indices`. A row names a column twice, in
        which case the message names the row. An argument is missing, or is given together with `csr_tensor`.
    OutOfRangeError
        A column is outside the shape.

    Examples
    --------
    >>> import suanzi.interop.mindspore as ms
    >>> from suanzi.interop.mindspore import Tensor, CSRTensor
    >>> rows, columns = Tensor([0, 1, 1, 4], ms.int32), Tensor([3, 0, 1, 3], ms.int32)
    >>> a = CSRTensor(rows, columns, Tensor([7, 8, 9, -1], ms.float32), (3, 4))
    >>> print(a.to_dense())
    [[ 0.  0.  0.  7.]
     [ 0.  0.  0.  0.]
     [ 8.  9.  0. -1.]]
    >>> print((a * 2 - a).values)
    [ 7.  8.  9. -1.]
    """

    __slots__ = ()

    _format = "csr"

    def __init__(
        self,
        indptr: Tensor | None = None,
        indices: Tensor | None = None,
        values: Tensor | None = None,
        shape: tuple[int, ...] | None = None,
        csr_tensor: CSRTensor | None = None,
    ) -> None:
        name = "CSRTensor"
        parts = {"indptr": indptr, "indices": indices, "values": values, "shape": shape}
        with called(name):
            if csr_tensor is not None:
                refuse_beside("csr_tensor", {**parts, "values": None}, name)
                self._data = copy_of(self.same(csr_tensor, name), values, name)
                return
            require_all(parts, name)
            starts, columns = index_tensor(indptr, "indptr", name), index_tensor(indices, "indices", name)
            numbers = tensor_of(values, "values", name)
            sizes = sizes_of(shape, 2, numbers, name)
            self._data = sparse_tensor(sizes[:2], columns, numbers, indptr=starts)
            check_columns(self._data, name)

    @property
    def indptr(self) -> Tensor:
        """A copy of the position of each row's first stored element, and of the number of elements (行偏移量)."""
        return Tensor.of(self._data.indptr)

    def add(self, b: CSRTensor, alpha: Tensor | Number, beta: Tensor | Number) -> CSRTensor:
        """Return ``alpha * self + beta * b`` (两个CSRTensor求和).

        Parameters
        ----------
        b : CSRTensor
            The second summand, of the same shape.
        alpha, beta : Tensor or number
            The factors, which broadcast to the shape.

        Returns
        -------
        CSRTensor
            A tensor with an element at each place where at least one operand has an element.

        Raises
        ------
        TypeMismatchError
            `b` is not a CSRTensor, or `alpha` or `beta` is neither a Tensor nor a number.
        DimensionsMismatchError
            The shapes differ, or `alpha` or `beta` does not broadcast.

        Examples
        --------
        >>> a = CSRTensor(Tensor([0, 1, 3]), Tensor([2, 0, 2]), Tensor([4.0, 5.0, 6.0]), (2, 3))
        >>> print(a.add(a, Tensor(2.0), Tensor(1.0)))
        CSRTensor(shape=[2, 3], dtype=Float32,
                  indptr=Tensor(shape=[3], dtype=Int64, value=[0 1 3]),
                  indices=Tensor(shape=[3], dtype=Int64, value=[2 0 2]),
                  values=Tensor(shape=[3], dtype=Float32, value=[ 1.20000000e+01  1.50000000e+01  1.80000000e+01]))
        """
        name = "CSRTensor.add"
        self.same(b, name)
        for what, factor in (("alpha", alpha), ("beta", beta)):
            if not isinstance(factor, (Tensor, *NUMBERS)):
                raise TypeMismatchError(f"{name}: {what} is a Tensor or a number, not {type(factor).__name__}")
        with called(name):
            total: Any = arithmetic.add((self * alpha).to_suanzi(), (b * beta).to_suanzi())
            return self.of(total)

    def mm(self, matrix: Tensor | CSRTensor) -> Tensor | CSRTensor:
        """Return the product with a matrix (右乘稀疏矩阵或稠密矩阵).

        Parameters
        ----------
        matrix : Tensor or CSRTensor
            A tensor of shape (N, K), if this CSRTensor has the shape (M, N).

        Returns
        -------
        Tensor or CSRTensor
            A tensor of shape (M, K), and of the class of `matrix`.

        Raises
        ------
        TypeMismatchError
            `matrix` is neither a Tensor nor a CSRTensor.
        DimensionsMismatchError
            An operand does not have two dimensions, or the shapes do not fit.

        Examples
        --------
        >>> a = CSRTensor(Tensor([0, 1, 3]), Tensor([2, 0, 2]), Tensor([4.0, 5.0, 6.0]), (2, 3))
        >>> print(a.mm(Tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])))
        [[20. 24.]
         [35. 46.]]
        """
        name = "CSRTensor.mm"
        if not isinstance(matrix, (Tensor, CSRTensor)):
            raise TypeMismatchError(f"{name}: matrix is a Tensor or a CSRTensor, not {type(matrix).__name__}")
        return matrix.of(self._times(matrix.to_suanzi(), name))

    def mv(self, dense_vector: Tensor) -> Tensor:
        """Return the product with a column vector (右乘稠密向量).

        Parameters
        ----------
        dense_vector : Tensor
            A tensor of shape (N, 1), if this CSRTensor has the shape (M, N).

        Returns
        -------
        Tensor
            A tensor of shape (M, 1).

        Raises
        ------
        TypeMismatchError
            `dense_vector` is not a Tensor.
        DimensionsMismatchError
            The shape of `dense_vector` is not (N, 1).

        Examples
        --------
        >>> a = CSRTensor(Tensor([0, 1, 3]), Tensor([2, 0, 2]), Tensor([4.0, 5.0, 6.0]), (2, 3))
        >>> print(a.mv(Tensor([[1.0], [2.0], [3.0]])))
        [[12.]
         [23.]]
        """
        vector = tensor_of(dense_vector, "dense_vector", "CSRTensor.mv")
        if vector.shape[1:] != (1,):
            raise DimensionsMismatchError(f"CSRTensor.mv: dense_vector of shape {vector.shape}, not (N, 1)")
        return Tensor.of(self._times(vector, "CSRTensor.mv"))

    def _times(self, matrix: Any, operator: str) -> Any:
        for shape in (self.shape, matrix.shape):
            if len(shape) != 2:
                raise DimensionsMismatchError(f"{operator}: a tensor of shape {shape} is not a matrix")
        with called(operator):
            return matmul(self._data, matrix)  # type: ignore[arg-type]

    def sum(self, axis: int) -> Tensor:
        """Return the sums along an axis (对某个轴求和).

        Parameters
        ----------
        axis : int
            The axis, in ``[-ndim, ndim)``.

        Returns
        -------
        Tensor
            A tensor of the type of the values, and of size 1 along `axis`.

        Raises
        ------
        TypeMismatchError
            `axis` is not an integer.
        OutOfRangeError
            `axis` is not an axis of the tensor.

        Examples
        --------
        >>> a = CSRTensor(Tensor([0, 1, 3]), Tensor([2, 0, 2]), Tensor([4.0, 5.0, 6.0]), (2, 3))
        >>> print(a.sum(1))
        [[ 4.]
         [11.]]
        """
        number = _core.read_integer("CSRTensor.sum", "axis", axis)
        if not -self.ndim <= number < self.ndim:
            raise OutOfRangeError(f"CSRTensor.sum: axis {number} is outside [{-self.ndim}, {self.ndim})")
        with called("CSRTensor.sum"):
            x: Any = self._data
            return Tensor.of(sum(x, axis=number, keepdims=True, dtype=x.dtype))

    def to_coo(self) -> COOTensor:
        """Return the tensor as a COOTensor (转换为COOTensor).

        Examples
        --------
        >>> a = CSRTensor(Tensor([0, 1, 3]), Tensor([2, 0, 2]), Tensor([4.0, 5.0, 6.0]), (2, 3))
        >>> print(a.to_coo().indices)
        [[0 2]
         [1 0]
         [1 2]]
        """
        return COOTensor.of(self._data)

    def to_tuple(self) -> tuple[Tensor, Tensor, Tensor, tuple[int, ...]]:
        """Return `indptr`, `indices`, `values` and `shape`.

        Examples
        --------
        >>> CSRTensor(Tensor([0, 1]), Tensor([2]), Tensor([7]), (1, 4)).to_tuple()[2:]
        (Tensor(shape=[1], dtype=Int64, value= [7]), (1, 4))
        """
        return self.indptr, self.indices, self.values, self.shape

    def __repr__(self) -> str:
        names = ("indptr", "indices", "values")
        parts = (f"{name}={abbreviated(getattr(self._data, name))}" for name in names)
        return (
            f"CSRTensor(shape={list(self.shape)}, dtype={self.dtype},\n          " + ",\n          ".join(parts) + ")"
        )


def _beside_dense(name: str, function: Callable[[Any, Any], Any], reflected: bool = False) -> Callable[[Any, Any], Any]:
    """Make an operator on a COOTensor and a second operand, a COOTensor or a Tensor. The result has the class of the
    second operand.
    """

    def method(self: COOTensor, other: Any) -> Any:
        operator = f"COOTensor.{name}"
        if not isinstance(other, (Tensor, COOTensor)):
            raise TypeMismatchError(f"{operator}: {type(other).__name__} is not a COOTensor or a Tensor")
        own, its = self.to_suanzi(), other.to_suanzi()
        with called(operator):
            return other.of(function(its, own) if reflected else function(own, its))

    return method


class COOTensor(Sparse):
    """A sparse tensor of coordinates (坐标稀疏张量).

    ``+`` and ``-`` accept a COOTensor of the same shape, or a Tensor, in which case the result is a Tensor. ``*`` and
    ``/`` accept a number or a Tensor that broadcasts to the shape. ``*`` also accepts a COOTensor. Unstored elements
    stay zero.

    Parameters
    ----------
    indices : Tensor
        int16, int32 or int64, of shape (stored elements, dimensions): a row of coordinates for each element. Elements
        with equal coordinates add up.
    values : Tensor
        A tensor of shape (stored elements,).
    shape : tuple of int
        The sizes of the dimensions.
    coo_tensor : COOTensor
        A tensor to copy, in place of the other arguments.

    Raises
    ------
    TypeMismatchError
        `indices` or `values` is not a Tensor, or `indices` does not have one of the stated types. `coo_tensor` is not a
        COOTensor.
    DimensionsMismatchError
        The shape of `indices` is not (stored elements, dimensions), or the shape of `values` is not (stored elements,).
    InvalidArgumentError
        An argument is missing, or is given together with `coo_tensor`. A size in `shape` is negative.
    OutOfRangeError
        A coordinate is outside the shape.

    Examples
    --------
    >>> from suanzi.interop.mindspore import COOTensor, Tensor
    >>> COOTensor(Tensor([[0, 1], [1, 2]]), Tensor([1, 2]), (3, 4))
    COOTensor(shape=[3, 4], dtype=Int64, indices=Tensor(shape=[2, 2], dtype=Int64, value=
    [[0 1]
     [1 2]]), values=Tensor(shape=[2], dtype=Int64, value=[1 2]))
    """

    __slots__ = ()

    _format = "coo"

    def __init__(
        self,
        indices: Tensor | None = None,
        values: Tensor | None = None,
        shape: tuple[int, ...] | None = None,
        coo_tensor: COOTensor | None = None,
    ) -> None:
        name = "COOTensor"
        parts: dict[str, Any] = {"indices": indices, "values": values, "shape": shape}
        with called(name):
            if coo_tensor is not None:
                refuse_beside("coo_tensor", parts, name)
                self._data = copy_of(self.same(coo_tensor, name), None, name)
                return
            require_all(parts, name)
            places, numbers = index_tensor(indices, "indices", name), tensor_of(values, "values", name)
            if numbers.ndim != 1:
                raise DimensionsMismatchError(f"{name}: values of shape {numbers.shape} are not a vector")
            self._data = sparse_tensor(_core.read_shape(name, parts["shape"], 0), places, numbers)

    def add(self, other: COOTensor, thresh: Tensor | Number) -> COOTensor:
        """Return the sum with another COOTensor (两个COOTensor求和), without the elements below `thresh`.

        Parameters
        ----------
        other : COOTensor
            The second summand, of the same shape.
        thresh : Tensor or number
            A tensor of shape (), or a number. The result lacks elements of the sum with a smaller magnitude.

        Returns
        -------
        COOTensor
            The coalesced sum.

        Raises
        ------
        TypeMismatchError
            `other` is not a COOTensor, or `thresh` is not a real Tensor or number.
        DimensionsMismatchError
            The shapes differ, or the shape of `thresh` is not ().

        Examples
        --------
        >>> a = COOTensor(Tensor([[0, 1], [1, 2]]), Tensor([1, 2]), (3, 4))
        >>> print(a.add(COOTensor(Tensor([[0, 1], [2, 3]]), Tensor([3, -1]), (3, 4)), Tensor(2)))
        COOTensor(shape=[3, 4], dtype=Int64, indices=Tensor(shape=[2, 2], dtype=Int64, value=
        [[0 1]
         [1 2]]), values=Tensor(shape=[2], dtype=Int64, value=[4 2]))
        """
        name = "COOTensor.add"
        if not isinstance(thresh, (Tensor, *NUMBERS)):
            raise TypeMismatchError(f"{name}: thresh is a Tensor or a number, not {type(thresh).__name__}")
        bound: Any = thresh.to_suanzi() if isinstance(thresh, Tensor) else thresh
        if isinstance(thresh, Tensor) and bound.shape != ():
            raise DimensionsMismatchError(f"{name}: thresh of shape {bound.shape} is not one number")
        with called(name):
            total: Any = arithmetic.add(self._data, self.same(other, name))  # type: ignore[arg-type]
            total = total.coalesce()
            kept = nonzero(greater_equal(arithmetic.abs(total.values), bound))[0]
            indices, elements = index_select(total.indices, kept), index_select(total.values, kept)
            return self.of(sparse_tensor(total.shape, indices, elements))

    def coalesce(self) -> COOTensor:
        """Return the elements in row-major order. Elements with equal coordinates are summed (合并重复索引).

        Examples
        --------
        >>> a = COOTensor(Tensor([[1, 2], [0, 1], [1, 2]]), Tensor([1, 2, 3]), (2, 4))
        >>> print(a.coalesce().values)
        [2 4]
        """
        with called("COOTensor.coalesce"):
            return self.of(self._data.coalesce())

    __add__ = _beside_dense("__add__", arithmetic.add)
    __radd__ = _beside_dense("__radd__", arithmetic.add, reflected=True)
    __sub__ = _beside_dense("__sub__", arithmetic.subtract)
    __rsub__ = _beside_dense("__rsub__", arithmetic.subtract, reflected=True)

    def to_csr(self) -> CSRTensor:
        """Return the tensor as a CSRTensor (转换为CSRTensor). Elements with equal coordinates are summed.

        Raises
        ------
        DimensionsMismatchError
            The tensor is not a matrix.

        Examples
        --------
        >>> a = COOTensor(Tensor([[1, 2], [0, 1], [1, 2]]), Tensor([1, 2, 3]), (2, 4))
        >>> print(a.to_csr().indptr, a.to_csr().values)
        [0 1 2] [2 4]
        """
        with called("COOTensor.to_csr"):
            return CSRTensor.of(self._data.coalesce())

    def to_tuple(self) -> tuple[Tensor, Tensor, tuple[int, ...]]:
        """Return `indices`, `values` and `shape`."""
        return self.indices, self.values, self.shape

    def __repr__(self) -> str:
        indices, values = abbreviated(self._data.indices), abbreviated(self._data.values)
        return f"COOTensor(shape={list(self.shape)}, dtype={self.dtype}, indices={indices}, values={values})"
