"""MindSpore's dense Tensor: a wrapper of suanzi.Tensor with MindSpore's names, element types and text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from suanzi import _core
from suanzi.interop.called import called
from suanzi.interop.mindspore.common.dtype import DType, TypeLike, element_type
from suanzi.interop.mindspore.common.printing import represented
from suanzi.operators import arithmetic, comparison
from suanzi.operators.creation.data import tensor
from suanzi.operators.linalg.products import matmul
from suanzi.operators.power import pow
from suanzi.operators.transform.elements import astype
from suanzi.tensor.dtypes import int64
from suanzi.tensor.exchange import Array, array_of, source
from suanzi.tensor.printing import as_text
from suanzi.tensor.status import TypeMismatchError

NUMBERS = (bool, int, float, complex, np.generic)
Number: TypeAlias = bool | int | float | complex | np.generic


def _binary(function: Callable[[Any, Any], _core.Tensor], reflected: bool = False) -> Callable[[Tensor, Any], Tensor]:
    def method(self: Tensor, other: Any) -> Tensor:
        if not isinstance(other, (Tensor, *NUMBERS)):
            _refuse(function, other)
            return NotImplemented  # type: ignore[no-any-return]
        value = other.to_suanzi() if isinstance(other, Tensor) else other
        own = self.to_suanzi()
        return Tensor.of(function(value, own) if reflected else function(own, value))

    return method


def _refuse(function: Callable[[Any, Any], _core.Tensor], other: Any) -> None:
    """Raise an error if the second operand is a tensor of suanzi, or in a comparison any object with elements.

    Without the error, Python would call the operands unequal, whatever the elements are.
    """
    foreign = isinstance(other, _core.Tensor) or hasattr(type(other), "__suanzi_call__")
    if foreign or (function in _COMPARISONS and (isinstance(other, str) or _core.holds_elements(other))):
        name = f"suanzi.{type(other).__name__}" if foreign else type(other).__name__
        how = "Tensor.of" if isinstance(other, _core.Tensor) else "Tensor"
        raise TypeMismatchError(
            f"Tensor.{function.__name__}: {name} is neither a Tensor of mindspore nor a number; {how} makes it one"
        )


_COMPARISONS = (
    comparison.equal,
    comparison.not_equal,
    comparison.less,
    comparison.less_equal,
    comparison.greater,
    comparison.greater_equal,
)


def _unary(function: Callable[[Any], _core.Tensor]) -> Callable[[Tensor], Tensor]:
    return lambda self: Tensor.of(function(self.to_suanzi()))


class Described:
    """The attributes that MindSpore's dense and sparse tensors share."""

    __slots__ = ("_data",)
    _data: Any  # the wrapped tensor of suanzi

    @property
    def dtype(self) -> DType:
        """The element type (数据类型)."""
        return DType(self._data.dtype)

    @property
    def shape(self) -> tuple[int, ...]:
        """The sizes of the dimensions (形状), for a sparse tensor including feature dimensions."""
        return self._data.shape  # type: ignore[no-any-return]

    @property
    def ndim(self) -> int:
        """The number of dimensions (维度数)."""
        return self._data.ndim  # type: ignore[no-any-return]

    @property
    def itemsize(self) -> int:
        """The number of bytes of one element (每个元素所占字节数)."""
        return self._data.itemsize  # type: ignore[no-any-return]


class Tensor(Described):
    """A dense tensor of MindSpore (张量).

    Parameters
    ----------
    input_data : array_like
        Numbers, nested sequences of numbers, or an object with elements in memory: a Tensor of this class or of suanzi,
        or a NumPy array. The elements are copied.
    dtype : mindspore.dtype, numpy.dtype or str, optional
        The element type, by default the type of the data, or for Python numbers bool, int64, float32 or complex64.

    Raises
    ------
    TypeMismatchError
        The data are not numbers, or `dtype` is not an element type.
    DimensionsMismatchError, InvalidArgumentError
        The sequences have different lengths.
    OutOfRangeError
        A number does not fit the element type.

    Examples
    --------
    >>> from suanzi.interop.mindspore import Tensor
    >>> import suanzi.interop.mindspore as ms
    >>> x = Tensor([3, -0.5], dtype=ms.float32)
    >>> print(x)
    [ 3.  -0.5]
    >>> x
    Tensor(shape=[2], dtype=Float32, value= [ 3.00000000e+00, -5.00000000e-01])
    >>> print(x + x, x == 3)
    [ 6. -1.] [ True False]
    """

    __slots__ = ()

    __array_ufunc__ = None  # with None, the operators of NumPy's arrays return NotImplemented
    __hash__ = object.__hash__

    _data: _core.Tensor

    def __init__(self, input_data: Any, dtype: TypeLike | None = None) -> None:
        with called("Tensor"):
            data = input_data.to_suanzi() if isinstance(input_data, Tensor) else input_data
            if dtype is not None:
                self._data = tensor(data, dtype=element_type(dtype, "Tensor"))
                return
            values, typed = source(data, "Tensor")
            self._data = tensor(data, dtype=int64 if values.dtype.is_integer and not typed else None)

    @classmethod
    def of(cls, data: _core.Tensor) -> Tensor:
        """Wrap a tensor of suanzi. The two tensors share memory."""
        x = object.__new__(cls)
        x._data = data
        return x

    def to_suanzi(self) -> _core.Tensor:
        """Return the wrapped suanzi.Tensor, on the same memory."""
        return self._data

    def asnumpy(self) -> Array:
        """Return a NumPy array on the memory of the tensor."""
        return array_of(self._data)

    @property
    def size(self) -> int:
        """The number of elements (元素个数)."""
        return self._data.size

    def astype(self, dtype: TypeLike) -> Tensor:
        """Return a copy with another element type (返回指定数据类型的Tensor).

        Examples
        --------
        >>> print(Tensor([1.5, 2.5]).astype("int32"))
        [1 2]
        """
        with called("Tensor.astype"):
            return Tensor.of(astype(self._data, element_type(dtype, "Tensor.astype")))

    def item(self) -> Any:
        """Return the only element as a Python number."""
        return self._data.item()

    def abs(self) -> Tensor:
        """Return the absolute values (绝对值)."""
        return abs(self)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return self._data.__array__(dtype, copy)  # type: ignore[no-any-return, attr-defined]

    def __getitem__(self, key: Any) -> Tensor:
        return Tensor.of(self._data[key.to_suanzi() if isinstance(key, Tensor) else key])

    def __len__(self) -> int:
        return len(self._data)

    def __bool__(self) -> bool:
        return bool(self._data)

    def __int__(self) -> int:
        return int(self._data)

    def __float__(self) -> float:
        return float(self._data)

    def __str__(self) -> str:
        return as_text(self._data)

    def __repr__(self) -> str:
        return represented(self._data)

    __neg__ = _unary(arithmetic.negative)
    __abs__ = _unary(arithmetic.abs)
    __add__ = _binary(arithmetic.add)
    __sub__ = _binary(arithmetic.subtract)
    __mul__ = _binary(arithmetic.multiply)
    __truediv__ = _binary(arithmetic.true_divide)
    __pow__ = _binary(pow)
    __matmul__ = _binary(matmul)
    __radd__ = _binary(arithmetic.add, reflected=True)
    __rsub__ = _binary(arithmetic.subtract, reflected=True)
    __rmul__ = _binary(arithmetic.multiply, reflected=True)
    __rtruediv__ = _binary(arithmetic.true_divide, reflected=True)
    __rpow__ = _binary(pow, reflected=True)
    __eq__ = _binary(comparison.equal)  # type: ignore[assignment]
    __ne__ = _binary(comparison.not_equal)  # type: ignore[assignment]
    __lt__ = _binary(comparison.less)
    __le__ = _binary(comparison.less_equal)
    __gt__ = _binary(comparison.greater)
    __ge__ = _binary(comparison.greater_equal)


def tensor_of(x: Any, what: str, operator: str) -> _core.Tensor:
    """Return the suanzi.Tensor in an argument that must be a Tensor."""
    if not isinstance(x, Tensor):
        raise TypeMismatchError(f"{operator}: {what} is a Tensor, not {type(x).__name__}")
    return x.to_suanzi()
