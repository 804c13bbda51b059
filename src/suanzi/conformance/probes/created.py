"""Probes of tensors created from data: every rank, no elements, and numbers at the limits of their types."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from math import prod
from typing import Any

import numpy as np

from ..arguments import filling
from ..inputs import Maker, specials, types
from ..oracle.compare import exactly
from ..oracle.element_types import Array
from ..probe import Probe, Scenario, Value
from ..provider import Provider, needed

RANKS: tuple[tuple[int, ...], ...] = (
    (),
    (1,),
    (7,),
    (2, 3),
    (2, 1, 3),
    (2, 3, 1, 2),
    (1, 2, 1, 2, 3),
    (1, 1, 2, 1, 2, 2),
)
EMPTY: tuple[tuple[int, ...], ...] = ((0,), (0, 3), (2, 0, 3), (2, 3, 0), (0, 0), (1, 0, 2, 3))


def aspect_of(shape: tuple[int, ...]) -> str:
    """Return the aspect that a tensor of a given shape tests."""
    return "empty" if 0 in shape else "ranks"


def _tensor(function: str, available: frozenset[str]) -> Iterator[Probe]:
    for number, shape in enumerate((*RANKS, *EMPTY)):
        for t in types(available)[number % 3 :: 3]:
            x = np.array(filling(t.name, shape))
            label, aspect = f"{t.name} of shape {shape}", aspect_of(shape)
            yield Value(function, label, (x,), exactly(x), {}, aspect)
            yield Value(function, f"{label}, which is given", (x,), exactly(x), {"shape": shape}, aspect)
            if x.size and function == "tensor":
                yield Value(function, f"{label}, of lists", (x.tolist(),), exactly(x), {"dtype": t}, aspect)
    if function == "from_reference":
        for t in types(available):
            x = np.array(filling(t.name, (2, 3)))
            yield Value(function, f"{t.name} taken", (x,), exactly(x), {"shape": (2, 3)}, "element types")
            yield Value(function, f"{t.name} named", (x,), exactly(x), {"dtype": t}, "parameters")
        x = np.arange(6, dtype=np.float32)
        options = {"shape": (2, 3), "device": "cpu", "layout": (1, 0)}
        yield Value(function, "every parameter given", (x,), exactly(x.reshape(2, 3)), options, "parameters")
        return
    for t in types(available):
        yield Value(
            function, f"special values of {t.name}", (specials(t),), exactly(specials(t)), {}, "boundary values"
        )
        exact_list = (
            specials(t).astype(np.float64).tolist()
            if t.name in ("float32", "float16", "bfloat16")
            else specials(t).tolist()
        )
        label = f"special values of {t.name}, of a list"
        yield Value(function, label, (exact_list,), exactly(specials(t)), {"dtype": t}, "boundary values")


def _sparse(function: str, available: frozenset[str]) -> Iterator[Probe]:
    for number, shape in enumerate(((3,), (3, 4), (2, 3, 2), (2, 1, 3, 2), (2, 1, 2, 1, 3))):
        for t in types(available)[number % 3 :: 3]:
            dense = np.array(filling(t.name, shape))
            places = np.argwhere(np.arange(prod(shape)).reshape(shape) % 3 != 1)[::-1].astype(np.int64)
            values = dense[tuple(places.T)]
            kept = np.zeros_like(dense)
            kept[tuple(places.T)] = values
            yield Value(function, f"{t.name} of shape {shape}", (shape, places, values), exactly(kept), {}, "ranks")
    for number, shape in enumerate(((0,), (0, 3), (2, 0), (2, 0, 3), (2, 3))):
        t = types(available)[number % 3]
        nothing = (shape, np.zeros((0, len(shape)), np.int64), np.zeros(0, t.numpy))
        expected = exactly(np.zeros(shape, t.numpy))
        yield Value(function, f"{t.name} of shape {shape}, none stored", nothing, expected, {}, "empty")


def _quantized(function: str, available: frozenset[str]) -> Iterator[Probe]:
    for name, (least, greatest) in _CODES.items():
        for shape in (*RANKS, *EMPTY) if name in ("qint16", "quint8", "qint8_per_channel") else ((2, 3), (0,)):
            if shape or not name.endswith("channel"):
                yield Scenario(function, f"{name} of shape {shape}", partial(_holds, name, shape), aspect_of(shape))
        yield Scenario(function, f"{name} taken", partial(_holds, name, (2, 3)), "element types")
        yield Scenario(function, f"the ends of {name}", partial(_ends, name, least, greatest), "boundary values")


_CODES = {
    "qint8": (-127, 127),
    "qint16": (-32767, 32767),
    "quint8": (0, 255),
    "qint8_asymmetric": (-128, 127),
    "quint16": (0, 65535),
    "qint16_asymmetric": (-32768, 32767),
    "qint8_per_channel": (-127, 127),
    "qint16_per_channel": (-32767, 32767),
}


def _create(provider: Provider, name: str, data: Array, zero: int = 0) -> Any:
    options: dict[str, Any] = {"scale": 0.5, "dtype": name}
    if name.endswith("channel"):
        options |= {"scale": [0.5] * data.shape[0], "axis": 0}
    if zero:
        options["zero_point"] = zero
    return needed(provider, "quantized_tensor")(data.shape, provider.from_numpy(data), **options)


def _held(provider: Provider, name: str, data: Array, expected: Array, zero: int = 0) -> str | None:
    found = provider.to_numpy(needed(provider, "dequantize")(_create(provider, name, data, zero)))
    return exactly(expected.astype(np.float32)).fault(np.asarray(found))


def _holds(name: str, shape: tuple[int, ...], provider: Provider) -> str | None:
    data = (np.arange(prod(shape)) % 60 / 2).reshape(shape).astype(np.float32)
    return _held(provider, name, data, data)


def _ends(name: str, least: int, greatest: int, provider: Provider) -> str | None:
    """Return the fault of a quantized type, or None. The data include both ends of the codes, numbers beyond both
    ends, midpoints and infinities, and the zero points include both ends.
    """
    for zero in (0,) if least == -greatest else (0, least, greatest):
        codes = np.array([least, least - 1, greatest, greatest + 1, 0.5, 1.5, -0.5, -np.inf, np.inf, 2.5])
        offset = 0 if np.isin(zero, (0,)) else zero
        data = ((codes - offset) / 2).astype(np.float32)
        near = np.clip(np.rint(data.astype(np.float64) * 2) + offset, least, greatest)
        if fault := _held(
            provider,
            name,
            data[:, None] if name.endswith("channel") else data,
            ((near - offset) / 2)[(slice(None), None) if name.endswith("channel") else slice(None)],
            offset,
        ):
            return f"zero point {zero}: {fault}" if zero else fault
    return None


MAKERS: dict[str, Maker] = {
    **dict.fromkeys(("tensor", "from_reference"), _tensor),
    "sparse_tensor": _sparse,
    "quantized_tensor": _quantized,
}
