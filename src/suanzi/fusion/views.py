"""Views of what a traced function computes: the same operators on views of their operands.

So a view does not divide the program. It is one nevertheless, of a value in memory, where that is there anyway, where
it is wanted itself (a result, an operand of an operator that is no part of a graph), and where what both compute would
take longer than memory does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from suanzi import _core, tuning
from suanzi._core import Tensor
from suanzi.fusion.traced import Traced
from suanzi.tensor.dtypes import string, uint8
from suanzi.tensor.status import SuanziError

if TYPE_CHECKING:
    from suanzi.fusion.trace import Trace


class _NoViewError(Exception):
    """An operator copies what another one would have been a view of."""


class View(NamedTuple):
    """What a node is a view of, should that be in memory."""

    source: int
    name: str
    function: Callable[..., Any]
    arguments: tuple[Any, ...]  # after the operand
    like: Tensor  # lies as it would

    def of(self, x: Tensor) -> Any:
        return self.function(x, *self.arguments)


class Views:
    """Those of one trace."""

    def __init__(self, trace: Trace) -> None:
        self.trace, self.graph = trace, trace.graph
        self.of: dict[int, View] = {}  # by the nodes that they became
        self.sources: set[int] = set()
        self.origins: dict[int, int] = {}  # of each node that computes a view, the one that computes the whole
        self.known: dict[Any, Any] = {}  # what has been made of a node by a view already

    def pushed(self, name: str, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Traced | None:
        """A view of a value that is not in memory, by way of views of its operands; None where there is no way."""
        x, *rest = arguments
        if type(x) is not Traced or x.node in self.trace.leaves or not all(_is_plain(part) for part in rest):
            return None
        try:
            view = self._view(x.node, name, function, tuple(rest))
            node = self._reduced(view) or self._node(view)
        except (_NoViewError, SuanziError):  # the call as it is says what is wrong
            return None
        if node is None:
            return None
        self.sources.add(x.node)
        self.of[node] = view
        return Traced(self.trace, node)

    def has_gaps(self, node: int) -> bool:
        """Whether it is a view that lies otherwise than what is computed in its place."""
        view = self.of.get(node)
        return view is not None and not view.like.is_contiguous() and self.graph.order(node) is None

    def _view(self, node: int, name: str, function: Callable[..., Any], arguments: tuple[Any, ...]) -> View:
        view = View(node, name, function, arguments, self._whole(node))
        return view._replace(like=self._like(view, node))

    def _whole(self, node: int) -> Tensor:
        """What lies as a node would, were it in memory: in it nothing is written."""
        if node in self.of:
            return self.of[node].like
        return _core.empty(self.graph.shape(node), uint8, None, self.graph.order(node))

    def _like(self, view: View, node: int) -> Tensor:
        """What lies as the view of a node would."""
        whole = self._whole(node)
        like = view.of(whole)
        if type(like) is not Tensor or not _core.is_view(like, whole):
            raise _NoViewError
        return like

    def _reduced(self, view: View) -> int | None:
        """A reduction to which the view gives back the dimensions that it has folded."""
        fold = self.trace.reductions.get(view.source)
        if fold is None or fold.keepdims:
            return None
        whole = self.graph.shape(fold.operand)
        kept = tuple([1 if i in fold.axes else extent for i, extent in enumerate(whole)])
        if view.like.shape != kept or not view.like.is_contiguous():
            return None
        stands = self.graph.add_input(self.graph.dtype(view.source), kept, None)
        node = self.graph.node_of(stands)
        self.trace.stands[node] = stands
        self.trace.reductions[node] = fold._replace(keepdims=True)
        self.origins[node] = self.origins.get(view.source, view.source)
        return node

    def _node(self, view: View) -> int | None:
        """The node for a view of an elementwise one: all that is computed for this alone has its shape."""
        shape, leaves = self.graph.shape(view.source), self.trace.leaves
        inside = self.trace.planner().needed([view.source])
        operands = {x for node in inside for x in self.graph.operands(node)}
        if any(node in self.trace.reductions or self.graph.shape(node) != shape for node in inside):
            return None
        for leaf in operands & leaves.keys():
            if self.graph.dtype(leaf) == string or not self._is_view(view, leaf, shape):
                return None
        for node in inside:
            if (made := self._known(view, shape, node)) is None:
                given = [self.trace.stands[self._operand(view, shape, x)] for x in self.graph.operands(node)]
                stands = self.graph.add_viewed(node, given, self._like(view, node))
                made = self.known[view.name, repr(view.arguments), shape, node] = self.graph.node_of(stands)
                self.trace.stands[made] = stands
                self.origins[made] = self.origins.get(node, node)
        return made

    def _known(self, view: View, shape: tuple[int, ...], node: int) -> int | None:
        return self.known.get((view.name, repr(view.arguments), shape, node))

    def _is_view(self, view: View, leaf: int, shape: tuple[int, ...]) -> bool:
        value = self.trace.values[self.trace.leaves[leaf].ref]
        return _core.is_view(view.of(_core.expand(value, shape)), value)

    def _operand(self, view: View, shape: tuple[int, ...], x: int) -> int:
        """The view of a node that has one already, or is in memory: there it may have to be spread first."""
        if (made := self._known(view, shape, x)) is None:
            function = view.function if self.graph.shape(x) == shape else _spread(view.function, shape)
            made = self.trace.carry_out(view.name, function, (Traced(self.trace, x), *view.arguments)).node
            self.known[view.name, repr(view.arguments), shape, x] = made
        return made

    def settle(self, wanted: list[int]) -> None:
        """Before these are computed: take views in memory where that is better."""
        while (node := self._better_in_memory(wanted)) is not None:
            self.take(node)

    def take(self, node: int) -> None:
        """Have the value in memory of which a node is a view."""
        view, trace = self.of[node], self.trace
        taken = trace.carry_out(view.name, view.function, (Traced(trace, view.source), *view.arguments))
        trace.leaves[node] = trace.leaves[taken.node]

    def _better_in_memory(self, wanted: list[int]) -> int | None:
        leaves, planner = self.trace.leaves, self.trace.planner()
        needed = planner.needed(wanted)
        views = [node for node in needed if node in self.of]
        if not views:
            return None
        times = Counter(self.origins.get(node, node) for node in needed)
        uses = Counter(self.of[node].source for node in views)
        for node in views:
            source = self.of[node].source
            inside = [x for x in planner.needed([source]) if times[self.origins.get(x, x)] > 1]
            long = len(inside) > tuning.STEPS_LIKE_MEMORY or any(planner.is_heavy(x) for x in inside)
            if node in wanted or source in leaves or source in wanted or long or uses[source] > tuning.MOST_VIEWS:
                return node
        return None


def _spread(function: Callable[..., Any], shape: tuple[int, ...]) -> Callable[..., Any]:
    return lambda x, *arguments: function(_core.expand(x, shape), *arguments)


def _is_plain(x: Any) -> bool:
    """Whether an argument is one of a view whatever the values are, and is told by how it is written."""
    if isinstance(x, (list, tuple)):
        return all(_is_plain(part) for part in x)
    if isinstance(x, slice):
        return all(_is_plain(part) for part in (x.start, x.stop, x.step))
    return x is None or x is Ellipsis or type(x) is int


__all__ = ["View", "Views"]
