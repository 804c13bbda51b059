"""ONNX's own tests: `outcomes` runs the tests of single nodes, and `outcomes_of_models` runs the tests of models."""

from __future__ import annotations

import dataclasses
import re
import warnings
from collections.abc import Callable, Collection, Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any, NamedTuple

import onnx
from onnx import OptionalProto, SequenceProto, TensorProto, ValueInfoProto, numpy_helper
from onnx.backend.test.case.node import collect_testcases
from onnx.backend.test.case.test_case import TestCase
from onnx.backend.test.loader import DATA_DIR, load_model_tests
from onnx.backend.test.runner import Runner

from suanzi.interop.onnx import backend
from suanzi.interop.onnx.types import UnsupportedError

# Tests with random results. Shapes and types are compared, but not values.
DRAWN = re.compile(r"^test_(bernoulli|training_dropout(_default)?(_mask)?$)")

# Casts of floating-point numbers to 2-bit and 4-bit integers. ONNX does not define the casts of numbers outside the
# range of the type, and the expected results of these numbers depend on the version of ml_dtypes.
_NARROWED = re.compile(r"^test_cast(like)?_FLOAT(16)?_to_(U?)INT([24])(_expanded)?$")

# The expected results in half precision were rounded after every node of a definition. The resulting error of some
# units in the last place exceeds the runner's tolerance of 0.001.
_HALVES = {"float16": 2 * 2.0**-10, "bfloat16": 2 * 2.0**-7}


class State(StrEnum):
    """The outcome of a test."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_APPLICABLE = "not applicable"  # Suanzi does not translate an operator, a type or a kind of value


class Outcome(NamedTuple):
    """The name, state and reason of one test."""

    name: str
    state: State
    reason: str  # the reason for a failure or an exclusion


def outcomes(prepare: Callable[[Any], Any] = backend.prepare) -> Iterator[Outcome]:
    """Run all node tests of the installed onnx package. Making the tests takes most of the time. `prepare` returns an
    object that runs a model.
    """
    with warnings.catch_warnings():  # the tests compute expectations beyond the ranges of types
        warnings.simplefilter("ignore")
        for case in collect_testcases(None):
            yield Outcome(case.name, *verdict(case, prepare))


MODELS = ("simple", "pytorch-operator", "pytorch-converted", "real")
"""The sets of models in the package onnx. The set "real" has the package's light networks."""


def outcomes_of_models(
    kind: str, only: Collection[str] = (), prepare: Callable[[Any], Any] = backend.prepare
) -> Iterator[Outcome]:
    """Run the model tests of a kind, or only the tests named in `only`.

    `prepare` returns an object that runs a model.
    """
    for case in sorted(load_model_tests(kind=kind), key=lambda case: case.name):
        if only and case.name not in only:
            continue
        yield Outcome(case.name, *verdict(_light(case) if kind == "real" else _stored(case), prepare))


def _stored(case: TestCase) -> TestCase:
    """Return a test case with the model, the inputs and the outputs that are stored in the folder of the case."""
    folder = Path(str(case.model_dir))
    model = onnx.load(str(folder / "model.onnx"))
    sets = [
        (_values(path, "input", model.graph.input), _values(path, "output", model.graph.output))
        for path in sorted(folder.glob("test_data_set_*"))
    ]
    assert sets
    return dataclasses.replace(case, model=model, data_sets=sets)


def _light(case: TestCase) -> TestCase:
    """Return a test case of a light network. The inputs are generated as in ONNX's runner, and the output is stored."""
    path = Path(DATA_DIR).parents[3] / str(case.url)
    model = onnx.load(str(path))
    stored = {tensor.name for tensor in model.graph.initializer}
    given = [Runner.generate_dummy_data(value) for value in model.graph.input if value.name not in stored]
    (output,) = model.graph.output
    expected = _read(path.with_name(f"{path.stem}_output_0.pb"), output)
    return dataclasses.replace(case, model=model, data_sets=[(given, [expected])])


def _values(folder: Path, what: str, declared: Sequence[ValueInfoProto]) -> list[Any]:
    count = len(list(folder.glob(f"{what}_*.pb")))
    return [_read(folder / f"{what}_{i}.pb", declared[i]) for i in range(count)]


_PROTOS: dict[str, tuple[Any, Any]] = {
    "tensor_type": (TensorProto, numpy_helper.to_array),
    "sequence_type": (SequenceProto, numpy_helper.to_list),
    "optional_type": (OptionalProto, numpy_helper.to_optional),
}


def _read(path: Path, declared: ValueInfoProto) -> Any:
    proto, convert = _PROTOS[declared.type.WhichOneof("value")]
    return convert(proto.FromString(path.read_bytes()))


def verdict(case: Any, prepare: Callable[[Any], Any] = backend.prepare) -> tuple[State, str]:
    """Run one of onnx's test cases, and return the state and the reason."""
    try:
        model = prepare(case.model)
        for given, wanted in case.data_sets:
            inputs, expected = list(map(_array, given)), list(map(_array, wanted))
            found = model.run(inputs)
            if narrowed := _NARROWED.match(case.name):
                assert [y.shape for y in found] == [x.shape for x in expected] == [inputs[0].shape]
                defined = _in_range(inputs[0], is_signed=not narrowed[3], bits=int(narrowed[4]))
                expected, found = ([x[defined] for x in each] for each in (expected, found))
            _compare(case, expected, found)
    except UnsupportedError as error:
        return State.NOT_APPLICABLE, str(error)
    except Exception as error:
        return State.FAILED, f"{type(error).__name__}: {error}"
    return State.PASSED, ""


def _in_range(x: Any, *, is_signed: bool, bits: int) -> Any:
    """Return for each number whether an integer type of the given number of bits holds the number's integral part."""
    least, most = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if is_signed else (0, 2**bits - 1)
    return (x > least - 1) & (x < most + 1)


def _compare(case: Any, expected: list[Any], found: Sequence[Any]) -> None:
    if DRAWN.match(case.name):
        same = [(a.shape, a.dtype) for a in expected] == [(a.shape, a.dtype) for a in found]
        if not same:
            raise AssertionError("shapes or types differ")
    else:
        _compare_values(case, expected, found)


def _compare_values(case: Any, expected: list[Any], found: Sequence[Any]) -> None:
    """Check outputs, and sequences element by element, because onnx's runner skips elements of rank 0."""
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
