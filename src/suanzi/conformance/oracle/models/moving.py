"""The models of what moves elements and joins tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..element_types import Array
from .model import Elements, Model, Shape


def _pair(elements: Elements, shape: Shape) -> tuple[Any, ...]:
    return ([elements.any(shape), elements.any(shape, 1)],)


def _flip(x: Array, axis: Any = None) -> Array:
    return np.flip(x, axis)


MODELS = (
    Model("flip", _flip, axis="axis", axes="some or none"),
    Model("concat", lambda x, axis=0: np.concatenate(x, axis), operands=_pair, axis="axis"),
)
