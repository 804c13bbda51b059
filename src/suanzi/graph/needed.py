"""What is computed for a value, of what is in memory."""

from __future__ import annotations

from collections.abc import Container, Iterable
from operator import attrgetter

from suanzi import tuning
from suanzi.graph.node import Node, Reduction


def needed(wanted: Iterable[Node], there: Container[Node]) -> list[Node]:
    """The nodes to compute for these, each after its operands."""
    found: set[Node] = set()
    waiting = list(wanted)
    while waiting:
        node = waiting.pop()
        if node not in found and node not in there:
            found.add(node)
            waiting += node.operands
    return sorted(found, key=_number)


_number = attrgetter("number")


def worth_keeping(wanted: list[Node], before: Container[Node], there: Container[Node]) -> list[Node]:
    """Of what computations before had and lost again, the nodes that are better kept than computed once more."""
    waiting = [x for x in wanted if x in before]
    waiting += [x for node in needed(wanted, there) if node not in before for x in node.operands if x in before]
    found: set[Node] = set()
    seen: set[Node] = set()
    while waiting:
        node = waiting.pop()
        if node in seen or node in there:
            continue
        seen.add(node)
        if takes_long(node, there):
            found.add(node)
        else:
            waiting += node.operands
    return sorted(found)


def takes_long(node: Node, there: Container[Node]) -> bool:
    """A reduction, a mathematical function on the way, or more steps than a write and a read of the result cost.

    What is spread over more elements than it is made of costs more memory than time: that never is.
    """
    if isinstance(node, Reduction):
        return True
    inside = needed([node], there)
    long = len(inside) > tuning.STEPS_LIKE_MEMORY or any(x.is_heavy for x in inside)
    return long and node.elements <= max((x.elements for i in inside for x in i.operands if x in there), default=0)
