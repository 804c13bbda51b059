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

    The modes, the rule for the size, and the positions of results among the elements are the same as in
    ``torch.nn.functional.interpolate``. Where PyTorch rounds positions, the function also rounds positions, to float64
    for elements of float64 and otherwise to float32. Both libraries thus choose the same elements. One rule differs: in
    two spatial dimensions PyTorch's nearest modes ignore `scale_factor` if a size stays or doubles, and round positions
    of float64 to float32. In this function the rule for positions is the same for all numbers of dimensions. An element
    of weight 0 does not change a result, even if the element is NaN or infinite.

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
        The kind of interpolation. "nearest" selects the element at the left edge of a result, and "nearest-exact"
        selects the element at the centre of a result. "linear", "bilinear" and "trilinear" interpolate linearly in one,
        two or three dimensions. "bicubic" is cubic convolution with a = -0.75 in two dimensions. "area" is the mean of
        the elements that a result touches.
    align_corners : bool, optional
        If True, the first and last results are centred on the first and last elements. Otherwise the outer edges of
        results and elements coincide. Only the linear and cubic modes accept True.
    antialias : bool, optional
        If True, a result that covers several elements depends on all of these elements, and kernels are stretched to
        the size of a result. Only "bilinear" and "bicubic" accept True. With True, "bicubic" uses a = -0.5.
    recompute_scale_factor : bool, optional
        If True, positions follow from the rounded sizes, and not from the given `scale_factor`.

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
