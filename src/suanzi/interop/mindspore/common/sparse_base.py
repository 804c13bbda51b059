"""The common base of MindSpore's two classes of sparse tensors. The module sparse_tensor defines the classes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Self

from suanzi import _core
from suanzi.interop.called import called
from suanzi.interop.mindspore.common.dtype import TypeLike, element_type
from suanzi.interop.mindspore.common.tensor import NUMBERS, Described, Tensor
from suanzi.operators import arithmetic
from suanzi.operators.transform.elements import astype
from suanzi.sparse.tensor import SparseTensor
from suanzi.tensor.status import TypeMismatchError


def together(name: str, function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Make the method `name`, which applies `function` to two sparse tensors of the same class."""

    def method(self: Sparse, other: Any) -> Any:
        operator = f"{type(self).__name__}.{name}"
        with called(operator):
            return self.of(function(self.to_suanzi(), self.same(other, operator)))

    return method


def scaled(name: str, function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Make the method `name`, which applies `function` to a sparse tensor and a second operand. The second operand is a
    sparse tensor of the same class, a Tensor that broadcasts to the first operand, or a number. For each kind of second
    operand, elements with equal coordinates are added first, in the type of the first operand.
    """

    def method(self: Sparse, other: Any) -> Any:
        operator = f"{type(self).__name__}.{name}"
        with called(operator):
            if isinstance(other, NUMBERS):
                merged = self.of(self.to_suanzi().coalesce())
                return merged.with_values(function(merged.to_suanzi().values, other))
            if not isinstance(other, (Tensor, type(self))):
                own = type(self).__name__
                raise TypeMismatchError(f"{operator}: {type(other).__name__} is not a {own}, a Tensor or a number")
            return self.of(function(self.to_suanzi(), other.to_suanzi()))

    return method


class Sparse(Described):
    """The common base of CSRTensor and COOTensor. `_format` names the storage format of suanzi."""

    __slots__ = ()

    __array_ufunc__ = None  # with None, the operators of NumPy's scalars return NotImplemented
    _format: ClassVar[str]
    _data: SparseTensor

    @classmethod
    def of(cls, data: SparseTensor) -> Self:
        """Wrap a sparse tensor of suanzi. The function converts the tensor to the class's format."""
        if not isinstance(data, SparseTensor):
            raise TypeMismatchError(f"{cls.__name__}.of: {type(data).__name__} is not a suanzi.SparseTensor")
        x = object.__new__(cls)
        x._data = data.to_format(cls._format)
        return x

    def to_suanzi(self) -> SparseTensor:
        """Return the wrapped suanzi.SparseTensor."""
        return self._data

    def with_values(self, values: _core.Tensor) -> Self:
        """Return a sparse tensor with the given values at the places of this tensor's stored elements."""
        return self.of(SparseTensor._of(self._data.pattern, values))

    def same(self, other: Any, operator: str) -> SparseTensor:
        """Return the wrapped tensor of another operand. The operand must have the same class as `self`. An error names
        the operator.
        """
        if not isinstance(other, type(self)):
            raise TypeMismatchError(f"{operator}: {type(other).__name__} is not a {type(self).__name__}")
        return other._data

    @property
    def indices(self) -> Tensor:
        """Return a copy of the stored elements' columns for a CSRTensor, or coordinates for a COOTensor (索引值)."""
        return Tensor.of(self._data.indices)

    @property
    def values(self) -> Tensor:
        """The stored elements (非零元素值)."""
        return Tensor.of(self._data.values)

    @property
    def size(self) -> int:
        """The number of stored numbers (非零元素值数量)."""
        return self._data.values.size

    def abs(self) -> Self:
        """Return a tensor with the absolute values of the stored elements (取绝对值).

        Examples
        --------
        >>> from suanzi.interop.mindspore import CSRTensor, Tensor
        >>> a = CSRTensor(Tensor([0, 1, 3]), Tensor([2, 0, 2]), Tensor([-4.0, 5.0, -6.0]), (2, 3))
        >>> print(a.abs().values)
        [4. 5. 6.]
        """
        with called(f"{type(self).__name__}.abs"):
            return self.with_values(arithmetic.abs(self._data.values))

    def astype(self, dtype: TypeLike) -> Self:
        """Return a tensor whose stored elements are converted to another type (返回指定数据类型).

        Parameters
        ----------
        dtype : mindspore.dtype, numpy.dtype or str

        Raises
        ------
        TypeMismatchError
            `dtype` is not an element type, or complex values cannot be converted to `dtype`.

        Examples
        --------
        >>> from suanzi.interop.mindspore import CSRTensor, Tensor
        >>> a = CSRTensor(Tensor([0, 1, 3]), Tensor([2, 0, 2]), Tensor([4.0, 5.0, 6.0]), (2, 3))
        >>> print(a.astype("float64").dtype)
        Float64
        """
        operator = f"{type(self).__name__}.astype"
        with called(operator):
            return self.with_values(astype(self._data.values, element_type(dtype, operator)))

    def to_dense(self) -> Tensor:
        """Return all elements, stored or not, as a dense tensor (转换为稠密Tensor).

        Examples
        --------
        >>> from suanzi.interop.mindspore import CSRTensor, Tensor
        >>> a = CSRTensor(Tensor([0, 1, 3]), Tensor([2, 0, 2]), Tensor([4.0, 5.0, 6.0]), (2, 3))
        >>> print(a.to_dense())
        [[0. 0. 4.]
         [5. 0. 6.]]
        """
        with called(f"{type(self).__name__}.to_dense"):
            return Tensor.of(self._data.to_dense())

    def __neg__(self) -> Self:
        with called(f"{type(self).__name__}.__neg__"):
            return self.with_values(arithmetic.negative(self._data.values))

    __abs__ = abs
    __add__ = together("__add__", arithmetic.add)
    __sub__ = together("__sub__", arithmetic.subtract)
    __mul__ = scaled("__mul__", arithmetic.multiply)
    __rmul__ = __mul__
    __truediv__ = scaled("__truediv__", arithmetic.true_divide)
    # If the left operand has another class, these operators raise an error that names the class of the left operand.
    __radd__ = together("__radd__", arithmetic.add)
    __rsub__ = together("__rsub__", arithmetic.subtract)
    __rtruediv__ = together("__rtruediv__", arithmetic.true_divide)
