"""Operators as methods of tensors: `x.exp()` is `suanzi.exp(x)`.

An operator whose first operand may be any tensor is a method. The records list the operands. Three methods that also
accept separate integers (`reshape`, `expand`, `transpose`) are native. A sparse or quantized tensor, or another kind of
tensor, has the methods of the operators in the table of its kind (`suanzi.kinds`). `_core.Operators` adds Python's
operators.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from suanzi import _core
from suanzi._core import Tensor
from suanzi.operators import arithmetic, rounding
from suanzi.operators.arguments import Shape
from suanzi.operators.creation import data
from suanzi.operators.linalg import products
from suanzi.operators.operands import Operand
from suanzi.operators.reduction import folds, scans
from suanzi.operators.registry import Record, lookup, records
from suanzi.operators.transform import elements, gathering
from suanzi.operators.transform import shape as shapes
from suanzi.tensor.absent import set_absent, set_absent_methods
from suanzi.tensor.composed import composed, with_more
from suanzi.tensor.dtypes import DType, DTypeLike, as_dtype, int64, uint64
from suanzi.tensor.exchange import Array, as_tensor
from suanzi.tensor.status import TypeMismatchError
from suanzi.tensor.tensor import to_device

_FIRST = ("x", "x1")  # names of operands that may be any tensor
# Methods under NumPy's names, and the operator of each method.
_ALIASES = {"conjugate": "conj", "copy": "clone", "cumsum": "cumulative_sum", "ravel": "flatten"}


def _backwards(x: Tensor) -> Tensor:
    return shapes.permute_dims(x, tuple(range(x.ndim))[::-1])


def _lies_by_columns(x: Tensor) -> bool:
    return not _core.is_contiguous(x) and _core.is_contiguous(_backwards(x))


def _ravel(x: Tensor, /, order: str = "C") -> Tensor:
    """Return all elements in one dimension, like `suanzi.flatten`, in the order that `order` names in NumPy.

    "C" is the order by rows, "F" is the order by columns, and "K" is the order of memory. "A" is the order by columns
    if `x` is stored by columns, and otherwise the order by rows.
    """
    known = ("C", "F", "A", "K") if type(x) is Tensor else ("C", "F")  # tensors of other kinds have no memory order
    chosen = known[_core.read_choice("ravel", "order", order, known)]
    if chosen == "K":
        return shapes.flatten(shapes.permute_dims(x, _core.order(x)[::-1]))
    return shapes.flatten(_backwards(x) if chosen == "F" or (chosen == "A" and _lies_by_columns(x)) else x)


def _reshape(x: Tensor, /, shape: Shape, *, order: str = "C") -> Tensor:
    """Reshape like `suanzi.reshape`, but read and write the elements by rows (order "C") or by columns (order "F")."""
    if _core.read_choice("reshape", "order", order, ("C", "F")) == 0:
        return shapes.reshape(x, shape)
    sizes = _core.read_shape("reshape", shape, -1)
    return _backwards(shapes.reshape(_backwards(x), sizes[::-1]))


def _astype(
    x: Tensor, /, dtype: DTypeLike, order: str = "K", casting: str = "unsafe", subok: bool = True, copy: bool = True
) -> Tensor:
    """Convert like `suanzi.astype`. `order` is the memory order of the result, and `casting` is NumPy's casting rule.

    The order "K" keeps the order of `x`, "C" is the order by rows, and "F" is the order by columns. "A" is the order by
    columns if `x` is stored by columns, and otherwise the order by rows.
    """
    known = ("K", "C", "F", "A")
    chosen = known[_core.read_choice("astype", "order", order, known)]
    wanted = as_dtype(dtype, "astype")
    rules = ("unsafe", "same_kind", "safe", "equiv", "no")
    rule: Any = rules[_core.read_choice("astype", "casting", casting, rules)]
    given = getattr(x, "dtype", None)  # the operator refuses operands without an element type
    if isinstance(given, DType) and not np.can_cast(given.numpy, wanted.numpy, rule):
        raise TypeMismatchError(f"astype: {x.dtype} cannot become {wanted} with casting = {rule!r}")
    found = elements.astype(x, wanted, copy=copy)
    if chosen == "K":
        return found
    by_columns = chosen == "F" or (chosen == "A" and type(x) is Tensor and _lies_by_columns(x))
    return _backwards(data.contiguous(_backwards(found))) if by_columns else data.contiguous(found)


def _cumsum(x: Tensor, /, axis: int | None = None, dtype: DTypeLike | None = None, out: Tensor | None = None) -> Tensor:
    """Return cumulative sums like `suanzi.cumulative_sum`. If `axis` is None, the sums are over all elements by rows.

    Examples
    --------
    >>> import suanzi
    >>> suanzi.tensor([[1, 2], [3, 4]], dtype="int64").cumsum()
    tensor([ 1,  3,  6, 10], dtype=int64)
    """
    flat, along = (shapes.flatten(x), 0) if axis is None else (x, axis)
    return scans.cumulative_sum(flat, axis=along, dtype=dtype, out=out)


def _take(x: Tensor, indices: Tensor | Array | int, /, axis: int | None = None, mode: str = "raise") -> Tensor:
    """Return elements or slices like `suanzi.take`. The indices may be an array.

    `mode` is NumPy's rule for an index outside the range: "raise" raises an error, "wrap" counts on from the other end,
    and "clip" takes the nearest element.

    Examples
    --------
    >>> import suanzi
    >>> suanzi.tensor([5, 6, 7], dtype="int64").take(suanzi.tensor([-1, 4], dtype="int64"), mode="clip")
    tensor([5, 7], dtype=int64)
    """
    if isinstance(indices, np.ndarray):
        indices = as_tensor(indices, None, "take")
    modes = ("raise", "wrap", "clip")
    chosen = modes[_core.read_choice("take", "mode", mode, modes)]
    if chosen == "raise":
        return gathering.take(x, indices, axis=axis)
    size = x.size if axis is None else x.shape[_core.read_axis("take", axis, x.ndim)]
    if isinstance(indices, int | np.integer) and not isinstance(indices, bool):  # stays a number, on any device
        place = int(indices) % max(size, 1) if chosen == "wrap" else min(max(int(indices), 0), max(size - 1, 0))
        return gathering.take(x, place, axis=axis)
    places = as_tensor(indices, None, "take")
    if places.dtype.is_integer:  # the operator refuses other types
        wide = places if places.dtype is uint64 else elements.astype(places, int64)
        places = arithmetic.remainder(wide, size) if chosen == "wrap" else elements.clip(wide, 0, max(size - 1, 0))
    return gathering.take(x, places, axis=axis)


def _dot(x1: Tensor, x2: Tensor | Array, /, *, dtype: DTypeLike | None = None) -> Tensor:
    """Return the inner product like `suanzi.dot`. The second operand may be an array, as in ``x1 @ x2``."""
    return products.dot(x1, as_tensor(x2, None, "dot") if isinstance(x2, np.ndarray) else x2, dtype=dtype)


def _named(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    """Rename `function` to `name`, and return a composed function whose errors begin with `name`."""
    function.__name__ = function.__qualname__ = name
    return composed(function)


def _is_method(record: Record) -> bool:
    """Return whether an operator is a method. The first parameter of a method is an operand `x` or `x1`. A method
    neither creates tensors (as `zeros_like` does) nor draws random numbers.
    """
    code = inspect.unwrap(record.function).__code__  # inspect.signature needs milliseconds for all functions
    by_position = code.co_varnames[: code.co_posonlyargcount]
    return bool(by_position) and by_position[0] in _FIRST and record.family not in ("creation", "random")


# Functions of `suanzi.fft`, whose names contain a dot, are not methods.
METHODS = {r.name: r.function for r in records() if r.accepts and r.name.isidentifier() and _is_method(r)}
# Operators whose Python body reads an attribute that tensors of every kind have.
_ASKED = [r.name for r in records() if r.family == "query" and r.core is None and r.name in METHODS]
METHODS |= {"conjugate": lookup("conj").function, "copy": lookup("clone").function}
METHODS |= {"cumsum": _named(_cumsum, "cumsum"), "ravel": _named(_ravel, "ravel")}
_WITH_MORE: dict[str, Callable[..., Any]] = {"astype": _astype, "dot": _dot, "take": _take}
for _name, _more in _WITH_MORE.items():
    METHODS[_name] = with_more(METHODS[_name], _named(_more, _name), getattr(_core, _name))

for _name, _function in METHODS.items():
    if not hasattr(Tensor, _name):  # Tensor already has attributes such as `real` and `size`, and native methods
        setattr(Tensor, _name, _function)


def _contains(x: Tensor, value: object) -> bool:
    """Return whether some element of `x` equals `value`."""
    found: Any = x == value
    return found is not False and bool(folds.any(found))


def _divmod(x: Operand, y: Operand) -> tuple[Tensor, Tensor]:
    return arithmetic.floor_divide(x, y), arithmetic.remainder(x, y)


def _rdivmod(x: Tensor, y: Operand) -> tuple[Tensor, Tensor]:
    return _divmod(y, x)


def _round(x: Tensor, ndigits: int | None = None) -> Tensor:
    return rounding.round(x, 0 if ndigits is None else ndigits)


# The special methods that Python's own functions call, with the operators that carry out the methods.
SPECIAL = {
    f"__{function.__name__.lstrip('_')}__": (composed(function, function.__name__.lstrip("_")), names)
    for function, names in (
        (_contains, ("equal",)),  # the comparison of a kind without `any` has a dense result
        (_divmod, ("floor_divide", "remainder")),
        (_rdivmod, ("floor_divide", "remainder")),
        (_round, ("round",)),
    )
}
for _name, (_special, _) in SPECIAL.items():
    setattr(Tensor, _name, _special)


set_absent(Tensor)
set_absent_methods(type(shapes.permute_dims))


# --- tensors of other kinds ---


def _loose(operator: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Make a method that accepts integers one by one, as in ``x.reshape(2, 3)``, as a tuple, or by keyword."""

    def method(x: Tensor, /, *numbers: Any, **named: Any) -> Tensor:
        given = numbers if len(numbers) < 2 else (numbers,)
        return operator(x, *given, **named)

    method.__name__ = operator.__name__.lstrip("_")
    method.__doc__ = operator.__doc__
    return method


# The core implements `reshape`, `expand` and `transpose` as methods of dense tensors only. The functions in `LOOSE` are
# the methods of tensors of other kinds.
LOOSE = {
    "reshape": _loose(_named(_reshape, "reshape")),
    "expand": _loose(shapes.expand),
    "transpose": _loose(shapes.transpose),
}


# Python's operators of two operands, and the operators of Suanzi that carry them out.
_PYTHONS = {
    "truediv": "true_divide",
    "floordiv": "floor_divide",
    "mod": "remainder",
    "pow": "pow",
    "and": "bitwise_and",
    "or": "bitwise_or",
    "xor": "bitwise_xor",
    "lshift": "bitwise_left_shift",
    "rshift": "bitwise_right_shift",
}


def _refusing(kind: type[Any], special: str, operator: Callable[..., Any], reflected: bool) -> Callable[..., Any]:
    """Return a special method for an operator that a kind of tensor lacks. For operands that Suanzi knows, the method
    raises the error of the operator, which says what to write instead.
    """
    native = getattr(_core.Operators, special)
    known = (kind, Tensor, int, float, complex, np.generic)

    def method(x: Any, y: Any, *modulus: Any) -> Any:
        found = native(x, y, *modulus)
        if found is NotImplemented and not modulus and isinstance(y, known):
            return operator(y, x) if reflected else operator(x, y)
        return found

    method.__name__ = method.__qualname__ = special
    return method


def add_methods(kind: type[Any]) -> None:
    """Add the methods of a kind of operand to the class that is registered for the kind."""
    table = kind.__suanzi_call__.table
    methods = METHODS | LOOSE | {"to_device": to_device}
    for name, method in methods.items():
        if (name in _ASKED or _ALIASES.get(name, name) in table) and not hasattr(kind, name):
            setattr(kind, name, method)
    for name, (method, operators) in SPECIAL.items():
        if not hasattr(kind, name) and table.keys() >= {*operators}:
            setattr(kind, name, method)
    if issubclass(kind, _core.Operators):
        for name, operator in _PYTHONS.items():
            for special in (f"__{name}__", f"__r{name}__"):
                if operator not in table and getattr(kind, special) is getattr(_core.Operators, special):
                    refusing = _refusing(kind, special, lookup(operator).function, special != f"__{name}__")
                    setattr(kind, special, refusing)
    set_absent(kind, *methods, *(n for n in dir(Tensor) if not n.startswith("_")))
