"""Kinds of faults for some functions only: matrices, casts, strings, sparse and quantized tensors."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import suanzi

from . import faults as f
from .faults import Array, Fault, Function, Maker, Seen, operands_changed, otherwise, result_changed
from .functions import ORDERED, Described

# --- matrices ---

_SQUARE = (
    "inv",
    "det",
    "slogdet",
    "eig",
    "eigvals",
    "solve",
    "lu",
    "qr",
    "svd",
    "lstsq",
    "pinv",
    "svdvals",
    "cond",
    "matrix_power",
    "matrix_norm",
    "cholesky",
    "matrix_rank",
)


def _adjoint(x: Array) -> Array:
    return np.swapaxes(x, -1, -2).conj() if x.ndim > 1 and x.shape[-1] == x.shape[-2] else x


def _transposed(x: Array) -> Array:
    return np.swapaxes(x, -1, -2) if x.ndim > 1 and x.shape[-1] == x.shape[-2] else x


def _symmetric(x: Array) -> Array:
    return ((x + _adjoint(x)) / 2).astype(x.dtype)


def _lower(x: Array) -> Array:
    return np.tril(x) + np.conj(np.swapaxes(np.tril(x, -1), -1, -2)) if _adjoint(x) is not x else x


def _triangle(x: Array) -> Array:
    return np.triu(x) if x.ndim > 1 else x


def _diagonal(x: Array) -> Array:
    return x * np.eye(x.shape[-1]).astype(x.dtype) if _adjoint(x) is not x else x


def _first_of_batch(x: Array) -> Array:
    return np.broadcast_to(x[:1], x.shape).copy() if x.ndim > 2 and len(x) else x


def _first_of_inner(x: Array) -> Array:
    return np.broadcast_to(x[:, :1], x.shape).copy() if x.ndim > 3 else x


def _real(x: Array) -> Array:
    return x.real.astype(x.dtype) if x.dtype.kind == "c" else x


def _conjugate(x: Array) -> Array:
    return x.conj()


def _absolute(x: Array) -> Array:
    return np.abs(x).astype(x.dtype)


def _lead(x: Array) -> Array:
    """Replace numbers below a thousandth of the greatest number by 0."""
    return np.where(np.abs(x) < 1e-3 * np.abs(x).max(initial=0), 0, x).astype(x.dtype)


def _ascending(x: Array) -> Array:
    return x[..., ::-1]


def _unscaled(x: Array) -> Array:
    return x * np.array(2, x.dtype)


def matrices(function: Described) -> Iterator[Fault]:
    name = function.name
    if name not in (*_SQUARE, "eigh", "eigvalsh", "matmul", "dot", "linear", "bilinear", "tensordot", "vecdot"):
        return
    changes = {
        "the adjoint": _adjoint,
        "its transpose": _transposed,
        "its Hermitian part": _symmetric,
        "its lower triangle mirrored": _lower,
        "its upper triangle": _triangle,
        "its diagonal": _diagonal,
        "the first of its batch": _first_of_batch,
        "the first of its inner batch": _first_of_inner,
        "its real part": _real,
        "its conjugate": _conjugate,
        "its absolute values": _absolute,
        "its great numbers": _lead,
    }
    for told, change in changes.items():
        for place in (0, 1):
            which = f"operand {place + 1}"
            yield Fault("matrices", name, f"{which} is taken for {told}", operands_changed(change, place=place))
    for told, change in {"are absolute": _absolute, "are real": _real, "are conjugate": _conjugate}.items():
        if name not in ("qr", "svd", "eig", "eigh") or told != "are conjugate":
            yield Fault("matrices", name, f"results {told}", result_changed(change, which=0))
    yield from _decompositions(name)


def _decompositions(name: str) -> Iterator[Fault]:
    pairs: dict[str, dict[str, Callable[[Any], Any]]] = {
        "svd": {
            "singular values ascend": lambda r: (_flip(r[0], -1, r[1]), _flip(r[1], -1), _flip(r[2], -2, r[1])),
            "the factors are scaled": lambda r: (_times(r[0], 2), _times(r[1], 0.5), r[2]),
            "singular values are negative": lambda r: (_times(r[0], -1), _times(r[1], -1), r[2]),
        },
        "qr": {"the factors are scaled": lambda r: (_times(r[0], 2), _times(r[1], 0.5))},
        "lu": {
            "L and U are scaled": lambda r: (r[0], _times(r[1], 2), _times(r[2], 0.5)),
            "the permutation is in L": lambda r: (_identity(r[0]), suanzi.matmul(r[0], r[1]), r[2]),
            "P has the sign": lambda r: (_times(r[0], -1), _times(r[1], -1), r[2]),
        },
        "eig": {
            "vectors are 0": lambda r: (r[0], _times(r[1], 0)),
            "one pair is repeated": lambda r: (_repeated(r[0]), _repeated(r[1])),
            "vectors have length 2": lambda r: (r[0], _times(r[1], 2)),
            "values are conjugate": lambda r: (suanzi.conj(r[0]), r[1]),
        },
        "eigh": {
            "values descend": lambda r: (_flip(r[0], -1), _flip(r[1], -1)),
            "vectors have length 2": lambda r: (r[0], _times(r[1], 2)),
            "one pair is repeated": lambda r: (_repeated(r[0]), _repeated(r[1])),
        },
        "slogdet": {"the sign is in the logarithm": lambda r: (_times(r[0], 0), r[1])},
        "lstsq": {
            "the rank is always full": lambda r: (r[0], r[1], suanzi.astype(r[2] * 0 + r[3].shape[-1], "int64"), r[3]),
            "there are no residuals": lambda r: (r[0], _times(r[1], 0), *r[2:]),
            "singular values ascend": lambda r: (*r[:3], _flip(r[3], -1)),
        },
    }
    for told, change in pairs.get(name, {}).items():
        yield Fault("matrices", name, told, _all_results(change))


def _all_results(change: Callable[[Any], Any]) -> Maker:
    def fault(function: Function) -> Function:
        def call(*operands: Any, **options: Any) -> Any:
            result = function(*operands, **options)
            changed = change(result)
            return type(result)(*changed) if type(result) is not tuple else changed

        return call

    return fault


def _times(x: Any, factor: float) -> Any:
    return f.tensor_of((x.numpy() * factor).astype(x.numpy().dtype), x)


def _flip(x: Any, axis: int, values: Any = None) -> Any:
    """Reverse `x` along an axis. With `values`, reverse only the first `values.shape[-1]` indices of the axis."""
    array = np.array(x.numpy())
    count = array.shape[axis] if values is None else values.shape[-1]
    places = [slice(None)] * array.ndim
    places[axis] = slice(0, count)
    array[tuple(places)] = np.flip(array[tuple(places)], axis)
    return f.tensor_of(array, x)


def _identity(x: Any) -> Any:
    return f.tensor_of(np.broadcast_to(np.eye(x.shape[-1]), x.shape).astype(x.numpy().dtype), x)


def _repeated(x: Any) -> Any:
    array = np.array(x.numpy())
    array[...] = array[..., :1]
    return f.tensor_of(array, x)


# --- casts ---


def casts(function: Described) -> Iterator[Fault]:
    """Make faults of `astype`: wrong rounding, wrong truth values, and conversions by way of narrower types."""
    if function.name != "astype":
        return
    ways: dict[str, Callable[[Array, np.dtype[Any]], Array]] = {
        "fractions are rounded": lambda x, t: np.rint(x) if x.dtype.kind == "f" and t.kind in "iu" else x,
        "fractions are rounded down": lambda x, t: np.floor(x) if x.dtype.kind == "f" and t.kind in "iu" else x,
        "fractions are false": lambda x, t: np.trunc(x) if x.dtype.kind == "f" and t.kind == "b" else x,
        "NaN is false": lambda x, t: np.nan_to_num(x) if x.dtype.kind == "f" and t.kind == "b" else x,
        "-0 is true": lambda x, t: np.where(np.signbit(x), 1, x) if x.dtype.kind == "f" and t.kind == "b" else x,
        "integers go by way of float32": lambda x, t: (
            x.astype(np.float32) if x.dtype.kind in "iu" and t.kind == "f" else x
        ),
        "64 bits go by way of float64": lambda x, t: (
            x.astype(np.float64) if x.dtype.itemsize == 8 and x.dtype.kind in "iu" and t.kind == "f" else x
        ),
        "float64 is cut off to float32": lambda x, t: (
            _toward_zero(x) if x.dtype == np.float64 and t == np.float32 else x
        ),
        "float64 is rounded twice to float16": lambda x, t: (
            x.astype(np.float32) if x.dtype == np.float64 and t == np.float16 else x
        ),
        "uint64 past int64 is negative": lambda x, t: (
            x.astype(np.int64) if x.dtype == np.uint64 and t.kind == "f" else x
        ),
        "uint32 past int32 is negative": lambda x, t: (
            x.astype(np.int32) if x.dtype == np.uint32 and t.kind in "fi" else x
        ),
        "true is 255": lambda x, t: x * 255 if x.dtype.kind == "b" and t.kind in "iuf" else x,
        "imaginary parts do not count for true": lambda x, t: x.real if x.dtype.kind == "c" and t.kind == "b" else x,
        "complex64 comes by way of float32": lambda x, t: (
            x.astype(np.float32) if x.dtype == np.float64 and t == np.complex128 else x
        ),
        "float16 denormals are 0": lambda x, t: (
            np.where(np.abs(x) < 6e-5, 0, x) if x.dtype.kind == "f" and t == np.float16 else x
        ),
        "infinities become the greatest": lambda x, t: (
            np.nan_to_num(x, nan=np.nan) if x.dtype.kind == "f" and t.kind == "f" else x
        ),
        "NaN becomes 0": lambda x, t: np.where(np.isnan(x), 0, x) if x.dtype.kind == "f" and t.kind == "f" else x,
    }
    for told, way in ways.items():
        yield Fault("casts", function.name, told, _cast(way))


def _toward_zero(x: Array) -> Array:
    near = x.astype(np.float32)
    return np.where(np.abs(near.astype(np.float64)) > np.abs(x), np.nextafter(near, np.float32(0)), near)


def _cast(way: Callable[[Array, np.dtype[Any]], Array]) -> Maker:
    def fault(function: Function) -> Function:
        def call(x: Any, dtype: Any, **options: Any) -> Any:
            result = function(x, dtype, **options)
            if not isinstance(x, suanzi.Tensor) or "string" in (x.dtype.name, result.dtype.name):
                return result
            if x.size > 2**20:
                return result
            array = x.numpy()
            if "bfloat16" in (x.dtype.name, result.dtype.name) or array.size == 0:
                return result
            with np.errstate(all="ignore"):
                on_the_way = np.asarray(way(array, result.numpy().dtype))
            changed = on_the_way.dtype != array.dtype or on_the_way.tobytes() != array.tobytes()
            return function(suanzi.tensor(on_the_way.reshape(array.shape)), dtype) if changed else result

        return call

    return fault


# --- strings ---


def strings(function: Described) -> Iterator[Fault]:
    changes: dict[str, Callable[[str], str]] = {
        "end at a NUL": lambda s: s.split("\0")[0],
        "end after 64 characters": lambda s: s[:64],
        "end after 8 characters": lambda s: s[:8],
        "lose their accents": lambda s: s.replace("\u0301", "").replace("é", "e"),
        "are ASCII": lambda s: s.encode("ascii", "replace").decode(),
        "lose blanks at their ends": str.strip,
        "are lower case": str.lower,
        "that are empty become 0": lambda s: s or "0",
        "have two bytes to a character": lambda s: s[: (len(s.encode()) + 1) // 2 + 60] if s.isascii() else s[:1],
    }
    if "string" not in function.types and function.name not in ("where", "equal", "not_equal", "full", "tensor"):
        return
    for told, change in changes.items():

        def words(x: Array, change: Callable[[str], str] = change) -> Array:
            return (
                np.array([change(s) for s in x.ravel().tolist()], "U70").reshape(x.shape) if x.dtype.kind == "U" else x
            )

        yield Fault("strings", function.name, f"results {told}", result_changed(words))
        yield Fault("strings", function.name, f"operands {told}", operands_changed(words))

    def texts(seen: Seen) -> bool:
        return any(x.dtype is suanzi.string for x in seen.operands)

    for told, change in {"mixed": f.last_two_mixed, "rolled": f.rolled, "those of the first row": _first_row}.items():
        yield Fault("strings", function.name, f"texts come {told}", result_changed(change, when=texts))


def _first_row(x: Array) -> Array:
    return np.broadcast_to(x[:1], x.shape).copy() if x.ndim and len(x) else x


# --- sparse and quantized tensors ---


def sparse(function: Described) -> Iterator[Fault]:
    """Make faults of sparse operands and results: lost, doubled and transposed elements."""
    if function.name in ORDERED:
        return

    def changed(seen: Seen, change: Callable[[Any], Any]) -> None:
        for name, value in seen.given.items():
            if isinstance(value, suanzi.SparseTensor):
                seen.given[name] = change(value)

    changes: dict[str, Callable[[Any], Any]] = {
        "loses what is given twice": _last_given,
        "loses its last element": lambda s: _of_parts(s, slice(0, s.nnz - 1)),
        "is transposed": lambda s: _mirrored(s),
    }
    for told, change in changes.items():
        maker = otherwise(lambda seen, change=change: changed(seen, change))
        yield Fault("sparse", function.name, f"a sparse operand {told}", maker)
    if function.name in ("sparse_tensor", "to_sparse"):
        yield Fault(
            "sparse",
            function.name,
            "the last element is lost",
            _made(lambda s: _of_parts(s, slice(0, max(s.nnz - 1, 0)))),
        )
        yield Fault("sparse", function.name, "what is given twice counts once", _made(_last_given))
        yield Fault("sparse", function.name, "the first element is doubled", _made(_first_doubled))


def _coo(s: Any) -> tuple[Array, Array]:
    coo = s.to_coo()
    return np.array(coo.indices.numpy()), np.array(coo.values.numpy())


def _of_parts(s: Any, chosen: slice) -> Any:
    indices, values = _coo(s)
    return suanzi.sparse_tensor(s.shape, indices[chosen], values[chosen]) if s.nnz > 1 else s


def _last_given(s: Any) -> Any:
    indices, values = _coo(s)
    kept = {tuple(place): i for i, place in enumerate(indices.tolist())}
    return suanzi.sparse_tensor(s.shape, indices[sorted(kept.values())], values[sorted(kept.values())])


def _first_doubled(s: Any) -> Any:
    indices, values = _coo(s)
    return suanzi.sparse_tensor(s.shape, np.concatenate([indices, indices[:1]]), np.concatenate([values, values[:1]]))


def _mirrored(s: Any) -> Any:
    indices, values = _coo(s)
    same = len(set(s.shape)) == 1
    return suanzi.sparse_tensor(s.shape, indices[:, ::-1].copy(), values) if same else _of_parts(s, slice(1, None))


def _made(change: Callable[[Any], Any]) -> Maker:
    def fault(function: Function) -> Function:
        def call(*operands: Any, **options: Any) -> Any:
            result = function(*operands, **options)
            return change(result) if result.nnz else result

        return call

    return fault


def quantized(function: Described) -> Iterator[Fault]:
    """Make faults of quantized operands and results: scales, zero points, channels, codes."""
    if function.name in ORDERED:
        return

    def changed(seen: Seen, change: Callable[[Any], Any]) -> None:
        for name, value in seen.given.items():
            if isinstance(value, suanzi.QuantizedTensor):
                seen.given[name] = change(value)

    changes: dict[str, Callable[[Any], Any]] = {
        "has no zero point": lambda q: _requantized(q, zero_point=0),
        "has the first scale in all channels": lambda q: _requantized(q, first=True),
        "has twice the scale": lambda q: _requantized(q, factor=2.0),
        "has codes three too great": lambda q: _requantized(q, more=3),
    }
    for told, change in changes.items():
        maker = otherwise(lambda seen, change=change: changed(seen, change))
        yield Fault("quantized", function.name, f"a quantized operand {told}", maker)
        if function.name in ("quantized_tensor", "quantize", "requantize"):
            yield Fault("quantized", function.name, f"the result {told}", _stored(change))
    if function.name in ("quantized_tensor", "quantize"):
        yield Fault("quantized", function.name, "ties go up", _data(lambda x: x + 1e-9))
        yield Fault(
            "quantized",
            function.name,
            "numbers are limited to the range of 7 bits",
            _data(lambda x: np.clip(x, -31.5, 31.5)),
        )


def _requantized(
    q: Any, *, zero_point: int | None = None, first: bool = False, factor: float = 1.0, more: int = 0
) -> Any:
    scale = np.array(q.scale.numpy()) * np.float32(factor)
    if first and scale.ndim:
        scale[...] = scale.reshape(-1)[0]
    codes = np.array(q.codes.numpy())
    limit = np.iinfo(codes.dtype).max
    codes = np.where(codes <= limit - more, codes + np.array(more, codes.dtype), codes).astype(codes.dtype)
    point = q.zero_point if zero_point is None else zero_point
    options = {"axis": q.axis} if scale.ndim else {"zero_point": point} if point else {}
    return suanzi.quantized_tensor(q.shape, codes, scale=scale, dtype=q.dtype, **options)


def _stored(change: Callable[[Any], Any]) -> Maker:
    return lambda function: lambda *operands, **options: change(function(*operands, **options))


def _data(change: Callable[[Array], Array]) -> Maker:
    def fault(function: Function) -> Function:
        place = 1 if function.__name__ == "quantized_tensor" else 0

        def call(*operands: Any, **options: Any) -> Any:
            changed = list(operands)
            if len(changed) > place and isinstance(changed[place], list):
                array = np.array(changed[place])
                if array.dtype.kind == "f":
                    changed[place] = change(array).tolist()
            elif len(changed) > place and isinstance(changed[place], suanzi.Tensor):
                x = changed[place]
                changed[place] = (
                    suanzi.tensor(change(x.numpy().astype(np.float64))) if x.numpy().dtype.kind == "f" else x
                )
            return function(*changed, **options)

        return call

    return fault


# --- data of Python, and sizes of images ---


def data(function: Described) -> Iterator[Fault]:
    """Make faults of lists and Python numbers as data.

    A faulty function uses a default type other than Suanzi's, or rounds Python numbers to float32.
    """
    if function.name not in ("tensor", "full", "sparse_tensor", "arange"):
        return
    types = {"float32": "float64", "float64": "float32", "int64": "int32", "bool": "uint8", "complex64": "complex128"}
    for usual, other in types.items():

        def change(result: Any, usual: str = usual, other: str = other) -> Any:
            dense = isinstance(result, suanzi.Tensor) and result.dtype.name == usual
            return suanzi.astype(result, other) if dense else result

        yield Fault("defaults", function.name, f"{usual} by default is {other}", _unless_typed(change))

    def by_float32(seen: Seen) -> None:
        for name in ("data", "fill_value", "values"):
            value = seen.given.get(name)
            if isinstance(value, list | float | int) and not isinstance(value, bool):
                with contextlib.suppress(TypeError, ValueError):
                    seen.given[name] = np.array(value, np.float32).tolist()

    yield Fault("precision", function.name, "numbers of Python's go by way of float32", otherwise(by_float32))


def _unless_typed(change: Callable[[Any], Any]) -> Maker:
    def fault(function: Function) -> Function:
        def call(*operands: Any, **options: Any) -> Any:
            result = function(*operands, **options)
            return result if options.get("dtype") is not None else change(result)

        return call

    return fault


def interpolation(function: Described) -> Iterator[Fault]:
    if function.name != "interpolate":
        return

    def ratios(seen: Seen) -> list[float]:
        x, y = seen.operands[0], seen.result
        return [a / b for a, b in zip(y.shape[2:], x.shape[2:], strict=True) if b]

    whens: dict[str, Callable[[Seen], bool]] = {
        "other factors than 2, 4 and 1/2": lambda seen: any(r not in (0.5, 1, 2, 4) for r in ratios(seen)),
        "fewer points": lambda seen: any(r < 1 for r in ratios(seen)),
        "another factor along each axis": lambda seen: len(set(ratios(seen))) > 1,
        "one point": lambda seen: 1 in (*seen.operands[0].shape[2:], *seen.result.shape[2:]),
        "a factor that is given": lambda seen: seen.given.get("scale_factor") is not None,
        "three dimensions": lambda seen: seen.operands[0].ndim == 5,
        "several channels": lambda seen: seen.operands[0].shape[1] > 1,
        "several in a batch": lambda seen: seen.operands[0].shape[0] > 1,
    }
    for mode in ("nearest", "nearest-exact", "linear", "bilinear", "bicubic", "trilinear", "area"):
        whens[f"mode {mode}"] = lambda seen, m=mode: seen.given.get("mode", "nearest") == m
        for option in ("align_corners", "antialias"):
            told = f"mode {mode} and {option}"
            whens[told] = lambda seen, m=mode, o=option: seen.given.get("mode") == m and bool(seen.given.get(o))
    for told, when in whens.items():
        for how, change in (("wrong at their end", f.last), ("shifted by one", f.rolled)):
            yield Fault(
                "interpolation", function.name, f"results are {how} for {told}", result_changed(change, when=when)
            )


KINDS = (data, interpolation, matrices, casts, strings, sparse, quantized)
