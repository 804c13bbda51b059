"""Chains of nodes on large values of known shapes become fused functions. The results keep their bits."""

from __future__ import annotations

import pickle
import random
from typing import Any

import numpy as np
import pytest

import suanzi
from interop.models import Array, parsed
from suanzi import DimensionsMismatchError, InvalidArgumentError, TypeMismatchError, tuning
from suanzi.interop import onnx
from suanzi.interop.onnx import fused

X = np.random.default_rng(3).standard_normal((24, 6, 256)).astype(np.float32)


def labels(loaded: onnx.Model) -> list[str]:
    """Return the labels of a model's steps for the shapes of the last run. A fused chain is one step."""
    known = list((loaded._optimized or loaded._known).values())
    return [step.label for step in (known[-1].steps if known else loaded._plan.steps)]


def bits(loaded: onnx.Model, feeds: Any) -> list[bytes]:
    return [y.numpy().tobytes() for y in loaded.run(feeds)]


def alike(proto: Any, feeds: dict[str, Array]) -> onnx.Model:
    """Load a model for the shapes of `feeds`, check the bits against the model without fusion, and return the model."""
    plain, optimized = onnx.load(proto), onnx.load(proto, optimize={name: x.shape for name, x in feeds.items()})
    results = [bits(loaded, feeds) for loaded in (plain, plain, optimized, optimized, optimized)]
    assert results == [results[0]] * 5
    return optimized


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
    """Return a list to which each fusion of a chain appends the chain's kind."""
    made: list[Any] = []

    def fuse(chain: fused.Chain) -> Any:
        made.append(chain.kind)
        return suanzi.fuse(chain)

    monkeypatch.setattr(fused, "fuse", fuse)
    return made


MODEL = parsed(17, "g (float[n] x) => (float[n] y) { a = Exp(x)  y = Neg(a) }")


def test_no_run_fuses(monkeypatch: pytest.MonkeyPatch) -> None:
    made = count_traces(monkeypatch)
    loaded = onnx.load(MODEL)
    for i in range(40):
        loaded.run([X.ravel()[: 20000 + i % 20]])
        loaded.run([X.ravel()])
    assert labels(loaded) == ["Exp-13", "Neg-13"]
    assert not made
    assert len(loaded._known) <= tuning.MOST_SHAPES


def test_other_shapes_run_node_by_node(monkeypatch: pytest.MonkeyPatch) -> None:
    made = count_traces(monkeypatch)
    loaded = onnx.load(MODEL, optimize=[{"x": X.ravel().shape}, {"x": (33000,)}, {"x": (100,)}])
    assert sorted(len(known.steps) for known in loaded._optimized.values()) == [1, 1, 2]  # 100 elements are not fused
    before = len(made)
    for size in (36864, 36864, 33000, 32999, 100, 0):
        x = X.ravel()[:size]
        assert bits(loaded, [x]) == [(-suanzi.exp(suanzi.tensor(x))).numpy().tobytes()]
    assert len(made) == before


def test_declared_shapes() -> None:
    loaded = onnx.load(parsed(17, "g (float[40000] x) => (float[40000] y) { a = Exp(x)  y = Neg(a) }"), optimize=True)
    assert labels(loaded) == ["Exp-13, Neg-13"]
    assert not onnx.load(MODEL, optimize=False)._optimized
    graph = "g (float[n] x, float[40000] z) => (float[40000] y) { a = Add(x, z)  y = Neg(a) }"
    assert len(labels(onnx.load(parsed(17, graph), optimize={"x": (40000,)}))) == 1


REFUSED: list[tuple[Any, type[Exception], str]] = [
    (True, InvalidArgumentError, r"load: input 'x' is declared with shape \('\?',\): optimize must contain all"),
    ({}, InvalidArgumentError, "load: input 'x' is declared"),
    ([{"x": (4,)}, {"z": (4,)}], InvalidArgumentError, r"load: optimize has \['z'\], which are not inputs"),
    ({"x": (4, 4)}, DimensionsMismatchError, r"load: input 'x' has shape \(4, 4\), but the model declares"),
    ({"x": (-1,)}, InvalidArgumentError, "load: "),
    ({"x": "ab"}, TypeMismatchError, "load: "),
    ("x", TypeMismatchError, "load: optimize 'x' is not a bool, a mapping"),
    (1, TypeMismatchError, "load: optimize 1 is not a bool"),
    ([(4,)], TypeMismatchError, r"load: optimize \[\(4,\)\] is not"),
    (None, TypeMismatchError, "load: optimize None is not"),
]


@pytest.mark.parametrize(("optimize", "error", "message"), REFUSED)
def test_what_is_no_set_of_shapes(optimize: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        onnx.load(MODEL, optimize=optimize)


def test_sizes_that_the_model_declares() -> None:
    proto = parsed(17, "g (float[a,3] x) => (float[a,3] y) { y = Neg(x) }")
    with pytest.raises(DimensionsMismatchError, match=r"load: input 'x' has shape \(2, 4\), but the model declares"):
        onnx.load(proto, optimize={"x": (2, 4)})


def test_a_pickled_model_is_optimised_again() -> None:
    loaded = onnx.load(MODEL, optimize={"x": X.ravel().shape})
    again = pickle.loads(pickle.dumps(loaded))
    assert labels(again) == labels(loaded) == ["Exp-13, Neg-13"]
    assert bits(again, [X.ravel()]) == bits(loaded, [X.ravel()])


def test_shapes_that_values_decide_are_in_no_chain(monkeypatch: pytest.MonkeyPatch) -> None:
    made = count_traces(monkeypatch)
    graph = (
        "g (float[n] x) => (float[m] y) { p = Relu(x)  c = Cast<to=9>(p)  u = Compress(x, c)  a = Exp(u)  y = Neg(a) }"
    )
    loaded = onnx.load(parsed(17, graph), optimize={"x": X.ravel().shape})
    for i in range(3):
        x = X.ravel() - i / 10
        (y,) = loaded.run([x])
        assert y.shape == (np.count_nonzero(x > 0),)
    assert labels(loaded) == ["Relu-14, Cast-13", "Compress-11", "Exp-13", "Neg-13"]
    assert len(made) == 1


def test_axes_that_are_read_from_a_tensor_are_in_no_chain() -> None:
    graph = (
        "g (float[a,b,c] x, int64[k] axes) => (float[a,b,c] y) { e = Exp(x)  s = ReduceSum(e, axes)  y = Div(e, s) }"
    )
    loaded = onnx.load(parsed(17, graph), optimize={"x": X.shape, "axes": (1,)})
    for i in [0, 1, 2] * 2:
        (y,) = loaded.run([X, np.int64([i])])
        powers = suanzi.exp(suanzi.tensor(X))
        assert y.numpy().tobytes() == (powers / suanzi.sum(powers, i, True)).numpy().tobytes()


def test_softmax_is_one_chain_with_what_follows() -> None:
    proto = parsed(17, "g (float[a,b] x) => (float[a,b] y) { s = Softmax(x)  y = Neg(s) }")
    for columns in (16, 256, X.size):
        assert labels(alike(proto, {"x": X.reshape(-1, columns)})) == ["Softmax-13, Neg-13"]


def test_errors_name_the_nodes() -> None:
    proto = parsed(17, "g (float[a] x, float[b] z) => (float[a] y) { s = Exp(x)  y = Add(s, z) }")
    loaded = onnx.load(proto, optimize={"x": (256,), "z": (7,)})
    for _ in range(3):
        with pytest.raises(suanzi.DimensionsMismatchError) as caught:
            loaded.run([X[0, 0], X[0, 0, :7]])
        assert caught.value.__notes__ == ["in Add-14"]


UNARY = ["Abs", "Neg", "Exp", "Tanh", "Relu", "Sigmoid", "Erf", "Floor", "Softplus"]
BINARY = ["Add", "Sub", "Mul", "Max"]


@pytest.mark.parametrize("seed", range(12))
def test_chains_by_chance(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tuning, "FUSED_CHAIN", 0)
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


def test_a_chain_of_which_only_the_shape_is_read() -> None:
    graph = "g (float[m, n, k] x, float[1] q) => (float[m, n, k] y) "
    proto = parsed(17, graph + "{ a = Exp(x)  b = Neg(a)  s = Shape(b)  y = Expand(q, s) }")
    loaded = alike(proto, {"x": X, "q": np.full(1, 2.5, np.float32)})
    assert loaded.run({"x": X[:1], "q": np.full(1, 1.5, np.float32)})[0].tolist() == np.full((1, 6, 256), 1.5).tolist()
