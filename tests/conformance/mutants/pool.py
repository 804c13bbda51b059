"""The calls among which witnesses are looked for: of every function, by what it takes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from .calls import Call, Made, Type, call
from .elements import Maker

Form = Callable[[Maker], list[Call]]
"""The calls of a function on elements of one type."""

LARGE = 2**17 + 3


def _one(m: Maker) -> list[Call]:
    if m.large:
        return [call(m(LARGE)), call(m(130, 70)), call(m(3, 50, 70))]
    shapes = ((5,), (2, 3), (2, 3, 4), (2, 1, 3, 2), (1, 2, 2, 2, 3), (), (0, 3))
    return [*(call(m(*shape)) for shape in shapes), call(m.special())]


def _two(m: Maker) -> list[Call]:
    if m.large:
        return [call(m(LARGE), m(LARGE, place=1)), call(m(130, 70), m(70, place=1)), call(m(3, 50, 70), m(50, 1, place=1))]
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

    return [Call((x.args[0], low(x.args[1])), x.options) for x in _two(m) if x.args[1] is not True]


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
    found = [
        Call((np.resize([True, False, True], x.args[0].shape), *x.args), {}) for x in _two(m) if _both_arrays(x)
    ]
    return [*found, *([] if m.large else [call(np.arange(n) % 2 == 0, m.special(), m.special()[::-1].copy())])]


def _both_arrays(x: Call) -> bool:
    return all(isinstance(a, np.ndarray) for a in x.args)


def _clip(m: Maker) -> list[Call]:
    if m.large:
        return [call(m(LARGE), 3, 7) if m.kind in "iu" else call(m(LARGE), 0.3, 0.6)]
    low, high = (3, 7) if m.kind in "iu" else (0.3, 0.6)
    x = m(2, 3, 4)
    return [call(x, low, high), call(x, low), call(x, None, high), call(x, max=high), call(m.special(), low, high)] + [
        call(x, np.full(4, low).astype(x.dtype), np.full((3, 1), high).astype(x.dtype)), call(m(2, 1, 3, 2), low, high)
    ]


def _isclose(m: Maker) -> list[Call]:
    if m.kind not in "fc" or m.large:
        return [x for x in _two(m) if _both_arrays(x)]
    x = np.array([1.0, 1.0, 1.0, np.nan, np.inf, 100.0]).astype(m.numpy)
    y = np.array([1.125, 1.001, 1.0, np.nan, np.inf, 101.0]).astype(m.numpy)
    chosen = [{}, {"rtol": 0.01}, {"atol": 0.2}, {"equal_nan": True}, {"rtol": 0.0, "atol": 0.2, "equal_nan": True}]
    return [call(x, y, **options) for options in chosen] + [call(x[:3], y[:3], rtol=0.5), call(x[2:4], y[2:4], equal_nan=True)]


def _divide(m: Maker) -> list[Call]:
    signs = np.resize(np.array([1, -1, -1, 1, -1]).astype(m.numpy), (2, 3)) if m.kind in "if" else 1
    real = m.kind in "iuf" and not m.large
    return _two(m) + [call(m(2, 3) * signs, m(2, 3, place=1), rounding=r) for r in ("trunc", "floor") if real]


def _round(m: Maker) -> list[Call]:
    if m.large:
        return [call(m(LARGE)), call(m(LARGE), 1)]
    if m.kind == "f":
        x = np.array([0.5, 1.5, -0.5, 2.5, -2.5, 0.25, 0.75, 12.25, -1250.0, 1234.5, 149.0]).astype(m.numpy)
        modes = ("half_even", "half_up", "half_away", "half_down", "floor", "ceil", "trunc")
        return [call(x, d, mode) for mode in modes for d in (0, 1, -2)] + [call(x), call(x, 1), call(x, -1), call(x, 3)] + _one(m)
    return _one(m) + [call(m(2, 3) * np.array(9, m.numpy), -1)]


# Of rearrangement: arguments after x, on shapes of rank 2, 3 and 4.
_MOVES: dict[str, tuple[tuple[tuple[int, ...], tuple[Call, ...]], ...]] = {
    "reshape": (((2, 6), (call((3, 4)), call((-1, 2)), call((12,)))), ((2, 3, 4), (call((4, -1)), call((2, 2, 3, 2)),))),
    "expand_dims": (((2, 3), (call(0), call(-1), call(1), call((0, 2)), call(-2))), ((2, 3, 4), (call(2), call(-3), call((1, -1))))),
    "squeeze": (((2, 1, 3), (call(), call(1), call(-2))), ((1, 2, 1, 3), (call(), call(0), call((0, 2)), call((0, -2)), call(-4)))),
    "transpose": (((2, 3), (call(), call((1, 0)))), ((2, 3, 4), (call(), call((1, 2, 0)), call((2, 0, 1)), call((0, -1, -2)))), ((2, 1, 3, 2), (call(), call((3, 0, 2, 1))))),
    "permute_dims": (((2, 3, 4), (call((1, 2, 0)), call((-1, 0, 1)))), ((2, 1, 3, 2), (call((3, 0, 2, 1)),))),
    "matrix_transpose": (((2, 3), (call(),)), ((2, 3, 4), (call(),)), ((2, 1, 3, 2), (call(),))),
    "moveaxis": (((2, 3, 4), (call(0, 2), call(-1, 0), call((0, 1), (-1, 0)))), ((2, 1, 3, 2), (call(1, -1), call(-2, 1)))),
    "swapaxes": (((2, 3, 4), (call(0, 2), call(-1, 1), call(-3, -2))), ((2, 1, 3, 2), (call(0, 3), call(-2, -4)))),
    "split": (((4, 6), (call(2), call(3, 1), call([1, 3], 0), call([1, 2, 3], -1), call(2, -2), call(4, uneven=True))), ((2, 6, 4), (call(3, 1), call(2, -2), call([2, 3, 1], 1)))),
    "unstack": (((2, 3), (call(), call(1), call(-1))), ((2, 3, 4), (call(), call(1), call(2), call(-2), call(-3)))),
    "slice": (((4, 5), (call(1, 3), call([0, 1], [4, 5], [2, 3]), call([3, -1], [0, -6], [-1, -2]), call([1], [4], axis=[1]), call([-3], [99], axis=-1), call([0], [9], [4], axis=[1]))), ((3, 4, 5), (call([1, 0, 2], [3, 4, 5]), call([1, 2], [3, 5], axis=[0, 2]), call([0], [4], [3], axis=[-2])))),
    "tile": (((2, 3), (call(2), call((2, 1)), call((2, 2, 2)))), ((2, 3, 2), (call((1, 2, 1)), call(2), call((2, 1, 1))))),
    "repeat": (((2, 3), (call(2, 0), call(2), call([1, 0, 2], 1), call(3, -1))), ((2, 3, 2), (call(2, 1), call([2, 1], -1), call(2, -2)))),
    "pad": (((2, 3), (call(1), call(((1, 0), (0, 2))), call(((0, 1), (2, 1)), "edge"), call(((1, 1), (2, 0)), "reflect"), call(((0, 1), (1, 2)), "symmetric"), call(((1, 0), (2, 1)), "wrap"), call((1, 2), "edge"))), ((3, 2, 4), (call(((1, 0), (0, 1), (2, 1)), "reflect"), call(((0, 1), (1, 0), (1, 2)), "edge"), call(1), call(((1, 2), (1, 1), (3, 0)), "wrap")))),
    "reverse": (((3, 4), (call(), call(0), call(1), call(-1), call(1, lengths=[0, 2, 4]), call(0, lengths=[1, 2, 3, 0], batch_axis=1))), ((2, 3, 4), (call(1), call((0, 2)), call(-2), call(-3), call(2, lengths=[2, 3]), call(1, lengths=[1, 2, 3, 2], batch_axis=2)))),
    "roll": (((3, 4), (call(1), call(-1, 1), call(2, 0), call((1, 2), (0, 1)), call(5, -1), call(1, -2))), ((2, 3, 4), (call(1, 1), call((1, 2), (0, -1)), call(-2, -2), call(1, (0, 2))))),
    "crop": (((3, 4), (call((1, 1), (2, 2)), call((0, 2), (3, 1)))), ((3, 4, 2), (call((1, 0, 1), (2, 3, 1)),))),
    "expand": (((1, 3), (call((2, 3)), call((4, 2, 3)))), ((2, 1, 3), (call((2, 4, 3)), call((3, 2, 2, 3))))),
    "broadcast_to": (((1, 3), (call((2, 3)), call((4, 2, 3)))), ((2, 1, 3), (call((2, 4, 3)),))),
    "flatten": (((2, 3), (call(), call(1), call(0, -2))), ((2, 3, 4), (call(), call(1), call(0, 1), call(-2), call(1, -1))), ((2, 1, 3, 2), (call(1, 2), call(-3, -2)))),
    "flip": (((3, 4), (call(), call(0), call(1), call(-1), call((0, 1)))), ((2, 3, 4), (call(), call(1), call((0, 2)), call(-2), call((-3, -2))))),
    "rot90": (((2, 3), (call(), call(2), call(3), call(-1), call(1, (1, 0)))), ((2, 3, 4), (call(1, (1, 2)), call(3, (0, 2)), call(1, (-1, 0))))),
    "diag": (((3, 4), (call(), call(1), call(-1), call(2))), ((3,), (call(), call(1), call(-2)))),
    "diagonal": (((3, 4), (call(), call(1), call(-1))), ((2, 3, 4), (call(), call(1), call(0, 0, 1), call(-1, 2, 0)))),
    "tril": (((3, 4), (call(), call(1), call(-1))), ((2, 3, 3), (call(), call(1)))),
    "triu": (((3, 4), (call(), call(1), call(-1))), ((2, 3, 3), (call(), call(-2)))),
    "clone": (((2, 3), (call(),)), ((2, 3, 4), (call(),)), ((2, 1, 3, 2), (call(),)), ((), (call(),)), ((0, 2), (call(),))),
    "contiguous": (((2, 3), (call(),)), ((2, 3, 4), (call(),)), ((2, 1, 3, 2), (call(),)), ((0, 2), (call(),))),
    "shape": (((2, 3), (call(),)), ((2, 3, 4), (call(),)), ((2, 1, 3, 2), (call(),)), ((0, 2), (call(),)), ((), (call(),))),
    "size": (((2, 3), (call(),)), ((2, 3, 4), (call(),)), ((2, 1, 3, 2), (call(),)), ((0, 2), (call(),)), ((), (call(),))),
    "rank": (((2, 3), (call(),)), ((2, 3, 4), (call(),)), ((2, 1, 3, 2), (call(),)), ((0, 2), (call(),)), ((), (call(),))),
    "is_contiguous": (((2, 3), (call(),)), ((2, 3, 4), (call(),)), ((2, 1, 3, 2), (call(),))),
}  # fmt: skip
_TRUNC = {"reshape": call((-1, 70)), "expand": call((2, 130, 70)), "broadcast_to": call((2, 130, 70)), "slice": call([1, 2], [130, 70], [2, 3])} | {
    "crop": call((1, 2), (120, 60)), "split": call(2), "moveaxis": call(0, 1), "swapaxes": call(0, 1), "tile": call((2, 2)),
    "pad": call(((1, 0), (0, 3)), "edge"), "repeat": call(2, 0), "permute_dims": call((1, 0)), "roll": call(3, 0),
}  # fmt: skip


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
            found += [call(m(2, 3), 1, "constant", value) for value in _values(m)] + [call(m(2, 2, 3), ((0, 1),) * 3, value=v) for v in _values(m)[:1]]
        return found

    return form


def _values(m: Maker) -> list[Any]:
    big = [2**53 + 1] if m.type in ("int64", "uint64") else [0.1] if m.type == "float64" else []
    return [*({"b": [True], "f": [2.5, -1], "c": [2.5]}.get(m.kind, [7])), *big]


def _joined(m: Maker, *axes: int | None, wide: bool) -> list[Call]:
    if m.large:
        return [call([m(130, 70), m(130, 70, place=1)], 0), call([m(130, 70), m(130, 70, place=1)], axis=1), call([m(LARGE), m(LARGE, place=1)])]
    found = [call([m(2, 3), m(2, 3, place=1)], axis) for axis in axes]
    found += [call([m(2, 3), m(2, 3, place=1)]), call([m(2, 3)]), call([m(2, 3, place=i) for i in range(5)], -1)]
    found += [call([m(2, 3, 2), m(2, 3, 2, place=1)], axis) for axis in (0, 1, 2, -1, -2, -3)]
    found += [call([m(2, 1, 3, 2), m(2, 1, 3, 2, place=1)], axis=axis) for axis in (1, -2)]
    return found + ([call([m(2, 3), m(1, 3)]), call([m(2, 1), m(2, 3), m(2, 2)], 1)] if wide else [])


def _index(*shape: int, high: int, dtype: str = "int64") -> Any:
    return np.random.default_rng((*shape, high)).integers(0, high, shape).astype(dtype)


def _gather(m: Maker) -> list[Call]:
    if m.large:
        return [call(m(130, 70), _index(150, high=130)), call(m(130, 70), _index(150, high=70), axis=1), call(m(LARGE), _index(LARGE, high=LARGE))]
    found = [call(m(4, 3), _index(5, high=4)), call(m(4, 3), np.array([2, -1, 0]), 1), call(m(4, 3), np.array([-4, 3, -2]))]
    found += [call(m(2, 3, 4), _index(2, high=size), axis=axis) for axis, size in ((0, 2), (1, 3), (2, 4), (-1, 4), (-2, 3), (-3, 2))]
    return found + [call(m(4, 3), _index(3, high=4, dtype=t)) for t in ("int8", "uint8", "int32", "uint64")] + [call(m(200, 2), np.array([199, 130, 0], "uint8"))]


def _gather_matrix(m: Maker) -> list[Call]:
    return _gather(m) + ([] if m.large else [call(m(4, 3), _index(2, 2, high=4)), call(m(4, 3), _index(2, 2, high=3), axis=1)])


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
        return [call(m(LARGE), once(LARGE), m(LARGE, place=1)), call(m(130, 70), once(130, 70), m(130, 70, place=1), mode="add")]
    modes = ("update", "add", "mul", "min", "max")
    found = [call(m(4, 3), once(4, 3)[:2].copy(), m(2, 3, place=1), 0, mode) for mode in modes]
    found += [call(m(4, 3), np.array([[2, 2, -1], [2, 1, -1]]), m(2, 3, place=1), 0, mode) for mode in modes[1:]]
    found += [call(m(4, 3), once(4, 3, axis=1), m(4, 3, place=1), axis, "update") for axis in (1, -1)]
    found += [call(m(2, 3, 4), once(2, 3, 4, axis=1)[:, :2].copy(), m(2, 2, 4, place=1), axis, mode) for axis in (1, -2) for mode in ("update", "add")]
    found += [call(m(2, 3, 4), once(2, 3, 4, axis=0), m(2, 3, 4, place=1), -3)]
    special = m.special()
    found += [call(special.copy(), np.arange(special.size), special[::-1].copy(), mode=mode) for mode in modes[1:]]
    number = {"f": 2.5, "c": 2.5, "b": True}.get(m.kind, 3)
    return [*found, call(m(4, 3), once(4, 3)[:1].copy(), number), call(m(5), np.array([1, 3], "int8"), number, mode="add")]


def _reduced(*ops: str) -> Form:
    def form(m: Maker) -> list[Call]:
        chosen = [op for op in ops if _has(op, m)]
        if m.large:
            return [call(m(130, 70), op, axis) for op in chosen for axis in (0, 1)] + [call(m(LARGE), op) for op in chosen]
        found = []
        for op in chosen:
            found += [call(m(3, 4), op, axis) for axis in (None, 0, 1, -1, (0, 1))]
            found += [call(m(2, 3, 4), op, axis, keepdims) for axis in (None, 1, -2, -3, (0, 2), (-1, 0), (1, 2)) for keepdims in (False, True)]
            found += [call(m(2, 1, 3, 2), op, (1, 2)), call(m(2, 1, 3, 2), op, 2, keepdims=True), call(m(1, 2, 2, 2, 3), op, (0, -1))]
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
    found += [call(m(3, 4), axis=0, exclusive=True, reverse=True), call(m(3, 4), axis=1, include_initial=True, reverse=True)]
    return found + ([call(m.special()[4:]), call(m.special()[::-1].copy())] if m.kind in "iuf" else [])


def _found(m: Maker) -> list[Call]:
    if m.large:
        x = m(LARGE)
        x[LARGE - 5] = np.array(20, x.dtype)
        x[LARGE - 9] = np.array(0, x.dtype)
        return [call(x), call(x[: 9100].reshape(130, 70), 0), call(x[:9100].reshape(130, 70), 1)]
    found = [call(m(3, 4)), *(call(m(3, 4), axis, keepdims) for axis in (None, 0, 1, -1, -2) for keepdims in (False, True))]
    return found + [call(m(2, 3, 4), axis) for axis in (None, 1, 2, -2, -3)] + [call(m(2, 3, 4), 1, True), call(m.special()), call(m.special()[3:].copy())]


def _sorted(m: Maker) -> list[Call]:
    if m.large:
        return [call(m(LARGE)), call(m(130, 70), 0), call(m(130, 70), 1)]
    found = [call(m(3, 4)), *(call(m(3, 4), axis) for axis in (0, 1, -1, -2)), call(m(3, 4), descending=True), call(m(3, 4), 0, True)]
    found += [call(m(2, 3, 4), axis) for axis in (0, 1, 2, -2, -3)] + [call(m(2, 3, 4), 1, True), call(m(2, 3, 4), -2, descending=True)]
    return [*found, call(m.special()), call(m.special(), descending=True), call(m(12) if m.kind == "b" else np.tile(m(3), 4))]


def _topk(m: Maker) -> list[Call]:
    if m.large:
        return [call(m(LARGE), 5), call(m(130, 70), 3, 0), call(m(130, 70), 66)]
    x = np.random.default_rng(5).permutation(24).astype(m.numpy)
    found = [call(x.reshape(4, 6), 2), call(x.reshape(4, 6), 3, 0), call(x.reshape(4, 6), 2, -2, False), call(x.reshape(4, 6), 6), call(x, 4, largest=False)]
    return found + [call(x.reshape(2, 3, 4), 2, axis) for axis in (1, 2, -2, -1)] + [call(x.reshape(2, 3, 4), 2, 1, largest=False), call(m.special(), 3), call(m.special(), 4, largest=False)]


def _unique(m: Maker) -> list[Call]:
    x = np.resize(m(6), (3, 4))
    rows = x[[0, 1, 0, 2]] if not m.large else x
    options = ("return_index", "return_inverse", "return_counts")
    return [call(x), call(rows, axis=0), *(call(x, **{name: True}) for name in options), call(x, **dict.fromkeys(options, True))]


def _searched(m: Maker) -> list[Call]:
    x = np.sort(m(9)) if m.kind != "S" else m(9)
    return [call(x, m(5)), call(x, x[2:6].copy(), side="right"), call(x, x[2:6].reshape(2, 2).copy()), call(x[::-1].copy(), x[:3].copy(), sorter=np.arange(9)[::-1].copy())]


def _products(m: Maker) -> list[Call]:
    if m.large:
        return [call(m(129, 130), m(130, 131, place=1)), call(m(2, 70, 3), m(3, 80, place=1))]
    shapes = [((2, 3), (3, 2)), ((3,), (3, 2)), ((2, 3), (3,)), ((3,), (3,)), ((2, 2, 3), (3, 2)), ((2, 2, 3), (2, 3, 4)), ((3,), (2, 3, 4))]
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
        found += [call(holes, np.zeros((3, 3), m.numpy)), call(holes, m(3, 3)), call(infinite, m(3, 3)), call(m(3, 3), infinite)]
    return found


def _dot(m: Maker) -> list[Call]:
    if m.large:
        return [call(m(LARGE), m(LARGE, place=1)), call(m(130, 70), m(70, 65, place=1))]
    shapes = [((3,), (3,)), ((2, 3), (3,)), ((2, 3), (3, 2)), ((2, 2, 3), (2, 3, 2)), ((3,), (2, 3, 2)), ((0,), (0,))]
    return [call(m(*a), m(*b, place=1)) for a, b in shapes]


def _vecdot(m: Maker) -> list[Call]:
    if m.large:
        return [call(m(130, 70), m(130, 70, place=1)), call(m(130, 70), m(130, 70, place=1), axis=0)]
    return [call(m(3), m(3, place=1)), call(m(2, 3), m(2, 3, place=1)), call(m(2, 3), m(2, 3, place=1), axis=0), call(m(2, 3, 4), m(2, 3, 4, place=1), axis=1), call(m(2, 3, 4), m(3, 4, place=1), axis=-2)]


def _cross(m: Maker) -> list[Call]:
    return [call(m(3), m(3, place=1)), call(m(5, 3), m(5, 3, place=1)), call(m(3, 5), m(3, 5, place=1), axis=0), call(m(2, 3, 4), m(2, 3, 4, place=1), axis=1)]


def _tensordot(m: Maker) -> list[Call]:
    if m.large:
        return [call(m(130, 70), m(70, 65, place=1), axes=1)]
    return [call(m(2, 3), m(2, 3, place=1)), call(m(2, 3), m(3, 2, place=1), axes=1), call(m(2, 3), m(4, place=1), axes=0), call(m(2, 3, 4), m(4, 3, place=1), axes=((1, 2), (1, 0))), call(m(2, 3, 4), m(3, 4, 2, place=1), axes=2)]


def _einsum(m: Maker) -> list[Call]:
    two = m(2, 3), m(3, 4, place=1)
    return [call("ij,jk->ik", *two), call("ij,jk", *two), call("ij->ji", two[0]), call("ij->j", two[0]), call("ii->i", m(3, 3)), call("bij,bjk->bik", m(2, 2, 3), m(2, 3, 2, place=1)), call("i,j->ji", m(2), m(3, place=1)), call("...i->...", m(2, 2, 3))]


def _matrix(*makers: Callable[[Maker], Any], large: Callable[[Maker], Any] | None = None, options: tuple[dict[str, Any], ...] = ({},)) -> Form:
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
    return [call(m.square(3), m(3)), call(m.square(3), m(3, 2)), call(m.square(3, 2), m(2, 3, 1)), call(_rotation(m), m(3)), call(_scaled(m), m(3, 1)), call(m.square(2, 2, 2), m(2, 2, 2, 1))]


def _lstsq(m: Maker) -> list[Call]:
    return [call(m(4, 2), m(4)), call(m(4, 2), m(4, 3)), call(m(2, 4), m(2)), call(m.square(3), m(3, 1)), call(_deficient(m), m(3)), call(m(2, 4, 2), m(2, 4, 1)), call(m(4, 2), m(4), rtol=0.9)] if not m.large else [call(m(130, 70), m(130))]


def _linear(m: Maker) -> list[Call]:
    if m.large:
        return [call(m(130, 70), m(65, 70, place=1), m(65, place=2))]
    return [call(m(2, 3), m(4, 3, place=1)), call(m(2, 3), m(4, 3, place=1), m(4, place=2)), call(m(3), m(4, 3, place=1)), call(m(2, 2, 3), m(4, 3, place=1), m(4, place=2)), call(m(2, 3), m(4, 3, place=1), 2.5), call(m(1, 2, 2, 3), m(4, 3, place=1))]


def _bilinear(m: Maker) -> list[Call]:
    if m.large:
        return [call(m(130, 7), m(130, 8, place=1), m(65, 7, 8, place=2))]
    w = m(5, 3, 4, place=2)
    return [call(m(2, 3), m(2, 4, place=1), w), call(m(2, 3), m(2, 4, place=1), w, m(5, place=3)), call(m(2, 2, 3), m(2, 2, 4, place=1), w, m(5, place=3)), call(m(3), m(4, place=1), w), call(m(2, 3), m(2, 4, place=1), w, 2.5)]


def _fourier(m: Maker) -> list[Call]:
    if m.large:
        return [call(m(1024)), call(m(1009)), call(m(130, 70), axis=0)]
    found = [call(m(8)), call(m(3, 5)), call(m(3, 4), axis=0), call(m(3, 4), 6), call(m(3, 4), 2), call(m(3, 4), axis=-2), call(m(2, 3, 4), axis=1), call(m(2, 3, 4), axis=-3)]
    return found + [call(m(3, 4), norm=norm) for norm in ("ortho", "forward")] + [call(m(3, 4), 6, 0, "ortho"), call(m(3, 4), 3, 1, "forward")]


def _fourier_n(m: Maker) -> list[Call]:
    return [call(m(3, 4)), call(m(2, 3, 4), axes=(0, 1)), call(m(2, 3, 4), axes=(-1, -2)), call(m(3, 4), (4, 2)), call(m(3, 4), norm="ortho"), call(m(2, 3, 4), (2, 5), (0, 2), "forward")] if not m.large else [call(m(65, 70))]


def _fourier_shift(m: Maker) -> list[Call]:
    return [call(m(5)), call(m(3, 4)), call(m(3, 4), axes=0), call(m(3, 4), -1), call(m(2, 3, 4), (0, 2)), call(m(2, 3, 4), -2)]


def _frequencies(m: Maker) -> list[Call]:
    return [call(8), call(9), call(8, 0.25), call(7, 0.1), call(8, 3), call(6, dtype=Type("float64"))]


def _interpolated(m: Maker) -> list[Call]:
    if m.large:
        return [call(m(2, 3, 90, 70), (130, 97), mode="bilinear"), call(m(1, 1, 70000), 140001)]
    line, plane, volume = m(1, 2, 7), m(1, 2, 5, 7), m(1, 1, 3, 4, 2)
    found = [call(line, 5), call(line, 10), call(line, 14, mode="linear"), call(line, 5, mode="linear"), call(m(1, 2, 1), 3, mode="linear"), call(line, 1), call(line, scale_factor=1.5), call(line, scale_factor=2.0, mode="linear")]
    for mode in ("nearest", "nearest-exact", "bilinear", "bicubic", "area"):
        found += [call(plane, (7, 5), mode=mode), call(plane, (3, 14), mode=mode), call(plane, scale_factor=(2.0, 0.5), mode=mode), call(m(2, 3, 4, 4), (8, 8), mode=mode)]
    found += [call(plane, (9, 11), mode=mode, align_corners=True) for mode in ("bilinear", "bicubic")]
    found += [call(plane, (3, 4), mode=mode, antialias=True) for mode in ("bilinear", "bicubic")]
    found += [call(line, 11, mode="linear", align_corners=True), call(volume, (5, 3, 4), mode="trilinear"), call(volume, (5, 3, 4), mode="trilinear", align_corners=True)]
    return [*found, call(volume, (6, 2, 4)), call(volume, (2, 2, 1), mode="area")]


# Creation, without operands.
_TYPES = ("float32", "float64", "int32", "int64", "uint8", "bool", "complex64", "float16", "complex128", "uint64")


def _created(*further: Any, types: tuple[str, ...] = _TYPES) -> Form:
    def form(m: Maker) -> list[Call]:
        if m.large:
            return [call((LARGE,), *further), call((130, 70), *further)]
        found = [call(shape, *further) for shape in ((), (3,), (2, 3), (2, 0, 3), (2, 3, 4), (2, 1, 3, 2))]
        found += [call((2, 3), *further, dtype=Type(t)) for t in types]
        return [*found, call((2, 3, 4), *further, layout=(0, 1, 2)), call((2, 3), *further, layout=(0, 1), dtype=Type(types[1]))]

    return form


def _full(m: Maker) -> list[Call]:
    found = [call((2, 3)), call(), call((2, 3), 2.5), call((2, 3), 7, dtype=Type("int32")), call((2, 3), True, dtype=Type("bool")), call((2, 2), -1)]
    found += [call((2,), 2**53 + 1, dtype=Type("int64")), call((2,), 2**64 - 1, dtype=Type("uint64")), call((2,), 0.1, dtype=Type("float64")), call((2,), 1 + 2j, dtype=Type("complex64"))]
    found += [call((2,), "字", dtype=Type("string")), call((2, 3, 4), 3), call((2,), float("nan")), call((2,), -0.0), call((2, 3), 4, layout=(0, 1)), call((2,), 2**24 + 1, dtype=Type("int32"))]
    return found if not m.large else [call((LARGE,), 2.5), call((130, 70), 3, dtype=Type("int32"))]


def _tensor(m: Maker) -> list[Call]:
    if m.large:
        return [call(m(LARGE)), call(m(130, 70))]
    found = [call(m(2, 3)), call(m(2, 3, 4)), call(m(12), shape=(3, 4)), call(m(5), shape=(2, 3)), call(m(9), shape=(2, 3)), call(m(6), shape=(2, 3), layout=(0, 1)), call(m.special())]
    if m.type == "float32":
        found += [call([1, 2]), call([[1.5, 2], [3, 4]]), call(1), call(2.5), call(True), call([True, False]), call([1 + 2j]), call([0.1], dtype=Type("float64")), call(["a", "b\0c"]), call([2**53 + 1], dtype=Type("int64")), call([1, 2], dtype=Type("uint8")), call([])]
    return found


def _referred(m: Maker) -> list[Call]:
    return [call(m(2, 3)), call(m(2, 3, 4)), call(m(12), shape=(3, 4)), call(m(6), shape=(2, 3), layout=(0, 1)), call(m.special()), call(m(2, 3, 2, 2))] if not m.large else [call(m(LARGE))]


def _sequence(m: Maker) -> list[Call]:
    if m.large:
        return [call(0, LARGE, 1), call(0, LARGE, dtype=Type("int32"))]
    found = [call(5), call(1, 5), call(1, 8, 2), call(5, 0, -1), call(0, 1, 0.25), call(0.5, 3, 0.5), call(3, 3), call(0, 5, 1, dtype=Type("int64")), call(-3, 4, 3, dtype=Type("int8"))]
    return [*found, call(2**53, 2**53 + 5, 1, dtype=Type("int64")), call(0, 1, 0.1, dtype=Type("float64")), call(10, dtype=Type("float16"))]


def _spaced(m: Maker) -> list[Call]:
    if m.large:
        return [call(0, 1, LARGE)]
    return [call(0, 1, 5), call(1, 0, 3), call(-1, 1, 9), call(2, 2, 4), call(0, 1, 1), call(0, 1, 0), call(0, 10, 2), call(0, 1, 5, dtype=Type("float64")), call(0, 1, 7, dtype=Type("float64")), call(0, 1j, 5, dtype=Type("complex64")), call(0, 1, 4, dtype=Type("float16")), call(1e30, 2e30, 3)]


def _like(*further: Any) -> Form:
    return lambda m: [] if m.kind == 'S' else [call(m(2, 3), *further), call(m(2, 3, 4), *further), call(m(2, 3), *further, dtype=Type("float64")), call(m(0, 2), *further)]


def _eye(m: Maker) -> list[Call]:
    return [call(3), call(3, 4), call(3, 4, 1), call(4, k=-2), call(3, dtype=Type("int32")), call(2, 5, -1), call(3, layout=(0, 1))]


def _cast(m: Maker) -> list[Call]:
    targets = (*_TYPES, "int8", "int16", "uint16", "uint32")
    if m.large:
        return [call(m(LARGE), Type("float64")), call(m(LARGE), Type("int32")), call(m(130, 70), Type("float16"))]
    values: dict[str, list[Any]] = {"f": [0.25, 0.5, 0.75, 1.5, 2.5, 3.9, 99.99, 0.0], "c": [0.5 + 1j, 1j, 0, 2.75], "b": [True, False]}
    number = {"float64": [1 + 2**-25, 1 + 2**-24 + 2**-40, 2.0**53 - 1], "float32": [16777215.0], "int64": [2**53 + 1, 2**62 + 1, 2**24 + 1], "uint64": [2**53 + 1, 2**63 + 2**40 + 1], "int32": [2**24 + 1, 2**30 + 1], "uint32": [2**24 + 1, 2**31 + 1]}
    x = np.array(values.get(m.kind, [0, 1, 2, 100]) + number.get(m.type, [])).astype(m.numpy) if m.type != "uint64" else np.array([0, 1, 2, 100, *number["uint64"]], np.uint64)
    safe = np.array(values.get(m.kind, [0, 1, 2, 100])).astype(m.numpy)
    found = [call(safe, Type(t)) for t in targets if m.kind != "c" or t in ("bool", "complex64", "complex128")]
    wide = ("float64", "float32", "int64", "uint64", "bool") if m.kind in "iuf" else ("complex64", "complex128")
    found += [call(x, Type(t)) for t in wide if not (m.kind == "f" and t == "bool")]
    if m.kind == "f":
        found += [call(-safe, Type(t)) for t in ("int8", "int32", "int64", "bool")] + [call(m.special(), Type(t)) for t in ("float64", "float32", "float16")]
    return [*found, call(m(2, 3, 4), Type(m.type)), call(m(2, 3), Type(m.type), copy=True), call(m(2, 1, 3, 2), Type("float64" if m.kind not in "c" else "complex128"))]


def _filled(m: Maker) -> list[Call]:
    mask = np.resize([True, False, False], (2, 3))
    return [call(m(2, 3), mask, 3 if m.kind in "iu" else 2.5), call(m(2, 2, 3), mask, 1), call(m(2, 3), mask[0], 1)] if m.kind != "b" else []


def _selected(m: Maker) -> list[Call]:
    return [call(m(2, 3), np.resize([True, False, False], (2, 3))), call(m(2, 2, 3), np.resize([True, False, True, False, True], (2, 2, 3))), call(m(5), np.zeros(5, bool))]


def _nonzero(m: Maker) -> list[Call]:
    if m.large:
        return [call(m(LARGE) % np.array(2, m.numpy) if m.kind in "iu" else np.where(m(LARGE) > m.numpy(0.5) if False else np.arange(LARGE) % 3 == 0, m(LARGE), np.zeros((), m.numpy)))]
    x = m(2, 3, 4)
    x[..., ::2] = np.zeros((), x.dtype)
    return [call(x), call(x[0].copy()), call(x.reshape(2, 1, 3, 4)), call(m.special()), call(np.zeros((2, 2), x.dtype))]


def _counted(m: Maker) -> list[Call]:
    x = m(2, 3, 4)
    x[..., ::2] = np.zeros((), x.dtype)
    return [call(x), *(call(x, axis, keepdims) for axis in (0, 1, -1, -2, (0, 2), (-1, 1)) for keepdims in (False, True)), call(m.special())]


def _whole(m: Maker) -> list[Call]:
    x = m(2, 3)
    other = x.copy()
    other[1, 2] = ~other[1, 2] if m.kind == "b" else other[1, 2] + np.array(1, x.dtype)
    return [call(x, x.copy()), call(x, other), call(x, x[:1].copy()), call(m.special(), m.special())] + ([call(x, other, atol=2.0), call(x, other, rtol=9.0), call(np.array([np.nan]).astype(m.numpy), np.array([np.nan]).astype(m.numpy), equal_nan=True)] if m.kind == "f" else [])


def _grid(m: Maker) -> list[Call]:
    return [call(m(2), m(3, place=1)), call(m(2), m(3, place=1), indexing="ij"), call(m(2), m(3, place=1), m(4, place=2)), call(m(2), m(3, place=1), m(2, place=2), indexing="ij"), call(m(3))] if not m.large else [call(m(130), m(170, place=1))]


def _broadcast(m: Maker) -> list[Call]:
    return [call(m(2, 3), m(3, place=1)), call(m(2, 1, 3), m(4, 1, place=1)), call(m(2), m(2, 1, place=1), m(2, 1, 1, place=2))]


def _powered(m: Maker) -> list[Call]:
    return [call(m.square(3), n) for n in (0, 1, 2, 3, 5)] + [call(m.square(2, 2), 3)] + ([call(m.square(3), -1), call(m.square(3), -2)] if m.kind in "fc" else [])


def _gather_nd(m: Maker) -> list[Call]:
    return [call(m(3, 4), np.array([[0, 1], [2, 3]])), call(m(3, 4), np.array([[2], [0]])), call(m(2, 3, 4), np.array([[1, 2, 3], [0, 0, 1]])), call(m(2, 3, 4), np.array([[1], [2]]), 1)]


def _scatter_nd(m: Maker) -> list[Call]:
    return [call(m(3, 4), np.array([[0, 1], [2, 3]]), m(2, place=1), mode) for mode in ("update", "add", "mul", "min", "max")] + [call(m(3, 4), np.array([[2], [0]]), m(2, 4, place=1)), call(m(2, 3, 4), np.array([[1, 2]]), m(1, 4, place=1))]


def _tiled(m: Maker) -> list[Call]:
    return [call(m(4, 3), np.array([2, 0]), (1, 3)), call(m(6, 4), np.array([[1, 2]]), (2, 2))]


def _outer(m: Maker) -> list[Call]:
    return [call(m(3), m(4, place=1)), call(m(2, 3), m(4, place=1)), call(m(2), m(0))]


# Random numbers: a seed always, so that the same comes twice.
def _uniform(m: Maker) -> list[Call]:
    found = [call((9,), 0, 1, 5), call((2, 3, 4), -2, 3, 7), call((5,), seed=3, low=0, high=1), call((4, 5), 0, 1, 6, dtype=Type("float64")), call((50,), 0, 9, 4, dtype=Type("int32"))]
    found += [call((9,), 0, 1, 2**32 + 5), call((9,), 0, 1, 4), call((6,), 0, 1, 5, dtype=Type("float16")), call((8,), 0, 1, 3, dtype=Type("bool")), call((9,), 10, 11, 8), call((2, 3), 0, 1, 5, layout=(0, 1))]
    return [*found, call((200, 200), 0, 1, 9)] if not m.large else [call((LARGE,), 0, 1, 5), call((400, 300), 0, 1, 11)]


def _normal(m: Maker) -> list[Call]:
    found = [call((9,), 0, 1, 5), call((2, 3, 4), -2, 3, 7), call((5,), seed=3), call((4, 5), 0, 1, 6, dtype=Type("float64")), call((20,), 0, 1, 4, dtype=Type("complex64")), call((9,), 0, 1, 2**32 + 5), call((9,), 0, 1, 4), call((9,), 100, 2, 8)]
    return [*found, call((200, 200), 0, 1, 9)] if not m.large else [call((LARGE,), 0, 1, 5), call((400, 300), 0, 1, 11)]


def _bernoulli(m: Maker) -> list[Call]:
    def p(*shape: int, value: float | None = None) -> Any:
        return (m(*shape) if value is None else np.full(shape, value)).astype(m.numpy)

    found = [call(p(20), 5), call(p(4, 5), seed=7), call(p(200, value=0.02), 3), call(p(50, value=0.5), 2**32 + 5), call(p(50, value=0.5), 4), call(p(9, value=0.0), 3), call(p(9, value=1.0), 3)]
    return [*found, call(p(200, 200, value=0.5), 9)] if not m.large else [call(p(LARGE, value=0.5), 5), call(p(400, 300, value=0.3), 11)]


def _multinomial(m: Maker) -> list[Call]:
    p = np.array([0.125, 0.5, 0.25, 0.125]).astype(m.numpy)
    rows = np.array([[1, 0, 3], [2, 2, 1]]).astype(m.numpy)
    return [call(p, 20, seed=5), call(p, 3, False, 6), call(rows, 9, True, 7), call(p, 20, seed=2**32 + 5), call(p, 20, seed=4), call(p, 12, True, 8, output="indices"), call(p, 4, False, 3), call(p, seed=3), call(np.tile(p, (40, 1)), 50, True, 9)] if not m.large else []


def _permuted(m: Maker) -> list[Call]:
    return [call(9, seed=5), call(20, Type("int64"), 7), call(9, seed=2**32 + 5), call(9, seed=4), call(40, Type("int32"), 3), call(500, Type("int64"), 9)] if not m.large else [call(LARGE, Type("int64"), 5)]


# Sparse and quantized tensors.
def _sparse(m: Maker) -> list[Call]:
    coordinates = [[0, 1], [1, 2], [1, 0]]
    found = [call((2, 3), coordinates, [1.0, 2.0, 3.0]), call((2, 3), [[0, 1], [0, 1]], [1.0, 2.0]), call((2, 3, 2), [[0, 1, 1], [1, 2, 0]], [1.5, 2.5]), call((2, 3), coordinates, [1, 2, 3], 3, dtype=Type("int32"))]
    return [*found, call((3, 4), [1, 3, 0], [1.0, 2.0, 3.0], indptr=[0, 1, 2, 3]), call((5,), [[4], [1]], [1.0, 2.0], dtype=Type("float64")), call((2, 3), [[1, 2], [0, 0]], [4.0, 5.0])]


def _quantized(m: Maker) -> list[Call]:
    data = [0.3, -0.7, 1.25, 100.0, -100.0, 0.75]
    kinds = ("qint8", "qint16", "quint8", "qint8_asymmetric", "quint16", "qint16_asymmetric")
    found = [call((6,), data, scale=0.5, dtype=t) for t in kinds] + [call((2, 3), data, scale=0.5), call((6,), data, scale=0.1)]
    found += [call((6,), data, scale=0.5, zero_point=z, dtype="quint8") for z in (3, 128, 255)]
    found += [call((2, 3), [data[:3], data[3:]], scale=s, axis=a, dtype="qint8_per_channel") for s, a in (([0.5, 0.25], 0), ([0.5, 0.25, 2.0], 1))]
    return [*found, call((2, 3), [data[:3], data[3:]], scale=[0.5, 0.25, 2.0], axis=-1, dtype="qint16_per_channel"), call((3,), [1, 2, 3], scale=0.5), call((4,), [0.25, 0.75, 1.25, -0.25], scale=0.5)]


def _quantize(m: Maker) -> list[Call]:
    x = (m(2, 3) * np.array(4, m.numpy)).astype(m.numpy)
    return [call(x, 0.5), call(x, 0.25, 3, dtype="quint8"), call(x, np.array([0.5, 0.25], np.float32), axis=0, dtype="qint8_per_channel"), call(x, np.array([0.5, 0.25, 1], np.float32), axis=1, dtype="qint8_per_channel"), call(x * np.array(1000, m.numpy), 0.5, dtype="qint8")]


def quantized_of(x: Any, scale: float = 0.125) -> Made:
    return Made("quantized_tensor", (x.shape, x.tolist()), {"scale": scale})


def sparse_of(x: Any) -> Made:
    """A sparse tensor with every other element of a matrix, one of them in two parts."""
    places = [p for i, p in enumerate(np.ndindex(x.shape)) if i % 2 == 0]
    values = [x[p].item() for p in places]
    return Made("sparse_tensor", (x.shape, [list(p) for p in [*places, places[0]]], [*values, values[0]]), {"dtype": x.dtype.name})


def _requantize(m: Maker) -> list[Call]:
    q = quantized_of(m(2, 3))
    return [call(q, 0.25), call(q, 0.5, dtype="qint8")]


def _dequantize(m: Maker) -> list[Call]:
    options = {"scale": 0.5, "zero_point": 3, "dtype": "quint8"}
    return [call(quantized_of(m(2, 3))), call(Made("quantized_tensor", ((3,), [0.5, 1.0, 9.0]), options)), call(Made("quantized_tensor", ((2, 2), [[0.5, 1.0], [2.0, 3.0]]), {"scale": [0.5, 0.25], "axis": 1, "dtype": "qint8_per_channel"}))]


def _to_sparse(m: Maker) -> list[Call]:
    x = m(3, 4)
    x[::2, ::2] = 0
    return [call(x), call(x, "csr"), call(x, "coo"), call(x.reshape(3, 2, 2))]


SQUARES, TALL = _SQUARES, _TALL
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
    "astype": _cast,
    "clip": _clip,
    "where": _where,
    "multiply_add": _three,
    **dict.fromkeys(("bitwise_left_shift", "bitwise_right_shift"), _shifted),
    "divide": _divide,
    "isclose": _isclose,
    **dict.fromkeys(("array_equal", "allclose"), _whole),
    "round": _round,
    "trace": lambda m: [call(m(3, 4)), call(m(3, 4), 1), call(m(3, 4), -1), call(m(2, 3, 3)), call(m(2, 3, 3), 1), call(m(2, 1, 3, 2))] if not m.large else [call(m(130, 170))],
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
    "matmul": _products,
    "dot": _dot,
    "vecdot": _vecdot,
    "cross": _cross,
    "tensordot": _tensordot,
    "outer": _outer,
    "einsum": _einsum,
    "matrix_power": _powered,
    "lu": _matrix(*_TALL[:6], *_SQUARES, large=_square(70)),
    "cholesky": _matrix(_positive(3), _positive(2), _positive(3, 2), _positive(2, 2, 2), large=_positive(70), options=({}, {"upper": True})),
    "qr": _matrix(*_TALL[:6], large=_any(130, 70), options=({}, {"mode": "complete"})),
    "svd": _matrix(*_TALL, large=_any(130, 70), options=({}, {"full_matrices": False})),
    "svdvals": _matrix(*_TALL),
    "matrix_rank": _matrix(*_TALL, options=({}, {"rtol": 0.9})),
    "pinv": _matrix(*_TALL),
    "solve": _solved,
    "lstsq": _lstsq,
    **dict.fromkeys(("inv", "det", "slogdet", "eig", "eigvals"), _matrix(*_SQUARES, large=_square(70))),
    **dict.fromkeys(("eigh", "eigvalsh"), _matrix(_positive(3), _positive(2, 2), _positive(2, 2, 2))),
    "matrix_norm": _matrix(*_TALL, options=({}, *({"ord": o, "keepdims": o == 1} for o in ("nuc", 1, -1, 2, -2, float("inf"), -float("inf"))))),
    "vector_norm": lambda m: [call(m(3, 4), **o) for o in ({}, {"axis": 0}, {"axis": (0, 1)}, {"ord": 1}, {"ord": 3}, {"ord": float("inf")}, {"axis": -1, "keepdims": True})] + [call(m(2, 3, 4), axis=(0, -1), keepdims=True)],
    "cond": _matrix(*_SQUARES, options=({}, {"ord": 1}, {"ord": "fro"})),
    "linear": _linear,
    "bilinear": _bilinear,
    **dict.fromkeys(("fft.fft", "fft.ifft"), _fourier),
    **dict.fromkeys(("fft.rfft", "fft.ihfft", "fft.irfft", "fft.hfft"), _fourier),
    **dict.fromkeys(("fft.fftn", "fft.ifftn", "fft.rfftn", "fft.irfftn"), _fourier_n),
    **dict.fromkeys(("fft.fftshift", "fft.ifftshift"), _fourier_shift),
    **dict.fromkeys(("fft.fftfreq", "fft.rfftfreq"), _frequencies),
    "interpolate": _interpolated,
    "tensor": _tensor,
    "from_reference": _referred,
    **dict.fromkeys(("zeros", "ones"), _created()),
    "full": _full,
    "zeros_like": _like(),
    **dict.fromkeys(("normal_like", "uniform_like"), _like(0, 1, 5)),
    "ones_like": _like(),
    "full_like": _like(3),
    "eye": _eye,
    "arange": _sequence,
    "linspace": _spaced,
    "uniform": _uniform,
    "normal": _normal,
    "bernoulli": _bernoulli,
    "multinomial": _multinomial,
    "randperm": _permuted,
    "sparse_tensor": _sparse,
    "to_sparse": _to_sparse,
    "quantized_tensor": _quantized,
    "quantize": _quantize,
    "requantize": _requantize,
    "dequantize": _dequantize,
}  # fmt: skip
