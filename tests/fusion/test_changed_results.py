"""Tests of fused functions that change their own results: operators in place, and assignments of elements."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

import suanzi

X = suanzi.random.Generator(1).normal((4, 4))
W = suanzi.random.Generator(2).normal((4, 4))


def same(a: Any, b: Any) -> bool:
    return a.dtype == b.dtype and a.shape == b.shape and a.layout == b.layout and str(a.tolist()) == str(b.tolist())


def _sorted(x: Any, w: Any) -> Any:
    y = suanzi.sort(x, axis=0)
    z = y
    y += w
    return z


def _product(x: Any, w: Any) -> Any:
    y = x @ w
    y += x[0]
    y *= 2
    return y


def _view_alone(x: Any, w: Any) -> Any:
    y = (x * 2).T
    y += w.T
    return y


def _viewed(x: Any, w: Any) -> Any:
    y = x * 2
    z = y.T
    row = z[1]
    y += w
    return z, row, y


def _by_a_view(x: Any, w: Any) -> Any:
    y = x * 2
    part = y[1:, ::2]
    part -= w[1:, ::2]
    return y, part


def _by_elements(x: Any, w: Any) -> Any:
    y = x * 2
    y[0] = 1.5
    y[1:3] *= 2
    y[..., -1] = w[0]
    y[y > 1] = w[1, 1]
    y[suanzi.tensor([1, 2], dtype="int64")] -= 1
    return y


def _parts_of_a_product(x: Any, w: Any) -> Any:
    q, r = suanzi.linalg.qr(x)
    r *= 2
    return q @ r + w


def _other_order(x: Any, w: Any) -> Any:
    y = (x * 2).T
    y += w
    return y


@pytest.mark.parametrize("function", [
    _sorted, _product, _view_alone, _viewed, _by_a_view, _by_elements, _parts_of_a_product, _other_order
])  # fmt: skip
def test_results_that_the_function_changes(function: Callable[..., Any]) -> None:
    fused = suanzi.fuse(function)
    for x, w in (X, W), (W, X), (X.T, W), (X, W.T):
        assert "not traced" not in fused.explain(x, w)
        got, expected = fused(x, w), function(x, w)
        if isinstance(expected, tuple):
            assert len(got) == len(expected)
            assert all(map(same, got, expected))
        else:
            assert same(got, expected)
    assert same(X, suanzi.random.Generator(1).normal((4, 4)))


def test_results_that_share_memory_still_do() -> None:
    y, z = suanzi.fuse(_viewed)(X, W)[::-2]
    y[0, 1] = 7.0
    assert z[1, 0].item() == 7.0


def test_operands_of_other_kinds_make_a_new_tensor() -> None:
    """Dense tensors do not change in place by sparse tensors, so Python computes ``y = y + s``."""

    def function(x: Any, s: Any) -> Any:
        y = x * 2
        z = y
        y += s
        x += s
        t = s * 2
        values = t.values
        values += 1
        return y, z, x, t.to_dense()

    x, s = suanzi.ones((2, 2)), suanzi.to_sparse(suanzi.tensor([[0.0, 5.0], [0.0, 0.0]]))
    fused = suanzi.fuse(function)
    for _ in range(2):
        assert all(map(same, fused(x, s), function(x, s)))
    assert x.tolist() == [[1, 1], [1, 1]]


def test_parts_of_an_argument_are_not_changed() -> None:
    def split(x: Any) -> Any:
        first, second = suanzi.split(x, 2)
        first += second
        return first

    def real(x: Any) -> Any:
        y = suanzi.real(x)
        y[0] = 1
        return y

    for function in (split, real):
        with pytest.raises(suanzi.TraceError, match="must not modify its arguments"):
            suanzi.fuse(function)(X)


def test_memory_that_other_results_use() -> None:
    """A function whose results share memory in a way that the recording does not know runs without fusion."""

    def function(x: Any) -> Any:
        y = x * 2
        first, second = suanzi.split(y, 2)
        first += second
        return y

    fused = suanzi.fuse(function)
    assert same(fused(X), function(X))
    assert "not traced" in fused.explain(X)


def _program(chosen: random.Random) -> str:
    """Return the source of a function that makes tensors and views, and changes some of them."""
    lines, names = ["def function(x, w):", "    y0 = x * 2 + w"], ["y0"]
    for number in range(1, chosen.randint(5, 15)):
        a, b = chosen.choice(names), chosen.choice([*names, "x", "w"])
        value = chosen.choice(["2", "w[0, 1]", "-1"])
        part = chosen.choice(["0", "1:3", "::2", ":, 1", "..., -1", "1, 2", "::-1", "[2, 0]"])
        made = [
            f"{a} + {b}", f"{a} @ {b}", f"sz.sort({a}, axis=1)", f"{a}.T", f"{a}[::-1]", f"{a}.reshape(4, 4)", a,
            f"sz.cumulative_sum({a}, axis=0)", f"sz.sum({a}, axis=0, keepdims=True) * {b}",
        ]  # fmt: skip
        changed = [f"{a} += {b}", f"{a} *= {value}", f"{a}[{part}] = {value}", f"{a}[{part}] -= {value}",
                   f"{a}[{a} > 0] = {value}"]  # fmt: skip
        if chosen.random() < 0.5:
            lines.append(f"    y{number} = {chosen.choice(made)}")
            names.append(f"y{number}")
        else:
            lines.append(f"    {chosen.choice(changed)}")
    return "\n".join([*lines, f"    return [{', '.join(chosen.sample(names, min(3, len(names))))}]"])


@pytest.mark.parametrize("seed", range(60))
def test_random_functions(seed: int) -> None:
    scope: dict[str, Any] = {"sz": suanzi}
    source = _program(random.Random(seed))
    exec(source, scope)
    function, fused = scope["function"], suanzi.fuse(scope["function"])
    dtype = ["float32", "float64", "int32", "bfloat16"][seed % 4]
    x, w = (suanzi.round(t * 4).astype(dtype) for t in (X, W))
    for given in (x, w), (w, x), (x.T, w):
        assert all(map(same, fused(*given), function(*given))), source
    assert "not traced" not in fused.explain(x, w), source
