"""The decorator `fuse`, and the class of fused functions."""

from __future__ import annotations

import functools
import inspect
import operator
import os
import sys
import types
import weakref
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Concatenate, Generic, NamedTuple, ParamSpec, TypeVar, cast, overload

from suanzi import _core, tuning
from suanzi.fusion.description import describe
from suanzi.fusion.explain import explain
from suanzi.fusion.first_run import FirstRun
from suanzi.fusion.known import Call, known_call
from suanzi.fusion.plan import value_of
from suanzi.fusion.program import Program, check, check_devices, store
from suanzi.fusion.trees import (
    Number,
    Place,
    check_results,
    contents,
    flatten,
    key_of,
    kind_of,
    replaced,
    states_of,
    unflatten,
)
from suanzi.graph.errors import (
    ChangedError,
    NeedsValueError,
    RefutedError,
    TraceError,
    UntracedError,
    give_up,
    insisted,
    refuse_out,
)
from suanzi.graph.memory import Memory
from suanzi.graph.node import KINDS, Graph
from suanzi.graph.recording import Recording, switched, watched
from suanzi.graph.stand_ins import Traced, TracedNumber
from suanzi.interop.files import drawing
from suanzi.kinds import devices
from suanzi.sparse import SparseTensor
from suanzi.tensor.messages import shown
from suanzi.tensor.status import DimensionsMismatchError, SuanziError, TypeMismatchError, UninitializedObjectError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

P = ParamSpec("P")
Q = ParamSpec("Q")
R = TypeVar("R")
_TOLD = (*functools.WRAPPER_ASSIGNMENTS, "__wrapped__")  # attributes copied from the decorated function


class _Traced(NamedTuple):
    """A program, and the positions of the program's results in the function's result."""

    program: Program
    results: Any
    known: Any = None  # an object with which the core recognises and runs calls of the program
    watched: tuple[weakref.ref[Any], ...] = ()  # objects in the key (the program is dropped if an object is freed)


class _NotTraced(NamedTuple):
    """The reason why a function runs without fusion."""

    reason: str
    watched: tuple[weakref.ref[Any], ...] = ()


class FusedFunction(Generic[P, R]):
    """A function made by `fuse`. The function makes as few passes over memory as the operators allow."""

    __wrapped__: Callable[P, R]
    __qualname__: str

    def __init__(self, function: Callable[P, R]) -> None:
        if not callable(function):
            name = type(function).__name__
            raise TypeMismatchError(f"fuse: {name} is not a function; use suanzi.fuse(lambda x: x * 2 + 1)")
        self._function = function
        self._programs: OrderedDict[Any, _Traced | _NotTraced] = OrderedDict()
        self._static: set[int] = set()  # indices of the numbers whose value a program depends on
        # Calls that the core recognises. The core does not compare the default device, so these calls use the CPU.
        self._known: tuple[Any, ...] = ()
        # The number of traces made because sparse tensors changed their number of elements. After more than
        # `tuning.MOST_MOVES` of these traces, an operator of sparse tensors is recorded as a whole, so that no new
        # trace is needed.
        self._moves = 0
        self._traced_kinds: set[Any] = set()
        functools.update_wrapper(self, function)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        if "out" in kwargs and self._gives_out:
            return cast(R, self._into(kwargs.pop("out"), args, kwargs))
        if not kwargs and devices.default is None:
            for known in self._known:
                if (result := known(*args)) is not None:
                    return cast(R, result)
        if _core.is_tracing():  # the function is a part of another function
            return self._function(*args, **kwargs)
        try:
            call = self._read(args, kwargs)
        except UntracedError:
            return self._function(*args, **kwargs)
        traced = self._recall(call)
        if traced is None:
            return cast(R, self._first(call))
        if isinstance(traced, _NotTraced):
            return self._function(*args, **kwargs)
        try:
            results = traced.program.run(call.tensors, call.numbers)
        except ChangedError:
            self._moves += 1
            return cast(R, self._first(call))
        except RefutedError:
            return self._function(*args, **kwargs)
        except SuanziError:
            traced.program.check_tile()  # an error of the tile shape is not an error of the function
            return self._function(*args, **kwargs)  # the function raises the error again, or handles it
        return cast(R, unflatten(traced.results, results))

    def __reduce__(self) -> str | tuple[Any, ...]:
        """Pickle the name if other processes can import the function by its name, else pickle the original function."""
        return self.__qualname__ if _is_found(self) else (fuse, (self._function,))

    def __copy__(self) -> FusedFunction[P, R]:
        return self

    def __deepcopy__(self, memo: object) -> FusedFunction[P, R]:
        return self

    @functools.cached_property
    def _gives_out(self) -> bool:
        """Return whether `fuse` handles the argument `out`, which is true if the function has no parameter `out`."""
        try:
            parameters = inspect.signature(self._function).parameters
        except (TypeError, ValueError):
            return True
        return "out" not in parameters and all(p.kind is not p.VAR_KEYWORD for p in parameters.values())

    def _recall(self, call: Call) -> _Traced | _NotTraced | None:
        traced = self._programs.get(call.key)
        if traced is not None:
            with suppress(KeyError):  # another thread may have removed the key
                self._programs.move_to_end(call.key)
        return traced

    def _into(self, out: Any, args: Any, kwargs: Any) -> Any:
        """Call the function, write the results into the tensors of `out`, and return `out`. The structure of `out` must
        be the structure of the results.
        """
        if _core.is_tracing():
            refuse_out()
        places: list[Any] = []
        shape = flatten(out, places, None)
        traced = None
        with suppress(UntracedError):
            call = self._read(args, kwargs)
            traced = self._recall(call)
            check_devices(call.tensors, places)
        if isinstance(traced, _Traced) and traced.results == shape and _runs_into(traced.program, call, places):
            return out
        results: list[Any] = []
        given = flatten(self(*args, **kwargs), results, None)
        if given != shape:
            raise TypeMismatchError(f"fuse: out is {shown(shape)}, but the function returns {shown(given)}")
        check([value_of(x) for x in results], places)
        store([_core.clone(x) for x in results], places)
        return out

    @overload
    def __get__(self, instance: None, owner: type | None = None, /) -> FusedFunction[P, R]: ...
    @overload
    def __get__(
        self: FusedFunction[Concatenate[Any, Q], R], instance: object, owner: type | None = None, /
    ) -> FusedMethod[Q, R]: ...
    def __get__(self, instance: Any, owner: type | None = None, /) -> Any:
        """Return the function itself for access through a class, and a bound method for access through an object."""
        return self if instance is None else FusedMethod(self, instance)

    def _read(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Call:
        try:
            return self._split(args, kwargs)
        except RecursionError:
            raise UntracedError("an argument refers to itself, or has too many levels") from None
        except UninitializedObjectError:  # the function raises the error if it reads the argument
            raise UntracedError("an argument has been destroyed") from None

    def _split(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Call:
        tensors: list[Any] = []
        numbers: list[Any] = []
        tree = flatten((args, kwargs), tensors, numbers)
        if self._static:
            tree = replaced(
                tree, lambda x: numbers[x.number] if isinstance(x, Number) and x.number in self._static else x
            )
        objects: list[weakref.ref[Any]] = []
        of_tensor = kind_of if self._moves > tuning.MOST_MOVES else key_of
        defaults = _core.default_dtype().code, devices.default  # the function may create tensors
        key = key_of(tree, objects), tuple([of_tensor(x, objects) for x in tensors]), defaults
        try:
            hash(key)
        except (TypeError, ValueError) as error:  # ValueError: a memoryview of memory that may change
            rule = "arguments other than tensors must be hashable; suanzi.tensor(array) makes a tensor of an array"
            raise TypeMismatchError(f"fuse: {error}: {rule}") from None
        return Call(key, objects, tree, tensors, tuple(numbers), args, kwargs)

    def _first(self, call: Call, *, watching: bool = True) -> Any:
        """Trace a run of the function, and return the results of this run for the call.

        If `watching` is False, operators on tensors that are not arguments are not recorded, and nothing is kept.
        """
        self._note_kinds(call)
        if wholes := self._moves > tuning.MOST_MOVES:
            call = self._read(call.args, call.kwargs)  # the key no longer includes the number of elements
        memory = Memory(Graph())
        run = FirstRun(memory, call.numbers)
        recording = Recording(run, memory, wholes=wholes)
        results: list[Any] = []
        try:
            args, kwargs = self._operands(recording, call)
            with switched(_core.set_tracing), insisted():
                given, states = list(contents((args, kwargs))), states_of((args, kwargs))
                with watched(recording.watch if watching else None):
                    returned = self._function(*args, **kwargs)
                left = list(contents((args, kwargs)))
                if len(left) != len(given) or not all(
                    map(_is_kept, given, left)
                ):  # the arguments themselves are copies
                    give_up("the function changes an argument that is not a tensor")
                _take_back(states)
                shape = flatten(returned, results, None, (Traced, TracedNumber, *KINDS))
                check_results(shape)
                program = run.program(len(call.tensors), recording.captured, *recording.finish(results))
        except NeedsValueError as error:
            self._static.add(error.argument)
            recording.let_go()
            return self(*call.args, **call.kwargs)
        except Exception as error:  # after any other error, the function runs without fusion
            if isinstance(error, TraceError) and not recording.has_watched:
                raise
            recording.let_go()
            if isinstance(error, TraceError):  # a function that is at fault itself raises the error again
                self._first(call, watching=False)
            if not watching:
                return None  # the caller runs the function
            result = self._function(*call.args, **call.kwargs)
            self._keep(call, _NotTraced(f"{type(error).__name__}: {error}"))
            return result
        recording.let_go()
        if not watching:
            return None
        known = known_call(call, run.values, program, shape) if devices.default is None else None
        self._keep(call, _Traced(program, shape, known))
        program.check_tile()
        if known is not None:
            self._known = (known, *self._known[: tuning.MOST_KNOWN_CALLS - 1])  # threads may iterate over `_known`
        if program.is_refuted(run.values):
            return self._function(*call.args, **call.kwargs)
        return unflatten(shape, [run.values[ref] for ref in program.outputs])

    def _note_kinds(self, call: Call) -> None:
        if not any(isinstance(x, SparseTensor) for x in call.tensors):
            return
        kinds = call.key[0], tuple([kind_of(x, []) for x in call.tensors])
        self._moves += kinds in self._traced_kinds and call.key not in self._programs
        self._traced_kinds.add(kinds)

    def _operands(self, recording: Recording, call: Call) -> Any:
        tensors = [recording.argument(x) for x in call.tensors]
        numbers = [recording.number(i, x) for i, x in enumerate(call.numbers)]
        return replaced(call.tree, lambda x: tensors[x.number] if isinstance(x, Place) else numbers[x.number])

    def _keep(self, call: Call, traced: _Traced | _NotTraced) -> None:
        this, key = weakref.ref(self), call.key

        def forget(_: object) -> None:
            if (function := this()) is not None:
                traced = function._programs.pop(key, None)
                if isinstance(traced, _Traced):  # calls that the core recognises also keep their tensors
                    function._known = tuple([known for known in function._known if known is not traced.known])

        objects = [found for known in call.objects if (found := known()) is not None]
        self._programs[key] = traced._replace(watched=tuple([weakref.ref(x, forget) for x in objects]))
        if len(self._programs) > tuning.MOST_PROGRAMS:
            self._programs.popitem(last=False)

    def explain(self, *args: P.args, **kwargs: P.kwargs) -> str:
        """Describe a call with the given arguments: the passes, the memory that each pass reads and writes, and the
        operators that divide the passes.

        The function runs once if no earlier call had arguments of the same types, shapes and layouts.
        """
        traced = self._traced(args, kwargs)
        if isinstance(traced, _NotTraced):
            return f"not traced, runs as it is: {traced.reason}"
        return explain(describe(traced.program))

    def plot(self, *args: Any, path: str | os.PathLike[str] | None = None, **kwargs: Any) -> Figure:
        """Draw a call with the given arguments: the passes that `explain` describes, and the tensors between the
        passes.

        Parameters
        ----------
        *args, **kwargs
            The arguments of the function, which runs once if no earlier call had arguments of the same types, shapes
            and layouts.
        path : path, optional
            The file for the picture. The suffix chooses the format (``.png``, ``.svg``, ``.pdf``).

        Returns
        -------
        matplotlib.figure.Figure

        Raises
        ------
        ImportError
            matplotlib is not installed. ``pip install 'suanzi[plot]'`` installs matplotlib.
        InvalidArgumentError
            The file cannot be written, or matplotlib has no format of the file's suffix.

        Examples
        --------
        >>> import suanzi
        >>> logistic = suanzi.fuse(lambda x: 1 / (1 + suanzi.exp(-x)))
        >>> figure = logistic.plot(suanzi.zeros(1000))
        """
        from suanzi.fusion.plot import draw, draw_untraced

        if path is not None:
            with drawing(path, f"suanzi.fuse: plot: {shown(os.fspath(path))}") as save:
                figure = self.plot(*args, **kwargs)
                save(figure)
            return figure
        traced = self._traced(args, kwargs)
        name = getattr(self, "__name__", type(self._function).__name__)  # a callable object has no name
        if isinstance(traced, _NotTraced):
            return draw_untraced(traced.reason, name)
        return draw(describe(traced.program), name)

    def _traced(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> _Traced | _NotTraced:
        """Return the trace that calls with the given arguments use. The function runs once if no earlier call had
        arguments of the same types, shapes and layouts.
        """
        try:
            call = self._read(args, kwargs)
        except UntracedError as error:
            return _NotTraced(f"{type(error).__name__}: {error}")
        if call.key not in self._programs:
            self._first(call)
            call = self._read(args, kwargs)  # the key may now include the value of a number
        return self._programs[call.key]


class FusedMethod(Generic[P, R]):
    """A fused function bound to its first argument, the object of the method."""

    def __init__(self, function: FusedFunction[Any, R], instance: Any) -> None:
        self.__func__, self.__self__ = function, instance
        self.__doc__, self.__module__ = function.__doc__, function.__module__

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of the undecorated method. Attributes are not copied beforehand, because every access to
        the method makes a new `FusedMethod`.
        """
        if name.startswith("__") and name not in _TOLD:
            raise AttributeError(f"a fused method has no attribute {name!r}")
        method = types.MethodType(self.__func__.__wrapped__, self.__self__)
        return method if name == "__wrapped__" else getattr(method, name)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        return self.__func__(self.__self__, *args, **kwargs)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FusedMethod) and self.__func__ is other.__func__ and self.__self__ is other.__self__

    def __hash__(self) -> int:
        return hash((id(self.__func__), id(self.__self__)))

    def explain(self, *args: P.args, **kwargs: P.kwargs) -> str:
        """Return `FusedFunction.explain` for the method's object and the arguments."""
        return self.__func__.explain(self.__self__, *args, **kwargs)

    def plot(self, *args: Any, path: str | os.PathLike[str] | None = None, **kwargs: Any) -> Figure:
        """Return `FusedFunction.plot` for the method's object and the arguments."""
        return self.__func__.plot(self.__self__, *args, path=path, **kwargs)


def _is_kept(given: Any, left: Any) -> bool:
    """Return whether a part of the arguments is the same after a run as before the run."""
    return given is left or (type(given) is type(left) and type(given) in (int, str) and given == left)


def _is_traced(x: Any) -> bool:
    return issubclass(type(x), (Traced, TracedNumber))


def _take_back(states: list[tuple[Any, Any]]) -> None:
    """Undo assignments of traced tensors to attributes of objects, and to elements of lists and dicts in attributes.
    Raise UntracedError if there are any.
    """
    changed = [(x, before) for x, before in states if any(map(_is_traced, x.values() if isinstance(x, dict) else x))]
    for x, before in changed:
        x.clear()
        (x.update if isinstance(x, dict) else x.extend)(before)
    if changed:
        give_up("the function stores a tensor in an attribute of an object")


def _runs_into(program: Program, call: Call, places: list[Any]) -> bool:
    """Run a program with the outputs `places`. Return False, without a change of `places`, if the function itself must
    run.
    """
    try:
        check([program.values[ref] for ref in program.outputs], places)
    except DimensionsMismatchError:  # a result may have another shape than in the recorded call
        return False
    try:
        program.run(call.tensors, call.numbers, places)
    except (ChangedError, RefutedError):
        return False
    except SuanziError:
        program.check_tile()  # an error of the tile shape is not an error of the function
        return False
    return True


def is_known_to_core(function: FusedFunction[..., Any]) -> bool:
    """Return whether the core recognises calls of a function without Python. Calls that the core recognises are so
    short that a microsecond of overhead matters.
    """
    return bool(function._known)


def _is_found(function: FusedFunction[..., Any]) -> bool:
    """Return whether other processes can import the function. The import is possible if the function's module is a file
    that defines the function under its name.
    """
    module = sys.modules.get(getattr(function, "__module__", ""))
    try:
        found = operator.attrgetter(function.__qualname__)(module)
    except AttributeError:  # a nested function, or a callable object without a name
        return False
    return found is function and hasattr(module, "__file__")


@overload
def fuse(function: Callable[P, R], /) -> FusedFunction[P, R]: ...
@overload
def fuse() -> Callable[[Callable[P, R]], FusedFunction[P, R]]: ...
def fuse(function: Callable[P, R] | None = None, /) -> Any:
    """Return a function that computes the same bits in fewer passes over memory (算子融合).

    Operators that run one after the other read and write their tensors in every call, so memory traffic limits chains
    of cheap operators. The fused function runs chains of operators tile by tile, and keeps the values between two
    operators in registers or in the L1 cache. Reductions of rows run together with the operators before and after the
    reductions, block by block. On the CPU nothing is compiled. On other devices, Triton compiles kernels if Triton
    supports the device. The first call with arguments of given types and shapes runs the function once on stand-ins for
    the tensors. The run on stand-ins takes less than a millisecond in addition to the work itself. Later calls repeat
    the recorded operators.

    Parameters
    ----------
    function : callable, optional
        The function. The arguments of the function are tensors, alone or in tuples, lists, dicts and dataclasses, and
        other hashable objects. The results are tensors, alone or in tuples, lists, dicts and dataclasses. Tensors may
        be sparse or quantized. The function runs again if a tensor has another type, shape or layout, or if a sparse
        tensor has another number of elements. The function also runs again if an argument that is neither a tensor nor
        a float has another value. Other effects of the function happen only when the function itself runs. The function
        may read tensors, numbers and other values from outside the arguments (globals, variables of an enclosing
        function, default values, attributes of objects). Later calls use the values that the function read, even if the
        names have other values by then. A method may be decorated in its class. ``self`` is an argument like the other
        arguments, and the fields of a dataclass may change from call to call. Any other object is identified by
        equality and is not kept alive. Later calls use the tensors that such an object has in the first call. A program
        may write into these tensors, but must not replace the tensors. Numbers that the function reads from the
        tensors, as with `item`, stay the same. Tensors that the function makes from no other tensor, as with `arange`,
        are computed in the first call only. Operators on only such tensors, and operators on only outside sparse or
        quantized tensors, are also computed in the first call only. The same is true for operators on outside tensors
        that the function runs in other threads, because a recording sees only the operators of its own thread. The
        function must not depend on the identity (`is`) or the exact `type` of operands, because stand-ins replace the
        operands of all calls. Without a function, the result is the decorator itself, as in ``@suanzi.fuse()``.

    Returns
    -------
    FusedFunction
        An object that is called like the function and returns the same bits, for any number of threads and on any
        processor. If the function has no parameter `out`, a call with `out` writes the results into the tensors of
        `out`. `out` must have the structure of the results. The method `explain` describes a call with given arguments,
        and `plot` draws the call. Operators outside chains (a sort, a product, an index, arithmetic of quantized
        tensors, an operator that changes the coordinates of a sparse tensor) divide the function and run as usual. The
        function may change its own results, by operators in place and by assignments of elements. An assignment of
        elements runs as usual on a copy of the tensor. The whole function runs without fusion if the function draws
        random numbers, writes into a tensor from outside or into a tensor that the function made from no other tensor
        (`zeros`), passes a tensor that is not an argument as `out` to an operator that is not elementwise, copies a
        tensor by `copy.copy`, or calls code that accepts only tensors. The whole function also runs without fusion if
        the result contains an object that is neither a tensor nor an immutable value such as None, a number or a str,
        if an argument refers to itself or is an iterator, if the function changes a list, a dict or an attribute among
        its arguments or stores a tensor in an attribute of any argument, if it handles an error of an operator, or if
        it reads the text of a tensor. A single call runs without fusion if the squares in a normalisation leave the
        range of the type.

    Raises
    ------
    TraceError
        The function depends on the values of a tensor (`if x.sum() > 0`), or writes into an argument. The status is
        INVALID_ARGUMENT, and the message names the line. The call raises the error also if the function catches the
        error.
    TypeMismatchError
        `function` is not a function. An argument that is not a tensor is not hashable. A tensor of `out` cannot hold
        the element type of its result.
    DimensionsMismatchError
        A tensor of `out` does not have the shape of its result.

    Examples
    --------
    >>> import suanzi
    >>> @suanzi.fuse
    ... def softmax(x):
    ...     e = suanzi.exp(x - suanzi.max(x, axis=-1, keepdims=True))
    ...     return e / suanzi.sum(e, axis=-1, keepdims=True)
    >>> softmax(suanzi.tensor([[0.0, 1.0], [2.0, 2.0]]))
    tensor([[0.26894143, 0.7310586 ],
            [0.5       , 0.5       ]])
    >>> print(softmax.explain(suanzi.zeros((1000, 1000))))
    1 fused part, 7.6 MiB to and from memory (30.5 MiB one operator at a time)
    by blocks of about 21 rows, which stay in the cache:
      fold over (1000, 1000) (1,000,000 elements): max
      pass over (1000, 1000) (1,000,000 elements, 2,048 at a time): subtract, exp
      fold over (1000, 1000) (1,000,000 elements): sum
      pass over (1000, 1000) (1,000,000 elements, 2,048 at a time): true_divide
    """
    return FusedFunction if function is None else FusedFunction(function)
