"""Functions that Python declares and the core carries out accept arguments as declared, like Python functions."""

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
from suanzi.tensor.composed import compose_methods, composed

pytestmark = pytest.mark.one_level

DECLARED = [record for record in records() if not inspect.isfunction(record.function)]

# Declarations whose bodies record their calls. `struct.pack` is a builtin whose result shows the received arguments and
# the order.
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
    """A declared function binds arguments as Python does, and passes the arguments in the parameters' order."""
    expected = outcome(declaration, [layout, *arguments], keywords)
    called.clear()
    assert outcome(_core.declared(declaration, struct.pack, None), [layout, *arguments], keywords) == expected
    assert called == []


def test_a_keyword_that_is_another_object_of_the_same_name() -> None:
    name = "".join(["axis_of_", "them"])

    def declaration(layout: str, axis_of_them: int = 3) -> bytes: ...

    assert _core.declared(declaration, struct.pack, None)("b", **{name: 7}) == b"\7"


def test_what_cannot_be_declared() -> None:
    with pytest.raises(suanzi.TypeMismatchError, match="is not a builtin"):
        _core.declared(by_position, print, None)
    with pytest.raises(suanzi.InvalidArgumentError, match="17 parameters"):
        _core.declared(eval("lambda " + ", ".join(f"x{i}" for i in range(17)) + ": None"), struct.pack, None)
    with pytest.raises(AttributeError):
        _core.declared(3, struct.pack, None)


def test_functions_are_declared() -> None:
    """Every function is declared, except functions that read an attribute."""
    read = {record.name for record in records()} - {record.name for record in DECLARED}
    assert read == {"shape", "size", "rank", "real", "imag"}


def of_two(x: Any, y: Any = 3, /, k: int = 1, *, mode: str = "a") -> Any:
    """Return the arguments. The function is the body of a declared function."""
    return x, y, k, mode


def of_any_number(*operands: Any, mode: str = "a") -> Any:
    return operands, mode


class Kind:
    """An operand of another kind, whose method returns the call's name and arguments, or NotImplemented."""

    @staticmethod
    def __suanzi_call__(name: str, arguments: tuple[Any, ...]) -> Any:
        return NotImplemented if str(arguments[-1]) == "silent" else (name, arguments)


def test_functions_with_a_body() -> None:
    """A function with a body first calls `__suanzi_call__` of the operands' kinds.

    The body runs if every kind returns NotImplemented, or if no operand has the method.
    """
    two, several = _core.declared(of_two, None, None), _core.declared(of_any_number, None, None)
    x, one = Kind(), suanzi.tensor([1.0])
    assert two(one) == (one, 3, 1, "a")
    assert two(x) == ("of_two", (x, 3, 1, "a"))
    assert two(one, x, 2, mode="b") == ("of_two", (one, x, 2, "b"))
    assert two(one, k=x) == (one, 3, x, "a")  # k is not an operand
    assert two(x, mode="silent") == (x, 3, 1, "silent")
    assert several() == ((), "a")
    assert several(one, 2) == ((one, 2), "a")
    assert several(one, x) == ("of_any_number", ((one, x), "a"))
    assert several(one, x, mode="silent") == ((one, x), "silent")
    for wrong in (lambda: two(), lambda: two(x, 1, 2, 3), lambda: two(x, x=1), lambda: several(x, k=1)):
        with pytest.raises(TypeError, match="of_"):
            wrong()


def test_every_function_asks_the_kinds_of_its_operands() -> None:
    """Every declared function calls `__suanzi_call__` of the operands' kinds, even if no operand is a dense tensor."""
    for record in DECLARED:
        if not record.operands or record.name in ("einsum", "searchsorted"):
            continue
        x = Kind()
        first = [[x]] if record.operands[0] == "tensors" and record.core else [x]
        required = [
            p
            for p in inspect.signature(record.function).parameters.values()
            if p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
        ]
        name, arguments = record.function(*first, *[1] * (len(required) - 1))
        assert name == record.called
        assert len(arguments) >= len(record.parameters) - record.has_out
    assert suanzi.einsum("i,i", Kind(), Kind())[0] == "einsum"  # type: ignore[comparison-overlap]


@pytest.mark.parametrize("record", DECLARED, ids=lambda r: r.name)
def test_as_a_function(record: Record) -> None:
    """Declared functions have the attributes that tools read from functions."""
    function = record.function
    assert inspect.isroutine(function)
    assert function.__name__ in repr(function)
    assert pickle.loads(pickle.dumps(function)) is function
    assert copy.deepcopy(function) is function
    assert weakref.ref(function)() is function


@pytest.mark.parametrize("record", [record for record in DECLARED if record.core], ids=lambda r: r.name)
def test_no_body_is_passed_over(record: Record) -> None:
    """A function that declares a builtin as `core` has only a docstring, because a body would never run."""
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


def test_an_error_begins_with_the_outermost_name() -> None:
    def failing(text: str) -> None:
        raise suanzi.OutOfRangeError(text, *(["more"] if text == "two" else []))

    step = composed(failing, "step")
    whole = composed(lambda text: step(text), "whole.function")
    for text, shown in (
        ("other: a: b", "whole.function: a: b"),
        ("other.part: 3", "whole.function: 3"),
        ("no name here", "whole.function: no name here"),
        ("nothing", "whole.function: nothing"),
        ("", "whole.function: "),
        ("算子: 3", "whole.function: 算子: 3"),
    ):
        with pytest.raises(suanzi.OutOfRangeError) as caught:
            whole(text)
        assert str(caught.value) == shown
    with pytest.raises(suanzi.OutOfRangeError) as caught:
        whole("two")
    assert caught.value.args == ("two", "more")


def test_other_exceptions_are_left_alone() -> None:
    def failing() -> None:
        raise ValueError("other: 3")

    with pytest.raises(ValueError, match=r"^other: 3$"):
        composed(failing, "whole")()


def test_composed_methods() -> None:
    @compose_methods
    class Kind:
        def method(self, x: int, /, *, y: int = 2) -> int:
            return x + y

        def _private(self) -> None: ...

    assert Kind().method(3, y=4) == 7
    assert str(inspect.signature(Kind().method)) == "(x: 'int', /, *, y: 'int' = 2) -> 'int'"
    assert inspect.isfunction(Kind._private)
    assert not inspect.isfunction(Kind.method)


def test_life() -> None:
    """The garbage collector frees a declared function that refers to itself."""
    function: Any = _core.declared(lambda layout: None, struct.pack, None)
    function.myself = function
    gone = weakref.ref(function)
    del function
    gc.collect()
    assert gone() is None
