"""What every elementwise operator should give: references that share no code with the library.

Floating and complex elements are computed by NumPy in extended precision, integers by Python's own
unbounded ones and then wrapped to their width.
"""

from __future__ import annotations

import operator as op
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from suanzi.conformance import element_types as types
from suanzi.conformance.compare import to_reference
from suanzi.conformance.element_types import ELEMENT_TYPES, Array

Options = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Rule:
    """An operator's reference, and what of its result is promised."""

    real: Callable[..., Any]  # on arrays of floating or complex elements, in extended precision
    integer: Callable[..., Any] | None = None  # on Python integers; bools are 0 and 1
    boolean: Callable[..., Any] | None = None  # on bools, where it is not what integers give
    arity: int = 2
    result: str = "computed"  # or floating (integers compute in float32), bool, real, complex
    bound: float = 0.5  # ulp; ACCURACY comes first
    magnitude: Callable[..., Array] | None = None  # the size that an ulp is taken of, if not the result's
    signed_zero: bool = True  # whether a zero's sign is promised
    options: tuple[Options, ...] = ({},)
    conditional: bool = False  # the first operand is a condition and takes no part in promotion
    accepts: str = "BIFC"  # where an option narrows what the registry says


def _unary(real: Callable[..., Any], integer: Callable[..., Any] | None = None, **more: Any) -> Rule:
    return Rule(real, integer, arity=1, **more)


def _function(real: Callable[..., Any], **more: Any) -> Rule:
    return Rule(real, arity=1, result="floating", **more)


def _compared(real: Callable[..., Any], integer: Callable[..., Any]) -> Rule:
    return Rule(real, integer, result="bool")


def _same(x: Any) -> Any:
    return x


def _integer_fmod(a: int, b: int) -> int:
    return 0 if b == 0 else (-1 if a < 0 else 1) * (abs(a) % abs(b))


def _integer_trunc_divide(a: int, b: int, **_: Any) -> int:
    return 0 if b == 0 else (1 if (a < 0) == (b < 0) else -1) * (abs(a) // abs(b))


def _integer_floor_divide(a: int, b: int, **_: Any) -> int:
    return a // b if b else 0


def _integer_pow(a: int, b: int) -> int:
    if b >= 0:
        return pow(a, b, 2**64)  # wrapped further to the element's width
    return {1: 1, -1: 1 if b % 2 == 0 else -1}.get(a, 0)


def _isclose(a: Any, b: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Any:
    near = (np.abs(a - b) <= atol + rtol * np.abs(b)) & np.isfinite(a) & np.isfinite(b)
    return near | (a == b) | (equal_nan & np.isnan(a) & np.isnan(b))


def _integer_isclose(a: int, b: int, rtol: float = 1e-5, atol: float = 1e-8, **_: Any) -> bool:
    return abs(a - b) <= atol + rtol * abs(b)


def _complex_sign(x: Array) -> Array:
    return np.where(x == 0, 0, x / np.where(x == 0, 1, np.abs(x))) if x.dtype.kind == "c" else np.sign(x)


def _expm1(x: Array) -> Array:
    """NumPy's, but for complex elements: there exp(z) - 1 = expm1(re)cos(im) - 2sin²(im/2) + …"""
    if x.dtype.kind != "c":
        return np.asarray(np.expm1(x))
    real = np.expm1(x.real) * np.cos(x.imag) - 2 * np.sin(x.imag / 2) ** 2
    return np.asarray(real + 1j * np.exp(x.real) * np.sin(x.imag))


def _log1p(x: Array) -> Array:
    """NumPy's, but near a complex zero, where it cancels: there |1 + z|² - 1 = re(2 + re) + im²."""
    if x.dtype.kind != "c":
        return np.asarray(np.log1p(x))
    near = np.log1p(x.real * (2 + x.real) + x.imag**2) / 2 + 1j * np.arctan2(x.imag, 1 + x.real)
    return np.asarray(np.where(np.abs(x) < 0.5, near, np.log(1 + x)))


_HALF = np.longdouble(0.5)
_ROUND: dict[str, Callable[[Array], Array]] = {
    "half_even": np.rint,
    "half_up": lambda x: np.floor(x) + (x - np.floor(x) >= _HALF),
    "half_down": lambda x: np.ceil(x) - (np.ceil(x) - x >= _HALF),
    "half_away": lambda x: np.copysign(np.floor(np.abs(x)) + (np.abs(x) - np.floor(np.abs(x)) >= _HALF), x),
    "floor": np.floor,
    "ceil": np.ceil,
    "trunc": np.trunc,
}


def _round(x: Array, decimals: int = 0, mode: str = "half_even") -> Array:
    if x.dtype.kind == "c":
        return np.asarray(_round(x.real, decimals, mode) + 1j * _round(x.imag, decimals, mode))
    scaled = _ROUND[mode](x * np.longdouble(10) ** decimals) / np.longdouble(10) ** decimals
    return np.where(np.isfinite(x), np.copysign(scaled, x), x)


RULES: dict[str, Rule] = {
    "add": Rule(np.add, op.add),
    "subtract": Rule(np.subtract, op.sub),
    "multiply": Rule(np.multiply, op.mul),
    "multiply_add": Rule(
        lambda a, b, c: a * b + c,
        lambda a, b, c: a * b + c,
        arity=3,
        bound=1.0,  # without a fused multiply-add the product is rounded too
        magnitude=lambda a, b, c: np.maximum(np.abs(a * b), np.abs(c)),
    ),
    "divide": Rule(np.true_divide, result="floating"),
    "true_divide": Rule(np.true_divide, result="floating"),
    "floor_divide": Rule(np.floor_divide, _integer_floor_divide),
    "remainder": Rule(np.remainder, lambda a, b: a % b if b else 0),
    "fmod": Rule(np.fmod, _integer_fmod),
    "maximum": Rule(np.maximum, max, signed_zero=False),
    "minimum": Rule(np.minimum, min, signed_zero=False),
    "abs": _unary(np.abs, abs, result="real"),
    "negative": _unary(np.negative, op.neg),
    "positive": _unary(_same, _same),
    "reciprocal": _function(lambda x: 1 / x),
    "equal": _compared(np.equal, op.eq),
    "not_equal": _compared(np.not_equal, op.ne),
    "greater": _compared(np.greater, op.gt),
    "greater_equal": _compared(np.greater_equal, op.ge),
    "less": _compared(np.less, op.lt),
    "less_equal": _compared(np.less_equal, op.le),
    "isclose": Rule(
        _isclose,
        _integer_isclose,
        result="bool",
        options=({}, {"rtol": 0.25, "atol": 1.0}, {"equal_nan": True}),
    ),
    "logical_and": _compared(np.logical_and, lambda a, b: bool(a and b)),
    "logical_or": _compared(np.logical_or, lambda a, b: bool(a or b)),
    "logical_xor": _compared(np.logical_xor, lambda a, b: bool(a) != bool(b)),
    "logical_not": _unary(np.logical_not, op.not_, result="bool"),
    "bitwise_and": Rule(_same, op.and_),
    "bitwise_or": Rule(_same, op.or_),
    "bitwise_xor": Rule(_same, op.xor),
    "bitwise_invert": _unary(_same, op.invert, boolean=op.not_),
    "bitwise_left_shift": Rule(_same, lambda a, b: a << min(b, 64)),
    "bitwise_right_shift": Rule(_same, lambda a, b: a >> min(b, 64)),
    "pow": Rule(np.power, _integer_pow),
    "sqrt": _function(np.sqrt),
    "rsqrt": _function(lambda x: 1 / np.sqrt(x)),
    "square": _unary(np.square, lambda x: x * x),
    "floor": _unary(np.floor, _same),
    "ceil": _unary(np.ceil, _same),
    "trunc": _unary(np.trunc, _same),
    "rint": _unary(np.rint, _same),
    "round": _unary(
        _round,
        lambda x, **_: x,
        bound=1.0,  # scaled by a power of ten and back
        options=({}, {"decimals": 2}, *({"mode": mode} for mode in _ROUND)),
    ),
    "sin": _function(np.sin),
    "cos": _function(np.cos),
    "tan": _function(np.tan),
    "asin": _function(np.arcsin),
    "acos": _function(np.arccos),
    "atan": _function(np.arctan),
    "atan2": Rule(np.arctan2, result="floating"),
    "sinh": _function(np.sinh),
    "cosh": _function(np.cosh),
    "tanh": _function(np.tanh),
    "asinh": _function(np.arcsinh),
    "acosh": _function(np.arccosh),
    "atanh": _function(np.arctanh),
    "exp": _function(np.exp),
    "expm1": _function(_expm1),
    "log": _function(np.log),
    "log1p": _function(_log1p),
    "log10": _function(np.log10),
    "log2": _function(np.log2),
    "complex": Rule(lambda a, b: a + 1j * b, result="complex"),
    "conj": _unary(np.conj, _same),
    "imag": _unary(np.imag, lambda x: 0, result="real"),
    "real": _unary(np.real, _same, result="real"),
    "sign": _unary(_complex_sign, lambda x: (x > 0) - (x < 0), signed_zero=False),
    "clip": Rule(
        lambda x, low, high: np.minimum(np.maximum(x, low), high),
        lambda x, low, high: min(max(x, low), high),
        arity=3,
        signed_zero=False,
    ),
    "isfinite": _unary(np.isfinite, lambda x: True, result="bool"),
    "isinf": _unary(np.isinf, lambda x: False, result="bool"),
    "isnan": _unary(np.isnan, lambda x: False, result="bool"),
    "where": Rule(np.where, lambda c, a, b: a if c else b, arity=3, conditional=True),
}

# Options that change what an operator is.
_VARIANTS: dict[str, tuple[Rule, ...]] = {
    "divide": (
        Rule(
            lambda a, b, rounding: np.floor_divide(a, b),
            _integer_floor_divide,
            options=({"rounding": "floor"},),
            accepts="IF",
        ),
        Rule(
            lambda a, b, rounding: np.trunc(a / b),
            _integer_trunc_divide,
            options=({"rounding": "trunc"},),
            accepts="IF",
        ),
    ),
}


def rules(operator: str) -> tuple[Rule, ...]:
    """The references of an operator, one for each meaning that its options give it."""
    return ((RULES[operator],) if operator in RULES else ()) + _VARIANTS.get(operator, ())


def result_type(rule: Rule, names: tuple[str, ...]) -> str | None:
    """The element type that a result must have; None where the operands have no common type."""
    first, *others = names[1:] if rule.conditional else names
    common: str | None = first
    for name in others:
        common = common and types.promote(common, name)
    if common is None:
        return None
    match rule.result:
        case "bool":
            return "bool"
        case "floating":
            return types.floating(common)
        case "real":
            return types.real_part(common)
        case "complex":
            return types.complex_of(types.floating(common))
    return common


def reference(rule: Rule, operands: tuple[Array, ...], options: Options) -> Array:
    """The result on operands of one type (a condition aside): exact, or in extended precision."""
    t = ELEMENT_TYPES[operands[-1].dtype.name]
    with np.errstate(all="ignore"):
        if t.kind not in "BUS":
            return np.asarray(rule.real(*map(to_reference, operands), **options))
        function = rule.boolean if t.kind == "B" and rule.boolean else rule.integer
        if function is None or rule.result in ("floating", "complex"):
            return np.asarray(rule.real(*(to_reference(x.astype(np.float32)) for x in operands), **options))
    exact = np.frompyfunc(lambda *x: function(*x, **options), rule.arity, 1)
    integers = (x.astype(object) * 1 for x in operands)
    return wrapped(exact(*integers), "bool" if rule.result == "bool" else t.name)


def wrapped(exact: Any, name: str) -> Array:
    """Python integers modulo the width of a type; for bool, whether they are not zero."""
    t = ELEMENT_TYPES[name]
    if t.kind == "B":
        return np.asarray(exact, dtype=object).astype(bool)
    half = 2 ** (t.bits - 1) if t.kind == "S" else 0
    return np.asarray((np.asarray(exact, dtype=object) + half) % 2**t.bits - half).astype(t.numpy)
