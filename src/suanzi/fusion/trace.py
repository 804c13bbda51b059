"""Tracing: a function is run once with operands that note what is done with them.

What the tile engine can run is noted in a graph and waits; an operator of any other kind has what it needs computed,
and is carried out at once. So the first call gives its results too, and the program repeats what it did.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from suanzi import _core
from suanzi._core import Pattern, Tensor
from suanzi.fusion.errors import NeedsValueError, refuse
from suanzi.fusion.kinds import (
    ON_PATTERNS,
    TracedQuantized,
    TracedSparse,
    UnknownPartsError,
    decoded,
    on_codes,
    on_values,
)
from suanzi.fusion.plan import Planner, Reduction, value_of
from suanzi.fusion.program import Invocation, Operand, Pass, Program, Ref, facts_of, mapped
from suanzi.fusion.traced import Traced, TracedNumber
from suanzi.fusion.views import Views
from suanzi.kinds.call import as_itself, call_of
from suanzi.operators.creation.filled import zeros
from suanzi.operators.registry import Record, record_of
from suanzi.quantized import QuantizedTensor
from suanzi.sparse import SparseTensor
from suanzi.tensor.dtypes import as_dtype, float32, string

KINDS = (Tensor, SparseTensor, QuantizedTensor)


class _Leaf(NamedTuple):
    """A tensor that is there before the graph is run: where the program keeps it."""

    ref: Ref
    contiguous: bool


class _Made(NamedTuple):
    """A pass, and what it was planned of: so that it can be planned again to keep more."""

    step: Pass
    wanted: list[int]
    leaves: dict[int, bool]  # that were there, and whether each is contiguous
    inside: set[int]  # what it computes


class Trace:
    """One run of a function."""

    def __init__(self, numbers: tuple[float, ...], *, wholes: bool = False) -> None:
        self.graph = _core.FusedGraph()
        self.stands: dict[int, Tensor] = {}  # for the nodes
        self.leaves: dict[int, _Leaf] = {}
        self.reductions: dict[int, Reduction] = {}
        self.values: list[Any] = []  # what the program keeps, as far as this run has it
        self.program = Program()
        self.marks: list[TracedNumber] = []
        self.numbers = numbers  # among the arguments of this call
        self.ended = False
        self.made: list[_Made] = []
        self.views = Views(self)
        self.patterns: dict[int, Ref] = {}  # of sparse tensors, by their id: `values` keeps them alive
        self.derived: dict[Any, Any] = {}  # what has been made of a pattern and values
        self.outside: dict[int, Traced] = {}  # tensors from elsewhere, by their id
        self.wholes = wholes  # operators of sparse tensors are noted as such
        self.in_parts = False  # the implementation of a sparse operator has values that are traced

    # --- operands ---

    def argument(self, value: Any) -> Traced:
        """The operand for a tensor among the arguments, which are given in their order."""
        ref = self._keep(value)
        self.program.arguments += 1
        return self._leaf(value, ref)

    def number(self, argument: int, value: float) -> TracedNumber:
        return TracedNumber(self, argument, value, lambda given: given[argument])

    def _keep(self, value: Any) -> Ref:
        self.values.append(value)
        self.program.values.append(value_of(value))
        return len(self.values) - 1

    def _leaf(self, value: Any, ref: Ref) -> Traced:
        if not isinstance(value, Tensor):
            node = self._opaque(value.shape)
            self.leaves[node] = _Leaf(ref, False)
            return (TracedSparse if isinstance(value, SparseTensor) else TracedQuantized)(self, node, value)
        stands = self.graph.add_like(value)
        node = self.graph.node_of(stands)
        self.stands[node] = stands
        self.leaves[node] = _Leaf(ref, _lies_in_order(value))
        return Traced(self, node, value)

    def _opaque(self, shape: tuple[int, ...]) -> int:
        """A node for what is no dense tensor and has no part in the graph."""
        stands = self.graph.add_input(string, shape, None)
        node = self.graph.node_of(stands)
        self.stands[node] = stands
        return node

    def captured(self, value: Any) -> Traced:
        """The operand for a tensor that the function has from elsewhere."""
        if id(value) not in self.outside:
            ref = self._keep(value)
            self.program.captured[ref] = value
            self.outside[id(value)] = self._leaf(value, ref)
        return self.outside[id(value)]

    def sparse(self, parts: SparseTensor) -> TracedSparse:
        """The operand for a sparse tensor of a known pattern, whose values are traced."""
        return TracedSparse(self, self._opaque(parts.shape), None, parts)

    # --- calls ---

    def call(self, name: str, arguments: tuple[Any, ...]) -> Any:
        """What the core's dispatch asks: to note a call of its function of this name."""
        if name == "__setitem__":
            refuse("elements are assigned", "a traced function writes into nothing; suanzi.where makes a new tensor")
        if name == "reduce" and (named := as_itself(call_of(name, arguments))) is not None:
            name, arguments = named
        record = record_of(name)
        if record is not None and record.core is None and record.family == "creation":
            return NotImplemented  # the body says what is wrong with a traced operand
        operands = list(_operands(arguments))
        self._check(operands)
        function = getattr(_core, name) if record is None else record.builtin
        family = None if record is None else record.family
        if record is not None and family == "elementwise" and self._are_elements(arguments[: len(record.operands)]):
            return self._elementwise(record, arguments)
        if record is not None and family == "reduction" and self._is_noted(record, arguments):
            return self._reduction(record, arguments)
        if name == "astype" and self._are_elements(arguments[:1]):
            return self._cast(*arguments)
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
        if name == "dequantize" and type(arguments[0]) is TracedQuantized:
            return decoded(self, arguments[0], float32)
        return self.split(name, function, arguments)

    def _on_pattern(self, name: str, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
        """A call that is noted once, however often the same is asked: so that the same has the same pattern."""
        if any(isinstance(x, Pattern) and id(x) not in self.patterns for x in arguments):
            raise UnknownPartsError
        key = name, *(x.node if isinstance(x, Traced) else id(x) if isinstance(x, Pattern) else x for x in arguments)
        if key not in self.derived:
            self.derived[key] = self.split(name.removeprefix("sparse_"), function, arguments)
        return self.derived[key]

    def _check(self, operands: Iterable[Any]) -> None:
        for x in operands:
            if isinstance(x, (Traced, TracedNumber)) and (self.ended or x.trace is not self):
                refuse(
                    "this has an operand of another call", "what a traced function computes leaves it as a result alone"
                )

    def _are_elements(self, operands: tuple[Any, ...]) -> bool:
        """Whether they are tensors of numbers, or numbers."""
        for x in operands:
            if isinstance(x, (Traced, Tensor)) and x.dtype == string:
                return False
            if isinstance(x, (SparseTensor, QuantizedTensor, str)):
                return False
        return True

    def _is_noted(self, record: Record, arguments: tuple[Any, ...]) -> bool:
        """Whether a reduction is one by its own name, of elements, without `out`."""
        return record.parameters[1] == "axis" and self._are_elements(arguments[:1]) and arguments[-1] is None

    def _elementwise(self, record: Record, arguments: tuple[Any, ...]) -> Traced:
        count = len(record.operands)
        options, out = arguments[count : count + len(record.options)], arguments[count + len(record.options) :]
        if any(x is not None for x in out):
            refuse("out is given", "a traced function writes into nothing")
        for x in options:
            if isinstance(x, TracedNumber):
                raise NeedsValueError(x.argument)
        given = (*(self._standing(x) for x in arguments[:count]), *options, *out)
        before = self.graph.size
        stands = self.graph.record(record.builtin, given)
        self.stands.update((node, self.graph.standing(node)) for node in range(before, self.graph.size))
        if (slot := self.graph.read_slot) >= 0:
            raise NeedsValueError(self.marks[slot].argument)
        return self._node(stands)

    def _standing(self, x: Any) -> Any:
        if type(x) is Tensor:
            x = self.captured(x)
        if isinstance(x, Traced):
            return self.stands[x.node]
        if not isinstance(x, TracedNumber):
            return x
        if x.mark is None:
            x.mark = self.graph.add_slot()
            self.marks.append(x)
        return x.mark

    def _node(self, stands: Tensor) -> Traced:
        node = self.graph.node_of(stands)
        self.stands[node] = stands
        return Traced(self, node)

    def _cast(self, x: Traced, dtype: Any, copy: bool) -> Traced:
        dtype = as_dtype(dtype, "astype")
        if not _core.read_truth("astype", "copy", copy) and x.dtype == dtype:
            return x
        return self._node(self.graph.add_cast(self.stands[x.node], dtype))

    def _reduction(self, record: Record, arguments: tuple[Any, ...]) -> Traced:
        x, axis, keepdims, *options, _ = arguments
        if x.node not in self.leaves and self.views.has_gaps(x.node):
            self.views.take(x.node)  # the order of the elements that are folded is that of memory
        # Of a tensor of one element, or of none, it says the type, the number of dimensions, and what is wrong.
        shape = tuple(min(extent, 1) for extent in x.shape)
        example = record.builtin(zeros(shape, dtype=x.dtype), axis, keepdims, *options, None)
        axes = tuple(range(x.ndim)) if axis is None else tuple(sorted(_core.read_axes(record.name, axis, x.ndim)))
        kept = [1 if i in axes else extent for i, extent in enumerate(x.shape) if keepdims or i not in axes]
        stands = self.graph.add_input(example.dtype, tuple(kept), None)
        node = self.graph.node_of(stands)
        given = dict(zip(record.options[2:], options, strict=True))
        correction, dtype = float(given.get("correction", 0.0)), given.get("dtype")
        self.reductions[node] = Reduction(x.node, record.name, axes, bool(keepdims), correction, dtype)
        self.stands[node] = stands
        return Traced(self, node)

    def in_place(self, name: str, x: Traced, other: Any) -> Traced:
        """``x += other`` where x is a result of the function's own that nothing else has seen."""
        self._check((x,))
        if x.node in self.leaves or x.node in self.views.of or x.node in self.views.sources:
            refuse("an operand is changed", "a traced function writes into nothing that it was given, nor into views")
        result = self.call(name, (x, other, None))
        if result.shape != x.shape or result.dtype != x.dtype:
            refuse(f"{name} in place gives shape {result.shape}, {result.dtype}", "another one than the operand's")
        x.node = result.node
        return x

    # --- what is no part of a graph ---

    def split(self, name: str, function: Callable[..., Any], arguments: tuple[Any, ...], *, free: bool = False) -> Any:
        """What is no part of a graph: a view of what is, or a call that is carried out and noted."""
        self._check(_operands(arguments))
        record = record_of(name)
        if record is not None and record.family == "view":
            view = self.views.pushed(name, function, arguments)
            if view is not None:
                return view
        return self.carry_out(name, function, arguments, free=free)

    def carry_out(
        self, name: str, function: Callable[..., Any], arguments: tuple[Any, ...], *, free: bool = False
    ) -> Any:
        """Carry out a call now, and note it; one that is free only says where things are."""
        self.materialise([x for x in _operands(arguments) if isinstance(x, Traced)])
        for x in _operands(arguments):
            if isinstance(x, TracedNumber):
                raise NeedsValueError(x.argument)
        given = mapped(arguments, lambda x: x.value if isinstance(x, Traced) else x)
        refs = mapped(arguments, self._ref_of)
        with _carrying_out():
            result = function(*given)
        invocation = Invocation(name, function, refs, [], [], free=free)
        self.program.steps.append(invocation)
        for x, ref in zip(given, refs, strict=True):
            if type(x) is type(result) is Tensor and isinstance(ref, Operand) and _core.is_view(result, x):
                invocation.view_of = ref.ref
        return self._wrapped(name, result, invocation)

    def _ref_of(self, x: Any) -> Any:
        if isinstance(x, Traced):
            return Operand(self.leaves[x.node].ref)
        return Operand(self.patterns[id(x)]) if isinstance(x, Pattern) else x

    def _wrapped(self, name: str, result: Any, invocation: Invocation) -> Any:
        if isinstance(result, (*KINDS, Pattern)):
            ref = self._keep(result)
            invocation.results.append(ref)
            invocation.facts.append(facts_of(result))
            if not isinstance(result, Pattern):
                return self._leaf(result, ref)
            self.patterns[id(result)] = ref
            return result
        if not isinstance(result, (tuple, list)) or not all(isinstance(x, (*KINDS, Pattern)) for x in result):
            refuse(f"{name} gives {result!r:.60}", "which depends on values; a traced function may not")
        parts = [self._wrapped(name, x, invocation) for x in result]
        return type(result)(*parts) if hasattr(result, "_fields") else type(result)(parts)

    def materialise(self, wanted: list[Traced]) -> None:
        """Have the graph run as far as these need it, and keep their values."""
        missing = list({x.node: x for x in wanted if x.node not in self.leaves}.values())
        needed = [x.take_apart()[1] if isinstance(x, TracedSparse) else x for x in missing]
        nodes = list(dict.fromkeys(x.node for x in needed if x.node not in self.leaves))
        if nodes:
            self.views.settle(nodes)
            self._keep_what_comes_again(nodes)
        if nodes := [node for node in nodes if node not in self.leaves]:
            leaves = self.planner().leaves
            step = self._pass(nodes, leaves)
            inside = {node for group in step.plan.groups for node in group.inside}
            self.made.append(_Made(step, nodes, leaves, inside))
            self.program.steps.append(step)
            self._run(step)
        for x in missing:
            if isinstance(x, TracedSparse):
                self._assemble(x)
        for x in wanted:
            x.value = self.values[self.leaves[x.node].ref]

    def planner(self) -> Planner:
        return Planner(self.graph, self.reductions, {node: leaf.contiguous for node, leaf in self.leaves.items()})

    def _pass(self, nodes: list[int], leaves: dict[int, bool]) -> Pass:
        """What computes nodes of leaves, which say whether each is contiguous."""
        plan = Planner(self.graph, self.reductions, leaves).plan(nodes)
        numbers = [mark.compute for mark in self.marks]
        given = [mark.argument for mark in self.marks] if all(mark.given for mark in self.marks) else None
        return Pass(plan, [self.leaves[node].ref for node in plan.inputs], [], numbers, given)

    def _run(self, step: Pass) -> None:
        """Have the values now, which become leaves."""
        step.results = [len(self.values) + i for i in range(len(step.plan.outputs))]
        values = step.compute([self.values[ref] for ref in step.inputs], self.numbers, {})
        for node, value in zip(step.plan.outputs, values, strict=True):
            self.leaves[node] = _Leaf(self._keep(value), _lies_in_order(value))

    def _keep_what_comes_again(self, nodes: list[int]) -> None:
        """Have passes before give what they computed on their way, where that is better than to compute it again.

        In this run it is lost already, and computed by a pass that is no part of the program.
        """
        before: dict[int, _Made] = {}
        for made in self.made:
            before.update({node: made for node in made.inside if node not in before})
        planner = self.planner()
        again = planner.worth_keeping(nodes, before) if before else []
        for node in again:
            if node in self.views.of and node not in self.leaves:
                self.views.take(node)
        if again := [node for node in again if node not in self.leaves]:
            self._run(self._pass(again, self.planner().leaves))
        for made in self.made:
            if kept := [node for node in again if before[node] is made]:
                made.wanted.extend(kept)
                step = self._pass(made.wanted, made.leaves)
                made.step.plan, made.step.inputs = step.plan, step.inputs
                made.step.results = [self.leaves[node].ref for node in made.wanted]

    def _assemble(self, x: TracedSparse) -> None:
        """Make the sparse tensor of its pattern and its values, which are there."""
        pattern, values, order = x.take_apart()
        place = self.leaves[values.node].ref
        result = SparseTensor._of(pattern, self.values[place], order)
        ref = self._keep(result)
        self.leaves[x.node] = _Leaf(ref, False)
        arguments = Operand(self.patterns[id(pattern)]), Operand(place), order
        self.program.steps.append(
            Invocation("sparse tensor", SparseTensor._of, arguments, [ref], [facts_of(result)], free=True)
        )

    def finish(self, results: list[Any]) -> Program:
        """The program that gives these results."""
        self._check(results)
        self.ended = True
        for x in results:
            if isinstance(x, TracedNumber):
                raise NeedsValueError(x.argument)
        self.materialise([x for x in results if isinstance(x, Traced)])
        outputs = [self.leaves[x.node].ref if isinstance(x, Traced) else self._constant(x) for x in results]
        self.program.finish(len(self.values), outputs)
        return self.program

    def let_go(self) -> None:
        """Of what refers to the trace: so the values of this run live no longer than the run does."""
        self.ended = True
        del self.views
        for held in (self.marks, self.derived, self.outside):
            held.clear()

    def _constant(self, x: Any) -> Ref:
        """A result that depends on no argument: each call gives a copy of its own."""
        ref, copy = self._keep(x), self._keep(_core.clone(x))
        self.program.captured[ref] = x
        self.program.steps.append(Invocation("clone", _core.clone, (Operand(ref),), [copy], [facts_of(x)]))
        return copy


@contextmanager
def _carrying_out() -> Iterator[None]:
    _core.set_carrying_out(True)
    try:
        yield
    finally:
        _core.set_carrying_out(False)


def _lies_in_order(x: Tensor) -> bool:
    return x.is_contiguous() and _core.order_if_other(x) is None


def _operands(arguments: Any) -> Iterator[Any]:
    for x in arguments:
        if isinstance(x, (list, tuple)):
            yield from _operands(x)
        elif isinstance(x, slice):
            yield from (x.start, x.stop, x.step)
        else:
            yield x
