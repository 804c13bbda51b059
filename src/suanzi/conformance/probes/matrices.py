"""Probes of factorisations, solvers, eigenvalues and norms: properties of the results for matrices of every sort.

A probe makes many calls of an operator with one element type: all sorts of matrices, with every value of the options.
The probe ends at the first property that does not hold, and names the matrix, the options and the property.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from ..inputs import Maker, types
from ..operands import Given, View
from ..oracle import decompositions as properties
from ..oracle import families
from ..oracle.decompositions import Check, Property
from ..oracle.element_types import ELEMENT_TYPES, Array, ElementType, as_extended, exact, floating, real_part
from ..probe import Finding, Probe, Refusal, Scenario
from ..provider import Provider, needed
from ..status import Status

_TENS = 40.0

Options = dict[str, Any]
Operands = tuple[Any, ...]
Row = tuple[str, Operands, Options]
"""A call: a description of its operands, the operands and the options."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """The description of the tests of an operator on matrices: the check of the results, the sorts of matrices, the
    types of the results, and the options.
    """

    check: Check
    sorts: str  # a key of `families.SORTS`
    results: tuple[str, ...]  # types of the results: "floating", "real", "complex" or "int64"
    options: tuple[Options, ...] = ({},)
    scaled: str = "all"  # the badly scaled matrices to test: "all", "alike" (numbers of one size) or "moderate"


_ORDERS = ("fro", "nuc", 1, -1, 2, -2, float("inf"), float("-inf"))
_NORMS = tuple({"ord": order, "keepdims": keep} for order, keep in product(_ORDERS, (False, True)))
_ASKED: dict[str, _Asked] = {
    "lu": _Asked(properties.lu, "any", ("floating",) * 3),
    "cholesky": _Asked(properties.cholesky, "positive", ("floating",), ({}, {"upper": True}, {"upper": False})),
    "qr": _Asked(properties.qr, "any", ("floating",) * 2, ({}, {"mode": "complete"}, {"mode": "reduced"})),
    "svd": _Asked(
        properties.svd,
        "any",
        ("floating", "real", "floating"),
        ({}, {"full_matrices": False}, {"full_matrices": True}),
    ),
    "svdvals": _Asked(properties.singular_values, "any", ("real",)),
    "inv": _Asked(properties.inverse, "regular", ("floating",)),
    "pinv": _Asked(properties.pseudo_inverse, "any", ("floating",)),
    "det": _Asked(properties.determinant, "square", ("floating",), scaled="moderate"),
    "slogdet": _Asked(properties.sign_and_logarithm, "square", ("floating", "real")),
    "matrix_rank": _Asked(properties.rank, "any", ("int64",), scaled="alike"),
    "eig": _Asked(properties.eigenvectors, "square", ("complex", "complex"), scaled="alike"),
    "eigh": _Asked(properties.hermitian_eigenvectors, "Hermitian", ("real", "floating")),
    "eigvals": _Asked(properties.eigenvalues, "square", ("complex",), scaled="alike"),
    "eigvalsh": _Asked(properties.hermitian_eigenvalues, "Hermitian", ("real",)),
    "matrix_norm": _Asked(properties.matrix_norm, "any", ("real",), ({}, *_NORMS)),
    "cond": _Asked(
        properties.condition_number, "square", ("real",), ({}, *({"ord": order} for order in _ORDERS)), "alike"
    ),
}


def _type_of(word: str, t: ElementType) -> ElementType:
    computed = floating(t)
    if word == "complex":
        return ELEMENT_TYPES["complex128" if computed.name in ("float64", "complex128") else "complex64"]
    return {"floating": computed, "real": real_part(computed)}.get(word, ELEMENT_TYPES["int64"])


def holds(
    operator: str,
    t: ElementType,
    words: tuple[str, ...],
    check: Check,
    label: str,
    rows: Callable[[], Iterable[Row]],
    aspect: str = "values",
    telling: bool | None = None,
) -> Scenario:
    """Return a check that makes each call in `rows` and tests properties of the results."""

    def play(provider: Provider) -> Finding:
        former: tuple[list[Any], list[Array]] = [], []
        for name, operands, options in rows():
            call = _Call(provider, operator, operands, options)
            fault = call.fault(t, words, check)
            if fault is None and not _alike(provider, *former):
                fault = Finding("a call changed the result of the call before")
            if fault is not None:
                told = "".join(f", {key}={value!r}" for key, value in options.items())
                return fault._replace(fault=f"of a matrix {name}{told}: {fault.fault}")
            former = call.results, call.arrays
        return Finding(None)

    return Scenario(operator, f"{t.name}, {label}", play, aspect, t.name, telling)


class _Call:
    """A call of an operator: the operands, the results, and the check of the results."""

    def __init__(self, provider: Provider, operator: str, operands: Operands, options: Options) -> None:
        self.provider, self.operands, self.options = provider, operands, options
        self.function, self.given = needed(provider, operator), Given(provider)
        self.made = [self.given(x) for x in operands]
        self.results, self.arrays = self._asked()

    def _asked(self) -> tuple[list[Any], list[Array]]:
        returned = self.function(*self.made, **self.options)
        results = list(returned) if isinstance(returned, tuple | list) else [returned]
        # The results are copied, because a provider's arrays may refer to the provider's own memory.
        return results, [np.array(self.provider.to_numpy(x)) for x in results]

    def fault(self, t: ElementType, words: tuple[str, ...], check: Check) -> Finding | None:
        """Return the finding of the first fault, or None. If a second call on the same tensors returns other bits, the
        method also checks the results of the second call.
        """
        fault = self._other_types(t, words) or self._other_properties(self.arrays, t, check)
        if fault is not None:
            return Finding(fault)
        changed = self.given.changed()
        if changed is not None:
            return Finding(changed, aspect="unchanged")
        _, again = self._asked()
        if all(x.tobytes() == y.tobytes() for x, y in zip(self.arrays, again, strict=True)):
            return None
        fault = self._other_properties(again, t, check)
        return None if fault is None else Finding(f"the second call on the same tensors: {fault}")

    def _other_types(self, t: ElementType, words: tuple[str, ...]) -> str | None:
        if len(self.arrays) != len(words):
            return f"returned {len(self.arrays)} results, not {len(words)}"
        for number, (found, word) in enumerate(zip(self.arrays, words, strict=True)):
            wanted = _type_of(word, t)
            if found.dtype != wanted.numpy:
                return f"result {number} is {found.dtype}, not {wanted.name}"
        return None

    def _other_properties(self, results: list[Array], t: ElementType, check: Check) -> str | None:
        operands = [as_extended(exact(x.array if isinstance(x, View) else x)) for x in self.operands]
        tolerance = _TENS * max([1, *operands[0].shape[-2:]]) * 2.0 ** (1 - floating(t).precision)
        with np.errstate(all="ignore"):
            for held in check(operands, [as_extended(exact(x)) for x in results], self.options):
                if not _same(held, tolerance):
                    return f"{held.says}: {_shown(held.found)} is not {_shown(held.wanted)}"
        return None


def _alike(provider: Provider, results: list[Any], arrays: list[Array]) -> bool:
    """Return whether the results of an earlier call still equal the arrays that were read from these results."""
    return all(np.asarray(provider.to_numpy(x)).tobytes() == y.tobytes() for x, y in zip(results, arrays, strict=True))


def _same(held: Property, tolerance: float) -> bool:
    """Return whether the two arrays of a property are equal up to rounding, relative to the size of each matrix."""
    if held.found.shape != held.wanted.shape:
        return False
    same = held.found == held.wanted
    if np.ndim(held.size) == 0 and held.size == 0:
        return bool(same.all())
    return bool((np.where(same, 0, np.abs(held.found - held.wanted)) <= tolerance * held.size).all())


def _shown(x: Array) -> str:
    text = np.array2string(np.asarray(x), precision=6, threshold=12, edgeitems=2).replace("\n", "")
    return text if len(text) < 160 else f"{text[:157]}…"


def _sorts(operator: str, t: ElementType) -> Iterator[Row]:
    asked = _ASKED[operator]
    for options in asked.options:
        for name, x in families.families(asked.sorts, t):
            if _makes_sense(operator, x, options, t):
                yield name, (x,), options


def _makes_sense(operator: str, x: Array, options: Options, t: ElementType) -> bool:
    """Return whether an operator has a result. A condition number of the nuclear norm needs an inverse, and a
    determinant must fit a 16-bit type.
    """
    if operator == "cond" and options.get("ord") == "nuc":
        return families.is_regular(x)
    return operator != "det" or t.bits > 16 or bool(np.abs(properties.determinants(x)).max() < 2.0**15)


def _batches(operator: str, t: ElementType) -> Iterator[Row]:
    asked = _ASKED[operator]
    for options, (name, x) in product(asked.options, families.batches(asked.sorts, t)):
        if options.get("ord") != "nuc" or operator != "cond" or (families.ranks(x) == x.shape[-1]).all():
            yield name, (x,), options


def _layouts(operator: str, t: ElementType) -> Iterator[Row]:
    """Yield calls on operands in other memory arrangements, which NumPy or the provider's own operators make."""
    asked = _ASKED[operator]
    x = dict(families.batches(asked.sorts, t))["a batch of shape (2, 3)"] if asked.sorts != "any" else _stack(asked, t)
    options = asked.options[-1]
    yield "by columns", (np.swapaxes(np.swapaxes(x, -1, -2).copy(), -1, -2),), options
    yield "with strides of two", (_apart(x),), options
    yield "backwards in memory", (x[::-1, ::-1, ::-1, ::-1].copy()[::-1, ::-1, ::-1, ::-1],), options
    yield "of batches in another order", (x.transpose(1, 0, 2, 3),), options
    one = x[:1, :1]
    shape = (3, 2, *x.shape[2:])
    yield "expanded", (View(one, (("expand", (shape,)),), np.broadcast_to(one, shape)),), options
    turned = np.ascontiguousarray(x.transpose(3, 1, 0, 2))
    yield "transposed", (View(turned, (("transpose", ((2, 1, 3, 0),)),), x),), options


def _stack(asked: _Asked, t: ElementType) -> Array:
    return dict(families.batches("square", t))["a batch of shape (2, 3)"]


def _apart(x: Array) -> Array:
    memory = np.ones([2 * n for n in x.shape], x.dtype)
    view = memory[(slice(None, None, 2),) * x.ndim]
    view[...] = x
    return view


def _plain(rows: Iterable[tuple[str, Array]], options: Iterable[Options]) -> Iterator[Row]:
    return ((name, (x,), given) for (name, x), given in product(list(rows), list(options)))


def _checked(operator: str, available: frozenset[str]) -> Iterator[Probe]:
    asked = _ASKED[operator]
    few = asked.options[:1] + asked.options[-1:] if len(asked.options) > 3 else asked.options
    for t in types(available):
        probe = partial(holds, operator, t, asked.results, asked.check, telling=_telling(t))
        yield probe("all sorts", partial(_sorts, operator, t), telling=_told(t))
        yield probe("batches", partial(_batches, operator, t), "ranks")
        yield probe("layouts", partial(_layouts, operator, t), "layouts")
        yield probe("empty", partial(_empties, operator, t), "empty")
        if t.kind in "FC" and (t.bits > 16 or asked.scaled != "moderate"):
            yield probe("badly scaled", partial(_scaled, operator, t), "boundary values")
        if _is_large(t):
            yield probe("large", partial(_larges, operator, t, few), telling=t.name == "float32")
    yield from _truncating(operator, available)
    yield from _refusals(operator, available)
    yield from _not_numbers(operator, available)


def _telling(t: ElementType) -> bool | None:
    return None if t.kind in "FC" and t.bits in (32, 64) else False


def _told(t: ElementType) -> bool:
    """Return whether the quick profile always includes the probe of all sorts of matrices of a type."""
    return t.kind in "FC" and t.bits > 16


def _is_large(t: ElementType) -> bool:
    """Return whether large matrices of a type are tested."""
    return t.name in ("float32", "float64", "complex64")


def _scaled(operator: str, t: ElementType) -> Iterator[Row]:
    asked = _ASKED[operator]
    made = families.scaled(asked.sorts, t)
    if asked.scaled == "moderate":  # products of all numbers of the matrix are in the type's range
        x = made[2][1]
        made = (("of numbers over 1000", x * x.dtype.type(2**10)), ("of numbers below 1/100", x / x.dtype.type(2**10)))
    # The more the scales of rows and columns differ, the less accurate a result can be.
    return _plain(made[:2] if asked.scaled == "alike" else made, asked.options)


def _larges(operator: str, t: ElementType, options: Iterable[Options]) -> Iterator[Row]:
    """Return calls on large matrices. For `det`, the elements are so small that the determinant is in the type's
    range.
    """
    made = families.large(_ASKED[operator].sorts, t)
    return _plain([(name, x / x.dtype.type(16) if operator == "det" else x) for name, x in made], options)


def _empties(operator: str, t: ElementType) -> Iterator[Row]:
    asked = _ASKED[operator]
    if operator in ("matrix_norm", "cond"):  # for matrices without elements, libraries return different results
        return iter(())
    return _plain(families.empty("any" if asked.sorts == "any" else "square", t), asked.options)


# Relative tolerances that exclude none, one, two and three of the singular values 8, 4, 1 and 1/2.
_TOLERANCES = (0.01, 0.1, 0.3, 0.7)


def _spread(t: ElementType) -> Array:
    """Return a matrix with the singular values 8, 4, 1 and 1/2: a diagonal matrix between two exact reflections."""
    mirror = np.eye(4) - np.ones((4, 4)) / 2
    other = np.eye(4) - np.outer([1, -1, 1, 1], [1, -1, 1, 1]) / 2
    x = mirror @ np.diag([8, 4, 1, 0.5]) @ other
    return np.asarray((x * (0.6 + 0.8j) if t.kind == "C" else x).astype(t.numpy))


def _truncating(operator: str, available: frozenset[str]) -> Iterator[Probe]:
    """Test the tolerance below which singular values count as 0."""
    if operator not in ("pinv", "matrix_rank"):
        return
    asked = _ASKED[operator]
    for t in types(available, "FC"):
        if t.bits >= 32:
            rows = [("of singular values 8, 4, 1, 1/2", (_spread(t),), {"rtol": rtol}) for rtol in _TOLERANCES]
            yield holds(operator, t, asked.results, asked.check, "tolerances", partial(list, rows))


def _refusals(operator: str, available: frozenset[str]) -> Iterator[Probe]:
    asked = _ASKED[operator]
    yield Refusal(operator, "a vector", (np.ones(3, np.float32),), Status.DIMENSIONS_MISMATCH)
    if asked.sorts != "any" and operator != "cond":  # `cond` of order 2 accepts rectangular matrices
        for shape in ((2, 3), (3, 2), (2, 3, 4)):
            yield Refusal(operator, f"not square: {shape}", (np.ones(shape, np.float32),), Status.DIMENSIONS_MISMATCH)
    if operator == "inv":
        yield from _singular(operator, available, lambda x: (x,))
    if operator == "cholesky":
        for name, x in families.families("Hermitian", ELEMENT_TYPES["float32"]):
            if np.linalg.eigvalsh(families.wide(x)).min() < -0.5:
                for upper in (False, True):
                    label = f"a matrix {name}, upper={upper}"
                    yield Refusal(operator, label, (x,), Status.INVALID_ARGUMENT, {"upper": upper})
        yield Refusal(operator, "a matrix of zeros", (np.zeros((3, 3), np.float32),), Status.INVALID_ARGUMENT)


def _singular(operator: str, available: frozenset[str], operands: Callable[[Array], Operands]) -> Iterator[Probe]:
    """Test singular matrices for which elimination is exact."""
    for t in filter(_is_large, types(available)):
        for name, x in families.families("square", t):
            if name in ("of ones", "of zeros", "with a row of zeros", "nilpotent"):
                yield Refusal(operator, f"{t.name}, a matrix {name}", operands(x), Status.INVALID_ARGUMENT)
        batch = np.stack([np.eye(3), np.eye(3) * 2, np.ones((3, 3))]).astype(t.numpy)
        yield Refusal(operator, f"{t.name}, the last of a batch", operands(batch), Status.INVALID_ARGUMENT)


def _not_numbers(operator: str, available: frozenset[str]) -> Iterator[Probe]:
    """Test NaN and infinities in norms that are sums."""
    if operator != "matrix_norm":
        return
    for t in types(available, "FC"):
        x = families.as_element(np.arange(24.0).reshape(2, 3, 4), t)
        for value in (np.nan, np.inf):
            strange = x.copy()
            strange[1, 2, 1] = value
            rows = [(f"with {value}", (strange,), {"ord": order}) for order in ("fro", 1, float("inf"))]
            yield holds(operator, t, ("real",), _strange, f"{value}", partial(list, rows), "boundary values")


def _strange(operands: list[Array], results: list[Array], options: Any) -> Iterator[Property]:
    (x,), (found,) = operands, results
    other = next(properties.matrix_norm([x[:1]], [found[:1]], options))
    yield other
    yield properties.Property("the norm of finite numbers is not", np.isfinite(found[:1]) * 1, np.ones(1), 0)
    wanted = np.isnan(x[1]).any()
    right = np.isnan(found[1:]) if wanted else np.isposinf(found[1:])
    yield properties.Property("the norm is not", right * 1, np.ones(1), 0)


# Systems of equations.


def _right(a: Array, t: ElementType, columns: tuple[int, ...], batch: tuple[int, ...] | None = None) -> Array:
    shape = (*(a.shape[:-2] if batch is None else batch), a.shape[-2], *columns)
    rng = np.random.default_rng((9, *shape))
    b = rng.integers(-5, 6, shape) + (1j * rng.integers(-5, 6, shape) if t.kind == "C" else 0.0)
    return families.as_element(b, t)


_TOLERANT: tuple[Options, ...] = tuple({"rtol": rtol} for rtol in _TOLERANCES)


def _solved(operator: str, t: ElementType) -> Iterator[Row]:
    for name, a in families.families("regular" if operator == "solve" else "any", t):
        for columns in ((), (1,), (3,)):
            yield name, (a, _right(a, t, columns)), {}


def _solved_batches(operator: str, t: ElementType) -> Iterator[Row]:
    for name, a in families.batches("regular" if operator == "solve" else "any", t):
        yield name, (a, _right(a, t, (2,))), {}
        yield f"{name} with one vector for all", (a, _right(a, t, (), ())), {}
        if operator == "solve":
            yield f"{name} with one right-hand side for all", (a, _right(a, t, (2,), ())), {}
            yield f"one for {name} of right-hand sides", (a[(0,) * (a.ndim - 2)], _right(a, t, (2,))), {}


def _solved_layouts(operator: str, t: ElementType) -> Iterator[Row]:
    a = dict(families.batches("regular", t))["a batch of shape (2, 3)"]
    b = _right(a, t, (3,))
    yield "by columns", tuple(np.swapaxes(np.swapaxes(x, -1, -2).copy(), -1, -2) for x in (a, b)), {}
    yield "with strides of two", (_apart(a), _apart(b)), {}
    yield "backwards in memory", tuple(x[..., ::-1, ::-1].copy()[..., ::-1, ::-1] for x in (a, b)), {}
    one = a[:1, :1]
    yield "expanded", (View(one, (("expand", (a.shape,)),), np.broadcast_to(one, a.shape)), b), {}
    yield "that is its own right-hand side", (a, a), {}


def _solved_scaled(operator: str, t: ElementType) -> Iterator[Row]:
    for name, a in families.scaled("regular", t):
        if name == "of numbers of many sizes" and operator == "lstsq":
            continue  # small singular values may count as 0
        yield name, (a, _right(a, t, (2,))), {}


def _solved_empty(operator: str, t: ElementType) -> Iterator[Row]:
    yield "without elements", (np.zeros((0, 0), t.numpy), np.zeros((0, 2), t.numpy)), {}
    yield "of an empty batch", (np.zeros((0, 3, 3), t.numpy), np.zeros((0, 3, 2), t.numpy)), {}
    yield "without right-hand sides", (families.as_element(np.eye(3), t), np.zeros((3, 0), t.numpy)), {}


def _solved_large(operator: str, t: ElementType) -> Iterator[Row]:
    ((name, a),) = families.large("regular", t)
    for columns in ((), (40,)) if operator == "solve" else ((2,),):
        yield name, (a, _right(a, t, columns)), {}
    if operator == "lstsq":
        for name, x in families.large("any", t):
            yield name, (x, _right(x, t, (3,))), {}


def _systems(operator: str, available: frozenset[str]) -> Iterator[Probe]:
    """Test `solve`, and test `lstsq` of systems with one solution, without a solution and with many solutions."""
    check = properties.solution if operator == "solve" else properties.least_squares
    words = ("floating",) if operator == "solve" else ("floating", "real", "int64", "real")
    for t in types(available):
        probe = partial(holds, operator, t, words, check, telling=_telling(t))
        yield probe("all sorts", partial(_solved, operator, t), telling=_told(t))
        yield probe("batches", partial(_solved_batches, operator, t), "ranks")
        yield probe("layouts", partial(_solved_layouts, operator, t), "layouts")
        yield probe("empty", partial(_solved_empty, operator, t), "empty")
        if t.kind in "FC":
            yield probe("badly scaled", partial(_solved_scaled, operator, t), "boundary values")
        if _is_large(t):
            yield probe("large", partial(_solved_large, operator, t), telling=t.name == "float32")
        if t.kind in "FC" and t.bits >= 32 and operator == "lstsq":
            x = _spread(t)
            rows = [("of singular values 8, 4, 1, 1/2", (x, _right(x, t, (2,))), given) for given in _TOLERANT]
            yield probe("tolerances", partial(list, rows))
    yield from _unfit(operator, available)


def _unfit(operator: str, available: frozenset[str]) -> Iterator[Probe]:
    for a, b in (((3, 3), (2, 1)), ((3, 3), (2,)), ((2, 3, 3), (2, 2, 1))):
        unfit = (np.ones(a, np.float32), np.ones(b, np.float32))
        yield Refusal(operator, f"{b} for {a}: other numbers of rows", unfit, Status.DIMENSIONS_MISMATCH)
    if operator == "solve":
        yield from _singular(operator, available, lambda x: (x, np.ones((*x.shape[:-1], 1), x.dtype)))
        wide = (np.ones((2, 3), np.float32), np.ones((2, 1), np.float32))
        yield Refusal(operator, "a matrix that is not square", wide, Status.DIMENSIONS_MISMATCH)


# Norms of vectors.

_POWERS = (2, 1, 0, 3, 0.5, -1, -2, float("inf"), float("-inf"))
_AXES: tuple[Any, ...] = (None, 0, 1, 2, 3, -1, -2, -3, -4, (0, 2), (1, -1), (-2, 0, 3), (0, 1, 2, 3))


def _lengths(t: ElementType) -> Iterator[Row]:
    x = _right(np.zeros((2, 3, 4, 5)), t, (5,), (2, 3))
    x = np.where(x == 0, np.ones_like(x), x) if t.kind in "FC" else x
    for number, (order, axis) in enumerate(product(_POWERS, _AXES)):
        if order > 0 or (x != 0).all():
            options: Options = {"ord": order, "axis": axis, "keepdims": number % 2 == 0}
            yield "of rank 4", (x,), options
            if order == 2:
                yield "of rank 4", (x,), {"axis": axis}
    for shape in ((), (1,), (7,), (2, 3), (2, 1, 2, 1, 2)):
        yield f"of shape {shape}", (families.as_element(np.full(shape, 3.0), t),), {}


def _vector_norm(operator: str, available: frozenset[str]) -> Iterator[Probe]:
    for t in types(available):
        probe = partial(holds, operator, t, ("real",), properties.vector_norm, telling=_telling(t))
        yield probe("orders and axes", partial(_lengths, t), telling=_told(t))
        if t.kind in "FC":
            made = product(families.scaled("any", t), (2, 1, 3, float("inf")))
            rows = [(name, (x,), {"axis": -1, "ord": order}) for (name, x), order in made]
            yield probe("badly scaled", partial(list, rows), "boundary values")
        if t.name in ("float32", "complex64"):
            many = families.as_element(np.arange(2**17 + 3) % 7 - 3.0, t)
            yield probe("large", partial(list, [("of 2^17 + 3 elements", (many,), {})]))
    x32 = np.ones((2, 3), np.float32)
    yield Refusal(operator, "no such axis", (x32,), Status.OUT_OF_RANGE, {"axis": 2})
    yield Refusal(operator, "no such negative axis", (x32,), Status.OUT_OF_RANGE, {"axis": -3})
    yield Refusal(operator, "an axis twice", (x32,), Status.INVALID_ARGUMENT, {"axis": (0, -2)})


PROBES: dict[str, Maker] = {
    **dict.fromkeys(_ASKED, _checked),
    **dict.fromkeys(("solve", "lstsq"), _systems),
    "vector_norm": _vector_norm,
}
