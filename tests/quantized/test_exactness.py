"""The tests compare each code of a result with the codes nearest to the exact number, at every position in a tensor.

The numbers are integers over a common denominator, so each number is rounded only once, half to even.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from quantization import PER_TENSOR, TYPES, exact, limits, made

import suanzi
from suanzi import InvalidArgumentError, QuantizedTensor

Numbers = np.ndarray[Any, Any]  # an array of Python's integers

LEAST, GREATEST = 2.0**-149, float(np.finfo(np.float32).max)
SCALES = (LEAST, 3 * LEAST, 2.0**-126, 1e-30, 2.0**-101, 0.05, 0.5, 3.0, 2.0**101, 1e38, GREATEST)


def codes_of(numerators: Numbers, denominator: int, zero: int, name: str, slack: int = 0) -> tuple[Numbers, Numbers]:
    """Return the least and the greatest allowed code of each number if numbers may be off by slack / denominator."""
    least, greatest = limits(name)

    def rounded(n: Numbers) -> Numbers:
        twice, divisor = 2 * n + denominator, 2 * denominator
        up = twice // divisor
        return np.clip(up - ((twice % divisor == 0) & (up % 2 == 1)) + zero, least, greatest)

    return rounded(numerators - slack), rounded(numerators + slack)


def integers(*scales: float) -> tuple[int, ...]:
    """Return the scales as integers over a common denominator."""
    fractions = [Fraction(float(np.float32(s))) for s in scales]
    common = max(f.denominator for f in fractions)  # each denominator is a power of 2, so the greatest one is common
    return tuple(int(f * common) for f in fractions)


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("name", PER_TENSOR)
def test_quantize_beside_every_middle(name: str, scale: float) -> None:
    least, greatest = limits(name)
    zero = 0 if TYPES[name][1] else (least + greatest) // 3
    far = 2 ** np.arange(20, 45)  # around numbers that the integers of 32 bits do not hold
    near = np.linspace(2 * least - 20, 2 * greatest + 20, 2001).astype(int)
    steps = np.unique(np.r_[near, np.arange(-40, 41), far, -far])
    with np.errstate(over="ignore"):
        middles = (steps * np.float64(np.float32(scale)) / 2).astype(np.float32)
        values = np.concatenate([middles, *(np.nextafter(middles, np.float32(end)) for end in (-np.inf, np.inf))])
    values = values[np.isfinite(values)]
    for dtype in (np.float32, np.float64):
        ours = suanzi.quantize(suanzi.tensor(values.astype(dtype)), scale, zero, dtype=name).codes.numpy()
        ratios = [Fraction(float(v)) / Fraction(float(np.float32(scale))) for v in values]
        expected = [min(max(round(r) + zero, least), greatest) for r in ratios]
        np.testing.assert_array_equal(ours, expected)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
@pytest.mark.parametrize("scale", [1.0, 2.0**-130, [1.0, 2.0] * 20])
def test_nan_is_found_everywhere(dtype: str, scale: Any) -> None:
    name = "qint8_per_channel" if isinstance(scale, list) else "quint8"
    for at in range(40):
        x = suanzi.zeros(40, dtype=dtype)
        x[at] = float("nan")
        with pytest.raises(InvalidArgumentError, match="quantize: a value is NaN"):
            suanzi.quantize(x, scale, dtype=name)
    big = suanzi.zeros(300_000, dtype=dtype)
    suanzi.quantize(big, 1.0, dtype="qint8")
    big[299_999] = float("nan")
    with pytest.raises(InvalidArgumentError, match="NaN"):
        suanzi.quantize(big, 1.0, dtype="qint8")


# The scales of two operands and of the result. The triples include equal scales, simple ratios with many ties or near
# ties, powers of two, uneven ratios, and scales for which all results saturate or become 0.
TRIPLES = [
    (0.05, 0.05, 0.1),
    (0.05, 0.05, 0.3),
    (0.25, 0.25, 2.0),
    (0.25, 0.5, 1.0),
    (1.0, 1.0, 24.0),
    (0.05, 0.05, 0.05 / 127),
    (0.1, 0.037, 0.11),
    (3e-30, 1e-38, 2e-36),
    (2.0**-149, 2.0**-140, 2.0**-145),
    (1e30, 3e38, 1e38),
    (1e-30, 1e30, 1.0),
]
FORMULAS: dict[str, Callable[[Any, Any], Any]] = {
    "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b,
    "maximum": np.maximum,
    "minimum": np.minimum,
}


def every_pair(name: str, scales: tuple[float, float]) -> tuple[QuantizedTensor, QuantizedTensor]:
    least, greatest = limits(name)
    zero = 0 if TYPES[name][1] else least + 77
    grid = np.meshgrid(np.arange(least, greatest + 1), np.arange(least, greatest + 1))
    first, second = (
        suanzi.quantized_tensor(None, codes.astype(TYPES[name][0]), scale=s, zero_point=zero or None, dtype=name)
        for codes, s in zip(grid, scales, strict=True)
    )
    return first, second


@pytest.mark.parametrize(
    ("name", "triple"),
    [*(("quint8", triple) for triple in TRIPLES), ("qint8", TRIPLES[1]), ("qint8_asymmetric", TRIPLES[6])],
)
def test_every_pair_of_codes(name: str, triple: tuple[float, float, float]) -> None:
    x, y = every_pair(name, triple[:2])
    zero = 0 if TYPES[name][1] else limits(name)[0] + 101
    out = suanzi.quantized_tensor(x.shape, scale=triple[2], zero_point=zero or None, dtype=name)
    a, b = (t.codes.numpy().astype(object) - t.zero_point for t in (x, y))
    s, t, u = integers(*triple)
    numbers = {op: (formula(a * s, b * t), u) for op, formula in FORMULAS.items()}
    # The denominator of a product is squared.
    common = max(Fraction(float(np.float32(v))).denominator for v in triple)
    numbers["multiply"] = (a * b * (s * t), u * common)
    for operator, (numerators, denominator) in numbers.items():
        getattr(suanzi, operator)(x, y, out=out)
        low, high = codes_of(numerators << 34, denominator << 34, zero, name, denominator << 1)
        ours = out.codes.numpy()
        assert np.all((low <= ours) & (ours <= high)), operator
        # Strided rows and columns have the same codes as contiguous tensors.
        strided = suanzi.quantized_tensor((128, 86), scale=triple[2], zero_point=zero or None, dtype=name)
        getattr(suanzi, operator)(x[: 256 // 2, ::3][:, :85], y[: 256 // 2, ::3][:, :85], out=strided[:, 1:])
        np.testing.assert_array_equal(strided.codes.numpy()[:, 1:], ours[:128, ::3][:, :85])


@pytest.mark.parametrize("first", TYPES)
@pytest.mark.parametrize("second", ["qint8", "quint16", "qint16_per_channel"])
@pytest.mark.parametrize("operator", [*FORMULAS, "multiply"])
def test_each_element_alone(first: str, second: str, operator: str) -> None:
    rng = np.random.default_rng(6)
    x, y = made(rng, (3, 67), first), made(rng, (3, 67), second)
    out = suanzi.quantized_tensor((3, 67), scale=1.7, dtype="qint8")
    whole = getattr(suanzi, operator)(x, y, out=out).codes.numpy().copy()
    for count in (1, 3, 8, 15, 16, 17, 31, 33, 66):
        part = getattr(suanzi, operator)(x[:, :count], y[:, :count], out=out[:, :count])
        np.testing.assert_array_equal(part.codes.numpy(), whole[:, :count])
    across = [t.T for t in (x, y, out)]
    np.testing.assert_array_equal(getattr(suanzi, operator)(*across[:2], out=across[2]).codes.numpy(), whole.T)


@given(
    st.integers(0, 2**32),
    st.sampled_from(PER_TENSOR),
    st.sampled_from(PER_TENSOR),
    st.sampled_from([0.5, 2.0, 3.0, 1 / 3, 0.37, 2.0**-16, 2.0**16]),
)
def test_requantize_is_half_to_even(seed: int, name: str, other: str, ratio: float) -> None:
    x = made(np.random.default_rng(seed), (19,), name)
    y = suanzi.requantize(x, np.float32(x.scale.item() * ratio), dtype=other)
    step, (least, greatest) = Fraction(y.scale.item()), limits(other)
    assert y.codes.tolist() == [min(max(round(v / step), least), greatest) for v in exact(x)]


@pytest.mark.parametrize("axis", [0, 1])
def test_requantize_channels(axis: int) -> None:
    x = made(np.random.default_rng(8), (30, 300), "qint16_per_channel", axis=axis)
    scale = np.linspace(0.5, 90.0, (30, 300)[axis], dtype=np.float32)
    for y in (suanzi.requantize(x, scale, dtype="qint8_per_channel"), suanzi.requantize(x, 7.0, dtype="qint8")):
        steps = y.scale.numpy().astype(np.float64)
        steps = steps if y.axis is None or y.axis == 1 else steps[:, None]
        # Dividends have 41 bits and divisors have 24 bits, so no quotient crosses a midpoint if rounded to float64.
        expected = np.clip(np.rint(np.asarray(suanzi.astype(x, "float64")) / steps), -127, 127)
        np.testing.assert_array_equal(y.codes.numpy(), expected)


def test_operands_that_are_the_result() -> None:
    rng = np.random.default_rng(9)
    x, y = made(rng, (2000,), "qint8", 0.5), made(rng, (2000,), "qint8", 0.25)
    expected = suanzi.add(x, y, out=suanzi.quantized_tensor(2000, scale=0.5, dtype="qint8")).codes.numpy()
    assert suanzi.add(x, y, out=x) is x
    np.testing.assert_array_equal(x.codes.numpy(), expected)
    shifted = suanzi.add(y[:-1], y[1:], out=suanzi.quantized_tensor(1999, scale=0.25, dtype="qint8")).codes.numpy()
    suanzi.add(y[:-1], y[1:], out=y[1:])
    np.testing.assert_array_equal(y.codes.numpy()[1:], shifted)


@pytest.mark.parametrize("operator", [*FORMULAS, "multiply"])
@pytest.mark.usefixtures("keep_threads")
def test_threads_and_size_change_nothing(operator: str) -> None:
    rng = np.random.default_rng(10)
    x, y = made(rng, (700, 999), "quint8", 0.05), made(rng, (999,), "quint8", 0.05)
    results = []
    for threads in (1, 2, 3):
        suanzi.set_num_threads(threads)
        result = getattr(suanzi, operator)(x, y)
        results.append((result.codes.numpy(), result.scale.item(), result.zero_point))
    for codes, *parameters in results[1:]:
        np.testing.assert_array_equal(codes, results[0][0])
        assert parameters == list(results[0][1:])
    row = getattr(suanzi, operator)(x[5], y, out=suanzi.requantize(x[5], results[0][1], results[0][2]))
    np.testing.assert_array_equal(row.codes.numpy(), results[0][0][5])


def test_empty_and_single_elements() -> None:
    empty, one = suanzi.quantized_tensor((0, 3), dtype="quint8"), suanzi.quantized_tensor((), [2.0], scale=0.5)
    assert (empty + empty).shape == (0, 3)
    assert suanzi.multiply(empty, one[None], out=empty) is empty
    assert (one + one).item() == 4
    assert (one * 1e-30).item() == pytest.approx(2e-30, rel=2.0**-14)
    assert suanzi.add(one, 1e300, out=one).codes.item() == 32767
