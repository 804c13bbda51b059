"""Counts the cycles per element of the mathematical functions, for any processor, by the simulator llvm-mca.

Run ``python benchmarks/cycles.py`` (some minutes). ``--only exp,log`` selects functions, ``--source DIR`` names the
core of another tree, and ``--save FILE`` writes a Markdown table. The script needs g++ and llvm-mca (Debian: llvm-22).
``--mca`` names another llvm-mca than the newest on the PATH.

The script compiles a loop over vectors, like the kernels' loops, for a level. llvm-mca simulates the loop's body, from
its label to the jump back, with data in the L1 cache. The code for vectors with rare elements is outside of the loop's
body. llvm-mca models the ports and latencies of a processor's instructions and the width of its front end, but not
caches and wrong predictions of branches.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TITLE = "# Cycles per element of the mathematical functions"
METHOD = """`python benchmarks/cycles.py --save docs/results/cycles.md` writes this page. llvm-mca simulates the loop of
each function with the data in the L1 cache. A number in brackets is the time of the busiest port alone, which is the
reciprocal throughput of the loop's body. llvm-mca's Intel models have one port for 512-bit multiply-adds, while server
processors have two ports."""

FUNCTIONS = (
    "exp", "expm1", "log", "log1p", "log2", "log10", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh",
    "tanh", "asinh", "acosh", "atanh", "rsqrt", "pow", "atan2", "erf", "erfc", "gelu",
)  # fmt: skip
OF_TWO = ("pow", "atan2")
HEADERS = ("error_function", "exp", "hyperbolic", "inverse_hyperbolic", "inverse_trig", "log", "pow", "rsqrt", "trig")
FLAGS = ["-std=c++20", "-O3", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math", "-w", "-S", "-o", "-"]
ITERATIONS = 200


@dataclass(frozen=True)
class Level:
    name: str
    flags: tuple[str, ...]
    processors: tuple[str, ...]


LEVELS = {
    "avx512": Level(
        "avx512",
        ("-march=x86-64-v4", "-mprefer-vector-width=512"),
        ("icelake-server", "sapphirerapids", "znver4", "znver5"),
    ),
    "avx2": Level("avx2", ("-march=x86-64-v3",), ("haswell", "icelake-server", "znver3")),
    "baseline": Level("baseline", (), ("icelake-server", "znver3")),
}

SOURCE = """
{includes}
using namespace suanzi;
using namespace suanzi::SUANZI_LEVEL;
extern "C" void loop({type}* out, const {type}* x, const {type}* y, long n) {{
  constexpr int N = math::lanes_of_{name}<{type}>;
  using V = Vec<{type}, N>;
  for (long i = 0; i < n; i += N) math::{name}({operands}).store(out + i);
}}
extern "C" const int loop_lanes = math::lanes_of_{name}<{type}>;
"""


def assembly(source: Path, level: Level, name: str, dtype: str) -> str:
    operands = "V::load(x + i), V::load(y + i)" if name in OF_TWO else "V::load(x + i)"
    includes = "\n".join(f'#include "math/{h}.h"' for h in HEADERS)
    text = SOURCE.format(includes=includes, type=dtype, name=name, operands=operands)
    command = ["g++", *FLAGS, *level.flags, f"-DSUANZI_LEVEL={level.name}", f"-I{source}", "-x", "c++", "-"]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


def body(lines: list[str]) -> list[str]:
    """Return the longest loop without calls in the lines of assembly, from a label to a jump back to the label."""
    start = lines.index("loop:")
    end = next(i for i, line in enumerate(lines) if i > start and ".size\tloop" in line)
    labels: dict[str, int] = {}
    loops: list[list[str]] = []
    for i in range(start, end):
        if match := re.match(r"(\.L\d+):", lines[i]):
            labels[match[1]] = i
        jump = re.match(r"\s+j\w+\s+(\.L\d+)$", lines[i])
        if jump and jump[1] in labels:
            loops.append([line for line in lines[labels[jump[1]] : i + 1] if re.match(r"\s+[a-z]", line)])
    return max((b for b in loops if not any(re.match(r"\s+(call|ret|jmp)", line) for line in b)), key=len)


def lanes(text: str) -> int:
    found = re.search(r"loop_lanes:\s+\.long\s+(\d+)", text)
    assert found is not None
    return int(found[1])


def cycles(mca: str, processor: str, instructions: list[str]) -> tuple[float, float]:
    """Return llvm-mca's cycles of one iteration of a loop, and the cycles in which the busiest port works."""
    command = [mca, "-mtriple=x86_64", f"-mcpu={processor}", f"-iterations={ITERATIONS}", "--json"]
    answer = subprocess.run(
        command, input="\n".join(instructions) + "\n", capture_output=True, text=True, check=True
    ).stdout
    summary = json.loads(answer)["CodeRegions"][0]["SummaryView"]
    return summary["TotalCycles"] / ITERATIONS, summary["BlockRThroughput"]


def row(source: Path, mca: str, name: str, dtype: str, level: Level) -> list[str]:
    text = assembly(source, level, name, dtype)
    instructions, n = body(text.splitlines()), lanes(text)
    found = (cycles(mca, processor, instructions) for processor in level.processors)
    return [name, dtype, str(n), *(f"{simulated / n:.2f} ({bound / n:.2f})" for simulated, bound in found)]


def table(source: Path, mca: str, names: list[str], dtypes: list[str], level: Level) -> str:
    header = ["function", "type", "lanes", *level.processors]
    work = [(name, dtype) for dtype in dtypes for name in names]
    with ThreadPoolExecutor(2) as pool:
        lines = [header, ["---"] * len(header), *pool.map(lambda w: row(source, mca, *w, level), work)]
    return f"## {level.name}\n\n" + "\n".join("| " + " | ".join(line) + " |" for line in lines)


def newest_mca() -> str:
    for version in range(40, 13, -1):
        if found := shutil.which(f"llvm-mca-{version}"):
            return found
    return shutil.which("llvm-mca") or "llvm-mca"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default=",".join(FUNCTIONS), help="the functions, separated by commas")
    parser.add_argument("--types", default="float,double")
    parser.add_argument("--levels", default="avx512,avx2")
    parser.add_argument("--source", type=Path, default=ROOT / "native", help="the folder `native` of a tree")
    parser.add_argument("--mca", default=newest_mca())
    parser.add_argument("--save", type=Path, help="write the tables to a Markdown file")
    options = parser.parse_args()
    names, dtypes, tables = options.only.split(","), options.types.split(","), []
    for level in options.levels.split(","):
        tables.append(table(options.source, options.mca, names, dtypes, LEVELS[level]))
        print(tables[-1], flush=True)
    if options.save:
        version = subprocess.run([options.mca, "--version"], capture_output=True, text=True, check=True).stdout
        compiler = subprocess.run(["g++", "--version"], capture_output=True, text=True, check=True).stdout
        llvm = re.search(r"LLVM version [0-9.]+", version)[0]  # type: ignore[index]
        about = f"`benchmarks/cycles.py` used {llvm} and {compiler.splitlines()[0]}."
        options.save.write_text("\n\n".join([TITLE, about, METHOD, *tables]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
