"""Registration of the tensor class for devices and of the class's operators. Suanzi loads this module when a program
first uses a device.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from suanzi import _core
from suanzi.devices import (
    boxes,
    complexes,
    creation,
    division,
    elementwise,
    fast,
    formulas,
    indexing,
    linalg,
    movement,
    networks,
    other_kinds,
    powers,
    products,
    quantized,
    random,
    recurrent,
    reductions,
    rounding,
    sampling,
    searching,
    sparse,
    starts_synchronous,
    table,
    transforms,
)
from suanzi.devices.close_calls import is_rounded_correctly
from suanzi.devices.parts import PARTS
from suanzi.devices.patterns import DevicePattern
from suanzi.devices.state import functions, state_of, states, synchronous
from suanzi.devices.tensor import DeviceTensor
from suanzi.kinds import devices as registry
from suanzi.operators.methods import add_methods
from suanzi.operators.registry import record_of

table.rows(*elementwise.WAYS, out=True)(elementwise.computed)
SLOW: dict[str, Callable[..., Any]] = table.TABLE.made() | movement.INTERNAL | {"fold_formula": reductions.fold_formula}
SLOW |= PARTS
SERVED: dict[str, Callable[..., Any]] = {}  # the table that the core reads, filled by `serve`


def serve() -> None:
    """Fill `SERVED`, in which the core finds the functions for calls with tensors on devices. An operator has its fast
    function if one exists and `_is_slow` is False, and otherwise the general function. If each call must wait for its
    device, the fast functions also wait.
    """
    quick = {name: make(SLOW[name]) for name, make in fast.FAST.items() if name in SLOW and not _is_slow(name)}
    SERVED.update(SLOW)
    if synchronous.on:
        quick = {name: _waiting(function) for name, function in quick.items()}
    SERVED.update(quick)


def _is_slow(name: str) -> bool:
    """Return whether `set_functions` has chosen float64 for an operator, which then has no fast function."""
    record = record_of(name)
    return functions.correct and record is not None and is_rounded_correctly(record)


def _waiting(function: Callable[..., Any]) -> Callable[..., Any]:
    def waiting(*arguments: Any) -> Any:
        result = function(*arguments)
        if isinstance(result, DeviceTensor):
            state_of(result.device).wait()
        return result

    return waiting


def set_synchronous(on: bool) -> None:
    """Set whether each call waits for its device."""
    synchronous.on = on
    serve()
    if on:
        for state in states():
            state.wait()


def set_functions(mode: str) -> None:
    """Set how devices compute mathematical functions of float32."""
    functions.correct = mode == "correct"
    serve()


synchronous.on = starts_synchronous()
serve()
_core.register_kind(DeviceTensor, registry.RANK, SERVED)
_core.register_kind(DevicePattern, registry.RANK, PARTS)
add_methods(DeviceTensor)
registry.add_class(DeviceTensor)

# The following modules register the rows of the table.
_ROOMS = (boxes, complexes, creation, division, formulas, indexing, linalg, movement, products)
_MORE = (networks, other_kinds, powers, quantized, random, recurrent, reductions, rounding, sampling, searching)
_LAST = (sparse, transforms)

__all__ = ["DeviceTensor", "serve", "set_functions", "set_synchronous"]
