"""Tests of methods that `suanzi.fuse` decorates: programs for different `self`, lifetimes of objects and programs."""

from __future__ import annotations

import copy
import gc
import inspect
import weakref
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

import suanzi

pytestmark = pytest.mark.one_level

RUNS: list[str] = []  # one line per run of a function


def same(a: Any, b: Any) -> bool:
    return bool(suanzi.array_equal(a, b)) and a.dtype == b.dtype


def x_of(*shape: int) -> suanzi.Tensor:
    return suanzi.random.Generator(1).normal(shape)


class Layer:
    """A class of which each instance equals only itself."""

    def __init__(self, weight: suanzi.Tensor) -> None:
        self.weight = weight

    @suanzi.fuse
    def apply(self, x: Any, scale: float = 1.0) -> Any:
        """Return the operand times the weight and the scale."""
        RUNS.append("Layer.apply")
        return x * self.weight * scale

    @classmethod
    @suanzi.fuse
    def doubled(cls, x: Any) -> Any:
        return x * 2 if cls is Layer else x

    @staticmethod
    @suanzi.fuse
    def halved(x: Any) -> Any:
        return x / 2

    @property
    @suanzi.fuse
    def square(self) -> Any:
        return self.weight * self.weight


@dataclass(frozen=True)
class Affine:
    weight: Any
    bias: float
    name: str = "affine"
    rows: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        object.__setattr__(self, "rows", self.weight.shape[0])

    @suanzi.fuse
    def __call__(self, x: Any) -> Any:
        RUNS.append("Affine")
        return (x * self.weight + self.bias) / self.rows


@dataclass(eq=False)
class Inner:
    """A dataclass of which each instance equals only itself."""

    weight: Any
    rows: int = 2


@dataclass
class Outer:
    inner: Inner

    @suanzi.fuse
    def weighted(self, x: Any) -> Any:
        return x * self.inner.weight

    @suanzi.fuse
    def repeated(self, x: Any) -> Any:
        return x * self.inner.rows


@dataclass(slots=True)
class Slotted:
    weight: Any

    @suanzi.fuse
    def __call__(self, x: Any) -> Any:
        return x + self.weight


def with_late_field(slots: bool) -> Any:
    """Make a dataclass, with or without `__slots__`, whose objects get the field `bias` after they are made."""

    class Late:
        weight: Any
        bias: Any = field(init=False)

        @suanzi.fuse
        def apply(self, x: Any) -> Any:
            RUNS.append("Late")
            return x * self.weight + getattr(self, "bias", 0.0)

    return dataclass(slots=slots)(Late)


class Power:
    """A class whose instances are equal if their exponents are equal."""

    def __init__(self, exponent: int) -> None:
        self.exponent = exponent

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Power) and self.exponent == other.exponent

    def __hash__(self) -> int:
        return hash(self.exponent)

    @suanzi.fuse
    def __call__(self, x: Any) -> Any:
        RUNS.append("Power")
        return x**self.exponent + 1


@pytest.fixture(autouse=True)
def _no_runs() -> None:
    RUNS.clear()


def test_an_object_counts_as_itself() -> None:
    x, layers = x_of(5), [Layer(x_of(5) + i) for i in range(3)]
    for _ in range(2):
        for layer in layers:
            assert same(layer.apply(x, 2.5), x * layer.weight * 2.5)
            assert same(layer.apply(x, scale=0.5), x * layer.weight * 0.5)
    assert len(RUNS) == 6  # a call by keyword needs another program
    layers[0].weight[0] = 7.0
    assert same(layers[0].apply(x, 2.5), x * layers[0].weight * 2.5)


def test_the_fields_of_a_dataclass_are_arguments() -> None:
    x = x_of(4, 3)
    for bias in (0.5, -1.5):
        for scale in (1, 2):
            affine = Affine(x_of(4, 3) * scale, bias)
            assert same(affine(x), (x * affine.weight + bias) / 4)
    assert len(RUNS) == 1
    assert same(Affine(x, 0.5, "other")(x), (x * x + 0.5) / 4)
    assert len(RUNS) == 2
    for scale in (1, 2):
        slotted = Slotted(x * scale)
        assert same(slotted(x), x + x * scale)


@pytest.mark.parametrize("kind", [with_late_field(slots=False), with_late_field(slots=True)], ids=["dict", "slots"])
def test_fields_without_a_value(kind: Any) -> None:
    x, late = x_of(4), kind(x_of(4) + 1)
    for _ in range(3):
        assert same(late.apply(x), x * late.weight + 0.0)
    assert len(RUNS) == 1
    for bias in (2.5, x - 3):
        late.bias = bias
        for _ in range(3):
            assert same(late.apply(x), x * late.weight + bias)
    del late.bias
    assert same(late.apply(x), x * late.weight + 0.0)


def test_the_fields_of_a_field_are_arguments() -> None:
    x, outer = x_of(4), Outer(Inner(x_of(4) + 1))
    for weight, rows in ((x_of(4), 3), (x_of(4) - 2, 7), (2.5, 0), (x_of(4), 7)):
        for _ in range(2):
            assert same(outer.weighted(x), x * outer.inner.weight)
            assert same(outer.repeated(x), x * outer.inner.rows)
        outer.inner.weight, outer.inner.rows = weight, rows


def test_equal_objects_share_a_program() -> None:
    x = x_of(6)
    for _ in range(3):
        assert same(Power(3)(x), x**3 + 1)
        assert same(Power(2)(x), x**2 + 1)
    assert len(RUNS) == 2


def test_kinds_of_methods() -> None:
    x, layer = x_of(5), Layer(x_of(5))
    for _ in range(2):
        assert same(Layer.doubled(x), x * 2)
        assert same(layer.doubled(x), x * 2)
        assert same(Layer.halved(x), x / 2)
        assert same(layer.halved(x), x / 2)
        assert same(layer.square, layer.weight * layer.weight)


def test_an_attribute_of_the_class_is_the_function() -> None:
    x, layer = x_of(5), Layer(x_of(5))
    assert Layer.apply is Layer.__dict__["apply"]
    assert same(Layer.apply(layer, x), x * layer.weight)
    assert layer.apply == layer.apply
    assert hash(layer.apply) == hash(layer.apply)
    assert layer.apply != Layer(x).apply
    assert layer.apply.__self__ is layer
    assert layer.apply.__func__ is Layer.apply


def test_it_is_told_of_as_a_method() -> None:
    method = Layer(x_of(5)).apply
    assert (method.__name__, method.__qualname__, method.__doc__) == (
        "apply",
        "Layer.apply",
        "Return the operand times the weight and the scale.",
    )
    assert list(inspect.signature(method).parameters) == ["x", "scale"]
    assert list(inspect.signature(Layer.apply).parameters) == ["self", "x", "scale"]
    assert method.explain(x_of(5)).endswith("pass over (5,) (5 elements, 1 loop): 2 multiply")


def test_objects_are_not_kept_alive() -> None:
    layer = Layer(x_of(5))
    layer.apply(x_of(5))
    layer.apply(x_of(1))
    programs = Layer.apply._programs
    gone, kept, weight = weakref.ref(layer), len(programs), weakref.ref(layer.weight)
    del layer
    gc.collect()
    assert gone() is None
    assert weight() is None  # the programs also referred to `weight`
    assert len(programs) == kept - 2


def test_functions_among_the_arguments_are_not_kept_alive() -> None:
    fused, x = suanzi.fuse(lambda f, x: f(x) + 1), x_of(5)
    for _ in range(3):
        assert same(fused(lambda x: x * 2, x), x * 2 + 1)
    gc.collect()
    assert not fused._programs
    fused(suanzi.exp, x)
    fused(suanzi.exp, x)
    assert len(fused._programs) == 1
    call = lambda x: x * 3  # noqa: E731
    fused(call, x)
    del fused  # frees the function before the objects of its programs
    gc.collect()
    del call


def test_what_is_not_hashable() -> None:
    class Unhashable:
        __hash__ = None  # type: ignore[assignment]

        @suanzi.fuse
        def apply(self, x: Any) -> Any:
            return x

    with pytest.raises(suanzi.TypeMismatchError, match=r"fuse: unhashable type: 'Unhashable'.* suanzi\.tensor"):
        Unhashable().apply(x_of(3))
    with pytest.raises(suanzi.TypeMismatchError, match=r"fuse: .*memoryview.* must be hashable"):
        suanzi.fuse(lambda x, _: x + 1)(x_of(3), memoryview(np.array([1, 2])))


def test_objects_that_store_tensors() -> None:
    """A method that stores a computed tensor in its object runs without fusion."""

    class Recurrent:
        def __init__(self) -> None:
            self.state: Any = 0.0
            self.past: list[Any] = []
            self.last: dict[str, Any] = {}

        def plain(self, x: Any) -> Any:
            self.state = x + self.state
            self.past.append(self.state * 2)
            self.last["x"] = x
            self.count = len(self.past)
            return self.state * self.count

        fused = suanzi.fuse(plain)

    cell, expected = Recurrent(), Recurrent()
    for seed in range(4):
        x = x_of(3) + seed
        assert same(cell.fused(x), expected.plain(x))
        assert same(cell.state, expected.state)
        assert (cell.count, cell.last["x"] is x) == (seed + 1, True)
        assert all(map(same, cell.past, expected.past))
    assert "stores a tensor in an attribute" in cell.fused.explain(x_of(3))


def test_what_is_computed_leaves_as_a_result_alone() -> None:
    """A traced value that a function stores elsewhere cannot be used later. The use raises a TraceError."""
    stored = []

    @suanzi.fuse
    def function(x: Any) -> Any:
        stored.append(x * 2)
        return x + 1

    function(x_of(3))
    other = suanzi.fuse(lambda x: (x * 2, stored[0]))
    for use in (lambda: stored[0] + 1, lambda: suanzi.sum(stored[0]), lambda: other(x_of(3))):
        with pytest.raises(suanzi.TraceError, match="passes tensors on only as results"):
            use()


def known(function: Any, *args: Any) -> bool:
    """Return whether the core recognises a call of a fused function, so that no Python code reads the arguments."""
    return any(call(*args) is not None for call in function._known)


def test_methods_are_known_to_the_core() -> None:
    class Scaled(Layer):
        @suanzi.fuse
        def apply(self, x: Any, scale: float = 1.0) -> Any:
            return x * self.weight * scale

    layer, other, x = Scaled(x_of(5)), Scaled(x_of(5) + 1), x_of(5)
    for scale in (2.0, 3.0):
        assert same(layer.apply(x, scale), x * layer.weight * scale)
    assert known(Scaled.apply, layer, x, 4.0)
    assert not known(Scaled.apply, other, x, 4.0)
    assert not known(Scaled.apply, layer, x)


def test_methods_of_dataclasses_are_known_to_the_core() -> None:
    @dataclass
    class Line:
        slope: Any
        start: float
        steps: int = 2

        @suanzi.fuse
        def __call__(self, x: Any) -> Any:
            return x * self.slope * self.steps + self.start

    @dataclass
    class Other(Line):
        pass

    x = x_of(4, 3)
    assert same(Line(x, 0.5)(x), x * x * 2 + 0.5)
    assert known(Line.__call__, Line(x + 1, 1.5), x)
    assert same(Line(x + 1, 1.5)(x), x * (x + 1) * 2 + 1.5)
    for changed in (Line(x, 0.5, 3), Line(x_of(3), 0.5), Other(x, 0.5), Layer(x)):
        assert not known(Line.__call__, changed, x)
    assert same(Line(x, 0.5, 3)(x), x * x * 3 + 0.5)


def test_what_the_core_knows_of_an_object_goes_with_it() -> None:
    layer, x = Layer(x_of(5)), x_of(5)
    layer.apply(x)
    known = len(Layer.apply._known)
    del layer
    gc.collect()
    assert len(Layer.apply._known) < known


def test_a_method_is_copied_and_has_what_its_function_has() -> None:
    layer = Layer(x_of(5))
    assert copy.copy(layer.apply) == layer.apply
    assert layer.apply.__module__ == __name__
    assert layer.apply.__wrapped__.__self__ is layer
    with pytest.raises(AttributeError):
        _ = layer.apply.nothing
