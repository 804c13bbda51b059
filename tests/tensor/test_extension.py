"""Every kind of tensor has a dictionary for the user (6.6), and copies keep the dictionary."""

from __future__ import annotations

import copy
import gc
import pickle
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import suanzi

pytestmark = pytest.mark.one_level

KINDS: dict[str, Callable[[], Any]] = {
    "dense": lambda: suanzi.tensor([[1.0, 0.0], [0.0, 3.0]]),
    "strings": lambda: suanzi.tensor([["a", ""], ["算", "b"]]),
    "sparse": lambda: suanzi.sparse_tensor((2, 2), [[0, 0], [1, 1]], [1.0, 3.0]),
    "sparse rows": lambda: suanzi.sparse_tensor((2, 2), [0, 1], [1.0, 3.0], indptr=[0, 1, 2]),
    "quantized": lambda: suanzi.quantized_tensor(
        None, [[1.0, 0.0], [0.0, 3.0]], scale=0.5, zero_point=3, dtype="quint8"
    ),
    "per channel": lambda: suanzi.quantized_tensor((2, 2), [[1.0, 0.0], [0.0, 3.0]], dtype="qint8_per_channel"),
}


def contents(x: Any) -> Any:
    return x.to_dense().tolist() if isinstance(x, suanzi.SparseTensor) else x.tolist()


class Word:
    pass


@pytest.mark.parametrize("kind", KINDS)
def test_metadata(kind: str) -> None:
    x, other = KINDS[kind](), KINDS[kind]()
    assert x.metadata == {}
    x.metadata["unit"] = "m"
    assert x.metadata == {"unit": "m"}
    assert other.metadata == {}
    assert suanzi.clone(x).metadata == {}
    with pytest.raises(AttributeError):
        x.metadata = {}


@pytest.mark.parametrize("kind", KINDS)
def test_copies_keep_it(kind: str) -> None:
    x = KINDS[kind]()
    x.metadata["names"] = ["a"]
    duplicates = [copy.copy(x), copy.deepcopy(x)]
    duplicates += [pickle.loads(pickle.dumps(x, protocol)) for protocol in range(pickle.HIGHEST_PROTOCOL + 1)]
    for i, y in enumerate(duplicates):
        assert y.metadata == x.metadata
        assert y.metadata is not x.metadata
        assert (y.metadata["names"] is x.metadata["names"]) == (i == 0)
        assert (type(y), y.dtype, y.shape, contents(y)) == (type(x), x.dtype, x.shape, contents(x))


@pytest.mark.parametrize("kind", ["quantized", "per channel"])
def test_copies_of_quantized_tensors_have_memory_of_their_own(kind: str) -> None:
    x = KINDS[kind]()
    before = x.tolist()
    for y in (copy.copy(x), copy.deepcopy(x), pickle.loads(pickle.dumps(x))):
        y[...] = 0
        assert x.tolist() == before


@pytest.mark.parametrize("kind", KINDS)
def test_it_goes_with_its_tensor(kind: str) -> None:
    x, word = KINDS[kind](), Word()
    gone = weakref.ref(word)
    x.metadata["word"], x.metadata["self"] = word, x  # a cycle that the collector finds
    del x, word
    gc.collect()
    assert gone() is None


@pytest.mark.parametrize("kind", KINDS)
def test_who_manages_the_memory(kind: str) -> None:
    x = KINDS[kind]()
    assert x.allocator == "suanzi"
    with pytest.raises(AttributeError):
        x.allocator = "external"
    suanzi.destroy(x)
    with pytest.raises(suanzi.UninitializedObjectError):
        _ = x.allocator


def test_memory_of_others() -> None:
    owner = np.zeros((2, 3))
    x = suanzi.from_reference(owner)
    assert [y.allocator for y in (x, x.T, x[0], x.clone(), x + 1)] == ["external"] * 3 + ["suanzi"] * 2
