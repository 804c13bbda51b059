"""The nodes of a model: inputs, constants and operations. The nodes form a graph of suanzi.graph, like the graphs of
fused functions.

An input of a model is a plain `Node`. A type or shape that is not known before the model runs is None.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from suanzi import Tensor
from suanzi.graph.node import Node
from suanzi.interop.onnx.compositions.matrices import Codes
from suanzi.interop.onnx.rows import Row
from suanzi.interop.onnx.table import family_of
from suanzi.interop.onnx.types import AnyType

UNKNOWN: Any = None  # the shape of a node whose shape is not known


class Constant(Node):
    """A value that the model stores, or that was computed at load. None means an absent operand."""

    __slots__ = ("value",)

    def __init__(self, value: Any, dtype: AnyType | None = None) -> None:
        shape, dtype = (value.shape, value.dtype) if isinstance(value, Tensor) else (UNKNOWN, dtype)
        super().__init__("", dtype, shape, None)
        self.value = value

    @property
    def size(self) -> int:
        """Return the number of bytes of the value. Each Python number counts 8 bytes."""
        return sum(map(_bytes, self.value)) if isinstance(self.value, tuple) else _bytes(self.value)


def _bytes(value: Any) -> int:
    return value.nbytes if isinstance(value, Tensor | Codes) else 8 * (value is not None)


class Operation(Node):
    """A call of Suanzi's function for an ONNX operator. The result is one value, or several values (`Item`)."""

    __slots__ = ("attributes", "dtypes", "family", "function", "gives_several", "kind", "label", "row")

    def __init__(
        self, name: str, row: Row, operands: Iterable[Node], dtypes: Sequence[AnyType | None] = (None,), *, label: str,
        function: Callable[..., Any] | None = None, kind: Hashable = None,
        attributes: Mapping[str, Any] = MappingProxyType({}), gives_several: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(name, dtypes[0] if dtypes and not gives_several else None, UNKNOWN, None, operands)
        self.row, self.family = row, family_of(row)
        self.function = function or row.function  # Suanzi's function with the attributes bound
        self.dtypes, self.gives_several = dtypes, gives_several  # the types of all results
        self.label = label  # the name in messages
        self.kind = kind or self.function  # nodes of one kind return equal results for equal operands
        self.attributes = attributes

    @property
    def may_view(self) -> bool:
        """Return whether the node's result may be the node's first operand, or share the memory of the first
        operand.
        """
        return self.family == "view" or self.row.may_view

    def on(
        self,
        operands: Iterable[Node],
        function: Callable[..., Any] | None = None,
        dtypes: Sequence[AnyType | None] = (),
    ) -> Operation:
        """Return a copy of the operation with other operands, and with another function and other result types if
        given.
        """
        return Operation(
            self.name, self.row, operands, dtypes or self.dtypes, label=self.label, function=function or self.function,
            kind=self.kind, attributes=self.attributes, gives_several=self.gives_several,
        )  # fmt: skip


class Item(Node):
    """A value among several values that an operation returns."""

    __slots__ = ("family", "index")

    def __init__(self, operation: Operation, index: int) -> None:
        super().__init__("", operation.dtypes[index], UNKNOWN, None, (operation,))
        self.family, self.index = operation.family, index
