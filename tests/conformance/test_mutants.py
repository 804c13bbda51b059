"""The kit finds faults that the library once had: providers that have one of them fail."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import prod
from typing import Any

import numpy as np
import pytest

import suanzi
import suanzi.conformance
from suanzi.cli.main import main
from suanzi.conformance.provider import Suanzi
from suanzi.conformance.runner import State, check

Function = Callable[..., Any]


class Mutant(Suanzi):
    """The library with one function replaced by what `fault` makes of it."""

    def __init__(self, operator: str, fault: Callable[[Function], Function]) -> None:
        self.operator, self.fault = operator, fault

    def find(self, operator: str) -> Function | None:
        found = super().find(operator)
        return self.fault(found) if found is not None and operator == self.operator else found


def with_a_lost_order(function: Function) -> Function:
    """Dimensions of size 1 and empty tensors lie in the default order."""

    def call(*operands: Any, layout: Any = None, **options: Any) -> Any:
        result = function(*operands, layout=layout, **options)
        if layout is None or not {0, 1} & {*result.shape}:
            return result
        return function(*operands, **options)

    return call


def with_memory_left_over(function: Function) -> Function:
    """Flat initialisers do not arrive where a dimension has size 1."""

    def call(data: Any, *rest: Any, layout: Any = None, **options: Any) -> Any:
        result = function(data, *rest, layout=layout, **options)
        if layout is not None and 1 in result.shape and result.size > 1 and result.dtype is not suanzi.string:
            result[...] = 12345
        return result

    return call


def with_empty_strings(function: Function) -> Function:
    def call(data: Any, *rest: Any, layout: Any = None, **options: Any) -> Any:
        result = function(data, *rest, layout=layout, **options)
        if layout is not None and 1 in result.shape and result.dtype is suanzi.string:
            result[...] = "0"
        return result

    return call


def with_other_codes(function: Function) -> Function:
    def call(shape: Any, data: Any = None, *, layout: Any = None, **options: Any) -> Any:
        if layout is None or 1 not in shape or data is None:
            return function(shape, data, layout=layout, **options)
        return function(shape, [0.0] * prod(shape), layout=layout, **options)

    return call


def with_lists_by_float64(function: Function) -> Function:
    def call(data: Any, *rest: Any, **options: Any) -> Any:
        given = np.array(data, np.float64) if isinstance(data, list) and data and isinstance(data[0], int) else data
        wanted = options.pop("dtype", None)
        result = function(given, *rest, **options)
        return result if wanted is None else suanzi.astype(result, wanted)

    return call


def unchecked(function: Function) -> Function:
    """Data become the type that is asked for, whatever is lost."""

    def call(data: Any, *rest: Any, dtype: Any = None, **options: Any) -> Any:
        if dtype is None or isinstance(data, list):
            return function(data, *rest, dtype=dtype, **options)
        return suanzi.astype(function(data, *rest, **options), dtype)

    return call


def with_infinities(function: Function) -> Function:
    """Numbers beyond a floating type become infinite without a word."""

    def call(*operands: Any, dtype: Any = None, **options: Any) -> Any:
        if dtype is None or suanzi.as_dtype(dtype).kind_name != "real floating":
            return function(*operands, dtype=dtype, **options)
        return suanzi.astype(function(*operands, dtype="float64", **options), dtype)

    return call


def with_rounded_counts(function: Function) -> Function:
    def call(p: Any, *rest: Any, **options: Any) -> Any:
        return suanzi.astype(function(suanzi.astype(p, "float64"), *rest, **options), p.dtype)

    return call


def with_bytes_left_over(function: Function) -> Function:
    def call(*operands: Any, **options: Any) -> Any:
        result = function(*operands, **options)
        if result.dtype is suanzi.bool and result.size > 0:
            result.numpy().view(np.uint8)[...] = 7
        return result

    return call


def with_bytes_summed(function: Function) -> Function:
    def call(x: Any, *rest: Any, **options: Any) -> Any:
        if x.dtype is suanzi.bool and x.ndim == 1 and not rest and not options:
            return suanzi.tensor(int(x.numpy().view(np.uint8).sum()), dtype="int64")
        return function(x, *rest, **options)

    return call


MUTANTS: dict[str, tuple[str, str, Callable[[Function], Function], str]] = {
    "tensor loses the order": ("tensor", "tensor", with_a_lost_order, "order"),
    "from_reference loses the order": ("from_reference", "from_reference", with_a_lost_order, "order"),
    "zeros loses the order": ("zeros", "zeros", with_a_lost_order, "has order"),
    "empty loses the order": ("empty", "empty", with_a_lost_order, "has order"),
    "full loses the order": ("full", "full", with_a_lost_order, "has order"),
    "quantized_tensor loses the order": ("quantized_tensor", "quantized_tensor", with_a_lost_order, "order"),
    "tensor gives memory left over": ("tensor", "tensor", with_memory_left_over, "gave 12345"),
    "strings come out empty": ("tensor", "tensor", with_empty_strings, "strings"),
    "codes come out wrong": ("quantized_tensor", "quantized_tensor", with_other_codes, "in every logical order"),
    "uint64 by way of float64": ("tensor", "tensor", with_lists_by_float64, "as uint64"),
    "int64 by way of float64": ("tensor", "tensor", with_lists_by_float64, "as int64"),
    "empty holds other bytes": ("empty", "empty", with_bytes_left_over, "bytes other than 0 and 1"),
    "sum adds bytes": ("from_reference", "sum", with_bytes_summed, "true bytes sum to 7000"),
    "typed data are cast": ("tensor", "tensor", unchecked, "not refused with TYPE_MISMATCH"),
    "typed data wrap": ("tensor", "tensor", unchecked, "not refused with OUT_OF_RANGE"),
    "full gives inf": ("full", "full", with_infinities, "not refused with OUT_OF_RANGE"),
    "tensor gives inf": ("tensor", "tensor", with_infinities, "not refused with OUT_OF_RANGE"),
    "linspace gives inf": ("linspace", "linspace", with_infinities, "not refused with INVALID_ARGUMENT"),
    "multinomial rounds counts": ("multinomial", "multinomial", with_rounded_counts, "draws of one class"),
}


@pytest.mark.parametrize("name", MUTANTS)
def test_a_fault_is_found(name: str) -> None:
    operator, replaced, fault, words = MUTANTS[name]
    verdict = check(operator, Mutant(replaced, fault))
    assert verdict.state is State.FAIL
    assert any(words in found for found in verdict.faults), verdict.faults


def unchanged(function: Function) -> Function:
    def call(*operands: Any, **options: Any) -> Any:
        return function(*operands, **options)

    return call


@pytest.mark.parametrize("operator", sorted({row[0] for row in MUTANTS.values()}))
def test_a_mutant_without_a_fault_passes(operator: str) -> None:
    assert check(operator, Mutant(operator, unchanged)).state is State.PASS


def without(function: Function) -> None:
    """The provider has no such operator."""


@pytest.mark.parametrize(
    ("fault", "status", "summary"),
    [
        (unchanged, 0, "2 pass, 0 fail, 0 not yet"),
        (with_infinities, 1, "1 pass, 1 fail, 0 not yet"),
        (without, 1, "1 pass, 0 fail, 1 not yet"),
    ],
)
def test_the_command_fails_unless_all_pass(
    fault: Any, status: int, summary: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(suanzi.conformance, "run", partial(suanzi.conformance.run, Mutant("full", fault)))
    assert main(["conformance", "full", "sin"]) == status
    assert capsys.readouterr().out.splitlines()[-1] == summary
