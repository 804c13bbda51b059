"""xarray's operations on tensors return tensors in `.data`. The elements equal the results for NumPy arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import xarray as xr

import suanzi
from suanzi import Tensor

pytestmark = pytest.mark.one_level

A = np.random.default_rng(7).uniform(0.5, 4, (2, 3, 4))
XR = xr.DataArray


def arrays(convert: Callable[[Any], Any]) -> tuple[XR, XR]:
    """Make a DataArray of three named dimensions, and a DataArray of two of these dimensions."""
    labels = {"x": [0.0, 1.0, 2.0]}
    whole = XR(convert(A), dims=("t", "x", "y"), coords={"t": [10, 20], **labels}, name="whole")
    return whole, XR(convert(A[0]), dims=("x", "y"), coords=labels, name="part")


def assigned(a: XR) -> XR:
    changed = a.copy()
    changed[0, 1, 2] = -5.0
    changed[{"t": 1}] = 0.0
    changed.loc[{"x": 2.0}] = 7.0
    return changed


CALLS: dict[str, Callable[[XR, XR], XR]] = {
    "+": lambda a, b: a + b,
    "broadcasting": lambda a, b: a * b.isel(y=0, drop=True) + 1,
    "comparison": lambda a, b: a > b,
    "alignment": lambda a, b: a + a.isel(x=slice(1, 3)),
    **{
        fold: lambda a, b, fold=fold: getattr(a, fold)("x")
        for fold in ("sum", "mean", "std", "var", "min", "max", "prod", "median", "argmax", "argmin", "count")
    },
    "mean of all": lambda a, b: a.mean(),
    "any": lambda a, b: (a > 3).any("x"),
    "quantile": lambda a, b: a.quantile(0.25, "x"),
    "cumsum": lambda a, b: a.cumsum("x"),
    "cumprod": lambda a, b: a.cumprod("x"),
    "diff": lambda a, b: a.diff("x"),
    "isel": lambda a, b: a.isel(x=1, y=slice(0, 2)),
    "isel of a list": lambda a, b: a.isel(x=[0, 2]),
    "sel": lambda a, b: a.sel(t=20, x=[2.0, 0.0]),
    "a mask of labels": lambda a, b: a[a.t > 10],
    "where": lambda a, b: a.where(a > 2, 0.0),
    "xr.where": lambda a, b: xr.where(a > 2, a, b),
    "clip": lambda a, b: a.clip(1, 3),
    "concat": lambda a, b: xr.concat([a, a + 1], "t"),
    "concat along a new one": lambda a, b: xr.concat([b, b + 1], "n"),
    "transpose": lambda a, b: a.transpose("y", "x", "t"),
    "stack": lambda a, b: a.stack(z=("x", "y")),
    "expand_dims": lambda a, b: b.expand_dims(q=3),
    "roll": lambda a, b: a.roll(x=1),
    "sortby": lambda a, b: a.sortby("x", ascending=False),
    "coarsen": lambda a, b: a.coarsen(y=2).mean(),
    "groupby": lambda a, b: a.groupby(XR([0, 0, 1], dims="x", name="g")).sum(),
    "weighted": lambda a, b: a.weighted(b.isel(y=0, drop=True)).sum("x"),
    "dot": lambda a, b: xr.dot(a, b, dim="y"),
    "@": lambda a, b: a @ b,
    "apply_ufunc": lambda a, b: xr.apply_ufunc(lambda u: u.sum(axis=-1) * 2, a, input_core_dims=[["y"]]),
    "numpy's functions": lambda a, b: np.maximum(np.sin(a), b),
    "astype": lambda a, b: a.astype("float32"),
    "assignment": lambda a, b: assigned(a),
    "Dataset": lambda a, b: (xr.Dataset({"a": a, "b": b}) * 2).mean("x")["a"],
    "isnull": lambda a, b: a.isnull(),
    "polyfit": lambda a, b: a.polyfit("x", 1)["polyfit_coefficients"],
    "integrate": lambda a, b: a.integrate("x"),
}


def tensor_of(array: Any) -> Tensor:
    return suanzi.from_reference(array.copy())


@pytest.mark.parametrize("name", CALLS)
def test_like_arrays(name: str) -> None:
    found, expected = CALLS[name](*arrays(tensor_of)), CALLS[name](*arrays(lambda a: a))
    assert isinstance(found.data, Tensor)
    assert found.dtype == expected.dtype
    assert found.dims == expected.dims
    xr.testing.assert_allclose(found.as_numpy(), expected, rtol=1e-12)


def test_text_and_values() -> None:
    a, b = arrays(tensor_of)
    assert "suanzi.Tensor" in repr(a) or "tensor(" in repr(a)
    assert "<pre" in a._repr_html_()
    assert a.identical(a.copy())
    assert type(b.values) is np.ndarray
    assert float(a[0, 0, 0]) == A[0, 0, 0]
    assert b.to_pandas().to_numpy().tolist() == A[0].tolist()


def test_what_xarray_has_for_numpy_alone() -> None:
    """xarray refuses to fill tensors with NaN, and refuses pointwise indexing of tensors."""
    a, _ = arrays(tensor_of)
    for call in (lambda: a.where(a > 2), lambda: a.shift(x=1)):
        with pytest.raises(TypeError, match="must be one of an extension array dtype or numpy dtype"):
            call()
    with pytest.raises(TypeError, match="Vectorized indexing is not supported"):
        a.isel(x=XR([0, 1], dims="p"), y=XR([1, 2], dims="p"))
