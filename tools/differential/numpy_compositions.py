"""Arguments for those functions of NumPy that Suanzi composes of several functions. `numpy_arguments` has the arguments
of the other functions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy_arguments import OPERANDS, Drawing, _any, _counted, _matrix, _pair, _parts, _spaced, _vector, _with


def _vectors(kinds: str, low: int = 1) -> Callable[[Drawing], tuple[list[Any], dict[str, Any]]]:
    """Return a function that draws two vectors of `low` to 7 elements, mostly of one type."""

    def draw(d: Drawing) -> tuple[list[Any], dict[str, Any]]:
        dtype = d.dtype(kinds)
        types = dtype, dtype if d.chance(0.7) else d.dtype(kinds)
        return [d.array((d.rng.randint(low, 7),), t, d.pick("small", "plain")) for t in types], {}

    return draw


def _sloped(d: Drawing) -> tuple[list[Any], dict[str, Any]]:
    x = d.array(
        tuple(d.rng.randint(2, 5) for _ in range(d.rng.randint(1, 3))), d.dtype("ifc"), d.pick("small", "plain")
    )
    axis = d.rng.randrange(x.ndim)
    options = {"axis": axis} if d.chance(0.7) else {}
    step = [d.pick(2, 0.5), np.cumsum(1 + d.numbers.random(x.shape[axis]))][d.chance(0.5) and bool(options)]
    return [x, step] if d.chance(0.6) else [x], options | ({"edge_order": d.pick(1, 2)} if d.chance(0.3) else {})


def _integrated(d: Drawing) -> tuple[list[Any], dict[str, Any]]:
    y = d.array(d.shape(1), d.dtype("bifc"), d.pick("small", "plain"))
    axis = d.rng.randrange(y.ndim)
    options: dict[str, Any] = {"axis": axis}
    if d.chance(0.4):
        options["x"] = d.array((y.shape[axis],) if d.chance(0.6) else y.shape, d.dtype("if"), "plain")
    elif d.chance(0.5):
        options["dx"] = d.pick(2, 0.25)
    return [y], options


def _fitted(d: Drawing) -> tuple[list[Any], dict[str, Any]]:
    n = d.rng.randint(4, 9)
    x = (np.arange(n) / 2).astype(d.pick("float32", "float64", "int64"))
    y = d.array((n,) if d.chance(0.7) else (n, 2), d.dtype("if"), "plain")
    return [x, y, d.pick(0, 1, 2)], {"w": 1 + d.numbers.random(n)} if d.chance(0.3) else {}


def _keys(d: Drawing) -> tuple[list[Any], dict[str, Any]]:
    n = d.rng.randint(0, 6)
    return [tuple(d.array((n,), d.dtype("bif"), d.style()) for _ in range(d.rng.randint(1, 3)))], {}


def _selected(d: Drawing) -> tuple[list[Any], dict[str, Any]]:
    shape, count, dtype = d.shape(), d.rng.randint(1, 3), d.dtype()
    conditions = [np.asarray(d.values(shape, "bool", "")) for _ in range(count)]
    choices = [d.array(shape, dtype if d.chance(0.8) else d.dtype(), "small") for _ in range(count)]
    return [conditions, choices], {"default": d.pick(0, 7)} if d.chance(0.4) else {}


def _position(d: Drawing, length: int) -> Any:
    ways = [0, -1, slice(None, None, 2), slice(1, None), [], d.numbers.random(length) < 0.5]
    return d.pick(*ways, np.asarray(d.numbers.integers(-length, max(length, 1), 2)) if length else 0)


def _deleted(d: Drawing) -> tuple[list[Any], dict[str, Any]]:
    x = d.array(d.shape(1), d.dtype(), d.style())
    axis = None if d.chance(0.3) else d.rng.randrange(x.ndim)
    return [x, _position(d, x.size if axis is None else x.shape[axis])], {} if axis is None else {"axis": axis}


def _inserted(d: Drawing) -> tuple[list[Any], dict[str, Any]]:
    operands, options = _deleted(d)
    x, obj = operands
    if options and d.chance(0.4) and isinstance(obj, int):
        value: Any = d.array(x.shape[: options["axis"]] + x.shape[options["axis"] + 1 :], x.dtype.name, "small")
        value = np.moveaxis(value[..., None], -1, 0) if d.chance(0.2) else value
    else:
        value = d.pick(0, 1)
    return [x, obj, value], options


def _compressed(d: Drawing) -> tuple[list[Any], dict[str, Any]]:
    x = d.array(d.shape(1), d.dtype(), d.style())
    axis = d.rng.randrange(x.ndim)
    return [np.asarray(d.values((d.rng.randint(0, x.shape[axis]),), "bool", "")), x], {"axis": axis}


def _roots(d: Drawing) -> tuple[list[Any], dict[str, Any]]:
    return [d.array((d.rng.randint(0, 4),), d.dtype("if"), "small")], {}


OPERANDS |= {
    "gradient": _sloped,
    "trapezoid": _integrated,
    "trapz": _integrated,
    "convolve": _vectors("bifc"),
    "correlate": _vectors("bifc"),
    "inner": lambda d: ([d.array((2, 3), d.dtype(), "small"), d.array((4, 3), d.dtype(), "small")], {}),
    "vdot": _pair(),
    "ediff1d": _with(_any("ifc")),
    "polyval": _vectors("bifc"),
    "polyfit": _fitted,
    "polyadd": _vectors("ifc"),
    "polysub": _vectors("ifc"),
    "polymul": _vectors("ifc"),
    "polydiv": lambda d: ([_vector(d, "f", 1, 5, "plain"), np.append(2.0, _vector(d, "f", 0, 3, "small"))], {}),
    "polyder": _with(lambda d: _vector(d, "if", 1, 5, "small")),
    "polyint": _with(lambda d: _vector(d, "if", 1, 5, "small")),
    "poly": _with(lambda d: _vector(d, "if", 1, 4, "small")),
    "roots": _roots,
    "vander": _with(lambda d: _vector(d, "ifc", 0, 5, "small")),
    "lexsort": _keys,
    "select": _selected,
    "choose": lambda d: (
        [d.numbers.integers(0, 2, (3,)), [d.array((3,), d.dtype(), "small") for _ in range(2)]],
        {},
    ),
    "piecewise": lambda d: ([x := d.array((4,), d.dtype("if"), "small"), [x < 0, x > 1], [1, lambda q: q, 2]], {}),
    "append": _pair(low=1),
    "delete": _deleted,
    "insert": _inserted,
    "compress": _compressed,
    "extract": lambda d: ([np.asarray(d.values((x := _any()(d)).shape, "bool", "")), x], {}),
    "resize": lambda d: ([_any()(d), d.pick(3, (2, 3), (0,))], {}),
    "trim_zeros": _with(lambda d: _vector(d, "bif", 0, 6, "small")),
    "block": lambda d: ([[[x := d.array((2, 3), d.dtype(), "small"), x], [x, x]]], {}),
    "dstack": lambda d: (_parts(d)[0], {}),
    "hsplit": lambda d: ([d.array((2, 4), d.dtype(), "small"), d.pick(2, [1], [1, 3])], {}),
    "vsplit": lambda d: ([d.array((4, 2), d.dtype(), "small"), d.pick(2, [1], [1, 3])], {}),
    "dsplit": lambda d: ([d.array((2, 1, 4), d.dtype(), "small"), d.pick(2, [1], [1, 3])], {}),
    "rollaxis": lambda d: ([d.array((2, 3, 4), d.dtype(), "small"), d.axis(3), d.pick(0, 1, 2, 3, -1)], {}),
    "apply_along_axis": lambda d: ([np.max, d.pick(0, 1), d.array((2, 3), d.dtype("if"), "small")], {}),
    "apply_over_axes": lambda d: ([np.max, d.array((2, 3), d.dtype("if"), "small"), d.pick(0, [0, 1])], {}),
    "packbits": _with(_any("b", 1)),
    "unpackbits": lambda d: ([d.array(d.shape(1), "uint8", "extreme")], {}),
    **{f"{name}_indices_from": _with(_matrix) for name in ("tril", "triu", "diag")},
    "ix_": lambda d: ([_vector(d, "bi"), _vector(d, "bi")], {}),
    "histogram2d": lambda d: ([d.array((6,), d.dtype("if"), "plain"), d.array((6,), d.dtype("if"), "plain")], {}),
    "histogramdd": lambda d: ([d.array((6, 2), d.dtype("f"), "plain")], {}),
    "histogram_bin_edges": _counted,
    "logspace": lambda d: (_spaced(d)[0], {}),
    "geomspace": lambda d: ([np.abs(x) + 1 if isinstance(x, np.ndarray) else 2.5 for x in _spaced(d)[0][:2]], {}),
    "unwrap": lambda d: ([d.array(d.shape(1), d.dtype("if"), d.pick("small", "plain"))], {}),
    "astype": lambda d: ([_any("bif", style="small")(d), d.pick("float32", "float64", "complex64")], {}),
    "linalg.multi_dot": lambda d: ([[d.array((3, 3), d.pick("f4", "f8"), "small") for _ in range(3)]], {}),
    "linalg.tensorinv": lambda d: ([np.reshape(np.eye(4) * 3 + 0.25, (2, 2, 4))], {"ind": 2}),
    "linalg.tensorsolve": lambda d: ([np.reshape(np.eye(4) * 3 + 0.25, (2, 2, 4)), d.array((2, 2), "f8", "small")], {}),
    "linalg.cross": lambda d: ([d.array((2, 3), d.dtype("if"), "small"), d.array((2, 3), d.dtype("if"), "small")], {}),
    "linalg.matmul": _with(_matrix, _matrix),
    "linalg.vecdot": lambda d: ([d.array((3, 4), d.dtype("ifc"), "small")] * 2, {}),
    "linalg.tensordot": lambda d: ([(x := d.array((3, 3), d.dtype(), "small")), x], {}),
    "linalg.outer": _vectors("ifc"),
    "linalg.diagonal": _with(_matrix),
    "linalg.trace": _with(_matrix),
}
