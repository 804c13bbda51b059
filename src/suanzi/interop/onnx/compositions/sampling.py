"""Operators that sample at positions from other tensors: grids, regions and boxes."""

from __future__ import annotations

import suanzi
from suanzi import DimensionsMismatchError, InvalidArgumentError, Tensor, nn
from suanzi.interop.onnx.compositions.reading import Integers
from suanzi.interop.onnx.precision import HALVES
from suanzi.tensor.messages import shown


def grid_sample(x: Tensor, grid: Tensor, *, mode: str, padding_mode: str, align_corners: int) -> Tensor:
    if mode in ("cubic", "bicubic") and padding_mode == "border":
        grid = _at_the_border(x, grid, bool(align_corners))

    def sampled(x: Tensor) -> Tensor:
        return nn.grid_sample(x, grid, mode, padding_mode, bool(align_corners))  # type: ignore[arg-type]

    kind = x.dtype.kind_name
    if mode == "nearest" or kind in ("real floating", "string"):
        return sampled(x)
    if kind == "complex floating":
        return suanzi.complex(sampled(suanzi.real(x)), sampled(suanzi.imag(x)))
    return suanzi.astype(sampled(suanzi.astype(x, suanzi.float64)), x.dtype)  # truncated toward zero


def _at_the_border(x: Tensor, grid: Tensor, align_corners: bool) -> Tensor:
    """Return a grid in which points outside of `x` are moved to the centres of the outermost elements.

    PyTorch does not move these points. For cubic convolution, which reads two elements in each direction, PyTorch's
    rule leads to other results.
    """
    ends = [1.0 if align_corners else 1 - 1 / max(size, 1) for size in reversed(x.shape[2:])]
    if len(ends) != grid.shape[-1]:
        return grid  # `nn.grid_sample` raises the error for this grid
    wide = suanzi.astype(grid, HALVES.get(grid.dtype, grid.dtype), copy=False)
    outermost = suanzi.sign(wide) * suanzi.tensor(ends, dtype=wide.dtype)
    return suanzi.where(suanzi.greater(suanzi.abs(wide), 1), outermost, wide)


def roi_align(
    x: Tensor,
    rois: Tensor,
    batch_indices: Tensor,
    *,
    mode: str,
    output_height: int,
    output_width: int,
    sampling_ratio: int,
    spatial_scale: float,
    coordinate_transformation_mode: str = "output_half_pixel",
) -> Tensor:
    if coordinate_transformation_mode not in ("half_pixel", "output_half_pixel"):
        raise InvalidArgumentError(
            f"RoiAlign: coordinate_transformation_mode {shown(coordinate_transformation_mode)} is neither half_pixel "
            "nor output_half_pixel"
        )
    if rois.ndim != 2 or rois.shape[1] != 4:
        raise DimensionsMismatchError(f"RoiAlign: rois of shape {rois.shape} are not (K, 4)")
    aligned = coordinate_transformation_mode == "half_pixel"
    size = (output_height, output_width)
    return nn.roi_align(x, rois, batch_indices, size, spatial_scale, sampling_ratio, aligned, mode=mode)  # type: ignore[arg-type]


def affine_grid(theta: Tensor, size: Integers, *, align_corners: int) -> Tensor:
    """Return the points of a grid from -1 to 1, each multiplied by a matrix. The coordinate of the last axis comes
    first.
    """
    sizes = size[2:]
    if len(sizes) not in (2, 3) or theta.shape != (size[0], len(sizes), len(sizes) + 1):
        raise DimensionsMismatchError(f"AffineGrid: matrices of shape {theta.shape} do not fit size {shown(size)}")
    if min(size) < 0:
        raise InvalidArgumentError(f"AffineGrid: size {shown(size)} has a negative number")
    rank = len(sizes)
    result = _as_points(theta[:, :, rank], rank)
    for axis, count in enumerate(sizes):
        shape = [1] * (rank + 2)
        shape[axis + 1] = count
        places = suanzi.reshape(_centres(count, bool(align_corners), theta), shape)
        result = result + _as_points(theta[:, :, rank - 1 - axis], rank) * places
    return result


def _as_points(column: Tensor, rank: int) -> Tensor:
    """Return a column of the matrices in a shape that broadcasts along the axes of a grid."""
    return suanzi.reshape(column, (column.shape[0], *(1,) * rank, column.shape[1]))


def _centres(count: int, align_corners: bool, like: Tensor) -> Tensor:
    """Return the centres of `count` equal parts of the range from -1 to 1. If `align_corners` is True, return evenly
    spaced points from -1 to 1 inclusive.
    """
    numbers = suanzi.astype(suanzi.arange(count), suanzi.float64)
    if align_corners:
        places = numbers * (2 / (count - 1)) - 1 if count > 1 else numbers
    else:
        places = (2 * numbers + 1) / max(count, 1) - 1
    return suanzi.astype(places, like.dtype)


def non_max_suppression(
    boxes: Tensor,
    scores: Tensor,
    max_output_boxes_per_class: int | Integers | None = None,
    iou_threshold: float | tuple[float, ...] | None = None,
    score_threshold: float | tuple[float, ...] | None = None,
    *,
    center_point_box: int,
) -> Tensor:
    if boxes.ndim != 3 or scores.ndim != 3:
        raise DimensionsMismatchError(
            f"NonMaxSuppression: shapes {boxes.shape} and {scores.shape} are not (N, B, 4) and (N, C, B)"
        )
    threshold = _number(score_threshold, None)
    return nn.nms(
        boxes,
        scores,
        _number(iou_threshold, 0.0) or 0.0,
        score_threshold=threshold,
        max_output_boxes=int(_number(max_output_boxes_per_class, 0) or 0),
        box_format="centres" if center_point_box else "corners",
    )


def _number(value: float | tuple[float, ...] | None, default: float | None) -> float | None:
    """Return a number: an operand, the single element of a vector, or the default if the operand is missing."""
    if not isinstance(value, tuple):
        return default if value is None else value
    if len(value) != 1:
        raise DimensionsMismatchError(f"NonMaxSuppression: {shown(value)} is not a single number")
    return value[0]
