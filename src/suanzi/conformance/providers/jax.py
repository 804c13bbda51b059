"""JAX as a provider: its NumPy namespace, which implements the array API, and jax.lax."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ..oracle.element_types import ELEMENT_TYPES, Array
from .array_api import ArrayApi
from .library import Function


class Jax(ArrayApi):
    """The provider of JAX with 64-bit types, on JAX's first device or on the first device of a given type."""

    def __init__(self, device: str = "") -> None:
        jax.config.update("jax_enable_x64", True)
        super().__init__(jnp)
        self.name = "jax"
        self.element_types = frozenset(ELEMENT_TYPES)
        self._place = jax.devices(device or None)[0]

    def version(self) -> str:
        return str(jax.__version__)

    def from_numpy(self, array: Array) -> Any:
        return jax.device_put(np.array(array, order="C"), self._place)

    def finished(self, result: Any) -> Any:
        return jax.block_until_ready(result)

    def table(self) -> dict[str, Function | None]:
        key = jax.random.key
        return {
            **super().table(),
            "uniform": lambda shape, low, high, seed=0, dtype=None: jax.random.uniform(
                key(seed), _shape(shape), dtype or jnp.float32, low, high
            ),
            "normal": lambda shape, mean=0, std=1, seed=0, dtype=None: (
                jax.random.normal(key(seed), _shape(shape), dtype or jnp.float32) * std + mean
            ),
            "bernoulli": lambda p, seed=0: jax.random.bernoulli(key(seed), p).astype(p.dtype),
            "randperm": lambda n, dtype=None, seed=0: jax.random.permutation(key(seed), n).astype(dtype or jnp.float32),
            "diag": lambda x, offset=0: jnp.diag(x, offset),
            "split": lambda x, sections, axis=0: jnp.split(
                x, sections if isinstance(sections, int) else np.cumsum(sections)[:-1], axis
            ),
            "pad": lambda x, width, mode="constant": jnp.pad(x, width, mode),
            "isclose": jnp.isclose,
            "bitwise_invert": jnp.bitwise_invert,
            "rsqrt": jax.lax.rsqrt,
            "round": lambda x, decimals=0: jnp.round(x, decimals),
            "complex": jax.lax.complex,
            "topk": self._topk,
            "lstsq": lambda a, b, rtol=None: tuple(jnp.asarray(x) for x in jnp.linalg.lstsq(a, b, rtol)),
            "eig": lambda x: tuple(jnp.linalg.eig(x)),
            "lu": lambda x: tuple(jax.scipy.linalg.lu(x)),
            "linear": lambda x, w, bias=None: x @ w.T if bias is None else x @ w.T + bias,
        }

    def _topk(self, x: Any, k: int, axis: int = -1, largest: bool = True) -> Any:
        moved = jnp.moveaxis(x, axis, -1)
        values, indices = jax.lax.top_k(moved if largest else -moved, k)
        return [jnp.moveaxis(part, -1, axis) for part in (values if largest else -values, indices)]


def _shape(shape: Any) -> tuple[int, ...]:
    return (shape,) if isinstance(shape, int) else tuple(shape)
