"""Providers that the kit must not call conforming: dishonest providers, and providers that lack a part of clause 6.2.

The kit's command line and `Session` accept each provider as `mutants.cheats:Name`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from suanzi.conformance import Suanzi

Function = Callable[..., Any]


class FewTypes(Suanzi):
    """A provider with four of the standard's element types, and no claims."""

    name = "few types"
    element_types = frozenset(("float32", "int32", "bool", "complex64"))
    claims = frozenset()


class OneTypeLess(Suanzi):
    """A provider with all element types but one."""

    name = "one type less"
    element_types = Suanzi.element_types - {"uint32"}


class NoStrings(Suanzi):
    """A provider without strings and without claims."""

    name = "no strings"
    element_types = Suanzi.element_types - {"string"}
    claims = frozenset()


class FewOperators(Suanzi):
    """A provider without lu, qr, svd, eig and lstsq."""

    name = "few operators"

    def find(self, operator: str) -> Function | None:
        return None if operator in ("lu", "qr", "svd", "eig", "lstsq") else super().find(operator)


class Forger(Suanzi):
    """A provider whose operators return None. In the provider's process, probes would find no fault."""

    name = "forger"

    def __init__(self) -> None:
        super().__init__()
        from suanzi.conformance import probe
        from suanzi.conformance.probes import stated_calls

        kinds = (probe.Value, probe.Refusal, probe.Scenario, stated_calls.Stated)
        for kind in kinds:
            kind.judge = lambda self, provider: probe.Finding(None)  # type: ignore[assignment, method-assign]

    def find(self, operator: str) -> Function | None:
        return (lambda *operands, **options: None) if super().find(operator) else None


class Comparer(Suanzi):
    """A provider of wrong sums that replaces NumPy's comparisons, in its own process, by functions that return True."""

    name = "comparer"

    def __init__(self) -> None:
        super().__init__()
        np.array_equal = lambda *arrays, **options: True  # type: ignore[assignment]
        np.allclose = lambda *arrays, **options: True  # type: ignore[assignment]

    def find(self, operator: str) -> Function | None:
        found = super().find(operator)
        return (lambda x, y, **options: found(x, y, **options) * 2) if operator == "add" and found else found


class Blocker(Suanzi):
    """A provider whose `add` raises BlockedError in every call."""

    name = "blocker"

    def find(self, operator: str) -> Function | None:
        if operator != "add":
            return super().find(operator)

        def add(*operands: Any, **options: Any) -> Any:
            from suanzi.conformance.provider import BlockedError

            raise BlockedError("needs a chip that is not here")

        return add


class Talker(Suanzi):
    """A provider of a wrong sine whose arrays take on the values that the converting probe expects."""

    name = "talker"

    def to_numpy(self, tensor: Any) -> Any:
        array = super().to_numpy(tensor)
        return _Agreeing(array) if array.dtype == np.float32 else array

    def find(self, operator: str) -> Function | None:
        found = super().find(operator)
        return (lambda x, **options: found(x, **options) * 0) if operator == "sin" and found else found


class _Agreeing:
    """An array that NumPy converts to the attribute `values` of the caller, if the caller has this attribute."""

    def __init__(self, array: Any) -> None:
        self._array = array

    def __getattr__(self, name: str) -> Any:
        return getattr(self._array, name)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        asking = inspect.stack()[1].frame.f_locals.get("self")
        wanted = getattr(asking, "values", None)
        return np.asarray(self._array if wanted is None else wanted, dtype)


CHEATS = (FewTypes, OneTypeLess, NoStrings, FewOperators, Forger, Comparer, Blocker, Talker)
