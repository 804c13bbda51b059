"""Ensembles of decision trees of ai.onnx.ml return the same results as loops over the trees' nodes.

Malformed trees are refused at load.
"""

from __future__ import annotations

import math
import pickle
from typing import Any

import numpy as np
import pytest
from onnx import ModelProto, TensorProto, helper, numpy_helper

import suanzi
from suanzi import DimensionsMismatchError, InvalidArgumentError, TypeMismatchError
from suanzi.interop import onnx

ML = "ai.onnx.ml"
MODES = ("BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ")
Array = np.ndarray[Any, Any]


def model(op_type: str, x: Array, outputs: int, version: int = 3, **attributes: Any) -> ModelProto:
    names = [f"y{i}" for i in range(outputs)]
    node = helper.make_node(op_type, ["x"], names, domain=ML, **attributes)
    given = helper.make_tensor_value_info("x", helper.np_dtype_to_tensor_dtype(x.dtype), None)
    results = [helper.make_tensor_value_info(name, TensorProto.UNDEFINED, None) for name in names]
    graph = helper.make_graph([node], "g", [given], results)
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid(ML, version)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=9)


def run(op_type: str, x: Array, outputs: int = 1, version: int = 3, **attributes: Any) -> list[Any]:
    loaded = onnx.load(model(op_type, x, outputs, version, **attributes))
    found = [np.array(y.tolist()) if y.dtype is suanzi.string else y.numpy() for y in loaded.run([x])]
    again = pickle.loads(pickle.dumps(loaded)).run([x])
    assert [y.tolist() for y in again] == [y.tolist() for y in found] or np.isnan(found[-1]).any()
    return found


class Tree:
    """A random decision tree. `nodes` has inner nodes as tuples, and leaves as lists of pairs (target, weight)."""

    def __init__(self, rng: np.random.Generator, depth: int, features: int, targets: list[int], modes: tuple[str, ...]):
        self.nodes: list[Any] = []
        self._grow(rng, depth, features, targets, modes)

    def _grow(self, rng: Any, depth: int, features: int, targets: list[int], modes: tuple[str, ...]) -> int:
        place = len(self.nodes)
        self.nodes.append(None)
        if depth == 0 or rng.random() < 0.2:
            self.nodes[place] = [(target, float(np.float32(rng.normal()))) for target in targets]
            return place
        mode, feature, split = rng.choice(modes), int(rng.integers(features)), float(rng.integers(-4, 5) / 2)
        yes = self._grow(rng, depth - 1, features, targets, modes)
        no = self._grow(rng, depth - 1, features, targets, modes)
        self.nodes[place] = (str(mode), feature, split, int(rng.integers(2)), yes, no)
        return place

    def leaf(self, row: Array) -> list[tuple[int, float]]:
        at = self.nodes[0]
        while isinstance(at, tuple):
            mode, feature, split, missing, yes, no = at
            at = self.nodes[
                yes if self.goes(mode, row[feature], split) or (missing and math.isnan(row[feature])) else no
            ]
        return at

    @staticmethod
    def goes(mode: str, value: float, split: float) -> bool:
        return {
            "BRANCH_LEQ": value <= split,
            "BRANCH_LT": value < split,
            "BRANCH_GTE": value >= split,
            "BRANCH_GT": value > split,
            "BRANCH_EQ": value == split,
            "BRANCH_NEQ": value != split,
        }[mode]


def forest(seed: int, targets: list[int], trees: int = 7, modes: tuple[str, ...] = MODES) -> list[Tree]:
    rng = np.random.default_rng(seed)
    return [Tree(rng, int(rng.integers(0, 5)), 3, targets, modes) for _ in range(trees)]


def attributes_of(trees: list[Tree], prefix: str, with_missing: bool = True) -> dict[str, Any]:
    """Return the attributes of TreeEnsembleClassifier or TreeEnsembleRegressor. Trees are numbered 0, 3, 6, …"""
    names = ("treeids", "nodeids", "modes", "featureids", "values", "missing_value_tracks_true", "truenodeids")
    found: dict[str, list[Any]] = {f"nodes_{name}": [] for name in (*names, "falsenodeids")}
    votes: dict[str, list[Any]] = {f"{prefix}_{name}": [] for name in ("treeids", "nodeids", "ids", "weights")}
    for i, tree in enumerate(trees):
        for place, node in enumerate(tree.nodes):
            inner = node if isinstance(node, tuple) else ("LEAF", 0, 0.0, 0, 0, 0)
            for key, value in zip(found, (3 * i, place, *inner), strict=True):
                found[key].append(value)
            for target, weight in node if isinstance(node, list) else ():
                for key, value in zip(votes, (3 * i, place, target, weight), strict=True):
                    votes[key].append(value)
    if not with_missing:
        del found["nodes_missing_value_tracks_true"]
    return {**found, **votes}


def scores_of(trees: list[Tree], x: Array, targets: int, fold: str = "SUM", base: Any = 0.0) -> Array:
    found = np.zeros((len(x), targets))
    for i, row in enumerate(x):
        votes = [vote for tree in trees for vote in tree.leaf(row)]
        for target in range(targets):
            own = [weight for each, weight in votes if each == target]
            fold_of = {"SUM": sum, "AVERAGE": lambda w: sum(w) / len(trees), "MIN": min, "MAX": max}[fold]
            found[i, target] = fold_of(own) if own else 0
    return found + np.asarray(base)


def rows(seed: int, count: int, dtype: str) -> Array:
    rng = np.random.default_rng(seed)
    x = (rng.integers(-5, 6, (count, 3)) / 2).astype(dtype)
    if x.dtype.kind == "f":
        x[rng.random(x.shape) < 0.1] = np.nan
    return x


@pytest.mark.parametrize("fold", ["SUM", "AVERAGE", "MIN", "MAX"])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64"])
@pytest.mark.parametrize("count", [0, 1, 5, 100])
def test_regressors(fold: str, dtype: str, count: int) -> None:
    for seed, base in enumerate([None, [0.5, -1.0]]):
        trees, x = forest(seed, [0, 1]), rows(seed, count, dtype)
        more = {} if base is None else {"base_values": base}
        (y,) = run(
            "TreeEnsembleRegressor", x, aggregate_function=fold, n_targets=2, **more, **attributes_of(trees, "target")
        )
        assert (y.dtype, y.shape) == (np.float32, (count, 2))
        np.testing.assert_allclose(y, scores_of(trees, x, 2, fold, base or 0.0), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("fold", ["SUM", "AVERAGE", "MIN"])
@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("count", [1, 7, 9, 40, 100])
def test_regressors_of_one_target_that_compare_by_less_equal(fold: str, missing: bool, count: int) -> None:
    trees, x = forest(count, [0], 9, ("BRANCH_LEQ",)), rows(count, count, "float32")
    x = x if missing else np.nan_to_num(x)
    (y,) = run("TreeEnsembleRegressor", x, aggregate_function=fold, n_targets=1, **attributes_of(trees, "target"))
    np.testing.assert_allclose(y, scores_of(trees, x, 1, fold), rtol=1e-6, atol=1e-6)


def test_numbers_in_float64() -> None:
    """Thresholds and weights that are tensors of float64 are not rounded to float32."""
    tensors = {
        "nodes_values_as_tensor": numpy_helper.from_array(np.array([1 + 1e-12, 0, 0])),
        "target_weights_as_tensor": numpy_helper.from_array(np.array([1e300, -1e300])),
        "base_values_as_tensor": numpy_helper.from_array(np.array([-1e300])),
    }
    given = {key: x for key, x in STUMP.items() if key not in ("nodes_values", "target_weights")}
    (y,) = run("TreeEnsembleRegressor", np.array([[1.0], [1 + 2e-12]]), **given, **tensors)
    assert y.tolist() == [[0.0], [-math.inf]]


STUMP: dict[str, Any] = {
    "n_targets": 1,
    "nodes_treeids": [0, 0, 0],
    "nodes_nodeids": [0, 1, 2],
    "nodes_featureids": [0, 0, 0],
    "nodes_modes": ["BRANCH_LEQ", "LEAF", "LEAF"],
    "nodes_values": [0.0, 0.0, 0.0],
    "nodes_truenodeids": [1, 0, 0],
    "nodes_falsenodeids": [2, 0, 0],
    "target_treeids": [0, 0],
    "target_nodeids": [1, 2],
    "target_ids": [0, 0],
    "target_weights": [0.25, 0.75],
}


def winitzki(p: Array) -> Array:
    log = np.log(4 * p * (1 - p))
    middle = 2 / (np.pi * 0.147) + log / 2
    return np.sqrt(2) * np.where(p < 0.5, -1, 1) * np.sqrt(np.sqrt(middle**2 - log / 0.147) - middle)


def expected_transform(how: str, z: Array) -> Array:
    if how == "LOGISTIC":
        return 1 / (1 + np.exp(-z))
    if how == "SOFTMAX":
        return np.exp(z) / np.exp(z).sum(-1, keepdims=True)
    if how == "SOFTMAX_ZERO":
        powers = np.where(z == 0, 0, np.exp(z))
        return powers / np.maximum(powers.sum(-1, keepdims=True), 1e-300)
    return winitzki(z) if how == "PROBIT" else z


@pytest.mark.parametrize("how", ["NONE", "LOGISTIC", "SOFTMAX", "SOFTMAX_ZERO", "PROBIT"])
def test_transforms(how: str) -> None:
    given = {**STUMP, "n_targets": 3, "target_ids": [0, 2]}
    x = np.float32([[-1], [1]])
    with np.errstate(divide="ignore"):
        wanted = expected_transform(how, np.array([[0.25, 0, 0], [0, 0, 0.75]]))
    (y,) = run("TreeEnsembleRegressor", x, post_transform=how, **given)
    np.testing.assert_allclose(y, wanted, rtol=1e-6)
    (y,) = run("TreeEnsembleRegressor", x, post_transform=how, **STUMP)  # only PROBIT changes a single target
    single = np.array([[0.25], [0.75]])
    np.testing.assert_allclose(y, expected_transform(how, single) if how == "PROBIT" else single, rtol=1e-6)


@pytest.mark.parametrize("strings", [False, True])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int64"])
def test_classifiers(strings: bool, dtype: str) -> None:
    labels: Any = ["a", "b", "c"] if strings else [7, 5, 9]
    name = "classlabels_strings" if strings else "classlabels_int64s"
    for seed, base in enumerate([None, [0.5, -1.0, 0.0]]):
        trees, x = forest(seed, [0, 1, 2]), rows(seed, 50, dtype)
        more = {} if base is None else {"base_values": base}
        given = attributes_of(trees, "class")
        label, y = run("TreeEnsembleClassifier", x, 2, post_transform="SOFTMAX", **{name: labels}, **more, **given)
        z = scores_of(trees, x, 3, base=base or 0.0)
        np.testing.assert_allclose(y, expected_transform("SOFTMAX", z), rtol=1e-5)
        assert label.tolist() == [labels[i] for i in z.argmax(1)]


@pytest.mark.parametrize(
    ("weights", "labels", "scores"),
    [
        ([0.25, 0.75], [10, 20], [[0.75, 0.25], [0.25, 0.75]]),  # the votes are shares with sum 1
        ([-0.25, 0.75], [10, 20], [[0.25, -0.25], [-0.75, 0.75]]),  # the votes have any sign
    ],
)
def test_two_classes_by_the_votes_for_one(weights: list[float], labels: list[int], scores: list[list[float]]) -> None:
    given = {key.replace("target", "class"): x for key, x in STUMP.items() if key != "n_targets"}
    given |= {"class_weights": weights, "classlabels_int64s": [10, 20]}
    x = np.float32([[-1], [1]])
    label, y = run("TreeEnsembleClassifier", x, 2, **given)
    assert label.tolist() == labels
    np.testing.assert_allclose(y, scores, rtol=1e-6)
    label, y = run("TreeEnsembleClassifier", x, 2, **given, post_transform="LOGISTIC")
    np.testing.assert_allclose(y, expected_transform("LOGISTIC", np.array(weights)[:, None] * [-1, 1]), rtol=1e-6)


def test_two_classes_with_votes_for_both() -> None:
    given = {key.replace("target", "class"): x for key, x in STUMP.items() if key != "n_targets"}
    given |= {"class_treeids": [0] * 4, "class_nodeids": [1, 1, 2, 2], "class_ids": [0, 1, 0, 1]}
    given |= {"class_weights": [0.7, 0.3, 0.2, 0.8], "classlabels_int64s": [10, 20]}
    label, y = run("TreeEnsembleClassifier", np.float32([[-1], [1]]), 2, **given)
    assert label.tolist() == [10, 20]
    np.testing.assert_allclose(y, [[0.7, 0.3], [0.2, 0.8]], rtol=1e-6)


def newer(trees: list[Tree], dtype: str) -> dict[str, Any]:
    """Return the attributes of the operator TreeEnsemble for trees whose leaves have one vote each."""
    found: dict[str, list[Any]] = {f"nodes_{name}": [] for name in (
        "modes", "featureids", "splits", "missing_value_tracks_true", "truenodeids", "falsenodeids", "trueleafs",
        "falseleafs")}  # fmt: skip
    leaves: list[tuple[int, float]] = []
    roots = []

    def add(tree: Tree, node: Any) -> tuple[int, int]:
        """Add a node and the nodes below to the lists. Return the node's index, and 1 for a leaf, or 0 otherwise."""
        if isinstance(node, list):
            leaves.append(node[0])
            return len(leaves) - 1, 1
        mode, feature, split, missing, yes, no = node
        place = len(found["nodes_modes"])
        for key, value in zip(found, (MODES.index(mode), feature, split, missing, 0, 0, 0, 0), strict=True):
            found[key].append(value)
        for side, child in (("true", yes), ("false", no)):
            found[f"nodes_{side}nodeids"][place], found[f"nodes_{side}leafs"][place] = add(tree, tree.nodes[child])
        return place, 0

    for tree in trees:
        first = tree.nodes[0]
        inner = first if isinstance(first, tuple) else None
        if inner is None:  # both branches lead to the same leaf
            place = len(found["nodes_modes"])
            for key, value in zip(found, (0, 0, 0.0, 0, len(leaves), len(leaves), 1, 1), strict=True):
                found[key].append(value)
            leaves.append(first[0])
            roots.append(place)
        else:
            roots.append(add(tree, first)[0])
    tensors = {
        "nodes_modes": np.array(found.pop("nodes_modes"), np.uint8),
        "nodes_splits": np.array(found.pop("nodes_splits"), dtype),
        "leaf_weights": np.array([weight for _, weight in leaves], dtype),
    }
    made = {key: numpy_helper.from_array(x) for key, x in tensors.items()}
    return {**found, **made, "leaf_targetids": [target for target, _ in leaves], "tree_roots": roots}


@pytest.mark.parametrize("fold", range(4))
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_the_newer_operator(fold: int, dtype: str) -> None:
    trees, x = forest(fold, [1]), rows(fold, 40, dtype)
    (y,) = run("TreeEnsemble", x, version=5, n_targets=2, aggregate_function=fold, **newer(trees, dtype))
    assert (y.dtype, y.shape) == (x.dtype, (40, 2))
    wanted = scores_of(trees, x, 2, ("AVERAGE", "SUM", "MIN", "MAX")[fold])
    eps = float(np.finfo(dtype).eps)
    np.testing.assert_allclose(y, wanted, rtol=20 * eps, atol=(40 if dtype == "float16" else 10) * eps)


def test_members() -> None:
    nan = math.nan
    given = {
        "nodes_modes": numpy_helper.from_array(np.uint8([6, 6, 0])),
        "nodes_splits": numpy_helper.from_array(np.float32([0, 0, 1])),
        "membership_values": numpy_helper.from_array(np.float32([1, 0, 4, nan, 2, nan])),
        "leaf_weights": numpy_helper.from_array(np.float32([10, 20, 30, 40])),
        "nodes_featureids": [0, 0, 1],
        "nodes_missing_value_tracks_true": [1, 0, 0],
        "nodes_trueleafs": [1, 1, 1],
        "nodes_truenodeids": [0, 1, 2],
        "nodes_falseleafs": [0, 0, 1],
        "nodes_falsenodeids": [1, 2, 3],
        "leaf_targetids": [0] * 4,
        "tree_roots": [0],
        "n_targets": 1,
    }
    x = np.float32([[0, 0], [1, 0], [4, 9], [2, 9], [3, 0], [3, 9], [nan, 9]])
    (y,) = run("TreeEnsemble", x, version=5, **given)
    assert y.ravel().tolist() == [10, 10, 10, 20, 30, 40, 10]
    given["membership_values"] = numpy_helper.from_array(np.float32([1, nan]))
    with pytest.raises(InvalidArgumentError, match="1 sets of members do not fit 2 nodes"):
        onnx.load(model("TreeEnsemble", x, 1, 5, **given))


def test_the_same_bits_on_any_number_of_threads() -> None:
    trees = forest(1, [0], 300)
    given = attributes_of(trees, "target")
    before = suanzi.get_num_threads()
    try:
        for count in (1, 8, 3000):
            x = rows(2, count, "float32")
            loaded = onnx.load(model("TreeEnsembleRegressor", x, 1, n_targets=1, **given))
            found = []
            for threads in (1, 2, 5):
                suanzi.set_num_threads(threads)
                found.append(loaded.run([x])[0].numpy().tobytes())
            assert len(set(found)) == 1
    finally:
        suanzi.set_num_threads(before)


def test_vectors_and_strides() -> None:
    x = np.asfortranarray(np.float32([[-1, 5], [1, 5]]))
    (y,) = run("TreeEnsembleRegressor", x, **STUMP)
    assert y.tolist() == [[0.25], [0.75]]
    (y,) = run("TreeEnsembleRegressor", np.float32([3]), **STUMP)
    assert y.tolist() == [[0.75]]
    loaded = onnx.load(model("TreeEnsembleRegressor", np.float32([[1]]), 1, **{**STUMP, "nodes_featureids": [2, 0, 0]}))
    for shape in ((2, 2), (1, 3, 3), ()):
        with pytest.raises(DimensionsMismatchError):
            loaded.run([np.zeros(shape, np.float32)])


NEWER: dict[str, Any] = {
    "nodes_modes": numpy_helper.from_array(np.uint8([0, 0])),
    "nodes_splits": numpy_helper.from_array(np.float32([0, 1])),
    "leaf_weights": numpy_helper.from_array(np.float32([1, 2, 3])),
    "nodes_featureids": [0, 0],
    "nodes_trueleafs": [1, 1],
    "nodes_truenodeids": [0, 1],
    "nodes_falseleafs": [0, 1],
    "nodes_falsenodeids": [1, 2],
    "leaf_targetids": [0, 0, 0],
    "tree_roots": [0],
    "n_targets": 1,
}

HUGE = 2**62
WRONG: dict[str, tuple[str, dict[str, Any], str]] = {
    "a circle": ("new", {"nodes_falsenodeids": [0, 2]}, "node 0 of a tree is below itself"),
    "a larger circle": ("new", {"nodes_falsenodeids": [1, 0], "nodes_falseleafs": [0, 0]}, "is below itself"),
    "a child that is not there": ("new", {"nodes_falsenodeids": [2, 2]}, "there is no node 2 of 2"),
    "a negative child": ("new", {"nodes_falsenodeids": [-1, 2]}, "there is no node -1 of 2"),
    "a huge child": ("new", {"nodes_falsenodeids": [HUGE, 2]}, f"there is no node {HUGE} of 2"),
    "a leaf that is not there": ("new", {"nodes_falsenodeids": [1, 3]}, "there is no leaf 3 of 3"),
    "a root that is not there": ("new", {"tree_roots": [2]}, "there is no node 2 of 2"),
    "a negative feature": ("new", {"nodes_featureids": [-1, 0]}, r"feature -1 is outside \[0, "),
    "a huge feature": ("new", {"nodes_featureids": [HUGE, 0]}, f"feature {HUGE} is outside"),
    "a target that is not there": ("new", {"leaf_targetids": [0, 1, 0]}, r"target 1 is outside \[0, 1\)"),
    "no targets": ("new", {"n_targets": 0}, "number of targets 0 is outside"),
    "too many targets": ("new", {"n_targets": HUGE}, "number of targets"),
    "short lists": ("new", {"nodes_featureids": [0]}, r"nodes_\* have .* entries"),
    "an unknown mode": ("new", {"nodes_modes": numpy_helper.from_array(np.uint8([0, 7]))}, "mode 7 is outside"),
    "a fold": ("new", {"aggregate_function": 4}, r"aggregate_function 4 is outside \[0, 4\)"),
    "a transform": ("new", {"post_transform": -1}, r"post_transform -1 is outside \[0, 5\)"),
    "a circle of ids": ("old", {"nodes_truenodeids": [0, 0, 0]}, "is below itself"),
    "an id twice": ("old", {"nodes_nodeids": [0, 1, 1]}, "tree 0 has two nodes 1"),
    "an unknown id": ("old", {"nodes_truenodeids": [7, 0, 0]}, "tree 0 has no node 7"),
    "a vote of an unknown node": ("old", {"target_nodeids": [1, 9]}, "tree 0 has no node 9"),
    "a vote of an unknown tree": ("old", {"target_treeids": [0, 4]}, "tree 4 has no node 2"),
    "a mode": ("old", {"nodes_modes": ["BRANCH", "LEAF", "LEAF"]}, "mode 'BRANCH' is not one of"),
    "the fold's name": ("old", {"aggregate_function": "PRODUCT"}, "aggregate_function 'product' is not one of"),
    "the transform's name": ("old", {"post_transform": "TANH"}, "post_transform 'TANH' is not one of"),
    "too many base values": ("old", {"base_values": [1.0, 2.0]}, "2 base values are given, but the number needed is 1"),
    "short lists of old": ("old", {"nodes_values": [0.0]}, r"nodes_\* have"),
    "short votes": ("old", {"target_weights": [0.0]}, "votes' attributes have"),
}


@pytest.mark.parametrize("what", WRONG)
def test_malformed_trees_are_refused_at_load(what: str) -> None:
    kind, change, message = WRONG[what]
    x = np.float32([[1]])
    name, given, version = ("TreeEnsemble", NEWER, 5) if kind == "new" else ("TreeEnsembleRegressor", STUMP, 3)
    with pytest.raises(InvalidArgumentError, match=message):
        onnx.load(model(name, x, 1, version, **{**given, **change}))


def test_labels_that_are_none() -> None:
    given = {key.replace("target", "class"): x for key, x in STUMP.items() if key != "n_targets"}
    x = np.float32([[1]])
    for labels in ({}, {"classlabels_int64s": [1], "classlabels_strings": ["a"]}):
        with pytest.raises(InvalidArgumentError, match="labels of either integers or strings"):
            onnx.load(model("TreeEnsembleClassifier", x, 2, **given, **labels))


def test_a_deep_tree() -> None:
    """A tree of 100,000 levels works, because no function calls itself."""
    count = 100_000
    ids = np.arange(count)
    given = {
        **NEWER,
        "nodes_modes": numpy_helper.from_array(np.zeros(count, np.uint8)),
        "nodes_splits": numpy_helper.from_array(-ids.astype(np.float32)),
        "nodes_featureids": [0] * count,
        "nodes_trueleafs": [0] * (count - 1) + [1],
        "nodes_truenodeids": [*(ids[1:]).tolist(), 0],
        "nodes_falseleafs": [1] * count,
        "nodes_falsenodeids": [1] * count,
    }
    (y,) = run("TreeEnsemble", np.float32([[-1e9], [-50.5]]), version=5, **given)
    assert y.tolist() == [[1], [2]]


def test_shared_nodes_are_no_circle() -> None:
    given = {**NEWER, "nodes_trueleafs": [0, 1], "nodes_truenodeids": [1, 1], "nodes_falsenodeids": [1, 2]}
    (y,) = run("TreeEnsemble", np.float32([[0], [2]]), version=5, **given)
    assert y.tolist() == [[2], [3]]


def test_types_that_the_operator_lacks() -> None:
    with pytest.raises(TypeMismatchError):
        onnx.load(model("TreeEnsemble", np.int64([[1]]), 1, 5, **NEWER))
