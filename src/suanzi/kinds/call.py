"""Calls of operators, in the form that implementations for operands other than dense CPU tensors read. A call has
arguments by name, and the operator's record.

The core passes a builtin's arguments to an implementation by position. Each record has a class of calls that names the
arguments. The first call of the operator makes the class.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from operator import itemgetter
from typing import Any, ClassVar, TypeVar

from suanzi import _core
from suanzi.operators.registry import Record, record_of

Self = TypeVar("Self", bound="Call")


class Call(tuple[Any, ...]):
    """The arguments of a builtin in order. Each argument is also an attribute with the name of the parameter.

    Calls must not be compared as tuples, because 1 equals True, and 0.0 equals -0.0.
    """

    __slots__ = ()

    name: ClassVar[str]  # the name of the called operator, with which messages begin
    record: ClassVar[Record]  # the record of the operator
    builtin: ClassVar[Callable[..., Any]]
    places: ClassVar[dict[str, int]]  # the positions of the parameters, by name
    has_out: ClassVar[bool]
    out: Any = None  # the argument `out`, if the record has that parameter

    def __getattr__(self, name: str) -> Any:  # for mypy: classes have properties named after parameters
        raise AttributeError(f"{type(self).name} has no parameter {name}")

    def replaced(self: Self, **named: Any) -> Self:
        """Return the call with other arguments for some parameters."""
        kind, given = type(self), [*self]
        for parameter, value in named.items():
            given[kind.places[parameter]] = value
        return kind(given)

    def on(self, *operands: Any, out: Any = None) -> Any:
        """Call the operator on `operands`, with the other arguments of this call. The operator receives `out` only if
        the operator has this parameter.
        """
        raise NotImplementedError  # each class has its own `on`


def _on(builtin: Callable[..., Any], places: list[int], last: int, has_out: bool) -> Callable[..., Any]:
    """Return the method `on` for a class of calls. `places` are the positions of the operands among the parameters, and
    `last` is the number of parameters, without `out`.
    """
    first = len(places)

    def on_alone(call: Call, *operands: Any, out: Any = None) -> Any:
        return builtin(*operands, out)

    def on_leading(call: Call, *operands: Any, out: Any = None) -> Any:
        return builtin(*operands, *call[first:last], out) if has_out else builtin(*operands, *call[first:last])

    def on_places(call: Call, *operands: Any, out: Any = None) -> Any:
        given = list(call)
        for place, x in zip(places, operands, strict=True):
            given[place] = x
        return builtin(*given[:last], out) if has_out else builtin(*given)

    if places != list(range(first)):
        return on_places
    return on_alone if has_out and first == last else on_leading


def _class(name: str, record: Record, builtin: Callable[..., Any], parameters: tuple[str, ...]) -> type[Call]:
    made: dict[str, Any] = {parameter: property(itemgetter(i)) for i, parameter in enumerate(parameters)}
    taken = set(parameters) & {*Call.__annotations__, "replaced", "on"} - {"out"}
    assert not taken, f"{name}: a parameter cannot be called {taken}"
    has_out = parameters[-1:] == ("out",)
    operands = [parameters.index(operand) for operand in record.operands]
    made |= {
        "__slots__": (),
        "name": name,
        "record": record,
        "builtin": staticmethod(builtin),
        "places": {parameter: i for i, parameter in enumerate(parameters)},
        "has_out": has_out,
        "on": _on(builtin, operands, len(parameters) - has_out, has_out),
    }
    return type(f"Call of {name}", (Call,), made)


_classes: dict[str, type[Call]] = {}


def class_of(record: Record) -> type[Call]:
    """Return the class of the calls of the operator that a record describes."""
    name = record.called
    if name not in _classes:
        _classes[name] = _class(name, record, record.builtin, record.parameters)
    return _classes[name]


@cache
def _reduction(fold: str) -> type[Call] | None:
    """Return the class for calls of `reduce` with the operation `fold`. The class has the operation's record and the
    name `reduce`.
    """
    record = record_of(fold)
    if record is None or fold not in dict(_core.reductions):
        return None

    def builtin(x: Any, *others: Any) -> Any:
        return _core.reduce(x, fold, *others)

    return _class("reduce", record, builtin, ("x", "axis", "keepdims", "dtype", "out"))


def call_of(name: str, arguments: tuple[Any, ...]) -> Call:
    """Return the call of a builtin. A call of `reduce` with an operation becomes a call of that operation."""
    if name == "reduce" and isinstance(arguments[1], str) and (named := _reduction(arguments[1])) is not None:
        return named((arguments[0], *arguments[2:]))
    record = record_of(name)
    if record is None:
        raise KeyError(f"{name}: no operator has this name")
    kind = class_of(record)
    return kind(arguments if len(arguments) == len(kind.places) else (*arguments, None))  # the call omits `out`


def as_itself(call: Call) -> tuple[str, tuple[Any, ...]] | None:
    """Return the name and the arguments of a call's builtin. A call of `reduce` becomes a call of the operation's
    builtin.

    The result is None if the operation's builtin cannot accept all arguments.
    """
    if call.name == call.record.called:
        return call.name, tuple(call)
    given = dict(zip(call.places, call, strict=True))
    if given.pop("dtype") is not None and "dtype" not in call.record.parameters:
        return None
    defaults = {"correction": 0.0, "dtype": call[3]}
    return call.record.called, tuple(given.get(p, defaults.get(p)) for p in call.record.parameters)
