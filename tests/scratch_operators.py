"""Checks a copy of Suanzi with two operators that only the copy declares. test_contributing.py runs the script.

python tests/scratch_operators.py BINARY UNARY        names of a quotient and of a function with f(0) = 0
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import suanzi
from suanzi import SparseTensor, TypeMismatchError

X = suanzi.tensor([[0.0, 2.5], [-7.0, 0.0]])


def refused(function: Callable[..., Any], *arguments: Any) -> bool:
    try:
        function(*arguments)
    except TypeMismatchError:
        return True
    return False


def is_same(x: Any, y: Any) -> bool:
    return x.dtype == y.dtype and suanzi.array_equal(x, y)


def check_fused(binary: Any) -> None:
    """Check that a fused function with the operator is traced once for all numbers, and has right results."""
    fused = suanzi.fuse(lambda x, k: binary(x * 3, k) + 1)
    for k in (2.0, 3.0, -0.5):
        assert is_same(fused(X, k), binary(X * 3, k) + 1)
    assert len(fused._programs) == 1
    assert "1 fused part" in fused.explain(X, 2.0)


def check_sparse(binary: Any, unary: Any) -> None:
    for format in ("coo", "csr"):
        x = suanzi.to_sparse(X, format)
        for function, expected in (
            (lambda x=x: unary(x), unary(X)),
            (lambda x=x: binary(x, 2.0), binary(X, 2.0)),
            (lambda x=x: getattr(x, unary.__name__)(), unary(X)),
        ):
            found = function()
            assert isinstance(found, SparseTensor)
            assert found.nnz == 2
            assert is_same(found.to_dense(), expected)
        assert not isinstance(binary(2.0, x), SparseTensor)
        assert refused(binary, x, x)
        assert refused(binary, x, X)


def check_onnx(unary: Any) -> None:
    """Check that a model calls the operator on constants at load, and fuses the operator with neighbouring nodes."""
    from onnx import TensorProto, helper, numpy_helper

    from suanzi.interop import onnx

    weights = suanzi.tensor([1.5, -0.5])
    nodes = [
        helper.make_node("Mul", ["x", "x"], ["square"]),
        helper.make_node("Erf", ["square"], ["y"]),
        helper.make_node("Erf", ["w"], ["v"]),
        helper.make_node("Add", ["y", "v"], ["z"]),
    ]
    inputs, outputs = ([helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n", 2])] for name in ("x", "z"))
    graph = helper.make_graph(nodes, "model", inputs, outputs, [numpy_helper.from_array(weights.numpy(), "w")])
    proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
    model = onnx.load(proto, optimize={"x": (2**15, 2)})
    x = suanzi.ones((2**15, 2)) * 0.5
    expected = unary(x * x) + unary(weights)
    for _ in range(2):
        (found,) = model.run({"x": x})
        assert is_same(found, expected)
    assert sum("Erf" in step.label for step in model._plan.steps) == 1  # the call on constants was computed at load
    (known,) = model._optimized.values()
    assert len(known.steps) == 1, [step.label for step in known.steps]


def check_documents(names: list[str]) -> None:
    from facts import by_category

    done = subprocess.run([sys.executable, "-m", "suanzi", "ops", "--json"], capture_output=True, check=True)
    listed = {name for row in json.loads(done.stdout) for name in row["extras"]}
    assert listed.issuperset(names)
    assert {facts.name for rows in by_category().values() for facts in rows}.issuperset(names)


def main() -> None:
    names = sys.argv[1:]
    binary, unary = (getattr(suanzi, name) for name in names)
    quantized = suanzi.quantize(X, 0.5)
    check_fused(binary)
    check_sparse(binary, unary)
    assert refused(unary, quantized)
    assert refused(binary, quantized, 2.0)
    assert is_same(getattr(X, names[1])(), unary(X))
    check_onnx(unary)
    check_documents(names)


if __name__ == "__main__":
    main()
