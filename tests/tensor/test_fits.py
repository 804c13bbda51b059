"""Tests of numbers that an element type can represent, in data and in stored numbers (7.2.1.1.3, 7.2.1.4).

The functions `rounded` and `held` state the rule in exact fractions: the value of each number in each type, or the
error that refuses the number.
"""

from __future__ import annotations

import math
import threading
from collections import deque
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import suanzi
from samples import NAMES, fails
from suanzi import OutOfRangeError, SuanziError, TypeMismatchError

# Bits of the significand, and the least and greatest exponent.
FLOATING = {
    "float16": (11, -14, 15),
    "bfloat16": (8, -126, 127),
    "float32": (24, -126, 127),
    "float64": (53, -1022, 1023),
}
PARTS = {"complex64": "float32", "complex128": "float64"}

BORDERS = [
    sign * (2**k + d) for k in (0, 7, 8, 15, 16, 24, 31, 32, 53, 63, 64, 70) for d in (-1, 0, 1) for sign in (1, -1)
]
INTEGERS = [0, 2, *BORDERS, 2**62 + 1, 2**63 + 2**39 + 1, -(2**63) - 2**39 - 1, 2**64 + 2**40 + 1, 2**100, 65519, 65520]
FRACTIONS = [0.5, -0.5, 1.5, 0.1, 255.5, 1e-50, 5e-324, 65519.99, 65520.0, 2.0**63, 2.0**64, -(2.0**63), 1e20, -0.0]
HUGE = [
    3.4028235677973366e38,
    3.40282356779733e38,
    3.3961775292304e38,
    3.39e38,
    1e39,
    -1e39,
    1e300,
    2**128,
    2**1024,
    10**400,
]
SPECIAL = [math.inf, -math.inf, math.nan]
NUMBERS: list[Any] = [True, False, *INTEGERS, *FRACTIONS, *HUGE, *SPECIAL]


def rounded(x: Fraction, name: str) -> Fraction | None:
    """Return the number of a floating type that is nearest to x, ties to even, or None beyond the greatest number."""
    digits, least, greatest = FLOATING[name]
    if x == 0:
        return x
    exponent = max(least, math.floor(math.log2(abs(x.numerator)) - math.log2(x.denominator)) - 1)
    while abs(x) >= Fraction(2) ** (exponent + 1):
        exponent += 1
    unit = Fraction(2) ** (exponent - digits + 1)
    nearest = round(x / unit) * unit  # Python rounds fractions half to even
    return nearest if abs(nearest) < Fraction(2) ** (greatest + 1) else None


def limits(name: str) -> tuple[int, int]:
    bits = int(name.lstrip("uint"))
    return (0, 2**bits - 1) if name.startswith("u") else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


def held(number: Any, name: str) -> Any:
    """Return the number that a tensor of the type `name` stores for `number`, or the class of the error."""
    if name == "bool":
        return number != 0
    if name in PARTS:
        part = held(number, PARTS[name])
        return part if isinstance(part, type) else complex(part)
    special = isinstance(number, float) and not math.isfinite(number)
    if name in FLOATING:
        if special or number == 0:
            return float(number)
        nearest = rounded(Fraction(number), name)
        return OutOfRangeError if nearest is None else float(nearest)
    if special:
        return OutOfRangeError
    if Fraction(number).denominator != 1:
        return TypeMismatchError
    least, greatest = limits(name)
    return int(number) if least <= number <= greatest else OutOfRangeError


def same(found: Any, expected: Any) -> bool:
    if isinstance(expected, complex) and isinstance(found, complex):
        return same(found.real, expected.real) and same(found.imag, expected.imag)
    if isinstance(expected, float) and math.isnan(expected):
        return isinstance(found, float) and math.isnan(found)
    if isinstance(expected, float) and expected == 0 and math.copysign(1, found) != math.copysign(1, expected):
        return False
    return type(found) is type(expected) and bool(found == expected)


def outcome(call: Callable[[], Any]) -> Any:
    try:
        return call()
    except SuanziError as error:
        return type(error)


def assigned(name: str, value: Any, key: Any = ...) -> Any:
    x = suanzi.zeros(1, dtype=name)
    x[key] = value
    return x[0].item()


ENTRIES: dict[str, Callable[[Any, str], Any]] = {
    "tensor of a number": lambda v, name: suanzi.tensor(v, dtype=name).item(),
    "tensor of a list": lambda v, name: suanzi.tensor([0, v], dtype=name)[1].item(),
    "tensor of a tuple in a list": lambda v, name: suanzi.tensor([[0.5 if name in FLOATING else 0], (v,)], dtype=name)[
        1, 0
    ].item(),
    "tensor of another sequence": lambda v, name: suanzi.tensor(deque([v]), dtype=name).item(),
    "tensor with a shape": lambda v, name: suanzi.tensor([v], shape=(2, 1), dtype=name)[0, 0].item(),
    "full": lambda v, name: suanzi.full((), v, dtype=name).item(),
    "full_like": lambda v, name: suanzi.full_like(suanzi.zeros((), dtype=name), v).item(),
    "sparse_tensor": lambda v, name: suanzi.sparse_tensor((2,), [[1]], [v], dtype=name).values.item(),
    "x[...] = number": lambda v, name: assigned(name, v),
    "x[...] = list": lambda v, name: assigned(name, [v]),
    "x[indices] = number": lambda v, name: assigned(name, v, [0]),
    "x[indices] = list": lambda v, name: assigned(name, [v], [0]),
    "x[mask] = number": lambda v, name: assigned(name, v, suanzi.tensor([True])),
    "masked_fill": lambda v, name: suanzi.masked_fill(suanzi.zeros(1, dtype=name), suanzi.tensor([True]), v).item(),
    "pad": lambda v, name: suanzi.pad(suanzi.zeros(1, dtype=name), 1, value=v)[0].item(),
    "scatter": lambda v, name: suanzi.scatter(
        suanzi.zeros(1, dtype=name), suanzi.tensor([0], dtype="int64"), v, axis=0
    ).item(),
}


# Calls that store a number into an existing tensor. A number beyond the range of a floating type becomes infinite.
BESIDE = {entry for entry in ENTRIES if entry.startswith("x[")} | {"masked_fill", "pad", "scatter"}


def beside(number: Any, name: str) -> Any:
    expected = held(number, name)
    if expected is not OutOfRangeError or name not in (*FLOATING, *PARTS):
        return expected
    infinity = -math.inf if number < 0 else math.inf
    return complex(infinity) if name in PARTS else infinity


@pytest.mark.parametrize("entry", ENTRIES)
@pytest.mark.parametrize("name", NAMES)
def test_numbers(entry: str, name: str) -> None:
    for number in NUMBERS:
        if entry == "tensor of another sequence" and isinstance(number, int) and abs(number) > 2**1000:
            continue  # NumPy does not accept the number
        found = outcome(lambda n=number: ENTRIES[entry](n, name))
        expected = (beside if entry in BESIDE else held)(number, name)
        assert same(found, expected), (number, found, expected)


@pytest.mark.parametrize("name", NAMES)
def test_numbers_without_a_type(name: str) -> None:
    """`tensor` without a type stores numbers as float32 or complex64, and refuses integers that are not exact."""
    for number in NUMBERS:
        expected = held(number, "bool" if isinstance(number, bool) else "float32")
        if isinstance(number, int) and expected != number:
            expected = OutOfRangeError
        assert same(outcome(lambda n=number: suanzi.tensor(n).item()), expected), number
        if not isinstance(number, bool):
            assert same(outcome(lambda n=number: suanzi.tensor([[n], [0.25]])[0, 0].item()), expected), number


@pytest.mark.parametrize(
    ("data", "dtype", "expected"),
    [
        ([2**62 + 1, 2**63], "uint64", [2**62 + 1, 2**63]),
        ([1, 2**64 - 1], "uint64", [1, 2**64 - 1]),
        ([1.0, 2**53 + 1], "int64", [1, 2**53 + 1]),
        ([True, 2.0, 2**64 - 1], "uint64", [1, 2, 2**64 - 1]),
        ([1, np.uint64(2**64 - 1)], "uint64", [1, 2**64 - 1]),
        ([np.int8(1), 2.0, 2**53 + 1], "int64", [1, 2, 2**53 + 1]),
        ([np.float64(1), 2**53 + 1], "int64", [1, 2**53 + 1]),
        ([Fraction(2**53 + 1), 0.0], "int64", [2**53 + 1, 0]),
        ((Fraction(6, 2), np.uint64(2**64 - 1)), "uint64", [3, 2**64 - 1]),
        (deque([1.0, 2**53 + 1]), "int64", [1, 2**53 + 1]),
        (range(2**63, 2**63 + 2), "uint64", [2**63, 2**63 + 1]),
        ([np.array([1, 2**53 + 1]), np.array([1.0, 2.0])], "int64", [[1, 2**53 + 1], [1, 2]]),
        ([np.array(2**53 + 1), 2.0], "int64", [2**53 + 1, 2]),
        ([suanzi.tensor(2**53 + 1, dtype="int64"), 2.0], "int64", [2**53 + 1, 2]),
        ([0.5, 2**60 + 2**36 + 1], "float32", [0.5, float(2**60 + 2**37)]),
        (deque([0.5, 2**60 + 2**36 + 1]), "float32", [0.5, float(2**60 + 2**37)]),
        ([1j, 2**60 + 2**36 + 1], "complex64", [1j, complex(2**60 + 2**37)]),
    ],
    ids=str,
)
def test_mixed_lists_lose_nothing(data: Any, dtype: str, expected: Any) -> None:
    x = suanzi.tensor(data, dtype=dtype)
    assert x.tolist() == expected
    assert x.dtype.name == dtype
    x[...] = 0
    x[...] = data if not isinstance(data, deque | range) else list(data)
    assert x.tolist() == expected


@pytest.mark.parametrize(
    ("data", "dtype", "error"),
    [
        ([0.5, 2**53 + 1], "int64", TypeMismatchError),
        ([Fraction(1, 3)], "int64", TypeMismatchError),
        ([[1, 2], [3, 1j]], "float64", TypeMismatchError),
        ([np.complex64(1)], "int8", TypeMismatchError),
        ([1e300 + 1j], None, OutOfRangeError),
        ([1, 1e300j], "complex64", OutOfRangeError),
        (1e300j, None, OutOfRangeError),
        (deque([10**400]), "float64", OutOfRangeError),
        ([np.float64(1e300)], "float32", OutOfRangeError),
        ([1, "a"], "float32", TypeMismatchError),
        ([np.str_("a")], "float32", TypeMismatchError),
        ([np.datetime64(0, "s")], "float32", TypeMismatchError),
        ([1, None], "int8", TypeMismatchError),
    ],
    ids=str,
)
def test_lists_that_do_not_fit(data: Any, dtype: str | None, error: Any) -> None:
    with fails(error, "tensor"):
        suanzi.tensor(data, dtype=dtype)


def test_a_number_may_overflow_beside_a_tensor() -> None:
    """A Python number as an operand beside a tensor becomes infinite beyond the range of the tensor's type."""
    x = suanzi.ones(2)
    assert (x * 1e300).tolist() == [math.inf] * 2
    assert (x < 1e300).tolist() == [True] * 2
    assert suanzi.clip(x, -1e300, 1e300).tolist() == [1.0] * 2
    assert suanzi.where(x > 2, x, 1e300).tolist() == [math.inf] * 2
    assert (x + 10**400).tolist() == [math.inf] * 2


def test_scalars_beside_uint64() -> None:
    x = suanzi.tensor([2**63 + 1, 2**64 - 1], dtype="uint64")
    assert (x - 2**63).tolist() == [1, 2**63 - 1]
    assert (x == 2**63 + 1).tolist() == [True, False]
    assert (x < 2**64 - 1).tolist() == [True, False]
    assert suanzi.where(x > 2**63 + 1, x, 2**64 - 2).tolist() == [2**64 - 2, 2**64 - 1]
    assert suanzi.clip(x, 0, 2**63 + 2).tolist() == [2**63 + 1, 2**63 + 2]
    assert suanzi.maximum(x, np.uint64(2**64 - 2)).tolist() == [2**64 - 2, 2**64 - 1]


# --- data with a type ---

# Numbers around the limits of every type. `values_of` converts the numbers to each type.
VALUES = [0, 1, -1, 0.5, -0.5, 127, 128, -128, -129, 255, 256, 300.5, 65503, 65519, 65520, 1e5, 2**24 + 1, 2**31, 2**53]
VALUES += [
    2**63 - 1025,
    2**63,
    2**64 - 2049,
    2**64,
    2.0**127,
    3.39e38,
    3.3961776e38,
    3.4e38,
    1e39,
    math.inf,
    -math.inf,
    math.nan,
]


def values_of(name: str) -> Any:
    """Return an array of the numbers VALUES as a type stores them, and of the limits of an integer type."""
    dtype = suanzi.as_dtype(name).numpy
    numbers = list(dict.fromkeys(v for n in VALUES if not isinstance(v := held(n, name), type)))
    if name.lstrip("u").startswith("int"):
        numbers += limits(name)
    return np.array(numbers, dtype)


def arrangements(values: Any) -> dict[str, Any]:
    spread = np.zeros((3, 2 * values.size), values.dtype)
    spread[1, ::2] = values
    return {"contiguous": values, "strided": spread[1, ::2], "reversed": values[::-1].copy()[::-1]}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("source", NAMES)
def test_arrays(source: str, name: str) -> None:
    values = values_of(source)
    if source in PARTS and name not in (*PARTS, "bool"):
        with fails(TypeMismatchError, "tensor"):
            suanzi.tensor(values, dtype=name)
        return
    numbers = [v.real if source in PARTS else v for v in suanzi.from_reference(values).tolist()]
    expected = [held(n, name) for n in numbers]
    kept = [i for i, e in enumerate(expected) if not isinstance(e, type)]
    for array in arrangements(values).values():
        assert all(
            same(a, expected[i]) for i, a in zip(kept, suanzi.tensor(array[kept], dtype=name).tolist(), strict=True)
        )
    for wrong in sorted(set(range(len(expected))) - set(kept)):
        for array in arrangements(values).values():
            places = [*kept, wrong, *kept]
            for data in (
                array[places],
                suanzi.tensor(array[places]),
                memoryview(array[places]) if source != "bfloat16" else array,
            ):
                if data is array:
                    continue
                assert outcome(lambda d=data: suanzi.tensor(d, dtype=name)) is expected[wrong], (numbers[wrong], name)


def test_parts_of_complex_numbers() -> None:
    for z in (1e300, 1e300j, complex(1, -1e300)):
        with fails(OutOfRangeError, "tensor"):
            suanzi.tensor(np.array([1j, z]), dtype="complex64")
    x = suanzi.tensor(np.array([complex(math.inf, 1), complex(0, math.nan)]), dtype="complex64")
    assert np.isposinf(x.numpy()[0].real)


@pytest.mark.parametrize("order", ["C", "F"])
def test_the_first_of_many_is_named(order: Any) -> None:
    """The error names the first bad element of a long array, although several threads check the array in pieces."""
    for source, name in (("float64", "float32"), ("float64", "int64"), ("int64", "int16"), ("float32", "uint8")):
        a = np.zeros((1000, 400), source, order=order)
        assert suanzi.tensor(a, dtype=name).shape == a.shape
        a[500, 200] = {"float32": 1e39, "int64": 0.5, "int16": 7 * 10**8, "uint8": 256}[name]
        a[900, 3] = {"float32": -1e300, "int64": 1e300, "int16": -(2**62), "uint8": -1}[name]
        text = {"float32": "1e+39", "int64": "0.5", "int16": "700000000", "uint8": "256"}[name]
        with pytest.raises(SuanziError, match=rf"^tensor: {text.replace('+', '[+]')} "):
            suanzi.tensor(a, dtype=name)


def test_no_type_no_question() -> None:
    for value in (math.nan, math.inf, 1e300):
        a = np.array([value])
        assert same(suanzi.tensor(a).item(), value)
        assert same(suanzi.tensor(a, dtype="float64").item(), value)
    assert suanzi.tensor(np.zeros(0), dtype="int8").shape == (0,)


def test_casts_do_not_ask() -> None:
    assert suanzi.astype(suanzi.tensor(np.int32([300, -1])), "uint8").tolist() == [44, 255]
    assert suanzi.astype(suanzi.tensor([1.9, -1.9]), "int8").tolist() == [1, -1]
    assert suanzi.astype(suanzi.tensor(np.array([1e300])), "float32").tolist() == [math.inf]


INTEGER_TYPES = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
KEYS: dict[str, Any] = {
    "all": ...,
    "slice": slice(None, None, -1),
    "mask": suanzi.tensor([True, True], dtype="bool"),
    "indices": suanzi.tensor([1, 0], dtype="int64"),
    "list": [0, 1],
}


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("dtype", INTEGER_TYPES)
def test_a_tensor_is_assigned_if_integers_hold_its_elements(dtype: str, key: str) -> None:
    x = suanzi.tensor([7, 7], dtype=dtype)
    info = np.iinfo(dtype)
    whole = [0.0, float(2 ** (info.bits - 2))]
    x[KEYS[key]] = suanzi.tensor(whole, dtype="float64")
    assert sorted(x.tolist()) == whole
    x[...] = 7
    outside = 2.0**info.bits
    for value, error in (
        ([0.5, 1], TypeMismatchError), ([-1e-30, 1], TypeMismatchError), ([outside, 1], OutOfRangeError),
        ([1, math.nan], OutOfRangeError), ([math.inf, 1], OutOfRangeError),
    ):  # fmt: skip
        for values in (suanzi.tensor(value, dtype="float64"), np.array(value)):
            with pytest.raises(error, match=r"^index: "):
                x[KEYS[key]] = values
            assert x.tolist() == [7, 7]
    with pytest.raises(TypeMismatchError, match=r"^index: complex64 data cannot become"):
        x[KEYS[key]] = suanzi.tensor([1, 1], dtype="complex64")
    assert x.tolist() == [7, 7]


@pytest.mark.parametrize("source", INTEGER_TYPES)
@pytest.mark.parametrize("target", INTEGER_TYPES)
def test_integers_of_another_type_do_not_wrap_when_they_are_assigned(source: str, target: str) -> None:
    info, wanted = np.iinfo(source), np.iinfo(target)
    for value in (info.min, -1, 0, info.max):
        if not info.min <= value <= info.max:
            continue
        x = suanzi.tensor([7, 7], dtype=target)
        values = suanzi.tensor([0, value], dtype=source)
        if wanted.min <= value <= wanted.max:
            x[...] = values
            assert x.tolist() == [0, value]
        else:
            with pytest.raises(OutOfRangeError, match=rf"^index: {value} does not fit {target}"):
                x[...] = values
            assert x.tolist() == [7, 7]


def test_floating_types_round_an_assigned_tensor() -> None:
    x = suanzi.zeros(3, dtype="float16")
    x[...] = suanzi.tensor([0.1, 1e30, -1e30], dtype="float32")
    assert x.tolist() == np.array([0.1, np.inf, -np.inf], np.float16).tolist()
    x = suanzi.zeros(2, dtype="bool")
    x[...] = suanzi.tensor([0.5, 0.0])
    assert x.tolist() == [True, False]


def test_nothing_is_assigned_where_one_does_not_fit() -> None:
    x = suanzi.tensor([1, 2, 3], dtype="int16")
    for key, value in ((..., [4, 5, 70000]), (..., [4, 5, 0.5]), (slice(2), 70000), ([0, 1], [4, 1e9])):
        with pytest.raises((OutOfRangeError, TypeMismatchError), match=r"^index: "):
            x[key] = value
        assert x.tolist() == [1, 2, 3]


def test_lists_that_change_while_they_are_read() -> None:
    """`tensor` does not fail if a list changes during the call, such as in the method `item` of a NumPy scalar."""
    rows: list[list[Any]] = [[0, 0], [0, 0], [0, 0]]

    class Emptying(np.int16):
        def item(self, *args: Any) -> Any:
            for row in rows:
                row.clear()
            rows.clear()
            return 1

    rows[0][0] = Emptying(5)
    with pytest.raises(SuanziError, match=r"^tensor: "):
        suanzi.tensor(rows, dtype="int32")


def test_another_thread_writes_what_is_judged() -> None:
    """While another thread writes to the array, `tensor` either succeeds or raises OutOfRangeError."""
    a, done = np.zeros(200_000), threading.Event()

    def write() -> None:
        while not done.is_set():
            a[150_000:] = 1e9
            a[150_000:] = 1.0

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for _ in range(30):
            assert outcome(lambda: suanzi.tensor(a, dtype="int16").shape) in ((200_000,), OutOfRangeError)
    finally:
        done.set()
        writer.join()


@pytest.mark.parametrize("dtype", ["float64", "float32", "complex128"])
@pytest.mark.parametrize(
    ("start", "stop", "step"),
    [
        (1700000000000000000, 1700000000000000100, 1),
        (2**53, 2**53 + 3, 1),
        (2**62 + 1, 2**62 - 99, -7),
        (-(2**63), 2**63, 2**61),
    ],
)
def test_ranges_of_large_integers_have_all_elements(dtype: str, start: int, stop: int, step: int) -> None:
    expected = [float(number) for number in range(start, stop, step)]
    found = suanzi.arange(start, stop, step, dtype=dtype)
    assert found.tolist() == np.array(expected).astype(dtype).tolist()
