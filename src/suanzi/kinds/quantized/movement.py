"""Shape and index operators on quantized tensors: the operators move the codes, and the index of each element's
channel.

No operator has a rule of its own for the channels of its result. Instead, the operator also moves the channel indices,
broadcast to the shape of the tensor. If the moved indices vary along one axis only, this axis is the result's axis, and
the indices select the scales. An operator that returns a view also returns a view of the broadcast indices, which
copies no index. A copy needs 4 bytes per element for the indices.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from numbers import Real
from typing import Any

from suanzi import _core
from suanzi._core import Tensor
from suanzi.kinds.call import Call
from suanzi.kinds.devices import placed
from suanzi.kinds.quantized.arithmetic import real_of
from suanzi.kinds.quantized.operands import TABLE
from suanzi.operators.creation.filled import full
from suanzi.operators.creation.sequences import arange
from suanzi.operators.reduction import folds
from suanzi.operators.transform.joining import broadcast_arrays, concat, repeat
from suanzi.operators.transform.rearranging import flip
from suanzi.quantized.parameters import Parameters, encoded
from suanzi.quantized.tensor import QuantizedTensor, quantized
from suanzi.quantized.types import common_type
from suanzi.tensor.device import beside
from suanzi.tensor.dtypes import float32, float64, int32
from suanzi.tensor.exchange import source
from suanzi.tensor.messages import shown
from suanzi.tensor.status import DimensionsMismatchError, InvalidArgumentError, TypeMismatchError

Move = Callable[[Tensor], Any]  # a function that returns a tensor or a tuple of tensors
_STEP = 2  # the stride of the channels' numbers; in a copy, an axis with this stride precedes an axis longer than 1


def moved(operator: str, x: QuantizedTensor, move: Move, channels: Move | None = None) -> Any:
    """Return the quantized result of the function `move`, which moves the codes of `x`. The function `channels`, or by
    default `move`, moves the channel indices.
    """
    result = move(x._codes)
    if x.axis is None:
        if isinstance(result, tuple):
            return tuple(QuantizedTensor(codes, x._parameters) for codes in result)
        return QuantizedTensor(result, x._parameters)
    return _joined(operator, result, (channels or move)(_numbers(x._codes, x.axis)), x._parameters)


def _numbers(codes: Tensor, axis: int, first: int = 0) -> Tensor:
    """Return the index of each element's channel, counted from `first`, as a view in the shape of the codes."""
    return _spread(codes.shape, axis, first, beside(codes))


def _spread(shape: tuple[int, ...], axis: int, first: int, device: Any) -> Tensor:
    """Return the numbers of the channels along an axis, as a view of a given shape.

    The stride of the view is _STEP along the axis of the channels, and 0 along every other axis, also if the axis has
    the size 0 or 1. Therefore the strides of a view of this view name the axis of the channels.
    """
    count, behind = shape[axis], len(shape) - axis - 1
    pairs = repeat(arange(first, first + max(count, 2), dtype=int32, device=device), _STEP)
    columns = _core.expand(_core.reshape(pairs[::_STEP], (-1, 1)), (max(count, 2), 2))
    if behind == 0:
        return _core.expand(columns[:count, 0], shape)
    column = columns[:count, :1]  # the second axis has the stride 0, and so has every axis inserted before it
    return _core.expand(_core.expand_dims(column, tuple(range(1, behind))), shape)


def _joined(operator: str, result: Any, numbers: Any, parameters: Parameters) -> Any:
    """Return a quantized tensor of moved codes, with the parameters that the moved channel indices select. If `result`
    is a tuple, return a tuple of quantized tensors.
    """
    if isinstance(result, tuple):
        return tuple(_joined(operator, *pair, parameters) for pair in zip(result, numbers, strict=True))
    if numbers is None:
        return QuantizedTensor(result, parameters)
    return QuantizedTensor(result, _chosen(operator, numbers, parameters))


def _chosen(operator: str, numbers: Tensor, parameters: Parameters) -> Parameters:
    """Return the parameters of a result whose elements are in the channels with the indices `numbers`.

    If all elements belong to one channel, or the result is empty, the result has one scale for each position along the
    axis that the move gives the channels. If this axis no longer exists or has become longer, the result has one scale.
    A channel that no operand has gets the scale 1, the default of `quantized_tensor`.
    """
    varying = [d for d in range(numbers.ndim) if numbers.shape[d] > 1 and numbers.strides[d] != 0]
    distinct = numbers[tuple(slice(None) if d in varying else slice(1) for d in range(numbers.ndim))]
    if numbers.size > 0 and varying and not _same(distinct):
        for axis in varying:
            line = numbers[tuple(slice(None) if d == axis else 0 for d in range(numbers.ndim))]
            column = _core.reshape(line, (-1, *(1,) * (numbers.ndim - axis - 1)))
            if len(varying) == 1 or folds.all(_core.equal(numbers, column)):
                return Parameters(parameters.dtype, _core.take(parameters.scale, line, 0), 0, axis)
        raise InvalidArgumentError(
            f"{operator}: the channels would not lie along one axis of shape {numbers.shape}; requantize per tensor"
        )
    known = numbers.size > 0 and parameters.scale.size > 0
    scale = (
        parameters.scale[numbers[(0,) * numbers.ndim]]
        if known
        else full((), 1.0, dtype=float32, device=beside(numbers))
    )
    at = _axis_of(numbers, parameters.axis)
    if at is None or (numbers.size > 0 and numbers.shape[at] != 1):
        return Parameters(common_type([parameters.dtype], False), scale, 0, None)
    if numbers.size == 0 and parameters.scale.shape == (numbers.shape[at],):  # the move takes no channel away
        scales = parameters.scale if numbers.strides[at] >= 0 else flip(parameters.scale)
    else:
        scales = _core.clone(_core.expand(scale, (numbers.shape[at],)))
    return Parameters(parameters.dtype, scales, 0, at)


def _axis_of(numbers: Tensor, before: int | None) -> int | None:
    """Return the axis of the channels of moved numbers, of which none differ. `before` is the axis before the move.

    If the numbers are a view of `_spread`, a multiple of _STEP is the stride of the axis of the channels. An axis that
    a move inserts has the size 1 and any stride. The stride of an inserted axis can be a multiple of _STEP only if the
    axis of the channels comes after the inserted axis. If the numbers are a copy, the axis stays in its place.
    """
    strides = numbers.stride()
    if numbers.ndim > 0 and not any(strides):
        return None  # a view without the axis of the channels
    for axis in reversed(range(numbers.ndim)):
        others = (d for d in range(numbers.ndim) if d != axis and numbers.shape[d] != 1)
        if strides[axis] != 0 and strides[axis] % _STEP == 0 and not any(strides[d] for d in others):
            return axis
    return before if before is not None and before < numbers.ndim else None


def _same(numbers: Tensor) -> bool:
    """Return whether all elements of `numbers` are equal."""
    return bool(folds.min(numbers).item() == folds.max(numbers).item())


@TABLE.rows("roll", "tile", "repeat", "masked_select", family=("view", "gather"))
def move(call: Call) -> Any:
    """Move elements by an operator with one quantized operand."""
    others = call[1:]
    return moved(call.name, call.x, lambda t: type(call).builtin(t, *others))


@TABLE.rows("reshape")
def reshape(call: Call) -> QuantizedTensor:
    """Return a tensor of another shape. The axis of a single channel keeps the number of elements before the axis."""
    x = call.x
    if x.axis is None or x.shape[x.axis] != 1 or x.size == 0:
        return move(call)  # type: ignore[no-any-return]
    codes = call.on(x._codes)
    before = prod(x.shape[: x.axis])
    axes = [d for d, size in enumerate(codes.shape) if size == 1 and prod(codes.shape[:d]) == before]
    if not axes:
        dtype = common_type([x.dtype], False)
        return QuantizedTensor(codes, Parameters(dtype, x._parameters.scale[0], 0, None))
    axis = x.axis if x.axis in axes else axes[0]
    return QuantizedTensor(codes, Parameters(x.dtype, x._parameters.scale, 0, axis))


@TABLE.rows("clone", "contiguous")
def clone(call: Call) -> QuantizedTensor:
    """Return a copy of the tensor, or the tensor itself if its codes are contiguous."""
    x, codes = call.x, call.on(call.x._codes)
    return x if codes is x._codes else QuantizedTensor(codes, x._parameters)


def _code(operator: str, x: QuantizedTensor, value: Any) -> int:
    """Return the code that represents a number with a tensor's parameters. If the tensor has channels, the number must
    be 0, because only 0 has the same code in all channels.
    """
    if not isinstance(value, Real):
        raise TypeMismatchError(f"{operator}: {type(value).__name__} is not a real number")
    real = real_of(operator, value)
    if real == 0:
        return x.zero_point
    if x.axis is not None:
        raise InvalidArgumentError(
            f"{operator}: {shown(value)} has another code in every channel; requantize per tensor"
        )
    return int(encoded(operator, x._parameters, real))


@TABLE.rows("pad")
def pad(call: Call) -> QuantizedTensor:
    """Pad a quantized tensor with the code of a value, or with elements of the tensor."""
    x, value, mode = call.x, call.value, call.mode
    constant = isinstance(mode, str) and mode == "constant"  # the core refuses a mode that is not a string
    code = _code(call.name, x, 0 if value is None else value) if constant else 0
    around = "edge" if constant else mode  # new channels have the scale of the nearest channel
    codes, numbers = call.replaced(value=code), call.replaced(mode=around, value=0)

    def channels(t: Tensor) -> Any:
        if not constant or x.size > 0:
            return numbers.on(t)
        assert x.axis is not None
        filled = tuple(max(size, 1) for size in x.shape)  # the mode "edge" needs an element
        padded = numbers.on(_spread(filled, x.axis, 0, beside(t)))
        return padded[tuple(slice(None if size > 0 else -1) for size in x.shape)]

    return moved(call.name, x, codes.on, channels)  # type: ignore[no-any-return]


@TABLE.rows("diag")
def diag(call: Call) -> QuantizedTensor:
    """Make a matrix with a given diagonal and zeros elsewhere, or return a matrix's diagonal."""
    return moved(call.name, call.x, _zero_filling(call))  # type: ignore[no-any-return]


@TABLE.rows("tril", "triu")
def triangle(call: Call) -> QuantizedTensor:
    """Return a copy with zeros above or below a diagonal. All other elements stay in their channels."""
    return moved(call.name, call.x, _zero_filling(call), lambda t: t)  # type: ignore[no-any-return]


def _zero_filling(call: Call) -> Move:
    """Return a function that moves codes by the operator of the call. The elements that the operator fills with 0
    receive the code of 0.
    """
    x = call.x

    def filled(codes: Tensor) -> Tensor:
        if x.zero_point == 0:
            return call.on(codes)  # type: ignore[no-any-return]
        shifted = _core.add(call.on(x._parameters.centred(codes)), x.zero_point)
        return _core.astype(shifted, x.dtype.storage, True)

    return filled


def _together(operator: str, operands: Sequence[Any]) -> Parameters:
    """Return the parameters that quantized operands have in common."""
    first, *others = (quantized(operator, x)._parameters for x in operands)
    for other in others:
        if not first.agrees(other):
            raise InvalidArgumentError(f"{operator}: the parameters of the operands differ; requantize the operands")
    return first


@TABLE.rows("concat", "stack", several=True)
def join(call: Call) -> QuantizedTensor:
    """Join tensors that have the same parameters, or that are joined along the axis of their channels."""
    operator, operands = call.name, call.tensors
    if not isinstance(operands, list | tuple):
        raise TypeMismatchError(f"{operator}: a quantized tensor is not a sequence of tensors")
    if not any(isinstance(x, QuantizedTensor) for x in operands):  # only an option is quantized
        return NotImplemented  # type: ignore[no-any-return]
    tensors = [quantized(operator, x) for x in operands]
    codes = call.on([x._codes for x in tensors])
    first = tensors[0]._parameters
    if first.axis is None or any(x.axis is None for x in tensors):
        return QuantizedTensor(codes, _together(operator, tensors))
    if any(x.dtype != first.dtype for x in tensors):
        raise InvalidArgumentError(f"{operator}: the parameters of the operands differ; requantize the operands")
    if all(first.agrees(x._parameters) for x in tensors):
        numbers, scale = [_numbers(x._codes, first.axis) for x in tensors], first.scale
    else:
        scale, numbers, count = concat([x.scale for x in tensors]), [], 0
        for x in tensors:
            assert x.axis is not None
            numbers.append(_numbers(x._codes, x.axis, count))
            count += x.shape[x.axis]
    # The numbers are a copy. `stack` inserts an axis, perhaps before the axis of the channels.
    inserted = operator == "stack" and call.axis % codes.ndim <= first.axis
    joined = Parameters(first.dtype, scale, 0, first.axis + inserted)
    return QuantizedTensor(codes, _chosen(operator, call.on(numbers), joined))


@TABLE.rows("meshgrid", "broadcast_arrays", "broadcast_tensors", several=True)
def apart(call: Call) -> Any:
    """Apply an operator of several operands. Each quantized operand keeps its parameters."""
    operator, operands = call.name, call.tensors
    if not isinstance(operands, list | tuple):
        raise TypeMismatchError(f"{operator}: {type(operands).__name__} is not a list or tuple of tensors")
    if not any(isinstance(x, QuantizedTensor) for x in operands):  # only an option is quantized
        return NotImplemented
    codes = [x._codes if isinstance(x, QuantizedTensor) else x for x in operands]
    axes = [x.axis if isinstance(x, QuantizedTensor) else None for x in operands]
    numbers = [t if axis is None else _numbers(t, axis) for t, axis in zip(codes, axes, strict=True)]
    results = zip(operands, call.on(codes), call.on(numbers), strict=True)
    return tuple(
        _joined(operator, result, number if x.axis is not None else None, x._parameters)
        if isinstance(x, QuantizedTensor)
        else result
        for x, result, number in results
    )


@TABLE.rows("where", several=True)
def where(call: Call) -> QuantizedTensor:
    """Select elements of two operands by a condition. Quantized operands must have the same parameters, and a number is
    encoded with these parameters.
    """
    operator, condition, x1, x2 = call.name, call.condition, call.x1, call.x2
    tensors = [x for x in (x1, x2) if not isinstance(x, Real)]
    if isinstance(condition, QuantizedTensor) or not tensors:
        raise TypeMismatchError(f"{operator}: a quantized tensor is not a condition")
    parameters = _together(operator, tensors)
    whole = QuantizedTensor(quantized(operator, tensors[0])._codes, parameters)
    first, second = (x._codes if isinstance(x, QuantizedTensor) else _code(operator, whole, x) for x in (x1, x2))
    codes = call.on(condition, first, second)
    if parameters.axis is not None and any(x.shape != codes.shape for x in tensors):
        raise DimensionsMismatchError(f"{operator}: operands with channels are not broadcast to {codes.shape}")
    return QuantizedTensor(codes, parameters)


@TABLE.rows("masked_fill")
def masked_fill(call: Call) -> QuantizedTensor:
    """Return a copy with the code of a value where the mask is true."""
    x = call.x
    codes = call.on(x._codes, call.mask, _code(call.name, x, call.value))
    return moved(call.name, x, lambda _: codes, lambda t: _core.expand(t, codes.shape))  # type: ignore[no-any-return]


@TABLE.rows("scatter", "scatter_nd")
def scattered(call: Call) -> QuantizedTensor:
    """Return a copy with the codes of the updates at the elements that indices select."""
    operator, x, index, updates = call.name, *call[:3]
    if call.mode in ("add", "mul"):
        raise InvalidArgumentError(
            f"{operator}: mode {shown(call.mode)} needs real numbers; dequantize the operands first"
        )
    if isinstance(updates, Real):
        values: Any = _code(operator, x, updates)
    else:
        _together(operator, (x, updates))
        if x.axis is not None:
            raise InvalidArgumentError(f"{operator}: the channels of updates differ from the channels of their places")
        values = updates._codes
    return QuantizedTensor(call.on(x._codes, index, values), x._parameters)


def _ordered(call: Call) -> Tensor:
    """Return a tensor whose elements have the order of the real numbers along the axis of the call: the codes, or the
    real numbers if the scales differ along the axis. The axis None stands for all axes.
    """
    x: QuantizedTensor = call.x
    axis = call.axis
    if x.axis is None or (axis is not None and _core.read_axis(call.name, axis, x.ndim) != x.axis):
        return x._codes
    return x._parameters.decoded(x._codes, float64)


@TABLE.rows("argmax", "argmin", "argsort", out=True)
def search(call: Call) -> Tensor:
    """Return the indices that `argmax`, `argmin` or `argsort` finds in the order of the real numbers."""
    return call.on(_ordered(call), out=call.out)  # type: ignore[no-any-return]


@TABLE.rows("sort")
def sort(call: Call) -> QuantizedTensor:
    """Return the tensor with the codes sorted in the order of the real numbers."""
    x = call.x
    if x.axis is not None and _core.read_axis(call.name, call.axis, x.ndim) == x.axis:
        text = f"{call.name}: axis {shown(call.axis)} is the axis of the channels; requantize per tensor"
        raise InvalidArgumentError(text)
    return QuantizedTensor(call.on(x._codes), x._parameters)


@TABLE.rows("topk")
def topk(call: Call) -> Any:
    """Return the elements that `topk` selects by the order of the real numbers, as a quantized tensor, and the indices
    of the elements.
    """
    found = call.on(_ordered(call))

    def selected(t: Tensor) -> Tensor:
        if t.ndim == 0:  # a scalar counts as one element
            return _core.take(t, found.indices, None)
        return _core.take_along_axis(t, found.indices, call.axis)

    values = moved(call.name, call.x, selected)
    return found._replace(values=values)


@TABLE.rows("nonzero", "count_nonzero")
def nonzero(call: Call) -> Any:
    """Return the indices, or the number, of the elements whose codes differ from the code of 0."""
    return call.on(_core.not_equal(call.x._codes, call.x.zero_point))


@TABLE.rows("__getitem__")
def get(call: Call) -> Any:
    """Return the elements that a key selects. The function accepts any key that dense tensors accept."""
    return moved("index", call.x, lambda t: t[call.key])


@TABLE.rows("__setitem__")
def put(call: Call) -> None:
    """Assign numbers, or the real numbers of a quantized tensor, to the elements that a key selects. The numbers are
    encoded with the parameters of the changed tensor.
    """
    x, key, value = call.x, call.key, call.value
    real = value.parameters.decoded(value._codes, float64) if isinstance(value, QuantizedTensor) else value
    if x.axis is None:
        x._codes[key] = encoded("index", x._parameters, real)
        return
    values, _ = source(real, "index")
    if values is not real:
        values = placed(values, beside(x._codes), "index")
    values, scales = broadcast_arrays(values, _core.expand(x._parameters.scales(x.ndim), x.shape)[key])
    x._codes[key] = encoded("index", Parameters(x.dtype, scales, 0, None), values)


@TABLE.rows("to_device")
def to_device(call: Call) -> QuantizedTensor:
    """Return a copy on the device, or the tensor itself if the device already stores the tensor."""
    x: QuantizedTensor = call.x
    codes = x._codes.to_device(call.device, stream=call.stream)
    return x if codes is x._codes else QuantizedTensor(codes, x._parameters.beside(codes))


@TABLE.rows("destroy")
def destroy(call: Call) -> None:
    """Release the codes and the parameters of a tensor. Views of the tensor stay valid."""
    call.x._end()


@TABLE.rows("is_contiguous")
def is_contiguous(call: Call) -> bool:
    """Return whether the codes are contiguous."""
    return call.on(call.x._codes)  # type: ignore[no-any-return]
