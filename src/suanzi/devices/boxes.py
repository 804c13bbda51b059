"""Selection of boxes by their scores (non-maximum suppression) on devices.

The greedy search keeps a box if the box overlaps no box that was kept before. The rule of the greedy search determines
the kept boxes uniquely, so an iteration over all boxes at once finds the same boxes. Each step applies the rule to the
boxes that the previous step kept, until two steps keep the same boxes.
"""

from __future__ import annotations

from typing import Any

import torch

from suanzi import _core, tuning
from suanzi.devices.parts import part
from suanzi.devices.sampling import of_shapes
from suanzi.devices.tensor import DeviceTensor, made


def _corners(boxes: torch.Tensor, centred: bool) -> tuple[torch.Tensor, ...]:
    """Return the coordinates of two opposite corners of boxes. The boxes are given by any two opposite corners, or by
    centre and size if `centred` is True. From two corners, the function returns the lesser coordinates first.
    """
    a, b, c, d = boxes.unbind(-1)
    if centred:
        return a - c / 2, b - d / 2, a + c / 2, b + d / 2
    return _lesser(a, c), _lesser(b, d), _greater(a, c), _greater(b, d)


# A comparison with NaN is false, so the result is the first number, as on the CPU.
def _lesser(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return torch.where(b < a, b, a)


def _greater(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return torch.where(a < b, b, a)


def _overlaps(boxes: torch.Tensor, most: float, centred: bool, in_float32: bool) -> torch.Tensor:
    """Return a bool tensor of shape (B, B) for `boxes`, which have the shape (B, 4). Element (i, j) is True if the
    intersection of boxes i and j is more than `most` times the union of these boxes.
    """
    x0, y0, x1, y1 = _corners(boxes, centred)
    area = (x1 - x0) * (y1 - y0)
    step = max(1, tuning.COMPARED_PIECE // max(len(boxes), 1))
    found = []
    for first in range(0, len(boxes), step):
        left, top, right, bottom, size = (t[first : first + step, None] for t in (x0, y0, x1, y1, area))
        width, height = _lesser(right, x1) - _greater(left, x0), _lesser(bottom, y1) - _greater(top, y0)
        shared = width * height
        ratio = shared / (size + area - shared)
        # The ratio and the limit are rounded to the type of the boxes, so 7 / 10 does not exceed 0.7.
        ratio = ratio.to(torch.float32).to(torch.float64) if in_float32 else ratio
        found.append((width > 0) & (height > 0) & (size > 0) & (area > 0) & (ratio > most))
    return torch.cat(found) if found else torch.zeros((0, 0), dtype=torch.bool, device=boxes.device)


def _kept(overlaps: torch.Tensor, order: torch.Tensor, counts: torch.Tensor) -> torch.Tensor:
    """Return a tensor that is True for the kept boxes of each class. The boxes are in the order of their scores. Each
    step of the iteration waits for the device.
    """
    number = order.shape[1]
    earlier = torch.ones((number, number), dtype=torch.bool, device=order.device).tril(-1)
    pairs = overlaps[order[:, :, None], order[:, None, :]] & earlier
    kept = counts
    for _ in range(number):
        again = counts & ~(pairs & kept[:, None, :]).any(2)
        if torch.equal(again, kept):
            break
        kept = again
    return kept


def _rounded(x: float | None, dtype: torch.dtype) -> float | None:
    return x if x is None or dtype is torch.float64 else float(torch.tensor(x, dtype=torch.float32))


@part("suppress_boxes")
def suppressed(
    operator: str, boxes: DeviceTensor, scores: DeviceTensor, overlap: Any, score: Any, most: Any, centred: Any
) -> DeviceTensor:
    """Return the image, class and box indices of the kept boxes.

    The function waits for the device, because the shape of the result depends on the number of kept boxes.
    """
    given = [n.item() if type(n) is DeviceTensor else n for n in (overlap, score, most, centred)]
    result = of_shapes(lambda *operands: _core.suppress_boxes(operator, *operands, *given), boxes, scores)
    limit, least = _rounded(float(given[0]), boxes.data.dtype), _rounded(given[1], scores.data.dtype)
    assert limit is not None
    at, rank = boxes.data.to(torch.float64), scores.data.to(torch.float64)
    candidates = ~torch.isnan(rank) if least is None else rank > least
    order = torch.where(candidates, rank, -torch.inf).sort(dim=2, descending=True, stable=True)[1]
    # Boxes with the score -inf are candidates as well. The next sort puts excluded boxes after all candidates.
    behind = torch.gather(~candidates, 2, order).to(torch.uint8).sort(dim=2, stable=True)[1]
    order = torch.gather(order, 2, behind)
    counts = torch.gather(candidates, 2, order)
    images, classes, number = order.shape
    kept = torch.zeros_like(counts)
    step = max(1, tuning.COMPARED_PIECE // max(number * number, 1))
    for image in range(images if number else 0):
        overlaps = _overlaps(at[image], limit, bool(given[3]), boxes.data.dtype is not torch.float64)
        for first in range(0, classes, step):
            some = slice(first, first + step)
            kept[image, some] = _kept(overlaps, order[image, some], counts[image, some])
    if given[2] is not None:
        kept &= kept.cumsum(2) <= int(given[2])
    found = kept.nonzero()
    box = order[found[:, 0], found[:, 1], found[:, 2]]
    return made(torch.stack([found[:, 0], found[:, 1], box], 1), boxes.device, result.dtype)
