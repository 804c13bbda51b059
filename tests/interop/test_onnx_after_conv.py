"""A convolution and the nodes that follow become one call, which returns the same results as the separate nodes."""

from __future__ import annotations

import math
import pickle
from typing import Any

import numpy as np
import pytest
from onnx import numpy_helper

import suanzi
from interop.models import Array, parsed
from oracle.convolution import convolved
from suanzi.interop import onnx
from suanzi.interop.onnx.after_conv import Ended

pytestmark = pytest.mark.one_level
RNG = np.random.default_rng(11)


def floats(*shape: int) -> Array:
    return RNG.normal(size=shape).astype("float32")


X, W, B = floats(2, 4, 7, 9), floats(6, 4, 3, 3), floats(6)
STORED = {
    "w": W, "b": B, "v": floats(6, 1, 1), "u": floats(1, 6, 1, 1), "scale": floats(6), "shift": floats(6),
    "mean": floats(6), "variance": np.abs(floats(6)) + np.float32(0.1), "low": np.float32(-1), "high": np.float32(0.5),
    "depth": floats(4, 1, 3, 3), "one": floats(1, 1, 1, 9), "factor": np.float32([-1.5]),
    **{name: np.float32(number) for name, number in {
        "half": 0.5, "unit": 1, "three": 3, "six": 6, "zero": 0, "root": np.sqrt(2), "inverse": np.sqrt(0.5),
    }.items()},
}  # fmt: skip
NORMAL = "scale, shift, mean, variance"


def loaded(body: str, inputs: str = "float[n,c,h,w] x", element: str = "float") -> onnx.Model:
    model = parsed(17, f"g ({inputs}) => ({element}[n,m,i,j] y) {{ {body} }}")
    stored = STORED if element == "float" else {name: a.astype("float64") for name, a in STORED.items()}
    used = [name for name in stored if f"{name}," in body or f"{name})" in body]
    model.graph.initializer.extend(numpy_helper.from_array(np.asarray(stored[name]), name) for name in used)
    return onnx.load(model)


def calls(model: onnx.Model) -> list[Any]:
    return [step.function for step in model._plan.steps]


def conv(x: Array = X, weight: Array = W, bias: Array | None = B, padding: int = 1, groups: int = 1) -> Array:
    wide = None if bias is None else bias.astype(float)
    pads = [(padding, padding)] * 2
    return convolved(x.astype(float), weight.astype(float), wide, [1, 1], pads, [1, 1], groups)


def normal(y: Array) -> Array:
    scale, shift, mean, variance = (STORED[n].astype(float).reshape(-1, 1, 1) for n in NORMAL.split(", "))
    return (y - mean) / np.sqrt(variance + 1e-5) * scale + shift


def relu(y: Array) -> Array:
    return np.maximum(y, 0)


def hard_swish(y: Array) -> Array:
    return y * np.clip(y / 6 + 0.5, 0, 1)


def sigmoid(y: Array) -> Array:
    return np.exp(-np.logaddexp(0, -y))


def gelu(y: Array) -> Array:
    return y * np.vectorize(lambda u: math.erfc(-u / math.sqrt(2)) / 2)(y)


def leaky(y: Array, alpha: float = 0.01) -> Array:
    return np.where(y < 0, y * alpha, y)


C = "Conv<pads=[1,1,1,1]>"
P = f"p = {C}(x, w, b)"
SILU = "q = Sigmoid(p)  y = Mul(p, q)"
GELU = "q = Div(p, root)  r = Erf(q)  s = Add(r, unit)  t = Mul(p, s)  y = Mul(t, half)"
HALF_FIRST = "q = Mul(inverse, p)  r = Erf(q)  s = Add(unit, r)  t = Mul(half, p)  y = Mul(s, t)"
SWISH = "q = Add(p, three)  r = Clip(q, zero, six)  s = Mul(r, p)  y = Div(s, six)"
WHOLE = {
    f"p = {C}(x, w, b)  y = Relu(p)": lambda: relu(conv()),
    f"p = {C}(x, w)  y = Relu(p)": lambda: relu(conv(bias=None)),
    f"p = {C}(x, w, b)  y = Clip(p, low, high)": lambda: np.clip(conv(), -1, 0.5),
    f"p = {C}(x, w, b)  y = Clip(p, , high)": lambda: np.minimum(conv(), 0.5),
    f"p = {C}(x, w, b)  y = Clip(p, low)": lambda: np.maximum(conv(), -1),
    f"p = {C}(x, w, b)  y = HardSwish(p)": lambda: hard_swish(conv()),
    f"p = {C}(x, w)  y = LeakyRelu(p)": lambda: leaky(conv(bias=None)),
    f"p = {C}(x, w, b)  y = LeakyRelu<alpha=-1.5>(p)": lambda: leaky(conv(), -1.5),
    f"p = {C}(x, w, b)  q = BatchNormalization(p, {NORMAL})  y = HardSwish(q)": lambda: hard_swish(normal(conv())),
    f"p = {C}(x, w)  y = BatchNormalization(p, {NORMAL})": lambda: normal(conv(bias=None)),
    f"p = {C}(x, w, b)  q = BatchNormalization(p, {NORMAL})  y = Relu(q)": lambda: relu(normal(conv())),
    f"p = {C}(x, w)  y = Add(p, v)": lambda: conv(bias=None) + STORED["v"],
    f"p = {C}(x, w, b)  q = Add(u, p)  y = Relu(q)": lambda: relu(conv() + STORED["u"]),
    f"p = {C}(x, w)  q = Add(p, v)  r = BatchNormalization(q, {NORMAL})  y = Relu(r)": lambda: relu(
        normal(conv(bias=None) + STORED["v"])
    ),
    f"p = {C}(x, w, b)  q = Sum(u, p)  y = Relu(q)": lambda: relu(conv() + STORED["u"]),
    f"{P}  q = Sub(p, v)  y = Relu(q)": lambda: relu(conv() - STORED["v"]),
    f"{P}  y = Sigmoid(p)": lambda: sigmoid(conv()),
    f"{P}  {SILU}": lambda: conv() * sigmoid(conv()),
    f"{P}  o = Mul(unit, p)  q = Sigmoid(o)  y = Mul(q, p)": lambda: conv() * sigmoid(conv()),
    f"{P}  {GELU}": lambda: gelu(conv()),
    f"{P}  {HALF_FIRST}": lambda: gelu(conv()),
    f"{P}  {SWISH}": lambda: hard_swish(conv()),
    f"o = {C}(x, w, b)  p = BatchNormalization(o, {NORMAL})  {GELU}": lambda: gelu(normal(conv())),
    f"{P}  q = Mul(factor, p)  r = Add(q, v)  y = Relu(r)": lambda: relu(conv() * -1.5 + STORED["v"]),
    f"p = {C}(x, w)  q = Mul(p, u)  y = Add(factor, q)": lambda: conv(bias=None) * STORED["u"] - 1.5,
    f"{P}  q = HardSwish(p)  r = Mul(q, factor)  y = Add(three, r)": lambda: hard_swish(conv()) * -1.5 + 3,
    f"{P}  q = Sigmoid(p)  y = Add(q, factor)": lambda: sigmoid(conv()) - 1.5,
}


@pytest.mark.parametrize("body", WHOLE)
def test_all_in_one_call(body: str) -> None:
    model = loaded(body)
    assert [type(call) for call in calls(model)] == [Ended]
    (y,) = model.run([X])
    np.testing.assert_allclose(y.numpy(), WHOLE[body](), rtol=2e-5, atol=2e-5)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.run([X])[0].numpy(), y.numpy())


def test_float64() -> None:
    body = f"p = {C}(x, w, b)  q = BatchNormalization(p, {NORMAL})  r = Add(q, z)  y = Relu(r)"
    model = loaded(body, "double[n,c,h,w] x, double[n,m,i,j] z", "double")
    assert len(calls(model)) == 1
    z = RNG.normal(size=(2, 6, 7, 9))
    (y,) = model.run([X.astype(float), z])
    np.testing.assert_allclose(y.numpy(), relu(normal(conv()) + z), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("activation", ["HardSwish", "LeakyRelu", "LeakyRelu<alpha=3.0>", "Relu"])
@pytest.mark.parametrize("element", ["float", "double"])
@pytest.mark.parametrize("shape", [(2, 4, 7, 9), (1, 4, 31, 40), (1, 4, 3, 3)])
def test_activations_have_the_bits_of_the_node(activation: str, element: str, shape: tuple[int, ...]) -> None:
    kind = "float32" if element == "float" else "float64"
    inputs = f"{element}[n,c,h,w] x"
    whole = loaded(f"p = {C}(x, w, b)  y = {activation}(p)", inputs, element)
    apart = loaded(f"p = {C}(x, w, b)  q = {activation}(p)  y = Max(q, p, q)", inputs, element)  # two nodes read p
    first = loaded(f"y = {C}(x, w, b)", inputs, element)
    alone = onnx.load(parsed(17, f"g ({element}[n,m,i,j] p) => ({element}[n,m,i,j] y) {{ y = {activation}(p) }}"))
    assert len(calls(whole)) == 1 < len(calls(apart))
    x = (RNG.normal(size=shape) * 4).astype(kind)
    x[0, 0, 0, 0], x[0, 1, 2, 2], x[-1, 3, 1, 1] = np.nan, np.inf, -np.inf
    (expected,) = alone.run(first.run([x]))
    np.testing.assert_array_equal(whole.run([x])[0].numpy(), expected.numpy())


BESIDE = "float[n,c,h,w] x, float[a,d,i,j] z"


@pytest.mark.parametrize("shape", [(2, 6, 7, 9), (1, 6, 7, 9), (2, 6, 1, 1), (1, 1, 1, 9), (2, 6, 7, 1)])
@pytest.mark.parametrize("order", ["p, z", "z, p"])
@pytest.mark.parametrize("ends", [False, True])
def test_residuals_broadcast(shape: tuple[int, ...], order: str, ends: bool) -> None:
    model = loaded(f"p = {C}(x, w, b)  {'q' if ends else 'y'} = Add({order}) {'y = Relu(q)' if ends else ''}", BESIDE)
    assert [type(call) for call in calls(model)] == [Ended]
    z = floats(*shape)
    (y,) = model.run([X, z])
    expected = conv() + z
    np.testing.assert_allclose(y.numpy(), relu(expected) if ends else expected, rtol=2e-5, atol=2e-5)


def test_a_residual_larger_than_the_sums() -> None:
    model = loaded(f"p = {C}(x, w, b)  q = Add(p, z)  y = Relu(q)", BESIDE)
    z = floats(3, 6, 7, 9)
    (y,) = model.run([X[:1], z])
    np.testing.assert_allclose(y.numpy(), relu(conv(X[:1]) + z), rtol=2e-5, atol=2e-5)


def test_two_convolutions_are_added() -> None:
    model = loaded(
        f"p = {C}(x, w, b)  q = Conv(x, k)  s = Add(p, q)  y = Relu(s)", "float[n,c,h,w] x, float[a,d,1,1] k"
    )
    assert len(calls(model)) == 2
    k = floats(6, 4, 1, 1)
    (y,) = model.run([X, k])
    expected = relu(conv() + conv(X, k, None, padding=0))
    np.testing.assert_allclose(y.numpy(), expected, rtol=2e-5, atol=2e-5)


def test_depthwise() -> None:
    model = loaded("p = Conv<pads=[1,1,1,1], group=4>(x, depth)  y = Add(p, x)")
    assert len(calls(model)) == 1
    (y,) = model.run([X])
    expected = conv(X, STORED["depth"], None, groups=4) + X
    np.testing.assert_allclose(y.numpy(), expected, rtol=2e-5, atol=2e-5)


APART = [
    f"p = {C}(x, w, b)  q = Relu(p)  y = Add(p, q)",  # another node reads p
    f"p = {C}(x, w, b)  y = Add(p, p)",
    f"p = {C}(x, w, b)  q = Relu(p)  y = Neg(q)",
    f"p = {C}(x, w, b)  q = Relu(p)  y = Add(q, z)",  # Add comes after Relu
    f"p = {C}(x, w, b)  q = Relu(p)  y = BatchNormalization(q, {NORMAL})",
    f"p = {C}(x, w, b)  q = Add(p, one)  y = BatchNormalization(q, {NORMAL})",
    f"{P}  q = Sigmoid(p)  r = Mul(p, q)  y = Add(r, q)",
    f"{P}  q = Sigmoid(p)  r = Mul(p, q)  y = Add(r, p)",
    f"{P}  q = Div(root, p)  r = Erf(q)  s = Add(r, unit)  t = Mul(p, s)  y = Mul(t, half)",
    f"{P}  q = Add(p, three)  r = Clip(q, zero, three)  s = Mul(r, p)  y = Div(s, six)",
    f"{P}  q = Relu(p)  y = Mul(q, factor)",
    f"{P}  y = Sub(v, p)",
]


@pytest.mark.parametrize("body", APART)
def test_some_nodes_stay_apart(body: str) -> None:
    """Nodes in another order, or with several readers, are not joined with a convolution. The results are right."""
    z = floats(2, 6, 7, 9)
    model = loaded(body, BESIDE)
    assert len(calls(model)) >= 2
    p = conv()
    one = p + STORED["one"]
    inverted = 2 * gelu(2 / p) * p * p / 4
    expected = [
        p + relu(p), p + p, -relu(p), relu(p) + z, normal(relu(p)), normal(one),
        p * sigmoid(p) + sigmoid(p), p * sigmoid(p) + p, inverted, np.clip(p + 3, 0, 3) * p / 6, relu(p) * -1.5,
        STORED["v"] - p,
    ][APART.index(body)]  # fmt: skip
    (y,) = model.run([X, z])
    np.testing.assert_allclose(y.numpy(), expected, rtol=2e-5, atol=2e-5)


def test_results_that_are_handed_out_are_kept() -> None:
    model = parsed(17, f"g (float[n,c,h,w] x, float[m,c,k,l] w) => (float[n,m,i,j] p, float[n,m,i,j] y) "
                       f"{{ p = {C}(x, w)  y = Relu(p) }}")  # fmt: skip
    p, y = onnx.load(model).run([X, W])
    np.testing.assert_allclose(p.numpy(), conv(bias=None), rtol=2e-5, atol=2e-5)
    np.testing.assert_array_equal(y.numpy(), relu(p.numpy()))


def test_bounds_keep_nan_and_signs() -> None:
    x = X.copy()
    x[0, 1, 3, 4], x[1, 2, 0, 0] = np.nan, np.inf
    joined = loaded(f"p = {C}(x, w, b)  y = Relu(p)").run([x])[0].numpy()
    apart = suanzi.maximum(loaded(f"y = {C}(x, w, b)").run([x])[0], 0).numpy()
    np.testing.assert_array_equal(joined, apart)
    assert np.isnan(joined).any()


@pytest.mark.parametrize(("low", "high", "count"), [(0, 6, 1), (-0.0, 6, 2), (-1, -0.0, 2), (0, math.nan, 2)])
def test_bounds_that_order_zeros_or_are_no_numbers_stay_apart(low: float, high: float, count: int) -> None:
    model = parsed(17, f"g (float[n,c,h,w] x, float[m,c,k,l] w) => (float[n,m,i,j] y) "
                       f"{{ p = {C}(x, w)  y = Clip(p, low, high) }}")  # fmt: skip
    bounds = {"low": low, "high": high}
    model.graph.initializer.extend(numpy_helper.from_array(np.float32(x), name) for name, x in bounds.items())
    whole = onnx.load(model)
    assert len(calls(whole)) == count
    expected = np.minimum(np.maximum(conv(bias=None), low), high)
    np.testing.assert_allclose(whole.run([X, W])[0].numpy(), expected, rtol=2e-5, atol=2e-5)


def test_activations_of_sums_are_nearly_exact() -> None:
    """After a convolution, Sigmoid is within 3 ulp, and other functions within 3 units in the argument's last place."""
    x = np.concatenate([np.linspace(-110, 110, 20001), RNG.normal(size=20000) * 3, [0, 1, -1, 6, -6, 1e30, -1e30]])
    x = x.astype("float32").reshape(1, 1, 1, -1)
    unit = numpy_helper.from_array(np.ones((1, 1, 1, 1), np.float32), "w")
    for activation, function in (("y = Sigmoid(p)", sigmoid), (SILU, lambda p: p * sigmoid(p)), (GELU, gelu)):
        model = parsed(17, f"g (float[n,c,h,w] x) => (float[n,m,i,j] y) {{ p = Conv(x, w)  {activation} }}")
        stored = [
            numpy_helper.from_array(STORED[name], name) for name in ("root", "unit", "half") if name in activation
        ]
        model.graph.initializer.extend([unit, *stored])
        joined = onnx.load(model)
        assert len(calls(joined)) == 1
        with np.errstate(under="ignore"):
            expected = function(x.astype(float))
            scale = np.spacing(np.maximum(np.abs(expected if function is sigmoid else x), 2.0**-126).astype("float32"))
        assert (np.abs(joined.run([x])[0].numpy() - expected) <= 3 * scale).all(), activation
        special = np.array([np.nan, np.inf], "float32").reshape(1, 1, 1, 2)
        np.testing.assert_array_equal(joined.run([special])[0].numpy()[0, 0, 0], [np.nan, function(np.inf)])


@pytest.mark.parametrize("body", [f"{P}  {SILU}", f"{P}  {GELU}"])
def test_float64_keeps_its_activations(body: str) -> None:
    model = loaded(body, "double[n,c,h,w] x", "double")
    assert len(calls(model)) > 1
    p = conv()
    np.testing.assert_allclose(
        model.run([X.astype(float)])[0].numpy(), p * sigmoid(p) if SILU in body else gelu(p), rtol=1e-6, atol=1e-7
    )


def test_parameters_that_are_not_finite_are_left_alone() -> None:
    body = f"p = {C}(x, w)  y = BatchNormalization<epsilon=0.0>(p, scale, shift, mean, high)"
    model = parsed(17, f"g (float[n,c,h,w] x) => (float[n,m,i,j] y) {{ {body} }}")
    stored = {name: STORED[name] for name in ("w", "scale", "shift", "mean")} | {"high": np.zeros(6, np.float32)}
    model.graph.initializer.extend(numpy_helper.from_array(a, name) for name, a in stored.items())
    loaded_model = onnx.load(model)
    assert len(calls(loaded_model)) >= 2
    assert np.isinf(loaded_model.run([X])[0].numpy()).any()


SCALED = "p = Conv(x, w)  y = Mul(p, k)"
NORMALISED = "p = Conv(x, w)  y = BatchNormalization<epsilon=0.0>(p, k, zero, zero, one)"
SQUASHED = "p = Conv(x, w)  q = Sigmoid(p)  r = Mul(q, k)  y = Mul(r, m)"
SMALL_FACTORS = [
    (SCALED, {"w": 1e-20, "k": 1e-30}, 1e25, 1e-25, 2),
    (SCALED, {"w": 1.2345678, "k": 1e-42}, 1e20, 1.2345678e20 * float(np.float32(1e-42)), 2),
    (SCALED, {"w": 1e-40, "k": 0.5}, 1e20, float(np.float32(1e-40)) * 5e19, 1),  # the weight was subnormal
    (SCALED, {"w": 2.0, "k": 0.0}, 1e20, 0.0, 1),
    (NORMALISED, {"w": 1e-20, "k": 1e-30}, 1e25, 1e-25, 2),
    (SQUASHED, {"w": 1.0, "k": 1e30, "m": 1e30}, -80.0, 1e60 / (1 + math.exp(80)), 2),
    (SQUASHED, {"w": 1.0, "k": 1e-30, "m": 1e-10}, 9.0, float(np.float32(1e-40)) / (1 + math.exp(-9)), 2),
]


@pytest.mark.parametrize(("body", "numbers", "x", "expected", "count"), SMALL_FACTORS)
def test_factors_whose_products_underflow(
    body: str, numbers: dict[str, float], x: float, expected: float, count: int
) -> None:
    model = parsed(17, f"g (float[n,c,h,w] x) => (float[n,m,i,j] y) {{ {body} }}")
    ranks = {"w": (1, 1, 1, 1), "k": (1,), "m": (), "zero": (1,), "one": (1,)}
    for name, number in ({"zero": 0.0, "one": 1.0} | numbers).items():
        if name in body:
            model.graph.initializer.append(numpy_helper.from_array(np.full(ranks[name], number, np.float32), name))
    whole = onnx.load(model)
    assert len(calls(whole)) == count
    (y,) = whole.run([np.full((1, 1, 1, 1), x, np.float32)])
    np.testing.assert_allclose(y.numpy().item(), expected, rtol=1e-4, atol=1e-45)


def of_two_terms(body: str, weight: Any, **numbers: float) -> Any:
    """Return a model of a Conv of two channels, and of a node with the parameters `numbers`."""
    model = parsed(17, f"g (float[n,c,h,w] x) => (float[n,m,i,j] y) {{ p = Conv(x, w)  {body} }}")
    stored = {"w": np.reshape(np.float32(weight), (1, 2, 1, 1))}
    stored |= {name: np.full(1, number, np.float32) for name, number in numbers.items()}
    model.graph.initializer.extend(numpy_helper.from_array(a, name) for name, a in stored.items())
    return onnx.load(model)


NORM = "y = BatchNormalization<epsilon=1e-12>(p, scale, shift, mean, variance)"
LARGE_FACTORS = [
    ("y = Mul(p, k)", {"k": 3e37}, 100.0, 0.0),
    ("y = Mul(k, p)", {"k": -3e37}, 100.0, 0.0),
    (NORM, {"scale": 1000.0, "shift": 1.0, "mean": 0.0, "variance": 1.0}, 1e37, 1.0),
    (NORM, {"scale": 1.0, "shift": 1.0, "mean": 0.0, "variance": 1e-10}, 1e35, 1.0),
]


@pytest.mark.parametrize(("body", "numbers", "x", "expected"), LARGE_FACTORS)
def test_factors_that_could_make_terms_overflow(
    body: str, numbers: dict[str, float], x: float, expected: float
) -> None:
    model = of_two_terms(body, [1, -1], **numbers)
    assert len(calls(model)) == 2
    assert model.run([np.full((1, 2, 1, 1), x, np.float32)])[0].numpy().item() == expected


@pytest.mark.parametrize(
    ("scale", "variance", "weight"),
    [
        (1.0, 1.0, [1, -1]),
        (50.0, 1.0, [3, -2]),
        (50.0, 1e-10, [1e-5, -5e-5]),  # weights that make sums of this variance
        (50.0, 1e10, [1e5, -3e5]),
        (1.0, 1e4, [1e5, -3e5]),
        (0.5, 1.0, [3e5, 1e38]),  # a factor below 1
    ],
)
def test_ordinary_normalisations_join_the_convolution(scale: float, variance: float, weight: list[float]) -> None:
    model = of_two_terms(NORM, weight, scale=scale, shift=1.0, mean=0.25, variance=variance)
    assert len(calls(model)) == 1
    x = np.float32([0.3, 1.7])
    total = float(np.sum(np.float32(weight).astype(float) * x))
    expected = (total - 0.25) * scale / math.sqrt(float(np.float32(variance)) + 1e-12) + 1
    np.testing.assert_allclose(model.run([x.reshape(1, 2, 1, 1)])[0].numpy().item(), expected, rtol=1e-5)


@pytest.mark.parametrize("bounds", [{"min": 0.0}, {"max": 6.0}, {"min": 0.0, "max": 6.0}, {}])
def test_a_clip_of_opset_1_may_lack_a_bound(bounds: dict[str, float]) -> None:
    """Only a Clip to [0, 6] makes ``x * Clip(x + 3) / 6`` a HardSwish."""
    options = ", ".join(f"{name} = {number}" for name, number in bounds.items())
    body = f"""p = Conv<pads=[1,1,1,1]>(x, w, b)  a = Add<broadcast=1>(p, three)
        k = Clip{f"<{options}>" if options else ""}(a)  m = Mul(p, k)  y = Div<broadcast=1>(m, six)"""
    model = parsed(5, f"g (float[n,c,h,w] x) => (float[n,m,i,j] y) {{ {body} }}")
    for name in ("w", "b", "three", "six"):
        model.graph.initializer.append(numpy_helper.from_array(np.asarray(STORED[name]), name))
    sums = conv()
    expected = sums * np.clip(sums + 3, bounds.get("min", -np.inf), bounds.get("max", np.inf)) / 6
    np.testing.assert_allclose(onnx.run(model, [X])[0].numpy(), expected, rtol=2e-5, atol=2e-5)
