"""Ensembles of decision trees of ai.onnx.ml: conversion of the attributes of three operators to the core's tables.

`load` builds the ensembles of a model. The core then refuses malformed trees, such as nodes that form a cycle. This
module arranges the tables with NumPy. The core's class `Trees` checks every number and computes the results.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

import suanzi
from suanzi import InvalidArgumentError, Tensor, _core
from suanzi.interop.onnx.compositions import scores
from suanzi.interop.onnx.compositions.scores import TRANSFORMS
from suanzi.tensor.messages import shown

Array = np.ndarray[Any, Any]
Numbers = Array | None  # an attribute that lists numbers, or None for an absent attribute

_MODES = ("BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ")
"""Comparisons, in the order of their numbers in TreeEnsemble and in the core."""

_EQUAL, _MEMBER = 4, 6
_FOLDS = ("average", "sum", "min", "max")  # in the order of the numbers that TreeEnsemble uses


class Tables(NamedTuple):
    """An ensemble in the form of the core's TreeTables. A child or root that is not negative is the number of a node,
    and the number ``-1 - i`` means leaf i.
    """

    roots: Array
    features: Array
    modes: Array
    missing: Array
    splits: Array
    yes: Array
    no: Array
    starts: Array
    targets: Array
    weights: Array
    base: Array  # one value per target, or none


class Ensemble:
    """An ensemble of trees that the core runs. A process that unpickles the ensemble builds the ensemble again."""

    def __init__(self, tables: Tables, targets: int, fold: str, operator: str) -> None:
        self.tables, self.targets, self.fold, self.operator = tables, targets, fold, operator
        is_single = all(x.dtype == np.float32 for x in (tables.splits, tables.weights, tables.base))
        self._single = self._trees(np.float32) if is_single else None
        self._double = None if is_single else self._trees(np.float64)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.tables, self.targets, self.fold, self.operator)

    def _trees(self, dtype: Any) -> _core.Trees:
        tables = [np.ascontiguousarray(x, dtype if x.dtype.kind == "f" else np.int64) for x in self.tables]
        tensors = tuple(map(suanzi.from_reference, tables))
        return _core.make_trees(self.operator, tensors, self.targets, self.fold)

    def __call__(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """Return the scores of rows, and whether any leaf voted for each score.

        The scores are float32 if all numbers are float32, otherwise float64.
        """
        if x.dtype is suanzi.float32 and self._single is not None:
            return _core.run_trees(self.operator, self._single, x)
        if self._double is None:
            self._double = self._trees(np.float64)
        return _core.run_trees(self.operator, self._double, suanzi.astype(x, suanzi.float64, copy=False))


@dataclass(frozen=True)
class Regressor:
    """A model that returns the scores of an ensemble."""

    ensemble: Ensemble
    transform: str
    as_float: bool  # True for a result in float32, False for a result in the type of the input

    def __call__(self, x: Tensor) -> Tensor:
        found = scores.of_targets(self.ensemble(x)[0], self.transform)
        return scores.as_float(found) if self.as_float else suanzi.astype(found, x.dtype, copy=False)


@dataclass(frozen=True)
class Classifier:
    """A model that returns the class with the greatest score among the classes with votes, and the scores. If the model
    has base values, all classes count.

    If a model of two classes has votes only for the first class, the sum of the votes is the score of the second class.
    The score of the first class is then 1 minus the score of the second class, or the negative of that score.
    """

    ensemble: Ensemble
    labels: Tensor
    transform: str
    voted: int | None  # the class with all votes of a model of two classes, or None
    are_positive: bool  # True if no vote is negative
    has_base: bool

    def __call__(self, x: Tensor) -> tuple[Tensor, Tensor]:
        found, voted = self.ensemble(x)
        if self.labels.size == 1 or self.voted is not None:
            score = found[:, self.voted or 0]
            limit = 0.5 if self.are_positive and self.voted is not None else 0.0
            index = suanzi.astype(suanzi.greater(score, limit), suanzi.int64)
            label = scores.picked(scores.positive(self.labels), index)
        else:
            counted = found if self.has_base else suanzi.where(voted, found, -math.inf)
            label = scores.picked(self.labels, suanzi.argmax(counted, -1))
        if self.voted == 0:
            return label, scores.as_float(scores.two_classes(found[:, :1], self.transform, self.are_positive))
        return label, scores.as_float(scores.of_targets(found, self.transform))


def tree_ensemble(
    *,
    aggregate_function: int,
    post_transform: int,
    tree_roots: Array,
    nodes_featureids: Array,
    nodes_modes: Tensor,
    nodes_splits: Tensor,
    nodes_truenodeids: Array,
    nodes_falsenodeids: Array,
    nodes_trueleafs: Array,
    nodes_falseleafs: Array,
    leaf_targetids: Array,
    leaf_weights: Tensor,
    n_targets: int | None = None,
    nodes_missing_value_tracks_true: Numbers = None,
    membership_values: Tensor | None = None,
    nodes_hitrates: Tensor | None = None,
) -> Regressor:
    """Build the model of a TreeEnsemble. The attributes list nodes and leaves separately, and each leaf contains a
    vote.
    """
    operator = "TreeEnsemble"
    targets, weights = _integers(leaf_targetids), _reals(leaf_weights)
    count = n_targets if n_targets is not None else int(targets.max(initial=-1)) + 1
    modes = nodes_modes.numpy().reshape(-1).astype(np.int64)
    nodes = len(modes)
    yes = _children(operator, nodes_truenodeids, nodes_trueleafs, nodes, len(targets))
    no = _children(operator, nodes_falsenodeids, nodes_falseleafs, nodes, len(targets))
    columns = [_integers(nodes_featureids), modes, _missing(nodes_missing_value_tracks_true, nodes)]
    _check_lengths(operator, "nodes_*", *columns, splits := _reals(nodes_splits), yes, no)
    _check_lengths(operator, "leaf_*", targets, weights)
    roots = _children(operator, tree_roots, np.zeros(len(tree_roots), np.int64), nodes, 0)
    made = Tables(
        roots,
        columns[0],
        columns[1],
        columns[2],
        splits,
        yes,
        no,
        np.arange(len(targets) + 1),
        targets,
        weights,
        np.zeros(0, np.float32),
    )
    fold = _FOLDS[_number(operator, "aggregate_function", aggregate_function, len(_FOLDS))]
    transform = TRANSFORMS[_number(operator, "post_transform", post_transform, len(TRANSFORMS))]
    members = None if membership_values is None else _reals(membership_values)
    return Regressor(Ensemble(_with_members(operator, made, members), count, fold, operator), transform, False)


def tree_ensemble_regressor(
    *,
    aggregate_function: str,
    post_transform: str,
    n_targets: int | None = None,
    target_treeids: Numbers = None,
    target_nodeids: Numbers = None,
    target_ids: Numbers = None,
    target_weights: Numbers = None,
    target_weights_as_tensor: Tensor | None = None,
    base_values: Numbers = None,
    base_values_as_tensor: Tensor | None = None,
    **nodes: Any,
) -> Regressor:
    operator = "TreeEnsembleRegressor"
    targets = _integers(target_ids)
    count = n_targets if n_targets is not None else int(targets.max(initial=-1)) + 1
    fold = scores.choice(aggregate_function.lower(), _FOLDS, f"{operator}: aggregate_function")
    scores.choice(post_transform, TRANSFORMS, f"{operator}: post_transform")
    votes = _Votes(target_treeids, target_nodeids, targets, _reals(target_weights_as_tensor, target_weights))
    tables = _by_ids(operator, votes, _reals(base_values_as_tensor, base_values), **nodes)
    return Regressor(Ensemble(tables, count, fold, operator), post_transform, True)


def tree_ensemble_classifier(
    *,
    post_transform: str,
    classlabels_int64s: Numbers = None,
    classlabels_strings: Sequence[str] | None = None,
    class_treeids: Numbers = None,
    class_nodeids: Numbers = None,
    class_ids: Numbers = None,
    class_weights: Numbers = None,
    class_weights_as_tensor: Tensor | None = None,
    base_values: Numbers = None,
    base_values_as_tensor: Tensor | None = None,
    **nodes: Any,
) -> Classifier:
    operator = "TreeEnsembleClassifier"
    scores.choice(post_transform, TRANSFORMS, f"{operator}: post_transform")
    integers = None if classlabels_int64s is None else classlabels_int64s.tolist()
    labels = scores.labels_of(operator, integers, classlabels_strings)
    classes = _integers(class_ids)
    weights = _reals(class_weights_as_tensor, class_weights)
    voted = int(classes[0]) if labels.size == 2 and classes.size and (classes == classes[0]).all() else None
    given = _reals(base_values_as_tensor, base_values)
    if voted is not None and len(given) == 1:  # the base value is added to the only score
        given = np.full(2, given[0])
    tables = _by_ids(operator, _Votes(class_treeids, class_nodeids, classes, weights), given, **nodes)
    positive = bool((weights >= 0).all())
    return Classifier(
        Ensemble(tables, labels.size, "sum", operator), labels, post_transform, voted, positive, len(given) > 0
    )


class _Votes(NamedTuple):
    """The votes of an ensemble: the trees, nodes, targets and weights of the votes."""

    trees: Numbers
    nodes: Numbers
    targets: Array
    weights: Array


def _by_ids(
    operator: str,
    votes: _Votes,
    base: Array,
    *,
    nodes_treeids: Numbers = None,
    nodes_nodeids: Numbers = None,
    nodes_featureids: Numbers = None,
    nodes_modes: Sequence[str] | None = None,
    nodes_truenodeids: Numbers = None,
    nodes_falsenodeids: Numbers = None,
    nodes_missing_value_tracks_true: Numbers = None,
    nodes_values: Numbers = None,
    nodes_values_as_tensor: Tensor | None = None,
    nodes_hitrates: Numbers = None,
    nodes_hitrates_as_tensor: Tensor | None = None,
) -> Tables:
    """Return the tables of an ensemble whose nodes, including leaves, are named by a tree number and a node number."""
    trees, ids, features, yes, no = map(
        _integers, (nodes_treeids, nodes_nodeids, nodes_featureids, nodes_truenodeids, nodes_falsenodeids)
    )
    modes = _modes(operator, nodes_modes or ())
    missing = _missing(nodes_missing_value_tracks_true, len(ids))
    splits = _reals(nodes_values_as_tensor, nodes_values)
    _check_lengths(operator, "nodes_*", trees, ids, features, modes, yes, no, missing, splits)
    vote_trees, vote_nodes = _integers(votes.trees), _integers(votes.nodes)
    _check_lengths(operator, "votes' attributes", vote_trees, vote_nodes, votes.targets, votes.weights)

    is_leaf = modes == len(_MODES)
    places = _Places(operator, trees, ids)
    branch, leaf = np.cumsum(~is_leaf) - 1, np.cumsum(is_leaf) - 1
    end = np.where(is_leaf, -1 - leaf, branch)  # the place of a node in the tables
    branches = ~is_leaf
    of_votes = leaf[voters := places.of(vote_trees, vote_nodes)]
    counted = is_leaf[voters]  # no row reaches votes of inner nodes
    order = np.argsort(of_votes[counted], kind="stable")
    counts = np.bincount(of_votes[counted], minlength=int(is_leaf.sum()))
    first = np.unique(trees, return_index=True)[1]
    return Tables(
        roots=end[np.sort(first)],  # a tree's root is its first node
        features=features[branches],
        modes=modes[branches],
        missing=missing[branches],
        splits=splits[branches],
        yes=end[places.of(trees[branches], yes[branches])],
        no=end[places.of(trees[branches], no[branches])],
        starts=np.concatenate(([0], np.cumsum(counts))),
        targets=votes.targets[counted][order],
        weights=votes.weights[counted][order],
        base=base,
    )


def _distinct(numbers: Array) -> Array:
    """Return each number once, in ascending order. np.unique would first import numpy.ma, which takes 10 ms."""
    ordered = np.sort(numbers)
    return ordered[np.concatenate(([True], ordered[1:] != ordered[:-1]))[: ordered.size]]


class _Places:
    """The positions of nodes in the lists of attributes, by tree and node number."""

    def __init__(self, operator: str, trees: Array, ids: Array) -> None:
        self.operator, self.trees, self.ids = operator, _distinct(trees), _distinct(ids)
        keys, _ = self._keys(trees, ids)
        self.order = np.argsort(keys, kind="stable")
        self.keys = keys[self.order]
        if (twice := np.flatnonzero(self.keys[1:] == self.keys[:-1])).size:
            at = self.order[twice[0]]
            raise InvalidArgumentError(f"{operator}: tree {trees[at]} has two nodes {ids[at]}")

    def _keys(self, trees: Array, ids: Array) -> tuple[Array, Array]:
        """Return a number for each pair of a tree and a node, and whether both parts of the pair are known. The number
        is less than the square of the number of nodes.
        """
        found, known = [], np.ones(len(trees), bool)
        for values, among in ((trees, self.trees), (ids, self.ids)):
            place = np.minimum(np.searchsorted(among, values), max(len(among) - 1, 0))
            known &= among[place] == values if len(among) else False
            found.append(place)
        return found[0] * max(len(self.ids), 1) + found[1], known

    def of(self, trees: Array, ids: Array) -> Array:
        keys, known = self._keys(trees, ids)
        place = np.minimum(np.searchsorted(self.keys, keys), max(len(self.keys) - 1, 0))
        known &= self.keys[place] == keys if len(self.keys) else False
        if not known.all():
            at = int(np.argmin(known))
            raise InvalidArgumentError(f"{self.operator}: tree {trees[at]} has no node {ids[at]}")
        return self.order[place]


def _with_members(operator: str, tables: Tables, members: Array | None) -> Tables:
    """Return the tables with a chain of comparisons in place of each node that tests membership in several values."""
    asking = np.flatnonzero(tables.modes == _MEMBER)
    values = np.zeros(0, tables.splits.dtype) if members is None else members
    ends = np.flatnonzero(np.isnan(values))
    if len(values) and not np.isnan(values[-1]):
        ends = np.append(ends, len(values))
    if len(ends) != len(asking):
        raise InvalidArgumentError(f"{operator}: {len(ends)} sets of members do not fit {len(asking)} nodes")
    if not len(asking):
        return tables
    modes = np.where(tables.modes == _MEMBER, _EQUAL, tables.modes)
    columns = {"features": tables.features, "missing": tables.missing, "yes": tables.yes}
    splits, no, added = tables.splits.copy(), tables.no.copy(), len(modes)
    more: list[tuple[int, Array]] = []  # nodes to copy, with the values for the comparisons of the copies
    start, tails = 0, [no]
    for node, end in zip(asking.tolist(), ends.tolist(), strict=True):
        first, *rest = values[start:end] if end > start else np.array([np.nan], values.dtype)
        start, splits[node] = end + 1, first
        if rest:
            chain = np.append(np.arange(added + 1, added + len(rest)), no[node])
            no[node], added = added, added + len(rest)
            tails.append(chain)
            more.append((node, np.array(rest, splits.dtype)))
    again = np.repeat([node for node, _ in more], [len(rest) for _, rest in more]).astype(np.int64)
    return tables._replace(
        modes=np.concatenate((modes, modes[again])),
        splits=np.concatenate((splits, *(rest for _, rest in more))),
        no=np.concatenate(tails),
        **{name: np.concatenate((x, x[again])) for name, x in columns.items()},
    )


def _children(operator: str, ids: Array, leaves: Array, nodes: int, leaf_count: int) -> Array:
    places, is_leaf = _integers(ids), _integers(leaves) != 0
    _check_lengths(operator, "nodes_*", places, is_leaf)
    wrong = (places < 0) | (places >= np.where(is_leaf, leaf_count, nodes))
    if wrong.any():
        at = int(np.argmax(wrong))
        what = f"leaf {places[at]} of {leaf_count}" if is_leaf[at] else f"node {places[at]} of {nodes}"
        raise InvalidArgumentError(f"{operator}: there is no {what}")
    return np.where(is_leaf, -1 - places, places)


def _modes(operator: str, names: Sequence[str]) -> Array:
    """Return the numbers of the modes with given names. The number of a leaf is greater than the number of any
    comparison.
    """
    numbers = {name: i for i, name in enumerate((*_MODES, "LEAF"))}
    if strange := set(names) - numbers.keys():
        raise InvalidArgumentError(f"{operator}: mode {shown(min(strange))} is not one of {', '.join(numbers)}")
    return np.array([numbers[name] for name in names], np.int64)


def _missing(tracks: Numbers, nodes: int) -> Array:
    return np.zeros(nodes, np.int64) if tracks is None or not len(tracks) else _integers(tracks)


def _number(operator: str, what: str, value: int, end: int) -> int:
    if not 0 <= value < end:
        raise InvalidArgumentError(f"{operator}: {what} {value} is outside [0, {end})")
    return value


def _check_lengths(operator: str, what: str, *columns: Array) -> None:
    lengths = [len(x) for x in columns]
    if len(set(lengths)) > 1:
        raise InvalidArgumentError(f"{operator}: {what} have {shown(lengths)} entries, not equally many")


def _integers(values: Numbers) -> Array:
    return np.asarray(() if values is None else values, np.int64)


def _reals(tensor: Tensor | None, values: Numbers = None) -> Array:
    """Return the numbers of a tensor of floats, or of an attribute of float32 numbers, as an array."""
    if tensor is None:
        return np.asarray(() if values is None else values, np.float32)
    if tensor.dtype.kind_name != "real floating":
        raise InvalidArgumentError(f"thresholds and weights of type {tensor.dtype} are not floating-point numbers")
    wide = suanzi.float64 if tensor.dtype is suanzi.float64 else suanzi.float32
    return suanzi.astype(tensor, wide, copy=False).numpy().reshape(-1)
