"""Writes numbers into the Markdown table of docs/results/accuracy.md, and keeps the text around the table."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from references import FORMATS, REFERENCES

HEADER = [
    "function",
    "float32: max ulp",
    "at",
    "not correctly rounded",
    "of inputs",
    "float64: max ulp",
    "at",
    "of points",
    "float16",
    "bfloat16",
]
COLUMNS = {"float32": slice(1, 5), "float64": slice(5, 8), "float16": slice(8, 9), "bfloat16": slice(9, 10)}


class Measured(Protocol):
    """The measured numbers of a function in a type, which the table shows in a row."""

    points: int
    wrong: int
    error: float
    at: tuple[float, ...]


def save(path: Path, type_name: str, name: str, found: Measured) -> None:
    """Write the errors of a function in one element type into the table of a file."""
    before, rows, after = read(path)
    rows[name][COLUMNS[type_name]] = cells(type_name, found)
    lines = [HEADER, ["---"] * len(HEADER), *rows.values()]
    body = ["| " + " | ".join(line) + " |" for line in lines]
    path.write_text("\n".join([*before, *body, *after]) + "\n", encoding="utf-8")


def read(path: Path) -> tuple[list[str], dict[str, list[str]], list[str]]:
    """Return the lines before the table, the rows by function, and the lines after the table."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    inside = [i for i, line in enumerate(lines) if line.startswith("| ")]
    first, last = (inside[0], inside[-1] + 1) if inside else (len(lines), len(lines))
    rows = {name: [name] + ["-"] * (len(HEADER) - 1) for name in REFERENCES}
    for line in lines[first + 2 : last]:
        row = [cell.strip() for cell in line.strip("|").split("|")]
        if row[0] in rows and len(row) == len(HEADER):
            rows[row[0]] = row
    return lines[:first], rows, lines[last:]


def inputs(type_name: str, found: Measured) -> str:
    """Return the text of the operands with the largest error, in the fewest digits that identify the operands."""
    return ", ".join(str(FORMATS[type_name].dtype(x)) for x in found.at)


def cells(type_name: str, found: Measured) -> list[str]:
    """Return the cells for a type in a function's row of the table."""
    at = inputs(type_name, found) or "-"
    if type_name == "float64":
        return [f"{found.error:.4f}", at, f"{found.points:,}"]
    if type_name == "float32":
        error = f"{found.error:.7f}" if found.wrong else "0.5"
        return [error, at if found.wrong else "-", f"{found.wrong:,}", f"{found.points:,}"]
    return [f"{found.wrong:,} of {found.points:,}"]
