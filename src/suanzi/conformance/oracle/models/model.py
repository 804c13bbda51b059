"""The class of models.

A row for an operator needs its function and the function that computes its expected result; all else has defaults:

    Model("flip", lambda x, axis=None: np.flip(x, axis), axis="axis", axes="some or none")

From this follow, in `probes.situations`: an operand of 2^17 + 3 elements, ranks 4 and 5, every axis from both ends,
axes in tuples, options in pairs, special values of every type, operands in every arrangement, output tensors, calls
repeated.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from ..compare import Expected
from ..element_types import Array, ElementType

Shape = tuple[int, ...]
Result = Array | Expected | list[Array] | tuple[Array | Expected, ...]
"""One result: an array that is meant to the bit, or values with a bound; or several."""


class Elements(Protocol):
    """Makes the elements of operands of one element type: `place` tells the operands of one call apart."""

    type: ElementType
    special: bool  # use the special values

    @property
    def extremes(self) -> Array:
        """The special values."""

    def any(self, shape: Shape, place: int = 0) -> Array:
        """Return operands of every size, or the special values where the test asks for them."""

    def small(self, shape: Shape, place: int = 0) -> Array:
        """Whole numbers from -4 to 4 (0 to 4, false and true): sums and products of a few are exact in every type."""

    def moderate(self, shape: Shape, place: int = 0) -> Array:
        """Floating numbers of either sign between 1/1000 and 10, of which sums do not overflow; small integers."""

    def index(self, size: int, shape: Shape, place: int = 0) -> Array:
        """Indices from -size to below size, as int64."""

    def truth(self, shape: Shape, place: int = 0) -> Array:
        """false and true."""

    def few(self, shape: Shape, place: int = 0) -> Array:
        """Zeros with a few other numbers among them: the last, where there is one dimension."""

    def factors(self, shape: Shape, place: int = 0) -> Array:
        """1 and -1 with a few numbers 2 and 1/2, of integers odd numbers: products are exact, and none of them 0."""

    def distinct(self, shape: Shape, place: int = 0) -> Array:
        """Numbers of which no two are equal, as far as the type has so many."""


def one(elements: Elements, shape: Shape) -> tuple[Any, ...]:
    """One tensor of any elements."""
    return (elements.any(shape),)


def two(elements: Elements, shape: Shape) -> tuple[Any, ...]:
    """Two tensors."""
    return elements.any(shape), elements.any(shape, 1)


Options = Mapping[str, Any]


def no_calls(shape: Shape) -> Sequence[Options]:
    """No calls at all."""
    return ()


def always(shape: Shape, options: Options) -> bool:
    """Every choice of options goes with every shape."""
    return True


# More than any threshold at which implementations change their way: tiles, blocks, threads, carries.
LONG: tuple[Shape, ...] = ((131_075,),)
LONG_WITH_AXIS: tuple[Shape, ...] = ((131_075,), (1225, 107), (25, 107, 49))
LONG_MATRIX: tuple[Shape, ...] = ((130, 70),)


@dataclass(frozen=True)
class Model:
    """A model: the expected result of one function, and the operands and options to test it with.

    `result` gets the operands and the options as the function itself does: arrays for tensors, lists of arrays for
    lists of tensors. Its return value says how near a result must be: an array is exact to the bit (except for NaN), an
    `Expected` has a bound, and a tuple of these means several results.
    """

    function: str
    result: Callable[..., Result]
    types: str = "BIFCS"  # the kinds of element type that it is asked with
    operands: Callable[[Elements, Shape], tuple[Any, ...]] = one  # tensors and what follows them by place
    # Values of options, the first of each being taken where another option varies; a function of the shape makes them.
    choices: Mapping[str, tuple[Any, ...] | Callable[[Shape], tuple[Any, ...]]] = field(default_factory=dict)
    # Options that belong together, as bounds do, made for a shape; the first are the usual ones, all are asked.
    calls: Callable[[Shape], Sequence[Options]] = no_calls
    constant: Options = field(default_factory=dict)  # options that are always given
    by_place: tuple[str, ...] = ()  # options that follow the operands by place, in this order
    typed: str = ""  # an option that is the element type, for functions without tensors
    sensible: Callable[[Shape, Options], bool] = always  # True for options that fit each other and the shape
    axis: str = ""  # the option that is an axis
    # The form of the parameter: "one", "some" (one or a tuple), "place" and "places" (of the result), each with "or
    # none", too.
    axes: str = "one"
    shape: Shape = (3, 4, 5)  # the usual one
    ranks: tuple[Shape, ...] = ((), (1,), (7,), (2, 3, 4, 5), (2, 3, 1, 2, 4))  # other shapes
    empty: tuple[Shape, ...] = ((0,), (2, 0, 3))
    long: tuple[Shape, ...] | None = None  # by default LONG or LONG_WITH_AXIS
    special: str = "BIFCS"  # the kinds of which `Elements.any` may give NaN, infinities, the least and greatest numbers
    elementwise: bool = False  # each element of the result comes of those at its place
    in_place: tuple[int, ...] = ()  # the operands that may be the output tensor
    numbers: tuple[int | str, ...] = ()  # the operands and options for which a number may stand
    arranged: bool = True  # vary the arrangement of its operands
    out: bool = False  # has an output tensor, if the clauses do not say it
    shared: bool = False  # all its operands may be one tensor; elementwise functions' may

    @property
    def long_shapes(self) -> tuple[Shape, ...]:
        usual = LONG_WITH_AXIS if self.axis else LONG
        return usual if self.long is None else self.long

    def options(self, shape: Shape) -> dict[str, tuple[Any, ...]]:
        """The choices for a shape."""
        return {name: tuple(made(shape)) if callable(made) else made for name, made in self.choices.items()}
