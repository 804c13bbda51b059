"""Calls of functions that rearrange, join, gather and scatter."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..calls import Call, call
from ..elements import Maker
from .form import LARGE, Form

# Arguments of rearranging functions after x, for shapes of rank 2, 3 and 4.
_MOVES: dict[str, tuple[tuple[tuple[int, ...], tuple[Call, ...]], ...]] = {
    "reshape": (
        ((2, 6), (call((3, 4)), call((-1, 2)), call((12,)))),
        (
            (2, 3, 4),
            (
                call((4, -1)),
                call((2, 2, 3, 2)),
            ),
        ),
    ),
    "expand_dims": (
        ((2, 3), (call(0), call(-1), call(1), call((0, 2)), call(-2))),
        ((2, 3, 4), (call(2), call(-3), call((1, -1)))),
    ),
    "squeeze": (
        ((2, 1, 3), (call(), call(1), call(-2))),
        ((1, 2, 1, 3), (call(), call(0), call((0, 2)), call((0, -2)), call(-4))),
    ),
    "transpose": (
        ((2, 3), (call(), call((1, 0)))),
        ((2, 3, 4), (call(), call((1, 2, 0)), call((2, 0, 1)), call((0, -1, -2)))),
        ((2, 1, 3, 2), (call(), call((3, 0, 2, 1)))),
    ),
    "permute_dims": (((2, 3, 4), (call((1, 2, 0)), call((-1, 0, 1)))), ((2, 1, 3, 2), (call((3, 0, 2, 1)),))),
    "matrix_transpose": (((2, 3), (call(),)), ((2, 3, 4), (call(),)), ((2, 1, 3, 2), (call(),))),
    "moveaxis": (
        ((2, 3, 4), (call(0, 2), call(-1, 0), call((0, 1), (-1, 0)))),
        ((2, 1, 3, 2), (call(1, -1), call(-2, 1))),
    ),
    "swapaxes": (((2, 3, 4), (call(0, 2), call(-1, 1), call(-3, -2))), ((2, 1, 3, 2), (call(0, 3), call(-2, -4)))),
    "split": (
        ((4, 6), (call(2), call(3, 1), call([1, 3], 0), call([1, 2, 3], -1), call(2, -2), call(4, uneven=True))),
        ((2, 6, 4), (call(3, 1), call(2, -2), call([2, 3, 1], 1))),
    ),
    "unstack": (((2, 3), (call(), call(1), call(-1))), ((2, 3, 4), (call(), call(1), call(2), call(-2), call(-3)))),
    "slice": (
        (
            (4, 5),
            (
                call(1, 3),
                call([0, 1], [4, 5], [2, 3]),
                call([3, -1], [0, -6], [-1, -2]),
                call([1], [4], axis=[1]),
                call([-3], [99], axis=-1),
                call([0], [9], [4], axis=[1]),
            ),
        ),
        ((3, 4, 5), (call([1, 0, 2], [3, 4, 5]), call([1, 2], [3, 5], axis=[0, 2]), call([0], [4], [3], axis=[-2]))),
    ),
    "tile": (
        ((2, 3), (call(2), call((2, 1)), call((2, 2, 2)))),
        ((2, 3, 2), (call((1, 2, 1)), call(2), call((2, 1, 1)))),
    ),
    "repeat": (
        ((2, 3), (call(2, 0), call(2), call([1, 0, 2], 1), call(3, -1))),
        ((2, 3, 2), (call(2, 1), call([2, 1], -1), call(2, -2))),
    ),
    "pad": (
        (
            (2, 3),
            (
                call(1),
                call(((1, 0), (0, 2))),
                call(((0, 1), (2, 1)), "edge"),
                call(((1, 1), (2, 0)), "reflect"),
                call(((0, 1), (1, 2)), "symmetric"),
                call(((1, 0), (2, 1)), "wrap"),
                call((1, 2), "edge"),
            ),
        ),
        (
            (3, 2, 4),
            (
                call(((1, 0), (0, 1), (2, 1)), "reflect"),
                call(((0, 1), (1, 0), (1, 2)), "edge"),
                call(1),
                call(((1, 2), (1, 1), (3, 0)), "wrap"),
            ),
        ),
    ),
    "reverse": (
        (
            (3, 4),
            (
                call(),
                call(0),
                call(1),
                call(-1),
                call(1, lengths=[0, 2, 4]),
                call(0, lengths=[1, 2, 3, 0], batch_axis=1),
            ),
        ),
        (
            (2, 3, 4),
            (
                call(1),
                call((0, 2)),
                call(-2),
                call(-3),
                call(2, lengths=[2, 3]),
                call(1, lengths=[1, 2, 3, 2], batch_axis=2),
            ),
        ),
    ),
    "roll": (
        ((3, 4), (call(1), call(-1, 1), call(2, 0), call((1, 2), (0, 1)), call(5, -1), call(1, -2))),
        ((2, 3, 4), (call(1, 1), call((1, 2), (0, -1)), call(-2, -2), call(1, (0, 2)))),
    ),
    "crop": (((3, 4), (call((1, 1), (2, 2)), call((0, 2), (3, 1)))), ((3, 4, 2), (call((1, 0, 1), (2, 3, 1)),))),
    "expand": (((1, 3), (call((2, 3)), call((4, 2, 3)))), ((2, 1, 3), (call((2, 4, 3)), call((3, 2, 2, 3))))),
    "broadcast_to": (((1, 3), (call((2, 3)), call((4, 2, 3)))), ((2, 1, 3), (call((2, 4, 3)),))),
    "flatten": (
        ((2, 3), (call(), call(1), call(0, -2))),
        ((2, 3, 4), (call(), call(1), call(0, 1), call(-2), call(1, -1))),
        ((2, 1, 3, 2), (call(1, 2), call(-3, -2))),
    ),
    "flip": (
        ((3, 4), (call(), call(0), call(1), call(-1), call((0, 1)))),
        ((2, 3, 4), (call(), call(1), call((0, 2)), call(-2), call((-3, -2)))),
    ),
    "rot90": (
        ((2, 3), (call(), call(2), call(3), call(-1), call(1, (1, 0)))),
        ((2, 3, 4), (call(1, (1, 2)), call(3, (0, 2)), call(1, (-1, 0)))),
    ),
    "diag": (((3, 4), (call(), call(1), call(-1), call(2))), ((3,), (call(), call(1), call(-2)))),
    "diagonal": (((3, 4), (call(), call(1), call(-1))), ((2, 3, 4), (call(), call(1), call(0, 0, 1), call(-1, 2, 0)))),
    "tril": (((3, 4), (call(), call(1), call(-1))), ((2, 3, 3), (call(), call(1)))),
    "triu": (((3, 4), (call(), call(1), call(-1))), ((2, 3, 3), (call(), call(-2)))),
    "clone": (
        ((2, 3), (call(),)),
        ((2, 3, 4), (call(),)),
        ((2, 1, 3, 2), (call(),)),
        ((), (call(),)),
        ((0, 2), (call(),)),
    ),
    "contiguous": (((2, 3), (call(),)), ((2, 3, 4), (call(),)), ((2, 1, 3, 2), (call(),)), ((0, 2), (call(),))),
    "shape": (
        ((2, 3), (call(),)),
        ((2, 3, 4), (call(),)),
        ((2, 1, 3, 2), (call(),)),
        ((0, 2), (call(),)),
        ((), (call(),)),
    ),
    "size": (
        ((2, 3), (call(),)),
        ((2, 3, 4), (call(),)),
        ((2, 1, 3, 2), (call(),)),
        ((0, 2), (call(),)),
        ((), (call(),)),
    ),
    "rank": (
        ((2, 3), (call(),)),
        ((2, 3, 4), (call(),)),
        ((2, 1, 3, 2), (call(),)),
        ((0, 2), (call(),)),
        ((), (call(),)),
    ),
    "is_contiguous": (((2, 3), (call(),)), ((2, 3, 4), (call(),)), ((2, 1, 3, 2), (call(),))),
}


_TRUNC = {
    "reshape": call((-1, 70)),
    "expand": call((2, 130, 70)),
    "broadcast_to": call((2, 130, 70)),
    "slice": call([1, 2], [130, 70], [2, 3]),
} | {
    "crop": call((1, 2), (120, 60)),
    "split": call(2),
    "moveaxis": call(0, 1),
    "swapaxes": call(0, 1),
    "tile": call((2, 2)),
    "pad": call(((1, 0), (0, 3)), "edge"),
    "repeat": call(2, 0),
    "permute_dims": call((1, 0)),
    "roll": call(3, 0),
}


def _move(name: str) -> Form:
    def form(m: Maker) -> list[Call]:
        if m.large:
            further = _TRUNC.get(name, call())
            shapes = ((130, 70),) if name in ("diag", "squeeze", "crop", "reshape") else ((130, 70), (LARGE // 70, 70))
            return [Call((m(*shape), *further.args), further.options) for shape in shapes]
        found = [
            Call((m(*shape), *further.args), further.options) for shape, several in _MOVES[name] for further in several
        ]
        if name == "pad":
            found += [call(m(2, 3), 1, "constant", value) for value in _values(m)] + [
                call(m(2, 2, 3), ((0, 1),) * 3, value=v) for v in _values(m)[:1]
            ]
        return found

    return form


def _values(m: Maker) -> list[Any]:
    big = [2**53 + 1] if m.type in ("int64", "uint64") else [0.1] if m.type == "float64" else []
    return [*({"b": [True], "f": [2.5, -1], "c": [2.5]}.get(m.kind, [7])), *big]


def _joined(m: Maker, *axes: int | None, wide: bool) -> list[Call]:
    if m.large:
        return [
            call([m(130, 70), m(130, 70, place=1)], 0),
            call([m(130, 70), m(130, 70, place=1)], axis=1),
            call([m(LARGE), m(LARGE, place=1)]),
        ]
    found = [call([m(2, 3), m(2, 3, place=1)], axis) for axis in axes]
    found += [call([m(2, 3), m(2, 3, place=1)]), call([m(2, 3)]), call([m(2, 3, place=i) for i in range(5)], -1)]
    found += [call([m(2, 3, 2), m(2, 3, 2, place=1)], axis) for axis in (0, 1, 2, -1, -2, -3)]
    found += [call([m(2, 1, 3, 2), m(2, 1, 3, 2, place=1)], axis=axis) for axis in (1, -2)]
    return found + ([call([m(2, 3), m(1, 3)]), call([m(2, 1), m(2, 3), m(2, 2)], 1)] if wide else [])


def _index(*shape: int, high: int, dtype: str = "int64") -> Any:
    return np.random.default_rng((*shape, high)).integers(0, high, shape).astype(dtype)


def _gather(m: Maker) -> list[Call]:
    if m.large:
        return [
            call(m(130, 70), _index(150, high=130)),
            call(m(130, 70), _index(150, high=70), axis=1),
            call(m(LARGE), _index(LARGE, high=LARGE)),
        ]
    found = [
        call(m(4, 3), _index(5, high=4)),
        call(m(4, 3), np.array([2, -1, 0]), 1),
        call(m(4, 3), np.array([-4, 3, -2])),
    ]
    found += [
        call(m(2, 3, 4), _index(2, high=size), axis=axis)
        for axis, size in ((0, 2), (1, 3), (2, 4), (-1, 4), (-2, 3), (-3, 2))
    ]
    return (
        found
        + [call(m(4, 3), _index(3, high=4, dtype=t)) for t in ("int8", "uint8", "int32", "uint64")]
        + [call(m(200, 2), np.array([199, 130, 0], "uint8"))]
    )


def _gather_matrix(m: Maker) -> list[Call]:
    return _gather(m) + (
        [] if m.large else [call(m(4, 3), _index(2, 2, high=4)), call(m(4, 3), _index(2, 2, high=3), axis=1)]
    )


def _along(m: Maker) -> list[Call]:
    if m.large:
        return [call(m(130, 70), _index(130, 20, high=70), axis=1), call(m(130, 70), _index(20, 70, high=130), axis=0)]
    return [call(m(3, 4), _index(3, 2, high=4)), call(m(3, 4), _index(2, 4, high=3), axis=0)] + [
        call(m(2, 3, 4), _index(2, 3, 4, high=2), axis=axis) for axis in (0, 1, 2, -2, -3)
    ]


def _scatter(m: Maker) -> list[Call]:
    def once(*shape: int, axis: int = 0) -> Any:
        return np.argsort(np.random.default_rng(shape).random(shape), axis=axis)

    if m.large:
        return [
            call(m(LARGE), once(LARGE), m(LARGE, place=1)),
            call(m(130, 70), once(130, 70), m(130, 70, place=1), mode="add"),
        ]
    modes = ("update", "add", "mul", "min", "max")
    found = [call(m(4, 3), once(4, 3)[:2].copy(), m(2, 3, place=1), 0, mode) for mode in modes]
    found += [call(m(4, 3), np.array([[2, 2, -1], [2, 1, -1]]), m(2, 3, place=1), 0, mode) for mode in modes[1:]]
    found += [call(m(4, 3), once(4, 3, axis=1), m(4, 3, place=1), axis, "update") for axis in (1, -1)]
    found += [
        call(m(2, 3, 4), once(2, 3, 4, axis=1)[:, :2].copy(), m(2, 2, 4, place=1), axis, mode)
        for axis in (1, -2)
        for mode in ("update", "add")
    ]
    found += [call(m(2, 3, 4), once(2, 3, 4, axis=0), m(2, 3, 4, place=1), -3)]
    special = m.special()
    found += [call(special.copy(), np.arange(special.size), special[::-1].copy(), mode=mode) for mode in modes[1:]]
    number = {"f": 2.5, "c": 2.5, "b": True}.get(m.kind, 3)
    return [
        *found,
        call(m(4, 3), once(4, 3)[:1].copy(), number),
        call(m(5), np.array([1, 3], "int8"), number, mode="add"),
    ]


def _filled(m: Maker) -> list[Call]:
    mask = np.resize([True, False, False], (2, 3))
    return (
        [call(m(2, 3), mask, 3 if m.kind in "iu" else 2.5), call(m(2, 2, 3), mask, 1), call(m(2, 3), mask[0], 1)]
        if m.kind != "b"
        else []
    )


def _selected(m: Maker) -> list[Call]:
    return [
        call(m(2, 3), np.resize([True, False, False], (2, 3))),
        call(m(2, 2, 3), np.resize([True, False, True, False, True], (2, 2, 3))),
        call(m(5), np.zeros(5, bool)),
    ]


def _grid(m: Maker) -> list[Call]:
    return (
        [
            call(m(2), m(3, place=1)),
            call(m(2), m(3, place=1), indexing="ij"),
            call(m(2), m(3, place=1), m(4, place=2)),
            call(m(2), m(3, place=1), m(2, place=2), indexing="ij"),
            call(m(3)),
        ]
        if not m.large
        else [call(m(130), m(170, place=1))]
    )


def _broadcast(m: Maker) -> list[Call]:
    return [
        call(m(2, 3), m(3, place=1)),
        call(m(2, 1, 3), m(4, 1, place=1)),
        call(m(2), m(2, 1, place=1), m(2, 1, 1, place=2)),
    ]


def _gather_nd(m: Maker) -> list[Call]:
    return [
        call(m(3, 4), np.array([[0, 1], [2, 3]])),
        call(m(3, 4), np.array([[2], [0]])),
        call(m(2, 3, 4), np.array([[1, 2, 3], [0, 0, 1]])),
        call(m(2, 3, 4), np.array([[1], [2]]), 1),
    ]


def _scatter_nd(m: Maker) -> list[Call]:
    return [
        call(m(3, 4), np.array([[0, 1], [2, 3]]), m(2, place=1), mode)
        for mode in ("update", "add", "mul", "min", "max")
    ] + [call(m(3, 4), np.array([[2], [0]]), m(2, 4, place=1)), call(m(2, 3, 4), np.array([[1, 2]]), m(1, 4, place=1))]


def _tiled(m: Maker) -> list[Call]:
    return [call(m(4, 3), np.array([2, 0]), (1, 3)), call(m(6, 4), np.array([[1, 2]]), (2, 2))]


FORMS: dict[str, Form] = {
    **{name: _move(name) for name in _MOVES},
    "concat": lambda m: _joined(m, 0, 1, -1, -2, None, wide=True),
    "stack": lambda m: _joined(m, 0, 1, 2, -1, -2, wide=False),
    **dict.fromkeys(("gather",), _gather_matrix),
    **dict.fromkeys(("index_select", "take"), _gather),
    "take_along_axis": _along,
    "scatter": _scatter,
    "gather_nd": _gather_nd,
    "scatter_nd": _scatter_nd,
    "gather_tiled": _tiled,
    "masked_fill": _filled,
    "masked_select": _selected,
    "meshgrid": _grid,
    **dict.fromkeys(("broadcast_arrays", "broadcast_tensors"), _broadcast),
}
