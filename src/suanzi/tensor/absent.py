"""Names that other libraries have and Suanzi lacks. The error for a missing name says what to write instead.

A class of tensors has an object for each missing name, so the lookup of other attributes is not slower. `hasattr`,
`dir` and `help` do not show the missing names.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import Any, NoReturn

from suanzi import _core
from suanzi.hints import tensors
from suanzi.tensor.messages import found_hint


class Absent:
    """The object for a missing attribute. An access to the attribute raises an AttributeError with a hint."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, x: Any, kind: type[Any]) -> NoReturn:
        raise missing(_called(kind), self.name, x)


class AbsentMethod(Absent):
    """The object for a method that NumPy's ufuncs have and Suanzi's functions lack, such as `reduce`."""

    __slots__ = ()

    def __get__(self, x: Any, kind: type[Any]) -> NoReturn:
        name = getattr(x, "__name__", kind.__name__)
        hint = found_hint("of_method", name, self.name)
        raise AttributeError(f"{name} has no {self.name!r}{hint}", name=self.name, obj=None if hint else x)


class Hiding(type):
    """The metaclass that hides a class's missing attributes from `dir`, `help` and completion."""

    __slots__ = ()

    def __dir__(cls) -> list[str]:
        return _present(cls, super().__dir__())


def missing(kind: str, name: str, x: Any) -> AttributeError:
    """Return the error for an attribute that a tensor lacks.

    An error with a hint has no reference to the tensor, because Python would add another suggestion.
    """
    hint = "" if name.startswith("_") else found_hint("of_attribute", kind, name)
    return AttributeError(f"{kind} has no {name!r}{hint}", name=name, obj=None if hint else x)


def _called(kind: type[Any]) -> str:
    """Return a class's name in messages, which is Tensor for dense tensors on any device."""
    return "Tensor" if getattr(kind, "lies_elsewhere", False) else kind.__name__


def set_absent(kind: type[Any], *others: str) -> None:
    """Add an `Absent` object to a class for each missing name: the names in the tables of hints, and `others`."""
    there = {name for base in kind.__mro__ for name in vars(base)}
    of_kind = tensors.OF_KINDS.get(_called(kind), {})
    for name in (*tensors.NAMES, *of_kind, *others):
        if name not in there:
            setattr(kind, name, Absent(name))
    setattr(kind, "__dir__", present)  # noqa: B010
    if type(kind) is type:
        _core.set_metaclass(kind, Hiding)


def set_absent_methods(kind: type[Any]) -> None:
    """Add an `AbsentMethod` to the class of Suanzi's functions for each method of NumPy's ufuncs."""
    for name in tensors.METHODS_OF_UFUNCS:
        setattr(kind, name, AbsentMethod(name))
    setattr(kind, "__dir__", present)  # noqa: B010
    if type(kind) is type:
        _core.set_metaclass(kind, Hiding)


def present(x: Any) -> list[str]:
    """Return ``dir(x)`` without missing attributes."""
    return _present(type(x), object.__dir__(x))


def _present(kind: type[Any], names: Iterable[str]) -> list[str]:
    absent = {name for base in kind.__mro__ for name, value in vars(base).items() if isinstance(value, Absent)}
    return [name for name in names if name not in absent]


def missing_name(module: str, name: str) -> AttributeError:
    """Return the error for a name that a module, such as ``"suanzi"`` or ``"suanzi.random"``, lacks."""
    part = module.partition(".")[2]
    hint = "" if name.startswith("_") else found_hint("of_name", part, name)
    return AttributeError(f"{module} has no {name!r}{hint}", name=name, obj=None if hint else sys.modules.get(module))


def attributes_of(module: str) -> Callable[[str], NoReturn]:
    """Return a function ``__getattr__`` for a module. The function raises the error for every missing name."""

    def attribute(name: str) -> NoReturn:
        raise missing_name(module, name)

    return attribute
