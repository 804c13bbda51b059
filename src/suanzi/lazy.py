"""Attributes of `suanzi` that are loaded at their first use: parts of the library, and names of theirs.

The error for any other name says what to write instead of a function of NumPy's or PyTorch's of that name.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

from suanzi.tensor.absent import missing_name
from suanzi.tensor.status import TWOFOLD

PARTS = ("array_api", "conformance", "extras", "fusion", "interop", "nn")
# Names of `suanzi`, by the part that has them: also the errors that are two of Python's, for pickles.
OF_PARTS = {
    "TraceError": "fusion",
    "fuse": "fusion",
    "loadtxt": "interop.formats.text",
} | dict.fromkeys(TWOFOLD, "tensor.status")


def attribute(name: str) -> Any:
    """Return the part of that name, or an attribute of a part; AttributeError where there is none."""
    if name in PARTS:
        return import_module(f"suanzi.{name}")
    if name in OF_PARTS:
        found = getattr(import_module(f"suanzi.{OF_PARTS[name]}"), name)
        setattr(sys.modules["suanzi"], name, found)  # no more asked for here
        return found
    raise missing_name("suanzi", name)
