"""Fused functions see changes of their arguments, and arguments that differ only in small ways."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

import suanzi
from suanzi import Tensor, UninitializedObjectError

X = suanzi.tensor([3.0, 1.0, 2.0])


# --- changes of containers among the arguments ---


@dataclass
class Momentum:
    velocity: Tensor
    calls: int = 0

    def step(self, x: Any) -> Any:
        self.velocity = self.velocity * 0.5 + x
        self.calls += 1
        return self.velocity * 1


def test_fields_of_a_dataclass() -> None:
    fused, plain = Momentum(suanzi.zeros(3)), Momentum(suanzi.zeros(3))
    step = suanzi.fuse(Momentum.step)
    for _ in range(3):
        assert step(fused, X).tolist() == plain.step(X).tolist()
    assert fused.velocity.tolist() == plain.velocity.tolist()
    assert fused.calls == 3


def _assigned(x: Any, state: dict[str, Any]) -> Any:
    state["m"] = state["m"] * 0.9 + x * 0.1
    return state["m"] * 1


def _added(x: Any, state: dict[str, Any]) -> Any:
    state[f"y{len(state)}"] = x * 2
    return x + 1


def _appended(x: Any, state: dict[str, Any]) -> Any:
    state["parts"].append(x * 2)
    return x * len(state["parts"])


def _removed(x: Any, state: dict[str, Any]) -> Any:
    state["parts"].pop()
    return x * len(state["parts"])


@pytest.mark.parametrize("function", [_assigned, _added, _appended, _removed])
def test_elements_of_lists_and_dicts(function: Any) -> None:
    def state() -> dict[str, Any]:
        return {"m": suanzi.ones(3), "parts": [suanzi.ones(3)] * 5}

    def text(x: Any) -> str:
        return repr(x)

    fused, (first, second) = suanzi.fuse(function), (state(), state())
    for _ in range(3):
        assert text(fused(X, first)) == text(function(X, second))
        assert text(first) == text(second)


def test_a_function_that_changes_nothing_is_still_fused() -> None:
    fused = suanzi.fuse(lambda x, state: x * state["a"][0] + state["b"])
    state = {"a": [X, 2, "c"], "b": 0.5}
    fused(X, state)
    assert fused.explain(X, state).startswith("1 fused part")


def test_an_iterator() -> None:
    items = iter([1.0, 2.0, 3.0])
    fused = suanzi.fuse(lambda x, items: x * next(items))
    for factor in (1, 2, 3):
        assert fused(X, items).tolist() == (X * factor).tolist()


# --- keys ---


class Price(float):
    def __repr__(self) -> str:
        return f"{float(self):.1f}"


class Turn(complex):
    def __repr__(self) -> str:
        return "turn"


class Length(float):
    unit: str


def length(value: float, unit: str) -> Length:
    made = Length(value)
    made.unit = unit
    return made


PAIRS: list[tuple[Any, Any, Any]] = [
    (lambda x, n: x * float(n / np.timedelta64(1, "s")), np.timedelta64(1, "m"), np.timedelta64(1, "h")),
    (lambda x, n: x * float(n.astype("M8[D]").astype(int)), np.datetime64(1, "D"), np.datetime64(1, "Y")),
    (lambda x, n: x * len(n.dtype.names[0]), *(np.array((1,), [(name, "i4")])[()] for name in ("a", "bc"))),
    (lambda x, n: x * float(n), Price(1.01), Price(1.02)),
    (lambda x, n: x * n.imag, Turn(1, 1), Turn(1, 2)),
    (lambda x, n: x * (1000 if n.unit == "km" else 1), length(2, "m"), length(2, "km")),
    (lambda x, n: suanzi.copysign(x, float(n)), Decimal("0"), Decimal("-0")),
]


@pytest.mark.parametrize(("function", "first", "second"), PAIRS)
def test_arguments_that_are_nearly_equal(function: Any, first: Any, second: Any) -> None:
    fused = suanzi.fuse(function)
    for argument in (first, second, first):
        assert fused(X, argument).tolist() == function(X, argument).tolist()


# --- text, numbers and destroyed tensors ---


@pytest.mark.parametrize("text", [str, repr, format, lambda x: f"{x}"])
def test_text_of_a_tensor(text: Any) -> None:
    fused = suanzi.fuse(lambda x: (x * len(text(x[:2])), text(x)))
    expected = (X * len(text(X[:2])), text(X))
    for _ in range(2):
        found = fused(X)
        assert found[0].tolist() == expected[0].tolist()
        assert found[1] == expected[1]


def test_text_of_a_tensor_that_depends_on_no_argument() -> None:
    weights = suanzi.tensor([1.0, 2.0])

    def scaled(x: Any) -> Any:
        return x * (2.0 if str(weights * 1) == "[1. 2.]" else 0.0)

    assert suanzi.fuse(scaled)(X).tolist() == (X * 2).tolist()


def test_a_float_that_leaves_its_call() -> None:
    suanzi.fuse(Holder.keep)(Holder(), X, 2.0)
    rate = Holder.rate
    assert (float(rate), repr(rate), rate > 1, rate * 3, 3 - rate, round(rate)) == (2.0, "2.0", True, 6.0, 1.0, 2)
    with pytest.raises(TypeError):
        [1, 2][rate]
    runs = []

    def other(x: Any) -> Any:
        runs.append(x)
        return x * (2.0 if rate > 1 else 3.0)

    assert suanzi.fuse(other)(X).tolist() == (X * 2).tolist()
    assert len(runs) == 1


class Holder:
    rate: Any = None

    def keep(self, x: Any, rate: float) -> Any:
        Holder.rate = rate
        return x * rate


def test_quantize_within_a_function() -> None:
    def quantized(x: Any) -> Any:
        try:
            return (x * 2).quantize()
        except TypeError:
            return x

    fused = suanzi.fuse(quantized)
    for _ in range(2):
        assert suanzi.array_equal(fused(X), quantized(X))
    assert "not traced" not in fused.explain(X)


def test_a_destroyed_argument() -> None:
    x = suanzi.ones(3)
    suanzi.destroy(x)
    assert suanzi.fuse(lambda x: 3)(x) == 3
    for function in (lambda x: x * 2, suanzi.fuse(lambda x: x * 2)):
        with pytest.raises(UninitializedObjectError, match="multiply: the tensor has been destroyed"):
            function(x)


# --- objects that hold more than their fields ---


@dataclass
class Output(OrderedDict[str, Any]):
    """A result that is a dict with fields, as in some libraries of models."""

    scale: float = 1.0


@dataclass
class Measured(float):  # type: ignore[misc]
    """A number with a field."""

    unit: str = "m"


class _Slotted:
    __slots__ = ("__hidden", "weight")

    def __init__(self, weight: Any) -> None:
        self.weight = self.__hidden = weight

    def hidden(self) -> Any:
        return self.__hidden


@dataclass
class Layer(_Slotted):
    bias: float = 1.0

    def __init__(self, weight: Any) -> None:
        super().__init__(weight)


@dataclass
class Options:
    a: float = 1.0
    b: float = 2.0


def test_dataclasses_that_are_also_containers_or_numbers() -> None:
    def scaled(d: Any, x: Any) -> Any:
        return x * d["a"] * d.scale

    fused = suanzi.fuse(scaled)
    for value in (7.0, 8.0, X):
        d = Output()
        d["a"] = value
        assert fused(d, X).tolist() == scaled(d, X).tolist()
    measured = suanzi.fuse(lambda length, x: x * float(length))
    for number in (2.0, 3.0):
        length = Measured.__new__(Measured, number)
        assert measured(length, X).tolist() == (X * number).tolist()

    def made(x: Any) -> Any:
        d = Output()
        d["y"] = x * 2
        return d

    assert suanzi.fuse(made)(X)["y"].tolist() == (X * 2).tolist()


def test_slots_of_a_base_class() -> None:
    fused = suanzi.fuse(lambda layer, x: x * layer.weight + layer.hidden() * layer.bias)
    for weight in (2.0, 5.0, X, X + 1):
        assert fused(Layer(weight), X).tolist() == (X * weight + weight * 1.0).tolist()


def test_an_attribute_in_place_of_a_field() -> None:
    def function(options: Any, x: Any) -> Any:
        return x * options.a * options.b * getattr(options, "k", 1)

    fused, other = suanzi.fuse(function), Options()
    fused(Options(), X)
    del other.b  # the class has the default value
    other.k = 100  # type: ignore[attr-defined]
    assert fused(other, X).tolist() == function(other, X).tolist()


def test_tensors_in_sets_and_keys() -> None:
    first, second = (suanzi.to_sparse(suanzi.tensor([[n, 0.0], [0.0, 2.0]])) for n in (1.0, 5.0))
    fused = suanzi.fuse(lambda some, x: x * sum(suanzi.sum(t) for t in some))
    for wrap in (lambda t: frozenset([t]), lambda t: {t: 1}):
        for t in (first, second):
            assert fused(wrap(t), X).tolist() == (X * suanzi.sum(t)).tolist()


def test_results_whose_attributes_are_tensors() -> None:
    class Number(float):
        tensor: Any

    def function(x: Any) -> Any:
        number = Number(2.0)
        number.tensor = x * 2
        return number

    assert suanzi.fuse(function)(X).tensor.tolist() == (X * 2).tolist()
