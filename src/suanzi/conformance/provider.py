"""The interface that an operator library implements so that the kit can check the library.

A provider uses its own tensors. For the checks, the provider converts NumPy arrays to tensors and back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Protocol

from .oracle.element_types import Array

# Properties that the standard does not demand. The kit judges a property only for a provider that claims the property.
# The properties are the optional aspects, "open types" (element types that the clauses do not mention, and operands
# whose types are of different kinds), "additions" (options that the clauses do not list), kinds of operands, and the
# rules of suanzi.h.
CLAIMS = (
    *("output", "repetition", "correct rounding", "open types", "additions"),
    *("negative strides", "sparse operands", "quantized operands", "C interface"),
)


class Provider(Protocol):
    """An implementation of the standard's operators.

    An operator that refuses a call raises an exception whose ``status`` equals the code of Table 1 (`status.Status`).
    """

    name: str
    element_types: frozenset[str]  # the provider's types, by the names of `ELEMENT_TYPES`; "string" for strings
    claims: frozenset[str] = frozenset()  # some of `CLAIMS`
    # The device on which the provider computes (`--device`) and creates tensors by default; "" is the CPU.
    device: str = ""

    def find(self, operator: str) -> Callable[..., Any] | None:
        """Return the function of an operator, or None if the provider lacks the operator. The function has Suanzi's
        signature and accepts the provider's tensors.
        """

    def find_bare(self, operator: str) -> Callable[..., Any] | None:
        """Return the operator for timing: the library's own function, without the work for checks."""
        return self.find(operator)

    def functions(self, operator: str) -> Iterable[str]:
        """Return the names that the kit checks for an operator: its own name, and further names that `find` accepts."""
        return (operator,)

    def element_type(self, name: str) -> Any:
        """Return the value that the provider's operators accept as `dtype` for the element type of a given name."""

    def from_numpy(self, array: Array) -> Any:
        """Return a tensor with the array's elements and shape and, if the provider's tensors have strides, the array's
        strides.
        """

    def to_numpy(self, tensor: Any) -> Array:
        """Return all elements of a tensor as an array, also of a sparse tensor. ml_dtypes defines the type bfloat16."""

    def order(self, tensor: Any) -> tuple[int, ...]:
        """Return the logical order of the tensor's memory (chapter 6.4 of the standard), the fastest dimension
        first.
        """
        raise BlockedError("the tensors do not show the order of their memory")

    def device_of(self, tensor: Any) -> str:
        """Return the device of the tensor, such as "cpu" or "gpu:1"."""
        raise BlockedError("the tensors do not show their device")

    def version(self) -> str:
        """Return the version of the library, for the report."""
        return ""

    def set_threads(self, count: int) -> None:
        """Set the number of threads that the library may use, if no environment variable sets the number."""
        return

    def rule(self, name: str, *given: Any) -> Any:
        """Make the calls that test a rule of the provider's interface. Return the outcome as plain data, which
        `probes.c_rules` checks.
        """
        raise BlockedError(f"{name} is not a rule of the interface of {self.name}")

    def finished(self, result: Any) -> Any:
        """Wait until a result is computed, and return the result. A library may return before the end of the
        computation.
        """
        return result


class BlockedError(Exception):
    """Raised if a probe cannot be judged, because the probe needs something that the provider lacks."""


class ResultError(Exception):
    """Raised if a call returned something that cannot be a result of the operator. The message names the fault."""


def only_tensor(result: Any) -> Any:
    """Return a result of a call. Raise `ResultError` for a text, a list or another object that cannot be a tensor.

    The function accepts numbers, because some operators return numbers.
    """
    if result is None or type(result) in (str, bytes) or isinstance(result, list | tuple | dict):
        raise ResultError(f"returned {type(result).__name__}, not a tensor")
    return result


def several(result: Any, count: int) -> list[Any]:
    """Return the results of a call that has several results. Raise `ResultError` if the call returned one object."""
    if isinstance(result, str) or not isinstance(result, Iterable):
        is_plain = result is None or isinstance(result, bool | int | float | complex | str)
        found = type(result).__name__ if is_plain else "one object"
        raise ResultError(f"returned {found}, not {count} result{'s' * (count != 1)}")
    return list(result)


def is_device(told: str, device: str) -> bool:
    """Return whether a tensor's device has a given name. A name without a number matches any device of the type."""
    told, device = told.lower(), device.lower()
    return told == device or (":" not in device and told.partition(":")[0] == device)


def needed(provider: Provider, operator: str) -> Callable[..., Any]:
    """Return the provider's function for an operator. Raise `BlockedError` if the provider lacks the operator."""
    function = provider.find(operator)
    if function is None:
        raise BlockedError(f"needs {operator}, which {provider.name} does not have")
    return function
