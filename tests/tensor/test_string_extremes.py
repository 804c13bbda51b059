"""max, min, maximum and minimum of strings return the greatest and least string by code points."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import suanzi
from samples import fails
from suanzi import DimensionsMismatchError, InvalidArgumentError, Tensor, TypeMismatchError

# Two strings that UTF-16 would order differently, a prefix, a NUL, and a string too long to be stored inline.
WORDS = ["", "a", "ab", "a\0", "b", "é", "算", "算子", "\ufffd", "\U00010000", "b" * 100]
EXTREMES: dict[str, Any] = {"max": max, "min": min}


def words(shape: tuple[int, ...], seed: int = 0) -> Any:
    picks = np.random.default_rng(seed).integers(len(WORDS), size=shape)
    return np.array(WORDS, object)[picks]


def tensors(a: Any) -> dict[str, Tensor]:
    """Return tensors of the strings in different memory layouts."""
    x = suanzi.tensor(a.tolist())
    spread = suanzi.zeros((*a.shape[:-1], 2 * a.shape[-1]), dtype="string")
    spread[..., ::2] = x
    backwards = suanzi.tensor(a.T.tolist()).T
    return {
        "contiguous": x,
        "strided": spread[..., ::2],
        "transposed": backwards,
        "reversed": suanzi.flip(suanzi.flip(x)),
    }


def overwrite_freed_memory() -> None:
    _ = [suanzi.full(size, 0x5A, dtype="uint8") for size in (64, 512, 4096, 65536) for _ in range(4)]


@pytest.mark.parametrize("name", EXTREMES)
@pytest.mark.parametrize("keepdims", [False, True])
def test_along_axes(name: str, keepdims: bool) -> None:
    a = words((3, 4, 5))
    for axes in (None, 0, 1, -1, (0, 1), (0, 2), (2, 1), (0, 1, 2), ()):
        along = tuple(range(3)) if axes is None else axes if isinstance(axes, tuple) else (axes % 3,)
        kept = [range(n) if i not in along else [slice(None)] for i, n in enumerate(a.shape)]
        expected = [EXTREMES[name](np.ravel(np.array(a[at], object)).tolist()) for at in itertools.product(*kept)]
        shape = tuple(1 if i in along else n for i, n in enumerate(a.shape) if keepdims or i not in along)
        for layout, x in tensors(a).items():
            y = getattr(suanzi, name)(x, axes, keepdims)
            assert (y.shape, y.dtype) == (shape, suanzi.string), layout
            assert suanzi.flatten(y).tolist() == expected, (layout, axes)
            assert suanzi.reduce(x, name, axes, keepdims).tolist() == y.tolist()


@pytest.mark.parametrize("name", EXTREMES)
def test_of_many(name: str) -> None:
    a = words((300, 200))
    x = suanzi.tensor(a.tolist())
    assert getattr(suanzi, name)(x).item() == EXTREMES[name](a.ravel().tolist())
    assert getattr(x, name)(axis=0).tolist() == [EXTREMES[name](a[:, j]) for j in range(200)]
    assert getattr(suanzi, name)(suanzi.tensor("算")).item() == "算"
    out = suanzi.zeros(300, dtype="string")
    assert getattr(suanzi, name)(x, 1, out=out) is out
    x.destroy()
    overwrite_freed_memory()
    assert out.tolist() == [EXTREMES[name](a[i]) for i in range(300)]


@pytest.mark.parametrize("name", EXTREMES)
def test_of_none(name: str) -> None:
    function: Any = getattr(suanzi, name)
    x = suanzi.zeros((2, 0, 3), dtype="string")
    assert function(x, (0, 2)).shape == (0,)
    for axes in (None, 1, (0, 1)):
        with fails(InvalidArgumentError, name):
            function(x, axes)


@pytest.mark.parametrize("size", [1, 7, 5000])
@pytest.mark.parametrize(("name", "choose"), [("maximum", max), ("minimum", min)])
def test_element_by_element(name: str, choose: Any, size: int) -> None:
    function: Any = getattr(suanzi, name)
    a, b = words((2, size), 1), words((2, size), 2)
    expected = [[choose(p, q) for p, q in zip(r, s, strict=True)] for r, s in zip(a, b, strict=True)]
    for x, y in zip(tensors(a).values(), tensors(b[:, ::-1]).values(), strict=True):
        result = function(x, suanzi.flip(y, 1))
        x.destroy(), y.destroy()
        overwrite_freed_memory()
        assert (result.dtype, result.tolist()) == (suanzi.string, expected)
    nothing = suanzi.zeros((2, 0), dtype="string")
    assert function(nothing, nothing).shape == (2, 0)


@pytest.mark.parametrize(("name", "choose"), [("maximum", max), ("minimum", min)])
def test_beside_one_string(name: str, choose: Any) -> None:
    function: Any = getattr(suanzi, name)
    a = words((3, 4))
    for word in ("", "算" * 50, "ab"):
        expected = [[choose(v, word) for v in row] for row in a.tolist()]
        x = suanzi.tensor(a.tolist())
        assert function(x, word).tolist() == expected
        assert function(word, x).tolist() == expected
        assert function(x, suanzi.tensor([[word]])).tolist() == expected
        assert function(x, x[0], out=x) is x
        assert x.tolist() == [[choose(v, w) for v, w in zip(row, a[0], strict=True)] for row in a.tolist()]


@pytest.mark.parametrize("name", ["maximum", "minimum"])
def test_refused(name: str) -> None:
    function: Any = getattr(suanzi, name)
    x = suanzi.tensor(["a", "b"])
    with fails(TypeMismatchError, name):
        function(x, 1)
    with fails(TypeMismatchError, name):
        function(x, suanzi.zeros(2))
    with fails(TypeMismatchError, name):
        function(x, x, out=suanzi.zeros(2))
    with fails(DimensionsMismatchError, name):
        function(x, suanzi.tensor(["a"] * 3))
    with fails(InvalidArgumentError, name):
        function(x, "\ud800")


def test_padded_with_the_empty_string() -> None:
    x = suanzi.tensor([["a", "b"]])
    assert suanzi.pad(x, ((0, 1), (1, 0))).tolist() == [["", "a", "b"], ["", "", ""]]
    assert suanzi.pad(x, (0, 1), value="算").tolist() == [["a", "b", "算"], ["算", "算", "算"]]
    with fails(TypeMismatchError, "pad"):
        suanzi.pad(x, 1, value=0)
    for name in ("bool", "uint8", "float16", "complex64"):
        padded = suanzi.pad(suanzi.ones(1, dtype=name), 1)
        assert (padded.dtype.name, padded.tolist()) == (name, [0, 1, 0])
