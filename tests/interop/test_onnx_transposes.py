"""In models whose channels come last, transposes move behind elementwise operations. Results equal NumPy's results."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from onnx import ModelProto, numpy_helper

from interop.models import Array, parsed
from oracle.convolution import convolved
from suanzi import DimensionsMismatchError
from suanzi.interop import onnx
from suanzi.interop.onnx import plan

pytestmark = pytest.mark.one_level
RNG = np.random.default_rng(12)


def floats(*shape: int) -> Array:
    return RNG.normal(size=shape).astype("float32")


X = floats(2, 6, 9, 4)  # (images, rows, columns, channels)
STORED = {
    "w": floats(5, 4, 3, 3), "k": floats(5, 5, 1, 1), "c": floats(5), "d": np.abs(floats(5)) + np.float32(0.5),
    "r": floats(9, 1), "t": floats(1, 6, 1, 5), "half": np.float32(0.5), "far": floats(1, 1, 6, 9, 5),
}  # fmt: skip
FIRST = "a = Transpose<perm=[0,3,1,2]>(x)  p = Conv<pads=[1,1,1,1]>(a, w)"
LAST = "q = Transpose<perm=[0,2,3,1]>(p)"


def model(body: str, result: str = "float[n,h,i,c] y") -> ModelProto:
    proto = parsed(17, f"g (float[n,h,i,c] x) => ({result}) {{ {FIRST}  {LAST}  {body} }}")
    used = [name for name in STORED if any(f"{name}{end}" in f"{FIRST} {body}" for end in (",", ")"))]
    proto.graph.initializer.extend(numpy_helper.from_array(np.asarray(STORED[name]), name) for name in used)
    return proto


def conv(x: Array, weight: str, padding: int) -> Array:
    """Return a convolution of channels that come last, in float64."""
    first = np.moveaxis(x.astype(float), -1, 1)
    sums = convolved(first, STORED[weight].astype(float), None, [1, 1], [(padding, padding)] * 2, [1, 1], 1)
    return np.moveaxis(sums, 1, -1)


def summed() -> Array:
    return conv(X, "w", 1)


AGAIN = "b = Transpose<perm=[0,3,1,2]>(s)  e = Conv(b, k)  y = Transpose<perm=[0,2,3,1]>(e)"
ONE_PASS: dict[str, Any] = {
    "s = Add(q, c)  y = Relu(s)": lambda: np.maximum(summed() + STORED["c"], 0),
    "s = Sub(q, c)  m = Mul(s, d)  v = Add(c, m)  y = Relu(v)": lambda: np.maximum(
        (summed() - STORED["c"]) * STORED["d"] + STORED["c"], 0
    ),
    "s = Mul(half, q)  y = Relu(s)": lambda: np.maximum(summed() / 2, 0),
    "y = Clip(q, , half)": lambda: np.minimum(summed(), 0.5),
}
APART: dict[str, Any] = {
    "y = Sub(c, q)": lambda: STORED["c"] - summed(),
    "y = Add(q, r)": lambda: summed() + STORED["r"],
    "y = Mul(t, q)": lambda: summed() * STORED["t"],
    "y = Div(q, d)": lambda: summed() / STORED["d"],
    "s = Relu(q)  y = Mul(s, q)": lambda: np.maximum(summed(), 0) * summed(),
    "y = Add(q, q)": lambda: summed() * 2,
    f"s = Relu(q)  {AGAIN}": lambda: conv(np.maximum(summed(), 0), "k", 0),
    f"s = Relu(q)  {AGAIN.replace('y =', 'z =')}  y = Add(s, z)": lambda: (
        np.maximum(summed(), 0) + conv(np.maximum(summed(), 0), "k", 0)
    ),
}


@pytest.mark.parametrize("body", [*ONE_PASS, *APART])
def test_results(body: str) -> None:
    (y,) = onnx.run(model(body), [X])
    expected = {**ONE_PASS, **APART}[body]()
    np.testing.assert_allclose(y.numpy(), expected, rtol=2e-5, atol=2e-5)


@pytest.mark.parametrize("body", ONE_PASS)
def test_a_convolution_and_two_transposes_remain(body: str) -> None:
    labels = [step.label for step in onnx.load(model(body))._plan.steps]
    assert [label.partition("-")[0] for label in labels] == ["Transpose", "Conv", "Transpose"]


def test_transposes_between_convolutions_go() -> None:
    labels = [step.label for step in onnx.load(model(f"s = Relu(q)  {AGAIN}"))._plan.steps]
    assert [label.partition("-")[0] for label in labels] == ["Transpose", "Conv", "Conv", "Transpose"]


@pytest.mark.parametrize("body", [*ONE_PASS, *APART])
def test_the_pass_keeps_bits(body: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The pass that moves transposes changes no bit of a result."""
    monkeypatch.setattr(plan, "_PASSES", ())
    (expected,) = onnx.run(model(body), [X])
    monkeypatch.setattr(plan, "_PASSES", (plan.transposed_later,))
    (y,) = onnx.run(model(body), [X])
    np.testing.assert_array_equal(y.numpy(), expected.numpy())


WRONG_RANKS = [
    "s = Squeeze(z)  t = Transpose<perm=[0,2,3,1]>(s)  y = Transpose<perm=[0,3,1,2]>(t)",
    "s = Squeeze(z)  t = Transpose<perm=[0,2,3,1]>(s)  y = Add(q, t)",
    "s = Squeeze(z)  v = Conv(s, n)  t = Transpose<perm=[0,2,3,1]>(v)  y = Add(t, four)",
]


@pytest.mark.parametrize("body", WRONG_RANKS)
def test_a_wrong_rank_is_an_error_without_the_transposes(body: str) -> None:
    """Neither transposes that cancel nor transposes that move hide an operand of fewer dimensions."""
    proto = parsed(17, f"g (float[n,h,i,c] x, float[a,d,e,f] z) => (float[m,g,j,k] y) {{ {FIRST}  {LAST}  {body} }}")
    stored = {"w": STORED["w"], "n": floats(5, 6, 1), "four": floats(1, 1, 1, 5)}
    proto.graph.initializer.extend(numpy_helper.from_array(a, name) for name, a in stored.items())
    with pytest.raises(DimensionsMismatchError, match=r"^transpose: axes .* do not name the 3 dimensions"):
        onnx.run(proto, {"x": X, "z": floats(1, 5, 6, 9)})


def test_a_constant_of_more_dimensions_stays() -> None:
    (y,) = onnx.run(model("y = Add(q, far)", "float[m,n,h,i,c] y"), [X])
    np.testing.assert_allclose(y.numpy(), summed() + STORED["far"], rtol=2e-5, atol=2e-5)


def test_other_orders_and_tensors_stay() -> None:
    """Transposes of different orders do not cancel, and a transpose that follows no convolution is not moved."""
    body = "s = Relu(q)  b = Transpose<perm=[3,2,1,0]>(s)  y = Add(b, half)"
    (y,) = onnx.run(model(body), [X])
    np.testing.assert_allclose(y.numpy(), np.maximum(summed(), 0).T + 0.5, rtol=2e-5, atol=2e-5)
    plain = parsed(17, "g (float[a,b] x) => (float[b,a] y) { t = Transpose<perm=[1,0]>(x)  y = Relu(t) }")
    assert [step.label.partition("-")[0] for step in onnx.load(plain)._plan.steps] == ["Transpose", "Relu"]


def test_a_cast_to_the_same_type_goes() -> None:
    text = "g (float[n] x) => (float[n] y, double[n] z) { a = Cast<to=1>(x)  y = Neg(a)  z = Cast<to=11>(a) }"
    loaded = onnx.load(parsed(17, text))
    assert sorted(step.label.partition("-")[0] for step in loaded._plan.steps) == ["Cast", "Neg"]
    y, z = loaded.run([np.float32([1, -2])])
    assert (y.tolist(), z.tolist()) == ([-1, 2], [1, -2])
    assert z.dtype == "float64"
