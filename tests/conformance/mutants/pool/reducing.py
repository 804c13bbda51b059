"""Calls of reductions, scans, sorting and searching functions."""

from __future__ import annotations

import numpy as np

from ..calls import Call, call
from ..elements import Maker
from .form import LARGE, Form


def _reduced(*ops: str) -> Form:
    def form(m: Maker) -> list[Call]:
        chosen = [op for op in ops if _has(op, m)]
        if m.large:
            return [call(m(130, 70), op, axis) for op in chosen for axis in (0, 1)] + [
                call(m(LARGE), op) for op in chosen
            ]
        found = []
        for op in chosen:
            found += [call(m(3, 4), op, axis) for axis in (None, 0, 1, -1, (0, 1))]
            found += [
                call(m(2, 3, 4), op, axis, keepdims)
                for axis in (None, 1, -2, -3, (0, 2), (-1, 0), (1, 2))
                for keepdims in (False, True)
            ]
            found += [
                call(m(2, 1, 3, 2), op, (1, 2)),
                call(m(2, 1, 3, 2), op, 2, keepdims=True),
                call(m(1, 2, 2, 2, 3), op, (0, -1)),
            ]
            if op in ("sum", "prod", "all", "any", "mean"):
                found += [call(m(0, 3), op, 0), call(m(0, 3), op)]
            if m.kind in "iuf":
                found += [call(m.special(), op), call(m.special()[4:], op), call(m.special()[2:6].reshape(2, 2), op, 0)]
            if m.type in ("int8", "uint8", "int16", "int32", "uint32"):
                found.append(call(np.full(300, np.iinfo(m.numpy).max, m.numpy), op))
        return found

    return form


OPS = ("sum", "mean", "prod", "max", "min", "all", "any", "var", "std", "norm1", "norm2", "logsumexp")


def _has(op: str, m: Maker) -> bool:
    if m.kind == "c":
        return op in ("sum", "mean", "prod", "var", "std", "norm1", "norm2")
    if m.kind == "b":
        return op in ("all", "any")
    return m.kind == "f" or op in ("sum", "prod", "max", "min")


def _reduction(op: str) -> Form:
    return lambda m: [Call((x.args[0], *x.args[2:]), x.options) for x in _reduced(op)(m)]


def _scan(m: Maker) -> list[Call]:
    if m.large:
        return [call(m(LARGE)), call(m(130, 70), axis=0), call(m(130, 70), axis=1)]
    found = [call(m(3, 4)), *(call(m(3, 4), axis=axis) for axis in (0, 1, -1, -2))]
    found += [call(m(2, 3, 4), axis=axis) for axis in (0, 1, 2, -2, -3)] + [call(m(2, 1, 3, 2), axis=2)]
    found += [call(m(3, 4), axis=1, **{name: True}) for name in ("exclusive", "reverse", "include_initial")]
    found += [
        call(m(3, 4), axis=0, exclusive=True, reverse=True),
        call(m(3, 4), axis=1, include_initial=True, reverse=True),
    ]
    return found + ([call(m.special()[4:]), call(m.special()[::-1].copy())] if m.kind in "iuf" else [])


def _found(m: Maker) -> list[Call]:
    if m.large:
        x = m(LARGE)
        x[LARGE - 5] = np.array(20, x.dtype)
        x[LARGE - 9] = np.array(0, x.dtype)
        return [call(x), call(x[:9100].reshape(130, 70), 0), call(x[:9100].reshape(130, 70), 1)]
    found = [
        call(m(3, 4)),
        *(call(m(3, 4), axis, keepdims) for axis in (None, 0, 1, -1, -2) for keepdims in (False, True)),
    ]
    return (
        found
        + [call(m(2, 3, 4), axis) for axis in (None, 1, 2, -2, -3)]
        + [call(m(2, 3, 4), 1, True), call(m.special()), call(m.special()[3:].copy())]
    )


def _sorted(m: Maker) -> list[Call]:
    if m.large:
        return [call(m(LARGE)), call(m(130, 70), 0), call(m(130, 70), 1)]
    found = [
        call(m(3, 4)),
        *(call(m(3, 4), axis) for axis in (0, 1, -1, -2)),
        call(m(3, 4), descending=True),
        call(m(3, 4), 0, True),
    ]
    found += [call(m(2, 3, 4), axis) for axis in (0, 1, 2, -2, -3)] + [
        call(m(2, 3, 4), 1, True),
        call(m(2, 3, 4), -2, descending=True),
    ]
    return [
        *found,
        call(m.special()),
        call(m.special(), descending=True),
        call(m(12) if m.kind == "b" else np.tile(m(3), 4)),
    ]


def _topk(m: Maker) -> list[Call]:
    if m.large:
        return [call(m(LARGE), 5), call(m(130, 70), 3, 0), call(m(130, 70), 66)]
    x = np.random.default_rng(5).permutation(24).astype(m.numpy)
    found = [
        call(x.reshape(4, 6), 2),
        call(x.reshape(4, 6), 3, 0),
        call(x.reshape(4, 6), 2, -2, False),
        call(x.reshape(4, 6), 6),
        call(x, 4, largest=False),
    ]
    return (
        found
        + [call(x.reshape(2, 3, 4), 2, axis) for axis in (1, 2, -2, -1)]
        + [call(x.reshape(2, 3, 4), 2, 1, largest=False), call(m.special(), 3), call(m.special(), 4, largest=False)]
    )


def _unique(m: Maker) -> list[Call]:
    x = np.resize(m(6), (3, 4))
    rows = x[[0, 1, 0, 2]] if not m.large else x
    options = ("return_index", "return_inverse", "return_counts")
    return [
        call(x),
        call(rows, axis=0),
        *(call(x, **{name: True}) for name in options),
        call(x, **dict.fromkeys(options, True)),
    ]


def _searched(m: Maker) -> list[Call]:
    x = np.sort(m(9)) if m.kind != "S" else m(9)
    return [
        call(x, m(5)),
        call(x, x[2:6].copy(), side="right"),
        call(x, x[2:6].reshape(2, 2).copy()),
        call(x[::-1].copy(), x[:3].copy(), sorter=np.arange(9)[::-1].copy()),
    ]


def _nonzero(m: Maker) -> list[Call]:
    if m.large:
        return [
            call(
                m(LARGE) % np.array(2, m.numpy)
                if m.kind in "iu"
                else np.where(
                    m(LARGE) > m.numpy(0.5) if False else np.arange(LARGE) % 3 == 0, m(LARGE), np.zeros((), m.numpy)
                )
            )
        ]
    x = m(2, 3, 4)
    x[..., ::2] = np.zeros((), x.dtype)
    return [call(x), call(x[0].copy()), call(x.reshape(2, 1, 3, 4)), call(m.special()), call(np.zeros((2, 2), x.dtype))]


def _counted(m: Maker) -> list[Call]:
    x = m(2, 3, 4)
    x[..., ::2] = np.zeros((), x.dtype)
    return [
        call(x),
        *(call(x, axis, keepdims) for axis in (0, 1, -1, -2, (0, 2), (-1, 1)) for keepdims in (False, True)),
        call(m.special()),
    ]


FORMS: dict[str, Form] = {
    "trace": lambda m: (
        [call(m(3, 4)), call(m(3, 4), 1), call(m(3, 4), -1), call(m(2, 3, 3)), call(m(2, 3, 3), 1), call(m(2, 1, 3, 2))]
        if not m.large
        else [call(m(130, 170))]
    ),
    "reduce": _reduced(*OPS),
    **{op: _reduction(op) for op in OPS},
    **dict.fromkeys(("cumulative_sum", "cumulative_prod"), _scan),
    **dict.fromkeys(("argmax", "argmin"), _found),
    **dict.fromkeys(("argsort", "sort"), _sorted),
    "topk": _topk,
    "unique": _unique,
    "searchsorted": _searched,
    "nonzero": _nonzero,
    "count_nonzero": _counted,
}
