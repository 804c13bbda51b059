"""Functions that Python declares and the core carries out: they take arguments, and refuse them, as their declarations
do, and are found, described, bound and copied as functions are.
"""

from __future__ import annotations

import ast
import copy
import gc
import inspect
import pickle
import struct
import textwrap
import weakref
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import suanzi
from suanzi import _core
from suanzi.operators.registry import Record, records

pytestmark = pytest.mark.one_level

DECLARED = [record for record in records() if not inspect.isfunction(record.function)]

# Declarations with bodies, which note that they were called. `struct.pack` is a builtin of the right kind that tells
# which arguments it got, and in which order.
called: list[bytes] = []


def note(layout: str, *numbers: int) -> bytes:
    called.append(struct.pack(layout, *numbers))
    return called[-1]


def by_position(layout: str, a: int, b: int, /) -> bytes:
    return note(layout, a, b)


def of_all_kinds(layout: str, /, a: int, b: int = 3, *, c: int, d: int = 5) -> bytes:
    return note(layout, a, b, c, d)


def optional(layout: str = "bbb", a: int = 1, b: int = 2, *, c: int = 3) -> bytes:
    return note(layout, a, b, c)


def outcome(function: Callable[..., bytes], arguments: list[Any], keywords: dict[str, int]) -> Any:
    try:
        return function(*arguments, **keywords)
    except TypeError as error:
        return str(error)


@pytest.mark.parametrize(("declaration", "layout"), [(by_position, "bb"), (of_all_kinds, "bbbb"), (optional, "bbb")])
@given(
    arguments=st.lists(st.integers(0, 9), max_size=5),
    keywords=st.dictionaries(st.sampled_from("abcde"), st.integers(10, 19), max_size=4),
)
def test_arguments(declaration: Any, layout: str, arguments: list[int], keywords: dict[str, int]) -> None:
    """The builtin gets what Python would bind, in the order of the parameters; Python refuses the rest."""
    expected = outcome(declaration, [layout, *arguments], keywords)
    called.clear()
    assert outcome(_core.declared(declaration, struct.pack), [layout, *arguments], keywords) == expected
    assert called == []


def test_a_keyword_that_is_another_object_of_the_same_name() -> None:
    name = "".join(["axis_of_", "them"])

    def declaration(layout: str, axis_of_them: int = 3) -> bytes: ...

    assert _core.declared(declaration, struct.pack)("b", **{name: 7}) == b"\7"


def test_what_cannot_be_declared() -> None:
    with pytest.raises(suanzi.TypeMismatchError, match="another way"):
        _core.declared(by_position, print)
    with pytest.raises(suanzi.InvalidArgumentError, match="17 parameters"):
        _core.declared(eval("lambda " + ", ".join(f"x{i}" for i in range(17)) + ": None"), struct.pack)
    with pytest.raises(AttributeError):
        _core.declared(3, struct.pack)


def test_elementwise_functions_are_declared() -> None:
    assert {"add", "sin", "where"} <= {record.name for record in DECLARED}


@pytest.mark.parametrize("record", DECLARED, ids=lambda r: r.name)
def test_as_a_function(record: Record) -> None:
    """What tools ask of a function."""
    function = record.function
    assert inspect.isroutine(function)
    assert function.__name__ in repr(function)
    assert pickle.loads(pickle.dumps(function)) is function
    assert copy.deepcopy(function) is function
    assert weakref.ref(function)() is function


@pytest.mark.parametrize("record", DECLARED, ids=lambda r: r.name)
def test_no_body_is_passed_over(record: Record) -> None:
    """A body beside `core` would never run."""
    source = textwrap.dedent(inspect.getsource(inspect.unwrap(record.function)))
    function = ast.parse(source).body[0]
    assert isinstance(function, ast.FunctionDef)
    assert len(function.body) == 1
    assert ast.get_docstring(function)


def test_method() -> None:
    x = suanzi.tensor([3.0, 1.0])
    assert x.sum().item() == 4
    bound = x.sum
    assert bound(keepdims=True).shape == (1,)
    assert suanzi.Tensor.sum(x).item() == 4


def test_life() -> None:
    """A function that refers to itself is collected."""
    function: Any = _core.declared(lambda layout: None, struct.pack)
    function.myself = function
    gone = weakref.ref(function)
    del function
    gc.collect()
    assert gone() is None
