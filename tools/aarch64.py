"""Runs Suanzi for 64-bit Arm under emulation: operations of NEON, hashes of functions, the quick kit, some tests.

    python tools/aarch64.py                          # the sources compiled by g++
    python tools/aarch64.py --wheel WHEEL            # a wheel of tools/wheels.py, for Python 3.11
    python tools/aarch64.py --only simd functions    # the parts that need no compiled library: operations, functions

The script needs Debian 12's ``qemu-user-static`` and ``g++-12-aarch64-linux-gnu``. The parts other than ``simd`` and
``functions`` also need Python 3.11, and ``apt-get`` to fetch Python for arm64. The part ``functions`` reads the hashes
of Suanzi's kit, so Suanzi must be installed in the Python that runs the script. If a program is missing and cannot be
installed, the script names the program and ends with status 0, because no error is known. The emulator imitates a
processor of common servers, because on the emulator's largest model OpenBLAS would use instructions that the emulator
computes wrongly. The folder ``build/aarch64`` keeps downloads and compiled files.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import time
import zipfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path

from wheels import ROOT, environment, interpreter, run

PROCESSOR = "neoverse-n1"
# The emulator's largest model has all instructions for products. This model is for programs without OpenBLAS.
PROCESSOR_WITH_PRODUCTS = "max"
EMULATOR = "qemu-aarch64-static"
CROSS = "aarch64-linux-gnu-g++-12"
VARIABLES = {**os.environ, "QEMU_CPU": PROCESSOR}
# Sources that need no library are compiled with the kernels' options, but with less optimisation.
SOURCES = ROOT / "tools" / "simd"
OPTIONS = [
    "-std=gnu++20", "-O2", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math", "-Wno-psabi", "-Wall",
    "-Wextra", "-Werror", f"-I{ROOT / 'native'}",
]  # fmt: skip
NEEDED = {EMULATOR: "qemu-user-static", CROSS: "g++-12-aarch64-linux-gnu"}  # the programs and their Debian packages
# The packages of Debian's Python, and of the libraries that its modules load.
PACKAGES = [
    "libc6", "libgcc-s1", "libstdc++6", "gcc-12-base", "libbz2-1.0", "liblzma5", "zlib1g", "libssl3", "libexpat1",
    "libffi8", "libuuid1", "libsqlite3-0", "libcrypt1", "libncursesw6", "libtinfo6", "libreadline8", "libdb5.3",
    "media-types", "libtirpc3", "libnsl2", "python3.11-minimal", "libpython3.11-minimal", "libpython3.11-stdlib",
    "libpython3.11", "libpython3.11-dev", "python3.11",
]  # fmt: skip
WHEELS = [
    "numpy", "ml_dtypes", "scipy-openblas64", "scipy", "pytest", "hypothesis", "mpmath", "iniconfig", "pluggy",
    "packaging", "sortedcontainers", "pygments",
]  # fmt: skip
PLATFORMS = ("manylinux_2_28_aarch64", "manylinux_2_27_aarch64", "manylinux_2_17_aarch64", "manylinux2014_aarch64")
VERSION = "3.11"

# ROUNDED names the float32 functions whose results are the same on every processor. The conformance kit has hashes of
# the results by blocks of 2^20 inputs. The program HASHES checks every fifth block of the kit's sample, and the two
# blocks next to the input 1. These blocks contain only ordinary numbers. The blocks in EDGES contain zeros and
# denormals of either sign, infinities and NaN.
EDGES = (0, 0x7F8, 0x800, 0xFF8)
# The blocks of inputs for single functions. The four blocks contain, in this order, zero and denormals, the numbers
# from 1 to 1.125, infinity and NaN, and the numbers from -1 to -0.9375.
BLOCKS = (0, 0x3F8, 0x7F8, 0xBF7)
ROUNDED = (
    "exp", "expm1", "log", "log1p", "log2", "log10", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh",
    "tanh", "asinh", "acosh", "atanh", "rsqrt",
)  # fmt: skip
HASHES = """
import sys
from suanzi.conformance import Suanzi
from suanzi.conformance.probes.rounding import SAMPLED, faults, table
part, *edges = map(int, sys.argv[1:])
functions, blocks = [*table()][part::2], [*SAMPLED[::5], *SAMPLED[-2:], *edges]
wrong = [f"{name}: {fault}" for name in functions for fault in faults(Suanzi(), name, blocks)]
print(len(functions), "functions,", len(functions) * len(blocks), "blocks,", len(wrong), "wrong", *wrong, flush=True)
raise SystemExit(bool(wrong))
"""
PARTS = ("simd", "functions", "fetch", "build", "hashes", "kit", "tests")
FOLDERS = ("operators", "quantized", "sparse_tensors", "random", "fusion", "tensor")


class Emulated:
    """A Python for arm64 in a folder. The emulator runs this Python."""

    def __init__(self, folder: Path) -> None:
        self.root, self.site, self.own = folder / "root", folder / "site", folder / "own"
        self.program = folder / "python"
        self.folder = folder

    def fetch(self) -> None:
        """Fetch Python for arm64 from Debian, and fetch from PyPI the packages that the tests import."""
        packages = self.folder / "packages"
        state = self.folder / "apt"
        for each in (packages, state / "lists" / "partial", state / "cache" / "archives" / "partial"):
            each.mkdir(parents=True, exist_ok=True)
        (state / "status").touch()
        settings = state / "apt.conf"
        # The emulated Python has its own package lists and package record, because the machine's lists lack arm64.
        settings.write_text(
            'APT::Architecture "arm64"; APT::Architectures { "arm64"; };\n'
            f'Dir::State::Lists "{state}/lists"; Dir::State::status "{state}/status"; Dir::Cache "{state}/cache";\n'
        )
        variables = {**os.environ, "APT_CONFIG": str(settings)}
        run("apt-get", "update", "-qq", env=variables)
        run("apt-get", "download", "-qq", *PACKAGES, env=variables, cwd=packages)
        for package in packages.glob("*.deb"):
            run("dpkg", "-x", package, self.root)
        shutil.rmtree(packages)
        platforms = [word for platform in PLATFORMS for word in ("--platform", platform)]
        asked = ("--quiet", "--no-deps", "--only-binary=:all:", "--python-version", VERSION, "--target", self.site)
        run(sys.executable, "-m", "pip", "install", *asked, *platforms, *WHEELS)
        # Child processes of the emulated Python run under the emulator, too.
        self.program.write_text(
            f'#!/bin/sh\nQEMU_CPU={PROCESSOR} exec {EMULATOR} -L {self.root} {self.root}/usr/bin/python{VERSION} "$@"\n'
        )
        self.program.chmod(0o755)
        (self.site / "sitecustomize.py").write_text(f'import sys\n\nsys.executable = "{self.program}"\n')

    def compare_operations(self) -> None:
        """Compare operations of NEON with portable operations, bit by bit. Compare products with plain loops and with
        the products' portable C++."""
        folder = self.folder / "simd"
        folder.mkdir(parents=True, exist_ok=True)
        operations, products = SOURCES / "operations.cpp", ROOT / "native" / "ops" / "product"
        dot, mmla = "-march=armv8.2-a+dotprod", "-march=armv8.2-a+dotprod+i8mm+bf16"
        compared: dict[str, tuple[tuple[str, Path, str], ...]] = {
            "main": (("generic", operations, "-DSUANZI_GENERIC"), ("baseline", operations, "-USUANZI_GENERIC")),
            "bytes": (
                ("baseline", products / "bytes.kernels.cpp", "-USUANZI_GENERIC"),
                ("neon_dot", products / "bytes.vnni.cpp", dot),
                ("neon_mmla", products / "bytes.mmla.cpp", mmla),
            ),
            "bfloat16": (
                ("generic", products / "bfloat16.mmla.cpp", "-DSUANZI_GENERIC"),
                ("neon_mmla", products / "bfloat16.mmla.cpp", mmla),
            ),
        }

        def compiled(level: str, source: Path, option: str) -> Path:
            made = folder / f"{source.stem}-{level}.o"
            run(CROSS, *OPTIONS, f"-DSUANZI_LEVEL={level}", option, "-c", source, "-o", made)
            return made

        with ThreadPoolExecutor(2) as pool:
            for program, sources in compared.items():
                objects = pool.map(compiled, *zip(*sources, strict=True))
                run(CROSS, *OPTIONS, "-static", SOURCES / f"{program}.cpp", *objects, "-o", folder / program)
                processor = PROCESSOR if program == "main" else PROCESSOR_WITH_PRODUCTS
                run(EMULATOR, folder / program, env={**os.environ, "QEMU_CPU": processor})

    def compare_functions(self) -> None:
        """Compile float32 functions without other code. Compare hashes of their results with the kit's hashes."""
        from suanzi.conformance.probes import rounding  # the installed library

        folder = self.folder / "simd"
        folder.mkdir(parents=True, exist_ok=True)
        program = folder / "functions"
        run(CROSS, *OPTIONS, "-DSUANZI_LEVEL=baseline", "-static", SOURCES / "functions.cpp", "-o", program)

        def wrong(name: str) -> list[str]:
            """Return a message for each block in which a function has wrong results."""
            command = [EMULATOR, str(program), name, *map(str, BLOCKS)]
            with subprocess.Popen(command, stdout=subprocess.PIPE, env=VARIABLES) as process:
                assert process.stdout is not None
                found = [rounding.hash_of(process.stdout.read(4 * rounding.BLOCK)) for _ in BLOCKS]
            known = [rounding.table()[name].blocks[block].tobytes() for block in BLOCKS]
            return [f"{name}: block {b}" for b, a, e in zip(BLOCKS, found, known, strict=True) if a != e]

        with ThreadPoolExecutor(os.cpu_count()) as pool:
            faults = [fault for faults in pool.map(wrong, ROUNDED) for fault in faults]
        print(f"{len(ROUNDED)} functions, {len(ROUNDED) * len(BLOCKS)} blocks, {len(faults)} wrong", *faults, sep="\n")
        if faults:
            raise SystemExit("aarch64: FAILED")

    def build(self, python: Path, levels: str) -> None:
        """Compile the module and libsuanzi with g++, and assemble the package."""
        tools = environment(self.folder / "tools", python, "nanobind>=2.4", "cmake>=3.18", "ninja>=1.10")
        toolchain = self.folder / "toolchain.cmake"
        toolchain.write_text(
            "set(CMAKE_SYSTEM_NAME Linux)\nset(CMAKE_SYSTEM_PROCESSOR aarch64)\n"
            f"set(CMAKE_CXX_COMPILER {CROSS})\nset(CMAKE_FIND_ROOT_PATH /usr/aarch64-linux-gnu)\n"
            "set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)\nset(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)\n"
            "set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)\n"
        )
        include = self.root / "usr" / "include"
        nanobind = run(tools / "python", "-m", "nanobind", "--cmake_dir", capture_output=True).stdout.strip()
        settings = {
            "CMAKE_TOOLCHAIN_FILE": toolchain,
            "CMAKE_MAKE_PROGRAM": tools / "ninja",
            # Folders of the headers that Debian's pyconfig.h includes.
            "CMAKE_CXX_FLAGS": f"-idirafter {include}",
            "Python_EXECUTABLE": tools / "python",
            "Python_INCLUDE_DIR": include / f"python{VERSION}",
            "nanobind_DIR": nanobind,
            "NB_SUFFIX": f".cpython-{VERSION.replace('.', '')}-aarch64-linux-gnu.so",
            "NB_SUFFIX_S": ".abi3.so",
            "SUANZI_WERROR": "ON",
            "SUANZI_LEVELS": levels,
        }
        build = self.folder / "build"
        given = [f"-D{name}={value}" for name, value in settings.items()]
        run(tools / "cmake", "-G", "Ninja", "-S", ROOT, "-B", build, *given, stdout=subprocess.PIPE)
        run(tools / "cmake", "--build", build)
        shutil.rmtree(self.own, ignore_errors=True)
        package = self.own / "suanzi"
        shutil.copytree(ROOT / "src" / "suanzi", package, ignore=shutil.ignore_patterns("*.so", "lib", "__pycache__"))
        for library in (build / "native").glob("_core*.so"):
            shutil.copy(library, package)
        shutil.copytree(build / "suanzi" / "lib", package / "lib")

    def install(self, wheel: Path) -> None:
        shutil.rmtree(self.own, ignore_errors=True)
        zipfile.ZipFile(wheel).extractall(self.own)

    def environment(self) -> dict[str, str]:
        return {**os.environ, "PYTHONPATH": f"{self.own}{os.pathsep}{self.site}", "PYTHONNOUSERSITE": "1"}

    def start(self, *command: str | Path) -> subprocess.Popen[str]:
        """Start the emulated Python with the given arguments."""
        return subprocess.Popen([*map(str, (self.program, *command))], env=self.environment(), cwd=ROOT, text=True)

    def run(self, *commands: tuple[str | Path, ...]) -> None:
        """Run the emulated Python with each list of arguments, all at the same time. Exit if a command fails."""
        started = [self.start(*command) for command in commands]
        ended = [process.wait() for process in started]
        if any(ended):
            raise SystemExit("aarch64: FAILED")


def missing(parts: Sequence[str]) -> str:
    """Install the programs that some parts need, and return as text the programs that cannot be installed."""
    lacking = []
    if not {"fetch", "build"}.isdisjoint(parts):
        if shutil.which("apt-get") is None or shutil.which("dpkg") is None:
            lacking.append("apt-get and dpkg, by which Python for arm64 comes")
        if interpreter(VERSION) is None:
            lacking.append(f"a Python {VERSION} with its headers")
    packages = [package for program, package in NEEDED.items() if shutil.which(program) is None]
    if packages and shutil.which("apt-get") is not None and os.geteuid() == 0:
        for command in (["update", "-qq"], ["install", "-qq", "-y", "--no-install-recommends", *packages]):
            subprocess.run(["apt-get", *command], check=False)
    lacking += [
        f"{name} (Debian's package {package})" for name, package in NEEDED.items() if shutil.which(name) is None
    ]
    return ", ".join(lacking)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--work", type=Path, default=ROOT / "build" / "aarch64", help="folder of kept files (build/aarch64)"
    )
    parser.add_argument("--wheel", type=Path, help="a wheel to test in place of a build by g++")
    parser.add_argument("--levels", default="baseline", help="generic, or baseline alone (baseline)")
    parser.add_argument("--share", type=int, default=40, help="run one of so many tests (40)")
    parser.add_argument("--only", nargs="+", choices=PARTS, metavar="PART", help=f"parts to run: {', '.join(PARTS)}")
    options = parser.parse_args()
    chosen = options.only or PARTS
    lacking = missing(chosen)
    if lacking:
        print(f"aarch64: NOT RUN: this machine lacks {lacking}")
        return
    if "functions" in chosen and find_spec("suanzi") is None:
        raise SystemExit("aarch64: functions: suanzi is not installed in this Python; run `pip install .` first")
    python = interpreter(VERSION) or Path(sys.executable)
    emulated = Emulated(options.work.resolve())
    if not {*chosen} <= {"simd", "functions", "fetch"} and "fetch" not in chosen and not emulated.program.exists():
        raise SystemExit(f"aarch64: {emulated.program} does not exist; --only fetch build {' '.join(chosen)} makes it")
    drawn = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "--only-by-level", f"--one-in={options.share}")
    # Very long tests are left out, because the emulator is slow.
    drawn += ("-k", "not very_long", *(str(ROOT / "tests" / folder) for folder in FOLDERS))

    def make() -> None:
        if options.wheel:
            emulated.install(options.wheel)
        else:
            emulated.build(python, options.levels)

    parts = {
        "simd": emulated.compare_operations,
        "functions": emulated.compare_functions,
        "fetch": lambda: emulated.program.exists() or emulated.fetch(),
        "build": make,
        "hashes": lambda: emulated.run(*(("-c", HASHES, str(part), *map(str, EDGES)) for part in range(2))),
        "kit": lambda: emulated.run(("-m", "suanzi", "conformance", "--profile", "quick", "--seconds", "600")),
        "tests": lambda: emulated.run(*((*drawn, f"--part={part}/2") for part in (1, 2))),
    }
    for name, part in parts.items():
        if name in chosen:
            start = time.monotonic()
            part()
            print(f"aarch64: {name}: {time.monotonic() - start:.0f} s", flush=True)
    print(f"PYTHONPATH={emulated.environment()['PYTHONPATH']} {emulated.program}    # for commands of your own")


if __name__ == "__main__":
    main()
