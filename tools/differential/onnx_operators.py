"""Compares ONNX's operators with ONNX's reference evaluator in float64, on random models of single nodes.

The run draws every operator and version of the table with odd shapes, options and special values. The element types are
the types that both the operator's schema and Suanzi have. A result must have the schema's type and be within some units
in that type's last place of the float64 result.

Run ``python tools/differential/onnx_operators.py`` (50,000 models, a quarter of an hour).
"""

from __future__ import annotations

import random
import sys
from functools import lru_cache
from typing import Any

import ml_dtypes
import numpy as np
from onnx import defs, helper
from onnx_cases import drawn
from onnx_drawing import FLOATS, Array, Case, Drawing
from onnx_oracle import expected
from runner import AGREES, DIFFERS, REFUSED, SKIPPED, Outcome, main

import suanzi
from suanzi.interop import onnx
from suanzi.interop.onnx.table import row_for

APART = ("Conv", "ConvInteger", "ConvTranspose", "DeformConv", "GRU", "LSTM", "QLinearConv", "RNN")
"""Operators whose operands must fit each other. The tests in tests/nn and tests/interop cover these operators."""
FIRST = {
    "BatchNormalization": 7, "Cast": 6, "Dropout": 7, "Gemm": 7, "InstanceNormalization": 6, "PRelu": 7, "Pad": 2,
    "Split": 2, "Tile": 6, "Upsample": 7,
}  # fmt: skip
"""The first version that is drawn. Earlier versions have other operands, and test_onnx_versions.py tests these
versions.
"""
NO_TENSORS = ("control", "sequence")  # families that tests/interop/test_onnx_control.py tests instead

UNITS = 4.0  # the bound of the error in units in the last place of the result's type
HALF_UNITS = 1.0  # the bound for 16-bit floats: 0.5 for one rounding, and 0.5 for the error in float32
TERMS = 16.0  # the bound of the error of a sum's terms in units of the computing type


@lru_cache(maxsize=1)
def schemas() -> list[defs.OpSchema]:
    """Return the schemas of all versions of ONNX's operators on tensors that Suanzi's table has."""
    return sorted(
        (
            schema
            for schema in defs.get_all_schemas_with_history()
            if schema.domain == ""
            and not schema.deprecated
            and (row := row_for("", schema.name, schema.since_version))
            and row.family not in NO_TENSORS
            and schema.name not in APART
            and schema.since_version >= FIRST.get(schema.name, 1)
        ),
        key=lambda schema: (schema.name, schema.since_version),
    )


def draw(chance: random.Random) -> Outcome:
    """Draw a model of one node, run the model in Suanzi and in the oracle, and compare the results."""
    schema = chance.choice(schemas())
    name, version = schema.name, schema.since_version
    case = drawn(Drawing(chance, schema))
    if case is None:
        return Outcome(name, SKIPPED)
    what = f"{name}-{version} {case.attributes}\n" + "\n".join(
        "-" if x is None else f"{x.dtype} {x.shape} {x.tolist()}" for x in case.inputs
    )
    try:
        wanted = expected(name, version, case.inputs, case.attributes, case.outputs)
    except Exception as error:
        wanted, reason = [], f"{type(error).__name__}: {error}"
    try:
        found = _run(name, version, case)
    except suanzi.SuanziError as error:
        if not wanted:
            return Outcome(name, REFUSED)
        return Outcome(name, DIFFERS, f"{what}\nrefused: {error}\nexpected: {[y.tolist() for y in wanted]}")
    if not wanted:
        return Outcome(name, SKIPPED, reason)
    for y, exact in zip(found, wanted, strict=True):
        if (problem := difference(y, exact, case, name)) is not None:
            return Outcome(name, DIFFERS, f"{what}\n{problem}\nfound: {y.tolist()}\nexpected: {exact.tolist()}")
    return Outcome(name, AGREES)


def _run(name: str, version: int, case: Case) -> list[Array]:
    names = ["" if x is None else f"x{i}" for i, x in enumerate(case.inputs)]
    results = [f"y{i}" for i in range(case.outputs)]
    node = helper.make_node(name, names, results, **case.attributes)
    given = [
        helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(x.dtype), x.shape)
        for n, x in zip(names, case.inputs, strict=True)
        if x is not None
    ]
    graph = helper.make_graph([node], "g", given, [helper.make_tensor_value_info(n, 0, None) for n in results])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", version)], ir_version=10)
    return [y.numpy() for y in onnx.run(model, [x for x in case.inputs if x is not None])]


def difference(y: Array, exact: Array, case: Case, name: str) -> str | None:
    """Return a text about the largest error of a result, or None if all elements are within the bound."""
    if y.shape != exact.shape:
        return f"shape {y.shape} is not {exact.shape}"
    if y.dtype not in FLOATS:
        same = y.dtype.kind == exact.dtype.kind or y.dtype.kind == "b" or exact.dtype.kind in "ifub"
        if same and np.array_equal(y, exact.astype(y.dtype)):
            return None
        if name == "ReduceL2" and np.allclose(y.astype(float), exact.astype(float), rtol=2.0**-50, atol=1):
            return None  # the result is the integer part of a root in float64
        return f"{y.dtype} elements differ from {exact.dtype}"
    info, got, right = ml_dtypes.finfo(y.dtype), y.astype(np.float64), exact.astype(np.float64)
    with np.errstate(all="ignore"):
        size = np.where(np.isfinite(right), np.abs(right), 0)
        unit = np.maximum(size * float(info.eps), float(info.smallest_subnormal))
        allowed = unit * (HALF_UNITS if y.dtype.itemsize == 2 else UNITS) + _terms(case, name, size, y)
        near = np.abs(got - right) <= allowed
        past = np.abs(right) + allowed >= float(info.max)  # results near the limit may be rounded to infinity
        same = (got == right) | (np.isnan(got) & np.isnan(right)) | near
        wrong = ~(same | (past & (np.abs(got) >= float(info.max)) & (np.sign(got) == np.sign(right))))
    if not wrong.any():
        return None
    at = tuple(int(i) for i in np.argwhere(wrong)[0])
    units = np.abs(got - right)[at] / unit[at]
    return f"{y.dtype} at {at}: {got[at]!r} is {units:.4g} units from {right[at]!r}"


def _terms(case: Case, name: str, size: Array, y: Array) -> Any:
    """Return the bound of the error that the rounding of a sum's terms causes in the computing type."""
    double = y.dtype == np.float64
    unit, least = (2.0**-53, 2.0**-1074) if double else (2.0**-24, 2.0**-149)
    first = case.inputs[0] if case.inputs else None
    x = np.zeros(1) if first is None or first.dtype not in FLOATS else np.abs(first.astype(np.float64))
    finite = np.where(np.isfinite(x), x, 0)
    magnitude = case.magnitude
    if magnitude == "sum":
        magnitude = np.sum(finite**2 if "Square" in name else finite) + (8 if "Log" in name else 0)
        magnitude = size * 8 if "Prod" in name else magnitude
    elif magnitude == "terms":
        given = [np.abs(np.nan_to_num(v.astype(np.float64), posinf=0, neginf=0)) for v in case.inputs if v is not None]
        magnitude = sum(given[1:], given[0])
    elif magnitude == "power":  # the power or the square of a rounded number, whose errors grow with the exponent
        largest = np.max(finite, initial=1)
        magnitude = size * (8 + min(largest**2, 1500) / 8) + least / unit * largest
    elif magnitude == "spread":
        magnitude = 1e9
    elif magnitude == "log":
        magnitude = np.max(finite, initial=1) * np.maximum(size, 1 if name == "LogSoftmax" else 0)
    return TERMS * unit * magnitude


if __name__ == "__main__":
    sys.exit(main(draw, __doc__, 50_000))
