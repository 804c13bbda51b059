"""Tests of the programs that tools/aarch64.py requires, and of the sources for aarch64. No test runs an emulator."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import aarch64

pytestmark = pytest.mark.one_level

ROOT = Path(__file__).parents[1]


def lacking(monkeypatch: pytest.MonkeyPatch, *programs: str) -> None:
    """Imitate a machine that lacks some programs, and whose user may install nothing."""
    monkeypatch.setattr(shutil, "which", lambda name: None if name in programs else f"/usr/bin/{name}")
    monkeypatch.setattr("os.geteuid", lambda: 1000)


def test_machine_that_cannot_run_it(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    lacking(monkeypatch, aarch64.CROSS)
    monkeypatch.setattr(sys, "argv", ["aarch64.py", "--only", "simd", "functions"])
    aarch64.main()
    assert capsys.readouterr().out == (
        "aarch64: NOT RUN: this machine lacks aarch64-linux-gnu-g++-12 (Debian's package g++-12-aarch64-linux-gnu)\n"
    )


def test_what_needs_no_library_needs_no_python(monkeypatch: pytest.MonkeyPatch) -> None:
    lacking(monkeypatch, "apt-get")
    monkeypatch.setattr(aarch64, "interpreter", lambda version: None)
    assert aarch64.missing(["simd", "functions"]) == ""
    assert aarch64.missing(["simd", "build"]) == (
        "apt-get and dpkg, by which Python for arm64 comes, a Python 3.11 with its headers"
    )


def accepted(compiler: list[str], folder: Path, claim: str) -> None:
    """Check that a claim about the class Arch holds if the compiler compiles for aarch64."""
    source = folder / "claim.cpp"
    source.write_text(f'#include "simd/arch/target.h"\nusing suanzi::tried::Arch;\nstatic_assert({claim});\n')
    command = [*compiler, "-std=c++20", f"-I{ROOT / 'native'}", "-DSUANZI_LEVEL=tried", "-Wno-psabi", "-fsyntax-only"]
    done = subprocess.run([*command, source], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("options", "claim"),
    [
        ([], "Arch::vector_registers == 32 && Arch::float_table == 8 && Arch::rounds_to_integral"),
        (["-march=armv8.2-a+dotprod"], "__is_same(Arch, suanzi::tried::arch::NeonDot)"),
        (["-march=armv8.2-a+dotprod+i8mm+bf16"], "__is_same(Arch, suanzi::tried::arch::NeonMmla)"),
        (["-DSUANZI_GENERIC"], "Arch::vector_registers == 16 && Arch::float_table == 0 && Arch::fuses_multiply_add"),
    ],
)
def test_instruction_sets_of_arm(tmp_path: Path, options: list[str], claim: str) -> None:
    if shutil.which(aarch64.CROSS) is None:
        pytest.skip(f"{aarch64.CROSS} is needed")
    accepted([aarch64.CROSS, *options], tmp_path, claim)


def test_fused_is_portable_code_with_one_rounding(tmp_path: Path) -> None:
    levels = (ROOT / "native" / "CMakeLists.txt").read_text(encoding="utf-8")
    said = re.search(r"suanzi_level\(fused .*? (-.*)\)", levels)
    assert said is not None
    accepted(["g++", *said[1].split()], tmp_path, "Arch::fuses_multiply_add && Arch::float_table == 0")
