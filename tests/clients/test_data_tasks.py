"""The tasks in `data_tasks.txt` return the same results for tensors as for NumPy arrays of the same data."""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.ndimage
import scipy.spatial
import scipy.stats
from PIL import Image
from sklearn import datasets
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import confusion_matrix, mean_squared_error, r2_score
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder, StandardScaler

import suanzi

sys.path.insert(0, str(Path(__file__).parents[1] / "interop"))
from like_numpy import plain, tensors_in

pytestmark = pytest.mark.one_level

TEXT = (Path(__file__).parent / "data_tasks.txt").read_text(encoding="utf-8")
LINES = [line for line in TEXT.splitlines() if line and not line.startswith("#")]
CSV = Path(__file__).parents[2] / "examples" / "iris.csv"
LIBRARIES: dict[str, Any] = {
    "np": np,
    "pd": pd,
    "scipy": scipy,
    **{
        tool.__name__: tool
        for tool in (KMeans, PCA, LinearRegression, LogisticRegression, confusion_matrix, mean_squared_error, r2_score)
    },
    **{tool.__name__: tool for tool in (train_test_split, GaussianNB, KNeighborsClassifier, MinMaxScaler)},
    **{tool.__name__: tool for tool in (OneHotEncoder, StandardScaler)},
    "Image": Image,
}


@cache
def data() -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the data of the tasks by name, first as NumPy arrays and then as tensors."""
    arrays: dict[str, Any] = {}
    arrays["X"], arrays["y"] = datasets.load_iris(return_X_y=True)
    arrays["D"], arrays["c"] = datasets.load_digits(return_X_y=True)
    arrays["B"], arrays["b"] = datasets.load_breast_cancer(return_X_y=True)
    arrays["W"] = datasets.load_wine().data
    arrays["Z"], arrays["t"] = datasets.load_diabetes(return_X_y=True)
    arrays["P"] = np.ascontiguousarray(datasets.load_sample_image("flower.jpg")[:240, :320])
    arrays["G"] = arrays["P"][:64, :64].mean(axis=2) / 255
    tensors = {name: suanzi.tensor(array) for name, array in arrays.items()}
    columns = {"delimiter": ",", "skiprows": 1, "usecols": range(4), "dtype": "float64"}
    arrays["table"], tensors["table"] = np.loadtxt(CSV, **columns), suanzi.loadtxt(CSV, **columns)
    names = ["iris", "rose", "iris", "lily"]
    arrays["words"], tensors["words"] = np.array(names), suanzi.tensor(names)
    return arrays, tensors


@pytest.mark.parametrize("line", LINES)
def test_task(line: str) -> None:
    if "trapezoid" in line and not hasattr(np, "trapezoid"):
        pytest.skip("this NumPy lacks the function")
    arrays, tensors = data()
    found = eval(line, {**LIBRARIES, **tensors})
    expected = eval(line, {**LIBRARIES, **arrays})
    parts, wanted = tensors_in(plain(found)), tensors_in(plain(expected))
    assert len(parts) == len(wanted)
    for part, other in zip(parts, wanted, strict=True):
        assert np.shape(part) == np.shape(other)
        if np.asarray(other).dtype.kind in "fc":
            short = getattr(part, "dtype", None) == np.float32  # Suanzi's quotients of integers are float32
            np.testing.assert_allclose(part, other, rtol=1e-6 if short else 1e-9, atol=1e-11)
        else:
            np.testing.assert_array_equal(part, other)


def test_there_are_enough() -> None:
    assert len(LINES) > 100
