"""Operators of neural networks: a list of names. The first use of `suanzi.nn` imports this package.

The standard names none of them. They have the names of PyTorch's functional interface where it has them, and records
like the standard's operators.
"""

from suanzi.nn.activations import gelu, hardswish, log_softmax, mish, relu, sigmoid, silu, softmax, softplus
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
from suanzi.nn.sampling import grid_sample, nms, roi_align
from suanzi.nn.selection import embedding, one_hot, pixel_shuffle, pixel_unshuffle
from suanzi.tensor.composed import compose

__all__ = [
    "adaptive_avg_pool",
    "adaptive_max_pool",
    "avg_pool",
    "embedding",
    "gelu",
    "global_avg_pool",
    "global_lp_pool",
    "global_max_pool",
    "grid_sample",
    "hardswish",
    "log_softmax",
    "lp_pool",
    "max_pool",
    "max_unpool",
    "mish",
    "nms",
    "one_hot",
    "pixel_shuffle",
    "pixel_unshuffle",
    "relu",
    "roi_align",
    "sigmoid",
    "silu",
    "softmax",
    "softplus",
]

compose(__name__, __all__)
