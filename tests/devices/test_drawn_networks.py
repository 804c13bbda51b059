"""Random calls of `suanzi.nn`, and calls with sparse or quantized operands, return the CPU's values and layouts.

``SUANZI_DEVICE_DRAWS`` is the number of calls, and ``SUANZI_DEVICE_SEED`` is the first seed.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest
from drawn import Draw
from drawn_networks import KindDraw, NetworkDraw
from other_kinds import moved, parts_of
from placing import here, sz
from test_device_layouts import flat, order, permuted
from test_drawn_calls import fault

pytestmark = pytest.mark.one_level

DRAWS = int(os.environ.get("SUANZI_DEVICE_DRAWS", "600"))
SEED = int(os.environ.get("SUANZI_DEVICE_SEED", "0"))
_BLOCK = 200
_BLOCKS = range((DRAWS + _BLOCK - 1) // _BLOCK)


def ordered(x: Any) -> Any:
    """Return the parts of a result as a list, with each tensor on the CPU and with its order of dimensions."""
    on_cpu = here(x) if any(isinstance(y, sz.Tensor) and y.device != "cpu:0" for y in flat(x)) else x
    return [(y, order(y)) if isinstance(y, sz.Tensor) else y for y in flat(on_cpu)]


@pytest.mark.parametrize("block", _BLOCKS)
def test_functions_of_networks(block: int) -> None:
    draw, rng = NetworkDraw(SEED + block), np.random.default_rng(block)
    calls = (draw.call() for _ in range(_BLOCK))
    lying = (call._replace(operands=[permuted(x, rng) for x in call.operands]) for call in calls)
    wrong = [text for call in lying if (text := fault(call, told=ordered))]
    assert not wrong, f"{len(wrong)}:\n" + "\n".join(wrong[:10])


@pytest.mark.parametrize("block", _BLOCKS)
@pytest.mark.parametrize("kind", [Draw, NetworkDraw])
def test_operands_of_other_kinds(block: int, kind: type[Draw]) -> None:
    draw = KindDraw(kind(SEED + block))
    calls = (draw.call() for _ in range(_BLOCK // 2))
    wrong = [text for call in calls if (text := fault(call, moved, parts_of))]
    assert not wrong, f"{len(wrong)}:\n" + "\n".join(wrong[:10])
