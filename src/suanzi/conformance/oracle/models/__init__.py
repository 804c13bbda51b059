"""The models: the expected results of operators, computed by NumPy only, and the calls that test these operators.

Each family of operators has a module, and the package finds the module's `MODELS` without a list. The elementwise
models follow from the table of rules. A model does not depend on providers. The module `probes.situations` makes the
probes of the models.
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
    """Return the models of a function.

    A function has several models if its options select several meanings. Some functions have no model.
    """
    return _all().get(function, ())
