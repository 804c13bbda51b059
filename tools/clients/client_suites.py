"""Runs the array API tests of SciPy and scikit-learn with Suanzi as a namespace, and explains failures.

The script also runs scikit-learn's estimators on Suanzi's tensors, and on PyTorch's tensors for comparison.

python tools/clients/client_suites.py --save docs/results/clients.md

The script needs scipy, scikit-learn, torch, array-api-strict and pytest, and takes some 40 minutes on two cores. With
``--outcomes`` a folder keeps the outcome of each suite, and suites with stored outcomes are not run again.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import subprocess
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from datetime import date
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

os.environ["SCIPY_ARRAY_API"] = "1"  # SciPy reads the variable at its import

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "clients"))

import estimators

import suanzi
from suanzi.conformance.report import environment

HERE = Path(__file__).parent
OURS = "suanzi.array_api"
NAMESPACES = (OURS, "torch", "array_api_strict")
SUITES = (
    *(f"scipy.{part}" for part in ("special", "stats", "signal", "ndimage", "cluster", "fft", "linalg", "optimize")),
    *(f"scipy.{part}" for part in ("integrate", "differentiate", "interpolate", "spatial", "constants")),
    "sklearn",
)
PACKAGES = ("scipy", "scikit-learn", "numpy", "torch", "array-api-strict", "pytest")


class Outcome(NamedTuple):
    """The outcome of a test."""

    test: str
    outcome: str
    error: str = ""
    text: str = ""


class Run(NamedTuple):
    """The run of a suite with a namespace: the number of tests, and the outcomes of the tests that were run."""

    tests: int
    outcomes: list[Outcome]


def run(namespace: str, suite: str, file: Path, seconds: int) -> None:
    """Run one suite on a namespace in a separate process. `suite_plugin.py` writes the file of outcomes."""
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(HERE), str(Path(suanzi.__file__).parents[1])]),
        "OMP_NUM_THREADS": "1",
        "SUITE_NAMESPACE": namespace,
        "SUITE_OUTCOMES": str(file),
        "SUITE_SECONDS": str(seconds),
        "SUITE_TEST_SECONDS": "20",
    }
    command = [sys.executable, "-m", "pytest", "-q", "-p", "suite_plugin", "-p", "no:cacheprovider", "--tb=no"]
    with TemporaryDirectory() as folder:
        subprocess.run([*command, "--pyargs", suite], env=environment, cwd=folder, check=False, capture_output=True)


def read(file: Path) -> Run:
    head, *lines = map(json.loads, file.read_text(encoding="utf-8").splitlines())
    names = set(Outcome._fields)
    return Run(head["tests"], [Outcome(**{k: v for k, v in line.items() if k in names}) for line in lines])


class Cause(NamedTuple):
    """A cause of failures: the explanation, the project that can fix the cause, and a pattern of tests' names or
    errors.
    """

    why: str
    whose: str
    pattern: str


CAUSES = (
    Cause(
        "the array API leaves open the result type of an integer tensor and a float32 tensor; the test expects "
        "float64, as in NumPy, but suanzi returns float32",
        "suanzi, on purpose",
        r"test_support_alternative_backends_mismatched_dtypes.*dtypes do not match",
    ),
    Cause(
        "a tensor of bools or integers times a Python number is float32 in suanzi, so the result has single precision",
        "suanzi: Python's operators do not know the namespace",
        r"TestTanhSinh::test_integral_transforms|TestNSum::test_infinite_bounds",
    ),
    Cause(
        "the test expects random numbers that depend on the arbitrary signs of singular vectors",
        "the test",
        r"krandinit",
    ),
    Cause(
        "the test calls `numpy.convolve` or `piecewise` with tensors, and suanzi refuses NumPy's functions that "
        "suanzi does not have",
        "suanzi, on purpose",
        r"numpy\.(convolve|piecewise): suanzi has no counterpart",
    ),
    Cause(
        "the test makes integers with `linspace`, or converts fractions to integers with `asarray`; the array API "
        "allows any result, and suanzi raises an error",
        "suanzi, on purpose",
        r"linspace: element type|is not whole and cannot become",
    ),
    Cause(
        "the test calls `xp.logspace`, which the array API does not have",
        "the test",
        r"no attribute 'logspace'",
    ),
    Cause(
        "the test expects the words of another library in the error; the error's class is right",
        "the test",
        r"Regex pattern did not match",
    ),
    Cause(
        "the test expects that a mean overflows in float32, or expects the last bit of a sum; suanzi adds in "
        "float64 or in another order",
        "the test",
        r"TestXP_Mean::test_dtype|TestCumulativeSimpson",
    ),
    Cause(
        "the test expects a warning, and is marked for the libraries that do not warn",
        "the test",
        r"DID NOT WARN",
    ),
    Cause(
        "scikit-learn expects that no library but NumPy has strings; suanzi has strings, and refuses to convert "
        "strings to numbers",
        "the test",
        r"test_label_binarize_array_api_compliance",
    ),
)


def cause_of(suite: str, outcome: Outcome) -> Cause | None:
    text = f"{suite}/{outcome.test} {outcome.error}: {outcome.text}"
    return next((cause for cause in CAUSES if re.search(cause.pattern, text, re.DOTALL)), None)


def markdown(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def cell(found: Run) -> str:
    """Return the text of a cell: the numbers of passed, failed and skipped tests, and of tests that were not run."""
    number = Counter(outcome.outcome for outcome in found.outcomes)
    passed, skipped = number["passed"] + number["xpassed"], number["skipped"] + number["xfailed"]
    left = found.tests - passed - skipped - number["failed"]
    return f"{passed} / {number['failed']} / {skipped}" + (f" ({left} not run)" if left > 0 else "")


def counts(runs: dict[tuple[str, str], Run]) -> str:
    rows = [[suite, *(cell(runs[namespace, suite]) for namespace in NAMESPACES)] for suite in SUITES]
    totals = [
        Run(sum(runs[n, s].tests for s in SUITES), [o for s in SUITES for o in runs[n, s].outcomes]) for n in NAMESPACES
    ]
    return markdown(["package", *NAMESPACES], [*rows, ["all", *map(cell, totals)]])


def failures(runs: dict[tuple[str, str], Run]) -> str:
    """Return the list of the tests that fail with Suanzi: a table by cause, and each failure without a known cause."""
    failed = [(suite, o) for suite in SUITES for o in runs[OURS, suite].outcomes if o.outcome == "failed"]
    number = Counter(cause_of(suite, outcome) for suite, outcome in failed)
    rows = [[str(number[cause]), cause.whose, cause.why] for cause in CAUSES if number[cause]]
    unknown = [
        f"- `{suite}` {outcome.test}: {outcome.error}: {' '.join(outcome.text.split())[:160]}"
        for suite, outcome in failed
        if cause_of(suite, outcome) is None
    ]
    table = markdown(["tests", "whose", "why"], rows)
    return "\n\n".join([table, *(["Not explained:\n\n" + "\n".join(unknown)] if unknown else [])])


# --- estimators ---


def library(value: Any) -> str:
    return type(value).__module__.partition(".")[0]


def verdict(name: str, convert: Callable[[Any], Any]) -> str:
    """Return "works", an exception's name, or the difference of an estimator's results from the results for NumPy."""
    expected = estimators.computed(name, estimators.data(lambda array: array))
    home = library(convert(np.zeros(1)))
    try:
        found = estimators.computed(name, estimators.data(convert))
    except Exception as error:
        return type(error).__name__
    for part, array in zip(found, expected, strict=True):
        if not np.allclose(np.asarray(part), array, rtol=1e-6, atol=1e-8):
            return "other numbers"
        if np.ndim(array) and library(part) != home:
            return f"arrays of {library(part)}"
    return "works"


def estimator_table() -> tuple[str, str]:
    import torch

    converters = {"suanzi": suanzi.from_reference, "torch": torch.from_numpy}
    rows = [[name, *(verdict(name, convert) for convert in converters.values())] for name in estimators.CASES]
    fitted = [row for row in rows if row[0] in {*estimators.ESTIMATORS, *estimators.OF_LABELS}]
    works = [sum(row[i] == "works" for row in fitted) for i in (1, 2)]
    all_works = [sum(row[i] == "works" for row in rows) for i in (1, 2)]
    said = (
        f"Of {len(fitted)} estimators {works[0]} work with Suanzi and {works[1]} with PyTorch. Of {len(rows)} "
        f"estimators, metrics and tools, {all_works[0]} work with Suanzi and {all_works[1]} with PyTorch."
    )
    return said, markdown(["case", *converters], rows)


TITLE = "# SciPy's and scikit-learn's own array-API tests"
METHOD = """`python tools/clients/client_suites.py --save docs/results/clients.md` writes this page. [Other
libraries](../clients.md) describes the use of Suanzi with these and other libraries."""
COUNTED = """## Counts

The table counts the tests of the installed packages that are parametrised by a namespace, except tests marked as slow.
A cell shows the numbers of passed / failed / skipped tests. Failures that a suite itself expects count as skipped. The
time limit is {seconds} seconds for a package with a namespace, and 20 seconds for a test. If some tests did not run
within the limit, the cell also shows the number of these tests. SciPy and scikit-learn have fixed lists of namespaces:
`tools/clients/suite_plugin.py` replaces each list by the namespace under test. For Suanzi the plugin also corrects
SciPy's fixture `devices`, which adds a list to a tuple (the array API 2025.12 requires a tuple). All namespaces compute
in float64 by default. SciPy's tests set float64 as PyTorch's default. The suites mark many tests to be skipped or to
fail with PyTorch or array-api-strict, but mark no test for Suanzi."""
FAILED = """## Failures with suanzi, and their causes"""
ESTIMATED = """## scikit-learn's estimators

The cases of `tests/clients/estimators.py` run on float64 data. A case works if its results equal NumPy's results within
1e-6, and if its results are arrays of the library wherever NumPy's results are arrays."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--save", type=Path, help="write the document to a file")
    parser.add_argument("--outcomes", type=Path, help="keep the outcomes in a folder, and use stored outcomes")
    parser.add_argument("--seconds", type=int, default=420, help="the time limit of a suite with a namespace")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    with TemporaryDirectory() as temporary:
        folder = options.outcomes or Path(temporary)
        folder.mkdir(exist_ok=True)
        runs = {}
        for namespace in NAMESPACES:
            for suite in SUITES:
                file = folder / f"{namespace}.{suite}.jsonl"
                if not file.exists():
                    run(namespace, suite, file.resolve(), options.seconds)
                runs[namespace, suite] = read(file)
                print(namespace, suite, cell(runs[namespace, suite]), flush=True)
    versions = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    counted = f"We counted the tests on {date.today()}, with the processor {environment()['processor']}"
    said, table = estimator_table()
    parts = [TITLE, METHOD, f"The versions are {versions}, Python {platform.python_version()}.\n{counted}."]
    parts += [COUNTED.format(seconds=options.seconds), counts(runs), FAILED, failures(runs), ESTIMATED, said, table]
    document = "\n\n".join(parts) + "\n"
    print(document)
    if options.save:
        options.save.write_text(document, encoding="utf-8")


if __name__ == "__main__":
    main()
