"""Everyday functions that the standard does not name. The standard's operators compute most of the functions.

The first use of `suanzi.extras` imports this package.
"""

from suanzi.extras.error_function import erf, erfc
from suanzi.extras.joining import diff, hstack, kron, vstack
from suanzi.extras.missing import (
    nanargmax,
    nanargmin,
    nanmax,
    nanmean,
    nanmin,
    nanprod,
    nanstd,
    nansum,
    nanvar,
)
from suanzi.extras.quantiles import median, nanmedian, nanquantile, quantile
from suanzi.extras.statistics import Histogram, bincount, corrcoef, cov, histogram
from suanzi.nn.activations import gelu, hardswish, log_softmax, mish, relu, sigmoid, silu, softmax, softplus
from suanzi.tensor.absent import attributes_of
from suanzi.tensor.composed import compose

__all__ = [
    "Histogram",
    "bincount",
    "corrcoef",
    "cov",
    "diff",
    "erf",
    "erfc",
    "gelu",
    "hardswish",
    "histogram",
    "hstack",
    "kron",
    "log_softmax",
    "median",
    "mish",
    "nanargmax",
    "nanargmin",
    "nanmax",
    "nanmean",
    "nanmedian",
    "nanmin",
    "nanprod",
    "nanquantile",
    "nanstd",
    "nansum",
    "nanvar",
    "quantile",
    "relu",
    "sigmoid",
    "silu",
    "softmax",
    "softplus",
    "vstack",
]

compose(__name__, __all__)

__getattr__ = attributes_of(__name__)
