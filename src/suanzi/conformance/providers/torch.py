"""PyTorch as a provider: the table of the module `pytorch`, and the operators that depend on the device or the
generator.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np
import torch

from ..oracle.element_types import ELEMENT_TYPES, Array
from ..provider import BlockedError
from ..standard import standard
from . import pytorch
from .library import Function, Library

# Operators whose names are names of PyTorch functions with another meaning.
_OTHERS = {"scatter", "multinomial", "pad"}


class Torch(Library):
    """The provider of PyTorch, on the CPU or on another named device."""

    name = "torch"
    element_types = frozenset(ELEMENT_TYPES)

    def __init__(self, device: str = "cpu") -> None:
        self.device, self._place = device, torch.device(device)
        self.operators = {
            **_functions(),
            **{name: _performed(make) for name, make in pytorch.CALLS.items()},
            **_QUERIES,
            **self._creation(),
        }

    def version(self) -> str:
        return str(torch.__version__)

    def set_threads(self, count: int) -> None:
        torch.set_num_threads(count)

    def element_type(self, name: str) -> Any:
        return getattr(torch, name)

    def from_numpy(self, array: Array) -> Any:
        if array.dtype.name == "bfloat16":
            return torch.from_numpy(array.astype(np.float32)).to(torch.bfloat16).to(self._place)
        positive = array if all(stride >= 0 for stride in array.strides) else array.copy()
        return torch.from_numpy(np.array(positive, order="K")).to(self._place)

    def to_numpy(self, tensor: Any) -> Array:
        here = tensor.detach().cpu().resolve_conj().resolve_neg()
        if here.dtype is torch.bfloat16:
            return np.asarray(here.float().numpy().astype(ELEMENT_TYPES["bfloat16"].numpy))
        return np.asarray(here.numpy())

    def order(self, tensor: Any) -> tuple[int, ...]:
        return tuple(sorted(range(tensor.ndim), key=lambda axis: (tensor.stride()[axis], -axis)))

    def _creation(self) -> dict[str, Function]:
        def made(function: Function) -> Function:
            def create(shape: Any, *value: Any, dtype: Any = None, layout: Any = None) -> Any:
                if layout is not None:
                    raise BlockedError("has no logical orders")
                shape = (shape,) if isinstance(shape, int) else shape
                return function(shape, *value, dtype=dtype or torch.float32, device=self._place)

            return create

        def drawn(shape: Any, seed: int) -> dict[str, Any]:
            generator = torch.Generator(self._place)
            generator.manual_seed(seed) if seed else generator.seed()
            return {"generator": generator}

        def uniform(shape: Any, low: Any, high: Any, seed: int = 0, dtype: Any = None) -> Any:
            empty = torch.empty(shape, dtype=dtype or torch.float32, device=self._place)
            return empty.uniform_(low, high, **drawn(shape, seed))

        def normal(shape: Any, mean: Any = 0, std: Any = 1, seed: int = 0, dtype: Any = None) -> Any:
            empty = torch.empty(shape, dtype=dtype or torch.float32, device=self._place)
            return empty.normal_(mean, std, **drawn(shape, seed))

        return {
            "zeros": made(torch.zeros),
            "empty": made(torch.empty),
            "full": made(torch.full),
            "tensor": self._tensor,
            "from_reference": lambda data: torch.from_numpy(np.asarray(data)),
            "arange": lambda start, stop=None, step=1, dtype=None: torch.arange(
                *((start,) if stop is None else (start, stop, step)), dtype=dtype or torch.float32
            ),
            "linspace": lambda start, stop, num, dtype=None: torch.linspace(
                start, stop, num, dtype=dtype or torch.float32
            ),
            "uniform": uniform,
            "normal": normal,
            "bernoulli": lambda p, seed=0: torch.bernoulli(p, **drawn(p.shape, seed)),
            "randperm": lambda n, dtype=None, seed=0: torch.randperm(
                n, dtype=dtype or torch.float32, **drawn((n,), seed)
            ),
            "clone": torch.clone,
            "contiguous": lambda x: x.contiguous(),
            "diag": torch.diag,
        }

    def _tensor(self, data: Any, *, shape: Any = None, dtype: Any = None, layout: Any = None) -> Any:
        if shape is not None or layout is not None:
            raise BlockedError("has no flat initialisers and logical orders")
        bare = isinstance(data, list | int | float)
        return torch.tensor(data, dtype=dtype or (torch.float32 if bare else None), device=self._place)


def _performed(make: pytorch.Maker) -> Function:
    """Return a function that prepares and makes a call of PyTorch. Several results become a tuple."""

    def call(*operands: Any, **options: Any) -> Any:
        result = make(*operands, **options)()
        return tuple(result) if isinstance(result, tuple) else result

    return call


def _functions() -> dict[str, Function]:
    """Return PyTorch's functions with the operators' signatures."""
    found: dict[str, Function] = {}
    for name in standard().operators.keys() - _OTHERS:
        with suppress(AttributeError):
            found[name] = pytorch.function_of(name)
    return found


_QUERIES: dict[str, Function] = {
    "shape": lambda x: tuple(x.shape),
    "size": lambda x: x.numel(),
    "rank": lambda x: x.ndim,
    "is_contiguous": lambda x: x.is_contiguous(),
    "astype": lambda x, dtype, copy=True: x.to(dtype, copy=copy),
}
