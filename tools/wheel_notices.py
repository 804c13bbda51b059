"""Adds to a wheel the licences of the libraries linked into it, and a list of these libraries (SBOM, CycloneDX).

    python tools/wheel_notices.py WHEEL [ADDRESS]

The script runs in the environment in which the wheel was built, and replaces the file. The optional ADDRESS of the
published repository adds links (tools/wheel_metadata.py).
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from cyclonedx.contrib.license.factories import LicenseFactory
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output.json import JsonV1Dot6

from wheel_metadata import described


class Linked(NamedTuple):
    """A third-party library in the binary files of a wheel."""

    name: str
    licence: str  # the SPDX identifier
    package: str  # the Python package with the library's sources
    file: str  # a file of that package: the licence, or a source that begins with the licence


LINKED = (
    Linked("nanobind", "BSD-3-Clause", "nanobind", "../nanobind-{version}.dist-info/licenses/LICENSE"),
    Linked("robin-map", "MIT", "nanobind", "ext/robin_map/include/tsl/robin_map.h"),
    Linked("libc++", "Apache-2.0 WITH LLVM-exception", "ziglang", "lib/libcxx/LICENSE.TXT"),
    Linked("libc++abi", "Apache-2.0 WITH LLVM-exception", "ziglang", "lib/libcxxabi/LICENSE.TXT"),
)


def text_of(linked: Linked) -> str:
    """Return the licence text. In a source file the text is the comment at the beginning."""
    found = find_spec(linked.package)
    assert found is not None
    assert found.submodule_search_locations is not None
    file = Path(found.submodule_search_locations[0], linked.file.format(version=version(linked.package)))
    text = file.read_text(encoding="utf-8")
    return text[: text.index("*/")].replace("\n *", "\n").lstrip("/*") if file.suffix == ".h" else text


def bill(name: str, of: str) -> str:
    """Return the list of a wheel's parts (SBOM) as JSON. `of` is the version of the package `name`."""
    licence = LicenseFactory().make_from_string
    whole = Component(name=name, version=of, type=ComponentType.LIBRARY, licenses=[licence("Apache-2.0")])
    parts = [
        Component(name=each.name, version=version(each.package), licenses=[licence(each.licence)]) for each in LINKED
    ]
    found = Bom(components=parts)
    found.metadata.component = whole
    found.register_dependency(whole, parts)
    return str(JsonV1Dot6(found).output_as_string(indent=2))


def main() -> None:
    wheel, home = Path(sys.argv[1]), "".join(sys.argv[2:])
    with TemporaryDirectory() as folder:
        subprocess.run(
            [sys.executable, "-m", "wheel", "unpack", "--dest", folder, str(wheel)], check=True, stdout=sys.stderr
        )
        (content,) = Path(folder).iterdir()
        (info,) = content.glob("*.dist-info")
        for each in LINKED:
            (info / "licenses" / f"{each.name}.txt").write_text(text_of(each), encoding="utf-8")
        metadata = info / "METADATA"
        licences = {each.name: each.licence for each in LINKED}
        metadata.write_text(described(metadata.read_text(encoding="utf-8"), licences, home), encoding="utf-8")
        (info / "sboms").mkdir()
        (info / "sboms" / "suanzi.cdx.json").write_text(bill(*info.stem.split("-")), encoding="utf-8")
        packed = Path(folder, "packed")
        packed.mkdir()
        subprocess.run(
            [sys.executable, "-m", "wheel", "pack", "--dest-dir", packed, content], check=True, stdout=sys.stderr
        )
        shutil.copy(packed / wheel.name, wheel)


if __name__ == "__main__":
    main()
