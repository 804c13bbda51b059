"""Rules for the shapes of results, for operators whose results have shapes that do not depend on elements' values.

The declaration of an operator names a rule of this module. A rule receives a call, whose operands have a shape. The
rule returns the shape of the result, or None if the rule does not determine the shape. For a wrong call a rule may
return anything, because the operator itself raises the error.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from suanzi import _core

Shape: TypeAlias = tuple[int, ...]
ShapeRule: TypeAlias = Callable[[Any], Shape | None]


def same(call: Any) -> Shape | None:
    """Return the shape of the first operand."""
    return shape_of(call[0])


def shape_of(x: Any) -> Shape:
    return tuple(x.shape) if hasattr(x, "shape") else ()


def common(shapes: Sequence[Shape]) -> Shape | None:
    """Return the shape to which several shapes broadcast, or None if the shapes do not broadcast."""
    result: list[int] = []
    for i in range(1, max(map(len, shapes)) + 1):
        extents = {shape[-i] for shape in shapes if len(shape) >= i} - {1}
        if len(extents) > 1:
            return None
        result.insert(0, extents.pop() if extents else 1)
    return tuple(result)


def _axis(call: Any, ndim: int) -> int:
    (axis,) = _core.read_axes(call.name, call.axis, ndim)
    return int(axis)


# --- products ---


def matrix_product(call: Any) -> Shape | None:
    first, second = shape_of(call.x1), shape_of(call.x2)
    if not first or not second or first[-1] != (second[-2] if len(second) > 1 else second[0]):
        return None
    batch = common((first[:-2], second[:-2]))
    return None if batch is None else (*batch, *first[-2:-1], *(second[-1:] if len(second) > 1 else ()))


def vector_product(call: Any) -> Shape | None:
    shape = common((shape_of(call.x1), shape_of(call.x2)))
    if shape is None or call.axis >= 0:
        return None
    return shape[: call.axis] + shape[call.axis :][1:]


def outer_product(call: Any) -> Shape | None:
    shapes = shape_of(call.x1), shape_of(call.x2)
    return shapes[0] + shapes[1] if all(len(shape) == 1 for shape in shapes) else None


def layer(call: Any) -> Shape | None:
    """Return the shape of the result of `linear`, or None if the shapes of the operands do not fit."""
    x, weight = shape_of(call.x), shape_of(call.weight)
    return (*x[:-1], weight[0]) if x and len(weight) == 2 and x[-1] == weight[1] else None


def square(call: Any) -> Shape | None:
    """Return the shape of the operand if the operand contains square matrices, and None otherwise."""
    shape = shape_of(call[0])
    return shape if len(shape) > 1 and shape[-1] == shape[-2] else None


# --- reductions, selection, joining ---


def folded(call: Any) -> Shape:
    shape = shape_of(call.x)
    axes = range(len(shape)) if call.axis is None else _core.read_axes(call.name, call.axis, len(shape))
    if call.keepdims:
        return tuple([1 if i in axes else extent for i, extent in enumerate(shape)])
    return tuple([extent for i, extent in enumerate(shape) if i not in axes])


def scanned(call: Any) -> Shape | None:
    return None if call.include_initial else shape_of(call.x)


def taken(call: Any) -> Shape | None:
    """Return the operand's shape, with the shape of the index in place of the axis. Return None if the index has no
    shape, or if `axis` is None and the operand does not have one dimension.
    """
    shape, index = shape_of(call[0]), shape_of(call[1])
    if isinstance(call[1], (list, tuple)) or (call.axis is None and len(shape) != 1):
        return None
    axis = 0 if call.axis is None else _axis(call, len(shape))
    return shape[:axis] + index + shape[axis + 1 :]


def taken_along(call: Any) -> Shape | None:
    shape, index = shape_of(call.x), shape_of(call.indices)
    if len(shape) != len(index):
        return None
    axis = _axis(call, len(shape))
    return index if all(a == b for i, (a, b) in enumerate(zip(shape, index, strict=True)) if i != axis) else None


def joined(call: Any) -> Shape | None:
    shapes = [shape_of(x) for x in call.tensors]
    if not shapes or call.axis is None:
        return None
    axis = _axis(call, len(shapes[0]))
    if len({shape[:axis] + shape[axis + 1 :] for shape in shapes}) > 1 or len({*map(len, shapes)}) > 1:
        return None
    return (*shapes[0][:axis], sum(shape[axis] for shape in shapes), *shapes[0][axis + 1 :])


def stacked(call: Any) -> Shape | None:
    shapes = {shape_of(x) for x in call.tensors}
    if len(shapes) != 1:
        return None
    (shape,) = shapes
    axis = _axis(call, len(shape) + 1)
    return (*shape[:axis], len(call.tensors), *shape[axis:])
