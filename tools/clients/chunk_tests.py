"""Runs Dask's and Cubed's own tests with tensors as chunks, and counts the outcomes.

    python tools/clients/chunk_tests.py dask [--save docs/results/distributed.md]
    python tools/clients/chunk_tests.py cubed [--save docs/results/distributed.md]

Each command writes its section of the document. The command for Dask takes two minutes, and the command for Cubed takes
half an hour. Cubed's tests need a separate environment: ``pip install 'cubed[test]'`` and, for Cubed's executor
``dask``, ``'dask<2024.12' 'distributed<2024.12'``.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as Xml
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import date
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from suanzi.conformance.report import environment

TITLE = """# Dask's and Cubed's own tests

`python tools/clients/chunk_tests.py dask --save docs/results/distributed.md` and the same command with `cubed` write
this page. [Distributed arrays](../distributed.md) describes the use of Dask and Cubed."""
DASK = """## Dask

Dask's package contains its tests. The tests of chunks that are not NumPy arrays are written for CuPy
(`test_cupy_*.py`). Two more modules test NumPy's dispatch. The tool copies these tests, with `"suanzi"` as the name of
the backend and `.numpy()` instead of `.get()`. In these tests, the name `cupy` means a module of NumPy's functions with
tensors instead of arrays (`tools/clients/tensors_as_cupy.py`). The tool omits no test, so tests of CuPy itself fail."""
CUBED = """## Cubed

Cubed's own tests, except the tests that are marked as slow or as needing a cloud, ran with NumPy as the backend and
with `CUBED_BACKEND_ARRAY_API_MODULE=suanzi.array_api`."""

DASK_MODULES = ("test_cupy_*.py", "test_array_function.py", "test_dispatch.py")
# The reasons for failures, by the beginnings of the tests' names.
REASONS = {
    "test_asanyarray": "CuPy: the test expects that CuPy's arrays refuse a conversion to NumPy arrays",
    "test_cupy_unsupported": "CuPy: the test expects an error for functions that CuPy lacks",
    "test_diagonal": "Dask: Dask makes an empty diagonal as a NumPy array for every kind of chunk but CuPy's",
    **dict.fromkeys(
        ("test_lstsq", "test_cholesky"),
        "Suanzi and Dask: Suanzi's factors of integer matrices are float32, and Dask passes the factors to SciPy, "
        "which solves in float64",
    ),
    "test_digitize": "Suanzi: `x.sort()` returns a sorted tensor, while NumPy's method sorts the array itself",
    **dict.fromkeys(
        ("test_random", "test_percentiles_with_unknown"),
        "Suanzi: Dask draws NumPy arrays, because `suanzi.random.default_rng` lacks `gamma` and other distributions",
    ),
}
REASONS |= {
    "test_blockwise_multiple": "Suanzi, on purpose: `np.sqrt` of a tensor of integers returns float32",
    "test_apply_reduction": "Cubed: the test passes a NumPy array to a function of the namespace",
    "test_broadcast_trick": "Cubed: the test reads the attribute `base`, which only NumPy arrays have",
}
OUTCOMES = ("passed", "failure", "error", "xfailed", "skipped")
FAILED = ("failure", "error")


class Case(NamedTuple):
    """The outcome of a test."""

    module: str
    name: str
    outcome: str
    message: str


def run(folder: Path, options: Sequence[str], **environment: str) -> list[Case]:
    """Run pytest in a folder with the given options, and return the outcome of each test."""
    report = folder / "report.xml"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--tb=native"]
    command += [f"--basetemp={folder / 'tmp'}", f"--junitxml={report}", *options]
    subprocess.run(command, cwd=folder, env={**os.environ, **environment}, check=False)
    return [case_of(element) for element in Xml.parse(report).iter("testcase") if element.get("classname")]


def case_of(element: Xml.Element) -> Case:
    found = {child.tag: child for child in element}
    outcome = next((how for how in ("error", "failure", "skipped") if how in found), "passed")
    message = (found[outcome].get("message") or "") if outcome in found else ""
    if outcome == "skipped" and found[outcome].get("type") == "pytest.xfail":
        outcome = "xfailed"
    module = str(element.get("classname")).rpartition(".")[2]
    return Case(module, str(element.get("name")), outcome, message.strip().partition("\n")[0])


def table(groups: dict[str, list[Case]]) -> list[str]:
    lines = [f"|  | {' | '.join(OUTCOMES)} |", "|---|" + "---:|" * len(OUTCOMES)]
    for name, cases in groups.items():
        counts = Counter(case.outcome for case in cases)
        lines.append(f"| {name} | " + " | ".join(str(counts[how]) for how in OUTCOMES) + " |")
    return lines


def dask_section(options: Sequence[str]) -> str:
    import dask.array

    source = Path(dask.array.__file__).parent / "tests"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for path in sorted(p for pattern in DASK_MODULES for p in source.glob(pattern)):
            text = re.sub(r'(?<!importorskip\()"cupy"', '"suanzi"', path.read_text(encoding="utf-8"))
            (folder / path.name).write_text(text.replace(".get()", ".numpy()"), encoding="utf-8")
        stand_in = Path(__file__).with_name("tensors_as_cupy.py").read_text(encoding="utf-8")
        (folder / "conftest.py").write_text(stand_in, encoding="utf-8")
        cases = run(folder, [*options, "."])
    groups: dict[str, list[Case]] = {}
    for case in cases:
        groups.setdefault(f"`{case.module}`", []).append(case)
    lines = [DASK, "", versions("dask", "numpy"), "", *table({**groups, "all": cases}), ""]
    return "\n".join(
        [
            *lines,
            "The list names the project whose behaviour causes each failure:",
            "",
            *reasons(case for case in cases if case.outcome in FAILED),
        ]
    )


def reasons(failed: Iterable[Case]) -> list[str]:
    counts = Counter(f"`{case.module}::{case.name.partition('[')[0]}`" for case in failed)
    return [f"- {number} of {name} failed because of {reason_of(name)}" for name, number in counts.items()]


def reason_of(name: str) -> str:
    return next((why for begin, why in REASONS.items() if f"::{begin}" in name), "an unknown cause")


def cubed_section(options: Sequence[str]) -> str:
    found = {}
    for backend, variables in {
        "NumPy": {},
        "suanzi": {"CUBED_BACKEND_ARRAY_API_MODULE": "suanzi.array_api"},
    }.items():
        with tempfile.TemporaryDirectory() as name:
            chosen = ["-m", "not slow and not cloud", *options]
            found[backend] = run(Path(name), [*chosen, "--pyargs", "cubed"], **variables)
    return compared(found)


def compared(found: dict[str, list[Case]]) -> str:
    """Return the document's section on Cubed, with the outcomes of the tests for each kind of chunks."""
    passed = {case_id(case) for case in found["NumPy"] if case.outcome == "passed"}
    failed = [case for case in found["suanzi"] if case.outcome in FAILED]
    lost = [case for case in failed if case_id(case) in passed]
    both = Counter(case.message[:100] for case in failed if case_id(case) not in passed)
    lines = [CUBED, "", versions("cubed", "numpy", "zarr"), "", *table(found), ""]
    lines += [
        f"{len(lost)} tests passed with NumPy and failed with Suanzi.",
        "",
        *reasons(lost),
        *[""] * bool(lost),
    ]
    lines += [
        f"{both.total()} tests failed with NumPy and with Suanzi, with these messages:",
        "",
        *(f"- {n}: {text}" for text, n in both.most_common()),
    ]
    return "\n".join(lines)


def case_id(case: Case) -> tuple[str, str]:
    return case.module, case.name


def versions(*packages: str) -> str:
    python = ".".join(map(str, sys.version_info[:2]))
    with_what = ", ".join([*(f"{name} {version(name)}" for name in packages), f"Python {python}"])
    return (
        f"The versions are {with_what}. We counted the tests on {date.today()}, with the processor "
        f"{environment()['processor']}."
    )


SECTIONS = {"dask": dask_section, "cubed": cubed_section}


def saved(path: Path, section: str) -> None:
    """Write a section into its place in the document, and keep the other section."""
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    kept = {part.partition("\n")[0]: part.strip() for part in re.split(r"^(?=## )", text, flags=re.MULTILINE)[1:]}
    kept[section.partition("\n")[0]] = section.strip()
    path.write_text(
        "\n\n".join([TITLE, *(kept[name] for name in ("## Dask", "## Cubed") if name in kept)]) + "\n", "utf-8"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("suite", choices=SECTIONS)
    parser.add_argument("--save", type=Path, help="write the section into this document")
    parser.add_argument("-k", default="", help="pytest's expression of the tests to run; all by default")
    arguments = parser.parse_args()
    if find_spec(arguments.suite) is None:
        sys.exit(f"chunk_tests.py: the package {arguments.suite} is missing")
    section = SECTIONS[arguments.suite](["-k", arguments.k])
    print(section)
    if arguments.save:
        saved(arguments.save, section)


if __name__ == "__main__":
    main()
