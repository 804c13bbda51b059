"""The signatures of all public functions in the registry keep three rules.

Options are passed by keyword, flags are True or False, and errors begin with the called name.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import suanzi
from good_arguments import FUNCTIONS, LISTS, arguments, tensors_of
from samples import THING, fails
from suanzi import SuanziError, Tensor, TypeMismatchError
from suanzi.operators.registry import Record, records

pytestmark = pytest.mark.one_level

# The names of operands, which are passed by position. `data`, `subscripts` and `tensors` are passed by position like
# operands.
OPERANDS = {"x", "x1", "x2", "x3", "a", "b", "p", "index", "indices", "updates", "mask", "condition", "weight"}
OPERANDS |= {"real", "imag", "sorted", "values", "data", "subscripts", "tensors", "operands"}
FLAGS = [
    (record.name, p.name)
    for record in records()
    for p in inspect.signature(record.function).parameters.values()
    if p.annotation == "bool"
]
# Functions for which test_bad_input.py has valid arguments.
CALLABLE = [name for name, record in FUNCTIONS.items() if record.accepts or not tensors_of(record)]
NO_FLAGS: list[Any] = [1, 0, None, "yes", 1.0, np.array([True, False]), np.array(True), np.int64(1), object()]
NO_FLAGS += [suanzi.tensor(True), suanzi.tensor([1.0, 2.0]), [True]]
# The further arguments that a call needs if the named flag is True.
FOR_FLAGS: dict[str, dict[str, Any]] = {
    "recompute_scale_factor": {"scale_factor": 1.0, "size": None},
    "align_corners": {"mode": "bilinear"},
    "antialias": {"mode": "bilinear"},
    "uneven": {"sections_or_sizes": 2},
    "replacement": {"seed": 1},
}
# Wrong values of an option: objects of any type, and values that few options accept.
WRONG: list[Any] = [THING, "nonsense", -7, 2**70, 1.5, (9, 9, 9, 9, 9), [[["a"]]], {}, suanzi.tensor(["a"]), 1j]


def by_name(record: Record, *given: Any) -> tuple[list[Any], dict[str, Any]]:
    """Return the arguments of a call as positional arguments and keywords, with as many keywords as possible."""
    parameters = inspect.signature(record.function).parameters
    bound = inspect.signature(record.function).bind(*given).arguments
    loose = [name for name in bound if parameters[name].kind is inspect.Parameter.VAR_POSITIONAL]
    fixed = [name for name in bound if parameters[name].kind is inspect.Parameter.POSITIONAL_ONLY]
    positional = [bound[name] for name in fixed] + [x for name in loose for x in bound[name]]
    return positional, {name: value for name, value in bound.items() if name not in (*fixed, *loose)}


def results(value: Any) -> list[Any]:
    """Return a list of the shape, the type and the elements of each tensor in a result, and of other objects' texts."""
    if isinstance(value, tuple | list):
        return [part for item in value for part in results(item)]
    if isinstance(value, Tensor):
        return [value.shape, value.dtype, value.tolist()]
    return [repr(value)]


@pytest.mark.parametrize("record", list(records()), ids=lambda r: r.name)
def test_options_go_by_keyword(record: Record) -> None:
    parameters = inspect.signature(record.function).parameters.values()
    stuck = [p.name for p in parameters if p.kind is p.POSITIONAL_ONLY and p.name not in OPERANDS]
    assert stuck == []


def test_operands_are_no_options() -> None:
    """Every name in OPERANDS but `operands` is the name of a parameter of some function."""
    used = {name for record in records() for name in inspect.signature(record.function).parameters}
    assert used >= OPERANDS - {"operands"}


@pytest.mark.parametrize("name", [name for name, record in FUNCTIONS.items() if record.accepts])
def test_the_same_by_keyword(name: str) -> None:
    record = FUNCTIONS[name]
    if name == "destroy":
        return
    positional, named = by_name(record, *arguments(record))
    seeded = {"seed": 1} if "seed" in inspect.signature(record.function).parameters else {}
    expected = results(record.function(*arguments(record), **seeded))
    assert repr(results(record.function(*positional, **named, **seeded))) == repr(expected)


def test_the_keywords_of_the_standard() -> None:
    x, w = suanzi.ones((2, 3)), suanzi.ones((4, 3))
    assert suanzi.linear(x, w, bias=suanzi.arange(4)).tolist() == [[3, 4, 5, 6]] * 2
    assert suanzi.bilinear(x, x, suanzi.ones((1, 3, 3)), bias=suanzi.ones(1)).tolist() == [[10], [10]]
    assert suanzi.topk(x, k=2).values.shape == (2, 2)
    assert suanzi.reshape(x, shape=6).shape == (6,)
    assert suanzi.expand(x, shape=(2, -1, 3)).shape == (2, 2, 3)
    assert suanzi.broadcast_to(x, shape=(2, 2, 3)).shape == (2, 2, 3)
    assert suanzi.astype(x, dtype="int8").dtype is suanzi.int8
    assert suanzi.tile(x, repetitions=2).shape == (2, 6)
    assert suanzi.repeat(x, repeats=2).shape == (12,)
    assert len(suanzi.split(x, sections_or_sizes=2)) == 2
    assert suanzi.pad(x, pad_width=1).shape == (4, 5)
    assert suanzi.matrix_power(suanzi.ones((2, 2)), n=2).tolist() == [[2, 2], [2, 2]]


def test_methods_by_keyword() -> None:
    x = suanzi.reshape(suanzi.arange(6), (2, 3))
    sparse = suanzi.to_sparse(x)
    for tensor in (x, sparse):
        assert (
            tensor.reshape(shape=(3, 2)).shape == tensor.reshape(3, 2).shape == tensor.reshape([3, 2]).shape == (3, 2)
        )
        assert tensor.transpose(axes=(1, 0)).shape == tensor.transpose(axes=None).shape == tensor.transpose().shape
        assert tensor.transpose(1, 0).shape == (3, 2)
        assert tensor.astype(dtype="float64").dtype is suanzi.float64
    assert x.expand(shape=(2, 2, 3)).shape == x.expand(2, -1, 3).shape == (2, 2, 3)
    assert x.swapaxes(axis1=0, axis2=1).shape == (3, 2)
    assert x.topk(k=1).indices.tolist() == [[2], [2]]
    assert [part.tolist() for part in x[0].split(sections_or_sizes=2, uneven=True)] == [[0, 1], [2]]
    for call, message in (
        (lambda: x.reshape(sizes=(3, 2)), "unexpected keyword argument 'sizes'"),
        (lambda: x.reshape((3, 2), shape=(3, 2)), "multiple values for argument 'shape'"),
        (lambda: x.reshape(shape=(3, 2), axes=1), "unexpected keyword argument 'axes'"),
        (lambda: x.transpose(shape=(1, 0)), "unexpected keyword argument 'shape'"),
    ):
        with pytest.raises(TypeError, match=message):
            call()


@pytest.mark.parametrize(("name", "flag"), FLAGS)
def test_flags_are_true_or_false(name: str, flag: str) -> None:
    record = FUNCTIONS[name]
    given = arguments(record)
    for value in NO_FLAGS:
        with pytest.raises(TypeMismatchError, match=rf"^{name}: {flag} must be True or False, not "):
            record.function(*given, **{flag: value})
    positional, named = by_name(record, *given)
    others = FOR_FLAGS.get(flag, {})
    if "mode" in others:
        positional[0] = suanzi.ones((1, 1, 2, 3))
    for value in (True, False):
        plain = record.function(*positional, **{**named, flag: value, **others})
        assert results(record.function(*positional, **{**named, flag: np.bool_(value), **others})) == results(plain)


@pytest.mark.parametrize("name", ["sum", "mean", "max", "all"])
def test_flags_of_sparse_tensors(name: str) -> None:
    x = suanzi.to_sparse(suanzi.ones((2, 3)))
    for value in NO_FLAGS:
        with fails(TypeMismatchError, name):
            getattr(suanzi, name)(x, keepdims=value)
        with fails(TypeMismatchError, "astype"):
            suanzi.astype(x, "float64", copy=value)
    assert getattr(suanzi, name)(x, keepdims=np.True_).shape == (1, 1)


@pytest.mark.parametrize("name", ["sort", "argsort", "topk", "argmax", "nonzero", "count_nonzero", "split"])
def test_flags_of_quantized_tensors(name: str) -> None:
    x = suanzi.quantize(suanzi.ones((2, 3)), 0.5, dtype="qint8")
    needed = {"topk": (1,), "split": (1,)}.get(name, ())
    for flag in (flag for function, flag in FLAGS if function == name):
        for value in NO_FLAGS:
            with fails(TypeMismatchError, name):
                getattr(suanzi, name)(x, *needed, **{flag: value})


def complaint(call: Callable[[], Any]) -> str:
    """Return the text of the error of a call, or an empty text if the call succeeds."""
    try:
        call()
    except (SuanziError, TypeError) as error:
        return str(error)
    return ""


def assert_named(name: str, call: Callable[[], Any]) -> None:
    """Check that a call succeeds, or that the text of the error begins with the function's name."""
    said = complaint(call)
    assert said == "" or said.startswith((f"{name}: ", f"{name.rpartition('.')[2]}() ")), said


@pytest.mark.parametrize("name", CALLABLE)
def test_errors_begin_with_the_name_that_was_called(name: str) -> None:
    """If any one argument of a call is wrong, the error begins with the name of the called function."""
    record = FUNCTIONS[name]
    positional, named = by_name(record, *arguments(record))
    for i in range(len(positional)):
        for wrong in (*WRONG, suanzi.zeros(0), suanzi.zeros((5, 7)), suanzi.zeros((2,) * 4, dtype="complex64")):
            if name == "destroy" or name.endswith("reference") or name == "tensor":
                continue  # these functions free tensors, or accept nearly every value
            given = [*positional[:i], [wrong] if record.name in LISTS else wrong, *positional[i + 1 :]]
            assert_named(name, lambda given=given: record.function(*given, **named))
    for option in inspect.signature(record.function).parameters.values():
        if option.kind in (option.KEYWORD_ONLY, option.POSITIONAL_OR_KEYWORD):
            for wrong in WRONG:
                replaced = {**named, option.name: wrong}
                assert_named(name, lambda replaced=replaced: record.function(*positional, **replaced))
