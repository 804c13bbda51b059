"""Recording of a traced function, which runs once with operands that record all calls.

Calls of elementwise operators, casts and reductions are recorded as nodes. The core's own functions determine the types
and shapes of the nodes. Any other call is a separate step. If the result of a call cannot be predicted, the call runs
at once, after the computations of its operands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol

from suanzi import _core
from suanzi._core import Pattern, Tensor
from suanzi.graph.asked import Asked
from suanzi.graph.errors import give_up, need_value, refuse, refuse_out
from suanzi.graph.foresight import foreseen, type_of
from suanzi.graph.kinds import (
    ON_PATTERNS,
    TracedKind,
    UnknownPartsError,
    decoded,
    on_codes,
    on_values,
)
from suanzi.graph.memory import Memory, lies_in_order
from suanzi.graph.node import KINDS, Derived, Elementwise, Node, Reduction
from suanzi.graph.stand_ins import Traced, TracedNumber
from suanzi.graph.steps import Invocation, Ref, facts_of, leaves, mapped
from suanzi.graph.storage import find, given, new, write
from suanzi.graph.views import NoViewError, view_of
from suanzi.kinds.call import as_itself, call_of
from suanzi.kinds.devices import kind_of_device
from suanzi.operators.registry import Record, record_of
from suanzi.operators.shapes import folded
from suanzi.quantized import QuantizedTensor
from suanzi.sparse import SparseTensor
from suanzi.tensor.device import Device, is_elsewhere
from suanzi.tensor.dtypes import as_dtype, float32, string
from suanzi.tensor.status import SuanziError


class Run(Protocol):
    """The interface of an object that runs the steps of a `Memory` for the recorded call, and stores the call's
    values.
    """

    def give(self, ref: Ref, value: Any) -> None:
        """Store an existing value at the index `ref`."""

    def value(self, ref: Ref) -> Any:
        """Run the recorded steps, and return the value at the index `ref`."""

    def result(self, step: Invocation) -> Any:
        """Run the recorded steps, and return the result of `step`, the last of the steps."""


def _is_basic(key: Any) -> bool:
    """Return whether a key selects a view."""
    parts = key if isinstance(key, tuple) else (key,)
    return all(part is None or part is ... or type(part) in (int, slice) for part in parts)


# The types of keys and values in assignments of elements that are recorded.
_ASSIGNED = (Traced, TracedNumber, Tensor, bool, int, float, complex, type(None), type(...))


def _with_elements(x: Any, key: Any, value: Any) -> Any:
    """Return a copy of `x` in which the elements at `key` have been replaced by `value`."""
    changed = _core.clone(x)
    changed[key] = value
    return changed


# Families of functions whose results are Python's values, parts of an operand, or independent of an operand's values.
_UNWATCHED = frozenset({"creation", "effect", "part", "query"})


class Recording:
    """The recording of one run of a function."""

    def __init__(self, run: Run, memory: Memory, *, wholes: bool = False) -> None:
        self.graph, self.memory, self.run = memory.graph, memory, run
        self.asked = Asked()
        self.captured: dict[Ref, Any] = {}
        self.outside: dict[int, Traced] = {}  # stand-ins for tensors that are not arguments, by id
        self.of_outside: set[Node] = set()  # nodes that depend on no argument
        self.has_watched = False  # True if `watch` has recorded a call
        self.busy = False  # True while this object handles a call, which may call functions of the core
        self.derived: dict[Any, Any] = {}  # tensors made of a pattern and values
        self.device: Device | None = None  # the device of all tensors
        self.assumed_false: list[Traced] = []  # conditions without dimensions
        self.ended = False
        self.wholes = wholes  # True if operators of sparse tensors are recorded as single steps
        # True while the implementation of a sparse operator runs with traced values. A call that is neither recorded as
        # a node nor in `ON_PATTERNS` then raises `UnknownPartsError`, and the operator is recorded as one step.
        self.in_parts = False

    # --- operands ---

    def argument(self, value: Any) -> Traced:
        """Return the stand-in for a tensor among the function's arguments."""
        return given(self._given(value, self._keep(value)))

    def number(self, argument: int, value: float) -> TracedNumber:
        return TracedNumber(self, argument, value, lambda given: given[argument])

    def outer(self, value: Any) -> Traced:
        """Return the stand-in for a tensor that is not among the function's arguments."""
        if id(value) not in self.outside:
            ref = self._keep(value)
            self.captured[ref] = value
            self.outside[id(value)] = stand_in = given(self._given(value, ref))
            self.of_outside.add(stand_in.node)
        return self.outside[id(value)]

    def _keep(self, value: Any) -> Ref:
        ref = self.memory.keep()
        self.run.give(ref, value)
        return ref

    def _given(self, value: Any, ref: Ref, name: str = "") -> Traced:
        self._note_device(value)
        dense = isinstance(value, Tensor)
        node = self.graph.add(Node(name, value.dtype, value.shape, _core.dense_order(value) if dense else None))
        node.like = _stand_in(value) if is_elsewhere(value) else value
        self.memory.put(node, ref, in_order=dense and lies_in_order(value))
        return self._traced(node)

    def _note_device(self, value: Any) -> None:
        """Note the device of a tensor. Raise UntracedError if tensors are on several devices, or if a sparse or
        quantized tensor is not on the CPU.
        """
        device = value.device
        if self.device is None:
            self.device = device
        elif device != self.device:
            give_up(f"tensors on {self.device} and {device}")
        if not isinstance(value, Tensor) and kind_of_device(device, "fuse") is not None:
            give_up(f"a {type(value).__name__} on {device}")

    def _traced(self, node: Node) -> Traced:
        return (Traced if isinstance(node.like, Tensor) else TracedKind)(self, node)

    def sparse(self, parts: SparseTensor) -> TracedKind:
        """Return the stand-in for a sparse tensor with a known pattern and traced values."""
        values: Any = parts._values
        arguments = parts._pattern, values.node, parts._order
        return TracedKind(self, self.graph.add(Derived("sparse tensor", SparseTensor._of, arguments, parts, None)))

    # --- calls ---

    @contextmanager
    def handling(self) -> Iterator[None]:
        """Within a `with` block, this object handles a call, so `watch` does not record calls."""
        before, self.busy = self.busy, True
        try:
            yield
        finally:
            self.busy = before

    def watch(self, name: str, arguments: tuple[Any, ...]) -> Any:
        """Record a call whose operands are tensors from before the trace. The core calls this method during the trace.

        Without this method, the result of the first call would be a constant, and later calls would not read what the
        program has written into the tensors. For a call that is not recorded, the method returns NotImplemented.
        """
        if self.busy or self.ended:
            return NotImplemented
        if name == "__getitem__":
            if _is_basic(arguments[1]):
                return NotImplemented
        elif (record := record_of(name)) is None or record.family in _UNWATCHED:
            return NotImplemented
        self.has_watched = True
        return self.call(name, mapped(arguments, lambda x: self.outer(x) if type(x) is Tensor else x))

    def call(self, name: str, arguments: tuple[Any, ...]) -> Any:
        """Record a call of the core's function `name`, and return the stand-in for the result. The core's dispatch
        calls this method.
        """
        with self.handling():
            return self.noted(arguments, self._call(name, arguments))

    def noted(self, arguments: tuple[Any, ...], result: Any) -> Any:
        """Note whether the result of a call depends on an argument of the traced function, and return the result."""
        operands = [x for x in leaves(arguments) if isinstance(x, (Traced, TracedNumber))]
        if all(isinstance(x, Traced) and x.node in self.of_outside for x in operands):
            self.of_outside.update(x.node for x in leaves((result,)) if isinstance(x, Traced))
        return result

    def _call(self, name: str, arguments: tuple[Any, ...]) -> Any:
        if name == "__setitem__":
            refuse(
                "elements are assigned", "but a fused function must not modify tensors; suanzi.where makes a new one"
            )
        if name == "reduce" and (named := as_itself(call_of(name, arguments))) is not None:
            name, arguments = named
        record = record_of(name)
        if record is not None and record.core is None and record.family in ("creation", "blockwise"):
            return NotImplemented  # the function's Python body runs, and its calls are traced or raise errors
        operands = list(leaves(arguments))
        self._check(operands)
        if record is not None:
            self._check_effects(record, arguments)
        function = getattr(_core, name) if record is None else record.builtin
        family = None if record is None else record.family
        if record is not None and self._are_elements(arguments[: len(record.operands)]):
            if family == "elementwise":
                return self._elementwise(record, arguments)
            if family == "reduction" and record.parameters[1] == "axis" and arguments[-1] is None:
                return self._reduction(record, arguments)
            if name == "astype":
                return self._cast(record, *arguments)
        if name == "expand" and _core.read_shape(name, arguments[1], -1) == arguments[0].shape:
            return arguments[0]
        if name in ON_PATTERNS or (self.in_parts and name == "expand"):
            return self._on_pattern(name, function, arguments)
        if self.in_parts:
            raise UnknownPartsError
        if family == "elementwise" or name == "astype":
            how = on_codes if any(isinstance(x, QuantizedTensor) for x in operands) else on_values
            if (result := how(self, name, arguments)) is not None:
                return result
        if name == "dequantize" and isinstance(arguments[0], QuantizedTensor):
            return decoded(self, arguments[0], float32)
        return self.split(name, function, arguments)

    def _check_effects(self, record: Record, arguments: tuple[Any, ...]) -> None:
        """Raise an error for a call that changes a tensor: a call with `out`, or `destroy`."""
        if record.family == "effect":
            give_up(f"{record.name} is called")
        if not record.has_out or record.family == "elementwise":
            return
        for out in leaves(arguments[len(record.parameters) - 1 :]):
            if isinstance(out, Traced) and out.storage.is_given:
                refuse_out()
            if out is not None:
                give_up(f"{record.name} receives out")

    def _on_pattern(self, name: str, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
        """Record a call of a function of patterns. A repeated call with the same arguments returns the first result, so
        that equal patterns are one object.
        """
        patterns = self.memory.patterns
        if any(isinstance(x, Pattern) and id(x) not in patterns for x in arguments):
            raise UnknownPartsError
        key = name, *(x.node if isinstance(x, Traced) else id(x) if isinstance(x, Pattern) else x for x in arguments)
        if key not in self.derived:
            self.derived[key] = self.split(name.removeprefix("sparse_"), function, arguments)
            for x in leaves((self.derived[key],)):
                if isinstance(x, Traced):
                    x.storage.is_new = False  # other calls return the same stand-in
        return self.derived[key]

    def _check(self, operands: Iterable[Any]) -> None:
        for x in operands:
            if isinstance(x, (Traced, TracedNumber)) and (self.ended or x.recording is not self):
                refuse("an operand is from another call", "but a fused function passes tensors on only as results")

    def _are_elements(self, operands: tuple[Any, ...]) -> bool:
        """Return whether each operand is a number or a dense tensor of numbers."""
        for x in operands:
            if isinstance(x, (Traced, Tensor)) and x.dtype == string:
                return False
            if isinstance(x, (SparseTensor, QuantizedTensor, str)):
                return False
        return True

    # --- parts of computations ---

    def _elementwise(self, record: Record, arguments: tuple[Any, ...]) -> Traced:
        count = len(record.operands)
        options, out = arguments[count : count + len(record.options)], arguments[count + len(record.options) :]
        if any(x is not None for x in out):
            refuse_out()
        for x in options:
            if isinstance(x, TracedNumber):
                need_value(x.argument)
        operands = [self.outer(x) if type(x) is Tensor or is_elsewhere(x) else x for x in arguments[:count]]
        return self._noted(record, (*(x.node if isinstance(x, Traced) else x for x in operands), *options, *out))

    def _noted(self, record: Record, arguments: tuple[Any, ...]) -> Traced:
        node = Elementwise(record, arguments)
        stand_in, asked = self.asked.add(node), self.asked.graph
        if (slot := asked.read_slot) >= 0:
            need_value(self.asked.numbers[slot].argument)
        name, node.dtype, node.shape, node.order, node.heavy = asked.facts(stand_in)
        node.name = name or node.name
        return new(Traced(self, self.graph.add(node)))

    def _cast(self, record: Record, x: Traced, dtype: Any, copy: bool) -> Traced:
        dtype = as_dtype(dtype, "astype")
        if not _core.read_truth("astype", "copy", copy) and x.dtype == dtype:
            return x
        return self._noted(record, (x.node, dtype, True))

    def _reduction(self, record: Record, arguments: tuple[Any, ...]) -> Traced:
        x, axis, keepdims, *options, _ = arguments
        call = call_of(record.called, (x.node, *arguments[1:]))
        dtype = type_of(call)  # a wrong call raises its error here
        axes = tuple(range(x.ndim)) if axis is None else tuple(sorted(_core.read_axes(record.name, axis, x.ndim)))
        passed = dict(zip(record.options[2:], options, strict=True))
        node = Reduction(
            record.name, x.node, dtype, folded(call), axes=axes, keepdims=bool(keepdims),
            correction=float(passed.get("correction", 0.0)), result_type=passed.get("dtype"),
        )  # fmt: skip
        return Traced(self, self.graph.add(node))

    # --- results that the function changes ---

    def in_place(self, name: str, x: Traced, other: Any) -> Any:
        """Record ``x += other`` for a result of the function, and return `x`. Raise TraceError for an argument."""
        if isinstance(other, (SparseTensor, QuantizedTensor)):
            return NotImplemented  # Python computes x = x + other
        self._check_own(x, "an operand is changed")
        record = record_of(name)
        assert record is not None
        result = self.call(name, (x, other, *[None] * (len(record.parameters) - 2)))
        if result.shape != x.shape or result.dtype.kind != x.dtype.kind:  # the function itself raises the error, if any
            give_up(f"{name} in place returns shape {result.shape}, {result.dtype}")
        if result.dtype != x.dtype:
            result = self.call("astype", (result, x.dtype, True))
        with self.handling():
            write(self, x, result)
        return x

    def assign(self, x: Traced, key: Any, value: Any) -> None:
        """Record ``x[key] = value`` for a result of the function. Raise TraceError for an argument."""
        self._check_own(x, "elements are assigned")
        if type(value) is Traced and _is_basic(key) and value.is_view_of(x, key):
            return  # Python assigns the result of `x[key] += number`, which is in place already
        arguments = x, key, value
        for part in leaves(arguments):
            if not isinstance(part, _ASSIGNED):
                give_up(f"elements are assigned by a {type(part).__name__}")
        with self.handling():
            write(self, x, self.noted(arguments, self.split("index", _with_elements, arguments)))

    def whole(self, node: Node) -> Traced:
        """Return another stand-in for the value of `node`."""
        return Traced(self, node)

    def _check_own(self, x: Traced, what: str) -> None:
        self._check((x,))
        if x.storage.is_given:
            refuse(what, "but a fused function must not modify its arguments or views of them")
        if not x.storage.is_new:
            give_up(f"{what}, and other tensors may use the memory")

    # --- separate steps ---

    def split(self, name: str, function: Callable[..., Any], arguments: tuple[Any, ...], *, free: bool = False) -> Any:
        """Record a call as a view or as a separate step, and return the stand-in for the result. `free` is True for a
        call that computes nothing, but only splits a tensor into parts or joins parts.
        """
        self._check(leaves(arguments))
        record = record_of(name)
        if record is not None and record.family == "view":
            view = self._view(name, function, arguments)
            if view is not None:
                return view
        for x in leaves(arguments):
            if isinstance(x, TracedNumber):
                need_value(x.argument)
        noted = mapped(arguments, lambda x: x.node if isinstance(x, Traced) else x)
        step = self.memory.call(name, function, noted, free=free)
        # The parts of complex numbers are views, and the parts of real numbers are not.
        if record is not None and record.family != "part" and (node := foreseen(record, noted)) is not None:
            step.results.append(self.memory.keep())
            step.facts.append(node.shape)
            step.foreseen = node.dtype
            self.memory.put(self.graph.add(node), step.results[0], in_order=True)
            return new(Traced(self, node))
        try:
            result = self.run.result(step)
        except SuanziError as error:  # the function may handle the error, and then takes a branch for these values
            give_up(f"{name} fails: {error}")
        for x in arguments:
            if type(x) is Traced and type(result) is Tensor:
                ref = self.memory.refs[x.node]
                if type(base := self.run.value(ref)) is Tensor and _core.is_view(result, base):
                    step.view_of = ref
        made = self._wrapped(name, result, step)
        self._note_storage(arguments, made, result)
        return made

    def _note_storage(self, arguments: tuple[Any, ...], made: Any, result: Any) -> None:
        """Note which memory each dense result of a step uses: new memory, or the memory of an operand or of another
        result.
        """
        known: list[tuple[Any, Any]] = []
        for x in leaves(arguments):
            known.append((x, self.run.value(self.memory.refs[x.node])) if isinstance(x, Traced) else (None, x))
        for x, value in zip(leaves((made,)), leaves((result,)), strict=True):
            if type(x) is Traced:
                find(x, value, known)
            known.append((x, value))

    def _view(self, name: str, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Traced | None:
        x, *rest = arguments
        if type(x) is not Traced or any(isinstance(part, (Traced, TracedNumber, *KINDS)) for part in leaves(rest)):
            return None
        try:
            view = view_of(name, function, x.node, x.node.layout, tuple(rest))
        except (NoViewError, SuanziError):  # the call itself raises the right error
            return None
        return Traced(self, self.graph.add(view), x.storage)

    def _wrapped(self, name: str, result: Any, step: Invocation) -> Any:
        if isinstance(result, (*KINDS, Pattern)):
            ref = self._keep(result)
            step.results.append(ref)
            step.facts.append(facts_of(result))
            if not isinstance(result, Pattern):
                return self._given(result, ref, name)
            self.memory.patterns[id(result)] = ref
            return result
        if not isinstance(result, (tuple, list)) or not all(isinstance(x, (*KINDS, Pattern)) for x in result):
            refuse(f"{name} returns {result!r:.60}", "which depends on values that are not known while tracing")
        parts = [self._wrapped(name, x, step) for x in result]
        return type(result)(*parts) if hasattr(result, "_fields") else type(result)(parts)

    def value(self, x: Traced) -> Any:
        """Run the steps that compute an operand, and return the operand's value in the recorded call."""
        with self.handling():
            self._check((x,))
            self.memory.bring([x.node])
            return self.run.value(self.memory.refs[x.node])

    # --- the end ---

    def finish(self, results: list[Any]) -> tuple[list[Ref], list[Ref]]:
        """End the recording, and return the indices of the function's results and of the conditions that the trace
        assumes to be False.
        """
        self._check(results)
        self.ended = True
        for x in results:
            if isinstance(x, TracedNumber):
                need_value(x.argument)
        self.memory.bring([x.node for x in (*results, *self.assumed_false) if isinstance(x, Traced)])
        refs = self.memory.refs
        outputs = [refs[x.node] if isinstance(x, Traced) else self._constant(x) for x in results]
        return outputs, [refs[x.node] for x in self.assumed_false]

    def _constant(self, x: Any) -> Ref:
        """Record a result that does not depend on the arguments, and return the index of the result. Each call returns
        a new copy of the result.
        """
        node = self.outer(x).node
        step = self.memory.call("clone", _core.clone, (node,), free=False)
        self._wrapped("clone", self.run.result(step), step)
        return step.results[0]

    def let_go(self) -> None:
        """Drop the recording's references to the values of this run. The values are then freed although stand-ins may
        still refer to the recording.
        """
        self.ended = True
        del self.memory.views, self.memory, self.run, self.asked
        for held in (self.derived, self.outside, self.assumed_false):
            held.clear()


def _stand_in(x: Any) -> Tensor:
    """Return a tensor that has the layout of `x`, a tensor on a device. No code may read the elements of the returned
    tensor.
    """
    from suanzi.devices.front import strided  # the module is already loaded, because a tensor is on a device

    return strided(x)


@contextmanager
def switched(switch: Callable[[bool], None]) -> Iterator[None]:
    """Within a `with` block, turn on a switch of the core for the current thread. One switch is for tracing, and the
    other switch is for the run of a recorded call.

    The switches are separate. A recorded call that runs while the thread traces may write into its own tensors, but
    must not draw random numbers.
    """
    switch(True)
    try:
        yield
    finally:
        switch(False)


@contextmanager
def watched(watch: Callable[[str, tuple[Any, ...]], Any] | None) -> Iterator[None]:
    """Within a `with` block, the core passes calls whose operands are tensors from before the trace to `watch`."""
    _core.set_watcher(watch)
    try:
        yield
    finally:
        _core.set_watcher(None)
