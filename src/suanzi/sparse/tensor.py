"""SparseTensor: a tensor of stored elements and the coordinates of these elements.

`suanzi.kinds.sparse` has the operators on the class, and `operators.creation.sparse` creates sparse tensors from
coordinates.
"""

from __future__ import annotations

from copy import deepcopy
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from suanzi import _core
from suanzi._core import Pattern, Tensor
from suanzi.tensor.composed import compose_methods, composed
from suanzi.tensor.device import Device, beside, is_elsewhere
from suanzi.tensor.dtypes import DType, bfloat16, float16
from suanzi.tensor.exchange import array_of
from suanzi.tensor.extension import with_metadata
from suanzi.tensor.layout import Layout
from suanzi.tensor.messages import hint
from suanzi.tensor.options import choice_of
from suanzi.tensor.printing import text_of, with_options
from suanzi.tensor.status import (
    InvalidArgumentAttributeError,
    InvalidArgumentError,
    TypeMismatchError,
    UninitializedObjectAttributeError,
    attributes_that_may_fail,
)

if TYPE_CHECKING:  # type checkers see the methods that the kind's table adds
    from suanzi._core import SparseMembers as Extended
else:
    from suanzi.tensor.extension import Extended

FORMATS = ("coo", "csr")
_NOT_IN_SCIPY = (float16, bfloat16)
_SHOWN = 6  # the count of printed numbers of an abbreviated part


@compose_methods
class SparseTensor(Extended):
    """A tensor that stores only some elements. The other elements are zero (稀疏张量).

    `suanzi.sparse_tensor` and `suanzi.to_sparse` make sparse tensors. A call of the class raises an error. A sparse
    tensor has one of two storage formats (6.4):

    ``"coo"``
        Coordinates, for any number of dimensions: `indices` of shape (nnz, ndim), a row for each
        element, and `values`.
    ``"csr"``
        Compressed rows, for two dimensions: `indices` of shape (nnz,) are columns, row by row. Row i has the columns
        ``indices[indptr[i]:indptr[i + 1]]``, and the same part of `values`.

    Elements may be in any order. If coordinates occur more than once, the tensor's element is the sum of the stored
    elements with these coordinates. Each element may be a block of numbers. With `values` of shape (nnz, …) the tensor
    has the further dimensions of the block. The coordinates of the elements never change.

    The logical order of the layout (6.4) does not describe these formats. The logical order is the order of the dense
    tensor that `to_dense` makes. Copies of the tensor and conversions to the other format keep the logical order.
    """

    __slots__ = ("__weakref__", "_order", "_pattern", "_values")
    __hash__ = object.__hash__

    _order: tuple[int, ...] | None
    _pattern: Pattern | None
    _values: Tensor

    def __init__(self) -> None:
        raise TypeMismatchError("SparseTensor: suanzi.sparse_tensor and suanzi.to_sparse make sparse tensors")

    @classmethod
    def _of(cls, pattern: Pattern, values: Tensor, order: tuple[int, ...] | None = None) -> SparseTensor:
        x = object.__new__(cls)
        x._pattern, x._values, x._order = pattern, values, order
        return x

    @property
    def pattern(self) -> Pattern:
        """The core's pattern, which holds the coordinates of the stored elements."""
        pattern: Pattern | None = getattr(self, "_pattern", None)
        if pattern is None:
            raise UninitializedObjectAttributeError("SparseTensor: the tensor has been destroyed")
        return pattern

    @property
    def values(self) -> Tensor:
        """The stored elements in the order of `indices`: a view of shape (nnz, …)."""
        pattern = self.pattern
        return _core.expand(self._values, (pattern.count, *self._values.shape[1:]))

    @values.setter
    def values(self, value: Any) -> None:
        # Python assigns the result of `s.values *= 2`, which is this view and has changed in place already.
        own = self.values
        if is_elsewhere(own):
            is_own = is_elsewhere(value) and value.data.data_ptr() == own.data.data_ptr()  # type: ignore[attr-defined]
        else:
            is_own = type(value) is Tensor and _core.is_view(value, self._values)
        if not is_own or value.shape != own.shape or value.dtype != own.dtype:
            raise InvalidArgumentAttributeError(
                "SparseTensor: the attribute values cannot be replaced; use s.values[...] = x"
            )

    @property
    def indices(self) -> Tensor:
        """A copy of the coordinates, of shape (nnz, ndim), or of the columns of compressed rows, of shape (nnz,)."""
        return self.pattern.indices

    @property
    def indptr(self) -> Tensor:
        """The indices in `values` at which the rows start, followed by the number of elements: a copy, for compressed
        rows only.
        """
        return self.pattern.indptr

    @property
    def nnz(self) -> int:
        """The number of stored elements, including stored zeros."""
        return self.pattern.count

    @property
    def format(self) -> str:
        """The storage format: ``"coo"`` or ``"csr"``."""
        return self.pattern.format

    @property
    def is_coalesced(self) -> bool:
        """Return whether the elements are in row-major order and their coordinates are unique."""
        return self.pattern.canonical

    @property
    def shape(self) -> tuple[int, ...]:
        """The sizes of the tensor's dimensions."""
        return (*self.pattern.shape, *self._values.shape[1:])

    @property
    def ndim(self) -> int:
        """The number of the tensor's dimensions."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of elements, stored or not."""
        return int(np.prod(self.shape, dtype=object)) if self.shape else 1

    @property
    def dtype(self) -> DType:
        """The element type of the values."""
        return self.values.dtype

    @property
    def itemsize(self) -> int:
        """The number of bytes of one number in `values`."""
        return self.values.itemsize

    @property
    def device(self) -> Device:
        """The device of the values (设备信息, 6.5)."""
        _ = self.pattern  # this access raises an error if the tensor is destroyed
        return self._values.device

    @property
    def layout(self) -> Layout:
        """The storage format and the logical order (布局信息, 6.4)."""
        rank = self.ndim
        return Layout("sparse", tuple(reversed(range(rank))) if self._order is None else self._order)

    @property
    @composed
    def real(self) -> SparseTensor:
        """The real parts of the elements."""
        return self._of(self.pattern, _core.clone(self.values.real))

    @property
    @composed
    def imag(self) -> SparseTensor:
        """The imaginary parts of the elements."""
        return self._of(self.pattern, _core.clone(self.values.imag))

    @property
    def allocator(self) -> str:
        """The owner of the values' memory (其它扩展, 6.6), as for a dense tensor."""
        return self.values.allocator

    def coalesce(self) -> SparseTensor:
        """Return a tensor in row-major order in which elements with equal coordinates are summed, or the tensor itself
        if the tensor is coalesced.
        """
        if self.pattern.canonical:
            return self
        return self._of(*_core.sparse_coalesce(self.pattern, self._values), self._order)

    def to_coo(self) -> SparseTensor:
        """Return the tensor as coordinates, in the same order of elements. Return a tensor of coordinates unchanged."""
        if self.format == "coo":
            return self
        return self._of(_core.sparse_to_coordinates(self.pattern), self._values, self._order)

    def to_csr(self) -> SparseTensor:
        """Return the tensor as coalesced compressed rows. Return a tensor of compressed rows unchanged."""
        if self.format == "csr":
            return self
        return self._of(*_core.sparse_to_rows(self.pattern, self._values), self._order)

    def to_format(self, format: str) -> SparseTensor:
        """Return the tensor in the format ``"coo"`` or ``"csr"``."""
        return self.to_coo() if choice_of(format, FORMATS, "format", "to_format") == "coo" else self.to_csr()

    def to_dense(self) -> Tensor:
        """Return a dense tensor of the same elements, zeros included, in the logical order of the layout."""
        dense = _core.sparse_to_dense(self.pattern, self._values)
        if self._order is None:
            return dense
        result = _core.empty(dense.shape, dense.dtype, beside(dense), self._order)
        _core.copy_into("to_dense", result, dense)
        return result

    def to_scipy(self) -> Any:
        """Return a copy as ``scipy.sparse``'s coo_array or csr_array. SciPy must be installed."""
        from scipy import sparse

        if self.ndim == 0:
            raise InvalidArgumentError("to_scipy: shape (): SciPy has no sparse arrays without dimensions")
        if self.values.ndim != 1:
            raise TypeMismatchError(f"to_scipy: elements are blocks of shape {self.values.shape[1:]}, not numbers")
        if self.dtype in _NOT_IN_SCIPY:
            raise TypeMismatchError(f"to_scipy: SciPy has no sparse arrays of {self.dtype}; astype makes other types")
        values = array_of(_core.clone(self.values))
        if self.format == "csr":
            parts = (values, array_of(self.indices), array_of(self.indptr))
            return sparse.csr_array(parts, shape=self.shape)
        try:
            return sparse.coo_array((values, tuple(array_of(self.indices).T)), shape=self.shape)
        except (TypeError, ValueError) as error:  # SciPy before 1.15 accepts only two dimensions
            raise InvalidArgumentError(f"to_scipy: shape {self.shape}: {error}") from error

    if not TYPE_CHECKING:  # a type checker would treat the tensor as an array

        def __array__(self, dtype=None, copy=None):
            raise TypeMismatchError("__array__: a sparse tensor cannot become an array; x.to_dense() can")

    def __bool__(self) -> bool:
        if self.size != 1:
            raise InvalidArgumentError(f"bool: a tensor of shape {self.shape} is not one element{hint('bool')}")
        return bool(self.to_dense())

    def __float__(self) -> float:
        return float(self._one("float"))

    def __int__(self) -> int:
        return int(self._one("int"))

    def _one(self, operator: str) -> Tensor:
        """Return the tensor of one element as a dense tensor."""
        if self.size != 1:
            raise InvalidArgumentError(
                f"{operator}: a tensor of shape {self.shape} is not one element; use x.to_dense()"
            )
        return self.to_dense()

    def __len__(self) -> int:
        if not self.shape:
            raise TypeMismatchError("len: a tensor of shape () has no length")
        return self.shape[0]

    def __iter__(self) -> NoReturn:
        raise TypeMismatchError("iter: a sparse tensor is not a sequence; slices return parts of the tensor")

    @with_options
    def __repr__(self) -> str:
        if getattr(self, "_pattern", None) is None:
            return "SparseTensor(<destroyed>)"
        with np.printoptions(threshold=2 * _SHOWN, edgeitems=_SHOWN // 2):
            parts = {"indptr": self.indptr} if self.format == "csr" else {}
            parts |= {"indices": self.indices, "values": self.values}
            lines = [f"{name}={_text(part, len(name) + 3)}" for name, part in parts.items()]
        if (device := beside(self._values)) is not None:
            lines.append(f"device={device}")
        return f"SparseTensor(shape={self.shape}, dtype={self.dtype}, nnz={self.nnz}, format={self.format!r},\n  " + (
            ",\n  ".join(lines) + ")"
        )

    def _cloned(self) -> SparseTensor:
        """Return a tensor with a copy of the values, which shares the coordinates."""
        return self._of(self.pattern, _core.clone(self._values), self._order)

    def __copy__(self) -> SparseTensor:
        return with_metadata(self.metadata, self._cloned())

    def __deepcopy__(self, memo: dict[int, Any]) -> SparseTensor:
        return with_metadata(deepcopy(self.metadata, memo), self._cloned())

    def __reduce__(self) -> tuple[Any, ...]:
        indptr = self.indptr if self.format == "csr" else None
        parts = self.pattern.shape, indptr, self.indices, _core.clone(self._values)
        return _restore, (*parts, self._order, self.metadata)


attributes_that_may_fail(SparseTensor, "indptr", "real", "imag")


def _text(x: Tensor, indent: int) -> str:
    if x.size == 0:
        return "[]"
    return text_of(x, partial(np.array2string, separator=", ")).replace("\n", "\n" + " " * indent)


def _restore(
    shape: tuple[int, ...],
    indptr: Tensor | None,
    indices: Tensor,
    values: Tensor,
    order: tuple[int, ...] | None = None,
    metadata: dict[Any, Any] | None = None,
) -> SparseTensor:
    return with_metadata(metadata or {}, make(shape, indptr, indices, values, order))


def make(
    shape: tuple[int, ...],
    indptr: Tensor | None,
    indices: Tensor,
    values: Tensor,
    order: tuple[int, ...] | None = None,
) -> SparseTensor:
    """Make a sparse tensor from checked coordinates, or from checked columns if `indptr` is given."""
    pattern = _core.sparse_coordinates(shape, indices) if indptr is None else _core.sparse_rows(shape, indptr, indices)
    return SparseTensor._of(pattern, _core.sparse_values(pattern, values), order)
