"""Shortens the pages of docs/results. A long table becomes a CSV file beside the page, and the page links to the file.

    python tools/results.py            after a script or `suanzi bench --markdown` has written a page
    python tools/results.py --check    fails if a page has a long table

Rows that README.md shows stay in the page.
"""

from __future__ import annotations

import argparse
import csv
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "docs" / "results"
README = ROOT / "README.md"
ROWS = 40  # rows of the longest table that stays in a page
_TABLE = re.compile(r"(?:^\|.*\|\n)+", re.MULTILINE)


def cells(table: str) -> list[list[str]]:
    """Return the cells of a Markdown table: the header, then each row."""
    header, _, *rows = ([cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines())
    return [header, *rows]


def is_long(table: str) -> bool:
    return table.count("\n") - 2 > ROWS


def shown() -> set[tuple[str, ...]]:
    """Return the first three cells of the rows in README.md's tables: operator, type and number of elements."""
    return {tuple(row[:3]) for table in _TABLE.findall(README.read_text(encoding="utf-8")) for row in cells(table)[1:]}


def shortened(page: Path) -> str:
    """Write the long tables of a page to CSV files, and return the page's text with links in place of the tables."""
    text = page.read_text(encoding="utf-8")
    long = [table for table in _TABLE.findall(text) if is_long(table)]
    kept = shown()
    for number, table in enumerate(long, start=1):
        file = page.with_name(f"{page.stem}{f'-{number}' if len(long) > 1 else ''}.csv")
        header, *rows = cells(table)
        with file.open("w", encoding="utf-8", newline="") as out:
            csv.writer(out, lineterminator="\n").writerows([header, *rows])
        lines = table.splitlines(keepends=True)
        some = [line for line, row in zip(lines[2:], rows, strict=True) if tuple(row[:3]) in kept]
        parts = f"The next table shows some of the rows:\n\n{''.join([*lines[:2], *some])}" if some else ""
        text = text.replace(
            table, f"The table has {len(rows):,} rows and is in [{file.name}]({file.name}).\n\n{parts}".rstrip() + "\n"
        )
    return text


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a page has a long table")
    options = parser.parse_args()
    pages = [
        page for page in sorted(RESULTS.glob("*.md")) if any(map(is_long, _TABLE.findall(page.read_text("utf-8"))))
    ]
    for page in pages:
        print(page.relative_to(ROOT))
        if not options.check:
            page.write_text(shortened(page), encoding="utf-8")
    return 1 if pages and options.check else 0


if __name__ == "__main__":
    raise SystemExit(main())
