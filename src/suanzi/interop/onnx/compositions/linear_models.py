"""Linear models and support vector machines of ai.onnx.ml.

Each class without a leading underscore is a model. `load` checks a node's attributes and builds the model from the
attributes. A run calls the model with the inputs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

import suanzi
from suanzi import InvalidArgumentError, Tensor
from suanzi.interop.onnx.compositions import scores
from suanzi.interop.onnx.compositions.matrices import squared_distances
from suanzi.interop.onnx.compositions.scores import TRANSFORMS
from suanzi.tensor.messages import shown

_KERNELS = ("LINEAR", "POLY", "RBF", "SIGMOID")
_SURE = 1e-7  # the least distance between a probability and 0 or 1 (libsvm's svm_predict_probability)
_ENOUGH = 0.005  # the iteration of `_coupled` ends at this error divided by the number of classes
_STEPS = 100


@dataclass(frozen=True)
class _Linear:
    """A function that multiplies features by weights and adds a vector, in the type that `scores.real` returns."""

    weights: dict[int, tuple[Tensor, Tensor]]  # the keys are sizes of an element in bytes
    operator: str

    @classmethod
    def of(cls, operator: str, weights: Tensor, bias: Tensor) -> _Linear:
        types = (suanzi.float32, suanzi.float64)
        both = {t.itemsize: (suanzi.astype(weights, t), suanzi.astype(bias, t)) for t in types}
        return cls(both, operator)

    def __call__(self, x: Tensor) -> Tensor:
        weights, bias = self.weights[8 if x.dtype is suanzi.float64 else 4]
        return suanzi.linear(scores.features(x, weights.shape[1], self.operator), weights, bias)


@dataclass(frozen=True)
class LinearRegressor:
    """A model that returns weighted sums of features, one sum per target."""

    linear: _Linear
    transform: str

    def __call__(self, x: Tensor) -> Tensor:
        return scores.as_float(scores.of_targets(self.linear(scores.real(x)), self.transform))


def linear_regressor(
    *,
    targets: int,
    post_transform: str,
    coefficients: Sequence[float] | None = None,
    intercepts: Sequence[float] | None = None,
) -> LinearRegressor:
    operator = "LinearRegressor"
    scores.choice(post_transform, TRANSFORMS, f"{operator}: post_transform")
    return LinearRegressor(_linear(operator, coefficients, intercepts, targets), post_transform)


def _linear(
    operator: str, coefficients: Sequence[float] | None, intercepts: Sequence[float] | None, targets: int
) -> _Linear:
    count = len(coefficients or ())
    if targets < 1 or count % targets:
        raise InvalidArgumentError(f"{operator}: {count} coefficients do not fit {targets} targets")
    weights = scores.parameters(coefficients, (targets, count // targets), f"{operator}: coefficients")
    return _Linear.of(
        operator, weights, scores.parameters(intercepts or (0,) * targets, (targets,), f"{operator}: intercepts")
    )


@dataclass(frozen=True)
class LinearClassifier:
    """A model that returns the class with the greatest weighted sum. If a model has a single sum, the sum's sign
    determines one of two classes.
    """

    linear: _Linear
    labels: Tensor
    transform: str
    targets: int

    def __call__(self, x: Tensor) -> tuple[Tensor, Tensor]:
        found = self.linear(scores.real(x))
        if self.targets > 1:
            label = scores.picked(self.labels, _first_greatest(found))
            return label, scores.as_float(scores.transformed(found, self.transform))
        index = suanzi.astype(suanzi.greater(found[:, 0], 0), suanzi.int64)
        if self.labels.size == 2:
            found = scores.two_classes(found, self.transform, are_positive=True)
        return scores.picked(scores.positive(self.labels), index), scores.as_float(
            scores.of_targets(found, self.transform) if self.labels.size != 2 else found
        )


def _first_greatest(found: Tensor) -> Tensor:
    """Return the index of the first greatest score of each row. As in ONNX Runtime, NaN as the first score counts as
    the greatest score, and any other NaN counts as the least score.
    """
    is_first = suanzi.equal(suanzi.arange(found.shape[-1]), 0)
    order = suanzi.where(is_first, math.inf, -math.inf)
    return suanzi.argmax(suanzi.where(suanzi.isnan(found), order, found), -1)


def linear_classifier(
    *,
    post_transform: str,
    multi_class: int,
    coefficients: Sequence[float],
    intercepts: Sequence[float] | None = None,
    classlabels_ints: Sequence[int] | None = None,
    classlabels_strings: Sequence[str] | None = None,
) -> LinearClassifier:
    operator = "LinearClassifier"
    scores.choice(post_transform, TRANSFORMS, f"{operator}: post_transform")
    labels = scores.labels_of(operator, classlabels_ints, classlabels_strings)
    targets = len(intercepts or ()) or labels.size
    if targets > 1 and targets > labels.size:
        raise InvalidArgumentError(f"{operator}: {labels.size} labels do not fit {targets} classes")
    return LinearClassifier(_linear(operator, coefficients, intercepts, targets), labels, post_transform, targets)


@dataclass(frozen=True)
class _Kernel:
    """A function that returns the similarities of rows to support vectors, in float64."""

    operator: str
    kind: str
    gamma: float
    coefficient: float
    degree: float
    vectors: Tensor

    def __call__(self, x: Tensor) -> Tensor:
        rows = scores.features(suanzi.astype(x, suanzi.float64, copy=False), self.vectors.shape[1], self.operator)
        if self.kind == "RBF":
            return suanzi.exp(-self.gamma * squared_distances(rows, self.vectors))
        product = suanzi.matmul(rows, self.vectors.T)
        if self.kind == "LINEAR":
            return product
        inner = product * self.gamma + self.coefficient
        return suanzi.tanh(inner) if self.kind == "SIGMOID" else suanzi.pow(inner, self.degree)


def _kernel(
    operator: str, kind: str, given: Sequence[float] | None, vectors: Sequence[float] | None, count: int
) -> _Kernel:
    scores.choice(kind, _KERNELS, f"{operator}: kernel_type")
    gamma, coefficient, degree = given or (0.0, 0.0, 0.0) if len(given or ()) in (0, 3) else _no_kernel(operator, given)
    size = len(vectors or ())
    if count < 1 or not size or size % count:
        raise InvalidArgumentError(f"{operator}: {size} numbers do not fit {count} support vectors")
    rows = scores.parameters(vectors, (count, size // count), f"{operator}: support_vectors")
    return _Kernel(operator, kind, gamma, coefficient, degree, rows)


def _no_kernel(operator: str, given: Sequence[float] | None) -> tuple[float, float, float]:
    raise InvalidArgumentError(
        f"{operator}: kernel_params {shown(given)} are not the three numbers gamma, coef0 and degree"
    )


@dataclass(frozen=True)
class SVMRegressor:
    """A model that returns weighted sums of similarities to support vectors, or the sums' signs for one-class
    models.
    """

    kernel: _Kernel
    coefficients: Tensor
    rho: float
    one_class: bool

    def __call__(self, x: Tensor) -> Tensor:
        found = suanzi.matmul(self.kernel(x), self.coefficients) + self.rho
        if self.one_class:
            found = suanzi.where(suanzi.greater(found, 0), 1.0, -1.0)
        return scores.as_float(suanzi.expand_dims(found, 1))


def svm_regressor(
    *,
    kernel_type: str,
    post_transform: str,
    n_supports: int,
    one_class: int,
    rho: Sequence[float] | None = None,
    coefficients: Sequence[float] | None = None,
    support_vectors: Sequence[float] | None = None,
    kernel_params: Sequence[float] | None = None,
) -> SVMRegressor:
    operator = "SVMRegressor"
    scores.choice(post_transform, TRANSFORMS, f"{operator}: post_transform")
    (constant,) = rho if rho and len(rho) == 1 else (_no_rho(operator, rho),)
    if n_supports > 0:
        kernel = _kernel(operator, kernel_type, kernel_params, support_vectors, n_supports)
        weights = scores.parameters(coefficients, (n_supports,), f"{operator}: coefficients")
    else:  # each coefficient is the weight of a feature
        kernel = _kernel(operator, "LINEAR", None, coefficients, 1)
        weights = suanzi.ones(1, dtype=suanzi.float64)
    return SVMRegressor(kernel, weights, constant, bool(one_class))


def _no_rho(operator: str, rho: Sequence[float] | None) -> float:
    raise InvalidArgumentError(f"{operator}: rho has {len(rho or ())} numbers, not one")


@dataclass(frozen=True)
class SVMClassifier:
    """A model that returns the class that wins the most comparisons of two classes. Without support vectors, the result
    is the class with the greatest weighted sum.
    """

    kernel: _Kernel
    labels: Tensor
    transform: str
    # The support vectors of each class as a range of columns, with the coefficients against every other class.
    blocks: tuple[tuple[int, int, Tensor], ...]
    rho: Tensor
    probabilities: tuple[Tensor, Tensor] | None
    is_positive: bool  # True if no coefficient is negative

    def __call__(self, x: Tensor) -> tuple[Tensor, Tensor]:
        similar = self.kernel(x)
        classes = self.labels.size
        if not self.blocks:
            found = similar + self.rho
            index = suanzi.argmax(found, -1)
            if classes == 2:  # a positive score means the second class
                limit = 0.5 if self.is_positive else 0.0
                best = suanzi.max(found, -1)
                won = suanzi.greater_equal(best, limit) if self.is_positive else suanzi.greater(best, limit)
                index = suanzi.where(won, 1, index)
            return self._named(index, found)
        found = self._compared(similar)
        index = suanzi.argmax(_votes(found, classes), -1)
        if self.probabilities is not None:
            return self._named(index, _coupled(_of_pairs(found, *self.probabilities), classes))
        if classes == 2:
            both = scores.two_classes(found, self.transform, are_positive=self.transform != "NONE")
            return scores.picked(self.labels, index), scores.as_float(both)
        return self._named(index, found)

    def _named(self, index: Tensor, found: Tensor) -> tuple[Tensor, Tensor]:
        return scores.picked(self.labels, index), scores.as_float(scores.of_targets(found, self.transform))

    def _compared(self, similar: Tensor) -> Tensor:
        """Return a score for each pair of classes. The score is positive if the first class of the pair wins."""
        sums = [suanzi.matmul(similar[:, first:last], weights) for first, last, weights in self.blocks]
        pairs = _pairs(len(sums))
        found = [sums[i][:, j - 1] + sums[j][:, i] for i, j in pairs]
        return suanzi.stack(found, 1) + self.rho


def _pairs(classes: int) -> list[tuple[int, int]]:
    return [(i, j) for i in range(classes) for j in range(i + 1, classes)]


def _votes(found: Tensor, classes: int) -> Tensor:
    """Return the number of comparisons that each class wins."""
    wins = [[suanzi.zeros(found.shape[0], dtype=suanzi.int64)] for _ in range(classes)]
    for place, (i, j) in enumerate(_pairs(classes)):
        won = suanzi.astype(suanzi.greater(found[:, place], 0), suanzi.int64)
        wins[i].append(won)
        wins[j].append(1 - won)
    return suanzi.stack([suanzi.sum(suanzi.stack(each, 0), 0) for each in wins], 1)


def _of_pairs(found: Tensor, a: Tensor, b: Tensor) -> Tensor:
    """Return the probability of the first class of each pair, by sigmoids with the fitted parameters `a` and `b`."""
    return suanzi.clip(1 - scores.transformed(found * a + b, "LOGISTIC"), _SURE, 1 - _SURE)


def _coupled(first: Tensor, classes: int) -> Tensor:
    """Return the probabilities of classes from the probabilities of pairs: the second method of Wu, Lin and Weng (JMLR
    5, 2004), as in libsvm.

    For each row, the iteration ends at the same step as in libsvm, before the probabilities converge.
    """
    rows = first.shape[0]
    r = [[suanzi.zeros(rows, dtype=suanzi.float64)] * classes for _ in range(classes)]
    for place, (i, j) in enumerate(_pairs(classes)):
        r[i][j], r[j][i] = first[:, place], 1 - first[:, place]
    square = suanzi.stack([suanzi.stack(row, 1) for row in r], 1)  # (rows, classes, classes)
    q = -square * suanzi.matrix_transpose(square) + suanzi.expand_dims(suanzi.sum(suanzi.square(square), 1), 2) * (
        suanzi.eye(classes, dtype=suanzi.float64)
    )
    p = suanzi.full((rows, classes), 1 / classes, dtype=suanzi.float64)
    for _ in range(_STEPS):
        qp = suanzi.sum(q * suanzi.expand_dims(p, 1), 2)
        pqp = suanzi.sum(p * qp, 1)
        open_rows = suanzi.greater_equal(suanzi.max(suanzi.abs(qp - suanzi.expand_dims(pqp, 1)), 1), _ENOUGH / classes)
        if not suanzi.any(open_rows).item():
            break
        next_p = p
        for t in range(classes):
            own = q[:, t, t]
            diff = (pqp - qp[:, t]) / own
            step = suanzi.expand_dims(1 + diff, 1)
            pqp = (pqp + diff * (diff * own + 2 * qp[:, t])) / suanzi.square(1 + diff)
            unit = suanzi.eye(classes, dtype=suanzi.float64)[t]
            next_p = (next_p + suanzi.expand_dims(diff, 1) * unit) / step
            qp = (qp + suanzi.expand_dims(diff, 1) * q[:, t, :]) / step
        p = suanzi.where(suanzi.expand_dims(open_rows, 1), next_p, p)
    return p


def svm_classifier(
    *,
    kernel_type: str,
    post_transform: str,
    classlabels_ints: Sequence[int] | None = None,
    classlabels_strings: Sequence[str] | None = None,
    rho: Sequence[float] | None = None,
    coefficients: Sequence[float] | None = None,
    support_vectors: Sequence[float] | None = None,
    vectors_per_class: Sequence[int] | None = None,
    prob_a: Sequence[float] | None = None,
    prob_b: Sequence[float] | None = None,
    kernel_params: Sequence[float] | None = None,
) -> SVMClassifier:
    operator = "SVMClassifier"
    scores.choice(post_transform, TRANSFORMS, f"{operator}: post_transform")
    labels = scores.labels_of(operator, classlabels_ints, classlabels_strings)
    classes, counts = labels.size, vectors_per_class or ()
    is_positive = min(coefficients or (0.0,)) >= 0
    if not sum(counts):
        kernel = _kernel(operator, "LINEAR", None, coefficients, classes)
        constant = suanzi.full((1,), (rho or (_no_rho(operator, rho),))[0], dtype=suanzi.float64)
        return SVMClassifier(kernel, labels, post_transform, (), constant, None, is_positive)
    if len(counts) != classes or min(counts) < 0 or classes < 2:
        raise InvalidArgumentError(f"{operator}: vectors_per_class {shown(counts)} do not fit {classes} classes")
    kernel = _kernel(operator, kernel_type, kernel_params, support_vectors, sum(counts))
    weights = scores.parameters(coefficients, (classes - 1, sum(counts)), f"{operator}: coefficients")
    ends = list(accumulate(counts))
    pairs = classes * (classes - 1) // 2
    blocks = tuple((end - n, end, weights[:, end - n : end].T) for end, n in zip(ends, counts, strict=True))
    fitted = None
    if prob_a or prob_b:
        fitted = (
            scores.parameters(prob_a, (pairs,), f"{operator}: prob_a"),
            scores.parameters(prob_b, (pairs,), f"{operator}: prob_b"),
        )
    constants = scores.parameters(rho, (pairs,), f"{operator}: rho")
    return SVMClassifier(kernel, labels, post_transform, blocks, constants, fitted, is_positive)
