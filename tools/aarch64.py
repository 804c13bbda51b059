"""Runs the wheel for 64-bit Arm under emulation: hashes of functions, the quick kit, and some of the tests.

    python tools/aarch64.py            # all of it, some six minutes on two processors
    python tools/aarch64.py --keep     # and leave the emulated Python for commands of your own, which it prints

It needs Debian's ``qemu-user-static`` and, to fetch Python for arm64, ``apt-get``; where they are missing and cannot be
installed it says so and ends with status 0, as nothing is known to be wrong. The emulator is told to be a processor of
the servers that readers have: as its largest one it would take instructions of OpenBLAS that it computes wrongly.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

from wheels import ROOT, TARGETS, built, interpreter, run

PROCESSOR = "neoverse-n1"
EMULATOR = "qemu-aarch64-static"
# What Debian's Python consists of, with all that its modules load.
PACKAGES = [
    "libc6",
    "libgcc-s1",
    "libstdc++6",
    "gcc-12-base",
    "libbz2-1.0",
    "liblzma5",
    "zlib1g",
    "libssl3",
    "libexpat1",
    "libffi8",
    "libuuid1",
    "libsqlite3-0",
    "libcrypt1",
    "libncursesw6",
    "libtinfo6",
    "libreadline8",
    "libdb5.3",
    "media-types",
    "libtirpc3",
    "libnsl2",
    "python3.11-minimal",
    "libpython3.11-minimal",
    "libpython3.11-stdlib",
    "python3.11",
]
WHEELS = ["numpy", "ml_dtypes", "scipy-openblas64", "scipy", "pytest", "hypothesis", "mpmath"]
PLATFORMS = ("manylinux_2_28_aarch64", "manylinux_2_27_aarch64", "manylinux_2_17_aarch64", "manylinux2014_aarch64")
VERSION = "3.11"

# Blocks of 2^20 inputs of each function of float32 by the hashes of the conformance kit: denormals, around 1, large
# numbers, and negative ones with NaN.
HASHES = """
from suanzi.conformance import Suanzi, asked
blocks = wrong = 0
provider = Suanzi()
circular = "sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh"
for operator in f"exp expm1 log log1p log2 log10 {circular} rsqrt".split():
    for _, probe in asked(operator, provider):
        if probe.aspect == "correct rounding":
            blocks += 1
            found = probe.judge(provider)
            wrong += found.fault is not None
            print(found.fault or "", end="")
    print(operator, blocks, "blocks,", wrong, "wrong", flush=True)
raise SystemExit(wrong)
"""
FOLDERS = ("operators", "quantized", "sparse_tensors", "random", "fusion", "tensor")


class Emulated:
    """Python for arm64 in a folder, run by the emulator."""

    def __init__(self, folder: Path) -> None:
        self.root, self.site, self.own = folder / "root", folder / "site", folder / "suanzi"
        self.program = folder / "python"
        self.folder = folder

    def fetch(self) -> None:
        """Python and what the tests import, of Debian and PyPI."""
        packages = self.folder / "packages"
        state = self.folder / "apt"
        for each in (packages, state / "lists" / "partial", state / "cache" / "archives" / "partial"):
            each.mkdir(parents=True, exist_ok=True)
        (state / "status").touch()
        settings = state / "apt.conf"
        settings.write_text(
            'APT::Architecture "arm64"; APT::Architectures { "arm64"; };\n'
            f'Dir::State::Lists "{state}/lists"; Dir::State::status "{state}/status"; Dir::Cache "{state}/cache";\n'
        )
        variables = {**os.environ, "APT_CONFIG": str(settings)}
        run("apt-get", "update", "-qq", env=variables)
        run("apt-get", "download", "-qq", *PACKAGES, env=variables, cwd=packages)
        for package in packages.glob("*.deb"):
            run("dpkg", "-x", package, self.root)
        platforms = [word for platform in PLATFORMS for word in ("--platform", platform)]
        asked = ("--quiet", "--no-deps", "--only-binary=:all:", "--python-version", VERSION, "--target", self.site)
        needed = run(sys.executable, "-m", "pip", "install", *asked, *platforms, *WHEELS, "iniconfig", "pluggy",
                     "packaging", "sortedcontainers", "pygments")  # fmt: skip
        del needed
        # A child process of Python's runs under the emulator, too.
        self.program.write_text(
            f'#!/bin/sh\nQEMU_CPU={PROCESSOR} exec {EMULATOR} -L {self.root} {self.root}/usr/bin/python{VERSION} "$@"\n'
        )
        self.program.chmod(0o755)
        (self.site / "sitecustomize.py").write_text(f'import sys\n\nsys.executable = "{self.program}"\n')

    def install(self, wheel: Path) -> None:
        shutil.rmtree(self.own, ignore_errors=True)
        run("unzip", "-q", wheel, "-d", self.own)

    def environment(self) -> dict[str, str]:
        return {**os.environ, "PYTHONPATH": f"{self.own}{os.pathsep}{self.site}", "PYTHONNOUSERSITE": "1"}

    def run(self, what: str, *command: str | Path) -> None:
        """A command of this Python; what it is about is said with the seconds that it took."""
        start = time.monotonic()
        run(self.program, *command, env=self.environment(), cwd=ROOT)
        print(f"aarch64: {what}: {time.monotonic() - start:.0f} s", flush=True)


def missing() -> str:
    """What this machine lacks; what can be installed is installed."""
    if shutil.which("apt-get") is None or shutil.which("dpkg") is None:
        return "apt-get and dpkg, by which Python for arm64 comes"
    if interpreter(VERSION) is None:
        return f"a Python {VERSION} with its headers"
    if shutil.which(EMULATOR) is None and os.geteuid() == 0:
        subprocess.run(["apt-get", "install", "-qq", "-y", "--no-install-recommends", "qemu-user-static"], check=False)
    return "" if shutil.which(EMULATOR) else f"{EMULATOR} (Debian's package qemu-user-static)"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, default=ROOT / "build" / "wheels", help="what is kept (build/wheels)")
    parser.add_argument("--share", type=int, default=40, help="of so many tests one is run (40)")
    parser.add_argument("--keep", action="store_true", help="leave the emulated Python")
    options = parser.parse_args()
    lacking = missing()
    if lacking:
        print(f"aarch64: NOT RUN: this machine lacks {lacking}")
        return
    python = interpreter(VERSION)
    assert python is not None
    emulated = Emulated(options.work / "emulated")
    if not emulated.program.exists():
        emulated.fetch()
    emulated.install(built(TARGETS["aarch64"], VERSION, python, options.work, options.work / "out"))
    emulated.run("hashes", "-c", HASHES)
    emulated.run("quick kit", "-m", "suanzi", "conformance", "--profile", "quick")
    drawn = ("-q", "-p", "no:cacheprovider", "--only-by-level", "-k", "not very_long", f"--one-in={options.share}")
    emulated.run("tests", "-m", "pytest", *drawn, *(ROOT / "tests" / folder for folder in FOLDERS))
    if options.keep:
        print(f"PYTHONPATH={emulated.environment()['PYTHONPATH']} {emulated.program}")
    else:
        shutil.rmtree(emulated.folder)


if __name__ == "__main__":
    main()
