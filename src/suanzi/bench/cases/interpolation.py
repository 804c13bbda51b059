"""Cases of interpolation: of signals, square images of three channels or one channel, and volumes."""

from __future__ import annotations

from typing import Any

from suanzi.bench.cases.case import LARGE_SIZES, Case
from suanzi.bench.cases.operands import Shape, shaped

_PHOTOGRAPH = 3 * 512 * 512


def _signal(n: int) -> tuple[int, ...]:
    return 1, 1, n


def _signals(n: int) -> tuple[int, ...]:
    return max(1, n // 1000), 1, min(n, 1000)


def _image(n: int) -> tuple[int, ...]:
    side = max(1, round((n / 3) ** 0.5))
    return 1, 3, side, side


def _images(n: int) -> tuple[int, ...]:
    return max(1, n // 1024), 1, 32, 32


def _volume(n: int) -> tuple[int, ...]:
    side = max(1, round(n ** (1 / 3)))
    return 1, 1, side, side, side


def _case(
    mode: str,
    remark: str,
    shape: Shape,
    scale: float | tuple[float, float],
    goal: float = 1.0,
    sizes: tuple[int, ...] = LARGE_SIZES,
    types: tuple[str, ...] = ("float32",),
    **options: Any,
) -> Case:
    make = shaped(shape, "pixel", mode=mode, scale_factor=scale, **options)
    return Case("interpolate", make, f"{mode}, {remark}", sizes, types, dict.fromkeys(sizes, goal))


CASES: list[Case] = [
    *(_case(mode, "doubled", _image, 2.0, 0.5) for mode in ("nearest", "nearest-exact", "bilinear", "bicubic", "area")),
    *(_case(mode, "doubled", _image, 2.0, 0.5, sizes=(_PHOTOGRAPH,)) for mode in ("bilinear", "bicubic")),
    *(_case(mode, "doubled", _image, 2.0, types=("uint8",)) for mode in ("bilinear", "bicubic")),
    *(_case(mode, "halved", _image, 0.5) for mode in ("nearest", "bilinear", "bicubic", "area")),
    *(_case(mode, "to a quarter, antialias", _image, 0.25, antialias=True) for mode in ("bilinear", "bicubic")),
    _case("bilinear", "doubled along the rows alone", _image, (1.0, 2.0)),
    _case("bilinear", "doubled along the columns alone", _image, (2.0, 1.0)),
    _case("bilinear", "by 1.7", _image, 1.7, 0.5),
    *(_case(mode, "doubled, batch of 32 × 32", _images, 2.0, 0.5) for mode in ("bilinear", "bicubic")),
    _case("linear", "doubled", _signal, 2.0),
    _case("linear", "by 1.5, signals of 1000", _signals, 1.5),
    _case("trilinear", "doubled", _volume, 2.0, 0.5),
]
