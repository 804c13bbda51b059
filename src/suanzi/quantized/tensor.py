"""QuantizedTensor: integer codes, and the parameters that map the codes to real numbers.

`suanzi.kinds.quantized` has the operators on the class.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from typing import TYPE_CHECKING, Any

import numpy as np

from suanzi import _core
from suanzi._core import Tensor
from suanzi.quantized.parameters import Parameters
from suanzi.quantized.types import QuantizedType
from suanzi.tensor.composed import compose_methods
from suanzi.tensor.device import Device, beside
from suanzi.tensor.exchange import Array, as_tensor
from suanzi.tensor.extension import with_metadata
from suanzi.tensor.layout import Layout
from suanzi.tensor.printing import with_options
from suanzi.tensor.status import (
    InvalidArgumentError,
    TypeMismatchError,
    UninitializedObjectAttributeError,
    attributes_that_may_fail,
)

if TYPE_CHECKING:  # type checkers see the methods that the kind's table adds
    from suanzi._core import QuantizedMembers as Extended
else:
    from suanzi.tensor.extension import Extended

# A destroyed tensor, which replaces the codes of destroyed quantized tensors.
_GONE = as_tensor(0)
_core.destroy(_GONE)


def _gone(attribute: str) -> UninitializedObjectAttributeError:
    return UninitializedObjectAttributeError(f"{attribute}: the tensor has been destroyed")


@compose_methods
class QuantizedTensor(Extended):
    """A tensor of integer codes, which represent the numbers ``scale * (code - zero_point)`` (量化张量).

    `quantized_tensor`, `quantize`, `requantize` and operators on quantized tensors make quantized
    tensors.

    Attributes
    ----------
    codes : Tensor
        The codes.
    dtype : QuantizedType
        One of the eight quantized types.
    scale : Tensor
        A float32 scalar, or for per-channel types a float32 vector with one scale for each position along `axis`.
    zero_point : int
        The code of 0.
    axis : int or None
        The axis of the channels.
    metadata : dict
        A dictionary for the user (6.6); `copy.copy` and pickling keep the dictionary.

    Examples
    --------
    >>> import suanzi
    >>> x = suanzi.quantize(suanzi.tensor([0.5, -1.0]), scale=0.25, dtype="qint8")
    >>> print(x.codes, x.scale, x.zero_point)
    [ 2 -4] 0.25 0
    """

    __slots__ = ("_codes", "_parameters")
    __hash__ = None  # type: ignore[assignment]

    # Operators read `_codes` and `_parameters`. After `destroy` the two attributes are _GONE and None, so that a read
    # of the codes raises an error.
    _codes: Tensor
    _parameters: Parameters

    def __init__(self, codes: Tensor, parameters: Parameters, /) -> None:
        if not isinstance(parameters, Parameters) or not isinstance(codes, Tensor):
            raise TypeMismatchError("QuantizedTensor: quantized_tensor, quantize and requantize make quantized tensors")
        self._codes = codes
        self._parameters = parameters

    @property
    def codes(self) -> Tensor:
        """The codes of the tensor."""
        if self._codes is _GONE:
            raise _gone("codes")
        return self._codes

    @property
    def parameters(self) -> Parameters:
        """The scale, zero point, axis and type of the codes."""
        if self._codes is _GONE:
            raise _gone("parameters")
        return self._parameters

    @property
    def dtype(self) -> QuantizedType:
        """The quantized type of the tensor."""
        try:
            return self._parameters.dtype
        except AttributeError:
            raise _gone("dtype") from None

    @property
    def scale(self) -> Tensor:
        """A copy of the tensor's scale, or of the vector of scales for channels. Tensors share the scale itself."""
        try:
            return _core.clone(self._parameters.scale)
        except AttributeError:
            raise _gone("scale") from None

    @property
    def zero_point(self) -> int:
        """The code of the number 0."""
        try:
            return self._parameters.zero_point
        except AttributeError:
            raise _gone("zero_point") from None

    @property
    def axis(self) -> int | None:
        """The axis of the channels, or None."""
        try:
            return self._parameters.axis
        except AttributeError:
            raise _gone("axis") from None

    @property
    def shape(self) -> tuple[int, ...]:
        """The sizes of the tensor's dimensions."""
        try:
            return self._codes.shape
        except AttributeError:
            raise _gone("shape") from None

    @property
    def ndim(self) -> int:
        """The number of the tensor's dimensions."""
        try:
            return self._codes.ndim
        except AttributeError:
            raise _gone("ndim") from None

    @property
    def size(self) -> int:
        """The number of the tensor's elements."""
        try:
            return self._codes.size
        except AttributeError:
            raise _gone("size") from None

    @property
    def nbytes(self) -> int:
        """The number of bytes of the codes."""
        try:
            return self._codes.nbytes
        except AttributeError:
            raise _gone("nbytes") from None

    @property
    def device(self) -> Device:
        """The device of the codes."""
        try:
            return self._codes.device
        except AttributeError:
            raise _gone("device") from None

    @property
    def layout(self) -> Layout:
        """The layout of the codes in memory."""
        try:
            return self._codes.layout
        except AttributeError:
            raise _gone("layout") from None

    @property
    def allocator(self) -> str:
        """The owner of the codes' memory (clause 6.6): ``"suanzi"``, or ``"external"`` for other programs' memory."""
        try:
            return self._codes.allocator
        except AttributeError:
            raise _gone("allocator") from None

    @property
    def real(self) -> QuantizedTensor:
        """The tensor itself, because quantized tensors hold real numbers."""
        if self._codes is _GONE:
            raise _gone("real")
        return self

    @property
    def imag(self) -> Tensor:
        """Raise an error, because quantized tensors have no imaginary parts."""
        if self._codes is _GONE:
            raise _gone("imag")
        raise TypeMismatchError("imag: quantized tensors are real")

    def _end(self) -> None:
        """Release the codes and the parameters for `destroy`. Other references to the codes and the parameters stay
        valid.
        """
        self._codes, self._parameters = _GONE, None  # type: ignore[assignment]
        self._forget_metadata()

    def dequantize(self) -> Tensor:
        """Return the real numbers of the tensor in float32."""
        return self.parameters.decoded(self.codes)

    def numpy(self) -> Array:
        """Return the real numbers of the tensor as a float32 array of NumPy."""
        return self.dequantize().numpy()

    def tolist(self) -> Any:
        """Return the real numbers of the tensor as nested lists."""
        return self.dequantize().tolist()

    def item(self) -> float:
        """Return the real number of a tensor with one element."""
        return float(self.dequantize())

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        _core.read_tensor("__array__", self._codes)
        if copy is False:
            raise InvalidArgumentError("__array__: codes cannot become an array of real numbers without a copy")
        return self.dequantize().__array__(dtype, copy)  # type: ignore[no-any-return, attr-defined]

    def __copy__(self) -> QuantizedTensor:
        return _restore(_core.clone(self.codes), self.parameters, self.metadata)

    def __deepcopy__(self, memo: dict[int, Any]) -> QuantizedTensor:
        return _restore(_core.clone(self.codes), self.parameters, deepcopy(self.metadata, memo))

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self.codes, self.parameters, self.metadata)

    def __len__(self) -> int:
        return len(self.codes)

    def __iter__(self) -> Iterator[QuantizedTensor]:
        return iter(_core.unstack(self, 0))  # type: ignore[arg-type]

    def __bool__(self) -> bool:
        return bool(self.dequantize())

    def __float__(self) -> float:
        return float(self.dequantize())

    def __repr__(self) -> str:
        return represent(self)

    def __str__(self) -> str:
        return represent(self)


def _restore(codes: Tensor, parameters: Parameters, metadata: dict[Any, Any]) -> QuantizedTensor:
    return with_metadata(metadata, QuantizedTensor(codes, parameters))


def quantized(operator: str, x: Any) -> QuantizedTensor:
    """Return `x`, an operand beside a quantized operand. Raise TYPE_MISMATCH if `x` is not a quantized tensor."""
    if not isinstance(x, QuantizedTensor):
        raise TypeMismatchError(
            f"{operator}: {x.__class__.__name__} beside a quantized tensor is not a quantized tensor"
        )
    _core.read_tensor(operator, x._codes)
    return x


@with_options
def represent(x: QuantizedTensor) -> str:
    """Return text such as ``quantized_tensor([0.5, -1. ], scale=0.25, dtype=qint8)`` with the real numbers."""
    head = "quantized_tensor("
    if _core.is_destroyed(x._codes):
        return f"{head}<destroyed>)"
    options: Any = np.get_printoptions()
    values = np.array2string(x.numpy(), separator=", ", prefix=head, suffix=",") if x.size else "[]"
    extras = [f"shape={x.shape}"] if x.size > options["threshold"] or (x.size == 0 and x.ndim != 1) else []
    extras.append(f"scale={np.array2string(x.scale.numpy(), separator=', ')}")
    if not x.dtype.symmetric:
        extras.append(f"zero_point={x.zero_point}")
    if x.axis is not None:
        extras.append(f"axis={x.axis}")
    if (device := beside(x._codes)) is not None:
        extras.append(f"device={device}")
    extras.append(f"dtype={x.dtype}")
    text, tail = f"{head}{values}", f"{', '.join(extras)})"
    last_line = len(text) - text.rfind("\n") - 1
    fits = last_line + len(tail) + 2 <= options["linewidth"] and "\n" not in tail
    return f"{text},{' ' if fits else chr(10) + ' ' * len(head)}{tail}"


attributes_that_may_fail(QuantizedTensor, "imag")
