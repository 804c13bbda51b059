"""The Kronecker product (`kron`), differences of neighbouring elements (`diff`), and functions that join tensors
(`hstack`, `vstack`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from suanzi import _core
from suanzi._core import Tensor
from suanzi.extras.scaling import may_overflow, rescued, times_power
from suanzi.operators.arithmetic import multiply, subtract
from suanzi.operators.comparison import not_equal
from suanzi.operators.composition import named, numeric_operand, tensor_operand
from suanzi.operators.creation.filled import full
from suanzi.operators.operands import Scalar
from suanzi.operators.transform.elements import astype
from suanzi.operators.transform.joining import concat
from suanzi.operators.transform.shape import broadcast_to, reshape
from suanzi.tensor.dtypes import bfloat16, bool_, complex64, complex128, float16, float32, float64
from suanzi.tensor.exchange import as_tensor
from suanzi.tensor.messages import shown
from suanzi.tensor.status import DimensionsMismatchError, InvalidArgumentError, TypeMismatchError


def kron(x1: Tensor, x2: Tensor, /) -> Tensor:
    """Kronecker product: each element of the first tensor times the whole second tensor (克罗内克积).

    Parameters
    ----------
    x1, x2 : Tensor
        Tensors of numbers, of any shape. A tensor of fewer dimensions is extended by dimensions of size 1 in front.

    Returns
    -------
    Tensor
        A tensor of the promoted type, whose sizes are the products of the operands' sizes.

    Raises
    ------
    TypeMismatchError
        The types do not promote, or a tensor is a string tensor.
    InvalidArgumentError
        A tensor has more than 32 dimensions.

    Examples
    --------
    >>> import suanzi
    >>> suanzi.extras.kron(suanzi.tensor([1.0, 10.0]), suanzi.tensor([1.0, 2.0]))
    tensor([ 1.,  2., 10., 20.])
    """
    x1, x2 = numeric_operand("kron", x1), numeric_operand("kron", x2)
    rank = max(x1.ndim, x2.ndim)
    if 2 * rank > _core.max_rank:
        raise InvalidArgumentError(f"kron: {rank} dimensions are more than {_core.max_rank // 2}")
    first, second = ((1,) * (rank - x.ndim) + x.shape for x in (x1, x2))
    spread = reshape(x1, tuple(n for size in first for n in (size, 1)))
    filling = reshape(x2, tuple(n for size in second for n in (1, size)))
    with named("kron"):
        product = multiply(spread, filling)
    return reshape(product, tuple(m * n for m, n in zip(first, second, strict=True)))


def diff(
    x: Tensor,
    /,
    n: int = 1,
    axis: int = -1,
    *,
    prepend: Tensor | Scalar | None = None,
    append: Tensor | Scalar | None = None,
) -> Tensor:
    """Differences of neighbouring elements along an axis (差分).

    Parameters
    ----------
    x : Tensor
        A tensor of one dimension or more, of any type except string.
    n : int, optional
        The number of times that differences are computed, 1 by default. If `n` is 0, the result is `x` with `prepend`
        and `append`, as in the array API, while NumPy ignores `prepend` and `append`.
    axis : int, optional
        The axis, the last axis by default.
    prepend, append : Tensor or number, optional
        Elements that are put before and after `x` before the differences are computed. A number, also a number of
        NumPy, adds one element to each row along the axis, and does not change the type.

    Returns
    -------
    Tensor
        A tensor of the promoted type of `x` and of the tensors among `prepend` and `append`. The axis has `n` elements
        fewer than `prepend`, `x` and `append` together. The difference of two bools is True if the bools differ. If `n`
        is 2 or more, differences of floating types are computed in a wider type and rounded once.

    Raises
    ------
    TypeMismatchError
        `x` is a string tensor, the types do not promote, or a number is of a kind that the type of `x` cannot
        represent, for example a fraction for an integer type.
    DimensionsMismatchError
        The shapes of `prepend`, `x` and `append` differ along another axis.
    OutOfRangeError
        `axis` is not an axis of `x`, `prepend` or `append`, or a number is outside the range of the type of `x`.
    InvalidArgumentError
        `n` is negative.

    Examples
    --------
    >>> import suanzi
    >>> suanzi.extras.diff(suanzi.tensor([1.0, 4.0, 9.0]), prepend=0)
    tensor([1., 3., 5.])
    """
    x = numeric_operand("diff", x)
    along = _core.read_axis("diff", axis, x.ndim)
    times = _core.read_integer("diff", "n", n)
    if times < 0:
        raise InvalidArgumentError(f"diff: n = {times} is negative")
    edge = (*x.shape[:along], 1, *x.shape[along + 1 :])
    with named("diff"):
        parts = [_beside(x, part, edge) for part in (prepend, x, append) if part is not None]
    if len(parts) > 1:
        with named("diff"):
            x = concat(parts, along)
    times = min(times, x.shape[along])
    if times < 2 or not x.dtype.kind_name.endswith("floating"):
        return _differences(x, times, along)
    # Intermediate differences may exceed the range of the result's type.
    wide = astype(x, _WIDER.get(x.dtype, x.dtype), copy=False)
    found = _differences(wide, times, along)
    if may_overflow(x):
        scale = full((), min(times, 1000), dtype=float64, device=x.device)
        found = rescued(found, lambda: times_power(_differences(times_power(x, -scale), times, along), scale))
    return astype(found, x.dtype, copy=False)


_WIDER = {float16: float32, bfloat16: float32, float32: float64, complex64: complex128}


def _differences(x: Tensor, times: int, along: int) -> Tensor:
    take = not_equal if x.dtype is bool_ else subtract
    before: tuple[slice, ...] = (slice(None),) * along
    for _ in range(times):
        x = take(x[(*before, slice(1, None))], x[(*before, slice(None, -1))])
    return x


def _beside(x: Tensor, part: Any, edge: tuple[int, ...]) -> Tensor:
    if not isinstance(part, Tensor):
        if isinstance(part, np.generic) and part.dtype.kind in "biufc":
            part = part.item()  # a number of NumPy counts as a number of Python
        if x.dtype is bool_ and as_tensor(part, None, "diff").dtype is not bool_:  # a conversion would make 5 True
            raise TypeMismatchError(f"diff: {shown(part)} is not a bool, which is the type of the tensor")
        part = as_tensor(part, x.dtype, "diff")
    return broadcast_to(part, edge) if part.ndim == 0 else part


def _tensors(operator: str, tensors: Sequence[Tensor]) -> list[Tensor]:
    if isinstance(tensors, Tensor) or not isinstance(tensors, Sequence):
        raise TypeMismatchError(f"{operator}: {type(tensors).__name__} is not a sequence of tensors")
    if not tensors:
        raise InvalidArgumentError(f"{operator}: the sequence has no tensors")
    return [tensor_operand(operator, x) for x in tensors]


def hstack(tensors: Sequence[Tensor], /) -> Tensor:
    """Join tensors along the second axis, or vectors along the only axis.

    Parameters
    ----------
    tensors : sequence of Tensor
        Tensors whose shapes differ only along the joined axis. A scalar counts as a vector of one element.

    Returns
    -------
    Tensor
        A tensor of the promoted type.

    Raises
    ------
    TypeMismatchError
        The types do not promote, or an item is not a tensor.
    DimensionsMismatchError
        The shapes do not fit each other.
    InvalidArgumentError
        The sequence contains no tensors.

    Examples
    --------
    >>> import suanzi
    >>> suanzi.extras.hstack([suanzi.ones((2, 1)), suanzi.zeros((2, 2))])
    tensor([[1., 0., 0.],
            [1., 0., 0.]])
    """
    parts = [reshape(x, 1) if x.ndim == 0 else x for x in _tensors("hstack", tensors)]
    return _joined("hstack", parts, 0 if parts[0].ndim == 1 else 1)


def vstack(tensors: Sequence[Tensor], /) -> Tensor:
    """Join tensors along the first axis. A scalar or a vector counts as one row.

    Parameters
    ----------
    tensors : sequence of Tensor
        Tensors whose shapes differ only along the joined axis.

    Returns
    -------
    Tensor
        A tensor of the promoted type and at least two dimensions.

    Raises
    ------
    TypeMismatchError
        The types do not promote, or an item is not a tensor.
    DimensionsMismatchError
        The shapes do not fit each other.
    InvalidArgumentError
        The sequence contains no tensors.

    Examples
    --------
    >>> import suanzi
    >>> suanzi.extras.vstack([suanzi.ones(2), suanzi.zeros(2)])
    tensor([[1., 1.],
            [0., 0.]])
    """
    parts = [reshape(x, (1, x.size)) if x.ndim < 2 else x for x in _tensors("vstack", tensors)]
    return _joined("vstack", parts, 0)


def _joined(operator: str, parts: list[Tensor], axis: int) -> Tensor:
    shapes = [(*x.shape[:axis], *x.shape[axis + 1 :]) for x in parts]
    for x, shape in zip(parts, shapes, strict=True):
        if shape != shapes[0] or x.ndim != parts[0].ndim:
            raise DimensionsMismatchError(f"{operator}: shapes {parts[0].shape} and {x.shape} differ past axis {axis}")
    with named(operator):
        return concat(parts, axis)
