"""The mathematical functions of one number by mpmath, real or complex alike."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath

_SAME_NAME = "sqrt sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh exp expm1 log log1p"

BY_MPMATH: dict[str, Callable[[Any], Any]] = {
    **{name: getattr(mpmath, name) for name in _SAME_NAME.split()},
    "log10": lambda z: mpmath.log(z) / mpmath.log(10),
    "log2": lambda z: mpmath.log(z) / mpmath.log(2),
    "rsqrt": lambda z: 1 / mpmath.sqrt(z),
    "reciprocal": lambda z: 1 / z,
}
