"""Operators of the domain ai.onnx.ml (classical machine learning), which scikit-learn's converters use.

The package onnx contains the schemas, versions and defaults of the operators. For most operators, `load` checks a
node's attributes and builds the node's function from the attributes (`is_maker`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import suanzi
from suanzi import Tensor
from suanzi.interop.onnx.compositions import encoders, linear_models, trees
from suanzi.interop.onnx.precision import AS_GIVEN, HALVES
from suanzi.interop.onnx.rows import Row, Rows


def binarizer(x: Tensor, *, threshold: float) -> Tensor:
    """Return 1 where an element exceeds the threshold, and 0 elsewhere. The comparison is exact in every type."""
    return suanzi.astype(suanzi.greater(x, threshold), x.dtype)


def _made(function: Callable[..., Any], since: int = 1) -> Row:
    """Return the table's row of an operator whose function is built from the attributes of a node."""
    return Row(function, is_maker=True, family="composed", widths=AS_GIVEN, since=since)


TABLE: Rows = {
    "ArrayFeatureExtractor": (Row(encoders.array_feature_extractor, family="values", widths=AS_GIVEN),),
    "Binarizer": (Row(binarizer, family="elementwise", widths=AS_GIVEN),),
    "CastMap": (
        Row(encoders.cast_map, family="composed", widths=AS_GIVEN, kinds=True, types=encoders.type_of_cast_map),
    ),
    "CategoryMapper": (_made(encoders.category_mapper),),
    "DictVectorizer": (_made(encoders.dict_vectorizer)._replace(kinds=True, types=encoders.type_of_values),),
    "FeatureVectorizer": (Row(encoders.feature_vectorizer, family="composed", widths=AS_GIVEN),),
    "Imputer": (_made(encoders.imputer),),
    "LabelEncoder": (
        _made(encoders.label_encoder_1),
        _made(encoders.label_encoder_2, since=2),
        _made(encoders.label_encoder, since=4),
    ),
    "LinearClassifier": (_made(linear_models.linear_classifier),),
    "LinearRegressor": (_made(linear_models.linear_regressor),),
    "Normalizer": (Row(encoders.normalizer, family="composed", widths=AS_GIVEN),),
    "OneHotEncoder": (_made(encoders.one_hot_encoder),),
    "SVMClassifier": (_made(linear_models.svm_classifier),),
    "SVMRegressor": (_made(linear_models.svm_regressor),),
    "Scaler": (_made(encoders.scaler),),
    "TreeEnsemble": (_made(trees.tree_ensemble)._replace(as_arrays=True, widths=HALVES),),
    "TreeEnsembleClassifier": (_made(trees.tree_ensemble_classifier)._replace(as_arrays=True),),
    "TreeEnsembleRegressor": (_made(trees.tree_ensemble_regressor)._replace(as_arrays=True),),
    "ZipMap": (_made(encoders.zip_map),),
}
"""The rows of the operators by name. For an operator with several versions, the latest version is last."""
