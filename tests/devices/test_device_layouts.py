"""Results on devices have the same layouts as results on the CPU, for operands with any order of dimensions."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from drawn import Draw
from placing import GPU, sz, there

from suanzi import Tensor

pytestmark = pytest.mark.one_level


def permuted(x: Any, rng: np.random.Generator) -> Any:
    """Return a tensor with the elements of `x` and a drawn order of dimensions in memory."""
    if type(x) is not Tensor or x.ndim < 2:
        return x
    slowest = tuple(rng.permutation(x.ndim).tolist())
    back = tuple(np.argsort(slowest).tolist())
    return sz.permute_dims(sz.clone(sz.contiguous(sz.permute_dims(x, slowest))), back)


def flat(x: Any) -> list[Any]:
    return [y for item in x for y in flat(item)] if isinstance(x, (list, tuple)) else [x]


def order(x: Any) -> tuple[int, ...]:
    """Return the order in memory of dimensions with more than one element. Other dimensions have no defined order."""
    return tuple(axis for axis in x.layout.order if x.shape[axis] > 1) if x.size else ()


@pytest.mark.parametrize("seed", range(8))
def test_drawn_calls(seed: int) -> None:
    draw, rng, wrong = Draw(1000 + seed), np.random.default_rng(seed), []
    for _ in range(250):
        call = draw.call()
        operands = [permuted(x, rng) for x in call.operands]
        status, expected = sz.attempt(lambda call=call, given=operands: call.record.function(*given, **call.options))
        if status or call.out is not None:
            continue
        given = [there(x) for x in operands]
        status, found = sz.attempt(lambda call=call, given=given: call.record.function(*given, **call.options))
        if status:
            continue
        for a, b in zip(flat(found), flat(expected), strict=True):
            if type(b) is Tensor and order(a) != order(b):
                wrong.append(f"{call}: {order(a)} where the CPU has {order(b)}")
    assert not wrong, "\n".join(wrong[:10])


@pytest.mark.parametrize(
    "name", ["cumulative_sum", "cumulative_prod", "sort", "argsort", "flip", "tril", "triu", "normal_like"]
)
def test_results_that_lie_as_their_operand(name: str) -> None:
    x = sz.permute_dims(sz.uniform((4, 2, 3), -1, 1, seed=1), (2, 0, 1))
    options = {"axis": 1} if name not in ("tril", "triu", "normal_like") else {}
    options |= {"seed": 3} if name == "normal_like" else {}
    found, expected = (getattr(sz, name)(y, **options) for y in (there(x), x))
    assert found.layout == expected.layout
    np.testing.assert_allclose(found.numpy(), expected.numpy(), rtol=1e-5)


@pytest.mark.parametrize("name", ["inv", "linalg.eigh", "linalg.qr", "linalg.svd", "fft.fft", "fft.rfft"])
def test_factors_and_transforms_lie_by_rows(name: str) -> None:
    module, _, function = name.rpartition(".")
    room = getattr(sz, module) if module else sz
    matrices = sz.uniform((2, 3, 3), -1, 1, seed=2) + 3 * sz.eye(3)
    matrices = matrices + sz.matrix_transpose(matrices)
    lying = sz.permute_dims(sz.clone(sz.permute_dims(matrices, (1, 2, 0))), (2, 0, 1))
    for x in (matrices, sz.matrix_transpose(matrices), lying):
        for a, b in zip(flat(getattr(room, function)(there(x))), flat(getattr(room, function)(x)), strict=True):
            assert a.layout == b.layout


CUTS: dict[str, Any] = {
    "no gaps": lambda x: x,
    "parts": lambda x: x[:3, :2, 1:3],
    "steps": lambda x: x[:, :, ::2],
    "one place": lambda x: sz.expand(x[:, :1], x.shape),
}
OF_CUTS: dict[str, Any] = {
    "function": lambda x, y: sz.exp(x),
    "number": lambda x, y: x * 2.0,
    "formula": lambda x, y: sz.nn.silu(x),
    "sum": lambda x, y: x + y,
    "choice": lambda x, y: sz.where(x > 0, x, y),
    "quadrant": lambda x, y: sz.atan2(y, x),
    "copy": lambda x, y: sz.clone(x),
    "draw": lambda x, y: sz.bernoulli(x * 0, seed=1),
    "mean": lambda x, y: sz.nn.layer_norm(x, x.shape[-1]),
}


@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("name", OF_CUTS)
def test_results_of_parts(cut: str, name: str) -> None:
    """For operands with gaps between elements, results have the same order of dimensions as on the CPU."""
    for axes in itertools.permutations(range(3)):
        x, y = (sz.permute_dims(sz.ones((4, 4, 4)), axes), sz.permute_dims(sz.ones((4, 4, 4)), axes[::-1]))
        found, expected = (
            OF_CUTS[name](CUTS[cut](at(x)), CUTS[cut](at(y)) if cut != "steps" else at(y)[..., :2])
            for at in (there, lambda t: t)
        )
        assert order(found) == order(expected), (axes, found.shape)


def test_copies_lie_as_what_is_copied() -> None:
    x = sz.uniform((2, 3, 4), -1, 1, seed=2)
    for y in (x, x.T, sz.flip(x.T, axis=1), sz.expand(x[:, :1], (2, 3, 4)), x[:, ::2].T):
        assert y.to_device(GPU).layout == y.layout
        assert np.array_equal(y.to_device(GPU).numpy(), y.numpy())
