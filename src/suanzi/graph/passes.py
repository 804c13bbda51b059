"""The search for the nodes that given nodes need, and passes that rewrite a graph.

A pass applies a rule to each node that the results need. A node comes after its operands, which are already replaced.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterable
from itertools import chain
from operator import attrgetter
from typing import Any, TypeAlias

from suanzi import tuning
from suanzi.graph.node import Graph, Node, Reduction

# A rule accepts a node and the new graph, and returns the node's replacement. The replacement is the node itself, an
# earlier node, or a node that the rule has added to the graph. A rule may add further nodes, which the replacement
# needs.
Rule: TypeAlias = Callable[[Any, Graph], Node]


def needed(wanted: Iterable[Node], there: Container[Node]) -> list[Node]:
    """Return the nodes that must be computed for the nodes `wanted` if the values of the nodes `there` exist. A node
    comes after its operands.
    """
    found: set[Node] = set()
    waiting = list(wanted)
    while waiting:
        node = waiting.pop()
        if node not in found and node not in there:
            found.add(node)
            waiting += node.operands
    return sorted(found, key=_number)


_number = attrgetter("number")
_operands = attrgetter("operands")


def used(graph: Graph) -> list[Node]:
    """Return the nodes of a graph that the results need, in order. The function takes half the time of `needed`."""
    found = set(graph.results)
    nodes = []
    for node in reversed(graph.nodes):
        if node in found:
            nodes.append(node)
            found.update(node.operands)
    nodes.reverse()
    return nodes


def rewritten(graph: Graph, rule: Rule) -> Graph:
    """Return a new graph in which `rule` has replaced nodes. The caller must not use the old graph afterwards."""
    made = Graph()
    nodes = made.nodes
    replaced: dict[Node, Node] = {}
    for node in used(graph):
        if not replaced.keys().isdisjoint(node.operands):
            node.operands = tuple([replaced.get(x, x) for x in node.operands])
        found = rule(node, made)
        if found is node:  # as Graph.add does, without a call for each node
            node.number = len(nodes)
            nodes.append(node)
        else:
            replaced[node] = found
    made.results = tuple([replaced.get(x, x) for x in graph.results])
    return made


def readers(graph: Graph) -> Counter[Node]:
    """Count the uses of each node as an operand or a result."""
    return Counter(chain(graph.results, chain.from_iterable(map(_operands, used(graph)))))


def worth_keeping(wanted: list[Node], before: Container[Node], there: Container[Node]) -> list[Node]:
    """Return the nodes in `before` that `wanted` needs, and that take longer to compute again than to keep. `before`
    contains nodes that earlier steps have computed, and `there` contains nodes whose values are in memory.
    """
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
    """Return whether a node takes longer to compute than to store and load. A node takes longer if the node is a
    reduction, or needs a slow operator or many steps.

    The function returns False if broadcasting gives the value more elements than the operands in memory have. Storing a
    broadcast value would need much memory and save little time.
    """
    if isinstance(node, Reduction):
        return True
    inside = needed([node], there)
    long = len(inside) > tuning.STEPS_LIKE_MEMORY or any(x.is_heavy for x in inside)
    return long and node.elements <= max((x.elements for i in inside for x in i.operands if x in there), default=0)
