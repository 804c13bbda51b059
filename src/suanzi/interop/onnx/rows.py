"""Row: the entry of an ONNX operator in the tables, with its function and the facts that passes use.

The tables are in table.py (ONNX's default domain), classical.py (ai.onnx.ml) and microsoft.py (com.microsoft).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

from suanzi.interop.onnx.precision import HALVES, Widths
from suanzi.interop.onnx.types import AnyType


class Row(NamedTuple):
    """The function for an ONNX operator, and the first version of the operator to which the function applies."""

    function: Callable[..., Any]
    keywords: Mapping[str, str] = MappingProxyType({})  # attributes that have another name in the function
    numbers: tuple[int, ...] = ()  # the places of inputs that the function receives as Python numbers
    outputs: bool = False  # True if the function receives the keyword `outputs`, the number of wanted results
    is_maker: bool = False  # True if the function receives only the attributes and returns a function of the inputs
    as_arrays: bool = False  # True if lists of numbers in attributes are arrays, and not tuples
    since: int = 1
    widths: Widths = HALVES  # the types that are too narrow for the intermediate results
    # The family of a function that is not an operator of Suanzi. The record of an operator names the operator's family.
    family: str = ""  # a family of operators.registry, or of COMPOSED
    growth: Callable[..., float] | None = None  # an estimate (growth.py) in place of the family's estimate
    may_view: bool = False  # True if a result may be an operand, or a view of an operand
    kinds: bool = False  # True if the function accepts values other than tensors: sequences, optional values
    # A function from the types of the operands and the attributes to the result's type, if the schema does not define
    # the result's type.
    types: Callable[[Sequence[AnyType | None], Mapping[str, Any]], AnyType | None] | None = None
    has_graphs: bool = False  # True if the function receives a bodies.Asked, and returns a bodies.Made


class Prepared:
    """A function that first converts some of a node's operands to one value, and then computes with this value.

    If the converted operands are constants, a model converts the constants only once (`prepared` in weights.py).
    """

    def __init__(self, places: tuple[int, ...], prepare: Callable[..., Any], finish: Callable[..., Any]) -> None:
        self.places, self.prepare, self.finish = places, prepare, finish

    def __call__(self, *operands: Any, **keywords: Any) -> Any:
        chosen, others = self.apart(operands)
        return self.finish(self.prepare(*chosen, **keywords), *others, **keywords)

    def apart(self, operands: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        """Divide the operands of a call: return the operands that `prepare` converts, and all other operands."""
        chosen = [operands[i] for i in self.places if i < len(operands)]
        return chosen, [x for i, x in enumerate(operands) if i not in self.places]


Rows: TypeAlias = Mapping[str, tuple[Row, ...]]
"""The rows of operators by ONNX's names. For an operator with several versions, the latest version is last."""

COMPOSED = {
    "composed": "operators of several families",
    "control": "graphs within nodes, which run in dependence on values",
    "sequence": "sequences and optional values",
    "reading": "tensors as Python's numbers, for the parameters of other functions",
}
"""The families of functions that are not operators of Suanzi, with a description of each family."""
