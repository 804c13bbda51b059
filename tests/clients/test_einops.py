"""einops returns the same results for tensors as for NumPy arrays, by the registered backend and einops.array_api."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import einops
import einops.array_api
import numpy as np
import pytest

import suanzi
import suanzi.interop.einops
from suanzi import Tensor

pytestmark = pytest.mark.one_level

A = np.random.default_rng(3).uniform(0.5, 2, (2, 3, 4))

# Calls of einops or einops.array_api on a tensor of shape (2, 3, 4).
CALLS: dict[str, Callable[[ModuleType, Any], Any]] = {
    "rearrange": lambda e, x: e.rearrange(x, "a b c -> (c a) b"),
    "rearrange into parts": lambda e, x: e.rearrange(x, "a b (c d) -> d a b c", d=2),
    "rearrange of a list": lambda e, x: e.rearrange([x, x + 1], "n a b c -> a (n b) c"),
    "repeat": lambda e, x: e.repeat(x, "a b c -> a (b n) c m", n=2, m=3),
    **{
        f"reduce by {fold}": lambda e, x, fold=fold: e.reduce(x, "a b c -> a c", fold)
        for fold in ("min", "max", "sum", "mean", "prod")
    },
    "reduce by any": lambda e, x: e.reduce(x > 1, "a b c -> b", "any"),
    "reduce blocks": lambda e, x: e.reduce(x, "a b (c d) -> a b c", "max", d=2),
}


def as_arrays(value: Any) -> Any:
    assert isinstance(value, Tensor)
    return value.numpy()


@pytest.mark.parametrize("module", [einops, einops.array_api], ids=lambda module: module.__name__)
@pytest.mark.parametrize("name", CALLS)
def test_functions(module: ModuleType, name: str) -> None:
    found = as_arrays(CALLS[name](module, suanzi.tensor(A, dtype="float64")))
    expected = CALLS[name](einops, A)
    np.testing.assert_allclose(found, expected, rtol=1e-14)
    assert found.dtype == expected.dtype


@pytest.mark.parametrize("module", [einops, einops.array_api], ids=lambda module: module.__name__)
def test_packing(module: ModuleType) -> None:
    x = suanzi.tensor(A, dtype="float64")
    packed, shapes = module.pack([x, x[:, 0]], "a * c")
    expected, wanted = einops.pack([A, A[:, 0]], "a * c")
    assert as_arrays(packed).tolist() == expected.tolist()
    assert [tuple(shape) for shape in shapes] == [tuple(shape) for shape in wanted]
    parts = module.unpack(packed, shapes, "a * c")
    assert [as_arrays(part).tolist() for part in parts] == [A.tolist(), A[:, 0].tolist()]


def test_einsum_and_shapes() -> None:
    x = suanzi.tensor(A, dtype="float64")
    found = as_arrays(einops.einsum(x, x, "a b c, a d c -> a b d"))
    np.testing.assert_allclose(found, einops.einsum(A, A, "a b c, a d c -> a b d"), rtol=1e-14)
    assert einops.parse_shape(x, "a _ c") == {"a": 2, "c": 4}
    assert einops.asnumpy(x).tolist() == A.tolist()


def test_the_mean_of_integers_is_refused() -> None:
    """einops itself refuses the mean of integers, for every library."""
    with pytest.raises(NotImplementedError, match="not available for"):
        einops.reduce(suanzi.array_api.asarray([[1, 2]]), "a b -> a", "mean")


def test_the_backend_is_there_only_where_it_was_asked_for() -> None:
    code = """
import einops, suanzi
x = suanzi.zeros((2, 3))
try:
    einops.rearrange(x, "a b -> b a")
except RuntimeError as error:
    print(error)
import suanzi.interop.einops
print(einops.rearrange(x, "a b -> b a").shape)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["Tensor type unknown to einops <class 'suanzi.Tensor'>", "(3, 2)"]
