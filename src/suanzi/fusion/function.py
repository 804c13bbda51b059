"""`fuse`: the decorator, and the function that it makes."""

from __future__ import annotations

import dataclasses
import functools
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, Generic, NamedTuple, ParamSpec, TypeVar, cast, overload

from suanzi import _core
from suanzi._core import Tensor
from suanzi.fusion.errors import ChangedError, NeedsValueError, TraceError
from suanzi.fusion.explain import explain
from suanzi.fusion.program import Pass, Program
from suanzi.fusion.trace import KINDS, Trace
from suanzi.fusion.traced import Traced, TracedNumber
from suanzi.tensor.status import TypeMismatchError

P = ParamSpec("P")
R = TypeVar("R")
_MOST_PROGRAMS = 64  # of one function: those used longest ago are forgotten
_MOST_KNOWN = 8
_COMPARED = (bool, float, int, str, type(None))  # arguments that the core compares


class _Place(NamedTuple):
    """Where a tensor stood in a tree, by its number among them."""

    number: int


class _Number(NamedTuple):
    """The same of a number."""

    number: int


def flatten(tree: Any, leaves: list[Any], numbers: list[Any] | None, kinds: tuple[type, ...] = KINDS) -> Any:
    """What is left of nested tuples, lists, dicts and dataclasses when their tensors, and numbers, are taken out."""
    if isinstance(tree, kinds):
        leaves.append(tree)
        return _Place(len(leaves) - 1)
    if numbers is not None and type(tree) is float:
        numbers.append(tree)
        return _Number(len(numbers) - 1)
    if isinstance(tree, (list, tuple)):
        parts = [flatten(x, leaves, numbers, kinds) for x in tree]
        return type(tree)(*parts) if hasattr(tree, "_fields") else type(tree)(parts)
    if type(tree) is dict:
        return {key: flatten(value, leaves, numbers, kinds) for key, value in tree.items()}
    if dataclasses.is_dataclass(tree) and not isinstance(tree, type):
        fields = [f.name for f in dataclasses.fields(tree) if f.init]
        return dataclasses.replace(tree, **{f: flatten(getattr(tree, f), leaves, numbers, kinds) for f in fields})
    return tree


def unflatten(tree: Any, leaves: list[Any]) -> Any:
    """The inverse of `flatten`, where no numbers were taken out."""
    return leaves[tree.number] if isinstance(tree, _Place) else _replaced(tree, lambda x: leaves[x.number])


def _replaced(tree: Any, function: Callable[[Any], Any]) -> Any:
    """The tree with the function's answer for each place in it."""
    if isinstance(tree, (_Place, _Number)):
        return function(tree)
    if isinstance(tree, (list, tuple)):
        parts = [_replaced(x, function) for x in tree]
        return type(tree)(*parts) if hasattr(tree, "_fields") else type(tree)(parts)
    if type(tree) is dict:
        return {key: _replaced(value, function) for key, value in tree.items()}
    if dataclasses.is_dataclass(tree) and not isinstance(tree, type):
        changed = {f.name: _replaced(getattr(tree, f.name), function) for f in dataclasses.fields(tree) if f.init}
        return dataclasses.replace(tree, **changed)
    return tree


def _key(x: Any) -> Any:
    """What of an argument a program depends on."""
    if isinstance(x, Tensor):
        return x.dtype, x.shape, x.strides, _core.order_if_other(x)
    if isinstance(x, KINDS):
        return type(x), x.dtype, x.shape
    if isinstance(x, (list, tuple)):
        return type(x), tuple([_key(part) for part in x])
    if type(x) is dict:
        return dict, tuple([(key, _key(value)) for key, value in x.items()])
    if dataclasses.is_dataclass(x) and not isinstance(x, type):
        return type(x), tuple([_key(getattr(x, f.name)) for f in dataclasses.fields(x)])
    return type(x), repr(x) if isinstance(x, (float, complex)) else x  # 0.0 and -0.0 are equal


class _Traced(NamedTuple):
    """A program, and how its results stand in what the function gives."""

    program: Program
    results: Any


class _NotTraced(NamedTuple):
    """Why the function runs as it is."""

    reason: str


class _Call(NamedTuple):
    key: Any
    tree: Any  # of the arguments, with places for tensors and numbers
    tensors: list[Any]
    numbers: tuple[float, ...]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]


class FusedFunction(Generic[P, R]):
    """A function of tensors that takes as few passes over memory as its operators allow. Made by `fuse`."""

    def __init__(self, function: Callable[P, R]) -> None:
        self._function = function
        self._programs: OrderedDict[Any, _Traced | _NotTraced] = OrderedDict()
        self._static: set[int] = set()  # numbers among the arguments whose value is needed
        self._known: tuple[Any, ...] = ()  # calls that the core knows again
        functools.update_wrapper(self, function)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        if not kwargs:
            for known in self._known:
                if (result := known(*args)) is not None:
                    return cast(R, result)
        if _core.is_tracing():  # as a part of another function
            return self._function(*args, **kwargs)
        call = self._read(args, kwargs)
        traced = self._programs.get(call.key)
        if traced is None:
            return cast(R, self._first(call))
        with suppress(KeyError):  # another thread had it forgotten
            self._programs.move_to_end(call.key)
        if isinstance(traced, _NotTraced):
            return self._function(*args, **kwargs)
        try:
            results = traced.program.run(call.tensors, call.numbers)
        except ChangedError:
            return cast(R, self._first(call))
        return cast(R, unflatten(traced.results, results))

    def _read(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> _Call:
        tensors: list[Any] = []
        numbers: list[Any] = []
        tree = flatten((args, kwargs), tensors, numbers)
        if self._static:
            tree = _replaced(
                tree, lambda x: numbers[x.number] if isinstance(x, _Number) and x.number in self._static else x
            )
        key = _key(tree), tuple([_key(x) for x in tensors])
        try:
            hash(key)
        except TypeError as error:
            raise TypeMismatchError(f"fuse: {error}: arguments other than tensors must be hashable") from None
        return _Call(key, tree, tensors, tuple(numbers), args, kwargs)

    def _first(self, call: _Call) -> Any:
        """Trace the function, which gives the results of this call too."""
        trace = Trace(call.numbers)
        results: list[Any] = []
        try:
            args, kwargs = self._operands(trace, call)
            with _tracing():
                shape = flatten(self._function(*args, **kwargs), results, None, (Traced, TracedNumber, *KINDS))
            program = trace.finish(results)
        except NeedsValueError as error:
            self._static.add(error.argument)
            return self(*call.args, **call.kwargs)
        except TraceError:
            raise
        except Exception as error:  # whatever it is, the function itself has the last word
            result = self._function(*call.args, **call.kwargs)
            self._keep(call.key, _NotTraced(f"{type(error).__name__}: {error}"))
            return result
        self._keep(call.key, _Traced(program, shape))
        if (known := _known_call(call, program, shape)) is not None:
            self._known = (known, *self._known[: _MOST_KNOWN - 1])  # another thread may be going through it
        return unflatten(shape, [trace.values[ref] for ref in program.outputs])

    def _operands(self, trace: Trace, call: _Call) -> Any:
        tensors = [trace.argument(x) for x in call.tensors]
        numbers = [trace.number(i, x) for i, x in enumerate(call.numbers)]
        return _replaced(call.tree, lambda x: tensors[x.number] if isinstance(x, _Place) else numbers[x.number])

    def _keep(self, key: Any, traced: _Traced | _NotTraced) -> None:
        self._programs[key] = traced
        if len(self._programs) > _MOST_PROGRAMS:
            self._programs.popitem(last=False)

    def explain(self, *args: P.args, **kwargs: P.kwargs) -> str:
        """What a call with these arguments does: its passes, what each reads and writes, and what divides them.

        The function is run once where it has not been with arguments of this kind.
        """
        key = self._read(args, kwargs).key
        if key not in self._programs:
            self(*args, **kwargs)
            key = self._read(args, kwargs).key
        traced = self._programs[key]
        if isinstance(traced, _NotTraced):
            return f"not traced, runs as it is: {traced.reason}"
        return explain(traced.program)


def _known_call(call: _Call, program: Program, results: Any) -> Any:
    """The call for the core, where it consists of arguments by position and one pass; it saves most of its price.

    A thousand elements take about 2 us so, and 20 us otherwise.
    """
    arguments, keywords = call.tree
    places = list(results) if type(results) is tuple else [results]
    simple = all(isinstance(x, (_Place, _Number)) or type(x) in _COMPARED for x in arguments)
    if keywords or not simple or not all(isinstance(x, _Place) for x in places):
        return None
    if len(program.steps) != 1 or not isinstance(step := program.steps[0], Pass) or step.given is None:
        return None
    if not set(program.outputs) <= set(step.results):
        return None
    position = {x.number: i for i, x in enumerate(arguments) if isinstance(x, _Place)}
    numbers = {x.number: i for i, x in enumerate(arguments) if isinstance(x, _Number)}
    captured = list(program.captured)
    inputs = [position[ref] if ref in position else ~captured.index(ref) for ref in step.inputs]
    kinds = ["tensor" if isinstance(x, _Place) else "number" if isinstance(x, _Number) else "same" for x in arguments]
    outputs = [step.plan.wanted[step.results.index(program.outputs[x.number])] for x in places]
    return _core.FusedCall(
        call.args, kinds, step.plan.schedule, inputs, list(program.captured.values()),
        [numbers[i] for i in step.given], outputs, type(results) is not tuple,
    )  # fmt: skip


@contextmanager
def _tracing() -> Iterator[None]:
    _core.set_tracing(True)
    try:
        yield
    finally:
        _core.set_tracing(False)


@overload
def fuse(function: Callable[P, R], /) -> FusedFunction[P, R]: ...
@overload
def fuse() -> Callable[[Callable[P, R]], FusedFunction[P, R]]: ...
def fuse(function: Callable[P, R] | None = None, /) -> Any:
    """A function of tensors that takes few passes over memory, with the bits that it has without (算子融合).

    Operators one after the other read and write their tensors each; a chain of elementwise ones is as fast as memory,
    however little there is to compute. The function that this decorator makes runs such chains tile by tile, with what
    lies between two operators in registers or in the first cache, and reductions of rows with what stands before and
    after them block by block. Nothing is compiled: the first call with arguments of some types and shapes runs the
    function once on operands that stand for tensors, which takes less than a millisecond beside the work itself, and
    later calls repeat what it did.

    Parameters
    ----------
    function : callable, optional
        Takes tensors, alone or in tuples, lists, dicts and dataclasses, and whatever else is hashable; gives tensors
        in the same. It is run again where the type, shape, or layout of a tensor changes, or an argument that is
        neither a tensor nor a float. What it does besides computing tensors is done at those calls only, and tensors
        that it has from elsewhere are the ones that it had then. None: the decorator itself, for ``@suanzi.fuse()``.

    Returns
    -------
    FusedFunction
        Is called as the function is, and gives the same bits, whatever the number of threads and the processor. A
        method `explain` of the same arguments says what a call does. Operators that are no part of a chain (a sort, a
        product, an index) divide it and run as they are; so does, as a whole, a function that draws random numbers or
        that knows only tensors.

    Raises
    ------
    TraceError
        The function depends on the values of a tensor (`if x.sum() > 0`), or writes into an argument: INVALID_ARGUMENT,
        with the line.
    TypeMismatchError
        An argument that is no tensor is not hashable.

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
    1 fused part, 7,812.5 KiB to and from memory
    by blocks of about 21 rows, which stay in the cache:
      fold over (1000, 1000) (1,000,000 elements): max
      pass over (1000, 1000) (1,000,000 elements): subtract, exp
      fold over (1000, 1000) (1,000,000 elements): sum
      pass over (1000, 1000) (1,000,000 elements): true_divide
    """
    return FusedFunction if function is None else FusedFunction(function)
