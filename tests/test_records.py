"""One record for each operator: the core, the stub, the tables of other kinds and `suanzi ops` agree with it."""

from __future__ import annotations

import inspect
import json
import subprocess
import sys
from typing import Any

import pytest

import stubs
import suanzi.extras
from suanzi import _core
from suanzi.operators.catalogue import CATALOGUE
from suanzi.operators.registry import Record, extras, implementation, lookup, records
from suanzi.quantized import QuantizedTensor
from suanzi.sparse import SparseTensor

pytestmark = pytest.mark.one_level

RECORDS = list(records())
OPERATIONS = {name: (arity, accepts) for name, arity, accepts in _core.operations}
# What divide comes down to: a row of the core's table that is no operator.
STEPS = {"trunc_divide"}
# Rows that carry out functions of suanzi.extras, which the standard does not name.
EXTRAS = {"erf", "erfc", "gelu"}
# What Python writes as x[key].
KEYS = {"__getitem__", "__setitem__"}


def test_the_stub_is_what_the_core_says() -> None:
    assert list(stubs.differences()) == []


@pytest.mark.parametrize("record", [r for r in RECORDS if r.core], ids=lambda r: r.name)
def test_a_builtin_carries_out_the_operator_of_its_name(record: Record) -> None:
    assert record.core is not None
    assert record.core.__name__ == record.name.rpartition(".")[2]
    assert record.core is getattr(_core, record.core.__name__)


def test_builtins_carry_out_one_operator_each() -> None:
    names = [record.core.__name__ for record in RECORDS if record.core]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("name", OPERATIONS)
def test_rows_of_the_core(name: str) -> None:
    if name in STEPS:
        return
    if name in EXTRAS:
        assert hasattr(suanzi.extras, name)
        assert name not in CATALOGUE.keys() | vars(suanzi).keys() | {record.name for record in RECORDS}
        return
    record, (arity, accepts) = lookup(name), OPERATIONS[name]
    kinds = inspect.Parameter
    operands = [p for p in inspect.signature(record.function).parameters.values() if p.kind == kinds.POSITIONAL_ONLY]
    assert record.core is not None, f"{name}: its row is not what is called"
    assert set(record.accepts) == set(accepts), f"{name}: the record accepts {record.accepts}, the row {accepts}"
    assert len(operands) == arity or name in stubs.COMPOSED, f"{name}: the row has {arity} operands"


@pytest.mark.parametrize("kind", [SparseTensor, QuantizedTensor])
def test_tables_of_other_kinds(kind: Any) -> None:
    names = set(kind.__suanzi_call__.table)
    unknown = names - {record.name for record in RECORDS} - KEYS
    assert unknown <= STEPS, f"{sorted(unknown - STEPS)} are no operators"
    # The core asks the table under the name of a builtin.
    missing = {name for name in names - KEYS if not hasattr(_core, name)}
    assert not missing, f"the core never asks for {sorted(missing)}"


def test_what_ops_prints() -> None:
    done = subprocess.run([sys.executable, "-m", "suanzi", "ops", "--json"], capture_output=True, check=True)
    rows = {row["name"]: row for row in json.loads(done.stdout)}
    assert rows.keys() == CATALOGUE.keys()
    for name, row in rows.items():
        record = implementation(name)
        said = (row["implemented"], row["accepts"], tuple(row["statuses"] or ()), tuple(row["extras"]))
        known = (record.accepts, record.statuses) if record else (None, ())
        assert said == (record is not None, *known, tuple(extra.name for extra in extras(name))), name
