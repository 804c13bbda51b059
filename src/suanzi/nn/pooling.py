"""Pooling: an element of the result is computed from a window of elements, a part of each axis, or a whole plane."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, overload

from suanzi import _core, tuning
from suanzi._core import Tensor
from suanzi.operators.composition import floating_operand, into, numeric_operand, real_number, tensor_operand, widened
from suanzi.operators.creation.filled import zeros
from suanzi.operators.creation.sequences import arange
from suanzi.operators.linalg.norms import vector_norm
from suanzi.operators.reduction.folds import max, min
from suanzi.operators.reduction.statistics import mean
from suanzi.operators.registry import operator
from suanzi.operators.scratch import copy, nbytes, size
from suanzi.operators.transform.elements import astype
from suanzi.operators.transform.shape import reshape
from suanzi.tensor.dtypes import int64
from suanzi.tensor.messages import shown
from suanzi.tensor.status import (
    DimensionsMismatchError,
    InvalidArgumentError,
    OutOfRangeError,
    SuanziError,
    TypeMismatchError,
)

_FIT = ("TYPE_MISMATCH", "DIMENSIONS_MISMATCH")
_WINDOWS = (*_FIT, "INVALID_ARGUMENT", "OUT_OF_RANGE")

_SHARED = {
    "kernel_size": "kernel_size : int or sequence of int\n"
    "    The size of a window along each spatial dimension, or one number for all dimensions.",
    "stride": "stride : int or sequence of int, optional\n"
    "    The distance between neighbouring windows, by default the size of a window.",
    "padding": "padding : int, sequence or str, optional\n"
    "    The places that are added at both ends of each spatial dimension: one number for all dimensions, or a number\n"
    "    or a pair (at the beginning, at the end) for each dimension. A window must span more places than the\n"
    '    padding. ``"valid"`` adds no places. With ``"same_upper"`` and ``"same_lower"`` the result has the size of\n'
    "    the input divided by `stride`, rounded up. If the number of added places is odd, the extra place is at the\n"
    '    end for ``"same_upper"``, and at the beginning for ``"same_lower"``.',
    "dilation": "dilation : int or sequence of int, optional\n"
    "    The distance between neighbouring elements of a window.",
    "ceil_mode": "ceil_mode : bool, optional\n"
    "    If True, a last window that starts inside of the padded elements and ends outside also has a result.",
    "output_size": "output_size : int or sequence of int or None\n"
    "    The size of the result along each spatial dimension, or one number for all dimensions. None keeps the size.",
}
_OUTS = {
    "out": "out : Tensor or tuple of Tensor, optional\n"
    "    The tensor that receives the elements. If `return_indices` is True, `out` is a tuple of two tensors, which\n"
    "    receive the elements and the indices."
}
# Scratch memory of windows: a row of elements for each thread, and tables for a few thousand results.
_SCRATCH = copy("x") + 2**20


@overload
def max_pool(
    x: Tensor,
    /,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    padding: str | int | Sequence[int] | Sequence[Sequence[int]] = 0,
    dilation: int | Sequence[int] = 1,
    ceil_mode: bool = False,
    return_indices: Literal[False] = False,
    *,
    out: Tensor | None = None,
) -> Tensor: ...
@overload
def max_pool(
    x: Tensor,
    /,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    padding: str | int | Sequence[int] | Sequence[Sequence[int]] = 0,
    dilation: int | Sequence[int] = 1,
    ceil_mode: bool = False,
    *,
    return_indices: Literal[True],
    out: tuple[Tensor, Tensor] | None = None,
) -> tuple[Tensor, Tensor]: ...
@operator(
    "IF",
    _WINDOWS,
    name="nn.max_pool",
    family="transform",
    core=_core.max_pool,
    scratch=2 * copy("x") + 2 * nbytes("x"),
    parameters=_SHARED | _OUTS,
)
def max_pool(
    x: Tensor,
    /,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    padding: str | int | Sequence[int] | Sequence[Sequence[int]] = 0,
    dilation: int | Sequence[int] = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
    *,
    out: Tensor | tuple[Tensor, Tensor] | None = None,
) -> Tensor | tuple[Tensor, Tensor]:
    """Return the greatest element of each window (最大池化).

    Parameters
    ----------
    x : Tensor
        A tensor of integers or floating numbers, of shape (N, C, …) with one to three spatial dimensions.
    return_indices : bool, optional
        If True, the function also returns the indices of the greatest elements.

    Returns
    -------
    Tensor or tuple of Tensor
        The elements, a tensor of shape (N, C, …) of the type of `x`. The result of a window with a NaN is NaN. The
        result of a window of padding alone is the least number of the type (minus infinity in floating types). With
        `return_indices`, a second tensor, int64, contains the index of each greatest element in the plane, in row-major
        order. If several elements are greatest or NaN, the index is the index of the first of these elements. The index
        for a window of padding alone is -1.

    Source
    ------
    The parameters and the rule for the size of the result are the same as for ``torch.nn.functional.max_pool2d``.

    Examples
    --------
    >>> import suanzi
    >>> x = suanzi.tensor([[[1.0, 3.0, 2.0, 5.0, 4.0]]])
    >>> print(suanzi.nn.max_pool(x, 2))
    [[[3. 5.]]]
    >>> values, places = suanzi.nn.max_pool(x, 3, stride=1, padding="same_upper", return_indices=True)
    >>> print(values, places)
    [[[3. 3. 5. 5. 5.]]] [[[1 1 3 3 3]]]
    """


@operator(
    "F",
    _WINDOWS,
    name="nn.avg_pool",
    family="transform",
    core=_core.avg_pool,
    scratch=_SCRATCH + nbytes("result"),
    parameters=_SHARED,
)
def avg_pool(
    x: Tensor,
    /,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    padding: str | int | Sequence[int] | Sequence[Sequence[int]] = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
    *,
    dilation: int | Sequence[int] = 1,
    out: Tensor | None = None,
) -> Tensor:
    """Return the mean of each window (平均池化).

    Parameters
    ----------
    x : Tensor
        A floating tensor of shape (N, C, …) with one to three spatial dimensions.
    count_include_pad : bool, optional
        If True, elements of the padding count, with the value 0. Elements past the padding, which windows of
        `ceil_mode` contain, never count.
    divisor_override : int, optional
        The number that sums are divided by, in place of the number of elements.

    Returns
    -------
    Tensor
        A tensor of shape (N, C, …) of the type of `x`. The result is 0 where a window has no elements. float16 and
        bfloat16 are computed in float32. A sum overflows only if the mean overflows.

    Source
    ------
    The parameters and the rules for sizes and divisors are the same as for ``torch.nn.functional.avg_pool2d``.

    Examples
    --------
    >>> import suanzi
    >>> x = suanzi.tensor([[[1.0, 3.0, 2.0, 5.0, 4.0]]])
    >>> print(suanzi.nn.avg_pool(x, 2))
    [[[2.  3.5]]]
    >>> print(suanzi.nn.avg_pool(x, 3, 1, padding=1, count_include_pad=False))
    [[[2.        2.        3.3333333 3.6666667 4.5      ]]]
    """


@operator(
    "F",
    _WINDOWS,
    name="nn.lp_pool",
    family="transform",
    core=_core.lp_pool,
    scratch=_SCRATCH + nbytes("result"),
    parameters=_SHARED,
)
def lp_pool(
    x: Tensor,
    /,
    norm_type: float,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    ceil_mode: bool = False,
    *,
    padding: str | int | Sequence[int] | Sequence[Sequence[int]] = 0,
    dilation: int | Sequence[int] = 1,
    out: Tensor | None = None,
) -> Tensor:
    """Return the norm of each window: the root of the sum of powers of magnitudes (Lp池化).

    PyTorch's function of the same name differs. PyTorch adds signed powers, and scales the norm of a window that ends
    past the elements.

    Parameters
    ----------
    x : Tensor
        A floating tensor of shape (N, C, …) with one to three spatial dimensions.
    norm_type : float
        The exponent, greater than 0. Infinity selects the greatest magnitude.

    Returns
    -------
    Tensor
        A tensor of shape (N, C, …) of the type of `x`, computed in float64. A power overflows only if the norm
        overflows.

    Source
    ------
    ONNX operator LpPool.

    Examples
    --------
    >>> import suanzi
    >>> x = suanzi.tensor([[[3.0, -4.0, 0.0, 5.0]]])
    >>> print(suanzi.nn.lp_pool(x, 2, 2))
    [[[5. 5.]]]
    """


@operator(
    "F",
    _WINDOWS,
    name="nn.adaptive_avg_pool",
    family="transform",
    core=_core.adaptive_avg_pool,
    scratch=_SCRATCH + nbytes("result"),
    parameters=_SHARED,
)
def adaptive_avg_pool(x: Tensor, /, output_size: int | Sequence[int | None], *, out: Tensor | None = None) -> Tensor:
    """Return the means of nearly equal parts of each plane (自适应平均池化).

    An axis of m elements is divided into n parts. Part i contains the elements from ``floor(i * m / n)`` to
    ``ceil((i + 1) * m / n) - 1``.

    Parameters
    ----------
    x : Tensor
        A floating tensor of shape (N, C, …) with one to three spatial dimensions.

    Returns
    -------
    Tensor
        A tensor of shape (N, C, …) of the type of `x`. float16 and bfloat16 are computed in float32. A sum overflows
        only if the mean overflows.

    Source
    ------
    ``torch.nn.functional.adaptive_avg_pool2d``.

    Examples
    --------
    >>> import suanzi
    >>> x = suanzi.tensor([[[1.0, 3.0, 2.0, 5.0, 4.0]]])
    >>> print(suanzi.nn.adaptive_avg_pool(x, 2))
    [[[2.        3.6666667]]]
    """


@overload
def adaptive_max_pool(
    x: Tensor,
    /,
    output_size: int | Sequence[int | None],
    return_indices: Literal[False] = False,
    *,
    out: Tensor | None = None,
) -> Tensor: ...
@overload
def adaptive_max_pool(
    x: Tensor,
    /,
    output_size: int | Sequence[int | None],
    return_indices: Literal[True],
    *,
    out: tuple[Tensor, Tensor] | None = None,
) -> tuple[Tensor, Tensor]: ...
@operator(
    "IF",
    _WINDOWS,
    name="nn.adaptive_max_pool",
    family="transform",
    core=_core.adaptive_max_pool,
    scratch=2 * copy("x") + 2 * nbytes("x"),
    parameters=_SHARED | _OUTS,
)
def adaptive_max_pool(
    x: Tensor,
    /,
    output_size: int | Sequence[int | None],
    return_indices: bool = False,
    *,
    out: Tensor | tuple[Tensor, Tensor] | None = None,
) -> Tensor | tuple[Tensor, Tensor]:
    """Return the greatest elements of nearly equal parts of each plane (自适应最大池化).

    The parts are the same as for `adaptive_avg_pool`.

    Parameters
    ----------
    x : Tensor
        A tensor of integers or floating numbers, of shape (N, C, …) with one to three spatial dimensions.
    return_indices : bool, optional
        If True, the function also returns the indices of the greatest elements.

    Returns
    -------
    Tensor or tuple of Tensor
        The elements, a tensor of shape (N, C, …) of the type of `x`, and the indices of the elements in the form that
        `max_pool` returns.

    Source
    ------
    ``torch.nn.functional.adaptive_max_pool2d``.

    Examples
    --------
    >>> import suanzi
    >>> x = suanzi.tensor([[[1.0, 3.0, 2.0, 5.0, 4.0]]])
    >>> print(suanzi.nn.adaptive_max_pool(x, 2))
    [[[3. 5.]]]
    """


@operator(
    "BIFC",
    _WINDOWS,
    name="nn.max_unpool",
    family="movement",
    scratch=copy("x") + 2 * copy("indices") + size("indices"),
    parameters=_SHARED,
)
def max_unpool(
    x: Tensor,
    indices: Tensor,
    /,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    padding: int | Sequence[int] = 0,
    output_size: Sequence[int] | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Return elements at the positions where `max_pool` found the elements, and 0 elsewhere (最大反池化).

    Parameters
    ----------
    x : Tensor
        A tensor of numbers, of shape (N, C, …) with one to three spatial dimensions.
    indices : Tensor
        Integers of the shape of `x`: the index of each element in a plane of the result, in row-major order. If several
        elements have the same index, the last element counts.
    padding : int or sequence of int, optional
        The number of elements of padding that `max_pool` added at each end of each spatial dimension.
    output_size : sequence of int, optional
        The spatial sizes of the result, or the whole shape of the result. The default sizes are the sizes from which
        `max_pool` makes `x` with no elements left over: ``(n - 1) * stride - 2 * padding + kernel_size``.

    Returns
    -------
    Tensor
        A tensor of shape (N, C, …) of the type of `x`.

    Source
    ------
    ``torch.nn.functional.max_unpool2d``.

    Examples
    --------
    >>> import suanzi
    >>> x = suanzi.tensor([[[1.0, 3.0, 2.0, 5.0]]])
    >>> values, places = suanzi.nn.max_pool(x, 2, return_indices=True)
    >>> print(suanzi.nn.max_unpool(values, places, 2))
    [[[0. 3. 0. 5.]]]
    """
    spatial = _spatial("max_unpool", numeric_operand("max_unpool", x))
    if x.shape != tensor_operand("max_unpool", indices).shape:
        raise DimensionsMismatchError(
            f"max_unpool: indices of shape {indices.shape} do not fit elements of shape {x.shape}"
        )
    kernel = _one_each("kernel_size", kernel_size, spatial, 1)
    steps = kernel if stride is None else _one_each("stride", stride, spatial, 1)
    edges = _one_each("padding", padding, spatial, 0)
    if output_size is None:
        rows = zip(x.shape[2:], kernel, steps, edges, strict=True)
        sizes = tuple([(n - 1) * step - 2 * edge + k for n, k, step, edge in rows])
        if any(size < 0 for size in sizes):
            raise InvalidArgumentError(f"max_unpool: the result has negative sizes {shown(sizes)}")
    else:
        sizes = _one_each("output_size", output_size, spatial, 0, x.shape[:2])
    return into(out, unpooled(x, indices, (*x.shape[:2], *sizes), x.shape[0] * x.shape[1]))


def unpooled(x: Tensor, indices: Tensor, shape: tuple[int, ...], planes: int) -> Tensor:
    """Return a tensor of the given shape whose planes contain the elements of `x` at `indices`, and 0 elsewhere.
    `planes` is the number of planes.
    """
    if indices.dtype.kind_name not in ("signed integer", "unsigned integer"):
        raise TypeMismatchError(f"max_unpool: indices of type {indices.dtype} are not integers")
    result = zeros((math.prod(shape),), dtype=x.dtype)
    if x.size:
        plane = result.size // planes
        least, most = int(min(indices)), int(max(indices))
        if least < 0 or most >= plane:
            raise OutOfRangeError(f"max_unpool: index {least if least < 0 else most} is not in [0, {plane})")
        places = reshape(astype(indices, int64, copy=False), (planes, x.size // planes))
        starts = reshape(arange(planes, dtype=int64) * plane, (planes, 1))
        result[reshape(places + starts, (x.size,))] = reshape(x, (x.size,))
    return reshape(result, shape)


def _spatial(name: str, x: Tensor) -> int:
    """Return the number of spatial dimensions of a tensor of shape (N, C, …), from 1 to 3."""
    if not 3 <= tensor_operand(name, x).ndim <= 5:
        raise DimensionsMismatchError(f"{name}: shape {x.shape} is not (N, C) and 1 to 3 spatial dimensions")
    return x.ndim - 2


def _one_each(
    what: str, value: int | Sequence[int], count: int, least: int, front: tuple[int, ...] = ()
) -> tuple[int, ...]:
    """Return the numbers of an option of `max_unpool`, one for each of `count` dimensions and at least `least` each.
    The option may also list the sizes `front` before these numbers.
    """
    try:
        numbers = _core.read_shape("max_unpool", value, least)
    except SuanziError as error:  # the core's message names any option a shape
        raise type(error)(str(error).replace(": shape ", f": {what} ", 1)) from None
    if not hasattr(value, "__len__") or getattr(value, "ndim", 1) == 0:
        return numbers * count
    if front and len(numbers) == len(front) + count:
        if numbers[: len(front)] != front:
            raise DimensionsMismatchError(f"max_unpool: {what} {shown(value)} does not begin with the sizes {front}")
        return numbers[len(front) :]
    if len(numbers) != count:
        raise DimensionsMismatchError(f"max_unpool: {what} {shown(value)} does not have {count} numbers")
    return numbers


@operator("BIFC", (*_FIT, "INVALID_ARGUMENT"), name="nn.global_avg_pool", family="transform", scratch=copy("x"))
def global_avg_pool(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """Return the mean of each plane (全局平均池化).

    Parameters
    ----------
    x : Tensor
        A tensor of numbers, of shape (N, C, …) with one spatial dimension or more.

    Returns
    -------
    Tensor
        A tensor of shape (N, C, 1, …) of the type that `suanzi.mean` returns. The result is NaN for planes without
        elements.

    Source
    ------
    ONNX operator GlobalAveragePool.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.nn.global_avg_pool(suanzi.tensor([[[1.0, 3.0], [2.0, 5.0]]])))
    [[[2. ]
      [3.5]]]
    """
    axes = _places("global_avg_pool", x)
    # For a small plane, pooling with a single window is faster than `mean`. The sum of a large plane needs float64, in
    # which `mean` adds.
    is_window = type(x) is Tensor and x.dtype.kind_name == "real floating" and len(axes) <= 3
    if is_window and 0 < math.prod(x.shape[2:]) <= tuning.WHOLE_PLANE:
        return _core.adaptive_avg_pool(x, 1, out)
    return mean(x, axes, True, out=out)


@operator("BIF", (*_FIT, "INVALID_ARGUMENT"), name="nn.global_max_pool", family="transform", scratch=copy("x"))
def global_max_pool(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """Return the greatest element of each plane (全局最大池化).

    Parameters
    ----------
    x : Tensor
        A real tensor of shape (N, C, …) with one spatial dimension or more.

    Returns
    -------
    Tensor
        A tensor of shape (N, C, 1, …) of the type of `x`. The result of a plane with a NaN is NaN.

    Source
    ------
    ONNX operator GlobalMaxPool.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.nn.global_max_pool(suanzi.tensor([[[1.0, 3.0], [2.0, 5.0]]])))
    [[[3.]
      [5.]]]
    """
    return max(x, _places("global_max_pool", x), True, out=out)


@operator("F", (*_FIT, "INVALID_ARGUMENT"), name="nn.global_lp_pool", family="transform", scratch=copy("x"))
def global_lp_pool(x: Tensor, /, norm_type: float = 2, *, out: Tensor | None = None) -> Tensor:
    """Return the norm of each plane (全局Lp池化).

    Parameters
    ----------
    x : Tensor
        A floating tensor of shape (N, C, …) with one spatial dimension or more.
    norm_type : float, optional
        The exponent, greater than 0. Infinity selects the greatest magnitude.

    Returns
    -------
    Tensor
        A tensor of shape (N, C, 1, …) of the type of `x`.

    Source
    ------
    ONNX operator GlobalLpPool.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.nn.global_lp_pool(suanzi.tensor([[[3.0, -4.0], [0.0, 5.0]]])))
    [[[5.]
      [5.]]]
    """
    order = real_number("global_lp_pool", "norm_type", norm_type)
    if not order > 0:
        raise InvalidArgumentError(f"global_lp_pool: norm_type {shown(norm_type)} is not positive")
    planes = widened(floating_operand("global_lp_pool", "x", x), out)
    return into(out, vector_norm(planes, axis=_places("global_lp_pool", x), keepdims=True, ord=order))


def _places(name: str, x: Tensor) -> tuple[int, ...]:
    """Return the spatial axes of a tensor of shape (N, C, …)."""
    if tensor_operand(name, x).ndim < 3:
        raise DimensionsMismatchError(f"{name}: shape {x.shape} is not (N, C) and spatial dimensions")
    return tuple(range(2, x.ndim))
