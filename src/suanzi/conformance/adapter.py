"""Conversion of objects to providers. An object needs only a few of a provider's methods, because `Provider` has
defaults for all other methods.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from .oracle.element_types import ELEMENT_TYPES, Array
from .provider import CLAIMS, Provider

_TYPES = (*ELEMENT_TYPES, "string")
_NEEDED = ("from_numpy", "to_numpy")
_TELLING = ("order", "device_of", "rule")  # methods without which some checks are impossible


def adapted(provider: Any) -> Provider:
    """Return `provider` itself if its class derives from `Provider`, and otherwise a wrapper of `provider`. Raise
    ValueError if the provider has unknown element types or claims.
    """
    found: Provider = provider if Provider in type(provider).__mro__ else Adapted(provider)
    for what, names, known in (("element types", found.element_types, _TYPES), ("claims", found.claims, CLAIMS)):
        if unknown := sorted(set(names) - {*known}):
            raise ValueError(f"{found.name}: unknown {what} {unknown!s:.80}; known are {', '.join(known)}")
    return found


def telling(provider: Provider) -> list[str]:
    """Return the names of the methods among `order`, `device_of` and `rule` that a provider defines itself."""
    given: Any = provider._given if isinstance(provider, Adapted) else provider
    defaults = {name: getattr(Provider, name) for name in _TELLING}
    return [name for name in _TELLING if getattr(type(given), name, defaults[name]) is not defaults[name]]


class Adapted(Provider):
    """A wrapper of an object whose class does not derive from `Provider`."""

    def __init__(self, given: Any) -> None:
        self._given = given
        kind = type(given).__name__
        missing = [name for name in _NEEDED if not callable(getattr(given, name, None))]
        if not callable(getattr(given, "find", None)) and not isinstance(self._operators, Mapping):
            missing.append("find, or a mapping operators")
        if missing:
            raise TypeError(f"{kind} is not a provider: it has no {' and no '.join(missing)} (docs/conformance.md)")
        self.name = str(getattr(given, "name", kind))
        types = getattr(given, "element_types", None)
        self.element_types = frozenset(self._taken() if types is None else _names("element_types", types))
        self.claims = frozenset(_names("claims", getattr(given, "claims", ())))

    @property
    def _operators(self) -> Any:
        return getattr(self._given, "operators", None)

    def _taken(self) -> Iterable[str]:
        """Return the element types that `from_numpy` accepts and `to_numpy` returns."""
        ones = {t.name: np.ones(1, t.numpy) for t in ELEMENT_TYPES.values()}
        for name, array in {**ones, "string": np.array(["a"])}.items():
            try:
                given = self._given.to_numpy(self._given.from_numpy(array))
            except Exception:
                continue
            found = _array(given)
            if found.tolist() == array.tolist() and (found.dtype == array.dtype or name == "string"):
                yield name

    def find(self, operator: str) -> Callable[..., Any] | None:
        if hasattr(self._given, "find"):
            found: Callable[..., Any] | None = self._given.find(operator)
            return found
        return self._operators.get(operator)  # type: ignore[no-any-return]

    def functions(self, operator: str) -> Iterable[str]:
        found: Iterable[str] = self._or_else("functions", super().functions, operator)
        return found

    def element_type(self, name: str) -> Any:
        return self._or_else("element_type", lambda given: given, name)

    def from_numpy(self, array: Array) -> Any:
        return self._given.from_numpy(array)

    def to_numpy(self, tensor: Any) -> Array:
        return _array(self._given.to_numpy(tensor))

    def order(self, tensor: Any) -> tuple[int, ...]:
        return tuple(self._or_else("order", super().order, tensor))

    def device_of(self, tensor: Any) -> str:
        return str(self._or_else("device_of", super().device_of, tensor))

    def version(self) -> str:
        return str(self._or_else("version", super().version))

    def rule(self, name: str, *given: Any) -> Any:
        return self._or_else("rule", super().rule, name, *given)

    def set_threads(self, count: int) -> None:
        self._or_else("set_threads", super().set_threads, count)

    def finished(self, result: Any) -> Any:
        return self._or_else("finished", super().finished, result)

    def _or_else(self, name: str, default: Callable[..., Any], *given: Any) -> Any:
        own = getattr(self._given, name, None)
        if own is not None and not callable(own):  # `version`, for example, may be a text
            return own
        return (default if own is None else own)(*given)


def _array(given: Any) -> Array:
    """Return the array that `to_numpy` returned. Raise TypeError for an object of another kind, such as a list."""
    if not hasattr(given, "__array__"):
        raise TypeError(f"to_numpy returned {type(given).__name__}, not a NumPy array")
    return np.asarray(given)


def _names(what: str, names: Any) -> list[str]:
    if isinstance(names, str) or not all(isinstance(name, str) for name in names):
        raise TypeError(f"{what} must be several names, not {names!r:.80}")
    return list(names)
