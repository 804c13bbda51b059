"""The functions of `suanzi.nn` agree with their records: docstrings, the catalogue, and the promised statuses."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

import suanzi
from suanzi import SuanziError, _core, nn
from suanzi.operators.catalogue import NEURAL
from suanzi.operators.registry import Record, neural_records, record_of

pytestmark = pytest.mark.one_level

RECORDS = list(neural_records())
GIVEN: dict[str, Any] = {"kernel_size": 2, "output_size": 2, "norm_type": 2, "normalized_shape": 4, "num_groups": 1}
GIVEN |= {"size": 3, "upscale_factor": 2, "downscale_factor": 2, "running_mean": None, "running_var": None}
SHAPES = {"linear_packed": (4, 16), "lstm": (4, 4, 4), "gru": (4, 4, 4), "rnn": (4, 4, 4)}
BAD: tuple[Any, ...] = (2**64, -(2**63), 10**400, float("nan"), -1, "text", None, object(), (2**64,), ((1, 2**64),), 1j)


def test_the_catalogue_has_the_records() -> None:
    assert {record.name for record in RECORDS} == NEURAL.keys()
    assert all(getattr(nn, record.called) is record.function for record in RECORDS)
    assert {record.called for record in RECORDS} == {*nn.__all__}


@pytest.mark.parametrize("name", ["gelu", "hardswish", "mish", "sigmoid", "silu", "softplus"])
def test_rows_of_the_core_keep_their_records(name: str) -> None:
    """`record_of` returns the record of the core's function, not of the function of the same name in `suanzi.nn`."""
    row = record_of(name)
    assert row is not None
    assert row.builtin is getattr(_core, name)
    assert row.function is not getattr(nn, name)


@pytest.mark.parametrize("name", nn.__all__)
def test_docstrings_are_whole(name: str) -> None:
    doc = inspect.getdoc(getattr(nn, name)) or ""
    for section in ("Parameters", "Returns", "Raises", "Examples"):
        assert doc.count(f"\n{section}\n{'-' * len(section)}\n") == 1, section
    for parameter in inspect.signature(getattr(nn, name)).parameters:
        assert any(parameter in line.partition(" : ")[0].split(", ") for line in doc.splitlines()), parameter


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.called)
def test_bad_options_give_promised_statuses(record: Record) -> None:
    """The test sets each option in turn to a value that is mostly wrong. Errors have the statuses in the record."""
    parameters = inspect.signature(record.function).parameters.values()
    x = suanzi.ones(SHAPES.get(record.called, (1, 4, 4, 4)))
    needed = {p.name: GIVEN.get(p.name, x) for p in parameters if p.default is p.empty}
    found: list[tuple[str, SuanziError]] = []
    for parameter in parameters:
        for wrong in BAD:
            given = needed | {parameter.name: wrong}
            positional = [given.pop(p.name) for p in parameters if p.kind is p.POSITIONAL_ONLY and p.name in given]
            if parameter.kind is parameter.POSITIONAL_ONLY and parameter.name not in needed:
                continue
            try:
                record.function(*positional, **given)
            except SuanziError as error:
                found.append((f"{parameter.name}={wrong}", error))
    assert len(found) > 5
    assert [one for one in found if one[1].status.name not in record.statuses] == []
    assert [one for one in found if not str(one[1]).startswith(f"{record.name}: ")] == []
