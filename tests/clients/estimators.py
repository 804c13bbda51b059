"""The estimators, metrics and tools that support the array API according to the user guide of scikit-learn.

Each case computes with the arrays of any library, so that libraries can be compared with NumPy. scikit-learn requires
SCIPY_ARRAY_API=1 in the environment before SciPy is imported.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import sklearn
from sklearn import metrics
from sklearn.calibration import CalibratedClassifierCV
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import (
    LogisticRegression,
    PoissonRegressor,
    Ridge,
    RidgeClassifier,
    RidgeClassifierCV,
    RidgeCV,
)
from sklearn.metrics import pairwise
from sklearn.mixture import GaussianMixture
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV, cross_val_predict, train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import FeatureUnion, Pipeline
from sklearn.preprocessing import (
    Binarizer,
    KernelCenterer,
    LabelBinarizer,
    LabelEncoder,
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    PolynomialFeatures,
    SplineTransformer,
    StandardScaler,
    label_binarize,
)
from sklearn.utils.extmath import randomized_svd

rng = np.random.default_rng(5)
CENTERS = np.array([[2.0, 0.5, 1.0, 4.0], [0.5, 3.0, 2.0, 1.0], [4.0, 2.0, 5.0, 2.5]])
CLASSES = np.repeat([0, 1, 2], 16)
FEATURES = CENTERS[CLASSES] + 0.4 * rng.standard_normal((48, 4))
TARGETS = FEATURES @ [0.5, -1.0, 2.0, 0.25] + 0.1 * rng.standard_normal(48)
COUNTS = np.floor(np.exp(FEATURES[:, 0] / 3))
SHARES = np.array([0.1, 0.4, 0.35, 0.8, 0.65, 0.9])
TRUTH = np.array([0, 0, 1, 1, 0, 1])


class Data(NamedTuple):
    """The operands of the cases, as arrays of one library."""

    features: Any
    classes: Any
    targets: Any
    counts: Any
    truth: Any
    shares: Any


def data(convert: Callable[[np.ndarray[Any, Any]], Any]) -> Data:
    return Data(*(convert(array.copy()) for array in (FEATURES, CLASSES, TARGETS, COUNTS, TRUTH, SHARES)))


def square(features: Any) -> Any:
    """Return a kernel matrix, which holds the inner products of the first six rows of features."""
    return features[:6, :] @ features[:6, :].T


# For each estimator: a constructor, the name of the targets for the fit (empty without targets), the methods to call.
ESTIMATORS: dict[str, tuple[Callable[[], Any], str, tuple[str, ...]]] = {
    "PCA(full)": (lambda: PCA(2, svd_solver="full"), "", ("transform", "score_samples", "get_covariance")),
    "PCA(covariance_eigh)": (lambda: PCA(2, svd_solver="covariance_eigh"), "", ("transform", "get_precision")),
    "PCA(randomized)": (
        lambda: PCA(2, svd_solver="randomized", power_iteration_normalizer="QR", random_state=0),
        "",
        ("transform",),
    ),
    "LinearDiscriminantAnalysis": (LinearDiscriminantAnalysis, "classes", ("predict", "predict_proba", "transform")),
    "Nystroem": (lambda: Nystroem(n_components=8, random_state=0), "", ("transform",)),
    "LogisticRegression": (LogisticRegression, "classes", ("predict", "predict_proba", "decision_function")),
    "PoissonRegressor": (PoissonRegressor, "counts", ("predict",)),
    "Ridge(svd)": (lambda: Ridge(solver="svd"), "targets", ("predict",)),
    "RidgeCV": (RidgeCV, "targets", ("predict",)),
    "RidgeClassifier": (lambda: RidgeClassifier(solver="svd"), "classes", ("predict", "decision_function")),
    "RidgeClassifierCV": (RidgeClassifierCV, "classes", ("predict", "decision_function")),
    "GaussianMixture": (
        lambda: GaussianMixture(3, init_params="random", random_state=0, max_iter=20, tol=1e-6),
        "",
        ("predict_proba", "score_samples"),
    ),
    "GaussianNB": (GaussianNB, "classes", ("predict", "predict_proba", "predict_log_proba")),
    "CalibratedClassifierCV": (
        lambda: CalibratedClassifierCV(LinearDiscriminantAnalysis(), method="temperature", ensemble=False, cv=3),
        "classes",
        ("predict", "predict_proba"),
    ),
    "Binarizer": (lambda: Binarizer(threshold=2.0), "", ("transform",)),
    "MaxAbsScaler": (MaxAbsScaler, "", ("transform",)),
    "MinMaxScaler": (MinMaxScaler, "", ("transform",)),
    "StandardScaler": (StandardScaler, "", ("transform",)),
    "Normalizer(l1)": (lambda: Normalizer("l1"), "", ("transform",)),
    "Normalizer(l2)": (Normalizer, "", ("transform",)),
    "Normalizer(max)": (lambda: Normalizer("max"), "", ("transform",)),
    "PolynomialFeatures": (lambda: PolynomialFeatures(3), "", ("transform",)),
    "SplineTransformer": (lambda: SplineTransformer(n_knots=4), "", ("transform",)),
    "Pipeline": (
        lambda: Pipeline([("scaled", StandardScaler()), ("fitted", Ridge(solver="svd"))]),
        "targets",
        ("predict",),
    ),
    "FeatureUnion": (lambda: FeatureUnion([("a", StandardScaler()), ("b", MinMaxScaler())]), "", ("transform",)),
    "GridSearchCV": (
        lambda: GridSearchCV(Ridge(solver="svd"), {"alpha": [0.1, 1.0, 10.0]}, cv=3),
        "targets",
        ("predict",),
    ),
    "RandomizedSearchCV": (
        lambda: RandomizedSearchCV(Ridge(solver="svd"), {"alpha": [0.1, 1.0]}, n_iter=2, cv=3, random_state=0),
        "targets",
        ("predict",),
    ),
}


# Estimators and methods whose results have columns of arbitrary sign. The signs depend on the singular vectors that
# LAPACK returns, and NumPy and Suanzi use different LAPACK libraries.
EITHER_SIGN = {("LinearDiscriminantAnalysis", "transform")}


def first_row_positive(columns: Any) -> Any:
    return columns * (columns[:1] / abs(columns[:1]))


def answer(name: str, estimator: Any, what: str, features: Any) -> Any:
    if what.startswith("get_"):
        return getattr(estimator, what)()
    result = getattr(estimator, what)(features)
    return first_row_positive(result) if (name, what) in EITHER_SIGN else result


def fitted(name: str, given: Data) -> list[Any]:
    make, target, asked = ESTIMATORS[name]
    estimator = make().fit(given.features, *([getattr(given, target)] if target else []))
    return [answer(name, estimator, what, given.features) for what in asked]


Compute = Callable[[Data], Any]

# Estimators that are fitted to labels or a kernel instead of features, and functions that are not estimators.
OF_LABELS = ("LabelEncoder", "LabelBinarizer", "KernelCenterer")
TOOLS: dict[str, Compute] = {
    "LabelEncoder": lambda d: LabelEncoder().fit_transform(d.classes),
    "LabelBinarizer": lambda d: LabelBinarizer().fit_transform(d.classes),
    "KernelCenterer": lambda d: KernelCenterer().fit_transform(square(d.features)),
    "label_binarize": lambda d: label_binarize(d.classes, classes=[2, 1, 0]),
    "train_test_split": lambda d: train_test_split(d.features, random_state=0),
    "cross_val_predict": lambda d: cross_val_predict(Ridge(solver="svd"), d.features, d.targets, cv=3),
    "randomized_svd": lambda d: randomized_svd(d.features, 2, power_iteration_normalizer="QR", random_state=0)[1],
}


def of_truth(function: Callable[..., Any], **options: Any) -> Compute:
    return lambda d: function(d.truth, d.shares > 0.5, **options)


def of_shares(function: Callable[..., Any], **options: Any) -> Compute:
    return lambda d: function(d.truth, d.shares, **options)


def of_targets(function: Callable[..., Any]) -> Compute:
    return lambda d: function(d.targets + 9, d.targets * 1.125 + 9)


def of_rows(function: Callable[..., Any], **options: Any) -> Compute:
    """Return a case that computes a kernel of squared features, because some kernels refuse negative numbers."""
    return lambda d: function(d.features[:5, :] ** 2, d.features[3:9, :] ** 2, **options)


METRICS: dict[str, Compute] = {
    **{
        name: of_truth(getattr(metrics, name))
        for name in (
            *("accuracy_score", "balanced_accuracy_score", "cohen_kappa_score", "confusion_matrix", "f1_score"),
            *("hamming_loss", "jaccard_score", "matthews_corrcoef", "multilabel_confusion_matrix", "precision_score"),
            *("precision_recall_fscore_support", "recall_score", "zero_one_loss", "class_likelihood_ratios"),
        )
    },
    "roc_curve": of_shares(metrics.roc_curve, drop_intermediate=False),
    "fbeta_score": of_truth(metrics.fbeta_score, beta=0.5),
    **{
        name: of_shares(getattr(metrics, name))
        for name in (
            *("average_precision_score", "brier_score_loss", "d2_brier_score", "d2_log_loss_score", "det_curve"),
            *("log_loss", "precision_recall_curve", "roc_auc_score"),
        )
    },
    **{
        name: of_targets(getattr(metrics, name))
        for name in (
            *("d2_absolute_error_score", "d2_pinball_score", "d2_tweedie_score", "explained_variance_score"),
            *("max_error", "mean_absolute_error", "mean_absolute_percentage_error", "mean_gamma_deviance"),
            *("mean_pinball_loss", "mean_poisson_deviance", "mean_squared_error", "mean_squared_log_error"),
            *("mean_tweedie_deviance", "median_absolute_error", "r2_score", "root_mean_squared_error"),
            "root_mean_squared_log_error",
        )
    },
    **{
        name: of_rows(getattr(pairwise, name))
        for name in (
            *("additive_chi2_kernel", "chi2_kernel", "cosine_distances", "cosine_similarity", "euclidean_distances"),
            *("laplacian_kernel", "linear_kernel", "manhattan_distances", "polynomial_kernel", "rbf_kernel"),
            "sigmoid_kernel",
        )
    },
    "paired_cosine_distances": lambda d: pairwise.paired_cosine_distances(d.features, d.features + 1),
    "paired_euclidean_distances": lambda d: pairwise.paired_euclidean_distances(d.features, d.features + 1),
    "pairwise_distances": of_rows(metrics.pairwise_distances, metric="euclidean"),
    "pairwise_kernels": of_rows(pairwise.pairwise_kernels, metric="rbf"),
    "pairwise_distances_argmin": of_rows(metrics.pairwise_distances_argmin),
}
CASES: dict[str, Compute] = {
    **{name: (lambda d, name=name: fitted(name, d)) for name in ESTIMATORS},
    **TOOLS,
    **METRICS,
}
# Cases for which scikit-learn 1.9 calls functions that accept only NumPy arrays. PyTorch's tensors fail as well.
FOR_NUMPY_ALONE = {"roc_auc_score"}
GIVES_ARRAYS = {"SplineTransformer"}  # cases that return NumPy arrays for tensors


def computed(name: str, given: Data) -> list[Any]:
    """Compute a case on the given data, and return the results (arrays and numbers) as a list."""
    with sklearn.config_context(array_api_dispatch=True):
        results = CASES[name](given)
    return list(results) if isinstance(results, list | tuple) else [results]
