"""Compiles the kernels in a folder's files for an NVIDIA GPU and an AMD GPU. Neither GPU need be present.

python tests/devices/compiled.py FOLDER      prints the number of compilations, or the first error
"""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path
from typing import Any

import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

TARGETS = (GPUTarget("cuda", 90, 32), GPUTarget("hip", "gfx942", 64))
CONSTANTS = {"ROWS": 4, "BLOCK": 256}


def kernels(path: Path) -> Any:
    """Yield each kernel of a file, with the types of the kernel's parameters."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    for name, types in re.findall(r"^# (\w+): (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE):
        yield getattr(module, name), types.split(", ")


def main() -> None:
    """Compile the kernels of all Python files in the folder that the command line names."""
    count = 0
    for path in sorted(Path(sys.argv[1]).glob("*.py")):
        for kernel, types in kernels(path):
            constants = {name: value for name, value in CONSTANTS.items() if name in kernel.arg_names}
            names = [name for name in kernel.arg_names if name not in constants]
            signature = dict(zip(names, types, strict=True)) | dict.fromkeys(constants, "constexpr")
            for target in TARGETS:
                source = ASTSource(kernel, signature=signature, constexprs=constants)
                made = triton.compile(source, target=target, options={"enable_fp_fusion": False})
                text = made.asm.get("ptx", "")
                assert not re.search(r"\bfma\.rn\.f(32|64)\b", text) or "libdevice" in path.read_text(), path
                count += 1
    print(count, "compiled")


if __name__ == "__main__":
    main()
