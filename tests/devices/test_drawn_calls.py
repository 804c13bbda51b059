"""Random calls return the same types, shapes and statuses on a device as on the CPU.

The results of exact functions have the same bits.

``SUANZI_DEVICE_DRAWS`` is the number of calls, and ``SUANZI_DEVICE_SEED`` is the first seed.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from drawn import FACTORS, Draw, Drawn
from placing import assert_same, here, sz, there

pytestmark = pytest.mark.one_level

DRAWS = int(os.environ.get("SUANZI_DEVICE_DRAWS", "1500"))
SEED = int(os.environ.get("SUANZI_DEVICE_SEED", "0"))
_BLOCK = 250
# Words of Suanzi's messages about abilities that PyTorch lacks.
_LACKS = ("with a negative step beside indices", "PyTorch: ")


@pytest.mark.parametrize("block", range((DRAWS + _BLOCK - 1) // _BLOCK))
def test_drawn_calls(block: int) -> None:
    draw = Draw(SEED + block)
    wrong = [text for _ in range(min(_BLOCK, DRAWS)) if (text := fault(draw.call()))]
    assert not wrong, f"{len(wrong)}:\n" + "\n".join(wrong[:20])


def fault(call: Drawn, move: Callable[[Any], Any] = there, told: Callable[[Any], Any] = here) -> str | None:
    """Return a text about the difference between a call's results on the device and on the CPU, or None.

    `move` moves operands to the device. `told` converts a result for the comparison.
    """
    with np.errstate(all="ignore"):
        expected, found = call.made(lambda x: x), call.made(move)
    if _failed(expected) or _failed(found):
        if not (_failed(expected) and _failed(found)):
            lacking = _failed(found) and any(words in found[1] for words in _LACKS)
            told = found[1] if _failed(found) else f"no error where the CPU says {expected[1]}"
            return None if lacking else f"{call}: {told}"
        # A call with several errors, for example with `out`, may report any of the errors.
        same = found[0] == expected[0] or call.out is not None
        return None if same else f"{call}: {found[1]} where the CPU says {expected[1]}"
    try:
        compared(call, told(found), _plain(expected if told is here else told(expected)))
    except AssertionError as error:
        return f"{call}: {' '.join(str(error).split())[:300]}"
    return None


def _failed(x: Any) -> bool:
    return isinstance(x, tuple) and len(x) == 2 and isinstance(x[0], (sz.Status, type)) and isinstance(x[1], str)


def _plain(x: Any) -> Any:
    return [_plain(item) for item in x] if isinstance(x, (list, tuple)) else x


def compared(call: Drawn, found: Any, expected: Any) -> None:
    if isinstance(expected, list):
        assert len(found) == len(expected)
        for a, b in zip(found, expected, strict=True):
            compared(call, a, b)
    elif not isinstance(expected, sz.Tensor):
        assert found == expected
    elif call.record.name in FACTORS or call.is_rounded:
        assert (found.dtype, found.shape) == (expected.dtype, expected.shape), (found.dtype, found.shape)
        if call.record.name not in FACTORS:
            sums = call.record.name.startswith(
                ("fft.", "svdvals")
            )  # errors of these functions are relative to the greatest element
            nearly(found, expected, call.step, np.inf if sums else 100.0)
    else:
        assert_same(found, expected)


def nearly(found: Any, expected: Any, step: float, most: float = 100.0) -> None:
    """Check elements with the relative tolerance `step`, plus `step` times the greatest element (clipped to `most`)."""
    if expected.dtype.kind not in "fcV" and expected.dtype.name != "bfloat16":
        assert_same(found, expected)
        return
    a, b = (x.numpy().astype(np.complex128 if x.dtype.kind == "c" else np.float64) for x in (found, expected))
    if a.dtype.kind == "c":  # infinite and NaN parts may differ, because PyTorch computes these parts
        finite = np.isfinite(a) & np.isfinite(b)
        a, b = a[finite], b[finite]
    largest = np.abs(b[np.isfinite(b)]).max(initial=0.0)
    np.testing.assert_allclose(a, b, rtol=step, atol=step * min(largest, most))
