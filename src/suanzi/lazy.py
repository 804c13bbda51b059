"""Attributes of `suanzi` that are loaded at their first use: parts of the library, and names of theirs.

The error for any other name says how a function of NumPy's or PyTorch's of that name is called here.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

PARTS = ("array_api", "conformance", "extras", "fusion", "interop", "nn")
OF_PARTS = {
    "TraceError": "fusion",
    "fuse": "fusion",
    "loadtxt": "interop.formats.text",
}  # names of `suanzi`, by the part that has them


def attribute(name: str) -> Any:
    """Return the part of that name, or an attribute of a part; AttributeError where there is none."""
    if name in PARTS:
        return import_module(f"suanzi.{name}")
    if name in OF_PARTS:
        found = getattr(import_module(f"suanzi.{OF_PARTS[name]}"), name)
        setattr(sys.modules["suanzi"], name, found)  # no more asked for here
        return found
    why = "" if name.startswith("_") else _counterpart(name)
    raise AttributeError(f"suanzi has no {name!r}{why}", name=name, obj=sys.modules["suanzi"])


def _counterpart(name: str) -> str:
    foreign = import_module("suanzi.interop.foreign_names")
    if name in foreign.HINTS:
        return f": {foreign.HINTS[name]}"
    extras = import_module("suanzi.extras").__all__
    called = foreign.CALLED.get(name) or (f"extras.{name}" if name in extras else None)
    return f"; it is suanzi.{called}" if called else ""
