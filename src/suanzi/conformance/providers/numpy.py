"""NumPy as a provider."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..oracle.element_types import ELEMENT_TYPES, Array
from ..provider import BlockedError
from .array_api import ArrayApi
from .library import Function

_NORMS = {"norm1": 1, "norm2": 2}


class NumPy(ArrayApi):
    """The provider of NumPy, with the type bfloat16 if ml_dtypes is installed."""

    def __init__(self) -> None:
        super().__init__(np)
        self.element_types = frozenset((*ELEMENT_TYPES, "string"))

    def element_type(self, name: str) -> Any:
        return np.str_ if name == "string" else ELEMENT_TYPES[name].numpy

    def from_numpy(self, array: Array) -> Any:
        return array

    def order(self, tensor: Any) -> tuple[int, ...]:
        strides = [abs(stride) for stride in tensor.strides]
        return tuple(sorted(range(tensor.ndim), key=lambda axis: (strides[axis], -axis)))

    def table(self) -> dict[str, Function | None]:
        random: dict[str, Function | None] = {
            "uniform": lambda shape, low, high, seed=0, dtype=None: self._drawn(seed).uniform(low, high, shape),
            "normal": lambda shape, mean=0, std=1, seed=0, dtype=None: self._drawn(seed).normal(mean, std, shape),
            "randperm": lambda n, dtype=None, seed=0: self._drawn(seed).permutation(n).astype(dtype or np.float32),
        }
        return {
            **super().table(),
            **random,
            "from_reference": lambda data: np.asarray(data),
            "contiguous": lambda x: np.asarray(x, order="C"),
            "argsort": _argsort,
            "is_contiguous": lambda x: x.flags.c_contiguous,
            "diag": lambda x, offset=0: np.diag(x, offset),
            "split": lambda x, sections, axis=0: np.split(x, _borders(sections), axis),
            "slice": _sliced,
            "pad": lambda x, width, mode="constant", value=0: np.pad(
                x, width, mode, **({"constant_values": value} if mode == "constant" else {})
            ),
            "crop": lambda x, offsets, shape: x[
                tuple(slice(o, None if n == -1 else o + n) for o, n in zip(offsets, shape, strict=True))
            ],
            "isclose": np.isclose,
            "bitwise_invert": np.invert,
            "rsqrt": lambda x: 1 / np.sqrt(x),
            "round": _round,
            "complex": _complex,
            "lstsq": lambda a, b, rtol=None: tuple(np.asarray(x) for x in np.linalg.lstsq(a, b, rtol)),
            "eig": lambda x: tuple(np.linalg.eig(x)),
            "linear": lambda x, w, bias=None: x @ w.T if bias is None else x @ w.T + bias,
        }

    def _drawn(self, seed: int) -> np.random.Generator:
        return np.random.default_rng(seed or None)

    def _reduce(self, x: Any, op: str, axis: Any = None, keepdims: bool = False, **options: Any) -> Any:
        if op in _NORMS:
            return np.linalg.vector_norm(x, axis=axis, keepdims=keepdims, ord=_NORMS[op])
        if op == "logsumexp":
            add_up: Function = np.logaddexp.reduce
            return add_up(x, axis=axis, keepdims=keepdims)
        return super()._reduce(x, op, axis, keepdims, **options)


def _argsort(x: Any, axis: int = -1, descending: bool = False, stable: bool = True) -> Any:
    if descending:
        raise BlockedError("sorts only in ascending order")
    return np.argsort(x, axis=axis, stable=stable)


def _round(x: Any, decimals: int = 0, mode: str = "half_even") -> Any:
    if mode != "half_even":
        raise BlockedError("rounds only half to even")
    return np.round(x, decimals)


def _complex(real: Any, imag: Any) -> Any:
    parts = np.broadcast_arrays(real, imag)
    found = np.empty(parts[0].shape, np.result_type(real, imag, np.complex64))
    found.real, found.imag = parts
    return found


def _borders(sections: Any) -> Any:
    return sections if isinstance(sections, int) else np.cumsum(sections)[:-1]


def _sliced(x: Any, begin: Any, end: Any, stride: Any = None, axis: Any = None) -> Any:
    if axis is not None:
        raise BlockedError("has no slices along given axes")
    begins, ends = np.atleast_1d(begin), np.atleast_1d(end)
    strides = np.ones_like(begins) if stride is None else np.atleast_1d(stride)
    return x[tuple(slice(*map(int, part)) for part in zip(begins, ends, strides, strict=True))]
