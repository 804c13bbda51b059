"""Operators of neural networks on a device return results within a few ulps of the CPU's results, with all options."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from placing import not_simulated

import suanzi
from suanzi import Tensor, nn

RNG = np.random.default_rng(7)


def of(*shape: int, dtype: str = "float32") -> Tensor:
    return suanzi.tensor(RNG.normal(size=shape), dtype=dtype)


def whole(*shape: int, dtype: str) -> Tensor:
    """Return a tensor of integers whose products wrap in narrow types."""
    return suanzi.tensor(
        RNG.integers(-2 if dtype[0] in "if" else 0, 120, size=shape) * (RNG.random(shape) < 0.5), dtype=dtype
    )


def points(*shape: int) -> Tensor:
    """Return a tensor of coordinates. Some coordinates are outside the image or not finite."""
    found = RNG.normal(size=shape)
    found.ravel()[:5] = [np.nan, np.inf, -np.inf, 1, -1]
    return suanzi.tensor(found, dtype="float32")


HUGE = suanzi.full((1, 1, 6), 1.5e308, dtype="float64")
BOXES = suanzi.tensor([[0.0, 0, 5, 6], [-2, 1, 9, 12], [np.inf, 0, 1, 1], [4, 4, 2, 2], [1, 1, 1, 1]], dtype="float32")
NUMBERS = suanzi.tensor([0, 1, 1, 0, 1], dtype="uint8")
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
            {"padding": np.array([2, 1]), "stride": np.array([1, 2])},
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
            {"padding": np.array([1, 0]), "stride": suanzi.tensor([1, 2], dtype="int64")},
            {"padding": "same_upper"},
        )
    },
    "the padding does not count": lambda at: nn.avg_pool(at(IMAGE), 3, 2, 1, count_include_pad=False),
    "another divisor": lambda at: nn.avg_pool(at(IMAGE), 3, 2, divisor_override=5),
    "a greatest integer": lambda at: nn.max_pool(at(suanzi.astype(IMAGE * 10, "int8")), 2, padding=1),
    **{
        f"tensordot {axes!r}": lambda at, axes=axes: suanzi.tensordot(at(of(3, 4, 5)), at(of(5, 4, 3)), axes=axes)
        for axes in (np.int64(1), np.array([[0, 2], [2, 0]]), (np.int64(-2), suanzi.tensor(1, dtype="int64")))
    },
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
    **{
        f"{cell.__name__} {options}": lambda at, cell=cell, gates=gates, options=options: cell(
            *(at(of(5, 3, 4)), at(of(2, gates * 6, 4)), at(of(2, gates * 6, 6)), at(of(2, gates * 6))),
            *(at(of(2, gates * 6)), at(of(2, 3, 6))),
            **{"direction": "bidirectional", **options},
        )
        for cell, gates, more in (
            (
                nn.lstm,
                4,
                [
                    {
                        "gates": "iofg",
                        "input_forget": True,
                        "activations": ["Sigmoid", "Elu", "Softsign"],
                    }
                ],
            ),
            (nn.gru, 3, [{"gates": "zrn", "linear_before_reset": False}, {"activations": ["HardSigmoid", "Softplus"]}]),
            (nn.rnn, 1, [{"activations": [("LeakyRelu", 0.1, None)]}, {"activations": [("Affine", 0.5, 0.1)]}]),
        )
        for options in ({}, {"sequence_lens": [3, 0, 5]}, {"clip": 0.5}, *more)
    },
    "peepholes": lambda at: nn.lstm(
        at(of(2, 5, 3)),
        at(of(8, 3)),
        at(of(8, 2)),
        peepholes=at(of(1, 6)),
        batch_first=True,
        direction="reverse",
        sequence_lens=at(suanzi.tensor([4, 2], dtype="int32")),
    ),
    "halves in steps": lambda at: nn.gru(*[at(of(*shape, dtype="float16")) for shape in ((3, 2, 4), (6, 4), (6, 2))]),
    "no steps": lambda at: nn.lstm(at(of(0, 2, 3)), at(of(8, 3)), at(of(8, 2))),
    **{
        f"grid_sample {axes} {mode} {padding} {aligned}": lambda at, axes=axes, options=(mode, padding, aligned): (
            nn.grid_sample(at(of(2, 3, *(5, 4, 6)[:axes])), at(points(2, *(3, 2, 4)[:axes], axes)), *options)
        )
        for axes in (1, 2, 3)
        for mode in ("nearest", "bilinear", "bicubic")
        for padding in ("zeros", "border", "reflection")
        for aligned in (False, True)
    },
    **{
        f"nearest elements of {dtype}": lambda at, dtype=dtype: nn.grid_sample(
            at(suanzi.astype(IMAGE * 3 > 1, dtype)), at(points(2, 3, 3, 2)), "nearest"
        )
        for dtype in ("bool", "uint16", "uint64", "complex64")
    },
    **{
        f"roi_align {options}": lambda at, options=options: nn.roi_align(at(IMAGE), at(BOXES), at(NUMBERS), **options)
        for options in (
            {},
            {"output_size": (2, 3), "sampling_ratio": 2, "aligned": True},
            {"output_size": 3, "spatial_scale": 0.7, "mode": "max"},
        )
    },
    "regions with numbers": lambda at: nn.roi_align(at(IMAGE), at(suanzi.tensor([[1.0, 0, 0, 5, 6]])), output_size=2),
    "no regions": lambda at: nn.roi_align(at(IMAGE), at(suanzi.zeros((0, 4)))),
    **{
        f"nms {options}": lambda at, options=options: nn.nms(
            at(suanzi.tensor(RNG.uniform(0, 9, size=(2, 30, 4)).round(1))),
            at(suanzi.tensor(RNG.normal(size=(2, 3, 30)).round(1), dtype="float32")),
            **options,
        )
        for options in (
            {"iou_threshold": 0.1},
            {"iou_threshold": 0.3, "box_format": "centres", "score_threshold": -0.5},
            {"iou_threshold": 0.0, "max_output_boxes": 3},
        )
    },
    "boxes of one image": lambda at: nn.nms(
        at(suanzi.tensor([[0, 0, 10, 7], [0, 0, 7, 7.0], [0, 0, np.nan, 7]])),
        at(suanzi.tensor([-np.inf, 1, np.nan])),
        0.7,
    ),
    **{
        f"{conv.__name__} of {dtype} {options}": lambda at, conv=conv, dtype=dtype, options=options: conv(
            at(whole(2, 4, 6, 5, dtype=dtype)),
            at(whole(4, 4 // options.get("groups", 1), 3, 2, dtype=dtype)),
            at(whole(4, dtype=dtype)),
            **options,
        )
        for conv in (nn.conv, nn.conv_transpose)
        for dtype in ("bool", "int8", "uint16", "int64", "uint64")
        for options in (
            {},
            {"stride": 2, "padding": [(1, 0), (0, 2)], "dilation": (1, 2)},
            {"groups": 2, "padding": "same"},
        )
    },
    **{
        f"{pool.__name__} of {dtype} with places": lambda at, pool=pool, dtype=dtype, options=options: pool(
            at(whole(2, 3, 7, 6, dtype=dtype)), return_indices=True, **options
        )
        for dtype in ("int8", "uint16", "uint64", "float32", "bfloat16")
        for pool, options in (
            (nn.max_pool, {"kernel_size": 3, "padding": 1, "dilation": 2, "ceil_mode": True}),
            (nn.adaptive_max_pool, {"output_size": (3, None)}),
        )
    },
    "padding has no place": lambda at: nn.max_pool(
        at(suanzi.tensor([[[-np.inf, -np.inf, np.nan, 1.0, np.nan]]])), 2, 1, "same_lower", return_indices=True
    ),
    "adaptive_avg_pool": lambda at: nn.adaptive_avg_pool(at(VOLUME), (2, None, 3)),
    "means that do not overflow": lambda at: nn.avg_pool(at(HUGE), 3) / 2 + nn.adaptive_avg_pool(at(HUGE), 2) / 4,
    "norms that do not overflow": lambda at: nn.lp_pool(at(HUGE / 4), 3, 3),
    "norms that do not underflow": lambda at: nn.lp_pool(at(HUGE * 1e-300 * 1e-300), 3, 3) * 1e300,
    "max_unpool": lambda at: nn.max_unpool(
        at(IMAGE), at(suanzi.tensor(RNG.integers(0, 9, IMAGE.shape), dtype="uint8")), 3, 2, 1
    ),
    "embedding": lambda at: nn.embedding(at(suanzi.tensor([[1, 0]], dtype="int64")), at(of(3, 4))),
    **{
        f"one_hot of {dtype} {options}": lambda at, dtype=dtype, options=options: nn.one_hot(
            at(suanzi.tensor([[1, 0], [2, 2]], dtype=dtype)), **options
        )
        for dtype in ("int8", "uint64")
        for options in ({}, {"num_classes": 5, "dtype": "float16"}, {"num_classes": 3, "dtype": "bool"})
    },
    "embedding of unsigned": lambda at: nn.embedding(
        at(suanzi.tensor([[2], [0]], dtype="uint16")), at(whole(3, 2, dtype="uint16"))
    ),
    "nothing embedded": lambda at: nn.embedding(at(suanzi.zeros((0, 2), dtype="int32")), at(of(0, 4))),
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
    several = expected if isinstance(expected, tuple) else (expected,)
    for ours, theirs in zip(several, found if isinstance(found, tuple) else (found,), strict=True):
        assert theirs.device == "gpu:0"
        assert (theirs.shape, theirs.dtype) == (ours.shape, ours.dtype)
        tolerance = 2e-3 if ours.dtype is suanzi.float16 else 2e-5
        if "floating" not in ours.dtype.kind_name or "nearest" in name:
            tolerance = 0
        values, right = (suanzi.astype(x, "float32") if x.dtype is suanzi.bfloat16 else x for x in (theirs, ours))
        np.testing.assert_allclose(values.numpy(), right.numpy(), rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("pool", [nn.max_pool, nn.adaptive_max_pool])
def test_maxima_and_places_in_given_memory(pool: Any) -> None:
    x, expected = IMAGE.to_device("gpu"), pool(IMAGE, 3, return_indices=True)
    out = tuple(suanzi.zeros(each.shape, dtype=each.dtype, device="gpu") for each in expected)
    assert pool(x, 3, return_indices=True, out=out) is out
    assert [each.tolist() for each in out] == [each.tolist() for each in expected]
    for wrong, error in (
        (out[0], suanzi.TypeMismatchError),
        ((out[0], out[1][:1]), suanzi.DimensionsMismatchError),
        ((out[0], expected[1]), suanzi.InvalidArgumentError),
    ):
        out[0][...] = 7
        with pytest.raises(error, match=f"^nn.{pool.__name__}: "):
            pool(x, 3, return_indices=True, out=wrong)
        assert suanzi.all(out[0] == 7)


def test_a_grid_in_given_memory() -> None:
    x, at = IMAGE, points(2, 3, 3, 2)
    out = suanzi.zeros((*x.shape[:2], 3, 3), device="gpu")
    assert nn.grid_sample(x.to_device("gpu"), at.to_device("gpu"), out=out) is out
    np.testing.assert_allclose(out.to_device("cpu").numpy(), nn.grid_sample(x, at).numpy(), rtol=1e-5, atol=1e-5)


def test_other_calls_are_refused() -> None:
    x = IMAGE.to_device("gpu")
    with pytest.raises(suanzi.DimensionsMismatchError, match=r"\(2, 4, 9, 8\)"):
        nn.conv(x, suanzi.ones((1, 3, 2, 2), device="gpu"))
    with pytest.raises(suanzi.InvalidArgumentError):
        nn.max_pool(x, 2, stride=0)
    for call in (
        lambda: nn.lstm(suanzi.ones((3, 2, 4), device="gpu"), suanzi.ones((4, 4)), suanzi.ones((4, 1), device="gpu")),
        lambda: nn.gru(*[suanzi.ones(s, device="gpu") for s in ((3, 2, 4), (3, 4), (3, 1))], sequence_lens=NUMBERS[:2]),
        lambda: nn.roi_align(x, BOXES),
        lambda: nn.nms(BOXES.to_device("gpu"), suanzi.ones(5)),
        lambda: nn.grid_sample(x, points(2, 3, 3, 2)),
        lambda: nn.max_unpool(x, suanzi.ones(x.shape, dtype="int64"), 2),
    ):
        with pytest.raises(suanzi.InvalidArgumentError, match="operands on"):
            call()


def test_wrong_places_are_told_late() -> None:
    x, wrong = suanzi.ones((1, 1, 4), device="gpu"), suanzi.tensor([[[0, 1, 2, 99]]], dtype="int64", device="gpu")
    gates = (suanzi.ones((4, 4), device="gpu"), suanzi.ones((4, 1), device="gpu"))
    layer, far = (x, suanzi.ones((1, 4), device="gpu"), suanzi.ones((1, 1), device="gpu")), wrong[0, 0, 3:]
    for name, call in {
        "nn.max_unpool": lambda: nn.max_unpool(x, wrong, 2),
        "nn.embedding": lambda: nn.embedding(-wrong, x[0, 0, :, None]),
        "nn.one_hot": lambda: nn.one_hot(wrong, 4),
        "nn.roi_align": lambda: nn.roi_align(x[None], x[0], far, 2),
        "nn.rnn": lambda: nn.rnn(*layer, sequence_lens=far),
        "nn.lstm": lambda: nn.lstm(x[:0], *gates, sequence_lens=far),  # sequences without steps, but with lengths
    }.items():
        call()
        with pytest.raises(suanzi.OutOfRangeError, match=f"^{name}: "):
            suanzi.synchronize()


@pytest.mark.parametrize("mask", [None, "bool", "float32"])
def test_attention_without_keys(mask: str | None) -> None:
    """The result of a query that sees no key is 0."""
    query, key, value = (suanzi.ones(shape, device="gpu") for shape in ((3, 4, 5, 2), (3, 2, 0, 2), (3, 2, 0, 6)))
    masks = [] if mask is None else [suanzi.ones((5, 0), dtype=mask, device="gpu")]
    for is_causal in (False, True):
        found = nn.scaled_dot_product_attention(query, key, value, *masks, is_causal=is_causal)
        assert found.tolist() == np.zeros((3, 4, 5, 6)).tolist()


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("past", [-3, -1, 0, 1, 5])
def test_causal_attention_leaves_out_later_keys(bad: float, past: int) -> None:
    """A NaN or infinite element of a value, a key or the mask changes no result of a query at an earlier position."""
    query, key, value, mask = (RNG.normal(size=shape) for shape in ((3, 2), (4, 2), (4, 2), (3, 4)))
    expected = []
    for i, row in enumerate(query):
        scores = key[: max(i + past + 1, 0)] @ row / np.sqrt(2) + mask[i, : max(i + past + 1, 0)]
        shares = np.exp(scores)
        expected.append(shares / shares.sum() @ value[: len(shares)] if len(shares) else np.zeros(2))
    for operand in (key, value, mask.T):
        kept = operand[2].copy()
        operand[2] = bad
        found = nn.scaled_dot_product_attention(
            *(suanzi.tensor(x).to_device("gpu") for x in (query, key, value, mask)), is_causal=True, past=past
        ).numpy()
        operand[2] = kept
        fine = np.arange(3) + past < 2
        np.testing.assert_allclose(found[fine], np.array(expected)[fine], rtol=1e-12)
        if operand is value:
            assert np.array_equal(found[~fine], np.full_like(found[~fine], bad), equal_nan=True)


@pytest.mark.parametrize("classes", [-1, 2**62])
def test_more_classes_than_a_size_counts(classes: int) -> None:
    x = suanzi.tensor([2**63 if classes < 0 else 1, 0, 0, 0], dtype="uint64")
    told = []
    for place in ("cpu", "gpu"):
        with pytest.raises(suanzi.InvalidArgumentError, match=r"^nn.one_hot: shape .* outside \[0, 2\*\*63\)") as error:
            nn.one_hot(x.to_device(place), classes)
        told.append(str(error.value))
    assert told[0] == told[1]


@pytest.mark.parametrize("name", ["gelu", "hardswish", "mish", "sigmoid", "silu", "softplus"])
def test_functions_far_from_zero(name: str) -> None:
    """Functions of integers beyond int64's range, and of infinities, return the same results as on the CPU."""
    far = suanzi.tensor([-np.inf, -3e38, 3e38, np.inf], dtype="float32")
    for x in (suanzi.tensor([2**63, 3, 2**64 - 1], dtype="uint64"), far):
        found, expected = (getattr(nn, name)(y).numpy() for y in (x.to_device("gpu"), x))
        np.testing.assert_allclose(found, expected, rtol=1e-6)


@pytest.mark.parametrize(
    ("dtype", "mode", "rtol"), [("float32", "vendor", 2e-5), ("float32", "correct", 1e-6), ("float64", "vendor", 1e-12)]
)
def test_small_results_of_gelu(dtype: str, mode: Any, rtol: float) -> None:
    x = np.linspace(-12, 1, 200).astype(dtype)
    expected = [0.5 * t * math.erfc(-t / math.sqrt(2)) for t in map(float, x)]
    suanzi.devices.set_functions(mode)
    try:
        found = nn.gelu(suanzi.tensor(x).to_device("gpu")).numpy()
    finally:
        suanzi.devices.set_functions("vendor")
    np.testing.assert_allclose(found.astype(np.float64), expected, rtol=rtol)


def test_a_transposed_convolution_that_reaches_less_than_its_result() -> None:
    x, weight = of(1, 2, 2, 3), of(2, 1, 1, 2)
    found, expected = (
        nn.conv_transpose(at(x), at(weight), stride=(3, 1), padding="same").numpy()
        for at in (lambda t: t.to_device("gpu"), lambda t: t)
    )
    np.testing.assert_allclose(found, expected, rtol=1e-6)


@not_simulated
def test_products_are_of_float32(monkeypatch: pytest.MonkeyPatch) -> None:
    """Convolutions of cuDNN round no operand to TensorFloat-32, and the settings of cuDNN are unchanged afterwards."""
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
