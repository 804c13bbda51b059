"""Products of vectors, matrices and stacks of matrices, and operators made of products (Table 2, 线性代数操作)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

from suanzi import _core
from suanzi._core import Tensor
from suanzi.operators import shapes
from suanzi.operators.operands import Operand
from suanzi.operators.registry import operator
from suanzi.operators.scratch import copy, wide
from suanzi.tensor.dtypes import DTypeLike

if TYPE_CHECKING:
    from suanzi.quantized.tensor import QuantizedTensor

AxisPairs: TypeAlias = int | tuple[Sequence[int], Sequence[int]]

_FIT = ("TYPE_MISMATCH", "DIMENSIONS_MISMATCH")
_PRODUCT = (*_FIT, "INTERNAL_ERROR")  # INTERNAL_ERROR if no BLAS library can be loaded
_OUT = (*_PRODUCT, "INVALID_ARGUMENT")
_AXIS = (*_PRODUCT, "OUT_OF_RANGE")
_AXES = (*_AXIS, "INVALID_ARGUMENT")
_SCRATCH = copy("x1") + copy("x2") + copy("result") + 2**22


@operator("BIFC", _OUT, scratch=_SCRATCH, family="product", core=_core.matmul, shape=shapes.matrix_product)
def matmul(x1: Tensor, x2: Tensor, /, *, dtype: DTypeLike | None = None, out: Tensor | None = None) -> Tensor:
    """Matrix product (矩阵乘法).

    The Python expression ``x1 @ x2`` computes the same product. On AMD's and Intel's processors with AVX-512, Suanzi's
    own kernels compute all products. On other processors, the BLAS library computes products of two large matrices of
    floating or complex numbers. BLAS reads transposed and most other strided operands in place. The sum of bools is the
    logical "or". Products of float16 and bfloat16 are computed in float32 and rounded once. If the processor has an
    instruction for products of bfloat16, this instruction also sums in float32. The instruction counts partial sums
    below 2⁻¹²⁶ as 0 and decides the order of the sums. The result has the same bits for every number of threads.

    Parameters
    ----------
    x1, x2 : Tensor
        Tensors of shapes (…, m, k) and (…, k, n), whose leading axes broadcast. A vector of k elements counts as a row
        on the left, and as a column on the right. Types promote.
    dtype : DType, optional
        The element type of the sums and of the result, by default the promoted type. The promoted type must promote to
        `dtype`. ``"int32"`` and ``"int64"`` are for sums of 8-bit integers, which otherwise wrap around in the type of
        8 bits. ``"float32"`` is for sums of float16 and bfloat16 that are not rounded to these types.
    out : Tensor, optional
        The tensor that receives the result.

    Returns
    -------
    Tensor
        A tensor of shape (…, m, n) and of the promoted type, or of `dtype`. The result has no axis m if `x1` is a
        vector, and no axis n if `x2` is a vector.

    Examples
    --------
    >>> import suanzi
    >>> x = suanzi.tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> print(suanzi.matmul(x, suanzi.tensor([1.0, 1.0])))
    [3. 7.]
    >>> codes = suanzi.tensor([100, 100], dtype="int8")
    >>> print(suanzi.matmul(codes, codes, dtype="int32"))
    20000
    >>> print(x @ x)
    [[ 7. 10.]
     [15. 22.]]
    """


@operator("BIFC", _PRODUCT, scratch=_SCRATCH, family="product", core=_core.dot)
def dot(x1: Tensor, x2: Tensor, /, *, dtype: DTypeLike | None = None) -> Tensor:
    """Inner product of vectors (向量内积).

    For tensors of more dimensions, the function follows NumPy. The sum is over the last axis of `x1` and the last axis
    but one of `x2`, or the only axis of a vector `x2`.

    Parameters
    ----------
    x1, x2 : Tensor
        Vectors of the same size, or tensors whose summed axes have the same size. A scalar multiplies the other
        operand.
    dtype : DType, optional
        The element type of the sums and of the result, by default the promoted type. The promoted type must promote to
        `dtype`. ``"int32"`` and ``"int64"`` are for sums of 8-bit integers, which otherwise wrap around in the type of
        8 bits. ``"float32"`` is for sums of float16 and bfloat16 that are not rounded to these types.

    Returns
    -------
    Tensor
        A tensor of the promoted type (float16 and bfloat16 are computed in float32), or of `dtype`. The shape is () for
        vectors. Otherwise the result has the axes of `x1` that are not summed, and then the axes of `x2` that are not
        summed.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.dot(suanzi.tensor([1.0, 2.0]), suanzi.tensor([3.0, 4.0])))
    11.0
    >>> codes = suanzi.tensor([100, 100], dtype="int8")
    >>> print(suanzi.dot(codes, codes, dtype="int32"))
    20000
    """


@operator(
    "BIFC",
    _AXIS,
    of="dot",
    scratch=wide("x1") + copy("x2") + copy("result"),
    family="product",
    core=_core.vecdot,
    shape=shapes.vector_product,
)
def vecdot(x1: Tensor, x2: Tensor, /, *, axis: int = -1) -> Tensor:
    """Inner products along one axis, with the first factor conjugated (沿轴向量内积).

    Parameters
    ----------
    x1, x2 : Tensor
        Tensors of the same size along `axis`. The other axes broadcast.
    axis : int, optional
        The summed axis of both operands.

    Returns
    -------
    Tensor
        A tensor of the promoted type, without the axis `axis` (float16 and bfloat16 are computed in float32).

    Examples
    --------
    >>> import suanzi
    >>> x = suanzi.tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> print(suanzi.vecdot(x, x))
    [ 5. 25.]
    """


@operator("BIFC", _AXES, of="matmul", scratch=_SCRATCH, family="product", core=_core.tensordot)
def tensordot(x1: Tensor, x2: Tensor, /, *, axes: AxisPairs = 2) -> Tensor:
    """Sum of products over any axes (张量缩并).

    Parameters
    ----------
    x1, x2 : Tensor
        Tensors of any shapes whose summed axes have the same sizes.
    axes : int or pair of sequences of int, optional
        The number of last axes of `x1` that are summed with the first axes of `x2`, or the summed axes of each operand,
        pair by pair.

    Returns
    -------
    Tensor
        A tensor of the promoted type (float16 and bfloat16 are computed in float32), with the axes of `x1` that are not
        summed, and then the axes of `x2` that are not summed. An operand whose summed axes are not adjacent is copied
        first.

    Examples
    --------
    >>> import suanzi
    >>> x = suanzi.reshape(suanzi.arange(6), (2, 3))
    >>> print(suanzi.tensordot(x, x, axes=([1], [1])))
    [[ 5. 14.]
     [14. 50.]]
    """


@operator("BIFC", _FIT, of="matmul", family="product", core=_core.outer, shape=shapes.outer_product)
def outer(x1: Tensor, x2: Tensor, /) -> Tensor:
    """Outer product of two vectors (向量外积).

    Parameters
    ----------
    x1, x2 : Tensor
        Vectors of shapes (m,) and (n,).

    Returns
    -------
    Tensor
        A tensor of shape (m, n) and of the promoted type.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.outer(suanzi.tensor([1.0, 2.0]), suanzi.tensor([3.0, 4.0])))
    [[3. 4.]
     [6. 8.]]
    """


@operator(
    "IFC",
    (*_FIT, "OUT_OF_RANGE"),
    of="dot",
    scratch=copy("x1") + copy("x2") + 2 * wide("result"),
    family="product",
    core=_core.cross,
)
def cross(x1: Tensor, x2: Tensor, /, *, axis: int = -1) -> Tensor:
    """Cross products of vectors of three elements (向量内积, 向量外积).

    Parameters
    ----------
    x1, x2 : Tensor
        Tensors of size 3 along `axis`. The other dimensions broadcast. Types promote. The operator does not accept
        bools.
    axis : int, optional
        The axis of the vectors' elements, counted in the common shape.

    Returns
    -------
    Tensor
        A tensor of the common shape and type (float16 and bfloat16 are computed in float32). Complex numbers are not
        conjugated, and integers wrap around.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.cross(suanzi.tensor([1.0, 0.0, 0.0]), suanzi.tensor([0.0, 1.0, 0.0])))
    [0. 0. 1.]
    """


@operator(
    "BIFC",
    (*_PRODUCT, "INVALID_ARGUMENT"),
    of="matmul",
    scratch=copy("operands") + copy("result") + 2**22,
    family="product",
    operands=("operands",),
)
def einsum(subscripts: str, /, *operands: Tensor, dtype: DTypeLike | None = None) -> Tensor:
    """Sum of products by named axes (爱因斯坦求和).

    Parameters
    ----------
    subscripts : str
        A term of letters for each operand, with a letter for each axis. Commas separate the terms. ``...`` denotes the
        axes without letters, which broadcast. The letters of the result come after ``->``. Without ``->``, the result
        has the letters that occur once, in alphabetical order. The function sums over a letter that the result lacks,
        and selects the diagonal for a letter that occurs twice in a term.
    operands : Tensor
        The operands, at least one tensor.
    dtype : DType, optional
        The element type of the sums and of the result, by default the promoted type. The promoted type must promote to
        `dtype`. ``"int32"`` and ``"int64"`` are for sums of 8-bit integers, which otherwise wrap around in the type of
        8 bits. ``"float32"`` is for sums of float16 and bfloat16 that are not rounded to these types.

    Returns
    -------
    Tensor
        A new tensor of the promoted type (float16 and bfloat16 are computed in float32), or of `dtype`. Operands are
        contracted in pairs, each pair as a matrix product. The first pair is the pair whose product is smallest
        compared with the operands of the pair.

    Examples
    --------
    >>> import suanzi
    >>> x = suanzi.reshape(suanzi.arange(4), (2, 2))
    >>> print(suanzi.einsum("ij,jk->ik", x, x))
    [[ 2.  3.]
     [ 6. 11.]]
    >>> print(suanzi.einsum("ii", x))
    3.0
    """
    return _core.einsum(subscripts, operands, dtype)


@operator(
    "BIFC",
    _AXES,
    of="matmul",
    scratch=3 * wide("x") + 2**22,
    family="product",
    core=_core.matrix_power,
    shape=shapes.square,
)
def matrix_power(x: Tensor, /, n: int) -> Tensor:
    """Integer powers of square matrices (矩阵幂).

    Parameters
    ----------
    x : Tensor
        A tensor of shape (…, m, m).
    n : int
        The exponent. If `n` is 0, the result is the identity matrix. If `n` is negative, the result is the power -n of
        the inverse.

    Returns
    -------
    Tensor
        A tensor of the shape and type of `x`, computed by repeated squaring (float16 and bfloat16 in float32). Negative
        powers of integers are computed in float64 and rounded to float32. For a negative power of a matrix with a pivot
        of 0, which is singular, the status is INVALID_ARGUMENT. The message names the matrix and the pivot.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.matrix_power(suanzi.tensor([[1, 1], [1, 0]], dtype="int64"), 10))
    [[89 55]
     [55 34]]
    >>> print(suanzi.matrix_power(suanzi.tensor([[2.0, 0.0], [0.0, 4.0]]), -2))
    [[0.25   0.    ]
     [0.     0.0625]]
    """


@operator(
    "BIFC",
    _PRODUCT,
    scratch=copy("x") + copy("weight") + copy("result") + 2**22,
    family="product",
    operands=("x", "weight", "bias"),
    core=_core.linear,
    shape=shapes.layer,
)
def linear(
    x: Tensor,
    weight: Tensor,
    /,
    bias: Operand | QuantizedTensor | None = None,
    *,
    dtype: DTypeLike | None = None,
) -> Tensor:
    """Linear layer, x Wᵀ + b (线性操作).

    Parameters
    ----------
    x : Tensor
        A tensor of shape (…, in).
    weight : Tensor
        A tensor of shape (out, in).
    bias : Tensor or scalar, optional
        A tensor of shape (out,), or a number for all features. The bias may be quantized if `x` and `weight` are
        quantized.
    dtype : DType, optional
        The element type of the sums and of the result, by default the promoted type. The promoted type must promote to
        `dtype`. ``"int32"`` and ``"int64"`` are for sums of 8-bit integers, which otherwise wrap around in the type of
        8 bits. ``"float32"`` is for sums of float16 and bfloat16 that are not rounded to these types.

    Returns
    -------
    Tensor
        A tensor of shape (…, out) and of the promoted type (float16 and bfloat16 are computed in float32 and rounded
        once), or of `dtype`.

    Examples
    --------
    >>> import suanzi
    >>> weight = suanzi.tensor([[1.0, 2.0], [0.0, 1.0], [1.0, 1.0]])
    >>> print(suanzi.linear(suanzi.tensor([1.0, 10.0]), weight, suanzi.tensor([0.0, 0.0, 0.5])))
    [21.  10.  11.5]
    """


@operator(
    "BIFC",
    _PRODUCT,
    scratch=2 * wide("weight") + _SCRATCH + 2**21,
    family="product",
    operands=("x1", "x2", "weight", "bias"),
    core=_core.bilinear,
)
def bilinear(x1: Tensor, x2: Tensor, weight: Tensor, /, bias: Operand | None = None) -> Tensor:
    """Bilinear layer, x1ᵀ W x2 + b for each feature of the output (双线性操作).

    Parameters
    ----------
    x1, x2 : Tensor
        Tensors of shapes (…, in1) and (…, in2) with the same leading axes.
    weight : Tensor
        A tensor of shape (out, in1, in2).
    bias : Tensor or scalar, optional
        A tensor of shape (out,), or a number for all features.

    Returns
    -------
    Tensor
        A tensor of shape (…, out) and of the promoted type (float16 and bfloat16 are computed in float32 and rounded
        once).

    Examples
    --------
    >>> import suanzi
    >>> weight = suanzi.reshape(suanzi.arange(4), (1, 2, 2))
    >>> print(suanzi.bilinear(suanzi.tensor([1.0, 2.0]), suanzi.tensor([3.0, 4.0]), weight))
    [40.]
    """
