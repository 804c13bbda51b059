"""Interpolation (Table 2, 插值操作): tensors on a finer or coarser grid."""

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
    """Resize a batch of signals, images or volumes (插值操作).

    The modes, the rule for the size of the result, and the positions of the result's elements among the elements of `x`
    are the same as in ``torch.nn.functional.interpolate``. The function rounds positions as PyTorch does, and thus
    chooses the same elements. All modes choose elements by positions that are rounded to float32. For elements of
    float64, all modes but the nearest modes compute the weights of the chosen elements in float64. Suanzi and PyTorch
    differ in the nearest modes for small images and for images in channels-last order. For such images, PyTorch's
    "nearest" ignores `scale_factor` along a dimension whose size stays or doubles. For elements of float64 in such
    images, PyTorch's nearest modes also round the distance between positions to float32. In Suanzi the rule for
    positions is the same for one, two and three spatial dimensions and for images of any size. An element of weight 0
    does not change an element of the result, even if the element of weight 0 is NaN or infinite.

    Parameters
    ----------
    x : Tensor
        A tensor of shape (N, C, …) with one to three spatial dimensions. The nearest modes accept any type. The other
        modes accept floating types and uint8. Results of uint8 are rounded to nearest and limited to 0 … 255 once,
        after the computation along all axes.
    size : int or sequence of int, optional
        The sizes of the result's spatial dimensions, or one number for all dimensions. Pass either `size` or
        `scale_factor`.
    scale_factor : float or sequence of float, optional
        The factors of the spatial dimensions, or one factor for all dimensions. The sizes of the result are rounded
        down.
    mode : str, optional
        The kind of interpolation. The descriptions regard each element as a cell of the grid. "nearest" selects the
        element of `x` at the left edge of the result's element, and "nearest-exact" selects the element at the centre.
        "linear", "bilinear" and "trilinear" interpolate linearly in one, two or three dimensions. "bicubic" is cubic
        convolution in two dimensions, with Keys' parameter a = -0.75. "area" is the mean of the elements of `x` that
        overlap the result's element.
    align_corners : bool, optional
        If True, the first and last elements of the result are centred on the first and last elements of `x`. Otherwise
        the outer edges of the result and of `x` coincide. Only the linear and cubic modes accept True.
    antialias : bool, optional
        If True, an element of the result that covers several elements of `x` depends on all of these elements. The
        function stretches the interpolation kernel to the size of the result's element. Only "bilinear" and "bicubic"
        accept True. With True, "bicubic" uses a = -0.5.
    recompute_scale_factor : bool, optional
        If True, the positions depend on the rounded sizes of the result, and not on the given `scale_factor`.

    Returns
    -------
    Tensor
        A new tensor of the type of `x` and of shape (N, C, …). Results of float16 and bfloat16 are computed in float32.

    Examples
    --------
    >>> import suanzi
    >>> x = suanzi.tensor([[[1.0, 2.0, 4.0]]])
    >>> print(suanzi.interpolate(x, 6))
    [[[1. 1. 2. 2. 4. 4.]]]
    >>> print(suanzi.interpolate(x, scale_factor=2.0, mode="linear"))
    [[[1.   1.25 1.75 2.5  3.5  4.  ]]]
    """
