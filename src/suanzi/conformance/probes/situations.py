"""The probes that follow from an operator's model: the situations in which implementations change their way.

What the operator gives in each comes from `oracle.models`; there is one row for an operator, and none for a case.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations, permutations, product
from typing import Any

import numpy as np

from ..elements import PERIOD, Drawn
from ..inputs import accepted
from ..operands import View
from ..oracle.compare import Expected, exactly
from ..oracle.element_types import STRING, Array, ElementType
from ..oracle.models import Model, models
from ..oracle.models.model import Options, Shape
from ..probe import Answer, Value
from ..standard import standard


def probes(function: str, available: frozenset[str]) -> Iterator[Value]:
    """Every situation of a function that has a model."""
    for model in models(function):
        asked = _Asked(model, available)
        for make in _SITUATIONS:
            yield from make(asked)


class _Asked:
    """A model, and the element types that it is asked with, the most telling first."""

    def __init__(self, model: Model, available: frozenset[str]) -> None:
        self.model = model
        self.types = accepted(model.types, available)
        if "S" in model.types and "string" in available:
            self.types.append(STRING)
        stated = standard().operators.get(model.function)
        self.aspects = None if stated is None else stated.aspects

    def value(
        self,
        label: str,
        t: ElementType,
        operands: tuple[Any, ...],
        options: Options,
        aspect: str = "values",
        telling: bool = False,
        **more: Any,
    ) -> Value:
        """A call of the function, whose result the model computes when it is asked for."""
        model = self.model
        given = {**model.constant, **options}
        placed = tuple(given.pop(name) for name in model.by_place)
        described = ", ".join(f"{key}={_short(value)}" for key, value in {**model.constant, **options}.items())
        if aspect not in (self.aspects or (aspect,)):
            aspect = "values"

        def expected() -> Answer:
            return answer(model.result(*map(_held, (*operands, *placed)), **given))

        text = f"{t.name} {label}" + (f", {described}" if described else "")
        return Value(model.function, text, (*operands, *placed), expected, given, aspect, telling, **more)

    def call(
        self, label: str, t: ElementType, shape: Shape, options: Options, *args: Any, special: bool = False, **more: Any
    ) -> Value:
        """The same on the model's operands of a shape."""
        operands = self.model.operands(Drawn(t, special=special), shape)
        return self.value(label, t, operands, options, *args, **more)

    def base(self, shape: Shape, **given: Any) -> Options | None:
        """The options that must be given, some as given here; None where they do not go with the shape."""
        model, choices = self.model, self.model.options(shape)
        options = {name: choices[name][0] for name in model.by_place if name in choices}
        if model.axis and "none" not in model.axes:
            axes = _axes(model, len(shape))
            if not axes:
                return None
            options[model.axis] = axes[len(axes) // 2]
        options |= given
        return options if model.sensible(shape, options) else None


def answer(result: Any) -> Answer:
    """What a model returns, as expected results."""
    if isinstance(result, Expected):
        return result
    if isinstance(result, tuple | list):
        return tuple(x if isinstance(x, Expected) else exactly(np.asarray(x)) for x in result)
    return exactly(np.asarray(result))


def _held(x: Any) -> Any:
    if isinstance(x, View):
        return x.array
    return [_held(item) for item in x] if isinstance(x, list) else x


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}…"


def _axes(model: Model, rank: int) -> list[int]:
    """Each axis counted from the start, then each counted from the end."""
    places = rank + model.axes.startswith("place")
    return [*range(places), *range(-1, -places - 1, -1)]


def _several_axes(model: Model, rank: int) -> Iterator[Any]:
    """Axes in tuples, and none."""
    some = model.axes.startswith(("some", "places"))
    if some and rank >= 2:
        yield from ((0, 1), (-1, 0), (0, rank - 1), tuple(range(rank)), tuple(range(-1, -rank - 1, -1)), (1,))
        yield from ((rank - 2, -rank), (0, 2, -1)) if rank > 3 else ()
    if some and not model.axes.startswith("places"):
        yield ()
    if "none" in model.axes:
        yield None


# Situations.


def _long(asked: _Asked) -> Iterator[Value]:
    """More elements than any threshold, along every axis: of two types in every profile, of the others one shape."""
    model = asked.model
    for number, t in enumerate(t for t in asked.types if t is not STRING):
        for shape in model.long_shapes[: 2 if number < 4 else 1] if number else model.long_shapes:
            axes: list[Any] = [None] if not model.axis else [*range(len(shape))]
            axes += [None] if model.axis and "none" in model.axes and len(shape) == 2 else []
            for axis in axes:
                options = asked.base(shape, **({model.axis: axis} if model.axis else {}))
                if options is not None:
                    value = asked.call(f"of shape {shape}", t, shape, options, "values", number < 2)
                    yield replace(value, expected=_repeated(asked, value, shape)) if model.elementwise else value


def _repeated(asked: _Asked, value: Value, shape: Shape) -> Any:
    """The expected result of operands whose elements repeat, computed for the first ones."""

    def expected() -> Answer:
        first = [x[:PERIOD] if isinstance(x, np.ndarray) else x for x in value.operands]
        found = answer(asked.model.result(*first, **value.options))
        assert isinstance(found, Expected)
        return found.spread(shape)

    return expected


def _ranks(asked: _Asked) -> Iterator[Value]:
    """Operands of no dimension, of one, four and five: their elements, not their shape alone."""
    for number, t in enumerate(asked.types):
        for shape in asked.model.ranks:
            options = asked.base(shape)
            if options is not None:
                yield asked.call(f"of shape {shape}", t, shape, options, "ranks", number < 2)


def _every_axis(asked: _Asked) -> Iterator[Value]:
    """Each axis of four from both ends, axes in tuples, no axis."""
    model = asked.model
    if not model.axis:
        return
    for number, t in enumerate(asked.types[:4]):
        for shape in (shape for shape in model.ranks if len(shape) == 4):
            for axis in (*_axes(model, 4), *_several_axes(model, 4)):
                options = asked.base(shape, **{model.axis: axis})
                if options is not None:
                    yield asked.call(f"of shape {shape}", t, shape, options, "indices", number == 0)


def _pairs(asked: _Asked) -> Iterator[Value]:
    """Every value of every option, alone and with every value of every other."""
    model, shape = asked.model, asked.model.shape
    choices = dict(model.options(shape))
    if model.axis and model.axis not in choices:
        rank = len(shape)
        choices[model.axis] = (*_axes(model, rank)[1::rank], *list(_several_axes(model, rank))[1::2])
        if "none" in model.axes:
            choices[model.axis] = (*choices[model.axis], None)
    told: set[tuple[int, str]] = set()
    for number, t in enumerate(asked.types[:4]):
        for names in (*combinations(choices, 1), *combinations(choices, 2)):
            for values in product(*(choices[name] for name in names)):
                options = asked.base(shape, **dict(zip(names, values, strict=True)))
                if options is None or (number, repr(options)) in told:
                    continue
                told.add((number, repr(options)))
                yield asked.call("options", t, shape, options, "values", number == 0)


def _specials(asked: _Asked) -> Iterator[Value]:
    """The special values of every type: NaN, infinities, zeros of both signs, the least and greatest numbers."""
    for t in (t for t in asked.types if t.letter in asked.model.special):
        count = len(Drawn(t).extremes) if t is not STRING else 15
        if asked.model.elementwise:
            many = sum(isinstance(x, np.ndarray) for x in asked.model.operands(Drawn(t), (1,)))
            shape: Shape = (count ** min(many, 2),) if many > 1 else (count,)
        else:
            shape = (2, count)
        options = asked.base(shape)
        if options is not None:
            yield asked.call("special values", t, shape, options, "boundary values", True, special=True)


def _empty(asked: _Asked) -> Iterator[Value]:
    """Operands without elements."""
    for number, t in enumerate(asked.types):
        for shape in asked.model.empty:
            options = asked.base(shape)
            if options is not None:
                yield asked.call(f"of shape {shape}", t, shape, options, "empty", number < 2)


def _arranged(asked: _Asked) -> Iterator[Value]:
    """The same elements otherwise in memory: strided, backwards, in every order, views that the provider makes."""
    model, shape = asked.model, asked.model.shape
    options = asked.base(shape)
    if not model.arranged or options is None or len(shape) < 2:
        return
    for number, t in enumerate(asked.types[:4]):
        operands = model.operands(Drawn(t), shape)
        for label, arrange in _ARRANGEMENTS.items():
            arranged = tuple(_map(x, arrange) for x in operands)
            yield asked.value(label, t, arranged, options, "layouts", number == 0)
        yield from _shared(asked, t, operands, options, number == 0)


def _map(x: Any, change: Any) -> Any:
    if isinstance(x, np.ndarray):
        return change(x) if x.ndim else x
    return (
        [_map(item, change) for item in x] if isinstance(x, list) and any(isinstance(i, np.ndarray) for i in x) else x
    )


def _strided(x: Array) -> Array:
    memory = np.resize(x, [2 * n + 1 for n in x.shape])
    view = memory[(slice(1, None, 2),) * x.ndim]
    view[...] = x
    return view


def _backwards(x: Array) -> Array:
    every = (slice(None, None, -1),) * x.ndim
    return x[every].copy()[every]


def _in_order(order: tuple[int, ...]) -> Any:
    """A copy whose memory has its first three axes in another order."""

    def arrange(x: Array) -> Array:
        axes = [axis for axis in order if axis < x.ndim] + list(range(3, x.ndim))
        return x.transpose(axes).copy().transpose(np.argsort(axes))

    return arrange


def _expanded(x: Array) -> View:
    """The first of the slices, expanded to all of them: a stride of 0."""
    first = x[:1].copy()
    return View(first, (("expand", (x.shape,)),), np.broadcast_to(first, x.shape))


def _sliced(x: Array) -> View:
    """Every other element of a greater tensor, cut out by the provider."""
    memory = np.resize(x, [2 * n + 1 for n in x.shape])
    begin, end, step = [1] * x.ndim, list(memory.shape), [2] * x.ndim
    return View(memory, (("slice", (begin, end, step)),), memory[(slice(1, None, 2),) * x.ndim])


def _transposed(x: Array) -> View:
    """The same elements: turned by NumPy, and back by the provider."""
    return View(x.T.copy(), (("transpose", ()),), x)


_ARRANGEMENTS: dict[str, Any] = {
    "every other element of its memory": _strided,
    "backwards in memory": _backwards,
    **{f"in memory by axes {order}": _in_order(order) for order in list(permutations(range(3)))[1:]},
    "expanded by the provider": _expanded,
    "sliced by the provider": _sliced,
    "transposed by the provider": _transposed,
}


def _shared(
    asked: _Asked, t: ElementType, operands: tuple[Any, ...], options: Options, telling: bool
) -> Iterator[Value]:
    """Several operands that are one tensor, or overlap in memory."""
    tensors = [x for x in operands if isinstance(x, np.ndarray)]
    alike = [x for x in tensors if x.shape == tensors[0].shape and x.dtype == tensors[0].dtype]
    if len(alike) < 2 or len(alike) < len(tensors):
        return
    same = tuple(tensors[0] if isinstance(x, np.ndarray) else x for x in operands)
    yield asked.value("the same tensor twice", t, same, options, "layouts", telling)
    x = tensors[0]
    memory = np.resize(x, (x.shape[0] + len(tensors), *x.shape[1:]))
    bounds = iter(range(len(tensors)))

    def overlapping(_: Array) -> View:
        first = next(bounds)
        begin, end = [first] + [0] * (x.ndim - 1), [first + x.shape[0], *x.shape[1:]]
        return View(memory, (("slice", (begin, end)),), memory[first : first + x.shape[0]])

    operands = tuple(overlapping(x) if isinstance(x, np.ndarray) else x for x in operands)
    yield asked.value("overlapping operands", t, operands, options, "layouts", telling)


def _outputs(asked: _Asked) -> Iterator[Value]:
    """A good tensor for the result: fresh, strided, backwards, an operand."""
    stated = standard().operators.get(asked.model.function)
    if stated is None or not any(p.kind == "output" for p in stated.parameters):
        return
    shape = asked.model.shape
    options = asked.base(shape)
    if options is None:
        return
    for number, t in enumerate(asked.types):
        if t is STRING:
            continue
        places = [f"operand {place}" for place in asked.model.in_place]
        for how in ("fresh", "strided", "reversed", *places):
            value = asked.call(f"into an output tensor, {how}", t, shape, options, "output", number < 2, out=how)
            if how not in places or value.wanted[0].fits(value.operands[int(how.split()[1])]):
                yield value


def _again(asked: _Asked) -> Iterator[Value]:
    """The same call three times with the very same tensors."""
    shape = asked.model.shape
    options = asked.base(shape)
    if options is not None:
        for number, t in enumerate(asked.types[:3]):
            yield asked.call("called three times", t, shape, options, "values", number == 0, calls=3)


_SITUATIONS = (_long, _ranks, _every_axis, _pairs, _specials, _empty, _arranged, _outputs, _again)
