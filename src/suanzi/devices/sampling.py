"""Sampling on devices at the points of a grid, and sampling of regions.

The positions are computed as in native/ops/sample, operation by operation, so the positions equal the CPU's positions
in every bit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import prod
from typing import Any, NamedTuple

import torch

import suanzi.nn  # noqa: F401  # the rows are for its records
from suanzi import _core, tuning
from suanzi.devices import front
from suanzi.devices.parts import part
from suanzi.devices.state import state_of
from suanzi.devices.table import finished, rows
from suanzi.devices.tensor import DeviceTensor, made
from suanzi.devices.types import TORCH, as_bits, carried, converted, stored
from suanzi.kinds.call import Call
from suanzi.tensor.device import Device
from suanzi.tensor.dtypes import DType
from suanzi.tensor.status import InvalidArgumentError, SuanziError

_FAR = 2.0**60  # finite coordinates beyond this limit are replaced by the limit, which is outside any tensor
# The greatest number of samples of a region along an axis, and the greatest number of all samples of a region. The
# second limit applies only to results that are the greatest sample.
_MOST_ALONG, _MOST_SAMPLES = 2**24, 2**26

Taps = list[tuple[torch.Tensor, torch.Tensor]]  # the indices and weights of elements


@rows("roi_align", "nms", out=True)
def by_its_body(call: Call, device: Device) -> Any:
    """Return NotImplemented, so that the CPU's Python implementation runs. The implementation's steps compute on the
    device. The table of the device's operators (`devices/table.py`) checks before this call that all operands are on
    one device.
    """
    return NotImplemented


def of_shapes(ask: Callable[..., Any], *operands: Any) -> Any:
    """Return the result of the CPU's function `ask` for stand-ins with the types and shapes of the operands.

    If all operands have the same batch size, the stand-ins have an empty batch, so nothing is computed. An error
    message names the true shapes.
    """
    tensors = [x for x in operands if type(x) is DeviceTensor]
    alike = len({x.shape[:1] for x in tensors}) == 1 and all(x.ndim for x in tensors)

    def stand_in(x: Any, batch: bool) -> Any:
        if type(x) is not DeviceTensor:
            return x
        return front.spread(x) if batch else _core.expand(front.one_of(x.dtype), (0, *x.shape[1:]))

    try:
        return ask(*[stand_in(x, not alike) for x in operands])
    except SuanziError:
        ask(*[stand_in(x, True) for x in operands])
        raise


def result_of(call: Call, *operands: Any) -> tuple[DType, tuple[int, ...]]:
    """Return the CPU's type and shape for the result of a call whose operands have the same batch size."""
    dtype, shape = front.kept("networks", call, lambda: front.facts(of_shapes(call.on, *operands)))
    return dtype, (operands[0].shape[0], *shape[1:])


# --- points of a grid ---


class _GridAxis(NamedTuple):
    """An axis of a grid. The axis maps coordinates from -1 to 1 to elements, and handles positions outside the axis."""

    size: int
    mode: str
    outside: str
    align: bool

    def _held(self, x: torch.Tensor) -> torch.Tensor:
        """Clamp positions to the axis. NaN becomes the first element."""
        x = torch.where(x > 0, x, 0.0)
        return torch.where(x < self.size - 1, x, float(self.size - 1))

    def _reflected(self, x: torch.Tensor) -> torch.Tensor:
        low, span = (0.0, self.size - 1.0) if self.align else (-0.5, float(self.size))
        if span == 0:
            return torch.zeros_like(x)
        distance = torch.abs(x - low)
        times = torch.floor(distance / span)
        rest, half = distance - times * span, times * 0.5
        return torch.where(half == torch.floor(half), rest + low, span - rest + low)

    def _inside(self, x: torch.Tensor) -> torch.Tensor:
        if self.outside == "zeros":
            return x
        return self._held(self._reflected(x) if self.outside == "reflection" else x)

    def _position(self, x: torch.Tensor) -> torch.Tensor:
        x = torch.where(torch.isfinite(x), torch.clamp(x, -_FAR, _FAR), x)
        at = (x + 1) * 0.5 * (self.size - 1) if self.align else ((x + 1) * self.size - 1) * 0.5
        return at if self.mode == "cubic" else self._inside(at)

    def _tap(self, element: torch.Tensor, weight: torch.Tensor, kept: Any) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the index and weight of an element. The weight is 0 outside the axis, unless `kept` is true."""
        if self.mode == "cubic":
            element = self._inside(element)
        there = (element >= 0) & (element <= self.size - 1)
        place = torch.where(there, element, 0.0).to(torch.int64)
        return place, torch.where(there | kept, weight, 0.0)

    def taps(self, x: torch.Tensor) -> Taps:
        at = self._position(x)
        if self.mode == "nearest":
            return [self._tap(torch.round(at), torch.ones_like(at), False)]
        before = torch.floor(at)
        beyond = at - before  # NaN if the position is not finite
        wrong = torch.isnan(beyond)
        if self.mode == "linear":
            after = torch.where(wrong, 0.0, beyond)
            return [self._tap(before, 1 - beyond, wrong), self._tap(before + 1, after, False)]
        weights = _cubic_weights(beyond)
        return [self._tap(before + (k - 1), weight, wrong) for k, weight in enumerate(weights)]


def _cubic_weights(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """Return the weights of cubic convolution at distances 1 + x, x, 1 - x, 2 - x, with a = -0.75."""
    a = -0.75

    def near(d: torch.Tensor) -> torch.Tensor:
        return ((a + 2) * d - (a + 3)) * d * d + 1

    def far(d: torch.Tensor) -> torch.Tensor:
        return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a

    return far(x + 1), near(x), near(1 - x), far(2 - x)


def _products(axes: Sequence[_GridAxis], points: torch.Tensor) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    """Yield the indices, in a plane, and the weights of the elements around points. The last axis changes fastest."""
    step, found = 1, [(torch.zeros((), dtype=torch.int64, device=points.device), torch.ones_like(points[..., 0]))]
    for k, axis in enumerate(reversed(axes)):
        taps = axis.taps(points[..., k])
        found = [(p + place * step, w * weight) for place, weight in taps for p, w in found]
        step *= axis.size
    yield from found


_MODES = {"bilinear": "linear", "bicubic": "cubic"}


@rows("grid_sample", out=True)
def grid_sampled(call: Call, device: Device) -> Any:
    """Return weighted sums of elements, computed in the wider type of the elements and the grid. The mode "nearest"
    moves elements unchanged.
    """
    x, grid = call.x, call.grid
    dtype, shape = result_of(call, x, grid)
    mode = _MODES.get(call.mode, call.mode)
    moves, there = mode == "nearest", x.data.dtype
    doubles = torch.float64 in ((grid.data.dtype,) if moves else (grid.data.dtype, there))
    wide = torch.float64 if doubles else torch.float32
    if 0 in shape:
        return finished(call, torch.zeros(shape, dtype=there, device=x.data.device), device, dtype)
    sizes = x.shape[2:]
    points = converted(grid.data, wide).reshape(shape[0], -1, len(sizes))
    axes = [_GridAxis(size, mode, call.padding_mode, bool(call.align_corners)) for size in sizes]
    t = (as_bits(x.data) if moves else converted(x.data, wide)).reshape(*shape[:2], prod(sizes))
    found = torch.zeros((), dtype=t.dtype, device=t.device)
    for place, weight in _products(axes, points):
        elements = torch.gather(t, 2, place[:, None].expand(*shape[:2], -1))
        counts = (weight != 0)[:, None]
        found = torch.where(counts, elements if moves else found + weight[:, None] * elements, found)
    found = found.reshape(shape)
    return finished(call, found.view(there) if moves else found, device, dtype)


# --- regions ---


class _Samples(NamedTuple):
    """The samples of regions along one axis. `each` contains the number of samples of a result in each region, and
    `most` is the greatest of these numbers.
    """

    size: int
    start: torch.Tensor  # (regions, results)
    part: torch.Tensor  # (regions, 1)
    each: torch.Tensor  # (regions, 1)
    most: int

    def chosen(self, regions: slice) -> _Samples:
        return self._replace(start=self.start[regions], part=self.part[regions], each=self.each[regions])

    def taps(self, number: int) -> tuple[Taps, torch.Tensor, torch.Tensor]:
        """Return the two neighbours of sample `number` with their weights, whether the sample lies inside, and whether
        the sample exists.
        """
        at = self.start + (number + 0.5) * self.part / self.each
        exists = number < self.each
        inside = exists & (at >= -1) & (at <= self.size)
        at = torch.where(inside, at, 0.0).clamp(min=0.0)
        low = at.to(torch.int64)
        ends = low >= self.size - 1
        low = torch.where(ends, self.size - 1, low)
        beyond = torch.where(ends, 0.0, at - low)
        high = torch.where(ends, low, low + 1)
        return [(low, 1 - beyond), (high, beyond)], inside, exists


def _samples(
    operator: str, ends: tuple[torch.Tensor, torch.Tensor], size: int, results: int, scale: float, count: int,
    halves: bool,
) -> _Samples:  # fmt: skip
    """Return the samples along one axis between the two ends of each region. The function waits for the device if
    `count` is not positive, because the ends then determine the number of samples.
    """
    offset = 0.5 if halves else 0.0
    start, end = (x * scale - offset for x in ends)
    part = (end - start if halves else torch.clamp(end - start, min=1.0)) / results
    if count > 0:
        each, most = torch.full_like(part, count), float(count)
    else:
        each = torch.clamp(torch.ceil(part), min=0.0)
        most = float(each.max()) if each.numel() else 0.0
    if not most * results <= _MOST_ALONG:
        raise InvalidArgumentError(
            f"{operator}: a region has {most:g} samples in each of {results} results, more than 2^24"
        )
    number = torch.arange(results, device=part.device, dtype=part.dtype)
    return _Samples(size, start[:, None] + number * part[:, None], part[:, None], each[:, None], int(most))


def _means(t: torch.Tensor, images: torch.Tensor, down: _Samples, across: _Samples) -> torch.Tensor:
    """Return the means of the samples, first along columns and then along rows. t is float64, of shape (N, H, C, W)."""

    def mean(axis: _Samples, taken: Any) -> Any:
        total: Any = 0.0
        for number in range(axis.most):
            taps, inside, _ = axis.taps(number)
            for place, weight in taps:
                factor = torch.where(inside, weight, 0.0).to(t.dtype)
                elements, factor = taken(place, factor)
                total = total + torch.where(factor != 0, factor * elements, 0.0)
        return total

    if not down.most or not across.most:
        return torch.zeros((len(images), t.shape[2], down.start.shape[1], across.start.shape[1]), device=t.device)
    lines = mean(down, lambda place, factor: (t[images[:, None], place], factor[..., None, None]))

    def columns(place: torch.Tensor, factor: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        index = place[:, None, None, :].expand(*lines.shape[:3], -1)
        return torch.gather(lines, 3, index), factor[:, None, None, :]

    count = (down.each * across.each)[..., None, None].to(t.dtype)
    found = mean(across, columns)
    return torch.where(count > 0, found / count, 0.0).permute(0, 2, 1, 3)


def _greatest(t: torch.Tensor, images: torch.Tensor, down: _Samples, across: _Samples) -> torch.Tensor:
    """Return, for each result, the greatest product of a sampled element and the element's weight. t has shape (N, H,
    W, C).
    """
    shape = (len(images), down.start.shape[1], across.start.shape[1], t.shape[3])
    some = ((down.each * across.each) > 0)[..., None, None]
    best = torch.where(some, -torch.inf, 0.0).to(t.dtype).expand(shape)
    for row in range(down.most):
        ys, in_rows, rows_there = down.taps(row)
        for column in range(across.most):
            xs, in_columns, columns_there = across.taps(column)
            inside = (in_rows[:, :, None] & in_columns[:, None, :])[..., None]
            there = (rows_there[:, :, None] & columns_there[:, None, :])[..., None]
            for y, wy in ys:
                for x, wx in xs:
                    weight = (wy[:, :, None] * wx[:, None, :])[..., None]
                    elements = t[images[:, None, None], y[:, :, None], x[:, None, :]]
                    product = torch.where(inside & (weight != 0), weight * elements, 0.0)
                    best = torch.where(there, torch.maximum(best, product), best)
    return best.permute(0, 3, 1, 2)


@part("align_regions")
def aligned_regions(
    operator: str, x: DeviceTensor, boxes: DeviceTensor, images: DeviceTensor, height: Any, width: Any, scale: Any,
    samples: Any, aligned: Any, greatest: Any,
) -> DeviceTensor:  # fmt: skip
    """Return regions as planes of the same size. The device checks the image indices."""
    given = [n.item() if type(n) is DeviceTensor else n for n in (height, width, scale, samples, aligned, greatest)]

    def ask(boxes: Any, images: Any) -> Any:
        return _core.align_regions(operator, front.spread(x), boxes, images, *given)

    shape = of_shapes(ask, boxes, images).shape
    height, width, scale, samples, aligned, greatest = given
    device, there = x.device, TORCH[x.dtype]
    numbers = carried(images.data).to(torch.int64)
    state_of(device).note(f"nn.{operator}", ((numbers < 0) | (numbers >= x.shape[0])).any())
    shape = (boxes.shape[0], *shape[1:])
    if 0 in (*shape, x.size):
        return made(torch.zeros(shape, dtype=there, device=x.data.device), device, x.dtype)
    numbers = numbers.clamp(0, x.shape[0] - 1)
    wide = torch.float64 if there is torch.float64 else torch.float32
    corners = converted(boxes.data, wide)
    finite = torch.isfinite(corners).all(1)
    corners = torch.where(finite[:, None], corners, 0.0)
    how = (float(scale), int(samples), bool(aligned))
    down = _samples(operator, (corners[:, 1], corners[:, 3]), x.shape[2], height, *how)
    across = _samples(operator, (corners[:, 0], corners[:, 2]), x.shape[3], width, *how)
    if greatest and down.most * int(height) * across.most * int(width) > _MOST_SAMPLES:
        raise InvalidArgumentError(f"{operator}: a region has more than 2^26 samples")
    t = x.data.to(wide).permute(0, 2, 3, 1) if greatest else x.data.to(torch.float64).permute(0, 2, 1, 3)
    step = max(1, tuning.SAMPLED_PIECE // (x.shape[1] * int(height) * max(x.shape[3], int(width))))
    found = []
    for first in range(0, len(numbers), step):
        some = slice(first, first + step)
        compute = _greatest if greatest else _means
        found.append(compute(t, numbers[some], down.chosen(some), across.chosen(some)))
    whole = torch.where(finite[:, None, None, None], torch.cat(found).to(t.dtype), torch.nan)
    return made(stored(whole, there).contiguous(), device, x.dtype)
