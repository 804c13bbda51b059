"""Probes of sparse operands (chapter 5.6 of the standard). An operator must have the same result for a sparse tensor as
for the dense tensor with the same elements.

The sparse tensors store the elements in several forms: in order, in no order, with repeated coordinates, with stored
zeros, with empty rows, and as compressed rows. The probes compare the results with the provider's own results for dense
tensors. The elements are small integers, so that the order of summation does not matter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from ..inputs import types
from ..oracle.compare import exactly
from ..oracle.element_types import ELEMENT_TYPES, Array, ElementType
from ..probe import Probe, Scenario
from ..provider import BlockedError, Provider, needed
from ..standard import standard

CLAIM = "sparse operands"
_APART = 8.0  # the allowed difference in ulps between results for sparse and dense operands


@dataclass(frozen=True, slots=True, eq=False)
class Sparse:
    """A sparse tensor as plain data: values with their coordinates, or values in compressed rows."""

    array: Array  # all elements
    indices: Array
    values: Array
    indptr: Array | None = None

    def made(self, provider: Provider) -> Any:
        create = needed(provider, "sparse_tensor")
        more = {} if self.indptr is None else {"indptr": provider.from_numpy(self.indptr)}
        try:
            return create(self.array.shape, *map(provider.from_numpy, (self.indices, self.values)), **more)
        except Exception as error:
            if more and CLAIM not in provider.claims:
                raise BlockedError("has no compressed rows") from error
            raise


def forms(array: Array) -> Iterator[tuple[str, Sparse]]:
    """Yield the names of forms, and sparse tensors that store the elements of an array in these forms. Two stored
    values with the same coordinate add up to one element.
    """
    places = np.argwhere(array != 0).astype(np.int64)
    values = array[tuple(places.T)]
    yield "coordinates in order", Sparse(array, places, values)
    mixed = np.random.default_rng(5).permutation(len(places))
    yield "coordinates in no order", Sparse(array, places[mixed], values[mixed])
    halves = values if array.dtype == bool else (values - np.ones((), array.dtype)).astype(array.dtype)
    ones = np.ones_like(values)
    twice, parts = np.concatenate([places[mixed], places]), np.concatenate([halves[mixed], ones])
    yield "coordinates twice", Sparse(array, twice, parts)
    zeros = np.argwhere(array == 0)[::2].astype(np.int64)
    stored = np.concatenate([places, zeros]), np.concatenate([values, np.zeros(len(zeros), array.dtype)])
    yield "zeros stored", Sparse(array, *stored)
    if array.ndim == 2:
        counts = np.concatenate([[0], np.cumsum(np.count_nonzero(array, axis=1))]).astype(np.int64)
        yield "compressed rows", Sparse(array, places[:, 1].copy(), values, counts)
        order = np.lexsort((-places[:, 1], places[:, 0]))
        yield "compressed rows, each backwards", Sparse(array, places[order, 1].copy(), values[order], counts)


class _Call(NamedTuple):
    """A call of an operator on the operands x and y, which are sparse or dense."""

    label: str
    args: Callable[[Any, Any], tuple[Any, ...]]
    options: Mapping[str, Any] = MappingProxyType({})
    dense: tuple[str, ...] = ()  # "x" or "y": operands that are dense
    changed: Callable[[Array], Array] = lambda y: y  # a function that changes the second operand


_X = _Call("", lambda x, y: (x,))
_SPARSE = _Call("with a sparse one", lambda x, y: (x, y))
_DENSE = _Call("with a dense one", lambda x, y: (x, y), dense=("y",))
_AFTER = _Call("after a dense one", lambda x, y: (y, x), dense=("y",))
_NUMBER = _Call("with a number", lambda x, y: (x, 2))
_BOTH = (_SPARSE, _DENSE, _AFTER, _NUMBER)


def _with(*further: Any, **options: Any) -> _Call:
    return _Call(f"{', '.join(map(str, (*further, *options.items())))}", lambda x, y: (x, *further), options)


def _nonzero(y: Array) -> Array:
    return np.asarray(np.where(y == 0, np.ones((), y.dtype), y))


_UNARY = "abs asin asinh atan atanh ceil clone conj expm1 floor imag isinf isnan log1p negative positive real rint"
_UNARY += " round shape size rank sign sin sinh sqrt square tan tanh trunc matrix_transpose flatten"
_ARITHMETIC = "add subtract maximum minimum multiply logical_and logical_or logical_xor"
_COMPARED = "equal not_equal greater greater_equal less less_equal"
_AXES = (_with(), _with(axis=0), _with(axis=1), _with(axis=-1), _with(axis=0, keepdims=True))
_PRODUCTS = (
    _Call("with a sparse one", lambda x, y: (x, y), changed=np.transpose),
    _Call("with a dense one", lambda x, y: (x, y), dense=("y",), changed=np.transpose),
    _Call("after a dense one", lambda x, y: (y, x), dense=("y",), changed=np.transpose),
    _Call("with a vector", lambda x, y: (x, y), dense=("y",), changed=lambda y: y[0].copy()),
)
_CALLS: dict[str, tuple[_Call, ...]] = {
    **dict.fromkeys(_UNARY.split(), (_X,)),
    **dict.fromkeys(_ARITHMETIC.split(), _BOTH),
    **dict.fromkeys(_COMPARED.split(), _BOTH),
    **dict.fromkeys(["bitwise_and", "bitwise_or", "bitwise_xor"], _BOTH),
    **dict.fromkeys(["floor_divide", "remainder", "pow"], (_NUMBER,)),
    **dict.fromkeys(["divide", "true_divide"], (_NUMBER, _DENSE._replace(changed=_nonzero))),
    **dict.fromkeys(["sum", "mean", "prod", "max", "min", "all", "any"], _AXES),
    "reduce": tuple(
        _with(op, axis) for op in ("sum", "mean", "prod", "max", "min", "all", "any") for axis in (None, 0, -1)
    ),
    **dict.fromkeys(("matmul", "dot"), _PRODUCTS),
    "transpose": (_with(), _with((1, 0)), _with((-1, 0))),
    "permute_dims": (_with((1, 0)),),
    "reshape": (_with((3, 10)), _with((30,)), _with((5, 2, 3)), _with((-1, 15))),
    "expand_dims": (_with(0), _with(-1), _with(1)),
    "squeeze": (_Call("a row", lambda x, y: (x,)),),
    "slice": (_with([1, 0], [4, 5]), _with([0], [5], [2]), _with([1], [6], axis=[1]), _with([0, 1], [5, 6], [3, 2])),
    "index_select": (
        _with(np.array([3, 0, 0, 4])),
        _with(np.array([5, 1, 1]), 1),
        _with(np.array([2]), -1),
    ),
    "concat": (
        _Call("", lambda x, y: ([x, y],)),
        _Call("", lambda x, y: ([x, y, x], 1)),
        _Call("", lambda x, y: ([y],)),
    ),
    "stack": (_Call("two", lambda x, y: ([x, y],)), _Call("three behind", lambda x, y: ([x, y, y], -1))),
    "astype": (),  # `_calls` adds the element types
    "to_sparse": (_Call("of a dense one", lambda x, y: (x,), dense=("x",)), _X),
}
_FORMATS = ("coo", "csr")
_ASKED = ("float32", "int32", "complex64", "float64", "bool", "int8", "uint8")  # the tested types, in this order


def probes(function: str, available: frozenset[str]) -> Iterator[Probe]:
    """Yield the probes of a function on sparse operands."""
    if function not in standard().operands["sparse"]:
        return
    operator = standard().operators.get(function)
    kinds = operator.types + operator.open if operator else "BIF" if function in ("max", "min") else "BIFC"
    taken = [t for t in types(available) if t.letter in kinds]
    asked = sorted((t for t in taken if t.name in _ASKED), key=lambda t: _ASKED.index(t.name))
    for number, t in enumerate(asked):
        x, y = _elements(t, function)
        for place, call in enumerate(_calls(function, t)[: None if number < 3 else 1]):
            for which, (label, form) in enumerate(list(forms(x))[number // 3 :: 1 + number // 3]):
                named = f"{t.name}, {label}" + (f", {call.label}" if call.label else "")
                play = partial(_as_dense, function, call, form, y)
                # For the first type, the quick profile tests the first call in every form and other calls in two forms.
                telling = number == 0 and (place == 0 or (which - place) % 3 == 0)
                yield Scenario(function, named, play, "sparse", t.name, telling)
        if function in ("sum", "max", "add", "multiply", "abs", "transpose", "reshape", "clone", "negative"):
            cube = np.stack([x, y, np.zeros_like(x)])
            for label, form in forms(cube):
                play = partial(_as_dense, function, _OF_CUBES[function], form, cube[::-1].copy())
                yield Scenario(function, f"{t.name}, three dimensions, {label}", play, "sparse", t.name, number == 0)


_OF_CUBES = {
    **dict.fromkeys(("abs", "clone", "negative"), _X),
    "sum": _with(axis=(0, 2)),
    "max": _with(axis=1),
    **dict.fromkeys(("add", "multiply"), _SPARSE),
    "transpose": _with((2, 0, 1)),
    "reshape": _with((15, 6)),
}


def _calls(function: str, t: ElementType) -> tuple[_Call, ...]:
    """Return the calls of an operator on elements of type `t`. Complex types have no maxima or casts to real types."""
    if function == "astype":
        names = ("complex128", "complex64") if t.kind == "C" else ("float64", "complex64", "int32", "float32")
        return tuple(_with(ELEMENT_TYPES[name]) for name in names)
    if function == "to_sparse":
        return (*_CALLS[function], *(_with(name) for name in _FORMATS))
    if function == "reduce" and t.kind == "C":
        return tuple(call for call in _CALLS[function] if not call.label.startswith(("max", "min")))
    return _CALLS[function]


def _elements(t: ElementType, function: str) -> tuple[Array, Array]:
    """Return two matrices with empty rows and columns. The numbers are between -1 and 1 if the function needs numbers
    in this range.
    """
    numbers: Array = np.zeros((2, 5, 6), np.int64)
    numbers[0, [0, 0, 1, 3, 3, 3, 4], [1, 4, 0, 0, 2, 5, 4]] = [1, 2, 3, 2, 1, 4, 3]
    numbers[1, [0, 1, 1, 3, 4, 4], [1, 0, 5, 2, 1, 4]] = [2, 3, 1, 4, 2, 1]
    if t.kind in "SFC":
        numbers[0, [0, 3], [1, 2]] *= -1
    if function in ("sqrt", "log1p"):
        numbers = np.abs(numbers)
    if function in ("asin", "atanh"):
        numbers = numbers / 4 if t.kind in "FC" else np.minimum(np.abs(numbers), 1)
    x, y = numbers
    if function == "squeeze":
        x, y = x[:1], y[:1]
    if t.kind == "C":
        return ((x * (1 + 2j)).astype(t.numpy), (y * (1 - 1j)).astype(t.numpy))
    return ((x != 0) if t.kind == "B" else x.astype(t.numpy)), ((y != 0) if t.kind == "B" else y.astype(t.numpy))


def _as_dense(function: str, call: _Call, form: Sparse, y: Array, provider: Provider) -> str | None:
    """Return the fault of a call on sparse operands, or None. The result must equal the result of dense operands with
    the same elements, and the call must leave the operand unchanged.
    """
    operate = needed(provider, function)
    other = np.asarray(call.changed(y))
    given = {key: _own(provider, value) for key, value in call.options.items()}

    def called(x: Any, second: Any) -> Any:
        return operate(*(_own(provider, a) for a in call.args(x, second)), **given)

    try:
        dense = provider.from_numpy(form.array), provider.from_numpy(other)
        wanted = _plain(provider, called(*dense) if function != "to_sparse" else dense[0])
    except BlockedError:
        raise
    except Exception as error:
        raise BlockedError(f"refuses the dense tensors: {error}") from None
    sparse = dense[0] if "x" in call.dense else form.made(provider)
    second = dense[1] if "y" in call.dense or other.ndim < 2 else next(forms(other))[1].made(provider)
    try:
        result = called(sparse, second)
    except Exception as error:
        if CLAIM in provider.claims:
            raise
        raise BlockedError(f"does not accept sparse tensors: {error}") from None
    return _differs(provider, result, wanted) or _changed(provider, sparse, form)


def _own(provider: Provider, x: Any) -> Any:
    if isinstance(x, np.ndarray):
        return provider.from_numpy(x)
    return provider.element_type(x.name) if isinstance(x, ElementType) else x


def _plain(provider: Provider, result: Any) -> Array:
    plain = isinstance(result, bool | int | float | complex | tuple)
    return np.asarray(result) if plain else np.asarray(provider.to_numpy(result))


def _differs(provider: Provider, result: Any, wanted: Array) -> str | None:
    found = _plain(provider, result)
    if found.dtype != wanted.dtype or found.shape != wanted.shape:
        return f"returned {found.dtype} {found.shape}, of the dense tensor {wanted.dtype} {wanted.shape}"
    if found.dtype.kind not in "biuU" and "correct rounding" not in provider.claims:
        # A library may compute a function differently at different places. Both results are right within the bound. The
        # probe does not compare the signs of zeros, because unstored elements have no sign.
        zero = found.dtype.type(0)
        return replace(exactly(wanted + zero), bound=_APART).fault(found + zero)
    same = np.array_equal(found, wanted) if found.dtype.kind in "biu" else np.array_equal(found, wanted, equal_nan=True)
    return None if same else f"returned {found.tolist()}, of the dense tensor {wanted.tolist()}"


def _changed(provider: Provider, sparse: Any, form: Sparse) -> str | None:
    same = np.array_equal(np.asarray(provider.to_numpy(sparse)), form.array)
    return None if same else "the operand was changed"
