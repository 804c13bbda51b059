"""The models: an operator's results, computed by NumPy alone, and the calls that test it best.

A module for each family, whose `MODELS` are found, not listed; the elementwise ones follow from the table of rules. A
model knows nothing of providers: `probes.situations` makes the probes of it.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from .model import Elements, Model

__all__ = ["Elements", "Model", "models"]


@cache
def _all() -> dict[str, tuple[Model, ...]]:
    found: dict[str, tuple[Model, ...]] = {}
    for info in iter_modules(__path__):
        for model in getattr(import_module(f"{__name__}.{info.name}"), "MODELS", ()):
            found[model.function] = (*found.get(model.function, ()), model)
    return found


def models(function: str) -> tuple[Model, ...]:
    """The models of a function: several where its options give it several meanings; none where there is none yet."""
    return _all().get(function, ())
