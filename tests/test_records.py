"""The record of each operator agrees with the core, the stub, the tables of other kinds, and `suanzi ops`."""

from __future__ import annotations

import inspect
import json
import subprocess
import sys
from typing import Any

import pytest

import stubs
import suanzi.extras
from suanzi import TypeMismatchError, _core
from suanzi.kinds.call import as_itself, call_of, class_of
from suanzi.operators.catalogue import CATALOGUE
from suanzi.operators.registry import (
    COMPARISONS,
    FAMILIES,
    PYTHON_OPERATORS,
    ZEROS,
    Record,
    extras,
    implementation,
    lookup,
    neural_records,
    record_of,
    records,
)
from suanzi.quantized import QuantizedTensor
from suanzi.sparse import SparseTensor

pytestmark = pytest.mark.one_level

RECORDS = list(records())
OPERATIONS = {name: (arity, accepts) for name, arity, accepts in _core.operations}
# Operations in the core's table that are not operators, and that only `divide` uses.
STEPS = {"trunc_divide"}
REDUCTIONS = dict(_core.reductions)
TYPES = {"B": ("bool",), "I": ("int8", "uint32"), "F": ("bfloat16", "float64"), "C": ("complex64",), "S": ()}
# Operations in the core's table for functions of suanzi.extras, which the standard does not name.
EXTRAS = {"erf", "erfc", "gelu"}
# Names in the tables of other kinds that have no record: the builtins for Python's x[key], and a method.
KEYS = {"__getitem__", "__setitem__", "to_device"}


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


@pytest.mark.parametrize("name", REDUCTIONS)
def test_reductions_of_the_core(name: str) -> None:
    record = lookup(name)
    assert record.family == "reduction"
    assert record.parameters == ("x", "axis", "keepdims", *REDUCTIONS[name], "out")
    with pytest.raises(
        TypeMismatchError, match=f"{name}: {len(record.parameters)} arguments are needed, but 99 are given"
    ):
        record.builtin(*[None] * 99)


def test_families_of_the_core() -> None:
    of_rows = {record.name for record in RECORDS if record.family == "elementwise"}
    assert of_rows == OPERATIONS.keys() - STEPS - EXTRAS | {"divide"}
    assert {record.name for record in RECORDS if record.family == "reduction"} == REDUCTIONS.keys() | {"reduce"}


@pytest.mark.parametrize("record", RECORDS, ids=lambda r: r.name)
def test_words_and_parameters(record: Record) -> None:
    """A record has valid values of `family` and `zero`, and the declared parameters in the builtin's order."""
    parameters = inspect.signature(record.function).parameters
    assert set(record.parameters) == set(parameters)
    assert set(record.operands) <= set(parameters)
    assert record.has_out == ("out" in parameters)
    assert (*record.operands, *record.options, *["out"] * record.has_out) == tuple(
        sorted(record.parameters, key=lambda name: (name == "out", name not in record.operands))
    )
    assert record.family in FAMILIES
    assert record.zero is None or record.zero in ZEROS
    assert record.zero is None or record.family in ("elementwise", "reduction")
    assert class_of(record).record is record_of(record.called) is record
    if record.core is not None and record.family in ("elementwise", "reduction"):
        with pytest.raises(suanzi.SuanziError, match="arguments are needed, but 99 are given"):
            record.core(*[None] * 99)


def evaluated(record: Record, *operands: Any) -> Any:
    """Return the result of an operator on operands without dimensions as a Python number."""
    options: dict[str, Any] = {"rounding": None, "decimals": 0, "mode": "half_even"}
    return record.builtin(*operands, *(options[name] for name in record.options), None).item()


@pytest.mark.parametrize("record", [r for r in RECORDS if r.zero and r.family == "elementwise"], ids=lambda r: r.name)
def test_what_becomes_of_zeros(record: Record) -> None:
    """The keyword `zero` of an elementwise operator's record is true for every type that the operator accepts."""
    for dtype in (t for kind in record.accepts for t in TYPES[kind]):
        zero, one, two = (suanzi.full((), value, dtype=dtype) for value in (0, 1, 2))
        if len(record.operands) == 1:
            assert record.zero in ("linear", "kept")
            assert evaluated(record, zero) == 0
            if record.zero == "linear":
                added = suanzi.add(record.function(one), record.function(two)).item()
                assert added == evaluated(record, suanzi.add(one, two))
        elif record.zero == "intersection":
            assert evaluated(record, zero, one) == evaluated(record, one, zero) == evaluated(record, zero, zero) == 0
        elif record.zero == "quotient":
            assert evaluated(record, zero, one) == evaluated(record, zero, two) == 0
        else:
            assert (evaluated(record, zero, zero) == 0) == (record.zero == "union")


@pytest.mark.parametrize("record", [r for r in RECORDS if r.zero and r.family == "reduction"], ids=lambda r: r.name)
def test_what_becomes_of_zeros_in_reductions(record: Record) -> None:
    """Zeros among other elements change a reduction's result as the keyword `zero` of the record states."""
    for dtype in (t for kind in record.accepts for t in TYPES[kind]):
        for numbers in ([1], [1, 1, 1], [3, 2] if dtype != "bool" else [1, 1]):
            x = suanzi.tensor(numbers, dtype=dtype)
            alone = record.function(x)
            beside = record.function(suanzi.concat([x, suanzi.zeros(len(numbers), dtype=dtype)])).item()
            zero = suanzi.zeros((), dtype=alone.dtype)
            joined = {"sum": alone, "mean": alone / 2, "prod": zero}
            if record.zero in ("min", "max"):
                joined |= {"min": suanzi.minimum(alone, zero), "max": suanzi.maximum(alone, zero)}
            assert beside == joined[str(record.zero)].item()


def test_pythons_operators() -> None:
    """Each Python operator of tensors calls a public function, and the base class of other kinds has the operator."""
    assert len(PYTHON_OPERATORS) == len(_core.python_operators)
    for python, name in PYTHON_OPERATORS.items():
        assert lookup(name).core is getattr(_core, name)
        assert hasattr(_core.Operators, f"__{python}__")
    comparing = (r for r in RECORDS if r.entry.category.key == "comparison" and r.parameters[2:] == ("out",))
    assert set(COMPARISONS.values()) == {record.name for record in comparing}


def test_calls_read_their_arguments_by_name() -> None:
    call = call_of("sum", ("x", (0,), True, None, "there"))
    assert (call.x, call.axis, call.keepdims, call.dtype, call.out) == ("x", (0,), True, None, "there")
    assert call.replaced(axis=1).axis == 1
    x = suanzi.tensor([[1.0, 2.0], [3.0, 4.0]])
    assert call.replaced(axis=0).on(x).tolist() == [[4.0, 6.0]]
    assert call_of("add", (x, x)).out is None
    assert call_of("clip", (x, None, 3.0, None)).on(x, 2.0, None).tolist() == [[2.0, 2.0], [3.0, 4.0]]
    assert call_of("meshgrid", ((x[0], x[1]), "ij")).on([x[0], x[1]])[0].tolist() == [[1.0, 1.0], [2.0, 2.0]]
    with pytest.raises(AttributeError, match="sum has no parameter correction"):
        _ = call.correction


def test_reductions_by_name_are_calls_of_these() -> None:
    for name in REDUCTIONS:
        call = call_of("reduce", ("x", name, 0, True, None, None))
        assert (call.name, call.record) == ("reduce", lookup(name))
        assert call.on(suanzi.tensor([1.0, 2.0])).item() == suanzi.reduce(suanzi.tensor([1.0, 2.0]), name).item()
        found = as_itself(call)
        assert found is not None
        assert found[0] == name
        assert found[1][:3] == ("x", 0, True)
        assert len(found[1]) == len(lookup(name).parameters)
        takes_dtype = "dtype" in REDUCTIONS[name]
        assert (as_itself(call.replaced(dtype="float64")) is not None) == takes_dtype
    assert call_of("reduce", ("x", "nonsense", None, False, None, None)).record.name == "reduce"


@pytest.mark.parametrize("kind", [SparseTensor, QuantizedTensor])
def test_tables_of_other_kinds(kind: Any) -> None:
    names = set(kind.__suanzi_call__.table)
    networks = {record.called: record for record in neural_records()}
    unknown = names - {record.name for record in RECORDS} - KEYS - set(networks)
    assert not unknown, f"{sorted(unknown)} are no operators"
    # The core searches the table for the name of a builtin, or of a declared function.
    declared = {name for name, record in networks.items() if record.core is None}
    missing = {name for name in names - KEYS - declared if not hasattr(_core, name)}
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
