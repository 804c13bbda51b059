"""Passes: each takes a graph and gives one in which some nodes stand for others.

A pass is a rule for one node. It meets the nodes that are needed for the results, each after its operands, which are
already those that the pass has put in the place of what the node had.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any, TypeAlias

from suanzi.graph.needed import needed
from suanzi.graph.node import Graph, Node

# Of a node and the graph that is being made: what is to stand for the node. It is the node itself, one that was there
# before it, or one that the rule has added to the graph, perhaps after others that this one is made of.
Rule: TypeAlias = Callable[[Any, Graph], Node]


def rewritten(graph: Graph, rule: Rule) -> Graph:
    """A graph of the same nodes but for those for which the rule has others; the one that is given is used up."""
    made = Graph()
    place: dict[Node, Node] = {}
    for node in needed(graph.results, ()):
        node.operands = tuple([place[x] for x in node.operands])
        place[node] = found = rule(node, made)
        if found is node:
            made.add(node)
    made.results = tuple([place[x] for x in graph.results])
    return made


def readers(graph: Graph) -> Counter[Node]:
    """How often each node is an operand or a result."""
    count = Counter(graph.results)
    for node in needed(graph.results, ()):
        count.update(node.operands)
    return count
