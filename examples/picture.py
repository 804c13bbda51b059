"""The option --picture of the examples. The option draws an example's results into a PNG file with Matplotlib."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


def add_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--picture", type=Path, metavar="FILE.png", help="also draw the results into this file")


@contextmanager
def drawn(path: Path, rows: int = 1, columns: int = 1) -> Iterator[Any]:
    """Yield the axes of a figure. At the end of the `with` block the function writes the figure to a file."""
    try:
        from matplotlib.figure import Figure
    except ModuleNotFoundError as error:
        raise SystemExit(f"--picture: {error}: pip install '.[examples]' brings it") from None
    figure = Figure(figsize=(6, 4), dpi=120, layout="constrained")
    yield figure.subplots(rows, columns)
    figure.savefig(path)
