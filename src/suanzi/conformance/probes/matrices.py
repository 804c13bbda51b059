"""The probes of factorisations, solvers, eigenvalues and norms: results are put together again and compared.

Many results are right; which one a library gives is its own affair. So each probe multiplies what it was given, in
extended precision, and holds the difference to some tens of units in the last place of the type that was computed in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from ..inputs import Maker, types
from ..oracle.compare import exactly
from ..oracle.element_types import Array, ElementType, as_extended, exact, floating
from ..probe import Probe, Refusal, Scenario, Value
from ..provider import Provider, needed
from ..status import Status

# A check says how large the errors of a result are, beside the sizes of what was computed with.
Results = list[Array]
Check = Callable[[Array, Results], Iterator[tuple[Array, Any]]]

_TENS = 40.0


def _transposed(x: Array) -> Array:
    return np.conj(np.swapaxes(x, -1, -2))


def _matrix(t: ElementType, shape: tuple[int, ...]) -> Array:
    """Hermitian and positive definite where it is square, of numbers that every type has exactly."""
    rng = np.random.default_rng(7)
    if t.kind == "B":
        return np.broadcast_to(np.eye(shape[-2], shape[-1]) == 1, shape).copy()
    x = rng.integers(0, 2, shape).astype(np.float64)
    if t.kind == "C":
        x = x + 1j * rng.integers(0, 2, shape)
    if shape[-1] == shape[-2]:
        x = np.tril(x, -1) + _transposed(np.tril(x, -1)) + np.eye(shape[-1]) * 2 * shape[-1]
    return np.asarray(x.astype(t.numpy))


def _norm(x: Array) -> Any:
    return np.sqrt((np.abs(x) ** 2).sum((-2, -1), keepdims=True))


def _orthonormal(q: Array) -> tuple[Array, Any]:
    return _transposed(q) @ q, np.broadcast_to(np.eye(q.shape[-1]), (*q.shape[:-2], q.shape[-1], q.shape[-1]))


def _lu(x: Array, results: Results) -> Iterator[tuple[Array, Any]]:
    p, low, up = results
    yield p @ low @ up, x
    yield np.triu(low, 1), np.zeros_like(low)
    yield np.tril(up, -1), np.zeros_like(up)


def _cholesky(x: Array, results: Results) -> Iterator[tuple[Array, Any]]:
    (low,) = results
    yield low @ _transposed(low), x
    yield np.triu(low, 1), np.zeros_like(low)


def _qr(x: Array, results: Results) -> Iterator[tuple[Array, Any]]:
    q, r = results
    yield q @ r, x
    yield _orthonormal(q)
    yield np.tril(r, -1), np.zeros_like(r)


def _svd(x: Array, results: Results) -> Iterator[tuple[Array, Any]]:
    u, s, vh = results
    k = s.shape[-1]
    yield (u[..., :k] * s[..., None, :]) @ vh[..., :k, :], x
    yield _orthonormal(u)
    yield _orthonormal(_transposed(vh))


def _inverse(x: Array, results: Results) -> Iterator[tuple[Array, Any]]:
    yield x @ results[0] @ x, x


def _eigen(x: Array, results: Results) -> Iterator[tuple[Array, Any]]:
    values, vectors = results
    yield x @ vectors, vectors * values[..., None, :]


def _scalars(reference: Callable[[Array], Any], x: Array, results: Results) -> Iterator[tuple[Array, Any]]:
    yield results[0][..., None, None], np.asarray(reference(x))[..., None, None]


def _vectors(reference: Callable[[Array], Any], x: Array, results: Results) -> Iterator[tuple[Array, Any]]:
    order = np.argsort(np.abs(results[0]), -1)
    yield np.take_along_axis(results[0], order, -1)[..., None], np.asarray(reference(x))[..., None]


def _determinant(x: Array) -> Any:
    return np.linalg.det(x.astype(np.complex128))


def _singular_values(x: Array) -> Any:
    return np.sort(np.linalg.svd(x.astype(np.complex128), compute_uv=False), -1)


def _frobenius(x: Array) -> Any:
    return _norm(x)[..., 0, 0]


def _condition(x: Array) -> Any:
    values = _singular_values(x)
    return values[..., -1] / values[..., 0]


_SQUARE = ((3, 3), (2, 5, 5), (20, 20))
_ANY = (*_SQUARE, (4, 2), (2, 3, 4))
_CHECKS: dict[str, tuple[Check, tuple[tuple[int, ...], ...]]] = {
    "lu": (_lu, _ANY),
    "cholesky": (_cholesky, _SQUARE),
    "qr": (_qr, _ANY),
    "svd": (_svd, _ANY),
    "svdvals": (partial(_vectors, _singular_values), _ANY),
    "inv": (_inverse, _SQUARE),
    "pinv": (_inverse, _ANY),
    "det": (partial(_scalars, _determinant), ((3, 3), (2, 4, 4))),
    "slogdet": (partial(_scalars, lambda x: np.ones(x.shape[:-2])), _SQUARE),
    "matrix_rank": (partial(_scalars, lambda x: np.linalg.matrix_rank(x.astype(np.complex128))), _ANY),
    "eig": (_eigen, _SQUARE),
    "eigh": (_eigen, _SQUARE),
    "eigvals": (partial(_vectors, _singular_values), _SQUARE),
    "eigvalsh": (partial(_vectors, _singular_values), _SQUARE),
    "matrix_norm": (partial(_scalars, _frobenius), _ANY),
    "vector_norm": (partial(_scalars, lambda x: np.sqrt((np.abs(x) ** 2).sum())), _ANY),
    "cond": (partial(_scalars, _condition), _SQUARE),
}


def _fault(provider: Provider, given: Results, t: ElementType, results: Any, check: Check) -> str | None:
    found = [as_extended(exact(provider.to_numpy(r))) for r in (results if isinstance(results, tuple) else (results,))]
    x = as_extended(exact(given[0]))
    unit = 2.0 ** (1 - floating(t).precision)
    for left, right in check(x, found):
        bound = _TENS * max(x.shape[-2:]) * unit * np.maximum(_norm(x), _norm(np.asarray(right)))
        if left.shape != np.shape(right):
            return f"shape {left.shape}, not {np.shape(right)}"
        if not (_norm(left - right) <= bound).all():
            return f"{left} is not {right}"
    return None


def _probe(operator: str, given: Results, t: ElementType, check: Check, label: str) -> Probe:
    def play(provider: Provider) -> str | None:
        function = needed(provider, operator)
        results = function(*map(provider.from_numpy, given))
        return _fault(provider, given, t, results, check)

    return Scenario(operator, label, play, element_type=t.name)


def _checked(operator: str, available: frozenset[str]) -> Iterator[Probe]:
    check, shapes = _CHECKS[operator]
    for t in types(available):
        for shape in shapes:
            x = _matrix(t, shape)
            yield _probe(operator, [x], t, check, f"{t.name} {shape}")
        yield _probe(operator, [_matrix(t, (4, 4))[::-1, ::-1]], t, check, f"{t.name}, negative strides")
    if operator == "matrix_norm":
        kept = exactly(np.full((1, 1), 5, np.float32))
        yield Value(operator, "keepdims", (np.diag([3, 4]).astype(np.float32),), kept, {"keepdims": True})
    if operator != "vector_norm":
        yield Refusal(operator, "a vector", (np.ones(3, np.float32),), Status.DIMENSIONS_MISMATCH)
    if shapes is not _ANY and operator != "cond":  # whose order 2 has no need of it
        yield Refusal(operator, "not square", (np.ones((2, 3), np.float32),), Status.DIMENSIONS_MISMATCH)
    if operator in ("inv", "cholesky"):
        yield Refusal(operator, "a singular matrix", (np.zeros((2, 2), np.float32),), Status.INVALID_ARGUMENT)


def _systems(operator: str, available: frozenset[str]) -> Iterator[Probe]:
    """`solve` and `lstsq` of systems that have one solution."""
    for t in types(available):
        for shape in _SQUARE:
            a, b = _matrix(t, shape), _matrix(t, (*shape[:-1], 2))
            right = as_extended(exact(b))

            def check(x: Array, results: Results, right: Array = right) -> Iterator[tuple[Array, Any]]:
                yield x @ results[0], right

            yield _probe(operator, [a, b], t, check, f"{t.name} {shape}")
    unfit = (np.ones((3, 3), np.float32), np.ones((2, 1), np.float32))
    yield Refusal(operator, "other numbers of rows", unfit, Status.DIMENSIONS_MISMATCH)
    if operator == "solve":
        singular = (np.ones((2, 2), np.float32), np.ones((2, 1), np.float32))
        yield Refusal(operator, "a singular matrix", singular, Status.INVALID_ARGUMENT)


PROBES: dict[str, Maker] = {**dict.fromkeys(_CHECKS, _checked), **dict.fromkeys(("solve", "lstsq"), _systems)}
