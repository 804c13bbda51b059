"""Linear models, support vectors and encoders of ai.onnx.ml return the same results as loops in NumPy."""

from __future__ import annotations

import math
import pickle
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from onnx import ModelProto, TensorProto, helper, numpy_helper, parser

import suanzi
from interop.test_onnx_trees import expected_transform
from suanzi import DimensionsMismatchError, InvalidArgumentError, OutOfRangeError, SuanziError, TypeMismatchError
from suanzi.interop import onnx

ML = "ai.onnx.ml"
RNG = np.random.default_rng(1)
NAN = math.nan
TRANSFORMS = ("NONE", "LOGISTIC", "SOFTMAX", "SOFTMAX_ZERO")


def model(op_type: str, arrays: Sequence[Any], outputs: int = 1, version: int = 1, **attributes: Any) -> ModelProto:
    names, results = [f"x{i}" for i in range(len(arrays))], [f"y{i}" for i in range(outputs)]
    node = helper.make_node(op_type, names, results, domain=ML, **attributes)
    codes = [TensorProto.STRING if x.dtype.kind in "UO" else helper.np_dtype_to_tensor_dtype(x.dtype) for x in arrays]
    given = [helper.make_tensor_value_info(name, code, None) for name, code in zip(names, codes, strict=True)]
    ends = [helper.make_tensor_value_info(name, TensorProto.UNDEFINED, None) for name in results]
    graph = helper.make_graph([node], "g", given, ends)
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid(ML, version)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=9)


def run(op_type: str, *arrays: Any, outputs: int = 1, version: int = 1, **attributes: Any) -> list[Any]:
    loaded = onnx.load(model(op_type, arrays, outputs, version, **attributes))
    found = loaded.run(list(arrays))
    again = pickle.loads(pickle.dumps(loaded)).run(list(arrays))
    for y, z in zip(found, again, strict=True):
        assert str(y.tolist()) == str(z.tolist())
    return [np.array(y.tolist()) if y.dtype is suanzi.string else y.numpy() for y in found]


def features(dtype: str, count: int = 3, rows: int = 6) -> Any:
    return (RNG.normal(size=(rows, count)) * 2).astype(dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64"])
@pytest.mark.parametrize("how", TRANSFORMS)
@pytest.mark.parametrize("targets", [1, 3])
def test_linear_regressors(dtype: str, how: str, targets: int) -> None:
    x, w, b = features(dtype), RNG.normal(size=(targets, 3)), RNG.normal(size=targets)
    w, b = w.astype("f"), b.astype("f")
    z = np.array(
        [[sum(a * c for a, c in zip(row, each, strict=True)) for each in w.astype("d")] for row in x.astype("d")]
    )
    given = {"coefficients": w.ravel().tolist(), "post_transform": how, "targets": targets}
    for bias in (None, b):
        more = {} if bias is None else {"intercepts": bias.tolist()}
        wanted = z if bias is None else z + bias
        (y,) = run("LinearRegressor", x, **given, **more)
        assert y.dtype == np.float32
        np.testing.assert_allclose(y, expected_transform(how, wanted) if targets > 1 else wanted, rtol=2e-5, atol=1e-5)


@pytest.mark.parametrize("row", [(NAN, NAN), (NAN, 0), (NAN, 1, 2, 0), (-1000, 0, -1000), (NAN, -1000)])
def test_softmax_of_the_scores_that_are_not_zero(row: tuple[float, ...]) -> None:
    given = {"coefficients": [0.0] * len(row), "intercepts": [float(x) for x in row], "targets": len(row)}
    (y,) = run("LinearRegressor", np.zeros((1, 1), "f"), post_transform="SOFTMAX_ZERO", **given)
    largest = max((x for x in row if abs(x) > 0), default=0)
    total = sum(math.exp(x - largest) for x in row if abs(x) > 0)
    wanted = [math.exp(x - largest) / total if abs(x) > 0 else x for x in row]
    np.testing.assert_allclose(y, [wanted], rtol=1e-6)


@pytest.mark.parametrize("how", TRANSFORMS)
@pytest.mark.parametrize("classes", [1, 2, 3])
@pytest.mark.parametrize("strings", [False, True])
def test_linear_classifiers(how: str, classes: int, strings: bool) -> None:
    x, w, b = features("float32"), RNG.normal(size=(classes, 3)).astype("f"), RNG.normal(size=classes).astype("f")
    labels: list[Any] = ["a", "b", "c"][: max(classes, 2)] if strings else [7, 5, 9][: max(classes, 2)]
    z = x.astype("d") @ w.T.astype("d") + b
    given = {"coefficients": w.ravel().tolist(), "intercepts": b.tolist(), "post_transform": how}
    label, y = run(
        "LinearClassifier", x, outputs=2, **given, **{f"classlabels_{'strings' if strings else 'ints'}": labels}
    )
    if classes == 1:
        wanted = np.concatenate((-z, z) if how == "LOGISTIC" else (1 - z, z), 1)
        wanted = expected_transform("LOGISTIC", wanted) if how == "LOGISTIC" else wanted
        assert label.tolist() == [labels[int(each > 0)] for each in z[:, 0]]
    else:
        wanted = expected_transform(how, z)
        assert label.tolist() == [labels[i] for i in z.argmax(1)]
    np.testing.assert_allclose(y, wanted, rtol=2e-5, atol=1e-5)


@pytest.mark.parametrize(
    ("row", "place"),
    [((NAN, 1), 0), ((NAN, math.inf), 0), ((1, NAN, 2), 2), ((1, NAN, 1), 0), ((-math.inf, NAN), 0), ((0, 3, NAN), 1)],
)
def test_labels_beside_scores_that_are_no_numbers(row: tuple[float, ...], place: int) -> None:
    """The labels equal the labels of ONNX Runtime 1.32."""
    given = {"coefficients": [0.0] * len(row), "intercepts": [float(x) for x in row]}
    x = np.zeros((2, 1), "f")
    label, _ = run("LinearClassifier", x, outputs=2, classlabels_ints=[5, 7, 9][: len(row)], **given)
    assert label.tolist() == [[5, 7, 9][place]] * 2


def kernel(kind: str, a: Any, b: Any) -> float:
    gamma, constant, degree = 0.3, 0.2, 2.0
    if kind == "RBF":
        return math.exp(-gamma * sum((p - q) ** 2 for p, q in zip(a, b, strict=True)))
    product = sum(p * q for p, q in zip(a, b, strict=True))
    if kind == "LINEAR":
        return product
    inner = gamma * product + constant
    return inner**degree if kind == "POLY" else math.tanh(inner)


KERNEL = [float(np.float32(x)) for x in (0.3, 0.2, 2.0)]


@pytest.mark.parametrize("kind", ["LINEAR", "POLY", "RBF", "SIGMOID"])
@pytest.mark.parametrize("one_class", [0, 1])
def test_support_vector_regressors(kind: str, one_class: int) -> None:
    x, vectors, weights = features("float32"), features("float32", rows=4), RNG.normal(size=4).astype("f")
    given = {"n_supports": 4, "support_vectors": vectors.ravel().tolist(), "coefficients": weights.tolist()}
    more = {"kernel_type": kind, "kernel_params": KERNEL, "rho": [0.25], "one_class": one_class}
    (y,) = run("SVMRegressor", x, **given, **more)
    wanted = [
        sum(float(w) * kernel(kind, row, v) for w, v in zip(weights, vectors.astype("d"), strict=True)) + 0.25
        for row in x.astype("d")
    ]
    if one_class:
        wanted = [1.0 if each > 0 else -1.0 for each in wanted]
    assert y.shape == (6, 1)
    np.testing.assert_allclose(y[:, 0], wanted, rtol=1e-5, atol=1e-5)
    (y,) = run("SVMRegressor", x, coefficients=[1.0, 2.0, 3.0], rho=[0.5])  # a linear model has no support vectors
    np.testing.assert_allclose(y[:, 0], x @ [1, 2, 3] + 0.5, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("x", [1e8 + 1, np.int64(10**8 + 1), -math.inf])
def test_kernels_of_near_and_infinite_features(x: Any) -> None:
    given = {"kernel_type": "RBF", "kernel_params": [0.5, 0.0, 3.0], "support_vectors": [1e8, 1e8]}
    wanted = math.exp(-0.5 * (float(x) - 1e8) ** 2)
    (y,) = run("SVMRegressor", np.array([[x]]), n_supports=2, coefficients=[1.0, 1.0], rho=[0.0], **given)
    np.testing.assert_allclose(y, [[2 * wanted]], rtol=1e-6)
    more = {"vectors_per_class": [1, 1], "coefficients": [2.0, 1.0], "rho": [-1.0], "classlabels_ints": [0, 1]}
    _, y = run("SVMClassifier", np.array([[x]]), outputs=2, **given, **more)
    np.testing.assert_allclose(np.abs(y), np.abs([[3 * wanted - 1] * 2]), rtol=1e-6)


def pair_scores(kind: str, row: Any, vectors: Any, weights: Any, counts: list[int], rho: list[float]) -> list[float]:
    ends = np.cumsum([0, *counts])
    similar = [kernel(kind, row, v) for v in vectors]
    found = []
    for i in range(len(counts)):
        for j in range(i + 1, len(counts)):
            of_i = sum(weights[j - 1][k] * similar[k] for k in range(ends[i], ends[i + 1]))
            of_j = sum(weights[i][k] * similar[k] for k in range(ends[j], ends[j + 1]))
            found.append(of_i + of_j + rho[len(found)])
    return found


@pytest.mark.parametrize("kind", ["LINEAR", "POLY", "RBF", "SIGMOID"])
@pytest.mark.parametrize("counts", [[2, 3], [1, 2, 3], [2, 1, 1, 2]])
def test_support_vector_classifiers(kind: str, counts: list[int]) -> None:
    classes, total = len(counts), sum(counts)
    pairs = [(i, j) for i in range(classes) for j in range(i + 1, classes)]
    x, vectors = features("float32"), features("float32", rows=total)
    weights, rho = RNG.normal(size=(classes - 1, total)).astype("f"), RNG.normal(size=len(pairs)).astype("f")
    labels = [7, 5, 9, 3][:classes]
    given = {
        "vectors_per_class": counts,
        "support_vectors": vectors.ravel().tolist(),
        "coefficients": weights.ravel().tolist(),
        "rho": rho.tolist(),
        "kernel_type": kind,
        "kernel_params": KERNEL,
        "classlabels_ints": labels,
    }
    label, y = run("SVMClassifier", x, outputs=2, **given)
    found = [
        pair_scores(kind, row, vectors.astype("d"), weights.astype("d"), counts, rho.tolist()) for row in x.astype("d")
    ]
    for row, each, own in zip(found, y, label, strict=True):
        votes = [0] * classes
        for value, (i, j) in zip(row, pairs, strict=True):
            votes[i if value > 0 else j] += 1
        assert own == labels[votes.index(max(votes))]
        np.testing.assert_allclose(each, row if classes > 2 else [-row[0], row[0]], rtol=1e-4, atol=1e-5)
    a, b = [-1.5] * len(pairs), [0.1] * len(pairs)
    _, p = run("SVMClassifier", x, outputs=2, **given, prob_a=a, prob_b=b)
    np.testing.assert_allclose(p, [coupled(row, a, b, classes) for row in found], rtol=1e-3, atol=1e-4)


def coupled(row: list[float], a: list[float], b: list[float], classes: int) -> Any:
    """Return the probabilities of the classes, coupled from pairwise scores by libsvm's method, element by element."""
    r = np.zeros((classes, classes))
    place = 0
    for i in range(classes):
        for j in range(i + 1, classes):
            p = 1 / (1 + math.exp(row[place] * np.float32(a[place]) + np.float32(b[place])))
            r[i, j] = min(max(p, 1e-7), 1 - 1e-7)
            r[j, i] = 1 - r[i, j]
            place += 1
    q = np.zeros((classes, classes))
    for i in range(classes):
        for j in range(classes):
            q[i, j] = sum(r[k, i] ** 2 for k in range(classes) if k != i) if i == j else -r[j, i] * r[i, j]
    p = np.full(classes, 1 / classes)
    for _ in range(100):
        qp = q @ p
        whole = p @ qp
        if max(abs(qp - whole)) < 0.005 / classes:
            break
        for t in range(classes):
            diff = (whole - qp[t]) / q[t, t]
            p[t] += diff
            whole = (whole + diff * (diff * q[t, t] + 2 * qp[t])) / (1 + diff) ** 2
            qp = (qp + diff * q[t]) / (1 + diff)
            p = p / (1 + diff)
    return p


KEYS: list[tuple[str, list[Any], Any, list[int]]] = [  # attribute, keys, X, expected positions
    ("strings", ["a", "", "算子"], np.array([["算子", "b"], ["", "a"]], object), [2, 3, 1, 0]),
    ("int64s", [5, -1, 2**62], np.int64([[2**62, 0], [-1, 5]]), [2, 3, 1, 0]),
    ("floats", [0.5, NAN, -1.0], np.float32([[-1, 2], [NAN, 0.5]]), [2, 3, 1, 0]),
]
VALUES: list[tuple[str, list[Any], Any]] = [
    ("strings", ["x", "y", "z"], "none"),
    ("int64s", [7, 8, 9], -5),
    ("floats", [0.5, 1.5, 2.5], -0.5),
]


@pytest.mark.parametrize("version", [2, 4])
@pytest.mark.parametrize("keys", KEYS, ids=lambda case: case[0])
@pytest.mark.parametrize("values", VALUES, ids=lambda case: case[0])
def test_label_encoders(version: int, keys: Any, values: Any) -> None:
    (kind, given, x, places), (of, results, default) = keys, values
    more = {f"keys_{kind}": given, f"values_{of}": results, f"default_{of.removesuffix('s')}": default}
    (y,) = run("LabelEncoder", x, version=version, **more)
    assert y.shape == x.shape
    assert y.ravel().tolist() == [[*results, default][place] for place in places]


@pytest.mark.parametrize("key", ["float64", "int32", "int16", "int64", "float32"])
@pytest.mark.parametrize("value", ["float64", "int32", "int16", "int64", "float32"])
def test_label_encoders_of_tensors(key: str, value: str) -> None:
    x = np.array([3, 1, 2], key)
    tensors = {
        "keys_tensor": numpy_helper.from_array(np.array([1, 2], key)),
        "values_tensor": numpy_helper.from_array(np.array([10, 20], value)),
    }
    for default in (None, -7):
        more = {} if default is None else {"default_tensor": numpy_helper.from_array(np.array([default], value))}
        (y,) = run("LabelEncoder", x, version=4, **tensors, **more)
        last = default if default is not None else 0 if value[0] == "f" else -1
        assert (y.dtype, y.tolist()) == (np.dtype(value), [last, 10, 20])


def test_equal_keys() -> None:
    given = {"keys_int64s": [1, 1], "values_int64s": [5, 6]}
    assert run("LabelEncoder", np.int64([1]), version=4, **given)[0].tolist() == [6]  # the last value, by ONNX's text
    assert run("LabelEncoder", np.int64([1]), version=2, **given)[0].tolist() == [5]  # the first, as in ONNX Runtime


def test_labels_and_categories_both_ways() -> None:
    words, numbers = np.array(["b", "z"], object), np.int64([1, 9])
    assert run("LabelEncoder", words, classes_strings=["a", "b"])[0].tolist() == [1, -1]
    assert run("LabelEncoder", numbers, classes_strings=["a", "b"])[0].tolist() == ["b", "_Unused"]
    given = {"cats_strings": ["a", "b"], "cats_int64s": [1, 4], "default_string": "?", "default_int64": 0}
    assert run("CategoryMapper", words, **given)[0].tolist() == [4, 0]
    assert run("CategoryMapper", numbers, **given)[0].tolist() == ["a", "?"]


@pytest.mark.parametrize(
    ("x", "categories", "rows"),
    [
        (np.int64([1, 3, 7]), [1, 2, 3], [[1, 0, 0], [0, 0, 1], [0, 0, 0]]),
        (np.int32([[3], [2]]), [1, 2, 3], [[[0, 0, 1]], [[0, 1, 0]]]),
        (np.float32([1.7, -1.2, NAN, math.inf]), [1, -1, 0], [[1, 0, 0], [0, 1, 0], [0, 0, 0], [0, 0, 0]]),
        (np.array(["b", "c"], object), ["a", "b"], [[0, 1], [0, 0]]),
    ],
)
def test_one_hot_encoders(x: Any, categories: list[Any], rows: list[Any]) -> None:
    name = "cats_strings" if isinstance(categories[0], str) else "cats_int64s"
    (y,) = run("OneHotEncoder", x, **{name: categories})
    assert (y.dtype, y.tolist()) == (np.float32, rows)
    if not np.array(rows).any(-1).all():
        with pytest.raises(InvalidArgumentError, match="not one of the categories"):
            run("OneHotEncoder", x, zeros=0, **{name: categories})


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64"])
def test_scalers_and_normalizers(dtype: str) -> None:
    x = np.array([[1, -2, 4], [-3, -5, -1], [0, 0, 0]], dtype)
    (y,) = run("Scaler", x, offset=[1.0, 2.0, 0.5], scale=[2.0, 0.5, -1.0])
    np.testing.assert_allclose(y, (x.astype("d") - [1, 2, 0.5]) * [2, 0.5, -1])
    assert y.dtype == np.float32
    assert run("Scaler", x, offset=[1.0], scale=[2.0])[0].tolist() == ((x - 1) * 2.0).tolist()
    for norm, by in (("MAX", [4, -1, 1]), ("L1", [7, 9, 1]), ("L2", [math.sqrt(21), math.sqrt(35), 1])):
        (y,) = run("Normalizer", x, norm=norm)
        np.testing.assert_allclose(y, x / np.array(by)[:, None], rtol=1e-6)
        (y,) = run("Normalizer", x[0], norm=norm)
        np.testing.assert_allclose(y, x[0] / by[0], rtol=1e-6)


def test_squares_that_float32_does_not_hold() -> None:
    (y,) = run("Normalizer", np.float32([[3e30, 4e30]]), norm="L2")
    np.testing.assert_allclose(y, [[0.6, 0.8]], rtol=1e-6)


def test_imputers() -> None:
    x = np.float32([[1, NAN], [NAN, 1]])
    given = {"replaced_value_float": NAN}
    assert run("Imputer", x, imputed_value_floats=[5.0, 6.0], **given)[0].tolist() == [[1, 6], [5, 1]]
    assert run("Imputer", x.astype("d"), imputed_value_floats=[5.0], **given)[0].tolist() == [[1, 5], [5, 1]]
    for dtype in ("int32", "int64"):
        (y,) = run("Imputer", np.array([[0, 7]], dtype), imputed_value_int64s=[5], replaced_value_int64=7)
        assert (y.dtype, y.tolist()) == (np.dtype(dtype), [[0, 5]])
    assert run("Imputer", np.int32([3]), imputed_value_int64s=[5], replaced_value_int64=2**40)[0].tolist() == [3]


def test_columns() -> None:
    x = np.float32([[1, 2], [3, 4]])
    assert run("ArrayFeatureExtractor", x, np.int64([1, 0, 1]))[0].tolist() == [[2, 1, 2], [4, 3, 4]]
    assert run("ArrayFeatureExtractor", x[0], np.int64([[1], [0]]))[0].tolist() == [[2, 1]]
    words = np.array([["a", "b"]], object)
    assert run("ArrayFeatureExtractor", words, np.int64([1]))[0].tolist() == [["b"]]
    for index in (-1, 2):
        with pytest.raises(OutOfRangeError):
            run("ArrayFeatureExtractor", x, np.int64([index]))
    (y,) = run("FeatureVectorizer", x, np.float32([[5], [6]]), inputdimensions=[1, 2])
    assert y.tolist() == [[1, 5, 0], [3, 6, 0]]
    assert run("FeatureVectorizer", np.int64([1, 2]), inputdimensions=[2])[0].tolist() == [[1, 2]]


@pytest.mark.parametrize(("name", "labels"), [("int64s", [7, 5]), ("strings", ["a", "b"])])
def test_rows_as_dictionaries(name: str, labels: list[Any]) -> None:
    x = np.float32([[0.25, 0.75], [0.5, 0.5]])
    graph = model("ZipMap", [x], **{f"classlabels_{name}": labels})
    graph.graph.output[0].type.Clear()
    (y,) = onnx.load(graph).run([x])
    assert y == [dict(zip(labels, row, strict=True)) for row in x.tolist()]
    with pytest.raises(DimensionsMismatchError, match="does not have 2 features"):
        onnx.load(graph).run([np.zeros((1, 3), np.float32)])


def test_shapes_that_a_converter_guessed() -> None:
    """A model with a wrong shape and two imports of the default domain runs. skl2onnx writes such models."""
    text = """<ir_version: 8, opset_import: ["ai.onnx.ml": 1, "": 17, "": 17]>
        g (float[n,2] x) => (int64[n] label, float[n,2] scores) <int64[1] place = {1}> {
            label, both = ai.onnx.ml.LinearClassifier<
                classlabels_ints = [5, 7], coefficients = [1.0, 0.0, -1.0, 0.0], intercepts = [0.0, 0.0]>(x)
            scores = ai.onnx.ml.ArrayFeatureExtractor(both, place)
        }"""
    label, scores = onnx.run(parser.parse_model(text), [np.float32([[1, 2], [-3, 4]])])
    assert (label.tolist(), scores.tolist()) == ([5, 7], [[-1], [3]])


def map_model(op_type: str, key: int, value: int, **attributes: Any) -> Any:
    """Return a model of one node whose input is a map from keys of type `key` to values of type `value`."""
    kind = helper.make_map_type_proto(key, helper.make_tensor_type_proto(value, []))
    node = helper.make_node(op_type, ["x"], ["y"], domain=ML, **attributes)
    result = helper.make_tensor_value_info("y", TensorProto.UNDEFINED, None)
    graph = helper.make_graph([node], "g", [helper.make_value_info("x", kind)], [result])
    imports = [helper.make_opsetid("", 17), helper.make_opsetid(ML, 3)]
    return helper.make_model(graph, opset_imports=imports, ir_version=8)


TEXT, WHOLE, REAL, WIDE = TensorProto.STRING, TensorProto.INT64, TensorProto.FLOAT, TensorProto.DOUBLE


def test_maps_as_rows() -> None:
    for (key, value, given), attributes, wanted in (
        ((WHOLE, REAL, {3: 1.5, 1: 2}), {"cast_to": "TO_FLOAT", "map_form": "DENSE"}, [[2, 1.5]]),
        (
            (WHOLE, TEXT, {3: "7", 1: "2"}),
            {"cast_to": "TO_INT64", "map_form": "SPARSE", "max_map": 5},
            [[0, 2, 0, 7, 0]],
        ),
        ((WHOLE, REAL, {0: 1.0}), {"cast_to": "TO_STRING", "map_form": "DENSE"}, [["1.0"]]),
    ):
        model = onnx.load(map_model("CastMap", key, value, **attributes))
        assert model.run({"x": given})[0].tolist() == wanted
    sparse = onnx.load(map_model("CastMap", WHOLE, REAL, cast_to="TO_FLOAT", map_form="SPARSE", max_map=5))
    with pytest.raises(OutOfRangeError, match="outside"):
        sparse.run([{5: 1.0}])
    for text in ("x", "1_000", "१२"):
        with pytest.raises(InvalidArgumentError, match=f"CastMap: '{text}' is not a number"):
            onnx.run(map_model("CastMap", WHOLE, TEXT, cast_to="TO_FLOAT", map_form="DENSE"), [{0: text}])


@pytest.mark.parametrize("value", [WHOLE, REAL, WIDE])
def test_maps_by_a_vocabulary(value: int) -> None:
    kind = {WHOLE: suanzi.int64, REAL: suanzi.float32, WIDE: suanzi.float64}[value]
    model = onnx.load(map_model("DictVectorizer", TEXT, value, string_vocabulary=["a", "c", "b", "z"]))
    for given, wanted in (
        ({"a": 4, "c": 8}, [[4, 8, 0, 0]]),
        ({}, [[0] * 4]),
        ({"q": 1, "z": np.int64(3)}, [[0, 0, 0, 3]]),
    ):
        (y,) = model.run({"x": given})
        assert (y.tolist(), y.dtype) == (wanted, kind)
    assert pickle.loads(pickle.dumps(model)).run([{"b": 2}])[0].tolist() == [[0, 0, 2, 0]]
    if value != WHOLE:
        numbers = onnx.load(map_model("DictVectorizer", WHOLE, value, int64_vocabulary=[1, 2]))
        assert numbers.run([{2: 0.5}])[0].tolist() == [[0, 0.5]]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([1], "run: input 'x' is list, not a mapping"),
        ({1: 2.0}, r"run: input 'x' has the keys \[1\], which are not texts"),
        ({"a": "b"}, r"run: input 'x' has the values \['b'\], which are not tensor\(float\)"),
        ({"a": None}, "has the values"),
    ],
)
def test_maps_of_other_types(given: Any, message: str) -> None:
    model = onnx.load(map_model("DictVectorizer", TEXT, REAL, string_vocabulary=["a"]))
    with pytest.raises(TypeMismatchError, match=message):
        model.run({"x": given})


def test_maps_that_no_operator_takes() -> None:
    with pytest.raises(InvalidArgumentError, match=r"a map from .* is not supported"):
        onnx.load(map_model("DictVectorizer", TensorProto.INT32, REAL, string_vocabulary=["a"]))
    with pytest.raises(SuanziError):
        onnx.load(map_model("Binarizer", TEXT, REAL))


F = np.float32([[1, 2]])
WRONG: list[tuple[str, Sequence[Any], dict[str, Any], type[SuanziError], str]] = [
    ("LinearRegressor", [F], {"coefficients": [1.0, 2.0, 3.0], "targets": 2}, InvalidArgumentError, "3 coefficients"),
    ("LinearRegressor", [F], {"coefficients": [1.0], "targets": 0}, InvalidArgumentError, "0 targets"),
    (
        "LinearRegressor",
        [F],
        {"coefficients": [1.0], "intercepts": [1.0, 2.0]},
        InvalidArgumentError,
        "intercepts has 2",
    ),
    ("LinearRegressor", [F], {"coefficients": [1.0, 2.0, 3.0]}, DimensionsMismatchError, "does not have 3 features"),
    (
        "LinearRegressor",
        [F],
        {"coefficients": [1.0, 2.0], "post_transform": "X"},
        InvalidArgumentError,
        "'X' is not one of",
    ),
    ("LinearClassifier", [F], {"coefficients": [1.0, 2.0]}, InvalidArgumentError, "labels of either integers"),
    (
        "SVMRegressor",
        [F],
        {"coefficients": [1.0], "n_supports": 2, "rho": [0.0]},
        InvalidArgumentError,
        "support vectors",
    ),
    ("SVMRegressor", [F], {"coefficients": [1.0]}, InvalidArgumentError, "rho has 0 numbers"),
    (
        "SVMClassifier",
        [F],
        {"classlabels_ints": [1, 2], "vectors_per_class": [1]},
        InvalidArgumentError,
        "do not fit 2 classes",
    ),
    (
        "SVMClassifier",
        [F],
        {"classlabels_ints": [1, 2], "vectors_per_class": [1, 2**62], "support_vectors": [1.0], "coefficients": [1.0]},
        InvalidArgumentError,
        "support vectors",
    ),
    (
        "LabelEncoder",
        [np.int64([1])],
        {"keys_floats": [1.0], "values_int64s": [1], "version": 2},
        TypeMismatchError,
        "keys",
    ),
    (
        "LabelEncoder",
        [F],
        {"keys_floats": [1.0], "values_int64s": [1, 2], "version": 2},
        InvalidArgumentError,
        "1 keys",
    ),
    ("LabelEncoder", [F], {"keys_floats": [1.0], "version": 2}, InvalidArgumentError, "has 0 attributes values_"),
    ("OneHotEncoder", [F], {}, InvalidArgumentError, "0 attributes cats_"),
    ("OneHotEncoder", [F], {"cats_strings": ["a"]}, TypeMismatchError, "categories are"),
    ("Imputer", [F], {}, InvalidArgumentError, "either imputed_value_floats"),
    ("Imputer", [F], {"imputed_value_int64s": [1]}, InvalidArgumentError, "no values for X"),
    ("Imputer", [F], {"imputed_value_floats": [1.0, 2.0, 3.0]}, DimensionsMismatchError, "3 values"),
    ("Scaler", [F], {"offset": [1.0, 2.0, 3.0], "scale": [1.0]}, DimensionsMismatchError, "3 numbers"),
    ("Normalizer", [F], {"norm": "L3"}, InvalidArgumentError, "'L3' is not one of"),
    ("Normalizer", [F[None]], {}, DimensionsMismatchError, "vector or a matrix"),
    ("FeatureVectorizer", [F], {"inputdimensions": [1, 2]}, InvalidArgumentError, "1 inputs"),
]


@pytest.mark.parametrize("case", WRONG, ids=lambda case: f"{case[0]} {case[4]}")
def test_errors(case: Any) -> None:
    name, arrays, given, error, message = case
    with pytest.raises(error, match=message):
        run(name, *arrays, outputs=2 if "Classifier" in name else 1, **given)
