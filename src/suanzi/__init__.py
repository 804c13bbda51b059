"""Suanzi (算子): the basic mathematical operators of T/AI 137.1-2025 on tensors.

The module lists the public names. The other modules of the package define the names.
"""

from typing import TYPE_CHECKING

try:
    from suanzi._core import Tensor
except ModuleNotFoundError as error:
    if error.name != "suanzi._core":
        raise
    from suanzi.uncompiled import reason

    raise ImportError(reason()) from None

from suanzi import devices, fft, linalg, random
from suanzi.devices import set_default_device, synchronize
from suanzi.interop.formats import load, save
from suanzi.kinds import QuantizedTensor, SparseTensor
from suanzi.operators.arithmetic import (
    abs,
    add,
    copysign,
    divide,
    floor_divide,
    fmod,
    maximum,
    minimum,
    multiply,
    multiply_add,
    negative,
    nextafter,
    positive,
    reciprocal,
    remainder,
    subtract,
    trace,
    true_divide,
)
from suanzi.operators.bitwise import (
    bitwise_and,
    bitwise_invert,
    bitwise_left_shift,
    bitwise_or,
    bitwise_right_shift,
    bitwise_xor,
)
from suanzi.operators.comparison import (
    allclose,
    array_equal,
    equal,
    greater,
    greater_equal,
    isclose,
    less,
    less_equal,
    not_equal,
)
from suanzi.operators.complex_numbers import complex, conj, imag, real
from suanzi.operators.creation.data import clone, contiguous, destroy, from_reference, tensor
from suanzi.operators.creation.filled import (
    empty,
    empty_like,
    full,
    full_like,
    ones,
    ones_like,
    zeros,
    zeros_like,
)
from suanzi.operators.creation.matrices import diag, diagonal, eye, tril, triu
from suanzi.operators.creation.quantized import dequantize, quantize, quantized_tensor, requantize
from suanzi.operators.creation.random import (
    bernoulli,
    multinomial,
    normal,
    normal_like,
    randperm,
    uniform,
    uniform_like,
)
from suanzi.operators.creation.sequences import arange, linspace
from suanzi.operators.creation.sparse import sparse_tensor, to_sparse
from suanzi.operators.exponential import exp, expm1, log, log1p, log2, log10, logaddexp
from suanzi.operators.hyperbolic import acosh, asinh, atanh, cosh, sinh, tanh
from suanzi.operators.index.search import argmax, argmin, count_nonzero, nonzero
from suanzi.operators.index.sorting import TopK, argsort, searchsorted, sort, topk, unique
from suanzi.operators.interpolation import interpolate
from suanzi.operators.linalg.eigenvalues import eig, eigh, eigvals, eigvalsh
from suanzi.operators.linalg.factorisations import cholesky, lu, qr, svd, svdvals
from suanzi.operators.linalg.norms import cond, matrix_norm, vector_norm
from suanzi.operators.linalg.products import (
    bilinear,
    cross,
    dot,
    einsum,
    linear,
    matmul,
    matrix_power,
    outer,
    tensordot,
    vecdot,
)
from suanzi.operators.linalg.solvers import det, inv, lstsq, matrix_rank, pinv, slogdet, solve
from suanzi.operators.logical import logical_and, logical_not, logical_or, logical_xor
from suanzi.operators.power import hypot, pow, rsqrt, sqrt, square
from suanzi.operators.query import is_contiguous, isfinite, isinf, isnan, rank, shape, size
from suanzi.operators.reduction.folds import all, any, max, min, prod, reduce, sum
from suanzi.operators.reduction.scans import cumulative_prod, cumulative_sum
from suanzi.operators.reduction.statistics import logsumexp, mean, norm1, norm2, std, var
from suanzi.operators.rounding import ceil, floor, rint, round, trunc
from suanzi.operators.transform.elements import astype, clip, sign, signbit, where
from suanzi.operators.transform.gathering import gather, gather_nd, gather_tiled, index_select, take, take_along_axis
from suanzi.operators.transform.joining import (
    broadcast_arrays,
    broadcast_tensors,
    concat,
    meshgrid,
    repeat,
    split,
    stack,
    tile,
    unstack,
)
from suanzi.operators.transform.masking import masked_fill, masked_select
from suanzi.operators.transform.rearranging import (
    crop,
    flip,
    moveaxis,
    pad,
    reverse,
    roll,
    rot90,
    slice,
    swapaxes,
)
from suanzi.operators.transform.scattering import scatter, scatter_nd
from suanzi.operators.transform.shape import (
    broadcast_to,
    expand,
    expand_dims,
    flatten,
    matrix_transpose,
    permute_dims,
    reshape,
    squeeze,
    transpose,
)
from suanzi.operators.trigonometric import acos, asin, atan, atan2, cos, sin, tan
from suanzi.quantized.types import (
    QuantizedType,
    qint8,
    qint8_asymmetric,
    qint8_per_channel,
    qint16,
    qint16_asymmetric,
    qint16_per_channel,
    quint8,
    quint16,
)
from suanzi.tensor import memory
from suanzi.tensor.defaults import set_default_dtype
from suanzi.tensor.device import Device
from suanzi.tensor.dtypes import (
    DType,
    as_dtype,
    bfloat16,
    complex64,
    complex128,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    string,
    uint8,
    uint16,
    uint32,
    uint64,
)
from suanzi.tensor.dtypes import bool_ as bool
from suanzi.tensor.layout import Layout
from suanzi.tensor.printing import get_printoptions, printoptions, set_printoptions
from suanzi.tensor.protocols import from_dlpack
from suanzi.tensor.status import (
    AllocFailedError,
    DimensionsMismatchError,
    InternalError,
    InvalidArgumentError,
    OutOfRangeError,
    Status,
    SuanziError,
    TypeMismatchError,
    UninitializedObjectError,
    attempt,
)
from suanzi.tensor.threads import get_num_threads, set_num_threads
from suanzi.tensor.tiles import tile_shape

if TYPE_CHECKING:
    from suanzi import array_api, extras, nn
    from suanzi.fusion import TraceError, fuse
    from suanzi.interop.formats.text import loadtxt
else:  # type checkers must not see `__getattr__`
    from suanzi.lazy import add_import_hints
    from suanzi.lazy import attribute as __getattr__

    add_import_hints(fft, linalg)
    del add_import_hints

__version__ = "0.2.0"

# Public names that are also Python's built-in names. ``from suanzi import *`` does not replace Python's functions and
# types.
_NAMES_OF_PYTHON = ("abs", "all", "any", "bool", "complex", "max", "min", "pow", "round", "slice", "sum")

__all__ = [
    "AllocFailedError",
    "DType",
    "Device",
    "DimensionsMismatchError",
    "InternalError",
    "InvalidArgumentError",
    "Layout",
    "OutOfRangeError",
    "QuantizedTensor",
    "QuantizedType",
    "SparseTensor",
    "Status",
    "SuanziError",
    "Tensor",
    "TopK",
    "TraceError",
    "TypeMismatchError",
    "UninitializedObjectError",
    "__version__",
    "acos",
    "acosh",
    "add",
    "allclose",
    "arange",
    "argmax",
    "argmin",
    "argsort",
    "array_api",
    "array_equal",
    "as_dtype",
    "asin",
    "asinh",
    "astype",
    "atan",
    "atan2",
    "atanh",
    "attempt",
    "bernoulli",
    "bfloat16",
    "bilinear",
    "bitwise_and",
    "bitwise_invert",
    "bitwise_left_shift",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "broadcast_arrays",
    "broadcast_tensors",
    "broadcast_to",
    "ceil",
    "cholesky",
    "clip",
    "clone",
    "complex64",
    "complex128",
    "concat",
    "cond",
    "conj",
    "contiguous",
    "copysign",
    "cos",
    "cosh",
    "count_nonzero",
    "crop",
    "cross",
    "cumulative_prod",
    "cumulative_sum",
    "dequantize",
    "destroy",
    "det",
    "devices",
    "diag",
    "diagonal",
    "divide",
    "dot",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "einsum",
    "empty",
    "empty_like",
    "equal",
    "exp",
    "expand",
    "expand_dims",
    "expm1",
    "extras",
    "eye",
    "fft",
    "flatten",
    "flip",
    "float16",
    "float32",
    "float64",
    "floor",
    "floor_divide",
    "fmod",
    "from_dlpack",
    "from_reference",
    "full",
    "full_like",
    "fuse",
    "gather",
    "gather_nd",
    "gather_tiled",
    "get_num_threads",
    "get_printoptions",
    "greater",
    "greater_equal",
    "hypot",
    "imag",
    "index_select",
    "int8",
    "int16",
    "int32",
    "int64",
    "interpolate",
    "inv",
    "is_contiguous",
    "isclose",
    "isfinite",
    "isinf",
    "isnan",
    "less",
    "less_equal",
    "linalg",
    "linear",
    "linspace",
    "load",
    "loadtxt",
    "log",
    "log1p",
    "log2",
    "log10",
    "logaddexp",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "logsumexp",
    "lstsq",
    "lu",
    "masked_fill",
    "masked_select",
    "matmul",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "matrix_transpose",
    "maximum",
    "mean",
    "memory",
    "meshgrid",
    "minimum",
    "moveaxis",
    "multinomial",
    "multiply",
    "multiply_add",
    "negative",
    "nextafter",
    "nonzero",
    "norm1",
    "norm2",
    "normal",
    "normal_like",
    "not_equal",
    "ones",
    "ones_like",
    "outer",
    "pad",
    "permute_dims",
    "pinv",
    "positive",
    "printoptions",
    "prod",
    "qint8",
    "qint8_asymmetric",
    "qint8_per_channel",
    "qint16",
    "qint16_asymmetric",
    "qint16_per_channel",
    "qr",
    "quantize",
    "quantized_tensor",
    "quint8",
    "quint16",
    "random",
    "randperm",
    "rank",
    "real",
    "reciprocal",
    "reduce",
    "remainder",
    "repeat",
    "requantize",
    "reshape",
    "reverse",
    "rint",
    "roll",
    "rot90",
    "rsqrt",
    "save",
    "scatter",
    "scatter_nd",
    "searchsorted",
    "set_default_device",
    "set_default_dtype",
    "set_num_threads",
    "set_printoptions",
    "shape",
    "sign",
    "signbit",
    "sin",
    "sinh",
    "size",
    "slogdet",
    "solve",
    "sort",
    "sparse_tensor",
    "split",
    "sqrt",
    "square",
    "squeeze",
    "stack",
    "std",
    "string",
    "subtract",
    "svd",
    "svdvals",
    "swapaxes",
    "synchronize",
    "take",
    "take_along_axis",
    "tan",
    "tanh",
    "tensor",
    "tensordot",
    "tile",
    "tile_shape",
    "to_sparse",
    "topk",
    "trace",
    "transpose",
    "tril",
    "triu",
    "true_divide",
    "trunc",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "uniform",
    "uniform_like",
    "unique",
    "unstack",
    "var",
    "vecdot",
    "vector_norm",
    "where",
    "zeros",
    "zeros_like",
]

for _name in __all__:
    # Error messages and pickles contain the public names, such as "suanzi.TypeMismatchError".
    if isinstance(globals().get(_name), type):
        globals()[_name].__module__ = __name__
del _name
