"""Builds the core under sanitizers and runs the tests on the core.

AddressSanitizer and UndefinedBehaviorSanitizer check the whole suite at each SIMD level, and ThreadSanitizer checks the
race suite. The script prints counts at the end. The exit status is 0 if every test passed and no sanitizer reported an
error.

    pip install '.[test]'
    python tests/sanitize.py [--sanitizer address|thread] [--level LEVEL] [arguments of pytest]

The script needs g++. `--level emulated` tests AVX-512 on machines without AVX-512. Each sanitizer has a separate build
folder, build/sanitize-<name>, which also holds the reports.

ThreadSanitizer checks the core, which has locks, caches, a pool of threads and objects that threads share. The kernels
and Python are built without ThreadSanitizer, which still sees Python's locks. If another thread changes a tensor while
an operator reads the tensor, the result is unspecified, so the race is not a fault of Suanzi. The race suite under
AddressSanitizer shows that no race leads to an invalid access. Under ThreadSanitizer, the script runs only tests whose
threads do not write into shared operands. Each report of either sanitizer is a fault.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

TESTS = Path(__file__).resolve().parent
ROOT = TESTS.parent
LEVELS = ["avx512", "avx2", "baseline"]
# A level whose kernels emulate the product instructions of other processors. test_product_instructions.py tests these
# instructions.
EMULATED_PRODUCTS = "emulated_products"

# Python does not free all memory at its end, and tests request more memory than the machine has.
ASAN = "detect_leaks=0:allocator_may_return_null=1:detect_stack_use_after_return=0"


@dataclass(frozen=True)
class Sanitizer:
    """The options and files with which the tests run under a sanitizer."""

    name: str
    library: str
    variable: str
    options: str
    marker: str  # the beginning of each of the sanitizer's reports
    tests: list[Path]

    @property
    def build(self) -> Path:
        return ROOT / "build" / f"sanitize-{self.name}"

    def compiler_file(self, name: str) -> str:
        cache = (self.build / "CMakeCache.txt").read_text()
        compiler = re.search(r"^CMAKE_CXX_COMPILER:\w+=(.+)$", cache, re.MULTILINE)
        assert compiler is not None
        asked = [compiler[1], f"-print-file-name={name}"]
        return subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()

    def environment(self, level: str) -> dict[str, str]:
        # The sanitizer looks for libstdc++'s exception functions when it starts, before the core is loaded.
        libraries = [self.compiler_file(self.library), self.compiler_file("libstdc++.so")]
        options = f"{self.options}:log_path={self.build / 'report'}"
        return {
            **os.environ,
            "LD_PRELOAD": " ".join(libraries),
            self.variable: options,
            "UBSAN_OPTIONS": f"print_stacktrace=1:log_path={self.build / 'report'}",
            "PYTHONMALLOC": "malloc",  # the sanitizer then sees Python's objects, too
            "PYTHONPATH": str(self.build / "package"),
            "SUANZI_SIMD": level,
        }


# Tests that cannot run under AddressSanitizer: programs linked without the sanitizer's runtime, or limited to less
# memory than the sanitizer needs.
NOT_UNDER_ADDRESS = (
    "c/test_example.py",
    "c/test_install.py",
    "conformance/test_session.py::test_what_goes_wrong_is_found_and_the_rest_goes_on[Hungry",
    "test_examples.py::test_out_of_core",
    "interop/test_dask.py::test_workers_keep_their_share_of_memory_alone",
    "interop/test_dask.py::test_a_bound_in_the_environment_holds_for_workers",
)
SANITIZERS = {
    "address": Sanitizer("address", "libasan.so", "ASAN_OPTIONS", ASAN, "ERROR: AddressSanitizer", []),
    "thread": Sanitizer(
        "thread",
        "libtsan.so",
        "TSAN_OPTIONS",
        f"suppressions={TESTS / 'tsan.supp'}:history_size=7:exitcode=0:die_after_fork=0",
        "WARNING: ThreadSanitizer",
        [TESTS / "test_races.py::test_threads_beside_each_other", TESTS / "operators" / "test_threads.py"],
    ),
}


@dataclass(frozen=True)
class Outcome:
    """The outcome of one run of the tests: the exit status, the counts of results, and the number of reports."""

    run: str
    status: int
    counts: dict[str, int]
    reports: int

    @property
    def good(self) -> bool:
        return self.status == 0 and self.reports == 0

    def __str__(self) -> str:
        counts = ", ".join(f"{n} {what}" for what, n in self.counts.items()) or "no results"
        return f"{self.run}: {counts}, {self.reports} reports, {'good' if self.good else 'BAD'}"


def build(sanitizer: Sanitizer, levels: list[str]) -> None:
    """Build the core with the baseline and the given SIMD levels, and make a copy of the package with this core."""
    cmake_dir = [sys.executable, "-m", "nanobind", "--cmake_dir"]
    nanobind = subprocess.run(cmake_dir, capture_output=True, text=True, check=True).stdout.strip()
    folder = sanitizer.build
    configure = ["cmake", "-G", "Ninja", "-S", ROOT, "-B", folder, f"-DSUANZI_SANITIZE={sanitizer.name}"]
    configure += [f"-Dnanobind_DIR={nanobind}", f"-DPython_EXECUTABLE={sys.executable}"]
    configure += [f"-DSUANZI_LEVELS={';'.join([*levels, EMULATED_PRODUCTS])}"]
    subprocess.run(configure, check=True)
    subprocess.run(["cmake", "--build", folder], check=True)
    package = folder / "package"
    shutil.rmtree(package, ignore_errors=True)
    leave_out = shutil.ignore_patterns("_core*.so", "libsuanzi*", "__pycache__")
    shutil.copytree(ROOT / "src" / "suanzi", package / "suanzi", ignore=leave_out)
    for core in (folder / "native").glob("_core*.so"):
        shutil.copy(core, package / "suanzi")
    shutil.copytree(folder / "suanzi" / "lib", package / "suanzi" / "lib", dirs_exist_ok=True)
    shutil.copytree(ROOT / "native" / "c" / "include", package / "suanzi" / "include")


def levels_of_machine(sanitizer: Sanitizer) -> list[str]:
    ask = [sys.executable, "-c", "from suanzi import _core; print(*_core.simd_levels()[::-1])"]
    environment = sanitizer.environment("baseline")
    return subprocess.run(ask, env=environment, capture_output=True, text=True, check=True).stdout.split()


def counts_of(results: Path) -> Iterator[tuple[str, int]]:
    if not results.exists():
        return
    suite = ET.parse(results).getroot().find("testsuite")
    assert suite is not None
    bad = {what: int(suite.get(what, "0")) for what in ("failures", "errors", "skipped")}
    yield "passed", int(suite.get("tests", "0")) - sum(bad.values())
    yield from bad.items()


def run(sanitizer: Sanitizer, level: str, given: list[str]) -> Outcome:
    print(f"== {sanitizer.name} sanitizer, SIMD level {level}", flush=True)
    for old in sanitizer.build.glob("report.*"):
        old.rename(old.with_name(f"old-{old.name}"))
    results = sanitizer.build / f"results-{level}.xml"
    results.unlink(missing_ok=True)
    paths = [] if any(Path(a.split("::")[0]).exists() for a in given) else [str(path) for path in sanitizer.tests]
    parallel = importlib.util.find_spec("xdist") is not None and not any(a.startswith("-n") for a in given)
    command = [sys.executable, "-m", "pytest", f"--junitxml={results}", "-p", "no:cacheprovider"]
    command += ["--capture=sys"]  # UBSan's messages at exit go to the process's stderr
    if sanitizer.name == "address":
        command += [f"--deselect=tests/{test}" for test in NOT_UNDER_ADDRESS]
    command += [*(["-n", "2"] if parallel else []), *paths, *given]
    status = subprocess.run(command, env=sanitizer.environment(level), cwd=ROOT, check=False).returncode
    reports = 0
    for path in sorted(sanitizer.build.glob("report.*")):
        text = path.read_text(errors="replace")
        reports += text.count(sanitizer.marker) + text.count("runtime error:")
        print(f"-- {path}", text[:4000], sep="\n", flush=True)
    return Outcome(f"{sanitizer.name}, {level}", status, dict(counts_of(results)), reports)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sanitizer", choices=list(SANITIZERS), help="the only one to run")
    parser.add_argument("--level", choices=[*LEVELS, "emulated"], help="the only SIMD level to run")
    options, given = parser.parse_known_args()
    outcomes = []
    for sanitizer in [SANITIZERS[options.sanitizer]] if options.sanitizer else SANITIZERS.values():
        build(sanitizer, [options.level] if options.level else LEVELS)
        levels = [options.level] if options.level else levels_of_machine(sanitizer)
        if sanitizer.name == "thread":
            levels = levels[:1]  # levels differ only in kernels, which are not built for ThreadSanitizer
        outcomes += [run(sanitizer, level, given) for level in levels]
    print("==", *outcomes, sep="\n")
    return 0 if all(outcome.good for outcome in outcomes) else 1


if __name__ == "__main__":
    sys.exit(main())
