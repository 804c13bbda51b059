"""The memory of traced tensors, for operators that write into a result of the traced function.

A write creates a new value. The stand-in that the function writes into, and the stand-ins for views of the same memory,
then stand for the new value and for views of the new value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from weakref import ref

from suanzi import _core
from suanzi._core import Tensor
from suanzi.graph.errors import give_up
from suanzi.graph.node import Graph, Node, View
from suanzi.graph.views import NoViewError, checked_view, view_of
from suanzi.quantized import QuantizedTensor
from suanzi.sparse import SparseTensor
from suanzi.tensor.status import SuanziError

if TYPE_CHECKING:
    from suanzi.graph.recording import Recording
    from suanzi.graph.stand_ins import Traced


class Storage:
    """The memory of a tensor and its views.

    `is_new` is True if only results of one operator of the traced function use the memory. `is_given` is True for the
    memory of an argument or of an outside tensor.
    """

    __slots__ = ("_users", "is_given", "is_new")

    def __init__(self) -> None:
        self.is_new = self.is_given = False
        self._users: list[ref[Traced]] = []

    def add(self, x: Traced) -> None:
        self._users.append(ref(x))

    def others(self, x: Traced) -> list[Traced]:
        """Return the stand-ins beside `x` that use the memory and that the program can still reach."""
        living = [each() for each in self._users]
        return [each for each in living if each is not None and each is not x]


def new(x: Traced) -> Traced:
    """Note that `x` uses new memory, and return `x`."""
    x.storage.is_new = True
    return x


def given(x: Traced) -> Traced:
    """Note that `x` uses the memory of an argument or of an outside tensor, and return `x`."""
    x.storage.is_given = True
    return x


def find(x: Traced, value: Tensor, known: list[tuple[Traced | None, Any]]) -> None:
    """Find out which memory `x` uses, a result of an operator.

    `value` is the tensor of `x`. `known` has the operands and the other results, each as a stand-in (or None) and a
    value.
    """
    for other, own in known:
        if isinstance(own, (SparseTensor, QuantizedTensor)):
            return  # the result may use a part of the tensor
        if type(own) is Tensor and _core.is_view(value, own):
            if other is not None:
                x.storage = other.storage
                x.storage.add(x)
            return
    new(x)


def write(recording: Recording, x: Traced, value: Traced) -> None:
    """Let `x`, and the stand-ins for views of the same memory, stand for the memory after the program has written
    `value` into `x`.
    """
    views, root = _chain(x.node)
    others = x.storage.others(x)
    if any(_chain(each.node)[1] is not root for each in others):
        give_up("a tensor is changed, and other tensors may use the memory")
    if not (views and others) and value.node.layout.stride() == x.node.layout.stride():
        x.node = whole = value.node
    else:
        if root.order is None and not root.layout.is_contiguous():
            give_up("a tensor with gaps between its elements is changed")  # a copy would have no gaps
        steps = [(view.function, view.arguments[1:]) for view in views]
        whole = recording.split("index", _written, (recording.whole(root), steps, value)).node
        others.append(x)
    for each in others:
        each.node = _viewed(recording.graph, whole, _chain(each.node)[0])


def _chain(node: Node) -> tuple[list[View], Node]:
    """Return the views that lead from a tensor to `node`, and the node of the tensor."""
    views: list[View] = []
    while isinstance(node, View):
        views.insert(0, node)
        node = node.source
    return views, node


def _written(whole: Tensor, views: list[tuple[Any, tuple[Any, ...]]], value: Tensor) -> Tensor:
    """Return a copy of `whole` whose view by the functions `views` has the elements of `value`."""
    changed = _core.clone(whole)
    part = changed
    for function, arguments in views:
        part = checked_view(function(part, *arguments), changed)
    part[...] = value
    return changed


def _viewed(graph: Graph, node: Node, views: list[View]) -> Node:
    """Return the node of the view of `node` that the functions of `views` make."""
    for view in views:
        try:
            node = graph.add(view_of(view.name, view.function, node, node.layout, view.arguments[1:]))
        except (NoViewError, SuanziError):
            give_up("a tensor that the function changes has another memory order")
    return node
