"""NumPy's functions that combine several functions of Suanzi. The module `functions` has the table of NumPy's
functions.
"""

from __future__ import annotations

import math
from itertools import pairwise
from numbers import Number
from string import ascii_lowercase, ascii_uppercase
from typing import Any

import numpy as np

import suanzi
from suanzi import Tensor, _core, array_api, extras
from suanzi.interop.numpy.arguments import element_type, number, operand, written
from suanzi.interop.numpy.elements import beside
from suanzi.interop.numpy.picking import numpys_errors
from suanzi.operators.composition import floating_type, widest
from suanzi.tensor.dtypes import DTypeLike, as_dtype
from suanzi.tensor.exchange import as_tensor
from suanzi.tensor.messages import shown
from suanzi.tensor.status import DimensionsMismatchError, InvalidArgumentError, OutOfRangeError, TypeMismatchError


def where(condition: Any, *choices: Any) -> Any:
    """Return `suanzi.where` of a condition and two choices, or the nonzero positions if there are no choices. NumPy
    determines the type of two numbers, for example int64.
    """
    if not choices:
        return suanzi.nonzero(condition)
    name = "numpy.where"
    if not any(isinstance(choice, Tensor | str) for choice in choices):
        with numpys_errors(name):
            common = as_dtype(np.where(True, *choices).dtype, name)
        choices = tuple(beside([condition], number(name, choice, common)) for choice in choices)
    return suanzi.where(condition, *choices)


def diff(x: Tensor, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> Tensor:
    """Return the differences of neighbouring elements along `axis`. For ``n=0``, return the tensor itself without
    `prepend` and `append`, as NumPy does. A number in `prepend` or `append` has NumPy's type, for example int64.
    """
    first, last = (
        end if end is None or isinstance(end, Tensor) else beside([x], as_tensor(end, None, "numpy.diff"))
        for end in (prepend, append)
    )
    return x if n == 0 else extras.diff(x, n, axis, prepend=first, append=last)


def array_equal(x1: Any, x2: Any, equal_nan: bool = False) -> bool:
    """Return whether the operands have the same shape and elements. If `equal_nan` is True, NaN equals NaN."""
    if suanzi.array_equal(x1, x2):
        return True
    if not equal_nan or np.shape(x1) != np.shape(x2):
        return False
    both_nan = suanzi.logical_and(x1 != x1, x2 != x2)  # only NaN differs from itself
    return bool(suanzi.all(suanzi.logical_or(both_nan, x1 == x2)))


def svd(x: Tensor, full_matrices: bool = True, compute_uv: bool = True) -> Any:
    """Return the singular values and vectors, or only the singular values if `compute_uv` is False."""
    return suanzi.svd(x, full_matrices=full_matrices) if compute_uv else suanzi.svdvals(x)


def is_real(x: Tensor) -> Tensor:
    """Return for each element whether the imaginary part is 0."""
    return suanzi.imag(x) == 0 if x.dtype.kind == "c" else suanzi.ones_like(x, dtype=suanzi.bool)


def is_complex(x: Tensor) -> Tensor:
    return suanzi.logical_not(is_real(x))


def nan_to_num(x: Tensor, copy: bool = True, nan: Any = 0.0, posinf: Any = None, neginf: Any = None) -> Tensor:
    """Replace NaN and infinities by numbers: by default 0 and the type's greatest and least number. If `copy` is False,
    the function changes `x`.
    """
    nan, posinf, neginf = (None if v is None else operand("numpy.nan_to_num", v) for v in (nan, posinf, neginf))
    if x.dtype.kind == "c":
        parts = (nan_to_num(part(x), True, nan, posinf, neginf) for part in (suanzi.real, suanzi.imag))
        finite = suanzi.complex(*parts)
    elif x.dtype.kind == "f":
        limits = array_api.finfo(x.dtype)
        finite = suanzi.where(suanzi.isnan(x), nan, x)
        finite = suanzi.where(x == math.inf, limits.max if posinf is None else posinf, finite)
        finite = suanzi.where(x == -math.inf, limits.min if neginf is None else neginf, finite)
    else:
        finite = suanzi.clone(x)
    if copy:
        return finite
    x[...] = finite
    return x


def sinc(x: Tensor) -> Tensor:
    """Return sin(pi x) / (pi x), or 1 at 0. The function computes in double precision from the distance to the nearest
    integer.
    """
    wide = widest(x)
    nearest = suanzi.rint(suanzi.real(wide) if wide.dtype.kind == "c" else wide)
    sine = suanzi.sin((wide - nearest) * math.pi)
    odd = suanzi.remainder(nearest, 2) != 0
    angle = suanzi.where(wide == 0, 1, wide * math.pi)
    found = suanzi.where(wide == 0, 1, suanzi.where(odd, -sine, sine) / angle + 0)
    return suanzi.astype(found, floating_type(x), copy=False)


_FAR = 20  # the least number for which the asymptotic series of `i0` is as exact as float64


def i0(x: Tensor) -> Tensor:
    """Return the modified Bessel function of the first kind and order 0, computed in float64, within 10 ulp.

    The function uses the power series up to 20, and the asymptotic series beyond (DLMF, https://dlmf.nist.gov, 10.25.2
    and 10.40.1). All terms are positive, so no digits cancel.
    """
    if x.dtype.kind not in "buif":
        raise TypeMismatchError(f"numpy.i0: element type {x.dtype} is not real")
    size = suanzi.abs(suanzi.astype(x, suanzi.float64))
    near, quarter = suanzi.ones_like(size), suanzi.square(suanzi.minimum(size, _FAR)) / 4
    for k in range(50, 0, -1):
        near = near * quarter / k**2 + 1
    far, root = suanzi.ones_like(size), suanzi.maximum(size, _FAR)
    for k in range(30, 0, -1):
        far = far * ((2 * k - 1) ** 2 / (8 * k)) / root + 1
    half = suanzi.exp(root / 2)  # two factors of exp(x / 2), because exp(x) would overflow before the result does
    far = suanzi.where(size == math.inf, size, far / suanzi.sqrt(root * math.tau) * half * half)
    result = suanzi.where(size <= _FAR, near, far)
    return suanzi.astype(result, x.dtype if x.dtype.kind == "f" else suanzi.float32, copy=False)


def _of_numbers(name: str, *operands: Any) -> list[Tensor]:
    """Return the operands as tensors on one device. A number becomes a tensor of NumPy's type for the number."""
    return [x if isinstance(x, Tensor) else beside(operands, as_tensor(x, None, name)) for x in operands]


def lstsq(a: Any, b: Any, rcond: float | None = None) -> tuple[Tensor, ...]:
    """Solve a linear system by least squares. As in NumPy, an `rcond` of -1 means the type's epsilon, and the residuals
    are empty unless `a` has full rank and more rows than columns.
    """
    a, b = _of_numbers("numpy.linalg.lstsq", a, b)
    computed_in = a.dtype if a.dtype.kind in "fc" else suanzi.float32
    fit = suanzi.lstsq(a, b, rtol=array_api.finfo(computed_in).eps if rcond == -1 else rcond)
    unique = int(fit.rank) == a.shape[1] < a.shape[0]
    residuals = suanzi.reshape(fit.residuals, -1)[: None if unique else 0]
    return fit.solution, residuals, fit.rank, fit.singular_values


def interp(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: float | None = None) -> Tensor:
    """Interpolate linearly between the points (xp, fp), in float64. Beyond the points, return `left` or `right`, by
    default the value of the first or the last point.
    """
    x, xp, fp = (v if isinstance(v, Tensor) else as_tensor(v, None, "numpy.interp") for v in (x, xp, fp))
    name = "numpy.interp"
    if period is not None:
        x, xp, fp = _periodic(x, xp, fp, period)
        left = right = None
    left, right = (end.item() if isinstance(end, Tensor | np.ndarray) else end for end in (left, right))
    if fp.dtype.kind != "c":
        return _core.on_lines(name, x, xp, fp, left, right)
    for side, end in (("left", left), ("right", right)):
        if isinstance(end, str) or not isinstance(end, Number | np.generic | None):
            raise TypeMismatchError(f"{name}: {side} = {shown(end)} is not a number")
    parts = ("real", "imag")
    with numpys_errors(name):
        ends = [[None if end is None else getattr(complex(end), part) for end in (left, right)] for part in parts]
    values = [getattr(suanzi, part)(fp) for part in parts]
    real, imag = (_core.on_lines(name, x, xp, v, *e) for v, e in zip(values, ends, strict=True))
    return suanzi.complex(real, suanzi.where(suanzi.isnan(x), 0, imag))


def _periodic(x: Tensor, xp: Tensor, fp: Tensor, period: float) -> tuple[Tensor, ...]:
    """Return the positions `x` within one period, and the points `xp` and `fp` in order. A copy of the last point
    precedes the first point, and a copy of the first point follows the last point.
    """
    with numpys_errors("numpy.interp"):
        period = abs(float(period))
    if period == 0 or xp.ndim != 1 or xp.shape != fp.shape:
        raise InvalidArgumentError(
            f"numpy.interp: period {shown(period)} is 0, or {xp.shape} and {fp.shape} are not vectors of one length"
        )
    x, xp = (suanzi.remainder(suanzi.astype(v, suanzi.float64), period) for v in (x, xp))
    order = suanzi.argsort(xp)
    xp, fp = suanzi.take(xp, order, 0), suanzi.take(fp, order, 0)
    return x, suanzi.concat([xp[-1:] - period, xp, xp[:1] + period]), suanzi.concat([fp[-1:], fp, fp[:1]])


# --- products and parts of matrices ---

_LETTERS = ascii_uppercase + ascii_lowercase  # in the order of NumPy's labels 0, 1, 2, …


def einsum(
    *operands: Any,
    out: Any = None,
    optimize: Any = None,
    order: Any = None,
    casting: str = "same_kind",
    dtype: Any = None,
) -> Any:
    """Return `suanzi.einsum` of the operands. A list of labels may follow each operand, and a list of the labels of the
    result may follow all operands, in place of a string. NumPy's options `optimize` and `order` have no effect.
    """
    name = "numpy.einsum"
    if operands and not isinstance(operands[0], str):
        terms = ",".join(_term(name, labels) for labels in operands[1::2])
        result = f"->{_term(name, operands[-1])}" if len(operands) % 2 else ""
        operands = (terms + result, *operands[: len(operands) // 2 * 2 : 2])
    subscripts, *factors = operands or ("",)
    tensors = [operand(name, x) for x in factors]
    if dtype is not None:
        wanted = element_type(name, dtype)
        tensors = [suanzi.astype(x, wanted, copy=False) if isinstance(x, Tensor) else x for x in tensors]
    return written(name, lambda **_: suanzi.einsum(subscripts, *tensors), out, fits=False, casting=casting)


def _term(name: str, labels: Any) -> str:
    """Return a list of labels, which are integers and `...`, as letters and dots."""
    try:
        found = [label if label is ... else _core.read_integer(name, "label", label) for label in labels]
    except TypeError:
        raise TypeMismatchError(f"{name}: the labels {shown(labels)} are not a list of integers") from None
    if outside := [label for label in found if label is not ... and not 0 <= label < len(_LETTERS)]:
        raise OutOfRangeError(f"{name}: label {outside[0]} is outside [0, {len(_LETTERS)})")
    return "".join("..." if label is ... else _LETTERS[label] for label in found)


def matrix_diagonal(x: Tensor, offset: int = 0) -> Tensor:
    return suanzi.diagonal(x, offset, -2, -1)


def matrix_trace(x: Tensor, offset: int = 0, dtype: Any = None) -> Tensor:
    return suanzi.sum(matrix_diagonal(x, offset), -1, dtype=dtype)


def multi_dot(arrays: Any) -> Tensor:
    """Multiply matrices in the order with the fewest multiplications. The first and the last operand may be vectors."""
    name = "numpy.linalg.multi_dot"
    parts = [as_tensor(x, None, name) for x in arrays]
    if len(parts) < 2:
        raise InvalidArgumentError(f"{name}: {len(parts)} matrices have no product")
    for i, part in enumerate(parts):
        if part.ndim != 2 and not (part.ndim == 1 and i in (0, len(parts) - 1)):
            raise DimensionsMismatchError(f"{name}: shape {part.shape} is not the shape of a matrix")
    first, last = parts[0].ndim == 1, parts[-1].ndim == 1
    parts[0] = suanzi.reshape(parts[0], (1, -1)) if first else parts[0]
    parts[-1] = suanzi.reshape(parts[-1], (-1, 1)) if last else parts[-1]
    for before, after in pairwise(parts):
        if before.shape[1] != after.shape[0]:
            raise DimensionsMismatchError(f"{name}: shapes {before.shape} and {after.shape} do not fit each other")
    found = _product(parts, _best_cuts([x.shape[0] for x in parts] + [parts[-1].shape[1]]), 0, len(parts) - 1)
    shape = (() if first else found.shape[:1]) + (() if last else found.shape[1:])
    return suanzi.reshape(found, shape)


def _best_cuts(sizes: list[int]) -> dict[tuple[int, int], int]:
    """Return the factor after which the product of the factors i to j is split, for each pair (i, j). The splits need
    the fewest multiplications (dynamic programming).
    """
    count = len(sizes) - 1
    costs = {(i, i): 0 for i in range(count)}
    cuts: dict[tuple[int, int], int] = {}
    for length in range(1, count):
        for i in range(count - length):
            j = i + length
            cost, cut = min(
                (costs[i, k] + costs[k + 1, j] + sizes[i] * sizes[k + 1] * sizes[j + 1], k) for k in range(i, j)
            )
            costs[i, j], cuts[i, j] = cost, cut
    return cuts


def _product(parts: list[Tensor], cuts: dict[tuple[int, int], int], i: int, j: int) -> Tensor:
    if i == j:
        return parts[i]
    return suanzi.matmul(_product(parts, cuts, i, cuts[i, j]), _product(parts, cuts, cuts[i, j] + 1, j))


def tensorinv(a: Tensor, ind: int = 2) -> Tensor:
    """Return the inverse of `a`. `a` is a linear map from its last axes to its first `ind` axes."""
    name = "numpy.linalg.tensorinv"
    ind = _core.read_integer(name, "ind", ind)
    if ind <= 0:
        raise InvalidArgumentError(f"{name}: ind = {ind} is not greater than 0")
    rows = math.prod(a.shape[ind:])
    return suanzi.reshape(suanzi.inv(suanzi.reshape(a, (rows, -1))), a.shape[ind:] + a.shape[:ind])


def tensorsolve(a: Any, b: Any, axes: Any = None) -> Tensor:
    """Return the tensor x whose product with `a`, along all axes of x, is `b`."""
    name = "numpy.linalg.tensorsolve"
    a, b = _of_numbers(name, a, b)
    if axes is not None:
        last = _core.read_axes(name, tuple(axes), a.ndim)
        a = suanzi.permute_dims(a, (*(i for i in range(a.ndim) if i not in last), *last))
    shape = a.shape[b.ndim :]
    if math.prod(shape) != math.prod(a.shape[: b.ndim]) or math.prod(shape) ** 2 != a.size:
        raise DimensionsMismatchError(f"{name}: shape {a.shape} does not form a square map from {shape} to {b.shape}")
    size = math.prod(shape)
    return suanzi.reshape(suanzi.solve(suanzi.reshape(a, (size, size)), suanzi.reshape(b, -1)), shape)


def astype(x: Tensor, dtype: DTypeLike, copy: bool = True) -> Tensor:
    return suanzi.astype(x, element_type("numpy.astype", dtype), copy=bool(copy))
