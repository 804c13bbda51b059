"""Attributes of `suanzi` that are loaded at the first use: parts of Suanzi, and names in the parts.

If NumPy or PyTorch has a function with the name of a missing attribute, the error says what to write instead. The error
of an import statement (``from suanzi import cat``) says the same.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import Any

from suanzi.tensor.absent import missing_name
from suanzi.tensor.messages import found_hint
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


class ImportHints:
    """A finder of modules that finds none. For a missing name of Suanzi that has a hint, the finder raises an
    ImportError with the hint.

    Python asks the finders in order. The finder is the last one, so Python asks it only about imports that fail.
    """

    @staticmethod
    def find_spec(fullname: str, path: Any = None, target: Any = None) -> None:
        module, _, name = fullname.rpartition(".")
        if module != "suanzi" and not module.startswith("suanzi."):
            return
        if hint := "" if name.startswith("_") else found_hint("of_name", module.partition(".")[2], name):
            # Python ignores an error whose name is that of a missing module if the statement is `from ... import`.
            raise ModuleNotFoundError(f"{module} has no {name!r}{hint}")


def add_import_hints(*modules: ModuleType) -> None:
    """Add hints to the errors of import statements.

    `modules` are modules of Suanzi without submodules. Python asks the finders about the names in packages only, and a
    module with a `__path__` counts as a package.
    """
    for module in modules:
        module.__path__ = []
    if ImportHints not in sys.meta_path:
        sys.meta_path.append(ImportHints)
