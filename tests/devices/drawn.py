"""Random calls of operators, with drawn types, shapes, views, numbers, options and outputs. Some calls are invalid."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from placing import sz

from samples import NAMES
from suanzi import SuanziError
from suanzi.operators.registry import Record, records

# Operators that run on the host, accept other kinds of tensors, or may return different correct results. Other tests
# cover these operators.
_OTHERS = {"quantized_tensor", "sparse_tensor", "quantize", "dequantize", "requantize", "to_sparse", "destroy"}
_OTHERS |= {"empty", "empty_like", "from_reference", "tensor"}
_OTHERS |= {"is_contiguous"}  # a copy to the device is contiguous
# The tests compare only the type and the shape of these operators' results, because several results are correct.
FACTORS = {"eig", "eigvals", "eigh", "qr", "svd", "lu", "lstsq", "pinv", "inv", "solve", "det", "slogdet", "cond"}
FACTORS |= {"matrix_rank", "cholesky", "matrix_power", "multinomial", "normal", "normal_like"}
# Functions and sums that a device rounds differently from the CPU. Tests compare the results within a tolerance.
ROUNDED = {"exp", "expm1", "log", "logaddexp", "log1p", "log10", "log2", "sinh", "cosh", "tanh", "asinh", "acosh"}
ROUNDED |= {"atanh", "pow", "rsqrt", "hypot", "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "trace", "sum"}
ROUNDED |= {"reduce", "prod", "mean", "var", "std", "norm1", "norm2", "logsumexp", "cumulative_sum", "cumulative_prod"}
ROUNDED |= {"matmul", "dot", "vecdot", "tensordot", "outer", "cross", "einsum", "linear", "bilinear", "interpolate"}
ROUNDED |= {"svdvals", "eigvalsh", "matrix_norm", "vector_norm"}
ROUNDED |= {f"fft.{name}" for name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")}
ROUNDED |= {f"fft.{name}n" for name in ("fft", "ifft", "rfft", "irfft")}
RECORDS = [r for r in records() if r.name not in _OTHERS and r.operands]


COMPLEX = {"sqrt", "sign", "reciprocal", "abs"}  # a device rounds these functions differently for complex numbers only


def _flat(x: Any) -> list[Any]:
    return [y for item in x for y in _flat(item)] if isinstance(x, (list, tuple)) else [x]


class Drawn(NamedTuple):
    """A drawn call: the record of the function, the operands, the options, and the output tensor or None."""

    record: Record
    operands: list[Any]
    options: dict[str, Any]
    out: Any

    def made(self, move: Callable[[Any], Any]) -> Any:
        """Call the function on operands that `move` has moved.

        Return the result, or the status and message of an error.
        """
        named = dict(self.options)
        out = None if self.out is None else move(sz.clone(self.out))
        if out is not None:
            named["out"] = out
        try:
            result = self.record.function(*[move(x) for x in self.operands], **named)
            sz.synchronize()
        except (SuanziError, TypeError) as error:
            sz.attempt(sz.synchronize)
            return getattr(error, "status", TypeError), str(error)
        return result if out is None else (out, result is out)

    @property
    def is_rounded(self) -> bool:
        """Return whether a device may round the function's results differently from the CPU."""
        drawn = [x for x in _flat([self.operands, self.out]) if isinstance(x, sz.Tensor)]
        of_complex = self.record.name in COMPLEX and any(x.dtype.kind == "c" for x in drawn)
        return self.record.name in ROUNDED or of_complex

    @property
    def step(self) -> float:
        """Return the relative tolerance for the least precise type among operands, output and `dtype`."""
        names = [str(x.dtype).removeprefix("suanzi.") for x in _flat([self.operands, self.out]) if hasattr(x, "dtype")]
        names += [str(self.options.get("dtype", ""))]
        if any(name == "bfloat16" for name in names):
            return 3e-2
        if any(name == "float16" for name in names):
            return 4e-3
        return 1e-9 if all(name in ("float64", "complex128", "") for name in names) else 1e-5

    def __str__(self) -> str:
        def told(x: Any) -> str:
            if isinstance(x, (list, tuple)):
                return f"[{', '.join(map(told, x))}]"
            return f"{x.dtype.name}{x.shape} {x.tolist()!s:.200}" if isinstance(x, sz.Tensor) else repr(x)

        out = "" if self.out is None else f", out={told(self.out)}"
        return f"{self.record.name}({', '.join(map(told, self.operands))}, {self.options}{out})"


class Draw:
    """A source of random calls. Sources with equal seeds draw equal calls."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)

    def chance(self, p: float) -> bool:
        return bool(self.rng.random() < p)

    def one(self, *choices: Any) -> Any:
        return choices[int(self.rng.integers(len(choices)))]

    def whole(self, low: int, high: int) -> int:
        return int(self.rng.integers(low, high))

    def call(self) -> Drawn:
        """Draw a call of any operator."""
        record = self.one(*RECORDS)
        names = self._types(record)
        special = record.family == "elementwise" and self.chance(0.3)
        shapes = self._shapes(record)
        operands = [
            self._operand(record, name, shape, dtype, special, shapes[0])
            for name, shape, dtype in zip(record.operands, shapes, names, strict=True)
        ]
        while operands and operands[-1] is None:
            operands.pop()
        ndim = next((x.ndim for x in operands if isinstance(x, sz.Tensor)), 1)
        options = {}
        for name in record.options:
            if name in _REQUIRED.get(record.name, ()) or self.chance(0.5):
                drawn = self._option(record, name, ndim, shapes[0])
                if drawn is not NotImplemented:
                    options[name] = drawn
        out = self._out(record, operands, options) if "out" in record.parameters and self.chance(0.25) else None
        return Drawn(record, operands, options, out)

    def _types(self, record: Record) -> list[str]:
        first = self.one(*NAMES, "float32", "float32", "int64", "float64")
        several = self.chance(0.3)
        return [self.one(*NAMES) if several else first for _ in record.operands]

    def _shape(self, least: int = 0) -> tuple[int, ...]:
        return tuple(self.one(1, 2, 3, 3, 4, 5, 0 if self.chance(0.1) else 2) for _ in range(self.whole(least, 4)))

    def _shapes(self, record: Record) -> list[tuple[int, ...]]:
        shape, count = self._shape(), len(record.operands)
        if record.family == "matrix" and self.chance(0.9):
            n = self.whole(1, 5)
            shape = (*shape[:1], n, n)
            return [shape, *[(*shape[:-1], self.whole(1, 4)) for _ in range(count - 1)]]
        if record.name in ("matmul", "linear") and self.chance(0.8):
            n, k, m = (self.whole(1, 5) for _ in range(3))
            return [(*shape[:1], n, k), (k, m) if record.name == "matmul" else (m, k), (m,)][:count]
        if self.chance(0.1):
            return [self._shape() for _ in range(count)]
        found = [shape]
        for _ in range(count - 1):
            broadcast = tuple(1 if self.chance(0.2) else n for n in shape)
            found.append(broadcast[self.whole(0, len(shape) + 1) if self.chance(0.2) else 0 :])
        return found

    def elements(self, shape: tuple[int, ...], name: str, special: bool = False) -> Any:
        """Return a tensor of drawn numbers.

        If `special` is True, some floating numbers are NaN, infinities, zeros, very small or very large, and integers
        are from the whole range of the type.
        """
        dtype, size = sz.as_dtype(name), shape
        if name == "bool":
            return sz.tensor(self.rng.integers(0, 2, size).astype(bool))
        if dtype.is_integer:
            info = np.iinfo(dtype.numpy)
            wide = special or self.chance(0.2)
            low, high = (info.min, info.max) if wide else (max(info.min, -6), 7)
            return sz.tensor(self.rng.integers(low, high, size, dtype=dtype.numpy, endpoint=True))
        real = self.rng.normal(size=size) * 3
        if self.chance(0.3):
            real = np.round(real)
        if special:
            ends = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-42, 3e38, 1.0]
            real = np.where(self.rng.random(size) < 0.2, self.rng.choice(ends, size), real)
        with np.errstate(all="ignore"):
            if name.startswith("complex"):
                real = np.where(np.isfinite(real), real, 1.0) + 1j * np.round(self.rng.normal(size=size) * 3)
            return sz.tensor(np.asarray(real).astype(dtype.numpy))

    def _view(self, x: Any) -> Any:
        """Return a tensor of the shape of `x` in a drawn layout: permuted, with gaps, expanded, reversed or as is."""
        way = self.whole(0, 8)
        if way == 0 and x.ndim > 1:
            return sz.permute_dims(sz.clone(sz.permute_dims(x, tuple(range(x.ndim))[::-1])), tuple(range(x.ndim))[::-1])
        if way == 1 and x.ndim:
            return sz.concat([x, x], axis=-1)[..., : x.shape[-1]]
        if way == 2 and x.ndim:
            return sz.repeat(x, 2, axis=0)[::2]
        if way == 3 and x.ndim and x.shape[0]:
            return sz.expand(x[:1], x.shape)
        return sz.flip(x, axis=0) if way == 4 and x.ndim else x

    def _operand(
        self, record: Record, name: str, shape: tuple[int, ...], dtype: str, special: bool, first: tuple[int, ...]
    ) -> Any:
        if name == "tensors":
            return [self._view(self.elements(shape, self.one(dtype, dtype, self.one(*NAMES)))) for _ in range(2)]
        if name == "operands":
            return [self.elements((3, 4), dtype), self.elements((4, 2), dtype)]
        if name in ("index", "indices", "sorter"):
            if name == "sorter":
                return None
            kind = self.one("int64", "int32", "int8", "uint8", "int64", "float32" if self.chance(0.1) else "int64")
            bound = max(1, min(first, default=1))
            at = self.rng.integers(0 if kind == "uint8" else -bound, bound, self.one(shape, (2,), ()))
            wrong = self.chance(0.1)
            return sz.astype(sz.tensor(np.asarray(at + (7 if wrong else 0), dtype=np.int64)), kind)
        if name == "lengths" or (name == "bias" and self.chance(0.5)):
            return None
        if name in ("condition", "mask"):
            dtype = "bool"
        if name == "p":
            return sz.tensor(self.rng.random(shape or (2,)).astype(np.float32))
        if name in record.operands[1:] and record.family in ("elementwise", "movement") and self.chance(0.2):
            return self.one(0, 1, 2, -1, 0.5, 3.0, True, 300, 1e30, float("nan"), 1 + 2j)
        if name == record.operands[0] and len(record.operands) > 1 and self.chance(0.05):
            return self.one(1, 2.5, True)
        x = self._view(self.elements(shape, dtype, special))
        return sz.sort(x) if record.name == "searchsorted" and name == "sorted" else x

    def _axis(self, ndim: int) -> int:
        return self.whole(-ndim - 1, ndim + 1) if self.chance(0.1) else self.whole(-ndim, ndim) if ndim else 0

    def _option(self, record: Record, name: str, ndim: int, shape: tuple[int, ...]) -> Any:
        several = record.family in ("reduction", "view") or name == "axes" or "shift" in record.name
        if name in ("axis", "axes"):
            if record.name in ("transpose", "permute_dims"):
                return tuple(map(int, self.rng.permutation(ndim)))
            if record.name == "tensordot":
                return self.one(0, 1)
            if (several and self.chance(0.3)) or name == "axes":
                return tuple(self._axis(ndim) for _ in range(self.whole(0, ndim + 1)))
            return self._axis(ndim)
        if name in ("axis1", "axis2", "source", "destination", "start_axis", "stop_axis", "batch_axis"):
            return self._axis(ndim)
        if name == "dtype":
            return self.one(*NAMES)
        if name == "shape":
            return self.one((-1,), shape[::-1], (*shape, 1), (2, *shape), (*shape[:-1], -1), (7,))
        made: dict[str, Callable[[], Any]] = {
            "offset": lambda: self.whole(-3, 4),
            "k": lambda: self.whole(-1, 4),
            "n": lambda: self.whole(-2, 4),
            "s": lambda: self.one(None, (self.whole(1, 5),)),
            "norm": lambda: self.one("forward", "ortho", "backward"),
            "rounding": lambda: self.one(None, "floor", "trunc", "round"),
            "rtol": lambda: self.one(0.0, 1e-3, 0.5),
            "atol": lambda: self.one(0.0, 1e-3, 2.0),
            "mode": lambda: self.one(*_MODES.get(record.name, ("none",))),
            "decimals": lambda: self.whole(-2, 4),
            "correction": lambda: self.one(0, 1, 0.5),
            "op": lambda: self.one("sum", "max", "min", "prod", "mean", "var", "all", "any", "norm1", "logsumexp"),
            "side": lambda: self.one("left", "right"),
            "size": lambda: self.whole(1, 6),
            "ord": lambda: self.one("fro", 1, 2, float("inf"), -1) if record.family == "matrix" else self.one(0, 1, 3),
            "subscripts": lambda: self.one("ij,jk->ik", "ij,jk", "ij,jk->j", "ij,jk->"),
            "sections_or_sizes": lambda: self.one(1, 2, (1, 1)),
            "repetitions": lambda: self.one(2, (2, 1), (0, 2)),
            "repeats": lambda: self.whole(0, 3),
            "indexing": lambda: self.one("xy", "ij"),
            "pad_width": lambda: self.one(1, (1, 2), 0),
            "value": lambda: self.one(0, 1, 2.5),
            "shift": lambda: self.whole(-3, 4),
            "begin": lambda: self.whole(0, 2),
            "end": lambda: self.whole(1, 4),
            "offsets": lambda: (0,) * ndim,
            "fill_value": lambda: self.one(0, 1, True, 2.5, 300),
            "seed": lambda: self.whole(1, 1000),
            "num_samples": lambda: self.whole(0, 4),
            "batch_dims": lambda: self.whole(0, 2),
            "tile": lambda: self.whole(1, 3),
        }
        if name in made:
            return made[name]()
        if name in _TRUTHS:
            return self.chance(0.5)
        return NotImplemented

    def _out(self, record: Record, operands: list[Any], options: dict[str, Any]) -> Any:
        """Return an output tensor, mostly of the type and shape of the result."""
        status, found = sz.attempt(lambda: record.function(*operands, **options))
        if status or not isinstance(found, sz.Tensor):
            return self.elements((2,), "float32")
        dtype = self.one(*NAMES) if self.chance(0.2) else found.dtype.name
        x = self.elements(self._shape() if self.chance(0.1) else found.shape, dtype)
        return x if self.chance(0.5) else sz.empty_like(x, layout=tuple(range(x.ndim))) if x.ndim else x


_TRUTHS = {"keepdims", "equal_nan", "as_tuple", "descending", "stable", "largest", "sorted", "return_index"}
_TRUTHS |= {"return_inverse", "return_counts", "include_initial", "exclusive", "reverse", "copy", "uneven", "upper"}
_TRUTHS |= {"packed", "full_matrices", "align_corners", "antialias", "replacement"}
_REQUIRED = {
    "reshape": ("shape",),
    "expand": ("shape",),
    "broadcast_to": ("shape",),
    "topk": ("k",),
    "expand_dims": ("axis",),
    "astype": ("dtype",),
    "reduce": ("op",),
    "tile": ("repetitions",),
    "repeat": ("repeats",),
    "pad": ("pad_width",),
    "roll": ("shift",),
    "einsum": ("subscripts",),
    "split": ("sections_or_sizes",),
    "interpolate": ("size",),
    "matrix_power": ("n",),
    "slice": ("begin", "end"),
    "crop": ("offsets", "shape"),
    "moveaxis": ("source", "destination"),
    "swapaxes": ("axis1", "axis2"),
    "full_like": ("fill_value",),
    "bernoulli": ("seed",),
    "uniform_like": ("seed",),
    "multinomial": ("num_samples", "seed"),
}
_MODES = {
    "pad": ("constant", "edge", "reflect", "symmetric", "wrap"),
    "round": ("half_even", "half_up", "half_down", "half_away", "floor", "ceil", "trunc"),
    "scatter": ("update", "add", "mul", "min", "max"),
    "scatter_nd": ("update", "add", "mul", "min", "max"),
    "interpolate": ("nearest", "linear", "bilinear", "nearest-exact"),
    "qr": ("reduced", "complete"),
}
