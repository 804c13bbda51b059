"""The table of elementwise operations: the accepted types, the results, and their allowed errors.

The modules `integers`, `reals` and `complexes` compute the values. Complex functions call the C library's long double
functions. Suanzi's tests replace the complex functions by functions of mpmath.
"""

from __future__ import annotations

import operator as op
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from . import complexes, integers, reals
from .compare import CORRECT, Expected
from .element_types import (
    ELEMENT_TYPES,
    Array,
    ElementType,
    complex_of,
    convert,
    exact,
    floating,
    promote,
    real_part,
    type_of,
    typed,
)

Function = Callable[..., Any]
Options = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Bounds:
    """The largest allowed errors of results, in ulp. The bound of float16 and bfloat16 is always CORRECT.

    Unless a rule says otherwise, real results are rounded once, and the parts of complex products and quotients are
    rounded at each step.
    """

    float32: float = CORRECT
    float64: float = CORRECT
    complex64: float = 4.0
    complex128: float = 4.0

    def of(self, computed: ElementType, result: ElementType) -> float:
        if result.kind in "BUS":
            return 0.0
        if result.bits == 16:
            return CORRECT
        name = computed.name if computed.kind == "C" else real_part(result).name
        bound: float = getattr(self, name)
        return bound


FUNCTION = Bounds(CORRECT, 1.0, 1.0, 8.0)
ROOT = Bounds(complex64=1.0)
PARTWISE = Bounds(complex64=0.71, complex128=0.71)  # both parts are rounded: at most 1/√2 ulp
EXACT = Bounds(complex64=0.0, complex128=0.0)


@dataclass(frozen=True, slots=True)
class Rule:
    """The rule for one operation. `by_kind` contains a function for each kind of element type. The function accepts
    exact values, and for integers one value at a time.
    """

    name: str
    accepts: str
    arity: int
    by_kind: Mapping[str, Function]
    result: str = "same"  # one of: same, bool, real, complex
    floating: bool = False  # True if bools and integers are computed in float32
    conditional: bool = False  # True if the first operand is a bool, which is not promoted
    bounds: Bounds = Bounds()
    magnitude: Function | None = None  # the scale of a result's error, if the result itself is not the scale
    measured: str = "C"  # the kinds of type whose errors `magnitude` scales
    alternative: Function | None = None  # another right result, computed from typed arrays
    permitted: Function | None = None  # another right result, computed from exact values
    options: tuple[Options, ...] = ({},)  # the options of the tests
    public: str = ""  # the operator's name, and the options that select this rule
    constant: Options = field(default_factory=dict)
    overflows: bool = False  # True if steps of a usual computation may overflow before a complex result overflows

    @property
    def operator(self) -> str:
        return self.public or self.name

    def accepted(self) -> list[ElementType]:
        """Return the element types that the operation accepts."""
        return [t for t in ELEMENT_TYPES.values() if t.letter in self.accepts]

    def rejected(self) -> list[ElementType]:
        return [t for t in ELEMENT_TYPES.values() if t.letter not in self.accepts]

    def operand_types(self, t: ElementType) -> list[ElementType]:
        """Return the operands' types for the common type `t`."""
        return [ELEMENT_TYPES["bool"] if self.conditional and i == 0 else t for i in range(self.arity)]


def common_type(rule: Rule, names: list[str]) -> ElementType | None:
    """Return the promoted type of the operands, or None if the operation does not accept the promoted type."""
    name: str | None
    name, *others = names[rule.conditional :]
    for other in others:
        name = name and promote(name, other)
    return ELEMENT_TYPES[name] if name and ELEMENT_TYPES[name].letter in rule.accepts else None


def computed_type(rule: Rule, common: ElementType) -> ElementType:
    return floating(common) if rule.floating else common


def result_type(rule: Rule, common: ElementType) -> ElementType:
    computed = computed_type(rule, common)
    if rule.result == "bool":
        return ELEMENT_TYPES["bool"]
    if rule.result == "complex":
        return complex_of(computed)
    return real_part(computed) if rule.result == "real" else computed


def reference(
    rule: Rule, operands: list[Array], options: Options | None = None, common: ElementType | None = None
) -> Expected:
    """Return the expected result for typed arrays. The caller may pass the common type if Python numbers are among the
    operands.
    """
    common = common or common_type(rule, [type_of(x).name for x in operands])
    assert common is not None, f"{rule.name} does not accept these operands"
    computed, result = computed_type(rule, common), result_type(rule, common)
    values = [_exact_as(computed, x) for x in operands[rule.conditional :]]
    arguments = [*operands[: rule.conditional], *values]
    with np.errstate(all="ignore"):
        found = _apply(rule, computed, arguments, options or {})
        found = convert(found, result) if result.kind in "BUS" else found
        magnitude = rule.magnitude(*values) if rule.magnitude and computed.kind in rule.measured else None
        alternative = None
        if rule.alternative and result.kind == "F" and result.bits > 16:
            alternative = exact(rule.alternative(*(typed(v, computed) for v in values)))
        if rule.permitted and result.kind == "F":
            alternative = rule.permitted(*values)
    bound = rule.bounds.of(computed, result)
    return Expected(result, found, bound, magnitude, alternative, overflows=rule.overflows)


def _exact_as(t: ElementType, x: Array) -> Array:
    return exact(x) if type_of(x) is t else convert(exact(x), t)


def _apply(rule: Rule, computed: ElementType, arguments: list[Array], options: Options) -> Array:
    function = rule.by_kind[computed.letter]
    if computed.letter != "I" or rule.conditional:
        return np.asarray(function(*arguments, **options))
    one_by_one = np.frompyfunc(lambda *x: function(*x, **options), rule.arity, 1)
    return np.asarray(one_by_one(*arguments), object)


def _each(kinds: str, function: Function) -> dict[str, Function]:
    return dict.fromkeys(kinds, function)


def _logical(name: str, function: Function) -> Rule:
    return Rule(name, "BIFC", 2, _each("BIFC", lambda a, b: function(a != 0, b != 0)), "bool")


def _always(value: bool) -> Function:
    return lambda a: np.full(np.shape(a), value)


def _comparison(name: str, function: Function, accepts: str = "BIF") -> Rule:
    return Rule(name, accepts, 2, _each(accepts, function), "bool")


# Functions of complex numbers that usual formulas compute with exp(x), which overflows before some results overflow.
_OVERFLOWING = ("sin", "cos", "sinh", "cosh", "exp", "expm1")


def _class(name: str, function: Function, of_integers: bool) -> Rule:
    return Rule(name, "BIFC", 1, {**_each("BI", _always(of_integers)), **_each("FC", function)}, "bool")


def _function(name: str, real: Function, of_complex: Function | None = None) -> Rule:
    by_kind = {"F": real, "C": of_complex or real}
    return Rule(name, "BIFC", 1, by_kind, floating=True, bounds=FUNCTION, overflows=name in _OVERFLOWING)


def _division(rounding: str, of_integers: Function, of_reals: Function, permitted: Function | None = None) -> Rule:
    by_kind = {"I": of_integers, "F": of_reals}
    constant = {"rounding": rounding}
    return Rule(f"divide_{rounding}", "IF", 2, by_kind, public="divide", constant=constant, permitted=permitted)


def _rounding(name: str, function: Function, accepts: str = "BIF") -> Rule:
    by_kind = {**_each("BI", _identity), "F": function, "C": complexes.by_parts(function)}
    return Rule(name, accepts, 1, by_kind, bounds=EXACT)


def _decimals(name: str, bounds: Bounds, constant: Options | None = None, **more: Any) -> Rule:
    """Return a rule of rounding to decimals. The rule allows two more roundings, because libraries may scale by a power
    of ten and back.
    """
    real = partial(reals.round_to_decimals, **(constant or {}))
    by_kind: dict[str, Function] = {
        "B": _identity,
        "I": partial(integers.round_to_decimals, **(constant or {})),
        "F": real,
        "C": complexes.by_parts(real),
    }
    return Rule(name, "BIFC", 1, by_kind, bounds=bounds, constant=constant or {}, **more)


def _identity(a: Any, **_: Any) -> Any:
    return a


_ARITHMETIC = [
    Rule("add", "BIFC", 2, {"B": np.logical_or, **_each("IFC", op.add)}, bounds=PARTWISE),
    Rule("subtract", "IFC", 2, _each("IFC", op.sub), bounds=PARTWISE),
    Rule("multiply", "BIFC", 2, {"B": np.logical_and, **_each("IFC", op.mul)}, overflows=True),
    Rule(
        "multiply_add",
        "BIFC",
        3,
        {
            "B": lambda a, b, c: (a & b) | c,
            **_each("IC", lambda a, b, c: a * b + c),
            "F": reals.multiply_add,
        },
        magnitude=complexes.multiply_add_size,
        alternative=lambda a, b, c: a * b + c,  # the result on hardware without a fused operation
        overflows=True,
    ),
    *(
        Rule(name, "BIFC", 2, _each("FC", op.truediv), floating=True, overflows=True)
        for name in ("divide", "true_divide")
    ),
    _division("trunc", integers.trunc_divide, reals.trunc_divide),
    # With infinities the array API prescribes floor(a / b) and allows Python's quotient.
    _division("floor", integers.floor_divide, reals.floor_divide, np.floor_divide),
    Rule("floor_divide", "IF", 2, {"I": integers.floor_divide, "F": reals.floor_divide}, permitted=np.floor_divide),
    Rule("remainder", "IF", 2, {"I": integers.remainder, "F": np.remainder}),
    Rule("fmod", "IF", 2, {"I": integers.fmod, "F": np.fmod}),
    Rule("maximum", "BIF", 2, {"B": np.logical_or, "I": max, "F": reals.maximum}),
    Rule("minimum", "BIF", 2, {"B": np.logical_and, "I": min, "F": reals.minimum}),
    Rule("abs", "BIFC", 1, {"B": _identity, **_each("IF", abs), "C": complexes.modulus}, "real"),
    Rule("negative", "IFC", 1, _each("IFC", op.neg), bounds=EXACT),
    Rule("positive", "IFC", 1, _each("IFC", _identity), bounds=EXACT),
    Rule("reciprocal", "IFC", 1, _each("FC", reals.reciprocal), floating=True, bounds=ROOT, overflows=True),
    Rule(
        "sign",
        "BIFC",
        1,
        {"B": _identity, "I": integers.sign, "F": reals.sign, "C": complexes.sign},
        permitted=lambda a: np.where(a == 0, a, reals.sign(a)),  # a zero may keep its sign
    ),
    Rule("copysign", "IF", 2, {"F": np.copysign}, floating=True, bounds=EXACT),
    Rule("signbit", "IF", 1, {"F": np.signbit}, "bool", floating=True),
    Rule("clip", "BIF", 3, {"B": lambda x, low, high: (x | low) & high, "I": integers.clip, "F": reals.clip}),
]

_COMPARISON = [
    _comparison("equal", op.eq, "BIFC"),
    _comparison("not_equal", op.ne, "BIFC"),
    _comparison("greater", op.gt),
    _comparison("greater_equal", op.ge),
    _comparison("less", op.lt),
    _comparison("less_equal", op.le),
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
        options=({}, {"rtol": 0.25, "atol": 1.0}, {"equal_nan": True}),
    ),
    _class("isfinite", np.isfinite, True),
    _class("isinf", np.isinf, False),
    _class("isnan", np.isnan, False),
]

_LOGICAL = [
    _logical("logical_and", op.and_),
    _logical("logical_or", op.or_),
    _logical("logical_xor", op.xor),
    Rule("logical_not", "BIFC", 1, _each("BIFC", lambda a: a == 0), "bool"),
]

_BITWISE = [
    Rule("bitwise_and", "BI", 2, _each("BI", op.and_)),
    Rule("bitwise_or", "BI", 2, _each("BI", op.or_)),
    Rule("bitwise_xor", "BI", 2, _each("BI", op.xor)),
    Rule("bitwise_invert", "BI", 1, {"B": np.logical_not, "I": op.invert}),
    Rule("bitwise_left_shift", "I", 2, {"I": integers.left_shift}),
    Rule("bitwise_right_shift", "I", 2, {"I": integers.right_shift}),
]

_ROUNDING = [
    _rounding("floor", np.floor),
    _rounding("ceil", np.ceil),
    _rounding("trunc", np.trunc),
    _rounding("rint", np.rint, "BIFC"),
    _decimals("round", PARTWISE, options=({}, *({"mode": mode} for mode in integers.ROUNDINGS))),
    _decimals("round_to_hundredths", Bounds(1.0, 1.0), public="round", constant={"decimals": 2}),
]

_FUNCTIONS = [
    Rule("pow", "IFC", 2, {"I": integers.power, **_each("FC", np.power)}, bounds=FUNCTION, overflows=True),
    Rule("sqrt", "BIFC", 1, _each("FC", np.sqrt), floating=True, bounds=ROOT),
    _function("rsqrt", reals.rsqrt),
    Rule("square", "BIFC", 1, {"B": _identity, **_each("IFC", lambda a: a * a)}, overflows=True),
    Rule("atan2", "BIF", 2, {"F": np.arctan2}, floating=True, bounds=FUNCTION),
    Rule("hypot", "IF", 2, {"F": np.hypot}, floating=True, bounds=Bounds(1.0, 1.0)),
    Rule(
        "logaddexp",
        "IF",
        2,
        {"F": np.logaddexp},
        floating=True,
        bounds=Bounds(2.0, 2.0),
        magnitude=reals.logaddexp_size,
        measured="F",
    ),
    *(
        _function(f"{ours}{name}{of}", getattr(np, f"{theirs}{name}{of}"))
        for ours, theirs in (("", ""), ("a", "arc"))
        for name in ("sin", "cos", "tan")
        for of in ("", "h")  # functions of the circle and of the hyperbola
    ),
    *(_function(name, getattr(np, name)) for name in ("exp", "log", "log10", "log2")),
    _function("expm1", np.expm1, complexes.expm1),
    _function("log1p", np.log1p, complexes.log1p),
]

_PARTS_AND_CHOICE = [
    Rule("complex", "IF", 2, {"F": complexes.join}, "complex", floating=True, bounds=EXACT),
    Rule("conj", "BIFC", 1, {**_each("BIF", _identity), "C": np.conj}, bounds=EXACT),
    Rule("real", "BIFC", 1, {**_each("BIF", _identity), "C": np.real}, "real", bounds=EXACT),
    Rule("imag", "BIFC", 1, {"B": np.zeros_like, "I": lambda a: 0, **_each("FC", np.imag)}, "real", bounds=EXACT),
    Rule("where", "BIFC", 3, _each("BIFC", np.where), conditional=True, bounds=EXACT),
]

RULES: dict[str, Rule] = {
    rule.name: rule
    for group in (_ARITHMETIC, _COMPARISON, _LOGICAL, _BITWISE, _ROUNDING, _FUNCTIONS, _PARTS_AND_CHOICE)
    for rule in group
}


def rules(operator: str) -> tuple[Rule, ...]:
    """Return the rules of an operator, one for each meaning that its options select."""
    return tuple(rule for rule in RULES.values() if rule.operator == operator)
