"""Cases of quantized tensors, beside PyTorch and, except for sums and elementwise products, formulas in NumPy."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

import numpy as np

import suanzi
from suanzi.bench.cases.case import LARGE_SIZES, NOT_SLOWER, Call, Case, Make, Operands
from suanzi.bench.cases.operands import numbers, square

_SCALE, _ZERO = 0.05, 3
_STEP = np.float32(_SCALE)
_CHANNELS = 100
_DTYPE: Final = "qint8_asymmetric"


def _drawn(count: int) -> Make:
    return lambda n, t, rng: Operands(tuple(numbers("normal", n, t, rng) for _ in range(count)))


def _by_channels(axis: int) -> Make:
    """Return a function that makes a matrix with a hundred channels along an axis, and the scale of each channel."""

    def make(n: int, t: np.dtype[Any], rng: np.random.Generator) -> Operands:
        others = max(1, n // _CHANNELS)
        shape = (others, _CHANNELS) if axis else (_CHANNELS, others)
        return Operands((numbers("normal", shape, t, rng), np.linspace(0.01, 0.1, _CHANNELS, dtype=t), axis))

    return make


def _codes(count: int, shape: Any = square) -> Make:
    return lambda n, t, rng: Operands(tuple(rng.integers(-127, 128, shape(n), np.int8) for _ in range(count)))


def _ours(x: Any) -> Any:
    return suanzi.quantize(x, _SCALE, _ZERO, dtype=_DTYPE)


def _torchs(x: Any, scale: float = _SCALE, zero: int = _ZERO) -> Any:
    import torch

    return torch.quantize_per_tensor(x, scale, zero, torch.qint8)


def _encoded(real: Any, step: Any, zero: int, least: int = -128) -> Any:
    return np.clip(np.rint(real / step) + zero, least, 127).astype(np.int8)


def _decoded(codes: Any) -> Any:
    return (codes.astype(np.float32) - _ZERO) * _STEP


def _channels_numpy(x: Any, scale: Any, axis: int) -> Call:
    steps = scale if axis else scale[:, None]
    return lambda: np.clip(np.rint(x / steps), -127, 127).astype(np.int8)


def _channels_torch(x: Any, scale: Any, axis: int) -> Call:
    import torch

    zeros = torch.zeros(_CHANNELS, dtype=torch.int64)
    return lambda: torch.quantize_per_channel(x, scale, zeros, axis, torch.qint8)


_QUANTIZE = {
    "suanzi": lambda x: lambda: _ours(x),
    "numpy": lambda x: lambda: _encoded(x, _STEP, _ZERO),
    "torch": lambda x: lambda: _torchs(x),
}
_QUANTIZE_CHANNELS = {
    "suanzi": lambda x, scale, axis: lambda: suanzi.quantize(x, scale, axis=axis, dtype="qint8_per_channel"),
    "numpy": _channels_numpy,
    "torch": _channels_torch,
}


def _decoding_numpy(x: Any) -> Call:
    codes = _encoded(x, _STEP, _ZERO)
    return lambda: _decoded(codes)


def _again_numpy(x: Any) -> Call:
    codes, step = _encoded(x, _STEP, _ZERO), np.float32(2 * _SCALE)
    return lambda: _encoded(_decoded(codes), step, _ZERO)


def _again_ours(x: Any) -> Call:
    own = _ours(x)
    return lambda: suanzi.requantize(own, 2 * _SCALE, _ZERO)


def _again_torch(x: Any) -> Call:
    """Return the call that requantizes in PyTorch: the call dequantizes to float32, and quantizes the result."""
    own = _torchs(x)
    return lambda: _torchs(own.dequantize(), 2 * _SCALE)


_DEQUANTIZE = {
    "suanzi": lambda x: partial(suanzi.dequantize, _ours(x)),
    "numpy": _decoding_numpy,
    "torch": lambda x: _torchs(x).dequantize,
}
_REQUANTIZE = {"suanzi": _again_ours, "numpy": _again_numpy, "torch": _again_torch}


def _created_torch(codes: Any) -> Call:
    import torch

    return lambda: torch._make_per_tensor_quantized_tensor(codes, _SCALE, _ZERO)


_CREATE = {
    "suanzi": lambda codes: lambda: suanzi.quantized_tensor(None, codes, scale=_SCALE, zero_point=_ZERO, dtype=_DTYPE),
    "numpy": lambda codes: codes.copy,
    "torch": _created_torch,
}


def _combined(name: str, scale: float) -> dict[str, Any]:
    """Return the calls of Suanzi and PyTorch for an operator on two quantized tensors and a result with the given
    scale.
    """

    def ours(x: Any, y: Any) -> Call:
        out = suanzi.quantize(x, scale, _ZERO, dtype=_DTYPE)
        return partial(getattr(suanzi, name), _ours(x), _ours(y), out=out)

    def torchs(x: Any, y: Any) -> Call:
        import torch

        function = {"add": torch.ops.quantized.add, "multiply": torch.ops.quantized.mul}[name]
        return partial(function, _torchs(x), _torchs(y), scale, _ZERO)

    return {"suanzi": ours, "torch": torchs}


def _product(x: Any, y: Any) -> Any:
    """Return the matrix product of 8-bit codes, times the scales. In float64 the sums are exact, and NumPy uses
    BLAS.
    """
    return (x.astype(np.float64) @ y.astype(np.float64)) * _SCALE**2


def _matmul_ours(x: Any, y: Any) -> Call:
    pair: Any = (suanzi.quantized_tensor(None, codes, scale=_SCALE, dtype="qint8") for codes in (x, y))
    return partial(suanzi.matmul, *pair)


def _matmul_numpy(x: Any, y: Any) -> Call:
    def call() -> Any:
        real = _product(x, y)
        return np.rint(real / (np.abs(real).max() / 127)).astype(np.int8)

    return call


def _matmul_torch(x: Any, y: Any) -> Call:
    """Return PyTorch's call of a matrix product. PyTorch receives the scale of the result, and the other libraries
    compute the scale.
    """
    import torch

    scale = float(np.abs(_product(x.numpy(), y.numpy())).max() / 127)
    pair = (_torchs(codes.to(torch.float32) * _SCALE, zero=0) for codes in (x, y))
    return partial(torch.ops.quantized.matmul, *pair, scale, 0)


_MATMUL = {"suanzi": _matmul_ours, "numpy": _matmul_numpy, "torch": _matmul_torch}
_PRODUCT_SIZES = (64**2, 512**2)


def _case(name: str, make: Make, variant: str, own: dict[str, Any], element_type: str = "qint8") -> Case:
    return Case(name, make, variant, LARGE_SIZES, (element_type,), NOT_SLOWER, own=own)


CASES: list[Case] = [
    _case("quantize", _drawn(1), "", _QUANTIZE, "float32"),
    _case("quantize", _by_channels(0), "channels along the first axis", _QUANTIZE_CHANNELS, "float32"),
    _case("quantize", _by_channels(1), "channels along the last axis", _QUANTIZE_CHANNELS, "float32"),
    _case("dequantize", _drawn(1), "", _DEQUANTIZE),
    _case("requantize", _drawn(1), "", _REQUANTIZE),
    Case("quantized_tensor", _codes(1, lambda n: n), "of codes", LARGE_SIZES, ("qint8",), own=_CREATE),
    _case("add", _drawn(2), "quantized", _combined("add", 2 * _SCALE)),
    _case("add", _drawn(2), "quantized, no simple ratio", _combined("add", 0.0731)),
    _case("multiply", _drawn(2), "quantized", _combined("multiply", 2 * _SCALE)),
    Case("matmul", _codes(2), "quantized", _PRODUCT_SIZES, ("qint8",), dict.fromkeys(_PRODUCT_SIZES, 1.0), own=_MATMUL),
]
