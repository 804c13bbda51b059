"""Models that ONNX's texts forbid, and that ONNX Runtime refuses, raise errors. Their permitted neighbours run."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest
from onnx import numpy_helper

from interop.models import Array, parsed, run_node
from suanzi import DimensionsMismatchError, InvalidArgumentError, SuanziError, tuning
from suanzi.interop import onnx

pytestmark = pytest.mark.one_level

RNG = np.random.default_rng(5)
X = RNG.normal(size=(2, 3)).astype(np.float32)
IMAGE = RNG.normal(size=(1, 4, 2, 2)).astype(np.float32)
KERNEL = RNG.normal(size=(4, 1, 2, 2)).astype(np.float32)
SCALE, ONE = np.float32([0.5, 1, 2]), np.float32([0.5])


class Node(NamedTuple):
    """A node of an operator in an opset, with the operands of a run and the attributes."""

    op_type: str
    opset: int
    operands: list[Any]
    attributes: dict[str, Any]
    outputs: int = 1

    def run(self) -> list[Array]:
        operands = [None if x is None else np.asarray(x) for x in self.operands]
        return run_node(self.op_type, self.opset, operands, self.outputs, **self.attributes)


def padded(output_padding: int, stride: int, dilation: int, **more: Any) -> Node:
    pairs = {"output_padding": output_padding, "strides": stride, "dilations": dilation}
    attributes = {name: [number, number] for name, number in pairs.items()}
    return Node("ConvTranspose", 11, [IMAGE, KERNEL], attributes | more)


VALUES: dict[str, list[Node]] = {  # by the message
    "DepthToSpace-13: mode 'XYZ' is not one of DCR, CRD": [
        Node("DepthToSpace", 13, [IMAGE], {"blocksize": 2, "mode": "XYZ"})
    ],
    "DepthToSpace-11: mode 'crd' is not": [Node("DepthToSpace", 11, [IMAGE], {"blocksize": 2, "mode": "crd"})],
    "BitShift-11: direction 'UP' is not": [Node("BitShift", 11, [np.uint8([1])] * 2, {"direction": "UP"})],
    "LpNormalization-1: p 3 is not one of 1, 2": [Node("LpNormalization", 1, [X], {"p": 3})],
    "LpNormalization-1: p 0 is not": [Node("LpNormalization", 1, [X], {"p": 0})],
    "Mod-13: fmod 2 is not one of 0, 1": [Node("Mod", 13, [X, X], {"fmod": 2})],
    "TensorScatter-24: mode 'round' is not": [Node("TensorScatter", 24, [X, X], {"mode": "round"})],
    "Mod: fmod is 0, but before opset 28 must be 1 for operands of float": [
        Node("Mod", opset, [X.astype(dtype)] * 2, {}) for opset in (10, 13) for dtype in ("f2", "f4", "f8")
    ],
    r"Split: the node has both sizes \(2, 1\) and num_outputs 2": [
        Node("Split", 18, [X, np.int64([2, 1])], {"axis": 1, "num_outputs": 2}, 2)
    ],
    r"Expand: shape \(.*-1.*\) has a negative size": [
        Node("Expand", opset, [X, np.int64(shape)], {}) for opset in (8, 13) for shape in ([-1], [-1, 3], [1, 1, -1])
    ],
    "Upsample: scales .* are not all at least 1": [
        Node("Upsample", 9, [IMAGE, np.float32([1, 1, 2, 0.5])], {}),
        Node("Upsample", 9, [IMAGE, np.float32([1, 1, 2, np.nan])], {}),
        Node("Upsample", 7, [IMAGE], {"scales": [1.0, 1.0, 0.5, 0.5]}),
        Node("Upsample", 1, [IMAGE], {"height_scale": 0.5, "width_scale": 2.0}),
    ],
    r"Transpose: perm \(-1, 0\) has a negative number": [
        Node("Transpose", opset, [X], {"perm": [-1, 0]}) for opset in (1, 13)
    ],
    "ConvTranspose: output_padding .* is not less than strides .* or dilations": [
        padded(1, 1, 1), padded(2, 2, 1), padded(3, 2, 3), padded(2, 2, 1, output_shape=[6, 6]),
        Node("ConvTranspose", 11, [IMAGE, KERNEL], {"output_padding": [0, 1]}),
    ],
}  # fmt: skip
SHAPES: dict[str, list[Node]] = {
    "Tile: repeats .* are not a vector with one number for each axis of shape": [
        Node("Tile", opset, [x, np.int64(repeats)], {})
        for opset in (6, 13)
        for x, repeats in ((X, [2]), (X[0], [1, 2]), (X, 2), (X, []), (np.float32(1), [2]))
    ],
    "Clip: m.. of shape .* is not a scalar": [
        Node("Clip", opset, [X, *bounds], {})
        for opset in (11, 13)
        for bounds in ([np.float32([0, 1, 2])], [np.float32([[0]])], [None, np.float32([])])
    ],
    "izeLinear: a zero point of shape .* does not fit a scale of shape": [
        Node(operator, 13, [x, scale, point], {"axis": 1})
        for operator, x in (("QuantizeLinear", X), ("DequantizeLinear", X.astype(np.uint8)))
        for scale, point in (
            (SCALE, np.uint8(0)), (SCALE, np.uint8([0])), (ONE, np.uint8([0, 0, 0])), (ONE[0], np.uint8([0, 0, 0])),
        )
    ],
    **{
        rf"{name}: shapes \(2, 3\) and .* differ before opset 8": [
            Node(name, opset, [X, *others], {}) for opset in (1, 6) for others in ([X[0]], [X, X[:1]], [X[0, 0]])
        ]
        for name in ("Max", "Mean", "Min", "Sum")
    },
}  # fmt: skip


def cases(nodes: dict[str, list[Node]], error: type[SuanziError]) -> list[tuple[str, Node, type[SuanziError]]]:
    return [(message, node, error) for message, several in nodes.items() for node in several]


@pytest.mark.parametrize(
    ("message", "node", "error"), [*cases(VALUES, InvalidArgumentError), *cases(SHAPES, DimensionsMismatchError)]
)
def test_forbidden(message: str, node: Node, error: type[SuanziError]) -> None:
    with pytest.raises(error, match=message):
        node.run()


SUMS = X.astype(float)
PERMITTED: list[tuple[Node, Any]] = [
    (Node("Mod", 13, [SUMS, SUMS / 3 + 1], {"fmod": 1}), np.fmod(SUMS, SUMS / 3 + 1)),
    (Node("Mod", 28, [SUMS, SUMS / 3 + 1], {}), np.mod(SUMS, SUMS / 3 + 1)),
    (Node("Expand", 13, [X, np.int64([1, 1])], {}), X),
    (Node("Expand", 13, [X[:, :1], np.int64([0])], {}), np.empty((2, 0))),
    (Node("Tile", 13, [np.float32(3), np.int64([])], {}), 3),
    (Node("Clip", 11, [X, np.float32([0])], {}), X.clip(0)),
    (Node("Clip", 13, [X, np.float32([0]), np.float32([1])], {}), X.clip(0, 1)),
    (Node("Clip", 13, [np.float32(3), None, np.float32([1])], {}), 1),
    (Node("Upsample", 9, [X, np.float32([1, 1.5])], {}), X[:, [0, 0, 1, 2]]),
    (Node("Resize", 10, [X, np.float32([0.5, 1])], {}), X[:1]),
    *((Node(name, opset, [X, -X], {}), f(X, -X)) for name, f in (
        ("Max", np.maximum), ("Min", np.minimum), ("Sum", np.add), ("Mean", lambda x, y: (x + y) / 2),
    ) for opset in (1, 6)),
    *(
        (Node("QuantizeLinear", 13, [X, step, np.uint8(point)], {"axis": 1}), np.rint(X / step).clip(-99, 156) + 99)
        for step, point in ((ONE, 99), (ONE[0], [99]), (ONE, [99]), (SCALE, [99, 99, 99]))
    ),
]  # fmt: skip


@pytest.mark.parametrize(("node", "expected"), PERMITTED)
def test_permitted(node: Node, expected: Any) -> None:
    (y,) = node.run()
    assert y.shape == np.shape(expected)
    np.testing.assert_allclose(y, expected, rtol=1e-6)


@pytest.mark.parametrize(("padding", "stride", "dilation"), [(1, 2, 1), (1, 1, 2), (2, 2, 3), (2, 3, 1)])
def test_an_output_padding_below_the_stride_or_the_dilation(padding: int, stride: int, dilation: int) -> None:
    (y,) = padded(padding, stride, dilation).run()
    assert y.shape[2:] == (stride + dilation + 1 + padding,) * 2


STORED: dict[str, Array] = {
    "w": np.ones((2, 4, 1, 1), np.float32), "v": np.ones((2, 1, 1), np.float32), "low": np.float32([[0]]),
    "codes": RNG.integers(-9, 9, (9, 9)).astype(np.int8), "steps": np.ones(9, np.float32), "zero": np.int8(1),
}  # fmt: skip


@pytest.mark.parametrize(
    ("opset", "body", "shape", "message"),
    [
        (6, "c = Conv(x, w)  y = Sum(c, v)", (1, 4, 2, 2), "Sum: shapes"),
        (13, "c = Conv(x, w)  y = Clip(c, low)", (1, 4, 2, 2), "Clip: min of shape"),
        (13, "d = DequantizeLinear(codes, steps, zero)  y = MatMul(x, d)", (1, 9), "zero point of shape"),
    ],
)
def test_no_pass_permits_forbidden_nodes(
    opset: int, body: str, shape: tuple[int, ...], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tuning, "PACKED_MATRIX", 1)
    names = ",".join("abcd"[: len(shape)])
    model = parsed(opset, f"g (float[{names}] x) => (float[{names}] y) {{ {body} }}")
    used = [name for name in STORED if any(f"{name}{end}" in body for end in (",", ")"))]
    model.graph.initializer.extend(numpy_helper.from_array(np.asarray(STORED[name]), name) for name in used)
    with pytest.raises(DimensionsMismatchError, match=message):
        onnx.run(model, [np.ones(shape, np.float32)])
