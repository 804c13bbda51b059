"""Convolutions and transposed convolutions of signals, images and volumes.

The core computes convolutions and transposed convolutions (native/ops/convolve). Most convolutions are products of the
weights with patches of the input. The core packs the patches that the next products need. If there are few channels,
the core reads the input directly, without packed patches.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from suanzi import _core
from suanzi._core import Tensor
from suanzi.operators.registry import operator

if TYPE_CHECKING:
    from suanzi.quantized.tensor import QuantizedTensor

_STATUSES = ("TYPE_MISMATCH", "DIMENSIONS_MISMATCH", "INVALID_ARGUMENT", "OUT_OF_RANGE")


@operator("BIFC", _STATUSES, name="nn.conv", family="product", operands=("x", "weight", "bias"), core=_core.conv)
def conv(
    x: Tensor,
    weight: Tensor,
    /,
    bias: Tensor | QuantizedTensor | None = None,
    stride: int | Sequence[int] = 1,
    padding: str | int | Sequence[int] | Sequence[Sequence[int]] = 0,
    dilation: int | Sequence[int] = 1,
    groups: int = 1,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Convolution of a batch of signals, images or volumes with kernels (卷积).

    As in every library of neural networks, the kernel is not reversed. An element of the result is a sum over all
    channels of the group and all elements of the kernel. The summands are the products of the kernel's elements with
    the input's elements at the position of the kernel. Padding adds elements of value 0, which contribute to the sums.
    An element of the result is therefore NaN if padding is multiplied by an infinite element of the kernel, as in
    PyTorch and ONNX Runtime. Most convolutions are products of the weight with patches of the input. The function packs
    a part of the patches at a time, so all patches are never in memory together.

    Parameters
    ----------
    x : Tensor
        A tensor of shape (N, groups * C, …) with one to three spatial dimensions.
    weight : Tensor
        A tensor of shape (M, C, …), a kernel for each of the M output channels. `groups` divides M.
    bias : Tensor, optional
        A tensor of shape (M,). Element m of the bias is added to each element of channel m of the result. The bias may
        be quantized if `x` and `weight` are quantized.
    stride : int or sequence of int, optional
        The distance between neighbouring positions of the kernel: one number, or a number for each spatial dimension.
    padding : str, int, sequence of int or sequence of pairs, optional
        The elements of value 0 before and after each spatial dimension: one number for all dimensions, a number for
        each dimension, or a pair (before, after) for each dimension. "valid" adds no elements. With "same",
        "same_upper" and "same_lower" the result has the input's size divided by the stride, rounded up. If the number
        of added elements is odd, the extra element is added after the input, or with "same_lower" before the input.
    dilation : int or sequence of int, optional
        The distance between the input's elements that neighbours in the kernel multiply.
    groups : int, optional
        The number of groups into which the channels of `x` and of the result are divided. An output channel is computed
        from the input channels of the same group. A convolution with as many groups as channels is a depthwise
        convolution.

    Returns
    -------
    Tensor
        A tensor of shape (N, M, …) and of the promoted type. float16 and bfloat16 are computed in float32 and rounded
        once. Integers wrap around. The result is the same on any number of threads. For quantized tensors the result is
        quantized. The codes are computed from exact sums of integers, and differ from the codes of the exact result by
        at most 1.

    Raises
    ------
    TypeMismatchError
        The function does not accept a type, or types do not promote.
    DimensionsMismatchError
        The shapes do not fit each other, the kernel is empty or larger than the padded input, or an option lacks a
        number for a spatial dimension.
    InvalidArgumentError
        A stride, a dilation or `groups` is below 1, a padding is negative or an unknown word, or a size does not fit 64
        bits.
    OutOfRangeError
        A number does not fit 64 bits.
    UninitializedObjectError
        A tensor was destroyed.
    AllocFailedError
        The memory for the result could not be allocated.

    Examples
    --------
    >>> import suanzi
    >>> x = suanzi.tensor([[[1.0, 2.0, 4.0, 8.0]]])
    >>> weight = suanzi.tensor([[[1.0, -1.0]]])
    >>> print(suanzi.nn.conv(x, weight))
    [[[-1. -2. -4.]]]
    >>> print(suanzi.nn.conv(x, weight, suanzi.tensor([0.5]), stride=2, padding=[(1, 0)]))
    [[[-0.5 -1.5]]]
    """


@operator(
    "BIFC",
    _STATUSES,
    name="nn.conv_transpose",
    family="product",
    operands=("x", "weight", "bias"),
    core=_core.conv_transpose,
)
def conv_transpose(
    x: Tensor,
    weight: Tensor,
    /,
    bias: Tensor | None = None,
    stride: int | Sequence[int] = 1,
    padding: str | int | Sequence[int] | Sequence[Sequence[int]] = 0,
    output_padding: int | Sequence[int] = 0,
    groups: int = 1,
    dilation: int | Sequence[int] = 1,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Transposed convolution of a batch of signals, images or volumes (转置卷积).

    For each input element, the function adds the products of the element with the kernel to elements of the result. A
    convolution with the same options would compute the input element from these elements of the result. The result is
    therefore about `stride` times larger than the input. The function multiplies by the transpose of a convolution's
    matrix, and does not invert the convolution. A sum at an edge of the result multiplies some elements of the kernel
    by zeros around the input. An infinite element among these elements makes the sum NaN, unlike in PyTorch.

    Parameters
    ----------
    x : Tensor
        A tensor of shape (N, groups * C, …) with one to three spatial dimensions, which must not be empty.
    weight : Tensor
        A tensor of shape (groups * C, M, …), kernels for M output channels of each group.
    bias : Tensor, optional
        A tensor of shape (groups * M,). Element m of the bias is added to each element of channel m of the result.
    stride : int or sequence of int, optional
        The distance in the result between neighbours of the input: one number, or a number for each spatial dimension.
    padding : str, int, sequence of int or sequence of pairs, optional
        The elements that are cut off before and after each spatial dimension: one number for all dimensions, a number
        for each dimension, or a pair (before, after) for each dimension. "valid" cuts off no elements. With "same",
        "same_upper" and "same_lower" the result has `stride` times the input's size. If the number of elements that are
        cut off is odd, the extra element is cut off at the end, or with "same_lower" at the beginning.
    output_padding : int or sequence of int, optional
        The number of further elements at the end of each spatial dimension.
    groups : int, optional
        The number of groups into which the channels are divided.
    dilation : int or sequence of int, optional
        The distance in the result between neighbours in the kernel.

    Returns
    -------
    Tensor
        A tensor of shape (N, groups * M, …) and of the promoted type. A spatial dimension has
        ``stride * (size - 1) + dilation * (kernel - 1) + 1 + output_padding`` elements minus the padding. Integers wrap
        around. float16 and bfloat16 are computed in float32 and rounded once. The result is the same on any number of
        threads.

    Raises
    ------
    TypeMismatchError
        The function does not accept a type, or types do not promote.
    DimensionsMismatchError
        The shapes do not fit each other, the input or the kernel is empty, the padding is more than the result, or an
        option lacks a number for a spatial dimension.
    InvalidArgumentError
        A stride, a dilation or `groups` is below 1, a padding is negative or an unknown word, `output_padding` is
        negative, or a size does not fit 64 bits.
    OutOfRangeError
        A number does not fit 64 bits.
    UninitializedObjectError
        A tensor was destroyed.
    AllocFailedError
        The memory for the result could not be allocated.

    Examples
    --------
    >>> import suanzi
    >>> x = suanzi.tensor([[[1.0, 10.0]]])
    >>> weight = suanzi.tensor([[[1.0, 2.0, 3.0]]])
    >>> print(suanzi.nn.conv_transpose(x, weight))
    [[[ 1. 12. 23. 30.]]]
    >>> print(suanzi.nn.conv_transpose(x, weight, stride=2))
    [[[ 1.  2. 13. 20. 30.]]]
    """
