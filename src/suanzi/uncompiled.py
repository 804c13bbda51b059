"""The explanation of an import that does not find the compiled core."""

import sys
from pathlib import Path


def reason() -> str:
    """Return why the folder of this package has no compiled core for the running Python, and what to do."""
    if sys.version_info < (3, 11):  # noqa: UP036
        return f"suanzi needs Python 3.11 or newer, and this is Python {sys.version_info[0]}.{sys.version_info[1]}"
    folder = Path(__file__).parent
    wanted = f"suanzi's compiled core for Python {sys.version_info[0]}.{sys.version_info[1]} is not in {folder}"
    others = sorted(path.name for path in folder.glob("_core*.so"))
    if others:
        return f"{wanted}, which has {', '.join(others)}; install suanzi for this Python"
    if (folder.parent.parent / "pyproject.toml").exists():
        return f"{wanted}, a folder of sources; run `pip install .` there, and Python in another folder"
    return f"{wanted}; install suanzi again"
