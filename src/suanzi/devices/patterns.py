"""DevicePattern: the coordinates of a sparse tensor's elements on a device, the counterpart of the CPU's
`_core.Pattern`.

Coordinates are int64 on a device, whatever type is shown to the user. Coordinates are checked once and never change, so
every function may use coordinates as indices.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch

from suanzi.devices.tensor import DeviceTensor, made
from suanzi.devices.types import HALVES, TORCH, as_bits, carried, stored
from suanzi.tensor.device import Device
from suanzi.tensor.dtypes import DType, int16, int32, int64
from suanzi.tensor.status import TypeMismatchError

Shape = tuple[int, ...]


class DevicePattern:
    """The positions of elements: coordinates of shape (rank, count), or the columns of compressed rows, of shape
    (count,), and the start of each row.
    """

    __slots__ = ("canonical", "device", "index_type", "places", "shape", "starts", "starts_type")

    def __init__(
        self,
        device: Device,
        shape: Shape,
        places: torch.Tensor,
        canonical: bool,
        index_type: DType,
        starts: torch.Tensor | None = None,
        starts_type: DType = int64,
    ) -> None:
        self.device, self.shape, self.places, self.canonical = device, shape, places, canonical
        numbered = shape if starts is None else shape[1:]
        self.index_type = shown_type(index_type, numbered, 0)
        self.starts = starts
        self.starts_type = shown_type(starts_type, (), self.count)

    @property
    def count(self) -> int:
        """Return the number of elements."""
        return int(self.places.shape[-1])

    @property
    def format(self) -> str:
        """Return ``"coo"`` or ``"csr"``."""
        return "coo" if self.starts is None else "csr"

    @property
    def indices(self) -> DeviceTensor:
        """Return a copy of the coordinates (count, rank), or of the columns, in the type that is shown to the user."""
        shown = self.places.T if self.starts is None else self.places
        return made(shown.to(TORCH[self.index_type], copy=True).contiguous(), self.device, self.index_type)

    @property
    def indptr(self) -> DeviceTensor:
        """Return a copy of the starts of the rows, followed by the end of the last row."""
        if self.starts is None:
            raise TypeMismatchError("indptr: a pattern of coordinates has no indptr; to_csr makes compressed rows")
        return made(self.starts.to(TORCH[self.starts_type], copy=True), self.device, self.starts_type)


def shown_type(given: DType, shape: Shape, count: int) -> DType:
    """Return the type in which the user sees indices that were given in the type `given`. The type can represent
    `count` and all indices along the dimensions of `shape`.
    """
    largest = max([count, *(size - 1 for size in shape)])
    kept = (int16, int32) if given is int16 else (int32,) if given is int32 else ()
    return next((t for t in kept if largest <= t.limits[1]), int64)


def is_wide(shape: Shape) -> bool:
    """Return whether the CPU uses int64 to number coordinates along given dimensions."""
    return any(size - 1 > int32.limits[1] for size in shape)


def sorts_words(p: DevicePattern) -> bool:
    """Return whether the CPU sorts the elements of a pattern's rows as 64-bit words, and therefore shows row starts in
    another type.
    """
    return not is_wide(p.shape if p.starts is None else p.shape[1:]) and p.count <= int32.limits[1]


class Derived(NamedTuple):
    """A pattern made from an old pattern, and the indices of the old elements. Element k is the old element
    ``source[k]``. If `begins` is not None, each True in `begins` starts a new element. The new element is the sum of
    the old elements before the next True.
    """

    pattern: DevicePattern
    source: torch.Tensor | None = None
    begins: torch.Tensor | None = None


def rows_of_elements(p: DevicePattern) -> torch.Tensor:
    """Return the row number of each element of compressed rows."""
    assert p.starts is not None
    rows = torch.arange(p.shape[0], device=p.places.device)
    return torch.repeat_interleave(rows, p.starts.diff(), output_size=p.count)


def coordinates(p: DevicePattern) -> torch.Tensor:
    """Return the coordinates (rank, count) of any pattern."""
    return p.places if p.starts is None else torch.stack((rows_of_elements(p), p.places))


def to_coordinates(p: DevicePattern) -> DevicePattern:
    """Return compressed rows as coordinates. The elements keep their order."""
    if p.starts is None:
        return p
    return DevicePattern(p.device, p.shape, coordinates(p), p.canonical, p.index_type)


def linear(places: torch.Tensor, shape: Shape) -> torch.Tensor:
    """Return the row-major index of each coordinate tuple within the given shape."""
    number = torch.zeros_like(places[0]) if len(places) else places.new_zeros(places.shape[1])
    for row, size in zip(places, shape, strict=True):
        number = number * size + row
    return number


def row_major(places: torch.Tensor, shape: Shape) -> torch.Tensor | None:
    """Return the stable order that makes coordinates row-major, or None if the pattern has no axes.

    Each pass sorts by as many of the last remaining axes as one number of 63 bits can represent.
    """
    order: torch.Tensor | None = None
    last = len(shape)
    while last:
        first, count = last - 1, shape[last - 1]
        while first and count * shape[first - 1] <= int64.limits[1]:
            first -= 1
            count *= shape[first]
        keys = linear(places[first:last], shape[first:last])
        found = torch.argsort(keys if order is None else keys[order], stable=True)
        order = found if order is None else order[found]
        last = first
    return order


def changes(places: torch.Tensor) -> torch.Tensor:
    """Return True for each sorted coordinate tuple that differs from the preceding tuple."""
    n = places.shape[1]
    found = torch.ones(n, dtype=torch.bool, device=places.device)
    if n > 1:
        found[1:] = (places[:, 1:] != places[:, :-1]).any(0)
    return found


def ascending(places: torch.Tensor) -> torch.Tensor:
    """Return whether coordinates are unique and in row-major order. The result is a bool on the device."""
    before, behind = places[:, :-1], places[:, 1:]
    equal = torch.ones(before.shape[1], dtype=torch.bool, device=places.device)
    greater = torch.zeros_like(equal)
    for a, b in zip(before, behind, strict=True):
        greater |= equal & (b > a)
        equal &= a == b
    return greater.all()


def starts_of(rows: torch.Tensor, count: int) -> torch.Tensor:
    """Return the index of the first element of each of `count` rows, and then the number of elements. The row numbers
    `rows` of the elements ascend.
    """
    return torch.searchsorted(rows.contiguous(), torch.arange(count + 1, device=rows.device))


def compressed(p: DevicePattern, places: torch.Tensor, starts_type: DType, canonical: bool = True) -> DevicePattern:
    """Return compressed rows made from coordinates whose row numbers ascend."""
    starts = starts_of(places[0], p.shape[0])
    return DevicePattern(p.device, p.shape, places[1].contiguous(), canonical, p.index_type, starts, starts_type)


def _sorted(p: DevicePattern) -> tuple[torch.Tensor, torch.Tensor | None, torch.Tensor | None]:
    """Return a pattern's canonical coordinates, and the fields `source` and `begins` for a `Derived`."""
    places = coordinates(p)
    order = row_major(places, p.shape)
    if order is not None:
        places = places[:, order]
    begins = changes(places)
    kept = places[:, begins]
    return kept, order, None if kept.shape[1] == p.count else begins


def coalesced(p: DevicePattern) -> Derived:
    """Return the canonical pattern of the same format. Elements with the same coordinates are summed in their original
    order.
    """
    if p.canonical:
        return Derived(p)
    places, order, begins = _sorted(p)
    if p.starts is None:
        return Derived(DevicePattern(p.device, p.shape, places, True, p.index_type), order, begins)
    return Derived(compressed(p, places, p.starts_type if sorts_words(p) else p.index_type), order, begins)


def to_rows(p: DevicePattern) -> Derived:
    """Return the canonical pattern of compressed rows for a pattern with two dimensions."""
    if p.starts is not None:
        return coalesced(p)
    if p.canonical:
        return Derived(compressed(p, p.places, p.index_type))
    places, order, begins = _sorted(p)
    return Derived(compressed(p, places, p.starts_type if sorts_words(p) else p.index_type), order, begins)


# --- values ---


def wide(t: torch.Tensor) -> torch.Tensor:
    """Return numbers in the type in which sums and products are computed. Integers wrap when `narrow` converts the
    results back.
    """
    if t.dtype in HALVES:
        return t.to(torch.float32)
    return t if t.is_floating_point() or t.is_complex() else carried(t).to(torch.int64)


def narrow(t: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """Convert results that were computed with numbers from `wide` to the original type. The sum of bools is `or`."""
    return t != 0 if dtype is torch.bool else stored(t, dtype)


def added(t: torch.Tensor, groups: torch.Tensor, count: int) -> torch.Tensor:
    """Return the sum of the elements of each group. `groups` has the group number of each element. The order of the
    additions is fixed, so repeated calls return the same bits.
    """
    return t.new_zeros((count, *t.shape[1:])).index_put_((groups,), t, accumulate=True)


def carry(values: DeviceTensor, derived: Derived) -> DeviceTensor:
    """Return the values of a derived pattern, made from the values of the old pattern."""
    t, source, begins = values.data, derived.source, derived.begins
    if begins is None:
        return values if source is None else picked(values, source)
    numbers = wide(t) if source is None else wide(t)[source]
    found = numbers[begins]  # a group of one element keeps the sign of a zero
    more = ~begins
    found.index_put_(((begins.cumsum(0) - 1)[more],), numbers[more], accumulate=True)
    return made(narrow(found, t.dtype), values.device, values.dtype)


def picked(values: DeviceTensor, source: torch.Tensor) -> DeviceTensor:
    """Return the elements of `values` at the indices `source`. An element may be a block of numbers."""
    found: Any = as_bits(values.data)[source].view(values.data.dtype)
    return made(found, values.device, values.dtype)
