"""Counts the outcomes of ONNX's own tests, and lists the operators that Suanzi translates.

Run ``python tools/clients/onnx_nodes.py`` (a minute), with ``--save docs/results/onnx.md`` for the document. If
onnxruntime is installed, onnxruntime runs ONNX's models, too.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import onnx
from onnx import defs

from suanzi.interop.onnx.table import TABLE, row_for

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))
from interop.node_tests import MODELS, Outcome, State, outcomes, outcomes_of_models

TITLE = "# ONNX's operators and tests"
METHOD = """`python tools/clients/onnx_nodes.py --save docs/results/onnx.md` writes this page. [ONNX models](../onnx.md)
describes how Suanzi runs models, and names the limits."""
COUNTED = """## ONNX's node tests

A test that needs an operator outside Suanzi is not applicable. If the results of a test are random
(Bernoulli, Dropout in training), the script compares only their shapes and types. Results in float16 may differ from
the expected results by two units in the last place, because the expected results are rounded after each node of a
definition."""
OF_MODELS = """## ONNX's models

The package onnx contains models with inputs and expected outputs. The models of `real` are light networks, such as
ResNet-50, whose large weights are constants. The two models of `simple` that are not applicable compute gradients."""
LISTED = """## Operators

The table lists the opset versions that define the operator anew, as in ONNX's own list."""


def markdown(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def counts(found: Sequence[Outcome]) -> str:
    number = Counter(outcome.state for outcome in found)
    rows = [[f"tests of onnx {onnx.__version__}", str(len(found))], *([s.value, str(number[s])] for s in State)]
    return markdown(["", "number"], rows)


def onnxruntime_prepare() -> Callable[[Any], Any] | None:
    """Return a function that prepares a model for onnxruntime, or None if onnxruntime is not installed."""
    try:
        import onnxruntime
    except ImportError:
        return None
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4

    class Prepared:
        def __init__(self, model: onnx.ModelProto) -> None:
            self.session = onnxruntime.InferenceSession(model.SerializeToString(), options)

        def run(self, inputs: Sequence[Any]) -> list[Any]:
            names = [value.name for value in self.session.get_inputs()]
            found: list[Any] = self.session.run(None, dict(zip(names, inputs, strict=True)))
            return found

    return Prepared


def models() -> tuple[str, list[Outcome]]:
    """Run each set of ONNX's tests of models. Return a table of the numbers of passed tests, and the failed tests."""
    prepare, rows, failed = onnxruntime_prepare(), [], []
    for kind in MODELS:
        ours = list(outcomes_of_models(kind))
        failed += [o for o in ours if o.state is State.FAILED]
        theirs = list(outcomes_of_models(kind, prepare=prepare)) if prepare else []
        counted = [str(sum(o.state is State.PASSED for o in found)) if found else "" for found in (ours, theirs)]
        rows.append([kind, str(len(ours)), *counted])
    return markdown(["set", "models", "passed", "passed by ONNX Runtime"], rows), failed


def operators() -> str:
    versions: dict[str, list[int]] = {name: [] for name in TABLE}
    for schema in defs.get_all_schemas_with_history():
        if schema.domain == "" and schema.name in versions and row_for("", schema.name, schema.since_version):
            versions[schema.name].append(schema.since_version)
    rows = ([name, ", ".join(map(str, sorted(found)))] for name, found in sorted(versions.items()))
    return markdown(["operator", "versions"], rows)


def reasons(found: Sequence[Outcome]) -> str:
    """Return the reasons why tests are not applicable, one a line with its count, the most frequent first."""
    number = Counter(o.reason.rpartition("onnx: ")[2] for o in found if o.state is State.NOT_APPLICABLE)
    return "\n".join(f"{count:5} {reason}" for reason, count in number.most_common())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--save", type=Path, help="write the counts and the operators to a Markdown file")
    parser.add_argument("--reasons", action="store_true", help="print why tests are not applicable")
    options = parser.parse_args()
    found = list(outcomes())
    of_models, failed = models()
    print(counts(found), of_models, f"{len(TABLE)} operators", sep="\n\n")
    for outcome in (*found, *failed):
        if outcome.state is State.FAILED:
            print(f"{outcome.name}: {outcome.reason}")
    if options.reasons:
        print(reasons(found))
    if options.save:
        listed = LISTED.replace("The table", f"Suanzi runs {len(TABLE)} of ONNX's operators. The table")
        parts = [TITLE, METHOD, COUNTED, counts(found), OF_MODELS, of_models, listed, operators()]
        options.save.write_text("\n\n".join(parts) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
