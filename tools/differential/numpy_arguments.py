"""Random arrays and arguments for calls of NumPy's functions.

The name of a parameter determines how values are drawn for the parameter. The tables OPERANDS and WITHOUT list the
functions that need other arguments. NumPy receives an array argument unchanged, and Suanzi receives a tensor on the
array's memory.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

KINDS = {
    "b": ("bool",),
    "i": ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    "f": ("float16", "float32", "float64"),
    "c": ("complex64", "complex128"),
}
SPECIAL = (np.nan, np.inf, -np.inf, 0.0, -0.0)


class Drawing:
    """The source of the random choices for one case: arrays, shapes, types and options."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.numbers = np.random.default_rng(rng.getrandbits(64))

    def chance(self, share: float) -> bool:
        return self.rng.random() < share

    def pick(self, *choices: Any) -> Any:
        return self.rng.choice(choices)

    def dtype(self, kinds: str = "bifc") -> str:
        return self.pick(*KINDS[self.pick(*kinds)])

    def shape(self, low: int = 0, high: int = 3) -> tuple[int, ...]:
        rank = self.rng.randint(low, high)
        return tuple(self.pick(0, 1, 2, 3, 4, 5, 7) if self.chance(0.3) else self.pick(1, 2, 3, 4) for _ in range(rank))

    def values(self, shape: tuple[int, ...], dtype: str, style: str) -> Array:
        """Draw an array of numbers in a style: "small", "plain", or "extreme", which includes extreme numbers."""
        kind, draw = np.dtype(dtype).kind, self.numbers
        if kind == "b":
            return draw.integers(0, 2, shape).astype(bool)
        if kind in "iu":
            limits = np.iinfo(dtype)
            low, high = max(limits.min, -9), min(limits.max, 9)
            found = draw.integers(low, high, shape, dtype, endpoint=True)
            if style == "extreme":
                wide = draw.integers(limits.min, limits.max, shape, dtype, endpoint=True)
                edges = draw.choice(np.array([limits.min, limits.max], dtype), shape)
                which = draw.integers(0, 4, shape)
                found = np.where(which == 0, wide, np.where(which == 1, edges, found)).astype(dtype)
            return found
        if kind == "c":
            parts = [self.values(shape, "float32" if dtype == "complex64" else "float64", style) for _ in range(2)]
            return (parts[0] + 1j * parts[1] if style != "extreme" else _complex(*parts)).astype(dtype)
        found = draw.integers(-8, 9, shape) / 4 if style == "small" or self.chance(0.3) else draw.normal(size=shape) * 3
        if style == "extreme":
            limits = np.finfo(dtype)
            ends = [*SPECIAL, float(limits.max), -float(limits.max), float(limits.tiny), float(limits.max) / 3, 1e-3]
            found = np.where(draw.random(shape) < 0.3, draw.choice(ends, shape), found)
        return np.asarray(found).astype(dtype)

    def array(self, shape: tuple[int, ...], dtype: str, style: str = "small") -> Array:
        """Draw an array of a shape and a type: contiguous, strided, reversed, transposed or repeated."""
        return np.asarray(self._laid_out(shape, dtype, style))

    def _laid_out(self, shape: tuple[int, ...], dtype: str, style: str) -> Array:
        way = self.pick("rows", "rows", "rows", "columns", "steps", "backwards", "offset")
        if way == "columns":
            return self.values(shape[::-1], dtype, style).transpose()
        if way == "steps" and shape:
            return self.values((*shape[:-1], 2 * shape[-1]), dtype, style)[..., ::2]
        if way == "backwards" and shape:
            return self.values(shape, dtype, style)[..., ::-1]
        if way == "offset" and shape:
            return self.values((shape[0] + 1, *shape[1:]), dtype, style)[1:]
        return self.values(shape, dtype, style)

    def style(self) -> str:
        return self.pick("small", "small", "plain", "extreme")

    def axis(self, rank: int) -> int:
        if self.chance(0.04):
            return rank + self.pick(0, 1)
        return self.rng.randrange(-rank, rank) if rank else self.pick(0, -1)

    def axes(self, rank: int) -> Any:
        if rank and self.chance(0.25):
            return tuple(
                self.rng.sample(range(-rank, 0) if self.chance(0.5) else range(rank), self.rng.randint(1, rank))
            )
        return None if self.chance(0.3) else self.axis(rank)

    def broadcast(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """Draw a shape that, in most cases, broadcasts with `shape`."""
        if self.chance(0.03):
            return self.shape()
        found = tuple(1 if self.chance(0.2) else n for n in shape)
        return found[self.rng.randint(0, len(found)) :] if self.chance(0.2) else found


def _complex(real: Array, imag: Array) -> Array:
    found = np.empty(np.shape(real), np.result_type(real, 1j))
    found.real, found.imag = real, imag
    return found


Draw = Callable[[Drawing, Array], Any]

# A function for each of NumPy's optional parameters. The function draws a value for a call with the first operand x.
OPTIONS: dict[str, Draw] = {
    "axis": lambda d, x: d.axis(x.ndim),
    "axes": lambda d, x: tuple(d.rng.sample(range(x.ndim), x.ndim)),
    "keepdims": lambda d, x: d.pick(True, False),
    "dtype": lambda d, x: d.dtype(),
    "initial": lambda d, x: d.pick(0, 1, 2, 3.5, True),
    "where": lambda d, x: np.asarray(d.values(x.shape[d.pick(0, 0, 1) :], "bool", "")),
    "ddof": lambda d, x: d.pick(0, 1),
    "correction": lambda d, x: d.pick(0, 1),
    "decimals": lambda d, x: d.pick(0, 1, 2, -1),
    "n": lambda d, x: d.pick(1, 2, 3),
    "k": lambda d, x: d.pick(-1, 0, 1, 2),
    "offset": lambda d, x: d.pick(-1, 0, 1, 2),
    "axis1": lambda d, x: d.axis(x.ndim),
    "axis2": lambda d, x: d.axis(x.ndim),
    "indexing": lambda d, x: d.pick("ij", "xy"),
    "side": lambda d, x: d.pick("left", "right"),
    "right": lambda d, x: d.pick(True, False),
    "rtol": lambda d, x: d.pick(0.0, 0.25),
    "atol": lambda d, x: d.pick(0.0, 0.5),
    "equal_nan": lambda d, x: d.pick(True, False),
    "stable": lambda d, x: d.pick(True, False),
    "kind": lambda d, x: d.pick("stable", "quicksort", "mergesort", "heapsort"),
    "endpoint": lambda d, x: d.pick(True, False),
    "retstep": lambda d, x: d.pick(True, False),
    "invert": lambda d, x: d.pick(True, False),
    "assume_unique": lambda d, x: False,
    "rowvar": lambda d, x: d.pick(True, False),
    "bias": lambda d, x: d.pick(True, False),
    "returned": lambda d, x: d.pick(True, False),
    "include_initial": lambda d, x: d.pick(True, False),
    "minlength": lambda d, x: d.pick(0, 3, 12),
    "casting": lambda d, x: d.pick("same_kind", "unsafe", "safe", "no"),
    "full_matrices": lambda d, x: False,
    "order": lambda d, x: d.pick("C", "F"),
    "norm": lambda d, x: d.pick("ortho", "forward", "backward"),
    "method": lambda d, x: d.pick("linear", "lower", "higher", "midpoint", "hazen", "weibull", "median_unbiased"),
    "return_index": lambda d, x: True,
    "return_inverse": lambda d, x: True,
    "return_counts": lambda d, x: True,
    "repeats": lambda d, x: d.pick(0, 1, 2),
    "shift": lambda d, x: d.pick(-2, 1, 5),
    "reps": lambda d, x: d.pick(2, (2, 1), (1, 3)),
    "fill_value": lambda d, x: d.pick(0, 1, 7),
    "nan": lambda d, x: d.pick(0, 7),
    "posinf": lambda d, x: d.pick(None, 9),
    "neginf": lambda d, x: d.pick(None, -9),
    "left": lambda d, x: d.pick(None, -7.0),
    "period": lambda d, x: d.pick(None, None, 3.0),
    "ord": lambda d, x: d.pick(None, 1, 2, -1, np.inf, -np.inf, "fro", 3, 0),
}
ALWAYS = {"decimals", "kth", "shape", "source", "destination", "axis1", "axis2", "repeats", "reps", "shift", "ord", "k"}


def _vector(d: Drawing, kinds: str, low: int = 0, high: int = 9, style: str | None = None) -> Array:
    return d.array((d.rng.randint(low, high),), d.dtype(kinds), style or d.style())


def _sorted(d: Drawing, kinds: str = "if") -> Array:
    found = np.sort(_vector(d, kinds, 1, 8, d.pick("small", "extreme")))
    return found[: max(int(np.sum(~np.isnan(found))), 1)] if found.dtype.kind == "f" else found


def _matrix(d: Drawing, square: bool = True) -> Array:
    n = d.rng.randint(1, 4)
    found = d.numbers.normal(size=(n, n if square else d.rng.randint(1, 4)))
    dtype = d.pick("float32", "float64", "complex64", "complex128", "int32")
    if dtype[0] == "c":
        found = found + 1j * d.numbers.normal(size=found.shape)
    return (found * 5 if dtype == "int32" else found).astype(dtype) + (9 * np.eye(n, dtype=dtype) if square else 0)


def _hermitian(d: Drawing) -> Array:
    x = _matrix(d)
    return x @ x.conj().T if x.dtype.kind in "fc" else x @ x.T


def _bounds(d: Drawing) -> Array:
    found = _sorted(d)
    return found[::-1] if d.chance(0.4) else found


def _dims(d: Drawing, n: int) -> tuple[int, ...]:
    return tuple(d.pick(1, 2, 3, 5, 300, 70000, 2**31) for _ in range(n))


def _unravelled(d: Drawing) -> tuple[list[Any], dict[str, Any]]:
    dims = _dims(d, d.rng.randint(1, 4))
    dtype = d.dtype("i")
    most = min(np.iinfo(dtype).max, np.prod([float(n) for n in dims]), 2**62)
    index = d.numbers.integers(0, max(int(most), 1), d.shape(), dtype)
    return [np.asarray(index), dims], {"order": d.pick("C", "F")} if d.chance(0.3) else {}


def _ravelled(d: Drawing) -> tuple[list[Any], dict[str, Any]]:
    dims = _dims(d, d.rng.randint(1, 4))
    shape, parts = d.shape(), []
    for n in dims:
        dtype = d.dtype("i")
        parts.append(np.asarray(d.numbers.integers(0, min(n, np.iinfo(dtype).max), d.broadcast(shape), dtype)))
    options: dict[str, Any] = {"order": d.pick("C", "F")} if d.chance(0.3) else {}
    if d.chance(0.3):
        options["mode"] = d.pick("wrap", "clip")
    return [tuple(parts), dims], options


def _averaged(d: Drawing) -> tuple[list[Any], dict[str, Any]]:
    x = d.array(d.shape(1), d.dtype("bif"), d.pick("small", "plain", "extreme"))
    axis = d.axes(x.ndim)
    shape = x.shape
    if isinstance(axis, int) and -x.ndim <= axis < x.ndim and d.chance(0.5):
        shape = (x.shape[axis],)
    weights = np.abs(d.array(shape, d.dtype("if"), d.pick("small", "plain"))) + 1
    options = {"axis": axis, "weights": weights.astype(d.dtype("if")), "keepdims": d.pick(True, False)}
    return [x], options | ({"returned": True} if d.chance(0.2) else {})


def _interpolated(d: Drawing) -> tuple[list[Any], dict[str, Any]]:
    n = d.rng.randint(1, 6)
    xp = np.sort(d.array((n,), d.dtype("if"), d.pick("small", "plain")))
    fp = d.array((n + d.chance(0.05),), d.dtype("ifc"), d.style())
    options = {name: OPTIONS[name](d, xp) for name in ("left", "period") if d.chance(0.2)}
    if options.get("period"):  # positions are unique, because NumPy does not specify the order of equal positions
        xp = (d.numbers.permutation(n) * (3 / n)).astype(xp.dtype if xp.dtype.kind == "f" else "f8")
    return [d.array(d.shape(), d.dtype("if"), d.style()), xp, fp], options


def _spaced(d: Drawing) -> tuple[list[Any], dict[str, Any]]:
    shape = d.shape(0, 2)
    ends = [d.array(shape, d.dtype("ifc" if d.chance(0.2) else "if"), d.pick("small", "plain")) for _ in range(2)]
    if d.chance(0.4):
        ends[1] = d.pick(1.0, 3, -2.5)
    options = {name: OPTIONS[name](d, ends[0]) for name in ("endpoint", "retstep") if d.chance(0.4)}
    if d.chance(0.3):
        options["dtype"] = d.pick("int64", "int32", "float32", "float64")
    return [*ends, d.pick(0, 1, 2, 3, 4, 7)], options


def _counted(d: Drawing) -> tuple[list[Any], dict[str, Any]]:
    x = d.array(d.shape(), d.dtype("bif"), d.pick("small", "plain"))
    options: dict[str, Any] = {}
    if d.chance(0.6):
        edges = _sorted(d)
        options["bins"] = edges.tolist() if d.chance(0.3) and edges.dtype.kind == "f" else edges
    elif d.chance(0.5):
        options |= {"bins": d.pick(1, 2, 5), "range": (-2.0, 3.0)}
    if d.chance(0.2):
        options["density"] = True
    if d.chance(0.3):
        options["weights"] = d.array(x.shape, d.dtype("if"), "small")
    return [x], options


def _covaried(d: Drawing) -> tuple[list[Any], dict[str, Any]]:
    x = d.array(d.shape(1, 2), d.dtype("bifc"), d.pick("small", "plain"))
    options: dict[str, Any] = {"rowvar": d.pick(True, False)} if d.chance(0.4) else {}
    if d.chance(0.3):
        options["y"] = d.array(x.shape, d.dtype("bif"), "plain")
    return [x], options


def _weighted_covaried(d: Drawing) -> tuple[list[Any], dict[str, Any]]:
    operands, options = _covaried(d)
    x = operands[0]
    n = x.shape[0] if x.ndim > 1 and not options.get("rowvar", True) else x.shape[-1]
    if d.chance(0.3):
        options["fweights"] = d.numbers.integers(0, 4, n)
    if d.chance(0.3):
        options["aweights"] = d.numbers.random(n)
    options |= {name: d.pick(0, 1) for name in ("ddof", "bias") if d.chance(0.2)}
    return operands, options


def _taken(d: Drawing) -> tuple[list[Any], dict[str, Any]]:
    x = d.array(d.shape(1), d.dtype(), d.style())
    axis = None if d.chance(0.3) else d.rng.randrange(x.ndim)
    length = x.size if axis is None else x.shape[axis]
    index = d.numbers.integers(-length, max(length, 1), d.shape(0, 2), "int64") if length else np.zeros(0, np.int64)
    return [x, np.asarray(index)], {} if axis is None else {"axis": axis}


def _taken_along(d: Drawing) -> tuple[list[Any], dict[str, Any]]:
    x = d.array(d.shape(1), d.dtype(), d.style())
    axis = d.rng.randrange(x.ndim)
    index = np.argsort(x, axis) if x.dtype.kind != "c" else np.zeros(x.shape, np.int64)
    return [x, index], {"axis": axis}


def _reshaped(d: Drawing) -> tuple[list[Any], dict[str, Any]]:
    x = d.array(d.shape(), d.dtype(), d.style())
    shape = d.pick(-1, (x.size,), (1, x.size), (x.size, 1), x.shape[::-1], (2, -1))
    return [x, shape], {"order": d.pick("C", "F", "A")} if d.chance(0.3) else {}


def _parts(d: Drawing) -> tuple[list[Any], dict[str, Any]]:
    shape = d.shape(1)
    dtype = d.dtype()
    parts = [d.array(shape, dtype if d.chance(0.7) else d.dtype(), d.style()) for _ in range(d.rng.randint(1, 3))]
    options: dict[str, Any] = {}
    if d.chance(0.4):
        options["dtype"] = d.dtype()
        if d.chance(0.4):
            options["casting"] = OPTIONS["casting"](d, parts[0])
    return [parts], options


def _parts_along(d: Drawing) -> tuple[list[Any], dict[str, Any]]:
    operands, options = _parts(d)
    return operands, options | {"axis": d.rng.randrange(operands[0][0].ndim)}


def _cut(d: Drawing) -> tuple[list[Any], dict[str, Any]]:
    x = d.array(d.shape(1), d.dtype(), d.style())
    axis = d.rng.randrange(x.ndim)
    return [x, d.pick(1, 2, 3, [1], [0, 2, 1], [-1])], {"axis": axis}


def _with(*arrays: Callable[[Drawing], Any]) -> Callable[[Drawing], tuple[list[Any], dict[str, Any]]]:
    return lambda d: ([draw(d) for draw in arrays], {})


def _any(kinds: str = "bifc", low: int = 0, high: int = 3, style: str | None = None) -> Callable[[Drawing], Array]:
    return lambda d: d.array(d.shape(low, high), d.dtype(kinds), style or d.style())


def _pair(kinds: str = "bifc", low: int = 0, high: int = 3) -> Callable[[Drawing], tuple[list[Any], dict[str, Any]]]:
    def draw(d: Drawing) -> tuple[list[Any], dict[str, Any]]:
        shape, dtype = d.shape(low, high), d.dtype(kinds)
        style = d.pick("small", "plain") if dtype.startswith("complex") else d.style()
        return [d.array(shape, dtype, style) for _ in range(2)], {}

    return draw


def _product(d: Drawing) -> tuple[list[Any], dict[str, Any]]:
    n, dtype = d.rng.randint(1, 4), d.dtype()
    shapes = d.pick(((n,), (n,)), ((2, n), (n,)), ((3, n), (n, 2)), ((n,), (n, 3)), ((), (n,)), ((2, 3, n), (n, 2)))
    return [d.array(shape, dtype, "small") for shape in shapes], {}


# Functions that draw operands, and sometimes options, for NumPy's functions that need special operands.
OPERANDS: dict[str, Callable[[Drawing], tuple[list[Any], dict[str, Any]]]] = {
    "average": _averaged,
    "interp": _interpolated,
    "linspace": _spaced,
    "histogram": _counted,
    "cov": _weighted_covaried,
    "corrcoef": _covaried,
    "unravel_index": _unravelled,
    "ravel_multi_index": _ravelled,
    "digitize": _with(_any("bif"), _bounds),
    "searchsorted": _with(_sorted, _any("if")),
    "take": _taken,
    "take_along_axis": _taken_along,
    "reshape": _reshaped,
    "concatenate": _parts_along,
    "concat": _parts_along,
    "stack": _parts_along,
    "hstack": _parts,
    "vstack": _parts,
    "column_stack": lambda d: (_parts(d)[0], {}),
    "split": _cut,
    "array_split": _cut,
    "quantile": lambda d: (
        [d.array(d.shape(), d.dtype("bif"), d.pick("small", "plain")), d.pick(0.5, 0, 1, [0.1, 0.7])],
        {},
    ),
    "nanquantile": lambda d: ([d.array(d.shape(), d.dtype("bif"), d.style()), d.pick(0.5, 0, 1, [0.1, 0.7])], {}),
    "percentile": lambda d: (
        [d.array(d.shape(), d.dtype("bif"), d.pick("small", "plain")), d.pick(50, 10, [20, 99])],
        {},
    ),
    "nanpercentile": lambda d: ([d.array(d.shape(), d.dtype("bif"), d.style()), d.pick(50, 10, [20, 99])], {}),
    "median": _with(_any("bif", style="plain")),
    "bincount": lambda d: (
        [np.abs(d.values((d.rng.randint(0, 9),), d.dtype("i"), "small").astype("i8")).astype("i4")],
        {},
    ),
    "where": lambda d: ([d.values((x := _pair()(d)[0])[0].shape, "bool", ""), *x], {}),
    "clip": lambda d: ([*_pair("if")(d)[0], d.pick(1, 2.5, 3)], {}),
    "swapaxes": lambda d: ([d.array((2, 3, 4), d.dtype(), "small")], {"axis1": d.axis(3), "axis2": d.axis(3)}),
    "moveaxis": lambda d: ([d.array((2, 3, 4), d.dtype(), "small")], {"source": d.axis(3), "destination": d.axis(3)}),
    "expand_dims": lambda d: ([_any()(d)], {"axis": 0}),
    "broadcast_to": lambda d: ([d.array((x := d.shape())[d.rng.randint(0, len(x)) :], d.dtype(), d.style()), x], {}),
    "pad": lambda d: ([_any(low=1)(d), d.pick(1, (2, 1), 0)], {"mode": d.pick("constant", "edge")}),
    "rot90": _with(_any(low=2)),
    "partition": lambda d: ([d.array((5, 4), d.dtype("if"), "plain"), d.pick(0, 2, -1)], {"axis": d.pick(0, 1, -1)}),
    "argpartition": lambda d: ([d.array((5, 4), d.dtype("if"), "plain"), d.pick(0, 2, -1)], {"axis": d.pick(0, 1, -1)}),
    "isin": lambda d: ([_any("if")(d), d.pick([], [1.0], _vector(d, "if"))], {}),
    "full_like": lambda d: ([_any()(d), d.pick(0, 1, 7)], {}),
    "isclose": _pair("ifc"),
    "allclose": _pair("ifc"),
    "kron": _pair(high=2),
    "cross": lambda d: ([d.array((2, 3), d.dtype("if"), "small"), d.array((2, 3), d.dtype("if"), "small")], {}),
    "dot": _product,
    "tensordot": lambda d: ([(x := d.array((3, 3), d.dtype(), "small")), x], {"axes": d.pick(0, 1, 2)}),
    "einsum": lambda d: (
        [d.pick("ij,jk->ik", "ij,ij->i", "ij,kj"), *(d.array((3, 3), d.pick("f4", "f8", "i8"), "small") for _ in "ab")],
        {},
    ),
    "meshgrid": lambda d: ([_vector(d, "if"), _vector(d, "if")], {}),
    "broadcast_arrays": lambda d: ([d.array(shape, d.dtype(), "small") for shape in ((2, 1), (3,), ())], {}),
    "linalg.norm": lambda d: (
        [d.array(d.shape(1), d.dtype("ifc"), d.pick("small", "plain"))],
        {"axis": d.pick(0, (0, 1), (1, 0), (-1, 0), -1, None)} if d.chance(0.6) else {},
    ),
    "linalg.vector_norm": _with(_any("ifc", style="plain")),
    "linalg.matrix_norm": lambda d: (
        [d.array((2, 3), d.dtype("fc"), "plain")],
        {"ord": d.pick("fro", 1, 2, np.inf, -1)},
    ),
    "linalg.solve": lambda d: ([x := _matrix(d), x[:, 0]], {}),
    "linalg.lstsq": lambda d: ([x := _matrix(d), x[:, 0]], {}),
    "linalg.cholesky": _with(_hermitian),
    "linalg.eigh": _with(_hermitian),
    "linalg.eigvalsh": _with(_hermitian),
    "linalg.matrix_power": lambda d: ([_matrix(d), d.pick(0, 1, 2, 3, -1)], {}),
    "linalg.cond": lambda d: ([_matrix(d)], {"p": d.pick(None, 1, 2, "fro")}),
    "i0": _with(_any("bif", style="plain")),
    "round": _with(_any("ifc", style="plain")),
    "around": _with(_any("ifc", style="plain")),
    **{
        f"linalg.{name}": _with(_matrix)
        for name in ("inv", "pinv", "det", "slogdet", "qr", "svd", "svdvals", "eig", "eigvals", "matrix_rank")
    },
    **{
        f"fft.{name}": _with(_any("ifc", 1, 2, "plain"))
        for name in (
            "fft",
            "ifft",
            "rfft",
            "irfft",
            "hfft",
            "ihfft",
            "fftn",
            "ifftn",
            "rfftn",
            "irfftn",
            "fft2",
            "ifft2",
            "rfft2",
            "irfft2",
        )
    },
}
# Options that a function does not accept with the operands of OPERANDS, or whose results have no oracle.
WITHOUT: dict[str, set[str]] = {
    "linalg.lstsq": {"rcond"},
    "linalg.qr": {"mode"},
    "linalg.matrix_rank": {"rtol"},
    "linalg.pinv": {"rtol"},
    "linalg.norm": {"axis"},
    "cross": {"axis"},
    "einsum": {"order", "casting", "dtype"},
    "linspace": {"dtype"},
    "interp": {"period"},
    "searchsorted": {"sorter"},
    "piecewise": {"condlist", "funclist"},
    "tril_indices_from": {"k"},
    "histogram2d": {"range"},
    "histogramdd": {"range"},
    **{f"linalg.{name}": {"axis", "axes", "dtype"} for name in ("cross", "vecdot", "tensordot", "trace")},
}
