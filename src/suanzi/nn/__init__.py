"""Operators of neural networks: a list of names. The first use of `suanzi.nn` imports this package.

The standard names none of them. They have the names of PyTorch's functional interface where it has them, and records
like the standard's operators.
"""

from suanzi.nn.activations import (
    gelu,
    hardswish,
    log_softmax,
    mish,
    relu,
    sigmoid,
    silu,
    softmax,
    softplus,
)
from suanzi.nn.attention import scaled_dot_product_attention
from suanzi.nn.normalisation import batch_norm, group_norm, instance_norm, layer_norm, lrn, rms_norm
from suanzi.nn.rectifiers import celu, elu, glu, hardsigmoid, leaky_relu, prelu, selu, softsign
from suanzi.nn.recurrent import gru, lstm, rnn
from suanzi.tensor.composed import compose

__all__ = [
    "batch_norm",
    "celu",
    "elu",
    "gelu",
    "glu",
    "group_norm",
    "gru",
    "hardsigmoid",
    "hardswish",
    "instance_norm",
    "layer_norm",
    "leaky_relu",
    "log_softmax",
    "lrn",
    "lstm",
    "mish",
    "prelu",
    "relu",
    "rms_norm",
    "rnn",
    "scaled_dot_product_attention",
    "selu",
    "sigmoid",
    "silu",
    "softmax",
    "softplus",
    "softsign",
]

compose(__name__, __all__)
