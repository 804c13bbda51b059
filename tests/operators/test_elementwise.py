"""Elementwise operations return the oracle's results for every element type and layout, and refuse other types.

test_operands.py tests scalars, `out` and the Python operators. test_accuracy.py tests the errors of mathematical
functions.
"""

from __future__ import annotations

import re
from itertools import product
from typing import Any

import numpy as np
import pytest

import suanzi
from cases import accepted_operands, arity_at_least, call, few, taken, typed_cases
from layouts import LAYOUTS, check
from oracle.precise import RULES, on_the_cut
from oracle.values import COUNT, SHAPE, operands
from samples import fails
from suanzi.conformance.oracle.element_types import ELEMENT_TYPES, Array, ElementType, convert, exact, typed
from suanzi.conformance.oracle.rules import Rule, common_type, reference
from suanzi.tensor.status import OutOfRangeError, TypeMismatchError

IN_A_BOX = np.arange(COUNT).reshape(SHAPE)
LONG = 20011  # several tiles, of which the last is incomplete


def _same_rows(rule: Rule, index: Array) -> Array:
    return np.broadcast_to(index[:1], index.shape)


@pytest.mark.parametrize(("rule", "f"), typed_cases(RULES.values()))
def test_layouts(rule: Rule, f: ElementType) -> None:
    box, rows = (taken(rule, f, index) for index in (IN_A_BOX, _same_rows(rule, IN_A_BOX)))
    for layout, laid_out in LAYOUTS.items():
        arrays, expected = rows if layout == "broadcast" else box
        check(call(rule, *map(laid_out, arrays)), expected, arrays, f"{rule.name} of {layout} {f.name}")


@pytest.mark.parametrize(("rule", "f"), typed_cases(arity_at_least(2)))
def test_different_layouts(rule: Rule, f: ElementType) -> None:
    arrays, expected = taken(rule, f, IN_A_BOX)
    for names in (("strided", "transposed", "negative"), ("transposed", "contiguous", "strided")):
        views = [LAYOUTS[name](a) for name, a in zip(names, arrays, strict=False)]
        check(call(rule, *views), expected, arrays, f"{rule.name} of {' and '.join(names)} {f.name}")


@pytest.mark.parametrize(("rule", "f"), typed_cases(arity_at_least(2)))
def test_broadcast_operands(rule: Rule, f: ElementType) -> None:
    for shapes in ([(4, 1, 5), (6, 1), (5,)], [(), (3, 7), (3, 1)], [(2, 3), (1, 1, 1), ()]):
        flat = operands(rule, f)
        arrays = [np.resize(a[-60:], s) for a, s in zip(flat, shapes, strict=False)]
        result = call(rule, *map(suanzi.tensor, arrays))
        check(result, reference(rule, arrays), arrays, f"{rule.name} of {f.name}, shapes {shapes}")


@pytest.mark.parametrize(("rule", "f"), typed_cases(r for r in RULES.values() if r.arity > 1))
def test_operands_that_are_one_element_for_a_row(rule: Rule, f: ElementType) -> None:
    """The engine walks rows of this length row by row. Operands have an element for each row, or one for all rows."""
    row, column, one = (2, 300), (2, 1), (1,)
    for shapes in ([row, column, one], [column, row, row], [one, column, row]):
        arrays = [np.resize(a[-60:], s) for a, s in zip(operands(rule, f), shapes, strict=False)]
        result = call(rule, *map(suanzi.tensor, arrays))
        check(result, reference(rule, arrays), arrays, f"{rule.name} of {f.name}, shapes {shapes}")


@pytest.mark.parametrize(("rule", "f"), typed_cases(RULES.values()))
def test_long(rule: Rule, f: ElementType) -> None:
    """Operations on long operands are right, whether the operands are aligned, off by one element, or strided."""
    arrays, expected = taken(rule, f, np.resize(np.arange(COUNT), LONG))
    tensors = [suanzi.tensor(a) for a in arrays]
    check(call(rule, *tensors), expected, arrays, f"{rule.name} of {LONG} {f.name}")
    for part in (slice(1, None), slice(None, None, 3)):
        result = call(rule, *(x[part] for x in tensors))
        check(result, expected.at(part), [a[part] for a in arrays], f"{rule.name} of {part}")


@pytest.mark.parametrize(("rule", "f"), typed_cases(RULES.values()))
def test_every_length(rule: Rule, f: ElementType) -> None:
    """Results are right for all lengths of the remainder after full vectors, and from several first elements."""
    arrays, expected = taken(rule, f, np.arange(COUNT))
    tensors = [suanzi.tensor(a) for a in arrays]
    for n in (*range(1, 20), 31, 33, 63, 65, 67, 127, 129):
        first = COUNT - 130 - n % 5
        part = slice(first, first + n)
        result = call(rule, *(x[part] for x in tensors))
        check(result, expected.at(part), [a[part] for a in arrays], f"{rule.name} of {n} {f.name}")


@pytest.mark.one_level
@pytest.mark.parametrize(("rule", "f"), typed_cases(RULES.values()))
def test_empty(rule: Rule, f: ElementType) -> None:
    for shape in ((0,), (3, 0, 2), (2, 0)):
        index = np.zeros(shape, int)
        arrays, expected = taken(rule, f, index)
        tensors = [suanzi.tensor(a) for a in arrays]
        check(call(rule, *tensors), expected, arrays, f"{rule.name} of empty {f.name}")
    if rule.arity > 1:
        assert call(rule, tensors[0], *(x[:1] for x in tensors[1:])).shape == (2, 0)


@pytest.mark.parametrize(("rule", "f"), typed_cases(RULES.values()))
def test_zero_dimensional(rule: Rule, f: ElementType) -> None:
    for i in (0, 1, 17, 100, 170, 239):
        arrays, expected = taken(rule, f, np.array(i))
        arrays = [np.asarray(a) for a in arrays]
        result = call(rule, *map(suanzi.tensor, arrays))
        check(result, expected, arrays, f"{rule.name} of zero-dimensional {f.name}")


ROUNDINGS = [
    (decimals, mode)
    for decimals in (0, 1, 2, -1, -2, -3, -19, -25)
    for mode in ("half_even", "half_up", "half_away", "half_down", "floor", "ceil", "trunc")
]


@pytest.mark.parametrize("f", RULES["round"].accepted(), ids=lambda f: f.name)
@pytest.mark.parametrize(("decimals", "mode"), ROUNDINGS)
def test_round(f: ElementType, decimals: int, mode: str) -> None:
    if f.kind == "B" and decimals < 0:
        decimals = 0  # bools have no digits to round
    ties = np.array([-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 0.125, -0.375, 15, 25, -35, 150, 250, 3.75])
    numbers = convert(ties.astype(np.longdouble), f) if f.kind in "FC" else np.arange(14, dtype=object) * 5
    x = np.concatenate([typed(convert(numbers, f), f), few(f, 50, "round")])
    options: dict[str, Any] = {"decimals": decimals, "mode": mode}
    expected = reference(RULES["round"], [x], options)
    check(suanzi.round(suanzi.tensor(x), **options), expected, [x], f"round of {f.name}, {options}")


@pytest.mark.parametrize(("name", "whole"), [("float32", 2.0**23), ("float64", 2.0**52)])
def test_round_keeps_integers(name: str, whole: float) -> None:
    """Rounding to a number of decimals does not change integers, even if scaling would round the integers."""
    for size in (whole + 1, 1.5768185748976878e119 if name == "float64" else 1.5768186e12, whole * 2.0**40):
        x = suanzi.tensor([size, -size, np.nextafter(size, np.inf)], dtype=name)
        for decimals, mode in product((1, 2, 17), ("half_even", "floor", "ceil", "half_away")):
            assert suanzi.round(x, decimals, mode).tolist() == x.tolist()


@pytest.mark.parametrize("f", RULES["isclose"].accepted(), ids=lambda f: f.name)
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"rtol": 0.5},
        {"atol": 2.0, "rtol": 0.0},
        {"rtol": 0.0, "atol": 0.0},
        {"equal_nan": True},
    ],
    ids=lambda o: ",".join(f"{k}={v}" for k, v in o.items()) or "default",
)
def test_isclose_tolerances(f: ElementType, options: dict[str, Any]) -> None:
    rule = RULES["isclose"]
    a, b = operands(rule, f)
    near = typed(convert(exact(a) * (1 if f.kind in "BUS" else np.longdouble(1.25)), f), f)
    for other in (b, a, near):
        result = suanzi.isclose(suanzi.tensor(a), suanzi.tensor(other), **options)
        check(
            result,
            reference(rule, [a, other], options),
            [a, other],
            f"isclose of {f.name}, {options}",
        )


@pytest.mark.parametrize("f", RULES["clip"].accepted(), ids=lambda f: f.name)
def test_clip_by_numbers(f: ElementType) -> None:
    """`clip` accepts infinite and NaN bounds, zeros of both signs, and lower bounds that exceed the upper bounds."""
    x, *_ = operands(RULES["clip"], f)
    if f.kind == "B":
        bounds: list[Any] = [False, True]
    elif f.kind == "F":
        bounds = [-0.0, 0.0, 1.5, -2.125, np.inf, -np.inf, np.nan]
    else:
        bounds = [0, 1, 7, int(x.min()), int(x.max())]
    for low in bounds:
        for high in bounds:
            arrays = [x, *(typed(convert(np.full(x.shape, bound), f), f) for bound in (low, high))]
            result = suanzi.clip(suanzi.tensor(x), low, high)
            check(result, reference(RULES["clip"], arrays), arrays, f"clip of {f.name} by {low} and {high}")


def test_clip_by_numbers_of_any_shape_and_refused() -> None:
    a = np.arange(24, dtype=np.float32).reshape(4, 6)
    x = suanzi.tensor(a)
    for view, expected in ((x.T, a.T), (x[::-2, 1::2], a[::-2, 1::2]), (x[2, 3], a[2, 3]), (x[:0], a[:0])):
        np.testing.assert_array_equal(suanzi.clip(view, 3, 14.5).numpy(), np.clip(expected, 3, 14.5))
    assert suanzi.clip(x, 3, 14.5, out=x) is x
    np.testing.assert_array_equal(x.numpy(), np.clip(a, 3, 14.5))
    refused: list[tuple[Any, Any, type[Exception]]] = [
        ("a", "b", TypeMismatchError),
        (1j, 2, TypeMismatchError),
        (-1, 300, OutOfRangeError),
        (2**70, 1, OutOfRangeError),
    ]
    octets = suanzi.tensor(np.arange(5, dtype=np.uint8))
    for low, high, error in refused:
        with fails(error, "clip"):
            suanzi.clip(octets, low, high)


@pytest.mark.parametrize("f", RULES["clip"].accepted(), ids=lambda f: f.name)
def test_clip_on_one_side(f: ElementType) -> None:
    x, low, _ = operands(RULES["clip"], f)
    for bound, name in (("min", "maximum"), ("max", "minimum")):
        result = suanzi.clip(suanzi.tensor(x), **{bound: suanzi.tensor(low)})
        expected = reference(RULES[name], [x, low])
        check(result, expected, [x, low], f"clip of {f.name} with {bound} alone")


@pytest.mark.parametrize("f", ELEMENT_TYPES.values(), ids=lambda f: f.name)
def test_where_takes_any_condition(f: ElementType) -> None:
    """`where` treats every element of the condition except 0 as true, including NaN."""
    condition = operands(RULES["logical_not"], f)[0]
    result = suanzi.where(suanzi.tensor(condition), suanzi.full((240,), 1), 2)
    np.testing.assert_array_equal(result.numpy(), np.where(exact(condition) != 0, 1, 2))


def test_allclose_and_array_equal() -> None:
    x = suanzi.tensor(np.linspace(0, 1, 7))
    near = suanzi.tensor(np.linspace(0, 1, 7) + 1e-9)
    nan = suanzi.tensor(np.array([np.nan, 1.0]))
    assert suanzi.allclose(x, near) is True
    assert suanzi.allclose(x, near, rtol=0, atol=1e-12) is False
    assert suanzi.allclose(nan, nan) is False
    assert suanzi.allclose(nan, nan, equal_nan=True) is True
    assert suanzi.array_equal(x, x) is True
    assert suanzi.array_equal(x, near) is False
    assert suanzi.array_equal(x, x[:3]) is False
    assert suanzi.array_equal(nan, nan) is False
    assert suanzi.allclose(x[:0], near[:0]) is True


@pytest.mark.one_level
@pytest.mark.parametrize(
    ("rule", "f"),
    [pytest.param(r, f, id=f"{r.name}-{f.name}") for r in RULES.values() for f in r.rejected()],
)
def test_type_refused(rule: Rule, f: ElementType) -> None:
    tensors = [suanzi.tensor(a) for a in accepted_operands(rule, f, 5)]
    with pytest.raises(TypeMismatchError, match=re.escape(f.name)):
        call(rule, *tensors)
    with pytest.raises(TypeMismatchError):
        call(rule, *(x[:0] for x in tensors))


@pytest.mark.one_level
@pytest.mark.parametrize("rule", arity_at_least(1), ids=lambda r: r.name)
@pytest.mark.parametrize("stranger", ["text", [1.0], None, {}], ids=lambda o: type(o).__name__)
def test_not_a_tensor_refused(rule: Rule, stranger: object) -> None:
    f = rule.accepted()[-1]
    tensors: list[Any] = [suanzi.tensor(a) for a in accepted_operands(rule, f, 3)]
    for i in range(rule.arity):
        if rule.name == "clip" and stranger is None and i > 0:
            continue  # the call has no bound on that side
        with pytest.raises(TypeMismatchError, match=rule.operator.split("_")[-1]):
            call(rule, *tensors[:i], stranger, *tensors[i + 1 :])


def _mixed(rule: Rule, f: ElementType, other: ElementType) -> list[Array]:
    """Make operands of a rule.

    The condition, if the rule has one, has type bool. The next operand has type `f`, and all later operands have type
    `other`.
    """
    arrays = accepted_operands(rule, f, 6)
    others = accepted_operands(rule, other, 6)
    first = int(rule.conditional)
    return [*arrays[: first + 1], *others[first + 1 :]]


@pytest.mark.parametrize(
    ("rule", "f"),
    [pytest.param(r, f, id=f"{r.name}-{f.name}") for r in arity_at_least(2) for f in ELEMENT_TYPES.values()],
)
def test_mixed_types(rule: Rule, f: ElementType) -> None:
    """Operands are converted to their common type. If no accepted common type exists, the call fails."""
    for other in ELEMENT_TYPES.values():
        arrays = _mixed(rule, f, other)
        tensors = [suanzi.tensor(a) for a in arrays]
        what = f"{rule.name} of {f.name} and {other.name}"
        names = [ELEMENT_TYPES["bool"].name] * rule.conditional
        names += [f.name] + [other.name] * (rule.arity - 1 - rule.conditional)
        if common_type(rule, names) is None:
            status, _ = suanzi.attempt(call, rule, *tensors)
            assert status is suanzi.Status.TYPE_MISMATCH, what
            continue
        check(call(rule, *tensors), reference(rule, arrays), arrays, what)


ON_THE_CUT = ["sqrt", "log", "log10", "asin", "acos", "atan", "asinh", "acosh", "atanh"]


@pytest.mark.parametrize("f", [ELEMENT_TYPES["complex64"], ELEMENT_TYPES["complex128"]], ids=lambda f: f.name)
@pytest.mark.parametrize("name", ON_THE_CUT)
def test_branch_cut(name: str, f: ElementType) -> None:
    """The sign of a zero selects the side of a branch cut (C99, Annex G)."""
    sizes, zeros = (-2.0, -0.5, 0.5, 2.0), (0.0, -0.0)
    points = [complex(a, b) for a in sizes for b in zeros] + [complex(b, a) for a in sizes for b in zeros]
    x = np.array(points).astype(f.numpy)
    expected = on_the_cut(name)(x.astype(np.clongdouble))
    result = getattr(suanzi, name)(suanzi.tensor(x)).numpy()
    np.testing.assert_allclose(result, expected.astype(f.numpy), rtol=4 * np.finfo(f.numpy).eps)
    for part in ("real", "imag"):
        got, wanted = getattr(result, part), getattr(expected, part)
        sure = np.abs(wanted) > 1e-10
        np.testing.assert_array_equal(np.signbit(got)[sure], np.signbit(wanted)[sure], err_msg=part)


COMPLEX_SPECIALS: list[tuple[str, complex, complex]] = [
    ("exp", complex(0, 0), complex(1, 0)),
    ("exp", complex(-np.inf, 1), complex(0, 0)),
    ("sqrt", complex(-0.0, 0), complex(0, 0)),
    ("sqrt", complex(np.inf, -1), complex(np.inf, -0.0)),
    ("log", complex(-0.0, 0), complex(-np.inf, np.pi)),
    ("log", complex(0, 0), complex(-np.inf, 0)),
    ("log", complex(np.inf, np.inf), complex(np.inf, np.pi / 4)),
    ("sinh", complex(0, 0), complex(0, 0)),
    ("cosh", complex(0, 0), complex(1, 0)),
    ("tanh", complex(np.inf, 1), complex(1, 0)),
    ("atanh", complex(1, 0), complex(np.inf, 0)),
    ("acos", complex(0, 0), complex(np.pi / 2, 0)),
    ("abs", complex(-np.inf, np.nan), complex(np.inf, 0)),
    ("sign", complex(0, 0), complex(0, 0)),
]


@pytest.mark.parametrize(("name", "z", "w"), COMPLEX_SPECIALS, ids=[f"{n}({z})" for n, z, _ in COMPLEX_SPECIALS])
def test_complex_specials(name: str, z: complex, w: complex) -> None:
    for dtype in ("complex64", "complex128"):
        result = getattr(suanzi, name)(suanzi.tensor(np.array([z] * 3, dtype))).numpy()
        for got, wanted in ((result.real, w.real), (result.imag, w.imag)):
            np.testing.assert_allclose(got, np.full(3, wanted), rtol=1e-6, atol=0, err_msg=dtype)
