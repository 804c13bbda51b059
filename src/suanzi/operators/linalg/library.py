"""The search for the file of a BLAS and LAPACK library. At the first use of BLAS or LAPACK, the core calls `locate` and
loads the file.

The file is from the wheel of MKL if the wheel is installed, and otherwise from the wheel of OpenBLAS. The environment
variable SUANZI_BLAS selects MKL or OpenBLAS.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from suanzi.tensor.messages import shown
from suanzi.tensor.status import InternalError, InvalidArgumentError

if TYPE_CHECKING:
    from pathlib import Path


# pathlib and parts of importlib are imported in functions, because an import of suanzi must not load these modules.
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


_FINDERS: dict[str, Callable[[], Path | None]] = {"mkl": _mkl, "openblas": _openblas}  # in the order of preference


def locate() -> tuple[str, str]:
    """Return the name of the BLAS library, "mkl" or "openblas", and the path of the file. Raise an error if neither MKL
    nor OpenBLAS is installed, or if the library that SUANZI_BLAS selects is not installed.
    """
    wanted = os.environ.get("SUANZI_BLAS", "")
    if wanted and wanted not in _FINDERS:
        raise InvalidArgumentError(
            f"SUANZI_BLAS: the variable SUANZI_BLAS is {shown(wanted)}, which is not one of {', '.join(_FINDERS)}"
        )
    for kind, find in _FINDERS.items():
        if wanted in ("", kind) and (path := find()) is not None:
            return kind, str(path)
    if wanted == "mkl":
        raise InternalError("BLAS: mkl is not installed; pip install 'suanzi[mkl]', or unset SUANZI_BLAS")
    missing = "openblas is not" if wanted else "neither MKL nor OpenBLAS is"
    raise InternalError(f"BLAS: {missing} installed; pip install scipy-openblas64")
