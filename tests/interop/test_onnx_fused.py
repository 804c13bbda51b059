"""Chains of nodes as fused functions: with the same bits, where they are large and their shapes come again."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import suanzi
from interop.models import Array, parsed
from suanzi.interop import onnx
from suanzi.interop.onnx import fused, model

RUNS = 12  # more than come before chains are fused
X = np.random.default_rng(3).standard_normal((24, 6, 256)).astype(np.float32)


def labels(loaded: onnx.Model) -> list[str]:
    """Of the steps for the shapes that came last; those of a chain are one step."""
    known = list(loaded._known.values())
    return [step.label for step in (known[-1].steps if known else loaded._plan.steps)]


def alike(proto: Any, feeds: dict[str, Array]) -> onnx.Model:
    """The model after runs that all gave the same bits."""
    loaded = onnx.load(proto)
    results = [[y.numpy().tobytes() for y in loaded.run(feeds)] for _ in range(RUNS)]
    assert results == [results[0]] * RUNS
    return loaded


CHAINS = {
    "gelu": ("e = Erf(x)  h = Mul(x, e)  y = Add(h, x)", 1),
    "a normalisation": (
        """m = ReduceMean<axes=[-1]>(x)  c = Sub(x, m)  s = Mul(c, c)  v = ReduceMean<axes=[-1]>(s)
           r = Sqrt(v)  y = Div(c, r)""",
        1,
    ),
    "what two results are made of": ("a = Exp(x)  z = Neg(a)  y = Add(a, x)", 1),
    "masks": ("n = Neg(x)  l = Less(x, n)  w = Where(l, n, x)  y = Relu(w)", 1),
    "other types": ("h = Cast<to=10>(x)  e = Exp(h)  y = Cast<to=1>(e)", 1),
    "limits": ("o = Constant<value_float=1.0>()  c = Clip(x, , o)  y = Mul(c, x)", 1),
    "a call between, of what both read": ("a = Exp(x)  s = CumSum(a, k)  b = Neg(a)  y = Add(b, s)", 3),
    "a call that must wait": (
        "a = Exp(x)  b = Neg(a)  s = CumSum(b, k)  c = Abs(a)  y = Add(c, s)",
        3,
    ),
}


@pytest.mark.parametrize("what", CHAINS)
def test_chains(what: str) -> None:
    nodes, steps = CHAINS[what]
    others = ", float[a,b,c] z" if " z = " in nodes else ""
    proto = parsed(17, f"g (float[a,b,c] x) => (float[a,b,c] y{others}) {{ k = Constant<value_int=1>()  {nodes} }}")
    found = labels(alike(proto, {"x": X}))
    assert len(found) == steps
    assert any("," in label for label in found)


def test_layers_that_are_alike_have_one_function(monkeypatch: pytest.MonkeyPatch) -> None:
    made = count_traces(monkeypatch)
    layer = "e{0} = Erf(x{0})  h{0} = Mul(x{0}, e{0})  x{1} = CumSum(h{0}, k)"
    nodes = "  ".join(layer.format(i, i + 1) for i in range(3))
    alike(parsed(17, f"g (float[a,b,c] x0) => (float[a,b,c] x3) {{ k = Constant<value_int=1>()  {nodes} }}"), {"x0": X})
    assert len({*made}) == 1


def count_traces(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The kinds of chains that are fused from now on."""
    made: list[Any] = []

    def fuse(chain: fused.Chain) -> Any:
        made.append(chain.kind)
        return suanzi.fuse(chain)

    monkeypatch.setattr(fused, "fuse", fuse)
    return made


@pytest.mark.parametrize("small", [True, False])
def test_what_is_small_or_comes_seldom_runs_one_by_one(monkeypatch: pytest.MonkeyPatch, small: bool) -> None:
    made = count_traces(monkeypatch)
    loaded = onnx.load(parsed(17, "g (float[n] x) => (float[n] y) { a = Exp(x)  y = Neg(a) }"))
    for i in range(60):
        loaded.run([X.ravel()[: 100 if small else 20000 + i % 20]])
    assert labels(loaded) == ["Exp-13", "Neg-13"]
    assert not made
    assert len(loaded._known) <= model._MOST_SHAPES


def test_shapes_that_values_decide_are_in_no_chain(monkeypatch: pytest.MonkeyPatch) -> None:
    made = count_traces(monkeypatch)
    graph = (
        "g (float[n] x) => (float[m] y) { p = Relu(x)  c = Cast<to=9>(p)  u = Compress(x, c)  a = Exp(u)  y = Neg(a) }"
    )
    loaded = onnx.load(parsed(17, graph))
    for i in range(RUNS):
        x = X.ravel() - i / 10
        (y,) = loaded.run([x])
        assert y.shape == (np.count_nonzero(x > 0),)
    assert labels(loaded) == ["Relu-14, Cast-13", "Compress-11", "Exp-13", "Neg-13"]
    assert len(made) == 1


def test_axes_that_are_read_from_a_tensor_are_in_no_chain() -> None:
    graph = (
        "g (float[a,b,c] x, int64[k] axes) => (float[a,b,c] y) { e = Exp(x)  s = ReduceSum(e, axes)  y = Div(e, s) }"
    )
    loaded = onnx.load(parsed(17, graph))
    for i in [0, 1, 2] * 5:
        (y,) = loaded.run([X, np.int64([i])])
        powers = suanzi.exp(suanzi.tensor(X))
        assert y.numpy().tobytes() == (powers / suanzi.sum(powers, i, True)).numpy().tobytes()


def test_what_needs_values_runs_as_it_is() -> None:
    proto = parsed(17, "g (float[a,b] x) => (float[a,b] y) { s = Softmax(x)  y = Neg(s) }")
    assert labels(alike(proto, {"x": X.reshape(1, -1)})) == ["Softmax-13", "Neg-13"]
    assert labels(alike(proto, {"x": X.reshape(-1, 16)})) == ["Softmax-13", "Neg-13"]  # rearranged, in several passes
    assert labels(alike(proto, {"x": X.reshape(-1, 256)})) == ["Softmax-13, Neg-13"]


def test_errors_name_the_nodes() -> None:
    proto = parsed(17, "g (float[a] x, float[b] z) => (float[a] y) { s = Exp(x)  y = Add(s, z) }")
    loaded = onnx.load(proto)
    for _ in range(RUNS):
        with pytest.raises(suanzi.DimensionsMismatchError) as caught:
            loaded.run([X[0, 0], X[0, 0, :7]])
        assert caught.value.__notes__ == ["in Add-14"]


UNARY = ["Abs", "Neg", "Exp", "Tanh", "Relu", "Sigmoid", "Erf", "Floor", "Softplus"]
BINARY = ["Add", "Sub", "Mul", "Max"]


@pytest.mark.parametrize("seed", range(12))
def test_chains_by_chance(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fused, "LARGE", 0)
    chance = random.Random(seed)
    values, nodes = ["x"], []
    for i in range(chance.randint(5, 25)):
        kind = chance.randrange(8)
        a, b = chance.choice(values[-6:]), chance.choice([*values[-6:], "w"])
        if kind < 3:
            nodes.append(f"v{i} = {chance.choice(UNARY)}({a})")
        elif kind < 6:
            nodes.append(f"v{i} = {chance.choice(BINARY)}({a}, {b})")
        elif kind < 7:
            axis = chance.randrange(-2, 0)
            nodes.append(f"r{i} = ReduceMax<axes=[{axis}]>({a})  v{i} = Sub({b}, r{i})")
        else:
            nodes.append(f"v{i} = CumSum({a}, k)")
        values.append(f"v{i}")
    results = ", ".join(f"float[a,b,c] {name}" for name in {*chance.sample(values[1:], 2), values[-1]})
    text = f"g (float[a,b,c] x, float[c] w) => ({results}) {{ k = Constant<value_int=1>()  {'  '.join(nodes)} }}"
    alike(parsed(17, text), {"x": X[:3], "w": X[0, 0]})
