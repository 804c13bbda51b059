"""Parts of the tensors that `suanzi.uniform`, `suanzi.normal` and `suanzi.bernoulli` draw: elements from any one on.

Each has the bits that it has in the whole, which nobody needs to draw: processes that share out a tensor draw their
parts alone. The native core begins at the first element; here the words of Philox are made by operators on integers
from any counter on, and the elements of them by the operations of native/ops/random, one by one. That takes some
25 times as long as the core's kernels, a few hundredths of a microsecond an element; the temporaries are as small as a
tile. Seeds are not 0 here, and arguments are those that the functions of the whole take: nothing is refused twice.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from suanzi._core import Tensor
from suanzi.operators.arithmetic import minimum
from suanzi.operators.complex_numbers import complex as of_parts
from suanzi.operators.creation.filled import empty, full
from suanzi.operators.creation.sequences import arange
from suanzi.operators.operands import Scalar
from suanzi.operators.transform.elements import astype, where
from suanzi.operators.transform.joining import stack
from suanzi.operators.transform.shape import reshape
from suanzi.random.box_muller import box_muller, to_real
from suanzi.random.keys import philox
from suanzi.tensor.dtypes import DType, bfloat16, complex64, complex128, float16, float32, float64, uint64
from suanzi.tensor.exchange import array_of, as_tensor

# The streams of native/ops/random/philox.h.
UNIFORM, NORMAL, BERNOULLI = 0, 1, 2
_WORD = 2**32 - 1
_TILE = 2**14  # elements; a temporary of 64 bits for each is an eighth of a mebibyte
_MADE_IN = {float16: float32, bfloat16: float32, complex64: float32, complex128: float64}


def uniform(
    first: int, n: int, low: Scalar | Tensor | None, high: Scalar | Tensor | None, seed: int, dtype: DType
) -> Tensor:
    """Elements `first` to ``first + n`` of ``suanzi.uniform(…, low, high, seed, dtype=dtype)``, flat."""
    if dtype.kind in "fc":
        return _floating(first, n, dtype, _uniform_maker(low, high, seed, dtype))
    least, greatest = (0, 1) if dtype.kind == "b" else dtype.limits
    least = least if low is None else int(_value(low, dtype))
    greatest = greatest if high is None else int(_value(high, dtype))
    return _in_tiles(first, n, dtype, lambda i, m: _integers(i, m, least, greatest - least + 1, seed, dtype))


def normal(first: int, n: int, mean: Scalar | Tensor, std: Scalar | Tensor, seed: int, dtype: DType) -> Tensor:
    """Elements of ``suanzi.normal(…, mean, std, seed, dtype=dtype)``."""
    center, deviation = _parts(_value(mean, dtype), dtype), _parts(_value(std, dtype), dtype)[0]
    if dtype.kind == "c":
        deviation *= math.sqrt(2) / 2
    made_in = _MADE_IN.get(dtype, dtype)

    def make(i: int, m: int) -> tuple[Tensor, Tensor]:
        """The m elements from an even one on, those at even and those at odd places."""
        words = _words(i, m, seed, NORMAL, made_in)
        cosine, sine = box_muller(words[::2], words[1::2], made_in)
        return center[0] + deviation * cosine, center[1] + deviation * sine

    return _floating(first, n, dtype, make)


def bernoulli(first: int, p: Tensor, seed: int) -> Tensor:
    """Those elements of a whole ``suanzi.bernoulli(…, seed)`` whose probabilities, flat, are `p`."""
    made_in = _MADE_IN.get(p.dtype, p.dtype)

    def make(i: int, m: int) -> Tensor:
        chance = astype(p[i - first : i - first + m], made_in)
        words = to_real(_words(i, m, seed, BERNOULLI, made_in), made_in)
        return words <= chance * 2.0 ** (8 * made_in.itemsize)

    return _in_tiles(first, p.size, p.dtype, make)


# --- words ---


def _words(first: int, n: int, seed: int, stream: int, dtype: DType) -> Tensor:
    """The words of n elements of a type: of 64 bits where it has as many, else of 32."""
    if dtype.itemsize < 4 or dtype is float32:
        return _short_words(first, n, seed, stream)
    pairs = reshape(_short_words(2 * first, 2 * n, seed, stream), (n, 2))
    return pairs[:, 0] | pairs[:, 1] << 32


def _short_words(first: int, n: int, seed: int, stream: int) -> Tensor:
    block, end = first // 4, (first + n + 3) // 4
    words = reshape(stack(_block(arange(end - block, dtype=uint64) + block, seed, stream, 0), -1), -1)
    return words[first - 4 * block :][:n]


def _block(number: Tensor, seed: int, stream: int, attempt: int) -> tuple[Tensor, ...]:
    """The four words of each block: Philox on tensors, which have the operators of its integers."""
    counter: Any = (number & _WORD, number >> 32, stream, attempt)
    words: Any = philox(seed, counter)
    return tuple(words)


# --- integers ---


def _integers(first: int, n: int, least: int, count: int, seed: int, dtype: DType) -> Tensor:
    """The upper half of word * count; drawn again where the lower one is below the threshold (random.kernels.cpp)."""
    bits = 64 if dtype.itemsize >= 4 else 32
    words = _words(first, n, seed, UNIFORM, dtype)
    if count == 2**64:
        return _wrapped(words + least % 2**64, dtype)
    high, low = _scaled(words, count, bits)
    threshold, attempt = 2**bits % count, 1
    refused = np.flatnonzero(array_of(low) < threshold)
    while refused.size:
        places = as_tensor((refused + first).astype(np.uint64))
        again = _scaled(_word_at(places, seed, attempt, bits), count, bits)
        array_of(high)[refused] = array_of(again[0])
        refused, attempt = refused[array_of(again[1]) < threshold], attempt + 1
    return _wrapped(high + least % 2**64, dtype)


def _word_at(places: Tensor, seed: int, attempt: int, bits: int) -> Tensor:
    """The words of some elements, each with the block that it is in."""
    per_block = 128 // bits
    a, b, c, d = _block(places // per_block, seed, UNIFORM, attempt)
    choices = (a | b << 32, c | d << 32) if bits == 64 else (a, b, c, d)
    place, word = places % per_block, choices[0]
    for k, choice in enumerate(choices[1:], start=1):
        word = where(place == k, choice, word)
    return word


def _scaled(word: Tensor, count: int, bits: int) -> tuple[Tensor, Tensor]:
    """Both halves of word * count, each of so many bits."""
    if bits == 32:
        product = word * count
        return product >> 32, product & _WORD
    # 64 x 64 bits by products of halves: none of the sums overflows.
    x0, x1, y0, y1 = word & _WORD, word >> 32, count & _WORD, count >> 32
    low, middle = x0 * y0, x1 * y0
    middle = middle + (low >> 32)
    other = x0 * y1 + (middle & _WORD)
    return x1 * y1 + (middle >> 32) + (other >> 32), other << 32 | (low & _WORD)


def _wrapped(words: Tensor, dtype: DType) -> Tensor:
    """The lowest bits of each word as an element."""
    if dtype.kind == "b":
        return words != 0
    return as_tensor(array_of(words).astype(f"u{dtype.itemsize}").view(dtype.numpy))


# --- floating and complex numbers ---


def _value(value: Scalar | Tensor, dtype: DType) -> Any:
    """A parameter, rounded to the type."""
    return astype(full((), value, dtype=dtype), dtype).item()


def _parts(value: Any, dtype: DType) -> tuple[float, float]:
    """The values of even and of odd elements: the parts, or twice the same."""
    return (value.real, value.imag) if dtype.kind == "c" else (value, value)


def _uniform_maker(
    low: Scalar | Tensor | None, high: Scalar | Tensor | None, seed: int, dtype: DType
) -> Callable[[int, int], tuple[Tensor, Tensor]]:
    made_in = _MADE_IN.get(dtype, dtype)
    real = {complex64: float32, complex128: float64}.get(dtype, dtype)
    lows, highs = (_bounds(bound, sign, dtype, real) for bound, sign in ((low, -1), (high, 1)))
    widest = _greatest(made_in)
    scale = 2 if any(b / 2 - a / 2 > widest / 2 for a, b in zip(lows, highs, strict=True)) else 1
    shift = 8 if made_in is float32 else 11

    def make(i: int, m: int) -> tuple[Tensor, Tensor]:
        words = _words(i, m, seed, UNIFORM, made_in) >> shift
        fraction = astype(words, made_in) * 2.0 ** (shift - 8 * made_in.itemsize)
        halves = []
        for k, (a, b) in enumerate(zip(lows, highs, strict=True)):
            value = scale * (a / scale + fraction[k::2] * (b / scale - a / scale))
            halves.append(minimum(value, _next_below(b, real) if a < b else b))
        return halves[0], halves[1]

    return make


def _bounds(bound: Scalar | Tensor | None, sign: int, dtype: DType, real: DType) -> tuple[float, float]:
    if bound is None:
        return (sign * _greatest(real),) * 2
    is_complex = isinstance(bound.item() if isinstance(bound, Tensor) else bound, complex)
    value = _value(bound, dtype)
    return _parts(value, dtype) if is_complex else (value.real,) * 2


def _greatest(dtype: DType) -> float:
    return {float16: 65504.0, bfloat16: 255.0 * 2.0**120, float32: float(np.finfo("f4").max)}.get(
        dtype, float(np.finfo("f8").max)
    )


def _next_below(value: float, dtype: DType) -> float:
    """The next value of the type towards minus infinity: the next pattern of bits."""
    if value == 0:
        value = -0.0
    bits = array_of(full(1, value, dtype=dtype)).view(f"i{dtype.itemsize}")
    bits += -1 if value > 0 else 1
    return float(bits.view(dtype.numpy)[0])


def _floating(first: int, n: int, dtype: DType, make: Callable[[int, int], tuple[Tensor, Tensor]]) -> Tensor:
    """Elements of which those at even and at odd places are made beside each other, from an even one on.

    Of complex numbers those are the parts.
    """
    if dtype.kind == "c":
        return _in_tiles(first, n, dtype, lambda i, m: of_parts(*make(2 * i, 2 * m)))

    def tile(i: int, m: int) -> Tensor:
        start = i - i % 2
        both = make(start, i + m - start + (i + m) % 2)
        return reshape(stack(both, -1), -1)[i - start :][:m]

    return _in_tiles(first, n, dtype, tile)


def _in_tiles(first: int, n: int, dtype: DType, make: Callable[[int, int], Tensor]) -> Tensor:
    result = empty(n, dtype=dtype)
    for i in range(0, n, _TILE):
        m = min(_TILE, n - i)
        result[i : i + m] = astype(make(first + i, m), dtype, copy=False)
    return result
