"""Expected results of single ONNX operators, from ONNX's reference evaluator in float64, or from formulas if the
evaluator is wrong.

The functions convert floating-point inputs to float64, in which the evaluator's rounding errors are too small to show
in a narrower result.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import scipy.special
from onnx import defs, helper
from onnx.reference import ReferenceEvaluator
from onnx_drawing import FLOATS, Array

Given = list[Array | None]
Formula = Callable[[int, list[Any], dict[str, Any]], Any]


def wide(x: Array | None) -> Array | None:
    """Convert floating-point elements to float64, and return other elements unchanged."""
    return x.astype(np.float64) if x is not None and x.dtype in FLOATS else x


def expected(name: str, version: int, inputs: Given, attributes: dict[str, Any], outputs: int) -> list[Array]:
    """Return the expected results of one operator's version. Floating-point results are in float64."""
    widened = [wide(x) for x in inputs]
    schema = defs.get_schema(name, version)
    stated = {n: a.default_value for n, a in schema.attributes.items() if a.default_value.name}
    attributes = {n: helper.get_attribute_value(a) for n, a in stated.items()} | attributes
    attributes = {n: v.decode() if isinstance(v, bytes) else v for n, v in attributes.items()}
    with np.errstate(all="ignore"):
        if (own := FORMULAS.get(name)) is not None and (found := own[1](version, widened, attributes)) is not None:
            return list(found)[:outputs] if isinstance(found, tuple) else [np.asarray(found)]
        return evaluated(name, version, widened, attributes, outputs)


def evaluated(name: str, version: int, inputs: Given, attributes: dict[str, Any], outputs: int) -> list[Array]:
    """Return the results of ONNX's reference evaluator for a model that has one node of the operator."""
    names = ["" if x is None else f"x{i}" for i, x in enumerate(inputs)]
    results = [f"y{i}" for i in range(outputs)]
    kinds = [(n, helper.np_dtype_to_tensor_dtype(x.dtype)) for n, x in zip(names, inputs, strict=True) if x is not None]
    node = helper.make_node(name, names, results, **attributes)
    given = [helper.make_tensor_value_info(n, kind, None) for n, kind in kinds]
    graph = helper.make_graph([node], "g", given, [helper.make_tensor_value_info(n, 0, None) for n in results])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", version)], ir_version=10)
    feeds = {n: x for n, x in zip(names, inputs, strict=True) if x is not None}
    return [np.asarray(y) for y in ReferenceEvaluator(model).run(None, feeds)]


def _legacy(function: Callable[[Any, Any], Any]) -> Formula:
    def formula(version: int, inputs: list[Any], attributes: dict[str, Any]) -> Any:
        a, b = inputs
        if version < 7 and a.shape != b.shape:
            b = b.reshape(b.shape + (1,) * (a.ndim - attributes["axis"] - b.ndim))
        return function(a, b)

    return formula


def _power(x: Array, y: Array) -> Array:
    values = np.power(x.astype(np.float64), y.astype(np.float64))
    if x.dtype.kind not in "iu":
        return values
    exact = [int(a) ** int(b) for a, b in np.nditer(np.broadcast_arrays(x, y), ["zerosize_ok"])]
    bits, low = 8 * x.dtype.itemsize, np.iinfo(x.dtype).min
    wrapped = [(v - low) % 2**bits + low for v in exact]
    return np.array(wrapped, x.dtype).reshape(values.shape)


def _divided(a: Array, b: Array) -> Array:
    if a.dtype.kind not in "iu":
        return a / b
    a, b = np.broadcast_arrays(a, b)
    sign = np.sign(a.astype(object)) * np.sign(b.astype(object))
    return np.asarray(sign * (abs(a.astype(object)) // abs(b.astype(object)))).astype(a.dtype)


def _unary(function: Callable[..., Any]) -> Formula:
    return lambda version, inputs, attributes: function(inputs[0])


def _with(function: Callable[..., Any], **defaults: float) -> Formula:
    """Return a formula that calls `function` with the inputs and the attributes, whose defaults are in `defaults`."""

    def formula(version: int, inputs: list[Any], attributes: dict[str, Any]) -> Any:
        known = {name: float(np.float32(attributes.get(name, value))) for name, value in defaults.items()}
        return function(*inputs, **known)

    return formula


def _sigmoid(x: Array) -> Array:
    power = np.exp(-np.abs(x))
    return np.where(x < 0, power, 1) / (1 + power)


def _gelu(version: int, inputs: list[Any], attributes: dict[str, Any]) -> Any:
    (x,) = inputs
    if attributes["approximate"] == "none":
        return np.where(x == -np.inf, -0.0, 0.5 * x * scipy.special.erfc(-x / math.sqrt(2)))
    return x * _sigmoid(math.sqrt(8 / math.pi) * (x + 0.044715 * x**3))


def _softplus(x: Array) -> Array:
    return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))


def _cut(values: Any, dtype: np.dtype[Any]) -> Any:
    """Convert real numbers to integers of a type, towards zero."""
    if dtype.kind not in "iu":
        return values
    limits = np.iinfo(dtype)
    whole = [min(max(int(v), int(limits.min)), int(limits.max)) for v in np.ravel(np.nan_to_num(np.trunc(values)))]
    return np.array(whole, dtype).reshape(np.shape(values))


def _shrink(x: Array, lambd: float, bias: float) -> Any:
    wide_x = x.astype(np.float64)
    return _cut(np.where(wide_x < -lambd, wide_x + bias, np.where(wide_x > lambd, wide_x - bias, 0)), x.dtype)


def _reduced(function: Callable[..., Any]) -> Formula:
    """Return the formula of a reduction, which accepts axes as attribute or input, and reduces Python's integers."""

    def formula(version: int, inputs: list[Any], attributes: dict[str, Any]) -> Any:
        x = inputs[0]
        axes = attributes.get("axes", inputs[1].tolist() if len(inputs) > 1 else [])
        if not axes:
            axes = [] if attributes.get("noop_with_empty_axes") else range(x.ndim)
        axis = tuple(a % x.ndim for a in axes)
        exact = x.astype(object) if x.dtype.kind in "iu" else x
        found = np.asarray(function(exact, axis=axis, keepdims=bool(attributes.get("keepdims", 1))))
        if x.dtype.kind not in "iu":
            return found.astype(np.float64)
        bits, low = 8 * x.dtype.itemsize, int(np.iinfo(x.dtype).min)
        if function is _norm2:  # the norm saturates, and other reductions wrap
            return np.array([min(int(v), low + 2**bits - 1) for v in found.ravel()], x.dtype).reshape(found.shape)
        wrapped = [(int(v) - low) % 2**bits + low for v in found.ravel()]
        return np.array(wrapped, x.dtype).reshape(found.shape)

    return formula


def _mean(x: Any, axis: tuple[int, ...], keepdims: bool) -> Any:
    total, count = np.sum(x, axis=axis, keepdims=keepdims), math.prod(x.shape[a] for a in axis)
    if x.dtype != object:
        return total / count
    return np.vectorize(lambda v: abs(v) // count * (1 if v > 0 else -1), otypes=[object])(total)


def _log_sum(x: Any, axis: tuple[int, ...], keepdims: bool) -> Any:
    return np.log(np.asarray(np.sum(x, axis=axis, keepdims=keepdims)).astype(np.float64))


def _log_sum_exp(x: Any, axis: tuple[int, ...], keepdims: bool) -> Any:
    wide_x = x.astype(np.float64)
    return scipy.special.logsumexp(wide_x, axis=axis, keepdims=keepdims) if x.ndim else wide_x


def _norm2(x: Any, axis: tuple[int, ...], keepdims: bool) -> Any:
    total = np.sum(np.square(x), axis=axis, keepdims=keepdims)
    return np.vectorize(math.isqrt, otypes=[object])(total) if x.dtype == object else np.sqrt(total)


def _softmax(name: str) -> Formula:
    def formula(version: int, inputs: list[Any], attributes: dict[str, Any]) -> Any:
        (x,) = inputs
        axis = attributes.get("axis", -1 if version >= 13 else 1)
        if version < 13:
            shape, cut = x.shape, axis + x.ndim if axis < 0 else axis
            rows = x.reshape(math.prod(shape[:cut]), -1)
            return along(rows, 1).reshape(shape)
        return along(x, axis)

    def along(x: Array, axis: int) -> Array:
        if name == "Hardmax":
            best = np.expand_dims(np.argmax(x, axis), axis)
            places = np.arange(x.shape[axis]).reshape([-1 if i == axis % x.ndim else 1 for i in range(x.ndim)])
            return (places == best).astype(x.dtype)
        logs = scipy.special.log_softmax(x, axis)
        return np.exp(logs) if name == "Softmax" else logs

    return formula


def _gemm(version: int, inputs: list[Any], attributes: dict[str, Any]) -> Any:
    a, b, c = (*inputs, None)[:3]
    alpha, beta = (float(np.float32(attributes.get(name, 1.0))) for name in ("alpha", "beta"))
    product = (a.T if attributes.get("transA") else a) @ (b.T if attributes.get("transB") else b)
    if a.dtype.kind not in "iu":
        return alpha * product + (0 if c is None or beta == 0 else beta * c)
    if alpha == beta == 1 or (alpha == 1 and c is None):
        return product if c is None else product + c
    return _cut(alpha * product.astype(np.float64) + (0 if c is None or beta == 0 else beta * c), a.dtype)


def _resize(version: int, inputs: list[Any], attributes: dict[str, Any]) -> Any:
    """Resize an image by a matrix of weights for each axis. Positions along the axes are fractions."""
    x, (scales, sizes) = inputs[0], _sizes(version, inputs, attributes)
    mode = "linear" if attributes["mode"] == "bilinear" else attributes["mode"]
    old = version < 11
    coordinates = "asymmetric" if old else attributes.get("coordinate_transformation_mode", "half_pixel")
    rounded = "floor" if old else attributes["nearest_mode"]
    found = x.astype(np.float64) if mode != "nearest" else x
    for axis, (scale, size) in enumerate(zip(scales, sizes, strict=True)):
        n = x.shape[axis]
        places = [_place(i, n, scale, size, coordinates) for i in range(size)] if scale != 1 else range(n)
        if mode == "nearest":
            found = np.take(found, [min(max(_NEAREST[rounded](Fraction(p)), 0), n - 1) for p in places], axis)
            continue
        weights = np.zeros((size, n))
        for i, place in enumerate(places):
            base = math.floor(place)
            for k in range(base - 1, base + 3):
                share = _share(mode, float(abs(place - k)), float(np.float32(attributes.get("cubic_coeff_a", -0.75))))
                weights[i, min(max(k, 0), n - 1)] += share
        found = np.moveaxis(np.tensordot(weights, found, (1, axis)), 0, axis)
    return found if mode == "nearest" else _cut(_snapped(found), x.dtype)


_NEAREST: dict[str, Callable[[Fraction], int]] = {
    "floor": math.floor,
    "ceil": math.ceil,
    "round_prefer_floor": lambda place: math.ceil(place - Fraction(1, 2)),
    "round_prefer_ceil": lambda place: math.floor(place + Fraction(1, 2)),
}


def _sizes(version: int, inputs: list[Any], attributes: dict[str, Any]) -> tuple[list[Fraction], list[int]]:
    """Return the scale (a fraction) and the resulting size of each axis in a case of Resize or Upsample."""
    shape = inputs[0].shape
    given = attributes["scales"] if "scales" in attributes else inputs[1 if version < 11 else 2]
    if given is not None and len(given):
        scales = [Fraction(float(v)).limit_denominator(100) for v in given]
        return scales, [math.floor(n * scale) for n, scale in zip(shape, scales, strict=True)]
    sizes = inputs[3].tolist()
    return [Fraction(size, n) for size, n in zip(sizes, shape, strict=True)], sizes


def _place(i: int, n: int, scale: Fraction, size: int, coordinates: str) -> Fraction:
    """Return the position in the input of place i of the result, by ONNX's table of coordinate transformations."""
    half, width = Fraction(1, 2), scale * n
    if coordinates == "align_corners":
        return Fraction(0) if width == 1 else i * (n - 1) / (width - 1)
    if coordinates == "asymmetric":
        return i / scale
    if coordinates == "pytorch_half_pixel" and size == 1:
        return -half
    shift = Fraction(n, 2) * (1 - size / width) if coordinates == "half_pixel_symmetric" else Fraction(0)
    return shift + (i + half) / scale - half


def _share(mode: str, d: float, a: float) -> float:
    """Return the weight of an element at distance d from the position, for linear or cubic interpolation."""
    if mode == "linear":
        return max(0.0, 1 - d)
    if d <= 1:
        return (a + 2) * d**3 - (a + 3) * d**2 + 1
    return a * d**3 - 5 * a * d**2 + 8 * a * d - 4 * a if d < 2 else 0.0


def _snapped(x: Array) -> Array:
    """Round each number to the nearest integer if the distance is within the error that rounded weights cause."""
    return np.where(np.abs(x - np.rint(x)) <= 1e-9 * (1 + np.abs(x)), np.rint(x), x)


def _lrn(x: Array, size: float, alpha: float, beta: float, bias: float) -> Array:
    n, before = int(size), (int(size) - 1) // 2
    sums = [np.square(x[:, max(0, c - before) : c - before + n]).sum(1) for c in range(x.shape[1])]
    return x / (bias + alpha / n * np.stack(sums, 1)) ** beta


def _batch_normalization(version: int, inputs: list[Any], attributes: dict[str, Any]) -> Any:
    x, scale, bias, mean, variance = inputs
    epsilon, momentum = (float(np.float32(attributes[name])) for name in ("epsilon", "momentum"))
    along = (-1,) + (1,) * (x.ndim - 2)
    running: tuple[Array, ...] = ()
    if attributes.get("training_mode"):
        axes = (0, *range(2, x.ndim))
        batch = x.mean(axes), x.var(axes)
        pairs = zip((mean, variance), batch, strict=True)
        running = tuple(old * momentum + new * (1 - momentum) for old, new in pairs)
        mean, variance = batch
    normal = (x - mean.reshape(along)) / np.sqrt(variance.reshape(along) + epsilon)
    return normal * scale.reshape(along) + bias.reshape(along), *running


def _one_hot(version: int, inputs: list[Any], attributes: dict[str, Any]) -> Any:
    indices, depth, (off, on) = inputs
    found = np.expand_dims(indices, attributes["axis"])
    places = np.arange(int(depth)).reshape(
        [-1 if n == 1 and i == attributes["axis"] % found.ndim else 1 for i, n in enumerate(found.shape)]
    )
    return np.where(found == places, on, off)


def _quantize(version: int, inputs: list[Any], attributes: dict[str, Any]) -> Any:
    x, scale, zero = inputs
    along = [-1 if i == attributes.get("axis", 0) % x.ndim else 1 for i in range(x.ndim)] if scale.ndim else []
    by = np.float64 if "i" in x.dtype.kind + scale.dtype.kind else np.float32
    quotient = x.astype(by) / scale.astype(by).reshape(along)
    limits = np.iinfo(zero.dtype)
    steps = np.nan_to_num(np.rint(quotient.astype(np.float64))) + zero.reshape(along)
    return np.clip(steps, limits.min, limits.max).astype(zero.dtype)


def _lp_pool(version: int, inputs: list[Any], attributes: dict[str, Any]) -> Any:
    (x,), p = inputs, attributes["p"]
    return np.sum(np.abs(x) ** p, axis=tuple(range(2, x.ndim)), keepdims=True) ** (1 / p)


def _mean_variance(version: int, inputs: list[Any], attributes: dict[str, Any]) -> Any:
    (x,), axes = inputs, tuple(attributes.get("axes", (0, 2, 3)))
    return (x - x.mean(axes, keepdims=True)) / (x.std(axes, keepdims=True) + 1e-9)


def _gather_elements(version: int, inputs: list[Any], attributes: dict[str, Any]) -> Any:
    x, indices = inputs
    axis = attributes["axis"] % x.ndim
    places = list(np.indices(indices.shape))
    places[axis] = indices
    return x[tuple(places)]


def _max_pool(x: Array) -> Array:
    return np.max(x, axis=tuple(range(2, x.ndim)), keepdims=True)


def _shape(version: int, inputs: list[Any], attributes: dict[str, Any]) -> Any:
    return np.int64(inputs[0].shape[attributes.get("start", 0) : attributes.get("end")])


def _slice(version: int, inputs: list[Any], attributes: dict[str, Any]) -> Any:
    if version < 10 or len(inputs) < 5 or inputs[4] is None:
        return None
    x, starts, ends, axes, steps = inputs
    for start, end, axis, step in zip(starts, ends, range(len(starts)) if axes is None else axes, steps, strict=True):
        begins = -x.shape[axis] if step < 0 and start < -x.shape[axis] else start
        x = x[(slice(None),) * (axis % x.ndim) + (slice(begins, end, step),)]
    return x


def _unsqueeze(version: int, inputs: list[Any], attributes: dict[str, Any]) -> Any:
    return np.expand_dims(inputs[0], tuple(attributes["axes"] if version < 13 else inputs[1].tolist()))


def _lp_normalization(version: int, inputs: list[Any], attributes: dict[str, Any]) -> Any:
    (x,) = inputs
    norm = np.linalg.norm(x, attributes["p"], attributes["axis"], keepdims=True)
    return np.where(norm == 0, 0, x / norm)


def _dropout(version: int, inputs: list[Any], attributes: dict[str, Any]) -> Any:
    return inputs[0], np.ones(inputs[0].shape, bool)


def _qlinear(version: int, inputs: list[Any], attributes: dict[str, Any]) -> Any:
    a, a_scale, a_zero, b, b_scale, b_zero, y_scale, y_zero = inputs
    whole = (a.astype(np.int64) - a_zero) @ (b.astype(np.int64) - b_zero)
    limits = np.iinfo(y_zero.dtype)
    return np.clip(np.rint(whole * (a_scale * b_scale / y_scale)) + y_zero, limits.min, limits.max).astype(y_zero.dtype)


_COMPARED = {"Equal": np.equal, "Greater": np.greater, "Less": np.less}
_LOGICAL = {"And": np.logical_and, "Or": np.logical_or, "Xor": np.logical_xor}
_ARITHMETIC = {"Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Div": _divided, "Pow": _power}

FORMULAS: dict[str, tuple[str, Formula]] = {
    **{
        name: ("the evaluator has no broadcast of before opset 7, and powers of integers in float64", _legacy(f))
        for name, f in (_COMPARED | _LOGICAL | _ARITHMETIC).items()
    },
    **{
        name: ("the evaluator folds one axis where before opset 13 all from one on are", _softmax(name))
        for name in ("Softmax", "LogSoftmax", "Hardmax")
    },
    **{
        name: ("the evaluator rounds the results of integers on the way, or wraps between", _reduced(f))
        for name, f in {
            "ReduceMean": _mean,
            "ReduceLogSum": _log_sum,
            "ReduceLogSumExp": _log_sum_exp,
            "ReduceL2": _norm2,
            "ReduceL1": lambda x, **how: np.sum(np.abs(x), **how),
            "ReduceSumSquare": lambda x, **how: np.sum(np.square(x), **how),
            "ReduceSum": np.sum,
            "ReduceProd": np.prod,
        }.items()
    },
    "Sigmoid": ("the evaluator overflows on the way", _unary(_sigmoid)),
    "Swish": ("the evaluator overflows on the way", _with(lambda x, alpha: x * _sigmoid(alpha * x), alpha=1.0)),
    "SwiGLU": ("the evaluator overflows", _with(lambda a, b, alpha: a * _sigmoid(alpha * a) * b, alpha=1.0)),
    "Softplus": ("the evaluator overflows on the way", _unary(_softplus)),
    "Mish": ("the evaluator overflows on the way", _unary(lambda x: x * np.tanh(_softplus(x)))),
    "Gelu": ("the evaluator loses the digits of small results", _gelu),
    "HardSwish": ("the evaluator rounds a sixth", _unary(lambda x: x * np.clip((x + 3) / 6, 0, 1))),
    "HardSigmoid": (
        "the evaluator has alpha and beta in the type of the input",
        _with(lambda x, alpha, beta: np.clip(alpha * x + beta, 0, 1), alpha=0.2, beta=0.5),
    ),
    "Elu": (
        "the evaluator loses the digits of small results",
        _with(lambda x, alpha: np.where(x < 0, alpha * np.expm1(x), x), alpha=1.0),
    ),
    "Celu": (
        "the evaluator loses the digits of small results",
        _with(lambda x, alpha: np.where(x < 0, alpha * np.expm1(x / alpha), x), alpha=1.0),
    ),
    "Selu": (
        "the evaluator loses the digits of small results",
        _with(
            lambda x, alpha, gamma: gamma * np.where(x > 0, x, alpha * np.expm1(x)),
            alpha=1.67326319217681884765625,
            gamma=1.05070102214813232421875,
        ),
    ),
    "Shrink": ("the evaluator computes integers in their own type", _with(_shrink, lambd=0.5, bias=0.0)),
    "Erf": (
        "the evaluator computes element by element, slowly",
        _unary(lambda x: _cut(scipy.special.erf(x.astype(np.float64)), x.dtype)),
    ),
    "Gemm": ("the evaluator computes integers in their own type", _gemm),
    "Upsample": ("the evaluator knows Resize of opset 11 only", _resize),
    "Resize": ("the evaluator computes places in float32", _resize),
    "BatchNormalization": ("the evaluator trains in opset 9", _batch_normalization),
    "OneHot": ("the evaluator multiplies by the values, which may be infinite", _one_hot),
    "QuantizeLinear": ("the quotient is rounded to the type of the scale, or float32", _quantize),
    "GlobalLpPool": ("the evaluator has none", _lp_pool),
    "MeanVarianceNormalization": ("the evaluator has none in all versions", _mean_variance),
    "GatherElements": ("the evaluator fails for indices smaller than the operand", _gather_elements),
    "Softsign": ("the evaluator writes into its operand", _unary(lambda x: x / (1 + np.abs(x)))),
    "GlobalMaxPool": ("the evaluator folds no more than two dimensions", _unary(_max_pool)),
    "Shape": ("the evaluator counts ends before the first dimension from the last again", _shape),
    "Slice": ("the evaluator does not clamp a start before the first element if the step is negative", _slice),
    "Unsqueeze": ("the evaluator inserts axes in the order in which they are given", _unsqueeze),
    "LpNormalization": ("the evaluator sums without absolute values", _lp_normalization),
    "LRN": ("the evaluator has float32 constants", _with(_lrn, size=1, alpha=1e-4, beta=0.75, bias=1.0)),
    "Dropout": ("the evaluator knows masks of bool only", _dropout),
    "QLinearMatMul": ("the evaluator rounds the factor to float32", _qlinear),
}
"""Our own formulas, each with the reason why the evaluator is not the oracle for the operator."""
