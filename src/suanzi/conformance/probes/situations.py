"""Probes that follow from an operator's model: the situations in which implementations change their method.

The expected results come from the models of operators in `oracle.models`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations, permutations, product
from typing import Any

import numpy as np

from ..elements import PERIOD, Drawn, numbers_of
from ..inputs import accepted
from ..operands import View, arrays_of
from ..oracle.compare import Expected, exactly
from ..oracle.element_types import STRING, Array, ElementType
from ..oracle.models import Model, models
from ..oracle.models.creating import number as element
from ..oracle.models.elementwise import defined
from ..oracle.models.model import Options, Shape
from ..oracle.rules import rules
from ..probe import Answer, Value
from ..standard import standard


def probes(function: str, available: frozenset[str], *, telling: bool = False) -> Iterator[Value]:
    """Yield a check of every situation of a function that has a model, or only the most significant checks if `telling`
    is True.
    """
    for model in models(function):
        asked = _Asked(model, available, telling)
        for probe in (probe for make in _SITUATIONS for probe in make(asked)):
            if probe is None:
                continue
            types = [x.name for x in (*probe.operands, *probe.options.values()) if isinstance(x, ElementType)]
            if available.issuperset(types):
                yield probe


class _Asked:
    """A model, and the element types of its tests, the most significant first."""

    def __init__(self, model: Model, available: frozenset[str], telling: bool) -> None:
        self.model, self.few = model, telling
        self.types = accepted(model.types, available)
        if "S" in model.types and "string" in available:
            self.types.append(STRING)
        stated = standard().operators.get(model.function)
        self.output = model.out if stated is None else any(p.kind == "output" for p in stated.parameters)
        self.first = 1 if stated is None else 2  # the number of types that every profile tests
        # Places of operands at which the clauses allow numbers, or None if the clauses say nothing.
        self.scalars = None if stated is None else {i for i, p in enumerate(stated.parameters) if "scalar" in p.kind}
        self.aspects = None if stated is None else stated.aspects

    def value(
        self,
        label: str,
        t: ElementType,
        operands: tuple[Any, ...],
        options: Options,
        aspect: str = "values",
        telling: bool = False,
        meant: tuple[Any, ...] | None = None,
        **more: Any,
    ) -> Value:
        """Return a check of one call of the function. The model computes the expected result when the check runs."""
        model = self.model
        operands = tuple(np.asarray(x) if isinstance(x, np.generic) else x for x in operands)
        given = {**model.constant, **options, **({model.typed: t} if model.typed else {})}
        placed = tuple(given.pop(name) for name in model.by_place)
        described = ", ".join(f"{key}={_short(value)}" for key, value in {**model.constant, **options}.items())
        if aspect not in (self.aspects or (aspect,)):
            aspect = "values"

        def expected() -> Answer:
            return answer(model.result(*map(_held, (*(operands if meant is None else meant), *placed)), **given))

        text = f"{t.name} {label}" + (f", {described}" if described else "")
        return Value(model.function, text, (*operands, *placed), expected, given, aspect, telling, **more)

    def call(
        self,
        label: str,
        t: ElementType,
        shape: Shape,
        options: Options,
        aspect: str,
        telling: bool,
        *,
        special: bool = False,
        **more: Any,
    ) -> Value | None:
        """Return a check of a call with the model's operands of a shape, or None if only significant checks are wanted
        and `telling` is False.
        """
        if self.few and not telling:
            return None
        operands = self.model.operands(Drawn(t, special=special), shape)
        return self.value(label, t, operands, options, aspect, telling, **more)

    def other(self, t: ElementType, shape: Shape, options: Options) -> Value:
        """Return a check of the same call with other elements."""
        special = self.model.elementwise and t.letter in self.model.special
        operands = self.model.operands(Drawn(t, other=True, special=special), shape)
        return self.value("other elements", t, operands, options)

    def base(self, shape: Shape, **given: Any) -> Options | None:
        """Return the required options, some with given values, or None if the options do not fit the shape."""
        model, choices = self.model, self.model.options(shape)
        calls = model.calls(shape)
        options = dict(calls[0]) if calls else {}
        options |= {name: choices[name][0] for name in model.by_place if name in choices and name not in options}
        if model.axis and "none" not in model.axes and model.axis not in options:
            axes = _axes(model, len(shape))
            if not axes:
                return None
            options[model.axis] = axes[len(axes) // 2]
        options |= given
        complete = all(name in options or name in model.constant for name in model.by_place)
        return options if complete and model.sensible(shape, options) else None


def answer(result: Any) -> Answer:
    """Return a model's results as expected results."""
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
    """Return all axes counted from the start, followed by all axes counted from the end."""
    places = rank + model.axes.startswith("place")
    return [*range(places), *range(-1, -places - 1, -1)]


def _several_axes(model: Model, rank: int) -> Iterator[Any]:
    """Yield tuples of axes, the empty tuple and None, as far as the model's function accepts these values."""
    some = model.axes.startswith(("some", "places"))
    if some and rank >= 2:
        yield from ((0, 1), (-1, 0), (0, rank - 1), tuple(range(rank)), tuple(range(-1, -rank - 1, -1)), (1,))
        yield from ((0, 2, -1),) if rank > 3 else ()
        yield from ((rank - 2, -rank),) if rank > 3 and not model.axes.startswith("places") else ()
    if some and not model.axes.startswith("places"):
        yield ()
    if "none" in model.axes:
        yield None


# Situations.


def _long(asked: _Asked) -> Iterator[Value | None]:
    """Test operands that are longer than any threshold of an implementation, along every axis."""
    model = asked.model
    for number, t in enumerate(t for t in asked.types if t is not STRING):
        for shape in model.long_shapes[: 2 if number < 4 else 1] if number else model.long_shapes:
            axes: list[Any] = [None] if not model.axis else [*range(len(shape))]
            axes += [None] if model.axis and "none" in model.axes and len(shape) == 2 else []
            for axis in axes:
                options = asked.base(shape, **({model.axis: axis} if model.axis else {}))
                if options is not None:
                    value = asked.call(f"of shape {shape}", t, shape, options, "values", number < asked.first)
                    if value is not None and model.elementwise:
                        value = replace(value, expected=_repeated(asked, value, shape))
                    yield value


def _repeated(asked: _Asked, value: Value, shape: Shape) -> Any:
    """Return a function that computes the expected result for operands whose elements repeat. The function computes the
    result of the first elements and repeats this result.
    """

    def expected() -> Answer:
        first = [x[:PERIOD] if isinstance(x, np.ndarray) else x for x in value.operands]
        found = answer(asked.model.result(*first, **value.options))
        assert isinstance(found, Expected)
        return found.spread(shape)

    return expected


def _ranks(asked: _Asked) -> Iterator[Value | None]:
    """Test the elements, not only the shapes, of results for operands of zero, one, and four to six dimensions."""
    for number, t in enumerate(asked.types):
        for shape in asked.model.ranks:
            axes: list[Any] = [{}]
            if "none" in asked.model.axes and len(shape) > 3:
                axes.append({asked.model.axis: len(shape) // 2})
                axes += [{asked.model.axis: (0, len(shape) - 2)}] if "some" in asked.model.axes else []
            for options in (asked.base(shape, **axis) for axis in axes):
                if options is not None:
                    telling = number < asked.first or t is STRING
                    yield asked.call(f"of shape {shape}", t, shape, options, "ranks", telling)


def _every_axis(asked: _Asked) -> Iterator[Value | None]:
    """Test tensors of three and four dimensions with each axis, counted from both ends, tuples of axes, and no axis."""
    model = asked.model
    if not model.axis:
        return
    for number, t in enumerate(asked.types[:4]):
        usual = (model.shape,) if number == 0 and len(model.shape) == 3 else ()
        for shape in (*(shape for shape in model.ranks if len(shape) == 4), *usual):
            for axis in (*_axes(model, len(shape)), *_several_axes(model, len(shape))):
                options = asked.base(shape, **{model.axis: axis})
                if options is not None:
                    yield asked.call(f"of shape {shape}", t, shape, options, "indices", number == 0)
            options = asked.base(shape)
            if options is not None and model.axis in options and model.axis not in model.by_place:
                unsaid = {key: value for key, value in options.items() if key != model.axis}
                yield asked.call(f"of shape {shape}, no axis given", t, shape, unsaid, "defaults", number == 0)


def _pairs(asked: _Asked) -> Iterator[Value | None]:
    """Test every value of every option, without other options and with every value of every other option."""
    model, shape = asked.model, asked.model.shape
    choices = dict(model.options(shape))
    if model.axis and model.axis not in choices:
        rank = len(shape)
        choices[model.axis] = (*_axes(model, rank)[1::rank], *list(_several_axes(model, rank))[1::2])
        if "none" in model.axes:
            choices[model.axis] = (*choices[model.axis], None)
    told: set[tuple[int, str]] = set()
    for number, t in enumerate([*asked.types[:4], *(t for t in asked.types[4:] if t is STRING)]):
        tells = number == 0 or bool(model.typed)
        if not choices and not model.calls(shape):
            options = asked.base(shape)
            if options is not None:
                yield asked.call("usual", t, shape, options, "values", tells)
        for options in model.calls(shape):
            yield asked.call("options", t, shape, options, "values", tells)
        for names in (*combinations(choices, 1), *combinations(choices, 2)):
            for values in product(*(choices[name] for name in names)):
                options = asked.base(shape, **dict(zip(names, values, strict=True)))
                if options is None or (number, repr(options)) in told:
                    continue
                told.add((number, repr(options)))
                alone = len(names) == 1 and t.letter not in {other.letter for other in asked.types[:number]}
                yield asked.call("options", t, shape, options, "values", tells or alone)


def _every_type(asked: _Asked) -> Iterator[Value | None]:
    """Test a usual call with each element type. The module `elementwise` has the probes of elementwise operators."""
    model = asked.model
    options = asked.base(model.shape)
    if options is not None and not model.elementwise:
        for t in asked.types:
            yield asked.call("usual elements", t, model.shape, options, "values", True)


def _specials(asked: _Asked) -> Iterator[Value | None]:
    """Test the special values of every type: NaN, infinities, zeros of both signs, the least and greatest numbers."""
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


def _empty(asked: _Asked) -> Iterator[Value | None]:
    """Test operands without elements."""
    model = asked.model
    for number, t in enumerate(asked.types):
        for shape in model.empty:
            varied = range(len(shape)) if "none" in model.axes else ()
            axes: list[Any] = [{}, *({model.axis: axis} for axis in varied)]
            for options in (asked.base(shape, **axis) for axis in axes):
                if options is None:
                    continue
                yield asked.call(f"of shape {shape}", t, shape, options, "empty", number < asked.first)


def _arranged(asked: _Asked) -> Iterator[Value]:
    """Make checks with the elements in other memory arrangements: strided, backwards, in every order, and in views that
    the provider makes.
    """
    model, shape = asked.model, asked.model.shape
    options = asked.base(shape)
    if not model.arranged or options is None or not shape:
        return
    for number, t in enumerate(asked.types[: 1 if asked.few else 4]):
        operands = model.operands(Drawn(t), shape)
        for label, arrange in _ARRANGEMENTS.items():
            arranged = tuple(_map(x, arrange) for x in operands)
            yield asked.value(label, t, arranged, options, "layouts", number == 0)
        if model.elementwise or model.shared:
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
    """Return a function that copies an array. The first three axes of the copy have the given order in memory."""

    def arrange(x: Array) -> Array:
        axes = [axis for axis in order if axis < x.ndim] + list(range(3, x.ndim))
        return x.transpose(axes).copy().transpose(np.argsort(axes))

    return arrange


def _expanded(x: Array) -> View:
    """Return a view of the first slice of an array. The provider expands the slice to the shape of the array."""
    first = x[:1].copy()
    return View(first, (("expand", (x.shape,)),), np.broadcast_to(first, x.shape))


def _sliced(x: Array) -> View:
    """Return a view with the elements of an array: every other element of a larger tensor, which the provider
    slices.
    """
    memory = np.resize(x, [2 * n + 1 for n in x.shape])
    memory[(slice(1, None, 2),) * x.ndim] = x
    begin, end, step = [1] * x.ndim, list(memory.shape), [2] * x.ndim
    return View(memory, (("slice", (begin, end, step)),), x)


def _transposed(x: Array) -> View:
    """Return a view with the elements of an array. NumPy transposes the array, and the provider transposes the tensor
    back.
    """
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
    """Test operands, or tensors of a list, that are one tensor or overlap in memory."""
    tensors = [x for operand in operands for x in arrays_of(operand)]
    alike = [x for x in tensors if x.shape == tensors[0].shape and x.dtype == tensors[0].dtype]
    if len(tensors) < 2 or len(alike) < len(tensors):
        return
    x = tensors[0]
    same = tuple(_map(operand, lambda _: x) for operand in operands)
    yield asked.value("the same tensor twice", t, same, options, "layouts", telling)
    memory = np.resize(x, (x.shape[0] + len(tensors), *x.shape[1:]))
    bounds = iter(range(len(tensors)))

    def overlapping(_: Array) -> View:
        first = next(bounds)
        begin, end = [first] + [0] * (x.ndim - 1), [first + x.shape[0], *x.shape[1:]]
        return View(memory, (("slice", (begin, end)),), memory[first : first + x.shape[0]])

    views = tuple(_map(operand, overlapping) for operand in operands)
    yield asked.value("overlapping operands", t, views, options, "layouts", telling)


def _outputs(asked: _Asked) -> Iterator[Value | None]:
    """Test valid output tensors: fresh, strided, reversed, in another order, or an operand."""
    if not asked.output:
        return
    model, shape = asked.model, asked.model.shape
    along = {model.axis: 1} if "none" in model.axes and len(shape) > 1 else {}  # the result needs several elements
    options = asked.base(shape, **along)
    if options is None:
        return
    for number, t in enumerate(asked.types):
        if t is STRING:
            continue
        places = [f"operand {place}" for place in asked.model.in_place]
        for how in ("fresh", "strided", "reversed", "by columns", *places):
            other = asked.other(t, shape, options) if how == "fresh" else None
            label = f"into an output tensor, {how}"
            value = asked.call(label, t, shape, options, "output", number < asked.first, out=how, other=other)
            if value is not None and how in places and not value.wanted[0].fits(value.operands[int(how.split()[1])]):
                continue
            yield value


def _numbers(asked: _Asked) -> Iterator[Value]:
    """Test ordinary and extreme numbers, and numbers that a type must round, in place of operands and as options."""
    model, shape = asked.model, (7,)
    options = asked.base(shape)
    if not model.numbers or options is None:
        return
    for count, t in enumerate(t for t in asked.types if t is not STRING):
        operands = list(model.operands(Drawn(t), shape))
        for place in model.numbers:
            if isinstance(place, int) and place not in (asked.scalars or (place,)):
                continue
            for value in numbers_of(t):
                meant = element(value, t)
                telling = count < 3 or t.bits == 64
                if asked.few and not telling:
                    continue
                if isinstance(place, str):
                    given = asked.value("a number", t, tuple(operands), {**options, place: value}, "scalars", telling)
                    yield given
                    continue
                exact = [*operands[:place], meant, *operands[place + 1 :]]
                tensors = sum(isinstance(x, np.ndarray) for x in operands)
                if model.elementwise and (tensors < 2 or not _left_alone(model, exact, place)):
                    continue
                changed = (*operands[:place], value, *operands[place + 1 :])
                label = f"{value!r} in place {place}"
                yield asked.value(label, t, changed, options, "scalars", telling, tuple(exact))


def _left_alone(model: Model, exact: list[Any], place: int) -> bool:
    """Return whether the rules define a result for the number at `place` among the operands. For a divisor 0 the rules
    define no result.
    """
    found = rules(model.function)
    held = [defined(rule, list(exact), rule.constant) for rule in found]
    return all(np.array_equal(x[place], exact[place], equal_nan=exact[place].dtype.kind in "fc") for x in held)


def _again(asked: _Asked) -> Iterator[Value | None]:
    """Make checks of three equal calls with the very same tensors, and another call between two of these calls."""
    shape = asked.model.shape
    options = asked.base(shape)
    if options is not None:
        for number, t in enumerate(asked.types[:3]):
            other = asked.other(t, shape, options)
            yield asked.call("called three times", t, shape, options, "values", number == 0, other=other)


# Shapes that broadcast: different ranks, and sizes of 1 on either side or in the middle, also beside a size of 0.
_BROADCAST: tuple[tuple[Shape, ...], ...] = (
    ((2, 3, 1, 5), (4, 1), (4, 5)),
    ((5,), (2, 3, 4, 5), (1, 4, 1)),
    ((2, 1, 3, 2), (2, 1, 2), ()),
    ((1, 3, 1, 2, 4), (2, 1, 3, 1, 4), (2, 3, 3, 2, 1)),
    ((), (3, 4), (4,)),
    ((3, 1, 4), (1,), (3, 5, 1)),
    ((5, 1, 17), (9, 1), (9, 17)),
    ((0,), (1,), (1, 1)),
    ((2, 0, 3), (1, 3), (2, 1, 1)),
)


def _broadcast(asked: _Asked) -> Iterator[Value]:
    """Test operands of different shapes that broadcast."""
    model = asked.model
    for number, t in enumerate(asked.types):
        few = sum(isinstance(x, np.ndarray) for x in model.operands(Drawn(t), (1,))) if model.elementwise else 0
        options = asked.base((1,))
        if few < 2 or options is None or (asked.few and number > 1):
            continue
        for shapes in _BROADCAST:
            for places in permutations(shapes[:few]):
                made = [model.operands(Drawn(t), shape)[place] for place, shape in enumerate(places)]
                label = f"shapes {', '.join(map(str, places))}"
                yield asked.value(label, t, tuple(made), options, "broadcasting", number < asked.first)


_SITUATIONS = (
    *(_long, _ranks, _every_axis, _pairs, _every_type, _specials, _empty),
    *(_arranged, _outputs, _numbers, _broadcast, _again),
)
