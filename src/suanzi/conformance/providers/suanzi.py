"""This library as a provider."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import suanzi
from suanzi.operators.registry import extras, lookup
from suanzi.sparse import SparseTensor
from suanzi.tensor.dtypes import as_dtype

from ..oracle.element_types import ELEMENT_TYPES, Array
from ..provider import Provider


class Suanzi(Provider):
    """This library, with its additions to the operators."""

    name = "suanzi"
    element_types = frozenset((*ELEMENT_TYPES, "string"))
    claims = frozenset(
        (
            *("output", "repetition", "correct rounding", "open types", "additions"),
            *("sparse operands", "quantized operands"),
        )
    )

    def find(self, operator: str) -> Callable[..., Any] | None:
        try:
            return lookup(operator).function
        except KeyError:
            return None

    def functions(self, operator: str) -> Iterable[str]:
        return (operator, *(extra.name for extra in extras(operator) if self.find(extra.name)))

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

    def device_of(self, tensor: Any) -> str:
        return str(tensor.device)

    def version(self) -> str:
        return suanzi.__version__
