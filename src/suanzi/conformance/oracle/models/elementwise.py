"""Models of the elementwise operators, with a model for each rule of the oracle's table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from .. import integers, reals
from ..compare import CORRECT, Expected, exactly
from ..element_types import Array, exact, type_of, typed
from ..rules import RULES, Options, Rule, reference
from .model import Elements, Model, Shape


def _clearly_close_or_not(a: Array, b: Array, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Array:
    """Return `b`, in which elements of `a` replace the elements whose distance from `a` is near the tolerance."""
    with np.errstate(all="ignore"):
        x, y = (v.astype(np.complex128 if v.dtype.kind == "c" else np.float64) for v in np.broadcast_arrays(a, b))
        distance, tolerance = np.abs(x - y), atol + rtol * np.abs(y)
        near = np.abs(distance - tolerance) <= 0.01 * (distance + tolerance)
    return b if a.shape != b.shape else np.where(near, a, b).astype(b.dtype)


_QUOTIENTS = ("divide", "floor_divide", "remainder", "fmod")


def defined(rule: Rule, operands: list[Array], options: Options) -> list[Array]:
    """Return the operands, in which other elements replace the elements whose result is not defined.

    These results are undefined: shifts by a negative number of bits, negative powers of integers, complex powers of 0,
    integer quotients by 0, and comparisons of distances so near to the tolerance that intermediate rounding decides.
    """
    if rule.operator == "isclose":
        return [operands[0], _clearly_close_or_not(operands[0], operands[1], **options)]
    if rule.operator in _QUOTIENTS and operands[1].dtype.kind in "iu":
        return [operands[0], np.asarray(np.where(operands[1] == 0, 1, operands[1]), operands[1].dtype)]
    if rule.operator.endswith("_shift"):
        return [operands[0], np.asarray(operands[1] % 70, operands[1].dtype)]
    if rule.operator == "pow" and operands[1].dtype.kind == "i":
        return [operands[0], np.asarray(np.where(operands[1] < 0, ~operands[1], operands[1]), operands[1].dtype)]
    if rule.operator == "pow" and operands[0].dtype.kind == "c":
        return [np.where(operands[0] == 0, np.ones_like(operands[0]), operands[0]), operands[1]]
    return operands


def _operands(rule: Rule) -> Callable[[Elements, Shape], tuple[Any, ...]]:
    def operands(elements: Elements, shape: Shape) -> tuple[Any, ...]:
        tensors = [elements.any(shape, place) for place in range(rule.arity - rule.conditional)]
        if rule.conditional:
            tensors.insert(0, elements.truth(shape))
        return tuple(defined(rule, tensors, rule.constant))

    return operands


def _result(rule: Rule) -> Callable[..., Expected]:
    def result(*operands: Any, **options: Any) -> Expected:
        further = {key: value for key, value in options.items() if key not in rule.constant}
        found = reference(rule, [np.asarray(x) for x in operands], further)
        # The versions of IEEE 754 differ in the order of +0 and -0, so either zero may count as the greater zero.
        return replace(found, signed_zero=False) if rule.name in ("maximum", "minimum", "clip") else found

    return result


# Operators whose results for complex numbers with infinite or NaN parts follow from the parts.
_BY_PARTS = {
    "add",
    "subtract",
    "negative",
    "positive",
    "conj",
    "real",
    "imag",
    "complex",
    "where",
    "equal",
    "not_equal",
}
_BY_PARTS |= {"isfinite", "isinf", "isnan", "logical_and", "logical_or", "logical_xor", "logical_not"}


def _model(rule: Rule) -> Model:
    return Model(
        rule.operator,
        _result(rule),
        types=rule.accepts,
        operands=_operands(rule),
        constant=rule.constant,
        special="BIFC" if rule.name in _BY_PARTS else "BIF",
        elementwise=True,
        out=True,
        in_place=tuple(range(rule.arity)),
        numbers=tuple(range(rule.conditional, rule.arity)) if rule.arity > 1 else (),
    )


# Models of operators with more options than the rules have.


def _round(x: Array, decimals: int = 0, mode: str = "half_even") -> Expected:
    t = type_of(x)
    if t.kind == "B":
        return exactly(x)
    if t.kind in "US":
        each = np.frompyfunc(lambda n: integers.round_to_decimals(n, decimals, mode), 1, 1)
        return exactly(typed(np.asarray(each(exact(x))), t))
    found = reals.round_to_decimals(exact(x), decimals=decimals, mode=mode)
    return Expected(t, found, CORRECT if decimals == 0 else 1.0)


def _clip(x: Array, min: Any = None, max: Any = None) -> Expected:
    low, high = (None if bound is None else np.asarray(bound, x.dtype) for bound in (min, max))
    found = exactly(x)
    if low is not None:
        found = reference(RULES["maximum"], [x, low])
    if high is not None:
        below = x if low is None else typed(found.values, found.element_type)
        found = reference(RULES["minimum"], [below, high])
    return replace(found, signed_zero=False, array=None)


def _bounds(shape: Shape) -> Sequence[Options]:
    """Return options of `clip`: only a lower bound, only an upper bound, both bounds, and both bounds in the wrong
    order.
    """
    return [{"min": 1, "max": 3}, {"min": 2}, {"max": 2}, {"min": 3, "max": 1}, {"min": 0}, {"max": 0}]


def _to_be_rounded(elements: Elements, shape: Shape) -> tuple[Any, ...]:
    """Return floating numbers of moderate size, or integers of two digits, which every integer type can round to a
    multiple of 100.
    """
    return (np.fmod(elements.any(shape), 100) if elements.type.kind in "US" else elements.moderate(shape),)


def _near(step: float) -> Callable[[Elements, Shape], tuple[Any, ...]]:
    """Return a function that makes two tensors. Some elements of the second tensor differ from the first tensor: real
    and complex elements by about the relative difference `step`, and bools and integers unless `step` is 0.
    """

    def operands(elements: Elements, shape: Shape) -> tuple[Any, ...]:
        x = elements.moderate(shape)
        if elements.type.kind in "BUS":
            return x, (x + (elements.few(shape) if step else 0)).astype(x.dtype)
        y = (x * (1 + step * elements.truth(shape, 1))).astype(x.dtype)
        if elements.special:
            x, y = np.array(x), np.array(y)
            x.reshape(-1)[::3], y.reshape(-1)[::3] = np.resize(_PAIRS, (2, x.size))[:, : len(x.reshape(-1)[::3])]
        return x, y

    return operands


_PAIRS = np.array(
    [[np.nan, np.nan, 1, np.inf, np.inf, -np.inf, 0, 1], [np.nan, 1, np.nan, np.inf, -np.inf, 1, -0.0, np.inf]]
)


def _whole(name: str) -> Callable[..., Array]:
    """Return a function that compares two arrays by a rule and returns one bool: True if all comparisons are True."""

    def result(a: Array, b: Array, **options: Any) -> Array:
        found = reference(RULES[name], [a, b], options).values
        return np.asarray(bool(np.all(found)))

    return result


_TOLERANCES: dict[str, tuple[Any, ...]] = {
    "rtol": (1e-5, 0.125, 0.0),
    "atol": (1e-8, 0.125, 0.0),
    "equal_nan": (False, True),
}
_STEPS = (0.0, 2.0**-20, 2.0**-6, 0.5)
_SMALL: dict[str, Any] = {"special": "F", "ranks": (), "empty": (), "arranged": False}


def _unequal_at_the_end(elements: Elements, shape: Shape) -> tuple[Any, ...]:
    x = elements.distinct(shape)
    y = x.copy()
    if y.size:
        y.reshape(-1)[-1] = x.reshape(-1)[0] if elements.type.kind != "B" else not x.reshape(-1)[-1]
    return x, y


def _equal(elements: Elements, shape: Shape) -> tuple[Any, ...]:
    x = elements.distinct(shape)
    return x, x.copy()


_FURTHER = (
    Model("round", _round, types="IF", operands=_to_be_rounded, elementwise=True, in_place=(0,), special="",
          choices={"decimals": (0, 1, 2, 3, -1, -2, 5), "mode": integers.ROUNDINGS}),
    Model("clip", _clip, types="IF", calls=_bounds, special="IF", ranks=()),
    *(Model("isclose", lambda a, b, **options: reference(RULES["isclose"], [a, b], options), types="FIC",
            operands=_near(step), choices=_TOLERANCES, long=(), **{**_SMALL, "arranged": step == _STEPS[2]})
      for step in _STEPS),
    *(Model("allclose", _whole("isclose"), types="FIC", operands=_near(step), choices=_TOLERANCES,
            long=((131_075,),), **_SMALL) for step in _STEPS),
    *(Model("array_equal", lambda a, b: np.asarray(np.array_equal(a, b)), types="FICBS", operands=operands, special="")
      for operands in (_unequal_at_the_end, _equal)),
    Model("where", np.where, types="S", operands=lambda e, s: (e.truth(s), e.any(s), e.any(s, 1)), long=()),
)  # fmt: skip

# Scaling by a hundred overflows in most frameworks, so `round` receives numbers of moderate size.
MODELS = (*(_model(rule) for rule in RULES.values() if rule.name != "round_to_hundredths"), *_FURTHER)
