"""The terms in which operators declare scratch memory: the memory that a call needs besides the results.

Every operator may use `EACH_THREAD` bytes of tiles, the buffers for parts of the operands, for each thread. An operator
that needs more declares the amount as a sum of terms of its parameters, such as ``2 * wide("a") + copy("x")``. The
operator's docstring shows the sum as ``2 * wide(a) + copy(x)``. tests/test_scratch.py compares the memory of calls with
`bound`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from suanzi._core import Tensor

EACH_THREAD = 512 * 1024

WORDS = {
    "wide": "``wide(x)``: the bytes of x in the type of the computation, which has at least 4 bytes per element.",
    "copy": "``copy(x)``: the bytes of x in the type of the computation, or 0 if x is contiguous and of that type.",
    "floats": "``floats(x)``: the bytes of x in floating point: 8 per integer, at least 4 per other element.",
    "recast": "``recast(x)``: the bytes of x in floating point, or 0 if x needs no conversion and is contiguous.",
    "together": "``together(x, y)``: the number of elements of the shape to which x and y broadcast.",
}


class Given(NamedTuple):
    """The data of one call: the parameters by name, including the result, and the number of threads."""

    parameters: Mapping[str, Any]
    threads: int

    def computed_in(self, *, floating: bool) -> int:
        """Return the bytes of the widest element of the call's tensors, at least 4. If `floating` is True, every
        integer counts as 8 bytes.
        """
        tensors = [x for value in self.parameters.values() for x in _tensors(value)]
        return max([4, *(8 if floating and _is_whole(x) else x.dtype.itemsize for x in tensors)])


class Term:
    """An amount that depends on a call's arguments. Sums, products and integer quotients of terms are terms."""

    __slots__ = ("amount", "binding", "text", "words")

    def __init__(
        self, text: str, amount: Callable[[Given], int], *, binding: int = 2, words: frozenset[str] = frozenset()
    ) -> None:
        self.text = text
        self.amount = amount
        self.binding = binding  # precedence of the text: 0 a sum, 1 a product, 2 a name or a number
        self.words = words  # the keys of `WORDS` that the text contains

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<Term {self.text}>"

    def __add__(self, other: Term | int) -> Term:
        return _joined(self, " + ", _term(other), 0, lambda x, y: x + y)

    def __radd__(self, other: int) -> Term:
        return _term(other) + self

    def __mul__(self, other: Term | int) -> Term:
        return _joined(self, " * ", _term(other), 1, lambda x, y: x * y)

    def __rmul__(self, other: int) -> Term:
        return _term(other) * self

    def __floordiv__(self, other: int) -> Term:
        return _joined(self, " // ", _term(other), 1, lambda x, y: x // y)


def _term(value: Term | int) -> Term:
    """Return a term unchanged, or make the term of a number. The text of a large power of two shows the exponent."""
    if isinstance(value, Term):
        return value
    exponent = value.bit_length() - 1
    return Term(f"2**{exponent}" if exponent >= 20 and value == 2**exponent else str(value), lambda _: value)


def _joined(left: Term, sign: str, right: Term, binding: int, join: Callable[[int, int], int]) -> Term:
    # A quotient is not associative: a right operand of equal precedence needs brackets, except after +.
    first = left.text if left.binding >= binding else f"({left.text})"
    second = right.text if right.binding > binding or right.binding == binding == 0 else f"({right.text})"
    return Term(
        first + sign + second,
        lambda given: join(left.amount(given), right.amount(given)),
        binding=binding,
        words=left.words | right.words,
    )


def _read(text: str, name: str, read: Callable[[Any], int]) -> Term:
    """Make the term whose amount is the result of `read` for the argument of the parameter `name`."""
    return Term(text, lambda given: read(given.parameters[name]))


def number(name: str) -> Term:
    """Return the term whose amount is the value of the parameter `name`."""
    return _read(name, name, int)


def size(name: str) -> Term:
    """Return the term of the number of elements of the tensor `name`."""
    return _read(f"{name}.size", name, lambda x: x.size)


def nbytes(name: str) -> Term:
    """Return the term of the bytes of all elements of the tensor `name`."""
    return _read(f"{name}.nbytes", name, lambda x: x.nbytes)


def ndim(name: str) -> Term:
    """Return the term of the rank of the tensor `name`."""
    return _read(f"{name}.ndim", name, lambda x: x.ndim)


def itemsize(name: str) -> Term:
    """Return the term of the bytes of one element of the tensor `name`."""
    return _read(f"{name}.dtype.itemsize", name, lambda x: x.dtype.itemsize)


def last(name: str) -> Term:
    """Return the term of the size of the last axis of the tensor `name`."""
    return _read(f"{name}.shape[-1]", name, lambda x: x.shape[-1])


THREADS = Term("threads", lambda given: given.threads)


def greatest(*terms: Term) -> Term:
    """Return the term of the greatest of several amounts."""
    return Term(
        f"max({', '.join(map(str, terms))})",
        lambda given: max(term.amount(given) for term in terms),
        words=frozenset().union(*(term.words for term in terms)),
    )


def wide(name: str) -> Term:
    """Return the term of the bytes of a parameter's tensors in the type of the computation, at least 4 bytes per
    element.
    """
    return _converted("wide", name, floating=False, always=True)


def copy(name: str) -> Term:
    """Return the term of the bytes of `wide` for only the tensors that need a conversion or a contiguous copy."""
    return _converted("copy", name, floating=False, always=False)


def floats(name: str) -> Term:
    """Return a `Term` for the bytes of a parameter's tensors as floats: 8 per integer, at least 4 per other element."""
    return _converted("floats", name, floating=True, always=True)


def recast(name: str) -> Term:
    """Return the term of the bytes of `floats` for only the tensors that need a conversion or a contiguous copy."""
    return _converted("recast", name, floating=True, always=False)


def _converted(word: str, name: str, *, floating: bool, always: bool) -> Term:
    """Return the term of the bytes of a parameter's tensors in the type of the computation. If `always` is False, only
    the tensors that need a conversion or a contiguous copy count.
    """

    def amount(given: Given) -> int:
        width = given.computed_in(floating=floating)
        return sum(
            x.size * width
            for x in _tensors(given.parameters[name])
            if always or not x.is_contiguous() or x.dtype.itemsize < width or (floating and _is_whole(x))
        )

    return Term(f"{word}({name})", amount, words=frozenset([word]))


def together(x: str, y: str) -> Term:
    """Return the term of the number of elements of the shape to which two tensors broadcast."""

    def amount(given: Given) -> int:
        first, second = (given.parameters[name] for name in (x, y))
        pairs = zip(_aligned(first, second), _aligned(second, first), strict=True)
        return math.prod(max(pair) for pair in pairs)

    return Term(f"together({x}, {y})", amount, words=frozenset(["together"]))


def describe(scratch: Term) -> list[str]:
    """Return the lines of the section Memory in the docstring of an operator that declares the term `scratch`."""
    words = [text for word, text in WORDS.items() if word in scratch.words]
    return [f"Besides the result, the call needs at most ``{scratch}`` bytes, and 512 KiB for each thread.", *words]


def bound(scratch: Term | None, parameters: Mapping[str, Any], threads: int) -> int:
    """Return the bytes that a declaration allows for a call, including tiles.

    `parameters` contains the values that the terms name: tensors, lists of tensors, numbers, None for a missing
    argument, and the result under the name `result`.
    """
    extra = 0 if scratch is None else scratch.amount(Given(parameters, threads))
    return extra + EACH_THREAD * threads


def _tensors(value: Any) -> Iterable[Tensor]:
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, tuple | list):
        for x in value:
            yield from _tensors(x)


def _is_whole(x: Tensor) -> bool:
    return x.dtype.kind in "bui"


def _aligned(x: Tensor, y: Tensor) -> tuple[int, ...]:
    return (1,) * (y.ndim - x.ndim) + x.shape
