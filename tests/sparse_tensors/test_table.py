"""The table of docs/sparse.md says what sparse.operators does, and all else is TYPE_MISMATCH."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Any

import pytest
from sparse_cases import random_parts

import suanzi
from suanzi import TypeMismatchError
from suanzi.operators.registry import Record, records
from suanzi.sparse import operators

pytestmark = pytest.mark.one_level

DOCUMENT = Path(__file__).parents[2] / "docs" / "sparse.md"
GROUPS = (
    operators.LINEAR,
    operators.KEEPS_ZERO,
    operators.UNION,
    operators.INTERSECTION,
    operators.DENSE,
    operators.QUOTIENT,
    operators.REDUCTIONS,
    ("matmul", "dot"),
    ("astype", "clone"),
    (
        "transpose",
        "permute_dims",
        "matrix_transpose",
        "reshape",
        "flatten",
        "squeeze",
        "expand_dims",
        "slice",
        "index_select",
    ),
    ("concat", "stack"),
)
# In the table, but not in the document: what they come down to is.
COMPOSED = ("divide", "reduce", "clip", "array_equal")
# Public functions that come down to one in the table or to attributes, without its name.
THROUGH = {"real", "imag", "shape", "size", "rank", "destroy", "to_sparse"}

# What parameters that are no operands may be.
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
    """The names in the first cell of each row that has some."""
    lines = DOCUMENT.read_text(encoding="utf-8").splitlines()
    first_cells = [line.split("|")[1] for line in lines if line.startswith("| `")]
    return [tuple(re.findall(r"`(\w+)`", cell)) for cell in first_cells]


def test_the_document_has_the_groups_of_the_table() -> None:
    assert set(rows()) == {*GROUPS, ("true_divide",)}
    assert {name for group in GROUPS for name in group} | {"destroy", "__getitem__", *COMPOSED} == set(operators.TABLE)


@pytest.mark.parametrize("record", [r for r in records() if r.accepts], ids=lambda r: r.name)
def test_what_is_not_in_the_table_is_refused(record: Record) -> None:
    if record.name in operators.TABLE or record.name in THROUGH:
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
