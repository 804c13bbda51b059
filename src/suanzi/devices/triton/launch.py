"""Compilation and launch of kernels: the file from which Triton reads a source, and the call.

A file is named by a hash of its text, so Triton finds the compiled kernel when the same source is generated again.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import shutil
import sys
import tempfile
from contextlib import nullcontext
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import torch

HEADER = """import triton
import triton.language as tl
from suanzi.devices.triton.library import (
    greater, key, lesser, libdevice, number, of_key, saturated, sign, signed, whole, with_sign
)

"""
_INTERPRETED = "TRITON_INTERPRET"
_COMPILERS = ("cc", "gcc", "clang")


def is_interpreted() -> bool:
    """Return whether Triton's interpreter runs kernels on the host."""
    return os.environ.get(_INTERPRETED, "") in ("1", "true", "on")


@cache
def missing(back_end: str) -> str | None:
    """Return the reason why kernels do not run on a PyTorch back end, or None if kernels run."""
    if find_spec("triton") is None:
        return "Triton is not installed"
    if is_interpreted():
        return None
    if back_end not in ("cuda", "xpu"):
        return f"Triton has no devices of {back_end}"
    compilers = (os.environ["CC"],) if os.environ.get("CC") else _COMPILERS
    if not any(shutil.which(name) for name in compilers):
        return "there is no C compiler, which Triton needs to launch kernels"
    return None


def folder() -> Path:
    """Return the folder of the sources: ``kernels`` in `SUANZI_CACHE`, or ``suanzi/kernels`` in the user's cache
    folder.
    """
    named = os.environ.get("SUANZI_CACHE")
    if named:
        return Path(named) / "kernels"
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "suanzi" / "kernels"


@cache
def _of_this_process() -> Path:
    return Path(tempfile.mkdtemp(prefix="suanzi-kernels-"))


def stored(source: str) -> Path:
    """Return the file of a source, and write the file unless a file with the same text exists."""
    text = HEADER + source
    name = f"k{hashlib.sha256(text.encode()).hexdigest()[:24]}.py"
    for place in (folder, _of_this_process):
        try:
            path = place() / name
            if path.is_file() and path.read_text(encoding="utf-8") == text:
                return path
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(
                "w", encoding="utf-8", dir=path.parent, suffix=".part", delete=False
            ) as file:
                file.write(text)
            Path(file.name).replace(path)
        except (OSError, RuntimeError):  # no home folder, no space, or no permission to write
            continue
        return path
    raise OSError("no folder for kernels can be written")


@cache
def loaded(source: str) -> Any:
    """Return the Python module that a source defines."""
    path = stored(source)
    name = f"suanzi_kernel_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def launched(kernel: Any, grid: tuple[int, ...], arguments: list[Any], place: torch.device, **options: Any) -> None:
    """Run a kernel on a device. The compiler must not fuse a product and a sum into one operation, which would round
    only once.
    """
    there = torch.cuda.device(place) if place.type == "cuda" else nullcontext()
    with there:
        kernel[grid](*arguments, enable_fp_fusion=False, **options)
