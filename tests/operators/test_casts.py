"""Casts of floats to integers truncate like Python's conversions, saturate at the type's limits, and turn NaN to 0."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest

import suanzi
from oracle.values import generator
from suanzi.conformance.inputs import random, specials
from suanzi.conformance.oracle.element_types import ELEMENT_TYPES

FLOATS = ["float16", "bfloat16", "float32", "float64"]
INTEGERS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]


def as_integer(x: float, low: int, high: int) -> int:
    if math.isnan(x):
        return 0
    return max(low, min(high, math.trunc(x))) if math.isfinite(x) else (high if x > 0 else low)


@pytest.mark.parametrize(("source", "target"), list(product(FLOATS, INTEGERS)))
def test_floating_to_integer(source: str, target: str) -> None:
    f, info = ELEMENT_TYPES[source], np.iinfo(target)
    low, high = int(info.min), int(info.max)
    with np.errstate(over="ignore"):
        ends = np.array([float(e) for e in (low, high)]).astype(f.numpy)
        near = [np.nextafter(ends, f.numpy.type(s)) for s in (-np.inf, np.inf)] if source[0] == "f" else []
    halves = np.arange(-40, 41).astype(f.numpy) / f.numpy.type(2)
    parts = [specials(f), ends, *near, halves, random(f, 300, generator(source, target))]
    a = np.concatenate([np.asarray(p, f.numpy) for p in parts])
    expected = [as_integer(float(v), low, high) for v in a]
    for n in (1, 7, 17, len(a)):
        for first in (0, len(a) - n):
            result = suanzi.tensor(a)[first : first + n].astype(target)
            assert result.tolist() == expected[first : first + n]
    many = suanzi.tensor(np.resize(a, 50_001)).astype(target).numpy()
    assert many.tolist() == np.resize(np.array(expected, target), 50_001).tolist()
