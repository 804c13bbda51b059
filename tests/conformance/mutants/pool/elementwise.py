"""Calls of elementwise functions and casts."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..calls import Call, Type, call
from ..elements import Maker
from .creating import TYPES
from .form import LARGE, Form


def one(m: Maker) -> list[Call]:
    if m.large:
        return [call(m(LARGE)), call(m(130, 70)), call(m(3, 50, 70))]
    shapes = ((5,), (2, 3), (2, 3, 4), (2, 1, 3, 2), (1, 2, 2, 2, 3), (), (0, 3))
    return [*(call(m(*shape)) for shape in shapes), call(m.special())]


def two(m: Maker) -> list[Call]:
    if m.large:
        return [
            call(m(LARGE), m(LARGE, place=1)),
            call(m(130, 70), m(70, place=1)),
            call(m(3, 50, 70), m(50, 1, place=1)),
        ]
    shapes = [((5,), (5,)), ((2, 3), (2, 3)), ((2, 3), (3,)), ((3, 1), (2, 1, 3)), ((), (2, 2)), ((0, 3), (3,))]
    shapes += [((2, 3, 4),) * 2, ((2, 1, 3, 2), (2, 1, 2)), ((1, 2, 2, 2, 3), (2, 1, 3))]
    found = [call(m(*a), m(*b, place=1)) for a, b in shapes]
    number = {"f": 2.5, "c": 2.5, "i": 3, "u": 3, "b": True}.get(m.kind)
    if number is not None:
        found += [call(m(2, 3), number), call(number, m(2, 3, place=1))]
    if m.kind in "fc":
        found += [call(m(2, 3), 3), call(3, m(2, 3)), call(m(2, 3), 0.1), call(0.1, m(2, 3))]
    if m.type in ("int64", "float64"):
        found += [call(m(2, 3), 2**53 // 3), call(2**30 + 1, m(2, 3))]
    special = m.special()
    found.append(call(np.repeat(special, special.size), np.tile(special, special.size)))
    return found


def _shifted(m: Maker) -> list[Call]:
    def low(x: Any) -> Any:
        return x % np.array(5, x.dtype) if isinstance(x, np.ndarray) else x

    return [Call((x.args[0], low(x.args[1])), x.options) for x in two(m) if x.args[1] is not True]


def _three(m: Maker) -> list[Call]:
    if m.large:
        return [call(m(LARGE), m(LARGE, place=1), m(LARGE, place=2))]
    shapes = [((2, 3),) * 3, ((2, 3, 4), (4,), (3, 1)), ((2, 1, 3, 2), (2,), ()), ((5,),) * 3]
    special = m.special()
    count = special.size
    return [
        *(call(*(m(*shape, place=i) for i, shape in enumerate(several))) for several in shapes),
        call(np.repeat(special, count), np.tile(special, count), np.resize(special, count**2)),
    ]


def _where(m: Maker) -> list[Call]:
    n = m.special().size
    found = [Call((np.resize([True, False, True], x.args[0].shape), *x.args), {}) for x in two(m) if _both_arrays(x)]
    return [*found, *([] if m.large else [call(np.arange(n) % 2 == 0, m.special(), m.special()[::-1].copy())])]


def _both_arrays(x: Call) -> bool:
    return all(isinstance(a, np.ndarray) for a in x.args)


def _clip(m: Maker) -> list[Call]:
    if m.large:
        return [call(m(LARGE), 3, 7) if m.kind in "iu" else call(m(LARGE), 0.3, 0.6)]
    low, high = (3, 7) if m.kind in "iu" else (0.3, 0.6)
    x = m(2, 3, 4)
    return [
        call(x, low, high),
        call(x, low),
        call(x, None, high),
        call(x, max=high),
        call(m.special(), low, high),
        call(x, np.full(4, low).astype(x.dtype), np.full((3, 1), high).astype(x.dtype)),
        call(m(2, 1, 3, 2), low, high),
    ]


def _isclose(m: Maker) -> list[Call]:
    if m.kind not in "fc" or m.large:
        return [x for x in two(m) if _both_arrays(x)]
    x = np.array([1.0, 1.0, 1.0, np.nan, np.inf, 100.0]).astype(m.numpy)
    y = np.array([1.125, 1.001, 1.0, np.nan, np.inf, 101.0]).astype(m.numpy)
    chosen = [{}, {"rtol": 0.01}, {"atol": 0.2}, {"equal_nan": True}, {"rtol": 0.0, "atol": 0.2, "equal_nan": True}]
    return [call(x, y, **options) for options in chosen] + [
        call(x[:3], y[:3], rtol=0.5),
        call(x[2:4], y[2:4], equal_nan=True),
    ]


def _divide(m: Maker) -> list[Call]:
    signs = np.resize(np.array([1, -1, -1, 1, -1]).astype(m.numpy), (2, 3)) if m.kind in "if" else 1
    real = m.kind in "iuf" and not m.large
    return two(m) + [call(m(2, 3) * signs, m(2, 3, place=1), rounding=r) for r in ("trunc", "floor") if real]


def _round(m: Maker) -> list[Call]:
    if m.large:
        return [call(m(LARGE)), call(m(LARGE), 1)]
    if m.kind == "f":
        x = np.array([0.5, 1.5, -0.5, 2.5, -2.5, 0.25, 0.75, 12.25, -1250.0, 1234.5, 149.0]).astype(m.numpy)
        modes = ("half_even", "half_up", "half_away", "half_down", "floor", "ceil", "trunc")
        return (
            [call(x, d, mode) for mode in modes for d in (0, 1, -2)]
            + [call(x), call(x, 1), call(x, -1), call(x, 3)]
            + one(m)
        )
    return [*one(m), call(m(2, 3) * np.array(9, m.numpy), -1)]


def _cast(m: Maker) -> list[Call]:
    targets = (*TYPES, "int8", "int16", "uint16", "uint32")
    if m.large:
        return [call(m(LARGE), Type("float64")), call(m(LARGE), Type("int32")), call(m(130, 70), Type("float16"))]
    values: dict[str, list[Any]] = {
        "f": [0.25, 0.5, 0.75, 1.5, 2.5, 3.9, 99.99, 0.0],
        "c": [0.5 + 1j, 1j, 0, 2.75],
        "b": [True, False],
    }
    number = {
        "float64": [1 + 2**-25, 1 + 2**-24 + 2**-40, 2.0**53 - 1],
        "float32": [16777215.0],
        "int64": [2**53 + 1, 2**62 + 1, 2**24 + 1],
        "uint64": [2**53 + 1, 2**63 + 2**40 + 1],
        "int32": [2**24 + 1, 2**30 + 1],
        "uint32": [2**24 + 1, 2**31 + 1],
    }
    x = (
        np.array(values.get(m.kind, [0, 1, 2, 100]) + number.get(m.type, [])).astype(m.numpy)
        if m.type != "uint64"
        else np.array([0, 1, 2, 100, *number["uint64"]], np.uint64)
    )
    safe = np.array(values.get(m.kind, [0, 1, 2, 100])).astype(m.numpy)
    found = [call(safe, Type(t)) for t in targets if m.kind != "c" or t in ("bool", "complex64", "complex128")]
    wide = ("float64", "float32", "int64", "uint64", "bool") if m.kind in "iuf" else ("complex64", "complex128")
    found += [call(x, Type(t)) for t in wide if not (m.kind == "f" and t == "bool")]
    if m.kind == "f":
        found += [call(-safe, Type(t)) for t in ("int8", "int32", "int64", "bool")] + [
            call(m.special(), Type(t)) for t in ("float64", "float32", "float16")
        ]
    return [
        *found,
        call(m(2, 3, 4), Type(m.type)),
        call(m(2, 3), Type(m.type), copy=True),
        call(m(2, 1, 3, 2), Type("float64" if m.kind not in "c" else "complex128")),
    ]


def _whole(m: Maker) -> list[Call]:
    x = m(2, 3)
    other = x.copy()
    other[1, 2] = ~other[1, 2] if m.kind == "b" else other[1, 2] + np.array(1, x.dtype)
    return [call(x, x.copy()), call(x, other), call(x, x[:1].copy()), call(m.special(), m.special())] + (
        [
            call(x, other, atol=2.0),
            call(x, other, rtol=9.0),
            call(np.array([np.nan]).astype(m.numpy), np.array([np.nan]).astype(m.numpy), equal_nan=True),
        ]
        if m.kind == "f"
        else []
    )


FORMS: dict[str, Form] = {
    "astype": _cast,
    "clip": _clip,
    "where": _where,
    "multiply_add": _three,
    **dict.fromkeys(("bitwise_left_shift", "bitwise_right_shift"), _shifted),
    "divide": _divide,
    "isclose": _isclose,
    **dict.fromkeys(("array_equal", "allclose"), _whole),
    "round": _round,
}
