"""With SCIPY_ARRAY_API=1, SciPy's functions of tensors return tensors with the same numbers as for NumPy arrays.

test_array_api_dispatch.py runs these tests.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
from scipy import cluster, differentiate, fft, integrate, interpolate, linalg, ndimage, signal, special, stats
from scipy.optimize import elementwise, rosen
from scipy.spatial.transform import Rotation

import suanzi
from suanzi import Tensor

rng = np.random.default_rng(11)


class Data(NamedTuple):
    """The arguments of the tested functions."""

    x: Any  # numbers between 0 and 1
    y: Any
    m: Any  # a matrix
    i: Any  # labels
    wave: Any
    line: Any  # numbers in ascending order


ARRAYS = Data(
    rng.uniform(0.1, 0.9, 12),
    rng.uniform(0.1, 0.9, 12),
    rng.uniform(0.1, 0.9, (6, 8)),
    np.arange(48).reshape(6, 8) % 3,
    np.sin(np.arange(64) / 3) + 0.1 * rng.standard_normal(64),
    np.arange(8.0),
)
TENSORS = Data(*(suanzi.from_reference(array.copy()) for array in ARRAYS))

SPECIAL_OF_ONE = (
    *("digamma", "entr", "erf", "erfc", "exp1", "expi", "expit", "gammaln", "i0", "i0e", "i1", "i1e", "j0", "j1"),
    *("log_ndtr", "logit", "ndtr", "ndtri", "sinc", "y0", "y1"),
)
SPECIAL_OF_TWO = ("betaln", "boxcox", "gammainc", "gammaincc", "kl_div", "rel_entr", "xlogy", "xlog1py", "zeta")

Call = Callable[[Data], Any]


def of_one(function: Callable[..., Any]) -> Call:
    return lambda d: function(d.x)


def of_two(function: Callable[..., Any]) -> Call:
    return lambda d: function(d.x + 1, d.y)


def of_samples(function: Callable[..., Any]) -> Call:
    return lambda d: list(function(d.x, d.y))


def of_rows(function: Callable[..., Any]) -> Call:
    return lambda d: function(d.m, axis=1)


CALLS: dict[str, Call] = {
    **{f"special.{n}": of_one(getattr(special, n)) for n in SPECIAL_OF_ONE},
    **{f"special.{n}": of_two(getattr(special, n)) for n in SPECIAL_OF_TWO},
    "special.betainc": lambda d: special.betainc(d.x, d.y, d.x),
    "special.logsumexp": lambda d: special.logsumexp(d.m, axis=1),
    "special.softmax": lambda d: special.softmax(d.m, axis=0),
    "special.log_softmax": lambda d: special.log_softmax(d.m, axis=0),
    "stats.describe": lambda d: list(stats.describe(d.m, axis=0))[2:],
    **{
        f"stats.{n}": of_rows(getattr(stats, n))
        for n in ("gmean", "hmean", "skew", "kurtosis", "sem", "zscore", "variation", "circmean", "entropy", "tmean")
    },
    **{
        f"stats.{n}": of_samples(getattr(stats, n))
        for n in ("pearsonr", "ttest_ind", "ttest_rel", "mannwhitneyu", "bartlett", "kruskal")
    },
    "stats.ttest_1samp": lambda d: list(stats.ttest_1samp(d.m, 0.5, axis=1)),
    "stats.moment": lambda d: stats.moment(d.m, order=3, axis=1),
    "stats.iqr": lambda d: stats.iqr(d.m, axis=1),
    "stats.normaltest": lambda d: list(stats.normaltest(d.wave)),
    "stats.jarque_bera": lambda d: list(stats.jarque_bera(d.wave)),
    "stats.boxcox_llf": lambda d: stats.boxcox_llf(0.5, d.x),
    "stats.false_discovery_control": lambda d: stats.false_discovery_control(d.x),
    "stats.quantile": lambda d: stats.quantile(d.x, d.y),
    "signal.lfilter": lambda d: signal.lfilter(d.x[:3], d.y[:3], d.wave),
    "signal.sosfilt": lambda d: signal.sosfilt(d.m[:1, :6] / d.m[0, 3], d.wave),
    "signal.convolve": lambda d: signal.convolve(d.wave, d.x),
    "signal.fftconvolve": lambda d: signal.fftconvolve(d.wave, d.x),
    "signal.correlate": lambda d: signal.correlate(d.wave, d.x),
    "signal.hilbert": lambda d: signal.hilbert(d.wave),
    "signal.detrend": lambda d: signal.detrend(d.wave),
    "signal.resample": lambda d: signal.resample(d.wave, 40),
    "signal.resample_poly": lambda d: signal.resample_poly(d.wave, 3, 2),
    "signal.savgol_filter": lambda d: signal.savgol_filter(d.wave, 5, 2),
    "signal.medfilt": lambda d: signal.medfilt(d.wave, 5),
    "signal.wiener": lambda d: signal.wiener(d.wave, 5),
    "signal.freqz": lambda d: list(signal.freqz(d.x[:4], d.y[:4])),
    "ndimage.gaussian_filter": lambda d: ndimage.gaussian_filter(d.m, 1.5),
    "ndimage.uniform_filter": lambda d: ndimage.uniform_filter(d.m, 3),
    "ndimage.median_filter": lambda d: ndimage.median_filter(d.m, 3),
    "ndimage.maximum_filter": lambda d: ndimage.maximum_filter(d.m, 3),
    "ndimage.sobel": lambda d: ndimage.sobel(d.m),
    "ndimage.zoom": lambda d: ndimage.zoom(d.m, 2),
    "ndimage.rotate": lambda d: ndimage.rotate(d.m, 30),
    "ndimage.shift": lambda d: ndimage.shift(d.m, 0.5),
    "ndimage.label": lambda d: ndimage.label(d.m > 0.5)[0],
    "ndimage.binary_dilation": lambda d: ndimage.binary_dilation(d.m > 0.7),
    "ndimage.sum_labels": lambda d: ndimage.sum_labels(d.m, d.i, d.i[0, :3]),
    "ndimage.center_of_mass": lambda d: list(ndimage.center_of_mass(d.m)),
    "ndimage.distance_transform_edt": lambda d: ndimage.distance_transform_edt(d.m > 0.3),
    "ndimage.map_coordinates": lambda d: ndimage.map_coordinates(d.m, d.m[:2, :] * 5),
    "cluster.vq.whiten": lambda d: cluster.vq.whiten(d.m),
    "cluster.vq.vq": lambda d: list(cluster.vq.vq(d.m, d.m[:2, :])),
    "cluster.vq.kmeans2": lambda d: list(cluster.vq.kmeans2(d.m, d.m[:2, :], minit="matrix")),
    "cluster.hierarchy.linkage": lambda d: cluster.hierarchy.linkage(d.m, "average"),
    "cluster.hierarchy.fcluster": lambda d: cluster.hierarchy.fcluster(cluster.hierarchy.linkage(d.m), 0.4),
    "optimize.elementwise.find_root": lambda d: (
        elementwise.find_root(lambda z, c: z * z - c, (d.x * 0, d.x * 0 + 2), args=(d.x,)).x
    ),
    "optimize.elementwise.find_minimum": lambda d: (
        elementwise.find_minimum(lambda z, c: (z - c) ** 2, (d.x - 1, d.x + 0.1, d.x + 1), args=(d.x,)).x
    ),
    "optimize.rosen": lambda d: rosen(d.x),
    "differentiate.derivative": lambda d: differentiate.derivative(lambda z: z**3, d.x).df,
    "integrate.trapezoid": lambda d: integrate.trapezoid(d.m, axis=1),
    "integrate.cumulative_trapezoid": lambda d: integrate.cumulative_trapezoid(d.m, axis=1),
    "integrate.tanhsinh": lambda d: integrate.tanhsinh(lambda z: z**2, d.x * 0, d.x).integral,
    "interpolate.BSpline": lambda d: interpolate.BSpline(d.line, d.m[1, :4], 3)(d.x + 3),
    "interpolate.RBFInterpolator": lambda d: interpolate.RBFInterpolator(d.m[:, :2], d.m[:, 2])(d.m[:, 3:5]),
    "linalg.block_diag": lambda d: linalg.block_diag(d.m, d.m),
    "fft.fft": lambda d: fft.fft(d.wave),
    "fft.irfft": lambda d: fft.irfft(d.wave),
    "fft.rfftn": lambda d: fft.rfftn(d.m),
    "fft.fftshift": lambda d: fft.fftshift(d.wave),
    "fft.dct": lambda d: fft.dct(d.wave),
    "fft.dstn": lambda d: fft.dstn(d.m),
    "fft.fht": lambda d: fft.fht(d.wave, 0.1, 0.5),
    "Rotation": lambda d: Rotation.from_rotvec(d.m[:, :3]).as_matrix(),
    "Rotation.apply": lambda d: Rotation.from_rotvec(d.m[:, :3]).apply(d.m[:, 3:6]),
}


@pytest.mark.parametrize("name", CALLS)
def test_function(name: str) -> None:
    found, expected = CALLS[name](TENSORS), CALLS[name](ARRAYS)
    if not isinstance(found, list):
        found, expected = [found], [expected]
    assert len(found) == len(expected)
    for ours, theirs in zip(found, expected, strict=True):
        assert isinstance(ours, Tensor)
        assert ours.shape == np.shape(theirs)
        assert ours.dtype == np.asarray(theirs).dtype
        np.testing.assert_allclose(ours.numpy(), theirs, rtol=1e-10, atol=1e-12)


def test_types_that_scipy_asks_the_namespace_for() -> None:
    """Before SciPy 1.18, `rankdata` returns ranks of the array API namespace's default type, float64. In SciPy 1.18 and
    later, the ranks have the data's type.
    """
    ranks = stats.rankdata(suanzi.astype(TENSORS.x, "float32"))
    expected = stats.rankdata(ARRAYS.x.astype("float32"))
    assert isinstance(ranks, Tensor)
    assert ranks.dtype == expected.dtype
    assert ranks.tolist() == expected.tolist()


def test_what_has_no_counterpart() -> None:
    """NumPy computes a ufunc that SciPy does not dispatch."""
    found = special.log_expit(TENSORS.x)
    assert isinstance(found, Tensor)
    assert found.tolist() == special.log_expit(ARRAYS.x).tolist()
