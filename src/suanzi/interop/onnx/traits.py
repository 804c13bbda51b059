"""What can be said of operators before they run: how much they make, whether they draw, whether they only view."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from suanzi import Tensor

IDENTITY = "Identity"
READING = "reading"  # the name of calls, none of ONNX's, that read tensors as Python's numbers

_DRAWING = """
    Bernoulli Dropout Multinomial RandomNormal RandomNormalLike RandomUniform RandomUniformLike
"""
_VIEWING = """
    Cast CastLike CenterCropPad Clip Dropout Expand Flatten Identity Max Min Reshape Resize Slice Split Squeeze Sum
    Transpose Unsqueeze Upsample
"""
_BROADCASTING = """
    Abs Acos Acosh Add And Asin Asinh Atan Atanh BitShift BitwiseAnd BitwiseNot BitwiseOr BitwiseXor Ceil Clip Cos Cosh
    Div Equal Erf Exp Floor Greater GreaterOrEqual IsInf IsNaN Less LessOrEqual Log Mod Mul Neg Not Or Pow Reciprocal
    Relu Round Sigmoid Sign Sin Sinh Softplus Sqrt Sub Tan Tanh Where Xor
"""
_SHRINKING = """
    ArgMax ArgMin BitCast Cast CastLike CumProd CumSum DequantizeLinear EyeLike Flatten QuantizeLinear ReduceL1 ReduceL2
    ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum ReduceSumSquare Reshape
    ReverseSequence Slice Split Squeeze Transpose Trilu Unsqueeze
"""

_SHAPED = """
    BatchNormalization Celu Concat ConstantOfShape DepthToSpace Einsum Elu Expand Gather GatherElements GatherND Gelu
    Gemm HardSigmoid HardSwish Identity InstanceNormalization LRN LayerNormalization LeakyRelu LogSoftmax
    LpNormalization MatMul MatMulInteger Max Mean Min Mish PRelu Pad QLinearMatMul RMSNormalization Scatter
    ScatterElements ScatterND Selu Softmax Softsign SpaceToDepth Sum Swish Tile TopK
"""

_FOLDING = """
    Celu Elu Gelu GlobalAveragePool GlobalLpPool GlobalMaxPool HardSigmoid HardSwish InstanceNormalization
    LayerNormalization LeakyRelu LogSoftmax LpNormalization Max Mean MeanVarianceNormalization Min Mish PRelu
    RMSNormalization ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum
    ReduceSumSquare Selu Shrink Softmax Softsign Sum SwiGLU Swish ThresholdedRelu
"""

DRAWING = frozenset(_DRAWING.split())
"""They give something else each time."""

VIEWING = frozenset(_VIEWING.split())
"""Their result may be the first operand, or lie in its memory."""

SHAPED = frozenset(f"{_BROADCASTING} {_SHRINKING} {_SHAPED}".split())
"""The shapes of their results follow from those of their operands, and from the operands that are read as numbers."""


CHAINED = frozenset(f"{_BROADCASTING} {_FOLDING} Cast CastLike DequantizeLinear QuantizeLinear".split())
"""They are elementwise, or reductions with what stands around them: those that follow each other may be fused."""


def elements(shape: Iterable[int]) -> int:
    """At least those of the shape, and of what a reduction leaves of it: something even along an axis of size 0."""
    return math.prod(max(size, 1) for size in shape)


def _of_first(x: Tensor, *others: Any) -> int:
    return elements(x.shape)


def _broadcast(*operands: Any) -> int:
    return _together(*(x.shape for x in operands if isinstance(x, Tensor)))


def _together(*shapes: tuple[int, ...]) -> int:
    """At least the elements of the shape to which these broadcast."""
    rank = max(map(len, shapes))
    return math.prod(max(1, *sizes) for sizes in zip(*((1,) * (rank - len(s)) + s for s in shapes), strict=True))


def _one_by_one(*operands: Any) -> int:
    return _broadcast(*operands) * len(operands)


def _range(start: Tensor, limit: Tensor, delta: Tensor) -> float:
    numbers: list[Any] = [x.item() for x in (start, limit, delta)]
    first, last, step = numbers
    return float(abs((last - first) / step)) + 1


MOST_ELEMENTS: Mapping[str, Callable[..., float]] = {
    **dict.fromkeys(_BROADCASTING.split(), _broadcast),
    **dict.fromkeys(["Max", "Mean", "Min", "Sum"], _one_by_one),
    **dict.fromkeys(_SHRINKING.split(), _of_first),
    READING: _of_first,
    "Concat": lambda *parts: sum(elements(x.shape) for x in parts),
    "ConstantOfShape": lambda shape: elements(shape),
    "Expand": lambda x, shape: _together(x.shape, shape),
    "Gather": lambda x, indices: elements(x.shape) * elements(indices.shape),
    "GatherElements": lambda x, indices: elements(indices.shape),
    "Range": _range,
    "Shape": lambda x: x.ndim,
    "Size": lambda x: 1,
    "Tile": lambda x, times: elements(x.shape) * elements(times),
}
"""For operands, at least how many elements the results have, and how many a call works on, up to a small factor.

Only operators stand here whose work is in proportion to that: no products of matrices, no sorting.
"""
