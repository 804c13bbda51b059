"""Launches of kernels: the source for operands of given layouts, and the arguments of every launch."""

from __future__ import annotations

import struct
import warnings
from dataclasses import dataclass
from math import prod
from typing import Any

import torch

from suanzi import tuning
from suanzi.devices import errors
from suanzi.devices.state import functions, state_of, synchronous
from suanzi.devices.tensor import DeviceTensor, made, strides_of
from suanzi.devices.triton import expressions, folds, launch
from suanzi.devices.types import TORCH, stored
from suanzi.fusion.grouping import Group
from suanzi.fusion.kernels import Writer, Written, fold_type
from suanzi.graph.node import Node, Reduction
from suanzi.tensor.device import Device
from suanzi.tensor.dtypes import DType
from suanzi.tensor.status import AllocFailedError


def _power(n: int) -> int:
    """Return the least power of two that is at least `n`, and at least 1."""
    return 1 << max(n - 1, 0).bit_length()


@dataclass(slots=True)
class Launch:
    """The data for launching the kernel of one group."""

    group: Group
    code: Written
    device: Device
    places: list[tuple[Node, tuple[int, ...]]]  # outputs with their strides
    sizes: tuple[int, ...]  # rows and columns of the domain, or the number of elements for a flat kernel
    works: bool = True

    @classmethod
    def of(cls, group: Group, outputs: list[Node], known: dict[int, DeviceTensor], device: Device) -> Launch:
        places = [(x, strides_of(x.shape, x.order)) for x in outputs]
        strides = dict(places)
        for node in group.nodes:
            for x in node.operands:
                if x not in group.forms:
                    strides[x] = known[x.number].stride()
        code = Writer(group, strides, outputs, functions.correct).written()
        domain = group.domain
        if group.kind == "flat":
            sizes: tuple[int, ...] = (prod(domain),)
        elif group.kind == "rows":
            sizes = prod(group.lead), prod(domain[len(group.lead) :])
        else:
            fold = group.nodes[-1]
            assert isinstance(fold, Reduction)
            columns = prod(domain[axis] for axis in fold.axes)
            sizes = prod(domain) // columns, columns
        return cls(group, code, device, places, sizes)

    def run(self, known: dict[int, Any], arguments: tuple[Any, ...]) -> bool:
        """Run the kernel and add the outputs to `known`. Return False if Triton cannot compile or launch the kernel."""
        if not self.works:
            return False
        state = state_of(self.device)
        state.last.append("fuse")
        try:
            self._run(known, arguments, state.place)
        except Exception as error:
            if not errors.is_short_of_memory(error):
                self.works = False
                warnings.warn(f"fuse: Triton: {type(error).__name__}: {error}; operators run one by one", stacklevel=2)
                return False
        else:
            if synchronous.on:
                state.wait()
            return True
        errors.freed()
        try:
            self._run(known, arguments, state.place)
        except Exception as error:
            raise AllocFailedError(f"fuse: {error}") from None
        return True

    def _run(self, known: dict[int, Any], arguments: tuple[Any, ...], place: torch.device) -> None:
        inputs = [known[x.number].data for x in self.code.inputs]
        outputs = [torch.empty_strided(x.shape, s, dtype=TORCH[x.dtype], device=place) for x, s in self.places]
        numbers = [half for x, dtype in self.code.numbers for half in halves(x.compute(arguments), dtype)]
        module = launch.loaded(self.code.source)
        {"flat": self._flat, "rows": self._rows, "fold": self._fold}[self.group.kind](
            module, inputs, outputs, numbers, place
        )
        for (node, _), data in zip(self.places, outputs, strict=True):
            x = made(data, self.device, node.dtype)
            if node.order is not None:
                x._order = node.order
            known[node.number] = x

    def _flat(self, module: Any, inputs: Any, outputs: Any, numbers: Any, place: torch.device) -> None:
        (n,) = self.sizes
        launch.launched(
            module.kernel, (-(-n // tuning.KERNEL_TILE),), [*inputs, *outputs, *numbers, n, tuning.KERNEL_TILE], place
        )

    def _rows(self, module: Any, inputs: Any, outputs: Any, numbers: Any, place: torch.device) -> None:
        rows, columns = self.sizes
        block = _power(columns)
        at_once = min(max(tuning.KERNEL_TILE // block, 1), tuning.WIDEST, _power(rows))
        given = [*inputs, *outputs, *numbers, rows, columns, at_once, block]
        warps = min(max(block // tuning.WARP, 4), 16)
        launch.launched(module.kernel, (-(-rows // at_once),), given, place, num_warps=warps)

    def _fold(self, module: Any, inputs: Any, outputs: Any, numbers: Any, place: torch.device) -> None:
        rows, columns = self.sizes
        fold = self.group.nodes[-1]
        assert isinstance(fold, Reduction)
        last = max(axis for axis, n in enumerate(self.group.domain) if n > 1 or axis == fold.axes[-1])
        at_once = 1 if last in fold.axes else min(tuning.WIDEST, _power(rows))
        block = min(_power(columns), tuning.KERNEL_TILE // at_once)
        programs = -(-rows // at_once)
        pieces = max(min(tuning.PROGRAMS // programs, -(-columns // (4 * block))), 1)
        piece = -(-columns // (pieces * block)) * block
        pieces = -(-columns // piece)
        kind = folds.accumulated(fold.name, fold_type(fold), long=True)
        assert kind is not None
        partial = torch.empty(pieces * rows, dtype=getattr(torch, kind.removeprefix("tl.")), device=place)
        given = [*inputs, partial, *numbers, rows, columns, piece, at_once, block]
        launch.launched(module.kernel, (programs, pieces), given, place)
        given = [partial, *outputs, rows, columns, pieces, at_once, min(_power(pieces), block)]
        launch.launched(module.last, (programs,), given, place)


def halves(value: float, dtype: DType) -> tuple[int, int]:
    """Return the bits of a Python float as two 32-bit integers, the low bits first. For a half-precision `dtype` the
    float is rounded to `dtype` first.
    """
    if dtype in expressions.HALVES:
        value = float(stored(torch.tensor(value, dtype=torch.float64), TORCH[dtype]))
    low, high = struct.unpack("<ii", struct.pack("<d", value))
    return low, high
