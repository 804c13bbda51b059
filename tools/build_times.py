"""Times the compilation of each file of the native core, and adds up the times within each part of the installation.

    cmake -G Ninja -S . -B build/times -DSKBUILD=2 -DCMAKE_EXPORT_COMPILE_COMMANDS=ON \
        -Dnanobind_DIR=$(python -m nanobind --cmake_dir)
    python tools/build_times.py build/times             # all files
    python tools/build_times.py build/times core.dir    # files whose object's path matches the regular expression
    python tools/build_times.py build/times --files     # the files, too, the longest first

The times are processor times (user and system), so that other programs have little influence on the times. Two idle
processors need half of the sum. `SKBUILD` makes CMake build as for an installation.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path


def seconds(command: list[str], folder: str) -> float:
    """Run a command, which must succeed, and return its processor time."""
    process = subprocess.Popen(command, cwd=folder)
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"failed: {shlex.join(command)}")
    return usage.ru_utime + usage.ru_stime


def timed(folder: Path, pattern: str) -> Iterator[tuple[str, str, float, int]]:
    """Compile each selected object, precompiled headers first, and yield its part, its file, its seconds and bytes."""
    steps = json.loads((folder / "compile_commands.json").read_text())
    asked = [step for step in steps if re.search(pattern, step["output"])]
    with tempfile.TemporaryDirectory() as scratch:
        for step in sorted(asked, key=lambda step: not step["output"].endswith(".gch")):
            command = shlex.split(step["command"])
            place = command.index("-o") + 1
            target = Path(step["directory"], command[place])
            part, _, file = step["output"].rpartition("CMakeFiles/")[2].partition(".dir/")
            if file.endswith(".gch"):  # later files read the precompiled header
                part, file = "precompiled headers", part
            else:
                target = Path(scratch, "object.o")
                command[place] = str(target)
            taken = seconds(command, step["directory"])
            yield part, file, taken, target.stat().st_size


def main() -> None:
    parser = argparse.ArgumentParser(description="Times the compilation of the native core.")
    parser.add_argument("folder", type=Path, help="a folder that CMake configured")
    parser.add_argument("pattern", nargs="?", default="", help="a regular expression for paths of objects")
    parser.add_argument("--files", action="store_true", help="list the files, too")
    options = parser.parse_args()
    rows = list(timed(options.folder, options.pattern))
    if options.files:
        for part, file, taken, size in sorted(rows, key=lambda row: -row[2]):
            print(f"{taken:7.1f} s {size / 1024:8.0f} KiB  {part}: {file}")
    parts = defaultdict[str, list[float]](list)
    for part, _, taken, _ in rows:
        parts[part].append(taken)
    print("| part | files | seconds |\n| --- | --- | --- |")
    for part, times in sorted(parts.items(), key=lambda item: -sum(item[1])):
        print(f"| {part} | {len(times)} | {sum(times):.1f} |")
    print(f"| all | {len(rows)} | {sum(taken for _, _, taken, _ in rows):.1f} |")


if __name__ == "__main__":
    main()
