"""Finds the aspects of operators that clauses state but no probe tests. `conformance/not_asked.toml` must list all
these aspects.

    python tools/not_asked.py          # prints superfluous and missing entries of the file
    python tools/not_asked.py --save   # removes the superfluous entries, which probes now test

Write the reason of a new entry by hand.
"""

from __future__ import annotations

import argparse
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path

from suanzi.conformance import Suanzi, asked
from suanzi.conformance.not_asked import without_probe
from suanzi.conformance.standard import standard

FILE = Path(__file__).parent.parent / "src" / "suanzi" / "conformance" / "not_asked.toml"


def never_asked(operator: str) -> set[str]:
    """Return the stated aspects of an operator that no probe tests, for any types and claims of a provider."""
    provider = Suanzi()
    left = set(standard().operators[operator].aspects)
    for _, probe in asked(operator, provider):
        left.discard(probe.aspect)
        if not left:
            break
    return left


def differences() -> Iterator[tuple[str, str, bool]]:
    """Yield the operator and the aspect of each wrong entry in the file, and True if the entry is superfluous, or
    False if the entry is missing."""
    for operator in standard().operators:
        listed, found = set(without_probe().get(operator, {})), never_asked(operator)
        yield from ((operator, aspect, True) for aspect in sorted(listed - found))
        yield from ((operator, aspect, False) for aspect in sorted(found - listed))


def without(text: str, gone: set[tuple[str, str]]) -> str:
    """Return the file's text without the pairs (operator, aspect) in `gone`, and without aspects of no operator."""
    head, *tables = re.split(r"(?m)^(?=\[)", text)
    kept = []
    for table in tables:
        aspect = re.match(r'\["?([^"\]]+)"?\]', table)[1]  # type: ignore[index]
        start, listed = table.split("operators = [\n")
        names = [name for name in re.findall(r'"([^"]+)"', listed) if (name, aspect) not in gone]
        if names:
            lines = textwrap.wrap(", ".join(f'"{name}"' for name in names), 116)
            body = "".join(f"  {line}\n" for line in lines).rstrip("\n")
            kept.append(f"{start}operators = [\n{body},\n]\n\n")
    return (head + "".join(kept)).rstrip("\n") + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--save", action="store_true")
    options = parser.parse_args()
    found = list(differences())
    for operator, aspect, too_much in found:
        print(f"{operator}: {aspect}: {'probes test the aspect now' if too_much else 'no probe tests the aspect'}")
    if options.save:
        gone = {(operator, aspect) for operator, aspect, too_much in found if too_much}
        FILE.write_text(without(FILE.read_text(encoding="utf-8"), gone), encoding="utf-8")


if __name__ == "__main__":
    main()
