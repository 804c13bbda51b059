"""ONNX models in packages, for the examples: folders, and a way to run a model in Suanzi or ONNX Runtime.

The module also has the error of an input file that cannot be read.
"""

from __future__ import annotations

import importlib.util
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from suanzi.interop import onnx

Array = np.ndarray[Any, Any]
Model = Callable[[dict[str, Array]], list[Array]]  # from inputs by name to the outputs


def folder(package: str, missing: str) -> Path:
    """Return the folder of a package without an import of the package. End the program if the package is missing."""
    found = importlib.util.find_spec(package)
    if found is None or not found.submodule_search_locations:
        raise SystemExit(missing)
    return Path(found.submodule_search_locations[0])


@contextmanager
def reading(path: Path | None, parser: ArgumentParser) -> Iterator[None]:
    """End the program with a line that names the file if the block cannot read the file of an option."""
    try:
        yield
    except Exception as error:  # the packages that read files raise exceptions of many classes
        parser.error(f"{path}: {getattr(error, 'strerror', None) or str(error) or 'the file ends too early'}")


def ours(path: Path) -> Model:
    model = onnx.load(path)
    return lambda feed: [y.numpy() for y in model.run(feed)]


def theirs(path: Path) -> Model:
    import onnxruntime

    session = onnxruntime.InferenceSession(path)
    return lambda feed: session.run(None, feed)
