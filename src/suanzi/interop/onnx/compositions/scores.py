"""Scores of classical models (ai.onnx.ml): final transforms, second classes, labels, and the reading of operands.

ONNX's text is often ambiguous. Where the text is ambiguous, results equal the results of ONNX Runtime, with which
converters are tested.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import suanzi
from suanzi import DimensionsMismatchError, DType, InvalidArgumentError, Tensor
from suanzi.interop.onnx.compositions import activations
from suanzi.tensor.messages import shown

TRANSFORMS = ("NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT")
"""The names of transforms, in the order of their numbers."""

_NONE_AT_ALL = 1e-7  # SOFTMAX_ZERO treats smaller scores as zero, as in ONNX Runtime and in ONNX's evaluator
_ERF = 0.147  # a constant of S. Winitzki's formula for the error function, which PROBIT inverts


def real(x: Tensor) -> Tensor:
    """Return `x` in the type in which a classical model computes: float32 for float32, float64 for all other types."""
    return suanzi.astype(x, suanzi.float32 if x.dtype is suanzi.float32 else suanzi.float64, copy=False)


def as_float(x: Tensor) -> Tensor:
    return suanzi.astype(x, suanzi.float32, copy=False)


def matrix(x: Tensor, operator: str) -> Tensor:
    """Return `x` as a matrix. A vector becomes a matrix of one row."""
    if x.ndim == 1:
        return suanzi.reshape(x, (1, x.size))
    if x.ndim != 2:
        raise DimensionsMismatchError(f"{operator}: X of shape {x.shape} is not a vector or a matrix")
    return x


def features(x: Tensor, count: int, operator: str) -> Tensor:
    """Return `x` as a matrix. Raise an error unless the matrix has `count` columns."""
    rows = matrix(x, operator)
    if rows.shape[1] != count:
        raise DimensionsMismatchError(f"{operator}: shape {x.shape} does not have {count} features")
    return rows


def parameters(values: Sequence[float] | None, shape: tuple[int, ...], what: str) -> Tensor:
    """Return the numbers of an attribute as a float64 tensor. The function raises INVALID_ARGUMENT unless the numbers
    fill the shape.
    """
    given = values or ()
    if len(given) != math.prod(shape):
        raise InvalidArgumentError(f"{what} has {len(given)} numbers, which do not fill {shown(shape)}")
    return suanzi.reshape(suanzi.tensor(given, dtype=suanzi.float64), shape)


def choice(text: str, among: Sequence[str], what: str) -> str:
    """Return the text of an attribute. Raise an error unless the text is among the choices."""
    if text not in among:
        raise InvalidArgumentError(f"{what} {shown(text)} is not one of {', '.join(among)}")
    return text


def labels_of(operator: str, integers: Sequence[int] | None, strings: Sequence[str] | None) -> Tensor:
    """Return the labels of a classifier. Raise an error unless the labels are either integers or strings."""
    if bool(integers) == bool(strings):
        raise InvalidArgumentError(f"{operator}: the node must have labels of either integers or strings")
    return suanzi.tensor(integers or strings, dtype=suanzi.int64 if integers else suanzi.string)


def picked(labels: Tensor, index: Tensor) -> Tensor:
    return suanzi.gather(labels, index, 0)


def positive(labels: Tensor) -> Tensor:
    """Return the labels for negative and positive scores. The labels are 0 and 1 unless two labels are given."""
    if labels.size == 2:
        return labels
    return suanzi.astype(suanzi.tensor([0, 1], dtype=suanzi.int64), labels.dtype)


def transformed(scores: Tensor, how: str) -> Tensor:
    """Apply the transform `how`, one of `TRANSFORMS`, to scores along the last axis."""
    if how == "LOGISTIC":
        return activations.sigmoid(scores)
    if how == "SOFTMAX":
        return activations.softmax(scores, axis=-1)
    if how == "SOFTMAX_ZERO":
        return _softmax_zero(scores)
    return probit(scores) if how == "PROBIT" else scores


def of_targets(scores: Tensor, how: str) -> Tensor:
    """Apply the transform `how` to scores, one column per target. For a single column, only PROBIT has an effect."""
    return transformed(scores, how) if scores.shape[-1] > 1 or how == "PROBIT" else scores


def two_classes(score: Tensor, how: str, are_positive: bool) -> Tensor:
    """Return the scores of two classes in two columns, from the score of the second class. The two scores add up to 1,
    or are opposite numbers.
    """
    is_share = are_positive and how != "LOGISTIC"
    both = suanzi.concat((1 - score if is_share else -score, score), -1)
    return transformed(both, how) if how in ("LOGISTIC", "PROBIT") else both


def _softmax_zero(scores: Tensor) -> Tensor:
    """Return the softmax of scores that are neither zero nor NaN. Zeros stay zeros, and NaN stays NaN."""
    if not scores.size:
        return scores
    counts = suanzi.greater(suanzi.abs(scores), _NONE_AT_ALL)
    largest = suanzi.max(suanzi.where(counts, scores, -math.inf), -1, True)
    powers = suanzi.where(counts, suanzi.exp(scores - largest), 0)
    total = suanzi.sum(powers, -1, True)
    return suanzi.where(suanzi.isnan(scores), scores, suanzi.where(suanzi.equal(total, 0), 0, powers / total))


def probit(x: Tensor) -> Tensor:
    """Return quantiles of the normal distribution, ``sqrt(2) erfinv(2 x - 1)``, by Winitzki's formula."""
    y = 2 * x - 1
    log = suanzi.log((1 - y) * (1 + y))
    middle = 2 / (math.pi * _ERF) + log / 2
    root = suanzi.sqrt(suanzi.sqrt(suanzi.square(middle) - log / _ERF) - middle)
    return math.sqrt(2) * suanzi.where(suanzi.less(y, 0), -root, root)


def numbers(values: Any, dtype: DType) -> Tensor:
    return suanzi.tensor(values, dtype=dtype)
