"""Fourier transforms, against NumPy and PyTorch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

import suanzi
from comparison import Comparison

Calls = dict[str, Callable[[], object]]


def transform(
    name: str, shape: Callable[[int], tuple[int, ...]], dtype: str, axis: int | None = None
) -> Callable[[int], Calls]:
    """One transform by its name, on tensors of the shape that belongs to a size; `axis` of those along one axis."""

    def make(n: int) -> Calls:
        rng = np.random.default_rng(0)
        parts = rng.standard_normal((2, *shape(n)))
        a = (parts[0] + 1j * parts[1] if dtype.startswith("complex") else parts[0]).astype(dtype)
        x, t = suanzi.tensor(a), torch.from_numpy(a)
        at: dict[str, Any] = {} if axis is None else {"axis": axis}
        dim: dict[str, Any] = {} if axis is None else {"dim": axis}
        return {
            "suanzi": lambda: getattr(suanzi.fft, name)(x, **at),
            "numpy": lambda: getattr(np.fft, name)(a, **at),
            "torch": lambda: getattr(torch.fft, name)(t, **dim),
        }

    return make


def line(n: int) -> tuple[int, ...]:
    return (n,)


CASES: list[Comparison] = [
    *(
        case
        for dtype in ("complex64", "complex128")
        for case in (
            Comparison(
                "fft.fft",
                transform("fft", line, dtype, -1),
                dtype,
                (1000, 1024, 100_000, 100_003, 1_000_000, 2**20),
                {1024: 0.5, 100_003: 1.0, 1_000_000: 1.0},
            ),
            *(
                Comparison(
                    f"fft.fft of 1000 lines, axis {axis}",
                    transform("fft", lambda n, axis=axis: (1000, n) if axis else (n, 1000), dtype, axis),  # type: ignore[misc]
                    dtype,
                    (16, 100, 1024),
                    {16: 0.5, 100: 0.5, 1024: 0.5},
                )
                for axis in (1, 0)
            ),
            Comparison("fft.fftn of n x n", transform("fftn", lambda n: (n, n), dtype), dtype, (32, 512), {512: 0.5}),
        )
    ),
    Comparison("fft.rfft", transform("rfft", line, "float32", -1), sizes=(1000, 1024, 100_000, 1_000_000)),
    Comparison("fft.rfft of 1000 lines", transform("rfft", lambda n: (1000, n), "float32", -1), sizes=(100, 1024)),
    Comparison("fft.irfft", transform("irfft", line, "complex64", -1), "complex64", (1025, 100_000)),
    Comparison("fft.fft of reals", transform("fft", line, "float32", -1), sizes=(1024, 100_000)),
    Comparison("fft.rfftn of n x n", transform("rfftn", lambda n: (n, n), "float32"), sizes=(32, 512)),
    Comparison("fft.fftshift", transform("fftshift", line, "complex64"), "complex64", (1000, 1_000_000)),
]
