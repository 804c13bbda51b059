"""Probes of sequences, diagonals, random draws with only one possible result, and uninitialised memory."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from ..inputs import ORDERS, Maker, sample, types
from ..oracle.compare import Expected, exactly
from ..oracle.element_types import Array, ElementType, round_to
from ..probe import Probe, Scenario, Value
from ..provider import Provider, needed


def _arange(function: str, available: frozenset[str]) -> Iterator[Probe]:
    for t in types(available, "IFC"):
        for call in ((0, 0, 1), (5, 1, 1), (1, 5, -1) if t.kind != "U" else (3, 3, 2), (2, 2, 1)):
            label, nothing = f"{t.name} {call}", exactly(np.zeros(0, t.numpy))
            yield Value(function, label, call, nothing, {"dtype": t}, "empty")
        if t.kind in "US":
            low, high = t.range
            for start, stop, step in (
                (high - 4, high, 1),
                (low, low + 5, 1),
                (low, high, high // 2 + 1),
                (high - 1, high, 2),
            ):
                numbers = np.array([*range(start, stop, step)], object).astype(t.numpy)
                yield Value(
                    function,
                    f"{t.name} {(start, stop, step)}",
                    (start, stop, step),
                    exactly(numbers),
                    {"dtype": t},
                    "boundary values",
                )
        else:
            for begin, end, by in ((0, 1, 0.25), (1, -1, -0.5), (-3, 3, 2), (0, 1, 5)):
                numbers = np.arange(begin, end, by).astype(t.numpy)
                yield Value(
                    function,
                    f"{t.name} {(begin, end, by)}",
                    (begin, end, by),
                    exactly(numbers),
                    {"dtype": t},
                    "boundary values",
                )


def _linspace(function: str, available: frozenset[str]) -> Iterator[Probe]:
    for t in types(available, "FC"):
        for begin, end in ((0, 1), (2, 2)):
            yield Value(
                function,
                f"{t.name} {(begin, end, 0)}",
                (begin, end, 0),
                exactly(np.zeros(0, t.numpy)),
                {"dtype": t},
                "empty",
            )
        ends = [(3, 5, 1), (3, 3, 4), (-1, 1, 2), (1, -1, 3), (-0.0, 0.0, 2)]
        for start, stop, num in ends:
            numbers = np.array([start] if num == 1 else [start + (stop - start) * i / (num - 1) for i in range(num)])
            yield Value(
                function,
                f"{t.name} {(start, stop, num)}",
                (start, stop, num),
                _numbers(numbers, t),
                {"dtype": t},
                "boundary values",
            )


def _numbers(values: Array, t: ElementType) -> Expected:
    wide = values.astype(np.longdouble)
    return Expected(t, wide if t.kind == "C" else round_to(wide, t), signed_zero=False)


def _certain(function: str, available: frozenset[str]) -> Iterator[Probe]:
    """Test probabilities of 0 and 1, and a single positive weight. The outcome is certain in any memory order."""
    for t in types(available, "F"):
        p = (np.arange(12).reshape(3, 4) % 3 == 0).astype(t.numpy)
        if function == "multinomial":
            p = np.eye(3, 4, dtype=np.float32)[::-1].astype(t.numpy)
        for label, x in _lying(p):
            yield Value(function, f"{t.name} {label}", (x,), exactly(p), {}, "layouts")
        edge = np.array([0, 1, 0, 1, 1], t.numpy) if function == "bernoulli" else np.array([0, 0, 1], t.numpy)
        yield Value(function, f"{t.name}, certain", (np.abs(edge),), exactly(edge), {}, "boundary values")
        yield Value(
            function,
            f"{t.name}, -0",
            (np.where(edge == 0, -edge, edge).astype(t.numpy),),
            exactly(edge),
            {},
            "boundary values",
        )


def _lying(x: Array) -> Iterator[tuple[str, Array]]:
    yield "by columns", np.asfortranarray(x)
    wide = np.zeros([2 * n for n in x.shape], x.dtype)
    wide[::2, ::2] = x
    yield "every other element", wide[::2, ::2]
    yield "backwards", x[::-1, ::-1].copy()[::-1, ::-1]


def _drawn(function: str, available: frozenset[str]) -> Iterator[Probe]:
    """Test random tensors in every logical order. The tensor has the requested shape and keeps the logical order."""
    for shape, order in ORDERS:
        if len(shape) > 1:
            yield Scenario(function, f"{shape} in order {order}", partial(_in_order, function, shape, order), "layouts")


def _in_order(function: str, shape: tuple[int, ...], order: tuple[int, ...], provider: Provider) -> str | None:
    x = needed(provider, function)(shape, 0, 1, 7, layout=order)
    found = np.asarray(provider.to_numpy(x))
    if found.shape != shape:
        return f"returned shape {found.shape}"
    told = provider.order(x)
    return None if told == order else f"has order {told}"


def _legal(function: str, available: frozenset[str]) -> Iterator[Probe]:
    for t in types(available):
        yield Scenario(function, f"legal values of {t.name}", partial(_is_legal, t), "boundary values", t.name)


def _is_legal(t: ElementType, provider: Provider) -> str | None:
    """Return the fault of tensors that `empty` creates, or None. The type and the shape must be right, and bools must
    be bytes 0 and 1.
    """
    create = needed(provider, "empty")
    for size in (1, 5, 1000):
        x = np.asarray(provider.to_numpy(create((size,), dtype=provider.element_type(t.name))))
        if x.dtype != t.numpy or x.shape != (size,):
            return f"returned {x.dtype} {x.shape}"
        if t.kind == "B" and np.ascontiguousarray(x).view(np.uint8).max() > 1:
            return f"{size} elements hold bytes other than 0 and 1"
    return None


def _diag(function: str, available: frozenset[str]) -> Iterator[Probe]:
    for t in types(available):
        for shape, offset in (((0,), 0), ((0,), 2), ((0, 3), 0), ((3, 0), 1), ((2, 3), 3), ((2, 3), -2), ((0, 0), 0)):
            x = sample(t, shape)
            label = f"{t.name} of shape {shape}, offset {offset}"
            yield Value(function, label, (x, offset), exactly(np.diag(x, offset).copy()), {}, "empty")


MAKERS: dict[str, Maker] = {
    "arange": _arange,
    "linspace": _linspace,
    **dict.fromkeys(("bernoulli", "multinomial"), _certain),
    **dict.fromkeys(("uniform", "normal"), _drawn),
    "empty": _legal,
    "diag": _diag,
}
