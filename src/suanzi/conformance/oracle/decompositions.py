"""Properties that every right result of decompositions, solvers and norms of matrices has.

A library may return any of many right results. A property therefore compares two arrays, computed in extended
precision from the results and from the matrix. The property also defines the size relative to which the difference is
measured.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from .element_types import Array
from .families import ranks, wide


class Property(NamedTuple):
    """Two arrays that are equal up to rounding if the results are right."""

    says: str  # the fault of the results, if the property does not hold
    found: Array
    wanted: Array
    size: Any  # the scale of the rounding errors for each matrix, or 0 if the results must be exact


Results = list[Array]
Options = Mapping[str, Any]
# A check receives the operands and the results in extended precision.
Check = Callable[[Results, Results, Options], Iterator[Property]]


def hermitian(x: Array) -> Array:
    """Return the conjugate transpose of each matrix."""
    return np.conj(np.swapaxes(x, -1, -2))


def norms(x: Array) -> Any:
    """Return the Frobenius norm of each matrix. Both axes of the matrices remain, with size 1."""
    return np.sqrt((np.abs(x) ** 2).sum((-2, -1), keepdims=True))


def _identity(n: int, like: Array) -> Array:
    return np.broadcast_to(np.eye(n), (*like.shape[:-2], n, n))


def _orthonormal(q: Array, what: str) -> Property:
    return Property(f"{what} are not orthonormal", hermitian(q) @ q, _identity(q.shape[-1], q), 1.0)


def _zeros(x: Array, what: str) -> Property:
    return Property(what, x, np.zeros_like(x), 0)


def _shape(x: Array, wanted: tuple[int, ...], what: str) -> Property:
    return Property(f"{what} has a wrong shape", np.array(x.shape), np.array(wanted), 0)


def _counted(condition: Any, says: str) -> Property:
    """Return a property that holds if a condition is true everywhere."""
    return Property(says, np.asarray(np.all(condition))[None] * 1.0, np.ones(1), 0)


def lu(operands: Results, results: Results, options: Options) -> Iterator[Property]:
    (x,), (p, low, up) = operands, results
    batch, (m, n) = x.shape[:-2], x.shape[-2:]
    yield _shape(p, (*batch, m, m), "P")
    yield _shape(low, (*batch, m, min(m, n)), "L")
    yield _shape(up, (*batch, min(m, n), n), "U")
    yield _counted((p == 0) | (p == 1), "P has elements other than 0 and 1")
    yield _counted((p.sum(-1) == 1) if m else True, "a row of P does not have exactly one 1")
    yield _counted((p.sum(-2) == 1) if m else True, "a column of P does not have exactly one 1")
    yield _zeros(np.triu(low, 1), "L is not lower triangular")
    yield Property("the diagonal of L is not 1", _diagonal(low), np.ones_like(_diagonal(low)), 0)
    yield _zeros(np.tril(up, -1), "U is not upper triangular")
    yield Property("P L U is not the matrix", p @ low @ up, x, norms(x))


def _diagonal(x: Array) -> Array:
    return np.diagonal(x, 0, -2, -1)


def cholesky(operands: Results, results: Results, options: Options) -> Iterator[Property]:
    (x,), (factor,) = operands, results
    yield _shape(factor, x.shape, "the factor")
    low = hermitian(factor) if options.get("upper") else factor
    other = "upper" if options.get("upper") else "lower"
    yield _zeros(np.triu(low, 1), f"the factor is not {other} triangular")
    yield _counted(_diagonal(low).real > 0, "the diagonal of the factor is not positive")
    yield _zeros(_diagonal(low).imag, "the diagonal of the factor is not real")
    yield Property("the factor times its conjugate transpose is not the matrix", low @ hermitian(low), x, norms(x))


def qr(operands: Results, results: Results, options: Options) -> Iterator[Property]:
    (x,), (q, r) = operands, results
    batch, (m, n) = x.shape[:-2], x.shape[-2:]
    k = m if options.get("mode") == "complete" else min(m, n)
    yield _shape(q, (*batch, m, k), "Q")
    yield _shape(r, (*batch, k, n), "R")
    yield _zeros(np.tril(r, -1), "R is not upper triangular")
    yield _orthonormal(q, "the columns of Q")
    yield Property("Q R is not the matrix", q @ r, x, norms(x))


def svd(operands: Results, results: Results, options: Options) -> Iterator[Property]:
    (x,), (u, s, vh) = operands, results
    batch, (m, n) = x.shape[:-2], x.shape[-2:]
    k = min(m, n)
    full = options.get("full_matrices", True)
    yield _shape(u, (*batch, m, m if full else k), "U")
    yield _shape(vh, (*batch, n if full else k, n), "Vh")
    yield from singular_values(operands, [s], options)
    yield _orthonormal(u, "the columns of U")
    yield _orthonormal(hermitian(vh), "the rows of Vh")
    yield Property("U S Vh is not the matrix", (u[..., :k] * s[..., None, :]) @ vh[..., :k, :], x, norms(x))


def singular_values(operands: Results, results: Results, options: Options) -> Iterator[Property]:
    (x, *_), (s,) = operands, results
    yield _shape(s, (*x.shape[:-2], min(x.shape[-2:])), "S")
    yield _counted(s >= 0, "singular values are negative")
    yield _counted(s[..., 1:] <= s[..., :-1], "singular values are not in descending order")
    wanted = np.linalg.svd(_scaled(x)[0], compute_uv=False) * _scaled(x)[1]
    yield Property("the singular values are wrong", s, wanted, norms(x)[..., 0])


def _scaled(x: Array) -> tuple[Array, Any]:
    """Return the matrices in float64 or complex128, divided by a power of two, and the power. NumPy does not
    decompose matrices of long doubles.
    """
    most = float(np.abs(x).max(initial=0))
    power = np.ldexp(np.longdouble(1), int(np.frexp(most)[1]) if most else 0)
    return wide(x / power), power


def inverse(operands: Results, results: Results, options: Options) -> Iterator[Property]:
    (x,), (y,) = operands, results
    yield _shape(y, x.shape, "the inverse")
    size = norms(x) * norms(y)
    yield Property("the matrix times the inverse is not the identity", x @ y, _identity(x.shape[-1], x), size)
    yield Property("the inverse times the matrix is not the identity", y @ x, _identity(x.shape[-1], x), size)


def pseudo_inverse(operands: Results, results: Results, options: Options) -> Iterator[Property]:
    """Check Moore and Penrose's four conditions for the matrix without the singular values that rtol excludes."""
    (x,), (y,) = operands, results
    yield _shape(y, (*x.shape[:-2], x.shape[-1], x.shape[-2]), "the pseudo-inverse")
    a = truncated(x, options.get("rtol"))
    one, other = norms(a), norms(y)
    yield Property("A P A is not A", a @ y @ a, a, one * one * other)
    yield Property("P A P is not P", y @ a @ y, y, other * other * one)
    yield Property("A P is not Hermitian", a @ y, hermitian(a @ y), one * other)
    yield Property("P A is not Hermitian", y @ a, hermitian(y @ a), one * other)


def truncated(x: Array, rtol: float | None) -> Array:
    """Return the matrices with 0 in place of singular values of at most rtol times the greatest singular value."""
    if rtol is None or not x.size:
        return x
    u, s, vh = np.linalg.svd(wide(x), full_matrices=False)
    kept = s * (s > rtol * s.max(-1, keepdims=True))
    return np.asarray(((u * kept[..., None, :]) @ vh).astype(x.dtype))


def determinant(operands: Results, results: Results, options: Options) -> Iterator[Property]:
    (x,), (d,) = operands, results
    yield _shape(d, x.shape[:-2], "the determinant")
    wanted = determinants(x)
    relative = np.abs(wanted) * (_condition(x)[..., 0, 0] if x.size else 1.0)
    yield Property(
        "the determinant is wrong",
        d,
        wanted,
        np.where(wanted == 0, 1.0, np.fmin(1.0, relative / _hadamard(x))) * _hadamard(x),
    )


def determinants(x: Array) -> Array:
    """Return the determinants in extended precision, exact for small integer matrices."""
    if not x.size:
        return np.ones(x.shape[:-2])
    scaled, power = _scaled(x)
    found = np.linalg.det(scaled) * power ** x.shape[-1]
    whole = (x == np.rint(x)).all() and np.abs(found).max() < 2.0**40
    return np.asarray(np.rint(found) if whole else found)


def _hadamard(x: Array) -> Any:
    """Return Hadamard's bound of the determinant. The bound is the product of the lengths of the rows."""
    return np.prod(np.sqrt((np.abs(x) ** 2).sum(-1)), -1)


def sign_and_logarithm(operands: Results, results: Results, options: Options) -> Iterator[Property]:
    (x,), (sign, logarithm) = operands, results
    yield _shape(sign, x.shape[:-2], "the sign")
    yield _shape(logarithm, x.shape[:-2], "the logarithm")
    wanted, size = _slogdet(x) if x.size else (np.ones(x.shape[:-2]), np.zeros(x.shape[:-2]))
    zero = (x == 0).all(-1).any(-1)  # elimination of these matrices ends in an exact 0
    lost = (ranks(x) < x.shape[-1]) & ~zero
    condition = (
        np.where(lost | zero, 1.0, np.linalg.cond(wide(x) + _identity(x.shape[-1], x) * zero[..., None, None]))
        if x.size
        else 1.0
    )
    yield _counted((sign == 0) == zero if not lost.any() else True, "a sign is wrongly 0, or wrongly not 0")
    yield _counted((logarithm == -np.inf)[zero], "the logarithm of 0 is not minus infinity")
    yield Property("the sign is wrong", np.where(lost, 0, sign), np.where(lost, 0, wanted), condition)
    held = zero | lost
    found, right = np.where(held, 0, logarithm), np.where(held, 0, size)
    yield Property("the logarithm is wrong", found, right, np.maximum(np.abs(right), condition))


def _slogdet(x: Array) -> tuple[Array, Array]:
    scaled, power = _scaled(x)
    sign, size = np.linalg.slogdet(scaled)
    return sign, size + x.shape[-1] * np.log(power)


def rank(operands: Results, results: Results, options: Options) -> Iterator[Property]:
    (x,), (r,) = operands, results
    yield _shape(r, x.shape[:-2], "the rank")
    yield Property("the rank is wrong", r, ranks(truncated(x, options.get("rtol"))), 0)


def eigenvalues(operands: Results, results: Results, options: Options) -> Iterator[Property]:
    """Check eigenvalues in any order. The sums of the eigenvalues' powers are the traces of the matrix's powers."""
    (x,), (values, *_) = operands, results
    n = x.shape[-1]
    yield _shape(values, x.shape[:-1], "the eigenvalues")
    power, size = x, norms(x)[..., 0, 0]
    for k in range(1, min(n, 6 if n < 20 else 2) + 1):
        traces = _diagonal(power).sum(-1)
        yield Property(f"the sum of the eigenvalues' powers {k} is wrong", (values**k).sum(-1), traces, k * size**k)
        power = power @ x
    if 0 < n <= 6:
        yield Property(
            "the product of the eigenvalues is not the determinant", values.prod(-1), determinants(x), size**n
        )


def eigenvectors(operands: Results, results: Results, options: Options) -> Iterator[Property]:
    (x,), (values, vectors) = operands, results
    yield from eigenvalues(operands, results, options)
    yield _shape(vectors, x.shape, "the matrix of eigenvectors")
    lengths = np.sqrt((np.abs(vectors) ** 2).sum(-2))
    yield Property("the eigenvectors do not have length 1", lengths, np.ones_like(lengths), 1.0)
    products = x @ vectors
    yield Property("A v is not the eigenvalue times v", products, vectors * values[..., None, :], norms(x))
    if x.size:
        yield _counted(_independence(vectors) >= _least_independence(x), "the eigenvectors are not independent")


def _independence(vectors: Array) -> Array:
    """Return the least singular value of the matrix of eigenvectors."""
    return np.asarray(np.linalg.svd(wide(vectors), compute_uv=False)[..., -1])


def _least_independence(x: Array) -> Array:
    """Return a tenth of the least singular value of NumPy's matrix of eigenvectors. Return 0 if eigenvalues are so
    close that the eigenvectors are uncertain.
    """
    values, vectors = np.linalg.eig(wide(x))
    n = x.shape[-1]
    gaps = np.abs(values[..., :, None] - values[..., None, :]) + np.eye(n) * 1e9
    diagonal = (x * (1 - np.eye(n)) == 0).all((-2, -1))
    apart = diagonal | (gaps.min((-2, -1)) > 0.02 * np.abs(values).max(-1))
    return np.where(apart, _independence(vectors) / 10, 0.0)


def hermitian_eigenvalues(operands: Results, results: Results, options: Options) -> Iterator[Property]:
    (x,), (values, *_) = operands, results
    yield _shape(values, x.shape[:-1], "the eigenvalues")
    yield _counted(values[..., 1:] >= values[..., :-1], "the eigenvalues are not in ascending order")
    scaled, power = _scaled(x)
    yield Property("the eigenvalues are wrong", values, np.linalg.eigvalsh(scaled) * power, norms(x)[..., 0])


def hermitian_eigenvectors(operands: Results, results: Results, options: Options) -> Iterator[Property]:
    (x,), (values, vectors) = operands, results
    yield from hermitian_eigenvalues(operands, results, options)
    yield _shape(vectors, x.shape, "the matrix of eigenvectors")
    yield _orthonormal(vectors, "the eigenvectors")
    yield Property("A v is not the eigenvalue times v", x @ vectors, vectors * values[..., None, :], norms(x))


def solution(operands: Results, results: Results, options: Options) -> Iterator[Property]:
    (a, b), (x,) = operands, results
    columns = b[..., None] if b.ndim == 1 else b
    batch = np.broadcast_shapes(a.shape[:-2], columns.shape[:-2])
    yield _shape(x, (*batch, a.shape[-1]) if b.ndim == 1 else (*batch, a.shape[-1], b.shape[-1]), "the solution")
    y = x[..., None] if b.ndim == 1 else x
    # Each column is measured separately, because each column is a separate system.
    size = norms(a) * np.sqrt((np.abs(y) ** 2).sum(-2, keepdims=True)) + np.sqrt(
        (np.abs(columns) ** 2).sum(-2, keepdims=True)
    )
    yield Property("A x is not b", a @ y, np.broadcast_to(columns, (a @ y).shape), size)


def least_squares(operands: Results, results: Results, options: Options) -> Iterator[Property]:
    (a, b), (x, residuals, found_rank, values) = operands, results
    columns = b[..., None] if b.ndim == 1 else b
    batch, (m, n) = a.shape[:-2], a.shape[-2:]
    yield _shape(x, (*batch, n) if b.ndim == 1 else (*batch, n, b.shape[-1]), "the solution")
    y = x[..., None] if b.ndim == 1 else x
    kept = truncated(a, options.get("rtol"))
    errors = kept @ y - columns
    size = norms(a) * norms(y) + norms(columns)
    normal = hermitian(kept) @ errors
    yield Property("the solution does not minimise the residuals", normal, np.zeros_like(normal), norms(a) * size)
    right, _ = _scaled(kept)
    projector = hermitian(right) @ hermitian(np.linalg.pinv(right, rcond=1e-6)) if a.size else np.zeros((*batch, n, n))
    # The error of x perpendicular to the rows depends on the least singular value that is kept.
    spread = norms(y) * (_condition(kept) if a.size else 1.0)
    yield Property("the solution is not the shortest", projector @ y, y, spread)
    wanted = ranks(kept)
    yield Property("the rank is wrong", found_rank, wanted, 0)
    yield from singular_values([a], [values], options)
    if a.size and m > n and bool((wanted == n).all()):
        squares = (np.abs(a @ y - columns) ** 2).sum(-2)
        shaped = residuals.reshape(squares.shape) if residuals.size == squares.size else residuals
        yield _shape(shaped, squares.shape, "the residuals")
        yield Property("the residuals are wrong", shaped, squares, (size**2)[..., 0])


def _condition(x: Array) -> Any:
    """Return, for each matrix, the greatest singular value divided by the least nonzero singular value."""
    s = np.linalg.svd(_scaled(x)[0], compute_uv=False)
    most = s.max(-1, keepdims=True)
    least = np.where(s > 1e-6 * most, s, most).min(-1, keepdims=True)
    return (np.where(most == 0, 1, most) / np.where(least == 0, 1, least))[..., None]


def matrix_norm(operands: Results, results: Results, options: Options) -> Iterator[Property]:
    (x,), (found,) = operands, results
    keep = bool(options.get("keepdims"))
    wanted = _matrix_norm(x, options.get("ord", "fro"))
    wanted = wanted[..., None, None] if keep else wanted
    yield _shape(found, wanted.shape, "the norm")
    size = norms(x) if keep else norms(x)[..., 0, 0]
    yield Property("the norm is wrong", found, wanted, size)


def _matrix_norm(x: Array, order: Any) -> Array:
    if order == "fro":
        return np.asarray(norms(x)[..., 0, 0])
    if order in (1, -1, np.inf, -np.inf):
        sums = np.abs(x).sum(-2 if abs(order) == 1 else -1)
        return np.asarray(sums.max(-1) if order > 0 else sums.min(-1))
    scaled, power = _scaled(x)
    s = np.linalg.svd(scaled, compute_uv=False)
    return np.asarray((s.sum(-1) if order == "nuc" else s.max(-1) if order == 2 else s.min(-1)) * power)


def vector_norm(operands: Results, results: Results, options: Options) -> Iterator[Property]:
    (x,), (found,) = operands, results
    axis, keep, order = options.get("axis"), bool(options.get("keepdims")), options.get("ord", 2)
    axes = tuple(range(x.ndim)) if axis is None else axis
    size = np.abs(x)
    if order in (np.inf, -np.inf):
        wanted = size.max(axes, keepdims=keep) if order > 0 else size.min(axes, keepdims=keep)
    elif order == 0:
        wanted = (size != 0).sum(axes, keepdims=keep)
    else:
        wanted = (size ** np.longdouble(order)).sum(axes, keepdims=keep) ** (1 / np.longdouble(order))
    yield _shape(found, wanted.shape, "the norm")
    yield Property("the norm is wrong", found, wanted, np.abs(wanted))


def condition_number(operands: Results, results: Results, options: Options) -> Iterator[Property]:
    (x,), (found,) = operands, results
    order = options.get("ord", 2)
    yield _shape(found, x.shape[:-2], "the condition number")
    singular = ranks(x) < x.shape[-1] if x.shape[-1] == x.shape[-2] else np.zeros(x.shape[:-2], bool)
    if singular.any():
        great = 0 if order in (-1, -2, -np.inf) else 1e5
        yield _counted(found[singular] >= great, "the condition number of a singular matrix is small")
        if order in (1, np.inf, "fro"):
            shown = singular & (x == 0).all(-1).any(-1)  # elimination of these matrices ends in an exact 0
            yield _counted(
                np.isinf(found[shown]), "the condition number of a matrix with a row of zeros is not infinite"
            )
        return
    scaled, power = _scaled(x)
    s = np.linalg.svd(scaled, compute_uv=False)
    if order in (2, -2):
        wanted = s.max(-1) / s.min(-1)
        wanted = wanted if order == 2 else 1 / wanted
    else:
        wanted = _matrix_norm(x / power, order) * _matrix_norm(np.linalg.inv(scaled).astype(x.dtype), order)
    # An error in the matrix's last digits is multiplied by the condition number.
    yield Property("the condition number is wrong", found, wanted, np.abs(wanted) * (s.max(-1) / s.min(-1)))
