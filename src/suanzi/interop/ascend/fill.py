"""FillOperation: an operation that writes one value where a mask is true, or into a whole new tensor."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from suanzi import _core
from suanzi._core import Tensor
from suanzi.interop.ascend.operation import (
    RESERVED_BYTES,
    Input,
    Operation,
    Param,
    flag,
    floats,
    integers,
    reserved,
)
from suanzi.operators.composition import named
from suanzi.operators.creation.filled import full
from suanzi.operators.reduction.folds import max, min
from suanzi.operators.transform.masking import masked_fill
from suanzi.tensor.dtypes import DType, bfloat16, bool_, float16, int8, int32
from suanzi.tensor.messages import shown
from suanzi.tensor.status import DimensionsMismatchError, InvalidArgumentError, OutOfRangeError

_X = Input("x", (float16, int32, bfloat16))
_MASK = Input("mask", (int8, bool_))


@dataclass(slots=True)
class FillParam(Param):
    """The parameters of `FillOperation`. A program may change the parameters until it makes an operation from them.

    Parameters
    ----------
    withMask : bool, optional
        If True, the value is written where a mask is true (MaskedFill). If False, a new tensor is filled (Fill).
    value : sequence of float, optional
        A list with the value to write. The default is an empty list, to which a program can append a value:
        ``param.value.append(-1)``.
    outDim : sequence of int, optional
        The shape of the new tensor, required without a mask, and ignored with a mask. (The documentation's list of
        parameters names the type float, but the structure has int64_t, because the member is a shape.)
    rsv : bytes or sequence of int, optional
        Reserved: eight bytes, each from 0 to 255.

    Raises
    ------
    AttributeError
        The program assigns to an attribute that is not one of the parameters above.
    """

    withMask: bool = True
    value: list[float] = field(default_factory=list)
    outDim: list[int] = field(default_factory=list)
    rsv: list[int] = field(default_factory=lambda: [0] * RESERVED_BYTES)

    def __post_init__(self) -> None:
        """Copy sequences into new lists, as C++ copies the members of a structure."""
        for name in ("value", "outDim", "rsv"):
            given = getattr(self, name)
            if isinstance(given, tuple | list | bytes | bytearray):
                setattr(self, name, list(given))

    def checked(self, operation: str) -> FillParam:
        """Return a copy of the parameters whose members have the structure's types."""
        masked = flag(self.withMask, "withMask", operation)
        value = floats(self.value, "value", operation)
        if len(value) != 1:
            raise InvalidArgumentError(f"{operation}: value {shown(value)} has size {len(value)}, not 1")
        sizes = integers(self.outDim, "outDim", operation)
        if not masked and not sizes:
            raise InvalidArgumentError(f"{operation}: outDim is needed where withMask is false")
        return replace(
            self,
            value=value,
            outDim=sizes if masked else list(_core.read_shape(operation, sizes, 0)),
            rsv=reserved(self.rsv, operation),
        )


class FillOperation(Operation[FillParam]):
    """The operation that writes one value where a mask is true, or into a whole new tensor.

    Parameters
    ----------
    param : FillParam
        With ``withMask`` true the operation has two inputs: `x` (float16, int32 or bfloat16) and `mask` (int8 or bool,
        elements 0 or 1). The shape of `mask` broadcasts to the shape of `x`. The output has the shape and type of `x`.
        With ``withMask`` false the operation has no inputs, and the output is a float16 tensor of shape ``outDim``.

    Examples
    --------
    >>> import suanzi
    >>> from suanzi.interop.ascend import FillOperation, FillParam
    >>> x = suanzi.tensor([[1, 2, 3], [4, 5, 6], [7, 8, 9]], dtype="int32")
    >>> param = FillParam()
    >>> param.withMask = True
    >>> param.value = [-1]
    >>> mask = suanzi.tensor([[True, False, True], [False, True, True], [True, True, False]])
    >>> print(FillOperation(param)(x, mask))
    [[-1  2 -1]
     [ 4 -1 -1]
     [-1 -1  9]]
    >>> print(FillOperation(param)(x, suanzi.tensor([True, False, True])))  # a mask that is broadcast
    [[-1  2 -1]
     [-1  5 -1]
     [-1  8 -1]]
    >>> print(FillOperation(FillParam(withMask=False, value=[1], outDim=[2, 3]))())  # a new tensor
    [[1. 1. 1.]
     [1. 1. 1.]]
    """

    param_type = FillParam

    @property
    def inputs(self) -> tuple[Input, ...]:
        """Return the inputs `x` and `mask`, or an empty tuple for an operation without a mask."""
        return (_X, _MASK) if self._param.withMask else ()

    def compute(self, *tensors: Tensor) -> Tensor:
        """Return a copy of `x` with the value where `mask` is true, or a new filled tensor for an operation without
        inputs.
        """
        (value,) = self._param.value
        if not self._param.withMask:
            with named("FillOperation"):
                return full(tuple(self._param.outDim), value, dtype=float16)
        x, mask = tensors
        _check_mask(x, mask)
        return masked_fill(x, mask, _held(value, x.dtype))


def _check_mask(x: Tensor, mask: Tensor) -> None:
    sizes = zip(reversed(mask.shape), reversed(x.shape), strict=False)
    if mask.ndim > x.ndim or any(m not in (1, n) for m, n in sizes):
        raise DimensionsMismatchError(
            f"FillOperation: a mask of shape {mask.shape} does not broadcast to the shape {x.shape} of x"
        )
    if mask.dtype is int8 and mask.size > 0:
        least, greatest = int(min(mask)), int(max(mask))
        if least < 0 or greatest > 1:
            wrong = least if least < 0 else greatest
            raise InvalidArgumentError(f"FillOperation: the mask holds {wrong}, which is neither 0 nor 1")


def _held(value: float, dtype: DType) -> float:
    """Return `value` as an element of type `dtype`, or raise an error if `dtype` cannot hold `value`."""
    if dtype is int32:
        return _integer(value)
    with named("FillOperation"):
        held: float = full((), value, dtype=dtype).item()
    return held


def _integer(value: float) -> int:
    """Return `value` as an integer, or raise an error if `value` is not an integer of int32."""
    if not -(2.0**31) <= value < 2.0**31:  # the comparison also refuses NaN
        raise OutOfRangeError(f"FillOperation: value {value} does not fit int32")
    if not value.is_integer():
        raise InvalidArgumentError(f"FillOperation: value {value} is not an integer, and x is int32")
    return int(value)
