"""Builds the simulated accelerator and loads it as PyTorch's back end "sim".

As a program, this module runs a `suanzi` command on the accelerator: ``SUANZI_GPU=sim python accelerator.py conformance
…``.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

SOURCE = Path(__file__).with_name("simulated.cpp")


def missing() -> str:
    """Return the reason why this machine cannot build the accelerator, or an empty text."""
    if shutil.which(_compiler()) is None:
        return f"the simulated accelerator needs a C++ compiler, and there is no {_compiler()}"
    return ""


def _compiler() -> str:
    return os.environ.get("CXX", "c++")


def built() -> Path:
    """Return the path of the library, which is built once for each source, compiler and version of PyTorch."""
    import torch
    from torch.utils import cpp_extension

    abi = int(torch.compiled_with_cxx11_abi())
    command = [_compiler(), "-std=c++20", "-O0", "-w", "-shared", "-fPIC", f"-D_GLIBCXX_USE_CXX11_ABI={abi}"]
    command += [f"-I{path}" for path in cpp_extension.include_paths()]
    libraries = [f"-L{path}" for path in cpp_extension.library_paths()] + ["-ltorch_cpu", "-lc10"]
    told = hashlib.sha256(repr((torch.__version__, command, libraries)).encode() + SOURCE.read_bytes()).hexdigest()[:16]
    folder = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "suanzi-tests"
    library = folder / f"simulated-{told}.so"
    if not library.exists():
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder) as place:
            made = Path(place) / "simulated.so"
            done = subprocess.run(
                [*command, str(SOURCE), *libraries, "-o", str(made)], capture_output=True, text=True, check=False
            )
            if done.returncode:
                raise RuntimeError(f"the simulated accelerator does not build: {done.stderr[-4000:]}")
            made.replace(library)
    return library


@cache
def loaded() -> Any:
    """Load the accelerator, and return its functions for tests: `computed`, `used`, `limit` and `fail`.

    After the call, PyTorch has the devices sim:0 and sim:1.
    """
    import torch

    torch.ops.load_library(built())
    torch.utils.rename_privateuse1_backend("sim")
    module: Any = ModuleType("torch.sim")
    module.is_available = module.is_initialized = lambda: True
    module.device_count = lambda: 2
    module.current_device = lambda: 0
    module._is_in_bad_fork = lambda: False
    module.manual_seed_all = lambda seed: None
    module.get_amp_supported_dtype = list
    torch._register_device_module("sim", module)
    asked: Any = torch.ops.simulated
    asked.begin()
    return asked


def main(arguments: list[str]) -> int:
    """Run a `suanzi` command. Processes that the command starts also load the accelerator."""
    loaded()
    from suanzi.cli import main as command

    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "sitecustomize.py").write_text("import accelerator\naccelerator.loaded()\n", encoding="utf-8")
        sys.path[:0] = [folder, str(SOURCE.parent)]  # child processes search the path of this process
        return command(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
