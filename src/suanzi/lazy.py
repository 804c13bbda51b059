"""Attributes of `suanzi` that are loaded at the first use: parts of Suanzi, and names in the parts.

If NumPy or PyTorch has a function with the name of a missing attribute, the error says what to write instead.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

from suanzi.tensor.absent import missing_name
from suanzi.tensor.status import TWOFOLD

PARTS = ("array_api", "conformance", "extras", "fusion", "interop", "nn")
# The part of Suanzi that defines each name in the table. The table includes the errors that are also Python's built-in
# errors, so that pickle finds these errors.
OF_PARTS = {
    "TraceError": "fusion",
    "fuse": "fusion",
    "loadtxt": "interop.formats.text",
} | dict.fromkeys(TWOFOLD, "tensor.status")


def attribute(name: str) -> Any:
    """Return the part of Suanzi with a given name, or the attribute of a part that has this name. Raise AttributeError
    for other names.
    """
    if name in PARTS:
        return import_module(f"suanzi.{name}")
    if name in OF_PARTS:
        found = getattr(import_module(f"suanzi.{OF_PARTS[name]}"), name)
        setattr(sys.modules["suanzi"], name, found)  # later lookups find the attribute directly
        return found
    raise missing_name("suanzi", name)
