"""The paths of suanzi's C interface, for compilers, pkg-config and CMake (docs/c.md)."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

from suanzi import _core

PACKAGE = Path(_core.__file__).parent  # in an editable installation, the other modules are in the source folder
FOLDERS = {
    "include": PACKAGE / "include",
    "lib": PACKAGE / "lib",
    "pkgconfig": PACKAGE / "lib" / "pkgconfig",
    "cmake": PACKAGE / "lib" / "cmake",
}
WHAT = ("flags", *FOLDERS)


def tell(what: str) -> int:
    """Print the compiler's flags if `what` is "flags". Otherwise print the folder that `FOLDERS` has for `what`.

    Return 1 if the C interface is not installed.
    """
    folders = {name: shlex.quote(str(folder)) if what == "flags" else str(folder) for name, folder in FOLDERS.items()}
    if not (FOLDERS["include"] / "suanzi.h").exists():
        print(f"info: {folders['include']} has no suanzi.h: the C interface is not installed", file=sys.stderr)
        return 1
    flags = "-I{include} -L{lib} -Wl,-rpath,{lib} -lsuanzi"
    print((flags if what == "flags" else f"{{{what}}}").format(**folders))
    return 0
