"""Operators of neural networks on devices: the CPU's results within a few units, for the options of each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import suanzi
from suanzi import Tensor, TypeMismatchError, nn

RNG = np.random.default_rng(7)


def of(*shape: int, dtype: str = "float32") -> Tensor:
    return suanzi.tensor(RNG.normal(size=shape), dtype=dtype)


X, IMAGE, SIGNAL, VOLUME = of(2, 6), of(2, 4, 9, 8), of(2, 4, 11), of(1, 2, 5, 6, 4)
CALLS: dict[str, Callable[[Callable[[Tensor], Tensor]], Any]] = {
    **{
        f"conv {options}": lambda at, options=options: nn.conv(at(IMAGE), at(of(6, 4, 3, 2)), at(of(6)), **options)
        for options in (
            {},
            {"stride": (2, 1), "padding": (1, 0), "dilation": (1, 2)},
            {"padding": "same"},
            {"padding": "same_lower", "stride": 3},
            {"padding": [(2, 0), (0, 3)]},
        )
    },
    "depthwise": lambda at: nn.conv(at(IMAGE), at(of(8, 1, 3, 3)), groups=4),
    "signal": lambda at: nn.conv(at(SIGNAL), at(of(3, 4, 5)), padding="valid"),
    "volume": lambda at: nn.conv(at(VOLUME), at(of(3, 2, 2, 3, 2))),
    "halves": lambda at: nn.conv(at(of(1, 3, 6, 6, dtype="float16")), at(of(2, 3, 3, 3, dtype="float16"))),
    "no batch": lambda at: nn.conv(at(of(0, 4, 9, 8)), at(of(6, 4, 3, 3))),
    **{
        f"conv_transpose {options}": lambda at, options=options: nn.conv_transpose(
            at(IMAGE), at(of(4, 3, 3, 2)), at(of(3)), **options
        )
        for options in (
            {},
            {"stride": 2, "padding": 1, "output_padding": 1},
            {"stride": (3, 2), "padding": [(0, 2), (1, 0)], "dilation": 2},
            {"stride": 2, "padding": "same"},
        )
    },
    **{
        f"{pool.__name__} {options}": lambda at, pool=pool, first=first, options=options: pool(
            at(IMAGE), *first, (3, 2), **options
        )
        for pool, first in ((nn.max_pool, ()), (nn.avg_pool, ()), (nn.lp_pool, (2,)))
        for options in (
            {},
            {"stride": 2, "padding": 1},
            {"stride": (2, 3), "padding": [(1, 0), (0, 1)], "ceil_mode": True},
            {"stride": 1, "dilation": 2},
            {"padding": "same_upper"},
        )
    },
    "the padding does not count": lambda at: nn.avg_pool(at(IMAGE), 3, 2, 1, count_include_pad=False),
    "another divisor": lambda at: nn.avg_pool(at(IMAGE), 3, 2, divisor_override=5),
    "a greatest integer": lambda at: nn.max_pool(at(suanzi.astype(IMAGE * 10, "int8")), 2, padding=1),
    "global": lambda at: nn.global_avg_pool(at(IMAGE)) + nn.global_max_pool(at(IMAGE)),
    "layer_norm": lambda at: nn.layer_norm(at(X), (6,), at(of(6)), at(of(6))),
    "group_norm": lambda at: nn.group_norm(at(IMAGE), 2),
    "rms_norm": lambda at: nn.rms_norm(at(X), (6,)),
    "batch_norm": lambda at: nn.batch_norm(at(IMAGE), at(of(4)), at(suanzi.abs(of(4)) + 1)),
    "attention": lambda at: nn.scaled_dot_product_attention(*[at(of(2, 4, 5, 8)) for _ in range(3)], is_causal=True),
    "heads in groups": lambda at: nn.scaled_dot_product_attention(
        at(of(4, 5, 8)), at(of(2, 7, 8)), at(of(2, 7, 3)), at(suanzi.tensor(RNG.random((5, 7)) > 0.5)), softcap=2.0
    ),
    "a query of NaN": lambda at: nn.scaled_dot_product_attention(
        at(suanzi.tensor([[[np.nan, 1.0], [1.0, 0.0]]])), at(of(1, 3, 2)), at(of(1, 3, 2))
    ),
    "a query that sees nothing": lambda at: nn.scaled_dot_product_attention(
        at(of(1, 2, 2)), at(of(1, 2, 2)), at(of(1, 2, 2)), at(suanzi.tensor([[False, False], [True, True]]))
    ),
    "NumPy's integers": lambda at: nn.avg_pool(at(IMAGE), np.int64(2), (np.int32(1), 2), padding=np.int8(1)),
    "pairs in tuples": lambda at: nn.conv(at(IMAGE), at(of(2, 4, 2, 2)), padding=((1, 0), [np.int64(0), 1])),
    "embedding": lambda at: nn.embedding(at(suanzi.tensor([[1, 0]], dtype="int64")), at(of(3, 4))),
    "one_hot": lambda at: nn.one_hot(at(suanzi.tensor([1, 0, 2], dtype="int64"))),
    "pixel_shuffle": lambda at: nn.pixel_shuffle(at(IMAGE), 2),
}


@pytest.mark.parametrize("name", CALLS)
def test_results_are_those_of_the_cpu(name: str) -> None:
    global RNG
    RNG = np.random.default_rng(3)
    expected = CALLS[name](lambda x: x)
    RNG = np.random.default_rng(3)
    found = CALLS[name](lambda x: x.to_device("gpu"))
    assert found.device == "gpu:0"
    assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
    tolerance = 2e-3 if expected.dtype is suanzi.float16 else 2e-5
    np.testing.assert_allclose(found.numpy(), expected.numpy(), rtol=tolerance, atol=tolerance)


def test_other_calls_are_refused() -> None:
    x = IMAGE.to_device("gpu")
    with pytest.raises(TypeMismatchError, match=r"^nn.conv: the device has no convolution of int8"):
        nn.conv(suanzi.astype(x, "int8"), suanzi.ones((1, 4, 2, 2), dtype="int8", device="gpu"))
    with pytest.raises(TypeMismatchError, match="gives no indices"):
        nn.max_pool(x, 2, return_indices=True)
    with pytest.raises(TypeMismatchError, match="the CPU alone has this function"):
        nn.roi_align(x, suanzi.zeros((1, 4), device="gpu"), 2)
    with pytest.raises(suanzi.DimensionsMismatchError):
        nn.conv(x, suanzi.ones((1, 3, 2, 2), device="gpu"))
    with pytest.raises(suanzi.InvalidArgumentError):
        nn.max_pool(x, 2, stride=0)


def test_products_are_of_float32(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where cuDNN computes, its convolutions round no operand to TensorFloat-32, and its settings are as before."""
    torch = pytest.importorskip("torch")
    seen = []
    real = torch.conv2d
    monkeypatch.setattr(torch.backends.cudnn, "allow_tf32", True)

    def watched(*operands: Any) -> Any:
        seen.append(torch.backends.cudnn.allow_tf32)
        return real(*operands)

    from suanzi.devices import networks

    monkeypatch.setitem(networks._CONVOLUTIONS, 2, watched)
    nn.conv(IMAGE.to_device("gpu"), of(2, 4, 2, 2).to_device("gpu"))
    assert seen == [False]
    assert torch.backends.cudnn.allow_tf32
