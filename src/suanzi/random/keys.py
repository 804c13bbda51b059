"""Keys for many draws from one seed. Philox 4x32-10 makes the keys, and also the elements.

A draw of Suanzi is a function of one key of 64 bits (see `suanzi.operators.creation.random`). A sequence of draws needs
a key for each draw. Key n of a seed consists of the first two words of the block that Philox computes for the seed and
the counter (n, stream). The streams of keys differ from the streams of elements, so that keys and elements are
independent. The source is Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC'11, section
3.3.
"""

from __future__ import annotations

# Numbers of streams by purpose, besides the numbers in native/ops/random/philox.h.
DRAWS, CHILDREN, NUMPYS = 16, 17, 18

_WORD = 2**32 - 1
_MULTIPLIERS = 0xD2511F53, 0xCD9E8D57
_KEY_STEPS = 0x9E3779B9, 0xBB67AE85
_ROUNDS = 10


def philox(key: int, counter: tuple[int, int, int, int]) -> tuple[int, int, int, int]:
    """Return the four words of a block. The key has 64 bits, and the counter has four words."""
    low, high = key & _WORD, key >> 32
    a, b, c, d = counter
    for _ in range(_ROUNDS):
        first, second = a * _MULTIPLIERS[0], c * _MULTIPLIERS[1]
        a, b, c, d = (second >> 32) ^ b ^ low, second & _WORD, (first >> 32) ^ d ^ high, first & _WORD
        low, high = (low + _KEY_STEPS[0]) & _WORD, (high + _KEY_STEPS[1]) & _WORD
    return a, b, c, d


def key(seed: int, n: int, stream: int) -> int:
    """Return key n of a seed in a stream. The key is never 0, because 0 would request a seed from the system."""
    attempt = made = 0
    while made == 0:
        low, high, _, _ = philox(seed, (n & _WORD, n >> 32, stream, attempt))
        made, attempt = low | high << 32, attempt + 1
    return made
