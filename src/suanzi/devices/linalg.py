"""Factorisations, systems of equations, eigenvalues and norms on devices, computed by PyTorch.

Results have suanzi's element types, and errors have suanzi's statuses. Integers are computed in float64. float16 and
bfloat16 are computed in float32. The device checks that operands are finite or that matrices are invertible, and the
call waits for the result of the check.
"""

from __future__ import annotations

from math import inf, nan
from typing import Any

import torch

from suanzi import _core, tuning
from suanzi.devices import front
from suanzi.devices.reductions import _norm2
from suanzi.devices.table import finished, rows, wider
from suanzi.devices.tensor import DeviceTensor, made
from suanzi.devices.types import HALVES, TORCH, converted, stored
from suanzi.kinds.call import Call
from suanzi.operators.creation.filled import full
from suanzi.operators.creation.matrices import eye
from suanzi.operators.linalg.eigenvalues import EighResult, EigResult
from suanzi.operators.linalg.factorisations import LUResult, PackedLUResult, QRResult, SVDResult
from suanzi.operators.linalg.solvers import LstsqResult, SlogdetResult
from suanzi.tensor.device import CPU, Device
from suanzi.tensor.dtypes import DType
from suanzi.tensor.status import InvalidArgumentError, OutOfRangeError, SuanziError


def regular(x: DeviceTensor, shape: tuple[int, ...]) -> Any:
    """Return a stand-in of a given shape for `x`: identity matrices, or equal elements if `x` has fewer than two
    dimensions.
    """
    if x.ndim < 2:
        return _core.expand(front.one_of(x.dtype), shape)
    return _core.expand(eye(shape[-2], shape[-1], dtype=x.dtype, device=CPU), shape)


def facts(call: Call) -> Any:
    """Return the type of each result of a call, and the shape of the result for the stand-ins. Raise the CPU's errors
    for types and shapes.

    If an operand is large, the stand-ins are small matrices whose sizes are in the same order as the sizes of the
    operands.
    """

    def ask() -> Any:
        tensors = list(front.on_devices(call))
        large = any(x.size > tuning.MOST_MATRIX for x in tensors)
        extents = sorted({n for x in tensors for n in x.shape if n > 1}) if large else []
        small = {n: 2 + i for i, n in enumerate(extents)}

        def stand_in(x: DeviceTensor) -> Any:
            return regular(x, tuple([small.get(n, n) for n in x.shape]))

        try:
            return front.facts(front.with_stand_ins(call, stand_in))
        except SuanziError:
            front.with_stand_ins(call, front.spread)  # the call raises the error for the true shapes
            raise

    return front.kept("matrix", call, ask)


def working(x: DeviceTensor, *others: DeviceTensor) -> torch.Tensor:
    """Return the elements of `x` in the type in which a matrix operation of `x` and `others` computes."""
    kinds = {TORCH[y.dtype] for y in (x, *others)}
    t = x.data
    if any(k.is_complex for k in kinds):
        double = any(k is torch.complex128 or k is torch.float64 or _is_whole(k) for k in kinds)
        return converted(t, torch.complex128 if double else torch.complex64)
    if any(k is torch.float64 or _is_whole(k) for k in kinds):
        return converted(t, torch.float64)
    return converted(t, torch.float32)


def _is_whole(dtype: torch.dtype) -> bool:
    return not dtype.is_floating_point and not dtype.is_complex


def _finite(call: Call, *operands: torch.Tensor) -> None:
    """Raise the CPU's error if an element of `operands` is not finite."""
    if all(bool(torch.isfinite(t).all()) for t in operands):
        return
    bad = full((1, 1), float("nan"), dtype="float64", device=CPU)
    named = {name: front.mapped(getattr(call, name), lambda given: bad) for name in call.record.operands}
    call.builtin(*call.replaced(**named))
    raise InvalidArgumentError(f"{call.name}: an element is not finite")


def _all(results: Any, types: Any, device: Device) -> list[Any]:
    """Return all results of a call in the given types and in row-major order, as on the CPU."""
    return [
        made(stored(converted(t, TORCH[dtype]), TORCH[dtype]).contiguous(), device, dtype)
        for t, (dtype, _) in zip(results, types, strict=True)
    ]


def _one(call: Call, t: torch.Tensor, dtype: DType, device: Device) -> Any:
    return finished(call, converted(t, TORCH[dtype]).contiguous(), device, dtype)


def _failure(info: torch.Tensor) -> tuple[str, int] | None:
    """Return the text that names the first matrix whose factorisation failed, and the index of the failed pivot.
    `info` has LAPACK's number for each matrix, which is 0, or the number of the failed pivot counted from 1.
    """
    numbers = info.reshape(-1)
    failed = torch.nonzero(numbers)
    if not failed.numel():
        return None
    matrix = int(failed[0, 0])
    return f" {matrix} of the batch" if info.ndim else "", int(numbers[matrix]) - 1


def _singular(call: Call, info: torch.Tensor) -> None:
    """Raise INVALID_ARGUMENT if a factorisation has a pivot of 0."""
    if (failure := _failure(info)) is not None:
        matrix, pivot = failure
        raise InvalidArgumentError(f"{call.name}: matrix{matrix} is singular: pivot {pivot} is 0")


@rows("trace", out=True)
def trace(call: Call, device: Device) -> Any:
    dtype, _ = front.kept(
        "trace", call.replaced(out=None), lambda: front.facts(front.with_stand_ins(call, front.spread))
    )
    dtype = wider(call, dtype) or dtype
    there = TORCH[dtype]
    t = torch.diagonal(call.x.data, call.offset, -2, -1)
    from suanzi.devices.types import brought

    t = brought(t, torch.float32 if there in HALVES else there)
    return finished(call, torch.sum(t, -1, dtype=t.dtype), device, dtype)


@rows("cholesky")
def cholesky(call: Call, device: Device) -> Any:
    dtype, _ = facts(call)
    found, info = torch.linalg.cholesky_ex(working(call.x), upper=bool(call.upper))
    if (failure := _failure(info)) is not None:
        matrix, pivot = failure
        raise InvalidArgumentError(
            f"{call.name}: matrix{matrix} is not positive definite: pivot {pivot} is not positive"
        )
    return _one(call, found, dtype, device)


@rows("lu")
def lu(call: Call, device: Device) -> Any:
    types = facts(call)
    t = working(call.x)
    if call.packed:
        packed, pivots, _ = torch.linalg.lu_factor_ex(t)
        return PackedLUResult(*_all((packed, pivots.to(torch.int64) - 1), types, device))
    return LUResult(*_all(torch.linalg.lu(t), types, device))


@rows("qr")
def qr(call: Call, device: Device) -> Any:
    types = facts(call)
    q, r = torch.linalg.qr(working(call.x), call.mode)
    if q.numel():  # LAPACK does not use the last reflector of a real square matrix, even if the reflector is NaN
        pivots = torch.diagonal(r, dim1=-2, dim2=-1).unsqueeze(-2)
        columns = q[..., : pivots.shape[-1]]
        columns.copy_(torch.where(torch.isnan(pivots), pivots, columns))
    return QRResult(*_all((q, r), types, device))


@rows("svd")
def svd(call: Call, device: Device) -> Any:
    types = facts(call)
    t = working(call.x)
    _finite(call, t)
    return SVDResult(*_all(torch.linalg.svd(t, full_matrices=bool(call.full_matrices)), types, device))


@rows("svdvals")
def svdvals(call: Call, device: Device) -> Any:
    dtype, _ = facts(call)
    t = working(call.x)
    _finite(call, t)
    return _one(call, torch.linalg.svdvals(t), dtype, device)


@rows("eig")
def eig(call: Call, device: Device) -> Any:
    types = facts(call)
    t = working(call.x)
    _finite(call, t)
    return EigResult(*_all(torch.linalg.eig(t), types, device))


@rows("eigvals")
def eigvals(call: Call, device: Device) -> Any:
    dtype, _ = facts(call)
    t = working(call.x)
    _finite(call, t)
    return _one(call, torch.linalg.eigvals(t), dtype, device)


@rows("eigh")
def eigh(call: Call, device: Device) -> Any:
    types = facts(call)
    t = working(call.x)
    _finite(call, t)
    return EighResult(*_all(torch.linalg.eigh(t), types, device))


@rows("eigvalsh")
def eigvalsh(call: Call, device: Device) -> Any:
    dtype, _ = facts(call)
    t = working(call.x)
    _finite(call, t)
    return _one(call, torch.linalg.eigvalsh(t), dtype, device)


@rows("solve")
def solve(call: Call, device: Device) -> Any:
    dtype, _ = facts(call)
    a, b = working(call.a, call.b), working(call.b, call.a)
    vector = call.b.ndim == 1
    found, info = torch.linalg.solve_ex(a, b.unsqueeze(-1) if vector else b)
    _singular(call, info)
    return _one(call, found.squeeze(-1) if vector else found, dtype, device)


@rows("inv")
def inv(call: Call, device: Device) -> Any:
    dtype, _ = facts(call)
    found, info = torch.linalg.inv_ex(working(call.x))
    _singular(call, info)
    return _one(call, found, dtype, device)


@rows("det")
def det(call: Call, device: Device) -> Any:
    dtype, _ = facts(call)
    return _one(call, torch.linalg.det(working(call.x)), dtype, device)


@rows("slogdet")
def slogdet(call: Call, device: Device) -> Any:
    """Return signs and logarithms of determinants. PyTorch's sign of a determinant that is NaN may be a number."""
    types = facts(call)
    sign, size = torch.linalg.slogdet(working(call.x))
    wrong = torch.full_like(sign, complex(nan, nan) if sign.is_complex() else nan)
    return SlogdetResult(*_all((torch.where(torch.isnan(size), wrong, sign), size), types, device))


def _tolerance(call: Call, t: torch.Tensor, epsilon: torch.dtype) -> torch.Tensor:
    """Return a bound for each matrix. Singular values of less than the bound times the greatest singular value count as
    0.
    """
    if call.rtol is None:
        relative = torch.finfo(epsilon).eps * max(t.shape[-2:])
        return torch.tensor(relative, dtype=torch.float64, device=t.device)
    if type(call.rtol) is DeviceTensor:
        bound = converted(call.rtol.data, torch.float64)
        if wrong := [x for x in bound.flatten().tolist() if not x >= 0]:
            raise OutOfRangeError(f"{call.name}: rtol {wrong[0]:g} is not a number of at least 0")
        return bound
    return torch.tensor(float(call.rtol), dtype=torch.float64, device=t.device)


def _kept(s: torch.Tensor, tolerance: torch.Tensor) -> torch.Tensor:
    if not s.shape[-1]:
        return s > 0
    return s.to(torch.float64) > tolerance.unsqueeze(-1) * torch.amax(s, -1, True).to(torch.float64)


@rows("pinv")
def pinv(call: Call, device: Device) -> Any:
    dtype, _ = facts(call)
    t = working(call.x)
    _finite(call, t)
    u, s, vh = torch.linalg.svd(t, full_matrices=False)
    kept = _kept(s, _tolerance(call, t, t.dtype))
    inverse = torch.where(kept, 1 / torch.where(kept, s, torch.ones_like(s)), torch.zeros_like(s))
    found = (vh.mH * inverse.unsqueeze(-2)) @ u.mH
    return _one(call, found, dtype, device)


@rows("matrix_rank")
def matrix_rank(call: Call, device: Device) -> Any:
    dtype, _ = facts(call)
    t = working(call.x)
    _finite(call, t)
    s = torch.linalg.svdvals(t)
    return _one(call, _kept(s, _tolerance(call, t, t.dtype)).sum(-1), dtype, device)


@rows("lstsq")
def lstsq(call: Call, device: Device) -> Any:
    """Solve least squares by singular values, because PyTorch's function needs full rank on most devices."""
    types = facts(call)
    a, b = working(call.a, call.b), working(call.b, call.a)
    _finite(call, a, b)
    vector = call.b.ndim == 1
    right = b.unsqueeze(-1) if vector else b
    u, s, vh = torch.linalg.svd(a, full_matrices=False)
    kept = _kept(s, _tolerance(call, a, a.dtype))
    inverse = torch.where(kept, 1 / torch.where(kept, s, torch.ones_like(s)), torch.zeros_like(s))
    solution = vh.mH @ (inverse.unsqueeze(-1) * (u.mH @ right))
    rest = right - a @ solution
    residuals = torch.sum(torch.abs(rest) ** 2, -2)
    if vector:
        solution, residuals = solution.squeeze(-1), residuals.squeeze(-1)
    return LstsqResult(*_all((solution, residuals, kept.sum(-1), s), types, device))


# --- norms ---


def _sums(t: torch.Tensor, order: float) -> torch.Tensor:
    axis = -2 if abs(order) == 1 else -1
    return torch.sum(torch.abs(t), axis)


def norm_of_matrices(t: torch.Tensor, order: Any) -> torch.Tensor:
    """Return norms over the last two axes of non-empty matrices."""
    if order == "fro":
        return _norm2(t, (t.ndim - 2, t.ndim - 1), False)
    if order == "nuc":
        return torch.linalg.svdvals(t).sum(-1)
    values = torch.linalg.svdvals(t) if abs(order) == 2 else _sums(t, order)
    return (torch.amax if order > 0 else torch.amin)(values, -1)


@rows("matrix_norm")
def matrix_norm(call: Call, device: Device) -> Any:
    dtype, _ = facts(call)
    t = working(call.x)
    if call.ord in ("nuc", 2, -2):
        _finite(call, t)
    if 0 in t.shape[-2:]:
        if call.x.size == 0:
            front.whole(call)
        real = t.real.dtype if t.is_complex() else t.dtype
        found = torch.zeros(t.shape[:-2], dtype=real, device=t.device)
    else:
        found = norm_of_matrices(t, call.ord)
    return _one(call, found[..., None, None] if call.keepdims else found, dtype, device)


@rows("cond")
def cond(call: Call, device: Device) -> Any:
    dtype, _ = facts(call)
    t = working(call.x)
    if call.ord in (2, -2):
        _finite(call, t)
        s = torch.linalg.svdvals(t)
        most, least = torch.amax(s, -1), torch.amin(s, -1)
        ratio = most / least if call.ord == 2 else least / most
        return _one(call, torch.where(torch.isnan(ratio), inf, ratio), dtype, device)
    inverse, info = torch.linalg.inv_ex(t)
    size = norm_of_matrices(t, call.ord)
    found = size * norm_of_matrices(
        torch.where((info != 0)[..., None, None], torch.zeros_like(inverse), inverse), call.ord
    )
    singular = (info != 0) | (torch.isnan(found) & ~torch.isnan(size))
    return _one(call, torch.where(singular, inf, found), dtype, device)


@rows("vector_norm")
def vector_norm(call: Call, device: Device) -> Any:
    """Return the norms of vectors. The elements are scaled before a power is computed, so that no power overflows."""
    dtype, _ = front.small(call)
    t, order = working(call.x), float(call.ord)
    axes = tuple(range(t.ndim)) if call.axis is None else tuple(_core.read_axes(call.name, call.axis, t.ndim))
    keepdims = bool(call.keepdims)
    size = torch.abs(t)
    if not axes:
        found = (size != 0).to(size.dtype) if order == 0 else size
    elif order in (inf, -inf) and all(size.shape[a] for a in axes):
        found = (torch.amax if order > 0 else torch.amin)(size, axes, keepdims)
    elif order == 0:
        found = torch.sum(size != 0, axes, keepdims).to(size.dtype)
    elif order == 1:
        found = torch.sum(size, axes, keepdims)
    elif order == 2:
        found = _norm2(t, axes, keepdims)
    else:
        found = _norm(size.to(torch.float64), order, axes, keepdims)
    return _one(call, found, dtype, device)


def _norm(size: torch.Tensor, order: float, axes: tuple[int, ...], keepdims: bool) -> torch.Tensor:
    """Return the norm of the given order. The elements are first divided by the greatest element (or by the least
    element, for a negative order), so that no power overflows.
    """
    if not size.numel():
        return torch.linalg.vector_norm(size, order, axes, keepdims)
    most = (torch.amax if order > 0 else torch.amin)(size, axes, True)
    scale = torch.where((most > 0) & torch.isfinite(most), most, 1.0)
    found = torch.linalg.vector_norm(size / scale, order, axes, True) * scale
    return found if keepdims else found.squeeze(axes)
