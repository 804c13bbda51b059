"""The names of the operators of neural networks. The first use of `suanzi.nn` imports this package.

The standard names no function of `suanzi.nn`. A function with a counterpart in PyTorch's functional interface has the
name of the counterpart, without a suffix such as "2d". Only `lrn` has another name than its counterpart
`local_response_norm`. Each function has a record, like the standard's operators.
"""

from suanzi.kinds import sparse as _sparse
from suanzi.nn import quantized as _quantized
from suanzi.nn.activations import gelu, hardswish, log_softmax, mish, relu, sigmoid, silu, softmax, softplus
from suanzi.nn.attention import scaled_dot_product_attention
from suanzi.nn.convolution import conv, conv_transpose
from suanzi.nn.normalisation import batch_norm, group_norm, instance_norm, layer_norm, lrn, rms_norm
from suanzi.nn.packed import linear_packed
from suanzi.nn.pooling import (
    adaptive_avg_pool,
    adaptive_max_pool,
    avg_pool,
    global_avg_pool,
    global_lp_pool,
    global_max_pool,
    lp_pool,
    max_pool,
    max_unpool,
)
from suanzi.nn.rectifiers import celu, elu, glu, hardsigmoid, leaky_relu, prelu, selu, softsign
from suanzi.nn.recurrent import gru, lstm, rnn
from suanzi.nn.sampling import grid_sample, nms, roi_align
from suanzi.nn.selection import embedding, one_hot, pixel_shuffle, pixel_unshuffle
from suanzi.tensor.absent import attributes_of
from suanzi.tensor.composed import compose

__all__ = [
    "adaptive_avg_pool",
    "adaptive_max_pool",
    "avg_pool",
    "batch_norm",
    "celu",
    "conv",
    "conv_transpose",
    "elu",
    "embedding",
    "gelu",
    "global_avg_pool",
    "global_lp_pool",
    "global_max_pool",
    "glu",
    "grid_sample",
    "group_norm",
    "gru",
    "hardsigmoid",
    "hardswish",
    "instance_norm",
    "layer_norm",
    "leaky_relu",
    "linear_packed",
    "log_softmax",
    "lp_pool",
    "lrn",
    "lstm",
    "max_pool",
    "max_unpool",
    "mish",
    "nms",
    "one_hot",
    "pixel_shuffle",
    "pixel_unshuffle",
    "prelu",
    "relu",
    "rms_norm",
    "rnn",
    "roi_align",
    "scaled_dot_product_attention",
    "selu",
    "sigmoid",
    "silu",
    "softmax",
    "softplus",
    "softsign",
]

compose(__name__, __all__)
for _table in (_sparse.TABLE, _quantized.TABLE):
    _table.serve_again()  # the rows of a table need the records that the imports above have made

__getattr__ = attributes_of(__name__)
