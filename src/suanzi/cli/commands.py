"""The commands: each takes the parsed options, prints, and returns the exit status."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections import Counter
from dataclasses import asdict
from typing import Any

import suanzi
from suanzi import _core
from suanzi.cli import c_interface
from suanzi.cli.text import as_json, pad, table, width
from suanzi.operators.catalogue import CATALOGUE, Entry
from suanzi.operators.registry import extras, implementation

FAULTS_SHOWN = 5  # for each operator


def ops(options: Namespace) -> int:
    """The operators of the standard, one a line."""
    if options.json:
        print(as_json([_operator(entry) for entry in CATALOGUE.values()], 2))
        return 0
    header = ("", "name", "算子", "category", "类别", "implemented", "belonging to it")
    rows = [
        (
            str(entry.number),
            entry.name,
            entry.chinese,
            entry.category.key,
            entry.category.chinese,
            "yes" if implementation(entry.name) else "not yet",
            ", ".join(extra.name for extra in extras(entry.name)),
        )
        for entry in CATALOGUE.values()
    ]
    print("\n".join(table([header, *rows])))
    count = sum(implementation(name) is not None for name in CATALOGUE)
    print(f"\n{count} of {len(CATALOGUE)} implemented")
    return 0


def _named(entry: Entry) -> dict[str, Any]:
    return {**entry._asdict(), "category": entry.category._asdict()}


def _operator(entry: Entry) -> dict[str, Any]:
    record = implementation(entry.name)
    return {
        **_named(entry),
        "implemented": record is not None,
        "accepts": record.accepts if record else None,
        "statuses": record.statuses if record else None,
        "extras": [extra.name for extra in extras(entry.name)],
    }


def _blas() -> dict[str, str]:
    """The BLAS library's name, version and path, or why there is none."""
    try:
        return _core.blas()
    except suanzi.SuanziError as error:
        return {"error": str(error)}


def info(options: Namespace) -> int:
    """What runs here: versions, instruction set, threads, devices, memory; or what C programs need."""
    if options.c:
        return c_interface.tell(options.c)
    facts: dict[str, Any] = {
        "version": suanzi.__version__,
        "python": sys.version.split()[0],
        "simd": _core.simd_level(),
        "simd_available": list(_core.simd_levels()),
        "threads": _core.get_num_threads(),
        "blas": _blas(),
        "devices": ["cpu:0"],
        "memory": _core.memory_statistics(),
    }
    if options.json:
        print(as_json(facts, 2))
        return 0
    limit = facts["memory"].get("limit")
    rows = [
        ("suanzi", facts["version"]),
        ("Python", facts["python"]),
        ("SIMD level", f"{facts['simd']} (available: {', '.join(facts['simd_available'])})"),
        ("threads", str(facts["threads"])),
        ("BLAS", facts["blas"].get("error") or "{name} ({version}; {path})".format(**facts["blas"])),
        ("devices", ", ".join(facts["devices"])),
        ("memory limit", f"{limit} bytes" if limit else "none"),
    ]
    print("\n".join(table(rows)))
    return 0


def conformance(options: Namespace) -> int:
    """A verdict on each operator; the exit status is 0 when all pass, 1 when one does not, 2 for an unknown name."""
    from suanzi.conformance import State, run

    names = list(dict.fromkeys([*options.names, *(options.operator or ())]))
    unknown = [name for name in names if name not in CATALOGUE]
    if unknown:
        print(f"conformance: {', '.join(unknown)}: not an operator of the standard", file=sys.stderr)
        return 2
    verdicts = []
    columns = max(map(len, CATALOGUE)) + 2, max(width(e.chinese) for e in CATALOGUE.values()) + 2
    for verdict in run(operators=names or None):
        verdicts.append(verdict)
        if options.json:
            continue
        entry = verdict.entry
        checks = f"{verdict.checks} checks"
        if not verdict.checks:
            checks = "implemented, no check yet" if verdict.implemented else ""
        cells = pad(entry.name, columns[0]), pad(entry.chinese, columns[1]), pad(verdict.state, 9)
        print(("".join(cells) + checks).rstrip(), flush=True)
        for fault in verdict.faults[:FAULTS_SHOWN]:
            print(f"    {fault}")
        if len(verdict.faults) > FAULTS_SHOWN:
            print(f"    and {len(verdict.faults) - FAULTS_SHOWN} more (--json has all)")
    counts = Counter(verdict.state for verdict in verdicts)
    if options.json:
        report = {
            "summary": {state.value: counts[state] for state in State},
            "operators": [{**asdict(verdict), "entry": _named(verdict.entry)} for verdict in verdicts],
        }
        print(as_json(report, 2))
    else:
        print("\n" + ", ".join(f"{counts[state]} {state}" for state in State))
    return 0 if counts[State.PASS] == len(verdicts) else 1
