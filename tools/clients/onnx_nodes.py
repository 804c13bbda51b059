"""Counts what becomes of ONNX's own node tests, and lists the operators that are translated.

Run ``python tools/clients/onnx_nodes.py`` (half a minute), with ``--save docs/results/onnx.md`` for the document.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

import onnx
from onnx import defs

from suanzi.interop.onnx.table import TABLE, row_for

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))
from interop.node_tests import Outcome, State, outcomes

TITLE = "# ONNX's operators and node tests"
METHOD = """Written by `python tools/clients/onnx_nodes.py --save docs/results/onnx.md`. [ONNX models](../onnx.md) says
how models are run, and within what limits."""
COUNTED = """## ONNX's node tests

A test is not applicable where it needs an operator that is not translated. Of tests whose results are draws (Bernoulli,
Dropout in training) shapes and types are compared. Results in float16 may be two units in the last place from the
expected ones, which are rounded after each node of a definition."""
LISTED = """## Operators

The versions are the ones from which on the operator was defined anew, as in ONNX's own list."""


def markdown(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def counts(found: Sequence[Outcome]) -> str:
    number = Counter(outcome.state for outcome in found)
    rows = [[f"tests of onnx {onnx.__version__}", str(len(found))], *([s.value, str(number[s])] for s in State)]
    return markdown(["", "number"], rows)


def operators() -> str:
    versions: dict[str, list[int]] = {name: [] for name in TABLE}
    for schema in defs.get_all_schemas_with_history():
        if schema.domain == "" and schema.name in versions and row_for("", schema.name, schema.since_version):
            versions[schema.name].append(schema.since_version)
    rows = ([name, ", ".join(map(str, sorted(found)))] for name, found in sorted(versions.items()))
    return markdown(["operator", "versions"], rows)


def reasons(found: Sequence[Outcome]) -> str:
    """The reasons why tests are not applicable, the commonest first."""
    number = Counter(o.reason.rpartition("onnx: ")[2] for o in found if o.state is State.NOT_APPLICABLE)
    return "\n".join(f"{count:5} {reason}" for reason, count in number.most_common())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--save", type=Path, help="write the counts and the operators to a Markdown file")
    parser.add_argument("--reasons", action="store_true", help="print why tests are not applicable")
    options = parser.parse_args()
    found = list(outcomes())
    print(counts(found), f"{len(TABLE)} operators", sep="\n\n")
    for outcome in found:
        if outcome.state is State.FAILED:
            print(f"{outcome.name}: {outcome.reason}")
    if options.reasons:
        print(reasons(found))
    if options.save:
        listed = LISTED.replace("The versions", f"{len(TABLE)}. The versions")
        parts = [TITLE, METHOD, COUNTED, counts(found), listed, operators()]
        options.save.write_text("\n\n".join(parts) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
