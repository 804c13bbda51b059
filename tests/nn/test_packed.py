"""The tests compare layers with packed weights with float64 and, where results are exact, with integers."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import suanzi
from samples import fails
from suanzi import DimensionsMismatchError, InvalidArgumentError, TypeMismatchError, nn

Array = np.ndarray[Any, Any]
NAME = "nn.linear_packed"
ROWS = (1, 2, 3, 4, 5, 16, 17, 40)
# Bits per code, terms per block and terms per row. Some blocks have fewer terms than a vector, a panel or a table of
# scales, and other blocks have more.
SIZES = [
    (4, 32, 4096), (4, 16, 200), (4, 48, 1000), (4, 64, 500), (4, 128, 2000), (4, 1040, 9000), (8, 64, 1090),
    (8, 16, 31), (2, 16, 6000), (2, 128, 300), (2, 512, 1700),
]  # fmt: skip


def packed(numbers: Array, bits: int) -> Array:
    """Pack numbers of `bits` bits along the last axis into bytes. The first number is in a byte's lowest bits."""
    each = 8 // bits
    missing = -numbers.shape[-1] % each
    whole = np.concatenate([numbers, np.zeros((*numbers.shape[:-1], missing), numbers.dtype)], -1)
    parts = whole.reshape(*whole.shape[:-1], -1, each)
    return np.asarray(sum(parts[..., i] << bits * i for i in range(each))).astype(np.uint8)


class Weight:
    """The codes, scales and zero points of a random weight, and the weight's rows in float64."""

    def __init__(self, bits: int, block: int, terms: int, features: int, name: str, points: str) -> None:
        rng = np.random.default_rng(bits * block + terms)
        blocks, levels = -(-terms // block), 2**bits
        kind = suanzi.as_dtype(name).numpy
        numbers = rng.integers(0, levels, (features, blocks, block))
        scales = rng.normal(0, 1, (features, blocks)).astype(kind)
        self.codes, self.scales = suanzi.tensor(packed(numbers, bits)), suanzi.tensor(scales)
        self.points: suanzi.Tensor | None = None
        zeros: Array = np.full((features, blocks), levels / 2)
        if points == "codes":
            codes = rng.integers(0, levels, (features, blocks))
            self.points, zeros = suanzi.tensor(packed(codes, bits)), codes.astype("d")
        elif points == "numbers":
            real = rng.uniform(0, levels, (features, blocks)).astype(kind)
            self.points, zeros = suanzi.tensor(real), real.astype("d")
        whole = (numbers - zeros[..., None]) * scales.astype("d")[..., None]
        self.rows = whole.reshape(features, -1)[:, :terms]


@pytest.mark.parametrize("points", ["none", "codes", "numbers"])
@pytest.mark.parametrize("name", ["float32", "float16", "bfloat16", "float64"])
@pytest.mark.parametrize(("bits", "block", "terms"), SIZES)
def test_products(bits: int, block: int, terms: int, name: str, points: str) -> None:
    features = 37
    weight = Weight(bits, block, terms, features, name, points)
    rng = np.random.default_rng(1)
    kind = suanzi.as_dtype(name).numpy
    bias = rng.normal(0, 1, features).astype(kind)
    step = 2.0**-50 if name == "float64" else 2.0**-20
    narrow = {"float16": 2.0**-11, "bfloat16": 2.0**-8}.get(name, 0.0)
    for rows, added in itertools.product(ROWS, (None, bias)):
        x = rng.normal(0, 1, (rows, terms)).astype(kind)
        found = nn.linear_packed(
            suanzi.tensor(x), weight.codes, weight.scales, weight.points,
            None if added is None else suanzi.tensor(added), bits=bits,
        )  # fmt: skip
        assert found.dtype is suanzi.as_dtype(name)
        wide = x.astype("d")
        exact = wide @ weight.rows.T + (0 if added is None else added.astype("d"))
        sums = np.abs(wide) @ np.abs(weight.rows).T + 1
        error = np.abs(found.numpy().astype("d") - exact)
        assert (error <= step * sums + narrow * np.abs(exact)).all(), (rows, (error / sums).max())


@pytest.mark.parametrize("bits", [2, 4, 8])
def test_small_integers_are_exact(bits: int) -> None:
    rng = np.random.default_rng(bits)
    numbers, zeros = rng.integers(0, 2**bits, (19, 3, 32)), rng.integers(0, 2**bits, (19, 3))
    scales = 2.0 ** rng.integers(-3, 4, (19, 3))
    exact_rows = ((numbers - zeros[..., None]) * scales[..., None]).reshape(19, -1)
    operands = (packed(numbers, bits), scales.astype("f"), packed(zeros, bits))
    for rows in ROWS:
        x = rng.integers(-9, 10, (2, rows, 96)).astype("f")
        found = nn.linear_packed(suanzi.tensor(x), *map(suanzi.tensor, operands), bits=bits)
        np.testing.assert_array_equal(found.numpy(), x.astype("d") @ exact_rows.T)
    equal = suanzi.tensor(packed(np.repeat(zeros[..., None], 32, -1), bits))
    assert not nn.linear_packed(suanzi.tensor(x), equal, *map(suanzi.tensor, operands[1:]), bits=bits).numpy().any()


def test_sums_before_scaling_may_pass_float32() -> None:
    codes, scales = suanzi.tensor(packed(np.full((1, 2, 32), 15), 4)), suanzi.tensor(np.float32([[2.0**-20] * 2]))
    for rows in ROWS:
        x = suanzi.full((rows, 50), 2.0**127)
        exact = 50 * 7 * 2.0**107
        assert nn.linear_packed(x, codes, scales).tolist() == [[exact]] * rows
    infinite = suanzi.tensor(np.float32([[np.inf] + [0.0] * 49, [np.nan] + [0.0] * 49]))
    found = nn.linear_packed(infinite, codes, scales).numpy()
    assert found[0, 0] == np.inf
    assert np.isnan(found[1, 0])


def test_codes_past_the_terms_are_not_used() -> None:
    numbers = np.full((3, 2, 16), 9)
    numbers[:, 1, 5:] = 15
    scales = suanzi.tensor(np.float32([[1, 1], [1, 1e30], [1, 3]]))
    for rows in ROWS:
        found = nn.linear_packed(suanzi.ones((rows, 21)), suanzi.tensor(packed(numbers, 4)), scales).numpy()
        np.testing.assert_allclose(found, np.repeat(np.float32([[21, 5e30, 31]]), rows, 0), rtol=1e-6)


def test_threads_keep_the_bits() -> None:
    weight = Weight(4, 32, 1000, 700, "float32", "codes")
    before = suanzi.get_num_threads()
    try:
        for rows in (1, 6, 40):
            x = suanzi.tensor(np.random.default_rng(0).normal(0, 1, (rows, 1000)).astype("f"))
            results = set()
            for threads in (1, 2, 3, 8):
                suanzi.set_num_threads(threads)
                results.add(nn.linear_packed(x, weight.codes, weight.scales, weight.points).numpy().tobytes())
            assert len(results) == 1
    finally:
        suanzi.set_num_threads(before)


@pytest.mark.parametrize("rows", [1, 16, 64])
def test_weights_are_not_decoded_in_memory(rows: int) -> None:
    codes, scales = suanzi.zeros((2048, 64, 16), dtype="uint8"), suanzi.zeros((2048, 64), dtype="float16")
    x = suanzi.zeros((rows, 2048), dtype="float16")
    nn.linear_packed(x, codes, scales)
    before = suanzi.memory.statistics()["in_use"]
    suanzi.memory.reset_peak()
    nn.linear_packed(x, codes, scales)
    assert suanzi.memory.statistics()["peak"] - before < 7 * 2**20  # the weight in float32 would take 16 MiB


def test_no_rows_features_or_terms() -> None:
    def of(*shape: int, features: int = 2, blocks: int = 1) -> Any:
        codes, scales = suanzi.zeros((features, blocks, 8), dtype="uint8"), suanzi.zeros((features, blocks))
        return nn.linear_packed(suanzi.ones(shape), codes, scales)

    assert of(0, 16).shape == (0, 2)
    assert of(3, 16, features=0).shape == (3, 0)
    assert of(16).tolist() == [0.0, 0.0]
    assert of(2, 3, 0, blocks=0).tolist() == [[[0.0, 0.0]] * 3] * 2
    assert of(20, 0, blocks=0).tolist() == [[0.0, 0.0]] * 20


def test_views_and_fused_functions() -> None:
    weight = Weight(4, 16, 64, 12, "float32", "codes")
    operands = (weight.codes, weight.scales, weight.points)
    x = suanzi.tensor(np.random.default_rng(0).normal(0, 1, (64, 2, 9)).astype("f"))
    view = suanzi.transpose(x, (1, 2, 0))
    expected = nn.linear_packed(suanzi.contiguous(view), *operands).numpy()
    np.testing.assert_array_equal(nn.linear_packed(view, *operands).numpy(), expected)
    twice = [suanzi.contiguous(suanzi.stack([t, t], 1))[:, 0] for t in operands]  # type: ignore[list-item]
    np.testing.assert_array_equal(nn.linear_packed(view, *twice).numpy(), expected)
    fused = suanzi.fuse(lambda t: nn.linear_packed(t + 1, *operands) * 2)
    for _ in range(2):
        np.testing.assert_array_equal(fused(view - 1).numpy(), (nn.linear_packed(view - 1 + 1, *operands) * 2).numpy())


def test_errors() -> None:
    x, codes, scales = suanzi.ones((2, 40)), suanzi.zeros((3, 3, 8), dtype="uint8"), suanzi.ones((3, 3))
    assert nn.linear_packed(x, codes, scales).shape == (2, 3)
    for dtype in ("int32", "bool", "complex64"):
        with fails(TypeMismatchError, NAME):
            nn.linear_packed(suanzi.astype(x, dtype), codes, scales)
    for wrong in (
        (x, suanzi.astype(codes, "int8"), scales),
        (x, codes, suanzi.astype(scales, "float64")),
        (x, codes, suanzi.astype(scales, "int32")),
        (x, codes, scales, suanzi.zeros((3, 2), dtype="int8")),
        (x, codes, scales, None, suanzi.zeros((3,), dtype="int32")),
        (x, codes, None),
        ([1.0], codes, scales),
    ):
        with fails(TypeMismatchError, NAME):
            nn.linear_packed(*wrong)  # type: ignore[arg-type]
    for wrong in (
        (suanzi.ones(()), codes, scales),
        (suanzi.ones((2, 49)), codes, scales),
        (suanzi.ones((2, 32)), codes, scales),
        (x, codes[0], scales),
        (x, codes[:, :, :4], scales),
        (x, codes[:, :, :0], scales),
        (x, suanzi.expand(codes[:1, :1, :1], (1, 1, 2**61)), scales),
        (x, codes, scales[:, :2]),
        (x, codes, scales[0]),
        (x, codes, scales, suanzi.zeros((3, 3), dtype="uint8")),
        (x, codes, scales, suanzi.zeros((3, 2))),
        (x, codes, scales, None, suanzi.zeros((2,))),
    ):
        for dtype in ("float32", "float64"):
            with fails(DimensionsMismatchError, NAME):
                nn.linear_packed(suanzi.astype(wrong[0], dtype), *wrong[1:])  # type: ignore[arg-type]
    for bits in (0, 1, 3, 16, -4):
        with fails(InvalidArgumentError, NAME):
            nn.linear_packed(x, codes, scales, bits=bits)
    with fails(TypeMismatchError, NAME):
        nn.linear_packed(x, codes, scales, bits=4.0)  # type: ignore[arg-type]
