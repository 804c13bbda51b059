"""Who is being checked: the protocol that an operator library implements to be checked, and ours.

A provider keeps its own tensors; the checks hand it NumPy arrays to convert and convert back.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from suanzi.conformance.oracle.element_types import ELEMENT_TYPES, Array
from suanzi.operators.registry import lookup
from suanzi.sparse import SparseTensor
from suanzi.tensor.dtypes import as_dtype


class Provider(Protocol):
    """An implementation of the standard's operators.

    An operator that cannot do what is asked raises an exception whose ``status`` equals the code of
    Table 1 (`suanzi.Status`).
    """

    name: str
    element_types: frozenset[str]  # those that it has, by the names of `ELEMENT_TYPES`; "string" if it has that

    def find(self, operator: str) -> Callable[..., Any] | None:
        """The operator of this name, to be called as ours is on its own tensors; None if absent."""

    def element_type(self, name: str) -> Any:
        """What the provider's operators take as their `dtype`."""

    def from_numpy(self, array: Array) -> Any:
        """A tensor of the array's elements, shape and, where the provider has them, strides."""

    def to_numpy(self, tensor: Any) -> Array:
        """The tensor's elements, of a sparse one all of them; bfloat16 as ml_dtypes'."""

    def order(self, tensor: Any) -> tuple[int, ...]:
        """The logical order of its memory (6.4), the fastest dimension first."""


class Suanzi:
    """This library as a provider."""

    name = "suanzi"
    element_types = frozenset((*ELEMENT_TYPES, "string"))

    def find(self, operator: str) -> Callable[..., Any] | None:
        try:
            return lookup(operator).function
        except KeyError:
            return None

    def element_type(self, name: str) -> Any:
        return as_dtype(name)

    def from_numpy(self, array: Array) -> Any:
        return lookup("tensor" if array.dtype.kind == "U" else "from_reference").function(array)

    def to_numpy(self, tensor: Any) -> Array:
        dense = tensor.to_dense() if isinstance(tensor, SparseTensor) else tensor
        return dense.numpy()

    def order(self, tensor: Any) -> tuple[int, ...]:
        found: tuple[int, ...] = tensor.layout.order
        return found
