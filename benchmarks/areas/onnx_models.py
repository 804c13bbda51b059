"""ONNX models against onnxruntime: one Mul, and the classifier of examples/digits.onnx; arrays in, arrays out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx.parser
import onnxruntime

import suanzi
from comparison import Comparison
from report import THREADS
from suanzi.interop.onnx import load

Rivals = dict[str, Callable[[], object]]

DIGITS = Path(__file__).parents[2] / "examples" / "digits.onnx"
MUL = '<ir_version: 8, opset_import: ["": 14]> g (float[n] A, float[n] B) => (float[n] C) { C = Mul(A, B) }'


def rivals(model: bytes, arrays: dict[str, np.ndarray], tensors: bool = False) -> Rivals:
    """Both on the same arrays; or ours on tensors of its own, as a program that works with tensors would call it."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = THREADS
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    ours = load(model)
    if tensors:
        feed = {name: suanzi.tensor(array) for name, array in arrays.items()}
        return {"suanzi": lambda: ours.run(feed), "onnxruntime": lambda: session.run(None, arrays)}
    return {
        "suanzi": lambda: [np.asarray(y) for y in ours.run(arrays)],
        "onnxruntime": lambda: session.run(None, arrays),
    }


def mul(tensors: bool) -> Callable[[int], Rivals]:
    def make(size: int) -> Rivals:
        rng = np.random.default_rng(0)
        arrays = {name: rng.standard_normal(size).astype(np.float32) for name in "AB"}
        return rivals(onnx.parser.parse_model(MUL).SerializeToString(), arrays, tensors)

    return make


def digits(rows: int) -> Rivals:
    images = np.random.default_rng(0).integers(0, 17, (rows, 64)).astype(np.float32)
    return rivals(DIGITS.read_bytes(), {"images": images})


CASES = [
    Comparison("onnx Mul, arrays", mul(False), sizes=(4, 1_000_000), goals={4: 1.0, 1_000_000: 1.0}),
    Comparison("onnx Mul, tensors", mul(True), sizes=(4, 1_000_000), goals={4: 1.0, 1_000_000: 1.0}),
    Comparison("onnx digits, rows", digits, sizes=(1, 1000), goals={1: 1.0, 1000: 1.0}),
]
