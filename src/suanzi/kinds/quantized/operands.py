"""The table of quantized tensors. A row that needs a quantized operand refuses operands of other kinds."""

from __future__ import annotations

from typing import Any, NoReturn

from suanzi import _core
from suanzi.kinds.table import Check, Table
from suanzi.quantized.tensor import QuantizedTensor, quantized
from suanzi.tensor.status import InvalidArgumentError


def _admits(operator: str, several: bool) -> Check:
    def check(arguments: tuple[Any, ...]) -> bool:
        for x in arguments:
            if isinstance(x, QuantizedTensor):
                _core.read_tensor(operator, x._codes)
        if not several:
            quantized(operator, arguments[0])
        return True

    return check


def _refuse_out(operator: str) -> NoReturn:
    raise InvalidArgumentError(f"{operator}: quantized operands do not support out")


TABLE = Table(_admits, _refuse_out)
