"""The table of elementwise operations: what each accepts, gives, and how near its result has to be.

How the values themselves come about is in `integers`, `reals` and `complexes`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import reduce
from typing import Any

import numpy as np

from oracle import complexes, integers, reals
from oracle.formats import (
    FORMATS,
    Array,
    Format,
    convert,
    exact,
    format_of,
    promote,
    typed,
)
from oracle.functions import BY_MPMATH

Function = Callable[..., Any]
Options = Mapping[str, Any]

# A correctly rounded result, seen from a reference that is itself rounded, to 64 bits or more.
CORRECT = 0.501
# The parts of complex sums, products and quotients are rounded one by one.
COMPLEX_ARITHMETIC = 4.0


@dataclass(frozen=True, slots=True)
class Bounds:
    """Largest errors in ulp; of float16 and bfloat16 it is always CORRECT."""

    float32: float = CORRECT
    float64: float = CORRECT
    complex: float = COMPLEX_ARITHMETIC

    def of(self, f: Format) -> float:
        if f.bits == 16:
            return CORRECT
        return self.complex if f.kind == "C" else self.float32 if f.bits == 32 else self.float64


FUNCTION = Bounds(0.6, 1.0, 8.0)


@dataclass(frozen=True, slots=True)
class Rule:
    """One operation. The functions by kind take exact values; those of integers one at a time."""

    name: str
    accepts: str
    arity: int
    by_kind: Mapping[str, Function]
    result: str = "same"  # or bool, real, complex
    floating: bool = False  # bools and integers are computed in float32
    conditional: bool = False  # the first operand is a bool that takes no part in the promotion
    bounds: Bounds = Bounds()
    signed_zero: bool = True
    magnitude: Function | None = None  # what the error of a complex result is measured by
    alternative: Function | None = None  # another right result, from typed arrays
    function: str = ""  # the public name and its constant options
    constant: Options = field(default_factory=dict)

    @property
    def public(self) -> str:
        return self.function or self.name

    def accepted(self) -> list[Format]:
        """The element types it takes."""
        return [f for f in FORMATS.values() if f.letter in self.accepts]

    def rejected(self) -> list[Format]:
        return [f for f in FORMATS.values() if f.letter not in self.accepts]


@dataclass(frozen=True, slots=True)
class Expected:
    """A result: exact values that have yet to be rounded to `format`, and the error allowed in ulp."""

    format: Format
    values: Array
    bound: float | Array = 0.0
    magnitude: Array | None = None
    alternative: Array | None = None
    signed_zero: bool = True

    def at(self, index: Any) -> Expected:
        """The elements at an index, for operands that were indexed the same way."""
        parts = (self.values, self.magnitude, self.alternative)
        values, *rest = (None if a is None else np.asarray(a[index]) for a in parts)
        assert values is not None
        return Expected(self.format, values, self.bound, *rest, self.signed_zero)


def common_type(rule: Rule, names: list[str]) -> Format | None:
    """The promoted type of the operands, None where they have none or it is not accepted."""
    name = reduce(lambda a, b: promote(a, b) if a else None, names[rule.conditional :])
    return FORMATS[name] if name and FORMATS[name].letter in rule.accepts else None


def computed_type(rule: Rule, common: Format) -> Format:
    return FORMATS["float32"] if rule.floating and common.letter in "BI" else common


def result_type(rule: Rule, common: Format) -> Format:
    computed = computed_type(rule, common)
    wide = "64" in computed.name if computed.kind == "F" else computed.name == "complex128"
    if rule.result == "bool":
        return FORMATS["bool"]
    if rule.result == "complex":
        return FORMATS["complex128" if wide else "complex64"]
    if rule.result == "real" and computed.kind == "C":
        return FORMATS["float64" if wide else "float32"]
    return computed


def reference(
    rule: Rule, operands: list[Array], options: Options | None = None, common: Format | None = None
) -> Expected:
    """What the operation gives for typed arrays; their common type may be given where numbers take part."""
    common = common or common_type(rule, [format_of(x).name for x in operands])
    assert common is not None, f"{rule.name} does not take these operands"
    computed, result = computed_type(rule, common), result_type(rule, common)
    values = [convert(exact(x), computed) for x in operands[rule.conditional :]]
    arguments = [*operands[: rule.conditional], *values]
    with np.errstate(all="ignore"):
        found = _apply(rule, computed, arguments, options or {})
        found = convert(found, result) if result.kind in "BUS" else found
        magnitude = rule.magnitude(*values) if rule.magnitude and computed.kind == "C" else None
        alternative = None
        if rule.alternative and result.kind == "F" and result.bits > 16:
            alternative = exact(rule.alternative(*(typed(v, computed) for v in values)))
    bound = rule.bounds.complex if computed.kind == "C" else rule.bounds.of(result)
    return Expected(result, found, bound, magnitude, alternative, rule.signed_zero)


def _apply(rule: Rule, computed: Format, arguments: list[Array], options: Options) -> Array:
    function = rule.by_kind[computed.letter]
    if computed.letter != "I" or rule.conditional:
        return np.asarray(function(*arguments, **options))
    arrays = np.broadcast_arrays(*arguments)
    rows = zip(*(a.ravel() for a in arrays), strict=True)
    results = [function(*row, **options) for row in rows]
    return np.array(results, dtype=object).reshape(arrays[0].shape)


def _each(kinds: str, function: Function) -> dict[str, Function]:
    return dict.fromkeys(kinds, function)


def _truth(a: Any) -> Any:
    return a != 0


def _logical(function: Callable[[Any, Any], Any]) -> dict[str, Function]:
    return _each("BIFC", lambda a, b: function(_truth(a), _truth(b)))


def _always(value: bool) -> Function:
    return lambda a: np.full(np.shape(a), value)


def _comparison(name: str, function: Function) -> Rule:
    return Rule(name, "BIF", 2, _each("BIF", function), "bool")


def _function(name: str, real: Function, bounds: Bounds = FUNCTION) -> Rule:
    by_kind = {"F": real, "C": complexes.by_mpmath(BY_MPMATH[name])}
    return Rule(name, "BIFC", 1, by_kind, floating=True, bounds=bounds)


def _division(rounding: str, of_integers: Function, of_reals: Function) -> Rule:
    return Rule(
        f"divide_{rounding}",
        "IF",
        2,
        {"I": of_integers, "F": of_reals},
        function="divide",
        constant={"rounding": rounding},
    )


def _identity(a: Any) -> Any:
    return a


_ARITHMETIC = [
    Rule("add", "BIFC", 2, {"B": np.logical_or, **_each("IFC", operator.add)}),
    Rule("subtract", "IFC", 2, _each("IFC", operator.sub)),
    Rule("multiply", "BIFC", 2, {"B": np.logical_and, **_each("IFC", operator.mul)}),
    Rule(
        "multiply_add",
        "BIFC",
        3,
        {
            "B": lambda a, b, c: (a & b) | c,
            **_each("IC", lambda a, b, c: a * b + c),
            "F": reals.multiply_add,
        },
        magnitude=lambda a, b, c: complexes.modulus(a * b) + complexes.modulus(c),
        alternative=lambda a, b, c: a * b + c,  # where the hardware has no fused one
    ),
    *(Rule(name, "BIFC", 2, _each("FC", operator.truediv), floating=True) for name in ("divide", "true_divide")),
    _division("trunc", integers.trunc_divide, reals.trunc_divide),
    _division("floor", integers.floor_divide, reals.floor_divide),
    Rule("floor_divide", "IF", 2, {"I": integers.floor_divide, "F": reals.floor_divide}),
    Rule("remainder", "IF", 2, {"I": integers.remainder, "F": reals.remainder}),
    Rule("fmod", "IF", 2, {"I": integers.fmod, "F": np.fmod}),
    Rule("maximum", "BIF", 2, {"B": np.logical_or, "I": max, "F": reals.maximum}),
    Rule("minimum", "BIF", 2, {"B": np.logical_and, "I": min, "F": reals.minimum}),
    Rule("abs", "BIFC", 1, {"B": _identity, **_each("IF", abs), "C": complexes.modulus}, "real"),
    Rule("negative", "IFC", 1, _each("IFC", operator.neg)),
    Rule("positive", "IFC", 1, _each("IFC", _identity)),
    Rule("reciprocal", "IFC", 1, _each("FC", reals.reciprocal), floating=True),
    Rule(
        "sign",
        "BIFC",
        1,
        {"B": _identity, "I": integers.sign, "F": reals.sign, "C": complexes.sign},
    ),
    Rule(
        "clip",
        "BIF",
        3,
        {"B": lambda x, low, high: (x | low) & high, "I": integers.clip, "F": reals.clip},
    ),
]

_COMPARISON = [
    Rule("equal", "BIFC", 2, _each("BIFC", operator.eq), "bool"),
    Rule("not_equal", "BIFC", 2, _each("BIFC", operator.ne), "bool"),
    _comparison("greater", operator.gt),
    _comparison("greater_equal", operator.ge),
    _comparison("less", operator.lt),
    _comparison("less_equal", operator.le),
    Rule(
        "isclose",
        "BIFC",
        2,
        {
            "B": lambda a, b, **options: reals.is_close(1.0 * a, 1.0 * b, **options),
            "I": integers.is_close,
            "F": reals.is_close,
            "C": complexes.is_close,
        },
        "bool",
    ),
    Rule("isfinite", "BIFC", 1, {**_each("BI", _always(True)), **_each("FC", np.isfinite)}, "bool"),
    Rule("isinf", "BIFC", 1, {**_each("BI", _always(False)), **_each("FC", np.isinf)}, "bool"),
    Rule("isnan", "BIFC", 1, {**_each("BI", _always(False)), **_each("FC", np.isnan)}, "bool"),
]

_LOGICAL = [
    Rule("logical_and", "BIFC", 2, _logical(operator.and_), "bool"),
    Rule("logical_or", "BIFC", 2, _logical(operator.or_), "bool"),
    Rule("logical_xor", "BIFC", 2, _logical(operator.xor), "bool"),
    Rule("logical_not", "BIFC", 1, _each("BIFC", lambda a: a == 0), "bool"),
]

_BITWISE = [
    Rule("bitwise_and", "BI", 2, _each("BI", operator.and_)),
    Rule("bitwise_or", "BI", 2, _each("BI", operator.or_)),
    Rule("bitwise_xor", "BI", 2, _each("BI", operator.xor)),
    Rule("bitwise_invert", "BI", 1, {"B": np.logical_not, "I": operator.invert}),
    Rule("bitwise_left_shift", "I", 2, {"I": integers.left_shift}),
    Rule("bitwise_right_shift", "I", 2, {"I": integers.right_shift}),
]

_POWER = [
    Rule(
        "pow",
        "IFC",
        2,
        {"I": integers.power, "F": np.power, "C": complexes.by_mpmath(operator.pow)},
        bounds=FUNCTION,
    ),
    _function("sqrt", np.sqrt, Bounds()),
    _function("rsqrt", reals.rsqrt),
    Rule("square", "BIFC", 1, {"B": _identity, **_each("IFC", lambda a: a * a)}),
]


def _rounding(name: str, function: Function, accepts: str = "BIF") -> Rule:
    by_kind = {**_each("BI", _identity), "F": function, "C": complexes.by_parts(function)}
    return Rule(name, accepts, 1, by_kind)


_ROUNDING = [
    _rounding("floor", np.floor),
    _rounding("ceil", np.ceil),
    _rounding("trunc", np.trunc),
    _rounding("rint", np.rint, "BIFC"),
    Rule(
        "round",
        "BIFC",
        1,
        {
            "B": lambda a, **options: a,
            "I": integers.round_to_decimals,
            "F": reals.round_to_decimals,
            "C": complexes.round_to_decimals,
        },
    ),
]

_FUNCTIONS = [
    _function("sin", np.sin),
    _function("cos", np.cos),
    _function("tan", np.tan),
    _function("asin", np.arcsin),
    _function("acos", np.arccos),
    _function("atan", np.arctan),
    Rule("atan2", "BIF", 2, {"F": np.arctan2}, floating=True, bounds=FUNCTION),
    _function("sinh", np.sinh),
    _function("cosh", np.cosh),
    _function("tanh", np.tanh),
    _function("asinh", np.arcsinh),
    _function("acosh", np.arccosh),
    _function("atanh", np.arctanh),
    _function("exp", np.exp),
    _function("expm1", np.expm1),
    _function("log", np.log),
    _function("log1p", np.log1p),
    _function("log10", np.log10),
    _function("log2", np.log2),
]

_COMPLEX_AND_CHOICE = [
    Rule("complex", "IF", 2, {"F": complexes.join}, "complex", floating=True),
    Rule("conj", "BIFC", 1, {**_each("BIF", _identity), "C": np.conj}),
    Rule("where", "BIFC", 3, _each("BIFC", np.where), conditional=True),
]

RULES: dict[str, Rule] = {
    rule.name: rule
    for group in (
        _ARITHMETIC,
        _COMPARISON,
        _LOGICAL,
        _BITWISE,
        _POWER,
        _ROUNDING,
        _FUNCTIONS,
        _COMPLEX_AND_CHOICE,
    )
    for rule in group
}
