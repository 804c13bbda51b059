"""Tests of `suanzi.fuse`, except comparisons of bits: tracing, arguments, results, memory, and refused functions."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any, NamedTuple

import numpy as np
import pytest
from formulas import distances, layer_norm, softmax

import suanzi
from samples import fails
from suanzi import Status, TypeMismatchError

pytestmark = pytest.mark.one_level


class Counted:
    """A function that counts its calls."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function, self.runs = function, 0

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        self.runs += 1
        return self.function(*args, **kwargs)


def same(a: Any, b: Any) -> bool:
    return a.dtype == b.dtype and a.shape == b.shape and a.numpy().tobytes() == b.numpy().tobytes()


def x_of(*shape: int, seed: int = 1) -> suanzi.Tensor:
    return suanzi.random.Generator(seed).normal(shape)


# --- against NumPy in float64 ---


def test_against_numpy() -> None:
    x = x_of(70, 300)
    e = np.exp(x.numpy().astype(np.float64) - x.numpy().max(-1, keepdims=True))
    np.testing.assert_allclose(suanzi.fuse(softmax)(x).numpy(), e / e.sum(-1, keepdims=True), rtol=1e-6)
    a, b = x_of(40, 3).numpy().astype(np.float64), x_of(50, 3, seed=2).numpy().astype(np.float64)
    expected = np.sqrt(((a[:, None] - b[None]) ** 2).sum(-1))
    given = suanzi.fuse(distances)(suanzi.tensor(a), suanzi.tensor(b))
    np.testing.assert_allclose(given.numpy(), expected, rtol=1e-14)


@pytest.mark.parametrize(("function", "shapes"), [
    (softmax, [(64, 1000)]), (softmax, [(3, 5, 40_000)]), (softmax, [(7, 0)]), (softmax, [(0, 7)]),
    (layer_norm, [(128, 768), (768,), (768,)]), (layer_norm, [(4, 1, 768), (768,), (1,)]),
    (distances, [(300, 3), (200, 3)]), (distances, [(1, 3), (1, 3)]),
])  # fmt: skip
def test_blocks_of_rows(function: Callable[..., Any], shapes: list[tuple[int, ...]]) -> None:
    tensors = [x_of(*shape, seed=i + 1) for i, shape in enumerate(shapes)]
    fused = suanzi.fuse(function)
    if function is softmax and shapes == [(7, 0)]:
        for call in (function, fused):
            with pytest.raises(suanzi.InvalidArgumentError, match="no elements to choose from"):
                call(*tensors)
        return
    expected = function(*tensors)
    for _ in range(2):
        assert same(fused(*tensors), expected)


# --- when `fuse` traces ---


def test_once_for_a_signature() -> None:
    counted = Counted(lambda x, y: x * y + 1)
    fused = suanzi.fuse(counted)
    for x, y in ((x_of(5), x_of(5)), (x_of(5, seed=2), x_of(5, seed=3))):
        assert same(fused(x, y), x * y + 1)
    assert counted.runs == 1
    wide = x_of(4, 5)
    for x, y in ((x_of(5), 2), (wide, wide), (wide.T, wide.T), (suanzi.astype(wide, "float64"), wide)):
        assert same(fused(x, y), x * y + 1)
        assert same(fused(x, y), x * y + 1)
    assert counted.runs == 5


def test_floats_may_change() -> None:
    counted = Counted(lambda x, a, b: x * a + (2 * b - a))
    fused = suanzi.fuse(counted)
    x = x_of(9)
    for a, b in ((1.5, 2.0), (-0.0, 3.0), (float("inf"), 1.0), (float("nan"), 0.5)):
        assert same(fused(x, a, b), x * a + (2 * b - a))
    assert counted.runs == 1


@pytest.mark.parametrize("function", [
    lambda x, a: x**a,
    lambda x, a: x * (1.0 if a > 1 else 2.0),
    lambda x, a: x + float(a) ** 2,
    lambda x, a: x / (1 / a),
    lambda x, a: suanzi.astype(x, "int32") < a,
])  # fmt: skip
def test_floats_whose_value_is_needed(function: Callable[..., Any]) -> None:
    fused, x = suanzi.fuse(function), suanzi.abs(x_of(9))
    for a in (2.0, 0.5, 2.0, -1.5):
        assert same(fused(x, a), function(x, a))


def test_zeros_of_either_sign_and_equal_numbers() -> None:
    fused = suanzi.fuse(lambda x, a: suanzi.copysign(x, a) if isinstance(a, (int, bool)) else x**0 * a)
    x = x_of(3)
    assert fused(x, 0.0).tolist() == [0.0] * 3
    assert np.signbit(fused(x, -0.0).numpy()).all()
    kinds = suanzi.fuse(lambda x, a: x * 2 if a is True else x)
    assert same(kinds(x, True), x * 2)
    assert same(kinds(x, 1), x)


# --- arguments and results ---


class Pair(NamedTuple):
    first: Any
    second: Any


@dataclass
class Model:
    weight: Any
    scale: float


def test_trees() -> None:
    fused = suanzi.fuse(lambda m, d: {"sum": m.weight * m.scale + d["x"][0], "pair": Pair(d["x"][0], [d["x"][0] + 1])})
    x, w = x_of(4), x_of(4, seed=2)
    for _ in range(2):
        given = fused(Model(w, 2.5), {"x": (x,)})
        assert same(given["sum"], w * 2.5 + x)
        assert given["pair"].first is x
        assert isinstance(given["pair"].second, list)
        assert same(given["pair"].second[0], x + 1)


class Interval(tuple[Any, ...]):
    """A tuple whose constructor takes other arguments, and whose objects have an attribute."""

    factor: Any

    def __new__(cls, low: Any, high: Any) -> Interval:
        return super().__new__(cls, (low, high))


class Stack(list[Any]):
    """A list whose constructor takes other arguments."""

    def __init__(self, first: Any, second: Any) -> None:
        super().__init__([first, second])


class Axes(tuple[int, ...], Enum):
    ROWS = (0,)
    ALL = (0, 1)


@pytest.mark.parametrize("kind", [Interval, Stack])
def test_sequences_with_constructors_of_their_own(kind: Any) -> None:
    def function(s: Any) -> Any:
        assert type(s) is kind
        result = kind(s[0] * s.factor, s[1] + s[0])
        result.factor = s.factor
        return result

    fused, x = suanzi.fuse(function), x_of(4)
    for factor in (2, 3, x + 1):
        given = kind(x, x - 5)
        given.factor = factor
        for _ in range(2):
            found = fused(given)
            assert type(found) is kind
            assert same(found[0], x * factor)
            assert same(found[1], x + (x - 5))
            assert found.factor == factor if isinstance(factor, int) else same(found.factor, factor)


def test_sequences_of_other_kinds() -> None:
    """The members of an enumeration stay the same objects, and a type of C code gets its elements."""
    fused, x = (
        suanzi.fuse(lambda x, axes, when: suanzi.sum(x, axis=axes) * (axes is Axes.ALL) + when.tm_year),
        x_of(3, 4),
    )
    for axes in Axes:
        for year in (1970, 2024):
            when = time.struct_time((year, *[1] * 8))
            for _ in range(2):
                assert same(fused(x, axes, when), suanzi.sum(x, axis=axes) * (axes is Axes.ALL) + year)


@dataclass
class Labelled(list[Any]):
    """A list that is also a dataclass."""

    factor: float = 2.0


class Unequal(list[Any]):
    """A list that equals only itself."""

    __eq__ = object.__eq__
    __hash__ = object.__hash__  # type: ignore[assignment]


@pytest.mark.parametrize("kind", [Labelled, Unequal])
@pytest.mark.parametrize("first", [4, 4.0, x_of(3)])
def test_elements_of_other_lists_may_change(kind: Any, first: Any) -> None:
    fused, x, given = suanzi.fuse(lambda x, s: x * s[0]), x_of(3), kind()
    given.append(first)
    for element in (first, first, 100):
        given[0] = element
        assert same(fused(x, given), x * element)


class UnequalMap(dict[str, Any]):
    """A dictionary that equals only itself."""

    __eq__ = object.__eq__
    __hash__ = object.__hash__  # type: ignore[assignment]


class UnequalSet(set[Any]):
    """A set that equals only itself."""

    __eq__ = object.__eq__
    __hash__ = object.__hash__  # type: ignore[assignment]


@pytest.mark.parametrize("given", [UnequalMap(a=2.0), UnequalSet([2.0])])
def test_dictionaries_and_sets_with_a_hash_of_their_own_are_refused(given: Any) -> None:
    with fails(TypeMismatchError, "fuse"):
        suanzi.fuse(lambda x, s: x * len(s))(x_of(3), given)


def test_arguments_that_refer_to_themselves_are_not_traced() -> None:
    fused, x = suanzi.fuse(lambda x, s: x * s[0][0]), x_of(3)
    child = Stack(2.0, 3.0)
    parent = Stack(child, 1.0)
    child.parent = parent  # type: ignore[attr-defined]
    for factor in (2.0, 5.0):
        child[0] = factor
        out = suanzi.zeros_like(x)
        assert same(fused(x, parent), x * factor)
        assert same(fused(x, parent, out=out), x * factor)
        assert same(out, x * factor)
    assert "refers to itself" in fused.explain(x, parent)


def test_tensors_from_elsewhere() -> None:
    weight = x_of(4)
    fused = suanzi.fuse(lambda x: (x * weight, weight))
    x = x_of(3, 4, seed=2)
    fused(x)
    weight[0] = 7.0
    product, other = fused(x)
    assert same(product, x * weight)
    other[0] = 0.0  # a write into one result changes no later result
    assert same(fused(x)[1], weight)
    weight.destroy()
    with pytest.raises(suanzi.UninitializedObjectError):
        fused(x)


def test_tensors_from_elsewhere_and_numbers_alone() -> None:
    scale, weight = suanzi.tensor(0.5), x_of(4)
    function = lambda x, rate: x * (scale * rate) + suanzi.sqrt(scale) * (weight - rate)  # noqa: E731
    fused, x = suanzi.fuse(function), x_of(3, 4, seed=2)
    for rate in (2.0, 3.0):
        assert same(fused(x, rate), function(x, rate))
    assert fused.explain(x, 2.0).startswith("1 fused part")


def test_in_place_on_what_is_its_own() -> None:
    def function(x: Any) -> Any:
        y = x * 2
        z = y
        y += x
        return z

    x = x_of(5)
    expected = x * 2
    expected += x
    assert same(suanzi.fuse(function)(x), expected)


def test_operators_that_divide_it() -> None:
    def function(x: Any, w: Any) -> Any:
        hidden = suanzi.maximum(x @ w + 1, 0)
        return suanzi.sort(hidden * 2, axis=-1) - suanzi.topk(hidden, 2).values[:, :1]

    fused, x, w = suanzi.fuse(function), x_of(6, 5), x_of(5, 4)
    for _ in range(2):
        assert same(fused(x, w), function(x, w))
    assert "matmul: an operator of its own" in fused.explain(x, w)


def test_views_of_results_divide_it_and_those_of_arguments_do_not() -> None:
    fused = suanzi.fuse(lambda x: suanzi.sort(x)[1:] * x[:-1])
    x = x_of(6, 5)
    for _ in range(2):
        assert same(fused(x), suanzi.sort(x)[1:] * x[:-1])
    plan = fused.explain(x)
    assert plan.count("__getitem__: an operator of its own, which divides the program") == 1
    assert "__getitem__" not in suanzi.fuse(lambda x: x[1:].T[::2] * 2).explain(x)


def test_operators_whose_shape_depends_on_values() -> None:
    fused = suanzi.fuse(lambda x: suanzi.unique(x) * 2 + suanzi.masked_select(x, x > 1).shape[0])
    for values in ([1, 2, 2], [3, 3, 3], [1, 2, 3], [0, 0, 0]):
        x = suanzi.tensor(values, dtype="float32")
        expected = sorted({2.0 * value + sum(v > 1 for v in values) for value in values})
        assert fused(x).tolist() == expected


def test_what_asks_for_the_class() -> None:
    """While a function is traced, operands are instances of Tensor, and numbers are instances of float."""

    def function(x: Any, a: Any) -> Any:
        scale = a if isinstance(a, float) else 100.0
        return x * scale if isinstance(x, suanzi.Tensor) else x * 1000.0

    x = x_of(4)
    assert same(suanzi.fuse(function)(x, 2.5), x * 2.5)
    integers = suanzi.tensor([1, 2, 3], dtype="int32")
    for name in ("sqrt", "exp"):  # in the array API, these functions return float64 for integers
        operator = getattr(suanzi.array_api, name)
        assert same(suanzi.fuse(lambda x, f=operator: f(x))(integers), operator(integers))
    assert same(suanzi.fuse(suanzi.array_api.mean)(integers), suanzi.array_api.mean(integers))


def test_what_is_not_traced_runs_as_it_is() -> None:
    fused, x = suanzi.fuse(lambda x: x * 2 if hasattr(x, "strides") and x.strides == (4,) else x), x_of(3)
    assert same(fused(x), x * 2)
    assert (
        fused.explain(x) == "not traced, runs as it is: UntracedError: the attribute strides of a tensor is not traced"
    )


@pytest.mark.parametrize("function", [
    lambda x: suanzi.divide(x + 1, 3, rounding="floor") * 2,
    lambda x: suanzi.round(x * 10, 1) + 1,
    lambda x: suanzi.isclose(x * 2, x + x, rtol=1e-3),
    lambda x: suanzi.astype(x + 1, "float32", copy=False) * 2,
])  # fmt: skip
def test_parameters_do_not_divide(function: Callable[..., Any]) -> None:
    fused, x = suanzi.fuse(function), x_of(50)
    for _ in range(2):
        assert same(fused(x), function(x))
    assert fused.explain(x).count("pass over") == 1
    assert "of its own" not in fused.explain(x)


@pytest.mark.parametrize("name", [
    "erf", "erfc", "gelu", "log_softmax", "nanmax", "nansum", "relu", "sigmoid", "silu", "softmax", "softplus",
])  # fmt: skip
def test_extras_do_not_divide(name: str) -> None:
    function = getattr(suanzi.extras, name)
    fused, x = suanzi.fuse(lambda x: function(x * 2) + 1), x_of(30, 50)
    for _ in range(2):
        assert same(fused(x), function(x * 2) + 1)
    assert fused.explain(x).startswith("1 fused part, ")
    assert "of its own" not in fused.explain(x)


def test_extras_that_take_pieces_or_sequences() -> None:
    x = x_of(300, 200)
    for function in (
        lambda x: suanzi.extras.gelu(x * 2, approximate="tanh"),
        lambda x: suanzi.extras.hstack([x, x * 2]),
    ):
        fused = suanzi.fuse(function)
        assert same(fused(x), function(x))
        assert "not traced" not in fused.explain(x)


def test_a_cast_to_the_own_type_is_the_operand() -> None:
    def function(x: Any) -> Any:
        y = suanzi.astype(x, "float32", copy=False)
        y += 1
        return y

    with pytest.raises(suanzi.TraceError, match="an operand is changed"):
        suanzi.fuse(function)(x_of(3))


def test_products_that_no_memory_could_hold() -> None:
    """A product of more elements than memory holds raises ALLOC_FAILED, even if only a reduction reads the product."""
    wide = suanzi.expand(x_of(1), (2**40,))
    fused = suanzi.fuse(lambda x: suanzi.sum(x[:, None] * x[None, :], axis=-1))
    with pytest.raises(suanzi.AllocFailedError, match="multiply"):
        fused(wide)


def test_other_kinds_of_tensor() -> None:
    sparse = suanzi.to_sparse(suanzi.tensor([[0.0, 2.0], [3.0, 0.0]]))
    fused = suanzi.fuse(lambda a, x: a @ (x + 1))
    x = x_of(2, 3)
    for _ in range(2):
        assert same(fused(sparse, x), sparse @ (x + 1))
    text = suanzi.tensor(["a", "b"])
    joined = suanzi.fuse(lambda s, x: suanzi.where(s == "a", x, 0))
    assert same(joined(text, x_of(2)), suanzi.where(text == "a", x_of(2), 0))


def test_random_numbers_are_drawn_at_each_call() -> None:
    generator = suanzi.random.Generator(5)
    for draw in (lambda x: x + generator.normal(x.shape), lambda x: x + suanzi.normal((3,))):
        fused, x = suanzi.fuse(draw), suanzi.zeros(3)
        assert not same(fused(x), fused(x))
        assert fused.explain(x).startswith("not traced")
    assert same(suanzi.fuse(lambda x: x + suanzi.normal((3,), seed=4))(x), suanzi.normal((3,), seed=4))


def test_a_function_within_another() -> None:
    inner = suanzi.fuse(lambda x: x * 2 + 1)
    outer = suanzi.fuse(lambda x: inner(x) - inner(-x))
    x = x_of(7)
    assert same(outer(x), x * 2 + 1 - (-x * 2 + 1))
    assert outer.explain(x).count("pass over") == 1


def test_many_operators() -> None:
    """Fusion changes no bit of a function with more numbers and operands than the engine has registers."""

    def function(x: Any, *others: Any) -> Any:
        for i, y in enumerate(others):
            x = x * (0.5 + i / 7) + y * (i + 0.25)
        return x

    tensors = [x_of(400, seed=i + 1) for i in range(60)]
    fused = suanzi.fuse(function)
    for _ in range(2):
        assert same(fused(*tensors), function(*tensors))


# --- memory ---


def test_the_product_is_never_in_memory() -> None:
    """A fused function reduces a broadcast product (200 MB) without storing the product.

    The memory holds only the result and some blocks.
    """
    fused = suanzi.fuse(lambda x, y: suanzi.sum(suanzi.exp(-suanzi.square(x[:, None] - y[None, :])), axis=-1))
    x, y = x_of(5000), x_of(10_000, seed=2)
    fused(x, y)
    suanzi._core.reset_peak()
    before = suanzi._core.memory_statistics()["in_use"]
    fused(x, y)
    peak = suanzi._core.memory_statistics()["peak"] - before
    assert peak < x.nbytes + suanzi.get_num_threads() * 2 * 2**20


# --- refused functions ---


def _assigned(x: Any) -> Any:
    x[0] = 1
    return x


def _added(x: Any) -> Any:
    x += 1
    return x


@pytest.mark.parametrize(("function", "words"), [
    (lambda x: x if suanzi.sum(x) > 0 else -x, ": the line needs the values of a tensor, which are"),
    (lambda x: x * float(x[0]), "needs the values of a tensor"),
    (lambda x: x + (1 if suanzi.allclose(x, x) else 0), "allclose gives True"),
    (lambda x: suanzi.exp(x, out=x), "out is given"),
    (_assigned, "elements are assigned"),
    (_added, "an operand is changed"),
])  # fmt: skip
def test_refusals(function: Callable[..., Any], words: str) -> None:
    x = x_of(4)
    before = suanzi.clone(x)
    with pytest.raises(suanzi.TraceError, match=rf"fuse: test_fuse\.py:\d+: .*{words}") as caught:
        suanzi.fuse(function)(x)
    assert caught.value.status == Status.INVALID_ARGUMENT
    assert same(x, before)
    assert not suanzi._core.is_tracing()


def _caught(function: Callable[..., Any], errors: type[Exception]) -> Callable[..., Any]:
    """Return a function that catches the errors of `function`, and then returns zeros."""

    def attempt(x: Any, *numbers: float) -> Any:
        try:
            return function(x, *numbers)
        except errors:
            return x * 0

    return attempt


@pytest.mark.parametrize("errors", [ValueError, suanzi.SuanziError, Exception])
@pytest.mark.parametrize("function", [
    lambda x: x * 2 if suanzi.sum(x) > 0 else x,
    lambda x: x * float(x[0]),
    lambda x: x * (x.tolist()[0] + 1 / 0),
])  # fmt: skip
def test_refusals_that_the_function_catches(function: Callable[..., Any], errors: type[Exception]) -> None:
    with pytest.raises(suanzi.TraceError, match=r"fuse: test_fuse\.py:\d+: .*the line needs the values"):
        suanzi.fuse(_caught(function, errors))(x_of(4))
    assert not suanzi._core.is_tracing()


@pytest.mark.parametrize(("function", "right"), [
    (lambda x, n: x * math.sqrt(n), [2, 4]),
    (lambda x, n: x * suanzi.tensor([math.floor(n), 1]), [4, 2]),
    (lambda x, n: x * len(f"{n}"), [3, 6]),
    (lambda x, n: x * x.metadata.get("factor", n), [4, 8]),
    (lambda x, n: x * suanzi.from_reference(x) + n, [5, 8]),
])  # fmt: skip
def test_needs_that_the_function_hides(function: Callable[..., Any], right: list[float]) -> None:
    """The trace needs a value, or cannot record a call, and the function catches the tracer's error."""
    fused, x = suanzi.fuse(_caught(function, Exception)), suanzi.tensor([1.0, 2.0])
    assert [fused(x, 4.0).tolist() for _ in range(2)] == [right, right]


def test_a_refusal_does_not_outlast_its_trace() -> None:
    with pytest.raises(suanzi.TraceError):
        suanzi.fuse(_caught(lambda x: x * float(x[0]), Exception))(x_of(4))
    x = x_of(4)
    assert same(suanzi.fuse(lambda x: x * 2)(x), x * 2)


def test_errors_of_the_function_are_its_own() -> None:
    fused = suanzi.fuse(lambda x, y: x * y)
    with pytest.raises(suanzi.DimensionsMismatchError, match="multiply"):
        fused(x_of(3), x_of(4))
    with pytest.raises(suanzi.OutOfRangeError, match="sum"):
        suanzi.fuse(lambda x: suanzi.sum(x, axis=3))(x_of(3))
    with pytest.raises(ZeroDivisionError):
        suanzi.fuse(lambda x: x * (1 / 0))(x_of(3))
    with pytest.raises(suanzi.TypeMismatchError, match="hashable"):
        fused(x_of(3), {1, 2})
