"""One check: a call, and what must come of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from suanzi.conformance.oracle.compare import Expected
from suanzi.conformance.oracle.element_types import ElementType
from suanzi.conformance.provider import Provider
from suanzi.tensor.status import Status


@dataclass(frozen=True, slots=True)
class Value:
    """Calls an operator on arrays and scalars and compares what it returns."""

    operator: str
    label: str
    operands: tuple[Any, ...]  # arrays and element types become the provider's own
    expected: Expected
    options: dict[str, Any] = field(default_factory=dict)

    def run(self, provider: Provider) -> str | None:
        """What is wrong, or None."""
        try:
            result = _call(provider, self.operator, self.operands, self.options)
        except Exception as error:  # a check reports whatever a foreign library throws
            return f"{self.label}: raised {type(error).__name__}: {error}"
        # Some operators answer with a number or a tuple (size, shape).
        plain = isinstance(result, bool | int | float | complex | tuple)
        actual = np.asarray(result) if plain else provider.to_numpy(result)
        fault = self.expected.fault(actual, self.operands)
        return fault and f"{self.label}: {fault}"


@dataclass(frozen=True, slots=True)
class Refusal:
    """Calls an operator with what it must refuse, and compares the status (Table 1)."""

    operator: str
    label: str
    operands: tuple[Any, ...]
    status: int
    options: dict[str, Any] = field(default_factory=dict)

    def run(self, provider: Provider) -> str | None:
        """What is wrong, or None."""
        try:
            _call(provider, self.operator, self.operands, self.options)
        except Exception as error:
            status = getattr(error, "status", None)
            if status == self.status:
                return None
            asked = f"{self.label}: not {Status(self.status).name}"
            return f"{asked} but {type(error).__name__} (status {status}): {error}"
        return f"{self.label}: not refused with {Status(self.status).name}"


@dataclass(frozen=True, slots=True)
class Scenario:
    """Something that takes more than one call to see."""

    operator: str
    label: str
    play: Callable[[Provider], str | None]

    def run(self, provider: Provider) -> str | None:
        """What is wrong, or None."""
        try:
            fault = self.play(provider)
        except Exception as error:
            fault = f"raised {type(error).__name__}: {error}"
        return fault and f"{self.label}: {fault}"


Probe = Value | Refusal | Scenario


def _call(provider: Provider, operator: str, operands: tuple[Any, ...], options: dict[str, Any]) -> Any:
    function = provider.find(operator)
    assert function is not None

    def given(x: Any) -> Any:
        if isinstance(x, np.ndarray):
            return provider.from_numpy(x)
        return provider.element_type(x.name) if isinstance(x, ElementType) else x

    return function(*map(given, operands), **{key: given(value) for key, value in options.items()})
