"""Functions that make and run small ONNX models, from ONNX's textual form or from a single node."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import ModelProto, checker, defs, helper, parser
from onnx.helper import make_tensor_value_info, np_dtype_to_tensor_dtype

from suanzi.cli.main import main
from suanzi.interop import onnx

Array = np.ndarray[Any, Any]


def parsed(opset: int, graph: str) -> ModelProto:
    """Return the model of a graph in ONNX's textual form, such as ``g (float[n] x) => (float[n] y) { y = Abs(x) }``."""
    skip_unless_known(opset)
    return parser.parse_model(f'<ir_version: 8, opset_import: ["": {opset}]> {graph}')


def write(path: Path, model: ModelProto) -> None:
    path.write_bytes(model.SerializeToString())


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    """Return the values that `suanzi run` prints, by the names of the outputs."""
    assert main(["run", *arguments, "--json"]) == 0
    return {row["name"]: row["values"] for row in json.loads(capsys.readouterr().out)}


def one_node(
    op_type: str, opset: int, arrays: Sequence[Array | None], outputs: int = 1, **attributes: Any
) -> ModelProto:
    """Return a model of a single node whose inputs have the types of `arrays`. None omits an input."""
    skip_unless_known(opset)
    names = ["" if a is None else f"x{i}" for i, a in enumerate(arrays)]
    given = [
        make_tensor_value_info(name, np_dtype_to_tensor_dtype(a.dtype), None)
        for name, a in zip(names, arrays, strict=True)
        if a is not None
    ]
    results = [f"y{i}" for i in range(outputs)]
    node = helper.make_node(op_type, names, results, **attributes)
    graph = helper.make_graph([node], "g", given, [make_tensor_value_info(name, 0, None) for name in results])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)


def skip_unless_known(opset: int) -> None:
    """Skip the test if the installed onnx package lacks the opset."""
    if opset > defs.onnx_opset_version():
        pytest.skip(f"the installed onnx does not know opset {opset} yet")


def run_node(
    op_type: str, opset: int, arrays: Sequence[Array | None], outputs: int = 1, **attributes: Any
) -> list[Array]:
    """Run a model of a single node on arrays, and return the outputs as arrays."""
    model = onnx.load(one_node(op_type, opset, arrays, outputs, **attributes))
    return [y.numpy() for y in model.run([a for a in arrays if a is not None])]


def run_text(opset: int, graph: str, feeds: Mapping[str, Any]) -> list[Array]:
    """Check a model in textual form with ONNX's checker, run the model, and return the outputs as arrays."""
    model = parsed(opset, graph)
    checker.check_model(model)
    return [y.numpy() for y in onnx.run(model, feeds)]
