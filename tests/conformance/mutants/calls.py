"""Calls with NumPy arrays as arguments, and the observations by which a faulty library may differ from Suanzi.

The arguments of a call are arrays, objects of the classes below, or any other objects. Arrays become tensors. Objects
of these classes become tensors or, for `Type`, element types. Other objects are passed unchanged. Lists may contain all
these kinds of arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

import suanzi
from suanzi.conformance import Provider

Array = Any


@dataclass(frozen=True, slots=True, eq=False)
class Type:
    """An argument that becomes the provider's element type of a given name."""

    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Laid:
    """An argument that becomes a tensor with the elements of an array in another memory layout."""

    array: Array
    how: str  # "strided", "reversed", "transposed", "expanded" (one repeated row)

    def made(self, provider: Provider) -> Any:
        x = self.array
        if self.how == "expanded":
            expand = provider.find("expand")
            assert expand is not None
            return expand(provider.from_numpy(x[:1].copy()), x.shape)
        step = {"strided": 2, "reversed": -1}.get(self.how, 1)
        logical = x.T if self.how == "transposed" else x
        memory = np.ones([size * abs(step) for size in logical.shape], x.dtype)
        view = memory[(*(slice(None, None, step),) * x.ndim, ...)]
        view[...] = logical
        return provider.from_numpy(view.T if self.how == "transposed" else view)


@dataclass(frozen=True, slots=True, eq=False)
class Same:
    """An argument that becomes the tensor that another argument of the call becomes."""

    place: int


@dataclass(frozen=True, slots=True, eq=False)
class Out:
    """An argument that becomes an output tensor of a given type and shape."""

    type: str
    shape: tuple[int, ...]
    how: str  # "fresh", "strided", "operand" (the first operand)

    def made(self, provider: Provider) -> Any:
        filling = np.full(self.shape, 1).astype(self.type)
        return provider.from_numpy(filling) if self.how == "fresh" else Laid(filling, "strided").made(provider)


@dataclass(frozen=True, slots=True, eq=False)
class Made:
    """An argument that becomes a sparse or quantized tensor, and the operator's call that makes the tensor."""

    operator: str
    args: tuple[Any, ...]
    options: dict[str, Any] = field(default_factory=dict)

    def made(self, provider: Provider) -> Any:
        make = provider.find(self.operator)
        assert make is not None
        return make(*self.args, **self.options)


@dataclass(frozen=True, slots=True, eq=False)
class Call:
    """The arguments and options of one call of a function."""

    args: tuple[Any, ...]
    options: dict[str, Any]

    def with_(self, place: int, argument: Any) -> Call:
        return replace(self, args=(*self.args[:place], argument, *self.args[place + 1 :]))

    def arrays(self) -> Iterator[Array]:
        yield from (x for x in _flat((*self.args, *self.options.values())) if isinstance(x, np.ndarray))

    def __str__(self) -> str:
        told = [*map(_told, self.args), *(f"{name}={_told(value)}" for name, value in self.options.items())]
        return f"({', '.join(told)})"


def call(*args: Any, **options: Any) -> Call:
    """Return the call with the given arguments and options."""
    return Call(args, options)


def _flat(arguments: Any) -> Iterator[Any]:
    for x in arguments:
        if isinstance(x, list):
            yield from _flat(x)
        else:
            yield x


def _told(x: Any) -> str:
    if isinstance(x, list):
        return f"[{', '.join(map(_told, x))}]"
    if isinstance(x, np.ndarray):
        return f"{x.dtype}{list(x.shape)}"
    if isinstance(x, Laid):
        return f"{x.how} {_told(x.array)}"
    if isinstance(x, Type):
        return x.name
    return f"{type(x).__name__} …" if hasattr(x, "made") else repr(x)


def made(provider: Provider, given: Call) -> tuple[list[Any], dict[str, Any]]:
    """Return the arguments and the options of a call as the provider's objects."""
    args: list[Any] = []

    def one(x: Any) -> Any:
        if isinstance(x, list):
            return [one(item) for item in x]
        if isinstance(x, np.ndarray):
            return provider.from_numpy(x.copy())
        if isinstance(x, Type):
            return provider.element_type(x.name)
        if isinstance(x, Same):
            return args[x.place]
        if isinstance(x, Out) and x.how == "operand":
            return args[0]
        return x.made(provider) if hasattr(x, "made") else x

    for x in given.args:
        args.append(one(x))
    return args, {name: one(value) for name, value in given.options.items()}


Found = Any
"""The observations of a call: nested tuples that can be compared."""


def seen(provider: Provider, function: str, given: Call, *, repeated: bool = False) -> Found:
    """Call a function and return the observations: the results, whether a result shares memory with an operand, and the
    operands after the call. In place of results, the observations of a failed call have the error's status.

    If `repeated` is True, the function is called three times: twice with the same tensors, and then with other tensors.
    """
    called = provider.find(function)
    assert called is not None
    args, options = made(provider, given)
    found = [_once(provider, called, args, options)]
    if repeated:
        found.append(_once(provider, called, args, options))
        further, others = made(provider, _otherwise(given))
        found.append(_once(provider, called, further, others))
        results = [result for result, *_ in found]
        return tuple(told for _, told in found), tuple(contents(provider, result) for result in results)
    return found[0][1]


def _otherwise(given: Call) -> Call:
    """Return the call with each array reversed along its last axis."""
    return replace(
        given, args=tuple(x[..., ::-1].copy() if isinstance(x, np.ndarray) and x.ndim else x for x in given.args)
    )


def _once(provider: Provider, called: Callable[..., Any], args: list[Any], options: dict[str, Any]) -> Any:
    try:
        result = called(*args, **options)
    except Exception as error:
        return None, ("refused", getattr(error, "status", None), *_operands(provider, args, options))
    out = options.get("out")
    told = (
        contents(provider, result),
        result is out if out is not None else None,
        _sharing(result, args),
        *_operands(provider, args, options),
    )
    return result, told


def _operands(provider: Provider, args: list[Any], options: dict[str, Any]) -> tuple[Found, ...]:
    return tuple(contents(provider, x) for x in _flat((*args, *options.values())) if isinstance(x, suanzi.Tensor))


@dataclass(frozen=True, slots=True)
class Shares:
    """An observation that is True if a result shares memory with an operand."""

    value: bool


def _sharing(result: Any, args: list[Any]) -> Shares:
    results = result if isinstance(result, tuple) else (result,)
    given = [x for x in _flat(args) if isinstance(x, suanzi.Tensor | np.ndarray)]
    arrays = [numbers(x) for x in results], [x if isinstance(x, np.ndarray) else numbers(x) for x in given]
    return Shares(
        any(np.may_share_memory(a, b) for a in arrays[0] for b in arrays[1] if a is not None and b is not None)
    )


def numbers(x: Any) -> Array | None:
    """Return a view of the elements of a dense numeric tensor, and None for other objects."""
    try:
        return x.numpy() if isinstance(x, suanzi.Tensor) and x.dtype is not suanzi.string else None
    except suanzi.SuanziError:
        return None


def contents(provider: Provider, result: Any) -> Found:
    """Return a result's type, shape and bytes for a comparison. Every NaN has the same bytes."""
    if isinstance(result, tuple | list):
        return tuple(contents(provider, x) for x in result)
    if result is None or isinstance(result, bool | int | float | complex | str):
        return result
    try:
        if isinstance(result, suanzi.QuantizedTensor):
            return "quantized", contents(provider, result.codes), contents(provider, result.scale), result.zero_point
        array = np.asarray(provider.to_numpy(result))
    except suanzi.SuanziError as error:
        return "refused", error.status
    if array.dtype.kind == "U":
        return "string", array.shape, tuple(array.ravel().tolist())
    name = array.dtype.name
    if name == "bfloat16":
        array = array.astype(np.float32)
    if array.dtype.kind in "fc":
        array = np.array(array)
        parts = array.reshape(-1).view(array.real.dtype)
        parts[np.isnan(parts)] = np.nan
    return name, array.shape, np.ascontiguousarray(array).tobytes()
