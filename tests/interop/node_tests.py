"""ONNX's own tests of single nodes, run here: `outcomes` has the outcome of each."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Any, NamedTuple

from onnx import TensorProto, numpy_helper
from onnx.backend.test.case.node import collect_testcases
from onnx.backend.test.runner import Runner

from suanzi.interop.onnx import backend
from suanzi.interop.onnx.types import UnsupportedError

# Their results are draws: shapes and types are compared, not values.
DRAWN = re.compile(r"^test_(bernoulli|training_dropout(_default)?(_mask)?$)")

# Expected results in half precision were rounded after every node of a definition, so they are off by some units in the
# last place themselves, which is more than the runner's tolerance of 0.001.
_HALVES = {"float16": 2 * 2.0**-10, "bfloat16": 2 * 2.0**-7}


class State(StrEnum):
    """The outcome of a test."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_APPLICABLE = "not applicable"  # an operator, an element type or a kind of value that is not translated


class Outcome(NamedTuple):
    """One test."""

    name: str
    state: State
    reason: str  # why it failed or does not apply


def outcomes() -> Iterator[Outcome]:
    """Run all tests that the installed onnx has; building them takes most of the time."""
    with warnings.catch_warnings():  # the tests compute their expectations past the ranges of types
        warnings.simplefilter("ignore")
        for case in collect_testcases(None):
            yield Outcome(case.name, *verdict(case))


def verdict(case: Any) -> tuple[State, str]:
    """Return the outcome of one of onnx's test cases, and its reason."""
    try:
        model = backend.prepare(case.model)
        for inputs, expected in case.data_sets:
            _compare(case, list(map(_array, expected)), model.run(list(map(_array, inputs))))
    except UnsupportedError as error:
        return State.NOT_APPLICABLE, str(error)
    except Exception as error:
        return State.FAILED, f"{type(error).__name__}: {error}"
    return State.PASSED, ""


def _compare(case: Any, expected: list[Any], found: tuple[Any, ...]) -> None:
    if DRAWN.match(case.name):
        same = [(a.shape, a.dtype) for a in expected] == [(a.shape, a.dtype) for a in found]
        if not same:
            raise AssertionError("shapes or types differ")
    else:
        _compare_values(case, expected, found)


def _compare_values(case: Any, expected: list[Any], found: Sequence[Any]) -> None:
    """Compare values one by one; sequences element by element, which onnx's runner does not for those of rank 0."""
    for wanted, y in zip(expected, found, strict=True):
        if isinstance(wanted, list):
            _compare_values(case, wanted, y)
        elif wanted is None:
            assert y is None
        else:
            tolerance = max(case.rtol, _HALVES.get(str(wanted.dtype), 0.0))
            Runner.assert_similar_outputs([wanted], [y], tolerance, case.atol)


def _array(value: Any) -> Any:
    return numpy_helper.to_array(value) if isinstance(value, TensorProto) else value
