"""Faults of random numbers: ignored seeds, dependent numbers, wrong distributions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from . import faults as f
from .faults import Array, Fault, Function, Maker, Seen, otherwise, result_changed
from .functions import Described


def random(function: Described) -> Iterator[Fault]:
    name = function.name
    if name not in ("uniform", "normal", "bernoulli", "multinomial", "randperm", "uniform_like", "normal_like"):
        return
    yield Fault("random", name, "seeds count modulo 2^32", _seeded(lambda s: s % 2**32 or 1))
    yield Fault("random", name, "seeds count in twos", _seeded(lambda s: s // 2 + 1 if s else 0))
    yield Fault("random", name, "seeds count modulo 1000", _seeded(lambda s: s % 1000 + 1 if s else 0))
    yield Fault("random", name, "every seed is 5", _seeded(lambda _: 5))
    for told, change in _DRAWS.get(name.removesuffix("_like"), {}).items():
        yield Fault("random", name, told, result_changed(change))
    if name in ("uniform", "normal"):
        yield Fault("random", name, "seed k + 1 is seed k shifted by one", _shifted(1))
        yield Fault("random", name, "seed k + 1 is seed k shifted by 64", _shifted(64))
        yield Fault("random", name, "seed 2k + 1 is the reflection of seed 2k", _reflected)


def _seeded(change: Callable[[int], int]) -> Maker:
    def changed(seen: Seen) -> None:
        if "seed" in seen.given:
            seen.given["seed"] = change(seen.given["seed"])

    return otherwise(changed)


def _shifted(step: int) -> Maker:
    def fault(function: Function) -> Function:
        def call(shape: Any, *rest: Any, **options: Any) -> Any:
            seen = f.bound(function, (shape, *rest), options)
            seed = seen.given.get("seed", 0) if seen else 0
            result = function(shape, *rest, **options)
            if not seen or not seed or result.size == 0:
                return result
            skipped = step * (seed % 500)
            seen.given |= {"shape": (result.size + skipped,), "seed": 99}
            seen.given.pop("layout", None)
            drawn = function(*seen.bound.args, **seen.bound.kwargs).numpy()[skipped:]
            return f.tensor_of(drawn.reshape(result.shape), result)

        return call

    return fault


def _reflected(function: Function) -> Function:
    """Return a function that, for odd seeds above 1, reflects the previous seed's numbers around the middle."""

    def call(*operands: Any, **options: Any) -> Any:
        seen = f.bound(function, operands, options)
        seed = seen.given.get("seed", 0) if seen else 0
        if not seen or seed < 2 or seed % 2 == 0:
            return function(*operands, **options)
        seen.given["seed"] = seed - 1
        result = function(*seen.bound.args, **seen.bound.kwargs)
        x = result.numpy()
        if x.dtype.kind != "f":
            return result
        low, high = seen.given.get("low"), seen.given.get("high")
        middle = 2 * (seen.given.get("mean", 0)) if low is None or high is None else low + high
        return f.tensor_of((middle - x).astype(x.dtype), result)

    return call


def _rows(x: Array) -> Array:
    """Replace every row by the first row."""
    return np.broadcast_to(x[:1], x.shape).copy() if x.ndim > 1 and x.shape[0] else x


def _columns(x: Array) -> Array:
    """Replace every other column by the column before."""
    if x.ndim > 1 and x.shape[-1] > 1:
        x[..., 1::2] = x[..., : x.shape[-1] // 2 * 2 : 2]
    return x


def _period(length: int) -> f.Change:
    return lambda x: np.resize(x.reshape(-1)[:length], x.shape) if x.size > length else x


def _pairs(x: Array) -> Array:
    """Replace every other number by the previous number, reflected within the range of all numbers."""
    flat = x.reshape(-1)
    if flat.size > 1 and flat.dtype.kind == "f":
        half = flat.size // 2
        flat[1 : 2 * half : 2] = flat.min() + flat.max() - flat[0 : 2 * half : 2]
    return flat.reshape(x.shape)


def _sorted(x: Array) -> Array:
    return np.sort(x.reshape(-1)).reshape(x.shape)


def _in_blocks(x: Array) -> Array:
    """Sort the numbers within blocks of 16."""
    flat = x.reshape(-1)
    whole = flat.size // 16 * 16
    flat[:whole] = np.sort(flat[:whole].reshape(-1, 16), axis=1).reshape(-1)
    return flat.reshape(x.shape)


def _even(x: Array) -> Array:
    """Replace the numbers by evenly spaced numbers in ascending order, from the least to the greatest number."""
    flat = x.reshape(-1)
    if flat.size < 2 or flat.dtype.kind != "f":
        return x
    grid = np.linspace(flat.min(), flat.max(), flat.size)
    grid[np.argsort(np.argsort(flat))] = grid.copy()
    return grid[np.argsort(np.argsort(flat))].astype(flat.dtype).reshape(x.shape)


def _smooth(x: Array) -> Array:
    """Mix a tenth of the previous number into each number."""
    flat = x.reshape(-1).astype(np.complex128 if x.dtype.kind == "c" else np.float64)
    mixed = 0.9 * flat + 0.1 * np.roll(flat, 1) if x.dtype.kind in "fc" else flat
    return mixed.astype(x.dtype).reshape(x.shape)


def _steps(bits: int) -> f.Change:
    def change(x: Array) -> Array:
        if x.dtype.kind != "f" or x.size < 2:
            return x
        low, high = x.min(), x.max()
        width = (high - low) or 1
        return (low + np.floor((x - low) / width * 2**bits) / 2**bits * width).astype(x.dtype)

    return change


def _by_float32(x: Array) -> Array:
    return x.astype(np.float32).astype(x.dtype) if x.dtype == np.float64 else x


def _clipped(limit: float) -> f.Change:
    def change(x: Array) -> Array:
        if x.dtype.kind != "f" or x.size < 3:
            return x
        mean, deviation = x.mean(dtype=np.float64), x.std(dtype=np.float64)
        return np.clip(x, mean - limit * deviation, mean + limit * deviation).astype(x.dtype)

    return change


def _heavy(x: Array) -> Array:
    """Move numbers beyond 3 sigma ten times as far from the mean."""
    if x.dtype.kind != "f" or x.size < 3:
        return x
    mean, deviation = x.mean(dtype=np.float64), x.std(dtype=np.float64)
    return np.where(np.abs(x - mean) > 3 * deviation, mean + 10 * (x - mean), x).astype(x.dtype)


def _lopsided(x: Array) -> Array:
    """Increase the distance from the mean by a twentieth for numbers above the mean."""
    if x.dtype.kind != "f" or x.size < 3:
        return x
    return np.where(x > x.mean(), x + 0.05 * (x - x.mean()), x).astype(x.dtype)


def _equal_parts(x: Array) -> Array:
    return (x.real + 1j * x.real).astype(x.dtype) if x.dtype.kind == "c" else x


def _rotation(x: Array) -> Array:
    """Return a rotation of 0 … n-1 in place of a permutation."""
    return np.roll(np.arange(x.size), int(x.reshape(-1)[0])).astype(x.dtype).reshape(x.shape)


def _swapped_pairs(x: Array) -> Array:
    """Return a permutation in which 2k and 2k + 1 are neighbours."""
    flat = x.reshape(-1)
    whole = flat.size // 2
    order = np.argsort(flat[:whole])
    flat[: 2 * whole] = np.stack([2 * order, 2 * order + 1], 1).reshape(-1)
    return flat.reshape(x.shape)


def _kept_first(x: Array) -> Array:
    """Swap the first element of a permutation with 0."""
    flat = x.reshape(-1)
    at = int(np.flatnonzero(flat == 0)[0])
    flat[[0, at]] = flat[[at, 0]]
    return flat.reshape(x.shape)


def _half_in_order(x: Array) -> Array:
    flat = x.reshape(-1)
    flat[: flat.size // 2] = np.sort(flat[: flat.size // 2])
    return flat.reshape(x.shape)


def _rounds(x: Array) -> Array:
    """Swap the counts of the first class and the last class."""
    if x.ndim and x.shape[-1] > 1:
        x[..., [0, -1]] = x[..., [-1, 0]]
    return x


def _every_third(x: Array) -> Array:
    flat = x.reshape(-1)
    if flat.size > 30:
        flat[2::3] = flat[0 : flat[2::3].size * 3 : 3]
    return flat.reshape(x.shape)


_COMMON: dict[str, f.Change] = {
    "rows are equal": _rows,
    "every other column repeats": _columns,
    "the period is 20,000": _period(20_000),
    "the period is 4,096": _period(4096),
    "every third number repeats": _every_third,
}
_DRAWS: dict[str, dict[str, f.Change]] = {
    "uniform": {
        **_COMMON,
        "numbers come in pairs": _pairs,
        "sorted": _sorted,
        "sorted in blocks of 16": _in_blocks,
        "all too even": _even,
        "each is like the one before": _smooth,
        "steps of 12 bits": _steps(12),
        "steps of 8 bits": _steps(8),
        "float64 of 24 bits": _by_float32,
        "no tails": _clipped(1.65),
        "the upper half is wider": _lopsided,
    },
    "normal": {
        **_COMMON,
        "numbers come in pairs": _pairs,
        "sorted": _sorted,
        "sorted in blocks of 16": _in_blocks,
        "each is like the one before": _smooth,
        "steps of 12 bits": _steps(12),
        "float64 of 24 bits": _by_float32,
        "no tails past 3 sigma": _clipped(3),
        "no tails past 2 sigma": _clipped(2),
        "tails ten times as far": _heavy,
        "the upper half is wider": _lopsided,
        "real and imaginary parts are equal": _equal_parts,
    },
    "bernoulli": {**_COMMON, "sorted": _sorted, "sorted in blocks of 16": _in_blocks},
    "multinomial": {"the first and the last class change places": _rounds, "rows are equal": _rows},
    "randperm": {
        "a rotation": _rotation,
        "pairs stay together": _swapped_pairs,
        "0 is first": _kept_first,
        "the first half is sorted": _half_in_order,
    },
}


KINDS = (random,)
