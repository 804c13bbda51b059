"""Chains of nodes become one call, if no result changes by more than the last bit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from onnx import numpy_helper

import suanzi
from interop.models import Array, parsed
from suanzi.interop import onnx

STORED = {
    "w": np.linspace(-1, 2, 12, dtype=np.float32).reshape(4, 3),
    "b": np.float32([10, -20, 30]),
    "c": np.float32([[1, 2, 3]]),
}
X = np.linspace(-3, 3, 24, dtype=np.float32).reshape(2, 3, 4)


def loaded(graph: str, **stored: Any) -> onnx.Model:
    model = parsed(17, graph)
    model.graph.initializer.extend(numpy_helper.from_array(a, name) for name, a in {**STORED, **stored}.items())
    return onnx.load(model)


@pytest.mark.parametrize("added", ["Add(p, b)", "Add(b, p)"])
@pytest.mark.parametrize(("axes", "shape"), [("a,b,c", (2, 3, 4)), ("a,b,c", (0, 3, 4)), ("a,b", (6, 4)), ("a", (4,))])
def test_a_product_and_a_vector_are_one_call(added: str, axes: str, shape: tuple[int, ...]) -> None:
    model = loaded(f"g (float[{axes}] x) => (float[{axes}] y) {{ p = MatMul(x, w)  y = {added} }}")
    x = np.resize(X, shape)
    (y,) = model.run([x])
    assert len(model._plan.steps) == 1
    np.testing.assert_allclose(y.numpy(), x @ STORED["w"] + STORED["b"], rtol=1e-6, atol=1e-5)


OTHERS: dict[str, tuple[str, int, Callable[[Array], list[Array]]]] = {
    "a product that is a result": (
        "(float[n,4] x) => (float[n,3] y, float[n,3] p) { p = MatMul(x, w)  y = Add(p, b) }",
        2,
        lambda p: [p + STORED["b"], p],
    ),
    "a product that others read": (
        "(float[n,4] x) => (float[n,3] y, float[n,3] z) { p = MatMul(x, w)  y = Add(p, b)  z = Neg(p) }",
        3,
        lambda p: [p + STORED["b"], -p],
    ),
    "a product that is added twice": (
        "(float[n,4] x) => (float[n,3] y) { p = MatMul(x, w)  y = Add(p, p) }",
        2,
        lambda p: [p + p],
    ),
    "a matrix that is added": (
        "(float[n,4] x) => (float[n,3] y) { p = MatMul(x, w)  y = Add(p, c) }",
        2,
        lambda p: [p + STORED["c"]],
    ),
    "a matrix that may be fed": (
        "(float[n,4] x, float[4,3] w) => (float[n,3] y) { p = MatMul(x, w)  y = Add(p, b) }",
        2,
        lambda p: [p + STORED["b"]],
    ),
}


@pytest.mark.parametrize("what", OTHERS)
def test_what_stays_as_it_is(what: str) -> None:
    graph, steps, expected = OTHERS[what]
    model = loaded(f"g {graph}")
    assert len(model._plan.steps) == steps
    for y, e in zip(model.run([X[0]]), expected(X[0] @ STORED["w"]), strict=True):
        np.testing.assert_allclose(y.numpy(), e, rtol=1e-5, atol=1e-5)


def test_shapes_that_do_not_fit_are_named_with_the_node() -> None:
    with pytest.raises(suanzi.DimensionsMismatchError) as caught:
        loaded("g (float[n,k] x) => (float[n,m] y) { p = MatMul(x, w)  y = Add(p, b) }").run([X[0, :, :3]])
    assert caught.value.__notes__ == ["in MatMul-13"]
