"""With array_api_dispatch, scikit-learn's functions of tensors return tensors with the same numbers as for arrays.

test_array_api_dispatch.py runs these tests with SCIPY_ARRAY_API=1.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from estimators import CASES, FOR_NUMPY_ALONE, GIVES_ARRAYS, computed, data
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

import suanzi
from suanzi import Tensor

ON_ARRAYS = data(lambda array: array)
ON_TENSORS = data(suanzi.from_reference)


@pytest.mark.parametrize("name", sorted(CASES.keys() - FOR_NUMPY_ALONE))
def test_case(name: str) -> None:
    found, expected = computed(name, ON_TENSORS), computed(name, ON_ARRAYS)
    assert len(found) == len(expected)
    for ours, theirs in zip(found, expected, strict=True):
        if np.ndim(theirs) and name not in GIVES_ARRAYS:
            assert isinstance(ours, Tensor)
        np.testing.assert_allclose(np.asarray(ours), np.asarray(theirs), rtol=1e-6, atol=1e-8)
        assert np.shape(np.asarray(ours)) == np.shape(theirs)


@pytest.mark.parametrize("name", sorted(FOR_NUMPY_ALONE))
def test_what_is_for_numpy_alone_says_so(name: str) -> None:
    """Cases that need NumPy arrays fail on tensors. A case that succeeds must be removed from FOR_NUMPY_ALONE."""
    with pytest.raises(TypeError):
        computed(name, ON_TENSORS)


@pytest.mark.parametrize("estimator", [KNeighborsClassifier(), SVC()], ids=lambda estimator: type(estimator).__name__)
def test_without_dispatch_results_are_arrays(estimator: Any) -> None:
    """Without dispatch, estimators accept tensors and return NumPy arrays."""
    found, expected = (estimator.fit(d.features, d.classes).predict(d.features) for d in (ON_TENSORS, ON_ARRAYS))
    assert isinstance(found, np.ndarray)
    assert found.tolist() == expected.tolist()


def test_attributes_are_tensors_of_the_type_of_the_features() -> None:
    import sklearn

    features: Any = suanzi.astype(ON_TENSORS.features, "float32")
    with sklearn.config_context(array_api_dispatch=True):
        model = LogisticRegression().fit(features, ON_TENSORS.classes)
    assert isinstance(model.coef_, Tensor)
    assert model.coef_.dtype is suanzi.float32
