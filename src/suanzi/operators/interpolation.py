"""Tensors on a finer or coarser grid (Table 2, 插值操作)."""

from __future__ import annotations

from collections.abc import Sequence

from suanzi import _core
from suanzi._core import Tensor
from suanzi.operators.registry import operator
from suanzi.operators.scratch import copy, nbytes


@operator(
    "BIFCS",
    ("TYPE_MISMATCH", "DIMENSIONS_MISMATCH", "INVALID_ARGUMENT", "OUT_OF_RANGE"),
    scratch=copy("x") + nbytes("result"),
    family="transform",
    core=_core.interpolate,
)
def interpolate(
    x: Tensor,
    /,
    size: int | Sequence[int] | None = None,
    scale_factor: float | Sequence[float] | None = None,
    mode: str = "nearest",
    align_corners: bool = False,
    antialias: bool = False,
    recompute_scale_factor: bool = False,
) -> Tensor:
    """A batch of signals, images or volumes resized (插值操作).

    The modes, the rule for the size, and where each result lies among the elements are those of
    ``torch.nn.functional.interpolate``: positions are rounded to float32 (for float64 to float64) where it rounds
    them, so that the same elements are taken. In two spatial dimensions, and there alone, its nearest modes leave the
    rule: they ignore `scale_factor` where a size stays or doubles, and round positions of float64 to float32; here all
    numbers of dimensions follow it. Elements of weight 0 do not take part, be they NaN or infinite.

    Parameters
    ----------
    x : Tensor
        Of shape (N, C, …) with one to three spatial dimensions. Any type for the nearest modes; else floating
        types, or uint8, whose results are rounded to nearest and kept in 0 … 255, once, after all axes.
    size : int or sequence of int, optional
        The spatial dimensions of the result, or one number for all of them. Either this or `scale_factor`.
    scale_factor : float or sequence of float, optional
        By what the spatial dimensions are multiplied; sizes are rounded down.
    mode : str, optional
        The element at the left edge of a result ("nearest") or at its centre ("nearest-exact"); linear
        interpolation in one ("linear"), two ("bilinear") or three dimensions ("trilinear"); cubic convolution
        with a = -0.75 in two ("bicubic"); the mean of the elements that a result touches ("area").
    align_corners : bool, optional
        Whether the centres of the first and last results are those of the first and last elements, rather than
        their edges. For the linear and cubic modes.
    antialias : bool, optional
        Whether a result that covers several elements is made of all of them: "bilinear" and "bicubic" (then with
        a = -0.5), stretched accordingly.
    recompute_scale_factor : bool, optional
        Whether positions follow from the sizes, which are whole, rather than from the `scale_factor` given.

    Returns
    -------
    Tensor
        A copy in the type of `x`, of shape (N, C, …). float16 and bfloat16 are computed in float32.

    Examples
    --------
    >>> import suanzi
    >>> x = suanzi.tensor([[[1.0, 2.0, 4.0]]])
    >>> print(suanzi.interpolate(x, 6))
    [[[1. 1. 2. 2. 4. 4.]]]
    >>> print(suanzi.interpolate(x, scale_factor=2.0, mode="linear"))
    [[[1.   1.25 1.75 2.5  3.5  4.  ]]]
    """
