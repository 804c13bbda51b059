"""einops on tensors: an import of this module registers a backend, so that `einops.rearrange` and other functions
accept tensors.

einops looks for backends among the subclasses of its AbstractBackend. The functions of `einops.array_api` need no
backend. This module only registers the backend. The package suanzi does not install einops.

>>> import einops
>>> import suanzi.interop.einops
>>> einops.rearrange(suanzi.zeros((2, 3, 4)), "a b c -> (c a) b").shape
(8, 3)
"""

from __future__ import annotations

from typing import Any

import suanzi
from suanzi import Tensor
from suanzi.tensor.exchange import Array

try:
    from einops._backends import AbstractBackend
except ImportError as error:
    raise ImportError("suanzi.interop.einops: the package einops is missing; pip install einops") from error


class SuanziBackend(AbstractBackend):  # type: ignore[misc]
    """The einops backend of suanzi. einops finds shape, reshape, transpose and reductions as methods of the tensor."""

    framework_name = "suanzi"

    def is_appropriate_type(self, tensor: object) -> bool:
        return isinstance(tensor, Tensor)

    def from_numpy(self, x: Array) -> Tensor:
        return suanzi.from_reference(x)

    def to_numpy(self, x: Tensor) -> Array:
        array: Array = x.numpy()
        return array

    def arange(self, start: int, stop: int) -> Tensor:
        return suanzi.array_api.arange(start, stop)

    def stack_on_zeroth_dimension(self, tensors: list[Tensor]) -> Tensor:
        return suanzi.stack(tensors)

    def add_axis(self, x: Tensor, new_position: int) -> Tensor:
        return suanzi.expand_dims(x, new_position)

    def tile(self, x: Tensor, repeats: tuple[int, ...]) -> Tensor:
        return suanzi.tile(x, repeats)

    def concat(self, tensors: list[Tensor], axis: int) -> Tensor:
        return suanzi.concat(tensors, axis)

    def is_float_type(self, x: Tensor) -> bool:
        return x.dtype.kind_name.endswith("floating")

    def einsum(self, pattern: str, *operands: Any) -> Tensor:
        return suanzi.einsum(pattern, *operands)
