"""The class of models.

A model needs the name of a function and another function that computes the expected result. All other fields have
defaults:

    Model("flip", lambda x, axis=None: np.flip(x, axis), axis="axis", axes="some or none")

From a model, the module `probes.situations` makes many tests: an operand of 2^17 + 3 elements, ranks 4 to 6, every
axis from both ends, axes in tuples, options in pairs, special values of every type, operands in every arrangement,
output tensors, repeated calls.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from ..compare import Expected
from ..element_types import Array, ElementType

Shape = tuple[int, ...]
Result = Array | Expected | list[Array] | tuple[Array | Expected, ...]
"""One result or several results. A result is an array of exact bits, or values with a bound of the error."""


class Elements(Protocol):
    """An object that makes elements for operands of one type. `place` distinguishes the operands of one call."""

    type: ElementType
    special: bool  # True to use the special values

    @property
    def extremes(self) -> Array:
        """Return the special values of the element type."""

    def any(self, shape: Shape, place: int = 0) -> Array:
        """Return numbers of every size, or the special values if the test requests special values."""

    def small(self, shape: Shape, place: int = 0) -> Array:
        """Return integers from -4 to 4 (or 0 to 4, or bools). Sums and products of a few of these integers are
        exact in every type.
        """

    def moderate(self, shape: Shape, place: int = 0) -> Array:
        """Return floating numbers of either sign from 1/1000 to 10, whose sums do not overflow, or small integers."""

    def index(self, size: int, shape: Shape, place: int = 0) -> Array:
        """Return int64 indices from -size to size - 1."""

    def truth(self, shape: Shape, place: int = 0) -> Array:
        """Return bools."""

    def few(self, shape: Shape, place: int = 0) -> Array:
        """Return zeros with a few ones. In one dimension, only the last element is 1."""

    def factors(self, shape: Shape, place: int = 0) -> Array:
        """Return 1 and -1 with a few numbers 2 and 1/2, or odd integers. The products are exact and not 0."""

    def distinct(self, shape: Shape, place: int = 0) -> Array:
        """Return numbers of which no two are equal, as far as the type has enough numbers."""


def one(elements: Elements, shape: Shape) -> tuple[Any, ...]:
    """Return one tensor of any elements."""
    return (elements.any(shape),)


def two(elements: Elements, shape: Shape) -> tuple[Any, ...]:
    """Return two tensors of any elements."""
    return elements.any(shape), elements.any(shape, 1)


Options = Mapping[str, Any]


def no_calls(shape: Shape) -> Sequence[Options]:
    """Return no options, for models whose options do not belong together."""
    return ()


def always(shape: Shape, options: Options) -> bool:
    """Return True. Every choice of options fits every shape."""
    return True


# A length above any threshold at which implementations change their method: tiles, blocks, threads, carries.
LONG: tuple[Shape, ...] = ((131_075,),)
LONG_WITH_AXIS: tuple[Shape, ...] = ((131_075,), (1225, 107), (25, 107, 49))
LONG_MATRIX: tuple[Shape, ...] = ((130, 70),)


@dataclass(frozen=True)
class Model:
    """A model: the expected result of one function, and the operands and options with which tests call the function.

    `result` receives the operands and the options as the function itself does: arrays for tensors, lists of arrays for
    lists of tensors. The return value defines the required accuracy. An array means exact bits (except for NaN), an
    `Expected` has a bound, and a tuple of arrays and `Expected` objects means several results.
    """

    function: str
    result: Callable[..., Result]
    types: str = "BIFCS"  # the kinds of element type in the model's tests
    operands: Callable[[Elements, Shape], tuple[Any, ...]] = one  # tensors and further arguments passed by place
    # Values of options. The first value is used while another option varies. A function of the shape may make the
    # values.
    choices: Mapping[str, tuple[Any, ...] | Callable[[Shape], tuple[Any, ...]]] = field(default_factory=dict)
    # A function that makes options that belong together, such as bounds, for a shape. The first options are the usual
    # options. Tests use all options.
    calls: Callable[[Shape], Sequence[Options]] = no_calls
    constant: Options = field(default_factory=dict)  # options that every call has
    by_place: tuple[str, ...] = ()  # options passed by place after the operands, in this order
    typed: str = ""  # the option with the element type, for functions without tensors
    sensible: Callable[[Shape, Options], bool] = always  # True for options that fit each other and the shape
    axis: str = ""  # the option that is an axis
    # The form of the axis parameter: "one", "some" (one axis or a tuple), "place" (an axis of the result) or "places"
    # (axes of the result). " or none" follows the form if the parameter may be None.
    axes: str = "one"
    shape: Shape = (3, 4, 5)  # the usual shape
    ranks: tuple[Shape, ...] = ((), (1,), (7,), (2, 3, 4, 5), (2, 3, 1, 2, 4), (2, 1, 3, 1, 2, 2))  # other shapes
    empty: tuple[Shape, ...] = ((0,), (2, 0, 3))
    long: tuple[Shape, ...] | None = None  # the long shapes, by default LONG or LONG_WITH_AXIS
    special: str = "BIFCS"  # kinds for which `Elements.any` may return NaN, infinities, and the type's limits
    elementwise: bool = False  # True if each result depends only on the operands' elements at the same place
    in_place: tuple[int, ...] = ()  # operands that may be the output tensor
    numbers: tuple[int | str, ...] = ()  # operands and options for which a number may be passed
    arranged: bool = True  # True to vary the memory arrangement of operands
    out: bool = False  # True if the function has an output tensor that the clauses do not state
    shared: bool = False  # True if all operands may be one tensor, as in elementwise functions

    @property
    def long_shapes(self) -> tuple[Shape, ...]:
        usual = LONG_WITH_AXIS if self.axis else LONG
        return usual if self.long is None else self.long

    def options(self, shape: Shape) -> dict[str, tuple[Any, ...]]:
        """Return the values of each option in `choices`, for a shape."""
        return {name: tuple(made(shape)) if callable(made) else made for name, made in self.choices.items()}
