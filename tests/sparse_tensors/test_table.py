"""The table of docs/sparse.md lists all operators that accept sparse tensors. Every other operator raises
TYPE_MISMATCH.
"""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Any

import pytest
from sparse_cases import random_parts

import suanzi
import suanzi.nn  # importing suanzi.nn adds the module's rows to the table
from suanzi import SparseTensor, TypeMismatchError
from suanzi.operators.registry import ZEROS, Record, records

pytestmark = pytest.mark.one_level

DOCUMENT = Path(__file__).parents[2] / "docs" / "sparse.md"
TABLE: dict[str, Any] = SparseTensor.__suanzi_call__.table  # type: ignore[attr-defined]
# Operators of the kind's table that have no row in docs/sparse.md. The text below the table describes the operators.
BESIDE = {"relu", "reduce", "clip", "array_equal", "destroy", "to_device", "__getitem__"}
# Public functions that call an operator of another name in the kind's table, or read attributes.
THROUGH = {"real", "imag", "shape", "size", "rank", "destroy", "to_sparse"}

# Arguments for parameters that are not operands.
OPTIONS: dict[str, Any] = {
    "shape": (2, 3),
    "axis": 0,
    "axes": (1, 0),
    "dtype": "float32",
    "index": suanzi.zeros((1,), dtype="int64"),
}
OPTIONS |= {"op": "sum", "subscripts": "ij,ij", "pad_width": 1, "shift": 1, "offsets": (0, 0), "begin": 0, "end": 1}
OPTIONS |= dict.fromkeys(("k", "n", "value", "sections_or_sizes", "repetitions", "repeats", "num_samples"), 1)
OPTIONS |= {"source": 0, "destination": 1, "axis1": 0, "axis2": 1, "fill_value": 1}


def rows() -> list[tuple[str, ...]]:
    """Return the names of operators in the first cell of each table row of docs/sparse.md that has names."""
    lines = DOCUMENT.read_text(encoding="utf-8").splitlines()
    first_cells = [line.split("|")[1] for line in lines if line.startswith("| `")]
    return [tuple(re.findall(r"`(\w+)`", cell)) for cell in first_cells]


def by_zero() -> set[frozenset[str]]:
    """Return the operators, grouped by the keyword `zero=` of their records. Reductions are one group."""
    words: dict[str | None, set[str]] = {word: set() for word in ZEROS}
    for record in records():
        if record.zero is not None:
            words["sum" if record.family == "reduction" else record.zero].add(record.name)
    return {frozenset(names) for names in words.values() if names}


def test_the_document_has_the_groups_of_the_records() -> None:
    groups = {frozenset(row) for row in rows()}
    assert by_zero() <= groups
    assert {name for group in groups for name in group} | BESIDE == set(TABLE)


@pytest.mark.parametrize("record", [r for r in records() if r.accepts], ids=lambda r: r.name)
def test_what_is_not_in_the_table_is_refused(record: Record) -> None:
    if record.name in TABLE or record.name in THROUGH:
        return
    parameters = inspect.signature(record.function).parameters.values()
    x = random_parts((3, 3), 4, "float32").coo()
    given = [
        OPTIONS.get(p.name, [x] if p.name == "tensors" else x)
        for p in parameters
        if p.default is p.empty and p.kind <= p.POSITIONAL_OR_KEYWORD
    ]
    with pytest.raises(TypeMismatchError):
        record.function(
            *given, *([x, x] if record.name in ("einsum", "meshgrid", "broadcast_arrays", "broadcast_tensors") else [])
        )
