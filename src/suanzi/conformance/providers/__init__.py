"""The providers that come with the kit, and the search for other providers.

A user of the kit names a class of a module (``mine.conformance:Provider``). A package can also register the class as an
entry point of the group ``suanzi.conformance`` under the provider's own name.
"""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import entry_points
from typing import cast

from ..provider import Provider

GROUP = "suanzi.conformance"
LIBRARIES = (".so", ".dylib")
BUILT_IN = {
    name: f"{__package__}.{module}"
    for name, module in {
        "suanzi": "suanzi:Suanzi",
        "numpy": "numpy:NumPy",
        "torch": "torch:Torch",
        "jax": "jax:Jax",
        "onnxruntime": "onnxruntime:OnnxRuntime",
        "c": "libsuanzi:LibSuanzi",
    }.items()
}


def is_built_in(name: str) -> bool:
    """Return whether the kit itself contains the provider of a given name."""
    return name in BUILT_IN or name.endswith(LIBRARIES) or name.startswith("array-api:")


class UnknownProviderError(ValueError):
    """Raised for an unknown name of a provider."""


def load(name: str, device: str = "") -> Provider:
    """Return the provider for a name, a shared library, ``module:Class``, or ``array-api:MODULE``.

    A provider that computes on several devices accepts the name of a device as its argument.
    """
    given = (device,) if device else ()
    if name.endswith(LIBRARIES):
        from .c_library import CLibrary

        return CLibrary(name, *given)
    if name.startswith("array-api:"):
        from .array_api import ArrayApi

        return ArrayApi(import_module(name.partition(":")[2]), *given)
    registered = {entry.name: entry.value for entry in entry_points(group=GROUP)}
    where = BUILT_IN.get(name) or registered.get(name) or name
    module, colon, attribute = where.partition(":")
    if not colon:
        known = ", ".join([*BUILT_IN, *registered])
        raise UnknownProviderError(
            f"{name[:80]!r} is not a provider; known are {known}, module:Class, array-api:MODULE"
        )
    try:
        return cast(Provider, getattr(import_module(module), attribute)(*given))
    except ModuleNotFoundError as error:
        if name not in BUILT_IN:
            raise
        raise UnknownProviderError(f"{error.name} is not installed; pip install {error.name}") from error
