"""Builds Suanzi with Debian's newest Python and g++, and then runs tests or makes wheels.

    python tools/newest.py                   # the quick tests
    python tools/newest.py -- tests/tensor   # other tests, as arguments of tests/run.py
    python tools/newest.py --wheels dist     # wheels for this Python, by tools/wheels.py

The script unpacks Debian's next release in a folder (``build/newest``, 1 GB) and runs the commands with that folder as
their root. This machine's own Python and compiler stay unchanged. The script needs root and ``debootstrap``. Without
root or ``debootstrap`` the script prints the missing requirement and ends with status 0, because no error is known.
Compiled files are kept for the next run.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import tarfile
from io import BytesIO
from pathlib import Path

from wheels import ROOT, run

SUITE = "forky"  # the release after Debian 13, for which debootstrap uses the script of Debian 13
PACKAGES = ("python3", "python3-venv", "python3-dev", "g++", "cmake", "ninja-build", "ca-certificates")
MIRROR = "http://deb.debian.org/debian"
START = """
set -e
export PATH=/usr/sbin:/usr/bin HOME=/root LC_ALL=C.UTF-8 PIP_DISABLE_PIP_VERSION_CHECK=1
"""
TESTS = """
[ -d /venv ] || python3 -m venv /venv
. /venv/bin/activate
python --version
g++ --version | head -n 1
cd /source
export SKBUILD_BUILD_DIR=/build  # warnings are no errors: a newer compiler has more of them, and some are wrong
pip install --quiet '.[test]' -C "cmake.define.SUANZI_LEVELS=$LEVELS"
python tests/run.py "$@"
"""
WHEELS = """
cd /source
version=$(python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')
for target in x86_64 aarch64; do
  python3 tools/wheels.py --python $version --target $target --work /wheels --out /source/dist
done
"""


def unpack(root: Path) -> None:
    """Install the release SUITE of Debian below the folder `root`."""
    script = "/usr/share/debootstrap/scripts/sid"
    packages = f"--include={','.join(PACKAGES)}"
    run("debootstrap", "--variant=minbase", packages, SUITE, root, MIRROR, script)
    # pip in the release uses the name servers and certificates of this machine.
    shutil.copy("/etc/resolv.conf", root / "etc")
    for variable in ("PIP_CERT", "SSL_CERT_FILE"):
        if Path(os.environ.get(variable, "")).is_file():
            shutil.copy(os.environ[variable], root / "etc" / "ssl" / "certs" / "ca-certificates.crt")
    if Path("/etc/pip.conf").exists():
        shutil.copy("/etc/pip.conf", root / "etc")


def copy_sources(root: Path) -> None:
    """Copy the files of the last commit into the folder `source` of the release below `root`."""
    packed = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, capture_output=True, check=True).stdout
    shutil.rmtree(root / "source", ignore_errors=True)
    with tarfile.open(fileobj=BytesIO(packed)) as files:
        files.extractall(root / "source", filter="data")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--work", type=Path, default=ROOT / "build" / "newest", help="folder of kept files (build/newest)"
    )
    parser.add_argument("--levels", default="avx2;avx512", help="levels beside the baseline (avx2;avx512)")
    parser.add_argument("--wheels", type=Path, metavar="DIR", help="make wheels in this folder and run no tests")
    parser.add_argument("tests", nargs="*", help="arguments of tests/run.py, behind -- (--quick)")
    options = parser.parse_args()
    lacking = ["root"] * (os.geteuid() != 0) + ["debootstrap"] * (shutil.which("debootstrap") is None)
    if lacking:
        print(f"newest: NOT RUN: this needs {' and '.join(lacking)}")
        return
    root = options.work.resolve()
    if not (root / "etc" / "resolv.conf").exists():
        unpack(root)
    copy_sources(root)
    variables = {name: value for name, value in os.environ.items() if name.startswith("PIP_") and "INDEX" in name}
    variables |= {"LEVELS": options.levels, "PIP_CERT": "/etc/ssl/certs/ca-certificates.crt"}
    variables |= {"PATH": os.environ["PATH"]}
    commands = START + (WHEELS if options.wheels else TESTS)
    command = ["bash", "-c", commands, "newest", *(options.tests or ["--quick"])]
    # The command runs with mounts of its own, which end with the command.
    inside = 'mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" && exec chroot "$0" "$@"'
    run("unshare", "--mount", "bash", "-c", inside, root, *command, env=variables)
    if options.wheels:
        shutil.copytree(root / "source" / "dist", options.wheels, dirs_exist_ok=True)


if __name__ == "__main__":
    main()
