"""NumPy's functions that NumPy itself computes, with the memory of tensors: functions that write into the first
argument, and functions that save or print arrays, or inspect types. The module `functions` calls these functions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from suanzi import Tensor, TypeMismatchError
from suanzi.interop.numpy.picking import numpys_errors, of_positions
from suanzi.tensor.device import is_elsewhere
from suanzi.tensor.dtypes import string
from suanzi.tensor.exchange import Array

Function = Callable[..., Any]

# NumPy's functions that save or print arrays, or inspect types. Suanzi calls these functions of NumPy with arrays that
# share the tensors' memory.
UNCHANGED = (
    *("save", "savez", "savez_compressed", "savetxt", "array2string", "array_repr", "array_str"),
    *("shares_memory", "may_share_memory", "iscomplexobj", "isrealobj", "result_type", "can_cast", "min_scalar_type"),
    "common_type",
)

# NumPy's functions that write into the first argument, by names, with the name of the second argument if the second
# argument contains positions. Suanzi calls these functions with the memory of a tensor.
WRITES = {
    "copyto": None,
    "put": "ind",
    "place": "mask",
    "putmask": "mask",
    "fill_diagonal": None,
    "put_along_axis": "indices",
}


def on_arrays(name: str, function: Function, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    with numpys_errors(name):
        return function(*map(_as_arrays, args), **{key: _as_arrays(x) for key, x in kwargs.items()})


def writing(numpys_name: str, function: Function, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a function of `WRITES` with the memory of the first argument, and with copies of positions."""
    name, positions = f"numpy.{numpys_name}", WRITES[numpys_name]
    check_memory(name, args[0] if args else next(iter(kwargs.values())))
    if positions is not None:
        args = (*args[:1], *map(of_positions, args[1:2]), *args[2:])
        kwargs = {key: of_positions(x) if key == positions else x for key, x in kwargs.items()}
    return on_arrays(name, function, args, kwargs)


def check_memory(name: str, target: Any) -> None:
    """Raise an error if the NumPy array of a tensor would be a copy, because writes to the copy would be lost."""
    if not isinstance(target, Tensor):
        return
    if is_elsewhere(target):
        raise TypeMismatchError(f"{name}: the tensor is on {target.device}, and NumPy writes into the host's memory")
    if target.dtype is string:
        raise TypeMismatchError(f"{name}: NumPy cannot write into the memory of strings; x[index] = value does")


def _as_arrays(value: Any) -> Any:
    if isinstance(value, Tensor):
        array: Array = value.numpy()
        return array
    return type(value)(map(_as_arrays, value)) if type(value) in (list, tuple) else value
