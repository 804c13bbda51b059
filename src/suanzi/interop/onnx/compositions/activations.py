"""Activations: elementwise functions, and functions that reduce an axis (softmax and its variants)."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import suanzi
from suanzi import Tensor, extras, nn
from suanzi.interop.onnx.compositions.reading import of_same_shape, positive_axis

_FLAT = 40.0


def relu(x: Tensor) -> Tensor:
    return suanzi.maximum(x, 0)


def prelu(x: Tensor, slope: Tensor) -> Tensor:
    return of_same_shape("PRelu", suanzi.where(suanzi.less(x, 0), x * slope, x), x)


def thresholded_relu(x: Tensor, *, alpha: float) -> Tensor:
    return suanzi.where(suanzi.greater(x, alpha), x, 0)


def sigmoid(x: Tensor) -> Tensor:
    # The power keeps all digits where the result is small. The bound _FLAT prevents overflow where the result is 1.
    power = suanzi.exp(suanzi.minimum(x, _FLAT))
    return power / (power + 1)


def hard_swish(x: Tensor) -> Tensor:
    return x * (suanzi.clip(x + 3, 0, 6) / 6)  # near -3, where the result is small, the sum is exact


def swish(x: Tensor, *, alpha: float) -> Tensor:
    return x * sigmoid(x * alpha)


def swiglu(a: Tensor, b: Tensor, *, alpha: float) -> Tensor:
    return swish(a, alpha=alpha) * b


def softplus(x: Tensor) -> Tensor:
    return suanzi.maximum(x, 0) + suanzi.log1p(suanzi.exp(suanzi.negative(suanzi.abs(x))))


def mish(x: Tensor) -> Tensor:
    return x * suanzi.tanh(softplus(x))


def gelu(x: Tensor, *, approximate: str) -> Tensor:
    if approximate == "tanh":
        # Half of 1 + tanh(u) is the sigmoid of 2 u. The sigmoid keeps its digits where tanh is near -1.
        return x * sigmoid((x + x * x * x * 0.044715) * math.sqrt(8 / math.pi))
    return extras.gelu(x)


def shrink(x: Tensor, *, lambd: float, bias: float) -> Tensor:
    shrunk = suanzi.where(suanzi.less(x, -lambd), x + bias, suanzi.where(suanzi.greater(x, lambd), x - bias, 0))
    return suanzi.astype(shrunk, x.dtype, copy=False)


def softmax(x: Tensor, *, axis: int) -> Tensor:
    return nn.softmax(x, positive_axis(axis, x.ndim, "Softmax"))


def log_softmax(x: Tensor, *, axis: int) -> Tensor:
    return extras.log_softmax(x, positive_axis(axis, x.ndim, "LogSoftmax"))


def hardmax(x: Tensor, *, axis: int) -> Tensor:
    if x.size == 0:
        return x
    greatest = suanzi.argmax(x, axis, True)
    along = [1] * x.ndim
    along[axis] = x.shape[axis]
    places = suanzi.reshape(suanzi.arange(x.shape[axis], dtype=greatest.dtype), along)
    return suanzi.astype(suanzi.equal(places, greatest), x.dtype)


def flattened(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Make a function that calls softmax or a variant by the rule of opsets before 13: `axis` and all later axes count
    as one axis.
    """

    return partial(_flattened, function)


def _flattened(function: Callable[..., Tensor], x: Tensor, *, axis: int) -> Tensor:
    rows = math.prod(x.shape[: axis + x.ndim if axis < 0 else axis])
    matrix = suanzi.reshape(x, (rows, x.size // rows if rows else 0))
    return suanzi.reshape(function(matrix, axis=1), x.shape)
