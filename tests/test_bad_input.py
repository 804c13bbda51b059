"""For bad input, every public function raises a specific status, names itself, and leaves every tensor unchanged.

Keys, shapes, axes and creation have tests of their own in tests/tensor. This module tests the rules that hold for all
functions alike.
"""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fuzzing
import suanzi
from good_arguments import (
    FUNCTIONS,
    KINDS,
    SHAPES,
    arguments,
    element_type,
    takes_matrices,
    tensors_of,
)
from oracle.reductions import OPERATIONS
from samples import THING, contents, destroyed, fails, sample
from suanzi import (
    AllocFailedError,
    DimensionsMismatchError,
    InvalidArgumentError,
    OutOfRangeError,
    SuanziError,
    Tensor,
    TypeMismatchError,
    UninitializedObjectError,
)
from suanzi.operators.registry import Record, records
from suanzi.tensor.absent import Absent

pytestmark = pytest.mark.one_level

TAKES_TENSORS = [name for name, record in FUNCTIONS.items() if record.accepts]
WITH_OUT = [name for name in TAKES_TENSORS if "out" in inspect.signature(FUNCTIONS[name].function).parameters]
# Functions whose required shapes depend on the index. test_gathering.py and test_scattering.py have the tests.
INDEXED = {"scatter", "scatter_nd"}
# Functions that compare or search for values of any type. test_sorting.py has the tests.
OTHER_RULES = {"array_equal", "searchsorted"}
NO_TENSORS: list[Any] = [None, THING, "a", [1.0, 2.0], (1.0,), {}, np.ones((2, 3), np.float32), np.str_("a"), len]


def of_kind(record: Record, parameter: str, letter: str) -> Tensor:
    """Return a tensor in a valid shape for a parameter, with elements of the kind that `letter` names."""
    shape = SHAPES.get(record.name, {}).get(parameter, (2, 2) if takes_matrices(record) else (2, 3))
    return suanzi.full(shape, "a" if letter == "S" else 1, dtype=KINDS[letter])


class Unchanged:
    """A context that checks that the body changes none of the tensors among the given values."""

    def __init__(self, *values: Any) -> None:
        self.tensors = [x for x in values if isinstance(x, Tensor) and not suanzi._core.is_destroyed(x)]

    def __enter__(self) -> None:
        self.before = [(x.shape, x.strides, x.dtype, contents(x)) for x in self.tensors]

    def __exit__(self, *error: object) -> None:
        assert [(x.shape, x.strides, x.dtype, contents(x)) for x in self.tensors] == self.before


@pytest.mark.quick
@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_arguments_used_here_are_good(name: str) -> None:
    record = FUNCTIONS[name]
    if record.accepts or (not tensors_of(record) and name != "from_reference"):  # from_reference accepts memory
        record.function(*arguments(record))


@pytest.mark.parametrize("name", TAKES_TENSORS)
def test_use_after_destroy(name: str) -> None:
    record = FUNCTIONS[name]
    for parameter in tensors_of(record):
        given = arguments(record, **{parameter: destroyed()})
        with Unchanged(*given), fails(UninitializedObjectError, name):
            record.function(*given)


@pytest.mark.parametrize("name", TAKES_TENSORS)
def test_what_is_no_tensor(name: str) -> None:
    record = FUNCTIONS[name]
    for parameter in tensors_of(record):
        for stranger in NO_TENSORS:
            given = arguments(record, **{parameter: stranger})
            with Unchanged(*given), fails(TypeMismatchError, name):
                record.function(*given)


@pytest.mark.parametrize("name", TAKES_TENSORS)
def test_numbers_alone(name: str) -> None:
    record = FUNCTIONS[name]
    numbers = dict.fromkeys(tensors_of(record), 1)
    if not numbers:  # any number of operands is valid
        return
    with fails(TypeMismatchError, name):
        record.function(*arguments(record, **numbers))


@pytest.mark.parametrize("name", TAKES_TENSORS)
def test_element_types_that_are_not_accepted(name: str) -> None:
    record = FUNCTIONS[name]
    for letter in set(KINDS) - set(record.accepts):
        given = arguments(record, **{name: of_kind(record, name, letter) for name in tensors_of(record)})
        with Unchanged(*given), fails(TypeMismatchError, name):
            record.function(*given)


@pytest.mark.parametrize("name", TAKES_TENSORS)
def test_strings_beside_numbers(name: str) -> None:
    record = FUNCTIONS[name]
    names = tensors_of(record)
    if name == "masked_select":  # the mask holds numbers, and the operand may hold strings
        names.remove("x")
    for parameter in names if "S" not in record.accepts or len(names) > 1 else ():
        given = arguments(record, **{parameter: of_kind(record, parameter, "S")})
        with Unchanged(*given), fails(TypeMismatchError, name):
            record.function(*given)


@pytest.mark.parametrize("name", TAKES_TENSORS)
def test_shapes_that_do_not_broadcast(name: str) -> None:
    record = FUNCTIONS[name]
    names = tensors_of(record)
    if len(names) < 2 or name in OTHER_RULES | INDEXED | set(SHAPES) | {"linear"} or takes_matrices(record):
        return
    for parameter in names:
        for shape in ((4,), (3, 3), (2, 2), (2, 3, 1, 2), (0,)):
            given = arguments(record, **{parameter: suanzi.zeros(shape, dtype=element_type(record))})
            with Unchanged(*given), fails(DimensionsMismatchError, name):
                record.function(*given)


def bad_outs(good: Tensor) -> list[tuple[Any, type[SuanziError]]]:
    fixed = bytes(good.nbytes)
    refused = [
        (suanzi.zeros((2, 4), dtype=good.dtype), DimensionsMismatchError),
        (suanzi.zeros((1, 2, 3), dtype=good.dtype), DimensionsMismatchError),
        (destroyed(), UninitializedObjectError),
        (good.numpy().copy(), TypeMismatchError),
        (3, TypeMismatchError),
        (THING, TypeMismatchError),
        (suanzi.from_reference(fixed, shape=good.shape, dtype=good.dtype), InvalidArgumentError),
    ]
    if good.size > 1:
        refused.append((suanzi.expand(suanzi.zeros(1, dtype=good.dtype), good.shape), InvalidArgumentError))
    return refused


@pytest.mark.parametrize("name", WITH_OUT)
def test_out_that_cannot_take_the_result(name: str) -> None:
    record = FUNCTIONS[name]
    given = arguments(record)
    for out, error in bad_outs(record.function(*given)):
        with Unchanged(*given, out), fails(error, name):
            record.function(*given, out=out)


@pytest.mark.parametrize("name", WITH_OUT)
def test_out_of_a_kind_that_loses(name: str) -> None:
    record = FUNCTIONS[name]
    given = arguments(record)
    good = record.function(*given)
    if good.dtype is suanzi.bool:  # every type can represent bool
        return
    out = suanzi.zeros(good.shape, dtype="bool")
    with Unchanged(*given, out), fails(TypeMismatchError, name):
        record.function(*given, out=out)


@pytest.mark.each_level
@pytest.mark.parametrize("name", WITH_OUT)
def test_out_that_overlaps_an_operand(name: str) -> None:
    """A function returns the same result whether or not `out` overlaps an operand."""
    if name in INDEXED:
        return
    record = FUNCTIONS[name]
    memory = suanzi.ones((4, 4), dtype=element_type(record))
    x, good = memory[:3, :3], record.function(*arguments(record, **dict.fromkeys(tensors_of(record), memory[:3, :3])))
    if good.dtype is x.dtype and good.shape == x.shape:
        out = memory[1:, 1:]
        record.function(*arguments(record, **dict.fromkeys(tensors_of(record), x)), out=out)
        assert out.numpy().tobytes() == good.numpy().tobytes()


@pytest.mark.parametrize("name", [*OPERATIONS, "reduce"])
@pytest.mark.parametrize(
    ("axis", "error"),
    [
        (2, OutOfRangeError),
        (-3, OutOfRangeError),
        ((0, 5), OutOfRangeError),
        (2**63, OutOfRangeError),
        (2**70, OutOfRangeError),
        ((0, 0), InvalidArgumentError),
        ((0, -2), InvalidArgumentError),
        ("a", TypeMismatchError),
        (0.0, TypeMismatchError),
        ((0, None), TypeMismatchError),
    ],
    ids=str,
)
def test_axes_of_reductions(name: str, axis: Any, error: Any) -> None:
    x = suanzi.tensor(sample())
    options = {"op": "sum"} if name == "reduce" else {}
    with Unchanged(x), fails(error, name):
        getattr(suanzi, name)(x, axis=axis, **options)


NUMBERS: list[tuple[str, Any, Any]] = [
    ("add", lambda: suanzi.add(suanzi.zeros(2, dtype="int8"), 300), OutOfRangeError),
    ("add", lambda: suanzi.add(suanzi.zeros(2, dtype="uint8"), -1), OutOfRangeError),
    ("add", lambda: suanzi.add(suanzi.zeros(2, dtype="int64"), 10**400), OutOfRangeError),
    ("add", lambda: suanzi.add(suanzi.zeros(2, dtype="uint64"), suanzi.zeros(2, dtype="int8")), TypeMismatchError),
    ("where", lambda: suanzi.where(suanzi.zeros(2), suanzi.zeros(2, dtype="int8"), 128), OutOfRangeError),
    ("max", lambda: suanzi.max(suanzi.zeros((2, 0))), InvalidArgumentError),
    ("min", lambda: suanzi.min(suanzi.zeros((2, 0)), axis=1), InvalidArgumentError),
    ("reduce", lambda: suanzi.reduce(suanzi.zeros(2), "product"), InvalidArgumentError),
    ("reduce", lambda: suanzi.reduce(suanzi.zeros(2), None), InvalidArgumentError),
    ("sum", lambda: suanzi.sum(suanzi.zeros(2), dtype="float1"), TypeMismatchError),
    ("sum", lambda: suanzi.sum(suanzi.tensor(1j), dtype="int8"), TypeMismatchError),
    ("mean", lambda: suanzi.mean(suanzi.zeros(2), dtype="int8"), TypeMismatchError),
    ("var", lambda: suanzi.var(suanzi.zeros(2), correction="a"), TypeMismatchError),  # type: ignore[arg-type]
    ("std", lambda: suanzi.std(suanzi.zeros(2), correction=1j), TypeMismatchError),  # type: ignore[arg-type]
    ("norm1", lambda: suanzi.norm1(suanzi.zeros(2), dtype="complex64"), TypeMismatchError),
    ("cumulative_sum", lambda: suanzi.cumulative_sum(suanzi.zeros((2, 2)), axis=2), OutOfRangeError),
    ("cumulative_sum", lambda: suanzi.cumulative_sum(suanzi.zeros(()), axis=0), OutOfRangeError),
    ("cumulative_sum", lambda: suanzi.cumulative_sum(suanzi.zeros(2), axis=2**70), OutOfRangeError),
    ("cumulative_sum", lambda: suanzi.cumulative_sum(suanzi.zeros(2), axis=(0,)), TypeMismatchError),  # type: ignore[arg-type]
    ("cumulative_sum", lambda: suanzi.cumulative_sum(suanzi.tensor([1j]), dtype="float32"), TypeMismatchError),
    ("cumulative_prod", lambda: suanzi.cumulative_prod(suanzi.zeros(2), axis=0.0), TypeMismatchError),  # type: ignore[arg-type]
    (
        "cumulative_prod",
        lambda: suanzi.cumulative_prod(suanzi.zeros(2), exclusive=True, include_initial=True),
        InvalidArgumentError,
    ),
    ("round", lambda: suanzi.round(suanzi.zeros(2), mode="up"), InvalidArgumentError),
    ("round", lambda: suanzi.round(suanzi.zeros(2), "1"), TypeMismatchError),
    ("round", lambda: suanzi.round(suanzi.zeros(2), 2**70), OutOfRangeError),
    ("divide", lambda: suanzi.divide(suanzi.zeros(2), 1, rounding="up"), InvalidArgumentError),
    ("isclose", lambda: suanzi.isclose(suanzi.zeros(2), 1, rtol=-1.0), InvalidArgumentError),
    ("isclose", lambda: suanzi.isclose(suanzi.zeros(2), 1, atol=float("nan")), InvalidArgumentError),
    ("allclose", lambda: suanzi.allclose(suanzi.zeros(2), 1, atol="a"), TypeMismatchError),  # type: ignore[arg-type]
    ("trace", lambda: suanzi.trace(suanzi.zeros(2)), DimensionsMismatchError),
    ("trace", lambda: suanzi.trace(suanzi.zeros((2, 2)), "a"), TypeMismatchError),
    ("trace", lambda: suanzi.trace(suanzi.zeros((2, 2)), 2**70), OutOfRangeError),
    ("tile_shape", lambda: suanzi.tile_shape(), InvalidArgumentError),
    ("tile_shape", lambda: suanzi.tile_shape(2, 0), InvalidArgumentError),
    ("tile_shape", lambda: suanzi.tile_shape(2.5), TypeMismatchError),  # type: ignore[arg-type]
    ("set_num_threads", lambda: suanzi.set_num_threads(0), InvalidArgumentError),
    ("set_num_threads", lambda: suanzi.set_num_threads(10**6), InvalidArgumentError),
    ("set_num_threads", lambda: suanzi.set_num_threads(1.5), TypeMismatchError),  # type: ignore[arg-type]
    ("astype", lambda: suanzi.astype(suanzi.tensor(1j), "float32"), TypeMismatchError),
    ("full_like", lambda: suanzi.full_like(suanzi.zeros(2, dtype="int8"), 300), OutOfRangeError),
]


@pytest.mark.parametrize("case", NUMBERS, ids=lambda case: case[0])
def test_values_that_are_not_allowed(case: Any) -> None:
    name, call, error = case
    with fails(error, name):
        call()


def test_in_place_operators_do_not_change_what_they_refuse() -> None:
    x = suanzi.tensor(sample((2, 3), "int16"))
    bad: list[tuple[Any, Any]] = [
        (1.5, TypeMismatchError),
        (1j, TypeMismatchError),
        (2**20, OutOfRangeError),
        (suanzi.zeros(4, dtype="int16"), DimensionsMismatchError),
        (suanzi.zeros((2, 2, 3), dtype="int16"), DimensionsMismatchError),
        (destroyed(), UninitializedObjectError),
    ]
    for value, error in bad:
        with Unchanged(x), pytest.raises(error, match=r"^add: "):
            x += value
    with Unchanged(x), pytest.raises(TypeError):
        x += "a"  # type: ignore[operator]


def test_results_larger_than_memory() -> None:
    wide, tall = suanzi.expand(suanzi.ones((1, 1)), (2**31, 1)), suanzi.expand(suanzi.ones((1, 1)), (1, 2**31))
    for call in (
        lambda: wide + tall,
        lambda: suanzi.clone(suanzi.expand(wide, (2**31, 2**29))),
        lambda: suanzi.sin(suanzi.expand(wide, (2**31, 2**29))),
        lambda: suanzi.reshape(suanzi.expand(suanzi.ones((1, 2)), (2**50, 2)), -1),
        lambda: suanzi.expand(wide, (2**31, 2**29)).contiguous(),
    ):
        with pytest.raises(AllocFailedError):
            call()


@pytest.mark.each_level
@pytest.mark.parametrize("seed", range(3))
def test_nothing_crashes_the_interpreter(seed: int) -> None:
    """Random calls of all functions do not crash the interpreter. A seed makes the same calls on every Python."""
    script = Path(__file__).with_name("fuzzing.py")
    source = str(Path(suanzi.__file__).parents[1])
    environment = {**os.environ, "PYTHONFAULTHANDLER": "1", "PYTHONPATH": source}
    command = [sys.executable, str(script), str(seed)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr[-3000:]


def test_what_is_fuzzed_does_not_depend_on_the_python() -> None:
    """The fuzzer calls all public functions and methods. Names and random numbers do not depend on Python's version."""
    draws = fuzzing.Draws(1234567)
    assert [draws.word(), draws.word()] == [6457827717110365317, 3203168211198807973]
    names = [callee.name for callee in fuzzing.callees()]
    assert len(set(names)) == len(names) > 500
    assert {record.name for record in records()} <= set(names)
    stated = {*fuzzing.UNARY_SLOTS, *fuzzing.BINARY_SLOTS, *fuzzing.TERNARY_SLOTS, *fuzzing.ATTRIBUTES}
    of_python = {name for name in vars(Tensor) if name.startswith("__") and name not in stated}
    # Attributes that the fuzzer does not call: NumPy's protocols, which other tests check, and Python's own protocols.
    assert of_python <= {"__array_function__", "__array_priority__", "__array_ufunc__", "__buffer__", "__doc__"} | {
        *("__array_interface__", "__arrow_c_array__", "__arrow_c_schema__", "__jax_array__", "__torch_function__"),
        *("__dir__", "__hash__", "__module__", "__new__", "__release_buffer__", "__dictoffset__", "__weaklistoffset__"),
    }
    there = {name for name, value in vars(Tensor).items() if not isinstance(value, Absent)}
    public = {name for name in there if not name.startswith("_")}
    assert public <= stated | {record.name for record in records()}
