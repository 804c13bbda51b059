"""The functions of the commands. Each function accepts the parsed options, prints, and returns the exit status."""

from __future__ import annotations

import inspect
import sys
from argparse import Namespace
from typing import Any

import suanzi
from suanzi import _core
from suanzi.cli import c_interface, models
from suanzi.cli.names import found
from suanzi.conformance.text import as_json, meant, printable, table
from suanzi.hints.answers import of_word
from suanzi.kinds import devices
from suanzi.operators.catalogue import CATALOGUE, CATEGORIES, Entry
from suanzi.operators.registry import Record, extras, implementation, lookup, records

_CANDIDATES = 6  # the largest number of functions that a message suggests
_UNUSABLE = 2  # the exit status if the command line names something that does not exist


def ops(options: Namespace) -> int:
    """Print the operators of the standard or of a category, one per line. If the options name operators, print the
    descriptions of the operators instead.

    The exit status is 2 if an operator or category does not exist.
    """
    try:
        entries = _chosen(options)
    except ValueError as error:
        print(f"ops: {printable(str(error))}", file=sys.stderr)
        return _UNUSABLE
    if options.json:
        print(as_json([_operator(entry) for entry in entries], 2))
    elif options.names:
        further = [lookup(name) for name in options.names if name in _functions() and name not in CATALOGUE]
        named = [implementation(entry.name) or entry for entry in entries if not _is_by(entry, further, options)]
        print("\n\n".join("\n".join(_described(each)) for each in (*named, *further)))
    else:
        _print_table(entries)
    return 0


def _chosen(options: Namespace) -> list[Entry]:
    """Return the operators that the options name, and the operators of the named categories, in the standard's order.
    Return all operators if the options name neither operators nor categories.
    """
    functions = _functions()
    names = [functions.get(name, name) for name in found(options.names, CATALOGUE.values())]
    categories = found(options.category or (), CATEGORIES)
    keys = [category.key for category in CATEGORIES]
    if unknown := [n for n in names if n not in CATALOGUE] + [key for key in categories if key not in keys]:
        chinese = [*(entry.chinese for entry in CATALOGUE.values()), *(category.chinese for category in CATEGORIES)]
        called = of_word(unknown[0])[:_CANDIDATES]
        hint = meant(unknown[0], [*CATALOGUE, *functions, *keys, *chinese])
        hint = f"; is {' or '.join(called)} meant?" if called else hint
        raise ValueError(f"{', '.join(unknown)}: not an operator or a category of the standard{hint}")
    every = not names and not categories
    return [e for e in CATALOGUE.values() if every or e.name in names or e.category.key in categories]


def _functions() -> dict[str, str]:
    """Return the operator of each public function, by the name of the function."""
    return {record.name: record.of for record in records()}


def _is_by(entry: Entry, further: list[Record], options: Namespace) -> bool:
    """Return whether `suanzi ops` chose an operator only because the options name an addition to the operator."""
    names = {*found(options.names, CATALOGUE.values())}
    keys = {*found(options.category or (), CATEGORIES)}
    return entry.name not in names and entry.category.key not in keys and any(r.of == entry.name for r in further)


_KINDS = {"B": "bool", "I": "integers", "F": "floating", "C": "complex", "S": "string"}


def _described(what: Entry | Record) -> list[str]:
    """Return the description of a function as lines: the call, the summary, the element types and the errors."""
    entry = what if isinstance(what, Entry) else what.entry
    place = f"(no. {entry.number}, {entry.category.key} {entry.category.chinese})"
    if isinstance(what, Entry):
        return [f"{entry.name}  {entry.chinese}  {place}", "  not yet implemented"]
    record = what
    of = f"belongs to {entry.name} {entry.chinese}" if record.is_extra else entry.chinese
    belonging = "" if record.is_extra else ", ".join(f"suanzi.{extra.name}" for extra in extras(entry.name))
    summary = (record.function.__doc__ or "").strip().partition("\n")[0]
    rows = [
        ("call", f"suanzi.{record.name}{_signature(record.function)}"),
        ("element types", ", ".join(_KINDS[kind] for kind in record.accepts) or "the types of dtype="),
        ("errors", ", ".join(record.statuses)),
        *([("belonging to it", belonging)] if belonging else []),
        ("standard", entry.reference),
    ]
    details = [summary, *table(rows)] if summary else table(rows)
    return [f"{record.name}  {of}  {place}", *(f"  {line}" for line in details)]


def _signature(function: Any) -> str:
    """Return the signature of a function as text without annotations."""
    signature = inspect.signature(function)
    plain = [p.replace(annotation=p.empty) for p in signature.parameters.values()]
    return str(signature.replace(parameters=plain, return_annotation=signature.empty))


def _print_table(entries: list[Entry]) -> None:
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
        for entry in entries
    ]
    print("\n".join(table([header, *rows])))
    count = sum(implementation(entry.name) is not None for entry in entries)
    print(f"\n{count} of {len(entries)} implemented")


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
    """Return the BLAS library's name, version and path, or the reason why no library is loaded."""
    try:
        return _core.blas()
    except suanzi.SuanziError as error:
        return {"error": str(error)}


def simd_level(facts: dict[str, Any]) -> str:
    """Return the SIMD level in use, the levels that the machine has, and a better level that was not compiled."""
    found = f"{facts['simd']} (available: {', '.join(facts['simd_available'])})"
    missing = facts["simd_missing"]
    return f"{found}; {missing} was not compiled: install Suanzi again on this machine" if missing else found


def _product_instructions(facts: dict[str, Any]) -> str:
    """Return the instructions in use for products of each element type, and the instructions that the machine has."""
    used = ", ".join(f"{by or 'none'} for {of}" for of, by in facts["product_instructions"].items())
    return f"{used} (available: {', '.join(facts['product_instructions_available']) or 'none'})"


def info(options: Namespace) -> int:
    """Print versions, instruction set, threads, devices and memory. With the option --c, print the paths for C programs
    instead. With a model, print the summary of the model instead.
    """
    if options.c:
        return c_interface.tell(options.c)
    if options.model is not None:
        return models.info(options)
    facts: dict[str, Any] = {
        "version": suanzi.__version__,
        "python": sys.version.split()[0],
        "simd": _core.simd_level(),
        "simd_available": list(_core.simd_levels()),
        "simd_missing": _core.missing_simd_level(),
        "product_instructions": _core.product_instructions(),
        "product_instructions_available": list(_core.available_product_instructions()),
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
        ("SIMD level", simd_level(facts)),
        ("product instructions", _product_instructions(facts)),
        ("threads", str(facts["threads"])),
        ("BLAS", facts["blas"].get("error") or "{name} ({version}; {path})".format(**facts["blas"])),
        ("devices", ", ".join(facts["devices"])),
        ("memory limit", f"{limit} bytes" if limit else "none"),
    ]
    print("\n".join(table(rows)))
    return 0
