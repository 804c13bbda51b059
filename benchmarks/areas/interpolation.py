"""Interpolation of signals, images and volumes against PyTorch; NumPy has it for one signal alone (`interp`).

A size is the number of elements: images have three channels and are as good as square.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

import suanzi
from comparison import SIZES, Comparison

Calls = dict[str, Callable[[], object]]
PHOTOGRAPH = 3 * 512 * 512


def rivals(shape: tuple[int, ...], dtype: str = "float32") -> tuple[suanzi.Tensor, torch.Tensor]:
    numbers = torch.from_numpy(np.random.default_rng(0).uniform(0, 255, shape)).to(getattr(torch, dtype))
    return suanzi.from_dlpack(numbers.clone()), numbers


def case(
    name: str,
    shape: Callable[[int], tuple[int, ...]],
    goal: float = 1.0,
    sizes: tuple[int, ...] = SIZES,
    dtype: str = "float32",
    **options: Any,
) -> Comparison:
    """One mode; `shape` gives the operand's for a number of elements."""

    def calls(size: int) -> Calls:
        x, t = rivals(shape(size), dtype)
        return {
            "suanzi": lambda: suanzi.interpolate(x, **options),
            "torch": lambda: torch.nn.functional.interpolate(t, **options),
        }

    return Comparison(f"interpolate ({name})", calls, dtype, sizes, dict.fromkeys(sizes, goal))


def signal(size: int) -> tuple[int, ...]:
    return 1, 1, size


def signals(size: int) -> tuple[int, ...]:
    return max(1, size // 1000), 1, min(size, 1000)


def image(size: int) -> tuple[int, ...]:
    side = max(1, round((size / 3) ** 0.5))
    return 1, 3, side, side


def images(size: int) -> tuple[int, ...]:
    return max(1, size // 1024), 1, 32, 32


def volume(size: int) -> tuple[int, ...]:
    side = max(1, round(size ** (1 / 3)))
    return 1, 1, side, side, side


def along(axis: str, height: float, width: float) -> Comparison:
    return case(f"bilinear, doubled along {axis} alone", image, mode="bilinear", scale_factor=(height, width))


CASES = [
    *(
        case(f"{mode}, doubled", image, 0.5, mode=mode, scale_factor=2.0)
        for mode in ("nearest", "nearest-exact", "bilinear", "bicubic", "area")
    ),
    *(
        case(f"{mode}, halved", image, mode=mode, scale_factor=0.5)
        for mode in ("nearest", "bilinear", "bicubic", "area")
    ),
    *(
        case(f"{mode}, to a quarter, antialias", image, mode=mode, scale_factor=0.25, antialias=True)
        for mode in ("bilinear", "bicubic")
    ),
    along("the rows", 1.0, 2.0),
    along("the columns", 2.0, 1.0),
    case("bilinear, by 1.7", image, 0.5, mode="bilinear", scale_factor=1.7),
    case("bilinear, doubled, batch of 32 × 32", images, 0.5, mode="bilinear", scale_factor=2.0),
    case("bicubic, doubled, batch of 32 × 32", images, 0.5, mode="bicubic", scale_factor=2.0),
    *(case(f"{mode}, doubled", image, mode=mode, scale_factor=2.0, dtype="uint8") for mode in ("bilinear", "bicubic")),
    case("linear, doubled", signal, mode="linear", scale_factor=2.0),
    case("linear, by 1.5, signals of 1000", signals, mode="linear", scale_factor=1.5),
    case("trilinear, doubled", volume, 0.5, mode="trilinear", scale_factor=2.0),
    *(
        case(f"{mode}, 512 × 512 doubled", image, 0.5, (PHOTOGRAPH,), mode=mode, scale_factor=2.0)
        for mode in ("bilinear", "bicubic")
    ),
]
