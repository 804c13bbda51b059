"""Probes of "correctly rounded" functions of one float32 operand, by hashes of results for all 2^32 inputs.

A correctly rounded result does not depend on the method and is the same everywhere, so the table can store a hash of
the results. The inputs are all bit patterns in order, in 4096 blocks of 2^20. The results are written as little-endian
float32, each NaN as 0x7fc00000. The table has SHA-256 of all results of a function, and the first 8 bytes of each
block's SHA-256. `tools/accuracy/hashes.py` computes the table.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from functools import cache, partial
from importlib import resources
from typing import Any, NamedTuple

import numpy as np

from ..oracle.element_types import Array
from ..probe import Probe, Scenario
from ..provider import Provider, needed

BLOCK = 2**20
BLOCKS = 2**32 // BLOCK
HASH_BYTES = 8
ASPECT = "correct rounding"
TABLE = resources.files(__package__.rpartition(".")[0]) / "float32_hashes.npz"

# The blocks that a probe tests: one in each sixteenth of the positive and of the negative numbers, and two further
# blocks near 1.
SAMPLED = (*range(37, BLOCKS, 128), 1015, 1016)


class Hashes(NamedTuple):
    """The expected hashes of one function."""

    whole: bytes
    blocks: Array  # bytes, 4096 x 8


@cache
def table() -> dict[str, Hashes]:
    """Return the hashes of each function."""
    with TABLE.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
        return {name: Hashes(a[:32].tobytes(), a[32:].reshape(BLOCKS, HASH_BYTES)) for name, a in arrays.items()}


def inputs(block: int) -> Array:
    """Return the inputs of a block: 2^20 float32 numbers with consecutive bit patterns."""
    return np.arange(block * BLOCK, (block + 1) * BLOCK, dtype=np.uint32).view(np.float32)


def results(provider: Provider, name: str, block: int) -> Array:
    """Return the results of a function for a block, in the form that is hashed."""
    function = needed(provider, name)
    y = np.array(provider.to_numpy(function(provider.from_numpy(inputs(block)))), dtype="<f4")
    np.copyto(y, np.float32(np.nan), where=np.isnan(y))
    return y


def hash_of(data: Any) -> bytes:
    """Return the first 8 bytes of the SHA-256 of data, as in the table of hashes."""
    return hashlib.sha256(data).digest()[:HASH_BYTES]


def faults(provider: Provider, name: str, blocks: Iterable[int]) -> Iterator[str]:
    """Yield a fault for each block with a result that is not correctly rounded."""
    for block in blocks:
        if hash_of(results(provider, name, block)) != table()[name].blocks[block].tobytes():
            first = block * BLOCK
            yield f"not all of the inputs {first:#010x} to {first + BLOCK - 1:#010x} are correctly rounded"


def probes(name: str, available: frozenset[str]) -> Iterator[Probe]:
    """Make the probe that tests correct rounding of a function in a sample of blocks."""
    if name in table() and "float32" in available:
        sampled = partial(faults, name=name, blocks=SAMPLED)
        yield Scenario(name, "float32", lambda provider: next(sampled(provider), None), ASPECT)
