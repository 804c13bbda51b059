"""Functions that a model defines: defaults of attributes, in direct calls and in calls of functions, and graphs."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import ModelProto, parser

from suanzi.interop import onnx

pytestmark = pytest.mark.one_level

X = np.float32([-2, 1])
FUNCTIONS = """
    <domain: "own", opset_import: ["": 17]> Leaky <a: float = 0.5> (x) => (y) { y = LeakyRelu<alpha: float = @a>(x) }
    <domain: "own", opset_import: ["": 17, "own": 1]> Within (x) => (y) { y = own.Leaky(x) }
    <domain: "own", opset_import: ["": 17, "own": 1]> Chosen (x) => (y) { y = own.Leaky<a = 0.125>(x) }
    <domain: "own", opset_import: ["": 17, "own": 1]> Passed <b: float = 0.25> (x) => (y) {
        y = own.Leaky<a: float = @b>(x)
    }
    <domain: "own", opset_import: ["": 17]> Twice <axis: int = 0> (x) => (y) { y = Concat<axis: int = @axis>(x, x) }
    <domain: "own", opset_import: ["": 17]> Both <b: float = 3.0> (x) => (y) {
        z = LeakyRelu<alpha: float = @b>(x)  w = LeakyRelu(x)  y = Add(z, w)
    }
"""


def model(body: str, functions: str = FUNCTIONS) -> ModelProto:
    graph = f"g (float[n] x) => (float[m] y) {{ {body} }}"
    return parser.parse_model(f'<ir_version: 9, opset_import: ["": 17, "own": 1]> {graph} {functions}')


FACTORS = {  # the factor of negative elements
    "y = own.Leaky(x)": 0.5,
    "y = own.Leaky<a = 0.75>(x)": 0.75,
    "y = own.Within(x)": 0.5,
    "y = own.Chosen(x)": 0.125,
    "y = own.Passed(x)": 0.25,
    "y = own.Passed<b = 2.0>(x)": 2,
    "z = own.Leaky<a = 0.75>(x)  y = own.Leaky(z)": 0.375,
    "c = Constant<value = bool {1}>()  y = If(c) <then_branch = n () => (float[m] v) { v = own.Passed(x) }, "
    "else_branch = e () => (float[m] w) { w = Neg(x) }>": 0.25,
}


@pytest.mark.parametrize("body", FACTORS)
def test_defaults_and_given_numbers(body: str) -> None:
    (y,) = onnx.run(model(body), [X])
    np.testing.assert_array_equal(y.numpy(), np.where(X < 0, X * np.float32(FACTORS[body]), X))


def test_a_default_for_an_attribute_that_an_operator_requires() -> None:
    (y,) = onnx.run(model("y = own.Twice(x)"), [X])
    assert y.tolist() == [-2, 1, -2, 1]


def test_a_default_belongs_to_one_operator_of_a_function() -> None:
    (y,) = onnx.run(model("y = own.Both(x)"), [X])
    np.testing.assert_array_equal(y.numpy(), [np.float32(-2 * 3) + np.float32(-2) * np.float32(0.01), 2])


GRAPHS = {
    "M = Constant<value = int64 {3}>()  c = Constant<value = bool {1}>()  y = Loop(M, c, x) "
    "<body = l (int64 i, bool go, float[n] p) => (bool go, float[n] r) { r = Add(p, x) }>": [-8, 4],
    "c = Constant<value = bool {1}>()  y = If(c) <then_branch = t () => (float[2] k) <float[2] k = {1.0, 2.0}> { }, "
    "else_branch = e () => (float[n] w) { w = Neg(x) }>": [1, 2],
}


@pytest.mark.parametrize("body", GRAPHS)
def test_graphs_that_return_their_inputs_and_initializers(body: str) -> None:
    proto = model("y = own.Called(x)", f'<domain: "own", opset_import: ["": 17]> Called (x) => (y) {{ {body} }}')
    assert onnx.run(proto, [X])[0].tolist() == GRAPHS[body]


def test_functions_that_return_their_inputs() -> None:
    function = '<domain: "own", opset_import: ["": 17]> Called (a, b) => (a, c, b) { c = Neg(a) }'
    proto = model("z = Mul(x, x)  u, v, w = own.Called(x, z)  s = Add(u, v)  y = Add(s, w)", function)
    assert onnx.run(proto, [X])[0].tolist() == [4, 1]
