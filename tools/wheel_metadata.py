"""Adds the licences of linked libraries and the addresses of the repository to a wheel's METADATA.

The repository does not contain its own address, because copies are published in several places. The maker of a release
passes the address (`tools/wheels.py --home`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping


def described(metadata: str, licences: Mapping[str, str], home: str = "") -> str:
    """Return METADATA with `licences`, SPDX expressions by the names of the parts, and links that begin with `home`.

    `licenses/NAME.txt` has the text of a part's licence (PEP 639).
    """
    fields, _, page = metadata.partition("\n\n")
    whole = re.search(r"^License-Expression: (.*)$", fields, re.MULTILINE)
    version = re.search(r"^Version: (.*)$", fields, re.MULTILINE)
    assert whole is not None
    assert version is not None
    expression = " AND ".join(dict.fromkeys((whole[1], *licences.values())))
    lines = fields.replace(whole[0], f"License-Expression: {expression}").splitlines()
    last = max(number for number, line in enumerate(lines) if line.startswith("License-File: "))
    lines[last + 1 : last + 1] = [f"License-File: {name}.txt" for name in licences]
    if home:
        at = f"{home.rstrip('/')}/blob/v{version[1]}"
        pages = {"Documentation": "docs/guide.md", "Changelog": "CHANGELOG.md"}
        lines += [
            f"Project-URL: Source, {home}",
            *(f"Project-URL: {name}, {at}/{page}" for name, page in pages.items()),
        ]
        page = re.sub(r"\]\((?!\w+:|#)([^)\s]+)\)", rf"]({at}/\1)", page)
    return "\n".join(lines) + "\n\n" + page
