"""Device versions of the core's functions for patterns, values and codes.

Operators on sparse and quantized tensors are Python functions (`suanzi.kinds`) that call these functions of the core.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from suanzi._core import Pattern, Tensor
from suanzi.devices import errors
from suanzi.devices.patterns import DevicePattern
from suanzi.devices.state import state_of, synchronous
from suanzi.tensor.device import CPU, Device
from suanzi.tensor.status import InvalidArgumentError, TypeMismatchError, UninitializedObjectError

PARTS: dict[str, Callable[..., Any]] = {}  # the keys are the names of the core's functions


def part(name: str, operator: str | None = None) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator that registers a function as the device version of the core's function `name`.

    Messages begin with `operator`, or with the first argument if `operator` is None.
    """

    def add(implementation: Callable[..., Any]) -> Callable[..., Any]:
        def carried_out(*arguments: Any) -> Any:
            spoken = arguments[0] if operator is None else operator
            state = state_of(device_of_part(spoken, arguments))
            state.last.append(spoken)
            result = errors.guarded_part(spoken, implementation, arguments)
            if synchronous.on:
                state.wait()
            return result

        PARTS[name] = carried_out
        return implementation

    return add


def device_of_part(operator: str, arguments: tuple[Any, ...]) -> Device:
    """Return the common device of the operands. Raise INVALID_ARGUMENT if the operands are on several devices.

    The function raises TYPE_MISMATCH for sparse and quantized operands, because a caller must pass only the parts of
    these operands.
    """
    found: Device | None = None
    for x in _operands(arguments):
        if not isinstance(x, (Tensor, Pattern, DevicePattern)):
            raise TypeMismatchError(f"{operator}: {type(x).__name__} is not a tensor")
        try:
            there = CPU if isinstance(x, Pattern) else x.device
        except UninitializedObjectError:
            raise UninitializedObjectError(f"{operator}: the tensor has been destroyed") from None
        if found is not None and there != found:
            raise InvalidArgumentError(f"{operator}: operands on {found} and {there}; to_device moves them")
        found = there
    assert found is not None
    return found


def _operands(arguments: Any) -> Iterator[Any]:
    """Yield the tensors, patterns and operands of other kinds among arguments and in tuples of arguments."""
    for x in arguments:
        if isinstance(x, tuple):
            yield from _operands(x)
        elif isinstance(x, (Tensor, Pattern, DevicePattern)) or hasattr(type(x), "__suanzi_call__"):
            yield x
