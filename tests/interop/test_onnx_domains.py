"""Operators of other domains than the default are found by domain, checked by schemas, and named in messages."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from onnx import ModelProto, TensorProto, defs, helper, parser

from suanzi import DimensionsMismatchError, InvalidArgumentError, SuanziError, TypeMismatchError
from suanzi.interop import onnx
from suanzi.interop.onnx import backend, domains, microsoft
from suanzi.interop.onnx.table import TABLES

pytestmark = pytest.mark.one_level

MICROSOFT, ML = "com.microsoft", "ai.onnx.ml"


def test_the_newest_opsets_are_those_of_the_schemas() -> None:
    newest: dict[str, int] = {}
    for schema in defs.get_all_schemas_with_history():
        newest[schema.domain] = max(schema.since_version, newest.get(schema.domain, 1))
    newest[""] = defs.onnx_opset_version()  # an opset may have no new operator
    assert newest.keys() >= {"", ML}
    assert {domain: domains.LATEST.get(domain) for domain in newest} == newest


def model_of(domain: str, op_type: str, *arrays: Any, imports: dict[str, int] | None = None, **attributes: Any) -> Any:
    names = [f"x{i}" for i in range(len(arrays))]
    given = [
        helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(a.dtype), None)
        for name, a in zip(names, arrays, strict=True)
    ]
    node = helper.make_node(op_type, names, ["y"], domain=domain, **attributes)
    graph = helper.make_graph([node], "g", given, [helper.make_tensor_value_info("y", TensorProto.UNDEFINED, None)])
    opsets = {"": 17, domain: 1} if imports is None else imports
    return helper.make_model(graph, opset_imports=[*map(helper.make_opsetid, opsets, opsets.values())], ir_version=8)


def run(domain: str, op_type: str, *arrays: Any, **options: Any) -> Any:
    (y,) = onnx.run(model_of(domain, op_type, *arrays, **options), arrays)
    return y.numpy()


RNG = np.random.default_rng(1)

FUSED: list[tuple[str, tuple[int, ...], tuple[int, ...], dict[str, Any]]] = [
    ("ik,kj->ij", (3, 4), (4, 5), {}),
    ("ki,kj->ij", (4, 3), (4, 5), {"transA": 1, "alpha": 0.5}),
    ("bik,bjk->bij", (2, 3, 4), (2, 5, 4), {"transB": 1, "alpha": -2.0}),
    ("ibk,bkj->bij", (3, 2, 4), (2, 4, 5), {"transBatchA": 1}),
    ("kbci,bckj->bcij", (4, 2, 3, 6), (2, 3, 4, 5), {"transBatchA": 1, "transA": 1}),
    ("bcik,kbcj->bcij", (2, 3, 6, 4), (4, 2, 3, 5), {"transBatchB": 1}),
    ("k,kj->j", (4,), (4, 5), {"transA": 1}),
    ("k,jk->j", (4,), (5, 4), {"transB": 1}),
]


@pytest.mark.parametrize("case", FUSED, ids=lambda case: case[0])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_products_of_transposed_matrices(case: Any, dtype: str) -> None:
    formula, left, right, options = case
    a, b = (RNG.standard_normal(shape).astype(dtype) for shape in (left, right))
    exact = np.einsum(formula, a.astype("d"), b.astype("d")) * options.get("alpha", 1.0)
    y = run(MICROSOFT, "FusedMatMul", a, b, **options)
    assert y.dtype == a.dtype
    np.testing.assert_allclose(y, exact, rtol=4 * np.finfo(dtype).eps, atol=8 * np.finfo(dtype).eps)


def test_operators_of_three_domains_in_one_model() -> None:
    text = """<ir_version: 8, opset_import: ["": 17, "com.microsoft": 1, "ai.onnx.ml": 3]>
        g (float[n] x) => (float[n] y) {
            a = com.microsoft.Gelu(x)  b = ai.onnx.ml.Binarizer<threshold = 0.5>(a)  y = Add(a, b) }"""
    x = np.float32([-1, 0, 1, 2])
    (y,) = onnx.run(parser.parse_model(text), [x])
    np.testing.assert_allclose(y.numpy(), [-0.15865525, 0, 1.8413447, 2.9544997], rtol=1e-6)


def test_a_model_without_the_default_domain() -> None:
    x = np.float64([-1, 0.25, 0.5, np.nan])
    assert run(ML, "Binarizer", x, imports={ML: 1}, threshold=0.25).tolist() == [0, 0, 1, 0]


@pytest.mark.parametrize("imports", [{"ai.onnx": 17, ML: 3}, {ML: 3, "": 17}, {ML: 5, "other.domain": 2**40}])
def test_imports(imports: dict[str, int]) -> None:
    assert run(ML, "Binarizer", np.int64([-1, 1]), imports=imports).tolist() == [0, 1]


def test_the_same_import_twice() -> None:
    model = model_of(ML, "Binarizer", np.int64([-1, 1]))
    model.opset_import.extend([*model.opset_import])
    assert onnx.run(model, [np.int64([-1, 1])])[0].tolist() == [0, 1]


X = np.float32([[1, 2], [3, 4]])

WRONG: dict[str, tuple[ModelProto, type[SuanziError], str]] = {
    "an operator that nobody knows": (
        model_of(MICROSOFT, "Nonsense", X),
        onnx.UnsupportedError,
        "operator com.microsoft.Nonsense is not supported",
    ),
    "an operator of another domain": (
        model_of(MICROSOFT, "Binarizer", X),
        onnx.UnsupportedError,
        "com.microsoft.Binarizer is not",
    ),
    "an operator of the default domain in ours": (
        model_of("", "FusedMatMul", X, X, imports={"": 17}),
        onnx.UnsupportedError,
        "operator FusedMatMul",
    ),
    "an operator for training": (
        model_of("ai.onnx.preview.training", "Adam", X, imports={"ai.onnx.preview.training": 1}),
        onnx.UnsupportedError,
        "operator ai.onnx.preview.training.Adam is not supported",
    ),
    "an unknown domain": (
        model_of("other", "Gelu", X, imports={"other": 1}),
        onnx.UnsupportedError,
        "domain 'other'",
    ),
    "a domain that is not imported": (
        model_of(ML, "Binarizer", X, imports={"": 17}),
        InvalidArgumentError,
        "imports 0 opsets of domain 'ai.onnx.ml'",
    ),
    "the default domain, not imported": (
        model_of("", "Neg", X, imports={ML: 3}),
        InvalidArgumentError,
        "imports 0 opsets of the default domain",
    ),
    "a domain twice": (
        model_of(ML, "Binarizer", X, imports={"": 17}),
        InvalidArgumentError,
        "2 opsets of domain 'ai.onnx.ml'",
    ),
    "an opset of the future": (
        model_of(ML, "Binarizer", X, imports={"": 17, ML: 99}),
        onnx.UnsupportedError,
        r"opset 99 of domain ai.onnx.ml is outside \[1, \d+\]",
    ),
    "too few operands": (model_of(MICROSOFT, "FusedMatMul", X), InvalidArgumentError, "1 operands are not 2 to 2"),
    "too many operands": (model_of(MICROSOFT, "Gelu", X, X), InvalidArgumentError, "2 operands are not 1 to 1"),
    "a missing operand": (model_of(MICROSOFT, "FusedMatMul", X, X), InvalidArgumentError, "B is missing"),
    "an unknown attribute": (
        model_of(MICROSOFT, "Gelu", X, axis=1),
        InvalidArgumentError,
        "there is no attribute 'axis'",
    ),
    "an attribute of another type": (
        model_of(MICROSOFT, "FusedMatMul", X, X, alpha=1),
        InvalidArgumentError,
        "attribute alpha is of another type",
    ),
    "an element type": (
        model_of(MICROSOFT, "Gelu", np.int64([1])),
        TypeMismatchError,
        r"com.microsoft.Gelu-1: X is tensor\(int64\)",
    ),
    "two element types": (
        model_of(MICROSOFT, "FusedMatMul", X, X.astype("d")),
        TypeMismatchError,
        r"com.microsoft.FusedMatMul-1: B is tensor\(double\) but A is tensor\(float\)",
    ),
}
WRONG["a domain twice"][0].opset_import.extend([helper.make_opsetid(ML, 3), helper.make_opsetid(ML, 2)])
WRONG["a missing operand"][0].graph.node[0].input[1] = ""


@pytest.mark.parametrize("what", WRONG)
def test_errors_at_load(what: str) -> None:
    model, error, message = WRONG[what]
    with pytest.raises(error, match=message):
        onnx.load(model)


def test_errors_of_a_run_name_the_operator_with_its_domain() -> None:
    with pytest.raises(DimensionsMismatchError) as info:
        run(MICROSOFT, "FusedMatMul", X, X[:1])
    assert info.value.__notes__ == ["in com.microsoft.FusedMatMul-1"]


def test_single_nodes_of_other_domains() -> None:
    node = helper.make_node("Binarizer", ["x"], ["y"], domain=ML, threshold=2.5)
    (y,) = backend.run_node(node, [X])
    assert y.tolist() == [[0, 0], [1, 1]]


def test_every_row_has_a_schema() -> None:
    assert microsoft.TABLE.keys() <= microsoft.SCHEMAS.keys()
    known = {schema.name for schema in defs.get_all_schemas_with_history() if schema.domain == ML}
    assert TABLES[ML].keys() <= known
    assert not defs.has("FusedMatMul", 1, MICROSOFT)  # the package registers no schema
