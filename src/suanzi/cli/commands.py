"""The commands: each takes the parsed options, prints, and returns the exit status."""

from __future__ import annotations

import sys
from argparse import Namespace
from typing import Any

import suanzi
from suanzi import _core
from suanzi.cli import c_interface, models
from suanzi.conformance.text import as_json, table
from suanzi.kinds import devices
from suanzi.operators.catalogue import CATALOGUE, Entry
from suanzi.operators.registry import extras, implementation


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
    """Print versions, instruction set, threads, devices and memory; or the paths that C programs need."""
    if options.c:
        return c_interface.tell(options.c)
    if options.model is not None:
        return models.info(options)
    facts: dict[str, Any] = {
        "version": suanzi.__version__,
        "python": sys.version.split()[0],
        "simd": _core.simd_level(),
        "simd_available": list(_core.simd_levels()),
        "product_instructions": list(_core.product_instructions()),
        "threads": _core.get_num_threads(),
        "blas": _blas(),
        "devices": [str(device) for device in devices.available()],
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
        ("product instructions", ", ".join(facts["product_instructions"]) or "none of bfloat16 or int8"),
        ("threads", str(facts["threads"])),
        ("BLAS", facts["blas"].get("error") or "{name} ({version}; {path})".format(**facts["blas"])),
        ("devices", ", ".join(facts["devices"])),
        ("memory limit", f"{limit} bytes" if limit else "none"),
    ]
    print("\n".join(table(rows)))
    return 0
