"""Composed functions: Python functions that call other functions of Suanzi, but appear as single functions.

Within `suanzi.tile_shape`, the steps of a composed function choose their own tiles, because the caller's tile shape
applies only to the called function. An error begins with the called function's name, whichever step failed. The core
implements the rules for tiles and errors (native/python/function.h). The records of operators say which operators are
composed functions (operators.registry).
"""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable, Iterable
from types import FunctionType
from typing import Any, TypeVar, cast

from suanzi import _core
from suanzi.tensor.messages import explain
from suanzi.tensor.status import SuanziError

Function = TypeVar("Function", bound=Callable[..., Any])
Class = TypeVar("Class", bound=type[Any])


def composed(function: Function, name: str | None = None) -> Function:
    """Make a composed function, whose errors begin with `name`, by default the function's own name."""
    called = _core.composed(function, name or function.__name__)
    return cast(Function, functools.update_wrapper(called, function, updated=()))


def dispatched(function: Function) -> Function:
    """Wrap a function, so that a call first reads the tables of the operands' kinds and of the named device."""
    called = _core.declared(function, None, function.__name__)
    return cast(Function, functools.update_wrapper(called, function))


def explained(function: Function) -> Function:
    """Add hints to the errors of a public function that is not a composed function."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except (SuanziError, TypeError) as error:
            explain(call, args, kwargs, error)
            raise

    return cast(Function, call)


class _More:
    """A declaration that has the parameters of one function. A call of the declaration calls `otherwise`."""

    takes_arrays = True  # the core reads this attribute (native/python/function.cpp)

    def __init__(self, declaration: Any, otherwise: Callable[..., Any]) -> None:
        self.__name__: str = declaration.__name__
        self.__code__ = declaration.__code__
        self.__defaults__ = declaration.__defaults__
        self.__kwdefaults__ = declaration.__kwdefaults__
        self.otherwise = otherwise

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.otherwise(*args, **kwargs)


def with_more(function: Function, otherwise: Callable[..., Any], builtin: Callable[..., Any]) -> Function:
    """Make a function accept more than its builtin: added parameters, and arrays in place of tensors.

    A call that uses an added parameter or passes an array calls `otherwise`. Other calls need no more time than without
    the additions, because the core runs the declaration only if the arguments do not fit the builtin.
    """
    more: Any = _More(inspect.unwrap(function), otherwise)
    called: Any = functools.update_wrapper(_core.declared(more, builtin, more.__name__), function)
    called.__signature__, called.__doc__ = inspect.signature(otherwise), otherwise.__doc__
    return cast(Function, called)


def with_own_tiles(function: Function) -> Function:
    """Make a composed function from a function that calls one of many functions, such as `array_ufunc`.

    Errors begin with the name of the function that the composed function calls.
    """
    return cast(Function, functools.update_wrapper(_core.composed(function, None), function, updated=()))


# Special methods, and the names with which the errors of these methods begin, as for dense tensors.
_SPECIAL = {"__array__": "__array__", "__bool__": "bool", "__float__": "float", "__repr__": "repr", "__str__": "repr"}


def compose_methods(kind: Class) -> Class:
    """Turn a class's public methods, and special methods such as ``__float__``, into composed functions."""
    for name, method in list(vars(kind).items()):
        if isinstance(method, FunctionType) and (name in _SPECIAL or not name.startswith("_")):
            setattr(kind, name, composed(method, _SPECIAL.get(name)))
    return kind


def compose(package: str, names: Iterable[str]) -> None:
    """Turn the public functions that a package defines into composed functions."""
    offered = vars(sys.modules[package])
    for name in names:
        function: Any = offered[name]
        if isinstance(function, FunctionType) and function.__module__.startswith(package):
            offered[name] = composed(function, name)
            home, place = vars(sys.modules[function.__module__]), function.__name__
            if home.get(place) is function:  # pickle must find the composed function under this name
                home[place] = offered[name]
