"""Views of computed values. Instead of a view of an operator's result, a program computes the operator on views of the
operands.

A view that is replaced by views of operands does not divide the program. A program uses a view of a value in memory in
three cases:

- the value is in memory anyway;
- the view itself is needed in memory, as a result or as an operand of a separate operator;
- computing the value and the view takes longer than storing the value.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from suanzi import _core, tuning
from suanzi._core import Tensor
from suanzi.graph.node import Elementwise, Node, Reduction, View
from suanzi.graph.passes import needed
from suanzi.graph.steps import leaves
from suanzi.tensor.dtypes import string
from suanzi.tensor.status import SuanziError

if TYPE_CHECKING:
    from suanzi.graph.memory import Memory


class NoViewError(Exception):
    """Raised if a function returns a copy where a view of its argument is needed."""


def checked_view(view: Any, whole: Tensor) -> Tensor:
    if type(view) is not Tensor or not _core.is_view(view, whole):
        raise NoViewError
    return view


def view_of(name: str, function: Callable[..., Any], source: Node, whole: Tensor, arguments: tuple[Any, ...]) -> View:
    """Return a node for the view of `source` that `function` makes. `whole` is a tensor with the layout of `source`."""
    like = checked_view(function(whole, *arguments), whole)
    view = View(name, function, (source, *arguments), like, _core.dense_order(like))
    view.dtype = source.dtype
    return view


class Views:
    """The views of one graph."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.of: dict[Node, View] = {}  # views by the nodes that are computed in place of the views
        self.origins: dict[Node, Node] = {}  # for each node that computes a view, the node of the viewed value
        self.known: dict[Any, Node] = {}  # nodes that compute a view of a node, by `_key`

    def form(self, view: View, source: Node) -> Node:
        """Return the node that computes `view`, a view of `source`. If no node computes the view from views of
        operands, put the view into memory and return the view.
        """
        if source is not view.source:
            view = self._add(view.name, view.function, source, view.arguments[1:])
        made = None if self.memory.has(source) else self._pushed(view)
        if made is None:
            self.memory.bring([source])
            self.memory.derive(view)
            return view
        self.of[made] = view
        return made

    def _pushed(self, view: View) -> Node | None:
        """Return the node that computes a view from views of the source's operands, or None if no such node exists."""
        if not all(x is None or x is Ellipsis or type(x) is int for x in leaves(view.arguments[1:])):
            return None  # `_key` needs arguments with unique texts
        try:
            return self._reduced(view) or self._elementwise(view)
        except (NoViewError, SuanziError):
            return None

    def _add(self, name: str, function: Callable[..., Any], source: Node, arguments: tuple[Any, ...]) -> View:
        return self.memory.graph.add(view_of(name, function, source, self._whole(source), arguments))

    def _whole(self, node: Node) -> Tensor:
        """Return a tensor with the layout that a node would have in memory."""
        return self.of[node].layout if node in self.of and not self.memory.has(node) else node.layout

    def take_if_it_has_gaps(self, node: Node) -> None:
        """Bring `node` into memory if the program computes `node` in place of a view that is not contiguous."""
        view = self.of.get(node)
        if view is not None and not self.memory.has(node) and not view.layout.is_contiguous() and node.order is None:
            self.take(node)

    def take_if_it_is_one(self, node: Node) -> None:
        if node in self.of and not self.memory.has(node):
            self.take(node)

    def _reduced(self, view: View) -> Node | None:
        """Return the reduction with `keepdims` for a view that only restores the folded dimensions of a reduction, or
        None for another view.
        """
        fold = view.source
        if not isinstance(fold, Reduction) or fold.keepdims:
            return None
        kept = tuple([1 if i in fold.axes else extent for i, extent in enumerate(fold.operand.shape)])
        if view.shape != kept or not view.layout.is_contiguous():
            return None
        made = self.memory.graph.add(fold.on(fold.operand, kept, keepdims=True))
        self.origins[made] = self.origins.get(fold, fold)
        return made

    def _elementwise(self, view: View) -> Node | None:
        """Return the node that computes a view of an elementwise node, or None if the view cannot be computed from
        views of operands.

        All nodes between the view and the values in memory must be elementwise and have the shape of the view's source.
        """
        shape, refs = view.source.shape, self.memory.refs
        inside = [x for x in needed([view.source], refs) if isinstance(x, Elementwise) and x.shape == shape]
        if len(inside) < len(needed([view.source], refs)):
            return None
        for x in {x for node in inside for x in node.operands if x in refs}:
            spread = _core.expand(x.layout, shape)
            if x.dtype == string or not _core.is_view(view.of(spread), x.layout):
                return None
        for node in inside:
            if self._made(view, node) is None:
                whole = self._whole(node)
                like = checked_view(view.of(whole), whole)
                operands = [self._operand(view, shape, x) for x in node.operands]
                made = self.memory.graph.add(node.on(operands, like.shape, _core.dense_order(like)))
                self.known[self._key(view, node)] = made
                self.origins[made] = self.origins.get(node, node)
        return self._made(view, view.source)

    def _key(self, view: View, node: Node) -> Any:
        return view.name, repr(view.arguments[1:]), view.source.shape, node

    def _made(self, view: View, node: Node) -> Node | None:
        return self.known.get(self._key(view, node))

    def _operand(self, view: View, shape: tuple[int, ...], x: Node) -> Node:
        """Return the view of the operand `x`, which already has a view or is in memory. The operand is first broadcast
        to `shape` if necessary.
        """
        if (made := self._made(view, x)) is None:
            function = view.function if x.shape == shape else _spread(view.function, shape)
            made = self._add(view.name, function, x, view.arguments[1:])
            self.memory.derive(made)
            self.known[self._key(view, x)] = made
        return made

    def settle(self, wanted: list[Node]) -> None:
        """Put the views that `wanted` needs into memory if storing a view takes less time than computing the view."""
        while (node := self._better_in_memory(wanted)) is not None:
            self.take(node)

    def take(self, node: Node) -> None:
        """Put the source of the view that `node` computes into memory, and derive the view from the source."""
        view, memory = self.of[node], self.memory
        memory.bring([view.source])
        if not memory.has(view):
            memory.derive(view)
        node.like = view.like
        memory.put(node, memory.refs[view], in_order=memory.in_order[view])

    def _better_in_memory(self, wanted: list[Node]) -> Node | None:
        refs = self.memory.refs
        inside = needed(wanted, refs)
        views = [node for node in inside if node in self.of]
        if not views:
            return None
        times = Counter(self.origins.get(node, node) for node in inside)
        uses = Counter(self.of[node].source for node in views)
        for node in views:
            source = self.of[node].source
            twice = [x for x in needed([source], refs) if times[self.origins.get(x, x)] > 1]
            long = len(twice) > tuning.STEPS_LIKE_MEMORY or any(x.is_heavy for x in twice)
            if node in wanted or source in refs or source in wanted or long or uses[source] > tuning.MOST_VIEWS:
                return node
        return None


def _spread(function: Callable[..., Any], shape: tuple[int, ...]) -> Callable[..., Any]:
    return lambda x, *arguments: function(_core.expand(x, shape), *arguments)
