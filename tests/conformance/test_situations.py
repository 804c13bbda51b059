"""The kit's probes of situations, such as large operands or shared memory, find faults in operators of every family."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import suanzi
from suanzi.conformance.operands import Given
from suanzi.conformance.oracle.models import models
from suanzi.conformance.probe import Finding
from suanzi.conformance.probes import situations, sparse_operands
from suanzi.conformance.providers.suanzi import Suanzi
from suanzi.conformance.standard import standard

Function = Callable[..., Any]


class Faulty(Suanzi):
    """Suanzi with a fault in one function."""

    def __init__(self, name: str, fault: Callable[[Function], Function]) -> None:
        found = super().find(name)
        assert found is not None
        self.faulty, self.function = name, fault(found)

    def find(self, operator: str) -> Function | None:
        return self.function if operator == self.faulty else super().find(operator)


def findings(name: str, provider: Suanzi, aspects: tuple[str, ...] = ()) -> list[Finding]:
    """Return the faults that the situation probes of a function find.

    If `aspects` is not empty, run only the probes of these aspects.
    """
    probes = situations.probes(name, provider.element_types, telling=True)
    judged = (probe.judge(provider) for probe in probes if not aspects or probe.aspect in aspects)
    return [found for found in judged if found.fault is not None]


def _first(operands: tuple[Any, ...]) -> Any:
    first = operands[0][0] if isinstance(operands[0], list) else operands[0]
    return first if isinstance(first, suanzi.Tensor) else None


def _replaced(result: Any, change: Callable[[np.ndarray], None]) -> Any:
    if isinstance(result, tuple):
        return (_replaced(result[0], change), *result[1:])
    array = result.numpy().copy()
    change(array)
    return suanzi.tensor(array)


def wrong_where(holds: Callable[[Any], bool], place: int = -1) -> Callable[[Function], Function]:
    """Make a fault that changes one element of the result if a condition holds for the first tensor."""

    def change(array: np.ndarray) -> None:
        flat = array.reshape(-1)
        if flat.size:
            flat[place] = ~flat[place] if array.dtype == bool else flat[place] + 1

    def fault(function: Function) -> Function:
        def call(*operands: Any, **options: Any) -> Any:
            result = function(*operands, **options)
            first = _first(operands)
            numbers = first is not None and first.dtype not in (suanzi.string,) and "out" not in options
            return _replaced(result, change) if numbers and holds(first) else result

        return call

    return fault


def axis_changed(change: Callable[[Any], Any]) -> Callable[[Function], Function]:
    """Make a fault that replaces the parameter `axis` by `change` of the axis."""

    def fault(function: Function) -> Function:
        def call(*operands: Any, **options: Any) -> Any:
            if "axis" in options:
                options["axis"] = change(options["axis"])
            return function(*operands, **options)

        return call

    return fault


def cached(function: Function) -> Function:
    """Return a function that returns the result of an earlier call with operands of the same shapes and types."""
    known: dict[Any, Any] = {}

    def call(*operands: Any, **options: Any) -> Any:
        key = repr([(getattr(x, "shape", x), getattr(x, "dtype", "")) for x in operands]), repr(options)
        if "out" in options or not isinstance(operands[0], suanzi.Tensor):
            return function(*operands, **options)
        return known.setdefault(key, function(*operands, **options))

    return call


def one_memory(function: Function) -> Function:
    """Return a function that returns all results of one shape and type in the same memory."""
    known: dict[Any, np.ndarray] = {}

    def call(*operands: Any, **options: Any) -> Any:
        result = function(*operands, **options)
        if not isinstance(result, suanzi.Tensor) or result.dtype is suanzi.string or "out" in options:
            return result
        array = result.numpy()
        memory = known.setdefault((array.shape, array.dtype), np.empty_like(array))
        memory[...] = array
        return suanzi.from_reference(memory)

    return call


def in_place(function: Function) -> Function:
    """Return a function that reverses a first operand of type float32 and rank 3 in place after the call."""

    def call(*operands: Any, **options: Any) -> Any:
        result = function(*operands, **options)
        first = _first(operands)
        if first is not None and len(first.shape) == 3 and first.dtype is suanzi.float32 and "out" not in options:
            array = first.numpy()
            if array.flags.writeable:
                array[...] = array[::-1].copy()
        return result

    return call


def shared_alone(function: Function) -> Function:
    """Return a function that returns a wrong result if both operands are the same tensor."""

    def call(*operands: Any, **options: Any) -> Any:
        result = function(*operands, **options)
        pair = operands[0] if isinstance(operands[0], list) else operands
        wrong = len(pair) > 1 and pair[0] is pair[1] and "out" not in options
        return _replaced(result, lambda x: x.reshape(-1).__setitem__(0, x.reshape(-1)[1])) if wrong else result

    return call


def copied_output(function: Function) -> Function:
    """Return a function that writes the output tensor and returns a copy of the tensor."""

    def call(*operands: Any, **options: Any) -> Any:
        result = function(*operands, **options)
        return suanzi.clone(result) if "out" in options else result

    return call


def unwritten_output(function: Function) -> Function:
    """Return a function that ignores an output tensor with gaps between elements."""

    def call(*operands: Any, **options: Any) -> Any:
        out = options.get("out")
        if out is not None and not suanzi.is_contiguous(out):
            return function(*operands, **{key: value for key, value in options.items() if key != "out"})
        return function(*operands, **options)

    return call


def left_scalars(function: Function) -> Function:
    """Return a function that converts a number as the first operand to float32 and back before the call."""

    def call(*operands: Any, **options: Any) -> Any:
        if type(operands[0]) in (int, float):
            operands = (type(operands[0])(np.float32(operands[0])), *operands[1:])
        return function(*operands, **options)

    return call


@dataclass
class Kind:
    """A fault, and the functions that have the fault."""

    fault: Callable[[Function], Function]
    functions: tuple[str, ...]
    aspects: tuple[str, ...] = ()


KINDS = {
    "large": Kind(
        wrong_where(lambda x: x.size > 100_000),
        (
            "add",
            "exp",
            "astype",
            "reduce",
            "cumulative_sum",
            "sort",
            "gather",
            "concat",
            "transpose",
            "scatter",
            "where",
        ),
    ),
    "rank": Kind(
        wrong_where(lambda x: len(x.shape) >= 4, 1),
        ("multiply", "flip", "pad", "tile", "slice", "split", "stack", "argmax", "take_along_axis", "expand_dims"),
    ),
    "axes": Kind(
        axis_changed(lambda axis: axis % 2 if isinstance(axis, int) and axis < -1 else axis),
        ("reduce", "cumulative_sum", "argsort", "concat", "stack", "unstack", "flip", "scatter", "index_select"),
    ),
    "tuples": Kind(
        axis_changed(lambda axis: axis[:1] if isinstance(axis, tuple) and len(axis) > 1 else axis),
        ("reduce", "flip", "roll", "count_nonzero", "squeeze"),
    ),
    "expanded": Kind(
        wrong_where(lambda x: any(n > 1 and s == 0 for n, s in zip(x.shape, x.numpy().strides, strict=True))),
        ("add", "sum", "reshape", "sort", "gather", "clone"),
    ),
    "the same tensor twice": Kind(shared_alone, ("add", "maximum", "concat", "hypot")),
    "state": Kind(cached, ("add", "exp", "reduce", "flip", "sort", "isnan", "astype")),
    "one memory": Kind(one_memory, ("add", "exp", "reduce", "sort", "pad", "tile", "log")),
    "unchanged": Kind(in_place, ("add", "reduce", "sort", "concat", "cumulative_sum", "flip")),
    "output returned": Kind(copied_output, ("add", "reduce", "argsort", "cumulative_sum", "concat", "where", "trace")),
    "output with gaps": Kind(unwritten_output, ("add", "exp", "cumulative_sum", "stack", "scatter", "argsort")),
    "numbers on the left": Kind(left_scalars, ("add", "multiply", "subtract", "maximum", "atan2")),
}


@pytest.mark.parametrize(("kind", "function"), [(kind, name) for kind, row in KINDS.items() for name in row.functions])
def test_a_kind_of_fault_is_found(kind: str, function: str) -> None:
    assert findings(function, Faulty(function, KINDS[kind].fault))


@pytest.mark.parametrize("function", ["add", "reduce", "astype", "concat", "sort", "full", "scatter", "clip", "unique"])
def test_the_library_passes(function: str) -> None:
    assert findings(function, Suanzi()) == []


# Operators without element values, with random values, or with several right results (decompositions).
WITHOUT = {"destroy", "is_contiguous", "uniform", "normal", "bernoulli", "multinomial", "randperm", "sparse_tensor"}
WITHOUT |= {"quantized_tensor", "lu", "cholesky", "qr", "svd", "eig", "lstsq", "solve", "inv", "matrix_norm"}


def test_operators_have_models() -> None:
    missing = {name for name in standard().operators if not models(name)} - WITHOUT
    assert not missing, missing


def test_a_changed_operand_is_a_fault_of_its_own() -> None:
    found = findings("add", Faulty("add", in_place))
    assert "unchanged" in {finding.aspect for finding in found}


def of_zeros(function: Function) -> Function:
    """Make each call turn the zeros of its first operand into zeros without a sign."""

    def call(*operands: Any, **options: Any) -> Any:
        result = function(*operands, **options)
        x = operands[0]
        if isinstance(x, suanzi.Tensor) and x.dtype.kind in "fc" and options.get("out") is not x:
            kept, array = suanzi.clone(result), x.numpy()
            with suppress(suanzi.SuanziError, ValueError):  # the operand is expanded or read-only
                x[...] = suanzi.tensor(array + array.dtype.type(0))
                return kept
        return result

    return call


@pytest.mark.parametrize("name", ["abs", "add"])
def test_a_zero_of_an_operand_that_loses_its_sign_is_a_fault(name: str) -> None:
    assert "unchanged" in {finding.aspect for finding in findings(name, Faulty(name, of_zeros))}


@pytest.mark.parametrize("element_type", ["float16", "bfloat16", "float32", "complex128"])
def test_a_changed_operand_is_restored(element_type: str) -> None:
    before = suanzi.full((3,), -0.0, dtype=element_type).numpy()
    if element_type == "complex128":
        before.imag = [-0.0, np.nan, 1]
    given, array = Given(Suanzi()), before.copy()
    given(array)
    assert given.changed() is None
    array *= -1
    assert array.tobytes() != before.tobytes()
    assert given.changed() == "operand 0 was changed by a call that succeeded"
    assert array.tobytes() == before.tobytes() or np.isnan(before).any()
    assert given.changed() is None


def test_a_fault_of_state_is_said_to_be_one() -> None:
    found = findings("exp", Faulty("exp", one_memory))
    assert any(finding.of_state for finding in found)


class Rounding(Faulty):
    """A library that rounds functions of sparse tensors differently from functions of dense tensors."""

    claims = Suanzi.claims - {"correct rounding", "repetition"}

    def __init__(self, name: str, share: float) -> None:
        def fault(function: Function) -> Function:
            def rounded(x: Any, *others: Any) -> Any:
                found = function(x, *others)
                return found * (1 + share) if isinstance(found, suanzi.SparseTensor) else found

            return rounded

        super().__init__(name, fault)


@pytest.mark.parametrize(("name", "share", "is_found"), [
    ("sinh", 0.0, False), ("sinh", 2.0**-22, False), ("sinh", 1e-5, True),
    ("negative", 0.0, False), ("multiply", 0.0, False),  # an element that is not stored cannot be -0
])  # fmt: skip
def test_sparse_results_of_a_library_that_rounds(name: str, share: float, is_found: bool) -> None:
    provider = Rounding(name, share)
    probes = sparse_operands.probes(name, frozenset(("float32",)))
    assert any(probe.judge(provider).fault for probe in probes) == is_found
