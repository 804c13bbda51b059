"""The operands for which the float64 result of a float32 function lies next to the middle of two float32 numbers.

In the mode "correct" a device computes in float64 and rounds to float32. If a float64 function is off by a few units in
the last place, only results next to the middle can be rounded to the wrong side. A table therefore contains the
operands of these results, and the float32 results of the CPU for these operands. The table is the same for every
device. `tools/accuracy/close_calls.py` makes the table.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import torch

from suanzi.devices.state import place_of
from suanzi.operators.registry import Record
from suanzi.tensor.device import Device

TABLE = Path(__file__).parent / "close_calls.npz"
_UNSTATED = ("erf", "erfc")  # functions of `suanzi.extras`, which have no record of accuracy


def is_rounded_correctly(record: Record) -> bool:
    """Return whether the CPU's float32 results of an operator are correctly rounded."""
    return record.accuracy is not None or record.called in _UNSTATED


def settled(name: str, x: torch.Tensor, rounded: torch.Tensor, device: Device) -> torch.Tensor:
    """Return `rounded`, the results of the function `name` for the operands `x`. If the table contains an operand, the
    table's result replaces the operand's result.
    """
    found = _on(device, name)
    if found is None:
        return rounded
    operands, results = found
    # A NaN comes after all numbers, and equals no number.
    at = torch.searchsorted(operands, x).clamp(max=len(operands) - 1)
    return torch.where(operands[at] == x, results[at], rounded)


@cache
def tables() -> dict[str, np.ndarray]:
    """Return the table of each function: a row of float32 operands in ascending order, and a row of their results."""
    with np.load(TABLE) as file:
        return {name: file[name].view(np.float32) for name in file.files}


@cache
def _on(device: Device, name: str) -> tuple[torch.Tensor, torch.Tensor] | None:
    table = tables().get(name)
    if table is None or not table.shape[1]:
        return None
    operands, results = (torch.tensor(row, device=place_of(device)) for row in table)
    return operands, results
