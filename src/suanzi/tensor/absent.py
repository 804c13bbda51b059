"""Names that the library does not have, but others do: the errors say what to write instead.

A class of tensors has an object for each of these names, so no other attribute is found any slower. To `hasattr`,
`dir` and `help` they are not there.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any, NoReturn

from suanzi import _core
from suanzi.hints import tensors


class Absent:
    """An attribute that is not there: whoever asks for it gets an AttributeError with a hint."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, x: Any, kind: type[Any]) -> NoReturn:
        raise missing(_called(kind), self.name, x)


class Hiding(type):
    """The class of classes that have such attributes: neither `dir` nor `help` nor completion lists them."""

    __slots__ = ()

    def __dir__(cls) -> list[str]:
        return _present(cls, super().__dir__())


def missing(kind: str, name: str, x: Any) -> AttributeError:
    """The error for an attribute that a tensor does not have.

    Where there is a hint, the error does not name the tensor: Python would suggest another attribute.
    """
    hint = import_module("suanzi.hints.answers").of_attribute(kind, name)
    return AttributeError(f"{kind} has no {name!r}{hint}", name=name, obj=None if hint else x)


def _called(kind: type[Any]) -> str:
    """The name of a class for a user: dense tensors on devices are tensors like others."""
    return "Tensor" if getattr(kind, "lies_elsewhere", False) else kind.__name__


def set_absent(kind: type[Any], *others: str) -> None:
    """Gives a class what says that it does not have the attributes in the tables, nor those others."""
    there = {name for base in kind.__mro__ for name in vars(base)}
    of_kind = tensors.OF_KINDS.get(_called(kind), {})
    for name in (*tensors.NAMES, *of_kind, *others):
        if name not in there:
            setattr(kind, name, Absent(name))
    setattr(kind, "__dir__", present)  # noqa: B010
    if type(kind) is type:
        _core.set_metaclass(kind, Hiding)


def present(x: Any) -> list[str]:
    """``dir(x)`` without what is absent."""
    return _present(type(x), object.__dir__(x))


def _present(kind: type[Any], names: Iterable[str]) -> list[str]:
    absent = {name for base in kind.__mro__ for name, value in vars(base).items() if isinstance(value, Absent)}
    return [name for name in names if name not in absent]


def missing_name(module: str, name: str) -> AttributeError:
    """The error for a name that a module of the library, ``"suanzi"`` or ``"suanzi.random"``, does not have."""
    part = module.partition(".")[2]
    hint = "" if name.startswith("_") else import_module("suanzi.hints.answers").of_name(part, name)
    return AttributeError(f"{module} has no {name!r}{hint}", name=name, obj=None if hint else sys.modules.get(module))


def attributes_of(module: str) -> Callable[[str], NoReturn]:
    """The ``__getattr__`` of a module whose names are all there."""

    def attribute(name: str) -> NoReturn:
        raise missing_name(module, name)

    return attribute
