"""Calls of products, functions of matrices, transforms and interpolation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..calls import Call, Type, call
from ..elements import Maker
from .form import LARGE, Form


def _products(m: Maker) -> list[Call]:
    if m.large:
        return [call(m(129, 130), m(130, 131, place=1)), call(m(2, 70, 3), m(3, 80, place=1))]
    shapes = [
        ((2, 3), (3, 2)),
        ((3,), (3, 2)),
        ((2, 3), (3,)),
        ((3,), (3,)),
        ((2, 2, 3), (3, 2)),
        ((2, 2, 3), (2, 3, 4)),
        ((3,), (2, 3, 4)),
    ]
    shapes += [((2, 1, 2, 3), (3, 3, 2)), ((2, 2, 3), (3,)), ((1, 2, 2, 2, 3), (2, 3, 1)), ((2, 0), (0, 3))]
    found = [call(m(*a), m(*b, place=1)) for a, b in shapes]
    if m.kind in "iu":
        big = np.full((2, 2), np.iinfo(m.numpy).max // 3, m.numpy)
        found += [call(big, big), call(big, m(2, 2))]
    if m.kind == "f":
        holes = m(3, 3)
        holes[1, 1] = np.nan
        infinite = m(3, 3, place=1)
        infinite[0, 2], infinite[2, 0] = np.inf, 0
        found += [
            call(holes, np.zeros((3, 3), m.numpy)),
            call(holes, m(3, 3)),
            call(infinite, m(3, 3)),
            call(m(3, 3), infinite),
        ]
    return found


def _dot(m: Maker) -> list[Call]:
    if m.large:
        return [call(m(LARGE), m(LARGE, place=1)), call(m(130, 70), m(70, 65, place=1))]
    shapes = [((3,), (3,)), ((2, 3), (3,)), ((2, 3), (3, 2)), ((2, 2, 3), (2, 3, 2)), ((3,), (2, 3, 2)), ((0,), (0,))]
    return [call(m(*a), m(*b, place=1)) for a, b in shapes]


def _vecdot(m: Maker) -> list[Call]:
    if m.large:
        return [call(m(130, 70), m(130, 70, place=1)), call(m(130, 70), m(130, 70, place=1), axis=0)]
    return [
        call(m(3), m(3, place=1)),
        call(m(2, 3), m(2, 3, place=1)),
        call(m(2, 3), m(2, 3, place=1), axis=0),
        call(m(2, 3, 4), m(2, 3, 4, place=1), axis=1),
        call(m(2, 3, 4), m(3, 4, place=1), axis=-2),
    ]


def _cross(m: Maker) -> list[Call]:
    return [
        call(m(3), m(3, place=1)),
        call(m(5, 3), m(5, 3, place=1)),
        call(m(3, 5), m(3, 5, place=1), axis=0),
        call(m(2, 3, 4), m(2, 3, 4, place=1), axis=1),
    ]


def _tensordot(m: Maker) -> list[Call]:
    if m.large:
        return [call(m(130, 70), m(70, 65, place=1), axes=1)]
    return [
        call(m(2, 3), m(2, 3, place=1)),
        call(m(2, 3), m(3, 2, place=1), axes=1),
        call(m(2, 3), m(4, place=1), axes=0),
        call(m(2, 3, 4), m(4, 3, place=1), axes=((1, 2), (1, 0))),
        call(m(2, 3, 4), m(3, 4, 2, place=1), axes=2),
    ]


def _einsum(m: Maker) -> list[Call]:
    two = m(2, 3), m(3, 4, place=1)
    return [
        call("ij,jk->ik", *two),
        call("ij,jk", *two),
        call("ij->ji", two[0]),
        call("ij->j", two[0]),
        call("ii->i", m(3, 3)),
        call("bij,bjk->bik", m(2, 2, 3), m(2, 3, 2, place=1)),
        call("i,j->ji", m(2), m(3, place=1)),
        call("...i->...", m(2, 2, 3)),
    ]


def _matrix(
    *makers: Callable[[Maker], Any],
    large: Callable[[Maker], Any] | None = None,
    options: tuple[dict[str, Any], ...] = ({},),
) -> Form:
    def form(m: Maker) -> list[Call]:
        if m.large:
            return [call(large(m))] if large else []
        return [Call((make(m),), chosen) for make in makers for chosen in options]

    return form


def _square(n: int, *batch: int) -> Callable[[Maker], Any]:
    return lambda m: m.square(n, *batch)


def _positive(n: int, *batch: int) -> Callable[[Maker], Any]:
    return lambda m: m.positive(n, *batch)


def _any(*shape: int) -> Callable[[Maker], Any]:
    return lambda m: m(*shape)


def _deficient(m: Maker) -> Any:
    x = m(3, 3)
    x[2] = x[0]
    return x


def _rotation(m: Maker) -> Any:
    return np.array([[0, -1, 0], [1, 0, 0], [0, 0, 2]]).astype(m.numpy)


def _defective(m: Maker) -> Any:
    return np.array([[2, 1], [0, 2]]).astype(m.numpy)


def _scaled(m: Maker) -> Any:
    return (m.square(3) * np.array([[1e4], [1], [1e-4]])).astype(m.numpy)


_SQUARES = (_square(3), _square(2), _square(4, 2), _square(2, 2, 2), _rotation, _scaled, _positive(3))


_TALL = (_any(4, 2), _any(2, 4), _any(3, 3), _any(2, 4, 3), _any(2, 2, 3, 2), _rotation, _deficient)


def _solved(m: Maker) -> list[Call]:
    if m.large:
        return [call(m.square(70), m(70, 3))]
    return [
        call(m.square(3), m(3)),
        call(m.square(3), m(3, 2)),
        call(m.square(3, 2), m(2, 3, 1)),
        call(_rotation(m), m(3)),
        call(_scaled(m), m(3, 1)),
        call(m.square(2, 2, 2), m(2, 2, 2, 1)),
    ]


def _lstsq(m: Maker) -> list[Call]:
    return (
        [
            call(m(4, 2), m(4)),
            call(m(4, 2), m(4, 3)),
            call(m(2, 4), m(2)),
            call(m.square(3), m(3, 1)),
            call(_deficient(m), m(3)),
            call(m(2, 4, 2), m(2, 4, 1)),
            call(m(4, 2), m(4), rtol=0.9),
        ]
        if not m.large
        else [call(m(130, 70), m(130))]
    )


def _linear(m: Maker) -> list[Call]:
    if m.large:
        return [call(m(130, 70), m(65, 70, place=1), m(65, place=2))]
    return [
        call(m(2, 3), m(4, 3, place=1)),
        call(m(2, 3), m(4, 3, place=1), m(4, place=2)),
        call(m(3), m(4, 3, place=1)),
        call(m(2, 2, 3), m(4, 3, place=1), m(4, place=2)),
        call(m(2, 3), m(4, 3, place=1), 2.5),
        call(m(1, 2, 2, 3), m(4, 3, place=1)),
    ]


def _bilinear(m: Maker) -> list[Call]:
    if m.large:
        return [call(m(130, 7), m(130, 8, place=1), m(65, 7, 8, place=2))]
    w = m(5, 3, 4, place=2)
    return [
        call(m(2, 3), m(2, 4, place=1), w),
        call(m(2, 3), m(2, 4, place=1), w, m(5, place=3)),
        call(m(2, 2, 3), m(2, 2, 4, place=1), w, m(5, place=3)),
        call(m(3), m(4, place=1), w),
        call(m(2, 3), m(2, 4, place=1), w, 2.5),
    ]


def _fourier(m: Maker) -> list[Call]:
    if m.large:
        return [call(m(1024)), call(m(1009)), call(m(130, 70), axis=0)]
    found = [
        call(m(8)),
        call(m(3, 5)),
        call(m(3, 4), axis=0),
        call(m(3, 4), 6),
        call(m(3, 4), 2),
        call(m(3, 4), axis=-2),
        call(m(2, 3, 4), axis=1),
        call(m(2, 3, 4), axis=-3),
    ]
    return (
        found
        + [call(m(3, 4), norm=norm) for norm in ("ortho", "forward")]
        + [call(m(3, 4), 6, 0, "ortho"), call(m(3, 4), 3, 1, "forward")]
    )


def _fourier_n(m: Maker) -> list[Call]:
    return (
        [
            call(m(3, 4)),
            call(m(2, 3, 4), axes=(0, 1)),
            call(m(2, 3, 4), axes=(-1, -2)),
            call(m(3, 4), (4, 2)),
            call(m(3, 4), norm="ortho"),
            call(m(2, 3, 4), (2, 5), (0, 2), "forward"),
        ]
        if not m.large
        else [call(m(65, 70))]
    )


def _fourier_shift(m: Maker) -> list[Call]:
    return [
        call(m(5)),
        call(m(3, 4)),
        call(m(3, 4), axes=0),
        call(m(3, 4), -1),
        call(m(2, 3, 4), (0, 2)),
        call(m(2, 3, 4), -2),
    ]


def _frequencies(m: Maker) -> list[Call]:
    return [call(8), call(9), call(8, 0.25), call(7, 0.1), call(8, 3), call(6, dtype=Type("float64"))]


def _interpolated(m: Maker) -> list[Call]:
    if m.large:
        return [call(m(2, 3, 90, 70), (130, 97), mode="bilinear"), call(m(1, 1, 70000), 140001)]
    line, plane, volume = m(1, 2, 7), m(1, 2, 5, 7), m(1, 1, 3, 4, 2)
    found = [
        call(line, 5),
        call(line, 10),
        call(line, 14, mode="linear"),
        call(line, 5, mode="linear"),
        call(m(1, 2, 1), 3, mode="linear"),
        call(line, 1),
        call(line, scale_factor=1.5),
        call(line, scale_factor=2.0, mode="linear"),
    ]
    for mode in ("nearest", "nearest-exact", "bilinear", "bicubic", "area"):
        found += [
            call(plane, (7, 5), mode=mode),
            call(plane, (3, 14), mode=mode),
            call(plane, scale_factor=(2.0, 0.5), mode=mode),
            call(m(2, 3, 4, 4), (8, 8), mode=mode),
        ]
    found += [call(plane, (9, 11), mode=mode, align_corners=True) for mode in ("bilinear", "bicubic")]
    found += [call(plane, (3, 4), mode=mode, antialias=True) for mode in ("bilinear", "bicubic")]
    found += [
        call(line, 11, mode="linear", align_corners=True),
        call(volume, (5, 3, 4), mode="trilinear"),
        call(volume, (5, 3, 4), mode="trilinear", align_corners=True),
    ]
    return [*found, call(volume, (6, 2, 4)), call(volume, (2, 2, 1), mode="area")]


def _powered(m: Maker) -> list[Call]:
    return (
        [call(m.square(3), n) for n in (0, 1, 2, 3, 5)]
        + [call(m.square(2, 2), 3)]
        + ([call(m.square(3), -1), call(m.square(3), -2)] if m.kind in "fc" else [])
    )


def _outer(m: Maker) -> list[Call]:
    return [call(m(3), m(4, place=1)), call(m(2, 3), m(4, place=1)), call(m(2), m(0))]


FORMS: dict[str, Form] = {
    "matmul": _products,
    "dot": _dot,
    "vecdot": _vecdot,
    "cross": _cross,
    "tensordot": _tensordot,
    "outer": _outer,
    "einsum": _einsum,
    "matrix_power": _powered,
    "lu": _matrix(*_TALL[:6], *_SQUARES, large=_square(70)),
    "cholesky": _matrix(
        _positive(3),
        _positive(2),
        _positive(3, 2),
        _positive(2, 2, 2),
        large=_positive(70),
        options=({}, {"upper": True}),
    ),
    "qr": _matrix(*_TALL[:6], large=_any(130, 70), options=({}, {"mode": "complete"})),
    "svd": _matrix(*_TALL, large=_any(130, 70), options=({}, {"full_matrices": False})),
    "svdvals": _matrix(*_TALL),
    "matrix_rank": _matrix(*_TALL, options=({}, {"rtol": 0.9})),
    "pinv": _matrix(*_TALL),
    "solve": _solved,
    "lstsq": _lstsq,
    **dict.fromkeys(("inv", "det", "slogdet", "eig", "eigvals"), _matrix(*_SQUARES, large=_square(70))),
    **dict.fromkeys(("eigh", "eigvalsh"), _matrix(_positive(3), _positive(2, 2), _positive(2, 2, 2))),
    "matrix_norm": _matrix(
        *_TALL,
        options=({}, *({"ord": o, "keepdims": o == 1} for o in ("nuc", 1, -1, 2, -2, float("inf"), -float("inf")))),
    ),
    "vector_norm": lambda m: (
        [
            call(m(3, 4), **o)
            for o in (
                {},
                {"axis": 0},
                {"axis": (0, 1)},
                {"ord": 1},
                {"ord": 3},
                {"ord": float("inf")},
                {"axis": -1, "keepdims": True},
            )
        ]
        + [call(m(2, 3, 4), axis=(0, -1), keepdims=True)]
    ),
    "cond": _matrix(*_SQUARES, options=({}, {"ord": 1}, {"ord": "fro"})),
    "linear": _linear,
    "bilinear": _bilinear,
    **dict.fromkeys(("fft.fft", "fft.ifft"), _fourier),
    **dict.fromkeys(("fft.rfft", "fft.ihfft", "fft.irfft", "fft.hfft"), _fourier),
    **dict.fromkeys(("fft.fftn", "fft.ifftn", "fft.rfftn", "fft.irfftn"), _fourier_n),
    **dict.fromkeys(("fft.fftshift", "fft.ifftshift"), _fourier_shift),
    **dict.fromkeys(("fft.fftfreq", "fft.rfftfreq"), _frequencies),
    "interpolate": _interpolated,
}
