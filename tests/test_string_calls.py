"""Every function that accepts strings treats strings like numbers that have the same order.

Other modules test numbers, and the strings themselves (tensor/test_strings.py).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import suanzi
from calls import CALLS, Call, close
from layouts import LAYOUTS
from suanzi import Tensor
from suanzi.operators.registry import lookup

# Calls that would add strings, convert strings to numbers, or combine strings with numbers.
REFUSED = {"interpolate", "interpolate smaller", "scatter add", "astype", "reduce"}
# Functions that set no elements of the result or destroy the operand.
UNKNOWN = {"empty_like", "destroy"}


def takes_strings(call: Call) -> bool:
    if call.function.startswith("Tensor."):
        return call.function == "Tensor.__getitem__"
    return bool(call.makers) and "S" in lookup(call.function).accepts and call.function not in UNKNOWN


def key(number: float) -> str:
    """Return a string for a nonnegative number. Strings are ordered like the numbers, and the string for 0 is empty."""
    return f"{number:050.12f}算" if number else ""


def keys(array: Any) -> Any:
    """Return strings for the numbers of a float32 array, and return arrays of other types unchanged."""
    if array.dtype != np.float32:
        return array
    return np.array([key(x) for x in array.ravel().tolist()], str).reshape(array.shape)


def overwrite_freed_memory() -> None:
    for size in (64, 512, 1024, 4096, 65536):
        _ = [suanzi.full(size, 0x5A, dtype="uint8") for _ in range(4)]


def outcome(call: Call, operands: list[Tensor]) -> Any:
    """Return a call's result as lists with strings in place of floating numbers, or the class of the call's error."""
    try:
        result = call.bound(operands, 0)()
    except suanzi.SuanziError as error:
        return type(error)
    for x in operands:  # the result must outlive the operands
        suanzi.destroy(x)
    overwrite_freed_memory()
    return listed(result)


def listed(result: Any) -> Any:
    if isinstance(result, Tensor):
        return result.tolist() if result.dtype is suanzi.string else keys(result.numpy()).tolist()
    if isinstance(result, float):
        return key(result)
    return [listed(x) for x in result] if isinstance(result, tuple | list) else result


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("call", list(filter(takes_strings, CALLS)), ids=lambda call: call.name)
def test_strings_in_the_place_of_numbers(call: Call, layout: str) -> None:
    for size in (16, 1, 0):
        if size == 0 and close in call.makers:
            continue
        arrays = [make(size).numpy() for make in call.makers]
        if layout == "broadcast":
            arrays = [np.broadcast_to(a[:1], a.shape) for a in arrays]
        expected = outcome(call, [LAYOUTS[layout](a) for a in arrays])
        found = outcome(call, [LAYOUTS[layout](keys(a)) for a in arrays])
        assert found == (suanzi.TypeMismatchError if call.name in REFUSED else expected), f"{size} elements"
