"""The kit has probes of every aspect in the clauses, varies the calls that must fail, and finds faults."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
import pytest
from mutants import Function, Mutant

import suanzi
from suanzi.conformance import State, Suanzi, asked, check
from suanzi.conformance.probes.variations import KINDS
from suanzi.conformance.standard import standard

pytestmark = pytest.mark.one_level

OPERATORS = standard().operators
CLAUSES = files("suanzi.conformance").joinpath("clauses")
VARIATIONS = tomllib.loads(CLAUSES.joinpath("variations.toml").read_text("utf-8"))


@pytest.mark.parametrize("name", OPERATORS)
def test_no_stated_aspect_and_no_function_is_without_a_probe(name: str) -> None:
    provider = Suanzi()
    aspects, functions = set(), set()
    for function, probe in asked(name, provider):
        aspects.add(probe.aspect)
        functions.add(function)
    assert set(OPERATORS[name].aspects) <= aspects
    assert set(provider.functions(name)) <= functions


def test_every_kind_of_cause_is_varied_by_a_function() -> None:
    assert set(KINDS) == set(standard().variations)
    causes = {case.why for operator in OPERATORS.values() for case in operator.refused}
    assert {cause for kind in VARIATIONS["kind"].values() for cause in kind["causes"]} <= causes


@pytest.mark.parametrize("name", VARIATIONS["more"])
def test_further_calls_belong_to_a_cause(name: str) -> None:
    assert name in OPERATORS or name in _clauses("general")["family"]
    of_family = [o for o in OPERATORS.values() if name in (o.name, _family(o.name))]
    causes = {case.why for operator in of_family for case in operator.refused if case.more}
    assert set(VARIATIONS["more"][name]) <= causes


def _family(name: str) -> str:
    return str(_clauses(OPERATORS[name].category.key)[name].get("family", ""))


@cache
def _clauses(file: str) -> dict[str, Any]:
    return tomllib.loads(CLAUSES.joinpath(f"{file}.toml").read_text("utf-8"))


@pytest.mark.parametrize("kind", ["sparse", "quantized"])
def test_what_takes_other_tensors_has_probes(kind: str) -> None:
    provider = Suanzi()
    functions = {f for name in OPERATORS for f in provider.functions(name)}
    assert set(standard().operands[kind]) <= functions


# Faults.


def on(condition: Callable[..., bool], change: Callable[..., Any]) -> Callable[[Function], Function]:
    """Make a fault that calls `change` in place of the function for arguments that meet a condition."""

    def fault(function: Function) -> Function:
        def call(*args: Any, **options: Any) -> Any:
            try:
                odd = condition(*args, **options)
            except Exception:
                odd = False
            return change(function, *args, **options) if odd else function(*args, **options)

        return call

    return fault


def dense(x: Any) -> Any:
    return x.to_dense() if isinstance(x, suanzi.SparseTensor) else x


def clipped(function: Function, x: Any, axis: Any = None, **options: Any) -> Any:
    return function(x, axis=max(-x.ndim, min(x.ndim - 1, axis)), **options)


def wrapped(function: Function, x: Any, y: Any, **options: Any) -> Any:
    return function(x, y % 256, **options)


def coo_without_duplicates(function: Function, *args: Any, **options: Any) -> Any:
    x = args[0]
    places, first = np.unique(x.indices.numpy(), axis=0, return_index=True)
    return function(suanzi.sparse_tensor(x.shape, places, x.values.numpy()[first]), *args[1:], **options)


def destroyed_with(function: Function, x: Any) -> Any:
    """Return the operand itself as the result."""
    return x


def with_status(error: type[Exception]) -> Callable[..., Any]:
    def change(function: Function, *args: Any, **options: Any) -> Any:
        try:
            return function(*args, **options)
        except suanzi.SuanziError as refusal:
            raise error(str(refusal)) from None

    return change


def is_tensor(*args: Any, **options: Any) -> bool:
    return isinstance(args[0], suanzi.Tensor)


FAULTS: dict[str, tuple[str, Callable[[Function], Function], str]] = {
    "an axis far before the first is the first": (
        "flip",
        on(lambda x, axis=None: isinstance(axis, int) and axis < -x.ndim - 1, clipped),
        "statuses",
    ),
    "an axis of 2^31 is taken for the last": (
        "unstack",
        on(lambda x, axis=0: isinstance(axis, int) and axis > 2**30, lambda f, x, axis=0: f(x, axis=-1)),
        "statuses",
    ),
    "shapes that do not fit are refused otherwise in float64": (
        "add",
        on(lambda x, y, **_: x.dtype is suanzi.float64, with_status(suanzi.InvalidArgumentError)),
        "statuses",
    ),
    "300 is 44 in uint8": (
        "add",
        on(lambda x, y, **_: x.dtype is suanzi.uint8 and isinstance(y, int) and y > 255, wrapped),
        "statuses",
    ),
    "the third tensor is not looked at": (
        "concat",
        on(
            lambda x, axis=0, **_: len(x) == 3 and x[2].shape[1:] != x[0].shape[1:],
            lambda f, x, axis=0, **_: f([*x[:2]], axis),
        ),
        "statuses",
    ),
    "a matrix and a vector that do not fit": (
        "matmul",
        on(
            lambda a, b, **_: b.ndim == 1 and a.shape[-1] > b.shape[0],
            lambda f, a, b, **_: f(a[..., : b.shape[0]], b),
        ),
        "statuses",
    ),
    "the result is the operand": ("clone", on(is_tensor, destroyed_with), "ownership"),
    "elements of duplicate coordinates are lost": (
        "abs",
        on(lambda x, **_: isinstance(x, suanzi.SparseTensor) and not x.is_coalesced, coo_without_duplicates),
        "sparse",
    ),
    "a number on the left has the type of a number": (
        "maximum",
        on(
            lambda x, y, **_: isinstance(x, int) and y.dtype is suanzi.int8,
            lambda f, x, y, **_: f(suanzi.tensor(x, dtype="int32"), y),
        ),
        "scalars",
    ),
    "the second type alone counts": (
        "concat",
        on(
            lambda x, axis=0, **_: x[0].dtype is suanzi.float64 and x[1].dtype is suanzi.float32,
            lambda f, x, axis=0, **_: suanzi.astype(f(x, axis), "float32"),
        ),
        "promotion",
    ),
    "lines in five dimensions": (
        "subtract",
        on(
            lambda x, y, **_: max(x.ndim, y.ndim) == 5 and x.ndim != y.ndim,
            lambda f, x, y, **_: f(x, suanzi.flip(y)),
        ),
        "broadcasting",
    ),
    "the last index but one": (
        "gather",
        on(
            lambda x, index, axis=0: axis == -3,
            lambda f, x, index, axis=0: f(x, index, -2),
        ),
        "indices",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_found(name: str) -> None:
    operator, fault, aspect = FAULTS[name]
    provider = Mutant(operator, fault)
    found = (p.aspect for _, p in asked(operator, provider) if p.judge(provider).fault)
    assert aspect in set(found)


def encoded_off(function: Function) -> Function:
    """Return a function that truncates float64 operands to whole numbers before the call."""

    def call(x: Any, *args: Any, **options: Any) -> Any:
        if isinstance(x, suanzi.Tensor) and x.dtype is suanzi.float64:
            x = suanzi.trunc(x)
        return function(x, *args, **options)

    return call


def test_a_fault_of_quantized_numbers_is_found() -> None:
    assert check("quantized_tensor", Mutant("quantize", encoded_off)).state is State.FAIL


def test_a_provider_that_takes_no_sparse_operands_passes() -> None:
    class Dense(Suanzi):
        claims = Suanzi.claims - {"sparse operands", "quantized operands"}

        def find(self, operator: str) -> Function | None:
            found = super().find(operator)
            if operator != "negative" or found is None:
                return found

            def call(x: Any, **options: Any) -> Any:
                if not isinstance(x, suanzi.Tensor):
                    raise suanzi.TypeMismatchError("no dense tensor")
                return found(x, **options)

            return call

    verdict = check("subtract", Dense())
    assert verdict.faults == []
