"""Operators of opsets before 8 that differ from the operators of later opsets by more than the name of an attribute.

Training is not supported. In opsets before 7, BatchNormalization and Dropout must set `is_test`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import suanzi
from suanzi import DimensionsMismatchError, InvalidArgumentError, OutOfRangeError, Tensor
from suanzi.interop.onnx.compositions import activations, normalisations, numbers, resizing, shapes
from suanzi.interop.onnx.types import AnyType, UnsupportedError, code_named, element_type
from suanzi.tensor.messages import shown


def batch_normalization(*, is_test: int, momentum: float, **attributes: Any) -> Callable[..., tuple[Tensor, ...]]:
    _refuse_training("BatchNormalization", is_test)
    return partial(_normalised, attributes)


def _normalised(attributes: dict[str, Any], *operands: Tensor) -> tuple[Tensor, ...]:
    return normalisations.batch_normalization(*operands, momentum=0.0, **attributes)


def dropout(*, is_test: int, ratio: float, outputs: int) -> Callable[..., Any]:
    _refuse_training("Dropout", is_test)
    return partial(normalisations.dropout_7, outputs=outputs, ratio=ratio)


def _refuse_training(operator: str, is_test: int) -> None:
    if not is_test:
        raise UnsupportedError(f"onnx: {operator} of an opset before 7 for training (is_test is 0) is not supported")


def cast(x: Any, *, to: str) -> Any:
    """Cast to the type whose name is the attribute `to`. In later opsets, `to` is the number of the type."""
    return numbers.cast(x, to=code_named(to, "Cast"))


def cast_type(_: Sequence[AnyType | None], attributes: Any) -> AnyType:
    return element_type(code_named(attributes["to"], "Cast"), "Cast")


def gemm(*, broadcast: int = 0, **attributes: Any) -> Callable[..., Tensor]:
    """Return a function that computes Gemm with the given attributes. The attribute `broadcast` has no effect: C always
    broadcasts, as in later opsets.
    """
    return numbers.gemm(**attributes)


def of_one_shape(operator: str, function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Return a function that also requires operands of one shape. Since opset 8, the operands broadcast."""
    return partial(_of_one_shape, operator, function)


def _of_one_shape(operator: str, function: Callable[..., Tensor], x: Tensor, *others: Tensor) -> Tensor:
    for each in others:
        if each.shape != x.shape:
            raise DimensionsMismatchError(f"{operator}: shapes {x.shape} and {each.shape} differ before opset 8")
    return function(x, *others)


def prelu(x: Tensor, slope: Tensor) -> Tensor:
    """Multiply negative elements by one slope, or by a slope for each channel (the second axis)."""
    if slope.size == 1:
        return activations.prelu(x, suanzi.reshape(slope, ()))
    normalisations.check_channels("PRelu", x, slope)
    return activations.prelu(x, slope if x.ndim < 2 else normalisations.per_channel(slope, x))


def split(
    x: Tensor,
    sizes: tuple[float, ...] | None = None,
    *,
    outputs: int,
    axis: int = 0,
    split: tuple[int, ...] | None = None,
) -> Sequence[Tensor]:
    """Split a tensor. The sizes are an attribute, or an operand of the type of `x`. The operand has precedence."""
    given = split if sizes is None else tuple(_whole("Split", "size", size) for size in sizes)
    return shapes.split(x, given, axis=axis, outputs=outputs)


def tile(x: Tensor, tiles: Any, axis: Any) -> Tensor:
    """Repeat a tensor along one axis. The axis and the number of tiles have the type of x."""
    count, along = _whole("Tile", "tiles", tiles), _whole("Tile", "axis", axis)
    if not 0 <= along < x.ndim:
        raise OutOfRangeError(f"Tile: axis {along} is outside [0, {x.ndim})")
    if count < 0:
        raise InvalidArgumentError(f"Tile: tiles is negative: {count}")
    return suanzi.tile(x, [count if i == along else 1 for i in range(x.ndim)])


def _whole(operator: str, what: str, value: Any) -> int:
    number = value[0] if isinstance(value, tuple) and len(value) == 1 else value
    if isinstance(number, tuple) or not math.isfinite(number) or int(number) != number:
        raise InvalidArgumentError(f"{operator}: {what} {shown(value)} is not a single integer")
    return int(number)


def upsample(x: Tensor, *, mode: str, height_scale: float, width_scale: float) -> Tensor:
    """Resize images of four axes along height and width, the last two axes."""
    if x.ndim != 4:
        raise DimensionsMismatchError(f"Upsample: x of shape {x.shape} does not have four dimensions")
    return resizing.upsample(x, (1.0, 1.0, height_scale, width_scale), mode=mode)
