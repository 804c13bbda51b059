"""Operators of neural networks: a list of names. The first use of `suanzi.nn` imports this package.

The standard names none of them. They have the names of PyTorch's functional interface where it has them, and records
like the standard's operators.
"""

from suanzi.nn.activations import gelu, hardswish, log_softmax, mish, relu, sigmoid, silu, softmax, softplus
from suanzi.nn.convolution import conv, conv_transpose
from suanzi.tensor.composed import compose

__all__ = [
    "conv",
    "conv_transpose",
    "gelu",
    "hardswish",
    "log_softmax",
    "mish",
    "relu",
    "sigmoid",
    "silu",
    "softmax",
    "softplus",
]

compose(__name__, __all__)
