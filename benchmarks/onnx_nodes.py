"""Counts what becomes of ONNX's own node tests, and lists the operators that are translated.

Run ``python benchmarks/onnx_nodes.py`` (half a minute), with ``--save docs/onnx.md`` for the document.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

import onnx
from onnx import defs

from suanzi.interop.onnx.expansion import MOST_BYTES, MOST_LEVELS, MOST_NODES, OF_ONNX
from suanzi.interop.onnx.plan import MOST_NUMBERS
from suanzi.interop.onnx.table import TABLE, row_for

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from interop.node_tests import Outcome, State, outcomes

TITLE = "# ONNX"
METHOD = """Written by `python benchmarks/onnx_nodes.py --save docs/onnx.md`. A model is run by `suanzi.interop.onnx`:
its opset chooses the version of each operator, and ONNX's schemas say which element types the version takes. What the
table below lacks is replaced by ONNX's own definition where there is one (losses, windows, group normalisation,
attention)."""
LIMITS = f"""## Limits

A model may come from anywhere. What is wrong with it, or with a file that it names, is a `SuanziError` when it is
loaded or run, mostly `InvalidArgumentError`.

- Operators that the model or ONNX defines by others are replaced by them when the model is loaded, and functions may
  call functions. What that makes of the model is counted before: it may add {MOST_NODES} nodes (a node takes about
  2 KiB until the model is loaded) and {MOST_BYTES >> 20} MiB to what is written in the model. An operator that ONNX
  defines counts as {OF_ONNX[0]} nodes. Functions may call each other over {MOST_LEVELS} levels, and not in a circle.
- A model has less than 2 GiB, as protobuf demands. It and its external data are ordinary files, not pipes or devices.
  External data lie in the model's folder, links followed.
- Shapes, axes and the like that a model computes have at most {MOST_NUMBERS} elements.
- What is made while the model is loaded or run lies in the library's memory, for which `suanzi.memory.set_limit` sets
  a limit: beyond it, or beyond what the machine has, it is `AllocFailedError`."""
COUNTED = """## ONNX's node tests

A test is not applicable where it needs an operator, an element type (float8, 4-bit integers) or a kind of value
(sequences, optionals, subgraphs) that is not translated. Of tests whose results are draws (Bernoulli, Dropout in
training) shapes and types are compared."""
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
        if schema.domain == "" and schema.name in versions and row_for(schema.name, schema.since_version):
            versions[schema.name].append(schema.since_version)
    rows = ([name, ", ".join(map(str, sorted(found)))] for name, found in sorted(versions.items()))
    return markdown(["operator", "versions"], rows)


def reasons(found: Sequence[Outcome]) -> str:
    """Why tests are not applicable, the commonest first."""
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
        parts = [TITLE, METHOD, LIMITS, COUNTED, counts(found), listed, operators()]
        options.save.write_text("\n\n".join(parts) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
