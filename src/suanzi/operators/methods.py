"""Operators as methods of tensors: which ones, and the few that also take their arguments loose.

Those few of Tensor (`reshape`, `expand`, `transpose`) are native. A tensor of another kind has the methods of those
operators that the table of its kind has; Python's operators it has from `_core.Operators`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from suanzi._core import Tensor
from suanzi.operators import arithmetic, complex_numbers, query, rounding
from suanzi.operators.creation import data, matrices
from suanzi.operators.index import search, sorting
from suanzi.operators.operands import Operand
from suanzi.operators.reduction import folds, statistics
from suanzi.operators.transform import elements, gathering, joining, masking, rearranging, shape
from suanzi.quantized import QuantizedTensor
from suanzi.sparse import SparseTensor

_METHODS = {
    data: ("clone", "contiguous", "destroy"),
    matrices: ("diagonal", "tril", "triu"),
    query: ("is_contiguous",),
    elements: ("astype", "clip"),
    gathering: ("take",),
    masking: ("masked_fill", "masked_select"),
    shape: ("flatten", "squeeze"),
    joining: ("split", "repeat"),
    rearranging: ("flip", "roll", "swapaxes"),
    rounding: ("round",),
    folds: ("sum", "prod", "max", "min", "all", "any"),
    statistics: ("mean", "var", "std"),
    search: ("argmax", "argmin", "nonzero", "count_nonzero"),
    complex_numbers: ("conj",),
    sorting: ("sort", "argsort", "topk"),
}


for _module, _names in _METHODS.items():
    for _name in _names:
        setattr(Tensor, _name, getattr(_module, _name))


def _contains(x: Tensor, value: object) -> bool:
    """Whether some element equals `value`."""
    found = x == value
    return isinstance(found, Tensor) and bool(folds.any(found))


def _divmod(x: Operand, y: Operand) -> tuple[Tensor, Tensor]:
    return arithmetic.floor_divide(x, y), arithmetic.remainder(x, y)


def _rdivmod(x: Tensor, y: Operand) -> tuple[Tensor, Tensor]:
    return _divmod(y, x)


for _function in (_contains, _divmod, _rdivmod):
    setattr(Tensor, f"__{_function.__name__.lstrip('_')}__", _function)


# --- tensors of other kinds ---


def _loose(operator: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """The method that takes its integers as one tuple, one by one or by keyword: ``x.reshape(2, 3)``."""

    def method(x: Tensor, /, *numbers: Any, **named: Any) -> Tensor:
        if not numbers or named:
            return operator(x, *numbers, **named)
        return operator(x, numbers[0] if len(numbers) == 1 else numbers)

    method.__name__ = operator.__name__
    method.__doc__ = operator.__doc__
    return method


_LOOSE = (shape.reshape, shape.expand, shape.transpose)


def add_methods(kind: type[Any]) -> None:
    """Gives a class that is registered as a kind of operand its methods."""
    table = kind.__suanzi_call__.table
    methods = {name: getattr(module, name) for module, names in _METHODS.items() for name in names}
    methods |= {operator.__name__: _loose(operator) for operator in _LOOSE}
    for name, method in methods.items():
        if name in table:
            setattr(kind, name, method)


for _kind in (SparseTensor, QuantizedTensor):
    add_methods(_kind)
