"""Counts what the tree must not have, and fails where a count is not zero.

python tests/house.py

Each check is a function that yields the offending lines as `file:line: text`. CI runs this file beside the linters.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]


def native_lines() -> Iterator[tuple[str, int, str]]:
    """The lines of the native core: file, number from 1 and text, without comments that fill a line."""
    for path in sorted((ROOT / "native").rglob("*")):
        if path.suffix not in {".cpp", ".h"}:
            continue
        file = path.relative_to(ROOT).as_posix()
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            if not line.lstrip().startswith("//"):
                yield file, number, line


# What compilers call instruction sets, on x86 and elsewhere; intrinsics and their headers; and constants like has_avx2.
INSTRUCTION_SET = r"(?:AVX|S*SE\d|FMA\b|F16C|BMI|x86_64|i386|amd64|aarch64|arm_|ARM|NEON|SVE|riscv|powerpc|VSX)"
CONDITION = re.compile(rf"^\s*#\s*(?:if|ifdef|ifndef|elif)\b.*\b_*{INSTRUCTION_SET}")
INTRINSICS = re.compile(r"\b(?:_mm\d*_\w+|__m\d+[a-z]*|__builtin_ia32_\w+)\b|\w*mmintrin\.h|arm_neon\.h")
CONSTANT = re.compile(r"\bhas_(?:avx|fma|sse|neon|sve)\w*", re.IGNORECASE)
# The headers of the instruction sets, and the file that knows the processor for what is no kernel.
KNOWS_INSTRUCTION_SETS = ("native/simd/arch/", "native/runtime/processor.cpp")


def instruction_set_conditionals() -> Iterator[str]:
    """Code outside simd/arch that depends on the instruction set by name: Arch says there what a set can do."""
    for file, number, line in native_lines():
        if file.startswith(KNOWS_INSTRUCTION_SETS):
            continue
        if CONDITION.search(line) or INTRINSICS.search(line) or CONSTANT.search(line):
            yield f"{file}:{number}: {line.strip()}"


CHECKS: dict[str, Callable[[], Iterator[str]]] = {
    "instruction-set conditionals outside simd/arch and the dispatch": instruction_set_conditionals,
}


def main() -> int:
    found = {what: list(check()) for what, check in CHECKS.items()}
    for what, lines in found.items():
        print(f"{what}: {len(lines)}")
        for line in lines:
            print(f"  {line}")
    return int(any(found.values()))


if __name__ == "__main__":
    sys.exit(main())
