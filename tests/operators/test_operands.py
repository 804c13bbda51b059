"""Tests of elementwise operations with Python scalars, with `out`, and as operators of Tensor, in place or not."""

from __future__ import annotations

import operator
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest

import suanzi
from cases import accepted_operands, arity_at_least, call, flat_case, typed_cases, unchanged
from layouts import bits, check
from oracle.precise import RULES
from oracle.values import generator
from suanzi import Tensor
from suanzi.conformance.inputs import moderate, random, specials
from suanzi.conformance.oracle.compare import Expected
from suanzi.conformance.oracle.element_types import (
    ELEMENT_TYPES,
    Array,
    ElementType,
    convert,
    exact,
    promote_number,
    typed,
)
from suanzi.conformance.oracle.rules import Rule, reference, result_type
from suanzi.tensor.status import (
    DimensionsMismatchError,
    InvalidArgumentError,
    OutOfRangeError,
    TypeMismatchError,
)

NUMBERS = {"bool": True, "int": 3, "float": 2.5, "complex": 1.5 - 2j}
# clip and where accept numbers only for the last operands. The condition of where is a tensor.
TWO_SIDED = [r for r in RULES.values() if r.arity == 2]


def _number_case(rule: Rule, f: ElementType, number: Any, at: int) -> tuple[list[Any], Expected | None]:
    """Return operands, of which `number` is operand `at`, and the result, or None if the rule refuses the operands'
    type.
    """
    arrays: list[Any] = accepted_operands(rule, f, 9)
    common = ELEMENT_TYPES[promote_number(f.name, number)]
    arrays[at] = number
    if common.letter not in rule.accepts:
        return arrays, None
    kind = complex if isinstance(number, complex) else np.longdouble
    full = typed(convert(np.full(9, number, np.clongdouble if kind is complex else kind), common), common)
    cast = [typed(convert(exact(a), common), common) if a is not number else full for a in arrays]
    if rule.conditional:
        cast[0] = arrays[0]
    return arrays, reference(rule, cast, common=common)


@pytest.mark.parametrize("f", [f for f in ELEMENT_TYPES.values() if f.letter in "IFC"], ids=lambda f: f.name)
@pytest.mark.parametrize("exponent", [1, 2, 3, -1, 1.0, 2.0, 3.0, -1.0, 0.5])
def test_powers_that_are_other_operations(exponent: float, f: ElementType) -> None:
    """Powers that another operation computes, such as squares, equal the powers that a tensor of exponents defines."""
    if exponent < 0 and f.name.startswith("uint") and isinstance(exponent, int):
        with pytest.raises(OutOfRangeError, match="pow: -1 does not fit"):
            _ = suanzi.ones(3, dtype=f.name) ** exponent
        return
    rng = generator("powers", f.name)
    a = moderate(f, 70, rng) if f.letter == "C" else np.concatenate([specials(f), random(f, 60, rng)])
    common = ELEMENT_TYPES[promote_number(f.name, exponent)]
    exponents = typed(convert(np.full(len(a), exponent, np.longdouble), common), common)
    expected = reference(RULES["pow"], [typed(convert(exact(a), common), common), exponents], common=common)
    x = suanzi.tensor(a)
    small = x**exponent
    check(small, expected, [a], f"{f.name} ** {exponent}")
    many = suanzi.pow(suanzi.tensor(np.resize(a, 9001)), exponent)
    assert bits(many[: len(a)]) == bits(small)
    if common is f:
        x **= exponent
        assert bits(x) == bits(small)


def _as_tensors(operands: list[Any]) -> list[Any]:
    return [suanzi.tensor(a) if isinstance(a, np.ndarray) else a for a in operands]


@pytest.mark.parametrize(("rule", "f"), typed_cases(arity_at_least(2)))
def test_number_for_an_operand(rule: Rule, f: ElementType) -> None:
    for number, at in product(NUMBERS.values(), range(int(rule.conditional), rule.arity)):
        operands, expected = _number_case(rule, f, number, at)
        what = f"{rule.name} of {f.name} with {number} at {at}"
        if expected is None:
            status, _ = suanzi.attempt(call, rule, *_as_tensors(operands))
            assert status is suanzi.Status.TYPE_MISMATCH, what
        else:
            shown = [np.asarray(a) for a in operands]
            check(call(rule, *_as_tensors(operands)), expected, shown, what)


@pytest.mark.parametrize("rule", TWO_SIDED, ids=lambda r: r.name)
def test_numbers_alone_refused(rule: Rule) -> None:
    with pytest.raises(TypeMismatchError):
        call(rule, 1, 2)


@pytest.mark.parametrize("f", [f for f in ELEMENT_TYPES.values() if f.kind in "US"], ids=lambda f: f.name)
def test_number_out_of_range(f: ElementType) -> None:
    low = 0 if f.kind == "U" else -(2 ** (f.bits - 1))
    high = 2**f.bits - 1 + low
    x = suanzi.tensor(np.array([1, 2], f.numpy))
    for number in (low - 1, high + 1, 2**64, -(2**63) - 1, 10**40):
        with pytest.raises(OutOfRangeError, match="add"):
            suanzi.add(x, number)
        with pytest.raises(OutOfRangeError):
            _ = number * x
    assert suanzi.maximum(x, high).numpy().tolist() == [high, high]
    assert suanzi.minimum(low, x).numpy().tolist() == [low, low]


@pytest.mark.parametrize("f", [f for f in ELEMENT_TYPES.values() if f.kind in "FC"], ids=lambda f: f.name)
def test_large_integers_become_floating(f: ElementType) -> None:
    x = suanzi.tensor(np.zeros(2, f.numpy))
    for number in (2**63, -(2**63) - 2**40, 2**64 - 1, 2**70, 16777217):
        expected = convert(np.array([number, number], dtype=object), f)
        np.testing.assert_array_equal(exact(suanzi.add(x, number).numpy()), expected)


@pytest.mark.parametrize("number", [np.float32(2), np.float64(2), np.int8(2), np.uint64(2), np.complex64(2), np.True_])
def test_numpy_scalars_are_numbers(number: Any) -> None:
    """NumPy's scalars on either side of a tensor are operands like Python's numbers, and do not widen the type."""
    x = suanzi.tensor(np.array([1.5, 2.5], np.float16))
    plain = number.item()
    for found, expected in ((x * number, x * plain), (number * x, plain * x), (suanzi.add(x, number), x + plain)):
        assert isinstance(found, Tensor)
        assert (found.dtype, found.tolist()) == (expected.dtype, expected.tolist())


def test_functions_refuse_numpy_arrays() -> None:
    """Suanzi's functions refuse NumPy arrays. Python's operators accept arrays (interop/test_numpy_protocols.py)."""
    x, a = suanzi.ones(2), np.ones(2)
    for mixed in (lambda: suanzi.add(x, a), lambda: suanzi.less(a, x), lambda: suanzi.exp(a)):
        with pytest.raises(TypeMismatchError, match=r"ndarray is neither .*; use suanzi\.from_reference\(array\)"):
            mixed()
    with pytest.raises(
        TypeMismatchError, match=r"^mean: .*ndarray is not a tensor; use suanzi\.from_reference\(array\)"
    ):
        suanzi.mean(a)


# --- out ---

WITH_OUT = [r for r in RULES.values() if r.name not in ("real", "imag")]  # real and imag return views


def _fresh(expected: Expected, shape: tuple[int, ...]) -> Tensor:
    return suanzi.zeros(shape, dtype=getattr(suanzi, expected.element_type.name))


@pytest.mark.parametrize(("rule", "f"), typed_cases(WITH_OUT))
def test_out(rule: Rule, f: ElementType) -> None:
    """The call writes its result to `out`, a new tensor or a view. No byte around the view changes."""
    arrays, expected = flat_case(rule.name, f.name)
    tensors = [suanzi.tensor(a) for a in arrays]
    n = arrays[0].size
    out = _fresh(expected, (n,))
    assert call(rule, *tensors, out=out) is out
    check(out, expected, arrays, f"{rule.name} of {f.name} into out")

    around = _fresh(expected, (2 * n + 1,))
    view = around[2 * n - 1 :: -2]
    assert call(rule, *tensors, out=view) is view
    check(view, expected, arrays, f"{rule.name} of {f.name} into a view")
    assert not any(bits(around[::2])), f"{rule.name} wrote between the elements of out"


@pytest.mark.parametrize(("rule", "f"), typed_cases(WITH_OUT))
def test_out_is_an_operand(rule: Rule, f: ElementType) -> None:
    """The parameter `out` may be any operand that has the result's type."""
    arrays, expected = flat_case(rule.name, f.name)
    for i, a in enumerate(arrays):
        if a.dtype == expected.element_type.numpy:
            tensors = [suanzi.tensor(x) for x in arrays]
            call(rule, *tensors, out=tensors[i])
            check(tensors[i], expected, arrays, f"{rule.name} of {f.name} into operand {i}")


SHIFTS: dict[str, tuple[slice, slice]] = {
    "forwards": (slice(0, 239), slice(1, 240)),
    "backwards": (slice(1, 240), slice(0, 239)),
    "reversed": (slice(None), slice(None, None, -1)),
    "half reversed": (slice(0, 160), slice(239, 79, -1)),
}


@pytest.mark.parametrize(("rule", "f"), typed_cases(WITH_OUT))
def test_out_overlaps_an_operand(rule: Rule, f: ElementType) -> None:
    """A call whose `out` overlaps an operand has the result of a call that first reads all operands."""
    flat, whole = flat_case(rule.name, f.name)
    for shift, (read, written) in SHIFTS.items():
        arrays, expected = [a[read] for a in flat], whole.at(read)
        for i, a in enumerate(flat):
            if a.dtype == expected.element_type.numpy:
                memory = suanzi.tensor(a)
                tensors = [memory[read] if j == i else suanzi.tensor(x) for j, x in enumerate(arrays)]
                out = memory[written]
                call(rule, *tensors, out=out)
                check(out, expected, arrays, f"{rule.name} of {f.name} into operand {i} {shift}")


@pytest.mark.parametrize("rule", WITH_OUT, ids=lambda r: r.name)
def test_unfit_out_changes_nothing(rule: Rule) -> None:
    f = rule.accepted()[-1]
    arrays = [a.reshape(2, 3) for a in accepted_operands(rule, f, 6)]
    tensors = [suanzi.tensor(a) for a in arrays]
    name = result_type(rule, f).name
    floats = name.startswith(("float", "bfloat", "complex"))
    dtype = getattr(suanzi, name)
    unfit: list[tuple[Any, type[Exception]]] = [
        (suanzi.full((3, 2), 1, dtype=dtype), DimensionsMismatchError),
        (suanzi.full((6,), 1, dtype=dtype), DimensionsMismatchError),
        (suanzi.full((1, 2, 3), 1, dtype=dtype), DimensionsMismatchError),
        (np.ones((2, 3)), TypeMismatchError),
        ("text", TypeMismatchError),
    ]
    if floats:
        unfit.append((suanzi.full((2, 3), 1, dtype=suanzi.int32), TypeMismatchError))
    for out, error in unfit:
        targets = [*tensors, out] if isinstance(out, Tensor) else tensors
        before = [bits(x) for x in targets]
        with pytest.raises(error, match=rule.operator.split("_")[-1]):
            call(rule, *tensors, out=out)
        assert unchanged(before, targets), rule.name


def test_expanded_out_refused() -> None:
    """The elements of an expanded `out` share memory, so an expanded `out` cannot hold a result."""
    from suanzi import _core

    x = suanzi.zeros((4, 3))
    out = _core.expand(suanzi.zeros((1, 3)), (4, 3))
    with pytest.raises(InvalidArgumentError, match="add"):
        suanzi.add(x, 1, out=out)


def test_wider_out() -> None:
    """An `out` of a wider type of the same kind, or of a higher kind, receives the converted result."""
    x = suanzi.tensor(np.array([1.5, -2.25], np.float32))
    out = suanzi.zeros((2,), dtype=suanzi.float64)
    assert suanzi.multiply(x, x, out=out).numpy().tolist() == [2.25, 5.0625]
    out = suanzi.zeros((2,), dtype=suanzi.complex128)
    assert suanzi.add(x, 1, out=out).numpy().tolist() == [2.5, -1.25]


# --- the operators of Tensor ---

UNARY = {
    "negative": operator.neg,
    "positive": operator.pos,
    "abs": operator.abs,
    "bitwise_invert": operator.invert,
}
BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "true_divide": operator.truediv,
    "floor_divide": operator.floordiv,
    "remainder": operator.mod,
    "pow": operator.pow,
    "bitwise_and": operator.and_,
    "bitwise_or": operator.or_,
    "bitwise_xor": operator.xor,
    "bitwise_left_shift": operator.lshift,
    "bitwise_right_shift": operator.rshift,
}
COMPARISON: dict[str, Callable[[Any, Any], Any]] = {
    "equal": operator.eq,
    "not_equal": operator.ne,
    "greater": operator.gt,
    "greater_equal": operator.ge,
    "less": operator.lt,
    "less_equal": operator.le,
}
IN_PLACE: dict[str, Callable[[Any, Any], Any]] = {
    "add": operator.iadd,
    "subtract": operator.isub,
    "multiply": operator.imul,
    "true_divide": operator.itruediv,
    "floor_divide": operator.ifloordiv,
    "remainder": operator.imod,
    "pow": operator.ipow,
    "bitwise_and": operator.iand,
    "bitwise_or": operator.ior,
    "bitwise_xor": operator.ixor,
    "bitwise_left_shift": operator.ilshift,
    "bitwise_right_shift": operator.irshift,
}


def _cases(table: dict[str, Any]) -> list[Any]:
    return typed_cases(RULES[name] for name in table)


def _number_of(f: ElementType) -> Any:
    return NUMBERS[{"B": "bool", "U": "int", "S": "int", "F": "float", "C": "complex"}[f.kind]]


@pytest.mark.parametrize(("rule", "f"), _cases(UNARY))
def test_unary_operator(rule: Rule, f: ElementType) -> None:
    arrays, expected = flat_case(rule.name, f.name)
    check(UNARY[rule.name](suanzi.tensor(arrays[0])), expected, arrays, f"{rule.name} of {f.name}")


@pytest.mark.parametrize(("rule", "f"), _cases(BINARY | COMPARISON))
def test_binary_operator(rule: Rule, f: ElementType) -> None:
    apply = (BINARY | COMPARISON)[rule.name]
    arrays, expected = flat_case(rule.name, f.name)
    x, y = map(suanzi.tensor, arrays)
    check(apply(x, y), expected, arrays, f"operator {rule.name} of {f.name}")
    number = _number_of(f)
    assert bits(apply(x, number)) == bits(call(rule, x, number))
    assert bits(apply(number, x)) == bits(call(rule, number, x))


@pytest.mark.parametrize(("rule", "f"), _cases(IN_PLACE))
def test_in_place_operator(rule: Rule, f: ElementType) -> None:
    arrays, expected = flat_case(rule.name, f.name)
    for left, right in ((arrays[0], arrays[1]), (arrays[0][::-1], arrays[1][::-1])):
        x, y = suanzi.tensor(left), suanzi.tensor(right)
        before = bits(x)
        if expected.element_type is not f:
            with pytest.raises(TypeMismatchError):
                IN_PLACE[rule.name](x, y)
            assert bits(x) == before
            continue
        kept = x
        assert IN_PLACE[rule.name](x, y) is kept
        wanted = expected if left is arrays[0] else expected.at(slice(None, None, -1))
        check(kept, wanted, [left, right], f"in place {rule.name} of {f.name}")
        number = _number_of(f)
        x, y = suanzi.tensor(left), suanzi.tensor(left)
        IN_PLACE[rule.name](x, number)
        assert bits(x) == bits(call(rule, y, number))


def test_in_place_keeps_type_and_shape() -> None:
    x = suanzi.tensor(np.ones((2, 3), np.float32))
    view = x[0]
    x += suanzi.tensor(np.arange(3, dtype=np.float32))
    assert view.numpy().tolist() == [1, 2, 3]
    x *= suanzi.tensor(np.full(3, 2.0))  # float64 is of the same kind as float32, so the result is converted
    assert x.dtype is suanzi.float32
    assert x.numpy().tolist() == [[2, 4, 6]] * 2
    before = bits(x)
    with pytest.raises(DimensionsMismatchError, match="add"):
        x += suanzi.tensor(np.ones((4, 2, 3), np.float32))
    with pytest.raises(TypeMismatchError, match="multiply"):
        x *= 1j
    whole = suanzi.tensor(np.arange(3))
    with pytest.raises(TypeMismatchError):
        whole += 0.5
    assert whole.numpy().tolist() == [0, 1, 2]
    assert bits(x) == before


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "int32"])
def test_matrices_in_place(dtype: str) -> None:
    """The product replaces the elements of the left operand, also if the right operand shares memory with the left
    operand.
    """
    a = np.arange(18).reshape(2, 3, 3).astype(dtype)
    for right in (a[0].T, a, a[0, 0]):
        x = suanzi.tensor(a)
        y = suanzi.tensor(right)
        alias, expected = x[1], a @ right
        if expected.shape != a.shape:
            with pytest.raises(suanzi.DimensionsMismatchError, match="matmul"):
                x @= y
            continue
        before = x
        x @= y
        assert x is before
        np.testing.assert_array_equal(x.numpy(), expected)
        np.testing.assert_array_equal(alias.numpy(), expected[1])
    x = suanzi.tensor(a)
    x @= x.mT
    np.testing.assert_array_equal(x.numpy(), a @ a.transpose(0, 2, 1))


def test_in_place_overlapping_views() -> None:
    for step in (1, 7):
        values: Array = np.arange(5000, dtype=np.int64)
        x = suanzi.tensor(values)
        tail = x[step:]
        tail += x[:-step]
        assert (tail.numpy() == values[step:] + values[:-step]).all()


def _assigned(x: Tensor, number: complex) -> Tensor:
    x[0] = number
    return x


CREATES: dict[str, Callable[[Tensor, Any], Tensor]] = {
    "full": lambda x, number: suanzi.full(2, number, dtype=x.dtype),
    "full_like": suanzi.full_like,
    "tensor": lambda x, number: suanzi.tensor([number], dtype=x.dtype),
    "tensor of another type": lambda x, number: suanzi.tensor(np.array([float(number)]), dtype=x.dtype),
}
HOLDS_A_NUMBER: dict[str, Callable[[Tensor, Any], Tensor]] = {
    "add": suanzi.add,
    "where": lambda x, number: suanzi.where(x > 0, number, x),
    "clip": lambda x, number: suanzi.clip(x, number, number),
    "masked_fill": lambda x, number: suanzi.masked_fill(x, x > 0, number),
    "pad": lambda x, number: suanzi.pad(x, 1, value=number),
    "assignment": _assigned,
}


LARGE: list[tuple[str, Any]] = [("float16", 65520), ("bfloat16", 1e39), ("float32", 1e300), ("float32", 2**200)]


@pytest.mark.parametrize("name", CREATES)
def test_no_tensor_is_created_of_numbers_past_the_range(name: str) -> None:
    for dtype, large in (*LARGE, ("int8", 300)):
        with pytest.raises(OutOfRangeError):
            CREATES[name](suanzi.ones(1, dtype=dtype), large)


@pytest.mark.parametrize("name", HOLDS_A_NUMBER)
def test_numbers_past_the_range(name: str) -> None:
    """A floating tensor's type rounds any number, perhaps to infinity. An integer type must hold the number exactly."""
    hold = HOLDS_A_NUMBER[name]
    for dtype, large in LARGE:
        assert float(hold(suanzi.ones(1, dtype=dtype), large)[0].item()) == np.inf
    with pytest.raises(OutOfRangeError):
        hold(suanzi.ones(1, dtype="int8"), 300)


def test_bytes_of_bool_that_are_neither_0_nor_1() -> None:
    """Every kernel treats all bytes but 0 as true. A mask selects as many elements as `count_nonzero` returns."""
    for count in (5, 1000, 100_000):
        given = np.random.default_rng(count).integers(0, 256, count, np.uint8)
        given[::3] = 0
        x, truth = suanzi.from_reference(bytearray(given.tobytes()), dtype="bool"), given != 0
        values = np.arange(count)
        assert suanzi.count_nonzero(x).item() == truth.sum()
        assert np.array_equal(suanzi.nonzero(x)[0].numpy(), values[truth])
        assert np.array_equal(suanzi.masked_select(suanzi.tensor(values), x).numpy(), values[truth])
        assert np.array_equal(suanzi.tensor(values)[x].numpy(), values[truth])
        assert np.array_equal(suanzi.where(x, suanzi.tensor(values), -1).numpy(), np.where(truth, values, -1))
        assert np.array_equal(suanzi.masked_fill(suanzi.tensor(values), x, -1).numpy(), np.where(truth, -1, values))
        assert np.array_equal(suanzi.logical_not(x).numpy(), ~truth)
        assert np.array_equal(suanzi.logical_and(x, x[::-1]).numpy(), truth & truth[::-1])


def test_membership() -> None:
    x = suanzi.tensor([[1, 2, 3], [4, 5, np.nan]])
    for present in (3, 2.0, np.float32(5), suanzi.tensor([[9], [4]])):
        assert present in x
    for absent in (6, np.nan, None, object()):
        assert absent not in x
    with pytest.raises(TypeMismatchError, match="contains: list"):
        _ = [1, 2, 3] in x
    assert 1 not in suanzi.zeros((0,))
    assert "fig" in suanzi.tensor(["pear", "fig"])
    assert 1j in suanzi.tensor(1j)


def test_round() -> None:
    """Python's `round` accepts tensors of one element and of several elements, with and without digits."""
    x, array = suanzi.tensor([1.25, -2.5, 3.756]), np.array([1.25, -2.5, 3.756], np.float32)
    for digits in (None, 0, 1, 2, -1):
        expected = np.round(array, digits or 0)
        assert round(x, digits).tolist() == expected.tolist()
        assert round(x[2], digits).item() == expected[2]
    assert round(x).dtype is suanzi.float32


def test_divmod() -> None:
    array = np.int32([7, -7, 8])
    x = suanzi.tensor(array)
    for found, expected in (
        (divmod(x, 3), divmod(array, 3)),
        (divmod(-9, x), divmod(-9, array)),
        (divmod(x, -x), divmod(array, -array)),
    ):
        for ours, theirs in zip(found, expected, strict=True):
            assert ours.dtype is suanzi.int32
            assert ours.tolist() == theirs.tolist()


@pytest.mark.parametrize("apply", [*BINARY.values(), divmod, operator.gt], ids=lambda f: f.__name__)
def test_stranger_in_an_operator(apply: Callable[[Any, Any], Any]) -> None:
    x = suanzi.tensor(np.arange(3))
    for stranger in (None, {}, {1}, object()):
        with pytest.raises(TypeError):
            apply(x, stranger)
        with pytest.raises(TypeError):
            apply(stranger, x)


@pytest.mark.parametrize("dtype", ["int8", "uint16", "bool"])
def test_several_numbers_decide_the_type_together(dtype: str) -> None:
    """All Python numbers of a call determine the result type. If one of the numbers is a float, the type is float32."""
    x = suanzi.tensor([1, 0, 1], dtype=dtype)
    calls: list[tuple[Callable[..., Tensor], tuple[Any, ...]]] = [
        (lambda a, low, high: suanzi.clip(a, low, high), (3.0, 100_000)),
        (lambda a, low, high: suanzi.clip(a, low, high), (100_000, 3.0)),
        (lambda a, factor, more: suanzi.multiply_add(a, factor, more), (100_000, 0.5)),
        (lambda a, factor, more: suanzi.multiply_add(a, factor, more), (0.5, 100_000)),
        (lambda a, factor, more: suanzi.multiply_add(a, factor, more), (100_000, suanzi.tensor([0.5, 1, 2]))),
        (lambda a, yes, no: suanzi.where(a != 0, yes, no), (100_000, 0.5)),
    ]
    for function, numbers in calls:
        expected = function(x.astype("float32"), *numbers)
        for found in (function(x, *numbers), suanzi.fuse(function)(x, *numbers)):
            assert found.dtype is suanzi.float32
            assert found.tolist() == expected.tolist()
    if dtype == "int8":
        with pytest.raises(OutOfRangeError, match="clip: 300 does not fit int8"):
            suanzi.clip(x, 3, 300)
