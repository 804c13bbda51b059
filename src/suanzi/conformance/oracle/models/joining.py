"""Models of operators that join and split tensors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..element_types import Array
from .model import LONG_WITH_AXIS, Elements, Model, Options, Shape

_RANKS: tuple[Shape, ...] = ((1,), (7,), (2, 3, 4, 5), (2, 3, 1, 2, 4), (2, 1, 3, 1, 2, 2))


def _alike(count: int) -> Callable[[Elements, Shape], tuple[Any, ...]]:
    """Return a function that makes a list of `count` tensors of one shape."""
    return lambda elements, shape: ([elements.any(shape, place) for place in range(count)],)


def _uneven(elements: Elements, shape: Shape) -> tuple[Any, ...]:
    """Return three tensors of different sizes along the first axis, one of them empty."""
    sizes = (shape[0], 0, shape[0] + 2)
    return ([elements.any((size, *shape[1:]), place) for place, size in enumerate(sizes)],)


def _concat(tensors: list[Array], axis: int | None = 0) -> Array:
    return np.concatenate([np.ascontiguousarray(x) for x in tensors] if axis is None else tensors, axis)


def _sections(shape: Shape) -> Sequence[Options]:
    """Return options of `split`: equal parts and parts of given sizes, along every axis."""
    found: list[Options] = []
    for axis in range(-len(shape), len(shape)):
        size = shape[axis]
        parts: list[Any] = [size, 1, [1, 0, size - 1], [size - 2, 1, 1], [size], [0, 0, size]]
        parts += [n for n in (2, 3, 5) if size and size % n == 0]
        found += [{"sections_or_sizes": part, "axis": axis} for part in parts if size > 1 and part != 0]
        if size > 4:
            found.append({"sections_or_sizes": [1, 1, size - 4, 1, 1], "axis": axis})
    return [found[-1], *found[:-1]] if found else [{"sections_or_sizes": 1}]


def _split(x: Array, sections_or_sizes: Any, axis: int = 0, uneven: bool = False) -> list[Array]:
    if isinstance(sections_or_sizes, int):
        return np.array_split(x, sections_or_sizes, axis)
    return np.split(x, np.cumsum(sections_or_sizes)[:-1], axis)


def _long_split(shape: Shape) -> Sequence[Options]:
    return _sections(shape)[-4:] if max(shape) < 2000 else [{"sections_or_sizes": [65_537, 65_538]}]


def _lines(sizes: Sequence[int]) -> Callable[[Elements, Shape], tuple[Any, ...]]:
    return lambda elements, shape: tuple(elements.any((n + shape[0],), place) for place, n in enumerate(sizes))


def _meshgrid(*tensors: Array, indexing: str = "xy") -> list[Array]:
    return list(np.meshgrid(*tensors, indexing=indexing))  # type: ignore[call-overload]


def _broadcastable(elements: Elements, shape: Shape) -> tuple[Any, ...]:
    second = tuple(1 if axis % 2 else size for axis, size in enumerate(shape))
    return elements.any(second), elements.any(shape[1:], 1), elements.any(shape, 2)


_WIDE: dict[str, Any] = {"ranks": _RANKS, "axis": "axis", "long": LONG_WITH_AXIS, "shared": True}
_GRID: dict[str, Any] = {
    "shape": (3,),
    "ranks": (),
    "empty": (),
    "choices": {"indexing": ("xy", "ij")},
    "arranged": False,
}

MODELS = (
    Model("concat", _concat, operands=_alike(2), **_WIDE),
    Model("concat", _concat, operands=_alike(1), ranks=_RANKS, axis="axis"),
    Model("concat", _concat, operands=_alike(5), ranks=_RANKS, axis="axis", axes="one or none"),
    Model("concat", _concat, operands=_uneven, ranks=_RANKS),
    Model("stack", lambda x, axis=0: np.stack(x, axis), operands=_alike(2), **{**_WIDE, "axes": "place"}),
    Model("stack", lambda x, axis=0: np.stack(x, axis), operands=_alike(5), axis="axis", axes="place"),
    Model("stack", lambda x, axis=0: np.stack(x, axis), operands=_alike(1), axis="axis", axes="place"),
    Model("split", _split, calls=lambda shape: _long_split(shape) if max(shape, default=0) > 100 else _sections(shape),
          by_place=("sections_or_sizes",), ranks=_RANKS, empty=((2, 0, 3),), long=LONG_WITH_AXIS),
    Model("split", _split, shape=(7, 5, 3), choices={"sections_or_sizes": (3, 2, 4), "uneven": (True,)},
          by_place=("sections_or_sizes",), ranks=(), empty=(), long=((131_075,),),
          sensible=lambda shape, options: bool(options.get("uneven"))),
    Model("unstack", lambda x, axis=0: [*np.moveaxis(x, axis, 0)], axis="axis", ranks=_RANKS, empty=((2, 0, 3),),
          long=((301, 437),)),
    *(Model("meshgrid", _meshgrid, operands=_lines(sizes), **_GRID, long=long)
      for sizes, long in (((0, 1), ((362,),)), ((0, 1, 2), ((50,),)), ((0,), ((5,),)), ((0, 1, 2, 0), ((9,),)))),
    *(Model(name, lambda *x: list(np.broadcast_arrays(*x)), operands=_broadcastable, ranks=_RANKS)
      for name in ("broadcast_arrays", "broadcast_tensors")),
)  # fmt: skip
