"""Operators as methods of tensors: `x.exp()` is `suanzi.exp(x)`.

Those are methods whose first operand is any tensor, which the records tell. The few that also take their arguments
loose (`reshape`, `expand`, `transpose`) are native. A tensor of another kind has the methods of those operators that
the table of its kind has; Python's operators it has from `_core.Operators`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from suanzi._core import Tensor
from suanzi.operators import arithmetic
from suanzi.operators.operands import Operand
from suanzi.operators.reduction import folds
from suanzi.operators.registry import Record, lookup, records
from suanzi.operators.transform import shape
from suanzi.quantized import QuantizedTensor
from suanzi.sparse import SparseTensor
from suanzi.tensor.messages import shown
from suanzi.tensor.status import InvalidArgumentError

_FIRST = ("x", "x1")  # what the operand is called that may be any tensor
_ALIASES = {"copy": "clone", "ravel": "flatten"}  # NumPy's names, by which other kinds of tensor are asked, too


def _ravel(x: Tensor, /, order: str = "C") -> Tensor:
    """All elements in one dimension, as `suanzi.flatten`: rows one after the other ("C"), or columns ("F")."""
    if order not in ("C", "F"):
        raise InvalidArgumentError(f"ravel: order = {shown(order)} is neither C nor F")
    return shape.flatten(x if order == "C" else shape.permute_dims(x, tuple(reversed(range(x.ndim)))))


def _is_method(record: Record) -> bool:
    """Whether it takes a tensor first, and makes something of it: of `zeros_like` it is but an example."""
    first = next(iter(inspect.signature(record.function).parameters.values()))
    return first.kind is first.POSITIONAL_ONLY and first.name in _FIRST and not record.name.endswith("_like")


# Not those of `suanzi.fft`, whose names have a dot.
METHODS = {r.name: r.function for r in records() if r.accepts and r.name.isidentifier() and _is_method(r)}
METHODS |= {"copy": lookup("clone").function, "ravel": _ravel}

for _name, _function in METHODS.items():
    if not hasattr(Tensor, _name):  # attributes, as `real` and `size`, and what is native
        setattr(Tensor, _name, _function)


def _contains(x: Tensor, value: object) -> bool:
    """Whether some element equals `value`."""
    found = x == value
    return isinstance(found, Tensor) and bool(folds.any(found))


def _divmod(x: Operand, y: Operand) -> tuple[Tensor, Tensor]:
    return arithmetic.floor_divide(x, y), arithmetic.remainder(x, y)


def _rdivmod(x: Tensor, y: Operand) -> tuple[Tensor, Tensor]:
    return _divmod(y, x)


for _special in (_contains, _divmod, _rdivmod):
    setattr(Tensor, f"__{_special.__name__.lstrip('_')}__", _special)


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


# Those that tensors have in the core, for what is no dense tensor.
LOOSE = {operator.__name__: _loose(operator) for operator in (shape.reshape, shape.expand, shape.transpose)}


def add_methods(kind: type[Any]) -> None:
    """Gives a class that is registered as a kind of operand its methods."""
    table = kind.__suanzi_call__.table
    methods = METHODS | LOOSE
    for name, method in methods.items():
        if _ALIASES.get(name, name) in table and not hasattr(kind, name):
            setattr(kind, name, method)


for _kind in (SparseTensor, QuantizedTensor):
    add_methods(_kind)
