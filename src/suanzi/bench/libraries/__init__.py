"""The timed libraries: providers of the conformance kit, and further functions that are faster or that the standard
lacks.

The modules `numpy`, `torch` and `jax` have two tables each. The keys of both tables are Suanzi's names. Each function
in FUNCTIONS is called with Suanzi's operands and options. Each function in CALLS prepares the call for operands and
options before the timing. None in CALLS means that the library has no equivalent function.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np

from suanzi.bench.cases import AsIs, Call, Case, Operands
from suanzi.conformance.oracle.element_types import ELEMENT_TYPES, Array, ElementType
from suanzi.conformance.provider import Provider
from suanzi.conformance.providers import load

_WITH_TABLES = ("numpy", "torch", "jax")


class Library:
    """A timed library, which makes the calls of cases."""

    def __init__(self, name: str) -> None:
        self._provider = _scipy() if name == "scipy" else load(name)
        self.name = self._provider.name
        tables: Any = import_module(f"suanzi.bench.libraries.{self.name}") if self.name in _WITH_TABLES else None
        self._functions: Mapping[str, Callable[..., Any]] = tables.FUNCTIONS if tables else {}
        self._calls: Mapping[str, Callable[..., Call] | None] = tables.CALLS if tables else {}

    @property
    def version(self) -> str:
        return self._provider.version()

    def set_threads(self, count: int) -> None:
        self._provider.set_threads(count)

    def call(self, case: Case, size: int, element_type: str) -> Call | None:
        """Return the call of a case on the library's tensors. The result is None if the library has no call for the
        case, or if the library is too slow for the size.
        """
        if size > case.most.get(self.name, size):
            return None
        maker = self._maker(case, element_type)
        if maker is None:
            return None
        given = operands_of(case, size, element_type)
        operands = [self._own(x) for x in given.operands]
        call = maker(*operands, **{key: self._own(x) for key, x in given.options.items()})
        if type(self._provider).finished is Provider.finished:
            return call
        return lambda: self._provider.finished(call())

    def _maker(self, case: Case, element_type: str) -> Callable[..., Call] | None:
        if case.own is not None:
            return case.own.get(self.name)
        if element_type not in self._provider.element_types or self.name == "scipy":
            return None
        if case.way is not None:
            return partial(partial, case.way)
        if case.operator in self._calls:
            return self._calls[case.operator]
        function = self._functions.get(case.operator) or self._provider.find_bare(case.operator)
        return function and partial(_into if case.into else partial, function)

    def _own(self, x: Any) -> Any:
        if isinstance(x, AsIs):
            return x.value
        if isinstance(x, list):
            return [self._own(item) for item in x]
        if isinstance(x, np.ndarray):
            return self._tensor(x)
        return self._provider.element_type(x.name) if isinstance(x, ElementType) else x

    def _tensor(self, x: Array) -> Any:
        """Return an array as a tensor of the library. Suanzi's tensor is a copy in Suanzi's own memory, which results
        also use.
        """
        tensor = self._provider.from_numpy(x)
        return tensor.clone() if self.name == "suanzi" else tensor


def _into(function: Callable[..., Any], *operands: Any, **options: Any) -> Call:
    """Return the call of a function that writes the result into an existing tensor."""
    return partial(function, *operands, out=function(*operands, **options), **options)


def operands_of(case: Case, size: int, element_type: str) -> Operands:
    """Return the operands of a case, which are equal in every process."""
    name = list(f"{case.operator} {case.variant}".encode())
    t = ELEMENT_TYPES.get(element_type, ELEMENT_TYPES["float32"])
    return case.make(size, t.numpy, np.random.default_rng([*name, size]))


def _scipy() -> Provider:
    """Return the provider of SciPy. SciPy is timed only in cases that have a call of SciPy."""
    from suanzi.bench.libraries.scipy import SciPy

    return SciPy()
