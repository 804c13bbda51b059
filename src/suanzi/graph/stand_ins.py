"""Stand-ins for the operands of a traced function. Operators on stand-ins are recorded instead of computed."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from suanzi import _core
from suanzi.graph.errors import give_up, need_value, refuse
from suanzi.graph.node import Node, View
from suanzi.graph.storage import Storage
from suanzi.operators import methods
from suanzi.operators.registry import COMPARISONS, PYTHON_OPERATORS
from suanzi.tensor.absent import missing
from suanzi.tensor.device import CPU
from suanzi.tensor.layout import Layout
from suanzi.tensor.messages import hint

if TYPE_CHECKING:
    from suanzi.graph.recording import Recording

# The functions of Python's operators: ARITHMETIC has the operators of floats, and IN_PLACE has the operators with an
# in-place form.
ARITHMETIC = {python: name for python, name in PYTHON_OPERATORS.items() if f"__r{python}__" in vars(float)}
IN_PLACE = {python: name for python, name in PYTHON_OPERATORS.items() if f"__i{python}__" in vars(_core.Tensor)}


class Traced(_core.Operators):
    """A stand-in for a tensor in a function that is being traced.

    The stand-in has the type and the shape of the tensor, but not its values. Operators and methods that are called on
    a stand-in are recorded.
    """

    __slots__ = ("__weakref__", "node", "recording", "storage")

    def __init__(self, recording: Recording, node: Node, storage: Storage | None = None) -> None:
        self.recording, self.node, self.storage = recording, node, storage or Storage()
        self.storage.add(self)

    @staticmethod
    def __suanzi_call__(name: str, arguments: tuple[Any, ...]) -> Any:
        recording = _recording_of(arguments)
        if name == "read_tensor":
            if (value := arguments[1].known_value) is not None:
                return value
            give_up(f"{arguments[0]} reads the elements of a tensor")  # the elements do not exist
        return recording.call(name, arguments)

    @property
    def known_value(self) -> Any:
        """The value of a tensor that depends on no argument of the traced function, and None for another tensor.

        Numbers that the traced function reads from a tensor with a known value are constants of the trace.
        """
        return self.recording.value(self) if self.node in self.recording.of_outside else None

    # --- properties of the replaced tensor ---

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        """Return the class of the replaced operand, so that `isinstance` treats a stand-in as a tensor."""
        return _core.Tensor if self.node.like is None else type(self.node.like)

    dtype = property(attrgetter("node.dtype"))
    shape = property(attrgetter("node.shape"))
    size = property(attrgetter("node.elements"))
    nbytes = property(attrgetter("node.bytes"))
    itemsize = property(attrgetter("node.dtype.itemsize"))
    ndim = property(lambda self: len(self.node.shape))
    device = property(lambda self: self.recording.device or CPU)

    @property
    def layout(self) -> Layout:
        order, like = self.node.order, self.node.like
        if like is not None and type(like) is not _core.Tensor:
            return like.layout  # type: ignore[no-any-return]
        return Layout(order=tuple(reversed(range(self.ndim))) if order is None else order)

    def is_view_of(self, x: Traced, key: Any) -> bool:
        """Return whether this tensor is the view ``x[key]``."""
        node = self.node
        return isinstance(node, View) and node.source is x.node and node.arguments[1:] == (key,)

    def __array_namespace__(self, *, api_version: str | None = None) -> Any:
        return _core.Tensor.__array_namespace__(self, api_version=api_version)  # type: ignore[arg-type]

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of a tensor of shape ()")
        return int(self.shape[0])

    def __iter__(self) -> Any:
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        return self._text(repr)

    def __str__(self) -> str:
        return self._text(str)

    def __format__(self, form: str) -> str:
        return self._text(lambda x: format(x, form))

    def _text(self, text: Callable[[Any], str]) -> str:
        if self.recording.ended:
            return f"<traced tensor of shape {self.shape}, {self.dtype}>"
        if (value := self.known_value) is None:
            give_up("the text of a tensor depends on the tensor's values")
        with self.recording.handling():
            return text(value)

    def __getattr__(self, name: str) -> Any:
        if name in ("T", "mT", "real", "imag"):
            with self.recording.handling():
                return self.recording.noted((self,), self.recording.split(name, attrgetter(name), (self,)))
        if name in methods.LOOSE:
            return partial(methods.LOOSE[name], self)
        if name in methods.METHODS:
            return partial(methods.METHODS[name], self)
        if hasattr(_core.Tensor, name):
            if (value := self.known_value) is not None:
                return getattr(value, name)
            give_up(f"the attribute {name} of a tensor is not traced")
        raise missing("Tensor", name, self)

    # --- operations that need values, or change the tensor ---

    def __copy__(self) -> Any:
        give_up("copy.copy of a tensor is not traced")

    def __setitem__(self, key: Any, value: Any) -> None:
        self.recording.assign(self, key, value)


def _of_values(name: str) -> Callable[..., Any]:
    """Return the method of `Traced` that reads values by the method `name` of a tensor."""

    def method(x: Traced, *arguments: Any, **named: Any) -> Any:
        value = x.known_value
        if value is None:
            refuse("the line needs the values of a tensor", f"which are not known while tracing{hint('traced')}")
        with x.recording.handling():
            return getattr(value, name)(*arguments, **named)

    return method


_READING = "bool float int index complex array contains dlpack buffer"
for _name in (*[f"__{name}__" for name in _READING.split()], "item", "tolist", "numpy", "to_numpy"):
    setattr(Traced, _name, _of_values(_name))


def _in_place(name: str) -> Callable[[Traced, Any], Any]:
    def method(x: Traced, other: Any) -> Any:
        return x.recording.in_place(name, x, other)

    return method


for _symbol, _name in IN_PLACE.items():
    setattr(Traced, f"__i{_symbol}__", _in_place(_name))


def _recording_of(arguments: Any) -> Recording:
    for argument in arguments:
        if isinstance(argument, (Traced, TracedNumber)):
            return argument.recording
        if isinstance(argument, (list, tuple)) and any(isinstance(x, (Traced, TracedNumber)) for x in argument):
            return _recording_of(argument)
    raise AssertionError("a call without a traced operand")


class TracedNumber:
    """A stand-in for a float among the arguments. Calls with another number need no new trace."""

    __slots__ = ("argument", "compute", "given", "recording", "value")

    def __init__(
        self, recording: Recording, argument: int, value: float, compute: Callable[[tuple[Any, ...]], float]
    ) -> None:
        self.recording, self.argument, self.value = recording, argument, value
        self.compute = compute  # a function that computes the number from a call's arguments
        self.given = True  # True for an argument, False for a number computed from arguments

    __suanzi_call__ = staticmethod(Traced.__suanzi_call__)
    __class__ = property(lambda _: float)  # not a subclass: C code reads the value in a subclass of float

    def derived(self, function: Callable[[float], float]) -> TracedNumber:
        """Return `function` of this number as a traced number. Each call computes the traced number again."""
        own = self.compute
        made = TracedNumber(self.recording, self.argument, function(self.value), lambda given: function(own(given)))
        made.given = False
        return made

    def combined(self, function: Callable[[float, float], float], other: TracedNumber) -> TracedNumber:
        """Return `function` of this number and `other` as a traced number."""
        first, second = self.compute, other.compute
        made = self.derived(lambda number: function(number, other.value))
        made.compute = lambda given: function(first(given), second(given))
        return made

    def __getattr__(self, name: str) -> Any:
        return getattr(self._read(), name)

    def _read(self) -> float:
        """Return the number if the trace has ended. During the trace, request a new trace for the number."""
        if not self.recording.ended:
            need_value(self.argument)
        return self.value


def _of_number(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x, *arguments: function(x._read(), *arguments)


_CONVERSIONS: tuple[Any, ...] = (bool, float, int, complex, hash, round, str, repr, format, operator.index)
for _function in (*_CONVERSIONS, math.trunc, math.floor, math.ceil):
    setattr(TracedNumber, f"__{_function.__name__}__", _of_number(_function))


# Operators that each call applies to its numbers in Python, with the same results as for tensors. Quotients are
# excluded because a quotient may raise an error, and powers because a power may be complex.
_COMPUTED = {"add": operator.add, "sub": operator.sub, "mul": operator.mul}


def _binary(symbol: str, name: str, *, swapped: bool = False) -> Callable[[TracedNumber, Any], Any]:
    function, plain = _COMPUTED.get(symbol), getattr(operator, symbol)

    def method(x: TracedNumber, other: Any) -> Any:
        if x.recording.ended:
            return plain(other, x.value) if swapped else plain(x.value, other)
        if isinstance(other, Traced):
            return NotImplemented  # Python then tries the other operand's method
        if isinstance(other, _core.Tensor):
            return x.recording.call(name, (other, x, None) if swapped else (x, other, None))
        if function is not None and isinstance(other, TracedNumber):
            return x.combined(function, other)
        if function is None or type(other) not in (int, float):
            need_value(x.argument)
        if swapped:
            return x.derived(lambda number: function(other, number))
        return x.derived(lambda number: function(number, other))

    return method


for _symbol, _name in (*ARITHMETIC.items(), *COMPARISONS.items()):
    setattr(TracedNumber, f"__{_symbol}__", _binary(_symbol, _name))
for _symbol, _name in ARITHMETIC.items():
    setattr(TracedNumber, f"__r{_symbol}__", _binary(_symbol, _name, swapped=True))


def _unary(function: Callable[[float], float]) -> Callable[[TracedNumber], TracedNumber]:
    return lambda x: x.derived(function)


for _function in (operator.neg, operator.pos, abs):
    setattr(TracedNumber, f"__{_function.__name__}__", _unary(_function))
