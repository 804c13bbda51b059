"""The place of the BLAS and LAPACK library on disk; the core asks at its first use and loads it itself.

MKL where its wheel is installed, else the wheel of OpenBLAS. The environment variable SUANZI_BLAS names one of the two.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from suanzi.tensor.messages import shown
from suanzi.tensor.status import InternalError, InvalidArgumentError

if TYPE_CHECKING:
    from pathlib import Path


# pathlib and importlib's parts are imported where they are used: importing suanzi must not pay for them.
def _mkl() -> Path | None:
    from importlib import metadata
    from pathlib import Path

    try:
        files = metadata.distribution("mkl").files or ()
    except metadata.PackageNotFoundError:
        return None
    for file in files:
        if file.name.startswith("libmkl_rt."):
            return Path(str(file.locate())).resolve()
    return None


def _openblas() -> Path | None:
    from importlib.util import find_spec
    from pathlib import Path

    spec = find_spec("scipy_openblas64")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        for file in Path(folder, "lib").glob("libscipy_openblas64_.*"):
            return file
    return None


_FINDERS: dict[str, Callable[[], Path | None]] = {"mkl": _mkl, "openblas": _openblas}  # the preferred one first


def locate() -> tuple[str, str]:
    """The library to load: its kind and its path."""
    wanted = os.environ.get("SUANZI_BLAS", "")
    if wanted and wanted not in _FINDERS:
        raise InvalidArgumentError(f"SUANZI_BLAS: {shown(wanted)} is not one of {', '.join(_FINDERS)}")
    for kind, find in _FINDERS.items():
        if wanted in ("", kind) and (path := find()) is not None:
            return kind, str(path)
    missing = f"{wanted} is not" if wanted else "neither MKL nor OpenBLAS is"
    raise InternalError(f"BLAS: {missing} installed; pip install scipy-openblas64")
