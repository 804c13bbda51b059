"""Philox 4x32-10 on NumPy's 64-bit integers (Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2,
3", SC'11, section 3.3), and the sequence of words that a seed defines."""

from __future__ import annotations

import numpy as np

from suanzi.conformance.oracle.element_types import Array

_WORD, _MASK = np.uint64(32), np.uint64(2**32 - 1)


def blocks(counters: Array, key: int) -> Array:
    """Return the four random words, of 32 bits each, for each of n counters of four words."""
    a, b, c, d = counters.T
    low, high = key % 2**32, key >> 32
    for _ in range(10):
        first, second = a * np.uint64(0xD2511F53), c * np.uint64(0xCD9E8D57)
        a, b = (second >> _WORD) ^ b ^ np.uint64(low), second & _MASK
        c, d = (first >> _WORD) ^ d ^ np.uint64(high), first & _MASK
        low, high = (low + 0x9E3779B9) % 2**32, (high + 0xBB67AE85) % 2**32
    return np.stack([a, b, c, d], -1)


def words(seed: int, n: int, stream: int) -> Array:
    """Return the first n 32-bit words of a stream as 64-bit integers."""
    number = np.arange((n + 3) // 4, dtype=np.uint64)
    fixed = np.zeros_like(number)
    counters = np.stack([number & _MASK, number >> _WORD, fixed + np.uint64(stream), fixed], -1)
    return blocks(counters, seed).reshape(-1)[:n]


def double_words(seed: int, n: int, stream: int) -> Array:
    """Return the first n 64-bit words of a stream. The lower half of each word is the first 32-bit word of a pair."""
    pairs = words(seed, 2 * n, stream).reshape(-1, 2)
    return np.asarray(pairs[:, 0] | pairs[:, 1] << _WORD)
