"""Calls of functions that make tensors, draw random numbers, or convert to sparse and quantized tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..calls import Call, Made, Type, call
from ..elements import Maker
from .form import LARGE, Form

# Creation functions without operands.
TYPES = ("float32", "float64", "int32", "int64", "uint8", "bool", "complex64", "float16", "complex128", "uint64")


def _created(*further: Any, types: tuple[str, ...] = TYPES) -> Form:
    def form(m: Maker) -> list[Call]:
        if m.large:
            return [call((LARGE,), *further), call((130, 70), *further)]
        found = [call(shape, *further) for shape in ((), (3,), (2, 3), (2, 0, 3), (2, 3, 4), (2, 1, 3, 2))]
        found += [call((2, 3), *further, dtype=Type(t)) for t in types]
        return [
            *found,
            call((2, 3, 4), *further, layout=(0, 1, 2)),
            call((2, 3), *further, layout=(0, 1), dtype=Type(types[1])),
        ]

    return form


def _full(m: Maker) -> list[Call]:
    found = [
        call((2, 3)),
        call(),
        call((2, 3), 2.5),
        call((2, 3), 7, dtype=Type("int32")),
        call((2, 3), True, dtype=Type("bool")),
        call((2, 2), -1),
    ]
    found += [
        call((2,), 2**53 + 1, dtype=Type("int64")),
        call((2,), 2**64 - 1, dtype=Type("uint64")),
        call((2,), 0.1, dtype=Type("float64")),
        call((2,), 1 + 2j, dtype=Type("complex64")),
    ]
    found += [
        call((2,), "字", dtype=Type("string")),
        call((2, 3, 4), 3),
        call((2,), float("nan")),
        call((2,), -0.0),
        call((2, 3), 4, layout=(0, 1)),
        call((2,), 2**24 + 1, dtype=Type("int32")),
    ]
    return found if not m.large else [call((LARGE,), 2.5), call((130, 70), 3, dtype=Type("int32"))]


def _tensor(m: Maker) -> list[Call]:
    if m.large:
        return [call(m(LARGE)), call(m(130, 70))]
    found = [
        call(m(2, 3)),
        call(m(2, 3, 4)),
        call(m(12), shape=(3, 4)),
        call(m(5), shape=(2, 3)),
        call(m(9), shape=(2, 3)),
        call(m(6), shape=(2, 3), layout=(0, 1)),
        call(m.special()),
    ]
    if m.type == "float32":
        found += [
            call([1, 2]),
            call([[1.5, 2], [3, 4]]),
            call(1),
            call(2.5),
            call(True),
            call([True, False]),
            call([1 + 2j]),
            call([0.1], dtype=Type("float64")),
            call(["a", "b\0c"]),
            call([2**53 + 1], dtype=Type("int64")),
            call([1, 2], dtype=Type("uint8")),
            call([]),
        ]
    return found


def _referred(m: Maker) -> list[Call]:
    return (
        [
            call(m(2, 3)),
            call(m(2, 3, 4)),
            call(m(12), shape=(3, 4)),
            call(m(6), shape=(2, 3), layout=(0, 1)),
            call(m.special()),
            call(m(2, 3, 2, 2)),
        ]
        if not m.large
        else [call(m(LARGE))]
    )


def _sequence(m: Maker) -> list[Call]:
    if m.large:
        return [call(0, LARGE, 1), call(0, LARGE, dtype=Type("int32"))]
    found = [
        call(5),
        call(1, 5),
        call(1, 8, 2),
        call(5, 0, -1),
        call(0, 1, 0.25),
        call(0.5, 3, 0.5),
        call(3, 3),
        call(0, 5, 1, dtype=Type("int64")),
        call(-3, 4, 3, dtype=Type("int8")),
    ]
    return [
        *found,
        call(2**53, 2**53 + 5, 1, dtype=Type("int64")),
        call(0, 1, 0.1, dtype=Type("float64")),
        call(10, dtype=Type("float16")),
    ]


def _spaced(m: Maker) -> list[Call]:
    if m.large:
        return [call(0, 1, LARGE)]
    return [
        call(0, 1, 5),
        call(1, 0, 3),
        call(-1, 1, 9),
        call(2, 2, 4),
        call(0, 1, 1),
        call(0, 1, 0),
        call(0, 10, 2),
        call(0, 1, 5, dtype=Type("float64")),
        call(0, 1, 7, dtype=Type("float64")),
        call(0, 1j, 5, dtype=Type("complex64")),
        call(0, 1, 4, dtype=Type("float16")),
        call(1e30, 2e30, 3),
    ]


def _like(*further: Any) -> Form:
    return lambda m: (
        []
        if m.kind == "S"
        else [
            call(m(2, 3), *further),
            call(m(2, 3, 4), *further),
            call(m(2, 3), *further, dtype=Type("float64")),
            call(m(0, 2), *further),
        ]
    )


def _eye(m: Maker) -> list[Call]:
    return [
        call(3),
        call(3, 4),
        call(3, 4, 1),
        call(4, k=-2),
        call(3, dtype=Type("int32")),
        call(2, 5, -1),
        call(3, layout=(0, 1)),
    ]


# Random numbers, always with a seed, so that repeated calls draw the same numbers.
def _uniform(m: Maker) -> list[Call]:
    found = [
        call((9,), 0, 1, 5),
        call((2, 3, 4), -2, 3, 7),
        call((5,), seed=3, low=0, high=1),
        call((4, 5), 0, 1, 6, dtype=Type("float64")),
        call((50,), 0, 9, 4, dtype=Type("int32")),
    ]
    found += [
        call((9,), 0, 1, 2**32 + 5),
        call((9,), 0, 1, 4),
        call((6,), 0, 1, 5, dtype=Type("float16")),
        call((8,), 0, 1, 3, dtype=Type("bool")),
        call((9,), 10, 11, 8),
        call((2, 3), 0, 1, 5, layout=(0, 1)),
    ]
    return [*found, call((200, 200), 0, 1, 9)] if not m.large else [call((LARGE,), 0, 1, 5), call((400, 300), 0, 1, 11)]


def _normal(m: Maker) -> list[Call]:
    found = [
        call((9,), 0, 1, 5),
        call((2, 3, 4), -2, 3, 7),
        call((5,), seed=3),
        call((4, 5), 0, 1, 6, dtype=Type("float64")),
        call((20,), 0, 1, 4, dtype=Type("complex64")),
        call((9,), 0, 1, 2**32 + 5),
        call((9,), 0, 1, 4),
        call((9,), 100, 2, 8),
    ]
    return [*found, call((200, 200), 0, 1, 9)] if not m.large else [call((LARGE,), 0, 1, 5), call((400, 300), 0, 1, 11)]


def _bernoulli(m: Maker) -> list[Call]:
    def p(*shape: int, value: float | None = None) -> Any:
        return (m(*shape) if value is None else np.full(shape, value)).astype(m.numpy)

    found = [
        call(p(20), 5),
        call(p(4, 5), seed=7),
        call(p(200, value=0.02), 3),
        call(p(50, value=0.5), 2**32 + 5),
        call(p(50, value=0.5), 4),
        call(p(9, value=0.0), 3),
        call(p(9, value=1.0), 3),
    ]
    return (
        [*found, call(p(200, 200, value=0.5), 9)]
        if not m.large
        else [call(p(LARGE, value=0.5), 5), call(p(400, 300, value=0.3), 11)]
    )


def _multinomial(m: Maker) -> list[Call]:
    p = np.array([0.125, 0.5, 0.25, 0.125]).astype(m.numpy)
    rows = np.array([[1, 0, 3], [2, 2, 1]]).astype(m.numpy)
    return (
        [
            call(p, 20, seed=5),
            call(p, 3, False, 6),
            call(rows, 9, True, 7),
            call(p, 20, seed=2**32 + 5),
            call(p, 20, seed=4),
            call(p, 12, True, 8, output="indices"),
            call(p, 4, False, 3),
            call(p, seed=3),
            call(np.tile(p, (40, 1)), 50, True, 9),
        ]
        if not m.large
        else []
    )


def _permuted(m: Maker) -> list[Call]:
    return (
        [
            call(9, seed=5),
            call(20, Type("int64"), 7),
            call(9, seed=2**32 + 5),
            call(9, seed=4),
            call(40, Type("int32"), 3),
            call(500, Type("int64"), 9),
        ]
        if not m.large
        else [call(LARGE, Type("int64"), 5)]
    )


# Sparse and quantized tensors.
def _sparse(m: Maker) -> list[Call]:
    coordinates = [[0, 1], [1, 2], [1, 0]]
    found = [
        call((2, 3), coordinates, [1.0, 2.0, 3.0]),
        call((2, 3), [[0, 1], [0, 1]], [1.0, 2.0]),
        call((2, 3, 2), [[0, 1, 1], [1, 2, 0]], [1.5, 2.5]),
        call((2, 3), coordinates, [1, 2, 3], 3, dtype=Type("int32")),
    ]
    return [
        *found,
        call((3, 4), [1, 3, 0], [1.0, 2.0, 3.0], indptr=[0, 1, 2, 3]),
        call((5,), [[4], [1]], [1.0, 2.0], dtype=Type("float64")),
        call((2, 3), [[1, 2], [0, 0]], [4.0, 5.0]),
    ]


def _quantized(m: Maker) -> list[Call]:
    data = [0.3, -0.7, 1.25, 100.0, -100.0, 0.75]
    kinds = ("qint8", "qint16", "quint8", "qint8_asymmetric", "quint16", "qint16_asymmetric")
    found = [call((6,), data, scale=0.5, dtype=t) for t in kinds] + [
        call((2, 3), data, scale=0.5),
        call((6,), data, scale=0.1),
    ]
    found += [call((6,), data, scale=0.5, zero_point=z, dtype="quint8") for z in (3, 128, 255)]
    found += [
        call((2, 3), [data[:3], data[3:]], scale=s, axis=a, dtype="qint8_per_channel")
        for s, a in (([0.5, 0.25], 0), ([0.5, 0.25, 2.0], 1))
    ]
    return [
        *found,
        call((2, 3), [data[:3], data[3:]], scale=[0.5, 0.25, 2.0], axis=-1, dtype="qint16_per_channel"),
        call((3,), [1, 2, 3], scale=0.5),
        call((4,), [0.25, 0.75, 1.25, -0.25], scale=0.5),
    ]


def _quantize(m: Maker) -> list[Call]:
    x = (m(2, 3) * np.array(4, m.numpy)).astype(m.numpy)
    return [
        call(x, 0.5),
        call(x, 0.25, 3, dtype="quint8"),
        call(x, np.array([0.5, 0.25], np.float32), axis=0, dtype="qint8_per_channel"),
        call(x, np.array([0.5, 0.25, 1], np.float32), axis=1, dtype="qint8_per_channel"),
        call(x * np.array(1000, m.numpy), 0.5, dtype="qint8"),
    ]


def quantized_of(x: Any, scale: float = 0.125) -> Made:
    return Made("quantized_tensor", (x.shape, x.tolist()), {"scale": scale})


def sparse_of(x: Any) -> Made:
    """Return an argument that becomes a sparse tensor of every other element of an array. The sparse tensor stores the
    first element twice.
    """
    places = [p for i, p in enumerate(np.ndindex(x.shape)) if i % 2 == 0]
    values = [x[p].item() for p in places]
    return Made(
        "sparse_tensor",
        (x.shape, [list(p) for p in [*places, places[0]]], [*values, values[0]]),
        {"dtype": x.dtype.name},
    )


def _requantize(m: Maker) -> list[Call]:
    q = quantized_of(m(2, 3))
    return [call(q, 0.25), call(q, 0.5, dtype="qint8")]


def _dequantize(m: Maker) -> list[Call]:
    options = {"scale": 0.5, "zero_point": 3, "dtype": "quint8"}
    return [
        call(quantized_of(m(2, 3))),
        call(Made("quantized_tensor", ((3,), [0.5, 1.0, 9.0]), options)),
        call(
            Made(
                "quantized_tensor",
                ((2, 2), [[0.5, 1.0], [2.0, 3.0]]),
                {"scale": [0.5, 0.25], "axis": 1, "dtype": "qint8_per_channel"},
            )
        ),
    ]


def _to_sparse(m: Maker) -> list[Call]:
    x = m(3, 4)
    x[::2, ::2] = 0
    return [call(x), call(x, "csr"), call(x, "coo"), call(x.reshape(3, 2, 2))]


FORMS: dict[str, Form] = {
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
}
