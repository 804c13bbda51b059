"""Tests of operands that broadcast in one direction only, of softmax at its limits, and of copies of models."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from models import one_node, parsed, run_node

from samples import fails
from suanzi import DimensionsMismatchError
from suanzi.interop import onnx

SHAPES = [
    ("Gemm", 13, [(1, 3), (3, 2), (4, 2)]),
    ("Gemm", 13, [(1, 160), (160, 130), (5, 130)]),
    ("Gemm", 13, [(1, 160), (160, 130), (5, 1)]),
    ("Gemm", 13, [(1, 160), (160, 130), (2, 1, 130)]),
    ("PRelu", 16, [(1, 3), (2, 3)]),
    ("LayerNormalization", 17, [(2, 1), (4,)]),
    ("LayerNormalization", 17, [(2, 4), (3, 1, 4)]),
    ("LayerNormalization", 17, [(2, 4), (4,), (3, 1, 4)]),
    ("RMSNormalization", 23, [(2, 1), (4,)]),
    ("BatchNormalization", 15, [(2, 1, 3), (4,), (4,), (4,), (4,)]),
    ("BatchNormalization", 15, [(2, 4, 3), (4,), (1,), (4,), (4,)]),
    ("InstanceNormalization", 6, [(2, 1, 3), (4,), (4,)]),
    ("InstanceNormalization", 6, [(2, 4, 3), (4,), (1,)]),
]


@pytest.mark.parametrize(("name", "opset", "shapes"), SHAPES)
def test_parameters_that_would_enlarge_the_result(name: str, opset: int, shapes: list[tuple[int, ...]]) -> None:
    with fails(DimensionsMismatchError, {"InstanceNormalization": "nn.instance_norm"}.get(name, name)):
        run_node(name, opset, [np.ones(shape, "f4") for shape in shapes])


@pytest.mark.parametrize("opset", [11, 13])
@pytest.mark.parametrize("row", [[1e8, 1e8], [-1e7, -1e7], [1e6, 1e6, 1e6 + 1], [1000, 1001], [0, -1000]])
def test_log_softmax_of_large_logits(opset: int, row: list[float]) -> None:
    x = np.array([row], "f4")
    shifted = x.astype("f8") - x.max()
    expected = shifted - np.log(np.exp(shifted).sum())
    np.testing.assert_allclose(run_node("LogSoftmax", opset, [x], axis=-1)[0], expected, rtol=3e-7)


@pytest.mark.parametrize("name", ["Softmax", "LogSoftmax", "Hardmax"])
@pytest.mark.parametrize("shape", [(3, 0), (0, 3)])
@pytest.mark.parametrize("axis", [0, -1])
def test_softmax_of_nothing(name: str, shape: tuple[int, ...], axis: int) -> None:
    (result,) = run_node(name, 13, [np.ones(shape, "f4")], axis=axis)
    assert result.shape == shape


def gemm(**attributes: Any) -> Any:
    return onnx.load(one_node("Gemm", 13, [np.ones((2, 3), "f4"), np.ones((3, 4), "f4")], **attributes))


def softmax_chain() -> Any:
    text = "g (float[n, m] x) => (float[n, m] y) { a = Relu(x)  b = Sigmoid(a)  c = Mul(a, b)  y = Softmax(c) }"
    return onnx.load(parsed(13, text))


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda model: pickle.loads(pickle.dumps(model))])
@pytest.mark.parametrize("runs", [0, 12])
def test_models_as_copies(copied: Any, runs: int) -> None:
    """Copies of a model return the model's results, also after the runs in which the model chooses what to fuse."""
    x = np.random.default_rng(0).normal(size=(500, 160)).astype("f4")
    operands = [np.ones((2, 3), "f4"), np.ones((3, 4), "f4")]
    for model, given in ((softmax_chain(), [x]), (gemm(alpha=2.0), operands)):
        expected = model.run(given)[0].numpy()
        for _ in range(runs):
            model.run(given)
        np.testing.assert_array_equal(copied(model).run(given)[0].numpy(), expected)
