"""A row of the tables of ONNX operators: the function for an operator, and what the passes ask about it.

The tables are in table.py (ONNX's default domain), classical.py (ai.onnx.ml) and microsoft.py (com.microsoft).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

from suanzi.interop.onnx.precision import HALVES, Widths
from suanzi.interop.onnx.types import AnyType


class Row(NamedTuple):
    """The function for an ONNX operator here, from one of its versions on."""

    function: Callable[..., Any]
    keywords: Mapping[str, str] = MappingProxyType({})  # attributes that the function calls otherwise
    numbers: tuple[int, ...] = ()  # inputs that the function takes as Python's numbers: shapes, axes, counts
    outputs: bool = False  # True if the function gets the keyword `outputs`, the number of wanted results
    is_maker: bool = False  # True if the function gets only the attributes and returns a function of the inputs
    since: int = 1
    widths: Widths = HALVES  # the types that are too narrow for what it computes on the way
    # The family of a function without a record; operators have it from their record.
    family: str = ""  # one of those of operators.registry, or of COMPOSED
    growth: Callable[..., float] | None = None  # given if it is not the family's
    may_view: bool = False  # True if a result may be an operand, or lie in the memory of one
    kinds: bool = False  # True if it takes other values than tensors: sequences, optional values
    # The type of its result by those of its operands and the attributes, where the schema does not say it.
    types: Callable[[Sequence[AnyType | None], Mapping[str, Any]], AnyType | None] | None = None
    has_graphs: bool = False  # True if the function gets a bodies.Asked, and returns what a run calls (bodies.Made)


class Prepared:
    """A function of a node that makes one value of some of its operands, and computes with that.

    Where these operands are constants of the model, the value is made once (`prepared` in weights.py).
    """

    def __init__(self, places: tuple[int, ...], prepare: Callable[..., Any], finish: Callable[..., Any]) -> None:
        self.places, self.prepare, self.finish = places, prepare, finish

    def __call__(self, *operands: Any, **keywords: Any) -> Any:
        chosen, others = self.apart(operands)
        return self.finish(self.prepare(*chosen, **keywords), *others, **keywords)

    def apart(self, operands: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        """The operands at the places, as far as there are so many, and all others."""
        chosen = [operands[i] for i in self.places if i < len(operands)]
        return chosen, [x for i, x in enumerate(operands) if i not in self.places]


Rows: TypeAlias = Mapping[str, tuple[Row, ...]]
"""Rows by ONNX's name, later versions last."""

COMPOSED = {
    "composed": "operators of several families",
    "control": "graphs within nodes, which run in dependence on values",
    "sequence": "sequences and optional values",
    "reading": "tensors as Python's numbers, for the parameters of others",
}
"""Families that only compositions have."""
