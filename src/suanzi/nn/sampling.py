"""Sampling at points of a grid, sampling of regions, and selection of boxes by scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from suanzi import _core
from suanzi._core import Tensor
from suanzi.operators.composition import floating_operand, into, named, tensor_operand, widened
from suanzi.operators.creation.filled import zeros
from suanzi.operators.registry import operator
from suanzi.operators.scratch import copy, wide
from suanzi.operators.transform.shape import expand_dims
from suanzi.tensor.device import beside
from suanzi.tensor.dtypes import int64
from suanzi.tensor.messages import shown
from suanzi.tensor.status import DimensionsMismatchError, InvalidArgumentError, TypeMismatchError

_FIT = ("TYPE_MISMATCH", "DIMENSIONS_MISMATCH", "INVALID_ARGUMENT")


@operator(
    "BIFCS",
    _FIT,
    name="nn.grid_sample",
    family="transform",
    core=_core.grid_sample,
    scratch=wide("x") + wide("grid") + wide("result") + 2**20,
)
def grid_sample(
    x: Tensor,
    grid: Tensor,
    /,
    mode: Literal["bilinear", "nearest", "bicubic", "linear", "cubic"] = "bilinear",
    padding_mode: Literal["zeros", "border", "reflection"] = "zeros",
    align_corners: bool = False,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Return interpolated elements at the points of a grid (网格采样).

    Parameters
    ----------
    x : Tensor
        A tensor of shape (N, C, …) with one to three spatial dimensions. The mode "nearest" accepts any type. The other
        modes accept floating types.
    grid : Tensor
        A floating tensor of shape (N, …, d): points along d spatial dimensions, with d coordinates each. The coordinate
        along the last dimension comes first. Coordinates run from -1 at the beginning of a dimension to 1 at the end of
        the dimension.
    mode : str, optional
        "nearest" selects the nearest element, and, of two equally near elements, the element with an even index.
        "bilinear" and "linear" interpolate linearly along all dimensions. "bicubic" and "cubic" interpolate by cubic
        convolution, with Keys' parameter a = -0.75.
    padding_mode : str, optional
        The elements outside of `x`: zeros (empty strings for strings), the elements at the border, or the reflected
        elements.
    align_corners : bool, optional
        If True, -1 and 1 are the centres of the first and the last element. Otherwise -1 and 1 are the outer edges of
        the first and the last element.

    Returns
    -------
    Tensor
        A tensor of shape (N, C, …) of the type of `x`. float16 and bfloat16 are computed in float32. An element of
        weight 0 does not contribute, even if the element is NaN or infinite. For a coordinate that is not finite, the
        result of "bicubic" is NaN. For a coordinate that is not finite, the other modes use an element at an end of the
        dimension if `padding_mode` is "border" or "reflection". If `padding_mode` is "zeros", a coordinate that is not
        finite results in NaN for "bilinear", and in 0 for "nearest".

    Source
    ------
    ``torch.nn.functional.grid_sample``; ONNX operator GridSample.

    Examples
    --------
    >>> import suanzi
    >>> x = suanzi.tensor([[[[1.0, 2.0], [3.0, 4.0]]]])
    >>> grid = suanzi.tensor([[[[-0.5, -0.5], [0.0, 0.0], [1.0, 1.0]]]])
    >>> print(suanzi.nn.grid_sample(x, grid))
    [[[[1.  2.5 1. ]]]]
    >>> print(suanzi.nn.grid_sample(x, grid, padding_mode="border"))
    [[[[1.  2.5 4. ]]]]
    """


@operator(
    "IF",
    (*_FIT, "OUT_OF_RANGE"),
    name="nn.roi_align",
    family="transform",
    scratch=wide("x") + wide("result") + 4 * wide("boxes") + 2**28,
)
def roi_align(
    x: Tensor,
    boxes: Tensor,
    batch_indices: Tensor | None = None,
    /,
    output_size: int | Sequence[int] = 1,
    spatial_scale: float = 1.0,
    sampling_ratio: int = -1,
    aligned: bool = False,
    *,
    mode: Literal["avg", "max"] = "avg",
    out: Tensor | None = None,
) -> Tensor:
    """Return regions of images as planes of the same size (感兴趣区域对齐).

    A region is divided into parts of the same size. Each element of the result is the mean of samples at regular
    distances in a part. The samples are interpolated linearly. Samples farther than one element outside of the image
    are 0.

    Parameters
    ----------
    x : Tensor
        A floating tensor of shape (N, C, height, width).
    boxes : Tensor
        A floating tensor of shape (K, 4): the corners x1, y1, x2, y2 of each region. In a tensor of shape (K, 5), the
        index of the image comes before the corners.
    batch_indices : Tensor, optional
        Integers of shape (K,): the index of the image of each region, for `boxes` of shape (K, 4). The default is the
        first image.
    output_size : int or sequence of int, optional
        The height and width of the result, or one number for both sizes.
    spatial_scale : float, optional
        The factor that converts coordinates of boxes to coordinates of elements.
    sampling_ratio : int, optional
        The number of samples of a part along each axis. If the number is not positive, the extent of the part in
        elements, rounded up, replaces the number.
    aligned : bool, optional
        If True, the centre of element i has the coordinate i + 0.5, as for pixels. Otherwise the centre has the
        coordinate i, and a region is at least one element wide and high.
    mode : str, optional
        "avg": the mean of the samples. "max": the greatest product of an element and a weight of interpolation.

    Returns
    -------
    Tensor
        A tensor of shape (K, C, height, width) of the type of `x`. float16 and bfloat16 are computed in float32.
        Coordinates are rounded to float32 unless `x` is float64. The result of a region with a corner that is not
        finite is NaN.

    Source
    ------
    ``torchvision.ops.roi_align``; ONNX operator RoiAlign.

    Examples
    --------
    >>> import suanzi
    >>> x = suanzi.reshape(suanzi.arange(16, dtype="float32"), (1, 1, 4, 4))
    >>> box = suanzi.tensor([[0.0, 0.0, 4.0, 4.0]])
    >>> print(suanzi.nn.roi_align(x, box, output_size=2, aligned=True))
    [[[[ 2.5  4.5]
       [10.5 12.5]]]]
    """
    name = "roi_align"
    if tensor_operand(name, boxes).ndim != 2 or boxes.shape[1] not in (4, 5):
        raise DimensionsMismatchError(f"{name}: boxes of shape {boxes.shape} are neither (K, 4) nor (K, 5)")
    if boxes.shape[1] == 5:
        if batch_indices is not None:
            raise InvalidArgumentError(f"{name}: boxes of shape {boxes.shape} have the numbers of images already")
        batch_indices = zeros((boxes.shape[0],), dtype=int64, device=beside(boxes))
        with named(name):
            batch_indices[...] = boxes[:, 0]  # an error if a number is not whole
        boxes = boxes[:, 1:]
    elif batch_indices is None:
        batch_indices = zeros((boxes.shape[0],), dtype=int64, device=beside(boxes))
    listed = output_size if isinstance(output_size, (list, tuple)) else (output_size, output_size)
    if len(listed) != 2:
        raise DimensionsMismatchError(f"{name}: output_size {shown(output_size)} is not a height and a width")
    greatest = _core.read_choice(name, "mode", mode, ("avg", "max")) == 1
    images = widened(floating_operand(name, "x", x), out)
    regions = _core.align_regions(
        name, images, boxes, batch_indices, listed[0], listed[1], spatial_scale, sampling_ratio, aligned, greatest
    )
    return into(out, regions)


@operator(
    "F",
    (*_FIT, "OUT_OF_RANGE"),
    name="nn.nms",
    family="values",
    scratch=16 * copy("boxes") + 16 * wide("boxes") + 16 * wide("scores"),
)
def nms(
    boxes: Tensor,
    scores: Tensor,
    /,
    iou_threshold: float = 0.5,
    *,
    score_threshold: float | None = None,
    max_output_boxes: int | None = None,
    box_format: Literal["corners", "centres"] = "corners",
) -> Tensor:
    """Select boxes by descending score, except boxes that overlap a selected box too much (非极大值抑制).

    Boxes are examined by descending score. Boxes with equal scores keep their order. A box is kept unless the
    intersection of the box with a kept box is more than `iou_threshold` of the union of the two boxes.

    Parameters
    ----------
    boxes : Tensor
        A floating tensor of shape (B, 4), or (N, B, 4) for several images.
    scores : Tensor
        A floating tensor of shape (B,), or (N, C, B) for several images and classes. Boxes of different images or
        classes do not compete with each other. A box whose score is NaN is never kept.
    iou_threshold : float, optional
        The greatest share of the union that the intersection of two kept boxes may have, from 0 to 1.
    score_threshold : float, optional
        The function keeps only boxes whose score is greater than `score_threshold`.
    max_output_boxes : int, optional
        The greatest number of boxes that are kept for each image and class.
    box_format : str, optional
        "corners": any two opposite corners, in the order x1, y1, x2, y2 or y1, x1, y2, x2. "centres": the centre, the
        width and the height.

    Returns
    -------
    Tensor
        An int64 tensor of the indices of the kept boxes, of shape (K,), by descending score. For several images the
        shape is (K, 3), with the indices of the image, of the class and of the box.

    Source
    ------
    ``torchvision.ops.nms``; ONNX operator NonMaxSuppression.

    Examples
    --------
    >>> import suanzi
    >>> boxes = suanzi.tensor([[0.0, 0.0, 2.0, 2.0], [0.0, 0.0, 2.0, 1.9], [3.0, 3.0, 4.0, 4.0]])
    >>> print(suanzi.nn.nms(boxes, suanzi.tensor([0.9, 0.8, 0.7]), 0.5))
    [0 2]
    """
    name = "nms"
    is_one = tensor_operand(name, boxes).ndim == 2 and tensor_operand(name, scores).ndim == 1
    if is_one:
        boxes, scores = expand_dims(boxes, 0), expand_dims(scores, (0, 1))
    centred = _core.read_choice(name, "box_format", box_format, ("corners", "centres")) == 1
    if isinstance(max_output_boxes, bool):
        raise TypeMismatchError(f"{name}: max_output_boxes {max_output_boxes} is not an integer")
    found = _core.suppress_boxes(name, boxes, scores, iou_threshold, score_threshold, max_output_boxes, centred)
    return found[:, 2] if is_one else found
