"""Quantized tensors against the same formulas in NumPy, and PyTorch where it has the operation."""

from __future__ import annotations

from collections.abc import Callable
from math import isqrt
from typing import Any

import numpy as np
import torch

import suanzi
from comparison import Comparison

Calls = dict[str, Callable[[], object]]
SCALE, ZERO = 0.05, 3


def drawn(size: int) -> Any:
    return np.random.default_rng(20251121).normal(size=size).astype(np.float32)


def quantize(size: int) -> Calls:
    x = drawn(size)
    ours, theirs = suanzi.tensor(x), torch.from_numpy(x)
    return {
        "suanzi": lambda: suanzi.quantize(ours, SCALE, ZERO, dtype="qint8_asymmetric"),
        "numpy": lambda: np.clip(np.rint(x / np.float32(SCALE)) + ZERO, -128, 127).astype(np.int8),
        "torch": lambda: torch.quantize_per_tensor(theirs, SCALE, ZERO, torch.qint8),
    }


def dequantize(size: int) -> Calls:
    x = drawn(size)
    ours = suanzi.quantize(suanzi.tensor(x), SCALE, ZERO, dtype="qint8_asymmetric")
    theirs = torch.quantize_per_tensor(torch.from_numpy(x), SCALE, ZERO, torch.qint8)
    codes = ours.codes.numpy()
    return {
        "suanzi": lambda: suanzi.dequantize(ours),
        "numpy": lambda: (codes.astype(np.float32) - ZERO) * np.float32(SCALE),
        "torch": theirs.dequantize,
    }


def binary(name: str) -> Callable[[int], Calls]:
    """Into given parameters, as PyTorch does it."""

    def make(size: int) -> Calls:
        x, y = drawn(size), drawn(size)[::-1].copy()
        ours = [suanzi.quantize(suanzi.tensor(a), SCALE, ZERO, dtype="qint8_asymmetric") for a in (x, y)]
        theirs = [torch.quantize_per_tensor(torch.from_numpy(a), SCALE, ZERO, torch.qint8) for a in (x, y)]
        out = suanzi.quantize(suanzi.tensor(x), 2 * SCALE, ZERO, dtype="qint8_asymmetric")
        compute = getattr(suanzi, name)
        rival = {"add": torch.ops.quantized.add, "multiply": torch.ops.quantized.mul}[name]
        return {
            "suanzi": lambda: compute(*ours, out=out),
            "torch": lambda: rival(*theirs, 2 * SCALE, ZERO),
        }

    return make


def matmul(size: int) -> Calls:
    side = isqrt(size)
    codes = [np.random.default_rng(i).integers(-127, 128, (side, side)).astype(np.int8) for i in (1, 2)]
    ours = [suanzi.quantized_tensor(None, a, scale=SCALE, dtype="qint8") for a in codes]

    def with_numpy() -> object:
        # Sums of products of 8 bits are exact in float64, where NumPy has BLAS.
        real = (codes[0].astype(np.float64) @ codes[1].astype(np.float64)) * SCALE**2
        return np.rint(real / (np.abs(real).max() / 127)).astype(np.int8)

    return {"suanzi": lambda: suanzi.matmul(*ours), "numpy": with_numpy}


CASES: list[Comparison] = [
    Comparison("quantize", quantize),
    Comparison("dequantize", dequantize, dtype="qint8"),
    Comparison("add, quantized", binary("add"), dtype="qint8"),
    Comparison("multiply, quantized", binary("multiply"), dtype="qint8"),
    Comparison("matmul, quantized", matmul, dtype="qint8", sizes=(1_000, 100_000, 1_000_000)),
]
