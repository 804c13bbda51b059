"""Quantized tensors against the same formulas in NumPy, and PyTorch where it has the operation."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from math import isqrt
from typing import Any

import numpy as np
import torch

import suanzi
from comparison import SIZES, Comparison

Calls = dict[str, Callable[[], object]]
SCALE, ZERO = 0.05, 3
CHANNELS = 100

warnings.filterwarnings("ignore", message="torch.quantize_per_tensor")


def drawn(size: int) -> Any:
    return np.random.default_rng(20251121).normal(size=size).astype(np.float32)


def quantized(x: Any) -> tuple[suanzi.QuantizedTensor, torch.Tensor]:
    ours = suanzi.quantize(suanzi.tensor(x), SCALE, ZERO, dtype="qint8_asymmetric")
    return ours, torch.quantize_per_tensor(torch.from_numpy(x), SCALE, ZERO, torch.qint8)


def quantize(size: int) -> Calls:
    x = drawn(size)
    ours, theirs = suanzi.tensor(x), torch.from_numpy(x)
    return {
        "suanzi": lambda: suanzi.quantize(ours, SCALE, ZERO, dtype="qint8_asymmetric"),
        "numpy": lambda: np.clip(np.rint(x / np.float32(SCALE)) + ZERO, -128, 127).astype(np.int8),
        "torch": lambda: torch.quantize_per_tensor(theirs, SCALE, ZERO, torch.qint8),
    }


def quantize_channels(axis: int) -> Callable[[int], Calls]:
    def make(size: int) -> Calls:
        shape = (CHANNELS, size // CHANNELS) if axis == 0 else (size // CHANNELS, CHANNELS)
        x, scale = drawn(size).reshape(shape), np.linspace(0.01, 0.1, CHANNELS, dtype=np.float32)
        steps = scale[:, None] if axis == 0 else scale
        ours, theirs, scales = suanzi.tensor(x), torch.from_numpy(x), suanzi.tensor(scale)
        their_scales, zeros = torch.from_numpy(scale), torch.zeros(CHANNELS, dtype=torch.int64)
        return {
            "suanzi": lambda: suanzi.quantize(ours, scales, axis=axis, dtype="qint8_per_channel"),
            "numpy": lambda: np.clip(np.rint(x / steps), -127, 127).astype(np.int8),
            "torch": lambda: torch.quantize_per_channel(theirs, their_scales, zeros, axis, torch.qint8),
        }

    return make


def dequantize(size: int) -> Calls:
    ours, theirs = quantized(drawn(size))
    codes = ours.codes.numpy()
    return {
        "suanzi": lambda: suanzi.dequantize(ours),
        "numpy": lambda: (codes.astype(np.float32) - ZERO) * np.float32(SCALE),
        "torch": theirs.dequantize,
    }


def requantize(size: int) -> Calls:
    """To twice the step; PyTorch does it by way of float32."""
    ours, theirs = quantized(drawn(size))
    codes = ours.codes.numpy()

    def with_numpy() -> object:
        real = (codes.astype(np.float32) - ZERO) * np.float32(SCALE)
        return np.clip(np.rint(real / np.float32(2 * SCALE)) + ZERO, -128, 127).astype(np.int8)

    return {
        "suanzi": lambda: suanzi.requantize(ours, 2 * SCALE, ZERO),
        "numpy": with_numpy,
        "torch": lambda: torch.quantize_per_tensor(theirs.dequantize(), 2 * SCALE, ZERO, torch.qint8),
    }


def binary(name: str, scale: float) -> Callable[[int], Calls]:
    """Into given parameters, as PyTorch does it."""

    def make(size: int) -> Calls:
        x = drawn(size)
        pairs = quantized(x), quantized(x[::-1].copy())
        ours, theirs = zip(*pairs, strict=True)
        out = suanzi.quantize(suanzi.tensor(x), scale, ZERO, dtype="qint8_asymmetric")
        compute = getattr(suanzi, name)
        rival = {"add": torch.ops.quantized.add, "multiply": torch.ops.quantized.mul}[name]
        return {
            "suanzi": lambda: compute(*ours, out=out),
            "torch": lambda: rival(*theirs, scale, ZERO),
        }

    return make


def matmul(size: int) -> Calls:
    """PyTorch is given the parameters of the result, which the others find."""
    side = isqrt(size)
    codes = [np.random.default_rng(i).integers(-127, 128, (side, side)).astype(np.int8) for i in (1, 2)]
    ours = [suanzi.quantized_tensor(None, a, scale=SCALE, dtype="qint8") for a in codes]
    theirs = [torch.quantize_per_tensor(torch.from_numpy(a * np.float32(SCALE)), SCALE, 0, torch.qint8) for a in codes]
    scale = suanzi.matmul(*ours).scale.item()

    def with_numpy() -> object:
        # Sums of products of 8 bits are exact in float64, where NumPy has BLAS.
        real = (codes[0].astype(np.float64) @ codes[1].astype(np.float64)) * SCALE**2
        return np.rint(real / (np.abs(real).max() / 127)).astype(np.int8)

    return {
        "suanzi": lambda: suanzi.matmul(*ours),
        "numpy": with_numpy,
        "torch": lambda: torch.ops.quantized.matmul(*theirs, scale, 0),
    }


GOALS = dict.fromkeys(SIZES, 1.0)
CASES: list[Comparison] = [
    Comparison("quantize", quantize, goals=GOALS),
    Comparison("quantize, channels along the first axis", quantize_channels(0), goals=GOALS),
    Comparison("quantize, channels along the last axis", quantize_channels(1), goals=GOALS),
    Comparison("dequantize", dequantize, dtype="qint8", goals=GOALS),
    Comparison("requantize", requantize, dtype="qint8", goals=GOALS),
    Comparison("add, quantized", binary("add", 2 * SCALE), dtype="qint8", goals=GOALS),
    Comparison("add, quantized, no simple ratio", binary("add", 0.0731), dtype="qint8", goals=GOALS),
    Comparison("multiply, quantized", binary("multiply", 2 * SCALE), dtype="qint8", goals=GOALS),
    Comparison(
        "matmul, quantized", matmul, dtype="qint8", sizes=(64**2, 512**2), goals=dict.fromkeys((64**2, 512**2), 1.0)
    ),
]
