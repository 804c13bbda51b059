"""Arrays of each element type: ordinary numbers, numbers at which functions change, and many elements."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

Array = Any

# A small domain on which many functions are defined.
_LOW, _HIGH = 0.1, 0.9
DOMAINS = {"acosh": (1.1, 1.9), "hypot": (1.0, 4.0)}
WORDS = ("算子", "b", "", "a", "é", "éa", "a\0b", "Z", " a", "a ", "x" * 70, "10", "9", "矩阵")


class Maker:
    """A maker of arrays of one element type: `m(2, 3)`, or `m(2, 3, place=1)` for a second operand."""

    def __init__(self, type_name: str, low: float = _LOW, high: float = _HIGH, *, large: bool = False) -> None:
        self.type, self.low, self.high, self.large = type_name, low, high, large
        self.kind = np.dtype(self.numpy).kind if type_name not in ("string", "bfloat16") else "S" if large else "f"
        if type_name == "string":
            self.kind = "S"

    @property
    def numpy(self) -> Any:
        return {"bfloat16": ml_dtypes.bfloat16, "string": "U"}.get(self.type, self.type)

    def __call__(self, *shape: int, place: int = 0) -> Array:
        rng = np.random.default_rng((len(shape), *shape, place))
        count = int(np.prod(shape, dtype=np.int64))
        if self.kind == "S":
            return np.resize(np.array(WORDS), count).reshape(shape)
        if self.kind == "b":
            return np.asarray(rng.integers(0, 2, shape)).astype(bool)
        if self.kind in "iu":
            return np.asarray(rng.integers(1, 13, shape) % (5 if place else 13) + (place > 0)).astype(self.numpy)
        real = np.asarray(np.round(rng.uniform(self.low, self.high, shape) * 256) / 256)
        if self.kind == "c":
            return np.asarray(real + 1j * np.round(rng.uniform(self.low, self.high, shape) * 256) / 256, self.numpy)
        return np.asarray(real, self.numpy)

    def special(self) -> Array:
        """Return limits, zeros and other special numbers of the type, at which functions change their behaviour."""
        if self.kind in "iu":
            info = np.iinfo(self.numpy)
            numbers = [0, 1, info.max, info.min, info.max - 1, info.max // 2 + 2, 7, 3]
            numbers += [2**24 + 1] * (info.bits >= 32) + [2**53 + 1, 2**62 + 1] * (info.bits == 64)
            return np.array(numbers, self.numpy)
        if self.kind == "f":
            numbers = [np.nan, np.inf, -np.inf, -0.0, 0.0, 1.0, -1.5, 1e-3, 0.1, 2.5, np.finfo(self.numpy).tiny / 4]
            return np.array(numbers).astype(self.numpy)
        if self.kind == "c":
            parts = (np.nan, np.inf, -0.0, 0.0, -1.5)
            return np.array([complex(a, b) for a in parts for b in parts], self.numpy)
        return self(6)

    def square(self, n: int, *batch: int) -> Array:
        """Make matrices that are neither symmetric nor singular.

        If n mod 4 is 2 or 3, the determinants are negative.
        """
        x = self(*batch, n, n)
        diagonal = np.arange(n)
        x[..., diagonal, diagonal] += np.array(2, x.dtype)
        return x[..., ::-1, :].copy() if n % 4 in (2, 3) else x

    def positive(self, n: int, *batch: int) -> Array:
        """Make Hermitian positive definite matrices."""
        x = self(*batch, n, n)
        wide = x.astype(np.complex128 if self.kind == "c" else np.float64)
        return (wide @ wide.conj().swapaxes(-1, -2) + np.eye(n)).astype(x.dtype)
