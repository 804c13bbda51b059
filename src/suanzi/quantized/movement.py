"""Shape and index operators on quantized tensors: they move codes, and the channels follow.

Where the channels of a result are is not worked out for each operator. The numbers of the channels, broadcast to the
shape of the tensor, are moved in the same way; where they end up varying along one axis only, that is the axis, and
they say which scale goes where. For views that is a view of a vector; for copies it takes 4 bytes for each element.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from numbers import Real
from typing import Any

from suanzi import _core
from suanzi._core import Tensor
from suanzi.quantized.arithmetic import real_of
from suanzi.quantized.parameters import Parameters, encoded
from suanzi.quantized.tensor import QuantizedTensor, quantized, table_of
from suanzi.quantized.types import common_type
from suanzi.tensor.dtypes import float32, float64, int32
from suanzi.tensor.exchange import source
from suanzi.tensor.messages import shown
from suanzi.tensor.status import DimensionsMismatchError, InvalidArgumentError, TypeMismatchError

Move = Callable[[Tensor], Any]  # gives a tensor or a tuple of tensors


def moved(operator: str, x: QuantizedTensor, move: Move, channels: Move | None = None) -> Any:
    """The result of a move of the codes; `channels` moves the numbers of the channels, where another must."""
    result = move(x.codes)
    if x.axis is None:
        if isinstance(result, tuple):
            return tuple(QuantizedTensor(codes, x.parameters) for codes in result)
        return QuantizedTensor(result, x.parameters)
    return _joined(operator, result, (channels or move)(_numbers(x.shape, x.axis)), x.parameters)


def _numbers(shape: tuple[int, ...], axis: int, first: int = 0) -> Tensor:
    """The number of its channel at each position, without memory for each."""
    count = shape[axis]
    numbers = _core.arange(first, first + count, 1, int32, None)
    return _core.expand(_core.reshape(numbers, (count, *(1,) * (len(shape) - axis - 1))), shape)


def _joined(operator: str, result: Any, numbers: Any, parameters: Parameters) -> Any:
    """Moved codes, a tensor or a tuple, with the parameters that the numbers of their channels choose."""
    if isinstance(result, tuple):
        return tuple(_joined(operator, *pair, parameters) for pair in zip(result, numbers, strict=True))
    if numbers is None:
        return QuantizedTensor(result, parameters)
    return QuantizedTensor(result, _chosen(operator, numbers, parameters))


def _chosen(operator: str, numbers: Tensor, parameters: Parameters) -> Parameters:
    """The parameters of a result whose elements are of the channels with these numbers.

    Where all elements are of one channel, or there are none, one scale serves all; the axis of the channels stays
    where it was if it still has that size.
    """
    varying = [d for d in range(numbers.ndim) if numbers.shape[d] > 1 and numbers.strides[d] != 0]
    if numbers.size > 0 and varying and not _same(numbers):
        for axis in varying:
            line = numbers[tuple(slice(None) if d == axis else 0 for d in range(numbers.ndim))]
            column = _core.reshape(line, (-1, *(1,) * (numbers.ndim - axis - 1)))
            if len(varying) == 1 or _core.all(_core.equal(numbers, column), None, False, None):
                return Parameters(parameters.dtype, _core.take(parameters.scale, line, 0), 0, axis)
        raise InvalidArgumentError(
            f"{operator}: the channels would not lie along one axis of shape {numbers.shape}; requantize per tensor"
        )
    scale = parameters.scale[numbers[(0,) * numbers.ndim]] if numbers.size else _core.full((), 1.0, float32, None, None)
    at = parameters.axis
    if at is not None and at < numbers.ndim and (numbers.shape[at] == 1 or numbers.size == 0):
        return Parameters(parameters.dtype, _core.clone(_core.expand(scale, (numbers.shape[at],))), 0, at)
    return Parameters(common_type([parameters.dtype], False), scale, 0, None)


def _same(numbers: Tensor) -> bool:
    """Whether all numbers are one."""
    least, greatest = (extreme(numbers, None, False, None).item() for extreme in (_core.min, _core.max))
    return bool(least == greatest)


def _move(operator: str, x: QuantizedTensor, *arguments: Any) -> Any:
    """An operator that takes elements from elsewhere and has no other quantized operand."""
    function = getattr(_core, operator)
    return moved(operator, x, lambda t: function(t, *arguments))


def _clone(operator: str, x: QuantizedTensor) -> QuantizedTensor:
    codes = getattr(_core, operator)(x.codes)
    return x if codes is x.codes else QuantizedTensor(codes, x.parameters)


def _code(operator: str, x: QuantizedTensor, value: Any) -> int:
    """The code of a number among those of a tensor; with channels only 0 has one that is the same in all."""
    if not isinstance(value, Real):
        raise TypeMismatchError(f"{operator}: {type(value).__name__} is not a real number")
    real = real_of(operator, value)
    if real == 0:
        return x.zero_point
    if x.axis is not None:
        raise InvalidArgumentError(
            f"{operator}: {shown(value)} has another code in every channel; requantize per tensor"
        )
    return int(encoded(operator, x.parameters, real))


def _pad(operator: str, x: QuantizedTensor, widths: Any, mode: Any, value: Any) -> QuantizedTensor:
    code = _code(operator, x, 0 if value is None else value) if mode == "constant" else 0
    around = "edge" if mode == "constant" and x.size > 0 else mode  # new channels have the scale of the last
    return moved(  # type: ignore[no-any-return]
        operator, x, lambda t: _core.pad(t, widths, mode, code), lambda t: _core.pad(t, widths, around, 0)
    )


def _zero_filling(operator: str, x: QuantizedTensor, offset: Any) -> QuantizedTensor:
    """An operator that puts 0 where it takes no element: the code of 0 where that is another."""
    function = getattr(_core, operator)

    def move(codes: Tensor) -> Tensor:
        if x.zero_point == 0:
            return function(codes, offset)  # type: ignore[no-any-return]
        shifted = _core.add(function(x.parameters.centred(codes), offset), x.zero_point)
        return _core.astype(shifted, x.dtype.storage, True)

    # Except for diag every element stays in its place, and so in its channel.
    return moved(operator, x, move, None if operator == "diag" else lambda t: t)  # type: ignore[no-any-return]


def _together(operator: str, operands: Sequence[Any]) -> Parameters:
    """The parameters that quantized operands have in common."""
    first, *others = (quantized(operator, x).parameters for x in operands)
    for other in others:
        if not first.agrees(other):
            raise InvalidArgumentError(f"{operator}: the operands differ in their parameters; requantize them alike")
    return first


def _without_out(operator: str, out: Any) -> None:
    if out is not None:
        raise InvalidArgumentError(f"{operator}: out is not taken with quantized operands")


def _combine(operator: str, operands: Any, axis: Any, out: Any) -> QuantizedTensor:
    """concat and stack: of parameters that agree, or of channels that come to lie one after the other."""
    _without_out(operator, out)
    if not isinstance(operands, list | tuple):
        raise TypeMismatchError(f"{operator}: a quantized tensor is not a sequence of them")
    if not any(isinstance(x, QuantizedTensor) for x in operands):  # but an option is
        return NotImplemented  # type: ignore[no-any-return]
    function = getattr(_core, operator)
    tensors = [quantized(operator, x) for x in operands]
    codes = function([x.codes for x in tensors], axis, None)
    first = tensors[0].parameters
    if first.axis is None or any(x.axis is None for x in tensors):
        return QuantizedTensor(codes, _together(operator, tensors))
    if any(x.dtype != first.dtype for x in tensors):
        raise InvalidArgumentError(f"{operator}: the operands differ in their parameters; requantize them alike")
    if all(first.agrees(x.parameters) for x in tensors):
        numbers, scale = [_numbers(x.shape, first.axis) for x in tensors], first.scale
    else:
        scale, numbers, count = _core.concat([x.scale for x in tensors], 0, None), [], 0
        for x in tensors:
            assert x.axis is not None
            numbers.append(_numbers(x.shape, x.axis, count))
            count += x.shape[x.axis]
    joined = Parameters(first.dtype, scale, 0, first.axis)
    return QuantizedTensor(codes, _chosen(operator, function(numbers, axis, None), joined))


def _apart(operator: str, operands: Sequence[Any], *options: Any) -> Any:
    """meshgrid and broadcast_arrays, by either name: every operand keeps its parameters."""
    if not isinstance(operands, list | tuple):
        raise TypeMismatchError(f"{operator}: {type(operands).__name__} is not a list or tuple of tensors")
    if not any(isinstance(x, QuantizedTensor) for x in operands):  # but an option is
        return NotImplemented
    function = getattr(_core, operator)
    codes = [x.codes if isinstance(x, QuantizedTensor) else x for x in operands]
    axes = [x.axis if isinstance(x, QuantizedTensor) else None for x in operands]
    numbers = [t if axis is None else _numbers(t.shape, axis) for t, axis in zip(codes, axes, strict=True)]
    results = zip(operands, function(codes, *options), function(numbers, *options), strict=True)
    return tuple(
        _joined(operator, result, number if x.axis is not None else None, x.parameters)
        if isinstance(x, QuantizedTensor)
        else result
        for x, result, number in results
    )


def _where(operator: str, condition: Any, x1: Any, x2: Any, out: Any = None) -> QuantizedTensor:
    _without_out(operator, out)
    tensors = [x for x in (x1, x2) if not isinstance(x, Real)]
    if isinstance(condition, QuantizedTensor) or not tensors:
        raise TypeMismatchError(f"{operator}: a quantized tensor is not a condition")
    parameters = _together(operator, tensors)
    whole = QuantizedTensor(quantized(operator, tensors[0]).codes, parameters)
    first, second = (x.codes if isinstance(x, QuantizedTensor) else _code(operator, whole, x) for x in (x1, x2))
    codes = _core.where(condition, first, second)
    if parameters.axis is not None and any(x.shape != codes.shape for x in tensors):
        raise DimensionsMismatchError(f"{operator}: operands with channels are not broadcast to {codes.shape}")
    return QuantizedTensor(codes, parameters)


def _masked_fill(operator: str, x: QuantizedTensor, mask: Any, value: Any, out: Any = None) -> QuantizedTensor:
    _without_out(operator, out)
    code = _code(operator, x, value)
    codes = _core.masked_fill(x.codes, mask, code, None)
    return moved(operator, x, lambda _: codes, lambda t: _core.expand(t, codes.shape))  # type: ignore[no-any-return]


_UPDATES = ("update", "min", "max")


def _scatter(operator: str, x: QuantizedTensor, index: Any, updates: Any, *options: Any) -> QuantizedTensor:
    *places, mode, out = options
    _without_out(operator, out)
    if mode in ("add", "mul"):
        raise InvalidArgumentError(f"{operator}: mode {shown(mode)} needs real numbers; dequantize the operands first")
    if isinstance(updates, Real):
        values: Any = _code(operator, x, updates)
    else:
        _together(operator, (x, updates))
        if x.axis is not None:
            raise InvalidArgumentError(f"{operator}: the channels of updates are not those of their places")
        values = updates.codes
    return QuantizedTensor(getattr(_core, operator)(x.codes, index, values, *places, mode, None), x.parameters)


def _ordered(x: QuantizedTensor, axis: Any) -> Tensor:
    """What has the order of the real numbers along an axis: the codes, or with other scales the numbers."""
    if x.axis is None or (isinstance(axis, int) and axis % max(x.ndim, 1) != x.axis):
        return x.codes
    return x.parameters.decoded(x.codes, float64)


def _search(operator: str, x: QuantizedTensor, axis: Any, *options: Any) -> Tensor:
    return getattr(_core, operator)(_ordered(x, axis), axis, *options)  # type: ignore[no-any-return]


def _sort(operator: str, x: QuantizedTensor, axis: Any, descending: Any, stable: Any, out: Any) -> QuantizedTensor:
    _without_out(operator, out)
    if _ordered(x, axis) is not x.codes:
        raise InvalidArgumentError(f"{operator}: axis {shown(axis)} is that of the channels; requantize per tensor")
    return QuantizedTensor(_core.sort(x.codes, axis, descending, stable, None), x.parameters)


def _topk(operator: str, x: QuantizedTensor, k: Any, axis: Any, *options: Any) -> tuple[QuantizedTensor, Tensor]:
    _, indices = _core.topk(_ordered(x, axis), k, axis, *options)
    return moved(operator, x, lambda t: _core.take_along_axis(t, indices, axis)), indices


def _nonzero(operator: str, x: QuantizedTensor, *options: Any) -> Any:
    return getattr(_core, operator)(_core.not_equal(x.codes, x.zero_point), *options)


def _get(operator: str, x: QuantizedTensor, key: Any) -> Any:
    return moved("index", x, lambda t: t[key])


def _set(operator: str, x: QuantizedTensor, key: Any, value: Any) -> None:
    """Writes real numbers, or quantized ones that are encoded anew."""
    real = value.parameters.decoded(value.codes, float64) if isinstance(value, QuantizedTensor) else value
    if x.axis is None:
        x.codes[key] = encoded("index", x.parameters, real)
        return
    values, _ = source(real, "index")
    values, scales = _core.broadcast_arrays((values, _core.expand(x.parameters.scales(x.ndim), x.shape)[key]))
    x.codes[key] = encoded("index", Parameters(x.dtype, scales, 0, None), values)


def _destroy(operator: str, x: QuantizedTensor) -> None:
    _core.destroy(x.codes)


def _is_contiguous(operator: str, x: QuantizedTensor) -> bool:
    return _core.is_contiguous(x.codes)


_MOVES = (
    "reshape",
    "expand_dims",
    "squeeze",
    "flatten",
    "transpose",
    "permute_dims",
    "matrix_transpose",
    "slice",
    "crop",
    "roll",
    "flip",
    "reverse",
    "rot90",
    "moveaxis",
    "swapaxes",
    "expand",
    "broadcast_to",
    "tile",
    "repeat",
    "split",
    "unstack",
    "diagonal",
    "gather",
    "take",
    "index_select",
    "gather_tiled",
    "take_along_axis",
    "gather_nd",
    "masked_select",
)
_OF_ONE_TENSOR: dict[str, Callable[..., Any]] = {
    **dict.fromkeys(_MOVES, _move),
    **dict.fromkeys(("clone", "contiguous"), _clone),
    "pad": _pad,
    **dict.fromkeys(("diag", "tril", "triu"), _zero_filling),
    "masked_fill": _masked_fill,
    **dict.fromkeys(("scatter", "scatter_nd"), _scatter),
    **dict.fromkeys(("argmax", "argmin", "argsort"), _search),
    "sort": _sort,
    "topk": _topk,
    **dict.fromkeys(("nonzero", "count_nonzero"), _nonzero),
    "__getitem__": _get,
    "__setitem__": _set,
    "destroy": _destroy,
    "is_contiguous": _is_contiguous,
}
_OF_MANY: dict[str, Callable[..., Any]] = {
    **dict.fromkeys(("concat", "stack"), _combine),
    **dict.fromkeys(("meshgrid", "broadcast_arrays", "broadcast_tensors"), _apart),
    "where": _where,
}
TABLE = table_of(_OF_ONE_TENSOR, _OF_MANY)
