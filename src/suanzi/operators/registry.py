"""The records of Suanzi's functions. The decorator `operator` makes the records.

The module `catalogue` contains the names of the standard, and the module `registry` records the implemented functions.
The tables of sparse and quantized tensors, fusion, and ONNX treat some operators differently from other operators. The
modules of tables, fusion and ONNX read the records of the operators, and keep no list of names.
"""

from __future__ import annotations

import functools
import inspect
import operator as python
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar, cast

from suanzi import _core
from suanzi.operators.accuracy import Bound
from suanzi.operators.catalogue import CATALOGUE, NEURAL, Entry
from suanzi.operators.scratch import Term, describe
from suanzi.operators.shapes import ShapeRule

Function = TypeVar("Function", bound=Callable[..., Any])

# The statuses, by name in Table 1, that every operator may return: for a destroyed operand, and for lack of memory. A
# declaration lists only further statuses.
ALWAYS: tuple[str, ...] = ("UNINITIALIZED_OBJECT", "ALLOC_FAILED")
# Common further statuses: DIMENSIONS_MISMATCH if `out` does not have the result's shape or operands do not broadcast,
# and OUT_OF_RANGE if a scalar does not fit the type.
UNARY: tuple[str, ...] = ("TYPE_MISMATCH", "DIMENSIONS_MISMATCH")
BROADCAST: tuple[str, ...] = ("TYPE_MISMATCH", "DIMENSIONS_MISMATCH", "OUT_OF_RANGE")

_RAISES = {
    "TYPE_MISMATCH": (
        "TypeMismatchError",
        "The function does not accept a type, or types do not promote.",
    ),
    "DIMENSIONS_MISMATCH": ("DimensionsMismatchError", "Shapes do not fit each other."),
    "UNINITIALIZED_OBJECT": ("UninitializedObjectError", "A tensor was destroyed."),
    "INVALID_ARGUMENT": ("InvalidArgumentError", "The function does not accept the value of an option."),
    "ALLOC_FAILED": ("AllocFailedError", "The memory for the result could not be allocated."),
    "OUT_OF_RANGE": ("OutOfRangeError", "An index, an axis or a scalar lies outside its range."),
    "INTERNAL_ERROR": ("InternalError", "The function failed for another reason."),
}


# The families of operators. Other parts of Suanzi select operators by family. The errors of operators in a family
# marked "pure" do not depend on the values of operands. A call of an operator in such a family may be omitted if the
# result is not used.
FAMILIES = {
    "elementwise": "an element of the result is computed from the operands' elements at the same place; pure",
    "reduction": "(x, axis, keepdims, ..., out): the elements along axes are combined into one element; pure",
    "blockwise": "elementwise operators and reductions, which a traced function records one by one",
    "scan": "an element of the result is computed from all earlier elements along an axis",
    "view": "the same elements at other places, where possible in the memory of the operand; pure",
    "part": "a part of each element, where possible in the memory of the operand; pure",
    "movement": "the same elements at other places, in new memory, sometimes with further given elements",
    "gather": "elements that an operand of integers selects",
    "values": "the shape of the result depends on the values of elements",
    "order": "the result depends on the order of the elements by size",
    "product": "sums of products",
    "matrix": "factorisations, systems of equations, norms and similar operators of matrices",
    "transform": "an element of the result is computed from many elements, by the operator's own rule",
    "conversion": "conversion to another element type or another kind of tensor",
    "creation": "a tensor made of numbers, of an array, or like another tensor",
    "random": "random draws",
    "query": "the result is not a tensor",
    "effect": "the operator changes its operand and returns nothing",
}

# The effects of operators on zeros. The effects decide the treatment of sparse operands. The effects of elementwise
# operators come first, and the effects of reductions follow. The table of sparse tensors names further operators.
ZEROS = {
    "linear": "f(0) = 0, and f(x + y) = f(x) + f(y)",
    "kept": "f(0) = 0",
    "union": "f(0, 0) = 0",
    "intersection": "f(0, y) = f(x, 0) = 0",
    "quotient": "f(0, y) = 0 for most y",
    "dense": "f(0, 0) is not 0, so the result is dense",
    "sum": "zeros do not change the result",
    "mean": "zeros add nothing to the sum, but count as elements",
    "prod": "one zero makes the result zero",
    "min": "the result is the lesser of zero and the minimum of the other elements",
    "max": "the result is the greater of zero and the maximum of the other elements",
}


class Record(NamedTuple):
    """The record of a public function: the name, the operator of the standard, the family, the accepted types, the
    errors.
    """

    name: str  # the name under `suanzi`
    function: Callable[..., Any]
    of: str  # the catalogue's name of the operator to which the function belongs
    accepts: str  # kinds of element type: B bool, I integers, F floating, C complex, S string
    statuses: tuple[str, ...]  # the names of the function's unsuccessful statuses
    core: Callable[..., Any] | None  # the builtin that does the work, or None for a Python function
    scratch: Term | None  # the bytes used besides the result, or None if a call needs only tiles
    accuracy: Bound | None  # bounds of a mathematical function, or None for other functions
    family: str  # one of FAMILIES
    zero: str | None  # one of ZEROS, or None
    operands: tuple[str, ...]  # the parameters that may be tensors
    parameters: tuple[str, ...]  # all parameters, in the builtin's order
    builtin: Callable[..., Any]  # `core` or the Python body, called with all parameters by position
    shape: ShapeRule | None = None  # the rule for the result's shape, or None if no rule is known

    @property
    def entry(self) -> Entry:
        """Return the catalogue's entry of the operator to which the function belongs."""
        return CATALOGUE.get(self.of) or NEURAL[self.of]

    @property
    def is_extra(self) -> bool:
        """Return whether the function is an addition to an operator of the standard, such as `atan2` to `atan`."""
        return self.name != self.of

    @property
    def called(self) -> str:
        """Return the function's name without its module, such as "fft" for "fft.fft". The core and the tables of kinds
        of operand use this name.
        """
        return self.name.rpartition(".")[2]

    @property
    def has_out(self) -> bool:
        """Return whether the last parameter may be a tensor that receives the result."""
        return self.parameters[-1:] == ("out",)

    @property
    def options(self) -> tuple[str, ...]:
        """Return the parameters that are neither operands nor `out`."""
        return tuple(name for name in self.parameters if name != "out" and name not in self.operands)


# The function that carries out each of Python's operators. Every Python object has the operators in `COMPARISONS`.
PYTHON_OPERATORS: Mapping[str, str] = MappingProxyType(dict(_core.python_operators))
COMPARISONS: Mapping[str, str] = MappingProxyType(
    {python: name for python, name in PYTHON_OPERATORS.items() if f"__{python}__" in vars(object)}
)

# The families whose functions, if written in Python, only read an attribute that operands of all kinds have.
_READING = ("query", "part")

_records: dict[str, Record] = {}
_neural: dict[str, Record] = {}  # filled when `suanzi.nn` is imported
_by_call: dict[str, Record] = {}  # records by `Record.called`

# The families of the functions in the core's tables of operations and reductions.
_ROWS = dict.fromkeys((name for name, *_ in _core.operations), "elementwise") | dict.fromkeys(
    (name for name, _ in _core.reductions), "reduction"
)


def operator(
    accepts: str,
    statuses: tuple[str, ...] = (),
    *,
    name: str | None = None,
    of: str | None = None,
    scratch: Term | None = None,
    parameters: Mapping[str, str] = MappingProxyType({}),
    core: Callable[..., Any] | None = None,
    accuracy: Bound | None = None,
    family: str | None = None,
    zero: str | None = None,
    operands: tuple[str, ...] | None = None,
    shape: ShapeRule | None = None,
    by_steps: bool = False,
) -> Callable[[Function], Function]:
    """Record the decorated function and complete the function's docstring.

    The result is a function that calls `core`, or the decorated function if `core` is not given. If an operand is of
    another kind than dense, the result calls the function in the table of that kind instead (native/python/function.h).
    A function whose body reads only an attribute of the operand is returned unchanged.

    Parameters
    ----------
    accepts : str
        The accepted kinds of element type, among ``"BIFCS"``, or an empty str if the function accepts no tensor.
    statuses : tuple of str, optional
        The statuses besides `ALWAYS` that the function may return, by the names in `suanzi.Status`.
    name : str, optional
        The public name, if the public name differs from the function's own name.
    of : str, optional
        The operator of the catalogue to which the function belongs, if the function is an addition to the standard, and
        otherwise the function's own name.
    scratch : Term, optional
        The bytes that the function needs besides the result and the tiles of each thread, in the terms of the module
        `scratch`.
    parameters : mapping of str to str, optional
        Descriptions of parameters, by name, that several functions share. A docstring without a description of the
        parameter is completed by the shared description. The description of `out` is always shared.
    core : builtin of the core, optional
        The builtin that carries out a function without a body. The builtin receives every parameter in order.
    accuracy : Bound, optional
        The error bounds of a mathematical function.
    family : str, optional
        One of `FAMILIES`. The default is "elementwise" or "reduction" if a table of the core contains `core`.
    zero : str, optional
        One of `ZEROS`, if the effect on zeros decides the treatment of sparse operands.
    operands : tuple of str, optional
        The parameters that may be tensors, if these parameters differ from the parameters before the ``/``.
    shape : function, optional
        A rule of the module `shapes`, if the shape of the result does not depend on the values of elements. Elementwise
        operators, reductions and views need no rule.
    by_steps : bool, optional
        If True, the tables of other kinds of operand implement the steps of the body, not the function itself. If an
        operation or a formula of the core has the function's name, `record_of` returns the record of the operation or
        the formula for the name.
    """

    def record(function: Function) -> Function:
        public = name or function.__name__
        owner = of or public
        if owner not in CATALOGUE and owner not in NEURAL:
            raise KeyError(f"operator: {public} belongs to {owner!r}, which is not in the catalogue")
        earlier = _records.get(public) or _neural.get(public)
        if earlier is not None and _origin(earlier.function) != _origin(function):  # after an interrupted import
            raise KeyError(f"operator: {public} is declared twice")
        kind = family or _ROWS.get(core.__name__ if core else "")
        called: Any = function
        if by_steps:
            called = functools.update_wrapper(_core.composed(function, public), function)
        elif core is not None or kind not in _READING:
            called = functools.update_wrapper(_core.declared(function, core, public), function)
        if kind not in FAMILIES or (zero is not None and zero not in ZEROS):
            raise KeyError(f"operator: {public} has family {kind!r}, zero {zero!r}, which are not known")
        first, every = _parameters_of(function)
        entry = Record(
            *(public, called, owner, accepts, (*statuses, *ALWAYS), core, scratch, accuracy, kind, zero),
            operands=first if operands is None else operands,
            parameters=every,
            builtin=core or _by_position(called, function),
            shape=shape,
        )
        (_neural if owner in NEURAL else _records)[public] = entry
        if not by_steps:
            _by_call[entry.called] = entry
        called.__doc__ = function.__doc__ = _complete(function, entry, parameters)
        return cast(Function, called)

    return record


def _origin(function: Callable[..., Any]) -> tuple[str, str]:
    return function.__module__, function.__qualname__


def _parameters_of(function: Callable[..., Any]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the names of a declaration's operands and of all parameters, in the builtin's order."""
    code = function.__code__
    count = code.co_argcount + code.co_kwonlyargcount
    names = code.co_varnames
    further = names[count : count + 1] if code.co_flags & inspect.CO_VARARGS else ()
    every = (*names[: code.co_argcount], *further, *names[code.co_argcount : count])
    return (*names[: code.co_posonlyargcount], *further), every


def _by_position(called: Callable[..., Any], declaration: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that calls a Python function, but is called like a builtin: with all parameters by position,
    and with further operands as one tuple.
    """
    code = declaration.__code__
    first, named = code.co_argcount, code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
    further = bool(code.co_flags & inspect.CO_VARARGS)

    def call(*given: Any) -> Any:
        operands = given[first] if further else ()
        return called(*given[:first], *operands, **dict(zip(named, given[first + further :], strict=True)))

    return call if named or further else called


def _internal(name: str, family: str, operands: tuple[str, ...], others: tuple[str, ...], call: Any = None) -> Record:
    """Make the record of a call that is not a call of a public function and has no entry in the catalogue."""
    function = call or getattr(_core, name)
    parameters = (*operands, *others)
    return Record(name, function, name, "", ALWAYS, None, None, None, family, None, operands, parameters, function)


def _to_device(x: Any, device: Any, stream: Any) -> Any:
    return x.to_device(device, stream=stream)


def _row(name: str) -> Record | None:
    """Make the record of an operation or a formula of the core's tables, or return None for other names."""
    rows: dict[str, tuple[int, tuple[str, ...]]] = {row: (arity, ("out",)) for row, arity, _ in _core.operations}
    rows |= {row: (operands, ("number",) * numbers) for row, operands, numbers in _core.formulas}
    if name not in rows:
        return None
    count, others = rows[name]
    return _internal(name, "elementwise", tuple(f"x{i}" for i in range(1, count + 1)), others)


# Calls that are not calls of a public function: attributes, keys, and a method. Some operations of the core only carry
# out a part of a public function, or a function of suanzi.extras. `record_of` makes the records of these operations on
# demand.
_INTERNAL = {
    "__getitem__": _internal("__getitem__", "view", ("x",), ("key",), python.getitem),
    "__setitem__": _internal("__setitem__", "effect", ("x",), ("key", "value"), python.setitem),
    "T": _internal("T", "view", ("x",), (), python.attrgetter("T")),
    "mT": _internal("mT", "view", ("x",), (), python.attrgetter("mT")),
    "to_device": _internal("to_device", "conversion", ("x",), ("device", "stream"), _to_device),
}


def record_of(call: str) -> Record | None:
    """Return the record of a public or internal function of the core by name, or None if no operator has the name."""
    found = _by_call.get(call) or _INTERNAL.get(call)
    if found is None and (found := _row(call)) is not None:
        _INTERNAL[call] = found
    return found


def lookup(name: str) -> Record:
    """Return the record of the function with a public name. Raise KeyError if no imported module has the function."""
    return _records[name] if name in _records else _neural[name]


def records() -> Iterator[Record]:
    """Return the records of the standard's operators and of the additions to the operators, in the order of
    declaration.
    """
    return iter(tuple(_records.values()))


def neural_records() -> Iterator[Record]:
    """Return the records of `suanzi.nn` in the order of declaration, or none before the import of `suanzi.nn`."""
    return iter(tuple(_neural.values()))


def asking_records() -> Iterator[Record]:
    """Return the records of all functions, also of `suanzi.nn`, whose calls depend on the kinds of the operands."""
    return iter(tuple(_by_call.values()))


def implementation(entry_name: str) -> Record | None:
    """Return the record of the function that implements the catalogue's operator of a given name, or None."""
    return _records.get(entry_name)


def extras(entry_name: str) -> tuple[Record, ...]:
    """Return the records of the additions to an operator of the catalogue."""
    return tuple(r for r in _records.values() if r.of == entry_name and r.is_extra)


# Python 3.13 and newer strip a docstring's indentation.
INDENT = "" if sys.version_info >= (3, 13) else "    "
_RETURNS = f"\n\n{INDENT}Returns\n"
_EXAMPLES = f"{INDENT}Examples\n{INDENT}--------\n"
_SHARED = {
    "out": (
        "out : Tensor, optional\n"
        "    The tensor that receives the result, of the result's shape and of a type that can hold the result."
    )
}


def _describe_parameters(doc: str, function: Callable[..., Any], parameters: Mapping[str, str]) -> str:
    """Add shared descriptions of parameters that the docstring lacks, in the order of the signature."""
    code = inspect.unwrap(function).__code__
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    following = _RETURNS
    for name in reversed(names):
        if found := re.search(rf"\n{INDENT}(?:\w+, )*{name}(?:, \w+)* : ", doc):
            following = found[0]
        elif name in parameters:
            text = "".join(f"\n{INDENT}{line}" for line in parameters[name].splitlines())
            doc = doc.replace(following, text + following, 1)
            following = text
    return doc


def _complete(function: Callable[..., Any], record: Record, parameters: Mapping[str, str]) -> str | None:
    """Return a function's docstring with the parts from the record: shared parameters, and sections before the
    examples.

    Sections that the docstring already has are not changed.
    """
    doc = function.__doc__
    if doc is None:  # Python with -OO removes docstrings
        return None
    doc = _describe_parameters(doc, function, {**_SHARED, **parameters})
    sections = {
        "Raises": [line for s in record.statuses for line in (_RAISES[s][0], f"    {_RAISES[s][1]}")],
        "Accuracy": record.accuracy.describe() if record.accuracy else [],
        "Memory": describe(record.scratch) if record.scratch else [],
        "Source": [record.entry.reference],
    }
    text = ""
    for title, lines in sections.items():
        if lines and f"\n{INDENT}{title}\n" not in doc:
            text += "".join(f"{INDENT}{line}\n" for line in (title, "-" * len(title), *lines)) + "\n"
    head, examples, tail = doc.partition(_EXAMPLES)
    return f"{head}{text}{examples}{tail}" if examples else f"{doc.rstrip()}\n\n{text}"
