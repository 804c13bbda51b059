"""QuantizedTensor: integer codes with the parameters under which they stand for real numbers.

The operators take it through `__suanzi_call__`; `arithmetic` and `movement` say what each does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any

import numpy as np

from suanzi import _core
from suanzi._core import Tensor
from suanzi.quantized.parameters import Parameters
from suanzi.quantized.types import QuantizedType
from suanzi.tensor.device import Device
from suanzi.tensor.exchange import Array, alive
from suanzi.tensor.extension import Extended, with_metadata
from suanzi.tensor.layout import Layout
from suanzi.tensor.status import InvalidArgumentError, TypeMismatchError, attributes_that_may_fail

# What a function of the core does with quantized operands: by its name, with its positional arguments.
IMPLEMENTATIONS: dict[str, Callable[..., Any]] = {}


class QuantizedTensor(Extended):
    """A tensor of integer codes, each of which stands for ``scale * (code - zero_point)``.

    Made by `quantized_tensor`, `quantize` and `requantize`, and by operators on quantized tensors.

    Attributes
    ----------
    codes : Tensor
        The codes.
    dtype : QuantizedType
        One of the eight quantized types.
    scale : Tensor
        float32: a scalar, or for per-channel types a vector, one scale for each position along `axis`.
    zero_point : int
        The code of 0.
    axis : int or None
        The axis of the channels.
    metadata : dict
        For the user (6.6); `copy.copy` and pickling keep it.

    Examples
    --------
    >>> import suanzi
    >>> x = suanzi.quantize(suanzi.tensor([0.5, -1.0]), scale=0.25, dtype="qint8")
    >>> print(x.codes, x.scale, x.zero_point)
    [ 2 -4] 0.25 0
    """

    __slots__ = ("codes", "parameters")
    __hash__ = None  # type: ignore[assignment]
    __array_priority__ = 1000  # NumPy's arrays leave their operators to ours
    __array_ufunc__ = None

    codes: Tensor
    parameters: Parameters

    def __init__(self, codes: Tensor, parameters: Parameters, /) -> None:
        if not isinstance(parameters, Parameters) or not isinstance(codes, Tensor):
            raise TypeMismatchError("QuantizedTensor: made by quantized_tensor, quantize and requantize")
        self.codes = codes
        self.parameters = parameters

    @staticmethod
    def __suanzi_call__(name: str, arguments: tuple[Any, ...]) -> Any:
        return _call(name, *arguments) if name in IMPLEMENTATIONS else NotImplemented

    @property
    def dtype(self) -> QuantizedType:
        """The quantized type."""
        return self.parameters.dtype

    @property
    def scale(self) -> Tensor:
        """The scale, or a vector of them."""
        return self.parameters.scale

    @property
    def zero_point(self) -> int:
        """The code of 0."""
        return self.parameters.zero_point

    @property
    def axis(self) -> int | None:
        """The axis of the channels."""
        return self.parameters.axis

    @property
    def shape(self) -> tuple[int, ...]:
        """The sizes of the dimensions."""
        return self.codes.shape

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return self.codes.ndim

    @property
    def size(self) -> int:
        """The number of elements."""
        return self.codes.size

    @property
    def nbytes(self) -> int:
        """The bytes of the codes."""
        return self.codes.nbytes

    @property
    def device(self) -> Device:
        """Where the codes lie."""
        return self.codes.device

    @property
    def layout(self) -> Layout:
        """How the codes lie in memory."""
        return self.codes.layout

    @property
    def allocator(self) -> str:
        """Who manages the memory of the codes (6.6), as of a dense tensor."""
        return self.codes.allocator

    @property
    def T(self) -> QuantizedTensor:
        """The dimensions in reverse order."""
        return _call("transpose", self, None)  # type: ignore[no-any-return]

    @property
    def mT(self) -> QuantizedTensor:
        """The last two dimensions swapped."""
        return _call("mT", self)  # type: ignore[no-any-return]

    @property
    def real(self) -> QuantizedTensor:
        """The tensor itself: its numbers are real."""
        return self

    @property
    def imag(self) -> Tensor:
        """Refused, as there are no imaginary parts."""
        raise TypeMismatchError("imag: quantized tensors are real")

    def dequantize(self) -> Tensor:
        """The real numbers, float32."""
        return self.parameters.decoded(self.codes)

    def numpy(self) -> Array:
        """The real numbers as an array, float32."""
        return self.dequantize().numpy()

    def tolist(self) -> Any:
        """The real numbers as nested lists."""
        return self.dequantize().tolist()

    def item(self) -> float:
        """The one real number."""
        return float(self.dequantize())

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        if copy is False:
            raise InvalidArgumentError("__array__: codes cannot become an array of real numbers without a copy")
        return self.dequantize().__array__(dtype, copy)

    def __copy__(self) -> QuantizedTensor:
        return _restore(_core.clone(self.codes), self.parameters, self.metadata)

    def __deepcopy__(self, memo: dict[int, Any]) -> QuantizedTensor:
        return _restore(_core.clone(self.codes), self.parameters, deepcopy(self.metadata, memo))

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self.codes, self.parameters, self.metadata)

    def __len__(self) -> int:
        return len(self.codes)

    def __iter__(self) -> Iterator[QuantizedTensor]:
        return iter(_call("unstack", self, 0))

    def __getitem__(self, key: Any, /) -> Any:
        return _call("__getitem__", self, key)

    def __setitem__(self, key: Any, value: Any, /) -> None:
        _call("__setitem__", self, key, value)

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
    """An argument that must be a quantized tensor, as another is."""
    if not isinstance(x, QuantizedTensor):
        raise TypeMismatchError(f"{operator}: {type(x).__name__} beside a quantized tensor is not one")
    return x


def first_quantized(implementation: Callable[..., Any]) -> Callable[..., Any]:
    """The implementation of a function whose first operand must be quantized."""

    def checked(operator: str, x: Any, *arguments: Any) -> Any:
        return implementation(operator, quantized(operator, x), *arguments)

    return checked


def represent(x: QuantizedTensor) -> str:
    """``quantized_tensor([0.5, -1. ], scale=0.25, dtype=qint8)``: the real numbers and the parameters."""
    head = "quantized_tensor("
    if _core.is_destroyed(x.codes):
        return f"{head}<destroyed>)"
    options: Any = np.get_printoptions()
    values = np.array2string(x.numpy(), separator=", ", prefix=head, suffix=",") if x.size else "[]"
    extras = [f"shape={x.shape}"] if x.size > options["threshold"] or (x.size == 0 and x.ndim != 1) else []
    extras.append(f"scale={np.array2string(x.scale.numpy(), separator=', ')}")
    if not x.dtype.symmetric:
        extras.append(f"zero_point={x.zero_point}")
    if x.axis is not None:
        extras.append(f"axis={x.axis}")
    extras.append(f"dtype={x.dtype}")
    text, tail = f"{head}{values}", f"{', '.join(extras)})"
    last_line = len(text) - text.rfind("\n") - 1
    fits = last_line + len(tail) + 2 <= options["linewidth"] and "\n" not in tail
    return f"{text},{' ' if fits else chr(10) + ' ' * len(head)}{tail}"


def _call(name: str, *arguments: Any) -> Any:
    for x in arguments:
        if isinstance(x, QuantizedTensor):
            alive(x.codes, name)
    return IMPLEMENTATIONS[name](name, *arguments)


def _method(name: str, *, swapped: bool = False) -> Callable[[QuantizedTensor, Any], Any]:
    def method(x: QuantizedTensor, other: Any, /) -> Any:
        return _call(name, other, x) if swapped else _call(name, x, other)

    return method


_BINARY = {"add": "add", "sub": "subtract", "mul": "multiply", "matmul": "matmul"}
for _slot, _name in _BINARY.items():
    setattr(QuantizedTensor, f"__{_slot}__", _method(_name))
    setattr(QuantizedTensor, f"__r{_slot}__", _method(_name, swapped=True))
for _slot, _name in {
    "eq": "equal",
    "ne": "not_equal",
    "lt": "less",
    "le": "less_equal",
    "gt": "greater",
    "ge": "greater_equal",
}.items():
    setattr(QuantizedTensor, f"__{_slot}__", _method(_name))
attributes_that_may_fail(QuantizedTensor, "T", "mT", "imag")
