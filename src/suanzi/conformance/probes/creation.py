"""Probes of operators that create tensors from data and numbers (chapters 7.2.1.1 to 7.2.1.5, 7.2.1.12, 7.2.1.13).

Other modules have the probes of random, sparse and quantized tensors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import prod
from typing import Any

import numpy as np

from ..inputs import ORDERS, Maker, Order, in_memory, sample, types
from ..oracle.compare import Expected, anything, exactly
from ..oracle.element_types import ELEMENT_TYPES, ElementType
from ..probe import Probe, Refusal, Scenario, Value
from ..provider import Provider, needed
from ..status import Status


def _laid_out(operator: str, available: frozenset[str], given: Callable[[Any], Any]) -> Iterator[Probe]:
    """Test that flat data fill the memory in the logical order, and that the tensor keeps the logical order."""
    for shape, order in ORDERS:
        flat = np.arange(prod(shape), dtype=np.float32)
        options = {"shape": shape, "layout": order}
        yield Value(
            operator, f"{shape} in order {order}", (flat,), exactly(in_memory(shape, order)), options, "layouts"
        )
        yield Scenario(
            operator, f"{shape} keeps order {order}", _keeps(operator, (flat,), order, shape=shape), "layouts"
        )
    if operator == "tensor" and "string" in available:
        for shape, order in ORDERS:
            yield Scenario(operator, f"strings, {shape} in order {order}", _strings_in_order(shape, order), "layouts")


def _keeps(operator: str, operands: tuple[Any, ...], order: Order, **options: Any) -> Callable[[Provider], str | None]:
    def judge(provider: Provider) -> str | None:
        function = needed(provider, operator)
        given = [provider.from_numpy(x) if isinstance(x, np.ndarray) else x for x in operands]
        told = provider.order(function(*given, layout=order, **options))
        return None if told == order else f"has order {told}"

    return judge


def _strings_in_order(shape: tuple[int, ...], order: Order) -> Callable[[Provider], str | None]:
    def judge(provider: Provider) -> str | None:
        function = needed(provider, "tensor")
        told = provider.to_numpy(function([str(i) for i in range(prod(shape))], shape=shape, layout=order))
        expected = in_memory(shape, order)
        same = told.shape == shape and all(int(told[i]) == expected[i] for i in np.ndindex(shape))
        return None if same else f"holds {told.tolist()}, not {expected.tolist()}"

    return judge


def _exact_integers(operator: str, available: frozenset[str]) -> Iterator[Probe]:
    """Test integers that float64 cannot represent, both single integers and integers among other numbers."""
    for t in types(available, "I"):
        low, high = int(np.iinfo(t.numpy).min), int(np.iinfo(t.numpy).max)
        odd = high // 2 + 1 | 1  # more digits than float64 has, if the type allows
        lists: tuple[list[Any], ...] = ([odd, high], [1, high, low], [1.0, high, low], [True, odd])
        for data in lists:
            exact = exactly(np.array([int(x) for x in data], t.numpy))
            yield Value(operator, f"{data} as {t.name}", (data,), exact, {"dtype": t})


def _misfits(available: frozenset[str], *, typed: bool) -> Iterator[tuple[ElementType, Any]]:
    """Yield element types, each with data that the type cannot represent: fractions, and numbers beyond the type's
    range.
    """
    for t in types(available, "IF"):
        if t.kind == "F":
            beyond = [2.0 ** (t.greatest + 1)] if t.bits < 64 else []
            wide: list[Any] = [sign * x for x in beyond for sign in (1, -1)]
        else:
            low, high = np.iinfo(t.numpy).min, np.iinfo(t.numpy).max
            wide = [0.5, int(high) + 1, int(low) - 1]
        for number in wide:
            yield t, [number]
            if typed and -(2**63) <= number < 2**63:
                yield t, np.array([number])


def _misfit_status(t: ElementType, data: Any) -> int:
    fraction = t.kind != "F" and float(np.ravel(np.asarray(data, object))[0]) % 1 != 0
    return Status.TYPE_MISMATCH if fraction else Status.OUT_OF_RANGE


def _foreign_truth(provider: Provider) -> str | None:
    function, add_up = needed(provider, "from_reference"), needed(provider, "reduce")
    owner = np.zeros(1000, bool)
    tensor = function(owner)
    owner.view(np.uint8)[:] = 7
    total = provider.to_numpy(add_up(tensor, "sum")).item()
    return None if total == owner.size else f"{owner.size} true bytes sum to {total}"


def _legal_bools(provider: Provider) -> str | None:
    """Return a fault if `empty` makes bools with bytes other than 0 and 1, in memory that held other bytes before."""
    empty, full, destroy = needed(provider, "empty"), provider.find("full"), provider.find("destroy")
    for size in (3, 1000, 100_000):
        if full is not None and destroy is not None:
            destroy(full((size,), 7, dtype=provider.element_type("uint8")))
        truth = provider.to_numpy(empty((size,), dtype=provider.element_type("bool")))
        if np.ascontiguousarray(truth).view(np.uint8).max() > 1:
            return f"{size} elements hold bytes other than 0 and 1"
    return None


def _tensor(operator: str, available: frozenset[str]) -> Iterator[Probe]:
    for t in types(available):
        data = np.array([[0, 1, 1], [1, 0, 1]], dtype=t.numpy)
        yield Value(operator, f"{t.name} from a list", (data.tolist(),), exactly(data), {"dtype": t})
    flat = [1.0, 2.0, 3.0]
    longer, shorter = np.array([[1, 2], [3, 0]], np.float32), np.array([1, 2], np.float32)
    yield Value(operator, "elements that the data do not cover are 0", (flat,), exactly(longer), {"shape": (2, 2)})
    yield Value(operator, "data that are too long are cut off", (flat,), exactly(shorter), {"shape": (2,)})
    yield Refusal(operator, "a ragged list", ([[1.0, 2.0], [3.0]],), Status.DIMENSIONS_MISMATCH)
    other = np.zeros((2, 3), np.float32)
    yield Refusal(
        operator, "an initialiser of other dimensions", (other,), Status.DIMENSIONS_MISMATCH, {"shape": (3, 2)}
    )
    yield from _exact_integers(operator, available)
    for t, data in _misfits(available, typed=True):
        yield Refusal(operator, f"{data} as {t.name}", (data,), _misfit_status(t, data), {"dtype": t})
    yield from _laid_out(operator, available, lambda data: data)


def _from_reference(operator: str, available: frozenset[str]) -> Iterator[Probe]:
    def shares(provider: Provider) -> str | None:
        owner = np.arange(6.0).reshape(2, 3)
        function = needed(provider, operator)
        tensor = function(owner)
        owner[1, 2] = 100.0
        return None if provider.to_numpy(tensor)[1, 2] == 100.0 else "a write to the data does not show"

    yield Scenario(operator, "shares its memory", shares)
    yield Scenario(operator, "any byte but 0 is true", _foreign_truth)
    yield from _laid_out(operator, available, np.asarray)


# The value that all elements of an operator's result must have, or None if the elements may have any values.
_FILLINGS: dict[str, int | None] = {"zeros": 0, "ones": 1, "full": 1, "empty": None}


def _filling(name: str, value: int | None, shape: tuple[int, ...]) -> Expected:
    if value is None:
        return anything(ELEMENT_TYPES[name], shape)
    return exactly(np.full(shape, value, ELEMENT_TYPES[name].numpy))


def _filled(operator: str, available: frozenset[str]) -> Iterator[Probe]:
    value = _FILLINGS[operator]
    further = (value,) if operator == "full" else ()
    shapes: tuple[tuple[int, ...], ...] = ((), (0, 2), (2, 3))
    for t in types(available):
        for shape in shapes:
            expected = _filling(t.name, value, shape)
            yield Value(operator, f"{t.name} {shape}", (shape, *further), expected, {"dtype": t})
    expected = _filling("float32", value, (2,))
    yield Value(operator, "float32 by default", ((2,), *further), expected)
    yield Refusal(operator, "a negative size", ((2, -1), *further), Status.INVALID_ARGUMENT)
    for shape, order in ORDERS:
        yield Scenario(operator, f"{shape} in order {order}", _keeps(operator, (shape, *further), order), "layouts")
    if operator == "full":
        for t, data in _misfits(available, typed=False):
            value = np.ravel(data)[0]
            yield Refusal(operator, f"{value} as {t.name}", ((2,), value), _misfit_status(t, data), {"dtype": t})
    if operator == "empty" and "bool" in available:
        yield Scenario(operator, "legal values of bool", _legal_bools)


def _like(operator: str, available: frozenset[str]) -> Iterator[Probe]:
    value = _FILLINGS[operator.removesuffix("_like")]
    further = (value,) if operator == "full_like" else ()
    for t in types(available):
        x = sample(t, (2, 3)).T
        yield Value(operator, t.name, (x, *further), _filling(t.name, value, (3, 2)))


_LONG = 2**17 + 3  # above any threshold at which implementations change methods


def _arange(operator: str, available: frozenset[str]) -> Iterator[Probe]:
    for t in types(available, "IF"):
        yield Value(
            operator,
            t.name,
            (1, 10, 3),
            exactly(np.arange(1, 10, 3).astype(t.numpy)),
            {"dtype": t},
        )
        if t.bits > 16:
            long = exactly(np.arange(_LONG).astype(t.numpy))
            yield Value(operator, f"{_LONG} of {t.name}", (_LONG,), long, {"dtype": t})
    yield Value(operator, "nothing in between", (3, 1, 1), exactly(np.zeros(0, np.float32)))
    yield Refusal(operator, "a step of zero", (0, 1, 0), Status.INVALID_ARGUMENT)


def _linspace(operator: str, available: frozenset[str]) -> Iterator[Probe]:
    for t in types(available, "F"):
        points = np.linspace(np.longdouble(-1), np.longdouble(2), 11)
        yield Value(
            operator,
            t.name,
            (-1, 2, 11),
            Expected(t, points, 1.0, np.full(11, 2.0)),
            {"dtype": t},
        )
    yield Refusal(operator, "a negative number of points", (0, 1, -1), Status.INVALID_ARGUMENT)
    for t in types(available, "F"):
        if t.bits < 64:
            beyond = 2.0 ** (t.greatest + 1)
            yield Refusal(operator, f"a bound beyond {t.name}", (0, beyond, 3), Status.INVALID_ARGUMENT, {"dtype": t})


PROBES: dict[str, Maker] = {
    "tensor": _tensor,
    "from_reference": _from_reference,
    **dict.fromkeys(_FILLINGS, _filled),
    **dict.fromkeys((f"{name}_like" for name in _FILLINGS), _like),
    "arange": _arange,
    "linspace": _linspace,
}
