"""Quantized operands: results within a step of those of the real numbers, moves, comparisons and places exact.

A quantized tensor is plain data here: real numbers that its codes stand for exactly, its type, scale, zero point and
axis of channels. What it holds is looked at through the provider's `dequantize`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ..oracle.element_types import Array
from ..probe import Probe, Scenario
from ..provider import BlockedError, Provider, needed
from ..standard import standard

CLAIM = "quantized operands"


@dataclass(frozen=True, slots=True, eq=False)
class Quantized:
    """A quantized tensor as plain data."""

    array: Array  # the real numbers
    type: str
    scale: float | tuple[float, ...] = 0.5
    zero: int | None = None
    axis: int | None = None

    def made(self, provider: Provider, data: Array | None = None) -> Any:
        options: dict[str, Any] = {"dtype": self.type}
        options["scale"] = list(self.scale) if isinstance(self.scale, tuple) else self.scale
        options |= {} if self.zero is None else {"zero_point": self.zero}
        options |= {} if self.axis is None else {"axis": self.axis}
        create = needed(provider, "quantized_tensor")
        numbers = self.array if data is None else data
        return create(numbers.shape, provider.from_numpy(numbers), **options)

    @property
    def steps(self) -> int:
        """How many steps a result of the type has on each side of 0."""
        return 32767 if "16" in self.type else 127


# Per tensor, with zero points in the middle and at both ends, and per channel along every axis.
_KINDS: tuple[tuple[str, float, int | None], ...] = (
    ("qint8", 0.5, None),
    ("qint16", 0.25, None),
    ("quint8", 0.5, 128),
    ("quint8", 0.5, 60),
    ("qint8_asymmetric", 0.25, -20),
    ("quint16", 0.125, 1000),
    ("qint16_asymmetric", 0.5, -32768 + 500),
)
_CHANNELS: tuple[tuple[str, int], ...] = (
    ("qint8_per_channel", 0),
    ("qint8_per_channel", 1),
    ("qint16_per_channel", -1),
    ("qint16_per_channel", 0),
)
_SHAPE = (4, 6)


def _numbers(place: int, scale: Any) -> Array:
    """Multiples of the scale, from -20 to 20 of them, ties among them rare."""
    codes = (7 * np.arange(24) + 11 * place) % 41 - 20
    return np.asarray(codes.reshape(_SHAPE) * scale, np.float32)


def operands(place: int) -> Iterator[tuple[str, Quantized]]:
    """Quantized tensors of every kind; `place` tells the operands of one call apart."""
    for name, scale, zero in _KINDS:
        yield f"{name}, zero point {zero}" if zero else name, Quantized(_numbers(place, scale), name, scale, zero)
    for name, axis in _CHANNELS:
        scales = tuple(0.25 * 2.0 ** (i % 3) for i in range(_SHAPE[axis]))
        column = np.array(scales).reshape((-1, 1) if axis % 2 == 0 else (1, -1))
        yield f"{name} along {axis}", Quantized(_numbers(place, column), name, scales, None, axis)


Call = tuple[tuple[Any, ...], dict[str, Any]]
_I = np.array([3, 0, 0, -1], np.int64)
# Operators that move elements, of which the result holds the very numbers.
_MOVES: dict[str, tuple[Call, ...]] = {
    **dict.fromkeys(("clone", "contiguous", "positive", "flatten", "matrix_transpose", "flip", "reverse"), (((), {}),)),
    "transpose": (((), {}), (((1, 0),), {})),
    "permute_dims": ((((1, 0),), {}),),
    "reshape": ((((4, 2, 3),), {}), (((4, 6, 1),), {})),
    "expand_dims": (((0,), {}), ((-1,), {})),
    "squeeze": (((), {}),),
    "slice": ((([1, 0], [3, 5]), {}), (([0, 1], [4, 6], [1, 2]), {})),
    "crop": ((([1, 2], [2, 3]), {}),),
    "expand": ((((3, 4, 6),), {}),),
    "roll": (((1, 0), {}), ((2, 1), {})),
    "tile": ((((1, 2),), {}),),
    "pad": (((1,), {}), ((1, "edge"), {})),
    "gather": (((_I, 0), {}), ((_I, 1), {})),
    "index_select": (((_I, 0), {}), ((_I, -1), {})),
    "split": (((2, 0), {}), (([1, 5], 1), {})),
    "unstack": (((), {}), ((1,), {})),
}
# Operators of several quantized tensors that move elements; their results may have a scale of their own.
_JOINS: dict[str, tuple[Call, ...]] = {
    "concat": (((0,), {}), ((1,), {})),
    "stack": (((0,), {}), ((-1,), {})),
}
# What they give is not quantized.
_PLACES: dict[str, tuple[Call, ...]] = {
    "argmax": (((1,), {}), ((0,), {}), ((), {})),
    "argmin": (((1,), {}), ((0,), {}), ((), {})),
    "argsort": (((), {}), ((0,), {}), ((), {"descending": True})),
    **dict.fromkeys(("isfinite", "isinf", "isnan"), (((), {}),)),
}
# Of these the channels need not lie along one axis of the result, or have no order of codes in common.
_PARTING = ("reshape", "flatten", "pad", "expand", "roll", "tile", "argmax", "argmin", "argsort", "concat", "stack")
_PARTING += ("topk", "sort", "matmul")
_COMPARED = ("equal", "not_equal", "greater", "greater_equal", "less", "less_equal")
_COMPUTED: dict[str, Callable[..., Array]] = {
    "add": np.add,
    "subtract": np.subtract,
    "multiply": np.multiply,
    "maximum": np.maximum,
    "minimum": np.minimum,
    "negative": np.negative,
    "abs": np.abs,
    "matmul": lambda a, b: a @ b.T,
}
_ONE = ("negative", "abs")


def probes(function: str, available: frozenset[str]) -> Iterator[Probe]:
    """The probes of a function on quantized operands."""
    if function not in standard().operands["quantized"]:
        return
    pairs = list(zip(operands(0), operands(1), strict=True))
    for (label, x), (_, y) in pairs:
        if x.axis is not None and function in _PARTING:
            continue
        for number, (args, options) in enumerate((_MOVES | _JOINS | _PLACES).get(function, ())):
            play = partial(_moved, function, x, y, args, options)
            yield Scenario(function, f"of {label}, call {number}", play)
    for (label, x), (other, y) in [*pairs, *((p[0], q[1]) for p, q in zip(pairs, pairs[1:] + pairs[:1], strict=True))]:
        if function in _COMPARED:
            yield Scenario(function, f"{label} with {other}", partial(_compared, function, x, y))
        parted = function in _PARTING and (x.axis is not None or y.axis is not None)
        if function in _COMPUTED and not parted and (function not in _ONE or label == other):
            yield Scenario(function, f"{label} with {other}", partial(_computed, function, x, y))
    for label, x in operands(2):
        if x.axis is None or function not in _PARTING:
            for name, play in _OTHERS.get(function, ()):
                yield Scenario(function, f"{name} {label}", partial(play, x))


def _asked(provider: Provider, function: str, *args: Any, **options: Any) -> Any:
    """The result, if the provider takes quantized tensors there."""
    operate = needed(provider, function)
    given = [provider.from_numpy(a) if isinstance(a, np.ndarray) else a for a in args]
    try:
        return operate(*given, **options)
    except Exception as error:
        if CLAIM in provider.claims:
            raise
        raise BlockedError(f"does not take quantized tensors: {error}") from None


def _real(provider: Provider, x: Any) -> Array:
    return np.asarray(provider.to_numpy(needed(provider, "dequantize")(x)))


def _unequal(found: Array, wanted: Array, what: str = "") -> str | None:
    if found.shape != wanted.shape:
        return f"{what}gave shape {found.shape}, not {wanted.shape}"
    return None if np.array_equal(found, wanted) else f"{what}gave {found.tolist()}, not {wanted.tolist()}"


def _moved(function: str, x: Quantized, y: Quantized, args: Any, options: Any, provider: Provider) -> str | None:
    """What the provider does with the real numbers, exactly."""
    tensors = [x.made(provider), y.made(provider)] if function in _JOINS else x.made(provider)
    reals = [x.array, y.array] if function in _JOINS else x.array
    dense = [provider.from_numpy(a) for a in reals] if isinstance(reals, list) else provider.from_numpy(reals)
    given = [provider.from_numpy(a) if isinstance(a, np.ndarray) else a for a in args]
    try:
        wanted = needed(provider, function)(dense, *given, **options)
    except BlockedError:
        raise
    except Exception as error:
        raise BlockedError(f"refuses the dense tensor: {error}") from None
    found = _asked(provider, function, tensors, *args, **options)
    several = isinstance(wanted, tuple | list)
    pairs = zip(found, wanted, strict=True) if several else ((found, wanted),)
    for result, right in pairs:
        held = np.asarray(provider.to_numpy(result)) if function in _PLACES else _real(provider, result)
        if fault := _unequal(held, np.asarray(provider.to_numpy(right))):
            return fault
    return _unequal(_real(provider, x.made(provider)), x.array, "the operand ")


def _compared(function: str, x: Quantized, y: Quantized, provider: Provider) -> str | None:
    a, b = x.array, y.array.copy()
    compare: Callable[..., Array] = getattr(np, function)
    found = _asked(provider, function, x.made(provider), y.made(provider))
    fault = _unequal(np.asarray(provider.to_numpy(found)), compare(a, b))
    again = _asked(provider, function, x.made(provider), x.made(provider))
    fault = fault or _unequal(np.asarray(provider.to_numpy(again)), compare(a, a), "with itself ")
    number = float(a[1, 2])
    with_number = _asked(provider, function, x.made(provider), number)
    return fault or _unequal(np.asarray(provider.to_numpy(with_number)), compare(a, number), f"with {number} ")


def _computed(function: str, x: Quantized, y: Quantized, provider: Provider) -> str | None:
    """Within a step of the exact result, where the steps of the type cover the greatest."""
    a, b = x.array.astype(np.float64), y.array.astype(np.float64)
    tensors = [x.made(provider)] if function in _ONE else [x.made(provider), y.made(provider)]
    if function == "matmul":
        tensors[1] = needed(provider, "transpose")(tensors[1])
    exact = _COMPUTED[function](a) if function in _ONE else _COMPUTED[function](a, b)
    found = _real(provider, _asked(provider, function, *tensors))
    if found.shape != exact.shape:
        return f"gave shape {found.shape}, not {exact.shape}"
    # A type without a sign spends its codes on one side; asymmetric ones have half as many for either.
    steps = min(x.steps, y.steps) if function not in _ONE else x.steps
    step = np.abs(exact).max() / steps
    error = float(np.abs(found - exact).max() / step)
    return None if error <= 1.01 else f"off by {error:.3} steps of {step:.3g}"


def _converts(x: Quantized, provider: Provider) -> str | None:
    found = np.asarray(
        provider.to_numpy(_asked(provider, "astype", x.made(provider), provider.element_type("float64")))
    )
    if found.dtype != np.float64:
        return f"gave {found.dtype}, not float64"
    return _unequal(found, x.array.astype(np.float64))


def _quantizes(kind: type, x: Quantized, provider: Provider) -> str | None:
    """Numbers between the codes, half to even, from both floating types; past the codes the last one."""
    least, greatest, zero = *_codes(x), x.zero or 0
    scale = np.array(x.scale if x.axis is None else np.reshape(x.scale, (-1, 1) if x.axis == 0 else (1, -1)))
    data = (x.array.astype(np.float64) + scale * (np.arange(24).reshape(_SHAPE) % 4) / 4).astype(kind)
    data[0, 0], data[1, 1], data[2, 2] = np.inf, -np.inf, 1e30
    codes = np.clip(np.rint(data.astype(np.float64) / scale) + zero, least, greatest)
    options: dict[str, Any] = {"scale": list(x.scale) if isinstance(x.scale, tuple) else x.scale, "dtype": x.type}
    options |= {} if x.zero is None else {"zero_point": x.zero}
    options |= {} if x.axis is None else {"axis": x.axis}
    found = _real(provider, needed(provider, "quantize")(provider.from_numpy(data), **options))
    made = _real(provider, x.made(provider, data))
    right = ((codes - zero) * scale).astype(np.float32)
    return _unequal(found, right) or _unequal(made, right, "quantized_tensor ")


def _codes(x: Quantized) -> tuple[int, int]:
    if x.type.startswith("quint"):
        return (0, 65535) if "16" in x.type else (0, 255)
    bound = x.steps
    return (-bound - 1 if x.type.endswith("asymmetric") else -bound), bound


def _refuses_nan(x: Quantized, provider: Provider) -> str | None:
    data = x.array.copy()
    data[-1, -1] = np.nan
    for name, call in (
        ("quantized_tensor", lambda: x.made(provider, data)),
        ("quantize", lambda: needed(provider, "quantize")(provider.from_numpy(data), scale=0.5, dtype="qint8")),
    ):
        try:
            call()
        except BlockedError:
            raise
        except Exception as error:
            if getattr(error, "status", None) not in (
                standard().statuses[s] for s in ("INVALID_ARGUMENT", "OUT_OF_RANGE")
            ):
                return f"{name}: {error}"
            continue
        return f"{name} takes NaN, which no code stands for"
    return None


def _requantizes(x: Quantized, provider: Provider) -> str | None:
    found = needed(provider, "requantize")(x.made(provider), scale=2.0, zero_point=3, dtype="quint8")
    codes = np.clip(np.rint(x.array.astype(np.float64) / 2.0) + 3, 0, 255)
    return _unequal(_real(provider, found), ((codes - 3) * 2.0).astype(np.float32))


def _tops(x: Quantized, provider: Provider) -> str | None:
    values, places = _asked(provider, "topk", x.made(provider), 3)
    order = np.argsort(-x.array, axis=-1, kind="stable")[:, :3]
    fault = _unequal(_real(provider, values), np.take_along_axis(x.array, order, -1))
    held = np.take_along_axis(x.array, np.asarray(provider.to_numpy(places)), -1)
    return fault or _unequal(held, np.take_along_axis(x.array, order, -1), "the places ")


def _sorts(x: Quantized, provider: Provider) -> str | None:
    return _unequal(_real(provider, _asked(provider, "sort", x.made(provider))), np.sort(x.array, -1))


def _finds(x: Quantized, provider: Provider) -> str | None:
    found = _asked(provider, "nonzero", x.made(provider))
    for result, right in zip(found, np.nonzero(x.array), strict=True):
        if fault := _unequal(np.asarray(provider.to_numpy(result)), right):
            return fault
    return None


_OTHERS: dict[str, tuple[tuple[str, Callable[[Quantized, Provider], str | None]], ...]] = {
    "quantize": (
        ("float32 as", partial(_quantizes, np.float32)),
        ("float64 as", partial(_quantizes, np.float64)),
        ("NaN refused as", _refuses_nan),
    ),
    "requantize": (("to quint8 from", _requantizes),),
    "astype": (("to float64 of", _converts),),
    "topk": (("of", _tops),),
    "sort": (("of", _sorts),),
    "nonzero": (("of", _finds),),
}
