"""Products of matrices and vectors on devices.

Integer products are exact modulo 2^n. PyTorch computes integer products only on the CPU. On other devices, integer
products are sums of exact float64 products.
"""

from __future__ import annotations

from math import prod
from operator import index
from typing import Any, SupportsIndex

import torch

from suanzi import _core
from suanzi.devices import front
from suanzi.devices.table import finished, rows, wider
from suanzi.devices.tensor import DeviceTensor
from suanzi.devices.types import HALVES, TORCH, brought, stored
from suanzi.kinds.call import Call
from suanzi.operators.creation.filled import zeros
from suanzi.tensor.device import CPU, Device
from suanzi.tensor.dtypes import DType
from suanzi.tensor.status import SuanziError

_LIMB = 16  # bits of a part of an integer, so that a sum of 2^20 products of two parts is exact in float64


def product(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Return the matrix product of operands of the same type. Outside the CPU, `_of_integers` multiplies integers."""
    if a.dtype is torch.bool:
        return torch.matmul(a.to(torch.float32), b.to(torch.float32)) != 0
    if a.is_floating_point() or a.is_complex() or a.is_cpu:
        return torch.matmul(a, b)
    return _of_integers(a, b)


def _of_integers(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Return the matrix product of integers, computed from 16-bit limbs. Products of limbs that are multiples of 2^64
    are left out.
    """
    count = min(4, (a.element_size() * 8 + _LIMB - 1) // _LIMB)
    parts = [[(x.to(torch.int64) >> (_LIMB * i)) & 0xFFFF for i in range(count)] for x in (a, b)]
    total: torch.Tensor | None = None
    step = 1 << 20
    length = a.shape[-1]
    for first in range(0, max(length, 1), step):
        for i in range(count):
            for j in range(count - i):
                x, y = parts[0][i][..., first : first + step], parts[1][j]
                y = y[first : first + step] if y.ndim == 1 else y[..., first : first + step, :]
                term = torch.matmul(x.to(torch.float64), y.to(torch.float64)).to(torch.int64) << (_LIMB * (i + j))
                total = term if total is None else total + term
    assert total is not None
    return total.to(a.dtype)


def _working(x: Any, dtype: torch.dtype) -> torch.Tensor:
    return brought(x.data, dtype)


def result_type(call: Call) -> DType:
    """Return the type of a call's result. Raise the CPU's errors for types and numbers of dimensions."""
    found: DType = front.small(_square(call))[0]
    return found


def _square(call: Call) -> Call:
    return call


@rows("matmul", out=True)
def matmul(call: Call, device: Device) -> Any:
    dtype = _type_of_two(call)
    there = torch.float32 if wider(call, dtype) else _of_sums(dtype, (call.x1, call.x2))
    a, b = (_working(x, there) for x in (call.x1, call.x2))
    return finished(call, product(a, b), device, dtype)


def _of_sums(dtype: DType, operands: tuple[Any, ...]) -> torch.dtype:
    """Return the type of the sums of a product whose result has the type `dtype`. If no operand is floating or complex,
    but `dtype` is, the sums are float64 or complex128, in which integers up to 2**53 are exact. Integers that would
    become float16 or bfloat16 are multiplied in float32, which holds all their magnitudes.
    """
    there = TORCH[dtype]
    if there in HALVES and any(TORCH[x.dtype] is not there for x in operands):
        return torch.float32
    if dtype.kind in "fc" and not any(x.dtype.kind in "fc" for x in operands):
        return torch.complex128 if there.is_complex else torch.float64
    return there


def _type_of_two(call: Call, *more: str) -> DType:
    """Return the type of a product, which the CPU determines for two vectors of one element."""

    def ask() -> Any:
        first, second = (zeros((1,), dtype=x.dtype, device=CPU) for x in (call.x1, call.x2))
        return _core.matmul(first, second, call.dtype if call.record.called == "matmul" else None, None).dtype

    if not _fits(call):
        front.whole(call)
    try:
        found: DType = front.kept("product", call.replaced(out=None) if call.has_out else call, ask)
    except SuanziError as error:  # the shapes may be wrong as well
        raise front.complaint(call) or error from None
    return found


def _fits(call: Call) -> bool:
    """Return whether both operands are tensors on devices with one dimension or more. For other operands the CPU raises
    the error.
    """
    return type(call.x1) is DeviceTensor is type(call.x2) and call.x1.ndim > 0 < call.x2.ndim


@rows("dot", "vecdot")
def dot(call: Call, device: Device) -> Any:
    """Return the sums of products that `dot` or `vecdot` computes. `vecdot` conjugates the first of two complex
    vectors.
    """
    dtype, shape = front.kept("dot", call, lambda: front.facts(front.with_stand_ins(call, front.spread)))
    there = _of_sums(dtype, (call.x1, call.x2))
    a, b = (_working(x, there) for x in (call.x1, call.x2))
    if call.record.called == "dot":
        found = _dot(a, b)
    else:
        a, b = (x.movedim(call.axis, -1) for x in (a, b))  # `axis` is an axis of each operand before broadcasting
        a = a.conj() if a.is_complex() else a
        found = product(a.unsqueeze(-2), b.unsqueeze(-1)).reshape(shape)
    return finished(call, found, device, dtype)


def _dot(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Return the sums of products over the last axis of the first operand and the last axis but one of the second
    operand.
    """
    if not a.ndim or not b.ndim:
        return a & b if a.dtype is torch.bool else a * b
    if a.ndim < 3 and b.ndim < 3:
        return product(a, b)
    columns, count = b if b.ndim == 1 else b.movedim(-2, 0), a.shape[-1]
    found = product(a.reshape(prod(a.shape[:-1]), count), columns.reshape(count, prod(columns.shape[1:])))
    return found.reshape((*a.shape[:-1], *columns.shape[1:]))


@rows("outer")
def outer(call: Call, device: Device) -> Any:
    dtype, _ = front.kept("outer", call, lambda: front.facts(front.with_stand_ins(call, front.image)))
    a, b = (_working(x, TORCH[dtype]) for x in (call.x1, call.x2))
    return finished(call, a.unsqueeze(-1) & b if a.dtype is torch.bool else a.unsqueeze(-1) * b, device, dtype)


@rows("tensordot")
def tensordot(call: Call, device: Device) -> Any:
    dtype, shape = front.kept("tensordot", call, lambda: front.facts(front.with_stand_ins(call, front.spread)))
    there = _of_sums(dtype, (call.x1, call.x2))
    a, b = (_working(x, there) for x in (call.x1, call.x2))
    # A tensor or an array of several axes also has the method `__index__`.
    if isinstance(call.axes, SupportsIndex) and not getattr(call.axes, "shape", ()):
        number = index(call.axes)
        first, second = list(range(a.ndim - number, a.ndim)), list(range(number))
    else:
        of_a, of_b = call.axes
        first = [i % a.ndim for i in _core.read_shape("tensordot", of_a, -a.ndim)]
        second = [i % b.ndim for i in _core.read_shape("tensordot", of_b, -b.ndim)]
    keep = [i for i in range(a.ndim) if i not in first], [i for i in range(b.ndim) if i not in second]
    count = prod(a.shape[i] for i in first)
    rows_ = a.permute([*keep[0], *first]).reshape(prod(a.shape[i] for i in keep[0]), count)
    columns = b.permute([*second, *keep[1]]).reshape(count, prod(b.shape[i] for i in keep[1]))
    return finished(call, product(rows_, columns).reshape(shape), device, dtype)


@rows("cross")
def cross(call: Call, device: Device) -> Any:
    dtype, _ = front.kept("cross", call, lambda: front.facts(front.with_stand_ins(call, front.spread)))
    wide = torch.float32 if TORCH[dtype] in HALVES else TORCH[dtype]
    operands = torch.broadcast_tensors(*(_working(x, wide) for x in (call.x1, call.x2)))
    (a0, a1, a2), (b0, b1, b2) = (x.movedim(call.axis, 0).unbind(0) for x in operands)
    # Each product is rounded separately, so that the cross product of parallel vectors is zero.
    parts = (a1, b2, a2, b1), (a2, b0, a0, b2), (a0, b1, a1, b0)
    found = torch.stack([p * q - r * s for p, q, r, s in parts], call.axis)
    return finished(call, found, device, dtype)


@rows("matrix_power")
def matrix_power(call: Call, device: Device) -> Any:
    """Return the power of a matrix by squaring. Negative exponents use the inverse."""
    from suanzi.devices.linalg import facts

    dtype, _ = facts(call)
    x: Any = call.x if call.x.dtype is dtype else _core.astype(call.x, dtype, True)
    n = call.n
    if n < 0:  # float16 and bfloat16 use the inverse in float32
        x = _core.astype(x, "float32", True) if TORCH[dtype] in HALVES else x
        x, n = _core.inv(x), -n
    t = brought(x.data, torch.float32 if TORCH[dtype] in HALVES else TORCH[dtype])
    size = t.shape[-1]
    found = torch.eye(size, dtype=torch.float64, device=t.device).to(t.dtype).expand(t.shape).clone()
    while n:
        if n & 1:
            found = product(found, t)
        t, n = (product(t, t), n >> 1) if n > 1 else (t, 0)
    return finished(call, found, device, dtype)


@rows("linear")
def linear(call: Call, device: Device) -> Any:
    """Return x times the transposed weight, plus the bias."""
    bias = call.bias

    def ask() -> Any:
        return front.facts(front.with_stand_ins(call, front.spread))

    dtype, _ = front.kept("linear", call, ask)
    there = _of_sums(dtype, (call.x, call.weight))
    halves = there in HALVES and bias is not None
    wide = torch.float32 if halves else there
    found = product(_working(call.x, wide), _working(call.weight, wide).mT)
    if bias is not None:
        found = _with_bias(found, bias, wide, device)
    return finished(call, found, device, dtype)


def _with_bias(t: torch.Tensor, bias: Any, dtype: torch.dtype, device: Device) -> torch.Tensor:
    from suanzi.devices.elementwise import _brought
    from suanzi.devices.state import place_of

    added = _brought(bias, dtype, place_of(device))
    assert added is not None
    return t | added if t.dtype is torch.bool else t + added


@rows("bilinear")
def bilinear(call: Call, device: Device) -> Any:
    """Return, for each matrix of the weight, the product of x1, the matrix and x2, plus the bias."""
    dtype, _ = front.kept("bilinear", call, lambda: front.facts(front.with_stand_ins(call, front.spread)))
    there = TORCH[dtype]
    wide = torch.float32 if there in HALVES else there
    a, b, weight = (_working(x, wide) for x in (call.x1, call.x2, call.weight))
    # (..., 1, 1, n) times (k, n, m) is (..., k, 1, m), times (..., 1, m, 1).
    left = product(a[..., None, None, :], weight)
    found = product(left, b[..., None, :, None])[..., 0, 0]
    if call.bias is not None:
        found = _with_bias(found, call.bias, wide, device)
    return finished(call, found, device, dtype)


@rows("einsum")
def einsum(call: Call, device: Device) -> Any:
    """Return the result of PyTorch's einsum. On other devices than the CPU, `_einsum_of_integers` multiplies
    integers.
    """
    dtype, shape = front.kept("einsum", call, lambda: front.facts(front.with_stand_ins(call, front.spread)))
    there = _of_sums(dtype, call.operands)
    wide = torch.float32 if there in HALVES else there
    operands = [_working(x, wide) for x in call.operands]
    subscripts = call.subscripts.replace(" ", "")
    if operands[0].dtype is torch.bool:
        found = torch.einsum(subscripts, *[x.to(torch.float32) for x in operands]) != 0
    elif operands[0].is_cpu or operands[0].is_floating_point() or operands[0].is_complex():
        found = torch.einsum(subscripts, *operands)
    else:
        found = _einsum_of_integers(subscripts, operands)
    return finished(call, found.reshape(shape), device, dtype)


def _einsum_of_integers(subscripts: str, operands: list[torch.Tensor]) -> torch.Tensor:
    """Return the einsum of integers. For two operands, the function computes with limbs of 16 bits. For any other
    number of operands, the function calls PyTorch's einsum.
    """
    if len(operands) != 2:
        return torch.einsum(subscripts, *operands)
    count = min(4, (operands[0].element_size() * 8 + _LIMB - 1) // _LIMB)
    parts = [[(x.to(torch.int64) >> (_LIMB * i)) & 0xFFFF for i in range(count)] for x in operands]
    total: Any = 0
    for i in range(count):
        for j in range(count - i):
            term = torch.einsum(subscripts, parts[0][i].to(torch.float64), parts[1][j].to(torch.float64))
            total = total + (term.to(torch.int64) << (_LIMB * (i + j)))
    return total.to(operands[0].dtype)


__all__ = ["product", "stored"]
