"""Types, shapes and elements drawn at random for one version of an ONNX operator."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np
from onnx import defs

Array = np.ndarray[Any, Any]
BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
NAMES = {"tensor(float)": "float32", "tensor(double)": "float64", "tensor(float16)": "float16", "tensor(bool)": "bool"}
NAMES |= {f"tensor({s}int{n})": f"{s}int{n}" for s in ("", "u") for n in (8, 16, 32, 64)}
TYPES = {text: np.dtype(name) for text, name in NAMES.items()} | {"tensor(bfloat16)": BFLOAT16}
FLOATS = (*map(np.dtype, ("float16", "float32", "float64")), BFLOAT16)


class Case(NamedTuple):
    """The inputs and attributes of a node, and the number of its outputs. An omitted input is None."""

    inputs: list[Array | None]
    attributes: Mapping[str, Any] = MappingProxyType({})
    outputs: int = 1
    magnitude: Any = 0.0  # the absolute value of a sum's terms, or the name of a rule for this value


class Drawing:
    """One version of an operator, the types of its variables, and a source of random numbers."""

    def __init__(self, chance: random.Random, schema: defs.OpSchema) -> None:
        self.chance, self.schema, self.version = chance, schema, schema.since_version
        self.rng = np.random.default_rng(chance.getrandbits(64))
        self.types = {
            c.type_param_str: chance.choice(found)
            for c in schema.type_constraints
            if (found := _weighted([TYPES[t] for t in c.allowed_type_strs if t in TYPES]))
        }

    def dtype(self, i: int = 0) -> np.dtype[Any]:
        """Return the drawn type of the operator's input i."""
        text = self.schema.inputs[min(i, len(self.schema.inputs) - 1)].type_str
        return self.types.get(text) or TYPES.get(text, np.dtype("int64"))

    def shape(self, least: int = 0, most: int = 4, smallest: int = 0) -> tuple[int, ...]:
        """Draw a shape of small sizes, of which many are odd. The shape is seldom empty."""
        rank = self.chance.randint(least, most)
        sizes = [self.chance.choice([1, 1, 2, 3, 4, 5, 7]) for _ in range(rank)]
        if rank and not smallest and self.chance.random() < 0.03:
            sizes[self.chance.randrange(rank)] = 0
        return tuple(sizes)

    def beside(self, shape: Sequence[int]) -> tuple[int, ...]:
        """Draw a shape that broadcasts to `shape`."""
        sizes = [1 if self.chance.random() < 0.3 else n for n in shape]
        return tuple(sizes[self.chance.choice([0, 0, self.chance.randint(0, len(sizes))]) :])

    def data(self, shape: Sequence[int], dtype: Any = None, wild: bool = True, scale: float | None = None) -> Array:
        """Draw elements of many magnitudes. If the operator accepts special values, some elements are special."""
        dtype = np.dtype(self.dtype() if dtype is None else dtype)
        if dtype.kind == "b":
            return self.rng.random(tuple(shape)) < 0.5
        if dtype.kind in "iu":
            limits = np.iinfo(dtype)
            if wild and self.chance.random() < 0.3:
                return self.rng.integers(limits.min, limits.max, tuple(shape), dtype, endpoint=True)
            return self.rng.integers(max(limits.min, -20), 21, tuple(shape)).astype(dtype)
        if scale is None:
            scale = 10.0 ** self.chance.uniform(-3, 3 if wild else 1)
        values = self.rng.standard_normal(tuple(shape)) * scale
        if self.chance.random() < 0.2:
            values = np.rint(values)
        if wild and self.chance.random() < 0.3:
            info = ml_dtypes.finfo(dtype)
            large, tiny, least = float(info.max), float(info.smallest_normal), float(info.smallest_subnormal)
            special = [0.0, -0.0, math.inf, -math.inf, math.nan, large, -large, tiny, -least, large / 3, 1.0, -1.0]
            values = np.where(self.rng.random(values.shape) < 0.3, self.rng.choice(special, values.shape), values)
        with np.errstate(all="ignore"):
            return values.astype(dtype)

    def axis(self, rank: int, version: int = 11) -> int:
        """Draw an axis, negative only if the version accepts negative axes."""
        return self.chance.randrange(-rank if self.version >= version else 0, rank)

    def axes(self, rank: int, version: int = 11) -> list[int]:
        """Draw some different axes."""
        chosen = self.chance.sample(range(rank), self.chance.randint(0, rank))
        return [a - rank if self.version >= version and self.chance.random() < 0.3 else a for a in chosen]

    def number(self, low: float, high: float) -> float:
        """Draw a number that float32 represents, because ONNX stores attributes in float32."""
        return float(np.float32(self.chance.uniform(low, high)))

    def maybe(self, **attributes: Any) -> dict[str, Any]:
        """Return some of the given attributes that the operator has. The node uses the defaults of other attributes."""
        known = self.schema.attributes
        return {name: v for name, v in attributes.items() if name in known and self.chance.random() < 0.6}


def _weighted(dtypes: list[np.dtype[Any]]) -> list[np.dtype[Any]]:
    """Return the types with the few floating types repeated, so that these types are drawn more often."""
    floats = [t for t in dtypes if t in FLOATS]
    return floats * 3 + dtypes if floats else dtypes
