"""Probes of quantized operands. A computed result may differ from the exact result by one step, which `_computed`
defines. Moved elements, comparisons and indices must be exact.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ..oracle.element_types import Array
from ..probe import Probe, Scenario
from ..provider import BlockedError, Provider, needed
from ..standard import standard
from .quantized_conversions import CONVERSIONS
from .quantized_forms import Quantized, asked, operands, real_of, unequal

Call = tuple[tuple[Any, ...], dict[str, Any]]
_I = np.array([3, 0, 0, -1], np.int64)
# Operators that move the elements of one quantized tensor. The real numbers must not change.
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
# Operators that join several quantized tensors. The result may have a scale of its own.
_JOINS: dict[str, tuple[Call, ...]] = {
    "concat": (((0,), {}), ((1,), {})),
    "stack": (((0,), {}), ((-1,), {})),
}
# Operators whose results are not quantized.
_PLACES: dict[str, tuple[Call, ...]] = {
    "argmax": (((1,), {}), ((0,), {}), ((), {})),
    "argmin": (((1,), {}), ((0,), {}), ((), {})),
    "argsort": (((), {}), ((0,), {}), ((), {"descending": True})),
    **dict.fromkeys(("isfinite", "isinf", "isnan"), (((), {}),)),
}
# Operators that the probes do not test on tensors with channels. In the result of some of these operators, the channels
# are not always along an axis. Other operators compare or add codes of channels with different scales.
_PARTING = [
    "reshape",
    "flatten",
    "pad",
    "expand",
    "roll",
    "tile",
    "concat",
    "stack",
    "argmax",
    "argmin",
    "argsort",
    "topk",
    "sort",
    "matmul",
]
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
    """Yield the probes of a function on quantized operands."""
    if function not in standard().operands["quantized"]:
        return
    pairs = list(zip(operands(0), operands(1), strict=True))
    for kind, ((label, x), (_, y)) in enumerate(pairs):
        if x.axis is not None and function in _PARTING:
            continue
        for number, (args, options) in enumerate((_MOVES | _JOINS | _PLACES).get(function, ())):
            play = partial(_moved, function, x, y, args, options)
            telling = number == kind % 2 or kind < 2
            yield Scenario(function, f"of {label}, call {number}", play, telling=telling)
    shifted = [(first, second) for (first, _), (_, second) in zip(pairs, pairs[1:] + pairs[:1], strict=True)]
    for kind, ((label, x), (other, y)) in enumerate((*pairs, *shifted)):
        telling, parted = kind % 2 == 0, function in _PARTING and (x.axis is not None or y.axis is not None)
        if function in _COMPARED:
            play = partial(_compared, function, x, y)
            yield Scenario(function, f"{label} with {other}", play, telling=telling)
        if function in _COMPUTED and not parted and (function not in _ONE or label == other):
            play = partial(_computed, function, x, y)
            yield Scenario(function, f"{label} with {other}", play, telling=telling)
    for label, x in operands(2):
        if x.axis is None or function not in _PARTING:
            for name, judge in _OTHERS.get(function, ()):
                yield Scenario(function, f"{name} {label}", partial(judge, x), telling=True)


def _moved(function: str, x: Quantized, y: Quantized, args: Any, options: Any, provider: Provider) -> str | None:
    """Return the fault of a function that moves quantized elements, or None. The result must have the real numbers that
    the function returns for the dense tensor.
    """
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
    found = asked(provider, function, tensors, *args, **options)
    several = isinstance(wanted, tuple | list)
    pairs = zip(found, wanted, strict=True) if several else ((found, wanted),)
    for result, right in pairs:
        held = np.asarray(provider.to_numpy(result)) if function in _PLACES else real_of(provider, result)
        if fault := unequal(held, np.asarray(provider.to_numpy(right))):
            return fault
    return unequal(real_of(provider, x.made(provider)), x.array, "the operand ")


def _compared(function: str, x: Quantized, y: Quantized, provider: Provider) -> str | None:
    a, b = x.array, y.array.copy()
    compare: Callable[..., Array] = getattr(np, function)
    found = asked(provider, function, x.made(provider), y.made(provider))
    fault = unequal(np.asarray(provider.to_numpy(found)), compare(a, b))
    again = asked(provider, function, x.made(provider), x.made(provider))
    fault = fault or unequal(np.asarray(provider.to_numpy(again)), compare(a, a), "with itself ")
    number = float(a[1, 2])
    with_number = asked(provider, function, x.made(provider), number)
    return fault or unequal(np.asarray(provider.to_numpy(with_number)), compare(a, number), f"with {number} ")


def _computed(function: str, x: Quantized, y: Quantized, provider: Provider) -> str | None:
    """Return the fault of a result that is more than one step from the exact result, or None. A step is the greatest
    absolute value of the exact result, divided by the number of steps that the type has on each side of 0.
    """
    a, b = x.array.astype(np.float64), y.array.astype(np.float64)
    second = replace(y, array=y.array.T.copy()) if function == "matmul" else y
    tensors = [x.made(provider)] if function in _ONE else [x.made(provider), second.made(provider)]
    exact = _COMPUTED[function](a) if function in _ONE else _COMPUTED[function](a, b)
    found = real_of(provider, asked(provider, function, *tensors))
    if found.shape != exact.shape:
        return f"returned shape {found.shape}, not {exact.shape}"
    # An unsigned type has all codes on one side of 0. An asymmetric type has half of the codes on each side.
    steps = min(x.steps, y.steps) if function not in _ONE else x.steps
    step = np.abs(exact).max() / steps
    error = float(np.abs(found - exact).max() / step)
    return None if error <= 1.01 else f"off by {error:.3} steps of {step:.3g}"


def _tops(x: Quantized, provider: Provider) -> str | None:
    values, places = asked(provider, "topk", x.made(provider), 3)
    order = np.argsort(-x.array, axis=-1, kind="stable")[:, :3]
    fault = unequal(real_of(provider, values), np.take_along_axis(x.array, order, -1))
    held = np.take_along_axis(x.array, np.asarray(provider.to_numpy(places)), -1)
    return fault or unequal(held, np.take_along_axis(x.array, order, -1), "the places ")


def _sorts(x: Quantized, provider: Provider) -> str | None:
    return unequal(real_of(provider, asked(provider, "sort", x.made(provider))), np.sort(x.array, -1))


def _finds(x: Quantized, provider: Provider) -> str | None:
    found = asked(provider, "nonzero", x.made(provider))
    for result, right in zip(found, np.nonzero(x.array), strict=True):
        if fault := unequal(np.asarray(provider.to_numpy(result)), right):
            return fault
    return None


_OTHERS: dict[str, tuple[tuple[str, Callable[[Quantized, Provider], str | None]], ...]] = {
    **CONVERSIONS,
    "topk": (("of", _tops),),
    "sort": (("of", _sorts),),
    "nonzero": (("of", _finds),),
}
