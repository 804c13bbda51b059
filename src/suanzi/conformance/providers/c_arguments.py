"""Conversion of Python arguments to C arguments by the parameter's type in the header.

For an argument that the type cannot express (such as a text in place of a number), the functions raise TYPE_MISMATCH.
For a number of more than 64 bits, the functions raise OUT_OF_RANGE. The library judges all other arguments.
"""

from __future__ import annotations

import ctypes as ct
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..status import Status, StatusError
from . import c_header as c
from .c_calls import Calls, CTensor

UNKNOWN = 2**31 - 1  # a constant that no enumeration has, for names unknown to the header
DEVICES = ("cpu", "gpu", "npu", "fpga", "asic")
# The names of C's constants for values of options, if a name does not follow from the value in Python.
_SPELLED: dict[str, dict[Any, str]] = {
    "matrix_norm": {
        "fro": "FROBENIUS",
        "nuc": "NUCLEAR",
        1: "ONE",
        -1: "MINUS_ONE",
        2: "TWO",
        -2: "MINUS_TWO",
        float("inf"): "INFINITY",
        -float("inf"): "MINUS_INFINITY",
    },
    "divide": {None: "TRUE"},
}
_PREFIXES = {"matrix_norm": "NORM", "ifft": "FFT"}  # prefixes of constants that differ from the operator's name


def integer(value: Any) -> int:
    """Return a value as an integer that fits int64_t or uint64_t."""
    if isinstance(value, bool | np.bool_):
        raise StatusError(Status.TYPE_MISMATCH, f"{value} is not an integer")
    try:
        found = operator.index(value)
    except TypeError:
        raise StatusError(Status.TYPE_MISMATCH, f"{type(value).__name__} where C accepts an integer") from None
    if not -(2**63) <= found < 2**64:
        raise StatusError(Status.OUT_OF_RANGE, f"{found} has more than 64 bits")
    return found


def signed(value: Any) -> int:
    """Return a value as an integer that fits int64_t."""
    found = integer(value)
    if found >= 2**63:
        raise StatusError(Status.OUT_OF_RANGE, f"{found} has more than 64 bits")
    return found


def unsigned(value: Any) -> int:
    """Return a value as an integer that fits uint64_t."""
    found = integer(value)
    if found < 0:
        raise StatusError(Status.OUT_OF_RANGE, f"{found} is negative, which C's type does not express")
    return found


def integers(value: Any) -> list[int]:
    """Return a list of integers that fit int64_t, for one number or several numbers."""
    return [signed(item) for item in value] if isinstance(value, list | tuple) else [signed(value)]


def truth(value: Any) -> bool:
    """Return a value as a bool. Raise StatusError if the value is not a bool."""
    if not isinstance(value, bool | np.bool_):
        raise StatusError(Status.TYPE_MISMATCH, f"{type(value).__name__} where C accepts a bool")
    return bool(value)


def floating(value: Any) -> float:
    """Return a value as a double. Raise StatusError if the value is not a real number."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.floating):
        raise StatusError(Status.TYPE_MISMATCH, f"{type(value).__name__} where C accepts a double")
    return float(value)


def scalar(value: Any) -> Any:
    """Return the address of a SuanziScalar for a number or a string."""
    value = value.item() if isinstance(value, np.generic) else value
    if not isinstance(value, bool | int | float | complex | str):
        raise StatusError(Status.TYPE_MISMATCH, f"{type(value).__name__} where C accepts a number or a string")
    try:
        return c.number(value)
    except OverflowError as error:
        raise StatusError(Status.OUT_OF_RANGE, str(error)) from None


def constant(function: str, value: Any) -> int:
    """Return the constant of an operator's enumeration for an option's value, or UNKNOWN if the header has no such
    constant.
    """
    spelled = _SPELLED.get(function, {})
    known = isinstance(value, str) or value in spelled
    if not known:
        if isinstance(value, int | float) and function in _SPELLED:
            return UNKNOWN
        raise StatusError(Status.TYPE_MISMATCH, f"{type(value).__name__} where C accepts a constant")
    if value not in spelled and value != str(value).lower():
        return UNKNOWN
    word = spelled.get(value, str(value).upper().replace("-", "_"))
    return c.constants().get(f"SUANZI_{_PREFIXES.get(function, function.upper())}_{word}", UNKNOWN)


def element_type(value: Any) -> int:
    """Return the constant of SuanziDType for the name of an element type, or NONE if the name is None."""
    if value is None:
        return c.NONE
    if value not in c.DTYPES:
        raise StatusError(Status.TYPE_MISMATCH, f"{value!r:.40} is not an element type of suanzi.h")
    return c.DTYPES.index(value)


def quantized_type(value: Any) -> int:
    """Return the constant of SuanziQuantizedType for a quantized type."""
    found = c.constants().get(f"SUANZI_{str(getattr(value, 'name', value)).upper()}")
    if found is None:
        raise StatusError(Status.TYPE_MISMATCH, f"{value!r:.40} is not a quantized type of suanzi.h")
    return found


def device(value: Any) -> Any:
    """Return the address of a SuanziDevice for a name like "gpu:1", or None if the name is None."""
    if value is None:
        return None
    if not isinstance(value, str):
        raise StatusError(Status.TYPE_MISMATCH, f"{type(value).__name__} where C accepts a device")
    name, colon, index = value.partition(":")
    known = name in DEVICES and (index.isdecimal() or not colon)
    return ct.byref(c.Device(DEVICES.index(name) if known else UNKNOWN, int(index) if known and index else 0))


def layout(value: Any) -> Any:
    """Return the address of a SuanziLayout for a logical order, or None if the order is None."""
    if value is None:
        return None
    if not isinstance(value, list | tuple):
        raise StatusError(Status.TYPE_MISMATCH, f"{type(value).__name__} where C accepts a layout")
    return c.layout(integers(value))


def tensors(value: Any) -> tuple[Any, int]:
    """Return the handles of a list of tensors as a pointer and a count."""
    if not isinstance(value, list | tuple) or not all(isinstance(item, CTensor | None) for item in value):
        raise StatusError(Status.TYPE_MISMATCH, "C accepts a list of tensors")
    handles = [item.handle.value if item is not None else None for item in value]
    return (ct.c_void_p * len(handles))(*handles), len(handles)


# --- conversions by the parameter's type ---

SIMPLE: dict[str, Callable[[Any], Any]] = {
    "int64_t": signed,
    "uint64_t": unsigned,
    "bool": truth,
    "double": floating,
    "SuanziScalar*": scalar,
    "SuanziDType": element_type,
    "SuanziQuantizedType": quantized_type,
    "SuanziDevice*": device,
    "SuanziLayout*": layout,
}
MAY_BE_MISSING = ("SuanziScalar*", "int64_t*", "double*", "SuanziTensor")


class Converter:
    """A converter of one call's arguments. The converter keeps the arguments alive during the call."""

    def __init__(self, calls: Calls, function: str) -> None:
        self.calls, self.function = calls, function
        self.kept: list[Any] = []

    def several(self, parameter: c.Parameter, value: Any) -> tuple[Any, int]:
        """Return a list as a pointer and a count, or NULL and 0 if the list is None."""
        if parameter.name == "tensors":
            return tensors(value)
        if value is None:
            return None, 0
        if parameter.type == "double*":
            found = [floating(item) for item in _several(value)]
            return (ct.c_double * len(found))(*found), len(found)
        return c.ints(integers(value))

    def one(self, parameter: c.Parameter, value: Any) -> Any:
        """Return the C value for a parameter of one value."""
        kind = parameter.type
        if value is None and kind in MAY_BE_MISSING:
            return None
        if kind == "SuanziTensor":
            return self._operand(value)
        if kind == "int32_t":
            return constant(self.function, value)
        if kind == "int64_t*":
            return c.int_at(signed(value))
        if kind == "double*":
            return ct.byref(ct.c_double(floating(value)))
        return SIMPLE[kind](value)

    def _operand(self, value: Any) -> Any:
        """Return the handle of a tensor, or the handle of a scalar that C makes from a number (chapter 5.7 of the
        standard).
        """
        if not isinstance(value, CTensor):
            (value,) = self.calls.results("scalar", scalar(value), count=1)
            self.kept.append(value)
        return value.handle


def _several(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list | tuple) else (value,)
