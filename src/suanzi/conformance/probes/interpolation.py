"""Probes of interpolation that do not follow from a model: sizes by a factor, and refusals.

If positions are not exact in every type, the probes do not test modes that are discontinuous at these positions. A
provider may round a position in either direction.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from ..inputs import SEED, sample, types
from ..oracle.element_types import Array, ElementType
from ..oracle.models.interpolation import MODES, resized
from ..probe import Probe, Refusal, Value
from ..status import Status

_SHAPES = {1: (2, 3, 8), 2: (1, 2, 4, 8), 3: (1, 2, 2, 4, 8)}
_ODD = {1: (2, 1, 4), 2: (1, 2, 4, 8), 3: (1, 1, 4, 4, 8)}  # 1.75 times the spatial sizes 4 and 8 is 7 and 14
_FACTORS = (2.0, 0.5, 4.0, 1.75, 1.5, 0.75)


def _numbers(t: ElementType, shape: tuple[int, ...]) -> Array:
    return np.random.default_rng((SEED, *shape)).uniform(-1, 1, shape).astype(t.numpy)


def _interpolate(operator: str, available: frozenset[str]) -> Iterator[Probe]:
    for t in types(available):
        chosen = {mode: rules for mode, rules in MODES.items() if mode.startswith("nearest")}
        for (mode, rules), factor in product((chosen if t.kind != "F" else MODES).items(), _FACTORS):
            if mode in chosen and factor == 1.5:
                continue  # positions are midway between two elements
            for dimensions in rules[3]:
                shape = (_SHAPES if factor in (2.0, 0.5, 4.0) else _ODD)[dimensions]
                x = sample(t, shape) if mode in chosen else _numbers(t, shape)
                options: dict[str, Any] = {"mode": mode, "scale_factor": factor}
                for arranged, label in ((x, ""), (x[..., ::-1], ", reversed")):
                    wanted = partial(resized, arranged, **options)
                    yield Value(operator, f"{t.name} {shape}{label} {options}", (arranged,), wanted, options)
    for t in types(available, "F"):
        for mode, (_, aligned, stretched, ranks) in MODES.items():
            for dimension, option in product(
                ranks, ("align_corners",) * bool(aligned) + ("antialias",) * bool(stretched)
            ):
                x = _numbers(t, _SHAPES[dimension])
                for size in (tuple(2 * n for n in x.shape[2:]), tuple(n // 2 for n in x.shape[2:])):
                    given: dict[str, Any] = {"mode": mode, "size": size, option: True}
                    wanted = partial(resized, x, **given)
                    yield Value(operator, f"{t.name} {x.shape} {given}", (x,), wanted, given)
    yield from _not_whole(operator, available)
    yield from _refusals(operator)


def _not_whole(operator: str, available: frozenset[str]) -> Iterator[Probe]:
    """Test factors that lead to fractional sizes. Sizes are rounded down, and positions follow the factor."""
    for t in types(available, "F"):
        for mode, (_, aligned, stretched, dimensions) in MODES.items():
            if mode.startswith("nearest"):
                continue  # positions are midway between two elements
            for dimension, factor in product(dimensions, (1.5, 1.3, 0.7)):
                x = _numbers(t, {1: (1, 2, 5), 2: (1, 2, 5, 7), 3: (1, 1, 4, 5, 7)}[dimension])
                for option in ("", *("align_corners",) * bool(aligned), *("antialias",) * bool(stretched)):
                    given: dict[str, Any] = {"mode": mode, "scale_factor": factor}
                    given |= {option: True} if option else {}
                    telling = t.name == "float32" and factor == 1.5
                    wanted = partial(resized, x, **given)
                    yield Value(operator, f"{t.name} {x.shape} {given}", (x,), wanted, given, telling=telling)


def _refusals(operator: str) -> Iterator[Probe]:
    image, signal = np.ones((1, 1, 2, 2), np.float32), np.ones((1, 1, 2), np.float32)
    for label, x, options, status in (
        ("neither size nor scale", image, {}, Status.INVALID_ARGUMENT),
        ("both size and scale", image, {"size": 2, "scale_factor": 2.0}, Status.INVALID_ARGUMENT),
        ("a size of zero", image, {"size": 0}, Status.INVALID_ARGUMENT),
        ("a scale that is not finite", image, {"scale_factor": np.inf}, Status.INVALID_ARGUMENT),
        ("no such mode", image, {"size": 2, "mode": "none"}, Status.INVALID_ARGUMENT),
        ("two dimensions for one", image, {"size": 2, "mode": "linear"}, Status.DIMENSIONS_MISMATCH),
        ("one dimension for two", signal, {"size": 2, "mode": "bilinear"}, Status.DIMENSIONS_MISMATCH),
        ("a matrix", image[0, 0], {"size": 2}, Status.DIMENSIONS_MISMATCH),
    ):
        yield Refusal(operator, label, (x,), status, options)


PROBES = {"interpolate": _interpolate}
