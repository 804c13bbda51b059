"""Products of vectors, matrices and stacks of them, and what is made of them (Table 2, 线性代数操作)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from suanzi import _core
from suanzi._core import Tensor
from suanzi.operators import shapes
from suanzi.operators.operands import Operand
from suanzi.operators.registry import operator
from suanzi.operators.scratch import copy, wide
from suanzi.tensor.dtypes import DTypeLike

AxisPairs: TypeAlias = int | tuple[Sequence[int], Sequence[int]]

_FIT = ("TYPE_MISMATCH", "DIMENSIONS_MISMATCH")
_PRODUCT = (*_FIT, "INTERNAL_ERROR")  # where no BLAS library can be loaded
_OUT = (*_PRODUCT, "INVALID_ARGUMENT")
_AXIS = (*_PRODUCT, "OUT_OF_RANGE")
_AXES = (*_AXIS, "INVALID_ARGUMENT")
_SCRATCH = copy("x1") + copy("x2") + copy("result") + 2**22


@operator("BIFC", _OUT, scratch=_SCRATCH, family="product", core=_core.matmul, shape=shapes.matrix_product)
def matmul(x1: Tensor, x2: Tensor, /, *, dtype: DTypeLike | None = None, out: Tensor | None = None) -> Tensor:
    """Matrix product (矩阵乘法).

    Also written ``x1 @ x2``. Where the processor has wide registers (AVX-512), products of matrices are computed by
    kernels of our own. Large ones elsewhere, those of a large matrix and a vector, and large ones on Intel's processors
    where MKL is installed are BLAS's, which takes transposed and most other strided operands as they lie. The sum of
    bools is `or`. float16 and bfloat16 are computed in float32 and rounded once; where the processor has an instruction
    for products of bfloat16, which also sums in float32, partial sums below 2⁻¹²⁶ count as 0. The result is the same
    bits for every number of threads.

    Parameters
    ----------
    x1, x2 : Tensor
        Of shapes (…, m, k) and (…, k, n), of which the leading axes broadcast; a vector of k elements stands for one
        row on the left, for one column on the right. Types promote.
    dtype : DType, optional
        The element type of the sums and of the result, by default the promoted one. It must hold
        what the promoted type holds: ``"int32"`` or ``"int64"`` for sums of 8-bit integers, which
        otherwise wrap in their own type, ``"float32"`` for sums of halves that are not rounded.
    out : Tensor, optional
        Where to write the result.

    Returns
    -------
    Tensor
        Of shape (…, m, n), without the axis that a vector lacks, and of the promoted type or of `dtype`.

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
def dot(x1: Tensor, x2: Tensor, /) -> Tensor:
    """Inner product of vectors (向量内积).

    Of more dimensions, as NumPy has it: a sum over the last axis of `x1` and the last but one of `x2`.

    Parameters
    ----------
    x1, x2 : Tensor
        Vectors of one size, or tensors whose said axes have one. A scalar multiplies.

    Returns
    -------
    Tensor
        Of shape () for vectors, else of the other axes of `x1` and then those of `x2`; of the promoted type (float16
        and bfloat16 are computed in float32).

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.dot(suanzi.tensor([1.0, 2.0]), suanzi.tensor([3.0, 4.0])))
    11.0
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
    """Inner products along one axis, the first factor conjugated (沿轴向量内积).

    Parameters
    ----------
    x1, x2 : Tensor
        Of one size along `axis`; the other axes broadcast.
    axis : int, optional
        The axis that is summed over, in either operand.

    Returns
    -------
    Tensor
        Without that axis, of the promoted type (float16 and bfloat16 are computed in float32).

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
        Any shapes whose summed axes have the same sizes.
    axes : int or pair of sequences of int, optional
        How many of the last axes of `x1` meet the first ones of `x2`; or which axes of each, pair by pair.

    Returns
    -------
    Tensor
        Of the other axes of `x1`, then those of `x2`, and of the promoted type (float16 and bfloat16 are computed in
        float32). An operand whose summed axes do not lie together is copied first.

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
        Of shapes (m,) and (n,).

    Returns
    -------
    Tensor
        Of shape (m, n) and of the promoted type.

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
        Of size 3 along the axis; the other dimensions broadcast. Types promote; no bool.
    axis : int, optional
        The axis of the vectors, in the common shape.

    Returns
    -------
    Tensor
        Of the common shape and type (float16 and bfloat16 are computed in float32). Complex numbers are not
        conjugated, integers wrap around.

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
def einsum(subscripts: str, /, *operands: Tensor) -> Tensor:
    """Sum of products by named axes (爱因斯坦求和).

    Parameters
    ----------
    subscripts : str
        A term of letters for each operand, separated by commas, a letter for an axis; ``...`` stands for the axes that
        have none, which broadcast. After ``->`` the letters of the result; without it those that occur once, in
        alphabetical order. A letter that the result lacks is summed over; one that a term has twice takes the diagonal.
    operands : Tensor
        One or more.

    Returns
    -------
    Tensor
        A copy, of the promoted type (float16 and bfloat16 are computed in float32). Operands are contracted in pairs,
        the pair first whose product is smallest against what it replaces, each as a matrix product.

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
    return _core.einsum(subscripts, operands)


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
    """A square matrix to an integer power (矩阵幂).

    Parameters
    ----------
    x : Tensor
        Of shape (…, m, m).
    n : int
        0 gives the identity, a negative number the power -n of the inverse.

    Returns
    -------
    Tensor
        Of the shape and type of `x` (float16 and bfloat16 are computed in float32), by repeated squaring; negative
        powers of integers are computed in float64 and rounded to float32. A negative power of a singular matrix gives
        INVALID_ARGUMENT; the message says which, and which pivot is 0.

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
def linear(x: Tensor, weight: Tensor, /, bias: Operand | None = None) -> Tensor:
    """Linear layer, x Wᵀ + b (线性操作).

    Parameters
    ----------
    x : Tensor
        Of shape (…, in).
    weight : Tensor
        Of shape (out, in).
    bias : Tensor or scalar, optional
        Of shape (out,); a number holds for every feature.

    Returns
    -------
    Tensor
        Of shape (…, out) and of the promoted type (float16 and bfloat16 are computed in float32 and rounded once).

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
        Of shapes (…, in1) and (…, in2), the leading axes the same.
    weight : Tensor
        Of shape (out, in1, in2).
    bias : Tensor or scalar, optional
        Of shape (out,); a number holds for every feature.

    Returns
    -------
    Tensor
        Of shape (…, out) and of the promoted type (float16 and bfloat16 are computed in float32 and rounded once).

    Examples
    --------
    >>> import suanzi
    >>> weight = suanzi.reshape(suanzi.arange(4), (1, 2, 2))
    >>> print(suanzi.bilinear(suanzi.tensor([1.0, 2.0]), suanzi.tensor([3.0, 4.0]), weight))
    [40.]
    """
