"""Which functions the library offers, and what each promises: filled by the `operator` decorator.

What the standard names lives in `catalogue`; this module only records what is implemented.
"""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar, cast

from suanzi import _core
from suanzi.operators import scratch as memory
from suanzi.operators.accuracy import Bound
from suanzi.operators.catalogue import CATALOGUE, Entry

Function = TypeVar("Function", bound=Callable[..., Any])

# Table 1 by the names of `suanzi.Status`. Every operator may meet a destroyed operand or run out of
# memory, so these two are promised throughout and a declaration lists only the others.
ALWAYS = ("UNINITIALIZED_OBJECT", "ALLOC_FAILED")
UNARY = ("TYPE_MISMATCH", "DIMENSIONS_MISMATCH")  # the shape of `out`
BROADCAST = ("TYPE_MISMATCH", "DIMENSIONS_MISMATCH", "OUT_OF_RANGE")  # a scalar that does not fit

_RAISES = {
    "TYPE_MISMATCH": (
        "TypeMismatchError",
        "A type is not accepted, or types do not promote.",
    ),
    "DIMENSIONS_MISMATCH": ("DimensionsMismatchError", "Shapes do not fit each other."),
    "UNINITIALIZED_OBJECT": ("UninitializedObjectError", "A tensor was destroyed."),
    "INVALID_ARGUMENT": ("InvalidArgumentError", "An option has a value that is not allowed."),
    "ALLOC_FAILED": ("AllocFailedError", "There is no memory for the result."),
    "OUT_OF_RANGE": ("OutOfRangeError", "An index, an axis or a scalar lies outside its range."),
    "INTERNAL_ERROR": ("InternalError", "Something else failed inside."),
}


class Record(NamedTuple):
    """One public function: its name, the operator that it serves, what it accepts and raises."""

    name: str  # the name under `suanzi`
    function: Callable[..., Any]
    of: str  # the catalogue's name of the operator that it is, or that it belongs to
    accepts: str  # kinds of element type: B bool, I integers, F floating, C complex, S string
    statuses: tuple[str, ...]  # the unsuccessful statuses that it may give, by name
    core: Callable[..., Any] | None  # the builtin that carries it out, where it is no function of Python's
    scratch: str  # bytes that it takes beside its result, as `scratch` reads them; empty: tiles alone
    accuracy: Bound | None  # of a mathematical function; others are exact, or say themselves what they are

    @property
    def entry(self) -> Entry:
        """The operator in Table 2."""
        return CATALOGUE[self.of]

    @property
    def is_extra(self) -> bool:
        """Whether this is an addition of ours to the operator, as `atan2` is to `atan`."""
        return self.name != self.of


_records: dict[str, Record] = {}


def operator(
    accepts: str,
    statuses: tuple[str, ...] = (),
    *,
    name: str | None = None,
    of: str | None = None,
    scratch: str = "",
    parameters: Mapping[str, str] = MappingProxyType({}),
    core: Callable[..., Any] | None = None,
    accuracy: Bound | None = None,
    composed: bool = True,
) -> Callable[[Function], Function]:
    """Record the decorated function and complete its docstring.

    It is returned as a function that calls `core`, or that is composed of others: see native/python/function.h.

    Parameters
    ----------
    accepts : str
        Kinds of element type that it takes, among ``"BIFCS"``; empty where it takes no tensor.
    statuses : tuple of str, optional
        Statuses besides `ALWAYS` that it may give, by their name in `suanzi.Status`.
    name : str, optional
        Its public name where that differs from the function's own.
    of : str, optional
        The operator of the catalogue to which an addition of ours belongs; by default its own name.
    scratch : str, optional
        How many bytes it takes beside its result and the tiles of each thread: an expression of its
        parameters in the words of the module `scratch`.
    parameters : mapping of str to str, optional
        What several functions say of a parameter, by its name: it completes the docstrings that do
        not describe theirs, as that of `out` always is.
    core : builtin of the core, optional
        What does the work of a function that consists of a signature and a docstring; it takes every
        parameter in their order.
    accuracy : Bound, optional
        The errors that a mathematical function may have.
    composed : bool, optional
        Whether a body of Python's may call other functions of the library; False spares a query what that costs.
    """

    def record(function: Function) -> Function:
        public = name or function.__name__
        called: Any = function
        if core:
            called = _core.declared(function, core, public)
        elif composed:
            called = _core.composed(function, public)
        entry = Record(public, called, of or public, accepts, (*statuses, *ALWAYS), core, scratch, accuracy)
        if entry.of not in CATALOGUE:
            raise KeyError(f"operator: {public} belongs to {entry.of!r}, which is not in the catalogue")
        if public in _records:
            raise KeyError(f"operator: {public} is declared twice")
        _records[public] = entry
        function.__doc__ = _complete(function, entry, parameters)
        return cast(Function, function if called is function else functools.update_wrapper(called, function))

    return record


def noted_as_one(function: Function) -> Function:
    """An operator whose body looks at its operand: where that is being traced, a call of it is noted instead."""

    @functools.wraps(function)
    def call(x: Any, /, *arguments: Any, **named: Any) -> Any:
        if _core.is_tracing() and (note := getattr(type(x), "__suanzi_note__", None)) is not None:
            return note(function, (x, *arguments), named)
        return function(x, *arguments, **named)

    return cast(Function, call)


def lookup(name: str) -> Record:
    """The record of a public name; KeyError when there is none."""
    return _records[name]


def records() -> Iterator[Record]:
    """Every recorded function in the order of declaration."""
    return iter(tuple(_records.values()))


def implementation(entry_name: str) -> Record | None:
    """The function that is the catalogue's operator of this name, or None while there is none."""
    return _records.get(entry_name)


def extras(entry_name: str) -> tuple[Record, ...]:
    """The functions that belong to an operator of the catalogue without being it."""
    return tuple(r for r in _records.values() if r.of == entry_name and r.is_extra)


# Since Python 3.13 the compiler strips a docstring's indentation.
_INDENT = "" if sys.version_info >= (3, 13) else "    "
_RETURNS = f"\n\n{_INDENT}Returns\n"
_EXAMPLES = f"{_INDENT}Examples\n{_INDENT}--------\n"
_SHARED = {"out": "out : Tensor, optional\n    Receives the result; has its shape and type."}


def _describe_parameters(doc: str, function: Callable[..., Any], parameters: Mapping[str, str]) -> str:
    """The docstring with the shared descriptions of parameters that it lacks, in the order of the signature."""
    code = inspect.unwrap(function).__code__
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    following = _RETURNS
    for name in reversed(names):
        if f"\n{_INDENT}{name} : " in doc:
            following = f"\n{_INDENT}{name} : "
        elif name in parameters:
            text = "".join(f"\n{_INDENT}{line}" for line in parameters[name].splitlines())
            doc = doc.replace(following, text + following, 1)
            following = text
    return doc


def _complete(function: Callable[..., Any], record: Record, parameters: Mapping[str, str]) -> str | None:
    """The docstring with what follows from the record: shared parameters, and the sections before the examples.

    What the docstring says itself is left as its author wrote it.
    """
    doc = function.__doc__
    if doc is None:  # python -OO
        return None
    doc = _describe_parameters(doc, function, {**_SHARED, **parameters})
    sections = {
        "Raises": [line for s in record.statuses for line in (_RAISES[s][0], f"    {_RAISES[s][1]}")],
        "Accuracy": record.accuracy.describe() if record.accuracy else [],
        "Memory": memory.describe(record.scratch) if record.scratch else [],
        "Source": [record.entry.reference],
    }
    text = ""
    for title, lines in sections.items():
        if lines and f"\n{_INDENT}{title}\n" not in doc:
            text += "".join(f"{_INDENT}{line}\n" for line in (title, "-" * len(title), *lines)) + "\n"
    head, examples, tail = doc.partition(_EXAMPLES)
    return f"{head}{text}{examples}{tail}" if examples else f"{doc.rstrip()}\n\n{text}"
