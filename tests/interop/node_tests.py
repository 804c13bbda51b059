"""ONNX's own tests of single nodes, run here: `outcomes` says of each what became of it."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from enum import StrEnum
from typing import Any, NamedTuple

from onnx import TensorProto, numpy_helper
from onnx.backend.test.case.node import collect_testcases
from onnx.backend.test.runner import Runner

from suanzi.interop.onnx import backend
from suanzi.interop.onnx.types import UnsupportedError

# Their results are draws: shapes and types are compared, not values.
DRAWN = re.compile(r"^test_(bernoulli|training_dropout(_default)?(_mask)?$)")


class State(StrEnum):
    """What became of a test."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_APPLICABLE = "not applicable"  # of an operator, an element type or a kind of value that is not translated


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
    """What becomes of one of onnx's test cases, and why."""
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
        Runner.assert_similar_outputs(expected, found, case.rtol, case.atol)


def _array(value: Any) -> Any:
    return numpy_helper.to_array(value) if isinstance(value, TensorProto) else value
