"""NumPy's functions of polynomials on tensors: vectors of coefficients, the highest power first.

Each function computes in float64 or complex128, or in int64 if the result has integers, and rounds once. The module
`functions` contains the table of NumPy's functions.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import suanzi
from suanzi import Tensor, _core, array_api
from suanzi.interop.numpy.calculus import convolve
from suanzi.interop.numpy.elements import as_operands, floating_type, rounded
from suanzi.interop.numpy.picking import trim_zeros
from suanzi.operators.composition import widest
from suanzi.tensor.dtypes import DType, as_dtype
from suanzi.tensor.exchange import as_tensor
from suanzi.tensor.messages import shown
from suanzi.tensor.status import DimensionsMismatchError, InvalidArgumentError

# Before NumPy 2, RankWarning was an attribute of the module numpy itself.
_RankWarning: type[Warning] = getattr(np.exceptions, "RankWarning", None) or vars(np)["RankWarning"]


def _vector(name: str, p: Any) -> Tensor:
    """Return the coefficients as a vector. A single number is one coefficient."""
    (x,) = as_operands(name, p if isinstance(p, Tensor) else as_tensor(p, None, name), kinds="buifc")
    if x.ndim > 1:
        raise DimensionsMismatchError(f"{name}: coefficients of shape {x.shape} do not have one dimension")
    return suanzi.reshape(x, -1)


def _in_one_type(*tensors: Tensor) -> tuple[list[Tensor], DType]:
    """Return tensors in a 64-bit or 128-bit computing type, and the tensors' common type."""
    dtype = array_api.result_type(*(x.dtype for x in tensors))
    wide = {"c": suanzi.complex128, "f": suanzi.float64, "u": suanzi.uint64}.get(dtype.kind, suanzi.int64)
    return [suanzi.astype(x, wide, copy=False) for x in tensors], dtype


# --- values and roots ---


def polyval(p: Any, x: Any) -> Tensor:
    """Return the value of a polynomial at each element, by Horner's scheme."""
    name = "numpy.polyval"
    if isinstance(x, np.poly1d):
        raise InvalidArgumentError(f"{name}: a polynomial of polynomials has no counterpart in suanzi")
    points = x if isinstance(x, Tensor) else as_tensor(x, None, name)
    (points,) = as_operands(name, points, kinds="buifc")
    (coefficients, at), dtype = _in_one_type(_vector(name, p), points)
    found = suanzi.zeros_like(at)
    for i in range(coefficients.size):
        found = found * at + coefficients[i]
    return suanzi.astype(found, dtype, copy=False)


def roots(p: Any) -> Tensor:
    """Return the roots of a polynomial, the eigenvalues of the companion matrix. Each coefficient 0 at the end adds a
    root 0.
    """
    given = _vector("numpy.roots", p)
    dtype = floating_type(given) if given.dtype.kind in "fc" else suanzi.float64
    places = suanzi.nonzero(given)[0].tolist()
    if not places:
        return suanzi.empty(0, dtype=suanzi.float64, device=given.device)
    zeros = given.size - places[-1] - 1
    kept = widest(given[places[0] : places[-1] + 1])
    found = suanzi.empty(0, dtype=kept.dtype, device=kept.device)
    if kept.size < 2:
        dtype = suanzi.float64
    else:
        companion = suanzi.diag(suanzi.ones(kept.size - 2, dtype=kept.dtype, device=kept.device), -1)
        companion[0] = -kept[1:] / kept[0]
        found = suanzi.eigvals(companion)
    if found.dtype.kind == "c" and kept.dtype.kind != "c" and bool(suanzi.all(suanzi.imag(found) == 0)):
        found = suanzi.real(found)
    found = suanzi.concat([found, suanzi.zeros(zeros, dtype=found.dtype, device=found.device)], 0)
    if found.dtype.kind == "c" and dtype.kind != "c":
        dtype = suanzi.complex128 if dtype is suanzi.float64 else suanzi.complex64
    return rounded(found, dtype)


def poly(seq_of_zeros: Any) -> Tensor:
    """Return the coefficients of the polynomial with given roots, or of a matrix's characteristic polynomial."""
    name = "numpy.poly"
    given = seq_of_zeros if isinstance(seq_of_zeros, Tensor) else as_tensor(seq_of_zeros, None, name)
    (x,) = as_operands(name, given, kinds="buifc")
    dtype = x.dtype if x.dtype.kind in "fc" and x.dtype is not suanzi.float16 else suanzi.float64
    if x.ndim == 2 and x.shape[0] == x.shape[1] and x.size:
        zeros = suanzi.eigvals(widest(x))
    elif x.ndim < 2:
        zeros = widest(suanzi.reshape(x, -1))
    else:
        raise DimensionsMismatchError(f"{name}: shape {x.shape} is neither a vector nor a square matrix")
    found = suanzi.ones(1, dtype=zeros.dtype, device=zeros.device)
    none = suanzi.zeros_like(found)
    for i in range(zeros.size):
        found = suanzi.concat([found, none], 0) - suanzi.concat([none, found * zeros[i]], 0)
    if found.dtype.kind == "c" and (x.dtype.kind != "c" or _are_conjugate(zeros)):
        found = suanzi.real(found)
        dtype = {suanzi.complex64: suanzi.float32, suanzi.complex128: suanzi.float64}.get(dtype, dtype)
    return rounded(found, dtype)


def _are_conjugate(zeros: Tensor) -> bool:
    found, others = (np.sort(part.numpy()) for part in (zeros, suanzi.conj(zeros)))
    return bool(np.all(found == others))


# --- arithmetic ---


def _of_one_length(name: str, a1: Any, a2: Any) -> list[Tensor]:
    first, second = _vector(name, a1), _vector(name, a2)
    length = max(first.size, second.size)
    return [suanzi.pad(x, (length - x.size, 0)) if x.size < length else x for x in (first, second)]


def polyadd(a1: Any, a2: Any) -> Tensor:
    return suanzi.add(*_of_one_length("numpy.polyadd", a1, a2))


def polysub(a1: Any, a2: Any) -> Tensor:
    return suanzi.subtract(*_of_one_length("numpy.polysub", a1, a2))


def polymul(a1: Any, a2: Any) -> Tensor:
    """Return the product of two polynomials. Zeros at the beginning of the coefficients are removed."""
    first, second = (trim_zeros(_vector("numpy.polymul", a), "f") for a in (a1, a2))
    return convolve(_or_zero(first), _or_zero(second))


def _or_zero(p: Tensor) -> Tensor:
    return p if p.size else suanzi.zeros(1, dtype=p.dtype, device=p.device)


def polydiv(u: Any, v: Any) -> tuple[Tensor, Tensor]:
    """Return the quotient and the remainder of two polynomials."""
    name = "numpy.polydiv"
    dividend, divisor = _vector(name, u), _vector(name, v)
    common = array_api.result_type(dividend.dtype, divisor.dtype)
    dtype = common if common.kind in "fc" else suanzi.float64
    (rest, by), _ = _in_one_type(widest(dividend), widest(divisor))
    if not by.size or bool(by[0] == 0):
        raise InvalidArgumentError(
            f"{name}: the first coefficient of the divisor {shown(by.tolist())} is 0, or missing"
        )
    rest = suanzi.clone(rest)
    count = max(rest.size - by.size + 1, 1)
    quotient = suanzi.zeros(count, dtype=rest.dtype, device=rest.device)
    for i in range(rest.size - by.size + 1):
        share = rest[i] / by[0]
        quotient[i] = share
        rest[i : i + by.size] = rest[i : i + by.size] - share * by
    while rest.size > 1 and bool(suanzi.abs(rest[0]) <= 1e-8):  # close to 0, as in NumPy
        rest = rest[1:]
    return rounded(quotient, dtype), rounded(rest, dtype)


def polyder(p: Any, m: int = 1) -> Tensor:
    """Return the m-th derivative of a polynomial."""
    name = "numpy.polyder"
    m = _order(name, m)
    (found,), dtype = _in_one_type(_vector(name, p))
    for _ in range(m):
        powers = suanzi.arange(max(found.size - 1, 0), 0, -1, dtype=suanzi.int64, device=found.device)
        found = found[:-1] * suanzi.astype(powers, found.dtype)
    return suanzi.astype(found, _times_int64(dtype), copy=False)


def _times_int64(dtype: DType) -> DType:
    """Return the type of products of coefficients and powers. In NumPy, the powers are int64."""
    return dtype if dtype is suanzi.bfloat16 else as_dtype(np.result_type(dtype.numpy, np.int64), "numpy")


def polyint(p: Any, m: int = 1, k: Any = None) -> Tensor:
    """Return the m-th antiderivative of a polynomial, with the constants `k` of each integration, by default 0."""
    name = "numpy.polyint"
    m = _order(name, m)
    given = _vector(name, p)
    constants = suanzi.zeros(m, dtype="float64", device=given.device) if k is None else widest(_vector(name, k))
    if constants.size == 1 and m > 1:
        constants = suanzi.broadcast_to(constants, (m,))
    if constants.size < m:
        raise InvalidArgumentError(f"{name}: {constants.size} constants do not fit {m} integrations")
    if not m:
        return given
    found = widest(given)
    if found.dtype is not constants.dtype:
        found, constants = (suanzi.astype(x, suanzi.complex128, copy=False) for x in (found, constants))
    for i in range(m):
        powers = suanzi.arange(found.size, 0, -1, dtype=suanzi.float64, device=found.device)
        found = suanzi.concat([found / powers, constants[i : i + 1]], 0)
    return found if given.dtype is not suanzi.bfloat16 else rounded(found, given.dtype)


def _order(name: str, m: Any) -> int:
    order = _core.read_integer(name, "m", m)
    if order < 0:
        raise InvalidArgumentError(f"{name}: m = {order} is negative")
    return order


def vander(x: Any, N: int | None = None, increasing: bool = False) -> Tensor:  # noqa: N803
    """Return the powers of each element as a row, in descending order, or in ascending order if `increasing` is
    True.
    """
    name = "numpy.vander"
    (given,) = as_operands(name, x if isinstance(x, Tensor) else as_tensor(x, None, name), kinds="buifc")
    if given.ndim != 1:
        raise DimensionsMismatchError(f"{name}: shape {given.shape} does not have one dimension")
    count = given.size if N is None else _core.read_integer(name, "N", N)
    if count < 0:
        raise InvalidArgumentError(f"{name}: N = {count} is negative")
    (wide,), dtype = _in_one_type(given)
    columns = [suanzi.ones_like(wide)] if count else []
    for _ in range(count - 1):
        columns.append(columns[-1] * wide)
    if not columns:
        return suanzi.empty((given.size, 0), dtype=_times_int64(dtype), device=given.device)
    found = suanzi.stack(columns if increasing else columns[::-1], 1)
    return suanzi.astype(found, _times_int64(dtype), copy=False)


# --- fitting ---


def polyfit(
    x: Any, y: Any, deg: int, rcond: float | None = None, full: bool = False, w: Any = None, cov: Any = False
) -> Any:
    """Fit a polynomial by least squares. The columns of powers are scaled to unit length, and the solution is scaled
    back.
    """
    name = "numpy.polyfit"
    points, values = as_operands(
        name, *(v if isinstance(v, Tensor) else as_tensor(v, None, name) for v in (x, y)), kinds="buifc"
    )
    order = _core.read_integer(name, "deg", deg) + 1
    if order < 1:
        raise InvalidArgumentError(f"{name}: deg = {order - 1} is negative")
    if points.ndim != 1 or values.ndim not in (1, 2) or not points.size or values.shape[0] != points.size:
        raise DimensionsMismatchError(
            f"{name}: shapes {points.shape} and {values.shape} do not fit points and one or more values for each"
        )
    (columns, right), _ = _in_one_type(vander(widest(points), order), widest(values))
    if w is not None:
        weights = widest(as_tensor(w, None, name))
        if weights.shape != points.shape:
            raise DimensionsMismatchError(f"{name}: weights of shape {weights.shape} do not fit {points.size} points")
        columns = columns * suanzi.expand_dims(weights, 1)
        right = right * (suanzi.expand_dims(weights, 1) if right.ndim == 2 else weights)
    if rcond is None:
        rcond = (
            points.size * array_api.finfo(floating_type(points) if points.dtype.kind in "fc" else suanzi.float64).eps
        )
    scale = suanzi.sqrt(suanzi.sum(suanzi.square(suanzi.abs(columns)), 0))
    scale = suanzi.where(scale == 0, 1.0, scale)
    scaled = columns / scale
    fit = suanzi.lstsq(scaled, right, rtol=rcond)
    rank = int(fit.rank)
    solution = fit.solution / (suanzi.expand_dims(scale, 1) if right.ndim == 2 else scale)
    halves = [v.dtype for v in (points, values) if v.dtype is suanzi.bfloat16]
    found = rounded(solution, halves[0]) if halves else solution
    if rank != order and not full:
        warnings.warn("numpy.polyfit: the points do not determine all coefficients", _RankWarning, stacklevel=2)
    unique = rank == order < points.size
    residuals = suanzi.reshape(fit.residuals, -1)[: None if unique else 0]
    if full:
        return found, residuals, rank, fit.singular_values, rcond
    if not cov:
        return found
    return found, _covariances(name, scaled, scale, residuals, points.size, cov, right.ndim)


def _covariances(
    name: str, scaled: Tensor, scale: Tensor, residuals: Tensor, count: int, cov: Any, rank: int
) -> Tensor:
    """Return the covariances of the coefficients. ``cov="unscaled"`` means that the weights are the inverse errors of
    the values.
    """
    order = scale.size
    adjoint = suanzi.conj(scaled) if scaled.dtype.kind == "c" else scaled
    base = suanzi.inv(suanzi.matmul(suanzi.matrix_transpose(adjoint), scaled)) / suanzi.outer(scale, scale)
    if isinstance(cov, str) and cov == "unscaled":
        factor = suanzi.ones(1, dtype=suanzi.float64, device=scale.device)
    else:
        if count <= order:
            raise InvalidArgumentError(f"{name}: {count} points do not determine covariances of {order} coefficients")
        factor = residuals / (count - order)
    return base * factor if rank == 1 else suanzi.expand_dims(base, 2) * factor


ROWS: dict[str, tuple[Callable[..., Any], str]] = {
    "polyval": (polyval, "p/ x"),
    "polyfit": (polyfit, "x/ y/ deg rcond full w cov"),
    "polyadd": (polyadd, "a1/ a2/"),
    "polysub": (polysub, "a1/ a2/"),
    "polymul": (polymul, "a1/ a2/"),
    "polydiv": (polydiv, "u/ v/"),
    "polyder": (polyder, "p/ m"),
    "polyint": (polyint, "p/ m k"),
    "poly": (poly, "seq_of_zeros/"),
    "roots": (roots, "p/"),
    "vander": (vander, "x/ N increasing"),
}
