"""The functions of the Python array API standard 2025.12, including the extensions linalg and fft.

The first use of `suanzi.array_api` imports this package. If the array API and T/AI 137.1 agree on a function, the
package exports the function of `suanzi`. The package defines the other functions. Tensors created without a type are
float64, complex128 or int64. `cross`, `einsum`, `pad`, `transpose`, `diag` and `nansum` are not in the array API's main
namespace. Other libraries call these functions in the namespace of any array. xarray calls the first four functions,
SciPy calls `diag`, and Cubed calls `nansum`.
"""

from math import e, inf, nan, pi

from suanzi.array_api import fft, linalg
from suanzi.array_api.creation import (
    arange,
    asarray,
    empty,
    empty_like,
    eye,
    from_dlpack,
    full,
    full_like,
    linspace,
    ones,
    ones_like,
    zeros,
    zeros_like,
)
from suanzi.array_api.data_types import astype, can_cast, finfo, iinfo, isdtype, result_type
from suanzi.array_api.defaults import in_default_type
from suanzi.array_api.elementwise import maximum, minimum, where
from suanzi.array_api.inspection import namespace_info as __array_namespace_info__
from suanzi.array_api.manipulation import broadcast_shapes, pad, reshape
from suanzi.array_api.sets import isin, unique_all, unique_counts, unique_inverse, unique_values
from suanzi.array_api.statistics import cumulative_prod, cumulative_sum, mean, prod, std, sum, var
from suanzi.extras import diff, nansum  # the array API lacks nansum, but Cubed needs nansum
from suanzi.operators import arithmetic, exponential, hyperbolic, power, trigonometric
from suanzi.operators.arithmetic import (
    abs,
    add,
    divide,
    floor_divide,
    multiply,
    negative,
    positive,
    remainder,
    subtract,
)
from suanzi.operators.bitwise import (
    bitwise_and,
    bitwise_invert,
    bitwise_left_shift,
    bitwise_or,
    bitwise_right_shift,
    bitwise_xor,
)
from suanzi.operators.comparison import equal, greater, greater_equal, less, less_equal, not_equal
from suanzi.operators.complex_numbers import conj, imag, real
from suanzi.operators.creation.matrices import diag, tril, triu
from suanzi.operators.index.search import argmax, argmin, count_nonzero, nonzero
from suanzi.operators.index.sorting import argsort, searchsorted, sort
from suanzi.operators.linalg.products import cross, einsum, matmul, tensordot, vecdot
from suanzi.operators.logical import logical_and, logical_not, logical_or, logical_xor
from suanzi.operators.power import pow, square
from suanzi.operators.query import isfinite, isinf, isnan
from suanzi.operators.reduction.folds import all, any, max, min
from suanzi.operators.rounding import ceil, floor, round, trunc
from suanzi.operators.transform.elements import clip, sign, signbit
from suanzi.operators.transform.gathering import take, take_along_axis
from suanzi.operators.transform.joining import broadcast_arrays, concat, meshgrid, repeat, stack, tile, unstack
from suanzi.operators.transform.rearranging import flip, moveaxis, roll
from suanzi.operators.transform.shape import (
    broadcast_to,
    expand_dims,
    matrix_transpose,
    permute_dims,
    squeeze,
    transpose,
)
from suanzi.tensor.absent import attributes_of
from suanzi.tensor.composed import compose
from suanzi.tensor.dtypes import (
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
    uint8,
    uint16,
    uint32,
    uint64,
)
from suanzi.tensor.dtypes import bool_ as bool

# The package does not redefine functions with an operator in Python, such as `divide`, because ``x / y`` has the same
# result in every namespace.
acos = in_default_type(trigonometric.acos)
acosh = in_default_type(hyperbolic.acosh)
asin = in_default_type(trigonometric.asin)
asinh = in_default_type(hyperbolic.asinh)
atan = in_default_type(trigonometric.atan)
atan2 = in_default_type(trigonometric.atan2)
atanh = in_default_type(hyperbolic.atanh)
copysign = in_default_type(arithmetic.copysign)
cos = in_default_type(trigonometric.cos)
cosh = in_default_type(hyperbolic.cosh)
exp = in_default_type(exponential.exp)
expm1 = in_default_type(exponential.expm1)
hypot = in_default_type(power.hypot)
log = in_default_type(exponential.log)
log10 = in_default_type(exponential.log10)
log1p = in_default_type(exponential.log1p)
log2 = in_default_type(exponential.log2)
logaddexp = in_default_type(exponential.logaddexp)
nextafter = in_default_type(arithmetic.nextafter)
reciprocal = in_default_type(arithmetic.reciprocal)
sin = in_default_type(trigonometric.sin)
sinh = in_default_type(hyperbolic.sinh)
sqrt = in_default_type(power.sqrt)
tan = in_default_type(trigonometric.tan)
tanh = in_default_type(hyperbolic.tanh)

__array_api_version__ = "2025.12"

newaxis = None

__all__ = [
    "__array_api_version__",
    "__array_namespace_info__",
    "abs",
    "acos",
    "acosh",
    "add",
    "all",
    "any",
    "arange",
    "argmax",
    "argmin",
    "argsort",
    "asarray",
    "asin",
    "asinh",
    "astype",
    "atan",
    "atan2",
    "atanh",
    "bfloat16",
    "bitwise_and",
    "bitwise_invert",
    "bitwise_left_shift",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "bool",
    "broadcast_arrays",
    "broadcast_shapes",
    "broadcast_to",
    "can_cast",
    "ceil",
    "clip",
    "complex64",
    "complex128",
    "concat",
    "conj",
    "copysign",
    "cos",
    "cosh",
    "count_nonzero",
    "cross",
    "cumulative_prod",
    "cumulative_sum",
    "diag",
    "diff",
    "divide",
    "e",
    "einsum",
    "empty",
    "empty_like",
    "equal",
    "exp",
    "expand_dims",
    "expm1",
    "eye",
    "fft",
    "finfo",
    "flip",
    "float16",
    "float32",
    "float64",
    "floor",
    "floor_divide",
    "from_dlpack",
    "full",
    "full_like",
    "greater",
    "greater_equal",
    "hypot",
    "iinfo",
    "imag",
    "inf",
    "int8",
    "int16",
    "int32",
    "int64",
    "isdtype",
    "isfinite",
    "isin",
    "isinf",
    "isnan",
    "less",
    "less_equal",
    "linalg",
    "linspace",
    "log",
    "log1p",
    "log2",
    "log10",
    "logaddexp",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "matmul",
    "matrix_transpose",
    "max",
    "maximum",
    "mean",
    "meshgrid",
    "min",
    "minimum",
    "moveaxis",
    "multiply",
    "nan",
    "nansum",
    "negative",
    "newaxis",
    "nextafter",
    "nonzero",
    "not_equal",
    "ones",
    "ones_like",
    "pad",
    "permute_dims",
    "pi",
    "positive",
    "pow",
    "prod",
    "real",
    "reciprocal",
    "remainder",
    "repeat",
    "reshape",
    "result_type",
    "roll",
    "round",
    "searchsorted",
    "sign",
    "signbit",
    "sin",
    "sinh",
    "sort",
    "sqrt",
    "square",
    "squeeze",
    "stack",
    "std",
    "subtract",
    "sum",
    "take",
    "take_along_axis",
    "tan",
    "tanh",
    "tensordot",
    "tile",
    "transpose",
    "tril",
    "triu",
    "trunc",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "unique_all",
    "unique_counts",
    "unique_inverse",
    "unique_values",
    "unstack",
    "var",
    "vecdot",
    "where",
    "zeros",
    "zeros_like",
]

compose(__name__, __all__)

__getattr__ = attributes_of(__name__)
