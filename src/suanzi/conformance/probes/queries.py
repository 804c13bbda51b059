"""Probes of `is_contiguous`, and of `shape`, `rank` and `size`, which must return the values that the tensor had at its
creation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from math import prod
from typing import Any

import numpy as np

from ..arguments import filling
from ..inputs import Maker, types
from ..oracle.element_types import Array
from ..probe import Probe, Scenario
from ..provider import Provider, needed
from .created import EMPTY, RANKS, aspect_of

_ANSWERS: dict[str, Callable[[Array], Any]] = {
    "shape": lambda x: x.shape,
    "size": lambda x: x.size,
    "rank": lambda x: x.ndim,
    "is_contiguous": lambda x: True,
}


def _asked(function: str, available: frozenset[str]) -> Iterator[Probe]:
    for number, shape in enumerate((*RANKS, *EMPTY, (3, 1, 1, 1, 2, 1, 2))):
        for t in types(available)[number % 3 :: 3]:
            x = np.array(filling(t.name, shape))
            yield Scenario(
                function, f"{t.name} of shape {shape}", partial(_answers, function, x), aspect_of(shape), t.name
            )
    if function == "is_contiguous":
        for shape in ((4, 6), (2, 3, 4)):
            x = np.arange(prod(shape), dtype=np.float32).reshape(shape)
            for label, call, answer in _VIEWS:
                yield Scenario(function, f"{shape}, {label}", partial(_lies_in_order, x, call, answer), "layouts")


def _answers(function: str, x: Array, provider: Provider) -> str | None:
    found = needed(provider, function)(provider.from_numpy(x))
    wanted = _ANSWERS[function](x)
    return None if found == wanted else f"returned {found!r}, not {wanted!r}"


# The name of each view, the provider's operators that make the view, and the answer of `is_contiguous`. If a library
# returns copies instead of views, the copies are contiguous.
_VIEWS: tuple[tuple[str, tuple[Any, ...], bool], ...] = (
    ("as it is", (), True),
    ("transposed", ("transpose",), False),
    ("transposed twice", ("transpose", "transpose"), True),
)


def _lies_in_order(x: Array, steps: tuple[str, ...], answer: bool, provider: Provider) -> str | None:
    tensor = provider.from_numpy(x)
    for step in steps:
        tensor = needed(provider, step)(tensor)
    found = needed(provider, "is_contiguous")(tensor)
    if steps:
        answer = provider.order(tensor) == tuple(range(x.ndim))[::-1]
    return None if found == answer else f"returned {found}"


MAKERS: dict[str, Maker] = dict.fromkeys(_ANSWERS, _asked)
