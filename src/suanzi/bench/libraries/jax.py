"""JAX's functions for Suanzi's operators, which the benchmark calls with Suanzi's operands and options."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp

from suanzi.bench.cases import Call
from suanzi.bench.libraries.alike import alike

FUNCTIONS: dict[str, Callable[..., Any]] = {
    **alike(
        jnp, "all any count_nonzero einsum fmod max mean min moveaxis negative prod repeat rot90 searchsorted sort"
    ),
    **alike(jnp, "std sum swapaxes take take_along_axis tril triu unique var"),
    **alike(jnp.linalg, "det eigh svdvals"),
    **alike(jnp.fft, "rfft irfft fftn rfftn fftshift", "fft."),
    "atan2": jnp.arctan2,
    "concat": jnp.concatenate,
    "cumulative_sum": jnp.cumsum,
    "cumulative_prod": jnp.cumprod,
}
CALLS: dict[str, Callable[..., Call]] = {}
