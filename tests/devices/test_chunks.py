"""Operations on Dask arrays with chunks on a device have results on the device."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from placing import GPU, assert_same, here, sz, there

dask = pytest.importorskip("dask")
import dask.array as da  # noqa: E402

pytestmark = pytest.mark.one_level

X = sz.tensor(np.random.default_rng(0).normal(size=(6, 4)).astype(np.float32))
CALLS: dict[str, Callable[[Any], Any]] = {
    "itself": lambda a: a,
    "add": lambda a: a + 1,
    "exp": da.exp,
    "sum": lambda a: a.sum(),
    "mean": lambda a: a.mean(axis=0),
    "std": lambda a: a.std(axis=1),
    "argmax": lambda a: a.argmax(axis=1),
    "matmul": lambda a: a @ a.T,
    "slice": lambda a: a[1:5:2, ::-1],
    "concatenate": lambda a: da.concatenate([a, a]),
    "where": lambda a: da.where(a > 0, a, 0),
    "cumsum": lambda a: a.cumsum(axis=0),
    "topk": lambda a: da.topk(a, 2),
    "tensordot": lambda a: da.tensordot(a, a, axes=([0], [0])),
    "ones_like": lambda a: da.ones_like(a),
}


@pytest.mark.parametrize("name", CALLS)
def test_chunks(name: str) -> None:
    found, expected = (
        CALLS[name](da.from_array(x, chunks=(3, 2), asarray=False)).compute(scheduler="sync") for x in (there(X), X)
    )
    assert_same(here(found), expected, 100.0)


def test_chunks_of_other_devices_have_other_names() -> None:
    from dask.base import tokenize

    assert tokenize(there(X)) == tokenize(there(X) + 0)
    assert tokenize(there(X)) != tokenize(X)


def test_like_a_tensor_on_a_device() -> None:
    numpy: Any = np
    x = there(X)
    made = [numpy.zeros_like(x, shape=(2,)), numpy.full_like(x, 3, shape=5), numpy.ones_like(x)]
    made += [numpy.zeros(3, like=x), numpy.array([1.0, 2.0], like=x), numpy.arange(3, like=x)]
    assert [y.device for y in made] == [GPU] * len(made)
